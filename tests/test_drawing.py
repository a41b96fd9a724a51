"""Charts as Vega, SVG and PNG: the same bytes everywhere, whole at every width, names as text alone."""

import hashlib
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import multiverse as mv
from multiverse.report.charts import ChartSpec, charts
from multiverse.report.drawing import bundle, compiled, figures, png, stacked_svg, svg
from report_results import results_of
from small import FILES, TABLES, write_small

ROOT = Path(__file__).resolve().parent.parent
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '</text><script>alert(1)</script>"&amp; a very long name that goes on and on and on'
AGAIN = """
import sys
from pathlib import Path
sys.path.insert(0, "tests")
import multiverse as mv
from multiverse.report.charts import charts
from multiverse.report.drawing import figures
from report_results import results_of
import hashlib
found = figures(charts(results_of(mv.audit("specs/quickstart", family="audit"))))
print({name: hashlib.sha256(content).hexdigest() for name, content in found.items() if name.endswith(".svg")})
"""


@pytest.fixture(scope="module")
def drawn() -> Mapping[str, ChartSpec]:
    return charts(results_of(mv.audit(ROOT / "specs" / "quickstart", family="audit")))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, ChartSpec]:
    """The small study with a method whose name is markup."""
    quoted = '"' + HOSTILE.replace('"', '""') + '"'
    predictions = re.sub(r"(?m)^([^,]+),b,", rf"\1,{quoted},", TABLES["hypotheses"]["predictions"])
    study = write_small(tmp_path_factory.mktemp("hostile"), files=FILES, predictions=predictions)
    return charts(results_of(mv.audit(study, family="audit")))


def texts(image: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(image).iter(f"{SVG}text")]


def test_a_chart_has_one_signal_for_its_width_and_keeps_its_height(drawn: Mapping[str, ChartSpec]) -> None:
    vega = compiled(drawn["curve"])
    signals = {signal["name"]: signal for signal in vega["signals"]}
    assert "width" not in vega
    assert signals["outer"]["value"] == 720
    assert signals["width"]["update"] == "max(40, outer - left - right)"
    assert signals["height"]["update"] == f"{drawn['curve'].height} - top - bottom"
    assert signals["quantity"]["value"] == "pagerank \u2212 earliest, percentage points"


def test_the_data_that_a_page_replaces_are_named_like_the_kind_of_chart(drawn: Mapping[str, ChartSpec]) -> None:
    for chart in drawn.values():
        data = {source["name"]: source.get("values") for source in compiled(chart)["data"]}
        assert data[chart.kind] == chart.rows
        assert chart.rows


def test_a_file_is_black_on_white_in_a_font_that_is_carried_along(drawn: Mapping[str, ChartSpec]) -> None:
    image = svg(drawn["hasse"])
    assert image.startswith('<svg xmlns="http://www.w3.org/2000/svg" width="720" height="')
    assert "var(" not in image
    assert set(re.findall(r'font-family="([^"]+)"', image)) == {
        "'Liberation Sans', Arial, Helvetica, 'DejaVu Sans', sans-serif"
    }


def test_the_curve_stands_over_its_matrix_in_one_figure(drawn: Mapping[str, ChartSpec]) -> None:
    image = ET.fromstring(stacked_svg(drawn["curve"], drawn["matrix"]))
    assert [part.get("y") for part in image.iter(f"{SVG}svg")] == [None, "0", str(drawn["curve"].height)]
    assert image.get("height") == str(drawn["curve"].height + drawn["matrix"].height)


def test_figures_are_svg_and_png_of_every_chart_but_the_matrix(drawn: Mapping[str, ChartSpec]) -> None:
    found = figures({name: drawn[name] for name in ("curve-2", "matrix-2", "ranks")})
    assert list(found) == ["curve-2.svg", "curve-2.png", "ranks.svg", "ranks.png"]
    assert found["curve-2.svg"].decode() == stacked_svg(drawn["curve-2"], drawn["matrix-2"])


def test_a_png_has_two_pixels_for_one(drawn: Mapping[str, ChartSpec]) -> None:
    image = png(svg(drawn["ranks"]))
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = (int.from_bytes(image[start : start + 4], "big") for start in (16, 20))
    assert (width, height) == (1440, 2 * drawn["ranks"].height)


