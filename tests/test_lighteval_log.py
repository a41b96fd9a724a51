"""Logs of lighteval: metrics are open, averages are over tasks, and older details are read too."""

from pathlib import Path

import polars as pl
import pytest

from importing import level, options, refusal, states, verdicts
from lighteval_logs import TIME, old_sample, sample, write_details, write_results
from multiverse.importers import Imported, detect, import_log


def imported(tmp_path: Path, *sources: Path) -> Imported:
    return import_log("lighteval", sources, tmp_path / "study")


def test_a_sample_of_the_log_reconciles_by_task_and_over_all(shared: Path, tmp_path: Path) -> None:
    found = imported(tmp_path, shared / "samples" / "lighteval")
    assert verdicts(found) == [
        ("toyorg/toy-1", "extractive_match", "2/3", "equal"),
        ("toyorg/toy-1", "extractive_match, all", "2/3", "equal"),
    ]
    assert states(found) == {"answered": 6, "no_text": 3}  # three samples by three metrics; the third has no text
    metrics = ["extractive_match", "maj@2", "pass@k:k=1&n=2"]
    assert options(found, "reading") == metrics
    assert [level(found, f"lighteval/{name}", "toyorg/toy-1") for name in metrics] == [
        ("2/3", 3), ("2/3", 3), ("1/2", 3),
    ]  # fmt: skip
    assert level(found, "no_text_dropped/pass@k:k=1&n=2", "toyorg/toy-1") == ("3/4", 2)


def test_averages_are_over_tasks_and_not_over_samples(tmp_path: Path) -> None:
    """Of three tasks two form a group: (1/2 + 1) / 2, where two of three samples are right."""
    for model in ("org/m", "org/n"):
        write_details(tmp_path / "out", [sample("0", {"em": 1.0}), sample("1", {"em": 0.0})], "mmlu:a|5", model)
        write_details(tmp_path / "out", [sample("0", {"em": 1.0})], "mmlu:b|5", model)
        write_details(tmp_path / "out", [sample("0", {"f1": 0.25, "em": 0.0})], "gsm8k|5", model)
        told = {"mmlu:a|5": {"em": 0.5, "em_stderr": 0.5}, "mmlu:b|5": {"em": 1.0}, "gsm8k|5": {"f1": 0.25, "em": 0.0}}
        means = {"mmlu:_average|5": {"em": 0.75, "em_stderr": 0.5}, "all": {"em": 0.5, "em_stderr": 0.5, "f1": 0.25}}
        write_results(tmp_path / "out", told | means, model)
    found = imported(tmp_path, tmp_path / "out")
    assert [(x.headline.name, x.headline.population, str(x.level), x.verdict) for x in found.reconciled[:7]] == [
        ("em", "mmlu:a|5", "1/2", "equal"),
        ("em", "mmlu:b|5", "1", "equal"),
        ("f1", "gsm8k|5", "1/4", "equal"),
        ("em", "gsm8k|5", "0", "equal"),
        ("em, mmlu:_average|5", "mmlu:_average|5", "3/4", "equal"),
        ("em, all", "everything", "1/2", "equal"),
        ("f1, all", "gsm8k|5", "1/4", "equal"),
    ]
    assert [one.verdict for one in found.reconciled] == ["equal"] * 14
    assert options(found, "reading") == ["f1+em", "em"]
    assert level(found, "lighteval/em/row_mean", "org/n", "mmlu:_average|5") == ("2/3", 3)


def test_a_mean_over_all_is_over_the_tasks_that_have_the_metric(tmp_path: Path) -> None:
    for task, metric, value in (("a|0", "em", 1.0), ("b|0", "em", 0.0), ("c|0", "f1", 0.5)):
        write_details(tmp_path / "out", [sample("0", {metric: value})], task)
    told = {"a|0": {"em": 1.0}, "b|0": {"em": 0.0}, "c|0": {"f1": 0.5}, "all": {"em": 0.5, "f1": 0.5}}
    write_results(tmp_path / "out", told)
    found = imported(tmp_path, tmp_path / "out")
    assert [(x.headline.population, x.verdict) for x in found.reconciled[3:]] == [
        ("with em", "equal"),
        ("c|0", "equal"),
    ]
    assert options(found, "reading") == []  # each task has one metric: nothing is open


