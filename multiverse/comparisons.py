"""What a study asks beyond levels, margins, effects and rankings: contrasts, stratum contrasts, decompositions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from multiverse.contrasts import (
    Cells,
    CommonSupport,
    ContrastValue,
    Margins,
    contrast_values,
    effect_named,
    stratum_contrast_values,
)
from multiverse.declaration import Declaration
from multiverse.decomposition import DecompositionValue, DeletionScores
from multiverse.endpoints import PopulationEndpoints
from multiverse.scoring import RowScores
from multiverse.specification import Specification
from multiverse.substrate import Substrate


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparisons:
    """Values over one population, by the endpoint's id and by cell."""

    contrasts: Mapping[str, Mapping[str, ContrastValue]]
    stratum_contrasts: Mapping[str, Mapping[str, ContrastValue]]
    decompositions: Mapping[str, Mapping[str, DecompositionValue | None]]


def compare(
    declaration: Declaration,
    substrate: Substrate,
    rows: RowScores | None,
    endpoints: Mapping[str, PopulationEndpoints],
    specs: Sequence[Specification],
) -> dict[str, Comparisons]:
    """Every comparison that the study declares, by population."""
    cells = Cells(declaration.coordinates, specs)
    deletions = {
        one.id: DeletionScores(declaration, one, specs, substrate) for one in declaration.endpoints.decompositions
    }
    found = {}
    for position, (name, population) in enumerate(endpoints.items()):
        contrasts = _Contrasts(declaration, substrate, rows, population, cells, position)
        found[name] = Comparisons(
            contrasts=contrasts.contrasts(),
            stratum_contrasts=contrasts.stratum_contrasts(),
            decompositions={
                key: deletion.values(population.effects[deletion.effect.id], position)
                for key, deletion in deletions.items()
            },
        )
    return found


@dataclass(frozen=True, slots=True)
class _Contrasts:
    """The contrasts of one population."""

    declaration: Declaration
    substrate: Substrate
    rows: RowScores | None
    population: PopulationEndpoints
    cells: Cells
    position: int

    def _margins(self, effect: str) -> Margins:
        assert self.rows is not None, "contrasts are declared, so rows are kept"
        return Margins(self.rows, effect_named(self.declaration, effect).pair, self.position)

    def contrasts(self) -> dict[str, dict[str, ContrastValue]]:
        """Contrasts between two options of a coordinate."""
        return {
            one.id: contrast_values(
                one,
                self.cells,
                self.population.effects[one.effect],
                CommonSupport(self._margins(one.effect), self.declaration.backgrounds[one.effect]),
            )
            for one in self.declaration.endpoints.contrasts
        }

    def stratum_contrasts(self) -> dict[str, dict[str, ContrastValue]]:
        """Contrasts between two strata."""
        found = {}
        for one in self.declaration.endpoints.stratum_contrasts:
            margins = self._margins(one.effect)
            first, second = (margins.stratum(self.substrate.strata.index(name.text)) for name in one.minus)
            effects = self.population.effects[one.effect]
            backgrounds = self.declaration.backgrounds[one.effect]
            found[one.id] = stratum_contrast_values(effects, self.cells, margins, backgrounds, (first, second))
        return found
