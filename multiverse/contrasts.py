"""Contrasts of an effect: between two options of a coordinate, and between two strata (DESIGN section 5)."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiverse.averages import average
from multiverse.declaration import Declaration
from multiverse.declaration.study import Contrast
from multiverse.endpoints import EffectValue, difference, mean_of
from multiverse.scoring import RowScores
from multiverse.specification import Background, CoordinateName, Coordinates, Effect, Specification

Bits = NDArray[np.bool_]


class ContrastValue(NamedTuple):
    """A contrast in one cell, and the effect cells that it compares; None where it is undefined."""

    from_cell: str
    to_cell: str
    value: Fraction | None


class Cells:
    """The specifications of a study by cell and contract."""

    def __init__(self, coordinates: Coordinates, specs: Iterable[Specification]) -> None:
        self._coordinates = coordinates
        self._specs: dict[str, dict[int, Specification]] = {}
        for spec in specs:
            self._specs.setdefault(spec.cell, {})[spec.contract] = spec

    def at(self, cell: str, contract: int) -> Specification:
        """The specification of a contract in a cell."""
        return self._specs[cell][contract]

    def option(self, cell: str, coordinate: CoordinateName) -> str:
        """The option that a cell takes on a coordinate."""
        spec = next(iter(self._specs[cell].values()))
        position: int = getattr(spec, coordinate)
        return self._coordinates.ids(coordinate)[position]

    def without(self, cell: str, coordinate: CoordinateName) -> str:
        """The key of a cell among the coordinates that are left when one is contrasted."""
        left = [name for name in self._coordinates.declared if name not in ("contract", coordinate)]
        return "/".join(self.option(cell, name) for name in left)


def contrast_values(
    contrast: Contrast, cells: Cells, effects: Mapping[str, EffectValue], common: "CommonSupport"
) -> dict[str, ContrastValue]:
    """T(to) - T(from) for each cell of the remaining coordinates that has both, on own or on common support."""
    sides: dict[str, dict[str, str]] = {}
    for cell in effects:
        sides.setdefault(cells.without(cell, contrast.coordinate), {})[cells.option(cell, contrast.coordinate)] = cell
    values = {}
    for key, found in sides.items():
        if contrast.from_option in found and contrast.to_option in found:
            ends = (found[contrast.from_option], found[contrast.to_option])
            if contrast.support == "common":
                value = common.difference(cells, *ends)
            else:
                value = difference(effects[ends[1]].mean, effects[ends[0]].mean)
            values[key] = ContrastValue(*ends, value)
    return values


class Margins:
    """Exact margins of an effect's pair over chosen rows of one population."""

    def __init__(self, rows: RowScores, pair: tuple[str, str], population: int) -> None:
        self._rows, self._pair, self._population = rows, pair, population
        self.inside = rows.groups.populations[:, population]

    def eligible(self, spec: Specification) -> Bits:
        """The rows of the population on which both methods are eligible."""
        a, b = (self._rows.counted(spec, method, self._population).eligible for method in self._pair)
        both: Bits = a & b
        return both

    def common(self, cells: Cells, background: Background, ends: tuple[str, str]) -> Bits:
        """The rows where both methods are eligible on both sides of a background, in both cells."""
        contracts = (background.from_contract, background.to_contract)
        specs = [cells.at(cell, contract) for cell in ends for contract in contracts]
        rows: Bits = np.logical_and.reduce([self.eligible(spec) for spec in specs])
        return rows

    def stratum(self, code: int) -> Bits:
        """The rows of one stratum."""
        rows: Bits = self._rows.groups.stratum == code
        return rows

    def margin(self, spec: Specification, chosen: Bits) -> Fraction | None:
        """The margin over the chosen rows, each method over those of them on which it is eligible."""
        levels = []
        for method in self._pair:
            score = self._rows.counted(spec, method, self._population)
            weighing = self._rows.weighing(spec)
            levels.append(average(score.numerators, chosen & score.eligible, score.denominator, weighing))
        return difference(levels[0], levels[1])


class CommonSupport(NamedTuple):
    """Contrasts on the rows where both methods are eligible at all four specifications of a background."""

    margins: Margins
    backgrounds: Sequence[Background]

    def difference(self, cells: Cells, from_cell: str, to_cell: str) -> Fraction | None:
        """The mean over backgrounds of T(to) - T(from), both over the common rows of the background."""
        return mean_of([self._at(cells, from_cell, to_cell, background) for background in self.backgrounds])

    def _at(self, cells: Cells, from_cell: str, to_cell: str, background: Background) -> Fraction | None:
        contracts = (background.from_contract, background.to_contract)
        before, after = ([cells.at(cell, contract) for contract in contracts] for cell in (from_cell, to_cell))
        common = self.margins.common(cells, background, (from_cell, to_cell))
        effects = [
            difference(self.margins.margin(to, common), self.margins.margin(start, common))
            for start, to in (before, after)
        ]
        return difference(effects[1], effects[0])


def stratum_contrast_values(
    effects: Mapping[str, EffectValue],
    cells: Cells,
    margins: Margins,
    backgrounds: Sequence[Background],
    masks: tuple[Bits, Bits],
) -> dict[str, ContrastValue]:
    """The effect over the first stratum's rows minus the effect over the second's, for each cell."""
    values = {}
    for cell in effects:
        sides = [
            mean_of(
                [
                    difference(
                        margins.margin(cells.at(cell, b.to_contract), margins.inside & mask),
                        margins.margin(cells.at(cell, b.from_contract), margins.inside & mask),
                    )
                    for b in backgrounds
                ]
            )
            for mask in masks
        ]
        values[cell] = ContrastValue(cell, cell, difference(sides[0], sides[1]))
    return values


def effect_named(declaration: Declaration, name: str) -> Effect:
    """The declared effect of a name."""
    return next(effect for effect in declaration.endpoints.effects if effect.id == name)
