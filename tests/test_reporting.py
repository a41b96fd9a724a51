"""A report as a whole: what it writes, the same bytes each time, and what it refuses."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import multiverse as mv
from commands import run, told
from multiverse.errors import InputError
from multiverse.report.reporting import report
from pages import ROOT
from small import write_small

NAMES = ["figures", "record.json", "report.html", "report.md", "report.txt", "tables"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What an audit has written."""
    found = mv.audit(ROOT / "specs" / "quickstart", family="cc")
    found.write(tmp_path / "out", mv.report_text(found))
    return tmp_path / "out"


def digests(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_report_is_written_beside_the_record(folder: Path) -> None:
    before = digests(folder)
    found = report(folder)
    assert sorted(path.name for path in folder.iterdir()) == NAMES
    assert {one.path: one.sha256 for one in found.written} == {
        name: digest for name, digest in digests(folder).items() if name not in before
    }
    assert {name: digests(folder)[name] for name in before} == before


def test_two_processes_write_the_same_bytes(folder: Path) -> None:
    report(folder)
    first = digests(folder)
    program = f"from multiverse.report.reporting import report; report({str(folder)!r})"
    plain = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    subprocess.run([sys.executable, "-c", program], check=True, env=plain)
    assert digests(folder) == first


def test_a_small_page_is_small(folder: Path) -> None:
    report(folder)
    assert (folder / "report.html").stat().st_size < 1_600_000


def test_every_figure_of_the_markdown_is_there(folder: Path) -> None:
    report(folder)
    text = (folder / "report.md").read_text("utf-8")
    named = {part.partition(")")[0] for part in text.split("](")[1:]}
    assert len(named) > 5
    assert sorted(name for name in named if not (folder / name).is_file()) == []


def test_a_new_audit_takes_the_report_of_the_old_one_away(folder: Path) -> None:
    report(folder)
    mv.audit(ROOT / "specs" / "quickstart", family="asym", out=folder)
    assert sorted(path.name for path in folder.iterdir()) == ["record.json", "tables"]


def test_a_folder_without_an_audit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        report(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: no record.json in it\n"
        "  expected what `multiverse audit` writes: record.json, with tables/ beside it"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_that_cannot_be_written_is_refused(folder: Path) -> None:
    folder.chmod(0o500)
    try:
        with pytest.raises(InputError) as caught:
            report(folder)
    finally:
        folder.chmod(0o700)
    assert str(caught.value) == f"{folder}: {folder} cannot be written\n  expected a place for the record"


def test_the_command_prints_the_verdicts_and_what_it_wrote(folder: Path) -> None:
    code, lines, errors = told("report", str(folder))
    assert (code, errors) == (0, [])
    assert lines[0] == "quickstart: Does requiring adoption cost pagerank more than earliest?"
    assert lines[4].startswith("  Identified: the effect adoption on pagerank - earliest")
    figures = len(list((folder / "figures").iterdir()))
    assert lines[-4:] == [
        "",
        f"wrote {folder}/report.html",
        f"wrote {folder}/report.md",
        f"wrote {figures} files in {folder}/figures",
    ]


def test_the_command_prints_json(folder: Path) -> None:
    found = json.loads(run("report", str(folder), "--format", "json").stdout)
    assert (found["study"], found["family"], found["status"]) == ("quickstart", "cc", "exploratory")
    assert found["verdicts"][0]["values"] == ["0"]
    files = {one["path"]: one["sha256"] for one in found["written"]}
    page = folder / "report.html"
    assert files[str(page)] == hashlib.sha256(page.read_bytes()).hexdigest()


def test_a_missing_library_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "multiverse.report.reporting", raising=False)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.delitem(sys.modules, "multiverse.report.page", raising=False)
    assert told("report", str(folder)) == (
        2,
        [],
        ["multiverse report: the library jinja2 is not installed", '  expected `pip install "multiverse[report]"`'],
    )


def test_a_page_of_500_specifications_is_below_3_megabytes(tmp_path: Path) -> None:
    """Contracts 8, dispositions 4 and scorings 16 make 512; every method is above the others somewhere."""
    count = 24
    flags = "".join(f",p{i}" for i in range(3))
    rows = f"row_id{flags}\n" + "".join(f"r{i},{i % 2 > 0},{i % 3 > 0},{i % 5 > 0}\n".lower() for i in range(count))
    outcomes = "row_id,method,status,score\n"
    for i, method in product(range(count), "abcdef"):
        failed = (i * 7 + ord(method)) % 9 == 0
        outcomes += f"r{i},{method},{'error,' if failed else f',{(i * ord(method)) % 101 / 100}'}\n"
    predicates = ", ".join(f"p{i}: {{column: p{i}, equals: true}}" for i in range(3))
    factors = ", ".join(f'F{i}: {{"0": [], "1": [p{i}]}}' for i in range(3))
    dispositions = "".join(
        f"  - {{id: d{i}, legal_present: {{answered: match, error: {i / 4}}}, legal_empty: exclude}}\n"
        for i in range(4)
    )
    scorings = "".join(f"  - {{id: t{i}, rule: column, column: score, at_least: {(i + 1) / 20}}}\n" for i in range(16))
    files = {
        "contracts": f"coordinate: contract\npredicates: {{{predicates}}}\nfactors: {{{factors}}}\n",
        "dispositions": f"coordinate: disposition\noptions:\n{dispositions}",
        "scorings": f"coordinate: scoring\noptions:\n{scorings}",
    }
    study = (
        "endpoints: {effects: [{id: e, pair: [a, b], factor: F0, from: 0, to: 1}]}\n"
        "resampling: {unit: row, draws: 50, seed: 1}\n"
    )
    write_small(tmp_path / "study", "scores", study=study, files=files, rows=rows, outcomes=outcomes)
    found = mv.audit(tmp_path / "study", family="audit", out=tmp_path / "out")
    assert len(found.family.specs) == 512
    report(tmp_path / "out")
    assert (tmp_path / "out" / "report.html").stat().st_size < 3_000_000


NOT_AS_WRITTEN = (
    "out/record.json: no report can be made of it, or of tables/ beside it: {found}\n"
    "  expected both as an audit wrote them: audit the study again; if this is said again, it is a fault of multiverse"
)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda one: one["ranking"].pop("pairs"), "KeyError: ''pairs''"),
        (lambda one: one.update(effects=[None]), "AttributeError: ''list' object has no attribute 'items''"),
        (
            lambda one: one["ranking"]["weak_orders"][0].update(order={}),
            "KeyError: '0'",
        ),
        (
            lambda one: one["drops"].update(unequal_support={}),
            "KeyError: ''specs''",
        ),
    ],
)
def test_a_record_that_was_tampered_with_is_refused(
    folder: Path, change: Callable[[dict[str, Any]], object], found: str
) -> None:
    record = json.loads((folder / "record.json").read_bytes())
    change(next(iter(record["populations"].values())))
    (folder / "record.json").write_text(json.dumps(record), "utf-8")
    before = digests(folder)
    with pytest.raises(InputError) as caught:
        report(folder)
    assert str(caught.value).replace(f"{folder.parent}/", "") == NOT_AS_WRITTEN.format(found=found)
    assert digests(folder) == before


def test_effects_whose_ids_end_in_numbers_have_charts_of_their_own(tmp_path: Path) -> None:
    effects = "".join(
        f'\n    - {{id: "{one}", pair: [a, b], factor: A, from: "0", to: "1"}}' for one in ("a", "a-2", "3")
    )
    populations = "populations: {one: {}, two: {}, three: {}}\n"
    study = write_small(tmp_path / "study", study=f"{populations}endpoints:\n  effects:{effects}\n")
    mv.audit(study, family="audit", out=tmp_path / "out")
    assert report(tmp_path / "out").record["endpoints"]["effects"][2]["id"] == "3"
    names = sorted(path.name for path in (tmp_path / "out" / "figures").glob("effect-*.svg"))
    assert names == [f"effect-{one}{end}.svg" for one in ("a", "no.2", "no.3") for end in ("-2", "-3", "")]
