"""What runs an audit: the package by the digests of its files, the lock file, Python and every library."""

import hashlib
import re
from importlib.metadata import PackageNotFoundError, distribution, distributions, version
from pathlib import Path

import pytest

import multiverse
from multiverse.errors import MultiverseError
from multiverse.receipts import environment
from multiverse.receipts.environment import LOCK_FILES, runtime

PACKAGE = Path(multiverse.__file__).parent


def test_the_code_is_told_by_a_digest_of_the_digests_of_its_files() -> None:
    """As `sha256sum` would list them, sorted by path; compiled files do not count."""
    files = [path for path in sorted(PACKAGE.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(PACKAGE).as_posix()}\n" for path in files
    ]
    environment._code.cache_clear()
    code = runtime().code
    assert code["files_sha256"] == hashlib.sha256("".join(lines).encode()).hexdigest()
    assert code["version"] == version("multiverse")
    assert any(line.endswith("  receipts/environment.py\n") for line in lines)


def test_a_package_that_is_not_installed_cannot_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise PackageNotFoundError(name)

    environment._code.cache_clear()
    monkeypatch.setattr(environment, "distribution", absent)
    with pytest.raises(MultiverseError) as caught:
        runtime()
    assert str(caught.value) == "multiverse is run without being installed: a receipt cannot name its version"


def plain(name: str) -> str:
    """The name of a distribution in the one form that indexes compare (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_library_that_is_needed_is_told_by_version_and_no_other() -> None:
    packages = runtime().environment["packages"]
    there = {plain(one.name): one.version for one in distributions()}
    assert packages == sorted(packages)
    assert all(there[line.partition("==")[0]] == line.partition("==")[2] for line in packages)
    names = {line.partition("==")[0] for line in packages}
    needed = {
        plain(line.partition(">")[0]) for line in distribution("multiverse").requires or () if "extra" not in line
    }
    needed &= there.keys()  # one may be for other versions of Python
    assert needed <= names
    assert {"polars", "duckdb", "numpy"} <= needed
    assert names.isdisjoint({"pytest", "ruff", "mypy", "hypothesis", "multiverse"})
    listed = "".join(f"{line}\n" for line in packages)
    assert runtime().environment["packages_sha256"] == hashlib.sha256(listed.encode()).hexdigest()


@pytest.mark.parametrize("name", LOCK_FILES)
def test_a_lock_file_of_the_working_directory_is_told_by_its_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert runtime().lock is None
    Path(name).write_bytes(b"abc")
    # FIPS 180-2, appendix B.1
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert runtime().lock == {"name": name, "sha256": digest}
