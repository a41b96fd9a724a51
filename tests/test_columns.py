"""The column contract: which columns are read, and what is wrong with those that are there or not."""

from collections.abc import Mapping
from decimal import Decimal
from math import inf, nan
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pytest

from multiverse.declaration import read_declaration
from multiverse.substrate.columns import Attribute, aliased, located, table_contracts
from multiverse.substrate.tables import Table
from small import Dtype, audit_faults, write_small

Kind = Literal["hypotheses", "scores"]
READING = {"readings": "coordinate: reading\noptions: [{id: late, where: {column: turn, above: 1}}]\n"}
TERMINAL = {
    "terminals": "coordinate: terminal\nspecial: {column: end, equals: x}\noptions: [{id: t, treatment: never_legal}]\n"
}
SCORINGS = {
    "scorings": "coordinate: scoring\noptions: [{id: a, rule: column, column: f1}, {id: b, rule: column, column: em}]\n"
}
POPULATION = "populations: {all: {}, hard: {column: level, at_least: 3}}\n"


@pytest.mark.parametrize(
    ("kind", "files", "wanted"),
    [
        (
            "hypotheses",
            READING | TERMINAL,
            {
                "rows": {"row_id", "cluster_id", "stratum", "level"},
                "objects": {"row_id", "group_id", "object_id", "adopted", "end"},
                "predictions": {"row_id", "method", "hypothesis_id", "object_id", "status", "turn"},
            },
        ),
        (
            "scores",
            READING | TERMINAL | SCORINGS,
            {
                "rows": {"row_id", "cluster_id", "stratum", "level", "adopted", "end"},
                "outcomes": {"row_id", "method", "epoch", "status", "f1", "em", "turn"},
            },
        ),
    ],
)
def test_only_the_columns_that_a_study_needs_are_read(
    tmp_path: Path, kind: Kind, files: Mapping[str, str], wanted: dict[str, set[str]]
) -> None:
    declaration = read_declaration(write_small(tmp_path, kind, study=POPULATION, files=files))
    requests = [contract.request(declaration) for contract in table_contracts(declaration)]
    assert {request.name: request.wanted for request in requests} == wanted
    assert [request.exact for request in requests if request.exact] == ([("f1", "em")] if kind == "scores" else [])


KEYS = (
    "study: small\nsubstrate:\n  kind: hypotheses\n  rows: rows.csv\n  objects: objects.csv\n"
    "  predictions: predictions.csv\n  keys: {row: trace, cluster: task}\n"
)
PREDICATE = "coordinate: contract\npredicates: {p: %s}\noptions: [{id: c, require: [p]}]\n"


def contract(test: str) -> dict[str, str]:
    return {"contracts": PREDICATE % test}


