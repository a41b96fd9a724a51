"""The resampling distribution of a mean that takes few values, computed instead of drawn.

Where every unit counts the same number of eligible rows, a redrawn mean is a sum of independent draws from the values
of the units, a sum for each stratum. Its distribution is a convolution of theirs, by the fast Fourier transform.
"""

from fractions import Fraction
from math import gcd

import numpy as np

from multiverse.intervals import Interval
from multiverse.resampling import Counts, Doubles

MOST_POINTS = 2**21  # of the lattice that the sum lives on
_SLACK = 1e-12  # of a cumulative probability, for the rounding of the transform


def exact_interval(values: Doubles, stratum: Counts, divisor: float, level: Fraction) -> Interval | None:
    """The central interval of the mean of redrawn units; None where its lattice is too large.

    `values`: whole numbers by unit (units,), `stratum`: theirs, ascending; the mean is their sum over `divisor`. An end
    is the least value at which the distribution function reaches the tail's probability.
    """
    lowest, step = int(values.min()), _step(values)
    if step == 0:
        mean = lowest * len(values) / divisor
        return Interval(mean, mean, 0, exact=True)
    places = ((values - lowest) / step).astype(np.int64)
    points = int(places.max()) * len(values) + 1
    if points > MOST_POINTS:
        return None
    reached = np.cumsum(_sum_distribution(places, stratum, points))
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        place = int(np.searchsorted(reached, float(tail) - _SLACK))
        ends.append((lowest * len(values) + place * step) / divisor)
    return Interval(ends[0], ends[1], 0, exact=True)


def _step(values: Doubles) -> int:
    """The widest lattice that holds all values; 0 where they are equal."""
    lowest = int(values.min())
    return gcd(*(int(value) - lowest for value in np.unique(values)))


def _sum_distribution(places: Counts, stratum: Counts, points: int) -> Doubles:
    """The distribution of the sum of one draw per unit, each from the units of its stratum."""
    size = 1 << (points - 1).bit_length()
    transform = np.ones(size // 2 + 1, dtype=np.complex128)
    for own in np.unique(stratum):
        chosen = places[stratum == own]
        shares = np.bincount(chosen, minlength=size) / len(chosen)
        transform *= np.fft.rfft(shares) ** len(chosen)
    found: Doubles = np.clip(np.fft.irfft(transform, size)[:points], 0.0, None)
    return found
