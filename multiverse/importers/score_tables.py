"""Score tables (CSV, Parquet, JSON Lines), long or wide, with a mapping of their columns."""

from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from multiverse.errors import Fault, InputError, quoted, unknown_name
from multiverse.exact import parse_exact
from multiverse.importers.choices import (
    Column,
    Combining,
    StateRule,
    aggregation_choice,
    disposition_choice,
    dropped,
    scoring_choice,
)
from multiverse.importers.log import Choice, Log
from multiverse.importers.records import attribute, in_unit
from multiverse.importers.reducers import combining
from multiverse.importers.sources import log_files, read_lines, refuse
from multiverse.substrate.formats import TableError, TableRequest, read_part

_NAMES: Mapping[str, tuple[str, ...]] = {  # the columns taken for a part where no mapping says which
    "row": ("row_id",),
    "method": ("method", "model"),
    "score": ("score",),
    "epoch": ("epoch",),
    "status": ("status",),
    "cluster": ("cluster_id",),
    "stratum": ("stratum",),
}
_KEYS = {"row": "row_id", "method": "method", "epoch": "epoch", "status": "status", "cluster": "cluster_id",
         "stratum": "stratum"}  # fmt: skip
_DECIMAL = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,2})?$"
_TEXT_PARTS = ("row", "method", "status", "cluster", "stratum")
_WHY = {
    "unscored": "no score, or NaN, and no status that says why",
    "missing": "no record of the row for the method",
}


class _Parts(NamedTuple):
    """Which columns are what."""

    row: str
    method: str | None  # None: a wide table, each score column a method
    scores: tuple[str, ...]
    keys: Mapping[str, str]  # of the other parts that are there


def recognises(*endings: str) -> Any:  # noqa: ANN401 (a test of paths)
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


class Tables(NamedTuple):
    """Score tables as the tables of a study."""

    rows: pl.DataFrame
    outcomes: pl.DataFrame
    scores: tuple[str, ...]  # the score columns
    names: tuple[str, ...]  # of the files
    notes: tuple[str, ...]


def read(sources: Sequence[Path], mapping: Mapping[str, Sequence[str]]) -> Log:
    """One study of all tables, which have the same columns."""
    tables = read_tables(sources, mapping)
    outcomes, notes = _scaled(tables.outcomes, tables.scores)
    return Log(
        harness="a score table",
        title=f"Scores of {', '.join(tables.names)}",
        rows=tables.rows,
        outcomes=outcomes,
        choices=_choices(tables.rows, outcomes, tables.scores),
        populations={"everything": {}},
        headlines=(),
        notes=(*tables.notes, *notes),
        license="whether what the scores say of the methods holds whatever a state or a repeat counts as",
    )


def read_tables(
    sources: Sequence[Path], mapping: Mapping[str, Sequence[str]], *, of_outcomes: Set[str] = frozenset()
) -> Tables:
    """Rows and outcomes of all tables; `of_outcomes`: columns of outcomes even where rows have them too."""
    paths = log_files(sources, lambda path: path.suffix.lower() in (".csv", ".parquet", ".jsonl", ".ndjson"), "tables")
    frames = [_frame(path, mapping) for path in paths]
    first = frames[0]
    for path, frame in zip(paths, frames, strict=True):
        if set(frame.columns) != set(first.columns):
            other = sorted(set(frame.columns) ^ set(first.columns))
            refuse(path, f"other columns than {paths[0]}: {', '.join(map(quoted, other))}", "the same in all tables")
    table = _same_types([frame.select(first.columns) for frame in frames])
    where = ", ".join(map(str, paths))
    parts = _parts(table, mapping, where)
    return _tables(_long(table, parts, where), parts, [path.name for path in paths], where, of_outcomes)


def _columns(path: Path) -> Sequence[str]:
    """The names of a table's columns; of JSON Lines those of the first line."""
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return list(next(read_lines(path)).content)
    return read_part(path, TableRequest(path.name, path.name, (), ())).columns


