"""The table of docs/reconstruction.md, made from audits of the studies.

python tests/known/table.py --write
"""

import sys
from collections.abc import Iterator

from audits import ROOT, audited
from figures import ELEPHANT, MATCHED, POOLED, Figure

PAGE = ROOT / "docs" / "reconstruction.md"
BEGIN, END = "<!-- begin: made by `python tests/known/table.py --write` -->\n", "<!-- end -->\n"
PARTS = {
    "`pooled217`: 217 rows of two corpora": POOLED,
    "`elephant`: 138 tasks, 176 traces": ELEPHANT,
    "`matched`: 34 and 35 tasks in two strata": MATCHED,
}


def table() -> str:
    """All figures, published and as our runs give them."""
    return "\n".join(line for title, figures in PARTS.items() for line in _part(title, figures))


def _part(title: str, figures: list[Figure]) -> Iterator[str]:
    yield from (f"\n### {title}\n", "| § | figure | family | published | here | |", "|---|---|---|---|---|---|")
    for figure in figures:
        value = figure.read(audited(figure.study, figure.family))
        verdict = _verdict(figure, value)
        found = [figure.section, figure.what, f"`{figure.family}`", figure.shown, figure.found(value), verdict]
        yield "| " + " | ".join(found) + " |"
    yield ""


def _verdict(figure: Figure, value: object) -> str:
    verdict = figure.verdict(value)
    if verdict == "within":
        return f"within {figure.distance(value):.2f}"
    return f"unmet: {figure.unmet}" if verdict == "unmet" else "match"


def renewed(page: str) -> str:
    """A page with the table made anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table()}\n{END}{after}"


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    PAGE.write_text(renewed(PAGE.read_text("utf-8")), "utf-8")
