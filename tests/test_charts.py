"""The charts of a report: rows against the record, words in full, and shapes that hold for few and for many."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import multiverse as mv
from multiverse.report.charts import ChartSpec, charts
from multiverse.report.charts.curve import curve, curve_rows, margin_points
from multiverse.report.charts.effects import cell_rows
from multiverse.report.charts.families import family_rows
from multiverse.report.charts.figures import first_pair, safe_names
from multiverse.report.charts.hasse import hasse, placed
from multiverse.report.charts.look import look
from multiverse.report.charts.matrix import factorial, matrix, matrix_rows, option_rows
from multiverse.report.charts.pairs import pairs
from multiverse.report.charts.partial_order import PartialOrder, identified_order, layered
from multiverse.report.charts.ranks import method_order, rank_rows, rank_words, ranks
from multiverse.report.charts.supports import alike_methods, supports
from multiverse.report.charts.view import Option, View, drawn_positions, nested_families, views
from multiverse.report.charts.waterfall import alike_cells, waterfall_rows
from multiverse.report.charts.words import counted, listed, signed_points
from report_results import results_of

ROOT = Path(__file__).resolve().parent.parent
Json = dict[str, Any]


@pytest.fixture(scope="module")
def results() -> Any:  # noqa: ANN401 - it stands for Results
    return results_of(mv.audit(ROOT / "specs" / "quickstart", family="audit"))


@pytest.fixture(scope="module")
def drawn(results: Any) -> Mapping[str, ChartSpec]:  # noqa: ANN401
    return charts(results)


@pytest.fixture(scope="module")
def view(results: Any) -> View:  # noqa: ANN401
    return views(results)[0]


def pair(a: str, b: str, relation: str | None, plus: int = 0, minus: int = 0, undefined: int = 0) -> Json:
    signs = {"plus": plus, "zero": 0, "minus": minus, "undefined": undefined}
    return {"a": a, "b": b, "relation": relation, "signs": signs}


def margins(values: Mapping[str, str | None]) -> pl.DataFrame:
    """Margins of a - b by specification, each with an interval of 1/10 to either side."""
    rows = [
        {
            "spec": spec,
            "a": "a",
            "b": "b",
            "exact": exact,
            "lower": None if exact is None else float(Fraction(exact)) - 0.1,
            "upper": None if exact is None else float(Fraction(exact)) + 0.1,
        }
        for spec, exact in values.items()
    ]
    return pl.DataFrame(rows)


def test_every_population_has_every_chart(drawn: Mapping[str, ChartSpec]) -> None:
    names = [
        "curve",
        "matrix",
        "effect-adoption",
        "families-adoption",
        "families",
        "ranks",
        "pairs",
        "hasse",
        "supports",
    ]
    assert list(drawn) == names + [f"{name}-2" for name in names]
    assert {chart.population for name, chart in drawn.items() if name.endswith("-2")} == {"trace_a1"}


def test_the_words_of_charts_have_the_numbers_of_the_record(drawn: Mapping[str, ChartSpec]) -> None:
    """Ranges, verdicts and winners are those of the tutorial."""
    zeros = "; ".join(
        f"{policy}/{terminal} 0"
        for policy in ("baseline", "conservative", "conditional")
        for terminal in ("keep_both", "exclude_both")
    )
    margin = "6 values from \u221235.00 to +10.00"
    assert {name: chart.alt for name, chart in drawn.items() if not name.endswith("-2")} == {
        "curve": "pagerank \u2212 earliest over 36 specifications: from \u221235.00 percentage points at "
        "R0A1/baseline/asym to +10.00 at R0A0/conservative/asym; below zero at 18, zero at 0, above zero at 18.",
        "matrix": "Which of the options each specification takes; options by coordinate: "
        "contract 4, disposition 3, terminal 3.",
        "effect-adoption": "Effect adoption on pagerank \u2212 earliest, A from 0 to 1, in percentage points: "
        "baseline/asym \u221235.00; conservative/asym \u221235.00; conditional/asym \u221235.00; " + zeros + ".",
        "families-adoption": "effect adoption on pagerank \u2212 earliest, A from 0 to 1, by family, "
        "in percentage points: "
        "asym, 12 specifications: identified at \u221235.00; cc, 24 specifications: identified at 0; "
        "audit, 36 specifications: 2 values from \u221235.00 to 0.",
        "families": "pagerank \u2212 earliest, by family, in percentage points: "
        f"asym, 12 specifications: {margin}; cc, 24 specifications: {margin}; audit, 36 specifications: {margin}.",
        "ranks": "Ranks over 36 specifications: mini 1, 2; earliest 1 to 3; pagerank 1 to 3. "
        "Can rank first: earliest, mini, pagerank.",
        "pairs": "3 pairs: 3 reversal. Reversals: earliest against mini (above at 6, below at 18); "
        "earliest against pagerank (above at 18, below at 18); mini against pagerank (above at 20, below at 12).",
        "hasse": "No lines: 3 boxes, none ordered with another: earliest, mini, pagerank.",
        "supports": "Rows that count, of 12: earliest, mini, pagerank 11 to 12.",
    }


def test_margins_are_sorted_and_the_undefined_left_out(view: View) -> None:
    table = margins({"s1": "1/3", "s2": None, "s3": "-1/2", "s4": "0", "s5": "1/3"})
    found = margin_points(replace(view, tables={**view.tables, "margins": table}), "a", "b")
    assert [(one.spec, one.exact) for one in found] == [
        ("s3", Fraction(-1, 2)),
        ("s4", Fraction(0)),
        ("s1", Fraction(1, 3)),
        ("s5", Fraction(1, 3)),
    ]


def test_a_pair_read_the_other_way_turns_margins_and_intervals(view: View) -> None:
    table = margins({"s1": "1/4", "s2": "-1/2"})
    found = margin_points(replace(view, tables={**view.tables, "margins": table}), "b", "a")
    assert [(one.spec, str(one.exact)) for one in found] == [("s1", "-1/4"), ("s2", "1/2")]
    assert found[0].lower == pytest.approx(-0.35)
    assert found[0].upper == pytest.approx(-0.15)


def test_the_curve_has_the_margins_of_the_record(drawn: Mapping[str, ChartSpec], results: Any) -> None:  # noqa: ANN401
    rows = drawn["curve"].rows
    table = results.tables["margins"].filter((pl.col("population") == "everything") & (pl.col("b") == "pagerank"))
    recorded = dict(table.filter(pl.col("a") == "earliest").select("spec", "exact").iter_rows())
    assert {row["spec"]: Fraction(row["exact"]) for row in rows} == {
        spec: -Fraction(exact) for spec, exact in recorded.items()
    }
    assert [row["position"] for row in rows] == list(range(36))
    assert [row["value"] for row in rows] == sorted(row["value"] for row in rows)
    assert {row["family"] for row in rows} == {"asym", "cc"}
    assert drawn["curve"].columns == ("position", "spec", "value", "exact", "lower", "upper", "family", "selected")


def test_many_specifications_are_thinned_but_not_the_ends_nor_what_is_beside_zero() -> None:
    assert drawn_positions([Fraction(i) for i in range(600)]) == list(range(600))
    found = drawn_positions([Fraction(i - 4321) for i in range(10_000)])
    assert {0, 4320, 4321, 4322, 9999} <= set(found)
    assert 600 <= len(found) <= 605
    assert found == sorted(set(found))


def test_a_curve_says_what_it_leaves_out(view: View) -> None:
    values = {f"s{i}": None if i == 0 else f"{i}/1000" for i in range(700)}
    many = replace(
        view,
        tables={**view.tables, "margins": margins(values)},
        specs=tuple(values),
        families={"all": tuple(values)},
        record={**view.record, "uncertainty": {"level": 0.95}},
    )
    chart = curve(many, "a", "b", "curve")
    assert chart.caption == (
        "Each mark is a \u2212 b at one specification, least first; its shape and colour tell the smallest family. "
        "Thin grey lines are 95% sampling intervals: where the margin might lie had other rows been drawn. "
        "It is undefined at 1 specification: no mark there. "
        "600 of 699 specifications are drawn: every few, the ends, and those beside zero."
    )


def test_a_margin_that_is_nowhere_defined_is_said_to_be(view: View) -> None:
    chart = curve(replace(view, tables={**view.tables, "margins": margins({"s1": None})}), "a", "b", "curve")
    assert (chart.rows, chart.columns) == ([], ())
    assert chart.alt == "a \u2212 b is undefined at every specification."


def test_families_inside_the_reported_one_nest_small_to_large() -> None:
    held = {"s1": ["all", "one"], "s2": ["all", "two", "loose"], "s3": ["all", "two"], "s4": ["loose"]}
    assert nested_families(held, "all") == {"one": ("s1",), "two": ("s2", "s3"), "all": ("s1", "s2", "s3")}


def test_each_specification_is_told_by_its_smallest_family(view: View) -> None:
    nested = replace(view, families={"one": ("s1",), "two": ("s1", "s2"), "all": ("s1", "s2", "s3")})
    assert nested.innermost == {"s1": "one", "s2": "two", "s3": "all"}


def test_contracts_that_factors_make_are_shown_by_their_levels(view: View) -> None:
    found = option_rows(view)
    assert [row["label"] for row in found.labels] == [
        *("contract", "R 0", "R 1", "A 0", "A 1"),
        *("disposition", "baseline", "conservative", "conditional"),
        *("terminal", "asym", "keep_both", "exclude_both"),
    ]
    assert [row["label"] for row in found.labels if row["heading"]] == ["contract", "disposition", "terminal"]
    marks = {row["key"]: row["rows"] for row in found.options}
    assert marks["contract/R0A1"] == [1, 4]
    assert marks["terminal/exclude_both"] == [12]


def test_coordinates_that_do_not_vary_are_told_in_the_caption(view: View) -> None:
    less = [option for option in view.options if option.coordinate != "terminal" or option.id == "asym"]
    chart = matrix(replace(view, options=tuple(less)), "pagerank", "earliest", "matrix")
    assert [row["label"] for row in chart.datasets["matrix_rows"] if row["heading"]] == ["contract", "disposition"]
    expected = "Under each mark of the curve, a bar for each option of its specification. The same everywhere: "
    assert chart.caption == expected + "terminal asym."


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ([{"R": "0", "A": "0"}, {"R": "0", "A": "1"}, {"R": "1", "A": "0"}, {"R": "1", "A": "1"}], True),
        ([{"R": "0", "A": "0"}, {"R": "1", "A": "1"}], False),  # four levels for two contracts
        ([{"A": "0"}, {"A": "1"}], False),  # one factor says no more than the contract
        ([{"R": "0", "A": "0"}, {"R": "0", "A": "1"}, {"R": "1", "A": "0"}, None], False),
        ([None, None], False),
    ],
)
def test_levels_are_shown_only_where_they_say_more(levels: list[dict[str, str] | None], *, expected: bool) -> None:
    assert factorial([Option("contract", str(i), one) for i, one in enumerate(levels)]) is expected


def test_the_matrix_has_the_options_of_each_specification_in_the_order_of_the_curve(view: View) -> None:
    points = margin_points(view, "pagerank", "earliest")
    rows = matrix_rows(view, points)
    assert len(rows) == 36 * 3
    assert rows[:3] == [
        {"position": 0, "spec": "R0A1/baseline/asym", "coordinate": "contract", "option": "R0A1"},
        {"position": 0, "spec": "R0A1/baseline/asym", "coordinate": "disposition", "option": "baseline"},
        {"position": 0, "spec": "R0A1/baseline/asym", "coordinate": "terminal", "option": "asym"},
    ]
    curved = curve_rows(points, view.innermost)
    assert [row["spec"] for row in curved] == [row["spec"] for row in rows[::3]]


def test_cells_stand_under_a_heading_of_their_other_options(view: View) -> None:
    cells = ["wrong/asym/first/micro", "wrong/keep/first/micro", "drop/asym/first/macro"]
    rows = cell_rows(
        replace(view, coordinates=("contract", "disposition", "terminal", "reading", "aggregation")),
        pl.DataFrame({"cell": cells}),
    )
    assert [(row["label"], row["heading"]) for row in rows] == [
        ("wrong / micro", True),
        ("asym", False),
        ("keep", False),
        ("drop / macro", True),
        ("asym", False),
    ]
    assert [row["key"] for row in rows if not row["heading"]] == cells


def test_options_that_all_cells_share_are_not_repeated(view: View) -> None:
    one = replace(view, coordinates=("contract", "disposition", "terminal"))
    rows = cell_rows(one, pl.DataFrame({"cell": ["wrong/asym", "drop/asym"]}))
    assert [(row["label"], row["key"], row["heading"]) for row in rows] == [
        ("wrong", "wrong/asym", False),
        ("drop", "drop/asym", False),
    ]
    assert [row["label"] for row in cell_rows(one, pl.DataFrame({"cell": ["wrong/asym"]}))] == ["wrong"]


def test_a_strip_has_each_value_once_and_marks_the_ends() -> None:
    values = [Fraction(1, 2), None, Fraction(0), Fraction(1, 2), Fraction(1, 4)]
    rows = family_rows({"some": values, "one": [Fraction(1, 3)], "none": [None]})
    assert [(row["family"], row["exact"], row["specs"], row["end"]) for row in rows] == [
        ("some", "0", 1, "min"),
        ("some", "1/4", 1, "inner"),
        ("some", "1/2", 2, "max"),
        ("one", "1/3", 1, "max"),
    ]


def test_methods_are_ordered_by_their_mean_rank_and_the_unranked_come_last(view: View) -> None:
    ranked: Mapping[str, list[int | None]] = {"a": [3, 3], "b": [1, 2], "c": [1, 1], "d": [None, None]}
    rows = [{"method": method, "rank": rank} for method, both in ranked.items() for rank in both]
    record = {**view.record, "ranking": {"rank_sets": {method: [] for method in "dcba"}}}
    assert method_order(replace(view, tables={"rankings": pl.DataFrame(rows)}, record=record)) == ["c", "b", "a", "d"]


def test_ranks_count_every_specification_that_has_a_ranking(view: View) -> None:
    totals: dict[str, int] = {}
    for row in rank_rows(view):
        totals[row["method"]] = totals.get(row["method"], 0) + row["specs"]
    ranked = len(view.specs) - len(view.record["ranking"]["undefined_specs"])
    assert totals == dict.fromkeys(view.methods, ranked)
    assert {row["method"]: (row["best"], row["worst"]) for row in rank_rows(view)} == {
        "mini": (1, 2),
        "earliest": (1, 3),
        "pagerank": (1, 3),
    }


@pytest.mark.parametrize(
    ("found", "expected"), [([], "never ranked"), ([2], "2"), ([1, 2], "1, 2"), ([1, 2, 3], "1 to 3"), ([1, 3], "1, 3")]
)
def test_a_run_of_ranks_is_told_by_its_ends(found: list[int], expected: str) -> None:
    assert rank_words(found) == expected


def test_an_edge_that_others_imply_is_left_out_and_ties_share_a_node() -> None:
    found = [
        pair("a", "b", "robust_strict", plus=2),
        pair("a", "c", "robust_strict", plus=2),
        pair("b", "c", "robust_strict", plus=2),
        pair("c", "d", "robust_tie"),
        pair("a", "d", "robust_strict", plus=2),
        pair("b", "d", "robust_strict", plus=2),
        pair("a", "e", "reversal", plus=1, minus=1),
        pair("d", "e", "robust_strict", minus=2),
    ]
    assert identified_order("abcde", found) == PartialOrder(
        (("a",), ("b",), ("c", "d"), ("e",)), ((0, 1), (1, 2), (3, 2))
    )


def test_pairs_that_are_undefined_somewhere_order_nothing() -> None:
    """Each is above the next where both are defined, in a circle."""
    found = [
        pair("a", "b", "robust_strict", plus=1, undefined=2),
        pair("b", "c", "robust_strict", plus=1, undefined=2),
        pair("a", "c", "robust_strict", minus=1, undefined=2),
    ]
    assert identified_order("abc", found) == PartialOrder((("a",), ("b",), ("c",)), ())


def test_an_edge_over_several_layers_bends_in_each() -> None:
    order = PartialOrder((("a",), ("b",), ("c",), ("d",)), ((0, 1), (1, 2), (3, 2)))
    found = layered(order)
    assert [[node for node in layer if node >= 0] for layer in found.layers] == [[3, 0], [1], [2]]
    assert sorted(found.links) == [(-5, 2), (0, 1), (1, 2), (3, -5)]


@pytest.mark.parametrize("methods", [1, 2, 26])
@pytest.mark.parametrize("relation", ["robust_strict", "reversal", "robust_tie"])
def test_boxes_stay_inside_and_apart(methods: int, relation: str) -> None:
    names = [chr(97 + i) for i in range(methods)]
    both = [
        pair(a, b, relation, plus=1, minus=relation == "reversal") for i, a in enumerate(names) for b in names[i + 1 :]
    ]
    nodes, lines, height = placed(identified_order(names, both))
    assert len(nodes) == (1 if relation == "robust_tie" else methods)
    assert len([line for line in lines if line["down"] < line["end"]]) == len(lines)
    assert all(node["across"] - node["half"] >= 0 and node["across"] + node["half"] <= 1 for node in nodes)
    assert all(11 < node["down"] < height - 11 for node in nodes)
    for i, one in enumerate(nodes):
        for other in nodes[:i]:
            apart = abs(one["across"] - other["across"]) >= one["half"] + other["half"]
            assert apart or abs(one["down"] - other["down"]) >= 22


def test_a_family_that_orders_no_methods_is_said_to(drawn: Mapping[str, ChartSpec]) -> None:
    expected = "The family orders no two methods: every margin is zero or undefined somewhere, or of either sign."
    assert drawn["hasse"].caption == expected


def test_cells_with_the_same_decomposition_stand_together() -> None:
    one = {"effect": "-1/2", "shares": {"x": "-1/2", "y": "0"}, "support_shift": "0"}
    assert alike_cells({"a": one, "b": None, "c": dict(one), "d": None}) == [(["a", "c"], one), (["b", "d"], None)]


def test_a_waterfall_ends_at_the_effect() -> None:
    value = {"effect": "-1/4", "shares": {"x": "-1/2", "y": "1/8"}, "support_shift": "1/8"}
    bars, labels = waterfall_rows([(["a", "b"], value), (["c"], None)], ["x", "y"])
    assert [(bar["step"], bar["start"], bar["end"], bar["exact"]) for bar in bars] == [
        ("x", 0.0, -0.5, "-1/2"),
        ("y", -0.5, -0.375, "1/8"),
        ("support shift", -0.375, -0.25, "1/8"),
        ("effect", 0.0, -0.25, "-1/4"),
    ]
    assert [label["label"] for label in labels] == [
        "a and 1 more",
        "x",
        "y",
        "support shift",
        "effect",
        "c",
        "undefined",
    ]
    assert [labels[bar["row"]]["label"] for bar in bars] == ["x", "y", "support shift", "effect"]


def test_a_class_that_is_named_like_a_step_of_the_waterfall_is_a_class() -> None:
    value = {"effect": "1/4", "shares": {"effect": "1/4", "support shift": "0"}, "support_shift": "0"}
    bars, _ = waterfall_rows([(["a"], value)], ["effect", "support shift"])
    assert [bar["kind"] for bar in bars] == ["class", "class", "shift", "effect"]


def test_methods_that_count_the_same_rows_stand_together(view: View) -> None:
    counts = {"a": [10, 9], "b": [10, 10], "c": [10, 9]}
    rows = [{"method": method, "support": count} for method, both in counts.items() for count in both]
    found = alike_methods(replace(view, tables={"levels": pl.DataFrame(rows)}))
    assert found == [(["a", "c"], (10, 9)), (["b"], (10, 10))]


def test_the_pair_of_the_first_effect_is_shown_first_then_a_reversal() -> None:
    found = [pair("a", "b", "robust_strict"), pair("a", "c", "weak"), pair("b", "c", "reversal")]
    assert first_pair(found, [{"pair": ["c", "a"]}]) == ("c", "a")
    assert first_pair(found, []) == ("b", "c")
    assert first_pair(found[:2], []) == ("a", "c")
    assert first_pair(found[:1], []) == ("a", "b")
    assert first_pair([], []) is None


@pytest.mark.parametrize(
    ("ids", "names"),
    [
        (["adoption", "cause"], ["adoption", "cause"]),
        (["Cause", "cause"], ["no.1", "no.2"]),  # one file on a disk that does not tell capitals apart
        (["../../x", "2", "<b>", "ok"], ["no.1", "no.2", "no.3", "ok"]),
        (["a" * 61], ["no.1"]),
        (["a", "a-2", "a-b2"], ["a", "no.2", "a-b2"]),  # `a-2` is `a` in the second population
    ],
)
def test_files_are_named_by_plain_ids_and_otherwise_by_number(ids: list[str], names: list[str]) -> None:
    assert safe_names([{"id": one} for one in ids]) == names


@pytest.mark.parametrize(
    ("value", "words"),
    [(Fraction(-67, 868), "\u22127.72"), (0, "0"), (Fraction(1, 3), "+33.33"), (Fraction(-1, 10**6), "\u22121.0e-04")],
)
def test_points_are_signed_and_never_rounded_to_zero(value: Fraction, words: str) -> None:
    assert signed_points(value) == words


def test_lists_and_counts_read_as_words() -> None:
    assert listed("abcdefgh", most=6) == "a, b, c, d, e, f and 2 more"
    assert listed(["a\u202eb", "c\nd"]) == "a\\u202eb, c\\nd"
    assert [counted(1, "specification"), counted(2, "box"), counted(1200, "cell")] == [
        "1 specification",
        "2 boxes",
        "1,200 cells",
    ]


def test_looks_of_many_families_differ() -> None:
    assert len({look(i) for i in range(36)}) == 36


def test_one_method_at_one_specification_has_charts(view: View) -> None:
    """No pair, so that only ranks and supports are drawn."""
    single = {"rank_sets": {"m": [1]}, "winners": ["m"], "pairs": [], "undefined_specs": []}
    rankings = pl.DataFrame(
        [{"method": "m", "rank": 1, "lower": None, "upper": None}],
        schema_overrides={"lower": pl.Int64, "upper": pl.Int64},
    )
    one = replace(
        view,
        specs=("s",),
        families={"all": ("s",)},
        record={**view.record, "ranking": single},
        tables={"rankings": rankings, "levels": pl.DataFrame([{"method": "m", "support": 5}])},
    )
    assert ranks(one, "ranks").alt == "Ranks over 1 specification: m 1. Can rank first: m."
    assert supports(one, "supports").alt == "Rows that count, of 12: m 5."
    assert pairs(one, "pairs").alt == "0 pairs: none."
    assert hasse(one, "hasse").alt == "No lines: 1 box, none ordered with another: m."


def test_heights_grow_with_rows(view: View) -> None:
    """One heading and 60 options, against three headings and ten."""
    many = replace(view, options=tuple(Option("terminal", str(i), None) for i in range(60)))
    low, high = (matrix(one, "pagerank", "earliest", "matrix").height for one in (view, many))
    assert high - low == 17 * 48