@pytest.mark.parametrize(
    ("kind", "change", "messages"),
    [
        (
            "hypotheses",
            {"objects": "row_id,groupid,object_id,adopted\nr1,g,o,true\n"},
            [
                "objects (objects.csv): unknown column 'group_id'\n"
                "  expected one of 'adopted', 'groupid', 'object_id', 'row_id'\n  did you mean 'groupid'?"
            ],
        ),
        (
            "scores",
            {"outcomes": "row_id,method\nr1,a\n"},
            ["outcomes (outcomes.csv): unknown column 'score'\n  expected one of 'method', 'row_id'"],
        ),
        (
            "hypotheses",
            {"study": KEYS},
            [
                "study.yaml:7:10: unknown column of rows 'trace'\n  expected one of 'cluster_id', 'row_id', 'stratum'",
                "study.yaml:7:22: unknown column of rows 'task'\n  expected one of 'cluster_id', 'row_id', 'stratum'",
                "study.yaml:7:10: unknown column of objects 'trace'\n"
                "  expected one of 'adopted', 'group_id', 'lag', 'object_id', 'row_id'",
                "study.yaml:7:10: unknown column of predictions 'trace'\n"
                "  expected one of 'hypothesis_id', 'method', 'object_id', 'row_id', 'status'",
            ],
        ),
        (
            "hypotheses",
            {"files": contract("{column: adoptd, equals: true}")},
            [
                "contracts.yaml:2:17: unknown column of objects 'adoptd'\n"
                "  expected one of 'adopted', 'group_id', 'lag', 'object_id', 'row_id'\n  did you mean 'adopted'?"
            ],
        ),
        (
            "hypotheses",
            {"files": contract("{column: adopted, equals: yes please}")},
            [
                "contracts.yaml:2:17: equals compares objects.adopted with 'yes please'\n"
                "  expected true or false, which is what the column holds"
            ],
        ),
        (
            "hypotheses",
            {"files": contract("{column: object_id, in: [o1, 2, true]}")},
            [
                "contracts.yaml:2:17: in compares objects.object_id with 'o1', 2, true\n"
                "  expected text, which is what the column holds"
            ],
        ),
        (
            "hypotheses",
            {"files": contract("{column: lag, at_most: two}")},
            [
                "contracts.yaml:2:17: at_most compares objects.lag with 'two'\n"
                "  expected whole numbers, which is what the column holds"
            ],
        ),
        (
            "scores",
            {"files": contract("{column: when, equals: 1}"), "rows": [{"row_id": "r1", "when": [1]}]},
            [
                "contracts.yaml:2:17: rows.when holds values of another type\n"
                "  expected a column of text, numbers or booleans"
            ],
        ),
        (
            "scores",
            {"study": "populations: {hard: {column: level, at_least: 3}}\n"},
            [
                "study.yaml:3:21: unknown column of rows 'level'\n"
                "  expected one of 'adopted', 'cluster_id', 'row_id', 'stratum'"
            ],
        ),
        (
            "hypotheses",
            {"files": READING},
            [
                "readings.yaml:2:29: unknown column of predictions 'turn'\n"
                "  expected one of 'hypothesis_id', 'method', 'object_id', 'row_id', 'status'"
            ],
        ),
        (
            "hypotheses",
            {"objects": pl.DataFrame({"row_id": ["r1"], "group_id": [1.0], "object_id": [True], "adopted": [True]})},
            [
                "objects (objects.parquet), column group_id: holds values of type Float64\n"
                "  expected ids: text or whole numbers",
                "objects (objects.parquet), column object_id: holds values of type Boolean\n"
                "  expected ids: text or whole numbers",
            ],
        ),
        (
            "scores",
            {"outcomes": [{"row_id": "r1", "method": "a", "score": [0.5]}]},
            [
                "outcomes (outcomes.jsonl), column score: holds values of type Binary\n"
                "  expected scores: numbers or text"
            ],
        ),
        ("scores", {"rows": []}, ["rows (rows.jsonl): no column\n  expected a whole table"]),
    ],
)
def test_a_column_that_cannot_be_read_as_needed_is_a_fault(
    tmp_path: Path, kind: Kind, change: dict[str, Any], messages: list[str]
) -> None:
    assert audit_faults(write_small(tmp_path, kind, **change)) == messages


def test_an_equal_leaf_at_another_place_is_another_fault(tmp_path: Path) -> None:
    both = "{p: {column: adopted, equals: 1}, q: {column: adopted, equals: 1}}\noptions: [{id: c, require: [p]}]\n"
    folder = write_small(tmp_path, files={"contracts": "coordinate: contract\npredicates: " + both})
    assert [fault.split(":")[2] for fault in audit_faults(folder)] == ["17", "50"]


def table(**columns: pl.Series) -> Table:
    frame = pl.DataFrame(columns)
    return Table(name="rows", shown="rows.parquet", frame=frame, columns=tuple(frame.columns))


@pytest.mark.parametrize(
    ("values", "dtype", "read"),
    [
        ([0.1, 0.3, nan, inf, None], pl.Float64, [0.1, 0.3, nan, inf, None]),
        ([0.1, nan, -inf, None, 3.4028235e38, 1e-45], pl.Float32, [0.1, nan, -inf, None, 3.4028235e38, 1e-45]),
        ([0.1, 0.3, nan, inf, None, 65504.0], pl.Float16, [0.1, 0.3, nan, inf, None, 65500.0]),
        ([1, None], pl.Int8, [1, None]),
        (["a", None], pl.Categorical, ["a", None]),
        ([Decimal("0.10"), None], pl.Decimal(9, 2), [Decimal("0.10"), None]),
        ([None, None], pl.Int64, [None, None]),
        ([[1], None], pl.List(pl.Int8), [True, None]),
        ([2**100, None], pl.Int128, [True, None]),
    ],
)  # fmt: skip
def test_attributes_are_read_under_aliases_at_their_own_width(values: list[object], dtype: Dtype, read: object) -> None:
    rows = table(x=pl.Series(values, dtype=dtype))
    (found,) = aliased(rows, {"x": Attribute(alias="a7", kind=rows.kind("x"))})
    assert found.name == "a7"
    assert str(found.to_list()) == str(read)


def test_a_place_in_the_data_names_what_is_known() -> None:
    rows = table(row_id=pl.Series(["r"]))
    assert located(rows) == "rows (rows.parquet)"
    assert located(rows, "x", "r 1") == "rows (rows.parquet), column x, row 'r 1'"
    assert located(rows, "x", 7, file="part.parquet") == "rows (part.parquet), column x, row 7"
