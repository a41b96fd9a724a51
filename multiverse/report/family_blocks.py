"""The section on families, and on what the options of each coordinate declare."""

from collections.abc import Iterator, Sequence

import polars as pl

from multiverse.report.blocks import Block, Heading, columns, table, text
from multiverse.report.population_blocks import Charts, drawn_charts
from multiverse.report.sentences import name, prose, sentence, spec
from multiverse.report.verdict import Json


def family_blocks(record: Json, options: pl.DataFrame, charts: Charts) -> Iterator[Block]:
    """The identified sets of nested families, by population; then the options."""
    for population in record["populations"]:
        drawn = drawn_charts(charts, "families", population)
        if drawn and len(record["populations"]) > 1:
            yield Heading(sentence("Population ", name(population)))
        yield from drawn
    yield Heading(sentence("The options"))
    for coordinate, held in options.group_by("coordinate", maintain_order=True):
        yield from _option_blocks(str(coordinate[0]), list(held.iter_rows(named=True)))


def _option_blocks(coordinate: str, options: Sequence[Json]) -> Iterator[Block]:
    """The options of a coordinate; a rationale that all share is told once."""
    if not options[0]["option"]:
        yield text(f"{coordinate.capitalize()}, not varied: ", prose(options[0]["words"]), ".", tone="note")
        return
    reasons = {one["rationale"] or "" for one in options}
    heads = columns("option", "declares", *(["rationale"] if len(reasons) > 1 else []))
    rows = []
    for one in options:
        reason = [(prose(one["rationale"] or ""),)] if len(reasons) > 1 else []
        rows.append(((spec(one["option"]),), (prose(one["words"]),), *reason))
    shared = (". Rationale: ", prose(reasons.pop())) if len(reasons) == 1 and "" not in reasons else ()
    yield table(sentence(coordinate.capitalize(), *shared), heads, rows, where="tables/options.parquet", folded=False)
