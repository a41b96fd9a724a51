"""Which charts a report has, and what they are called."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from multiverse.report.charts.chart import ChartSpec
from multiverse.report.charts.curve import curve
from multiverse.report.charts.effects import effect
from multiverse.report.charts.families import effect_families, margin_families
from multiverse.report.charts.hasse import hasse
from multiverse.report.charts.matrix import matrix
from multiverse.report.charts.pairs import pairs
from multiverse.report.charts.ranks import ranks
from multiverse.report.charts.supports import supports
from multiverse.report.charts.view import Json, View, views
from multiverse.report.charts.waterfall import waterfall

if TYPE_CHECKING:
    from multiverse.report.results import Results

_SAFE = re.compile(r"[A-Za-z0-9_-]{1,60}", re.ASCII)
_NUMBERED = re.compile(r"(.*-)?[0-9]+", re.ASCII)  # would read as the name of a population's chart


def charts(results: "Results") -> Mapping[str, ChartSpec]:
    """Every chart by its name: of the first population by the plain name, of the n-th with `-n` at the end."""
    found = [chart for view in views(results) for chart in _population_charts(view, results.record["endpoints"])]
    named = {chart.name: chart for chart in found}
    assert len(named) == len(found)
    return named


def _population_charts(view: View, endpoints: Json) -> Iterator[ChartSpec]:
    end = "" if view.number == 1 else f"-{view.number}"
    effects, decompositions = endpoints["effects"], endpoints["decompositions"]
    pair = first_pair(view.record["ranking"]["pairs"], effects)
    if pair is not None:
        yield curve(view, *pair, f"curve{end}")
        yield matrix(view, *pair, f"matrix{end}")
    for one, name in zip(effects, safe_names(effects), strict=True):
        yield effect(view, one, f"effect-{name}{end}")
        yield effect_families(view, one, f"families-{name}{end}")
    if pair is not None:
        yield margin_families(view, *pair, f"families{end}")
    yield ranks(view, f"ranks{end}")
    if pair is not None:
        yield pairs(view, f"pairs{end}")
        yield hasse(view, f"hasse{end}")
    for one, name in zip(decompositions, safe_names(decompositions), strict=True):
        yield waterfall(view, one, f"waterfall-{name}{end}")
    yield supports(view, f"supports{end}")


def first_pair(pairs: Sequence[Json], effects: Sequence[Json]) -> tuple[str, str] | None:
    """The pair shown first: that of the first effect, or the first reversal, weak or other pair of the record."""
    if effects:
        a, b = effects[0]["pair"]
        return a, b
    ordered = sorted(pairs, key=lambda pair: {"reversal": 0, "weak": 1}.get(pair["relation"], 2))
    return (ordered[0]["a"], ordered[0]["b"]) if ordered else None


def safe_names(declared: Sequence[Json]) -> list[str]:
    """A part of a file name for each: its id where that is plain, otherwise `no.` and its number, as no id is."""
    plain = {one["id"] for one in declared if _SAFE.fullmatch(one["id"]) and not _NUMBERED.fullmatch(one["id"])}
    lowered = [name.lower() for name in plain]
    return [
        one["id"] if one["id"] in plain and lowered.count(one["id"].lower()) == 1 else f"no.{i}"
        for i, one in enumerate(declared, 1)
    ]
