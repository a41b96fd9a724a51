"""The sections on effects and on the deletion behind them."""

from collections.abc import Iterator, Mapping

from multiverse.report.blocks import Block, Column, columns, numeric, table, text
from multiverse.report.population_blocks import NO_VALUE, Charts, by_population, drawn_charts, value_cells
from multiverse.report.sentences import Sentence, few, name, number, sentence, spec
from multiverse.report.verdict import Json, interval_points


def effect_blocks(record: Json, charts: Charts) -> Iterator[Block]:
    """Effects and contrasts, by population."""
    blocks: dict[str, list[Block]] = {population: [] for population in record["populations"]}
    for population in record["populations"]:
        found, declared = record["populations"][population], record["endpoints"]
        for effect in declared["effects"]:
            blocks[population] += _one_effect(effect, found, drawn_charts(charts, "effect", population, effect["id"]))
        for kind in ("contrasts", "stratum_contrasts"):
            for one in declared[kind]:
                caption = sentence("Contrast ", name(one["id"]), " of ", name(one["effect"]), ", by cell")
                blocks[population] += _cell_table(caption, found[kind][one["id"]]["cells"], found, "record.json")
    yield from by_population(record, blocks, "This study declares no effect.")


def _one_effect(effect: Json, found: Json, drawn: list[Block]) -> Iterator[Block]:
    yield from drawn
    entry, (a, b) = found["effects"][effect["id"]], effect["pair"]
    caption = sentence(
        *("Effect ", name(effect["id"]), " on ", name(a), " - ", name(b), ", by cell; factor ", name(effect["factor"])),
        *(" from ", name(effect["from"]), " to ", name(effect["to"])),
    )
    yield from _cell_table(caption, entry["cells"], found, "tables/effects.parquet", folded=bool(drawn))
    if entry["partial_cells"]:
        cells = few([[spec(cell)] for cell in entry["partial_cells"]], 12)
        yield text("Held in part, and left out: ", cells, ".", tone="note")


def _cell_table(
    caption: Sentence, cells: Mapping[str, Json | None], found: Json, where: str, *, folded: bool = False
) -> list[Block]:
    """A record per cell; sampling has a column of its own, where there is any."""
    if cells and not any(cells.values()):
        return [text(caption, ": undefined in every one.", tone="note")]
    sampled = any(value and value.get("interval") for value in cells.values())
    heads = [*columns("cell"), *numeric("value, pp", "exact")]
    heads += numeric(f"{found['uncertainty']['level']:.0%} sampling interval, pp") if sampled else []
    rows = []
    for cell, value in cells.items():
        row = [(spec(cell),), *value_cells(None if value is None else value["exact"])]
        row += [_interval_cell(value)] if sampled else []
        rows.append(tuple(row))
    return [table(caption, heads, rows, where=where, folded=folded or None)] if rows else []


def _interval_cell(value: Json | None) -> Sentence:
    interval = value and value.get("interval")
    return (number(f"[{', '.join(map(interval_points, interval))}]"),) if interval else ()


def deletion_blocks(record: Json, charts: Charts) -> Iterator[Block]:
    """Deletion decompositions, by population."""
    blocks: dict[str, list[Block]] = {population: [] for population in record["populations"]}
    for population in record["populations"]:
        found = record["populations"][population]
        for one in record["endpoints"]["decompositions"]:
            drawn = drawn_charts(charts, "waterfall", population, one["id"])
            blocks[population] += drawn
            cells = found["decompositions"][one["id"]]["cells"]
            blocks[population] += _share_table(one, cells, folded=bool(drawn))
    yield from by_population(record, blocks, "This study declares no decomposition.")


def _share_table(declared: Json, cells: Mapping[str, Json | None], *, folded: bool) -> list[Block]:
    titles = [*declared["classes"], "support shift", "effect"]
    heads = [*columns("cell"), *(Column(sentence(name(title), ", pp"), numeric=True) for title in titles)]
    rows: list[tuple[Sentence, ...]] = []
    for cell, value in cells.items():
        if value is None:
            rows.append(((spec(cell),), *[NO_VALUE] * len(titles)))
            continue
        parts = [*(value["shares"][kind] for kind in declared["classes"]), value["support_shift"], value["effect"]]
        rows.append(((spec(cell),), *(value_cells(part)[0] for part in parts)))
    caption = sentence("Shares of ", name(declared["effect"]), " by class of deleted objects, by cell")
    return [table(caption, heads, rows, where="record.json", folded=folded)] if rows else []
