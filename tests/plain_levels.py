"""The levels of the plain evaluator, rows drawn any number of times: DESIGN sections 4 and 6."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from plain_study import PlainStudy, Record, exact, keys

Values = dict[Any, Fraction]  # of the rows that count
Times = Mapping[Any, int]  # of rows: how often their unit is drawn


def clusters(study: PlainStudy) -> dict[Any, Any]:
    """The cluster of each row: the row itself where the table has no cluster column."""
    row, cluster, _ = keys(study)
    return {record[row]: record.get(cluster, record[row]) for record in study.rows}


def aggregation(study: PlainStudy, chosen: Mapping[str, Record]) -> Record:
    """The aggregation among chosen options, or that of study.yaml."""
    default = study.study.get("aggregation", "row_mean")
    return chosen.get("aggregation", {"rule": default} if isinstance(default, str) else default)


def counted(values: Mapping[str, Values], option: Record) -> dict[str, Values]:
    """The values of each method that enter its level, from those of its eligible rows."""
    found = {name: dict(own) for name, own in values.items()}
    if option.get("support") == "common":
        shared = set.intersection(*(set(own) for own in values.values()))
        found = {name: {row: own[row] for row in own if row in shared} for name, own in values.items()}
    if option.get("support") == "complete":
        needed = {row for own in values.values() for row in own}
        found = {name: dict(own) if set(own) == needed else {} for name, own in values.items()}
    return win_shares(found) if option.get("of") == "win_share" else found


def win_shares(values: Mapping[str, Values]) -> dict[str, Values]:
    """On each row, how a method fares against each other one there: 1 above it, 1/2 level, 0 below; averaged."""
    found: dict[str, Values] = {name: {} for name in values}
    for name, own in values.items():
        for row, value in own.items():
            others = [other[row] for key, other in values.items() if key != name and row in other]
            if others:
                points = [Fraction(1, 2) if value == other else Fraction(value > other) for other in others]
                found[name][row] = sum(points, Fraction(0)) / len(points)
    return found


def level(study: PlainStudy, values: Values, option: Record, times: Times | None = None) -> Fraction | None:
    """The level over rows that stand so often each (once by default); None where there is nothing to average."""
    drawn = dict.fromkeys(clusters(study), 1) if times is None else times
    held = {row: value for row, value in values.items() if drawn[row]}
    records = {record[keys(study).row]: record for record in study.rows}
    if option["rule"] == "auc":
        return auc(records, held, option, drawn)
    rule = named_rule(study, option)
    weight = {row: exact(records[row][option["weight"]]) if "weight" in option else Fraction(1) for row in held}
    groups: dict[Any, list[Any]] = {}
    for row in held:
        groups.setdefault(group_of(study, rule, option, records[row]), []).append(row)
    parts = []
    for rows in groups.values():
        often = [1 if rule == "cluster_mean" else drawn[row] for row in rows]
        own = [(held[row], weight[row] * n) for row, n in zip(rows, often, strict=True)]
        of_group = exact(records[rows[0]][option["group_weight"]]) if "group_weight" in option else Fraction(1)
        mean = weighed_mean(own)
        if mean is not None:
            parts.append((mean, of_group * (drawn[rows[0]] if rule == "cluster_mean" else 1)))
    return weighed_mean(parts)


def weighed_mean(values: list[tuple[Fraction, Fraction]]) -> Fraction | None:
    """The mean of values with weights; None where these sum to 0."""
    total = sum((weight for _, weight in values), Fraction(0))
    return sum((value * weight for value, weight in values), Fraction(0)) / total if total else None


def named_rule(study: PlainStudy, option: Record) -> str:
    """The rule, a group mean by clusters or strata by its own name."""
    names = {keys(study).cluster: "cluster_mean", keys(study).stratum: "stratum_mean"}
    rule: str = names.get(option["by"], "group_mean") if option["rule"] == "group_mean" else option["rule"]
    return rule


def group_of(study: PlainStudy, rule: str, option: Record, record: Record) -> object:
    """The group of a row."""
    row, _, stratum = keys(study)
    if rule == "cluster_mean":
        return clusters(study)[record[row]]
    if rule == "stratum_mean":
        return record[stratum]
    return record[option["by"]] if rule == "group_mean" else None


def auc(records: Mapping[Any, Record], held: Values, option: Record, times: Times) -> Fraction | None:
    """Every pair of a positive and a negative row of one group, each as often as its two rows stand."""
    found: dict[Any, list[tuple[Fraction, int]]] = {}
    for positive in held:
        for negative in held:
            groups = [records[row][option["within"]] if "within" in option else None for row in (positive, negative)]
            labels = [bool(records[row][option["label"]]) for row in (positive, negative)]
            if groups[0] == groups[1] and labels == [True, False]:
                points = Fraction((held[positive] > held[negative]) + (held[positive] >= held[negative]), 2)
                found.setdefault(groups[0], []).append((points, times[positive] * times[negative]))
    if option.get("pool", "pairs") == "pairs":
        found = {None: [pair for pairs in found.values() for pair in pairs]}
    means = [sum(p * n for p, n in pairs) / Fraction(sum(n for _, n in pairs)) for pairs in found.values() if pairs]
    return sum(means, Fraction(0)) / len(means) if means else None
