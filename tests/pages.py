"""Running what a page shows: its blocks, one after another, in a folder of their own.

A command of a `console` block is a line that starts with `$ `, with the lines after it that start with `> `; its
output is what follows. A line `[...]` in an output stands for lines that the page leaves out.
"""

import contextlib
import doctest
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from multiverse.cli import main

ROOT = Path(__file__).resolve().parent.parent
NEEDED = ("make", "git", "ssh-keygen")

ELISION = "[...]"
BLOCK = re.compile(r"^```(console|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHIM = """#!/bin/sh
exec {python} -c 'from multiverse.cli import main; main(prog_name="multiverse")' "$@"
"""
_MAKE_VARIABLES = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "STUDY", "FAMILY", "OUT", "ARGS", "PYTHON", "UV"}
_AUTHOR = {f"GIT_{who}_{what}": "you" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
_NO_SETTINGS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
_VARYING = {
    r"\b[0-9a-f]{64}\b": "<SHA-256>",
    r"(?:(?<=\bis )|(?<=\bfrozen )|(?<=\bfiles ))[0-9a-f]{16}\b": "<SHA-256>",  # the start of one
    r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z": "<time>",
    r"\bcommit [0-9a-f]{12}\b": "commit <commit>",
    r"\b[0-9a-f]{12}, which holds": "<commit>, which holds",
    r"(?<= files, )[0-9]+ bytes": "<size> bytes",
}


def small_checkout(folder: Path) -> None:
    """The quickstart study, the Makefile and the verifier."""
    for part in ("specs/quickstart", "data/quickstart"):
        shutil.copytree(ROOT / part, folder / part)
    (folder / "receipts").mkdir()
    for part in ("Makefile", "requirements.lock", "pyproject.toml", "receipts/verify.py"):
        shutil.copyfile(ROOT / part, folder / part)


class Session:
    """A page's blocks, run one after another in one folder, which is filled first."""

    def __init__(self, folder: Path, fill: Callable[[Path], None] = small_checkout) -> None:
        self.folder = folder
        self.names: dict[str, object] = {}
        fill(folder)
        self._make_environment()

    def _make_environment(self) -> None:
        """A .venv that the Makefile takes for whole, whose command is the code under test."""
        scripts = self.folder / ".venv" / "bin"
        scripts.mkdir(parents=True)
        (self.folder / ".venv" / ".gitignore").write_text("*\n", "utf-8")
        (scripts / "python").symlink_to(sys.executable)
        (scripts / "multiverse").write_text(_SHIM.format(python=shlex.quote(sys.executable)), "utf-8")
        (scripts / "multiverse").chmod(0o755)
        (self.folder / ".venv" / ".complete").write_text(f"{self.folder.resolve()}\n", "utf-8")
        plain = {name: value for name, value in os.environ.items() if name not in _MAKE_VARIABLES}
        paths = f"{scripts}{os.pathsep}{os.environ['PATH']}"
        self.environment = plain | _AUTHOR | {"PATH": paths, "NO_COLOR": "1", **_NO_SETTINGS}

    def rerun(self, block: re.Match[str]) -> str:
        """The block with fresh outputs."""
        kind, text = block.groups()
        with contextlib.chdir(self.folder):
            body = "".join(self._console(text) if kind == "console" else self._pycon(text))
        return f"```{kind}\n{body}```"

    def _console(self, text: str) -> Iterator[str]:
        for command, shown in _commands(text):
            fresh = masked(self._output("\n".join(line[2:] for line in command)))
            yield "".join(f"{line}\n" for line in [*command, *elided(fresh.splitlines(), shown)])

    def _output(self, command: str) -> str:
        if command.startswith("multiverse ") and not set(command) & set("|<>;&$\n"):
            runner = CliRunner(env={"MULTIVERSE_TRACEBACK": "1"})  # leaves Python's excepthook alone
            result = runner.invoke(main, shlex.split(command)[1:], prog_name="multiverse")
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                raise result.exception
            return result.output
        found = subprocess.run(
            ["/bin/sh", "-c", command],
            env=self.environment,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        return found.stdout

    def _pycon(self, text: str) -> Iterator[str]:
        for example in doctest.DocTestParser().get_examples(text):
            lines = example.source.splitlines()
            yield "".join(f"{'...' if i else '>>>'} {line}".rstrip() + "\n" for i, line in enumerate(lines))
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(example.source, "<page>", "single"), self.names)
            yield printed.getvalue()


def _commands(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """Each command of a block, as its lines, and the output that the block shows."""
    lines = text.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        more = next((i for i in range(start + 1, end) if not lines[i].startswith("> ")), end)
        yield lines[start:more], lines[more:end]


def elided(fresh: Sequence[str], shown: Sequence[str]) -> Sequence[str]:
    """An output cut as the page cuts it: as many lines stay before the mark, and after it, as the page shows."""
    if ELISION not in shown:
        return fresh
    before = shown.index(ELISION)
    after = len(fresh) - (len(shown) - before - 1)
    return fresh if after <= before else [*fresh[:before], ELISION, *fresh[after:]]


def masked(output: str) -> str:
    """An output with what is another in every run replaced."""
    for pattern, mask in _VARYING.items():
        output = re.sub(pattern, mask, output)
    return output


def rerun_page(page: Path, fill: Callable[[Path], None] = small_checkout) -> str:
    """The text of a page with the outputs of all its blocks as they are now, in a folder that is filled first."""
    with TemporaryDirectory() as folder:
        session = Session(Path(folder), fill)
        return with_digest(BLOCK.sub(session.rerun, page.read_text("utf-8")))


def outdated(page: Path, fresh: str) -> list[str]:
    """The lines by which a page differs from what its commands print now."""
    name, text = page.relative_to(ROOT), page.read_text("utf-8")
    told = (f"{name}, as it stands", f"{name}, as run")
    return list(unified_diff(text.splitlines(), fresh.splitlines(), *told, lineterm=""))


def with_digest(text: str) -> str:
    """The text of a page that gives the SHA-256 of the verifier, with that of the file as it is."""
    digest = hashlib.sha256((ROOT / "receipts" / "verify.py").read_bytes()).hexdigest()
    return re.sub(r"\b[0-9a-f]{64}(?=  receipts/verify\.py\b)", digest, text)
