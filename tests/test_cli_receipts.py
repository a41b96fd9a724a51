"""The commands that freeze, amend, audit under a freeze and judge gates: what they print, and their exit codes."""

import json
from collections.abc import Sequence
from pathlib import Path

import click
import pytest

from commands import FOLDER, RECEIPTS, SHA, run, told
from multiverse import cli, verify
from multiverse.starter import write_starter
from repositories import commit, git

OUTCOMES = FOLDER / "data/outcomes.csv"
NO_GIT = "  git: no repository, so nothing will show that results came after the freeze"
FROZEN = [
    "starter: frozen 4 spec files, 2 data files, code and libraries",
    NO_GIT,
    "receipt: receipts/starter/0001-freeze.json",
    f"head: {SHA}",
]
GATE = """\
gates:
  - {{id: enough, population: everything, where: {{family_nonempty: {{factor: V, from: "0", to: "1"}}}},
     count: rows, at_least: {}}}
"""


@pytest.fixture(autouse=True)
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The starter study, as specs/starter of the current folder."""
    monkeypatch.chdir(tmp_path)
    write_starter(FOLDER)
    return tmp_path


def add(text: str, name: str = "study.yaml") -> None:
    with (FOLDER / name).open("a") as file:
        file.write(text)


# Freeze and amend


def test_freeze_says_what_it_froze_and_prints_the_head() -> None:
    assert told("freeze", "starter", "--data-stage", "before_analysis", "--outcome-custody", "third_party") == (
        0,
        FROZEN,
        [],
    )
    held = json.loads((RECEIPTS / "0001-freeze.json").read_bytes())["predicate"]["access"]
    assert held == {"data_stage": "before_analysis", "outcome_custody": "third_party"}


def test_freeze_says_that_the_spec_files_are_committed(study: Path) -> None:
    git(study, "init", "--quiet")
    commit(study)
    line = told("freeze", "starter")[1][1]
    assert line == "  git: the spec files are in commit <commit>; now commit the receipt, then audit"


def test_freeze_says_that_the_spec_files_are_not_committed(study: Path) -> None:
    git(study, "init", "--quiet")
    line = told("freeze", "starter")[1][1]
    assert line == "  git: the spec files are not committed as they are, so nothing will show that results came after"


@pytest.mark.parametrize(
    ("option", "known"),
    [("--data-stage", verify.DATA_STAGES), ("--outcome-custody", verify.CUSTODIES)],
)
def test_freeze_knows_the_words_of_the_format_and_no_others(option: str, known: Sequence[str]) -> None:
    for command in ("freeze", "amend"):
        types = {one.opts[0]: one.type for one in cli.main.commands[command].params}
        found = types[option]
        assert isinstance(found, click.Choice)
        assert tuple(found.choices) == known
    code, out, error = told("freeze", "starter", option, "never")
    assert (code, out) == (2, [])
    assert error[-1].startswith(f"Error: Invalid value for '{option}': 'never' is not one of '{known[0]}', ")


def test_a_second_freeze_is_refused() -> None:
    run("freeze", "starter")
    assert told("freeze", "starter") == (
        2,
        [],
        [
            "starter: frozen already by receipts/starter/0001-freeze.json",
            "  expected an audit under it; or `multiverse amend`, which freezes a successor with a reason",
        ],
    )


def test_freeze_wants_a_rationale_for_everything() -> None:
    families = FOLDER / "families.yaml"
    families.write_text(families.read_text().replace("rationale: ", "# "))
    code, out, error = told("freeze", "starter")
    assert (code, out, error[:2]) == (
        2,
        [],
        [
            "specs/starter/families.yaml: family 'strict' has no rationale, its own or its file's",
            "  expected a rationale: why this choice, without its outcomes",
        ],
    )
    assert not RECEIPTS.exists()


def test_a_prospective_freeze_is_refused_where_outcomes_are_there() -> None:
    assert told("freeze", "starter", "--data-stage", "before_creation") == (
        2,
        [],
        [
            "outcomes: 1 file there, such as 'specs/starter/data/outcomes.csv'",
            "  expected none yet, as --data-stage before_creation says",
        ],
    )


def test_a_prospective_freeze_counts_one_data_file() -> None:
    OUTCOMES.rename("later.csv")
    code, out, error = told("freeze", "starter", "--data-stage", "before_creation", "--outcome-custody", "nobody")
    assert (code, out[0], error) == (0, "starter: frozen 4 spec files, 1 data file, code and libraries", [])
    Path("later.csv").rename(OUTCOMES)
    assert run("audit", "starter", "--family", "strict").exit_code == 0


def test_amend_freezes_what_has_changed() -> None:
    run("freeze", "starter")
    add("# a remark\n")
    assert told("amend", "starter", "--reason", "a  remark", "--outcome-custody", "public") == (
        0,
        [*FROZEN[:2], "receipt: receipts/starter/0002-freeze.json", FROZEN[3]],
        [],
    )
    assert told("audit", "starter", "--family", "strict")[1][-2:] == [
        "record: results/starter/0002/strict/record.json",
        "receipt: receipts/starter/0003-run.json",
    ]
    record = json.loads(Path("results/starter/0002/strict/record.json").read_bytes())
    assert record["admissibility"]["reason"] == "a remark"


def test_amend_is_refused_where_nothing_was_frozen() -> None:
    code, out, error = told("amend", "starter", "--reason", "x")
    assert (code, out, error[0]) == (4, [], "starter: not frozen yet: there is nothing to amend")


def test_amend_is_refused_where_nothing_has_changed() -> None:
    run("freeze", "starter")
    code, out, error = told("amend", "starter", "--reason", "x")
    assert (code, out, error[0]) == (2, [], "starter: nothing has changed since receipts/starter/0001-freeze.json")


@pytest.mark.parametrize("command", [["amend", "starter"], ["correct", "starter", "1", "x"]])
def test_a_reason_has_to_be_given(command: Sequence[str]) -> None:
    code, out, error = told(*command)
    assert (code, out, error[-1]) == (2, [], "Error: Missing option '--reason'.")


# Audit


def test_an_audit_wants_a_freeze() -> None:
    assert told("audit", "starter", "--family", "strict") == (
        4,
        [],
        [
            "starter: not frozen",
            "  expected `multiverse freeze specs/starter` first, or --exploratory, which marks all that it writes",
        ],
    )
    assert not Path("results").exists()


def test_an_audit_under_a_freeze_is_frozen_and_has_a_receipt() -> None:
    run("freeze", "starter")
    code, out, error = told("audit", "starter", "--family", "strict")
    specs = "2 specifications of contract 2 x disposition 2"
    assert (code, error, out[1]) == (0, [], f"family strict: {specs}; frozen")
    assert out[-2:] == ["record: results/starter/strict/record.json", "receipt: receipts/starter/0002-run.json"]
    assert json.loads(Path("results/starter/strict/record.json").read_bytes())["status"] == "frozen"


def test_an_audit_is_refused_where_something_has_changed_and_exploratory_is_not() -> None:
    run("freeze", "starter")
    add("# a remark\n")
    code, out, error = told("audit", "starter", "--family", "strict")
    assert (code, out, error[0]) == (
        4,
        [],
        f"specs/starter/study.yaml: changed since the freeze: sha256 is {SHA}, frozen {SHA}; line 17 is '# a remark'",
    )
    assert error[3].startswith("starter: not as 0001-freeze.json froze it: 1 change, listed above")
    code, out, error = told("audit", "starter", "--family", "strict", "--exploratory")
    assert (code, error, out[1].rpartition("; ")[2]) == (0, [], "exploratory")
    assert out[-2:] == [
        "record: results/starter/exploratory/strict/record.json",
        "receipt: receipts/starter/0002-run.json",
    ]


def test_reproduce_goes_on_with_another_lock_file_and_says_so() -> None:
    run("freeze", "starter")
    run("audit", "starter", "--family", "strict")
    before = Path("results/starter/strict/record.json").read_bytes()
    Path("requirements.lock").write_text("another")
    assert run("audit", "starter", "--family", "strict").exit_code == 4
    code, out, error = told("audit", "starter", "--family", "strict", "--reproduce")
    assert (code, out[-1], len(error)) == (0, "receipt: receipts/starter/0002-run.json", 1)
    note = "note: the record is that of 0002-run.json, byte for byte, though not by what was frozen: lock file: "
    assert error[0].startswith(note)
    assert Path("results/starter/strict/record.json").read_bytes() == before
    assert len(list(RECEIPTS.glob("*.json"))) == 2


def test_an_audit_notes_a_freeze_that_is_not_committed(study: Path) -> None:
    git(study, "init", "--quiet")
    commit(study)
    run("freeze", "starter")
    code, out, error = told("audit", "starter", "--family", "strict", "--format", "json")
    assert (code, error) == (
        0,
        [
            "note: receipts/starter/0001-freeze.json is not committed: the order of freeze and run is claimed, "
            "not shown (commit it before an audit)"
        ],
    )
    assert json.loads("\n".join(out))["status"] == "frozen"


def test_an_audit_beside_a_broken_chain_is_refused_with_exit_code_5() -> None:
    run("freeze", "starter")
    (RECEIPTS / "0001-freeze.json").write_bytes((RECEIPTS / "0001-freeze.json").read_bytes() + b"\n")
    code, out, error = told("audit", "starter", "--family", "strict")
    assert (code, out, error) == (
        5,
        [],
        [
            "receipts/starter/0001-freeze.json: E-CANON bytes are not the canonical form (first difference at byte "
            f"{(RECEIPTS / '0001-freeze.json').stat().st_size - 1})",
            "  expected receipts as they were written: restore them from a copy or from git",
        ],
    )


# Gates


@pytest.mark.parametrize(("at_least", "verdict", "code"), [(8, "GO", 0), (9, "NO_GO", 3)])
def test_gate_prints_its_verdicts_without_opening_outcomes(at_least: int, verdict: str, code: int) -> None:
    add(GATE.format(at_least))
    OUTCOMES.write_bytes(b"\xff\x00 no table at all")
    counted = f"enough: {verdict}: 8 rows of at least {at_least} in population everything"
    assert told("gate", "starter") == (code, [counted, "receipt: none: the study is not frozen"], [])
    run("freeze", "starter")
    assert told("gate", "starter") == (code, [counted, "receipt: receipts/starter/0002-gate.json"], [])
    found = run("gate", "starter", "--format", "json")
    entry = {"id": "enough", "population": "everything", "unit": "rows", "count": 8, "at_least": at_least}
    assert (found.exit_code, json.loads(found.stdout)) == (
        code,
        {"study": "starter", "gates": [entry | {"verdict": verdict}], "receipt": "receipts/starter/0003-gate.json"},
    )


def test_gate_without_gates() -> None:
    assert told("gate", "starter") == (0, ["starter: no gate is declared", "receipt: none: no gate is declared"], [])
    assert json.loads(run("gate", "starter", "--format", "json").stdout) == {
        "study": "starter", "gates": [], "receipt": None,
    }  # fmt: skip


def test_gate_is_refused_where_something_has_changed() -> None:
    add(GATE.format(8))
    run("freeze", "starter")
    add("# a remark\n")
    assert told("gate", "starter")[0] == 4


def test_an_audit_behind_a_failed_gate_ends_with_exit_code_3() -> None:
    add(GATE.format(9))
    run("freeze", "starter")
    code, out, error = told("audit", "starter", "--family", "strict")
    assert (code, out, error[-1]) == (3, [], "The outcomes were not opened.")
    assert told("timeline", "starter")[1][-1] == (
        "0002  <time>  V1 gate    prediction-free NO_GO; enough: 8 rows of at least 9, NO_GO; "
        "scoring stopped and the failed gate preserved"
    )
