"""Exact averages over chosen rows, by the declared rule (DESIGN section 4)."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from multiverse.exact import Integers, group_sums
from multiverse.specification import AggregationRule

Counts = NDArray[np.int64]
Bits = NDArray[np.bool_]


def average(
    numerators: Integers, chosen: Bits, denominator: int, *, rule: AggregationRule, cluster: Counts, stratum: Counts
) -> Fraction | None:
    """The level over the chosen rows, all arrays (rows,); None where none is chosen.

    `row_mean` divides the sum by the number of rows; `cluster_mean` and `stratum_mean` average the means of the groups.
    """
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return None
    groups = {"row_mean": np.zeros(len(rows), dtype=np.int64), "cluster_mean": cluster, "stratum_mean": stratum}[rule]
    group = groups if rule == "row_mean" else groups[rows]
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=group[order[0]] - 1))
    sums = group_sums(numerators[rows[order]][:, None], starts)[:, 0]
    sizes = np.diff([*starts, len(rows)])
    by_size = [Fraction(sum(map(int, sums[sizes == size])), int(size)) for size in np.unique(sizes)]
    return sum(by_size, Fraction(0)) / (len(starts) * denominator)
