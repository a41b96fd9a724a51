"""Predicates from YAML: what each form means, and what is no predicate."""

from fractions import Fraction

import pytest

from declared import accepted, refused
from multiverse.declaration.predicates import read_predicate
from multiverse.errors import Place
from multiverse.predicates import TRUE, AllOf, AnyOf, Leaf, Not, Predicate, Test, Value

NOWHERE = Place(file="", line=0, column=0)  # a leaf's place is no part of it
ONE_TEST = "\n  expected one of equals, in, at_least, at_most, above, below, is_null"


def leaf(column: str, test: Test, *values: Value) -> Leaf:
    return Leaf(column=column, test=test, values=values, place=NOWHERE)


A, B = leaf("a", "equals", 1), leaf("b", "is_null", True)


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("{}", TRUE),
        ("{column: a, equals: 1}", A),
        ("{equals: 1, column: a}", A),
        ("{column: a, equals: 0.5}", leaf("a", "equals", Fraction(1, 2))),
        ("{column: a, equals: '1'}", leaf("a", "equals", "1")),
        ("{column: a, equals: ''}", leaf("a", "equals", "")),
        ("{column: a, equals: false}", leaf("a", "equals", False)),
        ("{column: a, in: [x, 2, 0.5, true]}", leaf("a", "in", "x", 2, Fraction(1, 2), True)),
        ("{column: a, at_least: 2}", leaf("a", "at_least", 2)),
        ("{column: a, at_most: -1}", leaf("a", "at_most", -1)),
        ("{column: a, above: '2026-08-18'}", leaf("a", "above", "2026-08-18")),
        ("{column: a, below: 0.1}", leaf("a", "below", Fraction(1, 10))),
        ("{column: a, is_null: false}", leaf("a", "is_null", False)),
        ("{column: 'a \"b; --', equals: 1}", leaf('a "b; --', "equals", 1)),
        ("all: [{column: a, equals: 1}, {column: b, is_null: true}]", AllOf(parts=(A, B))),
        ("any: [{column: b, is_null: true}, {}]", AnyOf(parts=(B, TRUE))),
        ("not: {column: a, equals: 1}", Not(part=A)),
        ("not: {any: [{all: [{column: a, equals: 1}]}]}", Not(part=AnyOf(parts=(AllOf(parts=(A,)),)))),
    ],
)
def test_a_predicate_is_read_as_written(text: str, predicate: Predicate) -> None:
    assert accepted(read_predicate, text) == predicate


def test_a_leaf_knows_its_place() -> None:
    found = accepted(read_predicate, "all:\n  - {column: a, equals: 1}\n  - not:\n      {column: b, equals: 2}\n")
    match found:
        case AllOf(parts=(Leaf(place=first), Not(part=Leaf(place=second)))):
            assert [str(first), str(second)] == ["f.yaml:2:5", "f.yaml:4:7"]
        case _:
            pytest.fail("another form")


