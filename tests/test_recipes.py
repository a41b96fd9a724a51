"""The recipes of docs/receipts.md do what the page says: a workflow for every push, and two hooks before a commit."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from multiverse.declaration import read_declaration
from multiverse.receipts.freezing import amend, freeze
from pages import ROOT
from repositories import AUTHOR, commit, git, new_repository

PAGE = (ROOT / "docs" / "receipts.md").read_text("utf-8")
SPEC = "specs/quickstart/families.yaml"

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("git", "python3", "bash", "sha256sum"))), reason="the recipes are for a Unix with git"
)


def block(language: str, beginning: str) -> str:
    """The block of the page that begins so."""
    found = re.search(rf"^```{language}\n({re.escape(beginning)}.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a frozen study and the verifier, all of it committed."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    made = new_repository(tmp_path / "repository")
    for part in ("specs/quickstart", "data/quickstart"):
        shutil.copytree(ROOT / part, made / part)
    (made / "receipts").mkdir()
    shutil.copyfile(ROOT / "receipts" / "verify.py", made / "receipts" / "verify.py")
    monkeypatch.chdir(made)
    commit(made)
    freeze(read_declaration(Path("specs/quickstart")))
    commit(made)
    return made


def change(top: Path, name: str = SPEC, text: str = "# changed\n") -> None:
    with (top / name).open("a") as file:
        file.write(text)


def run(top: Path, *command: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = kept | {"GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    return subprocess.run(command, cwd=top, env=environment, capture_output=True, encoding="utf-8", check=False)


# On every push


def workflow(top: Path) -> list[tuple[str, int]]:
    """The steps of the workflow that run something, as GitHub runs them, with their exit codes."""
    steps: list[dict[str, str]] = yaml.safe_load(block("yaml", "name: receipts"))["jobs"]["verify"]["steps"]
    return [(one["name"], run(top, "bash", "-e", "-c", one["run"]).returncode) for one in steps if "run" in one]


PASSED = [
    ("the verifier is the published one", 0),
    ("every chain verifies", 0),
    ("specs are as they were frozen", 0),
]


def test_the_workflow_passes_on_a_frozen_study(top: Path) -> None:
    assert workflow(top) == PASSED


def test_the_workflow_is_one_that_github_reads(top: Path) -> None:
    found: dict[Any, Any] = yaml.safe_load(block("yaml", "name: receipts"))
    assert found[True] == ["push", "pull_request"]  # YAML 1.1 reads the key `on` so, and GitHub as what it is
    job = found["jobs"]["verify"]
    assert (sorted(job), job["steps"][0]) == (["runs-on", "steps"], {"uses": "actions/checkout@v4"})


def test_the_workflow_fails_where_a_spec_is_not_as_it_was_frozen(top: Path) -> None:
    change(top)
    assert workflow(top) == [*PASSED[:2], (PASSED[2][0], 1)]


def test_the_workflow_fails_where_the_last_of_several_chains_is_sound_and_another_is_not(top: Path) -> None:
    shutil.copytree(top / "receipts/quickstart", top / "receipts/zz")
    change(top, "receipts/quickstart/0001-freeze.json", " ")
    assert [code for _, code in workflow(top)] == [0, 1, 1]


def test_the_workflow_fails_where_the_verifier_is_another(top: Path) -> None:
    change(top, "receipts/verify.py", "# changed\n")
    assert workflow(top) == [(PASSED[0][0], 1), *PASSED[1:]]


# Before every commit


@pytest.fixture
def hooked(top: Path) -> Path:
    """The repository with the hook of the page."""
    hook = top / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(block("sh", "#!/bin/sh"))
    hook.chmod(0o755)
    return top


def commit_staged(top: Path) -> tuple[bool, str]:
    """Whether a commit was made, and what was said."""
    before = git(top, "rev-parse", "HEAD")
    done = run(top, "git", *AUTHOR, "commit", "--message=x")
    assert (done.returncode == 0) == (git(top, "rev-parse", "HEAD") != before)
    return done.returncode == 0, done.stderr


def test_the_hook_lets_other_changes_through(hooked: Path) -> None:
    (hooked / "notes.txt").write_text("a thought")
    git(hooked, "add", "notes.txt")
    assert commit_staged(hooked) == (True, "")


def test_the_hook_refuses_a_frozen_spec_that_has_changed(hooked: Path) -> None:
    change(hooked)
    git(hooked, "add", SPEC)
    made, told = commit_staged(hooked)
    assert not made
    assert re.search(r"^E-CHANGED \S*/specs/quickstart/families.yaml: sha256 is ", told)
    assert told.endswith(
        "Restore the frozen files, or: multiverse amend quickstart --reason '...', and commit its receipt too.\n"
    )


@pytest.mark.parametrize("how", ["a new file", "a file taken away"])
def test_the_hook_refuses_spec_files_that_come_or_go(hooked: Path, how: str) -> None:
    if how == "a new file":
        change(hooked, "specs/quickstart/claims.yaml")
    else:
        (hooked / "specs/quickstart/terminals.yaml").unlink()
    git(hooked, "add", "--all")
    assert not commit_staged(hooked)[0]


def test_the_hook_looks_at_what_is_committed_and_not_at_the_folder(hooked: Path) -> None:
    frozen = (hooked / SPEC).read_bytes()
    change(hooked)
    git(hooked, "add", SPEC)
    (hooked / SPEC).write_bytes(frozen)
    assert not commit_staged(hooked)[0]
    git(hooked, "reset", "--quiet")
    change(hooked)
    (hooked / "notes.txt").write_text("a thought")
    git(hooked, "add", "notes.txt")
    assert commit_staged(hooked)[0]


def test_the_hook_lets_an_amendment_through(hooked: Path) -> None:
    change(hooked)
    amend(read_declaration(Path("specs/quickstart")), reason="a remark")
    git(hooked, "add", "--all")
    assert commit_staged(hooked) == (True, "")


def test_an_amendment_under_the_git_lock_takes_two_commits_of_which_the_hook_is_asked_once(hooked: Path) -> None:
    change(hooked)
    git(hooked, "add", "--all")
    git(hooked, "commit", "--quiet", "--no-verify", "--message=x")
    amended = amend(read_declaration(Path("specs/quickstart")), reason="a remark")
    assert amended.predicate["git"]["paths"]
    git(hooked, "add", "--all")
    assert commit_staged(hooked)[0]


def test_the_hook_leaves_nothing_behind(hooked: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    change(hooked)
    git(hooked, "add", SPEC)
    assert not commit_staged(hooked)[0]
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_entry_for_pre_commit_refuses_the_same(top: Path) -> None:
    found: dict[str, Any] = yaml.safe_load(block("yaml", "repos:"))
    hook = found["repos"][0]["hooks"][0]
    assert (hook["language"], hook["pass_filenames"]) == ("system", False)
    files = [SPEC, "receipts/quickstart/0001-freeze.json", "specs/other/families.yaml", "data/quickstart/rows.csv"]
    assert [bool(re.search(hook["files"], name)) for name in files] == [True, True, False, False]
    entry = shlex.split(hook["entry"])
    assert run(top, *entry).returncode == 0
    change(top)
    assert run(top, *entry).returncode == 1
