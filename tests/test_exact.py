"""Exact numbers: their text, their parsing, and sums that never round."""

from fractions import Fraction
from math import lcm

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiverse.exact import (
    exact_text,
    from_exact_text,
    group_sums,
    integers,
    over_common_denominator,
    parse_exact,
    rounded,
    scaled,
    shortest_decimal,
    times,
)

THIRD = Fraction(1, 3)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/3", THIRD),
        ("2/6", THIRD),
        ("-2/4", Fraction(-1, 2)),
        ("0/7", Fraction(0)),
        ("0.1", Fraction(1, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("5.", Fraction(5)),
        (".5", Fraction(1, 2)),
        ("5.E1", Fraction(50)),
        ("+0.50", Fraction(1, 2)),
        ("-0", Fraction(0)),
        ("1e400", Fraction(10**400)),
        ("1e-999", Fraction(1, 10**999)),
        ("0." + "3" * 398, Fraction(int("3" * 398), 10**398)),
        ("0." + "3" * 399, None),
        ("1/0", None),
        ("1e1000", None),  # an exponent of any size would take memory of any size
        *(
            (text, None)
            for text in ("", ".", "e5", "1/", "/2", "1/-2", "1.5/2", " 1", "1\n", "1_0", "\u0661", "½", "0x1")
        ),
        *((text, None) for text in ("nan", "inf", "-Infinity", "true", "1,5", "50%", "1e", "--1", "\u0661")),
    ],
)
def test_a_decimal_or_a_ratio_is_parsed_exactly(text: str, value: Fraction | None) -> None:
    assert parse_exact(text) == value


@given(st.fractions(min_value=-9, max_value=9))
def test_the_text_of_an_exact_number_parses_back(value: Fraction) -> None:
    text = exact_text(value)
    assert parse_exact(text) == value
    assert ("/" in text) == (value.denominator > 1)


def test_digits_beyond_the_limit_of_python_are_written() -> None:
    power = exact_text(Fraction(10**9000))
    assert (power[0], set(power[1:]), len(power)) == ("1", {"0"}, 9001)
    assert exact_text(Fraction(-(10**5000), 3)) == "-1" + "0" * 5000 + "/3"


@pytest.mark.parametrize("width", [np.float64, np.float32, np.float16])
def test_a_float_is_its_shortest_decimal_at_its_own_width(width: type[np.floating]) -> None:
    assert [shortest_decimal(width(x)) for x in (0.1, 0.3, 0.0, -0.0, 1.0)] == [
        *(Fraction(1, 10), Fraction(3, 10), Fraction(0), Fraction(0), Fraction(1)),
    ]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_is_nearest_to_its_decimal(value: float) -> None:
    assert float(shortest_decimal(value)) == value == float(shortest_decimal(np.float64(value)))


@given(st.lists(st.fractions(min_value=0, max_value=1), max_size=6))
def test_a_common_denominator_is_the_least(values: list[Fraction]) -> None:
    numerators, denominator = over_common_denominator(values)
    assert denominator == lcm(*(value.denominator for value in values))
    assert [Fraction(int(n), denominator) for n in numerators] == values


@pytest.mark.parametrize(("value", "dtype"), [(2**62 - 1, np.int64), (2**62, object), (-(2**62), object)])
def test_integers_are_of_64_bits_where_all_fit(value: int, dtype: type) -> None:
    found = integers([0, value])
    assert found.dtype == dtype
    assert found.tolist() == [0, value]


SIZES = st.sampled_from([1, 2**20, 2**40, 2**61, 2**70, 2**200])


@given(st.data(), SIZES)
def test_sums_of_groups_are_exact_at_any_size(data: st.DataObject, size: int) -> None:
    """Python's own integers are the outside answer."""
    rows = data.draw(st.lists(st.lists(st.integers(0, size), min_size=2, max_size=2), min_size=1, max_size=9))
    starts = sorted({0, *data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=4))})
    values = integers([value for row in rows for value in row]).reshape(len(rows), 2)
    parts = [rows[start:end] for start, end in zip(starts, [*starts[1:], len(rows)], strict=True)]
    found = group_sums(values, np.array(starts, dtype=np.intp))
    assert found.tolist() == [[sum(column) for column in zip(*part, strict=True)] for part in parts]


@given(
    st.lists(st.tuples(st.integers(0, 2**61), st.integers(0, 2**40)), min_size=1, max_size=5),
    st.sampled_from([9, 2**62]),
)
def test_weighted_rows_are_exact_at_any_size(pairs: list[tuple[int, int]], size: int) -> None:
    kept = [(value % size, weight % size) for value, weight in pairs]
    values, weights = integers([value for value, _ in kept])[:, None], np.array([weight for _, weight in kept])
    assert scaled(values, weights).tolist() == [[value * weight] for value, weight in kept]


@given(st.lists(SIZES | st.just(0), min_size=1, max_size=5), SIZES)
def test_a_factor_of_any_size_multiplies_exactly(values: list[int], factor: int) -> None:
    assert times(integers(values), factor).tolist() == [value * factor for value in values]


def test_no_values_have_a_common_denominator_and_no_sum() -> None:
    assert over_common_denominator([]).denominator == 1
    assert scaled(np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.int64)).shape == (0, 3)


@pytest.mark.parametrize(
    ("value", "decimals", "half_even", "half_up"),
    [
        (Fraction("0.30000000000000004"), 4, Fraction(3, 10), Fraction(3, 10)),
        (Fraction(1, 8), 2, Fraction(12, 100), Fraction(13, 100)),
        (Fraction(3, 8), 2, Fraction(38, 100), Fraction(38, 100)),
        (Fraction(1, 2), 0, 0, 1),
        (Fraction(2, 3), 3, Fraction(667, 1000), Fraction(667, 1000)),
    ],
)
def test_rounding_is_of_the_exact_number(
    value: Fraction, decimals: int, half_even: Fraction, half_up: Fraction
) -> None:
    """1/8 is 0.125, halfway between 0.12 and 0.13."""
    assert rounded(value, decimals, half_up=False) == half_even
    assert rounded(value, decimals, half_up=True) == half_up


@pytest.mark.parametrize(
    "value",
    [Fraction(0), Fraction(-2, 3), Fraction(7), Fraction(10**9000 + 1, 7**5000), Fraction(-(10**6000), 3**4000)],
)
def test_exact_text_of_any_length_is_read_back(value: Fraction) -> None:
    assert from_exact_text(exact_text(value)) == value
