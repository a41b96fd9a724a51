"""Whole studies read: the frames that come of them, the same from every format, and every fault at once."""

import io
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pytest

from multiverse.audit import check
from multiverse.declaration import read_declaration
from multiverse.errors import InputError
from multiverse.substrate import Substrate, check_references, read_substrate
from multiverse.substrate.columns import Attribute
from small import TABLES, Content, audit_faults, write_small

Kind = Literal["hypotheses", "scores"]
ONE_TYPE = "\n  expected one type of id in all tables (in CSV every id is text)"


def records(text: str) -> pl.DataFrame:
    """CSV text as a frame, ids as text."""
    ids = dict.fromkeys(("row_id", "method", "hypothesis_id", "object_id", "status"), pl.String)
    return pl.read_csv(io.StringIO(text), schema_overrides=ids)


def formats(kind: Kind) -> dict[str, dict[str, Any]]:
    """The small study's tables in every format."""
    frames = {name: records(text) for name, text in TABLES[kind].items()}
    return {
        "csv": dict(TABLES[kind]),
        "parquet": dict(frames),
        "categorical": {n: f.with_columns(pl.col(pl.String).cast(pl.Categorical)) for n, f in frames.items()},
        "jsonl": {name: frame.to_dicts() for name, frame in frames.items()},
    }


def read(folder: Path) -> Substrate:
    return read_substrate(read_declaration(folder))


def dense(frame: pl.DataFrame, *ids: str) -> dict[str, list[object]]:
    """A frame's columns, the ids numbered by first use: their codes mean nothing but equality."""
    first: dict[object, int] = {}
    columns = frame.to_dict(as_series=False)
    for name in ids:
        columns[name] = [None if x is None else first.setdefault(x, len(first)) for x in columns[name]]
    return columns


@pytest.mark.parametrize("form", ["csv", "parquet", "categorical", "jsonl"])
def test_hypotheses_are_read_alike_from_every_format(tmp_path: Path, form: str) -> None:
    found = read(write_small(tmp_path, "hypotheses", **formats("hypotheses")[form]))
    assert found.objects is not None
    assert (found.kind, found.methods, found.strata, found.scores) == ("hypotheses", ("a", "b"), ("s1", "s2"), {})
    assert found.states == ("answered", "empty", "missing")
    assert found.rows.to_dict(as_series=False) == {"cluster": [0, 1], "stratum": [0, 1]}
    assert found.row_ids.to_list() == ["r1", "r2"]
    assert dense(found.objects, "o", "g") == {
        "r": [0, 0, 1],
        "g": [2, 3, 2],
        "o": [0, 1, 0],
        "a0": [True, False, True],
    }
    both = dict(zip(found.objects["o"].to_list(), ("o1", "o2", "o1"), strict=True))
    assert [both.get(o) for o in found.answers["o"]] == ["o1", None, "o2", "o1"]
    assert dense(found.answers.drop("o"), "h") == {
        "r": [0, 0, 1, 1],
        "m": [0, 1, 0, 1],
        "h": [0, None, 0, 0],
        "state": [0, 1, 0, 0],
    }
    assert found.attributes["objects"] == {"adopted": Attribute(alias="a0", kind="boolean")}


@pytest.mark.parametrize("form", ["csv", "parquet", "categorical", "jsonl"])
def test_scores_are_read_alike_from_every_format(tmp_path: Path, form: str) -> None:
    found = read(write_small(tmp_path, "scores", **formats("scores")[form]))
    assert (found.kind, found.objects, found.states) == ("scores", None, ("answered", "empty", "missing", "error"))
    assert found.answers.to_dict(as_series=False) == {
        "r": [0, 0, 1, 1],
        "m": [0, 1, 0, 1],
        "epoch": [0, 0, 0, 0],
        "state": [0, 0, 0, 3],
        "v0": [2, 1, 0, None],
    }
    assert found.scores["score"].values == (Fraction(0), Fraction(1, 2), Fraction(1))
    assert found.rows["a0"].to_list() == [True, False]


WHOLE = pl.DataFrame({"row_id": [7, 8]})


