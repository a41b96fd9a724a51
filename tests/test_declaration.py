"""A folder of YAML files as one declaration: what it holds, and every fault of all files in one error."""

from pathlib import Path
from textwrap import dedent

import pytest

from declared import SMALL, study_faults, write_small
from multiverse.declaration import Declaration, read_declaration
from multiverse.errors import InputError
from multiverse.specification import Aggregation, Background, Contract, Reading, Scoring, Terminal

AMBIGUOUS = (
    "means different things to different YAML readers\n  expected it quoted, or true, false, null or a plain decimal"
)
HYPOTHESES = "study: s\nsubstrate: {kind: hypotheses, rows: r.csv, objects: o.csv, predictions: p.csv}\n"
SCORES = "study: s\nsubstrate: {kind: scores, rows: r.csv, outcomes: o.csv}\n"
DISPOSITION = "coordinate: disposition\nrationale: why\noptions: [{id: d, legal_present: 0, legal_empty: 0}]\n"
FAMILY = "rationale: why\nfamilies: {f: {}}\n"


def declared(folder: Path, **changed: str | None) -> Declaration:
    return read_declaration(write_small(folder, **changed))


def faults(folder: Path, **changed: str | None) -> list[str]:
    return study_faults(write_small(folder, **changed))


def least(folder: Path, **files: str | None) -> Path:
    """The three files that a study must have, and the given ones."""
    nothing = {name.removesuffix(".yaml"): None for name in SMALL if name.endswith(".yaml")}
    required = {"study": SCORES, "dispositions": DISPOSITION, "families": FAMILY}
    return write_small(folder, **(nothing | required | files))


def test_the_small_study(tmp_path: Path) -> None:
    found = declared(tmp_path)
    assert (found.folder, found.name, found.title, found.license) == (tmp_path, "small", "Does a beat b?", "")
    assert found.coordinates.declared == ("contract", "disposition", "terminal")
    assert {family.name: [spec.id for spec in family.specs] for family in found.families} == {
        "strict": ["V0/wrong/as_is", "V0/wrong/lenient", "V1/wrong/as_is", "V1/wrong/lenient"],
        "lenient": ["V0/dropped/as_is", "V0/dropped/lenient", "V1/dropped/as_is", "V1/dropped/lenient"],
        "audit": [
            *("V0/wrong/as_is", "V0/wrong/lenient", "V1/wrong/as_is", "V1/wrong/lenient"),
            *("V0/dropped/as_is", "V0/dropped/lenient", "V1/dropped/as_is", "V1/dropped/lenient"),
        ],
    }
    assert found.family("audit").specs[4].cell == "dropped/as_is"
    assert found.backgrounds == {"checking": (Background(levels=(), from_contract=0, to_contract=1),)}
    assert ([*found.predicates], found.always, found.special is None) == (["checked", "split"], ("split",), False)
    assert [population.name for population in found.populations] == ["everything", "hard"]
    assert found.coordinates.aggregation == (Aggregation(id="", rule="cluster_mean"),)
    assert found.warnings == ()


@pytest.mark.parametrize(("study", "scoring"), [(SCORES, Scoring(id="", rule="column")), (HYPOTHESES, Scoring(id=""))])
def test_a_coordinate_without_a_file_is_no_part_of_an_id(tmp_path: Path, study: str, scoring: Scoring) -> None:
    found = read_declaration(least(tmp_path, study=study))
    made = found.coordinates
    assert made.declared == ("disposition",)
    assert [(spec.id, spec.cell) for spec in found.family("f").specs] == [("d", "d")]
    assert (made.contract, made.terminal, made.reading, made.scoring, made.aggregation) == (
        (Contract(id="", require=()),),
        (Terminal(id=""),),
        (Reading(id=""),),
        (scoring,),
        (Aggregation(id="", rule="row_mean"),),
    )
    assert (scoring.column, scoring.repeats) == ("score", "mean")


