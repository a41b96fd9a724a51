"""The page as a reader has it: in a headless Chromium, from file://, with no network."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, ViewportSize

import multiverse as mv
from multiverse.report.reporting import report
from pages import ROOT
from small import write_small

SECTIONS = [
    *("verdicts", "explore", "effects", "families", "rankings", "deletion"),
    *("supports", "gates", "receipts", "record", "glossary", "verify"),
]
HOSTILE = (
    '<script>alert("x")</script>',
    "'\"><img src=x onerror=alert(1)>",
    "a\u202egnp.exe",
    "</script><!--",
    "עברית",
)
SHIFTS = """
new PerformanceObserver((list) => {
  const moved = list.getEntries().filter((entry) => !entry.hadRecentInput).map((entry) => entry.value);
  window.shifted = moved.reduce((a, b) => a + b, window.shifted ?? 0);
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture(scope="module")
def quickstart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return reported(ROOT / "specs" / "quickstart", "audit", tmp_path_factory.mktemp("quickstart"))


@pytest.fixture(scope="module")
def elephant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with resampling, a decomposition and contrasts."""
    return reported(ROOT / "specs" / "elephant", "audit", tmp_path_factory.mktemp("elephant"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study whose every name is an attack."""
    folder = tmp_path_factory.mktemp("hostile")
    rows = [{"row_id": f"{name}{i}", "adopted": i > 0} for i, name in enumerate(HOSTILE)]
    outcomes = [
        {"row_id": row["row_id"], "method": method, "status": None, "score": (i * j + j) % 3 / 2}
        for i, row in enumerate(rows)
        for j, method in enumerate(HOSTILE)
    ]
    quoted = [name.replace("'", "''") for name in HOSTILE]
    study = (
        f"title: '{quoted[0]}'\npopulations: {{'{quoted[1]}': {{}}}}\n"
        f"endpoints: {{effects: [{{id: '{quoted[3]}', pair: ['{quoted[0]}', '{quoted[1]}'], factor: A, "
        "from: 0, to: 1}]}\n"
    )
    families = f"families: {{audit: {{}}}}\nrationale: '{quoted[0]}'\nlicense: '{quoted[3]}'\n"
    write_small(folder / "study", "scores", study=study, files={"families": families}, rows=rows, outcomes=outcomes)
    return reported(folder / "study", "audit", folder / "out")


def reported(study: Path, family: str, out: Path) -> Path:
    """The page of a fresh audit."""
    mv.audit(study, family=family, out=out)
    report(out)
    return out / "report.html"


class Opened:
    """A page, and what it said and asked for while it was open."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("request", lambda request: self.asked.append(request.url))
        page.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
        page.add_init_script(SHIFTS)

    def open(self, path: Path) -> Page:
        self.page.goto(path.as_uri())
        self.page.evaluate("multiverse.drawn")
        return self.page


WIDE: ViewportSize = {"width": 1280, "height": 900}
NARROW: ViewportSize = {"width": 400, "height": 800}


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Opened]:
    page = chromium.new_page(viewport=WIDE)
    yield Opened(page)
    page.close()


@pytest.fixture(params=["quickstart", "elephant", "hostile"])
def path(request: pytest.FixtureRequest) -> Path:
    found: Path = request.getfixturevalue(request.param)
    return found


def test_the_page_asks_for_nothing_and_complains_of_nothing(opened: Opened, path: Path) -> None:
    opened.open(path)
    assert (opened.asked, opened.said) == ([path.as_uri()], [])


def test_every_section_is_there_in_reading_order(opened: Opened, quickstart: Path) -> None:
    page = opened.open(quickstart)
    assert page.locator("main > section").evaluate_all("found => found.map(one => one.id)") == SECTIONS
    contents = page.locator("nav a").evaluate_all("found => found.map(one => one.getAttribute('href'))")
    assert contents == [f"#{name}" for name in SECTIONS]


def test_headings_go_down_a_step_at_a_time(opened: Opened, path: Path) -> None:
    page = opened.open(path)
    ranks = page.locator("h1, h2, h3, h4").evaluate_all("found => found.map(one => Number(one.tagName[1]))")
    assert (ranks.count(1), ranks[0]) == (1, 1)
    assert [(a, b) for a, b in pairwise(ranks) if b > a + 1] == []


def test_every_chart_has_marks(opened: Opened, path: Path) -> None:
    page = opened.open(path)
    marks = [f".drawing .mark-{kind}" for kind in ("symbol path", "rect path", "rule line", "text text")]
    bare = page.locator("figure.chart").evaluate_all(
        "(found, marks) => found.filter(one => !one.querySelector(marks)).map(one => one.id)", ", ".join(marks)
    )
    assert bare == []
    assert page.locator("figure.chart").count() >= 8


def test_every_chart_says_what_it_shows(opened: Opened, path: Path) -> None:
    page = opened.open(path)
    words = page.locator("figure.chart .drawing").evaluate_all(
        "found => found.map(one => one.getAttribute('aria-label'))"
    )
    assert [text for text in words if not text or len(text) < 20] == []


@pytest.mark.parametrize("width", [320, 400, 1280])
def test_nothing_reaches_over_the_edge(opened: Opened, path: Path, width: int) -> None:
    opened.page.set_viewport_size({"width": width, "height": 800})
    page = opened.open(path)
    page.locator("details").evaluate_all("found => found.forEach(one => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_nothing_moves_while_the_page_loads(opened: Opened, path: Path, size: ViewportSize) -> None:
    opened.page.set_viewport_size(size)
    page = opened.open(path)
    page.wait_for_timeout(300)
    assert page.evaluate("window.shifted ?? 0") < 0.02


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(opened: Opened, path: Path, scheme: Any) -> None:  # noqa: ANN401 a Literal
    opened.page.emulate_media(color_scheme=scheme)
    page = opened.open(path)
    page.locator("details").evaluate_all("found => found.forEach(one => { one.open = true; })")
    found = Axe().run(page).response["violations"]
    grave = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in grave] == []


def test_hostile_names_are_text(opened: Opened, hostile: Path) -> None:
    page = opened.open(hostile)
    assert page.locator("img, main script").count() == 0
    assert page.locator("h1").inner_text() == HOSTILE[0]
    verdicts = page.locator("#verdicts").inner_text()
    shown = [name.replace("\u202e", "\\u202e") for name in HOSTILE]
    assert [name for name in shown if name not in verdicts] == []
    assert page.locator("#explore-a option").all_inner_texts() == sorted(shown, key=HOSTILE_ORDER.index)
    assert "\u202e" not in page.locator("body").inner_text()


HOSTILE_ORDER = [name.replace("\u202e", "\\u202e") for name in sorted(HOSTILE)]


def test_the_names_of_the_conformance_study_are_text(opened: Opened, shared: Path, tmp_path: Path) -> None:
    page = opened.open(reported(shared / "conformance" / "hostile_names", "audit", tmp_path))
    assert (opened.asked, opened.said) == ([(tmp_path / "report.html").as_uri()], [])
    names = ["a", "a:b", "b:c", "c", 'earliest "q"', "o'brien; DROP TABLE x", "\N{GREEK SMALL LETTER PI}-rank"]
    assert page.locator("#explore-a option").all_inner_texts() == names
    assert 'o\'brien; DROP TABLE x - earliest "q"' in page.locator("#verdicts").inner_text()


def test_the_keyboard_reaches_the_verdicts_the_controls_and_a_point(opened: Opened, quickstart: Path) -> None:
    page = opened.open(quickstart)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#verdicts"
    page.locator("#explore-at").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "explore-point"
    assert page.locator("#explore-point-title").inner_text() != "No point chosen"


def test_pinning_an_option_leaves_what_an_audit_of_the_pinned_family_finds(opened: Opened, quickstart: Path) -> None:
    """The family asym is the one with the terminal treatment pinned: its own audit gives the same set."""
    found = mv.audit("specs/quickstart", family="asym").record["populations"]["everything"]["identified"]
    effect = next(one for one in found if one["endpoint"] == "effect")
    page = opened.open(quickstart)
    page.locator("#explore-quantity").select_option(index=1)
    page.locator("select[data-pin='2']").select_option(label="asym")
    assert page.locator("#explore-specs").inner_text() == "12 of 36 specifications; 3 of 9 cells held whole"
    assert effect["min"]["exact"] == effect["max"]["exact"] == "-7/20"
    assert "\N{MINUS SIGN}35.00 pp" in page.locator("#explore-set").inner_text()


def test_print_shows_every_section(opened: Opened, elephant: Path) -> None:
    page = opened.open(elephant)
    page.emulate_media(media="print")
    heights = page.locator("main > section").evaluate_all("found => found.map(one => one.offsetHeight)")
    assert (len(heights), min(heights) > 40) == (len(SECTIONS), True)
    assert page.locator("nav").is_hidden()
    folded = page.locator("details.table td").evaluate_all("found => found.filter(one => !one.offsetHeight).length")
    assert folded == 0
    assert len(page.pdf(format="A4")) > 20_000


def test_without_script_every_number_is_there(chromium: Browser, quickstart: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(quickstart.as_uri())
    assert "Not identified" in page.locator("#verdicts").inner_text()
    assert page.locator("#effects td").count() > 0
    assert page.locator("#explore form").is_hidden()
    figures = page.locator("figure .drawing")
    boxes = [figures.nth(i).bounding_box() for i in range(figures.count())]
    assert len(boxes) > 5
    assert all(box is not None and 10 < box["height"] < 150 for box in boxes)  # a text each, and no empty place
    context.close()
