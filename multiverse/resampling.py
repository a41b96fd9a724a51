"""One paired bootstrap for everything: units redrawn, each draw carrying every specification (DESIGN section 6).

Every level is a ratio of weighted sums. The sums of a draw are integers held in doubles, so they are exact in any
order, and a difference of two levels that is zero in every draw comes out as zero, not as rounding.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiverse.auc import UnitPairs, half_wins_by_units, unit_pairs
from multiverse.averages import Weighing
from multiverse.exact import Integers, group_sums

Counts = NDArray[np.int64]
Bits = NDArray[np.bool_]
Doubles = NDArray[np.float64]

BLOCK = 250  # draws that share a child seed: results depend on it, and on nothing else but seed and data
_EXACT = 2**50
_LARGEST_EXACT_CLUSTER = 16
_LARGEST_WEIGHT = 2**30  # of all rows together: heavier ones are rounded to so many parts
_AT_ONCE = 2**22  # products of the weights of pairs of units that are held at once
MOST_UNIT_PAIRS = 2**24


class Units(NamedTuple):
    """What is redrawn: units sorted by stratum, each row in one unit."""

    of_row: Counts  # (rows,)
    stratum: Counts  # (units,) ascending


class Cells(NamedTuple):
    """Where sums are kept: a cell for each unit of each group, sorted by group; or for each pair of its units."""

    of_row: Counts  # (rows,)
    unit: Counts  # (cells,)
    edges: tuple[int, ...]  # where each group of cells starts, and the end
    weights: Doubles | None = None  # (groups,) of the groups, where they have any
    pairs: UnitPairs | None = None  # where cells are pairs of units
    other: Counts | None = None  # (cells,) the other unit of a pair

    def drawn(self, weights: Doubles, matrix: Doubles) -> Doubles:
        """Sums over the cells of each group under rows of unit weights: (parts, groups, draws)."""
        groups = [self._sums(weights, matrix, slice(start, stop)) for start, stop in pairwise(self.edges)]
        return np.stack(groups).transpose(2, 0, 1)

    def _sums(self, weights: Doubles, matrix: Doubles, cells: slice) -> Doubles:
        if self.other is None:
            return weights[:, self.unit[cells]] @ matrix[cells]
        first, second, block = self.unit[cells], self.other[cells], max(1, _AT_ONCE // max(1, len(self.unit[cells])))
        parts = [weights[start : start + block] for start in range(0, len(weights), block)]
        return np.concatenate([(part[:, first] * part[:, second]) @ matrix[cells] for part in parts])


class Column(NamedTuple):
    """The level of a method under a specification, as sums over cells."""

    sums: Doubles  # (cells,) whole numbers, scores times `LevelColumns.scale`
    support: int  # position of its eligible counts among the supports
    rounding: float  # how far the sum may be off, for each one that its support counts: 0 where all scores are exact


Kind = tuple[str | None, ...]  # of cells: the aggregation's groups, their weights, and how pairs are pooled
WHOLE: Kind = (None,)
Terms = tuple[tuple[int, int], ...]  # (coefficient, column): a linear combination of levels


class Support(NamedTuple):
    """Eligible rows by weight (of a cluster mean: eligible clusters; of an auc: pairs), as counts over cells."""

    counts: Doubles  # (cells,)
    kind: Kind  # which cells


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

    def __init__(self, units: Units, cluster: Counts, denominator: int, weighings: Sequence[Weighing] = ()) -> None:
        """`cluster`: codes of the rows; `denominator`: one that every score's divides; `weighings`: those in use."""
        rows = len(units.of_row)
        self._units = units
        self.cells = {WHOLE: whole_cells(units)}
        weights = [weight for one in weighings for weight in (one.weight, one.group_weight) if weight is not None]
        heft = max([rows, *(min(_total(weight), _LARGEST_WEIGHT) for weight in weights)])
        self._row_scale = denominator if denominator * heft < _EXACT else 2 ** (50 - max(heft, 2).bit_length())
        self._denominator = denominator
        is_weighed = any(one.weight is not None and one.aggregation.rule == "cluster_mean" for one in weighings)
        self._cluster_scale = _cluster_scale(cluster, _EXACT // (self._row_scale * heft), is_weighed=is_weighed)
        self.scale = self._row_scale * self._cluster_scale
        self._row_rounding = 0.0 if self._row_scale == denominator else 0.5 * self._cluster_scale
        self.columns: list[Column] = []
        self.supports: list[Support] = []
        self._known: dict[tuple[bytes, int, float], int] = {}
        self._known_supports: dict[tuple[bytes, Kind], int] = {}

    def add(self, numerators: Integers, chosen: Bits, denominator: int, weighing: Weighing) -> int:
        """The position of the column of a level over the chosen rows."""
        kind = self._kind(weighing)
        if weighing.positive is not None:
            pairs = self.cells[kind].pairs
            assert pairs is not None, "an auc is kept by pairs of units"
            half_wins, counts = half_wins_by_units(numerators, chosen, weighing.positive, pairs)
            return self._position(half_wins, Support(counts, kind), 0.0)
        cells, rounding = self.cells[kind], self._row_rounding
        weights = chosen.astype(np.float64) if weighing.weight is None else _parts(weighing.weight) * chosen
        weighed = np.bincount(cells.of_row, self._scaled(numerators, denominator) * weights, minlength=len(cells.unit))
        sums: Doubles = weighed.astype(np.float64) * self._cluster_scale
        counts = np.bincount(cells.of_row, weights, minlength=len(cells.unit)).astype(np.float64)
        if weighing.aggregation.rule == "cluster_mean":
            rounding += 0.5 * bool(np.mod(sums, np.maximum(counts, 1)).any())
            sums = np.rint(np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0))
            counts = (counts > 0).astype(np.float64)
            if weighing.group_weight is not None:
                own = by_group(_parts(weighing.group_weight), cells.of_row, len(cells.unit))
                sums, counts = sums * own, counts * own
        return self._position(sums, Support(counts, kind), rounding)

    def _kind(self, weighing: Weighing) -> Kind:
        """The cells of an aggregation, made where they are not there yet."""
        option, group = weighing.aggregation, weighing.group
        if option.rule in ("row_mean", "cluster_mean"):
            return WHOLE
        kind = (option.rule, option.by, option.group_weight, option.pool if option.rule == "auc" else None)
        if kind not in self.cells:
            rows = np.zeros(len(self._units.of_row), dtype=np.int64) if group is None else group
            cells = group_cells(self._units, rows)
            if option.rule == "auc":
                cells = pair_cells(self._units, rows, pooled=option.pool == "pairs")
            elif weighing.group_weight is not None:
                cells = cells._replace(weights=by_group(_parts(weighing.group_weight), rows, len(cells.edges) - 1))
            self.cells[kind] = cells
        return kind

    def _scaled(self, numerators: NDArray[np.generic], denominator: int) -> Doubles:
        if self._row_scale == self._denominator:
            return numerators.astype(np.float64) * (self._row_scale // denominator)
        whole = [round(Fraction(int(n) * self._row_scale, denominator)) for n in numerators.tolist()]
        return np.array(whole, dtype=np.float64)

    def _position(self, sums: Doubles, support: Support, rounding: float) -> int:
        known = self._known_supports.setdefault((support.counts.tobytes(), support.kind), len(self.supports))
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


def group_cells(units: Units, group: Counts) -> Cells:
    """A cell for each unit of each group, such as a stratum."""
    pairs, of_row = np.unique(np.stack([group, units.of_row]), axis=1, return_inverse=True)
    edges = np.searchsorted(pairs[0], np.arange(int(group.max()) + 2))
    return Cells(of_row.ravel(), pairs[1], tuple(edges.tolist()))


def pair_cells(units: Units, group: Counts, *, pooled: bool) -> Cells:
    """A cell for each pair of units in a group, all in one run where pairs are pooled over groups."""
    pairs = unit_pairs(units.of_row, group)
    edges = np.cumsum([0, *(len(found) ** 2 for found in pairs.units)]).tolist()
    ends = (0, edges[-1]) if pooled else tuple(edges)
    return Cells(units.of_row, pairs.first, ends, pairs=pairs, other=pairs.second)


def by_group(values: Doubles, group: Counts, count: int) -> Doubles:
    """The value that all rows of a group share, by group; 0 of a group without a row."""
    found = np.zeros(count)
    found[group] = values
    return found


def _total(weight: Integers) -> int:
    return int(group_sums(weight[:, None], np.zeros(1, dtype=np.intp))[0, 0])


def _parts(weight: Integers) -> Doubles:
    """Weights as whole numbers in doubles; where they sum to 2**30 or more, rounded to parts of it, 1 at least."""
    total = _total(weight)
    if total < _LARGEST_WEIGHT:
        return weight.astype(np.float64)
    whole = [max(1, round(Fraction(int(one) * _LARGEST_WEIGHT, total))) if one else 0 for one in weight.tolist()]
    return np.array(whole, dtype=np.float64)


def _cluster_scale(cluster: Counts, room: int, *, is_weighed: bool) -> int:
    """A multiple of every cluster's possible size, where it is within the room; otherwise the room's power of two.

    Of clusters whose rows have weights, which can sum to anything, always the latter.
    """
    largest = int(np.bincount(cluster).max())
    is_exact = largest <= _LARGEST_EXACT_CLUSTER and not is_weighed
    multiple = lcm(*range(1, largest + 1)) if is_exact else room + 1
    return multiple if multiple <= room else max(1, 2 ** (max(room, 1).bit_length() - 1))


class UnitSums(NamedTuple):
    """Distinct columns and supports side by side, as a matrix over cells for each kind of cells."""

    matrices: Mapping[Kind, Doubles]  # by kind of cells: (cells, parts)
    cells: Mapping[Kind, Cells]
    columns: tuple[int, ...]  # the part of each column
    supports: tuple[int, ...]  # the part of each support
    kinds: tuple[Kind, ...]  # by support
    support_of: tuple[int, ...]  # by column
    rounding: tuple[float, ...]  # by column
    scale: int

    def drawn(self, weights: Doubles) -> dict[Kind, Doubles]:
        """The sums of every part under rows of unit weights, by kind of cells: (parts, groups, draws)."""
        return {kind: self.cells[kind].drawn(weights, matrix) for kind, matrix in self.matrices.items()}

    @property
    def by_pairs(self) -> bool:
        """Whether some sums are over pairs of units."""
        return any(self.cells[kind].other is not None for kind in self.matrices)

    def scaling(self, column: int) -> float:
        """What makes the ratio of a column's sums and counts a level times `scale`: half-wins count twice."""
        return 1.0 if self.cells[self.kind_of(column)].other is None else self.scale / 2

    def kind_of(self, column: int) -> Kind:
        """The kind of cells of a column."""
        return self.kinds[self.support_of[column]]

    def of_columns(self, chosen: Sequence[int]) -> "UnitSums":
        """The sums of some columns alone, in the order given."""
        matrices: dict[Kind, list[Doubles]] = {}
        columns, supports, kinds = [], [], []
        for column in chosen:
            support = self.support_of[column]
            kind, parts = self.kinds[support], (self.columns[column], self.supports[support])
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
            kinds=tuple(kinds),
            support_of=tuple(range(len(chosen))),
            rounding=tuple(self.rounding[column] for column in chosen),
        )

    def whole_values(self, terms: Terms) -> tuple[Doubles, float] | None:
        """A combination of levels as whole numbers by unit, and the eligible count of every unit.

        None where the combination is no mean of them: where supports or strata differ, or units count unlike.
        """
        supports = {self.support_of[column] for _, column in terms}
        support = min(supports)
        if len(supports) > 1 or self.kinds[support] != WHOLE:
            return None
        matrix = self.matrices[WHOLE]
        counts = matrix[:, self.supports[support]]
        if counts[0] == 0 or (counts != counts[0]).any() or any(self.rounding[column] for _, column in terms):
            return None
        values = np.zeros(len(counts))
        for coefficient, column in terms:
            values += coefficient * matrix[:, self.columns[column]]
        return values, float(counts[0])

    def left_out(self, units: int) -> dict[Kind, Doubles]:
        """The sums of every part with each unit left out in turn: (parts, groups, units)."""
        found = {}
        for kind, totals in self.drawn(np.ones((1, units))).items():
            sums, cells = np.repeat(totals, units, axis=2), self.cells[kind]
            if cells.other is not None:
                found[kind] = cells.drawn(1.0 - np.eye(units), self.matrices[kind])
                continue
            for group, (start, stop) in enumerate(pairwise(cells.edges)):
                sums[:, group, cells.unit[start:stop]] -= self.matrices[kind][start:stop].T
            found[kind] = sums
        return found