def test_all_six_coordinates_are_in_the_order_of_the_design(tmp_path: Path) -> None:
    found = read_declaration(
        least(
            tmp_path,
            contracts="coordinate: contract\nrationale: why\noptions: [{id: c}]\n",
            terminals="coordinate: terminal\nrationale: why\noptions: [{id: t, treatment: as_declared}]\n",
            readings="coordinate: reading\noptions: [{id: r1, where: {}}, {id: r2, where: {}, none_left: empty}]\n",
            scorings="coordinate: scoring\noptions: [{id: s, rule: column, column: f1}]\n",
            aggregations="coordinate: aggregation\noptions: [{id: a2, rule: row_mean}, {id: a1, rule: cluster_mean}]\n",
        )
    )
    assert [spec.id for spec in found.family("f").specs] == [
        *("c/d/t/r1/s/a2", "c/d/t/r1/s/a1", "c/d/t/r2/s/a2", "c/d/t/r2/s/a1"),
    ]
    assert found.warnings == ()


def test_what_has_no_rationale_is_warned_of(tmp_path: Path) -> None:
    found = read_declaration(
        least(
            tmp_path,
            contracts="coordinate: contract\nfactors: {A: {x: [], y: []}}\noptions: [{id: c, rationale: why}]\n",
            dispositions=DISPOSITION.replace("rationale: why\n", ""),
            terminals="coordinate: terminal\noptions: [{id: t, treatment: as_declared}]\n",
            families="families: {f: {}, g: {union: [f], rationale: why}}\n",
        )
    )
    assert [warning.removeprefix(f"{tmp_path}/") for warning in found.warnings] == [
        "contracts.yaml: contract 'Ax' has no rationale, its own or its file's",
        "contracts.yaml: contract 'Ay' has no rationale, its own or its file's",
        "dispositions.yaml: disposition 'd' has no rationale, its own or its file's",
        "terminals.yaml: terminal 't' has no rationale, its own or its file's",
        "families.yaml: family 'f' has no rationale, its own or its file's",
    ]


def test_an_unknown_family_is_an_input_error(tmp_path: Path) -> None:
    found = declared(tmp_path)
    with pytest.raises(InputError) as error:
        found.family("audits")
    assert str(error.value) == (
        f"{tmp_path}/families.yaml: unknown family 'audits'\n  expected one of 'audit', 'lenient', 'strict'\n"
        "  did you mean 'audit'?"
    )


# Files


def test_no_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none", write_small(tmp_path) / "study.yaml"):
        with pytest.raises(InputError) as error:
            read_declaration(path)
        assert str(error.value) == f"{path}: no such folder\n  expected a study: a folder of YAML files"


def test_missing_files(tmp_path: Path) -> None:
    """Each is named, and nothing that only follows from it is."""
    assert study_faults(tmp_path) == [
        f"{name}.yaml: no such file\n  expected it in the study's folder"
        for name in ("study", "dispositions", "families")
    ]
    assert faults(tmp_path, dispositions=None) == [
        "dispositions.yaml: no such file\n  expected it in the study's folder"
    ]


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("contract.yaml", "contracts.yaml"),
        ("study.yml", "study.yaml"),
        ("Terminals.YAML", "terminals.yaml"),
        ("families .yaml", "families.yaml"),
    ],
)
def test_a_misspelt_file_is_no_silent_absence(tmp_path: Path, name: str, nearest: str) -> None:
    (write_small(tmp_path) / name).write_text("")
    assert study_faults(tmp_path) == [
        f"{name}: unknown file '{name}'\n"
        "  expected one of 'aggregations.yaml', 'claims.yaml', 'contracts.yaml', 'dispositions.yaml', "
        "'families.yaml', 'readings.yaml', 'scorings.yaml', 'study.yaml', 'terminals.yaml'\n"
        f"  did you mean '{nearest}'?"
    ]


