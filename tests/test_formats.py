"""One file of each format as a frame, and why a file is none."""

import csv
import io
import json
import sys
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiverse.substrate.formats import Part, TableError, TableRequest, read_part

WANTED = ("row_id", "x")
AMBIGUOUS = "it can be read in two ways: quote a field as a whole or not at all, and end lines in LF or CR LF"


def read(path: Path, content: bytes | str) -> Part:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_part(path, TableRequest("rows", path.name, WANTED, ("row_id",)))


def reason(path: Path, content: bytes | str) -> str:
    """Why a file cannot be read, in one line."""
    with pytest.raises((TableError, pl.exceptions.PolarsError)) as caught:
        read(path, content)
    return str(caught.value).splitlines()[0]


def columns(part: Part) -> dict[str, list[object]]:
    return part.frame.to_dict(as_series=False)


# CSV


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("row_id,x\n7,1\n", ["1"]),
        ("\ufeffrow_id,x\r\n7,1\r\n", ["1"]),
        ("row_id,x\n7,", [None]),
        ('row_id,x\n7,""\n8,\n9," "\n', ["", None, " "]),
        ('row_id,x\n7,"a,""b""\nc"\n', ['a,"b"\nc']),
        ("row_id,unread,x\n7,#,#x\n", ["#x"]),
        ('"row_id","a""b","x"\n7,1,2\n', ["2"]),
        ("x,,row_id\n1,2,7\n", ["1"]),
        ("row_id,x\n", []),
        ("row_id,x\n7,NULL\n8,NA\n9,nan\n", ["NULL", "NA", "nan"]),
        ("row_id,x\n7,\x00é\u2028\n", ["\x00é\u2028"]),
        ("row_id,x\n7," + "y" * 200_000 + "\n", ["y" * 200_000]),
    ],
)
def test_csv_fields_are_text_or_null(tmp_path: Path, text: str, x: list[str | None]) -> None:
    found = read(tmp_path / "t.csv", text).frame["x"]
    assert found.dtype == pl.String
    assert found.to_list() == x


def test_the_names_of_all_columns_are_kept(tmp_path: Path) -> None:
    part = read(tmp_path / "t.csv", 'b,"a""b",row_id\n1,2,3\n')
    assert (part.columns, columns(part)) == (("b", 'a"b', "row_id"), {"row_id": ["3"]})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty file: no header"),
        ("\n", "empty file: no header"),
        ("row_id,x,row_id\n1,2,3\n", "column 'row_id' is in the header twice"),
        ("row_id,x\n1,2\n3\n", "line 3 has 1 fields where the header has 2"),
        ("row_id,x\n1,2,3\n", "line 2 has 3 fields where the header has 2"),
        ("row_id,x\n1,2\n\n3,4\n", "line 3 is blank"),
        ('row_id,x\n1,"2\n', "line 2: unexpected end of data"),
        ('row_id,x\n1,"2" \n', "line 2: ',' expected after '\"'"),
        (b"row_id,x\n1,\xff\n", "not UTF-8 at byte 11"),
        ("row_id,x\n1,2\n".encode("utf-16"), "not UTF-8 at byte 0"),
        ("row_id,x\r1,2\r", AMBIGUOUS),
        ('row_id,x\n7,a"b\n', AMBIGUOUS),
        ('row_id,x\n7,a"b,"c"d\n', "line 2: ',' expected after '\"'"),
    ],
)
def test_a_csv_file_that_is_no_table_is_refused(tmp_path: Path, text: str | bytes, why: str) -> None:
    assert reason(tmp_path / "t.csv", text) == why


FIELD = st.text(st.sampled_from(['"', ",", "\n", "\r", "a", " ", "'", "é", "\x00"]), max_size=5)


ROWS = st.lists(st.tuples(FIELD, FIELD), max_size=4)


@given(ROWS, st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), st.sampled_from(["\n", "\r\n"]))
def test_what_the_csv_module_writes_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], quoting: int, end: str
) -> None:
    if quoting == csv.QUOTE_MINIMAL:  # which leaves a carriage return bare
        rows = [(a.replace("\r", ""), b.replace("\r", "")) for a, b in rows]
    text = io.StringIO(newline="")
    csv.writer(text, quoting=quoting, lineterminator=end).writerows([WANTED, *rows])  # type: ignore[arg-type]
    part = read(tmp_path_factory.mktemp("csv") / "t.csv", text.getvalue())
    empty = None if quoting == csv.QUOTE_MINIMAL else ""
    assert part.frame.rows() == [(a or empty, b or empty) for a, b in rows]


