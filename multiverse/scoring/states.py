"""Faults of state: answers that conflict under a reading, and states that a disposition in use does not declare."""

from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from multiverse.errors import Fault, quoted
from multiverse.scoring.engine import Engine
from multiverse.scoring.outcomes import Outcomes
from multiverse.specification import Disposition, Reading
from multiverse.substrate import Substrate
from multiverse.substrate.coding import MISSING


class _Witness(NamedTuple):
    row: object
    method: str


def _witness(substrate: Substrate, pair: int) -> _Witness:
    row, method = divmod(pair, len(substrate.methods))
    return _Witness(substrate.row_ids[row], substrate.methods[method])


def _located(substrate: Substrate, column: str, row: object) -> str:
    return f"{substrate.answers_place}, column {column}, row {quoted(row) if isinstance(row, str) else row}"


def _more(count: int) -> str:
    return f" ({count - 1} more)" if count > 1 else ""


def conflicting_records(engine: Engine, substrate: Substrate, kept: str, reading: Reading) -> Iterable[Fault]:
    """An answer and a non-answer, or two labels, for one (row, method) once a reading has been applied."""
    pair = f"r::BIGINT * {len(substrate.methods)} + m"
    found = engine.arrays(
        f"""
        WITH conflicts AS (
            SELECT min({pair}) AS pair, min(state) AS low, max(state) AS high
            FROM {kept} GROUP BY r, m HAVING min(state) <> max(state)
        )
        SELECT low, high, min(pair) AS pair, count(*) AS n FROM conflicts GROUP BY low, high ORDER BY low, high
        """
    )
    for low, high, first, count in zip(*(found[name].tolist() for name in ("low", "high", "pair", "n")), strict=True):
        row, method = _witness(substrate, first)
        states = f"{quoted(substrate.states[low])} and {quoted(substrate.states[high])}"
        under = f" under reading {quoted(reading.id)}" if reading.id else ""
        yield Fault(
            where=_located(substrate, "status", row),
            found=f"method {quoted(method)} is both {states}{under}{_more(count)}",
            expected="answers, or one label",
        )


def _missing(substrate: Substrate, pair: int) -> str:
    """Why a pair is in state missing: it has no record, a reading kept none, or its status says so."""
    row, method = divmod(pair, len(substrate.methods))
    records = substrate.answers.filter((pl.col("r") == row) & (pl.col("m") == method))
    if (records["state"] == MISSING).any():
        return "has that state"
    return "has no record" if records.is_empty() else "has no record that the reading keeps"


def undeclared_states(
    engine: Engine, substrate: Substrate, outcomes: Outcomes, dispositions: Iterable[Disposition]
) -> Iterable[Fault]:
    """A state in the data that a disposition in use does not declare, on either side."""
    told = f"unnest({outcomes.states})" if outcomes.form == "items" else outcomes.states
    counted = "DISTINCT pair" if outcomes.form == "items" else "*"
    pair = f"r::BIGINT * {len(substrate.methods)} + m"
    found = engine.arrays(
        f"""
        SELECT state, min(pair) AS pair, count({counted}) AS n
        FROM (SELECT {told} AS state, {pair} AS pair FROM {outcomes.table})
        GROUP BY state ORDER BY state
        """
    )
    for disposition in dispositions:
        sides = {"legal_present": disposition.legal_present, "legal_empty": disposition.legal_empty}
        for state, first, count in zip(*(found[name].tolist() for name in ("state", "pair", "n")), strict=True):
            label = substrate.states[state]
            lacking = [side for side, entries in sides.items() if entries.entry(label) is None]
            if lacking:
                row, method = _witness(substrate, first)
                what = _missing(substrate, first) if state == MISSING else "has that state"
                yield Fault(
                    where=_located(substrate, "method" if what.startswith("has no") else "status", row),
                    found=f"state {quoted(label)}: method {quoted(method)} {what}{_more(count)}",
                    expected=f"an entry for it under {' and '.join(lacking)} of disposition {quoted(disposition.id)}",
                )
