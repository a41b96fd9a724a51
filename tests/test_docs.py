"""The documents are true: what they show is what runs give, and commands, options, columns and keys are described.

Blocks marked `console` (lines of `$ command`, each followed by its output) and `pycon` are run, those of a page in
order, in a folder that holds the quickstart study, the Makefile and the verifier. What is another in every run stands
in angle brackets: <SHA-256>, <time>, <commit>. After a change of output, or of receipts/verify.py:

    python tests/test_docs.py --write
"""

import re
import shutil
import sys
from pathlib import Path

import click
import pytest

import multiverse
from multiverse import verify
from multiverse.cli import main
from multiverse.record import TABLES
from multiverse.strict_yaml import read_yaml
from pages import BLOCK, NEEDED, ROOT, outdated, rerun_page, with_digest

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))  # run in test_tutorials
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")), *TUTORIALS]
SHOWING = ["README.md", "docs/receipts.md", "docs/reference.md", "docs/tutorial.md"]  # pages with outputs


@pytest.mark.skipif(not all(map(shutil.which, NEEDED)), reason="pages show make, git and ssh-keygen")
@pytest.mark.parametrize("name", SHOWING)
def test_a_page_shows_what_its_commands_print(name: str) -> None:
    if changed := outdated(ROOT / name, rerun_page(ROOT / name)):
        pytest.fail("\n".join([*changed, "`python tests/test_docs.py --write` puts in the new output"]), pytrace=False)


def test_every_page_with_outputs_is_run() -> None:
    shown = [page for page in PAGES if page not in TUTORIALS and BLOCK.search(page.read_text("utf-8"))]
    assert [str(page.relative_to(ROOT)) for page in shown] == SHOWING


# The reference is complete

REFERENCE = (ROOT / "docs" / "reference.md").read_text("utf-8")


def section(heading: str, page: str = REFERENCE) -> str:
    """The text under a heading, up to the next of its rank or higher."""
    marks = heading.split(" ", maxsplit=1)[0]
    found = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{len(marks)}}} |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found is not None, f"there is no heading {heading!r}"
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


# The page on receipts is complete

RECEIPTS = (ROOT / "docs" / "receipts.md").read_text("utf-8")


def test_the_page_on_receipts_gives_the_digest_of_the_verifier() -> None:
    assert (with_digest(RECEIPTS) == RECEIPTS, RECEIPTS.count("  receipts/verify.py")) == (True, 2)


@pytest.mark.parametrize("reason", verify.NOT_PROVABLE)
def test_the_page_on_receipts_lists_what_is_never_provable(reason: str) -> None:
    words = reason.partition(" (unless")[0].partition(", or ")[0]
    assert f"- {words.capitalize()}" in section("## What is never provable", RECEIPTS)


def test_the_page_on_receipts_explains_every_warning() -> None:
    warnings = set(re.findall(r'"(W-[A-Z]+)"', (ROOT / "receipts" / "verify.py").read_text("utf-8")))
    assert sorted(code for code in warnings if f"`{code}`" not in section("## Verifying", RECEIPTS)) == []


def field_names(kind: object) -> set[str]:
    """The fields of a schema, those of parts among them."""
    if isinstance(kind, verify.Maybe | verify.Each):
        return field_names(kind.kind)
    if not isinstance(kind, dict):
        return set()
    return {key.rstrip("?") for key in kind}.union(*map(field_names, kind.values()))


@pytest.mark.parametrize("kind", verify.KINDS)
def test_the_page_on_receipts_describes_every_field(kind: str) -> None:
    shared = "" if kind == "correction" else section("### Freeze, gate and run", RECEIPTS)
    text = section("### Every predicate", RECEIPTS) + shared + section(f"### {kind.capitalize()}", RECEIPTS)
    text += section("### Gate", RECEIPTS) + section("### Freeze", RECEIPTS) if kind == "run" else ""
    fields = field_names(verify.PREDICATE_FIELDS[kind])
    assert sorted(field for field in fields if f"`{field}`" not in text) == []


def test_the_page_on_receipts_describes_the_manifest() -> None:
    text = section("## The archive", RECEIPTS)
    words = field_names(verify._MANIFEST_FIELDS) | {*verify.TAG_FILES, *verify.OPTIONAL_TAG_FILES, *verify.WITHHELD}
    assert sorted(word for word in words if f"`{word}`" not in text) == []


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
