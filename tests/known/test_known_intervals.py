"""The interval ends come from the spread of effects over rows and tasks, not from a seed: five others give them too."""

import re
import shutil
from pathlib import Path

import pytest
from audits import DATA, SPECS
from figures import FIGURES, NEAR

import multiverse as mv

STEP = 100 / (2 * 138)  # half a task of 138, in percentage points: conservative T in elephant takes no values between
SHARE_NEAR = 2.0  # a share of 24.1% of 10,000 draws has a standard error of 0.43


def reseeded(study: str, seed: int, folder: Path) -> Path:
    """A copy of a study with another seed, and the pair's methods alone, which is all that its intervals need."""
    copy = folder / "specs" / study
    shutil.copytree(SPECS / study, copy)
    text = (copy / "study.yaml").read_text("utf-8")
    text = re.sub(r"seed: \d+", f"seed: {seed}", text).replace("methods: all", "methods: [earliest, pagerank]")
    (copy / "study.yaml").write_text(text.replace("../../data", str(DATA)), "utf-8")
    return copy


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_another_seed_gives_the_intervals(seed: int, tmp_path: Path) -> None:
    drawn = [figure for figure in FIGURES if figure.within and figure.unmet is None]
    audited = {
        (study, family): mv.audit(reseeded(study, seed, tmp_path / family), family=family)
        for study, family in sorted({(figure.study, figure.family) for figure in drawn})
    }
    off = {}
    for figure in drawn:
        distance = figure.distance(figure.read(audited[figure.study, figure.family]))
        allowed = max(figure.within, STEP + 0.005) if figure.within == NEAR else max(figure.within, NEAR)
        if distance > (SHARE_NEAR if isinstance(figure.published, str) else allowed):
            off[figure.name] = distance
    assert off == {}