def test_results_are_those_of_the_model_even_where_two_ran_at_one_time(tmp_path: Path) -> None:
    for model, value in (("org/m", 1.0), ("org/n", 0.0)):
        write_details(tmp_path / "out", [sample("0", {"em": value})], model=model)
    write_results(tmp_path / "out", {"t|0": {"em": 1.0}}, "org/m")
    found = imported(tmp_path, tmp_path / "out" / "details")
    assert verdicts(found) == [("org/m", "em", "1", "equal")]
    assert found.log.notes == (
        f"details_t|0_{TIME}.parquet has no results_*.json of its run: nothing of it is reconciled",
    )


def test_a_model_that_ran_twice_is_told_apart_by_the_time(tmp_path: Path) -> None:
    later = "2026-12-01T00-00-00.000001"
    for time in (TIME, later):
        write_details(tmp_path / "out", [sample("0", {"em": 1.0})], time=time)
    found = imported(tmp_path, tmp_path / "out")
    assert sorted(found.log.outcomes["method"].unique()) == [f"org/m@{TIME}", f"org/m@{later}"]


def test_details_before_2025_06_are_read_from_text(tmp_path: Path) -> None:
    samples = [
        old_sample("{'em': 1, 'f1': np.float64(0.5)}"), old_sample("{'em': 0, 'f1': nan}", "['']"),
        old_sample("{'em': True, 'f1': -0.0}", truncated="3"),
    ]  # fmt: skip
    path = write_details(tmp_path / "out", samples, "leaderboard|arc:challenge|25")
    write_results(tmp_path / "out", {"leaderboard|arc:challenge|25": {"em": 2 / 3, "f1": float("nan")}})
    found = imported(tmp_path, path)
    assert found.log.outcomes.select("row_id", "metric", "status", "score").rows() == [
        ("0", "em", "answered", 1.0), ("0", "f1", "answered", 0.5), ("1", "em", "no_text", 0.0),
        ("1", "f1", "unscored", None), ("2", "em", "answered", 1.0), ("2", "f1", "answered", 0.0),
    ]  # fmt: skip
    assert verdicts(found) == [("org/m", "em", "2/3", "equal")]
    assert found.log.notes == (f"results_{TIME}.json holds NaN: lighteval's mean is NaN where one sample's number is",)
    assert found.log.rows.to_dicts()[0] == {"row_id": "0", "query": "2+2?", "gold": "4"}


def test_details_with_nested_metrics_before_2025_06_are_read(tmp_path: Path) -> None:
    told = {"full_prompt": "2+2?", "predictions": ["4"], "metrics": {"em": 1.0}, "truncated": 0}
    found = imported(tmp_path, write_details(tmp_path / "out", [told]))
    assert level(found, "lighteval", "org/m") == ("1", 1)


def test_columns_with_underscores_are_the_same(tmp_path: Path) -> None:
    told = {f"__{name}__": value for name, value in sample("0", {"em": 1.0}).items()}
    found = imported(tmp_path, write_details(tmp_path / "out", [told]))
    assert level(found, "lighteval", "org/m") == ("1", 1)


def test_a_number_that_is_null_or_nan_is_unscored_by_its_own_metric_alone(tmp_path: Path) -> None:
    samples = [sample("0", {"em": 1.0, "f1": None}), sample("1", {"em": float("nan"), "f1": 0.5})]
    found = imported(tmp_path, write_details(tmp_path / "out", samples))
    assert states(found) == {"answered": 2, "unscored": 2}
    assert [level(found, f"lighteval/{name}", "org/m") for name in ("em", "f1")] == [("1", 1), ("1/2", 1)]
    assert level(found, "unscored_zero/em", "org/m") == ("1/2", 2)


