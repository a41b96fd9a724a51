"""Sampling uncertainty of everything in a family, from one set of draws (DESIGN section 6)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil, floor
from typing import NamedTuple

import joblib  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray

from multiverse.comparisons import Comparisons
from multiverse.contrasts import Cells, Margins, effect_named
from multiverse.convolution import exact_interval
from multiverse.curve import MOST_EXACT_UNITS, CurveInference, curve_inference, swap_weights, swapped_margins
from multiverse.declaration import Declaration
from multiverse.declaration.study import Resampling
from multiverse.endpoints import FamilyEndpoints
from multiverse.intervals import Interval, bca_interval, percentile_interval, quantile
from multiverse.resampling import (
    BLOCK,
    Draws,
    Kind,
    LevelColumns,
    Terms,
    Units,
    UnitSums,
    block_weights,
    joined,
    statistic,
    unit_sums,
)
from multiverse.scoring import RowScores
from multiverse.specification import Background, Specification
from multiverse.substrate import Substrate
from multiverse.units import check_unit_pairs, resampling_units

Bits = NDArray[np.bool_]
Doubles = NDArray[np.float64]


class RankInterval(NamedTuple):
    """A method's rank under one specification: the central interval over draws, widened to whole ranks."""

    lower: int | None
    upper: int | None


class Envelope(NamedTuple):
    """A margin's range over a family, widened by the largest move of a draw at any specification."""

    a: str
    b: str
    critical: float | None
    lower: float | None
    upper: float | None
    undefined: int


class SignPattern(NamedTuple):
    """The share of draws in which a margin has the observed sign at every specification."""

    a: str
    b: str
    share: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Uncertainty:
    """Intervals over one population and family, each by what it is of; a background is a position."""

    resampling: Resampling
    levels: Mapping[tuple[str, str], Interval]  # (specification, method)
    margins: Mapping[tuple[str, str, str], Interval]  # (specification, a, b)
    ranks: Mapping[tuple[str, str], RankInterval]
    effects: Mapping[tuple[str, str, int | None], Interval]  # (effect, cell, background)
    contrasts: Mapping[tuple[str, str], Interval]  # (contrast, key)
    stratum_contrasts: Mapping[tuple[str, str], Interval]
    envelopes: tuple[Envelope, ...]
    curves: tuple[CurveInference, ...]
    sign_patterns: tuple[SignPattern, ...]


def uncertainties(
    declaration: Declaration,
    substrate: Substrate,
    rows: RowScores,
    found: Mapping[str, FamilyEndpoints],
    comparisons: Mapping[str, Comparisons],
    *,
    jobs: int,
) -> dict[str, Uncertainty]:
    """Intervals of every population over one family, from the same draws."""
    resampling = declaration.resampling
    assert resampling is not None, "uncertainty is asked for where the study declares resampling"
    units = resampling_units(declaration, substrate, resampling)
    check_unit_pairs(declaration, units, rows.weighings)
    columns = LevelColumns(units, rows.groups.cluster, rows.denominator, rows.weighings)
    plans = {
        name: _Plan(declaration, substrate, rows, columns, one, comparisons[name], position)
        for position, (name, one) in enumerate(found.items())
    }
    sums = unit_sums(columns)
    draws = draw(sums, units, resampling, jobs=jobs)
    accelerated = _Accelerated(sums, len(units.stratum)) if resampling.method == "bca" else None
    exact = _Exact(sums, units) if resampling.interval == "exact" else None
    intervals = _Intervals(draws, resampling.level, accelerated=accelerated, exact=exact)
    swaps = swap_weights(len(units.stratum), resampling.draws, resampling.seed)
    return {name: plan.uncertainty(intervals, resampling, swaps) for name, plan in plans.items()}


def draw(sums: UnitSums, units: Units, resampling: Resampling, *, jobs: int) -> Draws:
    """The sums of every draw, in blocks of their own seeds: the same at any number of jobs."""
    starts = range(0, resampling.draws, BLOCK)

    def block(number: int, start: int) -> dict[Kind, Doubles]:
        size = min(BLOCK, resampling.draws - start)
        return sums.drawn(block_weights(units, seed=resampling.seed, block=number, draws=size))

    run = joblib.Parallel(n_jobs=jobs, backend="threading")
    return joined(run(joblib.delayed(block)(number, start) for number, start in enumerate(starts)), sums)


