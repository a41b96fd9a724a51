"""One Parquet, CSV or JSON Lines file as a frame: only the columns asked for, nothing cast in silence."""

import codecs
import csv
import io
import json
import math
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from multiverse.errors import quoted

FORMATS = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_AMBIGUOUS = "it can be read in two ways: quote a field as a whole or not at all, and end lines in LF or CR LF"
_JSON_TYPES: dict[type, str] = {bool: "true or false", int: "whole numbers", float: "numbers", str: "text"}


class TableRequest(NamedTuple):
    """Which table to read, and what of it."""

    name: str
    path: str  # as declared, relative to the study's folder
    wanted: Collection[str]
    ids: Collection[str]  # columns that are text in a CSV file, whatever they look like
    exact: Collection[str] = ()  # columns of a CSV file whose numbers stay text where a double would round them


class Part(NamedTuple):
    """One file as read; text ids are categorical, other text is text."""

    frame: pl.DataFrame  # the wanted columns that are there
    columns: tuple[str, ...]  # the names of all columns


class TableError(Exception):
    """One file cannot be read as a table; the text says why."""


def read_part(path: Path, request: TableRequest) -> Part:
    """A file as a part of a table, by its ending; raises TableError, OSError or a Polars error where it is none."""
    match FORMATS[path.suffix.lower()]:
        case "parquet":
            return _read_parquet(path, request)
        case "csv":
            return _read_csv(path, request)
        case _:
            return _read_jsonl(path, request)


def _read_parquet(path: Path, request: TableRequest) -> Part:
    try:
        scan = pl.scan_parquet(path, glob=False)  # a name may hold brackets
        schema = scan.collect_schema()
        wanted = [name for name in schema if name in request.wanted]
        _check_names(wanted)
        texts = [name for name in wanted if schema[name] in (pl.String, pl.Categorical, pl.Enum)]
        casts = [pl.col(name).cast(pl.Categorical if name in request.ids else pl.String) for name in texts]
        # Streamed, so that the ids of millions of records are never all there as text.
        return Part(scan.select(wanted).with_columns(casts).collect(engine="streaming"), tuple(schema))
    except pl.exceptions.PanicException as error:  # no Exception, and what some damaged files end in
        raise TableError("damaged: it cannot be decoded") from error


def _check_names(names: Iterable[str]) -> None:
    """Raise TableError where Polars would take a name for a pattern of names."""
    pattern = next((name for name in names if name == "*" or (name.startswith("^") and name.endswith("$"))), None)
    if pattern is not None:
        raise TableError(
            f"the column name {quoted(pattern)} is a pattern of names: '*', or what begins with ^ and ends in $"
        )


def _read_csv(path: Path, request: TableRequest) -> Part:
    """A CSV file as text columns, read twice: a file that two readers understand differently is refused.

    The csv module counts fields line by line; Polars tells an empty field, which is null, from a quoted empty text.
    """
    content = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TableError(f"not UTF-8 at byte {error.start}") from error
    columns, values = _csv_columns(text, request.wanted)
    _check_names(values)
    chosen = [columns.index(name) for name in values]
    try:
        frame = pl.read_csv(io.BytesIO(content), infer_schema=False, columns=chosen or [0])
    except pl.exceptions.PolarsError as error:
        raise TableError(_AMBIGUOUS) from error
    frame.columns = list(values) or frame.columns
    if any(frame[name].fill_null("").to_list() != expected for name, expected in values.items()):
        raise TableError(_AMBIGUOUS)
    return Part(frame.select(list(values)), columns)


def _csv_columns(text: str, wanted: Collection[str]) -> tuple[tuple[str, ...], dict[str, list[str]]]:
    """The header, and the fields of the wanted columns, an empty one as an empty text."""
    limit = csv.field_size_limit(len(text) + 1)
    records = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        columns = _csv_header(next(records, []))
        places = {name: i for i, name in enumerate(columns) if name in wanted}
        values: dict[str, list[str]] = {name: [] for name in places}
        for record in records:
            if len(record) != len(columns):
                found = f"has {len(record)} fields where the header has {len(columns)}" if record else "is blank"
                raise TableError(f"line {records.line_num} {found}")
            for name, i in places.items():
                values[name].append(record[i])
    except csv.Error as error:
        raise TableError(f"line {records.line_num}: {error}") from error
    finally:
        csv.field_size_limit(limit)
    return columns, values