def test_a_metric_over_all_samples_has_no_number_and_is_told(tmp_path: Path) -> None:
    samples = [sample("0", {"em": 1.0, "mcc": {"golds": [1], "preds": [0]}})]
    write_details(tmp_path / "out", samples, "a|0")
    write_details(tmp_path / "out", [sample("0", {"bleu": {"golds": ["x"], "preds": ["y"]}})], "b|0")
    write_results(tmp_path / "out", {"a|0": {"em": 1.0, "mcc": 0.5}, "b|0": {"bleu": 0.1}, "all": {"em": 1.0}})
    found = imported(tmp_path, tmp_path / "out")
    assert (states(found), len(found.reconciled)) == ({"answered": 1, "no_metric": 1}, 2)
    assert found.log.notes == (
        "a|0: mcc has no number for a sample, only for all together, and is left out",
        "b|0: bleu has no number for a sample, only for all together, and is left out",
    )


def test_a_metric_that_is_no_mean_is_told_to_differ_and_why(tmp_path: Path) -> None:
    write_details(tmp_path / "out", [sample("0", {"ppl": 4.0}), sample("1", {"ppl": 2.0})])
    write_results(tmp_path / "out", {"t|0": {"ppl": 20.0}})
    found = imported(tmp_path, tmp_path / "out")
    assert [one.words for one in found.reconciled] == [
        "org/m: ppl 20.0 differs by 17 from 3 at lighteval over everything; a metric may be no mean of its samples, "
        "such as a corpus score, a maximum or a perplexity"
    ]
    assert found.log.notes == (
        "scores go beyond [0, 1] and stand so: 'ppl as x / 4'; reported numbers are put back",
    )  # fmt: skip


def test_a_prompt_that_was_cut_is_a_remark_and_an_unknown_count_is_none(tmp_path: Path) -> None:
    samples = [sample("0", {"em": 1.0}, cut=7), sample("1", {"em": 0.0}, cut=7), sample("2", {"em": 1.0}, cut=-1)]
    found = imported(tmp_path, write_details(tmp_path / "out", samples))
    assert options(found, "reading") == ["as_scored", "as_scored_without_prompt_truncated"]
    assert level(found, "lighteval/as_scored_without_prompt_truncated", "org/m") == ("1", 1)


def test_a_document_judged_by_likelihood_and_by_text_is_one_row(tmp_path: Path) -> None:
    samples = [sample("0", {"acc": 1.0, "em": None}), sample("0", {"acc": None, "em": 0.0})]
    found = imported(tmp_path, write_details(tmp_path / "out", samples))
    assert (found.log.rows.height, states(found)) == (1, {"answered": 2})


def test_an_id_of_two_documents_is_two_rows(tmp_path: Path) -> None:
    """The documents of every evaluation split are numbered from 0."""
    samples = [sample("0", {"em": 1.0}), sample("0", {"em": 0.0}, query="3+3?"), sample("", {"em": 0.0})]
    found = imported(tmp_path, write_details(tmp_path / "out", samples))
    assert found.log.rows["row_id"].to_list() == ["0", "0#2", "2"]


def test_the_task_that_the_samples_name_goes_before_that_of_the_file(tmp_path: Path) -> None:
    path = write_details(tmp_path / "out", [sample("0", {"em": 1.0}, task="mmlu:a|5")], "mmlu_a_5")
    write_results(tmp_path / "out", {"mmlu:a|5": {"em": 1.0}})
    found = imported(tmp_path, path)
    assert (found.log.title, [one.verdict for one in found.reconciled]) == ("lighteval: mmlu:a|5", ["equal"])


