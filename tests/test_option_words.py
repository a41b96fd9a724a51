"""What an option declares, in words, as one line."""

from pathlib import Path

import pytest

from multiverse.declaration import read_declaration
from multiverse.declaration.predicates import read_predicate
from multiverse.option_words import option_words, predicate_words
from multiverse.specification import COORDINATES
from multiverse.strict_yaml import read_yaml
from small import write_small

FILES = {
    "contracts": """\
        coordinate: contract
        predicates:
          adopted: {column: adopted, equals: true}
          near: {any: [{column: lag, is_null: true}, {column: lag, at_most: 2}]}
        always: [near]
        factors: {A: {"0": [], "1": [adopted]}}
        options: [{id: plain, require: []}]
        """,
    "dispositions": """\
        coordinate: disposition
        options: [{id: base, legal_present: {answered: match, empty: 0}, legal_empty: exclude}]
        """,
    "terminals": """\
        coordinate: terminal
        special: {column: lag, above: 8}
        options:
          - {id: asym, treatment: as_declared}
          - {id: keep, treatment: {exempt: [adopted, near]}}
          - {id: out, treatment: never_legal}
        """,
    "readings": """\
        coordinate: reading
        options:
          - {id: all, where: {}}
          - {id: sure, where: {column: status, equals: "a\\n <b>"}, none_left: empty}
        """,
    "aggregations": """\
        coordinate: aggregation
        options: [{id: deep, rule: group_mean, by: corpus, support: common}]
        """,
}


def test_every_option_is_told_in_one_line(tmp_path: Path) -> None:
    declaration = read_declaration(write_small(tmp_path, files=FILES))
    found = {
        name: [option_words(declaration, name, i) for i in range(len(declaration.coordinates.ids(name)))]
        for name in COORDINATES
    }
    near, special = "requires near (lag is null or lag at most 2)", "; special where lag above 8"
    assert found == {
        "contract": [
            f"{near}; levels A 0",
            f"{near} and adopted (adopted equals true); levels A 1",
            near,
        ],
        "disposition": ["legal_present answered match, empty 0; legal_empty exclude"],
        "terminal": [
            f"special objects are read like any other{special}",
            f"special objects are exempt from adopted, near{special}",
            f"special objects are never legal{special}",
        ],
        "reading": [
            "every record counts; a pair left with none is missing",
            r"records count where status equals 'a\n <b>'; a pair left with none is empty",
        ],
        "scoring": ["exact"],
        "aggregation": ["group mean, by corpus, common support"],
    }


def test_a_study_that_requires_nothing_says_so(tmp_path: Path) -> None:
    contracts = "coordinate: contract\noptions: [{id: any, require: []}]\n"
    declaration = read_declaration(write_small(tmp_path, files={"contracts": contracts}))
    assert option_words(declaration, "contract", 0) == "requires nothing"


SCORINGS = """\
coordinate: scoring
options:
  - {id: passed, rule: column, column: points, decimals: 2, at_least: 0.5, repeats: {pass_at: 3}}
  - {id: usual, rule: column, column: points, repeats: mode, ties: lowest}
"""


def test_a_score_column_says_how_it_is_read_and_repeats_combined(tmp_path: Path) -> None:
    declaration = read_declaration(write_small(tmp_path, "scores", files={"scorings": SCORINGS}))
    assert [option_words(declaration, "scoring", i) for i in (0, 1)] == [
        "column points, rounded to 2 decimals, half_even, 1 from 1/2 on, repeats pass_at 3, fewer exclude",
        "column points, repeats mode, ties lowest",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "anything"),
        ("{column: lag, in: [1, 2.5]}", "lag in 1, 2.5"),
        ("{column: lag, is_null: false}", "lag is not null"),
        ("{not: {column: lag, below: 3}}", "not (lag below 3)"),
        (
            "{all: [{column: a, equals: x}, {any: [{column: b, at_least: 1}, {not: {column: c, is_null: true}}]}]}",
            "a equals 'x' and (b at least 1 or not (c is null))",
        ),
        ("{any: [{all: [{column: a, equals: x}]}, {column: b, above: 1}]}", "a equals 'x' or b above 1"),
    ],
)
def test_a_predicate_in_words(text: str, words: str) -> None:
    node = read_yaml(text.encode(), "f.yaml").node
    assert node is not None
    assert predicate_words(read_predicate(node, [])) == words
