"""Repeats that are combined into one score, against values worked out by hand and choices counted one by one."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiverse.exact import integers
from multiverse.scoring.repeats import Combined, Runs, least_kept, pass_share
from multiverse.specification import Scoring

HALF = Fraction(1, 2)


def scoring(**fields: object) -> Scoring:
    return Scoring(id="", rule="column", **fields)  # type: ignore[arg-type]


def combined(runs: list[list[int]], rule: Scoring, *, kept: list[list[bool]] | None = None, one: int = 4) -> Combined:
    flat = [number for run in runs for number in run]
    held = [True] * len(flat) if kept is None else [bool(one) for run in kept for one in run]
    starts = np.cumsum([0, *map(len, runs)])[:-1]
    return Runs(integers(flat), np.array(held), starts).combined(rule, one)


def shares(found: Combined, one: int = 4) -> list[Fraction | None]:
    """The scores, None where not eligible."""
    return [
        Fraction(int(number), one * found.factor) if held else None
        for number, held in zip(found.numerators, found.eligible, strict=True)
    ]


def test_a_median_of_an_even_number_is_the_mean_of_the_middle_two() -> None:
    """Quarters: 1, 0, 3 has 1; 4, 0, 1, 2 has 3/2; what is not kept does not count."""
    assert shares(combined([[1, 0, 3], [4, 0, 1, 2]], scoring(repeats="median"))) == [Fraction(1, 4), Fraction(3, 8)]
    kept = [[True, True, False], [False] * 4]
    assert shares(combined([[1, 0, 3], [4, 0, 1, 2]], scoring(repeats="median"), kept=kept)) == [Fraction(1, 8), None]


@pytest.mark.parametrize(("ties", "score"), [("first", HALF), ("lowest", Fraction(1, 4)), ("highest", 1)])
def test_a_tie_for_the_mode_is_broken_as_declared(ties: str, score: Fraction) -> None:
    """2, 1, 4 occur twice each, 2 the earliest; 0 once."""
    assert shares(combined([[2, 0, 1, 4, 1, 4, 2]], scoring(repeats="mode", ties=ties))) == [score]


def test_the_mode_of_nothing_kept_is_excluded() -> None:
    assert shares(combined([[2], [1]], scoring(repeats="mode"), kept=[[False], [True]])) == [None, Fraction(1, 4)]
    assert shares(combined([[2]], scoring(repeats="mode"), kept=[[False]])) == [None]


@given(passes=st.lists(st.booleans(), min_size=1, max_size=7), asked=st.integers(1, 7))
def test_pass_at_counts_the_choices_with_a_pass_and_pass_all_those_without_a_failure(
    passes: list[bool], asked: int
) -> None:
    asked = min(asked, len(passes))
    choices = [*combinations(passes, asked)]
    for rule, enough in {"pass_at": any, "pass_all": all}.items():
        want = Fraction(sum(map(enough, choices)), len(choices))
        found = pass_share(scoring(repeats=rule, count=asked, fewer="exclude"), sum(passes), len(passes))
        assert found == want


@pytest.mark.parametrize(
    ("fewer", "score"), [("exclude", None), ("clamp", 1), (Fraction(0), 0), (Fraction(1), 1), (HALF, HALF)]
)
def test_fewer_repeats_than_asked_for_score_what_is_declared(fewer: object, score: Fraction | None) -> None:
    """One pass and one failure, of three."""
    rule = scoring(repeats="pass_at", count=3, fewer=fewer)
    assert shares(combined([[4, 0]], rule)) == [score]
    assert least_kept(rule) == (3 if fewer == "exclude" else 1)


def test_at_least_needs_so_many_passes() -> None:
    """Only a full score passes; of fewer repeats than asked for, too few pass."""
    rule = scoring(repeats="at_least", count=2)
    assert shares(combined([[4, 4, 0], [4, 3, 3], [4]], rule)) == [1, 0, 0]


def test_half_is_no_majority_and_a_tie_for_the_mode_may_be() -> None:
    assert shares(combined([[4, 0]], scoring(repeats="majority"))) == [0]
    assert shares(combined([[0, 4]], scoring(repeats="mode", ties="highest"))) == [1]


def test_long_decimals_stay_exact() -> None:
    """(10^25 - 1 + 1) / 2 over 10^25."""
    one = 10**25
    for rule in ("median", "mean"):
        assert shares(combined([[one - 1, 1]], scoring(repeats=rule), one=one), one) == [HALF]
    assert shares(combined([[one, 1, one]], scoring(repeats="mode"), one=one), one) == [1]
    assert shares(combined([[one, 1, one]], scoring(repeats="pass_all", count=2, fewer="exclude"), one=one), one) == [
        Fraction(1, 3)
    ]
