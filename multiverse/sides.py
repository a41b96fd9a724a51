"""One method under one specification over a population: what each row scores, and what it adds to the level."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from multiverse.averages import Shares, Weighing, average, shares
from multiverse.declaration import Declaration
from multiverse.scoring import RowScore, RowScores
from multiverse.specification import Specification

Bits = NDArray[np.bool_]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Exact: TypeAlias = Fraction | None


@dataclass(frozen=True, kw_only=True)
class Side:
    """One method under one specification; arrays (rows,), each made when it is first asked for."""

    declaration: Declaration
    rows: RowScores
    spec: Specification
    method: str
    population: int

    @cached_property
    def score(self) -> RowScore:
        """What enters the level, eligible rows of the population alone."""
        return self.rows.counted(self.spec, self.method, self.population)

    @cached_property
    def shares(self) -> Shares | None:
        """How the rows make up the level; None where it is undefined."""
        return shares(self.score.numerators, self.score.eligible, self.weighing)

    @property
    def weighing(self) -> Weighing:
        """How rows enter the level."""
        return self.rows.weighing(self.spec)

    def columns(self, positions: Counts) -> tuple[Counts, Counts]:
        """What tells the rows at some positions apart: those alike in both score, move and add alike for the method."""
        signature = self._signatures[positions].astype(np.int64)
        if self.weighing.aggregation.of == "win_share":  # which the method's own signature does not tell
            share = np.unique(self.score.numerators[positions], return_inverse=True)[1].ravel()
            signature = share * (int(signature.max(initial=0)) + 1) + signature
        kind = np.zeros_like(signature) if self.shares is None else self.shares.kind[positions]
        return signature * 2 + self.score.eligible[positions], kind

    @cached_property
    def estimates(self) -> Floats:
        """`part` of every row, to within a few units in the last place; only where the level is defined."""
        assert self.shares is not None
        values = np.zeros(int(self.shares.kind.max()) + 1)
        for kind, value in self.shares.values.items():
            values[kind] = float(value)
        parts = values[self.shares.kind]
        if self.shares.of_score:
            parts = parts * (self.score.numerators.astype(np.float64) / self.score.denominator)
        return np.where(self.score.eligible, parts, 0.0)

    @property
    def asks(self) -> bool:
        """Whether answers are matched where the legal family is present."""
        present = self.declaration.coordinates.disposition[self.spec.disposition].legal_present
        return present.entry("answered") == "match"

    def present(self, row: int) -> bool:
        """Whether the row has a legal family."""
        return bool(self.rows.legal[self.rows.row_class[row], self._pattern])

    def matched(self, row: int) -> bool:
        """Whether the method answered, was asked to match, and did."""
        answered = self.rows.answered[self.spec.reading, self.spec.scoring][self._signatures[row]]
        return bool(self.asks and answered and self.present(row) and self.raw(row) > 0)

    def raw(self, row: int) -> Fraction:
        """What the method scores, whatever others do."""
        scores = self.rows.scores[self.spec.reading, self.spec.scoring, self.spec.disposition]
        return Fraction(int(scores.numerators[self._signatures[row], self._pattern]), scores.denominator)

    def own(self, row: int) -> Exact:
        """The row's score; None where it is not eligible."""
        eligible = self.score.eligible[row]
        return Fraction(int(self.score.numerators[row]), self.score.denominator) if eligible else None

    def part(self, row: int) -> Exact:
        """What the row adds to the level; None where that is undefined."""
        if self.shares is None:
            return None
        score = self.own(row)
        if score is None:
            return Fraction(0)
        share = self.shares.values[int(self.shares.kind[row])]
        return share * score if self.shares.of_score else share

    def part_of(self, chosen: Bits) -> Exact:
        """What the chosen rows add to the level together."""
        if self.shares is None:
            return None
        if self.shares.of_score:
            numerators = np.where(chosen, self.score.numerators, 0)
            return average(numerators, self.score.eligible, self.score.denominator, self.weighing)
        counts = np.bincount(self.shares.kind[chosen & self.score.eligible])
        return sum((self.shares.values[kind] * int(n) for kind, n in enumerate(counts) if n), Fraction(0))

    @property
    def _signatures(self) -> NDArray[np.int32]:
        signatures: NDArray[np.int32] = self.rows.signatures[self.spec.reading, self.spec.scoring]
        return signatures[:, self.rows.methods.index(self.method)]

    @property
    def _pattern(self) -> int:
        return self.rows.patterns[self.spec.contract, self.spec.terminal]
