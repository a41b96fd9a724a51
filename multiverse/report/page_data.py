"""What the page computes with: record and tables as compact JSON, names once and everything else by position."""

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING, Any

import polars as pl

from multiverse.errors import printable
from multiverse.report.page_rows import cell_rows, driving_rows

if TYPE_CHECKING:
    from multiverse.report.results import Results

Json = dict[str, Any]

MOST_INTERVALS = 24_000  # of some 25 bytes each; pairs of effects come first, and all are in the tables
DIGITS = 8  # of a sampling interval: words show four
SCRIPTS = (
    *("exact", "study", "rows", "words", "captions", "evidence", "panels", "drawing", "address"),
    "explore",  # which starts them
)
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def script_json(value: object) -> str:
    """JSON that may stand in a script element: no name in it can end the element or start another."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def page_script() -> str:
    """The page's own script, in one scope of its own."""
    folder = files("multiverse.report") / "script"
    parts = [(folder / f"{name}.js").read_text("utf-8") for name in SCRIPTS]
    return '(() => {\n"use strict";\n' + "\n".join(parts) + "})();\n"


def page_data(results: "Results") -> Json:
    """Everything that the page needs to answer questions by itself, from record and tables alone."""
    record, tables = results.record, results.tables
    specs: list[str] = record["specs"]
    position = {spec: i for i, spec in enumerate(specs)}
    options = _options(record, tables)
    names, methods = (tables["levels"][column].unique(maintain_order=True) for column in ("population", "method"))
    return {
        **{name: record[name] for name in ("study", "title", "license", "family", "status", "coordinates")},
        "options": options,
        "specs": _choices(record, tables, options),
        "families": _families(record, tables, position),
        "methods": methods.to_list(),
        "level": _level(record),
        "populations": [_population(name, results, methods.to_list(), position) for name in names],
    }


def controls(data: Json) -> Json:
    """What the explorer's controls offer, in words; each choice stands for its position in the page's data."""
    methods = [printable(method) for method in data["methods"]]
    effects = data["populations"][0]["effects"]
    return {
        "populations": [printable(one["name"]) for one in data["populations"]],
        "methods": methods,
        "effects": [printable("effect {id}: {factor} {from} to {to}".format(**one)) for one in effects],
        "families": [printable(f"{one['name']} ({len(one['specs']):,})") for one in data["families"]],
        "coordinates": [
            {"name": name, "options": [printable(option["id"]) for option in data["options"][name]]}
            for name in data["coordinates"]
        ],
    }


def _level(record: Mapping[str, Any]) -> float | None:
    """The level of the sampling intervals; None where there are none."""
    found = [one["uncertainty"] for one in record["populations"].values() if one["uncertainty"]]
    return found[0]["level"] if found else None


