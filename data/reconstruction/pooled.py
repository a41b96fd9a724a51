"""The pair in pooled217: PageRank and Earliest in 73 AgentRx and 144 TELBench rows."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

from counts import Counts
from lattice import BACKGROUNDS, CELLS, Cell, Downset
from ortools.sat.python import cp_model
from rankings import Answers, Group, Ranked, order, other_answers
from rows import EMPTY, RowType, State, credit, margin, margin_in, present_in, row_types, states

ROWS = {"AgentRx": 73, "TELBench": 144}
Pair = dict[str, dict[RowType, int]]  # rows of each type, by corpus


class CellRows(NamedTuple):
    """A cell in whole rows: the margin under two policies, and the rows that have a legal family."""

    baseline: int
    conservative: int
    present: int


# One choice of many that meet section 4.1 and D.1, as `_check_margins` says. Its values near 0 make the signs of all
# eight margins as rare as the printed 24.1% of draws.
MARGINS = {
    (0, 0, 0): CellRows(19, 55, 130),
    (0, 0, 1): CellRows(-1, 47, 111),
    (0, 1, 0): CellRows(16, 52, 123),
    (0, 1, 1): CellRows(-6, 45, 104),
    (1, 0, 0): CellRows(8, 53, 105),
    (1, 0, 1): CellRows(-4, 45, 94),
    (1, 1, 0): CellRows(6, 52, 100),
    (1, 1, 1): CellRows(-7, 45, 90),
}


class Unit(NamedTuple):
    """What adoption does to a row in one background: two changes of score under baseline, and a collapse or none."""

    pagerank: int
    earliest: int
    collapses: bool


# D.2: 57 drivers, of which 53 move the margin, -67 in all; PageRank falls 36 times, Earliest rises 37 times, on a
# collapse; the 51 that collapse carry -61. With conservative at -30 there is one way: Earliest falls 6 times and
# PageRank never rises.
DRIVERS = {
    Unit(-1, 1, True): 18,
    Unit(-1, 0, True): 8,
    Unit(-1, 0, False): 6,
    Unit(0, 1, True): 19,
    Unit(-1, -1, True): 4,
    Unit(0, -1, True): 2,
}
STILL = {Unit(0, 0, True), Unit(0, 0, False)}

# Rows by what adoption does to their margin, summed over backgrounds: the mean, spread and skew behind an interval.
AGENTRX_SHIFTS = {-4: 1, -2: 1, -1: 1}  # -7/292, [-5.82, 0]
TELBENCH_SHIFTS = {-8: 3, -6: 2, -4: 2, -2: 9, 2: 1}  # -60/576, [-17.01, -4.86]; both: -67/868, [-12.10, -3.92]
CONSERVATIVE_SHIFTS = {-4: 7, -2: 2, 2: 1}  # -30/868, [-5.99, -1.15]
CONDITIONAL_SPREAD = (0.0199, 0.0201)  # the standard error of T under conditional, from [-4.96, +2.87]

# The envelope's half-width of 22/217: the rows in which the two methods differ are near the fewest that the margins
# allow, and so are those whose margin depends on R or T, which ties the cells together.
MOST_DISCORDANT = 99
MOST_CHANGES = 50
# PageRank leads in every cell of AgentRx, so that there is no reversal inside the corpus, and by little: the draws
# are made within corpora, and what differs between them does not vary.
AGENTRX_LEAD = (5, 9)

# Rows on which both methods get credit move nothing above. They are kept few, so that the other methods have room:
# Terminal Event Only is above both in every cell, and under conservative Earliest is below the three that it leads
# under baseline.
MOST_SHARED = 24


def _check_margins() -> None:
    """The figures that MARGINS has to meet: ranges, crossing, and the average effect of adoption T."""
    baseline, conservative = ([getattr(rows, policy) for rows in MARGINS.values()] for policy in CellRows._fields[:2])
    conditional = [Fraction(rows.conservative, rows.present) for rows in MARGINS.values()]
    assert (min(baseline), max(baseline)) == (-7, 19)  # -3.23 and +8.76 pp
    assert (min(conservative), max(conservative)) == (45, 55)  # +20.74 and +25.35
    assert (min(conditional), max(conditional)) == (Fraction(52, 123), Fraction(52, 100))  # +42.28 and +52.00
    assert all((rows.baseline < 0) == (adopted == 1) for (*_, adopted), rows in MARGINS.items())
    assert sum(baseline[1::2]) - sum(baseline[::2]) == -67  # T = -67/868, -7.72 pp
    assert sum(conservative[1::2]) - sum(conservative[::2]) == -30  # -3.46
    assert round(float(sum(conditional[1::2]) - sum(conditional[::2])) * 25, 2) == -0.89


def units(row: RowType) -> list[Unit]:
    """The row in each background."""
    found = []
    for background in BACKGROUNDS:
        sides = [(*background, 0), (*background, 1)]
        pagerank, earliest = (
            [credit(state, row.family, side, empty=1) for side in sides] for state in (row.pagerank, row.earliest)
        )
        collapses = sides[0] in row.family and sides[1] not in row.family
        found.append(Unit(pagerank[1] - pagerank[0], earliest[1] - earliest[0], collapses))
    return found


def shift(row: RowType, *, empty: int) -> int:
    """What adoption does to the margin of a row, summed over backgrounds."""
    return sum((1 if adopted else -1) * margin(row, (r, t, adopted), empty=empty) for r, t, adopted in CELLS)


def influence(row: RowType) -> float:
    """What one more such row would add to T under conditional, to first order; T varies over draws as these do."""
    parts = []
    for cell, rows in MARGINS.items():
        deviation = margin(row, cell, empty=0) - (cell in row.family) * rows.conservative / rows.present
        parts.append((1 if cell[2] else -1) * deviation / rows.present)
    return sum(parts) / len(BACKGROUNDS)


def changes(row: RowType) -> int:
    """In how many pairs of cells that differ in R or T alone the margin of a row differs, squared."""
    pairs = [(a, b) for a, b in combinations(CELLS, 2) if a[2] == b[2] and sum(x != y for x, y in zip(a, b)) == 1]  # noqa: B905
    return sum((margin(row, a, empty=1) - margin(row, b, empty=1)) ** 2 for a, b in pairs)


class Unknowns(NamedTuple):
    """The model, and a number for each row type of each corpus."""

    model: cp_model.CpModel
    rows: dict[str, Counts[RowType]]

    def total(self, of: Callable[[RowType], int]) -> Any:
        """The sum over both corpora."""
        return sum(counts.total(of) for counts in self.rows.values())

    def found(self, solver: cp_model.CpSolver) -> Pair:
        """The rows of each type."""
        return {corpus: counts.found(solver) for corpus, counts in self.rows.items()}


def unknown_rows() -> Unknowns:
    """A number for each row type of each corpus, held to every figure of the pair."""
    model = cp_model.CpModel()
    types = [row for row in row_types(CELLS) if all(unit in DRIVERS or unit in STILL for unit in units(row))]
    unknowns = Unknowns(model, {corpus: Counts(model, types, most=size, total=size) for corpus, size in ROWS.items()})
    _check_margins()
    _meet_margins(unknowns)
    _meet_row_audit(unknowns)
    _meet_intervals(unknowns)
    _meet_envelope(unknowns)
    _leave_room(unknowns)
    return unknowns


def _meet_margins(unknowns: Unknowns) -> None:
    for cell, rows in MARGINS.items():
        unknowns.model.add(unknowns.total(margin_in(cell, empty=1)) == rows.baseline)
        unknowns.model.add(unknowns.total(margin_in(cell, empty=0)) == rows.conservative)
        unknowns.model.add(unknowns.total(present_in(cell)) == rows.present)
        unknowns.model.add_linear_constraint(unknowns.rows["AgentRx"].total(margin_in(cell, empty=1)), *AGENTRX_LEAD)


def _meet_row_audit(unknowns: Unknowns) -> None:
    for unit, number in DRIVERS.items():
        unknowns.model.add(unknowns.total(lambda row, unit=unit: units(row).count(unit)) == number)


def _meet_intervals(unknowns: Unknowns) -> None:
    for corpus, shifts in (("AgentRx", AGENTRX_SHIFTS), ("TELBench", TELBENCH_SHIFTS)):
        for size in sizes():
            with_shift = unknowns.rows[corpus].total(lambda row, size=size: shift(row, empty=1) == size)
            unknowns.model.add(with_shift == shifts.get(size, 0))
    for size in sizes():
        with_shift = unknowns.total(lambda row, size=size: shift(row, empty=0) == size)
        unknowns.model.add(with_shift == CONSERVATIVE_SHIFTS.get(size, 0))
    low, high = (round(spread**2 * 10**9) for spread in CONDITIONAL_SPREAD)
    unknowns.model.add_linear_constraint(unknowns.total(lambda row: round(influence(row) ** 2 * 10**9)), low, high)


def sizes() -> list[int]:
    """What adoption can do to a row's margin over four backgrounds, but for nothing."""
    return [size for size in range(-8, 9) if size]


