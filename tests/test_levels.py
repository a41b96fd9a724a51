"""Levels from counted signatures, against means worked out by hand."""

from fractions import Fraction

import numpy as np

from multiverse.scoring.levels import (
    ClusterTotals,
    Level,
    SignatureScores,
    Totals,
    cluster_mean,
    cluster_totals,
    differing_supports,
    method_slices,
    row_mean,
    stratum_mean,
    stratum_totals,
)
from multiverse.scoring.signatures import ClusterPatterns, RowClasses


def totals(total: int, support: int) -> Totals:
    return Totals(np.array([total], dtype=object), np.array([support], dtype=np.int64))


def test_a_row_mean_divides_once_at_the_end() -> None:
    """Numerators over 4: (6 + 1) / 4 over 5 + 2 rows."""
    assert row_mean([totals(6, 5), totals(1, 2)], 0, 4) == Level(Fraction(7, 28), 7)


def test_a_stratum_mean_leaves_out_strata_without_an_eligible_row() -> None:
    """((6/4) / 5 + (1/4) / 2) / 2 = (3/10 + 1/8) / 2 = 17/80."""
    assert stratum_mean([totals(6, 5), totals(0, 0), totals(1, 2)], 0, 4) == Level(Fraction(17, 80), 7)


def test_no_eligible_row_leaves_a_level_undefined() -> None:
    none = np.zeros(1, dtype=np.int64)
    assert row_mean([totals(0, 0)], 0, 1) == stratum_mean([], 0, 1) == Level(None, 0)
    assert cluster_mean(ClusterTotals({}, none, none), 0, 1) == Level(None, 0)


def test_a_cluster_mean_averages_clusters_of_any_size() -> None:
    """Signatures 0: scores 1; 1: scores 0; 2: excluded. Two clusters {0, 1}, one {0}, one {2}: (1/2 + 1/2 + 1) / 3."""
    scores = SignatureScores(np.array([[1], [0], [0]]), np.array([[True], [True], [False]]), 1)
    patterns = ClusterPatterns(
        method=np.zeros(3, dtype=np.int64),
        clusters=np.array([2, 1, 1]),
        starts=np.array([0, 2, 3]),
        signatures=np.array([0, 1, 0, 2]),
    )
    assert cluster_mean(cluster_totals(scores, patterns, slice(0, 3)), 0, 1) == Level(Fraction(2, 3), 5)


def test_totals_are_exact_beyond_64_bits() -> None:
    """Three rows of (10^30 - 1) / 10^30: the mean is that, to the last digit."""
    numerator = 10**30 - 1
    scores = SignatureScores(np.array([[numerator]], dtype=object), np.array([[True]]), 10**30)
    one = np.zeros(1, dtype=np.int64)
    classes = RowClasses(np.ones((1, 1), dtype=bool), np.ones((1, 1), dtype=bool), one, one + 3)
    found = stratum_totals(scores, one + 3, one, classes, 0)
    assert row_mean(found, 0, scores.denominator) == Level(Fraction(numerator, 10**30), 3)


def test_methods_are_slices_of_a_sorted_array() -> None:
    assert method_slices(np.array([0, 0, 2]), 4) == [slice(0, 2), slice(2, 2), slice(2, 3), slice(3, 3)]


def test_supports_differ_where_one_method_alone_is_eligible() -> None:
    """Row 0 is legal and drops method 1; row 1 is empty and drops nobody there."""
    present = np.array([[True, False, True], [False, True, False]])
    empty = np.ones((2, 3), dtype=bool)
    found = differing_supports(np.array([True, False]), present, empty)
    assert found.tolist() == [[False, True, False], [True, False, True], [False, True, False]]
