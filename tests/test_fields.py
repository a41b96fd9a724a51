"""Typed getters: a key is taken once, what is wrong is a fault with its place, what is left over is unknown."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from declared import node_of, refused
from multiverse.declaration.fields import Fields, described, file_safe
from multiverse.errors import Fault, Place
from multiverse.strict_yaml import Mapping, Node, Scalar, Sequence

TOP = Place(file="f.yaml", line=1, column=1)


def opened(text: str, faults: list[Fault] | None = None) -> Fields:
    return Fields(node_of(text), noun="the part", place=TOP, faults=[] if faults is None else faults)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{a: 1}", "a mapping"),
        ("{}", "an empty mapping"),
        ("[a, b]", "a list of 2"),
        ("[]", "an empty list"),
        ("null", "null"),
        ("true", "true"),
        ("false", "false"),
        ("7", "the number 7"),
        ("0.10", "the number 0.1"),
        ("2.0", "the number 2.0"),
        ("1.0000000000000000000001", "the number 1.0000000000000000000001"),
        ("'7'", "the text '7'"),
        ("''", "the text ''"),
        ('"a\\nb"', "the text 'a\\nb'"),
        ("a" * 81, f"the text '{'a' * 77}...'"),
    ],
)
def test_what_a_node_is_in_words(text: str, words: str) -> None:
    assert described(node_of(text)) == words


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (lambda f: f.text("k"), "k: some text", "some text"),
        (lambda f: f.text("k", default="d"), "{}", "d"),
        (lambda f: f.identity("id", {}), "id: a/b", "a/b"),
        (lambda f: f.choice("k", ["a", "b"]), "k: b", "b"),
        (lambda f: f.choice("k", ["a", "b"], default="b"), "{}", "b"),
        (lambda f: f.whole("k", least=1), "k: 1", 1),
        (lambda f: f.whole("k", least=0, default=7), "{}", 7),
        (lambda f: f.number("k"), "k: 0.1", Fraction(1, 10)),
        (lambda f: f.number("k"), "k: 1", Fraction(1)),
        (lambda f: f.number("k"), "{}", None),
        (lambda f: f.number("k", default=Fraction(1, 3)), "{}", Fraction(1, 3)),
        (lambda f: f.items("k"), "{}", ()),
        (lambda f: [text for text, _ in f.as_texts(f.node("k"), "k")], "k: [b, a]", ["b", "a"]),
        (lambda f: [text for text, _ in f.two_texts("k", "two")], "k: [b, a]", ["b", "a"]),
        (lambda f: f.known_texts("k", "name", ["a", "b"]), "k: [b]", ("b",)),
        (lambda f: f.known_texts("k", "name", ["a", "b"]), "{}", ()),
        (lambda f: f.known_texts("k", "name", None), "k: [c]", ("c",)),
        (lambda f: [(key.value, node.value) for key, node in f.entries("k")], "k: {b: 1, a: 2}", [("b", 1), ("a", 2)]),
        (lambda f: f.entries("k"), "{}", ()),
        (lambda f: (f.has("k"), f.node("k") is None, f.has("k"), f.node("k")), "k: 1", (True, False, False, None)),
    ],
)
def test_a_getter_gives_what_is_written_or_the_default(
    read: Callable[[Fields], object], text: str, value: object
) -> None:
    fields = opened(text)
    assert (read(fields), fields.faults, fields.faulty) == (value, [], False)


ABSENT = "f.yaml:1:1: the part has no key 'k'\n  expected it to be given"


@pytest.mark.parametrize(
    ("read", "text", "harmless", "message"),
    [
        (lambda f: f.node("k", required=True), "{}", None, ABSENT),
        (lambda f: f.text("k"), "{}", "", ABSENT),
        (lambda f: f.text("k"), "k: 1.5", "", "1:4: k is the number 1.5\n  expected text: put it in quotes"),
        (lambda f: f.text("k"), "k: true", "", "1:4: k is true\n  expected text: put it in quotes"),
        (lambda f: f.text("k", default="d"), "k: null", "", "1:4: k is null\n  expected text"),
        (lambda f: f.text("k"), "k: [a]", "", "1:4: k is a list of 1\n  expected text"),
        (lambda f: f.text("k"), "k: ' '", " ", "1:4: k is blank\n  expected some text"),
        (
            lambda f: f.identity("option id", {"a": TOP}),
            "k: 1\nid: a",
            "a",
            "2:1: duplicate option id 'a', first at line 1\n  expected an id that no other has",
        ),
        (lambda f: f.identity("id", {}), "id: 3", "", "1:5: id is the number 3\n  expected text: put it in quotes"),
        (lambda f: f.choice("k", ["a", "b"]), "{}", "a", ABSENT),
        (
            lambda f: f.choice("k", ["own", "common"]),
            "k: commn",
            "own",
            "1:4: unknown k 'commn'\n  expected one of 'common', 'own'\n  did you mean 'common'?",
        ),
        (lambda f: f.choice("k", ["a"], default="a"), "k: {}", "a", "1:4: k is an empty mapping\n  expected text"),
        (lambda f: f.whole("k", least=1), "{}", 1, ABSENT),
        *[
            (
                lambda f: f.whole("k", least=1, default=5),
                f"k: {found}",
                1,
                f"1:4: k is {words}\n  expected a whole number of at least 1",
            )
            for found, words in [
                ("0", "the number 0"),
                ("1.0", "the number 1.0"),
                ("true", "true"),
                ("'1'", "the text '1'"),
            ]
        ],
        *[
            (lambda f: f.number("k"), f"k: {found}", None, f"1:4: k is {words}\n  expected a number in [0, 1]")
            for found, words in [
                ("2", "the number 2"),
                ("-0.1", "the number -0.1"),
                ("1.00000000000000000001", "the number 1.00000000000000000001"),
                ("true", "true"),
                ("null", "null"),
                ("'0.5'", "the text '0.5'"),
                ("[0.5]", "a list of 1"),
            ]
        ],
        (lambda f: f.items("k"), "k: a", (), "1:4: k is the text 'a'\n  expected a list"),
        (lambda f: f.as_texts(f.node("k"), "k", "b", least=1), "k: []", (), "1:4: k is an empty list\n  expected b"),
        (lambda f: f.as_texts(f.node("k"), "k"), "k: {a: b}", (), "1:4: k is a mapping\n  expected a list"),
        (lambda f: f.as_texts(f.node("k"), "k"), "k: ['']", (), "1:5: an item of k is blank\n  expected some text"),
        (lambda f: f.two_texts("k", "two"), "{}", (), ABSENT),
        (lambda f: f.two_texts("k", "two"), "k: [a, b, c]", (), "1:4: k is a list of 3\n  expected two"),
        (
            lambda f: [text for text, _ in f.two_texts("k", "two")],
            "k: [a, a]",
            ["a"],
            "1:8: k lists 'a' twice\n  expected it once",
        ),
        (
            lambda f: f.known_texts("k", "predicate", ["lag", "late"], what="level 0"),
            "k: [lags, late]",
            ("late",),
            "1:5: unknown predicate 'lags'\n  expected one of 'lag', 'late'\n  did you mean 'lag'?",
        ),
        (
            lambda f: f.known_texts("k", "predicate", [], what="level 0"),
            "k: 3",
            (),
            "1:4: level 0 is the number 3\n  expected a list",
        ),
        (lambda f: f.known_texts("k", "name", [], required=True), "{}", (), ABSENT),
        (lambda f: f.entries("k", required=True), "{}", (), ABSENT),
        (lambda f: f.entries("k"), "k: [a]", (), "1:4: k is a list of 1\n  expected a mapping"),
        (
            lambda f: f.entries("k", least=1),
            "k: {}",
            (),
            "1:4: k is an empty mapping\n  expected a mapping of at least one entry",
        ),
        (
            lambda f: len(f.entries("k")),
            "k: {é: 1}",
            1,
            "1:5: the name 'é' in k\n  expected a name in ASCII letters",
        ),
        (lambda f: len(f.entries("k")), "k: {'': 1}", 1, "1:5: the name '' in k\n  expected a name in ASCII letters"),
    ],
)
def test_what_a_getter_cannot_give_is_a_fault_and_a_harmless_value(
    read: Callable[[Fields], object], text: str, harmless: object, message: str
) -> None:
    fields = opened(text)
    assert read(fields) == harmless
    assert [str(fault) for fault in fields.faults] == ["f.yaml:" + message.removeprefix("f.yaml:")]
    assert fields.faulty


def close_after(*keys: str) -> Callable[[Node, list[Fault]], None]:
    def read(node: Node, faults: list[Fault]) -> None:
        fields = Fields(node, noun="the part", place=TOP, faults=faults)
        for key in keys:
            fields.node(key)
        fields.close()

    return read


def test_keys_that_nobody_asked_for_are_unknown() -> None:
    assert refused(close_after("lag", "late"), "lag: 1\nlags: 2\n\nother: 3") == [
        "f.yaml:2:1: unknown key in the part 'lags'\n  expected one of 'lag', 'late'\n  did you mean 'lag'?",
        "f.yaml:4:1: unknown key in the part 'other'\n  expected one of 'lag', 'late'",
    ]
    assert refused(close_after("lag", "late"), "late: 1") == []


@pytest.mark.parametrize(
    ("text", "words"), [("[a]", "a list of 1"), ("a", "the text 'a'"), ("null", "null"), ("1", "the number 1")]
)
def test_what_is_no_mapping_is_one_fault(text: str, words: str) -> None:
    """Its keys are not asked for again."""
    fields = opened(text)
    assert (fields.text("k"), fields.whole("n", least=1), fields.entries("m", required=True)) == ("", 1, ())
    fields.close()
    assert [str(fault) for fault in fields.faults] == [f"f.yaml:1:1: the part is {words}\n  expected a mapping"]


def test_an_absent_part_is_at_its_parents_place_and_asks_for_nothing() -> None:
    fields = Fields(None, noun="the part", place=Place(file="f.yaml", line=7, column=2), faults=[])
    assert (fields.text("k"), str(fields.place), str(fields.place_of("k"))) == ("", "f.yaml:7:2", "f.yaml:7:2")
    assert (fields.broken, fields.faults) == (True, [])


def test_places() -> None:
    fields = opened("# first\nk: 1\nlong key:\n  - 2\n")
    assert {key: str(place) for key, place in fields.places.items()} == {"k": "f.yaml:2:1", "long key": "f.yaml:3:1"}
    assert [str(fields.place_of(key)) for key in ("long key", "absent")] == ["f.yaml:3:1", "f.yaml:2:1"]


def test_faults_of_others_are_not_its_own() -> None:
    faults = [Fault(where="a", found="b")]
    assert not opened("k: 1", faults).faulty


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        *[(name, True) for name in ("a", "audit-2_b.c", "0", "A" * 200)],
        *[(name, False) for name in ("", ".", "..", "-a", "_a", ".a", "a/b", "a b", "a\n", "é", "a:b", "a\\b", "٣")],
    ],
)
def test_names_that_can_be_part_of_a_path(text: str, safe: bool) -> None:  # noqa: FBT001
    assert file_safe(text) is safe


def test_the_nodes_are_those_of_strict_yaml() -> None:
    assert [type(node_of(text)) for text in ("a", "[a]", "{a: b}")] == [Scalar, Sequence, Mapping]
