"""Outputs written aside, then moved into place whole: a failure leaves what was there before."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import polars as pl

from multiverse.errors import Fault, InputError, quoted

RECORD = "record.json"
TABLES = "tables"
_ASIDE = ".writing-"
_SCHEMA = b'"multiverse.record/'
_TABLE_NAMES = frozenset({"levels", "margins", "effects", "rankings", "identified", "row_audit"})  # DESIGN section 9


def check_output(out: Path) -> None:
    """Raise InputError unless the folder is new, empty, or holds nothing but an earlier audit, and can be written."""
    expected = "a new or empty folder, or an earlier audit's"
    try:
        above = next(path for path in (out, *out.absolute().parents) if path.exists())
    except OSError as error:
        found = f"no folder can be made: {error.strerror}"
        raise InputError([Fault(where=str(out), found=found, expected="a place for the record")]) from error
    if out.is_symlink() and not out.exists():
        raise InputError([Fault(where=str(out), found="a link to nothing", expected=expected)])
    if not above.is_dir() and above != out:
        raise InputError([Fault(where=str(out), found=f"{above} is a file", expected="a place for a new folder")])
    if not os.access(above, os.W_OK):
        raise InputError([Fault(where=str(out), found=f"{above} cannot be written", expected="a place for the record")])
    if out.exists() and not out.is_dir():
        raise InputError([Fault(where=str(out), found="a file", expected=expected)])
    foreign = sorted(_foreign(out)) if out.is_dir() else []
    if foreign:
        found = f"the folder holds {quoted(foreign[0])}" + (f" and {len(foreign) - 1} more" if len(foreign) > 1 else "")
        raise InputError([Fault(where=str(out), found=found, expected=expected)])


def _foreign(out: Path) -> Iterable[str]:
    """What an audit does not write: it would be lost when the next one takes the place of the last."""
    tables = {f"{name}.parquet" for name in _TABLE_NAMES}
    for path in out.iterdir():
        if path.name.startswith(_ASIDE):
            continue  # left by an audit that was cut short, or of one that is writing: nothing of the user's
        if path.name == TABLES and path.is_dir():
            yield from (f"{TABLES}/{part.name}" for part in path.iterdir() if part.name not in tables or part.is_dir())
        elif path.name != RECORD or path.is_dir() or _SCHEMA not in path.read_bytes():
            yield path.name


def write_audit(out: Path, record: bytes, tables: Mapping[str, pl.DataFrame]) -> None:
    """Write record.json and tables/*.parquet into a folder, all of it or nothing."""
    assert set(tables) <= _TABLE_NAMES
    check_output(out)
    made = not out.exists()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        found = f"no folder can be made: {error.strerror}"
        raise InputError([Fault(where=str(out), found=found, expected="a place for the record")]) from error
    try:
        # Inside the folder: it may be a mount, or the working directory, neither of which can be swapped as a whole.
        with tempfile.TemporaryDirectory(prefix=_ASIDE, dir=out) as aside:
            fresh, old = Path(aside) / "fresh", Path(aside) / "old"
            old.mkdir()
            (fresh / TABLES).mkdir(parents=True)
            (fresh / RECORD).write_bytes(record)
            for name, table in tables.items():
                table.write_parquet(fresh / TABLES / f"{name}.parquet")
            _swap(fresh, out, old)
    except BaseException:
        if made:
            out.rmdir()
        raise


def _swap(fresh: Path, place: Path, old: Path) -> None:
    """Move what is in the place to `old`, and what is fresh into the place; after a failure all is as before."""
    moved: list[tuple[Path, Path]] = []
    try:
        for name in (RECORD, TABLES):
            for source, target in ((place / name, old / name), (fresh / name, place / name)):
                if source.exists():
                    source.rename(target)
                    moved.append((source, target))
    except BaseException:
        for source, target in reversed(moved):
            target.rename(source)
        raise


def write_new(path: Path, content: bytes) -> None:
    """Write one file whole and durable, never over another: FileExistsError where there is one, which is left."""
    with _aside(path, content) as aside:
        os.link(aside, path)  # a rename would take the place of what is there
    _settle(path.parent)


def write_whole(path: Path, content: bytes | Callable[[BinaryIO], object]) -> None:
    """Write one file whole and durable, in the place of an earlier one; the content may be a function that writes it.

    Raises what the function raises, and then leaves the earlier file.
    """
    with _aside(path, content) as aside:
        aside.replace(path)
    _settle(path.parent)


def remove_leftovers(folder: Path) -> None:
    """Remove what writers that were killed have left in a folder; only for who holds its lock."""
    for path in folder.glob(f"{_ASIDE}*"):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@contextmanager
def _aside(path: Path, content: bytes | Callable[[BinaryIO], object]) -> Iterator[Path]:
    """The content in a file beside the path, on the disk; taken away at the end, if it is still there."""
    aside = path.with_name(f"{_ASIDE}{secrets.token_hex(8)}")
    try:
        with aside.open("xb") as file:
            if callable(content):
                content(file)
            else:
                file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield aside
    finally:
        aside.unlink(missing_ok=True)


def _settle(folder: Path) -> None:
    """Have the disk keep what was moved into and out of a folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
