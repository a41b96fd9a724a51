"""Exact averages over chosen rows against plain means."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiverse.averages import Weighing, average, shares
from multiverse.exact import integers
from multiverse.specification import Aggregation, AggregationRule

RULES: tuple[AggregationRule, ...] = ("row_mean", "cluster_mean", "stratum_mean")
ROWS = st.lists(
    st.tuples(st.integers(0, 7) | st.integers(0, 10**20), st.booleans(), st.integers(0, 3), st.integers(0, 2)),
    min_size=1,
    max_size=12,
)


def averages(rows: list[tuple[int, bool, int, int]], denominator: int, rule: AggregationRule) -> Fraction | None:
    numerators, chosen, cluster, stratum = zip(*rows, strict=True)
    group = None if rule == "row_mean" else np.array(cluster if rule == "cluster_mean" else stratum)
    weighing = Weighing(aggregation=Aggregation(id="", rule=rule), group=group)
    return average(integers(numerators), np.array(chosen), denominator, weighing)


@given(rows=ROWS, denominator=st.integers(1, 9), rule=st.sampled_from(RULES))
def test_averages_are_plain_means(
    rows: list[tuple[int, bool, int, int]], denominator: int, rule: AggregationRule
) -> None:
    groups: dict[int, list[Fraction]] = {}
    for numerator, chosen, cluster, stratum in rows:
        if chosen:
            group = {"row_mean": 0, "cluster_mean": cluster}.get(rule, stratum)
            groups.setdefault(group, []).append(Fraction(numerator, denominator))
    means = [sum(group, Fraction(0)) / len(group) for group in groups.values()]
    want = sum(means, Fraction(0)) / len(means) if means else None
    assert averages(rows, denominator, rule) == want


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("row_mean", Fraction(5, 8)),
        ("cluster_mean", (Fraction(5, 6) + 0) / 2),
        ("stratum_mean", (Fraction(3, 4) + Fraction(1, 2)) / 2),
    ],
)
def test_the_rules_differ_where_groups_do(rule: AggregationRule, value: Fraction) -> None:
    rows = [(2, True, 0, 0), (2, True, 0, 1), (1, True, 0, 0), (0, True, 1, 1), (2, False, 2, 2)]
    assert averages(rows, 2, rule) == value


def test_no_chosen_row_is_undefined() -> None:
    assert [averages([(1, False, 0, 0)], 1, rule) for rule in RULES] == [None] * 3


WEIGHED = st.lists(
    st.tuples(st.integers(0, 7), st.booleans(), st.integers(0, 3), st.sampled_from([0, 1, 2, 10**18])),
    min_size=1,
    max_size=10,
)


@given(rows=WEIGHED, of_groups=st.lists(st.integers(0, 3), min_size=4, max_size=4), grouped=st.booleans())
def test_weighed_averages_and_what_each_row_adds(
    rows: list[tuple[int, bool, int, int]], of_groups: list[int], *, grouped: bool
) -> None:
    """Weighed means within groups, averaged by the groups' weights; the parts of rows sum to the level."""
    numerators, chosen, group, weight = zip(*rows, strict=True)
    own = group if grouped else [0] * len(rows)
    members: dict[int, list[tuple[int, int]]] = {}
    for number, held, code, times in zip(numerators, chosen, own, weight, strict=True):
        if held:
            members.setdefault(code, []).append((number, times))
    means = {
        g: Fraction(sum(n * w for n, w in m), sum(w for _, w in m)) for g, m in members.items() if any(w for _, w in m)
    }
    total = sum(of_groups[g] for g in means)
    want = sum((mean * of_groups[g] for g, mean in means.items()), Fraction(0)) / total if total else None
    weighing = Weighing(
        aggregation=Aggregation(id="", rule="group_mean" if grouped else "row_mean", by="g", weight="w"),
        group=np.array(own),
        weight=integers(weight),
        group_weight=integers([of_groups[g] for g in own]),
    )
    assert average(integers(numerators), np.array(chosen), 1, weighing) == want
    parts = shares(integers(numerators), np.array(chosen), weighing)
    assert (parts is None) is (want is None)
    if parts is not None:
        assert want == sum(
            parts.values[int(kind)] * n for kind, n, held in zip(parts.kind, numerators, chosen, strict=True) if held
        )
