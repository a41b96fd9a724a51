"""The order that a family leaves standing, and a drawing of it in layers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from multiverse.report.charts.view import Json


class PartialOrder(NamedTuple):
    """Methods tied everywhere as one node; an edge from each node to those just below it."""

    nodes: tuple[tuple[str, ...], ...]  # in code-point order of their first methods
    edges: tuple[tuple[int, int], ...]  # upper and lower node, without those that others imply


class Layered(NamedTuple):
    """Nodes in layers from the top; negative ones are bends, where an edge passes a layer."""

    layers: tuple[tuple[int, ...], ...]
    links: tuple[tuple[int, int], ...]  # each from one layer to the next


def identified_order(methods: Iterable[str], pairs: Sequence[Json]) -> PartialOrder:
    """The strict order of the pairs that are robust over a family and nowhere undefined, after transitive reduction.

    Where a level is undefined somewhere, the rest of the family need not give its method a consistent place.
    """
    known = [pair for pair in pairs if not pair["signs"]["undefined"]]
    group = {method: {method} for method in methods}
    for pair in known:
        if pair["relation"] == "robust_tie":
            joined = group[pair["a"]] | group[pair["b"]]
            group |= dict.fromkeys(joined, joined)
    nodes = sorted({tuple(sorted(members)) for members in group.values()})
    number = {method: i for i, node in enumerate(nodes) for method in node}
    below: dict[int, set[int]] = {i: set() for i in range(len(nodes))}
    for pair in known:
        if pair["relation"] == "robust_strict":
            a, b = number[pair["a"]], number[pair["b"]]
            upper, lower = (a, b) if pair["signs"]["plus"] else (b, a)
            below[upper].add(lower)
    edges = [
        (upper, lower)
        for upper, lowers in below.items()
        for lower in sorted(lowers)
        if not any(lower in below[between] for between in lowers)
    ]
    return PartialOrder(tuple(nodes), tuple(sorted(edges)))


def layered(order: PartialOrder) -> Layered:
    """The nodes that have edges, by their longest way down from a top, a layer's in an order that crosses few edges."""
    depth = _depths(order.edges)
    links: list[tuple[int, int]] = []
    for upper, lower in order.edges:
        chain = [upper]
        for level in range(depth[upper] + 1, depth[lower]):
            bend = -1 - len(depth)
            depth[bend] = level
            chain.append(bend)
        links += zip(chain, [*chain[1:], lower], strict=True)
    layers = [[node for node in depth if depth[node] == level] for level in range(max(depth.values(), default=-1) + 1)]
    above = {node: [one for one, other in links if other == node] for node in depth}
    below = {node: [other for one, other in links if one == node] for node in depth}
    for _ in range(4):
        layers = _swept(layers, above)
        layers = _swept(layers[::-1], below)[::-1]
    return Layered(tuple(map(tuple, layers)), tuple(links))


def _depths(edges: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The length of the longest way to each node that has an edge from one without any above it."""
    parents: dict[int, list[int]] = {node: [] for edge in sorted(edges) for node in edge}
    for upper, lower in edges:
        parents[lower].append(upper)
    depth: dict[int, int] = {}
    while len(depth) < len(parents):
        ready = [node for node in parents if node not in depth and all(parent in depth for parent in parents[node])]
        assert ready  # a strict order has no circle
        depth |= {node: 1 + max((depth[parent] for parent in parents[node]), default=-1) for node in ready}
    return dict(sorted(depth.items()))


def _swept(layers: Sequence[Sequence[int]], neighbours: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """Each layer by the mean place of its neighbours in the layer before it; places run from 0 to 1."""
    place: dict[int, float] = {}
    found = []
    for layer in layers:
        middle = {
            node: sum(place[other] for other in neighbours[node]) / len(neighbours[node])
            if neighbours[node]
            else (k + 0.5) / len(layer)
            for k, node in enumerate(layer)
        }
        ordered = sorted(layer, key=lambda node: (round(middle[node], 9), node))
        place |= {node: (k + 0.5) / len(ordered) for k, node in enumerate(ordered)}
        found.append(ordered)
    return found
