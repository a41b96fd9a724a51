"""Contrasts of an effect by hand: on own and on common support, and between strata."""

from fractions import Fraction
from pathlib import Path

import pytest

import multiverse as mv
from multiverse.contrasts import ContrastValue
from multiverse.endpoints import difference
from worked import write_worked

HALF = Fraction(1, 2)


@pytest.fixture
def found(tmp_path: Path) -> mv.Audit:
    return mv.audit(write_worked(tmp_path), family="all")


def test_own_and_common_support_differ_where_eligibility_does(found: mv.Audit) -> None:
    """The common-support contrast is no mirror of the effect on own support (paper section 6.1: 41.21 and -40.76)."""
    contrasts = found.comparisons["all"].contrasts
    ends = {key: (f"{key}/asym", f"{key}/keep") for key in ("baseline", "conditional")}
    assert contrasts["own"] == {key: ContrastValue(*ends[key], 3 * HALF) for key in ends}
    assert contrasts["common"] == {
        "baseline": ContrastValue(*ends["baseline"], 3 * HALF),
        "conditional": ContrastValue(*ends["conditional"], Fraction(1)),
    }
    assert {key: one.value for key, one in contrasts["back"].items()} == {"baseline": -3 * HALF, "conditional": -1}
    effects = found.populations["all"].effects["adoption"]
    assert {cell: value.mean for cell, value in effects.items()} == {
        "baseline/asym": -3 * HALF, "baseline/keep": 0, "conditional/asym": -3 * HALF, "conditional/keep": 0,
    }  # fmt: skip


def test_a_stratum_contrast_is_the_first_stratum_minus_the_second(found: mv.Audit) -> None:
    """baseline/asym: on r1 D goes from 1 to -1, on r2 from 0 to -1; conditional/asym: r1 leaves: undefined."""
    values = {cell: one.value for cell, one in found.comparisons["all"].stratum_contrasts["strata"].items()}
    assert values == {"baseline/asym": -1, "baseline/keep": 0, "conditional/asym": None, "conditional/keep": 0}


def test_a_family_shows_the_contrasts_whose_two_cells_it_holds(tmp_path: Path) -> None:
    record = mv.audit(write_worked(tmp_path), family="cc").record["populations"]["all"]
    assert record["contrasts"] == {"own": {"cells": {}}, "common": {"cells": {}}, "back": {"cells": {}}}
    zero = {"exact": "0", "value": 0.0, "interval": None}
    assert record["stratum_contrasts"] == {"strata": {"cells": {"baseline/keep": zero, "conditional/keep": zero}}}


def test_a_difference_with_an_undefined_side_is_undefined() -> None:
    assert [difference(HALF, None), difference(None, HALF), difference(HALF, HALF)] == [None, None, Fraction(0)]
