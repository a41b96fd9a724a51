"""Score tables, long and wide: each record with its state, and columns taken for what they are said to be."""

import json
from pathlib import Path

import polars as pl
import pytest

from multiverse.errors import InputError
from multiverse.importers import Imported, detect, import_log

LONG = """\
row_id,model,epoch,status,score,topic,code
1,a,1,,0.5,x,007
1,a,2,error,,x,007
2,a,1,,1,y,8
2,b,1,,,y,8
3,,,,,z,9
"""


def imported(tmp_path: Path, text: str, form: str = "csv", **mapping: list[str]) -> Imported:
    source = tmp_path / f"table.{form}"
    source.write_text(text)
    return import_log(form, [source], tmp_path / "study", mapping=mapping)


def refusal(tmp_path: Path, text: str, form: str = "csv", **mapping: list[str]) -> str:
    with pytest.raises(InputError) as caught:
        imported(tmp_path, text, form, **mapping)
    assert not (tmp_path / "study").exists()
    return str(caught.value).replace(f"{tmp_path}/", "")


def test_a_long_table_keeps_every_record_with_its_state(tmp_path: Path) -> None:
    found = imported(tmp_path, LONG)
    assert found.log.rows.to_dicts() == [
        {"row_id": "1", "topic": "x", "code": "007"},
        {"row_id": "2", "topic": "y", "code": "8"},
        {"row_id": "3", "topic": "z", "code": "9"},
    ]
    assert found.log.outcomes.select("row_id", "method", "epoch", "status", "score").rows() == [
        ("1", "a", 1, "answered", 0.5),
        ("1", "a", 2, "error", None),
        ("2", "a", 1, "answered", 1.0),
        ("2", "b", 1, "unscored", None),
    ]
    levels = {(spec, m): exact for spec, m, exact in found.audit.levels.select("spec", "method", "exact").iter_rows()}
    assert (levels["dropped/mean", "a"], levels["dropped/mean", "b"]) == ("3/4", None)
    assert levels["error_zero+unscored_zero+missing_zero/mean", "a"] == "5/12"  # (1/4 + 1 + 0) / 3


def test_a_table_is_said_to_have_no_rule_of_its_own(tmp_path: Path) -> None:
    imported(tmp_path, "row_id,method,score,status\n1,a,1,\n2,a,,late\n")
    told = {name: (tmp_path / "study" / f"{name}.yaml").read_text() for name in ("study", "families", "dispositions")}
    assert told["study"].splitlines()[:2] == [
        "# Imported from a score table. What it leaves open is declared as options beside this file. A table has no "
        "rule of its",
        "# own: the family `harness` is the first option of each coordinate.",
    ]
    assert not any("the harness's own rule" in text for text in told.values())


def test_a_wide_table_has_a_method_in_each_column_of_scores(tmp_path: Path) -> None:
    found = imported(tmp_path, "id,gpt,claude,level,topic\n1,1,0.5,3,x\n2,0,,4,y\n", row=["id"])
    assert found.log.notes == ("the table is wide: its methods are the columns 'gpt', 'claude'",)
    assert found.log.outcomes.rows() == [
        ("1", "gpt", 1.0, "answered"), ("2", "gpt", 0.0, "answered"),
        ("1", "claude", 0.5, "answered"), ("2", "claude", None, "unscored"),
    ]  # fmt: skip
    assert found.log.rows.columns == ["row_id", "level", "topic"]


def test_columns_are_what_they_are_mapped_to(tmp_path: Path) -> None:
    text = "q,who,task,f1,em\n1,a,t,0.5,0\n2,a,t,1,1\n3,a,u,0,0\n"
    found = imported(tmp_path, text, row=["q"], method=["who"], cluster=["task"], score=["em", "f1"])
    assert [choice.coordinate for choice in found.log.choices] == ["disposition", "scoring", "aggregation"]
    levels = dict(found.audit.levels.select("spec", "exact").iter_rows())
    assert levels == {
        "dropped/em/row_mean": "1/3", "dropped/em/cluster_mean": "1/4",
        "dropped/f1/row_mean": "1/2", "dropped/f1/cluster_mean": "3/8",
    }  # fmt: skip


