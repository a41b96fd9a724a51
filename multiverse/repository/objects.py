"""Commits and trees as git stores them, each hashed to its id, and the raw ones that show a lock without git."""

import hashlib
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal, NamedTuple

from multiverse.errors import Fault, InputError, quoted
from multiverse.repository.command import lines, running

REGULAR, FOLDER, LINK, SUBMODULE = frozenset({"100644", "100755"}), "40000", "120000", "160000"

_WHOLE = "a complete and undamaged clone: git fsck"

Kind = Literal["blob", "tree", "commit"]


class Held(NamedTuple):
    """A commit, by its full id, and paths that it has to hold as regular files."""

    commit: str
    paths: Sequence[str]


class Entry(NamedTuple):
    """What a tree holds under a name: the mode, and the id of the object."""

    mode: str
    id: str


class Walk(NamedTuple):
    """What was met on the way from a commit to a path."""

    entry: Entry | None  # at the path; or the link or submodule that is in the way
    raw: dict[str, bytes]  # the commit and every tree that was read, by name


def is_ancestor(top: Path, first: str, later: str) -> bool:
    """Whether a commit (a full id) is reached from another through parents; each is its own ancestor."""
    with open_objects(top) as objects:
        return _parent_chain(objects, full_id(first), full_id(later)) is not None


def lock_objects(top: Path, *, first: Held, later: Held) -> dict[str, bytes]:
    """The raw objects that show, without git, what two commits hold and that the first is an ancestor of the later.

    They are the commits of one shortest chain of parents and the trees on the way to each path, named `<id>.commit` and
    `<id>.tree`. The id is the SHA-1 (40 digits) or SHA-256 (64) of kind, space, size, NUL and content.
    """
    start, end = full_id(first.commit), full_id(later.commit)
    raw: dict[str, bytes] = {}
    faults: list[Fault] = []
    with open_objects(top) as objects:
        for commit, path in [(held.commit, path) for held in (first, later) for path in held.paths]:
            entry, met = walk(objects, commit, path)
            raw |= met
            faults += unfit(path, path, commit, entry)
        chain = _parent_chain(objects, start, end)
        raw |= {f"{commit}.commit": objects.read(commit, "commit") for commit in chain or ()}
    if chain is None:
        found = f"commit {short(start)} is not an ancestor of commit {short(end)}"
        faults.append(Fault(where=str(top), found=found, expected="history that is not rebased, amended or squashed"))
    if faults:
        raise InputError(faults)
    return dict(sorted(raw.items()))


class Objects:
    """The objects of a repository by id, from one running `git cat-file`; each is hashed to its id."""

    def __init__(self, top: Path, questions: IO[bytes], answers: IO[bytes]) -> None:
        self.top = top
        self._questions = questions
        self._answers = answers

    def get(self, object_id: str, kind: Kind) -> bytes | None:
        """The content of an object; None where the repository does not have it."""
        self._questions.write(object_id.encode("ascii") + b"\n")
        self._questions.flush()
        header = self._answers.readline().decode("ascii").split()
        if header[1:] == ["missing"]:
            return None
        if len(header) != 3:  # git has ended: the object is damaged, or would have to be fetched
            raise InputError([self._missing(object_id, kind)])
        content = self._answers.read(int(header[2]))
        self._answers.read(1)
        if header[1] != kind:
            raise InputError([self._fault(object_id, f"is a {header[1]}", f"a {kind}")])
        if hash_object(kind, content, like=object_id) != object_id:
            raise InputError([self._fault(object_id, "does not hash to its id", _WHOLE)])
        return content

    def read(self, object_id: str, kind: Kind) -> bytes:
        """The content of an object that has to be there."""
        content = self.get(object_id, kind)
        if content is None:
            raise InputError([self._missing(object_id, kind)])
        return content

    def _missing(self, object_id: str, kind: Kind) -> Fault:
        return missing(self.top, f"{kind} {short(object_id)} is not in the repository, or cannot be read")

    def _fault(self, object_id: str, found: str, expected: str) -> Fault:
        return Fault(where=str(self.top), found=f"object {short(object_id)} {found}", expected=expected)


@contextmanager
def open_objects(top: Path) -> Iterator[Objects]:
    """The objects of a repository, for as long as the block lasts; InputError where git refuses to read it."""
    lines(top, "rev-parse", "--is-inside-work-tree")
    with running(top, "cat-file", "--batch") as process:
        assert process.stdin is not None and process.stdout is not None
        yield Objects(top, process.stdin, process.stdout)


