"""Charts as Vega for the page, and as SVG and PNG for files, by vl-convert."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import vl_convert

from multiverse.report.charts.chart import ChartSpec
from multiverse.report.charts.look import FONT

_VEGA_LITE = "6.4"
# vl-convert carries the first, so that labels are cut at the same place on any machine.
_FILE_FONT = "'Liberation Sans', Arial, Helvetica, 'DejaVu Sans', sans-serif"
_TAG = re.compile(r"<[^>]*>")
_PROPERTY = re.compile(r"var\(--chart-[a-z]+, ([^()]+)\)")  # a colour that only a page can set
_PAIRED = re.compile("[\U00010000-\U0010ffff]")  # characters of two units in UTF-16
_SCALE = 2  # pixels of a PNG for each of its SVG
_EXPOSE = "window.vegaEmbed = vegaEmbed;"
Json = dict[str, Any]


def compiled(chart: ChartSpec) -> Json:
    """The Vega of a chart for the page: as wide as its signal `outer` says, in the page's own colours."""
    shape = {key: value for key, value in chart.vega_lite.items() if key != "datasets"}
    vega: Json = json.loads(_shape(json.dumps(shape)))
    for source in vega["data"]:
        if source["name"] in chart.datasets:
            source["values"] = chart.datasets[source["name"]]
    del vega["width"], vega["height"]
    plot = {"width": "max(40, outer - left - right)", "height": f"{chart.height} - top - bottom"}
    vega["signals"] = [{"name": name, "update": update} for name, update in plot.items()] + vega["signals"]
    vega["padding"] = {"signal": "{left: left, right: right, top: top, bottom: bottom}"}
    return vega


@cache
def _shape(vega_lite: str) -> str:
    """The Vega of a specification without its data: charts of different populations share it."""
    return json.dumps(vl_convert.vegalite_to_vega(json.loads(vega_lite), vl_version=_VEGA_LITE))


def svg(chart: ChartSpec) -> str:
    """A chart as a file on its own: 720 pixels wide, black on white."""
    return _stacked([_drawn(chart)])


def stacked_svg(upper: ChartSpec, lower: ChartSpec) -> str:
    """Two charts in one file, the second below the first."""
    return _stacked([_drawn(upper), _drawn(lower)])


def figures(charts: Mapping[str, ChartSpec]) -> dict[str, bytes]:
    """Every figure as SVG and PNG, by file name; the matrix of options stands under its curve, in one figure."""
    found: dict[str, bytes] = {}
    for name, chart in charts.items():
        if chart.kind == "matrix":
            continue
        matrix = charts.get(name.replace("curve", "matrix", 1)) if chart.kind == "curve" else None
        drawing = svg(chart) if matrix is None else stacked_svg(chart, matrix)
        found |= {f"{name}.svg": drawing.encode(), f"{name}.png": png(drawing)}
    return found


def png(drawing: str) -> bytes:
    """An SVG as pixels, two for each of its own."""
    return vl_convert.svg_to_png(drawing, scale=_SCALE)


def bundle() -> str:
    """The JavaScript of Vega for the page, in a scope of its own but for `window.vegaEmbed`."""
    script = vl_convert.javascript_bundle(_EXPOSE, vl_version=_VEGA_LITE)
    assert "</script" not in script.lower() and "<!--" not in script
    return f'(() => {{"use strict";{script}}})();\n'


def _drawn(chart: ChartSpec) -> str:
    vega = compiled(chart)
    vega["config"] = json.loads(json.dumps(vega["config"]).replace(json.dumps(FONT), json.dumps(_FILE_FONT)))
    return _TAG.sub(lambda tag: _PROPERTY.sub(r"\1", tag[0]), _image(vega))


def _image(vega: Json) -> str:
    """A chart as SVG. Vega may cut a long name inside a character of two units, half of which cannot be written.

    Then such characters (emoji, old scripts) are drawn as boxes; the page and the words beside a figure have them.
    """
    try:
        return vl_convert.vega_to_svg(vega)
    except ValueError:
        boxed = _PAIRED.sub("\u25a1", json.dumps(vega, ensure_ascii=False))
        return vl_convert.vega_to_svg(json.loads(boxed))


def _stacked(drawings: list[str]) -> str:
    """Drawings below one another on white, each a nested SVG with ids of its own."""
    parts, top, width = [], 0, 0
    for i, drawing in enumerate(drawings):
        found = re.match(r'<svg [^>]*?width="(\d+)" height="(\d+)"', drawing)
        assert found is not None
        width = max(width, int(found[1]))
        own = re.sub(r'(id="|url\(#)', rf"\g<1>part{i}-", drawing)
        parts.append(own.replace("<svg ", f'<svg y="{top}" ', 1))
        top += int(found[2])
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}" viewBox="0 0 {width} {top}">'
    return f'{head}<rect width="{width}" height="{top}" fill="white"/>{"".join(parts)}</svg>\n'
