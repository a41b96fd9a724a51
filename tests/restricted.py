"""Copies of studies with families restricted to pinned options, and what an audit says of each."""

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import yaml

import multiverse as mv
from multiverse.declaration import Declaration
from multiverse.endpoints import FamilyEndpoints, family_endpoints
from multiverse.exact import exact_text
from multiverse.identification import IdentifiedSet
from multiverse.specification import Family

Json = dict[str, Any]
Pins = Mapping[str, str]  # coordinate to option, or "level-" and a factor to its level
Levels = Mapping[str, Mapping[str, str]]  # of the factors of each contract


def with_levels(options: Mapping[str, Sequence[str]], levels: Levels) -> dict[str, list[str]]:
    """All that may be pinned: the options of each coordinate, and the levels of each factor."""
    pairs = [pair for one in levels.values() for pair in one.items()]
    factors = {
        f"level-{factor}": list(dict.fromkeys(at for name, at in pairs if name == factor)) for factor, _ in pairs
    }
    return {**{name: list(declared) for name, declared in options.items()}, **factors}


def chosen(pins: Pins, levels: Levels) -> dict[str, list[str]]:
    """The options that pins leave of each coordinate that they are about."""
    found = {name: [option] for name, option in pins.items() if not name.startswith("level-")}
    factors = {name.removeprefix("level-"): level for name, level in pins.items() if name.startswith("level-")}
    if factors:
        contracts = [name for name, own in levels.items() if factors.items() <= own.items()]
        found["contract"] = [name for name in contracts if name in found.get("contract", contracts)]
    return found


def single_pins(options: Mapping[str, Iterable[str]]) -> list[Pins]:
    """Every option of every coordinate, and every level of every factor."""
    return [{name: option} for name, declared in options.items() for option in declared]


def double_pins(options: Mapping[str, Iterable[str]]) -> list[Pins]:
    """Every two of these, of two coordinates or factors."""
    return [{**x, **y} for x, y in combinations(single_pins(options), 2) if x.keys() != y.keys()]


def with_restricted(families: Mapping[str, Any], family: str, pinned: Iterable[Pins], levels: Levels) -> Json:
    """The content of families.yaml, with a family pins-0, ... for each pins that leave something of the family."""
    declared = dict(families["families"])
    found: Json = {}
    for number, pins in enumerate(pinned):
        products = [_pinned(one, chosen(pins, levels)) for one in _products(declared, family)]
        parts = [part for part in products if part is not None]
        names = [f"pins-{number}-{i}" for i in range(len(parts))]
        found |= dict(zip(names, parts, strict=True))
        found |= {f"pins-{number}": {"union": names}} if names else {}
    reasoned = {name: {**one, "rationale": "pinned"} for name, one in found.items()}
    return {**families, "families": {**declared, **reasoned}}


def _products(declared: Mapping[str, Json], family: str) -> list[Json]:
    """The products that a family is the union of."""
    if "union" not in declared[family]:
        return [declared[family]]
    return [product for part in declared[family]["union"] for product in _products(declared, part)]


def _pinned(product: Json, wanted: Mapping[str, list[str]]) -> Json | None:
    """A product with the wanted options alone; None where it has none of them."""
    found = {name: own for name, own in product.items() if name != "rationale"}
    for name, options in wanted.items():
        own = product.get(name, "all")
        found[name] = options if own == "all" else [option for option in options if option in own]
        if not found[name]:
            return None
    return found


def copy_study(study: Path, folder: Path, family: str, pinned: Iterable[Pins], levels: Levels) -> Path:
    """A copy of a study with restricted families; its data stays where it is."""
    copy = Path(shutil.copytree(study, folder / "specs" / study.name))
    data = study.parent.parent / "data"
    if data.is_dir():
        (folder / "data").symlink_to(data)
    families = yaml.safe_load((study / "families.yaml").read_text("utf-8"))
    (copy / "families.yaml").write_text(
        json.dumps(with_restricted(families, family, pinned, levels), indent=1), "utf-8"
    )
    return copy


def declared_answers(found: mv.Audit, family: str) -> dict[str, Json] | None:
    """What a declared family shows, by population; None where the study has no such family."""
    known = {one.name: one for one in found.declaration.families}
    return answers(found, known[family]) if family in known else None


def pinned_answers(found: mv.Audit, pins: Pins) -> dict[str, Json] | None:
    """What the pinned specifications of the audited family show, by population; None where there are none."""
    coordinates = found.declaration.coordinates
    ids = {str(name): coordinates.ids(name) for name in coordinates.declared}
    wanted = chosen(pins, contract_levels(found.declaration))
    specs = tuple(
        spec
        for spec in found.family.specs
        if all(ids[name][getattr(spec, name)] in options for name, options in wanted.items())
    )
    return answers(found, Family(name="pinned", specs=specs)) if specs else None


def contract_levels(declaration: Declaration) -> Levels:
    """The factor levels of each declared contract."""
    return {contract.id: dict(contract.levels) for contract in declaration.coordinates.contract}


def answers(found: mv.Audit, family: Family) -> dict[str, Json]:
    """What a family shows, by population."""
    populations = found.populations.items()
    return {name: answer(family_endpoints(found.declaration, one.endpoints, family)) for name, one in populations}


def answer(found: FamilyEndpoints) -> Json:
    """What a population shows over a family, as JSON."""
    ranking = found.ranking
    sets: dict[str, list[Json]] = {"level": [], "margin": [], "effect": [], "ranking": []}
    for one in found.identified:
        sets[one.endpoint].append(_identified(one))
    return {
        "specs": [spec.id for spec in found.family.specs],
        "levels": sets["level"],
        "margins": sets["margin"],
        "effects": sets["effect"],
        "partial": [list(cells) for cells in found.partial_cells.values()],
        "pairs": [{"relation": pair.relation, "signs": pair.signs._asdict()} for pair in ranking.pairs],
        "orders": [[[list(group) for group in one.order], one.specs, one.first] for one in ranking.orders],
        "undefined": list(ranking.undefined_specs),
        "rank_sets": [list(ranks) for ranks in ranking.rank_sets.values()],
        "winners": list(ranking.winners),
        "tau": None if ranking.tau_b is None else [round(end, 12) + 0.0 for end in ranking.tau_b],
    }


def _identified(found: IdentifiedSet) -> Json:
    """Values as they first occur, each with how often it does and where first; the ends of numbers."""
    if found.endpoint == "ranking":
        return {}
    ends = [None if one is None else one.first for one in (found.least, found.greatest)]
    return {
        "values": [[exact_text(one.value), one.specs, one.first] for one in found.values],  # type: ignore[arg-type]
        "undefined": found.undefined,
        "identified": found.point_identified,
        "ends": ends,
    }
