"""Rules that make one score of several repeats, by the names that harnesses give them, as scorings declare them."""

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import NamedTuple

from multiverse.importers.choices import Combining
from multiverse.importers.records import Score

_NUMBERED = re.compile(r"(at_least|pass_at|pass_k)_([1-9][0-9]{0,3})")
_RIGHT = Fraction(1)  # the score from which a repeat counts as right


def _at_least(count: int) -> Combining:
    why = "right once is right" if count == 1 else f"right in {count} repeats is right"
    return Combining(f"at_least_{count}", {"at_least": count}, why, _RIGHT)


def _pass_at(count: int) -> Combining:
    why = f"the chance that one of {count} drawn from the repeats is right; fewer repeats say nothing"
    return Combining(f"pass_at_{count}", {"pass_at": count}, why, _RIGHT)


def _pass_all(count: int) -> Combining:
    why = f"the chance that all of {count} drawn from the repeats are right; fewer repeats say nothing"
    return Combining(f"pass_k_{count}", {"pass_all": count}, why, _RIGHT)


# A rule that `repeats` of scorings.yaml learns gets a line here.
_NAMED: dict[str, Combining] = {
    "mean": Combining("mean", "mean", "every repeat counts"),
    "median": Combining("median", "median", "the middle value"),
    "mode": Combining("mode", "mode", "the commonest value, of a tie the first seen"),
    "max": Combining("max", "max", "the best repeat"),
    "first": Combining("first", "first", "the first repeat alone, as a run without repeats would give"),
    "min": Combining("min", "min", "the worst repeat: right only if always right"),
}
_COUNTED: dict[str, Callable[[int], Combining]] = {"at_least": _at_least, "pass_at": _pass_at, "pass_k": _pass_all}
_COMMON = ("mean", "mode", "at_least_1", "first", "min")  # beside those that the log names


class Combined(NamedTuple):
    """The rules that can be declared, and the names of those of the log that cannot."""

    rules: list[Combining]
    unread: list[str]


def combining(named: Iterable[str], most: int, scores: frozenset[Score]) -> Combined:
    """The rules that a log names, in its order, and then the common ones; one where nothing is repeated."""
    if most <= 1:
        return Combined([Combining("mean", "mean", "")], [])
    listed = list(dict.fromkeys(named))
    common = [*_COMMON, *([] if scores <= {0, 1} else ["max"])]  # of 0 and 1, at_least_1 says the same
    found = {name: _rule(name) for name in (*listed, *common)}
    return Combined([rule for rule in found.values() if rule], [name for name in listed if found[name] is None])


def _rule(name: str) -> Combining | None:
    counted = _NUMBERED.fullmatch(name)
    return _COUNTED[counted[1]](int(counted[2])) if counted else _NAMED.get(name)