@given(ROWS)
def test_a_field_with_stray_quotes_is_read_as_the_csv_module_would_or_refused(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    text = "row_id,x\n" + "".join(f"{a},{b}\n" for a, b in rows)
    try:
        part = read(tmp_path_factory.mktemp("csv") / "t.csv", text)
    except TableError:
        return
    _, *expected = csv.reader(io.StringIO(text, newline=""), strict=True)
    assert [[value or "" for value in row] for row in part.frame.rows()] == expected


# JSON Lines


@pytest.mark.parametrize(
    ("lines", "x", "dtype"),
    [
        (["1", "2", "null"], [1, 2, None], pl.Int64),
        (["1", "0.5"], [1.0, 0.5], pl.Float64),
        (['"a"', '""'], ["a", ""], pl.String),
        (["true", "null"], [True, None], pl.Boolean),
        (["null", "null"], [None, None], pl.Null),
        (['{"a": 1}', "[2]", "null"], [b'{"a": 1}', b"[2]", None], pl.Binary),
        (["9223372036854775808"], [2**63], pl.UInt64),
        (["1e-320", "0e5", "-0.0"], [1e-320, 0.0, 0.0], pl.Float64),
    ],
)
def test_json_values_keep_their_type(tmp_path: Path, lines: list[str], x: list[object], dtype: object) -> None:
    text = "".join(f'{{"row_id": "r", "x": {line}}}\n' for line in lines)
    found = read(tmp_path / "t.jsonl", text).frame["x"]
    assert (found.to_list(), found.dtype) == (x, dtype)


def test_a_key_that_a_line_lacks_is_null_and_blank_lines_hold_no_record(tmp_path: Path) -> None:
    part = read(tmp_path / "t.ndjson", '\ufeff{"x": 1}\n\n  \n{"row_id": "b", "y": 1}\r\n{}\n')
    assert columns(part) == {"x": [1, None, None], "row_id": [None, "b", None]}
    assert part.columns == ("x", "row_id", "y")


def test_records_without_a_wanted_key_are_records(tmp_path: Path) -> None:
    assert columns(read(tmp_path / "t.jsonl", '{"z": 1}\n{}\n')) == {"row_id": [None, None]}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"x": 1', "line 2, column 8: Expecting ',' delimiter"),
        ("[1]", "line 2 is no JSON object"),
        ('{"x": 1, "y": 2, "x": 3}', "line 2: key 'x' twice in one object"),
        ('{"x": {"a": 1, "a": 2}}', "line 2: key 'a' twice in one object"),
        ('{"x": NaN}', "line 2: NaN is no JSON"),
        ('{"x": -Infinity}', "line 2: -Infinity is no JSON"),
        ('{"x": 1e400}', "line 2: the number '1e400' is beyond a double"),
        ('{"x": 1e-400}', "line 2: the number '1e-400' is beyond a double"),
        ('{"x": "a"}', "column 'x' mixes types: whole numbers, text"),
        ('{"x": true}', "column 'x' mixes types: true or false, whole numbers"),
        ('{"x": 9223372036854775808}\n{"x": 0.5}', "column 'x' holds a value out of range"),
        ('{"x": 9007199254740993}\n{"x": 0.5}', "column 'x' holds a value out of range"),
        ('{"x": -1}\n{"x": 18446744073709551616}', "column 'x' holds a value out of range"),
        ('{"row_id": "\\ud800"}', "column 'row_id' holds a value out of range"),
        (b'{"x": "\xff"}', "line 2: 'utf-8' codec can't decode byte 0xff in position 7: invalid start byte"),
        ("[" * 100_000, "line 2: maximum recursion depth exceeded while decoding a JSON array from a unicode string"),
        ('{"x": 1}{"x": 2}', "line 2, column 9: Extra data"),
    ],
)
def test_a_json_file_that_is_no_table_is_refused(tmp_path: Path, line: str | bytes, why: str) -> None:
    content = b'{"row_id": "r", "x": 1}\n' + (line.encode() if isinstance(line, str) else line) + b"\n"
    assert reason(tmp_path / "t.jsonl", content) == why


