"""An audit in words: the whole text of the starter study, and the corners of its wording."""

from fractions import Fraction
from pathlib import Path

import pytest

import multiverse as mv
from multiverse.starter import write_starter
from multiverse.summary import audit_lines, points
from plain import PlainStudy
from studies import write_study


def test_a_summary_tells_each_conclusion_on_a_line(tmp_path: Path) -> None:
    write_starter(tmp_path)
    lines = audit_lines(mv.audit(tmp_path, family="audit"))
    assert [line.text for line in lines] == [
        "starter: Does brisk beat careful, whatever an error scores?",
        "family audit: 4 specifications of contract 2 x disposition 2; exploratory",
        "to license: whether the order of the two models holds however errors are counted",
        "",
        "population everything: 10 rows, 10 clusters, 2 methods",
        "  effect verification on careful - brisk, V 0 to 1  not identified  +6.43 to +15.00 pp   "
        "errors_dropped | errors_wrong",
        "  ranking                                           not identified  2 weak orders        "
        "tau-b -1.0000 to 1.0000; can win: brisk, careful",
        "  careful - brisk                                   reversal        -11.43 to +25.00 pp  "
        "V0/errors_dropped | V1/errors_wrong; mixes two supports in 2 specifications",
        "  level brisk                                       not identified  50.00 to 80.00 %     "
        "V0/errors_wrong | V1/errors_dropped",
        "  level careful                                     not identified  60.00 to 75.00 %     "
        "V0/errors_wrong | V1/errors_wrong",
        "  error: brisk 3, careful 0; dropped in 2 of 4 specifications",
        "  warning: methods count different rows in 2 of 4 specifications; furthest apart at V0/errors_dropped: "
        "brisk 7, careful 10",
        "",
        "population hard: 4 rows, 4 clusters, 2 methods",
        "  effect verification on careful - brisk, V 0 to 1  not identified  -41.67 to 0 pp     "
        "errors_dropped | errors_wrong",
        "  ranking                                           not identified  2 weak orders      "
        "tau-b 1.0000 among 2 of 4 specifications; can win: brisk, careful",
        "  careful - brisk                                   weak            -66.67 to 0 pp     "
        "V1/errors_dropped | V0/errors_wrong; mixes two supports in 2 specifications",
        "  level brisk                                       not identified  25.00 to 100.00 %  "
        "V0/errors_wrong | V1/errors_dropped",
        "  level careful                                     not identified  25.00 to 33.33 %   "
        "V0/errors_wrong | V1/errors_wrong",
        "  error: brisk 2, careful 0; dropped in 2 of 4 specifications",
        "  warning: methods count different rows in 2 of 4 specifications; furthest apart at V0/errors_dropped: "
        "brisk 2, careful 4",
        "",
        "A range is variation over the declared specifications, with a witness at its lowest | highest end.",
        "It says nothing about sampling.",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0"),
        ("1/3", "+33.33"),
        ("-1/3", "-33.33"),
        ("1/20000", "+0.01"),
        ("1/50000", "+2.0e-03"),
        ("-1/10000000", "-1.0e-05"),
    ],
)
def test_only_an_exact_zero_is_shown_as_zero(value: str, text: str) -> None:
    assert points(Fraction(value), signed=True) == text


def test_hostile_names_cannot_move_the_cursor(tmp_path: Path) -> None:
    why = "to see what is printed"
    study = PlainStudy(
        study={"study": "hostile", "substrate": {"kind": "scores"}},
        dispositions={
            "coordinate": "disposition",
            "rationale": why,
            "options": [{"id": "d\u00e9", "legal_present": {"answered": "match"}, "legal_empty": "exclude"}],
        },
        families={"rationale": why, "families": {"all": {}}},
        rows=[{"row_id": "a"}],
        outcomes=[{"row_id": "a", "method": "\x1b[2J\u202eevil\n", "score": 1}],
    )
    text = "\n".join(line.text for line in audit_lines(mv.audit(write_study(study, tmp_path), family="all")))
    assert "level \\x1b[2J\\u202eevil\\n  identified" in text
    assert text.isascii()


def test_a_single_method_has_no_ranking_to_tell(tmp_path: Path) -> None:
    write_starter(tmp_path)
    file = tmp_path / "study.yaml"
    told = file.read_text().replace("methods: all", "methods: [brisk]")
    file.write_text(told[: told.index("endpoints:")])
    assert [line.text for line in audit_lines(mv.audit(tmp_path, family="audit"))][4:7] == [
        "population everything: 10 rows, 10 clusters, 1 method",
        "  level brisk  not identified  50.00 to 80.00 %  V0/errors_wrong | V1/errors_dropped",
        "  error: brisk 3; dropped in 2 of 4 specifications",
    ]


def test_readings_that_drop_as_many_rows_are_told_together(tmp_path: Path) -> None:
    """Two readings keep the three errors of brisk and one keeps two; each with 2 contracts and 2 dispositions."""
    write_starter(tmp_path)
    (tmp_path / "readings.yaml").write_text(
        "coordinate: reading\noptions:\n  - {id: wide, where: {}}\n"
        "  - {id: same, where: {not: {column: status, equals: other}}}\n"
        "  - {id: narrow, where: {not: {all: [{column: status, equals: error}, {column: row_id, equals: q10}]}}, "
        "none_left: empty}\n"
    )
    file = tmp_path / "dispositions.yaml"
    file.write_text(file.read_text().replace("{answered: match, error: ", "{answered: match, empty: 0, error: "))
    lines = [line.text for line in audit_lines(mv.audit(tmp_path, family="audit"))]
    assert [line for line in lines if line.startswith("  error")][:2] == [
        "  error under 2 readings: brisk 3, careful 0; dropped in 4 of 8 specifications",
        "  error under reading narrow: brisk 2, careful 0; dropped in 2 of 4 specifications",
    ]
