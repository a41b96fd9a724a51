"""Runs of HELM: metrics, splits, perturbations and trials are open, and every mean of stats.json is reproduced."""

import json
from pathlib import Path

import pytest

from helm_runs import SHOUT, TYPOS, answer, kind, request, stat, write_run
from importing import level, options, refusal, states, verdicts
from multiverse.importers import Imported, import_log

EM = "exact_match"


def imported(tmp_path: Path, *sources: Path) -> Imported:
    return import_log("helm", sources, tmp_path / "study")


def test_a_real_suite_reconciles_and_keeps_what_no_metric_judges(shared: Path, tmp_path: Path) -> None:
    found = imported(tmp_path, shared / "samples" / "helm")
    names = [
        f"{prefix}exact_match{best}" for prefix in ("", "quasi_", "prefix_", "quasi_prefix_") for best in ("", "@5")
    ]
    assert verdicts(found) == [("simple/model1", f"{name}, test,", "0", "equal") for name in names]
    assert states(found) == {"no_metric": 30, "unmapped": 40}  # 10 instances in 3 trials; 5 instances by 8 metrics
    assert (options(found, "reading"), options(found, "scoring")) == (names, [])
    assert level(found, "helm/exact_match/stratum_mean", "simple/model1") == ("0", 5)
    assert level(found, "helm/exact_match/stratum_mean", "simple/model1", "simple1") == (None, 0)
    assert level(found, "unmapped_dropped/exact_match/stratum_mean", "simple/model1") == (None, 0)


def test_a_count_of_zero_and_a_nan_are_unscored(tmp_path: Path) -> None:
    records = [answer("a", {EM: 1}), answer("b", {EM: None}), answer("c", {EM: float("nan")}), answer("d", {})]
    found = imported(tmp_path, write_run(tmp_path, records, stat(EM, 1.0)))
    assert states(found) == {"answered": 1, "unscored": 3}
    assert verdicts(found) == [("org/m", "exact_match, test,", "1", "equal")]
    assert level(found, "unscored_zero", "org/m") == ("1/4", 4)


def test_one_metric_without_a_count_leaves_the_others_their_scores(tmp_path: Path) -> None:
    records = [answer("a", {EM: 1, "f1_score": None}), answer("b", {EM: 0, "f1_score": 0.5})]
    found = imported(tmp_path, write_run(tmp_path, records, stat(EM, 0.5), stat("f1_score", 0.5)))
    assert verdicts(found) == [
        ("org/m", "exact_match, test,", "1/2", "equal"),
        ("org/m", "f1_score, test,", "1/2", "equal"),
    ]
    assert [level(found, f"helm/{name}", "org/m")[1] for name in options(found, "reading")] == [2, 1]


def test_records_of_several_metric_classes_are_one_answer(tmp_path: Path) -> None:
    records = [answer("a", {EM: 1}), answer("a", {"safety": 0.5}), answer("a", {"safety": 0.25})]
    found = imported(tmp_path, run := write_run(tmp_path, records))
    assert (found.log.rows.height, options(found, "reading")) == (1, [EM, "safety"])
    assert level(found, "helm/safety", "org/m") == ("1/2", 1)
    assert found.log.notes[:2] == (
        f"the run {run.name} has no scenario_state.json and no stats.json",
        f"1 stats of the run {run.name} stand twice and differ: the first is read",
    )


def test_the_test_split_is_read_first_and_splits_can_be_mixed(tmp_path: Path) -> None:
    records = [answer("a", {EM: 1}, split="valid"), answer("b", {EM: 1}), answer("c", {EM: 0})]
    found = imported(tmp_path, write_run(tmp_path, records, stat(EM, 1.0, "valid"), stat(EM, 0.5)))
    assert [one.words for one in found.reconciled] == [
        "org/m: exact_match, valid, 1.0 = 1 at valid/helm over everything",
        "org/m: exact_match, test, 0.5 = 1/2 at test/helm over everything",
    ]
    assert level(found, "all_splits/helm", "org/m") == ("2/3", 3)


