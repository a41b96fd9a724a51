"""The bundled study against counts made by hand: the effect is identified over asym and over cc, and not over audit."""

import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import multiverse as mv

ROOT = Path(__file__).resolve().parent.parent
STUDY = ROOT / "specs" / "quickstart"
METHODS = ("pagerank", "earliest", "mini")
DISPOSITIONS = ("baseline", "conservative", "conditional")
TREATMENTS = {"asym": ["asym"], "cc": ["keep_both", "exclude_both"], "audit": ["asym", "keep_both", "exclude_both"]}

# The tasks but e in which pagerank, earliest and mini are right; c/2 is one trace of the two. Read off the data:
#   a, b, c  pagerank names the terminal object, earliest an adopted one. mini names the adopted one in a1 and c1, the
#            terminal one in b1 and c2.
#   d        likewise, with a terminal object that is not recorded; mini names no reference.
#   f        pagerank and earliest name a rejected object, mini an adopted one.
#   g        pagerank alone names the reference.
#   h        pagerank and earliest name the terminal object, mini an adopted one.
#   i        the reference is a group of two: mini names both, the others one.
#   j        pagerank names a recorded object, earliest and mini one that is not.
RIGHT = {
    ("asym", "R0A0"): ("a b c d f g h j", "a b c d f h j", "a b c f h i j"),
    ("asym", "R0A1"): ("g j", "a b c d j", "a c/2 f h i j"),
    ("asym", "R1A0"): ("a b c f g h j", "a b c d f h", "a b c f h i"),
    ("asym", "R1A1"): ("g j", "a b c d", "a c/2 f h i"),
    ("keep_both", "R0A0"): ("a b c d f g h j", "a b c d f h j", "a b c f h i j"),
    ("keep_both", "R0A1"): ("a b c d g h j", "a b c d h j", "a b c f h i j"),
    ("keep_both", "R1A0"): ("a b c f g h j", "a b c d f h", "a b c f h i"),
    ("keep_both", "R1A1"): ("a b c g h j", "a b c d h", "a b c f h i"),
    ("exclude_both", "R0A0"): ("f g j", "a b c d f j", "a c/2 f h i j"),
    ("exclude_both", "R0A1"): ("g j", "a b c d j", "a c/2 f h i j"),
    ("exclude_both", "R1A0"): ("f g j", "a b c d f", "a c/2 f h i"),
    ("exclude_both", "R1A1"): ("g j", "a b c d", "a c/2 f h i"),
}

# What task e adds, in halves. In e1 nothing is legal, pagerank answers and the others do not: 0 1 1, 0 0 0, or left
# out. In e2 all are right: 1 1 1.
TASK_E = {"baseline": (1, 2, 2), "conservative": (1, 1, 1), "conditional": (2, 2, 2)}

# Twice the tasks, with e: levels in twentieths, for pagerank, earliest and mini.
LEVELS = {
    ("asym", "R0A0"): {"baseline": (17, 16, 16), "conservative": (17, 15, 15), "conditional": (18, 16, 16)},
    ("asym", "R0A1"): {"baseline": (5, 12, 13), "conservative": (5, 11, 12), "conditional": (6, 12, 13)},
    ("asym", "R1A0"): {"baseline": (15, 14, 14), "conservative": (15, 13, 13), "conditional": (16, 14, 14)},
    ("asym", "R1A1"): {"baseline": (5, 10, 11), "conservative": (5, 9, 10), "conditional": (6, 10, 11)},
    ("keep_both", "R0A0"): {"baseline": (17, 16, 16), "conservative": (17, 15, 15), "conditional": (18, 16, 16)},
    ("keep_both", "R0A1"): {"baseline": (15, 14, 16), "conservative": (15, 13, 15), "conditional": (16, 14, 16)},
    ("keep_both", "R1A0"): {"baseline": (15, 14, 14), "conservative": (15, 13, 13), "conditional": (16, 14, 14)},
    ("keep_both", "R1A1"): {"baseline": (13, 12, 14), "conservative": (13, 11, 13), "conditional": (14, 12, 14)},
    ("exclude_both", "R0A0"): {"baseline": (7, 14, 13), "conservative": (7, 13, 12), "conditional": (8, 14, 13)},
    ("exclude_both", "R0A1"): {"baseline": (5, 12, 13), "conservative": (5, 11, 12), "conditional": (6, 12, 13)},
    ("exclude_both", "R1A0"): {"baseline": (7, 12, 11), "conservative": (7, 11, 10), "conditional": (8, 12, 11)},
    ("exclude_both", "R1A1"): {"baseline": (5, 10, 11), "conservative": (5, 9, 10), "conditional": (6, 10, 11)},
}

