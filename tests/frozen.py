"""A small study whose every choice is explained, to be frozen, gated, audited, amended and archived under specs/."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from multiverse import verify
from multiverse.declaration import Declaration, read_declaration
from multiverse.errors import GateError
from multiverse.receipts.chain import Chain, read_chain
from multiverse.receipts.freezing import amend, correct, freeze
from multiverse.runs import judge, run
from small import Content, write_small

FOLDER = Path("specs/small")
STUDY = """\
endpoints: {effects: [{id: adoption, pair: [a, b], factor: A, from: 0, to: 1}]}
resampling: {unit: cluster, draws: 50, seed: 7}
"""
GATE = "gates: [{id: enough, where: {family_unchanged: {factor: A, from: 0, to: 1}}, count: clusters, at_least: %d}]\n"
GO, NO_GO = GATE % 1, GATE % 3
CONTRACTS = """\
coordinate: contract
rationale: adoption is what the user reads
predicates: {adopted: {column: adopted, equals: true}}
factors: {A: {"0": [], "1": [adopted]}}
"""
DISPOSITIONS = """\
coordinate: disposition
rationale: silence is right where nothing is legal
options:
  - id: base
    legal_present: {answered: match, empty: 0, error: 0}
    legal_empty: {answered: 0, empty: 1, error: 0}
"""
TERMINALS = """\
coordinate: terminal
rationale: one side or both
special: {column: object_id, equals: o2}
options: [{id: asym, treatment: as_declared}, {id: keep_both, treatment: {exempt: [adopted]}}]
"""
FAMILIES = """\
rationale: all that was declared
license: claims about these rows alone
families: {audit: {}, base: {contract: [A0]}}
"""
FILES = {"contracts": CONTRACTS, "dispositions": DISPOSITIONS, "families": FAMILIES}
SYMMETRIC = STUDY + GO.replace("where", "terminal: asym, where")
TERMINAL_FILES = {
    "terminals": TERMINALS,
    "families": FAMILIES.replace("audit: {}", "audit: {}, asym: {terminal: [asym]}"),
}
TABLES = {
    "rows": "row_id,cluster_id,stratum\nr1,c1,s1\nr2,c2,s2\n",
    "objects": "row_id,group_id,object_id,adopted\nr1,g1,o1,true\nr1,g2,o2,false\nr2,g1,o1,true\n",
    "predictions": "row_id,method,hypothesis_id,object_id,status\nr1,a,h1,o2,\nr1,b,,,\nr2,a,h1,o1,\nr2,b,h1,o1,\n",
}


def write_explained(
    *, study: str = STUDY, files: Mapping[str, str] | None = None, tables: Mapping[str, Content | None] | None = None
) -> Declaration:
    """The study in its folder below the working directory, read."""
    held: Mapping[str, Content | None] = {**TABLES, **(tables or {})}
    write_small(FOLDER, "hypotheses", study=study, files={**FILES, **(files or {})}, **held)
    return read_declaration(FOLDER)


def frozen(
    *, study: str = STUDY, files: Mapping[str, str] | None = None, tables: Mapping[str, Content | None] | None = None
) -> Declaration:
    """The study, written and frozen."""
    declaration = write_explained(study=study, files=files, tables=tables)
    freeze(declaration)
    return declaration


def amended(
    reason: str = "a better one",
    *,
    study: str = STUDY,
    files: Mapping[str, str] | None = None,
    tables: Mapping[str, Content | None] | None = None,
) -> Declaration:
    """The study, written anew and frozen in the place of the last freeze."""
    declaration = write_explained(study=study, files=files, tables=tables)
    amend(declaration, reason=reason)
    return declaration


def appendix_e() -> None:
    """V1 stops at its gate; V2 is frozen, run and corrected; the symmetric control is frozen, run and added to."""
    freeze(write_explained(study=STUDY + NO_GO), data_stage="before_analysis", outcome_custody="third_party")
    with pytest.raises(GateError):
        run("small", family="audit")
    amended("a gate that can pass", study=STUDY + GO)
    judge("small")
    run("small", family="audit")
    addendum("No global ranking is stable.", 5, "global stability is not shown", "results/0003/audit/report.txt")
    amended("retain both, exclude both", study=SYMMETRIC, files=TERMINAL_FILES)
    run("small", family="audit")
    run("small", family="asym")
    addendum("Nothing was scored again.", 8, "the report completed")


def addendum(text: str, number: int, reason: str, original: str | None = None) -> None:
    """Correct a receipt by a file with this text."""
    Path("addendum.md").write_text(f"{text}\n")
    correct("small", number=number, addendum=Path("addendum.md"), original=original, reason=reason)


def rewrite(path: Path, old: str, new: str) -> None:
    """Put one piece of text in the place of another, which is there once."""
    content = path.read_bytes()
    assert content.count(old.encode()) == 1
    path.write_bytes(content.replace(old.encode(), new.encode()))


def chain(study: str = "small") -> Chain:
    """The receipts of the study, every one of which verifies."""
    return read_chain(study)


def names(study: str = "small") -> list[str]:
    """The file names of its receipts."""
    return [receipt.name for receipt in chain(study).receipts]


def predicate(number: int) -> dict[str, Any]:
    """What a receipt states."""
    return chain().receipts[number - 1].predicate


def verified(path: Path = Path("receipts/small")) -> tuple[int, list[str]]:
    """What receipts/verify.py says of a folder of receipts or an archive: its exit code, and every finding."""
    found = verify.verify(str(path))
    return found.exit_code, [str(one) for one in (*found.faults, *found.unchecked)]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def files_below(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, by its path in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def record(folder: Path = Path("results/small/audit")) -> dict[str, Any]:
    return dict(json.loads((folder / "record.json").read_bytes()))


def masked(text: str) -> str:
    """Text with what differs from one run to the next left out: digests, versions and times."""
    text = re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", text)
    text = re.sub(r"\b[0-9a-f]{16}\b", "DIGEST16", text)
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME", text)
