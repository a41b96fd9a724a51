"""Whatever is done to a study's YAML, an audit ends as an Audit or as an InputError that says what is wrong."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import pytest
import yaml
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from declared import SMALL
from multiverse.audit import Audit, audit
from multiverse.errors import InputError

HYPOTHESES: Mapping[str, str] = {
    **SMALL,
    "study.yaml": SMALL["study.yaml"].replace(
        "{kind: scores, rows: rows.csv, outcomes: outcomes.csv}",
        "\n  kind: hypotheses\n  rows: rows.csv\n  objects: objects.csv\n  predictions: predictions.csv",
    ),
    "dispositions.yaml": SMALL["dispositions.yaml"].replace("error: ", "empty: "),
    "scorings.yaml": "coordinate: scoring\noptions: [{id: exact, rule: exact}, {id: dice, rule: dice}]\n",
    "readings.yaml": "coordinate: reading\noptions:\n  - id: final\n    where: {column: turn, at_least: 2}\n",
    "objects.csv": "row_id,group_id,object_id,level,checked,split\nr1,g,o,1,true,x\nr2,g,p,3,false,y\n",
    "predictions.csv": "row_id,method,hypothesis_id,object_id,turn\n"
    "r1,a,h,o,2\nr1,b,,,2\nr2,a,h,o,2\nr2,b,h,p,3\nr3,a,,,2\nr3,b,,,2\n",
}
STUDIES = {"scores": SMALL, "hypotheses": HYPOTHESES}
WORDS = """
    no on ~ null true 1e3 12:30 014 2026-08-18 .nan -0.0 0x1F = << é *x &x !!str [] {} [[[]]] {a:[b]} [a,a] -a ? | >- #
    %YAML --- 0 1 -1 0.5 1.5 9007199254740993 '0' match exclude all never_legal as_declared hypotheses scores contract
    terminal cluster_mean audit strict level checked split V a rows.csv nowhere.csv ../../nowhere *.csv [ ** a**b.csv
    study.yaml '' '/' '..' 'a/b' "\\0" "\\n" "\\ud800" "\\u202e" {not:{}} {any:[]} {union:[audit]} {exempt:[checked]}
"""
HOSTILE = [*WORDS.split(), " ", "''", "' '", "1" * 400, "[" * 40, "{a: " * 40, "x" * 5000, f"'{'a' * 300}.csv'"]
HOSTILE += ["{column: level, in: []}", "{column: split, at_least: 1}", "{column: level, equals: x}"]
KEYS = """
    study title substrate kind methods populations aggregation endpoints effects gates resampling decompositions
    contrasts coordinate rationale predicates always factors id options require levels legal_present legal_empty special
    treatment exempt where union column equals in is_null all any not rule families license from to pair weight by label
    within pool support of group_weight at_least decimals rounding repeats pass_at fewer ties
"""
PIECES = [bytes([byte]) for byte in b"\xff\0\r\t \n:[]{},'\"#&*!|>%@`"]
PIECES += [b": ", b"- ", b"\n- ", b"&a ", b"!!x ", b"  "]
WRAPS = [("[", "]"), ("{a: ", "}"), ("{not: ", "}"), ("'", "'"), ('"', '"'), ("!x ", ""), ("[" * 9, "]" * 9)]

Tree: TypeAlias = Any
Mutation = Callable[[bytes], bytes]
SCALAR = re.compile(rb"[\w.]+")


def spliced(start: int, removed: int, piece: bytes) -> Mutation:
    """Bytes from a place on (counted round) replaced by others: a deletion, an insertion, a flip."""

    def mutate(content: bytes) -> bytes:
        at = start % (len(content) + 1)
        return content[:at] + piece + content[at + removed :]

    return mutate


def flipped(start: int, bit: int) -> Mutation:
    """One bit flipped."""

    def mutate(content: bytes) -> bytes:
        at = start % (len(content) or 1)
        return content[:at] + bytes(byte ^ (1 << bit) for byte in content[at : at + 1]) + content[at + 1 :]

    return mutate


def replaced(number: int, before: str, after: str | None = None) -> Mutation:
    """One scalar or key replaced, or wrapped between two texts."""

    def mutate(content: bytes) -> bytes:
        found = list(SCALAR.finditer(content))
        if not found:
            return content
        one = found[number % len(found)]
        piece = before.encode() if after is None else before.encode() + one[0] + after.encode()
        return content[: one.start()] + piece + content[one.end() :]

    return mutate


def moved(first: int, second: int, how: str) -> Mutation:
    """Two lines swapped; one repeated in the place of the other, or before it; or one left out."""

    def mutate(content: bytes) -> bytes:
        lines = content.splitlines(keepends=True) or [b""]
        i, j = first % len(lines), second % len(lines)
        match how:
            case "swap":
                lines[i], lines[j] = lines[j], lines[i]
            case "overwrite":
                lines[i] = lines[j]
            case "repeat":
                lines.insert(i, lines[j])
            case "drop":
                del lines[i]
            case "indent":
                lines[i] = b"  " + lines[i]
        return b"".join(lines)

    return mutate


numbers = st.integers(0, 999)
mutations = st.one_of(
    st.builds(replaced, numbers, st.sampled_from([*HOSTILE, *KEYS.split()])),
    st.builds(lambda number, wrap: replaced(number, *wrap), numbers, st.sampled_from(WRAPS)),
    st.builds(moved, numbers, numbers, st.sampled_from(["swap", "overwrite", "repeat", "drop", "indent"])),
    st.builds(spliced, numbers, st.integers(0, 12), st.sampled_from([b"", *PIECES])),
    st.builds(flipped, numbers, st.integers(0, 7)),
)
edits = st.lists(st.tuples(numbers, mutations), min_size=1, max_size=3)


KINDS = st.sampled_from(sorted(STUDIES))
RUNS = settings(suppress_health_check=[HealthCheck.too_slow])


@given(kind=KINDS, changes=edits, family=st.sampled_from(["audit", "strict", "", "x" * 300]))
@RUNS
def test_no_mutated_text_ends_in_another_error(kind: str, changes: list[tuple[int, Mutation]], family: str) -> None:
    files = {name: text.encode() for name, text in STUDIES[kind].items()}
    declared = [name for name in files if name.endswith(".yaml")]
    for number, mutate in changes:
        name = declared[number % len(declared)]
        files[name] = mutate(files[name])
    event(outcome(files, family))


# The same on what the text holds, so that more of it is read.

TEXTS = sorted(
    {*KEYS.split(), *(match[0].decode() for match in SCALAR.finditer("\n".join(HYPOTHESES.values()).encode()))}
)
scalars = st.sampled_from(
    [None, True, False, 0, 1, -1, 2, 0.5, 1.5, "", "a/b", "R{R}", "*.csv", "a**b.csv", "a" * 300, *TEXTS]
)
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(TEXTS), inner, max_size=3),
    max_leaves=5,
)
hows = st.sampled_from(["replace", "nest", "list", "copy", "rename", "drop"])
grafts = st.lists(st.tuples(numbers, hows, numbers, trees, st.sampled_from(TEXTS)), min_size=1, max_size=3)


def slots(tree: Tree) -> Iterator[tuple[Tree, Any]]:
    """Every container in a tree with every key in it."""
    for key in list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield tree, key
        yield from slots(tree[key])


def graft(tree: Tree, number: int, how: str, other: int, value: Tree, text: str) -> None:
    """One change of what a file holds."""
    places = list(slots(tree))
    if not places:
        return
    (inside, key), (source, name) = places[number % len(places)], places[other % len(places)]
    if how == "drop":
        del inside[key]
    elif how == "rename":
        inside[text if isinstance(inside, dict) else key] = inside.pop(key) if isinstance(inside, dict) else text
    else:
        old = inside[key]
        inside[key] = {"replace": value, "nest": {text: old}, "list": [old, value], "copy": deepcopy(source[name])}[how]


@given(kind=KINDS, changes=grafts)
@RUNS
def test_no_mutated_tree_ends_in_another_error(kind: str, changes: list[tuple[int, str, int, Tree, str]]) -> None:
    files = dict(STUDIES[kind])
    trees = {name: yaml.safe_load(text) for name, text in files.items() if name.endswith(".yaml")}
    for number, *change in changes:
        graft([*trees.values()][number % len(trees)], number, *change)
    files |= {name: json.dumps(tree) for name, tree in trees.items()}
    event(outcome({name: text.encode() for name, text in files.items()}, "audit"))


@pytest.mark.parametrize("kind", sorted(STUDIES))
def test_unharmed_studies_are_audited(kind: str) -> None:
    assert outcome({name: text.encode() for name, text in STUDIES[kind].items()}, "audit") == "audit"


def outcome(files: Mapping[str, bytes], family: str) -> str:
    """How an audit ends; what is neither an Audit nor an InputError is raised."""
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        try:
            found = audit(folder, family=family)
        except InputError as error:
            assert error.faults
            assert all(fault.where and fault.found for fault in error.faults)
            assert all(line.isprintable() for line in str(error).split("\n"))
            return "input error"
    assert isinstance(found, Audit)
    return "audit"
