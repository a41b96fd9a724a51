"""Ids to integer codes, with the faults that show when tables meet: duplicates, nulls, rows that are not there."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import polars as pl

from multiverse.declaration import Declaration
from multiverse.declaration.study import Named
from multiverse.errors import Fault, quoted, unknown_name
from multiverse.substrate.columns import TableContract, aliased, attributes, located
from multiverse.substrate.scores import exact_scores
from multiverse.substrate.tables import Table

ANSWERED, EMPTY, MISSING = 0, 1, 2
_FIXED_STATES = ("answered", "empty", "missing")


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreColumn:
    """The exact values of a score column, and the column of the answers that holds their codes."""

    alias: str
    values: tuple[Fraction, ...]


class CodedRows(NamedTuple):
    """The rows table."""

    frame: pl.DataFrame  # cluster, stratum (codes; stratum null without one), attributes; a row's position is its code
    ids: pl.Series
    strata: tuple[str, ...]


class CodedAnswers(NamedTuple):
    """The predictions or outcomes of the study's methods."""

    frame: pl.DataFrame
    methods: tuple[str, ...]
    states: tuple[str, ...]
    scores: Mapping[str, ScoreColumn]
    table: Table


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """What every step of reading needs; faults are collected."""

    declaration: Declaration
    contracts: Mapping[str, TableContract]
    tables: Mapping[str, Table]
    faults: list[Fault]

    @property
    def row_key(self) -> str:
        """The column that holds row ids."""
        return self.declaration.substrate.key("row")

    def fault_where(self, table: Table, column: str, wrong: pl.Series, found: str, expected: str) -> None:
        """One fault for all records where `wrong` is true: the first, its value in place of {}, and how many more."""
        count = int(wrong.sum() or 0)
        if not count:
            return
        first = int(wrong.fill_null(value=False).arg_max() or 0)
        row, value = table.frame[self.row_key][first], table.frame[column][first]
        shown = found.replace("{}", quoted(value) if isinstance(value, str) else str(value))
        more = f" ({count - 1} more)" if count > 1 else ""
        self.faults.append(Fault(where=located(table, column, row), found=shown + more, expected=expected))

    def check_no_nulls(self, table: Table, *columns: str) -> None:
        """A null where an id is needed is a fault."""
        for column in columns:
            self.fault_where(table, column, table.frame[column].is_null(), "null", "an id")


def code_rows(reader: Reader) -> CodedRows:
    """The rows: unique ids, dense cluster and stratum codes (the row itself, and none, where the columns lack)."""
    table, substrate = reader.tables["rows"], reader.declaration.substrate
    ids, cluster, stratum = (substrate.key(key) for key in ("row", "cluster", "stratum"))
    reader.check_no_nulls(table, ids)
    present = table.frame[ids].is_not_null()
    reader.fault_where(table, ids, table.frame[ids].is_duplicated() & present, "duplicate row id {}", "each row once")
    if table.frame.is_empty():
        reader.faults.append(Fault(where=located(table), found="no row", expected="at least one"))
    clusters = pl.Series("cluster", range(table.frame.height), dtype=pl.UInt32)
    if cluster in table.frame.columns:
        reader.check_no_nulls(table, cluster)
        clusters = _dense(table.frame[cluster]).alias("cluster")
    strata, codes = _strata(table, stratum)
    _check_strata(reader, table, stratum, strata)
    frame = pl.DataFrame([clusters, codes, *aliased(table, attributes(table, reader.contracts["rows"]))])
    return CodedRows(frame, table.frame[ids], strata)


def _strata(table: Table, stratum: str) -> tuple[tuple[str, ...], pl.Series]:
    if stratum not in table.frame.columns:
        return (), pl.Series("stratum", [None], dtype=pl.UInt32).new_from_index(0, table.frame.height)
    names = table.frame[stratum].cast(pl.String)
    known = tuple(names.drop_nulls().unique().sort().to_list())
    return known, names.cast(pl.Enum(known)).to_physical().cast(pl.UInt32).alias("stratum")


