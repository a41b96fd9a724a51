"""One row, and two specifications, in words: aligned tables for a terminal."""

import json
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

import polars as pl

from multiverse.errors import printable
from multiverse.explanation import Answer, Explanation, LegalFamily, ObjectSet
from multiverse.separation import Separation
from multiverse.summary import Line, counted, points

_MOST_ROWS = 12
_WHERE = ("terminal", "reading", "scoring")  # what a line of scores names beside the contract


def explanation_lines(found: Explanation) -> list[Line]:
    """One row under every treatment, for a person at a terminal."""
    inside = ", ".join(found.populations) or "none"
    title = f"{found.declaration.name}: row {found.row}; populations: {inside}"
    lines = [Line(printable(title), "heading"), Line(""), Line("answers", "heading")]
    lines += _table([["reading", "method", "answer"], *_answer_cells(found)])
    lines += [Line(""), Line("what is legal, and what that scores", "heading"), *_table(_score_cells(found))]
    for effect in found.declaration.endpoints.effects:
        words = f"effect {effect.id} on {' - '.join(effect.pair)}, {effect.factor} {effect.from_level} to "
        lines += [Line(""), Line(printable(f"{words}{effect.to_level}, on this row alone"), "heading")]
        lines += _table(_effect_cells(found, effect.id))
    dispositions = " | ".join(option.id for option in found.declaration.coordinates.disposition)
    note = f"Scores are under {dispositions}, and one where all agree; out: not eligible; -: not in use."
    return [*lines, Line(""), Line(printable(note), "note")]


