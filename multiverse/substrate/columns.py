"""The column contract: which columns a study needs of each table, and what they must hold (DESIGN section 2)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from multiverse.declaration import Declaration
from multiverse.errors import Fault, Place, quoted, unknown_name
from multiverse.predicates import ColumnKind, Predicate, leaf_fault, leaves
from multiverse.specification import Aggregation
from multiverse.substrate.formats import TableRequest
from multiverse.substrate.tables import Table, uncategorical


@dataclass(frozen=True, kw_only=True, slots=True)
class Attribute:
    """A column that predicates read: under a name of our own, so that no name of the user's is ever in a query."""

    alias: str
    kind: ColumnKind


@dataclass(frozen=True, kw_only=True, slots=True)
class TableContract:
    """What a study needs of one table."""

    name: str
    ids: Mapping[str, bool]  # key column: whether it must be there
    predicates: tuple[Predicate, ...]
    scores: tuple[str, ...] = ()  # score columns, which must be there
    optional: tuple[str, ...] = ()  # other columns that are read where they are there
    groups: tuple[str, ...] = ()  # columns that aggregations group rows by, which must be there
    weights: tuple[str, ...] = ()  # columns of exact weights, which must be there
    labels: tuple[str, ...] = ()  # columns of true and false, or 1 and 0, which must be there

    def request(self, declaration: Declaration) -> TableRequest:
        """The columns to read."""
        wanted = {
            *self.ids,
            *self.scores,
            *self.optional,
            *self.groups,
            *self.weights,
            *self.labels,
            *(leaf.column for p in self.predicates for leaf in leaves(p)),
        }
        path = declaration.substrate.paths[self.name].text
        return TableRequest(self.name, path, wanted, tuple(self.ids), (*self.scores, *self.weights))


def table_contracts(declaration: Declaration) -> tuple[TableContract, ...]:
    """The contract of every table of the study, in the order rows, objects, predictions or outcomes."""
    substrate, coordinates = declaration.substrate, declaration.coordinates
    row = substrate.key("row")
    row_ids = {row: True} | {substrate.key(key): key in substrate.renamed for key in ("cluster", "stratum")}
    filters = tuple(population.where for population in declaration.populations)
    special = () if declaration.special is None else (declaration.special,)
    classes = tuple(p for d in declaration.endpoints.decompositions for p in d.classes.values())
    judged = (*declaration.predicates.values(), *special, *classes)
    where = tuple(reading.where for reading in coordinates.reading)
    if substrate.kind == "scores":
        columns = tuple(dict.fromkeys(scoring.column for scoring in coordinates.scoring))
        outcome_ids = {row: True, "method": True, "status": False}
        return (
            _rows_contract(row_ids, (*filters, *judged), coordinates.aggregation),
            TableContract(name="outcomes", ids=outcome_ids, predicates=where, scores=columns, optional=("epoch",)),
        )
    object_ids = {row: True, "group_id": True, "object_id": True}
    prediction_ids = {row: True, "method": True, "hypothesis_id": True, "object_id": True, "status": False}
    return (
        _rows_contract(row_ids, filters, coordinates.aggregation),
        TableContract(name="objects", ids=object_ids, predicates=judged),
        TableContract(name="predictions", ids=prediction_ids, predicates=where),
    )


def _rows_contract(
    ids: Mapping[str, bool], predicates: tuple[Predicate, ...], options: Sequence[Aggregation]
) -> TableContract:
    weights = [column for option in options for column in (option.weight, option.group_weight)]
    return TableContract(
        name="rows",
        ids=ids,
        predicates=predicates,
        groups=_distinct(option.by for option in options),
        weights=_distinct(weights),
        labels=_distinct(option.label for option in options),
    )


def _distinct(columns: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column for column in columns if column is not None))


def attributes(table: Table, contract: TableContract) -> dict[str, Attribute]:
    """The columns that predicates read, by their own names, each under a generated alias."""
    named = dict.fromkeys(leaf.column for predicate in contract.predicates for leaf in leaves(predicate))
    present = [column for column in named if column in table.frame.columns]
    return {name: Attribute(alias=f"a{i}", kind=table.kind(name)) for i, name in enumerate(present)}


def aliased(table: Table, names: Mapping[str, Attribute]) -> list[pl.Series]:
    """The attribute columns under their aliases; one that holds only nulls, or what no predicate reads, as booleans."""
    return [_readable(table.frame[name], a.kind).alias(a.alias) for name, a in names.items()]


def _readable(column: pl.Series, kind: ColumnKind) -> pl.Series:
    if kind == "null":
        return pl.Series(column.name, [None], dtype=pl.Boolean).new_from_index(0, len(column))
    if kind == "other":
        return (
            pl.Series(column.name, [True], dtype=pl.Boolean).new_from_index(0, len(column)).set(column.is_null(), None)
        )
    return _widened(column) if column.dtype in (pl.Float32, pl.Float16) else uncategorical(column)


def _widened(column: pl.Series) -> pl.Series:
    """Narrow floats as the doubles of their shortest decimals, so that a narrow 0.1 is compared as 0.1."""
    if column.dtype == pl.Float32:
        return column.cast(pl.String).cast(pl.Float64)
    distinct = column.drop_nulls().unique()
    wide = [float(np.format_float_scientific(value, unique=True)) for value in distinct.to_numpy()]
    return column.replace_strict(distinct, pl.Series(wide, dtype=pl.Float64), default=None)


def column_faults(table: Table, contract: TableContract, declaration: Declaration) -> Iterable[Fault]:
    """Columns that are not there, ids of a wrong type, and predicates on columns they cannot read."""
    places = {name.text: name.place for name in declaration.substrate.renamed.values()}
    for column, required in contract.ids.items():
        yield from _id_column_faults(table, column, places.get(column), required=required)
    expected = dict.fromkeys(contract.scores, "scores: numbers or text")
    expected |= dict.fromkeys(contract.groups, "groups: text, numbers or booleans")
    expected |= dict.fromkeys(contract.weights, "weights: numbers or text")
    expected |= dict.fromkeys(contract.labels, "labels: true and false, or 1 and 0")
    for column, wanted in expected.items():
        if column not in table.columns:
            yield unknown_name(located(table), "column", column, table.columns)
        elif table.kind(column) in (("other", "number", "text") if column in contract.labels else ("other",)):
            found = f"holds values of type {table.frame.schema[column]}"
            yield Fault(where=located(table, column), found=found, expected=wanted)
    for leaf in (leaf for predicate in contract.predicates for leaf in leaves(predicate)):
        if leaf.column not in table.columns:
            yield unknown_name(leaf.place, f"column of {table.name}", leaf.column, table.columns)
        elif fault := leaf_fault(leaf, table.kind(leaf.column), table.name):
            yield fault


def _id_column_faults(table: Table, column: str, place: Place | None, *, required: bool) -> Iterable[Fault]:
    if column not in table.columns:
        if required:
            where = located(table) if place is None else str(place)
            yield unknown_name(where, f"column of {table.name}" if place else "column", column, table.columns)
        return
    if table.kind(column) not in ("text", "integer", "null"):
        found = f"holds values of type {table.frame.schema[column]}"
        yield Fault(where=located(table, column), found=found, expected="ids: text or whole numbers")


def located(table: Table, column: str | None = None, row: object = None, *, file: str | None = None) -> str:
    """A place in the data: the table, its file or the path declared for it, the column and the row."""
    parts = [f"{table.name} ({file or table.shown})"]
    parts += [] if column is None else [f"column {column}"]
    parts += [] if row is None else [f"row {quoted(row) if isinstance(row, str) else row}"]
    return ", ".join(parts)
