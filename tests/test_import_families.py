"""The families of an imported study: every combination, or one coordinate at a time where these are too many."""

import json
from itertools import product
from pathlib import Path

import pytest

from every_eval_ever_logs import result, sample, write
from importing import options, refusal, verdicts
from multiverse.audit import check
from multiverse.importers import import_log
from multiverse.importers.choices import disposition_choice, zeroed
from multiverse.importers.families import bounded, families_of
from multiverse.importers.formats import read_log

STATES: list[dict[str, object]] = [
    {"error": "x"},
    {"metadata": {"stop_reason": "max_tokens"}},
    {"output": {"raw": [""]}},
]


def log_of_many_choices(folder: Path, metrics: int = 3) -> Path:
    """Three metrics of samples that failed, were cut or are empty, each twice."""
    samples = [
        sample(f"{i}", int(state == {}), f"m{k}", **state)
        for i, state in enumerate([*STATES, {}])
        for k, _ in product(range(metrics), range(2))
    ]
    write(folder, [result(0.25, f"m{k}") for k in range(metrics)], samples)
    return folder


def test_few_combinations_are_audited_in_full(tmp_path: Path) -> None:
    log = read_log("every-eval-ever", [log_of_many_choices(tmp_path / "logs")], {})
    assert bounded(log, most=8 * 3 * 5) == log
    assert families_of(log)["audit"] == {"rationale": "every choice that the log leaves open, in every combination"}


def test_many_combinations_are_cut_to_one_departure_from_the_harness(tmp_path: Path) -> None:
    log = bounded(read_log("every-eval-ever", [log_of_many_choices(tmp_path / "logs")], {}), most=8 * 3 * 5 - 1)
    assert log.notes[-1] == (
        "the choices have 120 combinations, more than the 119 that are audited in full: family audit departs from the "
        "harness on one coordinate at a time; further combinations are for families.yaml to name"
    )
    found = families_of(log)
    assert found["audit"]["union"] == ["each_disposition", "each_reading", "each_scoring", "reported"]
    assert list(found) == ["audit", "harness", "reported", "each_disposition", "each_reading", "each_scoring"]
    assert found["each_reading"] == {
        "disposition": ["as_recorded"],
        "reading": ["m0", "m1", "m2"],
        "scoring": ["mean"],
        "rationale": "every reading, and the harness's own rule on every other choice",
    }


def test_a_study_that_is_cut_is_audited_and_reconciles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """1 + 7 dispositions, 2 more readings, 4 more scorings: 14 specifications instead of 120."""
    monkeypatch.setattr("multiverse.importers.importing.bounded", lambda log: bounded(log, most=100))
    found = import_log("every-eval-ever", [log_of_many_choices(tmp_path / "logs")], tmp_path / "study")
    assert [one[-1] for one in verdicts(found)] == ["equal"] * 3
    audited = check(tmp_path / "study").declaration
    assert (len(audited.family("audit").specs), audited.warnings) == (14, ())


def test_a_log_of_many_states_has_few_dispositions() -> None:
    """Of 40 states there are 2**40 combinations: the harness, each state alone, and all together."""
    rules = [zeroed(f"s{i}", "a state", "zero", "drop") for i in range(40)]
    options = disposition_choice("own", rules, {f"s{i}": 1 for i in range(40)}).options
    assert len(options) == 1 + 40 + 1
    assert [option.id for option in options[:2]] == ["own", "s39_dropped"]
    assert options[-1].id == "+".join(f"s{i}_dropped" for i in range(40))


def test_a_score_beyond_the_doubles_is_a_state_and_a_note(tmp_path: Path) -> None:
    told = [
        {"testIdx": i, "promptIdx": 0, "success": True, "score": score, "vars": "x", "provider": "p", "testCase": 1}
        for i, score in enumerate([1, "0.5", 10**400, None])
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(one) + "\n" for one in told))
    found = import_log("promptfoo", [tmp_path / "a.jsonl"], tmp_path / "study")
    assert found.states == {"answered": 1, "unscored": 3}
    assert found.log.notes[0] == "scores that are no number a double can hold, and stand as none: 2, such as '0.5'"
    assert found.log.outcomes["method"].unique().to_list() == ["p"]


def test_a_family_that_settles_a_choice_is_cut_too(tmp_path: Path) -> None:
    """A topic without a relevant document and a tie: two dispositions, two rankings, ten measures."""
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 0\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 1.0 r\nq1 Q0 b 2 1.0 r\n")
    whole = read_log("trec", [tmp_path], {})
    settled = families_of(bounded(whole, most=1))[whole.families[0].name]
    assert settled["scoring"] == list(whole.families[0].chosen["scoring"])
    assert settled["disposition"] == [whole.harness_options["disposition"]]
    assert settled["rationale"] == f"{whole.families[0].name}, and the harness's own rule on every other choice"


NAMES = ("a/b", "a_b", "a_b#2", "m", "m_without_no_text")


def test_names_that_come_to_one_id_stay_apart(tmp_path: Path) -> None:
    """Result k has k of 5 samples right; one sample of each has an empty output and scores, so that it is a remark."""
    outputs = [{"output": {"raw": [""]}}, {}, {}, {}, {}]
    samples = [
        sample(f"{i}", int(i <= k), name, **output) for k, name in enumerate(NAMES) for i, output in enumerate(outputs)
    ]
    write(tmp_path / "logs", [result((k + 1) / 5, name) for k, name in enumerate(NAMES)], samples)
    found = import_log("every-eval-ever", [tmp_path / "logs"], tmp_path / "study")
    assert [one[-1] for one in verdicts(found)] == ["equal"] * 5
    ids = options(found, "reading")
    assert (len(set(ids)), ids[::2]) == (10, ["a_b", "a_b#2", "a_b#2#2", "m", "m_without_no_text"])


def test_judges_and_columns_may_be_named_with_slashes(tmp_path: Path) -> None:
    told = {"instruction": "i", "generator_1": "b", "generator_2": "m", "output_2": "x", "preference": 2}
    judges = [told | {"annotator": name} for name in ("org/j", "org_j")]
    (tmp_path / "annotations.json").write_text(json.dumps(judges))
    found = import_log("alpaca-eval", [tmp_path / "annotations.json"], tmp_path / "study")
    assert options(found, "reading") == ["org_j", "org_j#2"]
    (tmp_path / "t.csv").write_text("row_id,method,f/1,f_1\n1,m,1,0\n")
    mapping = {"score": ["f/1", "f_1"]}
    table = import_log("csv", [tmp_path / "t.csv"], tmp_path / "table", mapping=mapping)
    assert options(table, "scoring") == ["f_1", "f_1#2"]


def test_a_column_named_as_a_pattern_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("row_id,method,score,*\n1,m,1,0\n")
    assert refusal("csv", tmp_path, tmp_path / "t.csv") == (
        "t.csv: cannot be read: the column name '*' is a pattern of names: '*', or what begins with ^ and ends in $\n"
        "  expected a whole table"
    )
