"""The page's own script: exact numbers are Python's, and pins give what an audit of the restricted family gives."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

import multiverse as mv
from multiverse.declaration import read_declaration
from multiverse.exact import exact_text
from multiverse.report.page_data import page_data
from multiverse.summary import points
from plain import PlainStudy
from plain_study import coordinate_options
from report_results import results_of
from restricted import (
    Levels,
    Pins,
    contract_levels,
    copy_study,
    declared_answers,
    double_pins,
    pinned_answers,
    single_pins,
    with_levels,
    with_restricted,
)
from studies import studies, write_study

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "multiverse" / "report" / "script"
ANSWERS = (ROOT / "tests" / "answers.js").read_text("utf-8")
STUDIES = "clusters hostile_names plain scores scores_missing three_classes undefined"
CONFORMANCE = [
    *((name, "audit") for name in STUDIES.split()),
    ("partial_credit", "part"),
]  # it holds cells in part alone


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    """A blank page with exact.js and study.js."""
    page = chromium.new_page()
    for name in ("exact", "study"):
        page.add_script_tag(content=(SCRIPT / f"{name}.js").read_text("utf-8"))
    yield page
    page.close()


# Exact numbers

LONG = st.integers(1, 10**40).flatmap(lambda q: st.integers(-2 * q, 2 * q).map(lambda p: Fraction(p, q)))
HALVES = st.sampled_from([Fraction(k, 800) for k in range(-8, 9)])  # percentages that lie halfway between two decimals
FRACTIONS = st.fractions(-2, 2) | LONG | HALVES | st.sampled_from([Fraction(1, 10**6), Fraction(-1, 20_000)])


@given(numbers=st.lists(FRACTIONS, min_size=1, max_size=50))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_numbers_are_those_of_python(page: Page, numbers: list[Fraction]) -> None:
    texts = [exact_text(number) for number in numbers]
    code = """texts => texts.map(exact.parse).map((x, i, all) => {
      const rest = exact.subtract(all[0], x);
      const side = Math.sign(exact.compare(all[0], x));
      return [x.number, exact.text(x), exact.text(rest), side, exact.text(exact.negate(x)), exact.points(x, true),
              exact.points(x, false)];
    })"""
    first = numbers[0]
    want = [
        [
            float(x),
            exact_text(x),
            exact_text(first - x),
            (first > x) - (first < x),
            exact_text(-x),
            points(x, signed=True),
            points(x, signed=False),
        ]
        for x in numbers
    ]
    assert page.evaluate(code, texts) == want


@given(numbers=st.lists(st.floats(-1, 1), min_size=1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_doubles_are_shown_as_in_the_summary(page: Page, numbers: list[float]) -> None:
    found = page.evaluate("numbers => numbers.map(x => exact.pointsOfNumber(x, true))", numbers)
    assert found == [points(Fraction(x), signed=True) for x in numbers]


# Rankings

WEAK, OTHER, TIED = [2, 1, 1], [1, 2, 0], [1, 1, 1]  # levels of three methods, as positions among their values


@pytest.mark.parametrize(
    ("rows", "want"),
    [
        ([WEAK, OTHER, OTHER], {"min": 0, "max": 1}),  # two equal orders agree, whatever the third says
        ([WEAK, OTHER], {"min": 0, "max": 0}),
        ([WEAK, WEAK], {"min": 1, "max": 1}),
        ([WEAK, TIED, TIED], None),
    ],
)
def test_equal_orders_agree_fully(page: Page, rows: list[list[int]], want: dict[str, float] | None) -> None:
    code = """rows => {
      const one = { values: ["0", "1/2", "1"], level_rows: rows, level_of: [...rows.keys()] };
      const bare = { coordinates: [], options: {}, factors: [], families: [] };
      const data = { ...bare, specs: rows.map(() => []), populations: [one] };
      return study.rankings(study.open(data).populations[0], [...rows.keys()]).tau;
    }"""
    assert page.evaluate(code, rows) == want


# Pins


def said(page: Page, found: mv.Audit, pinned: list[Pins]) -> Any:  # noqa: ANN401 - JSON
    """What the script answers under each pins."""
    asked = json.dumps([page_data(results_of(found)), pinned])  # as text: Playwright takes long over large values
    return json.loads(page.evaluate(f"text => JSON.stringify(({ANSWERS})(JSON.parse(text)))", asked))


def pinnable(study: Path) -> tuple[dict[str, list[str]], Levels]:
    """The options and factor levels that a study declares, and the levels of its contracts."""
    declaration = read_declaration(study)
    coordinates, levels = declaration.coordinates, contract_levels(declaration)
    return with_levels({name: coordinates.ids(name) for name in coordinates.declared}, levels), levels


@pytest.mark.parametrize(("name", "family"), CONFORMANCE)
def test_pins_give_what_an_audit_of_the_restricted_family_gives(
    page: Page, shared: Path, name: str, family: str
) -> None:
    study = shared / "conformance" / name
    options, _ = pinnable(study)
    pinned = [*single_pins(options), *double_pins(options)[::3]]
    found = mv.audit(study, family=family)
    assert said(page, found, pinned) == [pinned_answers(found, pins) for pins in pinned]


@pytest.mark.parametrize("name", ["quickstart", "elephant"])
def test_pins_of_the_projects_own_studies(page: Page, tmp_path: Path, name: str) -> None:
    options, levels = pinnable(ROOT / "specs" / name)
    pinned = single_pins(options)
    study = copy_study(ROOT / "specs" / name, tmp_path, "audit", pinned, levels)
    found = mv.audit(study, family="audit")
    told = said(page, found, pinned)
    assert told == [declared_answers(found, f"pins-{i}") for i in range(len(pinned))]
    for at in (0, len(pinned) - 1):  # an option, and a factor's level
        assert list(ends(told[at])) == list(recorded_ends(mv.audit(study, family=f"pins-{at}")))


def ends(answered: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """How many values each margin has, and where it is least and greatest; the cells that effects hold in part."""
    for population, found in answered.items():
        yield population, found["partial"]
        yield from ((len(one["values"]), *one["ends"]) for one in found["margins"])


def recorded_ends(found: mv.Audit) -> Iterator[tuple[Any, ...]]:
    """The same as an audit records it."""
    for population, record in found.record["populations"].items():
        yield population, [effect["partial_cells"] for effect in record["effects"].values()]
        margins = (one for one in record["identified"] if one["endpoint"] == "margin")
        yield from ((one["count"], one["min"]["spec"], one["max"]["spec"]) for one in margins)


@given(data=st.data())
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_pins_of_random_studies(page: Page, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    study: PlainStudy = data.draw(studies())
    family = data.draw(st.sampled_from(sorted(study.families["families"])))
    declared = coordinate_options(study)
    levels = {name: option.get("levels") or {} for name, option in declared.get("contract", {}).items()}
    options = with_levels({name: list(own) for name, own in declared.items()}, levels)
    every = [*single_pins(options), *double_pins(options)]
    pinned = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=8))
    restricted = replace(study, families=with_restricted(study.families, family, pinned, levels))
    found = mv.audit(write_study(restricted, tmp_path_factory.mktemp("study")), family=family)
    assert said(page, found, pinned) == [declared_answers(found, f"pins-{i}") for i in range(len(pinned))]
