"""The row audit: its lines recompose every effect, name the rows that move and no other, and say why."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Literal

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import multiverse as mv
from multiverse.errors import MultiverseError
from multiverse.row_changes import Comparison, row_changes
from plain import PlainStudy, effect_backgrounds
from plain_levels import Values, aggregation, counted
from plain_scores import Pair, methods, scores
from plain_study import Spec, chosen_options, family_specs, holds, keys
from small import write_small
from studies import studies, write_study

QUICKSTART = Path(__file__).resolve().parent.parent / "specs" / "quickstart"
KINDS: tuple[Literal["hypotheses", "scores"], ...] = ("hypotheses", "scores")
KEYS = ("population", "effect", "cell", "background")
REASONS = {
    "predicted_hypothesis_deleted", "match_gained", "family_collapsed", "family_appeared", "support_lost",
    "support_gained", "reweighted", "others_changed",
}  # fmt: skip


def total(texts: Iterable[str | None]) -> Fraction | None:
    """The sum of exact texts; None where one is null."""
    values = [None if text is None else Fraction(text) for text in texts]
    return None if None in values else sum((value for value in values if value is not None), Fraction(0))


# Over random studies


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_contributions_recompose_every_effect_exactly(
    kind: Literal["hypotheses", "scores"], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    study: PlainStudy = data.draw(studies(kind))
    family = data.draw(st.sampled_from(sorted(study.families["families"])))
    found = mv.audit(write_study(study, tmp_path_factory.mktemp("study")), family=family)
    lines: dict[tuple[str, ...], list[str | None]] = {}
    for line in found.row_audit.iter_rows(named=True):
        lines.setdefault(tuple(line[key] for key in KEYS), []).append(line["contribution"])
    effects = {
        tuple(line[key] for key in KEYS): None if line["exact"] is None else Fraction(line["exact"])
        for line in found.effects.filter(pl.col("background").is_not_null()).iter_rows(named=True)
    }
    assert set(lines) <= set(effects)
    assert {key: total(lines.get(key, [])) for key, effect in effects.items() if effect is not None} == {
        key: effect for key, effect in effects.items() if effect is not None
    }
    assert all(contribution is None for key in lines if effects[key] is None for contribution in lines[key])


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_a_row_is_listed_where_the_plain_evaluator_scores_it_otherwise(
    kind: Literal["hypotheses", "scores"], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    study: PlainStudy = data.draw(studies(kind))
    family = data.draw(st.sampled_from(sorted(study.families["families"])))
    found = mv.audit(write_study(study, tmp_path_factory.mktemp("study")), family=family)
    columns = ("population", "effect", "cell", "row_id", "a_from", "a_to", "b_from", "b_to")
    listed = found.row_audit.filter(pl.col("row_id").is_not_null()).select(columns).rows()
    cells = {(line["effect"], line["cell"]) for line in found.effects.iter_rows(named=True)}
    assert sorted(listed, key=str) == sorted(plain_moves(study, family, cells), key=str)
    assert {one for column in ("a_reason", "b_reason") for one in found.row_audit[column]} <= REASONS | {None}


def plain_moves(study: PlainStudy, family: str, cells: Iterable[tuple[str, str]]) -> list[tuple[str | None, ...]]:
    """Every population, effect, cell and row whose scores differ between the sides of a background."""
    found = scores(study, family_specs(study, family))
    populations = study.study.get("populations") or {"all": {}}
    moves = []
    for effect in (study.study.get("endpoints") or {}).get("effects") or []:
        for name, cell in cells:
            for background in effect_backgrounds(study, effect) if name == effect["id"] else []:
                for population, where in populations.items():
                    rows = [record[keys(study).row] for record in study.rows if holds(where, record)]
                    specs = [(side, *cell.split("/")) for side in (background.before, background.after)]
                    ends = [entered(study, found, spec, rows) for spec in specs]
                    for row in rows:
                        own = [end[method].get(row) for method in effect["pair"] for end in ends]
                        if own[0] != own[1] or own[2] != own[3]:
                            texts = [None if score is None else str(score) for score in own]
                            moves.append((population, effect["id"], cell, str(row), *texts))
    return moves


def entered(
    study: PlainStudy, found: Mapping[Spec, Mapping[Pair, Fraction]], spec: Spec, rows: Iterable[object]
) -> dict[str, Values]:
    """What enters the levels of all methods, by method and row."""
    values = {
        method: {row: found[spec][row, method] for row in rows if (row, method) in found[spec]}
        for method in methods(study)
    }
    return counted(values, aggregation(study, chosen_options(study, spec)))


# By hand


def by_row(
    found: mv.Audit, cell: str, background: str, population: str = "everything"
) -> dict[str | None, tuple[str | None, ...]]:
    lines = found.row_audit.filter(population=population, cell=cell, background=background)
    columns = ("contribution", "a_reason", "b_reason")
    return {line["row_id"]: tuple(line[column] for column in columns) for line in lines.iter_rows(named=True)}


def test_the_rows_of_the_quickstart() -> None:
    """Tasks a, b, c, d lose pagerank's terminal object; f and h lose the one that both name. R1 deletes d's first."""
    found = mv.audit(QUICKSTART, family="audit")
    deleted = "predicted_hypothesis_deleted"
    both, alone = ("0", deleted, deleted), ("-1/10", deleted, None)
    half = ("-1/20", deleted, None)
    want = {"a1": alone, "b1": alone, "c1": half, "c2": half, "d1": alone, "f1": both, "h1": both}
    assert by_row(found, "baseline/asym", '{"R": "0"}') == want
    assert by_row(found, "baseline/asym", '{"R": "1"}') == {row: line for row, line in want.items() if row != "d1"}
    assert by_row(found, "baseline/keep_both", '{"R": "0"}') == {"f1": both}
    assert by_row(found, "baseline/asym", '{"R": "0"}', "trace_a1") == {"a1": ("-1", deleted, None)}
    assert set(found.row_audit["reason"]) == {deleted}


def test_a_row_that_leaves_the_denominator_reweights_the_others(tmp_path: Path) -> None:
    """a names o1 on both rows, b nothing. A deletes r1's family under `drop`: r2 then counts alone, and twice."""
    folder = write_small(
        tmp_path,
        objects="row_id,group_id,object_id,adopted\nr1,g1,o1,false\nr2,g1,o1,true\n",
        predictions="row_id,method,hypothesis_id,object_id\nr1,a,1,o1\nr2,a,1,o1\nr1,b,,\nr2,b,,\n",
        study='endpoints: {effects: [{id: t, pair: [a, b], factor: A, from: "0", to: "1"}]}\n',
        files={
            "dispositions": """\
                coordinate: disposition
                options:
                  - {id: drop, legal_present: {answered: match, empty: 0}, legal_empty: exclude}
                  - {id: credit, legal_present: {answered: match, empty: 0}, legal_empty: {answered: 0, empty: 1}}
                """
        },
    )
    found = mv.audit(folder, family="audit")
    assert by_row(found, "drop", "{}", "all") == {
        "r1": ("-1/2", "support_lost", "support_lost"),
        None: ("1/2", "reweighted", None),
    }
    assert by_row(found, "credit", "{}", "all") == {"r1": ("-1", "predicted_hypothesis_deleted", "family_collapsed")}
    line = found.row_audit.filter(cell="credit").row(0, named=True)
    assert (line["family_from"], line["family_to"]) == (True, False)
    assert line["reason"] == "predicted_hypothesis_deleted+family_collapsed"
    assert [line[part] for part in ("a_part_from", "a_part_to", "b_part_from", "b_part_to")] == ["1/2", "0", "0", "1/2"]


