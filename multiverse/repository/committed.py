"""Whether a commit holds exactly the bytes of some files, and what makes git see them otherwise than they are."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from multiverse.errors import Fault
from multiverse.repository.command import fields
from multiverse.repository.objects import REGULAR, Entry, full_id, hash_object, open_objects, short, unfit, walk
from multiverse.repository.state import STATUS, head, is_hidden

_REWRITING = ("text", "crlf", "eol", "ident", "filter", "working-tree-encoding")  # gitattributes(5)
_LINE_ENDS = ("text", "crlf", "eol")
_LFS = b"version https://git-lfs.github.com/spec/"
_FIELDS_BEFORE_PATH = {"1": 8, "u": 10, "?": 1}  # in a status entry, by its kind


@dataclass(frozen=True, kw_only=True, slots=True)
class CommittedPath:
    """A file's path in the repository (None: outside of it), and whether the commit holds exactly its bytes there."""

    path: str | None
    committed: bool


class CommittedPaths(NamedTuple):
    """What a commit holds of some files, and whatever makes git see them otherwise than they are."""

    files: dict[Path, CommittedPath]
    faults: tuple[Fault, ...]


class _File(NamedTuple):
    given: Path
    path: str
    content: bytes


def committed_paths(top: Path, files: Mapping[Path, bytes], *, commit: str = "HEAD") -> CommittedPaths:
    """Whether a commit holds exactly these bytes, for each file; one that is plainly changed or new is no fault."""
    latest = head(top)
    named = latest if commit == "HEAD" else full_id(commit)
    places = {file: _path_inside(top, file) for file in files}
    inside = [_File(file, path, files[file]) for file, path in places.items() if path is not None]
    apart = {file: found for file in inside if (found := _apart_faults(top, file))}
    plain = [file for file in inside if file not in apart]
    hidden = _hidden(top, plain)
    explained = hidden | _changed(top, plain)
    quiet = [file for file in plain if file.path not in explained]
    held = {file.given for file, entry in _entries(top, named, plain) if _is_held(file, entry)}
    return CommittedPaths(
        files={file: CommittedPath(path=places[file], committed=file in held) for file in files},
        faults=(
            *(fault for found in apart.values() for fault in found),
            *(_pointer_fault(file) for file, content in files.items() if content.startswith(_LFS)),
            *_attribute_faults(top, plain),
            *(_hidden_fault(file.given) for file in plain if file.path in hidden),
            *_rewritten_faults(top, latest, quiet),
        ),
    )


def _path_inside(top: Path, file: Path) -> str | None:
    """A file's path from the top, with links inside the repository left as they are; None outside of it."""
    whole = Path(os.path.abspath(file))
    above = next((folder for folder in reversed(whole.parents) if folder.resolve() == top), None)
    return None if above is None else whole.relative_to(above).as_posix()


def _apart_faults(top: Path, file: _File) -> list[Fault]:
    """The faults of a file that is reached through a link, or belongs to a repository inside this one."""
    names = file.path.split("/")
    steps = {"/".join(names[:n]): top.joinpath(*names[:n]) for n in range(1, len(names) + 1)}
    links = [f"{name} is a symlink" for name, step in steps.items() if step.is_symlink()]
    inner = [
        f"lies in a submodule or other repository: {name}"
        for name, step in steps.items()
        if os.path.lexists(step / ".git")
    ]
    expected = "a regular file of this repository"
    return [Fault(where=str(file.given), found=found, expected=expected) for found in links[:1] + inner[:1]]


def _pointer_fault(file: Path) -> Fault:
    return Fault(where=str(file), found="is a Git LFS pointer, not the data", expected="the data, committed as it is")


def _attribute_faults(top: Path, files: list[_File]) -> Iterator[Fault]:
    """The faults of files whose attributes let git store or check out other bytes."""
    answer = fields(top, "check-attr", "-z", *_REWRITING, "--", *_paths(files)) if files else []
    values = {(path, name): value for path, name, value in zip(answer[::3], answer[1::3], answer[2::3], strict=True)}
    for file in files:
        given = {name: values[file.path, name] for name in _REWRITING}
        ignored = _LINE_ENDS if given["text"] == "unset" else ()  # git then looks at no other attribute of line ends
        found = {n: v for n, v in given.items() if v not in ("unset", "unspecified") and n not in ignored}
        if found:
            shown = ", ".join(name if value == "set" else f"{name}={value}" for name, value in found.items())
            remedy = " ".join(dict.fromkeys("-text" if name in _LINE_ENDS else f"-{name}" for name in found))
            expected = f"bytes kept as they are: put `specs/** {remedy}` in .gitattributes"
            yield Fault(
                where=str(file.given), found=f"git attributes may rewrite its bytes: {shown}", expected=expected
            )


def _hidden_fault(file: Path) -> Fault:
    found = "hidden from git status (assume-unchanged/skip-worktree)"
    expected = "a file that git watches: git update-index --no-assume-unchanged --no-skip-worktree"
    return Fault(where=str(file), found=found, expected=expected)


def _rewritten_faults(top: Path, latest: str | None, quiet: list[_File]) -> Iterator[Fault]:
    """The faults of files that git status passes over although the latest commit does not hold their bytes."""
    for file, entry in _entries(top, latest, quiet):
        if latest is None or entry is None or _is_held(file, entry):
            continue
        found = f"work tree bytes differ from commit {short(latest)} though git status shows no change (line ends)"
        expected = "the committed bytes: put `specs/** -text` in .gitattributes, then commit the file again"
        rewritten = Fault(where=str(file.given), found=found, expected=expected)
        yield from unfit(str(file.given), file.path, latest, entry) or [rewritten]


def _entries(top: Path, commit: str | None, files: list[_File]) -> list[tuple[_File, Entry | None]]:
    """What a commit holds at the path of each file."""
    if commit is None:
        return []
    with open_objects(top) as objects:
        return [(file, walk(objects, commit, file.path).entry) for file in files]


def _is_held(file: _File, entry: Entry | None) -> bool:
    return entry is not None and entry.mode in REGULAR and entry.id == hash_object("blob", file.content, like=entry.id)


def _paths(files: Iterable[_File]) -> list[str]:
    return [file.path for file in files]


def _hidden(top: Path, files: list[_File]) -> set[str]:
    found = fields(top, "ls-files", "-v", "-z", "--", *_paths(files)) if files else []
    return {entry[2:] for entry in found if is_hidden(entry[0])}


def _changed(top: Path, files: list[_File]) -> set[str]:
    """The paths that git status has something to say about."""
    found = fields(top, *STATUS, "-z", "--", *_paths(files)) if files else []
    return {entry.split(" ", _FIELDS_BEFORE_PATH[entry[0]])[-1] for entry in found if entry[0] != "#"}
