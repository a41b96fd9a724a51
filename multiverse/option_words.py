"""The options of a coordinate in words: what each declares, as one line."""

from collections.abc import Mapping

from multiverse.declaration import Declaration
from multiverse.errors import printable
from multiverse.exact import exact_text
from multiverse.predicates import TRUE, AllOf, AnyOf, Leaf, Not, Predicate, written
from multiverse.specification import (
    Aggregation,
    Contract,
    CoordinateName,
    Disposition,
    Reading,
    Scoring,
    Terminal,
)

Option = Contract | Disposition | Terminal | Reading | Scoring | Aggregation


def option_words(declaration: Declaration, coordinate: CoordinateName, position: int) -> str:
    """What an option of a coordinate declares, as one line without invisible characters."""
    option: Option = getattr(declaration.coordinates, coordinate)[position]
    return printable(" ".join(_words(declaration, option).split()))


def _words(declaration: Declaration, option: Option) -> str:
    match option:
        case Contract():
            named = {name: declaration.predicates[name] for name in (*declaration.always, *option.require)}
            return contract_words(option, named)
        case Terminal():
            special = declaration.special
            return terminal_words(option) + ("" if special is None else f"; special where {predicate_words(special)}")
        case Disposition():
            return disposition_words(option)
        case Reading():
            return reading_words(option)
        case Scoring():
            return scoring_words(option)
        case Aggregation():
            return aggregation_words(option)


def contract_words(contract: Contract, required: Mapping[str, Predicate]) -> str:
    """What is legal: every object that satisfies the named predicates; and the levels of the factors."""
    words = [f"{name} ({predicate_words(predicate)})" for name, predicate in required.items()]
    levels = ", ".join(f"{factor} {level}" for factor, level in contract.levels)
    return f"requires {' and '.join(words) or 'nothing'}" + (f"; levels {levels}" if levels else "")


def terminal_words(terminal: Terminal) -> str:
    """How special objects are judged."""
    if terminal.treatment == "never_legal":
        return "special objects are never legal"
    if terminal.exempt:
        return f"special objects are exempt from {', '.join(terminal.exempt)}"
    return "special objects are read like any other"


def reading_words(reading: Reading) -> str:
    """Which recorded answers count, and what a pair left with none is."""
    counted = (
        "every record counts" if reading.where == TRUE else f"records count where {predicate_words(reading.where)}"
    )
    return f"{counted}; a pair left with none is {reading.none_left}"


def disposition_words(disposition: Disposition) -> str:
    """What each state scores, by whether the legal family is empty."""
    words = []
    for side in ("legal_present", "legal_empty"):
        entries = getattr(disposition, side)
        if entries.every_state is not None:
            words.append(f"{side} {entries.every_state}")
        else:
            scored = ", ".join(f"{state} {entry}" for state, entry in entries.by_state.items())
            words.append(f"{side} {scored}")
    return "; ".join(words)


def scoring_words(scoring: Scoring) -> str:
    """The rule; of a score column also how it is read and how repeats are combined."""
    if scoring.rule != "column":
        return scoring.rule
    words = [f"column {scoring.column}"]
    words += [] if scoring.decimals is None else [f"rounded to {scoring.decimals} decimals, {scoring.rounding}"]
    words += [] if scoring.at_least is None else [f"1 from {exact_text(scoring.at_least)} on"]
    count = f" {scoring.count}" if scoring.repeats in ("at_least", "pass_at", "pass_all") else ""
    ties = f", ties {scoring.ties}" if scoring.repeats == "mode" else ""
    fewer = "" if scoring.fewer is None else f", fewer {scoring.fewer}"
    return ", ".join([*words, f"repeats {scoring.repeats}{count}{ties}{fewer}"])


def aggregation_words(aggregation: Aggregation) -> str:
    """The rule, and the columns, support and values where they are not the usual ones."""
    columns = {
        "by" if aggregation.rule == "group_mean" else "within": aggregation.by,
        "weights": aggregation.weight,
        "weights of groups": aggregation.group_weight,
        "positive": aggregation.label,
    }
    words = [aggregation.rule.replace("_", " "), *(f"{use} {name}" for use, name in columns.items() if name)]
    words += [f"pooled over {aggregation.pool}"] if aggregation.rule == "auc" else []
    words += [] if aggregation.support == "own" else [f"{aggregation.support} support"]
    words += [] if aggregation.of == "score" else ["of win shares"]
    return ", ".join(words)


def predicate_words(predicate: Predicate) -> str:
    """A predicate in words: `lag is null or lag at most 2`."""
    match predicate:
        case Leaf(test="is_null"):
            return f"{predicate.column} is {'' if predicate.values[0] else 'not '}null"
        case Leaf():
            values = ", ".join(map(written, predicate.values))
            return f"{predicate.column} {predicate.test.replace('_', ' ')} {values}"
        case Not(part=part):
            return f"not ({predicate_words(part)})"
        case AllOf(parts=()):
            return "anything"
        case AllOf(parts=parts):
            return " and ".join(map(_part_words, parts))
        case AnyOf(parts=parts):
            return " or ".join(map(_part_words, parts))


def _part_words(part: Predicate) -> str:
    """One of several parts; in brackets where it has parts itself."""
    words = predicate_words(part)
    return f"({words})" if isinstance(part, AllOf | AnyOf) and len(part.parts) > 1 else words
