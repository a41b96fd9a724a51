"""One append-only chain: it grows by whole receipts, one writer at a time, and any change to it is found."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frozen import (
    FAMILIES,
    FOLDER,
    GO,
    NO_GO,
    STUDY,
    TABLES,
    chain,
    digest,
    files_below,
    frozen,
    names,
    rewrite,
    verified,
    write_explained,
)
from multiverse import verify
from multiverse.archives import archive
from multiverse.declaration import read_declaration
from multiverse.errors import BusyError, GateError, InputError, MultiverseError, NotFrozenError, ReceiptError
from multiverse.receipts.chain import Chain, append, read_chain, writing
from multiverse.receipts.freezing import amend, correct, freeze
from multiverse.runs import judge, run

RECEIPTS = Path("receipts/small")
RESTORE = "receipts as they were written: restore them from a copy or from git"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def three_receipts() -> None:
    """A freeze, an audit under it, and a correction of that."""
    frozen()
    run("small", family="audit")
    Path("note.md").write_text("x\n")
    correct("small", number=2, addendum=Path("note.md"), reason="why")


def test_a_chain_is_empty_before_the_first_freeze() -> None:
    found = read_chain("small")
    assert found == Chain(study="small", folder=RECEIPTS, receipts=())
    assert (found.freezes, found.bound, found.following) == ((), {}, 1)


def test_each_receipt_names_the_one_before_it_by_digest() -> None:
    three_receipts()
    found = chain()
    first, second, third = (json.loads(found.path(one).read_bytes())["predicate"] for one in found.receipts)
    identity = verify.sha256(bytes.fromhex(first["nonce"]))
    assert [one["chain"] for one in (first, second, third)] == [
        {"id": identity, "seq": 1, "prev": None},
        {"id": identity, "seq": 2, "prev": digest(RECEIPTS / "0001-freeze.json")},
        {"id": identity, "seq": 3, "prev": digest(RECEIPTS / "0002-run.json")},
    ]
    assert (found.following, [one.name for one in found.of_kind("correction")]) == (4, ["0003-correction.json"])
    assert found.kept(found.bound["corrections/0003/note.md"]) == b"x\n"


RUN, LAST = RECEIPTS / "0002-run.json", RECEIPTS / "0003-correction.json"


def spaced() -> None:
    rewrite(LAST, '"reason":', '"reason": ')


def renumbered() -> None:
    """The run taken out, and what followed it put in its place."""
    RUN.unlink()
    LAST.rename(RECEIPTS / "0002-correction.json")


def copied() -> None:
    (RECEIPTS / "notes.txt").write_text("x")


CUT = [
    "E-CHAIN prev is {run}, the receipt before it hashes to {freeze} (fork, swap or edit)",
    "E-ORDER does not point to an earlier receipt of this chain",
]


@pytest.mark.parametrize(
    ("change", "file", "faults"),
    [
        (RUN.unlink, LAST.name, ["E-CHAIN expected receipt number 0002 (gap, duplicate or wrong name)", *CUT]),
        (
            renumbered,
            "0002-correction.json",
            [
                "E-CHAIN seq is 3, file name says 2",
                *CUT,
                "E-REWRITE a correction must add a new file and keep the original",
            ],
        ),
        (copied, "notes.txt", ["E-EXTRA no receipt, signature or frozen file"]),
        (spaced, LAST.name, ["E-CANON bytes are not the canonical form (first difference at byte {at})"]),
    ],
)
def test_a_changed_chain_is_refused_with_every_fault(change: Callable[[], None], file: str, faults: list[str]) -> None:
    three_receipts()
    before = {one.kind: one.digest[:16] for one in chain().receipts}
    at = LAST.read_bytes().index(b'"reason":') + len(b'"reason":')
    change()
    with pytest.raises(ReceiptError) as caught:
        read_chain("small")
    remedy = "receipts and nothing else: remove it" if change is copied else RESTORE
    expected = [f"{RECEIPTS / file}: {text.format(**before, at=at)}\n  expected {remedy}" for text in faults]
    assert (str(caught.value), caught.value.exit_code) == ("\n\n".join(expected), 5)


def test_a_copy_that_is_gone_or_changed_is_refused() -> None:
    frozen()
    contracts, families = (chain().bound[f"specs/{name}.yaml"] for name in ("contracts", "families"))
    (RECEIPTS / "files" / contracts).unlink()
    (RECEIPTS / "files" / families).write_bytes(b"x")
    with pytest.raises(ReceiptError) as caught:
        read_chain("small")
    found = verify.sha256(b"x")[:16]
    assert str(caught.value) == (
        f"receipts/small/files/{families}: E-DIGEST sha256 is {found}..., its name says {families[:16]}...\n"
        f"  expected {RESTORE}\n\n"
        f"receipts/small/files/{contracts}: E-MISSING the copy of specs/contracts.yaml that 0001-freeze.json names\n"
        f"  expected {RESTORE}"
    )


def test_the_last_receipt_in_other_words_is_found_by_the_head_alone() -> None:
    three_receipts()
    head = chain().receipts[-1].digest
    assert verify.verify(str(RECEIPTS), verify.Pins(head=head)).exit_code == 0
    rewrite(LAST, '"reason":"why"', '"reason":"because"')
    other = digest(LAST)
    assert verified() == (0, [])
    assert [str(one) for one in verify.verify(str(RECEIPTS), verify.Pins(head=head)).faults] == [
        f"E-PIN receipts: last receipt is {other[:16]}..., you expected {head[:16]}..."
    ]


def test_only_one_writer_holds_a_chain() -> None:
    with writing("small"):
        with pytest.raises(BusyError) as caught, writing("small"):
            pass
        with writing("other"):
            pass
    assert (str(caught.value), caught.value.exit_code) == (
        "another multiverse is writing receipts of small into receipts/small; wait until it has ended",
        1,
    )
    assert list(Path("receipts").iterdir()) == []


@pytest.mark.parametrize("path", ["receipts", "receipts/small/a.zip", "specs/../receipts/x/y"])
def test_nothing_else_is_written_among_the_receipts(path: str) -> None:
    frozen()
    for act in (lambda: archive("small", Path(path)), lambda: run("small", family="audit", out=Path(path))):
        with pytest.raises(InputError) as caught:
            act()
        assert str(caught.value) == (
            f"{path}: among the receipts\n  expected a place outside of receipts/, where nothing but receipts may be"
        )
    assert verified() == (0, [])


def test_what_a_writer_that_was_killed_has_left_is_removed_and_nothing_else() -> None:
    frozen()
    before = files_below(RECEIPTS)
    for name in (".writing-1", "files/.writing-2", f"files/{verify.sha256(b'')}", ".writing-3/x"):
        (RECEIPTS / name).parent.mkdir(exist_ok=True)
        (RECEIPTS / name).write_bytes(b"")
    assert verified() == (0, [])
    with writing("small"):
        assert files_below(RECEIPTS) == before


def test_what_a_first_freeze_that_was_killed_has_left_is_removed_whole() -> None:
    (RECEIPTS / "files").mkdir(parents=True)
    (RECEIPTS / "files" / verify.sha256(b"")).write_bytes(b"")
    with writing("small") as found:
        assert found.receipts == ()
        assert list(RECEIPTS.iterdir()) == []


def test_a_clock_that_runs_behind_stops_a_receipt() -> None:
    frozen()
    Path("note.md").write_text("x")
    held = chain().receipts[0]
    ahead = json.loads(held.content)
    ahead["predicate"]["claimed_at"] = "2999-01-01T00:00:00Z"
    chain().path(held).write_bytes(verify.canonical(ahead))
    with pytest.raises(MultiverseError) as caught:
        correct("small", number=1, addendum=Path("note.md"), reason="why")
    now = str(caught.value)[len("the clock says ") :][: len("2026-01-01T00:00:00Z")]
    assert str(caught.value) == (
        f"the clock says {now}, and the last receipt was written at 2999-01-01T00:00:00Z: set the clock"
    )
    assert names() == ["0001-freeze.json"]


def test_a_receipt_that_would_not_verify_is_not_written() -> None:
    frozen()
    before = files_below(RECEIPTS)
    predicate = {"corrects": "0" * 64, "original": None, "reason": "x", "replacement": "corrections/0002/x"}
    with writing("small") as found, pytest.raises(ReceiptError) as caught:
        append(found, "correction", predicate, {"corrections/0002/x": verify.sha256(b"x")}, {})
    assert str(caught.value) == "0002-correction.json: E-ORDER does not point to an earlier receipt of this chain"
    assert files_below(RECEIPTS) == before


class Story:
    """What a chain should be after commands and changes in any order: the oracle of the property below."""

    def __init__(self) -> None:
        self.comments, self.stratum, self.clusters = 0, 2, 1  # the study as it stands
        self.frozen: tuple[int, int, int] | None = None
        self.stopped = False  # whether this freeze has a NO_GO
        self.receipts: list[str] = []
        self.write()

    @property
    def now(self) -> tuple[int, int, int]:
        return self.comments, self.stratum, self.clusters

    def write(self) -> None:
        write_explained(
            study=STUDY + (GO if self.clusters == 1 else NO_GO),
            files={"families": FAMILIES + "#\n" * self.comments},
            tables={"rows": TABLES["rows"].replace("c2,s2", f"c2,s{self.stratum}")},
        )

    def comment(self) -> None:
        self.comments = 1 - self.comments
        self.write()

    def data(self) -> None:
        self.stratum += 1
        self.write()

    def gates(self) -> None:
        self.clusters = 4 - self.clusters
        self.write()

    def freeze(self) -> None:
        self.does(lambda: freeze(read_declaration(FOLDER)), InputError if self.frozen else None, "freeze")

    def amend(self) -> None:
        error = NotFrozenError if self.frozen is None else InputError if self.frozen == self.now else None
        self.does(lambda: amend(read_declaration(FOLDER), reason="other"), error, "freeze")

    def audit(self) -> None:
        error = NotFrozenError if self.frozen != self.now else None if self.clusters == 1 else GateError
        self.does(lambda: run("small", family="audit"), error, "run")
        if error is GateError and not self.stopped:
            self.receipts.append("gate")
            self.stopped = True

    def exploratory(self) -> None:
        error = None if self.clusters == 1 else GateError
        kinds = ["run"] if self.frozen else []
        self.does(lambda: run("small", family="base", mode="exploratory"), error, *kinds)

    def gate(self) -> None:
        error = NotFrozenError if self.frozen and self.frozen != self.now else None
        self.does(lambda: judge("small"), error, *(["gate"] if self.frozen else []))
        self.stopped |= bool(self.frozen) and error is None and self.clusters != 1

    def correct(self) -> None:
        Path("note.md").write_text(f"{len(self.receipts)}")
        act = lambda: correct("small", number=len(self.receipts), addendum=Path("note.md"), reason="why")  # noqa: E731
        self.does(act, None if self.frozen else NotFrozenError, "correction")

    def does(self, act: Callable[[], object], error: type[MultiverseError] | None, *kinds: str) -> None:
        """Act; receipts of these kinds are added unless it should be refused, with this error."""
        if error is not None:
            with pytest.raises(error):
                act()
            return
        act()
        self.receipts += kinds
        if "freeze" in kinds:
            self.frozen, self.stopped = self.now, False


STEPS = [Story.comment, Story.data, Story.gates, Story.freeze, Story.amend]
STEPS += [Story.audit, Story.exploratory, Story.gate, Story.correct]


@given(st.lists(st.sampled_from(STEPS), max_size=12))
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_commands_and_changes_in_any_order_keep_a_chain_that_verifies(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, steps: list[Callable[[Story], None]]
) -> None:
    """And one that does not verify once any receipt but the last is taken out, the rest renumbered or not."""
    monkeypatch.chdir(tmp_path_factory.mktemp("story"))
    story = Story()
    for step in [Story.freeze, *steps] if len(steps) % 4 else steps:
        step(story)
        assert names() == [f"{n:04d}-{kind}.json" for n, kind in enumerate(story.receipts, 1)]
        assert not story.receipts or verified() == (0, [])
    for number in range(1, len(story.receipts)):
        for renumber in (False, True):
            assert verified(without(number, renumber=renumber))[0] == 1


def without(number: int, *, renumber: bool) -> Path:
    """A copy of the receipts that lacks one."""
    folder = Path(f"without-{number}-{renumber}")
    shutil.copytree(RECEIPTS, folder)
    for receipt in chain().receipts[number - 1 :]:
        (folder / receipt.name).unlink()
        if receipt.seq > number:
            (folder / f"{receipt.seq - renumber:04d}-{receipt.kind}.json").write_bytes(receipt.content)
    return folder
