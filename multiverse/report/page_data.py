"""What the page computes with: record and tables as compact JSON, names once and everything else by position."""

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING, Any

import polars as pl

from multiverse.errors import printable
from multiverse.report.page_effects import effects, factor_levels, interval
from multiverse.report.page_rows import driving_rows

if TYPE_CHECKING:
    from multiverse.report.results import Results

Json = dict[str, Any]
Pair = tuple[int, ...]  # two methods by position

MOST_INTERVALS = (
    24_000  # in all populations, of some 25 bytes each; pairs of effects come first, and all are in the tables
)
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
        "factors": factor_levels(tables["options"], options.get("contract", [])),
        "specs": _choices(record, tables, options),
        "families": _families(record, tables, position),
        "methods": methods.to_list(),
        "level": _level(record),
        "populations": [_population(name, results, options, methods.to_list(), position) for name in names],
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
        "factors": [
            {"name": printable(one["name"]), "levels": [printable(level) for level in one["levels"]]}
            for one in data["factors"]
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


def _population(
    name: str,
    results: "Results",
    options: Mapping[str, Sequence[Json]],
    methods: Sequence[str],
    position: Mapping[str, int],
) -> Json:
    record, tables = results.record, results.tables
    own = {key: table.filter(pl.col("population") == name) for key, table in tables.items() if "population" in table}
    values, level_rows, level_of = _levels(own["levels"], len(methods))
    support_rows, support_of = _distinct(_by_spec(own["levels"]["support"].to_list(), len(methods)))
    declared, contracts = record["endpoints"]["effects"], options.get("contract", [])
    told = effects(declared, own, tables, contracts, methods, position)
    room = max(MOST_INTERVALS // max(len(position) * len(record["populations"]), 1), 1)
    pairs, left_out = _told_pairs(told, len(methods), room)
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
        "intervals": _intervals(own["margins"], methods, pairs),
        "no_intervals": [f"{a},{b}" for a, b in left_out] if found["uncertainty"] else [],
        "effects": told,
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


def _told_pairs(effects: Iterable[Json], methods: int, room: int) -> tuple[list[Pair], list[Pair]]:
    """The pairs whose intervals the page has room for, those of effects first, and the pairs that it leaves out."""
    pairs = combinations(range(methods), 2)
    wanted = list(dict.fromkeys([*(tuple(sorted((one["a"], one["b"]))) for one in effects), *pairs]))
    return wanted[:room], wanted[room:]


def _intervals(margins: pl.DataFrame, methods: Sequence[str], pairs: Iterable[Pair]) -> Json:
    """Sampling intervals of the margins of some pairs, by specification; the table holds pairs in a fixed order."""
    names = {method: i for i, method in enumerate(methods)}
    rank = {pair: i for i, pair in enumerate(combinations(range(len(methods)), 2))}
    found: Json = {}
    for a, b in pairs:
        own = margins.gather_every(len(rank), offset=rank[a, b])
        assert {(names[x], names[y]) for x, y in own.select("a", "b").unique().iter_rows()} == {(a, b)}
        ends = [interval(*one) for one in own.select("lower", "upper").iter_rows()]
        if any(ends):
            found[f"{a},{b}"] = ends
    return found
