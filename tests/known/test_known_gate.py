"""The first design of section 5.1: its gate says NO_GO before an answer is opened."""

import pytest
from audits import SPECS

import multiverse as mv


def test_the_first_design_ends_at_its_gate() -> None:
    with pytest.raises(mv.GateError) as stopped:
        mv.audit(SPECS / "elephant_v1", family="asym")
    (verdict,) = stopped.value.verdicts
    assert (verdict.unit, verdict.count, verdict.at_least, verdict.verdict) == ("clusters", 0, 10, "NO_GO")
