"""Archives and chains verified, and computed again: what is shown, what is a fault, and what cannot be said."""

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from frozen import FOLDER, STUDY, TABLES, amended, chain, frozen, rewrite, write_explained
from multiverse import verification
from multiverse.archives import archive
from multiverse.declaration import read_declaration
from multiverse.errors import Fault, InputError
from multiverse.receipts import environment
from multiverse.receipts.freezing import freeze
from multiverse.receipts.snapshot import stated_fields
from multiverse.runs import run
from multiverse.verification import find_places, find_receipts, verify_place
from multiverse.verify import Findings, Pins
from repositories import commit, git, new_repository

OUT = Path("small.zip")
AGAIN = "computed again here, all 12 files came out byte for byte"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def audited(*, data: bool = True) -> None:
    """A frozen audit, archived, and the archive unpacked."""
    frozen()
    run("small", family="audit")
    archive("small", OUT, with_data=data)
    with zipfile.ZipFile(OUT) as packed:
        packed.extractall("unpacked")


def rerun(place: str) -> Findings:
    return verify_place(place, Pins(), rerun=True)


def told(found: Findings) -> tuple[int, list[str]]:
    """The exit code, and everything that is wrong."""
    return found.exit_code, [str(one) for one in (*found.faults, *found.unchecked)]


@pytest.mark.parametrize(
    "place", ["small.zip", "unpacked", "small", "receipts/small", "specs/small", "other", "specs/other"]
)
def test_a_run_is_computed_again_from_wherever_its_inputs_are(place: str) -> None:
    """Archive, unpacked archive, receipts by name and folder, the study's folder, whatever that is called."""
    audited()
    if "other" in place:
        Path("specs/small").rename("specs/other")
    found = rerun(place)
    assert told(found) == (0, [])
    assert found.shown[-1] == f"grade R: 0002-run.json, family audit: {AGAIN}"


@pytest.mark.parametrize("place", ["small.zip", "unpacked", "small"])
def test_a_run_that_comes_out_otherwise_is_a_fault(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    audited()
    monkeypatch.setattr("multiverse.reruns.report_text", lambda found: "otherwise")
    text = "computed again, 1 of 12 files differ: results/audit/report.txt"
    assert told(rerun(place)) == (1, [f"E-RERUN 0002-run.json: {text}"])


def test_an_unpacked_archive_is_not_taken_for_a_study_that_lies_in_it() -> None:
    audited()
    Path("unpacked/study.yaml").write_bytes((FOLDER / "study.yaml").read_bytes())
    Path("unpacked/data/results/audit/record.json").write_text("{}")
    assert "E-EXTRA study.yaml: in the archive but not listed in MANIFEST.json" in told(rerun("unpacked"))[1]


def test_a_folder_of_chains_is_each_of_them() -> None:
    audited()
    Path("receipts/verify.py").write_text("")
    assert (find_places("receipts"), find_places("small")) == (["receipts/small"], ["small"])


@pytest.mark.parametrize(
    ("field", "value"), [("methods", ["gpt-9"]), ("resampling", None)], ids=["methods", "resampling"]
)
def test_what_receipts_state_of_the_specs_is_computed_again(
    monkeypatch: pytest.MonkeyPatch, field: str, value: object
) -> None:
    audited()
    monkeypatch.setattr("multiverse.reruns.stated_fields", lambda declared: stated_fields(declared) | {field: value})
    named = f"{field} of 0001-freeze.json, {field} of 0002-run.json"
    text = f"what receipts state is not what the frozen specs give: {named}"
    assert told(rerun("small.zip")) == (1, [f"E-RERUN 0002-run.json: computed again, {text}"])


def test_families_are_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    audited()
    monkeypatch.setattr("multiverse.reruns.families_bytes", lambda declared: b"{}")
    text = "what receipts state is not what the frozen specs give: families of 0001-freeze.json"
    assert told(rerun("small.zip")) == (1, [f"E-RERUN 0002-run.json: computed again, {text}"])


def test_a_shallow_clone_cannot_be_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = new_repository(tmp_path / "repository")
    monkeypatch.chdir(top)
    write_explained()
    commit(top)
    freeze(read_declaration(FOLDER))
    commit(top)
    run("small", family="audit")
    commit(top)
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{top}", "shallow")
    monkeypatch.chdir(tmp_path / "shallow")
    found = verify_place("small", Pins())
    assert (found.exit_code, [one.code for one in found.unchecked]) == (2, ["X-GIT"])


def other_python(monkeypatch: pytest.MonkeyPatch) -> None:
    now = environment.runtime()
    other: Any = replace(now, environment={**now.environment, "python": "3.99.0"})
    monkeypatch.setattr(verification, "runtime", lambda: other)


def test_a_fault_names_what_is_not_as_it_was_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    audited()
    monkeypatch.setattr("multiverse.reruns.report_text", lambda found: "otherwise")
    other_python(monkeypatch)
    then = environment.runtime().environment["python"]
    text = "computed again, 1 of 12 files differ: results/audit/report.txt; Python: version 3.99.0 expected the frozen"
    assert told(rerun("small.zip")) == (1, [f"E-RERUN 0002-run.json: {text} {then}"])


def test_another_python_that_gives_the_same_bytes_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    audited()
    other_python(monkeypatch)
    assert told(rerun("small.zip")) == (0, [])


def test_an_archive_without_data_cannot_be_computed_again() -> None:
    audited(data=False)
    missing = "inputs/rows.csv, inputs/objects.csv, inputs/predictions.csv not at hand"
    assert told(rerun("small.zip")) == (2, [f"X-RERUN 0002-run.json: cannot be computed again: {missing}"])
    assert told(verify_place("small.zip", Pins())) == (0, [])


@pytest.mark.parametrize("gone", ["specs/small", "specs/small/rows.csv"])
def test_receipts_whose_data_is_gone_cannot_be_computed_again(gone: str) -> None:
    audited()
    Path(gone).rename("gone")
    missing = "rows.csv, inputs/objects.csv, inputs/predictions.csv" if gone == "specs/small" else "rows.csv"
    text = f"cannot be computed again: inputs/{missing} not at hand"
    assert told(rerun("small")) == (2, [f"X-RERUN 0002-run.json: {text}"])


def test_data_that_changed_is_not_at_hand() -> None:
    audited()
    (FOLDER / "rows.csv").write_text(TABLES["rows"].replace("s2", "s3"))
    assert told(rerun("small")) == (
        2,
        ["X-RERUN 0002-run.json: cannot be computed again: inputs/rows.csv not at hand"],
    )


def test_without_a_complete_run_there_is_nothing_to_compute() -> None:
    frozen()
    run("small", family="audit", mode="exploratory")
    assert told(rerun("small")) == (2, ["X-RERUN receipts/small: there is no complete run to compute again"])


def test_a_run_of_an_amended_freeze_whose_data_is_gone_is_only_claimed() -> None:
    frozen()
    run("small", family="audit")
    amended(tables={"rows": TABLES["rows"].replace("s2", "s3")})
    run("small", family="audit")
    archive("small", OUT)
    why = "not computed again: inputs/rows.csv not at hand"
    for place in ("small", "small.zip"):
        found = rerun(place)
        assert told(found) == (0, [])
        assert found.claimed[-1] == f"0002-run.json, under a freeze that was amended: {why}"
        assert found.shown[-1] == f"grade R: 0004-run.json, family audit: {AGAIN}"


def test_what_does_not_verify_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    audited()
    monkeypatch.setattr("multiverse.reruns.evaluate", None)
    rewrite(Path("unpacked/data/results/audit/report.txt"), "small\n", "Small\n")
    found = rerun("unpacked")
    assert [one.code for one in found.faults] == ["E-DIGEST"]


def test_a_run_that_stops_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*given: object, **named: object) -> None:
        raise InputError([Fault(where="rows", found="too few")])

    audited()
    monkeypatch.setattr("multiverse.reruns.evaluate", stop)
    assert told(rerun("small.zip")) == (1, ["E-RERUN small.zip: rows: too few"])


