"""The sections of a report: which there are, and what stands in them."""

from pathlib import Path
from typing import Any

import pytest

import multiverse as mv
from multiverse.report.blocks import Section, Table, Text, Verdicts, columns, table
from multiverse.report.findings import finding_sections
from multiverse.report.history import History
from multiverse.report.sentences import name, plain, sentence
from multiverse.report.standing import standing_sections
from multiverse.report.verdict import Json
from multiverse.starter import write_starter
from small import write_small

FINDINGS = ["verdicts", "effects", "families", "rankings", "deletion", "supports"]
STANDING = ["gates", "receipts", "record", "glossary", "verify"]


def sections(audit: mv.Audit, **changed: Any) -> dict[str, Section]:  # noqa: ANN401 of any key of a record
    """The sections on the first population alone."""
    first = next(iter(audit.tables["levels"]["population"]))
    record = {**audit.record, "populations": {first: audit.record["populations"][first]}, **changed}
    return {one.id: one for one in finding_sections(record, audit.tables["options"], {})}


def texts(section: Section) -> list[str]:
    return [plain(block.words) for block in section.blocks if isinstance(block, Text)]


def tables(section: Section) -> dict[str, list[list[str]]]:
    """The cells of every table by its caption."""
    found = [block for block in section.blocks if isinstance(block, Table)]
    return {plain(one.caption): [[plain(cell) for cell in row] for row in one.rows] for one in found}


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> mv.Audit:
    folder = tmp_path_factory.mktemp("starter")
    write_starter(folder)
    return mv.audit(folder, family="audit")


def test_the_sections_are_in_reading_order(starter: mv.Audit) -> None:
    standing = standing_sections(starter.record, "0" * 64, History())
    assert ([*sections(starter)], [one.id for one in standing]) == (FINDINGS, STANDING)


def test_a_verdict_stands_beside_its_witnesses_in_words(starter: mv.Audit) -> None:
    shown = next(one for one in sections(starter)["verdicts"].blocks if isinstance(one, Verdicts))
    assert shown.tally == "The family settles 0 of 4 conclusions."
    effect = shown.verdicts[0]
    assert effect.verdict.values == ("9/140", "3/20")
    lowest = effect.witnesses[0]
    assert plain(lowest.what) == "lowest: errors_dropped"
    assert [(one.coordinate, one.option) for one in lowest.choices] == [("disposition", "errors_dropped")]
    assert lowest.choices[0].words.startswith("legal_present ")


def test_an_effect_is_told_by_cell(starter: mv.Audit) -> None:
    """As tests/test_record.py counts it: 3/20 where errors are wrong, 9/140 where they are dropped."""
    assert tables(sections(starter)["effects"]) == {
        "Effect verification on careful - brisk, by cell; factor V from 0 to 1": [
            ["errors_wrong", "+15.00", "3/20"],
            ["errors_dropped", "+6.43", "9/140"],
        ]
    }


def test_what_a_study_does_not_declare_is_said(tmp_path: Path) -> None:
    audit = mv.audit(write_small(tmp_path), family="audit")
    assert texts(sections(audit)["effects"]) == ["This study declares no effect."]
    assert texts(sections(audit)["deletion"]) == ["This study declares no decomposition."]
    gates = next(standing_sections(audit.record, "", History()))
    assert texts(gates) == ["This study declares no gate."]


def test_one_method_has_no_ranking(tmp_path: Path) -> None:
    audit = mv.audit(write_small(tmp_path, study="methods: [a]\n"), family="audit")
    assert texts(sections(audit)["rankings"]) == ["There is one method, and no ranking."]


def test_methods_that_count_different_rows_are_warned_of(starter: mv.Audit) -> None:
    warned = [one for one in sections(starter)["supports"].blocks if isinstance(one, Text) and one.tone == "warning"]
    assert [plain(one.words) for one in warned] == [
        "Methods count different rows in 2 of 4 specifications; furthest apart at V0/errors_dropped: brisk 7, "
        "careful 10."
    ]


def test_a_quantity_that_is_nowhere_defined_has_no_table(starter: mv.Audit) -> None:
    declared = {"id": "c", "effect": "verification", "minus": ["x", "y"]}
    record = starter.record
    population = {**record["populations"]["everything"], "stratum_contrasts": {"c": {"cells": {"k": None}}}}
    found = sections(
        starter,
        endpoints={**record["endpoints"], "stratum_contrasts": [declared]},
        populations={"everything": population},
    )
    assert texts(found["effects"]) == ["Contrast c of verification, by cell: undefined in every one."]


def test_a_rationale_that_all_options_share_is_told_once(starter: mv.Audit) -> None:
    captions = list(tables(sections(starter)["families"]))
    assert [caption.partition(".")[0] for caption in captions] == ["Contract", "Disposition"]
    assert captions[0].startswith("Contract. Rationale: ")


def test_a_long_table_shows_its_first_rows_and_names_the_file_of_the_others() -> None:
    rows = [((name(str(i)),),) for i in range(1_000)]
    found = table(sentence("numbers"), columns("number"), rows, where="record.json")
    assert (len(found.rows), found.size, found.left_out, found.folded) == (
        200,
        "1,000 rows",
        "The first 200 of 1,000; all are in record.json.",
        True,
    )


def test_receipts_that_are_not_there_are_said_how_to_get(starter: mv.Audit) -> None:
    found = {one.id: one for one in standing_sections(starter.record, "", History(why_none="no receipt binds it"))}
    assert texts(found["receipts"])[0] == (
        "No receipt that binds this record was found under receipts/starter of the folder in which the report was made."
    )
    assert texts(found["record"])[0] == "None here: no receipt binds it."


def test_an_amendment_is_called_what_it_is(starter: mv.Audit) -> None:
    control = "post-hoc motivated, prospectively frozen robustness control"
    admissibility: Json = {"classification": control, "motivation": "post hoc", "reason": "a\nslip"}
    record = {**starter.record, "admissibility": admissibility}
    found = {one.id: one for one in standing_sections(record, "", History(run="receipts/s/0004-run.json"))}
    assert texts(found["receipts"])[1] == f"It is a {control}. The reason given: a slip."
