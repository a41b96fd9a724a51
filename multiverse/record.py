"""The audit record and its tables, in the one form that is written down (DESIGN section 9)."""

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from multiverse.choices import CHOICE_COLUMNS, choice_tables, declared_endpoints, specification_columns
from multiverse.comparisons import Comparisons
from multiverse.contrasts import ContrastValue
from multiverse.curve import CurveInference
from multiverse.declaration import Declaration
from multiverse.declaration.study import Contrast, StratumContrast
from multiverse.decomposition import DecompositionValue
from multiverse.deletion import Corner
from multiverse.drivers import DRIVER_COLUMNS
from multiverse.drops import drops_entry
from multiverse.endpoints import FamilyEndpoints
from multiverse.exact import exact_text
from multiverse.identification import IdentifiedSet, IdentifiedValue
from multiverse.intervals import Interval
from multiverse.ranking import RankingSet, competition_ranks
from multiverse.row_audit import ROW_AUDIT_COLUMNS, background_name
from multiverse.specification import Background, Effect, Family
from multiverse.standing import Standing, gate_entry
from multiverse.uncertainty import RankInterval, Uncertainty

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
    "rankings": {
        "population": _TEXT, "spec": _TEXT, "method": _TEXT, "rank": _COUNT, "lower": _COUNT, "upper": _COUNT,
    },
    "identified": {
        "population": _TEXT, "endpoint": _TEXT, "a": _TEXT, "b": _TEXT, "exact": _TEXT, "value": _NUMBER,
        "specs": _COUNT, "first_spec": _TEXT,
    },
    "row_audit": ROW_AUDIT_COLUMNS,
    **CHOICE_COLUMNS,
    "drivers": DRIVER_COLUMNS,
}  # fmt: skip


def table_columns(name: str, record: Json) -> dict[str, pl.DataType]:
    """The columns of a table beside the record: in the table of specifications one is each coordinate of the record."""
    return specification_columns(record["coordinates"]) if name == "specifications" else dict(TABLES[name])


def audit_record(
    declaration: Declaration,
    family: Family,
    found: Mapping[str, FamilyEndpoints],
    comparisons: Mapping[str, Comparisons],
    uncertain: Mapping[str, Uncertainty],
    *,
    standing: Standing,
) -> Json:
    """The record of one family, by population; numbers are exact text with the nearest double beside it."""
    return {
        "schema": SCHEMA,
        "study": declaration.name,
        "title": declaration.title,
        "license": declaration.license,
        "endpoints": declared_endpoints(declaration),
        "family": family.name,
        "status": standing.status,
        "admissibility": standing.admissibility,
        "coordinates": list(declaration.coordinates.declared),
        "specs": [spec.id for spec in family.specs],
        "gates": [gate_entry(verdict) for verdict in standing.gates],
        "populations": {
            name: _population(declaration, one, comparisons[name], uncertain.get(name)) for name, one in found.items()
        },
    }


