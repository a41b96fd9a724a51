"""Score tables (CSV, Parquet, JSON Lines), long or wide, with a mapping of their columns."""

from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

import polars as pl

from multiverse.errors import Fault, InputError, quoted, unknown_name
from multiverse.importers.log import Log
from multiverse.importers.records import in_unit
from multiverse.importers.score_table_choices import Labels, choices
from multiverse.importers.score_table_files import read_files, recognises
from multiverse.importers.sources import refuse

__all__ = ["Tables", "read", "read_tables", "recognises"]

_NAMES: Mapping[str, tuple[str, ...]] = {  # the columns taken for a part where no mapping says which
    "row": ("row_id",),
    "method": ("method", "model"),
    "score": ("score",),
    "epoch": ("epoch",),
    "status": ("status",),
    "cluster": ("cluster_id",),
    "stratum": ("stratum",),
    "label": (),
}
_KEYS = {"row": "row_id", "method": "method", "epoch": "epoch", "status": "status", "cluster": "cluster_id",
         "stratum": "stratum"}  # fmt: skip
_TEXT_PARTS = ("row", "method", "status", "cluster", "stratum")


class _Parts(NamedTuple):
    """Which columns are what."""

    row: str
    method: str | None  # None: a wide table, each score column a method
    scores: tuple[str, ...]
    keys: Mapping[str, str]  # of the other parts that are there
    label: str | None  # of rows: which of them are positive


class Tables(NamedTuple):
    """Score tables as the tables of a study."""

    rows: pl.DataFrame
    outcomes: pl.DataFrame
    scores: tuple[str, ...]  # the score columns
    labels: Labels | None
    names: tuple[str, ...]  # of the files
    notes: tuple[str, ...]


def read(sources: Sequence[Path], mapping: Mapping[str, Sequence[str]]) -> Log:
    """One study of all tables, which have the same columns."""
    tables = read_tables(sources, mapping)
    outcomes, notes = _scaled(tables.outcomes, tables.scores)
    pairs = "" if tables.labels is None else ", and whichever rows are paired"
    return Log(
        harness="a score table",
        has_rule=False,
        title=f"Scores of {', '.join(tables.names)}",
        rows=tables.rows,
        outcomes=outcomes,
        choices=choices(tables.rows, outcomes, tables.scores, tables.labels),
        populations={"everything": {}},
        headlines=(),
        notes=(*tables.notes, *notes),
        license=f"whether what the scores say of the methods holds whatever a state or a repeat counts as{pairs}",
    )


def read_tables(
    sources: Sequence[Path], mapping: Mapping[str, Sequence[str]], *, of_outcomes: Set[str] = frozenset()
) -> Tables:
    """Rows and outcomes of all tables; `of_outcomes`: columns of outcomes even where rows have them too."""
    texts = {name for key in _TEXT_PARTS for name in mapping.get(key, _NAMES[key])} | set(mapping.get("text", ()))
    paths, table = read_files(sources, texts)
    where = ", ".join(map(str, paths))
    parts = _parts(table, mapping, where)
    return _tables(_long(table, parts, where), parts, [path.name for path in paths], where, of_outcomes)


def _parts(table: pl.DataFrame, mapping: Mapping[str, Sequence[str]], where: str) -> _Parts:
    """Which columns are what: as mapped, or by their names."""
    faults = [
        unknown_name("--map", "part", part, [*_NAMES, "text"]) for part in mapping if part not in (*_NAMES, "text")
    ]
    faults += [
        unknown_name("--map", f"column of {where}", name, table.columns)
        for names in mapping.values()
        for name in names
        if name not in table.columns
    ]
    several = [part for part, names in mapping.items() if len(names) > 1 and part not in ("score", "text")]
    faults += [
        Fault(where="--map", found=f"{len(mapping[part])} columns for {part}", expected="one") for part in several
    ]
    if faults:
        raise InputError(faults)
    mapped = {name for part, names in mapping.items() if part != "text" for name in names}
    free = [name for name in table.columns if name not in mapped]
    found = {part: mapping[part][0] if part in mapping else _named(free, part) for part in _NAMES if part != "score"}
    if found["row"] is None:
        refuse(where, "no column row_id", "--map row=COLUMN, one of " + ", ".join(map(quoted, table.columns)))
    scores = tuple(mapping.get("score", ())) or _score_columns(table, found)
    if not scores:
        refuse(where, "no column of scores", "--map score=COLUMN, a column of numbers; several are allowed")
    keys = {part: name for part, name in found.items() if name is not None and part not in ("row", "method", "label")}
    label = found["label"]
    _check_apart([(part, name) for part, name in found.items() if name is not None] + [("score", s) for s in scores])
    return _Parts(found["row"], found["method"], scores, keys, label)


def _check_apart(parts: Sequence[tuple[str, str]]) -> None:
    """A fault where a column plays two parts."""
    known: dict[str, str] = {}
    for part, name in parts:
        other = known.setdefault(name, part)
        if other != part:
            refuse(
                "--map", f"the column {quoted(name)} for {other} and for {part}", "a column of its own for each part"
            )


def _named(columns: Sequence[str], part: str) -> str | None:
    return next((name for name in _NAMES[part] if name in columns), None)


def _score_columns(table: pl.DataFrame, found: Mapping[str, str | None]) -> tuple[str, ...]:
    """Of a long table the column `score`; of a wide one every column of numbers in [0, 1]."""
    if found["method"] is not None:
        return tuple(name for name in _NAMES["score"] if name in table.columns)
    others = [name for name in table.columns if name not in found.values()]
    return tuple(name for name in others if _in_unit(table[name]))


