"""A study folder's YAML files as one frozen value, every fault of all files reported at once (DESIGN section 3)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from multiverse.declaration.coordinates import (
    ContractFile,
    TerminalFile,
    read_aggregations,
    read_contracts,
    read_dispositions,
    read_readings,
    read_scorings,
    read_terminals,
)
from multiverse.declaration.families import FamilyFile, read_families
from multiverse.declaration.study import (
    Contrast,
    Endpoints,
    Named,
    Population,
    Resampling,
    StudyFile,
    SubstrateFiles,
    read_study_file,
)
from multiverse.errors import Fault, InputError, Place, quoted, unknown_name
from multiverse.predicates import Predicate
from multiverse.specification import (
    Aggregation,
    Background,
    Contract,
    Coordinates,
    Disposition,
    Effect,
    Family,
    Reading,
    Scoring,
    Terminal,
    backgrounds,
    effect_cells,
)
from multiverse.strict_yaml import Node, read_yaml

T = TypeVar("T")

REQUIRED_FILES = ("study.yaml", "dispositions.yaml", "families.yaml")
OPTIONAL_FILES = (
    "contracts.yaml",
    "terminals.yaml",
    "readings.yaml",
    "scorings.yaml",
    "aggregations.yaml",
    "claims.yaml",
)
_COORDINATE_FILES = {
    "contract": "contracts.yaml",
    "disposition": "dispositions.yaml",
    "terminal": "terminals.yaml",
    "reading": "readings.yaml",
    "scoring": "scorings.yaml",
    "aggregation": "aggregations.yaml",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Declaration:
    """Everything a study declares; nothing in it depends on the data."""

    folder: Path
    name: str
    title: str
    license: str
    substrate: SubstrateFiles
    methods: tuple[Named, ...] | None
    populations: tuple[Population, ...]
    predicates: Mapping[str, Predicate]
    always: tuple[str, ...]
    special: Predicate | None
    coordinates: Coordinates
    families: tuple[Family, ...]
    endpoints: Endpoints
    backgrounds: Mapping[str, tuple[Background, ...]]  # by effect id
    resampling: Resampling | None
    gates: tuple[str, ...]
    warnings: tuple[str, ...]

    def family(self, name: str) -> Family:
        """The family of a name; an unknown one is an InputError."""
        for family in self.families:
            if family.name == name:
                return family
        raise InputError(
            [unknown_name(str(self.folder / "families.yaml"), "family", name, [f.name for f in self.families])]
        )


def read_declaration(folder: Path) -> Declaration:
    """The declaration of a study folder; raises InputError with every fault of all its files."""
    faults: list[Fault] = []
    nodes = _read_nodes(folder, faults)
    parts = _Parts(nodes, faults)
    study = parts.read("study.yaml", read_study_file)
    contracts = parts.read("contracts.yaml", read_contracts) or ContractFile(
        contracts=(Contract(id="", require=()),), predicates={}, always=()
    )
    terminals = parts.read("terminals.yaml", lambda n, f: read_terminals(n, contracts.predicates, f)) or TerminalFile(
        terminals=(Terminal(id=""),), special=None
    )
    dispositions, unexplained = parts.read("dispositions.yaml", read_dispositions) or ((), ())
    coordinates = _coordinates(parts, study, contracts, terminals, dispositions)
    families = parts.read("families.yaml", lambda n, f: read_families(n, coordinates, f)) or FamilyFile((), "", ())
    if study is None or faults:
        raise InputError(_in_order(faults))
    found = {e.id: backgrounds(coordinates.contract, e) for e in study.endpoints.effects}
    faults.extend(_endpoint_faults(study, coordinates, families.families, found))
    if faults:
        raise InputError(_in_order(faults))
    explained = {
        "contract": contracts.unexplained,
        "disposition": unexplained,
        "terminal": terminals.unexplained,
        "family": families.unexplained,
    }
    return Declaration(
        folder=folder,
        name=study.name,
        title=study.title,
        license=families.license,
        substrate=study.substrate,
        methods=study.methods,
        populations=study.populations,
        predicates=contracts.predicates,
        always=contracts.always,
        special=terminals.special,
        coordinates=coordinates,
        families=families.families,
        endpoints=study.endpoints,
        backgrounds=found,
        resampling=study.resampling,
        gates=study.gates,
        warnings=tuple(_rationale_warnings(folder, explained)),
    )


class _Parts:
    """The files of a study by name; one that is absent, or unreadable and already at fault, reads as None."""

    def __init__(self, nodes: Mapping[str, Node], faults: list[Fault]) -> None:
        self.nodes, self.faults = nodes, faults

    def read(self, name: str, reader: Callable[[Node, list[Fault]], T]) -> T | None:
        node = self.nodes.get(name)
        return None if node is None else reader(node, self.faults)


def _read_nodes(folder: Path, faults: list[Fault]) -> dict[str, Node]:
    if not folder.is_dir():
        raise InputError([Fault(where=str(folder), found="no such folder", expected="a study: a folder of YAML files")])
    nodes = {}
    known = (*REQUIRED_FILES, *OPTIONAL_FILES)
    present = sorted(path.name for path in folder.iterdir() if path.suffix.lower() in (".yaml", ".yml"))
    faults.extend(unknown_name(str(folder / name), "file", name, known) for name in present if name not in known)
    for name in known:
        path = folder / name
        if name in present and path.is_file():
            result = read_yaml(path.read_bytes(), str(path))
            faults.extend(result.faults)
            if result.node is not None:
                nodes[name] = result.node
        elif name in REQUIRED_FILES:
            faults.append(Fault(where=str(path), found="no such file", expected="it in the study's folder"))
    return nodes


def _coordinates(
    parts: _Parts,
    study: StudyFile | None,
    contracts: ContractFile,
    terminals: TerminalFile,
    dispositions: tuple[Disposition, ...],
) -> Coordinates:
    kind = study.substrate.kind if study is not None else "hypotheses"
    default = Scoring(id="", rule="exact") if kind == "hypotheses" else Scoring(id="", rule="column")
    aggregations = parts.read("aggregations.yaml", read_aggregations)
    if aggregations and study is not None and study.aggregation_place is not None:
        found = "aggregation is named here and in aggregations.yaml"
        parts.faults.append(Fault(where=str(study.aggregation_place), found=found, expected="it in one of the two"))
    return Coordinates(
        declared=tuple(name for name, file in _COORDINATE_FILES.items() if file in parts.nodes),  # type: ignore[misc]
        contract=contracts.contracts,
        disposition=dispositions,
        terminal=terminals.terminals,
        reading=parts.read("readings.yaml", read_readings) or (Reading(id=""),),
        scoring=parts.read("scorings.yaml", lambda n, f: read_scorings(n, kind, f)) or (default,),
        aggregation=aggregations or (study.aggregation if study else Aggregation(id=""),),
    )


def _endpoint_faults(
    study: StudyFile,
    coordinates: Coordinates,
    families: tuple[Family, ...],
    found: Mapping[str, tuple[Background, ...]],
) -> Iterable[Fault]:
    for effect in study.endpoints.effects:
        yield from _effect_faults(effect, study, coordinates, families, found[effect.id])
    for contrast in study.endpoints.contrasts:
        yield from _contrast_faults(contrast, study.place, coordinates)


def _effect_faults(
    effect: Effect,
    study: StudyFile,
    coordinates: Coordinates,
    families: tuple[Family, ...],
    found: tuple[Background, ...],
) -> Iterable[Fault]:
    levels: dict[str, list[str]] = {}
    for contract in coordinates.contract:
        for factor, level in contract.levels:
            levels.setdefault(factor, []).append(level)
    if study.methods is not None:
        known = [method.text for method in study.methods]
        yield from (unknown_name(effect.place, "method", name, known) for name in effect.pair if name not in known)
    if effect.factor not in levels:
        yield unknown_name(effect.place, "factor", effect.factor, levels)
        return
    unknown = [level for level in (effect.from_level, effect.to_level) if level not in levels[effect.factor]]
    yield from (
        unknown_name(effect.place, f"level of factor {effect.factor}", name, levels[effect.factor]) for name in unknown
    )
    if not unknown and not any(effect_cells(family, found).whole for family in families):
        yield Fault(
            where=str(effect.place),
            found=f"no family holds a cell of effect {quoted(effect.id)} whole",
            expected="a family with both contracts of every background",
        )


def _contrast_faults(contrast: Contrast, place: Place, coordinates: Coordinates) -> Iterable[Fault]:
    if contrast.coordinate not in coordinates.declared:
        yield unknown_name(place, f"coordinate in contrast {contrast.id}", contrast.coordinate, coordinates.declared)
        return
    known = coordinates.ids(contrast.coordinate)
    for option in (contrast.from_option, contrast.to_option):
        if option not in known:
            yield unknown_name(place, f"{contrast.coordinate} option in contrast {contrast.id}", option, known)


def _rationale_warnings(folder: Path, explained: Mapping[str, tuple[str, ...]]) -> Iterable[str]:
    for noun, names in explained.items():
        file = _COORDINATE_FILES.get(noun, "families.yaml")
        yield from (f"{folder / file}: {noun} {quoted(name)} has no rationale, its own or its file's" for name in names)


def _in_order(faults: list[Fault]) -> list[Fault]:
    """Each fault once, by file in the order read, then by line and column as they were found."""
    return list(dict.fromkeys(faults))
