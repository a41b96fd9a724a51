"""The matched strata: 34 tasks with 41 traces of elephant's kind, each with one of the rows of pooled217; and one
task more.

Where terminal objects are treated alike on both sides the traces have no effect, so that the strata differ by that of
the pooled rows alone.
"""

from counts import Counts, solve
from elephant import Task, effect, keep, over, terminal, unknown_tasks
from lattice import CELLS, Cell
from pooled import Unknowns, shift, sizes
from rows import RowType, margin, present_in

SINGLE, DOUBLE = 27, 7  # tasks of one trace and of two: 34 tasks, 41 traces

# D.3: what adoption does to the margin of a pooled row, summed over backgrounds: -5/136 under baseline (+3.68 pp
# between the strata, [0, 10.29]) and -2/136 under conservative (+1.47, [0, 4.41]).
BASELINE_SHIFTS = {-4: 1, -1: 1}
CONSERVATIVE_SHIFTS = {-2: 1}
# Under conditional the effect is 0: in every cell the margin is half of the rows with a legal family. How many these
# are, and how far rows deviate, gives [-2.75, +3.61].
PRESENT = (18, 22)
CONDITIONAL_SQUARES = 6

DELETED = 36  # half tasks, in every background: -18/34 under conservative, -51.47 pp with the pooled rows' -2/136
BASELINE = -150  # half tasks, over backgrounds: -75/136, -51.47 with their -5/136
# Keep margin in half tasks, and tasks that exclude_both leaves, by background other than R0T0, where all are left:
# under conditional (keep - 36) / (2 left) - keep / 68 is -54.23 in the mean.
LEFT = {(0, 1): (29, 30), (1, 0): (29, 28), (1, 1): (31, 28)}

# One task more, whose prompt drifted: a worked trace, and a pooled row without a legal family, which has no effect.
DRIFT, DRIFT_TASK = "prompt_drift", f"matched-{SINGLE + DOUBLE + 1}"


def tasks() -> dict[Task, int]:
    """Tasks of each type that meet the figures of the traces."""
    unknowns = unknown_tasks(SINGLE, DOUBLE)
    unknowns.model.add(unknowns.total(lambda task: over(task, terminal)) == DELETED)
    unknowns.model.add(unknowns.total(lambda task: over(task, effect)) == BASELINE)
    for background, (kept, left) in LEFT.items():
        unknowns.model.add(unknowns.total(lambda task, at=background: over(task, lambda row: keep(row, at))) == kept)
        unknowns.model.add(unknowns.total(lambda task, at=background: int(at in task[0].family)) == left)
    solver = solve(unknowns.model, "matched, the traces")
    return unknowns.single.found(solver) | unknowns.double.found(solver)


def chosen_rows(pooled: Unknowns) -> Unknowns:
    """How many rows of each type are taken from pooled217, in its model, held to the figures of these rows alone."""
    model = pooled.model
    rows = {corpus: Counts(model, counts.number, most=SINGLE + DOUBLE) for corpus, counts in pooled.rows.items()}
    for corpus, counts in pooled.rows.items():
        for row, number in counts.number.items():
            model.add(rows[corpus].number[row] <= number)
    chosen = Unknowns(model, rows)
    model.add(chosen.total(lambda row: 1) == SINGLE + DOUBLE)
    for size in sizes():
        in_baseline = chosen.total(lambda row, size=size: int(shift(row, empty=1) == size))
        in_conservative = chosen.total(lambda row, size=size: int(shift(row, empty=0) == size))
        model.add(in_baseline == BASELINE_SHIFTS.get(size, 0))
        model.add(in_conservative == CONSERVATIVE_SHIFTS.get(size, 0))
    for cell in CELLS:
        model.add(chosen.total(lambda row, cell=cell: _deviation(row, cell)) == 0)
        model.add_linear_constraint(chosen.total(present_in(cell)), *PRESENT)
    model.add(chosen.total(_square) == CONDITIONAL_SQUARES)
    return chosen


def _deviation(row: RowType, cell: Cell) -> int:
    """Twice the margin, less whether the row has a legal family."""
    return 2 * margin(row, cell, empty=0) - (cell in row.family)


def _square(row: RowType) -> int:
    return sum((1 if cell[2] else -1) * _deviation(row, cell) for cell in CELLS) ** 2
