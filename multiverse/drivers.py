"""The rows that drive a margin from the first specification of a family to another: the largest contributions."""

from collections.abc import Mapping

import polars as pl

_TEXT = pl.String()
DRIVER_COLUMNS: Mapping[str, pl.DataType] = {
    "population": _TEXT, "a": _TEXT, "b": _TEXT, "spec": _TEXT, "row_id": _TEXT,
    "contribution": _TEXT, "value": pl.Float64(), "a_from": _TEXT, "a_to": _TEXT, "b_from": _TEXT, "b_to": _TEXT,
    "reason": _TEXT, "rank": pl.Int64(),
}  # fmt: skip