def _check_strata(reader: Reader, table: Table, stratum: str, strata: tuple[str, ...]) -> None:
    """Strata that something uses are there, in every row."""
    declaration = reader.declaration
    used = any(option.rule == "stratum_mean" for option in declaration.coordinates.aggregation)
    used = used or bool(declaration.endpoints.stratum_contrasts)
    if used and stratum not in table.frame.columns:
        reader.faults.append(unknown_name(located(table), "column", stratum, table.columns))
    elif used:
        reader.check_no_nulls(table, stratum)
    named = [name for contrast in declaration.endpoints.stratum_contrasts for name in contrast.minus]
    reader.faults.extend(
        unknown_name(name.place, "stratum", name.text, strata) for name in named if name.text not in strata
    )


def _dense(column: pl.Series) -> pl.Series:
    return (column.rank("dense") - 1).cast(pl.UInt32)


def code_objects(reader: Reader, rows: CodedRows) -> pl.DataFrame:
    """The reference objects: r, g, o, attributes."""
    table = reader.tables["objects"]
    reader.check_no_nulls(table, "group_id", "object_id")
    coded = [_row_codes(reader, table, rows), table.frame["group_id"].alias("g"), table.frame["object_id"].alias("o")]
    return pl.DataFrame([*coded, *aliased(table, attributes(table, reader.contracts["objects"]))])


def _row_codes(reader: Reader, table: Table, rows: CodedRows) -> pl.Series:
    """The position of each record's row; a null id or an unknown one is a fault."""
    key = reader.row_key
    reader.check_no_nulls(table, key)
    index = pl.DataFrame({"id": rows.ids, "r": pl.Series(range(len(rows.ids)), dtype=pl.UInt32)})
    index = index.filter(pl.col("id").is_not_null()).unique("id", keep="first", maintain_order=True)
    ids = table.frame.select(id=pl.col(key))
    if ids.schema["id"] != index.schema["id"] and ids.schema["id"].is_integer() and index.schema["id"].is_integer():
        ids, index = ids.cast(pl.Int128), index.cast({"id": pl.Int128})
    if pl.Null in (ids.schema["id"], index.schema["id"]) or index.is_empty():
        codes = pl.Series("r", [None], dtype=pl.UInt32).new_from_index(0, ids.height)
    else:
        codes = ids.lazy().join(index.lazy(), on="id", how="left", maintain_order="left").select("r").collect()["r"]
    unknown = codes.is_null() & ids["id"].is_not_null()
    reader.fault_where(table, key, unknown, "unknown row {}", "a row of the rows table")
    return codes


def code_predictions(reader: Reader, rows: CodedRows) -> CodedAnswers:
    """Predicted hypotheses and explicit non-answers of the study's methods: r, m, h, o, state, attributes."""
    table = reader.tables["predictions"]
    codes, methods = _method_codes(reader, table)
    frame, none = table.frame, table.frame["hypothesis_id"].is_null()
    reader.fault_where(table, "object_id", frame["object_id"].is_null() & ~none, "null", "the id of a predicted object")
    no_hypothesis = none & frame["object_id"].is_not_null()
    reader.fault_where(table, "object_id", no_hypothesis, "{} without a hypothesis_id", "null in a non-answer")
    status = _statuses(table)
    answered = (status == "answered") & none
    reader.fault_where(table, "hypothesis_id", answered, "null in a record with status 'answered'", "a hypothesis id")
    labelled = status.is_not_null() & (status != "answered") & ~none
    if "status" in frame.columns:
        reader.fault_where(table, "status", labelled, "{} in a record with a hypothesis", "null, or 'answered'")
    labels = pl.select(pl.when(none).then(status.fill_null("empty")).otherwise(pl.lit("answered"))).to_series()
    state, states = _state_codes(labels)
    parts = [
        _row_codes(reader, table, rows),
        codes,
        frame["hypothesis_id"].alias("h"),
        frame["object_id"].alias("o"),
        state,
    ]
    return CodedAnswers(_of_methods(reader, table, parts), methods, states, {}, table)


