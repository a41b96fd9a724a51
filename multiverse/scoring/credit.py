"""What an outcome scores under a disposition: when the row's legal family is present, and when it is empty."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiverse.exact import Integers, Numerators, integers, over_common_denominator, times
from multiverse.scoring.engine import Arrays
from multiverse.scoring.legality import Bits, unpack
from multiverse.scoring.outcomes import STATE_SHIFT, Outcomes
from multiverse.scoring.repeats import Runs
from multiverse.specification import Disposition, Entries, Scoring

Counts = NDArray[np.int64]
Hit = tuple[Fraction, tuple[int, ...]]  # a credit, and the words of the patterns that grant it


class MatchedOutcomes(NamedTuple):
    """Distinct outcomes of matching: each a state, and the credit earned under each legality pattern."""

    state: Counts  # (outcomes,)
    credit: Numerators  # values: (outcomes, patterns)


class RepeatedOutcomes(NamedTuple):
    """Outcomes of scored repeats, each a run of (state, value code); a code is read only in an answered repeat."""

    state: Counts  # (repeats,) of all outcomes in turn
    code: Counts  # (repeats,)
    starts: Counts  # (outcomes,) where each outcome's repeats start


class Side(NamedTuple):
    """Scores on one side (family present, or empty): numerators (outcomes, patterns or 1), and who is eligible."""

    numerators: Integers
    eligible: Bits  # (outcomes,)


class Credit(NamedTuple):
    """Scores of every outcome under one disposition, over one denominator."""

    present: Side
    empty: Side
    denominator: int


def matched_outcomes(found: Arrays, outcomes: Outcomes, width: int) -> tuple[MatchedOutcomes, Counts]:
    """The distinct outcomes among counted signatures, and the position of each signature's."""
    if outcomes.form == "words":
        keys = np.stack([found[key].astype(np.int64) for key in outcomes.keys], axis=1)
        distinct, position = np.unique(keys, axis=0, return_inverse=True)
        hit = unpack(list(distinct[:, 1:].T), width).astype(np.int64)
        return MatchedOutcomes(distinct[:, 0], Numerators(hit, 1)), position.ravel()
    pairs = [(int(state), _hits(hits)) for state, hits in zip(found["state"], found["hits"], strict=True)]
    first = {pair: i for i, pair in enumerate(dict.fromkeys(pairs))}
    states = np.array([state for state, _ in first], dtype=np.int64)
    return MatchedOutcomes(states, _best_hits([hits for _, hits in first], width)), np.array([first[p] for p in pairs])


def _hits(hits: Iterable[Sequence[int]]) -> tuple[Hit, ...]:
    return tuple((Fraction(int(p), int(q)), tuple(map(int, words))) for p, q, *words in hits)


def _best_hits(outcomes: Sequence[tuple[Hit, ...]], width: int) -> Numerators:
    """The best credit of each outcome under each pattern."""
    credits = sorted({credit for hits in outcomes for credit, _ in hits})
    numerators, denominator = over_common_denominator(credits)
    known = dict(zip(credits, numerators.tolist(), strict=True))
    best = np.zeros((len(outcomes), width), dtype=numerators.dtype if credits else np.int64)
    for row, hits in enumerate(outcomes):
        for credit, words in sorted(hits):
            granting = unpack([np.array([word]) for word in words], width)[0]
            best[row, granting] = known[credit]
    return Numerators(best, denominator)


def repeated_outcomes(found: Arrays, outcomes: Outcomes) -> tuple[RepeatedOutcomes, Counts]:
    """The outcomes of counted signatures, one each, and their positions."""
    runs = found[outcomes.keys[0]]
    lengths = np.array([len(run) for run in runs], dtype=np.int64) if outcomes.form == "items" else np.ones_like(runs)
    items = (np.concatenate(runs) if len(runs) else runs) if outcomes.form == "items" else runs
    items = items.astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    return RepeatedOutcomes(items >> STATE_SHIFT, items & ((1 << STATE_SHIFT) - 1), starts), np.arange(len(runs))


class _Rules(NamedTuple):
    """The entries of one side of a disposition, by state; a state that nothing declares never occurs."""

    match: Bits
    exclude: Bits
    numbers: tuple[Fraction, ...]

    def over(self, denominator: int) -> Integers:
        """The numbers as integers over a denominator that they divide."""
        return integers([number.numerator * (denominator // number.denominator) for number in self.numbers])


def _rules(entries: Entries, states: Sequence[str]) -> _Rules:
    declared = [entries.entry(state) for state in states]
    return _Rules(
        np.array([entry == "match" for entry in declared], dtype=bool),
        np.array([entry == "exclude" for entry in declared], dtype=bool),
        tuple(entry if isinstance(entry, Fraction) else Fraction(0) for entry in declared),
    )


def _both_sides(disposition: Disposition, states: Sequence[str]) -> tuple[_Rules, _Rules]:
    return _rules(disposition.legal_present, states), _rules(disposition.legal_empty, states)


def _denominator(least: int, sides: Iterable[_Rules]) -> int:
    return lcm(least, *(number.denominator for side in sides for number in side.numbers))


def matched_credit(outcomes: MatchedOutcomes, disposition: Disposition, states: Sequence[str]) -> Credit:
    """Credit of matched hypotheses: the best hit under each pattern, or what the disposition says of the state."""
    sides = _both_sides(disposition, states)
    denominator = _denominator(outcomes.credit.denominator, sides)
    matched = times(outcomes.credit.values, denominator // outcomes.credit.denominator)
    present, empty = (side.over(denominator)[outcomes.state][:, None] for side in sides)
    eligible = [~side.exclude[outcomes.state] for side in sides]
    answered = sides[0].match[outcomes.state][:, None]
    return Credit(Side(np.where(answered, matched, present), eligible[0]), Side(empty, eligible[1]), denominator)


def repeated_credit(
    outcomes: RepeatedOutcomes, disposition: Disposition, states: Sequence[str], scoring: Scoring, values: Numerators
) -> Credit:
    """Credit of scored repeats: each repeat by its state, then combined over the repeats that are not excluded.

    `values`: the score of each value code.
    """
    sides = _both_sides(disposition, states)
    denominator = _denominator(values.denominator, sides)
    scores = times(values.values, denominator // values.denominator) if len(values.values) else integers([0])
    combined = []
    for side in sides:
        answered = side.match[outcomes.state]
        one = np.where(answered, scores[np.where(answered, outcomes.code, 0)], side.over(denominator)[outcomes.state])
        runs = Runs(one, ~side.exclude[outcomes.state], outcomes.starts)
        combined.append(runs.combined(scoring, denominator))
    factor = lcm(*(found.factor for found in combined))
    present, empty = (
        Side(times(found.numerators, factor // found.factor)[:, None], found.eligible) for found in combined
    )
    return Credit(present, empty, denominator * factor)


def is_eligible(entries: Entries, states: Sequence[str], held: Iterable[int], least: int = 1) -> bool:
    """Whether a pair with these states (its own, or those of its repeats) has enough that are not excluded."""
    return sum(entries.entry(states[state]) != "exclude" for state in held) >= least
