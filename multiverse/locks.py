"""One writer to a folder: a lock that the system gives up when its holder dies, however it dies."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from multiverse.errors import BusyError, Fault, InputError


@contextmanager
def locked(folder: Path, what: str) -> Iterator[None]:
    """Hold a folder for one writer, made where it is absent; BusyError where another holds it.

    The lock is on the folder itself: it leaves no file behind, and nobody who only reads is stopped.
    """
    handle = _opened(folder, what)
    try:
        _lock(handle, folder, what)
        yield
    finally:
        os.close(handle)  # which gives the lock up


def _opened(folder: Path, what: str) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        found = f"no folder can be made: {error.strerror}"
        raise InputError([Fault(where=str(folder), found=found, expected=f"a place for {what}")]) from error


def _lock(handle: int, folder: Path, what: str) -> None:
    busy = BusyError(f"another multiverse is writing {what} into {folder}; wait until it has ended")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise busy from error
    except OSError as error:
        found = f"the folder cannot be locked: {error.strerror}"
        raise InputError([Fault(where=str(folder), found=found, expected="a disk that knows flock")]) from error
    if not _still(handle, folder):
        raise busy


def _still(handle: int, folder: Path) -> bool:
    """Whether what was opened is the folder yet: a writer that failed takes a folder that it made away."""
    try:
        return os.path.samestat(os.fstat(handle), folder.stat())
    except FileNotFoundError:
        return False
