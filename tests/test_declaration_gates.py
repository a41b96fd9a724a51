"""Gates as study.yaml declares them, and everything that can be wrong with them."""

from pathlib import Path

import pytest

from declared import SMALL, accepted, refused, study_faults, write_small
from multiverse.declaration import read_declaration
from multiverse.declaration.gates import Condition, Gate
from multiverse.declaration.study import StudyFile, read_study_file
from multiverse.errors import Place

START = "study: s\nsubstrate: {kind: scores, rows: r.csv, outcomes: o.csv}\n"
TWO = f"{START}populations: {{easy: {{}}, hard: {{}}}}\n"
WHERE = "where: {family_nonempty: {factor: A, from: 0, to: 1}}"
ENDS = "count: rows, at_least: 1"

ABSENT = "\n  expected it to be given"
WHOLE = "\n  expected a whole number of at least 0 and at most 1000000000"
TESTS = "'family_collapses', 'family_nonempty', 'family_unchanged'"


def at(line: int, column: int) -> Place:
    return Place(file="f.yaml", line=line, column=column)


def gates(text: str) -> tuple[Gate, ...]:
    study: StudyFile = accepted(read_study_file, text)
    return study.gates


def test_a_gate_with_everything() -> None:
    found = gates(
        f"""{TWO}gates:
  - id: g
    population: hard
    terminal: asym
    where:
      family_collapses: {{factor: B, from: x, to: y, background: any}}
      family_unchanged: {{factor: A, from: 0, to: "1", background: every}}
    count: clusters
    at_least: 10
"""
    )
    unchanged = Condition(test="family_unchanged", factor="A", from_level="0", to_level="1", place=at(10, 25))
    collapses = Condition(
        test="family_collapses", factor="B", from_level="x", to_level="y", background="any", place=at(9, 25)
    )
    assert found == (
        Gate(
            id="g",
            population="hard",
            terminal="asym",
            conditions=(unchanged, collapses),
            count="clusters",
            at_least=10,
            place=at(5, 5),
            terminal_place=at(7, 5),
        ),
    )
    assert (found[0].place, found[0].terminal_place) == (at(5, 5), at(7, 5))


@pytest.mark.parametrize(
    ("start", "population"), [(START, "all"), (f"{START}populations: {{only: {{}}}}\n", "only"), (TWO, None)]
)
def test_the_only_population_need_not_be_named(start: str, population: str | None) -> None:
    text = f"{start}gates: [^{{id: g, {WHERE}, {ENDS}}}]"
    if population is None:
        assert refused(read_study_file, text) == [
            "the gate names no population, and there are several\n  expected one of 'easy', 'hard'"
        ]
    else:
        assert [(gate.population, gate.terminal) for gate in gates(text.replace("^", ""))] == [(population, None)]


