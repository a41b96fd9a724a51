"""scorings.yaml: how an answer is matched, or which score is read and how repeats are combined."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, get_args

from multiverse.declaration.coordinates import Kind, open_file, read_options
from multiverse.declaration.fields import Fields
from multiverse.errors import Fault
from multiverse.specification import CountedRepeats, Fewer, HypothesisRule, Repeats, Rounding, Scoring, Ties
from multiverse.strict_yaml import Mapping, Node, Scalar

_WORDS: Sequence[str] = get_args(get_args(Repeats)[0])
_COUNTED: Sequence[str] = get_args(CountedRepeats)
_OF_PASSES = ("majority", *_COUNTED)
_MOST_REPEATS = 10_000
_MOST_DECIMALS = 30


def read_scorings(node: Node, kind: Kind, faults: list[Fault]) -> tuple[Scoring, ...]:
    """scorings.yaml: matching rules for hypotheses, score columns and repeats for scores."""
    return read_options(open_file(node, "scoring", faults), _match_rule if kind == "hypotheses" else _score_rule)[0]


def _match_rule(option: Fields, identity: str) -> Scoring:
    return Scoring(id=identity, rule=option.choice("rule", get_args(HypothesisRule)))  # type: ignore[arg-type]


def _score_rule(option: Fields, identity: str) -> Scoring:
    option.choice("rule", ["column"])
    has_threshold, place = option.has("at_least"), option.place_of("repeats")
    column, at_least = option.text("column"), option.number("at_least")
    decimals, rounding = _rounding(option)
    repeats = _repeats(option)
    if repeats.rule in _OF_PASSES and not has_threshold:
        option.fault(place, f"{repeats.rule} without at_least", "at_least: the score that counts as 1")
    return Scoring(
        id=identity,
        rule="column",
        column=column,
        at_least=at_least,
        decimals=decimals,
        rounding=rounding,
        repeats=repeats.rule,
        count=repeats.number,
        fewer=_fewer(option, repeats.rule),
        ties=_ties(option, repeats.rule),
    )


def _rounding(option: Fields) -> tuple[int | None, Rounding]:
    has_decimals, place = option.has("decimals"), option.place_of("rounding")
    is_named = option.has("rounding")
    decimals = option.whole("decimals", least=0, most=_MOST_DECIMALS, default=0)
    rounding: Rounding = option.choice("rounding", get_args(Rounding), default="half_even")  # type: ignore[assignment]
    if is_named and not has_decimals:
        option.fault(place, "rounding without decimals", "decimals: how many are kept")
    return (decimals if has_decimals else None), rounding


class _Repeats(NamedTuple):
    rule: Repeats
    number: int


def _repeats(option: Fields) -> _Repeats:
    """A word, or one counted rule with its number."""
    node = option.node("repeats")
    if not isinstance(node, Mapping):
        word = "mean" if node is None else option.as_choice(node, "repeats", _WORDS, default="mean")
        return _Repeats(word, 1)  # type: ignore[arg-type]
    fields = Fields(node, noun="repeats", place=node.place, faults=option.faults)
    named = [rule for rule in _COUNTED if fields.has(rule)]
    counts = {rule: fields.whole(rule, least=1, most=_MOST_REPEATS, default=1) for rule in _COUNTED}
    fields.close()
    if len(named) != 1 and not (fields.faulty and not named):
        option.fault(node.place, f"repeats has {len(named)} rules", f"one of {', '.join(_COUNTED)}, with a number")
    return _Repeats(named[0], counts[named[0]]) if named else _Repeats("mean", 1)  # type: ignore[arg-type]


def _fewer(option: Fields, rule: Repeats) -> Fewer | None:
    """What a pair with fewer repeats scores: without the key, an estimator that needs them all has no value there."""
    default: Fewer | None = "exclude" if rule in ("pass_at", "pass_all") else None
    place, node = option.place_of("fewer"), option.node("fewer")
    if node is None:
        return default
    if rule not in _COUNTED:
        option.fault(place, f"fewer with repeats {rule}", f"it with {', '.join(_COUNTED)} only")
    if isinstance(node, Scalar) and node.value in ("exclude", "clamp"):
        return "exclude" if node.value == "exclude" else "clamp"
    share: Fraction | None = option.as_share(node, "fewer", "exclude, clamp or a number in [0, 1]")
    return default if share is None else share


def _ties(option: Fields, rule: Repeats) -> Ties:
    place, is_named = option.place_of("ties"), option.has("ties")
    ties: Ties = option.choice("ties", get_args(Ties), default="first")  # type: ignore[assignment]
    if is_named and rule != "mode":
        option.fault(place, f"ties with repeats {rule}", "it with mode only")
    return ties
