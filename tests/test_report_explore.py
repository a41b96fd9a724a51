"""The explorer at work in a browser: questions, pins, points, the keyboard, and the address."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

import multiverse as mv
from explorer_page import ROOT, write_page
from multiverse.exact import parse_exact
from multiverse.summary import points
from small import write_small

MINUS = "\N{MINUS SIGN}"
NAMES = ("</script><b>", "a\u202eb", "x\ny", "'q\"&amp;")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def quickstart(folder: Path) -> Path:
    return write_page(mv.audit(ROOT / "specs" / "quickstart", family="audit"), folder / "quickstart.html")


@pytest.fixture(scope="module")
def elephant(folder: Path) -> Path:
    return write_page(mv.audit(ROOT / "specs" / "elephant", family="audit"), folder / "elephant.html")


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page that no fault may pass by."""
    page = chromium.new_page()
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    page.close()
    assert faults == []


def opened(page: Page, path: Path, state: str = "") -> Page:
    page.goto(path.as_uri() + state)
    return drawn(page)


def drawn(page: Page) -> Page:
    page.evaluate("multiverse.drawn")
    return page


def choose(page: Page, control: str, label: str) -> None:
    page.select_option(f"#explore {control}", label=label)
    drawn(page)


def answers(page: Page) -> dict[str, str]:
    names = ("specs", "set", "low", "high", "relation", "ranking")
    return {name: page.inner_text(f"#explore-{name}") for name in names}


def chart_rows(page: Page, chart: str, kind: str = "") -> list[dict[str, Any]]:
    """The rows that a chart draws, without Vega's own marks on them."""
    found: list[dict[str, Any]] = page.evaluate(
        "([chart, kind]) => JSON.parse(JSON.stringify(multiverse.charts[chart].data(kind)))", [chart, kind or chart]
    )
    return found


def recorded(family: str, population: str = "everything") -> Mapping[str, Any]:
    """What the quickstart's own audit of a family says of a population."""
    record: Mapping[str, Any] = mv.audit(ROOT / "specs" / "quickstart", family=family).record
    return record["populations"][population]  # type: ignore[no-any-return]


def test_it_starts_with_the_pair_of_the_first_effect(page: Page, quickstart: Path) -> None:
    opened(page, quickstart)
    assert page.inner_text("#explore-quantity-words") == f"margin pagerank {MINUS} earliest"
    assert answers(page) == {
        "specs": "36 of 36 specifications",
        "set": f"not identified: 6 values, from {MINUS}35.00 to +10.00 pp",
        "low": f"{MINUS}35.00 pp ({MINUS}7/20) at contract R0A1, disposition baseline, terminal asym; "
        "the first of 3 specifications",
        "high": "+10.00 pp (1/10) at contract R0A0, disposition conservative, terminal asym; "
        "the first of 12 specifications",
        "relation": "reversal: pagerank above in 18, level in 0, earliest above in 18",
        "ranking": f"5 weak orders; tau-b {MINUS}0.8165 to 1.0000; can win: earliest, mini, pagerank",
    }


def test_a_pinned_option_gives_the_restricted_familys_own_numbers(page: Page, quickstart: Path) -> None:
    opened(page, quickstart)
    choose(page, "[data-pin='2']", "asym")
    asym = recorded("asym")
    one = next(one for one in asym["identified"] if (one["a"], one["b"]) == ("earliest", "pagerank"))
    ends = [-(parse_exact(one[end]["exact"]) or 0) for end in ("max", "min")]
    low, high = (points(end, signed=True).replace("-", MINUS) for end in ends)
    assert answers(page)["set"] == f"not identified: {one['count']} values, from {low} to {high} pp"
    pair = next(pair for pair in asym["ranking"]["pairs"] if (pair["a"], pair["b"]) == ("earliest", "pagerank"))
    signs = pair["signs"]
    assert answers(page)["relation"] == (
        f"{pair['relation']}: pagerank above in {signs['minus']}, level in {signs['zero']}, "
        f"earliest above in {signs['plus']}"
    )
    winners = ", ".join(asym["ranking"]["winners"])
    assert answers(page)["ranking"].endswith(f"can win: {winners}")
    assert page.inner_text("#explore-effects") == f"adoption: identified at {MINUS}35.00 pp (3 cells held whole)"
    page.click("#explore-reset")
    assert answers(drawn(page))["specs"] == "36 of 36 specifications"


