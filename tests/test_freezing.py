"""Freezes, amendments and corrections: what they bind, what they refuse, and in which words."""

import hashlib
import platform
from importlib.metadata import version
from pathlib import Path

import pytest

from frozen import (
    CONTRACTS,
    DISPOSITIONS,
    FAMILIES,
    FILES,
    FOLDER,
    GO,
    STUDY,
    TABLES,
    TERMINALS,
    amended,
    chain,
    digest,
    files_below,
    frozen,
    names,
    predicate,
    record,
    rewrite,
    verified,
    write_explained,
)
from multiverse.declaration import read_declaration
from multiverse.errors import FaultsError, InputError, NotFrozenError, ReceiptError
from multiverse.receipts.freezing import DataStage, amend, correct, freeze
from multiverse.runs import run
from repositories import commit, new_repository
from small import Content


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_freeze_binds_every_file_by_its_digest() -> None:
    Path("requirements.lock").write_text("polars==2.1\n")
    frozen(study=STUDY + GO)
    families = '{"families":[{"family":"audit","specs":["A0/base","A1/base"]},{"family":"base","specs":["A0/base"]}]}'
    (receipt,) = chain().receipts
    assert receipt.subjects == {
        "frozen/families.json": sha(families),
        "inputs/objects.csv": sha(TABLES["objects"]),
        "inputs/predictions.csv": sha(TABLES["predictions"]),
        "inputs/rows.csv": sha(TABLES["rows"]),
        "specs/contracts.yaml": sha(CONTRACTS),
        "specs/dispositions.yaml": sha(DISPOSITIONS),
        "specs/families.yaml": sha(FAMILIES),
        "specs/study.yaml": digest(FOLDER / "study.yaml"),
    }
    assert verified() == (0, [])


def test_a_freeze_states_seed_versions_lock_methods_gates_and_what_was_known() -> None:
    Path("requirements.lock").write_text("polars==2.1\n")
    write = write_explained(study=STUDY + GO + "methods: [b, a]\n")
    freeze(write, data_stage="before_observation", outcome_custody="third_party")
    found = predicate(1)
    assert found["lock"] == {"name": "requirements.lock", "sha256": sha("polars==2.1\n")}
    assert found["code"]["version"] == version("multiverse")
    assert found["environment"]["python"] == platform.python_version()
    assert found["environment"]["duckdb"] == version("duckdb")
    assert {f"{name}=={version(name)}" for name in ("polars", "numpy", "duckdb")} <= {*found["environment"]["packages"]}
    assert found["resampling"] == {
        "draws": 50,
        "generator": "PCG64",
        "interval": "drawn",
        "level": "19/20",
        "method": "percentile",
        "seed": "7",
        "strata": None,
        "unit": "cluster",
    }
    assert (found["methods"], found["gates"]) == (["b", "a"], [{"id": "enough", "at_least": 1}])
    assert found["access"] == {"data_stage": "before_observation", "outcome_custody": "third_party"}
    assert found["admissibility"] == {
        "jointly_frozen": True,
        "motivation": "prospective",
        "parent": None,
        "reason": None,
    }
    assert (found["git"], found["study"], found["chain"]["seq"], found["chain"]["prev"]) == (None, "small", 1, None)


def test_copies_of_specs_and_families_are_kept_beside_the_receipts_and_data_is_not() -> None:
    frozen()
    kept = files_below(Path("receipts/small/files"))
    assert {sha(text) for text in FILES.values()} < kept.keys()
    assert len(kept) == 5
    assert all(hashlib.sha256(content).hexdigest() == name for name, content in kept.items())


@pytest.mark.parametrize("dirty", [False, True])
def test_a_freeze_names_the_commit_that_holds_the_specs_and_whether_all_is_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, dirty: bool
) -> None:
    top = new_repository(tmp_path / "repository")
    monkeypatch.chdir(top)
    write_explained()
    head = commit(top)
    if dirty:
        Path("notes.txt").write_text("not committed")
    frozen()
    git = predicate(1)["git"]
    assert (git["commit"], git["clean"], git["status"]) == (head, not dirty, "? notes.txt" * dirty)
    assert git["paths"] == [
        {"name": f"specs/{name}.yaml", "path": f"specs/small/{name}.yaml"}
        for name in ("contracts", "dispositions", "families", "study")
    ]