def test_an_id_in_two_splits_is_two_rows(tmp_path: Path) -> None:
    found = imported(
        tmp_path, write_run(tmp_path, [answer("a", {EM: 1}, split="valid"), answer("a", {EM: 0}), answer("b", {EM: 0})])
    )
    assert found.log.rows["row_id"].to_list() == ["valid/a", "test/a", "b"]


def test_the_schema_of_a_suite_tells_metric_and_split(tmp_path: Path) -> None:
    records = [answer("a", {EM: 1, "f1_score": 0.5}, split="valid"), answer("b", {EM: 1, "f1_score": 0.5})]
    write_run(tmp_path / "suite", records)
    schema = {"run_groups": [{"name": "g", "environment": {"main_name": "f1_score", "main_split": "valid"}}]}
    (tmp_path / "suite" / "schema.json").write_text(json.dumps(schema))
    found = imported(tmp_path, tmp_path / "suite")
    assert (options(found, "contract"), options(found, "reading")) == (
        ["valid", "test", "all_splits"],
        ["f1_score", EM],
    )


def perturbed_run(folder: Path) -> Path:
    """Two trials of a, which two perturbations change, and of b, which they leave as it is."""
    scores: dict[str, list[tuple[int | None, ...]]] = {
        "a": [(1, 0, 1), (1, 1, 1)],
        "b": [(0, None, None), (1, None, None)],
    }
    records = [
        answer(row, {EM: value}, trial=trial, perturbation=perturbation)
        for row, trials in scores.items()
        for trial, values in enumerate(trials)
        for value, perturbation in zip(values, (None, TYPOS, SHOUT), strict=True)
        if value is not None
    ]
    worst = [(0.5, kind("robustness")), (0.75, kind("fairness")), (0.5, TYPOS), (1.0, SHOUT)]
    stats = [stat(EM, 0.75), stat(EM, 0.5, perturbation=TYPOS)]
    stats += [stat(EM, mean, perturbation={**told, "computed_on": "worst"}) for mean, told in worst]
    return write_run(folder, records, *stats, stat(EM, 1.0, perturbation={**TYPOS, "computed_on": "original"}))


def test_worst_cases_are_taken_in_each_trial_as_helm_takes_them(tmp_path: Path) -> None:
    """Robustness: the trials' means are (0 + 0) / 2 and (1 + 1) / 2. Typos: b has none, so 0 and 1."""
    found = imported(tmp_path, perturbed_run(tmp_path))
    assert verdicts(found) == [
        ("org/m", f"exact_match, test,{view}", value, "equal")
        for view, value in (
            ("", "3/4"), (" typos,", "1/2"), (" worst_robustness,", "1/2"), (" worst_fairness,", "3/4"),
            (" worst_typos,", "1/2"), (" worst_shout,", "1"),
        )
    ]  # fmt: skip
    assert [(name, level(found, f"helm/{name}/mean", "org/m")) for name in options(found, "reading")] == [
        ("exact_match", ("3/4", 2)),
        ("exact_match:worst_robustness", ("1/2", 2)),
        ("exact_match:worst_fairness", ("3/4", 2)),
        ("exact_match:worst_typos", ("1/2", 1)),
        ("exact_match:worst_shout", ("1", 1)),
        ("exact_match:typos", ("1/2", 1)),
        ("exact_match:shout", ("1", 1)),
        ("exact_match:all_inputs", ("2/3", 2)),  # a: 5 of 6 answers, b: 1 of 2
    ]


def test_the_worst_trial_is_another_choice_than_the_worst_perturbation(tmp_path: Path) -> None:
    found = imported(tmp_path, perturbed_run(tmp_path))
    assert options(found, "scoring") == ["mean", "mode", "at_least_1", "first", "min"]
    assert level(found, "helm/exact_match/min", "org/m") == ("1/2", 2)
    assert level(found, "helm/exact_match:worst_robustness/min", "org/m") == ("0", 2)