def _frame(path: Path, mapping: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """A table as it is: ids as text, columns of a CSV file as what they hold."""
    try:
        if path.suffix.lower() in (".jsonl", ".ndjson"):
            return _json_frame(path)
        return _table_frame(path, mapping)
    except (TableError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        refuse(path, f"cannot be read: {reason}", "a whole table")


def _table_frame(path: Path, mapping: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    columns = _columns(path)
    part = read_part(path, TableRequest(path.name, path.name, columns, ()))
    if path.suffix.lower() != ".csv":
        return part.frame
    named = {name for key in _TEXT_PARTS for name in mapping.get(key, _NAMES[key])} | set(mapping.get("text", ()))
    return part.frame.with_columns([_inferred(part.frame[name]) for name in columns if name not in named])


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
    found = {part: mapping[part][0] if part in mapping else _named(table, part) for part in _NAMES if part != "score"}
    if found["row"] is None:
        refuse(where, "no column row_id", "--map row=COLUMN, one of " + ", ".join(map(quoted, table.columns)))
    scores = tuple(mapping.get("score", ())) or _score_columns(table, found)
    if not scores:
        refuse(where, "no column of scores", "--map score=COLUMN, a column of numbers; several are allowed")
    keys = {part: name for part, name in found.items() if name is not None and part not in ("row", "method")}
    return _Parts(found["row"], found["method"], scores, keys)


def _named(table: pl.DataFrame, part: str) -> str | None:
    return next((name for name in _NAMES[part] if name in table.columns), None)


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
    told = table.with_columns([pl.col(name).cast(pl.Float64) for name in parts.scores])
    return told.unpivot(list(parts.scores), index=rest, variable_name="method", value_name="score").rename(renamed)


def _tables(long: pl.DataFrame, parts: _Parts, names: Sequence[str], where: str, of_outcomes: Set[str]) -> Tables:
    scores = parts.scores if parts.method is not None else ("score",)
    long = long.with_columns(pl.col("row_id", "method").cast(pl.String))
    _check_keys(long, where)
    outcomes = _outcomes(long.filter(pl.col("method").is_not_null()), scores)
    if outcomes.is_empty():
        refuse(where, "no outcome", "at least one")
    of_rows = _of_rows(long, scores)
    rows = long.select("row_id", *of_rows).unique("row_id", keep="first", maintain_order=True)
    outcomes = outcomes.select([name for name in outcomes.columns if name not in of_rows or name in of_outcomes])
    keys = [name for name in ("row_id", "method", "epoch") if name in outcomes.columns]
    twice = outcomes.filter(outcomes.select(keys).is_duplicated())
    if twice.height:
        row, method = twice.select("row_id", "method").row(0)
        expected = "each row, method and epoch once; --map epoch=COLUMN names the repeats"
        refuse(where, f"row {quoted(row)} of {quoted(method)} twice or more", expected)
    wide = f"the table is wide: its methods are the columns {', '.join(map(quoted, parts.scores))}"
    return Tables(rows, outcomes, scores, tuple(names), () if parts.method is not None else (wide,))


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
        series, (low, scale), _ = in_unit(name, column.to_list(), answered)
        outcomes = outcomes.with_columns(series)
        notes.append(f"the scores of {quoted(name)} go beyond [0, 1]: a score x stands as (x - {low}) / {scale}")
    return outcomes, notes


def _choices(rows: pl.DataFrame, outcomes: pl.DataFrame, scores: Sequence[str]) -> tuple[Choice, ...]:
    states = dict(sorted(outcomes.group_by("status").len().iter_rows()))
    absent = rows.height * outcomes["method"].n_unique() - outcomes.select("row_id", "method").unique().height
    states |= {"missing": absent} if absent else {}
    repeats = int(outcomes.group_by("row_id", "method").len()["len"].max() or 0)  # type: ignore[arg-type]
    values = frozenset(v for name in scores for v in outcomes[name].unique() if v is not None)
    rules = combining([], repeats, values).rules
    aggregations = [("row_mean", "every row counts the same")]
    if "cluster_id" in rows.columns:
        aggregations.append(("cluster_mean", "rows of one cluster count once together"))
    if "stratum" in rows.columns:
        aggregations.append(("stratum_mean", "every stratum counts the same"))
    every = (
        disposition_choice("dropped", _rules(states), states),
        _scoring(scores, rules),
        aggregation_choice(aggregations, "What counts the same: a row, a cluster or a stratum."),
    )
    return tuple(choice for choice in every if choice is not None)


def _rules(states: Iterable[str]) -> list[StateRule]:
    """A table has no harness: each state is left out or counts as 0, and to leave it out comes first."""
    named = [state for state in states if state != "answered"]
    return [
        dropped(
            state,
            _WHY.get(state, "a status of the table"),
            f"{state} says nothing of the answer",
            f"{state} is no success",
        )
        for state in dict.fromkeys([*named, "missing"])
    ]


def _scoring(scores: Sequence[str], rules: Sequence[Combining]) -> Choice | None:
    columns = [Column(name, name, f"the column {name}") for name in scores]
    return scoring_choice(columns, rules, "The score column, and how the epochs of a row combine.")
