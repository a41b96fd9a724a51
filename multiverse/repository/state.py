"""Where a repository is, and its state as a receipt records it."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from multiverse.errors import InputError
from multiverse.repository.command import has_git, lines, refusal, run
from multiverse.repository.objects import SUBMODULE, open_objects, tree_of

MOST_STATUS_LINES = 200
STATUS = ("status", "--porcelain=v2", "--untracked-files=all", "--ignore-submodules=none", "--no-renames")
_NO_WORK_TREE = (
    "not a git repository (or any",
    "must be run in a work tree",
    "use bare repository",
    "cannot change to",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class GitState:
    """A repository as a receipt records it; all text is ASCII, with paths quoted as git quotes them."""

    commit: str | None  # of HEAD; None before the first commit
    tree: str | None
    object_format: Literal["sha1", "sha256"]
    shallow: bool
    clean: bool  # nothing changed, untracked or hidden from status; ignored files do not count
    status: (
        str  # lines of porcelain v2, then `h`, `S` or `s` and hidden files, then `!` and ignored files under the roots
    )
    submodules: tuple[str, ...]  # of the commit: id, space, path


def find_repository(folder: Path) -> Path | None:
    """The top of the work tree that holds a folder; None without git, outside of any repository, or in a bare one.

    A repository that git refuses to read (another user owns it, its settings are damaged) raises InputError: a freeze
    that went on without it would be weaker than its author believes.
    """
    if not has_git():
        return None
    done = run(folder, "rev-parse", "--show-toplevel")
    if done.returncode == 0:
        top, here = Path(os.fsdecode(done.stdout.removesuffix(b"\n"))), folder.resolve()
        return top if top in (here, *here.parents) else None  # core.worktree can point elsewhere
    if any(words in os.fsdecode(done.stderr) for words in _NO_WORK_TREE):
        return None
    raise InputError([refusal(folder, done.stderr)])


def git_state(top: Path, roots: Iterable[Path]) -> GitState:
    """The state of a repository; ignored files are listed where they lie under one of the roots."""
    commit = head(top)
    object_format, shallow = lines(top, "rev-parse", "--show-object-format", "--is-shallow-repository")
    changed = sorted(line for line in lines(top, *STATUS) if not line.startswith("#"))
    hidden = sorted(line for line in lines(top, "ls-files", "-v") if is_hidden(line[0]))
    return GitState(
        commit=commit,
        tree=None if commit is None else _tree(top, commit),
        object_format="sha256" if object_format == "sha256" else "sha1",
        shallow=shallow == "true",
        clean=not changed and not hidden,
        status=_cut([*changed, *hidden, *_ignored(top, roots)]),
        submodules=() if commit is None else tuple(_submodules(top, commit)),
    )


def head(top: Path) -> str | None:
    """The id of the commit that HEAD names; None before the first one."""
    done = run(top, "rev-parse", "--verify", "--quiet", "HEAD")
    if done.returncode > 1:
        raise InputError([refusal(top, done.stderr)])
    return done.stdout.decode("ascii").strip() or None


def is_hidden(tag: str) -> bool:
    """Whether `git ls-files -v` marks a file as assume-unchanged (lower case) or skip-worktree (S)."""
    return tag.islower() or tag == "S"


def _cut(status: list[str]) -> str:
    left_out = len(status) - MOST_STATUS_LINES
    return "\n".join([*status[:MOST_STATUS_LINES], *([f"... and {left_out} more lines"] if left_out > 0 else [])])


def _tree(top: Path, commit: str) -> str:
    with open_objects(top) as objects:
        return tree_of(objects.read(commit, "commit"))


def _submodules(top: Path, commit: str) -> Iterator[str]:
    for line in lines(top, "ls-tree", "-r", "--full-tree", commit):
        about, _, path = line.partition("\t")
        mode, _, object_id = about.split(" ")
        if mode == SUBMODULE:
            yield f"{object_id} {path}"


def _ignored(top: Path, roots: Iterable[Path]) -> list[str]:
    whole = [root.resolve() for root in roots]
    inside = sorted({root.relative_to(top).as_posix() for root in whole if root.is_relative_to(top)})
    found = lines(top, *STATUS, "--ignored=traditional", "--", *inside) if inside else []
    return sorted(line for line in found if line.startswith("! "))
