"""The record and its tables: the keys, columns and bytes of DESIGN section 9."""

import json
from pathlib import Path

import polars as pl
import pytest

import multiverse as mv
from multiverse.record import SCHEMA, record_bytes
from multiverse.starter import write_starter


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> mv.Audit:
    folder = tmp_path_factory.mktemp("starter")
    write_starter(folder)
    return mv.audit(folder, family="audit")


def test_a_record_has_every_key_of_section_9(found: mv.Audit) -> None:
    record = found.record
    assert sorted(record) == [
        "admissibility",
        "coordinates",
        "endpoints",
        "family",
        "gates",
        "license",
        "populations",
        "schema",
        "specs",
        "status",
        "study",
        "title",
    ]
    assert (record["schema"], record["study"], record["family"], record["gates"]) == (SCHEMA, "starter", "audit", [])
    assert record["coordinates"] == ["contract", "disposition"]
    assert record["specs"] == ["V0/errors_wrong", "V1/errors_wrong", "V0/errors_dropped", "V1/errors_dropped"]
    population = record["populations"]["everything"]
    assert sorted(population) == [
        "clusters", "contrasts", "decompositions", "drops", "effects", "identified", "ranking", "rows",
        "stratum_contrasts", "uncertainty",
    ]  # fmt: skip
    assert sorted(population["ranking"]) == ["pairs", "rank_sets", "tau_b", "undefined_specs", "weak_orders", "winners"]
    assert [population[key] for key in ("decompositions", "contrasts", "stratum_contrasts", "uncertainty")] == [{}] * 4


def test_an_effect_is_reported_by_cell_and_background(found: mv.Audit) -> None:
    """careful - brisk: V0 6/10 - 5/10 wrong, 6/10 - 5/7 dropped; V1 (verified, 8 rows) 6/8 - 4/8, 6/8 - 4/5."""
    effect = found.record["populations"]["everything"]["effects"]["verification"]
    assert effect["cells"] == {
        "errors_wrong": {"exact": "3/20", "value": 0.15, "interval": None},
        "errors_dropped": {"exact": "9/140", "value": 9 / 140, "interval": None},
    }
    assert effect["backgrounds"][0] == {"background": {}, "cell": "errors_wrong", "exact": "3/20", "value": 0.15}
    assert effect["partial_cells"] == []


def test_identified_sets_name_their_ends(found: mv.Audit) -> None:
    last = found.record["populations"]["everything"]["identified"][-1]
    assert last == {
        "endpoint": "effect", "a": "verification", "b": None, "count": 2, "point_identified": False, "undefined": 0,
        "min": {"exact": "9/140", "value": 9 / 140, "spec": "errors_dropped"},
        "max": {"exact": "3/20", "value": 0.15, "spec": "errors_wrong"},
    }  # fmt: skip


def test_bytes_are_sorted_utf8_with_one_newline_at_the_end() -> None:
    assert record_bytes({"b": "é\n", "a": [None, 0.1]}) == '{\n "a": [\n  null,\n  0.1\n ],\n "b": "é\\n"\n}\n'.encode()


def test_tables_have_the_columns_of_section_9(found: mv.Audit, tmp_path: Path) -> None:
    found.write(tmp_path / "out")
    columns = {path.stem: pl.read_parquet_schema(path) for path in sorted((tmp_path / "out" / "tables").iterdir())}
    assert {name: " ".join(schema) for name, schema in columns.items()} == {
        "cells": "effect cell background from_spec to_spec",
        "drivers": "population a b spec row_id contribution value a_from a_to b_from b_to reason rank",
        "effects": "population effect cell background exact value lower upper",
        "identified": "population endpoint a b exact value specs first_spec",
        "levels": "population spec method exact value support lower upper",
        "margins": "population spec a b exact value lower upper shared_support",
        "options": "coordinate option words rationale factors",
        "rankings": "population spec method rank lower upper",
        "row_audit": "population effect cell background row_id family_from family_to a_from a_to b_from b_to "
        "a_part_from a_part_to b_part_from b_part_to contribution value a_reason b_reason reason",
        "specifications": "spec contract disposition families",
    }
    assert json.loads((tmp_path / "out" / "record.json").read_bytes()) == found.record


def test_frames_on_the_result_are_the_tables(found: mv.Audit) -> None:
    brisk = found.levels.filter(population="everything", method="brisk")
    assert brisk["exact"].to_list() == ["1/2", "1/2", "5/7", "4/5"]
    margins = found.margins.filter(population="everything")
    assert margins["shared_support"].to_list() == [True, True, False, False]
    ranks = found.rankings.filter(population="everything", method="brisk")
    assert ranks["rank"].to_list() == [2, 2, 1, 1]
    orders = found.identified.filter(population="everything", endpoint="ranking")
    assert orders["exact"].to_list() == ['[["careful"], ["brisk"]]', '[["brisk"], ["careful"]]']
    assert found.effects.filter(population="everything")["background"].to_list() == [None, "{}", None, "{}"]
