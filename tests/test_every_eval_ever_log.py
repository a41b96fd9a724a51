"""Logs of Every Eval Ever: each result is a reading, and what a score of 0 hides is a state where the log tells it."""

import json
from pathlib import Path

import pytest

from every_eval_ever_logs import UUID, Fields, result, sample, write
from importing import level, options, refusal, states, verdicts
from multiverse.importers import Imported, detect, import_log

ACCOUNT = (
    "this is an account of a log: a score of 0 may be a wrong answer, a refusal or an error, and a number NaN; "
    "where the log of the harness itself is at hand, import that"
)


def imported(tmp_path: Path, *sources: Path) -> Imported:
    return import_log("every-eval-ever", sources, tmp_path / "study")


def notes(found: Imported) -> list[str]:
    """The notes but the one that always stands there."""
    assert found.log.notes[0] == ACCOUNT
    return list(found.log.notes[1:])


def test_a_log_of_lm_eval_reconciles_result_by_result(shared: Path, tmp_path: Path) -> None:
    """Seven answers of which nothing could be extracted are `invalid`, as in the log that was converted."""
    found = imported(tmp_path, shared / "samples" / "every_eval_ever" / "out_lm")
    assert verdicts(found) == [
        ("toyorg/toy-1", "gsm_tiny exact_match:strict-match", "1/4", "equal"),
        ("toyorg/toy-1", "gsm_tiny exact_match:flexible-extract", "1/2", "equal"),
        ("toyorg/toy-1", "gsm_tiny exact_match:maj@2", "1/2", "equal"),
        ("toyorg/toy-1", "mc_tiny acc", "1/3", "equal"),
        ("toyorg/toy-1", "mc_tiny acc_norm", "1/3", "equal"),
        ("toyorg/toy-1", "mc_tiny acc_bytes", "1/3", "equal"),
    ]
    assert (found.log.rows.height, states(found)) == (7, {"answered": 14, "invalid": 7})
    assert found.log.notes == (
        "this is an account of a log: a score of 0 may be a wrong answer, a refusal or an error, and a number NaN; "
        "where the log of lm_eval 0.4.13 itself is at hand, import that, with multiverse import lm-eval",
        "results without samples are no part of the study: 064a4c11-8210-4ea4-afca-ee3eee516b1f.json",
    )


def test_a_log_of_inspect_has_one_score_of_a_sample_for_three_reducers(shared: Path, tmp_path: Path) -> None:
    """Inspect's reducers gave match 0.4, 0.8 and 0.6; its converter wrote the last, 3 of 5, into both epochs of each.

    The second scorer, 0.35, 0.6 and 0.6, has the scores of the first. q5 failed, and its 0 is of no result.
    """
    found = imported(tmp_path, shared / "samples" / "every_eval_ever" / "out_inspect")
    assert [(name, exact, verdict) for _, name, exact, verdict in verdicts(found)] == [
        ("match:accuracy", "3/5", "differs"), ("match:accuracy#2", "3/5", "differs"),
        ("match:accuracy#3", "3/5", "equal"), ("odd_scorer:accuracy", "3/5", "differs"),
        ("odd_scorer:accuracy#2", "3/5", "equal"), ("odd_scorer:accuracy#3", "3/5", "equal"),
    ]  # fmt: skip
    assert found.reconciled[0].words == (
        "openai/openai/gpt-4o-mini: match:accuracy 0.4 differs by -0.2 from 3/5 at errored_dropped/match:accuracy/mean "
        "over everything; 3 results are called 'match:accuracy', and one score of a sample is given for all, and all "
        "repeats of a sample have one score, as where a reduced score was copied into each"
    )
    assert level(found, "as_recorded/match:accuracy/mean", "openai/openai/gpt-4o-mini") == ("1/2", 6)
    assert (found.log.outcomes.height, states(found)) == (72, {"answered": 60, "errored": 12})
    assert found.log.notes[1:] == (
        f"samples are not the file that their results were written with, by its checksum: {UUID}_samples.jsonl",
        "records that name no result, and stand as a score of each result of their evaluation: 2",
        "all repeats of a sample have one score: the converter seems to have copied a reduced score into each",
    )


