"""Results of promptfoo: in whatever order they ended, errors are no zeros and empty tests are told."""

import json
from pathlib import Path

from importing import level, options, refusal, states, verdicts
from multiverse.importers import Imported, import_log


def result(test: int, *, score: float = 1, success: bool = True, **more: object) -> dict[str, object]:
    told: dict[str, object] = {"testIdx": test, "promptIdx": 0, "score": score, "success": success, "failureReason": 0}
    told |= {"testCase": {"assert": [{"type": "equals"}]}, "provider": {"label": "m"}, "vars": {"q": str(test)}}
    return told | more


def write(path: Path, *results: dict[str, object], **metrics: float) -> Path:
    prompts = [{"metrics": metrics}] if metrics else []
    told = {"evalId": path.stem, "results": {"version": 3, "prompts": prompts, "results": results}}
    path.write_text(json.dumps(told))
    return path


def imported(tmp_path: Path, *sources: Path) -> Imported:
    return import_log("promptfoo", sources, tmp_path / "study")


def test_real_results_reconcile(shared: Path, tmp_path: Path) -> None:
    found = imported(tmp_path, shared / "samples" / "promptfoo" / "results.json")
    assert verdicts(found) == [
        ("m1", "testPassCount / all = 3 / 4,", "3/4", "equal"), ("m1", "metrics.score (a sum)", "15/4", "equal"),
        ("m2", "testPassCount / all = 2 / 4,", "1/2", "equal"), ("m2", "metrics.score (a sum)", "2", "equal"),
    ]  # fmt: skip
    assert states(found) == {"answered": 6, "error": 2}
    rationales = [
        one.rationale for choice in found.log.choices if choice.coordinate == "reading" for one in choice.options
    ]
    assert rationales == [
        "every result",
        "the test asserts nothing, and promptfoo passes it with score 1: what was scored is not what was asked",
    ]
    assert level(found, "error_dropped/as_scored/success", "m2") == ("1", 2)
    assert level(found, "promptfoo/as_scored_without_no_assertions/success", "m2") == ("1/3", 3)


def test_json_lines_of_the_same_run_hold_the_same(shared: Path, tmp_path: Path) -> None:
    found = imported(tmp_path, shared / "samples" / "promptfoo" / "results.jsonl")
    assert (states(found), found.reconciled) == ({"answered": 6, "error": 2}, ())
    assert found.log.notes[-1] == "results.jsonl holds no sums of promptfoo: nothing of it is reconciled"


def test_a_high_score_can_fail(tmp_path: Path) -> None:
    found = imported(tmp_path, write(tmp_path / "a.json", result(0, score=0.75, success=False)))
    assert [level(found, f"promptfoo/{one}", "m")[0] for one in options(found, "scoring")] == ["0", "3/4"]


def test_repeats_are_numbered_as_they_ended(tmp_path: Path) -> None:
    source = write(tmp_path / "a.json", result(0), result(0, score=0, success=False))
    found = imported(tmp_path, source)
    assert found.log.outcomes["epoch"].to_list() == [1, 2]
    assert found.log.notes[0] == "repeats are numbered as they ended: promptfoo does not number them"


def test_prompts_of_one_provider_are_methods_of_their_own(tmp_path: Path) -> None:
    two = [result(0, prompt={"label": "short"}), result(0, prompt={"label": "long"})]
    told = [{**one, "promptIdx": i} for i, one in enumerate(two)]
    found = imported(tmp_path, write(tmp_path / "a.json", *told))
    assert sorted(found.log.outcomes["method"]) == ["m: long", "m: short"]


def test_results_of_another_version_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"evalId": "e", "results": {"version": 2, "results": []}}')
    assert refusal("promptfoo", tmp_path, tmp_path / "a.json") == "a.json: results of version 2\n  expected version 3"