def _meet_envelope(unknowns: Unknowns) -> None:
    for cell in CELLS:
        discordant = unknowns.total(lambda row, cell=cell: abs(margin(row, cell, empty=1)))
        unknowns.model.add(discordant <= MOST_DISCORDANT)
    unknowns.model.add(unknowns.total(changes) <= MOST_CHANGES)


def _leave_room(unknowns: Unknowns) -> None:
    for cell in CELLS:
        unknowns.model.add(unknowns.total(lambda row, cell=cell: _both(row, cell)) <= MOST_SHARED)


def _both(row: RowType, cell: Cell) -> int:
    return min(credit(state, row.family, cell, empty=1) for state in (row.pagerank, row.earliest))


# Section 4.1 and 4.2, in initials (see rankings.order): baseline differs between A=0 and A=1 in P and E alone.
# Conservative and conditional share numerators, so their orders agree; three more orders make five, and six pairs
# that reverse: E with P, H, B and C, and M with T and P. Which cells have which of the three is free.
BASELINE_ORDERS = {0: "M T P E H B C", 1: "M T E P H B C"}
CONSERVATIVE_ORDERS = {
    (0, 0, 0): "M T P H B C E",
    (0, 0, 1): "T M P H B C E",
    (0, 1, 0): "T M P H B C E",
    (0, 1, 1): "T M P H B C E",
    (1, 0, 0): "T M P H B C E",
    (1, 0, 1): "T M P H B C E",
    (1, 1, 0): "T P M H B C E",
    (1, 1, 1): "T P M H B C E",
}


