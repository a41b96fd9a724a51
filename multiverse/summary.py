"""An audit in words: one line a conclusion, identified or not, with its range and the specifications at its ends."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from multiverse.audit import Audit, Check
from multiverse.comparisons import Comparisons
from multiverse.contrasts import ContrastValue
from multiverse.curve import CurveInference
from multiverse.declaration import Declaration
from multiverse.drops import StateRows, drops
from multiverse.endpoints import FamilyEndpoints
from multiverse.errors import printable
from multiverse.identification import IdentifiedSet, identified_set
from multiverse.ranking import PairRelation
from multiverse.specification import Effect
from multiverse.uncertainty import Uncertainty

Tone: TypeAlias = Literal["plain", "heading", "settled", "unsettled", "note"]

_ALL_PAIRS = 6  # up to so many pairs are all shown; of more, the reversals
_MOST_LINES = 12


class Line(NamedTuple):
    """A line of text and how it may be coloured."""

    text: str
    tone: Tone = "plain"


class _Row(NamedTuple):
    """One conclusion."""

    what: str
    verdict: str
    values: str
    where: str
    tone: Tone


def audit_lines(audit: Audit) -> list[Line]:
    """What an audit found, for a person at a terminal."""
    lines = [Line(text, "heading" if not i else "plain") for i, text in enumerate(_header(audit))]
    for name, found in audit.populations.items():
        lines += _population_lines(audit, name, found)
    return lines + [Line("")] + [Line(printable(text), "note") for text in _notes(audit.declaration)]


def report_text(audit: Audit) -> str:
    """What an audit found, as the plain text of report.txt: of the study and its data alone, wherever it ran."""
    return "".join(f"{line.text}\n" for line in audit_lines(audit))


def check_lines(found: Check) -> list[Line]:
    """What a check found, for a person at a terminal."""
    declaration = found.declaration
    records = ", ".join(f"{name} {count:,}" for name, count in found.records.items())
    lines = [
        Line(f"{declaration.name}: the declaration and the data are well formed", "heading"),
        Line(f"  records: {records}; {'predictions' if 'objects' in found.records else 'outcomes'} not opened"),
        Line(f"  specifications: {_coordinate_words(declaration)}"),
    ]
    lines += [
        Line(f"  family {family.name}: {counted(len(family.specs), 'specification')}")
        for family in declaration.families
    ]
    return lines + [Line(f"warning: {printable(warning)}", "unsettled") for warning in declaration.warnings]


def _header(audit: Audit) -> Iterable[str]:
    declaration = audit.declaration
    yield printable(f"{declaration.name}: {declaration.title}" if declaration.title else declaration.name)
    specs = f"{counted(len(audit.family.specs), 'specification')} of {_coordinate_words(declaration)}"
    yield f"family {audit.family.name}: {specs}; {_standing_words(audit)}"
    if declaration.license:
        yield printable(f"to license: {declaration.license}")


def _standing_words(audit: Audit) -> str:
    """Exploratory, frozen, or, under an amendment, what the paper calls such a control."""
    admissibility = audit.standing.admissibility
    return audit.standing.status if admissibility is None else str(admissibility["classification"])


def _coordinate_words(declaration: Declaration) -> str:
    coordinates = declaration.coordinates
    return " x ".join(f"{name} {len(coordinates.ids(name))}" for name in coordinates.declared)


def _population_lines(audit: Audit, name: str, found: FamilyEndpoints) -> list[Line]:
    declaration, uncertain = audit.declaration, audit.uncertainty.get(name)
    scores, methods = found.endpoints.scores, len(found.endpoints.methods)
    counts = f"{counted(scores.rows, 'row')}, {counted(scores.clusters, 'cluster')}, {counted(methods, 'method')}"
    rows = [
        *_effect_rows(declaration, found, uncertain),
        *_comparison_rows(declaration, found, audit.comparisons[name]),
        *([_ranking_row(found)] if methods > 1 else []),
        *_margin_rows(declaration, found, uncertain),
        *_level_rows(found),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [Line(""), Line(printable(f"population {name}: {counts}"), "heading")]
    for row in rows:
        cells = [text.ljust(width) for text, width in zip(row[:3], widths, strict=True)]
        lines.append(Line(f"  {'  '.join(cells)}  {row.where}".rstrip(), row.tone))
    lines += [Line(f"  {text}", "note") for text in _left_out(found)]
    return lines + [Line(printable(f"  {text}"), tone) for text, tone in _drop_lines(declaration, found)]


def _effect_rows(declaration: Declaration, found: FamilyEndpoints, uncertain: Uncertainty | None) -> Iterable[_Row]:
    sets = {one.a: one for one in found.identified if one.endpoint == "effect"}
    for effect in declaration.endpoints.effects:
        yield _cells_row(_effect_words(effect), sets[effect.id], len(found.effects[effect.id]))
        if uncertain is not None:
            yield _interval_row(effect, found, uncertain)
            yield from (_curve_row(curve) for curve in uncertain.curves if (curve.a, curve.b) == effect.pair)


def _interval_row(effect: Effect, found: FamilyEndpoints, uncertain: Uncertainty) -> _Row:
    """The sampling intervals of an effect's cells, from the lowest end to the highest."""
    intervals = [uncertain.effects[effect.id, cell, None] for cell in found.effects[effect.id]]
    ends = [(one.lower, one.upper) for one in intervals if one.lower is not None and one.upper is not None]
    what = f"  {float(uncertain.resampling.level):.0%} intervals of {printable(effect.id)}"
    if not ends:
        return _Row(what, "", "none", "", "note")
    low, high = min(lower for lower, _ in ends), max(upper for _, upper in ends)
    clear = sum(lower > 0 or upper < 0 for lower, upper in ends)
    where = f"lowest and highest end; {clear} of {len(intervals)} exclude zero"
    return _Row(what, "", f"[{_percent(low)}, {_percent(high)}] pp", where, "note")


