"""The pair in elephant: PageRank and Earliest in 138 tasks, 100 of one trace and 38 of two.

Every trace has a terminal object, legal wherever adoption is not asked for. All other legal objects are adopted, so
that asking for adoption deletes the terminal object and nothing else (section 5.1 and 6.2). Then the margin is that
of keep_both where A is 0 and that of exclude_both where it is 1, and a trace is a downset of the four backgrounds:
those in which it has a legal object beside the terminal one.

Numbers are in half tasks: a trace of a task with one counts 2, a trace of a task with two counts 1. Both traces of a
task have the same downset, so that they enter and leave the denominator of conditional together.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

from counts import Counts, solve
from lattice import BACKGROUNDS, Cell, Downset
from ortools.sat.python import cp_model
from rankings import Answers, Group, Ranked, order, other_answers
from rows import TERMINAL, RowType, State, credit, hit, margin, row_types, states

SINGLE, DOUBLE = 100, 38
HALF_TASKS = 2 * (SINGLE + DOUBLE)

Task = tuple[RowType, ...]  # its one or two traces


class Background(NamedTuple):
    """A background in half tasks and tasks: two margins, the tasks that exclude_both leaves, and a cost in these."""

    keep: int  # the margin of keep_both
    exclude: int  # and of exclude_both under baseline
    present: int  # tasks with a legal object beside the terminal one
    deleted: int  # in these, what deleting the terminal object costs PageRank more than Earliest


# One choice of many that meet D.4, section 5.2 and 6.1, as `_check_margins` says.
MARGINS = {
    (0, 0): Background(121, 7, 138, 114),
    (0, 1): Background(140, 21, 128, 102),
    (1, 0): Background(153, 37, 133, 109),
    (1, 1): Background(124, -2, 110, 94),
}
DELETED = 114  # that cost in all tasks, in every background

# Tasks by that cost, in half tasks: a spread whose bootstrap ends at 67.5/138 and 46.5/138, [-48.91, -33.70].
DELETED_BY_TASK = {2: 44, 1: 28, -2: 1}
BASELINE_SQUARES = (3575, 3595)  # of the effects on tasks, over half tasks and backgrounds: [-50.82, -35.14]
CONDITIONAL_SPREAD = (0.0397, 0.0400)  # the standard error of T under conditional, from [-48.61, -32.98]


# Section 3: PageRank answers the terminal event; Earliest another, legal in every background and adopted.
WORKED, WORKED_ID = RowType(BACKGROUNDS, TERMINAL, (1, 1)), "004ac8f1"


def _check_margins() -> None:
    """The figures that MARGINS and DELETED have to meet: ranges, and the average effect of adoption T."""
    keep, exclude, _, _ = zip(*MARGINS.values(), strict=True)
    conditional = [(whole.keep - DELETED) / (2 * whole.present) for whole in MARGINS.values()]
    assert (min(keep), max(keep)) == (121, 153)  # 43.84 and 55.43 pp
    assert (min(exclude), max(exclude)) == (-2, 37)  # -0.72 and 13.41
    assert (round(100 * min(conditional), 2), round(100 * max(conditional), 2)) == (2.54, 14.66)
    assert sum(exclude) - sum(keep) == -475  # T = -475/1104, -43.03 pp
    assert Fraction(-DELETED, HALF_TASKS) == Fraction(-57, 138)  # -41.30
    effect = (sum(conditional) - sum(keep) / HALF_TASKS) / len(MARGINS)
    common = sum(whole.deleted / (2 * whole.present) for whole in MARGINS.values()) / len(MARGINS)
    assert (round(100 * effect, 2), round(100 * common, 2)) == (-40.76, 41.21)
    assert round(100 * (effect + common), 2) == 0.46


def keep(row: RowType, background: Cell) -> int:
    """The margin where the terminal object is legal; a row then always has a legal family."""
    pagerank, earliest = (int(state == TERMINAL) or hit(state, background) for state in (row.pagerank, row.earliest))
    return pagerank - earliest


def terminal(row: RowType) -> int:
    """PageRank's answers that are the terminal object, less Earliest's."""
    return int(row.pagerank == TERMINAL) - int(row.earliest == TERMINAL)


def over(task: Task, of: Callable[[RowType], int]) -> int:
    """The sum over the traces of a task, in half tasks."""
    return sum(of(row) for row in task) * (2 // len(task))


def effect(row: RowType) -> int:
    """What adoption does to the margin under asym and baseline, summed over backgrounds."""
    return sum(margin(row, background, empty=1) - keep(row, background) for background in BACKGROUNDS)


def influence(task: Task) -> float:
    """What one more such task would add to T under conditional, to first order."""
    parts = []
    for background, whole in MARGINS.items():
        left = (whole.keep - DELETED) / (2 * whole.present)
        excluded = over(task, lambda row, background=background: margin(row, background, empty=0)) / 2
        excluded -= left * (background in task[0].family)
        kept = over(task, lambda row, background=background: keep(row, background)) / 2 - whole.keep / HALF_TASKS
        parts.append(excluded / whole.present - kept / (SINGLE + DOUBLE))
    return sum(parts) / len(BACKGROUNDS)


class Unknowns(NamedTuple):
    """The model, and a number for each type of task."""

    model: cp_model.CpModel
    single: Counts[Task]
    double: Counts[Task]

    def total(self, of: Callable[[Task], int]) -> Any:
        """The sum over all tasks."""
        return self.single.total(of) + self.double.total(of)


def pair() -> dict[Task, int]:
    """Tasks of each type that meet every figure of the pair."""
    _check_margins()
    unknowns = unknown_tasks(SINGLE, DOUBLE)
    _meet_margins(unknowns)
    _meet_intervals(unknowns)
    unknowns.model.add(unknowns.single.number[(WORKED,)] >= 1)
    solver = solve(unknowns.model, "elephant, the pair")
    return unknowns.single.found(solver) | unknowns.double.found(solver)


def unknown_tasks(singles: int, doubles: int) -> Unknowns:
    """A number for each type of task; at R0T0 PageRank is right in every trace under keep_both, for its tie (D.4)."""
    model = cp_model.CpModel()
    types = [row for row in row_types(BACKGROUNDS, TERMINAL) if row.family and _right(row)]
    pairs = [task for task in combinations_with_replacement(types, 2) if task[0].family == task[1].family]
    single = Counts(model, [(row,) for row in types], most=singles, total=singles)
    return Unknowns(model, single, Counts(model, pairs, most=doubles, total=doubles))


def _right(row: RowType) -> bool:
    return row.pagerank == TERMINAL or bool(hit(row.pagerank, (0, 0)))


def _meet_margins(unknowns: Unknowns) -> None:
    def in_task(background: Cell) -> Callable[[Task], int]:
        return lambda task: int(background in task[0].family)

    for background, whole in MARGINS.items():
        present = in_task(background)
        kept = unknowns.total(lambda task, at=background: over(task, lambda row: keep(row, at)))
        excluded = unknowns.total(lambda task, at=background: over(task, lambda row: margin(row, at, empty=1)))
        unknowns.model.add(kept == whole.keep)
        unknowns.model.add(excluded == whole.exclude)
        deleted = unknowns.total(lambda task, present=present: present(task) * over(task, terminal))
        unknowns.model.add(unknowns.total(present) == whole.present)
        unknowns.model.add(deleted == whole.deleted)


def _meet_intervals(unknowns: Unknowns) -> None:
    for cost in (-2, -1, 1, 2):
        with_cost = unknowns.total(lambda task, cost=cost: int(over(task, terminal) == cost))
        unknowns.model.add(with_cost == DELETED_BY_TASK.get(cost, 0))
    unknowns.model.add_linear_constraint(unknowns.total(lambda task: over(task, effect) ** 2), *BASELINE_SQUARES)
    low, high = (round(spread**2 * 10**9) for spread in CONDITIONAL_SPREAD)
    unknowns.model.add_linear_constraint(unknowns.total(lambda task: round(influence(task) ** 2 * 10**9)), low, high)


# D.4 and the correction of V2, in initials (see rankings.order). keep: three orders, one reversal (C, P), five
# methods first, and between the first and the second order tau-b = 8/sqrt(11 * 19) = 0.5534. exclude: five orders
# along which P falls from second to sixth and H below B and C, six reversals, tau-b 9/21 = 0.4286 between the ends; M
# first, T last with nothing. asym has both: eight orders, twelve reversals (T with all others), and tau-b -1/sqrt(19
# * 21) = -0.0501 between `T MB HC P E` and `M P H B C E T`.
KEEP_ORDERS = {(0, 0): "MPHBT C E", (0, 1): "T M B H P C E", (1, 0): "T M B H P C E", (1, 1): "T MB HC P E"}
EXCLUDE_ORDERS = {  # under baseline, and under conservative and conditional
    (0, 0): ("M P H B C E T", "M P H B C E T"),
    (0, 1): ("M H B C P E T", "M H B C P E T"),
    (1, 0): ("M H P B C E T", "M H P B C E T"),
    (1, 1): ("M B C H E P T", "M B C H P E T"),
}


def others(found: dict[Task, int]) -> Answers:
    """The answers of the other methods. Terminal Event Only answers the terminal object always."""
    groups: dict[Group, int] = {}
    for task, number in found.items():
        group = Group(task[0].family, 2 // len(task))
        groups[group] = groups.get(group, 0) + number * len(task)

    def allowed(method: str, group: Group) -> tuple[State, ...]:
        return (TERMINAL,) if method == "terminal_event" else states(group.family, TERMINAL)

    specifications = []
    for at in BACKGROUNDS:
        scores = [
            (lambda state, family, at=at: int(state == TERMINAL) or hit(state, at), KEEP_ORDERS[at]),
            (lambda state, family, at=at: credit(state, family, at, empty=1), EXCLUDE_ORDERS[at][0]),
            (lambda state, family, at=at: credit(state, family, at, empty=0), EXCLUDE_ORDERS[at][1]),
        ]
        specifications += [Ranked(score, _levels(found, score), order(wanted)) for score, wanted in scores]
    return other_answers("elephant, the rankings", groups, allowed, specifications)


def _levels(found: dict[Task, int], score: Callable[[State, Downset], int]) -> dict[str, int]:
    return {
        "pagerank": sum(n * over(task, lambda row: score(row.pagerank, row.family)) for task, n in found.items()),
        "earliest": sum(n * over(task, lambda row: score(row.earliest, row.family)) for task, n in found.items()),
    }
