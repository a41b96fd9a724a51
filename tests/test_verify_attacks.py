"""The attacks that the verifier must withstand, numbered as in the list of threats, each with its whole message."""

# ruff: noqa: E501 -- a table has one attack a line

import contextlib
import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import attacks
from attacks import (
    CORRECTION,
    FREEZE,
    GATE,
    MANIFEST,
    RECORD,
    REPORT,
    RUN,
    TAG_MANIFEST,
    Draft,
    Files,
    Json,
    forged,
    good,
    new_key,
    run_verifier,
    sealed,
    sha256,
    signed,
    write_folder,
    write_zip,
    zip_bytes,
    zip_entry,
)
from multiverse import verify
from multiverse.verify import Pins

SPEC, ROWS = "data/specs/families.yaml", "data/inputs/rows.csv"
PASSES = 0


class Attack(NamedTuple):
    """What a forger does to the files of the good archive, and the line that the verifier must say."""

    row: str  # in the list of threats
    make: Callable[[Files], Files]
    line: str | Callable[[Files], str]


def said(path: Path, pins: Pins = Pins()) -> tuple[int, list[str]]:  # noqa: B008 -- a frozen value
    """The verifier's exit code and every line, the last of which is the verdict."""
    findings = verify.verify(str(path), pins)
    return findings.exit_code, list(verify.lines(findings, str(path)))


def filled(line: str, before: Files, after: Files) -> str:
    """A message with digests and sizes put in: `<was PATH>`, `<now PATH>`, `<was size PATH>`, and 12 or 16 digits."""

    def value(found: re.Match[str]) -> str:
        when, form, path = found.groups()
        content = (before if when == "was" else after)[path]
        digest = sha256(content)
        return {"": digest[:16] + "...", "size ": str(len(content)), "16 ": digest[:16], "whole ": digest}[form or ""]

    return re.sub(r"<(was|now) (size |16 |whole )?([^>]+)>", value, line)


def changed(path: str, change: Callable[[bytes], bytes]) -> Callable[[Files], Files]:
    return lambda files: {**files, path: change(files[path])}


def moved(old: str, new: str) -> Callable[[Files], Files]:
    return lambda files: {(new if path == old else path): content for path, content in files.items()}


def without(path: str) -> Callable[[Files], Files]:
    return lambda files: {name: content for name, content in files.items() if name != path}


def with_file(path: str, content: bytes = b"x") -> Callable[[Files], Files]:
    return lambda files: {**files, path: content}


def swapped(one: str, other: str) -> Callable[[Files], Files]:
    return lambda files: {**files, one: files[other], other: files[one]}


def manifest_path(path: str) -> Callable[[Files], Files]:
    """A file more in MANIFEST.json, with everything derived from it right."""

    def late(manifest: Json) -> None:
        manifest["files"].append({"path": path, "sha256": sha256(b""), "size": 0})
        manifest["files"].sort(key=lambda file: file["path"])

    return lambda files: sealed(files, late=late)


def manifest_field(change: Callable[[Json], object]) -> Callable[[Files], Files]:
    return lambda files: sealed(files, late=change)


def manifest_text(old: str, new: str) -> Callable[[Files], Files]:
    """MANIFEST.json in other bytes, with the tag manifest made to fit."""

    def make(files: Files) -> Files:
        text = files[MANIFEST].decode()
        assert old in text
        return manifest_bytes(lambda content: text.replace(old, new, 1).encode("utf-8", "surrogatepass"))(files)

    return make


def manifest_bytes(change: Callable[[bytes], bytes]) -> Callable[[Files], Files]:
    def make(files: Files) -> Files:
        content = change(files[MANIFEST])
        return {**files, **attacks.bag(json.loads(files[MANIFEST]), content)}

    return make


def receipt(path: str, change: Callable[[Json], object], **how: Json) -> Callable[[Files], Files]:
    """One field of a receipt changed, and all above it sealed again."""
    return lambda files: forged(lambda draft: None, late={path: change}, **how)


def put(*keys: Json, value: Json) -> Callable[[Json], None]:
    """A change that puts a value at a place in a document."""

    def change(document: Json) -> None:
        for key in keys[:-1]:
            document = document[key]
        document[keys[-1]] = value

    return change


def draft(change: Callable[[Draft], object], **how: Json) -> Callable[[Files], Files]:
    return lambda files: forged(change, **how)


def record_specs(specs: list[str]) -> Callable[[Files], Files]:
    """A record that reports other specifications, bound by its run."""
    return record_field("specs", specs)


def record_field(key: str, value: Json) -> Callable[[Files], Files]:
    def change(one: Draft) -> None:
        record = json.loads(one.files[RECORD]) | {key: value}
        one.files[RECORD] = json.dumps(record, indent=1, sort_keys=True).encode()

    return draft(change)


def renamed_receipts(names: dict[str, str], **how: Json) -> Callable[[Files], Files]:
    """Receipts under other names, in the order of their new names, not linked again."""

    def change(one: Draft) -> None:
        held = {names.get(path, path): statement for path, statement in one.statements.items()}
        one.statements = dict(sorted(held.items()))

    return draft(change, **{"link": False, "git": False, **how})


def dropped(path: str, **how: Json) -> Callable[[Files], Files]:
    return draft(lambda one: one.statements.pop(path), **{"link": False, "git": False, **how})


def replayed(files: Files) -> Files:
    """The run of another project that has the same number and kind."""

    def other(statement: Json) -> None:
        statement["predicate"]["chain"]["id"] = "b" * 64

    return forged(lambda one: None, late={RUN: other})


def canon(text: str) -> Callable[[Files], str]:
    """That bytes are not canonical, from where a piece of them starts."""

    def line(files: Files) -> str:
        at = files[MANIFEST].index(text.encode())
        return f"E-CANON MANIFEST.json: bytes are not the canonical form (first difference at byte {at})"

    return line


def _shifted(subject: Json) -> None:
    subject["digest"] = {"md5": "0" * 32, **subject["digest"]}


def _git_of(files: Files, path: str) -> Json:
    return json.loads(files[path])["predicate"]["git"]


def _commit_file(files: Files, path: str) -> str:
    return "data/git/{}.commit".format(_git_of(files, path)["commit"])


def c12(files: Files, path: str) -> str:
    return str(_git_of(files, path)["commit"][:12])


def without_commit(files: Files) -> Files:
    return sealed({path: content for path, content in files.items() if path != _commit_file(files, FREEZE)})


def edited_commit(files: Files) -> Files:
    path = _commit_file(files, FREEZE)
    return sealed({**files, path: files[path].replace(b" +0000", b" +0100")})


class Locks(NamedTuple):
    """Commits of a forger's own making: what holds the receipt, with which mode, made when, and after what."""

    held: Callable[[str, bytes], dict[str, bytes]] = lambda path, content: {path: content}
    modes: dict[str, str] | None = None
    child: bool = True
    time: int = 1_767_323_045


def relocked(locks: Locks) -> Callable[[Files], Files]:
    """The good archive with another second commit in the place of the one that holds the freeze receipt."""

    def make(files: Files) -> Files:
        one = Draft(files)
        old = one.predicate(RUN)["git"]
        needed = _objects_of(files, one.predicate(FREEZE)["git"])
        one.files = {path: held for path, held in one.files.items() if not path.startswith("data/git/")} | needed
        path = old["paths"][0]["path"]
        tree = attacks.git_tree(locks.held(path, files[FREEZE]), one.files, locks.modes)
        parents = [one.predicate(FREEZE)["git"]["commit"]] if locks.child else []
        commit = attacks.git_commit(tree, parents, one.files, time=locks.time)
        one.predicate(RUN)["git"] |= {"tree": tree, "commit": commit}
        return one.build(git=False)

    return make


def _objects_of(files: Files, git: Json) -> Files:
    """The objects on the way from a commit to its paths, found by reading trees."""
    found, waiting = {f"data/git/{git['commit']}.commit"}, [git["tree"]]
    while waiting:
        path = f"data/git/{waiting.pop()}.tree"
        if path in files:
            found.add(path)
            raw = files[path]
            while raw:
                head, _, rest = raw.partition(b"\0")
                if head.startswith(b"40000 "):
                    waiting.append(rest[:20].hex())
                raw = rest[20:]
    return {path: files[path] for path in found}


def run_line(text: str) -> Callable[[Files], str]:
    """A message about the run, with the start of its commit's id for `COMMIT`, and of the freeze's for `FREEZE`."""

    def line(files: Files) -> str:
        return f"E-{text}".replace("COMMIT", c12(files, RUN)).replace("FREEZE", c12(files, FREEZE))

    return line


RECEIPT_PATH = "receipts/small/0001-freeze.json"


def _tree12(files: Files, path: str) -> str:
    content = files[_commit_file(files, path)]
    return content[5:17].decode()


def _open_answers(one: Json) -> None:
    one["predicate"]["inputs"].append({"path": "inputs/predictions.csv", "source": "x", "table": "predictions"})
    one["subject"].insert(1, {"name": "inputs/predictions.csv", "digest": {"sha256": sha256(good().files["data/inputs/predictions.csv"])}})  # fmt: skip


def _no_go(one: Draft) -> None:
    one.predicate(GATE)["gates"][0] |= {"count": 0, "verdict": "NO_GO"}
    one.predicate(GATE)["verdict"] = "NO_GO"


def _withhold(path: str, files: Files, reason: str) -> Callable[[Json], object]:
    return put("withheld", value=[{"path": path, "reason": reason, "sha256": sha256(files[path])}])


def bound(name: str) -> Callable[[Json], None]:
    """A change that makes a receipt bind a file more."""

    def change(one: Json) -> None:
        one["subject"] = sorted(
            [*one["subject"], {"name": name, "digest": {"sha256": "0" * 64}}], key=lambda subject: str(subject["name"])
        )

    return change


def unbound(name: str) -> Callable[[Json], None]:
    return lambda one: one.update(subject=[subject for subject in one["subject"] if subject["name"] != name])


def frozen_and_run(key: str, change: Callable[[Json], Json]) -> Callable[[Files], Files]:
    """A field that freeze and run have alike, changed in both."""

    def both(one: Draft) -> None:
        for path in (FREEZE, RUN):
            one.predicate(path)[key] = change(one.predicate(path)[key])

    return draft(both)


def committed(path: str, *paths: str) -> Callable[[Files], Files]:
    """A receipt that says its files lie elsewhere in its commit, which holds them there."""

    def change(one: Draft) -> None:
        for bound_file, new in zip(one.predicate(path)["git"]["paths"], paths, strict=False):
            bound_file["path"] = new

    return draft(change)


def other_tree(change: Callable[[bytes], bytes]) -> Callable[[Files], Files]:
    """The root of the run's commit with other entries, in a commit of its own."""

    def make(files: Files) -> Files:
        one = Draft(files)
        git = one.predicate(RUN)["git"]
        raw = change(files[f"data/git/{git['tree']}.tree"])
        git["tree"] = attacks.git_id("tree", raw)
        one.files[f"data/git/{git['tree']}.tree"] = raw
        git["commit"] = attacks.git_commit(git["tree"], [one.predicate(FREEZE)["git"]["commit"]], one.files)
        return one.build(git=False)

    return make


