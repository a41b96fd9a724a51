"""One population of an audit as the charts read it: its record, its tables, and what the study declares."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

if TYPE_CHECKING:
    from multiverse.report.results import Results

Json = dict[str, Any]
_MOST_DRAWN = 600  # specifications; more would overlap, and a page of them would be slow


class Option(NamedTuple):
    """A declared option that the family uses."""

    coordinate: str
    id: str
    factors: Mapping[str, str] | None  # of a contract: the level of each factor


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """What charts read of one population; the number counts populations from 1, in declared order."""

    name: str
    number: int
    family: str
    record: Json
    tables: Mapping[str, pl.DataFrame]  # this population's records alone, where a table has populations
    specs: tuple[str, ...]
    coordinates: tuple[str, ...]
    families: Mapping[str, tuple[str, ...]]  # those inside the reported one with their specifications, it comes last
    options: tuple[Option, ...]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in code-point order."""
        return tuple(sorted(self.record["ranking"]["rank_sets"]))

    @property
    def innermost(self) -> dict[str, str]:
        """The smallest family that holds each specification."""
        outwards = sorted(self.families.items(), key=lambda item: len(item[1]))
        found: dict[str, str] = {}
        for name, specs in outwards:
            found = dict.fromkeys(specs, name) | found
        return found

    @property
    def interval_words(self) -> str:
        """What a sampling interval is called; nothing where none was computed."""
        level = self.record["uncertainty"].get("level")
        return "" if level is None else f"{100 * level:g}% sampling interval"


def views(results: "Results") -> list[View]:
    """Each population of the results, in declared order."""
    names = results.tables["levels"]["population"].unique(maintain_order=True).to_list()
    return [_view(results, name, number) for number, name in enumerate(names, 1)]


def _view(results: "Results", name: str, number: int) -> View:
    record, tables = results.record, results.tables
    declared = tables["specifications"]
    specs = tuple(record["specs"])
    used = set(declared.filter(pl.col("spec").is_in(specs)).select(record["coordinates"]).unpivot().iter_rows())
    return View(
        name=name,
        number=number,
        family=record["family"],
        record=record["populations"][name],
        tables={key: _of_population(table, name) for key, table in tables.items()},
        specs=specs,
        coordinates=tuple(record["coordinates"]),
        families=nested_families(dict(zip(declared["spec"], declared["families"], strict=True)), record["family"]),
        options=tuple(
            Option(coordinate, option, None if factors is None else json.loads(factors))
            for coordinate, option, factors in tables["options"].select("coordinate", "option", "factors").iter_rows()
            if (coordinate, option) in used
        ),
    )


def _of_population(table: pl.DataFrame, name: str) -> pl.DataFrame:
    return table.filter(pl.col("population") == name) if "population" in table.columns else table


def nested_families(held: Mapping[str, Sequence[str]], reported: str) -> dict[str, tuple[str, ...]]:
    """The families that lie whole inside the reported one, small before large, the reported one last.

    `held`: the families that hold each specification.
    """
    members: dict[str, list[str]] = {}
    for spec, names in held.items():
        for name in names:
            members.setdefault(name, []).append(spec)
    whole = set(members.get(reported, ()))
    inside = {name: tuple(specs) for name, specs in members.items() if set(specs) <= whole and name != reported}
    ordered = dict(sorted(inside.items(), key=lambda item: len(item[1])))
    return {**ordered, reported: tuple(members.get(reported, ()))}


def drawn_positions(values: Sequence[Fraction]) -> list[int]:
    """The positions to draw of sorted values: all up to 600, of more every few, the ends and what is beside zero."""
    count = len(values)
    if count <= _MOST_DRAWN:
        return list(range(count))
    signs = [(value > 0) - (value < 0) for value in values]
    kept = {i * _MOST_DRAWN // count: i for i in range(count - 1, -1, -1)}
    turns = [i for i in range(1, count) if signs[i] != signs[i - 1]]
    return sorted({*kept.values(), 0, count - 1, *turns, *(i - 1 for i in turns)})
