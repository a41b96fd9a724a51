"""Shapley shares by their axioms and by orders written out; the Moebius transform by its inverse."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiverse.deletion import Corner, SetFunction, interactions, shapley_shares, subsets

CLASSES = ["a", "b", "c", "d"]
CORNERS = subsets(CLASSES)
ALL, NONE = frozenset(CLASSES), frozenset[str]()
FRACTIONS = st.integers(-9, 9).map(lambda number: Fraction(number, 7))
FUNCTIONS: st.SearchStrategy[dict[Corner, Fraction]] = st.fixed_dictionaries(dict.fromkeys(CORNERS, FRACTIONS))


def test_subsets_are_in_order_of_size_then_of_the_classes() -> None:
    assert [sorted(corner) for corner in subsets(["b", "a", "c"])] == [
        [], ["b"], ["a"], ["c"], ["a", "b"], ["b", "c"], ["a", "c"], ["a", "b", "c"]
    ]  # fmt: skip


@given(FUNCTIONS)
def test_shares_are_mean_marginal_contributions_over_all_orders(value: SetFunction) -> None:
    orders = list(permutations(CLASSES))
    sums = dict.fromkeys(CLASSES, Fraction(0))
    for order in orders:
        for place, one in enumerate(order):
            sums[one] += value[frozenset(order[: place + 1])] - value[frozenset(order[:place])]
    assert shapley_shares(value, CLASSES) == {one: total / len(orders) for one, total in sums.items()}


@given(FUNCTIONS)
def test_shares_sum_to_the_total(value: SetFunction) -> None:
    assert sum(shapley_shares(value, CLASSES).values()) == value[ALL] - value[NONE]


@given(FUNCTIONS)
def test_classes_that_may_be_exchanged_have_equal_shares(value: SetFunction) -> None:
    exchange = {"a": "b", "b": "a"}
    exchanged = {corner: value[frozenset(exchange.get(one, one) for one in corner)] for corner in CORNERS}
    shares = shapley_shares({corner: value[corner] + exchanged[corner] for corner in CORNERS}, CLASSES)
    assert shares["a"] == shares["b"]


@given(FUNCTIONS, FRACTIONS)
def test_a_class_that_always_adds_the_same_has_that_share(value: SetFunction, added: Fraction) -> None:
    constant = {corner: value[corner - {"c"}] + ("c" in corner) * added for corner in CORNERS}
    assert shapley_shares(constant, CLASSES)["c"] == added


@given(FUNCTIONS, FUNCTIONS)
def test_shares_of_a_sum_are_sums_of_shares(value: SetFunction, other: SetFunction) -> None:
    both = shapley_shares({corner: value[corner] + other[corner] for corner in CORNERS}, CLASSES)
    one, two = shapley_shares(value, CLASSES), shapley_shares(other, CLASSES)
    assert both == {name: one[name] + two[name] for name in CLASSES}


@given(FUNCTIONS)
def test_interactions_of_all_subsets_sum_to_the_value(value: SetFunction) -> None:
    found = interactions(value, CLASSES)
    assert {corner: sum(found[part] for part in CORNERS if part <= corner) for corner in CORNERS} == value


@given(FUNCTIONS)
def test_a_share_divides_every_interaction_equally(value: SetFunction) -> None:
    found = interactions(value, CLASSES)
    assert shapley_shares(value, CLASSES) == {
        one: sum(found[corner] / len(corner) for corner in CORNERS if one in corner) for one in CLASSES
    }


@pytest.mark.parametrize(
    ("values", "shares", "interaction"),
    [
        ((0, -1, 0, -1), {"terminal": -1, "rest": 0}, 0),  # the terminal class alone (paper section 6.2)
        ((0, 0, 0, 1), {"terminal": Fraction(1, 2), "rest": Fraction(1, 2)}, 1),  # only both together
        ((2, 5, 4, 6), {"terminal": Fraction(5, 2), "rest": Fraction(3, 2)}, -1),  # (3 + 2)/2 and (2 + 1)/2
    ],
)
def test_two_classes_by_hand(values: tuple[int, ...], shares: dict[str, Fraction], interaction: int) -> None:
    classes = ["terminal", "rest"]
    value = {corner: Fraction(v) for corner, v in zip(subsets(classes), values, strict=True)}
    assert shapley_shares(value, classes) == shares
    assert interactions(value, classes)[frozenset(classes)] == interaction
