"""Sentences with their names and numbers marked."""

from fractions import Fraction

import pytest

from multiverse.report.sentences import Word, change_words, few, joined, name, order_words, plain, prose, sentence


def test_pieces_of_a_sentence_keep_what_they_are() -> None:
    assert sentence("the ", name("<b>"), "", [Word("."), name("")]) == (Word("the "), Word("<b>", "name"), Word("."))


def test_a_sentence_as_text_hides_nothing() -> None:
    assert plain(sentence("a ", name("x\u202e\n"), ".")) == "a x\\u202e\\n."


def test_running_text_is_one_line() -> None:
    assert prose("a\n  b\t c") == Word("a b c", "name")


def test_the_last_of_several_parts_may_stand_apart() -> None:
    parts = [[name("a")], [name("b")], [name("c")]]
    assert (plain(joined(parts, ", ", " and ")), plain(joined(parts[:1], ", ", " and "))) == ("a, b and c", "a")


def test_of_many_parts_the_first_are_told() -> None:
    parts = [[name(letter)] for letter in "abcd"]
    assert (plain(few(parts, 2)), plain(few(parts, 4))) == ("a, b, 2 more", "a, b, c, d")


@pytest.mark.parametrize(
    ("order", "most", "expected"),
    [
        ([["a"], ["b", "c"]], 6, "a > b = c"),
        ([["a"], ["b", "c"], ["d"]], 2, "a > b = c > 1 more"),
        ([["a", "b", "c", "d"]], 2, "a = b = 2 more"),
    ],
)
def test_a_weak_order_in_words(order: list[list[str]], most: int, expected: str) -> None:
    assert plain(order_words(order, most)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(Fraction(0), "0"), (Fraction(-1, 8), "-12.50 pp (exactly -1/8)"), (Fraction(1), "+100.00 pp (exactly 1)")],
)
def test_a_change_in_words(value: Fraction, expected: str) -> None:
    assert plain(change_words(value)) == expected
