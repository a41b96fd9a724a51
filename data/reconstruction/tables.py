"""Rows, objects and predictions of a study, from row types and counts, as three Parquet files."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from lattice import Cell, Downset, maximal
from rows import EMPTY, TERMINAL, WRONG, State

# The names of objects, by the corner at which they are; those of the worked row of section 3 are e0013 and e0047.
EVENTS: dict[State, str] = {
    (0, 0, 0): "e0002",
    (0, 0, 1): "e0003",
    (0, 1, 0): "e0005",
    (0, 1, 1): "e0006",
    (1, 0, 0): "e0008",
    (1, 0, 1): "e0009",
    (1, 1, 0): "e0011",
    (1, 1, 1): "e0013",
    WRONG: "e0021",
    TERMINAL: "e0047",
}

OBJECTS = {
    "row_id": pl.String,
    "group_id": pl.String,
    "object_id": pl.String,
    "localizable": pl.Boolean,
    "recorded": pl.Boolean,
    "lag": pl.Int64,
    "adoption": pl.String,
    "terminal": pl.Boolean,
}
PREDICTIONS = dict.fromkeys(("row_id", "method", "hypothesis_id", "object_id", "status"), pl.String)


class Row(NamedTuple):
    """A row of the data: its keys, the cells in which an object beside the terminal one is legal, and its answers."""

    row_id: str
    cluster_id: str
    stratum: str
    family: Downset
    terminal: bool
    answers: dict[str, State]  # by method


def write(folder: Path, rows: list[Row], **attributes: list[str]) -> None:
    """Write the three tables; attributes are further columns of the rows."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = {name: [getattr(row, name) for row in rows] for name in ("row_id", "cluster_id", "stratum")}
    _store(pl.DataFrame(keys | attributes), folder / "rows.parquet")
    _store(_frame((record for row in rows for record in _objects(row)), OBJECTS), folder / "objects.parquet")
    _store(
        _frame((record for row in rows for record in _predictions(row)), PREDICTIONS), folder / "predictions.parquet"
    )


def _store(table: pl.DataFrame, path: Path) -> None:
    table.write_parquet(path, compression="zstd", statistics=False)


def _frame(records: Iterable[tuple[Any, ...]], schema: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(records), schema=schema, orient="row")


def _objects(row: Row) -> list[tuple[Any, ...]]:
    """An object at each corner that is needed to make the family or is answered, each a hypothesis of its own."""
    kept: set[State] = set(maximal(row.family)) | set(row.answers.values()) - {EMPTY}
    if row.terminal:
        kept.add(TERMINAL)
    named = sorted((EVENTS[_corner(state)], state) for state in kept)
    return [(row.row_id, event, event, *_attributes(state)) for event, state in named]


def _corner(state: State) -> State:
    """A background of elephant is the cell of its adopted object."""
    return (*state, 1) if isinstance(state, tuple) and len(state) == 2 else state


def _attributes(state: State) -> tuple[Any, ...]:
    """localizable, recorded, lag, adoption and terminal; an object meets the clauses of its corner and no others."""
    if state == TERMINAL:
        return True, True, None, "NOT_APPLICABLE", True
    if state == WRONG:
        return False, True, 1, "ADOPTED", False
    recorded, timely, adopted = _cell(_corner(state))
    return True, recorded == 1, 1 if timely else 5, "ADOPTED" if adopted else "NOT_ADOPTED", False


def _cell(state: State) -> Cell:
    assert isinstance(state, tuple)
    return state


def _predictions(row: Row) -> list[tuple[Any, ...]]:
    return [
        (row.row_id, method, None, None, "empty")
        if state == EMPTY
        else (row.row_id, method, "h1", EVENTS[_corner(state)], "answered")
        for method, state in sorted(row.answers.items())
    ]
