"""An audit is refused where anything frozen has changed, and is told what has changed and how."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from frozen import (
    FAMILIES,
    FOLDER,
    TABLES,
    TERMINALS,
    amended,
    chain,
    digest,
    frozen,
    names,
    predicate,
    rewrite,
    verified,
    write_explained,
)
from multiverse.declaration import read_declaration
from multiverse.errors import InputError, NotFrozenError
from multiverse.receipts import environment, snapshot
from multiverse.receipts.freezing import freeze
from multiverse.runs import judge, run

ADVICE = """\
small: not as {freeze} froze it: {count}, listed above
  expected what was frozen; or `multiverse amend small --reason ...`, which freezes a successor; \
or --exploratory, which marks all that is written"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refused(freeze: str = "0001-freeze.json") -> list[str]:
    """What an audit says has changed, whose last paragraph says what to do; no receipt is added."""
    before = names()
    with pytest.raises(NotFrozenError) as caught:
        run("small", family="audit")
    *faults, advice = str(caught.value).split("\n\n")
    count = f"{len(faults)} change{'s' * (len(faults) > 1)}"
    assert (advice, caught.value.exit_code) == (ADVICE.format(freeze=freeze, count=count), 4)
    assert (names(), Path("results").exists()) == (before, False)
    return faults


def changed(where: str, path: str, before: str, lines: str = "", freeze: str = "0001-freeze.json") -> str:
    """The words on a file that has changed: digests, then the lines that differ."""
    found = f"changed since the freeze: sha256 is {digest(FOLDER / path)[:16]}, frozen {before[:16]}"
    expected = f"the bytes that {freeze} froze" if "(" in where else f"it as {freeze} froze it"
    return f"{where}: {found}{lines}\n  expected {expected}"


FIRST, SECOND, THIRD = FAMILIES.splitlines(keepends=True)
WAS = "; frozen line {} was '{}'"
IS = "; line {} is '{}'"


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        (FIRST, FIRST.replace("declared", "declared #"), (WAS + IS).format(1, FIRST, 1, FIRST[:-1] + " #")),
        (SECOND, "# a comment\n" + SECOND, IS.format(2, "# a comment")),
        (SECOND, "", WAS.format(2, SECOND)),
        (THIRD, THIRD.strip(), "; no line differs, but where or how lines end does"),
        (THIRD, THIRD + "#\n" * 9, "".join(IS.format(n, "#") for n in range(4, 10)) + "; and 3 lines more"),
    ],
)
def test_a_changed_spec_file_is_shown_line_by_line(old: str, new: str, lines: str) -> None:
    """A byte, a comment alone, a line gone, an end of line."""
    frozen()
    before = digest(FOLDER / "families.yaml")
    rewrite(FOLDER / "families.yaml", old, new)
    assert refused() == [changed("specs/small/families.yaml", "families.yaml", before, lines.replace("\n", ""))]


def test_a_change_at_the_end_of_a_long_line_is_shown() -> None:
    long = "rationale: " + "word " * 30
    frozen(files={"families": FAMILIES.replace("rationale: all that was declared", long + "old")})
    before = digest(FOLDER / "families.yaml")
    rewrite(FOLDER / "families.yaml", "old", "new")
    lines = "; ".join(
        f"{line} '{'word ' * 4}{end}'" for line, end in (("frozen line 1 was ...", "old"), ("line 1 is ...", "new"))
    )
    assert refused() == [changed("specs/small/families.yaml", "families.yaml", before, f"; {lines}")]


def test_spec_files_that_are_new_or_gone_are_told() -> None:
    frozen(files={"terminals": TERMINALS})
    (FOLDER / "terminals.yaml").unlink()
    aggregations = "coordinate: aggregation\nrationale: r\noptions: [{id: rows, rule: row_mean}]\n"
    (FOLDER / "aggregations.yaml").write_text(aggregations)
    assert refused() == [
        "specs/small/aggregations.yaml: new since the freeze\n  expected the files that were frozen",
        "specs/small/terminals.yaml: gone since the freeze\n  expected it as 0001-freeze.json froze it",
    ]


