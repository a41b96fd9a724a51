"""Audits of the reconstruction's studies, each made once."""

from functools import cache
from pathlib import Path

from multiverse import Audit, audit

ROOT = Path(__file__).resolve().parent.parent.parent
SPECS, DATA = ROOT / "specs", ROOT / "data"


@cache
def audited(study: str, family: str) -> Audit:
    """The audit of a study and a family."""
    return audit(SPECS / study, family=family)
