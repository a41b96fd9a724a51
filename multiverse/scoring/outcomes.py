"""What each method did on each row, as a short key: its state and the legality of what it hit, or its scored repeats.

Every function makes a table of one record per (r, m), pairs without a record included: what is absent is a row too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from multiverse.exact import rounded
from multiverse.predicates import TRUE
from multiverse.scoring.engine import Engine
from multiverse.scoring.expressions import Compiler
from multiverse.scoring.legality import Legality
from multiverse.scoring.repeats import least_kept
from multiverse.specification import Reading, Scoring
from multiverse.substrate import Substrate
from multiverse.substrate.coding import EMPTY, MISSING

STATE_SHIFT = 32  # an item of scored repeats is state << 32 | value code

_PARTIAL = {"jaccard": ("shared", "predicted + legal - shared"), "dice": ("2 * shared", "predicted + legal")}
_WHOLE = {"exact": "shared = predicted AND shared = legal", "overlap": "true"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcomes:
    """A table of outcomes and how to read its key columns.

    words: state, m0, m1, ...: credit 1 under the legality patterns whose bits are set.
    hits: state, hits: lists [numerator, denominator, m0, m1, ...], a credit and the patterns that grant it.
    item / items: a repeat as state << 32 | value code, alone or as a list.
    """

    table: str
    form: Literal["words", "hits", "item", "items"]
    keys: tuple[str, ...]
    states: str  # SQL: what decides eligibility, equal for two methods only where their states are


def kept_records(engine: Engine, substrate: Substrate, reading: Reading) -> str:
    """The name of a table of the answers that a reading keeps: whole hypotheses, single non-answers and outcomes."""
    if reading.where == TRUE:
        return "answers_in"
    compiler = Compiler(substrate.attributes["predictions" if substrate.kind == "hypotheses" else "outcomes"])
    columns = [name for name in substrate.answers.columns if not name.startswith("a")]
    marked = f"SELECT {', '.join(columns)}, {compiler.boolean(reading.where)} AS passes FROM answers_in"
    dropped = "(SELECT DISTINCT r, m, h FROM marked WHERE NOT passes AND h IS NOT NULL)"
    whole = f"ANTI JOIN {dropped} USING (r, m, h)" if substrate.kind == "hypotheses" else ""
    engine.run("DROP TABLE IF EXISTS kept")
    engine.run(
        f"""
        CREATE TEMP TABLE kept AS
        WITH marked AS ({marked})
        SELECT {", ".join(columns)} FROM marked {whole} WHERE passes
        """,
        compiler.parameters,
    )
    return "kept"


def one_record_per_pair(engine: Engine, substrate: Substrate, kept: str) -> bool:
    """Whether no (row, method) has two records, so that nothing needs to be gathered."""
    pairs = engine.arrays(f"SELECT r::BIGINT * {len(substrate.methods)} + m AS pair FROM {kept}")["pair"]
    return not len(pairs) or int(np.bincount(pairs).max()) <= 1


def hypothesis_outcomes(
    engine: Engine, legality: Legality, kept: str, scoring: Scoring, *, one_record: bool
) -> Outcomes:
    """The state of every pair with a record, and the legal groups its hypotheses hit, by the credit they earn."""
    words = list(legality.words)
    keys = ("state", *words)
    engine.run("DROP TABLE IF EXISTS outcomes")
    all_single = engine.count("SELECT count(*) FROM legal_groups WHERE NOT single") == 0
    if one_record and (scoring.rule == "exact" or all_single):
        _match_single(engine, kept, words)
        return Outcomes(table="outcomes", form="words", keys=keys, states="state")
    _share_objects(engine, kept)
    if scoring.rule in _WHOLE:
        hit = ", ".join(f"bit_or({word}) AS {word}" for word in words)
        hits = f"SELECT r, m, {hit} FROM shared WHERE {_WHOLE[scoring.rule]} GROUP BY r, m"
        found = ", ".join(f"coalesce({word}, 0) AS {word}" for word in words)
        form: Literal["words", "hits"] = "words"
    else:
        hits, found, form, keys = (
            _partial_hits(scoring.rule, words),
            "coalesce(hits, []) AS hits",
            "hits",
            ("state", "hits"),
        )
    engine.run(f"CREATE TEMP TABLE outcomes AS SELECT r, m, state, {found} FROM states LEFT JOIN ({hits}) USING (r, m)")
    return Outcomes(table="outcomes", form=form, keys=keys, states="state")


def _match_single(engine: Engine, kept: str, words: list[str]) -> None:
    """One record a pair, so a hypothesis of one object: it hits the groups that hold that object alone."""
    targets = ", ".join(f"bit_or({word}) AS {word}" for word in words)
    found = ", ".join(f"coalesce({word}, 0) AS {word}" for word in words)
    engine.run(
        f"""
        CREATE TEMP TABLE outcomes AS
        WITH targets AS (SELECT r, o, {targets} FROM legal_groups WHERE single GROUP BY r, o)
        SELECT r, m, state, {found} FROM {kept} LEFT JOIN targets USING (r, o)
        """
    )


def _share_objects(engine: Engine, kept: str) -> None:
    """Tables `states` (a pair each) and `shared`: predicted and legal sets with a common object, and their sizes."""
    for table in ("states", "shared", "predicted_sets", "legal_sets"):
        engine.run(f"DROP TABLE IF EXISTS {table}")
    engine.run(f"CREATE TEMP TABLE states AS SELECT r, m, min(state) AS state FROM {kept} GROUP BY r, m")
    engine.run(
        f"""
        CREATE TEMP TABLE predicted_sets AS
        SELECT r, m, h, o, count(*) OVER (PARTITION BY r, m, h) AS predicted
        FROM (SELECT DISTINCT r, m, h, o FROM {kept} WHERE h IS NOT NULL)
        """
    )
    engine.run(
        """
        CREATE TEMP TABLE legal_sets AS
        SELECT r, g, o, count(*) OVER (PARTITION BY r, g) AS legal
        FROM (SELECT DISTINCT r, g, o FROM judged SEMI JOIN legal_groups USING (r, g))
        """
    )
    engine.run(
        """
        CREATE TEMP TABLE shared AS
        WITH met AS (
            SELECT r, m, h, g, count(*) AS shared, any_value(predicted) AS predicted, any_value(legal) AS legal
            FROM predicted_sets JOIN legal_sets USING (r, o)
            GROUP BY r, m, h, g
        )
        SELECT * FROM met JOIN (SELECT * EXCLUDE (o, single) FROM legal_groups) USING (r, g)
        """
    )


def _partial_hits(rule: str, words: list[str]) -> str:
    """A list per pair of [numerator, denominator, words]: each credit earned, and the patterns under which it is."""
    numerator, denominator = _PARTIAL[rule]
    credit = f"SELECT r, m, {numerator} AS p, {denominator} AS q, {', '.join(words)} FROM shared"
    lowest = f"SELECT r, m, p // gcd(p, q) AS p, q // gcd(p, q) AS q, {', '.join(words)} FROM ({credit})"
    gathered = ", ".join(f"bit_or({word}) AS {word}" for word in words)
    merged = f"SELECT r, m, p, q, {gathered} FROM ({lowest}) GROUP BY r, m, p, q"
    return (
        f"SELECT r, m, list([p, q, {', '.join(words)}]::BIGINT[] ORDER BY p, q) AS hits FROM ({merged}) GROUP BY r, m"
    )


def score_outcomes(engine: Engine, substrate: Substrate, kept: str, scoring: Scoring, *, one_record: bool) -> Outcomes:
    """The scored repeats of every pair with a record: in the order of epochs where that tells, or as a multiset."""
    engine.run("DROP TABLE IF EXISTS outcomes")
    column = substrate.scores[scoring.column]
    value = column.alias
    if scoring.at_least is not None:
        passing = sum(v < scoring.at_least for v in read_values(column.values, scoring))
        value = f"({column.alias} >= {passing})::BIGINT"
    item = f"((state::BIGINT << {STATE_SHIFT}) | CASE WHEN state = 0 THEN {value} ELSE 0 END)"
    if one_record:
        engine.run(f"CREATE TEMP TABLE outcomes AS SELECT r, m, {item} AS item FROM {kept}")
        return Outcomes(table="outcomes", form="item", keys=("item",), states=f"item >> {STATE_SHIFT}")
    order = "epoch" if scoring.repeats == "first" or (scoring.repeats, scoring.ties) == ("mode", "first") else "item"
    engine.run(
        f"CREATE TEMP TABLE outcomes AS SELECT r, m, list(item ORDER BY {order}) AS items "
        f"FROM (SELECT r, m, epoch, {item} AS item FROM {kept}) GROUP BY r, m"
    )
    states = f"list_transform(items, lambda x: x >> {STATE_SHIFT})"
    states = f"list_sort({states if least_kept(scoring) > 1 else f'list_distinct({states})'})"
    return Outcomes(table="outcomes", form="items", keys=("items",), states=states)


def read_values(values: Sequence[Fraction], scoring: Scoring) -> list[Fraction]:
    """The values of a score column as the scoring reads them, ascending as they are."""
    if scoring.decimals is None:
        return list(values)
    return [rounded(value, scoring.decimals, half_up=scoring.rounding == "half_up") for value in values]


def add_absent_pairs(engine: Engine, substrate: Substrate, outcomes: Outcomes, reading: Reading) -> None:
    """Pairs left with no record: `empty` where the reading says so and the data had one, `missing` otherwise."""
    rows, methods = substrate.rows.height, len(substrate.methods)
    if engine.count(f"SELECT count(*) FROM {outcomes.table}") == rows * methods:
        return
    left = EMPTY if reading.none_left == "empty" else MISSING
    state = f"CASE WHEN recorded.r IS NULL THEN {MISSING} ELSE {left} END"
    engine.run(
        f"""
        INSERT INTO {outcomes.table}
        WITH pairs AS (
            SELECT * FROM (SELECT unnest(range({rows}))::UINTEGER AS r) CROSS JOIN
                (SELECT unnest(range({methods}))::UINTEGER AS m)
        ),
        absent AS (SELECT r, m FROM pairs ANTI JOIN {outcomes.table} USING (r, m)),
        recorded AS (SELECT DISTINCT r, m FROM answers_in)
        SELECT absent.r, absent.m, {", ".join(_absent_key(outcomes, state))}
        FROM absent LEFT JOIN recorded ON absent.r = recorded.r AND absent.m = recorded.m
        """
    )


def _absent_key(outcomes: Outcomes, state: str) -> Sequence[str]:
    item = f"({state})::BIGINT << {STATE_SHIFT}"
    match outcomes.form:
        case "words":
            return [state, *("0" for _ in outcomes.keys[1:])]
        case "hits":
            return [state, "[]"]
        case "item":
            return [item]
        case _:
            return [f"[{item}]"]
