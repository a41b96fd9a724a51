"""Outputs written aside, then moved into place whole: a failure leaves what was there before."""

import hashlib
import io
import json
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

import polars as pl

from multiverse.errors import BusyError, Fault, InputError, quoted
from multiverse.locks import locked

RECORD = "record.json"
TABLES = "tables"
REPORT = "report.txt"
PAGES = ("report.html", "report.md")
FIGURES = "figures"
_ASIDE = ".writing-"
_SCHEMA = b'"multiverse.record/'
_TABLE_NAMES = frozenset(
    {
        *("levels", "margins", "effects", "rankings", "identified", "row_audit"),  # DESIGN section 9
        *("specifications", "options", "cells", "drivers"),
    }
)
_FIGURE = re.compile(
    r"(curve|matrix|effect|families|ranks|pairs|hasse|waterfall|supports)(-.+)?\.(svg|png)", re.DOTALL
)  # what the report draws: any other file in figures/ is somebody's own
_LABELS = ("study", "family", "status")


class Written(NamedTuple):
    """A file that was written."""

    path: str  # below the folder, its parts joined by /
    sha256: str  # in hexadecimal
    size: int  # in bytes


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
    paths = list(out.iterdir())
    # A report has no mark of ours; while the record of a writer is away, its files aside are there.
    audited = any(path.name == RECORD or path.name.startswith(_ASIDE) for path in paths)
    for path in paths:
        if path.name.startswith(_ASIDE):
            continue  # left by an audit that was cut short, or of one that is writing: nothing of the user's
        if path.name == TABLES and path.is_dir():
            yield from _foreign_tables(path)
        elif path.name == FIGURES and audited and path.is_dir():
            yield from _foreign_figures(path)
        elif path.name in (REPORT, *PAGES) and audited and not path.is_dir():
            continue
        elif path.name != RECORD or not _is_record(path):
            yield path.name


def _foreign_tables(folder: Path) -> Iterable[str]:
    names = {f"{name}.parquet" for name in _TABLE_NAMES}
    return [f"{TABLES}/{path.name}" for path in folder.glob("*") if path.name not in names or path.is_dir()]


def _foreign_figures(folder: Path) -> Iterable[str]:
    paths = folder.iterdir()
    return [f"{FIGURES}/{path.name}" for path in paths if not _FIGURE.fullmatch(path.name) or path.is_dir()]


def _is_record(path: Path) -> bool:
    try:
        return not path.is_dir() and _SCHEMA in path.read_bytes()
    except FileNotFoundError:
        return True  # another audit has just moved it


def write_audit(
    out: Path, record: bytes, tables: Mapping[str, pl.DataFrame], report: str | None
) -> tuple[Written, ...]:
    """Write record.json, tables/*.parquet and report.txt into a folder, all of it or nothing.

    The record leaves first and arrives last: a folder with a record is whole, at whatever moment a writer was killed.
    Pages and figures of the earlier record leave with it. Without a report there is no report.txt. Returns the files,
    sorted; BusyError where another writes into the folder.
    """
    assert set(tables) <= _TABLE_NAMES
    check_output(out)
    made = not out.exists()
    with locked(out, "the record"):
        check_output(out)  # once more: now nobody else changes it
        try:
            return _write_locked(out, audit_files(record, tables, report), (RECORD, TABLES, REPORT, *PAGES, FIGURES))
        except BaseException:
            if made and not any(out.iterdir()):
                out.rmdir()
            raise


def write_pages(out: Path, record: bytes, files: Mapping[str, bytes]) -> tuple[Written, ...]:
    """Write report.html, report.md and figures/ beside the record that they tell of, all of them or nothing.

    The pages leave first and arrive last. Earlier ones are replaced as a whole. Returns the files, sorted; BusyError
    where another writes into the folder, or has written another record since this one was read.
    """
    assert all(path in PAGES or _FIGURE.fullmatch(path.removeprefix(f"{FIGURES}/")) for path in files)
    check_output(out)
    with locked(out, "the report"):
        check_output(out)
        if not (out / RECORD).is_file() or (out / RECORD).read_bytes() != record:
            raise BusyError(f"another multiverse has changed the record in {out}; try again")
        return _write_locked(out, files.items(), (*PAGES, FIGURES))


def audit_files(record: bytes, tables: Mapping[str, pl.DataFrame], report: str | None) -> Iterator[tuple[str, bytes]]:
    """Every file by its path and content; one table at a time, as they may be large."""
    told = json.loads(record)
    labels = {f"multiverse.{name}": str(told[name]) for name in _LABELS}
    for name, table in tables.items():
        yield f"{TABLES}/{name}.parquet", _parquet(table, labels)
    if report is not None:
        yield REPORT, report.encode()
    yield RECORD, record


def _parquet(table: pl.DataFrame, labels: dict[str, str]) -> bytes:
    """A table as a Parquet file with the labels as its metadata; the pieces it is held in leave no trace."""
    content = io.BytesIO()
    table.rechunk().write_parquet(content, metadata=labels)
    return content.getvalue()


def _write_locked(out: Path, files: Iterable[tuple[str, bytes]], names: Sequence[str]) -> tuple[Written, ...]:
    """Write files aside and move them into the place of whatever has one of the names, as in `_swap`."""
    written = []
    # Inside the folder: it may be a mount, or the working directory, neither of which can be swapped as a whole.
    with tempfile.TemporaryDirectory(prefix=_ASIDE, dir=out) as aside:
        fresh, old = Path(aside) / "fresh", Path(aside) / "old"
        old.mkdir()
        fresh.mkdir()
        for path, content in files:
            (fresh / path).parent.mkdir(exist_ok=True)
            with (fresh / path).open("xb") as file:
                _store(file, content)
            written.append(Written(path, hashlib.sha256(content).hexdigest(), len(content)))
        for folder in fresh.iterdir():
            if folder.is_dir():
                _settle(folder)
        _swap(fresh, out, old, names)
    remove_leftovers(out)  # at the end: until the output is whole, they tell that a report.txt is an audit's
    return tuple(sorted(written))


def _swap(fresh: Path, place: Path, old: Path, names: Sequence[str]) -> None:
    """Move what is in the place to `old`, in the order of the names, and what is fresh into the place, in reverse.

    After a failure all is as before.
    """
    leaving = [(place / name, old / name) for name in names]
    arriving = [(fresh / name, place / name) for name in reversed(names)]
    moves = [(source, target) for source, target in (*leaving, *arriving) if source.exists()]
    begun: list[tuple[Path, Path]] = []
    try:
        for source, target in moves:
            begun.append((source, target))
            source.rename(target)
            _settle(place)  # after each, so that after a power cut too the record is there only beside the rest
    except BaseException:
        for source, target in reversed(begun):
            if not source.exists():
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
            _store(file, content)
        yield aside
    finally:
        aside.unlink(missing_ok=True)


def _store(file: BinaryIO, content: bytes | Callable[[BinaryIO], object]) -> None:
    """Write the content and have the disk keep it."""
    if callable(content):
        content(file)
    else:
        file.write(content)
    file.flush()
    os.fsync(file.fileno())


def _settle(folder: Path) -> None:
    """Have the disk keep what was moved into and out of a folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
