"""aggregations.yaml: how row scores become a level."""

from typing import get_args

from multiverse.declaration.coordinates import open_file, read_options
from multiverse.declaration.fields import Fields
from multiverse.errors import Fault
from multiverse.specification import Aggregation, AggregationRule
from multiverse.strict_yaml import Node


def read_aggregations(node: Node, faults: list[Fault]) -> tuple[Aggregation, ...]:
    """aggregations.yaml: how row scores become a level."""
    return read_options(open_file(node, "aggregation", faults), _aggregation)[0]


def _aggregation(option: Fields, identity: str) -> Aggregation:
    return Aggregation(id=identity, rule=option.choice("rule", get_args(AggregationRule)))  # type: ignore[arg-type]