def tree_line(text: str) -> Callable[[Files], str]:
    return lambda files: "E-GIT data/git/{}.tree: {}".format(_git_of(files, RUN)["tree"], text)


def deeply(depth: int) -> Callable[[Files], Files]:
    """A record whose status is a list in lists."""
    old, new = b'"status": "frozen"', b'"status": ' + b"[" * depth + b"]" * depth
    return draft(lambda one: one.files.update({RECORD: one.files[RECORD].replace(old, new)}))


ATTACKS = [
    Attack("4 byte flipped", changed(SPEC, lambda c: b"R" + c[1:]), f"E-DIGEST {SPEC}: sha256 is <now {SPEC}>, MANIFEST.json says <was {SPEC}>"),
    Attack("5 truncated", changed(ROWS, lambda c: c[:-3]), f"E-SIZE {ROWS}: has <now size {ROWS}> bytes, MANIFEST.json says <was size {ROWS}>"),
    Attack("6 emptied", changed(SPEC, lambda c: b""), f"E-SIZE {SPEC}: has 0 bytes, MANIFEST.json says <was size {SPEC}>"),
    Attack("7 deleted", without(SPEC), f"E-MISSING {SPEC}: listed in MANIFEST.json but not in the archive"),
    Attack("8 extra in data", with_file("data/specs/fourth.yaml"), "E-EXTRA data/specs/fourth.yaml: in the archive but not listed in MANIFEST.json"),
    Attack("9 extra at the root", with_file("EVIL.py"), "E-EXTRA EVIL.py: in the archive but not listed in MANIFEST.json"),
    Attack("11 renamed", moved(SPEC, "data/specs/other.yaml"), f"E-MISSING {SPEC}: listed in MANIFEST.json but not in the archive"),
    Attack("11 renamed, the new name", moved(SPEC, "data/specs/other.yaml"), "E-EXTRA data/specs/other.yaml: in the archive but not listed in MANIFEST.json"),
    Attack("12 two files swap names", swapped("bagit.txt", "bag-info.txt"), "E-DIGEST bagit.txt: sha256 is <now bagit.txt>, MANIFEST.json says <was bagit.txt>"),
    Attack("13 CRLF", changed(SPEC, lambda c: c.replace(b"\n", b"\r\n")), f"E-SIZE {SPEC}: has <now size {SPEC}> bytes, MANIFEST.json says <was size {SPEC}>"),
    Attack("14 byte-order mark", changed(SPEC, lambda c: b"\xef\xbb\xbf" + c), f"E-SIZE {SPEC}: has <now size {SPEC}> bytes, MANIFEST.json says <was size {SPEC}>"),
    Attack("15 newline after a receipt", changed(FREEZE, lambda c: c + b"\n"), f"E-SIZE {FREEZE}: has <now size {FREEZE}> bytes, MANIFEST.json says <was size {FREEZE}>"),
    Attack("16 receipts swap contents", swapped(FREEZE, GATE), f"E-SIZE {FREEZE}: has <was size {GATE}> bytes, MANIFEST.json says <was size {FREEZE}>"),
    Attack("17 no manifest", without(MANIFEST), "E-MISSING MANIFEST.json: not found"),
    Attack("18 empty manifest", changed(MANIFEST, lambda c: b""), "E-EMPTY MANIFEST.json: file has zero bytes"),
    Attack("19 manifest truncated", changed(MANIFEST, lambda c: c[:20]), "E-JSON MANIFEST.json: Unterminated string starting at: line 1 column 14 (char 13)"),
    Attack("20 no tag manifest", without(TAG_MANIFEST), "E-MISSING tagmanifest-sha256.txt: not found"),
    Attack("20 tag manifest edited", changed(TAG_MANIFEST, lambda c: c[:-1]), "E-BAG tagmanifest-sha256.txt: is not what MANIFEST.json gives, byte for byte"),
    Attack("21 CRLF in a bag manifest", changed("manifest-sha256.txt", lambda c: c.replace(b"\n", b"\r\n")), "E-SIZE manifest-sha256.txt: has <now size manifest-sha256.txt> bytes, MANIFEST.json says <was size manifest-sha256.txt>"),
    Attack("22 ledger edited", changed("evidence_ledger.md", lambda c: c.replace(b"identified", b"idemtified")), "E-DIGEST evidence_ledger.md: sha256 is <now evidence_ledger.md>, MANIFEST.json says <was evidence_ledger.md>"),
    Attack("22 ledger edited, resealed", lambda files: sealed({**files, "evidence_ledger.md": b"# Margin: 5\n" + files["evidence_ledger.md"]}), "E-LEDGER evidence_ledger.md: does not have the form of an evidence ledger"),
    Attack("22 ledger row of its own", lambda files: sealed({**files, "evidence_ledger.md": files["evidence_ledger.md"] + b"| margin | 5 |\n"}), lambda files: "E-LEDGER evidence_ledger.md: line {} is no row with a file and its digest".format(files["evidence_ledger.md"].count(b"\n"))),
    Attack("22 ledger digest of another", lambda files: sealed({**files, "evidence_ledger.md": files["evidence_ledger.md"].replace(sha256(files[FREEZE]).encode(), b"0" * 64)}), f"E-LEDGER evidence_ledger.md: line 7 gives {FREEZE} a digest that MANIFEST.json does not"),
    Attack("23 verifier edited", changed("verify.py", lambda c: b"#" + c[1:-1] + b"\r"), "E-DIGEST verify.py: sha256 is <now verify.py>, MANIFEST.json says <was verify.py>"),
    Attack("28", manifest_path("../../etc/passwd"), "E-PATH ../../etc/passwd: '.' or '..' component"),
    Attack("29", manifest_path("data/../x"), "E-PATH data/../x: '.' or '..' component"),
    Attack("30", manifest_path("/etc/passwd"), "E-PATH /etc/passwd: absolute path"),
    Attack("31", manifest_path("C:/x"), "E-PATH C:/x: backslash or drive letter"),
    Attack("32", manifest_path("data\\x"), "E-PATH data\\\\x: backslash or drive letter"),
    Attack("33", manifest_path("data/x\0y"), "E-PATH data/x\\x00y: empty component or forbidden character"),
    Attack("34", manifest_path("data/caf\xe9"), "E-PATH data/caf\\xe9: non-ASCII character"),
    Attack("34 right to left", manifest_path("data/\u202egpj.exe"), "E-PATH data/\\u202egpj.exe: non-ASCII character"),
    Attack("35", manifest_path("data/NUL.txt"), "E-PATH data/NUL.txt: name not portable to Windows"),
    Attack("36", manifest_path("data/x."), "E-PATH data/x.: name not portable to Windows"),
    Attack("37", manifest_path("data//x"), "E-PATH data//x: empty component or forbidden character"),
    Attack("37 empty", manifest_path(""), "E-PATH : empty component or forbidden character"),
    Attack("37 long", manifest_path("data/" + "x" * 236), f"E-PATH data/{'x' * 236}: longer than 240 characters"),
    Attack("44", manifest_text('"format":', '"format":"x","format":'), "E-JSON MANIFEST.json: duplicate key format"),
    Attack("45", manifest_bytes(lambda c: b"{ " + c[1:]), "E-CANON MANIFEST.json: bytes are not the canonical form (first difference at byte 1)"),
    Attack("45 newline at the end", manifest_bytes(lambda c: c + b"\n"), lambda files: f"E-CANON MANIFEST.json: bytes are not the canonical form (first difference at byte {len(files[MANIFEST]) - 1})"),
    Attack("46", manifest_bytes(lambda c: b'{"study":"small",' + c[1:].replace(b',"study":"small"', b"")), "E-CANON MANIFEST.json: bytes are not the canonical form (first difference at byte 2)"),
    Attack("47", manifest_text('"length":4', '"length":4.0'), "E-JSON MANIFEST.json: non-integer number 4.0"),
    Attack("48", manifest_text('"length":4', '"length":4e0'), "E-JSON MANIFEST.json: non-integer number 4e0"),
    Attack("49", manifest_text('"length":4', '"length":-0'), canon("-0}")),
    Attack("49 leading minus", manifest_text('"length":4', '"length":-4'), "E-SCHEMA MANIFEST.json: field chain.length is negative"),
    Attack("50", manifest_text('"length":4', '"length":NaN'), "E-JSON MANIFEST.json: non-integer number NaN"),
    Attack("51", manifest_text('"length":4', '"length":-Infinity'), "E-JSON MANIFEST.json: non-integer number -Infinity"),
    Attack("52", manifest_text('"length":4', '"length":9007199254740992'), "E-JSON MANIFEST.json: integer outside +-(2^53-1)"),
    Attack("53", manifest_text('"length":4', '"length":' + "9" * 5000), "E-JSON MANIFEST.json: integer outside +-(2^53-1)"),
    Attack("54", manifest_text('"path":"data/', '"path":"\\u0064ata/'), canon("\\u0064ata")),
    Attack("55", manifest_text('"study":"small"', '"study":"\\ud800"'), "E-JSON MANIFEST.json: not UTF-8 or a lone surrogate (UnicodeEncodeError)"),
    Attack("56", manifest_bytes(lambda c: b"\xef\xbb\xbf" + c), "E-JSON MANIFEST.json: starts with a byte-order mark"),
    Attack("57", manifest_bytes(lambda c: c.decode().encode("utf-16")), "E-JSON MANIFEST.json: not UTF-8 or a lone surrogate (invalid start byte)"),
    Attack("58", manifest_bytes(lambda c: c.replace(b"small", b"sm\xffll")), "E-JSON MANIFEST.json: not UTF-8 or a lone surrogate (invalid start byte)"),
    Attack("59", manifest_bytes(lambda c: c + b"{}"), lambda files: f"E-JSON MANIFEST.json: Extra data: line 1 column {len(files[MANIFEST]) - 1} (char {len(files[MANIFEST]) - 2})"),
    Attack("60", manifest_bytes(lambda c: b"[" * 100_000), "E-JSON MANIFEST.json: nested too deeply"),
    Attack("60 closed", manifest_bytes(lambda c: b"[" * 100_000 + b"]" * 100_000), "E-JSON MANIFEST.json: nested too deeply"),
    Attack("61", manifest_bytes(lambda c: b" " * 5 * 2**20), "E-LIMIT MANIFEST.json: larger than 4194304 bytes"),
    Attack("62", manifest_field(put("chain", "length", value=True)), "E-SCHEMA MANIFEST.json: field chain.length has the wrong type"),
    Attack("63", manifest_field(put("zzz", value=1)), "E-SCHEMA MANIFEST.json: unknown field zzz"),
    Attack("64", manifest_field(lambda m: m.pop("chain")), "E-SCHEMA MANIFEST.json: missing field chain"),
    Attack("65", manifest_field(put("algorithm", value="md5")), "E-ALG MANIFEST.json: algorithm must be sha256, got md5"),
    Attack("66", manifest_field(put("algorithm", value="")), "E-ALG MANIFEST.json: algorithm must be sha256, got "),
    Attack("66 another format", manifest_field(put("format", value="multiverse.archive/2")), "E-SCHEMA MANIFEST.json: format must be multiverse.archive/1, got multiverse.archive/2: this verifier is for another version"),
    Attack("67", manifest_field(lambda m: m["files"][0].update(sha256=m["files"][0]["sha256"].upper())), lambda files: "E-HEX bag-info.txt: files[0].sha256 not 64 lowercase hex digits: " + sha256(files["bag-info.txt"]).upper()),
    Attack("68", manifest_field(put("files", 0, "sha256", value="0" * 32)), f"E-HEX bag-info.txt: files[0].sha256 not 64 lowercase hex digits: {'0' * 32}"),
    Attack("69", manifest_field(put("files", 0, "sha256", value="0" * 65)), f"E-HEX bag-info.txt: files[0].sha256 not 64 lowercase hex digits: {'0' * 65}"),
    Attack("70", manifest_field(put("files", 0, "sha256", value="0" * 64 + "\n")), f"E-HEX bag-info.txt: files[0].sha256 not 64 lowercase hex digits: {'0' * 64}\\n"),
    Attack("71", manifest_field(put("files", 0, "sha256", value="\uff10" + "0" * 63)), f"E-HEX bag-info.txt: files[0].sha256 not 64 lowercase hex digits: \\uff10{'0' * 63}"),
    Attack("72", manifest_field(put("files", 0, "sha256", value=hashlib.sha256().hexdigest())), "E-DIGEST bag-info.txt: sha256 is <now bag-info.txt>, MANIFEST.json says e3b0c44298fc1c14..."),
    Attack("73", manifest_field(lambda m: m["files"].insert(0, dict(m["files"][0]))), "E-ORDER bag-info.txt: manifest paths are not strictly increasing (duplicate or unsorted)"),
    Attack("73 unsorted", manifest_field(lambda m: m["files"].reverse()), "E-ORDER bag-info.txt: manifest paths are not strictly increasing (duplicate or unsorted)"),
    Attack("74", manifest_field(put("files", value=[])), "E-EMPTY MANIFEST.json: lists no files"),
    Attack("75", lambda files: sealed({**files, SPEC: files[SPEC] + b"#"}), f"E-SUBJECT {SPEC}: {FREEZE} froze <was {SPEC}>, archive holds <now {SPEC}>"),
    Attack("76", draft(lambda one: one.files.update({SPEC: one.files[SPEC] + b"#"}), link=False, git=False), f"E-CHAIN {GATE}: prev is <was 16 {FREEZE}>, the receipt before it hashes to <now 16 {FREEZE}> (fork, swap or edit)"),
    Attack("77", draft(lambda one: one.files.update({SPEC: one.files[SPEC] + b"#"}), git=False), run_line(f"GIT {RUN}: {RECEIPT_PATH} in commit COMMIT has other bytes than the archive (eol/smudge filter or dirty tree?)")),
    Attack("82", dropped(GATE), f"E-CHAIN {RUN}: expected receipt number 0002 (gap, duplicate or wrong name)"),
    Attack("83", draft(lambda one: one.statements.update({"data/receipts/0003-correction.json": one.statements[CORRECTION]}), git=False, link=False), f"E-CHAIN {RUN}: expected receipt number 0004 (gap, duplicate or wrong name)"),
    Attack("84", renamed_receipts({CORRECTION: "data/receipts/0005-correction.json"}), "E-CHAIN data/receipts/0005-correction.json: expected receipt number 0004 (gap, duplicate or wrong name)"),
    Attack("84 no receipt's name", renamed_receipts({CORRECTION: "data/receipts/correction.json"}), "E-CHAIN data/receipts/correction.json: expected receipt number 0004 (gap, duplicate or wrong name)"),
    Attack("85", renamed_receipts({FREEZE: "data/receipts/0002-freeze.json", GATE: "data/receipts/0001-gate.json"}), "E-CHAIN data/receipts/0001-gate.json: seq is 2, file name says 1"),
    Attack("86", replayed, lambda files: f"E-REPLAY {RUN}: belongs to chain {'b' * 16}, this archive is chain {json.loads(files[FREEZE])['predicate']['chain']['id'][:16]}"),
    Attack("87", receipt(FREEZE, put("predicate", "chain", "id", value="a" * 64)), f"E-REPLAY {FREEZE}: chain id is not the sha256 of this first receipt's nonce"),
    Attack("88", receipt(CORRECTION, put("predicate", "chain", "id", value="b" * 64)), lambda files: f"E-REPLAY {CORRECTION}: belongs to chain {'b' * 16}, this archive is chain {json.loads(files[FREEZE])['predicate']['chain']['id'][:16]}"),
    Attack("88 a nonce more", receipt(RUN, put("predicate", "nonce", value="c" * 64)), f"E-REPLAY {RUN}: a nonce belongs into the first receipt of a chain, and nowhere else"),
    Attack("88 no nonce", receipt(FREEZE, lambda one: one["predicate"].pop("nonce")), f"E-REPLAY {FREEZE}: a nonce belongs into the first receipt of a chain, and nowhere else"),
    Attack("88 another study", receipt(RUN, put("predicate", "study", value="large")), f"E-REPLAY {RUN}: is of study large, the first receipt of small"),
    Attack("88 another study throughout", draft(lambda one: [one.predicate(path).update(study="large") for path in one.statements]), "E-REPLAY MANIFEST.json: study is small, the receipts are of another"),
    Attack("89", record_specs(["A0/base"]), f"E-REPORT {RUN}: declared specification A1/base is not reported"),
    Attack("89 in the receipt alone", receipt(RUN, put("predicate", "reported", value={"specs": 1, "sha256": sha256(b"A0/base\n")})), f"E-REPORT {RUN}: does not report the specifications frozen for family audit"),
    Attack("90", record_specs(["A0/base", "A1/base", "A2/base"]), f"E-REPORT {RUN}: specification A2/base is reported and was never frozen"),
    Attack("91", record_specs(["A0/base", "A1/base", "A1/base"]), f"E-REPORT {RUN}: a specification is reported twice"),
    Attack("92", receipt(RUN, put("predicate", "status", value="x")), f"E-SCHEMA {RUN}: unknown status x"),
    Attack("93", record_specs("A0/base"), f"E-REPORT {RUN}: the record lists no specifications"),  # type: ignore[arg-type]
    Attack("93 a record of nothing", draft(lambda one: one.files.update({RECORD: b"[]"})), f"E-SCHEMA {RECORD}: is not an object"),
    Attack("93 another family's record", record_field("family", "base"), f'E-REPORT {RUN}: the record\'s family is "base", not "audit"'),
    Attack("93 an exploratory record", record_field("status", "exploratory"), f'E-REPORT {RUN}: the record\'s status is "exploratory", not "frozen"'),
    Attack("93 other gates", record_field("gates", []), lambda files: f"E-REPORT {RUN}: the record's gates is [], not {json.dumps(json.loads(files[RUN])['predicate']['gates'])[:80]}"),
    Attack("93 another motivation", record_field("admissibility", {"motivation": "x", "reason": None}), f'E-REPORT {RUN}: the record\'s motivation is "x", not "prospective"'),
    Attack("94", receipt(RUN, put("predicate", "freeze", value="d" * 64)), f"E-ORDER {RUN}: does not point to an earlier freeze receipt of this chain"),
    Attack("95", lambda files: sealed({**files, REPORT: files[REPORT] + b"!"}), f"E-SUBJECT {REPORT}: {RUN} froze <was {REPORT}>, archive holds <now {REPORT}>"),
    Attack("96", receipt(CORRECTION, put("predicate", "replacement", value="results/audit/report.txt")), f"E-REWRITE {CORRECTION}: replacement has the same path as the original"),
    Attack("96 other bytes at the same path", receipt(CORRECTION, lambda one: one["subject"].append({"name": "results/audit/report.txt", "digest": {"sha256": "0" * 64}})), f"E-REWRITE {CORRECTION}: binds results/audit/report.txt to other bytes than {RUN} did (one path, one digest)"),
    Attack("97", receipt(CORRECTION, put("predicate", "replacement", value="results/audit/new.txt")), f"E-REWRITE {CORRECTION}: a correction must add a new file and keep the original"),
    Attack("97 binds nothing", receipt(CORRECTION, put("subject", value=[])), f"E-REWRITE {CORRECTION}: a correction binds its replacement and nothing else"),
    Attack("97 the original is gone", lambda files: sealed(without(REPORT)(files)), f"E-MISSING {REPORT}: {RUN} names this file, which is neither in the archive nor withheld"),
    Attack("97 of no earlier receipt", receipt(CORRECTION, put("predicate", "corrects", value="e" * 64)), f"E-ORDER {CORRECTION}: does not point to an earlier receipt of this chain"),
    Attack("97 of no file", receipt(CORRECTION, put("predicate", "original", value="x")), f"E-ORDER {CORRECTION}: x is no file of {RUN}"),
    Attack("98", receipt(RUN, put("predicate", "claimed_at", value="2001-01-01T00:00:00Z")), lambda files: f"E-TIME {RUN}: claimed_at 2001-01-01T00:00:00Z is earlier than the receipt before it ({json.loads(files[GATE])['predicate']['claimed_at']})"),
    Attack("99", receipt(RUN, put("predicate", "claimed_at", value="2026-08-18T08:05:00+02:00")), f"E-TIME {RUN}: claimed_at is not YYYY-MM-DDThh:mm:ssZ: 2026-08-18T08:05:00+02:00"),
    Attack("100", receipt(FREEZE, put("predicate", "git", "status", value="1 .M specs/x")), f"E-DIRTY {FREEZE}: says clean but records changed files"),
    Attack("101", receipt(FREEZE, lambda one: _shifted(one["subject"][0])), f"E-ALG {FREEZE}: frozen/families.json: digest set must be exactly sha256, got ['md5', 'sha256']"),
    Attack("101 md5 alone", receipt(FREEZE, put("subject", 0, "digest", value={"md5": "0" * 32})), f"E-ALG {FREEZE}: frozen/families.json: digest set must be exactly sha256, got ['md5']"),
    Attack("102", receipt(FREEZE, put("predicateType", value="https://multiverse.dev/run/v1")), f"E-SCHEMA {FREEZE}: predicateType https://multiverse.dev/run/v1 does not fit a freeze receipt"),
    Attack("102 another statement", receipt(FREEZE, put("_type", value="https://in-toto.io/Statement/v0.1")), f"E-SCHEMA {FREEZE}: _type must be https://in-toto.io/Statement/v1, got https://in-toto.io/Statement/v0.1"),
    Attack("103", lambda files: sealed({**files, "data/results/extra.json": b"{}"}), "E-UNBOUND data/results/extra.json: no receipt names this file"),
    Attack("103 at the root", lambda files: sealed({**files, "EVIL.py": b""}), "E-UNBOUND EVIL.py: no place in an archive's root"),
    Attack("103 a git object more", lambda files: sealed({**files, f"data/git/{attacks.git_id('commit', b'')}.commit": b""}), f"E-UNBOUND data/git/{attacks.git_id('commit', b'')}.commit: no receipt names this file"),
    Attack("103 a signature of nothing", lambda files: sealed({**files, "data/receipts/0009-run.json.sig": b""}), "E-UNBOUND data/receipts/0009-run.json.sig: no receipt names this file"),
    Attack("103 bound for no reason", receipt(RUN, lambda one: one["subject"].append({"name": "zzz", "digest": {"sha256": "0" * 64}})), f"E-SUBJECT {RUN}: binds zzz, which it does not speak of"),
    Attack("103 a second record", receipt(RUN, lambda one: one["subject"].insert(-4, {"name": "results/audit2/record.json", "digest": {"sha256": "0" * 64}})), f"E-SUBJECT {RUN}: a complete run binds results/audit2/record.json, outside results/audit/"),
    Attack("104", draft(lambda one: one.files.update({ROWS: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"})), f"E-LFS {ROWS}: is a Git LFS pointer, not the data"),
    Attack("105", without_commit, run_line(f"GIT {FREEZE}: commit FREEZE is not in the archive (shallow or rebased history?)")),
    Attack("106", edited_commit, lambda files: f"E-GIT {_commit_file(files, FREEZE)}: content does not hash to its object id"),
    Attack("107", relocked(Locks(child=False)), run_line(f"GIT {RUN}: freeze commit FREEZE is not shown to be an ancestor of run commit COMMIT")),
    Attack("108", relocked(Locks(time=1_000_000_000)), f"E-TIME {RUN}: run commit is dated before the freeze commit"),
    Attack("109", relocked(Locks(held=lambda path, content: {path.replace("0001", "0009"): content})), run_line(f"GIT {RUN}: commit COMMIT does not contain {RECEIPT_PATH}")),
    Attack("110", relocked(Locks(held=lambda path, content: {path: content + b"\n"})), run_line(f"GIT {RUN}: {RECEIPT_PATH} in commit COMMIT has other bytes than the archive (eol/smudge filter or dirty tree?)")),
    Attack("111", relocked(Locks(modes={RECEIPT_PATH: "120000"})), run_line(f"SYMLINK {RUN}: {RECEIPT_PATH} is a symlink in commit COMMIT")),
    Attack("111 of no mode", relocked(Locks(modes={RECEIPT_PATH: "100"})), run_line(f"GIT {RUN}: {RECEIPT_PATH} is no regular file in commit COMMIT")),
    Attack("112", relocked(Locks(modes={"receipts": "160000"})), f"E-SUBMODULE {RUN}: {RECEIPT_PATH} lies in a submodule"),
    Attack("114", receipt(RUN, lambda one: one["predicate"]["git"].update(commit="179cc792cf4f")), f"E-HEX {RUN}: git.commit not 40 lowercase hex digits: 179cc792cf4f"),
    Attack("114 upper case", receipt(RUN, lambda one: one["predicate"]["git"].update(commit="A" * 40)), f"E-HEX {RUN}: git.commit not 40 lowercase hex digits: {'A' * 40}"),
    Attack("114 of another format", receipt(RUN, put("predicate", "git", "object_format", value="sha256")), lambda files: f"E-HEX {RUN}: git.commit not 64 lowercase hex digits: {_git_of(files, RUN)['commit']}"),
    Attack("114 no commit", receipt(FREEZE, put("predicate", "git", "commit", value=None)), f"E-GIT {FREEZE}: binds files to a commit, and names none"),
    Attack("114 another tree", receipt(FREEZE, put("predicate", "git", "tree", value="0" * 40)), lambda files: f"E-GIT {FREEZE}: the tree of commit {c12(files, FREEZE)} is {_tree12(files, FREEZE)}, not 000000000000"),
    Attack("114 a gate with a lock", receipt(GATE, put("predicate", "git", "paths", value=[{"name": "x", "path": "x"}])), f"E-GIT {GATE}: a gate binds files to a commit"),
    Attack("a spec file not in its commit", receipt(FREEZE, lambda one: one["predicate"]["git"]["paths"].pop()), f"E-GIT {FREEZE}: does not bind specs/study.yaml to its commit"),
    Attack("a run locked to something else", receipt(RUN, put("predicate", "git", "paths", 0, "name", value="specs/study.yaml")), f"E-GIT {RUN}: binds something else than its freeze receipt to a commit"),
    Attack("205 another engine", receipt(RUN, put("predicate", "environment", "duckdb", value="1.5.6")), lambda files: f"E-ENGINE {RUN}: run used duckdb 1.5.6, frozen with {json.loads(files[FREEZE])['predicate']['environment']['duckdb']}"),
    Attack("another Python", receipt(RUN, put("predicate", "environment", "python", value="3.99")), lambda files: f"E-DRIFT {RUN}: python is 3.99, frozen with {json.loads(files[FREEZE])['predicate']['environment']['python']}"),
    Attack("other code", receipt(RUN, put("predicate", "code", "files_sha256", value="0" * 64)), f"E-DRIFT {RUN}: code is not what {FREEZE} froze"),
    Attack("another seed", receipt(RUN, put("predicate", "resampling", "seed", value="8")), f"E-DRIFT {RUN}: resampling is not what {FREEZE} froze"),
    Attack("another meaning of the same bytes", receipt(RUN, put("predicate", "specs", 0, "meaning_sha256", value="0" * 64)), f"E-DRIFT {RUN}: specs is not what {FREEZE} froze"),
    Attack("an input under another table", receipt(RUN, put("predicate", "inputs", 0, "table", value="objects")), f"E-SCHEMA {RUN}: inputs/rows.csv is not named after its table, objects"),
    Attack("an input from elsewhere", receipt(RUN, put("predicate", "inputs", 0, "source", value="x")), f"E-DRIFT {RUN}: inputs are not what {FREEZE} froze"),
    Attack("a spec file under another id", receipt(RUN, put("predicate", "specs", 0, "id", value="x")), f"E-SCHEMA {RUN}: spec file specs/contracts.yaml is not named after x"),
    Attack("a gate counted otherwise", receipt(GATE, put("predicate", "gates", 0, "count", value=9)), f"E-GATE {RUN}: the gates came out otherwise than in {GATE}, on the same data"),
    Attack("a spec file bound twice", receipt(FREEZE, lambda one: one["predicate"]["git"]["paths"].append(one["predicate"]["git"]["paths"][0])), f"E-GIT {FREEZE}: binds more than its spec files to its commit"),
    Attack("a receipt that is a list", lambda files: sealed({**files, CORRECTION: b"[]"}), f"E-SCHEMA {CORRECTION}: is not an object"),
    Attack("a receipt that is nothing", lambda files: sealed({**files, CORRECTION: b"null"}), f"E-SCHEMA {CORRECTION}: holds null"),
    Attack("a gate that opened answers", receipt(GATE, _open_answers), f"E-GATE {GATE}: a gate that opened inputs/predictions.csv"),
    Attack("a gate against its count", receipt(GATE, put("predicate", "gates", 0, "count", value=0)), f"E-GATE {GATE}: gate enough says GO with 0 of at least 1"),
    Attack("a threshold moved", receipt(RUN, put("predicate", "gates", 0, "at_least", value=0)), f"E-GATE {RUN}: the gates judged are not those frozen"),
    Attack("a verdict against its gates", receipt(GATE, put("predicate", "verdict", value="NO_GO")), f"E-GATE {GATE}: the verdict does not follow from its gates"),
    Attack("a run behind a NO_GO", draft(_no_go), f"E-GATE {RUN}: a complete run behind a gate that said NO_GO ({GATE})"),
    Attack("a first freeze that says it is a control", receipt(FREEZE, put("predicate", "admissibility", "motivation", value=verify.CONTROL)), f"E-ORDER {FREEZE}: motivation {verify.CONTROL} does not fit its parent"),
    Attack("a parent out of nowhere", receipt(FREEZE, put("predicate", "admissibility", "parent", value="0" * 64)), f"E-ORDER {FREEZE}: parent is not the freeze before it"),
    Attack("not jointly frozen", receipt(FREEZE, put("predicate", "admissibility", "jointly_frozen", value=False)), f"E-SCHEMA {FREEZE}: the alternatives are not jointly frozen"),
    Attack("answers before there were any", receipt(FREEZE, put("predicate", "access", "data_stage", value="before_access")), f"E-ORDER {FREEZE}: data_stage is before_access, and yet inputs/predictions.csv is frozen"),
    Attack("packages under another digest", receipt(FREEZE, put("predicate", "environment", "packages_sha256", value="0" * 64)), f"E-SCHEMA {FREEZE}: packages_sha256 is not the sha256 of packages"),
    Attack("families frozen twice", draft(lambda one: one.files.update({"data/frozen/families.json": b'{"families":[{"family":"audit","specs":["A0/base","A1/base"]},{"family":"audit","specs":["A0/base","A1/base"]}]}'})), "E-SCHEMA data/frozen/families.json: lists a family twice"),
    Attack("families not canonical", draft(lambda one: one.files.update({"data/frozen/families.json": one.files["data/frozen/families.json"] + b"\n"})), lambda files: f"E-CANON data/frozen/families.json: bytes are not the canonical form (first difference at byte {len(files['data/frozen/families.json']) - 1})"),
    Attack("results withheld", lambda files: sealed(without(REPORT)(files), late=_withhold(REPORT, files, "superseded")), f"E-WITHHELD {REPORT}: withheld as superseded, which this file may not be"),
    Attack("specs withheld", lambda files: sealed(without(SPEC)(files), late=_withhold(SPEC, files, "private")), f"E-WITHHELD {SPEC}: withheld as private, which this file may not be"),
    Attack("withheld under another digest", lambda files: sealed(without(ROWS)(files), late=_withhold(ROWS, {ROWS: b""}, "private")), f"E-SUBJECT {ROWS}: {FREEZE} froze <was {ROWS}>, MANIFEST.json withholds e3b0c44298fc1c14..."),
    Attack("withheld and there", lambda files: sealed(files, late=_withhold(ROWS, files, "private")), f"E-WITHHELD {ROWS}: withheld, but no receipt names it or the archive holds it"),
    Attack("217 an md5 bag", lambda files: sealed({**files, "manifest-md5.txt": b""}), "E-UNBOUND manifest-md5.txt: no place in an archive's root"),
    Attack("219 everything emptied", lambda files: sealed({path: content for path, content in files.items() if not path.startswith("data/")}), "E-EMPTY data/receipts: holds no receipt"),
    Attack("220 NFC listed, NFD there", with_file("data/cafe\u0301"), "E-PATH data/cafe\\u0301: non-ASCII character"),
    Attack("A3 no report", receipt(RUN, unbound("results/audit/report.txt")), f"E-REPORT {RUN}: binds no results/audit/report.txt"),
    Attack("A3 no table", receipt(RUN, unbound("results/audit/tables/margins.parquet")), f"E-REPORT {RUN}: binds no results/audit/tables/margins.parquet"),
    Attack("A3 a table of those that describe", receipt(RUN, unbound("results/audit/tables/options.parquet")), f"E-REPORT {RUN}: binds no results/audit/tables/options.parquet"),
    Attack("A3 no record", receipt(RUN, unbound("results/audit/record.json")), f"E-REPORT {RUN}: binds no results/audit/record.json"),
    Attack("A3 a second report", receipt(RUN, bound("results/audit/report-final.txt")), f"E-REPORT {RUN}: binds results/audit/report-final.txt, which no run writes"),
    Attack("A3 a table more", receipt(RUN, bound("results/audit/tables/zz.parquet")), f"E-REPORT {RUN}: binds results/audit/tables/zz.parquet, which no run writes"),
    Attack("A6 other draws", frozen_and_run("resampling", lambda held: {**held, "draws": 9999}), f"E-REPORT {RUN}: population all of the record has resampling draws 50, the run 9999"),
    Attack("A6 another seed", frozen_and_run("resampling", lambda held: {**held, "seed": "8"}), f"E-REPORT {RUN}: population all of the record has resampling seed 7, the run 8"),
    Attack("A6 another level", frozen_and_run("resampling", lambda held: {**held, "level": "99/100"}), f'E-REPORT {RUN}: population all of the record has resampling level "0.95", the run 99/100'),
    Attack("A6 no level", frozen_and_run("resampling", lambda held: {**held, "level": "1/0"}), f'E-REPORT {RUN}: population all of the record has resampling level "0.95", the run 1/0'),
    Attack("A6 other units", frozen_and_run("resampling", lambda held: {**held, "unit": "row"}), f'E-REPORT {RUN}: population all of the record has resampling unit "cluster", the run row'),
    Attack("A6 another method of intervals", frozen_and_run("resampling", lambda held: {**held, "method": "bca"}), f'E-REPORT {RUN}: population all of the record has resampling method "percentile", the run bca'),
    Attack("A6 no resampling", frozen_and_run("resampling", lambda held: None), f"E-REPORT {RUN}: population all of the record has resampling, and the run none"),
    Attack("A6 other methods", frozen_and_run("methods", lambda held: ["a", "c"]), f"E-REPORT {RUN}: population all of the record ranks other methods than the run names"),
    Attack("A8 a gate twice", receipt(FREEZE, lambda one: one["predicate"]["gates"].append({**one["predicate"]["gates"][0], "at_least": 0})), f"E-GATE {FREEZE}: names a gate twice"),
    Attack("A9 a tree twice over", other_tree(lambda raw: raw + raw), tree_line("has duplicate or unsorted entries")),
    Attack("A9 a file beside a folder of its name", other_tree(lambda raw: raw.replace(b"40000 receipts\0", b"100644 receipts\0" + bytes(20) + b"40000 receipts\0")), tree_line("has duplicate or unsorted entries")),
    Attack("A9 no tree", other_tree(lambda raw: raw[:-1]), tree_line("is no tree")),
    Attack("A9 specs under another name", committed(FREEZE, "specs/small/pick37.yaml"), f"E-GIT {FREEZE}: binds specs/contracts.yaml to specs/small/pick37.yaml, a file of another name"),
    Attack("A9 specs in two folders", committed(FREEZE, "elsewhere/contracts.yaml"), f"E-GIT {FREEZE}: binds spec files to more than one folder of its commit"),
    Attack("A9 a receipt elsewhere", committed(RUN, "other/0001-freeze.json"), f"E-GIT {RUN}: binds its freeze receipt to other/0001-freeze.json, which is not receipts/small/0001-freeze.json"),
    Attack("A10 superseded without an amendment", lambda files: sealed(without(ROWS)(files), late=_withhold(ROWS, files, "superseded")), f"E-WITHHELD {ROWS}: withheld as superseded, which this file may not be"),
    Attack("A10 private results", lambda files: sealed(without(REPORT)(files), late=_withhold(REPORT, files, "private")), f"E-WITHHELD {REPORT}: withheld as private, which this file may not be"),
    Attack("A11 a study in other letters", manifest_field(put("study", value="sm\u0430ll")), "E-SCHEMA MANIFEST.json: study is not of the expected form: sm\\u0430ll"),
    Attack("A11 a receipt of a study in other letters", receipt(RUN, put("predicate", "study", value="sm\u0430ll")), f"E-SCHEMA {RUN}: study is not of the expected form: sm\\u0430ll"),
    Attack("A11 a long name", receipt(RUN, put("predicate", "study", value="s" * 300_000)), f"E-SCHEMA {RUN}: study is not of the expected form: {'s' * 80}"),
    Attack("A11 a family that is a path", receipt(RUN, put("predicate", "family", value="../audit")), f"E-SCHEMA {RUN}: family is not of the expected form: ../audit"),
    Attack("A11 a family that is a device", draft(lambda one: one.files.update({"data/frozen/families.json": b'{"families":[{"family":"audit","specs":["A0/base","A1/base"]},{"family":"nul","specs":["A0/base"]}]}'})), "E-SCHEMA data/frozen/families.json: family nul is no name of a folder: name not portable to Windows"),
    Attack("B1 a long name", manifest_path("data/" + "x/" * 500), f"E-PATH {verify.clipped('data/' + 'x/' * 500)}: name too long"),
    Attack("B2 a path twice", committed(FREEZE, "specs/small/contracts.yaml", "specs/small/contracts.yaml"), f"E-GIT {FREEZE}: git.paths has one path twice"),
    Attack("B2 a long path", committed(FREEZE, "x" * 4_096 + "/contracts.yaml"), f"E-GIT {FREEZE}: git.paths has a path longer than 4096 characters"),
    Attack("B7 a deep record", deeply(900), f"E-REPORT {RUN}: the record's status is {'[' * 80}, not \"frozen\""),
    Attack("C13 a day that never was", draft(lambda one: [one.predicate(path).update(claimed_at="9999-02-31T23:59:59Z") for path in one.statements]), f"E-TIME {FREEZE}: claimed_at is on no calendar: 9999-02-31T23:59:59Z"),
    Attack("225 a path that moves the cursor", with_file("data/\x1b[2KVERIFIED"), "E-PATH data/\\x1b[2KVERIFIED: empty component or forbidden character"),
]  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS, ids=[attack.row for attack in ATTACKS])
def test_a_changed_archive_does_not_verify(tmp_path: Path, attack: Attack) -> None:
    """Unpacked and as a zip alike."""
    before = dict(good().files)
    after = attack.make(dict(before))
    line = attack.line if isinstance(attack.line, str) else attack.line(after)
    for path in (write_folder(after, tmp_path / "folder"), write_zip(after, tmp_path / "archive.zip")):
        code, lines = said(path)
        assert filled(line, before, after) in lines
        assert code == 1
        assert lines[-1].startswith(f"DOES NOT VERIFY: {path}: ")
        assert all(character.isprintable() and character.isascii() for one in lines for character in one)


# ---------------------------------------------------------------------------------------------------- what passes, pins


def rebuilt() -> Files:
    """A complete rebuild after the fact: a frozen table changed, and everything made anew around it."""
    return forged(lambda one: one.files.update({ROWS: one.files[ROWS].replace(b"c2", b"c3")}))


def rolled_back() -> Files:
    """The last receipt dropped, with the file that it binds."""

    def change(one: Draft) -> None:
        one.statements.pop(CORRECTION)
        one.files = {path: content for path, content in one.files.items() if "corrections/" not in path}
        rows = one.files["evidence_ledger.md"].decode().split("\n")
        one.files["evidence_ledger.md"] = "\n".join(row for row in rows if CORRECTION not in row).encode()

    return forged(change, git=False, rebind=False)


def of_an_older_version() -> Files:
    """An archive made before runs wrote the tables that describe the specifications."""
    describing = {f"results/audit/{name}" for name in verify.DESCRIBING}

    def change(one: Draft) -> None:
        bound = one.statements[RUN]["subject"]
        one.statements[RUN]["subject"] = [subject for subject in bound if subject["name"] not in describing]
        one.files = {path: content for path, content in one.files.items() if path[len("data/") :] not in describing}
        rows = one.files["evidence_ledger.md"].decode().split("\n")
        kept = [row for row in rows if not any(f"{name} " in row for name in describing)]
        one.files["evidence_ledger.md"] = "\n".join(kept).encode()

    return forged(change, git=False)


def test_an_archive_of_an_older_version_verifies(tmp_path: Path) -> None:
    files = of_an_older_version()
    assert sum("tables/" in path for path in files) == len(verify.RECORD_TABLES)
    path = write_zip(files, tmp_path / "older.zip")
    code, lines = said(path, Pins())
    assert [line for line in lines if line.startswith("E-")] == []
    assert (code, lines[-1]) == (0, f"VERIFIED: {path}")


@pytest.mark.parametrize("write", [write_folder, write_zip])
def test_the_good_archive_verifies(tmp_path: Path, write: Callable[[Files, Path], Path]) -> None:
    """Rows 1 to 3: with pins and without."""
    path = write(good().files, tmp_path / "good")
    for pins in (Pins(), Pins(archive=good().archive, head=good().head)):
        code, lines = said(path, pins)
        assert (code, lines[-1]) == (0, f"VERIFIED: {path}")
        assert not any(line.startswith(("E-", "W-", "CANNOT")) for line in lines)
        assert (
            "  - grade F1: chain and git lock; the results were made after, and bound to, exactly this freeze" in lines
        )


@pytest.mark.parametrize(("row", "forge"), [("78", rebuilt), ("80", rolled_back)])
def test_what_cannot_be_caught_from_inside_passes_and_fails_with_pins(
    tmp_path: Path, row: str, forge: Callable[[], Files]
) -> None:
    """Rows 78 to 81: the verifier says that it is not provable, and a pin catches it."""
    files = forge()
    path = write_zip(files, tmp_path / "archive.zip")
    code, lines = said(path)
    assert code == PASSES
    assert "  - that this is not a complete rebuild (unless pinned, anchored or signed by someone else)" in lines
    assert "  - that no receipt was dropped from the end (unless --expect-head pins it)" in lines
    code, lines = said(path, Pins(archive=good().archive))
    archive, head = sha256(files[MANIFEST]), sha256(files[max(filter(attacks.is_receipt, files))])
    expected = f"E-PIN MANIFEST.json: archive is {archive[:16]}..., you expected {good().archive[:16]}..."
    assert (code, expected in lines) == (1, True)
    code, lines = said(path, Pins(head=good().head))
    expected = f"E-PIN receipts: last receipt is {head[:16]}..., you expected {good().head[:16]}..."
    assert (code, expected in lines) == (1, True)


@pytest.mark.parametrize(
    "change",
    [
        changed("evidence_ledger.md", lambda content: content.replace(b"identified at", b"identified aT")),
        changed("identification_record.md", lambda content: content + b"\nA margin of 5.\n"),
        without("identification_record.md"),
    ],
)
def test_what_no_receipt_binds_is_said_to_be_claimed_and_the_archive_pin_catches_it(
    tmp_path: Path, change: Callable[[Files], Files]
) -> None:
    """A ledger's words, an identification record and the verifier that is brought along hang by the manifest alone."""
    path = write_zip(sealed(change(dict(good().files))), tmp_path / "archive.zip")
    code, lines = said(path, Pins(head=good().head))
    assert code == PASSES
    claim = re.compile(r"  - what .*evidence_ledger.md, verify.py say: --expect-archive pins them, no receipt does")
    assert any(map(claim.fullmatch, lines))
    assert said(path, Pins(archive=good().archive))[0] == 1


def test_another_verifier_in_an_archive_is_told(tmp_path: Path) -> None:
    """Row 226: a forged archive brings a forged verifier, which cannot be told from an older one."""
    path = write_zip(sealed({**good().files, "verify.py": b"print('VERIFIED')\n"}), tmp_path / "archive.zip")
    code, lines = said(path)
    running = sha256(attacks.VERIFIER.read_bytes())[:16]
    held = sha256(b"print('VERIFIED')\n")[:16]
    warning = f"sha256 is {held}..., that of the verifier running now is {running}...: do not run it"
    assert (code, lines[0]) == (PASSES, f"W-VERIFIER verify.py: {warning}")


def test_a_dirty_tree_that_is_admitted_passes_with_a_warning(tmp_path: Path) -> None:
    """Row 113."""

    def dirty(statement: Json) -> None:
        statement["predicate"]["git"] |= {"clean": False, "status": "1 .M N... specs/x"}

    path = write_zip(forged(lambda one: None, late={FREEZE: dirty}), tmp_path / "archive.zip")
    code, lines = said(path)
    assert (code, lines[0]) == (PASSES, f"W-DIRTY {FREEZE}: frozen from a dirty work tree")


def test_data_that_is_withheld_passes_with_a_warning(tmp_path: Path) -> None:
    path = write_zip(sealed(without(ROWS)(good().files), late=_withhold(ROWS, good().files, "private")), tmp_path / "a")
    warning = "W-WITHHELD MANIFEST.json: 1 data file is withheld: only its digest is here"
    assert (said(path)[0], said(path)[1][0]) == (PASSES, warning)


def test_an_honest_chain_without_git_has_the_lower_grade(tmp_path: Path) -> None:
    def unlocked(one: Draft) -> None:
        for path in (FREEZE, GATE, RUN):
            one.predicate(path)["git"] = None
        one.files = {path: content for path, content in one.files.items() if not path.startswith("data/git/")}

    path = write_zip(forged(unlocked, git=False), tmp_path / "archive.zip")
    code, lines = said(path)
    assert (code, any("grade F1" in line for line in lines)) == (PASSES, False)
    assert "  - grade F0: receipts only; nothing here shows when anything was made" in lines


# ------------------------------------------------------------------------------------------------- what is said of it


def test_what_a_good_archive_shows_and_what_it_claims(tmp_path: Path) -> None:
    """The study, the counts of a gate that a record confirms, the correction with its reason."""
    path = write_zip(good().files, tmp_path / "good.zip")
    lines = said(path)[1]
    assert lines[-3:] == [f"head: {good().head}", "study: small", f"VERIFIED: {path}"]
    shown = lines[: lines.index("claimed, not shown:")]
    for line in (
        "  - gate 0002: GO",
        "  - run 0003: family audit reports all 2 specifications frozen in 0001, on what was frozen there",
        "  - correction 0004: of 0003, results/audit/report.txt: a slip",
    ):
        assert line in shown
    claimed = "; motivation claimed: prospective; outcomes: before analysis; custody: operator"
    assert any(line.replace("Z: motivation", "; motivation").endswith(claimed) for line in lines)


def test_an_amendment_is_told_with_all_that_it_changed(tmp_path: Path) -> None:
    """Files, gates and families that were frozen before; a gate that asks for less is a warning (A8)."""
    path = write_zip(attacks.amended_archive().files, tmp_path / "amended.zip")
    code, lines = said(path)
    where = "data/receipts/0004-freeze.json"
    warnings = [f"W-GATE {where}: gate enough dropped", f"W-GATE {where}: gate many moved from 2 to 1"]
    warnings.append(
        "W-WITHHELD MANIFEST.json: 13 files of a freeze that was amended since are not here, only their digests"
    )
    assert (code, sorted(lines[:3])) == (PASSES, warnings)
    line = "  - freeze 0004, in the place of 0001: spec files changed: families.yaml, study.yaml; data files changed: rows.csv; "
    assert line + "gate enough dropped; gate many moved from 2 to 1; families removed: base" in lines


def test_what_was_not_read_is_claimed_and_not_shown(tmp_path: Path) -> None:
    """A4, A6: a run without its record, and a gate without a run whose record was read."""
    lines = said(write_zip(attacks.amended_archive().files, tmp_path / "amended.zip"))[1]
    shown, claimed = lines[: lines.index("claimed, not shown:")], lines[lines.index("claimed, not shown:") :]
    text = "  - run {}: family audit reports all 2 specifications frozen in {}, on what was frozen there"
    assert text.format("0002", "0001") + " (its record was not read)" in claimed
    assert text.format("0005", "0004") in shown
    assert (
        "  - gate 0003: GO; its counts are claimed: a rerun shows them" in claimed,
        "  - gate 0006: GO" in shown,
    ) == (True, True)
    assert any(line.endswith("custody not stated; reason: a gate that can pass") for line in claimed)


def test_a_folder_of_receipts_shows_no_results(tmp_path: Path) -> None:
    lines = said(good().repository / "receipts" / "small")[1]
    claimed = lines[lines.index("claimed, not shown:") :]
    assert "  - gate 0002: GO; its counts are claimed: a rerun shows them" in claimed
    text = "  - run 0003: family audit reports all 2 specifications frozen in 0001, on what was frozen there"
    assert text + " (its record was not read)" in claimed


def test_results_are_withheld_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    files, report = attacks.amended_archive()
    withheld = [one for one in json.loads(files[MANIFEST])["withheld"] if one["path"] != REPORT]
    part = sealed({**files, REPORT: report}, late=put("withheld", value=withheld))
    code, lines = said(write_zip(part, tmp_path / "archive.zip"))
    line = "E-WITHHELD data/receipts/0002-run.json: withheld in part: 11 of 12 files that the run wrote"
    assert (code, line in lines) == (1, True)


def test_data_of_the_last_freeze_is_not_superseded(tmp_path: Path) -> None:
    """A10: what an amendment froze again is withheld as private or not at all."""
    files = attacks.amended_archive().files
    path = "data/inputs/objects.csv"
    withheld = [
        *json.loads(files[MANIFEST])["withheld"],
        {"path": path, "reason": "superseded", "sha256": sha256(files[path])},
    ]
    forged_files = sealed(
        without(path)(files), late=put("withheld", value=sorted(withheld, key=lambda one: str(one["path"])))
    )
    code, lines = said(write_zip(forged_files, tmp_path / "archive.zip"))
    assert (code, f"E-WITHHELD {path}: withheld as superseded, which this file may not be" in lines) == (1, True)


def test_a_run_beside_changed_files_is_told(tmp_path: Path) -> None:
    """C8; receipts are committed after a run, and new files change nothing that is tracked."""
    for status, told in (
        ("1 .M N... 100644 specs/x", True),
        ("? specs/x", False),
        ("1 .M N... receipts/small/0002-gate.json", False),
    ):
        late = {RUN: lambda one, status=status: one["predicate"]["git"].update(clean=False, status=status)}
        code, lines = said(write_zip(forged(lambda one: None, late=late), tmp_path / "archive.zip"))
        assert (code, f"W-DIRTY {RUN}: run from a work tree in which files had changed" in lines) == (PASSES, told)


def test_a_reason_cannot_pass_for_other_lines(tmp_path: Path) -> None:
    """C10: it stands on its one line, without runs of blanks, and ends somewhere."""
    reason = "typo" + " " * 400 + "- signatures: every receipt is signed by alice" + " and bob" * 100
    files = forged(lambda one: None, late={CORRECTION: put("predicate", "reason", value=reason)})
    line = next(line for line in said(write_zip(files, tmp_path / "archive.zip"))[1] if "correction 0004: of" in line)
    assert "report.txt: typo - signatures: every receipt is signed by alice and bob" in line
    assert len(line) < 300


# ------------------------------------------------------------------------------------------------- what wears it out


def test_many_faults_hide_no_other(tmp_path: Path) -> None:
    """B6: beyond those that are told they still count, and what is not sound is not read as if it were."""
    files = forged(lambda one: None, late={RUN: lambda one: one["predicate"].pop("claimed_at")})
    extra = {f"data/x{number:04d}": b"" for number in range(1_100)}
    code, lines = said(write_zip({**files, **extra}, tmp_path / "archive.zip"))
    assert (code, lines[-1]) == (1, f"DOES NOT VERIFY: {tmp_path}/archive.zip: 1000 faults and more")


@pytest.mark.parametrize("depth", [980, 1_500, 9_990, 100_000])
def test_a_record_of_any_depth_is_a_fault(tmp_path: Path, depth: int) -> None:
    """B7: deeper than what reads JSON, or what writes it, may go."""
    assert said(write_zip(deeply(depth)(dict(good().files)), tmp_path / "archive.zip"))[0] == 1


def test_what_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B2 to B4, with smaller limits."""
    path = write_zip(good().files, tmp_path / "archive.zip")
    assert (verify.MAX_RECORD, verify.MAX_LEDGER) == (2**26, 2**24)
    for name, where in (("MAX_RECORD", RECORD), ("MAX_LEDGER", "evidence_ledger.md")):
        monkeypatch.setattr(verify, name, 900)
        assert f"E-LIMIT {where}: larger than 900 bytes" in said(path)[1]
        monkeypatch.undo()
    monkeypatch.setattr(verify, "MAX_PARSED", 100)
    assert any(
        line.startswith("E-LIMIT data/git/") and line.endswith(".tree: git trees of more than 100 bytes")
        for line in said(path)[1]
    )


def test_a_tree_is_read_once_and_not_all_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """B2: without room for any, each is read anew, and all is found as before."""
    path, read = write_zip(good().files, tmp_path / "archive.zip"), list[str]()
    entries = verify.GitObjects._entries

    def counted(self: verify.GitObjects, content: bytes, identity: str) -> dict[str, verify.Tree] | None:
        read.append(identity)
        return entries(self, content, identity)

    monkeypatch.setattr(verify.GitObjects, "_entries", counted)
    assert (said(path)[0], len(read)) == (PASSES, len(set(read)))
    monkeypatch.setattr(verify, "MAX_TREES", 1)
    assert (said(path)[0], len(read) > 2 * len(set(read))) == (PASSES, True)


def test_a_ledger_of_blank_lines_takes_no_time(tmp_path: Path) -> None:
    files = sealed({**good().files, "evidence_ledger.md": good().files["evidence_ledger.md"] + b"\n" * 2**21})
    code, lines = said(write_zip(files, tmp_path / "archive.zip"))
    assert (code, lines[-1].endswith(": 1000 faults and more")) == (1, True)


def test_a_chain_that_is_full_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(verify, "MAX_RECEIPTS", 3)
    lines = said(write_zip(good().files, tmp_path / "archive.zip"))[1]
    assert f"E-CHAIN {CORRECTION}: a chain holds at most 3 receipts, and this one is full" in lines


def test_whoever_reads_one_line_gets_the_verdict_as_exit_code(tmp_path: Path) -> None:
    """B9: `| head -1`."""
    for files, code in ((good().files, 0), (rebuilt(), 1)):
        path = write_zip(files, tmp_path / "archive.zip")
        command = [sys.executable, "-I", str(attacks.VERIFIER), str(path), "--expect-head", good().head]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            assert running.stdout is not None and running.stderr is not None
            running.stdout.close()
            assert (running.stderr.read(), running.wait()) == (b"", code)


def test_a_failure_of_the_verifier_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(path: str, pins: Pins) -> verify.Findings:
        raise KeyError(path)

    monkeypatch.setattr(verify, "verify", fails)
    assert verify.main(["x.zip"]) == 2
    assert capsys.readouterr().out.splitlines() == [
        "CANNOT CHECK X-FAILURE x.zip: this verifier failed, which is a bug of it: KeyError('x.zip')",
        "COULD NOT CHECK: x.zip: nothing is concluded",
    ]


# -------------------------------------------------------------------------------------------------- folders and devices


def _link(folder: Path) -> None:
    (folder / SPEC).rename(folder.parent / "kept.yaml")
    (folder / SPEC).symlink_to(folder.parent / "kept.yaml")


def _collide(folder: Path) -> None:
    (folder / "data/specs/FAMILIES.yaml").write_bytes(b"x")


def _collide_folders(folder: Path) -> None:
    (folder / "data/Specs").mkdir()
    (folder / "data/Specs/x").write_bytes(b"x")


def _socket(folder: Path) -> None:
    with contextlib.chdir(folder), socket.socket(socket.AF_UNIX) as server:
        server.bind("s.sock")


def _deep(folder: Path) -> None:
    (folder / "data" / "/".join(["d"] * 40)).mkdir(parents=True)


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (lambda folder: (folder / "data/empty").mkdir(), "E-EXTRA data/empty: empty directory"),
        (_link, f"E-SYMLINK {SPEC}: symbolic links are not allowed"),
        (lambda folder: (folder / "data/etc").symlink_to("/etc"), "E-SYMLINK data/etc: symbolic links are not allowed"),
        (lambda folder: (folder / "z").symlink_to("/dev/zero"), "E-SYMLINK z: symbolic links are not allowed"),
        (
            lambda folder: os.mkfifo(folder / "data/pipe"),
            "E-SPECIAL data/pipe: not a regular file (fifo, socket or device)",
        ),
        (_socket, "E-SPECIAL s.sock: not a regular file (fifo, socket or device)"),
        (_collide, f"E-CASE {SPEC}: differs only in letter case from data/specs/FAMILIES.yaml"),
        (_collide_folders, "E-CASE data/specs: differs only in letter case from data/Specs"),
        (
            lambda folder: (folder / "data/e\u0301.txt").write_bytes(b""),
            "E-PATH data/e\\u0301.txt: non-ASCII character",
        ),
        (
            lambda folder: (folder / "data/a\nb").write_bytes(b""),
            "E-PATH data/a\\nb: empty component or forbidden character",
        ),
        (
            lambda folder: Path(os.fsdecode(os.fsencode(folder) + b"/data/\xff")).write_bytes(b""),
            "E-PATH data/\\udcff: non-ASCII character",
        ),
        (_deep, f"E-PATH data/{'/'.join(['d'] * 33)}: folders nested too deeply"),
    ],
)
def test_a_folder_with_what_no_archive_has_does_not_verify(
    tmp_path: Path, spoil: Callable[[Path], object], line: str
) -> None:
    """Rows 10, 24 to 27 and 38 to 41."""
    folder = write_folder(good().files, tmp_path / "folder")
    spoil(folder)
    code, lines = said(folder)
    assert (code, line in lines) == (1, True)


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid"), reason="permissions of Unix")
@pytest.mark.parametrize(
    ("path", "mode", "line"),
    [
        (SPEC, 0, f"CANNOT CHECK X-PERM {SPEC}: permission denied (nothing was concluded about this file)"),
        (FREEZE, 0, f"CANNOT CHECK X-PERM {FREEZE}: permission denied (nothing was concluded about this file)"),
        ("data/specs", 0, "CANNOT CHECK X-IO data/specs/: Permission denied"),
    ],
)
def test_what_cannot_be_read_is_not_checked_and_nothing_is_concluded(path: str, mode: int, line: str) -> None:
    """Row 42: as a user for whom permissions hold."""
    with tempfile.TemporaryDirectory() as above:
        Path(above).chmod(0o755)
        folder = write_folder(good().files, Path(above, "folder"))
        verifier = shutil.copy(attacks.VERIFIER, above)
        (folder / path).chmod(mode)
        nobody = {"user": 65534} if os.geteuid() == 0 else {}
        python = (
            attacks.interpreters()["here"] if os.geteuid() else shutil.which("python3", path="/usr/bin:/usr/local/bin")
        )
        if python is None:
            pytest.skip("no Python that every user may run")
        done = subprocess.run(
            [python, verifier, str(folder)], capture_output=True, text=True, check=False, cwd="/", **nobody
        )  # type: ignore[call-overload]
        (folder / path).chmod(0o755)
    first, *_, last = done.stdout.splitlines()
    assert (done.returncode, first, last) == (2, line, f"COULD NOT CHECK: {folder}: nothing is concluded")


def test_a_file_that_is_written_while_it_is_hashed_is_a_fault(tmp_path: Path) -> None:
    """Row 43."""
    folder = write_folder(good().files, tmp_path / "folder")
    findings = verify.Findings()
    source = _Written(str(folder), findings)
    verify.verify_archive(source, Pins(), findings)
    assert f"E-RACE {REPORT}: changed while being read" in map(str, findings.faults)


class _Written(verify.FolderSource):
    """A folder in which a writer adds to one file between two reads, and to another during one."""

    def chunks(self, path: str) -> Iterator[bytes]:
        for chunk in super().chunks(path):
            if path == REPORT:
                with open(os.path.join(self.name, path), "ab") as file:
                    file.write(b"x")
            yield chunk


def test_a_zip_that_is_replaced_while_it_is_read_is_a_fault(tmp_path: Path) -> None:
    path = write_zip(good().files, tmp_path / "archive.zip")
    findings = verify.Findings()
    source = verify.ZipSource(str(path), findings)
    write_zip({**good().files, ROWS: b"x"}, tmp_path / "other.zip").rename(path)
    verify.verify_archive(source, Pins(), findings)
    assert "E-RACE MANIFEST.json: changed while being read" in map(str, findings.faults)
    assert findings.exit_code == 1


# ----------------------------------------------------------------------------------------------------------------- zip


def _zip(change: Callable[[list[tuple[Json, bytes]]], object]) -> Callable[[bytes], bytes]:
    """The good zip with other entries."""

    def make(content: bytes) -> bytes:
        entries: list[tuple[Json, bytes]] = sorted(good().files.items())
        change(entries)
        return zip_bytes(entries)

    return make


def _appended(name: str, content: bytes = b"x", mode: int = 0o100644) -> Callable[[bytes], bytes]:
    return _zip(lambda entries: entries.append((zip_entry(name, mode), content)))


def _bomb(entries: list[tuple[Json, bytes]]) -> None:
    bomb = zip_entry("data/big")
    bomb.compress_type = zipfile.ZIP_DEFLATED
    entries.append((bomb, bytes(20 * 2**20)))


def _commented(entries: list[tuple[Json, bytes]]) -> None:
    entry = zip_entry("data/x")
    entry.comment = b"hidden"
    entries.append((entry, b""))


def _extra(entries: list[tuple[Json, bytes]]) -> None:
    entry = zip_entry("data/x")
    entry.extra = b"\x99\x99\x04\x00abcd"
    entries.append((entry, b""))


def _dated(entries: list[tuple[Json, bytes]]) -> None:
    name, content = entries[0]
    entry = zip_entry(name)
    entry.date_time = (2026, 1, 1, 0, 0, 0)
    entries[0] = (entry, content)


def _end_without_directory(content: bytes) -> bytes:
    """An end record that says the directory is empty."""
    return content[:-22] + content[-22:-10] + bytes(4) + content[-6:]


def _other_local_name(content: bytes) -> bytes:
    at = content.index(b"MANIFEST.json")
    return content[:at] + b"MANIFEST.jsoN" + content[at + 13 :]


def _name_everywhere(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    """A name changed in the local header and in the directory, and nowhere else."""

    def make(content: bytes) -> bytes:
        first, last = content.index(b"\x00\x00" + old) + 2, content.rindex(old)
        for at in (first, last):
            content = content[:at] + new + content[at + len(new) :]
        return content

    return make


def _tar(content: bytes) -> bytes:
    with tempfile.TemporaryFile() as file:
        with tarfile.open(fileobj=file, mode="w") as target:
            target.addfile(tarfile.TarInfo("x"))
        file.seek(0)
        return file.read()


NO_END = "E-ZIP archive.zip: does not end with its end record (truncated, comment or trailing bytes)"
NO_SUM = "E-ZIP end record: sizes do not add up (prepended or hidden bytes, or unsupported zip64)"
NOT_FIXED = "local header disagrees with the directory or is not in the fixed form"
LOADED = "entry is compressed, encrypted or carries extra data"


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("row", "change", "line"),
    [
        ("115", _zip(lambda e: e.insert(0, e[0])), "E-ZIPDUP MANIFEST.json: entry appears twice"),
        ("116", _appended("../../evil"), "E-PATH ../../evil: '.' or '..' component"),
        ("117", _appended("/etc/x"), "E-PATH /etc/x: absolute path"),
        ("118", _appended("data\\x"), "E-PATH data\\\\x: backslash or drive letter"),
        ("119", _appended("data/l", mode=0o120777), "E-SYMLINK data/l: entry is a link or special file"),
        ("119 device", _appended("data/l", mode=0o020644), "E-SYMLINK data/l: entry is a link or special file"),
        ("119 folder", _appended("data/l/", mode=0o040755), "E-SYMLINK data/l/: entry is a link or special file"),
        ("119 setuid", _appended("data/l", mode=0o104755), f"E-ZIP data/l: {NOT_FIXED}"),
        ("120", _appended("manifest.json"), "E-CASE manifest.json: differs only in letter case from MANIFEST.json"),
        ("121", _appended("data/x.txt"), "E-EXTRA data/x.txt: in the archive but not listed in MANIFEST.json"),
        ("121 not ASCII", _appended("data/\xe9"), "E-PATH data/\\xe9: non-ASCII character"),
        ("122", _zip(_bomb), f"E-ZIP data/big: {LOADED}"),
        ("122 comment", _zip(_commented), f"E-ZIP data/x: {NOT_FIXED}"),
        ("122 extra field", _zip(_extra), f"E-ZIP data/x: {LOADED}"),
        ("122 date", _zip(_dated), f"E-ZIP MANIFEST.json: {NOT_FIXED}"),
        ("122 unsorted", _zip(lambda e: e.append(e.pop(0))), "E-ORDER MANIFEST.json: entries are not sorted by name"),
        ("123", lambda content: b"#!/bin/sh\n" + content, NO_SUM),
        ("124", lambda content: content + b"x", NO_END),
        ("125", lambda content: content[:-5], NO_END),
        ("126", _end_without_directory, NO_SUM),
        ("127", _other_local_name, f"E-ZIP MANIFEST.json: {NOT_FIXED}"),
        (
            "128",
            _name_everywhere(b"evidence_ledger.md", b"evidence_ledger\0md"),
            "E-ZIP evidence_ledger\\x00md: NUL or separator inside an entry name",
        ),
        (
            "129",
            lambda content: content.replace(b"rationale: all that", b"Rationale: all that", 1),
            f"E-ZIP {SPEC}: Bad CRC-32 for file '{SPEC}'",
        ),
        ("130", lambda content: b"", NO_END),
        ("130 not a zip", lambda content: b"x" * 1000, NO_END),
        ("131", _tar, NO_END),
        ("223 many entries", lambda content: zip_bytes((f"{n:05d}", b"") for n in range(65_535)), NO_SUM),
    ],
)
def test_a_changed_zip_does_not_verify(tmp_path: Path, row: str, change: Callable[[bytes], bytes], line: str) -> None:
    """Rows 115 to 131 and 223."""
    path = tmp_path / "archive.zip"
    path.write_bytes(change(good().zip.read_bytes()))
    code, lines = said(path)
    assert (code, line in lines) == (1, True), lines


# ---------------------------------------------------------------------------------------------------------- signatures


class Signers(NamedTuple):
    """Real keys of two people, and a list that knows one of them."""

    alice: Path
    eve: Path
    allowed: Path


@pytest.fixture(scope="module")
def signers(tmp_path_factory: pytest.TempPathFactory) -> Signers:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("there is no ssh-keygen")
    folder = tmp_path_factory.mktemp("keys")
    alice, eve = new_key(folder, "alice"), new_key(folder, "eve")
    allowed = folder / "allowed_signers"
    allowed.write_text(f"alice@x {alice.with_suffix('.pub').read_text()}")
    return Signers(alice, eve, allowed)


def _resigned(change: Callable[[Files, Signers], Files]) -> Callable[[Signers], Files]:
    """Alice's archive with its signatures changed."""
    return lambda keys: sealed(change(signed(good().files, keys.alice), keys))


@pytest.mark.parametrize(
    ("row", "make", "line"),
    [
        ("134", lambda keys: good().files, f"E-SIG {FREEZE}: has no signature file"),
        (
            "135",
            _resigned(lambda files, keys: without(f"{CORRECTION}.sig")(files)),
            f"E-SIG {CORRECTION}: has no signature file",
        ),
        ("136", lambda keys: signed(good().files, keys.eve), f"E-SIG {FREEZE}: signature does not verify for alice@x"),
        (
            "137",
            lambda keys: signed(good().files, keys.alice, "file"),
            f"E-SIG {FREEZE}: signature does not verify for alice@x",
        ),
        (
            "137 another study",
            lambda keys: signed(good().files, keys.alice, "receipt.v1@large"),
            f"E-SIG {FREEZE}: signature does not verify for alice@x",
        ),
        (
            "138",
            _resigned(lambda files, keys: {**files, f"{RUN}.sig": files[f"{FREEZE}.sig"]}),
            f"E-SIG {RUN}: signature does not verify for alice@x",
        ),
        ("139", lambda keys: signed(rebuilt(), keys.eve), f"E-SIG {FREEZE}: signature does not verify for alice@x"),
        (
            "211",
            _resigned(lambda files, keys: {**files, f"{RUN}.sig": files[f"{RUN}.sig"] + b"more\n"}),
            f"E-SIG {RUN}.sig: is not one SSH signature and nothing else",
        ),
        (
            "211 empty",
            _resigned(lambda files, keys: {**files, f"{RUN}.sig": b""}),
            f"E-SIG {RUN}.sig: is not one SSH signature and nothing else",
        ),
    ],
)
def test_signatures_of_another_do_not_verify(
    tmp_path: Path, signers: Signers, row: str, make: Callable[[Signers], Files], line: str
) -> None:
    """Rows 134 to 139, 208 and 211, with real keys."""
    path = write_zip(make(signers), tmp_path / "archive.zip")
    code, lines = said(path, Pins(allowed_signers=str(signers.allowed), signer="alice@x"))
    assert (code, line in lines) == (1, True), lines


def test_signatures_of_the_one_signer_verify(tmp_path: Path, signers: Signers) -> None:
    """Row 133; and row 140: what she signs anew after a rebuild passes too, unless it is pinned."""
    for files in (good().files, rebuilt()):
        path = write_zip(signed(files, signers.alice), tmp_path / "archive.zip")
        pins = Pins(allowed_signers=str(signers.allowed), signer="alice@x")
        code, lines = said(path, pins)
        assert (code, "  - signatures: every receipt is signed by alice@x" in lines) == (PASSES, True)
        assert said(path, pins._replace(head="0" * 64))[0] == 1


def test_signatures_are_said_to_be_unchecked_without_a_list_of_signers(tmp_path: Path, signers: Signers) -> None:
    """Row 209."""
    path = write_zip(signed(good().files, signers.eve), tmp_path / "archive.zip")
    line = "  - signatures: 4 of 4 receipts have one: NOT CHECKED (give --allowed-signers and --signer)"
    assert (said(path)[0], line in said(path)[1]) == (PASSES, True)


def test_a_list_of_signers_must_not_come_from_the_archive(tmp_path: Path, signers: Signers) -> None:
    """Row 209: whoever forges an archive can put a list into it that lets everyone sign for anyone."""
    folder = write_folder(signed(good().files, signers.eve), tmp_path / "folder")
    shutil.copy(signers.allowed, folder / "data/allowed")
    (tmp_path / "link").symlink_to(folder / "data/allowed")
    for path in (folder / "data/allowed", tmp_path / "link"):
        lines = said(folder, Pins(allowed_signers=str(path), signer="alice@x"))[1]
        text = "lies in what is to be checked: a list of signers must come from elsewhere"
        assert f"CANNOT CHECK X-SIG {path}: {text}" in lines


def test_signatures_that_cannot_be_checked_are_told(
    tmp_path: Path, signers: Signers, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_zip(signed(good().files, signers.alice), tmp_path / "archive.zip")
    missing = tmp_path / "nobody"
    code, lines = said(path, Pins(allowed_signers=str(missing), signer="alice@x"))
    assert (code, lines[0]) == (2, f"CANNOT CHECK X-SIG {missing}: no such file: no signature was checked")
    monkeypatch.setenv("PATH", str(tmp_path))
    text = "ssh-keygen (OpenSSH 8.1 or newer) could not be run: no signature was checked"
    expected = f"CANNOT CHECK X-SIG {signers.allowed}: {text}"
    code, lines = said(path, Pins(allowed_signers=str(signers.allowed), signer="alice@x"))
    assert (code, lines[0]) == (2, expected)
    old = tmp_path / "ssh-keygen"
    old.write_text("#!/bin/sh\necho 'unknown option -- Y' >&2; exit 1\n")
    old.chmod(0o755)
    code, lines = said(path, Pins(allowed_signers=str(signers.allowed), signer="alice@x"))
    assert (code, lines[0]) == (2, expected)


def test_an_expired_key_does_not_verify(tmp_path: Path, signers: Signers) -> None:
    """Row 210: the time of the check is now, never what an archive says."""
    allowed = tmp_path / "allowed"
    allowed.write_text(f'alice@x valid-before="20200101" {signers.alice.with_suffix(".pub").read_text()}')
    path = write_zip(signed(good().files, signers.alice), tmp_path / "archive.zip")
    code, lines = said(path, Pins(allowed_signers=str(allowed), signer="alice@x"))
    assert (code, f"E-SIG {FREEZE}: signature does not verify for alice@x" in lines) == (1, True)


# -------------------------------------------------------------------------------------------------------- as a program


@pytest.mark.parametrize("version", ["here", "3.8", "3.13"])
def test_the_program_says_by_its_exit_code_what_it_found(tmp_path: Path, version: str) -> None:
    """Also what is not there (row 132), pipes and devices, which must not make it wait."""
    python = attacks.interpreters()[version]
    if python is None:
        pytest.skip(f"there is no Python {version}")
    path = write_zip(good().files, tmp_path / "good.zip")
    pins = ("--expect-archive", good().archive.upper(), "--expect-head", good().head)
    found = run_verifier(path, *pins, python=python)
    assert (found.code, found.lines[-1], found.error) == (0, f"VERIFIED: {path}", "")
    found = run_verifier(write_zip(rebuilt(), tmp_path / "bad.zip"), *pins, python=python)
    assert (found.code, found.error) == (1, "")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for place in (tmp_path / "nothing.zip", pipe, Path("/dev/zero")):
        found = run_verifier(place, python=python)
        assert (found.code, found.lines[-1], found.error) == (2, f"COULD NOT CHECK: {place}: nothing is concluded", "")
    found = run_verifier(path, "--expect-head", "", python=python)
    assert (found.code, found.error.splitlines()[-1]) == (
        2,
        "verify.py: error: argument --expect-head: not 64 hex digits",
    )


def test_the_message_of_what_is_not_there_is_that_of_the_system(tmp_path: Path) -> None:
    """Row 132."""
    path = tmp_path / "nothing.zip"
    line = f"CANNOT CHECK X-IO {path}: [Errno 2] No such file or directory: '{path}'"
    assert said(path) == (2, [line, f"COULD NOT CHECK: {path}: nothing is concluded"])


def test_digests_are_those_of_sha256sum(tmp_path: Path) -> None:
    """Row 226: what --expect-archive wants can be had without the verifier."""
    if shutil.which("sha256sum") is None:
        pytest.skip("there is no sha256sum")
    folder = write_folder(good().files, tmp_path / "folder")
    done = subprocess.run(["sha256sum", "MANIFEST.json"], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == f"{good().archive}  MANIFEST.json\n"
