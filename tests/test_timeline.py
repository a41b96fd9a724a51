"""The history of a study in words: the story of the paper's appendix E on a small study."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from frozen import (
    FAMILIES,
    appendix_e,
    chain,
    files_below,
    frozen,
    masked,
    verified,
    write_explained,
)
from multiverse import verify
from multiverse.cli import main
from multiverse.errors import NotFrozenError
from multiverse.runs import run
from multiverse.timeline import study_timeline, timeline


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


TOLD = """\
0001  TIME  V1 freeze      4 spec files and 3 data files frozen; outcomes: before analysis, custody: third party
0002  TIME  V1 gate        prediction-free NO_GO; enough: 1 cluster of at least 3, NO_GO; scoring stopped and the failed gate preserved
0003  TIME  V2 freeze      4 spec files and 3 data files frozen; outcomes: not stated, custody: not stated; post-hoc motivated, prospectively frozen, in the place of 0001: a gate that can pass
0004  TIME  V2 gate        prediction-free GO; enough: 1 cluster of at least 1, GO
0005  TIME  V2 run         family audit reported over 2 specifications; under 0003, unchanged
0006  TIME  V2 correction  addendum to 0005 (results/0003/audit/report.txt), which is unchanged: global stability is not shown
0007  TIME  V3 freeze      5 spec files and 3 data files frozen; outcomes: not stated, custody: not stated; post-hoc motivated, prospectively frozen, in the place of 0003: retain both, exclude both
0008  TIME  V3 run         family audit reported over 4 specifications; under 0007, unchanged
0009  TIME  V3 run         family asym reported over 2 specifications; under 0007, unchanged
0010  TIME  V3 correction  addendum to 0008, which is unchanged: the report completed
"""  # noqa: E501


def test_the_story_of_appendix_e_is_told_from_its_receipts() -> None:
    appendix_e()
    found = CliRunner().invoke(main, ["timeline", "small"])
    assert (masked(found.output), found.exit_code) == (TOLD, 0)
    assert verified() == (0, [])


def test_what_the_story_wrote_stays_as_it_was_written() -> None:
    """Files of every version, under names that no later one takes."""
    appendix_e()
    for receipt in chain().of_kind("run"):
        folder = Path(receipt.predicate["out"])
        bound = {digest for name, digest in receipt.subjects.items() if name.startswith("results/")}
        assert {verify.sha256(content) for content in files_below(folder).values()} == bound
    folders = {name.rpartition("/tables")[0] for name in chain().bound if "/tables/" in name}
    assert folders == {"results/0003/audit", "results/0007/audit", "results/0007/asym"}


def test_an_exploratory_run_is_told_with_what_had_changed() -> None:
    frozen()
    write_explained(files={"families": FAMILIES + "# 2\n"})
    run("small", family="base", mode="exploratory")
    event = timeline(chain())[1]
    assert (event.stage, event.event) == (
        "V1 run",
        "family base reported over 1 specification; exploratory, with 1 change since the freeze",
    )


def test_a_study_without_receipts_has_no_history() -> None:
    with pytest.raises(NotFrozenError) as caught:
        study_timeline("small")
    assert str(caught.value) == "receipts/small: no receipt\n  expected a study that was frozen"
