"""Small git repositories, made by the real git away from anyone's settings."""

import os
import subprocess
from pathlib import Path

AUTHOR = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
# What a settled clock does to a test: two commits with the same content are then the same commit.
DATES = {"GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z"}


def git(folder: Path, *arguments: str, given: str = "", dates: dict[str, str] | None = None) -> str:
    """What git prints in a folder, with an author set and without the settings of the system."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = kept | {"GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"} | (dates or DATES)
    command = ["git", "-C", str(folder), *AUTHOR, "-c", "protocol.file.allow=always", *arguments]
    done = subprocess.run(command, env=environment, input=given, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def new_repository(folder: Path, *, object_format: str = "sha1") -> Path:
    """An empty repository in a new folder."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main", f"--object-format={object_format}")
    return folder.resolve()


def commit(top: Path, files: dict[str, bytes] | None = None, *, dates: dict[str, str] | None = None) -> str:
    """Write files, commit the whole work tree, and say the commit's id."""
    for name, content in (files or {}).items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(content)
    git(top, "add", "--all")
    git(top, "commit", "--quiet", "--allow-empty", "--message=x", dates=dates)
    return git(top, "rev-parse", "HEAD")


def settings(top: Path, **values: str) -> None:
    """Set options of the repository; a double underscore stands for the dot."""
    for name, value in values.items():
        git(top, "config", name.replace("__", "."), value)
