"""What separates two specifications: rows and reasons recompose the change of every margin exactly."""

from fractions import Fraction
from pathlib import Path
from typing import Literal

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import multiverse as mv
from plain import PlainStudy
from plain_study import family_specs
from small import write_small
from studies import studies, write_study

QUICKSTART = Path(__file__).resolve().parent.parent / "specs" / "quickstart"
KINDS: tuple[Literal["hypotheses", "scores"], ...] = ("hypotheses", "scores")
DELETED = "predicted_hypothesis_deleted"


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_reasons_recompose_every_change_of_a_margin(
    kind: Literal["hypotheses", "scores"], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    study: PlainStudy = data.draw(studies(kind))
    family = data.draw(st.sampled_from(sorted(study.families["families"])))
    specs = ["/".join(spec) for spec in family_specs(study, family)]
    ends = [data.draw(st.sampled_from(specs)) for _ in range(2)]
    folder = write_study(study, tmp_path_factory.mktemp("study"))
    found = mv.compare(folder, *ends)
    known = {
        (line["population"], line["spec"], line["a"], line["b"]): line["exact"]
        for line in mv.audit(folder, family=family).margins.iter_rows(named=True)
    }
    for line in found.margins.iter_rows(named=True):
        key = (line["population"], line["a"], line["b"])
        assert [line["from"], line["to"]] == [known[key[0], spec, *key[1:]] for spec in ends]
        for frame in (found.reasons, found.rows):
            parts = frame.filter(population=key[0], a=key[1], b=key[2])["contribution"].to_list()
            if line["change"] is None:
                assert set(parts) <= {None}
            else:
                assert sum(map(Fraction, parts), Fraction(0)) == Fraction(line["change"])
                sizes = [abs(Fraction(part)) for part in parts]
                assert sizes == sorted(sizes, reverse=True)


def test_the_rows_behind_a_margin_of_the_quickstart() -> None:
    found = mv.compare(QUICKSTART, "R0A0/baseline/asym", "R0A1/baseline/asym", a="pagerank", b="earliest")
    rows = found.rows.filter(population="everything").select("row_id", "contribution").rows()
    whole, half = [(row, "-1/10") for row in ("a1", "b1", "d1")], [(row, "-1/20") for row in ("c1", "c2")]
    assert rows == [*whole, *half, ("f1", "0"), ("h1", "0")]
    assert found.reasons.filter(population="everything").select("reason", "rows", "contribution").rows() == [
        (DELETED, 7, "-2/5")
    ]
    assert found.margins["change"].to_list() == ["-2/5", "-1"]


READ = {
    "dispositions": """\
        coordinate: disposition
        options:
          - {id: strict, legal_present: {answered: match, empty: 0}, legal_empty: {answered: 0, empty: 0}}
          - {id: kind, legal_present: {answered: match, empty: 0.5}, legal_empty: {answered: 0, empty: 0}}
        """,
    "readings": """\
        coordinate: reading
        options: [{id: all, where: {}}, {id: sure, where: {column: sure, equals: true}, none_left: empty}]
        """,
    "scorings": """\
        coordinate: scoring
        options: [{id: exact, rule: exact}, {id: overlap, rule: overlap}]
        """,
}


@pytest.mark.parametrize(
    ("ends", "reasons"),
    [
        (("A0/strict/all/exact", "A0/strict/sure/exact"), [("r1", "reading_changed", None)]),
        (("A0/strict/all/exact", "A0/strict/all/overlap"), [("r1", None, "scoring_changed")]),
        (("A0/strict/sure/exact", "A0/kind/sure/exact"), [("r1", "disposition_changed", None)]),
        (("A0/strict/all/overlap", "A1/strict/all/overlap"), [("r1", DELETED, DELETED)]),
        (("A1/strict/all/overlap", "A0/strict/all/overlap"), [("r1", "match_gained", "match_gained")]),
    ],
)
def test_a_reason_names_what_differs(tmp_path: Path, ends: tuple[str, str], reasons: list[tuple[str, ...]]) -> None:
    """On r1, a names o1, and is not sure; b names o1 and o2. The reference is o1, not adopted."""
    folder = write_small(
        tmp_path,
        objects="row_id,group_id,object_id,adopted\nr1,g1,o1,false\nr2,g1,o9,true\n",
        predictions="row_id,method,hypothesis_id,object_id,sure\n"
        "r1,a,1,o1,false\nr1,b,1,o1,true\nr1,b,1,o2,true\nr2,a,1,o1,true\nr2,b,1,o1,true\n",
        files=READ,
    )
    found = mv.compare(folder, *ends, a="a", b="b").rows
    assert found.select("row_id", "a_reason", "b_reason").rows() == reasons


def test_one_method_is_compared_with_all_others() -> None:
    found = mv.compare(QUICKSTART, "R0A0/baseline/asym", "R0A1/baseline/asym", a="pagerank")
    assert found.margins.filter(population="everything").select("a", "b").rows() == [
        ("pagerank", "earliest"), ("pagerank", "mini"),
    ]  # fmt: skip
    turned = mv.compare(QUICKSTART, "R0A0/baseline/asym", "R0A1/baseline/asym", b="pagerank")
    assert turned.margins.filter(pl.col("population") == "everything")["change"].to_list() == ["2/5", "9/20"]


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ("mini", "mini", "specs/quickstart/study.yaml: a and b are both mini\n  expected two methods"),
        (
            "mimi",
            None,
            "specs/quickstart/study.yaml: unknown method 'mimi'\n"
            "  expected one of 'earliest', 'mini', 'pagerank'\n  did you mean 'mini'?",
        ),
    ],
)
def test_a_pair_that_is_none_is_a_fault(a: str, b: str | None, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(QUICKSTART.parent.parent)
    with pytest.raises(mv.InputError) as raised:
        mv.compare("quickstart", "R0A0/baseline/asym", "R0A1/baseline/asym", a=a, b=b)
    assert str(raised.value) == message


def test_unknown_specifications_are_all_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(QUICKSTART.parent.parent)
    with pytest.raises(mv.InputError) as raised:
        mv.compare("quickstart", "R0A0/baselin/asym", "R0A1/baseline/asim")
    assert [(fault.found, fault.nearest) for fault in raised.value.faults] == [
        ("unknown specification 'R0A0/baselin/asym'", "R0A0/baseline/asym"),
        ("unknown specification 'R0A1/baseline/asim'", "R0A1/baseline/asym"),
    ]
