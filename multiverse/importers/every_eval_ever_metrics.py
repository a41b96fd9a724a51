"""How the scores of a metric of Every Eval Ever stand in [0, 1], higher being better."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from multiverse.errors import quoted
from multiverse.exact import shortest_decimal
from multiverse.importers.every_eval_ever_files import Result
from multiverse.importers.records import Scale, Score
from multiverse.importers.sources import refuse

_PERCENT = (Fraction(0), Fraction(100))


class Metric(NamedTuple):
    """A linear map of scores into [0, 1], exact."""

    low: Fraction = Fraction(0)
    high: Fraction = Fraction(1)
    reverse: bool = False  # lower is better
    has_unknown: bool = False  # -1 is no score
    factor: int = 1  # the results are so many times the scores of samples

    def level(self, score: Score) -> Score:
        """A score in [0, 1]; None of one that is none."""
        if score is None or (self.has_unknown and score == -1):
            return None
        if self._unit and not self.reverse:
            return score
        share = (_exact(score) - self.low) / (self.high - self.low)
        return 1 - share if self.reverse else share

    @property
    def _unit(self) -> bool:
        return self.low == 0 and self.high == 1

    @property
    def scale(self) -> Scale:
        """What a level is as a number of the results."""
        start, span = (self.high, self.low - self.high) if self.reverse else (self.low, self.high - self.low)
        return Scale(start * self.factor, span * self.factor)

    @property
    def words(self) -> str:
        """The map, and the factor; empty where scores stand as they are."""
        told = []
        if self.reverse:
            told.append(f"lower is better: a score x stands as ({self.high} - x) / {self.high - self.low}")
        elif not self._unit:
            told.append(f"a score x stands as {Scale(self.low, self.high - self.low).words}")
        if self.has_unknown:
            told.append("a score of -1 is unknown, and none")
        if self.factor != 1:
            told.append(f"results are in percent, and scores of samples are not: they are multiplied by {self.factor}")
        return "; ".join(told)


def metric(name: str, results: Sequence[Result], scores: Sequence[Score], where: str) -> Metric:
    """The map of a metric's scores, by what all its results say of it, widened to what its samples hold."""
    reverse = {result.lower_is_better for result in results}
    if len(reverse) > 1:
        refuse(where, f"{quoted(name)} with lower_is_better true in one result and false in another", "one of them")
    unknown = any(result.has_unknown for result in results)
    told = [_exact(score) for score in set(scores) if score is not None and not (unknown and score == -1)]
    declared = {result.bounds for result in results if result.bounds is not None} or {(Fraction(0), Fraction(1))}
    inside = all(0 <= score <= 1 for score in told)
    percent = declared == {_PERCENT} and inside and any((result.value or 0) > 1 for result in results)
    if percent:
        declared = {(Fraction(0), Fraction(1))}
    return Metric(
        low=min([*(low for low, _ in declared), *told]),
        high=max([*(high for _, high in declared), *told]),
        reverse=True in reverse,
        has_unknown=unknown,
        factor=100 if percent else 1,
    )


def _exact(score: int | float | Fraction) -> Fraction:
    return shortest_decimal(score) if isinstance(score, float) else Fraction(score)