def test_results_without_samples_are_refused(shared: Path, tmp_path: Path) -> None:
    source = shared / "samples" / "every_eval_ever" / "out_lm" / "tiny_group"
    assert detect(source) == ("every-eval-ever",)
    assert refusal("every-eval-ever", source, source).endswith(
        "064a4c11-8210-4ea4-afca-ee3eee516b1f.json: 1 result and no sample: nothing that could be scored anew\n"
        "  expected results of Every Eval Ever, UUID.json, with UUID_samples.jsonl beside them"
    )


def test_an_error_is_a_state_and_a_result_may_leave_it_out(tmp_path: Path) -> None:
    """Of 1, 0 and a failed 0: 1/3 as recorded; 1/2 where the error is left out, as a result of 2 samples says."""
    samples = [sample("a", 1.0), sample("b", 0.0), sample("c", 0.0, error="Timeout")]
    found = imported(tmp_path, write(tmp_path, [result(0.5, count=2)], samples))
    assert (states(found), verdicts(found)) == ({"answered": 2, "errored": 1}, [("m", "acc", "1/2", "equal")])
    assert options(found, "disposition") == ["as_recorded", "errored_dropped"]
    assert level(found, "as_recorded", "m") == ("1/3", 3)


def test_an_error_that_scores_keeps_its_score(tmp_path: Path) -> None:
    samples = [sample("a", 1.0, error="late"), sample("b", 0.0), sample("c", None, error="x")]
    found = imported(tmp_path, write(tmp_path, [result(0.5)], samples))
    assert (states(found), options(found, "reading")) == (
        {"answered": 2, "errored": 1}, ["as_scored", "as_scored_without_errored"],
    )  # fmt: skip
    assert level(found, "errored_dropped/as_scored", "m") == ("1/2", 2)


def test_cut_filtered_and_empty_answers_are_states(tmp_path: Path) -> None:
    invalid = [{"extracted_value": "[invalid]"}]
    samples = [
        sample("a", 0.0, metadata={"stop_reason": "max_tokens"}), sample("b", 0, output={"raw": [""]}),
        sample("c", 0, metadata={"stop_reason": "content_filter"}), sample("d", 0, answer_attribution=invalid),
        sample("e", 1, metadata={"stop_reason": "stop"}), sample("f", float("nan")), sample("g", None),
    ]  # fmt: skip
    found = imported(tmp_path, write(tmp_path, [result(0.2)], samples))
    assert states(found) == {
        "answered": 1, "content_filter": 1, "invalid": 1, "no_text": 1, "truncated": 1, "unscored": 2,
    }  # fmt: skip
    assert verdicts(found) == [("m", "acc", "1/5", "equal")]


def test_lower_is_better_is_reversed_exactly_and_reported_numbers_are_put_back(tmp_path: Path) -> None:
    """Errors of 1, 2 and 0 of at most 4 are 3/4, 1/2 and 1: 3/4 in the mean, which is an error of 1."""
    config = {"lower_is_better": True, "min_score": 0, "max_score": 4}
    samples = [sample("a", 1.0), sample("b", 2), sample("c", 0)]
    found = imported(tmp_path, write(tmp_path, [result(1.0, config=config)], samples))
    assert found.log.outcomes["score"].to_list() == ["3/4", "1/2", "1"]
    assert (level(found, "as_recorded/score", "m"), verdicts(found)) == (("3/4", 3), [("m", "acc", "1", "equal")])
    assert notes(found) == ["acc: lower is better: a score x stands as (4 - x) / 4"]


def test_scores_beyond_their_bounds_and_without_any_widen_the_map(tmp_path: Path) -> None:
    config = {"min_score": None, "max_score": "Infinity"}
    samples = [sample("a", -0.3), sample("b", 7)]
    found = imported(tmp_path, write(tmp_path, [result(3.35, config=config)], samples))
    assert found.log.outcomes["score"].to_list() == ["0", "1"]
    assert verdicts(found) == [("m", "acc", "67/20", "equal")]
    assert notes(found) == ["acc: a score x stands as (x + 3/10) / (73/10)"]


def test_a_result_in_percent_of_samples_that_are_not(tmp_path: Path) -> None:
    samples = [sample("a", 1.0), sample("b", 0.0), sample("c", 1.0), sample("d", 1.0)]
    found = imported(tmp_path, write(tmp_path, [result(75.0, config={"max_score": 100})], samples))
    assert (level(found, "as_recorded", "m"), verdicts(found)) == (("3/4", 4), [("m", "acc", "75", "equal")])
    assert notes(found) == ["acc: results are in percent, and scores of samples are not: they are multiplied by 100"]


