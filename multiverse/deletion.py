"""Factorial deletion decompositions: exact Shapley shares and interactions of a set function (paper section 6.2)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import factorial

Corner = frozenset[str]
SetFunction = Mapping[Corner, Fraction]


def subsets(classes: Sequence[str]) -> list[Corner]:
    """Every set of classes: by size, then in the order of the classes."""
    return [frozenset(chosen) for size in range(len(classes) + 1) for chosen in combinations(classes, size)]


def shapley_shares(value: SetFunction, classes: Sequence[str]) -> dict[str, Fraction]:
    """Each class's mean marginal contribution over all orders; the shares sum to value(all) - value(none) exactly."""
    count = len(classes)
    shares = {}
    for one in classes:
        others = [other for other in classes if other != one]
        shares[one] = sum(
            (
                Fraction(factorial(len(before)) * factorial(count - len(before) - 1), factorial(count))
                * (value[before | {one}] - value[before])
                for before in subsets(others)
            ),
            Fraction(0),
        )
    return shares


def interactions(value: SetFunction, classes: Sequence[str]) -> dict[Corner, Fraction]:
    """The Moebius transform: what each set of classes adds beyond all its proper subsets."""
    found = dict(value)
    for one in classes:
        for corner in subsets(classes):
            if one in corner:
                found[corner] -= found[corner - {one}]
    return found
