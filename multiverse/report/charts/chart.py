"""A chart: what it draws, and what it says in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multiverse.report.charts.look import Layout, Row


@dataclass(frozen=True, kw_only=True, slots=True)
class ChartSpec:
    """One chart of one population, as a Vega-Lite specification with its data."""

    name: str  # safe as a file name and an id; its main data set is named `kind`
    kind: str
    population: str
    of: str = ""  # the effect or the decomposition that it shows, where it shows one
    title: str
    caption: str
    alt: str  # what it shows, with its numbers
    layout: Layout
    vega_lite: dict[str, Any]

    @property
    def height(self) -> int:
        """The whole height in pixels, the same at every width."""
        return self.layout.height

    @property
    def datasets(self) -> Mapping[str, Sequence[Row]]:
        """Every data set by its name."""
        found: Mapping[str, Sequence[Row]] = self.vega_lite["datasets"]
        return found

    @property
    def rows(self) -> Sequence[Row]:
        """The records of the main data set, which the page may replace."""
        return self.datasets[self.kind]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the main data set."""
        return tuple(self.rows[0]) if self.rows else ()
