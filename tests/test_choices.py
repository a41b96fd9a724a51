"""Record and tables describe themselves: what each specification chooses, in words, and the sides of each effect."""

from fractions import Fraction
from typing import Literal

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import multiverse as mv
from plain_study import PlainStudy
from small import write_small
from studies import studies, write_study

FILES = {
    "contracts": """\
        coordinate: contract
        rationale: both are in use
        predicates: {adopted: {column: adopted, equals: true}}
        factors: {A: {"0": [], "1": [adopted]}}
        options: [{id: "<b>", require: [adopted], rationale: as it was}]
        """,
    "terminals": """\
        coordinate: terminal
        special: {column: lag, above: 2}
        options: [{id: asym, treatment: as_declared}, {id: out, treatment: never_legal, rationale: an end}]
        """,
    "families": """\
        families:
          asym: {terminal: [asym]}
          out: {terminal: [out], contract: [A1]}
          most: {union: [out, asym]}
          audit: {}
        """,
}
LEVEL = ("population", "spec", "method")
EFFECT = ("population", "effect", "cell", "background")
STUDY = 'title: "A <b>title</b>"\nendpoints: {effects: [{id: adoption, pair: [a, b], factor: A, from: 0, to: 1}]}\n'


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> mv.Audit:
    folder = write_small(tmp_path_factory.mktemp("small"), study=STUDY, files=FILES)
    return mv.audit(folder, family="most")


def test_a_record_has_the_title_and_the_license_of_its_study(found: mv.Audit) -> None:
    assert (found.record["title"], found.record["license"]) == ("A <b>title</b>", "")


def test_a_record_says_what_the_study_asks_for() -> None:
    endpoints = mv.audit("specs/elephant", family="asym").record["endpoints"]
    assert endpoints == {
        "effects": [{"id": "adoption", "pair": ["pagerank", "earliest"], "factor": "A", "from": "0", "to": "1"}],
        "contrasts": [
            {"id": "keep_minus_asym", "effect": "adoption", "coordinate": "terminal", "from": "asym", "to": "keep_both"}
            | {"support": "common"},
            {"id": "exclude_minus_asym", "effect": "adoption", "coordinate": "terminal", "from": "asym"}
            | {"to": "exclude_both", "support": "common"},
        ],
        "stratum_contrasts": [],
        "decompositions": [{"id": "deletion", "effect": "adoption", "classes": ["terminal", "nonterminal"]}],
    }


def test_a_specification_has_an_option_on_each_coordinate_and_the_families_inside_that_hold_it(found: mv.Audit) -> None:
    """The family audit holds them all, and is not inside."""
    assert found.specifications.rows() == [
        ("A1/base/out", "A1", "base", "out", ["out", "most"]),
        ("A0/base/asym", "A0", "base", "asym", ["asym", "most"]),
        ("A1/base/asym", "A1", "base", "asym", ["asym", "most"]),
        ("<b>/base/asym", "<b>", "base", "asym", ["asym", "most"]),
    ]
    assert found.specifications.columns == ["spec", "contract", "disposition", "terminal", "families"]


def test_an_option_says_what_it_declares_and_why(found: mv.Audit) -> None:
    """Its own reason, or that of its file; a coordinate without a file has one option without an id."""
    adopted, special = "adopted (adopted equals true)", "; special where lag above 2"
    base = "legal_present answered match, empty 0, error 0; legal_empty answered 0, empty 1, error 0"
    assert found.options.rows() == [
        ("contract", "A0", "requires nothing; levels A 0", "both are in use", '{"A": "0"}'),
        ("contract", "A1", f"requires {adopted}; levels A 1", "both are in use", '{"A": "1"}'),
        ("contract", "<b>", f"requires {adopted}", "as it was", "{}"),
        ("disposition", "base", base, None, None),
        ("terminal", "asym", f"special objects are read like any other{special}", None, None),
        ("terminal", "out", f"special objects are never legal{special}", "an end", None),
        ("reading", "", "every record counts; a pair left with none is missing", None, None),
        ("scoring", "", "exact", None, None),
        ("aggregation", "", "row mean", None, None),
    ]


def test_a_whole_cell_names_the_two_sides_of_each_background(found: mv.Audit) -> None:
    assert found.cells.rows() == [("adoption", "base/asym", "{}", "A0/base/asym", "A1/base/asym")]


@pytest.mark.parametrize("kind", ["hypotheses", "scores"])
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_every_effect_is_the_difference_of_the_margins_at_its_sides(
    kind: Literal["hypotheses", "scores"], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    study: PlainStudy = data.draw(studies(kind))
    family = data.draw(st.sampled_from(sorted(study.families["families"])))
    found = mv.audit(write_study(study, tmp_path_factory.mktemp("study")), family=family)
    levels = {tuple(key): exact for *key, exact in found.levels.select(*LEVEL, "exact").iter_rows()}
    pairs = {effect.id: effect.pair for effect in found.declaration.endpoints.effects}
    sides = {tuple(key): (before, after) for *key, before, after in found.cells.iter_rows()}
    effects = found.effects.filter(pl.col("background").is_not_null())
    assert set(effects.select("effect", "cell", "background").iter_rows()) == set(sides)
    for population, effect, cell, background, exact in effects.select(*EFFECT, "exact").iter_rows():
        ends = [
            [levels[population, spec, method] for method in pairs[effect]] for spec in sides[effect, cell, background]
        ]
        if None in [*ends[0], *ends[1]]:
            assert exact is None
        else:
            (a_from, b_from), (a_to, b_to) = [list(map(Fraction, end)) for end in ends]
            assert Fraction(exact) == (a_to - b_to) - (a_from - b_from)
