"""Weights, levels and quantiles of the bootstrap against exact fractions, hand counts and NumPy."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiverse.averages import Weighing
from multiverse.intervals import Interval, percentile_interval, quantile
from multiverse.resampling import (
    Doubles,
    Draws,
    LevelColumns,
    Units,
    block_weights,
    statistic,
    unit_sums,
)
from multiverse.specification import Aggregation, AggregationRule

STRATA = st.lists(st.integers(0, 3), min_size=1, max_size=12).map(sorted)
T = TypeVar("T")
RULES: tuple[AggregationRule, ...] = ("row_mean", "cluster_mean", "stratum_mean")


def units_of(stratum: Sequence[int], of_row: Sequence[int] = ()) -> Units:
    return Units(np.array(of_row, dtype=np.int64), np.array(stratum, dtype=np.int64))


@given(stratum=STRATA, seed=st.integers(0, 2**64), block=st.integers(0, 9), draws=st.integers(1, 20))
def test_a_draw_takes_as_many_units_of_a_stratum_as_it_has(
    stratum: list[int], seed: int, block: int, draws: int
) -> None:
    weights = block_weights(units_of(stratum), seed=seed, block=block, draws=draws)
    assert weights.shape == (draws, len(stratum))
    for code in set(stratum):
        assert (weights[:, np.array(stratum) == code].sum(axis=1) == stratum.count(code)).all()
    again = block_weights(units_of(stratum, [0] * 5), seed=seed, block=block, draws=draws)
    assert (weights == again).all()


def test_blocks_and_seeds_differ_and_a_shorter_block_is_the_start_of_a_longer_one() -> None:
    units = units_of([0] * 30)
    first = block_weights(units, seed=1, block=0, draws=5)
    assert (first != block_weights(units, seed=1, block=1, draws=5)).any()
    assert (first != block_weights(units, seed=2, block=0, draws=5)).any()
    assert (first[:2] == block_weights(units, seed=1, block=0, draws=2)).all()


def test_positions_are_the_top_53_bits_of_the_words_of_pcg64() -> None:
    words = np.random.PCG64(np.random.SeedSequence(7, spawn_key=(3,))).random_raw(4)
    drawn = [int((int(word) >> 11) / 2**53 * 4) for word in words]
    weights = block_weights(units_of([0] * 4), seed=7, block=3, draws=1)
    assert weights.tolist() == [[drawn.count(unit) for unit in range(4)]]


# Levels under given weights, against fractions


class Rows(NamedTuple):
    """Rows in their unit, cluster and stratum, two methods' numerators over one denominator, and who is eligible."""

    cluster: list[int]
    stratum: list[int]
    numerators: list[list[int]]
    eligible: list[list[bool]]
    denominator: int
    weights: list[int]  # by cluster, the unit


def several(elements: st.SearchStrategy[T], count: int) -> st.SearchStrategy[list[T]]:
    return st.lists(elements, min_size=count, max_size=count)


@st.composite
def tables(draw: st.DrawFn) -> Rows:
    count = draw(st.sampled_from([1, 3, 8, 40]))
    clusters = draw(st.sampled_from([1, 2, 5]))
    denominator = draw(st.sampled_from([1, 2, 30, 10**16]))
    numbers = several(st.integers(0, denominator), count)
    return Rows(
        draw(several(st.integers(0, clusters - 1), count)),
        draw(several(st.integers(0, 2), count)),
        draw(several(numbers, 2)),
        draw(several(several(st.sampled_from([True, True, False]), count), 2)),
        denominator,
        draw(several(st.integers(0, 3), clusters)),
    )


def drawn(rows: Rows, columns: LevelColumns) -> Draws:
    """One draw with the given weights of the clusters."""
    sums = unit_sums(columns)
    return Draws(sums.drawn(np.array([rows.weights], dtype=np.float64)), sums)


def columns_of(rows: Rows, denominator: int | None = None) -> LevelColumns:
    units = units_of([0] * len(rows.weights), rows.cluster)
    return LevelColumns(units, np.array(rows.cluster), denominator or rows.denominator)


def weighing(rule: AggregationRule, cluster: Sequence[int], stratum: Sequence[int]) -> Weighing:
    group = None if rule == "row_mean" else np.array(cluster if rule == "cluster_mean" else stratum)
    return Weighing(aggregation=Aggregation(id="", rule=rule), group=group)


def add(columns: LevelColumns, rows: Rows, method: int, rule: AggregationRule) -> int:
    numerators = np.array(rows.numerators[method], dtype=np.int64)
    how = weighing(rule, rows.cluster, rows.stratum)
    return columns.add(numerators, np.array(rows.eligible[method]), rows.denominator, how)


def plain_level(rows: Rows, method: int, rule: str) -> Fraction | None:
    """The level in fractions: groups of rows, each row or cluster as often as it is drawn."""
    group = {"row_mean": [0] * len(rows.cluster), "cluster_mean": rows.cluster, "stratum_mean": rows.stratum}[rule]
    means: dict[int, Fraction] = {}
    for code in set(group):
        found = [
            (Fraction(rows.numerators[method][i], rows.denominator), rows.weights[rows.cluster[i]])
            for i in range(len(group))
            if group[i] == code and rows.eligible[method][i] and rows.weights[rows.cluster[i]]
        ]
        if found:
            means[code] = sum(value * times for value, times in found) / Fraction(sum(times for _, times in found))
    times = {code: rows.weights[code] if rule == "cluster_mean" else 1 for code in means}
    return sum(means[c] * times[c] for c in means) / Fraction(sum(times.values())) if means else None