def _table(rows: Sequence[Sequence[str]]) -> list[Line]:
    """Rows as aligned lines, the first a head; a column that is empty below its head is left out."""
    kept = [i for i in range(len(rows[0])) if any(row[i] for row in rows[1:])]
    cells = [[printable(row[i]) for i in kept] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    texts = ["  " + "  ".join(map(str.ljust, row, widths)) for row in cells]
    return [Line(text.rstrip(), "plain" if i else "note") for i, text in enumerate(texts)]


def _answer_cells(found: Explanation) -> Iterable[list[str]]:
    for answer in found.answers:
        yield [answer.reading, answer.method, _answer_words(answer)]


def _answer_words(answer: Answer) -> str:
    if answer.hypotheses:
        return _set_words(answer.hypotheses)
    if not answer.repeats:
        return answer.state
    return ", ".join(
        ("" if repeat.epoch is None else f"{repeat.epoch}: ")
        + (repeat.state if repeat.state != "answered" else _score_words(repeat.scores.items()))
        for repeat in answer.repeats
    )


def _score_words(scores: Iterable[tuple[str, Fraction | None]]) -> str:
    return " ".join(f"{name} {value}" for name, value in scores)


def _set_words(sets: Iterable[ObjectSet]) -> str:
    return ", ".join(f"{one.id} {{{', '.join(one.objects)}}}" for one in sets)


def _legal_words(family: LegalFamily) -> str:
    return _set_words(family.groups) or ("present" if family.present else "empty")


def _score_cells(found: Explanation) -> list[list[str]]:
    """A row per treatment and contract, a column per method."""
    legal = {(family.contract, family.terminal): family for family in found.legal}
    states = {(answer.reading, answer.method): answer.state for answer in found.answers}
    dispositions = [option.id for option in found.declaration.coordinates.disposition]
    methods = list(dict.fromkeys(answer.method for answer in found.answers))
    table = [[*_WHERE, "contract", "legal family", *methods]]
    for choice, records in _grouped(found.scores, [*_WHERE, "contract"]):
        *where, contract = choice
        words = []
        for method in methods:
            own = {record["disposition"]: record for record in records if record["method"] == method}
            told = _agreed([_told(own.get(name), "out") for name in dispositions])
            outcome = _outcome(next(iter(own.values())), states[where[1], method])
            words.append(f"{outcome} {told}".lstrip())
        table.append([*where, contract, _legal_words(legal[contract, where[0]]), *words])
    return table


def _outcome(record: dict[str, Any], state: str) -> str:
    """Whether an answer matched, or why there is none; nothing is matched among scores."""
    if record["matched"] is None:
        return ""
    return state if state != "answered" else "match" if record["matched"] else "no match"


def _told(record: dict[str, Any] | None, none: str) -> str:
    """The number of a record; what is not in use has none."""
    return "-" if record is None else none if record["exact"] is None else record["exact"]


def _agreed(texts: Sequence[str]) -> str:
    """One text where all agree."""
    return texts[0] if len(set(texts)) == 1 else " | ".join(texts)


def _grouped(frame: pl.DataFrame, names: Sequence[str]) -> Iterable[tuple[tuple[str, ...], list[dict[str, Any]]]]:
    """The records of each choice, in order of where a choice first stands; a coordinate without a file is ''."""
    places = {name: _places(frame, name) for name in names}

    def key(record: dict[str, Any]) -> tuple[int, ...]:
        return tuple(places[name][record.get(name, "")] for name in names)

    for _, records in groupby(sorted(frame.iter_rows(named=True), key=key), key=key):
        held = list(records)
        yield tuple(held[0].get(name, "") for name in names), held


def _places(frame: pl.DataFrame, name: str) -> dict[str, int]:
    values = frame[name].unique(maintain_order=True).to_list() if name in frame.columns else [""]
    return {value: i for i, value in enumerate(values)}


def _effect_cells(found: Explanation, effect: str) -> list[list[str]]:
    """A row per treatment, a column per background."""
    own = found.effects.filter(effect=effect)
    dispositions = [option.id for option in found.declaration.coordinates.disposition]
    backgrounds = own["background"].unique(maintain_order=True).to_list()
    table = [[*_WHERE, *map(_background_words, backgrounds)]]
    for choice, records in _grouped(own, _WHERE):
        known = {(record["background"], record["disposition"]): record for record in records}
        cells = [[_told(known.get((text, name)), "undefined") for name in dispositions] for text in backgrounds]
        table.append([*choice, *map(_agreed, cells)])
    return table


def _background_words(text: str) -> str:
    return ", ".join(f"{factor} {level}" for factor, level in json.loads(text).items()) or "effect"


def separation_lines(found: Separation) -> list[Line]:
    """What separates two specifications, for a person at a terminal."""
    lines = [Line(printable(f"{found.declaration.name}: {found.from_spec} to {found.to_spec}"), "heading")]
    alone = found.margins.select("a", "b").unique().height == 1
    for population, margins in found.margins.group_by("population", maintain_order=True):
        lines += [Line(""), Line(printable(f"population {population[0]}"), "heading")]
        for margin in margins.iter_rows(named=True):
            lines += _margin_lines(margin, _of_pair(found.reasons, margin))
            if alone:
                lines += _row_lines(_of_pair(found.rows, margin))
    return [*lines, Line(""), Line("The contributions of a pair sum to the change of its margin, exactly.", "note")]


def _of_pair(frame: pl.DataFrame, margin: dict[str, Any]) -> pl.DataFrame:
    return frame.filter(population=margin["population"], a=margin["a"], b=margin["b"])


def _margin_lines(margin: dict[str, Any], reasons: pl.DataFrame) -> list[Line]:
    before, after, change = (_points(margin[name]) for name in ("from", "to", "change"))
    text = f"  {margin['a']} - {margin['b']}: {before} to {after} pp, a change of {_change(change, margin['change'])}"
    cells = []
    for one in reasons.iter_rows(named=True):
        rows = counted(one["rows"], "row") if one["rows"] else "the others"
        cells.append([_change(_points(one["contribution"]), one["contribution"]), rows, one["reason"]])
    if not cells:
        return [Line(printable(text + "; no row moves"))]
    return [Line(printable(text)), *_indented(_table([["contribution", "rows", "reason"], *cells]))]


def _row_lines(rows: pl.DataFrame) -> list[Line]:
    moved = rows.filter(pl.col("row_id").is_not_null())
    if moved.is_empty():
        return []
    table = [["row", "a", "b", "contribution", "reason of a", "reason of b"]]
    for one in moved.head(_MOST_ROWS).iter_rows(named=True):
        scores = [_score_pair(one["a_from"], one["a_to"]), _score_pair(one["b_from"], one["b_to"])]
        change = _change(_points(one["contribution"]), one["contribution"])
        table.append([one["row_id"], *scores, change, one["a_reason"] or "", one["b_reason"] or ""])
    left = moved.height - _MOST_ROWS
    more = [Line(f"    {counted(left, 'more row')}; --format json has all", "note")] if left > 0 else []
    return [*_indented(_table(table)), *more]


def _score_pair(before: str | None, after: str | None) -> str:
    """A score on both sides, one where it stays."""
    texts = ["out" if text is None else text for text in (before, after)]
    return texts[0] if texts[0] == texts[1] else " to ".join(texts)


def _points(text: str | None) -> str:
    return "undefined" if text is None else points(Fraction(text), signed=True)


def _change(shown: str, text: str | None) -> str:
    """Points with the exact number behind them."""
    return shown if text in (None, "0") else f"{shown} pp ({text})"


def _indented(lines: Iterable[Line]) -> list[Line]:
    return [line._replace(text=f"  {line.text}") for line in lines]
