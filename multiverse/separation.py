"""What separates two specifications: the rows whose scores differ between them, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl

from multiverse.audit import find_study
from multiverse.declaration import Declaration, read_declaration
from multiverse.endpoints import difference
from multiverse.errors import Fault, InputError, unknown_name
from multiverse.exact import text_or_null
from multiverse.gates import pass_gates
from multiverse.row_audit import CHANGE_COLUMNS, RowLines
from multiverse.row_changes import Comparison, row_changes
from multiverse.scoring import PopulationScores, score
from multiverse.specification import Specification, union_family
from multiverse.substrate import read_substrate

_TEXT, _NUMBER = pl.String(), pl.Float64()
_KEYS = {"population": _TEXT, "a": _TEXT, "b": _TEXT}
_MARGINS = _KEYS | {"from": _TEXT, "to": _TEXT, "change": _TEXT, "value": _NUMBER}
_REASONS = _KEYS | {"reason": _TEXT, "rows": pl.Int64(), "contribution": _TEXT, "value": _NUMBER}


@dataclass(frozen=True, kw_only=True, slots=True)
class Separation:
    """What separates two specifications, by population and pair of methods; see `compare`."""

    declaration: Declaration
    from_spec: str
    to_spec: str
    margins: pl.DataFrame  # population, a, b, from, to, change, value
    reasons: pl.DataFrame  # population, a, b, reason, rows, contribution, value: largest first
    rows: pl.DataFrame  # population, a, b, and the columns of the row audit: largest first

    @property
    def record(self) -> dict[str, Any]:
        """Everything as JSON."""
        frames = {"margins": self.margins, "reasons": self.reasons, "rows": self.rows}
        ends = {"study": self.declaration.name, "from": self.from_spec, "to": self.to_spec}
        return ends | {name: frame.to_dicts() for name, frame in frames.items()}


def compare(
    study: str | Path, from_spec: str, to_spec: str, *, a: str | None = None, b: str | None = None
) -> Separation:
    """The rows that separate two specifications of a study, for the methods a and b, or for all pairs.

    Where one method is named, its pairs with all others. The contributions of a pair sum to the change of its margin
    exactly. Raises InputError where the declaration or the data is at fault, or a name is not known, and GateError
    where a gate says NO_GO.
    """
    declaration = read_declaration(find_study(study))
    ends = _specifications(declaration, (from_spec, to_spec))
    pass_gates(declaration)
    substrate = read_substrate(declaration)
    pairs = _pairs(declaration, substrate.methods, a, b)
    distinct = list({spec.id: spec for spec in ends}.values())
    scores = score(declaration, substrate, distinct, keep_rows=True)
    assert scores.rows is not None
    lines = RowLines(substrate.row_ids)
    margins, frames = [], [pl.DataFrame(schema=_KEYS | dict(CHANGE_COLUMNS))]
    for position, (population, found) in enumerate(scores.populations.items()):
        for pair in pairs:
            sides = [_margin(found, spec, [substrate.methods.index(method) for method in pair]) for spec in ends]
            change = difference(sides[1], sides[0])
            key = dict(zip(_KEYS, (population, *pair), strict=True))
            margins.append(
                key | {"from": text_or_null(sides[0]), "to": text_or_null(sides[1])} | _number("change", change)
            )
            changes = row_changes(declaration, scores.rows, Comparison(*ends, pair, position), change)
            named = [pl.lit(value).alias(name) for name, value in key.items()]
            frames.append(lines.frame(changes).select(*named, *CHANGE_COLUMNS))
    rows = pl.concat(frames)
    return Separation(
        declaration=declaration,
        from_spec=from_spec,
        to_spec=to_spec,
        margins=pl.DataFrame(margins, schema=_MARGINS),
        reasons=_by_reason(rows),
        rows=_largest_first(rows),
    )


def _specifications(declaration: Declaration, ids: Sequence[str]) -> tuple[Specification, Specification]:
    known = {spec.id: spec for spec in union_family("", declaration.families).specs}
    where = str(declaration.folder / "families.yaml")
    faults = [unknown_name(where, "specification", one, known) for one in dict.fromkeys(ids) if one not in known]
    if faults:
        raise InputError(faults)
    return known[ids[0]], known[ids[1]]


def _pairs(declaration: Declaration, methods: Sequence[str], a: str | None, b: str | None) -> list[tuple[str, str]]:
    """The pair named; all pairs of the one method named; or all pairs."""
    where = str(declaration.folder / "study.yaml")
    faults = [unknown_name(where, "method", one, methods) for one in (a, b) if one is not None and one not in methods]
    if a is not None and a == b:
        faults.append(Fault(where=where, found=f"a and b are both {a}", expected="two methods"))
    if faults:
        raise InputError(faults)
    if a is not None and b is not None:
        return [(a, b)]
    if a is not None:
        return [(a, other) for other in methods if other != a]
    if b is not None:
        return [(other, b) for other in methods if other != b]
    return list(combinations(methods, 2))


def _margin(found: PopulationScores, spec: Specification, pair: Sequence[int]) -> Fraction | None:
    a, b = (found.levels[spec.id][method].exact for method in pair)
    return None if a is None or b is None else a - b


def _by_reason(rows: pl.DataFrame) -> pl.DataFrame:
    """Contributions summed by reason, exactly; null where one is undefined."""
    records = []
    for key, group in rows.group_by(*_KEYS, "reason", maintain_order=True):
        parts = [None if text is None else Fraction(text) for text in group["contribution"]]
        known = [part for part in parts if part is not None]
        total = sum(known, Fraction(0)) if len(known) == len(parts) else None
        told = {"rows": group["row_id"].count(), **_number("contribution", total)}
        records.append(dict(zip((*_KEYS, "reason"), key, strict=True)) | told)
    return _largest_first(pl.DataFrame(records, schema=_REASONS))


def _largest_first(frame: pl.DataFrame) -> pl.DataFrame:
    """Populations and pairs as they are, and in each the largest contributions first."""
    order = frame.select(pl.struct(*_KEYS).rle_id()).to_series()
    size = frame["value"].abs()
    place = pl.DataFrame({"order": order, "size": size}).with_row_index()
    return frame[place.sort("order", -pl.col("size"), "index", nulls_last=True)["index"]]


def _number(name: str, value: Fraction | None) -> dict[str, Any]:
    return {name: text_or_null(value), "value": None if value is None else float(value)}