@pytest.mark.parametrize("table", ["rows", "objects", "predictions"])
def test_a_changed_table_is_told_by_its_digests(table: str) -> None:
    frozen()
    before = digest(FOLDER / f"{table}.csv")
    (FOLDER / f"{table}.csv").write_text(TABLES[table] + "\n")
    assert refused() == [changed(f"{table} ({table}.csv)", f"{table}.csv", before)]


def part(name: str, *rows: str) -> None:
    frame = pl.DataFrame({"row_id": rows, "cluster_id": rows, "stratum": rows})
    (FOLDER / "rows").mkdir(parents=True, exist_ok=True)
    frame.write_parquet(FOLDER / "rows" / name)


@pytest.mark.parametrize("declared", ["rows/*.parquet", "rows"])
def test_parts_of_a_table_that_are_new_gone_or_changed_are_told(declared: str) -> None:
    part("1.parquet", "r1")
    part("2.parquet", "r2")
    part("3.parquet")
    study = (
        "study: small\nsubstrate: {kind: hypotheses, rows: %s, objects: objects.csv, predictions: predictions.csv}\n"
    )
    frozen(study=study % f"'{declared}'")
    assert chain().receipts[0].subjects["inputs/rows/0002.parquet"] == digest(FOLDER / "rows/2.parquet")
    before = digest(FOLDER / "rows/2.parquet")
    (FOLDER / "rows/3.parquet").unlink()
    part("2.parquet", "r2", "r3")
    part("4.parquet", "r4")
    assert refused() == [
        changed("rows (rows/2.parquet)", "rows/2.parquet", before),
        "rows (rows/3.parquet): gone since the freeze\n  expected the bytes that 0001-freeze.json froze",
        "rows (rows/4.parquet): new since the freeze\n  expected the files that were frozen",
    ]


def runtime(monkeypatch: pytest.MonkeyPatch, **parts: Any) -> None:  # noqa: ANN401
    """Have an audit be run by something else from now on."""
    now = environment.runtime()
    monkeypatch.setattr(snapshot, "runtime", lambda: replace(now, **parts))


FILES_NOW, VERSION = environment.runtime().code["files_sha256"], environment.runtime().code["version"]


@pytest.mark.parametrize(
    ("part", "field", "now", "where", "found"),
    [
        ("code", "files_sha256", "0" * 64, "multiverse", f"version {VERSION}, files {'0' * 16}"),
        ("code", "version", "9", "multiverse", f"version 9, files {FILES_NOW[:16]}"),
        ("environment", "python", "3.99.0", "Python", "version 3.99.0"),
    ],
)
def test_other_code_or_python_is_told(
    monkeypatch: pytest.MonkeyPatch, part: str, field: str, now: str, where: str, found: str
) -> None:
    frozen()
    runtime(monkeypatch, **{part: {**getattr(environment.runtime(), part), field: now}})
    code = f"version {VERSION}, files {FILES_NOW[:16]}"
    then = code if where == "multiverse" else predicate(1)["environment"]["python"]
    assert refused() == [f"{where}: {found}\n  expected the frozen {then}"]


def test_what_depends_on_the_machine_or_the_folder_is_no_change(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen()
    there = environment.runtime()
    runtime(
        monkeypatch,
        code={**there.code, "record_sha256": "0" * 64},
        environment={**there.environment, "threads": 99, "platform": "another"},
    )
    run("small", family="audit")
    assert verified() == (0, [])


def test_other_libraries_are_told_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen()
    there = environment.runtime().environment
    polars = next(line for line in there["packages"] if line.startswith("polars=="))
    packages = sorted(
        [
            *(line for line in there["packages"] if not line.startswith(("polars==", "click=="))),
            "polars==0.1",
            "extra==2",
        ]
    )
    runtime(monkeypatch, environment={**there, "packages": packages})
    click = next(line for line in there["packages"] if line.startswith("click=="))
    assert refused() == [
        f"click: not installed\n  expected the frozen version {click.partition('==')[2]}",
        "extra: version 2\n  expected the frozen not installed",
        f"polars: version 0.1\n  expected the frozen version {polars.partition('==')[2]}",
    ]


A, B = "sha256 ca978112ca1bbdca of uv.lock", "sha256 3e23e8160039594a of uv.lock"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("a", "b", f"{B}\n  expected the frozen {A}"),
        ("a", None, f"no lock file\n  expected the frozen {A}"),
        (None, "b", f"{B}\n  expected the frozen no lock file"),
    ],
)
def test_another_lock_file_is_told(before: str | None, after: str | None, message: str) -> None:
    for there, act in ((before, frozen), (after, lambda: None)):
        Path("uv.lock").unlink(missing_ok=True)
        if there:
            Path("uv.lock").write_text(there)
        act()
    assert refused() == [f"lock file: {message}"]


