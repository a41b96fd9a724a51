"""Inference on a specification curve, with every swap of three units made by hand."""

from fractions import Fraction

import numpy as np
import pytest

from multiverse.averages import Weighing
from multiverse.curve import CurveTest, curve_inference, swap_weights, swapped_margins
from multiverse.resampling import LevelColumns, Units, unit_sums
from multiverse.specification import Aggregation

LEVEL = Fraction(95, 100)


def columns_of(*scores: list[int]) -> LevelColumns:
    """A column for each list of scores of three units of one row."""
    units = np.arange(3)
    columns = LevelColumns(Units(units, np.zeros(3, dtype=np.int64)), units, 1)
    for values in scores:
        columns.add(np.array(values), np.ones(3, dtype=bool), 1, Weighing(aggregation=Aggregation(id="")))
    return columns


def test_few_units_are_swapped_in_every_way() -> None:
    weights = swap_weights(3, 100, seed=1)
    assert sorted(map(tuple, weights.tolist())) == sorted((i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1))


def test_many_units_are_swapped_at_random_by_seed() -> None:
    weights = swap_weights(40, 500, seed=1)
    assert weights.shape == (500, 40)
    assert np.array_equal(weights, swap_weights(40, 500, seed=1))
    assert not np.array_equal(weights, swap_weights(40, 500, seed=2))
    assert 0.45 < weights.mean() < 0.55


def test_a_swap_exchanges_the_two_methods_in_a_unit() -> None:
    """a scores 1, 1, 0 and b 0, 0, 1: the margin is 1/3; with unit 0 swapped it is -1/3, with unit 2 swapped 1."""
    sums = unit_sums(columns_of([1, 1, 0], [0, 0, 1]))
    weights = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 1, 1]], dtype=np.float64)
    assert swapped_margins(sums, weights, [(0, 1)])[:, 0] == pytest.approx([1 / 3, -1 / 3, 1, -1 / 3])


def test_p_is_the_share_of_swaps_that_reach_the_observed_curve() -> None:
    """Unit margins 1, 1, -1: the 8 swaps give absolute sums 1, 1, 1, 1, 1, 1, 3, 3: all reach 1, two reach 3."""
    for scores, reached in (([1, 1, 0], 8), ([1, 1, 1], 2)):
        other = [1 - score for score in scores]
        sums = unit_sums(columns_of(scores, other))
        swapped = swapped_margins(sums, swap_weights(3, 1, seed=0), [(0, 1)])
        observed = swapped_margins(sums, np.zeros((1, 3)), [(0, 1)])[0]
        found = curve_inference(("a", "b"), observed, swapped, level=LEVEL, exact=True)
        assert found is not None
        assert found.median == CurveTest(abs(float(observed[0])), reached / 8, 0.0)
        assert (found.swaps, found.exact, found.undefined) == (8, True, 0)


def test_an_undefined_margin_leaves_no_inference() -> None:
    assert curve_inference(("a", "b"), np.array([np.nan]), np.zeros((4, 1)), level=LEVEL, exact=False) is None


def test_a_monte_carlo_p_is_never_zero_and_has_an_error() -> None:
    found = curve_inference(("a", "b"), np.array([1.0]), np.zeros((99, 1)), level=LEVEL, exact=False)
    assert found is not None
    assert found.median[:2] == (1.0, 0.01)
    assert found.median.error == pytest.approx((0.01 * 0.99 / 99) ** 0.5)