def _csv_header(header: Sequence[str]) -> tuple[str, ...]:
    if not header:
        raise TableError("empty file: no header")
    twice = next((column for column in header if header.count(column) > 1), None)
    if twice is not None:
        raise TableError(f"column {quoted(twice)} is in the header twice")
    return tuple(header)


def _read_jsonl(path: Path, request: TableRequest) -> Part:
    """A JSON Lines file; a key that a line lacks is null."""
    columns: dict[str, None] = {}
    values: dict[str, list[object]] = {}
    height = 0
    for record in _json_records(path):
        columns.update(dict.fromkeys(record))
        for key in record.keys() & set(request.wanted):
            column = values.setdefault(key, [])
            column.extend([None] * (height - len(column)))
            column.append(record[key])
        height += 1
    _check_names(values)
    padded = {key: column + [None] * (height - len(column)) for key, column in values.items()}
    if height and not padded:  # records without any column asked for are still records
        padded[next(iter(request.ids))] = [None] * height
    series = [_json_column(name, column) for name, column in padded.items()]
    ids = [one.name for one in series if one.name in request.ids and one.dtype == pl.String]
    return Part(pl.DataFrame(series).with_columns(pl.col(ids).cast(pl.Categorical)), tuple(columns))


def _json_records(path: Path) -> Iterable[dict[str, object]]:
    """Every record; blank lines are passed over."""
    decoder = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_float=_double)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            line = line.removeprefix(codecs.BOM_UTF8 if number == 1 else b"").strip()
            if not line:
                continue
            try:
                record = decoder.decode(line.decode("utf-8"))
            except json.JSONDecodeError as error:
                raise TableError(f"line {number}, column {error.colno}: {error.msg}") from error
            except (ValueError, RecursionError) as error:
                raise TableError(f"line {number}: {error}") from error
            if not isinstance(record, dict):
                raise TableError(f"line {number} is no JSON object")
            yield record


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"key {quoted(next(key for key in keys if keys.count(key) > 1))} twice in one object")
    return record


def _no_constant(text: str) -> object:
    raise ValueError(f"{text} is no JSON")


def _double(text: str) -> float:
    """A JSON number as the nearest double; one beyond the doubles would become infinite, or zero."""
    value = float(text)
    if math.isinf(value) or (value == 0 and any(digit in "123456789" for digit in text.lower().partition("e")[0])):
        raise ValueError(f"the number {quoted(text)} is beyond a double")
    return value


def _json_column(name: str, values: Sequence[object]) -> pl.Series:
    types = {type(value) for value in values} - {type(None)}
    if types & {dict, list}:
        texts = [None if value is None else json.dumps(value).encode() for value in values]
        return pl.Series(name, texts, dtype=pl.Binary)
    try:
        if types == {int, float}:
            wholes = pl.Series(name, [value if isinstance(value, int) else None for value in values], dtype=pl.Int64)
            return whole_doubles(wholes).fill_null(pl.Series([v if isinstance(v, float) else None for v in values]))
        if len(types) <= 1:
            return pl.Series(name, values, strict=True)
    except (OverflowError, TypeError, UnicodeEncodeError, pl.exceptions.PolarsError) as error:
        raise TableError(f"column {quoted(name)} holds a value out of range") from error
    shown = ", ".join(text for kind, text in _JSON_TYPES.items() if kind in types)
    raise TableError(f"column {quoted(name)} mixes types: {shown}")


def whole_doubles(column: pl.Series) -> pl.Series:
    """Whole numbers as doubles; OverflowError where a double would round one."""
    numbers = column.cast(pl.Float64)
    if (column > 2**53).any() or (column < -(2**53)).any():
        raise OverflowError(f"a whole number beyond 2**53 in {column.name}")
    return numbers
