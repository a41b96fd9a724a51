"""Gates: how much of the references a study needs before its answers are opened (DESIGN section 8)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from multiverse.declaration.coordinates import two_levels
from multiverse.declaration.fields import Fields
from multiverse.errors import Fault, Place, quoted, unknown_name
from multiverse.specification import Coordinates, FactorChange
from multiverse.strict_yaml import Mapping, Node

FamilyTest: TypeAlias = Literal["family_unchanged", "family_nonempty", "family_collapses"]
Unit: TypeAlias = Literal["rows", "clusters"]
_MOST = 1_000_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Condition(FactorChange):
    """What a gate asks of a row's legal families on the two sides of a change."""

    test: FamilyTest
    background: Literal["every", "any"] = "every"


@dataclass(frozen=True, kw_only=True, slots=True)
class Gate:
    """How many rows or clusters of a population have to meet all conditions."""

    id: str
    population: str
    terminal: str | None  # None: the only one, or there is none
    conditions: tuple[Condition, ...]
    count: Unit
    at_least: int
    place: Place = field(compare=False)
    terminal_place: Place = field(compare=False)  # the gate's, where it names none


def read_gate(item: Fields, identity: str, populations: Sequence[str]) -> Gate:
    """One gate; factors, levels and terminal options that it names are checked once all files are read."""
    item.also_knows("population", "terminal")
    return Gate(
        id=identity,
        population=_population(item, populations),
        terminal_place=item.place_of("terminal"),
        terminal=item.text("terminal", default="") if item.has("terminal") or item.broken else None,
        conditions=_conditions(item),
        count="clusters" if item.choice("count", get_args(Unit)) == "clusters" else "rows",
        at_least=item.whole("at_least", least=0, most=_MOST),
        place=item.place,
    )


def _population(item: Fields, populations: Sequence[str]) -> str:
    """A declared population; the only one, where none is named."""
    if not item.has("population"):
        if len(populations) > 1 and not item.broken:
            item.faults.append(_unnamed(item.place, "population", populations))
        return populations[0] if populations else ""
    place, name = item.place_of("population"), item.text("population")
    if name and name not in populations:
        item.faults.append(unknown_name(place, "population", name, populations))
    return name


def _unnamed(place: Place, noun: str, known: Iterable[str]) -> Fault:
    names = ", ".join(map(quoted, sorted(known)))
    return Fault(where=str(place), found=f"the gate names no {noun}, and there are several", expected=f"one of {names}")


def _conditions(item: Fields) -> tuple[Condition, ...]:
    node = item.node("where", required=True)
    if node is None:
        return ()
    if isinstance(node, Mapping) and not node.entries:
        item.fault(node.place, "where is an empty mapping", "at least one condition")
    where = Fields(node, noun="where", place=node.place, faults=item.faults)
    found = [(test, where.node(test)) for test in get_args(FamilyTest)]
    where.close()
    return tuple(_condition(test, asked, item.faults) for test, asked in found if asked is not None)


def _condition(test: FamilyTest, node: Node, faults: list[Fault]) -> Condition:
    fields = Fields(node, noun=test, place=node.place, faults=faults)
    factor, (before, after) = fields.text("factor"), two_levels(fields, "condition")
    background = fields.choice("background", ["every", "any"], default="every")
    fields.close()
    return Condition(
        test=test,
        factor=factor,
        from_level=before,
        to_level=after,
        background="any" if background == "any" else "every",
        place=fields.place,
        places=fields.places,
    )


def terminal_faults(gate: Gate, coordinates: Coordinates) -> Iterable[Fault]:
    """A terminal option that is not declared, or is not named where there are several."""
    is_declared = "terminal" in coordinates.declared
    known = [identity for identity in coordinates.ids("terminal") if identity] if is_declared else []
    if is_declared and not known:
        return
    if gate.terminal is None and len(known) > 1:
        yield _unnamed(gate.place, "terminal option", known)
    elif gate.terminal and gate.terminal not in known:
        yield unknown_name(gate.terminal_place, "terminal option", gate.terminal, known)
