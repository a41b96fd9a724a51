"""Intervals against a bootstrap written out in plain Python, hand counts, and the paper's own figures."""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import multiverse as mv
from multiverse.intervals import Interval
from multiverse.resampling import BLOCK, Units, block_weights
from multiverse.uncertainty import Envelope, RankInterval, SignPattern, Uncertainty, pair_uncertainty, rank_intervals
from plain_comparisons import Quantities, compared
from plain_levels import Times, clusters, named_rule
from plain_scores import methods
from plain_study import PlainStudy, coordinate_options, keys, read_plain
from small import audit_faults, write_small
from studies import studies, write_study
from test_audit import files_of, split_rows

STUDIES = "clusters hostile_names partial_credit plain scores scores_missing three_classes undefined"
Key = tuple[Any, ...]


# A bootstrap in plain loops, which shares nothing with the product but how often each unit is drawn


def row_weights(study: PlainStudy) -> list[Times]:
    """How often each row is drawn, for every draw: units in the order of their ids within strata."""
    declared = study.study["resampling"]
    row, _, stratum = keys(study)
    by_stratum = {r[row]: r[stratum] if declared.get("strata") else 0 for r in study.rows}
    own = {r: r for r in by_stratum} if declared.get("unit") == "row" else clusters(study)
    unit_of = {r: (by_stratum[r], own[r]) for r in by_stratum}
    order = sorted(set(unit_of.values()), key=lambda unit: (unit[0], str(unit[1])))
    codes = sorted(set(by_stratum.values()))
    units = Units(np.zeros(0, dtype=np.int64), np.array([codes.index(named) for named, _ in order]))
    draws, found = declared["draws"], list[Times]()
    for block, start in enumerate(range(0, draws, BLOCK)):
        for drawn in block_weights(units, seed=declared["seed"], block=block, draws=min(BLOCK, draws - start)):
            found.append({r: int(drawn[order.index(unit)]) for r, unit in unit_of.items()})
    return found


def plain_uncertainty(study: PlainStudy, family: str, where: Mapping[str, Any]) -> dict[Key, Any]:
    """Intervals of every quantity, then envelopes and sign patterns of every pair."""
    quantities = Quantities(study, family, where)
    observed, draws = quantities.once(), [quantities.values(weights) for weights in row_weights(study)]
    level = study.study["resampling"].get("level", 0.95)
    found: dict[Key, Any] = {key: plain_interval([draw[key] for draw in draws], level) for key in observed}
    for a, b in combinations(methods(study), 2):
        margins = [key for key in observed if key[0] == "margin" and key[2:] == (a, b) and observed[key] is not None]
        moves, same = [], []
        for draw in draws:
            pairs = [(value, float(observed[key])) for key in margins if (value := draw[key]) is not None]  # type: ignore[arg-type]
            if margins and len(pairs) == len(margins):
                moves.append(max(abs(float(value) - seen) for value, seen in pairs))
                same.append(all((value > 0) - (value < 0) == (seen > 0) - (seen < 0) for value, seen in pairs))
        ends = [float(observed[key]) for key in margins]  # type: ignore[arg-type]
        c = float(np.quantile(moves, level)) if moves else None
        undefined = len(draws) - len(moves) if margins else 0
        found["envelope", a, b] = (c, undefined) if c is None else (c, min(ends) - c, max(ends) + c, undefined)
        found["sign_pattern", a, b] = (sum(same) / len(same) if same else None,)
    return found


def plain_interval(values: list[Fraction | None], level: float) -> tuple[float | int, ...]:
    known = [float(value) for value in values if value is not None]
    undefined = len(values) - len(known)
    if not known:
        return (undefined,)
    return (*(float(np.quantile(known, q)) for q in ((1 - level) / 2, (1 + level) / 2)), undefined)


def intervals(found: mv.Audit, one: Uncertainty) -> dict[Key, Any]:
    """The same of an audit; what is None left out."""
    levels = {
        effect: [tuple(sorted(b.levels)) for b in found.declaration.backgrounds[effect]] for effect, _, _ in one.effects
    }
    parts: dict[Key, Any] = {("level", *key): value for key, value in one.levels.items()}
    parts |= {("margin", *key): value for key, value in one.margins.items()}
    parts |= {("effect", e, c, None if b is None else levels[e][b]): value for (e, c, b), value in one.effects.items()}
    parts |= {("contrast", *key): value for key, value in one.contrasts.items()}
    parts |= {("stratum", *key): value for key, value in one.stratum_contrasts.items()}
    parts |= {("envelope", e.a, e.b): e[2:] for e in one.envelopes}
    parts |= {("sign_pattern", p.a, p.b): p[2:] for p in one.sign_patterns}
    drawn = {
        key: value[:-1] if isinstance(value, Interval) and not value.exact else value for key, value in parts.items()
    }
    return {key: tuple(part for part in value if part is not None) for key, value in drawn.items()}


