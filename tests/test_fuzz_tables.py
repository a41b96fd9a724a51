"""Whatever happens to the tables of a valid study, an audit ends in a record or in faults, never in a traceback."""

import csv
import io
import json
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from math import inf, nan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from multiverse.audit import Audit, audit
from multiverse.errors import InputError
from plain_study import TABLES, PlainStudy, Table, kind
from small import Dtype
from studies import studies, write_study
from study_files import TableFormat

Columns = list[tuple[str, list[Any]]]  # a name may occur twice

HOSTILE: tuple[Any, ...] = (
    *(None, nan, inf, -inf, -0.0, 1e308, 5e-324, 0.1, 1.5, 0, 1, -1, 7, True, False),
    *(2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63), 2**127, 10**400),
    *("", " ", "null", "NaN", "0", "1", "0.1", "1/3", "1/0", "1e400", "1e-400", "9" * 500, "007", "true", "answered"),
    *("empty", "missing", "timeout", "a,b", 'a"b', "line\nbreak", "cr\rlf\r\n", "tab\t", "\x00", "\x1b[2J", "\ud800"),
    *(
        "\ufeff",
        "\u202e",
        "e\u0301",
        "\U0001f600",
        "o'brien; DROP TABLE answers_in; --",
        "$1",
        "{}",
        "../../etc/passwd",
    ),
    *([1, 2], {"a": 1}, [], date(2026, 1, 1), Decimal("0.1"), Decimal("1e30"), b"bytes"),
)
TYPES: Mapping[str, Callable[[Any], Any]] = {
    "text": str,
    "whole": lambda value: len(str(value)),
    "huge": lambda value: 2**63 + len(str(value)),
    "float": lambda value: 0.1 * len(str(value)),
    "truth": lambda value: len(str(value)) % 2 == 0,
    "null": lambda value: None,
    "date": lambda value: date(2026, 1, 1 + len(str(value)) % 28),
    "decimal": lambda value: Decimal(len(str(value))) / 10,
    "list": lambda value: [value],
    "struct": lambda value: {"x": str(value)},
    "bytes": lambda value: str(value).encode("utf-8", "replace"),
}
DTYPES: st.SearchStrategy[Dtype] = st.sampled_from(
    [pl.Float32, pl.Float16, pl.Int8, pl.UInt64, pl.Int128, pl.String, pl.Categorical, pl.Boolean, pl.Decimal(9, 2)]
)


@settings(suppress_health_check=list(HealthCheck), max_examples=2 * settings().max_examples)
@given(studies(), st.sampled_from(["parquet", "csv", "jsonl"]), st.data())
def test_an_audit_of_broken_tables_ends_in_a_record_or_in_faults(
    study: PlainStudy, table_format: TableFormat, data: st.DataObject
) -> None:
    family = sorted(study.families["families"])[0]
    with TemporaryDirectory() as folder:
        write_study(study, Path(folder), table_format=table_format)
        for name in data.draw(st.lists(st.sampled_from(TABLES[kind(study)]), min_size=1, max_size=2, unique=True)):
            break_table(data, Path(folder) / f"{name}.{table_format}", getattr(study, name))
        event(outcome(Path(folder), family))


def outcome(folder: Path, family: str) -> str:
    """What an audit ended in; anything but a record and faults that can be shown is raised."""
    try:
        found = audit(folder, family=family, threads=1)
    except InputError as error:
        assert error.faults
        assert all(line.isprintable() for line in str(error).split("\n"))
        return "faults"
    assert isinstance(found, Audit)
    return "record"


def break_table(data: st.DataObject, path: Path, records: Table) -> None:
    """Change a table, its file, or both."""
    where = data.draw(st.sampled_from(["records", "records", "file", "both"]))
    if where != "file":
        names = list(dict.fromkeys(name for record in records for name in record))
        columns: Columns = [(name, [record.get(name) for record in records]) for name in names]
        dtypes: dict[str, Dtype] = {}
        for _ in range(data.draw(st.integers(1, 3))):
            break_columns(data, columns, dtypes)
        path.write_bytes(as_bytes(path.suffix, columns, dtypes))
    if where != "records":
        path.write_bytes(break_bytes(data, path.read_bytes()))


