"""One archive of a study: the same bytes wherever it is made, whole, closed, and verified once unpacked."""

import os
import shutil
import subprocess
import sys
import zipfile
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
    TABLES,
    amended,
    appendix_e,
    chain,
    digest,
    files_below,
    frozen,
    rewrite,
    verified,
    write_explained,
)
from multiverse import verify
from multiverse.archives import archive
from multiverse.declaration import read_declaration
from multiverse.errors import GateError, InputError, NotFrozenError, ReceiptError
from multiverse.output import write_pages
from multiverse.receipts.freezing import freeze
from multiverse.runs import run
from multiverse.verification import verify_place
from repositories import DATES, commit, git, new_repository
from small import write_small

OUT = Path("small.zip")
OTHER = STUDY + "aggregation: cluster_mean\n"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def archived(study: str = "small", *, with_data: bool = True) -> bytes:
    """The bytes of an archive that was just made, and that verifies."""
    archive(study, OUT, with_data=with_data)
    assert verified(OUT) == (0, [])
    return OUT.read_bytes()


def unpacked() -> dict[str, bytes]:
    """What an archive holds, by path; unpacked into a folder, it verifies there too."""
    shutil.rmtree("unpacked", ignore_errors=True)
    with zipfile.ZipFile(OUT) as packed:
        packed.extractall("unpacked")
    assert verified(Path("unpacked")) == (0, [])
    return files_below(Path("unpacked"))


def withheld() -> dict[str, str]:
    """What an archive does not hold, with the reason."""
    content = verify.parse_canonical(unpacked()["MANIFEST.json"], "", verify.Findings())
    return {one["path"].removeprefix("data/"): one["reason"] for one in content["withheld"]}


def test_an_archive_holds_specs_data_receipts_results_ledger_and_the_verifier() -> None:
    frozen()
    run("small", family="audit")
    made = archive("small", OUT)
    held = unpacked()
    tables = sorted((*verify.RECORD_TABLES, *verify.DESCRIBING_TABLES))
    assert sorted(held) == [
        "MANIFEST.json",
        "bag-info.txt",
        "bagit.txt",
        "data/frozen/families.json",
        *(f"data/inputs/{table}.csv" for table in ("objects", "predictions", "rows")),
        "data/receipts/0001-freeze.json",
        "data/receipts/0002-run.json",
        "data/results/audit/record.json",
        "data/results/audit/report.txt",
        *(f"data/results/audit/tables/{table}.parquet" for table in tables),
        *(f"data/specs/{name}.yaml" for name in ("contracts", "dispositions", "families", "study")),
        "evidence_ledger.md",
        "identification_record.md",
        "manifest-sha256.txt",
        "tagmanifest-sha256.txt",
        "verify.py",
    ]
    assert held["data/inputs/rows.csv"] == TABLES["rows"].encode()
    assert held["verify.py"] == Path(verify.__file__).read_bytes()
    assert (made.sha256, made.archive, made.head) == (
        digest(OUT),
        verify.sha256(held["MANIFEST.json"]),
        chain().receipts[-1].digest,
    )


def test_sha256sum_and_the_archives_own_verifier_say_so_too() -> None:
    frozen()
    run("small", family="audit")
    archived()
    unpacked()
    for command in (
        ["sha256sum", "--strict", "--quiet", "-c", "manifest-sha256.txt"],
        [sys.executable, "verify.py", "."],
    ):
        assert subprocess.run(command, cwd="unpacked", capture_output=True, check=False).returncode == 0