def record_bytes(record: Json) -> bytes:
    """The bytes of record.json: UTF-8, keys sorted, one newline at the end."""
    return (json.dumps(record, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _population(
    declaration: Declaration, found: FamilyEndpoints, comparisons: Comparisons, uncertain: Uncertainty | None
) -> Json:
    effects = {
        effect.id: _effect(effect, declaration.backgrounds[effect.id], found, uncertain)
        for effect in declaration.endpoints.effects
    }
    return {
        "rows": found.endpoints.scores.rows,
        "clusters": found.endpoints.scores.clusters,
        "ranking": _ranking(found.ranking),
        "effects": effects,
        "decompositions": _decompositions(declaration, found, comparisons),
        "contrasts": _contrasts(
            declaration.endpoints.contrasts,
            found,
            comparisons.contrasts,
            None if uncertain is None else uncertain.contrasts,
        ),
        "stratum_contrasts": _contrasts(
            declaration.endpoints.stratum_contrasts,
            found,
            comparisons.stratum_contrasts,
            None if uncertain is None else uncertain.stratum_contrasts,
        ),
        "identified": [_identified(one) for one in found.identified],
        "drops": drops_entry(declaration, found),
        "uncertainty": {} if uncertain is None else _uncertainty(uncertain),
    }


def _exact(value: Fraction) -> Json:
    return {"exact": exact_text(value), "value": float(value)}


def _interval(interval: Interval | None) -> Json:
    """A sampling interval, null where none was computed or no draw defined it."""
    none = interval is None or interval.lower is None
    return {"interval": None if none or interval is None else [interval.lower, interval.upper]}


def _uncertainty(found: Uncertainty) -> Json:
    resampling = found.resampling
    return {
        "draws": resampling.draws,
        "seed": resampling.seed,
        "level": float(resampling.level),
        "unit": resampling.unit,
        "method": resampling.method,
        "intervals": _counted(found),
        "envelope": [one._asdict() for one in found.envelopes],
        "sign_pattern": [one._asdict() for one in found.sign_patterns],
        "specification_curve": [_curve(one) for one in found.curves],
        "undefined_draws": list(_undefined_draws(found)),
    }


def _undefined_draws(found: Uncertainty) -> Iterable[Json]:
    """The quantities that some draws leave undefined, and in how many."""
    kinds: dict[str, Mapping[Any, Interval]] = {
        "level": found.levels,
        "margin": found.margins,
        "effect": found.effects,
        "contrast": found.contrasts,
        "stratum_contrast": found.stratum_contrasts,
    }
    for endpoint, values in kinds.items():
        for key, one in values.items():
            if one.undefined:
                yield {"endpoint": endpoint, "of": list(key), "draws": one.undefined}


def _counted(found: Uncertainty) -> Json:
    """How many intervals were computed from the resampling distribution, and how many from draws."""
    kinds = (found.levels, found.margins, found.effects, found.contrasts, found.stratum_contrasts)
    exact = [one.exact for kind in kinds for one in kind.values()]
    return {"exact": sum(exact), "drawn": len(exact) - sum(exact)}


def _curve(found: CurveInference) -> Json:
    tests = {name: getattr(found, name)._asdict() for name in ("median", "share_dominant", "share_significant")}
    return {
        "a": found.a,
        "b": found.b,
        "swaps": found.swaps,
        "exact": found.exact,
        "undefined": found.undefined,
    } | tests


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


def _effect(
    effect: Effect, backgrounds: Sequence[Background], found: FamilyEndpoints, uncertain: Uncertainty | None
) -> Json:
    cells, intervals = found.effects[effect.id], {} if uncertain is None else uncertain.effects
    return {
        "cells": {
            cell: None if v.mean is None else _exact(v.mean) | _interval(intervals.get((effect.id, cell, None)))
            for cell, v in cells.items()
        },
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
    intervals: Mapping[tuple[str, str], Interval] | None,
) -> Json:
    """The cells whose two effect cells the family holds whole."""
    known = intervals or {}
    return {
        one.id: {
            "cells": {
                key: None if value.value is None else _exact(value.value) | _interval(known.get((one.id, key)))
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


def audit_tables(
    declaration: Declaration,
    family: Family,
    found: Mapping[str, FamilyEndpoints],
    uncertain: Mapping[str, Uncertainty],
    *,
    audited: pl.DataFrame,
    driving: pl.DataFrame,
) -> dict[str, pl.DataFrame]:
    """The tables of one family, by name, their records in the order of populations, specifications and methods."""
    rows = {
        "levels": _level_rows(found, uncertain),
        "margins": _margin_rows(found, uncertain),
        "effects": _effect_rows(declaration, found, uncertain),
        "rankings": _ranking_rows(found, uncertain),
        "identified": _identified_rows(found),
    }
    frames = {name: pl.DataFrame(list(rows[name]), schema=dict(TABLES[name]), orient="row") for name in rows}
    choices = choice_tables(declaration, family, found)
    return {**frames, "row_audit": audited, **choices, "drivers": driving}


def _columns(value: Fraction | None) -> tuple[str | None, float | None]:
    return (None, None) if value is None else (exact_text(value), float(value))


def _ends(interval: Interval | RankInterval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.lower, interval.upper)


def _level_rows(
    found: Mapping[str, FamilyEndpoints], uncertain: Mapping[str, Uncertainty]
) -> Iterable[tuple[object, ...]]:
    for population, one in found.items():
        intervals = uncertain[population].levels if population in uncertain else {}
        for spec in one.family.specs:
            for method, level in one.endpoints.levels[spec.id].items():
                ends = _ends(intervals.get((spec.id, method)))
                yield (population, spec.id, method, *_columns(level.exact), level.support, *ends)


def _margin_rows(
    found: Mapping[str, FamilyEndpoints], uncertain: Mapping[str, Uncertainty]
) -> Iterable[tuple[object, ...]]:
    for population, one in found.items():
        intervals = uncertain[population].margins if population in uncertain else {}
        position = {method: i for i, method in enumerate(one.endpoints.methods)}
        for spec in one.family.specs:
            for (a, b), values in one.endpoints.margins.items():
                shared = one.endpoints.scores.shared_support(spec.id, position[a], position[b])
                ends = _ends(intervals.get((spec.id, a, b)))
                yield (population, spec.id, a, b, *_columns(values[spec.id]), *ends, shared)


def _effect_rows(
    declaration: Declaration, found: Mapping[str, FamilyEndpoints], uncertain: Mapping[str, Uncertainty]
) -> Iterable[tuple[object, ...]]:
    for population, one in found.items():
        intervals = uncertain[population].effects if population in uncertain else {}
        for effect, cells in one.effects.items():
            for cell, value in cells.items():
                ends = _ends(intervals.get((effect, cell, None)))
                yield (population, effect, cell, None, *_columns(value.mean), *ends)
                named = zip(map(background_name, declaration.backgrounds[effect]), value.backgrounds, strict=True)
                for b, (background, change) in enumerate(named):
                    ends = _ends(intervals.get((effect, cell, b)))
                    yield (population, effect, cell, background, *_columns(change), *ends)


def _ranking_rows(
    found: Mapping[str, FamilyEndpoints], uncertain: Mapping[str, Uncertainty]
) -> Iterable[tuple[object, ...]]:
    for population, one in found.items():
        intervals = uncertain[population].ranks if population in uncertain else {}
        for spec in one.family.specs:
            order = one.endpoints.orders[spec.id]
            ranks = {} if order is None else competition_ranks(order)
            for method in one.endpoints.methods:
                ends = _ends(intervals.get((spec.id, method)))
                yield (population, spec.id, method, ranks.get(method), *ends)


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
