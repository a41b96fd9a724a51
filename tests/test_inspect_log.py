"""Inspect logs: what real ones report is reproduced, and no sample is lost or turned into a zero."""

import json
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from inspect_logs import header, result, sample, write_eval, write_json
from multiverse.errors import InputError
from multiverse.importers import Imported, import_log


def imported(tmp_path: Path, *sources: Path) -> Imported:
    return import_log("inspect", sources, tmp_path / "study")


def states(found: Imported) -> dict[str, int]:
    return dict(sorted(found.log.outcomes.group_by("status").len().iter_rows()))


def options(found: Imported, coordinate: str) -> list[str]:
    return [option.id for c in found.log.choices if c.coordinate == coordinate for option in c.options]


def level(found: Imported, spec: str, method: str = "m") -> tuple[str | None, int]:
    for one, name, exact, support in found.audit.levels.select("spec", "method", "exact", "support").iter_rows():
        if (one, name) == (spec, method):
            return exact, support
    raise AssertionError(f"no {spec} among {found.audit.levels['spec'].unique().sort().to_list()}")


def refusal(tmp_path: Path, *sources: Path) -> str:
    with pytest.raises(InputError) as caught:
        imported(tmp_path, *sources)
    assert not (tmp_path / "study").exists()
    return str(caught.value).replace(f"{tmp_path}/", "")


# The samples of the real tool


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_a_real_log_reconciles_by_scorer_and_reducer(shared: Path, tmp_path: Path, ending: str) -> None:
    [source] = (shared / "samples" / "inspect_ai" / "logs").glob(f"*.{ending}")
    found = imported(tmp_path, source)
    told = [(one.headline.name, one.headline.value, str(one.level), one.verdict) for one in found.reconciled]
    assert told == [
        ("match accuracy, mean", 0.4, "2/5", "equal"),
        ("match accuracy, at_least_1", 0.8, "4/5", "equal"),
        ("match accuracy, mode", 0.6, "3/5", "equal"),
        ("odd_scorer accuracy, mean", 0.35, "7/20", "equal"),
        ("odd_scorer accuracy, at_least_1", 0.6, "3/5", "equal"),
        ("odd_scorer accuracy, mode", 0.6, "3/5", "equal"),
    ]
    assert states(found) == {"answered": 17, "errored": 4, "no_answer": 2, "unscored": 1}
    numbered = found.log.outcomes.filter(row_id="q1").select("scorer", "epoch", "log_epoch").rows()
    assert sorted(numbered) == [("match", 1, 1), ("match", 2, 2), ("odd_scorer", 3, 1), ("odd_scorer", 4, 2)]
    assert level(found, "errored_zero/match/score.mean/row_mean", "mockllm/model") == ("1/3", 6)
    assert options(found, "aggregation") == ["row_mean", "cluster_mean"]  # a standard error is clustered by `group`


def test_a_log_without_results_is_imported_and_says_so(shared: Path, tmp_path: Path) -> None:
    [source] = (shared / "samples" / "inspect_ai" / "logs_all_errored").iterdir()
    found = imported(tmp_path, source)
    assert (states(found), found.reconciled) == ({"errored": 24}, ())
    assert found.log.notes == (f"{source.name} has status success and no results: nothing of it is reconciled",)


def test_runs_of_one_model_and_task_are_told_apart(shared: Path, tmp_path: Path) -> None:
    found = imported(tmp_path, shared / "samples" / "inspect_ai" / "logs")
    times = ("2026-11-30T11:57:08+00:00", "2026-11-30T11:57:09+00:00")
    assert sorted(found.log.outcomes["method"].unique()) == [f"mockllm/model@{time}" for time in times]


# Values and states


def test_letters_words_and_numbers_count_as_inspect_counts_them(tmp_path: Path) -> None:
    values = ["C", "P", "I", "N", "yes", "no", "0.25", True, 0.5, "gibberish"]
    samples = [sample(f"q{i}", value) for i, value in enumerate(values)]
    found = imported(tmp_path, write_json(tmp_path / "a.json", samples, result(0.425)))
    assert states(found) == {"answered": 8, "no_answer": 1, "unreadable": 1}
    assert [(one.verdict, str(one.level)) for one in found.reconciled] == [("equal", "17/40")]


@pytest.mark.parametrize("value", [float("nan"), None])
def test_no_verdict_is_no_zero(tmp_path: Path, value: object) -> None:
    source = write_eval(tmp_path / "a.eval", [sample("a", "C"), sample("b", value)], result(1.0))
    found = imported(tmp_path, source)
    assert (states(found), level(found, "inspect"), level(found, "unscored_zero")) == (
        {"answered": 1, "unscored": 1}, ("1", 1), ("1/2", 2),
    )  # fmt: skip