def test_a_study_at_fault_beside_does_not_matter() -> None:
    audited()
    (Path("specs/a") / "study.yaml").parent.mkdir()
    Path("specs/a/study.yaml").write_text("not YAML: [")
    assert told(rerun("small")) == (0, [])


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("none", "no such file or study"),
        ("specs/small", "the study has no receipt"),
        ("small", "the study has no receipt"),
    ],
)
def test_a_place_without_receipts_is_refused(place: str, found: str) -> None:
    write_explained()
    with pytest.raises(InputError) as caught:
        find_receipts(place)
    expected = "an archive, a folder of receipts, or a study that has some"
    assert str(caught.value) == f"{place}: {found}\n  expected {expected}"


def test_a_study_may_be_the_working_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    write_explained()
    monkeypatch.chdir(FOLDER)
    freeze(read_declaration(Path()))
    run(".", family="audit")
    assert (find_receipts("."), told(rerun("."))) == (Path("receipts/small"), (0, []))


def test_a_temporary_folder_with_brackets_in_its_name_is_no_pattern(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = "rows: 'rows/*', objects: objects.csv, predictions: predictions.csv"
    head, *records = TABLES["rows"].splitlines(keepends=True)
    (FOLDER / "rows").mkdir(parents=True)
    for number, one in enumerate(records):
        (FOLDER / f"rows/{number}.csv").write_text(head + one)
    frozen(study=f"study: small\nsubstrate: {{kind: hypotheses, {tables}}}\n{STUDY}")
    run("small", family="audit")
    (tmp_path / "[a] b").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "[a] b"))
    assert told(rerun("small")) == (0, [])


def test_receipts_in_a_repository_show_their_git_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = new_repository(tmp_path / "repository")
    monkeypatch.chdir(top)
    write_explained()
    first = commit(top)
    frozen()
    second = commit(top)
    run("small", family="audit")
    text = f"git: commit {first[:12]} holds exactly the spec files that 0001-freeze.json froze; {second[:12]}, which"
    found = verify_place("small", Pins())
    assert told(found) == (0, [])
    assert [line for line in found.shown if line.startswith("git")] == [f"{text} holds that receipt, comes after it"]


def test_pins_are_held_to() -> None:
    audited()
    head = chain().receipts[-1].digest
    assert told(verify_place("small", Pins(head=head))) == (0, [])
    assert told(verify_place("small", Pins(head="0" * 64))) == (
        1,
        [f"E-PIN receipts: last receipt is {head[:16]}..., you expected {'0' * 16}..."],
    )
