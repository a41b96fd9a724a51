"""Results of a large study, made up: 24 methods, two coordinates, levels that are multiples of 1/200, and intervals."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl

from multiverse.exact import exact_text
from multiverse.record import TABLES

METHODS = [f"method-{i:02}" for i in range(24)]
ROWS = 200
Levels = list[list[Fraction]]


def large_results(side: int, scorings: int) -> tuple[Any, Levels]:
    """Stand-in for Results with side x scorings specifications, and the levels by specification and method."""
    options = {"disposition": [f"d{i}" for i in range(side)], "scoring": [f"s{i}" for i in range(scorings)]}
    specs = [f"{d}/{s}" for d in options["disposition"] for s in options["scoring"]]
    counts = [
        [(7 * s + 13 * m + s * m % 17 + s // 200 * m) % (ROWS + 1) for m in range(len(METHODS))]
        for s in range(len(specs))
    ]
    levels = [[Fraction(count, ROWS) for count in row] for row in counts]
    made = {
        "levels": _levels(specs, levels),
        "margins": _margins(specs, np.array(counts)),
        "specifications": pl.DataFrame(
            {
                "spec": specs,
                **{name: [spec.split("/")[i] for spec in specs] for i, name in enumerate(options)},
                "families": [["audit"]] * len(specs),
            }
        ),
        "options": pl.DataFrame(
            [(name, option, f"the option {option}", "made up", None) for name in options for option in options[name]],
            schema=dict(TABLES["options"]),
            orient="row",
        ),
    }
    tables = {name: pl.DataFrame(schema=dict(columns)) for name, columns in TABLES.items()} | made
    named = dict.fromkeys(("title", "license"), "") | {"study": "large", "family": "audit", "status": "exploratory"}
    population = {"rows": ROWS, "clusters": ROWS, "uncertainty": {"level": 0.95}}
    record = {
        **named,
        "coordinates": list(options),
        "specs": specs,
        "endpoints": {"effects": []},
        "populations": {"everything": population},
    }
    return SimpleNamespace(record=record, tables=tables), levels


def _levels(specs: Sequence[str], levels: Levels) -> pl.DataFrame:
    size = len(METHODS)
    return pl.DataFrame(
        {
            "population": ["everything"] * (len(specs) * size),
            "spec": np.repeat(specs, size),
            "method": METHODS * len(specs),
            "exact": [exact_text(level) for row in levels for level in row],
            "support": [ROWS] * (len(specs) * size),
        }
    )


def _margins(specs: Sequence[str], counts: "np.ndarray[Any, Any]") -> pl.DataFrame:
    """Margins by specification, then pair, each with an interval of 20 points."""
    pairs = list(combinations(range(len(METHODS)), 2))
    first, second = ([pair[i] for pair in pairs] for i in range(2))
    values = ((counts[:, first] - counts[:, second]) / ROWS).ravel()
    names = pl.Series(METHODS)
    return pl.DataFrame(
        {
            "population": pl.Series(["everything"]).new_from_index(0, len(values)),
            "a": names[np.tile(first, len(specs))],
            "b": names[np.tile(second, len(specs))],
            "lower": values - 0.1,
            "upper": values + 0.1,
        }
    )