def test_json_lines_with_nan_and_nested_values_are_read(tmp_path: Path) -> None:
    lines = [
        {"row_id": 1, "method": "a", "score": float("nan"), "doc": {"x": 1}},
        {"row_id": 2, "method": "a", "score": 1},
    ]
    found = imported(tmp_path, "".join(json.dumps(line) + "\n" for line in lines), "jsonl")
    assert found.log.outcomes.rows() == [("1", "a", None, "unscored"), ("2", "a", 1.0, "answered")]
    assert found.log.rows.columns == ["row_id"]


def test_parquet_is_read_with_its_types(tmp_path: Path) -> None:
    table = pl.DataFrame({"row_id": [1, 2], "method": ["a", "a"], "score": pl.Series([0.1, 0.9], dtype=pl.Float32)})
    table.write_parquet(tmp_path / "table.parquet")
    found = import_log("parquet", [tmp_path / "table.parquet"], tmp_path / "study")
    assert found.audit.levels["exact"].to_list() == ["1/2"]


def test_scores_beyond_one_are_brought_into_it_exactly(tmp_path: Path) -> None:
    found = imported(tmp_path, "row_id,method,score\n1,a,7\n2,a,0.3\n")
    assert found.log.outcomes["score"].to_list() == ["1", "3/70"]
    assert found.log.notes == ("the scores of 'score' go beyond [0, 1]: a score x stands as x / 7",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "table.csv: no column row_id\n  expected --map row=COLUMN, one of 'a', 'b'"),
        ("row_id,method\n1,a\n", "table.csv: no column of scores\n"
         "  expected --map score=COLUMN, a column of numbers; several are allowed"),
        ("row_id,method,score\n1,a,1\n1,a,0\n", "table.csv: row '1' of 'a' twice or more\n"
         "  expected each row, method and epoch once; --map epoch=COLUMN names the repeats"),
        ("row_id,method,score\n,a,1\n", "table.csv: 1 records without a row id\n  expected one in every record"),
        ("row_id,method,score\n1,a\n", "table.csv: cannot be read: line 2 has 2 fields where the header has 3\n"
         "  expected a whole table"),
        ("row_id,method,score\n1,,\n", "table.csv: no outcome\n  expected at least one"),
        ("row_id,method,score\n1,a,x\n", "outcomes (data/outcomes.parquet), column score, row '1': 'x' in an answered "
         "record\n  expected a score in [0, 1], as a decimal or p/q of at most 400 characters"),
    ],
)  # fmt: skip
def test_a_table_that_is_at_fault_is_refused(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(tmp_path, text) == message


FRAMES = "row_id,method,score,bad\n1,a,1,1.0\n1,b,,1.0\n2,a,0,0.0\n2,b,1,0.0\n"


def test_a_label_makes_levels_aucs_over_pairs_of_any_two_rows(tmp_path: Path) -> None:
    """Of a one pair, which is won; b has no score of its positive row: no pair, or the lowest score."""
    found = imported(tmp_path, FRAMES, label=["bad"])
    levels = {(spec, m): exact for spec, m, exact in found.audit.levels.select("spec", "method", "exact").iter_rows()}
    assert levels == {
        ("dropped/global", "a"): "1", ("dropped/global", "b"): None,
        ("unscored_zero/global", "a"): "1", ("unscored_zero/global", "b"): "0",
    }  # fmt: skip
    assert found.log.rows.to_dicts() == [{"row_id": "1", "bad": True}, {"row_id": "2", "bad": False}]


def test_a_wide_table_has_no_method_in_the_column_of_labels(tmp_path: Path) -> None:
    found = imported(tmp_path, "id,a,b,bad\n1,1,0,true\n2,0,0.5,false\n", row=["id"], label=["bad"])
    assert found.audit.levels.select("method", "exact").rows() == [("a", "1"), ("b", "0")]


@pytest.mark.parametrize(
    ("text", "label", "message"),
    [
        (FRAMES.replace("1,b,,1.0", "1,b,,0"), "bad", "table.csv: the label 'bad' differs between records of a row\n"
         "  expected one label for each row"),
        (FRAMES.replace("1,b,,1.0", "1,b,,0.5"), "bad", "table.csv: row '1' has 0.5 in the column 'bad'\n"
         "  expected a label: true or false, or 1 or 0"),
        (FRAMES.replace("1,b,,1.0", "1,b,,"), "bad", "table.csv: row '1' has null in the column 'bad'\n"
         "  expected a label: true or false, or 1 or 0"),
        (FRAMES.replace(",1.0", ",yes"), "bad", "table.csv: row '1' has 'yes' in the column 'bad'\n"
         "  expected a label: true or false, or 1 or 0"),
        (FRAMES, "score", "--map: the column 'score' for label and for score\n"
         "  expected a column of its own for each part"),
    ],
)  # fmt: skip
def test_labels_at_fault_are_refused(tmp_path: Path, text: str, label: str, message: str) -> None:
    assert refusal(tmp_path, text, label=[label]) == message


def test_a_mapping_that_is_at_fault_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, LONG, rows=["row_id"], row=["row"], method=["model", "topic"]) == (
        "--map: unknown part 'rows'\n"
        "  expected one of 'cluster', 'epoch', 'label', 'method', 'row', 'score', 'status', 'stratum', 'text'\n"
        "  did you mean 'row'?\n\n"
        "--map: unknown column of table.csv 'row'\n"
        "  expected one of 'code', 'epoch', 'model', 'row_id', 'score', 'status', 'topic'\n"
        "  did you mean 'row_id'?\n\n"
        "--map: 2 columns for method\n  expected one"
    )


