"""Inference on a specification curve: would exchanged labels give one like it? (Simonsohn et al. 2020, step 3)

The sharp null is that the labels of the two methods could be swapped in any unit. Each swap gives a whole curve: the
margin at every specification. Three statistics of the observed curve are compared with those of the swapped ones.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiverse.intervals import quantile_of_columns
from multiverse.resampling import Doubles, Draws, UnitSums

_ROUNDING = 1e-12
MOST_EXACT_UNITS = 12  # up to so many units, every swap is made


class CurveTest(NamedTuple):
    """One statistic of the curve, the share of swaps that give as much or more, and that share's standard error."""

    value: float
    p: float
    error: float  # 0 where every swap was made


class CurveInference(NamedTuple):
    """The three tests of a pair's specification curve; shares are of the side on which more specifications lie."""

    a: str
    b: str
    median: CurveTest  # of the absolute median margin
    share_dominant: CurveTest  # specifications on the dominant side
    share_significant: CurveTest  # specifications beyond their own null quantile, on the dominant side
    swaps: int
    exact: bool
    undefined: int  # swaps left out because a margin was undefined


def swap_weights(units: int, swaps: int, seed: int) -> Doubles:
    """Which units are swapped: (swaps, units) of 0 and 1; every combination where that is at most 2**12."""
    if units <= MOST_EXACT_UNITS:
        return ((np.arange(2**units)[:, None] >> np.arange(units)) & 1).astype(np.float64)
    generator = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0, 1)))
    words = generator.random_raw(swaps * units)
    return (words >> np.uint64(63)).astype(np.float64).reshape(swaps, units)


def swapped_margins(sums: UnitSums, weights: Doubles, pairs: Sequence[tuple[int, int]]) -> Doubles:
    """The margin of every pair of columns under every swap: (swaps, pairs); NaN where it is undefined."""
    whole = Draws(sums.drawn(np.ones((1, weights.shape[1]))), sums)
    moved = Draws(sums.drawn(weights), sums)
    margins = np.stack([_level(whole, moved, a, b) - _level(whole, moved, b, a) for a, b in pairs], axis=1)
    return np.where(np.abs(margins) < _ROUNDING, 0.0, margins)


def _level(whole: Draws, moved: Draws, own: int, other: int) -> Doubles:
    """A level where the swapped units' sums are those of the other method."""
    sums = whole.column(own) - moved.column(own) + moved.column(other)
    counts = whole.support(own) - moved.support(own) + moved.support(other)
    return whole.mean_of_ratios(own, sums, counts) / whole.of.scale


def curve_inference(
    names: tuple[str, str], observed: Doubles, swapped: Doubles, *, level: Fraction, exact: bool
) -> CurveInference | None:
    """The tests of a curve, from its margins (specifications,) and the swapped ones (swaps, specifications).

    A Monte Carlo p counts the observed curve among the swapped ones, so it is never 0.
    """
    known = swapped[~np.isnan(swapped).any(axis=1)]
    if np.isnan(observed).any() or not len(known):
        return None
    critical = quantile_of_columns(np.sort(np.abs(known), axis=0), level)
    curves = np.vstack([observed, known])
    statistics = {
        "median": np.abs(np.median(curves, axis=1)),
        "share_dominant": np.maximum(_share(curves > 0), _share(curves < 0)),
        "share_significant": np.maximum(_share(curves > critical), _share(curves < -critical)),
    }
    tests = {name: _test(values, exact=exact) for name, values in statistics.items()}
    return CurveInference(
        a=names[0], b=names[1], **tests, swaps=len(known), exact=exact, undefined=len(swapped) - len(known)
    )


def _share(held: NDArray[np.bool_]) -> Doubles:
    share: Doubles = held.sum(axis=1) / held.shape[1]
    return share


def _test(values: Doubles, *, exact: bool) -> CurveTest:
    """The first value against the others; values within rounding of it count as equal."""
    reached = int((values[1:] >= values[0] - _ROUNDING).sum())
    if exact:
        return CurveTest(float(values[0]), reached / (len(values) - 1), 0.0)
    p = (reached + 1) / len(values)
    return CurveTest(float(values[0]), p, sqrt(p * (1 - p) / (len(values) - 1)))
