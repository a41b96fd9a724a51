"""A slow, plain evaluator that follows DESIGN sections 1 to 5 to the letter, for tests to compare with."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

from plain_levels import clusters
from plain_scores import Pair, Side, Sides, methods, scores, sides
from plain_study import (
    PlainStudy,
    Record,
    Spec,
    contract_options,
    coordinate_options,
    family_specs,
    holds,
    keys,
    mean,
    read_plain,
)

__all__ = ["PlainStudy", "effect_backgrounds", "effect_cells", "plain_record", "read_plain"]


class Background(NamedTuple):
    """One background of an effect: the levels of the other factors and the two contracts."""

    levels: dict[str, str]
    before: str
    after: str


# Endpoints


def difference(left: Fraction | None, right: Fraction | None) -> Fraction | None:
    """Left minus right, None where either is undefined."""
    return None if left is None or right is None else left - right


def margin(side: Mapping[str, Side], a: str, b: str) -> Fraction | None:
    """The margin of method a over method b."""
    return difference(side[a].level, side[b].level)


def weak_order(levels: Mapping[str, Fraction]) -> list[list[str]]:
    """The tie groups, best first, names in code-point order."""
    ordered = sorted(set(levels.values()), reverse=True)
    return [sorted(method for method in levels if levels[method] == value) for value in ordered]


def defined_levels(found: Sides) -> dict[Spec, dict[str, Fraction]]:
    """The levels of every specification that has them all."""
    defined = {}
    for spec, side in found.items():
        levels = {method: value.level for method, value in side.items() if value.level is not None}
        if len(levels) == len(side):
            defined[spec] = levels
    return defined


def sign(value: Fraction) -> int:
    """1, 0 or -1."""
    return (value > 0) - (value < 0)


def relation(signs: Mapping[str, int]) -> str | None:
    """The pair relation over the specifications where the margin is defined."""
    if signs["plus"] and signs["minus"]:
        return "reversal"
    if not signs["plus"] and not signs["minus"]:
        return "robust_tie" if signs["zero"] else None
    return "weak" if signs["zero"] else "robust_strict"


def pair_relation(found: Sides, a: str, b: str) -> dict[str, Any]:
    """The sign counts of a margin over the specifications, and what they make of the pair."""
    names = {1: "plus", 0: "zero", -1: "minus"}
    signs = {"plus": 0, "zero": 0, "minus": 0, "undefined": 0}
    for side in found.values():
        value = margin(side, a, b)
        signs["undefined" if value is None else names[sign(value)]] += 1
    return {"a": a, "b": b, "relation": relation(signs), "signs": signs}


def sign_pattern(levels: Mapping[str, Fraction]) -> tuple[int, ...]:
    """The sign of every pair's margin, pairs in one fixed order."""
    return tuple(sign(levels[a] - levels[b]) for a, b in combinations(sorted(levels), 2))


def tau_b(left: Sequence[int], right: Sequence[int]) -> float:
    """Kendall tau-b of two sign patterns, neither all ties."""
    agreement = sum(x * y for x, y in zip(left, right, strict=True))
    return agreement / math.sqrt(sum(x != 0 for x in left) * sum(y != 0 for y in right))


def tau_range(levels: Iterable[Mapping[str, Fraction]]) -> dict[str, float] | None:
    """The least and greatest tau-b over every two specifications that do not tie all methods."""
    patterns = Counter(pattern for pattern in map(sign_pattern, levels) if any(pattern))
    taus = [tau_b(left, right) for left, right in combinations(patterns, 2)]
    taus += [tau_b(pattern, pattern) for pattern, count in patterns.items() if count > 1]
    return {"min": min(taus), "max": max(taus)} if taus else None


def competition_ranks(order: Sequence[Sequence[str]]) -> dict[str, int]:
    """One plus the number of methods strictly above."""
    ranks: dict[str, int] = {}
    for group in order:
        above = len(ranks)
        ranks |= dict.fromkeys(group, above + 1)
    return ranks


def ranking_record(found: Sides, names: Sequence[str]) -> dict[str, Any]:
    """The ranking part of a population's record."""
    defined = defined_levels(found)
    orders = {spec: weak_order(levels) for spec, levels in defined.items()}
    weak_orders: list[dict[str, Any]] = []
    for spec, order in orders.items():
        known = [entry for entry in weak_orders if entry["order"] == order]
        if known:
            known[0]["specs"] += 1
        else:
            weak_orders.append({"order": order, "specs": 1, "first": "/".join(spec)})
    ranks = [competition_ranks(order) for order in orders.values()]
    rank_sets = {method: sorted({rank[method] for rank in ranks}) for method in names}
    return {
        "weak_orders": weak_orders,
        "undefined_specs": ["/".join(spec) for spec in found if spec not in defined],
        "pairs": [pair_relation(found, a, b) for a, b in combinations(names, 2)],
        "tau_b": tau_range(defined.values()),
        "rank_sets": rank_sets,
        "winners": [method for method in names if 1 in rank_sets[method]],
    }


def effect_backgrounds(study: PlainStudy, effect: Record) -> list[Background]:
    """The backgrounds of an effect at which both contracts are declared, in declared order."""
    if study.contracts is None:
        return []
    factor, before, after = effect["factor"], str(effect["from"]), str(effect["to"])
    options = contract_options(study.contracts)
    found = []
    for name, option in options.items():
        if option["levels"].get(factor) == before:
            wanted = option["levels"] | {factor: after}
            for other in [other for other in options if options[other]["levels"] == wanted]:
                levels = {key: value for key, value in option["levels"].items() if key != factor}
                found.append(Background(levels, name, other))
    return found


