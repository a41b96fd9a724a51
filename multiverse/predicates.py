"""Predicates as data: what a contract, a reading or a population asks of one row of a table (DESIGN section 3)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Literal, TypeAlias, get_args

from multiverse.errors import Fault, Place, quoted

Test: TypeAlias = Literal["equals", "in", "at_least", "at_most", "above", "below", "is_null"]
Value: TypeAlias = bool | int | Fraction | str
ColumnKind: TypeAlias = Literal["boolean", "integer", "number", "text", "null", "other"]

TESTS: tuple[str, ...] = get_args(Test)
ORDERED: tuple[str, ...] = ("at_least", "at_most", "above", "below")


@dataclass(frozen=True, kw_only=True, slots=True)
class Leaf:
    """One test of one column; false on a null, except `is_null`."""

    column: str
    test: Test
    values: tuple[Value, ...]
    place: Place = field(compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class AllOf:
    """True when every part is; with no part, always true: the predicate `{}`."""

    parts: "tuple[Predicate, ...]" = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class AnyOf:
    """True when some part is."""

    parts: "tuple[Predicate, ...]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Not:
    """True when the part is false: logic is two-valued, a leaf on a null being false."""

    part: "Predicate"


Predicate: TypeAlias = Leaf | AllOf | AnyOf | Not
TRUE = AllOf()


def leaves(predicate: Predicate) -> Iterator[Leaf]:
    """Every leaf of a predicate, in the order written."""
    match predicate:
        case Leaf():
            yield predicate
        case Not(part=part):
            yield from leaves(part)
        case AllOf(parts=parts) | AnyOf(parts=parts):
            for part in parts:
                yield from leaves(part)


def value_kind(value: Value) -> ColumnKind:
    """The kind of column that a value can be compared with."""
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case Fraction():
            return "number"
        case _:
            return "text"


def written(value: Value | None) -> str:
    """A value as a declaration writes it; a number with a point is the finite decimal it was read from."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return quoted(value)
        case Fraction():
            with localcontext(prec=100):
                decimal = f"{Decimal(value.numerator) / value.denominator:f}"
            return decimal if "." in decimal else f"{decimal}.0"
        case _:
            return str(value)


def leaf_fault(leaf: Leaf, kind: ColumnKind, table: str) -> Fault | None:
    """The fault of a leaf whose column holds values of another type than the leaf's, if it is one."""
    if leaf.test == "is_null" or kind == "null":
        return None
    found = {"boolean": "true or false", "integer": "whole numbers", "number": "numbers", "text": "text"}
    if kind == "other":
        expected = "a column of text, numbers or booleans"
        return Fault(
            where=str(leaf.place), found=f"{table}.{leaf.column} holds values of another type", expected=expected
        )
    groups = {"integer": "number"}
    if all(groups.get(value_kind(v), value_kind(v)) == groups.get(kind, kind) for v in leaf.values):
        return None
    return Fault(
        where=str(leaf.place),
        found=f"{leaf.test} compares {table}.{leaf.column} with {', '.join(map(written, leaf.values))}",
        expected=f"{found[kind]}, which is what the column holds",
    )
