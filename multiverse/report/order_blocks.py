"""The section on rankings: ranks, pairs, and the order that every specification keeps."""

from collections.abc import Iterator, Sequence

from multiverse.report.blocks import Block, columns, numeric, table
from multiverse.report.population_blocks import Charts, by_population, drawn_charts, value_cells
from multiverse.report.sentences import name, number, order_words, sentence, spec
from multiverse.report.verdict import Json


def ranking_blocks(record: Json, charts: Charts) -> Iterator[Block]:
    """Rank sets, pairs and weak orders, by population."""
    blocks: dict[str, list[Block]] = {}
    for population in record["populations"]:
        ranking = record["populations"][population]["ranking"]
        drawn = [one for kind in ("ranks", "pairs", "hasse") for one in drawn_charts(charts, kind, population)]
        several = len(ranking["rank_sets"]) > 1
        blocks[population] = [*drawn, *_ranking_tables(record, population, ranking)] if several else []
    yield from by_population(record, blocks, "There is one method, and no ranking.")


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
        ends = [value_cells(None if own[key] is None else own[key]["exact"])[0] for key in ("min", "max")]
        relation = (pair["relation"] or "undefined").replace("_", " ")
        rows.append(((name(pair["a"]), *sentence(" - "), name(pair["b"])), sentence(relation), *counts, *ends))
    caption = sentence("Pairs: in how many specifications the first method is above, tied with or below the second")
    return table(caption, heads, rows, where="tables/margins.parquet", folded=True)