def test_specs_that_are_not_committed_are_bound_to_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = new_repository(tmp_path / "repository")
    monkeypatch.chdir(top)
    write_explained()
    commit(top)
    frozen(files={"families": FAMILIES + "# one line more\n"})
    git = predicate(1)["git"]
    assert (git["clean"], git["paths"]) == (False, [])


def no_rationale(file: str, *named: str) -> str:
    expected = "expected a rationale: why this choice, without its outcomes"
    return "\n\n".join(
        f"specs/small/{file}.yaml: {name} has no rationale, its own or its file's\n  {expected}" for name in named
    )


@pytest.mark.parametrize(
    ("file", "named"),
    [
        ("contracts", ("contract 'A0'", "contract 'A1'")),
        ("dispositions", ("disposition 'base'",)),
        ("families", ("family 'audit'", "family 'base'")),
        ("terminals", ("terminal 'asym'", "terminal 'keep_both'")),
    ],
)
@pytest.mark.parametrize("stage", ["not_stated", "before_creation"])
def test_what_has_no_rationale_is_not_frozen(file: str, named: tuple[str, ...], stage: DataStage) -> None:
    tables: dict[str, Content | None] | None = None if stage == "not_stated" else {"predictions": None}
    content = {**FILES, "terminals": TERMINALS}[file].replace("rationale:", "# rationale:")
    declaration = write_explained(files={file: content}, tables=tables)
    with pytest.raises(InputError) as caught:
        freeze(declaration, data_stage=stage)
    assert (str(caught.value), caught.value.exit_code) == (no_rationale(file, *named), 2)
    assert not Path("receipts/small").exists()


def test_an_amendment_without_a_rationale_is_refused() -> None:
    frozen()
    declaration = write_explained(files={"dispositions": DISPOSITIONS.replace("rationale:", "# rationale:")})
    with pytest.raises(InputError) as caught:
        amend(declaration, reason="shorter")
    assert str(caught.value) == no_rationale("dispositions", "disposition 'base'")
    assert names() == ["0001-freeze.json"]


def test_a_second_freeze_is_refused() -> None:
    frozen()
    before = files_below(Path("receipts"))
    with pytest.raises(InputError) as caught:
        freeze(write_explained(study=STUDY + "methods: all\n"))
    assert str(caught.value) == (
        "small: frozen already by receipts/small/0001-freeze.json\n"
        "  expected an audit under it; or `multiverse amend`, which freezes a successor with a reason"
    )
    assert files_below(Path("receipts")) == before


TAKEN = "a name other than `exploratory` or four digits"


@pytest.mark.parametrize(
    ("name", "family", "message"),
    [
        ("con", "audit", "study.yaml: 'con' cannot be a file of an archive: name not portable to Windows"),
        ("small", "nul.a", "families.yaml: 'nul.a' cannot be a file of an archive: name not portable to Windows"),
        ("small", "Base", "families.yaml: the families 'Base' and 'base' differ in letter case alone"),
        ("small", "Exploratory", "families.yaml: the family name 'Exploratory' is that of a folder of results"),
        ("small", "'0003'", "families.yaml: the family name '0003' is that of a folder of results"),
    ],
)
def test_names_that_cannot_be_files_everywhere_are_refused(name: str, family: str, message: str) -> None:
    expected = {"differ": "names that every system tells apart", "that of": TAKEN}
    write_explained(files={"families": f"rationale: r\nfamilies: {{{family}: {{}}, base: {{}}}}\n"})
    rewrite(FOLDER / "study.yaml", "study: small", f"study: {name}")
    with pytest.raises(InputError) as caught:
        freeze(read_declaration(FOLDER))
    wanted = next((text for words, text in expected.items() if words in message), "another name")
    assert str(caught.value) == f"specs/small/{message}\n  expected {wanted}"
    assert files_below(Path("receipts")) == {}


def test_a_freeze_reads_rows_and_objects_and_no_answer() -> None:
    rows = TABLES["rows"] + "r1,c1,s1\n"
    with pytest.raises(InputError) as caught:
        frozen(tables={"rows": rows, "predictions": "not a table"})
    assert str(caught.value) == (
        "rows (rows.csv), column row_id, row 'r1': duplicate row id 'r1' (1 more)\n  expected each row once"
    )


