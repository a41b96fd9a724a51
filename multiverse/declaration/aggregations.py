"""aggregations.yaml: how row scores become a level."""

from dataclasses import replace
from typing import get_args

from multiverse.declaration.coordinates import open_file, read_options
from multiverse.declaration.fields import Fields
from multiverse.errors import Fault
from multiverse.specification import Aggregation, AggregationRule, Support
from multiverse.strict_yaml import Mapping, Node

_PLAIN = ("row_mean", "cluster_mean", "stratum_mean")


def read_aggregations(node: Node, faults: list[Fault]) -> tuple[Aggregation, ...]:
    """aggregations.yaml: how row scores become a level."""
    return read_options(open_file(node, "aggregation", faults), _aggregation)[0]


def read_aggregation(fields: Fields) -> Aggregation:
    """The key `aggregation` of study.yaml: a rule that needs no column, or an option without an id."""
    place, node = fields.place_of("aggregation"), fields.node("aggregation")
    if not isinstance(node, Mapping):
        rule = "row_mean" if node is None else fields.as_choice(node, "aggregation", _PLAIN, default="row_mean")
        return Aggregation(id="", rule=rule)  # type: ignore[arg-type]
    part = Fields(node, noun="aggregation", place=place, faults=fields.faults)
    found = _aggregation(part, "")
    part.close()
    return found


def _aggregation(option: Fields, identity: str) -> Aggregation:
    rule: AggregationRule = option.choice("rule", get_args(AggregationRule))  # type: ignore[assignment]
    support: Support = option.choice("support", get_args(Support), default="own")  # type: ignore[assignment]
    if rule == "auc":
        return Aggregation(
            id=identity,
            rule=rule,
            support=support,
            label=option.text("label"),
            by=_column(option, "within"),
            pool="groups" if option.choice("pool", ["pairs", "groups"], default="pairs") == "groups" else "pairs",
        )
    return Aggregation(
        id=identity,
        rule=rule,
        support=support,
        by=option.text("by") if rule == "group_mean" else None,
        weight=_column(option, "weight"),
        group_weight=None if rule == "row_mean" else _column(option, "group_weight"),
        of="win_share" if option.choice("of", ["score", "win_share"], default="score") == "win_share" else "score",
    )


def _column(option: Fields, key: str) -> str | None:
    """The name of a column; None where the key is absent."""
    return option.text(key, default="") or None


def by_special_names(aggregation: Aggregation, *, cluster: str, stratum: str) -> Aggregation:
    """A group mean by the column of clusters or strata under the name of its own, which it is."""
    if aggregation.rule == "group_mean" and aggregation.by in (cluster, stratum):
        return replace(aggregation, rule="cluster_mean" if aggregation.by == cluster else "stratum_mean")
    return aggregation
