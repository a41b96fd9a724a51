"""Ids to integer codes, with the faults that show when tables meet: duplicates, nulls, rows that are not there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import NamedTuple

import polars as pl

from multiverse.declaration import Declaration
from multiverse.declaration.study import Named
from multiverse.errors import Fault, quoted, unknown_name
from multiverse.substrate.columns import TableContract, aliased, attributes, located
from multiverse.substrate.scores import exact_scores
from multiverse.substrate.tables import Table, uncategorical

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
        row, text = table.frame[self.row_key][first], _shown(table.frame[column].slice(first, 1))
        more = f" ({count - 1} more)" if count > 1 else ""
        where = located(table, column, row, file=table.file_of(first))
        self.faults.append(Fault(where=where, found=found.replace("{}", text) + more, expected=expected))

    def check_no_nulls(self, table: Table, *columns: str) -> None:
        """A null where an id is needed is a fault."""
        for column in columns:
            self.fault_where(table, column, table.frame[column].is_null(), "null", "an id")


def _shown(value: pl.Series) -> str:
    """One value as a message shows it: text in quotes, a float as its shortest decimal at its own width."""
    scalar = value.to_numpy()[0] if value.dtype.is_float() and value.null_count() == 0 else value[0]
    return "null" if scalar is None else quoted(scalar) if isinstance(scalar, str) else str(scalar)


def code_rows(reader: Reader) -> CodedRows:
    """The rows: unique ids, dense cluster and stratum codes (the row itself, and none, where the columns lack)."""
    table, substrate = reader.tables["rows"], reader.declaration.substrate
    ids, cluster, stratum = (substrate.key(key) for key in ("row", "cluster", "stratum"))
    reader.check_no_nulls(table, ids)
    present = table.frame[ids].is_not_null()
    reader.fault_where(table, ids, table.frame[ids].is_duplicated() & present, "duplicate row id {}", "each row once")
    if table.frame.is_empty():
        reader.faults.append(Fault(where=located(table), found="no row", expected="at least one"))
    named = cluster if cluster in table.frame.columns else ids
    if named == cluster:
        reader.check_no_nulls(table, cluster)
    # In the order of the ids as text, which every table format shares: that of records says nothing.
    clusters = (uncategorical(table.frame[named]).cast(pl.String).rank("dense") - 1).cast(pl.UInt32).alias("cluster")
    strata, codes = _strata(table, stratum)
    _check_strata(reader, table, stratum, strata)
    frame = pl.DataFrame([clusters, codes, *aliased(table, attributes(table, reader.contracts["rows"]))])
    return CodedRows(frame, uncategorical(table.frame[ids]), strata)


def _strata(table: Table, stratum: str) -> tuple[tuple[str, ...], pl.Series]:
    if stratum not in table.frame.columns:
        return (), pl.Series("stratum", [None], dtype=pl.UInt32).new_from_index(0, table.frame.height)
    known = tuple(_names(table.frame[stratum]))
    return known, _positions(table.frame[stratum], known).cast(pl.UInt32).alias("stratum")


def _check_strata(reader: Reader, table: Table, stratum: str, strata: tuple[str, ...]) -> None:
    """Strata that something uses are there, in every row."""
    declaration = reader.declaration
    resampling = declaration.resampling
    named = None if resampling is None else resampling.strata
    if named is not None and named.text != stratum:
        reader.faults.append(unknown_name(named.place, "column of strata", named.text, [stratum]))
    used = any(option.rule == "stratum_mean" for option in declaration.coordinates.aggregation)
    used = used or bool(declaration.endpoints.stratum_contrasts) or named is not None
    if used and stratum not in table.frame.columns:
        reader.faults.append(unknown_name(located(table), "column", stratum, table.columns))
    elif used:
        reader.check_no_nulls(table, stratum)
    minus = [name for contrast in declaration.endpoints.stratum_contrasts for name in contrast.minus]
    reader.faults.extend(
        unknown_name(name.place, "stratum", name.text, strata) for name in minus if name.text not in strata
    )


def code_objects(reader: Reader, rows: CodedRows) -> pl.DataFrame:
    """The reference objects: r, g, o, attributes."""
    table = reader.tables["objects"]
    reader.check_no_nulls(table, "group_id", "object_id")
    coded = [_row_codes(reader, table, rows), _id_codes(table, "group_id", "g"), _id_codes(table, "object_id", "o")]
    return pl.DataFrame([*coded, *aliased(table, attributes(table, reader.contracts["objects"]))])


def _id_codes(table: Table, column: str, alias: str) -> pl.Series:
    """Ids as whole numbers, equal where the ids are and in no order: whole numbers themselves, text by category."""
    ids = table.frame[column]
    if table.kind(column) == "null":
        return pl.Series(alias, [None], dtype=pl.UInt32).new_from_index(0, len(ids))
    return (ids.to_physical() if ids.dtype == pl.Categorical else ids).alias(alias)


def _row_codes(reader: Reader, table: Table, rows: CodedRows) -> pl.Series:
    """The position of each record's row; a null id or an unknown one is a fault."""
    key = reader.row_key
    reader.check_no_nulls(table, key)
    known, ids = _id_codes(reader.tables["rows"], key, "id"), _id_codes(table, key, "id")
    codes = _places(ids, known)
    unknown = codes.is_null() & ids.is_not_null()
    reader.fault_where(table, key, unknown, "unknown row {}", "a row of the rows table")
    return codes