def test_a_win_share_moves_with_the_others(tmp_path: Path) -> None:
    """a names o1, b nothing. A deletes r1's family, and nothing is right: a falls to b's level, and b rises by that."""
    folder = write_small(
        tmp_path,
        objects="row_id,group_id,object_id,adopted\nr1,g1,o1,false\nr2,g1,o1,true\n",
        predictions="row_id,method,hypothesis_id,object_id\nr1,a,1,o1\nr2,a,1,o1\nr1,b,,\nr2,b,,\n",
        study='endpoints: {effects: [{id: t, pair: [a, b], factor: A, from: "0", to: "1"}]}\n'
        "aggregation: {rule: row_mean, of: win_share}\n",
        files={
            "dispositions": """\
                coordinate: disposition
                options: [{id: base, legal_present: {answered: match, empty: 0}, legal_empty: {answered: 0, empty: 0}}]
                """
        },
    )
    found = mv.audit(folder, family="audit")
    assert by_row(found, "base", "{}", "all") == {"r1": ("-1/2", "predicted_hypothesis_deleted", "others_changed")}
    assert found.levels["exact"].to_list() == ["1", "0", "3/4", "1/4"]


def test_backwards_every_reason_turns_around(tmp_path: Path) -> None:
    folder = write_small(
        tmp_path,
        objects="row_id,group_id,object_id,adopted\nr1,g1,o1,false\nr2,g1,o1,true\n",
        predictions="row_id,method,hypothesis_id,object_id\nr1,a,1,o1\nr2,a,1,o1\nr1,b,,\nr2,b,,\n",
        study='endpoints: {effects: [{id: t, pair: [a, b], factor: A, from: "1", to: "0"}]}\n',
    )
    found = mv.audit(folder, family="audit")
    assert by_row(found, "base", "{}", "all") == {"r1": ("1", "match_gained", "family_appeared")}


