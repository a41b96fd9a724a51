"""Tables from Parquet, CSV and JSON Lines files: only the columns asked for, nothing cast in silence."""

import csv
import io
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import polars as pl

from multiverse.errors import Fault, quoted
from multiverse.predicates import ColumnKind

FORMATS = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_WHOLE = r"^-?(0|[1-9][0-9]*)$"
_NUMBER = r"^[+-]?(0|[1-9][0-9]*)?(\.[0-9]*)?([eE][+-]?[0-9]+)?$"


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """One table as read: the wanted columns that are there, and the names of all columns."""

    name: str
    shown: str  # the declared path, for messages
    frame: pl.DataFrame
    columns: tuple[str, ...]

    def kind(self, column: str) -> ColumnKind:
        """What a column that was read holds; "null" where it holds nothing else."""
        series = self.frame[column]
        return "null" if series.null_count() == len(series) else dtype_kind(series.dtype)


class TableRequest(NamedTuple):
    """Which table to read, and what of it."""

    name: str
    path: str  # as declared, relative to the study's folder
    wanted: Collection[str]
    ids: Collection[str]  # columns that are text in a CSV file, whatever they look like


class _Part(NamedTuple):
    frame: pl.DataFrame
    columns: tuple[str, ...]


class _TableError(Exception):
    """One file cannot be read as a table; the text says why."""


def dtype_kind(dtype: pl.DataType) -> ColumnKind:
    """The kind of values a Polars type holds."""
    if dtype == pl.Boolean:
        return "boolean"
    if dtype.is_integer() and dtype not in (pl.Int128, pl.UInt128):
        return "integer"
    if dtype.is_float() or dtype == pl.Decimal:
        return "number"
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return "text"
    return "null" if dtype == pl.Null else "other"


def read_table(folder: Path, request: TableRequest, faults: list[Fault]) -> Table | None:
    """One table of a study; None, with faults, where it cannot be read."""
    paths = part_paths(folder, request, faults)
    parts = []
    for path in paths:
        try:
            parts.append(_read_part(path, request))
        except (_TableError, OSError, pl.exceptions.PolarsError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            faults.append(
                Fault(where=f"{request.name} ({path})", found=f"cannot be read: {reason}", expected="a whole table")
            )
    if not parts or len(parts) < len(paths):
        return None
    frame = _stacked(paths, parts, request, faults)
    return (
        None if frame is None else Table(name=request.name, shown=request.path, frame=frame, columns=parts[0].columns)
    )


def part_paths(folder: Path, request: TableRequest, faults: list[Fault]) -> tuple[Path, ...]:
    """The files of a table, sorted: the path itself, the matches of a glob, or a folder's Parquet parts."""
    path = folder / request.path
    where = f"{request.name} ({request.path})"
    if path.is_dir():
        paths = sorted(found for found in path.rglob("*.parquet") if found.is_file())
        expected = "a folder that holds .parquet files"
    elif path.exists():
        paths, expected = [path], ""
    else:
        paths, expected = (
            _matches(folder, request.path),
            "a file, a glob that matches files, or a folder of Parquet parts",
        )
    if not paths:
        found = "no Parquet file in the folder" if path.is_dir() else f"no file at {path}"
        faults.append(Fault(where=where, found=found, expected=expected))
    endings = sorted({found.suffix.lower() for found in paths})
    if any(ending not in FORMATS for ending in endings) or len(endings) > 1:
        found = f"files ending in {', '.join(quoted(ending) for ending in endings)}"
        faults.append(Fault(where=where, found=found, expected=f"one of {', '.join(FORMATS)}"))
        return ()
    return tuple(paths)


def _matches(folder: Path, pattern: str) -> list[Path]:
    if not any(sign in pattern for sign in "*?["):
        return []
    start, rest = (Path(Path(pattern).anchor), pattern[1:]) if Path(pattern).is_absolute() else (folder, pattern)
    ups = 0
    while rest.startswith("../"):
        ups, rest = ups + 1, rest[3:]
    return sorted(found for found in start.joinpath(*[".."] * ups).glob(rest) if found.is_file())


def _read_part(path: Path, request: TableRequest) -> _Part:
    match FORMATS[path.suffix.lower()]:
        case "parquet":
            return _read_parquet(path, request.wanted)
        case "csv":
            return _read_csv(path, request.wanted)
        case _:
            return _read_jsonl(path, request.wanted)


def _read_parquet(path: Path, wanted: Collection[str]) -> _Part:
    columns = tuple(pl.read_parquet_schema(path))
    frame = pl.read_parquet(path, columns=[column for column in columns if column in wanted], glob=False)
    categorical = [name for name, dtype in frame.schema.items() if dtype in (pl.Categorical, pl.Enum)]
    return _Part(frame.with_columns(pl.col(categorical).cast(pl.String)), columns)


def _read_csv(path: Path, wanted: Collection[str]) -> _Part:
    """A CSV file as text columns; its shape is checked by the csv module, line by line."""
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _TableError(f"not UTF-8 at byte {error.start}") from error
    columns, height = _csv_shape(text)
    frame = pl.read_csv(
        io.BytesIO(text.encode()), infer_schema=False, columns=[c for c in columns if c in wanted] or None
    )
    if frame.height != height:
        raise _TableError(f"quotes do not pair up: {height} records by one count, {frame.height} by another")
    return _Part(frame.select([c for c in columns if c in wanted]), columns)


def _csv_shape(text: str) -> tuple[tuple[str, ...], int]:
    records = csv.reader(io.StringIO(text, newline=""), strict=True)
    height = 0
    try:
        columns = tuple(next(records, ()))
        for record in records:
            height += 1
            if len(record) != len(columns):
                raise _TableError(
                    f"line {records.line_num} has {len(record)} fields where the header has {len(columns)}"
                )
    except csv.Error as error:
        raise _TableError(f"line {records.line_num}: {error}") from error
    if not columns:
        raise _TableError("empty file: no header")
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise _TableError(f"column {quoted(twice[0])} is in the header twice")
    return columns, height


def _read_jsonl(path: Path, wanted: Collection[str]) -> _Part:
    """A JSON Lines file; a key that a line lacks is null."""
    columns: dict[str, None] = {}
    values: dict[str, list[object]] = {}
    height = 0
    for number, record in _json_records(path):
        columns.update(dict.fromkeys(record))
        for key in record.keys() & set(wanted):
            column = values.setdefault(key, [])
            column.extend([None] * (height - len(column)))
            column.append(record[key])
        height = number
    padded = {key: column + [None] * (height - len(column)) for key, column in values.items()}
    ordered = [column for column in columns if column in padded]
    return _Part(pl.DataFrame([_json_column(name, padded[name]) for name in ordered]), tuple(columns))


def _json_records(path: Path) -> Iterable[tuple[int, dict[str, object]]]:
    """Every record with how many have been read, this one included; blank lines are passed over."""
    number = 0
    with path.open("rb") as lines:
        for line_number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            number += 1
            try:
                record = json.loads(line.decode("utf-8"), object_pairs_hook=_unique_keys, parse_constant=_no_constant)
            except (ValueError, RecursionError) as error:
                raise _TableError(f"line {line_number}: {error}") from error
            if not isinstance(record, dict):
                raise _TableError(f"line {line_number} is no JSON object")
            yield number, record


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = next(key for key, _ in pairs if [other for other, _ in pairs].count(key) > 1)
        raise ValueError(f"key {quoted(twice)} twice in one object")
    return record


def _no_constant(text: str) -> object:
    raise ValueError(f"{text} is no JSON")


def _json_column(name: str, values: Sequence[object]) -> pl.Series:
    types = {type(value) for value in values} - {type(None)}
    if types == {int, float}:
        return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)  # type: ignore[arg-type]
    if types & {dict, list}:
        return pl.Series(
            name, [None if value is None else json.dumps(value).encode() for value in values], dtype=pl.Binary
        )
    if len(types) > 1:
        shown = ", ".join(sorted(kind.__name__ for kind in types))
        raise _TableError(f"column {quoted(name)} mixes types: {shown}")
    try:
        return pl.Series(name, values, strict=True)
    except (OverflowError, TypeError, UnicodeEncodeError, pl.exceptions.PolarsError) as error:
        raise _TableError(f"column {quoted(name)} holds a value out of range") from error