def _in_unit(column: pl.Series) -> bool:
    if column.dtype == pl.Boolean:
        return True
    if not column.dtype.is_numeric() or column.null_count() == len(column):
        return False
    known = column.fill_nan(None) if column.dtype.is_float() else column
    return bool(known.drop_nulls().is_between(0, 1).all())


def _long(table: pl.DataFrame, parts: _Parts, where: str) -> pl.DataFrame:
    """A record per outcome under the names of the substrate, rows without one among them with a null method."""
    clash = [
        name
        for name in _KEYS.values()
        if name in table.columns and name not in (parts.row, parts.method, *parts.keys.values())
    ]
    if clash:
        refuse(where, f"column {quoted(clash[0])} is mapped to nothing", "another name, or --map")
    renamed = {parts.row: "row_id"} | {name: _KEYS[part] for part, name in parts.keys.items()}
    if parts.method is not None:
        renamed[parts.method] = "method"
        return table.rename(renamed)
    rest = [name for name in table.columns if name not in parts.scores]
    if "score" in rest:
        refuse(where, "a column 'score' of a wide table that is no method", "--map method=COLUMN, or another name")
    scores = [
        table.select(*rest, pl.lit(name).alias("method"), pl.col(name).cast(pl.Float64).alias("score"))
        for name in parts.scores
    ]
    return pl.concat(scores).rename(renamed)


def _tables(long: pl.DataFrame, parts: _Parts, names: Sequence[str], where: str, of_outcomes: Set[str]) -> Tables:
    scores = parts.scores if parts.method is not None else ("score",)
    long = long.with_columns(pl.col("row_id", "method").cast(pl.String))
    _check_keys(long, where)
    long = long if parts.label is None else _labelled(long, parts.label, where)
    outcomes = _outcomes(long.filter(pl.col("method").is_not_null()), scores)
    if outcomes.is_empty():
        refuse(where, "no outcome", "at least one")
    of_rows = _of_rows(long, scores)
    if parts.label is not None and parts.label not in of_rows:
        refuse(where, f"the label {quoted(parts.label)} differs between records of a row", "one label for each row")
    rows = long.select("row_id", *of_rows).unique("row_id", keep="first", maintain_order=True)
    outcomes = outcomes.select([name for name in outcomes.columns if name not in of_rows or name in of_outcomes])
    keys = [name for name in ("row_id", "method", "epoch") if name in outcomes.columns]
    twice = outcomes.filter(outcomes.select(keys).is_duplicated())
    if twice.height:
        row, method = twice.select("row_id", "method").row(0)
        expected = "each row, method and epoch once; --map epoch=COLUMN names the repeats"
        refuse(where, f"row {quoted(row)} of {quoted(method)} twice or more", expected)
    wide = f"the table is wide: its methods are the columns {', '.join(map(quoted, parts.scores))}"
    return Tables(rows, outcomes, scores, _labels(parts), tuple(names), () if parts.method is not None else (wide,))


def _labelled(long: pl.DataFrame, label: str, where: str) -> pl.DataFrame:
    """The label as a truth value."""
    known = pl.col(label).cast(pl.Float64, strict=False)
    wrong = long.filter(~known.is_in([0.0, 1.0]).fill_null(value=False))
    if wrong.height:
        row, value = wrong.select("row_id", label).row(0)
        found = f"row {quoted(row)} has {'null' if value is None else repr(value)} in the column {quoted(label)}"
        refuse(where, found, "a label: true or false, or 1 or 0")
    return long.with_columns((known == 1).alias(label))


def _labels(parts: _Parts) -> Labels | None:
    """Which rows are positive, and what pairs may stay within: a stratum, a cluster."""
    within = {_KEYS[part]: parts.keys[part] for part in ("stratum", "cluster") if part in parts.keys}
    return None if parts.label is None else Labels(parts.label, within)


def _check_keys(long: pl.DataFrame, where: str) -> None:
    if long["row_id"].null_count():
        refuse(where, f"{long['row_id'].null_count()} records without a row id", "one in every record")


def _outcomes(long: pl.DataFrame, scores: Sequence[str]) -> pl.DataFrame:
    """The outcomes with a state each: what has no score and says nothing of why is unscored."""
    told = long.with_columns([pl.col(name).fill_nan(None) for name in scores if long.schema[name].is_float()])
    absent = pl.any_horizontal([pl.col(name).is_null() for name in scores])
    given = pl.col("status") if "status" in long.columns else pl.lit(None, dtype=pl.String)
    answered = given.is_null() | (given == "answered")
    status = pl.when(answered & absent).then(pl.lit("unscored")).otherwise(given.fill_null("answered"))
    return told.with_columns(status.alias("status"))


def _of_rows(long: pl.DataFrame, scores: Sequence[str]) -> list[str]:
    """The columns that say one thing of each row, its cluster and stratum among them."""
    fixed = [name for name in ("cluster_id", "stratum") if name in long.columns]
    others = [name for name in long.columns if name not in (*scores, *_KEYS.values())]
    counts = long.group_by("row_id").agg(pl.col(others).n_unique()) if others else None
    return [*fixed, *(name for name in others if counts is None or (counts[name] == 1).all())]


def _scaled(outcomes: pl.DataFrame, scores: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """Scores beyond [0, 1] brought into it, exactly, and a note on each column."""
    notes = []
    for name in scores:
        column = outcomes[name]
        if not column.dtype.is_numeric() or bool(column.drop_nulls().is_between(0, 1).all()):
            continue
        answered = (outcomes["status"] == "answered").to_list()
        series, scale, _ = in_unit(name, column.to_list(), answered)
        outcomes = outcomes.with_columns(series)
        notes.append(f"the scores of {quoted(name)} go beyond [0, 1]: a score x stands as {scale.words}")
    return outcomes, notes
