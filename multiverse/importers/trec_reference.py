"""What ir_measures makes of a run by itself, to hold the study against: by topic, and its mean over all topics."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from multiverse.importers.trec_measures import Measure
from multiverse.importers.trec_rankings import by_topics

NOT_INSTALLED = "ir_measures is not installed, so nothing is held against it: pip install 'multiverse[trec]'"
_CLOSE = 1e-9
Judgements = Mapping[str, Mapping[str, int]]


class Reference(NamedTuple):
    """ir_measures, and its names of those measures that it takes from trec_eval."""

    library: Any
    measures: Mapping[str, Any]  # by id


class Referred(NamedTuple):
    """What it makes of one run."""

    means: Mapping[str, float]  # by id of the measure, over all topics of the qrels
    differing: int  # values of topics that are others than those of the study


def reference(measures: Sequence[Measure], levels: Sequence[int]) -> Reference | None:
    """The reference of some measures; `levels`: the relevances above 0 that there are. None where it is missing."""
    try:
        import ir_measures  # noqa: PLC0415 (an extra)
    except ImportError:
        return None
    named = {one.id: _named(ir_measures, one, levels) for one in measures}
    return Reference(ir_measures, {name: found for name, found in named.items() if found is not None})


def _named(library: Any, measure: Measure, levels: Sequence[int]) -> Any:  # noqa: ANN401 (its own classes)
    """A measure as ir_measures names it; None of one that it does not take from trec_eval."""
    names = {"ndcg": library.nDCG, "map": library.AP, "rr": library.RR, "p": library.P, "recall": library.R}
    named = names[measure.name]
    if measure.name == "rr" and measure.cutoff is not None:
        return None
    if measure.exponential:
        named = named(gains={level: 2**level - 1 for level in levels})
    if measure.name != "ndcg":
        named = named(rel=measure.level)
    return named if measure.cutoff is None else named @ measure.cutoff


def refer(
    found: Reference, run: pl.DataFrame, judgements: Judgements, own: Mapping[str, Mapping[str, float]]
) -> Referred:
    """What ir_measures gives for a run, whose topics are handed to it some at a time.

    `own`: the values of the study, by topic and id of the measure.
    """
    totals = {name: one.aggregator() for name, one in found.measures.items()}
    names = {one: name for name, one in found.measures.items()}
    topics: set[str] = set()
    differing = 0
    for metric in _metrics(found, run, judgements):
        name, topic, value = names[metric.measure], metric.query_id, metric.value
        totals[name].add(value)
        topics.add(topic)
        differing += abs(own[topic][name] - value) > _CLOSE if topic in own else 0
    for name, one in found.measures.items():
        for _ in range(len(judgements) - len(topics)):
            totals[name].add(one.DEFAULT)
    return Referred({name: total.result() for name, total in totals.items()}, differing)


def _metrics(found: Reference, run: pl.DataFrame, judgements: Judgements) -> Iterator[Any]:
    for lines in by_topics(run):
        by_topic: dict[str, dict[str, float]] = {}
        for topic, doc, score in lines.select("topic", "doc", "score").iter_rows():
            by_topic.setdefault(topic, {})[doc] = score
        judged = {topic: dict(judgements[topic]) for topic in by_topic if _can_be_judged(judgements.get(topic, {}))}
        for measures in _apart(found) if judged else ():
            evaluator = found.library.pytrec_eval.evaluator(measures, judged)
            yield from evaluator.iter_calc({topic: by_topic[topic] for topic in judged})


def _can_be_judged(rels: Mapping[str, int]) -> bool:
    """Whether a document of a topic is judged; trec_eval 9 reads beyond its memory where all relevances are below 0."""
    return any(rel >= 0 for rel in rels.values())


def _apart(found: Reference) -> Iterator[list[Any]]:
    """nDCG with gains of its own and the rest: asked for together, ir_measures 0.4.3 may give one the other's gains."""
    for gains in (False, True):
        measures = [one for one in found.measures.values() if ("gains" in one.params) == gains]
        if measures:
            yield measures
