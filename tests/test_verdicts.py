"""The verdicts of a record, against sentences written by hand and against the identified sets of the record."""

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import Phase, given, settings

from multiverse import audit
from multiverse.report.sentences import plain
from multiverse.report.verdicts import verdict_lines, verdicts
from plain import PlainStudy
from studies import studies, write_study

Json = dict[str, Any]
LABELS = {"study": "s", "title": "", "family": "f", "status": "exploratory", "admissibility": None}


def record(
    *,
    specs: list[str],
    orders: list[Json] | None = None,
    pairs: list[Json] | None = None,
    identified: list[Json] | None = None,
    effects: list[Json] | None = None,
    cells: dict[str, Json | None] | None = None,
    partial: list[str] | None = None,
    undefined: list[str] | None = None,
) -> Json:
    """A record of one population with at most one effect and what a test asks for."""
    ranking = {
        "weak_orders": orders or [],
        "undefined_specs": undefined or [],
        "pairs": pairs or [],
        "tau_b": None,
        "rank_sets": {"a": [], "b": []},
        "winners": sorted({method for one in orders or [] for method in one["order"][0]}),
    }
    population = {
        "rows": 1,
        "clusters": 1,
        "ranking": ranking,
        "effects": {one["id"]: {"cells": cells or {}, "partial_cells": partial or []} for one in effects or []},
        "contrasts": {},
        "stratum_contrasts": {},
        "decompositions": {},
        "identified": identified or [],
        "uncertainty": {},
    }
    declared = {"effects": effects or [], "contrasts": [], "stratum_contrasts": [], "decompositions": []}
    return {
        **LABELS,
        "coordinates": ["contract", "disposition"],
        "specs": specs,
        "endpoints": declared,
        "populations": {"all": population},
    }


EFFECT = {"id": "e", "pair": ["a", "b"], "factor": "A", "from": "0", "to": "1"}
ABOUT = "the effect e on a - b, as A goes from 0 to 1,"


def exact(text: str) -> Json:
    return {"exact": text, "value": float(Fraction(text))}


@pytest.mark.parametrize(
    ("cells", "partial", "settled", "expected"),
    [
        ({"x": exact("0"), "y": exact("0")}, [], True, f"Identified: {ABOUT} is exactly 0 in all 2 cells."),
        (
            {"x": exact("-1/3")},
            [],
            True,
            f"Identified: {ABOUT} is -33.33 pp (exactly -1/3) in the one cell.",
        ),
        (
            {"x": exact("-1/4"), "y": exact("-1/8"), "z": exact("-1/8")},
            [],
            False,
            f"Not identified: {ABOUT} ranges from -25.00 to -12.50 pp over 3 cells, below zero in every one; lowest "
            "under x, highest under y.",
        ),
        (
            {"x": exact("1/4"), "y": exact("-1/8")},
            ["z"],
            False,
            f"Not identified: {ABOUT} ranges from -12.50 to +25.00 pp over 2 cells, on both sides of zero; lowest "
            "under y, highest under x; 1 cell held in part and left out.",
        ),
        (
            {"x": exact("1/4"), "y": None, "z": exact("1/2")},
            [],
            False,
            f"Not identified: {ABOUT} ranges from +25.00 to +50.00 pp over 3 cells, above zero wherever it is defined; "
            "lowest under x, highest under z; undefined in 1 of 3 cells.",
        ),
        (
            {"x": exact("0"), "y": None},
            [],
            False,
            f"Not identified: {ABOUT} is exactly 0 wherever it is defined; undefined in 1 of 2 cells.",
        ),
        ({"x": None}, [], None, f"Undefined: {ABOUT} has no value in the one cell."),
        (
            {},
            ["x"],
            None,
            f"Undefined: {ABOUT} has no cell that the family holds whole; 1 cell held in part and left out.",
        ),
    ],
)
def test_an_effect_in_a_sentence(
    cells: dict[str, Json | None], partial: list[str], settled: object, expected: str
) -> None:
    found = verdicts(record(specs=["c/x"], effects=[EFFECT], cells=cells, partial=partial))[0]
    assert (found.settled, found.sentence) == (settled, expected)


def test_the_ends_of_an_effect_are_its_witnesses() -> None:
    found = verdicts(record(specs=["c/x"], effects=[EFFECT], cells={"x": exact("-1/4"), "y": exact("1/8")}))[0]
    assert found.entry == {
        "population": "all",
        "endpoint": "effect",
        "name": "e",
        "settled": False,
        "sentence": found.sentence,
        "values": ["-1/4", "1/8"],
        "witnesses": [{"what": "lowest", "where": "x"}, {"what": "highest", "where": "y"}],
        "sampling": None,
    }
    assert [one.coordinates for one in found.witnesses] == [("disposition",), ("disposition",)]


def order(specs: int, first: str, *groups: str) -> Json:
    return {"order": [group.split("=") for group in groups], "specs": specs, "first": first}


