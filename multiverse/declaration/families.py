"""families.yaml: declared sets of specifications, as products of options and unions of families."""

from typing import NamedTuple

from multiverse.declaration.fields import Fields, described, file_safe
from multiverse.errors import Fault, Place, quoted, unknown_name
from multiverse.specification import CoordinateName, Coordinates, Family, product_family, union_family
from multiverse.strict_yaml import Node, Scalar

_DEEPEST = 50


class FamilyFile(NamedTuple):
    """What families.yaml declares."""

    families: tuple[Family, ...]
    license: str  # the inference the families are to license, in words
    unexplained: tuple[str, ...]  # names of families without a rationale, their own or the file's


class _Union(NamedTuple):
    parts: tuple[tuple[str, Place], ...]
    place: Place


def read_families(node: Node, coordinates: Coordinates, faults: list[Fault]) -> FamilyFile:
    """Every declared family as its specifications, in the order declared."""
    fields = Fields(node, noun="the file", place=node.place, faults=faults)
    rationale, license_text = fields.text("rationale", default=""), fields.text("license", default="")
    declared: dict[str, Family | _Union] = {}
    unexplained = []
    for key, value in fields.entries("families", required=True):
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
    if not declared and not fields.broken:
        fields.fault(fields.place, "the file declares no family", "at least one under families")
    return FamilyFile(_resolved(declared, faults), license_text, tuple(unexplained))


def _union(family: Fields) -> _Union:
    place = family.place_of("union")
    parts = family.texts("union")
    if not parts:
        family.fault(place, f"{family.noun} is a union of nothing", "a list of families")
    return _Union(parts, place)


def _product(family: Fields, name: str, coordinates: Coordinates) -> Family:
    chosen: dict[CoordinateName, tuple[str, ...]] = {}
    for coordinate in coordinates.declared:
        place, node = family.place_of(coordinate), family.node(coordinate)
        if node is None or (isinstance(node, Scalar) and node.value == "all"):
            continue
        if isinstance(node, Scalar):
            family.fault(place, f"{coordinate} is {described(node)}", "all, or a list of option ids")
            continue
        chosen[coordinate] = _listed(family, coordinate, node, coordinates)
    return product_family(coordinates, name, chosen)


def _listed(family: Fields, coordinate: CoordinateName, node: Node, coordinates: Coordinates) -> tuple[str, ...]:
    texts = family.as_texts(node, coordinate)
    if not texts:
        family.fault(node.place, f"{family.noun} is empty: {coordinate} lists no option", "at least one, or all")
    known = coordinates.ids(coordinate)
    family.faults.extend(
        unknown_name(place, f"{coordinate} option", text, known) for text, place in texts if text not in known
    )
    return tuple(text for text, _ in texts)


def _resolved(declared: dict[str, Family | _Union], faults: list[Fault]) -> tuple[Family, ...]:
    """Unions replaced by what they unite; a loop and an unknown part are faults."""
    families: dict[str, Family] = {}

    def resolve(name: str, path: tuple[str, ...]) -> Family:
        found = declared[name]
        if isinstance(found, _Union) and name not in families:
            parts = []
            for part, place in found.parts:
                if part not in declared:
                    faults.append(unknown_name(place, "family", part, declared))
                elif len(path) > _DEEPEST:
                    faults.append(
                        Fault(where=str(place), found="unions nested too deeply", expected=f"at most {_DEEPEST}")
                    )
                elif part in (*path, name):
                    loop = " -> ".join((*path, name, part))
                    faults.append(
                        Fault(
                            where=str(place), found=f"the union goes in a loop: {loop}", expected="a union without one"
                        )
                    )
                else:
                    parts.append(resolve(part, (*path, name)))
            families[name] = union_family(name, parts)
        return families.setdefault(name, found) if isinstance(found, Family) else families[name]

    return tuple(resolve(name, ()) for name in declared)