class _Plan:
    """The columns that one population's quantities are made of, and the quantities from the draws."""

    def __init__(
        self,
        declaration: Declaration,
        substrate: Substrate,
        rows: RowScores,
        columns: LevelColumns,
        found: FamilyEndpoints,
        comparisons: Comparisons,
        position: int,
    ) -> None:
        self._declaration, self._rows, self._columns, self._found = declaration, rows, columns, found
        self._position = position
        self._inside = rows.groups.populations[:, position]
        self._known: dict[tuple[object, ...], int] = {}
        self._cells = Cells(declaration.coordinates, found.family.specs)
        self._levels = {
            (spec.id, method): self._column(spec, method) for spec in found.family.specs for method in rows.methods
        }
        self._effects = dict(self._effect_terms())
        self._contrasts = dict(self._contrast_terms(comparisons, position))
        self._strata = dict(self._stratum_terms(substrate, comparisons))

    def _column(self, spec: Specification, method: str, chosen: Bits | None = None) -> int:
        """The column of a level over the population, or over chosen rows of it."""
        pattern = self._rows.patterns[spec.contract, spec.terminal]
        key = (spec.reading, spec.scoring, spec.disposition, pattern, method, spec.aggregation)
        if chosen is None and key in self._known:
            return self._known[key]
        score = self._rows.counted(spec, method, self._position)
        rows = score.eligible if chosen is None else score.eligible & chosen
        column = self._columns.add(score.numerators, rows, score.denominator, self._rows.weighing(spec))
        if chosen is None:
            self._known[key] = column
        return column

    def _change(self, cell: str, background: Background, pair: tuple[str, str], chosen: Bits | None = None) -> Terms:
        """T(b; r) as a combination of four levels."""
        to, start = (self._cells.at(cell, c) for c in (background.to_contract, background.from_contract))
        a, b = pair
        signs = ((1, to, a), (-1, to, b), (-1, start, a), (1, start, b))
        return tuple((sign, self._column(spec, method, chosen)) for sign, spec, method in signs)

    def _effect_terms(self) -> Iterable[tuple[tuple[str, str], list[Terms]]]:
        for effect in self._declaration.endpoints.effects:
            backgrounds = self._declaration.backgrounds[effect.id]
            for cell in self._found.effects[effect.id]:
                yield (effect.id, cell), [self._change(cell, b, effect.pair) for b in backgrounds]

    def _contrast_terms(
        self, comparisons: Comparisons, position: int
    ) -> Iterable[tuple[tuple[str, str], tuple[Terms, int]]]:
        for contrast in self._declaration.endpoints.contrasts:
            effect = effect_named(self._declaration, contrast.effect)
            backgrounds = self._declaration.backgrounds[effect.id]
            margins = Margins(self._rows, effect.pair, position)
            for key, value in comparisons.contrasts[contrast.id].items():
                if {value.from_cell, value.to_cell} <= self._found.effects[effect.id].keys():
                    terms: Terms = ()
                    for b in backgrounds:
                        ends = (value.from_cell, value.to_cell)
                        chosen = margins.common(self._cells, b, ends) if contrast.support == "common" else None
                        after = self._change(value.to_cell, b, effect.pair, chosen)
                        terms += (*after, *_negative(self._change(value.from_cell, b, effect.pair, chosen)))
                    yield (contrast.id, key), (terms, len(backgrounds))

    def _stratum_terms(
        self, substrate: Substrate, comparisons: Comparisons
    ) -> Iterable[tuple[tuple[str, str], tuple[Terms, int]]]:
        for contrast in self._declaration.endpoints.stratum_contrasts:
            effect = effect_named(self._declaration, contrast.effect)
            backgrounds = self._declaration.backgrounds[effect.id]
            codes = [substrate.strata.index(name.text) for name in contrast.minus]
            first, second = (self._inside & (self._rows.groups.stratum == code) for code in codes)
            for cell in self._found.effects[effect.id]:
                terms: Terms = ()
                for b in backgrounds:
                    terms += self._change(cell, b, effect.pair, first)
                    terms += _negative(self._change(cell, b, effect.pair, second))
                yield (contrast.id, cell), (terms, len(backgrounds))

    def uncertainty(self, intervals: "_Intervals", resampling: Resampling, swaps: Doubles) -> Uncertainty:
        """Every interval of the population, and inference on the curves of the pairs that effects name."""
        methods = self._rows.methods
        curves = [self._curve(intervals, pair, swaps) for pair in self._curve_pairs()]
        specs = [spec.id for spec in self._found.family.specs]
        levels = {key: intervals.of(((1, column),)) for key, column in self._levels.items()}
        pairs = {pair: self._pair(intervals, pair, specs) for pair in combinations(methods, 2)}
        effects: dict[tuple[str, str, int | None], Interval] = {}
        for (effect, cell), changes in self._effects.items():
            effects[effect, cell, None] = intervals.of(tuple(t for change in changes for t in change), len(changes))
            effects |= {(effect, cell, b): intervals.of(change) for b, change in enumerate(changes)}
        return Uncertainty(
            resampling=resampling,
            levels=levels,
            margins={(spec, a, b): one for (a, b), found in pairs.items() for spec, one in found.margins.items()},
            ranks=dict(self._ranks(intervals, specs)),
            effects=effects,
            contrasts={key: intervals.of(*terms) for key, terms in self._contrasts.items()},
            stratum_contrasts={key: intervals.of(*terms) for key, terms in self._strata.items()},
            envelopes=tuple(found.envelope for found in pairs.values()),
            curves=tuple(curve for curve in curves if curve is not None),
            sign_patterns=tuple(found.sign_pattern for found in pairs.values()),
        )

    def _pair(self, intervals: "_Intervals", pair: tuple[str, str], specs: Sequence[str]) -> "_PairUncertainty":
        """What the draws say of one margin, each distinct pair of columns computed once."""
        a, b = pair
        observed = self._found.endpoints.margins[pair]
        terms = {spec: ((1, self._levels[spec, a]), (-1, self._levels[spec, b])) for spec in specs}
        values = {one: intervals.values(one) for one in dict.fromkeys(terms.values())}
        known = {one: intervals.interval(draws, one) for one, draws in values.items()}
        defined = {terms[spec]: margin for spec in specs if (margin := observed[spec]) is not None}
        envelope, sign_pattern = pair_uncertainty(
            a, b, [(values[one], margin) for one, margin in defined.items()], intervals.level
        )
        return _PairUncertainty({spec: known[one] for spec, one in terms.items()}, envelope, sign_pattern)

    def _curve_pairs(self) -> list[tuple[str, str]]:
        """The pairs that effects name; the only pair, where there are two methods."""
        named = dict.fromkeys(effect.pair for effect in self._declaration.endpoints.effects)
        return list(named) or ([(self._rows.methods[0], self._rows.methods[1])] if len(self._rows.methods) == 2 else [])

    def _curve(self, intervals: "_Intervals", pair: tuple[str, str], swaps: Doubles) -> CurveInference | None:
        """Inference on the specification curve of a pair; None of an auc, whose pairs a swap would tear apart.

        Equal columns are swapped once.
        """
        a, b = pair
        columns = [(self._levels[spec.id, a], self._levels[spec.id, b]) for spec in self._found.family.specs]
        distinct = list(dict.fromkeys(columns))
        place = [distinct.index(column) for column in columns]
        sums = intervals.sums.of_columns([column for both in distinct for column in both])
        if sums.by_pairs:
            return None
        pairs = [(2 * i, 2 * i + 1) for i in range(len(distinct))]
        margins = swapped_margins(sums, swaps, pairs)[:, place]
        observed = swapped_margins(sums, np.zeros((1, swaps.shape[1])), pairs)[0, place]
        exact = swaps.shape[1] <= MOST_EXACT_UNITS
        return curve_inference(pair, observed, margins, level=intervals.level, exact=exact)

    def _ranks(self, intervals: "_Intervals", specs: Sequence[str]) -> Iterable[tuple[tuple[str, str], RankInterval]]:
        methods, known = self._rows.methods, dict[tuple[int, ...], list[RankInterval]]()
        for spec in specs:
            columns = tuple(self._levels[spec, method] for method in methods)
            if columns not in known:
                known[columns] = rank_intervals([intervals.values(((1, c),)) for c in columns], intervals.level)
            yield from (((spec, method), found) for method, found in zip(methods, known[columns], strict=True))


