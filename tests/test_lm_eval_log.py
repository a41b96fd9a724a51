"""Logs of lm-evaluation-harness: every number of a real one is reproduced, and failed extraction is a state."""

import json
from pathlib import Path

import pytest

from multiverse.errors import InputError
from multiverse.importers import Imported, import_log

TIME = "2026-11-30T11-59-56.453552"


def imported(tmp_path: Path, *sources: Path) -> Imported:
    return import_log("lm-eval", sources, tmp_path / "study")


def states(found: Imported) -> dict[str, int]:
    return dict(sorted(found.log.outcomes.group_by("status").len().iter_rows()))


def options(found: Imported, coordinate: str) -> list[str]:
    return [option.id for c in found.log.choices if c.coordinate == coordinate for option in c.options]


def level(found: Imported, spec: str, population: str = "everything", method: str = "org/m") -> tuple[str | None, int]:
    columns = ("population", "spec", "method", "exact", "support")
    for one in found.audit.levels.select(columns).iter_rows():
        if one[:3] == (population, spec, method):
            return one[3], one[4]
    raise AssertionError(f"no {spec} among {found.audit.levels['spec'].unique().sort().to_list()}")


def refusal(tmp_path: Path, *sources: Path) -> str:
    with pytest.raises(InputError) as caught:
        imported(tmp_path, *sources)
    return str(caught.value).replace(f"{tmp_path}/", "")


def document(number: int, score: float, **more: object) -> dict[str, object]:
    told: dict[str, object] = {"doc_id": number, "doc": {"topic": "add"}, "target": "4", "resps": [["4"]]}
    told |= {"filtered_resps": ["4"], "filter": "none", "metrics": ["exact_match"], "exact_match": score}
    return told | more


