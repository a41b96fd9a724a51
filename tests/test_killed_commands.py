"""A command that is killed at any moment leaves receipts that verify, and the next one goes on from there.

Some 220 kills in all: before every operation on a file, and at random.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

import killed_commands
from frozen import FAMILIES, chain, files_below, frozen, verified, write_explained
from multiverse.receipts.freezing import correct

RECEIPTS, RESULTS, ARCHIVE = Path("receipts/small"), Path("results/small/audit"), Path("small.zip")
PLAIN = "methods: all\n"  # quick to audit
NOTHING_YET = (2, ["X-EMPTY receipts/small: holds no receipt yet"])


class Commands:
    """Commands run, or killed, in children of one process that has imported everything."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process, self.killed = process, 0

    def run(self, command: str) -> None:
        """Run one to its end."""
        assert self._ended(command, 0) == 0

    def kill(self, command: str, *, before: int = 0, after: float = 0.0) -> bool:
        """Have one killed before a file operation, or after seconds; whether it was not done before that."""
        ended = self._ended(command, before, after)
        assert ended in (0, -signal.SIGKILL)
        self.killed += ended != 0
        return ended != 0

    def _ended(self, command: str, before: int, after: float = 0.0) -> int:
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        print(command, before, file=stdin, flush=True)
        child = int(stdout.readline())
        if after:
            time.sleep(after)
            with suppress(ProcessLookupError):  # it has ended
                os.kill(child, signal.SIGKILL)
        return int(stdout.readline())


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    environment = os.environ | {"TMPDIR": str(tmp_path / "tmp"), "POLARS_MAX_THREADS": "1"}
    command, pipe = [sys.executable, killed_commands.__file__], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as process:
        yield Commands(process)


def kill_all_over(
    commands: Commands, command: str, check: Callable[[], None], *, at_random: int, within: float
) -> None:
    """Kill a command before each of its operations on files, then at random moments; check after each."""
    operation = 1
    while commands.kill(command, before=operation):
        check()
        operation += 1
    check()
    chance = random.Random(command)
    for _ in range(at_random):
        commands.kill(command, after=chance.uniform(0.001, within))
        check()


def leftovers(*folders: Path) -> list[Path]:
    return [path for folder in folders for path in folder.glob(".writing-*")]


def test_a_killed_freeze_leaves_nothing_or_a_whole_receipt(commands: Commands) -> None:
    write_explained(study=PLAIN)

    def check() -> None:
        if not RECEIPTS.exists():
            return
        found = verified()
        assert found in ((0, []), NOTHING_YET)
        if found == NOTHING_YET:
            commands.run("freeze")
            assert (verified(), leftovers(RECEIPTS, RECEIPTS / "files")) == ((0, []), [])
        shutil.rmtree(RECEIPTS)

    kill_all_over(commands, "freeze", check, at_random=36, within=0.02)


def test_a_killed_amendment_leaves_the_chain_as_it_was_or_one_receipt_longer(commands: Commands) -> None:
    frozen(study=PLAIN)
    versions = [0]

    def check() -> None:
        assert verified() == (0, [])
        if len(chain().receipts) == versions[0] + 1:
            commands.run("amend")
            assert leftovers(RECEIPTS, RECEIPTS / "files") == []
        versions[0] = len(chain().receipts) - 1
        write_explained(study=PLAIN, files={"families": FAMILIES + f"# {versions[0]}\n"})

    write_explained(study=PLAIN, files={"families": FAMILIES + "# first\n"})
    kill_all_over(commands, "amend", check, at_random=16, within=0.02)


def test_a_killed_audit_leaves_no_half_written_record_that_looks_whole(commands: Commands) -> None:
    frozen(study=PLAIN)
    commands.run("audit")
    whole = files_below(RESULTS)
    shutil.rmtree(RESULTS)
    checks = count(1)

    def check() -> None:
        number = next(checks)
        assert verified() == (0, [])
        there = {path: content for path, content in files_below(Path("results")).items() if ".writing-" not in path}
        assert "small/audit/record.json" not in there or there == {f"small/audit/{p}": c for p, c in whole.items()}
        if number % 8 == 0:
            commands.run("audit")
            assert (files_below(RESULTS), leftovers(RECEIPTS, RESULTS)) == (whole, [])
        if number % 16 == 0:
            shutil.rmtree(RESULTS)

    kill_all_over(commands, "audit", check, at_random=20, within=0.07)


@pytest.mark.parametrize(("computed_again", "at_random"), [(False, 16), (True, 4)])
def test_a_killed_archive_is_the_one_before_or_one_that_verifies(
    commands: Commands, at_random: int, *, computed_again: bool
) -> None:
    frozen(study=PLAIN)
    commands.run("audit")
    if computed_again:
        shutil.rmtree(RESULTS)
    before, checks = [b""], count(1)

    def check() -> None:
        there = ARCHIVE.read_bytes() if ARCHIVE.exists() else b""
        assert there == before[0] or verified(ARCHIVE) == (0, [])
        assert verified() == (0, [])
        if next(checks) % (6 if computed_again else 2) == 0:
            commands.run("archive")
            assert (verified(ARCHIVE), leftovers(Path())) == ((0, []), [])
        before[0] = ARCHIVE.read_bytes() if ARCHIVE.exists() else b""
        Path("note.md").write_text(f"{chain().following}")
        correct("small", number=1, addendum=Path("note.md"), reason="so that the next archive is another")

    kill_all_over(commands, "archive", check, at_random=at_random, within=0.02)


def test_a_killed_correction_leaves_the_chain_as_it_was_or_one_receipt_longer(commands: Commands) -> None:
    frozen(study=PLAIN)
    Path("note.md").write_text("x")

    def check() -> None:
        assert verified() == (0, [])

    kill_all_over(commands, "correct", check, at_random=10, within=0.004)
    commands.run("correct")
    assert leftovers(RECEIPTS, RECEIPTS / "files") == []
