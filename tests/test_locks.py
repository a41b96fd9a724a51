"""One writer to a folder at a time; the lock stops no reader and ends with its holder."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from multiverse.errors import BusyError, InputError
from multiverse.locks import locked

HOLDER = """
import sys, time
from pathlib import Path
from multiverse.locks import locked
with locked(Path(sys.argv[1]), "the receipts of elephant"):
    print("held", flush=True)
    time.sleep(60)
"""


@contextmanager
def holder(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock of a folder."""
    with subprocess.Popen([sys.executable, "-c", HOLDER, folder], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_a_second_process_is_told_to_wait_and_may_read(tmp_path: Path) -> None:
    folder = tmp_path / "receipts" / "elephant"
    with holder(folder):
        (folder / "a").write_bytes(b"a")
        with pytest.raises(BusyError) as caught, locked(folder, "the receipts of elephant"):
            pass
        assert [path.read_bytes() for path in folder.iterdir()] == [b"a"]
    wait = "wait until it has ended"
    assert str(caught.value) == f"another multiverse is writing the receipts of elephant into {folder}; {wait}"
    assert caught.value.exit_code == 1


def test_a_killed_holder_holds_no_longer(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        with locked(tmp_path, "a test"):
            assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_a_lock_ends_with_its_block(tmp_path: Path, error: type[BaseException]) -> None:
    with pytest.raises(error), locked(tmp_path, "a test"):
        raise error
    with locked(tmp_path, "a test"):
        pass


def test_a_folder_has_one_lock_under_all_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory and a link are names as good as any."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path / "real")
    for name in (Path(), tmp_path / "link", tmp_path / "real"):
        with locked(name, "a test"), pytest.raises(BusyError), locked(tmp_path / "real", "a test"):
            pass


def test_a_folder_taken_away_at_the_last_moment_is_not_written_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lock is of no use to anybody: the next writer makes another folder of the same name."""
    monkeypatch.setattr(fcntl, "flock", lambda handle, how: (tmp_path / "out").rmdir())
    with pytest.raises(BusyError), locked(tmp_path / "out", "a test"):
        pass


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "out"
    place.write_bytes(b"mine")
    with pytest.raises(InputError) as caught, locked(place, "the record"):
        pass
    assert str(caught.value) == f"{place}: no folder can be made: File exists\n  expected a place for the record"


def test_a_disk_without_locks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(handle: int, how: int) -> None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(InputError) as caught, locked(tmp_path, "the record"):
        pass
    expected = "expected a disk that knows flock"
    assert str(caught.value) == f"{tmp_path}: the folder cannot be locked: Bad file descriptor\n  {expected}"
