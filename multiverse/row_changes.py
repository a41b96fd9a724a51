"""Which rows move between two specifications, why, and what each adds to the change of a margin (DESIGN section 7)."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from multiverse.averages import Shares, Weighing, average, shares
from multiverse.declaration import Declaration
from multiverse.errors import MultiverseError
from multiverse.exact import times
from multiverse.scoring import RowScore, RowScores
from multiverse.specification import Specification

Bits = NDArray[np.bool_]
Counts = NDArray[np.int64]
Exact: TypeAlias = Fraction | None

Reason: TypeAlias = Literal[
    "predicted_hypothesis_deleted",  # a match lost: what the method named is no longer legal
    "match_gained",  # what the method named is now legal, or closer to what is
    "family_collapsed",  # the legal family is now empty, and that is scored otherwise
    "family_appeared",  # the legal family is no longer empty, and that is scored otherwise
    "support_lost",  # no longer eligible
    "support_gained",  # now eligible
    "reading_changed",  # other recorded answers count
    "scoring_changed",  # the same answer is matched otherwise, or another score is read
    "disposition_changed",  # the same state is scored otherwise
    "others_changed",  # the method scores as before, and another method that it is compared with does not
    "aggregation_changed",  # the method scores as before, and another value of the row is averaged
    "reweighted",  # the row stayed as it is; the number of rows that its score is divided by did not
]


class Parts(NamedTuple):
    """One exact number for each method on each side; None where it is not eligible, or its level is undefined."""

    a_from: Exact
    a_to: Exact
    b_from: Exact
    b_to: Exact

    @property
    def change(self) -> Exact:
        """The change of a - b between the two sides; None where a number of the four is."""
        a_from, a_to, b_from, b_to = self
        if a_from is None or a_to is None or b_from is None or b_to is None:
            return None
        return (a_to - b_to) - (a_from - b_from)


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """How a row, or all rows that were only reweighted, enter a margin on its two sides."""

    family: tuple[bool, bool] | None  # whether the legal family is present; None of many rows
    scores: Parts
    parts: Parts  # what is added to each level
    a_reason: Reason | None  # None: this method does not move
    b_reason: Reason | None

    @property
    def reason(self) -> str:
        """Why the row moves: the reason of either method, or of both, a's first."""
        return "+".join(dict.fromkeys(reason for reason in (self.a_reason, self.b_reason) if reason))


class RowChanges(NamedTuple):
    """Every row that moves between two specifications: arrays in the order of the rows."""

    rows: Counts  # positions of the rows
    kinds: Counts  # (rows,) positions in `changes`: rows that move alike share one
    changes: tuple[Change, ...]
    reweighted: Change | None  # all other rows together; None where no weight of theirs changed
    total: Exact  # the change of the margin; None where it is undefined


class Comparison(NamedTuple):
    """Two specifications and two methods, over one population."""

    from_spec: Specification
    to_spec: Specification
    pair: tuple[str, str]
    population: int


def row_changes(declaration: Declaration, rows: RowScores, comparison: Comparison, expected: Exact) -> RowChanges:
    """The rows whose own score or eligibility differs between two specifications, for either of two methods.

    `expected`: the change of the margin as levels give it; contributions that do not sum to it stop the run.
    """
    from_spec, to_spec, pair, _ = comparison
    a, b = (
        _Move(*(_side(declaration, rows, comparison, spec, method) for spec in (from_spec, to_spec))) for method in pair
    )
    moved = a.rows | b.rows
    positions = np.flatnonzero(moved)
    kinds = _kinds([side.key[positions] for move in (a, b) for side in move])
    causes = _Causes(declaration, from_spec, to_spec)
    changes = tuple(causes.change(a, b, int(positions[first])) for first in kinds.first)
    rest = _reweighted(a, b, moved)
    found = RowChanges(positions, kinds.position, changes, rest, expected)
    _check_sum(found, kinds.counts, comparison)
    return found


def _check_sum(found: RowChanges, counts: Counts, comparison: Comparison) -> None:
    """Contributions sum to the change of the margin, checked on every run."""
    if found.total is None:
        return
    parts = [(change.parts.change or Fraction(0)) * int(n) for change, n in zip(found.changes, counts, strict=True)]
    rest = Fraction(0) if found.reweighted is None else found.reweighted.parts.change or Fraction(0)
    if sum(parts, rest) != found.total:
        ends = f"{comparison.from_spec.id} to {comparison.to_spec.id}"
        raise MultiverseError(f"the rows move the margin by {sum(parts, rest)} from {ends}, not by {found.total}")


class _Side(NamedTuple):
    """One method under one specification; arrays (rows,)."""

    score: RowScore  # what enters the level, eligible rows of the population alone
    raw: RowScore  # what the method scores, whatever others do
    present: Bits
    asked: bool  # whether answers are matched where the family is present
    matched: Bits  # answers with a credit
    shares: Shares | None  # None where the level is undefined
    signature: Counts  # what tells scores apart
    weighing: Weighing

    @property
    def key(self) -> Counts:
        """What tells rows apart: (rows, 2)."""
        kind = np.zeros_like(self.signature) if self.shares is None else self.shares.kind
        return np.stack([self.signature, kind], axis=1)

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


