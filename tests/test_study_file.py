"""study.yaml: what it declares, its defaults, and everything that can be wrong with it."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from declared import accepted, refused
from multiverse.declaration.study import (
    Contrast,
    Decomposition,
    Endpoints,
    Named,
    Population,
    Resampling,
    StratumContrast,
    StudyFile,
    SubstrateFiles,
    read_study_file,
)
from multiverse.errors import Place
from multiverse.predicates import TRUE, Leaf
from multiverse.specification import Aggregation, Effect

TABLES = "substrate: {kind: hypotheses, rows: r.csv, objects: o.csv, predictions: p.csv}"
START = f"study: s\n{TABLES}\n"


def at(line: int, column: int) -> Place:
    return Place(file="f.yaml", line=line, column=column)


def leaf(column: str, value: str, place: Place) -> Leaf:
    return Leaf(column=column, test="equals", values=(value,), place=place)


def test_the_least_study_has_the_defaults() -> None:
    assert accepted(read_study_file, START) == StudyFile(
        name="s",
        title="",
        substrate=SubstrateFiles(
            kind="hypotheses",
            paths={
                "rows": Named("r.csv", at(2, 31)),
                "objects": Named("o.csv", at(2, 44)),
                "predictions": Named("p.csv", at(2, 60)),
            },
            renamed={},
        ),
        methods=None,
        populations=(Population(name="all", where=TRUE),),
        aggregation=Aggregation(id="", rule="row_mean"),
        aggregation_place=None,
        endpoints=Endpoints(),
        resampling=None,
        gates=(),
    )


def test_a_whole_study() -> None:
    found = accepted(
        read_study_file,
        """\
        study: whole-1.0
        title: Does it?
        substrate:
          kind: scores
          rows: r/*.parquet
          outcomes: ../o.jsonl
          keys: {row: id, stratum: corpus}
        methods: [a, "1"]
        populations:
          everything: {}
          hard: {column: level, equals: hard}
        aggregation: stratum_mean
        endpoints:
          effects:
            - id: adoption
              pair: ["1", a]
              factor: A
              from: 0
              to: strict
            - {id: again, pair: [a, "1"], factor: B, from: "0", to: 12}
          decompositions:
            - id: deletion
              effect: adoption
              classes: {hard: {column: level, equals: hard}, rest: {}}
          contrasts:
            - {id: c, effect: again, coordinate: terminal, from: x, to: y}
            - {id: d, effect: again, coordinate: disposition, from: x, to: y, support: common}
          stratum_contrasts:
            - {id: c, effect: adoption, minus: [one, two]}
        resampling: {unit: row, strata: stratum, draws: 1, seed: 20260816, level: 0.9, method: bca}
        gates:
          - {id: g, population: hard, terminal: x, where: {family_nonempty: {factor: A, from: 0, to: strict}},
             count: rows, at_least: 10}
        """,
    )
    assert (found.name, found.title) == ("whole-1.0", "Does it?")
    assert (found.substrate.kind, [*found.substrate.paths]) == ("scores", ["rows", "outcomes"])
    assert [path.text for path in found.substrate.paths.values()] == ["r/*.parquet", "../o.jsonl"]
    assert found.substrate.renamed == {"row": Named("id", at(7, 10)), "stratum": Named("corpus", at(7, 19))}
    assert [found.substrate.key(key) for key in ("row", "cluster", "stratum")] == ["id", "cluster_id", "corpus"]
    assert found.methods == (Named("a", at(8, 11)), Named("1", at(8, 14)))
    hard = leaf("level", "hard", at(11, 9))
    assert found.populations == (Population(name="everything", where=TRUE), Population(name="hard", where=hard))
    assert (found.aggregation, found.aggregation_place) == (Aggregation(id="", rule="stratum_mean"), at(12, 1))
    adoption, again = found.endpoints.effects
    assert adoption == Effect(
        id="adoption", pair=("1", "a"), factor="A", from_level="0", to_level="strict", place=at(15, 7)
    )
    assert {key: (place.line, place.column) for key, place in adoption.places.items()} == {
        "id": (15, 7), "pair": (16, 7), "factor": (17, 7), "from": (18, 7), "to": (19, 7),
    }  # fmt: skip
    assert (again.place, again.from_level, again.to_level) == (at(20, 7), "0", "12")
    assert found.endpoints.decompositions == (
        Decomposition(id="deletion", effect="adoption", classes={"hard": hard, "rest": TRUE}),
    )
    made = [("c", "terminal", "own"), ("d", "disposition", "common")]
    assert found.endpoints.contrasts == tuple(
        Contrast(id=i, effect="again", coordinate=c, from_option="x", to_option="y", support=s)  # type: ignore[arg-type]
        for i, c, s in made
    )
    minus = (Named("one", at(29, 41)), Named("two", at(29, 46)))
    assert found.endpoints.stratum_contrasts == (StratumContrast(id="c", effect="adoption", minus=minus),)
    assert found.resampling == Resampling(
        unit="row", strata=Named("stratum", at(30, 33)), draws=1, seed=20260816, level=Fraction(9, 10), method="bca"
    )
    assert [(gate.id, gate.population, gate.terminal, gate.count, gate.at_least) for gate in found.gates] == [
        ("g", "hard", "x", "rows", 10)
    ]


def test_resampling_has_defaults() -> None:
    found = accepted(read_study_file, START + "resampling: {strata: null}").resampling
    assert found == Resampling(
        unit="cluster", strata=None, draws=10000, seed=0, level=Fraction(19, 20), method="percentile"
    )


ABSENT = "\n  expected it to be given"
QUOTES = "\n  expected text: put it in quotes"
SAFE = "\n  expected letters, digits, '.', '_' and '-' only"
ANOTHER = "\n  expected an id that no other has"
RULES = "\n  expected one of 'cluster_mean', 'row_mean', 'stratum_mean'"
METHODS = "\n  expected all, or a list of at least one method"
SOME = "\n  expected a mapping of at least one entry"
KEYS = "'aggregation', 'endpoints', 'gates', 'methods', 'populations', 'resampling', 'study', 'substrate', 'title'"
EFFECT = "endpoints:\n  effects:\n    - {id: e, pair: [a, b], factor: A, from: x, to: y}\n"


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("^[]", ["the file is an empty list\n  expected a mapping"]),
        ("^^title: t", [f"the file has no key 'study'{ABSENT}", f"the file has no key 'substrate'{ABSENT}"]),
        (f"{TABLES}\nstudy: ^1", [f"study is the number 1{QUOTES}"]),
        (f"{TABLES}\n^study: a b", [f"the study name 'a b'{SAFE}"]),
        (f"{TABLES}\n^study: ../a", [f"the study name '../a'{SAFE}"]),
        (f"{START}title: ^[t]", ["title is a list of 1\n  expected text"]),
        (
            f"{START}^method: all",
            [f"unknown key in the file 'method'\n  expected one of {KEYS}\n  did you mean 'methods'?"],
        ),
        # substrate
        ("study: s\nsubstrate: ^r.csv", ["substrate is the text 'r.csv'\n  expected a mapping"]),
        (
            "study: s\nsubstrate: ^^{kind: scores}",
            [f"substrate has no key '{table}'{ABSENT}" for table in ("rows", "outcomes")],
        ),
        (
            "study: s\nsubstrate: {kind: ^score, rows: r, outcomes: o}",
            ["unknown kind 'score'\n  expected one of 'hypotheses', 'scores'\n  did you mean 'scores'?"],
        ),
        (
            "study: s\nsubstrate: ^{rows: r, objects: o, predictions: p}",
            [f"substrate has no key 'kind'{ABSENT}"],
        ),
        (
            "study: s\nsubstrate: {kind: scores, rows: r, outcomes: o, ^predictions: p}",
            ["unknown key in substrate 'predictions'\n  expected one of 'keys', 'kind', 'outcomes', 'rows'"],
        ),
        (
            "study: s\nsubstrate: {kind: scores, rows: ^[r, s], outcomes: ^' '}",
            ["rows is a list of 2\n  expected text", "outcomes is blank\n  expected some text"],
        ),
        (
            "study: s\nsubstrate: {kind: scores, rows: r, outcomes: o, keys: {^rwo: id, cluster: ^7}}",
            [
                "unknown key in keys 'rwo'\n  expected one of 'cluster', 'row', 'stratum'\n  did you mean 'row'?",
                f"cluster is the number 7{QUOTES}",
            ],
        ),
        # methods, populations, aggregation
        (f"{START}methods: ^[]", [f"methods is an empty list{METHODS}"]),
        (f"{START}methods: ^some", [f"methods is the text 'some'{METHODS}"]),
        (f"{START}methods: ^null", [f"methods is null{METHODS}"]),
        (f"{START}methods: [a, ^1]", [f"an item of methods is the number 1{QUOTES}"]),
        (f"{START}methods: [a, ^a]", ["methods lists 'a' twice\n  expected it once"]),
        (f"{START}populations: ^{{}}", [f"populations is an empty mapping{SOME}"]),
        (f"{START}populations: ^all", [f"populations is the text 'all'{SOME}"]),
        (f"{START}populations: {{a: ^all}}", ["the predicate is the text 'all'\n  expected a mapping"]),
        (f"{START}populations: {{^é: {{}}}}", ["the name 'é' in populations\n  expected a name in ASCII letters"]),
        (f"{START}aggregation: ^mean", [f"unknown aggregation 'mean'{RULES}\n  did you mean 'row_mean'?"]),
        (f"{START}aggregation: ^[row_mean]", ["aggregation is a list of 1\n  expected text"]),
        # resampling
        (f"{START}resampling: ^10000", ["resampling is the number 10000\n  expected a mapping"]),
        (
            f"{START}resampling: {{unit: ^task, draws: ^0, seed: ^-1, method: ^bcaa}}",
            [
                "unknown unit 'task'\n  expected one of 'cluster', 'row'",
                "draws is the number 0\n  expected a whole number of at least 1 and at most 1000000",
                "seed is the number -1\n  expected a whole number of at least 0",
                "unknown method 'bcaa'\n  expected one of 'bca', 'none', 'percentile'\n  did you mean 'bca'?",
            ],
        ),
        (f"{START}resampling: {{^level: 1}}", ["level is the number 1\n  expected a number between 0 and 1"]),
        (f"{START}resampling: {{^level: 0.0}}", ["level is the number 0\n  expected a number between 0 and 1"]),
        (f"{START}resampling: {{level: ^95}}", ["level is the number 95\n  expected a number in [0, 1]"]),
        (f"{START}resampling: {{level: ^'0.95'}}", ["level is the text '0.95'\n  expected a number in [0, 1]"]),
        (
            f"{START}resampling: {{draws: ^1000.0}}",
            ["draws is the number 1000.0\n  expected a whole number of at least 1 and at most 1000000"],
        ),
        (f"{START}resampling: {{strata: ^true}}", [f"strata is true{QUOTES}"]),
        (
            f"{START}resampling: {{^drawz: 5}}",
            [
                "unknown key in resampling 'drawz'\n"
                "  expected one of 'draws', 'interval', 'level', 'method', 'seed', 'strata', 'unit'\n"
                "  did you mean 'draws'?"
            ],
        ),
        # gates
        (f"{START}gates: ^{{}}", ["gates is an empty mapping\n  expected a list"]),
    ],
)
def test_what_is_wrong_with_a_study(text: str, messages: list[str]) -> None:
    assert refused(read_study_file, text) == messages


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("endpoints: ^null", ["endpoints is null\n  expected a mapping"]),
        (
            "endpoints: {^effect: []}",
            [
                "unknown key in endpoints 'effect'\n  expected one of 'contrasts', 'decompositions', 'effects', "
                "'stratum_contrasts'\n  did you mean 'effects'?"
            ],
        ),
        ("endpoints: {effects: ^{}}", ["effects is an empty mapping\n  expected a list"]),
        # effects
        (
            "endpoints: {effects: [^^^^^{}]}",
            [f"the effect has no key '{key}'{ABSENT}" for key in ("id", "pair", "factor", "from", "to")],
        ),
        (
            "methods: [a, b]\nendpoints: {effects: [{id: e, pair: [^A, ^c], factor: F, from: x, to: y}]}",
            [
                "unknown method 'A'\n  expected one of 'a', 'b'",
                "unknown method 'c'\n  expected one of 'a', 'b'",
            ],
        ),
        *[
            (f"endpoints: {{effects: [{{id: e, pair: {pair}, factor: F, from: x, to: y}}]}}", [message])
            for pair, message in [
                ("^[]", "pair is an empty list\n  expected a list of two methods"),
                ("^[a]", "pair is a list of 1\n  expected a list of two methods"),
                ("^[a, b, c]", "pair is a list of 3\n  expected a list of two methods"),
                ("^a", "pair is the text 'a'\n  expected a list of two methods"),
                ("[a, ^a]", "pair lists 'a' twice\n  expected it once"),
                ("[a, ^1]", f"an item of pair is the number 1{QUOTES}"),
            ]
        ],
        (
            "endpoints: {effects: [{id: e, pair: [a, b], factor: F, from: '0', ^to: 0}]}",
            ["the effect goes from level '0' to itself\n  expected two different levels"],
        ),
        (
            "endpoints: {effects: [{id: e, pair: [a, b], factor: F, from: ^true, to: ^0.5}]}",
            [f"a level is true{QUOTES}", f"a level is the number 0.5{QUOTES}"],
        ),
        (
            "endpoints: {effects: [{id: e, pair: [a, b], factor: F, from: x, to: y, ^levels: z}]}",
            ["unknown key in the effect 'levels'\n  expected one of 'factor', 'from', 'id', 'pair', 'to'"],
        ),
        (
            f"{EFFECT}    - {{^id: e, pair: [a, b], factor: A, from: y, to: x}}\n",
            [f"duplicate effect id 'e', first at line 5{ANOTHER}"],
        ),
        # what rests on effects
        (
            "endpoints: {decompositions: [{id: d, ^effect: e, classes: {c: {}}}]}",
            ["unknown effect 'e'\n  expected no effect: none is declared"],
        ),
        (
            f"{EFFECT}  decompositions:\n    - {{id: d, ^effect: ee, classes: ^{{}}}}\n    - ^{{^id: d, effect: e}}\n",
            [
                "unknown effect 'ee'\n  expected one of 'e'\n  did you mean 'e'?",
                f"classes is an empty mapping{SOME}",
                f"the decomposition has no key 'classes'{ABSENT}",
                f"duplicate decomposition id 'd', first at line 7{ANOTHER}",
            ],
        ),
        (
            f"{EFFECT}  decompositions: [{{id: d, effect: e, ^classes: {{"
            f"{', '.join(f'c{n}: {{}}' for n in range(13))}}}}}]",
            ["classes names 13\n  expected at most 12"],
        ),
        (
            f"{EFFECT}  contrasts:\n    - {{id: c, effect: e, coordinate: ^contract, from: u, to: v}}\n"
            "    - {id: d, ^effect: f, coordinate: ^terminl, from: u, ^to: u, support: ^shared}\n"
            "    - ^^^^^{}\n",
            [
                "unknown coordinate 'contract'\n  expected one of 'aggregation', 'disposition', 'reading', 'scoring', "
                "'terminal'",
                "unknown effect 'f'\n  expected one of 'e'",
                "unknown coordinate 'terminl'\n  expected one of 'aggregation', 'disposition', 'reading', 'scoring', "
                "'terminal'\n  did you mean 'terminal'?",
                "the contrast goes from option 'u' to itself\n  expected two different options",
                "unknown support 'shared'\n  expected one of 'common', 'own'",
                *[f"the contrast has no key '{key}'{ABSENT}" for key in ("id", "effect", "coordinate", "from", "to")],
            ],
        ),
        (
            f"{EFFECT}  stratum_contrasts:\n    - {{id: c, effect: e, minus: ^[s]}}\n"
            "    - {^id: c, effect: e, minus: [s, ^s]}\n",
            [
                "minus is a list of 1\n  expected a list of two strata",
                f"duplicate stratum contrast id 'c', first at line 7{ANOTHER}",
                "minus lists 's' twice\n  expected it once",
            ],
        ),
    ],
)
def test_what_is_wrong_with_endpoints(text: str, messages: Sequence[str]) -> None:
    assert refused(read_study_file, START + text) == list(messages)


def test_an_id_may_be_used_once_in_each_kind_of_endpoint() -> None:
    text = f"{START}{EFFECT}  stratum_contrasts: [{{id: e, effect: e, minus: [s, t]}}]"
    assert len(accepted(read_study_file, text).endpoints.stratum_contrasts) == 1
