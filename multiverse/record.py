"""The audit record and its tables, in the one form that is written down (DESIGN section 9)."""

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from multiverse.comparisons import Comparisons
from multiverse.contrasts import ContrastValue
from multiverse.declaration import Declaration
from multiverse.declaration.study import Contrast, StratumContrast
from multiverse.decomposition import DecompositionValue
from multiverse.deletion import Corner
from multiverse.endpoints import EffectValue, FamilyEndpoints
from multiverse.exact import exact_text
from multiverse.identification import IdentifiedSet, IdentifiedValue
from multiverse.ranking import RankingSet, competition_ranks
from multiverse.specification import Background, Effect, Family

SCHEMA = "multiverse.record/1"
Json = dict[str, Any]

_TEXT, _NUMBER, _COUNT = pl.String(), pl.Float64(), pl.Int64()
TABLES: Mapping[str, Mapping[str, pl.DataType]] = {
    "levels": {
        "population": _TEXT, "spec": _TEXT, "method": _TEXT, "exact": _TEXT, "value": _NUMBER,
        "support": _COUNT, "lower": _NUMBER, "upper": _NUMBER,
    },
    "margins": {
        "population": _TEXT, "spec": _TEXT, "a": _TEXT, "b": _TEXT, "exact": _TEXT, "value": _NUMBER,
        "lower": _NUMBER, "upper": _NUMBER, "shared_support": pl.Boolean(),
    },
    "effects": {
        "population": _TEXT, "effect": _TEXT, "cell": _TEXT, "background": _TEXT, "exact": _TEXT, "value": _NUMBER,
        "lower": _NUMBER, "upper": _NUMBER,
    },
    "rankings": {"population": _TEXT, "spec": _TEXT, "method": _TEXT, "rank": _COUNT},
    "identified": {
        "population": _TEXT, "endpoint": _TEXT, "a": _TEXT, "b": _TEXT, "exact": _TEXT, "value": _NUMBER,
        "specs": _COUNT, "first_spec": _TEXT,
    },
}  # fmt: skip


def audit_record(
    declaration: Declaration,
    family: Family,
    found: Mapping[str, FamilyEndpoints],
    comparisons: Mapping[str, Comparisons],
) -> Json:
    """The record of one family, by population; numbers are exact text with the nearest double beside it."""
    return {
        "schema": SCHEMA,
        "study": declaration.name,
        "family": family.name,
        "status": "exploratory",
        "coordinates": list(declaration.coordinates.declared),
        "specs": [spec.id for spec in family.specs],
        "gates": [],
        "populations": {name: _population(declaration, one, comparisons[name]) for name, one in found.items()},
    }


