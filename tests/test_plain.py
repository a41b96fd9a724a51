"""The plain evaluator gives the conformance records; generated studies are valid and survive being written."""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plain import PlainStudy, plain_record, read_plain
from plain_scores import Repeat, kept_predictions, likeness, over_repeats, pair_score, passes
from plain_study import Record, exact, holds
from studies import studies, write_study
from study_files import TableFormat

CONFORMANCE = Path(__file__).resolve().parents[2] / "shared" / "conformance"
EXPECTED = sorted(CONFORMANCE.glob("*/expected.*.json"))
LEFT_OUT = ("decompositions", "contrasts", "stratum_contrasts")


def differences(want: object, got: object, path: str = "") -> Iterator[str]:
    """Every place where the expected record holds something else; floats compare to 1e-12."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key, value in want.items():
            yield from differences(value, got[key], f"{path}.{key}") if key in got else [f"{path}.{key}: missing"]
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for position, (left, right) in enumerate(zip(want, got, strict=True)):
            yield from differences(left, right, f"{path}[{position}]")
    elif isinstance(want, float) and isinstance(got, float):
        if abs(want - got) > 1e-12:
            yield f"{path}: wanted {want!r}, got {got!r}"
    elif want != got or type(want) is not type(got):
        yield f"{path}: wanted {want!r}, got {got!r}"


@pytest.mark.skipif(not CONFORMANCE.is_dir(), reason=f"there is no {CONFORMANCE}: it lies beside the repository")
@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: f"{path.parent.name}-{path.suffixes[0][1:]}")
def test_conformance_record(path: Path) -> None:
    want = json.loads(path.read_text(encoding="utf-8"))
    for population in want["populations"].values():
        for key in LEFT_OUT:
            population.pop(key)
    got = plain_record(read_plain(path.parent), want["family"])
    assert list(differences(want, got)) == []


@given(studies(), st.sampled_from(["parquet", "csv", "jsonl"]), st.integers(0, 9))
def test_a_written_study_reads_back_with_the_same_records(
    study: PlainStudy, table_format: TableFormat, seed: int
) -> None:
    with TemporaryDirectory() as folder:
        read = read_plain(write_study(study, Path(folder), table_format=table_format, shuffle_seed=seed))
    for family in study.families["families"]:
        assert plain_record(read, family) == plain_record(study, family)


@pytest.mark.parametrize(
    ("predicate", "value", "answer"),
    [
        ({}, None, True),
        ({"column": "x", "equals": 1}, None, False),
        ({"not": {"column": "x", "equals": 1}}, None, True),
        ({"column": "x", "is_null": True}, None, True),
        ({"column": "x", "is_null": False}, None, False),
        ({"column": "x", "in": [1, 2]}, 2, True),
        ({"column": "x", "at_least": 2}, 2, True),
        ({"column": "x", "above": 2}, 2, False),
        ({"column": "x", "at_most": 2}, 2, True),
        ({"column": "x", "below": 2}, 2, False),
        ({"any": [{"column": "x", "is_null": True}, {"column": "x", "at_most": 2}]}, 3, False),
        ({"all": [{"column": "x", "above": 1}, {"column": "x", "at_most": 3}]}, 3, True),
    ],
)
def test_logic_is_two_valued_and_a_leaf_on_a_null_is_false(
    predicate: Record, value: int | None, *, answer: bool
) -> None:
    assert holds(predicate, {"x": value}) == answer


@pytest.mark.parametrize(
    ("number", "value"), [(0.1, Fraction(1, 10)), (1, Fraction(1)), ("2/6", Fraction(1, 3)), ("0.50", Fraction(1, 2))]
)
def test_numbers_are_read_as_written(number: float | str, value: Fraction) -> None:
    assert exact(number) == value


@pytest.mark.parametrize(
    ("rule", "value"), [("exact", 0), ("overlap", 1), ("jaccard", Fraction(1, 4)), ("dice", Fraction(2, 5))]
)
def test_likeness_of_two_sets(rule: str, value: Fraction) -> None:
    assert likeness(rule, frozenset("ab"), frozenset("bcd")) == value


@pytest.mark.parametrize(
    ("rule", "value"), [("mean", Fraction(1, 2)), ("max", 1), ("min", 0), ("majority", 0), ("first", 1)]
)
def test_half_of_the_repeats_is_no_majority(rule: str, value: Fraction) -> None:
    assert over_repeats([Fraction(1), Fraction(0)], rule) == value


def test_an_excluded_repeat_leaves_the_majority_and_a_fraction_is_not_one() -> None:
    disposition = {"legal_present": {"answered": "match", "error": "exclude", "empty": 0.5}, "legal_empty": "exclude"}
    scoring = {"rule": "column", "column": "score", "at_least": 0.5, "repeats": "majority"}
    legal = {frozenset("r")}
    answered, error, empty = Repeat("answered", {"score": 0.5}), Repeat("error", None), Repeat("empty", None)
    assert pair_score([error, answered], legal, disposition, scoring) == 1
    assert pair_score([empty, answered], legal, disposition, scoring) == 0
    assert pair_score([error], legal, disposition, scoring) is None
    assert pair_score([answered], set(), disposition, scoring) is None


def test_a_reading_drops_whole_hypotheses_and_single_non_answers() -> None:
    records = [
        {"hypothesis_id": hypothesis, "object_id": thing, "status": None, "final": final}
        for hypothesis, thing, final in [("h", "a", True), ("h", "b", False), ("k", "a", True), (None, None, None)]
    ]
    assert kept_predictions(records, {"column": "final", "equals": True}) == [records[2]]


@pytest.mark.parametrize(
    ("treatment", "special", "answer"),
    [
        ("as_declared", True, False),
        ({"exempt": ["good"]}, True, True),
        ({"exempt": ["good"]}, False, False),
        ({"exempt": []}, True, False),
        ("never_legal", True, False),
    ],
)
def test_an_exemption_reaches_the_predicates_of_always(treatment: str | Record, *, special: bool, answer: bool) -> None:
    study = PlainStudy(
        study={}, dispositions={}, families={}, rows=[],
        contracts={"always": ["good"], "predicates": {"good": {"column": "good", "equals": True}}},
        terminals={"special": {"column": "special", "equals": True}},
    )  # fmt: skip
    thing = {"good": None, "special": special}
    assert passes(study, thing, {"require": []}, {"treatment": treatment}) == answer
