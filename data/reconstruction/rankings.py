"""The five methods beside the pair: answers that give the declared order of all seven methods in every specification.

Their figures are orders alone, so a method needs only a number of rows for each answer, apart for each *group* of
rows: those with the same legal objects and the same weight.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from counts import Counts, solve
from lattice import Downset
from ortools.sat.python import cp_model
from rows import State

METHODS = ("mini", "terminal_event", "minimal_hitting_set", "bm25", "core_heuristic")
Order = tuple[tuple[str, ...], ...]  # methods that tie, best first


class Group(NamedTuple):
    """Rows with the same legal objects, and what each counts in a level."""

    family: Downset
    weight: int


class Ranked(NamedTuple):
    """A specification: how an answer scores in a group, the levels of the pair, and the order wanted."""

    score: Callable[[State, Downset], int]
    levels: dict[str, int]
    order: Order


Answers = dict[str, dict[Group, dict[State, int]]]  # rows by method, group and answer


def order(text: str) -> Order:
    """An order written as methods' initials, ties together: `T MB HC P E`."""
    names = {"M": "mini", "T": "terminal_event", "P": "pagerank", "H": "minimal_hitting_set", "B": "bm25"}
    names |= {"C": "core_heuristic", "E": "earliest"}
    return tuple(tuple(names[letter] for letter in tied) for tied in text.split())


def other_answers(
    what: str,
    groups: Mapping[Group, int],
    allowed: Callable[[str, Group], tuple[State, ...]],
    specifications: list[Ranked],
) -> Answers:
    """How many rows of each group a method answers in each of the allowed ways, so that every order holds."""
    model = cp_model.CpModel()
    numbers = {
        method: {group: Counts(model, allowed(method, group), most=rows, total=rows) for group, rows in groups.items()}
        for method in METHODS
    }
    for specification in specifications:
        levels: dict[str, Any] = dict(specification.levels)
        levels |= {method: _level(numbers[method], specification) for method in METHODS}
        _meet_order(model, levels, specification.order)
    solver = solve(model, what)
    return {
        method: {group: counts.found(solver) for group, counts in by_group.items()}
        for method, by_group in numbers.items()
    }


def _level(numbers: Mapping[Group, Counts[State]], specification: Ranked) -> Any:
    """A method's level, times the denominator that all methods share."""
    return sum(
        group.weight * counts.total(lambda state, family=group.family: specification.score(state, family))
        for group, counts in numbers.items()
    )


def _meet_order(model: cp_model.CpModel, levels: Mapping[str, Any], wanted: Order) -> None:
    for tied in wanted:
        for method in tied[1:]:
            model.add(levels[method] == levels[tied[0]])
    for better, worse in pairwise(wanted):
        model.add(levels[better[0]] >= levels[worse[0]] + 1)
