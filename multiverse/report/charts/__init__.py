"""The charts of a report: every figure of every population, as Vega-Lite with its words."""

from multiverse.report.charts.chart import ChartSpec
from multiverse.report.charts.figures import charts

__all__ = ["ChartSpec", "charts"]
