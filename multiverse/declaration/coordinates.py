"""The coordinate files that say what is legal and what a state scores: contracts, dispositions, terminals, readings."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Literal, TypeAlias, TypeVar

from multiverse.declaration.fields import Fields, described
from multiverse.declaration.predicates import read_predicate
from multiverse.errors import Fault, Place, quoted, unknown_name
from multiverse.predicates import TRUE, Predicate
from multiverse.specification import (
    Aggregation,
    Contract,
    CoordinateName,
    Disposition,
    Entries,
    Entry,
    Reading,
    Scoring,
    Terminal,
)
from multiverse.strict_yaml import Mapping as MappingNode
from multiverse.strict_yaml import Node, Scalar

Kind: TypeAlias = Literal["hypotheses", "scores"]
Option = TypeVar("Option", Contract, Disposition, Terminal, Reading, Scoring, Aggregation)

COORDINATE_FILES: Mapping[CoordinateName, str] = {
    "contract": "contracts.yaml",
    "disposition": "dispositions.yaml",
    "terminal": "terminals.yaml",
    "reading": "readings.yaml",
    "scoring": "scorings.yaml",
    "aggregation": "aggregations.yaml",
}

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_MOST_CONTRACTS = 65_536


@dataclass(frozen=True, kw_only=True, slots=True)
class ContractFile:
    """What contracts.yaml declares: named predicates, those always required, and the contracts."""

    contracts: tuple[Contract, ...]
    predicates: Mapping[str, Predicate]
    always: tuple[str, ...]
    unexplained: tuple[str, ...] = ()  # ids of options without a rationale, their own or the file's


@dataclass(frozen=True, kw_only=True, slots=True)
class TerminalFile:
    """What terminals.yaml declares: which objects are special, and the treatments."""

    terminals: tuple[Terminal, ...]
    special: Predicate | None
    unexplained: tuple[str, ...] = ()


def open_file(node: Node, coordinate: str, faults: list[Fault]) -> Fields:
    """The fields of a coordinate file, its `coordinate` key checked."""
    fields = Fields(node, noun="the file", place=node.place, faults=faults)
    fields.choice("coordinate", [coordinate])
    return fields


def read_contracts(node: Node, faults: list[Fault]) -> ContractFile:
    """contracts.yaml: a full factorial of named predicates, a plain list of options, or both."""
    fields = open_file(node, "contract", faults)
    rationale = fields.text("rationale", default="")
    predicates = {str(key.value): read_predicate(value, faults) for key, value in fields.entries("predicates")}
    always = fields.known_texts("always", "predicate", predicates)
    taken: dict[str, Place] = {}
    factorial = tuple(replace(one, rationale=rationale) for one in _factorial(fields, predicates, taken))
    alike = {frozenset(contract.levels): contract.id for contract in factorial}
    options, unexplained = _options(
        fields, lambda option, identity: _plain_contract(option, identity, predicates, alike), rationale, taken
    )
    fields.close()
    contracts = (*factorial, *options)
    if not contracts and not fields.faulty:
        fields.fault(fields.place, "the file declares no contract", "factors, options, or both")
    missing = unexplained if rationale else (*(contract.id for contract in factorial), *unexplained)
    return ContractFile(contracts=contracts, predicates=predicates, always=always, unexplained=missing)


def _factorial(fields: Fields, predicates: Mapping[str, Predicate], taken: dict[str, Place]) -> tuple[Contract, ...]:
    """Every combination of the factors' levels; none where the factors or the template of the ids is at fault."""
    faults_before = len(fields.faults)
    is_named = fields.has("id")
    place = fields.place_of("id" if is_named else "factors")
    factors = {str(name.value): _levels(fields, name, node, predicates) for name, node in fields.entries("factors")}
    template = fields.text("id", default="".join(f"{name}{{{name}}}" for name in factors))
    size = prod(map(len, factors.values()))
    if is_named and not factors:
        fields.fault(place, "id without factors", "factors, whose levels it joins; each of options has its own id")
    elif template:
        _check_template(fields, template, place, factors)
    if size > _MOST_CONTRACTS:
        fields.fault(place, f"the factors make {size} contracts", f"at most {_MOST_CONTRACTS}")
    if not factors or len(fields.faults) > faults_before:
        return ()
    contracts = []
    for levels in product(*factors.values()):
        chosen = dict(zip(factors, levels, strict=True))
        needed = [predicate for name, level in chosen.items() for predicate in factors[name][level]]
        require = tuple(dict.fromkeys(needed))
        contracts.append(Contract(id=_filled(template, chosen), require=require, levels=tuple(chosen.items())))
    _check_factorial_ids(fields, place, contracts, taken)
    return tuple(contracts)