def test_what_a_perturbation_left_as_it_was_has_a_state_of_its_own(tmp_path: Path) -> None:
    """b has no perturbed input: alone and in the worst of one perturbation, each in two trials."""
    assert states(imported(tmp_path, perturbed_run(tmp_path))) == {"answered": 20, "unperturbed": 8}


def test_perturbations_of_one_name_are_told_apart_by_their_parameters(tmp_path: Path) -> None:
    told = [TYPOS, {**TYPOS, "prob": 0.5}]
    records = [answer("a", {EM: i}, perturbation=one) for i, one in enumerate([None, *told])]
    found = imported(tmp_path, write_run(tmp_path, records))
    assert options(found, "reading")[-3:] == [
        "exact_match:typos(prob=0.1)", "exact_match:typos(prob=0.5)", "exact_match:all_inputs",
    ]  # fmt: skip


def test_many_perturbations_are_read_in_groups(tmp_path: Path) -> None:
    told = [{**TYPOS, "name": f"p{i}"} for i in range(5)]
    records = [answer("a", {EM: 1}, perturbation=one) for one in [None, *told]]
    found = imported(tmp_path, write_run(tmp_path, records))
    assert options(found, "reading") == [EM, "exact_match:worst_robustness", "exact_match:all_inputs"]
    assert (
        found.log.notes[-1] == "perturbations are read in groups, not one by one, as there are many: p0, p1, p2, p3, p4"
    )


def test_failed_requests_and_letters_that_are_no_choice_are_states_where_they_score_nothing(tmp_path: Path) -> None:
    letters = {"A": "Even", "B": "Odd"}
    told = {"a": "A", "b": "M", "c": "", "d": " "}
    requests = [request(row, text, success=row != "c", output_mapping=letters) for row, text in told.items()]
    records = [answer(row, {EM: int(row == "a")}) for row in told]
    found = imported(tmp_path, write_run(tmp_path, records, stat(EM, 0.25), requests=requests))
    assert states(found) == {"answered": 1, "no_text": 1, "request_failed": 1, "unmapped": 1}
    assert verdicts(found) == [("org/m", "exact_match, test,", "1/4", "equal")]
    assert level(found, "no_text_dropped+unmapped_dropped", "org/m") == ("1/2", 2)


def test_the_mapping_is_looked_up_as_helm_looks_it_up(tmp_path: Path) -> None:
    """By the likeliest completion, by any where a metric takes the best of several, and by a pattern where one is."""
    told = {"a": ["M", "A"], "b": ["N", "M"], "c": ["is (A)"]}
    requests = [request(row, *texts, output_mapping={"A": "Even"}) for row, texts in told.items()]
    records = [answer(row, {EM: 0, f"{EM}@2": 0}) for row in "abc"]
    run = write_run(tmp_path, records, requests=requests, output_mapping_pattern=r"\(([A-Z])\)|[A-Z]")
    found = imported(tmp_path, run)
    assert found.log.outcomes.select("row_id", "metric", "status").rows() == [
        ("a", EM, "unmapped"), ("a", f"{EM}@2", "unmapped"), ("b", EM, "unmapped"), ("b", f"{EM}@2", "unmapped"),
        ("c", EM, "answered"), ("c", f"{EM}@2", "answered"),
    ]  # fmt: skip


def test_an_answer_that_was_cut_keeps_its_score_and_can_be_left_out(tmp_path: Path) -> None:
    requests = [request("a", "Even", reason="length"), request("b", "Even", reason="length"), request("c", "Even")]
    records = [answer(row, {EM: int(row != "b")}) for row in "abc"]
    found = imported(tmp_path, write_run(tmp_path, records, requests=requests))
    assert (states(found), options(found, "reading")) == (
        {"answered": 3},
        ["as_scored", "as_scored_without_truncated"],
    )
    assert level(found, "helm/as_scored_without_truncated", "org/m") == ("1", 1)


