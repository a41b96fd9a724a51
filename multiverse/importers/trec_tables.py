"""Scored runs as the tables of a study: a row a topic, an outcome a topic, run and ranking."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from multiverse.importers.sources import label
from multiverse.importers.trec_files import Qrels
from multiverse.importers.trec_measures import Measure
from multiverse.importers.trec_rankings import Ranking
from multiverse.importers.trec_scores import Cell, Kept, Scored, Topics

RANKING, QRELS = "ranking", "qrels"
UNJUDGED, NO_RELEVANT, NAN_SCORE, MISSING = "unjudged", "no_relevant", "nan_score", "missing"


class TrecTables(NamedTuple):
    """The tables, and how many outcomes are in each state, `missing` by pairs of topic and run without one."""

    rows: pl.DataFrame
    outcomes: pl.DataFrame
    states: dict[str, int]


def tables(kept: Kept, methods: Sequence[str], topics: Topics, qrels: Sequence[Qrels]) -> TrecTables:
    """Rows are the topics of the qrels, in their order, and then those that runs alone have."""
    names = dict.fromkeys(topics.relevant) | dict.fromkeys(t for run in kept.runs for t in run.retrieved.counts)
    states: Counter[str] = Counter()
    frames = []
    for run, method in zip(kept.runs, methods, strict=True):
        found = {topic: _state(run, topics, topic) for topic in names}
        for state in found.values():
            states[state] += 1 if state == MISSING else len(kept.rankings)
        for epoch, ranking in enumerate(kept.rankings, 1):
            frames.append(_outcomes(run, found, ranking, kept.measures, method=method, epoch=epoch))
    outcomes = pl.concat(frames)
    return TrecTables(
        rows=_rows(list(names), topics, qrels),
        outcomes=outcomes if len(kept.rankings) > 1 else outcomes.drop(RANKING),
        states=dict(sorted(states.items())),
    )


def _state(run: Scored, topics: Topics, topic: str) -> str:
    """What a topic lacks by itself is its state for every run, so that every run is treated alike there."""
    if topic not in topics.relevant:
        return UNJUDGED
    if not topics.relevant[topic]:
        return NO_RELEVANT
    if topic not in run.retrieved.counts:
        return MISSING
    return NAN_SCORE if topic in run.retrieved.unordered else "answered"


def _outcomes(
    run: Scored,
    states: Mapping[str, str],
    ranking: Ranking,
    measures: Sequence[Measure],
    *,
    method: str,
    epoch: int,
) -> pl.DataFrame:
    there = [topic for topic, state in states.items() if state != MISSING]
    nothing: tuple[Cell | None, ...] = (None,) * len(measures)
    cells = [run.values[ranking].get(topic, nothing) for topic in there]
    columns: list[pl.Series] = [
        pl.Series("row_id", there, dtype=pl.String),
        pl.Series("method", [method] * len(there), dtype=pl.String),
        pl.Series("epoch", [epoch] * len(there), dtype=pl.Int64),
        pl.Series("status", [states[topic] for topic in there], dtype=pl.String),
        pl.Series(RANKING, [ranking.id] * len(there), dtype=pl.String),
        pl.Series("retrieved", [run.retrieved.counts.get(topic, 0) for topic in there], dtype=pl.Int64),
    ]
    for i, one in enumerate(measures):
        values: list[Any] = [cell[i] for cell in cells]
        columns.append(pl.Series(one.id, values, dtype=pl.Float64 if one.name == "ndcg" else pl.String))
    return pl.DataFrame(columns)


def _rows(names: Sequence[str], topics: Topics, qrels: Sequence[Qrels]) -> pl.DataFrame:
    """The topics, with how many documents are judged, and how many relevant at each level."""
    judged = [sum(rel >= 0 for rel in topics.judgements.get(topic, {}).values()) for topic in names]
    columns = [pl.Series("row_id", names, dtype=pl.String), pl.Series("judged", judged, dtype=pl.Int64)]
    for level in sorted({1, *topics.levels}):
        counts = [sum(rel >= level for rel in topics.relevant.get(topic, ())) for topic in names]
        columns.append(pl.Series("relevant" if level == 1 else f"relevant_{level}", counts, dtype=pl.Int64))
    if len(qrels) > 1:
        named = zip(qrels_names(qrels), qrels, strict=True)
        of = {topic: name for name, one in named for topic in one.table["topic"].unique()}
        columns.append(pl.Series(QRELS, [of.get(topic) for topic in names], dtype=pl.String))
    return pl.DataFrame(columns)


def qrels_names(qrels: Sequence[Qrels]) -> list[str]:
    """The names of files of judgements, or their paths where two have one name."""
    names = [label(one.path.name) for one in qrels]
    return [name if names.count(name) == 1 else label(str(one.path)) for name, one in zip(names, qrels, strict=True)]
