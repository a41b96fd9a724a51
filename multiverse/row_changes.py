"""Which rows move between two specifications, why, and what each adds to the change of a margin (DESIGN section 7)."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from multiverse.declaration import Declaration
from multiverse.errors import MultiverseError
from multiverse.exact import times
from multiverse.scoring import RowScores
from multiverse.sides import Bits, Counts, Exact, Side
from multiverse.specification import Specification

_LARGEST = 2**62

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
        Move(
            *(
                Side(declaration=declaration, rows=rows, spec=spec, method=method, population=comparison.population)
                for spec in (from_spec, to_spec)
            )
        )
        for method in pair
    )
    moved = a.rows | b.rows
    positions = np.flatnonzero(moved)
    kinds = row_kinds(a, b, positions)
    changes = tuple(row_change(a, b, int(positions[first])) for first in kinds.first)
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


class Move(NamedTuple):
    """One method on both sides."""

    start: Side
    end: Side

    @property
    def rows(self) -> Bits:
        """The rows whose score or eligibility differs."""
        (x, kept, p), (y, now, q) = self.start.score, self.end.score
        shared = gcd(p, q)
        other = times(x, q // shared) != times(y, p // shared)
        differs: Bits = (kept != now) | (kept & other.astype(bool))
        return differs


class Kinds(NamedTuple):
    """Rows that move alike: the first of each kind, each row's kind, and how many rows a kind has."""

    first: Counts
    position: Counts
    counts: Counts


def row_kinds(a: Move, b: Move, positions: Counts) -> Kinds:
    """Which of the rows at some positions are alike on both sides, for both methods."""
    columns = [column for move in (a, b) for side in move for column in side.columns(positions)]
    _, first, position, counts = np.unique(_codes(columns), return_index=True, return_inverse=True, return_counts=True)
    return Kinds(first, position.ravel(), counts)


def _codes(columns: Iterable[Counts]) -> Counts:
    """A number for each row, the same where all columns are: whole numbers of at least 0, in their order."""
    codes, size = np.zeros(1, dtype=np.int64), 1
    for column in columns:
        width = int(column.max(initial=0)) + 1
        if size * width > _LARGEST:
            codes, column = (np.unique(one, return_inverse=True)[1].ravel() for one in (codes, column))
            size = width = len(column)
        codes, size = codes * width + column, size * width
    return codes


def _reweighted(a: Move, b: Move, moved: Bits) -> Change | None:
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


def row_change(a: Move, b: Move, row: int) -> Change:
    """How one row enters a margin on its two sides, and why it moves."""
    sides = [side for move in (a, b) for side in move]
    return Change(
        family=(a.start.present(row), a.end.present(row)),
        scores=Parts(*(side.own(row) for side in sides)),
        parts=Parts(*(side.part(row) for side in sides)),
        a_reason=_reason(a, row),
        b_reason=_reason(b, row),
    )


def _reason(move: Move, row: int) -> Reason | None:
    start, end = move
    before, after = start.own(row), end.own(row)
    if before == after:
        return None
    if before is None or after is None:
        return "support_gained" if before is None else "support_lost"
    if "win_share" in (start.weighing.aggregation.of, end.weighing.aggregation.of) and start.raw(row) == end.raw(row):
        return "others_changed" if start.spec.aggregation == end.spec.aggregation else "aggregation_changed"
    stays = start.present(row) == end.present(row)
    declared = _declared(move)
    if stays and declared is not None:
        return declared
    if start.matched(row) and after < before:
        return "predicted_hypothesis_deleted"
    if end.matched(row) and after > before:
        return "match_gained"
    if not stays:
        return "family_collapsed" if start.present(row) else "family_appeared"
    return "disposition_changed"


def _declared(move: Move) -> Reason | None:
    """The coordinate that makes the same row score otherwise, whatever is legal."""
    start, end = move
    if start.spec.reading != end.spec.reading:
        return "reading_changed"
    if start.spec.scoring != end.spec.scoring:
        return "scoring_changed"
    return "disposition_changed" if start.asks != end.asks else None
