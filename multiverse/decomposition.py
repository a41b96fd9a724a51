"""Which class of objects an effect comes from: deletion corners scored on their common support (DESIGN section 7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import polars as pl

from multiverse.contrasts import Margins, effect_named
from multiverse.declaration import Declaration
from multiverse.declaration.study import Decomposition
from multiverse.deletion import Corner, interactions, shapley_shares, subsets
from multiverse.endpoints import EffectValue
from multiverse.errors import MultiverseError
from multiverse.scoring import Judging, RowScores, score
from multiverse.specification import Background, Specification
from multiverse.substrate import Substrate


@dataclass(frozen=True, kw_only=True, slots=True)
class DecompositionValue:
    """An effect in one rest cell, by class of deleted objects; all but the common rows averaged over backgrounds."""

    effect: Fraction
    total: Fraction
    shares: Mapping[str, Fraction]
    support_shift: Fraction
    common_rows: tuple[int, ...]  # by background
    corners: Mapping[Corner, Fraction]
    interactions: Mapping[Corner, Fraction]


class DeletionScores:
    """The corners of a decomposition as contracts of their own: a (background, set of classes) each."""

    def __init__(
        self,
        declaration: Declaration,
        decomposition: Decomposition,
        specs: Sequence[Specification],
        substrate: Substrate,
    ) -> None:
        self._declaration, self.decomposition = declaration, decomposition
        self.effect = effect_named(declaration, decomposition.effect)
        self.backgrounds = declaration.backgrounds[self.effect.id]
        self.corners = subsets(list(decomposition.classes))
        cells = {spec.cell: spec for spec in specs}
        self._corner_specs = {cell: self._specifications(spec) for cell, spec in cells.items()}
        self._rows = self._score(substrate)

    def _specifications(self, cell: Specification) -> list[Specification]:
        """A specification per background and corner, in a cell; `contract` counts them."""
        count = len(self.backgrounds) * len(self.corners)
        return [replace(cell, id=f"{contract}/{cell.cell}", contract=contract) for contract in range(count)]

    def _score(self, substrate: Substrate) -> RowScores:
        requirements = tuple(
            self._requirements(background, corner) for background in self.backgrounds for corner in self.corners
        )
        specs = [spec for cell in self._corner_specs.values() for spec in cell]
        judging = Judging(
            requirements=requirements,
            cells=tuple(dict.fromkeys((spec.contract, spec.terminal) for spec in specs)),
            classes=tuple(self.decomposition.classes.values()),
            name=f"decomposition {self.decomposition.id}",
        )
        options = self._declaration.coordinates.aggregation
        alone = all(option.of == "score" and option.support == "own" for option in options)  # whatever others do
        answers = _of_pair(substrate, self.effect.pair) if alone else substrate
        rows = score(self._declaration, answers, specs, judging=judging, keep_rows=True).rows
        assert rows is not None
        return rows

    def _requirements(self, background: Background, corner: Corner) -> tuple[frozenset[str], ...]:
        """What is asked of each class: the effect's `to` where its objects are deleted, `from` elsewhere."""
        contracts, always = self._declaration.coordinates.contract, self._declaration.always
        sides = (contracts[background.from_contract], contracts[background.to_contract])
        return tuple(frozenset({*always, *sides[name in corner].require}) for name in self.decomposition.classes)

    def values(self, effects: Mapping[str, EffectValue], population: int) -> dict[str, DecompositionValue | None]:
        """The decomposition in every cell of the effect, over one population; None where a background is undefined."""
        margins = Margins(self._rows, self.effect.pair, population)
        return {cell: self._value(cell, effect.mean, margins) for cell, effect in effects.items()}

    def _value(self, cell: str, effect: Fraction | None, margins: Margins) -> DecompositionValue | None:
        count = len(self.corners)
        specs = self._corner_specs[cell]
        by_background, common_rows = [], []
        for start in range(0, len(specs), count):
            corner_specs = specs[start : start + count]
            common = np.logical_and.reduce([margins.eligible(spec) for spec in corner_specs])
            common_rows.append(int(common.sum()))
            by_background.append([margins.margin(spec, common) for spec in corner_specs])
        values = [[value for value in corner if value is not None] for corner in zip(*by_background, strict=True)]
        if effect is None or any(len(value) < len(self.backgrounds) for value in values):
            return None
        means = [sum(value, Fraction(0)) / len(value) for value in values]
        return decomposed(
            effect, dict(zip(self.corners, means, strict=True)), list(self.decomposition.classes), common_rows
        )


def decomposed(
    effect: Fraction, corners: Mapping[Corner, Fraction], classes: Sequence[str], common_rows: Sequence[int]
) -> DecompositionValue:
    """Shares of the total over common support; shares and support shift sum to the effect, checked on every run."""
    shares = shapley_shares(corners, classes)
    total = corners[frozenset(classes)] - corners[frozenset()]
    shift = effect - total
    if sum(shares.values(), shift) != effect:
        raise MultiverseError(f"the shares {shares} and the support shift {shift} do not sum to the effect {effect}")
    return DecompositionValue(
        effect=effect,
        total=total,
        shares=shares,
        support_shift=shift,
        common_rows=tuple(common_rows),
        corners=corners,
        interactions=interactions(corners, classes),
    )


def _of_pair(substrate: Substrate, pair: tuple[str, str]) -> Substrate:
    """The substrate with the answers of two methods alone."""
    methods = tuple(sorted(pair))
    codes = [substrate.methods.index(method) for method in methods]
    recoded = pl.col("m").replace_strict(codes, [0, 1], return_dtype=pl.UInt32)
    answers = substrate.answers.filter(pl.col("m").is_in(codes)).with_columns(recoded)
    return replace(substrate, methods=methods, answers=answers)
