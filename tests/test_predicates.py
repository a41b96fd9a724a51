"""Predicates as data: their leaves, and what a leaf can be compared with."""

from fractions import Fraction

import pytest

from multiverse.errors import Place
from multiverse.predicates import (
    TRUE,
    AllOf,
    AnyOf,
    ColumnKind,
    Leaf,
    Not,
    Predicate,
    Test,
    Value,
    leaf_fault,
    leaves,
    value_kind,
    written,
)

HALF = Fraction(1, 2)


def leaf(test: Test, *values: Value, column: str = "lag", line: int = 1) -> Leaf:
    return Leaf(column=column, test=test, values=values, place=Place(file="f.yaml", line=line, column=2))


A, B, C = (leaf("equals", 1, column=name) for name in "abc")


@pytest.mark.parametrize(
    ("predicate", "columns"),
    [
        (TRUE, ""),
        (A, "a"),
        (Not(part=A), "a"),
        (AllOf(parts=(B, A)), "ba"),
        (AnyOf(parts=(C, Not(part=AllOf(parts=(A, B))), A)), "caba"),
    ],
)
def test_leaves_come_in_the_order_written(predicate: Predicate, columns: str) -> None:
    assert [one.column for one in leaves(predicate)] == list(columns)


def test_where_a_leaf_is_written_is_no_part_of_it() -> None:
    assert leaf("equals", 1, line=1) == leaf("equals", 1, line=2)
    assert len({leaf("equals", 1, line=1), leaf("equals", 1, line=2)}) == 1


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (True, "boolean", "true"),
        (False, "boolean", "false"),
        (1, "integer", "1"),
        (-12, "integer", "-12"),
        (HALF, "number", "0.5"),
        (-HALF, "number", "-0.5"),
        (Fraction(2), "number", "2.0"),
        (Fraction(18014398509481987, 2), "number", "9007199254740993.5"),  # a double would say ...994.0
        (Fraction(10**38 + 1, 10**38), "number", f"1.{'0' * 37}1"),
        (Fraction(1, 10**38), "number", f"0.{'0' * 37}1"),
        ("it", "text", "'it'"),
        ("1", "text", "'1'"),
    ],
)
def test_a_value_has_a_kind_and_is_shown_as_written(value: Value, kind: ColumnKind, text: str) -> None:
    assert (value_kind(value), written(value)) == (kind, text)


def test_null_is_shown_as_written() -> None:
    assert written(None) == "null"


@pytest.mark.parametrize(
    ("one", "kind"),
    [
        (leaf("equals", True), "boolean"),
        (leaf("in", "a", "b"), "text"),
        (leaf("at_least", 1), "integer"),
        (leaf("at_least", 1), "number"),
        (leaf("below", HALF), "integer"),
        (leaf("in", 1, HALF), "number"),
        *[(leaf("is_null", True), kind) for kind in ("boolean", "integer", "number", "text", "null", "other")],
        (leaf("equals", "a"), "null"),  # a column of nulls: the leaf is false
    ],
)
def test_a_leaf_fits_a_column_of_its_kind(one: Leaf, kind: ColumnKind) -> None:
    assert leaf_fault(one, kind, "objects") is None


@pytest.mark.parametrize(
    ("one", "kind", "message"),
    [
        (leaf("equals", "1"), "integer", "equals compares rows.lag with '1'\n  expected whole numbers"),
        (leaf("equals", 1), "text", "equals compares rows.lag with 1\n  expected text"),
        (leaf("equals", 1), "boolean", "equals compares rows.lag with 1\n  expected true or false"),
        (leaf("equals", True), "integer", "equals compares rows.lag with true\n  expected whole numbers"),
        (leaf("at_most", HALF), "text", "at_most compares rows.lag with 0.5\n  expected text"),
        (leaf("in", 1, "a\n"), "number", "in compares rows.lag with 1, 'a\\n'\n  expected numbers"),
    ],
)
def test_a_leaf_of_another_kind_is_a_fault(one: Leaf, kind: ColumnKind, message: str) -> None:
    fault = leaf_fault(one, kind, "rows")
    assert str(fault) == f"f.yaml:1:2: {message}, which is what the column holds"


def test_a_column_of_another_type_can_only_be_null_or_not() -> None:
    assert str(leaf_fault(leaf("equals", 1), "other", "rows")) == (
        "f.yaml:1:2: rows.lag holds values of another type\n  expected a column of text, numbers or booleans"
    )
