"""What a record settles and what it does not: a sentence for each declared conclusion, from the record alone."""

import textwrap
from collections.abc import Iterator

from multiverse.errors import printable
from multiverse.report.cell_verdicts import cell_verdicts
from multiverse.report.order_verdicts import order_verdicts
from multiverse.report.sentences import plain
from multiverse.report.verdict import Json, Verdict
from multiverse.summary import Line, Tone, counted

_WIDTH = 100


def verdicts(record: Json) -> tuple[Verdict, ...]:
    """The verdict on every declared conclusion, population by population."""
    return tuple(
        verdict
        for population in record["populations"]
        for verdict in (*cell_verdicts(record, population), *order_verdicts(record, population))
    )


def verdict_lines(record: Json) -> Iterator[Line]:
    """The verdicts as text, for a person at a terminal."""
    title = f"{record['study']}: {record['title']}" if record["title"] else record["study"]
    yield Line(printable(title), "heading")
    yield Line(f"family {record['family']}: {counted(len(record['specs']), 'specification')}; {standing(record)}")
    found = verdicts(record)
    for population in record["populations"]:
        yield Line("")
        yield Line(printable(f"population {population}: {population_counts(record, population)}"), "heading")
        for verdict in found:
            if verdict.population == population:
                yield from _lines(verdict)


def population_counts(record: Json, population: str) -> str:
    """How large a population is."""
    found = record["populations"][population]
    methods = len(found["ranking"]["rank_sets"])
    return f"{counted(found['rows'], 'row')}, {counted(found['clusters'], 'cluster')}, {counted(methods, 'method')}"


def standing(record: Json) -> str:
    """Exploratory, frozen, or, under an amendment, what the paper calls such a control."""
    return str(record["admissibility"]["classification"] if record["admissibility"] else record["status"])


def _lines(verdict: Verdict) -> Iterator[Line]:
    tone: Tone = "settled" if verdict.settled else "unsettled"
    for line in _wrapped(verdict.sentence, "  "):
        yield Line(line, tone)
    for line in _wrapped(plain(verdict.sampling), "    "):
        yield Line(line, "note")


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