def test_a_level_of_a_factor_may_be_pinned(page: Page, quickstart: Path, chromium: Browser) -> None:
    opened(page, quickstart)
    assert page.locator("#explore select[data-pin]").count() == 5  # three coordinates, two factors
    choose(page, "label:has-text('contract factor A') select", "1")
    assert answers(page)["specs"] == "18 of 36 specifications"
    options = {row["option"] for row in chart_rows(page, "matrix") if row["coordinate"] == "contract"}
    assert options == {"R0A1", "R1A1"}
    other = chromium.new_page()
    opened(other, quickstart, page.evaluate("location.hash"))
    assert answers(other) == answers(page)
    other.close()
    page.click("#explore-reset")
    assert answers(drawn(page))["specs"] == "36 of 36 specifications"


def test_cells_held_in_part_are_named(page: Page, quickstart: Path) -> None:
    opened(page, quickstart)
    choose(page, "[data-pin='0']", "R0A1")
    assert page.inner_text("#explore-effects") == (
        "adoption: no value (no cell held whole; held in part and left out: "
        "baseline/asym, conservative/asym, conditional/asym and 6 more)"
    )
    choose(page, "[data-pin='2']", "asym")
    assert page.inner_text("#explore-effects").endswith("baseline/asym, conservative/asym, conditional/asym)")


def test_a_family_is_a_restriction_too(page: Page, quickstart: Path) -> None:
    opened(page, quickstart)
    choose(page, "#explore-family", "cc (24)")
    assert answers(page)["specs"] == "24 of 36 specifications"
    assert page.inner_text("#explore-effects") == "adoption: identified at 0 pp (6 cells held whole)"


def test_what_is_pinned_away_leaves_no_value(page: Page, quickstart: Path) -> None:
    opened(page, quickstart)
    choose(page, "#explore-family", "asym (12)")
    choose(page, "[data-pin='2']", "keep_both")
    told = answers(page)
    assert (told["specs"], told["set"], told["low"]) == ("0 of 36 specifications", "no value", "none")
    assert told["ranking"] == "0 weak orders; can win: none"
    assert chart_rows(page, "curve") == []
    assert page.is_disabled("#explore-at")


def test_the_charts_follow(page: Page, quickstart: Path) -> None:
    opened(page, quickstart)
    whole = {kind: chart_rows(page, kind) for kind in ("curve", "matrix", "families", "ranks", "pairs")}
    choose(page, "[data-pin='2']", "asym")
    curve = chart_rows(page, "curve")
    assert [row["position"] for row in curve] == list(range(12))
    assert [row["value"] for row in curve] == sorted(row["value"] for row in curve)
    assert {row["option"] for row in chart_rows(page, "matrix") if row["coordinate"] == "terminal"} == {"asym"}
    pinned = [row for row in chart_rows(page, "families") if row["family"] == "pinned"]
    asym = [{**row, "family": "pinned"} for row in whole["families"] if row["family"] == "asym"]
    assert pinned == asym
    sets = recorded("asym")["ranking"]["rank_sets"]
    found: dict[str, list[int]] = {}
    for row in chart_rows(page, "ranks"):
        found.setdefault(row["method"], []).append(row["rank"])
    assert found == sets
    pairs = {(row["a"], row["b"]): row["relation"] for row in chart_rows(page, "pairs")}
    assert pairs == {(pair["a"], pair["b"]): pair["relation"] for pair in recorded("asym")["ranking"]["pairs"]}
    page.click("#explore-reset")
    drawn(page)
    assert {kind: chart_rows(page, kind) for kind in whole} == whole


