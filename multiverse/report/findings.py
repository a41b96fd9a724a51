"""The sections on what was found: verdicts, effects, families, rankings, deletion and supports."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from multiverse.report.blocks import (
    Block,
    Choice,
    Column,
    Figure,
    Heading,
    Section,
    ShownVerdict,
    Spelled,
    Text,
    Verdicts,
    columns,
    numeric,
    table,
    text,
)
from multiverse.report.sentences import Sentence, few, joined, name, number, order_words, prose, sentence, spec
from multiverse.report.verdict import Json, Verdict, Witness, interval_points
from multiverse.report.verdicts import population_counts, verdicts
from multiverse.summary import counted, points

if TYPE_CHECKING:
    from multiverse.report.charts import ChartSpec

Charts: TypeAlias = "Mapping[str, ChartSpec]"
Options: TypeAlias = Mapping[tuple[str, str], Json]  # a record of the table of options by coordinate and option

_NO_VALUE = (number("undefined"),)


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
        blocks=tuple(_effect_blocks(record, charts)),
    )
    yield Section(
        id="families",
        title="Families and what they declare",
        lead="A larger family has no smaller identified set. What is identified in an inner family may not be in an "
        "outer one.",
        blocks=tuple(_family_blocks(record, options, charts)),
    )
    yield Section(
        id="rankings",
        title="Rankings",
        lead="Which ranks each method takes somewhere in the family, how each pair stands, and the part of the order "
        "that every specification keeps.",
        blocks=tuple(_ranking_blocks(record, charts)),
    )
    yield Section(
        id="deletion",
        title="Deletion",
        lead="How much of an effect comes from objects of each class that the contract deletes: exact Shapley shares, "
        "which with the support shift sum to the effect.",
        blocks=tuple(_deletion_blocks(record, charts)),
    )
    yield Section(
        id="supports",
        title="Supports and dropped rows",
        lead="Which rows count. A margin between methods that count different rows compares averages over different "
        "rows.",
        blocks=tuple(_support_blocks(record, charts)),
    )


def _headings(record: Json, blocks: Mapping[str, list[Block]], none: str) -> Iterator[Block]:
    """The blocks of each population under its heading; without one where there is one population."""
    if not any(blocks.values()):
        yield text(none, tone="note")
        return
    for population in record["populations"]:
        if blocks[population]:
            if len(record["populations"]) > 1:
                yield Heading(sentence("Population ", name(population)))
            yield from blocks[population]


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


def _drawn(charts: Charts, kind: str, population: str, of: str | None = None) -> list[Block]:
    """The charts of a kind, where it is given those of one effect or decomposition."""
    return [
        Figure(one.name)
        for one in charts.values()
        if (one.kind, one.population) == (kind, population) and of in (None, one.of)
    ]


# Effects


def _effect_blocks(record: Json, charts: Charts) -> Iterator[Block]:
    blocks: dict[str, list[Block]] = {population: [] for population in record["populations"]}
    for population in record["populations"]:
        found, declared = record["populations"][population], record["endpoints"]
        for effect in declared["effects"]:
            blocks[population] += _one_effect(effect, found, _drawn(charts, "effect", population, effect["id"]))
        for kind in ("contrasts", "stratum_contrasts"):
            for one in declared[kind]:
                caption = sentence("Contrast ", name(one["id"]), " of ", name(one["effect"]), ", by cell")
                blocks[population] += _cell_table(caption, found[kind][one["id"]]["cells"], found, "record.json")
    yield from _headings(record, blocks, "This study declares no effect.")


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
        row = [(spec(cell),), *_value_cells(None if value is None else value["exact"])]
        row += [_interval_cell(value)] if sampled else []
        rows.append(tuple(row))
    return [table(caption, heads, rows, where=where, folded=folded or None)] if rows else []


def _value_cells(exact: str | None) -> tuple[Sentence, Sentence]:
    if exact is None:
        return _NO_VALUE, ()
    return (number(points(Fraction(exact), signed=True)),), (number(exact),)


def _interval_cell(value: Json | None) -> Sentence:
    interval = value and value.get("interval")
    return (number(f"[{', '.join(map(interval_points, interval))}]"),) if interval else ()


# Families


def _family_blocks(record: Json, options: pl.DataFrame, charts: Charts) -> Iterator[Block]:
    for population in record["populations"]:
        drawn = _drawn(charts, "families", population)
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


# Rankings


def _ranking_blocks(record: Json, charts: Charts) -> Iterator[Block]:
    blocks: dict[str, list[Block]] = {}
    for population in record["populations"]:
        ranking = record["populations"][population]["ranking"]
        drawn = [one for kind in ("ranks", "pairs", "hasse") for one in _drawn(charts, kind, population)]
        blocks[population] = [*drawn, *_ranking_tables(record, population, ranking)]
    yield from _headings(record, blocks, "There is one method, and no ranking.")


def _ranking_tables(record: Json, population: str, ranking: Json) -> Iterator[Block]:
    ranks = [((name(method),), (number(_ranks_text(taken)),)) for method, taken in ranking["rank_sets"].items()]
    heads = [*columns("method"), *numeric("ranks taken")]
    yield table(sentence("Rank sets"), heads, ranks, where="record.json", folded=True)
    rows = [
        (order_words(one["order"], 12), (number(f"{one['specs']:,}"),), (spec(one["first"]),))
        for one in sorted(ranking["weak_orders"], key=lambda one: -one["specs"])
    ]
    heads = [*columns("weak order"), *numeric("specifications"), *columns("first")]
    yield table(sentence("Weak orders, the most frequent first"), heads, rows, where="record.json", folded=True)
    yield _pair_table(record["populations"][population], ranking)


def _ranks_text(ranks: Sequence[int]) -> str:
    """Ranks, neighbours as a range."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return ", ".join(f"{run[0]}" if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs) or "none"


