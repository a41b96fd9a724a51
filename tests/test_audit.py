"""The main path against the plain evaluator, the conformance studies, and itself: same inputs, same bytes."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Literal

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import multiverse as mv
from plain import PlainStudy, plain_record
from studies import studies, write_study
from test_plain import differences

KINDS: tuple[Literal["hypotheses", "scores"], ...] = ("hypotheses", "scores")
FORMATS: tuple[Literal["parquet", "csv", "jsonl"], ...] = ("parquet", "csv", "jsonl")
STUDIES = "clusters hostile_names partial_credit plain scores scores_missing three_classes undefined"
CONFORMANCE = [*((study, family) for study in STUDIES.split() for family in ("audit", "cc")), ("plain", "part")]


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_a_record_equals_the_plain_evaluators(
    kind: Literal["hypotheses", "scores"], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    study: PlainStudy = data.draw(studies(kind))
    family = data.draw(st.sampled_from(sorted(study.families["families"])))
    table_format = data.draw(st.sampled_from(FORMATS))
    folder = write_study(study, tmp_path_factory.mktemp("study"), table_format=table_format, shuffle_seed=1)
    found, want = mv.audit(folder, family=family), plain_record(study, family)
    assert levels_and_margins(found) == plain_levels_and_margins(want)
    for population in want["populations"].values():
        for key in ("levels", "support", "margins"):
            population.pop(key)
    assert list(differences(in_one_order(want), in_one_order(found.record))) == []


def in_one_order(record: dict) -> dict:  # type: ignore[type-arg]
    """The record with the backgrounds of effects sorted: their order says nothing."""
    for population in record["populations"].values():
        for effect in population["effects"].values():
            effect["backgrounds"].sort(key=lambda one: (one["cell"], sorted(one["background"].items())))
    return record


def levels_and_margins(found: mv.Audit) -> dict[tuple[str, ...], tuple[object, ...]]:
    """Exact levels with their support, and margins with whether they share it."""
    levels = found.levels.iter_rows(named=True)
    margins = found.margins.iter_rows(named=True)
    return {(r["population"], r["spec"], r["method"]): (r["exact"], r["support"]) for r in levels} | {
        (r["population"], r["spec"], r["a"], r["b"]): (r["exact"], r["shared_support"]) for r in margins
    }


def plain_levels_and_margins(want: dict) -> dict[tuple[str, ...], tuple[object, ...]]:  # type: ignore[type-arg]
    """The same of the plain evaluator's record."""
    found: dict[tuple[str, ...], tuple[object, ...]] = {}
    for name, population in want["populations"].items():
        for spec, levels in population["levels"].items():
            found |= {(name, spec, m): (exact, population["support"][spec][m]) for m, exact in levels.items()}
        for spec, margins in population["margins"].items():
            found |= {(name, spec, r["a"], r["b"]): (r["exact"], r["shared_support"]) for r in margins}
    return found


@given(study=studies(), seed=st.integers(0, 99))
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
def test_bytes_do_not_depend_on_row_order_threads_or_parts(
    tmp_path_factory: pytest.TempPathFactory, study: PlainStudy, seed: int
) -> None:
    family, folder = min(study.families["families"]), tmp_path_factory.mktemp("bytes")
    write_study(study, folder / "one")
    write_study(study, folder / "two", shuffle_seed=seed)
    split_rows(folder / "two")
    mv.audit(folder / "one", family=family, out=folder / "first", threads=1)
    mv.audit(folder / "two", family=family, out=folder / "second", threads=2)
    assert files_of(folder / "first") == files_of(folder / "second")


def split_rows(folder: Path) -> None:
    """Store rows.parquet as a folder of parts of three rows."""
    rows = pl.read_parquet(folder / "rows.parquet")
    (folder / "rows.parquet").unlink()
    (folder / "rows.parquet").mkdir()
    for part, frame in enumerate(rows.iter_slices(3)):
        frame.write_parquet(folder / "rows.parquet" / f"{part:03}.parquet")


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, by its path in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(("study", "family"), CONFORMANCE)
def test_conformance_studies_give_the_expected_record(
    shared: Path, tmp_path: Path, study: str, family: str, capsys: pytest.CaptureFixture[str]
) -> None:
    mv.audit(shared / "conformance" / study, family=family, out=tmp_path / "out")
    expected = shared / "conformance" / study / f"expected.{family}.json"
    outside(shared / "check_record.py").main(str(expected), str(tmp_path / "out"))
    assert capsys.readouterr().out == "0 differences\n"


def outside(path: Path) -> ModuleType:
    """A module from a file outside the project."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_mmlu_pro_shows_what_an_unparsable_answer_is_worth(shared: Path) -> None:
    found = mv.audit(shared / "real" / "mmlu_pro", family="missing")
    records = found.levels.filter(pl.col("population") == "all").iter_rows(named=True)
    levels = {(r["spec"], r["method"]): round(100 * r["value"], 2) for r in records}
    assert levels["all_items/wrong/none/recorded/micro", "gemini-1.5-pro-002"] == 70.04
    assert levels["all_items/wrong/none/recorded/micro", "Qwen1.5-72B-Chat"] == 47.15
    assert levels["all_items/dropped/none/recorded/micro", "Qwen1.5-72B-Chat"] == 57.76
    pairs = found.record["populations"]["all"]["ranking"]["pairs"]
    assert sum(pair["relation"] == "reversal" for pair in pairs) == 26


@pytest.mark.parametrize("family", ["asym", "cc", "audit"])
def test_real_failures_run_in_every_family(shared: Path, family: str) -> None:
    found = mv.audit(shared / "real" / "failures", family=family)
    assert found.record["populations"]["all"]["rows"] == 257
    assert json.loads(json.dumps(found.record)) == found.record


def test_an_unknown_family_is_answered_with_the_nearest(shared: Path) -> None:
    folder = shared / "conformance" / "plain"
    with pytest.raises(mv.InputError) as error:
        mv.audit(folder, family="aduit")
    assert str(error.value) == (
        f"{folder}/families.yaml: unknown family 'aduit'\n"
        "  expected one of 'asym', 'audit', 'cc', 'part'\n  did you mean 'audit'?"
    )


def test_an_unknown_study_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "specs" / "quick").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(mv.InputError) as error:
        mv.audit("slow", family="cc")
    assert str(error.value) == (
        "slow: no such study\n  expected a folder of YAML files, or the name of one under specs/ ('quick')"
    )
