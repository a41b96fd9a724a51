"""Ids to codes, and every fault that shows when tables meet: the whole message, and how many more there are."""

from collections.abc import Mapping
from decimal import Decimal
from math import nan
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pytest

from multiverse.declaration import read_declaration
from multiverse.substrate import Substrate, read_substrate
from small import TABLES, Dtype, audit_faults, write_small

Kind = Literal["hypotheses", "scores"]
SCORE = "a score in [0, 1]"
TEXT_SCORE = f"{SCORE}, as a decimal or p/q of at most 400 characters"
OUTCOMES = "row_id,method,status,score\n"
PREDICTIONS = "row_id,method,hypothesis_id,object_id,status\n"
OBJECTS = "row_id,group_id,object_id,adopted\n"
CONTRAST = (
    "endpoints:\n"
    "  effects: [{id: e, pair: [a, c], factor: A, from: 0, to: 1}]\n"
    "  stratum_contrasts: [{id: s, effect: e, minus: [s1, s3]}]\n"
)


def outcomes(*scores: object, dtype: Dtype | None = None) -> pl.DataFrame:
    """One outcome of method a for rows r1, r2, r1, ...; epochs keep them apart."""
    count = len(scores)
    rows = ["r1" if i % 2 == 0 else "r2" for i in range(count)]
    score = pl.Series("score", scores, dtype=dtype, strict=False)
    return pl.DataFrame({"row_id": rows, "method": ["a"] * count, "epoch": range(count), "score": score})


ROW_FAULTS = [
    (
        {"rows": "row_id\nr1\nr2\nr1\nr2\n"},
        ["rows (rows.csv), column row_id, row 'r1': duplicate row id 'r1' (3 more)\n  expected each row once"],
    ),
    (
        {"rows": "row_id,cluster_id\nr1,c\n,c\nr2,\n,c\n"},
        [
            "rows (rows.csv), column row_id: null (1 more)\n  expected an id",
            "rows (rows.csv), column cluster_id, row 'r2': null\n  expected an id",
        ],
    ),
    (
        {"rows": "row_id\n"},
        [
            "rows (rows.csv): no row\n  expected at least one",
            "objects (objects.csv), column row_id, row 'r1': unknown row 'r1' (2 more)\n"
            "  expected a row of the rows table",
            "predictions (predictions.csv), column row_id, row 'r1': unknown row 'r1' (3 more)\n"
            "  expected a row of the rows table",
        ],
    ),
    (
        {"study": "aggregation: stratum_mean\n", "rows": "row_id,stratum\nr1,\nr2,s\n"},
        ["rows (rows.csv), column stratum, row 'r1': null\n  expected an id"],
    ),
    (
        {"study": "aggregation: stratum_mean\n", "rows": "row_id,strata\nr1,s\nr2,s\n"},
        ["rows (rows.csv): unknown column 'stratum'\n  expected one of 'row_id', 'strata'\n  did you mean 'strata'?"],
    ),
    (
        {"study": CONTRAST},
        [
            "study.yaml:5:54: unknown stratum 's3'\n  expected one of 's1', 's2'",
            "study.yaml:4:13: unknown method 'c'\n  expected one of 'a', 'b'",
        ],
    ),
    (
        {"study": "methods: [a, bb]\n"},
        ["study.yaml:3:14: unknown method 'bb'\n  expected one of 'a', 'b'\n  did you mean 'b'?"],
    ),
]