def _levels(
    fields: Fields, name: Scalar, node: Node, predicates: Mapping[str, Predicate]
) -> dict[str, tuple[str, ...]]:
    """The predicates that each level of a factor requires."""
    factor = Fields(node, noun=f"factor {name.value}", place=node.place, faults=fields.faults)
    keys = [key for key, _ in node.entries] if isinstance(node, MappingNode) else []
    if not keys and not factor.broken:
        fields.fault(node.place, f"factor {quoted(str(name.value))} has no level", "at least one")
    levels = {}
    for key in keys:
        level = factor.as_text(key, f"a level of {factor.noun}")
        levels[level] = factor.known_texts(
            str(key.value), "predicate", predicates, what=f"level {level} of {factor.noun}"
        )
    return levels


def _filled(template: str, chosen: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: chosen[found[1]], template)


def _check_template(fields: Fields, template: str, place: Place, factors: Mapping[str, object]) -> None:
    named = _PLACEHOLDER.findall(template)
    fields.faults.extend(unknown_name(place, "factor", name, factors) for name in named if name not in factors)
    unnamed = [name for name in factors if name not in named]
    if unnamed:
        fields.fault(
            place, f"the id {quoted(template)} leaves out factor {', '.join(unnamed)}", "every factor in braces"
        )


def _check_factorial_ids(fields: Fields, place: Place, contracts: list[Contract], taken: dict[str, Place]) -> None:
    """The first id at fault: the template makes them all."""
    for contract in contracts:
        if contract.id in taken:
            found = f"two combinations of levels have the id {quoted(contract.id)}"
            fields.fault(place, found, "an id that tells them apart")
            return
        if not _check_slash(fields, place, contract.id):
            return
        taken[contract.id] = place


def _check_slash(fields: Fields, place: Place, identity: str) -> bool:
    """Whether an id can be joined with others by "/" into a specification's id."""
    if "/" in identity:
        fields.fault(place, f"the option id {quoted(identity)} holds '/'", "an id without it")
    return "/" not in identity


def _plain_contract(
    option: Fields, identity: str, predicates: Mapping[str, Predicate], alike: dict[frozenset[tuple[str, str]], str]
) -> Contract:
    """One of `options`; `alike` holds the contracts before it by their levels."""
    require, place = option.known_texts("require", "predicate", predicates), option.place_of("levels")
    levels = tuple((str(key.value), level_text(option, node)) for key, node in option.entries("levels"))
    other = alike.setdefault(frozenset(levels), identity) if levels else identity
    if other != identity:
        found = f"contracts {quoted(other)} and {quoted(identity)} have equal levels"
        option.fault(place, found, "levels that tell contracts apart")
    return Contract(id=identity, require=require, levels=levels)


def level_text(fields: Fields, node: Node | None) -> str:
    """A factor's level: text, or a bare whole number read as its digits."""
    if isinstance(node, Scalar) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return str(node.value)
    return "" if node is None else fields.as_text(node, "a level")


def two_levels(fields: Fields, noun: str) -> tuple[str, str]:
    """The levels `from` and `to` of a factor's change, which differ."""
    before, after = (level_text(fields, fields.node(key, required=True)) for key in ("from", "to"))
    if before == after and before:
        found = f"the {noun} goes from level {quoted(before)} to itself"
        fields.fault(fields.place_of("to"), found, "two different levels")
    return before, after


def _options(
    fields: Fields, read: Callable[[Fields, str], Option], rationale: str, taken: dict[str, Place]
) -> tuple[tuple[Option, ...], tuple[str, ...]]:
    """The options of a file, and the ids of those without a rationale of their own or their file's."""
    options, unexplained = [], []
    for node in fields.items("options"):
        option = Fields(node, noun="the option", place=node.place, faults=fields.faults)
        place, identity = option.place_of("id"), option.identity("option id", taken)
        _check_slash(option, place, identity)
        own = option.text("rationale", default="")
        options.append(replace(read(option, identity), rationale=own or rationale))
        option.close()
        if not own and not rationale:
            unexplained.append(identity)
    return tuple(options), tuple(unexplained)


