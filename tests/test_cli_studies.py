"""The command line: what it prints, where, and with which exit code."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from multiverse import cli
from multiverse.starter import write_starter
from small import write_small

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The starter study, as specs/starter of the current folder."""
    monkeypatch.chdir(tmp_path)
    write_starter(Path("specs/starter"))
    return tmp_path


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(cli.main, arguments, env=environment, prog_name="multiverse")


def test_init_writes_a_study_that_runs_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = run("init", "mine")
    assert (found.exit_code, found.stderr) == (0, "")
    assert found.stdout.splitlines() == [
        "wrote a study into mine; now run:",
        "  multiverse freeze mine",
        "  multiverse audit mine --family audit",
    ]
    assert run("check", "mine").exit_code == 0
    for line in found.stdout.splitlines()[1:]:
        assert run(*line.split()[1:]).exit_code == 0


def test_init_leaves_a_folder_alone_that_holds_something(study: Path) -> None:
    found = run("init", "specs")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == "specs: the folder is not empty\n  expected a new or empty folder\n"


def test_check_counts_what_is_declared(study: Path) -> None:
    found = run("check", "starter")
    assert found.stdout.splitlines() == [
        "starter: the declaration and the data are well formed",
        "  records: rows 10; outcomes not opened",
        "  specifications: contract 2 x disposition 2",
        "  family strict: 2 specifications",
        "  family lenient: 2 specifications",
        "  family audit: 4 specifications",
    ]


def test_check_never_reads_the_outcomes(study: Path) -> None:
    (study / "specs/starter/data/outcomes.csv").write_bytes(b"\xff\x00 no table at all")
    assert run("check", "starter").exit_code == 0


def test_check_warns_of_a_missing_rationale(study: Path) -> None:
    families = study / "specs/starter/families.yaml"
    families.write_text(families.read_text().replace("rationale: ", "license_note: ").replace("license_note", "# "))
    found = run("check", "starter")
    assert found.exit_code == 0
    assert found.stdout.splitlines()[-1] == (
        "warning: specs/starter/families.yaml: family 'audit' has no rationale, its own or its file's"
    )


def test_an_audit_writes_its_record_under_results(study: Path) -> None:
    found = run("audit", "starter", "--family", "strict", "--exploratory")
    assert (found.exit_code, found.stderr) == (0, "")
    assert found.stdout.splitlines()[-2:] == [
        "record: results/starter/strict/record.json",
        "receipt: none: the study is not frozen",
    ]
    record = json.loads(Path("results/starter/strict/record.json").read_text())
    assert (record["schema"], record["status"]) == ("multiverse.record/1", "exploratory")
    assert sorted(path.name for path in Path("results/starter/strict/tables").iterdir()) == [
        "cells.parquet", "drivers.parquet", "effects.parquet", "identified.parquet", "levels.parquet",
        "margins.parquet", "options.parquet", "rankings.parquet", "row_audit.parquet", "specifications.parquet",
    ]  # fmt: skip


def test_json_on_stdout_is_the_record(study: Path) -> None:
    found = run("audit", "starter", "--family", "audit", "--out", "here", "--format", "json", "--exploratory")
    assert found.stdout_bytes == Path("here/record.json").read_bytes()


@pytest.mark.parametrize(("family", "code"), [("strict", 0), ("audit", 10)])
def test_fail_on_ends_a_pipeline_where_a_conclusion_is_not_identified(study: Path, family: str, code: int) -> None:
    keep_one_contract(study)
    arguments = ("audit", "starter", "--family", family, "--exploratory")
    assert run(*arguments, "--fail-on", "not-identified").exit_code == code


def keep_one_contract(study: Path) -> None:
    """No effect, and one contract: over `strict` one specification is left, over `audit` two."""
    (study / "specs/starter/contracts.yaml").unlink()
    declared = study / "specs/starter/study.yaml"
    declared.write_text(declared.read_text().split("endpoints:")[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["audit", "starter", "--family", "audti"],
            "specs/starter/families.yaml: unknown family 'audti'\n"
            "  expected one of 'audit', 'lenient', 'strict'\n  did you mean 'audit'?\n",
        ),
        (
            ["check", "startr"],
            "startr: no such study\n  expected a folder of YAML files, or the name of one under specs/ ('starter')\n",
        ),
        (
            ["audit", "starter", "--family", "audit", "--out", "specs", "--exploratory"],
            "specs: the folder holds 'starter'\n  expected a new or empty folder, or an earlier audit's\n",
        ),
    ],
)
def test_a_fault_is_a_paragraph_on_stderr_and_exit_code_2(study: Path, arguments: Sequence[str], message: str) -> None:
    found = run(*arguments)
    assert (found.exit_code, found.stdout, found.stderr) == (2, "", message)


def test_every_fault_of_every_file_is_told_at_once(study: Path) -> None:
    for name in ("contracts", "dispositions"):
        file = study / f"specs/starter/{name}.yaml"
        file.write_text(file.read_text().replace("rationale:", "rationael:"))
    found = run("audit", "starter", "--family", "audit")
    assert found.exit_code == 2
    assert [line.split(": ")[0] for line in found.stderr.splitlines() if line.startswith("specs")] == [
        "specs/starter/contracts.yaml:3:1",
        "specs/starter/dispositions.yaml:5:5",
        "specs/starter/dispositions.yaml:9:5",
    ]


