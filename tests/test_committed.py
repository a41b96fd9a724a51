"""Whether a commit holds exactly the bytes of a file: hashed anew, whatever git status says."""

import os
from pathlib import Path

import pytest

from multiverse.errors import InputError
from multiverse.repository import CommittedPath, committed_paths
from repositories import commit, git, new_repository, settings

CRLF, LF = b"a: 1\r\n", b"a: 1\n"
DIFFER = (
    "{}: work tree bytes differ from commit {} though git status shows no change (line ends)\n"
    "  expected the committed bytes: put `specs/** -text` in .gitattributes, then commit the file again"
)
REWRITE = (
    "{}: git attributes may rewrite its bytes: {}\n"
    "  expected bytes kept as they are: put `specs/** {}` in .gitattributes"
)
HIDDEN = (
    "{}: hidden from git status (assume-unchanged/skip-worktree)\n"
    "  expected a file that git watches: git update-index --no-assume-unchanged --no-skip-worktree"
)
POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)


@pytest.fixture(autouse=True)
def no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return new_repository(tmp_path / "repository")


@pytest.fixture
def file(top: Path) -> Path:
    return top / "specs/a.yaml"


def found(top: Path, *files: Path, of: str = "HEAD") -> tuple[list[tuple[str | None, bool]], list[str]]:
    """What is said of files as they are on disk: path and whether committed, and the faults."""
    answer = committed_paths(top, {file: file.read_bytes() for file in files}, commit=of)
    assert list(answer.files) == list(files)
    return [(each.path, each.committed) for each in answer.files.values()], [str(fault) for fault in answer.faults]


def differ(top: Path, file: Path) -> str:
    return DIFFER.format(file, git(top, "rev-parse", "HEAD")[:12])


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_committed_bytes_are_held(tmp_path: Path, object_format: str) -> None:
    top = new_repository(tmp_path / "r", object_format=object_format)
    files = {"specs/a.yaml": LF, "specs/deep/er/b.yaml": b"", "c": b"\0\xff"}
    commit(top, files)
    assert found(top, *(top / name for name in files)) == ([(name, True) for name in files], [])


def test_an_executable_file_is_a_regular_one(top: Path, file: Path) -> None:
    commit(top, {"specs/a.yaml": LF})
    file.chmod(0o755)
    commit(top)
    assert found(top, file) == ([("specs/a.yaml", True)], [])


def test_nothing_is_asked_of_no_file(top: Path) -> None:
    assert found(top) == ([], [])