def _places(ids: pl.Series, known: pl.Series) -> pl.Series:
    """The first position of each id among the known ones; null where it is none of them."""
    places = known.to_frame("id").with_row_index("r").filter(pl.col("id").is_not_null())
    places = places.unique("id", keep="first", maintain_order=True)
    largest, negative = max(_largest(known), _largest(ids)), (known < 0).any() or (ids < 0).any()
    if not negative and largest < 4 * (len(ids) + len(known)):
        lookup = pl.Series("r", [None], dtype=pl.UInt32).new_from_index(0, largest + 1)
        return lookup.scatter(places["id"], places["r"]).gather(ids)
    wanted = ids.to_frame("id").cast(pl.Int128)  # signed and unsigned ids alike
    return wanted.join(places.cast({"id": pl.Int128}), on="id", how="left", maintain_order="left")["r"]


def code_predictions(reader: Reader, rows: CodedRows) -> CodedAnswers:
    """Predicted hypotheses and explicit non-answers of the study's methods: r, m, h, o, state, attributes."""
    table = reader.tables["predictions"]
    codes, methods = _method_codes(reader, table)
    frame, none = table.frame, table.frame["hypothesis_id"].is_null()
    reader.fault_where(table, "object_id", frame["object_id"].is_null() & ~none, "null", "the id of a predicted object")
    no_hypothesis = none & frame["object_id"].is_not_null()
    reader.fault_where(table, "object_id", no_hypothesis, "{} without a hypothesis_id", "null in a non-answer")
    status, states = _status_codes(table)
    answered = (status == ANSWERED) & none
    reader.fault_where(table, "hypothesis_id", answered, "null in a record with status 'answered'", "a hypothesis id")
    if "status" in frame.columns:
        labelled = (status != ANSWERED) & ~none
        reader.fault_where(table, "status", labelled, "{} in a record with a hypothesis", "null, or 'answered'")
    state = pl.select(pl.when(none).then(status.fill_null(EMPTY)).otherwise(ANSWERED)).to_series().cast(pl.UInt16)
    parts = [
        _row_codes(reader, table, rows),
        codes,
        _id_codes(table, "hypothesis_id", "h"),
        _id_codes(table, "object_id", "o"),
        state.alias("state"),
    ]
    return CodedAnswers(_of_methods(reader, table, parts), methods, states, {}, table)


def code_outcomes(reader: Reader, rows: CodedRows) -> CodedAnswers:
    """Scored outcomes of the study's methods: r, m, epoch, state, score codes, attributes."""
    table = reader.tables["outcomes"]
    codes, methods = _method_codes(reader, table)
    status, states = _status_codes(table)
    state = status.fill_null(ANSWERED)
    row_codes = _row_codes(reader, table, rows)
    epochs = _epochs(reader, table)
    repeated = _repeated(row_codes, codes, epochs)
    twice = "(row, method, epoch)" if "epoch" in table.frame.columns else "(row, method), and there is no column epoch"
    reader.fault_where(table, "method", repeated, f"method {{}} has the same {twice}, twice or more", "each once")
    scores, score_parts = {}, []
    for i, column in enumerate(reader.contracts["outcomes"].scores):
        score_codes, values = exact_scores(table.frame[column])
        wrong = score_codes.is_null() & (state == ANSWERED) & codes.is_not_null()
        form = ", as a decimal or p/q of at most 400 characters" if table.kind(column) == "text" else ""
        reader.fault_where(table, column, wrong, "{} in an answered record", f"a score in [0, 1]{form}")
        scores[column] = ScoreColumn(alias=f"v{i}", values=values)
        score_parts.append(score_codes.alias(f"v{i}"))
    frame = _of_methods(reader, table, [row_codes, codes, epochs, state, *score_parts])
    return CodedAnswers(frame, methods, states, scores, table)


