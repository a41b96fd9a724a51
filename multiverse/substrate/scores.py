"""Score columns read exactly: each distinct value becomes a rational, each record the number of its value."""

from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import polars as pl

from multiverse.exact import parse_exact, shortest_decimal


class Scores(NamedTuple):
    """A score column, exact."""

    codes: pl.Series  # UInt32, the position of each record's value in `values`; null where the value is no score
    values: tuple[Fraction, ...]  # distinct, ascending


def exact_scores(column: pl.Series) -> Scores:
    """The exact scores of a column; what is no number in [0, 1] has a null code (DESIGN section 2)."""
    distinct = column.drop_nulls().unique()
    exact = [_exact_score(value) for value in _scalars(distinct)]
    values = sorted({value for value in exact if value is not None})
    position = {value: code for code, value in enumerate(values)}
    codes = pl.Series([None if value is None else position[value] for value in exact], dtype=pl.UInt32)
    return Scores(column.replace_strict(distinct, codes, default=None, return_dtype=pl.UInt32), tuple(values))


def _scalars(distinct: pl.Series) -> list[object]:
    return list(distinct.to_numpy()) if distinct.dtype in (pl.Float32, pl.Float16) else distinct.to_list()


def _exact_score(value: object) -> Fraction | None:
    match value:
        case bool() | int():
            exact: Fraction | None = Fraction(value)
        case float() | np.floating():
            exact = shortest_decimal(value) if np.isfinite(value) else None
        case Decimal():
            exact = Fraction(value)
        case str():
            exact = parse_exact(value)
        case _:
            exact = None
    return exact if exact is not None and 0 <= exact <= 1 else None