def _curve_row(curve: CurveInference) -> _Row:
    """Inference on a pair's specification curve, against swapped labels."""
    tests = {"median": curve.median, "dominant side": curve.share_dominant, "beyond chance": curve.share_significant}
    told = ", ".join(f"{name} p {test.p:.4f}" for name, test in tests.items())
    how = "all" if curve.exact else f"{curve.swaps:,}"
    return _Row(printable(f"  specification curve of {curve.a} - {curve.b}"), "", "", f"{told}; {how} swaps", "note")


def _percent(value: float) -> str:
    return points(Fraction(value), signed=True)


def _comparison_rows(declaration: Declaration, found: FamilyEndpoints, comparisons: Comparisons) -> Iterable[_Row]:
    """Contrasts, and shares of deleted classes, over the cells that the family holds whole."""
    endpoints = declaration.endpoints
    for contrast in endpoints.contrasts:
        words = f"contrast {contrast.id} of {contrast.effect}, {contrast.from_option} to {contrast.to_option}"
        yield _values_row(words, _held(comparisons.contrasts[contrast.id], found.effects[contrast.effect]))
    for stratum in endpoints.stratum_contrasts:
        words = f"contrast {stratum.id} of {stratum.effect}, {' minus '.join(name.text for name in stratum.minus)}"
        yield _values_row(words, _held(comparisons.stratum_contrasts[stratum.id], found.effects[stratum.effect]))
    for one in endpoints.decompositions:
        cells = {cell: comparisons.decompositions[one.id][cell] for cell in found.effects[one.effect]}
        for name in one.classes:
            shares = {cell: None if value is None else value.shares[name] for cell, value in cells.items()}
            yield _values_row(f"share of {name} in {one.effect}", shares)
        shifts = {cell: None if value is None else value.support_shift for cell, value in cells.items()}
        yield _values_row(f"support shift in {one.effect}", shifts)


def _held(values: Mapping[str, ContrastValue], whole: Collection[str]) -> dict[str, Fraction | None]:
    return {key: one.value for key, one in values.items() if one.from_cell in whole and one.to_cell in whole}


def _values_row(words: str, values: Mapping[str, Fraction | None]) -> _Row:
    return _cells_row(printable(words), identified_set("effect", values.items(), a=words), len(values))


def _cells_row(words: str, one: IdentifiedSet, cells: int) -> _Row:
    everywhere = "in the one cell" if cells == 1 else f"in all {cells} cells"
    where = _witnesses(one) if len(one.values) > 1 else everywhere if one.point_identified else ""
    return _Row(words, _verdict(one), _range(one, signed=True), _with_undefined(where, one, cells), _tone(one))


def _effect_words(effect: Effect) -> str:
    a, b = effect.pair
    return printable(f"effect {effect.id} on {a} - {b}, {effect.factor} {effect.from_level} to {effect.to_level}")