def test_a_partly_right_value_is_half_wrong_or_right(tmp_path: Path) -> None:
    found = imported(tmp_path, write_json(tmp_path / "a.json", [sample("a", "P"), sample("b", "C")], result(0.75)))
    assert options(found, "scoring") == ["score", "partial_wrong", "partial_right"]
    assert [level(found, f"inspect/{option}")[0] for option in options(found, "scoring")] == ["3/4", "1/2", "1"]


@pytest.mark.parametrize(
    ("remark", "more"),
    [
        ("limit", {"limit": {"type": "token", "limit": 10}}),
        ("truncated", {"output": {"choices": [{"stop_reason": "max_tokens"}]}}),
        ("content_filter", {"output": {"choices": [{"stop_reason": "content_filter"}]}}),
        ("invalidated", {"invalidation": {"author": "me"}}),
        ("errored", {"error": {"message": "late"}}),
    ],
)
def test_what_a_remark_is_of_can_be_left_out(tmp_path: Path, remark: str, more: dict[str, Any]) -> None:
    """One of two such answers is right: they keep their scores, and a reading leaves both out."""
    samples = [sample("a", "C", **more), sample("b", "I", **more), sample("c", "C"), sample("d", "I")]
    found = imported(tmp_path, write_json(tmp_path / "a.json", samples, result(0.5)))
    assert (states(found), options(found, "reading")) == ({"answered": 4}, ["as_scored", f"as_scored_without_{remark}"])
    assert [one.verdict for one in found.reconciled] == ["equal"]
    assert level(found, f"inspect/as_scored_without_{remark}") == ("1/2", 2)
    assert level(found, f"empty_zero/as_scored_without_{remark}") == ("1/4", 4)


@pytest.mark.parametrize(
    ("state", "score"),
    [
        ("refused", {"value": "I", "reason": "refusal"}),
        ("no_response", {"value": 0, "reason": "no_response"}),
        ("invalid", {"value": "I", "reason": "invalid_response_format"}),
        ("no_answer", {"value": "N"}),
    ],
)
def test_a_remark_that_never_scores_is_a_state(tmp_path: Path, state: str, score: dict[str, Any]) -> None:
    found = imported(
        tmp_path, write_json(tmp_path / "a.json", [sample("a", "", score=score), sample("b", "C")], result(0.5))
    )
    assert (states(found), options(found, "reading")) == ({"answered": 1, state: 1}, [])
    assert [level(found, "inspect"), level(found, f"{state}_dropped")] == [("1/2", 2), ("1", 1)]


def test_a_grader_that_failed_is_a_state(tmp_path: Path) -> None:
    failed = sample("a", "", score={"value": float("nan"), "reason": "grader_failed"})
    found = imported(tmp_path, write_json(tmp_path / "a.json", [failed, sample("b", "C")], result(1)))
    assert (states(found), found.reconciled[0].verdict) == ({"answered": 1, "grader_failed": 1}, "equal")


def test_a_sample_that_was_not_run_is_missing(tmp_path: Path) -> None:
    source = write_json(tmp_path / "a.json", [sample("a", "C")], result(1), dataset={"sample_ids": ["a", "b"]})
    found = imported(tmp_path, source)
    assert [level(found, "inspect"), level(found, "missing_zero")] == [("1", 1), ("1/2", 2)]


def test_a_sample_beyond_the_limit_of_a_run_is_none_of_the_study(tmp_path: Path) -> None:
    more: dict[str, Any] = {"dataset": {"sample_ids": ["a", "b"]}, "config": {"limit": 1}}
    found = imported(tmp_path, write_json(tmp_path / "a.json", [sample("a", "C")], result(1), **more))
    assert found.log.rows.height == 1


def test_scores_beyond_one_are_put_back_for_the_comparison(tmp_path: Path) -> None:
    samples = [sample("a", 7), sample("b", -3), sample("c", 0.1)]
    found = imported(tmp_path, write_json(tmp_path / "a.json", samples, result(41 / 30)))
    assert found.log.outcomes["score"].to_list() == ["1", "0", "31/100"]
    assert [(one.verdict, str(one.level)) for one in found.reconciled] == [("equal", "41/30")]
    assert found.log.notes == (
        "scores go beyond [0, 1]: a score x stands as (x + 3) / 10, and reported numbers are put back",
    )


def test_each_value_of_a_scorer_is_a_score(tmp_path: Path) -> None:
    samples = [sample("a", {"x": "C", "y": "I"}), sample("b", {"x": "I", "y": "I"})]
    told = [result(0.5, name="x"), result(0.0, name="y")]
    found = imported(tmp_path, write_json(tmp_path / "a.json", samples, *told))
    assert (options(found, "reading"), [one.verdict for one in found.reconciled]) == (
        ["s.x", "s.y"],
        ["equal", "equal"],
    )