def test_an_unknown_level_is_no_score(tmp_path: Path) -> None:
    config = {"score_type": "levels", "level_names": ["bad", "fair", "good"], "has_unknown_level": True}
    samples = [sample("a", 2), sample("b", 1), sample("c", -1)]
    found = imported(tmp_path, write(tmp_path, [result(1.5, config=config)], samples))
    assert (states(found), verdicts(found)) == ({"answered": 2, "unscored": 1}, [("m", "acc", "3/2", "equal")])


def test_what_is_correct_is_a_scoring_of_its_own_where_it_says_more(tmp_path: Path) -> None:
    samples = [sample("a", 0.5, right=False), sample("b", 1.0)]
    found = imported(tmp_path, write(tmp_path, [result(0.75)], samples))
    assert options(found, "scoring") == ["score", "is_correct"]
    assert (level(found, "as_recorded/is_correct", "m"), verdicts(found)) == (
        ("1/2", 2), [("m", "acc", "3/4", "equal")],
    )  # fmt: skip


def test_what_is_correct_is_left_out_where_some_score_lacks_it(tmp_path: Path) -> None:
    found = imported(tmp_path, write(tmp_path, [result(0.5)], [sample("a", 1.0, right=None), sample("b", 0.0)]))
    assert found.log.outcomes.columns == ["row_id", "method", "epoch", "status", "score"]
    assert notes(found) == ["is_correct is not given with every score, and is left out"]


def test_records_without_epochs_are_repeats_in_their_order(tmp_path: Path) -> None:
    found = imported(tmp_path, write(tmp_path, [result(0.5)], [sample("a", 1.0), sample("a", 0.0)]))
    assert found.log.outcomes.select("row_id", "epoch", "score").rows() == [("a", 1, 1.0), ("a", 2, 0.0)]
    assert verdicts(found) == [("m", "acc", "1/2", "equal")]


def test_an_epoch_twice_is_refused(tmp_path: Path) -> None:
    twice = [sample("a", 1.0, metadata={"epoch": "2"})] * 2
    source = write(tmp_path, [result(1.0)], twice)
    assert refusal("every-eval-ever", tmp_path, source) == (
        f"{UUID}.json: sample 'a' of 'm', epoch 2, acc, twice or more\n  expected each once"
    )


def test_two_results_of_one_id_are_told_apart_by_the_order_of_records(tmp_path: Path) -> None:
    samples = [sample("a", 1.0), sample("a", 0.5), sample("b", 0.0), sample("b", 0.5)]
    found = imported(tmp_path, write(tmp_path, [result(0.5), result(0.5)], samples))
    assert options(found, "reading") == ["acc", "acc#2"]
    assert [verdict for *_, verdict in verdicts(found)] == ["equal", "equal"]
    assert found.log.outcomes.group_by("result").agg("score").sort("result").rows() == [
        ("acc", [1.0, 0.0]), ("acc#2", [0.5, 0.5]),
    ]  # fmt: skip


def test_a_failed_record_of_no_result_is_of_every_result_that_has_samples(tmp_path: Path) -> None:
    """Two results are both called acc and have one record a sample: they cannot be told apart, and are one variant."""
    samples = [sample("a", 1.0), sample("a", 0.5, of="f1"), sample("b", 0.0, of=None, error="x")]
    results = [result(1.0, count=1), result(0.5, count=2), result(0.25, "f1"), result(0.25, "bleu")]
    found = imported(tmp_path, write(tmp_path, results, samples))
    assert found.log.outcomes.select("row_id", "result", "status").rows() == [
        ("a", "acc", "answered"), ("a", "f1", "answered"), ("b", "acc", "errored"), ("b", "f1", "errored"),
    ]  # fmt: skip
    assert verdicts(found) == [
        ("m", "acc", "1", "equal"), ("m", "acc", "1/2", "equal"), ("m", "f1", "1/4", "equal"),
    ]  # fmt: skip
    assert notes(found) == [
        f"no sample is of the result 'bleu', which is not reconciled: {UUID}.json",
        "records that name no result, and stand as a score of each result of their evaluation: 1",
    ]


