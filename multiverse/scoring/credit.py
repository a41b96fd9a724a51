"""What a distinct outcome scores under a disposition: when the row's legal family is present, and when it is empty."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiverse.exact import Integers, integers, over_common_denominator
from multiverse.scoring.engine import Arrays
from multiverse.scoring.expressions import WORD_BITS
from multiverse.scoring.outcomes import STATE_SHIFT, Outcomes
from multiverse.specification import Disposition, Entries, Repeats, Scoring

Bits = NDArray[np.bool_]
Hit = tuple[Fraction, tuple[int, ...]]  # a credit, and the words of the patterns that grant it


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchedOutcome:
    """A state, and the credit earned under each legality pattern."""

    state: int
    hits: tuple[Hit, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RepeatedOutcome:
    """Scored repeats, each a state and a value code (read only where the state is answered)."""

    repeats: tuple[tuple[int, int], ...]

    @property
    def states(self) -> frozenset[int]:
        """The states among the repeats."""
        return frozenset(state for state, _ in self.repeats)


class Side(NamedTuple):
    """Scores on one side (family present, or empty): numerators (outcomes, patterns or 1), and who is eligible."""

    numerators: Integers
    eligible: Bits  # (outcomes,)


class Credit(NamedTuple):
    """Scores of every outcome under one disposition, over one denominator."""

    present: Side
    empty: Side
    denominator: int


class DistinctOutcomes(NamedTuple):
    """The distinct outcomes of a table of signatures, and the position of each signature's."""

    matched: list[MatchedOutcome]
    repeated: list[RepeatedOutcome]
    position: NDArray[np.int64]


def distinct_outcomes(found: Arrays, outcomes: Outcomes) -> DistinctOutcomes:
    """Read the key columns of signatures as outcomes, each distinct one once."""
    columns = [found[key].tolist() for key in outcomes.keys]
    keys = list(zip(*(map(_hashable, column) for column in columns), strict=True))
    first = {key: position for position, key in enumerate(dict.fromkeys(keys))}
    position = np.array([first[key] for key in keys], dtype=np.int64)
    if outcomes.form in ("item", "items"):
        items = [key[0] if outcomes.form == "items" else (key[0],) for key in first]
        return DistinctOutcomes([], [_repeated(item) for item in items], position)
    return DistinctOutcomes([_matched(key, outcomes) for key in first], [], position)


def _hashable(value: object) -> object:
    return tuple(map(_hashable, value)) if isinstance(value, list | np.ndarray) else value


def _matched(key: tuple, outcomes: Outcomes) -> MatchedOutcome:  # type: ignore[type-arg]
    if outcomes.form == "words":
        return MatchedOutcome(state=key[0], hits=((Fraction(1), key[1:]),))
    return MatchedOutcome(state=key[0], hits=tuple((Fraction(int(p), int(q)), words) for p, q, *words in key[1]))


def _repeated(items: tuple[int, ...]) -> RepeatedOutcome:
    mask = (1 << STATE_SHIFT) - 1
    return RepeatedOutcome(repeats=tuple((int(item) >> STATE_SHIFT, int(item) & mask) for item in items))


def matched_credit(
    outcomes: Sequence[MatchedOutcome], disposition: Disposition, states: Sequence[str], width: int
) -> Credit:
    """Credit of matched hypotheses: the best hit under each pattern, or what the disposition says of the state."""
    credits = sorted({Fraction(0), *(credit for outcome in outcomes for credit, _ in outcome.hits)})
    sides = [
        [entries.entry(states[o.state]) for o in outcomes]
        for entries in (disposition.legal_present, disposition.legal_empty)
    ]
    numbers = [entry for side in sides for entry in side if isinstance(entry, Fraction)]
    denominator = lcm(over_common_denominator(credits).denominator, over_common_denominator(numbers).denominator)
    matched = _best_hits(outcomes, denominator, width)
    present = [_whole(entry, denominator) for entry in sides[0]]
    is_match = np.array([entry == "match" for entry in sides[0]], dtype=bool)
    numerators = np.where(is_match[:, None], matched, integers(present)[:, None])
    empty = integers([_whole(entry, denominator) for entry in sides[1]])[:, None]
    eligible = [np.array([entry != "exclude" for entry in side], dtype=bool) for side in sides]
    return Credit(Side(numerators, eligible[0]), Side(empty, eligible[1]), denominator)


def _best_hits(outcomes: Sequence[MatchedOutcome], denominator: int, width: int) -> Integers:
    """The best credit of each outcome under each pattern: numerators (outcomes, patterns)."""
    best = np.zeros((len(outcomes), width), dtype=np.int64 if denominator < 2**62 else object)
    for row, outcome in enumerate(outcomes):
        for credit, words in sorted(outcome.hits):
            best[row, _set_bits(words, width)] = _whole(credit, denominator)
    return best


def _set_bits(words: Sequence[int], width: int) -> list[int]:
    return [i for i in range(width) if words[i // WORD_BITS] >> (i % WORD_BITS) & 1]


def _whole(entry: object, denominator: int) -> int:
    return entry.numerator * (denominator // entry.denominator) if isinstance(entry, Fraction) else 0


def repeated_credit(
    outcomes: Sequence[RepeatedOutcome],
    disposition: Disposition,
    states: Sequence[str],
    scoring: Scoring,
    values: Sequence[Fraction],
) -> Credit:
    """Credit of scored repeats: each repeat by its state, then combined over the repeats that are not excluded."""
    sides = [
        [_combined(outcome, entries, states, scoring.repeats, values) for outcome in outcomes]
        for entries in (disposition.legal_present, disposition.legal_empty)
    ]
    denominator = over_common_denominator([score for side in sides for score in side if score is not None]).denominator
    present, empty = (
        Side(
            integers([_whole(score, denominator) for score in side])[:, None],
            np.array([score is not None for score in side], dtype=bool),
        )
        for side in sides
    )
    return Credit(present, empty, denominator)


def _combined(
    outcome: RepeatedOutcome, entries: Entries, states: Sequence[str], repeats: Repeats, values: Sequence[Fraction]
) -> Fraction | None:
    """The score of a pair; None where every repeat is excluded."""
    scored = []
    for state, code in outcome.repeats:
        entry = entries.entry(states[state])
        if entry == "match":
            scored.append(values[code])
        elif isinstance(entry, Fraction):
            scored.append(entry)
    return combine(scored, repeats) if scored else None


def combine(scores: Sequence[Fraction], repeats: Repeats) -> Fraction:
    """One score from those of the repeats, in the order of epochs; there is at least one (DESIGN section 3)."""
    match repeats:
        case "mean":
            return sum(scores, Fraction(0)) / len(scores)
        case "max":
            return max(scores)
        case "min":
            return min(scores)
        case "majority":
            return Fraction(2 * sum(score == 1 for score in scores) > len(scores))
        case "first":
            return scores[0]


def is_eligible(entries: Entries, states: Sequence[str], held: Iterable[int]) -> bool:
    """Whether a pair with these states (its own, or those of its repeats) is eligible on a side."""
    return any(entries.entry(states[state]) != "exclude" for state in held)
