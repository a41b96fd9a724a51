"""Imports point down the layers of docs/architecture.md, and each library and act has one home."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "multiverse"
PAGE = "docs/architecture.md"
PRINTS_OR_EXITS = {
    *("print", "input", "exit", "quit", "breakpoint", "SystemExit"),
    *("sys.exit", "sys.stdin", "sys.stdout", "sys.stderr", "os._exit", "click.echo", "click.secho"),
}


def table(heading: str) -> list[list[str]]:
    """The cells of the table under a heading of the page, without its two head rows."""
    section = (ROOT / PAGE).read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip().strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


PLACES = [(name, int(layer)) for layer, modules, _ in table("Layers") for name in names(modules)]
LAYERS = dict(PLACES)
HOMES = {what.strip("`"): names(modules) for what, modules in table("Homes")}


@dataclass(frozen=True, kw_only=True, slots=True)
class Import:
    """One imported module: `multiverse.` is cut off the package's own, whose root is `__init__`."""

    name: str
    own: bool
    line: int
    typing_only: bool


def dotted(path: Path) -> str:
    """`declaration/terms.py` is `declaration.terms`; a folder's `__init__.py` is the folder."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)


FILES = {dotted(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def row_name(module: str) -> str:
    """The name under which a module stands in the table: its own, or that of its package."""
    return module.partition(".")[0]


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(FILES[module].read_text("utf-8"))


def type_checking_lines(module: str) -> set[int]:
    blocks = (node for node in ast.walk(tree(module)) if isinstance(node, ast.If))
    typing = (node.body for node in blocks if ast.unparse(node.test).rpartition(".")[2] == "TYPE_CHECKING")
    return {line for body in typing for node in body for line in range(node.lineno, (node.end_lineno or 0) + 1)}


def absolute(module: str, node: ast.ImportFrom) -> str:
    """The dotted name after `from`, with leading dots resolved."""
    if not node.level:
        return node.module or ""
    folder = FILES[module].parent.relative_to(PACKAGE.parent).parts
    return ".".join([*folder[: len(folder) - node.level + 1], *([node.module] if node.module else [])])


def imported_names(module: str, node: ast.AST) -> list[str]:
    """What a node imports: `from package import submodule` is the submodule, any other `from` its left side."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = absolute(module, node)
        whole = [f"{base}.{alias.name}" for alias in node.names]
        return list(dict.fromkeys(name if name.removeprefix("multiverse.") in FILES else base for name in whole))
    return []


@cache
def imports(module: str) -> tuple[Import, ...]:
    """All imports of a module, those inside functions too."""
    typing = type_checking_lines(module)
    found = []
    for node in ast.walk(tree(module)):
        for name in imported_names(module, node):
            root, _, rest = name.partition(".")
            own = root == "multiverse"
            line = getattr(node, "lineno", 0)
            found.append(
                Import(name=(rest or "__init__") if own else name, own=own, line=line, typing_only=line in typing)
            )
    return tuple(found)


def place(module: str, line: int) -> str:
    return f"{FILES[module].relative_to(ROOT)}:{line}"


def refuse(faults: list[str], advice: str) -> None:
    if faults:
        pytest.fail("\n".join([*faults, advice]), pytrace=False)


def test_every_module_is_listed_once() -> None:
    listed = sorted(name for name, _ in PLACES)
    present = {row_name(module) for module in FILES}
    unlisted = [f"multiverse/ has `{name}`, the table does not: add it" for name in sorted(present - {*listed})]
    absent = [f"the table has `{name}`, multiverse/ does not: take it out" for name in sorted({*listed} - present)]
    twice = [f"the table has `{name}` more than once: keep one" for name in LAYERS if listed.count(name) > 1]
    refuse(unlisted + absent + twice, f"the table of layers is in {PAGE}")


@pytest.mark.parametrize("module", FILES)
def test_imports_point_down(module: str) -> None:
    own = row_name(module)
    faults = [
        f"{place(module, found.line)} imports `{found.name}` of layer {LAYERS[row_name(found.name)]}"
        for found in imports(module)
        if found.own and not found.typing_only and row_name(found.name) in LAYERS and own in LAYERS
        if row_name(found.name) != own and LAYERS[row_name(found.name)] >= LAYERS[own]
    ]
    advice = (
        f"`{own}` is in layer {LAYERS.get(own)} and may import lower layers only: move what it needs down, pass it in, "
        f"import it under TYPE_CHECKING if only annotations use it, or give `{own}` a higher row in {PAGE}"
    )
    refuse(faults, advice)


def test_modules_do_not_import_in_a_circle() -> None:
    graph = {module: {x.name for x in imports(module) if x.own and not x.typing_only} for module in FILES}
    circles = []
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circles.append(" <- ".join(error.args[1]))
    refuse(circles, "these import in a circle: move what they share into a module that both import")


@pytest.mark.parametrize("library", [what for what in HOMES if " " not in what])
def test_a_library_is_imported_only_at_home(library: str) -> None:
    faults = [
        f"{place(module, found.line)} imports {library}"
        for module in FILES
        if row_name(module) not in HOMES[library]
        for found in imports(module)
        if not found.own and found.name.partition(".")[0] == library
    ]
    home = " or ".join(f"`{name}`" for name in HOMES[library]) or "no module"
    advice = f"{home} may import {library}: call that, or change the table of homes in {PAGE}"
    refuse(faults, advice)


def prints_and_exits(module: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Name | ast.Attribute) and (name := ast.unparse(node)) in PRINTS_OR_EXITS:
            yield name, node.lineno
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (name := f"{node.module}.{alias.name}") in PRINTS_OR_EXITS:
                    yield name, node.lineno


@pytest.mark.parametrize("module", [name for name in FILES if row_name(name) not in HOMES["printing and exiting"]])
def test_only_the_command_line_prints_or_exits(module: str) -> None:
    faults = [f"{place(module, line)} uses {name}" for name, line in prints_and_exits(module)]
    advice = "return the text, or raise an error of multiverse.errors: `cli` alone prints and exits"
    refuse(faults, advice)
