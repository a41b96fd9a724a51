"""Nested families as a strip: the identified set of a quantity in each."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import altair as alt
import polars as pl

from multiverse.errors import printable
from multiverse.report.charts import look
from multiverse.report.charts.chart import ChartSpec
from multiverse.report.charts.curve import margin_points
from multiverse.report.charts.effects import effect_words
from multiverse.report.charts.look import ACCENT, Layout, Row
from multiverse.report.charts.view import Json, View
from multiverse.report.charts.words import counted, signed_points

PINNED = "pinned"  # the family that a reader's choices leave, in the page
_STEP = 36  # pixels; a row
_Found = Mapping[str, Sequence[Fraction | None]]  # the values of each family, one a specification or cell


def margin_families(view: View, a: str, b: str, name: str) -> ChartSpec:
    """The identified sets of a pair's margin over the nested families."""
    values = {point.spec: point.exact for point in margin_points(view, a, b)}
    found = {family: [values.get(spec) for spec in specs] for family, specs in view.families.items()}
    return _strip(view, found, printable(f"{a} \u2212 {b}"), name=name)


def effect_families(view: View, declared: Json, name: str) -> ChartSpec:
    """The identified sets of an effect over the nested families, each over the cells that it holds whole."""
    table = view.tables["effects"].filter((pl.col("effect") == declared["id"]) & pl.col("background").is_null())
    values = {
        cell: None if exact is None else Fraction(exact) for cell, exact in table.select("cell", "exact").iter_rows()
    }
    needed = _cell_specs(view, declared["id"])
    found = {
        family: [value for cell, value in values.items() if needed[cell] <= set(specs)]
        for family, specs in view.families.items()
    }
    return _strip(view, found, f"effect {effect_words(declared)}", name=name, of=declared["id"])


def _cell_specs(view: View, effect: str) -> dict[str, set[str]]:
    """The specifications that a whole cell of an effect needs."""
    found: dict[str, set[str]] = {}
    table = view.tables["cells"].filter(pl.col("effect") == effect).select("cell", "from_spec", "to_spec")
    for cell, one, other in table.iter_rows():
        found.setdefault(cell, set()).update((one, other))
    return found


def family_rows(found: _Found) -> list[Row]:
    """The records of the strip's data: the distinct values of each family, its ends marked."""
    return [row for family, values in found.items() for row in _set_rows(family, values)]


def _set_rows(family: str, values: Iterable[Fraction | None]) -> list[Row]:
    counts = sorted(Counter(value for value in values if value is not None).items())
    ends = {0: "min", len(counts) - 1: "max"}
    return [
        {"family": family, "value": float(value), "exact": str(value), "specs": specs, "end": ends.get(i, "inner")}
        for i, (value, specs) in enumerate(counts)
    ]


def _strip(view: View, found: _Found, quantity: str, *, name: str, of: str = "") -> ChartSpec:
    labels = _labels(view, pinned=not of)
    layout = Layout(plot=len(labels) * _STEP, top=30, bottom=42, left=150)
    datasets = {"families": family_rows(found), "families_rows": labels}
    layers = _layers(len(labels), "cell" if of else "specification")
    return ChartSpec(
        name=name,
        kind="families",
        population=view.name,
        of=of,
        title=f"Identified sets of {quantity}",
        caption="Each row is a family of specifications; a larger family has no smaller identified set. "
        "A thick bar runs from the least value to the greatest, and each mark is one value of the set. "
        "This is specification variation alone.",
        alt=_alt(view, found, quantity),
        layout=layout,
        vega_lite=look.drawn(layers, layout, datasets, {"quantity": f"{quantity}, {look.POINTS}"}),
    )


def _labels(view: View, *, pinned: bool) -> list[Row]:
    rows = [
        {
            "key": family,
            "label": printable(family),
            "tip": f"{printable(family)}: {counted(len(specs), 'specification')}",
        }
        for family, specs in view.families.items()
    ]
    if pinned:
        rows.append({"key": PINNED, "label": "", "tip": ""})
    return [{"row": i, "heading": row["key"] == PINNED} | row for i, row in enumerate(rows)]


