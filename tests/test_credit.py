"""What an outcome scores: hits, states and repeats, against values worked out by hand."""

from fractions import Fraction

import numpy as np
import pytest

from multiverse.exact import Numerators
from multiverse.scoring.credit import (
    MatchedOutcomes,
    RepeatedOutcomes,
    Side,
    is_eligible,
    matched_credit,
    matched_outcomes,
    repeated_credit,
    repeated_outcomes,
)
from multiverse.scoring.outcomes import STATE_SHIFT, Outcomes
from multiverse.specification import Disposition, Entries, Repeats, Scoring

STATES = ("answered", "empty", "missing", "error")
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
DISPOSITION = Disposition(
    id="d",
    legal_present=Entries(by_state={"answered": "match", "empty": Fraction(0), "error": "exclude"}),
    legal_empty=Entries(by_state={"answered": Fraction(0), "empty": Fraction(1), "error": QUARTER}),
)


def shares(side: Side, denominator: int) -> list[Fraction]:
    """The scores of a side with one column."""
    return [Fraction(int(numerator), denominator) for numerator in side.numerators[:, 0]]


@pytest.mark.parametrize(
    ("scores", "repeats", "score"),
    [
        ([1, 0], "mean", HALF),
        ([HALF, QUARTER, 0], "mean", QUARTER),
        ([0, 1], "max", 1),
        ([0, 1], "min", 0),
        ([1, 0], "majority", 0),
        ([1, 1, 0], "majority", 1),
        ([HALF, 1, 1, HALF], "majority", 0),
        ([QUARTER, 1], "first", QUARTER),
        ([1, 0, QUARTER], "median", QUARTER),
        ([1, 0, HALF, QUARTER], "median", Fraction(3, 8)),
        ([1, QUARTER, QUARTER, 1, 0], "mode", 1),
    ],
)
def test_repeats_combine_exactly(scores: list[Fraction | int], repeats: Repeats, score: Fraction | int) -> None:
    """Values in quarters; every repeat is answered."""
    codes = np.array([int(4 * one) for one in scores])
    outcomes = RepeatedOutcomes(np.zeros_like(codes), codes, np.array([0]))
    credit = repeated_credit(
        outcomes, DISPOSITION, STATES, Scoring(id="", repeats=repeats), Numerators(np.arange(5), 4)
    )
    assert shares(credit.present, credit.denominator) == [score]


def test_an_excluded_repeat_is_left_out_and_none_left_is_excluded() -> None:
    """Values 1/4 and 1. Present: (1/4 + 1) / 2; an error alone is excluded. Empty: answers 0, an error 1/4."""
    outcomes = RepeatedOutcomes(np.array([0, 0, 3, 3]), np.array([0, 1, 0, 0]), np.array([0, 3]))
    credit = repeated_credit(outcomes, DISPOSITION, STATES, Scoring(id=""), Numerators(np.array([1, 4]), 4))
    assert shares(credit.present, credit.denominator)[0] == Fraction(5, 8)
    assert credit.present.eligible.tolist() == [True, False]
    assert shares(credit.empty, credit.denominator) == [Fraction(1, 12), QUARTER]


def test_the_first_repeat_that_is_kept_counts() -> None:
    outcomes = RepeatedOutcomes(np.array([3, 0, 0]), np.array([0, 1, 0]), np.array([0]))
    credit = repeated_credit(
        outcomes, DISPOSITION, STATES, Scoring(id="", repeats="first"), Numerators(np.array([1, 3]), 4)
    )
    assert shares(credit.present, credit.denominator) == [Fraction(3, 4)]


def test_means_of_long_decimals_are_exact() -> None:
    """Three times (10^25 - 1) / 10^25, in 83 bits."""
    outcomes = RepeatedOutcomes(np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64), np.array([0]))
    value = Numerators(np.array([10**25 - 1], dtype=object), 10**25)
    credit = repeated_credit(outcomes, DISPOSITION, STATES, Scoring(id=""), value)
    assert shares(credit.present, credit.denominator) == [Fraction(10**25 - 1, 10**25)]


def test_the_best_hit_counts_under_each_pattern() -> None:
    """Pattern 0 grants 1/2, pattern 1 grants 1/2 and 1/4, pattern 2 nothing: 2/4, 2/4, 0/4. Then an empty answer."""
    hits = Outcomes(table="t", form="hits", keys=("state", "hits"), states="state")
    found = {
        "state": np.array([0, 1, 0]),
        "hits": lists([[1, 2, 0b011], [1, 4, 0b010]], [], [[1, 2, 0b011], [1, 4, 0b010]]),
    }
    outcomes, position = matched_outcomes(found, hits, 3)
    assert position.tolist() == [0, 1, 0]
    credit = matched_credit(outcomes, DISPOSITION, STATES)
    assert (credit.denominator, credit.present.numerators.tolist()) == (4, [[2, 2, 0], [0, 0, 0]])
    assert credit.empty.numerators.tolist() == [[0], [4]]
    assert credit.present.eligible.tolist() == credit.empty.eligible.tolist() == [True, True]


def lists(*values: object) -> np.ndarray:
    """An object array of lists, as DuckDB gives them."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def test_a_pattern_beyond_the_first_word_is_hit() -> None:
    words = Outcomes(table="t", form="words", keys=("state", "m0", "m1"), states="state")
    outcomes, _ = matched_outcomes({"state": np.array([0]), "m0": np.array([0]), "m1": np.array([1])}, words, 64)
    credit = matched_credit(outcomes, DISPOSITION, STATES)
    assert np.flatnonzero(credit.present.numerators[0]).tolist() == [62]


def test_items_are_states_and_value_codes() -> None:
    items = Outcomes(table="t", form="items", keys=("items",), states="state")
    found = {"items": lists([0 << STATE_SHIFT | 7, 3 << STATE_SHIFT], [1 << STATE_SHIFT])}
    outcomes, position = repeated_outcomes(found, items)
    assert [part.tolist() for part in outcomes] == [[0, 3, 1], [7, 0, 0], [0, 2]]
    assert position.tolist() == [0, 1]


def test_a_disposition_speaks_for_states_that_are_not_answered() -> None:
    outcomes = MatchedOutcomes(np.array([1, 3]), Numerators(np.ones((2, 1), dtype=np.int64), 1))
    credit = matched_credit(outcomes, DISPOSITION, STATES)
    assert shares(credit.present, credit.denominator)[0] == 0
    assert credit.present.eligible.tolist() == [True, False]
    assert shares(credit.empty, credit.denominator) == [1, QUARTER]


@pytest.mark.parametrize(("held", "eligible"), [((3,), False), ((0, 3), True), ((1,), True)])
def test_a_pair_is_eligible_where_some_state_is_not_excluded(held: tuple[int, ...], *, eligible: bool) -> None:
    assert is_eligible(DISPOSITION.legal_present, STATES, held) is eligible
