"""What receipts state: names that no other bytes ever had, and folders that keep versions apart."""

from pathlib import Path

import pytest

from frozen import FAMILIES, STUDY, amended, chain, frozen, write_explained
from multiverse.receipts.freezing import amend
from multiverse.receipts.snapshot import all_tables, snapshot
from multiverse.receipts.statements import bound_name, generation, without_paths
from multiverse.runs import run

SPECS = ("contracts", "dispositions", "families", "study")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_bytes_keep_the_name_that_they_had_and_other_bytes_get_a_new_one() -> None:
    """Back and forth between two versions: one path, one digest for the life of the chain."""
    frozen()
    for comment in ("# 2\n", "", "# 2\n"):
        amended(files={"families": FAMILIES + comment})
    bound = [{name for name in one.subjects if "families.yaml" in name} for one in chain().receipts]
    first, second = {"specs/families.yaml"}, {"specs/0002/families.yaml"}
    assert bound == [first, second, first, second]
    digest = chain().bound["specs/0002/families.yaml"]
    assert bound_name(chain(), "specs/families.yaml", digest) == "specs/0002/families.yaml"
    assert bound_name(chain(), "specs/families.yaml", "0" * 64) == "specs/0005/families.yaml"
    assert bound_name(chain(), "specs/readings.yaml", "0" * 64) == "specs/readings.yaml"


def test_every_family_is_frozen_with_its_specifications() -> None:
    declaration = write_explained()
    assert snapshot(declaration, all_tables(declaration)).families == (
        b'{"families":[{"family":"audit","specs":["A0/base","A1/base"]},{"family":"base","specs":["A0/base"]}]}'
    )


def test_an_amendment_of_the_code_alone_binds_the_same_files(monkeypatch: pytest.MonkeyPatch) -> None:
    declaration = frozen()
    Path("uv.lock").write_text("other")
    amend(declaration, reason="a newer lock file")
    first, second = chain().receipts
    assert first.subjects == second.subjects


def test_results_of_an_amended_freeze_have_a_folder_of_its_number() -> None:
    frozen()
    amended(study=STUDY + "aggregation: cluster_mean\n")
    run("small", family="base")
    run("small", family="base", mode="exploratory")
    first, second, complete, exploratory = chain().receipts
    assert (generation(first), generation(second)) == ("", "0002/")
    folders = [
        {name.partition("/base/")[0] for name in one.subjects if "/base/" in name} for one in (complete, exploratory)
    ]
    assert folders == [{"results/0002"}, {"results/exploratory/0004"}]


def test_an_exploratory_run_binds_what_it_wrote_and_nothing_else() -> None:
    frozen()
    run("small", family="base", mode="exploratory")
    receipt = chain().receipts[1]
    assert (receipt.predicate["specs"], receipt.predicate["inputs"]) == ([], [])
    assert all(name.startswith("results/exploratory/0002/base/") for name in receipt.subjects)


@pytest.mark.parametrize(
    ("git", "bound"), [(None, None), ({"clean": True, "paths": [1]}, {"clean": True, "paths": []})]
)
def test_a_state_of_git_may_bind_nothing(git: dict[str, object] | None, bound: dict[str, object] | None) -> None:
    assert without_paths(git) == bound
