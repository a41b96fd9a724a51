"""Audits and gates under a freeze: receipts, exploratory runs, NO_GO, and what lies behind it."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from frozen import (
    FAMILIES,
    FOLDER,
    GO,
    NO_GO,
    STUDY,
    amended,
    chain,
    digest,
    files_below,
    frozen,
    names,
    record,
    rewrite,
    verified,
    write_explained,
)
from multiverse import verify
from multiverse.errors import GateError, InputError, MultiverseError, NotFrozenError, ReceiptError
from multiverse.runs import judge, run
from repositories import commit, git, new_repository

OUT = Path("results/small/audit")
CLOSED = """\
specs/small/study.yaml:5:9: gate 'enough' is NO_GO: 1 cluster of population 'all'
  expected at least 3

The predictions were not opened."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_run_binds_what_it_read_and_all_that_it_wrote() -> None:
    frozen(study=STUDY + GO)
    found = run("small", family="audit")
    freeze, receipt = chain().receipts
    assert (found.out, found.receipt, found.notes) == (OUT, Path("receipts/small/0002-run.json"), ())
    written = {f"results/audit/{path}": digest(OUT / path) for path in files_below(OUT)}
    assert len(written) == 12
    read = {name: held for name, held in freeze.subjects.items() if not name.startswith("frozen/")}
    assert receipt.subjects == written | read
    stated = receipt.predicate
    gate = {"id": "enough", "population": "all", "unit": "clusters", "count": 1, "at_least": 1, "verdict": "GO"}
    assert (stated["freeze"], stated["family"], stated["status"]) == (freeze.digest, "audit", "complete")
    assert (stated["changed"], stated["out"], stated["gates"]) == ([], "results/small/audit", [gate])
    assert stated["reported"] == {"specs": 2, "sha256": verify.listing_sha256(["A0/base", "A1/base"])}
    assert [stated[key] for key in ("code", "environment", "lock", "methods", "resampling")] == [
        freeze.predicate[key] for key in ("code", "environment", "lock", "methods", "resampling")
    ]
    assert verified() == (0, [])


def test_the_record_and_the_report_of_a_frozen_run_say_so() -> None:
    frozen()
    run("small", family="audit")
    assert record()["status"] == "frozen"
    assert record()["admissibility"]["classification"] == "frozen"
    assert (OUT / "report.txt").read_text().splitlines()[1].endswith("; frozen")


def test_the_report_under_an_amendment_says_what_it_is() -> None:
    frozen()
    amended(study=STUDY + GO)
    run("small", family="audit")
    told = (Path("results/small/0002/audit") / "report.txt").read_text().splitlines()[1]
    assert told.endswith("; post-hoc motivated, prospectively frozen robustness control")


def test_an_audit_without_a_freeze_is_refused() -> None:
    write_explained()
    with pytest.raises(NotFrozenError) as caught:
        run("small", family="audit")
    assert str(caught.value) == (
        "small: not frozen\n"
        "  expected `multiverse freeze specs/small` first, or --exploratory, which marks all that it writes"
    )
    assert caught.value.exit_code == 4
    assert not Path("results").exists()


def marks() -> set[str]:
    """What the record, every table and the report of an audit say that it is."""
    folder = next(Path("results").rglob("record.json")).parent
    tables = {pl.read_parquet_metadata(path)["multiverse.status"] for path in folder.glob("tables/*.parquet")}
    report = (folder / "report.txt").read_text().splitlines()[1].rpartition("; ")[2]
    return {record(folder)["status"], report, *tables}


def test_an_exploratory_audit_needs_no_freeze_and_is_marked_throughout() -> None:
    write_explained()
    found = run("small", family="audit", mode="exploratory")
    assert (found.receipt, found.out, marks()) == (None, OUT, {"exploratory"})
    assert record()["admissibility"] is None
    assert not Path("receipts").exists()


