"""Gates counted by hand, against the plain evaluator, and with answers that must not be opened."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import multiverse as mv
from multiverse.declaration import read_declaration
from multiverse.errors import GateError
from multiverse.gates import GateVerdict, judge_gates, pass_gates
from multiverse.standing import gate_entry
from plain_gates import plain_gates
from plain_study import TABLES
from small import write_small
from studies import gated, studies, write_study

Kind = Literal["hypotheses", "scores"]

CONTRACTS = """\
    coordinate: contract
    predicates: {recorded: {column: recorded, equals: true}, adopted: {column: adopted, equals: true}}
    factors: {R: {"0": [], "1": [recorded]}, A: {"0": [], "1": [adopted]}}
    """
ROWS = """\
row_id,cluster_id,part
alike,c1,x
fewer,c1,x
gone,c2,y
bare,c3,x
twice,c3,x
mixed,c4,x
"""
# Legal families by R, then A from 0 to 1:
#   alike  {p} -> {p} in both
#   fewer  {p}, {q} -> {p} in both
#   gone   {p} -> none in both
#   bare   none anywhere: it has no object
#   twice  {p, q} -> {p, q} in both: g is legal throughout, h only at A0, and they hold the same objects
#   mixed  R0: {p}, {q} -> {p}; R1: {q} -> none
OBJECTS = """\
row_id,group_id,object_id,recorded,adopted
alike,g,p,true,true
fewer,g,p,true,true
fewer,h,q,true,false
gone,g,p,true,false
twice,g,p,true,true
twice,g,q,true,true
twice,h,q,true,false
twice,h,p,true,true
twice,h,q,true,true
mixed,g,p,false,true
mixed,h,q,true,false
"""
POPULATIONS = "populations: {everything: {}, x: {column: part, equals: x}, none: {column: part, equals: z}}\n"


def gate(where: str, *, count: str = "rows", at_least: int = 1, more: str = "") -> str:
    """The lines of study.yaml that declare one gate."""
    return f"gates:\n  - {{id: g, {more}where: {{{where}}}, count: {count}, at_least: {at_least}}}\n"


def change(test: str, background: str = "every", factor: str = "A") -> str:
    """A condition on a factor that goes from 0 to 1."""
    return f"{test}: {{factor: {factor}, from: 0, to: 1, background: {background}}}"


def counted(folder: Path) -> int:
    """What the one gate of a study counts."""
    (verdict,) = judge_gates(read_declaration(folder))
    return verdict.count


def hand(folder: Path, study: str) -> Path:
    """The study that is counted by hand."""
    files = {"contracts": CONTRACTS}
    return write_small(folder, study=study, files=files, rows=ROWS, objects=OBJECTS, predictions=b"\xff")


UNCHANGED, NONEMPTY, COLLAPSES = "family_unchanged", "family_nonempty", "family_collapses"


@pytest.mark.parametrize(
    ("where", "population", "rows", "clusters"),
    [
        (change(UNCHANGED), "everything", 2, 2),  # alike, twice
        (change(UNCHANGED, "any"), "everything", 2, 2),
        (change(NONEMPTY), "everything", 3, 2),  # alike, fewer; twice
        (change(NONEMPTY, "any"), "everything", 4, 3),  # and mixed, at R0
        (change(COLLAPSES), "everything", 1, 1),  # gone
        (change(COLLAPSES, "any"), "everything", 2, 2),  # and mixed, at R1
        (change(COLLAPSES, "any"), "x", 1, 1),
        (change(COLLAPSES), "x", 0, 0),
        (change(NONEMPTY), "none", 0, 0),
        (f"{change(NONEMPTY, 'any')}, {change(COLLAPSES, 'any')}", "everything", 1, 1),  # mixed, at R0 and at R1
        (f"{change(UNCHANGED)}, {change(NONEMPTY)}", "x", 2, 2),
        (change(UNCHANGED, factor="R"), "everything", 3, 2),  # alike, fewer; twice
        (change(UNCHANGED, "any", factor="R"), "everything", 4, 3),  # and gone, at A0
    ],
)
def test_rows_and_clusters_counted_by_hand(
    tmp_path: Path, where: str, population: str, rows: int, clusters: int
) -> None:
    found = {}
    for unit in ("rows", "clusters"):
        text = gate(where, count=unit, more=f"population: {population}, ")
        found[unit] = counted(hand(tmp_path / unit, POPULATIONS + text))
    assert found == {"rows": rows, "clusters": clusters}


def test_a_family_is_its_sets_of_objects_and_not_its_groups(tmp_path: Path) -> None:
    """At 0 the group g of r1 is legal and at 1 the group h, both {p, q}; of r2 they are {p} and {q}."""
    contracts = """\
        coordinate: contract
        predicates: {plain: {column: adopted, equals: false}, adopted: {column: adopted, equals: true}}
        factors: {A: {"0": [plain], "1": [adopted]}}
        """
    objects = (
        "row_id,group_id,object_id,adopted\nr1,g,p,false\nr1,g,q,false\nr1,h,q,true\nr1,h,p,true\n"
        "r2,g,p,false\nr2,h,q,true\n"
    )
    folders = {
        test: write_small(
            tmp_path / test, study=gate(change(test)), files={"contracts": contracts}, objects=objects, predictions=None
        )
        for test in (UNCHANGED, NONEMPTY, COLLAPSES)
    }
    assert {test: counted(folder) for test, folder in folders.items()} == {UNCHANGED: 1, NONEMPTY: 2, COLLAPSES: 0}


def test_a_row_is_its_own_object_where_scores_are_given(tmp_path: Path) -> None:
    """r1 is adopted and r2 is not: unchanged, nonempty and gone are 1, 1, 1."""
    for test in (UNCHANGED, NONEMPTY, COLLAPSES):
        assert counted(write_small(tmp_path / test, "scores", study=gate(change(test)), outcomes=b"\xff")) == 1


# A task each, with a terminal event that no rule can adopt and another, which the even tasks adopted: the ontology of
# the paper's V1, where an unchanged family could not be (section 5.1: 0 tasks against a frozen minimum of ten).
TERMINALS = """\
    coordinate: terminal
    special: {column: terminal, equals: true}
    options:
      - {id: asym, treatment: as_declared}
      - {id: keep_both, treatment: {exempt: [adopted]}}
      - {id: exclude_both, treatment: never_legal}
    """
ONTOLOGY = """\
    coordinate: contract
    predicates: {adopted: {column: adoption, equals: ADOPTED}}
    factors: {A: {"0": [], "1": [adopted]}}
    """


def v1(folder: Path, terminal: str, *, test: str = UNCHANGED, events: bool = True) -> Path:
    """Twenty tasks of one trace each, gated under a terminal treatment."""
    rows = "row_id,cluster_id\n" + "".join(f"t{i},task{i}\n" for i in range(20))
    objects = "row_id,group_id,object_id,terminal,adoption\n"
    for i in range(20):
        objects += f"t{i},g,last,true,NOT_APPLICABLE\n"
        objects += f"t{i},h,event,false,{'REJECTED' if i % 2 else 'ADOPTED'}\n" if events else ""
    text = gate(change(test), count="clusters", at_least=10, more=f"terminal: {terminal}, ")
    files = {"contracts": ONTOLOGY, "terminals": TERMINALS}
    return write_small(folder, study=text, files=files, rows=rows, objects=objects, predictions=b"\xff no table")


def test_the_v1_gate_of_the_paper_is_no_go_before_a_prediction_is_opened(tmp_path: Path) -> None:
    folder = v1(tmp_path, "asym")
    steps: list[str] = []
    with pytest.raises(GateError) as caught:
        mv.audit(folder, family="audit", out=tmp_path / "out", progress=steps.append)
    assert str(caught.value) == (
        f"{folder}/study.yaml:4:5: gate 'g' is NO_GO: 0 clusters of population 'all'\n"
        "  expected at least 10\n"
        "\n"
        "The predictions were not opened."
    )
    assert (caught.value.exit_code, caught.value.verdicts) == (
        3,
        (GateVerdict(id="g", population="all", unit="clusters", count=0, at_least=10),),
    )
    assert (steps, (tmp_path / "out").exists()) == (["reading the declaration", "judging the gates"], False)


@pytest.mark.parametrize(
    ("terminal", "test", "events", "count"),
    [
        ("asym", UNCHANGED, True, 0),  # the terminal event is always lost
        ("asym", COLLAPSES, True, 10),  # of an odd task nothing is left
        ("asym", COLLAPSES, False, 20),
        ("keep_both", UNCHANGED, True, 10),  # an odd task loses its other event
        ("keep_both", UNCHANGED, False, 20),
        ("exclude_both", UNCHANGED, True, 10),
        ("exclude_both", UNCHANGED, False, 0),  # the same, and empty
    ],
)
def test_a_gate_counts_under_its_terminal_treatment(
    tmp_path: Path, terminal: str, test: str, count: int, *, events: bool
) -> None:
    assert counted(v1(tmp_path, terminal, test=test, events=events)) == count


@pytest.mark.parametrize("kind", ["hypotheses", "scores"])
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_verdicts_equal_the_plain_evaluators(
    kind: Kind, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    study = data.draw(studies(kind).flatmap(gated))
    folder = write_study(study, tmp_path_factory.mktemp("gated"), shuffle_seed=1)
    (folder / f"{TABLES[kind][-1]}.parquet").unlink()
    assert [gate_entry(verdict) for verdict in judge_gates(read_declaration(folder))] == plain_gates(study)


# Answers that must not be opened


def fifo(path: Path) -> None:
    """A pipe that nobody writes to: to open it is to wait for ever."""
    os.mkfifo(path)


UNOPENED: Mapping[str, Callable[[Path], object]] = {
    "fifo": fifo,
    "folder": Path.mkdir,
    "garbage": lambda path: path.write_bytes(b"\xff\x00"),
    "absent": lambda path: None,
}


@pytest.mark.parametrize("instead", UNOPENED)
@pytest.mark.parametrize("kind", ["hypotheses", "scores"])
def test_answers_are_never_opened(tmp_path: Path, kind: Kind, instead: str) -> None:
    """Of the small studies' two rows both keep an adopted object; where the row is the object, r1 is adopted."""
    at_least = 3 if kind == "hypotheses" else 2
    folder = write_small(tmp_path, kind, study=gate(change(NONEMPTY), at_least=at_least))
    answers = folder / f"{TABLES[kind][-1]}.csv"
    answers.unlink()
    UNOPENED[instead](answers)
    assert counted(folder) == at_least - 1
    with pytest.raises(GateError) as caught:
        mv.audit(folder, family="audit")
    rows = "1 row" if kind == "scores" else "2 rows"
    assert str(caught.value) == (
        f"{folder}/study.yaml:4:5: gate 'g' is NO_GO: {rows} of population 'all'\n"
        f"  expected at least {at_least}\n\nThe {TABLES[kind][-1]} were not opened."
    )


