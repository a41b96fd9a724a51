"""The coordinate files: what their options mean, and everything that can be wrong with them."""

from collections.abc import Callable, Mapping
from fractions import Fraction

import pytest

from declared import accepted, refused
from multiverse.declaration.aggregations import read_aggregations
from multiverse.declaration.coordinates import (
    ContractFile,
    TerminalFile,
    read_contracts,
    read_dispositions,
    read_readings,
    read_terminals,
)
from multiverse.declaration.scorings import read_scorings
from multiverse.errors import Fault
from multiverse.predicates import TRUE, Leaf, Predicate
from multiverse.specification import Aggregation, Contract, Disposition, Entries, Reading, Scoring, Terminal
from multiverse.strict_yaml import Node

HALF = Fraction(1, 2)
ENTRY = "\n  expected match, exclude or a number in [0, 1]"
APART = "\n  expected levels that tell contracts apart"
ONLY = "\n  expected match only under legal_present: answered"
ANOTHER = "\n  expected an id that no other has"
ABSENT = "\n  expected it to be given"
QUOTES = "\n  expected text: put it in quotes"


def match_rules(node: Node, faults: list[Fault]) -> tuple[Scoring, ...]:
    return read_scorings(node, "hypotheses", faults)


def score_rules(node: Node, faults: list[Fault]) -> tuple[Scoring, ...]:
    return read_scorings(node, "scores", faults)


def terminals(node: Node, faults: list[Fault]) -> TerminalFile:
    return read_terminals(node, {"p": TRUE, "adopted": TRUE}, faults)


# contracts.yaml; the text of a case starts at line 3

CONTRACTS = "{coordinate: contract, rationale: why,\npredicates: {p: {}, q: {}},\n"


def contracts(text: str) -> ContractFile:
    return accepted(read_contracts, f"{CONTRACTS}{text}}}")


def levels(contract: Contract) -> dict[str, str]:
    return dict(contract.levels)


def test_a_factorial_is_every_combination_the_last_factor_fastest() -> None:
    found = contracts('factors: {R: {"0": [], "1": [p]}, T: {lax: [q], strict: [p, q]}}')
    assert found == ContractFile(
        contracts=(
            Contract(id="R0Tlax", require=("q",), levels=(("R", "0"), ("T", "lax"))),
            Contract(id="R0Tstrict", require=("p", "q"), levels=(("R", "0"), ("T", "strict"))),
            Contract(id="R1Tlax", require=("p", "q"), levels=(("R", "1"), ("T", "lax"))),
            Contract(id="R1Tstrict", require=("p", "q"), levels=(("R", "1"), ("T", "strict"))),
        ),
        predicates={"p": TRUE, "q": TRUE},
        always=(),
    )


@pytest.mark.parametrize(
    ("template", "ids"),
    [
        ("R{R}.T{T}", ["R0.Tx", "R1.Tx"]),
        ("{T}-{R}", ["x-0", "x-1"]),
        ("{R}{T}{R}", ["0x0", "1x1"]),
        ("{{R}}{T}", ["{0}x", "{1}x"]),
        ("no {R} {T}", ["no 0 x", "no 1 x"]),
    ],
)
def test_the_template_names_the_contracts(template: str, ids: list[str]) -> None:
    found = contracts(f'factors: {{R: {{"0": [], "1": [p]}}, T: {{x: []}}}}, id: "{template}"')
    assert [contract.id for contract in found.contracts] == ids


def test_plain_contracts_follow_the_factorial() -> None:
    """A level is text; bare whole numbers are their digits."""
    found = contracts(
        "always: [q], factors: {A: {'0': []}}, "
        "options: [{id: no levels, require: [q, p]}, {id: c, levels: {A: 1, B: x}}]"
    )
    assert found.always == ("q",)
    assert found.contracts == (
        Contract(id="A0", require=(), levels=(("A", "0"),)),
        Contract(id="no levels", require=("q", "p")),
        Contract(id="c", require=(), levels=(("A", "1"), ("B", "x"))),
    )


def test_predicates_of_contracts_are_read() -> None:
    found = accepted(
        read_contracts,
        "{coordinate: contract, predicates: {late: {column: lag, above: 2}}, options: [{id: c, require: [late]}]}",
    )
    assert isinstance(late := found.predicates["late"], Leaf)
    assert (late.column, late.test, late.values) == ("lag", "above", (2,))


