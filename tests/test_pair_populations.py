"""A worked example of section 2.1: frame scores whose AUC over all pairs, or those of a category or video, differs.

Two anomalous videos and two normal ones, three frames each. Detector a tells the anomalous videos from the others and
not the frames in them; b finds the frame in its video, and its scores are of another height in each. Scores are any
numbers: an AUC is of their order.
"""

import csv
import io
from fractions import Fraction
from itertools import product
from pathlib import Path
from statistics import quantiles

import pytest
from click.testing import CliRunner

import multiverse as mv
from multiverse import cli

VIDEOS = {  # category, labels, scores of a, scores of b
    "v1": ("fire", (0, 1, 1), (9, 8, 7), (-3, -1, -1)),
    "v2": ("fight", (0, 0, 1), (9, 6, 7), (0, 1, 2)),
    "v3": ("fire", (0, 0, 0), (1, 2, 3), (3, 4, 5)),
    "v4": ("fight", (0, 0, 0), (2, 4, 3), (-2, -2, 2)),
}
PAGE = (Path(__file__).parent.parent / "docs" / "cases.md").read_text("utf-8")
MAPPED = ("row=frame", "method=detector", "label=anomalous", "stratum=category", "cluster=video")
RESAMPLING = "resampling: {unit: cluster, draws: 2000, seed: 1}"
Frame = dict[str, str]


def frames() -> list[Frame]:
    """A record for each frame and detector."""
    return [
        {"frame": f"{video}.{i}", "video": video, "category": category, "anomalous": str(labels[i]),
         "detector": detector, "score": str(scores[i])}
        for video, (category, labels, *both) in VIDEOS.items()
        for detector, scores in zip("ab", both, strict=True)
        for i in range(3)
    ]  # fmt: skip


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The study that the command writes of the table, videos resampled."""
    monkeypatch.chdir(tmp_path)
    table = io.StringIO()
    writer = csv.DictWriter(table, frames()[0])
    writer.writeheader()
    writer.writerows(frames())
    Path("frames.csv").write_text(table.getvalue())
    mapped = [word for part in MAPPED for word in ("--map", part)]
    assert CliRunner().invoke(cli.main, ["import", "csv", "frames.csv", "--into", "frames", *mapped]).exit_code == 0
    with Path("frames/study.yaml").open("a") as file:
        file.write(f"{RESAMPLING}\n")
    return tmp_path / "frames"


def test_the_pair_population_reverses_two_detectors(study: Path) -> None:
    """Three positive frames and nine negative ones, counted by hand.

    Of a: 8, 7 and 7 are above all normal videos and the 6 of v2, and below both 9: 7 + 7 + 7 of 27. Fire: 8 and 7
    against 9, 1, 2, 3 win 3 + 3 of 8; fight: 7 against 9, 6, 2, 4, 3 wins 4 of 5; 10 of 13. Videos: v1 0 of 2, v2 1
    of 2; 1 of 4.
    Of b: each -1 is above -3, -2 and -2; 2 is above -3, 0, 1, -2, -2 and level with 2: 3 + 3 + 5.5 of 27. Fire: 1 + 1
    of 8; fight: 4.5 of 5; 6.5 of 13. Videos: 2 of 2 twice; 4 of 4.
    """
    found = mv.audit(study, family="audit")
    assert found.levels.select("spec", "method", "exact").rows() == [
        ("dropped/global", "a", "7/9"), ("dropped/global", "b", "23/54"),
        ("dropped/within_category", "a", "10/13"), ("dropped/within_category", "b", "1/2"),
        ("dropped/within_video", "a", "1/4"), ("dropped/within_video", "b", "1"),
    ]  # fmt: skip
    ranking = found.record["populations"]["everything"]["ranking"]
    assert [order["order"] for order in ranking["weak_orders"]] == [[["a"], ["b"]], [["b"], ["a"]]]
    assert [(one["relation"], one["signs"]["plus"], one["signs"]["minus"]) for one in ranking["pairs"]] == [
        ("reversal", 2, 1)
    ]


def plain_auc(detector: str, times: dict[str, int], group: str) -> Fraction | None:
    """Pairs of one group counted one by one, each as often as its two videos are drawn."""
    own = [frame for frame in frames() if frame["detector"] == detector]
    won, count = Fraction(0), 0
    for one, other in product(own, own):
        pair = one["anomalous"] > other["anomalous"] and one[group] == other[group]
        weight = times[one["video"]] * times[other["video"]] if pair else 0
        x, y = int(one["score"]), int(other["score"])
        won += Fraction((x > y) + (x >= y), 2) * weight
        count += weight
    return won / count if count else None


@pytest.mark.parametrize("group", ["category", "video"])
def test_intervals_are_those_of_all_draws_of_four_videos(study: Path, group: str) -> None:
    """All 256 draws, less those of normal videos alone, in which nothing is positive: 16, a share of 1/16.

    Over any two frames an end falls between two values of exactly 1/40, and is for the seed to say.
    """
    margins = []
    for drawn in product(VIDEOS, repeat=4):
        times = {video: drawn.count(video) for video in VIDEOS}
        a, b = (plain_auc(detector, times, group) for detector in "ab")
        if a is not None and b is not None:
            margins.append(a - b)
    assert len(margins) == 240
    cuts = quantiles(map(float, margins), n=40, method="inclusive")  # at 2.5 %, 5 %, ..., 97.5 %
    found = mv.audit(study, family="audit")
    ends = {spec: (lower, upper) for spec, lower, upper in found.margins.select("spec", "lower", "upper").iter_rows()}
    assert ends[f"dropped/within_{group}"] == pytest.approx((cuts[0], cuts[-1]))
    undefined = found.record["populations"]["everything"]["uncertainty"]["undefined_draws"]
    assert {one["draws"] for one in undefined} == {136}  # of 2,000; a sixteenth is 125


def test_the_study_declares_the_pair_populations(study: Path) -> None:
    lines = (study / "aggregations.yaml").read_text().splitlines()
    assert lines[3:] == [
        "coordinate: aggregation",
        "options:",
        "  - id: global",
        "    rationale: any two rows are a pair",
        "    rule: auc",
        "    label: anomalous",
        "  - id: within_category",
        '    rationale: "two rows of one category are a pair: what tells one category from another earns nothing"',
        "    rule: auc",
        "    label: anomalous",
        "    within: stratum",
        "  - id: within_video",
        '    rationale: "two rows of one video are a pair: what tells one video from another earns nothing"',
        "    rule: auc",
        "    label: anomalous",
        "    within: cluster_id",
    ]


def test_the_page_of_cases_has_the_numbers(study: Path) -> None:
    found = mv.audit(study, family="audit")
    levels = {(spec, method): value for spec, method, value in found.levels.select("spec", "method", "value").rows()}
    for spec, value, lower, upper in found.margins.select("spec", "value", "lower", "upper").rows():
        shown = f"| {100 * levels[spec, 'a']:.2f} % | {100 * levels[spec, 'b']:.2f} % | {100 * value:+.2f} pp "
        assert f"{shown}[{100 * lower:+.2f}, {100 * upper:+.2f}] |\n" in PAGE
    assert " ".join(f"--map {part}" for part in MAPPED) in PAGE.replace(" \\\n  ", " ")
    assert RESAMPLING in PAGE