@pytest.mark.parametrize(
    "opens", [lambda folder: mv.explain(folder, "r1"), lambda folder: mv.compare(folder, "A0/base", "A1/base")]
)
def test_no_command_opens_answers_past_a_gate(tmp_path: Path, opens: Callable[[Path], object]) -> None:
    folder = write_small(tmp_path, study=gate(change(NONEMPTY), at_least=3), predictions=b"\xff")
    with pytest.raises(GateError) as caught:
        opens(folder)
    assert caught.value.verdicts == (GateVerdict(id="g", population="all", unit="rows", count=2, at_least=3),)


def test_without_gates_nothing_is_read(tmp_path: Path) -> None:
    folder = write_small(tmp_path)
    for name in TABLES["hypotheses"]:
        (folder / f"{name}.csv").unlink()
    assert judge_gates(read_declaration(folder)) == pass_gates(read_declaration(folder)) == ()


# What comes of the verdicts

TWO = """\
gates:
  - {id: some, where: {family_nonempty: {factor: A, from: 0, to: 1}}, count: rows, at_least: 2}
  - id: more
    where: {family_nonempty: {factor: A, from: 0, to: 1}}
    count: clusters
    at_least: 3
  - {id: most, where: {family_unchanged: {factor: A, from: "0", to: "1"}}, count: rows, at_least: 1000000000}
"""


