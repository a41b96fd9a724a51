"""One conclusion in a sentence, and the range behind it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias

from multiverse.report.sentences import Sentence, Word, plain
from multiverse.summary import points

Json: TypeAlias = dict[str, Any]
Endpoint: TypeAlias = Literal["effect", "contrast", "share", "ranking", "winner", "margin", "pairs"]


class Witness(NamedTuple):
    """A specification, or a cell of an effect, that shows what a sentence says."""

    what: str  # what it shows: lowest, highest, or an order
    where: str  # its id
    coordinates: tuple[str, ...]  # what the parts of the id are options of


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """One conclusion: whether the family settles it, in a sentence, and the specifications that show it."""

    population: str
    endpoint: Endpoint
    name: str
    settled: bool | None  # None: it has no value anywhere
    words: Sentence
    values: tuple[str, ...] = ()  # the exact value, or the lowest and the highest
    witnesses: tuple[Witness, ...] = ()
    sampling: Sentence = ()  # how far redrawn data moves it: a second axis, told apart

    @property
    def head(self) -> str:
        """The verdict in a word or two."""
        return self.words[0].text.partition(": ")[0]

    @property
    def body(self) -> Sentence:
        """The sentence after its head, as a sentence of its own."""
        words = [Word(self.words[0].text.partition(": ")[2]), *self.words[1:]]
        first, *others = [word for word in words if word.text]
        return (
            (first._replace(text=first.text[:1].upper() + first.text[1:]), *others)
            if first.kind == "text"
            else (first, *others)
        )

    @property
    def sentence(self) -> str:
        """The verdict as one line of text."""
        return plain(self.words)

    @property
    def entry(self) -> Json:
        """The verdict as JSON."""
        return {
            "population": self.population,
            "endpoint": self.endpoint,
            "name": self.name,
            "settled": self.settled,
            "sentence": self.sentence,
            "values": list(self.values),
            "witnesses": [{"what": one.what, "where": one.where} for one in self.witnesses],
            "sampling": plain(self.sampling) or None,
        }


class End(NamedTuple):
    """One end of a range, and the first specification or cell that gives it."""

    value: Fraction
    where: str


class Range(NamedTuple):
    """The values of a quantity over cells or specifications."""

    least: End | None
    greatest: End | None
    undefined: int  # how many cells or specifications have no value
    total: int

    @property
    def settled(self) -> bool | None:
        """Whether it is one value everywhere; None where it has none."""
        if self.least is None or self.greatest is None:
            return None
        return self.undefined == 0 and self.least.value == self.greatest.value


def exact_values(found: Range) -> tuple[str, ...]:
    """The one value, or the lowest and the highest, as exact text."""
    ends = [str(end.value) for end in (found.least, found.greatest) if end is not None]
    return tuple(dict.fromkeys(ends))


def range_ends(found: Range, coordinates: tuple[str, ...]) -> tuple[Witness, ...]:
    """The ends of a range; none where there is one value."""
    least, greatest = found.least, found.greatest
    if least is None or greatest is None or least.value == greatest.value:
        return ()
    return (
        Witness("lowest", least.where, coordinates),
        Witness("highest", greatest.where, coordinates),
    )


def everywhere(total: int, unit: str) -> str:
    """Where a thing holds that holds everywhere."""
    return f" in the one {unit}" if total == 1 else f" in all {total:,} {unit}s"


def interval_points(value: float) -> str:
    """The end of a sampling interval in percentage points."""
    return points(Fraction(value), signed=True)