def test_two_checkouts_give_the_same_bytes_with_results_and_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git evidence and all; the results that one lacks are computed again."""
    top = new_repository(tmp_path / "repository")
    monkeypatch.chdir(top)
    write_explained()
    Path(".gitignore").write_text("results/\n")
    Path(".gitattributes").write_text("* -text\n")
    commit(top)
    frozen()
    commit(top)
    run("small", family="audit")
    write_explained(study=OTHER)
    commit(top)
    amended(study=OTHER)
    commit(top)
    run("small", family="audit")
    commit(top)
    first = archived()
    assert any(path.startswith("data/git/") for path in unpacked())
    for name, results in (("another", True), ("a/third/place", False)):
        git(tmp_path, "clone", "--quiet", str(top), name)
        if results:
            shutil.copytree(top / "results", tmp_path / name / "results")
        monkeypatch.chdir(tmp_path / name)
        assert archived() == first
        findings = verify_place(str(OUT), verify.Pins(), rerun=True)
        assert (findings.exit_code, [line for line in findings.shown if line.startswith("grade F")]) == (
            0,
            ["grade F1: chain and git lock; each result was made after, and bound to, the freeze it names"],
        )


def test_the_same_receipts_and_data_give_the_same_bytes_again() -> None:
    frozen()
    run("small", family="audit")
    run("small", family="base")
    run("small", family="audit")
    first = archived()
    shutil.rmtree("results")
    assert archived() == first


def test_an_archive_without_data_holds_its_digests() -> None:
    frozen()
    run("small", family="audit")
    first = archived(with_data=False)
    assert withheld() == {f"inputs/{name}.csv": "private" for name in ("objects", "predictions", "rows")}
    assert not any("inputs/" in path for path in unpacked())
    for table in TABLES:
        (FOLDER / f"{table}.csv").unlink()
    assert archived(with_data=False) == first


def test_results_and_data_that_are_both_gone_are_asked_for() -> None:
    frozen()
    run("small", family="audit")
    shutil.rmtree("results")
    (FOLDER / "rows.csv").unlink()
    with pytest.raises(NotFrozenError) as caught:
        archive("small", OUT, with_data=False)
    assert str(caught.value) == (
        "0002-run.json: its outputs are not where it wrote them, nor is what to compute them from: inputs/rows.csv\n"
        "  expected results/small/audit as it was written, or the data that was frozen"
    )
    assert not OUT.exists()


@pytest.mark.parametrize("act", [lambda path: path.unlink(), lambda path: path.write_text("x")])
def test_data_that_is_gone_or_changed_is_asked_for(act: Callable[[Path], object]) -> None:
    frozen()
    run("small", family="audit")
    act(FOLDER / "objects.csv")
    with pytest.raises(NotFrozenError) as caught:
        archive("small", OUT)
    then = verify.sha256(TABLES["objects"].encode())[:16]
    assert str(caught.value) == (
        "inputs/objects.csv: not at hand: gone or changed since the freeze\n"
        f"  expected the bytes frozen, with sha256 {then}; or --without-data"
    )
    assert caught.value.exit_code == 4


def test_results_that_come_out_otherwise_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen()
    run("small", family="audit")
    shutil.rmtree("results")
    monkeypatch.setattr("multiverse.reruns.report_text", lambda found: "otherwise")
    with pytest.raises(NotFrozenError) as caught:
        archive("small", OUT)
    assert str(caught.value) == (
        "results/audit/report.txt: not where 0002-run.json wrote it, and comes out otherwise when computed again\n"
        "  expected results/small/audit as it was written, or the specs, data and libraries that were frozen"
    )


def test_a_changed_result_is_replaced_by_what_was_bound() -> None:
    frozen()
    run("small", family="audit")
    first = archived()
    Path("results/small/audit/report.txt").write_text("better")
    assert archived() == first


def test_results_of_an_amended_freeze_are_there_where_their_data_is() -> None:
    frozen()
    run("small", family="audit")
    amended(study=OTHER)
    run("small", family="audit")
    first = archived()
    assert {"data/results/audit/record.json", "data/results/0003/audit/record.json"} <= unpacked().keys()
    assert withheld() == {}
    shutil.rmtree("results")
    assert archived() == first


def test_pages_and_figures_beside_a_record_are_in_no_archive_and_in_nobodys_way() -> None:
    frozen()
    found = run("small", family="audit")
    plain = archive("small", OUT).sha256
    write_pages(found.out, (found.out / "record.json").read_bytes(), {"report.html": b"page", "figures/curve.svg": b""})
    assert archive("small", OUT).sha256 == plain
    run("small", family="audit", mode="reproduce")
    assert (found.out / "report.html").read_bytes() == b"page"


def test_data_and_results_that_an_amendment_replaced_are_told_by_digest() -> None:
    frozen()
    run("small", family="audit")
    amended("a wrong stratum", tables={"rows": TABLES["rows"].replace("s2", "s3")})
    run("small", family="audit")
    first = archived()
    outputs = {name for name in chain().receipts[1].subjects if name.startswith("results/audit/")}
    assert len(outputs) == 12
    assert withheld() == {"inputs/rows.csv": "superseded"} | dict.fromkeys(outputs, "superseded")
    assert unpacked()["data/inputs/0003/rows.csv"] == (FOLDER / "rows.csv").read_bytes()
    shutil.rmtree("results")
    assert archived() == first


def test_exploratory_results_are_told_by_digest() -> None:
    frozen()
    run("small", family="base", mode="exploratory")
    archived()
    assert set(withheld().values()) == {"exploratory"}
    assert len(withheld()) == 12


def test_a_study_that_stopped_at_its_gate_is_archived() -> None:
    frozen(study=STUDY + NO_GO)
    with pytest.raises(GateError):
        run("small", family="audit")
    archived()
    assert "data/receipts/0002-gate.json" in unpacked()


def test_the_story_of_appendix_e_is_archived_whole() -> None:
    appendix_e()
    first = archived()
    assert withheld() == {}
    bound = {f"data/{name}": held for name, held in chain().bound.items()}
    held = {path: verify.sha256(content) for path, content in unpacked().items() if path in bound}
    assert held == bound
    assert unpacked()["identification_record.md"].startswith(b"# Identification record: small, family audit\n")
    shutil.rmtree("results")
    assert archived() == first


def test_a_study_frozen_before_its_answers_is_archived_before_and_after_its_run() -> None:
    declaration = write_explained(study=STUDY + GO)
    (FOLDER / "predictions.csv").unlink()
    freeze(declaration, data_stage="before_access", outcome_custody="third_party")
    archived()
    assert "data/inputs/predictions.csv" not in unpacked()
    (FOLDER / "predictions.csv").write_text(TABLES["predictions"])
    archived()
    assert "data/inputs/predictions.csv" not in unpacked()
    run("small", family="audit")
    archived()
    assert unpacked()["data/inputs/predictions.csv"] == TABLES["predictions"].encode()


def parts(name: str) -> str:
    """Rows as a folder of Parquet parts, or as the matches of a glob; what study.yaml then says."""
    rows = pl.DataFrame({"row_id": ["r1", "r2"], "cluster_id": ["c1", "c2"], "stratum": ["s1", "s2"]})
    (FOLDER / "rows").mkdir(parents=True)
    for number in (0, 1):
        rows[number : number + 1].write_parquet(FOLDER / "rows" / f"{number}.parquet")
    tables = f"rows: '{name}', objects: objects.csv, predictions: predictions.csv"
    return f"study: small\nsubstrate: {{kind: hypotheses, {tables}}}\n"


@pytest.mark.parametrize("name", ["rows", "rows/*.parquet"])
def test_a_table_in_parts_is_archived_and_computed_again_in_parts(name: str) -> None:
    frozen(study=parts(name) + STUDY)
    run("small", family="audit")
    first = archived()
    assert {"data/inputs/rows/0001.parquet", "data/inputs/rows/0002.parquet"} <= unpacked().keys()
    assert verify_place(str(OUT), verify.Pins(), rerun=True).exit_code == 0
    shutil.rmtree("results")
    assert archived() == first


def test_a_study_of_scores_is_archived_and_computed_again() -> None:
    why = "rationale: r\n"
    files = {
        "contracts": why + "coordinate: contract\npredicates: {adopted: {column: adopted, equals: true}}\n"
        'factors: {A: {"0": [], "1": [adopted]}}\n',
        "dispositions": why + "coordinate: disposition\noptions:\n  - id: base\n"
        "    legal_present: {answered: match, error: 0}\n    legal_empty: exclude\n",
        "families": why + "families: {audit: {}}\n",
    }
    write_small(FOLDER, "scores", files=files)
    freeze(read_declaration(FOLDER))
    run("small", family="audit")
    archived()
    assert {"data/inputs/outcomes.csv", "data/inputs/rows.csv"} <= unpacked().keys()
    assert verify_place(str(OUT), verify.Pins(), rerun=True).exit_code == 0


def test_hostile_names_are_archived_and_computed_again(shared: Path) -> None:
    shutil.copytree(shared / "conformance" / "hostile_names", Path("specs/hostile_names"))
    freeze(read_declaration(Path("specs/hostile_names")))
    run("hostile_names", family="cc")
    archived("hostile_names")
    ledger = unpacked()["evidence_ledger.md"].decode()
    assert ledger.replace("\n", "").isprintable()
    findings = verify_place(str(OUT), verify.Pins(), rerun=True)
    assert (findings.exit_code, [line[:7] for line in findings.shown if "computed again" in line]) == (0, ["grade R"])


def test_a_declaration_that_changed_since_the_freeze_is_not_archived() -> None:
    frozen()
    run("small", family="audit")
    then = digest(FOLDER / "families.yaml")[:16]
    rewrite(FOLDER / "families.yaml", "all that was declared", "what came out best")
    now = digest(FOLDER / "families.yaml")[:16]
    with pytest.raises(NotFrozenError) as caught:
        archive("small", OUT)
    assert str(caught.value) == (
        f"specs/small/families.yaml: changed since the freeze: sha256 is {now}, frozen {then}; "
        "frozen line 1 was 'rationale: all that was declared'; line 1 is 'rationale: what came out best'\n"
        "  expected it as 0001-freeze.json froze it"
    )


def test_an_archive_before_a_freeze_is_refused() -> None:
    write_explained()
    with pytest.raises(NotFrozenError) as caught:
        archive("small", OUT)
    assert str(caught.value) == "small: not frozen\n  expected `multiverse freeze specs/small` first"


def test_an_archive_into_no_folder_is_refused() -> None:
    frozen()
    with pytest.raises(InputError) as caught:
        archive("small", Path("none/small.zip"))
    assert str(caught.value) == "none/small.zip: its folder is not there\n  expected a new file, or an earlier archive"


def test_what_would_not_verify_does_not_take_the_place_of_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commits whose dates run backwards: the receipts alone do not tell."""
    top = new_repository(tmp_path / "repository")
    monkeypatch.chdir(top)
    write_explained()
    commit(top)
    frozen()
    commit(top, dates=dict.fromkeys(DATES, "2001-01-01T00:00:00Z"))
    run("small", family="audit")
    earlier = verify.ZipEntry(b"MANIFEST.json", 1, 2, 0).local + b"an earlier one"
    OUT.write_bytes(earlier)
    with pytest.raises(ReceiptError) as caught:
        archive("small", OUT)
    assert (str(caught.value), caught.value.exit_code) == (
        "data/receipts/0002-run.json: E-TIME run commit is dated before the freeze commit",
        5,
    )
    assert (OUT.read_bytes(), list(top.glob(".writing-*"))) == (earlier, [])


