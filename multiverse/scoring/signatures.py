"""Rows that behave alike under every specification, counted: the tables every specification is evaluated on."""

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from multiverse.declaration import Declaration
from multiverse.predicates import Predicate
from multiverse.scoring.engine import Arrays, Engine
from multiverse.scoring.expressions import WORD_BITS, Compiler
from multiverse.scoring.legality import Bits, Legality, unpack
from multiverse.scoring.outcomes import Outcomes
from multiverse.substrate import Substrate

Counts = NDArray[np.int64]


class RowClasses(NamedTuple):
    """Rows with the same legal families, populations and stratum are one class; arrays by class."""

    legal: Bits  # (classes, patterns): whether the legal family is present
    populations: Bits  # (classes, populations)
    strata: Counts  # (classes,) 0 where no aggregation reads strata
    sizes: Counts  # (classes,) rows of the class


class SignatureCounts(NamedTuple):
    """How many rows of a class have an outcome, for each method: parallel arrays."""

    method: Counts
    row_class: Counts
    outcome: Counts  # position among the distinct outcomes
    rows: Counts


class ClusterPatterns(NamedTuple):
    """Clusters of one population with the same signatures, counted for each method; parallel arrays by pattern."""

    method: Counts
    clusters: Counts  # how many clusters show the pattern
    starts: Counts  # where the pattern's signatures start in `signatures`
    signatures: Counts  # positions among the signatures, of all patterns in turn


class MixedRows(NamedTuple):
    """Rows on which methods differ in state: where a margin can mix two supports."""

    row_class: Counts  # (patterns,)
    told: Counts  # (patterns, methods): positions in `states`
    states: tuple[tuple[int, ...], ...]  # the distinct states of a pair: one, or those of its repeats


def classify_rows(
    engine: Engine, declaration: Declaration, substrate: Substrate, legality: Legality, *, strata: bool
) -> RowClasses:
    """Make the table `classified` (r, cluster, c) and give the classes c."""
    compiler = Compiler(substrate.attributes["rows"])
    populations = [population.where for population in declaration.populations]
    memberships = population_words(compiler, populations)
    engine.register("rows_in", substrate.rows.with_row_index("r"))
    keys = [f"p{i}" for i in range(len(memberships))] + list(legality.words) + ["stratum"]
    families = ", ".join(f"bit_or({word}) AS {word}" for word in legality.words)
    present = ", ".join(f"coalesce({word}, 0) AS {word}" for word in legality.words)
    stratum = "stratum" if strata else "0"
    engine.run(
        f"""
        CREATE TEMP TABLE artifacts AS
        WITH families AS (SELECT r, {families} FROM legal_groups GROUP BY r)
        SELECT r, cluster, {", ".join(memberships)}, {present}, {stratum}::BIGINT AS stratum
        FROM rows_in LEFT JOIN families USING (r)
        """,
        compiler.parameters,
    )
    engine.run(
        f"""
        CREATE TEMP TABLE classes AS
        SELECT {", ".join(keys)}, count(*) AS size, row_number() OVER () - 1 AS c
        FROM artifacts GROUP BY {", ".join(keys)}
        """
    )
    engine.run(
        f"CREATE TEMP TABLE classified AS SELECT r, cluster, c FROM artifacts JOIN classes USING ({', '.join(keys)})"
    )
    found = engine.arrays("SELECT * FROM classes ORDER BY c")
    return RowClasses(
        legal=unpack([found[word] for word in legality.words], legality.width),
        populations=unpack([found[f"p{i}"] for i in range(len(memberships))], len(populations)),
        strata=found["stratum"],
        sizes=found["size"],
    )


def population_words(compiler: Compiler, populations: list[Predicate]) -> list[str]:
    """Columns p0, p1, ...: which populations a row is in, `WORD_BITS` of them each."""
    chunks = [populations[start : start + WORD_BITS] for start in range(0, len(populations), WORD_BITS)]
    return [f"{compiler.word(chunk)} AS p{i}" for i, chunk in enumerate(chunks)]


