"""An effect in every cell: the paper's Figure 2, a row a cell."""

from collections.abc import Sequence

import altair as alt
import polars as pl

from multiverse.errors import printable
from multiverse.report.charts import look
from multiverse.report.charts.chart import ChartSpec
from multiverse.report.charts.look import ACCENT, INK, Entry, Layout, Row
from multiverse.report.charts.view import Json, View
from multiverse.report.charts.words import counted, listed, signed_points

_STEP = 19  # pixels; a row


def effect(view: View, declared: Json, name: str) -> ChartSpec:
    """The effect of each cell with its sampling interval and its backgrounds."""
    table = view.tables["effects"].filter(pl.col("effect") == declared["id"])
    rows = cell_rows(view, table)
    means = _values(table.filter(pl.col("background").is_null()), rows)
    changes = _values(table.filter(pl.col("background").is_not_null()), rows)
    entries = _entries(view, means, changes)
    words = effect_words(declared)
    layout = Layout(plot=len(rows) * _STEP, right=66, top=8, bottom=46, legend=len(entries))
    datasets = {
        "effect": means, "effect_backgrounds": changes, "effect_rows": rows, "effect_legend": look.legend_rows(entries),
    }  # fmt: skip
    return ChartSpec(
        name=name,
        kind="effect",
        population=view.name,
        of=declared["id"],
        title=f"Effect {words}",
        caption=_caption(view, declared),
        alt=_alt(means, words),
        layout=layout,
        vega_lite=look.drawn(_layers(len(rows)), layout, datasets),
    )


def effect_words(declared: Json) -> str:
    """What an effect is of, in words."""
    a, b = map(printable, declared["pair"])
    move = f"{printable(declared['factor'])} from {printable(declared['from'])} to {printable(declared['to'])}"
    return f"{printable(declared['id'])} on {a} \u2212 {b}, {move}"


def cell_rows(view: View, table: pl.DataFrame) -> list[Row]:
    """A labelled row for each cell: its terminal treatment, under a heading of what else tells cells apart."""
    cells = [cell.split("/") for cell in table["cell"].unique(maintain_order=True)]
    own, others = _told_apart(view.coordinates[1:], cells)
    groups: dict[str, list[list[str]]] = {}
    for cell in cells:
        groups.setdefault(" / ".join(cell[i] for i in others), []).append(cell)
    rows: list[Row] = []
    for group, members in groups.items():
        if group:
            rows.append({"key": "", "label": printable(group), "tip": printable(group), "heading": True})
        rows += [_label("/".join(cell), cell[own]) for cell in members]
    return [{"row": i} | row for i, row in enumerate(rows)]


def _told_apart(coordinates: Sequence[str], cells: Sequence[Sequence[str]]) -> tuple[int, list[int]]:
    """The coordinate that tells the rows of a group apart, and those that tell groups apart, by position."""
    varied = [i for i in range(len(coordinates)) if len({cell[i] for cell in cells}) > 1]
    terminal = coordinates.index("terminal") if "terminal" in coordinates else -1
    own = terminal if terminal in varied else max(varied, default=0)
    return own, [i for i in varied if i != own]


def _label(cell: str, option: str) -> Row:
    return {"key": cell, "label": printable(option), "tip": printable(cell), "heading": False}


def _values(table: pl.DataFrame, rows: Sequence[Row]) -> list[Row]:
    """The records of a table, with the row of their cell."""
    place = {row["key"]: row["row"] for row in rows if not row["heading"]}
    return [
        {
            "row": place[one["cell"]],
            **{column: one[column] for column in ("cell", "background", "exact", "value", "lower", "upper")},
        }
        for one in table.iter_rows(named=True)
    ]


def _entries(view: View, means: Sequence[Row], changes: Sequence[Row]) -> list[Entry]:
    entries = [Entry("circle", ACCENT, "effect in a cell")]
    if len(changes) > len(means):
        entries.append(Entry("|", ACCENT, "at one background"))
    if any(one["lower"] is not None for one in means):
        entries.append(Entry("whisker", INK, view.interval_words))
    return entries


def _layers(rows: int) -> list[alt.Chart]:
    told = f"datum.cell + '\\n' + datum.exact + ' = ' + {look.told('datum.pp')} + {look.INTERVAL}"
    means = alt.Chart(look.data("effect")).transform_calculate(
        pp="isValid(datum.value) ? 100 * datum.value : null",
        low="100 * datum.lower",
        high="100 * datum.upper",
        tip=told,
    )
    changes = (
        alt.Chart(look.data("effect_backgrounds"))
        .transform_filter("isValid(datum.value)")
        .transform_calculate(pp="100 * datum.value", tip="datum.background + '\\n' + " + told)
    )
    x = alt.X("pp:Q").axis(look.points_axis()).scale(zero=True, nice=False, padding=12)
    y = look.row_position(rows)
    known = means.transform_filter("isValid(datum.value)")
    return [
        look.row_lines("effect_rows", rows),
        look.zero_line(),
        known.transform_filter("isValid(datum.lower)")
        .transform_calculate(pp="datum.low")
        .mark_rule(color=INK, opacity=0.5, strokeWidth=1)
        .encode(x=x, x2="high:Q", y=y),
        changes.mark_tick(color=ACCENT, thickness=1.5, size=9, opacity=0.8).encode(x=x, y=y, tooltip="tip:N"),
        known.mark_point(filled=True, color=ACCENT, size=70, opacity=1).encode(x=x, y=y, tooltip="tip:N"),
        means.transform_filter("!isValid(datum.value)")
        .mark_text(text="undefined", align="left", x=2, fontStyle="italic")
        .encode(y=y),
        known.transform_calculate(words=look.number("datum.pp"))
        .mark_text(align="right", x=alt.ExprRef("width + 58"))
        .encode(y=y, text="words:N"),
        *look.row_labels("effect_rows", rows),
        *look.legend("effect_legend"),
    ]


def _caption(view: View, declared: Json) -> str:
    found = view.record["effects"][declared["id"]]
    parts = [
        "Each row is a cell: the options of all coordinates but the contract. "
        "A dot is the effect there, the mean over backgrounds."
    ]
    if view.interval_words:
        parts.append(f"Thin grey lines are {view.interval_words}s of the dots.")
    if found["partial_cells"]:
        cells = counted(len(found["partial_cells"]), "cell")
        parts.append(f"{cells} held in part and left out: {listed(found['partial_cells'])}.")
    return " ".join(parts)


def _alt(means: Sequence[Row], words: str) -> str:
    told = [f"{printable(one['cell'])} {_told(one)}" for one in means[:12]]
    more = f"; and {len(means) - 12} more cells, in the table" if len(means) > 12 else ""
    return f"Effect {words}, in percentage points: {'; '.join(told)}{more}."


def _told(one: Row) -> str:
    if one["value"] is None:
        return "undefined"
    if one["lower"] is None:
        return signed_points(one["value"])
    value, lower, upper = (signed_points(one[column]) for column in ("value", "lower", "upper"))
    return f"{value}, sampling interval {lower} to {upper}"
