"""A study folder's YAML files as one frozen value, every fault of all files reported at once (DESIGN section 3)."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from multiverse.declaration.aggregations import by_special_names, read_aggregations
from multiverse.declaration.coordinates import (
    COORDINATE_FILES,
    ContractFile,
    TerminalFile,
    read_contracts,
    read_dispositions,
    read_readings,
    read_terminals,
)
from multiverse.declaration.families import FamilyFile, read_families
from multiverse.declaration.gates import Condition, Gate, terminal_faults
from multiverse.declaration.scorings import read_scorings
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
from multiverse.errors import Fault, InputError, quoted, unknown_name
from multiverse.predicates import Predicate
from multiverse.specification import (
    Aggregation,
    Background,
    Contract,
    Coordinates,
    Disposition,
    Effect,
    FactorChange,
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
_PLACE = re.compile(r"(.*):([0-9]+):([0-9]+)", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class SpecFile:
    """A file of a study: its name, the bytes that were read, and what they mean."""

    name: str
    content: bytes
    node: Node


@dataclass(frozen=True, kw_only=True, slots=True)
class Declaration:
    """Everything a study declares; nothing in it depends on the data."""

    folder: Path
    files: tuple[SpecFile, ...]  # what everything below was parsed from, by name
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
    gates: tuple[Gate, ...]
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
    parts = _read_files(folder, faults)
    study = parts.read("study.yaml", read_study_file)
    contracts = parts.read("contracts.yaml", read_contracts) or ContractFile(
        contracts=(Contract(id="", require=()),), predicates={}, always=()
    )
    predicates = None if "contracts.yaml" in parts.unreadable else contracts.predicates
    terminals = parts.read("terminals.yaml", lambda n, f: read_terminals(n, predicates, f)) or TerminalFile(
        terminals=(Terminal(id=""),), special=None
    )
    dispositions, unexplained = parts.read("dispositions.yaml", read_dispositions) or ((), ())
    coordinates = _coordinates(parts, study, contracts, terminals, dispositions)
    families = parts.read("families.yaml", lambda n, f: read_families(n, coordinates, f)) or FamilyFile((), "", ())
    faults.extend(_unknown_names(study, coordinates))
    if study is None or faults:
        raise InputError(_in_order(faults))
    found = {e.id: backgrounds(coordinates.contract, e) for e in study.endpoints.effects}
    faults.extend(_unheld_effects(study.endpoints.effects, families.families, found))
    faults.extend(_no_background(c) for c in _conditions(study) if not backgrounds(coordinates.contract, c))
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
        files=parts.files,
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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Parts:
    """The files of a study by name."""

    files: tuple[SpecFile, ...]
    nodes: Mapping[str, Node]
    unreadable: frozenset[str]  # there, or required, but at fault as a whole
    faults: list[Fault]

    def read(self, name: str, reader: Callable[[Node, list[Fault]], T]) -> T | None:
        """What a file declares; None where it is absent or unreadable."""
        node = self.nodes.get(name)
        return None if node is None else reader(node, self.faults)


def _read_files(folder: Path, faults: list[Fault]) -> _Parts:
    if not folder.is_dir():
        raise InputError([Fault(where=str(folder), found="no such folder", expected="a study: a folder of YAML files")])
    known = (*REQUIRED_FILES, *OPTIONAL_FILES)
    present = sorted(path.name for path in folder.iterdir() if path.suffix.lower() in (".yaml", ".yml"))
    faults.extend(unknown_name(str(folder / name), "file", name, known) for name in present if name not in known)
    expected = [name for name in known if name in present or name in REQUIRED_FILES]
    read = [file for name in expected if (file := _read_file(folder / name, faults)) is not None]
    nodes = {file.name: file.node for file in read}
    files = tuple(sorted(read, key=lambda file: file.name))
    return _Parts(files=files, nodes=nodes, unreadable=frozenset(expected) - nodes.keys(), faults=faults)


def _read_file(path: Path, faults: list[Fault]) -> SpecFile | None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        faults.append(Fault(where=str(path), found="no such file", expected="it in the study's folder"))
        return None
    except OSError as error:
        faults.append(Fault(where=str(path), found=f"cannot be read: {error.strerror}", expected="a file of YAML"))
        return None
    result = read_yaml(content, str(path))
    faults.extend(result.faults)
    return None if result.node is None else SpecFile(name=path.name, content=content, node=result.node)


def _coordinates(
    parts: _Parts,
    study: StudyFile | None,
    contracts: ContractFile,
    terminals: TerminalFile,
    dispositions: tuple[Disposition, ...],
) -> Coordinates:
    """Every coordinate's options; where its file is unreadable, one without an id stands in or there is none."""
    kind = None if study is None else study.substrate.kind
    scoring = None if kind is None else parts.read("scorings.yaml", lambda n, f: read_scorings(n, kind, f))
    default = Scoring(id="", rule="column" if kind == "scores" else "exact")
    aggregations = parts.read("aggregations.yaml", read_aggregations)
    if "aggregations.yaml" in parts.nodes and study is not None and study.aggregation_place is not None:
        found = "aggregation is named here and in aggregations.yaml"
        parts.faults.append(Fault(where=str(study.aggregation_place), found=found, expected="it in one of the two"))
    written = {*parts.nodes, *parts.unreadable}
    return Coordinates(
        declared=tuple(name for name, file in COORDINATE_FILES.items() if file in written),
        contract=contracts.contracts,
        disposition=dispositions,
        terminal=terminals.terminals,
        reading=parts.read("readings.yaml", read_readings) or (Reading(id=""),),
        scoring=scoring or (default,),
        aggregation=_by_special_names(study, aggregations),
    )


