"""How many rows of each method are in which states, under a reading: from the counted signatures."""

import numpy as np
from numpy.typing import NDArray

from multiverse.scoring.engine import Arrays
from multiverse.scoring.outcomes import STATE_SHIFT, Outcomes
from multiverse.scoring.signatures import RowClasses

States = tuple[int, ...]  # positions among the states of the study, ascending: one, or those of a row's repeats
StateCounts = dict[tuple[int, States], int]  # rows by (method, states)


def state_counts(found: Arrays, outcomes: Outcomes, classes: RowClasses) -> list[StateCounts]:
    """The rows of each method by their states, for every population."""
    told, code = _states(found, outcomes)
    width = max(1, len(told))
    keys = found["m"].astype(np.int64) * width + code
    counts = []
    for population in range(classes.populations.shape[1]):
        inside = classes.populations[found["c"], population]
        distinct, position = np.unique(keys[inside], return_inverse=True)
        rows = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(rows, position, found["n"][inside].astype(np.int64))
        pairs = zip(distinct.tolist(), rows.tolist(), strict=True)
        counts.append({(key // width, told[key % width]): number for key, number in pairs})
    return counts


def _states(found: Arrays, outcomes: Outcomes) -> tuple[list[States], NDArray[np.int64]]:
    """The distinct states, and the position among them of each counted signature's."""
    if outcomes.form == "items":
        each = [tuple(sorted({int(item) >> STATE_SHIFT for item in items})) for items in found["items"]]
        position = {states: i for i, states in enumerate(dict.fromkeys(each))}
        return list(position), np.array([position[states] for states in each], dtype=np.int64)
    single = found["item"] >> STATE_SHIFT if outcomes.form == "item" else found["state"]
    distinct, code = np.unique(single.astype(np.int64), return_inverse=True)
    return [(state,) for state in distinct.tolist()], code.astype(np.int64)
