"""Matching and repeats on one small study each, with the credit of every rule worked out by hand."""

from fractions import Fraction
from pathlib import Path

import pytest

import multiverse as mv
from plain import PlainStudy
from studies import write_study

WHY = "to see each rule"
ENTRIES: dict[str, object] = {"answered": "match", "empty": 0.5, "missing": 0.25, "late": 0}


def audited(tmp_path: Path, **parts: object) -> dict[str, Fraction]:
    """The level of method m by specification; the one row's outcome under each."""
    kind = "hypotheses" if "objects" in parts else "scores"
    study = PlainStudy(
        study={"study": "one", "substrate": {"kind": kind}},
        dispositions={
            "coordinate": "disposition",
            "rationale": WHY,
            "options": [{"id": "d", "legal_present": ENTRIES, "legal_empty": "exclude"}],
        },
        families={"rationale": WHY, "families": {"all": {}}},
        **{"rows": [{"row_id": "r"}], **parts},  # type: ignore[arg-type]
    )
    records = mv.audit(write_study(study, tmp_path), family="all").levels.filter(method="m").iter_rows(named=True)
    return {record["spec"].removeprefix("d/"): Fraction(record["exact"]) for record in records}


def objects(**groups: str) -> list[dict[str, object]]:
    """A record per letter of each group."""
    return [
        {"row_id": "r", "group_id": group, "object_id": letter}
        for group, letters in groups.items()
        for letter in letters
    ]


def predictions(**hypotheses: str) -> list[dict[str, object]]:
    """A record per letter of each hypothesis of method m, with whether it is in capitals."""
    pair = {"row_id": "r", "method": "m", "status": None}
    return [
        {**pair, "hypothesis_id": name, "object_id": letter.lower(), "loud": letter.isupper()}
        for name, letters in hypotheses.items()
        for letter in letters
    ]


SCORINGS = {"coordinate": "scoring", "options": [{"id": r, "rule": r} for r in ("exact", "overlap", "jaccard", "dice")]}


@pytest.mark.parametrize(
    ("legal", "predicted", "credit"),
    [
        ({"g": "ab"}, {"h": "ab"}, [1, 1, 1, 1]),
        ({"g": "ab"}, {"h": "ba"}, [1, 1, 1, 1]),
        ({"g": "abc"}, {"h": "ab"}, [0, 1, Fraction(2, 3), Fraction(4, 5)]),
        ({"g": "bcd"}, {"h": "ab"}, [0, 1, Fraction(1, 4), Fraction(2, 5)]),
        ({"g": "cd"}, {"h": "ab"}, [0, 0, 0, 0]),
        ({"g": "a", "k": "abcd"}, {"h": "abc"}, [0, 1, Fraction(3, 4), Fraction(6, 7)]),  # the best group
        ({"g": "abcd"}, {"h": "a", "i": "abc"}, [0, 1, Fraction(3, 4), Fraction(6, 7)]),  # the best hypothesis
        ({"g": "a"}, {"h": "a"}, [1, 1, 1, 1]),
        ({"g": "a", "k": "a"}, {"h": "a", "i": "a"}, [1, 1, 1, 1]),
        ({"g": "aab"}, {"h": "abb"}, [1, 1, 1, 1]),  # sets: a record twice counts once
        ({"g": "ab"}, {"h": "a", "i": "b"}, [0, 1, Fraction(1, 2), Fraction(2, 3)]),  # two halves are no whole
    ],
)
def test_the_best_pair_of_predicted_and_legal_sets_counts(
    tmp_path: Path, legal: dict[str, str], predicted: dict[str, str], credit: list[Fraction]
) -> None:
    found = audited(tmp_path, objects=objects(**legal), predictions=predictions(**predicted), scorings=SCORINGS)
    assert list(found.values()) == credit


@pytest.mark.parametrize(
    ("predicted", "level"),
    [
        ({"h": "AB"}, 1),  # kept whole
        ({"h": "Ab"}, Fraction(1, 2)),  # one object fails, so the hypothesis does: none left is empty
        ({"h": "Ab", "i": "AB"}, 1),
        ({"h": "A", "i": "ab"}, 0),
    ],
)
def test_a_reading_keeps_or_drops_whole_hypotheses(tmp_path: Path, predicted: dict[str, str], level: Fraction) -> None:
    where = {"column": "loud", "equals": True}
    readings = {"coordinate": "reading", "options": [{"id": "loud", "where": where, "none_left": "empty"}]}
    found = audited(tmp_path, objects=objects(g="ab"), predictions=predictions(**predicted), readings=readings)
    assert found == {"loud": level}


def test_a_pair_without_a_record_stays_missing_under_every_reading(tmp_path: Path) -> None:
    """Row r: a quiet answer, so empty (1/2) where only loud ones count. Row s: no record, missing (1/4) under both."""
    readings = [
        {"id": "any", "where": {}},
        {"id": "loud", "where": {"column": "loud", "equals": True}, "none_left": "empty"},
    ]
    found = audited(
        tmp_path,
        rows=[{"row_id": "r"}, {"row_id": "s"}],
        objects=[*objects(g="a"), {"row_id": "s", "group_id": "g", "object_id": "a"}],
        predictions=predictions(h="a"),
        readings={"coordinate": "reading", "options": readings},
    )
    assert found == {"any": Fraction(1 + Fraction(1, 4)) / 2, "loud": Fraction(3, 8)}


def test_repeats_combine_by_epoch(tmp_path: Path) -> None:
    """Epochs 2, 9, 10 score 1/5, late (0), 1/2: in the order of numbers, not of text. At least 1/5: 1, late, 1."""
    names = ("mean", "max", "min", "first")
    repeats: list[dict[str, object]] = [{"id": n, "rule": "column", "column": "s", "repeats": n} for n in names]
    repeats += [{"id": "majority", "rule": "column", "column": "s", "repeats": "majority", "at_least": 0.5}]
    repeats += [{"id": "passed", "rule": "column", "column": "s", "repeats": "first", "at_least": 0.2}]
    outcomes = [(10, "answered", 0.5), (2, "answered", 0.2), (9, "late", None)]
    found = audited(
        tmp_path,
        outcomes=[{"row_id": "r", "method": "m", "epoch": e, "status": status, "s": s} for e, status, s in outcomes],
        scorings={"coordinate": "scoring", "options": repeats},
    )
    assert found == {
        "mean": Fraction(7, 30),
        "max": Fraction(1, 2),
        "min": 0,
        "first": Fraction(1, 5),
        "majority": 0,
        "passed": 1,
    }
