"""The coordinate files: contracts, dispositions, terminals, readings, scorings, aggregations."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias, TypeVar, get_args

from multiverse.declaration.fields import Fields, described
from multiverse.declaration.predicates import read_predicate
from multiverse.errors import Fault, Place, quoted, unknown_name
from multiverse.predicates import TRUE, Predicate
from multiverse.specification import (
    Aggregation,
    AggregationRule,
    Contract,
    Disposition,
    Entries,
    Entry,
    HypothesisRule,
    Reading,
    Repeats,
    Scoring,
    Terminal,
)
from multiverse.strict_yaml import Mapping as MappingNode
from multiverse.strict_yaml import Node, Scalar

Kind: TypeAlias = Literal["hypotheses", "scores"]
Option = TypeVar("Option", Contract, Disposition, Terminal, Reading, Scoring, Aggregation)

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


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
    factorial = _factorial(fields, predicates)
    options, unexplained = _options(fields, lambda option: _plain_contract(option, predicates), rationale)
    fields.close()
    contracts = (*factorial, *options)
    _check_contracts(fields, contracts)
    missing = unexplained if rationale else (*(contract.id for contract in factorial), *unexplained)
    return ContractFile(contracts=contracts, predicates=predicates, always=always, unexplained=missing)


def _factorial(fields: Fields, predicates: Mapping[str, Predicate]) -> tuple[Contract, ...]:
    factors: dict[str, dict[str, tuple[str, ...]]] = {}
    for name, node in fields.entries("factors"):
        factor = Fields(node, noun=f"factor {name.value}", place=node.place, faults=fields.faults)
        written = [str(key.value) for key, _ in node.entries] if isinstance(node, MappingNode) else []
        factors[str(name.value)] = {level: factor.known_texts(level, "predicate", predicates) for level in written}
        if isinstance(node, MappingNode) and not written:
            fields.fault(node.place, f"factor {quoted(str(name.value))} has no level", "at least one")
    template_place = fields.place_of("id")
    template = fields.text("id", default="".join(f"{name}{{{name}}}" for name in factors))
    _check_template(fields, template, template_place, factors)
    contracts = []
    for levels in product(*factors.values()) if factors else ():
        chosen = dict(zip(factors, levels, strict=True))
        needed = [predicate for name, level in chosen.items() for predicate in factors[name][level]]
        identity = _filled(template, chosen)
        contracts.append(Contract(id=identity, require=tuple(dict.fromkeys(needed)), levels=tuple(chosen.items())))
    return tuple(contracts)


def _filled(template: str, chosen: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: chosen.get(found[1], found[0]), template)


def _check_template(fields: Fields, template: str, place: Place, factors: Mapping[str, object]) -> None:
    named = _PLACEHOLDER.findall(template)
    fields.faults.extend(unknown_name(place, "factor", name, factors) for name in named if name not in factors)
    unnamed = [name for name in factors if name not in named]
    if unnamed:
        fields.fault(
            place, f"the id {quoted(template)} leaves out factor {', '.join(unnamed)}", "every factor in braces"
        )


def _plain_contract(option: Fields, predicates: Mapping[str, Predicate]) -> Contract:
    identity = option.text("id")
    require = option.known_texts("require", "predicate", predicates)
    levels = tuple((str(key.value), level_text(option, node)) for key, node in option.entries("levels"))
    return Contract(id=identity, require=require, levels=levels)


def level_text(fields: Fields, node: Node | None) -> str:
    """A factor's level: text, or a bare whole number read as its digits."""
    if isinstance(node, Scalar) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return str(node.value)
    return "" if node is None else fields.as_text(node, "a level")


def _check_contracts(fields: Fields, contracts: tuple[Contract, ...]) -> None:
    if not contracts and not fields.broken:
        fields.fault(fields.place, "the file declares no contract", "factors, options, or both")
    check_ids(fields, [contract.id for contract in contracts])
    first: dict[frozenset[tuple[str, str]], str] = {}
    for contract in contracts:
        levels = frozenset(contract.levels)
        if levels and levels in first and first[levels] != contract.id:
            found = f"contracts {quoted(first[levels])} and {quoted(contract.id)} have equal levels"
            fields.fault(fields.place, found, "levels that tell contracts apart")
        first.setdefault(levels, contract.id)


def check_ids(fields: Fields, ids: list[str]) -> None:
    """Option ids are joined by "/" into a specification's id: each is unique and holds none."""
    for identity in dict.fromkeys(ids):
        if "/" in identity:
            fields.fault(fields.place, f"the option id {quoted(identity)} holds '/'", "an id without it")
        if ids.count(identity) > 1 and identity:
            fields.fault(
                fields.place, f"the option id {quoted(identity)} is declared {ids.count(identity)} times", "once"
            )


def _options(
    fields: Fields, read: Callable[[Fields], Option], rationale: str
) -> tuple[tuple[Option, ...], tuple[str, ...]]:
    """The options of a file, and the ids of those without a rationale of their own or their file's."""
    options, unexplained = [], []
    for node in fields.items("options"):
        option = Fields(node, noun="the option", place=node.place, faults=fields.faults)
        own = option.text("rationale", default="")
        options.append(read(option))
        option.close()
        if not own and not rationale:
            unexplained.append(options[-1].id)
    return tuple(options), tuple(unexplained)


