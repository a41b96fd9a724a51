"""One row under every treatment, against the plain evaluator and the paper's Table 1."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import multiverse as mv
from plain import PlainStudy
from plain_scores import legal_families, methods, read_pairs, scores
from plain_study import coordinate_options, family_specs, keys
from small import write_small
from studies import studies, write_study

QUICKSTART = Path(__file__).resolve().parent.parent / "specs" / "quickstart"
KINDS: tuple[Literal["hypotheses", "scores"], ...] = ("hypotheses", "scores")


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_an_explanation_tells_what_the_plain_evaluator_finds(
    kind: Literal["hypotheses", "scores"], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    study: PlainStudy = data.draw(studies(kind))
    row = data.draw(st.sampled_from([record[keys(study).row] for record in study.rows]))
    found = mv.explain(write_study(study, tmp_path_factory.mktemp("study")), str(row))
    specs = {spec: None for family in study.families["families"] for spec in family_specs(study, family)}
    assert told_scores(found) == plain_scores_of(study, row, list(specs))
    for family in found.legal:
        options = coordinate_options(study)
        contract, terminal = (options.get(name, {}).get(getattr(family, name)) for name in ("contract", "terminal"))
        legal = legal_families(study, contract, terminal)[row]
        assert family.present == bool(legal)
        if study.objects is not None:
            assert {frozenset(group.objects) for group in family.groups} == {frozenset(map(str, one)) for one in legal}
    for answer in found.answers:
        repeats = read_pairs(study, coordinate_options(study).get("reading", {}).get(answer.reading))[
            row, answer.method
        ]
        if kind == "hypotheses":
            sets = {frozenset(map(str, one)) for one in repeats[0].content or []}
            assert (answer.state, {frozenset(one.objects) for one in answer.hypotheses}) == (repeats[0].state, sets)
        else:
            states = [repeat.state for repeat in answer.repeats] or [answer.state]
            assert states == [repeat.state for repeat in repeats]


def told_scores(found: mv.Explanation) -> dict[tuple[str, ...], str | None]:
    last = ("present", "matched", "exact", "value")
    return {
        tuple(value for name, value in line.items() if name not in last): line["exact"]
        for line in found.scores.iter_rows(named=True)
    }


def plain_scores_of(study: PlainStudy, row: object, specs: list[tuple[str, ...]]) -> dict[tuple[str, ...], str | None]:
    """The scores of one row by all options but the aggregation, and by method."""
    names = list(coordinate_options(study))
    found: dict[tuple[str, ...], str | None] = {}
    for spec, values in scores(study, specs).items():
        options = tuple(option for name, option in zip(names, spec, strict=True) if name != "aggregation")
        for method in methods(study):
            value = values.get((row, method))
            found[*options, method] = None if value is None else str(value)
    return found


def test_table_1_of_the_paper() -> None:
    """Legal families, the scores of pagerank and earliest, and the effect, by treatment."""
    found = mv.explain(QUICKSTART, "a1")
    legal = {(one.terminal, one.contract): [group.objects for group in one.groups] for one in found.legal}
    step, end = ("step2",), ("end",)
    assert {key: value for key, value in legal.items() if key[1].startswith("R0")} == {
        ("asym", "R0A0"): [step, end], ("asym", "R0A1"): [step],
        ("keep_both", "R0A0"): [step, end], ("keep_both", "R0A1"): [step, end],
        ("exclude_both", "R0A0"): [step], ("exclude_both", "R0A1"): [step],
    }  # fmt: skip
    predicted = {answer.method: [one.objects for one in answer.hypotheses] for answer in found.answers}
    assert predicted == {"pagerank": [end], "earliest": [step], "mini": [step]}
    own = found.scores.filter(disposition="baseline", method="pagerank", contract="R0A1")
    assert own.select("terminal", "matched", "exact").rows() == [
        ("asym", False, "0"), ("keep_both", True, "1"), ("exclude_both", False, "0"),
    ]  # fmt: skip
    effects = found.effects.filter(disposition="conditional", background='{"R": "0"}')
    assert dict(effects.select("terminal", "exact").rows()) == {"asym": "-1", "keep_both": "0", "exclude_both": "0"}
    assert found.populations == ("everything", "trace_a1")


def test_a_match_is_told_whatever_it_scores(tmp_path: Path) -> None:
    """The disposition gives answers a half without looking."""
    flat = """\
        coordinate: disposition
        options: [{id: flat, legal_present: {answered: 0.5, empty: 0}, legal_empty: {answered: 0, empty: 0}}]
        """
    found = mv.explain(write_small(tmp_path, files={"dispositions": flat}), "r2")
    told = found.scores.filter(contract="A0").select("method", "matched", "exact").rows()
    assert told == [("a", False, "1/2"), ("b", True, "1/2")]


def test_repeats_are_told_with_their_scores(tmp_path: Path) -> None:
    outcomes = "row_id,method,epoch,status,score\nr1,a,2,,1\nr1,a,1,,0.25\nr1,b,1,error,\nr2,a,1,,1\nr2,b,1,,1\n"
    found = mv.explain(write_small(tmp_path, "scores", outcomes=outcomes), "r1")
    repeats = {answer.method: [tuple(repeat) for repeat in answer.repeats] for answer in found.answers}
    assert repeats == {
        "a": [(1, "answered", {"score": Fraction(1, 4)}), (2, "answered", {"score": Fraction(1)})],
        "b": [(1, "error", {"score": None})],
    }
    assert found.record["answers"][0]["repeats"][0] == {"epoch": 1, "state": "answered", "scores": {"score": "1/4"}}


def faults(study: Path, row: str) -> Iterable[str]:
    with pytest.raises(mv.InputError) as raised:
        mv.explain(study, row)
    return [str(fault) for fault in raised.value.faults]


def test_an_unknown_row_is_answered_with_the_nearest() -> None:
    known = "'a1', 'b1', 'c1', 'c2', 'd1', 'e1', 'e2', 'f1', 'g1', 'h1', 'i1', 'j1'"
    assert faults(QUICKSTART, "g") == [
        f"rows (../../data/quickstart/rows.csv): unknown row 'g'\n  expected one of {known}\n  did you mean 'g1'?"
    ]
