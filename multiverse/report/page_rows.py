"""The rows behind a point of the page: those that contribute most, exactly, and all others in one line."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from multiverse.exact import exact_text

MOST_ROWS = 5

Line = list[Any]  # [row or null for all others, contribution or null, reasons, scores a from, a to, b from, b to]


def cell_rows(audited: pl.DataFrame, backgrounds: int) -> dict[str, list[Line]]:
    """By cell of one effect, the rows that contribute most to it over its backgrounds, and all others in one line.

    A contribution is the row's share of the mean over backgrounds: those of a cell sum to the effect, exactly.
    """
    return {str(cell): _largest(own, backgrounds) for (cell,), own in audited.group_by("cell", maintain_order=True)}


def _largest(own: pl.DataFrame, backgrounds: int) -> list[Line]:
    if own["contribution"].null_count():
        return []
    sums: dict[str | None, Fraction] = {}
    reasons: dict[str | None, dict[str, None]] = {}
    for row, contribution, reason in own.select("row_id", "contribution", "reason").iter_rows():
        sums[row] = sums.get(row, Fraction(0)) + Fraction(contribution) / backgrounds
        reasons.setdefault(row, {})[reason] = None
    named = sorted((row for row in sums if row is not None), key=lambda row: (-abs(sums[row]), row))[:MOST_ROWS]
    lines: list[Line] = [[row, exact_text(sums[row]), ", ".join(reasons[row])] for row in named]
    others = [row for row in sums if row not in named]
    if others:
        total = sum((sums[row] for row in others), Fraction(0))
        lines.append([None, exact_text(total), ", ".join(dict.fromkeys(r for row in others for r in reasons[row]))])
    return lines


def driving_rows(
    drivers: pl.DataFrame, methods: Sequence[str], position: Mapping[str, int]
) -> dict[str, dict[str, list[Line]]]:
    """By pair and specification, the rows that contribute most to the change from the first specification."""
    place = {method: i for i, method in enumerate(methods)}
    found: dict[str, dict[str, list[Line]]] = {}
    columns = ("a", "b", "spec", "row_id", "contribution", "reason", "a_from", "a_to", "b_from", "b_to")
    for a, b, spec, row, contribution, reason, *scores in drivers.select(columns).iter_rows():
        by_spec = found.setdefault(f"{place[a]},{place[b]}", {})
        line = [row, contribution, reason, *(scores if row is not None else [])]
        by_spec.setdefault(str(position[spec]), []).append(line)
    return found
