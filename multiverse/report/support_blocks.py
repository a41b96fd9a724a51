"""The section on supports: which rows count, and what drops the others."""

from collections.abc import Iterator

from multiverse.report.blocks import Block, Text, columns, numeric, table, text
from multiverse.report.population_blocks import Charts, by_population, drawn_charts
from multiverse.report.sentences import few, name, number, sentence, spec
from multiverse.report.verdict import Json
from multiverse.summary import counted

_MOST_METHODS = 12


def support_blocks(record: Json, charts: Charts) -> Iterator[Block]:
    """Supports and the drops manifest, by population."""
    blocks: dict[str, list[Block]] = {}
    for population in record["populations"]:
        drops = record["populations"][population]["drops"]
        blocks[population] = [
            *_unequal(record, drops["unequal_support"]),
            *drawn_charts(charts, "supports", population),
            *_state_tables(drops),
        ]
    yield from by_population(record, blocks, "No rows are recorded.")


def _unequal(record: Json, unequal: Json | None) -> list[Block]:
    total = counted(len(record["specs"]), "specification")
    if unequal is None:
        return [text(f"At each of {total} all methods count the same rows.")]
    counts = [(name(method), *sentence(f" {count:,}")) for method, count in unequal["rows"].items()]
    rows = few(counts, _MOST_METHODS)
    where = (
        f"Methods count different rows in {unequal['specs']:,} of {total}; furthest apart at ",
        spec(unequal["widest"]),
    )
    return [Text(sentence(*where, ": ", rows, "."), "warning")]


def _state_tables(drops: Json) -> Iterator[Block]:
    reading = any(one["reading"] for one in drops["states"])
    methods = list(dict.fromkeys(method for one in drops["states"] for method in one["rows"]))
    heads = [*(columns("reading") if reading else []), *columns("state"), *numeric("dropped in")]
    heads += numeric(*map(name, methods[:_MOST_METHODS]))
    rows = []
    for one in drops["states"]:
        head = [(name(one["reading"]),)] * reading + [(name(" + ".join(one["states"])),)]
        counts = [(number(f"{one['rows'].get(method, 0):,}"),) for method in methods[:_MOST_METHODS]]
        rows.append((*head, (number(f"{one['dropped']:,} of {one['specs']:,}"),), *counts))
    cut = len(methods) > _MOST_METHODS
    more = f"; the first {_MOST_METHODS} of {len(methods)} methods, the others in record.json" if cut else ""
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
