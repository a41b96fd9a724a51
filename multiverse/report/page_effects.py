"""Effects, and the contract factors that they change, as the page computes with them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from multiverse.report.page_rows import cell_rows

Json = dict[str, Any]

DIGITS = 8  # of a sampling interval: words show four


def factor_levels(table: pl.DataFrame, contracts: Sequence[Json]) -> list[Json]:
    """The factors of the contracts taken: levels as the contracts first have them, and which each has, -1 for none."""
    own = _levels(table)
    chosen = [own.get(contract["id"], {}) for contract in contracts]
    names = dict.fromkeys(name for levels in chosen for name in levels)
    return [_factor(name, [levels.get(name) for levels in chosen]) for name in names]


def _levels(table: pl.DataFrame) -> dict[str, dict[str, str]]:
    """The factor levels of every declared contract that has some, in declared order."""
    own = table.filter(pl.col("coordinate") == "contract").drop_nulls("factors").select("option", "factors")
    found = {option: json.loads(text) for option, text in own.iter_rows()}
    return {option: levels for option, levels in found.items() if levels}


def _factor(name: str, taken: Sequence[str | None]) -> Json:
    levels = list(dict.fromkeys(level for level in taken if level is not None))
    return {"name": name, "levels": levels, "of": [-1 if level is None else levels.index(level) for level in taken]}


def effects(
    declared: Iterable[Mapping[str, Any]],
    own: Mapping[str, pl.DataFrame],
    shared: Mapping[str, pl.DataFrame],
    contracts: Sequence[Json],
    methods: Sequence[str],
    position: Mapping[str, int],
) -> list[Json]:
    """The declared effects of a population: its `own` tables, and those `shared` by all populations."""
    return [
        {
            **{name: one[name] for name in ("id", "factor", "from", "to")},
            **dict(zip("ab", map(methods.index, one["pair"]), strict=True)),
            "contracts": _needed(shared["options"], one, contracts),
            "cells": _cells(one["id"], own, shared["cells"], position),
        }
        for one in declared
    ]


def _needed(table: pl.DataFrame, effect: Mapping[str, Any], contracts: Sequence[Json]) -> list[int]:
    """The contracts that a whole cell has: both sides of every background; -1 stands for one that is never taken."""
    sides: dict[frozenset[tuple[str, str]], dict[str, str]] = {}
    for contract, levels in _levels(table).items():
        if effect["factor"] in levels:
            level = levels.pop(effect["factor"])
            sides.setdefault(frozenset(levels.items()), {})[level] = contract
    places = {contract["id"]: i for i, contract in enumerate(contracts)}
    ends = (effect["from"], effect["to"])
    return [places.get(side[end], -1) for side in sides.values() if set(ends) <= side.keys() for end in ends]


def _cells(
    effect: str, own: Mapping[str, pl.DataFrame], cells: pl.DataFrame, position: Mapping[str, int]
) -> list[Json]:
    """The whole cells of an effect: value, interval, the specifications of its sides, the rows behind it."""
    sides: dict[str, list[list[int]]] = {}
    named = cells.filter(pl.col("effect") == effect).select("cell", "from_spec", "to_spec")
    for cell, before, after in named.iter_rows():
        sides.setdefault(cell, []).append([position[before], position[after]])
    means = own["effects"].filter((pl.col("effect") == effect) & pl.col("background").is_null())
    backgrounds = max(map(len, sides.values()), default=1)
    rows = cell_rows(own["row_audit"].filter(pl.col("effect") == effect), backgrounds)
    return [
        {
            "cell": one["cell"],
            "exact": one["exact"],
            "interval": interval(one["lower"], one["upper"]),
            "specs": sides[one["cell"]],
            "rows": rows.get(one["cell"], []),
        }
        for one in means.iter_rows(named=True)
    ]


def interval(lower: float | None, upper: float | None) -> list[float] | None:
    """A sampling interval as the page holds it; None where there is none."""
    return None if lower is None or upper is None else [round(lower, DIGITS), round(upper, DIGITS)]
