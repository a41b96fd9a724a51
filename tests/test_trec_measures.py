"""Measures of rankings, worked out by hand."""

from fractions import Fraction
from math import log2

import pytest

from multiverse.importers.trec_measures import DEFAULTS, Hit, Measure, graded, parse_measure

HITS = [Hit(1, 1), Hit(3, 2), Hit(6, 1)]  # two of three relevant documents below the first
RELEVANT = (2, 1, 1, 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("p@1", Fraction(1)), ("p@5", Fraction(2, 5)), ("p@10", Fraction(3, 10)),
        ("recall@3", Fraction(1, 2)), ("recall@100", Fraction(3, 4)),
        ("rr", Fraction(1)), ("rr@10", Fraction(1)),
        ("map", (1 + Fraction(2, 3) + Fraction(3, 6)) / 4), ("map@3", (1 + Fraction(2, 3)) / 4),
        ("ndcg", (1 + 2 / log2(4) + 1 / log2(7)) / (2 + 1 / log2(3) + 1 / log2(4) + 1 / log2(5))),
        ("ndcg@3", (1 + 2 / log2(4)) / (2 + 1 / log2(3) + 1 / log2(4))),
    ],
)  # fmt: skip
def test_a_measure_of_a_ranking(name: str, value: Fraction | float) -> None:
    one = parse_measure(name)
    assert one is not None
    assert one.value(HITS, RELEVANT) == value


def test_relevance_levels_and_exponential_gain() -> None:
    assert Measure(name="rr", cutoff=None, level=2).value(HITS, RELEVANT) == Fraction(1, 3)
    assert Measure(name="map", cutoff=None, level=2).value(HITS, RELEVANT) == Fraction(1, 3)
    assert Measure(name="recall", cutoff=2, level=2).value(HITS, RELEVANT) == 0
    assert Measure(name="p", cutoff=5, level=3).value(HITS, RELEVANT) == 0
    exponential = Measure(name="ndcg", cutoff=3, exponential=True).value(HITS, RELEVANT)
    assert exponential == (1 + 3 / log2(4)) / (3 + 1 / log2(3) + 1 / log2(4))


def test_nothing_retrieved_and_nothing_relevant() -> None:
    assert [one.value([], RELEVANT) for one in DEFAULTS] == [0] * len(DEFAULTS)
    assert [one.value([], ()) for one in DEFAULTS] == [0] * len(DEFAULTS)


def test_a_long_average_precision_is_read_off_its_double() -> None:
    """Ranks 1, 2, 4, 8 and so on have a common denominator; primes from 100 on have one of 26 digits."""
    doubling = [Hit(2**i, 1) for i in range(10)]
    exact = sum((Fraction(i, 2 ** (i - 1)) for i in range(1, 11)), Fraction(0)) / 10
    assert Measure(name="map", cutoff=None).value(doubling, [1] * 10) == exact
    primes = (101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157)
    found = Measure(name="map", cutoff=None).value([Hit(rank, 1) for rank in primes], [1] * 12)
    assert found == Fraction(repr(sum(i / rank for i, rank in enumerate(primes, 1)) / 12))


@pytest.mark.parametrize(
    ("written", "id_"),
    [("nDCG@10", "ndcg@10"), ("AP", "map"), ("MAP", "map"), ("MRR@10", "rr@10"), ("R@5", "recall@5"), ("P@1", "p@1")],
)
def test_measures_go_by_their_usual_names(written: str, id_: str) -> None:
    found = parse_measure(written)
    assert found is not None
    assert found.id == id_


@pytest.mark.parametrize("written", ["ndcg@0", "ndcg@", "p", "recall", "bpref", "ndcg@1.5", "ndcg 10", "", "ndcg@-1"])
def test_other_names_are_none(written: str) -> None:
    assert parse_measure(written) is None


def test_levels_and_gains_are_options_only_where_they_can_differ() -> None:
    measures = [Measure(name="ndcg", cutoff=10), Measure(name="map", cutoff=None)]
    assert [one.id for one in graded(measures, [])] == ["ndcg@10", "map"]
    assert [one.id for one in graded(measures, [1])] == ["ndcg@10", "map"]
    assert [one.id for one in graded(measures, [1, 3])] == ["ndcg@10", "ndcg@10.exp", "map", "map.rel3"]
    assert [one.id for one in graded(measures, [1, 2, 3, 4, 5, 100])] == [
        "ndcg@10", "map", "map.rel2", "map.rel3", "map.rel4", "map.rel5",
    ]  # fmt: skip
