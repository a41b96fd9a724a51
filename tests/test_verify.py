"""The verifier against outside oracles, on folders of receipts, on what would make it wait, and on random studies."""

# ruff: noqa: E501 -- a table has one deed a line

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TypeAlias

import bagit  # type: ignore[import-untyped]
import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

import attacks
from attacks import FREEZE, MANIFEST, Json, good, run_verifier, write_folder, write_zip
from frozen import FOLDER, write_explained
from multiverse import verify
from multiverse.archives import archive
from multiverse.receipts.freezing import freeze
from multiverse.runs import run
from multiverse.verify import Findings, Pins

Deed: TypeAlias = Callable[[Path], object]  # to a folder

# ------------------------------------------------------------------------------------------------------ canonical JSON

ASCII = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8)
INTEGERS = st.integers(-verify.MAX_INTEGER, verify.MAX_INTEGER)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
LEAVES = st.none() | st.booleans() | INTEGERS | TEXT
DOCUMENTS = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ASCII, inner, max_size=4))


@given(DOCUMENTS)
def test_canonical_bytes_are_those_of_rfc_8785(document: Json) -> None:
    """On integers and ASCII keys, which is all that is read."""
    assert verify.canonical(document) == rfc8785.dumps(document)


@given(DOCUMENTS)
def test_canonical_bytes_are_read_as_what_they_are(document: Json) -> None:
    findings = Findings()
    read = verify.parse_canonical(rfc8785.dumps(document), "x", findings)
    assert (read, findings.faults == []) == (document, document is not None)


@given(DOCUMENTS, st.integers(0, 3), st.booleans())
def test_any_other_bytes_of_a_document_are_refused(document: Json, indent: int, ascii_only: bool) -> None:  # noqa: FBT001
    content = json.dumps(document, indent=indent, ensure_ascii=ascii_only).encode()
    findings = Findings()
    read = verify.parse_canonical(content, "x", findings)
    assert (read is None) == (content != rfc8785.dumps(document) or document is None)


@pytest.mark.parametrize(
    "text", ["1.0", "1e3", "-0", "[1,]", "01", '"\\ud800"', "9007199254740992", "NaN", "1 ", "\ufeff1"]
)
def test_what_has_no_canonical_form_is_refused(text: str) -> None:
    findings = Findings()
    assert verify.parse_canonical(text.encode(), "x", findings) is None
    assert [fault.code in ("E-JSON", "E-CANON") for fault in findings.faults] == [True]


# ------------------------------------------------------------------------------------------------------- zips and bags


def test_the_zip_is_what_the_standard_writer_makes() -> None:
    """Stored, sorted, 1980-01-01, mode 0644: not one byte is our own."""
    assert good().zip.read_bytes() == attacks.zip_bytes(sorted(good().files.items()))
    with zipfile.ZipFile(good().zip) as held:
        assert held.testzip() is None
        assert {(one.compress_type, one.date_time, one.external_attr >> 16) for one in held.infolist()} == {
            (zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0), 0o100644)
        }