def test_charts_of_another_population_stay(page: Page, quickstart: Path) -> None:
    opened(page, quickstart)
    before = chart_rows(page, "ranks"), chart_rows(page, "ranks-2", "ranks")
    choose(page, "#explore-population", "trace_a1")
    choose(page, "[data-pin='0']", "R0A1")
    assert chart_rows(page, "ranks") == before[0]
    assert chart_rows(page, "ranks-2", "ranks") != before[1]


def test_a_method_is_never_compared_with_itself(page: Page, quickstart: Path) -> None:
    opened(page, quickstart)
    choose(page, "#explore-b", "pagerank")
    assert page.inner_text("#explore-quantity-words") == f"margin earliest {MINUS} pagerank"
    choose(page, "#explore-a", "mini")
    assert page.inner_text("#explore-quantity-words") == f"margin mini {MINUS} pagerank"


def test_a_method_chosen_asks_for_a_margin_and_not_an_effect(page: Page, quickstart: Path) -> None:
    opened(page, quickstart)
    choose(page, "#explore-quantity", "effect adoption: A 0 to 1")
    assert page.inner_text("#explore-quantity-words") == f"effect adoption on pagerank {MINUS} earliest, A 0 to 1"
    choose(page, "#explore-a", "mini")
    assert page.inner_text("#explore-quantity-words") == f"margin mini {MINUS} earliest"
    assert page.input_value("#explore-quantity") == "margin"


def test_an_effect_is_told_by_cells_with_the_rows_behind_them(page: Page, elephant: Path) -> None:
    opened(page, elephant)
    choose(page, "#explore-quantity", "effect adoption: A 0 to 1")
    assert answers(page)["specs"] == "72 of 72 specifications; 9 of 9 cells held whole"
    page.focus("#explore-at")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#explore-point-title") == "conservative/asym"
    assert page.inner_text("#explore-point-value") == (
        f"cell 2 of 9: {MINUS}41.30 pp at disposition conservative, terminal asym; "
        f"95% sampling interval [{MINUS}48.91, {MINUS}33.70] pp; exactly {MINUS}19/46"
    )
    lines = page.locator("#explore-point-rows tr").all_inner_texts()
    assert len(lines) == 6
    assert lines[-1].split("\t")[0] == "all other rows"


def test_the_keyboard_moves_along_the_curve(page: Page, quickstart: Path) -> None:
    opened(page, quickstart)
    page.focus("#explore-at")
    page.keyboard.press("ArrowRight")
    drawn(page)
    assert [row["position"] for row in chart_rows(page, "curve") if row["selected"]] == [1]
    marked = [(row["position"], row["coordinate"]) for row in chart_rows(page, "matrix") if row.get("selected")]
    assert marked == [(1, "contract"), (1, "disposition"), (1, "terminal")]
    told = page.get_attribute("#explore-at", "aria-valuetext")
    assert told == (
        f"specification 2 of 36: {MINUS}35.00 pp at contract R0A0, disposition baseline, terminal exclude_both"
    )
    assert page.inner_text("#explore-said") == told
    page.keyboard.press("End")
    assert page.inner_text("#explore-point-title") == "R1A1/conditional/keep_both"
    assert page.locator("#explore-choices dt").all_inner_texts() == [
        "contract",
        "disposition",
        "terminal",
    ]
    assert "Why: " in page.inner_text("#explore-choices")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "explore-point"


def test_a_click_on_a_mark_chooses_its_point(page: Page, quickstart: Path) -> None:
    opened(page, quickstart)
    page.locator("[data-chart=curve] .mark-symbol path").nth(3).click()
    title = page.inner_text("#explore-point-title")
    assert [row["spec"] for row in chart_rows(drawn(page), "curve") if row["selected"]] == [title]


def test_the_address_keeps_what_is_shown(page: Page, quickstart: Path, chromium: Browser) -> None:
    opened(page, quickstart)
    choose(page, "#explore-population", "trace_a1")
    choose(page, "#explore-quantity", "effect adoption: A 0 to 1")
    choose(page, "[data-pin='1']", "conditional")
    page.focus("#explore-at")
    page.keyboard.press("End")
    state = page.evaluate("location.hash")
    shown = answers(page), page.inner_text("#explore-point")
    other = chromium.new_page()
    opened(other, quickstart, state)
    assert (answers(other), other.inner_text("#explore-point")) == shown
    assert chart_rows(other, "curve") == chart_rows(drawn(page), "curve")
    other.close()


