"""The weighing of each declared aggregation, from the columns of rows that it reads."""

from math import gcd

import numpy as np
import polars as pl
from numpy.typing import NDArray

from multiverse.averages import Weighing
from multiverse.exact import Integers, integers, over_common_denominator
from multiverse.specification import Aggregation
from multiverse.substrate import Substrate
from multiverse.substrate.measures import group_column


def weighing(option: Aggregation, substrate: Substrate) -> Weighing:
    """How the rows of a substrate enter a level."""
    frame, measures = substrate.rows, substrate.measures
    group = group_column(option, measures)
    return Weighing(
        aggregation=option,
        group=None if group is None else _codes(frame[group]),
        weight=None if option.weight is None else _whole_weights(substrate, option.weight),
        group_weight=None if option.group_weight is None else _whole_weights(substrate, option.group_weight),
        positive=None if option.label is None else frame[measures.labels[option.label]].to_numpy().astype(bool),
    )


def _codes(column: pl.Series) -> NDArray[np.int64]:
    return column.fill_null(0).to_numpy().astype(np.int64)


def _whole_weights(substrate: Substrate, name: str) -> Integers:
    """Weights as whole numbers in the same proportions, the smallest there are."""
    column = substrate.measures.weights[name]
    values = over_common_denominator(column.values).values.tolist()
    common = gcd(*values) or 1
    return integers([value // common for value in values])[_codes(substrate.rows[column.alias])]