def test_unzip_takes_the_zip() -> None:
    if shutil.which("unzip") is None:
        pytest.skip("there is no unzip")
    done = subprocess.run(["unzip", "-tqq", str(good().zip)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_bag_is_one_to_bagit(tmp_path: Path) -> None:
    bag = bagit.Bag(str(write_folder(good().files, tmp_path / "bag")))
    assert bag.validate()
    assert {path: entry["sha256"] for path, entry in bag.payload_entries().items()} == {
        path: attacks.sha256(content) for path, content in good().files.items() if path.startswith("data/")
    }


@pytest.mark.parametrize("manifest", ["manifest-sha256.txt", "tagmanifest-sha256.txt"])
def test_sha256sum_checks_the_bag(tmp_path: Path, manifest: str) -> None:
    if shutil.which("sha256sum") is None:
        pytest.skip("there is no sha256sum")
    folder = write_folder(good().files, tmp_path / "bag")
    done = subprocess.run(["sha256sum", "--check", "--strict", manifest], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = good().files[manifest].decode().splitlines()
    assert len(done.stdout.splitlines()) == len(lines)


@pytest.mark.parametrize(
    "deed",
    [
        lambda folder: (folder / "EVIL.py").write_bytes(b""),
        lambda folder: (folder / "empty").mkdir(),
        lambda folder: (folder / "data/etc").symlink_to("/etc/ssl"),
        lambda folder: (folder / "tagmanifest-sha256.txt").unlink(),
    ],
)
def test_what_bagit_calls_valid_does_not_verify(tmp_path: Path, deed: Deed) -> None:
    """Rows 214 to 216: a closed world is more than a bag."""
    folder = write_folder(good().files, tmp_path / "bag")
    deed(folder)
    assert verify.verify(str(folder)).exit_code == 1


# -------------------------------------------------------------------------------------------------- folders of receipts


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """A copy of receipts/small, with the copies of frozen files."""
    return Path(shutil.copytree(good().repository / "receipts" / "small", tmp_path / "receipts" / "small"))


def findings_of(path: Path, pins: Pins = Pins()) -> tuple[int, list[str]]:  # noqa: B008 -- a frozen value
    found = verify.verify(str(path), pins)
    return found.exit_code, [str(one) for one in (*found.faults, *found.unchecked, *found.warnings)]


def test_a_chain_verifies_without_git_at_the_lower_grade(chain: Path) -> None:
    found = verify.verify(str(chain), Pins(head=good().head))
    assert (found.exit_code, found.warnings, found.head) == (0, [], good().head)
    assert "grade F0: receipts only; nothing here shows when anything was made" in found.shown


def _rewrite(path: Path, old: bytes, new: bytes) -> None:
    path.write_bytes(path.read_bytes().replace(old, new, 1))


def _one_copy(chain: Path) -> Path:
    return min((chain / "files").iterdir())


@pytest.mark.parametrize(
    ("deed", "line"),
    [
        (lambda chain: (chain / "x").write_bytes(b""), "E-EXTRA x: no receipt, signature or frozen file"),
        (lambda chain: (chain / "0009-run.json.sig").write_bytes(b""), "E-EXTRA 0009-run.json.sig: no receipt, signature or frozen file"),
        (lambda chain: (chain / "files/x").write_bytes(b""), "E-EXTRA files/x: no receipt, signature or frozen file"),
        (lambda chain: (chain / "empty").mkdir(), "E-EXTRA empty: empty directory"),
        (lambda chain: (chain / "l").symlink_to("/etc"), "E-SYMLINK l: symbolic links are not allowed"),
        (lambda chain: os.mkfifo(chain / "p"), "E-SPECIAL p: not a regular file (fifo, socket or device)"),
        (lambda chain: (chain / "0002-gate.json").unlink(), "E-CHAIN 0003-run.json: expected receipt number 0002 (gap, duplicate or wrong name)"),
        (lambda chain: shutil.copy(chain / "0002-gate.json", chain / "0005-gate.json"), "E-CHAIN 0005-gate.json: seq is 2, file name says 5"),
        (lambda chain: _rewrite(chain / "0004-correction.json", b"a slip", b"a slap"), None),
        (lambda chain: _rewrite(chain / "0001-freeze.json", b"operator", b"nobody"), None),
    ],
)  # fmt: skip
def test_a_folder_of_receipts_is_a_closed_world(chain: Path, deed: Deed, line: str | None) -> None:
    """A last receipt that was edited shows by its head alone; any other by the receipt after it."""
    deed(chain)
    code, lines = findings_of(chain, Pins(head=good().head))
    assert code == 1
    assert line is None or line in lines


def test_copies_of_frozen_files_are_checked(chain: Path) -> None:
    copy = _one_copy(chain)
    content = copy.read_bytes()
    copy.write_bytes(content + b"#")
    name = f"files/{copy.name}"
    found = f"E-DIGEST {name}: sha256 is {attacks.sha256(content + b'#')[:16]}..., its name says {copy.name[:16]}..."
    assert (findings_of(chain)[0], found in findings_of(chain)[1]) == (1, True)
    copy.unlink()
    assert any(line.startswith(f"E-MISSING {name}: the copy of ") for line in findings_of(chain)[1])


def test_a_copy_that_no_receipt_names_is_a_warning(chain: Path) -> None:
    """A freeze that was stopped leaves copies, which the next one takes or removes."""
    digest = attacks.sha256(b"x")
    (chain / "files" / digest).write_bytes(b"x")
    assert findings_of(chain) == (0, [f"W-ASIDE files/{digest}: no receipt names this copy"])


def test_every_chain_of_a_folder_is_verified(chain: Path) -> None:
    """A chain whose receipts are all gone is not passed over; an empty folder is, with a warning."""
    receipts = chain.parent
    (receipts / "README.md").write_text("what this is")
    shutil.copytree(chain, receipts / "other")
    found = run_verifier(receipts)
    assert (found.code, [line for line in found.lines if line.startswith("VERIFIED")]) == (
        0,
        [f"VERIFIED: {receipts / 'other'}", f"VERIFIED: {chain}", "VERIFIED: 2 of 2 chains"],
    )
    _rewrite(receipts / "other" / "0001-freeze.json", b"operator", b"nobody")
    found = run_verifier(receipts)
    assert (found.code, found.lines[-1]) == (1, "DOES NOT VERIFY: 1 of 2 chains")
    for path in (receipts / "other").glob("*.json"):
        path.unlink()
    found = run_verifier(receipts)
    assert (found.code, found.lines[-2:]) == (2, [f"VERIFIED: {chain}", "COULD NOT CHECK: 1 of 2 chains"])
    shutil.rmtree(receipts / "other" / "files")
    found = run_verifier(receipts)
    warning = f"W-EMPTY {receipts / 'other'}: an empty folder, passed over"
    assert (found.code, found.lines[0], found.lines[-1]) == (0, warning, "VERIFIED: 1 of 1 chain")


@pytest.mark.parametrize("name", ["data", "bag-info.txt", "0001-freeze.json", "files"])
def test_a_study_may_have_the_name_of_a_part_of_an_archive(chain: Path, name: str) -> None:
    chain.rename(chain.with_name(name))
    shutil.copytree(chain.with_name(name), chain.with_name("other"))
    found = run_verifier(chain.parent)
    assert (found.code, found.lines[-1]) == (0, "VERIFIED: 2 of 2 chains")


def test_pins_are_of_one_chain(chain: Path) -> None:
    shutil.copytree(chain, chain.parent / "other")
    found = run_verifier(chain.parent, "--expect-head", good().head)
    text = f"verify.py: error: {chain.parent} holds 2 chains; --expect-... and --specs are of one: name it"
    assert (found.code, found.error.splitlines()[-1]) == (2, text)


def test_a_folder_inside_an_archive_that_lost_its_manifest_does_not_pass_for_it(tmp_path: Path, chain: Path) -> None:
    folder = write_folder(good().files, tmp_path / "folder")
    (folder / MANIFEST).unlink()
    shutil.copytree(chain, folder / "small")
    found = run_verifier(folder)
    assert (found.code, "E-MISSING MANIFEST.json: not found" in found.lines) == (1, True)


@pytest.mark.parametrize(
    ("deed", "line"),
    [
        (lambda folder: _rewrite(folder / "families.yaml", b"all", b"ALL"), "E-CHANGED {}/families.yaml: sha256 is "),
        (lambda folder: (folder / "families.yaml").unlink(), "E-CHANGED {}/families.yaml: gone since 0001-freeze.json"),
        (lambda folder: (folder / "new.yml").touch(), "E-CHANGED {}/new.yml: new since 0001-freeze.json"),
        (lambda folder: os.mkfifo(folder / "new.yaml"), "E-CHANGED {}/new.yaml: new since 0001-freeze.json"),
        (lambda folder: (folder / "notes.txt").touch(), None),
    ],
)
def test_spec_files_are_compared_with_the_frozen_ones(
    tmp_path: Path, chain: Path, deed: Deed, line: str | None
) -> None:
    """With a chain and with an archive alike."""
    folder = Path(shutil.copytree(good().repository / "specs" / "small", tmp_path / "specs"))
    assert findings_of(chain, Pins(specs=str(folder))) == (0, [])
    deed(folder)
    for place in (chain, good().zip):
        code, lines = findings_of(place, Pins(specs=str(folder)))
        assert (code, len(lines)) == ((1, 1) if line else (0, 0))
        assert line is None or lines[0].startswith(line.format(folder))


def test_a_spec_file_that_is_a_pipe_is_not_waited_for(tmp_path: Path, chain: Path) -> None:
    folder = Path(shutil.copytree(good().repository / "specs" / "small", tmp_path / "specs"))
    (folder / "families.yaml").unlink()
    os.mkfifo(folder / "families.yaml")
    text = f"X-IO {folder}: {folder}/families.yaml is not a regular file"
    assert findings_of(chain, Pins(specs=str(folder))) == (2, [text])
    assert findings_of(chain, Pins(specs=str(tmp_path / "no"))) == (
        2,
        [f"X-IO {tmp_path}/no: No such file or directory"],
    )


@pytest.mark.parametrize("deed", [lambda folder: None, lambda folder: (folder / "README.md").touch()])
def test_a_folder_with_nothing_to_verify_is_never_verified(tmp_path: Path, deed: Deed) -> None:
    deed(tmp_path)
    assert findings_of(tmp_path)[0] != 0


# ------------------------------------------------------------------------------------------------- what takes too long


def test_a_file_that_is_longer_than_it_should_be_is_not_read(tmp_path: Path) -> None:
    """A terabyte of nothing takes no room in a folder."""
    folder = write_folder(good().files, tmp_path / "folder")
    for path, line in {
        "data/inputs/rows.csv": "E-SIZE data/inputs/rows.csv: has 1099511627776 bytes, MANIFEST.json says 44",
        MANIFEST: "E-LIMIT MANIFEST.json: larger than 4194304 bytes",
    }.items():
        with contextlib.suppress(OSError):  # a file system without holes
            os.truncate(folder / path, 2**40)
            started = time.monotonic()
            assert line in findings_of(folder)[1]
            assert time.monotonic() - started < 5


def test_many_entries_end_in_a_verdict(tmp_path: Path) -> None:
    """65,534 files that no manifest lists: a thousand are told, the others counted."""
    path = tmp_path / "many.zip"
    files = [(f"data/{n:05d}", b"") for n in range(65_534 - len(good().files))]
    path.write_bytes(attacks.zip_bytes(sorted([*files, *good().files.items()])))
    started = time.monotonic()
    found = verify.verify(str(path))
    lines = list(verify.lines(found, "many.zip"))
    assert time.monotonic() - started < 30
    assert found.exit_code == 1
    assert lines[1000] == f"... and {len(files) - 1000} more"
    assert lines[-1] == "DOES NOT VERIFY: many.zip: 1000 faults and more"


def test_long_receipts_take_no_square_of_time() -> None:
    """A receipt of 4 MiB with as many files as it can name."""
    files = [{"path": f"specs/{n}.yaml", "id": str(n), "meaning_sha256": "0" * 64} for n in range(12_000)]
    findings = Findings()
    statement = json.loads(good().files[FREEZE])
    statement["predicate"]["specs"] = files
    names = sorted(
        [one["path"] for one in files]
        + ["frozen/families.json"]
        + [one["path"] for one in statement["predicate"]["inputs"]]
    )
    statement["subject"] = [{"name": name, "digest": {"sha256": "0" * 64}} for name in names]
    started = time.monotonic()
    content = verify.canonical(statement)
    assert len(content) < verify.MAX_JSON
    verify.check_chain(verify.Chain(verify.read_chain([("0001-freeze.json", content)], findings), findings))
    assert time.monotonic() - started < 10
    assert findings.faults == []


def test_long_names_are_cut() -> None:
    finding = verify.Finding("E-PATH", "x" * 10**6, "y" * 10**6)
    assert len(str(finding)) < 1100


@given(st.text())
def test_no_text_moves_a_cursor(text: str) -> None:
    """Row 225."""
    shown = str(verify.Finding("E-PATH", text, text))
    assert shown.isascii() and shown.isprintable()


# ------------------------------------------------------------------------------------------------------ random studies

NAMES = ("a", "b", "c")


@st.composite
def tables(draw: st.DrawFn) -> dict[str, str]:
    """The tables of a small study: some rows, their objects, and what two or three methods named."""
    rows = draw(st.integers(1, 4))
    methods = NAMES[: draw(st.integers(2, 3))]
    held = {name: [line] for name, line in (
        ("rows", "row_id,cluster_id,stratum"),
        ("objects", "row_id,group_id,object_id,adopted"),
        ("predictions", "row_id,method,hypothesis_id,object_id,status"),
    )}  # fmt: skip
    for row in range(rows):
        held["rows"].append(f"r{row},c{draw(st.integers(0, 1))},s1")
        for number in range(draw(st.integers(0 if row else 1, 3))):
            held["objects"].append(f"r{row},g{number},o{number},{draw(st.sampled_from(['true', 'false']))}")
        for method in methods:
            named = draw(st.sampled_from(["", "o0", "o1"]))
            held["predictions"].append(f"r{row},{method},{'h1' if named else ''},{named},")
    return {name: "\n".join(lines) + "\n" for name, lines in held.items()}


@settings(max_examples=8 if os.environ.get("HYPOTHESIS_PROFILE") != "deep" else 200)
@given(tables(), st.randoms(use_true_random=False))
def test_an_archive_of_any_study_verifies_and_with_two_files_swapped_does_not(
    held: dict[str, str], dice: Random
) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        freeze(write_explained(study="resampling: {draws: 10}\n", tables=held))
        for family in ("audit", "base"):
            run(FOLDER, family=family)
        made = archive(FOLDER, Path("made.zip"))
        assert findings_of(made.path)[0] == 0
        with zipfile.ZipFile(made.path) as written:
            files = {name: written.read(name) for name in written.namelist()}
        for _ in range(10):
            one, other = dice.sample(sorted(files), 2)
            if files[one] != files[other]:
                swapped = {**files, one: files[other], other: files[one]}
                assert findings_of(write_zip(swapped, Path("swapped.zip")))[0] == 1
