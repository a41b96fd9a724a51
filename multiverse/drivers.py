"""The rows that drive a margin from a family's first specification to another: the largest contributions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import polars as pl

from multiverse.declaration import Declaration
from multiverse.endpoints import FamilyEndpoints, Pair, difference
from multiverse.exact import text_or_null
from multiverse.row_changes import Change, Move, row_change, row_kinds
from multiverse.scoring import RowScores
from multiverse.sides import Bits, Counts, Exact, Floats, Side
from multiverse.specification import Family, Specification

_TEXT = pl.String()
DRIVER_COLUMNS: Mapping[str, pl.DataType] = {
    "population": _TEXT, "a": _TEXT, "b": _TEXT, "spec": _TEXT, "row_id": _TEXT,
    "contribution": _TEXT, "value": pl.Float64(), "a_from": _TEXT, "a_to": _TEXT, "b_from": _TEXT, "b_to": _TEXT,
    "reason": _TEXT, "rank": pl.Int64(),
}  # fmt: skip
_SHOWN = 5
_USUAL = 400  # margins at a specification, in all populations: these many are gone through where there are more
_MOST = 2_000  # of one pair alone
_MOST_ROWS = 10_000_000  # of all these margins together
_SLACK = 2.0**-46  # of the largest part: far above the rounding of an estimated contribution, far below what matters

Line = tuple[object, ...]


def pairs_driven(rows: int, populations: int, specs: int) -> int:
    """For how many pairs of each population the rows are told: so many that it takes little time beside the audit."""
    each = populations * specs
    if each > _MOST or each * rows > _MOST_ROWS or not rows:
        return 0
    return max(1, min(_USUAL, _MOST_ROWS // rows) // each)


def drivers(
    declaration: Declaration, rows: RowScores | None, row_ids: pl.Series, found: Mapping[str, FamilyEndpoints]
) -> pl.DataFrame:
    """The rows that contribute most to the change of each margin from the first specification, and all others together.

    Empty where rows are not kept. Contributions of a pair and specification sum to the change of its margin exactly.
    """
    lines: list[Line] = []
    if rows is not None:
        texts, rank = row_ids.cast(pl.String), row_ids.rank("ordinal").to_numpy()
        for position, (population, one) in enumerate(found.items()):
            pairs = _pairs(declaration, one, pairs_driven(len(row_ids), len(found), len(one.family.specs)))
            sides = _Sides(declaration, rows, position, one.family)
            driven = {key: list(_lines(top, texts)) for key, top in _driven(sides, one, pairs, rank)}
            lines += [
                (population, *pair, spec.id, *line)
                for pair in pairs
                for spec in one.family.specs[1:]
                for line in driven[pair, spec.id]
            ]
    return pl.DataFrame(lines, schema=dict(DRIVER_COLUMNS), orient="row")


def _pairs(declaration: Declaration, found: FamilyEndpoints, most: int) -> list[Pair]:
    """The pairs of interest, as `margins` has them: of effects, then of reversals, weak ones, and all others."""
    effects = {frozenset(effect.pair) for effect in declaration.endpoints.effects}
    order = {"reversal": 1, "weak": 2}
    pairs = sorted(found.ranking.pairs, key=lambda one: _place(one.a, one.b, effects, order.get(one.relation or "", 3)))
    return [(one.a, one.b) for one in pairs][:most]


def _place(a: str, b: str, effects: set[frozenset[str]], relation: int) -> int:
    return 0 if frozenset((a, b)) in effects else relation


class _Sides(NamedTuple):
    """What every margin of a population needs."""

    declaration: Declaration
    rows: RowScores
    population: int
    family: Family

    def at(self, spec: Specification, methods: Iterable[str]) -> dict[str, Side]:
        """The methods under a specification."""
        return {
            method: Side(
                declaration=self.declaration, rows=self.rows, spec=spec, method=method, population=self.population
            )
            for method in methods
        }


class _Top(NamedTuple):
    """The rows that contribute most, largest first, and the exact change of the margin."""

    rows: list[tuple[int, Change]]
    total: Exact


class _Moved(NamedTuple):
    """A method between two specifications."""

    move: Move
    rows: Bits
    added: Floats  # (rows,) what each adds more at the end, about


def _driven(
    sides: _Sides, found: FamilyEndpoints, pairs: Sequence[Pair], rank: Counts
) -> Iterator[tuple[tuple[Pair, str], _Top]]:
    """Specification by specification, so that a method is looked at once in each."""
    methods = dict.fromkeys(method for pair in pairs for method in pair)
    first, *others = sides.family.specs
    start = sides.at(first, methods)
    for spec in others:
        moved = {method: _moved(Move(start[method], end)) for method, end in sides.at(spec, methods).items()}
        for pair in pairs:
            margins = found.endpoints.margins[pair]
            total = difference(margins[spec.id], margins[first.id])
            a, b = (moved[method] for method in pair)
            rows = [] if total is None or a is None or b is None else _largest(a, b, rank)
            yield (pair, spec.id), _Top(rows, total)


def _moved(move: Move) -> _Moved | None:
    """None where a level is undefined."""
    if move.start.shares is None or move.end.shares is None:
        return None
    return _Moved(move, move.rows, move.end.estimates - move.start.estimates)


def _largest(a: _Moved, b: _Moved, rank: Counts) -> list[tuple[int, Change]]:
    """The rows with the largest contributions, equal ones in the order of their ids.

    Estimates choose the rows that may be among them; which are, and in what order, is settled by exact contributions.
    """
    positions = np.flatnonzero(a.rows | b.rows)
    if not len(positions):
        return []
    sizes = np.abs(a.added[positions] - b.added[positions])
    slack = _SLACK * max(float(side.estimates.max()) for one in (a, b) for side in one.move)
    least = np.partition(sizes, -_SHOWN)[-_SHOWN] if len(sizes) > _SHOWN else 0.0
    chosen = positions[sizes >= least - slack]
    chosen = chosen[np.argsort(rank[chosen], kind="stable")]
    kinds = row_kinds(a.move, b.move, chosen)
    changes = [row_change(a.move, b.move, int(chosen[kind])) for kind in kinds.first]
    ahead = [row for kind in range(len(changes)) for row in np.flatnonzero(kinds.position == kind)[:_SHOWN].tolist()]
    found = [(int(chosen[row]), changes[kinds.position[row]]) for row in sorted(ahead)]
    return sorted((one for one in found if _size(one)), key=_size, reverse=True)[:_SHOWN]


def _size(driver: tuple[int, Change]) -> Fraction:
    return abs(driver[1].parts.change or Fraction(0))


def _lines(top: _Top, texts: pl.Series) -> Iterator[Line]:
    """The columns from `row_id` on."""
    for rank, (row, change) in enumerate(top.rows, start=1):
        yield (texts[row], *_number(change.parts.change), *map(text_or_null, change.scores), change.reason, rank)
    told = sum((change.parts.change or Fraction(0) for _, change in top.rows), Fraction(0))
    yield (None, *_number(None if top.total is None else top.total - told), *[None] * 6)


def _number(value: Exact) -> tuple[str | None, float | None]:
    return text_or_null(value), None if value is None else float(value)
