"""Rankings and what they score, against plain Python and against ir_measures itself."""

from fractions import Fraction
from pathlib import Path

import ir_measures
import polars as pl
import pytest
from hypothesis import given

from multiverse.importers.trec_files import Run
from multiverse.importers.trec_measures import DEFAULTS, graded
from multiverse.importers.trec_rankings import RANKINGS, Ranking, retrieve
from multiverse.importers.trec_reference import reference
from multiverse.importers.trec_scores import scored, topics_of
from plain_trec import Line, measure, qrels_and_lines, ranking

Qrels = dict[str, dict[str, int]]
SCHEMA = {"topic": pl.String, "doc": pl.String, "rank": pl.Int32, "score": pl.Float64}


def table(lines: list[Line]) -> pl.DataFrame:
    return pl.DataFrame(lines, schema=SCHEMA, orient="row")


def qrels_table(qrels: Qrels) -> pl.DataFrame:
    records = [(topic, doc, rel) for topic, docs in qrels.items() for doc, rel in docs.items()]
    return pl.DataFrame(records, schema={"topic": pl.String, "doc": pl.String, "rel": pl.Int64}, orient="row")


def trec_eval_can_read(drawn: tuple[Qrels, list[Line]]) -> bool:
    """trec_eval 9 reads beyond its memory where all relevances of a topic are below 0."""
    return all(max(docs.values()) >= 0 for docs in drawn[0].values())


@given(qrels_and_lines())
def test_every_ranking_scores_as_plain_python_says(drawn: tuple[Qrels, list[Line]]) -> None:
    qrels, lines = drawn
    topics = topics_of(qrels_table(qrels))
    measures = graded(DEFAULTS, topics.levels)
    found = scored(Run(Path("run"), "sys", table(lines), 0), topics, measures, None)
    judged = {topic for topic in qrels if any(rel > 0 for rel in qrels[topic].values())}
    for one in RANKINGS:
        assert found.values[one].keys() == judged & {line.topic for line in lines}
        for topic, cells in found.values[one].items():
            docs = ranking(lines, topic, qrels[topic], one.id)
            told = [Fraction(cell) if isinstance(cell, str) else cell for cell in cells]
            assert told == [measure(m.id, docs, qrels[topic]) for m in measures]


@given(qrels_and_lines().filter(trec_eval_can_read))
def test_trec_evals_own_ranking_scores_as_ir_measures_says(drawn: tuple[Qrels, list[Line]]) -> None:
    """Topic by topic, on all documents and on the condensed list; and its means over all topics."""
    qrels, lines = drawn
    topics = topics_of(qrels_table(qrels))
    measures = graded(DEFAULTS, topics.levels)
    library = reference(measures, topics.levels)
    assert library is not None
    found = scored(Run(Path("run"), "sys", table(lines), 0), topics, measures, library)
    run: dict[str, dict[str, float]] = {}
    for line in lines:
        run.setdefault(line.topic, {})[line.doc] = line.score
    for condensed in (False, True):
        named = {name: one(judged_only=condensed) for name, one in library.measures.items()}
        calculated = {name: one.calc(qrels, run) for name, one in named.items()}
        own = {(name, m.query_id): m.value for name, told in calculated.items() for m in told.per_query}
        values = found.values[Ranking("docid_ties", condensed=condensed)]
        for topic in qrels:
            cells = values.get(topic, ("0",) * len(measures))
            told = [float(Fraction(cell)) for cell in cells]
            assert told == pytest.approx([own[m.id, topic] for m in measures], abs=1e-12)
        if not condensed:
            assert found.referred is not None
            means = {name: told.aggregated for name, told in calculated.items()}
            assert dict(found.referred.means) == pytest.approx(means, abs=1e-12)


def test_scores_that_are_equal_in_single_precision_are_tied_for_trec_eval_9() -> None:
    lines = table([Line("1", "a", 1, 1.00000000001), Line("1", "b", 2, 1.0)])
    found = retrieve(lines, qrels_table({"1": {"a": 1}}))
    ranks = {one.id: hits["1"][0].rank for one, hits in found.hits.items() if not one.no_self and not one.condensed}
    assert ranks == {"docid_ties": 2, "docid_ties_double": 1, "file_ties": 1, "rank_column": 1}


def test_of_a_document_twice_the_last_line_counts_as_in_ir_measures() -> None:
    lines = [Line("1", "a", 1, 9.0), Line("1", "b", 2, 5.0), Line("1", "a", 3, 1.0)]
    found = retrieve(table(lines), qrels_table({"1": {"a": 1}}))
    assert (found.hits[RANKINGS[0]]["1"][0].rank, found.repeated, found.counts) == (2, 1, {"1": 2})
    scores = [ir_measures.ScoredDoc(line.topic, line.doc, line.score) for line in lines]
    assert ir_measures.RR.calc_aggregate([ir_measures.Qrel("1", "a", 1)], scores) == 0.5


def test_what_is_seen_of_rank_columns_and_scores() -> None:
    """Topic 1 has a rank twice, 2 none, 3 is in another order than its scores, 4 has a NaN."""
    lines = [
        Line("1", "a", 1, 2.0), Line("1", "b", 1, 1.0), Line("3", "a", 1, 1.0), Line("3", "b", 2, 2.0),
        Line("4", "a", 1, float("nan")), Line("5", "a", 1, 1.0), Line("5", "b", 2, 1.0),
    ]  # fmt: skip
    without = pl.DataFrame([("2", "a", None, 1.0)], schema=SCHEMA, orient="row")
    found = retrieve(pl.concat([table(lines), without]), qrels_table({"1": {"a": 1}}))
    assert (found.unranked, found.contradicted, found.unordered) == (2, 1, frozenset({"4"}))
