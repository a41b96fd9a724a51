"""The rank set of each method, and the matrix of pair relations."""

from collections import Counter
from collections.abc import Sequence

import altair as alt
import polars as pl

from multiverse.errors import printable
from multiverse.report.charts import look
from multiverse.report.charts.chart import ChartSpec
from multiverse.report.charts.look import ACCENT, INK, Entry, Layout, Row
from multiverse.report.charts.view import View
from multiverse.report.charts.words import counted, listed

_STEP = 20  # pixels; a row
_ALL_RANKS = 12  # methods; of more, every fifth rank has a grid line


def method_order(view: View) -> list[str]:
    """The methods by mean rank over the family, best first; those never ranked come last, in code-point order."""
    means = view.tables["rankings"].drop_nulls("rank").group_by("method").agg(pl.col("rank").sum(), count=pl.len())
    sums = {method: total / count for method, total, count in means.iter_rows()}
    return sorted(view.methods, key=lambda method: (sums.get(method, float("inf")), method))


def rank_rows(view: View) -> list[Row]:
    """The records of the data: each rank of each method, and the ends of the method's sampling intervals."""
    table = view.tables["rankings"].drop_nulls("rank")
    counts = Counter(table.select("method", "rank").iter_rows())
    sets = view.record["ranking"]["rank_sets"]
    ends = table.group_by("method").agg(pl.col("lower").min(), pl.col("upper").max())
    drawn = {method: (lower, upper) for method, lower, upper in ends.select("method", "lower", "upper").iter_rows()}
    return [
        {
            "method": method,
            "rank": rank,
            "specs": counts[method, rank],
            "best": sets[method][0],
            "worst": sets[method][-1],
            "lower": drawn[method][0],
            "upper": drawn[method][1],
        }
        for method in method_order(view)
        for rank in sets[method]
    ]


def ranks(view: View, name: str) -> ChartSpec:
    """A bar over the ranks that each method has somewhere in the family."""
    order, rows = method_order(view), rank_rows(view)
    known = any(row["lower"] is not None for row in rows)
    entries = [Entry("bar", ACCENT, "rank set")]
    entries += [Entry("whisker", INK, f"{view.interval_words}s")] if known else []
    layout = Layout(plot=len(order) * _STEP, top=24, bottom=8, legend=len(entries))
    labels = method_labels(order)
    datasets = {"ranks": rows, "ranks_rows": labels, "ranks_legend": look.legend_rows(entries)}
    return ChartSpec(
        name=name,
        kind="ranks",
        population=view.name,
        title="Rank sets",
        caption=_caption(view, known=known),
        alt=_alt(view, order),
        layout=layout,
        vega_lite=look.drawn(_layers(len(order)), layout, datasets),
    )


def method_labels(order: Sequence[str], *, numbered: bool = False) -> list[Row]:
    """A labelled row for each method."""
    return [
        {
            "row": i,
            "key": method,
            "label": f"{i + 1}  {printable(method)}" if numbered else printable(method),
            "tip": printable(method),
            "heading": False,
        }
        for i, method in enumerate(order)
    ]


def _layers(methods: int) -> list[alt.Chart]:
    rows = alt.Chart(look.data("ranks")).transform_lookup(
        "method", alt.LookupData(look.data("ranks_rows"), "key", ["row", "label"])
    )
    ranked = rows.transform_joinaggregate(total="sum(specs)", groupby=["method"]).transform_calculate(
        share="20 + 130 * datum.specs / datum.total",
        tip="datum.label + '\\nrank ' + datum.rank + ' at ' + datum.specs + ' of ' + datum.total + ' specifications'",
    )
    one = rows.transform_aggregate(
        best="min(best)", worst="max(worst)", lower="min(lower)", upper="max(upper)", groupby=["row"]
    )
    shown = [rank for rank in range(1, methods + 1) if methods <= _ALL_RANKS or rank == 1 or rank % 5 == 0]
    axis = alt.Axis(title=None, orient="top", format="d", grid=True, values=shown)
    x = alt.X("rank:Q").axis(axis).scale(domain=[0.6, methods + 0.4], nice=False, zero=False)
    y = look.row_position(methods)
    return [
        one.transform_filter("isValid(datum.lower)")
        .transform_calculate(rank="datum.lower")
        .mark_rule(color=INK, opacity=0.5, strokeWidth=1)
        .encode(x=x, x2="upper:Q", y=y),
        one.transform_calculate(rank="datum.best", best="datum.best")
        .mark_rule(color=ACCENT, strokeWidth=9, opacity=0.4, strokeCap="round")
        .encode(x=x, x2="worst:Q", y=y),
        ranked.mark_point(filled=True, color=ACCENT, opacity=1).encode(
            x=x, y=y, size=alt.Size("share:Q").scale(None), tooltip="tip:N"
        ),
        *look.row_labels("ranks_rows", methods),
        *look.legend("ranks_legend"),
    ]


def _caption(view: View, *, known: bool) -> str:
    undefined = len(view.record["ranking"]["undefined_specs"])
    parts = [
        "A method's rank is 1 plus the number of methods strictly above it. Bars and dots are specification variation; "
        "a dot is larger where more specifications give the rank."
    ]
    if known:
        parts.append(
            "Thin grey lines are sampling uncertainty: "
            f"from the lowest end to the highest of the {view.interval_words}s."
        )
    if undefined:
        parts.append(f"There is no ranking at {counted(undefined, 'specification')}.")
    return " ".join(parts)


def _alt(view: View, order: Sequence[str]) -> str:
    sets, winners = view.record["ranking"]["rank_sets"], view.record["ranking"]["winners"]
    told = [f"{printable(method)} {rank_words(sets[method])}" for method in order]
    specs = counted(len(view.specs), "specification")
    return f"Ranks over {specs}: {'; '.join(told)}. Can rank first: {listed(winners) or 'none'}."


def rank_words(ranks: Sequence[int]) -> str:
    """A rank set in words: a run of ranks by its ends."""
    if not ranks:
        return "never ranked"
    if len(ranks) > 2 and ranks[-1] - ranks[0] + 1 == len(ranks):
        return f"{ranks[0]} to {ranks[-1]}"
    return ", ".join(map(str, ranks))