def _layers(rows: int, place: str) -> list[alt.Chart]:
    values = (
        alt.Chart(look.data("families"))
        .transform_lookup("family", alt.LookupData(look.data("families_rows"), "key", ["row"]))
        .transform_calculate(
            pp="100 * datum.value",
            tip=f"datum.exact + ' = ' + {look.told('100 * datum.value')} + '\\nat ' + datum.specs"
            f" + (datum.specs == 1 ? ' {place}' : ' {place}s')",
        )
    )
    whole = values.transform_aggregate(
        least="min(pp)", greatest="max(pp)", values="count()", groupby=["row", "family"]
    ).transform_calculate(
        words=f"datum.values == 1 ? 'one value: ' + {look.number('datum.least')}"
        f" : datum.values + ' values: ' + {look.number('datum.least')} + ' to ' + {look.number('datum.greatest')}",
        above="datum.row - 0.3",
        middle="(datum.least + datum.greatest) / 2",
    )
    x = alt.X("pp:Q").axis(look.points_axis()).scale(zero=True, nice=False, padding=12)
    y = look.row_position(rows)
    right = "scale('x', datum.middle) > width / 2"
    words = whole.mark_text(
        align=alt.ExprRef(f"{right} ? 'right' : 'left'"),
        x=alt.ExprRef(f"scale('x', {right} ? datum.greatest : datum.least)"),
        dx=alt.ExprRef(f"{right} ? -3 : 3"),
        fontSize=10,
    )
    return [
        look.row_lines("families_rows", rows),
        look.zero_line(),
        whole.transform_calculate(pp="datum.least")
        .mark_rule(color=ACCENT, strokeWidth=7, opacity=0.4)
        .encode(x=x, x2="greatest:Q", y=y),
        values.mark_point(filled=True, color=ACCENT, size=42, opacity=1).encode(x=x, y=y, tooltip="tip:N"),
        words.encode(y=look.row_position(rows, "above"), text="words:N"),
        *look.row_labels("families_rows", rows),
        *_told_rows(rows),
        alt.Chart(look.ONE).mark_text(
            text=alt.ExprRef("quantity"),
            x=alt.ExprRef("-left + 4"),
            y=-16,
            align="left",
            limit=alt.ExprRef("outer - 8"),
        ),
    ]


def _told_rows(rows: int) -> list[alt.Chart]:
    """Words in the row of what a reader pinned, once there is something, and in those of families without a value."""
    drawn = alt.LookupData(look.data("families"), "family", ["exact"])
    known = alt.Chart(look.data("families_rows")).transform_lookup("key", drawn).encode(y=look.row_position(rows))
    pinned = known.transform_filter(f"datum.key == '{PINNED}' && isValid(datum.exact)")
    empty = known.transform_filter(f"datum.key != '{PINNED}' && !isValid(datum.exact)")
    return [
        pinned.mark_text(text="as pinned", align="right", x=-10, fontWeight="bold"),
        empty.mark_text(text="no value", align="left", x=4, fontStyle="italic"),
    ]


def _alt(view: View, found: _Found, quantity: str) -> str:
    told = [
        f"{printable(family)}, {counted(len(view.families[family]), 'specification')}: {_told(values)}"
        for family, values in found.items()
    ]
    return f"{quantity}, by family, in percentage points: {'; '.join(told)}."


def _told(values: Sequence[Fraction | None]) -> str:
    undefined = sum(value is None for value in values)
    also = f", undefined at {undefined:,}" if undefined else ""
    distinct = sorted({value for value in values if value is not None})
    if not distinct:
        return "no value" + also
    if len(distinct) == 1:
        return f"{'one value, ' if undefined else 'identified at '}{signed_points(distinct[0])}{also}"
    return f"{len(distinct):,} values from {signed_points(distinct[0])} to {signed_points(distinct[-1])}{also}"