@pytest.mark.parametrize(
    ("text", "unexplained"),
    [
        ("rationale: why, factors: {A: {x: []}}, options: [{id: c}]", ()),
        ("factors: {A: {x: [], y: []}}, options: [{id: c}]", ("Ax", "Ay", "c")),
        ("options: [{id: c}, {id: d, rationale: why}]", ("c",)),
    ],
)
def test_contracts_without_a_rationale_are_named(text: str, unexplained: tuple[str, ...]) -> None:
    assert accepted(read_contracts, f"{{coordinate: contract, {text}}}").unexplained == unexplained


OPTION_KEYS = "'id', 'levels', 'rationale', 'require'"


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        # names
        ("options: [{id: c, require: [^P]}]", ["unknown predicate 'P'\n  expected one of 'p', 'q'"]),
        (
            "always: [^pp], options: [{id: c}]",
            ["unknown predicate 'pp'\n  expected one of 'p', 'q'\n  did you mean 'p'?"],
        ),
        ("factors: {A: {x: [p, ^r]}}", ["unknown predicate 'r'\n  expected one of 'p', 'q'"]),
        ("options: [{id: c, require: [p, ^p]}]", ["require lists 'p' twice\n  expected it once"]),
        (
            "options: [{id: c, ^requires: [p]}]",
            [f"unknown key in the option 'requires'\n  expected one of {OPTION_KEYS}\n  did you mean 'require'?"],
        ),
        (
            "options: [{id: c}], ^factor: {}",
            [
                "unknown key in the file 'factor'\n  expected one of 'always', 'coordinate', 'factors', 'id', "
                "'options', 'predicates', 'rationale'\n  did you mean 'factors'?"
            ],
        ),
        # ids
        ("options: [{^id: a/b}]", ["the option id 'a/b' holds '/'\n  expected an id without it"]),
        (
            "options: [{id: c}, {id: d}, {^id: c}, {^id: c}]",
            [
                "duplicate option id 'c', first at line 3" + ANOTHER,
                "duplicate option id 'c', first at line 3" + ANOTHER,
            ],
        ),
        ("factors: {A: {x: []}},\noptions: [{^id: Ax}]", ["duplicate option id 'Ax', first at line 3" + ANOTHER]),
        ("options: [^{require: []}]", [f"the option has no key 'id'{ABSENT}"]),
        ("options: [{id: ^7}]", [f"id is the number 7{QUOTES}"]),
        ("options: [{id: ^' '}]", ["id is blank\n  expected some text"]),
        ("options: [{id: c, rationale: ^''}]", ["rationale is blank\n  expected some text"]),
        # factors
        ("factors: {A: ^{}}", ["factor 'A' has no level\n  expected at least one"]),
        # forms
        ("options: ^{id: c}", ["options is a mapping\n  expected a list"]),
        ("options: [^c]", ["the option is the text 'c'\n  expected a mapping"]),
        ("factors: ^[A]", ["factors is a list of 1\n  expected a mapping"]),
        ("factors: {A: ^[p]}", ["factor A is a list of 1\n  expected a mapping"]),
        ("factors: {A: {x: ^p}}", ["level x of factor A is the text 'p'\n  expected a list"]),
        ("factors: {A: {^' ': []}}", ["a level of factor A is blank\n  expected some text"]),
        ("factors: {^é: {x: []}}", ["the name 'é' in factors\n  expected a name in ASCII letters"]),
        ("options: [{id: c, levels: {A: ^true}}]", [f"a level is true{QUOTES}"]),
        ("options: [{id: c, levels: {A: ^1.0}}]", [f"a level is the number 1.0{QUOTES}"]),
        ("options: [{id: c, levels: ^[A]}]", ["levels is a list of 1\n  expected a mapping"]),
        # the template
        ("factors: {A: {x: []}}, ^id: 'A'", ["the id 'A' leaves out factor A\n  expected every factor in braces"]),
        (
            "factors: {A: {x: []}, B: {x: []}, C: {x: []}}, ^id: '{B}'",
            ["the id '{B}' leaves out factor A, C\n  expected every factor in braces"],
        ),
        (
            "factors: {Aa: {x: []}}, ^id: '{Aa}{A}'",
            ["unknown factor 'A'\n  expected one of 'Aa'\n  did you mean 'Aa'?"],
        ),
        ("^factors: {A: {a/b: [], c/d: []}}", ["the option id 'Aa/b' holds '/'\n  expected an id without it"]),
        (
            "factors: {A: {'1': [], '11': []}, B: {'1': [], '11': []}}, ^id: '{A}{B}'",
            ["two combinations of levels have the id '111'\n  expected an id that tells them apart"],
        ),
        (
            "^id: c, options: [{id: c}]",
            ["id without factors\n  expected factors, whose levels it joins; each of options has its own id"],
        ),
        # levels
        (
            "options: [{id: a, levels: {A: 0}}, {id: b, ^levels: {A: '0'}}]",
            ["contracts 'a' and 'b' have equal levels" + APART],
        ),
        (
            "options: [{id: a, levels: {A: x, B: y}}, {id: b, ^levels: {B: y, A: x}}]",
            ["contracts 'a' and 'b' have equal levels" + APART],
        ),
        (
            "factors: {A: {'0': []}}, options: [{id: c, ^levels: {A: 0}}]",
            ["contracts 'A0' and 'c' have equal levels" + APART],
        ),
    ],
)
def test_what_is_wrong_with_contracts(text: str, messages: list[str]) -> None:
    assert refused(read_contracts, f"{CONTRACTS}{text}}}") == messages


