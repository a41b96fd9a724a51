"""Deletion decompositions: by hand, and against corners judged one by one in plain Python."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

import multiverse as mv
from multiverse.decomposition import DecompositionValue, decomposed
from multiverse.deletion import subsets
from multiverse.errors import MultiverseError
from plain import effect_cells
from plain_comparisons import compared, deletion_corners, has_effects
from plain_study import PlainStudy, family_specs
from small import audit_faults
from studies import studies, write_study
from worked import write_worked

NONE, TERMINAL, REST, BOTH = subsets(["terminal", "rest"])


def test_deleting_the_terminal_object_is_all_of_the_effect_and_a_row_that_left_is_support_shift(tmp_path: Path) -> None:
    """On r2, conditional: nothing deleted (1, 1); T deleted (0, 1); N judged by `to` stays, as it is adopted."""
    found = mv.audit(write_worked(tmp_path), family="all").comparisons["all"].decompositions["deletion"]
    assert found["conditional/asym"] == DecompositionValue(
        effect=Fraction(-3, 2),
        total=Fraction(-1),
        shares={"terminal": Fraction(-1), "rest": Fraction(0)},
        support_shift=Fraction(-1, 2),
        common_rows=(1,),
        corners={NONE: Fraction(0), TERMINAL: Fraction(-1), REST: Fraction(0), BOTH: Fraction(-1)},
        interactions={NONE: Fraction(0), TERMINAL: Fraction(-1), REST: Fraction(0), BOTH: Fraction(0)},
    )
    baseline, kept = found["baseline/asym"], found["conditional/keep"]
    assert baseline is not None and kept is not None
    assert (baseline.shares, baseline.support_shift) == (
        {"terminal": Fraction(-3, 2), "rest": Fraction(0)},
        Fraction(0),
    )
    assert set(kept.corners.values()) == {Fraction(1, 2)}
    assert kept.common_rows == (2,)


@pytest.mark.parametrize(
    ("classes", "faults"),
    [
        (
            "{terminal: {column: terminal, equals: true}, all: {}}",
            [
                "objects (objects.csv), row 'r1': an object in 2 classes of decomposition deletion (1 more)\n"
                "  expected one class"
            ],
        ),
        (
            "{terminal: {column: terminal, equals: true}}",
            ["objects (objects.csv), row 'r2': an object in no class of decomposition deletion\n  expected one class"],
        ),
        (
            "{a: {column: object_id, equals: T}, b: {column: terminal, equals: true}}",
            [
                "objects (objects.csv), row 'r2': an object in no class of decomposition deletion\n"
                "  expected one class",
                "objects (objects.csv), row 'r1': an object in 2 classes of decomposition deletion (1 more)\n"
                "  expected one class",
            ],
        ),
    ],
    ids=["overlap", "hole", "both"],
)
def test_classes_that_are_no_partition_are_refused(tmp_path: Path, classes: str, faults: list[str]) -> None:
    assert audit_faults(write_worked(tmp_path, classes=classes), "all") == faults


def test_shares_that_do_not_sum_to_the_effect_stop_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multiverse.decomposition.shapley_shares", lambda corners, classes: {"x": Fraction(1)})
    corners = {frozenset[str](): Fraction(0), frozenset({"x"}): Fraction(2)}
    with pytest.raises(MultiverseError) as error:
        decomposed(Fraction(2), corners, ["x"], [1])
    assert str(error.value) == "the shares {'x': Fraction(1, 1)} and the support shift 0 do not sum to the effect 2"


@given(study=studies().filter(has_effects))
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
def test_corners_are_plain_ones_and_shares_and_support_shift_sum_to_the_effect(
    tmp_path_factory: pytest.TempPathFactory, study: PlainStudy
) -> None:
    study = compared(study)
    family = min(study.families["families"])
    found = mv.audit(write_study(study, tmp_path_factory.mktemp("study")), family=family)
    populations = study.study.get("populations") or {"all": {}}
    for one in study.study["endpoints"]["decompositions"]:
        effect = next(e for e in study.study["endpoints"]["effects"] if e["id"] == one["effect"])
        for cell in effect_cells(study, effect, family_specs(study, family))[0]:
            for name, where in populations.items():
                value = found.comparisons[name].decompositions[one["id"]]["/".join(cell)]
                mean = found.populations[name].effects[effect["id"]]["/".join(cell)].mean
                plain = deletion_corners(study, one, cell, where)
                if value is None:
                    assert mean is None or plain.corners is None
                else:
                    assert (value.corners, list(value.common_rows)) == (plain.corners, plain.common_rows)
                    assert sum(value.shares.values()) + value.support_shift == value.effect == mean
