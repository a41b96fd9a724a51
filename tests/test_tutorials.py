"""The tutorials are true: their commands print what they show, in an empty folder with the sample logs.

After a change of output, where the folder shared/ lies beside the repository:

    python tests/test_tutorials.py --write
"""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from pages import ELISION, ROOT, elided, outdated, rerun_page

FOLDER = ROOT / "docs" / "tutorials"
SHELL = ("sh", "cat", "ls", "grep", "head")
SAMPLES: Mapping[str, Mapping[str, str]] = {  # by page: what of shared/samples lies where when the page begins
    "alpaca-eval": {"logs": "alpaca_eval/*"},
    "csv": {},
    "helm": {"logs": "helm/benchmark_output/*"},
    "inspect": {"logs": "inspect_ai/logs/*.eval", "later": "inspect_ai/logs/*.json"},
    "lm-eval": {"logs": "lm_eval/out/*"},
    "promptfoo": {"logs": "promptfoo/results.json"},
    "swebench": {"logs": "swebench/*"},
    "trec": {"logs": "trec/*.txt"},
}


def rerun(name: str, shared: Path) -> str:
    """A tutorial with the outputs of its commands as they are now."""

    def fill(folder: Path) -> None:
        for place, pattern in SAMPLES[name].items():
            (folder / place).mkdir()
            for source in sorted((shared / "samples").glob(pattern)):
                copy = shutil.copytree if source.is_dir() else shutil.copyfile
                copy(source, folder / place / source.name)

    return rerun_page(FOLDER / f"{name}.md", fill)


def test_every_tutorial_is_run() -> None:
    assert sorted(page.stem for page in FOLDER.glob("*.md")) == sorted(SAMPLES)


@pytest.mark.skipif(not all(map(shutil.which, SHELL)), reason="the tutorials are for a Unix shell")
@pytest.mark.parametrize("name", SAMPLES)
def test_a_tutorial_shows_what_its_commands_print(name: str, request: pytest.FixtureRequest) -> None:
    shared = request.getfixturevalue("shared") if SAMPLES[name] else Path()
    if changed := outdated(FOLDER / f"{name}.md", rerun(name, shared)):
        told = "`python tests/test_tutorials.py --write` puts in the new output"
        pytest.fail("\n".join([*changed, told]), pytrace=False)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_tutorial_is_short_and_can_be_found(name: str) -> None:
    assert len((FOLDER / f"{name}.md").read_text("utf-8").splitlines()) <= 125
    for page in ("docs/import.md", "docs/tutorial.md"):
        assert f"tutorials/{name}.md" in (ROOT / page).read_text("utf-8")


@pytest.mark.parametrize(
    ("shown", "cut"),
    [
        (["1", "2"], ["a", "b", "c", "d"]),
        (["1", ELISION], ["a", ELISION]),
        ([ELISION, "3"], [ELISION, "d"]),
        (["1", ELISION, "2", "3"], ["a", ELISION, "c", "d"]),
        (["1", "2", ELISION, "3", "4"], ["a", "b", "c", "d"]),
    ],
)
def test_an_output_is_cut_where_the_page_cuts_it(shown: list[str], cut: list[str]) -> None:
    assert list(elided(["a", "b", "c", "d"], shown)) == cut


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python tests/test_tutorials.py --write")
    for name in SAMPLES:
        (FOLDER / f"{name}.md").write_text(rerun(name, ROOT.parent / "shared"), "utf-8")
