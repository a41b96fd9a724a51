"""Contrasts, deletion corners and redrawn levels of the plain evaluator: DESIGN sections 5 to 7."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

from plain import Background, effect_backgrounds, effect_cells
from plain_levels import Times, Values, aggregation, clusters, counted, level
from plain_scores import default_scoring, grouped_objects, methods, pair_score, passes, read_pairs, scores
from plain_study import (
    PlainStudy,
    Record,
    Spec,
    chosen_options,
    contract_options,
    coordinate_options,
    family_specs,
    holds,
    keys,
    kind,
    mean,
)


def has_effects(study: PlainStudy) -> bool:
    """Whether a study declares an effect."""
    return bool((study.study.get("endpoints") or {}).get("effects"))


def compared(study: PlainStudy) -> PlainStudy:
    """The study with contrasts on both supports, a stratum contrast, and a decomposition, of every effect it has."""
    declared = study.study.get("endpoints") or {}
    effects = declared.get("effects") or []
    options = {name: [*found] for name, found in coordinate_options(study).items() if name != "contract"}
    contrasts = [
        {"id": f"{effect['id']}-{name}-{support}", "effect": effect["id"], "coordinate": name}
        | {"from": found[0], "to": found[-1], "support": support}
        for effect in effects
        for name, found in options.items()
        if len(found) > 1
        for support in ("own", "common")
    ]
    strata = sorted({record[keys(study).stratum] for record in study.rows if keys(study).stratum in record})
    column = "adopted" if kind(study) == "hypotheses" else "flaky"
    classes = {"yes": {"column": column, "equals": True}, "no": {"not": {"column": column, "equals": True}}}
    added = {
        "contrasts": contrasts,
        "stratum_contrasts": [{"id": "strata", "effect": effects[0]["id"], "minus": strata[:2]}]
        if effects and len(strata) > 1
        else [],
        "decompositions": [{"id": f"of-{one['id']}", "effect": one["id"], "classes": classes} for one in effects],
    }
    return replace(study, study={**study.study, "endpoints": {**declared, **added}})


# Everything that is an average over backgrounds of sums of levels


Terms = tuple[tuple[int, int], ...]  # (sign, position of a level)
Sums = tuple[Terms, ...]  # by background


class Quantities:
    """Levels, margins, effects and contrasts of one population over a family, as sums of distinct levels."""

    def __init__(self, study: PlainStudy, family: str, where: Record) -> None:
        self.study, self.specs = study, family_specs(study, family)
        row = keys(study).row
        self.rows = frozenset(record[row] for record in study.rows if holds(where, record))
        self.levels: list[tuple[Values, Record]] = []
        self._positions: dict[Any, int] = {}
        self._own: dict[tuple[Spec, str], Values] = {}
        for spec, values in scores(study, self.specs).items():
            own = {m: {r: v for (r, name), v in values.items() if name == m and r in self.rows} for m in methods(study)}
            entered = counted(own, aggregation(study, chosen_options(study, spec)))
            self._own |= {(spec, method): one for method, one in entered.items()}
        self.sums: dict[tuple[Any, ...], Sums] = {}
        for spec in self.specs:
            for method in methods(study):
                self.sums["level", "/".join(spec), method] = (((1, self._level(spec, method, self.rows)),),)
            for a, b in combinations(methods(study), 2):
                self.sums["margin", "/".join(spec), a, b] = (self._margin(spec, (a, b), self.rows),)
        declared = study.study.get("endpoints") or {}
        self._effects = {effect["id"]: effect for effect in declared.get("effects") or []}
        for effect in self._effects.values():
            self._add_effect(effect)
        for contrast in declared.get("contrasts") or []:
            self._add_contrast(contrast)
        for contrast in declared.get("stratum_contrasts") or []:
            self._add_stratum_contrast(contrast)

    def values(self, weights: Times) -> dict[tuple[Any, ...], Fraction | None]:
        """Every quantity under weights of the rows; None where a level it needs is undefined."""
        known = [level(self.study, values, option, weights) for values, option in self.levels]
        found = {sums: _average(sums, known) for sums in set(self.sums.values())}
        return {key: found[sums] for key, sums in self.sums.items()}

    def once(self) -> dict[tuple[Any, ...], Fraction | None]:
        """Every quantity as observed: each row once."""
        return self.values(dict.fromkeys(clusters(self.study), 1))

    def _level(self, spec: Spec, method: str, rows: frozenset[Any]) -> int:
        values = {row: value for row, value in self._own[spec, method].items() if row in rows}
        option = aggregation(self.study, chosen_options(self.study, spec))
        key = (frozenset(values.items()), repr(option))
        if key not in self._positions:
            self._positions[key] = len(self.levels)
            self.levels.append((values, option))
        return self._positions[key]

    def _margin(self, spec: Spec, pair: Sequence[str], rows: frozenset[Any]) -> Terms:
        a, b = pair
        return ((1, self._level(spec, a, rows)), (-1, self._level(spec, b, rows)))

    def _change(self, effect: Record, b: Background, cell: Spec, rows: frozenset[Any]) -> Terms:
        after = self._margin((b.after, *cell), effect["pair"], rows)
        return after + _negative(self._margin((b.before, *cell), effect["pair"], rows))

    def _add_effect(self, effect: Record) -> None:
        backgrounds = effect_backgrounds(self.study, effect)
        for cell in effect_cells(self.study, effect, self.specs)[0]:
            changes = tuple(self._change(effect, b, cell, self.rows) for b in backgrounds)
            self.sums["effect", effect["id"], "/".join(cell), None] = changes
            for b, change in zip(backgrounds, changes, strict=True):
                self.sums["effect", effect["id"], "/".join(cell), tuple(sorted(b.levels.items()))] = (change,)

    def _add_contrast(self, contrast: Record) -> None:
        effect = self._effects[contrast["effect"]]
        names = [name for name in coordinate_options(self.study) if name != "contract"]
        place = names.index(contrast["coordinate"])
        whole = effect_cells(self.study, effect, self.specs)[0]
        for cell in whole:
            other = (*cell[:place], str(contrast["to"]), *cell[place + 1 :])
            if cell[place] == str(contrast["from"]) and other in whole:
                sums: Sums = ()
                for b in effect_backgrounds(self.study, effect):
                    rows = self.rows
                    if contrast.get("support", "own") == "common":
                        sides = [(contract, *c) for c in (cell, other) for contract in (b.before, b.after)]
                        rows &= self.common(effect["pair"], sides)
                    change = self._change(effect, b, other, rows)
                    sums += (change + _negative(self._change(effect, b, cell, rows)),)
                self.sums["contrast", contrast["id"], "/".join(cell[:place] + cell[place + 1 :])] = sums

    def common(self, pair: Sequence[str], specs: Iterable[Spec]) -> frozenset[Any]:
        """The rows where both methods are eligible at every one of the specifications."""
        return frozenset.intersection(*(frozenset(self._own[spec, method]) for spec in specs for method in pair))

    def _add_stratum_contrast(self, contrast: Record) -> None:
        row, _, stratum = keys(self.study)
        effect = self._effects[contrast["effect"]]
        first, second = (
            self.rows & {record[row] for record in self.study.rows if record[stratum] == name}
            for name in contrast["minus"]
        )
        for cell in effect_cells(self.study, effect, self.specs)[0]:
            self.sums["stratum", contrast["id"], "/".join(cell)] = tuple(
                self._change(effect, b, cell, first) + _negative(self._change(effect, b, cell, second))
                for b in effect_backgrounds(self.study, effect)
            )


def _negative(terms: Terms) -> Terms:
    return tuple((-sign, level) for sign, level in terms)


def _average(sums: Sums, levels: Sequence[Fraction | None]) -> Fraction | None:
    found = []
    for terms in sums:
        known = [(sign, level) for sign, position in terms if (level := levels[position]) is not None]
        if len(known) < len(terms):
            return None
        found.append(sum((sign * level for sign, level in known), Fraction(0)))
    return mean(found)


# Deletion corners


class PlainCorners(NamedTuple):
    """The corners of one cell by their classes, averaged over backgrounds, and the common rows of each background."""

    corners: dict[frozenset[str], Fraction] | None
    common_rows: list[int]


def deletion_corners(study: PlainStudy, decomposition: Record, cell: Spec, where: Record) -> PlainCorners:
    """v(A): objects of the classes in A judged by `to`, others by `from`, over the rows eligible at every corner."""
    effect = next(one for one in study.study["endpoints"]["effects"] if one["id"] == decomposition["effect"])
    row = keys(study).row
    inside = {record[row] for record in study.rows if holds(where, record)}
    classes = [*decomposition["classes"]]
    corners = [frozenset(chosen) for size in range(len(classes) + 1) for chosen in combinations(classes, size)]
    by_background: list[dict[frozenset[str], Fraction | None]] = []
    counts = []
    for b in effect_backgrounds(study, effect):
        found = {
            corner: _corner_scores(study, decomposition, (b, corner), cell, (effect["pair"], inside))
            for corner in corners
        }
        common = inside.intersection(*(values for sides in found.values() for values in sides))
        counts.append(len(common))
        by_background.append({corner: _corner_margin(study, cell, sides, common) for corner, sides in found.items()})
    known = {corner: [v for values in by_background if (v := values[corner]) is not None] for corner in corners}
    defined = all(len(values) == len(by_background) for values in known.values())
    return PlainCorners({c: mean(values) for c, values in known.items()} if defined else None, counts)


def _corner_margin(study: PlainStudy, cell: Spec, sides: Sequence[Values], common: Iterable[Any]) -> Fraction | None:
    option = aggregation(study, _options(study, cell))
    a, b = (level(study, {row: values[row] for row in common}, option) for values in sides)
    return None if a is None or b is None else a - b


def _options(study: PlainStudy, cell: Spec) -> dict[str, Record]:
    """The options of a cell; a contract is declared, since there is an effect."""
    return chosen_options(study, (next(iter(contract_options(study.contracts or {}))), *cell))


def _corner_scores(
    study: PlainStudy,
    decomposition: Record,
    corner: tuple[Background, frozenset[str]],
    cell: Spec,
    asked: tuple[Sequence[str], set[Any]],
) -> list[Values]:
    """The scores of the pair's rows that count at one corner of one cell."""
    pair, inside = asked
    background, deleted = corner
    contracts, chosen = contract_options(study.contracts or {}), _options(study, cell)

    def judged(record: Record) -> bool:
        (name,) = [name for name, test in decomposition["classes"].items() if holds(test, record)]
        contract = contracts[background.after if name in deleted else background.before]
        return passes(study, record, contract, chosen.get("terminal"))

    families = _families(study, judged)
    found: dict[str, Values] = {}
    repeats = read_pairs(study, chosen.get("reading"))
    scoring = chosen.get("scoring", default_scoring(study))
    for method in methods(study):
        values = {
            row: pair_score(repeats[row, method], families[row], chosen["disposition"], scoring) for row in inside
        }
        found[method] = {row: value for row, value in values.items() if value is not None}
    entered = counted(found, aggregation(study, chosen))
    return [entered[method] for method in pair]


def _families(study: PlainStudy, judged: Callable[[Record], bool]) -> dict[Any, set[frozenset[Any]]]:
    """The legal family of every row, objects judged as given."""
    legal: dict[Any, set[frozenset[Any]]] = {record[keys(study).row]: set() for record in study.rows}
    for (row, _), members in grouped_objects(study).items():
        if all(judged(member) for _, member in members):
            legal[row].add(frozenset(thing for thing, _ in members))
    return legal