def test_colour_is_for_terminals_that_want_it(study: Path) -> None:
    coloured = CliRunner().invoke(cli.main, ["check", "starter"], color=True)
    plain = CliRunner().invoke(cli.main, ["check", "starter"], color=True, env={"NO_COLOR": "1"})
    assert "\x1b[" in coloured.stdout
    assert "\x1b[" not in plain.stdout


def test_names_complete_in_the_shell(study: Path) -> None:
    found = run(_MULTIVERSE_COMPLETE="bash_complete", COMP_WORDS="multiverse audit starter --family l", COMP_CWORD="4")
    assert "lenient" in found.stdout
    studies = run(_MULTIVERSE_COMPLETE="bash_complete", COMP_WORDS="multiverse check st", COMP_CWORD="2")
    assert "starter" in studies.stdout


def test_explain_prints_table_1_of_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = run("explain", "quickstart", "a1")
    assert (found.exit_code, found.stderr) == (0, "")
    assert found.stdout.splitlines() == [
        "quickstart: row a1; populations: everything, trace_a1",
        "",
        "answers",
        "  method    answer",
        "  earliest  1 {step2}",
        "  mini      1 {step2}",
        "  pagerank  1 {end}",
        "",
        "what is legal, and what that scores",
        "  terminal      contract  legal family        earliest  mini     pagerank",
        "  asym          R0A0      1 {step2}, 2 {end}  match 1   match 1  match 1",
        "  asym          R0A1      1 {step2}           match 1   match 1  no match 0",
        "  asym          R1A0      1 {step2}, 2 {end}  match 1   match 1  match 1",
        "  asym          R1A1      1 {step2}           match 1   match 1  no match 0",
        "  keep_both     R0A0      1 {step2}, 2 {end}  match 1   match 1  match 1",
        "  keep_both     R0A1      1 {step2}, 2 {end}  match 1   match 1  match 1",
        "  keep_both     R1A0      1 {step2}, 2 {end}  match 1   match 1  match 1",
        "  keep_both     R1A1      1 {step2}, 2 {end}  match 1   match 1  match 1",
        "  exclude_both  R0A0      1 {step2}           match 1   match 1  no match 0",
        "  exclude_both  R0A1      1 {step2}           match 1   match 1  no match 0",
        "  exclude_both  R1A0      1 {step2}           match 1   match 1  no match 0",
        "  exclude_both  R1A1      1 {step2}           match 1   match 1  no match 0",
        "",
        "effect adoption on pagerank - earliest, A 0 to 1, on this row alone",
        "  terminal      R 0  R 1",
        "  asym          -1   -1",
        "  keep_both     0    0",
        "  exclude_both  0    0",
        "",
        "Scores are under baseline | conservative | conditional, and one where all agree; out: not eligible; "
        "-: not in use.",
    ]


def test_explain_of_scores_shows_attempts(study: Path) -> None:
    outcomes = Path("specs/starter/data/outcomes.csv").read_text().splitlines()
    row = outcomes[1].split(",")[0]
    told = run("explain", "starter", row).stdout.splitlines()
    assert told[0].startswith(f"starter: row {row}; populations: everything")
    assert json.loads(run("explain", "starter", row, "--format", "json").stdout)["row"] == row


def test_compare_tells_rows_by_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    ends = ("R0A0/baseline/asym", "R0A1/baseline/asym")
    found = run("compare", "quickstart", *ends, "--a", "pagerank", "--b", "earliest")
    assert found.stdout.splitlines()[:7] == [
        "quickstart: R0A0/baseline/asym to R0A1/baseline/asym",
        "",
        "population everything",
        "  pagerank - earliest: +5.00 to -35.00 pp, a change of -40.00 pp (-2/5)",
        "    contribution      rows    reason",
        "    -40.00 pp (-2/5)  7 rows  predicted_hypothesis_deleted",
        "    row  a       b       contribution       reason of a                   reason of b",
    ]
    every = run("compare", "quickstart", *ends, "--format", "json")
    assert [margin["change"] for margin in json.loads(every.stdout)["margins"]][:3] == ["-1/20", "2/5", "9/20"]
    assert run("compare", "quickstart", ends[0], ends[0]).stdout.count("no row moves") == 6


def test_hostile_names_cannot_move_the_cursor(tmp_path: Path) -> None:
    evil = "\x1b[2J\u202eevil"
    answers = f"row_id,method,hypothesis_id,object_id\nr1,{evil},{evil},{evil}\nr1,b,,\nr2,b,,\n"
    states = {
        "dispositions": """\
            coordinate: disposition
            options:
              - {id: base, legal_present: {answered: match, empty: 0, missing: 1}, legal_empty: exclude}
            """
    }
    folder = str(write_small(tmp_path, predictions=answers, files=states))
    shown = run("explain", folder, "r1").stdout + run("compare", folder, "A0/base", "A1/base").stdout
    assert "\\x1b[2J\\u202eevil" in shown
    assert shown.isascii()
