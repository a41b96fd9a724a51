"""The page on the reconstruction shows what runs give."""

from table import PAGE, renewed


def test_the_table_is_that_of_our_runs() -> None:
    """After a change: python tests/known/table.py --write."""
    page = PAGE.read_text("utf-8")
    assert renewed(page) == page
