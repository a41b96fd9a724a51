"""The coverage of bootstrap intervals, where the truth is known: a finite superpopulation of 4,000 clusters.

usage: python bench/bench_coverage.py

Each of 300 repetitions draws 80 clusters from it with replacement, as a study of 3 methods, 4 contracts (R x A) and 2
dispositions, cluster_mean. The truth is the same quantity over all clusters. A share has a standard error of up to 1.3
points, as its quantities move together, so the targets are 92 to 97 percent for intervals of nominal 95. A band holds
where every margin of a pair lies within the critical value of its truth at once (nominal 95); the envelope, which is
the range widened by it, holds the whole true range, and so more often.
"""

import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiverse.averages import Weighing, average
from multiverse.intervals import percentile_interval
from multiverse.resampling import (
    BLOCK,
    Draws,
    LevelColumns,
    Terms,
    Units,
    block_weights,
    joined,
    statistic,
    unit_sums,
)
from multiverse.specification import Aggregation
from multiverse.uncertainty import pair_uncertainty

CLUSTERS, DRAWN, REPETITIONS, DRAWS, SEED = 4000, 80, 300, 400, 20260816
LEVEL = Fraction(95, 100)
METHODS, CONTRACTS, DISPOSITIONS = "abc", tuple(product((0, 1), (0, 1))), ("baseline", "conditional")
Ints = NDArray[np.int64]
Spec = tuple[tuple[int, int], str]
SPECS: tuple[Spec, ...] = tuple(product(CONTRACTS, DISPOSITIONS))
PAIRS = tuple(combinations(METHODS, 2))


class Scored(NamedTuple):
    """Rows in their clusters, and what each scores: by (specification, method), 0 or 1, and whether it is eligible."""

    cluster: Ints
    scores: Mapping[tuple[Spec, str], tuple[Ints, NDArray[np.bool_]]]

    @property
    def weighing(self) -> Weighing:
        """Rows averaged within clusters."""
        return Weighing(aggregation=Aggregation(id="", rule="cluster_mean"), group=self.cluster)


def superpopulation() -> Scored:
    """Clusters of one to three rows whose difficulty is shared; a stricter contract deletes a method's legal object."""
    rng = np.random.default_rng(SEED)
    cluster = np.repeat(np.arange(CLUSTERS), rng.integers(1, 4, CLUSTERS))
    rows, hard = len(cluster), rng.normal(size=CLUSTERS)[cluster]
    passes = {f: rng.random((2, rows)) < share for f, share in (("R", 0.8), ("A", 0.6))}  # a first and a second object
    aim = {m: rng.normal(size=rows) + shift > hard for m, shift in zip(METHODS, (0.6, 0.2, 0.1), strict=True)}
    second = {m: rng.random(rows) < share for m, share in zip(METHODS, (0.3, 0.3, 0.6), strict=True)}
    silent = {m: rng.random(rows) < share for m, share in zip(METHODS, (0.0, 0.25, 0.1), strict=True)}
    scores = {}
    for (r, a), disposition in SPECS:
        legal = (passes["R"] | (r == 0)) & (passes["A"] | (a == 0))
        present = legal.any(axis=0)
        for m in METHODS:
            hit = aim[m] & ~silent[m] & np.where(second[m], legal[1], legal[0])
            score = np.where(present, hit, silent[m] & (disposition == "baseline")).astype(np.int64)
            eligible = present if disposition == "conditional" else np.ones(rows, dtype=bool)
            scores[((r, a), disposition), m] = (score * eligible, eligible)
    return Scored(cluster, scores)


def sample(whole: Scored, rng: np.random.Generator) -> Scored:
    """Clusters drawn with replacement, each a cluster of its own."""
    ends = np.searchsorted(whole.cluster, np.arange(CLUSTERS + 1))
    drawn = rng.integers(0, CLUSTERS, DRAWN)
    rows = np.concatenate([np.arange(ends[c], ends[c + 1]) for c in drawn])
    cluster = np.repeat(np.arange(DRAWN), ends[drawn + 1] - ends[drawn])
    return Scored(cluster, {key: (score[rows], held[rows]) for key, (score, held) in whole.scores.items()})


