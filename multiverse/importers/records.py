"""Outcomes gathered one at a time into the tables of a study, none dropped and none turned into a zero."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import polars as pl

from multiverse.errors import quoted
from multiverse.exact import exact_text, shortest_decimal
from multiverse.importers.sources import as_number, clean, refuse

ANSWERED = "answered"
_KEYS = ("row_id", "cluster_id", "stratum", "method", "epoch", "status")
_LONGEST = 200  # characters of an attribute: longer ones are texts to read, not attributes to test
Score = int | float | Fraction | None


class Scale(NamedTuple):
    """How a score column was brought into [0, 1]: the harness's number is low + scale * level."""

    low: Fraction = Fraction(0)
    scale: Fraction = Fraction(1)

    @property
    def words(self) -> str:
        """A level as the harness's number x gives it."""
        moved = "x" if not self.low else f"(x {'-' if self.low > 0 else '+'} {abs(self.low)})"
        span = f"({self.scale})" if self.scale.denominator > 1 else f"{self.scale}"
        return moved if self.scale == 1 else f"{moved} / {span}"


class Outcome(NamedTuple):
    """One score, or the want of one."""

    scores: Mapping[str, Score]  # by score column
    epoch: int = 1
    variant: str = ""
    status: str = ANSWERED
    remark: str | None = None
    task: str = ""


class Gathered(NamedTuple):
    """The tables of a log, and what was seen while gathering them."""

    rows: pl.DataFrame
    outcomes: pl.DataFrame
    scales: dict[str, Scale]  # by score column
    states: dict[str, int]  # how many records are in each state, `missing` by pairs without one
    remarks: dict[str, int]  # of those remarks that are no state: their records were scored as any other
    values: dict[str, frozenset[Score]]  # the distinct scores of answered records, by column
    repeats: int  # the most records of one row, method and variant
    notes: tuple[str, ...]


