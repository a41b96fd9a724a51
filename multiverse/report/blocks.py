"""What the parts of a report are made of: frozen values that the page and the Markdown file lay out alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from multiverse.report.sentences import Sentence, Word, sentence
from multiverse.report.verdict import Verdict

MOST_ROWS = 200


class Heading(NamedTuple):
    """The heading of a part of a section."""

    words: Sentence
    kind: str = "heading"


class Text(NamedTuple):
    """A paragraph."""

    words: Sentence
    tone: str = "plain"  # or `note`, or `warning`
    kind: str = "text"


class Figure(NamedTuple):
    """A chart, by its name."""

    name: str
    kind: str = "figure"


class Column(NamedTuple):
    """The head of a column."""

    words: Sentence
    numeric: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table, of which the first rows are shown."""

    caption: Sentence
    columns: tuple[Column, ...]
    rows: tuple[tuple[Sentence, ...], ...]
    size: str  # how many rows there are
    left_out: str = ""  # how many rows are not shown, and where they are
    folded: bool = False  # whether it opens on demand
    kind: str = "table"


class Verdicts(NamedTuple):
    """The verdicts on one population, each with its witnesses in words."""

    verdicts: tuple["ShownVerdict", ...]
    kind: str = "verdicts"

    @property
    def tally(self) -> str:
        """How many of them the family settles."""
        settled = sum(bool(one.verdict.settled) for one in self.verdicts)
        return f"The family settles {settled} of {len(self.verdicts)} conclusions."


class ShownVerdict(NamedTuple):
    """A verdict and the specifications that show it."""

    verdict: Verdict
    witnesses: tuple["Spelled", ...]


class Spelled(NamedTuple):
    """A specification or a cell in words."""

    what: Sentence  # why it is here
    choices: tuple["Choice", ...]


class Choice(NamedTuple):
    """An option of a coordinate, and what it declares."""

    coordinate: str
    option: str
    words: str


class Terms(NamedTuple):
    """Words and what they mean."""

    terms: tuple[tuple[str, str], ...]
    kind: str = "terms"


class Statements(NamedTuple):
    """A named list of statements."""

    name: str
    statements: tuple[str, ...]
    kind: str = "statements"


class Command(NamedTuple):
    """A command to run."""

    text: str
    kind: str = "command"


Block: TypeAlias = Heading | Text | Figure | Table | Verdicts | Terms | Statements | Command


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A part of the report."""

    id: str
    title: str
    lead: str  # how to read it
    blocks: tuple[Block, ...]


def text(*pieces: str | Word | Sequence[Word], tone: str = "plain") -> Text:
    """A paragraph of the pieces."""
    return Text(sentence(*pieces), tone)


def columns(*titles: str | Word) -> list[Column]:
    """Columns of text."""
    return [Column(sentence(title)) for title in titles]


def numeric(*titles: str | Word) -> list[Column]:
    """Columns of numbers."""
    return [Column(sentence(title), numeric=True) for title in titles]


def table(
    caption: Sentence,
    heads: Sequence[Column],
    rows: Sequence[tuple[Sentence, ...]],
    *,
    where: str,
    folded: bool | None = None,
) -> Table:
    """A table of the first rows; `where` is the file that has all of them. A long one is folded unless it is said."""
    left = len(rows) - MOST_ROWS
    return Table(
        caption=caption,
        columns=tuple(heads),
        rows=tuple(rows[:MOST_ROWS]),
        size=f"{len(rows):,} row{'s' * (len(rows) != 1)}",
        left_out=f"The first {MOST_ROWS} of {len(rows):,}; all are in {where}." if left > 0 else "",
        folded=len(rows) > 12 if folded is None else folded,
    )