def cluster_counts(engine: Engine, classes: RowClasses) -> list[int]:
    """The number of clusters of each population."""
    engine.register("members", _members(classes))
    found = engine.arrays(
        "SELECT p, count(DISTINCT cluster) AS clusters FROM classified JOIN members USING (c) GROUP BY p"
    )
    by_population = dict(zip(found["p"].tolist(), found["clusters"].tolist(), strict=True))
    return [by_population.get(p, 0) for p in range(classes.populations.shape[1])]


def _members(classes: RowClasses) -> pl.DataFrame:
    """Which class is in which population, a record a pair."""
    row_class, population = np.nonzero(classes.populations)
    return pl.DataFrame({"c": row_class.astype(np.int64), "p": population.astype(np.int64)})


def count_signatures(engine: Engine, outcomes: Outcomes) -> Arrays:
    """Make the table `signatures` (s, m, c, the outcome's keys, n rows each) and give it, sorted by s and so by m."""
    keys = ", ".join(outcomes.keys)
    engine.run(
        f"""
        CREATE OR REPLACE TEMP TABLE signatures AS
        WITH counted AS (
            SELECT m::BIGINT AS m, c, {keys}, count(*) AS n
            FROM {outcomes.table} JOIN classified USING (r) GROUP BY m, c, {keys}
        )
        SELECT row_number() OVER (ORDER BY m) - 1 AS s, * FROM counted
        """
    )
    return engine.arrays("SELECT * FROM signatures ORDER BY s")


def cluster_patterns(engine: Engine, outcomes: Outcomes, population: int) -> ClusterPatterns:
    """Clusters of a population by the signatures of their rows, for each method."""
    keys = ", ".join(["m", "c", *outcomes.keys])
    held = f"SELECT c FROM members WHERE p = {population}"
    found = engine.arrays(
        f"""
        WITH told AS (SELECT * REPLACE (m::BIGINT AS m) FROM {outcomes.table}),
        inside AS (SELECT r, cluster, c FROM classified SEMI JOIN ({held}) USING (c)),
        tagged AS (SELECT m, cluster, s FROM told JOIN inside USING (r) JOIN signatures USING ({keys})),
        patterns AS (SELECT m, list(s ORDER BY s) AS pattern FROM tagged GROUP BY m, cluster)
        SELECT m, pattern, count(*) AS clusters FROM patterns GROUP BY m, pattern ORDER BY m
        """
    )
    patterns = found["pattern"]
    lengths = np.array([len(pattern) for pattern in patterns], dtype=np.int64)
    members = np.concatenate(patterns).astype(np.int64) if len(patterns) else lengths
    return ClusterPatterns(found["m"], found["clusters"], np.cumsum(lengths) - lengths, members)


def mixed_rows(engine: Engine, outcomes: Outcomes) -> MixedRows:
    """Rows on which not all methods are in the same state, by class and by their states in method order."""
    found = engine.arrays(
        f"""
        WITH told AS (SELECT r, m, {outcomes.states} AS state FROM {outcomes.table}),
        mixed AS (SELECT r, list(state ORDER BY m) AS states FROM told GROUP BY r HAVING count(DISTINCT state) > 1)
        SELECT DISTINCT c, states FROM mixed JOIN classified USING (r)
        """
    )
    told = [[_state_tuple(state) for state in states] for states in found["states"].tolist()]
    position = {states: i for i, states in enumerate(dict.fromkeys(states for row in told for states in row))}
    positions = np.array([[position[states] for states in row] for row in told], dtype=np.int64)
    return MixedRows(found["c"], positions, tuple(position))


def _state_tuple(state: int | Counts) -> tuple[int, ...]:
    return tuple(state.tolist()) if isinstance(state, np.ndarray) else (int(state),)
