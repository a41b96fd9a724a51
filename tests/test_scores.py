"""Score columns read exactly, whatever they are made of."""

from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiverse.substrate.scores import exact_scores
from small import Dtype

F = Fraction


def scores(column: pl.Series) -> list[Fraction | None]:
    """The exact score of every record."""
    codes, values = exact_scores(column)
    assert list(values) == sorted(set(values))
    assert codes.dtype == pl.UInt32
    return [None if code is None else values[code] for code in codes]


@pytest.mark.parametrize(
    ("dtype", "given_", "exact"),
    [
        (pl.Float64, [0.1, 1 / 3, 0.1, None], [F(1, 10), F(3333333333333333, 10**16), F(1, 10), None]),
        (pl.Float32, [0.1, 1 / 3, 1.0], [F(1, 10), F(33333334, 10**8), F(1)]),
        (pl.Float16, [0.1, 0.5, 0.0], [F(1, 10), F(1, 2), F(0)]),
        (pl.Float64, [nan, inf, -inf, -0.0, 0.0, -5e-324, 5e-324], [None, None, None, F(0), F(0), None, F("5e-324")]),
        (pl.Float64, [1.0000000000000002, 1.0, 0.9999999999999999], [None, F(1), F(9999999999999999, 10**16)]),
        (pl.Float32, [nan, -0.1, 2.0, None], [None] * 4),
        (pl.Int64, [0, 1, 2, -1, None], [F(0), F(1), None, None, None]),
        (pl.UInt8, [1, 0], [F(1), F(0)]),
        (pl.Int128, [1, 10**30], [F(1), None]),
        (pl.Boolean, [True, False, None], [F(1), F(0), None]),
        (pl.Decimal(38, 30), [Decimal("0." + "3" * 30), Decimal("0.1")], [F(int("3" * 30), 10**30), F(1, 10)]),
        (pl.String, ["1/3", "2/6", "0.1", "1e-3", "1"], [F(1, 3), F(1, 3), F(1, 10), F(1, 1000), F(1)]),
        (pl.String, ["1/0", "3/2", "1e400", "-0.1", "nan", "", " 1", "high", "0." + "3" * 400, None], [None] * 10),
        (pl.String, ["1e-400", "0." + "3" * 398], [F(1, 10**400), F(int("3" * 398), 10**398)]),
        (pl.Date, [date(2026, 1, 1)], [None]),
        (pl.Null, [None, None], [None, None]),
        (pl.Float64, [], []),
        (pl.String, [], []),
    ],
)
def test_a_score_is_read_exactly_and_what_is_none_has_no_code(
    dtype: Dtype, given_: list[object], exact: list[Fraction | None]
) -> None:
    assert scores(pl.Series(given_, dtype=dtype)) == exact


@given(st.lists(st.floats(-0.5, 1.5) | st.none() | st.sampled_from([nan, 1 / 3, 0.1]), max_size=9))
def test_doubles_and_their_texts_are_the_same_scores(values: list[float | None]) -> None:
    """A double is worth its shortest decimal, so writing it down changes nothing."""
    texts = pl.Series([None if value is None else repr(value) for value in values], dtype=pl.String)
    assert scores(pl.Series(values, dtype=pl.Float64)) == scores(texts)
