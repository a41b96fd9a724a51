"""The documents are true: what they show is what runs give, and commands, options, columns and keys are described.

Blocks marked `console` (lines of `$ command`, each followed by its output) and `pycon` are run, those of a page in
order, in a folder that holds the quickstart study, the Makefile and the verifier. What is another in every run stands
in angle brackets: <SHA-256>, <time>, <commit>. After a change of output, or of receipts/verify.py:

    python tests/test_docs.py --write
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
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import pytest
from click.testing import CliRunner

import multiverse
from multiverse.cli import main
from multiverse.record import TABLES
from multiverse.strict_yaml import read_yaml

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
SHOWING = ["README.md", "docs/reference.md", "docs/tutorial.md"]  # pages with outputs

_BLOCK = re.compile(r"^```(console|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHIM = """#!/bin/sh
exec {python} -c 'from multiverse.cli import main; main(prog_name="multiverse")' "$@"
"""
_MAKE_VARIABLES = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "STUDY", "FAMILY", "OUT", "ARGS", "PYTHON", "UV"}
_AUTHOR = {f"GIT_{who}_{what}": "you" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
_VARYING = {
    r"\b[0-9a-f]{64}\b": "<SHA-256>",
    r"\b[0-9a-f]{16}\b": "<SHA-256>",  # the start of one
    r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z": "<time>",
    r"\bcommit [0-9a-f]{12}\b": "commit <commit>",
    r"\b[0-9a-f]{12}, which holds": "<commit>, which holds",
    r"(?<= files, )[0-9]+ bytes": "<size> bytes",
}


# Running what a page shows


class Session:
    """A page's blocks, run one after another in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, object] = {}
        for part in ("specs/quickstart", "data/quickstart"):
            shutil.copytree(ROOT / part, folder / part)
        (folder / "receipts").mkdir()
        for part in ("Makefile", "requirements.lock", "pyproject.toml", "receipts/verify.py"):
            shutil.copyfile(ROOT / part, folder / part)
        self._make_environment()

    def _make_environment(self) -> None:
        """A .venv that the Makefile takes for whole, whose command is the code under test."""
        scripts = self.folder / ".venv" / "bin"
        scripts.mkdir(parents=True)
        (scripts / "python").symlink_to(sys.executable)
        (scripts / "multiverse").write_text(_SHIM.format(python=shlex.quote(sys.executable)), "utf-8")
        (scripts / "multiverse").chmod(0o755)
        (self.folder / ".venv" / ".complete").write_text(f"{self.folder.resolve()}\n", "utf-8")
        plain = {name: value for name, value in os.environ.items() if name not in _MAKE_VARIABLES}
        paths = f"{scripts}{os.pathsep}{os.environ['PATH']}"
        self.environment = plain | _AUTHOR | {"PATH": paths, "NO_COLOR": "1", "GIT_CONFIG_GLOBAL": os.devnull}

    def rerun(self, block: re.Match[str]) -> str:
        """The block with fresh outputs."""
        kind, text = block.groups()
        with contextlib.chdir(self.folder):
            body = "".join(self._console(text) if kind == "console" else self._pycon(text))
        return f"```{kind}\n{body}```"

    def _console(self, text: str) -> Iterator[str]:
        for line in text.splitlines():
            if line.startswith("$ "):
                yield f"{line}\n{masked(self._output(line[2:]))}"

    def _output(self, command: str) -> str:
        if command.startswith("multiverse ") and not set(command) & set("|<>;&$"):
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


def masked(output: str) -> str:
    """An output with what is another in every run replaced."""
    for pattern, mask in _VARYING.items():
        output = re.sub(pattern, mask, output)
    return output


def rerun_page(page: Path) -> str:
    """The text of a page with the outputs of all its blocks as they are now."""
    with TemporaryDirectory() as folder:
        return with_digest(_BLOCK.sub(Session(Path(folder)).rerun, page.read_text("utf-8")))


def with_digest(text: str) -> str:
    """The text of a page that gives the SHA-256 of the verifier, with that of the file as it is."""
    digest = hashlib.sha256((ROOT / "receipts" / "verify.py").read_bytes()).hexdigest()
    return re.sub(r"(?<=`)[0-9a-f]{64}(?=  receipts/verify\.py`)", digest, text)


@pytest.mark.skipif(shutil.which("make") is None, reason="a page shows make, and there is none")
@pytest.mark.parametrize("name", SHOWING)
def test_a_page_shows_what_its_commands_print(name: str) -> None:
    text, fresh = (ROOT / name).read_text("utf-8"), rerun_page(ROOT / name)
    changed = unified_diff(
        text.splitlines(), fresh.splitlines(), f"{name}, as it stands", f"{name}, as run", lineterm=""
    )
    if text != fresh:
        pytest.fail("\n".join([*changed, "`python tests/test_docs.py --write` puts in the new output"]), pytrace=False)