def test_other_files_and_claims_are_left_alone(tmp_path: Path) -> None:
    for name in ("notes.md", "yaml", "study.yaml.bak"):
        (tmp_path / name).write_text("{")
    assert faults(tmp_path, claims="anything: [at, all]\n") == []


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    for name in ("study.yaml", "readings.yaml"):
        (tmp_path / name).mkdir()
    for name in ("dispositions.yaml", "families.yaml"):
        (tmp_path / name).write_text(dedent({"dispositions.yaml": DISPOSITION, "families.yaml": FAMILY}[name]))
    assert study_faults(tmp_path) == [
        f"{name}: cannot be read: Is a directory\n  expected a file of YAML" for name in ("study.yaml", "readings.yaml")
    ]


def test_a_link_to_nothing_is_no_silent_absence(tmp_path: Path) -> None:
    (write_small(tmp_path) / "readings.yaml").symlink_to("nowhere")
    assert study_faults(tmp_path) == ["readings.yaml: no such file\n  expected it in the study's folder"]


# YAML


@pytest.mark.parametrize(
    ("name", "content", "messages"),
    [
        ("study", b"study: no\n", [f"1:8: 'no' {AMBIGUOUS}"]),
        ("study", b"title: 2026-08-18\n", [f"1:8: '2026-08-18' {AMBIGUOUS}"]),
        ("dispositions", b"a: 1e3\nb: 12:30\n", [f"1:4: '1e3' {AMBIGUOUS}", f"2:4: '12:30' {AMBIGUOUS}"]),
        ("contracts", b"factors: {A: {0: []}}\n", ["1:15: mapping keys must be strings: quote 0"]),
        ("contracts", b"id: a\nid: b\n", ["2:1: duplicate key 'id', first at line 1"]),
        (
            "families",
            b"families: &x {f: {}}\nlicense: !!str t\n",
            ["1:11: anchors are not allowed", "2:10: tags are not allowed"],
        ),
        (
            "families",
            b"a: &a [x]\nb: [*a, *a]\n",
            ["1:4: anchors are not allowed", "2:5: anchors are not allowed", "2:9: anchors are not allowed"],
        ),
        ("terminals", b"special: \xff\n", ["1:10: not UTF-8 at byte 9"]),
        ("terminals", b"\xef\xbb\xbfspecial: {}\n", ["1:1: byte-order mark; save as plain UTF-8"]),
        ("claims", b"a: 1\r\n", ["1:5: carriage return; save with LF line ends (check git core.autocrlf)"]),
        ("claims", b"", ["1:1: no document\n  expected one document"]),
        ("study", b"study: [s\n", ["2:1: expected ',' or ']', but got '<stream end>'"]),
        ("study", b"[" * 99, ["1:33: nested too deeply"]),
    ],
)
def test_yaml_that_readers_disagree_on(tmp_path: Path, name: str, content: bytes, messages: list[str]) -> None:
    """And nothing that only follows from the file's being unreadable."""
    (write_small(tmp_path) / f"{name}.yaml").write_bytes(content)
    assert study_faults(tmp_path) == [f"{name}.yaml:{message}" for message in messages]


# All files together


def test_the_faults_of_all_files_are_in_one_error_in_order(tmp_path: Path) -> None:
    found = faults(
        tmp_path,
        study=SMALL["study.yaml"].replace("title", "titel").replace("factor: V", "factor: W") + "methods: all\n",
        contracts=SMALL["contracts.yaml"].replace("[checked]", "[check]"),
        dispositions=SMALL["dispositions.yaml"].replace("error: 0", "error: 2"),
        families=SMALL["families.yaml"].replace("[wrong]", "[wrnog]").replace("lenient]", "strct]"),
    )
    assert found == [
        "study.yaml:10:1: duplicate key 'methods', first at line 4",
        "contracts.yaml:5:30: unknown predicate 'check'\n  expected one of 'checked', 'split'\n"
        "  did you mean 'checked'?",
        "dispositions.yaml:4:57: the entry of error is the number 2\n  expected match, exclude or a number in [0, 1]",
        "families.yaml:3:26: unknown disposition option 'wrnog'\n  expected one of 'dropped', 'wrong'\n"
        "  did you mean 'wrong'?",
        "families.yaml:5:27: unknown family 'strct'\n  expected one of 'audit', 'lenient', 'strict'\n"
        "  did you mean 'strict'?",
    ]


