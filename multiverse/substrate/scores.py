"""Score columns read exactly: each distinct value becomes a rational, each record the number of its value."""

from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import polars as pl

from multiverse.exact import parse_exact, shortest_decimal


class Scores(NamedTuple):
    """A score column, exact."""

    codes: pl.Series  # UInt32, the position of each record's value in `values`; null where the value is no score
    values: tuple[Fraction, ...]  # distinct, ascending


def exact_scores(column: pl.Series, *, most: int | None = 1) -> Scores:
    """The exact scores of a column; what is no number from 0 to `most` has a null code (DESIGN section 2)."""
    distinct = column.drop_nulls().unique()
    if distinct.dtype.is_float():  # the order of doubles is that of their decimals
        distinct = distinct.filter(distinct.is_finite() & (distinct >= 0))
        distinct = (distinct if most is None else distinct.filter(distinct <= most)).sort()
        values = [shortest_decimal(value) for value in distinct.to_numpy()]
        codes = pl.Series(range(len(values)), dtype=pl.UInt32)
    else:
        exact = [_exact_score(value, most) for value in distinct.to_list()]
        values = sorted({value for value in exact if value is not None})
        position = {value: code for code, value in enumerate(values)}
        codes = pl.Series([None if value is None else position[value] for value in exact], dtype=pl.UInt32)
    return Scores(column.replace_strict(distinct, codes, default=None, return_dtype=pl.UInt32), tuple(values))


def _exact_score(value: object, most: int | None) -> Fraction | None:
    match value:
        case bool() | int() | Decimal():
            exact: Fraction | None = Fraction(value)
        case str():
            exact = parse_exact(value)
        case _:
            exact = None
    return exact if exact is not None and exact >= 0 and (most is None or exact <= most) else None