def test_an_address_of_another_study_changes_nothing(page: Page, quickstart: Path) -> None:
    opened(
        page, quickstart, "#explore?population=none&family=&a=x&b=mini&effect=z&pin-terminal=&pin-no=1&at=0&__proto__=1"
    )
    assert answers(page)["specs"] == "36 of 36 specifications"
    assert page.inner_text("#explore-quantity-words") == f"margin pagerank {MINUS} mini"


def test_a_restriction_is_announced(page: Page, quickstart: Path) -> None:
    opened(page, quickstart)
    assert page.inner_text("#explore-said") == ""
    choose(page, "[data-pin='2']", "asym")
    told = answers(page)
    assert page.inner_text("#explore-said") == f"{told['specs']}; {told['set']}"
    label = page.get_attribute("[data-chart=curve] .drawing", "aria-label")
    assert label == f"margin pagerank {MINUS} earliest over {told['specs']}: {told['set']}."


def test_hostile_names_are_text(page: Page, folder: Path) -> None:
    outcomes = [
        {"row_id": row, "method": method, "status": None, "score": (i + j) % 3 / 2}
        for i, row in enumerate(["r1", "r2"])
        for j, method in enumerate(NAMES)
    ]
    pair = f"['{NAMES[0]}', '{NAMES[3].replace(chr(39), 2 * chr(39))}']"
    study = f"endpoints: {{effects: [{{id: 'e</script>', pair: {pair}, factor: A, from: 0, to: 1}}]}}\n"
    found = mv.audit(write_small(folder / "hostile", "scores", study=study, outcomes=outcomes), family="audit")
    opened(page, write_page(found, folder / "hostile.html"))
    assert page.locator("b, img").count() == 0
    shown = sorted(name.replace("\u202e", "\\u202e").replace("\n", "\\n") for name in NAMES)
    assert sorted(page.locator("#explore-a option").all_inner_texts()) == shown
    page.evaluate("document.querySelector('#explore details').open = true")
    assert sorted(page.locator("#explore-ranks th").all_inner_texts()) == shown
    assert page.inner_text("#explore-quantity-words") == f"margin {NAMES[0]} {MINUS} {NAMES[3]}"
    choose(page, "#explore-quantity", "effect e</script>: A 0 to 1")
    assert answers(page)["specs"] == "2 of 2 specifications; 1 of 1 cell held whole"


def test_of_many_points_some_are_drawn_and_all_are_counted(page: Page, folder: Path) -> None:
    limits = ", ".join(f"{{id: t{i}, rule: column, column: score, at_least: {i / 500}}}" for i in range(1, 401))
    scorings = f"coordinate: scoring\noptions: [{limits}]\n"
    study = write_small(folder / "many", "scores", files={"scorings": scorings})
    found = mv.audit(study, family="audit")
    opened(page, write_page(found, folder / "many.html"))
    assert answers(page)["specs"] == "800 of 800 specifications"
    rows = chart_rows(page, "curve")
    assert 600 <= len(rows) < 610
    assert (rows[0]["position"], rows[-1]["position"]) == (0, 799)
    assert page.inner_text("#explore-notes") == (
        f"drawn: {len(rows)} of 800 specifications, spread evenly over their order; all numbers are of all 800"
    )
    choose(page, "[data-pin='0']", "A0")
    assert (len(chart_rows(page, "curve")), page.is_visible("#explore-notes")) == (400, False)


def test_one_method_leaves_nothing_to_explore(page: Page, folder: Path) -> None:
    found = mv.audit(write_small(folder / "one", "scores", study="methods: [a]\n"), family="audit")
    opened(page, write_page(found, folder / "one.html"))
    assert "With one method there is nothing to compare." in page.inner_text("#explore")