@pytest.mark.parametrize(
    ("orders", "undefined", "expected"),
    [
        (
            [order(3, "s", "a", "b=c")],
            [],
            [
                "Identified: the ranking is a > b = c in all 3 specifications.",
                "Identified: a ranks first in all 3 specifications.",
            ],
        ),
        (
            [order(2, "s", "a=b", "c")],
            ["u"],
            [
                "Not identified: the ranking is a = b > c wherever it is defined; undefined in 1 of 3 specifications.",
                "Not identified: a, b tie for first wherever the ranking is defined; undefined in 1 of 3 "
                "specifications.",
            ],
        ),
        (
            [order(1, "s", "a", "b", "c"), order(2, "t", "a", "c", "b")],
            [],
            [
                "Not identified: the ranking takes 2 weak orders over 3 specifications; as a > c > b at t and "
                "a > b > c at s.",
                "Identified: a ranks first in all 3 specifications.",
            ],
        ),
        (
            [order(1, "s", "a", "b"), order(2, "t", "a=b")],
            [],
            [
                "Not identified: the ranking takes 2 weak orders over 3 specifications; as a = b at t and a > b at s.",
                "Not identified: 2 methods can rank first over 3 specifications: a (in 3), b (in 2).",
            ],
        ),
        (
            [],
            ["s", "t", "u"],
            [
                "Undefined: no specification of 3 ranks all methods.",
                "Undefined: no method ranks first anywhere.",
            ],
        ),
    ],
)
def test_a_ranking_and_its_winner_in_sentences(orders: list[Json], undefined: list[str], expected: list[str]) -> None:
    found = verdicts(record(specs=["s", "t", "u"], orders=orders, undefined=undefined))
    assert [one.sentence for one in found] == expected


def test_orders_of_many_methods_are_cut_and_those_that_start_alike_told_once() -> None:
    many = [f"m{i}" for i in range(9)]
    first, second = order(2, "s", *many), order(1, "t", *many[:7], "m8", "m7")
    found = verdicts(record(specs=["s", "t", "u"], orders=[first, second]))[0].sentence
    assert (
        found == "Not identified: the ranking takes 2 weak orders over 3 specifications; as m0 > m1 > m2 > 6 more at s."
    )


def pair(
    a: str, b: str, relation: str | None, plus: int = 0, zero: int = 0, minus: int = 0, undefined: int = 0
) -> Json:
    signs = {"plus": plus, "zero": zero, "minus": minus, "undefined": undefined}
    return {"a": a, "b": b, "relation": relation, "signs": signs}


def margin(a: str, b: str, least: str | None, greatest: str | None, undefined: int = 0) -> Json:
    ends = {
        key: None if text is None else {**exact(text), "spec": spec}
        for key, text, spec in (("min", least, "lo"), ("max", greatest, "hi"))
    }
    return {"endpoint": "margin", "a": a, "b": b, **ends, "undefined": undefined}


@pytest.mark.parametrize(
    ("pair", "margin", "settled", "expected"),
    [
        (
            pair("a", "b", "robust_strict", minus=4),
            margin("a", "b", "-1/2", "-1/4"),
            True,
            "Robust: b is above a in all 4 specifications; the margin ranges from -50.00 to -25.00 pp, lowest at lo, "
            "highest at hi.",
        ),
        (
            pair("a", "b", "robust_strict", plus=3, undefined=1),
            margin("a", "b", "1/4", "1/4", 1),
            True,
            "Robust: a is above b wherever both have a level, undefined in 1 of 4; the margin is +25.00 pp (exactly "
            "1/4).",
        ),
        (
            pair("a", "b", "robust_tie", zero=4),
            margin("a", "b", "0", "0"),
            True,
            "Robust: a and b tie in all 4 specifications.",
        ),
        (
            pair("a", "b", "weak", zero=1, minus=3),
            margin("a", "b", "-1/2", "0"),
            False,
            "Weak: a is tied with b in 1 and below it in 3 of 4 specifications; the margin ranges from -50.00 to 0 pp, "
            "lowest at lo, highest at hi.",
        ),
        (
            pair("a", "b", "reversal", plus=1, zero=1, minus=2),
            margin("a", "b", "-1/2", "1/4"),
            False,
            "Reversal: a is above b in 1, tied with it in 1 and below it in 2 of 4 specifications; the margin ranges "
            "from -50.00 to +25.00 pp, lowest at lo, highest at hi.",
        ),
        (
            pair("a", "b", None, undefined=4),
            margin("a", "b", None, None, 4),
            None,
            "Undefined: a - b has no value in any of 4 specifications.",
        ),
    ],
)
def test_a_pair_in_a_sentence(pair: Json, margin: Json, settled: object, expected: str) -> None:
    found = verdicts(record(specs=["s"], pairs=[pair], identified=[margin]))[-1]
    assert (found.settled, found.sentence) == (settled, expected)


