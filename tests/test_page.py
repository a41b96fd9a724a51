"""Text that a template shows: escaped for Markdown, and visible."""

import pytest

from multiverse.report.page import escaped, prose


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bm25_x", r"bm25\_x"),
        ("<b>*a*</b>", r"\<b\>\*a\*\</b\>"),
        ("[x](javascript:alert`1`)", r"\[x\]\(javascript\:alert\`1\`\)"),
        ("a|b\\", r"a\|b\\"),
        ("http://x.y", r"http\://x.y"),
        ("a\nb\u202e", r"a\\nb\\u202e"),
    ],
)
def test_markdown_shows_text_as_it_is(text: str, expected: str) -> None:
    assert escaped(text) == expected


def test_running_text_is_one_line_in_which_nothing_hides() -> None:
    assert prose(" a\n  b\u202e ") == "a b\\u202e"
