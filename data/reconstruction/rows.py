"""Row types: what is legal in a row, and what the two methods of the effect answer.

Rows of one type score alike everywhere, so a table of rows is a number for each type.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from lattice import Cell, Downset, below, downsets

EMPTY, WRONG, TERMINAL = "empty", "wrong", "terminal"
State = str | Cell  # no answer, an object that is never legal, the terminal object, or the object at a corner


class RowType(NamedTuple):
    """What is legal, and the two answers that the effect compares."""

    family: Downset
    pagerank: State
    earliest: State


def states(family: Downset, *others: State) -> tuple[State, ...]:
    """What a method can answer in a row, as far as scores go."""
    return (EMPTY, WRONG, *others, *family)


def row_types(cells: tuple[Cell, ...], *others: State) -> Iterator[RowType]:
    """Every row type over the cells, in a fixed order."""
    for family in downsets(cells):
        for pagerank in states(family, *others):
            for earliest in states(family, *others):
                yield RowType(family, pagerank, earliest)


def hit(state: State, cell: Cell) -> int:
    """1 where the answer is an object at a corner, and is legal in the cell."""
    return int(isinstance(state, tuple) and cell in below(state))


def credit(state: State, family: Downset, cell: Cell, *, empty: int) -> int:
    """The score in a cell: a hit, or where nothing is legal, `empty` for an empty answer (1 in baseline, else 0)."""
    if cell in family:
        return hit(state, cell)
    return empty if state == EMPTY else 0


def margin(row: RowType, cell: Cell, *, empty: int) -> int:
    """PageRank's score less Earliest's."""
    pagerank, earliest = (credit(state, row.family, cell, empty=empty) for state in (row.pagerank, row.earliest))
    return pagerank - earliest


def margin_in(cell: Cell, *, empty: int) -> Callable[[RowType], int]:
    """The margin in one cell, as a function of the row."""
    return lambda row: margin(row, cell, empty=empty)


def present_in(cell: Cell) -> Callable[[RowType], int]:
    """Whether the row has a legal family in one cell."""
    return lambda row: int(cell in row.family)