def test_contracts_without_levels_are_not_alike() -> None:
    assert len(contracts("options: [{id: a}, {id: b, levels: {}}]").contracts) == 2


@pytest.mark.parametrize("count", [17, 400])
def test_a_factorial_has_a_limit(count: int) -> None:
    """Of 2^16 contracts; the check is made before they are."""
    factors = ", ".join(f"F{n}: {{x: [], y: []}}" for n in range(count))
    message = f"the factors make {2**count} contracts\n  expected at most 65536"
    assert refused(read_contracts, f"{CONTRACTS}^factors: {{{factors}}}}}") == [message]


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            "^{coordinate: contract, options: []}",
            ["the file declares no contract\n  expected factors, options, or both"],
        ),
        (
            "^{coordinate: contract, factors: {}}",
            ["the file declares no contract\n  expected factors, options, or both"],
        ),
        ("^options: [{id: c}]", [f"the file has no key 'coordinate'{ABSENT}"]),
        (
            "{coordinate: ^terminal, options: [{id: c}]}",
            ["unknown coordinate 'terminal'\n  expected one of 'contract'"],
        ),
        ("^[]", ["the file is an empty list\n  expected a mapping"]),
        (
            "{coordinate: contract, predicates: ^[p], options: [{id: c}]}",
            ["predicates is a list of 1\n  expected a mapping"],
        ),
        (
            "{coordinate: contract, predicates: {p: ^q}, options: [{id: c}]}",
            ["the predicate is the text 'q'\n  expected a mapping"],
        ),
        (
            "{coordinate: contract, always: [^p], options: [{id: c}]}",
            ["unknown predicate 'p'\n  expected no predicate: none is declared"],
        ),
    ],
)
def test_what_is_wrong_with_a_file_of_contracts(text: str, messages: list[str]) -> None:
    assert refused(read_contracts, text) == messages


# dispositions.yaml


def test_dispositions() -> None:
    found = accepted(
        read_dispositions,
        """\
        coordinate: disposition
        options:
          - id: baseline
            rationale: why
            legal_present: {answered: match, empty: 0, "time out": 0.5}
            legal_empty: {answered: 0, empty: 1}
          - id: conditional
            legal_present: {answered: match, empty: exclude}
            legal_empty: exclude
          - {id: flat, legal_present: 1, legal_empty: 0.0}
        """,
    )
    present = Entries(by_state={"answered": "match", "empty": Fraction(0), "time out": HALF})
    empty = Entries(by_state={"answered": Fraction(0), "empty": Fraction(1)})
    assert found == (
        (
            Disposition(id="baseline", legal_present=present, legal_empty=empty),
            Disposition(
                id="conditional",
                legal_present=Entries(by_state={"answered": "match", "empty": "exclude"}),
                legal_empty=Entries(by_state={}, every_state="exclude"),
            ),
            Disposition(
                id="flat",
                legal_present=Entries(by_state={}, every_state=Fraction(1)),
                legal_empty=Entries(by_state={}, every_state=Fraction(0)),
            ),
        ),
        ("conditional", "flat"),
    )


