"""The area under the ROC curve as a count of pairs: exact, within groups, and for each pair of redrawn units."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiverse.exact import Integers

Counts = NDArray[np.int64]
Bits = NDArray[np.bool_]
Doubles = NDArray[np.float64]
Pool = Literal["pairs", "groups"]


class PairWins(NamedTuple):
    """Half-wins of rows against the rows of their group with the other label: 2 for a pair won, 1 for a tie."""

    half_wins: Counts  # (rows,) of a negative row: those that positive ones have over it
    positive: Bits  # (rows,)
    group: Counts  # (rows,) dense codes
    pairs: Counts  # (groups,)

    def auc(self, pool: Pool) -> Fraction | None:
        """The share of pairs that the positive row wins, of all pairs or averaged over groups with one; or None."""
        if not self.pairs.any():
            return None
        if pool == "pairs":
            return Fraction(sum(self.half_wins[self.positive].tolist()), 2 * sum(self.pairs.tolist()))
        won = np.zeros(len(self.pairs), dtype=np.int64)
        np.add.at(won, self.group[self.positive], self.half_wins[self.positive])
        held = [(int(wins), int(pairs)) for wins, pairs in zip(won, self.pairs, strict=True) if pairs]
        return sum((Fraction(wins, 2 * pairs) for wins, pairs in held), Fraction(0)) / len(held)

    def shares(self, pool: Pool) -> tuple[Counts, Mapping[int, Fraction]]:
        """The kind of each row, and what a row of each kind adds: half of what each of its pairs does.

        No kind where there is no pair.
        """
        filled = int((self.pairs > 0).sum())
        pairs = np.full_like(self.pairs, self.pairs.sum()) if pool == "pairs" else self.pairs * filled
        keys = np.stack([self.half_wins, pairs[self.group]])
        distinct, kind = np.unique(keys, axis=1, return_inverse=True)
        values = {
            i: Fraction(wins, 4 * total) if total else Fraction(0)
            for i, (wins, total) in enumerate(distinct.T.tolist())
        }
        return kind.ravel(), values if filled else {}


def pair_wins(scores: Integers, positive: Bits, group: Counts) -> PairWins:
    """Every row against those of its group with the other label; all arrays (rows,)."""
    groups, dense = np.unique(group, return_inverse=True)
    _, rank = np.unique(scores, return_inverse=True)
    dense, rank = dense.ravel(), rank.ravel()
    order = np.lexsort((rank, dense))
    same = np.diff(dense[order], prepend=-1) == 0
    ties = np.cumsum(~(same & (np.diff(rank[order], prepend=-1) == 0))) - 1  # rows of one score in one group
    tie = np.zeros(len(order), dtype=np.int64)
    tie[order] = ties
    of_tie = np.zeros(int(ties[-1]) + 1, dtype=np.int64)
    of_tie[ties] = dense[order]
    counts = [np.bincount(tie[held], minlength=len(of_tie)) for held in (positive, ~positive)]
    totals = [np.bincount(dense[held], minlength=len(groups)) for held in (positive, ~positive)]
    below = [
        np.cumsum(count) - count - (np.cumsum(total) - total)[of_tie]
        for count, total in zip(counts, totals, strict=True)
    ]
    above_positive = totals[0][of_tie] - below[0] - counts[0]
    half_wins = np.where(positive, (2 * below[1] + counts[1])[tie], (2 * above_positive + counts[0])[tie])
    return PairWins(half_wins, positive, dense, totals[0] * totals[1])


class UnitPairs(NamedTuple):
    """Pairs of redrawn units that share a group, in runs of one group each; a unit is paired with itself too."""

    units: tuple[Counts, ...]  # (groups,) the units of each group, ascending
    group: Counts  # (rows,) dense codes
    place: Counts  # (rows,) the place of the row's unit among those of its group

    @property
    def first(self) -> Counts:
        """The unit of the positive row, by pair of units."""
        return np.concatenate([np.repeat(units, len(units)) for units in self.units])

    @property
    def second(self) -> Counts:
        """The unit of the negative row."""
        return np.concatenate([np.tile(units, len(units)) for units in self.units])


def unit_pairs(unit: Counts, group: Counts) -> UnitPairs:
    """The pairs of units in each group of rows; arrays (rows,)."""
    groups, dense = np.unique(group, return_inverse=True)
    dense, place, units = dense.ravel(), np.zeros(len(unit), dtype=np.int64), []
    for code in range(len(groups)):
        inside = np.flatnonzero(dense == code)
        own, place_of = np.unique(unit[inside], return_inverse=True)
        place[inside] = place_of.ravel()
        units.append(own)
    return UnitPairs(tuple(units), dense, place)


def half_wins_by_units(scores: Integers, chosen: Bits, positive: Bits, pairs: UnitPairs) -> tuple[Doubles, Doubles]:
    """Half-wins and pairs of chosen rows, whole numbers: arrays over the pairs of units.

    The positive row is in the first unit of a pair, the negative one in the second.
    """
    _, rank = np.unique(scores, return_inverse=True)
    rank, wins, counts = rank.ravel(), [], []
    for code, units in enumerate(pairs.units):
        size, inside = len(units), chosen & (pairs.group == code)
        good, bad = (np.flatnonzero(inside & held) for held in (positive, ~positive))
        good_unit, bad_unit = pairs.place[good], pairs.place[bad]
        won = np.zeros((size, size))
        for other in np.unique(bad_unit):
            lower = np.sort(rank[bad[bad_unit == other]])
            half = np.searchsorted(lower, rank[good], "left") + np.searchsorted(lower, rank[good], "right")
            won[:, other] = np.bincount(good_unit, half, minlength=size)
        wins.append(won.ravel())
        sizes = (np.bincount(found, minlength=size).astype(np.float64) for found in (good_unit, bad_unit))
        counts.append(np.outer(*sizes).ravel())
    return np.concatenate(wins), np.concatenate(counts)