def test_samples_before_schema_0_3_are_of_the_results_of_their_data_set(tmp_path: Path) -> None:
    """As Inspect was converted: the sample is named after the data set, the results after scorers; ids are numbers."""
    older: Fields = {"schema_version": "0.2.0", "evaluation_name": "d", "output": {"raw": "A"}}
    samples = [sample(i, bool(i)) | older for i in range(2)]
    for one in samples:
        del one["evaluation_result_id"]
    results = [result(0.5, evaluation_name=name) for name in ("choice", "match")]
    for number in results:
        del number["evaluation_result_id"]
    found = imported(tmp_path, write(tmp_path, results, samples, schema_version="0.2.0"))
    assert (found.log.harness, found.log.rows["row_id"].to_list()) == ("Every Eval Ever (schema 0.2.0)", ["0", "1"])
    assert verdicts(found) == [("m", "d", "1/2", "equal")] * 2


def test_models_and_data_sets_meet_in_one_study(tmp_path: Path) -> None:
    """n did not run s; ids of one run alone, such as acc-of-n, give way to the names of metrics."""
    of_n = [sample(i, i, of="acc-of-n", model_id="n", evaluation_id="d/n/1") for i in (0, 1)]
    write(tmp_path / "logs", [result(0.5, "acc-of-m", config={"metric_name": "acc"})],
          [sample(i, 1 - i, of="acc-of-m") for i in (0, 1)])  # fmt: skip
    write(tmp_path / "logs", [result(0.5, "acc-of-n", config={"metric_name": "acc"})], of_n, name="n",
          model_info={"id": "n"}, evaluation_id="d/n/1")  # fmt: skip
    write(tmp_path / "logs", [result(1.0, "s-acc", config={"metric_name": "acc"}, source_data={"dataset_name": "s"})],
          [sample("x", 1, of="s-acc")], name="s")  # fmt: skip
    found = imported(tmp_path, tmp_path / "logs")
    assert found.log.rows.to_dicts() == [
        {"row_id": row, "stratum": row[0], "sample_hash": f"h{row[2:]}", "task": row[0]}
        for row in ("d/0", "d/1", "s/x")
    ]
    assert [(method, name, verdict) for method, name, _, verdict in verdicts(found)] == [
        ("m", "d acc", "equal"), ("n", "d acc", "equal"), ("m", "s acc", "equal"),
    ]  # fmt: skip
    assert level(found, "missing_zero/stratum_mean", "n") == ("1/4", 3)  # (1/2 + 0) / 2


def test_runs_of_a_model_are_told_apart_by_time_or_id(tmp_path: Path) -> None:
    for name, time, identity in (("a", "5", "x"), ("b", "5", "y")):
        write(tmp_path / "logs", [result(1.0)], [sample("q", 1, evaluation_id=identity)], name=name,
              evaluation_timestamp=time, evaluation_id=identity)  # fmt: skip
    found = imported(tmp_path, tmp_path / "logs")
    assert found.log.outcomes["method"].to_list() == ["m@x", "m@y"]


def test_samples_alone_are_read_and_say_so(tmp_path: Path) -> None:
    path = write(tmp_path, [result(1.0)], [sample("a", 1.0)])
    path.unlink()
    found = imported(tmp_path, tmp_path / f"{UUID}_samples.jsonl")
    assert (states(found), found.reconciled) == ({"answered": 1}, ())
    assert notes(found) == [
        f"no results are beside these samples: higher is taken for better, and nothing is reconciled: "
        f"{UUID}_samples.jsonl"
    ]


def test_samples_are_enough_to_find_their_results(tmp_path: Path) -> None:
    write(tmp_path, [result(1.0)], [sample("a", 1.0)])
    assert verdicts(imported(tmp_path, tmp_path / f"{UUID}_samples.jsonl")) == [("m", "acc", "1", "equal")]


def test_what_does_not_fit_together_is_told(tmp_path: Path) -> None:
    samples = [sample("a", 1.0, model_id="org/m", evaluation_id="other"), sample("a", 1.0, of="f1", sample_hash="z")]
    samples[1] |= {"model_id": "org/m"}
    path = write(tmp_path, [result(1.0), result(0.5, "bleu")], samples)
    told = json.loads(path.read_text())
    told["detailed_evaluation_results"] |= {"total_rows": 1, "checksum": "0"}
    path.write_text(json.dumps(told))
    file = f"{UUID}_samples.jsonl"
    assert notes(imported(tmp_path, path)) == [
        f"samples hold more records than their results count (total_rows): {file}",
        f"samples are not the file that their results were written with, by its checksum: {file}",
        f"samples name the model 'org/m', and their results 'm': {file}",
        f"samples name another evaluation_id than their results: {file}",
        f"no sample is of the result 'bleu', which is not reconciled: {UUID}.json",
        "rows with several sample_hash, whose sample_id may stand for several samples: 1",
    ]


