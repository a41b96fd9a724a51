"""The targets of the Makefile that freeze, audit, archive and verify, in a copy with its environment set up."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from multiverse.starter import write_starter
from pages import ROOT, Session, masked

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")

FREEZES = "make audit: freezing the example first; its receipt says that its outcomes were seen, and stays out of git\n"
CHANGED = """
make audit: something above is not as it was when the example was frozen here
  rm -r receipts/quickstart    and the next make audit freezes it as it is now
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Session:
    made = Session(tmp_path / "checkout")
    write_starter(made.folder / "specs" / "mine")
    return made


def make(checkout: Session, *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of make, without its own last line on an error."""
    command = ["make", "--no-print-directory", *arguments]
    found = subprocess.run(
        command, cwd=checkout.folder, env=checkout.environment, capture_output=True, encoding="utf-8", check=False
    )
    return found.returncode, found.stdout, re.sub(r"^make: \*\*\* .*\n", "", found.stderr, flags=re.MULTILINE)


def receipts(checkout: Session, study: str) -> list[str]:
    return sorted(path.name for path in (checkout.folder / "receipts" / study).glob("*.json"))


# The example


def test_the_example_is_frozen_once_and_says_that_its_outcomes_are_public(checkout: Session) -> None:
    code, told, error = make(checkout, "audit", "STUDY=quickstart", "FAMILY=cc")
    assert (code, error) == (0, FREEZES)
    assert told.splitlines()[1].endswith("; frozen")
    assert told.splitlines()[-1] == "receipt: receipts/quickstart/0002-run.json"
    freeze = json.loads((checkout.folder / "receipts/quickstart/0001-freeze.json").read_bytes())
    assert freeze["predicate"]["access"] == {"data_stage": "after_analysis", "outcome_custody": "public"}
    code, told, error = make(checkout, "audit", "STUDY=quickstart", "FAMILY=asym", "ARGS=--format json")
    assert (code, error, json.loads(told)["status"]) == (0, "", "frozen")
    assert receipts(checkout, "quickstart") == ["0001-freeze.json", "0002-run.json", "0003-run.json"]


def test_where_the_example_has_changed_it_says_what_to_do(checkout: Session) -> None:
    assert make(checkout, "audit", "STUDY=quickstart", "FAMILY=cc")[0] == 0
    with (checkout.folder / "specs/quickstart/study.yaml").open("a") as file:
        file.write("# changed\n")
    code, told, error = make(checkout, "audit", "STUDY=quickstart", "FAMILY=cc")
    assert (code, told) == (2, "")
    assert error.startswith("specs/quickstart/study.yaml: changed since the freeze: ")
    assert error.endswith(CHANGED)
    shutil.rmtree(checkout.folder / "receipts/quickstart")  # as it says
    assert make(checkout, "audit", "STUDY=quickstart", "FAMILY=cc")[0] == 0


def test_an_unknown_family_of_the_example_is_told_without_more(checkout: Session) -> None:
    code, told, error = make(checkout, "audit", "STUDY=quickstart", "FAMILY=none")
    assert (code, told) == (2, "")
    assert error.removeprefix(FREEZES).startswith("specs/quickstart/families.yaml: unknown family 'none'\n")
    assert "rm -r" not in error


def test_the_receipts_of_the_example_are_ignored_and_those_of_others_are_not() -> None:
    rules = [line for line in (ROOT / ".gitignore").read_text().splitlines() if "receipts" in line and line[0] != "#"]
    assert rules == ["/receipts/quickstart/"]


# Any other study


def test_no_other_study_is_frozen_by_an_audit(checkout: Session) -> None:
    code, told, error = make(checkout, "audit", "STUDY=mine", "FAMILY=audit")
    assert (code, told, receipts(checkout, "starter")) == (2, "", [])
    assert error == (
        "starter: not frozen\n"
        "  expected `multiverse freeze specs/mine` first, or --exploratory, which marks all that it writes\n"
    )


def test_a_study_goes_from_freeze_to_a_verified_archive(checkout: Session) -> None:
    code, told, error = make(checkout, "freeze", "STUDY=mine", "ARGS=--data-stage before_analysis")
    assert (code, error, masked(told).splitlines()[-2:]) == (
        0,
        "",
        ["receipt: receipts/starter/0001-freeze.json", "head: <SHA-256>"],
    )
    assert make(checkout, "gate", "STUDY=mine")[1].splitlines()[0] == "starter: no gate is declared"
    assert make(checkout, "audit", "STUDY=mine", "FAMILY=audit")[0] == 0
    assert make(checkout, "archive", "STUDY=mine")[1].startswith("archive: results/mine.zip, ")
    assert make(checkout, "archive", "STUDY=specs/mine", "OUT=a b.zip", "ARGS=--without-data")[0] == 0
    assert make(checkout, "verify", "STUDY=mine")[1].splitlines()[-1] == "VERIFIED: mine"
    assert make(checkout, "verify", "OUT=a b.zip")[1].splitlines()[-1] == "VERIFIED: a b.zip"
    code, told, _ = make(checkout, "verify", "OUT=results/mine.zip", f"ARGS=--expect-head {'0' * 64}")
    assert (code, told.splitlines()[-1]) == (2, "DOES NOT VERIFY: results/mine.zip: 1 fault")


@pytest.mark.parametrize("target", ["archive", "verify"])
def test_a_place_is_taken_literally(checkout: Session, target: str) -> None:
    assert make(checkout, target, "STUDY=mine", "OUT=$(shell touch ran)`touch ran`;touch ran")[0] == 2
    assert not (checkout.folder / "ran").exists()


def test_the_reconstruction_is_what_is_audited_where_no_study_is_named(checkout: Session) -> None:
    """Its receipts come with it: what they bind is computed again, and nothing is added."""
    for part in ("specs/elephant", "data/elephant", "receipts/elephant"):
        shutil.copytree(ROOT / part, checkout.folder / part)
    before = receipts(checkout, "elephant")
    code, told, error = make(checkout, "audit", "FAMILY=cc", "ARGS=--format json")
    assert (code, json.loads(told)["study"], json.loads(told)["status"]) == (0, "elephant", "frozen")
    assert error.startswith("note: the record is that of ")
    assert receipts(checkout, "elephant") == before


# Reports


def test_a_report_is_of_an_audit_that_is_made_where_it_is_not(checkout: Session) -> None:
    code, told, error = make(checkout, "report", "STUDY=quickstart", "FAMILY=cc")
    assert (code, error) == (0, FREEZES)
    assert told.splitlines()[-3:-1] == [
        "wrote results/quickstart/cc/report.html",
        "wrote results/quickstart/cc/report.md",
    ]
    page = (checkout.folder / "results/quickstart/cc/report.html").read_bytes()
    assert b"receipts/quickstart/0002-run.json" in page
    (checkout.folder / "results/quickstart/cc").rename(checkout.folder / "elsewhere")
    code, told, error = make(checkout, "report", "OUT=elsewhere", "ARGS=--format json")
    assert (code, error, json.loads(told)["family"]) == (0, "", "cc")
    assert (checkout.folder / "elsewhere/report.html").read_bytes() == page
    assert receipts(checkout, "quickstart") == ["0001-freeze.json", "0002-run.json"]


def test_a_report_needs_a_family_or_a_folder(checkout: Session) -> None:
    assert make(checkout, "report") == (
        2,
        "",
        "make report: needs a family, or OUT, the folder of an audit\n\n"
        "  make report FAMILY=name [STUDY=elephant]\n  make report OUT=results/elephant/audit\n",
    )


def test_no_report_is_made_of_an_audit_that_failed(checkout: Session) -> None:
    code, told, error = make(checkout, "report", "STUDY=mine", "FAMILY=audit")
    assert (code, told, error.count("multiverse freeze")) == (2, "", 1)
    assert not (checkout.folder / "results").exists()


def test_reports_leave_out_what_is_not_there(checkout: Session) -> None:
    code, told, error = make(checkout, "reports")
    assert told.splitlines()[:2] == [
        "wrote results/quickstart/audit/report.html",
        "wrote results/quickstart/audit/report.md",
    ]
    assert code == 2
    assert "make reports: failures is left out: there is no ../shared/real/failures\n" in error


def test_help_lists_every_target(checkout: Session) -> None:
    code, told, error = make(checkout, "help")
    assert (code, error) == (0, "")
    listed = re.findall(r"^  make ([a-z]+)\t", told, re.MULTILINE)
    assert listed == [
        *("help", "check", "freeze", "gate", "audit", "report", "reports", "archive", "verify"),
        *("test", "lint", "bench", "lock", "clean"),
    ]