def test_an_exploratory_audit_beside_changes_is_marked_and_has_a_receipt_that_names_them() -> None:
    frozen()
    then = digest(FOLDER / "families.yaml")[:16]
    rewrite(FOLDER / "families.yaml", "alone", "only")
    now = digest(FOLDER / "families.yaml")[:16]
    found = run("small", family="audit", mode="exploratory")
    assert (found.out, marks()) == (Path("results/small/exploratory/audit"), {"exploratory"})
    receipt = chain().receipts[1]
    assert receipt.subjects == {
        f"results/exploratory/0002/audit/{path}": digest(found.out / path) for path in files_below(found.out)
    }
    assert (receipt.predicate["status"], receipt.predicate["changed"]) == (
        "exploratory",
        [
            f"specs/small/families.yaml: changed since the freeze: sha256 is {now}, frozen {then}; "
            "frozen line 2 was 'license: claims about these rows alone'; "
            "line 2 is 'license: claims about these rows only'; expected it as 0001-freeze.json froze it"
        ],
    )
    assert verified() == (0, [])


def test_other_libraries_reproduce_a_run_where_the_record_comes_out_the_same() -> None:
    frozen()
    first = run("small", family="audit")
    Path("requirements.lock").write_text("polars==3\n")
    found = run("small", family="audit", mode="reproduce")
    told = "lock file: sha256 d4139d0cb6a1d36c of requirements.lock; expected the frozen no lock file"
    note = f"the record is that of 0002-run.json, byte for byte, though not by what was frozen: {told}"
    assert (found.receipt, found.notes, len(chain().receipts)) == (first.receipt, (note,), 2)


def test_what_was_frozen_reproduces_a_run_without_another_receipt() -> None:
    frozen()
    first = run("small", family="audit")
    found = run("small", family="audit", mode="reproduce")
    note = "the record is that of 0002-run.json, byte for byte"
    assert (found.receipt, found.notes, len(chain().receipts)) == (first.receipt, (note,), 2)


@pytest.mark.parametrize("lost", [False, True])
def test_what_is_reproduced_takes_no_place_of_what_a_receipt_binds(
    monkeypatch: pytest.MonkeyPatch, *, lost: bool
) -> None:
    """The record is the same; a table written by another library need not be."""
    frozen()
    run("small", family="audit")
    before = files_below(OUT)
    Path("requirements.lock").write_text("polars==3\n")
    monkeypatch.setattr("multiverse.runs.report_text", lambda found: "otherwise")
    if lost:
        shutil.rmtree(OUT)
    run("small", family="audit", mode="reproduce")
    otherwise = {"report.txt": b"otherwise"} if lost else {}
    assert files_below(OUT) == before | otherwise


def test_nothing_is_reproduced_before_a_first_run() -> None:
    frozen()
    with pytest.raises(NotFrozenError) as caught:
        run("small", family="audit", mode="reproduce")
    assert str(caught.value) == (
        "small: no run of family audit under 0001-freeze.json to reproduce\n"
        "  expected an audit without --reproduce first"
    )


def test_nothing_is_reproduced_beside_changed_specs() -> None:
    frozen()
    run("small", family="audit")
    (FOLDER / "families.yaml").write_bytes((FOLDER / "families.yaml").read_bytes() + b"# more\n")
    Path("requirements.lock").write_text("polars==3\n")
    with pytest.raises(NotFrozenError) as caught:
        run("small", family="audit", mode="reproduce")
    assert [fault.where for fault in caught.value.faults] == ["specs/small/families.yaml", "lock file", "small"]