class Records:
    """Rows with attributes and the outcomes on them, column by column.

    A *variant* is one of several scores of the same answer (a scorer, a filter). A *remark* says how an answer that was
    scored came about (a limit was hit, nothing could be extracted); where all answers with a remark score 0 it becomes
    their state, so that a disposition can speak of it, and otherwise a reading can leave them out.
    """

    def __init__(self, scores: Sequence[str], *, variant: str | None = None, tasks: bool = False) -> None:
        self._rows: dict[str, dict[str, Any]] = {}
        self._conflicts: Counter[str] = Counter()
        self._left_out: set[str] = set()
        self._unread: list[object] = []  # scores that are no numbers
        self._variant, self._tasks = variant, tasks
        self._columns: dict[str, list[Any]] = {
            name: [] for name in ("row_id", "method", "epoch", "variant", "status", "remark", "task")
        }
        self._scores: dict[str, list[Score]] = {name: [] for name in scores}

    def row(self, row: str, attributes: Mapping[str, Any]) -> None:
        """A row and what is known of it; where two logs disagree, the first is kept and the difference noted."""
        known = self._rows.setdefault(row, {})
        for name, value in attributes.items():
            column = f"{name}_" if name in _KEYS else clean(name)
            if column in self._left_out:
                continue
            kept, plain = attribute(value)
            if not kept:
                self._left_out.add(column)
            elif column not in known:
                known[column] = plain
            elif known[column] != plain:
                self._conflicts[column] += 1

    def key(self, row: str, name: str, value: object) -> None:
        """The cluster_id or stratum of a row."""
        self._rows[row][name] = clean(value)

    def add(self, row: str, method: str, outcome: Outcome) -> None:
        """One outcome. An answered one has all scores; NaN, infinities and what is no number are none."""
        given = {name: outcome.scores.get(name) for name in self._scores}
        values = {name: _finite(value) for name, value in given.items()}
        self._unread += [v for v in given.values() if v is not None and not isinstance(v, float) and _finite(v) is None]
        status = outcome.status
        if status == ANSWERED and any(value is None for value in values.values()):
            status = "unscored"
        self._rows.setdefault(row, {})
        told = (row, method, outcome.epoch, outcome.variant, status, outcome.remark, outcome.task)
        for column, value in zip(self._columns.values(), told, strict=True):
            column.append(value)
        for name, scores in self._scores.items():
            scores.append(values[name])

    def gathered(self, where: object, variants: Sequence[str] = ()) -> Gathered:
        """The tables; `variants` in their order. A record twice is a fault."""
        if not self._columns["row_id"]:
            refuse(where, "no sample in the log", "at least one")
        repeats = self._check_once(where)
        answered = [status == ANSWERED for status in self._columns["status"]]
        scaled = {name: in_unit(name, values, answered) for name, values in self._scores.items()}
        self._settle({name: scale for name, (_, scale, _) in scaled.items()})
        frame = pl.DataFrame([*self._key_columns(variants), *(series for series, _, _ in scaled.values())])
        rows = self._row_frame()
        return Gathered(
            rows=rows,
            outcomes=frame,
            scales={name: scale for name, (_, scale, _) in scaled.items()},
            states=self._states(frame, rows),
            remarks=self._remarks(),
            values={name: distinct for name, (_, _, distinct) in scaled.items()},
            repeats=repeats,
            notes=tuple(self._notes()),
        )

    def _check_once(self, where: object) -> int:
        """The most records of one row, method and variant; two with the same epoch are a fault."""
        names = ("row_id", "method", "variant", "epoch")
        keys = pl.DataFrame([pl.Series(name, self._columns[name]) for name in names])
        twice = keys.filter(keys.is_duplicated()).unique(maintain_order=True)
        if twice.height:
            row, method, variant, epoch = twice.row(0)
            of = f", {variant}" if variant else ""
            more = f" ({twice.height - 1} more)" if twice.height > 1 else ""
            refuse(
                where, f"sample {quoted(row)} of {quoted(method)}, epoch {epoch}{of}, twice or more{more}", "each once"
            )
        return int(keys.group_by("row_id", "method", "variant").len()["len"].max() or 0)  # type: ignore[arg-type]

    def _settle(self, scales: Mapping[str, Scale]) -> None:
        """Make a remark the state of its records where every one of them scores 0."""
        if any(scale.low for scale in scales.values()):
            return
        status, remark = self._columns["status"], self._columns["remark"]
        told = [i for i, label in enumerate(remark) if label is not None and status[i] == ANSWERED]
        earning = {remark[i] for i in told if any(values[i] != 0 for values in self._scores.values())}
        for i in told:
            if remark[i] not in earning:
                status[i] = remark[i]

    def _remarks(self) -> dict[str, int]:
        status, remark = self._columns["status"], self._columns["remark"]
        told = Counter(r for s, r in zip(status, remark, strict=True) if r is not None and s == ANSWERED)
        return dict(sorted(told.items()))

    def _states(self, frame: pl.DataFrame, rows: pl.DataFrame) -> dict[str, int]:
        states = Counter(self._columns["status"])
        expected = rows.height * frame["method"].n_unique()
        held = frame.select("row_id", "method").unique().height
        if expected > held:
            states["missing"] = expected - held
        return dict(sorted(states.items()))

    def _key_columns(self, variants: Sequence[str]) -> list[pl.Series]:
        """The columns before the scores; records of several variants are numbered on, variant by variant."""
        columns = self._columns
        frame = [pl.Series(name, columns[name], dtype=pl.String) for name in ("row_id", "method")]
        if len(variants) > 1:
            position, epochs = {name: i for i, name in enumerate(variants)}, columns["epoch"]
            most = max(epochs) - min(epochs) + 1
            numbered = [position[name] * most + epoch for name, epoch in zip(columns["variant"], epochs, strict=True)]
            frame += [pl.Series("epoch", numbered, dtype=pl.Int64)]
            frame += [pl.Series("log_epoch", columns["epoch"], dtype=pl.Int64)]
        else:
            frame += [pl.Series("epoch", columns["epoch"], dtype=pl.Int64)]
        frame += [pl.Series("status", columns["status"], dtype=pl.String)]
        if self._variant is not None and len(variants) > 1:
            frame += [pl.Series(self._variant, columns["variant"], dtype=pl.String)]
        if any(label is not None for label in columns["remark"]):
            frame += [pl.Series("remark", columns["remark"], dtype=pl.String)]
        return frame + ([pl.Series("task", columns["task"], dtype=pl.String)] if self._tasks else [])

    def _row_frame(self) -> pl.DataFrame:
        names = dict.fromkeys(name for attributes in self._rows.values() for name in attributes)
        kept = [name for name in names if name not in self._left_out]
        kept.sort(key=lambda name: _KEYS.index(name) if name in _KEYS else len(_KEYS))
        columns = [_attribute(name, [attributes.get(name) for attributes in self._rows.values()]) for name in kept]
        return pl.DataFrame([pl.Series("row_id", list(self._rows), dtype=pl.String), *columns])

    def _notes(self) -> Iterable[str]:
        for column, count in sorted(self._conflicts.items()):
            yield f"attribute {quoted(column)} differs between logs {count} times: the first value is kept"
        if self._unread:
            shown = f"{len(self._unread):,}, such as {quoted(clean(self._unread[0]))}"
            yield f"scores that are no number a double can hold, and stand as none: {shown}"
        if self._left_out:
            names = ", ".join(map(quoted, sorted(self._left_out)))
            yield f"left out of the attributes of rows, as nested or long text: {names}"