def test_entries_by_state() -> None:
    entries = Entries(by_state={"answered": "match"})
    assert [entries.entry(state) for state in ("answered", "missing")] == ["match", None]
    assert Entries(by_state={}, every_state="exclude").entry("missing") == "exclude"


@pytest.mark.parametrize(
    ("option", "messages"),
    [
        ("^{id: d, legal_empty: 0}", [f"the option has no key 'legal_present'{ABSENT}"]),
        ("^{id: d, legal_present: 0}", [f"the option has no key 'legal_empty'{ABSENT}"]),
        ("{id: d, legal_present: ^match, legal_empty: 0}", ["match under legal_present: every state" + ONLY]),
        ("{id: d, legal_present: {empty: ^match}, legal_empty: 0}", ["match under legal_present: empty" + ONLY]),
        ("{id: d, legal_present: {answred: ^match}, legal_empty: 0}", ["match under legal_present: answred" + ONLY]),
        ("{id: d, legal_present: 0, legal_empty: {answered: ^match}}", ["match under legal_empty: answered" + ONLY]),
        (
            "{id: d, legal_present: {answered: ^Match}, legal_empty: 0}",
            [f"the entry of answered is the text 'Match'{ENTRY}"],
        ),
        (
            "{id: d, legal_present: {answered: ^1.01}, legal_empty: ^-1}",
            [f"the entry of answered is the number 1.01{ENTRY}", f"the entry of every state is the number -1{ENTRY}"],
        ),
        (
            "{id: d, legal_present: {answered: ^true}, legal_empty: ^null}",
            [f"the entry of answered is true{ENTRY}", f"the entry of every state is null{ENTRY}"],
        ),
        (
            "{id: d, legal_present: {answered: ^[0]}, legal_empty: ^[0]}",
            [f"the entry of answered is a list of 1{ENTRY}", "legal_empty is a list of 1\n  expected a mapping"],
        ),
        (
            "{id: d, legal_present: 0, legal_empty: 0, ^legal: 1}",
            [
                "unknown key in the option 'legal'\n  expected one of 'id', 'legal_empty', 'legal_present', "
                "'rationale'\n"
                "  did you mean 'legal_empty'?"
            ],
        ),
    ],
)
def test_what_is_wrong_with_dispositions(option: str, messages: list[str]) -> None:
    assert refused(read_dispositions, f"{{coordinate: disposition, options: [{option}]}}") == messages


# terminals.yaml


def test_terminals() -> None:
    found = accepted(
        terminals,
        """\
        coordinate: terminal
        special: {column: end, equals: true}
        options:
          - {id: asym, treatment: as_declared, rationale: why}
          - {id: keep, treatment: {exempt: [adopted, p]}}
          - {id: drop, treatment: never_legal}
          - {id: same, treatment: {exempt: []}}
        """,
    )
    assert found.terminals == (
        Terminal(id="asym"),
        Terminal(id="keep", exempt=("adopted", "p")),
        Terminal(id="drop", treatment="never_legal"),
        Terminal(id="same"),
    )
    assert isinstance(found.special, Leaf)
    assert found.unexplained == ("keep", "drop", "same")


def test_without_special_treatments_nothing_need_be_special() -> None:
    found = accepted(terminals, "{coordinate: terminal, rationale: why, options: [{id: a, treatment: as_declared}]}")
    assert found == TerminalFile(terminals=(Terminal(id="a"),), special=None)


NOT_SPECIAL = (
    "the treatment speaks of special objects, and the file has no key 'special'\n"
    "  expected special: a predicate that tells which they are"
)
TREATMENTS = "\n  expected as_declared, never_legal or {exempt: [...]}"