def test_names_are_checked_beside_other_faults(tmp_path: Path) -> None:
    study = SMALL["study.yaml"].replace("title", "titel").replace("factor: V, from: 0", "factor: V, from: 2")
    study = study.replace("pair: [a, b]", "pair: [a, B]")
    found = faults(tmp_path, study=study, terminals=SMALL["terminals.yaml"].replace("special", "specials"))
    assert found == [
        "study.yaml:2:1: unknown key in the file 'titel'\n  expected one of 'aggregation', 'endpoints', 'gates', "
        "'methods', 'populations', 'resampling', 'study', 'substrate', 'title'\n  did you mean 'title'?",
        "study.yaml:9:32: unknown method 'B'\n  expected one of 'a', 'b'",
        "study.yaml:9:47: unknown level of factor V '2'\n  expected one of '0', '1'",
        "terminals.yaml:3:1: unknown key in the file 'specials'\n  expected one of 'coordinate', 'options', "
        "'rationale', 'special'\n  did you mean 'special'?",
        "terminals.yaml:6:30: the treatment speaks of special objects, and the file has no key 'special'\n"
        "  expected special: a predicate that tells which they are",
    ]


@pytest.mark.parametrize("name", ["study", "contracts", "dispositions", "terminals", "readings", "scorings"])
def test_a_file_that_cannot_be_read_is_the_only_fault(tmp_path: Path, name: str) -> None:
    """Families, exemptions, effects and contrasts that name what it may declare are not judged."""
    study = SMALL["study.yaml"] + "  contrasts: [{id: c, effect: checking, coordinate: terminal, from: as_is, to: x}]\n"
    files = {
        "study": study.replace("to: x", "to: lenient"),
        "readings": "coordinate: reading\noptions: [{id: r, where: {}}]\n",
        "scorings": "coordinate: scoring\noptions: [{id: s, rule: column, column: score}]\n",
        "families": "families: {f: {}, g: {contract: [V1], disposition: [wrong], terminal: [as_is], reading: [r]}}",
    }
    assert faults(tmp_path, **files) == []
    assert faults(tmp_path, **(files | {name: "{"})) == [
        f"{name}.yaml:1:2: expected the node content, but found '<stream end>'"
    ]


@pytest.mark.parametrize("key", ["factors: {V: {}}", "options: []", "options: [{}]"])
def test_options_are_not_judged_where_their_file_declares_none(tmp_path: Path, key: str) -> None:
    found = faults(
        tmp_path,
        contracts=f"coordinate: contract\npredicates: {{checked: {{}}}}\n{key}\n",
        families="families: {f: {contract: [V1]}}",
    )
    assert len(found) == 1
    assert found[0].startswith("contracts.yaml:")


def test_the_aggregation_is_named_once(tmp_path: Path) -> None:
    aggregations = "coordinate: aggregation\noptions: [{id: r, rule: row_mean}]\n"
    assert faults(tmp_path, aggregations=aggregations) == [
        "study.yaml:6:1: aggregation is named here and in aggregations.yaml\n  expected it in one of the two"
    ]
    study = SMALL["study.yaml"].replace("aggregation: cluster_mean\n", "\n")
    assert declared(tmp_path, aggregations=aggregations, study=study).coordinates.aggregation[0].id == "r"


@pytest.mark.parametrize(
    ("study", "scorings", "messages"),
    [
        (
            HYPOTHESES,
            "options: [{id: s, rule: column, column: f1}]",
            [
                "2:25: unknown rule 'column'\n  expected one of 'dice', 'exact', 'jaccard', 'overlap'",
                "2:33: unknown key in the option 'column'\n  expected one of 'id', 'rationale', 'rule'",
            ],
        ),
        (
            SCORES,
            "options: [{id: s, rule: exact}]",
            [
                "2:11: the option has no key 'column'\n  expected it to be given",
                "2:25: unknown rule 'exact'\n  expected one of 'column'",
            ],
        ),
    ],
)
def test_scorings_are_those_of_the_kind(tmp_path: Path, study: str, scorings: str, messages: list[str]) -> None:
    folder = least(tmp_path, study=study, scorings=f"coordinate: scoring\n{scorings}\n")
    assert study_faults(folder) == [f"scorings.yaml:{message}" for message in messages]


