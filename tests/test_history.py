"""What the receipts of the working directory say of a record."""

import json
from pathlib import Path

import pytest

from commands import FOLDER, RECEIPTS, run
from multiverse.report.history import History, find_history
from multiverse.starter import write_starter

OUT = Path("results/starter/audit")


@pytest.fixture
def content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The record of a frozen starter study, in the working directory."""
    monkeypatch.chdir(tmp_path)
    write_starter(FOLDER)
    for arguments in (["freeze", str(FOLDER)], ["audit", str(FOLDER), "--family", "audit"]):
        assert run(*arguments).exit_code == 0
    return (OUT / "record.json").read_bytes()


def found(content: bytes) -> History:
    return find_history(json.loads(content), content)


def test_a_record_that_a_run_binds_has_a_history(content: bytes) -> None:
    history = found(content)
    assert (history.run, history.complete, history.fault) == (str(RECEIPTS / "0002-run.json"), True, "")
    assert [one.stage for one in history.events] == ["V1 freeze", "V1 run"]
    assert len(history.head) == 64


def test_the_fields_of_table_3_are_there_or_why_they_are_not(content: bytes) -> None:
    """The starter declares no resampling, so its identification record has a field without an entry."""
    history = found(content)
    assert (history.fields, history.why_none) == (
        {},
        "starter, 0002-run.json: the field 'uncertainty' of the identification record has nothing to say",
    )


def test_another_record_has_none(content: bytes) -> None:
    assert found(content + b"\n") == History(why_none="no receipt binds this record")


def test_receipts_that_do_not_verify_are_told(content: bytes) -> None:
    path = RECEIPTS / "0002-run.json"
    path.write_bytes(path.read_bytes().replace(b'"audit"', b'"other"'))
    history = found(content)
    assert (history.run, history.why_none) == ("", "the receipts of the study do not verify")
    assert history.fault.startswith("receipts/starter/")


def test_a_record_of_a_study_that_cannot_be_has_none(content: bytes) -> None:
    record = {**json.loads(content), "study": "../starter"}
    assert find_history(record, content) == History(why_none="no receipt binds this record")


def test_an_exploratory_run_has_no_table_3(content: bytes) -> None:
    assert run("audit", str(FOLDER), "--family", "audit", "--exploratory").exit_code == 0
    content = Path("results/starter/exploratory/audit/record.json").read_bytes()
    history = found(content)
    assert (history.complete, history.fields, history.why_none) == (False, {}, "the run of this record is exploratory")
