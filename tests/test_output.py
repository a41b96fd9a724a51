"""Outputs are whole or nothing: a failure leaves what was there, and what an audit did not write is never lost."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import polars as pl
import pytest

import killed_writer
from multiverse.audit import audit
from multiverse.errors import BusyError, InputError
from multiverse.output import (
    Written,
    check_output,
    remove_leftovers,
    write_audit,
    write_new,
    write_pages,
    write_whole,
)
from multiverse.summary import report_text
from small import write_small

RECORD = killed_writer.record(0)
REPORT = "what was found: é\n"
PAGES = {"report.html": b"page", "report.md": b"text", "figures/effect-a.svg": b"", "figures/curve.png": b""}
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
    write_audit(Path(out), RECORD, LEVELS, REPORT)
    assert held(Path(out)).keys() == {"record.json", "report.txt", "tables/levels.parquet"}
    assert Path(out, "record.json").read_bytes() == RECORD
    assert Path(out, "report.txt").read_bytes() == REPORT.encode()
    assert pl.read_parquet(Path(out, "tables/levels.parquet")).equals(LEVELS["levels"])
    assert (Path.cwd().stat().st_ino, oct(Path(out).stat().st_mode)) == (before, oct(Path.cwd().stat().st_mode))


def test_an_earlier_audit_is_replaced_whole(tmp_path: Path) -> None:
    write_audit(tmp_path / "out", RECORD, LEVELS | {"margins": LEVELS["levels"]}, REPORT)
    write_audit(tmp_path / "out", RECORD + b" ", LEVELS, None)
    assert (tmp_path / "out" / "record.json").read_bytes() == RECORD + b" "
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["levels.parquet", "out", "record.json", "tables"]


def test_the_files_written_are_told_by_digest_and_size(tmp_path: Path) -> None:
    written = write_audit(tmp_path, RECORD, LEVELS | {"margins": LEVELS["levels"]}, REPORT)
    assert [one.path for one in written] == sorted(held(tmp_path))
    for one in written:
        content = (tmp_path / one.path).read_bytes()
        assert one == Written(one.path, hashlib.sha256(content).hexdigest(), len(content))


def test_a_table_says_what_it_is_of(tmp_path: Path) -> None:
    record = {"schema": "multiverse.record/1", "study": "é", "family": "audit", "status": "frozen"}
    write_audit(tmp_path, json.dumps(record).encode(), LEVELS, REPORT)
    found = pl.read_parquet_metadata(tmp_path / "tables" / "levels.parquet")
    labels = {name: value for name, value in found.items() if name.startswith("multiverse.")}
    assert labels == {"multiverse.study": "é", "multiverse.family": "audit", "multiverse.status": "frozen"}


def test_the_pieces_of_a_table_leave_no_trace(tmp_path: Path) -> None:
    frame = pl.DataFrame({"row": [f"{i % 97}" for i in range(10_000)]})
    first = write_audit(tmp_path, RECORD, {"levels": frame}, REPORT)
    assert (
        write_audit(tmp_path, RECORD, {"levels": pl.concat([frame[:4_321], frame[4_321:]], rechunk=False)}, REPORT)
        == first
    )


def test_what_an_audit_cut_short_has_left_does_not_stop_the_next(tmp_path: Path) -> None:
    (tmp_path / "out" / ".writing-abc" / "old").mkdir(parents=True)
    (tmp_path / "out" / "report.txt").write_bytes(b"its record had left")
    write_audit(tmp_path / "out", RECORD, LEVELS, REPORT)
    assert held(tmp_path / "out").keys() == {"record.json", "report.txt", "tables/levels.parquet"}


def test_pages_and_figures_leave_with_the_record_that_they_tell_of(tmp_path: Path) -> None:
    write_audit(tmp_path, RECORD, LEVELS, REPORT)
    written = write_pages(tmp_path, RECORD, PAGES)
    audited = {"record.json", "report.txt", "tables/levels.parquet"}
    assert held(tmp_path).keys() == {*audited, *PAGES}
    assert written == tuple(
        Written(path, hashlib.sha256(PAGES[path]).hexdigest(), len(PAGES[path])) for path in sorted(PAGES)
    )
    write_audit(tmp_path, RECORD + b" ", LEVELS, REPORT)
    assert held(tmp_path).keys() == audited


def test_earlier_pages_and_figures_are_replaced_whole(tmp_path: Path) -> None:
    write_audit(tmp_path, RECORD, LEVELS, REPORT)
    write_pages(tmp_path, RECORD, PAGES)
    write_pages(tmp_path, RECORD, {"report.md": b"new", "figures/ranks.svg": b""})
    found = held(tmp_path)
    assert found.keys() == {"record.json", "report.txt", "tables/levels.parquet", "report.md", "figures/ranks.svg"}
    assert (found["report.md"], found["record.json"]) == (b"new", RECORD)


@pytest.mark.parametrize("now", [RECORD + b" ", None])
def test_pages_of_a_record_that_is_there_no_more_are_not_written(tmp_path: Path, now: bytes | None) -> None:
    if now is not None:
        write_audit(tmp_path, now, LEVELS, REPORT)
    before = held(tmp_path)
    with pytest.raises(BusyError) as caught:
        write_pages(tmp_path, RECORD, PAGES)
    assert str(caught.value) == f"another multiverse has changed the record in {tmp_path}; try again"
    assert held(tmp_path) == before


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
        write_audit(tmp_path / out, RECORD, LEVELS, REPORT)
    assert str(error.value) == message.replace("{}", str(tmp_path / out)).replace("{above}", str(tmp_path / "file"))


def test_a_link_to_a_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to("real")
    write_audit(tmp_path / "out", RECORD, LEVELS, REPORT)
    assert (tmp_path / "out").is_symlink()
    assert held(tmp_path / "real").keys() == {"record.json", "report.txt", "tables/levels.parquet"}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"notes.txt": b"mine"}, "the folder holds 'notes.txt'"),
        ({"record.json": RECORD, "b": b"", "a": b""}, "the folder holds 'a' and 1 more"),
        ({"record.json": b'{"my": "own"}'}, "the folder holds 'record.json'"),
        ({"record.json": RECORD, "tables/mine.parquet": b""}, "the folder holds 'tables/mine.parquet'"),
        ({"record.json": RECORD, "tables/levels.parquet/x": b""}, "the folder holds 'tables/levels.parquet'"),
        ({"tables": b"mine"}, "the folder holds 'tables'"),
        ({"report.txt": b"mine"}, "the folder holds 'report.txt'"),
        ({"record.json": RECORD, "report.txt/x": b"mine"}, "the folder holds 'report.txt'"),
        ({"record.json/x": b"mine"}, "the folder holds 'record.json'"),
        ({"report.html": b"mine"}, "the folder holds 'report.html'"),
        ({"record.json": RECORD, "report.html/x": b"mine"}, "the folder holds 'report.html'"),
        ({"figures/curve.svg": b"mine"}, "the folder holds 'figures'"),
        ({"record.json": RECORD, "figures": b"mine"}, "the folder holds 'figures'"),
        ({"record.json": RECORD, "figures/holiday.png": b""}, "the folder holds 'figures/holiday.png'"),
        ({"record.json": RECORD, "figures/curve.svg/x": b""}, "the folder holds 'figures/curve.svg'"),
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
        write_audit(out, RECORD, LEVELS, REPORT)
    assert held(out) == before


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"mine")
    with pytest.raises(InputError) as caught:
        write_audit(tmp_path / "out", RECORD, LEVELS, REPORT)
    assert str(caught.value) == f"{tmp_path / 'out'}: a file{EXPECTED}"


class _Broken(pl.DataFrame):
    def rechunk(self) -> "_Broken":
        return self

    def write_parquet(self, *args: object, **options: object) -> None:
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("there", [True, False])
def test_a_failure_to_write_leaves_what_was_there(tmp_path: Path, *, there: bool) -> None:
    out = tmp_path / "out"
    if there:
        write_audit(out, RECORD, LEVELS, REPORT)
    before = held(out)
    with pytest.raises(OSError, match="No space left"):
        write_audit(out, RECORD + b" ", {"margins": LEVELS["levels"], "levels": _Broken()}, REPORT)
    assert (held(out), out.exists()) == (before, there)


@pytest.mark.parametrize("fails_at", range(6))
@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_failure_to_move_puts_everything_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int, error: type[BaseException]
) -> None:
    write_audit(tmp_path / "out", RECORD, LEVELS, REPORT)
    before, calls, rename = held(tmp_path), [0], Path.rename

    def failing(path: Path, target: Path) -> Path:
        calls[0] += 1
        if calls[0] == fails_at + 1:
            raise error("stopped")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(error):
        write_audit(tmp_path / "out", RECORD + b" ", LEVELS | {"margins": LEVELS["levels"]}, REPORT)
    assert held(tmp_path) == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_left(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(mode=0o500)
    with pytest.raises(InputError) as caught:
        write_audit(tmp_path / "out", RECORD, LEVELS, REPORT)
    out = tmp_path / "out"
    assert str(caught.value) == f"{out}: {out} cannot be written\n  expected a place for the record"
    assert held(tmp_path) == {}


def test_an_audit_whose_output_is_refused_reads_nothing(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with pytest.raises(InputError) as caught:
        audit(tmp_path / "no such study", family="audit", out=tmp_path / "out")
    assert str(caught.value) == f"{tmp_path / 'out'}: the folder holds 'mine'{EXPECTED}"


def test_an_audit_replaces_its_own_earlier_output_with_the_same_bytes(tmp_path: Path) -> None:
    study, out = write_small(tmp_path / "study"), tmp_path / "out"
    found = audit(study, family="audit")
    found.write(out, report_text(found))
    first = held(out)
    assert first["report.txt"].decode() == report_text(found)
    found.write(out, report_text(found))
    assert held(out) == first


def test_a_report_does_not_depend_on_where_the_study_lies(tmp_path: Path) -> None:
    outs = [tmp_path / "out", tmp_path / "other" / "out"]
    for out, threads in zip(outs, (1, 2), strict=True):
        study = write_small(out.parent / "study")
        found = audit(study, family="audit", threads=threads)
        found.write(out, report_text(found))
    assert held(outs[0]) == held(outs[1])


@pytest.fixture(scope="module")
def writers(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Writers"]:
    out = tmp_path_factory.mktemp("killed") / "out"
    command = [sys.executable, killed_writer.__file__, str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Writers(out, process)


class Writers:
    """Processes that write version after version into one folder until they are killed."""

    def __init__(self, out: Path, process: subprocess.Popen[str]) -> None:
        self.out, self.process, self.version = out, process, 0

    def kill(self, *, before: int = 0, after: float = 0.0) -> None:
        """Start one and have it killed: before a file operation, or after seconds."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        print(self.version + 1, before, file=stdin, flush=True)
        child = int(stdout.readline())
        if not before:
            time.sleep(after)
            os.kill(child, signal.SIGKILL)
        assert int(stdout.readline()) == -signal.SIGKILL

    def check(self) -> bool:
        """See that what is there is whole or has no record, and that the next can write; return which it was."""
        whole = (self.out / "record.json").exists()
        if whole:
            self.version = check_version(self.out)
        self.version += 1
        killed_writer.write(self.out, self.version)
        assert check_version(self.out) == self.version
        assert held(self.out).keys() >= {*killed_writer.PAGES, "record.json", "report.txt"}
        assert not list(self.out.glob(".*"))
        return whole


