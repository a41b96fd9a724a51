"""One paired bootstrap for everything: units redrawn, each draw carrying every specification (DESIGN section 6).

Every level is a ratio of weighted sums. The sums of a draw are integers held in doubles, so they are exact in any
order, and a difference of two levels that is zero in every draw comes out as zero, not as rounding.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import fsum, lcm
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Bits = NDArray[np.bool_]
Doubles = NDArray[np.float64]

BLOCK = 250  # draws that share a child seed: results depend on it, and on nothing else but seed and data
_EXACT = 2**50
_NORMAL = NormalDist()
_LARGEST_EXACT_CLUSTER = 16


class Units(NamedTuple):
    """What is redrawn: units sorted by stratum, each row in one unit."""

    of_row: Counts  # (rows,)
    stratum: Counts  # (units,) ascending


class Cells(NamedTuple):
    """Where sums are kept: a cell a unit, or a cell for each unit of each stratum, sorted by stratum."""

    of_row: Counts  # (rows,)
    unit: Counts  # (cells,)
    edges: tuple[int, ...]  # where each group of cells starts, and the end


class Column(NamedTuple):
    """The level of a method under a specification, as sums over cells."""

    sums: Doubles  # (cells,) whole numbers, scores times `LevelColumns.scale`
    support: int  # position of its eligible counts among the supports
    rounding: float  # how far the sum may be off, for each one that its support counts: 0 where all scores are exact


Terms = tuple[tuple[int, int], ...]  # (coefficient, column): a linear combination of levels


class Support(NamedTuple):
    """Eligible rows (of a cluster mean: eligible clusters), as counts over cells."""

    counts: Doubles  # (cells,)
    by_stratum: bool  # which cells


def block_weights(units: Units, *, seed: int, block: int, draws: int) -> Doubles:
    """How often each unit is drawn, within strata: (draws, units), the draws of one block.

    Uniform positions come from the raw words of PCG64, so that no library's sampling routine is part of the result.
    """
    count = len(units.stratum)
    first = np.searchsorted(units.stratum, units.stratum)
    size = np.searchsorted(units.stratum, units.stratum, side="right") - first
    generator = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(block,)))
    uniform = (generator.random_raw(draws * count) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    drawn = first + np.floor(uniform.reshape(draws, count) * size).astype(np.int64)
    cells = drawn + np.arange(draws)[:, None] * count
    return np.bincount(cells.ravel(), minlength=draws * count).reshape(draws, count).astype(np.float64)


class LevelColumns:
    """Distinct level columns and distinct supports; columns that are equal are kept once."""

    def __init__(self, units: Units, groups: Mapping[str, Counts], denominator: int) -> None:
        """`groups`: the cluster and stratum codes of the rows; `denominator`: one that every score's divides."""
        rows = len(units.of_row)
        self.cells = {False: whole_cells(units), True: stratum_cells(units, groups["stratum"])}
        self._row_scale = denominator if denominator * rows < _EXACT else 2 ** (50 - max(rows, 2).bit_length())
        self._denominator = denominator
        self._cluster_scale = _cluster_scale(groups["cluster"], _EXACT // (self._row_scale * max(rows, 1)))
        self.scale = self._row_scale * self._cluster_scale
        self._row_rounding = 0.0 if self._row_scale == denominator else 0.5 * self._cluster_scale
        self.columns: list[Column] = []
        self.supports: list[Support] = []
        self._known: dict[tuple[bytes, int, float], int] = {}
        self._known_supports: dict[tuple[bytes, bool], int] = {}

    def add(self, numerators: NDArray[np.generic], chosen: Bits, denominator: int, rule: str) -> int:
        """The position of the column of a level over the chosen rows."""
        cells, rounding = self.cells[rule == "stratum_mean"], self._row_rounding
        scores = self._scaled(numerators, denominator) * chosen
        weighed = np.bincount(cells.of_row, scores, minlength=len(cells.unit))
        sums: Doubles = weighed.astype(np.float64) * self._cluster_scale
        counts = np.bincount(cells.of_row, chosen, minlength=len(cells.unit)).astype(np.float64)
        if rule == "cluster_mean":
            rounding += 0.5 * bool(np.mod(sums, np.maximum(counts, 1)).any())
            sums = np.rint(np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0))
            counts = (counts > 0).astype(np.float64)
        return self._position(sums, Support(counts, rule == "stratum_mean"), rounding)

    def _scaled(self, numerators: NDArray[np.generic], denominator: int) -> Doubles:
        if self._row_scale == self._denominator:
            return numerators.astype(np.float64) * (self._row_scale // denominator)
        whole = [round(Fraction(int(n) * self._row_scale, denominator)) for n in numerators.tolist()]
        return np.array(whole, dtype=np.float64)

    def _position(self, sums: Doubles, support: Support, rounding: float) -> int:
        known = self._known_supports.setdefault((support.counts.tobytes(), support.by_stratum), len(self.supports))
        if known == len(self.supports):
            self.supports.append(support)
        key = (sums.tobytes(), known, rounding)
        if key not in self._known:
            self._known[key] = len(self.columns)
            self.columns.append(Column(sums, known, rounding))
        return self._known[key]


def whole_cells(units: Units) -> Cells:
    """A cell a unit, in one group."""
    count = len(units.stratum)
    return Cells(units.of_row, np.arange(count), (0, count))


def stratum_cells(units: Units, stratum: Counts) -> Cells:
    """A cell for each unit of each stratum."""
    pairs, of_row = np.unique(np.stack([stratum, units.of_row]), axis=1, return_inverse=True)
    edges = np.searchsorted(pairs[0], np.arange(int(stratum.max()) + 2))
    return Cells(of_row.ravel(), pairs[1], tuple(edges.tolist()))


def _cluster_scale(cluster: Counts, room: int) -> int:
    """A multiple of every cluster's possible size, where it is within the room; otherwise the room's power of two."""
    largest = int(np.bincount(cluster).max())
    multiple = lcm(*range(1, largest + 1)) if largest <= _LARGEST_EXACT_CLUSTER else room + 1
    return multiple if multiple <= room else max(1, 2 ** (max(room, 1).bit_length() - 1))


class UnitSums(NamedTuple):
    """Distinct columns and supports side by side, as a matrix over cells for each kind of cells."""

    matrices: Mapping[bool, Doubles]  # by whether cells are strata's: (cells, parts)
    cells: Mapping[bool, Cells]
    columns: tuple[int, ...]  # the part of each column
    supports: tuple[int, ...]  # the part of each support
    by_stratum: tuple[bool, ...]  # by support
    support_of: tuple[int, ...]  # by column
    rounding: tuple[float, ...]  # by column
    scale: int

    def drawn(self, weights: Doubles) -> dict[bool, Doubles]:
        """The sums of every part under rows of unit weights, by kind of cells: (parts, groups, draws)."""
        found = {}
        for kind, matrix in self.matrices.items():
            cells = self.cells[kind]
            groups = [weights[:, cells.unit[start:stop]] @ matrix[start:stop] for start, stop in pairwise(cells.edges)]
            found[kind] = np.stack(groups).transpose(2, 0, 1)
        return found

    def of_columns(self, chosen: Sequence[int]) -> "UnitSums":
        """The sums of some columns alone, in the order given."""
        matrices: dict[bool, list[Doubles]] = {}
        columns, supports, kinds = [], [], []
        for column in chosen:
            support = self.support_of[column]
            kind, parts = self.by_stratum[support], (self.columns[column], self.supports[support])
            held = matrices.setdefault(kind, [])
            columns.append(len(held))
            supports.append(len(held) + 1)
            kinds.append(kind)
            held += [self.matrices[kind][:, part] for part in parts]
        stacked = {kind: np.stack(held, axis=1) for kind, held in matrices.items()}
        return self._replace(
            matrices=stacked,
            columns=tuple(columns),
            supports=tuple(supports),
            by_stratum=tuple(kinds),
            support_of=tuple(range(len(chosen))),
            rounding=tuple(self.rounding[column] for column in chosen),
        )

    def whole_values(self, terms: Terms) -> tuple[Doubles, float] | None:
        """A combination of levels as whole numbers by unit, and the eligible count of every unit.

        None where the combination is no mean of them: where supports or strata differ, or units count unlike.
        """
        supports = {self.support_of[column] for _, column in terms}
        support = min(supports)
        if len(supports) > 1 or self.by_stratum[support]:
            return None
        matrix = self.matrices[False]
        counts = matrix[:, self.supports[support]]
        if counts[0] == 0 or (counts != counts[0]).any() or any(self.rounding[column] for _, column in terms):
            return None
        values = np.zeros(len(counts))
        for coefficient, column in terms:
            values += coefficient * matrix[:, self.columns[column]]
        return values, float(counts[0])

    def left_out(self, units: int) -> dict[bool, Doubles]:
        """The sums of every part with each unit left out in turn: (parts, groups, units)."""
        found = {}
        for kind, totals in self.drawn(np.ones((1, units))).items():
            sums, cells = np.repeat(totals, units, axis=2), self.cells[kind]
            for group, (start, stop) in enumerate(pairwise(cells.edges)):
                sums[:, group, cells.unit[start:stop]] -= self.matrices[kind][start:stop].T
            found[kind] = sums
        return found


def unit_sums(columns: LevelColumns) -> UnitSums:
    """The columns and supports as matrices."""
    parts: dict[bool, list[Doubles]] = {False: [], True: []}
    supports = []
    for support in columns.supports:
        supports.append(len(parts[support.by_stratum]))
        parts[support.by_stratum].append(support.counts)
    places = []
    for column in columns.columns:
        kind = columns.supports[column.support].by_stratum
        places.append(len(parts[kind]))
        parts[kind].append(column.sums)
    return UnitSums(
        matrices={kind: np.stack(found, axis=1) for kind, found in parts.items() if found},
        cells=columns.cells,
        columns=tuple(places),
        supports=tuple(supports),
        by_stratum=tuple(support.by_stratum for support in columns.supports),
        support_of=tuple(column.support for column in columns.columns),
        rounding=tuple(column.rounding for column in columns.columns),
        scale=columns.scale,
    )


class Draws(NamedTuple):
    """Weighted sums of every column and support in every draw."""

    sums: Mapping[bool, Doubles]  # by kind of cells: (parts, groups, draws)
    of: UnitSums

    def column(self, position: int) -> Doubles:
        """The sums of a column: (groups, draws)."""
        sums: Doubles = self.sums[self.of.by_stratum[self.of.support_of[position]]][self.of.columns[position]]
        return sums

    def support(self, position: int) -> Doubles:
        """The eligible counts of a column's support: (groups, draws)."""
        support = self.of.support_of[position]
        counts: Doubles = self.sums[self.of.by_stratum[support]][self.of.supports[support]]
        return counts

    @property
    def height(self) -> int:
        """How many draws there are."""
        height: int = next(iter(self.sums.values())).shape[2]
        return height


def joined(blocks: Sequence[Mapping[bool, Doubles]], of: UnitSums) -> Draws:
    """Blocks of draws as one."""
    whole = {kind: np.concatenate([block[kind] for block in blocks], axis=2) for kind in of.matrices}
    return Draws({kind: np.ascontiguousarray(sums) for kind, sums in whole.items()}, of)


def statistic(draws: Draws, terms: Terms, divisor: int = 1) -> Doubles:
    """A combination of levels in every draw, NaN where one is undefined: (draws,).

    Levels with one support are combined before the division, so what cancels in every unit is exactly zero; so is what
    rounding alone could have made of zero.
    """
    by_support: dict[int, Counter[int]] = {}
    for coefficient, column in terms:
        by_support.setdefault(draws.of.support_of[column], Counter())[column] += coefficient
    total = np.zeros(draws.height)
    for members in by_support.values():
        counts = draws.support(next(iter(members)))
        sums, rounding = np.zeros_like(counts), 0.0
        for column, coefficient in members.items():
            sums += coefficient * draws.column(column)
            rounding += abs(coefficient) * draws.of.rounding[column]
        total += mean_of_ratios(np.where(np.abs(sums) > rounding * counts, sums, 0.0), counts)
    return total / (draws.of.scale * divisor)


def mean_of_ratios(sums: Doubles, counts: Doubles) -> Doubles:
    """The mean over groups with a count of sum / count, arrays (groups, draws); NaN where no group has one."""
    held = counts > 0
    ratios = np.divide(sums, counts, out=np.zeros_like(counts), where=held)
    defined = held.sum(axis=0)
    means: Doubles = np.full(counts.shape[1], np.nan)
    np.divide(ratios.sum(axis=0), defined, out=means, where=defined > 0)
    return means


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
