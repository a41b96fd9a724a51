"""Declarations written inline: nodes of YAML text, what a reader finds wrong with them, and one small study."""

from collections.abc import Callable, Mapping
from itertools import zip_longest
from pathlib import Path
from textwrap import dedent
from typing import TypeVar

from multiverse.declaration import read_declaration
from multiverse.errors import Fault, InputError
from multiverse.strict_yaml import Node, read_yaml

T = TypeVar("T")

_SMALL = {
    "study.yaml": """\
        study: small
        title: Does a beat b?
        substrate: {kind: scores, rows: rows.csv, outcomes: outcomes.csv}
        methods: [a, b]
        populations: {everything: {}, hard: {column: level, at_least: 2}}
        aggregation: cluster_mean
        endpoints:
          effects:
            - {id: checking, pair: [a, b], factor: V, from: 0, to: 1}
        """,
    "contracts.yaml": """\
        coordinate: contract
        rationale: both are in use
        predicates: {checked: {column: checked, equals: true}, split: {column: split, in: [x, y]}}
        always: [split]
        factors: {V: {"0": [], "1": [checked]}}
        """,
    "dispositions.yaml": """\
        coordinate: disposition
        rationale: a crash counts, or it does not
        options:
          - {id: wrong, legal_present: {answered: match, error: 0}, legal_empty: exclude}
          - {id: dropped, legal_present: {answered: match, error: exclude}, legal_empty: {answered: 0.5, error: 1}}
        """,
    "terminals.yaml": """\
        coordinate: terminal
        rationale: hard rows may be read in two ways
        special: {not: {column: level, below: 3}}
        options:
          - {id: as_is, treatment: as_declared}
          - {id: lenient, treatment: {exempt: [checked]}}
        """,
    "families.yaml": """\
        rationale: both are in use
        families:
          strict: {disposition: [wrong]}
          lenient: {disposition: [dropped], terminal: all}
          audit: {union: [strict, lenient]}
        """,
    "rows.csv": """\
        row_id,cluster_id,level,checked,split
        r1,c1,1,true,x
        r2,c1,2,false,y
        r3,c2,3,false,x
        """,
    "outcomes.csv": """\
        row_id,method,status,score
        r1,a,answered,1
        r1,b,answered,0
        r2,a,error,
        r2,b,answered,0.5
        r3,a,answered,1
        r3,b,error,
        """,
}
SMALL: Mapping[str, str] = {name: dedent(text) for name, text in _SMALL.items()}


def node_of(text: str, file: str = "f.yaml") -> Node:
    """The node of YAML text that is well formed."""
    node, faults = read_yaml(dedent(text).encode(), file)
    assert faults == ()
    assert node is not None
    return node


def accepted(read: Callable[[Node, list[Fault]], T], text: str) -> T:
    """What a reader makes of text that it finds nothing wrong with."""
    faults: list[Fault] = []
    found = read(node_of(text), faults)
    assert faults == []
    return found


def refused(read: Callable[[Node, list[Fault]], object], text: str) -> list[str]:
    """The faults that a reader finds, in their order in the text; no place is shown where a fault is at its mark.

    The first fault is at its mark where the first `^` stands in the text, which is read without them, and so on.
    """
    marks, plain = _marked(dedent(text))
    faults: list[Fault] = []
    read(node_of(plain), faults)
    found = sorted(map(str, faults), key=lambda message: [int(part) for part in message.split(":")[1:3]])
    return [
        message.removeprefix(f"f.yaml:{mark}: ") for message, mark in zip_longest(found, marks, fillvalue="no fault")
    ]


def _marked(text: str) -> tuple[list[str], str]:
    """Where in the text each `^` stands, and the text without them."""
    before, *parts = text.split("^")
    marks = []
    for part in parts:
        marks.append(f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}")
        before += part
    return marks, before


def write_small(folder: Path, **changed: str | None) -> Path:
    """The small study in a folder, with some YAML files replaced, or left out where None."""
    files: dict[str, str | None] = {**SMALL, **{f"{name}.yaml": text for name, text in changed.items()}}
    for name, text in files.items():
        if text is not None:
            (folder / name).write_text(dedent(text), encoding="utf-8", newline="\n")
    return folder


def study_faults(folder: Path) -> list[str]:
    """The faults of a study's declaration, the folder cut off their places."""
    try:
        read_declaration(folder)
    except InputError as error:
        return [str(fault).replace(f"{folder}/", "", 1) for fault in error.faults]
    return []
