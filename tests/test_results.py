"""A results folder read back: whole and of one record, or every fault of it named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import multiverse as mv
from multiverse.errors import BusyError, InputError
from multiverse.record import TABLES, record_bytes
from multiverse.report import results
from multiverse.report.results import read_results
from small import FILES, write_small
from small import TABLES as SMALL

AGAIN = "\n  expected it as it was written: audit the study again"
WANTED = "\n  expected what `multiverse audit` writes: record.json, with tables/ beside it"
FAMILIES = {"families": "families: {audit: {}, base: {contract: [A0]}}\n"}
Json = dict[str, Any]


def audited(folder: Path, family: str = "audit", predictions: str = SMALL["hypotheses"]["predictions"]) -> mv.Audit:
    """The small study audited into `out` of a folder."""
    study = write_small(folder / "study", files={**FILES, **FAMILIES}, predictions=predictions)
    return mv.audit(study, family=family, out=folder / "out")


def faults(folder: Path) -> list[str]:
    """What is wrong with `out`, the folder cut off its places."""
    with pytest.raises(InputError) as caught:
        read_results(folder / "out")
    return [str(fault).replace(f"{folder}/", "") for fault in caught.value.faults]


def changed_record(folder: Path, change: Callable[[Json], object]) -> None:
    path = folder / "out" / "record.json"
    record = json.loads(path.read_bytes())
    change(record)
    path.write_bytes(record_bytes(record))


def test_what_an_audit_wrote_is_read_back(tmp_path: Path) -> None:
    found = audited(tmp_path)
    read = read_results(tmp_path / "out")
    assert (read.folder, read.record, read.content) == (tmp_path / "out", found.record, record_bytes(found.record))
    assert list(read.tables) == list(TABLES)
    assert all(read.tables[name].equals(found.tables[name]) for name in TABLES)


def test_names_that_look_like_something_else_are_read_as_they_are(shared: Path, tmp_path: Path) -> None:
    found = mv.audit(shared / "conformance" / "hostile_names", family="audit", out=tmp_path)
    assert read_results(tmp_path).tables["levels"].equals(found.levels)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    wanted = WANTED.replace("expected what", "expected a folder with what")
    assert faults(tmp_path) == [f"out: no such folder{wanted}"]
    (tmp_path / "out").touch()
    assert faults(tmp_path) == [f"out: a file{wanted}"]


def test_a_folder_without_a_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert faults(tmp_path) == [f"out: no record.json in it{WANTED}"]
    (tmp_path / "out" / "record.json").mkdir()
    assert faults(tmp_path) == [f"out/record.json: cannot be read: Is a directory{WANTED}"]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"{", "no JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        (b"\xff\xff\x00", "no JSON: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
        (b"[]", "no schema"),
        (b"{}", "no schema"),
        (b'{"schema": "multiverse.record/9"}', "the schema 'multiverse.record/9'"),
        (b'{"schema": ["\\u202e"]}', r"the schema '['\u202e']'"),
    ],
)
def test_a_file_that_is_no_record_is_refused(tmp_path: Path, content: bytes, found: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "record.json").write_bytes(content)
    assert faults(tmp_path) == [f"out/record.json: {found}\n  expected a record, multiverse.record/1"]


def test_a_record_of_an_earlier_version_is_to_be_made_again(tmp_path: Path) -> None:
    audited(tmp_path)
    changed_record(tmp_path, lambda record: [record.pop(key) for key in ("title", "license", "endpoints")])
    for name in ("specifications", "options", "cells", "drivers"):
        (tmp_path / "out" / "tables" / f"{name}.parquet").unlink()
    found = "a record of an earlier version, which does not describe itself"
    assert faults(tmp_path) == [f"out/record.json: {found}\n  expected one of this version: audit the study again"]


def test_keys_that_a_record_has_not_are_named(tmp_path: Path) -> None:
    audited(tmp_path)
    changed_record(
        tmp_path,
        lambda record: record.update(
            specs=[1], gates=None, endpoints={"effects": []}, populations={"all": {"rows": 2}}
        ),
    )
    missing = "ranking, effects, decompositions, contrasts, stratum_contrasts, identified, drops, uncertainty"
    assert faults(tmp_path) == [
        f"out/record.json: the key gates is missing or of another kind{AGAIN}",
        f"out/record.json: the key specs is missing or of another kind{AGAIN}",
        *(
            f"out/record.json: the key endpoints.{key} is missing or of another kind{AGAIN}"
            for key in ("contrasts", "stratum_contrasts", "decompositions")
        ),
        f"out/record.json: population 'all' has no clusters, {missing}{AGAIN}",
    ]


def test_tables_that_are_missing_or_broken_are_all_named(tmp_path: Path) -> None:
    audited(tmp_path)
    tables = tmp_path / "out" / "tables"
    (tables / "cells.parquet").unlink()
    (tables / "levels.parquet").write_bytes(b"PAR1")
    assert faults(tmp_path) == [
        f"out/tables/levels.parquet: cannot be read as a Parquet file{AGAIN}",
        f"out/tables/cells.parquet: no such file{AGAIN}",
    ]


def test_columns_that_are_missing_or_of_another_type_are_named(tmp_path: Path) -> None:
    audited(tmp_path)
    path = tmp_path / "out" / "tables" / "specifications.parquet"
    metadata = pl.read_parquet_metadata(path)
    labels = {name: metadata[name] for name in metadata if name.startswith("multiverse.")}
    changed = pl.read_parquet(path).drop("contract").with_columns(families=pl.lit("all"))
    changed.write_parquet(path, metadata=labels)
    assert faults(tmp_path) == [
        "out/tables/specifications.parquet: missing, or of another type: contract, families\n"
        "  expected the columns spec, contract, disposition, families"
    ]


def test_tables_of_another_family_are_refused(tmp_path: Path) -> None:
    audited(tmp_path, family="base")
    whole = audited(tmp_path)
    (tmp_path / "out" / "record.json").write_bytes(record_bytes(whole.record | {"family": "base", "status": "frozen"}))
    found = "a table of another family and status\n  expected that of the record.json beside it"
    assert faults(tmp_path) == [f"out/tables/{name}.parquet: {found}" for name in TABLES]


def test_tables_of_another_record_are_refused(tmp_path: Path) -> None:
    """The same study and family, of other specifications and data."""
    fewer = audited(tmp_path, predictions=SMALL["hypotheses"]["predictions"].replace("r2,b,h1,o1,", "r2,b,,,"))
    specs = fewer.record["specs"][::-1]
    audited(tmp_path)
    (tmp_path / "out" / "record.json").write_bytes(record_bytes(fewer.record | {"specs": specs}))
    beside = "than in the record\n  expected the table of the record.json beside it"
    assert faults(tmp_path) == [
        f"out/tables/specifications.parquet: other specifications {beside}",
        f"out/tables/identified.parquet: other identified sets {beside}",
    ]
    changed_record(tmp_path, lambda record: record["populations"].update(more=record["populations"]["all"]))
    assert f"out/tables/levels.parquet: other specifications or populations {beside}" in faults(tmp_path)


def test_an_audit_that_writes_meanwhile_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audited(tmp_path)
    monkeypatch.setattr(results, "_table", lambda *given: (tmp_path / "out" / "record.json").unlink(missing_ok=True))
    with pytest.raises(BusyError) as caught:
        read_results(tmp_path / "out")
    assert str(caught.value) == f"another multiverse is writing into {tmp_path / 'out'}; wait until it has ended"