def assert_plain(study: PlainStudy, folder: Path, family: str) -> None:
    """An audit's uncertainty is the plain bootstrap's, to 1e-9, in every population."""
    found = mv.audit(write_study(study, folder), family=family)
    for name, where in (study.study.get("populations") or {"all": {}}).items():
        want = plain_uncertainty(study, family, where)
        want = {key: tuple(part for part in value if part is not None) for key, value in want.items()}
        got = intervals(found, found.uncertainty[name])
        assert got.keys() == want.keys()
        wrong = {key: (got[key], want[key]) for key in want if got[key] != pytest.approx(want[key], abs=1e-9, rel=0)}
        assert wrong == {}


@pytest.mark.parametrize("name", STUDIES.split())
def test_conformance_studies_agree_with_a_plain_bootstrap(shared: Path, tmp_path: Path, name: str) -> None:
    study = read_plain(shared / "conformance" / name)
    coordinates = coordinate_options(study)
    few = {key: [*coordinates[key]][:1] for key in ("reading", "scoring") if key in coordinates}
    families = {"rationale": "quick", "license": "none", "families": {"few": few}}
    resampling = {**study.study["resampling"], "draws": 8}
    assert_plain(replace(study, study={**study.study, "resampling": resampling}, families=families), tmp_path, "few")


UNITS = [{"unit": "cluster"}, {"unit": "row"}, {"unit": "row", "strata": True}]


@given(study=studies(), unit=st.sampled_from(UNITS), seed=st.integers(0, 99))
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
def test_random_studies_agree_with_a_plain_bootstrap(
    tmp_path_factory: pytest.TempPathFactory, study: PlainStudy, unit: dict[str, Any], seed: int
) -> None:
    stratum = keys(study).stratum
    if unit.get("strata"):
        unit = {**unit, "strata": stratum if stratum in study.rows[0] else None}
    rules = [named_rule(study, option) for option in (study.aggregations or {}).get("options", ())]
    if "cluster_mean" in [*rules, study.study.get("aggregation")]:
        unit = {"unit": "cluster"}
    resampling = {**unit, "draws": 12, "seed": seed, "level": 0.9}
    chosen = compared(replace(study, study={**study.study, "resampling": resampling}))
    assert_plain(chosen, tmp_path_factory.mktemp("study"), min(study.families["families"]))


# By hand


@pytest.mark.parametrize(
    ("level", "critical", "lower", "upper"),
    [(Fraction(1, 2), 0.5, -0.5, 1.0), (Fraction(3, 4), 0.5, -0.5, 1.0), (Fraction(1, 4), 0.25, -0.25, 0.75)],
)
def test_an_envelope_is_the_range_widened_by_the_largest_move_of_a_draw(
    level: Fraction, critical: float, lower: float, upper: float
) -> None:
    """Moves of the three defined draws are 0, 1/2 and 1/2; only the first has the observed signs (+, 0)."""
    first, second = np.array([0.5, 1, 0, np.nan]), np.array([0, 0.25, -0.25, 0])
    found = pair_uncertainty("a", "b", [(first, Fraction(1, 2)), (second, Fraction(0))], level)
    assert found == (Envelope("a", "b", critical, lower, upper, 1), SignPattern("a", "b", 1 / 3))


@pytest.mark.parametrize(("draws", "undefined"), [([], 0), ([(np.array([np.nan, np.nan]), Fraction(1))], 2)])
def test_an_envelope_of_nothing_is_undefined(draws: list[Any], undefined: int) -> None:
    found = pair_uncertainty("a", "b", draws, Fraction(1, 2))
    assert found == (Envelope("a", "b", None, None, None, undefined), SignPattern("a", "b", None))


def test_rank_intervals_are_widened_to_whole_ranks_and_ties_share_a_rank() -> None:
    """Ranks of a: 1, 1, 2; of b: 2, 1, 1: medians 1 and 1, quartiles 1 and 3/2."""
    levels = [np.array([1, 0.5, 0, np.nan]), np.array([0, 0.5, 1, 1])]
    assert rank_intervals(levels, Fraction(1, 2)) == [RankInterval(1, 2), RankInterval(1, 2)]
    assert rank_intervals([values[:2] for values in levels], Fraction(1, 2)) == [RankInterval(1, 1), RankInterval(1, 2)]
    assert rank_intervals([np.array([np.nan])] * 2, Fraction(1, 2)) == [RankInterval(None, None)] * 2


# The paper's figures, on the reconstruction of its data


