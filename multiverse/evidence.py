"""The evidence ledger: every claim that a record makes, its value, the file it stands in, and that file's digest."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from multiverse.errors import printable
from multiverse.receipts.chain import Chain
from multiverse.timeline import timeline, version

Json = dict[str, Any]


class Evidence(NamedTuple):
    """A claim, what it says, and where it stands."""

    claim: str
    value: str
    file: str  # path in an archive
    sha256: str


def ledger(chain: Chain, records: Mapping[str, tuple[bytes, str]]) -> bytes:
    """The text of evidence_ledger.md; `records` holds each record's bytes and digest by its path in the archive."""
    rows = [*_receipt_rows(chain), *(row for path, held in records.items() for row in _record_rows(chain, path, *held))]
    lines = [
        f"# Evidence ledger: {printable(chain.study)}",
        "",
        "Each claim with its exact value, the file that it stands in, and the SHA-256 of that file.",
        "",
        "| claim | value | file | sha256 |",
        "|---|---|---|---|",
        *(f"| {_cell(row.claim)} | {_cell(row.value)} | `{row.file}` | `{row.sha256}` |" for row in rows),
        "",
    ]
    return "\n".join(lines).encode()


def _cell(text: str) -> str:
    return printable(text).replace("|", "\\|")


def _receipt_rows(chain: Chain) -> Iterator[Evidence]:
    for event, receipt in zip(timeline(chain), chain.receipts, strict=True):
        yield Evidence(event.stage, event.event, f"data/receipts/{receipt.name}", receipt.digest)


def _record_rows(chain: Chain, path: str, content: bytes, digest: str) -> Iterator[Evidence]:
    record, name_in_chain = json.loads(content), path.removeprefix("data/")
    run = next(run for run in chain.of_kind("run") if name_in_chain in run.subjects)
    for name, population in record["populations"].items():
        for one in population["identified"]:
            claim = f"{version(chain, run)} family {record['family']}, population {name}: {endpoint_words(one)}"
            yield Evidence(claim, identified_words(one), path, digest)


def endpoint_words(one: Json) -> str:
    """What an entry of `identified` is about."""
    match one["endpoint"]:
        case "margin":
            return f"margin {one['a']} - {one['b']}"
        case "ranking":
            return "ranking"
        case endpoint:
            return f"{endpoint} {one['a']}"


def identified_words(one: Json) -> str:
    """What an entry of `identified` says: the value, or the ends of its range with a witness at each."""
    undefined = f"; {one['undefined']} undefined" if one["undefined"] else ""
    least, greatest = one["min"], one["max"]
    if one["endpoint"] == "ranking":
        words = (
            "point identified"
            if one["point_identified"]
            else f"not identified: {one['count']} weak order{'s' * (one['count'] != 1)}"
        )
    elif least is None:
        words = "undefined"
    elif one["point_identified"]:
        words = f"point identified at {least['exact']}"
    elif one["count"] == 1:
        words = f"not identified: {least['exact']} wherever it is defined"
    else:
        ends = f"from {least['exact']} at {least['spec']} to {greatest['exact']} at {greatest['spec']}"
        words = f"not identified: {one['count']} values{_one_sign(least['value'], greatest['value'])} {ends}"
    return words + undefined


def _one_sign(least: float, greatest: float) -> str:
    return ", all negative," if greatest < 0 else ", all positive," if least > 0 else ""
