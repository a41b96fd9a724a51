"""The objects that show a lock hash to their ids, lead to the paths, and go from the later commit back to the first."""

import hashlib
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from multiverse.errors import InputError
from multiverse.repository import Held, is_ancestor, lock_objects
from repositories import commit, git, new_repository

SPEC, RECEIPT = "specs/deep/a.yaml", "receipts/0001-freeze.json"
FULL = "\n  expected all history: git fetch --unshallow"
ABSENT = "is not in the repository, or cannot be read"
SOUND = "\n  expected a complete and undamaged clone: git fsck"


@pytest.fixture(autouse=True)
def no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return new_repository(tmp_path / "repository")


def locked(top: Path, between: int = 0) -> tuple[Held, Held]:
    """A freeze: the specs committed, some commits, the receipt committed."""
    first = commit(top, {SPEC: b"a: 1\n", "specs/b.yaml": b"b: 1\n", "other/c": b"c"})
    for number in range(between):
        commit(top, {"other/c": b"%d" % number})
    return Held(first, [SPEC, "specs/b.yaml"]), Held(commit(top, {RECEIPT: b"{}"}), [RECEIPT])


def refusal(top: Path, first: Held, later: Held) -> str:
    with pytest.raises(InputError) as caught:
        lock_objects(top, first=first, later=later)
    return str(caught.value)


# Read as an archive's verifier does, with the standard library and without git.


def plain_id(kind: str, content: bytes, digits: int) -> str:
    function = {40: hashlib.sha1, 64: hashlib.sha256}[digits]
    return function(f"{kind} {len(content)}\0".encode() + content).hexdigest()


