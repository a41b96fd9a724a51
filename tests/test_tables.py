"""Tables from files, globs and folders of parts: types inferred from the whole, parts that disagree refused."""

import os
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from multiverse.errors import Fault
from multiverse.substrate.formats import TableRequest
from multiverse.substrate.tables import Table, dtype_kind, part_paths, read_table
from small import Content, Dtype, write_table

ALL = "a file, a glob that matches files, or a folder of Parquet parts"
ENDINGS = "one of .parquet, .csv, .jsonl, .ndjson"


def read(folder: Path, path: str, files: Mapping[str, Content], exact: Sequence[str] = ()) -> Table | list[str]:
    """The table at a path once the files are written, or what is wrong with it, the folder cut off its places."""
    for name, content in files.items():
        write_table(folder / name, content)
    request = TableRequest("rows", path, ("row_id", "x", "s"), ("row_id",), exact)
    faults: list[Fault] = []
    table = read_table(folder, request, faults)
    if table is None:
        return [str(fault).replace(f"{folder}/", "") for fault in faults]
    assert faults == []
    return table


def column(table: Table | list[str], name: str = "x") -> tuple[list[object], Dtype]:
    assert isinstance(table, Table), table
    return table.frame[name].to_list(), table.frame[name].dtype


# What a CSV column holds, from the whole file


@pytest.mark.parametrize(
    ("fields", "values", "dtype"),
    [
        ("1 -2 0", [1, -2, 0], pl.Int64),
        ("007 8", ["007", "8"], pl.String),
        ("1 9223372036854775808", ["1", "9223372036854775808"], pl.String),
        ("1 2.5", [1.0, 2.5], pl.Float64),
        ("1e3 .5 5. +1 -0.0", [1000.0, 0.5, 5.0, 1.0, -0.0], pl.Float64),
        ("1.5 1e400", ["1.5", "1e400"], pl.String),
        ("1.5 nan", ["1.5", "nan"], pl.String),
        ("1 . e5", ["1", ".", "e5"], pl.String),
        ("1 1/2", ["1", "1/2"], pl.String),
        ("1 00.5", ["1", "00.5"], pl.String),
        ("true False TRUE", [True, False, True], pl.Boolean),
        ("true 1", ["true", "1"], pl.String),
        ("true yes", ["true", "yes"], pl.String),
        ("1 _ 2", [1, None, 2], pl.Int64),
        ("true _", [True, None], pl.Boolean),
        ("_ _", [None, None], pl.String),
        ('1 ""', ["1", ""], pl.String),
        ("0.1000000000000000055511151231257827 1", [0.1, 1.0], pl.Float64),
        (f"{'1 ' * 200_000}a", ["1"] * 200_000 + ["a"], pl.String),
    ],
)
def test_a_csv_column_is_typed_by_all_its_fields(
    tmp_path: Path, fields: str, values: list[object], dtype: Dtype
) -> None:
    lines = [f"r,{'' if field == '_' else field}\n" for field in fields.split(" ")]
    assert column(read(tmp_path, "t.csv", {"t.csv": "row_id,x\n" + "".join(lines)})) == (values, dtype)


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        ("0.1 0.30000000000000004", [0.1, 0.30000000000000004]),
        ("0.333333333333333333333 1", ["0.333333333333333333333", "1"]),
        ("0.1000000000000000055511151231257827 1.0", ["0.1000000000000000055511151231257827", "1.0"]),
        ("1e-400 1.0", ["1e-400", "1.0"]),
        ("1e-99999999 1.0", ["1e-99999999", "1.0"]),
        ("1 0", [1, 0]),
    ],
)
def test_a_score_that_a_double_would_round_keeps_its_column_text(
    tmp_path: Path, fields: str, values: list[object]
) -> None:
    text = "row_id,s\n" + "".join(f"r,{field}\n" for field in fields.split())
    assert column(read(tmp_path, "t.csv", {"t.csv": text}, exact=("s",)), "s")[0] == values


def test_ids_of_a_csv_file_are_text_whatever_they_look_like(tmp_path: Path) -> None:
    table = read(tmp_path, "t.csv", {"t.csv": "row_id,x\n007,007\n7,7\ntrue,true\n"})
    assert column(table, "row_id") == (["007", "7", "true"], pl.Categorical)
    assert isinstance(table, Table)
    assert (table.kind("row_id"), table.kind("x")) == ("text", "text")


# Where a table is


PART = pl.DataFrame({"row_id": ["r1"], "x": [1]})
NEXT = pl.DataFrame({"row_id": ["r2"], "x": [2]})