def test_nothing_is_held_before_the_first_commit(top: Path, file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(LF)
    assert found(top, file) == ([("specs/a.yaml", False)], [])


def test_a_file_that_is_changed_staged_new_or_ignored_is_no_fault(top: Path, tmp_path: Path) -> None:
    commit(top, {"changed": b"1", "staged": b"1", ".gitignore": b"ignored", "unstaged": b"1"})
    for name in ("changed", "staged", "new", "ignored", "added"):
        (top / name).write_bytes(b"22")
    git(top, "add", "staged", "added")
    git(top, "rm", "--quiet", "--cached", "unstaged")
    names = ["changed", "staged", "new", "ignored", "added"]
    assert found(top, *(top / name for name in names)) == ([(name, False) for name in names], [])
    assert found(top, top / "unstaged") == ([("unstaged", True)], [])


def test_a_file_in_conflict_is_no_fault(top: Path, file: Path) -> None:
    commit(top, {"specs/a.yaml": LF})
    git(top, "checkout", "--quiet", "-b", "side")
    commit(top, {"specs/a.yaml": b"a: 2\n"})
    git(top, "checkout", "--quiet", "main")
    commit(top, {"specs/a.yaml": b"a: 3\n"})
    with pytest.raises(AssertionError):
        git(top, "merge", "side")
    assert git(top, "status", "--porcelain") == "UU specs/a.yaml"
    assert found(top, file) == ([("specs/a.yaml", False)], [])


def test_a_file_outside_of_the_repository_has_no_path(top: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"")
    assert found(top, tmp_path / "outside") == ([(None, False)], [])


def test_the_given_bytes_are_compared_and_not_those_on_disk(top: Path, file: Path) -> None:
    commit(top, {"specs/a.yaml": LF})
    file.write_bytes(b"edited since it was read\n")
    assert committed_paths(top, {file: LF}).files == {file: CommittedPath(path="specs/a.yaml", committed=True)}


def test_paths_are_taken_from_the_working_directory_or_through_a_link_to_the_repository(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(top, {"specs/a.yaml": LF})
    (tmp_path / "link").symlink_to(top)
    monkeypatch.chdir(top / "specs")
    given = [Path("a.yaml"), Path("../specs/a.yaml"), tmp_path / "link/specs/a.yaml"]
    assert found(top, *given) == ([("specs/a.yaml", True)] * 3, [])


def test_an_earlier_commit_can_be_asked(top: Path, file: Path) -> None:
    first = commit(top, {"specs/a.yaml": LF})
    second = commit(top, {"specs/a.yaml": b"a: 2\n"})
    assert found(top, file, of=first) == ([("specs/a.yaml", False)], [])
    assert found(top, file, of=second) == ([("specs/a.yaml", True)], [])
    file.write_bytes(LF)
    assert found(top, file, of=first) == ([("specs/a.yaml", True)], [])


@pytest.mark.parametrize("name", ["HEAD~1", "main", "c34c814abf80", "A" * 40, "--all"])
def test_a_commit_that_is_not_a_full_id_is_refused(top: Path, name: str) -> None:
    with pytest.raises(InputError) as caught:
        committed_paths(top, {}, commit=name)
    assert str(caught.value) == f"commit: '{name}'\n  expected 40 or 64 lowercase hex digits"


HOSTILE = [
    *("with space", "-rf", "--help", 'quo"te', "ap'os", "new\nline", "tab\tname", "*", "[a-z]?", "ünï", "e\u0301"),
    *(
        ":(top)a",
        ":!a",
        "!a",
        "#a",
        "back\\slash",
        "$(touch PWNED)",
        "`id`",
        "%s",
        "HEAD",
        "a -> b",
        "\u202e",
        "\x1b[2J",
    ),
]


def test_files_with_hostile_names_are_told_apart(top: Path) -> None:
    """Both committed and changed, and next to a file that a pattern would match."""
    names = [*HOSTILE, *(f"{name}/{name}" for name in ("-d", "d *", ":(glob)**", "d\n"))]
    commit(top, {name: name.encode() for name in names})
    files = [top / name for name in names]
    assert found(top, *files) == ([(name, True) for name in names], [])
    for path in files:
        path.write_bytes(b"changed")
        assert found(top, *files)[0] == [(name, name != path.relative_to(top).as_posix()) for name in names]
        path.write_bytes(path.relative_to(top).as_posix().encode())


def test_a_name_that_is_no_text_is_found(top: Path) -> None:
    name = os.fsdecode(b"\xff\xfe")
    (top / name).write_bytes(b"1")
    commit(top)
    assert found(top, top / name) == ([(name, True)], [])


# What git status passes over


@pytest.mark.parametrize(("value", "content"), [("true", LF), ("input", CRLF)])
def test_line_ends_rewritten_by_a_setting(top: Path, file: Path, value: str, content: bytes) -> None:
    """With `true` on a checkout, with `input` when the file is added."""
    settings(top, core__autocrlf=value)
    commit(top, {"specs/a.yaml": content, "untouched": b"no line end"})
    if value == "true":
        file.unlink()
        git(top, "checkout", "--", "specs/a.yaml")
    assert (file.read_bytes(), git(top, "status", "--porcelain")) == (CRLF, "")
    assert found(top, file, top / "untouched") == (
        [("specs/a.yaml", False), ("untouched", True)],
        [differ(top, file)],
    )


@pytest.mark.parametrize(
    ("attribute", "shown", "remedy", "committed"),
    [
        ("text", "text", "-text", True),
        ("text=auto", "text=auto", "-text", True),
        ("eol=crlf", "eol=crlf", "-text", False),
        ("text eol=lf", "text, eol=lf", "-text", True),
        ("crlf=input", "crlf=input", "-text", True),
        ("ident", "ident", "-ident", False),
        ("filter=rot", "filter=rot", "-filter", False),
        ("filter=absent", "filter=absent", "-filter", True),
        ("working-tree-encoding=UTF-16LE", "working-tree-encoding=UTF-16LE", "-working-tree-encoding", False),
        (
            "text=auto filter=rot ident",
            "text=auto, ident, filter=rot",
            "-text -ident -filter",
            False,
        ),
    ],
)
def test_attributes_that_rewrite_bytes(
    top: Path, file: Path, attribute: str, shown: str, remedy: str, *, committed: bool
) -> None:
    settings(top, filter__rot__clean="tr a-z b-za", filter__rot__smudge="tr b-za a-z")
    commit(top, {".gitattributes": f"specs/** {attribute}\n".encode(), "specs/b.yaml": b""})
    text = "# $Id$\na: 1\n"
    file.write_bytes(text.encode("utf-16-le" if "UTF-16" in attribute else "utf-8"))
    commit(top)
    file.unlink()
    git(top, "checkout", "--", "specs/a.yaml")
    assert git(top, "status", "--porcelain") == ""
    differing = [] if committed else [differ(top, file)]
    assert found(top, file) == (
        [("specs/a.yaml", committed)],
        [REWRITE.format(file, shown, remedy), *differing],
    )


@pytest.mark.parametrize(
    "attribute", ["-text", "binary", "-text eol=crlf", "-text -filter -ident", "!text", "diff=python"]
)
def test_attributes_that_keep_bytes_are_fine(top: Path, file: Path, attribute: str) -> None:
    """Even where a setting would rewrite other files; but for two that say nothing of it."""
    commit(top, {".gitattributes": f"specs/** {attribute}\n".encode(), "specs/a.yaml": CRLF})
    settings(top, core__autocrlf="false" if attribute in ("!text", "diff=python") else "true")
    file.unlink()
    git(top, "checkout", "--", "specs/a.yaml")
    assert found(top, file) == ([("specs/a.yaml", True)], [])


def test_attributes_outside_of_the_commit_count(top: Path, file: Path) -> None:
    commit(top, {"specs/a.yaml": LF})
    (top / ".git/info").mkdir(exist_ok=True)
    (top / ".git/info/attributes").write_text("*.yaml filter=x\n")
    assert found(top, file) == ([("specs/a.yaml", True)], [REWRITE.format(file, "filter=x", "-filter")])


@pytest.mark.parametrize(
    "flags", [["--assume-unchanged"], ["--skip-worktree"], ["--assume-unchanged", "--skip-worktree"]]
)
@pytest.mark.parametrize("edited", [True, False])
def test_a_file_hidden_from_status(top: Path, file: Path, flags: list[str], *, edited: bool) -> None:
    commit(top, {"specs/a.yaml": LF, "specs/b.yaml": LF})
    for flag in flags:
        git(top, "update-index", flag, "specs/a.yaml")
    if edited:
        file.write_bytes(b"a: 2\n")
    assert git(top, "status", "--porcelain") == ""
    held = [("specs/a.yaml", not edited), ("specs/b.yaml", True)]
    assert found(top, file, top / "specs/b.yaml") == (held, [HIDDEN.format(file)])


def test_an_edit_that_keeps_size_and_time_is_never_committed(top: Path, file: Path) -> None:
    """git compares times of change by the second: where it sees the edit, the file is plainly changed."""
    settings(top, core__checkStat="minimal", core__trustctime="false")
    commit(top, {"specs/a.yaml": LF})
    os.utime(file, (1_700_000_000, 1_700_000_000))
    git(top, "update-index", "--refresh")
    file.write_bytes(b"a: 2\n")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    assert git(top, "status", "--porcelain") == ""
    held, faults = found(top, file)
    assert held == [("specs/a.yaml", False)]
    assert faults in ([], [differ(top, file)])


def test_a_replaced_blob_is_not_believed(top: Path, file: Path) -> None:
    commit(top, {"specs/a.yaml": LF})
    evil = git(top, "hash-object", "-w", "--stdin", given="EVIL\n")
    git(top, "replace", git(top, "rev-parse", "HEAD:specs/a.yaml"), evil)
    assert git(top, "show", "HEAD:specs/a.yaml") == "EVIL"
    assert found(top, file) == ([("specs/a.yaml", True)], [])
    assert committed_paths(top, {file: b"EVIL\n"}).files[file].committed is False


def test_ignored_and_untracked_files_are_not_committed_whatever_the_settings(top: Path) -> None:
    settings(top, status__showUntrackedFiles="no")
    commit(top, {"a": b""})
    (top / "b").write_bytes(b"")
    assert found(top, top / "b") == ([("b", False)], [])


# What is not a regular file of this repository


@pytest.mark.parametrize("name", ["specs/link.yaml", "linked/a.yaml"])
def test_a_symlink(top: Path, name: str) -> None:
    (top / "specs").mkdir()
    (top / "specs/link.yaml").symlink_to("a.yaml")
    (top / "linked").symlink_to("specs")
    commit(top, {"specs/a.yaml": LF})
    link = "linked" if name.startswith("linked") else name
    message = f"{top / name}: {link} is a symlink\n  expected a regular file of this repository"
    assert found(top, top / name) == ([(name, False)], [message])


def test_a_symlink_checked_out_as_a_file(top: Path, file: Path) -> None:
    file.parent.mkdir()
    file.symlink_to("b.yaml")
    commit(top)
    settings(top, core__symlinks="false")
    file.unlink()
    git(top, "checkout", "--", "specs/a.yaml")
    assert (file.read_bytes(), git(top, "status", "--porcelain")) == (b"b.yaml", "")
    short = git(top, "rev-parse", "HEAD")[:12]
    message = f"{file}: is a symlink in commit {short}\n  expected a regular file in the commit"
    assert found(top, file) == ([("specs/a.yaml", False)], [message])


@pytest.mark.parametrize("how", ["submodule", "nested", "worktree"])
def test_a_file_of_a_repository_inside_this_one(top: Path, tmp_path: Path, how: str) -> None:
    commit(top, {"b": b""})
    inner = new_repository(tmp_path / "inner")
    commit(inner, {"deep/a.yaml": LF})
    if how == "submodule":
        git(top, "submodule", "--quiet", "add", str(inner), "specs")
        commit(top)
    elif how == "nested":
        inner.rename(top / "specs")
    else:
        git(inner, "worktree", "add", "--quiet", "--detach", str(top / "specs"))
    file = top / "specs/deep/a.yaml"
    message = f"{file}: lies in a submodule or other repository: specs\n  expected a regular file of this repository"
    assert found(top, file) == ([("specs/deep/a.yaml", False)], [message])


def test_a_file_in_the_place_of_a_submodule_that_is_not_checked_out(top: Path, tmp_path: Path, file: Path) -> None:
    inner = new_repository(tmp_path / "inner")
    pinned = commit(inner, {"a.yaml": LF})
    git(top, "update-index", "--add", "--cacheinfo", f"160000,{pinned},specs")
    git(top, "commit", "--quiet", "--message=x")
    file.parent.mkdir()
    file.write_bytes(LF)
    short = git(top, "rev-parse", "HEAD")[:12]
    message = f"{file}: lies in a submodule in commit {short}\n  expected a regular file in the commit"
    assert found(top, file) == ([("specs/a.yaml", False)], [message])


def test_a_pointer_of_git_lfs_in_place_of_the_data(top: Path) -> None:
    data = top / "data.csv"
    commit(top, {"data.csv": POINTER})
    message = f"{data}: is a Git LFS pointer, not the data\n  expected the data, committed as it is"
    assert found(top, data) == ([("data.csv", True)], [message])


def test_every_fault_is_told_at_once(top: Path, file: Path) -> None:
    settings(top, core__autocrlf="input")
    (top / "link").symlink_to("specs")
    commit(top, {"specs/a.yaml": CRLF, "b": LF, "c": POINTER, ".gitattributes": b"b ident\n"})
    git(top, "update-index", "--assume-unchanged", "b")
    assert found(top, file, top / "b", top / "c", top / "link/a.yaml")[1] == [
        f"{top / 'link/a.yaml'}: link is a symlink\n  expected a regular file of this repository",
        f"{top / 'c'}: is a Git LFS pointer, not the data\n  expected the data, committed as it is",
        REWRITE.format(top / "b", "ident", "-ident"),
        HIDDEN.format(top / "b"),
        differ(top, file),
    ]