# The effect, pagerank - earliest from A0 to A1, in tasks; e is the same on both sides.
#   asym          R0: (2 - 5) - (8 - 7) = -4    R1: (2 - 4) - (7 - 6) = -3    mean -7/2 of 10 tasks
#   keep_both     R0: (7 - 6) - (8 - 7) = 0     R1: (6 - 5) - (7 - 6) = 0
#   exclude_both  R0: (2 - 5) - (3 - 6) = 0     R1: (2 - 4) - (3 - 5) = 0
EFFECT = {
    "asym": {"mean": "-7/20", "R0": "-2/5", "R1": "-3/10"},
    "keep_both": {"mean": "0", "R0": "0", "R1": "0"},
    "exclude_both": {"mean": "0", "R0": "0", "R1": "0"},
}
# By family: how many values, the least and the greatest with the first cell of each.
EFFECT_SETS = {
    "asym": (1, ("-7/20", "baseline/asym"), ("-7/20", "baseline/asym")),
    "cc": (1, ("0", "baseline/keep_both"), ("0", "baseline/keep_both")),
    "audit": (2, ("-7/20", "baseline/asym"), ("0", "baseline/keep_both")),
}

# Weak orders, and how many specifications give each. pagerank leads in A0 under asym and keep_both: 2 contracts x 3
# dispositions x 2 treatments. In A1 under keep_both it is behind mini in baseline (15 < 16, 13 < 14), level with it in
# the other two. Under exclude_both earliest leads in A0 and mini in A1, as mini does in A1 under asym.
P_EM, M_E_P, M_P_E, MP_E, E_M_P = (
    [["pagerank"], ["earliest", "mini"]],
    [["mini"], ["earliest"], ["pagerank"]],
    [["mini"], ["pagerank"], ["earliest"]],
    [["mini", "pagerank"], ["earliest"]],
    [["earliest"], ["mini"], ["pagerank"]],
)
ORDERS = {
    "asym": [(P_EM, 6), (M_E_P, 6)],
    "cc": [(P_EM, 6), (M_E_P, 6), (M_P_E, 2), (MP_E, 4), (E_M_P, 6)],
    "audit": [(P_EM, 12), (M_E_P, 12), (M_P_E, 2), (MP_E, 4), (E_M_P, 6)],
}

# Trace a1 alone, pagerank and earliest: the terminal object and step2 (Table 1 of the paper). mini names step2 too.
TRACE_A1 = {
    ("asym", "A0"): (1, 1), ("asym", "A1"): (0, 1),
    ("keep_both", "A0"): (1, 1), ("keep_both", "A1"): (1, 1),
    ("exclude_both", "A0"): (0, 1), ("exclude_both", "A1"): (0, 1),
}  # fmt: skip
TRACE_EFFECT = {"asym": "-1", "keep_both": "0", "exclude_both": "0"}


@pytest.fixture(scope="module")
def audits() -> Mapping[str, mv.Audit]:
    return {family: mv.audit(STUDY, family=family) for family in TREATMENTS}


def tasks(right: str) -> Fraction:
    """How many tasks a list of them counts."""
    return sum((Fraction(1, 2) if task.endswith("/2") else Fraction(1) for task in right.split()), Fraction(0))


def population(audit: mv.Audit, name: str) -> dict[str, Any]:
    found: dict[str, Any] = audit.record["populations"][name]
    return found


def identified(audit: mv.Audit, name: str, endpoint: str) -> dict[str, Any]:
    return next(found for found in population(audit, name)["identified"] if found["endpoint"] == endpoint)


def ordered(orders: list[tuple[list[list[str]], int]]) -> list[tuple[list[list[str]], int]]:
    return sorted(orders, key=str)