@pytest.mark.parametrize(
    ("path", "names", "others"),
    [
        ("t.parquet", ["t.parquet"], ["tt.parquet"]),
        ("T.PARQUET", ["T.PARQUET"], []),
        ("parts", ["parts/b.parquet", "parts/deep/a.parquet"], ["parts/readme.txt", "parts/c.csv"]),
        ("parts/?.parquet", ["parts/a.parquet", "parts/b.parquet"], ["parts/cc.parquet", "parts/c.csv"]),
        ("*/*/part-*.parquet", ["p=1/q=2/part-1.parquet", "p=2/q=1/part-1.parquet"], ["part-1.parquet"]),
        ("**/x.parquet", ["a/b/x.parquet", "x.parquet"], ["y.parquet"]),
        ("[t].parquet", ["[t].parquet"], ["t.parquet"]),
        ("../beside/*.parquet", ["../beside/x.parquet", "../beside/y.parquet"], ["z.parquet"]),
    ],
)
def test_a_table_is_a_file_a_glob_or_a_folder(tmp_path: Path, path: str, names: list[str], others: list[str]) -> None:
    folder = tmp_path / "study"
    for name in names + others:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    found = part_paths(folder, TableRequest("rows", path, (), ()), [])
    assert [os.path.relpath(part, folder) for part in found] == names


def test_absolute_paths_and_globs_are_taken_as_they_are(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).touch()
    for path, count in ((tmp_path / "a.csv", 1), (tmp_path / "*.csv", 2)):
        assert len(part_paths(Path("elsewhere"), TableRequest("rows", str(path), (), ()), [])) == count


@pytest.mark.parametrize(
    ("path", "files", "found", "expected"),
    [
        ("t.csv", (), "no file at t.csv", ALL),
        ("*.csv", (), "no file at *.csv", ALL),
        ("parts", ("parts/a.csv",), "no Parquet file in the folder", "a folder that holds .parquet files"),
        ("t.xlsx", ("t.xlsx",), "files ending in '.xlsx'", ENDINGS),
        ("t.csv.gz", ("t.csv.gz",), "files ending in '.gz'", ENDINGS),
        ("t", ("t",), "files ending in ''", ENDINGS),
        ("t.*", ("t.csv", "t.parquet"), "files ending in '.csv', '.parquet'", ENDINGS),
        ("x" * 300, (), "cannot be looked up: File name too long", ALL),
        ("/" * 2 + "x*", (), "cannot be looked up: Non-relative patterns are unsupported", ALL),
    ],
)
def test_a_table_that_is_not_there_is_a_fault(
    tmp_path: Path, path: str, files: tuple[str, ...], found: str, expected: str
) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert read(tmp_path, path, {}) == [f"rows ({path}): {found}\n  expected {expected}"]


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    """It would be waited for without end."""
    os.mkfifo(tmp_path / "t.csv")
    assert read(tmp_path, "t.csv", {}) == [f"rows (t.csv): no file at t.csv\n  expected {ALL}"]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that fails to be read")
def test_a_file_that_may_not_be_read_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "t.csv").symlink_to("/proc/self/mem")
    assert read(tmp_path, "t.csv", {}) == [
        "rows (t.csv): cannot be read: [Errno 5] Input/output error\n  expected a whole table"
    ]


# Parts


@pytest.mark.parametrize(
    ("path", "files", "x"),
    [
        ("p", {"p/2.parquet": NEXT, "p/1.parquet": PART}, [1, 2]),
        ("*.csv", {"1.csv": "row_id,x\nr1,1\n", "2.csv": "x,row_id\n2,r2\n"}, [1, 2]),
        ("*.csv", {"1.csv": "row_id,x\nr1,1\n", "2.csv": "row_id,x\nr2,b\n"}, ["1", "b"]),
        ("*.csv", {"1.csv": "row_id,x\nr1,1\n", "2.csv": "row_id,x\n"}, [1]),
        ("*.jsonl", {"1.jsonl": [{"row_id": "r1", "x": 1}], "2.jsonl": [{"row_id": "r2"}]}, [1, None]),
        ("*.jsonl", {"1.jsonl": [{"row_id": "r1", "x": 1}], "2.jsonl": [{"row_id": "r2", "x": 0.5}]}, [1.0, 0.5]),
        ("*.jsonl", {"1.jsonl": [{"row_id": "r1", "x": 1}], "2.jsonl": []}, [1]),
        ("*.jsonl", {"1.jsonl": [{"row_id": "r1", "x": 1}], "2.jsonl": [{"z": 2}]}, [1, None]),
        ("*.jsonl", {"1.jsonl": [{"x": None}], "2.jsonl": [{"x": "a"}], "3.jsonl": [{"x": "b"}]}, [None, "a", "b"]),
        ("p", {"p/1.parquet": PART.cast({"x": pl.Int8}), "p/2.parquet": NEXT.cast({"x": pl.UInt32})}, [1, 2]),
        ("p", {"p/1.parquet": PART.cast({"x": pl.UInt64}), "p/2.parquet": NEXT}, [1, 2]),
        ("p", {"p/1.parquet": PART.with_columns(x=None), "p/2.parquet": NEXT}, [None, 2]),
    ],
)  # fmt: skip
def test_parts_are_one_table(tmp_path: Path, path: str, files: dict[str, Content], x: list[object]) -> None:
    assert column(read(tmp_path, path, files))[0] == x