def effect_cells(study: PlainStudy, effect: Record, specs: Iterable[Spec]) -> tuple[list[Spec], list[Spec]]:
    """The rest cells of an effect that the specifications hold whole, and those they hold in part."""
    backgrounds = effect_backgrounds(study, effect)
    needed = {contract for _, before, after in backgrounds for contract in (before, after)}
    held: dict[Spec, set[str]] = {}
    for contract, *rest in specs:
        if contract in needed:
            held.setdefault(tuple(rest), set()).add(contract)
    whole = [cell for cell, contracts in held.items() if contracts == needed]
    return whole, [cell for cell in held if cell not in whole]


def background_effect(found: Sides, pair: Sequence[str], background: Background, cell: Spec) -> Fraction | None:
    """The effect at one background: the margin on its `to` side minus the margin on its `from` side."""
    a, b = pair
    after = margin(found[(background.after, *cell)], a, b)
    return difference(after, margin(found[(background.before, *cell)], a, b))


def effect_record(study: PlainStudy, effect: Record, found: Sides) -> dict[str, Any]:
    """An effect's part of a population's record, cells in the family's order."""
    whole, partial = effect_cells(study, effect, found)
    cells: dict[str, Any] = {}
    entries: list[dict[str, Any]] = []
    for cell in whole:
        values = []
        for background in effect_backgrounds(study, effect):
            value = background_effect(found, effect["pair"], background, cell)
            entries.append({"background": background.levels, "cell": "/".join(cell), **shown(value)})
            values.append(value)
        defined = [value for value in values if value is not None]
        cells["/".join(cell)] = shown(mean(defined)) if len(defined) == len(values) else None
    return {"cells": cells, "backgrounds": entries, "partial_cells": ["/".join(cell) for cell in partial]}


# The record


def shown(value: Fraction | None) -> dict[str, Any]:
    """An exact number as text, and the nearest double beside it."""
    return {"exact": None, "value": None} if value is None else {"exact": str(value), "value": float(value)}


def identified_set(endpoint: str, a: str, b: str | None, values: Mapping[str, Fraction | None]) -> dict[str, Any]:
    """The identified set of one numeric endpoint; values by specification, or by cell, in order."""
    defined = {name: value for name, value in values.items() if value is not None}
    ends: dict[str, Any] = {"min": None, "max": None}
    if defined:
        for end, extreme in (("min", min(defined.values())), ("max", max(defined.values()))):
            first = next(name for name, value in defined.items() if value == extreme)
            ends[end] = shown(extreme) | {"spec": first}
    return {"endpoint": endpoint, "a": a, "b": b, **counts(set(defined.values()), len(values) - len(defined)), **ends}


def counts(members: set[Any], undefined: int) -> dict[str, Any]:
    """How many values an identified set has and whether that makes a point."""
    return {"count": len(members), "point_identified": len(members) == 1 and not undefined, "undefined": undefined}


def identified_record(found: Sides, names: Sequence[str], effects: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The identified sets of a population: levels, margins, the ranking, effects."""
    for method in names:
        levels = {"/".join(spec): side[method].level for spec, side in found.items()}
        yield identified_set("level", method, None, levels)
    for a, b in combinations(names, 2):
        yield identified_set("margin", a, b, {"/".join(spec): margin(side, a, b) for spec, side in found.items()})
    defined = defined_levels(found)
    orders = {str(weak_order(levels)) for levels in defined.values()}
    nothing = {"a": None, "b": None, "min": None, "max": None}
    yield {"endpoint": "ranking", **counts(orders, len(found) - len(defined)), **nothing}
    for name, effect in effects.items():
        cells = {key: None if cell is None else Fraction(cell["exact"]) for key, cell in effect["cells"].items()}
        yield identified_set("effect", name, None, cells)


def margin_entries(side: Mapping[str, Side], names: Sequence[str]) -> list[dict[str, Any]]:
    """Every margin under one specification, and whether its two methods' eligible rows are the same set."""
    return [
        {"a": a, "b": b, **shown(margin(side, a, b)), "shared_support": side[a].support == side[b].support}
        for a, b in combinations(names, 2)
    ]


def population_record(
    study: PlainStudy, found: Mapping[Spec, Mapping[Pair, Fraction]], where: Record
) -> dict[str, Any]:
    """One population's part of the record."""
    rows = [record[keys(study).row] for record in study.rows if holds(where, record)]
    levels = sides(study, found, rows)
    names = methods(study)
    declared = (study.study.get("endpoints") or {}).get("effects") or []
    effects = {effect["id"]: effect_record(study, effect, levels) for effect in declared}
    return {
        "rows": len(rows),
        "clusters": len({clusters(study)[row] for row in rows}),
        "levels": {
            "/".join(spec): {name: shown(side[name].level)["exact"] for name in names} for spec, side in levels.items()
        },
        "support": {"/".join(spec): {name: len(side[name].support) for name in names} for spec, side in levels.items()},
        "margins": {"/".join(spec): margin_entries(side, names) for spec, side in levels.items()},
        "ranking": ranking_record(levels, names),
        "effects": effects,
        "identified": list(identified_record(levels, names, effects)),
    }


def plain_record(study: PlainStudy, family: str) -> dict[str, Any]:
    """The audit record of a family in the shape of DESIGN section 9 and the conformance files.

    Each population also has `margins`: {spec: [{a, b, exact, value, shared_support}]}, a < b in code-point order.
    """
    specs = family_specs(study, family)
    found = scores(study, specs)
    populations = study.study.get("populations") or {"all": {}}
    return {
        "study": study.study["study"],
        "family": family,
        "coordinates": list(coordinate_options(study)),
        "specs": ["/".join(spec) for spec in specs],
        "populations": {name: population_record(study, found, where) for name, where in populations.items()},
    }
