"""The history of a study in words, from its receipts alone (paper appendix E)."""

from collections.abc import Iterator
from typing import NamedTuple

from multiverse.errors import Fault, NotFrozenError, printable
from multiverse.receipts.chain import Chain, read_chain
from multiverse.verify import Receipt


class Event(NamedTuple):
    """A receipt in words."""

    seq: int
    claimed_at: str  # UTC
    stage: str
    event: str


def timeline(chain: Chain) -> list[Event]:
    """Every receipt of a chain in words, first to last."""
    named = {receipt.digest: receipt for receipt in chain.receipts}
    words = {"freeze": _freeze, "gate": _gate, "run": _run, "correction": _correction}
    events = []
    for receipt in chain.receipts:
        predicate = receipt.predicate
        about = named.get(predicate.get("corrects", ""), receipt)
        stage = f"{version(chain, about)} {receipt.kind}"
        text = printable("; ".join(words[receipt.kind](receipt, named)))
        events.append(Event(receipt.seq, predicate["claimed_at"], stage, text))
    return events


def version(chain: Chain, receipt: Receipt) -> str:
    """The version of a study that a receipt is of: V1 for the first freeze and what is under it; - for a correction."""
    digests = [freeze.digest for freeze in chain.freezes]
    own = receipt.predicate.get("freeze", receipt.digest)
    return f"V{digests.index(own) + 1}" if own in digests else "-"


def study_timeline(study: str) -> list[Event]:
    """The history of a study by its name; NotFrozenError where it has none."""
    chain = read_chain(study)
    if not chain.receipts:
        expected = "a study that was frozen"
        raise NotFrozenError([Fault(where=str(chain.folder), found="no receipt", expected=expected)])
    return timeline(chain)


def _freeze(receipt: Receipt, named: dict[str, Receipt]) -> Iterator[str]:
    predicate = receipt.predicate
    allowed, access = predicate["admissibility"], predicate["access"]
    data = len(predicate["inputs"])
    yield f"{len(predicate['specs'])} spec files and {data} data file{'s' * (data != 1)} frozen"
    stage, custody = (access[key].replace("_", " ") for key in ("data_stage", "outcome_custody"))
    yield f"outcomes: {stage}, custody: {custody}"
    if allowed["parent"] is not None:
        yield f"{allowed['motivation']}, in the place of {named[allowed['parent']].seq:04d}: {allowed['reason']}"


def _gate(receipt: Receipt, named: dict[str, Receipt]) -> Iterator[str]:
    predicate = receipt.predicate
    yield f"prediction-free {predicate['verdict']}"
    for gate in predicate["gates"]:
        unit = gate["unit"].removesuffix("s") if gate["count"] == 1 else gate["unit"]
        yield f"{gate['id']}: {gate['count']} {unit} of at least {gate['at_least']}, {gate['verdict']}"
    if predicate["verdict"] == "NO_GO":
        yield "scoring stopped and the failed gate preserved"


def _run(receipt: Receipt, named: dict[str, Receipt]) -> Iterator[str]:
    predicate = receipt.predicate
    specs = predicate["reported"]["specs"]
    yield f"family {predicate['family']} reported over {specs} specification{'s' * (specs != 1)}"
    if predicate["status"] == "exploratory":
        changed = len(predicate["changed"])
        yield f"exploratory, with {changed} change{'s' * (changed != 1)} since the freeze"
    else:
        yield f"under {named[predicate['freeze']].seq:04d}, unchanged"


def _correction(receipt: Receipt, named: dict[str, Receipt]) -> Iterator[str]:
    predicate = receipt.predicate
    original = f" ({predicate['original']})" if predicate["original"] else ""
    yield f"addendum to {named[predicate['corrects']].seq:04d}{original}, which is unchanged: {predicate['reason']}"