def several(*columns: pl.Series) -> dict[str, Content]:
    """Parts of one column x each."""
    frames = [pl.DataFrame({"row_id": [f"r{i}"] * len(c), "x": c}) for i, c in enumerate(columns)]
    return {f"p/{i}.parquet": frame for i, frame in enumerate(frames)}


DECIMALS = [pl.Series([Decimal(x)], dtype=pl.Decimal(9, scale)) for x, scale in (("0.1", 1), ("0.12", 2))]


@pytest.mark.parametrize(
    ("columns", "where", "found"),
    [
        ([pl.Series([1]), pl.Series(["a"]), pl.Series(["b"])], 1, "String here, Int64 in p/0.parquet (1 more)"),
        ([pl.Series([None]), pl.Series([1]), pl.Series(["b"])], 2, "String here, Int64 in p/1.parquet"),
        ([pl.Series([0.1]), pl.Series([0.1], dtype=pl.Float32)], 1, "Float32 here, Float64 in p/0.parquet"),
        ([pl.Series([1]), pl.Series([0.5])], 1, "Float64 here, Int64 in p/0.parquet"),
        ([pl.Series([-1]), pl.Series([2**63], dtype=pl.UInt64)], 1, "UInt64 here, Int64 in p/0.parquet"),
        (DECIMALS, 1, "Decimal(precision=9, scale=2) here, Decimal(precision=9, scale=1) in p/0.parquet"),
    ],
)
def test_parts_of_two_types_are_refused(tmp_path: Path, columns: list[pl.Series], where: int, found: str) -> None:
    """A common type would be text, or round: 0.1 of 32 bits is another double."""
    assert read(tmp_path, "p", several(*columns)) == [
        f"rows (p/{where}.parquet): column 'x' holds {found}\n  expected one type in all parts"
    ]


@pytest.mark.parametrize("value", ["a", 0.5])
def test_json_parts_of_two_types_are_refused(tmp_path: Path, value: object) -> None:
    kind = "String" if value == "a" else "Float64"
    assert read(tmp_path, "*.jsonl", {"1.jsonl": [{"x": 2**53 + 1}], "2.jsonl": [{"x": value}]}) == [
        f"rows (2.jsonl): column 'x' holds {kind} here, Int64 in 1.jsonl\n  expected one type in all parts"
    ]


def test_a_column_that_some_parts_lack_is_refused(tmp_path: Path) -> None:
    files = {"p/1.parquet": PART, "p/2.parquet": NEXT.drop("x"), "p/3.parquet": NEXT.drop("x")}
    assert read(tmp_path, "p", files) == [
        "rows (p/2.parquet): column 'x' is not here, but in p/1.parquet (1 more)\n  expected it in all parts or none"
    ]
    assert read(tmp_path, "*.csv", {"1.csv": "row_id\nr\n", "2.csv": "row_id,x\nr,1\n"}) == [
        "rows (1.csv): column 'x' is not here, but in 2.csv\n  expected it in all parts or none"
    ]


def test_every_part_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    assert read(tmp_path, "*.csv", {"1.csv": "row_id,x\nr1\n", "2.csv": "", "3.csv": "row_id,x\nr,1\n"}) == [
        "rows (1.csv): cannot be read: line 2 has 1 fields where the header has 2\n  expected a whole table",
        "rows (2.csv): cannot be read: empty file: no header\n  expected a whole table",
    ]


def test_every_column_of_every_part_is_known_and_each_record_has_its_file(tmp_path: Path) -> None:
    table = read(tmp_path, "*.jsonl", {"1.jsonl": [{"row_id": "a", "y": 1}] * 2, "2.jsonl": [{"row_id": "b", "z": 1}]})
    assert isinstance(table, Table)
    assert table.columns == ("row_id", "y", "z")
    assert [Path(table.file_of(record)).name for record in range(3)] == ["1.jsonl", "1.jsonl", "2.jsonl"]
    single = read(tmp_path, "1.jsonl", {})
    assert isinstance(single, Table)
    assert single.file_of(1) == "1.jsonl"


@pytest.mark.parametrize(
    ("values", "dtype", "kind"),
    [
        ([True], pl.Boolean, "boolean"),
        ([1], pl.UInt8, "integer"),
        ([1], pl.Int128, "other"),
        ([0.5], pl.Float32, "number"),
        ([Decimal("0.1")], pl.Decimal(9, 1), "number"),
        (["a"], pl.Categorical, "text"),
        (["a"], pl.Enum(["a"]), "text"),
        ([date(2026, 1, 1)], pl.Date, "other"),
        ([[1]], pl.List(pl.Int8), "other"),
        ([None], pl.Int64, "null"),
        ([], pl.String, "null"),
    ],
)
def test_a_column_is_of_the_kind_of_its_values(values: list[object], dtype: Dtype, kind: str) -> None:
    series = pl.Series("x", values, dtype=dtype)
    assert Table(name="rows", shown="t", frame=series.to_frame(), columns=("x",)).kind("x") == kind
    assert dtype_kind(pl.Null()) == "null"
