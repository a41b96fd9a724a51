"""Pairs of rows counted: by hand, one by one, and for each pair of redrawn units."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import multiverse as mv
from multiverse.auc import Pool, half_wins_by_units, pair_wins, unit_pairs
from multiverse.exact import integers
from plain import PlainStudy
from public_cases import File, disposition, options, scored
from small import audit_faults
from studies import write_study

HALF = Fraction(1, 2)
ROWS = st.lists(
    st.tuples(st.integers(0, 4) | st.integers(0, 10**20), st.booleans(), st.integers(0, 2), st.integers(0, 3)),
    min_size=1,
    max_size=14,
)
Row = tuple[int, bool, int, int]  # score, label, group, unit


def points(one: Row, other: Row) -> Fraction:
    """1 where the first has the higher score, 1/2 where they are level."""
    return Fraction((one[0] > other[0]) + (one[0] >= other[0]), 2)


def plain_auc(rows: list[Row], pool: Pool, times: dict[int, int]) -> Fraction | None:
    """Pairs counted one by one, each as often as the units of its rows are drawn."""
    found: dict[int, list[tuple[Fraction, int]]] = {}
    for one, other in product(rows, rows):
        weight = times[one[3]] * times[other[3]]
        if one[1] and not other[1] and one[2] == other[2] and weight:
            found.setdefault(one[2], []).append((points(one, other), weight))
    groups = [*found.values()] if pool == "groups" else [[pair for pairs in found.values() for pair in pairs]]
    means = [sum(p * n for p, n in pairs) / Fraction(sum(n for _, n in pairs)) for pairs in groups if pairs]
    return sum(means, Fraction(0)) / len(means) if means else None


@given(rows=ROWS, pool=st.sampled_from(["pairs", "groups"]))
def test_pairs_are_counted_within_groups_and_rows_share_them(rows: list[Row], pool: Pool) -> None:
    scores, positive, group, _ = zip(*rows, strict=True)
    wins = pair_wins(integers(scores), np.array(positive), np.array(group))
    want = plain_auc(rows, pool, dict.fromkeys(range(4), 1))
    assert wins.auc(pool) == want
    kind, values = wins.shares(pool)
    assert want is None or sum((values[one] for one in kind.tolist()), Fraction(0)) == want
    assert bool(values) is (want is not None)


@given(rows=ROWS, pool=st.sampled_from(["pairs", "groups"]), times=st.lists(st.integers(0, 2), min_size=4, max_size=4))
def test_a_draw_pairs_the_copies_of_a_unit_with_each_other_too(rows: list[Row], pool: Pool, times: list[int]) -> None:
    scores, positive, group, unit = (np.array(column) for column in zip(*rows, strict=True))
    pairs = unit_pairs(unit, group)
    wins, counts = half_wins_by_units(scores, np.ones(len(rows), dtype=bool), positive, pairs)
    weights = np.array(times)[pairs.first] * np.array(times)[pairs.second]
    sizes = [0, *np.cumsum([len(units) ** 2 for units in pairs.units]).tolist()]
    spans = [slice(0, sizes[-1])] if pool == "pairs" else [slice(*span) for span in pairwise(sizes)]
    sums = [(int(weights[s] @ wins[s]), int(weights[s] @ counts[s])) for s in spans]
    means = [Fraction(won, 2 * count) for won, count in sums if count]
    found = sum(means, Fraction(0)) / len(means) if means else None
    assert found == plain_auc(rows, pool, dict(enumerate(times)))


# Two videos of one category, one of another; scores of two detectors in tenths; the last frame of each is anomalous.
FRAMES = {
    "v1": ("fire", (1, 2, 3), (7, 8, 9)),
    "v2": ("fire", (4, 5, 6), (1, 2, 3)),
    "v3": ("fight", (7, 8, 9), (5, 4, 4)),
}
RULES: dict[str, File] = {
    "global": {},
    "category": {"within": "category"},
    "video": {"within": "cluster_id"},
    "videos_alike": {"within": "cluster_id", "pool": "groups"},
}


def videos(**study: object) -> PlainStudy:
    """The frames as a study, the pair population its coordinate."""
    rows: list[File] = []
    outcomes: list[File] = []
    for video, (category, *detectors) in FRAMES.items():
        for frame in range(3):
            name = f"{video}.{frame}"
            rows.append({"row_id": name, "cluster_id": video, "category": category, "anomalous": frame == 2})
            for method, scores in zip(("a", "b"), detectors, strict=True):
                outcomes.append({"row_id": name, "method": method, "score": scores[frame] / 10})
    rules = {name: {"rule": "auc", "label": "anomalous", **more} for name, more in RULES.items()}
    case = scored(outcomes, rows=rows, aggregations=options("aggregation", **rules), dispositions=disposition())
    return replace(case, study={**case.study, **study})


def test_the_pair_population_decides_which_detector_is_better(tmp_path: Path) -> None:
    """Abdulaziz and Bondarev (2026), in small: 3 positive and 6 negative frames.

    Of a, 3 wins 2 pairs, 6 wins 4 and 9 all 6: 12/18. Fire: 2 + 4 of 8, fight: 2 of 2: 8/10. Each video: 2 of 2.
    Of b, 9 wins 6, 3 wins 2, and 4 wins 2 and ties 1: 21/36. Fire: 4 + 2 of 8, fight: half a pair of 2: 13/20.
    Each video: 2, 2 and half a pair of 2.
    """
    found = mv.audit(write_study(videos(), tmp_path), family="all")
    levels = {(r["spec"], r["method"]): r["exact"] for r in found.levels.iter_rows(named=True)}
    assert levels == {
        ("as_is/global", "a"): "2/3", ("as_is/global", "b"): "7/12",
        ("as_is/category", "a"): "4/5", ("as_is/category", "b"): "13/20",
        ("as_is/video", "a"): "1", ("as_is/video", "b"): "3/4",
        ("as_is/videos_alike", "a"): "1", ("as_is/videos_alike", "b"): "3/4",
    }  # fmt: skip


def test_videos_are_redrawn_whole(tmp_path: Path) -> None:
    """Within each video a wins every pair, in every draw; the global value is least where no video is drawn twice."""
    study = videos(resampling={"unit": "cluster", "draws": 400, "seed": 1})
    found = mv.audit(write_study(study, tmp_path), family="all")
    intervals = {(r["spec"], r["method"]): (r["lower"], r["upper"]) for r in found.levels.iter_rows(named=True)}
    assert intervals["as_is/video", "a"] == (1, 1)
    assert intervals["as_is/global", "a"] == pytest.approx((2 / 3, 1))
    assert found.record["populations"]["all"]["uncertainty"]["specification_curve"] == []


def test_too_many_pairs_of_units_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multiverse.units.MOST_UNIT_PAIRS", 8)
    write_study(videos(resampling={"unit": "cluster", "draws": 4}), tmp_path)
    assert audit_faults(tmp_path, "all") == [
        "study.yaml: resampling: an auc over 9 pairs of units\n"
        "  expected at most 8: fewer units, or pairs within smaller groups"
    ]