def test_a_record_that_comes_out_otherwise_is_not_reproduced(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen()
    run("small", family="audit")
    Path("requirements.lock").write_text("polars==3\n")
    monkeypatch.setattr("multiverse.runs.record_bytes", lambda found: b"{}\n")
    with pytest.raises(NotFrozenError) as caught:
        run("small", family="audit", mode="reproduce")
    assert [fault.where for fault in caught.value.faults] == ["lock file", "family audit", "small"]
    assert str(caught.value.faults[1]) == (
        "family audit: the record comes out otherwise than 0002-run.json binds it\n  expected it byte for byte"
    )


def test_an_exploratory_audit_may_be_of_a_family_that_was_never_frozen() -> None:
    frozen()
    write_explained(files={"families": FAMILIES.replace("audit: {}", "audit: {}, other: {contract: [A1]}")})
    run("small", family="other", mode="exploratory")
    assert names() == ["0001-freeze.json", "0002-run.json"]


def test_the_same_audit_again_is_a_receipt_again() -> None:
    frozen()
    first = run("small", family="audit")
    before = files_below(first.out)
    run("small", family="audit", jobs=2)
    assert (names(), files_below(first.out)) == (["0001-freeze.json", "0002-run.json", "0003-run.json"], before)
    assert verified() == (0, [])


def test_an_audit_that_comes_out_otherwise_has_no_receipt(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen()
    run("small", family="audit")
    monkeypatch.setattr("multiverse.runs.report_text", lambda found: "otherwise")
    with pytest.raises(MultiverseError) as caught:
        run("small", family="audit")
    assert str(caught.value) == (
        "results/small/audit: report.txt came out otherwise than in an earlier run under 0001-freeze.json, "
        "although nothing frozen has changed: no receipt was written"
    )
    assert names() == ["0001-freeze.json", "0002-run.json"]


def test_results_under_an_amended_freeze_lie_apart() -> None:
    frozen()
    run("small", family="audit")
    before = files_below(OUT)
    amended(study=STUDY + "aggregation: cluster_mean\n")
    assert run("small", family="audit").out == Path("results/small/0003/audit")
    assert files_below(OUT) == before
    assert "results/0003/audit/record.json" in chain().receipts[3].subjects
    assert verified() == (0, [])


@pytest.mark.parametrize("frozen_before", [True, False])
def test_a_folder_that_is_not_an_audits_is_refused_before_anything_is_read(*, frozen_before: bool) -> None:
    (frozen if frozen_before else write_explained)()
    (FOLDER / "predictions.csv").write_bytes(b"not a table")
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("mine")
    with pytest.raises(InputError) as caught:
        run("small", family="audit", out=Path("mine"), mode="exploratory")
    assert str(caught.value) == (
        "mine: the folder holds 'notes.txt'\n  expected a new or empty folder, or an earlier audit's"
    )


def fifo(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def unreadable(path: Path) -> None:
    """A link to itself: no one can open it, root included."""
    path.symlink_to(path.name)


@pytest.mark.parametrize("put", [fifo, folder, unreadable, lambda path: None])
def test_gates_open_no_prediction(put: Callable[[Path], None]) -> None:
    """A FIFO would hang whoever opened it; the others would raise."""
    frozen(study=STUDY + NO_GO)
    (FOLDER / "predictions.csv").unlink()
    put(FOLDER / "predictions.csv")
    assert not judge("small").passed
    with pytest.raises(GateError) as caught:
        run("small", family="audit")
    assert (str(caught.value), caught.value.exit_code) == (CLOSED, 3)
    assert {one["table"] for receipt in chain().of_kind("gate") for one in receipt.predicate["inputs"]} == {
        "rows",
        "objects",
    }
    assert verified() == (0, [])


@pytest.mark.parametrize(("gates", "verdict"), [(GO, "GO"), (NO_GO, "NO_GO")])
def test_a_verdict_is_a_receipt(gates: str, verdict: str) -> None:
    frozen(study=STUDY + gates)
    found = judge("small")
    (receipt,) = chain().of_kind("gate")
    assert (found.receipt, found.passed) == (Path("receipts/small/0002-gate.json"), verdict == "GO")
    assert (receipt.predicate["verdict"], receipt.predicate["gates"]) == (verdict, found.entries)
    assert receipt.predicate["freeze"] == chain().receipts[0].digest


@pytest.mark.parametrize(
    ("study", "freeze_it", "why"),
    [(STUDY, True, "no gate is declared"), (STUDY + GO, False, "the study is not frozen")],
)
def test_a_verdict_without_a_freeze_or_a_gate_has_no_receipt(study: str, why: str, *, freeze_it: bool) -> None:
    (frozen if freeze_it else write_explained)(study=study)
    found = judge("small")
    assert (found.receipt, found.why_none, found.passed) == (None, why, True)


def test_a_verdict_of_what_is_not_frozen_any_more_is_refused() -> None:
    frozen(study=STUDY + NO_GO)
    rewrite(FOLDER / "study.yaml", "at_least: 3", "at_least: 1")
    with pytest.raises(NotFrozenError):
        judge("small")
    assert names() == ["0001-freeze.json"]


def test_audits_behind_a_no_go_add_one_receipt_to_a_freeze() -> None:
    frozen(study=STUDY + NO_GO)
    for _ in range(3):
        with pytest.raises(GateError):
            run("small", family="audit")
    assert names() == ["0001-freeze.json", "0002-gate.json"]
    amended(study=STUDY + NO_GO + "aggregation: cluster_mean\n")
    for _ in range(2):
        with pytest.raises(GateError):
            run("small", family="base")
    assert names() == ["0001-freeze.json", "0002-gate.json", "0003-freeze.json", "0004-gate.json"]
    assert not Path("results").exists()
    assert verified() == (0, [])


def test_an_exploratory_audit_is_stopped_by_a_gate_too_and_has_no_receipt() -> None:
    frozen(study=STUDY + NO_GO)
    with pytest.raises(GateError) as caught:
        run("small", family="audit", mode="exploratory")
    assert (str(caught.value), names()) == (CLOSED, ["0001-freeze.json"])


def test_a_complete_run_behind_a_no_go_does_not_verify() -> None:
    """Forged from the receipts of a gate that passed, with the run linked to it anew."""
    frozen(study=STUDY + GO)
    judge("small")
    run("small", family="audit")
    gate, run_after = (json.loads(chain().path(receipt).read_bytes()) for receipt in chain().receipts[1:])
    gate["predicate"]["verdict"] = "NO_GO"
    gate["predicate"]["gates"][0] |= {"verdict": "NO_GO", "count": 0}
    run_after["predicate"]["chain"]["prev"] = verify.sha256(verify.canonical(gate))
    Path("receipts/small/0002-gate.json").write_bytes(verify.canonical(gate))
    Path("receipts/small/0003-run.json").write_bytes(verify.canonical(run_after))
    code, found = verified()
    behind = "E-GATE 0003-run.json: a complete run behind a gate that said NO_GO (0002-gate.json)"
    assert (code, behind in found) == (1, True)
    with pytest.raises(ReceiptError):
        run("small", family="audit")


def test_a_run_is_bound_to_the_commit_that_holds_its_freeze(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = new_repository(tmp_path / "repository")
    monkeypatch.chdir(top)
    write_explained()
    commit(top)
    frozen()
    early = run("small", family="audit")
    assert early.notes == (
        "receipts/small/0001-freeze.json is not committed: the order of freeze and run is claimed, not shown "
        "(commit it before an audit)",
    )
    head = commit(top)
    assert run("small", family="audit").notes == ()
    receipts = [one.predicate["git"] for one in chain().of_kind("run")]
    assert [one["paths"] for one in receipts] == [
        [],
        [{"name": "receipts/0001-freeze.json", "path": "receipts/small/0001-freeze.json"}],
    ]
    assert receipts[1]["commit"] == head


def test_a_history_that_lost_the_freeze_stops_a_run_that_is_not_exploratory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = new_repository(tmp_path / "repository")
    monkeypatch.chdir(top)
    write_explained()
    first = commit(top)
    frozen()
    git(top, "add", "--all")
    git(top, "commit", "--quiet", "--amend", "--message=all at once")
    head = git(top, "rev-parse", "HEAD")
    with pytest.raises(NotFrozenError) as caught:
        run("small", family="audit")
    assert str(caught.value) == (
        f"receipts/small/0001-freeze.json: the commit {first[:12]} of the freeze is no ancestor of HEAD, {head[:12]}\n"
        "  expected a history that holds the freeze (was it rebased or amended?)"
    )
    run("small", family="audit", mode="exploratory")
    assert names() == ["0001-freeze.json", "0002-run.json"]
    assert verified() == (0, [])