# Repeats


def epochs(*values: object) -> list[dict[str, Any]]:
    return [sample("a", value, epoch=i) for i, value in enumerate(values, 1)]


@pytest.mark.parametrize(
    ("reducer", "values", "number"),
    [
        ("mode", ["I", "C"], 0), ("mode", ["C", "I"], 1), ("mode", ["C", "I", "C"], 1),
        ("at_least_1", ["I", "C"], 1),
        ("mean", ["I", "C", float("nan")], 0.5), ("max", ["P", "I"], 0.5), ("pass_at_1", ["I", "C", "C", "C"], 0.75),
        ("median", ["C", "I", "I", "C"], 0.5), ("mode", ["I", "C", "C", "I"], 0),
        ("pass_at_2", ["I", "C", "I", "C"], 5 / 6),
        ("pass_k_2", ["I", "C", "I", "C"], 1 / 6), ("at_least_2", ["I", "C", "C"], 1),
        ("at_least_3", ["I", "C", "C"], 0),
    ],
)  # fmt: skip
def test_a_reducer_reconciles(tmp_path: Path, reducer: str, values: Sequence[object], number: float) -> None:
    found = imported(tmp_path, write_json(tmp_path / "a.json", epochs(*values), result(number, reducer)))
    assert [one.verdict for one in found.reconciled] == ["equal"]


def test_a_reducer_that_cannot_be_declared_is_noted(tmp_path: Path) -> None:
    found = imported(tmp_path, write_json(tmp_path / "a.json", epochs("I", "C", "C", "P"), result(0.5, "collect")))
    assert found.log.notes == ("the reducer collect cannot be declared yet, and its numbers are not reconciled",)
    assert found.reconciled == ()


def test_a_number_that_differs_is_told_with_the_difference_and_the_versions(tmp_path: Path) -> None:
    found = imported(
        tmp_path, write_json(tmp_path / "a.json", [sample("a", "C"), sample("b", float("nan"))], result(0.5))
    )
    assert [one.words for one in found.reconciled] == [
        "m: s accuracy 0.5 differs by -0.5 from 1 at inspect over everything; the log is of Inspect 0.3.285; NaN left "
        "metrics in 0.3.113 and reducers in 0.3.123, what was scored on error counts since 0.3.248, and `inspect log "
        "zero` and `exclude` (0.3.291) edit finished logs"
    ]


# Several logs


