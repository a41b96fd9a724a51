"""A record in the order declared: its file has populations and cells in the order of the alphabet."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

_WITH_CELLS = ("effects", "decompositions", "contrasts", "stratum_contrasts")


def in_declared_order(record: Json, populations: Sequence[str]) -> Json:
    """The same record with its populations as given, and its cells in the order of the options in specifications."""
    options = (option for spec in record["specs"] for option in spec.split("/"))
    places = {option: place for place, option in enumerate(dict.fromkeys(options))}
    found = record["populations"]
    return {**record, "populations": {name: _population(found[name], places) for name in populations}}


def _population(found: Json, places: Mapping[str, int]) -> Json:
    return {**found, **{kind: {name: _cells(one, places) for name, one in found[kind].items()} for kind in _WITH_CELLS}}


def _cells(entry: Json, places: Mapping[str, int]) -> Json:
    def place(cell: str) -> list[int]:
        return [places.get(option, -1) for option in cell.split("/")]

    cells = entry["cells"]
    return {**entry, "cells": {cell: cells[cell] for cell in sorted(cells, key=place)}}
