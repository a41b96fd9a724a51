"""What a log of a harness holds, whatever its format: tables, the choices it leaves open, the numbers it reports."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import polars as pl

from multiverse.specification import CoordinateName

Plain: TypeAlias = "str | int | Fraction | bool | list[Plain] | dict[str, Plain] | None"


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """An answer to a choice that a log leaves open, as the coordinate's file declares it."""

    id: str
    rationale: str
    fields: Mapping[str, Plain]  # the keys of the option but its id and rationale
    harness: bool = False  # whether it is the harness's own


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """A coordinate of the study: what the log leaves open on it, and the options; one of them is the harness's."""

    coordinate: CoordinateName
    comment: str
    options: tuple[Option, ...]
    beside: Mapping[str, Plain] = field(default_factory=dict)  # further keys of the coordinate's file

    @property
    def harness(self) -> str:
        """The id of the harness's own option."""
        return next(option.id for option in self.options if option.harness)


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedFamily:
    """A family beside those of every study: what holds for a reader who has settled a choice."""

    name: str
    chosen: Mapping[CoordinateName, tuple[str, ...]]  # all options of a coordinate that is left out
    rationale: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Headline:
    """A number that the log itself reports, and the specification that has to give it."""

    name: str  # as the log has it
    method: str
    value: float
    population: str
    chosen: Mapping[CoordinateName, str]  # where not the harness's option
    low: Fraction = Fraction(0)  # the number is low + scale * level
    scale: Fraction = Fraction(1)
    digits: int | None = None  # to which the harness rounds it; None: a double
    caveat: str = ""  # why it may differ


@dataclass(frozen=True, kw_only=True, slots=True)
class Log:
    """All that a study is written from."""

    harness: str  # its name, and its versions
    title: str
    rows: pl.DataFrame  # row_id, optional cluster_id and stratum, attributes
    outcomes: pl.DataFrame  # row_id, method, epoch, status, score columns, attributes
    choices: tuple[Choice, ...]  # in the order of coordinates; a disposition is among them
    populations: Mapping[str, Plain]  # predicates over rows, the first of which holds them all
    headlines: tuple[Headline, ...]
    notes: tuple[str, ...]  # what a reader of the study should know of the log
    license: str  # the inference that the families are to allow
    aggregation: str = "row_mean"  # where it is no choice
    has_rule: bool = True  # whether a harness made the scores by a rule of its own; a table has none
    families: tuple[NamedFamily, ...] = ()
    audited: tuple[str, ...] = ()  # those that family `audit` unites; none: it is every combination
    reporter: str = "the log"  # whose numbers the headlines are

    @property
    def harness_options(self) -> dict[CoordinateName, str]:
        """The harness's own option of each choice."""
        return {choice.coordinate: choice.harness for choice in self.choices}
