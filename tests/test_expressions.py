"""Predicates in SQL give what they mean: every leaf and combinator, on every type of column, nulls and NaN too."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf, isnan, nan
from operator import ge, gt, le, lt
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiverse.errors import Place
from multiverse.exact import shortest_decimal
from multiverse.predicates import TRUE, AllOf, AnyOf, Leaf, Not, Predicate, Test, Value
from multiverse.scoring.engine import Engine
from multiverse.scoring.expressions import WORD_BITS, Compiler
from multiverse.substrate.columns import Attribute, aliased
from multiverse.substrate.tables import Table
from small import Dtype

PLACE = Place(file="f.yaml", line=1, column=1)
F = Fraction
ORDERS: Mapping[str, Callable[[Any, Any], Any]] = {"at_least": ge, "at_most": le, "above": gt, "below": lt}
TEXTS = ("", "a", "b", "ab", "A", "é", "e\u0301", "\uffff", "\U0001f600", "o'brien; --", "$1", "%", "\x00")
NUMBERS = (-2.5, -0.0, 0.1, 0.3, 0.30000000000000004, 1.0, 2.0, 1e300, nan, inf, -inf)
VALUES: Mapping[str, Sequence[Value]] = {
    "number": (0, 1, 2, -3, F("0.1"), F("0.3"), F("0.30000000000000004"), F("-2.5"), F("0.5"), 2**53 - 1),
    "boolean": (True, False),
    "text": TEXTS,
}
COLUMNS: Mapping[str, tuple[str, Any, Sequence[object]]] = {
    "double": ("number", pl.Float64, NUMBERS),
    "single": ("number", pl.Float32, (-2.5, 0.0, 0.1, 0.3, 1.0, nan, inf, -inf)),
    "half": ("number", pl.Float16, (-2.5, 0.0, 0.1, 0.3, 1.0, nan, inf, -inf)),
    "decimal": ("number", pl.Decimal(38, 20), (Decimal("0.1"), Decimal("0.3"), Decimal("-2.5"), Decimal(2))),
    "small": ("number", pl.Int8, (-3, 0, 1, 2, 127)),
    "whole": ("number", pl.Int64, (-(2**63), -3, 0, 1, 2, 2**53 - 1, 2**53, 2**63 - 1)),
    "unsigned": ("number", pl.UInt64, (0, 1, 2, 2**53, 2**64 - 1)),
    "truth": ("boolean", pl.Boolean, (True, False)),
    "text": ("text", pl.String, TEXTS),
    "category": ("text", pl.Categorical, TEXTS),
}  # fmt: skip


def evaluated(frame: pl.DataFrame, predicates: Sequence[Predicate]) -> list[list[object]]:
    """What DuckDB says of each predicate on each record."""
    table = Table(name="rows", shown="rows.parquet", frame=frame, columns=tuple(frame.columns))
    names = {name: Attribute(alias=f"a{i}", kind=table.kind(name)) for i, name in enumerate(frame.columns)}
    compiler = Compiler(names)
    parts = ", ".join(f"{compiler.boolean(predicate)} AS p{i}" for i, predicate in enumerate(predicates))
    rows = pl.DataFrame([pl.Series("i", range(frame.height)), *aliased(table, names)])
    with Engine(threads=1) as engine:
        engine.register("t", rows)
        found = engine.arrays(f"SELECT {parts} FROM t ORDER BY i", compiler.parameters)
    return [found[f"p{i}"].tolist() for i in range(len(predicates))]


def holds(predicate: Predicate, record: Mapping[str, Any]) -> bool:
    """DESIGN section 3 to the letter, on exact numbers."""
    match predicate:
        case AllOf(parts=parts):
            return all(holds(part, record) for part in parts)
        case AnyOf(parts=parts):
            return any(holds(part, record) for part in parts)
        case Not(part=part):
            return not holds(part, record)
        case Leaf(test=test, values=values):
            return leaf_holds(test, values, record[predicate.column])


def leaf_holds(test: Test, values: Sequence[Value], found: object) -> bool:
    if test == "is_null":
        return (found is None) == values[0]
    if found is None or (isinstance(found, float | np.floating) and isnan(found)):
        return False
    exact: Any = found
    if isinstance(found, float | np.floating):
        exact = shortest_decimal(found) if np.isfinite(found) else float(found)
    elif isinstance(found, Decimal):
        exact = Fraction(found)
    return exact in values if test in ("equals", "in") else bool(ORDERS[test](exact, values[0]))


def scalars(column: pl.Series) -> list[Any]:
    """A column's values, narrow floats at their own width."""
    narrow = column.dtype in (pl.Float32, pl.Float16)
    values = column.to_list()
    return [column.slice(i, 1).to_numpy()[0] if narrow and x is not None else x for i, x in enumerate(values)]


