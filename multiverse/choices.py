"""The choices behind a record as tables: its specifications, the options they take, and the sides of its effects."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from multiverse.contrasts import Cells
from multiverse.declaration import Declaration
from multiverse.endpoints import FamilyEndpoints
from multiverse.option_words import option_words
from multiverse.row_audit import background_name
from multiverse.specification import COORDINATES, Contract, Family

_TEXT = pl.String()
CHOICE_COLUMNS: Mapping[str, Mapping[str, pl.DataType]] = {
    "specifications": {"spec": _TEXT, "families": pl.List(_TEXT)},  # between them one column for each coordinate
    "options": {"coordinate": _TEXT, "option": _TEXT, "words": _TEXT, "rationale": _TEXT, "factors": _TEXT},
    "cells": {"effect": _TEXT, "cell": _TEXT, "background": _TEXT, "from_spec": _TEXT, "to_spec": _TEXT},
}


def declared_endpoints(declaration: Declaration) -> dict[str, list[dict[str, Any]]]:
    """The conclusions that a study asks for beside levels, margins and rankings, as it declares them."""
    asked = declaration.endpoints
    return {
        "effects": [
            {"id": one.id, "pair": list(one.pair), "factor": one.factor, "from": one.from_level, "to": one.to_level}
            for one in asked.effects
        ],
        "contrasts": [
            {"id": one.id, "effect": one.effect, "coordinate": one.coordinate}
            | {"from": one.from_option, "to": one.to_option, "support": one.support}
            for one in asked.contrasts
        ],
        "stratum_contrasts": [
            {"id": one.id, "effect": one.effect, "minus": [stratum.text for stratum in one.minus]}
            for one in asked.stratum_contrasts
        ],
        "decompositions": [
            {"id": one.id, "effect": one.effect, "classes": list(one.classes)} for one in asked.decompositions
        ],
    }


def specification_columns(coordinates: Iterable[str]) -> dict[str, pl.DataType]:
    """The columns of the table of specifications, for the coordinates that a study declares."""
    columns = CHOICE_COLUMNS["specifications"]
    return {"spec": columns["spec"], **dict.fromkeys(coordinates, _TEXT), "families": columns["families"]}


def choice_tables(
    declaration: Declaration, family: Family, found: Mapping[str, FamilyEndpoints]
) -> dict[str, pl.DataFrame]:
    """The tables of `CHOICE_COLUMNS`, by name, for one family."""
    return {
        "specifications": _specifications(declaration, family),
        "options": _frame("options", _options(declaration)),
        "cells": _frame("cells", _cells(declaration, family, found)),
    }


def _frame(name: str, rows: Iterable[tuple[object, ...]]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=dict(CHOICE_COLUMNS[name]), orient="row")


def _specifications(declaration: Declaration, family: Family) -> pl.DataFrame:
    """Each with its options, and those of the study's families that hold it and lie whole inside the reported one."""
    coordinates = declaration.coordinates
    inner = [(one.name, {spec.id for spec in one.specs}) for one in declaration.families if family.contains(one)]
    rows = [
        (
            spec.id,
            *(coordinates.ids(name)[getattr(spec, name)] for name in coordinates.declared),
            [name for name, held in inner if spec.id in held],
        )
        for spec in family.specs
    ]
    return pl.DataFrame(rows, schema=specification_columns(coordinates.declared), orient="row")


def _options(declaration: Declaration) -> Iterable[tuple[object, ...]]:
    """Every option that the study declares; of a coordinate without a file the one that stands, with an empty id."""
    for coordinate in COORDINATES:
        for position, option in enumerate(getattr(declaration.coordinates, coordinate)):
            words = option_words(declaration, coordinate, position)
            yield coordinate, option.id, words, option.rationale or None, _factors(option)


def _factors(option: object) -> str | None:
    if not isinstance(option, Contract):
        return None
    return json.dumps(dict(option.levels), ensure_ascii=False)  # factors as declared


def _cells(
    declaration: Declaration, family: Family, found: Mapping[str, FamilyEndpoints]
) -> Iterable[tuple[object, ...]]:
    """The two specifications behind each background of each cell that the family holds whole, as in `effects`."""
    cells, effects = Cells(declaration.coordinates, family.specs), _whole_cells(found)
    for effect in declaration.endpoints.effects:
        for cell in effects[effect.id]:
            for one in declaration.backgrounds[effect.id]:
                ends = (cells.at(cell, contract).id for contract in (one.from_contract, one.to_contract))
                yield (effect.id, cell, background_name(one), *ends)


def _whole_cells(found: Mapping[str, FamilyEndpoints]) -> Mapping[str, Sequence[str]]:
    """The cells that the family holds whole, by effect: the same in every population."""
    return {effect: tuple(cells) for effect, cells in next(iter(found.values())).effects.items()}
