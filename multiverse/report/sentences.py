"""Sentences whose names, numbers and specifications are marked, so that a page may set each apart."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from multiverse.errors import printable
from multiverse.summary import points

Kind: TypeAlias = Literal["text", "name", "number", "spec"]


class Word(NamedTuple):
    """A piece of a sentence; a name or a specification is what the user wrote, and never markup."""

    text: str
    kind: Kind = "text"


Sentence: TypeAlias = tuple[Word, ...]


def plain(sentence: Iterable[Word]) -> str:
    """A sentence as one line of text; what cannot be printed is escaped."""
    return printable("".join(word.text for word in sentence))


def name(text: str) -> Word:
    """What the user named."""
    return Word(text, "name")


def prose(text: str) -> Word:
    """Running text of the user's, on one line."""
    return Word(" ".join(text.split()), "name")


def spec(text: str) -> Word:
    """A specification or a cell by its id."""
    return Word(text, "spec")


def number(text: str) -> Word:
    """Figures."""
    return Word(text, "number")


def sentence(*pieces: str | Word | Sequence[Word]) -> Sentence:
    """The pieces in order; bare text is text."""
    words: list[Word] = []
    for piece in pieces:
        if isinstance(piece, str):
            words.append(Word(piece))
        elif isinstance(piece, Word):
            words.append(piece)
        else:
            words.extend(piece)
    return tuple(word for word in words if word.text)


def joined(parts: Sequence[Sequence[Word]], between: str = ", ", last: str | None = None) -> Sentence:
    """Parts with text between them; `last` stands before the last of several."""
    words: list[Word] = []
    for i, part in enumerate(parts):
        if i:
            words.append(Word(last if last is not None and i == len(parts) - 1 else between))
        words.extend(part)
    return tuple(words)


def few(parts: Sequence[Sequence[Word]], most: int, between: str = ", ") -> Sentence:
    """Parts with text between them, the first of them where there are many, and how many more there are."""
    if len(parts) <= most:
        return joined(parts, between)
    return sentence(joined(parts[:most], between), f"{between}{len(parts) - most:,} more")


def order_words(order: Sequence[Sequence[str]], most: int = 6) -> Sentence:
    """A weak order, best first: > between groups, = inside one."""
    shown: list[Word] = []
    left = sum(map(len, order))
    for i, group in enumerate(order):
        if i >= most:
            return sentence(shown, f" > {left:,} more")
        words = few([[name(method)] for method in group], most, " = ")
        shown += [Word(" > "), *words] if i else words
        left -= len(group)
    return tuple(shown)


def change_words(value: Fraction) -> Sentence:
    """A change in percentage points; what is not zero with its exact number."""
    if value == 0:
        return (number("0"),)
    return sentence(number(f"{points(value, signed=True)} pp"), " (exactly ", number(str(value)), ")")