@pytest.mark.parametrize(
    ("kind", "change", "messages"),
    [
        (
            "hypotheses",
            {"rows": WHOLE},
            [
                "objects (objects.csv), column row_id: the ids are text here and whole numbers in rows (rows.parquet)"
                + ONE_TYPE
            ],
        ),
        (
            "scores",
            {"outcomes": [{"row_id": 1, "method": "a", "score": 1}]},
            [
                "rows (rows.csv), column row_id: "
                "the ids are text here and whole numbers in outcomes (outcomes.jsonl)" + ONE_TYPE
            ],
        ),
        (
            "hypotheses",
            {"predictions": [{"row_id": "r1", "method": "a", "hypothesis_id": "h", "object_id": 1}]},
            [
                "objects (objects.csv), column object_id: "
                "the ids are text here and whole numbers in predictions (predictions.jsonl)" + ONE_TYPE
            ],
        ),
    ],
)
def test_ids_that_meet_are_of_one_type(tmp_path: Path, kind: Kind, change: dict[str, Any], messages: list[str]) -> None:
    assert audit_faults(write_small(tmp_path, kind, **change)) == messages


@pytest.mark.parametrize(
    "predictions",
    [
        [{"row_id": 7, "method": "a", "hypothesis_id": None, "object_id": None}],
        "row_id,method,hypothesis_id,object_id\n",
    ],
)
def test_a_column_of_nulls_has_no_type_to_disagree_with(tmp_path: Path, predictions: Content) -> None:
    objects = pl.DataFrame({"row_id": [8], "group_id": [1], "object_id": [1], "adopted": [True]})
    folder = write_small(tmp_path, rows=WHOLE, objects=objects, predictions=predictions)
    if isinstance(predictions, str):
        assert audit_faults(folder) == [
            "predictions (predictions.csv), column method: no method\n  expected at least one"
        ]
    else:
        assert read_substrate(read_declaration(folder)).answers.rows() == [(0, 0, None, None, 1)]


def test_every_fault_of_every_table_is_raised_at_once(tmp_path: Path) -> None:
    folder = write_small(
        tmp_path,
        study="methods: [a, z]\n",
        rows="row_id\nr1\nr1\n",
        objects="row_id,group_id,object_id,adopted\nr3,g,o,true\n",
        predictions="row_id,method,hypothesis_id,object_id\nr4,a,h,\n",
    )
    assert [fault.partition(":")[0].partition(" (")[0] for fault in audit_faults(folder)] == [
        "rows",
        "objects",
        "study.yaml",
        "predictions",
        "predictions",
    ]


def test_faults_of_columns_come_before_those_of_records(tmp_path: Path) -> None:
    """A table that lacks a column is not looked into further."""
    folder = write_small(tmp_path, rows="row_id\nr1\nr1\n", objects="row_id\nr1\n", predictions=b"\xff")
    assert [fault.split("\n")[0] for fault in audit_faults(folder)] == [
        "objects (objects.csv): unknown column 'group_id'",
        "objects (objects.csv): unknown column 'object_id'",
        "contracts.yaml:2:23: unknown column of objects 'adopted'",
        "predictions (predictions.csv): cannot be read: not UTF-8 at byte 0",
    ]


def test_a_check_never_opens_predictions_and_counts_what_it_read(tmp_path: Path) -> None:
    folder = write_small(tmp_path, predictions=b"\xff no table at all")
    assert check_references(read_declaration(folder)) == {"rows": 2, "objects": 3} == check(folder).records
    write_small(tmp_path, "scores", outcomes=b"\xff")
    assert check(folder).records == {"rows": 2}


def test_a_check_says_that_predictions_are_not_there_and_what_is_wrong_with_the_rest(tmp_path: Path) -> None:
    folder = write_small(tmp_path, objects="row_id,group_id,object_id,adopted\nr3,g,o,true\n")
    with pytest.raises(InputError) as caught:
        check(folder)
    assert str(caught.value) == (
        "objects (objects.csv), column row_id, row 'r3': unknown row 'r3'\n  expected a row of the rows table"
    )
    (folder / "predictions.csv").unlink()
    with pytest.raises(InputError) as caught:
        check(folder)
    assert str(caught.value) == (
        f"predictions (predictions.csv): no file at {folder}/predictions.csv\n"
        "  expected a file, a glob that matches files, or a folder of Parquet parts"
    )


def test_renamed_keys_are_the_keys_of_every_table(tmp_path: Path) -> None:
    substrate = (
        "study: small\nsubstrate:\n  {kind: scores, rows: rows.csv, outcomes: outcomes.csv,"
        " keys: {row: item, cluster: task, stratum: corpus}}\n"
    )
    rows = "item,task,corpus,adopted,row_id\nr1,t2,s,true,x\nr2,t1,s,true,x\n"
    outcomes = TABLES["scores"]["outcomes"].replace("row_id", "item")
    found = read(write_small(tmp_path, "scores", study=substrate, rows=rows, outcomes=outcomes))
    assert (found.row_ids.to_list(), found.rows["cluster"].to_list(), found.strata) == (["r1", "r2"], [1, 0], ("s",))
