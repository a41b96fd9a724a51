"""The matrix of pair relations: who is above whom over the family, and whether always."""

from typing import Any

import altair as alt

from multiverse.errors import printable
from multiverse.report.charts import look
from multiverse.report.charts.chart import ChartSpec
from multiverse.report.charts.look import ACCENT, GREY, OPPOSED, Entry, Layout, Row
from multiverse.report.charts.ranks import method_labels, method_order
from multiverse.report.charts.view import Json, View
from multiverse.report.charts.words import counted

_SHOWN = ("robust_strict", "weak", "robust_tie", "reversal")
_ENTRIES = (
    Entry("> <", ACCENT, "robust strict"),
    Entry("\u2265 \u2264", look.THIRD, "weak (or tied)"),
    Entry("=", GREY, "robust tie"),
    Entry("~", OPPOSED, "reversal"),
)


def pair_rows(view: View) -> list[Row]:
    """The records of the data: each pair's relation, and at how many specifications its margin has which sign."""
    return [
        {"a": pair["a"], "b": pair["b"], "relation": pair["relation"] or "undefined", **pair["signs"]}
        for pair in view.record["ranking"]["pairs"]
    ]


def pairs(view: View, name: str) -> ChartSpec:
    """A square of all pairs, methods in the order of their mean ranks."""
    order = method_order(view)
    step = 24 if len(order) <= 14 else 17
    layout = Layout(plot=len(order) * step, top=26, bottom=8, legend=len(_ENTRIES))
    datasets = {
        "pairs": pair_rows(view),
        "pairs_rows": method_labels(order, numbered=True),
        "pairs_legend": look.legend_rows(_ENTRIES),
    }
    return ChartSpec(
        name=name,
        kind="pairs",
        population=view.name,
        title="Pair relations",
        caption="How the margin of the row's method over the column's behaves over the family; columns are numbered as "
        "the rows. This is specification variation alone. "
        "The counts of a pair are in its tooltip and in the record.",
        alt=_alt(view),
        layout=layout,
        vega_lite=look.drawn(_layers(len(order)), layout, datasets),
    )


def _layers(methods: int) -> list[alt.Chart]:
    key = alt.LookupData(look.data("pairs_rows"), "key", ["row", "tip"])
    signs = (
        "datum.plus + ' above, ' + datum.zero + ' tied, ' + datum.minus + ' below'"
        " + (datum.undefined ? ', ' + datum.undefined + ' undefined' : '')"
    )
    cells = (
        alt.Chart(look.data("pairs"))
        .transform_lookup("a", key, as_=["row_a", "name_a"])
        .transform_lookup("b", key, as_=["row_b", "name_b"])
        .transform_calculate(sides="[0, 1]")
        .transform_flatten(["sides"], as_=["turned"])
        .transform_calculate(
            row="datum.turned ? datum.row_b : datum.row_a",
            column="datum.turned ? datum.row_a : datum.row_b",
            up="datum.turned ? datum.minus > 0 : datum.plus > 0",
            sign="datum.relation == 'robust_strict' ? (datum.up ? '>' : '<') : datum.relation == 'robust_tie' ? '='"
            " : datum.relation == 'weak' ? (datum.up ? '\u2265' : '\u2264') : datum.relation == 'reversal' ? '~' : '?'",
            ink=f"datum.relation == 'robust_strict' ? '{ACCENT}' : datum.relation == 'weak' ? '{look.THIRD}'"
            f" : datum.relation == 'reversal' ? '{OPPOSED}' : '{GREY}'",
            left_edge="datum.column - 0.46",
            right_edge="datum.column + 0.46",
            upper="datum.row - 0.46",
            lower="datum.row + 0.46",
            tip="datum.name_a + ' against ' + datum.name_b + ': ' + replace(datum.relation, '_', ' ') + '\\n' + "
            + signs,
        )
    )
    across, down = alt.Scale(domain=[-0.5, methods - 0.5], nice=False, zero=False), look.row_scale(methods)
    middle: dict[str, Any] = {"x": alt.X("column:Q").scale(across).axis(None), "y": look.row_position(methods)}
    ink: dict[str, Any] = {"color": alt.Color("ink:N").scale(None), "tooltip": "tip:N"}
    columns = alt.Chart(look.data("pairs_rows")).transform_filter(
        f"width / {methods} >= 14 || datum.row == 0 || (datum.row + 1) % 5 == 0"
    )
    letters: dict[str, Any] = {"fontSize": alt.ExprRef(f"clamp(0.75 * width / {methods}, 5, 14)"), "fontWeight": "bold"}
    return [
        cells.mark_rect(opacity=0.3).encode(
            x=alt.X("left_edge:Q").scale(across).axis(None),
            x2="right_edge:Q",
            y=alt.Y("upper:Q").scale(down).axis(None),
            y2="lower:Q",
            **ink,
        ),
        cells.mark_text(**letters).encode(**middle, text="sign:N", tooltip="tip:N"),
        columns.transform_calculate(column="datum.row", number="datum.row + 1")
        .mark_text(y=-9, fontSize=10)
        .encode(x=middle["x"], text="number:Q", tooltip="tip:N"),
        *look.row_labels("pairs_rows", methods),
        *look.legend("pairs_legend"),
    ]


def _alt(view: View) -> str:
    pairs = view.record["ranking"]["pairs"]
    relations = [pair["relation"] or "undefined" for pair in pairs]
    counts = {name: relations.count(name) for name in (*_SHOWN, "undefined")}
    told = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items() if count)
    reversals = [pair for pair in pairs if pair["relation"] == "reversal"]
    shown = [_reversal(pair) for pair in reversals[:12]]
    more = f"; and {len(reversals) - 12:,} more, in the record" if len(reversals) > 12 else ""
    listed = f" Reversals: {'; '.join(shown)}{more}." if shown else ""
    return f"{counted(len(pairs), 'pair')}: {told or 'none'}.{listed}"


def _reversal(pair: Json) -> str:
    a, b, signs = printable(pair["a"]), printable(pair["b"]), pair["signs"]
    return f"{a} against {b} (above at {signs['plus']}, below at {signs['minus']})"