def test_every_page_with_outputs_is_run() -> None:
    assert [str(page.relative_to(ROOT)) for page in PAGES if _BLOCK.search(page.read_text("utf-8"))] == SHOWING


# The reference is complete

REFERENCE = (ROOT / "docs" / "reference.md").read_text("utf-8")


def section(heading: str) -> str:
    """The text under a heading, up to the next of its rank or higher."""
    marks = heading.split(" ", maxsplit=1)[0]
    found = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{len(marks)}}} |\Z)", REFERENCE, re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/reference.md has no heading {heading!r}"
    return found[1]


def commands() -> dict[str, click.Command]:
    return {"multiverse": main} | {f"multiverse {name}": command for name, command in sorted(main.commands.items())}


def parameters(command: click.Command) -> list[click.Parameter]:
    return command.get_params(click.Context(command, **command.context_settings))


@pytest.mark.parametrize("name", commands())
def test_every_command_and_option_has_help(name: str) -> None:
    command = commands()[name]
    silent = [p.name for p in parameters(command) if isinstance(p, click.Option) and not p.help]
    assert (bool(command.help), silent) == (True, [])


@pytest.mark.parametrize("name", commands())
def test_the_reference_describes_every_command_and_option(name: str) -> None:
    text = section(f"### `{name}`")
    wanted = []
    for parameter in parameters(commands()[name]):
        wanted += (
            parameter.opts if isinstance(parameter, click.Option) else [parameter.make_metavar(click.Context(main))]
        )
        wanted += parameter.type.choices if isinstance(parameter.type, click.Choice) else []
    assert [word for word in wanted if not re.search(rf"`{re.escape(word)}[` ]", text)] == []


@pytest.mark.parametrize("name", multiverse.__all__)
def test_the_reference_describes_every_public_name(name: str) -> None:
    assert f"`{name}" in section("## Python")


@pytest.mark.parametrize("name", TABLES)
def test_the_reference_gives_the_columns_of_every_table(name: str) -> None:
    row = re.search(rf"^\| `{name}` \|[^|]*\|([^|]*)\|$", section("## Tables"), re.MULTILINE)
    assert row is not None
    assert re.findall(r"`(\w+)`", row[1]) == list(TABLES[name])


def test_the_reference_describes_every_key_of_the_declaration() -> None:
    """Keys are what the typed getters of the declaration are asked for."""
    getter = re.compile(r"\.(?:node|text|choice|whole|number|items|(?:known_|two_)?texts|entries)\(\s*\"(\w+)\"")
    sources = [path.read_text("utf-8") for path in (ROOT / "multiverse" / "declaration").glob("*.py")]
    keys = {key for source in sources for key in getter.findall(source)}
    assert {"substrate", "always", "treatment", "none_left", "license"} <= keys
    described = section("## Declaration files")
    assert sorted(key for key in keys if not re.search(rf"\b{key}\b", described)) == []


def test_the_scalars_that_the_reference_calls_refused_are() -> None:
    bullet = re.search(r"refused: (.*?)\. Quote", section("## Stricter than YAML"), re.DOTALL)
    assert bullet is not None
    scalars = re.findall(r"`(.+?)`", bullet[1])
    assert [scalar for scalar in scalars if read_yaml(f"key: {scalar}\n".encode(), "x.yaml").node is not None] == []
    assert len(scalars) > 5


# The pages hold together


def slug(heading: str) -> str:
    """The anchor that a Markdown viewer gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def headings(page: Path) -> list[str]:
    prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [slug(found) for found in re.findall(r"^#+ (.*)$", prose, re.MULTILINE)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        path, _, anchor = target.partition("#")
        if "://" in target:
            continue
        place = (page.parent / path) if path else page
        if not place.exists() or (anchor and anchor not in headings(place)):
            broken.append(target)
    assert broken == []


def test_every_term_of_the_glossary_is_defined_once() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    bold = [term.lower() for term in re.findall(r"\*\*(.+?)\*\*", text)]
    defined = [term.lower() for term in re.findall(r"^- \*\*(.+?)\*\*(?: \([^)]*\))?: ", text, re.MULTILINE)]
    assert bold == defined
    assert sorted(term for term in set(defined) if defined.count(term) > 1) == []


def test_no_other_page_defines_a_term() -> None:
    others = [page for page in PAGES if page.name != "glossary.md"]
    assert [page.name for page in others if re.search(r"^- \*\*", page.read_text("utf-8"), re.MULTILINE)] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 100


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python tests/test_docs.py --write")
    for shown in SHOWING:
        (ROOT / shown).write_text(rerun_page(ROOT / shown), "utf-8")
