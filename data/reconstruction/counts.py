"""Unknown numbers of rows of each type, and sums over them, for the solver."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from ortools.sat.python import cp_model

Kind = TypeVar("Kind")


class Counts(Generic[Kind]):
    """How many there are of each kind; the kinds keep the order in which they are given."""

    def __init__(self, model: cp_model.CpModel, kinds: Iterable[Kind], *, most: int, total: int | None = None) -> None:
        self.number = {kind: model.new_int_var(0, most, str(kind)) for kind in kinds}
        if total is not None:
            model.add(sum(self.number.values()) == total)

    def total(self, of: Callable[[Kind], int]) -> Any:
        """The sum over all, as an expression."""
        weights = [(of(kind), number) for kind, number in self.number.items()]
        return sum(weight * number for weight, number in weights if weight)

    def found(self, solver: cp_model.CpSolver) -> dict[Kind, int]:
        """The kinds that occur, and how often."""
        numbers = {kind: solver.value(number) for kind, number in self.number.items()}
        return {kind: number for kind, number in numbers.items() if number}


def solve(model: cp_model.CpModel, what: str) -> cp_model.CpSolver:
    """A solution, always the same: one worker, a fixed seed and no limit of time."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise ValueError(f"{what}: the solver says {solver.status_name(status)}; the constraints do not hold together")
    print(f"{what}: solved in {solver.wall_time:.0f} s")
    return solver


def total(counts: Mapping[Kind, int], of: Callable[[Kind], int]) -> int:
    """The sum over counts that are known."""
    return sum(of(kind) * number for kind, number in counts.items())
