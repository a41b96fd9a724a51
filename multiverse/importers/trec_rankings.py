"""Rankings of a run: its documents in each order that tools take, with and without those that some leave out."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

import polars as pl

from multiverse.importers.trec_measures import Hit

Order: TypeAlias = Literal["docid_ties", "docid_ties_double", "file_ties", "rank_column"]
_SINGLE = pl.col("score").cast(pl.Float32)
_ORDERS: Mapping[Order, tuple[list[pl.Expr], list[bool]]] = {  # what is sorted by, and whether descending
    "docid_ties": ([_SINGLE, pl.col("doc")], [True, True]),
    "docid_ties_double": ([pl.col("score"), pl.col("doc")], [True, True]),
    "file_ties": ([pl.col("score")], [True]),
    "rank_column": ([pl.col("rank")], [False]),
}
ORDER_WORDS: Mapping[Order, str] = {
    "docid_ties": "by score, in single precision; equal scores by document id, descending: trec_eval until 9, and "
    "what is built on it, ir_measures 0.4 among them",
    "docid_ties_double": "by score, in double precision; equal scores by document id, descending: trec_eval 10",
    "file_ties": "by score; equal scores in the order of the file: a stable sort, as in ranx",
    "rank_column": "by the rank column, which trec_eval does not read",
}
CONDENSED_WORDS = "documents without a judgement are taken out: a condensed list (judged_only)"
NO_SELF_WORDS = "a document with the id of its topic is taken out, as BEIR does"
_LINES = 500_000  # of topics that are ranked together


class Ranking(NamedTuple):
    """A way to make a ranking of the lines of a run."""

    order: Order
    no_self: bool = False
    condensed: bool = False

    @property
    def id(self) -> str:
        """The name of its option."""
        return self.order + (".no_self" if self.no_self else "") + (".condensed" if self.condensed else "")

    @property
    def rationale(self) -> str:
        """What it does, in words."""
        parts = [(True, ORDER_WORDS[self.order]), (self.no_self, NO_SELF_WORDS), (self.condensed, CONDENSED_WORDS)]
        return "; ".join(words for told, words in parts if told)


RANKINGS = tuple(Ranking(*one) for one in product(_ORDERS, (False, True), (False, True)))  # trec_eval's own first


class Retrieved(NamedTuple):
    """What a run has of its topics."""

    counts: dict[str, int]  # documents, by topic
    hits: dict[Ranking, dict[str, list[Hit]]]  # the relevant ones by rank, by topic: those that have some
    unordered: frozenset[str]  # topics with a score that is NaN
    unranked: int  # topics whose rank column holds no whole number, or one of them twice
    contradicted: int  # topics whose rank column is in another order than the scores
    repeated: int  # lines whose document a later line of the topic has too


def retrieve(run: pl.DataFrame, qrels: pl.DataFrame) -> Retrieved:
    """Rank the documents of a run; of a document twice on a topic the last line counts, as in ir_measures."""
    found = Retrieved({}, {ranking: {} for ranking in RANKINGS}, frozenset(), 0, 0, 0)
    for lines in by_topics(run):
        table = lines.unique(["topic", "doc"], keep="last", maintain_order=True)
        topics = table.group_by("topic", maintain_order=True).agg(
            pl.len(),
            pl.col("score").is_nan().any().alias("nan"),
            (pl.col("rank").is_null().any() | (pl.col("rank").n_unique() < pl.len())).alias("unranked"),
            (pl.col("score").sort_by("rank").diff() > 0).any().alias("contradicted"),
        )
        found.counts.update(topics.select("topic", "len").iter_rows())
        nan = topics.filter("nan")["topic"]
        _add_hits(table.filter(~pl.col("topic").is_in(nan.implode())), qrels, found.hits)
        found = found._replace(
            unordered=found.unordered | {*nan},
            unranked=found.unranked + int(topics["unranked"].sum()),
            contradicted=found.contradicted + int((topics["contradicted"] & ~topics["unranked"]).sum()),
            repeated=found.repeated + lines.height - table.height,
        )
    return found


def by_topics(run: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The lines of a run, those of some topics at a time, so that sorting them takes little memory."""
    counts = run.group_by("topic", maintain_order=True).len()
    part = (counts["len"].cum_sum() - 1) // _LINES
    for (_,), topics in counts.with_columns(part.alias("part")).group_by("part", maintain_order=True):
        yield run.filter(pl.col("topic").is_in(topics["topic"].implode())) if topics.height < counts.height else run


def _add_hits(table: pl.DataFrame, qrels: pl.DataFrame, hits: Mapping[Ranking, dict[str, list[Hit]]]) -> None:
    judged = table.join(qrels, on=["topic", "doc"], how="left", maintain_order="left")
    for order, (keys, descending) in _ORDERS.items():
        # what is equal by all keys stays in the order of the file
        placed = judged.sort(["topic", *keys], descending=[False, *descending], maintain_order=True)
        for ranking in RANKINGS:
            if ranking.order == order:
                hits[ranking].update(_hits(placed, ranking))


def _hits(placed: pl.DataFrame, ranking: Ranking) -> Iterator[tuple[str, list[Hit]]]:
    kept = pl.lit(value=True)
    if ranking.no_self:
        kept &= pl.col("doc") != pl.col("topic")
    if ranking.condensed:
        kept &= (pl.col("rel") >= 0).fill_null(value=False)  # below 0 is in the pool and not judged
    ranks = placed.filter(kept).with_columns(pl.int_range(1, pl.len() + 1).over("topic").alias("place"))
    relevant = ranks.filter(pl.col("rel") > 0).group_by("topic", maintain_order=True).agg("place", "rel")
    for topic, places, rels in relevant.iter_rows():
        yield topic, [Hit(place, rel) for place, rel in zip(places, rels, strict=True)]
