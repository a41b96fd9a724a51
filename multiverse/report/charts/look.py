"""How every chart looks: colours that hold on white and on black, fixed margins, row labels and legends."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import altair as alt

Row = dict[str, Any]  # a record of a chart's data: column name to JSON value

OUTER = 720  # pixels; the width of the files, and what a page starts from
INK = "currentColor"  # text, axes, grid and whiskers: black in a file, the page's own colour in the page
PAPER = "var(--chart-paper, white)"  # what lies under the labels that cross a line
ACCENT = "var(--chart-accent, #0072B2)"  # what a page does not set is at least 3:1 on white and on #121212
OPPOSED = "var(--chart-opposed, #D55E00)"
THIRD = "var(--chart-third, #00855F)"
FOURTH = "var(--chart-fourth, #B5548F)"
FIFTH = "var(--chart-fifth, #8A6A00)"
GREY = "var(--chart-grey, #767676)"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
POINTS = "percentage points"

_COLOURS = (ACCENT, OPPOSED, THIRD, FOURTH, FIFTH, GREY)
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_LINE = 18  # pixels; a line of a legend
_ENTRY = 150  # pixels that an entry of a legend asks for
_FEWEST = 2  # entries abreast, however narrow
ONE = alt.NamedData(name="one")  # one empty record, for marks that no data moves
INTERVAL = (  # the words for the sampling interval of a record, where it has one
    "(isValid(datum.lower) && isValid(datum.upper) ? '\\nsampling interval ' + format(100 * datum.lower, '+.2f')"
    " + ' to ' + format(100 * datum.upper, '+.2f') : '')"
)
_SIGNED = "(datum.value > 0 ? '+' : datum.value < 0 ? '\u2212' : '') + format(abs(datum.value), '~g')"


_CONFIG = {  # no frame, no domain, no ticks; few and faint grid lines
    "font": FONT,
    "background": "transparent",
    "aria": False,  # the alternative text says what a chart shows; a thousand labelled marks would not
    "view": {"stroke": None},
    "text": {"color": INK, "fontSize": 11},
    "axis": {
        "domain": False,
        "ticks": False,
        "gridColor": INK,
        "gridOpacity": 0.13,
        "labelColor": INK,
        "labelFontSize": 11,
        "labelOpacity": 0.85,
        "labelPadding": 6,
        "titleColor": INK,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
}


class Look(NamedTuple):
    """A colour and a shape, so that neither has to tell two things apart alone."""

    colour: str
    shape: str


class Entry(NamedTuple):
    """An entry of a legend: what it looks like, and what that means."""

    mark: str  # a shape of Vega, `bar`, `whisker`, `upright` (a whisker), or a character that is drawn as it is
    colour: str
    label: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """The height of a chart's plot and what is kept free around it, in pixels."""

    plot: int  # at least: it gets what a wide legend does not need
    left: int = 176  # at most: of a narrow page no more than 30 percent
    right: int = 16
    top: int = 8
    bottom: int = 40
    legend: int = 0  # entries, in as many lines as the width asks for

    @property
    def height(self) -> int:
        """The whole height, with room for the legend of a narrow page."""
        return self.top + _LINE * -(-self.legend // _FEWEST) + self.plot + self.bottom


def look(position: int) -> Look:
    """The look of the n-th of a few things that stand beside one another, as families do."""
    turn = position // len(_COLOURS)
    return Look(_COLOURS[position % len(_COLOURS)], _SHAPES[(position + turn) % len(_SHAPES)])


def drawn(
    layers: Iterable[alt.Chart],
    layout: Layout,
    datasets: Mapping[str, Sequence[Row]],
    parameters: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The Vega-Lite specification of layers over one plot; `parameters` are texts that a page may set anew."""
    size = {"width": OUTER - layout.left - layout.right, "height": layout.plot}
    lines = f" + {_LINE} * ceil({layout.legend} / columns)" if layout.legend else ""
    signals = {
        "columns": f"max({_FEWEST}, floor(outer / {_ENTRY}))",
        "left": f"round(min({layout.left}, outer * 0.3))",
        "right": str(layout.right),
        "top": f"{layout.top}{lines}",
        "bottom": str(layout.bottom),
    }
    texts = [alt.param(name=name, value=text) for name, text in (parameters or {}).items()]
    outer = alt.param(name="outer", value=OUTER)
    layout_signals = [alt.param(name=name, expr=expression) for name, expression in signals.items()]
    spec = (
        alt.layer(*layers, autosize="none", **size).add_params(outer, *layout_signals, *texts).to_dict(validate=False)
    )
    return {
        **spec,
        "config": _CONFIG,
        "datasets": {"one": [{}]} | {name: list(rows) for name, rows in datasets.items()},
    }


def data(name: str) -> alt.NamedData:
    """The data set of that name, which a page may replace."""
    return alt.NamedData(name=name)


def row_scale(rows: int) -> alt.Scale:
    """The scale of numbered rows, the first on top."""
    return alt.Scale(domain=[-0.5, rows - 0.5], reverse=True, nice=False, zero=False)


def row_position(rows: int, field: str = "row") -> alt.Y:
    """The vertical place of numbered rows."""
    return alt.Y(f"{field}:Q").scale(row_scale(rows)).axis(None)


def row_labels(name: str, rows: int) -> list[alt.Chart]:
    """The labels left of the plot, cut where there is no room, and headings over its whole width.

    The whole label is in the tooltip.
    """
    chart = alt.Chart(data(name)).encode(y=row_position(rows), text="label:N", tooltip="tip:N")
    headings = chart.transform_filter("datum.heading")
    return [
        chart.transform_filter("!datum.heading").mark_text(align="right", x=-10, limit=alt.ExprRef("left - 12")),
        headings.mark_text(align="left", x=alt.ExprRef("4 - left"), limit=alt.ExprRef("outer - 8"), fontWeight="bold"),
    ]


def row_lines(name: str, rows: int) -> alt.Chart:
    """A faint line through each row that is no heading."""
    chart = alt.Chart(data(name)).transform_filter("!datum.heading")
    lines: alt.Chart = chart.mark_rule(color=INK, opacity=0.1).encode(y=row_position(rows))
    return lines


def points_axis(title: str | None = POINTS, ticks: str = "width / 70") -> alt.Axis:
    """An axis of signed percentage points, with about so many ticks."""
    return alt.Axis(title=title, grid=True, labelExpr=_SIGNED, tickCount=alt.ExprRef(f"clamp(floor({ticks}), 2, 9)"))


def counts_axis(title: str) -> alt.Axis:
    """An axis of whole numbers."""
    whole = "datum.value == floor(datum.value)"
    return alt.Axis(
        title=title,
        grid=True,
        gridOpacity=alt.condition(whole, alt.value(0.13), alt.value(0)),
        labelExpr=f"{whole} ? format(datum.value, ',d') : ''",
        tickCount=alt.ExprRef("clamp(floor(width / 60), 2, 8)"),
    )


def number(percent: str) -> str:
    """An expression for a signed number of percentage points as text; an exact zero is a bare 0."""
    return f"({percent} == 0 ? '0' : format({percent}, '+.2f'))"


def told(percent: str) -> str:
    """The same with its unit."""
    return f"{number(percent)} + ' {POINTS}'"


def zero_line(channel: type[alt.X] | type[alt.Y] = alt.X) -> alt.Chart:
    """The line at zero, where signs change."""
    chart = alt.Chart(ONE).mark_rule(color=INK, opacity=0.55)
    crossed: alt.Chart = chart.encode(x=alt.XDatum(0)) if channel is alt.X else chart.encode(y=alt.YDatum(0))
    return crossed


def legend_rows(entries: Sequence[Entry]) -> list[Row]:
    """A data set for `legend`."""
    return [{"i": i, **entry._asdict()} for i, entry in enumerate(entries)]


def legend(name: str) -> list[alt.Chart]:
    """Legend entries over the plot, in columns of one width."""
    placed = (
        alt.Chart(data(name))
        .transform_calculate(
            legend_x="(datum.i % columns) * (outer - 16) / columns - left + 14",
            legend_y=f"floor(datum.i / columns) * {_LINE} - top + 14",
            text_x="datum.legend_x + (length(datum.mark) == 3 && datum.mark != 'bar' ? 15 : 10)",
            line_from="datum.legend_y - 6",
            line_to="datum.legend_y + 6",
            bar_from="datum.legend_x - 7",
            bar_to="datum.legend_x + 7",
        )
        .encode(color=alt.Color("colour:N").scale(None))
    )
    x, y = pixels(alt.X, "legend_x"), pixels(alt.Y, "legend_y")
    shapes = "indexof(['circle', 'square', 'triangle-up', 'triangle-down', 'diamond', 'cross'], datum.mark)"
    shaped = placed.transform_filter(f"{shapes} >= 0").mark_point(filled=True, opacity=1, size=60)
    lettered = placed.transform_filter(f"{shapes} < 0 && datum.mark != 'bar' && length(datum.mark) <= 3").mark_text(
        fontWeight="bold"
    )
    upright = placed.transform_filter("datum.mark == 'upright'").mark_rule(strokeWidth=1, opacity=0.6)
    whisker = placed.transform_filter("datum.mark == 'whisker'").mark_rule(strokeWidth=1, opacity=0.6)
    bar = placed.transform_filter("datum.mark == 'bar'").mark_rule(strokeWidth=8, opacity=0.4)
    words = placed.mark_text(align="left", limit=alt.ExprRef("(outer - 16) / columns - 30"))
    return [
        bar.encode(x=pixels(alt.X, "bar_from"), x2="bar_to:Q", y=y),
        whisker.encode(x=pixels(alt.X, "bar_from"), x2="bar_to:Q", y=y),
        upright.encode(x=x, y=pixels(alt.Y, "line_from"), y2="line_to:Q"),
        shaped.encode(x=x, y=y, shape=alt.Shape("mark:N").scale(None)),
        lettered.encode(x=x, y=y, text="mark:N"),
        words.encode(x=pixels(alt.X, "text_x"), y=y, text="label:N", tooltip="label:N", color=alt.value(INK)),
    ]


def pixels(channel: type[alt.X] | type[alt.Y], field: str) -> Any:  # noqa: ANN401 the channel that was passed
    """A place in pixels from the plot's upper left corner, without a scale."""
    return channel(f"{field}:Q").scale(None).axis(None)