def others(found: Pair) -> Answers:
    """The answers of the other methods. Terminal Event Only always answers."""
    groups: dict[Group, int] = {}
    for rows in found.values():
        for row, number in rows.items():
            group = Group(row.family, 1)
            groups[group] = groups.get(group, 0) + number

    def allowed(method: str, group: Group) -> tuple[State, ...]:
        every = states(group.family)
        return tuple(state for state in every if state != EMPTY) if method == "terminal_event" else every

    specifications = [
        _ranked(found, cell, empty=empty, wanted=wanted)
        for cell in CELLS
        for empty, wanted in ((1, BASELINE_ORDERS[cell[2]]), (0, CONSERVATIVE_ORDERS[cell]))
    ]
    return other_answers("pooled217, the rankings", groups, allowed, specifications)


def _ranked(found: Pair, cell: Cell, *, empty: int, wanted: str) -> Ranked:
    def score(state: State, family: Downset) -> int:
        return credit(state, family, cell, empty=empty)

    counts = [(row, number) for rows in found.values() for row, number in rows.items()]
    levels = {
        "pagerank": sum(number * score(row.pagerank, row.family) for row, number in counts),
        "earliest": sum(number * score(row.earliest, row.family) for row, number in counts),
    }
    return Ranked(score, levels, order(wanted))
