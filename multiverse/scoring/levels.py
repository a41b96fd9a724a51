"""Exact levels from counted signatures: integer sums, one division at the end (DESIGN section 4)."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiverse.exact import Integers, group_sums, scaled
from multiverse.scoring.credit import Credit, Side
from multiverse.scoring.signatures import ClusterPatterns, RowClasses, SignatureCounts

Counts = NDArray[np.int64]
Bits = NDArray[np.bool_]


class Level(NamedTuple):
    """A method's level under one specification, over one population."""

    exact: Fraction | None  # None: no row is eligible
    support: int  # eligible rows


class SignatureScores(NamedTuple):
    """Scores of signatures: arrays (signatures, patterns); a score that is not eligible is 0."""

    numerators: Integers
    eligible: Bits
    denominator: int


class Totals(NamedTuple):
    """Exact totals of one method over one population and stratum, by pattern."""

    sums: Integers  # (patterns,) of numerators
    support: Counts  # (patterns,) of eligible rows


def score_signatures(signatures: SignatureCounts, classes: RowClasses, credit: Credit, rows: slice) -> SignatureScores:
    """What a row of each signature scores, under every legality pattern."""
    legal = classes.legal[signatures.row_class[rows]]
    outcome = signatures.outcome[rows]
    eligible = np.where(legal, credit.present.eligible[outcome][:, None], credit.empty.eligible[outcome][:, None])
    numerators = np.where(legal, _gathered(credit.present, outcome), _gathered(credit.empty, outcome))
    return SignatureScores(np.where(eligible, numerators, 0), eligible, credit.denominator)


def _gathered(side: Side, outcome: Counts) -> Integers:
    return side.numerators[outcome]


def method_slices(method: Counts, count: int) -> list[slice]:
    """The slice of each method in an array sorted by method."""
    edges = np.searchsorted(method, np.arange(count + 1))
    return [slice(int(start), int(stop)) for start, stop in pairwise(edges)]


def stratum_totals(
    scores: SignatureScores, rows: Counts, row_class: Counts, classes: RowClasses, population: int
) -> list[Totals]:
    """Totals of one method over a population, a stratum each, strata without a row left out."""
    inside = classes.populations[row_class, population]
    strata = classes.strata[row_class]
    order = np.flatnonzero(inside)[np.argsort(strata[inside], kind="stable")]
    if not len(order):
        return []
    starts = np.flatnonzero(np.diff(strata[order], prepend=strata[order[0]] - 1))
    sums = group_sums(scaled(scores.numerators[order], rows[order]), starts)
    support = np.add.reduceat(scores.eligible[order] * rows[order][:, None], starts, axis=0)
    return [Totals(sums[i], support[i]) for i in range(len(starts))]


def row_mean(totals: Sequence[Totals], pattern: int, denominator: int) -> Level:
    """The sum of scores over the eligible rows, divided by their number."""
    support = sum(int(part.support[pattern]) for part in totals)
    total = sum(int(part.sums[pattern]) for part in totals)
    return Level(Fraction(total, support * denominator) if support else None, support)


def stratum_mean(totals: Sequence[Totals], pattern: int, denominator: int) -> Level:
    """The mean over strata of the mean over their eligible rows; strata without one are left out."""
    held = [(int(part.sums[pattern]), int(part.support[pattern])) for part in totals]
    means = [Fraction(total, support) for total, support in held if support]
    level = sum(means, Fraction(0)) / (len(means) * denominator) if means else None
    return Level(level, sum(support for _, support in held))


class ClusterTotals(NamedTuple):
    """Exact totals of one method's clusters, by pattern."""

    by_size: dict[int, Integers]  # eligible rows of a cluster: sums of numerators (patterns,) over such clusters
    clusters: Counts  # (patterns,) clusters with an eligible row
    support: Counts  # (patterns,)


def cluster_totals(scores: SignatureScores, patterns: ClusterPatterns, chosen: slice) -> ClusterTotals:
    """Totals over the clusters of one method; `scores` holds every signature."""
    width = scores.numerators.shape[1]
    if chosen.start == chosen.stop:
        return ClusterTotals({}, np.zeros(width, dtype=np.int64), np.zeros(width, dtype=np.int64))
    first = patterns.starts[chosen]
    last = patterns.starts[chosen.stop] if chosen.stop < len(patterns.starts) else len(patterns.signatures)
    members = patterns.signatures[first[0] : last]
    starts = first - first[0]
    sums = scaled(group_sums(scores.numerators[members], starts), patterns.clusters[chosen])
    sizes = np.add.reduceat(scores.eligible[members].astype(np.int64), starts, axis=0)
    clusters = patterns.clusters[chosen][:, None]
    by_size = {
        int(size): group_sums(np.where(sizes == size, sums, 0), np.zeros(1, dtype=np.intp))[0]
        for size in np.unique(sizes)
        if size
    }
    return ClusterTotals(by_size, ((sizes > 0) * clusters).sum(axis=0), (sizes * clusters).sum(axis=0))


def cluster_mean(totals: ClusterTotals, pattern: int, denominator: int) -> Level:
    """The mean over clusters of the mean over their eligible rows; clusters without one are left out."""
    clusters, support = int(totals.clusters[pattern]), int(totals.support[pattern])
    if not clusters:
        return Level(None, 0)
    total = sum((Fraction(int(sums[pattern]), size) for size, sums in totals.by_size.items()), Fraction(0))
    return Level(total / (clusters * denominator), support)


def differing_supports(legal: Bits, present: Bits, empty: Bits) -> Bits:
    """Which methods differ in eligible rows (methods, methods); legal: (rows,), present, empty: (rows, methods)."""
    eligible = np.where(legal[:, None], present, empty).astype(np.int64)
    only_first = eligible.T @ (1 - eligible) > 0
    return only_first | only_first.T
