"""Copies of studies with families restricted to pinned options, and what an audit says of each."""

import json
import shutil
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import yaml

import multiverse as mv
from multiverse.endpoints import FamilyEndpoints, family_endpoints
from multiverse.exact import exact_text
from multiverse.identification import IdentifiedSet
from multiverse.specification import Family

Json = dict[str, Any]
Pins = Mapping[str, str]  # coordinate to option


def single_pins(options: Mapping[str, Iterable[str]]) -> list[Pins]:
    """Every option of every coordinate."""
    return [{name: option} for name, declared in options.items() for option in declared]


def double_pins(options: Mapping[str, Iterable[str]]) -> list[Pins]:
    """Every two options of two coordinates."""
    return [{**x, **y} for x, y in combinations(single_pins(options), 2) if x.keys() != y.keys()]


def with_restricted(families: Mapping[str, Any], family: str, pinned: Iterable[Pins]) -> Json:
    """The content of families.yaml, with a family pins-0, ... for each pins that leave something of the family."""
    declared = dict(families["families"])
    found: Json = {}
    for number, pins in enumerate(pinned):
        parts = [part for part in (_pinned(one, pins) for one in _products(declared, family)) if part is not None]
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


def _pinned(product: Json, pins: Pins) -> Json | None:
    """A product with the pinned options alone; None where it has one of them not."""
    found = {name: chosen for name, chosen in product.items() if name != "rationale"}
    for name, option in pins.items():
        if product.get(name, "all") != "all" and option not in product[name]:
            return None
        found[name] = [option]
    return found


def copy_study(study: Path, folder: Path, family: str, pinned: Iterable[Pins]) -> Path:
    """A copy of a study with restricted families; its data stays where it is."""
    copy = Path(shutil.copytree(study, folder / "specs" / study.name))
    data = study.parent.parent / "data"
    if data.is_dir():
        (folder / "data").symlink_to(data)
    families = yaml.safe_load((study / "families.yaml").read_text("utf-8"))
    (copy / "families.yaml").write_text(json.dumps(with_restricted(families, family, pinned), indent=1), "utf-8")
    return copy


def declared_answers(found: mv.Audit, family: str) -> dict[str, Json] | None:
    """What a declared family shows, by population; None where the study has no such family."""
    known = {one.name: one for one in found.declaration.families}
    return answers(found, known[family]) if family in known else None


def pinned_answers(found: mv.Audit, pins: Pins) -> dict[str, Json] | None:
    """What the pinned specifications of the audited family show, by population; None where there are none."""
    coordinates = found.declaration.coordinates
    wanted = {name: coordinates.ids(name).index(pins[name]) for name in coordinates.declared if name in pins}
    specs = tuple(spec for spec in found.family.specs if all(getattr(spec, name) == at for name, at in wanted.items()))
    return answers(found, Family(name="pinned", specs=specs)) if specs else None


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
