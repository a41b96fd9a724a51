"""The scoring case: 72 specifications of 10 million random predictions, against one specification's bare DuckDB join.

usage: python bench/bench_scoring.py [ROWS]        (1,000,000 rows by default, 4 objects and 10 predictions a row)

Both sides are whole processes that start from the same Parquet files; they take turns, five times each. The audit
reads, checks and scores every prediction, ranks the methods under every specification, and writes record and tables.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

METHODS, OBJECTS, ROUNDS = 10, 4, 5
PREDICATES = ("p0", "p1", "p2")

BARE_JOIN = """
import duckdb, sys
rows = duckdb.connect().execute(
    "SELECT method, avg(coalesce(legal, false)::INT) FROM read_parquet($1) LEFT JOIN "
    "(SELECT row_id, object_id, p0 AND p1 AS legal FROM read_parquet($2)) USING (row_id, object_id) GROUP BY method",
    [sys.argv[1] + "/predictions.parquet", sys.argv[1] + "/objects.parquet"],
).fetchall()
assert len(rows) == 10
"""
AUDIT = "import multiverse, sys; multiverse.audit(sys.argv[1], family='all', out=sys.argv[1] + '/out')"

FILES = {
    "study.yaml": {
        "study": "bench",
        "substrate": {
            "kind": "hypotheses",
            "rows": "rows.parquet",
            "objects": "objects.parquet",
            "predictions": "predictions.parquet",
        },
    },
    "contracts.yaml": {
        "coordinate": "contract",
        "predicates": {name: {"column": name, "equals": True} for name in PREDICATES},
        "factors": {name.upper(): {"0": [], "1": [name]} for name in PREDICATES},
    },
    "dispositions.yaml": {
        "coordinate": "disposition",
        "options": [
            {"id": "baseline", "legal_present": {"answered": "match"}, "legal_empty": {"answered": 1}},
            {"id": "conservative", "legal_present": {"answered": "match"}, "legal_empty": {"answered": 0}},
            {"id": "conditional", "legal_present": {"answered": "match"}, "legal_empty": "exclude"},
        ],
    },
    "terminals.yaml": {
        "coordinate": "terminal",
        "special": {"column": "special", "equals": True},
        "options": [
            {"id": "asym", "treatment": "as_declared"},
            {"id": "keep_both", "treatment": {"exempt": ["p2"]}},
            {"id": "exclude_both", "treatment": "never_legal"},
        ],
    },
    "families.yaml": {"families": {"all": {}}},
}


def write_study(folder: Path, rows: int) -> None:
    """A random study: independent attributes and predictions, the worst case for collapsing."""
    random = np.random.default_rng(20260816)
    for name, content in FILES.items():
        (folder / name).write_text(json.dumps(content, indent=1))
    index = np.arange(rows)
    pl.DataFrame({"row_id": index}).write_parquet(folder / "rows.parquet")
    objects = {"row_id": np.repeat(index, OBJECTS), "group_id": np.tile(np.arange(OBJECTS), rows)}
    attributes = {name: random.random(rows * OBJECTS) < 0.6 for name in PREDICATES}
    special = {"object_id": objects["group_id"], "special": random.random(rows * OBJECTS) < 0.2}
    pl.DataFrame(objects | special | attributes).write_parquet(folder / "objects.parquet")
    pl.DataFrame(
        {
            "row_id": np.repeat(index, METHODS),
            "method": np.tile([f"m{i}" for i in range(METHODS)], rows),
            "hypothesis_id": np.zeros(rows * METHODS, dtype=np.int64),
            "object_id": random.integers(0, OBJECTS + 2, rows * METHODS),
        }
    ).write_parquet(folder / "predictions.parquet")


def seconds(code: str, folder: Path) -> float:
    """Wall seconds of a whole Python process that runs the code on the folder."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True)
    return time.perf_counter() - start


def main(rows: int = 1_000_000) -> None:
    """Print the ratio of the medians and the audit's peak memory."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_study(folder, rows)
        taken = [(seconds(BARE_JOIN, folder), seconds(AUDIT, folder)) for _ in range(ROUNDS)]
        specs = len(json.loads((folder / "out" / "record.json").read_text())["specs"])
    bare, audit = (median(side) for side in zip(*taken, strict=True))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    print(
        f"scoring: {rows * METHODS:,} predictions, {specs} specifications: audit {audit:.2f} s, "
        f"bare join of one {bare:.2f} s, ratio {audit / bare:.1f}; peak {peak:.2f} GiB"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
