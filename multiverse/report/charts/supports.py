"""The rows that count for each method, where specifications or methods differ in them."""

from collections import Counter
from collections.abc import Sequence

import altair as alt

from multiverse.errors import printable
from multiverse.report.charts import look
from multiverse.report.charts.chart import ChartSpec
from multiverse.report.charts.look import ACCENT, Layout, Row
from multiverse.report.charts.view import View
from multiverse.report.charts.words import counted, listed

_STEP = 22  # pixels; a row
_Alike = list[tuple[list[str], tuple[int, ...]]]  # methods and the rows that count for each of them, by specification


def alike_methods(view: View) -> _Alike:
    """Methods that count equally many rows at every specification, together, in code-point order."""
    supports: dict[str, list[int]] = {}
    for method, support in view.tables["levels"].select("method", "support").iter_rows():
        supports.setdefault(method, []).append(support)
    found: dict[tuple[int, ...], list[str]] = {}
    for method in sorted(supports):
        found.setdefault(tuple(supports[method]), []).append(method)
    return [(methods, counts) for counts, methods in found.items()]


def supports(view: View, name: str) -> ChartSpec:
    """How many rows each method's levels count, over the family."""
    groups = alike_methods(view)
    labels = [_label(i, methods, alone=len(groups) == 1) for i, (methods, _) in enumerate(groups)]
    rows = [
        {"row": i, "methods": listed(methods), "support": support, "specs": specs}
        for i, (methods, counts) in enumerate(groups)
        for support, specs in sorted(Counter(counts).items())
    ]
    layout = Layout(plot=len(labels) * _STEP, top=8, bottom=42)
    datasets: dict[str, list[Row]] = {
        "supports": rows,
        "supports_rows": labels,
    }
    return ChartSpec(
        name=name,
        kind="supports",
        population=view.name,
        title="Supports",
        caption="How many rows a level counts, over the specifications of the family; "
        "a dot is larger where more specifications do. Methods that count equally many everywhere stand together.",
        alt=_alt(view, groups),
        layout=layout,
        vega_lite=look.drawn(_layers(len(labels)), layout, datasets),
    )


def _label(row: int, methods: Sequence[str], *, alone: bool) -> Row:
    words = listed(methods, most=2)
    label = words if not alone else "all methods" if len(methods) > 1 else words
    return {"row": row, "label": label, "tip": listed(methods, most=40), "heading": False}


def _layers(rows: int) -> list[alt.Chart]:
    counts = alt.Chart(look.data("supports")).transform_joinaggregate(total="sum(specs)", groupby=["row"])
    dots = counts.transform_calculate(
        share="25 + 130 * datum.specs / datum.total",
        tip="datum.methods + '\\n' + datum.support + ' rows at '"
        " + datum.specs + ' of ' + datum.total + ' specifications'",
    )
    whole = counts.transform_aggregate(least="min(support)", greatest="max(support)", groupby=["row"])
    axis = look.counts_axis("rows that count")
    x = alt.X("support:Q").axis(axis).scale(zero=False, nice=False, padding=14)
    y = look.row_position(rows)
    return [
        look.row_lines("supports_rows", rows),
        whole.transform_calculate(support="datum.least")
        .mark_rule(color=ACCENT, strokeWidth=8, opacity=0.4)
        .encode(x=x, x2="greatest:Q", y=y),
        dots.mark_point(filled=True, color=ACCENT, opacity=1).encode(
            x=x, y=y, size=alt.Size("share:Q").scale(None), tooltip="tip:N"
        ),
        *look.row_labels("supports_rows", rows),
    ]


def _alt(view: View, groups: _Alike) -> str:
    told = [f"{listed(methods)} {_range(counts)}" for methods, counts in groups[:12]]
    more = f"; and {len(groups) - 12} more, in the table of levels" if len(groups) > 12 else ""
    unequal = view.record["drops"]["unequal_support"]
    widest = ""
    if unequal is not None:
        specs = counted(unequal["specs"], "specification")
        widest = f" Methods differ at {specs}, most at {printable(unequal['widest'])}."
    return f"Rows that count, of {view.record['rows']:,}: {'; '.join(told)}{more}.{widest}"


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