def test_a_folder_of_the_hub_is_read(tmp_path: Path) -> None:
    path = write_details(tmp_path / "out", [sample("0", {"em": 1.0})])
    results = write_results(tmp_path / "out", {"t|0": {"em": 1.0}})
    folder = tmp_path / "details_org__m_private"
    (folder / TIME).mkdir(parents=True)
    path.rename(folder / TIME / path.name)
    results.rename(folder / results.name)
    assert verdicts(imported(tmp_path, folder / TIME)) == [("org/m", "em", "1", "equal")]


def test_tasks_without_details_are_told(tmp_path: Path) -> None:
    write_details(tmp_path / "out", [sample("0", {"em": 1.0})])
    write_results(tmp_path / "out", {"t|0": {"em": 1.0}, "u|0": {"em": 0.0}, "all": {"em": 0.5}})
    found = imported(tmp_path, tmp_path / "out")
    assert verdicts(found) == [("org/m", "em", "1", "equal")]
    assert found.log.notes == (f"results_{TIME}.json names tasks of which there are no details: u|0",)


def test_hostile_names_are_kept_and_escaped(tmp_path: Path) -> None:
    """Brackets are no pattern, and a task may have the name of the population of all rows."""
    for task in ("everything", "[a]*|é\u202e|0"):
        write_details(tmp_path / "out", [sample("../\n", {"e/m\t": 1.0})], task, "org/\u202em")
    found = imported(tmp_path, tmp_path / "out")
    assert list(found.log.populations) == ["everything", "task_1", "everything_2"]
    assert found.log.outcomes["method"].unique().to_list() == ["org/\\u202em"]
    assert found.log.rows["row_id"].to_list() == ["[a]*|é\\u202e|0/../\n", "everything/../\n"]


def test_score_tables_and_details_are_told_apart(tmp_path: Path) -> None:
    write_details(tmp_path, [sample("0", {"em": 1.0})])
    assert detect(tmp_path) == ("lighteval",)
    pl.DataFrame({"row_id": ["a"], "method": ["m"], "score": [1.0]}).write_parquet(tmp_path / "details_x.parquet")
    assert detect(tmp_path / "details_x.parquet") == ("parquet",)


def test_a_file_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    path = write_details(tmp_path / "out", [sample("0", {"em": 1.0})])
    path.write_bytes(path.read_bytes()[:-20])
    message = refusal("lighteval", tmp_path, tmp_path / "out")
    assert message.startswith(f"out/details/org/m/{TIME}/{path.name}: cannot be read: ")
    assert message.endswith("\n  expected a whole Parquet file: it may have been cut short")


def test_results_that_were_cut_short_are_refused(tmp_path: Path) -> None:
    write_details(tmp_path / "out", [sample("0", {"em": 1.0})])
    results = write_results(tmp_path / "out", {"t|0": {"em": 1.0}})
    results.write_text(results.read_text()[:-3])
    assert refusal("lighteval", tmp_path, tmp_path / "out") == (
        f"out/results/org/m/{results.name}: no JSON at line 1, column 74: Expecting ',' delimiter\n"
        "  expected a whole file: it may have been cut short"
    )


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"x": 1}, "the columns x\n  expected details of lighteval: doc, metric and model_response, or metrics"),
        (old_sample("nothing"), "row 0 has no metrics by name\n  expected a mapping of metrics"),
        (sample("0", {"mcc": "x"}), "no metric with a number for a sample\n  expected at least one"),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_is_refused(tmp_path: Path, told: dict[str, object], message: str) -> None:
    path = write_details(tmp_path / "out", [told])
    assert refusal("lighteval", tmp_path, path) == f"out/details/org/m/{TIME}/{path.name}: {message}"


def test_results_without_details_are_refused(tmp_path: Path) -> None:
    write_results(tmp_path / "out", {"t|0": {"em": 1.0}})
    assert refusal("lighteval", tmp_path, tmp_path / "out") == (
        "out: no details_*.parquet\n  expected samples, which `--save-details` writes"
    )