def test_a_json_line_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, '{"row_id": 1, "method": "a", "score": 1}\n{"row_', "jsonl") == (
        "table.jsonl: line 2 is no JSON: Unterminated string starting at\n"
        "  expected a whole file: it may have been cut short"
    )


def test_tables_with_other_columns_are_refused(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("row_id,method,score,more\n1,a,1,2\n")
    (tmp_path / "a.csv").write_text("row_id,method,score\n1,b,1\n")
    with pytest.raises(InputError) as caught:
        import_log("csv", [tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "study")
    assert str(caught.value).replace(f"{tmp_path}/", "") == (
        "b.csv: other columns than a.csv: 'more'\n  expected the same in all tables"
    )


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_table_is_recognised_by_its_columns(tmp_path: Path, form: str) -> None:
    text = {"csv": "row_id,method,score\n1,a,1\n", "jsonl": '{"row_id": 1, "method": "a", "score": 1}\n'}[form]
    (tmp_path / f"t.{form}").write_text(text)
    assert detect(tmp_path) == (form,)


def test_a_blank_file_of_json_lines_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text("\n")
    with pytest.raises(InputError, match="no log of a known format"):
        detect(tmp_path)


def test_a_column_of_two_parts_is_refused_and_a_mapped_one_is_taken_for_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("row_id,method,score,stratum\n1,m,1,a\n2,m,0,b\n")
    both = {"cluster": ["stratum"], "stratum": ["stratum"]}
    with pytest.raises(InputError) as caught:
        import_log("csv", [tmp_path / "table.csv"], tmp_path / "study", mapping=both)
    assert str(caught.value) == (
        "--map: the column 'stratum' for cluster and for stratum\n  expected a column of its own for each part"
    )
    found = import_log("csv", [tmp_path / "table.csv"], tmp_path / "study", mapping={"cluster": ["stratum"]})
    assert found.log.rows.columns == ["row_id", "cluster_id"]


def test_a_method_of_a_wide_table_may_be_called_score(tmp_path: Path) -> None:
    found = imported(tmp_path, "row_id,score,other\n1,1,0\n2,0,0\n")
    assert found.log.outcomes.select("row_id", "method", "score").rows() == [
        ("1", "score", 1.0), ("2", "score", 0.0), ("1", "other", 0.0), ("2", "other", 0.0),
    ]  # fmt: skip


def test_a_column_of_a_wide_table_called_score_that_is_no_method_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        imported(tmp_path, "row_id,score,other\n1,good,0\n2,bad,0\n")
    assert str(caught.value).removeprefix(f"{tmp_path}/") == (
        "table.csv: a column 'score' of a wide table that is no method\n  expected --map method=COLUMN, or another name"
    )