def plain_tree(content: bytes, digits: int) -> dict[str, tuple[str, str]]:
    entries = {}
    while content:
        mode, _, rest = content.partition(b" ")
        name, _, rest = rest.partition(b"\0")
        entries[name.decode()] = (mode.decode(), rest[: digits // 2].hex())
        content = rest[digits // 2 :]
    return entries


def plain_blob(raw: Mapping[str, bytes], commit_id: str, path: str) -> str:
    """The id of the blob at a path of a commit."""
    mode, found = "40000", raw[f"{commit_id}.commit"].split(b"\n")[0].decode().removeprefix("tree ")
    for name in path.split("/"):
        assert mode == "40000"
        mode, found = plain_tree(raw[f"{found}.tree"], len(commit_id))[name]
    assert mode == "100644"
    return found


def plain_reaches(raw: Mapping[str, bytes], later: str, first: str) -> bool:
    if later == first:
        return True
    header = raw.get(f"{later}.commit", b"").split(b"\n\n")[0].decode().split("\n")
    return any(plain_reaches(raw, line[7:], first) for line in header if line.startswith("parent "))


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("between", [0, 3])
def test_the_objects_show_the_lock_without_git(tmp_path: Path, object_format: str, between: int) -> None:
    top = new_repository(tmp_path / "r", object_format=object_format)
    first, later = locked(top, between)
    raw = lock_objects(top, first=first, later=later)
    digits = len(first.commit)
    assert [
        name for name, content in raw.items() if plain_id(name.partition(".")[2], content, digits) != name[:digits]
    ] == []
    assert plain_blob(raw, first.commit, SPEC) == plain_id("blob", b"a: 1\n", digits)
    assert plain_blob(raw, first.commit, "specs/b.yaml") == plain_id("blob", b"b: 1\n", digits)
    assert plain_blob(raw, later.commit, RECEIPT) == plain_id("blob", b"{}", digits)
    assert plain_reaches(raw, later.commit, first.commit)
    assert list(raw) == sorted(raw)
    kinds = [name.partition(".")[2] for name in raw]
    assert (kinds.count("commit"), kinds.count("tree")) == (2 + between, 3 + 2)  # no tree that is not on the way


def test_packed_objects_are_the_same(top: Path) -> None:
    first, later = locked(top, 3)
    raw = lock_objects(top, first=first, later=later)
    git(top, "gc", "--quiet")
    git(top, "commit-graph", "write", "--reachable")
    assert lock_objects(top, first=first, later=later) == raw


def test_one_commit_can_be_both(top: Path) -> None:
    first, _ = locked(top)
    raw = lock_objects(top, first=first, later=Held(first.commit, []))
    assert sorted(name.partition(".")[2] for name in raw) == ["commit", "tree", "tree", "tree"]


def test_the_chain_is_the_shortest_through_merges(top: Path) -> None:
    first, _ = locked(top)
    git(top, "branch", "side")
    for _ in range(5):
        commit(top)
    git(top, "checkout", "--quiet", "side")
    commit(top, {"side": b""})
    side = git(top, "rev-parse", "HEAD")
    git(top, "checkout", "--quiet", "main")
    git(top, "merge", "--quiet", "--no-ff", "side", "--message=merge")
    merge, base = git(top, "rev-parse", "HEAD"), git(top, "rev-parse", "side~1")
    raw = lock_objects(top, first=first, later=Held(merge, []))
    commits = {name.partition(".")[0] for name in raw if name.endswith(".commit")}
    assert commits == {merge, side, base, first.commit}


def test_files_with_hostile_names_are_found(top: Path) -> None:
    names = ["- x/:(top)*", "new\nline/ü", 'quo"te', "--help"]
    first = commit(top, dict.fromkeys(names, b"1"))
    raw = lock_objects(top, first=Held(first, names), later=Held(first, []))
    assert {plain_blob(raw, first, name) for name in names} == {plain_id("blob", b"1", 40)}


def test_dates_do_not_matter(top: Path) -> None:
    """Git takes any date; order is ancestry."""
    first = commit(
        top, {"a": b""}, dates={"GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
    )
    later = commit(
        top, {"b": b""}, dates={"GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z"}
    )
    assert (is_ancestor(top, first, later), is_ancestor(top, later, first)) == (True, False)


def test_a_message_does_not_name_parents(top: Path) -> None:
    first = commit(top, {"a": b""})
    tree = git(top, "rev-parse", "HEAD^{tree}")
    forged = git(top, "commit-tree", tree, "-m", f"parent {first}\n\nparent {first}\ntree {first}")
    assert is_ancestor(top, first, forged) is False


def test_replaced_objects_are_not_read(top: Path) -> None:
    first, later = locked(top, 2)
    raw = lock_objects(top, first=first, later=later)
    evil = commit(top, {SPEC: b"EVIL"})
    git(top, "replace", first.commit, evil)
    git(top, "replace", git(top, "rev-parse", f"{later.commit}:receipts"), git(top, "rev-parse", "HEAD:specs"))
    assert git(top, "cat-file", "-p", f"{first.commit}:{SPEC}") == "EVIL"
    assert lock_objects(top, first=first, later=later) == raw


@pytest.mark.parametrize("graft", ["replace", "file"])
def test_a_graft_neither_hides_nor_makes_an_ancestor(top: Path, graft: str) -> None:
    first, later = locked(top, 2)
    other = git(top, "commit-tree", git(top, "rev-parse", "HEAD^{tree}"), "-m", "unrelated")
    if graft == "replace":
        git(top, "replace", "--graft", later.commit)
        git(top, "replace", "--graft", other, first.commit)
    else:
        (top / ".git/info").mkdir(exist_ok=True)
        (top / ".git/info/grafts").write_text(f"{later.commit}\n{other} {first.commit}\n")
    assert [git(top, "rev-list", "--count", each) for each in (later.commit, other)] == ["1", "2"]
    assert [is_ancestor(top, first.commit, each) for each in (later.commit, other)] == [True, False]


# What cannot be shown


@pytest.mark.parametrize("how", ["amend", "squash"])
def test_a_rewritten_history_does_not_lead_back(top: Path, how: str) -> None:
    root = commit(top, {"a": b""})
    first = Held(commit(top, {SPEC: b"a: 1\n"}), [SPEC])
    if how == "squash":
        git(top, "reset", "--quiet", "--soft", root)
        git(top, "commit", "--quiet", "--message=squashed")
    else:
        git(top, "commit", "--quiet", "--amend", "--message=amended")
    later = Held(commit(top, {RECEIPT: b"{}"}), [RECEIPT])
    assert is_ancestor(top, first.commit, later.commit) is False
    assert refusal(top, first, later) == (
        f"{top}: commit {first.commit[:12]} is not an ancestor of commit {later.commit[:12]}\n"
        "  expected history that is not rebased, amended or squashed"
    )


def test_a_shallow_clone_without_the_first_commit(top: Path, tmp_path: Path) -> None:
    first, later = locked(top, 3)
    git(tmp_path, "clone", "--quiet", "--depth=2", top.as_uri(), "shallow")
    shallow = tmp_path / "shallow"
    message = f"{shallow}: shallow clone: commit {first.commit[:12]} {ABSENT}{FULL}"
    assert refusal(shallow, first, later) == message
    git(shallow, "fetch", "--quiet", "--unshallow")
    assert lock_objects(shallow, first=first, later=later) == lock_objects(top, first=first, later=later)


def test_a_shallow_clone_with_both_ends_and_nothing_between(top: Path, tmp_path: Path) -> None:
    first, later = locked(top, 3)
    git(top, "tag", "freeze", first.commit)
    git(tmp_path, "clone", "--quiet", "--depth=1", top.as_uri(), "shallow")
    shallow = tmp_path / "shallow"
    git(shallow, "fetch", "--quiet", "--depth=1", "origin", "tag", "freeze")
    absent = git(top, "rev-parse", f"{later.commit}^")
    assert refusal(shallow, first, later) == (
        f"{shallow}: shallow clone: that commit {first.commit[:12]} is an ancestor of {later.commit[:12]} "
        f"cannot be checked: {absent[:12]} is not there{FULL}"
    )


def test_a_shallow_clone_deep_enough_will_do(top: Path, tmp_path: Path) -> None:
    commit(top, {"before": b""})
    first, later = locked(top, 1)
    git(tmp_path, "clone", "--quiet", "--depth=3", top.as_uri(), "shallow")
    assert lock_objects(tmp_path / "shallow", first=first, later=later) == lock_objects(top, first=first, later=later)


def test_an_object_that_a_partial_clone_left_out_is_not_fetched(top: Path, tmp_path: Path) -> None:
    """To fetch is to run what the settings name."""
    first, later = locked(top)
    git(top, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=tree:0", top.as_uri(), "partial")
    partial = tmp_path / "partial"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'PWNED'}'\n")
    script.chmod(0o755)
    git(partial, "config", "remote.origin.uploadpack", str(script))
    git(partial, "config", "protocol.file.allow", "always")
    tree = git(top, "rev-parse", f"{first.commit}^{{tree}}")
    assert refusal(partial, first, later) == (f"{partial}: tree {tree[:12]} {ABSENT}{SOUND}")
    assert not (tmp_path / "PWNED").exists()


def test_a_path_that_a_commit_does_not_hold_as_a_file(top: Path) -> None:
    pinned = commit(top, {"specs/a.yaml": b""})
    (top / "link").symlink_to("specs/a.yaml")
    (top / "folder").symlink_to("specs")
    git(top, "add", "--all")
    git(top, "update-index", "--add", "--cacheinfo", f"160000,{pinned},sub")
    git(top, "commit", "--quiet", "--message=x")
    held = git(top, "rev-parse", "HEAD")
    paths = ["link", "folder/a.yaml", "sub", "sub/a.yaml", "specs", "none", "specs/none/a", "specs/a.yaml/b", "", ".."]
    short, expected = held[:12], "\n  expected a regular file in the commit"
    says = [*["is a symlink in"] * 2, *["lies in a submodule in"] * 2, "is a folder in"]
    faults = [f"{path}: {words} commit {short}{expected}" for path, words in zip(paths[:5], says, strict=True)]
    faults += [f"{path}: commit {short} does not contain {path}{expected}" for path in paths[5:]]
    assert refusal(top, Held(held, paths), Held(held, [])) == "\n\n".join(faults)


def test_a_mode_of_old_is_not_a_regular_file(top: Path) -> None:
    """Git no longer writes it, and a verifier need not know it."""
    blob = git(top, "hash-object", "-w", "--stdin", given="1")
    content = b"100664 a\0" + bytes.fromhex(blob)
    tree = plain_id("tree", content, 40)
    (top / ".git/objects" / tree[:2]).mkdir(exist_ok=True)
    (top / ".git/objects" / tree[:2] / tree[2:]).write_bytes(zlib.compress(b"tree %d\0" % len(content) + content))
    held = git(top, "commit-tree", tree, "-m", "x")
    message = f"a: has the mode 100664 in commit {held[:12]}\n  expected a regular file in the commit"
    assert refusal(top, Held(held, ["a"]), Held(held, [])) == message


def test_an_id_of_something_else_is_refused(top: Path) -> None:
    first, later = locked(top)
    tree = git(top, "rev-parse", "HEAD^{tree}")
    git(top, "tag", "--annotate", "--message=x", "v1")
    tag = git(top, "rev-parse", "v1")
    says = [
        f"{top}: object {each[:12]} is a {kind}\n  expected a commit" for each, kind in ((tree, "tree"), (tag, "tag"))
    ]
    assert [refusal(top, Held(each, []), later) for each in (tree, tag)] == says
    assert refusal(top, first, Held("HEAD", [])) == "commit: 'HEAD'\n  expected 40 or 64 lowercase hex digits"
    assert refusal(top, Held("0" * 40, []), later) == (f"{top}: commit 000000000000 {ABSENT}{SOUND}")


@pytest.mark.parametrize(
    ("damaged", "says"),
    [
        (
            lambda stored: zlib.compress(zlib.decompress(stored).replace(b"a@example", b"b@example")),
            "object {} does not hash to its id",
        ),
        (lambda stored: b"rubbish", f"commit {{}} {ABSENT}"),
        (lambda stored: b"", f"commit {{}} {ABSENT}"),
        (lambda stored: stored[:40], f"commit {{}} {ABSENT}"),
    ],
)
def test_a_damaged_object_is_refused(top: Path, damaged: Callable[[bytes], bytes], says: str) -> None:
    first, later = locked(top)
    stored = top / ".git/objects" / first.commit[:2] / first.commit[2:]
    stored.chmod(0o644)
    stored.write_bytes(damaged(stored.read_bytes()))
    message = f"{top}: {says.format(first.commit[:12])}{SOUND}"
    assert refusal(top, first, later) == message


def test_a_folder_that_is_no_repository_is_refused_in_the_words_of_git(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        is_ancestor(tmp_path, "0" * 40, "1" * 40)
    assert str(caught.value) == (
        f"{tmp_path}: git refuses: not a git repository (or any of the parent directories): .git\n"
        "  expected a repository that git can read"
    )