def read_options(fields: Fields, read: Callable[[Fields, str], Option]) -> tuple[tuple[Option, ...], tuple[str, ...]]:
    """The options of a file that declares nothing else, and the ids without a rationale."""
    options, unexplained = _options(fields, read, fields.text("rationale", default=""), {})
    fields.close()
    if not options and not fields.faulty:
        fields.fault(fields.place, "the file declares no option", "at least one under options")
    return options, unexplained


def read_dispositions(node: Node, faults: list[Fault]) -> tuple[tuple[Disposition, ...], tuple[str, ...]]:
    """dispositions.yaml, and the ids without a rationale."""
    return read_options(open_file(node, "disposition", faults), _disposition)


def _disposition(option: Fields, identity: str) -> Disposition:
    present, empty = (_entries(option, side) for side in ("legal_present", "legal_empty"))
    return Disposition(id=identity, legal_present=present, legal_empty=empty)


def _entries(option: Fields, side: str) -> Entries:
    node = option.node(side, required=True)
    if isinstance(node, Scalar):
        return Entries(by_state={}, every_state=_entry(option, node, side, "every state"))
    by_state = {}
    if node is not None:
        Fields(node, noun=side, place=node.place, faults=option.faults)
    for key, value in node.entries if isinstance(node, MappingNode) else ():
        entry = _entry(option, value, side, str(key.value))
        if entry is not None:
            by_state[str(key.value)] = entry
    return Entries(by_state=by_state)


def _entry(option: Fields, node: Node, side: str, state: str) -> Entry | None:
    word = node.value if isinstance(node, Scalar) else None
    if word == "exclude":
        return "exclude"
    if word == "match":
        if side == "legal_present" and state == "answered":
            return "match"
        option.fault(node.place, f"match under {side}: {state}", "match only under legal_present: answered")
        return None
    return option.as_share(node, f"the entry of {state}", "match, exclude or a number in [0, 1]")


def read_terminals(node: Node, predicates: Mapping[str, Predicate] | None, faults: list[Fault]) -> TerminalFile:
    """terminals.yaml: which objects are special, and how they are judged; `predicates` None: not readable."""
    fields = open_file(node, "terminal", faults)
    special_node = fields.node("special")
    special = None if special_node is None else read_predicate(special_node, faults)
    options, unexplained = read_options(
        fields, lambda option, identity: _terminal(option, identity, predicates, has_special=special is not None)
    )
    return TerminalFile(terminals=options, special=special, unexplained=unexplained)


def _terminal(
    option: Fields, identity: str, predicates: Mapping[str, Predicate] | None, *, has_special: bool
) -> Terminal:
    node = option.node("treatment", required=True)
    if node is None or (isinstance(node, Scalar) and node.value == "as_declared"):
        return Terminal(id=identity)
    never_legal = isinstance(node, Scalar) and node.value == "never_legal"
    if not (never_legal or isinstance(node, MappingNode)):
        option.fault(node.place, f"the treatment is {described(node)}", "as_declared, never_legal or {exempt: [...]}")
        return Terminal(id=identity)
    if not has_special:
        found = "the treatment speaks of special objects, and the file has no key 'special'"
        option.fault(node.place, found, "special: a predicate that tells which they are")
    if never_legal:
        return Terminal(id=identity, treatment="never_legal")
    treatment = Fields(node, noun="the treatment", place=node.place, faults=option.faults)
    exempt = treatment.known_texts("exempt", "predicate", predicates, required=True)
    treatment.close()
    return Terminal(id=identity, exempt=exempt)


def read_readings(node: Node, faults: list[Fault]) -> tuple[Reading, ...]:
    """readings.yaml: which recorded answers count."""
    return read_options(open_file(node, "reading", faults), _reading)[0]


def _reading(option: Fields, identity: str) -> Reading:
    where = option.node("where", required=True)
    none_left = option.choice("none_left", ["missing", "empty"], default="missing")
    predicate = TRUE if where is None else read_predicate(where, option.faults)
    return Reading(id=identity, where=predicate, none_left="empty" if none_left == "empty" else "missing")
