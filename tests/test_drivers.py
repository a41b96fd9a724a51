"""The rows that drive a margin: the largest exact contributions, first by size, then by id, and all others together."""

from fractions import Fraction
from pathlib import Path
from typing import Literal

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import multiverse as mv
from multiverse import drivers as module
from multiverse.drivers import pairs_driven
from multiverse.exact import text_or_null
from plain import PlainStudy
from plain_study import family_specs
from small import write_small
from studies import studies, write_study

QUICKSTART = Path(__file__).resolve().parent.parent / "specs" / "quickstart"
KINDS: tuple[Literal["hypotheses", "scores"], ...] = ("hypotheses", "scores")
PAIR = ["population", "a", "b"]
SCORES = ["a_from", "a_to", "b_from", "b_to"]
LARGEST = ["row_id", "contribution", *SCORES, "reason"]


def expected(found: mv.Separation, key: tuple[str, ...]) -> list[tuple[object, ...]]:
    """The five largest contributions of a pair, and the rest of the change, from all rows that `compare` tells."""
    change = found.margins.filter(**dict(zip(PAIR, key, strict=True)))["change"][0]
    if change is None:
        return [(None,) * 7]
    rows = found.rows.filter(pl.col("row_id").is_not_null(), **dict(zip(PAIR, key, strict=True)))
    moving = [line for line in rows.select(LARGEST).rows() if Fraction(line[1]) != 0]
    top = sorted(moving, key=lambda line: -abs(Fraction(line[1])))[:5]
    rest = Fraction(change) - sum((Fraction(line[1]) for line in top), Fraction(0))
    return [*top, (None, text_or_null(rest), *[None] * 5)]


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_drivers_are_the_largest_of_the_rows_that_separate_two_specifications(
    kind: Literal["hypotheses", "scores"], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    study: PlainStudy = data.draw(studies(kind))
    family = data.draw(st.sampled_from(sorted(study.families["families"])))
    specs = ["/".join(spec) for spec in family_specs(study, family)]
    chosen = data.draw(st.sampled_from(specs))
    folder = write_study(study, tmp_path_factory.mktemp("study"))
    drivers = mv.audit(folder, family=family).drivers
    assert set(drivers["spec"]) <= set(specs[1:])
    found = mv.compare(folder, specs[0], chosen)
    for key, lines in drivers.filter(spec=chosen).group_by(PAIR, maintain_order=True):
        assert lines.select(LARGEST).rows() == expected(found, tuple(map(str, key)))
        assert lines["rank"].to_list() == [*range(1, lines.height), None]
        assert lines["value"].to_list() == [x and float(Fraction(x)) for x in lines["contribution"]]


def test_the_rows_that_drive_a_margin_of_the_quickstart() -> None:
    """As counted by hand in the tutorial, from the other side of the pair."""
    found = mv.audit(QUICKSTART, family="audit").drivers.filter(
        population="everything", a="earliest", b="pagerank", spec="R0A1/baseline/asym"
    )
    whole, half = [(row, "1/10") for row in ("a1", "b1", "d1")], [(row, "1/20") for row in ("c1", "c2")]
    assert found.select("row_id", "contribution").rows() == [*whole, *half, (None, "0")]
    assert found.select(*SCORES, "reason")[:5].unique().rows() == [("1", "1", "1", "0", "predicted_hypothesis_deleted")]


WEIGHED = {
    "scorings": """\
        coordinate: scoring
        options:
          - {id: whole, rule: column, column: score}
          - {id: half, rule: column, column: half}
        """,
    "contracts": """\
        coordinate: contract
        options: [{id: all, require: []}]
        """,
}


def weighed(folder: Path, weights: list[int]) -> pl.DataFrame:
    """Seven rows on which `a` scores 1 or 1/2, by the weights of the rows."""
    study = write_small(
        folder,
        "scores",
        study="aggregation: {rule: row_mean, weight: weight}\n",
        files=WEIGHED,
        rows=pl.DataFrame({"row_id": [f"r{i}" for i in range(1, 8)], "weight": weights}),
        outcomes=pl.DataFrame(
            {
                "row_id": [f"r{i}" for i in range(1, 8)] * 2,
                "method": ["a"] * 7 + ["b"] * 7,
                "score": [1.0] * 7 + [0.0] * 7,
                "half": [0.5] * 7 + [0.0] * 7,
            }
        ),
    )
    return mv.audit(study, family="audit").drivers


def test_contributions_that_a_float_cannot_tell_apart_are_in_their_exact_order(tmp_path: Path) -> None:
    large = 2**53
    found = weighed(tmp_path, [large, large + 1, large, large + 2, large + 1, large - 1, 1])
    assert found["row_id"].to_list() == ["r4", "r2", "r5", "r1", "r3", None]
    whole = 6 * large + 4
    tops = [large + 2, large + 1, large + 1, large, large]
    assert found["contribution"].to_list() == [
        *(str(-Fraction(top, 2 * whole)) for top in tops),
        str(-Fraction(large, 2 * whole)),
    ]


def test_rows_that_add_nothing_drive_nothing(tmp_path: Path) -> None:
    found = weighed(tmp_path, [0, 3, 0, 1, 0, 0, 0])
    assert found.select("row_id", "contribution").rows() == [("r2", "-3/8"), ("r4", "-1/8"), (None, "0")]


MARGINS = {
    "contracts": """\
        coordinate: contract
        predicates: {adopted: {column: adopted, equals: true}}
        factors: {A: {"0": [], "1": [adopted]}}
        """,
    "dispositions": """\
        coordinate: disposition
        options: [{id: base, legal_present: {answered: match}, legal_empty: {answered: 0}}]
        """,
}
THREE = "row_id,method,score\n" + "".join(
    f"{row},{method},{score}\n"
    for method, scores in {"a": (1, 0), "b": (1, 1), "c": (0.5, 1), "d": (0, 0)}.items()
    for row, score in zip(("r1", "r2"), scores, strict=True)
)


def test_pairs_of_effects_come_first_then_reversals_then_weak_ones(tmp_path: Path) -> None:
    """Levels at A0 and A1, where r2 scores 0: a 1/2 1/2, b 1 1/2, c 3/4 1/4, d 0 0."""
    effect = "endpoints: {effects: [{id: e, pair: [d, c], factor: A, from: 0, to: 1}]}\n"
    study = write_small(tmp_path, "scores", study=effect, files=MARGINS, outcomes=THREE)
    found = mv.audit(study, family="audit").drivers
    pairs = found.select("a", "b").unique(maintain_order=True).rows()
    assert pairs == [("c", "d"), ("a", "c"), ("a", "b"), ("a", "d"), ("b", "c"), ("b", "d")]


def test_a_margin_that_is_undefined_has_no_drivers(tmp_path: Path) -> None:
    """Under A1 no row is legal, and none is then eligible."""
    files = {
        "dispositions": MARGINS["dispositions"].replace("{answered: 0}", "exclude"),
        "contracts": MARGINS["contracts"].replace("equals: true", "is_null: true"),
    }
    study = write_small(tmp_path, "scores", files=files, outcomes=THREE)
    found = mv.audit(study, family="audit").drivers
    assert found.drop("population", "a", "b").unique().rows() == [("A1/base", *[None] * 9)]


@pytest.mark.parametrize(
    ("rows", "populations", "specs", "pairs"),
    [
        (257, 2, 54, 3),
        (257, 1, 2_000, 1),
        (257, 1, 2_001, 0),
        (257, 2, 1_001, 0),
        (0, 1, 1, 0),
        (1_000_000, 1, 10, 1),
        (1_000_000, 1, 11, 0),
        (100_000, 1, 10, 10),
        (12_032, 2, 36, 5),
    ],
)
def test_so_many_pairs_are_told_as_take_little_time(rows: int, populations: int, specs: int, pairs: int) -> None:
    assert pairs_driven(rows, populations, specs) == pairs


def test_of_too_many_rows_none_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = write_small(tmp_path, "scores", files=MARGINS, outcomes=THREE)
    assert mv.audit(study, family="audit").drivers.height > 0
    monkeypatch.setattr(module, "_MOST_ROWS", 3)
    assert mv.audit(study, family="audit").drivers.height == 0