def test_another_process_draws_the_same_bytes(drawn: Mapping[str, ChartSpec]) -> None:
    expected = {
        name: hashlib.sha256(content).hexdigest() for name, content in figures(drawn).items() if name.endswith(".svg")
    }
    command = [sys.executable, "-c", AGAIN]
    result = subprocess.run(command, cwd=ROOT, env={"PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True)
    assert result.stdout == f"{expected}\n"


def test_a_name_that_is_markup_is_text(hostile: Mapping[str, ChartSpec]) -> None:
    for chart in hostile.values():
        image = svg(chart)
        names = {element.tag for element in ET.fromstring(image).iter()}
        assert names <= {f"{SVG}{name}" for name in ("svg", "g", "rect", "path", "line", "text", "defs", "clipPath")}
    assert any(text.startswith("</text><script>") for text in texts(svg(hostile["ranks"])))


def test_the_bundle_is_safe_in_a_script_element() -> None:
    script = bundle()
    assert "window.vegaEmbed=" in script
    assert "</script" not in script.lower()
    assert 300_000 < len(script.encode()) < 1_000_000


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    """An empty page with Vega in it, and every error that it tells."""
    context = chromium.new_context(offline=True)
    page = context.new_page()
    page.set_content("<body style='margin:0;font-family:sans-serif'><div id=at></div></body>")
    page.add_script_tag(content=bundle())
    yield page
    context.close()


RUN = """async ([spec, width, rows]) => {
  const at = document.getElementById("at"); at.innerHTML = ""; at.style.width = width + "px";
  const how = {mode: "vega", renderer: "svg", actions: false, tooltip: false, defaultStyle: false, logLevel: 1};
  const {view} = await vegaEmbed(at, spec, how);
  await view.signal("outer", width).runAsync();
  if (rows) await view.data(rows[0], rows[1]).runAsync();
  const svg = at.querySelector("svg"), box = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].filter(one => one.textContent);
  const outside = texts.filter(one => {
    const r = one.getBoundingClientRect();
    return r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 1 || r.bottom > box.bottom + 1;
  }).map(one => one.textContent);
  const marks = svg.querySelectorAll(".role-mark path, .role-mark line, .role-mark text").length;
  return {width: box.width, height: box.height, outside, marks};
}"""


@pytest.mark.parametrize("width", [340, 720, 900])
def test_charts_run_whole_at_every_width(drawn: Mapping[str, ChartSpec], page: Page, width: int) -> None:
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    for name, chart in drawn.items():
        found = page.evaluate(RUN, [compiled(chart), width, None])
        assert (found["width"], found["height"], found["outside"]) == (width, chart.height, []), name
        assert found["marks"] > len(chart.rows), name
    assert told == []


def test_long_names_stay_inside(hostile: Mapping[str, ChartSpec], page: Page) -> None:
    for name, chart in hostile.items():
        found = page.evaluate(RUN, [compiled(chart), 340, None])
        assert (found["width"], found["outside"]) == (340, []), name


def test_other_rows_are_drawn_in_place_of_the_first(drawn: Mapping[str, ChartSpec], page: Page) -> None:
    first = page.evaluate(RUN, [compiled(drawn["curve"]), 720, None])
    one = page.evaluate(RUN, [compiled(drawn["curve"]), 720, ["curve", list(drawn["curve"].rows[:1])]])
    assert first["marks"] - one["marks"] == len(drawn["curve"].rows) - 1


def test_vega_needs_no_name_of_ours_to_be_a_field(hostile: Mapping[str, ChartSpec]) -> None:
    """Names are values of columns, which have plain names of our own."""
    for chart in hostile.values():
        shape = {key: value for key, value in chart.vega_lite.items() if key not in ("datasets", "params")}
        assert HOSTILE not in json.dumps(shape)
        assert "alert" not in json.dumps(shape)


def test_a_name_that_is_like_a_colour_of_a_page_stays_as_it_is(drawn: Mapping[str, ChartSpec]) -> None:
    name = "fill=var(--chart-accent, white)"
    ranks = drawn["ranks"]
    labels = [row | {"label": name} for row in ranks.datasets["ranks_rows"]]
    renamed = replace(ranks, vega_lite=ranks.vega_lite | {"datasets": {**ranks.datasets, "ranks_rows": labels}})
    assert texts(svg(renamed)).count(name) == 3


def test_a_long_name_of_emoji_is_cut_and_drawn(tmp_path: Path) -> None:
    names = [f"{'x' * i}{chr(0x1F469) * 300}" for i in range(2)]  # one of them is cut inside a character
    predictions = TABLES["hypotheses"]["predictions"]
    for plain, name in zip(("a", "b"), names, strict=True):
        predictions = predictions.replace(f",{plain},", f",{name},")
    study = write_small(tmp_path / "study", predictions=predictions)
    found = charts(results_of(mv.audit(study, family="audit")))
    assert any("\u25a1\u25a1" in text for name in found for text in texts(svg(found[name])))
