"""The commands that correct, sign, tell, archive and verify: what they print, and their exit codes."""

import json
import shutil
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from commands import FOLDER, RECEIPTS, SHA, run, told
from multiverse import verify
from multiverse.starter import write_starter
from repositories import commit, git

CODE = "  - that the recorded code, Python and libraries are what ran (a rerun would show it)"
UNPROVABLE = ["not provable from here:", *(f"  - {reason}" for reason in verify.NOT_PROVABLE)]
SHOWN = [
    "  - chain: 2 receipts, each naming the one before it (1 freeze, 1 run)",
    "  - grade F0: receipts only; nothing here shows when anything was made",
]
FREEZE = "  - freeze 0001, <time>: motivation claimed: prospective; outcomes not stated; custody not stated"
RUN = "  - run 0002: family strict reports all 2 specifications frozen in 0001, on what was frozen there"
CLAIMED = ["claimed, not shown:", FREEZE, f"{RUN} (its record was not read)", CODE, "  - every date"]
NO_RECORD = (
    "note: no identification record of family strict: it wants study.yaml: `resampling`, for sampling variation apart "
    "from specification variation"
)

needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen")


@pytest.fixture(autouse=True)
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The starter study, as specs/starter of the current folder."""
    monkeypatch.chdir(tmp_path)
    write_starter(FOLDER)
    return tmp_path


def frozen() -> None:
    assert run("freeze", "starter").exit_code == 0


def audited() -> None:
    """The study frozen, and its family `strict` audited."""
    frozen()
    assert run("audit", "starter", "--family", "strict").exit_code == 0


def pins(out: str) -> dict[str, str]:
    """What `archive` prints last: two options for `verify` with their values."""
    return dict(line.split(" ") for line in out.splitlines() if line.startswith("--expect-"))


# Corrections


def test_correct_attaches_a_file_and_leaves_what_it_corrects() -> None:
    audited()
    Path("note.txt").write_text("a remark")
    report = Path("results/starter/strict/report.txt").read_bytes()
    arguments = ("2", "note.txt", "--original", "results/strict/report.txt", "--reason", "a slip")
    expected = [f"receipt: {RECEIPTS}/0003-correction.json", f"head: {SHA}"]
    assert told("correct", "starter", *arguments) == (0, expected, [])
    assert Path("results/starter/strict/report.txt").read_bytes() == report
    last = json.loads((RECEIPTS / "0003-correction.json").read_bytes())["predicate"]
    assert (last["original"], last["reason"]) == ("results/strict/report.txt", "a slip")
    assert told("timeline", "starter")[1][-1] == (
        "0003  <time>  V1 correction  addendum to 0002 (results/strict/report.txt), which is unchanged: a slip"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["9", "note.txt"], 2, ["starter: no receipt 9", "  expected the number of a receipt, from 1 to 1"]),
        (["0", "note.txt"], 2, ["Error: Invalid value for 'NUMBER': 0 is not in the range x>=1."]),
        (["1", "none.txt"], 2, ["none.txt: cannot be read: No such file or directory"]),
        (["1", "note.txt", "--original", "specs/x"], 2, ["0001-freeze.json: it binds no file 'specs/x'"]),
    ],
)
def test_correct_is_refused(arguments: Sequence[str], code: int, message: Sequence[str]) -> None:
    frozen()
    Path("note.txt").write_text("a remark")
    found = told("correct", "starter", *arguments, "--reason", "x")
    assert (found[0], found[1]) == (code, [])
    assert all(line in found[2] for line in message)


@pytest.mark.parametrize(
    "command", [["correct", "starter", "1", "note.txt", "--reason", "x"], ["sign", "starter", "--key", "key"]]
)
def test_what_adds_to_receipts_wants_a_freeze(command: Sequence[str]) -> None:
    Path("note.txt").write_text("a remark")
    code, out, error = told(*command)
    assert (code, out, error[0].startswith("starter: not frozen: there is nothing to ")) == (4, [], True)
    assert not RECEIPTS.exists()


# Signatures


@needs_ssh_keygen
def test_sign_signs_what_has_no_signature_yet() -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "key"], check=True)
    frozen()
    assert told("sign", "starter", "--key", "key") == (0, [f"signature: {RECEIPTS}/0001-freeze.json.sig"], [])
    assert run("audit", "starter", "--family", "strict").exit_code == 0
    assert told("sign", "starter", "--key", "key") == (0, [f"signature: {RECEIPTS}/0002-run.json.sig"], [])
    assert told("sign", "starter", "--key", "key") == (0, ["every receipt has a signature already"], [])
    Path("signers").write_text(f"me {Path('key.pub').read_text()}")
    code, out, _ = told("verify", "starter", "--allowed-signers", "signers", "--signer", "me")
    assert (code, "  - signatures: every receipt is signed by me" in out) == (0, True)
    code, out, _ = told("verify", "starter", "--allowed-signers", "signers", "--signer", "other")
    assert (code, out[0]) == (5, "E-SIG 0001-freeze.json: signature does not verify for other")


@needs_ssh_keygen
def test_sign_with_a_key_that_is_not_there() -> None:
    frozen()
    code, out, error = told("sign", "starter", "--key", "none")
    assert (code, out, error[0].startswith("none: ssh-keygen did not sign: ")) == (2, [], True)
    assert error[-1] == "  expected a private SSH key, or one in the agent"


# The history


def test_timeline_tells_the_receipts_in_words() -> None:
    audited()
    lines = [
        "0001  <time>  V1 freeze  4 spec files and 2 data files frozen; outcomes: not stated, custody: not stated",
        "0002  <time>  V1 run     family strict reported over 2 specifications; under 0001, unchanged",
    ]
    assert told("timeline", "starter") == (0, lines, [])
    shutil.rmtree(FOLDER)
    assert told("timeline", "starter") == (0, lines, [])  # from the receipts alone
    found = json.loads(run("timeline", "starter", "--format", "json").stdout)
    assert (found["study"], [event["stage"] for event in found["events"]]) == ("starter", ["V1 freeze", "V1 run"])
    assert found["events"][1] == {
        "seq": 2,
        "claimed_at": found["events"][1]["claimed_at"],
        "stage": "V1 run",
        "event": "family strict reported over 2 specifications; under 0001, unchanged",
    }


@pytest.mark.parametrize("place", ["mine", "starter"])
def test_a_study_is_found_by_its_folder_as_well_as_by_its_name(place: str) -> None:
    FOLDER.rename("mine")
    assert run("freeze", "mine").exit_code == 0
    code, out, error = told("timeline", place)
    assert (code, len(out), error) == (0, 1, [])
    code, out, error = told("verify", place)
    assert (code, out[-1], error) == (0, f"VERIFIED: {place}", [])


def test_timeline_of_what_is_not_frozen_or_not_there() -> None:
    expected = ["receipts/starter: no receipt", "  expected a study that was frozen"]
    assert told("timeline", "starter") == (4, [], expected)
    assert told("timeline", "startr")[0] == 2


def test_record_prints_the_seven_fields() -> None:
    with (FOLDER / "study.yaml").open("a") as file:
        file.write("resampling: {draws: 20, seed: 7}\n")
    audited()
    code, out, error = told("record", "starter", "--family", "strict")
    fields = [
        "Fixed substrate",
        "Semantic map",
        "Endpoint",
        "Admissibility",
        "Results",
        "Uncertainty",
        "Evidence roles",
    ]
    assert (code, error, out[0]) == (0, [], "# Identification record: starter, family strict")
    assert [line.removeprefix("## ") for line in out if line.startswith("## ")] == fields
    found = json.loads(run("record", "starter", "--family", "strict", "--format", "json").stdout)
    assert sorted(found) == ["family", "fields", "freeze", "study"]
    assert sorted(found["fields"]) == sorted(field.lower() for field in fields)


def test_record_names_the_field_that_is_missing() -> None:
    audited()
    assert told("record", "starter", "--family", "strict") == (
        2,
        [],
        [
            "starter, 0002-run.json: the field 'uncertainty' of the identification record has nothing to say",
            "  expected study.yaml: `resampling`, for sampling variation apart from specification variation",
        ],
    )


@pytest.mark.parametrize(("family", "code"), [("lenient", 4), ("none", 2)])
def test_record_wants_a_complete_run_of_a_family_that_there_is(family: str, code: int) -> None:
    audited()
    assert told("record", "starter", "--family", family)[:2] == (code, [])


# Archives


def test_archive_prints_the_file_and_two_pins() -> None:
    audited()
    lines = [
        "archive: it.zip, which verifies",
        f"sha256 of the file: {SHA}",
        f"--expect-archive {SHA}",
        f"--expect-head {SHA}",
    ]
    assert told("archive", "starter", "it.zip") == (0, lines, [NO_RECORD])
    found = pins(run("archive", "starter", "again.zip").stdout)
    assert Path("it.zip").read_bytes() == Path("again.zip").read_bytes()
    assert run("verify", "it.zip", *(part for pin in found.items() for part in pin)).exit_code == 0


def test_an_archive_without_data_leaves_its_digests() -> None:
    audited()
    assert told("archive", "starter", "it.zip", "--without-data")[0] == 0
    assert not [name for name in zipfile.ZipFile("it.zip").namelist() if name.startswith("data/inputs/")]
    code, out, _ = told("verify", "it.zip")
    assert (code, out[0]) == (0, "W-WITHHELD MANIFEST.json: 2 data files are withheld: only their digests are here")


@pytest.mark.parametrize(
    ("out", "code", "message"),
    [
        ("none/it.zip", 2, "none/it.zip: its folder is not there"),
        ("specs", 2, "Error: Invalid value for 'OUT': File 'specs' is a directory."),
    ],
)
def test_archive_wants_a_place_for_a_file(out: str, code: int, message: str) -> None:
    audited()
    found = told("archive", "starter", out)
    assert (found[0], found[1], message in found[2]) == (code, [], True)


def test_archive_wants_a_freeze() -> None:
    expected = ["starter: not frozen", "  expected `multiverse freeze specs/starter` first"]
    assert told("archive", "starter", "it.zip") == (4, [], expected)
    assert not Path("it.zip").exists()


def test_archive_is_refused_where_data_has_changed() -> None:
    audited()
    with (FOLDER / "data/outcomes.csv").open("a") as file:
        file.write("\n")
    code, out, error = told("archive", "starter", "it.zip")
    assert (code, out, error[0]) == (
        4,
        [],
        "inputs/outcomes.csv: not at hand: gone or changed since the freeze",
    )


# Verifying


def test_verify_prints_what_is_shown_claimed_and_not_provable() -> None:
    audited()
    expected = ["shown:", *SHOWN, *CLAIMED, *UNPROVABLE, f"head: {SHA}", "study: starter", "VERIFIED: starter"]
    assert told("verify", "starter") == (0, expected, [])
    assert told("verify", "receipts/starter") == (0, [*expected[:-1], "VERIFIED: receipts/starter"], [])


@pytest.mark.parametrize("place", ["starter", "it.zip"])
def test_verify_can_compute_every_run_again(place: str) -> None:
    audited()
    run("archive", "starter", "it.zip")
    code, out, error = told("verify", place, "--rerun")
    line = "  - grade R: 0002-run.json, family strict: computed again here, all 12 files came out byte for byte"
    assert (code, error, out.count(line), out[-1]) == (0, [], 1, f"VERIFIED: {place}")


def test_verify_says_what_the_verifier_alone_says() -> None:
    audited()
    run("archive", "starter", "it.zip")
    alone = subprocess.run(["python3", verify.__file__, "it.zip"], capture_output=True, encoding="utf-8", check=True)
    assert run("verify", "it.zip").stdout == alone.stdout


def test_verify_shows_the_git_lock(study: Path) -> None:
    git(study, "init", "--quiet")
    commit(study)
    frozen()
    commit(study)
    assert run("audit", "starter", "--family", "strict").exit_code == 0
    run("archive", "starter", "it.zip")
    lock = (
        "  - git: commit <commit> holds exactly the spec files that 0001-freeze.json froze; <commit>, which holds that "
        "receipt, comes after it"
    )
    for place in ("starter", "it.zip"):
        code, out, _ = told("verify", place)
        grade = "  - grade F1: chain and git lock; the results were made after, and bound to, exactly this freeze"
        assert (code, lock in out, grade in out) == (0, True, True)


@pytest.mark.parametrize("option", ["--expect-archive", "--expect-head"])
def test_verify_with_another_pin_has_exit_code_5(option: str) -> None:
    audited()
    run("archive", "starter", "it.zip")
    code, out, error = told("verify", "it.zip", option, "0" * 64)
    assert (code, error, out[0].startswith("E-PIN "), out[-1]) == (5, [], True, "DOES NOT VERIFY: it.zip: 1 fault")


def test_verify_of_a_damaged_archive_has_exit_code_5() -> None:
    audited()
    run("archive", "starter", "it.zip")
    with Path("it.zip").open("ab") as file:
        file.write(b"\n")
    expected = [
        "E-ZIP it.zip: does not end with its end record (truncated, comment or trailing bytes)",
        "DOES NOT VERIFY: it.zip: 1 fault",
    ]
    code, out, error = told("verify", "it.zip")
    assert (code, out[0], out[-1][:15], error) == (5, expected[0], "DOES NOT VERIFY", [])


def test_verify_of_what_cannot_be_checked_has_exit_code_2() -> None:
    frozen()
    code, out, error = told("verify", "starter", "--rerun")
    assert (code, out[0], out[-1], error) == (
        2,
        "CANNOT CHECK X-RERUN receipts/starter: there is no complete run to compute again",
        "COULD NOT CHECK: starter: nothing is concluded",
        [],
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "none: no such file or study"),
        (["starter"], "starter: the study has no receipt"),
        (["starter", "--signer", "me"], "Error: --allowed-signers and --signer go together"),
        (["starter", "--allowed-signers", "none"], "Error: Invalid value for '--allowed-signers': File"),
    ],
)
def test_verify_used_wrongly_has_exit_code_2(arguments: Sequence[str], message: str) -> None:
    found = told("verify", *arguments)
    assert (found[0], found[1], found[2][-1 if "Error" in message else 0].startswith(message)) == (2, [], True)
