"""The explorer of large studies: below the budget, right, and open about what it leaves out."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from explorer_page import write_answers
from large_results import METHODS, large_results
from multiverse.report.page_data import page_data
from multiverse.summary import points

MINUS = "\N{MINUS SIGN}"
CHARTS = 1_500_000  # bytes that the charts of a large page may take, beside the explorer


@pytest.mark.parametrize(("side", "scorings", "most"), [(20, 25, 3_000_000), (100, 100, 10_000_000)])
def test_a_page_keeps_within_its_budget_and_is_right(
    chromium: Browser, tmp_path: Path, side: int, scorings: int, most: int
) -> None:
    results, levels = large_results(side, scorings)
    data = page_data(results)
    path = write_answers(data, tmp_path / "page.html")
    assert path.stat().st_size + CHARTS < most
    page = chromium.new_page()
    page.goto(path.as_uri())
    page.select_option("#explore-a", label=METHODS[22])
    page.select_option("#explore-b", label=METHODS[23])
    page.select_option("[data-pin='1']", label="s3")
    margins = [row[22] - row[23] for row in levels[3::scorings]]
    low, high = (points(end, signed=True).replace("-", MINUS) for end in (min(margins), max(margins)))
    total = f"{side * scorings:,}"
    assert page.inner_text("#explore-specs") == f"{side} of {total} specifications"
    assert page.inner_text("#explore-set") == (f"not identified: {len(set(margins))} values, from {low} to {high} pp")
    wins = {method for row in levels[3::scorings] for method, level in enumerate(row) if level == max(row)}
    told = ", ".join(METHODS[method] for method in sorted(wins))
    assert page.inner_text("#explore-ranking").endswith(f"can win: {told}")
    embedded = 24_000 // (side * scorings)
    left_out = (
        "not in this page: the sampling intervals of this margin; "
        f"it has room for those of {embedded} of 276 pairs, and tables/margins.parquet has all"
    )
    assert page.inner_text("#explore-notes") == left_out
    page.click("#explore-reset")
    drawn = page.inner_text("#explore-notes")
    if side * scorings > 600:
        assert drawn.startswith("drawn: 6")
        assert drawn.endswith(
            f"of {total} specifications, spread evenly over their order; all numbers are of all {total}"
        )
    else:
        assert drawn == ""
    orders = len({tuple(sum(other > level for other in row) for level in row) for row in levels})
    assert orders > 200
    assert page.inner_text("#explore-ranking").startswith(
        f"{orders:,} weak orders; tau-b is not computed here over more than 200 of them, "
        "record.json has it over the whole family; can win: "
    )
    page.focus("#explore-at")
    page.keyboard.press("End")
    title = page.inner_text("#explore-point-title")
    assert page.inner_text("#explore-rows-words") == (
        "The rows behind it are not in this page, which has them for few margins of a large family: "
        f"multiverse compare gives those that move the margin from d0/s0 to {title}."
    )
    page.close()
