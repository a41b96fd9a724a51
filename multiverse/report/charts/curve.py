"""The specification curve of a margin."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import altair as alt
import polars as pl

from multiverse.errors import printable
from multiverse.report.charts import look
from multiverse.report.charts.chart import ChartSpec
from multiverse.report.charts.look import ACCENT, INK, Entry, Layout, Row
from multiverse.report.charts.view import View, drawn_positions
from multiverse.report.charts.words import counted, signed_points

PLACE = (
    alt.X(  # of a specification
        "position:Q"
    )
    .scale(zero=False, nice=False, padding=9)
    .axis(None)
)


class Point(NamedTuple):
    """A margin at one specification."""

    spec: str
    exact: Fraction
    lower: float | None
    upper: float | None


def margin_points(view: View, a: str, b: str) -> list[Point]:
    """The margins a - b that are defined, least first; equal ones in the family's order."""
    turned = a > b
    pair = (b, a) if turned else (a, b)
    table = view.tables["margins"].filter((pl.col("a") == pair[0]) & (pl.col("b") == pair[1]))
    known = table.drop_nulls("exact").select("spec", "exact", "lower", "upper")
    points = [Point(spec, Fraction(exact), lower, upper) for spec, exact, lower, upper in known.iter_rows()]
    return sorted(map(_turned, points) if turned else points, key=lambda point: point.exact)


def _turned(point: Point) -> Point:
    ends = (point.lower, point.upper)
    lower, upper = (None if end is None else 0 - end for end in reversed(ends))
    return Point(point.spec, -point.exact, lower, upper)


def curve_rows(points: Sequence[Point], innermost: dict[str, str]) -> list[Row]:
    """The records of the curve's data: the points that are drawn."""
    return [
        {
            "position": i,
            "spec": points[i].spec,
            "value": float(points[i].exact),
            "exact": str(points[i].exact),
            "lower": points[i].lower,
            "upper": points[i].upper,
            "family": innermost[points[i].spec],
            "selected": False,
        }
        for i in drawn_positions([point.exact for point in points])
    ]


def curve(view: View, a: str, b: str, name: str) -> ChartSpec:
    """Sorted margins of a pair with their sampling intervals, coloured by the innermost family."""
    points = margin_points(view, a, b)
    pair = printable(f"{a} \u2212 {b}")
    families = [
        {"family": family, "label": printable(family), **look.look(i)._asdict()}
        for i, family in enumerate(view.families)
    ]
    known = any(point.lower is not None for point in points)
    entries = _entries(view, families, known=known)
    layout = Layout(plot=220, top=34, bottom=10, legend=len(entries))
    datasets = {
        "curve": curve_rows(points, view.innermost),
        "curve_families": families,
        "curve_legend": look.legend_rows(entries),
    }
    return ChartSpec(
        name=name,
        kind="curve",
        population=view.name,
        title=f"Specification curve of {pair}",
        caption=_caption(view, points, pair, known=known),
        alt=_alt(view, points, pair),
        layout=layout,
        vega_lite=look.drawn(_layers(), layout, datasets, {"quantity": f"{pair}, {look.POINTS}"}),
    )


def _entries(view: View, families: Sequence[Row], *, known: bool) -> list[Entry]:
    used = set(view.innermost.values())
    entries = [Entry(one["shape"], one["colour"], f"in {one['label']}") for one in families if one["family"] in used]
    return entries + ([Entry("upright", INK, view.interval_words)] if known else [])


def _layers() -> list[alt.Chart]:
    points = (
        alt.Chart(look.data("curve"))
        .transform_lookup("family", alt.LookupData(look.data("curve_families"), "family", ["label", "colour", "shape"]))
        .transform_joinaggregate(points="count()")
        .transform_calculate(
            pp="100 * datum.value",
            low="100 * datum.lower",
            high="100 * datum.upper",
            size="clamp(pow(0.9 * width / datum.points, 2), 9, 50)",
            ink=f"datum.colour || '{ACCENT}'",
            form="datum.shape || 'circle'",
            tip=f"datum.spec + '\\n' + datum.exact + ' = ' + {look.told('datum.pp')} + {look.INTERVAL}"
            " + '\\nfamily ' + (datum.label || datum.family)",
        )
    )
    y = alt.Y("pp:Q").axis(look.points_axis(None, "height / 45")).scale(zero=True, nice=False, padding=8)
    drawn = points.encode(
        x=PLACE, y=y, tooltip="tip:N", color=alt.Color("ink:N").scale(None), shape=alt.Shape("form:N").scale(None)
    )
    sized = alt.Size("size:Q").scale(None)
    return [
        look.zero_line(alt.Y),
        points.transform_filter("isValid(datum.lower) && isValid(datum.upper)")
        .transform_calculate(pp="datum.low")
        .mark_rule(color=INK, opacity=0.4, strokeWidth=alt.ExprRef("clamp(0.4 * width / datum.points, 0.3, 1)"))
        .encode(x=PLACE, y=y, y2="high:Q"),
        drawn.mark_point(filled=True, opacity=1).encode(size=sized),
        drawn.transform_filter("datum.selected").mark_point(size=170, strokeWidth=2).encode(color=alt.value(INK)),
        alt.Chart(look.ONE).mark_text(
            text=alt.ExprRef("quantity"),
            x=alt.ExprRef("-left + 4"),
            y=-14,
            align="left",
            limit=alt.ExprRef("outer - 8"),
        ),
        *look.legend("curve_legend"),
    ]


def _caption(view: View, points: Sequence[Point], pair: str, *, known: bool) -> str:
    drawn = len(drawn_positions([point.exact for point in points]))
    undefined = len(view.specs) - len(points)
    parts = [f"Each mark is {pair} at one specification, least first; its shape and colour tell the smallest family."]
    if known:
        parts.append(
            f"Thin grey lines are {view.interval_words}s: where the margin might lie had other rows been drawn."
        )
    if undefined:
        parts.append(f"It is undefined at {counted(undefined, 'specification')}: no mark there.")
    if drawn < len(points):
        parts.append(
            f"{drawn:,} of {len(points):,} specifications are drawn: every few, the ends, and those beside zero."
        )
    return " ".join(parts)


def _alt(view: View, points: Sequence[Point], pair: str) -> str:
    if not points:
        return f"{pair} is undefined at every specification."
    low, high = points[0], next(point for point in points if point.exact == points[-1].exact)
    below = sum(point.exact < 0 for point in points)
    above = sum(point.exact > 0 for point in points)
    return (
        f"{pair} over {counted(len(view.specs), 'specification')}: from {signed_points(low.exact)} percentage points "
        f"at {printable(low.spec)} to {signed_points(high.exact)} at {printable(high.spec)}; "
        f"below zero at {below:,}, zero at {len(points) - below - above:,}, above zero at {above:,}."
    )
