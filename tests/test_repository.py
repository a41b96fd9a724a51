"""Where a repository is and its state: nothing the repository configures hides a change or runs a command."""

import os
from pathlib import Path

import pytest

from multiverse.errors import InputError
from multiverse.repository import GitState, find_repository, git_state
from repositories import commit, git, new_repository, settings

A = {"specs/a.yaml": b"a: 1\n"}
# Python would import each of these when it starts, or when it looks for a module.
SITE = "sitecustomize.py"


@pytest.fixture(autouse=True)
def no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository with one commit."""
    made = new_repository(tmp_path / "repository")
    commit(made, A)
    return made


def refusal(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        find_repository(folder)
    return str(caught.value)


def executable(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


# Where


def test_the_top_is_found_from_a_folder_below_and_through_a_link(top: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(top / "specs")
    assert [find_repository(folder) for folder in (top, top / "specs", tmp_path / "link")] == [top, top, top]


@pytest.mark.parametrize("name", ["with space", "-C", "ünï", "new\nline", 'quo"te', "*", ":(top)"])
def test_a_repository_in_a_folder_with_a_hostile_name_is_found(tmp_path: Path, name: str) -> None:
    made = new_repository(tmp_path / name)
    (made / name).mkdir()
    assert find_repository(made / name) == made


def test_there_is_none_outside_of_a_repository(tmp_path: Path) -> None:
    assert find_repository(tmp_path) is None


def test_there_is_none_where_there_is_no_folder(tmp_path: Path) -> None:
    assert find_repository(tmp_path / "nowhere") is None


def test_there_is_none_in_a_bare_repository_or_in_the_git_folder(top: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(top), "bare")
    assert [find_repository(tmp_path / "bare"), find_repository(top / ".git")] == [None, None]


def test_there_is_none_without_git(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(top / "specs"))
    assert find_repository(top) is None
    with pytest.raises(InputError) as caught:
        git_state(top, [])
    assert str(caught.value) == f"{top}: git is not on the PATH\n  expected git installed"


def test_a_work_tree_elsewhere_is_not_the_one_that_holds_the_folder(top: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    settings(top, core__worktree=str(tmp_path / "elsewhere"))
    assert find_repository(top) is None


def test_the_environment_does_not_lead_to_another_repository(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = new_repository(tmp_path / "other")
    commit(other, {"b": b""})
    before = git_state(top, [])
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.worktree")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(other))
    assert (find_repository(top), git_state(top, [])) == (top, before)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_user_is_refused_with_the_remedy(top: Path) -> None:
    os.chown(top / ".git", 12345, 12345)
    os.chown(top, 12345, 12345)
    assert refusal(top / "specs") == (
        f"{top / 'specs'}: git refuses: detected dubious ownership in repository at '{top}'\n"
        f"  expected your own repository; to trust this one: git config --global --add safe.directory {top}"
    )


def test_a_repository_with_damaged_settings_is_refused(top: Path) -> None:
    (top / ".git" / "config").write_text("[core\n")
    assert (
        refusal(top)
        == f"{top}: git refuses: bad config line 1 in file .git/config\n  expected a repository that git can read"
    )


def test_a_work_tree_whose_repository_is_gone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / ".git").write_text(f"gitdir: {tmp_path / 'gone'}\n")
    assert refusal(tmp_path / "tree") == (
        f"{tmp_path / 'tree'}: git refuses: not a git repository: {tmp_path / 'gone'}\n"
        "  expected a repository that git can read"
    )


# The state


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_the_state_of_a_clean_repository(tmp_path: Path, object_format: str) -> None:
    top = new_repository(tmp_path / "r", object_format=object_format)
    head = commit(top, A)
    assert git_state(top, [top]) == GitState(
        commit=head,
        tree=git(top, "rev-parse", "HEAD^{tree}"),
        object_format="sha256" if object_format == "sha256" else "sha1",
        shallow=False,
        clean=True,
        status="",
        submodules=(),
    )
    assert len(head) == (64 if object_format == "sha256" else 40)


def test_the_state_before_the_first_commit(tmp_path: Path) -> None:
    top = new_repository(tmp_path / "r")
    (top / "a").write_bytes(b"")
    assert git_state(top, [top]) == GitState(
        commit=None, tree=None, object_format="sha1", shallow=False, clean=False, status="? a", submodules=()
    )


def test_the_state_of_an_added_work_tree(top: Path, tmp_path: Path) -> None:
    git(top, "worktree", "add", "--quiet", "--detach", str(tmp_path / "tree"))
    added = find_repository(tmp_path / "tree" / "specs")
    assert added == tmp_path / "tree"
    assert git_state(added, []) == git_state(top, [])
    (added / "new").write_bytes(b"")
    assert (git_state(added, []).status, git_state(top, []).status) == ("? new", "")


def test_changes_are_listed_in_order_and_in_ascii(top: Path) -> None:
    head = commit(top, {"gone": b"1\n", "staged": b"2\n"})
    (top / "gone").unlink()
    (top / "staged").write_bytes(b"3\n")
    git(top, "add", "staged")
    for name in ("new\nline", "ü", "- '*"):
        (top / name).write_bytes(b"")
    one, two, three = (git(top, "hash-object", "--stdin", given=text) for text in ("1\n", "2\n", "3\n"))
    state = git_state(top, [])
    assert (state.commit, state.clean, state.status.splitlines()) == (
        head,
        False,
        [
            f"1 .D N... 100644 100644 000000 {one} {one} gone",
            f"1 M. N... 100644 100644 100644 {two} {three} staged",
            '? "\\303\\274"',
            '? "new\\nline"',
            "? - '*",
        ],
    )


def test_a_long_status_is_cut_and_says_so(top: Path) -> None:
    for number in range(203):
        (top / f"{number:03}").write_bytes(b"")
    lines = git_state(top, []).status.splitlines()
    assert lines == [*(f"? {number:03}" for number in range(200)), "... and 3 more lines"]


def test_a_setting_does_not_hide_untracked_files(top: Path) -> None:
    settings(top, status__showUntrackedFiles="no")
    (top / SITE).write_bytes(b"")
    assert git(top, "status", "--porcelain") == ""
    assert (git_state(top, []).clean, git_state(top, []).status) == (False, f"? {SITE}")


@pytest.mark.parametrize("ignores", [".git/info/exclude", ".gitignore", "../home/ignore"])
def test_an_ignored_file_is_listed_where_it_lies_under_a_root(top: Path, ignores: str) -> None:
    settings(top, core__excludesFile=str(top / "../home/ignore"))
    (top / ignores).write_text(f"{SITE}\n/.gitignore\n")
    for folder in ("", "specs/", "specs/deep [*]/", "other/"):
        (top / folder).mkdir(exist_ok=True)
        (top / folder / SITE).write_bytes(b"")
    assert git(top, "status", "--porcelain") == ""
    assert git_state(top, []).status == ""
    state = git_state(top, [top / "specs", top.parent, top / "specs" / "deep [*]"])
    listed = [f"! specs/deep [*]/{SITE}", f"! specs/{SITE}"]
    assert (state.clean, state.status.splitlines()) == (True, listed)
    own = ["! .gitignore"] if ignores == ".gitignore" else []
    assert git_state(top, [top]).status.splitlines() == [*own, f"! other/{SITE}", f"! {SITE}", *listed]


@pytest.mark.parametrize(("flag", "mark"), [("--assume-unchanged", "h"), ("--skip-worktree", "S")])
def test_a_file_hidden_from_status_makes_the_tree_unclean(top: Path, flag: str, mark: str) -> None:
    git(top, "update-index", flag, "specs/a.yaml")
    (top / "specs/a.yaml").write_bytes(b"a: 2\n")
    assert git(top, "status", "--porcelain") == ""
    state = git_state(top, [])
    assert (state.clean, state.status) == (False, f"{mark} specs/a.yaml")


def test_an_edit_that_keeps_size_and_time_is_seen(top: Path) -> None:
    """With these settings git compares nothing else; but another file in its place has another inode."""
    settings(top, core__checkStat="minimal", core__trustctime="false")
    os.utime(top / "specs/a.yaml", (1_700_000_000, 1_700_000_000))
    git(top, "update-index", "--refresh")
    (top / "other").write_bytes(b"a: 2\n")
    os.utime(top / "other", (1_700_000_000, 1_700_000_000))
    (top / "other").replace(top / "specs/a.yaml")
    assert git(top, "status", "--porcelain") == ""
    assert git_state(top, []).clean is False


def test_nothing_that_the_repository_configures_is_run(top: Path, tmp_path: Path) -> None:
    """In a submodule neither."""
    pwned = tmp_path / "PWNED"
    script = executable(tmp_path / "script", f"touch '{pwned}'")
    git(top, "submodule", "--quiet", "add", str(top), "sub")
    commit(top)
    for each in (top, top / "sub"):
        settings(each, core__fsmonitor=str(script), core__hooksPath=str(tmp_path))
    for hook in ("post-index-change", "reference-transaction"):
        executable(tmp_path / hook, f"touch '{pwned}'")
    (top / "sub" / "new").write_bytes(b"")
    state = git_state(top, [top])
    assert (pwned.exists(), state.clean) == (False, False)
    git(top, "status")
    assert pwned.exists()


def test_nothing_is_written(top: Path) -> None:
    os.utime(top / "specs/a.yaml", (1, 1))
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in top.rglob("*") if path.is_file()}
    git_state(top, [top])
    after = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in top.rglob("*") if path.is_file()}
    assert after == before


def test_a_submodule_is_listed_with_its_commit_and_a_change_in_it_is_seen(top: Path, tmp_path: Path) -> None:
    inner = new_repository(tmp_path / "inner")
    pinned = commit(inner, {"b": b""})
    git(top, "submodule", "--quiet", "add", str(inner), "sub mödule")
    commit(top)
    settings(top, diff__ignoreSubmodules="all")
    state = git_state(top, [])
    assert (state.clean, state.submodules) == (True, (f'{pinned} "sub m\\303\\266dule"',))
    (top / "sub mödule" / "b").write_bytes(b"changed")
    assert git(top, "status", "--porcelain") == ""
    assert git_state(top, []).clean is False


def test_a_shallow_clone_says_so(top: Path, tmp_path: Path) -> None:
    commit(top, {"b": b""})
    git(tmp_path, "clone", "--quiet", "--depth=1", top.as_uri(), "shallow")
    state = git_state(tmp_path / "shallow", [])
    assert (state.shallow, state.commit) == (True, git(top, "rev-parse", "HEAD"))


def test_a_replaced_commit_does_not_change_the_tree(top: Path) -> None:
    state = git_state(top, [])
    commit(top, {"specs/a.yaml": b"evil"})
    evil = git(top, "rev-parse", "HEAD")
    git(top, "reset", "--quiet", "--hard", "HEAD^")
    git(top, "replace", str(state.commit), evil)
    assert git(top, "cat-file", "-p", "HEAD:specs/a.yaml") == "evil"
    assert git_state(top, []) == state
