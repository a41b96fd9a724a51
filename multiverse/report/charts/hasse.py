"""The identified partial order as a Hasse diagram."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from multiverse.errors import printable
from multiverse.report.charts import look
from multiverse.report.charts.chart import ChartSpec
from multiverse.report.charts.look import ACCENT, INK, PAPER, Layout, Row
from multiverse.report.charts.partial_order import PartialOrder, identified_order, layered
from multiverse.report.charts.view import View
from multiverse.report.charts.words import counted, listed

_ABREAST = 3  # nodes of a layer on one line; more stand on two by turns, so that names have room
_BEND = 0.3  # of the room of a box
_ALONE = 4  # nodes without an edge on one line
_LINE, _GAP = 28, 34  # pixels; from line to line, and more between layers
_HALF = 11  # pixels; half the height of a box


def hasse(view: View, name: str) -> ChartSpec:
    """Which methods the family orders, better above worse."""
    order = identified_order(view.methods, view.record["ranking"]["pairs"])
    nodes, lines, height = placed(order)
    layout = Layout(plot=height, left=8, right=8, top=4, bottom=4)
    return ChartSpec(
        name=name,
        kind="hasse",
        population=view.name,
        title="Identified partial order",
        caption=_caption(order),
        alt=_alt(order),
        layout=layout,
        vega_lite=look.drawn(_layers(), layout, {"hasse": nodes, "hasse_edges": lines}),
    )


def placed(order: PartialOrder) -> tuple[list[Row], list[Row], int]:
    """Boxes and lines with their places, across as a share of the width and down in pixels; and the whole height."""
    found = layered(order)
    across = {node: place for layer in found.layers for node, place in _across(layer).items()}
    nodes: list[Row] = []
    upper: dict[int, int] = {}  # where lines reach a node's layer, and where they leave it
    lower: dict[int, int] = {}
    middle: dict[int, int] = {}
    top = 2
    for layer in found.layers:
        boxes = [node for node in layer if node >= 0]
        turns = 1 if len(boxes) <= _ABREAST else 2
        end = top + _LINE * turns
        upper |= dict.fromkeys(layer, top)
        lower |= dict.fromkeys(layer, end)
        middle |= {node: top + _LINE * (k % turns) + _LINE // 2 for k, node in enumerate(boxes)}
        middle |= {node: end for node in layer if node < 0}
        nodes += [_box(order, node, across[node], _half(layer, across, node, turns), middle[node]) for node in boxes]
        top = end + _GAP
    lines = []
    for one, other in found.links:
        lines.append(_line(across[one], across[one], middle[one], lower[one]))
        lines.append(_line(across[one], across[other], lower[one], upper[other]))
        lines.append(_line(across[other], across[other], upper[other], middle[other]))
    alone = sorted(set(range(len(order.nodes))) - across.keys())
    for i, node in enumerate(alone):
        row, column = divmod(i, _ALONE)
        down = top + _LINE * row + _LINE // 2
        nodes.append(_box(order, node, (column + 0.5) / _ALONE, 0.47 / _ALONE, down) | {"alone": True})
    end = top + _LINE * -(-len(alone) // _ALONE) if alone else top - _GAP
    unique = [line for i, line in enumerate(lines) if line["down"] < line["end"] and line not in lines[:i]]
    return nodes, unique, end + 2


def _across(layer: Sequence[int]) -> dict[int, float]:
    """The places of a layer's nodes from 0 to 1; a bend takes less room than a box."""
    weights = [1.0 if node >= 0 else _BEND for node in layer]
    return {node: (sum(weights[:k]) + weights[k] / 2) / sum(weights) for k, node in enumerate(layer)}


def _half(layer: Sequence[int], across: Mapping[int, float], node: int, turns: int) -> float:
    """Half the room of a box: it covers no line of another node, and no box on its line."""
    k = layer.index(node)
    beside = [layer[i] for i in (k - 1, k + 1) if 0 <= i < len(layer)]
    room = [abs(across[other] - across[node]) * (0.47 if other >= 0 and turns == 1 else 0.88) for other in beside]
    return min(across[node], 1 - across[node], *room)


def _box(order: PartialOrder, node: int, across: float, half: float, down: int) -> Row:
    label = " = ".join(map(printable, order.nodes[node]))
    return {"label": label, "across": across, "half": half, "down": down, "alone": False}


def _line(start: float, end: float, top: int, bottom: int) -> Row:
    return {"from": start, "to": end, "down": top, "end": bottom}


def _layers() -> list[alt.Chart]:
    lines = alt.Chart(look.data("hasse_edges")).transform_calculate(x1="datum.from * width", x2="datum.to * width")
    nodes = alt.Chart(look.data("hasse")).transform_calculate(
        x1="datum.across * width",
        pixels="min(datum.half * width - 1, 8 + 3.6 * length(datum.label), 130)",
        edge_left="datum.x1 - datum.pixels",
        edge_right="datum.x1 + datum.pixels",
        upper=f"datum.down - {_HALF}",
        lower=f"datum.down + {_HALF}",
    )
    box = nodes.encode(
        x=look.pixels(alt.X, "edge_left"),
        x2="edge_right:Q",
        y=look.pixels(alt.Y, "upper"),
        y2="lower:Q",
        tooltip="label:N",
    )
    outline: dict[str, Any] = {"fill": PAPER, "stroke": INK, "strokeOpacity": 0.5, "cornerRadius": 4}
    return [
        lines.mark_rule(color=ACCENT, strokeWidth=1.5, strokeCap="round").encode(
            x=look.pixels(alt.X, "x1"), x2="x2:Q", y=look.pixels(alt.Y, "down"), y2="end:Q"
        ),
        box.transform_filter("!datum.alone").mark_rect(**outline),
        box.transform_filter("datum.alone").mark_rect(**outline, strokeDash=[3, 3]),
        nodes.mark_text(limit=alt.ExprRef("2 * datum.pixels - 6")).encode(
            x=look.pixels(alt.X, "x1"), y=look.pixels(alt.Y, "down"), text="label:N", tooltip="label:N"
        ),
    ]


def _caption(order: PartialOrder) -> str:
    if not order.edges:
        return "The family orders no two methods: every margin is zero or undefined somewhere, or of either sign."
    return (
        "A line means that the upper method is above the lower one at every specification of the family; lines that "
        "follow from others are left out. Methods that no way down joins are not ordered by the family; those with a "
        "dashed box are ordered with no other. Methods tied everywhere share a box."
    )


def _alt(order: PartialOrder) -> str:
    names = [" = ".join(map(printable, node)) for node in order.nodes]
    if not order.edges:
        return f"No lines: {counted(len(names), 'box')}, none ordered with another: {listed(names, most=40)}."
    below: dict[int, list[str]] = {}
    for upper, lower in order.edges:
        below.setdefault(upper, []).append(names[lower])
    told = "; ".join(f"{names[upper]} above {', '.join(lowers)}" for upper, lowers in below.items())
    ordered = {node for edge in order.edges for node in edge}
    alone = [name for node, name in enumerate(names) if node not in ordered]
    return f"{told}." + (f" Ordered with no other: {', '.join(alone)}." if alone else "")
