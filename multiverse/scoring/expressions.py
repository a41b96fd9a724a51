"""Predicates as parameterised DuckDB expressions: every value is a parameter, every column an alias of our own."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from multiverse.predicates import AllOf, AnyOf, Leaf, Not, Predicate, Value
from multiverse.substrate.columns import Attribute

_OPERATORS = {"equals": "=", "at_least": ">=", "at_most": "<=", "above": ">", "below": "<"}
WORD_BITS = 62
Parameter: TypeAlias = bool | int | float | str


class Compiler:
    """Compiles predicates over one table; parameters are numbered through all expressions of one query."""

    def __init__(self, attributes: Mapping[str, Attribute]) -> None:
        self._attributes = attributes
        self.parameters: list[Parameter] = []

    def boolean(self, predicate: Predicate) -> str:
        """An SQL expression that is true or false, never null: a leaf on a null is false (DESIGN section 3)."""
        match predicate:
            case AllOf(parts=parts):
                return "(" + " AND ".join(["true", *map(self.boolean, parts)]) + ")"
            case AnyOf(parts=parts):
                return "(" + " OR ".join(["false", *map(self.boolean, parts)]) + ")"
            case Not(part=part):
                return f"(NOT {self.boolean(part)})"
            case Leaf():
                return self._leaf(predicate, self._attributes[predicate.column])

    def word(self, predicates: Sequence[Predicate]) -> str:
        """An integer whose bit i says whether predicate i holds; at most `WORD_BITS` predicates."""
        bits = [f"(CASE WHEN {self.boolean(p)} THEN {1 << i}::BIGINT ELSE 0 END)" for i, p in enumerate(predicates)]
        return " | ".join(bits) or "0::BIGINT"

    def _leaf(self, leaf: Leaf, column: Attribute) -> str:
        if leaf.test == "is_null":
            return f"({column.alias} IS {'' if leaf.values[0] else 'NOT '}NULL)"
        if column.kind in ("null", "other"):
            return "false"
        if leaf.test in ("equals", "in"):
            tests = [self._comparison(column, "=", value) for value in leaf.values]
            return "(" + " OR ".join(tests) + ")"
        return self._comparison(column, _OPERATORS[leaf.test], leaf.values[0])

    def _comparison(self, column: Attribute, operator: str, value: Value) -> str:
        match value:
            case bool() | str():
                bound: Parameter = value
            case _ if column.kind == "integer":
                whole = _whole_bound(operator, Fraction(value))
                if whole is None:
                    return "false"
                bound = whole
            case _:
                return self._number(column.alias, operator, float(value))
        return f"coalesce({column.alias} {operator} {self._parameter(bound)}, false)"

    def _number(self, alias: str, operator: str, bound: float) -> str:
        """A NaN compares false, as a null does; DuckDB would call it the greatest number."""
        return f"coalesce(NOT isnan({alias}::DOUBLE) AND {alias} {operator} {self._parameter(bound)}::DOUBLE, false)"

    def _parameter(self, value: Parameter) -> str:
        self.parameters.append(value)
        return f"${len(self.parameters)}"


def _whole_bound(operator: str, value: Fraction) -> int | None:
    """The whole number that bounds a whole column as the value does; None where nothing can equal it."""
    if value.denominator == 1:
        return value.numerator
    return {"=": None, ">=": math.ceil(value), "<": math.ceil(value), "<=": math.floor(value), ">": math.floor(value)}[
        operator
    ]