@pytest.mark.parametrize("place", ["data/small/rows.csv", "notes.txt", "folder", "link.zip", "pipe"])
def test_an_archive_takes_the_place_of_nothing_but_an_archive(place: str) -> None:
    frozen()
    Path("notes.txt").write_text("mine")
    Path("folder").mkdir()
    Path("link.zip").symlink_to("notes.txt")
    os.mkfifo("pipe")
    Path("data/small").mkdir(parents=True, exist_ok=True)
    Path("data/small/rows.csv").write_text("row_id\n")
    with pytest.raises(InputError) as caught:
        archive("small", Path(place))
    found = "a file that is no archive of a study" if place[-4:] in (".csv", ".txt") else "no plain file"
    assert str(caught.value) == f"{place}: {found}\n  expected a new file, or an earlier archive"
    assert Path("notes.txt").read_text() == "mine"


UNSAMPLED, UNLICENSED = STUDY.partition("resampling")[0], FAMILIES.replace("license", "# license")


@pytest.mark.parametrize(
    ("study", "families", "wanted"),
    [
        (STUDY, UNLICENSED, "families.yaml: `license`, the inference that the families are to license"),
        (UNSAMPLED, FAMILIES, "study.yaml: `resampling`, for sampling variation apart from specification variation"),
    ],
)
def test_an_archive_without_an_identification_record_says_what_it_wants(study: str, families: str, wanted: str) -> None:
    frozen(study=study, files={"families": families})
    run("small", family="audit")
    assert archive("small", OUT).notes == (f"no identification record of family audit: it wants {wanted}",)
    assert "identification_record.md" not in unpacked()