@pytest.mark.parametrize("name", ["elephant", "pooled217"])
def test_the_reconstruction_gives_the_papers_intervals(shared: Path, name: str) -> None:
    family = {"elephant": "audit", "pooled217": "baseline"}[name]
    found = mv.audit(shared / "reconstruction" / name, family=family)
    population = next(iter(found.record["populations"].values()))
    effects = {cell: percent(one) for cell, one in population["effects"]["adoption"]["cells"].items()}
    if name == "pooled217":
        assert effects == {"baseline/asym": pytest.approx((-7.72, -12.10, -3.92), abs=0.01)}
        assert percent(population["stratum_contrasts"]["corpus"]["cells"]["baseline/asym"]) == pytest.approx(
            (8.02, 1.47, 14.95), abs=0.015
        )
        (envelope,) = pair_of(population["uncertainty"]["envelope"])
        # 22/217 (paper section 4.1): of row means over one support every move is a whole number of rows.
        assert 217 * envelope["critical"] == pytest.approx(22, abs=1e-12)
        assert (-100 * envelope["upper"], -100 * envelope["lower"]) == pytest.approx((-13.36, 18.89), abs=0.005)
        (pattern,) = pair_of(population["uncertainty"]["sign_pattern"])
        assert pattern["share"] == pytest.approx(0.241, abs=0.0005)
    else:
        asym = {cell: effects.pop(f"{cell}/asym") for cell in ("baseline", "conservative", "conditional")}
        # The paper's ends are of other draws: 0.35 pp is about three of their Monte Carlo errors.
        assert asym["baseline"] == pytest.approx((-43.03, -50.82, -35.14), abs=0.35)
        assert asym["conservative"] == pytest.approx((-41.30, -48.91, -33.70), abs=0.37)
        assert asym["conditional"] == pytest.approx((-40.76, -48.61, -32.98), abs=0.35)
        assert set(effects.values()) == {(0.0, 0.0, 0.0)}


def percent(found: dict[str, Any]) -> tuple[float, ...]:
    return tuple(100 * value for value in (found["value"], *found["interval"]))


def pair_of(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in found if {one["a"], one["b"]} == {"earliest", "pagerank"}]


# Same inputs, same bytes


@given(study=studies(), seed=st.integers(0, 99))
@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow])
def test_bytes_do_not_depend_on_row_order_jobs_or_parts(
    tmp_path_factory: pytest.TempPathFactory, study: PlainStudy, seed: int
) -> None:
    study = compared(replace(study, study={**study.study, "resampling": {"draws": 250, "seed": seed}}))
    family, folder = min(study.families["families"]), tmp_path_factory.mktemp("bytes")
    write_study(study, folder / "one")
    write_study(study, folder / "two", shuffle_seed=seed)
    split_rows(folder / "two")
    mv.audit(folder / "one", family=family, out=folder / "first", jobs=1)
    mv.audit(folder / "two", family=family, out=folder / "second", jobs=2)
    assert files_of(folder / "first") == files_of(folder / "second")


# What is refused, and what is left empty

SHARED_CLUSTER = "row_id,cluster_id,stratum,adopted\nr1,c1,s1,true\nr2,c1,s2,false\n"
PLAIN_CONTRACT = "coordinate: contract\npredicates: {}\noptions: [{id: only, require: []}]\n"


@pytest.mark.parametrize(
    ("study", "fault"),
    [
        (
            "resampling: {strata: stratum}\n",
            "study.yaml: resampling: the cluster of row 'r1' lies in two strata\n  expected clusters within strata",
        ),
        (
            "aggregation: cluster_mean\nresampling: {unit: row}\n",
            "study.yaml: resampling: unit row under cluster_mean\n  expected unit: cluster: its rows go together",
        ),
    ],
)
def test_units_that_the_data_does_not_have_are_refused(tmp_path: Path, study: str, fault: str) -> None:
    assert audit_faults(write_small(tmp_path, "scores", study=study, rows=SHARED_CLUSTER)) == [fault]


@pytest.mark.parametrize("study", ["", "resampling: {method: none}\n"])
def test_without_resampling_uncertainty_is_empty(tmp_path: Path, study: str) -> None:
    found = mv.audit(write_small(tmp_path, study=study), family="audit")
    assert found.uncertainty == {}
    assert found.record["populations"]["all"]["uncertainty"] == {}
    assert found.levels["lower"].to_list() == found.levels["upper"].to_list() == [None] * found.levels.height


def test_one_level_agrees_with_scipys_bootstrap(tmp_path: Path) -> None:
    stats = pytest.importorskip("scipy.stats")
    scores = np.random.default_rng(1).integers(0, 11, 60) / 10
    rows = pl.DataFrame({"row_id": range(60)}).with_columns(adopted=True)
    outcomes = pl.DataFrame({"row_id": range(60), "method": "a", "score": scores})
    study = "resampling: {unit: row, draws: 4000, seed: 3}\n"
    files = {"contracts": PLAIN_CONTRACT}
    folder = write_small(tmp_path, "scores", study=study, files=files, rows=rows, outcomes=outcomes)
    (found,) = mv.audit(folder, family="audit").levels.iter_rows(named=True)
    want = stats.bootstrap((scores,), np.mean, n_resamples=4000, method="percentile", rng=2).confidence_interval
    assert (found["lower"], found["upper"]) == pytest.approx((want.low, want.high), abs=0.01)