@pytest.mark.parametrize(
    ("rest", "messages"),
    [
        ("options: [{id: a, treatment: ^never_legal}]", [NOT_SPECIAL]),
        (
            "options: [{id: a, treatment: ^{exempt: [p]}},\n{id: b, treatment: ^never_legal}]",
            [NOT_SPECIAL, NOT_SPECIAL],
        ),
        ("special: {}, options: [^{id: a}]", [f"the option has no key 'treatment'{ABSENT}"]),
        ("special: {}, options: [{id: a, treatment: ^never}]", [f"the treatment is the text 'never'{TREATMENTS}"]),
        ("special: {}, options: [{id: a, treatment: ^[p]}]", [f"the treatment is a list of 1{TREATMENTS}"]),
        ("special: {}, options: [{id: a, treatment: ^null}]", [f"the treatment is null{TREATMENTS}"]),
        ("special: {}, options: [{id: a, treatment: ^{}}]", [f"the treatment has no key 'exempt'{ABSENT}"]),
        (
            "special: {}, options: [{id: a, treatment: {exempt: [^adoptd]}}]",
            ["unknown predicate 'adoptd'\n  expected one of 'adopted', 'p'\n  did you mean 'adopted'?"],
        ),
        (
            "special: {}, options: [{id: a, treatment: {exempt: [], ^always: [p]}}]",
            ["unknown key in the treatment 'always'\n  expected one of 'exempt'"],
        ),
        (
            "special: ^yes please, options: [{id: a, treatment: never_legal}]",
            ["the predicate is the text 'yes please'\n  expected a mapping"],
        ),
    ],
)
def test_what_is_wrong_with_terminals(rest: str, messages: list[str]) -> None:
    assert refused(terminals, f"{{coordinate: terminal, {rest}}}") == messages


def test_exemptions_are_not_judged_where_predicates_could_not_be_read() -> None:
    text = "{coordinate: terminal, special: {}, options: [{id: a, treatment: {exempt: [x]}}]}"
    predicates: Mapping[str, Predicate] | None = None
    found = accepted(lambda node, faults: read_terminals(node, predicates, faults), text)
    assert found.terminals == (Terminal(id="a", exempt=("x",)),)


@pytest.mark.parametrize(
    ("read", "coordinate"), [(terminals, "terminal"), (read_readings, "reading"), (match_rules, "scoring")]
)
def test_a_file_without_options(read: Callable[[Node, list[Fault]], object], coordinate: str) -> None:
    message = "the file declares no option\n  expected at least one under options"
    assert refused(read, f"^{{coordinate: {coordinate}, options: []}}") == [message]
    assert refused(read, f"^coordinate: {coordinate}") == [message]


# readings.yaml, scorings.yaml, aggregations.yaml


def test_readings() -> None:
    text = "{coordinate: reading, options: [{id: all, where: {}}, {id: none, where: {}, none_left: empty}]}"
    assert accepted(read_readings, text) == (Reading(id="all"), Reading(id="none", none_left="empty"))


def test_scorings_of_hypotheses() -> None:
    options = ", ".join(f"{{id: {rule}, rule: {rule}}}" for rule in ("exact", "overlap", "jaccard", "dice"))
    assert accepted(match_rules, f"{{coordinate: scoring, options: [{options}]}}") == (
        Scoring(id="exact", rule="exact"),
        Scoring(id="overlap", rule="overlap"),
        Scoring(id="jaccard", rule="jaccard"),
        Scoring(id="dice", rule="dice"),
    )


def test_scorings_of_scores() -> None:
    text = """\
        coordinate: scoring
        options:
          - {id: mean, rule: column, column: f1}
          - {id: passed, rule: column, column: score, at_least: 0.5, repeats: majority}
          - {id: best, rule: column, column: score, repeats: max}
          - {id: two, rule: column, column: score, at_least: 0.5, repeats: {pass_at: 2}}
          - {id: cut, rule: column, column: score, at_least: 0.5, repeats: {pass_all: 3}, fewer: clamp}
          - {id: any, rule: column, column: score, at_least: 0.5, repeats: {at_least: 2}, fewer: 0.5}
          - {id: low, rule: column, column: score, decimals: 2, rounding: half_up, repeats: mode, ties: lowest}
        """
    assert accepted(score_rules, text) == (
        Scoring(id="mean", rule="column", column="f1"),
        Scoring(id="passed", rule="column", column="score", at_least=HALF, repeats="majority"),
        Scoring(id="best", rule="column", column="score", repeats="max"),
        Scoring(id="two", rule="column", at_least=HALF, repeats="pass_at", count=2, fewer="exclude"),
        Scoring(id="cut", rule="column", at_least=HALF, repeats="pass_all", count=3, fewer="clamp"),
        Scoring(id="any", rule="column", at_least=HALF, repeats="at_least", count=2, fewer=HALF),
        Scoring(id="low", rule="column", decimals=2, rounding="half_up", repeats="mode", ties="lowest"),
    )