def test_a_result_of_other_samples_says_so(tmp_path: Path) -> None:
    found = imported(tmp_path, write(tmp_path, [result(0.7, count=10)], [sample("a", 1.0)]))
    assert found.reconciled[0].words == (
        "m: acc 0.7 differs by -0.3 from 1 at as_recorded over everything; it is said to be of 10 samples, and the log "
        "holds 1"
    )


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([sample("a", "1.0")], "_samples.jsonl: line 1 has the score '1.0'\n"
         "  expected a number that a double can hold"),
        ([sample(None, 1)], "_samples.jsonl: line 1 lacks sample_id, model_id or evaluation\n"
         "  expected a sample of Every Eval Ever"),
        ([sample("a", 1), sample("b", 1, model_id="n")], "_samples.jsonl: samples of several models: 'm', 'n'\n"
         "  expected those of 'm'"),
        ([], ".json: 1 result and no sample: nothing that could be scored anew\n"
         "  expected results of Every Eval Ever, UUID.json, with UUID_samples.jsonl beside them"),
    ],
)  # fmt: skip
def test_samples_at_fault_are_refused(tmp_path: Path, samples: list[Fields], message: str) -> None:
    assert refusal("every-eval-ever", tmp_path, write(tmp_path, [result(1.0)], samples)) == UUID + message


def test_a_file_that_was_cut_short_is_refused_within_a_line_and_between_lines(tmp_path: Path) -> None:
    source = write(tmp_path, [result(1.0)], [sample("a", 1), sample("b", 1)])
    samples = tmp_path / f"{UUID}_samples.jsonl"
    first, second = samples.read_bytes().splitlines(keepends=True)
    samples.write_bytes(first)
    assert refusal("every-eval-ever", tmp_path, source) == (
        f"{samples.name}: 1 record where {UUID}.json counts 2\n  expected a whole file: it may have been cut short"
    )
    samples.write_bytes(first + second[:20])
    assert refusal("every-eval-ever", tmp_path, source) == (
        f"{samples.name}: line 2 is no JSON: Unterminated string starting at\n"
        "  expected a whole file: it may have been cut short"
    )
    samples.unlink()
    assert refusal("every-eval-ever", tmp_path, source) == (
        f"{UUID}.json: the samples '{samples.name}', which are not there\n  expected that file beside it"
    )


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([result(1.0, config={"min_score": 1, "max_score": 1})], "a metric with min_score 1 and max_score 1\n"
         "  expected the first below the second"),
        ([result(1.0), result(1.0, config={"lower_is_better": True}, evaluation_result_id="acc")],
         "'acc' with lower_is_better true in one result and false in another\n  expected one of them"),
    ],
)  # fmt: skip
def test_results_at_fault_are_refused(tmp_path: Path, results: list[Fields], message: str) -> None:
    source = write(tmp_path, results, [sample("a", 1.0)])
    assert refusal("every-eval-ever", tmp_path, source) == f"{UUID}.json: {message}"


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"model_info": {}}')
    assert refusal("every-eval-ever", tmp_path, tmp_path / "a.json") == (
        "a.json: no model_info.id or no list evaluation_results\n"
        "  expected results of Every Eval Ever, UUID.json, with UUID_samples.jsonl beside them"
    )


@pytest.mark.parametrize(("library", "form"), [("helm", "helm"), ("lighteval", "lighteval"), ("SWE-bench", "swebench")])
def test_the_format_of_the_raw_log_is_named(tmp_path: Path, library: str, form: str) -> None:
    told = {"name": library, "version": "1"}
    write(tmp_path / "logs", [result(1.0)], [sample("a", 1)], eval_library=told)
    note = imported(tmp_path, tmp_path / "logs").log.notes[0]
    assert note.endswith(f"where the log of {library} 1 itself is at hand, import that, with multiverse import {form}")