ANSWER_FAULTS = [
    (
        {"objects": OBJECTS + "r1,g,o,true\nr9,g,o,true\nr8,g,o,true\n"},
        [
            "objects (objects.csv), column row_id, row 'r9': unknown row 'r9' (1 more)\n"
            "  expected a row of the rows table"
        ],
    ),
    (
        {"objects": OBJECTS + ",g,o,true\nr1,,o,true\nr1,g,,true\n"},
        [
            "objects (objects.csv), column group_id, row 'r1': null\n  expected an id",
            "objects (objects.csv), column object_id, row 'r1': null\n  expected an id",
            "objects (objects.csv), column row_id: null\n  expected an id",
        ],
    ),
    (
        {"predictions": PREDICTIONS + "r1,,h,o,\nr1,a,h,,\nr1,a,,o,\nr9,a,h,o,\n,a,h,o,\n"},
        [
            "predictions (predictions.csv), column method, row 'r1': null\n  expected an id",
            "predictions (predictions.csv), column object_id, row 'r1': null\n  expected the id of a predicted object",
            "predictions (predictions.csv), column object_id, row 'r1': 'o' without a hypothesis_id\n"
            "  expected null in a non-answer",
            "predictions (predictions.csv), column row_id: null\n  expected an id",
            "predictions (predictions.csv), column row_id, row 'r9': unknown row 'r9'\n"
            "  expected a row of the rows table",
        ],
    ),
    (
        {"predictions": PREDICTIONS + "r1,a,,,answered\nr2,a,h,o,timeout\nr1,b,h,o,answered\nr2,b,h,o,empty\n"},
        [
            "predictions (predictions.csv), column hypothesis_id, row 'r1': null in a record with status 'answered'\n"
            "  expected a hypothesis id",
            "predictions (predictions.csv), column status, row 'r2': 'timeout' in a record with a hypothesis (1 more)\n"
            "  expected null, or 'answered'",
        ],
    ),
    (
        {"predictions": PREDICTIONS},
        ["predictions (predictions.csv), column method: no method\n  expected at least one"],
    ),
]

OUTCOME_FAULTS = [
    (
        {"outcomes": OUTCOMES + "r1,a,,0.5\nr1,a,error,\nr9,a,,1\n"},
        [
            "outcomes (outcomes.csv), column row_id, row 'r9': unknown row 'r9'\n  expected a row of the rows table",
            "outcomes (outcomes.csv), column method, row 'r1': method 'a' has the same (row, method), "
            "and there is no column epoch, twice or more (1 more)\n  expected each once",
        ],
    ),
    (
        {"outcomes": "row_id,method,epoch,score\nr1,a,1,0\nr2,a,1,0\nr2,b,2,0\nr2,b,2,1\nr2,b,2,1\n"},
        [
            "outcomes (outcomes.csv), column method, row 'r2': method 'b' has the same (row, method, epoch), "
            "twice or more (2 more)\n  expected each once"
        ],
    ),
    (
        {"outcomes": "row_id,method,epoch,score\nr1,a,1,0\nr1,a,,0\n"},
        ["outcomes (outcomes.csv), column epoch, row 'r1': null\n  expected a whole number"],
    ),
    (
        {"outcomes": "row_id,method,epoch,score\nr1,a,first,0\n"},
        ["outcomes (outcomes.csv), column epoch: holds values of type String\n  expected whole numbers"],
    ),
    (
        {"outcomes": outcomes(0.5).with_columns(epoch=pl.Series([2**63], dtype=pl.UInt64))},
        ["outcomes (outcomes.parquet), column epoch, row 'r1': 9223372036854775808\n"
         "  expected a whole number below 2**63"],
    ),
    (
        {"outcomes": OUTCOMES + "r1,a,,\nr2,a,answered,\nr1,b,error,\nr2,b,,1\n"},
        [f"outcomes (outcomes.csv), column score, row 'r1': null in an answered record (1 more)\n  expected {SCORE}"],
    ),
    *(
        (
            {"outcomes": table},
            [f"outcomes (outcomes.{ending}), column score, row 'r2': {shown} in an answered record{more}\n"
             f"  expected {expected}"],
        )
        for table, ending, shown, more, expected in (
            (outcomes(0.5, nan, nan), "parquet", "nan", " (1 more)", SCORE),
            (outcomes(1.0, 1.0000000000000002), "parquet", "1.0000000000000002", "", SCORE),
            (outcomes(1.0, -0.1, dtype=pl.Float32), "parquet", "-0.1", "", SCORE),
            (outcomes(1, 7), "parquet", "7", "", SCORE),
            (outcomes(Decimal("0.1"), Decimal("1.1")), "parquet", "1.1", "", SCORE),
            (outcomes("1/3", "1/0"), "parquet", "'1/0'", "", TEXT_SCORE),
            (outcomes("1/3", "3/2", "high"), "parquet", "'3/2'", " (1 more)", TEXT_SCORE),
            (outcomes("0.1", "0." + "3" * 400), "parquet", f"'0.{'3' * 75}...'", "", TEXT_SCORE),
            (OUTCOMES + "r1,a,,1e-3\nr2,a,,1e400\n", "csv", "'1e400'", "", TEXT_SCORE),
            (OUTCOMES + "r1,a,,0.5\nr2,a,,NaN\n", "csv", "'NaN'", "", TEXT_SCORE),
            (OUTCOMES + 'r1,a,,0.5\nr2,a,,""\n', "csv", "''", "", TEXT_SCORE),
            (OUTCOMES + "r1,a,,0.5\nr2,a,,50%\n", "csv", "'50%'", "", TEXT_SCORE),
        )
    ),
]  # fmt: skip
FAULTS: list[tuple[Kind, Any, list[str]]] = [
    *(("hypotheses", change, messages) for change, messages in (*ROW_FAULTS, *ANSWER_FAULTS)),
    *(("scores", change, messages) for change, messages in OUTCOME_FAULTS),
]