def code_outcomes(reader: Reader, rows: CodedRows) -> CodedAnswers:
    """Scored outcomes of the study's methods: r, m, epoch, state, score codes, attributes."""
    table = reader.tables["outcomes"]
    codes, methods = _method_codes(reader, table)
    state, states = _state_codes(_statuses(table).fill_null("answered"))
    row_codes = _row_codes(reader, table, rows)
    epochs = _epochs(reader, table)
    repeated = pl.DataFrame([row_codes, codes, epochs]).is_duplicated() & row_codes.is_not_null() & codes.is_not_null()
    twice = "(row, method, epoch)" if "epoch" in table.frame.columns else "(row, method), and there is no column epoch"
    reader.fault_where(table, "method", repeated, f"method {{}} has the same {twice}, twice or more", "each once")
    scores, score_parts = {}, []
    for i, column in enumerate(reader.contracts["outcomes"].plain):
        score_codes, values = exact_scores(table.frame[column])
        reader.fault_where(
            table,
            column,
            score_codes.is_null() & (state == ANSWERED) & codes.is_not_null(),
            "{} in an answered record",
            "a score in [0, 1]",
        )
        scores[column] = ScoreColumn(alias=f"v{i}", values=values)
        score_parts.append(score_codes.alias(f"v{i}"))
    frame = _of_methods(reader, table, [row_codes, codes, epochs, state, *score_parts])
    return CodedAnswers(frame, methods, states, scores, table)


def _epochs(reader: Reader, table: Table) -> pl.Series:
    if "epoch" not in table.frame.columns:
        return pl.Series("epoch", [0], dtype=pl.Int64).new_from_index(0, table.frame.height)
    if table.kind("epoch") not in ("integer", "null"):
        found = f"holds values of type {table.frame.schema['epoch']}"
        reader.faults.append(Fault(where=located(table, "epoch"), found=found, expected="whole numbers"))
        return pl.Series("epoch", range(table.frame.height), dtype=pl.Int64)
    reader.check_no_nulls(table, "epoch")
    return table.frame["epoch"].cast(pl.Int64).alias("epoch")


def _method_codes(reader: Reader, table: Table) -> tuple[pl.Series, tuple[str, ...]]:
    """Method codes in code-point order of the names; null for a method the study leaves out."""
    reader.check_no_nulls(table, "method")
    names = table.frame["method"].cast(pl.String)
    found = names.drop_nulls().unique().sort().to_list()
    declared = reader.declaration.methods
    methods = found if declared is None else sorted(name.text for name in declared)
    pairs = [Named(name, effect.place) for effect in reader.declaration.endpoints.effects for name in effect.pair]
    for name in (*(declared or ()), *(pairs if declared is None else ())):
        if name.text not in found:
            reader.faults.append(unknown_name(name.place, "method", name.text, found))
    if not found:
        reader.faults.append(Fault(where=located(table, "method"), found="no method", expected="at least one"))
    kept = pl.select(pl.when(names.is_in(methods)).then(names)).to_series()
    return kept.cast(pl.Enum(methods)).to_physical().cast(pl.UInt32).alias("m"), tuple(methods)


def _statuses(table: Table) -> pl.Series:
    if "status" not in table.frame.columns:
        return pl.Series("status", [None], dtype=pl.String).new_from_index(0, table.frame.height)
    return table.frame["status"].cast(pl.String)


def _state_codes(labels: pl.Series) -> tuple[pl.Series, tuple[str, ...]]:
    own = labels.unique().drop_nulls().sort().to_list()
    states = (*_FIXED_STATES, *(label for label in own if label not in _FIXED_STATES))
    return labels.cast(pl.Enum(states)).to_physical().cast(pl.UInt16).alias("state"), states


def _of_methods(reader: Reader, table: Table, parts: list[pl.Series]) -> pl.DataFrame:
    """The coded records of the study's methods, with their attributes."""
    frame = pl.DataFrame([*parts, *aliased(table, attributes(table, reader.contracts[table.name]))])
    return frame if frame["m"].null_count() == 0 else frame.filter(pl.col("m").is_not_null())