def test_requests_without_stats_are_unscored(tmp_path: Path) -> None:
    write_run(tmp_path / "suite", [answer("a", {EM: 1}), answer("b", {EM: 1})], model="org/m")
    run = write_run(tmp_path / "suite", None, model="org/n", requests=[request("a", "Even"), request("b", "Odd")])
    found = imported(tmp_path, tmp_path / "suite")
    assert states(found) == {"answered": 2, "unscored": 2}
    assert found.log.notes[-1] == f"the run {run.name} has no per_instance_stats.json and no stats.json"


def test_a_model_without_a_scenario_is_missing_there(tmp_path: Path) -> None:
    for scenario, model, value in (("s", "org/m", 1), ("s", "org/n", 1), ("t:subject=x", "org/m", 0)):
        write_run(tmp_path / "suite", [answer("a", {EM: value})], stat(EM, value), scenario=scenario, model=model)
    found = imported(tmp_path, tmp_path / "suite")
    assert list(found.log.populations) == ["everything", "s", "t:subject=x"]
    assert [one.verdict for one in found.reconciled] == ["equal"] * 3
    spec = "helm/stratum_mean"
    assert [level(found, spec, model) for model in ("org/m", "org/n")] == [("1/2", 2), ("1", 1)]
    assert level(found, "missing_zero/stratum_mean", "org/n") == ("1/2", 2)


def test_a_model_that_ran_a_scenario_twice_is_told_apart_by_suite(tmp_path: Path) -> None:
    for suite in ("v1", "v2"):
        write_run(tmp_path / "runs" / suite, [answer("a", {EM: 1})])
    assert sorted(imported(tmp_path, tmp_path / "runs").log.outcomes["method"].unique()) == ["org/m@v1", "org/m@v2"]


def test_scenarios_with_other_metrics_take_their_own_first(tmp_path: Path) -> None:
    write_run(tmp_path / "suite", [answer("a", {EM: 1})], stat(EM, 1.0), scenario="s")
    told = [answer("a", {"f1_score": 0.5, EM: 0})]
    write_run(tmp_path / "suite", told, stat("f1_score", 0.5), stat(EM, 0.0), scenario="t")
    found = imported(tmp_path, tmp_path / "suite")
    assert options(found, "reading") == ["exact_match+f1_score", EM]
    assert [one.verdict for one in found.reconciled] == ["equal"] * 3
    assert level(found, "helm/exact_match+f1_score/stratum_mean", "org/m") == ("3/4", 2)


def test_a_metric_beyond_one_is_scaled_by_itself(tmp_path: Path) -> None:
    records = [answer("a", {EM: 1, "judge": 8}), answer("b", {EM: 0, "judge": 2})]
    found = imported(tmp_path, write_run(tmp_path, records, stat(EM, 0.5), stat("judge", 5.0)))
    assert [one.verdict for one in found.reconciled] == ["equal", "equal"]
    assert [level(found, f"helm/{name}", "org/m")[0] for name in (EM, "judge")] == ["1/2", "5/8"]
    assert found.log.notes[-1] == (
        "scores go beyond [0, 1] and stand so: 'judge as x / 8'; reported numbers are put back"
    )


def test_sub_splits_are_populations(tmp_path: Path) -> None:
    records = [answer("a", {EM: 1}, sub_split="toxic"), answer("b", {EM: 0}, sub_split="everything")]
    stats = [stat(EM, 1.0, sub_split="toxic"), stat(EM, 0.0, sub_split="everything")]
    found = imported(tmp_path, write_run(tmp_path, records, *stats))
    assert [(one.headline.population, one.verdict) for one in found.reconciled] == [
        ("toxic", "equal"),
        ("everything_2", "equal"),
    ]


def test_an_old_run_without_its_specification_is_named_by_its_folder(tmp_path: Path) -> None:
    run = write_run(tmp_path, [answer("a", {EM: 1})], scenario="mmlu:subject=x")
    (run / "run_spec.json").unlink()
    found = imported(tmp_path, run)
    assert (found.log.title, found.log.outcomes["method"][0]) == ("HELM: mmlu:subject=x", "org_m")


