"""What runs an audit: the package's own files, the lock file, Python, and every library by version."""

import hashlib
import os
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Any

from multiverse.errors import MultiverseError
from multiverse.verify import sha256

Json = dict[str, Any]
LOCK_FILES = (
    "requirements.lock",
    "uv.lock",
    "pylock.toml",
    "poetry.lock",
    "pdm.lock",
    "Pipfile.lock",
    "conda-lock.yml",
)
_NAME = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Runtime:
    """What runs an audit, each part as its receipts state it."""

    code: Json
    environment: Json
    lock: Json | None


def runtime() -> Runtime:
    """What would run an audit here and now."""
    return Runtime(code=_code(), environment=_environment(), lock=_lock())


@cache
def _code() -> Json:
    folder = Path(__file__).resolve().parent.parent
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and _is_source(path.relative_to(folder)))
    lines = [f"{sha256(path.read_bytes())}  {path.relative_to(folder).as_posix()}\n" for path in paths]
    try:
        installed = distribution("multiverse")
    except PackageNotFoundError as error:
        raise MultiverseError("multiverse is run without being installed: a receipt cannot name its version") from error
    record = installed.read_text("RECORD")
    return {
        "version": installed.version,
        "files_sha256": sha256("".join(lines).encode()),
        "record_sha256": None if record is None else sha256(record.encode()),
    }


def _is_source(path: Path) -> bool:
    return "__pycache__" not in path.parts and path.suffix != ".pyc"


@cache
def _packages() -> tuple[str, ...]:
    return tuple(sorted(_requirements("multiverse", set())))


def _requirements(name: str, seen: set[str]) -> Iterator[str]:
    """Every installed distribution that a distribution needs, as name==version."""
    for line in distribution(name).requires or ():
        found = _NAME.match(line)
        key = re.sub(r"[-_.]+", "-", found.group()).lower() if found else ""
        if not key or "extra ==" in line or key in seen:
            continue
        seen.add(key)
        try:
            yield f"{key}=={version(key)}"
        except PackageNotFoundError:
            continue  # for another system or Python
        yield from _requirements(key, seen)


def _environment() -> Json:
    packages = list(_packages())
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "duckdb": version("duckdb"),
        "threads": os.cpu_count() or 1,
        "packages": packages,
        "packages_sha256": sha256("".join(line + "\n" for line in packages).encode()),
    }


def _lock() -> Json | None:
    """The lock file of the working directory, if there is one."""
    for name in LOCK_FILES:
        if Path(name).is_file():
            return {"name": name, "sha256": hashlib.sha256(Path(name).read_bytes()).hexdigest()}
    return None
