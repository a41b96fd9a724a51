"""The drops manifest: how many rows of each method are in each state, and which specifications drop them."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from multiverse.declaration import Declaration
from multiverse.endpoints import FamilyEndpoints
from multiverse.specification import Disposition, Entries, Specification

Treatment: TypeAlias = Literal["counted", "dropped", "counted in part"]
_ANSWERED = "answered"


class StateRows(NamedTuple):
    """Rows whose records are in one state, or whose repeats are in several, under one reading of the family."""

    reading: str  # empty where the study declares none
    states: tuple[str, ...]
    rows: dict[str, int]  # by method, of every method
    specs: int  # specifications of the family with the reading
    dropped: int  # of them, how many drop such a row though they count one that was answered


class Support(NamedTuple):
    """Specifications at which methods differ in the rows that count."""

    specs: int
    widest: str  # the first of those at which the most and the fewest counted rows are furthest apart
    rows: dict[str, int]  # the rows that count there, by method


class Drops(NamedTuple):
    """The manifest of one population over one family."""

    states: tuple[StateRows, ...]
    unequal: Support | None  # None: at every specification all methods count the same rows


def drops(declaration: Declaration, found: FamilyEndpoints) -> Drops:
    """What is in each state, and what becomes of it over the family."""
    return Drops(tuple(_state_rows(declaration, found)), _unequal(found))


def drops_entry(declaration: Declaration, found: FamilyEndpoints) -> dict[str, Any]:
    """The manifest as the record has it, with what each disposition of the family does with each state."""
    told = drops(declaration, found)
    used = sorted({spec.disposition for spec in found.family.specs})
    options = [declaration.coordinates.disposition[position] for position in used]
    groups = dict.fromkeys(one.states for one in told.states)
    sides = {"legal_present": True, "legal_empty": False}
    return {
        "states": [one._asdict() | {"states": list(one.states)} for one in told.states],
        "dispositions": [
            {"disposition": option.id, "states": list(states)}
            | {side: treatment(option, states, legal=legal) for side, legal in sides.items()}
            for option in options
            for states in groups
        ],
        "unequal_support": None if told.unequal is None else told.unequal._asdict(),
    }


def treatment(disposition: Disposition, states: Sequence[str], *, legal: bool) -> Treatment:
    """What becomes of a row whose records are in these states, where something is legal or nothing is."""
    entries = disposition.legal_present if legal else disposition.legal_empty
    kept = [entries.entry(state) != "exclude" for state in states]
    return "counted" if all(kept) else "counted in part" if any(kept) else "dropped"


def _state_rows(declaration: Declaration, found: FamilyEndpoints) -> Iterable[StateRows]:
    scores, methods, coordinates = found.endpoints.scores, found.endpoints.methods, declaration.coordinates
    by_reading: dict[int, list[Specification]] = {}
    for spec in found.family.specs:
        by_reading.setdefault(spec.reading, []).append(spec)
    for reading, specs in sorted(by_reading.items()):
        told = scores.told[reading]
        for positions in sorted({states for _, states in told}):
            names = tuple(scores.states[position] for position in positions)
            rows = {method: told.get((m, positions), 0) for m, method in enumerate(methods)}
            dropped = sum(_drops(coordinates.disposition[spec.disposition], names) for spec in specs)
            yield StateRows(coordinates.reading[reading].id, names, rows, len(specs), dropped)


def _drops(disposition: Disposition, states: Sequence[str]) -> bool:
    """Whether a row is dropped for its states, and not for what is legal."""
    return any(
        _counts_answers(entries) and treatment(disposition, states, legal=legal) == "dropped"
        for entries, legal in ((disposition.legal_present, True), (disposition.legal_empty, False))
    )


def _counts_answers(entries: Entries) -> bool:
    return entries.entry(_ANSWERED) != "exclude"


def _unequal(found: FamilyEndpoints) -> Support | None:
    levels, differing = found.endpoints.levels, found.endpoints.scores.differing
    specs = [spec.id for spec in found.family.specs if spec.id in differing]
    if not specs:
        return None
    rows = {spec: {method: level.support for method, level in levels[spec].items()} for spec in specs}
    widest = max(specs, key=lambda spec: max(rows[spec].values()) - min(rows[spec].values()))
    return Support(len(specs), widest, rows[widest])
