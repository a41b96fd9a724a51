"""The columns of rows that aggregations read: groups, weights and labels, coded, with the faults that show in them."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from multiverse.specification import Aggregation
from multiverse.substrate.coding import Reader, ScoreColumn
from multiverse.substrate.scores import exact_scores
from multiverse.substrate.tables import Table, uncategorical


@dataclass(frozen=True, kw_only=True, slots=True)
class RowMeasures:
    """What aggregations read of each row: by the column's own name, the column of the rows frame that holds it."""

    groups: Mapping[str, str]  # dense codes
    weights: Mapping[str, ScoreColumn]
    labels: Mapping[str, str]


def code_measures(reader: Reader, frame: pl.DataFrame) -> tuple[pl.DataFrame, RowMeasures]:
    """The rows frame with the columns that aggregations read; a null, a negative weight and the like are faults."""
    table, contract = reader.tables["rows"], reader.contracts["rows"]
    found, groups, weights, labels = [], {}, {}, {}
    for i, column in enumerate(contract.groups):
        reader.fault_where(table, column, table.frame[column].is_null(), "null", "a group")
        texts = uncategorical(table.frame[column]).cast(pl.String)
        groups[column] = f"b{i}"
        found.append((texts.rank("dense") - 1).fill_null(0).cast(pl.UInt32).alias(f"b{i}"))
    for i, column in enumerate(contract.weights):
        codes, values = exact_scores(table.frame[column], most=None)
        form = ", as a decimal or p/q of at most 400 characters" if table.kind(column) == "text" else ""
        reader.fault_where(table, column, codes.is_null(), "{}", f"a weight: a number of at least 0{form}")
        weights[column] = ScoreColumn(alias=f"w{i}", values=values)
        found.append(codes.fill_null(0).alias(f"w{i}"))
    for i, column in enumerate(contract.labels):
        labels[column] = f"l{i}"
        found.append(_labels(reader, table, column).alias(f"l{i}"))
    coded, measures = frame.with_columns(found), RowMeasures(groups=groups, weights=weights, labels=labels)
    for option in reader.declaration.coordinates.aggregation:
        _check_group_weights(reader, coded, measures, option)
    return coded, measures


def _labels(reader: Reader, table: Table, column: str) -> pl.Series:
    values = table.frame[column]
    wrong = values.is_null() | ~values.cast(pl.Int64, strict=False).is_in([0, 1]).fill_null(value=False)
    reader.fault_where(table, column, wrong, "{}", "a label: true or false, or 1 or 0")
    return values.cast(pl.Int64, strict=False).fill_null(0) == 1


def group_column(option: Aggregation, measures: RowMeasures) -> str | None:
    """The column of the rows frame with the groups of an aggregation; None where all rows are one group."""
    if option.rule in ("cluster_mean", "stratum_mean"):
        return option.rule.removesuffix("_mean")
    return None if option.by is None else measures.groups[option.by]


def _check_group_weights(reader: Reader, coded: pl.DataFrame, measures: RowMeasures, option: Aggregation) -> None:
    """The rows of a group have one weight of the group."""
    group = group_column(option, measures)
    if option.group_weight is None or group is None:
        return
    weight = measures.weights[option.group_weight].alias
    first = coded.select(pl.col(weight).first().over(group)).to_series()
    table = reader.tables["rows"]
    found = "{} in a group with another weight"
    reader.fault_where(table, option.group_weight, coded[weight] != first, found, "one weight for all rows of a group")