def leaf(column: str, test: Test, *values: Value) -> Leaf:
    return Leaf(column=column, test=test, values=values, place=PLACE)


@st.composite
def leaves(draw: st.DrawFn) -> Leaf:
    """A test that the column's type allows."""
    name = draw(st.sampled_from(sorted(COLUMNS)))
    kind = COLUMNS[name][0]
    ordered: tuple[Test, ...] = () if kind == "boolean" else ("at_least", "at_most", "above", "below")
    test = draw(st.sampled_from(("equals", "in", "is_null", *ordered)))
    if test == "is_null":
        return leaf(name, test, draw(st.booleans()))
    count = draw(st.integers(1, 3)) if test == "in" else 1
    return leaf(name, test, *(draw(st.sampled_from(VALUES[kind])) for _ in range(count)))


PREDICATES = st.recursive(
    leaves() | st.just(TRUE),
    lambda inner: st.one_of(
        st.builds(lambda parts: AllOf(parts=tuple(parts)), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda parts: AnyOf(parts=tuple(parts)), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda part: Not(part=part), inner),
    ),
    max_leaves=5,
)
RECORDS = st.lists(
    st.fixed_dictionaries({name: st.sampled_from((*values, None)) for name, (_, _, values) in COLUMNS.items()}),
    min_size=1,
    max_size=4,
)


@given(RECORDS, st.lists(PREDICATES, min_size=1, max_size=4))
def test_a_predicate_gives_what_it_means(records: list[dict[str, Any]], predicates: list[Predicate]) -> None:
    frame = pl.DataFrame(records, schema={name: dtype for name, (_, dtype, _) in COLUMNS.items()})
    exact = [dict(zip(frame.columns, row, strict=True)) for row in zip(*map(scalars, frame), strict=True)]
    assert evaluated(frame, predicates) == [[holds(p, record) for record in exact] for p in predicates]


@pytest.mark.parametrize("name", COLUMNS)
def test_every_leaf_on_every_value_of_every_type(name: str) -> None:
    kind, dtype, values = COLUMNS[name]
    column = pl.Series(name, [*values, None], dtype=dtype)
    tests: list[Test] = ["equals"] if kind == "boolean" else ["equals", "at_least", "at_most", "above", "below"]
    asked: list[Predicate] = [leaf(name, test, value) for test in tests for value in VALUES[kind]]
    asked += [leaf(name, "is_null", True), leaf(name, "is_null", False), leaf(name, "in", *VALUES[kind])]
    asked += [Not(part=predicate) for predicate in asked]
    expected = [[holds(predicate, {name: value}) for value in scalars(column)] for predicate in asked]
    assert evaluated(column.to_frame(), asked) == expected


@pytest.mark.parametrize(
    ("values", "dtype"),
    [([None, None], pl.Null), ([None, None], pl.Float32), ([None, b"x"], pl.Binary), ([None, [1]], pl.List(pl.Int8))],
)
def test_a_column_without_readable_values_is_null_or_not_and_nothing_else(values: list[object], dtype: Dtype) -> None:
    frame = pl.DataFrame({"x": pl.Series(values, dtype=dtype)})
    asked: list[Predicate] = [leaf("x", "is_null", True), leaf("x", "equals", 1), Not(part=leaf("x", "above", "a"))]
    assert evaluated(frame, asked) == [[True, values[1] is None], [False, False], [True, True]]


def test_the_empty_combinators() -> None:
    frame = pl.DataFrame({"x": [1]})
    assert evaluated(frame, [TRUE, AnyOf(parts=()), Not(part=TRUE)]) == [[True], [False], [False]]


def test_a_word_holds_a_bit_for_each_predicate() -> None:
    compiler = Compiler({"x": Attribute(alias="x", kind="integer")})
    word = compiler.word([leaf("x", "at_least", i) for i in range(WORD_BITS)])
    with Engine(threads=1) as engine:
        engine.register("t", pl.DataFrame({"x": [-1, 0, 5, 99, None]}))
        found = engine.arrays(f"SELECT {word} AS w, {Compiler({}).word([])} AS none FROM t", compiler.parameters)
    assert found["w"].tolist() == [0, 1, 2**6 - 1, 2**WORD_BITS - 1, 0]
    assert found["none"].tolist() == [0] * 5


def test_no_value_is_part_of_the_query() -> None:
    compiler = Compiler({"x": Attribute(alias="a0", kind="text")})
    hostile = "x' OR true; DROP TABLE t; --"
    assert compiler.boolean(leaf("x", "in", hostile, "b")) == "(coalesce(a0 = $1, false) OR coalesce(a0 = $2, false))"
    assert compiler.parameters == [hostile, "b"]