def _pair_table(found: Json, ranking: Json) -> Block:
    sets = {(one["a"], one["b"]): one for one in found["identified"] if one["endpoint"] == "margin"}
    heads = columns("pair", "relation")
    heads += numeric("above", "tied", "below", "undefined", "lowest, pp", "highest, pp")
    rows = []
    for pair in ranking["pairs"]:
        signs, own = pair["signs"], sets[pair["a"], pair["b"]]
        counts = [(number(f"{signs[key]:,}"),) for key in ("plus", "zero", "minus", "undefined")]
        ends = [_value_cells(None if own[key] is None else own[key]["exact"])[0] for key in ("min", "max")]
        relation = (pair["relation"] or "undefined").replace("_", " ")
        rows.append(((name(pair["a"]), *sentence(" - "), name(pair["b"])), sentence(relation), *counts, *ends))
    caption = sentence("Pairs: in how many specifications the first method is above, tied with or below the second")
    return table(caption, heads, rows, where="tables/margins.parquet", folded=True)


# Deletion


def _deletion_blocks(record: Json, charts: Charts) -> Iterator[Block]:
    blocks: dict[str, list[Block]] = {population: [] for population in record["populations"]}
    for population in record["populations"]:
        found = record["populations"][population]
        for one in record["endpoints"]["decompositions"]:
            drawn = _drawn(charts, "waterfall", population, one["id"])
            blocks[population] += drawn
            cells = found["decompositions"][one["id"]]["cells"]
            blocks[population] += _share_table(one, cells, folded=bool(drawn))
    yield from _headings(record, blocks, "This study declares no decomposition.")


def _share_table(declared: Json, cells: Mapping[str, Json | None], *, folded: bool) -> list[Block]:
    titles = [*declared["classes"], "support shift", "effect"]
    heads = [*columns("cell"), *(Column(sentence(name(title), ", pp"), numeric=True) for title in titles)]
    rows: list[tuple[Sentence, ...]] = []
    for cell, value in cells.items():
        if value is None:
            rows.append(((spec(cell),), *[_NO_VALUE] * len(titles)))
            continue
        parts = [*(value["shares"][kind] for kind in declared["classes"]), value["support_shift"], value["effect"]]
        rows.append(((spec(cell),), *(_value_cells(part)[0] for part in parts)))
    caption = sentence("Shares of ", name(declared["effect"]), " by class of deleted objects, by cell")
    return [table(caption, heads, rows, where="record.json", folded=folded)] if rows else []


# Supports


def _support_blocks(record: Json, charts: Charts) -> Iterator[Block]:
    blocks: dict[str, list[Block]] = {}
    for population in record["populations"]:
        drops = record["populations"][population]["drops"]
        blocks[population] = [
            *_unequal(record, drops["unequal_support"]),
            *_drawn(charts, "supports", population),
            *_state_tables(drops),
        ]
    yield from _headings(record, blocks, "No rows are recorded.")


def _unequal(record: Json, unequal: Json | None) -> list[Block]:
    total = counted(len(record["specs"]), "specification")
    if unequal is None:
        return [text(f"At each of {total} all methods count the same rows.")]
    rows = joined([(name(method), *sentence(f" {count:,}")) for method, count in unequal["rows"].items()])
    where = (
        f"Methods count different rows in {unequal['specs']:,} of {total}; furthest apart at ",
        spec(unequal["widest"]),
    )
    return [Text(sentence(*where, ": ", rows, "."), "warning")]


def _state_tables(drops: Json) -> Iterator[Block]:
    reading = any(one["reading"] for one in drops["states"])
    methods = list(dict.fromkeys(method for one in drops["states"] for method in one["rows"]))
    heads = [*(columns("reading") if reading else []), *columns("state"), *numeric("dropped in")]
    heads += numeric(*map(name, methods[:12]))
    rows = []
    for one in drops["states"]:
        head = [(name(one["reading"]),)] * reading + [(name(" + ".join(one["states"])),)]
        counts = [(number(f"{one['rows'].get(method, 0):,}"),) for method in methods[:12]]
        rows.append((*head, (number(f"{one['dropped']:,} of {one['specs']:,}"),), *counts))
    more = f"; the first 12 of {len(methods)} methods, the others in record.json" if len(methods) > 12 else ""
    caption = sentence(f"Drops manifest: rows by state and method, and how many specifications drop them{more}")
    yield table(caption, heads, rows, where="record.json", folded=False)
    heads = columns("disposition", "state", "something is legal", "nothing is legal")
    treated = [
        (
            (spec(one["disposition"]),),
            (name(" + ".join(one["states"])),),
            sentence(one["legal_present"]),
            sentence(one["legal_empty"]),
        )
        for one in drops["dispositions"]
    ]
    yield table(sentence("What each disposition does with a row in each state"), heads, treated, where="record.json")