def _ranking_row(found: FamilyEndpoints) -> _Row:
    one = next(one for one in found.identified if one.endpoint == "ranking")
    parts = [*_tau_words(found), f"can win: {', '.join(map(printable, found.ranking.winners)) or 'none'}"]
    where = _with_undefined("; ".join(parts), one, len(found.family.specs))
    return _Row("ranking", _verdict(one), counted(len(one.values), "weak order"), where, _tone(one))


def _tau_words(found: FamilyEndpoints) -> Iterable[str]:
    tau, total = found.ranking.tau_b, len(found.family.specs)
    if tau is not None:
        compared = sum(one.specs for one in found.ranking.orders if len(one.order) > 1)
        among = f" among {compared} of {total} specifications" if compared < total else ""
        yield f"tau-b {tau.min:.4f}" + (f" to {tau.max:.4f}" if tau.max > tau.min else "") + among


def _margin_rows(declaration: Declaration, found: FamilyEndpoints, uncertain: Uncertainty | None) -> Iterable[_Row]:
    """Margins of pairs, in the order in which an effect names them where one does."""
    sets = {(one.a, one.b): one for one in found.identified if one.endpoint == "margin"}
    named = {effect.pair for effect in declaration.endpoints.effects}
    for pair in _shown_pairs(found):
        turned = (pair.b, pair.a) in named and (pair.a, pair.b) not in named
        one = _turned(sets[pair.a, pair.b]) if turned else sets[pair.a, pair.b]
        mixed = _mixed_supports(found, pair)
        where = _witnesses(one) + (f"; mixes two supports in {counted(mixed, 'specification')}" if mixed else "")
        tone: Tone = "unsettled" if pair.relation == "reversal" else "plain"
        relation = "undefined" if pair.relation is None else pair.relation.replace("_", " ")
        where = _with_undefined(where, one, len(found.family.specs)) + _envelope(uncertain, pair, turned=turned)
        yield _Row(printable(f"{one.a} - {one.b}"), relation, _range(one, signed=True), where, tone)


def _envelope(uncertain: Uncertainty | None, pair: PairRelation, *, turned: bool) -> str:
    """The simultaneous envelope of a margin, in the order in which it is shown."""
    known = () if uncertain is None else uncertain.envelopes
    found = next((one for one in known if (one.a, one.b) == (pair.a, pair.b)), None)
    if found is None or found.lower is None or found.upper is None:
        return ""
    ends = (-found.upper, -found.lower) if turned else (found.lower, found.upper)
    return f"; envelope [{_percent(ends[0])}, {_percent(ends[1])}]"


def _turned(one: IdentifiedSet) -> IdentifiedSet:
    """The same margins, from the other side."""
    values = [value._replace(value=-value.value) for value in one.values if isinstance(value.value, Fraction)]
    return replace(one, a=one.b, b=one.a, values=tuple(values))


def _shown_pairs(found: FamilyEndpoints) -> Sequence[PairRelation]:
    pairs = found.ranking.pairs
    if len(pairs) <= _ALL_PAIRS:
        return pairs
    return [pair for pair in pairs if pair.relation == "reversal"][:_MOST_LINES]


def _mixed_supports(found: FamilyEndpoints, pair: PairRelation) -> int:
    position = {method: i for i, method in enumerate(found.endpoints.methods)}
    a, b = position[pair.a], position[pair.b]
    return sum(not found.endpoints.scores.shared_support(spec.id, a, b) for spec in found.family.specs)


def _level_rows(found: FamilyEndpoints) -> Iterable[_Row]:
    levels = [one for one in found.identified if one.endpoint == "level"]
    for one in levels[:_MOST_LINES]:
        where = _with_undefined(_witnesses(one), one, len(found.family.specs))
        yield _Row(printable(f"level {one.a}"), _verdict(one), _range(one, signed=False), where, "plain")


def _left_out(found: FamilyEndpoints) -> Iterable[str]:
    pairs, shown = found.ranking.pairs, _shown_pairs(found)
    relations = [pair.relation for pair in pairs]
    reversals = relations.count("reversal")
    if len(pairs) > _ALL_PAIRS:
        strict = relations.count("robust_strict")
        other = len(pairs) - strict - reversals
        told = f"{strict} robust strict, {reversals} reversals, {other} other"
        yield f"{len(pairs)} pairs: {told}; {len(shown)} shown, all in tables/margins.parquet"
    if len(found.endpoints.methods) > _MOST_LINES:
        yield f"{len(found.endpoints.methods)} levels: {_MOST_LINES} shown, all in tables/levels.parquet"
    for name, cells in found.partial_cells.items():
        if cells:
            yield f"effect {name}: {len(cells)} cells held in part and left out"