def test_strata_are_the_stratum_column(shared: Path, tmp_path: Path) -> None:
    shutil.copytree(shared / "real" / "failures", tmp_path / "failures", copy_function=shutil.copyfile)
    declared = tmp_path / "failures" / "study.yaml"
    declared.write_text(declared.read_text().replace("unit: cluster", "unit: cluster\n  strata: banana"))
    with pytest.raises(mv.InputError) as error:
        mv.audit(tmp_path / "failures", family="asym")
    assert str(error.value) == f"{declared}:38:11: unknown column of strata 'banana'\n  expected one of 'stratum'"


def test_exact_intervals_are_those_that_many_draws_approach(shared: Path, tmp_path: Path) -> None:
    """The failures' rows: every conservative level counts every row once, so its interval is computed, not drawn."""
    folder = tmp_path / "failures"
    shutil.copytree(shared / "real" / "failures", folder, copy_function=shutil.copyfile)
    declared = (folder / "study.yaml").read_text()
    drawn = mv.audit(folder, family="asym")
    (folder / "study.yaml").write_text(declared.replace("unit: cluster", "unit: row\n  interval: exact"))
    exact = mv.audit(folder, family="asym")
    (folder / "study.yaml").write_text(declared.replace("unit: cluster", "unit: row"))
    rows = mv.audit(folder, family="asym")
    assert {one.exact for one in drawn.uncertainty["all"].levels.values()} == {False}
    key = ("any-A0/conservative/asym", "longest_step")
    found, near = exact.uncertainty["all"].levels[key], rows.uncertainty["all"].levels[key]
    assert (found.exact, near.exact) == (True, False)
    assert (found.lower, found.upper) == pytest.approx((near.lower, near.upper), abs=2 / 257)
    counts = exact.record["populations"]["all"]["uncertainty"]["intervals"]
    assert counts["exact"] > 0 and counts["drawn"] > 0


@pytest.mark.parametrize(
    ("study", "family", "spec", "pair"),
    [
        ("failures", "asym", "any-A0/conservative/asym", ("longest_step", "terminal_event")),
        ("mmlu_pro", "missing", "all_items/wrong/none/recorded/micro", ("Yi-34B", "gemma-7b")),
    ],
)
def test_real_studies_agree_with_a_bootstrap_of_joined_answers(
    shared: Path, study: str, family: str, spec: str, pair: tuple[str, str]
) -> None:
    """Where all is legal and the rest scores 0, a level is the share of rows with an answer among the objects."""
    folder = shared / "real" / study
    found = mv.audit(folder, family=family)
    tables = {name: pl.read_parquet(folder / f"{name}.parquet") for name in ("rows", "objects", "predictions")}
    answers = tables["predictions"].filter(pl.col("method").is_in(pair) & pl.col("object_id").is_not_null())
    if "level" in answers.columns:
        answers = answers.filter(pl.col("level") == "recorded")
    hits = answers.join(tables["objects"], on=["row_id", "object_id"], how="semi").select("method", "row_id").unique()
    rows = tables["rows"].with_columns(pl.col("cluster_id", "row_id").cast(pl.String))
    resampling = found.declaration.resampling
    assert resampling is not None
    within = ["stratum", "cluster_id"] if resampling.strata else ["cluster_id"]
    order = rows.select(within).unique().sort(within).with_row_index("unit")
    named = order["stratum"].rank("dense").to_numpy() if resampling.strata else np.zeros(len(order))
    units = Units(np.zeros(0, dtype=np.int64), named.astype(np.int64))
    of_row = rows.join(order, on=within, how="left", maintain_order="left")["unit"].to_numpy()
    right = {
        m: rows["row_id"].is_in(hits.filter(method=m)["row_id"].cast(pl.String).implode()).to_numpy() for m in pair
    }
    levels: dict[str, list[float]] = {method: [] for method in pair}
    for block in range(resampling.draws // BLOCK):
        for drawn in block_weights(units, seed=resampling.seed, block=block, draws=BLOCK):
            weight = drawn[of_row]
            for method in pair:
                levels[method].append(float(weight[right[method]].sum() / weight.sum()))
    margins = np.subtract(levels[pair[0]], levels[pair[1]])
    one = found.uncertainty["all"]
    for got, draws in [(one.levels[spec, m], levels[m]) for m in pair] + [(one.margins[spec, *pair], margins)]:
        assert (got.lower, got.upper) == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])), abs=1e-9)
