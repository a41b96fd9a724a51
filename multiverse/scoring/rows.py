"""Scores of single rows: what an endpoint needs that restricts rows, resamples them, or names them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiverse.averages import Weighing, average
from multiverse.exact import Integers, Numerators
from multiverse.scoring.engine import Engine
from multiverse.scoring.levels import Bits, Level, SignatureScores
from multiverse.scoring.outcomes import Outcomes
from multiverse.scoring.supports import supported, win_share_denominator, win_shares
from multiverse.specification import Specification

Counts = NDArray[np.int64]


class RowScore(NamedTuple):
    """What every row scores for one method under one specification; arrays in the order of the rows."""

    numerators: Integers  # (rows,) 0 where not eligible
    eligible: Bits  # (rows,)
    denominator: int


class RowGroups(NamedTuple):
    """Which cluster, stratum and populations each row is in."""

    cluster: Counts  # (rows,) dense codes
    stratum: Counts  # (rows,) codes, 0 where there are no strata
    populations: Bits  # (rows, populations)


@dataclass(frozen=True, kw_only=True, slots=True)
class RowScores:
    """Scores of every row, kept by signature: (reading, scoring) and disposition positions are the keys."""

    groups: RowGroups
    methods: tuple[str, ...]
    row_class: Counts  # (rows,)
    legal: Bits  # (classes, patterns): whether the legal family is present
    weighings: tuple[Weighing, ...]  # by aggregation
    patterns: Mapping[tuple[int, int], int]  # (contract, terminal) to legality pattern
    signatures: Mapping[tuple[int, int], NDArray[np.int32]]  # (rows, methods) by reading and scoring
    answered: Mapping[tuple[int, int], Bits]  # (signatures,) whether it is an answer to match; for scores none is
    scores: Mapping[tuple[int, int, int], SignatureScores]  # by reading, scoring and disposition
    latest: dict[tuple[int, ...], tuple[Numerators, Bits]] = field(default_factory=dict, compare=False)  # win shares

    def of(self, spec: Specification, method: str) -> RowScore:
        """The scores of one method under one specification."""
        signature = self.signatures[spec.reading, spec.scoring][:, self.methods.index(method)]
        scores = self.scores[spec.reading, spec.scoring, spec.disposition]
        pattern = self.patterns[spec.contract, spec.terminal]
        numerators, eligible = scores.numerators[:, pattern], scores.eligible[:, pattern]
        return RowScore(numerators[signature], eligible[signature], scores.denominator)

    def weighing(self, spec: Specification) -> Weighing:
        """How rows enter a level under the specification."""
        return self.weighings[spec.aggregation]

    def counted(self, spec: Specification, method: str, population: int) -> RowScore:
        """The scores that enter a level over a population: eligible in it and under the aggregation's support."""
        option, inside = self.weighing(spec).aggregation, self.groups.populations[:, population]
        own = self.of(spec, method)
        if option.of == "score" and option.support == "own":
            return own._replace(eligible=own.eligible & inside)
        position = self.methods.index(method)
        if option.of == "score":
            return own._replace(eligible=self._supported(spec, inside)[:, position])
        shares, held = self._win_shares(spec, population)
        return RowScore(shares.values[:, position], held[:, position], shares.denominator)

    def _supported(self, spec: Specification, inside: Bits) -> Bits:
        eligible = np.stack([self.of(spec, method).eligible & inside for method in self.methods], axis=1)
        return supported(eligible, self.weighing(spec).aggregation.support)

    def _win_shares(self, spec: Specification, population: int) -> tuple[Numerators, Bits]:
        """Of all methods at once; the latest ones are kept, since methods are asked for in turn."""
        pattern = self.patterns[spec.contract, spec.terminal]
        key = (spec.reading, spec.scoring, spec.disposition, pattern, spec.aggregation, population)
        if key not in self.latest:
            scores: Integers = np.stack([self.of(spec, method).numerators for method in self.methods], axis=1)  # type: ignore[assignment]
            eligible = self._supported(spec, self.groups.populations[:, population])
            self.latest.clear()
            self.latest[key] = win_shares(scores, eligible)
        return self.latest[key]

    @property
    def denominator(self) -> int:
        """A multiple of the denominator of every score that enters a level."""
        shared = any(weighing.aggregation.of == "win_share" for weighing in self.weighings)
        own = lcm(*(scores.denominator for scores in self.scores.values()))
        return lcm(own, win_share_denominator(len(self.methods))) if shared else own

    def present(self, spec: Specification) -> Bits:
        """The rows whose legal family is not empty."""
        present: Bits = self.legal[self.row_class, self.patterns[spec.contract, spec.terminal]]
        return present

    def answers(self, spec: Specification, method: str) -> Bits:
        """The rows on which a method named hypotheses that the reading keeps."""
        signature = self.signatures[spec.reading, spec.scoring][:, self.methods.index(method)]
        answers: Bits = self.answered[spec.reading, spec.scoring][signature]
        return answers


def row_signatures(engine: Engine, outcomes: Outcomes, shape: tuple[int, int]) -> NDArray[np.int32]:
    """The signature of every (row, method), from the tables `outcomes`, `classified` and `signatures`."""
    keys = ", ".join(["m", "c", *outcomes.keys])
    found = engine.arrays(
        f"""
        WITH told AS (SELECT * REPLACE (m::BIGINT AS m) FROM {outcomes.table})
        SELECT r, m, s FROM told JOIN classified USING (r) JOIN signatures USING ({keys})
        """
    )
    signatures = np.zeros(shape, dtype=np.int32)
    signatures[found["r"], found["m"]] = found["s"]
    return signatures


class RowLevels(NamedTuple):
    """Levels of one specification over one population, and which methods differ in the rows that enter."""

    levels: tuple[Level, ...]  # by method
    differing: Bits  # (methods, methods)


def row_levels(rows: RowScores, spec: Specification, population: int) -> RowLevels:
    """Levels from the scores of single rows, for aggregations that counts of alike rows do not tell."""
    weighing, levels, eligible = rows.weighing(spec), [], []
    for method in rows.methods:
        score = rows.counted(spec, method, population)
        exact = average(score.numerators, score.eligible, score.denominator, weighing)
        levels.append(Level(exact, int(score.eligible.sum())))
        eligible.append(score.eligible)
    differing = np.array([[bool((one != other).any()) for other in eligible] for one in eligible])
    return RowLevels(tuple(levels), differing)
