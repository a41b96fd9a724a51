"""The ledger of claims: each with its value, the file it stands in, and the digest of that file."""

from pathlib import Path
from typing import Any

import pytest

from frozen import appendix_e, chain, frozen
from multiverse.evidence import endpoint_words, identified_words, ledger
from multiverse.runs import run
from multiverse.verify import sha256


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def cells(content: bytes) -> list[list[str]]:
    """The rows of a ledger, without its head."""
    lines = [line for line in content.decode().splitlines() if line.startswith("| ")]
    return [[cell.strip(" `") for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def test_every_claim_of_a_record_has_its_exact_value_file_and_digest() -> None:
    frozen()
    run("small", family="audit")
    content = Path("results/small/audit/record.json").read_bytes()
    path, digest = "data/results/audit/record.json", sha256(content)
    freeze, audit = chain().receipts
    assert cells(ledger(chain(), {path: (content, digest)})) == [
        [
            "V1 freeze",
            "4 spec files and 3 data files frozen; outcomes: not stated, custody: not stated",
            "data/receipts/0001-freeze.json",
            freeze.digest,
        ],
        [
            "V1 run",
            "family audit reported over 2 specifications; under 0001, unchanged",
            "data/receipts/0002-run.json",
            audit.digest,
        ],
        *(
            [f"V1 family audit, population all: {claim}", value, path, digest]
            for claim, value in [
                ("level a", "not identified: 2 values, all positive, from 1/2 at A1/base to 1 at A0/base"),
                ("level b", "point identified at 1/2"),
                ("margin a - b", "not identified: 2 values from 0 at A1/base to 1/2 at A0/base"),
                ("ranking", "not identified: 2 weak orders"),
                ("effect adoption", "point identified at -1/2"),
            ]
        ),
    ]


def test_claims_of_two_versions_are_told_apart() -> None:
    appendix_e()
    records = {}
    for receipt in chain().of_kind("run"):
        name = next(name for name in receipt.subjects if name.endswith("record.json"))
        records[f"data/{name}"] = (
            (Path(receipt.predicate["out"]) / "record.json").read_bytes(),
            receipt.subjects[name],
        )
    claims = [row[0] for row in cells(ledger(chain(), records)) if row[0].endswith("effect adoption")]
    assert claims == [
        "V2 family audit, population all: effect adoption",
        "V3 family audit, population all: effect adoption",
        "V3 family asym, population all: effect adoption",
    ]


def test_text_of_a_study_cannot_break_the_table() -> None:
    frozen(study="methods: all\npopulations: {'a | b': {}}\n".replace("'", '"'))
    run("small", family="base")
    content = Path("results/small/base/record.json").read_bytes()
    name = "data/results/base/record.json"
    rows = [
        line for line in ledger(chain(), {name: (content, sha256(content))}).decode().splitlines() if "level a" in line
    ]
    start = r"| V1 family base, population a \| b: level a | point identified at 1 | "
    assert rows == [f"{start}`{name}` | `{sha256(content)}` |"]


HALF_DEFINED = "not identified: -1/2 wherever it is defined; 1 undefined"
SEVERAL = "not identified: 2 values"
END = {"exact": "1/2", "value": 0.5, "spec": "A0"}
LOW, HIGH = {"exact": "-1/2", "value": -0.5, "spec": "A1"}, {"exact": "1", "value": 1.0, "spec": "A2"}


@pytest.mark.parametrize(
    ("endpoint", "found", "words"),
    [
        ("level", {"point_identified": True, "min": END, "max": END}, "point identified at 1/2"),
        ("level", {"count": 2, "min": LOW, "max": HIGH}, "not identified: 2 values from -1/2 at A1 to 1 at A2"),
        ("level", {"count": 2, "min": END, "max": HIGH}, f"{SEVERAL}, all positive, from 1/2 at A0 to 1 at A2"),
        ("margin", {"count": 2, "min": LOW, "max": LOW}, f"{SEVERAL}, all negative, from -1/2 at A1 to -1/2 at A1"),
        ("effect", {"count": 1, "min": LOW, "max": LOW, "undefined": 1}, HALF_DEFINED),
        ("effect", {"undefined": 3}, "undefined; 3 undefined"),
        ("ranking", {"point_identified": True}, "point identified"),
        ("ranking", {"count": 5}, "not identified: 5 weak orders"),
        ("ranking", {"count": 1, "undefined": 2}, "not identified: 1 weak order; 2 undefined"),
    ],
)  # fmt: skip
def test_an_identified_set_in_words(endpoint: str, found: dict[str, Any], words: str) -> None:
    nothing = {"point_identified": False, "count": 1, "undefined": 0, "min": None, "max": None}
    assert identified_words({"endpoint": endpoint, **nothing, **found}) == words


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [("level", "level a"), ("margin", "margin a - b"), ("effect", "effect a"), ("ranking", "ranking")],
)
def test_an_endpoint_in_words(endpoint: str, words: str) -> None:
    assert endpoint_words({"endpoint": endpoint, "a": "a", "b": "b"}) == words
