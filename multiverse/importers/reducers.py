"""Rules that make one score of several repeats, by the names that harnesses give them, as scorings declare them."""

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import NamedTuple

from multiverse.importers.choices import KNOWN_REPEATS, Combining
from multiverse.importers.records import Score

_NUMBERED = re.compile(r"(at_least|pass_at)_(\d+)")
_BINARY: frozenset[Score] = frozenset({0, 1})
_OF_TWO = "the commonest value: of two repeats the first, as a tie goes to the first seen"
_OF_MANY = "the commonest value: of an odd number of 0 and 1, the majority"


class _Repeats(NamedTuple):
    """What a rule is applied to."""

    most: int  # repeats of a row
    binary: bool  # whether every score is 0 or 1


def _mode(repeats: _Repeats) -> Combining | None:
    if "mode" in KNOWN_REPEATS:
        return Combining("mode", "mode", "the commonest value, of a tie the first seen")
    if repeats.most <= 2:
        return Combining(
            "mode", "first", "the commonest value: of two repeats the first, as a tie goes to the first seen"
        )
    if repeats.binary and repeats.most % 2:
        return Combining("mode", "majority", _OF_MANY, Fraction(1))
    return None


def _median(repeats: _Repeats) -> Combining | None:
    if "median" in KNOWN_REPEATS:
        return Combining("median", "median", "the middle value")
    return Combining("median", "mean", "the middle value: of two, their mean") if repeats.most <= 2 else None


def _at_least(count: int, repeats: _Repeats) -> Combining | None:
    identity = f"at_least_{count}"
    if count == 1:
        return Combining(identity, "max", "right once is right", Fraction(1))
    return None


def _pass_at(count: int, repeats: _Repeats) -> Combining | None:
    if count == 1 and repeats.binary:
        return Combining("pass_at_1", "mean", "the chance that one repeat is right")
    return None


# To declare a rule that `repeats` of scorings.yaml has learnt, add a line here, or change the function above.
_NAMED: dict[str, Callable[[_Repeats], Combining | None]] = {
    "mean": lambda repeats: Combining("mean", "mean", "every repeat counts"),
    "mode": _mode,
    "median": _median,
    "max": lambda repeats: Combining("max", "max", "the best repeat"),
    "first": lambda repeats: Combining("first", "first", "the first repeat alone, as a run without repeats would give"),
    "min": lambda repeats: Combining("min", "min", "the worst repeat: right only if always right"),
}
_COUNTED: dict[str, Callable[[int, _Repeats], Combining | None]] = {"at_least": _at_least, "pass_at": _pass_at}
_COMMON = ("mean", "mode", "at_least_1", "max", "first", "min")


class Combined(NamedTuple):
    """The rules that can be declared, and the names of those of the log that cannot."""

    rules: list[Combining]
    unread: list[str]


def combining(named: Iterable[str], most: int, scores: frozenset[Score]) -> Combined:
    """The rules that a log names, in its order, and then the common ones; one where nothing is repeated."""
    if most <= 1:
        return Combined([Combining("mean", "mean", "")], [])
    repeats = _Repeats(most, scores <= _BINARY)
    listed = list(dict.fromkeys(named))
    found = {name: _rule(name, repeats) for name in (*listed, *_COMMON)}
    declared: dict[tuple[object, ...], Combining] = {}
    for name, rule in found.items():
        if rule is not None and (name in listed or (rule.repeats, rule.at_least) not in declared):
            declared.setdefault((name,) if name in listed else (rule.repeats, rule.at_least), rule)
    return Combined(list(declared.values()), [name for name in listed if found[name] is None])


def _rule(name: str, repeats: _Repeats) -> Combining | None:
    counted = _NUMBERED.fullmatch(name)
    if counted:
        return _COUNTED[counted[1]](int(counted[2]), repeats)
    return _NAMED[name](repeats) if name in _NAMED else None
