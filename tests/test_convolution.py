"""Exact resampling distributions against the binomial, and against every resample of a few units."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiverse.convolution import exact_interval
from multiverse.intervals import Interval

LEVEL = Fraction(95, 100)


def test_a_share_has_the_binomial_interval() -> None:
    """3 of 10: Binomial(10, 0.3) reaches 2.5% at 0 (0.0282) and 97.5% at 6 (0.9894; 0.9527 at 5)."""
    values, one = np.array([1.0] * 3 + [0.0] * 7), np.zeros(10, dtype=np.int64)
    assert exact_interval(values, one, 10, LEVEL) == Interval(0.0, 0.6, 0, exact=True)


def test_what_no_redraw_can_move_is_that_value() -> None:
    assert exact_interval(np.full(7, 3.0), np.zeros(7, dtype=np.int64), 7, LEVEL) == Interval(3.0, 3.0, 0, exact=True)
    assert exact_interval(np.zeros(7), np.zeros(7, dtype=np.int64), 7, LEVEL) == Interval(0.0, 0.0, 0, exact=True)


def test_a_lattice_that_is_too_large_is_left_to_draws() -> None:
    values = np.arange(3000, dtype=np.float64)
    assert exact_interval(values, np.zeros(3000, dtype=np.int64), 1, LEVEL) is None


@given(
    values=st.lists(st.integers(-3, 3), min_size=1, max_size=5),
    split=st.integers(0, 5),
    level=st.sampled_from([Fraction(1, 2), Fraction(8, 10), LEVEL]),
)
def test_ends_are_those_of_all_resamples(values: list[int], split: int, level: Fraction) -> None:
    """Units before `split` are one stratum, the others another; every resample is as likely as every other."""
    strata = [part for part in (values[:split], values[split:]) if part]
    stratum = np.concatenate([np.full(len(part), i) for i, part in enumerate(strata)])
    found = exact_interval(np.array(values, dtype=np.float64), stratum, len(values), level)
    assert found is not None
    ends = [Fraction(end, len(values)) for end in ends_of_all_resamples(strata, level)]
    assert (found.lower, found.upper) == pytest.approx([float(end) for end in ends], abs=1e-12)


def ends_of_all_resamples(strata: Sequence[Sequence[int]], level: Fraction) -> list[int]:
    """The least sums whose share of all resamples, up to and with them, reaches each tail."""
    sums = Counter({0: 1})
    for part in strata:
        own = Counter(sum(chosen) for chosen in product(part, repeat=len(part)))
        sums = _added(sums, own)
    total, ends = sum(sums.values()), []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        reached = 0
        for value in sorted(sums):
            reached += sums[value]
            if Fraction(reached, total) >= tail:
                ends.append(value)
                break
    return ends


def _added(first: Counter[int], second: Counter[int]) -> Counter[int]:
    both: Counter[int] = Counter()
    for (x, n), (y, m) in product(first.items(), second.items()):
        both[x + y] += n * m
    return both
