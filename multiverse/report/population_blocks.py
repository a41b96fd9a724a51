"""What the sections on findings share: blocks by population, charts by what they show, values in cells."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from multiverse.report.blocks import Block, Figure, Heading, text
from multiverse.report.sentences import Sentence, name, number, sentence
from multiverse.report.verdict import Json
from multiverse.summary import points

if TYPE_CHECKING:
    from multiverse.report.charts import ChartSpec

Charts: TypeAlias = "Mapping[str, ChartSpec]"

NO_VALUE = (number("undefined"),)


def by_population(record: Json, blocks: Mapping[str, list[Block]], none: str) -> Iterator[Block]:
    """The blocks of each population under its heading; without one where there is one population."""
    if not any(blocks.values()):
        yield text(none, tone="note")
        return
    for population in record["populations"]:
        if blocks[population]:
            if len(record["populations"]) > 1:
                yield Heading(sentence("Population ", name(population)))
            yield from blocks[population]


def drawn_charts(charts: Charts, kind: str, population: str, of: str | None = None) -> list[Block]:
    """The charts of a kind, where it is given those of one effect or decomposition."""
    return [
        Figure(one.name)
        for one in charts.values()
        if (one.kind, one.population) == (kind, population) and of in (None, one.of)
    ]


def value_cells(exact: str | None) -> tuple[Sentence, Sentence]:
    """A value in percentage points, and exactly."""
    if exact is None:
        return NO_VALUE, ()
    return (number(points(Fraction(exact), signed=True)),), (number(exact),)