class _PairUncertainty(NamedTuple):
    margins: Mapping[str, Interval]  # by specification
    envelope: Envelope
    sign_pattern: SignPattern


def _negative(terms: Terms) -> Terms:
    return tuple((-sign, column) for sign, column in terms)


class _Accelerated:
    """What a bias-corrected and accelerated interval needs beside the draws."""

    def __init__(self, sums: UnitSums, units: int) -> None:
        self._whole = Draws(sums.drawn(np.ones((1, units))), sums)
        self._left_out = Draws(sums.left_out(units), sums)

    def interval(self, values: Doubles, terms: Terms, divisor: int, level: Fraction) -> Interval:
        """The interval of a combination, from its draws."""
        estimate = float(statistic(self._whole, terms, divisor)[0])
        return bca_interval(values, estimate, statistic(self._left_out, terms, divisor), level)


class _Exact:
    """Intervals computed instead of drawn, for combinations that are a mean of what units hold."""

    def __init__(self, sums: UnitSums, units: Units) -> None:
        self._sums, self._units = sums, units

    def interval(self, terms: Terms, divisor: int, level: Fraction) -> Interval | None:
        """The exact interval of a combination; None where it is drawn."""
        found = self._sums.whole_values(terms)
        if found is None:
            return None
        values, count = found
        return exact_interval(values, self._units.stratum, count * len(values) * self._sums.scale * divisor, level)