def _options(record: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> dict[str, list[Json]]:
    """The options of each coordinate that some specification takes, as declared."""
    taken = {name: set(tables["specifications"][name]) for name in record["coordinates"]}
    found: dict[str, list[Json]] = {name: [] for name in record["coordinates"]}
    for one in tables["options"].iter_rows(named=True):
        name = one["coordinate"]
        if name in taken and one["option"] in taken[name]:
            found[name].append({"id": one["option"], "words": one["words"], "rationale": one["rationale"]})
    return found


def _choices(
    record: Mapping[str, Any], tables: Mapping[str, pl.DataFrame], options: Mapping[str, Sequence[Json]]
) -> list[list[int]]:
    """Each specification as the positions of its options."""
    columns = []
    for name in record["coordinates"]:
        places = {option["id"]: i for i, option in enumerate(options[name])}
        columns.append([places[option] for option in tables["specifications"][name]])
    return [list(choice) for choice in zip(*columns, strict=True)]


def _families(record: Mapping[str, Any], tables: Mapping[str, pl.DataFrame], position: Mapping[str, int]) -> list[Json]:
    """The study's families that lie whole inside the reported one, from the smallest to itself."""
    held: dict[str, list[int]] = {}
    for spec, families in tables["specifications"].select("spec", "families").iter_rows():
        for family in families:
            held.setdefault(family, []).append(position[spec])
    named = sorted(held, key=lambda name: (len(held[name]), name == record["family"]))
    return [{"name": name, "specs": held[name]} for name in named]


def _population(name: str, results: "Results", methods: Sequence[str], position: Mapping[str, int]) -> Json:
    record, tables = results.record, results.tables
    own = {key: table.filter(pl.col("population") == name) for key, table in tables.items() if "population" in table}
    values, level_rows, level_of = _levels(own["levels"], len(methods))
    support_rows, support_of = _distinct(_by_spec(own["levels"]["support"].to_list(), len(methods)))
    effects = [_effect(one, own, tables["cells"], methods, position) for one in record["endpoints"]["effects"]]
    found = record["populations"][name]
    return {
        "name": name,
        "rows": found["rows"],
        "clusters": found["clusters"],
        "values": values,
        "level_rows": level_rows,
        "level_of": level_of,
        "support_rows": support_rows,
        "support_of": support_of,
        "intervals": _intervals(own["margins"], methods, effects, len(position)),
        "effects": effects,
        "drivers": driving_rows(own["drivers"], methods, position),
    }


def _levels(levels: pl.DataFrame, methods: int) -> tuple[list[str], list[list[int]], list[int]]:
    """Distinct exact levels, ascending; distinct rows of their positions, by method; the row of each specification."""
    texts = levels["exact"].to_list()
    values = sorted({text for text in texts if text is not None}, key=Fraction)
    places: dict[str | None, int] = {text: i for i, text in enumerate(values)}
    places[None] = -1
    return values, *_distinct(_by_spec([places[text] for text in texts], methods))


def _by_spec(values: Sequence[int], methods: int) -> Iterable[tuple[int, ...]]:
    """A table's column, a record per specification and method, as one row per specification."""
    return (tuple(values[i : i + methods]) for i in range(0, len(values), methods))


def _distinct(rows: Iterable[tuple[int, ...]]) -> tuple[list[list[int]], list[int]]:
    """The distinct rows as they first occur, and which of them each is."""
    places: dict[tuple[int, ...], int] = {}
    found = [places.setdefault(row, len(places)) for row in rows]
    return [list(row) for row in places], found


def _intervals(
    margins: pl.DataFrame, methods: Sequence[str], effects: Iterable[Json], specs: int
) -> dict[str, list[list[float] | None]]:
    """Sampling intervals of margins by pair, as many as there is room for, pairs of effects first."""
    place = {method: i for i, method in enumerate(methods)}
    pairs = list(combinations(range(len(methods)), 2))
    rank = {pair: i for i, pair in enumerate(pairs)}
    wanted = dict.fromkeys([*(tuple(sorted((one["a"], one["b"]))) for one in effects), *pairs])
    chosen = list(wanted)[: max(MOST_INTERVALS // max(specs, 1), len(wanted) - len(pairs), 1)]
    found: dict[str, list[list[float] | None]] = {}
    for a, b in chosen:
        own = margins.gather_every(len(pairs), offset=rank[a, b])
        assert {(place[x], place[y]) for x, y in own.select("a", "b").unique().iter_rows()} == {(a, b)}
        ends = [_interval(*one) for one in own.select("lower", "upper").iter_rows()]
        if any(ends):
            found[f"{a},{b}"] = ends
    return found


def _interval(lower: float | None, upper: float | None) -> list[float] | None:
    return None if lower is None or upper is None else [round(lower, DIGITS), round(upper, DIGITS)]


def _effect(
    declared: Mapping[str, Any],
    own: Mapping[str, pl.DataFrame],
    cells: pl.DataFrame,
    methods: Sequence[str],
    position: Mapping[str, int],
) -> Json:
    """An effect with its whole cells: value, interval, the specifications of its sides, the rows behind it."""
    a, b = (methods.index(method) for method in declared["pair"])
    sides: dict[str, list[list[int]]] = {}
    for cell, before, after in (
        cells.filter(pl.col("effect") == declared["id"]).select("cell", "from_spec", "to_spec").iter_rows()
    ):
        sides.setdefault(cell, []).append([position[before], position[after]])
    means = own["effects"].filter((pl.col("effect") == declared["id"]) & pl.col("background").is_null())
    backgrounds = max(map(len, sides.values()), default=1)
    rows = cell_rows(own["row_audit"].filter(pl.col("effect") == declared["id"]), backgrounds)
    named = [
        {
            "cell": one["cell"],
            "exact": one["exact"],
            "interval": _interval(one["lower"], one["upper"]),
            "specs": sides[one["cell"]],
            "rows": rows.get(one["cell"], []),
        }
        for one in means.iter_rows(named=True)
    ]
    described = {name: declared[name] for name in ("id", "factor", "from", "to")}
    return {**described, "a": a, "b": b, "cells": named}
