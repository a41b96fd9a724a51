"""The results folder of one audit read back: its record and tables, checked to be whole and of one another."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from multiverse.errors import BusyError, Fault, InputError, quoted
from multiverse.output import RECORD
from multiverse.output import TABLES as FOLDER
from multiverse.record import SCHEMA, TABLES, Json, table_columns

_AUDIT = "what `multiverse audit` writes: record.json, with tables/ beside it"
_AGAIN = "it as it was written: audit the study again"
_KEYS: Mapping[str, type] = {
    **dict.fromkeys(("study", "title", "license", "family", "status"), str),
    **dict.fromkeys(("coordinates", "specs", "gates"), list),
    **dict.fromkeys(("endpoints", "populations"), dict),
}
_ENDPOINTS = ("effects", "contrasts", "stratum_contrasts", "decompositions")
_POPULATION_KEYS = (
    *("rows", "clusters", "ranking", "effects", "decompositions", "contrasts", "stratum_contrasts"),
    *("identified", "drops", "uncertainty"),
)
_NEW_KEYS = ("title", "license", "endpoints")  # which records had not before there were reports
_LABELS = ("study", "family", "status")
_ONCE_MORE = "audit the study again; if this is said again, it is a fault of multiverse"
_UNLIKE = (  # what values of another kind than an audit writes lead to
    *(ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
    *(pl.exceptions.PolarsError,),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Results:
    """What one audit wrote: the record and the tables beside it."""

    folder: Path
    content: bytes  # of record.json
    record: Json
    tables: Mapping[str, pl.DataFrame]  # by name, those of `multiverse.record.TABLES`


@contextmanager
def as_written(folder: Path) -> Iterator[None]:
    """Take what fails over the values of a record or its tables for a fault of them: somebody may have changed them.

    `read_results` checks what is there, and this stands for a check of every single value.
    """
    try:
        yield
    except _UNLIKE as error:
        what = f"{type(error).__name__}: {quoted(str(error))}"
        found = f"no report can be made of it, or of {FOLDER}/ beside it: {what}"
        expected = (
            "both as an audit wrote them: audit the study again; if this is said again, it is a fault of multiverse"
        )
        raise InputError([Fault(where=str(folder / RECORD), found=found, expected=expected)]) from error


def read_results(folder: Path) -> Results:
    """The record and tables in a folder that an audit has written.

    Raises InputError, with every fault, where something is missing, of another kind, or not of this record; and
    BusyError where an audit writes into the folder meanwhile.
    """
    content = _record_bytes(folder)
    record = _record(folder / RECORD, content)
    faults: list[Fault] = []
    tables = {name: _table(folder, name, record, faults) for name in TABLES}
    if not _still(folder / RECORD, content):
        raise BusyError(f"another multiverse is writing into {folder}; wait until it has ended")
    found = {name: table for name, table in tables.items() if table is not None}
    if not faults:
        faults.extend(_disagreements(folder, record, found))
    if faults:
        raise InputError(faults)
    return Results(folder=folder, content=content, record=record, tables=found)


def _record_bytes(folder: Path) -> bytes:
    if not folder.is_dir():
        found = "a file" if folder.exists() else "no such folder"
        raise InputError([Fault(where=str(folder), found=found, expected=f"a folder with {_AUDIT}")])
    try:
        return (folder / RECORD).read_bytes()
    except FileNotFoundError:
        raise InputError([Fault(where=str(folder), found=f"no {RECORD} in it", expected=_AUDIT)]) from None
    except OSError as error:
        found = f"cannot be read: {error.strerror}"
        raise InputError([Fault(where=str(folder / RECORD), found=found, expected=_AUDIT)]) from error


def _still(path: Path, content: bytes) -> bool:
    """Whether the record is there yet: while an audit writes, it is away, and then it is another."""
    try:
        return path.read_bytes() == content
    except OSError:
        return False


def _record(path: Path, content: bytes) -> Json:
    """The record as JSON, with every key and those of its populations."""
    try:
        record = json.loads(content)
    except ValueError as error:  # not UTF-8 either
        raise InputError([Fault(where=str(path), found=f"no JSON: {error}", expected=f"a record, {SCHEMA}")]) from error
    schema = record.get("schema") if isinstance(record, dict) else None
    if schema != SCHEMA:
        found = "no schema" if schema is None else f"the schema {quoted(str(schema))}"
        raise InputError([Fault(where=str(path), found=found, expected=f"a record, {SCHEMA}")])
    faults = list(_key_faults(str(path), record))
    if faults:
        raise InputError(faults)
    return dict(record)


def _key_faults(where: str, record: Json) -> Iterator[Fault]:
    if not any(key in record for key in _NEW_KEYS):
        found = "a record of an earlier version, which does not describe itself"
        yield Fault(where=where, found=found, expected="one of this version: audit the study again")
        return
    wrong = [key for key, kind in _KEYS.items() if not isinstance(record.get(key), kind)]
    wrong += [key for key in ("coordinates", "specs") if key not in wrong and not _are_texts(record[key])]
    asked = record.get("endpoints")
    if isinstance(asked, dict):
        wrong += [f"endpoints.{key}" for key in _ENDPOINTS if not isinstance(asked.get(key), list)]
    for key in wrong:
        yield Fault(where=where, found=f"the key {key} is missing or of another kind", expected=_AGAIN)
    populations = record.get("populations")
    for name, population in populations.items() if isinstance(populations, dict) else ():
        missing = [key for key in _POPULATION_KEYS if not isinstance(population, dict) or key not in population]
        if missing:
            yield Fault(where=where, found=f"population {quoted(name)} has no {', '.join(missing)}", expected=_AGAIN)


def _are_texts(values: list[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _table(folder: Path, name: str, record: Json, faults: list[Fault]) -> pl.DataFrame | None:
    """A table with its columns in their order; None, with a fault, where it is not that."""
    path = folder / FOLDER / f"{name}.parquet"
    if not path.is_file():
        faults.append(Fault(where=str(path), found="no such file", expected=_AGAIN))
        return None
    try:
        table, labels = pl.read_parquet(path), pl.read_parquet_metadata(path)
    except (OSError, pl.exceptions.PolarsError):
        faults.append(Fault(where=str(path), found="cannot be read as a Parquet file", expected=_AGAIN))
        return None
    other = [label for label in _LABELS if labels.get(f"multiverse.{label}") != record[label]]
    if other:
        found = f"a table of another {' and '.join(other)}"
        faults.append(Fault(where=str(path), found=found, expected=f"that of the {RECORD} beside it"))
        return None
    columns = table_columns(name, record)
    wrong = [column for column, kind in columns.items() if table.schema.get(column) != kind]
    if wrong:
        found = f"missing, or of another type: {', '.join(wrong)}"
        faults.append(Fault(where=str(path), found=found, expected=f"the columns {', '.join(columns)}"))
        return None
    return table.select(list(columns))


def _disagreements(folder: Path, record: Json, tables: Mapping[str, pl.DataFrame]) -> Iterable[Fault]:
    """Tables of another record: of other specifications, populations or identified sets."""
    specs, populations = record["specs"], list(record["populations"])
    if tables["specifications"]["spec"].to_list() != specs:
        yield _other(folder, "specifications", "other specifications")
    for name in ("levels", "rankings"):
        if _distinct(tables[name], "spec") != set(specs) or _distinct(tables[name], "population") != set(populations):
            yield _other(folder, name, "other specifications or populations")
    if not _are_identified(tables["identified"], record):
        yield _other(folder, "identified", "other identified sets")


def _other(folder: Path, name: str, what: str) -> Fault:
    path = folder / FOLDER / f"{name}.parquet"
    return Fault(where=str(path), found=f"{what} than in the record", expected=f"the table of the {RECORD} beside it")


def _distinct(table: pl.DataFrame, column: str) -> set[str]:
    return set(table[column].unique())


def _are_identified(identified: pl.DataFrame, record: Json) -> bool:
    """Whether the table has the sets of the record: as many values of each, its least and greatest among them."""
    keys = ("population", "endpoint", "a", "b")
    held = {tuple(key): texts for *key, texts in identified.group_by(keys).agg("exact").iter_rows()}
    recorded = {
        (name, one["endpoint"], one["a"], one["b"]): one
        for name, population in record["populations"].items()
        for one in population["identified"]
        if one["count"]
    }
    return held.keys() == recorded.keys() and all(
        len(held[key]) == one["count"] and {end["exact"] for end in (one["min"], one["max"]) if end} <= set(held[key])
        for key, one in recorded.items()
    )