def unit_sums(columns: LevelColumns) -> UnitSums:
    """The columns and supports as matrices."""
    parts: dict[Kind, list[Doubles]] = {kind: [] for kind in columns.cells}
    supports = []
    for support in columns.supports:
        supports.append(len(parts[support.kind]))
        parts[support.kind].append(support.counts)
    places = []
    for column in columns.columns:
        kind = columns.supports[column.support].kind
        places.append(len(parts[kind]))
        parts[kind].append(column.sums)
    return UnitSums(
        matrices={kind: np.stack(found, axis=1) for kind, found in parts.items() if found},
        cells=columns.cells,
        columns=tuple(places),
        supports=tuple(supports),
        kinds=tuple(support.kind for support in columns.supports),
        support_of=tuple(column.support for column in columns.columns),
        rounding=tuple(column.rounding for column in columns.columns),
        scale=columns.scale,
    )


class Draws(NamedTuple):
    """Weighted sums of every column and support in every draw."""

    sums: Mapping[Kind, Doubles]  # by kind of cells: (parts, groups, draws)
    of: UnitSums

    def column(self, position: int) -> Doubles:
        """The sums of a column: (groups, draws)."""
        sums: Doubles = self.sums[self.of.kind_of(position)][self.of.columns[position]]
        return sums

    def support(self, position: int) -> Doubles:
        """The eligible counts of a column's support: (groups, draws)."""
        counts: Doubles = self.sums[self.of.kind_of(position)][self.of.supports[self.of.support_of[position]]]
        return counts

    def mean_of_ratios(self, position: int, sums: Doubles, counts: Doubles) -> Doubles:
        """The mean over the groups of a column, times the scale, from its sums and counts: (draws,)."""
        cells = self.of.cells[self.of.kind_of(position)]
        return mean_of_ratios(sums, counts, cells.weights) * self.of.scaling(position)

    @property
    def height(self) -> int:
        """How many draws there are."""
        height: int = next(iter(self.sums.values())).shape[2]
        return height


def joined(blocks: Sequence[Mapping[Kind, Doubles]], of: UnitSums) -> Draws:
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
        kept = np.where(np.abs(sums) > rounding * counts, sums, 0.0)
        total += draws.mean_of_ratios(next(iter(members)), kept, counts)
    return total / (draws.of.scale * divisor)


def mean_of_ratios(sums: Doubles, counts: Doubles, weights: Doubles | None = None) -> Doubles:
    """The mean over groups with a count of sum / count, arrays (groups, draws); NaN where no group has one.

    `weights`: of the groups (groups,); one without weight counts as if it had no count.
    """
    held = counts > 0
    ratios = np.divide(sums, counts, out=np.zeros_like(counts), where=held)
    if weights is not None:
        ratios *= weights[:, None]
    defined = held.sum(axis=0) if weights is None else weights @ held
    means: Doubles = np.full(counts.shape[1], np.nan)
    np.divide(ratios.sum(axis=0), defined, out=means, where=defined > 0)
    return means
