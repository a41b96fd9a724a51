"""The rows behind a point: the largest by name, all others in one line, nothing lost."""

from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest

import multiverse as mv
from multiverse.report.page_data import page_data
from multiverse.report.page_rows import MOST_ROWS, cell_rows, driving_rows
from report_results import results_of

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("study", ["quickstart", "elephant"])
def test_the_rows_of_a_cell_sum_to_its_effect(study: str) -> None:
    data = page_data(results_of(mv.audit(ROOT / "specs" / study, family="audit")))
    cells = [cell for one in data["populations"] for effect in one["effects"] for cell in effect["cells"]]
    assert {len(cell["rows"]) > MOST_ROWS + 1 for cell in cells} == {False}
    assert [sum(Fraction(line[1]) for line in cell["rows"]) for cell in cells] == [
        Fraction(cell["exact"]) for cell in cells
    ]


def test_rows_are_summed_over_backgrounds_and_the_largest_are_named() -> None:
    lines: list[tuple[str | None, ...]] = [
        ("r", "b1", name, f"{(-1) ** i * (i + 1)}/10", "support_lost") for i, name in enumerate("abcdefg")
    ]
    lines += [("r", "b2", "a", "3", "family_collapsed"), ("r", "b2", None, "1/5", "reweighted")]
    table = pl.DataFrame(lines, schema=["cell", "background", "row_id", "contribution", "reason"], orient="row")
    assert cell_rows(table, 2) == {
        "r": [
            ["a", "31/20", "support_lost, family_collapsed"],
            ["g", "7/20", "support_lost"],
            ["f", "-3/10", "support_lost"],
            ["e", "1/4", "support_lost"],
            ["d", "-1/5", "support_lost"],
            [None, "3/20", "support_lost, reweighted"],
        ]
    }


def test_an_undefined_effect_has_no_rows() -> None:
    table = pl.DataFrame(
        [("r", "b", "a", None, "support_lost")],
        schema={name: pl.String() for name in ("cell", "background", "row_id", "contribution", "reason")},
        orient="row",
    )
    assert cell_rows(table, 1) == {"r": []}


def test_drivers_are_keyed_by_positions() -> None:
    columns = ["a", "b", "spec", "row_id", "contribution", "reason", "a_from", "a_to", "b_from", "b_to"]
    table = pl.DataFrame(
        [
            ("x", "y", "s1", "r7", "1/3", "support_lost", "1", None, "0", "0"),
            ("x", "y", "s1", None, "-1/6", "reweighted", None, None, None, None),
        ],
        schema={name: pl.String() for name in columns},
        orient="row",
    )
    assert driving_rows(table, ["w", "x", "y"], {"s0": 0, "s1": 1}) == {
        "1,2": {
            "1": [["r7", "1/3", "support_lost", "1", None, "0", "0"], [None, "-1/6", "reweighted"]],
        }
    }


@pytest.mark.parametrize("study", ["quickstart", "elephant"])
def test_the_drivers_of_a_margin_sum_to_its_change_from_the_first_specification(study: str) -> None:
    found = mv.audit(ROOT / "specs" / study, family="audit")
    data = page_data(results_of(found))
    margins = {
        (population, spec, data["methods"].index(a), data["methods"].index(b)): Fraction(exact)
        for population, spec, a, b, exact in found.margins.select("population", "spec", "a", "b", "exact").rows()
    }
    ids, told = [spec.id for spec in found.family.specs], 0
    for one in data["populations"]:
        for pair, by_spec in one["drivers"].items():
            a, b = map(int, pair.split(","))
            for spec, lines in by_spec.items():
                told += 1
                change = margins[one["name"], ids[int(spec)], a, b] - margins[one["name"], ids[0], a, b]
                assert sum(Fraction(line[1]) for line in lines) == change
    assert told > 0
