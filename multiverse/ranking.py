"""Rankings as weak orders, pair relations, Kendall's tau-b, rank sets and winners (DESIGN section 5, paper D.4)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import sqrt
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

WeakOrder: TypeAlias = tuple[tuple[str, ...], ...]  # tie groups, best first; names in code-point order
Relation: TypeAlias = Literal["robust_strict", "robust_tie", "weak", "reversal"]


class OrderCount(NamedTuple):
    """One weak order, how many specifications give it, and the first that does."""

    order: WeakOrder
    specs: int
    first: str


class Signs(NamedTuple):
    """How many specifications give a margin each sign, and how many leave it undefined."""

    plus: int
    zero: int
    minus: int
    undefined: int


class PairRelation(NamedTuple):
    """How the margin of two methods behaves over a family; no relation where it is nowhere defined."""

    a: str
    b: str
    relation: Relation | None
    signs: Signs


class TauRange(NamedTuple):
    """The least and the greatest Kendall tau-b between the levels of two specifications."""

    min: float
    max: float


@dataclass(frozen=True, kw_only=True, slots=True)
class RankingSet:
    """What a family of specifications says of the ranking of the methods."""

    orders: tuple[OrderCount, ...]  # as they first occur
    undefined_specs: tuple[str, ...]
    pairs: tuple[PairRelation, ...]
    tau_b: TauRange | None
    rank_sets: Mapping[str, tuple[int, ...]]
    winners: tuple[str, ...]


def weak_order(levels: Mapping[str, Fraction | None]) -> WeakOrder | None:
    """Methods by level, best first, equal levels tied; None where a level is undefined."""
    known = {method: level for method, level in levels.items() if level is not None}
    if len(known) < len(levels):
        return None
    best_first = sorted(known, key=lambda method: (-known[method], method))
    return tuple(tuple(group) for _, group in groupby(best_first, key=lambda method: known[method]))


def competition_ranks(order: WeakOrder) -> dict[str, int]:
    """Each method's rank: 1 + the number of methods strictly above it."""
    ranks: dict[str, int] = {}
    for group in order:
        ranks |= dict.fromkeys(group, 1 + len(ranks))
    return ranks


def ranking_set(
    orders: Mapping[str, WeakOrder | None],
    margins: Mapping[tuple[str, str], Sequence[Fraction | None]],
    methods: Sequence[str],
) -> RankingSet:
    """The rankings over a family: `orders` by specification, and the margin of every pair in the same order."""
    defined = {spec: order for spec, order in orders.items() if order is not None}
    counts = Counter(defined.values())
    firsts: dict[WeakOrder, str] = {}
    for spec, order in defined.items():
        firsts.setdefault(order, spec)
    ranks = [competition_ranks(order) for order in firsts]
    rank_sets = {method: tuple(sorted({rank[method] for rank in ranks})) for method in methods}
    return RankingSet(
        orders=tuple(OrderCount(order, counts[order], first) for order, first in firsts.items()),
        undefined_specs=tuple(spec for spec, order in orders.items() if order is None),
        pairs=tuple(pair_relation(a, b, values) for (a, b), values in margins.items()),
        tau_b=tau_range(counts),
        rank_sets=rank_sets,
        winners=tuple(method for method in methods if 1 in rank_sets[method]),
    )


def pair_relation(a: str, b: str, margins: Iterable[Fraction | None]) -> PairRelation:
    """The relation of two methods from the signs of their margin over a family."""
    found = Counter("undefined" if margin is None else _sign(margin) for margin in margins)
    signs = Signs(found["plus"], found["zero"], found["minus"], found["undefined"])
    return PairRelation(a, b, _relation(signs), signs)


def _sign(margin: Fraction) -> str:
    if margin > 0:
        return "plus"
    return "minus" if margin < 0 else "zero"


def _relation(signs: Signs) -> Relation | None:
    if signs.plus and signs.minus:
        return "reversal"
    if signs.plus or signs.minus:
        return "weak" if signs.zero else "robust_strict"
    return "robust_tie" if signs.zero else None


def tau_range(counts: Mapping[WeakOrder, int]) -> TauRange | None:
    """Kendall's tau-b over every two specifications; an order that ties all methods has none.

    `counts`: how many specifications give each weak order. None where no two specifications have a tau.
    """
    orders = [order for order in counts if len(order) > 1]
    if not orders or sum(counts[order] for order in orders) < 2:
        return None
    signs = np.array([_pair_signs(order) for order in orders], dtype=np.int64)
    agreement = signs @ signs.T  # concordant minus discordant pairs
    untied = np.diag(agreement)  # pairs that an order does not tie
    first, second = np.triu_indices(len(orders), 1)
    found = set(zip(agreement[first, second].tolist(), (untied[first] * untied[second]).tolist(), strict=True))
    if any(counts[order] > 1 for order in orders):
        found.add((1, 1))
    ordered = sorted(found, key=lambda tau: Fraction(tau[0] * abs(tau[0]), tau[1]))
    return TauRange(*(concordance / sqrt(product) for concordance, product in (ordered[0], ordered[-1])))


def _pair_signs(order: WeakOrder) -> NDArray[np.int64]:
    ranks = competition_ranks(order)
    levels = np.array([ranks[method] for method in sorted(ranks)], dtype=np.int64)
    first, second = np.triu_indices(len(levels), 1)
    signs: NDArray[np.int64] = np.sign(levels[second] - levels[first])
    return signs