def test_every_gate_that_fell_short_is_told(tmp_path: Path) -> None:
    folder = write_small(tmp_path, study=TWO)
    with pytest.raises(GateError) as caught:
        pass_gates(read_declaration(folder))
    assert str(caught.value) == (
        f"{folder}/study.yaml:5:5: gate 'more' is NO_GO: 2 clusters of population 'all'\n  expected at least 3\n\n"
        f"{folder}/study.yaml:9:5: gate 'most' is NO_GO: 1 row of population 'all'\n  expected at least 1000000000\n\n"
        "The predictions were not opened."
    )
    assert [verdict.verdict for verdict in caught.value.verdicts] == ["GO", "NO_GO", "NO_GO"]


def test_the_record_lists_the_verdicts(tmp_path: Path) -> None:
    text = TWO.replace("at_least: 3", "at_least: 2").replace("1000000000", "0")
    entries: list[dict[str, Any]] = [
        {"id": "some", "unit": "rows", "count": 2, "at_least": 2},
        {"id": "more", "unit": "clusters", "count": 2, "at_least": 2},
        {"id": "most", "unit": "rows", "count": 1, "at_least": 0},
    ]
    found = mv.audit(write_small(tmp_path, study=text), family="audit")
    assert found.record["gates"] == [entry | {"population": "all", "verdict": "GO"} for entry in entries]


def test_faults_of_rows_and_objects_come_before_any_verdict(tmp_path: Path) -> None:
    objects = "row_id,group_id,object_id,adopted\nr3,g,o,true\n"
    folder = write_small(tmp_path, study=TWO, objects=objects, predictions=None)
    with pytest.raises(mv.InputError) as caught:
        mv.audit(folder, family="audit")
    assert str(caught.value) == (
        "objects (objects.csv), column row_id, row 'r3': unknown row 'r3'\n  expected a row of the rows table"
    )


def test_answers_are_missed_once_the_gates_are_passed(tmp_path: Path) -> None:
    text = gate(change(NONEMPTY))
    with pytest.raises(mv.InputError) as caught:
        mv.audit(write_small(tmp_path, study=text, predictions=None), family="audit")
    assert str(caught.value).startswith("predictions (predictions.jsonl): no file at ")
