"""Scores of single rows: what an endpoint needs that restricts rows, resamples them, or names them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiverse.exact import Integers
from multiverse.scoring.engine import Engine
from multiverse.scoring.levels import Bits, SignatureScores
from multiverse.scoring.outcomes import Outcomes
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
    patterns: Mapping[tuple[int, int], int]  # (contract, terminal) to legality pattern
    signatures: Mapping[tuple[int, int], NDArray[np.int32]]  # (rows, methods) by reading and scoring
    answered: Mapping[tuple[int, int], Bits]  # (signatures,) whether it is an answer to match; for scores none is
    scores: Mapping[tuple[int, int, int], SignatureScores]  # by reading, scoring and disposition

    def of(self, spec: Specification, method: str) -> RowScore:
        """The scores of one method under one specification."""
        signature = self.signatures[spec.reading, spec.scoring][:, self.methods.index(method)]
        scores = self.scores[spec.reading, spec.scoring, spec.disposition]
        pattern = self.patterns[spec.contract, spec.terminal]
        numerators, eligible = scores.numerators[:, pattern], scores.eligible[:, pattern]
        return RowScore(numerators[signature], eligible[signature], scores.denominator)

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