def test_two_models_make_one_study(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", [sample("a", "C"), sample("b", "I")], result(0.5))
    write_eval(tmp_path / "b.eval", [sample("a", "C")], result(1.0), model="n")
    found = imported(tmp_path, tmp_path / "a.json", tmp_path / "b.eval")
    assert [(one.headline.method, one.verdict) for one in found.reconciled] == [("m", "equal"), ("n", "equal")]
    assert (level(found, "inspect", "n"), level(found, "missing_zero", "n")) == (("1", 1), ("1/2", 2))


def test_tasks_are_strata_and_populations_and_each_reads_its_own_scorer(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", [sample(1, "C"), sample(2, "I")], result(0.5))
    other = [{"id": 1, "epoch": 1, "target": "x", "scores": {"t": {"value": "C"}}}]
    write_json(tmp_path / "b.json", other, result(1.0, name="t", scorer="t"), task="größer")
    found = imported(tmp_path, tmp_path / "a.json", tmp_path / "b.json")
    assert found.log.rows["row_id"].to_list() == ["tiny/1", "tiny/2", "größer/1"]
    assert list(found.log.populations) == ["everything", "tiny", "task_2"]
    assert (options(found, "reading"), options(found, "aggregation")) == ([], ["row_mean", "stratum_mean"])
    assert [(one.headline.population, one.verdict) for one in found.reconciled] == [
        ("tiny", "equal"),
        ("task_2", "equal"),
    ]


def test_an_attribute_that_differs_between_logs_is_noted(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", [sample("a", "C", metadata={"level": 1})], result(1))
    write_json(tmp_path / "b.json", [sample("a", "C", metadata={"level": 2})], result(1), model="n")
    found = imported(tmp_path, tmp_path / "a.json", tmp_path / "b.json")
    assert found.log.notes == ("attribute 'level' differs between logs 1 times: the first value is kept",)


# Logs that are not whole, or mean harm


def test_a_run_that_did_not_end_is_imported_and_says_so(tmp_path: Path) -> None:
    source = tmp_path / "a.eval"
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": header()["eval"]}))
        archive.writestr("samples/a_epoch_1.json", json.dumps(sample("a", "C")))
    found = imported(tmp_path, source)
    assert (states(found), found.log.notes) == (
        {"answered": 1}, ("a.eval has status started and no results: nothing of it is reconciled",),
    )  # fmt: skip


def test_of_a_sample_written_twice_the_last_is_read(tmp_path: Path) -> None:
    source = write_eval(tmp_path / "a.eval", [sample("a", "I")], result(1))
    with warnings.catch_warnings(), zipfile.ZipFile(source, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("samples/a_epoch_1.json", json.dumps(sample("a", "C")))
    found = imported(tmp_path, source)
    assert (level(found, "inspect"), found.log.notes) == (
        ("1", 1),
        ("a.eval holds 1 entries twice: the last of each is read",),
    )


def test_the_same_sample_twice_is_refused(tmp_path: Path) -> None:
    source = write_json(tmp_path / "a.json", [sample("a", "C"), sample("a", "I")])
    assert refusal(tmp_path, source) == "a.json: sample 'a' of 'm', epoch 1, s, twice or more\n  expected each once"


def test_the_same_run_twice_is_refused(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", [sample("a", "C")])
    (tmp_path / "b.json").write_bytes((tmp_path / "a.json").read_bytes())
    assert refusal(tmp_path, tmp_path / "a.json", tmp_path / "b.json") == (
        "a.json, b.json: the same run, 'a', 2 times\n  expected each run once"
    )


def wrong_method(path: Path) -> Path:
    """A log whose samples say that they are compressed by a method that does not exist."""
    write_eval(path, [sample("a", "C")])
    content = bytearray(path.read_bytes())
    for start in (content.index(b"PK\x03\x04"), content.index(b"PK\x01\x02")):
        at = start + (8 if content[start + 2] == 3 else 10)
        content[at : at + 2] = (77).to_bytes(2, "little")
    path.write_bytes(content)
    with zipfile.ZipFile(path) as archive:
        [first, *_] = archive.namelist()
    assert first == "_journal/start.json"
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "a.json: no JSON at line 1, column 2: Expecting property name enclosed in double quotes\n"
         "  expected a whole file: it may have been cut short"),
        (b"[]", "a.json: no JSON object\n  expected an object"),
        (b"\xff", "a.json: not UTF-8 at byte 0\n  expected JSON"),
        (b'{"version": 2}', "a.json: no key 'eval' in the header\n  expected an Inspect log"),
        (b'{"version": 9, "eval": {}}', "a.json: log version 9\n  expected version 2 of the log format (Inspect 0.3)"),
        (b'{"eval": {}, "samples": [{"epoch": 1}]}', "a.json: a sample without an id\n  expected an Inspect log"),
        (b'{"eval": {}, "samples": []}', "a.json: no sample in the log\n  expected at least one"),
    ],
)  # fmt: skip
def test_json_that_is_no_log_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.json").write_bytes(content)
    assert refusal(tmp_path, tmp_path / "a.json") == message


def test_a_zip_file_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    source = write_eval(tmp_path / "a.eval", [sample("a", "C")])
    source.write_bytes(source.read_bytes()[:-40])
    assert refusal(tmp_path, source) == (
        "a.eval: no zip file that can be read: File is not a zip file\n"
        "  expected a whole zip file: it may have been cut short"
    )


def test_a_zip_method_that_is_not_known_is_refused(tmp_path: Path) -> None:
    source = wrong_method(tmp_path / "a.eval")
    with zipfile.ZipFile(source, "a") as archive:  # the first entry is the journal, read only where there is no header
        del archive
    content = source.read_bytes().replace(b"header.json", b"headed.json")
    source.write_bytes(content)
    assert refusal(tmp_path, source) == (
        "a.eval (_journal/start.json): zip method 77, which is not known\n  expected stored, deflated (8) or zstd (93)"
    )


def test_ids_of_any_size_and_script_are_kept(tmp_path: Path) -> None:
    ids = ["\ud83d", "q" * 70_000, "naïve 质量\u202e", "a/b", 10**40, "", "nul\x00"]
    found = imported(tmp_path, write_json(tmp_path / "a.json", [sample(i, "C") for i in ids], result(1)))
    assert found.log.rows["row_id"].to_list() == ["\\ud83d", *ids[1:4], str(10**40), *ids[5:]]
    assert found.reconciled[0].verdict == "equal"


def test_names_with_quotes_and_controls_make_yaml_that_reads_back(tmp_path: Path) -> None:
    odd = 'ta"sk: #1 \\ \u202e\x07'
    told: Mapping[str, Any] = result(1.0, name=odd, scorer=odd)
    samples = [{"id": 1, "epoch": 1, "scores": {odd: {"value": "C"}, "yes": {"value": "I"}}}]
    source = write_json(tmp_path / "a.json", samples, told, result(0.0, name="yes", scorer="yes"), task=odd)
    found = imported(tmp_path, source)
    assert [one.verdict for one in found.reconciled] == ["equal", "equal"]