class _Intervals:
    """Intervals of combinations of levels, each distinct one computed once."""

    def __init__(
        self, draws: Draws, level: Fraction, *, accelerated: _Accelerated | None = None, exact: _Exact | None = None
    ) -> None:
        self._draws, self.level, self._accelerated, self._exact = draws, level, accelerated, exact
        self.sums = draws.of
        self._known: dict[tuple[Terms, int], Interval] = {}

    def values(self, terms: Terms, divisor: int = 1) -> Doubles:
        """The combination in every draw."""
        return statistic(self._draws, terms, divisor)

    def of(self, terms: Terms, divisor: int = 1) -> Interval:
        """The interval of a combination."""
        if (terms, divisor) not in self._known:
            self._known[terms, divisor] = self.interval(self.values(terms, divisor), terms, divisor)
        return self._known[terms, divisor]

    def interval(self, values: Doubles, terms: Terms, divisor: int = 1) -> Interval:
        """The interval of a combination whose draws are at hand."""
        exact = self._exact.interval(terms, divisor, self.level) if self._exact is not None else None
        if exact is not None:
            return exact
        if self._accelerated is None:
            return percentile_interval(values, self.level)
        return self._accelerated.interval(values, terms, divisor, self.level)


def pair_uncertainty(
    a: str, b: str, margins: Sequence[tuple[Doubles, Fraction]], level: Fraction
) -> tuple[Envelope, SignPattern]:
    """The simultaneous envelope and the sign-pattern frequency of a margin, from its draws at each specification.

    A draw in which the margin is undefined anywhere is left out and counted.
    """
    if not margins:
        return Envelope(a, b, None, None, None, 0), SignPattern(a, b, None)
    values = np.stack([draws for draws, _ in margins], axis=1)
    observed = np.array([float(margin) for _, margin in margins])
    defined = values[~np.isnan(values).any(axis=1)]
    undefined = len(values) - len(defined)
    if not len(defined):
        return Envelope(a, b, None, None, None, undefined), SignPattern(a, b, None)
    critical = quantile(np.sort(np.abs(defined - observed).max(axis=1)), level)
    same = (np.sign(defined) == np.sign(observed)).all(axis=1)
    lower, upper = float(observed.min()) - critical, float(observed.max()) + critical
    return Envelope(a, b, critical, lower, upper, undefined), SignPattern(a, b, int(same.sum()) / len(same))


def rank_intervals(levels: Sequence[Doubles], level: Fraction) -> list[RankInterval]:
    """The interval of each method's competition rank over the draws in which all levels are defined."""
    values = np.stack(levels, axis=1)
    defined = values[~np.isnan(values).any(axis=1)]
    if not len(defined):
        return [RankInterval(None, None)] * len(levels)
    tail = (1 - level) / 2
    found = []
    for method in range(len(levels)):
        ranks = np.sort(1.0 + (defined > defined[:, [method]]).sum(axis=1))
        found.append(RankInterval(floor(quantile(ranks, tail)), ceil(quantile(ranks, 1 - tail))))
    return found
