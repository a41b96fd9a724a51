"""A study as it stands: its files by name and digest, and what its spec files mean."""

import hashlib
import os
from pathlib import Path

import polars as pl
import pytest

from frozen import FOLDER, STUDY, TABLES, rewrite, write_explained
from multiverse.declaration import read_declaration
from multiverse.errors import InputError, NotFrozenError
from multiverse.receipts.snapshot import (
    all_tables,
    answer_tables,
    check_unmoved,
    data_files,
    file_sha256,
    meaning_of,
    reference_tables,
    spec_files,
)
from multiverse.strict_yaml import read_yaml


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_tables_are_told_apart_by_whether_they_hold_answers() -> None:
    declaration = write_explained()
    assert all_tables(declaration) == ("rows", "objects", "predictions")
    assert (reference_tables(declaration), answer_tables(declaration)) == (("rows", "objects"), ("predictions",))


def test_files_have_a_name_a_digest_and_the_path_as_declared() -> None:
    declaration = write_explained()
    assert [(file.name, file.source, file.sha256) for file in data_files(declaration, ["rows", "objects"])] == [
        (f"inputs/{table}.csv", f"{table}.csv", hashlib.sha256(TABLES[table].encode()).hexdigest())
        for table in ("rows", "objects")
    ]


def declared_at(path: str) -> list[tuple[str, str]]:
    """The names and sources of the files of rows, declared at a path."""
    tables = f"rows: '{path}', objects: objects.csv, predictions: predictions.csv"
    declaration = write_explained(study=f"study: small\nsubstrate: {{kind: hypotheses, {tables}}}\n{STUDY}")
    return [(file.name, file.source) for file in data_files(declaration, ["rows"])]


def test_parts_are_numbered_in_their_order() -> None:
    frame = pl.DataFrame({"row_id": ["r1"], "cluster_id": ["c1"], "stratum": ["s1"]})
    (FOLDER / "parts/deep").mkdir(parents=True)
    for name in ("b.parquet", "a.parquet", "deep/c.PARQUET", "deep/d.parquet"):
        frame.write_parquet(FOLDER / "parts" / name)
    found = [("inputs/rows/0001.parquet", "parts/a.parquet"), ("inputs/rows/0002.parquet", "parts/b.parquet")]
    assert declared_at("parts/*.parquet") == found
    assert declared_at("parts") == [*found, ("inputs/rows/0003.parquet", "parts/deep/d.parquet")]


def test_a_table_elsewhere_is_named_as_it_was_declared(tmp_path: Path) -> None:
    """Relative to the study, or absolute: the same from any checkout."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data/Rows.CSV").write_text(TABLES["rows"])
    assert declared_at("../../data/Rows.CSV") == [("inputs/rows.csv", "../../data/Rows.CSV")]
    assert declared_at(f"{tmp_path}/data/Rows.CSV") == [("inputs/rows.csv", f"{tmp_path}/data/Rows.CSV")]
    assert declared_at(f"{tmp_path}/data/*.CSV") == [("inputs/rows.csv", f"{tmp_path}/data/Rows.CSV")]


def test_a_name_that_no_receipt_can_state_is_refused() -> None:
    declared_at("rows*.csv")
    os.rename(b"specs/small/rows.csv", b"specs/small/rows\xff.csv")
    with pytest.raises(InputError) as caught:
        data_files(read_declaration(FOLDER), ["rows"])
    assert str(caught.value) == (
        "rows (specs/small/rows\\udcff.csv): its name is not UTF-8: no receipt can state it\n  expected a name in UTF-8"
    )


def test_data_that_moves_while_it_is_read_is_told() -> None:
    before = data_files(write_explained(), ["rows", "objects"])
    check_unmoved(before)
    (FOLDER / "rows.csv").write_text("other")
    with pytest.raises(NotFrozenError) as caught:
        check_unmoved(before)
    assert str(caught.value) == (
        "specs/small/rows.csv: changed while it was being read\n"
        "  expected data that nobody writes while an audit reads it"
    )


@pytest.mark.parametrize(
    ("content", "digest"),
    [  # FIPS 180-2, appendix B, and the empty message of the NIST vectors
        (b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (b"a" * 1_000_000 + b"", "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ],
)
def test_a_file_of_any_size_has_its_digest(content: bytes, digest: str) -> None:
    Path("file").write_bytes(content)
    assert file_sha256(Path("file")) == digest


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a: b\n", {"mapping": [["a", "b"]]}),
        ("{'a': \"b\"}  # the same\n", {"mapping": [["a", "b"]]}),
        ("b: 1\na: 2\n", {"mapping": [["b", {"number": "1"}], ["a", {"number": "2"}]]}),
        ("[0.50, '0.50', true, null]\n", [{"number": "1/2"}, "0.50", True, None]),
    ],
)
def test_a_file_means_what_it_says_however_it_is_written(text: str, meaning: object) -> None:
    node = read_yaml(text.encode(), "a.yaml").node
    assert node is not None
    assert meaning_of(node) == meaning


def test_a_comment_changes_the_digest_of_a_spec_file_and_not_that_of_its_meaning() -> None:
    before = {file.name: file for file in spec_files(write_explained())}
    rewrite(FOLDER / "families.yaml", "alone", "alone  # said so")
    after = {file.name: file for file in spec_files(read_declaration(FOLDER))}
    changed = {name for name in before if before[name].sha256 != after[name].sha256}
    assert (changed, {n: f.meaning for n, f in before.items()}) == (
        {"specs/families.yaml"},
        {n: f.meaning for n, f in after.items()},
    )