def _simple_file(
    node: Node, coordinate: str, read: Callable[[Fields], Option], faults: list[Fault]
) -> tuple[tuple[Option, ...], tuple[str, ...]]:
    fields = open_file(node, coordinate, faults)
    options, unexplained = _options(fields, read, fields.text("rationale", default=""))
    fields.close()
    _check_options(fields, [option.id for option in options])
    return options, unexplained


def _check_options(fields: Fields, ids: list[str]) -> None:
    if not ids and not fields.broken:
        fields.fault(fields.place, "the file declares no option", "at least one under options")
    check_ids(fields, ids)


def read_dispositions(node: Node, faults: list[Fault]) -> tuple[tuple[Disposition, ...], tuple[str, ...]]:
    """dispositions.yaml, and the ids without a rationale."""
    return _simple_file(node, "disposition", _disposition, faults)


def _disposition(option: Fields) -> Disposition:
    identity = option.text("id")
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
    if isinstance(word, str) or not isinstance(node, Scalar):
        option.fault(node.place, f"the entry of {state} is {described(node)}", "match, exclude or a number in [0, 1]")
        return None
    return option.as_share(node, f"the entry of {state}")


def read_terminals(node: Node, predicates: Mapping[str, Predicate], faults: list[Fault]) -> TerminalFile:
    """terminals.yaml: which objects are structurally special, and how they are judged."""
    fields = open_file(node, "terminal", faults)
    special_node = fields.node("special")
    special = None if special_node is None else read_predicate(special_node, faults)
    rationale = fields.text("rationale", default="")
    options, unexplained = _options(fields, lambda option: _terminal(option, predicates), rationale)
    fields.close()
    _check_options(fields, [option.id for option in options])
    needing = [option.id for option in options if option.exempt or option.treatment == "never_legal"]
    if special is None and needing:
        found = (
            f"the treatment of {quoted(needing[0])} speaks of special objects, and no key special says which they are"
        )
        fields.fault(fields.place, found, "special: a predicate")
    return TerminalFile(terminals=options, special=special, unexplained=unexplained)


def _terminal(option: Fields, predicates: Mapping[str, Predicate]) -> Terminal:
    identity = option.text("id")
    node = option.node("treatment", required=True)
    if isinstance(node, MappingNode):
        treatment = Fields(node, noun="the treatment", place=node.place, faults=option.faults)
        exempt = treatment.known_texts("exempt", "predicate", predicates)
        treatment.close()
        return Terminal(id=identity, exempt=exempt)
    if isinstance(node, Scalar) and node.value == "never_legal":
        return Terminal(id=identity, treatment="never_legal")
    if node is not None and not (isinstance(node, Scalar) and node.value == "as_declared"):
        option.fault(node.place, f"the treatment is {described(node)}", "as_declared, never_legal or {exempt: [...]}")
    return Terminal(id=identity)


def read_readings(node: Node, faults: list[Fault]) -> tuple[Reading, ...]:
    """readings.yaml: which recorded answers count."""
    return _simple_file(node, "reading", _reading, faults)[0]


def _reading(option: Fields) -> Reading:
    identity = option.text("id")
    where = option.node("where", required=True)
    none_left = option.choice("none_left", ["missing", "empty"], default="missing")
    predicate = TRUE if where is None else read_predicate(where, option.faults)
    return Reading(id=identity, where=predicate, none_left="empty" if none_left == "empty" else "missing")


def read_scorings(node: Node, kind: Kind, faults: list[Fault]) -> tuple[Scoring, ...]:
    """scorings.yaml: matching rules for hypotheses, score columns and repeats for scores."""
    return _simple_file(node, "scoring", _match_rule if kind == "hypotheses" else _score_rule, faults)[0]


def _match_rule(option: Fields) -> Scoring:
    identity = option.text("id")
    return Scoring(id=identity, rule=option.choice("rule", get_args(HypothesisRule)))  # type: ignore[arg-type]


def _score_rule(option: Fields) -> Scoring:
    identity = option.text("id")
    option.choice("rule", ["column"])
    place = option.place_of("repeats")
    column, at_least = option.text("column"), option.number("at_least")
    repeats = option.choice("repeats", get_args(Repeats), default="mean")
    if repeats == "majority" and at_least is None:
        option.fault(place, "majority without at_least", "at_least: the score that counts as 1")
    return Scoring(id=identity, rule="column", column=column, at_least=at_least, repeats=repeats)  # type: ignore[arg-type]


def read_aggregations(node: Node, faults: list[Fault]) -> tuple[Aggregation, ...]:
    """aggregations.yaml: how row scores become a level."""
    return _simple_file(node, "aggregation", _aggregation, faults)[0]


def _aggregation(option: Fields) -> Aggregation:
    identity = option.text("id")
    return Aggregation(id=identity, rule=option.choice("rule", get_args(AggregationRule)))  # type: ignore[arg-type]
