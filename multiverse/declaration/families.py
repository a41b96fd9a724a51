"""families.yaml: declared sets of specifications, as products of options and unions of families."""

from collections.abc import Mapping
from math import prod
from typing import NamedTuple

from multiverse.declaration.coordinates import COORDINATE_FILES
from multiverse.declaration.fields import Fields, file_safe
from multiverse.errors import Fault, Place, quoted, unknown_name
from multiverse.specification import COORDINATES, CoordinateName, Coordinates, Family, product_family, union_family
from multiverse.strict_yaml import Node, Scalar

_DEEPEST = 50
_MOST = 1_000_000


class FamilyFile(NamedTuple):
    """What families.yaml declares."""

    families: tuple[Family, ...]
    license: str  # the inference the families are to license, in words
    unexplained: tuple[str, ...]  # names of families without a rationale, their own or the file's


class _Union(NamedTuple):
    parts: tuple[tuple[str, Place], ...]


def read_families(node: Node, coordinates: Coordinates, faults: list[Fault]) -> FamilyFile:
    """Every declared family as its specifications, in the order declared."""
    fields = Fields(node, noun="the file", place=node.place, faults=faults)
    rationale, license_text = fields.text("rationale", default=""), fields.text("license", default="")
    declared: dict[str, Family | _Union] = {}
    unexplained = []
    place, entries = fields.place_of("families"), fields.entries("families", required=True)
    for key, value in entries:
        name = str(key.value)
        if not file_safe(name):
            fields.fault(key.place, f"the family name {quoted(name)}", "letters, digits, '.', '_' and '-' only")
        family = Fields(value, noun=f"family {name}", place=value.place, faults=faults)
        own = family.text("rationale", default="")
        declared[name] = _union(family) if family.has("union") else _product(family, name, coordinates)
        family.close()
        if not own and not rationale:
            unexplained.append(name)
    fields.close()
    if not declared and not fields.faulty:
        fields.fault(place, "the file declares no family", "at least one under families")
    return FamilyFile(_resolved(declared, faults), license_text, tuple(unexplained))


def _union(family: Fields) -> _Union:
    node = family.node("union")
    assert node is not None
    return _Union(family.as_texts(node, "union", "a list of at least one family", least=1))


def _product(family: Fields, name: str, coordinates: Coordinates) -> Family:
    family.also_knows("union")
    chosen: dict[CoordinateName, tuple[str, ...]] = {}
    for coordinate in COORDINATES:
        if coordinate not in coordinates.declared and not family.has(coordinate):
            continue
        place, node = family.place_of(coordinate), family.node(coordinate)
        if coordinate not in coordinates.declared:
            found = f"{family.noun} chooses on the coordinate {coordinate}, which the study does not declare"
            family.fault(place, found, f"{COORDINATE_FILES[coordinate]} in the study's folder, or no key {coordinate}")
        elif node is not None and not (isinstance(node, Scalar) and node.value == "all"):
            chosen[coordinate] = _listed(family, coordinate, node, coordinates)
    sizes = [len(chosen.get(coordinate, coordinates.ids(coordinate))) for coordinate in COORDINATES]
    if prod(sizes) > _MOST:
        family.fault(family.place, f"{family.noun} holds {prod(sizes)} specifications", f"at most {_MOST}")
        return Family(name=name, specs=())
    return product_family(coordinates, name, chosen)


def _listed(family: Fields, coordinate: CoordinateName, node: Node, coordinates: Coordinates) -> tuple[str, ...]:
    texts = family.as_texts(node, coordinate, "all, or a list of at least one option id", least=1)
    known = set(coordinates.ids(coordinate)) - {""}  # none: what the file declares is at fault
    family.faults.extend(
        unknown_name(place, f"{coordinate} option", text, known) for text, place in texts if known and text not in known
    )
    return tuple(text for text, _ in texts)


def _resolved(declared: Mapping[str, Family | _Union], faults: list[Fault]) -> tuple[Family, ...]:
    """Unions replaced by what they unite; a loop, an unknown part and too deep nesting are faults."""
    families: dict[str, Family] = {}
    depths = dict.fromkeys(declared, 0)  # of unions within one another, once a union is resolved

    def part_fault(part: str, place: Place, within: tuple[str, ...]) -> Fault | None:
        if part not in declared:
            return unknown_name(place, "family", part, declared)
        if part in within:
            loop = " -> ".join((*within[within.index(part) :], part))
            return Fault(where=str(place), found=f"the union goes in a loop: {loop}", expected="a union without one")
        if len(within) + depths[part] > _DEEPEST:
            expected = f"at most {_DEEPEST} within one another"
            return Fault(where=str(place), found="unions nested too deeply", expected=expected)
        return None

    def resolve(name: str, path: tuple[str, ...]) -> Family:
        one = declared[name]
        if isinstance(one, Family):
            return one
        if name not in families:
            parts, within = [], (*path, name)
            for part, place in one.parts:
                fault = part_fault(part, place, within)
                if fault is not None:
                    faults.append(fault)
                    continue
                parts.append(resolve(part, within))
                depths[name] = max(depths[name], depths[part] + 1)
            families[name] = union_family(name, parts)
        return families[name]

    return tuple(resolve(name, ()) for name in declared)