def _by_special_names(study: StudyFile | None, aggregations: tuple[Aggregation, ...] | None) -> tuple[Aggregation, ...]:
    if study is None:
        return aggregations or (Aggregation(id=""),)
    cluster, stratum = (study.substrate.key(key) for key in ("cluster", "stratum"))
    options = aggregations or (study.aggregation,)
    return tuple(by_special_names(option, cluster=cluster, stratum=stratum) for option in options)


def _conditions(study: StudyFile) -> Iterable[Condition]:
    return (condition for gate in study.gates for condition in gate.conditions)


def _unknown_names(study: StudyFile | None, coordinates: Coordinates) -> Iterable[Fault]:
    """What endpoints and gates name that the coordinate files do not declare."""
    if study is None:
        return
    levels: dict[str, dict[str, None]] = {}
    for contract in coordinates.contract:
        for factor, level in contract.levels:
            levels.setdefault(factor, {})[level] = None
    if "contract" not in coordinates.declared or any(coordinates.ids("contract")):
        for change in (*study.endpoints.effects, *_conditions(study)):
            yield from _change_faults(change, levels)
    for contrast in study.endpoints.contrasts:
        yield from _contrast_faults(contrast, coordinates)
    for gate in study.gates:
        yield from terminal_faults(gate, coordinates)


def _change_faults(change: FactorChange, levels: Mapping[str, Iterable[str]]) -> Iterable[Fault]:
    """Its factor and levels where no contract has them; a blank one is already at fault."""
    if change.factor not in levels:
        if change.factor:
            yield unknown_name(change.places["factor"], "factor", change.factor, levels)
        return
    for key, level in (("from", change.from_level), ("to", change.to_level)):
        if level and level not in levels[change.factor]:
            yield unknown_name(change.places[key], f"level of factor {change.factor}", level, levels[change.factor])


def _contrast_faults(contrast: Contrast, coordinates: Coordinates) -> Iterable[Fault]:
    if contrast.coordinate not in coordinates.declared:
        found = f"the contrast is over the coordinate {contrast.coordinate}, which the study does not declare"
        expected = f"{COORDINATE_FILES[contrast.coordinate]} in the study's folder"
        yield Fault(where=str(contrast.places["coordinate"]), found=found, expected=expected)
        return
    known = [identity for identity in coordinates.ids(contrast.coordinate) if identity]
    for key, option in (("from", contrast.from_option), ("to", contrast.to_option)):
        if known and option not in known:
            yield unknown_name(contrast.places[key], f"{contrast.coordinate} option", option, known)


def _unheld_effects(
    effects: Iterable[Effect], families: Iterable[Family], found: Mapping[str, tuple[Background, ...]]
) -> Iterable[Fault]:
    """Effects with no background, or with no cell that some family holds whole."""
    for effect in effects:
        if not found[effect.id]:
            yield _no_background(effect)
        elif not any(effect_cells(family, found[effect.id]).whole for family in families):
            nothing = f"no family holds a cell of effect {quoted(effect.id)} whole"
            yield Fault(
                where=str(effect.place), found=nothing, expected="a family with both contracts of every background"
            )


def _no_background(change: FactorChange) -> Fault:
    levels = f"from level {quoted(change.from_level)} to {quoted(change.to_level)} of factor {change.factor}"
    nothing = f"no two contracts differ by going {levels} alone"
    return Fault(where=str(change.place), found=nothing, expected="contracts at both levels of one background")


def _rationale_warnings(folder: Path, explained: Mapping[str, tuple[str, ...]]) -> Iterable[str]:
    files = {str(coordinate): file for coordinate, file in COORDINATE_FILES.items()}
    for noun, names in explained.items():
        path = folder / files.get(noun, "families.yaml")
        yield from (f"{path}: {noun} {quoted(name)} has no rationale, its own or its file's" for name in names)


def _in_order(faults: Iterable[Fault]) -> list[Fault]:
    """Each fault once, by file in the order read, in a file by line and column."""
    files: dict[str, int] = {}

    def position(fault: Fault) -> tuple[int, int, int]:
        found = _PLACE.fullmatch(fault.where)
        file, line, column = found.groups() if found else (fault.where, "0", "0")
        return files.setdefault(file, len(files)), int(line), int(column)

    return sorted(dict.fromkeys(faults), key=position)
