"""What has changed since a freeze, and how: spec files line by line, tables, code, lock file, Python and libraries."""

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from multiverse.declaration import Declaration
from multiverse.errors import Fault, quoted
from multiverse.receipts.chain import Chain
from multiverse.receipts.environment import Runtime
from multiverse.receipts.snapshot import ANSWERS, BoundFile, Snapshot
from multiverse.verify import Receipt, sha256

Json = dict[str, Any]
_MOST_LINES = 6
_MOST_CHARACTERS = 60


def changes(chain: Chain, freeze: Receipt, declaration: Declaration, now: Snapshot) -> list[Fault]:
    """Every way in which a study is not what a freeze froze; all its tables are compared."""
    tables = tuple(declaration.substrate.paths)
    return [*reference_changes(chain, freeze, declaration, now), *data_changes(chain, freeze, now, tables)]


def reference_changes(chain: Chain, freeze: Receipt, declaration: Declaration, now: Snapshot) -> list[Fault]:
    """The same without any answers: spec files, other tables, and what runs them."""
    tables = [table for table in declaration.substrate.paths if table not in ANSWERS]
    return [
        *spec_changes(chain, freeze, declaration, now.specs),
        *data_changes(chain, freeze, now, tables),
        *runtime_changes(freeze, now.runtime),
    ]


def spec_changes(
    chain: Chain, freeze: Receipt, declaration: Declaration, specs: Iterable[BoundFile]
) -> Iterator[Fault]:
    """Spec files that are not what was frozen, with the lines that differ, or that are read otherwise."""
    contents = {declaration.folder / file.name: file.content for file in declaration.files}
    yield from file_changes(chain, freeze, declaration.folder, contents)
    frozen = {spec["path"].rpartition("/")[2]: spec for spec in freeze.predicate["specs"]}
    for file in specs:
        spec = frozen.get(file.path.name)
        if spec and file.sha256 == freeze.subjects[spec["path"]] and file.meaning != spec["meaning_sha256"]:
            found = f"is read otherwise than at the freeze: meaning is {file.meaning[:16]}, frozen "
            expected = f"it as {freeze.name} froze it"
            yield Fault(where=str(file.path), found=found + spec["meaning_sha256"][:16], expected=expected)


def file_changes(chain: Chain, freeze: Receipt, folder: Path, contents: Mapping[Path, bytes]) -> Iterator[Fault]:
    """Spec files whose bytes are not those that were frozen."""
    frozen = {
        folder / spec["path"].rpartition("/")[2]: freeze.subjects[spec["path"]] for spec in freeze.predicate["specs"]
    }
    expected = f"it as {freeze.name} froze it"
    for path in sorted(frozen.keys() | contents.keys()):
        if path not in contents:
            yield Fault(where=str(path), found="gone since the freeze", expected=expected)
        elif path not in frozen:
            yield Fault(where=str(path), found="new since the freeze", expected="the files that were frozen")
        elif (now := sha256(contents[path])) != frozen[path]:
            found = f"changed since the freeze: sha256 is {now[:16]}, frozen {frozen[path][:16]}"
            lines = _changed_lines(chain.kept(frozen[path]), contents[path])
            yield Fault(where=str(path), found="; ".join([found, *lines]), expected=expected)


def _changed_lines(before: bytes, after: bytes) -> Iterator[str]:
    """The lines that differ, with the number of the line in the frozen or in the present file."""
    old, new = (content.decode(errors="backslashreplace").splitlines() for content in (before, after))
    shown = list(_differences(old, new))
    yield from shown[:_MOST_LINES] or ["no line differs, but where or how lines end does"]
    if len(shown) > _MOST_LINES:
        yield f"and {len(shown) - _MOST_LINES} lines more"


def _differences(old: list[str], new: list[str]) -> Iterator[str]:
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            start = _start(old[i1], new[j1]) if i2 - i1 == j2 - j1 == 1 else 0
            yield from (f"frozen line {i + 1} was {_part(old[i], start)}" for i in range(i1, i2))
            yield from (f"line {j + 1} is {_part(new[j], start)}" for j in range(j1, j2))


def _start(before: str, after: str) -> int:
    """Where to begin to show two lines: at the start, or a little before the first difference in long ones."""
    first = next(
        (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(map(len, (before, after)))
    )
    return first - 20 if first > _MOST_CHARACTERS else 0


def _part(line: str, start: int) -> str:
    return f"{'... ' if start else ''}{quoted(line[start:])}"


def data_changes(chain: Chain, freeze: Receipt, now: Snapshot, tables: Collection[str]) -> Iterator[Fault]:
    """Files of some tables that are not what was frozen; answers awaited at the freeze are bound by its first run."""
    binding = [freeze, *(run for run in chain.of_kind("run") if is_complete(run, freeze))]
    frozen = {
        (one["table"], one["source"]): (receipt.subjects[one["path"]], receipt.name)
        for receipt in reversed(binding)
        for one in receipt.predicate["inputs"]
        if one["table"] in tables
    }
    there = {(file.table, file.source): file for file in now.inputs if file.table in tables}
    awaited = set(tables) - {table for table, _ in frozen}
    for table, source in sorted(frozen.keys() | there.keys()):
        where, file = f"{table} ({source})", there.get((table, source))
        digest, binder = frozen.get((table, source), (None, freeze.name))
        if file is None:
            yield Fault(where=where, found="gone since the freeze", expected=f"the bytes that {binder} froze")
        elif digest is None and table not in awaited:
            yield Fault(where=where, found="new since the freeze", expected="the files that were frozen")
        elif digest is not None and file.sha256 != digest:
            found = f"changed since the freeze: sha256 is {file.sha256[:16]}, frozen {digest[:16]}"
            yield Fault(where=where, found=found, expected=f"the bytes that {binder} froze")


def is_complete(run: Receipt, freeze: Receipt) -> bool:
    """Whether a run was complete, under a freeze."""
    return run.predicate["status"] == "complete" and bool(run.predicate["freeze"] == freeze.digest)


def runtime_changes(freeze: Receipt, runtime: Runtime) -> Iterator[Fault]:
    """Code, lock file, Python and libraries that are not what was frozen."""
    then = freeze.predicate
    code, frozen = runtime.code, then["code"]
    if code["version"] != frozen["version"] or code["files_sha256"] != frozen["files_sha256"]:
        found, expected = (f"version {one['version']}, files {one['files_sha256'][:16]}" for one in (code, frozen))
        yield Fault(where="multiverse", found=found, expected=f"the frozen {expected}")
    if runtime.lock != then["lock"]:
        found, expected = (
            "no lock file" if one is None else f"sha256 {one['sha256'][:16]} of {one['name']}"
            for one in (runtime.lock, then["lock"])
        )
        yield Fault(where="lock file", found=found, expected=f"the frozen {expected}")
    if runtime.environment["python"] != then["environment"]["python"]:
        found, expected = runtime.environment["python"], then["environment"]["python"]
        yield Fault(where="Python", found=f"version {found}", expected=f"the frozen {expected}")
    yield from _package_changes(runtime.environment["packages"], then["environment"]["packages"])


def _package_changes(now: Iterable[str], then: Iterable[str]) -> Iterator[Fault]:
    there, frozen = (dict(line.split("==", 1) for line in lines) for lines in (now, then))
    for name in sorted(there.keys() | frozen.keys()):
        if there.get(name) != frozen.get(name):
            found, expected = (f"version {one[name]}" if name in one else "not installed" for one in (there, frozen))
            yield Fault(where=name, found=found, expected=f"the frozen {expected}")
