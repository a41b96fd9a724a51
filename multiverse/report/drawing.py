"""Charts as Vega for the page, and as SVG and PNG for files, by vl-convert."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import vl_convert

from multiverse.report.charts.chart import ChartSpec
from multiverse.report.charts.look import FONT, PAPER

_VEGA_LITE = "6.4"
_FILE_FONT = "'Liberation Sans', Arial, Helvetica, 'DejaVu Sans', sans-serif"  # vl-convert carries the first
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
    return vl_convert.vega_to_svg(_for_file(compiled(chart)))


def _for_file(value: Any) -> Any:  # noqa: ANN401 any JSON
    """The same Vega with the colours and the font of a file, which has no page around it."""
    if isinstance(value, dict):
        return {key: _for_file(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_for_file(item) for item in value]
    return {FONT: _FILE_FONT, PAPER: "white"}.get(value, value) if isinstance(value, str) else value


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
