"""What the receipts of a study in the working directory say of a record: its run, the history, and Table 3."""

import re
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from multiverse.errors import FaultsError, ReceiptError, printable
from multiverse.identification_record import run_record
from multiverse.receipts.chain import ROOT, Chain, read_chain
from multiverse.reruns import bound_outputs
from multiverse.timeline import Event, timeline
from multiverse.verify import Receipt, sha256

Json: TypeAlias = dict[str, Any]

_UNBOUND = "no receipt binds this record"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)  # of a study; a record may have been tampered with


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """The receipts that bind a record; all is empty where none does, or where they do not verify."""

    run: str = ""  # the path of the receipt of the run that wrote the record
    complete: bool = False  # under a freeze with nothing changed since
    head: str = ""  # the digest of the last receipt
    events: tuple[Event, ...] = ()
    fields: Json = field(default_factory=dict)  # of the identification record: statements by field
    why_none: str = ""  # why there are no fields
    fault: str = ""  # why the receipts do not verify, where they do not


def find_history(record: Json, content: bytes) -> History:
    """The receipts under receipts/ of the study of a record, where the bytes of the record are bound by a run."""
    if not _NAME.fullmatch(record["study"]):
        return History(why_none=_UNBOUND)  # such a study cannot have been frozen
    try:
        chain = read_chain(record["study"])
    except ReceiptError as error:
        return History(why_none="the receipts of the study do not verify", fault=_first(error))
    digest = sha256(content)
    run = next((one for one in reversed(chain.of_kind("run")) if digest in bound_outputs(one).values()), None)
    if run is None:
        return History(why_none=_UNBOUND)
    complete = run.predicate["status"] == "complete"
    fields, why_none = _fields(chain, run, content) if complete else ({}, "the run of this record is exploratory")
    return History(
        run=str(ROOT / chain.study / run.name),
        complete=complete,
        head=chain.receipts[-1].digest,
        events=tuple(timeline(chain)),
        fields=fields,
        why_none=why_none,
    )


def _fields(chain: Chain, run: Receipt, content: bytes) -> tuple[Json, str]:
    """The fields of the identification record, or why there are none."""
    if chain.freezes[-1].digest != run.predicate["freeze"]:
        return {}, "a later freeze has taken the place of that of this record"
    try:
        found = run_record(chain, run, content)
    except FaultsError as error:
        return {}, _first(error)
    return found["fields"], ""


def _first(error: FaultsError) -> str:
    """The first fault in words, and how many more there are."""
    first, more = error.faults[0], len(error.faults) - 1
    return printable(f"{first.where}: {first.found}") + (f" ({more} more)" if more else "")
