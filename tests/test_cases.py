"""Public scoring disputes as tiny studies: each number was argued over by people, in the issue named."""

import json
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import multiverse as mv
from public_cases import CASES, SUMMARY, Case, File, Levels, disposition, options, scored, study
from studies import write_study


def levels(found: mv.Audit, case: Case) -> dict[str, Levels]:
    """Exact levels by the case's option and by method, null where undefined."""
    by_spec: dict[str, dict[str, Fraction | None]] = {}
    for record in found.levels.iter_rows(named=True):
        exact = None if record["exact"] is None else Fraction(record["exact"])
        by_spec.setdefault(record["spec"], {})[record["method"]] = exact
    assert sorted(by_spec) == sorted(case.specs.values())
    return {option: by_spec[spec] for option, spec in case.specs.items()}


def ranks(found: Levels) -> dict[str, int]:
    """The competition ranks of the methods that have a level."""
    known = {name: level for name, level in found.items() if level is not None}
    return {name: 1 + sum(other > level for other in known.values()) for name, level in known.items()}


def distinct(values: Iterable[Any]) -> list[Any]:
    """Each value once, where it first occurs."""
    return [json.loads(text) for text in dict.fromkeys(json.dumps(value, sort_keys=True) for value in values)]


@pytest.mark.parametrize("name", CASES)
def test_a_dispute_has_the_values_worked_out_by_hand(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    found = mv.audit(write_study(case.study, tmp_path), family="all")
    assert levels(found, case) == case.levels
    one = found.record["populations"]["all"]["identified"]
    sets = {entry["a"]: entry["point_identified"] for entry in one if entry["endpoint"] == "level"}
    values = {method: {level[method] for level in case.levels.values()} for method in sets}
    assert sets == {method: len(held) == 1 and None not in held for method, held in values.items()}


@pytest.mark.parametrize("name", CASES)
def test_a_dispute_is_what_was_published(shared: Path, tmp_path: Path, name: str) -> None:
    """Values to the printed digits, identified sets, rankings, and whether either is a point."""
    lines = (shared / "cases.jsonl").read_text("utf-8").splitlines()
    want = next(case for case in map(json.loads, lines) if case["id"] == name)
    case = CASES[name]
    found = levels(mv.audit(write_study(case.study, tmp_path), family="all"), case)
    shown = {option: printed(level) for option, level in found.items()}
    assert shown == want["values"]
    assert sorted(map(str, distinct(shown.values()))) == sorted(map(str, distinct(want["identified_set"])))
    assert (len(distinct(shown.values())) == 1) is want["point_identified"]
    if want["ranking_set"] is not None:
        rankings = distinct(map(ranks, found.values()))
        assert sorted(map(str, rankings)) == sorted(map(str, distinct(want["ranking_set"])))
        assert (len(rankings) == 1) is want["ranking_identified"]


def printed(found: Levels) -> float | dict[str, float | None] | None:
    """Levels rounded to six decimals, that of a single method by itself."""
    shown = {name: None if level is None else round(float(level), 6) for name, level in found.items()}
    return shown["m"] if [*shown] == ["m"] else shown


def test_every_public_dispute_is_written_out(shared: Path) -> None:
    lines = (shared / "cases.jsonl").read_text("utf-8").splitlines()
    assert sorted(CASES) == sorted(json.loads(line)["id"] for line in lines)


def test_categories_as_single_rows_with_weights_are_their_rows(tmp_path: Path) -> None:
    """ShishirPatil/gorilla#1129 from the summary alone: 0.9, 0.2 and 0.5 of 100, 10 and 400 rows."""
    outcomes: list[File] = [
        {"row_id": name, "method": "m", "score": f"{right}/{n}"} for name, (right, n) in SUMMARY.items()
    ]
    rules = options("aggregation", weighted={"rule": "row_mean", "weight": "n"}, unweighted={"rule": "row_mean"})
    rows: list[File] = [{"row_id": name, "n": n} for name, (_, n) in SUMMARY.items()]
    found = mv.audit(write_study(scored(outcomes, rows=rows, aggregations=rules), tmp_path), family="all")
    assert found.levels["exact"].to_list() == ["146/255", "8/15"]


def test_an_excluded_model_has_no_rank_and_the_order_is_undefined_there(tmp_path: Path) -> None:
    found = mv.audit(write_study(CASES["eco-34"].study, tmp_path), family="all")
    ranking = found.record["populations"]["all"]["ranking"]
    assert ranking["undefined_specs"] == ["drop/complete"]
    assert [order["order"] for order in ranking["weak_orders"]] == [[["m"], ["n"]], [["n"], ["m"]]]
    supports = found.levels.select("spec", "method", "support").rows()
    assert ("drop/common", "n", 1) in supports
    assert ("drop/complete", "m", 0) in supports


def test_last_bits_of_a_float_are_not_a_tie(tmp_path: Path) -> None:
    """autogluon/tabarena#311: 0.30000000000000004 is above 0.3, by what its shortest decimal says."""
    case = study({"a": "C", "b": "C"})
    for record, score in zip(case.outcomes or (), [0.30000000000000004, 0.3], strict=True):
        record["score"] = score  # type: ignore[index]
    found = mv.audit(write_study(case, tmp_path), family="all")
    assert found.margins["exact"].to_list() == ["1/25000000000000000"]
    assert found.rankings["rank"].to_list() == [1, 2]


def test_errors_everywhere_leave_a_level_of_zero_or_none(tmp_path: Path) -> None:
    """No record has a score: 0 where errors are wrong, undefined where they are dropped."""
    case = study({"m": "EEE"}, dispositions=disposition(wrong={"error": 0}, drop={"error": "exclude"}))
    found = mv.audit(write_study(case, tmp_path), family="all")
    assert found.levels["exact"].to_list() == ["0", None]


def test_draws_are_the_same_from_text_and_from_whole_number_ids(tmp_path: Path) -> None:
    """Twelve rows are their own clusters; as text 10 and 11 come before 2, and so they do as numbers."""
    rows: list[dict[str, object]] = [{"row_id": i} for i in range(12)]
    case = study({"a": "CCICICCICICC", "b": "ICCCICICIICC"}, rows=rows)
    for record in case.outcomes or ():
        record["row_id"] = int(str(record["row_id"])[1:])  # type: ignore[index]
    case.study["resampling"] = {"draws": 60, "seed": 5}  # type: ignore[index]
    text = mv.audit(write_study(case, tmp_path / "csv", table_format="csv"), family="all")
    whole = mv.audit(write_study(case, tmp_path / "parquet", table_format="parquet"), family="all")
    assert text.record == whole.record
