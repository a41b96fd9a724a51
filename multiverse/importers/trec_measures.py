"""Measures of a ranking: exact fractions, but for nDCG, which is a double as its logarithms are."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm, log2
from typing import Literal, NamedTuple, TypeAlias

from multiverse.exact import shortest_decimal

Name: TypeAlias = Literal["ndcg", "map", "rr", "p", "recall"]
_ALIASES: Mapping[str, Name] = {
    "ndcg": "ndcg", "map": "map", "ap": "map", "rr": "rr", "mrr": "rr", "p": "p", "recall": "recall", "r": "recall",
}  # fmt: skip
_WRITTEN = re.compile(r"([a-z]+)(?:@([1-9][0-9]{0,5}))?", re.ASCII | re.IGNORECASE)
_SHORT = 10**18  # beyond this denominator an average precision is read off its double: it would have hundreds of digits
MOST_LEVELS = 5  # of relevance, counted from the lowest
STEEPEST = 16  # the relevance beyond which a gain of 2**rel - 1 is no grade
MEASURES_EXPECTED = "ndcg, ndcg@K, map, map@K, rr, rr@K, p@K or recall@K, K being a whole number"


class Hit(NamedTuple):
    """A relevant document that was retrieved."""

    rank: int
    rel: int  # its relevance, above 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """A measure of one topic."""

    name: Name
    cutoff: int | None  # None: the whole ranking
    level: int = 1  # the least relevance that counts as relevant; no part of nDCG
    exponential: bool = False  # of nDCG: a document gains 2**rel - 1 instead of rel

    @property
    def family(self) -> str:
        """The measure and its cutoff."""
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"

    @property
    def id(self) -> str:
        """The name of its score column, and of its option."""
        return self.family + (f".rel{self.level}" if self.level > 1 else "") + (".exp" if self.exponential else "")

    def value(self, hits: Sequence[Hit], relevant: Sequence[int]) -> Fraction | float:
        """The measure of a ranking: its hits by rank, and the relevances above 0 of the topic, highest first."""
        hits = [hit for hit in hits if self.cutoff is None or hit.rank <= self.cutoff]
        if self.name == "ndcg":
            return self._ndcg(hits, relevant)
        ranks = [hit.rank for hit in hits if hit.rel >= self.level]
        count = sum(rel >= self.level for rel in relevant)
        if not ranks:
            return Fraction(0)
        match self.name:
            case "map":
                return _average_precision(ranks, count)
            case "rr":
                return Fraction(1, ranks[0])
            case "p":
                assert self.cutoff is not None, "a precision has a cutoff"
                return Fraction(len(ranks), self.cutoff)
            case _:
                return Fraction(len(ranks), count)

    def _ndcg(self, hits: Sequence[Hit], relevant: Sequence[int]) -> float:
        """Summed from the first rank on, as trec_eval does."""
        best = relevant if self.cutoff is None else relevant[: self.cutoff]
        ideal = self._dcg(Hit(rank, rel) for rank, rel in enumerate(best, 1))
        return self._dcg(hits) / ideal if ideal else 0.0

    def _dcg(self, hits: Iterable[Hit]) -> float:
        return sum((2**rel - 1 if self.exponential else rel) / log2(rank + 1) for rank, rel in hits)


def _average_precision(ranks: Sequence[int], count: int) -> Fraction:
    denominator = lcm(*ranks)
    if denominator > _SHORT:
        return shortest_decimal(sum(found / rank for found, rank in enumerate(ranks, 1)) / count)
    return Fraction(sum(found * (denominator // rank) for found, rank in enumerate(ranks, 1)), denominator * count)


def parse_measure(text: str) -> Measure | None:
    """A measure by its name, such as nDCG@10; None where there is none of that name."""
    found = _WRITTEN.fullmatch(text)
    name = _ALIASES.get(found[1].lower()) if found else None
    if found is None or name is None or (name in ("p", "recall") and found[2] is None):
        return None
    return Measure(name=name, cutoff=None if found[2] is None else int(found[2]))


_DEFAULTS = ("ndcg@10", "ndcg@5", "ndcg@20", "map", "rr", "p@10", "p@5", "p@20", "recall@100", "recall@1000")
DEFAULTS = tuple(one for one in map(parse_measure, _DEFAULTS) if one is not None)


def graded(measures: Iterable[Measure], levels: Sequence[int]) -> list[Measure]:
    """Each measure at each relevance level, and nDCG with each gain; `levels`: the relevances above 0, lowest first."""
    steep = bool(levels) and 1 < levels[-1] <= STEEPEST
    found = []
    for one in measures:
        others = [replace(one, level=level) for level in levels[:MOST_LEVELS] if level > 1 and one.name != "ndcg"]
        found += [one, *others, *([replace(one, exponential=True)] if steep and one.name == "ndcg" else [])]
    return found