class _Move(NamedTuple):
    """One method on both sides."""

    start: _Side
    end: _Side

    def raw(self, row: int) -> tuple[Fraction, Fraction]:
        """What the method scores on a row on both sides, whatever others do."""
        start, end = (Fraction(int(side.raw.numerators[row]), side.raw.denominator) for side in (self.start, self.end))
        return start, end

    @property
    def rows(self) -> Bits:
        """The rows whose score or eligibility differs."""
        (x, kept, p), (y, now, q) = self.start.score, self.end.score
        shared = gcd(p, q)
        other = times(x, q // shared) != times(y, p // shared)
        differs: Bits = (kept != now) | (kept & other.astype(bool))
        return differs


def _side(declaration: Declaration, rows: RowScores, comparison: Comparison, spec: Specification, method: str) -> _Side:
    score, present = rows.counted(spec, method, comparison.population), rows.present(spec)
    weighing = rows.weighing(spec)
    asked = declaration.coordinates.disposition[spec.disposition].legal_present.entry("answered") == "match"
    credited = (rows.of(spec, method).numerators > 0).astype(bool)
    signature = rows.signatures[spec.reading, spec.scoring][:, rows.methods.index(method)].astype(np.int64)
    if weighing.aggregation.of == "win_share":  # which the method's own signature does not tell
        signature = np.unique(score.numerators, return_inverse=True)[1].ravel() * (int(signature.max()) + 1) + signature
    return _Side(
        score=score,
        raw=rows.of(spec, method),
        present=present,
        asked=asked,
        matched=rows.answers(spec, method) & present & credited if asked else np.zeros_like(present),
        shares=shares(score.numerators, score.eligible, weighing),
        signature=signature * 2 + score.eligible,
        weighing=weighing,
    )


class _Kinds(NamedTuple):
    """Rows that move alike: the first of each kind, each row's kind, and how many rows a kind has."""

    first: Counts
    position: Counts
    counts: Counts


def _kinds(keys: Iterable[Counts]) -> _Kinds:
    _, first, position, counts = np.unique(
        np.concatenate(list(keys), axis=1), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return _Kinds(first, position.ravel(), counts)


def _reweighted(a: _Move, b: _Move, moved: Bits) -> Change | None:
    """The rows that did not move themselves; None where what they add to either level stayed the same."""
    parts = Parts(*(side.part_of(~moved) for move in (a, b) for side in move))
    if None in parts or (parts.a_from == parts.a_to and parts.b_from == parts.b_to):
        return None
    return Change(
        family=None,
        scores=Parts(None, None, None, None),
        parts=parts,
        a_reason=None if parts.a_from == parts.a_to else "reweighted",
        b_reason=None if parts.b_from == parts.b_to else "reweighted",
    )


class _Causes(NamedTuple):
    """Why rows move between two specifications."""

    declaration: Declaration
    from_spec: Specification
    to_spec: Specification

    def change(self, a: _Move, b: _Move, row: int) -> Change:
        """How one row enters the margin on both sides."""
        sides = [side for move in (a, b) for side in move]
        return Change(
            family=(bool(a.start.present[row]), bool(a.end.present[row])),
            scores=Parts(*(side.own(row) for side in sides)),
            parts=Parts(*(side.part(row) for side in sides)),
            a_reason=self._reason(a, row),
            b_reason=self._reason(b, row),
        )

    def _reason(self, move: _Move, row: int) -> Reason | None:
        before, after = move.start.own(row), move.end.own(row)
        if before == after:
            return None
        if before is None or after is None:
            return "support_gained" if before is None else "support_lost"
        if move.start.weighing.aggregation.of == "win_share" or move.end.weighing.aggregation.of == "win_share":
            if move.raw(row)[0] == move.raw(row)[1]:
                same = self.from_spec.aggregation == self.to_spec.aggregation
                return "others_changed" if same else "aggregation_changed"
        stays = move.start.present[row] == move.end.present[row]
        declared = self._declared(move)
        if stays and declared is not None:
            return declared
        if move.start.matched[row] and after < before:
            return "predicted_hypothesis_deleted"
        if move.end.matched[row] and after > before:
            return "match_gained"
        if not stays:
            return "family_collapsed" if move.start.present[row] else "family_appeared"
        return "disposition_changed"

    def _declared(self, move: _Move) -> Reason | None:
        """The coordinate that makes the same row score otherwise, whatever is legal."""
        if self.from_spec.reading != self.to_spec.reading:
            return "reading_changed"
        if self.from_spec.scoring != self.to_spec.scoring:
            return "scoring_changed"
        return "disposition_changed" if move.start.asked != move.end.asked else None
