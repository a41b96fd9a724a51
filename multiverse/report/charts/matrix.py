"""The matrix of options under the specification curve."""

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt

from multiverse.errors import printable
from multiverse.report.charts import look
from multiverse.report.charts.chart import ChartSpec
from multiverse.report.charts.curve import PLACE, Point, margin_points
from multiverse.report.charts.look import ACCENT, Layout, Row
from multiverse.report.charts.view import Option, View, drawn_positions
from multiverse.report.charts.words import listed

_STEP = 17  # pixels; a row


class OptionRows(NamedTuple):
    """The rows of the matrix, and which of them each option marks."""

    labels: list[Row]
    options: list[Row]


def matrix(view: View, a: str, b: str, name: str) -> ChartSpec:
    """The options of each specification of the curve, in its order and at its horizontal places."""
    points = margin_points(view, a, b)
    labels, options = option_rows(view)
    layout = Layout(plot=len(labels) * _STEP, top=4, bottom=24)
    datasets = {"matrix": matrix_rows(view, points), "matrix_rows": labels, "matrix_options": options}
    return ChartSpec(
        name=name,
        kind="matrix",
        population=view.name,
        title="Options of the specifications",
        caption=_caption(view),
        alt=_alt(view),
        layout=layout,
        vega_lite=look.drawn(_layers(len(labels)), layout, datasets),
    )


def option_rows(view: View) -> OptionRows:
    """Each coordinate as a heading, with its options under it or, of contracts that factors make, their levels."""
    found = OptionRows([], [])
    for coordinate, options in _shown(view).items():
        _add(found, coordinate, heading=True)
        if factorial(options):
            _add_levels(found, options)
        else:
            for option in options:
                found.options.append(_marks(option, [len(found.labels)]))
                _add(found, option.id)
    return found


def _shown(view: View) -> dict[str, list[Option]]:
    """The options of the coordinates that the family varies, or, where it varies none, of all."""
    found = {name: [option for option in view.options if option.coordinate == name] for name in view.coordinates}
    return {name: options for name, options in found.items() if len(options) > 1} or found


def factorial(options: Sequence[Option]) -> bool:
    """Whether the levels of two factors or more tell the options apart, in no more rows than the options."""
    levels = [option.factors for option in options if option.factors]
    distinct = {tuple(sorted(one.items())) for one in levels}
    rows = {pair for one in levels for pair in one.items()}
    several = all(len(one) > 1 for one in levels)
    return len(distinct) == len(options) and several and len(rows) <= len(options)


def _add_levels(found: OptionRows, options: Sequence[Option]) -> None:
    """A row for each factor level, in the order in which the options first have it."""
    names = list(dict.fromkeys(name for option in options for name in option.factors or {}))
    rows: dict[tuple[str, str], int] = {}
    for name in names:
        for level in dict.fromkeys(option.factors[name] for option in options if option.factors):
            rows[name, level] = len(found.labels)
            _add(found, f"{name} {level}")
    found.options.extend(
        _marks(option, sorted(rows[pair] for pair in (option.factors or {}).items())) for option in options
    )


def _marks(option: Option, rows: Sequence[int]) -> Row:
    return {"key": f"{option.coordinate}/{option.id}", "label": printable(option.id), "rows": list(rows)}


def _add(found: OptionRows, text: str, *, heading: bool = False) -> None:
    label = printable(text)
    found.labels.append({"row": len(found.labels), "label": label, "tip": label, "heading": heading})


def matrix_rows(view: View, points: Sequence[Point]) -> list[Row]:
    """The records of the matrix's data: one for each coordinate of each specification that is drawn."""
    return [
        {"position": i, "spec": points[i].spec, "coordinate": coordinate, "option": option}
        for i in drawn_positions([point.exact for point in points])
        for coordinate, option in zip(view.coordinates, points[i].spec.split("/"), strict=True)
    ]


def _layers(rows: int) -> list[alt.Chart]:
    marks = (
        alt.Chart(look.data("matrix"))
        .transform_joinaggregate(points="distinct(position)")
        .transform_calculate(key="datum.coordinate + '/' + datum.option")
        .transform_lookup("key", alt.LookupData(look.data("matrix_options"), "key", ["rows", "label"]))
        .transform_filter("isValid(datum.rows)")
        .transform_flatten(["rows"], as_=["place"])
        .transform_calculate(
            row="datum.place - 0.34",
            below="datum.row + 0.68",
            tip="datum.coordinate + ' ' + datum.label + '\\n' + datum.spec",
        )
    )
    bars = marks.mark_rule(strokeWidth=alt.ExprRef("clamp(0.7 * width / datum.points, 0.8, 9)"), opacity=1)
    place = {"x": PLACE, "y": look.row_position(rows)}
    return [
        look.row_lines("matrix_rows", rows),
        bars.encode(
            **place,
            y2="below:Q",
            tooltip="tip:N",
            color=alt.condition("datum.selected", alt.value(look.OPPOSED), alt.value(ACCENT)),
        ),
        *look.row_labels("matrix_rows", rows),
        alt.Chart(look.ONE).mark_text(
            text="specifications, least first \u2192", x=0, y=alt.ExprRef("height + 12"), align="left", opacity=0.85
        ),
    ]


def _caption(view: View) -> str:
    shown = _shown(view)
    fixed = [f"{one.coordinate} {one.id}" for one in view.options if one.coordinate not in shown]
    told = f" The same everywhere: {listed(fixed)}." if fixed else ""
    return f"Under each mark of the curve, a bar for each option of its specification.{told}"


def _alt(view: View) -> str:
    counts = [
        f"{coordinate} {sum(option.coordinate == coordinate for option in view.options)}"
        for coordinate in view.coordinates
    ]
    return f"Which of the options each specification takes; options by coordinate: {', '.join(counts)}."
