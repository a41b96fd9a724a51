"""Scored repeats combined into one score, exactly: averages, choices of one repeat, and counts of those that pass."""

from fractions import Fraction
from math import comb, lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiverse.exact import Integers, group_sums, integers, over_common_denominator, scaled, times
from multiverse.specification import Scoring

Counts = NDArray[np.int64]
Bits = NDArray[np.bool_]


class Combined(NamedTuple):
    """One score of each outcome; of no account where it is not eligible."""

    numerators: Integers  # (outcomes,) over `factor` times the repeats' denominator
    eligible: Bits  # (outcomes,)
    factor: int


class Runs(NamedTuple):
    """Numerators of repeats in runs, an outcome each."""

    numerators: Integers  # (repeats,)
    kept: Bits  # (repeats,)
    starts: Counts  # (outcomes,)

    @property
    def counts(self) -> Counts:
        """Repeats kept, by outcome."""
        counts: Counts = np.add.reduceat(self.kept.astype(np.int64), self.starts)
        return counts

    def combined(self, scoring: Scoring, one: int) -> Combined:
        """The kept repeats under the scoring's rule; `one` is the numerator of 1."""
        rule = scoring.repeats
        if rule == "mean":
            return self._mean()
        if rule == "median":
            return self._median()
        if rule in ("majority", "at_least", "pass_at", "pass_all"):
            return self._passes(scoring, one)
        if rule == "mode":
            chosen = self._mode(scoring)
        elif rule == "first":
            chosen = self.numerators[self._first()]
        elif rule == "max":
            chosen = np.maximum.reduceat(np.where(self.kept, self.numerators, 0), self.starts)
        else:
            chosen = np.minimum.reduceat(np.where(self.kept, self.numerators, one), self.starts)
        return Combined(chosen, self.counts > 0, 1)

    def _mean(self) -> Combined:
        counts = self.counts
        factor = lcm(*(int(count) for count in np.unique(counts) if count))
        sums = group_sums(np.where(self.kept, self.numerators, 0)[:, None], self.starts)
        weights = integers([factor // max(int(count), 1) for count in counts])
        return Combined(scaled(sums, weights)[:, 0], counts > 0, factor)

    def _first(self) -> Counts:
        """The position of each outcome's first kept repeat."""
        places = np.where(self.kept, np.arange(len(self.kept)), len(self.kept) - 1)
        first: Counts = np.minimum.reduceat(places, self.starts)
        return first

    def _outcome(self) -> Counts:
        """The outcome of each repeat."""
        lengths = np.diff(self.starts, append=len(self.kept))
        return np.repeat(np.arange(len(self.starts)), lengths)

    def _median(self) -> Combined:
        """The middle kept repeat, or the mean of the middle two, over twice the denominator."""
        counts, kept = self.counts, np.flatnonzero(self.kept)
        if not len(kept):
            return Combined(np.zeros(len(counts), dtype=np.int64), counts > 0, 1)
        _, rank = np.unique(self.numerators[kept], return_inverse=True)
        ordered = self.numerators[kept[np.lexsort((rank.ravel(), self._outcome()[kept]))]]
        start = np.cumsum(counts) - counts
        last = len(ordered) - 1
        low, high = (np.minimum(start + np.maximum(place, 0), last) for place in ((counts - 1) // 2, counts // 2))
        return Combined(ordered[low] + ordered[high], counts > 0, 2)

    def _mode(self, scoring: Scoring) -> Integers:
        """The most frequent kept score; of several the first to occur, the lowest or the highest."""
        kept = np.flatnonzero(self.kept)
        values, rank = np.unique(self.numerators[kept], return_inverse=True)
        pairs = np.stack([self._outcome()[kept], rank.ravel()])
        found, first, counts = np.unique(pairs, axis=1, return_index=True, return_counts=True)
        outcome, value = found
        preference = {"first": first, "lowest": value, "highest": -value}[scoring.ties]
        order = np.lexsort((preference, -counts, outcome))
        chosen = np.zeros_like(self.numerators[: len(self.starts)])
        best = order[np.flatnonzero(np.diff(outcome[order], prepend=-1))]
        chosen[outcome[best]] = values[value[best]]
        return chosen

    def _passes(self, scoring: Scoring, one: int) -> Combined:
        """What the number of repeats that are 1, and of all that are kept, make of an outcome."""
        counts = self.counts
        passed = np.add.reduceat((self.kept & (self.numerators == one)).astype(np.int64), self.starts)
        distinct, place = np.unique(np.stack([passed, counts]), axis=1, return_inverse=True)
        shares = [pass_share(scoring, int(passes), int(count)) for passes, count in distinct.T]
        known = over_common_denominator([share or Fraction(0) for share in shares])
        held = np.array([share is not None for share in shares], dtype=bool)
        return Combined(times(known.values, one)[place.ravel()], held[place.ravel()], known.denominator)


def pass_share(scoring: Scoring, passed: int, count: int) -> Fraction | None:
    """The score of so many repeats of which so many pass; None where there is none.

    `pass_at`: the chance that one at least passes of k drawn without replacement (Chen et al. 2021); `pass_all`: that
    all k do.
    """
    asked = scoring.count
    if not count:
        return None
    if count < asked and isinstance(scoring.fewer, Fraction):
        return scoring.fewer
    if count < asked and scoring.fewer is not None:
        if scoring.fewer == "exclude":
            return None
        asked = count
    if scoring.repeats == "majority":
        return Fraction(2 * passed > count)
    if scoring.repeats == "at_least":
        return Fraction(passed >= asked)
    if scoring.repeats == "pass_at":
        return 1 - Fraction(comb(count - passed, asked), comb(count, asked))
    return Fraction(comb(passed, asked), comb(count, asked))


def least_kept(scoring: Scoring) -> int:
    """How many repeats have to be kept for an outcome to be eligible."""
    return scoring.count if scoring.fewer == "exclude" else 1