@pytest.mark.parametrize(("kind", "change", "messages"), FAULTS)
def test_a_fault_in_the_data_names_table_file_column_row_value_and_how_many_more(
    tmp_path: Path, kind: Kind, change: Mapping[str, Any], messages: list[str]
) -> None:
    assert audit_faults(write_small(tmp_path, kind, **change)) == messages


def test_a_fault_in_a_part_names_the_part(tmp_path: Path) -> None:
    folder = write_small(tmp_path, "scores")
    for name, rows in (("1", "r1,a,,1\n"), ("2", "r2,a,,1\nr9,a,,1\n")):
        (folder / f"part{name}.csv").write_text(OUTCOMES + rows)
    study = (folder / "study.yaml").read_text().replace("outcomes.csv", "'part*.csv'")
    (folder / "study.yaml").write_text(study)
    assert audit_faults(folder) == [
        "outcomes (part2.csv), column row_id, row 'r9': unknown row 'r9'\n  expected a row of the rows table"
    ]


def test_a_row_id_that_is_a_whole_number_is_shown_as_one(tmp_path: Path) -> None:
    rows = pl.DataFrame({"row_id": [1, 2, 2], "adopted": [True] * 3})
    answers = pl.DataFrame({"row_id": [1, -7], "method": ["a"] * 2, "score": [1, 1]})
    assert audit_faults(write_small(tmp_path, "scores", rows=rows, outcomes=answers)) == [
        "rows (rows.parquet), column row_id, row 2: duplicate row id 2 (1 more)\n  expected each row once",
        "outcomes (outcomes.parquet), column row_id, row -7: unknown row -7\n  expected a row of the rows table",
    ]


def test_a_name_that_could_move_the_cursor_is_escaped(tmp_path: Path) -> None:
    folder = write_small(tmp_path, predictions=PREDICTIONS + '"r\x1b[2J\u202e",a,h,o,\n')
    assert audit_faults(folder) == [
        "predictions (predictions.csv), column row_id, row 'r\\x1b[2J\\u202e': unknown row 'r\\x1b[2J\\u202e'\n"
        "  expected a row of the rows table"
    ]


def read(folder: Path) -> Substrate:
    return read_substrate(read_declaration(folder))