def break_columns(data: st.DataObject, columns: Columns, dtypes: dict[str, Dtype]) -> None:
    """One change of a table."""
    act = data.draw(st.sampled_from(["set", "set", "set", "retype", "dtype", "drop", "rename", "twice", "records"]))
    if not columns:
        return
    position = data.draw(st.integers(0, len(columns) - 1))
    name, values = columns[position]
    match act:
        case "set":
            for i in data.draw(st.lists(st.integers(0, max(len(values) - 1, 0)), max_size=3)) if values else ():
                values[i] = data.draw(st.sampled_from(HOSTILE))
        case "retype":
            change = TYPES[data.draw(st.sampled_from(sorted(TYPES)))]
            columns[position] = (name, [None if value is None else change(value) for value in values])
        case "dtype":
            dtypes[name] = data.draw(DTYPES)
        case "drop":
            del columns[position]
        case "rename":
            columns[position] = (data.draw(st.sampled_from(["", "x", "row_id", "epoch", "status", 'a"b', "é"])), values)
        case "twice":
            columns.append((name, list(values)))
        case _:
            count = len(values)
            chosen = data.draw(st.lists(st.integers(0, max(count - 1, 0)), max_size=2 * count)) if count else []
            columns[:] = [(n, [v[i] for i in chosen]) for n, v in columns]


def as_bytes(suffix: str, columns: Columns, dtypes: Mapping[str, Dtype]) -> bytes:
    """A table as a file, as well as the format can hold it."""
    if suffix == ".parquet":
        buffer = io.BytesIO()
        frame = {name: as_series(values, dtypes.get(name)) for name, values in columns}
        pl.DataFrame(frame).write_parquet(buffer)
        return buffer.getvalue()
    if suffix == ".jsonl":
        lines = [
            "{" + ", ".join(f"{dump(n)}: {dump(v[i])}" for n, v in columns) + "}\n" for i in range(height(columns))
        ]
        return "".join(lines).encode("utf-8", "surrogatepass")
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([name for name, _ in columns])
    writer.writerows([values[i] for _, values in columns] for i in range(height(columns)))
    return text.getvalue().encode("utf-8", "surrogatepass")


def height(columns: Columns) -> int:
    return len(columns[0][1]) if columns else 0


def dump(value: object) -> str:
    return json.dumps(value, default=str)


def as_series(values: list[Any], dtype: Dtype | None) -> pl.Series:
    """The values as one type: theirs, or text; then cast, what cannot be being null."""
    try:
        series = pl.Series(values, strict=True)
        if series.dtype == pl.Object:
            raise TypeError
    except (TypeError, OverflowError, UnicodeEncodeError, pl.exceptions.PolarsError):
        series = pl.Series([None if value is None else ascii(value) for value in values], dtype=pl.String)
    try:
        return series if dtype is None else series.cast(dtype, strict=False)
    except pl.exceptions.PolarsError:
        return series


def break_bytes(data: st.DataObject, content: bytes) -> bytes:
    """One change of a file."""
    act = data.draw(
        st.sampled_from(["flip", "flip", "flip", "cut", "insert", "empty", "bom", "utf16", "crlf", "again"])
    )
    place = data.draw(st.integers(0, max(len(content) - 1, 0)))
    match act:
        case "flip":
            changed = bytearray(content)
            for i in {place, *data.draw(st.lists(st.integers(0, max(len(content) - 1, 0)), max_size=3))}:
                if content:
                    changed[i] ^= data.draw(st.integers(1, 255))
            return bytes(changed)
        case "cut":
            return content[:place]
        case "insert":
            return content[:place] + data.draw(st.binary(max_size=8)) + content[place:]
        case "empty":
            return b""
        case "bom":
            return b"\xef\xbb\xbf" + content
        case "utf16":
            return content.decode("latin-1").encode("utf-16")
        case "crlf":
            return content.replace(b"\n", b"\r\n")
        case _:
            return content + content


@pytest.mark.parametrize("table_format", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("place", ["a folder", "nothing"])
def test_a_table_that_is_no_file_is_a_fault(tmp_path: Path, table_format: TableFormat, place: str) -> None:
    rows = [{"row_id": "r1"}]
    study = PlainStudy(
        study={"study": "s", "substrate": {"kind": "scores"}},
        dispositions={"coordinate": "disposition", "options": [{"id": "d", "legal_present": 0, "legal_empty": 0}]},
        families={"families": {"f": {}}},
        rows=rows,
        outcomes=[{"row_id": "r1", "method": "a", "score": 1}],
    )
    write_study(study, tmp_path, table_format=table_format)
    path = tmp_path / f"outcomes.{table_format}"
    assert outcome(tmp_path, "f") == "record"
    path.unlink()
    if place == "a folder":
        path.mkdir()
    assert outcome(tmp_path, "f") == "faults"
