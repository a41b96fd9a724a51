"""Logs of OpenAI evals: samples that crashed or were graded otherwise do not vanish."""

import json
from collections.abc import Mapping
from pathlib import Path

from importing import level, options, refusal, states, verdicts
from multiverse.importers import Imported, import_log

SPEC = {"spec": {"completion_fns": ["m"], "eval_name": "e", "run_id": "r"}}


def event(sample: str, kind: str = "match", **data: object) -> dict[str, object]:
    return {"run_id": "r", "sample_id": sample, "type": kind, "data": data}


def write(path: Path, *lines: Mapping[str, object]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def imported(tmp_path: Path, *sources: Path) -> Imported:
    return import_log("openai-evals", sources, tmp_path / "study")


def test_the_sample_reconciles_and_keeps_what_the_accuracy_leaves_out(shared: Path, tmp_path: Path) -> None:
    found = imported(tmp_path, shared / "samples" / "openai_evals")
    assert verdicts(found) == [("toy-1", "accuracy", "1", "equal")]
    assert states(found) == {"answered": 1, "error": 2, "invalid": 1, "no_event": 2}
    assert level(found, "error_zero+no_event_zero/match", "toy-1") == ("1/3", 3)


def test_a_log_that_was_cut_short_is_read_and_says_so(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", SPEC, event("x", correct=True), event("y", correct=False))
    source.write_bytes(source.read_bytes()[:-10])
    found = imported(tmp_path, source)
    assert (states(found), found.log.notes) == (
        {"answered": 1},
        (
            "a.jsonl is cut short in line 3",
            "a.jsonl has no final_report: it was cut short, and nothing of it is reconciled",
        ),
    )


def test_several_events_of_a_sample_are_repeats(tmp_path: Path) -> None:
    report = {"final_report": {"accuracy": 2 / 3}}
    events = [event("x", correct=True), event("x", correct=False), event("y", correct=True)]
    found = imported(tmp_path, write(tmp_path / "a.jsonl", SPEC, *events, report))
    assert [one.words for one in found.reconciled] == [
        "m: accuracy 0.6666666666666666 differs by -0.0833333 from 3/4 at openai_evals/mean over everything; the "
        "harness divides by events, and the study first averages the events of a sample"
    ]


def test_an_invalid_choice_that_scores_keeps_its_score(tmp_path: Path) -> None:
    lines = [event("x", "metrics", choice="__invalid__", score=0.2), event("y", "metrics", choice="A", score=1.0)]
    found = imported(tmp_path, write(tmp_path / "a.jsonl", SPEC, *lines, {"final_report": {"score": 0.6}}))
    assert (verdicts(found), options(found, "reading")) == (
        [("m", "score", "3/5", "equal")], ["as_scored", "as_scored_without_invalid"],
    )  # fmt: skip


def test_a_broken_line_within_is_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", SPEC, event("x", correct=True))
    source.write_text(source.read_text().replace('"match"', '"match') + "{}\n")
    assert refusal("openai-evals", tmp_path, source) == (
        "a.jsonl: line 2 is no JSON: Expecting ',' delimiter\n  expected an object on every line"
    )
