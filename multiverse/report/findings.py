"""The sections on what was found: verdicts, effects, families, rankings, deletion and supports."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

import polars as pl

from multiverse.report.blocks import Block, Choice, Heading, Section, ShownVerdict, Spelled, Verdicts
from multiverse.report.effect_blocks import deletion_blocks, effect_blocks
from multiverse.report.family_blocks import family_blocks
from multiverse.report.order_blocks import ranking_blocks
from multiverse.report.population_blocks import Charts
from multiverse.report.sentences import name, sentence, spec
from multiverse.report.support_blocks import support_blocks
from multiverse.report.verdict import Json, Verdict, Witness
from multiverse.report.verdicts import population_counts, verdicts

Options: TypeAlias = Mapping[tuple[str, str], Json]  # a record of the table of options by coordinate and option


def finding_sections(record: Json, options: pl.DataFrame, charts: Charts) -> Iterator[Section]:
    """The sections on what was found, in reading order."""
    known = {(one["coordinate"], one["option"]): one for one in options.iter_rows(named=True)}
    found = verdicts(record)
    yield Section(
        id="verdicts",
        title="Verdicts",
        lead="Each conclusion over the declared family, with the specifications that show it. What redrawn data would "
        "change is told apart, as sampling uncertainty.",
        blocks=tuple(_verdict_blocks(record, found, known)),
    )
    yield Section(
        id="effects",
        title="Effects",
        lead="How far a margin moves when a factor of the contract moves, in each cell: the options of all other "
        "coordinates. Dots are exact values; thin grey lines are sampling intervals.",
        blocks=tuple(effect_blocks(record, charts)),
    )
    yield Section(
        id="families",
        title="Families and what they declare",
        lead="A larger family has no smaller identified set. What is identified in an inner family may not be in an "
        "outer one.",
        blocks=tuple(family_blocks(record, options, charts)),
    )
    yield Section(
        id="rankings",
        title="Rankings",
        lead="Which ranks each method takes somewhere in the family, how each pair stands, and the part of the order "
        "that every specification keeps.",
        blocks=tuple(ranking_blocks(record, charts)),
    )
    yield Section(
        id="deletion",
        title="Deletion",
        lead="How much of an effect comes from objects of each class that the contract deletes: exact Shapley shares, "
        "which with the support shift sum to the effect.",
        blocks=tuple(deletion_blocks(record, charts)),
    )
    yield Section(
        id="supports",
        title="Supports and dropped rows",
        lead="Which rows count. A margin between methods that count different rows compares averages over different "
        "rows.",
        blocks=tuple(support_blocks(record, charts)),
    )


def _verdict_blocks(record: Json, found: Iterable[Verdict], options: Options) -> Iterator[Block]:
    known = list(found)
    for population in record["populations"]:
        yield Heading(sentence("Population ", name(population), f": {population_counts(record, population)}"))
        own = [one for one in known if one.population == population]
        yield Verdicts(tuple(ShownVerdict(one, _spelled(one.witnesses, options)) for one in own))


def _spelled(witnesses: Iterable[Witness], options: Options) -> tuple[Spelled, ...]:
    shown = []
    for one in witnesses:
        parts = zip(one.coordinates, one.where.split("/"), strict=False)
        choices = tuple(
            Choice(coordinate, option, _declares(options, coordinate, option)) for coordinate, option in parts
        )
        shown.append(Spelled(sentence(one.what, ": ", spec(one.where)), choices))
    return tuple(shown)


def _declares(options: Options, coordinate: str, option: str) -> str:
    known = options.get((coordinate, option))
    return "" if known is None else str(known["words"])
