"""The deletion decomposition of an effect as a waterfall: shares of the classes, the support shift, the effect."""

from collections.abc import Iterable
from fractions import Fraction

import altair as alt

from multiverse.errors import printable
from multiverse.report.charts import look
from multiverse.report.charts.chart import ChartSpec
from multiverse.report.charts.look import ACCENT, GREY, INK, OPPOSED, Entry, Layout, Row
from multiverse.report.charts.view import Json, View
from multiverse.report.charts.words import listed, signed_points

_STEP = 18  # pixels; a row
_SHIFT = "support shift"


def alike_cells(cells: Json) -> list[tuple[list[str], Json | None]]:
    """Cells that a decomposition gives the same numbers, together, in the order of the first of each."""
    found: dict[str, tuple[list[str], Json | None]] = {}
    for cell, value in cells.items():
        key = repr(None if value is None else (value["effect"], value["shares"], value["support_shift"]))
        found.setdefault(key, ([], value))[0].append(cell)
    return list(found.values())


def waterfall_rows(
    groups: Iterable[tuple[list[str], Json | None]], classes: Iterable[str]
) -> tuple[list[Row], list[Row]]:
    """The bars, and the labels of all rows: under a heading of its cells each step from 0 to the effect."""
    bars: list[Row] = []
    labels: list[Row] = []
    ordered = tuple(classes)
    for cells, value in groups:
        heading = printable(cells[0]) + (f" and {len(cells) - 1} more" if len(cells) > 1 else "")
        labels.append({"row": len(labels), "label": heading, "tip": listed(cells, most=40), "heading": True})
        if value is None:
            labels.append({"row": len(labels), "label": "undefined", "tip": "undefined", "heading": False})
            continue
        steps = [("class", name, Fraction(value["shares"][name])) for name in ordered]
        start = Fraction(0)
        for kind, name, step in [*steps, ("shift", _SHIFT, Fraction(value["support_shift"]))]:
            bars.append(_bar(len(labels), kind, name, (start, start + step)))
            labels.append(_label(len(labels), name))
            start += step
        bars.append(_bar(len(labels), "effect", "effect", (Fraction(0), Fraction(value["effect"]))))
        labels.append(_label(len(labels), "effect"))
    return bars, labels


def _bar(row: int, kind: str, step: str, ends: tuple[Fraction, Fraction]) -> Row:
    start, end = ends
    moved = end - start
    return {
        "row": row, "step": printable(step), "kind": kind, "start": float(start), "end": float(end),
        "exact": str(moved), "value": float(moved),
    }  # fmt: skip


def _label(row: int, text: str) -> Row:
    return {"row": row, "label": printable(text), "tip": printable(text), "heading": False}


def waterfall(view: View, declared: Json, name: str) -> ChartSpec:
    """Each class's share of an effect, one after another, cell by cell."""
    cells = view.record["decompositions"][declared["id"]]["cells"]
    order = view.tables["effects"].filter(view.tables["effects"]["effect"] == declared["effect"])["cell"]
    groups = alike_cells({cell: cells[cell] for cell in order.unique(maintain_order=True)})
    bars, labels = waterfall_rows(groups, declared["classes"])
    entries = [Entry("bar", ACCENT, "share of a class"), Entry("bar", OPPOSED, _SHIFT), Entry("bar", GREY, "effect")]
    layout = Layout(plot=len(labels) * _STEP, right=66, top=8, bottom=44, legend=3)
    datasets = {"waterfall": bars, "waterfall_rows": labels, "waterfall_legend": look.legend_rows(entries)}
    return ChartSpec(
        name=name,
        kind="waterfall",
        population=view.name,
        of=declared["id"],
        title=f"Deletion decomposition {printable(declared['id'])} of effect {printable(declared['effect'])}",
        caption="Each class's Shapley share of the effect starts where the one before it ends; with the support shift "
        "they sum to the effect exactly. Cells with the same numbers stand together.",
        alt=_alt(groups, declared),
        layout=layout,
        vega_lite=look.drawn(_layers(len(labels)), layout, datasets),
    )


def _layers(rows: int) -> list[alt.Chart]:
    ink = f"datum.kind == 'class' ? '{ACCENT}' : datum.kind == 'shift' ? '{OPPOSED}' : '{GREY}'"
    bars = alt.Chart(look.data("waterfall")).transform_calculate(
        pp="100 * datum.start",
        to="100 * datum.end",
        ink=ink,
        words=look.number("100 * datum.value"),
        tip=f"datum.step + ': ' + datum.exact + ' = ' + {look.told('100 * datum.value')}",
        next="datum.row + 1",
    )
    x = alt.X("pp:Q").axis(look.points_axis()).scale(zero=True, nice=False, padding=12)
    y = look.row_position(rows)
    colour = alt.Color("ink:N").scale(None)
    return [
        look.zero_line(),
        bars.transform_filter("datum.kind != 'effect'")
        .transform_calculate(pp="datum.to")
        .mark_rule(color=INK, opacity=0.35, strokeDash=[2, 2])
        .encode(x=x, y=y, y2="next:Q"),
        bars.mark_rule(strokeWidth=11, opacity=0.75).encode(x=x, x2="to:Q", y=y, color=colour, tooltip="tip:N"),
        bars.mark_tick(thickness=2, size=11)
        .transform_calculate(pp="datum.to")
        .encode(x=x, y=y, color=colour, tooltip="tip:N"),
        bars.mark_text(align="right", x=alt.ExprRef("width + 58")).encode(y=y, text="words:N"),
        *look.row_labels("waterfall_rows", rows),
        *look.legend("waterfall_legend"),
    ]


def _alt(groups: Iterable[tuple[list[str], Json | None]], declared: Json) -> str:
    told = [f"{listed(cells)}: {_told(value, declared['classes'])}" for cells, value in groups]
    return f"Decomposition of effect {printable(declared['effect'])}, in percentage points: {'; '.join(told)}."


def _told(value: Json | None, classes: Iterable[str]) -> str:
    if value is None:
        return "undefined"
    steps = [f"{printable(name)} {signed_points(Fraction(value['shares'][name]))}" for name in classes]
    shift, effect = (signed_points(Fraction(value[key])) for key in ("support_shift", "effect"))
    return f"{', '.join(steps)}, {_SHIFT} {shift}, effect {effect}"
