"""The receipts of a study: one append-only chain of files, each naming the one before by digest (docs/receipts.md)."""

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from multiverse import verify
from multiverse.errors import Fault, InputError, MultiverseError, ReceiptError
from multiverse.locks import locked
from multiverse.output import remove_leftovers, write_new
from multiverse.verify import Receipt, canonical, sha256

ROOT = Path("receipts")
MOST_RECEIPTS = 9999
Json = dict[str, Any]
Kind = Literal["freeze", "gate", "run", "correction"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Chain:
    """The receipts of one study as they stood when they were read; every one verifies."""

    study: str
    folder: Path
    receipts: tuple[Receipt, ...]

    @property
    def freezes(self) -> tuple[Receipt, ...]:
        """The freezes, first to last."""
        return self.of_kind("freeze")

    @property
    def bound(self) -> dict[str, str]:
        """Every file that a receipt binds: digest by name."""
        return {name: digest for receipt in self.receipts for name, digest in receipt.subjects.items()}

    @property
    def following(self) -> int:
        """The number of the next receipt."""
        return len(self.receipts) + 1

    def of_kind(self, kind: Kind) -> tuple[Receipt, ...]:
        """The receipts of one kind, first to last."""
        return tuple(receipt for receipt in self.receipts if receipt.kind == kind)

    def path(self, receipt: Receipt) -> Path:
        """Where a receipt lies."""
        return self.folder / receipt.name

    def kept(self, digest: str) -> bytes:
        """The copy of a bound file that is kept beside the receipts."""
        return (self.folder / verify.STORE / digest).read_bytes()


def read_chain(study: str) -> Chain:
    """The chain of a study, empty before the first freeze; ReceiptError, with every fault, where it does not verify."""
    folder = ROOT / study
    if not any(folder.glob("[0-9]*-*.json")):
        return Chain(study=study, folder=folder, receipts=())
    findings = verify.Findings()
    source = verify.FolderSource(str(folder), findings)
    chain = verify.verify_receipts(source, verify.Pins(), findings)
    faults = [*findings.faults, *findings.unchecked]
    if faults:
        raise ReceiptError(
            Fault(where=str(folder / one.where), found=f"{one.code} {one.text}", expected=_remedy(one.code))
            for one in faults
        )
    return Chain(study=study, folder=folder, receipts=tuple(chain.sound))


def _remedy(code: str) -> str:
    if code == "E-EXTRA":
        return "receipts and nothing else: remove it"
    return "receipts as they were written: restore them from a copy or from git"


def chain_above(study: str) -> Path | None:
    """The receipts of a study in a folder above the working directory, where there are none below it."""
    here = Path.cwd()
    folders = [folder / ROOT / study for folder in here.parents]
    held = [folder for folder in folders if any(folder.glob("[0-9]*-*.json"))]
    return held[0] if held and not any((here / ROOT / study).glob("[0-9]*-*.json")) else None


def check_apart(path: Path) -> None:
    """Raise InputError where something would be written among the receipts, which then would not verify."""
    if ROOT.resolve() in (path.resolve(), *path.resolve().parents):
        expected = f"a place outside of {ROOT}/, where nothing but receipts may be"
        raise InputError([Fault(where=str(path), found="among the receipts", expected=expected)])


@contextmanager
def writing(study: str) -> Iterator[Chain]:
    """The chain of a study, held for this writer alone; BusyError where another holds it."""
    folder = ROOT / study
    made = not folder.exists()
    with locked(folder, f"receipts of {study}"):
        try:
            chain = read_chain(study)
            _remove_leftovers(chain)
            yield chain
        finally:
            if made and not any(folder.iterdir()):
                folder.rmdir()


def append(
    chain: Chain, kind: Kind, predicate: Json, subjects: Mapping[str, str], kept: Mapping[str, bytes]
) -> Receipt:
    """Write the next receipt of a chain that is held for writing, after the files that are to be kept beside it."""
    seq, last = chain.following, chain.receipts[-1] if chain.receipts else None
    nonce = {} if last else {"nonce": os.urandom(32).hex()}
    identity = sha256(bytes.fromhex(nonce["nonce"])) if nonce else chain.receipts[0].predicate["chain"]["id"]
    statement = {
        "_type": verify.STATEMENT,
        "predicateType": verify.PREDICATES.format(kind),
        "predicate": predicate
        | nonce
        | {
            "chain": {"id": identity, "seq": seq, "prev": last.digest if last else None},
            "claimed_at": _now(last),
            "study": chain.study,
        },
        "subject": [{"name": name, "digest": {"sha256": subjects[name]}} for name in sorted(subjects)],
    }
    content = canonical(statement)
    if seq > MOST_RECEIPTS or len(content) > verify.MAX_JSON:
        found = f"receipt {seq}, of {len(content)} bytes for {len(subjects)} files"
        expected = f"at most {MOST_RECEIPTS} receipts of {verify.MAX_JSON} bytes: tables of fewer parts, or a new study"
        raise InputError([Fault(where=str(chain.folder), found=found, expected=expected)])
    receipt = Receipt("", seq, kind, sha256(content), content, statement)
    _check(chain, receipt)
    _keep(chain.folder / verify.STORE, kept)
    write_new(chain.path(receipt), content)
    return receipt


def _check(chain: Chain, receipt: Receipt) -> None:
    """The chain with the new receipt verifies, before it is written."""
    findings = verify.Findings()
    files = [(one.name, one.content) for one in (*chain.receipts, receipt)]
    verify.check_chain(verify.Chain(verify.read_chain(files, findings), findings))
    if findings.faults:
        raise ReceiptError(Fault(where=fault.where, found=f"{fault.code} {fault.text}") for fault in findings.faults)


def _now(last: Receipt | None) -> str:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    earlier = last.predicate["claimed_at"] if last else ""
    if now < earlier:
        raise MultiverseError(f"the clock says {now}, and the last receipt was written at {earlier}: set the clock")
    return now


def _keep(store: Path, kept: Mapping[str, bytes]) -> None:
    """Copies by their digests; the folder of the first ones is there with all of them or not at all."""
    folder = store if store.is_dir() else _aside(store)
    folder.mkdir(exist_ok=True)
    for digest, content in kept.items():
        if not (folder / digest).exists():
            write_new(folder / digest, content)
    if folder is not store:
        folder.rename(store) if kept else folder.rmdir()


def _remove_leftovers(chain: Chain) -> None:
    """Under the lock, what is written aside and copies that no receipt names belong to nobody alive."""
    store, named = chain.folder / verify.STORE, set(chain.bound.values())
    if store.is_dir() and not named:
        store.rename(_aside(store))
    remove_leftovers(chain.folder)
    remove_leftovers(store)
    for path in store.glob("*"):
        if path.name not in named:
            path.unlink()


def _aside(path: Path) -> Path:
    return path.with_name(f"{verify.ASIDE}{secrets.token_hex(8)}")