@pytest.mark.parametrize(
    ("gate", "messages"),
    [
        ("^g", ["the gate is the text 'g'\n  expected a mapping"]),
        ("^^^^{}", [f"the gate has no key '{key}'{ABSENT}" for key in ("id", "where", "count", "at_least")]),
        (
            f"{{id: g, {WHERE}, {ENDS}}}, {{^id: g, {WHERE}, {ENDS}}}",
            ["duplicate gate id 'g', first at line 3\n  expected an id that no other has"],
        ),
        (
            f"{{id: g, {WHERE}, {ENDS}, ^disposition: wrong}}",
            [
                "unknown key in the gate 'disposition'\n"
                "  expected one of 'at_least', 'count', 'id', 'population', 'terminal', 'where'"
            ],
        ),
        (
            f"{{id: g, ^population: al, {WHERE}, {ENDS}}}",
            ["unknown population 'al'\n  expected one of 'all'\n  did you mean 'all'?"],
        ),
        (
            f"{{id: g, population: ^1, terminal: ^[t], {WHERE}, {ENDS}}}",
            [
                "population is the number 1\n  expected text: put it in quotes",
                "terminal is a list of 1\n  expected text",
            ],
        ),
        (
            f"{{id: g, {WHERE}, count: ^cluster, at_least: ^1.5}}",
            [
                "unknown count 'cluster'\n  expected one of 'clusters', 'rows'\n  did you mean 'clusters'?",
                f"at_least is the number 1.5{WHOLE}",
            ],
        ),
        (f"{{id: g, {WHERE}, count: rows, at_least: ^-1}}", [f"at_least is the number -1{WHOLE}"]),
        (f"{{id: g, {WHERE}, count: rows, at_least: ^1000000001}}", [f"at_least is the number 1000000001{WHOLE}"]),
        (f"{{id: g, {WHERE}, count: rows, at_least: ^'10'}}", [f"at_least is the text '10'{WHOLE}"]),
        # conditions
        (f"{{id: g, where: ^{{}}, {ENDS}}}", ["where is an empty mapping\n  expected at least one condition"]),
        (
            f"{{id: g, where: ^family_unchanged, {ENDS}}}",
            ["where is the text 'family_unchanged'\n  expected a mapping"],
        ),
        (
            f"{{id: g, where: {{^family_changed: {{}}}}, {ENDS}}}",
            [f"unknown key in where 'family_changed'\n  expected one of {TESTS}\n  did you mean 'family_unchanged'?"],
        ),
        (
            f"{{id: g, where: {{family_unchanged: ^A}}, {ENDS}}}",
            ["family_unchanged is the text 'A'\n  expected a mapping"],
        ),
        (
            f"{{id: g, where: {{family_nonempty: ^^^{{}}}}, {ENDS}}}",
            [f"family_nonempty has no key '{key}'{ABSENT}" for key in ("factor", "from", "to")],
        ),
        (
            f"{{id: g, where: {{family_nonempty: {{factor: A, from: 0, ^to: '0'}}}}, {ENDS}}}",
            ["the condition goes from level '0' to itself\n  expected two different levels"],
        ),
        (
            f"{{id: g, where: {{family_nonempty: {{factor: A, from: ^0.5, to: ^true, background: ^all}}}}, {ENDS}}}",
            [
                "a level is the number 0.5\n  expected text: put it in quotes",
                "a level is true\n  expected text: put it in quotes",
                "unknown background 'all'\n  expected one of 'any', 'every'",
            ],
        ),
        (
            f"{{id: g, where: {{family_nonempty: {{factor: A, from: 0, to: 1, ^backgrounds: any}}}}, {ENDS}}}",
            [
                "unknown key in family_nonempty 'backgrounds'\n  expected one of 'background', 'factor', 'from', 'to'\n"
                "  did you mean 'background'?"
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_gate(gate: str, messages: list[str]) -> None:
    assert refused(read_study_file, f"{START}gates: [{gate}]") == messages


# With the other files


def faults(folder: Path, gate: str, **changed: str | None) -> list[str]:
    """What is wrong with the small study with one gate, on line 11 of study.yaml."""
    study = f"{SMALL['study.yaml']}gates:\n  - {{id: g, population: hard, {gate}, {ENDS}}}\n"
    return study_faults(write_small(folder, study=study, **changed))


CHECKED = "where: {family_nonempty: {factor: V, from: 0, to: 1}}"


@pytest.mark.parametrize(
    ("gate", "messages"),
    [
        (f"terminal: as_is, {CHECKED}", []),
        (
            CHECKED,
            ["11:5: the gate names no terminal option, and there are several\n  expected one of 'as_is', 'lenient'"],
        ),
        (
            f"terminal: as_it, {CHECKED}",
            ["11:31: unknown terminal option 'as_it'\n  expected one of 'as_is', 'lenient'\n  did you mean 'as_is'?"],
        ),
        (
            "terminal: as_is, where: {family_nonempty: {factor: W, from: 0, to: 1}}",
            ["11:74: unknown factor 'W'\n  expected one of 'V'"],
        ),
        (
            "terminal: as_is, where: {family_nonempty: {factor: V, from: 2, to: 10}}",
            [
                "11:85: unknown level of factor V '2'\n  expected one of '0', '1'",
                "11:94: unknown level of factor V '10'\n  expected one of '0', '1'\n  did you mean '1'?",
            ],
        ),
    ],
)
def test_names_are_looked_up_in_the_other_files(tmp_path: Path, gate: str, messages: list[str]) -> None:
    assert faults(tmp_path, gate) == [f"study.yaml:{message}" for message in messages]


def test_a_terminal_option_where_there_is_no_terminal_coordinate(tmp_path: Path) -> None:
    assert faults(tmp_path, CHECKED, terminals=None, families="families: {f: {}}") == []
    assert faults(tmp_path, f"terminal: as_is, {CHECKED}", terminals=None, families="families: {f: {}}") == [
        "study.yaml:11:31: unknown terminal option 'as_is'\n  expected no terminal option: none is declared"
    ]


def test_the_only_terminal_option_need_not_be_named(tmp_path: Path) -> None:
    terminals = "coordinate: terminal\nrationale: why\noptions: [{id: plain, treatment: as_declared}]\n"
    assert faults(tmp_path, CHECKED, terminals=terminals, families="families: {f: {}}") == []
    assert read_declaration(tmp_path).gates[0].terminal is None


@pytest.mark.parametrize(
    ("name", "gate"),
    [("contracts", "terminal: as_is, where: {family_nonempty: {factor: W, from: 0, to: 1}}")]
    + [("terminals", f"{terminal}{CHECKED}") for terminal in ("", "terminal: x, ")],
)
def test_names_of_a_file_that_cannot_be_read_are_not_judged(tmp_path: Path, name: str, gate: str) -> None:
    families = "families: {f: {}}"
    assert faults(tmp_path, gate, families=families, **{name: "{"}) == [
        f"{name}.yaml:1:2: expected the node content, but found '<stream end>'"
    ]


def test_a_change_without_a_background(tmp_path: Path) -> None:
    options = "[{id: x, levels: {V: 0, W: 0}}, {id: y, levels: {V: 1, W: 1}}]"
    study = f"{START}gates: [{{id: g, where: {{family_nonempty: {{factor: V, from: 0, to: 1}}}}, {ENDS}}}]\n"
    files = {
        "contracts": f"coordinate: contract\nrationale: why\noptions: {options}\n",
        "families": "families: {f: {}}",
    }
    assert study_faults(write_small(tmp_path, study=study, terminals=None, **files)) == [
        "study.yaml:3:42: no two contracts differ by going from level '0' to '1' of factor V alone\n"
        "  expected contracts at both levels of one background"
    ]
