"""The scores of a metric in [0, 1]: exact, in their order or its reverse, and put back."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from multiverse.exact import shortest_decimal
from multiverse.importers.every_eval_ever_files import Result
from multiverse.importers.every_eval_ever_metrics import metric
from multiverse.importers.records import Score

SCORES = st.one_of(st.integers(-1000, 1000), st.floats(-1e6, 1e6, allow_nan=False))
BOUNDS = st.none() | st.tuples(st.fractions(-9, 0), st.fractions(1, 9))


def exact(score: Score) -> Fraction:
    assert score is not None
    return shortest_decimal(score) if isinstance(score, float) else Fraction(score)


@given(scores=st.lists(SCORES, min_size=1, max_size=5), bounds=BOUNDS, reverse=st.booleans())
def test_levels_are_in_the_unit_interval_in_order_and_put_back(
    scores: list[int | float], bounds: tuple[Fraction, Fraction] | None, *, reverse: bool
) -> None:
    told = Result("id", "e", "m", "d", 0.5, None, bounds, reverse, has_unknown=False)
    found = metric("m", [told], scores, "here")
    levels = [exact(found.level(score)) for score in scores]
    assert all(0 <= level <= 1 for level in levels)
    low, scale = found.scale
    assert [low + scale * level for level in levels] == [exact(score) for score in scores]
    order = sorted(range(len(scores)), key=lambda i: exact(scores[i]), reverse=reverse)
    assert [levels[i] for i in order] == sorted(levels)
