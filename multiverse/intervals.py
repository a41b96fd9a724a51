"""Intervals of resampled quantities: percentiles, and the bias-corrected and accelerated ones (DESIGN section 6)."""

from fractions import Fraction
from math import fsum
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

_NORMAL = NormalDist()


class Interval(NamedTuple):
    """A percentile interval, and the draws left out of it because the quantity was undefined there."""

    lower: float | None
    upper: float | None
    undefined: int
    exact: bool = False  # computed from the resampling distribution, not from draws


def percentile_interval(values: Doubles, level: Fraction) -> Interval:
    """The central interval of the defined draws, by linear interpolation of order statistics."""
    known = np.sort(values[~np.isnan(values)])
    undefined = len(values) - len(known)
    if not len(known):
        return Interval(None, None, undefined)
    tail = (1 - level) / 2
    return Interval(quantile(known, tail), quantile(known, 1 - tail), undefined)


def bca_interval(values: Doubles, estimate: float, left_out: Doubles, level: Fraction) -> Interval:
    """The bias-corrected and accelerated interval (Efron 1987), accelerated by leaving units out in turn.

    `estimate`: the quantity itself; `left_out`: it with each unit left out. Ties with the estimate count by half.
    """
    known, kept = np.sort(values[~np.isnan(values)]), left_out[~np.isnan(left_out)]
    undefined = len(values) - len(known)
    if not len(known) or np.isnan(estimate):
        return Interval(None, None, undefined)
    below = (int((known < estimate).sum()) + int((known <= estimate).sum())) / (2 * len(known))
    if known[0] == known[-1] or not 0 < below < 1:  # no bias can be told: as without correction
        return percentile_interval(values, level)
    bias, away = _NORMAL.inv_cdf(below), fsum(kept.tolist()) / max(len(kept), 1) - kept
    spread = fsum((away**2).tolist()) ** 1.5
    acceleration = fsum((away**3).tolist()) / (6 * spread) if spread else 0.0
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + _NORMAL.inv_cdf(float(tail))
        ends.append(quantile(known, Fraction(_NORMAL.cdf(bias + shifted / (1 - acceleration * shifted)))))
    return Interval(ends[0], ends[1], undefined)


def quantile(ordered: Doubles, share: Fraction) -> float:
    """The share-quantile of sorted values, linearly interpolated (the default of R, type 7)."""
    place = share * (len(ordered) - 1)
    below = int(place)
    rest = float(place - below)
    low = float(ordered[below])
    return low if not rest else low + rest * (float(ordered[below + 1]) - low)


def quantile_of_columns(ordered: Doubles, share: Fraction) -> Doubles:
    """The share-quantile of each sorted column, interpolated as by `quantile`: (columns,)."""
    return np.array([quantile(column, share) for column in ordered.T])
