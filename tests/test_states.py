"""Faults of state: answers that conflict under a reading, states that a disposition in use does not declare."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pytest

from small import TABLES, audit_faults, write_small, write_table

Kind = Literal["hypotheses", "scores"]
PREDICTIONS = "row_id,method,hypothesis_id,object_id,status,turn\n"
OUTCOMES = "row_id,method,status,score,turn\n"
PAIRS = "r1,b,h,o,,1\nr2,a,h,o,,1\nr2,b,h,o,,1\n"
READINGS = {
    "readings": """\
        coordinate: reading
        options:
          - {id: any, where: {}}
          - {id: first, where: {column: turn, equals: 1}}
          - {id: last, where: {column: turn, above: 1}, none_left: empty}
        """,
    "families": "families: {any: {reading: [any]}, first: {reading: [first]}, last: {reading: [last]}}\n",
}
FIRST = READINGS | {"families": "families: {audit: {reading: [first]}}\n"}
LAST = READINGS | {"families": "families: {audit: {reading: [last]}}\n"}
TWO = {
    "dispositions": """\
        coordinate: disposition
        options:
          - {id: all, legal_present: {answered: match, empty: 0, error: 0, missing: 0}, legal_empty: exclude}
          - {id: present, legal_present: {answered: match, empty: 0, missing: 0}, legal_empty: 0}
          - {id: empty, legal_present: 0, legal_empty: {answered: 0, missing: 0, empty: 0}}
          - {id: none, legal_present: {answered: match}, legal_empty: {answered: 0}}
        """,
    "families": "families: {audit: {disposition: [all, present, empty]}}\n",
}


def both(states: str, more: str = "", reading: str = "") -> str:
    under = f" under reading '{reading}'" if reading else ""
    return (
        f"predictions (predictions.csv), column status, row 'r1': method 'a' is both {states}{under}{more}\n"
        "  expected answers, or one label"
    )


@pytest.mark.parametrize(
    ("records", "files", "messages"),
    [
        ("r1,a,h,o,,1\nr1,a,,,,1\n", {}, [both("'answered' and 'empty'")]),
        ("r1,a,,,timeout,1\nr1,a,,,refused,1\n", {}, [both("'refused' and 'timeout'")]),
        ("r1,a,,,,1\nr1,a,,,timeout,1\nr1,a,h,o,,1\n", {}, [both("'answered' and 'timeout'")]),
        ("r1,a,h,o,,1\nr1,a,,,,1\nr2,c,h,o,,1\nr2,c,,,empty,2\n", {}, [both("'answered' and 'empty'", " (1 more)")]),
        (
            "r1,a,h,o,,1\nr1,a,,,,1\nr1,a,,,error,3\n",
            READINGS,
            [both("'answered' and 'error'", reading="any"), both("'answered' and 'empty'", reading="first")],
        ),
    ],
)
def test_an_answer_and_a_non_answer_or_two_labels_conflict(
    tmp_path: Path, records: str, files: Mapping[str, str], messages: list[str]
) -> None:
    folder = write_small(tmp_path, predictions=PREDICTIONS + records + PAIRS, files=files)
    family = "any" if "families" in files else "audit"
    # Everything else is declared, so that only conflicts are left.
    everything = "{id: d, legal_present: 0, legal_empty: 0}"
    (folder / "dispositions.yaml").write_text(f"coordinate: disposition\noptions: [{everything}]\n")
    assert audit_faults(folder, family) == messages


def test_a_reading_in_use_may_settle_a_conflict(tmp_path: Path) -> None:
    """Hypotheses are kept whole: h falls with its second record."""
    conflicting = PREDICTIONS + "r1,a,h,o1,,1\nr1,a,h,o2,,2\nr1,a,,,,1\n" + PAIRS
    assert audit_faults(write_small(tmp_path, predictions=conflicting, files=FIRST)) == []


def undeclared(state: str, row: str, what: str, sides: str, disposition: str, column: str = "status") -> str:
    return (
        f"outcomes (outcomes.csv), column {column}, row '{row}': state '{state}': method {what}\n"
        f"  expected an entry for it under {sides} of disposition '{disposition}'"
    )


BOTH_SIDES = "legal_present and legal_empty"


@pytest.mark.parametrize(
    ("outcomes", "files", "messages"),
    [
        (
            "r1,a,,1,1\nr1,b,error,,1\nr2,a,error,,1\nr2,b,error,,1\n",
            TWO,
            [
                undeclared("error", "r1", "'b' has that state (2 more)", "legal_present", "present"),
                undeclared("error", "r1", "'b' has that state (2 more)", "legal_empty", "empty"),
            ],
        ),
        (
            "r1,a,,1,1\nr1,b,,1,1\nr2,b,,1,1\n",
            {},
            [undeclared("missing", "r2", "'a' has no record", BOTH_SIDES, "base", "method")],
        ),
        (
            "r1,a,,1,1\nr1,b,,1,2\nr2,a,,1,2\nr2,b,,1,1\n",
            FIRST,
            [
                undeclared(
                    "missing", "r1", "'b' has no record that the reading keeps (1 more)", BOTH_SIDES, "base", "method"
                )
            ],
        ),
        (
            "r1,a,,1,1\nr1,b,,1,1\nr2,a,missing,,1\nr2,b,,1,1\n",
            {},
            [undeclared("missing", "r2", "'a' has that state", BOTH_SIDES, "base")],
        ),
        ("r1,a,,1,2\nr1,b,,1,2\nr2,a,,1,2\nr2,b,,1,1\n", LAST, []),
        (
            'r1,a,"",1,1\nr1,b,,1,1\nr2,a,,1,1\nr2,b,,1,1\n',
            {},
            [undeclared("", "r1", "'a' has that state", BOTH_SIDES, "base")],
        ),
    ],
)
def test_a_state_that_a_disposition_in_use_does_not_declare_is_a_fault(
    tmp_path: Path, outcomes: str, files: Mapping[str, str], messages: list[str]
) -> None:
    assert audit_faults(write_small(tmp_path, "scores", outcomes=OUTCOMES + outcomes, files=files)) == messages


def test_every_state_of_the_repeats_of_a_pair_is_declared(tmp_path: Path) -> None:
    text = "row_id,method,epoch,status,score\nr1,a,1,,1\nr1,a,2,timeout,\nr1,a,3,timeout,\nr2,a,1,refused,\n"
    assert audit_faults(write_small(tmp_path, "scores", outcomes=text)) == [
        undeclared("refused", "r2", "'a' has that state", BOTH_SIDES, "base"),
        undeclared("timeout", "r1", "'a' has that state", BOTH_SIDES, "base"),
    ]


@pytest.mark.parametrize("kind", ["hypotheses", "scores"])
def test_a_state_is_told_by_its_row_id_whatever_its_type(tmp_path: Path, kind: Kind) -> None:
    name = "predictions" if kind == "hypotheses" else "outcomes"
    tables: dict[str, Any] = {table: as_whole(text) for table, text in TABLES[kind].items()}
    folder = write_small(tmp_path, kind, **tables)
    answers: Any = [{"row_id": 1, "method": "a", "hypothesis_id": None, "object_id": None, "score": 1, "status": "x"}]
    write_table(folder / f"{name}.jsonl", answers)
    assert audit_faults(folder)[1] == (
        f"{name} ({name}.jsonl), column status, row 1: state 'x': method 'a' has that state\n"
        "  expected an entry for it under legal_present and legal_empty of disposition 'base'"
    )


def as_whole(text: str) -> list[dict[str, Any]]:
    """The records of CSV text, its rows r1, r2 as 1, 2."""
    header, *lines = (line.split(",") for line in text.splitlines())
    records = [dict(zip(header, (field or None for field in line), strict=True)) for line in lines]
    adopted = [{"adopted": record["adopted"] == "true"} if "adopted" in record else {} for record in records]
    return [r | a | {"row_id": int(str(r["row_id"])[1:])} for r, a in zip(records, adopted, strict=True)]
