"""Effects and means by hand; families through the audit are in test_audit."""

from fractions import Fraction

import pytest

from multiverse.endpoints import EffectValue, effect_values, mean_of
from multiverse.errors import Place
from multiverse.specification import Background, Effect, Specification

EFFECT = Effect(
    id="e", pair=("a", "b"), factor="A", from_level="0", to_level="1", place=Place(file="study.yaml", line=1, column=1)
)
BACKGROUNDS = (
    Background(levels=(("R", "0"),), from_contract=0, to_contract=1),
    Background(levels=(("R", "1"),), from_contract=2, to_contract=3),
)


def spec(contract: int, cell: str) -> Specification:
    rest = dict.fromkeys(("disposition", "terminal", "reading", "scoring", "aggregation"), 0)
    return Specification(id=f"c{contract}/{cell}", cell=cell, contract=contract, **rest)


def test_an_effect_is_the_mean_change_of_the_margin_over_backgrounds() -> None:
    """Margins a - b in tenths: 4 to 1 at R0, 2 to 3 at R1: changes -3 and +1, mean -1. Cell y lacks contract 3."""
    levels = {0: (5, 1), 1: (3, 2), 2: (4, 2), 3: (5, 2)}
    exact = {
        f"c{c}/{cell}": {"a": Fraction(a, 10), "b": Fraction(b, 10)} for c, (a, b) in levels.items() for cell in "xy"
    }
    specs = [spec(contract, cell) for contract in range(4) for cell in "xy" if (contract, cell) != (3, "y")]
    assert effect_values(EFFECT, BACKGROUNDS, exact, specs) == {
        "x": EffectValue((Fraction(-3, 10), Fraction(1, 10)), Fraction(-1, 10))
    }


def test_an_undefined_background_leaves_the_effect_undefined() -> None:
    exact = {f"c{c}/x": {"a": None if c == 3 else Fraction(1), "b": Fraction(0)} for c in range(4)}
    found = effect_values(EFFECT, BACKGROUNDS, exact, [spec(contract, "x") for contract in range(4)])
    assert found == {"x": EffectValue((Fraction(0), None), None)}


@pytest.mark.parametrize(
    ("values", "mean"),
    [([Fraction(1), Fraction(0)], Fraction(1, 2)), ([None], None), ([], None), ([Fraction(1), None], None)],
)
def test_a_mean_over_an_undefined_value_is_undefined(values: list[Fraction | None], mean: Fraction | None) -> None:
    assert mean_of(values) == mean
