"""The files of score tables: CSV, Parquet and JSON Lines as frames, each column of one type."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from multiverse.errors import InputError, quoted
from multiverse.exact import parse_exact
from multiverse.importers.records import attribute
from multiverse.importers.sources import first_line, log_files, read_lines, refuse
from multiverse.substrate.formats import TableError, TableRequest, read_part

_LINES = (".jsonl", ".ndjson")
_DECIMAL = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,2})?$"


def recognises(*endings: str) -> Callable[[Path], bool]:
    """A test of whether a file ends as a score table does, and begins with the columns of a long one."""

    def told(path: Path) -> bool:
        if path.suffix.lower() not in endings or not path.stat().st_size:
            return False
        try:
            names = set(_columns(path))
        except (InputError, TableError, OSError, pl.exceptions.PolarsError):
            return False
        return {"row_id", "method"} <= names

    return told


class Files(NamedTuple):
    """Score tables that have the same columns."""

    paths: list[Path]
    table: pl.DataFrame  # all of them, one below another


def read_files(sources: Sequence[Path], texts: Collection[str]) -> Files:
    """All score tables; `texts`: columns of a CSV file that are text whatever they hold."""
    paths = log_files(sources, lambda path: path.suffix.lower() in (".csv", ".parquet", *_LINES), "tables")
    frames = [_frame(path, texts) for path in paths]
    columns = frames[0].columns
    for path, frame in zip(paths, frames, strict=True):
        if set(frame.columns) != set(columns):
            other = sorted(set(frame.columns) ^ set(columns))
            refuse(path, f"other columns than {paths[0]}: {', '.join(map(quoted, other))}", "the same in all tables")
    return Files(paths, _same_types([frame.select(columns) for frame in frames]))


def _columns(path: Path) -> Sequence[str]:
    """The names of a table's columns; of JSON Lines those of the first line."""
    if path.suffix.lower() in _LINES:
        return list(first_line(path))
    return read_part(path, TableRequest(path.name, path.name, (), ())).columns


def _frame(path: Path, texts: Collection[str]) -> pl.DataFrame:
    """A table as it is: columns of a CSV file as what they hold."""
    try:
        return _json_frame(path) if path.suffix.lower() in _LINES else _table_frame(path, texts)
    except (TableError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        refuse(path, f"cannot be read: {reason}", "a whole table")


def _table_frame(path: Path, texts: Collection[str]) -> pl.DataFrame:
    columns = _columns(path)
    part = read_part(path, TableRequest(path.name, path.name, columns, ()))
    if path.suffix.lower() != ".csv":
        return part.frame
    return part.frame.with_columns([_inferred(part.frame[name]) for name in columns if name not in texts])


def _inferred(column: pl.Series) -> pl.Series:
    """A column of a CSV file as truth values, whole numbers or numbers where each value is exactly one of these."""
    values = column.drop_nulls()
    if values.is_empty():
        return column
    if values.str.to_lowercase().is_in(["true", "false"]).all():
        return (column.str.to_lowercase() == "true").alias(column.name)
    for dtype in (pl.Int64, pl.Float64):
        number = column.cast(dtype, strict=False)
        if number.null_count() == column.null_count() and (number.cast(pl.String) == column).all():
            return number
    if not values.str.contains(_DECIMAL).all():
        return column
    exact = all(parse_exact(text) == parse_exact(repr(float(text))) for text in values.unique())
    return column.cast(pl.Float64) if exact else column


def _json_frame(path: Path) -> pl.DataFrame:
    """JSON Lines, where NaN is read as no score; what is nested or a long text is no attribute, and is not kept."""
    columns: dict[str, list[Any]] = {}
    left_out: set[str] = set()
    for height, (_, record) in enumerate(read_lines(path)):
        for name in [name for name in record if name not in columns]:
            columns[name] = [None] * height
        for name, values in columns.items():
            value = record.get(name)
            kept, plain = (True, value) if isinstance(value, float) else attribute(value)
            left_out |= set() if kept else {name}
            values.append(plain if kept else None)
    return pl.DataFrame([_json_column(name, values) for name, values in columns.items() if name not in left_out])


def _json_column(name: str, values: list[Any]) -> pl.Series:
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {int, float}:
        return pl.Series(name, values, dtype=pl.Float64 if float in kinds or not kinds else pl.Int64)
    if len(kinds) > 1:
        shown = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise TableError(f"column {quoted(name)} mixes types: {shown}")
    return pl.Series(name, values)


def _same_types(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The tables one below another; a column that is text in one is text in all."""
    if len(frames) == 1:
        return frames[0]
    texts = [name for name in frames[0].columns if any(frame.schema[name] == pl.String for frame in frames)]
    return pl.concat([frame.with_columns(pl.col(texts).cast(pl.String)) for frame in frames], how="vertical_relaxed")
