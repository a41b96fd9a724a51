"""Outputs are whole or nothing: a failure leaves what was there, and what an audit did not write is never lost."""

import os
from pathlib import Path
from typing import BinaryIO

import polars as pl
import pytest

from multiverse.audit import audit
from multiverse.errors import InputError
from multiverse.output import check_output, remove_leftovers, write_audit, write_new, write_whole
from small import write_small

RECORD = b'{"schema": "multiverse.record/1"}\n'
LEVELS = {"levels": pl.DataFrame({"exact": ["1/3"]})}
EXPECTED = "\n  expected a new or empty folder, or an earlier audit's"


def held(out: Path) -> dict[str, bytes]:
    """Every file under a folder, by its path."""
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("out", ["new", "new/deep/er", "empty", "."])
def test_a_record_and_its_tables_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str) -> None:
    """Into the working directory too, which stays the same folder."""
    (tmp_path / "work" / "empty").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work" / ("empty" if out == "." else ""))
    before = Path.cwd().stat().st_ino
    write_audit(Path(out), RECORD, LEVELS)
    assert held(Path(out)).keys() == {"record.json", "tables/levels.parquet"}
    assert Path(out, "record.json").read_bytes() == RECORD
    assert pl.read_parquet(Path(out, "tables/levels.parquet")).equals(LEVELS["levels"])
    assert (Path.cwd().stat().st_ino, oct(Path(out).stat().st_mode)) == (before, oct(Path.cwd().stat().st_mode))


def test_an_earlier_audit_is_replaced_whole(tmp_path: Path) -> None:
    write_audit(tmp_path / "out", RECORD, LEVELS | {"margins": LEVELS["levels"]})
    write_audit(tmp_path / "out", RECORD + b" ", LEVELS)
    assert (tmp_path / "out" / "record.json").read_bytes() == RECORD + b" "
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["levels.parquet", "out", "record.json", "tables"]


def test_what_an_audit_cut_short_has_left_does_not_stop_the_next(tmp_path: Path) -> None:
    (tmp_path / "out" / ".writing-abc" / "old").mkdir(parents=True)
    write_audit(tmp_path / "out", RECORD, LEVELS)
    assert held(tmp_path / "out").keys() == {"record.json", "tables/levels.parquet"}


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("dangling", "{}: a link to nothing\n  expected a new or empty folder, or an earlier audit's"),
        ("file/out", "{}: {above} is a file\n  expected a place for a new folder"),
        ("x" * 300, "{}: no folder can be made: File name too long\n  expected a place for the record"),
    ],
)
def test_a_place_that_cannot_be_is_refused(tmp_path: Path, out: str, message: str) -> None:
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "file").write_bytes(b"mine")
    with pytest.raises(InputError) as error:
        write_audit(tmp_path / out, RECORD, LEVELS)
    assert str(error.value) == message.replace("{}", str(tmp_path / out)).replace("{above}", str(tmp_path / "file"))


def test_a_link_to_a_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to("real")
    write_audit(tmp_path / "out", RECORD, LEVELS)
    assert (tmp_path / "out").is_symlink()
    assert held(tmp_path / "real").keys() == {"record.json", "tables/levels.parquet"}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"notes.txt": b"mine"}, "the folder holds 'notes.txt'"),
        ({"record.json": RECORD, "b": b"", "a": b""}, "the folder holds 'a' and 1 more"),
        ({"record.json": b'{"my": "own"}'}, "the folder holds 'record.json'"),
        ({"record.json": RECORD, "tables/mine.parquet": b""}, "the folder holds 'tables/mine.parquet'"),
        ({"record.json": RECORD, "tables/levels.parquet/x": b""}, "the folder holds 'tables/levels.parquet'"),
        ({"tables": b"mine"}, "the folder holds 'tables'"),
        ({"record.json/x": b"mine"}, "the folder holds 'record.json'"),
    ],
)
def test_a_folder_with_anything_else_is_refused(tmp_path: Path, files: dict[str, bytes], found: str) -> None:
    out = tmp_path / "out"
    for name, content in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(content)
    before = held(out)
    with pytest.raises(InputError) as caught:
        check_output(out)
    assert str(caught.value) == f"{out}: {found}{EXPECTED}"
    with pytest.raises(InputError):
        write_audit(out, RECORD, LEVELS)
    assert held(out) == before


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"mine")
    with pytest.raises(InputError) as caught:
        write_audit(tmp_path / "out", RECORD, LEVELS)
    assert str(caught.value) == f"{tmp_path / 'out'}: a file{EXPECTED}"


