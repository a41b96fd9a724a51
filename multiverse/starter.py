"""A small commented study to start from, which runs as it is."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from multiverse.errors import Fault, InputError


def write_starter(folder: Path) -> None:
    """Write the starter study into a folder that is new or empty; InputError where it is not."""
    found = "a file" if not folder.is_dir() else "the folder is not empty"
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError([Fault(where=str(folder), found=found, expected="a new or empty folder")])
    _copy(files("multiverse") / "starter_files", folder)


def _copy(source: Traversable, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for part in source.iterdir():
        if part.is_dir():
            _copy(part, folder / part.name)
        else:
            (folder / part.name).write_bytes(part.read_bytes())