def test_without_clusters_each_row_is_one_in_the_order_of_ids(tmp_path: Path) -> None:
    assert read(write_small(tmp_path, rows="row_id\nr2\nr1\n")).rows["cluster"].to_list() == [1, 0]


def test_clusters_are_coded_in_the_order_of_their_ids_and_strata_of_their_names(tmp_path: Path) -> None:
    rows = "row_id,cluster_id,stratum\nr1,z,é\nr2,a,e\nr3,z,\n"
    found = read(write_small(tmp_path, rows=rows))
    assert (found.rows["cluster"].to_list(), found.rows["stratum"].to_list()) == ([1, 0, 1], [1, 0, None])
    assert (found.strata, found.row_ids.to_list()) == (("e", "é"), ["r1", "r2", "r3"])


@pytest.mark.parametrize(
    ("ids", "dtype"),
    [([7, 8], pl.UInt8), ([-7, 2**40], pl.Int64), ([2**63 - 1, 0], pl.UInt64), ([5 * 10**9, 0], pl.UInt64)],
)
def test_whole_row_ids_of_any_width_are_the_same_ids(tmp_path: Path, ids: list[int], dtype: Dtype) -> None:
    rows = pl.DataFrame({"row_id": ids, "adopted": [True, True]})
    row_id = pl.Series([ids[1], ids[0], ids[1]], dtype=dtype)
    answers = pl.DataFrame({"row_id": row_id, "method": ["b", "a", "a"], "score": [1, 0, 1]})
    found = read(write_small(tmp_path, "scores", rows=rows, outcomes=answers))
    assert (found.answers["r"].to_list(), found.answers["m"].to_list()) == ([1, 0, 1], [1, 0, 0])


def test_methods_that_the_study_leaves_out_are_left_out(tmp_path: Path) -> None:
    bad = TABLES["scores"]["outcomes"] + "r1,c,,7\nr1,c,,8\n"
    found = read(write_small(tmp_path, "scores", study="methods: [b]\n", outcomes=bad))
    assert (found.methods, found.answers["r"].to_list(), found.answers["m"].to_list()) == (("b",), [0, 1], [0, 0])


def test_methods_are_in_code_point_order_whatever_their_type(tmp_path: Path) -> None:
    names = ["é", "e", "E", "\U0001f600", "\uffff", ""]
    answers = pl.DataFrame({"row_id": ["r1"] * 6, "method": names, "score": [1] * 6})
    assert read(write_small(tmp_path, "scores", outcomes=answers)).methods == tuple(sorted(names))
    whole = answers.with_columns(method=pl.Series([10, 9, 8, 7, 6, 5]))
    assert read(write_small(tmp_path, "scores", outcomes=whole)).methods == ("10", "5", "6", "7", "8", "9")


def test_states_are_the_fixed_ones_and_then_the_labels_by_name(tmp_path: Path) -> None:
    text = PREDICTIONS + "r1,a,h,o,\nr1,b,,,\nr2,a,,,timeout\nr2,b,,,invalid\nr1,c,,,missing\nr2,c,,,empty\n"
    found = read(write_small(tmp_path, predictions=text))
    assert found.states == ("answered", "empty", "missing", "invalid", "timeout")
    assert found.answers["state"].to_list() == [0, 1, 4, 3, 2, 1]


def test_a_study_where_nobody_answers_has_no_objects_predicted(tmp_path: Path) -> None:
    """Columns of nulls alone, of whatever type: text (CSV), none (Parquet)."""
    nulls = pl.DataFrame({"row_id": ["r1"], "method": ["a"], "hypothesis_id": [None], "object_id": [None]})
    for predictions in (PREDICTIONS + "r1,a,,,\n", nulls):
        found = read(write_small(tmp_path, predictions=predictions)).answers
        assert found.select("h", "o").dtypes == [pl.UInt32, pl.UInt32]
        assert found.rows() == [(0, 0, None, None, 1)]
