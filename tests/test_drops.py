"""The drops manifest: rows by state and method, and where they are dropped, counted by hand."""

from pathlib import Path
from typing import Any

import multiverse as mv

STUDY = """\
study: drops
substrate: {kind: scores, rows: rows.csv, outcomes: outcomes.csv}
populations:
  everything: {}
  late: {column: late, equals: true}
"""
DISPOSITIONS = """\
coordinate: disposition
options:
  - {id: dropped, rationale: r, legal_present: {answered: match, error: exclude, missing: 0}, legal_empty: exclude}
  - {id: zero, rationale: r, legal_present: {answered: match, error: 0, missing: 0}, legal_empty: exclude}
"""
FAMILIES = "rationale: r\nfamilies:\n  all: {disposition: all}\n  zero: {disposition: [zero]}\n"
ROWS = "row_id,late\n1,true\n2,false\n3,false\n"
OUTCOMES = """\
row_id,method,epoch,status,score,by
1,a,1,,1,a
1,a,2,error,,a
2,a,1,error,,a
2,a,2,error,,a
3,a,1,,0,a
1,b,1,,1,b
2,b,1,,0,b
"""


def manifest(folder: Path, family: str, population: str = "everything", **files: str) -> dict[str, Any]:
    """Of the study above, of which some files may be others."""
    named = {"study.yaml": STUDY, "dispositions.yaml": DISPOSITIONS, "families.yaml": FAMILIES}
    named |= {"rows.csv": files.pop("rows", ROWS), "outcomes.csv": OUTCOMES}
    named |= {f"{name}.yaml": text for name, text in files.items()}
    for name, text in named.items():
        (folder / name).write_text(text)
    found: dict[str, Any] = mv.audit(folder, family=family).record["populations"][population]["drops"]
    return found


def test_rows_are_told_by_the_states_of_their_repeats(tmp_path: Path) -> None:
    found = manifest(tmp_path, "all")
    assert found["states"] == [
        {"reading": "", "states": ["answered"], "rows": {"a": 1, "b": 2}, "specs": 2, "dropped": 0},
        {"reading": "", "states": ["answered", "error"], "rows": {"a": 1, "b": 0}, "specs": 2, "dropped": 0},
        {"reading": "", "states": ["missing"], "rows": {"a": 0, "b": 1}, "specs": 2, "dropped": 0},
        {"reading": "", "states": ["error"], "rows": {"a": 1, "b": 0}, "specs": 2, "dropped": 1},
    ]
    kinds = [(one["disposition"], "+".join(one["states"]), one["legal_present"]) for one in found["dispositions"]]
    assert kinds == [
        ("dropped", "answered", "counted"), ("dropped", "answered+error", "counted in part"),
        ("dropped", "missing", "counted"), ("dropped", "error", "dropped"),
        ("zero", "answered", "counted"), ("zero", "answered+error", "counted"),
        ("zero", "missing", "counted"), ("zero", "error", "counted"),
    ]  # fmt: skip
    assert {one["legal_empty"] for one in found["dispositions"]} == {"dropped"}


def test_methods_that_count_different_rows_are_told(tmp_path: Path) -> None:
    assert manifest(tmp_path, "all")["unequal_support"] == {"specs": 1, "widest": "dropped", "rows": {"a": 2, "b": 3}}
    assert manifest(tmp_path, "zero")["unequal_support"] is None


def test_levels_of_single_rows_count_different_rows_only_where_methods_do(tmp_path: Path) -> None:
    """As above with weights of rows, under which levels are taken row by row; of common rows all methods count two."""
    rules = "coordinate: aggregation\noptions:\n"
    rules += "  - {id: own, rule: row_mean, weight: w}\n  - {id: common, rule: row_mean, support: common}\n"
    rows = "row_id,late,w\n1,true,1\n2,false,1\n3,false,1\n"
    (tmp_path / "weighted").mkdir()
    found = manifest(tmp_path / "weighted", "all", aggregations=rules, rows=rows)
    assert found["unequal_support"] == {"specs": 1, "widest": "dropped/own", "rows": {"a": 2, "b": 3}}
    assert manifest(tmp_path, "zero", aggregations=rules, rows=rows)["unequal_support"] is None


def test_each_population_has_its_own(tmp_path: Path) -> None:
    found = manifest(tmp_path, "all", "late")
    assert [(one["states"], one["rows"]) for one in found["states"]] == [
        (["answered"], {"a": 0, "b": 1}), (["answered", "error"], {"a": 1, "b": 0}),
    ]  # fmt: skip
    assert found["unequal_support"] is None


def test_each_reading_of_the_family_has_its_own(tmp_path: Path) -> None:
    """A reading that keeps no record of b leaves its rows missing."""
    readings = "coordinate: reading\noptions:\n"
    readings += "  - {id: every, where: {}}\n  - {id: of_a, where: {column: by, equals: a}}\n"
    found = manifest(tmp_path, "all", readings=readings)["states"]
    of_b = [(one["reading"], one["states"], one["rows"]["b"]) for one in found if one["rows"]["b"]]
    assert of_b == [("every", ["answered"], 2), ("every", ["missing"], 1), ("of_a", ["missing"], 3)]


def test_what_is_dropped_because_nothing_is_legal_is_no_drop_of_a_state(tmp_path: Path) -> None:
    contracts = "coordinate: contract\nrationale: r\npredicates: {late: {column: late, equals: true}}\n"
    contracts += "options: [{id: c, require: [late]}]\n"
    found = manifest(tmp_path, "zero", contracts=contracts)
    assert ([one["dropped"] for one in found["states"]], found["unequal_support"]) == ([0, 0, 0, 0], None)