def test_a_pair_is_turned_as_an_effect_names_it() -> None:
    effect = {**EFFECT, "pair": ["b", "a"]}
    held = pair("a", "b", "reversal", plus=3, minus=1)
    found = verdicts(record(specs=["s"], effects=[effect], pairs=[held], identified=[margin("a", "b", "-1/2", "1/4")]))[
        -1
    ]
    assert found.sentence == (
        "Reversal: b is above a in 1 and below it in 3 of 4 specifications; the margin ranges from -25.00 to "
        "+50.00 pp, lowest at hi, highest at lo."
    )


def test_many_pairs_have_one_sentence() -> None:
    pairs = [pair("a", f"m{i}", "robust_strict", plus=2) for i in range(5)]
    pairs += [pair("b", "c", "robust_strict", minus=2), pair("b", "d", "weak", zero=1, plus=1)]
    found = verdicts(record(specs=["s", "t"], pairs=pairs))[-1]
    assert (found.endpoint, found.settled, found.sentence) == (
        "pairs",
        False,
        "Not robust: of 7 pairs, 6 keep one strict order everywhere, 1 tie in some specifications and keep one order "
        "in the others. Strict everywhere: a > m0, a > m1, a > m2, a > m3, a > m4, c > b.",
    )


def test_pairs_are_named_where_they_are_few() -> None:
    """Of many that keep one order, and few that reverse, those that reverse are what a reader looks for."""
    pairs = [pair("a", f"m{i}", "robust_strict", plus=2) for i in range(9)]
    pairs += [pair("b", "c", "reversal", plus=1, minus=1), pair("b", "d", "reversal", plus=1, minus=1)]
    found = verdicts(record(specs=["s", "t"], pairs=pairs))[-1]
    assert found.sentence == (
        "Not robust: of 11 pairs, 9 keep one strict order everywhere, 2 reverse. Reversing: b and c, b and d."
    )


def test_what_hides_in_a_name_is_shown() -> None:
    found = verdicts(record(specs=["s"], orders=[order(1, "s", "a\u202eb", "<b>\n")]))
    assert found[0].sentence == "Identified: the ranking is a\\u202eb > <b>\\n in the one specification."


def test_agreement_is_said_to_be_among_the_specifications_that_have_one() -> None:
    tied = {**order(2, "s", "a"), "order": [["a", "b"]]}
    found = record(specs=["s", "t", "u", "v", "w"], orders=[tied, order(2, "t", "b", "a")], undefined=["w"])
    found["populations"]["all"]["ranking"]["tau_b"] = {"min": 1.0, "max": 1.0}
    assert verdicts(found)[0].sentence == (
        "Not identified: the ranking takes 2 weak orders over 5 specifications, tau-b 1.0000 among the 2 that do not "
        "tie all methods; as a = b at s and b > a at t; undefined in 1 of 5 specifications."
    )


def test_the_quickstart_at_a_terminal() -> None:
    """The numbers are those that docs/tutorial.md counts by hand."""
    lines = [line.text for line in verdict_lines(audit("specs/quickstart", family="cc").record)]
    assert lines[:9] == [
        "quickstart: Does requiring adoption cost pagerank more than earliest?",
        "family cc: 24 specifications; exploratory",
        "",
        "population everything: 12 rows, 10 clusters, 3 methods",
        "  Identified: the effect adoption on pagerank - earliest, as A goes from 0 to 1, is exactly 0 in all",
        "    6 cells.",
        "  Not identified: the ranking takes 5 weak orders over 24 specifications, tau-b -0.8165 to 1.0000;",
        "    as pagerank > earliest = mini at R0A0/baseline/keep_both and earliest > mini > pagerank at",
        "    R0A0/baseline/exclude_both.",
    ]
    assert " ".join(" ".join(lines[11:14]).split()) == (
        "Reversal: earliest is above mini in 6, tied with it in 6 and below it in 12 of 24 specifications; the "
        "margin ranges from -10.00 to +5.00 pp, lowest at R0A1/baseline/keep_both, highest at "
        "R0A0/baseline/exclude_both."
    )


def test_sampling_is_told_apart() -> None:
    effect = next(one for one in verdicts(audit("specs/elephant", family="asym").record) if one.endpoint == "effect")
    assert "interval" not in effect.sentence
    assert plain(effect.sampling).startswith("95% sampling intervals reach from ")


@settings(max_examples=25, phases=(Phase.generate,))
@given(studies())
def test_verdicts_say_what_the_identified_sets_say(study: PlainStudy) -> None:
    with TemporaryDirectory() as folder:
        write_study(study, Path(folder))
        family = next(iter(study.families["families"]))
        told = audit(folder, family=family).record
    for population, found in told["populations"].items():
        sets = {(one["endpoint"], one["a"]): one for one in found["identified"]}
        for one in verdicts(told):
            if one.population == population and one.endpoint == "effect":
                own = sets["effect", one.name]
                ends = dict.fromkeys(own[key]["exact"] for key in ("min", "max") if own[key])
                assert (one.values, one.settled) == (tuple(ends), own["point_identified"] if ends else None)
            if one.population == population and one.endpoint == "ranking":
                assert bool(one.settled) == sets["ranking", None]["point_identified"]
