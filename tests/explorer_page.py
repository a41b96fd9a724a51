"""A bare page around the explorer: its controls, its charts and the scripts, without the rest of a report."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import multiverse as mv
from multiverse.report.charts import charts
from multiverse.report.drawing import bundle, compiled
from multiverse.report.page_data import controls, page_data, page_script, script_json
from report_results import results_of

Json = dict[str, Any]
ROOT = Path(__file__).resolve().parent.parent
FIGURE = """\
{% macro figure(chart) %}
<figure class="chart" data-chart="{{ chart.name }}"><figcaption><strong>{{ chart.title }}.</strong> {{ chart.caption }}
</figcaption><div class="drawing" role="img" aria-label="{{ chart.alt }}" style="height: {{ chart.height }}px"></div>
</figure>
{% endmacro %}"""
PAGE = """\
<!doctype html><html lang="en"><meta charset="utf-8"><title>explorer</title><body>
{% from "macros.html.j2" import figure %}{% include "explore.html.j2" %}
{% for chart in charts.values() if chart.kind in ("families", "ranks", "pairs") %}{{ figure(chart) }}{% endfor %}
<script type="application/json" id="data">{{ data }}</script>
<script type="application/json" id="vega">{{ vega }}</script>
<script>{{ program }}</script></body></html>"""


def write_page(found: mv.Audit, path: Path) -> Path:
    """The explorer of an audit as a page of its own."""
    results = results_of(found)
    drawn = charts(results)
    vega = {
        name: {"vega": compiled(one), "kind": one.kind, "population": one.population, "of": one.of}
        for name, one in drawn.items()
    }
    return _write(path, page_data(results), drawn, vega)


def write_answers(data: Json, path: Path) -> Path:
    """The explorer of a page's data without its charts."""
    words = dict.fromkeys(("title", "caption", "alt", "kind"), "") | {"height": 1}
    empty = {name: SimpleNamespace(name=name, **words) for name in ("curve", "matrix")}
    return _write(path, data, empty, {})


def _write(path: Path, data: Json, drawn: Mapping[str, Any], vega: Json) -> Path:
    templates = FileSystemLoader(ROOT / "multiverse" / "report" / "templates")
    loader = ChoiceLoader([DictLoader({"macros.html.j2": FIGURE, "page": PAGE}), templates])
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    text = environment.get_template("page").render(
        charts=drawn,
        controls=controls(data),
        data=Markup(script_json(data)),
        vega=Markup(script_json(vega)),
        program=Markup(f"{bundle()}\n{page_script()}"),
    )
    path.write_text(text, encoding="utf-8")
    return path
