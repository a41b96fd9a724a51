"""A run computed again from frozen specs and data, and what it wrote found where it lies."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from frozen import FOLDER, GO, STUDY, amended, chain, files_below, frozen
from multiverse.errors import NotFrozenError
from multiverse.receipts.chain import Chain
from multiverse.reruns import (
    Unpack,
    bound_outputs,
    content_bytes,
    link_file,
    rerun_all,
    whole_outputs,
    written_outputs,
)
from multiverse.runs import run

OUT = Path("results/small/audit")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def from_here(held: Chain) -> Unpack:
    """Specs from beside the receipts, tables from the study's folder."""

    def unpack(name: str, target: Path) -> bool:
        if name.startswith("specs/"):
            return bool(target.write_bytes(held.kept(held.bound[name])))
        return link_file(FOLDER / Path(name).name, target)

    return unpack


def again() -> list[tuple[str, str, bool, int, tuple[str, ...], tuple[str, ...]]]:
    """Every rerun: receipt, family, superseded, files compared, those that differ, and what is missing."""
    return [
        (one.run.name, one.run.predicate["family"], one.superseded, one.compared, one.differing, one.missing)
        for one in rerun_all(chain(), from_here(chain()), lambda step: None)
    ]


def test_each_run_is_compared_with_what_its_family_gives_under_its_freeze() -> None:
    frozen(study=STUDY + GO)
    for family in ("audit", "base", "audit"):
        run("small", family=family)
    run("small", family="audit", mode="exploratory")
    amended(study=STUDY + GO + "aggregation: cluster_mean\n")
    run("small", family="audit")
    assert again() == [
        ("0002-run.json", "audit", True, 12, (), ()),
        ("0003-run.json", "base", True, 12, (), ()),
        ("0004-run.json", "audit", True, 12, (), ()),
        ("0007-run.json", "audit", False, 12, (), ()),
    ]


def test_what_comes_out_otherwise_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen()
    run("small", family="audit")
    monkeypatch.setattr("multiverse.reruns.report_text", lambda found: "otherwise")
    assert again() == [("0002-run.json", "audit", False, 12, ("results/audit/report.txt",), ())]


def test_what_is_missing_is_named_and_nothing_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen()
    run("small", family="audit")
    (FOLDER / "rows.csv").unlink()
    monkeypatch.setattr("multiverse.reruns.evaluate", None)
    assert again() == [("0002-run.json", "audit", False, 0, (), ("inputs/rows.csv",))]


def test_specs_that_changed_since_do_not_matter() -> None:
    frozen()
    run("small", family="audit")
    (FOLDER / "contracts.yaml").write_text("not YAML: [")
    assert again() == [("0002-run.json", "audit", False, 12, (), ())]


def test_outputs_are_those_that_lie_unchanged_where_they_were_written() -> None:
    frozen()
    run("small", family="audit")
    receipt = chain().receipts[1]
    names = {f"results/audit/{path}" for path in files_below(OUT)}
    assert set(bound_outputs(receipt)) == set(written_outputs(receipt)) == names
    (OUT / "report.txt").write_text("better")
    (OUT / "tables/levels.parquet").unlink()
    changed = {"results/audit/report.txt", "results/audit/tables/levels.parquet"}
    assert written_outputs(receipt).keys() == names - changed


def lost() -> None:
    shutil.rmtree(OUT)


def edited() -> None:
    (OUT / "report.txt").write_text("better")


@pytest.mark.parametrize("change", [lambda: None, lost, edited])
def test_whole_outputs_are_the_bytes_that_were_bound(change: Callable[[], None]) -> None:
    frozen()
    run("small", family="audit")
    whole = files_below(OUT)
    change()
    found = whole_outputs(chain(), chain().receipts[1], from_here(chain()), lambda step: None)
    assert {name: content_bytes(held) for name, held in found.items()} == {
        f"results/audit/{path}": content for path, content in whole.items()
    }


def test_outputs_that_cannot_be_computed_again_are_asked_for() -> None:
    frozen()
    run("small", family="audit")
    lost()
    (FOLDER / "rows.csv").unlink()
    with pytest.raises(NotFrozenError) as caught:
        whole_outputs(chain(), chain().receipts[1], from_here(chain()), lambda step: None)
    assert str(caught.value) == (
        "0002-run.json: its outputs are not where it wrote them, nor is what to compute them from: inputs/rows.csv\n"
        "  expected results/small/audit as it was written, or the data that was frozen"
    )