def test_where_a_level_is_undefined_so_are_contributions(tmp_path: Path) -> None:
    """No row is left where A deletes the one object."""
    folder = write_small(
        tmp_path,
        rows="row_id\nr1\n",
        objects="row_id,group_id,object_id,adopted\nr1,g1,o1,false\n",
        predictions="row_id,method,hypothesis_id,object_id\nr1,a,1,o1\nr1,b,,\n",
        study='endpoints: {effects: [{id: t, pair: [a, b], factor: A, from: "0", to: "1"}]}\n',
        files={
            "dispositions": """\
                coordinate: disposition
                options: [{id: drop, legal_present: {answered: match, empty: 0}, legal_empty: exclude}]
                """
        },
    )
    line = mv.audit(folder, family="audit").row_audit.row(0, named=True)
    assert (line["contribution"], line["value"], line["a_part_from"], line["a_part_to"]) == (None, None, "1", None)
    assert (line["a_from"], line["a_to"], line["a_reason"]) == ("1", None, "support_lost")


def test_a_study_without_effects_has_an_empty_table(tmp_path: Path) -> None:
    assert mv.audit(write_small(tmp_path), family="audit").row_audit.is_empty()


def test_a_sum_that_misses_the_effect_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def off_by_one(*arguments: object) -> object:
        declaration, rows, comparison, expected = arguments
        assert isinstance(comparison, Comparison)
        return row_changes(declaration, rows, comparison, expected + 1)  # type: ignore[arg-type,operator]

    monkeypatch.setattr("multiverse.row_audit.row_changes", off_by_one)
    with pytest.raises(MultiverseError) as raised:
        mv.audit(QUICKSTART, family="asym")
    ends = "R0A0/baseline/asym to R0A1/baseline/asym"
    assert str(raised.value) == f"the rows move the margin by -2/5 from {ends}, not by 3/5"


# The paper


def test_the_papers_row_audit(shared: Path) -> None:
    """Section 4.2 and D.2, on a synthetic reconstruction of the 217 rows: 868 row-background units, baseline."""
    found = mv.audit(shared / "reconstruction" / "pooled217", family="baseline").row_audit
    moves = pl.col("value") != 0
    unit = (pl.col("value") * 217).round(6)
    drivers = found.filter(population="pooled").with_columns(unit=unit, moves=moves)
    assert (drivers.height, drivers["moves"].sum(), drivers["unit"].sum()) == (57, 53, -67)
    assert total(drivers["contribution"]) == Fraction(-67, 217)
    lost = drivers.filter(a_from="1", a_to="0")
    assert (lost.height, set(lost["a_reason"])) == (36, {"predicted_hypothesis_deleted"})
    gained = drivers.filter(b_from="0", b_to="1")
    assert (gained.height, set(gained["b_reason"])) == (37, {"family_collapsed"})
    collapsed = drivers.filter(family_from=True, family_to=False)
    assert (collapsed.height, collapsed["unit"].sum()) == (51, -61)
    corpora = {name: total(found.filter(population=name)["contribution"]) for name in ("agentrx", "telbench")}
    assert corpora == {"agentrx": Fraction(-7, 73), "telbench": Fraction(-60, 144)}