# Effects and contrasts


def effect(text: str) -> str:
    """The small study with another effect."""
    return SMALL["study.yaml"].replace("{id: checking, pair: [a, b], factor: V, from: 0, to: 1}", text)


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            "{id: e, pair: [a, b], factor: v, from: 0, to: 1}",
            ["9:29: unknown factor 'v'\n  expected one of 'V'"],
        ),
        (
            "{id: e, pair: [a, b], factor: V, from: on, to: 10}".replace("on,", "'on',"),
            [
                "9:40: unknown level of factor V 'on'\n  expected one of '0', '1'",
                "9:52: unknown level of factor V '10'\n  expected one of '0', '1'\n  did you mean '1'?",
            ],
        ),
    ],
)
def test_unknown_names_in_effects(tmp_path: Path, text: str, messages: list[str]) -> None:
    assert faults(tmp_path, study=effect(text)) == [f"study.yaml:{message}" for message in messages]


def test_an_effect_without_contracts(tmp_path: Path) -> None:
    study = SCORES + "endpoints: {effects: [{id: e, pair: [a, b], factor: V, from: 0, to: 1}]}\n"
    assert study_faults(least(tmp_path, study=study)) == [
        "study.yaml:3:45: unknown factor 'V'\n  expected no factor: none is declared"
    ]


def test_an_effect_without_a_background(tmp_path: Path) -> None:
    options = "[{id: x, levels: {V: 0, W: 0}}, {id: y, levels: {V: 1, W: 1}}]"
    contracts = f"coordinate: contract\nrationale: why\noptions: {options}\n"
    assert faults(tmp_path, contracts=contracts, terminals=None, families=FAMILY) == [
        "study.yaml:9:7: no two contracts differ by going from level '0' to '1' of factor V alone\n"
        "  expected contracts at both levels of one background"
    ]


@pytest.mark.parametrize(
    "families",
    [
        "families: {f: {contract: [V0]}, g: {contract: [V1]}}",  # each side in another family
        "families: {f: {contract: [V0], disposition: [wrong]}, g: {contract: [V1], disposition: [dropped]}, "
        "h: {union: [f, g]}}",
    ],
)
def test_an_effect_that_no_family_holds_whole(tmp_path: Path, families: str) -> None:
    assert faults(tmp_path, families=families) == [
        "study.yaml:9:7: no family holds a cell of effect 'checking' whole\n"
        "  expected a family with both contracts of every background"
    ]


def test_one_whole_cell_in_one_family_will_do(tmp_path: Path) -> None:
    families = "families: {f: {contract: [V0]}, g: {contract: [V1], terminal: [as_is]}, h: {union: [f, g]}}"
    assert faults(tmp_path, families=families) == []


def test_contrasts_name_declared_options(tmp_path: Path) -> None:
    contrasts = (
        "  contrasts:\n"
        "    - {id: c, effect: checking, coordinate: terminal, from: as_is, to: as_it}\n"
        "    - id: d\n      effect: checking\n      coordinate: reading\n      from: r\n      to: s\n"
        "    - {id: e, effect: checking, coordinate: disposition, from: none, to: wrong}\n"
        "    - {id: f, effect: checking, coordinate: disposition, from: dropped, to: wrong}\n"
    )
    assert faults(tmp_path, study=SMALL["study.yaml"] + contrasts) == [
        "study.yaml:11:68: unknown terminal option 'as_it'\n  expected one of 'as_is', 'lenient'\n"
        "  did you mean 'as_is'?",
        "study.yaml:14:7: the contrast is over the coordinate reading, which the study does not declare\n"
        "  expected readings.yaml in the study's folder",
        "study.yaml:17:58: unknown disposition option 'none'\n  expected one of 'dropped', 'wrong'",
    ]