def test_aggregations() -> None:
    options = "{id: r, rule: row_mean}, {id: c, rule: cluster_mean}, {id: s, rule: stratum_mean}"
    assert accepted(read_aggregations, f"{{coordinate: aggregation, options: [{options}]}}") == (
        Aggregation(id="r", rule="row_mean"),
        Aggregation(id="c", rule="cluster_mean"),
        Aggregation(id="s", rule="stratum_mean"),
    )


def test_aggregations_that_read_columns() -> None:
    text = """\
        coordinate: aggregation
        options:
          - {id: weighted, rule: row_mean, weight: size, support: common}
          - {id: macro, rule: group_mean, by: subject, group_weight: share, support: complete}
          - {id: wins, rule: cluster_mean, of: win_share}
          - {id: pooled, rule: auc, label: anomaly}
          - {id: video, rule: auc, label: anomaly, within: video, pool: groups}
        """
    assert accepted(read_aggregations, text) == (
        Aggregation(id="weighted", weight="size", support="common"),
        Aggregation(id="macro", rule="group_mean", by="subject", group_weight="share", support="complete"),
        Aggregation(id="wins", rule="cluster_mean", of="win_share"),
        Aggregation(id="pooled", rule="auc", label="anomaly"),
        Aggregation(id="video", rule="auc", label="anomaly", by="video", pool="groups"),
    )


REPEATS = "'first', 'majority', 'max', 'mean', 'median', 'min', 'mode'"
COUNTED = "one of at_least, pass_at, pass_all, with a number"