def estimates(found: Scored) -> dict[tuple[Spec, str], Fraction]:
    """The exact level of every method under every specification."""
    levels = {}
    for key, (score, held) in found.scores.items():
        level = average(score, held, 1, found.weighing)
        assert level is not None, "every specification has eligible rows"
        levels[key] = level
    return levels


def quantities() -> Iterator[tuple[str, tuple[tuple[int, tuple[Spec, str]], ...], int]]:
    """Every quantity as its kind, a sum of levels, and a divisor."""
    for spec, method in product(SPECS, METHODS):
        yield "levels", ((1, (spec, method)),), 1
    for spec, (a, b) in product(SPECS, PAIRS):
        yield "margins", ((1, (spec, a)), (-1, (spec, b))), 1
    for disposition, (a, b) in product(DISPOSITIONS, PAIRS):
        sides = [(sign * (2 * adopted - 1), (((r, adopted), disposition), m))
                 for r, adopted, (sign, m) in product((0, 1), (0, 1), ((1, a), (-1, b)))]  # fmt: skip
        yield "effects", tuple(sides), 2


def redrawn(found: Scored, seed: int) -> tuple[Draws, dict[tuple[Spec, str], int]]:
    """The draws of one study, and the column of each level."""
    units = Units(found.cluster, np.zeros(DRAWN, dtype=np.int64))
    columns = LevelColumns(units, found.cluster, 1)
    places = {key: columns.add(score, held, 1, found.weighing) for key, (score, held) in found.scores.items()}
    sums = unit_sums(columns)
    blocks = [block_weights(units, seed=seed, block=block, draws=BLOCK) for block in range(DRAWS // BLOCK)]
    return joined([sums.drawn(weights) for weights in blocks], sums), places


def main() -> int:
    whole = superpopulation()
    truth = estimates(whole)
    held: dict[str, list[bool]] = {"levels": [], "margins": [], "effects": [], "bands": [], "envelopes": []}
    rng = np.random.default_rng(SEED + 1)
    for repetition in range(REPETITIONS):
        found = sample(whole, rng)
        draws, places = redrawn(found, repetition)
        levels = estimates(found)
        for kind, terms, divisor in quantities():
            placed: Terms = tuple((sign, places[key]) for sign, key in terms)
            interval = percentile_interval(statistic(draws, placed, divisor), LEVEL)
            true = float(sum((sign * truth[key] for sign, key in terms), Fraction(0)) / divisor)
            assert interval.lower is not None and interval.upper is not None
            held[kind].append(interval.lower <= true <= interval.upper)
        for a, b in PAIRS:
            moved = [statistic(draws, ((1, places[spec, a]), (-1, places[spec, b]))) for spec in SPECS]
            margins = [levels[spec, a] - levels[spec, b] for spec in SPECS]
            envelope, _ = pair_uncertainty(a, b, list(zip(moved, margins, strict=True)), LEVEL)
            true_margins = [float(truth[spec, a] - truth[spec, b]) for spec in SPECS]
            assert envelope.critical is not None and envelope.lower is not None and envelope.upper is not None
            moves = [abs(float(margin) - true) for margin, true in zip(margins, true_margins, strict=True)]
            held["bands"].append(max(moves) <= envelope.critical)
            held["envelopes"].append(envelope.lower <= min(true_margins) and max(true_margins) <= envelope.upper)
    met = True
    for kind, found_held in held.items():
        share, (least, most) = float(np.mean(found_held)), (0.94, 1.0) if kind == "envelopes" else (0.92, 0.97)
        met &= least <= share <= most
        count = len(found_held) // REPETITIONS
        print(
            f"{kind:10} {100 * share:5.1f}% covered, {count} each time (target {100 * least:.0f} to {100 * most:.0f}%)"
        )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