def write(folder: Path, *documents: dict[str, object], task: str = "t", results: object = None) -> Path:
    """The samples of a task, and the results of its run."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{TIME}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in documents))
    if results is not None:
        (folder / f"results_{TIME}.json").write_text(json.dumps(results))
    return path


def results(**tasks: dict[str, float]) -> dict[str, object]:
    return {"results": tasks, "configs": {}, "n-shot": {}, "lm_eval_version": "0.4.13"}


def test_a_real_log_reconciles_by_task_filter_and_metric(shared: Path, tmp_path: Path) -> None:
    found = imported(tmp_path, shared / "samples" / "lm_eval" / "out")
    told = [
        (x.headline.name, x.headline.population, x.headline.value, str(x.level), x.verdict) for x in found.reconciled
    ]
    third = 0.3333333333333333
    assert told == [
        ("exact_match, strict-match", "gsm_tiny", 0.25, "1/4", "equal"),
        ("exact_match, flexible-extract", "gsm_tiny", 0.5, "1/2", "equal"),
        ("exact_match, maj@2", "gsm_tiny", 0.5, "1/2", "equal"),
        ("tiny_group acc, none", "mc_tiny", third, "1/3", "equal"),
        ("acc, none", "mc_tiny", third, "1/3", "equal"),
        ("acc_norm, none", "mc_tiny", third, "1/3", "equal"),
        ("acc_bytes, none", "mc_tiny", third, "1/3", "equal"),
    ]
    assert states(found) == {"answered": 8, "invalid": 4, "no_text": 3}
    assert found.log.notes[1:] == (
        "the group tiny_group averages acc,none over 1 of its 2 tasks: the others lack it",
        "a filter made one answer of all repeats (gsm_tiny 2): take_first leaves the others out in silence",
    )
    ties = "lm_eval/strict-match+none/ties_shared/row_mean"
    assert level(found, ties, "mc_tiny", "mocklm") == ("1/2", 3)  # (0 + 1/2 + 1) / 3: the tie gives half


def test_one_row_per_document_and_filter_is_one_document(tmp_path: Path) -> None:
    source = write(tmp_path / "org__m", document(0, 0.0, filter="a"), document(0, 1.0, filter="b"))
    found = imported(tmp_path, source)
    assert (found.log.rows.height, options(found, "reading")) == (1, ["a", "b"])
    assert [level(found, f"lm_eval/{name}/exact_match") for name in "ab"] == [("0", 1), ("1", 1)]


def test_a_log_before_filters_were_named_is_read(tmp_path: Path) -> None:
    """0.4.7 began to name the filter and to list the metrics."""
    old = {"doc_id": 0, "doc": {}, "target": "4", "arguments": [], "resps": [["4"]], "filtered_resps": ["4"]}
    found = imported(tmp_path, write(tmp_path / "org__m", {**old, "doc_hash": "h", "exact_match": 1.0}))
    assert level(found, "lm_eval/exact_match") == ("1", 1)


def test_what_the_filter_could_not_read_is_a_state_where_it_scores_nothing(tmp_path: Path) -> None:
    failed = document(0, 0.0, filtered_resps=["[invalid]"])
    found = imported(tmp_path, write(tmp_path / "org__m", failed, document(1, 1.0)))
    assert (states(found), level(found, "invalid_dropped/exact_match")) == ({"answered": 1, "invalid": 1}, ("1", 1))


def test_what_the_filter_could_not_read_keeps_a_score_that_is_none(tmp_path: Path) -> None:
    """Of a metric where lower is better, say."""
    failed = [document(0, 1.0, filtered_resps=["[invalid]"]), document(1, 0.0, filtered_resps=["[invalid]"])]
    found = imported(tmp_path, write(tmp_path / "org__m", *failed, document(2, 1.0)))
    assert (states(found), options(found, "reading")) == ({"answered": 3}, ["as_scored", "as_scored_without_invalid"])
    assert level(found, "lm_eval/as_scored_without_invalid/exact_match") == ("1", 1)


def test_a_metric_that_is_not_a_number_is_unscored(tmp_path: Path) -> None:
    source = write(
        tmp_path / "org__m", document(0, float("nan")), document(1, 1.0), results=results(t={"exact_match,none": 1.0})
    )
    found = imported(tmp_path, source)
    assert (states(found), found.reconciled[0].verdict) == ({"answered": 1, "unscored": 1}, "equal")


def test_a_corpus_metric_is_told_to_differ_and_why(tmp_path: Path) -> None:
    told = results(t={"exact_match,none": 0.75})
    source = write(tmp_path / "org__m", document(0, 1.0), document(1, 0.0), results=told)
    assert [one.words for one in imported(tmp_path, source).reconciled] == [
        "org/m: exact_match, none 0.75 differs by 0.25 from 1/2 at lm_eval/exact_match over everything; a metric may "
        "be no mean of its documents, such as a corpus score or an F1 over all of them"
    ]


def test_scores_beyond_one_are_put_back(tmp_path: Path) -> None:
    told = results(t={"exact_match,none": 5.0})
    found = imported(tmp_path, write(tmp_path / "org__m", document(0, 8.0), document(1, 2.0), results=told))
    assert ([one.verdict for one in found.reconciled], found.log.notes) == (
        ["equal"],
        ("scores go beyond [0, 1] and stand so: 'exact_match as x / 8'; reported numbers are put back",),
    )  # fmt: skip


def test_models_and_groups_make_one_study(tmp_path: Path) -> None:
    """Of three tasks two form a group: a mean over documents, 2/3, and one over tasks, 3/4."""
    group = {"groups": {"g": {"exact_match,none": 2 / 3}}, "group_subtasks": {"g": ["t", "u"]}}
    for model in ("org__m", "org__n"):
        write(tmp_path / "logs" / model, document(0, 1.0), document(1, 0.0))
        write(tmp_path / "logs" / model, document(0, 1.0), task="u")
        told = results(t={"exact_match,none": 0.5}, u={"exact_match,none": 1.0}, g={"exact_match,none": 2 / 3})
        write(tmp_path / "logs" / model, document(0, 1.0), task="v", results=told | group)
    found = imported(tmp_path, tmp_path / "logs")
    assert sorted(found.log.outcomes["method"].unique()) == ["org/m", "org/n"]
    assert list(found.log.populations) == ["everything", "t", "u", "v", "g"]
    assert [one.verdict for one in found.reconciled] == ["equal"] * 6
    assert level(found, "lm_eval/exact_match/stratum_mean", "g") == ("3/4", 3)


def test_samples_without_results_say_so(tmp_path: Path) -> None:
    found = imported(tmp_path, write(tmp_path / "org__m", document(0, 1.0)))
    assert found.log.notes == (
        f"samples_t_{TIME}.jsonl has no results_*.json of its time beside it: nothing of it is reconciled",
    )


def test_a_document_twice_is_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "org__m", document(0, 1.0), document(0, 1.0))
    assert refusal(tmp_path, source) == (
        f"org__m/{source.name}: sample '0' of 'org/m', epoch 1, none, twice or more\n  expected each once"
    )


def test_a_file_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "org__m", document(0, 1.0), document(1, 1.0))
    source.write_bytes(source.read_bytes()[:-20])
    assert refusal(tmp_path, source) == (
        f"org__m/{source.name}: line 2 is no JSON: Expecting property name enclosed in double quotes\n"
        "  expected a whole file: it may have been cut short"
    )


def test_results_without_samples_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "org__m", results=results(t={}))
    (tmp_path / "org__m" / f"samples_t_{TIME}.jsonl").unlink()
    assert refusal(tmp_path, tmp_path / "org__m") == (
        "org__m: no samples_*.jsonl\n  expected samples, which `--log_samples` writes"
    )