def test_a_stat_that_is_no_mean_of_means_is_told_to_differ_and_why(tmp_path: Path) -> None:
    """b has no stat in the second trial: HELM gives (1 / 2 + 1) / 2, and the mean over instances is (1 + 0) / 2."""
    told = [("a", 0, 1), ("b", 0, 0), ("a", 1, 1), ("b", 1, None)]
    records = [answer(row, {EM: value}, trial=trial) for row, trial, value in told]
    assert [one.words for one in imported(tmp_path, write_run(tmp_path, records, stat(EM, 0.75))).reconciled] == [
        "org/m: exact_match, test, 0.75 differs by 0.25 from 1/2 at helm/mean over everything; HELM averages the "
        "trials' means, each over the instances that have the stat, and the study the trials of an instance first"
    ]


def test_hostile_names_are_kept_and_escaped(tmp_path: Path) -> None:
    records = [answer("../\u202e/\n", {"exact/match\t": 1, "é": 0})]
    found = imported(tmp_path, write_run(tmp_path, records, scenario="everything", model="org/\x1b[31m"))
    assert found.log.outcomes["method"][0] == "org/\\x1b[31m"
    assert (found.log.rows["row_id"][0], options(found, "reading")) == ("../\u202e/\n", ["exact_match\\t", "é"])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("per_instance_stats.json", '[{"instance_id": "a", "sta', "no JSON at line 1, column 23: Unterminated string "
         "starting at\n  expected a whole file: it may have been cut short"),
        ("per_instance_stats.json", "", "no JSON at line 1, column 1: Expecting value\n"
         "  expected a whole file: it may have been cut short"),
        ("per_instance_stats.json", '{"a": 1}', "no list of JSON objects\n"
         "  expected per_instance_stats.json as HELM writes it"),
        ("per_instance_stats.json", '[{"instance_id": "a"}]', "record 0 has no instance_id or no stats\n"
         "  expected per-instance stats of HELM"),
        ("per_instance_stats.json", '[{"instance_id": "a", "stats": [{"name": "x"}]}]', "stat 0 has no name\n"
         "  expected stats of HELM"),
        ("per_instance_stats.json", '[{"instance_id": "a", "stats": [], "train_trial_index": "0"}]',
         "train_trial_index '0' in record 0\n  expected a whole number of at most 1,000,000"),
        ("scenario_state.json", '{"request_states": [{}]}', "request state 0 has no instance with an id\n"
         "  expected a scenario state of HELM"),
        ("stats.json", "[1]", "no list of JSON objects\n  expected stats.json as HELM writes it"),
        ("run_spec.json", "[]", "no JSON object\n  expected an object"),
    ],
)  # fmt: skip
def test_a_file_that_is_cut_short_or_wrong_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    run = write_run(tmp_path, [answer("a", {EM: 1})])
    (run / name).write_text(text)
    assert refusal("helm", tmp_path, run) == f"{run.name}/{name}: {message}"


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    run = write_run(tmp_path, [answer("a", {})])
    assert refusal("helm", tmp_path, run) == (
        f"{run.name}: no metric but counts and times in any run\n  expected a metric of answers, such as exact_match"
    )
    (run / "per_instance_stats.json").unlink()
    assert refusal("helm", tmp_path, run / "run_spec.json") == (
        f"{run.name}: no samples in the folder\n"
        "  expected runs of HELM: folders with per_instance_stats.json or scenario_state.json"
    )


def test_a_trial_beyond_all_numbers_is_refused(tmp_path: Path) -> None:
    run = write_run(tmp_path, [answer("a", {EM: 1}, trial=10**30)])
    assert refusal("helm", tmp_path, run).startswith(f"{run.name}/per_instance_stats.json: train_trial_index '1000")


def test_a_count_may_be_written_with_a_point(tmp_path: Path) -> None:
    told = json.dumps([answer("a", {EM: 1}), answer("b", {EM: 0})]).replace('"count": 1', '"count": 1.0')
    run = write_run(tmp_path, [])
    (run / "per_instance_stats.json").write_text(told)
    assert states(import_log("helm", [run], tmp_path / "study")) == {"answered": 2}
