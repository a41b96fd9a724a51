"""Columns of rows that aggregations read: every fault names the row and the value."""

from pathlib import Path

import pytest

import multiverse as mv
from small import audit_faults, write_small

ROWS = "row_id,subject,size,points,right\nr1,x,2,1,true\nr2,y,{size},1,false\nr3,{subject},1,{points},{right}\n"
OUTCOMES = "row_id,method,score\nr1,a,1\nr2,a,0\nr3,a,0.5\nr1,b,0\nr2,b,0\nr3,b,1\n"
GOOD = {"size": "3", "subject": "y", "points": "1", "right": "1"}
OPTIONS = "{id: w, rule: row_mean, weight: size}, {id: g, rule: group_mean, by: subject, group_weight: points}"


def written(folder: Path, options: str, **values: str) -> Path:
    rows = ROWS.format(**{**GOOD, "right": "true", **values})
    files = {
        "aggregations": f"coordinate: aggregation\noptions: [{options}]\n",
        "contracts": "coordinate: contract\noptions: [{id: any, require: []}]\n",
    }
    return write_small(folder, "scores", files=files, rows=rows, outcomes=OUTCOMES)


def test_rows_and_groups_count_as_often_as_their_weights_say(tmp_path: Path) -> None:
    """(2 x 1 + 1/2) / 6 and 1 / 6; x has 1 and 0 with 3 points, y has 1/4 and 1/2 with 1."""
    rows = ROWS.format(**GOOD).replace("2,1,true", "2,3,1").replace("3,1,false", "3,1,0")
    folder = written(tmp_path, OPTIONS)
    (folder / "rows.csv").write_text(rows)
    found = mv.audit(folder, family="audit")
    assert found.levels["exact"].to_list() == ["5/12", "1/6", "13/16", "1/8"]


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"size": "-1"}, "column size, row 'r2': -1\n  expected a weight: a number of at least 0"),
        ({"size": ""}, "column size, row 'r2': null\n  expected a weight: a number of at least 0"),
        (
            {"size": "much"},
            "column size, row 'r2': 'much'\n  expected a weight: a number of at least 0, as a decimal or p/q of at "
            "most 400 characters",
        ),
        ({"subject": ""}, "column subject, row 'r3': null\n  expected a group"),
        (
            {"points": "2"},
            "column points, row 'r3': 2 in a group with another weight\n  expected one weight for all rows of a group",
        ),
    ],
)
def test_weights_and_groups_that_cannot_be_used(tmp_path: Path, values: dict[str, str], fault: str) -> None:
    assert audit_faults(written(tmp_path, OPTIONS, **values)) == [f"rows (rows.csv), {fault}"]


@pytest.mark.parametrize(
    ("label", "fault"),
    [
        ("size", "column size, row 'r1': 2 (1 more)\n  expected a label: true or false, or 1 or 0"),
        ("subject", "column subject: holds values of type String\n  expected labels: true and false, or 1 and 0"),
        (
            "rigth",
            ": unknown column 'rigth'\n  expected one of 'points', 'right', 'row_id', 'size', 'subject'\n"
            "  did you mean 'right'?",
        ),
    ],
)
def test_labels_are_of_two_values(tmp_path: Path, label: str, fault: str) -> None:
    faults = audit_faults(written(tmp_path, f"{{id: u, rule: auc, label: {label}}}"))
    assert faults == [f"rows (rows.csv){'' if fault[0] == ':' else ', '}{fault}"]
