"""Predicates from YAML nodes."""

from collections.abc import Sequence

from multiverse.declaration.fields import Fields, described
from multiverse.errors import Fault, Place, quoted
from multiverse.predicates import ORDERED, TESTS, TRUE, AllOf, AnyOf, Leaf, Not, Predicate, Value
from multiverse.strict_yaml import Mapping, Node, Scalar

_COMBINATORS = ("all", "any", "not")


def read_predicate(node: Node, faults: list[Fault]) -> Predicate:
    """The predicate that a node declares; faults are collected, and what is at fault reads as true."""
    fields = Fields(node, noun="the predicate", place=node.place, faults=faults)
    if isinstance(node, Mapping) and not node.entries:
        return TRUE
    combinators = [key for key in _COMBINATORS if fields.has(key)]
    predicate = _combination(fields, combinators) if combinators else _leaf(fields, node.place)
    fields.close()
    return predicate


def _combination(fields: Fields, combinators: Sequence[str]) -> Predicate:
    first = combinators[0]
    for key, place in fields.places.items():
        if key != first and key in (*_COMBINATORS, "column", *TESTS):
            fields.node(key)
            fields.fault(place, f"the key {quoted(key)} beside {quoted(first)}", "a combinator alone in its braces")
    node = fields.node(first)
    assert node is not None
    if first == "not":
        return Not(part=read_predicate(node, fields.faults))
    items = fields.as_items(node, first, "a list of at least one predicate", least=1)
    parts = tuple(read_predicate(item, fields.faults) for item in items)
    return AllOf(parts=parts) if first == "all" else AnyOf(parts=parts)


def _leaf(fields: Fields, place: Place) -> Predicate:
    if fields.broken:
        return TRUE
    written = [test for test in TESTS if fields.has(test)]
    if not written and not fields.has("column"):
        for key in ("column", *TESTS, *_COMBINATORS):
            fields.node(key)
        return TRUE
    column = fields.text("column")
    if len(written) != 1:
        found = f"{len(written)} tests ({', '.join(written)})" if written else "no test"
        fields.fault(place, f"the predicate on column {quoted(column)} has {found}", f"one of {', '.join(TESTS)}")
    values: tuple[Value, ...] = ()
    for test in TESTS:
        node = fields.node(test)
        if node is not None:
            values = _values(fields, test, node)
    return Leaf(column=column, test=written[0] if written else "equals", values=values, place=place)  # type: ignore[arg-type]


def _values(fields: Fields, test: str, node: Node) -> tuple[Value, ...]:
    if test == "in":
        return _list_values(fields, node)
    value = node.value if isinstance(node, Scalar) else None
    if test == "is_null" and not isinstance(value, bool):
        fields.fault(node.place, f"is_null is {described(node)}", "true or false")
    elif value is None:
        fields.fault(node.place, f"{test} is {described(node)}", "a value (for nulls, use is_null)")
    elif test in ORDERED and isinstance(value, bool):
        fields.fault(node.place, f"{test} is {described(node)}", "a number or a text")
    else:
        return (value,)
    return ()


def _list_values(fields: Fields, node: Node) -> tuple[Value, ...]:
    items = fields.as_items(node, "in", "a list of at least one value", least=1)
    for item in items:
        if not isinstance(item, Scalar) or item.value is None:
            fields.fault(item.place, f"a value of in is {described(item)}", "a text, a number, true or false")
    return tuple(item.value for item in items if isinstance(item, Scalar) and item.value is not None)
