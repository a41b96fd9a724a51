"""What is legal on a single row and which of its answers count: the facts behind its scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from multiverse.declaration import Declaration
from multiverse.scoring.engine import Engine
from multiverse.scoring.legality import declared_judging, judge_groups, unpack
from multiverse.scoring.outcomes import kept_records
from multiverse.specification import Specification
from multiverse.substrate import Substrate


class RowFacts(NamedTuple):
    """A row's legal groups and kept answers."""

    legal: Mapping[tuple[int, int], frozenset[int]]  # by (contract, terminal): the groups' codes
    kept: Mapping[int, tuple[int, ...]]  # by reading: positions among the row's answers


def single_row(substrate: Substrate, position: int) -> Substrate:
    """The substrate of one row alone."""
    return replace(
        substrate,
        rows=substrate.rows[[position]].with_columns(pl.lit(0, dtype=pl.UInt32).alias("cluster")),
        row_ids=substrate.row_ids[[position]],
        objects=None if substrate.objects is None else _of_row(substrate.objects, position),
        answers=_of_row(substrate.answers, position),
    )


def _of_row(frame: pl.DataFrame, position: int) -> pl.DataFrame:
    return frame.filter(pl.col("r") == position).with_columns(pl.lit(0, dtype=frame["r"].dtype).alias("r"))


def row_facts(declaration: Declaration, row: Substrate, specs: Sequence[Specification]) -> RowFacts:
    """The facts of a substrate of one row, for the contracts, treatments and readings of the specifications."""
    row = replace(row, answers=row.answers.with_row_index("i"))
    with Engine(threads=1) as engine:
        engine.register("answers_in", row.answers)
        legality = judge_groups(engine, declaration, row, declared_judging(declaration, specs))
        groups = engine.arrays(f"SELECT g, {', '.join(legality.words)} FROM legal_groups")
        bits = unpack([groups[word] for word in legality.words], legality.width)
        legal = {
            cell: frozenset(groups["g"][np.flatnonzero(bits[:, pattern])].tolist())
            for cell, pattern in legality.patterns.items()
        }
        kept = {}
        for reading in sorted({spec.reading for spec in specs}):
            table = kept_records(engine, row, declaration.coordinates.reading[reading])
            kept[reading] = tuple(engine.arrays(f"SELECT i FROM {table} ORDER BY i")["i"].tolist())
    return RowFacts(legal, kept)