@pytest.mark.parametrize(
    ("read", "option", "messages"),
    [
        (read_readings, "^{id: x}", [f"the option has no key 'where'{ABSENT}"]),
        (read_readings, "{id: x, where: ^null}", ["the predicate is null\n  expected a mapping"]),
        (
            read_readings,
            "{id: x, where: {}, none_left: ^mising}",
            ["unknown none_left 'mising'\n  expected one of 'empty', 'missing'\n  did you mean 'missing'?"],
        ),
        (
            read_readings,
            "{id: x, where: {}, ^none: 1}",
            [
                "unknown key in the option 'none'\n  expected one of 'id', 'none_left', 'rationale', 'where'\n"
                "  did you mean 'none_left'?"
            ],
        ),
        (match_rules, "^{id: x}", [f"the option has no key 'rule'{ABSENT}"]),
        (
            match_rules,
            "{id: x, rule: ^exakt}",
            ["unknown rule 'exakt'\n  expected one of 'dice', 'exact', 'jaccard', 'overlap'\n  did you mean 'exact'?"],
        ),
        (
            match_rules,
            "{id: x, rule: ^column, ^column: score}",
            [
                "unknown rule 'column'\n  expected one of 'dice', 'exact', 'jaccard', 'overlap'",
                "unknown key in the option 'column'\n  expected one of 'id', 'rationale', 'rule'",
            ],
        ),
        (score_rules, "{id: x, rule: ^exact, column: score}", ["unknown rule 'exact'\n  expected one of 'column'"]),
        (score_rules, "^{id: x, rule: column}", [f"the option has no key 'column'{ABSENT}"]),
        (score_rules, "{id: x, rule: column, column: ^1}", [f"column is the number 1{QUOTES}"]),
        (
            score_rules,
            "{id: x, rule: column, column: s, ^repeats: majority}",
            ["majority without at_least\n  expected at_least: the score that counts as 1"],
        ),
        (
            score_rules,
            "{id: x, rule: column, column: s, repeats: majority, at_least: ^2}",
            ["at_least is the number 2\n  expected a number in [0, 1]"],
        ),
        (
            score_rules,
            "{id: x, rule: column, column: s, at_least: ^-0.5}",
            ["at_least is the number -0.5\n  expected a number in [0, 1]"],
        ),
        (
            score_rules,
            "{id: x, rule: column, column: s, repeats: ^midian}",
            [f"unknown repeats 'midian'\n  expected one of {REPEATS}\n  did you mean 'median'?"],
        ),
        (
            score_rules,
            "{id: x, rule: column, column: s, ^repeats: {pass_at: 2}}",
            ["pass_at without at_least\n  expected at_least: the score that counts as 1"],
        ),
        (
            score_rules,
            "{id: x, rule: column, column: s, at_least: 1, repeats: {pass_at: ^0}}",
            ["pass_at is the number 0\n  expected a whole number of at least 1 and at most 10000"],
        ),
        (
            score_rules,
            "{id: x, rule: column, column: s, at_least: 1, repeats: ^{pass_at: 2, at_least: 1}}",
            [f"repeats has 2 rules\n  expected {COUNTED}"],
        ),
        (
            score_rules,
            "{id: x, rule: column, column: s, at_least: 1, repeats: ^{}}",
            [f"repeats has 0 rules\n  expected {COUNTED}"],
        ),
        (
            score_rules,
            "{id: x, rule: column, column: s, at_least: 1, repeats: {^pass_k: 2}}",
            [
                "unknown key in repeats 'pass_k'\n  expected one of 'at_least', 'pass_all', 'pass_at'\n"
                "  did you mean 'pass_at'?"
            ],
        ),
        (
            score_rules,
            "{id: x, rule: column, column: s, at_least: 1, repeats: {pass_at: 2}, fewer: ^drop}",
            ["fewer is the text 'drop'\n  expected exclude, clamp or a number in [0, 1]"],
        ),
        (
            score_rules,
            "{id: x, rule: column, column: s, ^fewer: 0}",
            ["fewer with repeats mean\n  expected it with at_least, pass_at, pass_all only"],
        ),
        (
            score_rules,
            "{id: x, rule: column, column: s, ^ties: lowest}",
            ["ties with repeats mean\n  expected it with mode only"],
        ),
        (
            score_rules,
            "{id: x, rule: column, column: s, repeats: mode, ties: ^last}",
            ["unknown ties 'last'\n  expected one of 'first', 'highest', 'lowest'\n  did you mean 'lowest'?"],
        ),
        (
            score_rules,
            "{id: x, rule: column, column: s, ^rounding: half_up}",
            ["rounding without decimals\n  expected decimals: how many are kept"],
        ),
        (
            score_rules,
            "{id: x, rule: column, column: s, decimals: ^1.5}",
            ["decimals is the number 1.5\n  expected a whole number of at least 0 and at most 30"],
        ),
        (
            read_aggregations,
            "{id: x, rule: ^rowmean}",
            [
                "unknown rule 'rowmean'\n  expected one of 'auc', 'cluster_mean', 'group_mean', 'row_mean', "
                "'stratum_mean'\n  did you mean 'row_mean'?"
            ],
        ),
        (read_aggregations, "^{id: x, rule: group_mean}", [f"the option has no key 'by'{ABSENT}"]),
        (read_aggregations, "^{id: x, rule: auc}", [f"the option has no key 'label'{ABSENT}"]),
        (
            read_aggregations,
            "{id: x, rule: row_mean, ^group_weight: w}",
            [
                "unknown key in the option 'group_weight'\n  expected one of 'id', 'of', 'rationale', 'rule', "
                "'support', 'weight'\n  did you mean 'weight'?"
            ],
        ),
        (
            read_aggregations,
            "{id: x, rule: auc, label: y, ^weight: w, support: ^all}",
            [
                "unknown key in the option 'weight'\n  expected one of 'id', 'label', 'pool', 'rationale', 'rule', "
                "'support', 'within'",
                "unknown support 'all'\n  expected one of 'common', 'complete', 'own'",
            ],
        ),
        (
            read_aggregations,
            "{id: x, rule: row_mean, of: ^wins}",
            ["unknown of 'wins'\n  expected one of 'score', 'win_share'\n  did you mean 'win_share'?"],
        ),
        (read_aggregations, "{id: x, rule: ^null}", ["rule is null\n  expected text"]),
    ],
)
def test_what_is_wrong_with_other_options(
    read: Callable[[Node, list[Fault]], object], option: str, messages: list[str]
) -> None:
    coordinate = {"read_readings": "reading", "read_aggregations": "aggregation"}.get(read.__name__, "scoring")
    assert refused(read, f"{{coordinate: {coordinate}, options: [{option}]}}") == messages
