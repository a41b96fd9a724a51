"""Rows that count for methods looked at together, and shares of the others that each beats."""

from fractions import Fraction

import numpy as np
import pytest

from multiverse.scoring.supports import supported, win_share_denominator, win_shares
from multiverse.specification import Support

ELIGIBLE = np.array([[True, True, True], [True, False, True], [False, False, False]])


@pytest.mark.parametrize(
    ("support", "rows"),
    [
        ("own", [[1, 1, 1], [1, 0, 1], [0, 0, 0]]),
        ("common", [[1, 1, 1], [0, 0, 0], [0, 0, 0]]),
        ("complete", [[1, 0, 1], [1, 0, 1], [0, 0, 0]]),
    ],
)
def test_supports(support: Support, rows: list[list[int]]) -> None:
    """The second method lacks the second row; nobody has the third, which is asked of no one."""
    assert supported(ELIGIBLE, support).astype(int).tolist() == rows


def test_win_shares_are_of_the_others_that_are_there() -> None:
    """3 against 2 and 3: 1 and 1/2. Without the second: a tie. Alone, there is nothing to win."""
    scores = np.array([[3, 2, 3], [1, 0, 1], [2, 2, 2]])
    eligible = np.array([[True] * 3, [True, False, True], [True, False, False]])
    shares, held = win_shares(scores, eligible)
    found = [
        [Fraction(int(value), shares.denominator) if one else None for value, one in zip(row, kept, strict=True)]
        for row, kept in zip(shares.values, held, strict=True)
    ]
    half = Fraction(1, 2)
    assert found == [[3 * half / 2, 0, 3 * half / 2], [half, None, half], [None, None, None]]


def test_a_denominator_holds_every_share() -> None:
    assert [win_share_denominator(methods) for methods in (1, 2, 3, 5)] == [2, 2, 4, 24]


def test_many_methods_have_exact_shares() -> None:
    """Among 60 methods with every number of others present, the common denominator leaves 64 bits."""
    eligible = np.tril(np.ones((60, 60), dtype=bool))
    shares, _ = win_shares(np.tile(np.arange(60), (60, 1)), eligible)
    assert shares.values.dtype == object
    assert Fraction(int(shares.values[59, 59]), shares.denominator) == 1
    assert Fraction(int(shares.values[59, 1]), shares.denominator) == Fraction(1, 59)