def _drop_lines(declaration: Declaration, found: FamilyEndpoints) -> Iterable[tuple[str, Tone]]:
    """The rows that some specification drops for their state, and a warning where methods count different rows."""
    told = drops(declaration, found)
    dropped = _alike(one for one in told.states if one.dropped and any(one.rows.values()))
    for alike in dropped[:_MOST_LINES]:
        yield _drop_words(alike), "note"
    if len(dropped) > _MOST_LINES:
        yield f"{len(dropped)} states are dropped: {_MOST_LINES} shown, all in record.json", "note"
    if told.unequal is not None:
        rows = _by_method(told.unequal.rows)
        where = f"{told.unequal.specs} of {counted(len(found.family.specs), 'specification')}"
        yield (
            f"warning: methods count different rows in {where}; furthest apart at {told.unequal.widest}: {rows}",
            "unsettled",
        )


def _alike(dropped: Iterable[StateRows]) -> list[list[StateRows]]:
    """The same states with as many rows, under one reading or several."""
    found: dict[tuple[object, ...], list[StateRows]] = {}
    for one in dropped:
        found.setdefault((one.states, *one.rows.items()), []).append(one)
    return list(found.values())


def _drop_words(alike: Sequence[StateRows]) -> str:
    """One state, its rows, and where they are dropped."""
    first = alike[0]
    under = f"under reading {first.reading}" if len(alike) == 1 else f"under {len(alike)} readings"
    what = f"{'+'.join(first.states)} {under}" if first.reading else "+".join(first.states)
    where = f"{sum(one.dropped for one in alike)} of {sum(one.specs for one in alike)} specifications"
    return f"{what}: {_by_method(first.rows)}; dropped in {where}"


def _by_method(rows: Mapping[str, int]) -> str:
    """Rows by method; of many methods those with the fewest and the most."""
    if len(rows) <= _ALL_PAIRS:
        return ", ".join(f"{method} {count:,}" for method, count in rows.items())
    fewest, most = (choose(rows, key=lambda method: rows[method]) for choose in (min, max))
    return f"from {fewest} {rows[fewest]:,} to {most} {rows[most]:,}"


def _verdict(one: IdentifiedSet) -> str:
    return "identified" if one.point_identified else "not identified"


def _tone(one: IdentifiedSet) -> Tone:
    return "settled" if one.point_identified else "unsettled"


def _with_undefined(where: str, one: IdentifiedSet, total: int) -> str:
    parts = [where, f"undefined in {one.undefined} of {total}" if one.undefined else ""]
    return "; ".join(part for part in parts if part)


def _range(one: IdentifiedSet, *, signed: bool) -> str:
    if one.least is None or one.greatest is None:
        return "no value"
    low, high = (points(end.value, signed=signed) for end in (one.least, one.greatest))
    unit = "pp" if signed else "%"
    return f"{low} {unit}" if one.least.value == one.greatest.value else f"{low} to {high} {unit}"


def counted(number: int, noun: str) -> str:
    """A number and its noun, in the plural where that is due."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def points(value: object, *, signed: bool) -> str:
    """Percentage points to two decimals; an exact zero is a bare 0, and what would round to zero keeps two digits."""
    if not isinstance(value, Fraction) or value == 0:
        return "0"
    number = float(100 * value)
    sign = "+" if signed else ""
    return f"{number:{sign}.2f}" if abs(number) >= 0.005 else f"{number:{sign}.1e}"


def _witnesses(one: IdentifiedSet) -> str:
    if one.least is None or one.greatest is None or len(one.values) == 1:
        return ""
    return f"{one.least.first} | {one.greatest.first}"


def _notes(declaration: Declaration) -> Iterable[str]:
    yield "A range is variation over the declared specifications, with a witness at its lowest | highest end."
    if declaration.resampling is None:
        yield "It says nothing about sampling."
    else:
        yield "Sampling is told apart: intervals and envelopes, in brackets, are of redrawn data."
