"""Which rows count where an aggregation looks at all methods together, and the share of the others that each beats."""

from math import lcm

import numpy as np
from numpy.typing import NDArray

from multiverse.exact import Integers, Numerators, integers, scaled
from multiverse.specification import Support

Bits = NDArray[np.bool_]


def supported(eligible: Bits, support: Support) -> Bits:
    """The rows on which each method counts: (rows, methods), from those on which it is eligible.

    `common`: only rows on which all are. `complete`: no row of a method that lacks one on which another is eligible.
    """
    if support == "common":
        shared: Bits = eligible & np.all(eligible, axis=1, keepdims=True)
        return shared
    if support == "complete":
        whole: Bits = eligible & np.all(eligible[np.any(eligible, axis=1)], axis=0, keepdims=True)
        return whole
    return eligible


def win_shares(scores: Integers, eligible: Bits) -> tuple[Numerators, Bits]:
    """The share of the other methods eligible on the row that a method's score is above, ties by half: (rows, methods).

    A method that is alone on a row is not eligible there.
    """
    others = eligible.sum(axis=1)[:, None] - eligible
    half_wins = np.zeros(scores.shape, dtype=np.int64)
    for other in range(scores.shape[1]):
        opponent = scores[:, [other]]
        won = 2 * (scores > opponent).astype(np.int64) + (scores == opponent)
        won[:, other] = 0
        half_wins += np.where(eligible[:, [other]], won, 0)
    held = eligible & (others > 0)
    counts = np.where(held, others, 1)
    multiple = lcm(*np.unique(counts).tolist())
    weights = integers((multiple // counts.ravel()).tolist()) if multiple < 2**62 else _large(multiple, counts)
    values = scaled(np.where(held, half_wins, 0).reshape(-1, 1), weights).reshape(scores.shape)
    return Numerators(values, 2 * multiple), held


def _large(multiple: int, counts: NDArray[np.int64]) -> Integers:
    return np.array([multiple // int(count) for count in counts.ravel()], dtype=object)


def win_share_denominator(methods: int) -> int:
    """A multiple of the denominator of every win share among so many methods."""
    return 2 * lcm(*range(1, max(methods, 2)))