def test_the_levels_follow_from_the_tasks_counted() -> None:
    for key, right in RIGHT.items():
        for disposition, task_e in TASK_E.items():
            counted = [2 * tasks(text) + halves for text, halves in zip(right, task_e, strict=True)]
            assert counted == list(LEVELS[key][disposition])


def test_the_tutorial_counts_the_same_tasks() -> None:
    text = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
    rows = re.findall(r"^\| (\w+) \| (R\dA\d) \| (.+): (\S+) \| (.+): (\S+) \| (.+): (\S+) \|$", text, re.MULTILINE)
    assert {(row[0], row[1]): (row[2], row[4], row[6]) for row in rows} == RIGHT
    assert all(tasks(row[i]) == Fraction(row[i + 1]) for row in rows for i in (2, 4, 6))


@pytest.mark.parametrize("family", TREATMENTS)
def test_levels(audits: Mapping[str, mv.Audit], family: str) -> None:
    found = audits[family].levels.filter(pl.col("population") == "everything")
    want = {
        (f"{contract}/{disposition}/{treatment}", method): Fraction(level, 20)
        for (treatment, contract), levels in LEVELS.items()
        if treatment in TREATMENTS[family]
        for disposition, row in levels.items()
        for method, level in zip(METHODS, row, strict=True)
    }
    assert {(spec, method): Fraction(exact) for spec, method, exact in found["spec", "method", "exact"].rows()} == want


@pytest.mark.parametrize("family", TREATMENTS)
def test_the_effect_in_every_cell_and_background(audits: Mapping[str, mv.Audit], family: str) -> None:
    effect = population(audits[family], "everything")["effects"]["adoption"]
    cells = {f"{disposition}/{t}": EFFECT[t] for disposition in DISPOSITIONS for t in TREATMENTS[family]}
    assert {cell: found["exact"] for cell, found in effect["cells"].items()} == {c: e["mean"] for c, e in cells.items()}
    backgrounds = {(at["cell"], f"R{at['background']['R']}"): at["exact"] for at in effect["backgrounds"]}
    assert backgrounds == {(cell, at): want[at] for cell, want in cells.items() for at in ("R0", "R1")}
    assert effect["partial_cells"] == []


@pytest.mark.parametrize("family", TREATMENTS)
def test_the_identified_set_of_the_effect(audits: Mapping[str, mv.Audit], family: str) -> None:
    found = identified(audits[family], "everything", "effect")
    count, least, greatest = EFFECT_SETS[family]
    ends = [(found[end]["exact"], found[end]["spec"]) for end in ("min", "max")]
    assert (found["a"], found["count"], ends) == ("adoption", count, [least, greatest])
    assert (found["point_identified"], found["undefined"]) == (count == 1, 0)


@pytest.mark.parametrize("family", TREATMENTS)
def test_the_ranking_is_identified_over_no_family(audits: Mapping[str, mv.Audit], family: str) -> None:
    orders = population(audits[family], "everything")["ranking"]["weak_orders"]
    assert ordered([(found["order"], found["specs"]) for found in orders]) == ordered(ORDERS[family])
    assert not identified(audits[family], "everything", "ranking")["point_identified"]


@pytest.mark.parametrize("treatment", EFFECT)
def test_trace_a1_is_the_papers_trace(audits: Mapping[str, mv.Audit], treatment: str) -> None:
    levels = audits["audit"].levels.filter(pl.col("population") == "trace_a1")
    exact = {(spec, method): exact for spec, method, exact in levels["spec", "method", "exact"].rows()}
    effect = population(audits["audit"], "trace_a1")["effects"]["adoption"]
    for disposition in DISPOSITIONS:
        for contract in ("R0A0", "R0A1", "R1A0", "R1A1"):
            spec = f"{contract}/{disposition}/{treatment}"
            scores = tuple(int(exact[spec, method]) for method in ("pagerank", "earliest"))
            assert scores == TRACE_A1[treatment, contract[2:]]
            assert exact[spec, "mini"] == "1"
        assert effect["cells"][f"{disposition}/{treatment}"]["exact"] == TRACE_EFFECT[treatment]


def test_the_declaration_is_clean() -> None:
    assert mv.check(STUDY).declaration.warnings == ()