def _repeated(rows: pl.Series, methods: pl.Series, epochs: pl.Series) -> pl.Series:
    """Whether another record has the same row, method and epoch, none of them null."""
    factors = [series.cast(pl.UInt64) for series in (rows, methods, epochs.rank("dense"))]
    sizes = [_largest(series) + 1 for series in factors]
    assert prod(sizes) < 2**64, "a table this large is not read"
    keys = (factors[0] * sizes[1] + factors[1]) * sizes[2] + factors[2]
    if keys.drop_nulls().n_unique() == len(keys) - keys.null_count():
        return pl.Series([False]).new_from_index(0, len(keys))
    return keys.is_duplicated() & keys.is_not_null()


def _epochs(reader: Reader, table: Table) -> pl.Series:
    if "epoch" not in table.frame.columns:
        return pl.Series("epoch", [0], dtype=pl.Int64).new_from_index(0, table.frame.height)
    epochs = table.frame["epoch"]
    if table.kind("epoch") not in ("integer", "null"):
        found = f"holds values of type {epochs.dtype}"
        reader.faults.append(Fault(where=located(table, "epoch"), found=found, expected="whole numbers"))
        return pl.Series("epoch", range(table.frame.height), dtype=pl.Int64)
    reader.fault_where(table, "epoch", epochs.is_null(), "null", "a whole number")
    narrow = epochs.cast(pl.Int64, strict=False)
    reader.fault_where(table, "epoch", narrow.is_null() & epochs.is_not_null(), "{}", "a whole number below 2**63")
    return narrow.alias("epoch")


def _method_codes(reader: Reader, table: Table) -> tuple[pl.Series, tuple[str, ...]]:
    """Method codes in code-point order of the names; null for a method the study leaves out."""
    reader.check_no_nulls(table, "method")
    found = _names(table.frame["method"])
    declared = reader.declaration.methods
    methods = found if declared is None else sorted(name.text for name in declared)
    pairs = [Named(name, effect.place) for effect in reader.declaration.endpoints.effects for name in effect.pair]
    for name in (*(declared or ()), *(pairs if declared is None else ())):
        if name.text not in found:
            reader.faults.append(unknown_name(name.place, "method", name.text, found))
    if not found:
        reader.faults.append(Fault(where=located(table, "method"), found="no method", expected="at least one"))
    return _positions(table.frame["method"], methods).cast(pl.UInt32).alias("m"), tuple(methods)


def _status_codes(table: Table) -> tuple[pl.Series, tuple[str, ...]]:
    """The code of each record's status, null where that is; and the names of all states."""
    if "status" not in table.frame.columns:
        return pl.Series("state", [None], dtype=pl.UInt16).new_from_index(0, table.frame.height), _FIXED_STATES
    own = _names(table.frame["status"])
    states = (*_FIXED_STATES, *(label for label in own if label not in _FIXED_STATES))
    return _positions(table.frame["status"], states).cast(pl.UInt16).alias("state"), states


def _names(ids: pl.Series) -> list[str]:
    """The distinct ids as text, in code-point order."""
    return ids.unique().drop_nulls().cast(pl.String).sort().to_list()


def _largest(ids: pl.Series) -> int:
    return int(ids.to_frame().max().item() or 0)


def _positions(ids: pl.Series, names: Sequence[str]) -> pl.Series:
    """The position of each id among the names; null where it is none of them."""
    texts = ids if ids.dtype == pl.Categorical else ids.cast(pl.String)
    return texts.cast(pl.Enum(names), strict=False).to_physical()


def _of_methods(reader: Reader, table: Table, parts: list[pl.Series]) -> pl.DataFrame:
    """The coded records of the study's methods, with their attributes."""
    frame = pl.DataFrame([*parts, *aliased(table, attributes(table, reader.contracts[table.name]))])
    return frame if frame["m"].null_count() == 0 else frame.filter(pl.col("m").is_not_null())