@given(rows=tables(), rule=st.sampled_from(RULES), scale=st.sampled_from([1, 7]))
def test_levels_and_margins_under_weights_are_those_of_fractions(rows: Rows, rule: AggregationRule, scale: int) -> None:
    columns = columns_of(rows, rows.denominator * scale)
    a, b = (add(columns, rows, method, rule) for method in (0, 1))
    draws, (x, y) = drawn(rows, columns), (plain_level(rows, method, rule) for method in (0, 1))
    assert same(statistic(draws, ((1, a),)), x)
    assert same(statistic(draws, ((1, a), (-1, b)), 3), None if x is None or y is None else (x - y) / 3)


def same(found: Doubles, want: Fraction | None) -> bool:
    """One value, NaN where undefined."""
    return bool(np.isnan(found[0]) if want is None else found[0] == pytest.approx(float(want), rel=1e-9, abs=1e-11))


@given(rows=tables(), rule=st.sampled_from(RULES), seed=st.integers(0, 99))
def test_what_cancels_in_every_unit_is_exactly_zero(rows: Rows, rule: AggregationRule, seed: int) -> None:
    """(a + b)/2 is the mean of a and b in every unit, however its score is spread over the rows."""
    shared = rows._replace(eligible=[rows.eligible[0]] * 2, numerators=[[2 * n for n in m] for m in rows.numerators])
    shared = shared._replace(denominator=2 * rows.denominator)
    halves = [(n + m) // 2 for n, m in zip(*shared.numerators, strict=True)]
    columns = columns_of(shared)
    a, b = (add(columns, shared, method, rule) for method in (0, 1))
    middle = add(columns, shared._replace(numerators=[halves]), 0, rule)
    sums = unit_sums(columns)
    weights = block_weights(units_of([0] * len(rows.weights)), seed=seed, block=0, draws=20)
    values = statistic(Draws(sums.drawn(weights), sums), ((1, a), (1, b), (-2, middle)))
    assert set(values[~np.isnan(values)].tolist()) <= {0.0}


@pytest.mark.parametrize("size", [3, 16, 17, 101])
def test_means_of_clusters_of_any_size_cancel_exactly(size: int) -> None:
    """3/17 - 1/17 - 5/17 + 3/17 is zero, though none of the four is a double, nor any multiple of all sizes held."""
    cluster = np.repeat(np.arange(3), size)
    units = Units(cluster, np.zeros(3, dtype=np.int64))
    columns = LevelColumns(units, cluster, 1)
    how = weighing("cluster_mean", cluster.tolist(), [])
    ones = [(1, 2, 0), (0, 1, 2), (2, 3, 1), (1, 2, 3)]
    terms = []
    for sign, counts in zip([1, -1, -1, 1], ones, strict=True):
        scores = np.concatenate([np.arange(size) < count for count in counts]).astype(np.int64)
        terms.append((sign, columns.add(scores, np.ones(3 * size, dtype=bool), 1, how)))
    sums = unit_sums(columns)
    draws = Draws(sums.drawn(block_weights(units, seed=1, block=0, draws=50)), sums)
    assert set(statistic(draws, tuple(terms)).tolist()) == {0.0}
    level = statistic(draws, tuple(terms[:1]))
    assert (level.min(), level.max()) == pytest.approx((0, 2 / size))


def test_equal_columns_and_supports_are_kept_once() -> None:
    rows = Rows([0, 1], [0, 0], [[1, 0], [1, 1]], [[True, True]] * 2, 1, [1, 1])
    columns = columns_of(rows)
    assert [add(columns, rows, m, rule) for m in (0, 1, 0) for rule in RULES[:2]] == [
        0,
        0,
        1,
        1,
        0,
        0,
    ]
    assert (len(columns.columns), len(columns.supports)) == (2, 1)


# Quantiles


NUMBERS = st.lists(st.floats(-1, 1), min_size=1, max_size=30)


@given(values=NUMBERS, share=st.fractions(0, 1))
def test_quantiles_are_numpys_linear_ones(values: list[float], share: Fraction) -> None:
    assert quantile(np.sort(values), share) == pytest.approx(np.quantile(values, float(share)), abs=1e-12)


@pytest.mark.parametrize(
    ("share", "value"),
    [(Fraction(0), 1.0), (Fraction(1, 8), 1.5), (Fraction(1, 2), 3.0), (Fraction(19, 20), 4.8), (Fraction(1), 5.0)],
)
def test_quantiles_interpolate_between_order_statistics(share: Fraction, value: float) -> None:
    """Of five values the p-quantile lies 4p steps above the least."""
    assert quantile(np.array([1.0, 2, 3, 4, 5]), share) == pytest.approx(value, abs=1e-15)


@given(values=NUMBERS, undefined=st.integers(0, 3))
def test_undefined_draws_are_left_out_and_counted(values: list[float], undefined: int) -> None:
    known: Any = [*values, *[float("nan")] * undefined]
    found = percentile_interval(np.array(known), Fraction(9, 10))
    want = (float(q) for q in np.quantile(values, [0.05, 0.95]))
    assert (found.lower, found.upper) == pytest.approx(tuple(want), abs=1e-12)
    assert found.undefined == undefined


def test_where_no_draw_is_defined_there_is_no_interval() -> None:
    assert percentile_interval(np.array([np.nan, np.nan]), Fraction(1, 2)) == Interval(None, None, 2)


def test_draws_that_are_all_zero_give_zero_and_zero() -> None:
    assert percentile_interval(np.zeros(9), Fraction(95, 100)) == Interval(0.0, 0.0, 0)