def test_a_whole_number_of_any_length_is_an_answer(tmp_path: Path) -> None:
    """Python stops at 4,300 digits, with advice that is of no use here."""
    assert reason(tmp_path / "t.jsonl", '{"x": ' + "9" * 5000 + "}\n").startswith("line 1: Exceeds the limit")
    assert sys.get_int_max_str_digits() < 5000


@given(st.lists(st.fixed_dictionaries({"row_id": st.text(), "x": st.floats(allow_nan=False, allow_infinity=False)})))
def test_a_json_line_keeps_every_text_and_double(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, object]]
) -> None:
    lines = "".join(json.dumps(record) + "\n" for record in records)
    frame = read(tmp_path_factory.mktemp("json") / "t.jsonl", lines).frame
    assert frame.rows(named=True) == records


# Parquet


def test_parquet_ids_become_categories_and_other_categories_text(tmp_path: Path) -> None:
    x = pl.Series("x", ["b", None], dtype=pl.Enum(["a", "b"]))
    pl.DataFrame([x.alias("row_id"), x.cast(pl.Categorical), x.alias("unread")]).write_parquet(tmp_path / "t.parquet")
    part = read_part(tmp_path / "t.parquet", TableRequest("rows", "t.parquet", WANTED, ("row_id",)))
    assert columns(part) == {"row_id": ["b", None], "x": ["b", None]}
    assert part.frame.dtypes == [pl.Categorical, pl.String]
    assert part.columns == ("row_id", "x", "unread")


@pytest.mark.parametrize("dtype", [pl.Int32, pl.UInt64, pl.Float32, pl.Decimal(10, 2), pl.Boolean, pl.List(pl.Int8)])
def test_other_parquet_types_are_kept(tmp_path: Path, dtype: pl.DataType) -> None:
    pl.DataFrame(pl.Series("x", [None, None], dtype=dtype)).write_parquet(tmp_path / "t.parquet")
    part = read_part(tmp_path / "t.parquet", TableRequest("rows", "t.parquet", WANTED, ()))
    assert part.frame.schema == {"x": dtype}


@pytest.mark.parametrize("name", ["[t].parquet", "t*.parquet", "t?.parquet", "{t}.parquet", "t=1/t.parquet"])
def test_a_name_is_no_pattern_and_no_partition(tmp_path: Path, name: str) -> None:
    for x, path in enumerate((tmp_path / "tt.parquet", tmp_path / name)):
        path.parent.mkdir(exist_ok=True)
        with path.open("wb") as file:
            pl.DataFrame({"x": [x]}).write_parquet(file)
    part = read_part(tmp_path / name, TableRequest("rows", name, ("x", "t"), ()))
    assert (columns(part), part.columns) == ({"x": [1]}, ("x",))


@pytest.mark.parametrize("kept", [0, 3, 100, -1])
def test_a_truncated_parquet_file_is_refused(tmp_path: Path, kept: int) -> None:
    pl.DataFrame({"row_id": ["r"] * 100}).write_parquet(tmp_path / "whole.parquet")
    assert reason(tmp_path / "t.parquet", (tmp_path / "whole.parquet").read_bytes()[:kept])


def test_a_parquet_file_with_a_flipped_byte_is_read_or_refused(tmp_path: Path) -> None:
    pl.DataFrame({"row_id": [f"r{i}" for i in range(40)], "x": [None, 0.5] * 20}).write_parquet(tmp_path / "t.parquet")
    whole, refused = (tmp_path / "t.parquet").read_bytes(), 0
    for place in range(len(whole)):
        try:
            read(tmp_path / "t.parquet", whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        except (TableError, pl.exceptions.PolarsError):
            refused += 1
    assert refused > len(whole) / 2


def test_a_panic_of_polars_is_a_damaged_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One damaged file of a hundred and fifty ends in one, and it is no Exception."""

    def panic(path: Path, *, glob: bool) -> None:
        raise pl.exceptions.PanicException("called `Result::unwrap()` on an `Err` value")

    monkeypatch.setattr(pl, "scan_parquet", panic)
    assert reason(tmp_path / "t.parquet", b"") == "damaged: it cannot be decoded"