def attribute(value: object) -> tuple[bool, Any]:
    """Whether a value can be an attribute, and its form in a table."""
    if isinstance(value, str):
        return len(value) <= _LONGEST, clean(value)
    if isinstance(value, float):
        return True, value if math.isfinite(value) else None
    return value is None or isinstance(value, bool | int), value


def _finite(value: Score) -> Score:
    return value if isinstance(value, Fraction) else as_number(value)


def _attribute(name: str, values: Sequence[Any]) -> pl.Series:
    """A column of one type: text where values are of several, or beyond 64 bits."""
    kinds = {type(value) for value in values} - {type(None)}
    wide = any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in values) if int in kinds else False
    if kinds == {int, float} and not wide:
        return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)
    if len(kinds) > 1 or wide:
        return pl.Series(name, [None if value is None else clean(value) for value in values], dtype=pl.String)
    return pl.Series(name, values, dtype=pl.String if not kinds else None)


def in_unit(name: str, values: Sequence[Score], answered: Sequence[bool]) -> tuple[pl.Series, Scale, frozenset[Score]]:
    """A score column in [0, 1]: as it is, or exact and scaled where the harness's scores go beyond."""
    counted = frozenset(value for value, held in zip(values, answered, strict=True) if held)
    known = [value for value in counted if value is not None]
    scale = scale_of(known)
    if scale == Scale() and not any(isinstance(value, Fraction) for value in known):
        inside = [float(v) if v is not None and 0 <= v <= 1 else None for v in values]
        return pl.Series(name, inside, dtype=pl.Float64), scale, counted
    told = {value: exact_text((_fraction(value) - scale.low) / scale.scale) for value in known}
    return (
        pl.Series(name, [None if value is None else told.get(value) for value in values], dtype=pl.String),
        scale,
        counted,
    )


def scale_of(scores: Iterable[Score]) -> Scale:
    """The narrowest scale from 0 to 1, or beyond, that holds all scores; NaN and infinities are none."""
    known = [_fraction(value) for value in map(_finite, scores) if value is not None]
    low, high = min(known, default=Fraction(0)), max(known, default=Fraction(1))
    start = min(Fraction(0), low)
    return Scale(start, max(Fraction(1), high) - start)


def _fraction(value: int | float | Fraction) -> Fraction:
    return shortest_decimal(value) if isinstance(value, float) else Fraction(value)
