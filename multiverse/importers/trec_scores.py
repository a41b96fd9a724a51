"""Runs scored topic by topic, under every ranking and measure that makes a difference somewhere."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple, TypeAlias

import polars as pl

from multiverse.exact import exact_text
from multiverse.importers.trec_files import Run
from multiverse.importers.trec_measures import Hit, Measure
from multiverse.importers.trec_rankings import RANKINGS, Ranking, Retrieved, retrieve
from multiverse.importers.trec_reference import Judgements, Reference, Referred, refer

Cell: TypeAlias = str | float  # an exact number as text, or a double
Values: TypeAlias = dict[str, tuple[Cell, ...]]  # by topic, measure by measure


class Topics(NamedTuple):
    """The judgements of all topics."""

    table: pl.DataFrame  # topic, doc, rel
    judgements: Judgements
    relevant: Mapping[str, tuple[int, ...]]  # the relevances above 0 of each topic, highest first

    @property
    def levels(self) -> list[int]:
        """The relevances above 0 that there are, lowest first."""
        return sorted({rel for rels in self.relevant.values() for rel in rels})


class Scored(NamedTuple):
    """A run, and what it scores."""

    path: Path
    tag: str
    comments: int
    retrieved: Retrieved
    values: Mapping[Ranking, Values]  # of the topics with a relevant document that it has in an order
    referred: Referred | None


class Kept(NamedTuple):
    """Scored runs without the measures and rankings that say the same as another."""

    runs: list[Scored]
    measures: list[Measure]
    rankings: list[Ranking]
    same: dict[Ranking, Ranking]  # the one that stands for each


def topics_of(table: pl.DataFrame) -> Topics:
    """The judgements by topic."""
    judgements: dict[str, dict[str, int]] = {}
    for topic, doc, rel in table.select("topic", "doc", "rel").iter_rows():
        judgements.setdefault(topic, {})[doc] = rel
    relevant = {
        topic: tuple(sorted((rel for rel in docs.values() if rel > 0), reverse=True))
        for topic, docs in judgements.items()
    }
    return Topics(table, judgements, relevant)


def scored(run: Run, topics: Topics, measures: Sequence[Measure], reference: Reference | None) -> Scored:
    """What a run scores on each topic, under each ranking."""
    retrieved = retrieve(run.table, topics.table)
    told = [t for t in retrieved.counts if topics.relevant.get(t) and t not in retrieved.unordered]
    values: dict[Ranking, Values] = {ranking: {} for ranking in RANKINGS}
    for topic in told:
        known: dict[tuple[Hit, ...], tuple[Cell, ...]] = {}  # most rankings have the same hits
        for ranking in RANKINGS:
            hits = tuple(retrieved.hits[ranking].get(topic, ()))
            if hits not in known:
                known[hits] = tuple(_cell(one.value(hits, topics.relevant[topic])) for one in measures)
            values[ranking][topic] = known[hits]
    referred = None
    if reference is not None:
        own = {topic: _numbers(cells, measures) for topic, cells in values[RANKINGS[0]].items()}
        referred = refer(reference, run.table, topics.judgements, own)
    return Scored(run.path, run.tag, run.comments, retrieved._replace(hits={}), _once(values), referred)


def _once(values: Mapping[Ranking, Values]) -> dict[Ranking, Values]:
    """Values of rankings that score alike are held once."""
    distinct: list[Values] = []
    for one in values.values():
        if one not in distinct:
            distinct.append(one)
    return {ranking: distinct[distinct.index(one)] for ranking, one in values.items()}


def _numbers(cells: Sequence[Cell], measures: Sequence[Measure]) -> dict[str, float]:
    return {one.id: float(Fraction(cell)) for one, cell in zip(measures, cells, strict=True)}


def _cell(value: Fraction | float) -> Cell:
    return exact_text(value) if isinstance(value, Fraction) else value


def kept(runs: Sequence[Scored], measures: Sequence[Measure], wanted: Sequence[str]) -> Kept:
    """What makes a difference somewhere; `wanted`: families of measures that were asked for, which stay."""
    deepest = max((count for run in runs for count in run.retrieved.counts.values()), default=0)
    chosen = list(_distinct_measures(runs, measures, wanted, deepest))
    runs = [run._replace(values=_once({r: _chosen(told, chosen) for r, told in run.values.items()})) for run in runs]
    rankings, same = _distinct_rankings(runs)
    return Kept(runs, [measures[i] for i in chosen], rankings, same)


def _distinct_rankings(runs: Sequence[Scored]) -> tuple[list[Ranking], dict[Ranking, Ranking]]:
    """Rankings that differ from each that is next to them: of the same order, or of the same documents."""
    same: dict[Ranking, Ranking] = {}  # itself, of one that stays
    unranked = any(run.retrieved.unranked for run in runs)
    for ranking in RANKINGS:
        if ranking.order == "rank_column" and unranked:
            continue
        near = [one for one in same if one.order == ranking.order or one[1:] == ranking[1:]]
        like = next((one for one in near if all(run.values[one] == run.values[ranking] for run in runs)), None)
        same[ranking] = ranking if like is None else same[like]
    return list(dict.fromkeys(same.values())), same


def _distinct_measures(
    runs: Sequence[Scored], measures: Sequence[Measure], wanted: Sequence[str], deepest: int
) -> Iterator[int]:
    """Positions of measures but those that score as one of the same name does, or cut no ranking."""
    cells = [cells for run in runs for values in run.values.values() for cells in values.values()]
    found: list[int] = []
    for i, one in enumerate(measures):
        alike = [j for j in found if measures[j].name == one.name]
        first = measures[alike[0]] if alike else one
        cuts_nothing = one.cutoff is not None and one.cutoff > deepest and one.cutoff != first.cutoff
        says_the_same = any(all(cell[i] == cell[j] for cell in cells) for j in alike)
        if one.id in wanted or not (says_the_same or (cuts_nothing and one.family not in wanted)):
            found.append(i)
            yield i


def _chosen(values: Values, positions: Sequence[int]) -> Values:
    return {topic: tuple(cells[i] for i in positions) for topic, cells in values.items()}
