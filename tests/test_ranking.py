"""Weak orders, relations and tau-b against counts made by hand."""

from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiverse.ranking import (
    Relation,
    Signs,
    TauRange,
    WeakOrder,
    competition_ranks,
    pair_relation,
    ranking_set,
    tau_range,
    weak_order,
)

THIRD = Fraction(1, 3)
LEVELS = st.dictionaries(st.sampled_from("abcde"), st.integers(0, 3).map(Fraction), min_size=2, max_size=5)


def test_three_thirds_tie_with_one() -> None:
    assert weak_order({"b": THIRD + THIRD + THIRD, "a": Fraction(1), "c": THIRD}) == (("a", "b"), ("c",))


def test_an_undefined_level_leaves_no_ranking() -> None:
    assert weak_order({"a": Fraction(1), "b": None}) is None


def test_names_within_a_tie_are_in_code_point_order() -> None:
    assert weak_order(dict.fromkeys(["é", "z", "Z", "10", "9"], THIRD)) == (("10", "9", "Z", "z", "é"),)


def test_a_rank_is_one_more_than_the_number_strictly_above() -> None:
    assert competition_ranks((("a", "b"), ("c",), ("d", "e"))) == {"a": 1, "b": 1, "c": 3, "d": 4, "e": 4}


@given(LEVELS)
def test_ranks_count_the_levels_strictly_above(levels: dict[str, Fraction]) -> None:
    order = weak_order(levels)
    assert order is not None
    assert competition_ranks(order) == {
        m: 1 + sum(other > level for other in levels.values()) for m, level in levels.items()
    }


@pytest.mark.parametrize(
    ("margins", "relation"),
    [
        ([1, 2], "robust_strict"),
        ([-1, -2], "robust_strict"),
        ([0, 0], "robust_tie"),
        ([0, 1], "weak"),
        ([0, -1], "weak"),
        ([1, 0, -1], "reversal"),
        ([1, None], "robust_strict"),
        ([None, None], None),
    ],
)
def test_a_relation_is_read_from_the_signs(margins: list[int | None], relation: Relation | None) -> None:
    found = pair_relation("a", "b", (None if margin is None else Fraction(margin) for margin in margins))
    assert found.relation == relation
    assert found.signs == Signs(
        sum(m is not None and m > 0 for m in margins), margins.count(0),
        sum(m is not None and m < 0 for m in margins), margins.count(None),
    )  # fmt: skip


# Kendall's tau-b: (concordant - discordant) / sqrt(pairs untied in the one x pairs untied in the other).
# abc against acb: pairs ab +, ac +, bc -: (2 - 1) / sqrt(3 x 3) = 1/3. abc against cba: -3 / 3 = -1.
# abc against a, then b and c tied: ab +, ac +, bc untied only in one: 2 / sqrt(3 x 2).
ABC, ACB, CBA = (("a",), ("b",), ("c",)), (("a",), ("c",), ("b",)), (("c",), ("b",), ("a",))
A_BC, ALL = (("a",), ("b", "c")), (("a", "b", "c"),)


@pytest.mark.parametrize(
    ("counts", "tau"),
    [
        ({ABC: 1, ACB: 1}, TauRange(1 / 3, 1 / 3)),
        ({ABC: 1, CBA: 1, ACB: 1}, TauRange(-1.0, 1 / 3)),
        ({ABC: 1, A_BC: 1}, TauRange(2 / sqrt(6), 2 / sqrt(6))),
        ({ABC: 2, CBA: 1}, TauRange(-1.0, 1.0)),
        ({A_BC: 2}, TauRange(1.0, 1.0)),
        ({ABC: 1, ALL: 5}, None),
        ({ABC: 1}, None),
        ({ALL: 3}, None),
        ({}, None),
    ],
)
def test_tau_b_ranges_over_every_two_specifications(counts: dict[WeakOrder, int], tau: TauRange | None) -> None:
    assert tau_range(counts) == tau


def test_a_ranking_set_keeps_first_occurrences() -> None:
    orders = {"s1": ABC, "s2": None, "s3": ACB, "s4": ABC}
    found = ranking_set(orders, {("a", "b"): [Fraction(1), None, Fraction(1), Fraction(1)]}, ["a", "b", "c"])
    assert [(one.order, one.specs, one.first) for one in found.orders] == [(ABC, 2, "s1"), (ACB, 1, "s3")]
    assert (found.undefined_specs, found.winners) == (("s2",), ("a",))
    assert found.rank_sets == {"a": (1,), "b": (2, 3), "c": (2, 3)}
    assert found.pairs == (pair_relation("a", "b", [Fraction(1), None, Fraction(1), Fraction(1)]),)
    assert found.tau_b == TauRange(1 / 3, 1.0)
