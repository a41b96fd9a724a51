"""Freezing a study, amending a freeze, and correcting what a receipt binds (paper section 2.5)."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from multiverse import verify
from multiverse.declaration import Declaration
from multiverse.errors import Fault, InputError, NotFrozenError, quoted
from multiverse.receipts.chain import Chain, append, chain_above, writing
from multiverse.receipts.drift import changes
from multiverse.receipts.snapshot import (
    ANSWERS,
    Snapshot,
    all_tables,
    answer_tables,
    check_unmoved,
    reference_tables,
    snapshot,
)
from multiverse.receipts.statements import frozen, kept
from multiverse.substrate import check_references, table_files
from multiverse.verify import Receipt, sha256

DataStage = Literal[
    "before_creation", "before_observation", "before_access", "before_analysis", "after_analysis", "not_stated"
]
Custody = Literal["operator", "third_party", "public", "nobody", "not_stated"]
_AWAITED = ("before_creation", "before_access")
_LFS = b"version https://git-lfs.github.com/spec/"
_TAKEN = re.compile(r"exploratory|[0-9]{4}", re.IGNORECASE)  # folders of results/STUDY, beside those of families


def freeze(
    declaration: Declaration,
    *,
    data_stage: DataStage = "not_stated",
    outcome_custody: Custody = "not_stated",
    progress: Callable[[str], None] = lambda step: None,
) -> Receipt:
    """Freeze a study: the first receipt of its chain.

    Raises InputError, with every fault, where a rationale is missing, the declaration or the data is at fault, the
    answers are there and should not be (or the other way round), or the study is frozen already.
    """
    above = chain_above(declaration.name)
    if above is not None:
        found, expected = f"has receipts in {above}", "the command to be run from the folder that holds them"
        raise InputError([Fault(where=declaration.name, found=found, expected=expected)])
    with writing(declaration.name) as chain:
        if chain.freezes:
            found = f"frozen already by {chain.path(chain.freezes[-1])}"
            expected = "an audit under it; or `multiverse amend`, which freezes a successor with a reason"
            raise InputError([Fault(where=declaration.name, found=found, expected=expected)])
        now = _freezable(declaration, data_stage, progress)
        return _append(chain, declaration, now, data_stage, outcome_custody, reason=None)


def amend(
    declaration: Declaration,
    *,
    reason: str,
    data_stage: DataStage = "not_stated",
    outcome_custody: Custody = "not_stated",
    progress: Callable[[str], None] = lambda step: None,
) -> Receipt:
    """Freeze a successor that names its parent and the reason; what is audited under it is motivated post hoc."""
    with writing(declaration.name) as chain:
        if not chain.freezes:
            found, expected = "not frozen yet: there is nothing to amend", f"`multiverse freeze {declaration.name}`"
            raise NotFrozenError([Fault(where=declaration.name, found=found, expected=expected)])
        last = chain.freezes[-1]
        _check_stage(chain, data_stage)
        now = _freezable(declaration, data_stage, progress)
        if not changes(chain, last, declaration, now):
            found = f"nothing has changed since {chain.path(last)}"
            raise InputError([Fault(where=declaration.name, found=found, expected="a change to freeze")])
        return _append(chain, declaration, now, data_stage, outcome_custody, reason=_stated(reason))


def _check_stage(chain: Chain, data_stage: DataStage) -> None:
    """Answers that a receipt binds exist: no later freeze can say that they do not, or are out of reach."""
    binding = [r for r in chain.receipts if any(one["table"] in ANSWERS for one in r.predicate.get("inputs", ()))]
    if data_stage in _AWAITED and binding:
        found = f"{data_stage}, and {binding[0].name} binds answers"
        raise InputError([Fault(where="--data-stage", found=found, expected="a stage after that")])


def _stated(reason: str) -> str:
    words = " ".join(reason.split())
    if not words or not words.isprintable():
        raise InputError([Fault(where="--reason", found=f"the text {quoted(reason)}", expected="why, in words")])
    return words


def _freezable(declaration: Declaration, data_stage: DataStage, progress: Callable[[str], None]) -> Snapshot:
    """The study as it stands, where it can be frozen."""
    faults = [*_rationale_faults(declaration), *_name_faults(declaration), *_answer_faults(declaration, data_stage)]
    if faults:
        raise InputError(faults)
    awaited = data_stage in _AWAITED
    if not awaited:
        progress("checking rows and objects")
        check_references(declaration)
    progress("hashing specs, data and code")
    now = snapshot(declaration, (reference_tables if awaited else all_tables)(declaration))
    pointers = [file for file in now.inputs if _is_pointer(file.path)]
    if pointers:
        found, expected = "is a Git LFS pointer, not the data", "the data: `git lfs pull` fetches it"
        raise InputError(
            Fault(where=f"{file.table} ({file.path})", found=found, expected=expected) for file in pointers
        )
    return now


def _is_pointer(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_LFS)) == _LFS


def _rationale_faults(declaration: Declaration) -> Iterator[Fault]:
    for warning in declaration.warnings:
        where, _, found = warning.partition(": ")
        yield Fault(where=where, found=found, expected="a rationale: why this choice, without its outcomes")


def _name_faults(declaration: Declaration) -> Iterator[Fault]:
    """Names that an archive cannot hold as files on every system."""
    families = [family.name for family in declaration.families]
    where = str(declaration.folder / "families.yaml")
    named = {f"receipts/{declaration.name}": str(declaration.folder / "study.yaml")}
    for path, file in (named | {f"results/{family}": where for family in families}).items():
        reason = verify.path_fault(path)
        if reason:
            found = f"{quoted(path.partition('/')[2])} cannot be a file of an archive: {reason}"
            yield Fault(where=file, found=found, expected="another name")
    for family in families:
        if _TAKEN.fullmatch(family):
            found = f"the family name {quoted(family)} is that of a folder of results"
            yield Fault(where=where, found=found, expected="a name other than `exploratory` or four digits")
    for path, first in verify.case_clashes(families):
        found = f"the families {quoted(first)} and {quoted(path)} differ in letter case alone"
        yield Fault(where=where, found=found, expected="names that every system tells apart")


def _answer_faults(declaration: Declaration, data_stage: DataStage) -> Iterator[Fault]:
    """Answers that are there although the stage says they are not; where they should be, reading them tells."""
    if data_stage not in _AWAITED:
        return
    try:
        ((table, paths),) = table_files(declaration, answer_tables(declaration)).items()
    except InputError:
        return
    found = f"{len(paths)} file{'s' * (len(paths) > 1)} there, such as {quoted(str(paths[0]))}"
    yield Fault(where=table, found=found, expected=f"none yet, as --data-stage {data_stage} says")


def _append(
    chain: Chain,
    declaration: Declaration,
    now: Snapshot,
    data_stage: DataStage,
    outcome_custody: Custody,
    *,
    reason: str | None,
) -> Receipt:
    access = {"data_stage": data_stage, "outcome_custody": outcome_custody}
    stated = frozen(chain, now, access=access, reason=reason)
    check_unmoved(now.inputs)
    return append(chain, "freeze", *stated, kept(now, (file.content for file in declaration.files)))


def correct(study: str, *, number: int, addendum: Path, reason: str, original: str | None = None) -> Receipt:
    """Attach an addendum to an earlier receipt, or to a file it binds; neither is changed by a byte."""
    try:
        content = addendum.read_bytes()
    except OSError as error:
        found = f"cannot be read: {error.strerror}"
        raise InputError([Fault(where=str(addendum), found=found, expected="the file of the correction")]) from error
    with writing(study) as chain:
        if not chain.receipts:
            raise NotFrozenError([Fault(where=study, found="not frozen: there is nothing to correct")])
        if not 1 <= number <= len(chain.receipts):
            expected = f"the number of a receipt, from 1 to {len(chain.receipts)}"
            raise InputError([Fault(where=study, found=f"no receipt {number}", expected=expected)])
        corrected = chain.receipts[number - 1]
        name = f"corrections/{chain.following:04d}/{addendum.name}"
        faults = list(_correction_faults(corrected, name, content, original))
        if faults:
            raise InputError(faults)
        digest = sha256(content)
        predicate = {
            "corrects": corrected.digest,
            "original": original,
            "reason": _stated(reason),
            "replacement": name,
        }
        return append(chain, "correction", predicate, {name: digest}, {digest: content})


def _correction_faults(corrected: Receipt, name: str, content: bytes, original: str | None) -> Iterator[Fault]:
    reason = verify.path_fault(name)
    if reason:
        yield Fault(where=quoted(name.rpartition("/")[2]), found=reason, expected="a file name in ASCII letters")
    if not content:
        yield Fault(where=name.rpartition("/")[2], found="an empty file", expected="the correction in words")
    if original is not None and original not in corrected.subjects:
        known = ", ".join(map(quoted, sorted(corrected.subjects)))
        yield Fault(where=corrected.name, found=f"it binds no file {quoted(original)}", expected=f"one of {known}")
