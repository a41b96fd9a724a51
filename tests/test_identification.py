"""Identified sets: values once, witnesses at the ends, undefined beside, nesting checked."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiverse.errors import MultiverseError
from multiverse.identification import IdentifiedValue, check_nesting, identified_set

HALF, ZERO = Fraction(1, 2), Fraction(0)
VALUES = st.lists(st.one_of(st.none(), st.integers(-2, 2).map(Fraction)), max_size=8)


def test_a_set_holds_each_value_once_with_its_first_witness() -> None:
    found = identified_set("margin", [("s1", HALF), ("s2", ZERO), ("s3", Fraction(2, 4)), ("s4", None)], a="a", b="b")
    assert found.values == (IdentifiedValue(HALF, 2, "s1"), IdentifiedValue(ZERO, 1, "s2"))
    assert (found.least, found.greatest) == (IdentifiedValue(ZERO, 1, "s2"), IdentifiedValue(HALF, 2, "s1"))
    assert (found.undefined, found.point_identified) == (1, False)


@pytest.mark.parametrize(
    ("values", "identified"), [([HALF, HALF], True), ([HALF, None], False), ([None], False), ([], False)]
)
def test_an_undefined_value_forbids_point_identification(values: list[Fraction | None], *, identified: bool) -> None:
    assert identified_set("level", ((str(i), v) for i, v in enumerate(values)), a="m").point_identified is identified


def test_rankings_have_no_ends() -> None:
    found = identified_set("ranking", [("s1", (("a",), ("b",))), ("s2", (("a", "b"),))])
    assert (len(found.values), found.least, found.greatest) == (2, None, None)


@given(VALUES, VALUES)
def test_a_bigger_family_has_no_smaller_set(inner: list[Fraction | None], more: list[Fraction | None]) -> None:
    small = identified_set("level", ((str(i), v) for i, v in enumerate(inner)), a="m")
    large = identified_set("level", ((str(i), v) for i, v in enumerate(inner + more)), a="m")
    check_nesting({"small": [small], "large": [large]}, [("small", "large")])
    assert len(small.values) <= len(large.values)
    assert small.undefined <= large.undefined


def test_a_set_that_does_not_nest_stops_the_run() -> None:
    sets = {
        "in": [identified_set("level", [("s", HALF)], a="m")],
        "out": [identified_set("level", [("s", ZERO)], a="m")],
    }
    with pytest.raises(MultiverseError) as error:
        check_nesting(sets, [("in", "out")])
    assert str(error.value) == "the identified set of level m over in is not within that over out: {Fraction(1, 2)}"
