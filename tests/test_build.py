"""What is built holds the whole package, with the verifier as a file of its own and not as a link."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from pages import ROOT

VERIFIER = (ROOT / "receipts" / "verify.py").read_bytes()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that a build reads, as a checkout has them."""
    folder = tmp_path_factory.mktemp("source")
    shutil.copytree(
        ROOT / "multiverse", folder / "multiverse", symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    for part in ("pyproject.toml", "README.md", "LICENSE", "receipts/verify.py"):
        (folder / part).parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / part, folder / part)
    return folder


def build(source: Path, kind: str) -> Path:
    """The path of a wheel or sdist of a source tree."""
    program = f"import flit_core.buildapi as build; print(build.build_{kind}('dist'))"
    (source / "dist").mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=source, capture_output=True, encoding="utf-8", check=True
    )
    return source / "dist" / done.stdout.split()[-1]


def held(wheel: Path) -> dict[str, bytes]:
    """The files of the package in a wheel, by path; none of them a link."""
    with zipfile.ZipFile(wheel) as archive:
        entries = [entry for entry in archive.infolist() if entry.filename.startswith("multiverse/")]
        assert [entry.filename for entry in entries if (entry.external_attr >> 28) == 0o12] == []
        return {entry.filename: archive.read(entry) for entry in entries}


def test_a_wheel_holds_every_file_of_the_package_as_it_is(source: Path) -> None:
    """So the digest of the code in a receipt is the same, whether the package is installed or a checkout is used."""
    files = {path.relative_to(source).as_posix(): path for path in (source / "multiverse").rglob("*") if path.is_file()}
    found = held(build(source, "wheel"))
    assert found == {name: path.read_bytes() for name, path in files.items()}
    assert found["multiverse/verify.py"] == VERIFIER


def test_a_wheel_from_the_sdist_is_the_same(source: Path, tmp_path: Path) -> None:
    with tarfile.open(build(source, "sdist")) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    assert (unpacked / "receipts" / "verify.py").read_bytes() == VERIFIER
    assert held(build(unpacked, "wheel")) == held(build(source, "wheel"))
