"""Of commands that write at once one wins, the others are told so, and the chain has no fork."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from frozen import GO, STUDY, chain, files_below, frozen, names, verified, write_explained
from multiverse.archives import archive
from multiverse.declaration import read_declaration
from multiverse.errors import BusyError
from multiverse.receipts.freezing import freeze
from multiverse.runs import judge, run

GATED = STUDY + GO
BUSY = "another multiverse is writing receipts of small into receipts/small; wait until it has ended"
ALREADY = (
    "small: frozen already by receipts/small/0001-freeze.json\n"
    "  expected an audit under it; or `multiverse amend`, which freezes a successor with a reason"
)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def at_once(*arguments: str) -> list[tuple[int, str]]:
    """How three processes end that start the same command together: exit codes, and what went to stderr."""
    command, pipe = [sys.executable, "-c", "from multiverse.cli import run; run()", *arguments], subprocess.PIPE
    started = [subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) for _ in range(3)]
    said = [one.communicate()[1].strip() for one in started]
    return sorted((one.returncode, words) for one, words in zip(started, said, strict=True))


def leftovers() -> list[str]:
    return [str(path) for path in Path().rglob(".writing-*")]


def test_of_freezes_at_once_one_wins() -> None:
    write_explained()
    first, *others = at_once("freeze", "small")
    assert first == (0, "")
    assert set(others) <= {(1, BUSY), (2, ALREADY)}
    assert (names(), verified(), leftovers()) == (["0001-freeze.json"], (0, []), [])


def test_audits_at_once_are_a_receipt_each_or_told_to_wait() -> None:
    frozen()
    ended = at_once("audit", "small", "--family", "audit")
    assert ended[0] == (0, "")
    assert set(ended) <= {(0, ""), (1, BUSY)}
    assert len(chain().of_kind("run")) == [code for code, _ in ended].count(0)
    assert (verified(), leftovers()) == ((0, []), [])


@pytest.mark.parametrize(
    "act",
    [
        lambda: freeze(read_declaration(Path("specs/small"))),
        lambda: run("small", family="base"),
        lambda: run("small", family="base", mode="exploratory"),
        lambda: judge("small"),
    ],
)
def test_who_comes_while_an_audit_runs_is_told_to_wait(act: Callable[[], object]) -> None:
    frozen(study=GATED)
    refused = []

    def interrupt(step: str) -> None:
        if step == "identifying":
            with pytest.raises(BusyError) as caught:
                act()
            refused.append(str(caught.value))

    run("small", family="audit", progress=interrupt)
    assert (refused, names(), verified()) == ([BUSY], ["0001-freeze.json", "0002-run.json"], (0, []))


def test_an_archive_made_while_an_audit_runs_is_of_the_chain_before_it() -> None:
    frozen()
    run("small", family="audit")
    heads = []

    def interrupt(step: str) -> None:
        if step == "identifying":
            heads.append(archive("small", Path("small.zip")).head)

    run("small", family="audit", progress=interrupt)
    assert (heads, verified(Path("small.zip"))) == ([chain().receipts[1].digest], (0, []))


def test_of_archives_at_once_each_is_whole() -> None:
    frozen()
    whole = Path("whole.zip")
    archive("small", whole)
    refused = []

    def interrupt(step: str) -> None:
        if step == "writing the archive":
            archive("small", Path("small.zip"))
            refused.append(files_below(Path())["small.zip"] == whole.read_bytes())

    archive("small", Path("small.zip"), progress=interrupt)
    assert (refused, Path("small.zip").read_bytes(), leftovers()) == ([True], whole.read_bytes(), [])
