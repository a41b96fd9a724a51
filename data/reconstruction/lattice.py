"""Which sets of contract cells an artifact's legal objects can be legal in.

A contract is a cell (R, T, A): each clause is asked for (1) or not (0). An object that meets the clauses of its
*corner*, and no others, is legal in every cell that asks for no more. So the cells in which a row has a legal object
form a *downset*, and a row that has an object at every cell of a downset has a legal object in just these.
"""

from itertools import product

CELLS = tuple(product((0, 1), repeat=3))  # R, T, A, in the order of the contracts' ids
BACKGROUNDS = tuple(product((0, 1), repeat=2))  # R, T
Cell = tuple[int, ...]
Downset = tuple[Cell, ...]


def below(corner: Cell) -> frozenset[Cell]:
    """The cells that ask for nothing beyond the corner: those in which an object at the corner is legal."""
    return frozenset(product(*(range(level + 1) for level in corner)))


def downsets(cells: tuple[Cell, ...]) -> tuple[Downset, ...]:
    """All sets that hold, with a cell, every cell that asks for less: 20 for 8 cells, 6 for 4 backgrounds."""
    kept = []
    for chosen in product((False, True), repeat=len(cells)):
        members = [cell for cell, inside in zip(cells, chosen, strict=True) if inside]
        if all(below(cell) <= set(members) for cell in members):
            kept.append(tuple(members))
    return tuple(sorted(kept, key=lambda members: (len(members), members)))


def maximal(members: Downset) -> tuple[Cell, ...]:
    """The corners that suffice to make a downset: those below no other."""
    return tuple(cell for cell in members if not any(cell in below(other) for other in members if other != cell))
