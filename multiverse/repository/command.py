"""Running git: the only place that does, so that every call is made with the same care.

No hook, monitor, pager or transport runs. One thing that a repository can configure still does: the clean filter of a
file whose attributes name one, which git status has to run to compare the file.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from multiverse.errors import Fault, InputError

# What a repository configures is neither run nor believed, where git lets us say so.
_SETTINGS = (
    *("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.untrackedCache=false"),
    *("core.checkStat=default", "core.trustctime=true"),
    *("core.quotePath=true", "status.showUntrackedFiles=all"),
)
_OPTIONS = ("--no-replace-objects", "--literal-pathspecs", *(word for each in _SETTINGS for word in ("-c", each)))
_ENVIRONMENT = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_ALLOW_PROTOCOL": "", "LC_ALL": "C"}


def has_git() -> bool:
    """Whether git is installed."""
    return shutil.which("git") is not None


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder and keep what it prints, whether it fails or not."""
    command = _command(folder, *arguments)
    return subprocess.run(command, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, check=False)


def lines(top: Path, *arguments: str) -> list[str]:
    """The lines of an answer in which git has quoted the paths, which makes it ASCII."""
    return _answer(top, *arguments).decode("ascii").splitlines()


def fields(top: Path, *arguments: str) -> list[str]:
    """The NUL-ended fields of an answer."""
    return os.fsdecode(_answer(top, *arguments)).split("\0")[:-1]


@contextmanager
def running(top: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A git that is asked and answers through its pipes, until the block ends."""
    command, pipe = _command(top, *arguments), subprocess.PIPE
    with subprocess.Popen(command, env=_environment(), stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        yield process


def refusal(folder: Path, stderr: bytes) -> Fault:
    """The fault of a repository that git will not read, in git's own words."""
    words = os.fsdecode(stderr).strip().splitlines() or ["no reason given"]
    advice = [line.strip() for line in words if "--add safe.directory" in line]
    expected = f"your own repository; to trust this one: {advice[0]}" if advice else "a repository that git can read"
    return Fault(where=str(folder), found=f"git refuses: {words[0].removeprefix('fatal: ')}", expected=expected)


def _answer(top: Path, *arguments: str) -> bytes:
    done = run(top, *arguments)
    if done.returncode:
        raise InputError([refusal(top, done.stderr)])
    return done.stdout


def _command(folder: Path, *arguments: str) -> list[str]:
    program = shutil.which("git")
    if program is None:
        raise InputError([Fault(where=str(folder), found="git is not on the PATH", expected="git installed")])
    return [program, "-C", str(folder), *_OPTIONS, *arguments]


def _environment() -> dict[str, str]:
    """The environment without what points git elsewhere; nothing is replaced, locked or fetched."""
    return {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")} | _ENVIRONMENT
