"""The row audit: every row an effect comes from, at each background, recomposing it exactly (DESIGN section 7)."""

import json
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from multiverse.contrasts import Cells
from multiverse.declaration import Declaration
from multiverse.endpoints import FamilyEndpoints
from multiverse.exact import text_or_null
from multiverse.row_changes import Change, Comparison, RowChanges, row_changes
from multiverse.scoring import RowScores
from multiverse.specification import Background, Specification

_TEXT = pl.String()
_KEYS: Mapping[str, pl.DataType] = {"population": _TEXT, "effect": _TEXT, "cell": _TEXT, "background": _TEXT}
CHANGE_COLUMNS: Mapping[str, pl.DataType] = {
    "row_id": _TEXT, "family_from": pl.Boolean(), "family_to": pl.Boolean(),
    "a_from": _TEXT, "a_to": _TEXT, "b_from": _TEXT, "b_to": _TEXT,
    "a_part_from": _TEXT, "a_part_to": _TEXT, "b_part_from": _TEXT, "b_part_to": _TEXT,
    "contribution": _TEXT, "value": pl.Float64(), "a_reason": _TEXT, "b_reason": _TEXT, "reason": _TEXT,
}  # fmt: skip
ROW_AUDIT_COLUMNS: Mapping[str, pl.DataType] = {**_KEYS, **CHANGE_COLUMNS}


def row_audit(
    declaration: Declaration,
    rows: RowScores | None,
    row_ids: pl.Series,
    found: Mapping[str, FamilyEndpoints],
    specs: Sequence[Specification],
) -> pl.DataFrame:
    """The lines of every population, effect, whole cell and background, rows in the order of their ids."""
    if rows is None:
        return pl.DataFrame(schema=dict(ROW_AUDIT_COLUMNS))
    lines = RowLines(row_ids)
    cells = Cells(declaration.coordinates, specs)
    frames = [pl.DataFrame(schema=dict(ROW_AUDIT_COLUMNS))]
    for position, (population, one) in enumerate(found.items()):
        for effect in declaration.endpoints.effects:
            backgrounds = declaration.backgrounds[effect.id]
            for cell, value in one.effects[effect.id].items():
                for background, total in zip(backgrounds, value.backgrounds, strict=True):
                    ends = (cells.at(cell, background.from_contract), cells.at(cell, background.to_contract))
                    changes = row_changes(declaration, rows, Comparison(*ends, effect.pair, position), total)
                    keys = (population, effect.id, cell, background_name(background))
                    frames.append(_keyed(keys, lines.frame(changes)))
    return pl.concat(frames)


def background_name(background: Background) -> str:
    """The levels of a background as JSON text."""
    return json.dumps(dict(background.levels), sort_keys=True, ensure_ascii=False)


def _keyed(keys: Sequence[str], frame: pl.DataFrame) -> pl.DataFrame:
    named = [pl.lit(key, dtype=pl.String).alias(name) for name, key in zip(_KEYS, keys, strict=True)]
    return frame.select(*named, *CHANGE_COLUMNS)


class RowLines:
    """The rows that move, as a frame."""

    def __init__(self, row_ids: pl.Series) -> None:
        self._texts = row_ids.cast(pl.String).alias("row_id")
        self._rank = row_ids.rank("ordinal").to_numpy()

    def frame(self, changes: RowChanges) -> pl.DataFrame:
        """A line per row in the order of ids, and the reweighted ones last."""
        kinds = _frame(changes.changes)
        order = np.argsort(self._rank[changes.rows], kind="stable")
        lines = kinds[changes.kinds[order]].with_columns(self._texts.gather(changes.rows[order]))
        rest = _frame([] if changes.reweighted is None else [changes.reweighted])
        return pl.concat([lines, rest]).select(CHANGE_COLUMNS.keys())


def _frame(changes: Iterable[Change]) -> pl.DataFrame:
    return pl.DataFrame([_line(change) for change in changes], schema=dict(CHANGE_COLUMNS), orient="row")


def _line(change: Change) -> tuple[object, ...]:
    numbers = [text_or_null(value) for value in (*change.scores, *change.parts)]
    moved = change.parts.change
    value = None if moved is None else float(moved)
    family = change.family or (None, None)
    return (None, *family, *numbers, text_or_null(moved), value, change.a_reason, change.b_reason, change.reason)
