"""Exact averages over chosen rows, by the declared rule (DESIGN section 4)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiverse.auc import PairWins, pair_wins
from multiverse.exact import Integers, group_sums, scaled
from multiverse.specification import Aggregation

Counts = NDArray[np.int64]
Bits = NDArray[np.bool_]


class Weighing(NamedTuple):
    """How rows enter a level under an aggregation: arrays (rows,), None where it has no such thing."""

    aggregation: Aggregation
    group: Counts | None = None  # codes of the groups that are averaged, or within which rows are paired
    weight: Integers | None = None  # whole numbers
    group_weight: Integers | None = None  # the same for all rows of a group
    positive: Bits | None = None

    @property
    def is_weighed(self) -> bool:
        """Whether rows or groups have weights."""
        return self.weight is not None or self.group_weight is not None

    def groups(self, rows: Counts) -> Counts:
        """The groups of the rows at some positions."""
        return np.zeros(len(rows), dtype=np.int64) if self.group is None else self.group[rows]

    def weights(self, rows: Counts) -> Integers:
        """The weights of the rows at some positions."""
        return np.ones_like(rows) if self.weight is None else self.weight[rows]

    def group_weights(self, rows: Counts) -> Integers:
        """The weights of the groups of the rows at some positions."""
        return np.ones_like(rows) if self.group_weight is None else self.group_weight[rows]

    def wins(self, numerators: Integers, rows: Counts) -> PairWins:
        """How each of the rows at some positions fares against those with the other label."""
        assert self.positive is not None, "an auc has labels"
        return pair_wins(numerators[rows], self.positive[rows], self.groups(rows))


def average(numerators: Integers, chosen: Bits, denominator: int, weighing: Weighing) -> Fraction | None:
    """The level over the chosen rows, all arrays (rows,); None where there is nothing to average.

    The weighed mean of the groups' weighed means, groups without weight left out; a mean of rows has one group. An
    auc is the share of pairs of a positive and a negative row that the positive one wins, ties by half.
    """
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return None
    if weighing.aggregation.rule == "auc":
        return weighing.wins(numerators, rows).auc(weighing.aggregation.pool)
    grouped = _grouped(rows, weighing)
    values = numerators[grouped.rows][:, None]
    sums = group_sums(
        values if weighing.weight is None else scaled(values, weighing.weight[grouped.rows]), grouped.starts
    )
    if weighing.group_weight is not None:
        sums = scaled(sums, grouped.group_weight)
    held = [(weight, total) for weight, total in _by_weight(grouped.weight, sums[:, 0]) if weight]
    if not held:
        return None
    divisor = sum(map(int, grouped.group_weight[grouped.weight > 0])) * denominator
    return sum((Fraction(total, weight) for weight, total in held), Fraction(0)) / divisor if divisor else None


class _Grouped(NamedTuple):
    """Rows sorted by group: arrays by group but the first."""

    rows: Counts
    starts: Counts
    weight: Integers  # of all rows of the group together; without weights their number
    group_weight: Integers


def _grouped(rows: Counts, weighing: Weighing) -> _Grouped:
    group = weighing.groups(rows)
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=group[order[0]] - 1))
    weight: Integers = np.diff([*starts, len(rows)])
    if weighing.weight is not None:
        weight = group_sums(weighing.weight[rows[order]][:, None], starts)[:, 0]
    return _Grouped(rows[order], starts, weight, weighing.group_weights(rows[order[starts]]))


def _by_weight(weights: Integers, sums: Integers) -> list[tuple[int, int]]:
    """Each distinct weight, and the sums of the groups that have it added up."""
    distinct, place = np.unique(weights, return_inverse=True)
    order = np.argsort(place.ravel(), kind="stable")
    starts = np.searchsorted(place.ravel()[order], np.arange(len(distinct)))
    totals = group_sums(sums[order][:, None], starts)[:, 0]
    return [(int(weight), int(total)) for weight, total in zip(distinct, totals, strict=True)]


class Shares(NamedTuple):
    """What each row adds to a level: alike for rows of one kind, times their score where it is a share of that."""

    kind: Counts  # (rows,)
    values: Mapping[int, Fraction]  # by kind
    of_score: bool


def shares(numerators: Integers, chosen: Bits, weighing: Weighing) -> Shares | None:
    """How the level over the chosen rows is made up of them; None where it is undefined."""
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return None
    kind = np.zeros(len(chosen), dtype=np.int64)
    if weighing.aggregation.rule == "auc":
        kind[rows], values = weighing.wins(numerators, rows).shares(weighing.aggregation.pool)
        return Shares(kind, values, of_score=False) if values else None
    if not weighing.is_weighed:
        group = weighing.groups(np.arange(len(chosen)))
        sizes = np.bincount(group[rows], minlength=int(group.max()) + 1)
        filled = int((sizes > 0).sum())
        return Shares(sizes[group], {n: Fraction(1, n * filled) for n in np.unique(sizes).tolist() if n}, of_score=True)
    grouped = _grouped(rows, weighing)
    heft = sum(map(int, grouped.group_weight[grouped.weight > 0]))
    if not heft:
        return None
    place = np.repeat(np.arange(len(grouped.starts)), np.diff([*grouped.starts, len(rows)]))
    _, code = np.unique(weighing.weights(grouped.rows), return_inverse=True)
    _, first, kind[grouped.rows] = np.unique(code.ravel() * len(rows) + place, return_index=True, return_inverse=True)
    found = [(weighing.weights(grouped.rows[row : row + 1])[0], place[row]) for row in first]
    parts = [(int(own) * int(grouped.group_weight[one]), int(grouped.weight[one]) * heft) for own, one in found]
    return Shares(kind, {i: Fraction(*part) if part[1] else Fraction(0) for i, part in enumerate(parts)}, of_score=True)