def _stacked(
    paths: Sequence[Path], parts: Sequence[_Part], request: TableRequest, faults: list[Fault]
) -> pl.DataFrame | None:
    """The parts as one frame; parts that disagree on columns or types are a fault."""
    before = len(faults)
    first = parts[0]
    for path, part in zip(paths[1:], parts[1:], strict=True):
        where = f"{request.name} ({path})"
        for column in sorted((set(first.columns) ^ set(part.columns)) & set(request.wanted)):
            faults.append(
                Fault(where=where, found=f"column {quoted(column)} is not in every part", expected="it in all or none")
            )
        for column in first.frame.columns:
            kinds = {dtype_kind(p.frame.schema[column]) for p in (first, part) if column in p.frame.columns} - {"null"}
            if len(kinds) > 1:
                here, there = part.frame.schema[column], first.frame.schema[column]
                found = f"column {quoted(column)} holds {here} here, {there} in {paths[0]}"
                faults.append(Fault(where=where, found=found, expected="one type in all parts"))
    if len(faults) > before:
        return None
    frame = first.frame if len(parts) == 1 else pl.concat([part.frame for part in parts], how="diagonal_relaxed")
    return _inferred(frame, request.ids) if FORMATS[paths[0].suffix.lower()] == "csv" else frame


def _inferred(frame: pl.DataFrame, ids: Collection[str]) -> pl.DataFrame:
    """Text columns as booleans, whole numbers or numbers where every value is one; ids stay text."""
    return frame.with_columns([_inferred_column(frame[name]) for name in frame.columns if name not in ids])


def _inferred_column(column: pl.Series) -> pl.Series:
    values = column.drop_nulls()
    if values.is_empty():
        return column
    lowered = values.str.to_lowercase()
    if lowered.is_in(["true", "false"]).all():
        return (column.str.to_lowercase() == "true").alias(column.name)
    if values.str.contains(_WHOLE).all():
        whole = column.cast(pl.Int64, strict=False)
        return whole if whole.null_count() == column.null_count() else column
    if (values.str.contains(_NUMBER) & values.str.contains("[0-9]")).all():
        number = column.cast(pl.Float64, strict=False)
        return number if number.null_count() == column.null_count() else column
    return column
