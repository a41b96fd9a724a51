"""A study of scores out as one CSV file and in again: the same record."""

from pathlib import Path

import polars as pl
import pytest

import multiverse as mv
from multiverse.errors import InputError
from multiverse.importers import export_study, import_declared, import_log
from multiverse.starter import write_starter
from test_score_tables import LONG


def round_trip(tmp_path: Path, study: Path) -> None:
    """Every family of a study gives the same record after it was exported and imported."""
    (tmp_path / "long.csv").write_bytes(export_study(study))
    again = import_declared([tmp_path / "long.csv"], tmp_path / "again", study=study)
    for family in again.audit.declaration.families:
        before, after = (mv.audit(folder, family=family.name) for folder in (study, tmp_path / "again"))
        assert after.record == before.record
        assert all(after.tables[name].equals(before.tables[name]) for name in before.tables if name != "row_audit")


def test_the_starter_is_the_same_after_a_round_trip(tmp_path: Path) -> None:
    write_starter(tmp_path / "starter")
    round_trip(tmp_path, tmp_path / "starter")


@pytest.mark.parametrize("name", ["scores", "scores_missing"])
def test_a_conformance_study_is_the_same_after_a_round_trip(shared: Path, tmp_path: Path, name: str) -> None:
    round_trip(tmp_path, shared / "conformance" / name)


@pytest.mark.parametrize(("form", "samples"), [("inspect", "inspect_ai/logs"), ("lm-eval", "lm_eval/out")])
def test_an_imported_log_is_the_same_after_a_round_trip(shared: Path, tmp_path: Path, form: str, samples: str) -> None:
    import_log(form, [shared / "samples" / samples], tmp_path / "log")
    round_trip(tmp_path, tmp_path / "log")


def test_an_imported_table_is_the_same_without_a_declaration(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(LONG)
    first = import_log("csv", [tmp_path / "a.csv"], tmp_path / "one", name="same")
    (tmp_path / "a2").mkdir()
    (tmp_path / "a2" / "a.csv").write_bytes(export_study(tmp_path / "one"))
    second = import_log("csv", [tmp_path / "a2" / "a.csv"], tmp_path / "two", name="same")
    assert second.audit.record == first.audit.record


def test_the_table_has_a_line_for_each_outcome_and_each_row_without_one(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(LONG)
    import_log("csv", [tmp_path / "a.csv"], tmp_path / "one")
    assert export_study(tmp_path / "one").decode() == (
        "row_id,method,epoch,status,score,topic,code\n"
        "1,a,1,answered,0.5,x,007\n"
        "1,a,2,error,,x,007\n"
        "2,a,1,answered,1.0,y,8\n"
        "2,b,1,unscored,,y,8\n"
        "3,,,,,z,9\n"
    )


def test_texts_that_look_like_numbers_stay_texts_where_a_predicate_needs_them(tmp_path: Path) -> None:
    study = tmp_path / "study"
    (tmp_path / "a.csv").write_text("row_id,method,score,code\n1,a,1,x\n2,a,0,y\n")
    import_log("csv", [tmp_path / "a.csv"], study)
    text = (study / "study.yaml").read_text().replace("everything: {}", 'everything: {column: code, equals: "7"}')
    (study / "study.yaml").write_text(text)
    pl.DataFrame({"row_id": ["1", "2"], "code": ["7", "8"]}).write_parquet(study / "data" / "rows.parquet")
    round_trip(tmp_path, study)


def test_paths_are_replaced_where_they_are_quoted_or_in_one_line(tmp_path: Path) -> None:
    write_starter(tmp_path / "starter")
    file = tmp_path / "starter" / "study.yaml"
    lines = file.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("substrate:"))
    lines[start : start + 4] = ['substrate: {kind: scores, "rows": \'data/rows.csv\', outcomes: "data/outcomes.csv"}']
    file.write_text("\n".join(lines) + "\n")
    round_trip(tmp_path, tmp_path / "starter")


def test_a_study_of_hypotheses_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        export_study(Path(__file__).parent.parent / "specs" / "quickstart")
    assert str(caught.value).endswith(
        "quickstart: a study of kind hypotheses, whose tables are not one\n  expected a study of kind scores"
    )
