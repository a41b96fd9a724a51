"""The seven fields of the paper's Table 3, with the six evidence roles; refused where one has nothing to say."""

from pathlib import Path

import pytest

from frozen import (
    FAMILIES,
    FOLDER,
    STUDY,
    amended,
    appendix_e,
    chain,
    digest,
    files_below,
    frozen,
    masked,
    rewrite,
    write_explained,
)
from multiverse import identification_record as module
from multiverse.errors import InputError, NotFrozenError
from multiverse.identification_record import markdown, study_record
from multiverse.runs import run

PAGE = """\
# Identification record: small, family audit

## Fixed substrate

- artifacts: rows (rows.csv), sha256 DIGEST
- artifacts: objects (objects.csv), sha256 DIGEST
- predictions: predictions (predictions.csv), sha256 DIGEST
- methods: all in the predictions
- resampling design: 50 draws of clusters, percentile, generator PCG64, seed 7

## Semantic map

- legal references: every contract requires nothing
- legal references: contract A0 requires nothing more
- legal references: contract A1 requires adopted
- eligibility: terminal asym: special objects are read like any other
- eligibility: terminal keep_both: special objects are exempt from adopted
- scoreability: disposition base: legal_present answered match, empty 0, error 0; \
legal_empty answered 0, empty 1, error 0
- scoring: exact
- denominators and weights: row mean

## Endpoint

- Q(s): effect adoption, a - b, factor A from 0 to 1
- Q(s): levels, margins of every pair, and the ranking
- declared family: audit, 4 specifications
- inference license: claims about these rows alone

## Admissibility

- rationale: contracts.yaml: adoption is what the user reads
- rationale: dispositions.yaml: silence is right where nothing is legal
- rationale: families.yaml: all that was declared
- rationale: terminals.yaml: one side or both
- freeze receipt: 0007-freeze.json, sha256 DIGEST, claimed at TIME
- motivation: post-hoc motivated, prospectively frozen: retain both, exclude both
- access: outcomes not stated, custody not stated

## Results

- every jointly frozen alternative is reported: 4 specifications
- population all: ranking: not identified: 2 weak orders
- population all: effect adoption: not identified: 2 values from -1/2 at base/asym to 0 at base/keep_both

## Uncertainty

- specification variation: the ranges above, over declared specifications, with a witness at each end
- sampling variation: population all: 50 draws of clusters, seed 7, level 0.95
- sampling variation: population all, effect adoption at base/asym: -1/2 in [-1.0, 0.0]
- sampling variation: population all, effect adoption at base/keep_both: 0 in [0.0, 0.0]

## Evidence roles

- premise: effect adoption over family asym, population all: point identified at -1/2
- diagnostic event: 0002-gate.json: prediction-free NO_GO; enough: 1 cluster of at least 3, NO_GO; \
scoring stopped and the failed gate preserved
- conditional result: effect adoption over family audit, population all: not identified: 2 values \
from -1/2 at base/asym to 0 at base/keep_both
- correction: 0006-correction.json: addendum to 0005 (results/0003/audit/report.txt), which is unchanged: \
global stability is not shown
- correction: 0010-correction.json: addendum to 0008, which is unchanged: the report completed
- falsification: effect adoption over family audit, population all: not identified: 2 values \
from -1/2 at base/asym to 0 at base/keep_both
- non-recovery: ranking over family audit, population all: not identified: 2 weak orders

Claims hold relative to the declared family alone.
"""
FIELDS = {
    "fixed substrate": ("_substrate", "it to be declared"),
    "semantic map": ("_semantic_map", "it to be declared"),
    "endpoint": ("_endpoint", "families.yaml: `license`, the inference that the families are to license"),
    "admissibility": ("_admissibility", "it to be declared"),
    "results": ("_results", "the record that this run wrote"),
    "uncertainty": (
        "_uncertainty",
        "study.yaml: `resampling`, for sampling variation apart from specification variation",
    ),
    "evidence roles": ("_roles", "the record that this run wrote"),
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def missing(field: str, receipt: str = "0002-run.json") -> str:
    found = f"the field '{field}' of the identification record has nothing to say"
    return f"small, {receipt}: {found}\n  expected {FIELDS[field][1]}"


def test_the_seven_fields_of_the_story_of_appendix_e() -> None:
    appendix_e()
    found = study_record("small", "audit")
    assert masked(markdown(found)) == PAGE
    assert list(found["fields"]) == [*FIELDS]


def test_a_role_that_nothing_fills_says_why() -> None:
    frozen()
    run("small", family="base")
    assert study_record("small", "base")["fields"]["evidence roles"] == [
        "premise: none: no complete run of a family within this one, with an effect, is reported",
        "diagnostic event: none: no gate is declared",
        "conditional result: effect adoption over family base, population all: undefined",
        "correction: none: no receipt of this chain has been corrected",
        "falsification: none: no effect takes two values over this family: "
        "none of its alternatives contradicts another",
        "non-recovery: none: the ranking is point identified over this family in every population",
    ]


@pytest.mark.parametrize("field", FIELDS)
def test_a_record_with_a_field_missing_is_refused(monkeypatch: pytest.MonkeyPatch, field: str) -> None:
    frozen()
    run("small", family="audit")
    monkeypatch.setattr(module, FIELDS[field][0], lambda *given: iter(()))
    with pytest.raises(InputError) as caught:
        study_record("small", "audit")
    assert (str(caught.value), caught.value.exit_code) == (missing(field), 2)


@pytest.mark.parametrize(
    ("study", "families", "fields"),
    [
        (STUDY, FAMILIES.replace("license", "# license"), ["endpoint"]),
        (STUDY.partition("resampling")[0], FAMILIES, ["uncertainty"]),
        (STUDY.partition("resampling")[0], FAMILIES.replace("license", "# license"), ["endpoint", "uncertainty"]),
    ],
)
def test_what_was_not_declared_is_asked_for(study: str, families: str, fields: list[str]) -> None:
    frozen(study=study, files={"families": families})
    run("small", family="audit")
    with pytest.raises(InputError) as caught:
        study_record("small", "audit")
    assert str(caught.value) == "\n\n".join(map(missing, fields))


def test_a_record_that_is_gone_is_asked_for() -> None:
    frozen()
    run("small", family="audit")
    Path("results/small/audit/record.json").unlink()
    with pytest.raises(InputError) as caught:
        study_record("small", "audit")
    assert str(caught.value) == (
        "small, 0002-run.json: its record is not in results/small/audit as it was written\n"
        "  expected `multiverse audit small --family audit --reproduce`, which writes it again"
    )


def test_a_family_that_was_not_reported_under_the_last_freeze_has_no_record() -> None:
    frozen()
    run("small", family="audit")
    amended(study=STUDY + "aggregation: cluster_mean\n")
    run("small", family="base")
    with pytest.raises(NotFrozenError) as caught:
        study_record("small", "audit")
    assert str(caught.value) == (
        "small: no complete run of family audit under 0003-freeze.json, the last freeze\n"
        "  expected an audit of it that is not exploratory"
    )


def test_a_study_that_is_not_frozen_has_no_record() -> None:
    write_explained()
    with pytest.raises(NotFrozenError) as caught:
        study_record("small", "audit")
    assert str(caught.value) == (
        "small: no complete run of family audit under a freeze\n  expected an audit of it that is not exploratory"
    )


def test_a_declaration_that_changed_since_has_no_record() -> None:
    """Its rationale would not be the one that was frozen."""
    frozen()
    run("small", family="audit")
    then = digest(FOLDER / "families.yaml")[:16]
    rewrite(FOLDER / "families.yaml", "all that was declared", "what came out best")
    with pytest.raises(NotFrozenError) as caught:
        study_record("small", "audit")
    now = digest(FOLDER / "families.yaml")[:16]
    assert str(caught.value) == (
        f"specs/small/families.yaml: changed since the freeze: sha256 is {now}, frozen {then}; "
        "frozen line 1 was 'rationale: all that was declared'; line 1 is 'rationale: what came out best'\n"
        "  expected it as 0001-freeze.json froze it"
    )


def test_a_record_writes_nothing() -> None:
    frozen()
    run("small", family="audit")
    before = files_below(Path())
    study_record("small", "audit")
    assert (files_below(Path()), chain().following) == (before, 3)