def hash_object(kind: Kind, content: bytes, *, like: str) -> str:
    """The id of an object, in the hash function of another id."""
    digest = hashlib.sha1(usedforsecurity=False) if len(like) == 40 else hashlib.sha256()
    digest.update(b"%s %d\0" % (kind.encode("ascii"), len(content)))
    digest.update(content)
    return digest.hexdigest()


def full_id(commit: str) -> str:
    """The id itself; InputError where it is short, in upper case, or a name."""
    if len(commit) in (40, 64) and not set(commit) - set("0123456789abcdef"):
        return commit
    raise InputError([Fault(where="commit", found=quoted(commit), expected="40 or 64 lowercase hex digits")])


def short(object_id: str) -> str:
    """As much of an id as a message needs."""
    return object_id[:12]


def missing(top: Path, found: str) -> Fault:
    """The fault of an object that is not there, which is no surprise in a shallow clone."""
    if lines(top, "rev-parse", "--is-shallow-repository") == ["true"]:
        return Fault(where=str(top), found=f"shallow clone: {found}", expected="all history: git fetch --unshallow")
    return Fault(where=str(top), found=found, expected=_WHOLE)


def tree_of(commit: bytes) -> str:
    """The id of a commit's tree, which its first line names."""
    return commit.partition(b"\n")[0].decode("ascii").removeprefix("tree ")


def walk(objects: Objects, commit: str, path: str) -> Walk:
    """Go from a commit through its trees to a path."""
    content = objects.read(commit, "commit")
    raw = {f"{commit}.commit": content}
    entry = Entry(FOLDER, tree_of(content))
    for name in path.split("/"):
        if entry.mode != FOLDER:
            return Walk(None if entry.mode in REGULAR else entry, raw)
        raw[f"{entry.id}.tree"] = tree = objects.read(entry.id, "tree")
        found = dict(_entries(tree, id_bytes=len(commit) // 2)).get(os.fsencode(name))
        if found is None:
            return Walk(None, raw)
        entry = found
    return Walk(entry, raw)


def unfit(where: str, path: str, commit: str, entry: Entry | None) -> list[Fault]:
    """The fault of a path that a commit does not hold as a regular file; none where it does."""
    if entry is not None and entry.mode in REGULAR:
        return []
    if entry is None:
        found = f"commit {short(commit)} does not contain {path}"
    else:
        kinds = {LINK: "is a symlink", SUBMODULE: "lies in a submodule", FOLDER: "is a folder"}
        found = f"{kinds.get(entry.mode, f'has the mode {entry.mode}')} in commit {short(commit)}"
    return [Fault(where=where, found=found, expected="a regular file in the commit")]


def _entries(tree: bytes, *, id_bytes: int) -> Iterator[tuple[bytes, Entry]]:
    """The entries of a tree: mode, space, name, NUL and the bytes of the id, one after the other."""
    start = 0
    while start < len(tree):
        space, end = tree.index(b" ", start), tree.index(b"\0", start)
        after = end + 1 + id_bytes
        yield tree[space + 1 : end], Entry(tree[start:space].decode("ascii"), tree[end + 1 : after].hex())
        start = after


def _parents(commit: bytes) -> list[str]:
    head = commit.partition(b"\n\n")[0].split(b"\n")
    return [line.removeprefix(b"parent ").decode("ascii") for line in head if line.startswith(b"parent ")]


def _parent_chain(objects: Objects, first: str, later: str) -> list[str] | None:
    """One shortest chain of commits from the first to the later, each a parent of the next; None: not an ancestor."""
    for end in (first, later):
        objects.read(end, "commit")
    child: dict[str, str | None] = {later: None}
    queue, absent = deque([later]), list[str]()
    while queue:
        commit = queue.popleft()
        if commit == first:
            return _onward(child, first)
        content = objects.get(commit, "commit")
        if content is None:
            absent.append(commit)
            continue
        fresh = {parent: commit for parent in _parents(content) if parent not in child}
        child |= fresh
        queue += fresh
    if absent:
        claim = f"{short(first)} is an ancestor of {short(later)} cannot be checked: {short(absent[0])} is not there"
        raise InputError([missing(objects.top, f"that commit {claim}")])
    return None


def _onward(child: Mapping[str, str | None], first: str) -> list[str]:
    chain, commit = [first], child[first]
    while commit is not None:
        chain.append(commit)
        commit = child[commit]
    return chain
