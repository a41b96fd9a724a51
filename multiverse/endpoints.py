"""Levels, margins, effects and rankings of a population, and their identified sets over a family (DESIGN section 5)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from multiverse.declaration import Declaration
from multiverse.identification import IdentifiedSet, identified_set
from multiverse.ranking import RankingSet, WeakOrder, ranking_set, weak_order
from multiverse.scoring import Level, PopulationScores
from multiverse.specification import Background, Effect, Family, Specification, effect_cells

Pair = tuple[str, str]


class EffectValue(NamedTuple):
    """An effect in one rest cell: at each background, and their mean; None where a level it needs is undefined."""

    backgrounds: tuple[Fraction | None, ...]
    mean: Fraction | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PopulationEndpoints:
    """Every endpoint of one population, at every specification of the study's families."""

    methods: tuple[str, ...]
    scores: PopulationScores
    levels: Mapping[str, Mapping[str, Level]]  # by specification, by method
    margins: Mapping[Pair, Mapping[str, Fraction | None]]  # by pair, by specification
    orders: Mapping[str, WeakOrder | None]  # by specification
    effects: Mapping[str, Mapping[str, EffectValue]]  # by effect, by cell


@dataclass(frozen=True, kw_only=True, slots=True)
class FamilyEndpoints:
    """What one population shows over one family."""

    endpoints: PopulationEndpoints
    family: Family
    ranking: RankingSet
    effects: Mapping[str, Mapping[str, EffectValue]]  # by effect, by cell the family holds whole
    partial_cells: Mapping[str, tuple[str, ...]]
    identified: tuple[IdentifiedSet, ...]


def population_endpoints(
    declaration: Declaration, methods: Sequence[str], scores: PopulationScores, specs: Sequence[Specification]
) -> PopulationEndpoints:
    """Endpoints at every specification, from exact levels."""
    levels = {spec.id: dict(zip(methods, scores.levels[spec.id], strict=True)) for spec in specs}
    exact = {spec: {method: level.exact for method, level in row.items()} for spec, row in levels.items()}
    margins = {
        pair: {spec: difference(row[pair[0]], row[pair[1]]) for spec, row in exact.items()}
        for pair in combinations(methods, 2)
    }
    return PopulationEndpoints(
        methods=tuple(methods),
        scores=scores,
        levels=levels,
        margins=margins,
        orders={spec: weak_order(row) for spec, row in exact.items()},
        effects={
            effect.id: effect_values(effect, declaration.backgrounds[effect.id], exact, specs)
            for effect in declaration.endpoints.effects
        },
    )


def effect_values(
    effect: Effect,
    backgrounds: Sequence[Background],
    exact: Mapping[str, Mapping[str, Fraction | None]],
    specs: Iterable[Specification],
) -> dict[str, EffectValue]:
    """T(b; r) = D(to) - D(from) at each background, and T(r), their mean, for each rest cell given whole."""
    held: dict[str, dict[int, str]] = {}
    for spec in specs:
        held.setdefault(spec.cell, {})[spec.contract] = spec.id
    a, b = effect.pair
    values = {}
    for cell, contracts in held.items():
        if all(side in contracts for found in backgrounds for side in (found.from_contract, found.to_contract)):
            sides = [(exact[contracts[f.from_contract]], exact[contracts[f.to_contract]]) for f in backgrounds]
            changes = [difference(difference(to[a], to[b]), difference(fr[a], fr[b])) for fr, to in sides]
            values[cell] = EffectValue(tuple(changes), mean_of(changes))
    return values


def difference(x: Fraction | None, y: Fraction | None) -> Fraction | None:
    """x - y; None where either is undefined."""
    return None if x is None or y is None else x - y


def mean_of(values: Sequence[Fraction | None]) -> Fraction | None:
    """The exact mean; None where any value is undefined."""
    known = [value for value in values if value is not None]
    return sum(known, Fraction(0)) / len(known) if known and len(known) == len(values) else None


def family_endpoints(declaration: Declaration, endpoints: PopulationEndpoints, family: Family) -> FamilyEndpoints:
    """What a population shows over a family: rankings, whole effect cells, identified sets."""
    specs = [spec.id for spec in family.specs]
    cells = {e.id: effect_cells(family, declaration.backgrounds[e.id]) for e in declaration.endpoints.effects}
    effects = {name: {cell: endpoints.effects[name][cell] for cell in found.whole} for name, found in cells.items()}
    ranking = ranking_set(
        {spec: endpoints.orders[spec] for spec in specs},
        {pair: [values[spec] for spec in specs] for pair, values in endpoints.margins.items()},
        endpoints.methods,
    )
    return FamilyEndpoints(
        endpoints=endpoints,
        family=family,
        ranking=ranking,
        effects=effects,
        partial_cells={name: found.partial for name, found in cells.items()},
        identified=tuple(_identified_sets(endpoints, specs, effects)),
    )


def _identified_sets(
    endpoints: PopulationEndpoints, specs: Sequence[str], effects: Mapping[str, Mapping[str, EffectValue]]
) -> Iterable[IdentifiedSet]:
    for method in endpoints.methods:
        yield identified_set("level", ((spec, endpoints.levels[spec][method].exact) for spec in specs), a=method)
    for (a, b), values in endpoints.margins.items():
        yield identified_set("margin", ((spec, values[spec]) for spec in specs), a=a, b=b)
    yield identified_set("ranking", ((spec, endpoints.orders[spec]) for spec in specs))
    for name, cells in effects.items():
        yield identified_set("effect", ((cell, value.mean) for cell, value in cells.items()), a=name)
