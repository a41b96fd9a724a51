"""The page's own script: exact numbers are Python's, and pins give what an audit of the restricted family gives."""

import json
from collections.abc import Iterator
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
    Pins,
    copy_study,
    declared_answers,
    double_pins,
    pinned_answers,
    single_pins,
    with_restricted,
)
from studies import studies, write_study

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "multiverse" / "report" / "script"
ANSWERS = (ROOT / "tests" / "answers.js").read_text("utf-8")
CONFORMANCE = "clusters hostile_names partial_credit plain scores scores_missing three_classes undefined"


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


# Pins


def said(page: Page, found: mv.Audit, pinned: list[Pins]) -> Any:  # noqa: ANN401 - JSON
    """What the script answers under each pins."""
    asked = json.dumps([page_data(results_of(found)), pinned])  # as text: Playwright takes long over large values
    return json.loads(page.evaluate(f"text => JSON.stringify(({ANSWERS})(JSON.parse(text)))", asked))


def declared_options(study: Path) -> dict[str, list[str]]:
    """The options of each coordinate that a study declares."""
    coordinates = read_declaration(study).coordinates
    return {name: list(coordinates.ids(name)) for name in coordinates.declared}


def check_study(page: Page, study: Path, folder: Path) -> mv.Audit:
    """Single pins against families of a copy that declares them, two pins against those specifications alone."""
    options = declared_options(study)
    single, double = single_pins(options), double_pins(options)
    found = mv.audit(copy_study(study, folder, "audit", single), family="audit")
    assert said(page, found, single) == [declared_answers(found, f"pins-{i}") for i in range(len(single))]
    assert said(page, found, double) == [pinned_answers(found, pins) for pins in double]
    return found


@pytest.mark.parametrize("name", CONFORMANCE.split())
def test_pins_give_what_an_audit_of_the_restricted_family_gives(
    page: Page, shared: Path, tmp_path: Path, name: str
) -> None:
    check_study(page, shared / "conformance" / name, tmp_path)


@pytest.mark.parametrize("name", ["quickstart", "elephant"])
def test_pins_of_the_projects_own_studies(page: Page, tmp_path: Path, name: str) -> None:
    found = check_study(page, ROOT / "specs" / name, tmp_path)
    own = mv.audit(tmp_path / "specs" / name, family="pins-0").record["populations"]
    [answered] = said(page, found, single_pins(declared_options(ROOT / "specs" / name))[:1])
    for population, record in own.items():
        recorded = [one for one in record["identified"] if one["endpoint"] == "margin"]
        assert [(one["count"], one["min"]["spec"], one["max"]["spec"]) for one in recorded] == [
            (len(one["values"]), *one["ends"]) for one in answered[population]["margins"]
        ]


@given(data=st.data())
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_pins_of_random_studies(page: Page, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    study: PlainStudy = data.draw(studies())
    family = data.draw(st.sampled_from(sorted(study.families["families"])))
    options = {name: list(declared) for name, declared in coordinate_options(study).items()}
    every = [*single_pins(options), *double_pins(options)]
    pinned = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=8))
    restricted = replace(study, families=with_restricted(study.families, family, pinned))
    found = mv.audit(write_study(restricted, tmp_path_factory.mktemp("study")), family=family)
    assert said(page, found, pinned) == [declared_answers(found, f"pins-{i}") for i in range(len(pinned))]