class _Broken(pl.DataFrame):
    def write_parquet(self, *args: object, **options: object) -> None:
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("there", [True, False])
def test_a_failure_to_write_leaves_what_was_there(tmp_path: Path, *, there: bool) -> None:
    out = tmp_path / "out"
    if there:
        write_audit(out, RECORD, LEVELS)
    before = held(out)
    with pytest.raises(OSError, match="No space left"):
        write_audit(out, RECORD + b" ", {"margins": LEVELS["levels"], "levels": _Broken()})
    assert (held(out), out.exists()) == (before, there)


@pytest.mark.parametrize("fails_at", range(4))
@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_failure_to_move_puts_everything_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int, error: type[BaseException]
) -> None:
    write_audit(tmp_path / "out", RECORD, LEVELS)
    before, calls, rename = held(tmp_path), [0], Path.rename

    def failing(path: Path, target: Path) -> Path:
        calls[0] += 1
        if calls[0] == fails_at + 1:
            raise error("stopped")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(error):
        write_audit(tmp_path / "out", RECORD + b" ", LEVELS | {"margins": LEVELS["levels"]})
    assert held(tmp_path) == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_left(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(mode=0o500)
    with pytest.raises(PermissionError):
        write_audit(tmp_path / "out", RECORD, LEVELS)
    assert held(tmp_path) == {}


def test_an_audit_whose_output_is_refused_reads_nothing(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with pytest.raises(InputError) as caught:
        audit(tmp_path / "no such study", family="audit", out=tmp_path / "out")
    assert str(caught.value) == f"{tmp_path / 'out'}: the folder holds 'mine'{EXPECTED}"


def test_an_audit_replaces_its_own_earlier_output_with_the_same_bytes(tmp_path: Path) -> None:
    study, out = write_small(tmp_path / "study"), tmp_path / "out"
    audit(study, family="audit", out=out)
    first = held(out)
    audit(study, family="audit", out=out)
    assert held(out) == first


def test_a_new_file_is_written_whole_and_never_over_another(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    write_new(path, b"first")
    with pytest.raises(FileExistsError):
        write_new(path, b"second")
    assert held(tmp_path) == {"one.json": b"first"}
    assert path.stat().st_mode == new_file_mode(tmp_path)


@pytest.mark.parametrize("content", [b"second", lambda file: file.write(b"second")])
def test_a_whole_file_takes_the_place_of_an_earlier_one(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.tar").write_bytes(b"first, and longer")
    write_whole(tmp_path / "a.tar", content)
    assert held(tmp_path) == {"a.tar": b"second"}


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_file_whose_content_fails_is_left(tmp_path: Path, error: type[BaseException]) -> None:
    def content(file: BinaryIO) -> None:
        file.write(b"half")
        raise error

    (tmp_path / "a.tar").write_bytes(b"first")
    with pytest.raises(error):
        write_whole(tmp_path / "a.tar", content)
    assert held(tmp_path) == {"a.tar": b"first"}


def test_leftovers_are_removed_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / ".writing-folder" / "old").mkdir(parents=True)
    (tmp_path / ".writing-file").touch()
    (tmp_path / "kept").mkdir()
    (tmp_path / ".writing-link").symlink_to("kept")
    (tmp_path / "kept" / ".writing").touch()
    remove_leftovers(tmp_path)
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == ["kept", "kept/.writing"]


def new_file_mode(folder: Path) -> int:
    """The mode that a file made in the plain way has here."""
    (folder / "plain").touch()
    return (folder / "plain").stat().st_mode