NO_VALUE = "\n  expected a value (for nulls, use is_null)"
SOME_VALUES = "\n  expected a list of at least one value"
SOME_PREDICATES = "\n  expected a list of at least one predicate"
LEAF_KEYS = "'above', 'at_least', 'at_most', 'below', 'column', 'equals', 'in', 'is_null'"
ALONE = "\n  expected a combinator alone in its braces"


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("^a", ["the predicate is the text 'a'\n  expected a mapping"]),
        ("^null", ["the predicate is null\n  expected a mapping"]),
        ("^[{column: a, equals: 1}]", ["the predicate is a list of 1\n  expected a mapping"]),
        # which test
        ("^{column: a}", [f"the predicate on column 'a' has no test{ONE_TEST}"]),
        (
            "^{column: a, at_least: 1, at_most: 2}",
            [f"the predicate on column 'a' has 2 tests (at_least, at_most){ONE_TEST}"],
        ),
        (
            "^{column: a, is_null: true, below: 2, equals: 1}",
            [f"the predicate on column 'a' has 3 tests (equals, below, is_null){ONE_TEST}"],
        ),
        (
            "^{column: a, ^eqals: 1}",
            [
                f"the predicate on column 'a' has no test{ONE_TEST}",
                f"unknown key in the predicate 'eqals'\n  expected one of {LEAF_KEYS}\n  did you mean 'equals'?",
            ],
        ),
        # which column
        ("^{equals: 1}", ["the predicate has no key 'column'\n  expected it to be given"]),
        ("{column: ^1, equals: 1}", ["column is the number 1\n  expected text: put it in quotes"]),
        ("{column: ^null, equals: 1}", ["column is null\n  expected text"]),
        ("{column: ^'', equals: 1}", ["column is blank\n  expected some text"]),
        # what value
        ("{column: a, equals: ^null}", [f"equals is null{NO_VALUE}"]),
        ("{column: a, equals: ^[1]}", [f"equals is a list of 1{NO_VALUE}"]),
        ("{column: a, below: ^{b: 1}}", [f"below is a mapping{NO_VALUE}"]),
        *[
            (f"{{column: a, {test}: ^true}}", [f"{test} is true\n  expected a number or a text"])
            for test in ("at_least", "at_most", "above", "below")
        ],
        ("{column: a, is_null: ^1}", ["is_null is the number 1\n  expected true or false"]),
        ("{column: a, is_null: ^null}", ["is_null is null\n  expected true or false"]),
        ("{column: a, is_null: ^[true]}", ["is_null is a list of 1\n  expected true or false"]),
        ("{column: a, in: ^[]}", [f"in is an empty list{SOME_VALUES}"]),
        ("{column: a, in: ^b}", [f"in is the text 'b'{SOME_VALUES}"]),
        ("{column: a, in: ^null}", [f"in is null{SOME_VALUES}"]),
        (
            "{column: a, in: [1, ^null, ^[b], ^{}]}",
            [
                f"a value of in is {found}\n  expected a text, a number, true or false"
                for found in ("null", "a list of 1", "an empty mapping")
            ],
        ),
        # combinations
        ("all: ^[]", [f"all is an empty list{SOME_PREDICATES}"]),
        ("any: ^{column: a, equals: 1}", [f"any is a mapping{SOME_PREDICATES}"]),
        ("all: ^null", [f"all is null{SOME_PREDICATES}"]),
        ("all: [^a, {}]", ["the predicate is the text 'a'\n  expected a mapping"]),
        ("not: ^[{}]", ["the predicate is a list of 1\n  expected a mapping"]),
        ("not: ^null", ["the predicate is null\n  expected a mapping"]),
        ("{^any: [{}], all: [{}]}", [f"the key 'any' beside 'all'{ALONE}"]),
        (
            "{^column: a, not: {}, ^equals: 1}",
            [f"the key 'column' beside 'not'{ALONE}", f"the key 'equals' beside 'not'{ALONE}"],
        ),
        ("{all: [{}], ^and: [{}]}", ["unknown key in the predicate 'and'\n  expected one of 'all'"]),
        (
            "{^al: [{}]}",
            [
                "unknown key in the predicate 'al'\n  expected one of 'above', 'all', 'any', 'at_least', 'at_most', "
                "'below', 'column', 'equals', 'in', 'is_null', 'not'\n  did you mean 'all'?"
            ],
        ),
        # every fault at once
        (
            "any:\n  - {column: a, in: ^[]}\n  - not: ^{equals: true, ^where: b}\n",
            [
                f"in is an empty list{SOME_VALUES}",
                "the predicate has no key 'column'\n  expected it to be given",
                f"unknown key in the predicate 'where'\n  expected one of {LEAF_KEYS}",
            ],
        ),
    ],
)
def test_what_is_no_predicate(text: str, messages: list[str]) -> None:
    assert refused(read_predicate, text) == messages
