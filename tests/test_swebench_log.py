"""Reports of SWE-bench: every instance has its state, whatever lists name it."""

import json
from pathlib import Path

import pytest

from importing import level, options, refusal, states, verdicts
from multiverse.importers import Imported, import_log


def write(folder: Path, name: str = "org__m.run.json", **more: object) -> Path:
    told: dict[str, object] = {"total_instances": 3, "resolved_instances": 1, "submitted_ids": ["a", "b"]}
    told |= {"completed_ids": ["a", "b"], "incomplete_ids": ["c"], "resolved_ids": ["a"], "unresolved_ids": ["b"]}
    (folder / name).write_text(json.dumps(told | more))
    return folder / name


def imported(tmp_path: Path, *sources: Path) -> Imported:
    return import_log("swebench", sources, tmp_path / "study")


def test_a_real_report_reconciles_and_leaves_its_denominator_open(shared: Path, tmp_path: Path) -> None:
    found = imported(tmp_path, shared / "samples" / "swebench")
    assert verdicts(found) == [("toy/model", "resolved_instances / total_instances = 1 / 7,", "1/7", "equal")]
    assert found.states == {"answered": 2, "empty_patch": 2, "error": 1, "infra_failure": 1, "missing": 1}
    told = (tmp_path / "study" / "dispositions.yaml").read_text().splitlines()
    assert told[2:6] == [
        "# error: the run of the tests raised an error or left no report that could be read (1 outcome).",
        "# empty_patch: the patch was empty or null, which the report does not tell apart (2 outcomes).",
        "# infra_failure: the report holds the failure to be one of the machinery (1 outcome).",
        "# missing: no prediction was handed in for the instance (1 without an outcome).",
    ]
    dropped = {
        "all_instances": ("1/7", 7), "missing_dropped": ("1/6", 6), "empty_patch_dropped+missing_dropped": ("1/4", 4),
        "error_dropped+empty_patch_dropped+missing_dropped": ("1/3", 3),
        "error_dropped+empty_patch_dropped+infra_failure_dropped+missing_dropped": ("1/2", 2),
    }  # fmt: skip
    assert {name: level(found, f"{name}/resolved", "toy/model") for name in dropped} == dropped


def test_an_instance_in_error_is_one_even_if_it_is_completed(tmp_path: Path) -> None:
    source = write(tmp_path, completed_ids=["a", "b"], unresolved_ids=[], error_ids=["b"], infra_failure_ids=[])
    found = imported(tmp_path, source)
    assert states(found) == {"answered": 1, "error": 1}
    assert found.log.notes == (
        "org__m.run.json: 1 instance both in error and completed: taken as in error",
        "org__m.run.json has no logs/run_evaluation beside it: no part of its tests is credited",
    )


def test_an_older_report_has_no_failures_of_the_machinery(tmp_path: Path) -> None:
    found = imported(tmp_path, write(tmp_path))
    assert (states(found), options(found, "scoring")) == ({"answered": 2}, ["resolved"])
    assert found.log.notes[0] == "org__m.run.json is of schema version 1, which does not tell failures of the machinery"


def test_a_handed_in_instance_that_no_list_judges_is_in_error(tmp_path: Path) -> None:
    assert states(imported(tmp_path, write(tmp_path, unresolved_ids=[]))) == {"answered": 1, "error": 1}


def test_part_of_the_tests_is_credited_from_the_reports_of_instances(tmp_path: Path) -> None:
    """b fixes 1 of 2 tests and breaks one that worked."""
    report = tmp_path / "logs" / "run_evaluation" / "run" / "org__m" / "b" / "report.json"
    report.parent.mkdir(parents=True)
    tests = {"FAIL_TO_PASS": {"success": ["t"], "failure": ["u"]}, "PASS_TO_PASS": {"success": [], "failure": ["v"]}}
    report.write_text(json.dumps({"b": {"resolved": False, "tests_status": tests}}))
    found = imported(tmp_path, write(tmp_path))
    assert [level(found, f"all_instances/{one}", "org/m")[0] for one in options(found, "scoring")] == [
        "1/3",
        "1/2",
        "1/3",
    ]


def test_instances_that_no_list_names_are_told(tmp_path: Path) -> None:
    found = imported(tmp_path, write(tmp_path, total_instances=10, infra_failure_ids=[]))
    assert found.log.notes[0] == "org__m.run.json counts 10 instances, and the lists name 3"
    assert [one.words for one in found.reconciled] == [
        "org/m: resolved_instances / total_instances = 1 / 10, 0.1 differs by -0.233333 from 1/3 at "
        "all_instances/resolved over everything; total_instances may count instances that no list of the report names"
    ]


def test_a_report_that_lacks_a_list_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "m.run.json"
    source.write_text('{"total_instances": 1, "resolved_ids": []}')
    assert refusal("swebench", tmp_path, source) == (
        "m.run.json: no key submitted_ids\n  expected the summary of a run of SWE-bench"
    )


def test_a_model_may_be_named_with_dots(tmp_path: Path) -> None:
    found = imported(tmp_path, write(tmp_path, "org__m-4.1.run.json"), write(tmp_path, "org__m-4.2.run.json"))
    assert [one[0] for one in verdicts(found)] == ["org/m-4.1", "org/m-4.2"]


def test_a_run_may_be_named_with_dots_where_its_logs_tell_so(tmp_path: Path) -> None:
    report = tmp_path / "logs" / "run_evaluation" / "v1.2" / "m" / "b" / "report.json"
    report.parent.mkdir(parents=True)
    tests = {"FAIL_TO_PASS": {"success": ["t"], "failure": ["u"]}, "PASS_TO_PASS": "x"}
    report.write_text(json.dumps({"b": {"resolved": False, "tests_status": tests}}))
    found = imported(tmp_path, write(tmp_path, "m.v1.2.json"))
    assert level(found, "all_instances/tests_fixed", "m") == ("1/2", 3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"total_instances": 0}, "total_instances: '0'\n  expected a whole number of instances"),
        ({"total_instances": "3"}, "total_instances: '3'\n  expected a whole number of instances"),
        ({"resolved_instances": None}, "resolved_instances: 'null'\n  expected a whole number of instances"),
        ({"completed_ids": 5}, "completed_ids: '5'\n  expected a list of ids"),
        ({"error_ids": [{}]}, "error_ids: '[{}]'\n  expected a list of ids"),
    ],
)
def test_a_report_of_wrong_types_is_refused(tmp_path: Path, wrong: dict[str, object], message: str) -> None:
    assert refusal("swebench", tmp_path, write(tmp_path, "org__m.run.json", **wrong)) == f"org__m.run.json: {message}"