def test_a_pointer_to_data_elsewhere_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        frozen(tables={"predictions": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"})
    assert str(caught.value) == (
        "predictions (specs/small/predictions.csv): is a Git LFS pointer, not the data\n"
        "  expected the data: `git lfs pull` fetches it"
    )
    assert files_below(Path("receipts")) == {}


@pytest.mark.parametrize("stage", ["before_creation", "before_access"])
def test_answers_that_should_not_be_there_yet_are_refused(stage: DataStage) -> None:
    with pytest.raises(InputError) as caught:
        freeze(write_explained(), data_stage=stage)
    assert str(caught.value) == (
        "predictions: 1 file there, such as 'specs/small/predictions.csv'\n"
        f"  expected none yet, as --data-stage {stage} says"
    )


@pytest.mark.parametrize("stage", ["before_observation", "before_analysis", "after_analysis", "not_stated"])
def test_answers_that_should_be_there_are_wanted(stage: DataStage) -> None:
    with pytest.raises(InputError) as caught:
        freeze(write_explained(tables={"predictions": None}), data_stage=stage)
    assert str(caught.value) == (
        "predictions (predictions.jsonl): no file at specs/small/predictions.jsonl\n"
        "  expected a file, a glob that matches files, or a folder of Parquet parts"
    )


def test_answers_that_come_after_the_freeze_are_bound_by_its_first_run() -> None:
    write_explained()
    answers = Path("specs/small/predictions.csv")
    content = answers.read_bytes()
    answers.unlink()
    freeze(read_declaration(FOLDER), data_stage="before_creation", outcome_custody="nobody")
    assert {one["table"] for one in predicate(1)["inputs"]} == {"rows", "objects"}
    answers.write_bytes(content)
    run("small", family="audit")
    assert chain().receipts[1].subjects["inputs/predictions.csv"] == sha(TABLES["predictions"])
    answers.write_bytes(content.replace(b"r1,b,,", b"r1,b,h1,o1"))
    with pytest.raises(NotFrozenError) as caught:
        run("small", family="base")
    now, then = digest(answers)[:16], sha(TABLES["predictions"])[:16]
    first = str(caught.value).split("\n\n")[0]
    assert first == (
        f"predictions (predictions.csv): changed since the freeze: sha256 is {now}, frozen {then}\n"
        "  expected the bytes that 0002-run.json froze"
    )
    assert verified() == (0, [])


def test_an_amendment_names_its_parent_and_its_reason() -> None:
    frozen()
    amended("the other \n  denominator", study=STUDY + "aggregation: cluster_mean\n")
    first, second = chain().receipts
    assert second.predicate["admissibility"] == {
        "jointly_frozen": True,
        "motivation": "post-hoc motivated, prospectively frozen",
        "parent": first.digest,
        "reason": "the other denominator",
    }
    assert second.subjects["specs/contracts.yaml"] == first.subjects["specs/contracts.yaml"]
    assert second.subjects["specs/0002/study.yaml"] == digest(FOLDER / "study.yaml")
    run("small", family="audit")
    words = "post-hoc motivated, prospectively frozen robustness control"
    found = record(Path("results/small/0002/audit"))
    assert found["status"] == "frozen"
    assert found["admissibility"] == {
        "classification": words,
        "motivation": "post-hoc motivated, prospectively frozen",
        "reason": "the other denominator",
    }
    assert verified() == (0, [])


def test_an_amendment_of_nothing_is_refused() -> None:
    declaration = frozen()
    with pytest.raises(InputError) as caught:
        amend(declaration, reason="none")
    assert str(caught.value) == (
        "small: nothing has changed since receipts/small/0001-freeze.json\n  expected a change to freeze"
    )


def test_there_is_nothing_to_amend_before_a_freeze() -> None:
    with pytest.raises(NotFrozenError) as caught:
        amend(write_explained(), reason="early")
    assert str(caught.value) == (
        "small: not frozen yet: there is nothing to amend\n  expected `multiverse freeze small`"
    )
    assert not Path("receipts/small").exists()


@pytest.mark.parametrize(("reason", "shown"), [("", "''"), (" \n", "' \\n'"), ("\x1b[2J", "'\\x1b[2J'")])
def test_a_reason_is_in_words(reason: str, shown: str) -> None:
    frozen()
    with pytest.raises(InputError) as caught:
        amended(reason, study=STUDY + "aggregation: cluster_mean\n")
    assert str(caught.value) == f"--reason: the text {shown}\n  expected why, in words"


def test_a_correction_adds_a_file_and_changes_none() -> None:
    frozen()
    run("small", family="audit")
    before = files_below(Path())
    Path("note.md").write_text("The ranking is not stable.\n")
    receipt = correct(
        "small", number=2, addendum=Path("note.md"), reason="too strong", original="results/audit/report.txt"
    )
    corrected = chain().receipts[1]
    assert {key: receipt.predicate[key] for key in ("corrects", "original", "reason", "replacement")} == {
        "corrects": corrected.digest,
        "original": "results/audit/report.txt",
        "reason": "too strong",
        "replacement": "corrections/0003/note.md",
    }
    assert receipt.subjects == {"corrections/0003/note.md": sha("The ranking is not stable.\n")}
    after = files_below(Path())
    assert {name: after[name] for name in before} == before
    assert verified() == (0, [])


WANTED = "\n  expected the file of the correction"


@pytest.mark.parametrize(
    ("number", "file", "original", "message"),
    [
        (2, "note.md", None, "small: no receipt 2\n  expected the number of a receipt, from 1 to 1"),
        (1, "empty.md", None, "empty.md: an empty file\n  expected the correction in words"),
        (1, "none.md", None, f"none.md: cannot be read: No such file or directory{WANTED}"),
        (1, "specs", None, f"specs: cannot be read: Is a directory{WANTED}"),
        (1, "é.md", None, "'é.md': non-ASCII character\n  expected a file name in ASCII letters"),
        (
            1,
            "note.md",
            "specs/study",
            "0001-freeze.json: it binds no file 'specs/study'\n  expected one of 'frozen/families.json', "
            "'inputs/objects.csv', 'inputs/predictions.csv', 'inputs/rows.csv', 'specs/contracts.yaml', "
            "'specs/dispositions.yaml', 'specs/families.yaml', 'specs/study.yaml'",
        ),
    ],
)
def test_a_correction_of_what_is_not_there_is_refused(
    number: int, file: str, original: str | None, message: str
) -> None:
    frozen()
    before = files_below(Path("receipts"))
    for name, text in {"note.md": "x", "empty.md": "", "é.md": "x"}.items():
        Path(name).write_text(text)
    with pytest.raises(InputError) as caught:
        correct("small", number=number, addendum=Path(file), reason="why", original=original)
    assert str(caught.value) == message
    assert files_below(Path("receipts")) == before


def test_there_is_nothing_to_correct_before_a_freeze() -> None:
    write_explained()
    Path("note.md").write_text("x")
    with pytest.raises(FaultsError) as caught:
        correct("small", number=1, addendum=Path("note.md"), reason="why")
    assert (str(caught.value), caught.value.exit_code) == ("small: not frozen: there is nothing to correct", 4)
    assert not Path("receipts/small").exists()


def test_answers_that_a_receipt_binds_cannot_be_awaited_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outcomes seen, taken away, and others put in their place are no second `before_creation`."""
    write_explained()
    answers = Path("specs/small/predictions.csv")
    content = answers.read_bytes()
    answers.unlink()
    freeze(read_declaration(FOLDER), data_stage="before_creation")
    answers.write_bytes(content)
    run("small", family="audit")
    answers.unlink()
    (FOLDER / "study.yaml").write_bytes((FOLDER / "study.yaml").read_bytes() + b"# a thought\n")
    with pytest.raises(InputError) as caught:
        amend(read_declaration(FOLDER), reason="a typo", data_stage="before_creation")
    assert str(caught.value) == (
        "--data-stage: before_creation, and 0002-run.json binds answers\n  expected a stage after that"
    )
    monkeypatch.setattr("multiverse.receipts.freezing._check_stage", lambda chain, stage: None)
    with pytest.raises(ReceiptError) as forged:
        amend(read_declaration(FOLDER), reason="a typo", data_stage="before_creation")
    assert forged.value.faults[0].found == "E-ORDER data_stage is before_creation, and 0002-run.json binds answers"


def test_a_study_whose_receipts_lie_above_is_not_frozen_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen()
    above = Path("receipts/small").resolve()
    monkeypatch.chdir(FOLDER)
    with pytest.raises(InputError) as caught:
        freeze(read_declaration(Path()))
    assert str(caught.value) == (
        f"small: has receipts in {above}\n  expected the command to be run from the folder that holds them"
    )
    with pytest.raises(NotFrozenError) as refused:
        run(".", family="audit")
    assert refused.value.faults[0].found == f"has no receipts here, and some in {above}"