PLACE = "\n  expected a file, a glob that matches files, or a folder of Parquet parts"


@pytest.mark.parametrize("table", ["rows", "objects", "predictions"])
def test_a_table_that_is_gone_is_a_change(table: str) -> None:
    frozen()
    (FOLDER / f"{table}.csv").unlink()
    assert refused() == [f"{table} ({table}.csv): no file at specs/small/{table}.csv{PLACE}"]
    with pytest.raises(InputError):
        run("small", family="audit", mode="exploratory")


def test_answers_that_never_came_are_no_change() -> None:
    declaration = write_explained()
    (FOLDER / "predictions.csv").unlink()
    freeze(declaration, data_stage="before_access")
    with pytest.raises(InputError) as caught:
        run("small", family="audit")
    message = f"predictions (predictions.csv): no file at specs/small/predictions.csv{PLACE}"
    assert (str(caught.value), caught.value.exit_code) == (message, 2)


@pytest.mark.parametrize("file", ["contracts", "dispositions", "families", "study"])
def test_a_spec_file_without_which_nothing_can_be_read_is_a_change(file: str) -> None:
    """What is at fault with the declaration is told first, then what has changed in it."""
    frozen()
    (FOLDER / f"{file}.yaml").unlink()
    gone = f"specs/small/{file}.yaml: gone since the freeze\n  expected it as 0001-freeze.json froze it"
    *faults, last = refused()
    assert (last, len(faults) > 0) == (gone, True)
    with pytest.raises(InputError):
        run("small", family="audit", mode="exploratory")


@pytest.mark.parametrize("content", [b"not YAML: [", b"\xff"])
def test_a_spec_file_that_cannot_be_read_any_more_is_a_change(content: bytes) -> None:
    frozen()
    before = digest(FOLDER / "study.yaml")
    (FOLDER / "study.yaml").write_bytes(content)
    *_, last = refused()
    shown = content.decode(errors="backslashreplace")
    assert last.startswith(
        changed("specs/small/study.yaml", "study.yaml", before).partition("\n")[0] + "; frozen line 1"
    )
    assert f"line 1 is '{shown}'" in last


def test_a_file_that_is_read_otherwise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes, which another reader of YAML takes to say something else."""
    frozen()
    then = {one["id"]: one["meaning_sha256"][:16] for one in predicate(1)["specs"]}
    monkeypatch.setattr(snapshot, "meaning_of", lambda node: None)
    now = snapshot.spec_files(read_declaration(FOLDER))[0].meaning[:16]
    assert refused() == [
        f"specs/small/{name}.yaml: is read otherwise than at the freeze: meaning is {now}, frozen {then[name]}\n"
        "  expected it as 0001-freeze.json froze it"
        for name in ("contracts", "dispositions", "families", "study")
    ]


def test_every_change_is_told_at_once_against_the_last_freeze() -> None:
    frozen()
    amended(files={"families": FAMILIES + "# 2\n"})
    families, rows, last = digest(FOLDER / "families.yaml"), digest(FOLDER / "rows.csv"), "0002-freeze.json"
    rewrite(FOLDER / "families.yaml", "# 2", "# 3")
    (FOLDER / "rows.csv").write_text(TABLES["rows"] + "\n")
    lines = (WAS + IS).format(4, "# 2", 4, "# 3")
    assert refused(last) == [
        changed("specs/small/families.yaml", "families.yaml", families, lines, last),
        changed("rows (rows.csv)", "rows.csv", rows, freeze=last),
    ]


@pytest.mark.parametrize("act", [lambda: run("small", family="audit"), lambda: judge("small")])
def test_a_study_put_back_as_it_was_is_unchanged(act: Callable[[], object]) -> None:
    frozen()
    rewrite(FOLDER / "families.yaml", "alone", "alone!")
    assert len(refused()) == 1
    rewrite(FOLDER / "families.yaml", "alone!", "alone")
    act()
