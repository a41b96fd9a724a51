"""What a study redraws: its clusters or rows, in the order of their ids within strata (DESIGN section 6)."""

from collections.abc import Iterable

import numpy as np
import polars as pl

from multiverse.averages import Weighing
from multiverse.declaration import Declaration
from multiverse.declaration.study import Resampling
from multiverse.errors import Fault, InputError
from multiverse.resampling import MOST_UNIT_PAIRS, Units
from multiverse.substrate import Substrate


def resampling_units(declaration: Declaration, substrate: Substrate, resampling: Resampling) -> Units:
    """Clusters or rows, in the order of their ids within strata; InputError where a cluster lies in two strata."""
    rules = {option.rule for option in declaration.coordinates.aggregation}
    if resampling.unit == "row" and "cluster_mean" in rules and substrate.rows["cluster"].is_duplicated().any():
        where, found = str(declaration.folder / "study.yaml"), "resampling: unit row under cluster_mean"
        raise InputError([Fault(where=where, found=found, expected="unit: cluster: its rows go together")])
    own = substrate.row_ids.cast(pl.String).rank("dense") - 1 if resampling.unit == "row" else substrate.rows["cluster"]
    named = substrate.rows["stratum"].fill_null(0)
    stratum = named if resampling.strata else named * 0
    frame = pl.DataFrame({"own": own, "stratum": stratum})
    distinct = frame.unique().sort("stratum", "own").with_row_index("unit")
    split = distinct.filter(pl.col("own").is_duplicated())
    if not split.is_empty():
        row = int((frame["own"] == split["own"][0]).arg_max() or 0)
        found = f"the cluster of row {substrate.row_ids[row]!r} lies in two strata"
        where = str(declaration.folder / "study.yaml")
        raise InputError([Fault(where=where, found=f"resampling: {found}", expected="clusters within strata")])
    of_row = frame.join(distinct, on=["own", "stratum"], how="left", maintain_order="left")["unit"]
    return Units(of_row.to_numpy().astype(np.int64), distinct["stratum"].to_numpy().astype(np.int64))


def check_unit_pairs(declaration: Declaration, units: Units, weighings: Iterable[Weighing]) -> None:
    """An auc is redrawn by pairs of units, of which there are not too many."""
    for weighing in weighings:
        if weighing.aggregation.rule == "auc":
            group = np.zeros_like(units.of_row) if weighing.group is None else weighing.group
            pairs = np.unique(np.stack([group, units.of_row]), axis=1)
            count = int((np.bincount(pairs[0]) ** 2).sum())
            if count > MOST_UNIT_PAIRS:
                found = f"resampling: an auc over {count} pairs of units"
                expected = f"at most {MOST_UNIT_PAIRS}: fewer units, or pairs within smaller groups"
                where = str(declaration.folder / "study.yaml")
                raise InputError([Fault(where=where, found=found, expected=expected)])