def check_version(out: Path) -> int:
    """The version of a record, which every other file there is of too."""
    record = (out / "record.json").read_bytes()
    version = int(json.loads(record)["version"])
    assert record == killed_writer.record(version)
    assert (out / "report.txt").read_text() == f"{version}\n"
    found = {path.stem: pl.read_parquet(path)["version"].to_list() for path in (out / "tables").iterdir()}
    assert found == {name: [version] for name in killed_writer.tables(version)}
    pages = {name: text for name in killed_writer.PAGES if (text := held(out).get(name)) is not None}
    assert set(pages.values()) <= {f"{version}\n".encode()}
    assert len(pages) == len(killed_writer.PAGES) or "report.html" not in pages
    return version


def test_a_kill_at_any_moment_leaves_a_whole_output_or_no_record(writers: Writers) -> None:
    moments = random.Random(20)
    for _ in range(60):
        writers.kill(after=moments.uniform(0, 0.05))
        writers.check()


def test_a_kill_before_any_file_operation_leaves_a_whole_output_or_no_record(writers: Writers) -> None:
    """Enough operations for two writes, of which the second replaces the first."""
    killed_writer.write(writers.out, 1)
    whole = []
    for operation in range(1, 120):
        writers.kill(before=operation)
        whole.append(writers.check())
    assert {True, False} == set(whole)


WAITING = """
import sys
from pathlib import Path
import polars as pl
import killed_writer
from multiverse.output import write_audit
class Waiting(pl.DataFrame):
    def rechunk(self):
        print("writing", flush=True)
        sys.stdin.readline()
        return super().rechunk()
write_audit(Path(sys.argv[1]), killed_writer.record(1), {"levels": Waiting()}, "first")
"""


def test_of_two_writers_at_once_one_is_told_to_wait(tmp_path: Path) -> None:
    out, folders = tmp_path / "out", os.pathsep.join(sys.path)
    command, environment = [sys.executable, "-c", WAITING, str(out)], os.environ | {"PYTHONPATH": folders}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "writing\n"
        with pytest.raises(BusyError) as caught:
            write_audit(out, killed_writer.record(2), {}, "second")
        first.communicate("\n")
    wait = "wait until it has ended"
    assert str(caught.value) == f"another multiverse is writing the record into {out}; {wait}"
    assert first.returncode == 0
    assert held(out).keys() == {"record.json", "report.txt", "tables/levels.parquet"}
    assert (out / "report.txt").read_text() == "first"


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