def record_bytes(record: Json) -> bytes:
    """The bytes of record.json: UTF-8, keys sorted, one newline at the end."""
    return (json.dumps(record, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _population(declaration: Declaration, found: FamilyEndpoints, comparisons: Comparisons) -> Json:
    effects = {
        effect.id: _effect(effect, declaration.backgrounds[effect.id], found)
        for effect in declaration.endpoints.effects
    }
    return {
        "rows": found.endpoints.scores.rows,
        "clusters": found.endpoints.scores.clusters,
        "ranking": _ranking(found.ranking),
        "effects": effects,
        "decompositions": _decompositions(declaration, found, comparisons),
        "contrasts": _contrasts(declaration.endpoints.contrasts, found, comparisons.contrasts),
        "stratum_contrasts": _contrasts(declaration.endpoints.stratum_contrasts, found, comparisons.stratum_contrasts),
        "identified": [_identified(one) for one in found.identified],
        "uncertainty": {},
    }


def _exact(value: Fraction) -> Json:
    return {"exact": exact_text(value), "value": float(value)}


def _exact_or_null(value: Fraction | None) -> Json:
    return {"exact": None, "value": None} if value is None else _exact(value)


def _ranking(ranking: RankingSet) -> Json:
    return {
        "weak_orders": [
            {"order": [list(group) for group in found.order], "specs": found.specs, "first": found.first}
            for found in ranking.orders
        ],
        "undefined_specs": list(ranking.undefined_specs),
        "pairs": [{"a": p.a, "b": p.b, "relation": p.relation, "signs": p.signs._asdict()} for p in ranking.pairs],
        "tau_b": None if ranking.tau_b is None else ranking.tau_b._asdict(),
        "rank_sets": {method: list(ranks) for method, ranks in ranking.rank_sets.items()},
        "winners": list(ranking.winners),
    }


def _effect(effect: Effect, backgrounds: Sequence[Background], found: FamilyEndpoints) -> Json:
    cells = found.effects[effect.id]
    return {
        "cells": {cell: None if v.mean is None else _exact(v.mean) | {"interval": None} for cell, v in cells.items()},
        "backgrounds": [
            {"background": dict(background.levels), "cell": cell, **_exact_or_null(change)}
            for cell, value in cells.items()
            for background, change in zip(backgrounds, value.backgrounds, strict=True)
        ],
        "partial_cells": list(found.partial_cells[effect.id]),
    }


def _contrasts(
    declared: Iterable[Contrast | StratumContrast],
    found: FamilyEndpoints,
    values: Mapping[str, Mapping[str, ContrastValue]],
) -> Json:
    """The cells whose two effect cells the family holds whole."""
    return {
        one.id: {
            "cells": {
                key: None if value.value is None else _exact(value.value) | {"interval": None}
                for key, value in values[one.id].items()
                if {value.from_cell, value.to_cell} <= found.effects[one.effect].keys()
            }
        }
        for one in declared
    }


def _decompositions(declaration: Declaration, found: FamilyEndpoints, comparisons: Comparisons) -> Json:
    """The cells that the family holds whole."""
    return {
        one.id: {
            "cells": {
                cell: _decomposition(comparisons.decompositions[one.id][cell], declaration.backgrounds[one.effect])
                for cell in found.effects[one.effect]
            }
        }
        for one in declaration.endpoints.decompositions
    }


def _decomposition(value: DecompositionValue | None, backgrounds: Sequence[Background]) -> Json | None:
    if value is None:
        return None
    return {
        "effect": exact_text(value.effect),
        "total": exact_text(value.total),
        "shares": {name: exact_text(share) for name, share in value.shares.items()},
        "support_shift": exact_text(value.support_shift),
        "common_rows": [
            {"background": dict(background.levels), "rows": rows}
            for background, rows in zip(backgrounds, value.common_rows, strict=True)
        ],
        "corners": _by_classes(value.corners),
        "interactions": _by_classes(value.interactions),
    }


def _by_classes(values: Mapping[Corner, Fraction]) -> list[Json]:
    return [{"classes": sorted(corner), "exact": exact_text(value)} for corner, value in values.items()]


def _identified(found: IdentifiedSet) -> Json:
    return {
        "endpoint": found.endpoint,
        "a": found.a,
        "b": found.b,
        "count": len(found.values),
        "point_identified": found.point_identified,
        "min": _end(found.least),
        "max": _end(found.greatest),
        "undefined": found.undefined,
    }


def _end(found: IdentifiedValue | None) -> Json | None:
    if found is None or not isinstance(found.value, Fraction):
        return None
    return _exact(found.value) | {"spec": found.first}


def audit_tables(declaration: Declaration, found: Mapping[str, FamilyEndpoints]) -> dict[str, pl.DataFrame]:
    """The tables of one family, by name, their records in the order of populations, specifications and methods."""
    rows = {
        "levels": _level_rows(found),
        "margins": _margin_rows(found),
        "effects": _effect_rows(declaration, found),
        "rankings": _ranking_rows(found),
        "identified": _identified_rows(found),
    }
    return {name: pl.DataFrame(list(rows[name]), schema=dict(schema), orient="row") for name, schema in TABLES.items()}


def _columns(value: Fraction | None) -> tuple[str | None, float | None]:
    return (None, None) if value is None else (exact_text(value), float(value))


def _level_rows(found: Mapping[str, FamilyEndpoints]) -> Iterable[tuple[object, ...]]:
    for population, one in found.items():
        for spec in one.family.specs:
            for method, level in one.endpoints.levels[spec.id].items():
                yield (population, spec.id, method, *_columns(level.exact), level.support, None, None)


def _margin_rows(found: Mapping[str, FamilyEndpoints]) -> Iterable[tuple[object, ...]]:
    for population, one in found.items():
        position = {method: i for i, method in enumerate(one.endpoints.methods)}
        for spec in one.family.specs:
            for (a, b), values in one.endpoints.margins.items():
                shared = one.endpoints.scores.shared_support(spec.id, position[a], position[b])
                yield (population, spec.id, a, b, *_columns(values[spec.id]), None, None, shared)


def _effect_rows(declaration: Declaration, found: Mapping[str, FamilyEndpoints]) -> Iterable[tuple[object, ...]]:
    for population, one in found.items():
        for effect, cells in one.effects.items():
            for cell, value in cells.items():
                yield (population, effect, cell, None, *_columns(value.mean), None, None)
                yield from (
                    (population, effect, cell, background, *_columns(change), None, None)
                    for background, change in _background_rows(declaration.backgrounds[effect], value)
                )


def _background_rows(backgrounds: Sequence[Background], value: EffectValue) -> Iterable[tuple[str, Fraction | None]]:
    names = [json.dumps(dict(background.levels), sort_keys=True, ensure_ascii=False) for background in backgrounds]
    return zip(names, value.backgrounds, strict=True)


def _ranking_rows(found: Mapping[str, FamilyEndpoints]) -> Iterable[tuple[object, ...]]:
    for population, one in found.items():
        for spec in one.family.specs:
            order = one.endpoints.orders[spec.id]
            ranks = {} if order is None else competition_ranks(order)
            for method in one.endpoints.methods:
                yield (population, spec.id, method, ranks.get(method))


def _identified_rows(found: Mapping[str, FamilyEndpoints]) -> Iterable[tuple[object, ...]]:
    for population, one in found.items():
        for identified in one.identified:
            key = (population, identified.endpoint, identified.a, identified.b)
            for value in identified.values:
                yield (*key, *_identified_columns(value), value.specs, value.first)


def _identified_columns(found: IdentifiedValue) -> tuple[str | None, float | None]:
    """A number as in every table; a ranking as the JSON list of its tie groups."""
    if isinstance(found.value, Fraction):
        return _columns(found.value)
    return json.dumps(found.value, ensure_ascii=False), None
