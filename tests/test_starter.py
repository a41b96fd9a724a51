"""The starter study: it runs as it is, says nothing wrong, and overwrites nothing."""

from importlib.resources import files
from pathlib import Path

import pytest

from multiverse.audit import audit, check
from multiverse.errors import InputError
from multiverse.starter import write_starter

FILES = {
    *("study.yaml", "contracts.yaml", "dispositions.yaml", "families.yaml"),
    *("data/rows.csv", "data/outcomes.csv"),
}
EXPECTED = "\n  expected a new or empty folder"


@pytest.mark.parametrize("folder", ["new", "deep/er", "empty"])
def test_the_starter_runs_as_it_is(tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    write_starter(tmp_path / folder)
    written = {str(p.relative_to(tmp_path / folder)) for p in (tmp_path / folder).rglob("*") if p.is_file()}
    assert written == FILES
    assert check(tmp_path / folder).declaration.warnings == ()
    found = audit(tmp_path / folder, family="audit")
    assert [family.name for family in found.declaration.families] == ["strict", "lenient", "audit"]
    assert not found.settled  # the question it asks has more than one answer


def test_the_files_are_those_of_the_package(tmp_path: Path) -> None:
    write_starter(tmp_path)
    for name in FILES:
        source = files("multiverse") / "starter_files"
        for part in name.split("/"):
            source /= part
        assert (tmp_path / name).read_bytes() == source.read_bytes()


def test_a_folder_that_holds_something_is_refused_and_left(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError) as caught:
        write_starter(tmp_path)
    assert str(caught.value) == f"{tmp_path}: the folder is not empty{EXPECTED}"
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "starter").write_text("mine")
    with pytest.raises(InputError) as caught:
        write_starter(tmp_path / "starter")
    assert str(caught.value) == f"{tmp_path / 'starter'}: a file{EXPECTED}"
