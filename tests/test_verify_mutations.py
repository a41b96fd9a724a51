"""Whatever is changed in a good archive is a fault, never a crash, under the oldest and the newest Python."""

import copy
import json
import os
import random
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

import attacks
from attacks import CORRECTION, FREEZE, GATE, MANIFEST, RUN, Draft, Files, Json, good, sealed, write_folder, write_zip

DEEP = os.environ.get("HYPOTHESIS_PROFILE") == "deep"
PYTHONS = ("here", "3.8", "3.13")
Edits: TypeAlias = list[Json]  # as verify_worker.py takes them
Answer: TypeAlias = tuple[int | None, str]  # the exit code, and the first line; or what was raised

WORKER = Path(__file__).with_name("verify_worker.py")


class Archive(NamedTuple):
    """A small good archive: the verifier that it brings is a short one."""

    folder: Path
    zip: Path
    files: Files


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    folder = tmp_path_factory.mktemp("small")
    files = small_files()
    return Archive(write_folder(files, folder / "folder"), write_zip(files, folder / "small.zip"), files)


@cache
def small_files() -> Files:
    return sealed({**good().files, "verify.py": b"pass\n"})


def answers(archive: Archive, tasks: Sequence[Edits], version: str, tmp_path: Path) -> list[Answer]:
    """What the verifier says of each changed archive, under one Python."""
    python = attacks.interpreters()[version]
    if python is None:
        pytest.skip(f"there is no Python {version}")
    jobs = tmp_path / "jobs.json"
    jobs.write_text(json.dumps({"folder": str(archive.folder), "zip": str(archive.zip), "tasks": list(tasks)}))
    command = [python, "-I", str(WORKER), str(attacks.VERIFIER), str(jobs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60 + len(tasks))
    assert done.returncode == 0, done.stderr
    found = [(code, line) for code, line in json.loads(done.stdout)]
    assert len(found) == len(tasks)
    return found


def uncaught(tasks: Iterable[object], found: Iterable[Answer]) -> list[str]:
    """The changes that were not called a fault, with what was said instead."""
    both = zip(tasks, found, strict=True)
    return [f"{str(task)[:200]}: {answer}" for task, answer in both if answer[0] != 1]


# --------------------------------------------------------------------------------------------------- files of a folder


def folder_edits(files: Files, dice: random.Random) -> Edits:
    """One change of one file or two: a bit, an end cut off, a file gone, under another name, new, or swapped."""
    path, other = dice.sample(sorted(files), 2)
    content = files[path]
    match dice.choice(["flip", "flip", "flip", "cut", "insert", "delete", "rename", "add", "swap"]):
        case "flip" if content:
            at = dice.randrange(len(content))
            changed = content[:at] + bytes([content[at] ^ 1 << dice.randrange(8)]) + content[at + 1 :]
            return [[path, changed.hex()]]
        case "cut" if content:
            return [[path, content[: dice.randrange(len(content))].hex()]]
        case "insert":
            at = dice.randrange(len(content) + 1)
            return [[path, (content[:at] + dice.randbytes(dice.randint(1, 9)) + content[at:]).hex()]]
        case "rename":
            return [[path, None], [f"{path}x", content.hex()]]
        case "add":
            return [[f"{path}.{dice.randrange(99)}", dice.randbytes(dice.randint(0, 9)).hex()]]
        case "swap" if content != files[other]:
            return [[path, files[other].hex()], [other, content.hex()]]
    return [[path, None]]


@pytest.mark.parametrize("version", PYTHONS)
def test_every_change_of_a_file_is_caught(small: Archive, tmp_path: Path, version: str) -> None:
    """2,000 under each Python; 20,000 in the deep profile."""
    dice = random.Random(f"files {version}")
    tasks = [folder_edits(small.files, dice) for _ in range(20_000 if DEEP else 2_000)]
    found = answers(small, [[], *tasks], version, tmp_path)
    assert found[0][0] == 0
    assert uncaught(tasks, found[1:]) == []


# ------------------------------------------------------------------------------------------------------- bytes of a zip


def bit_flips(content: bytes, places: Iterable[int], dice: random.Random) -> list[Edits]:
    return [[(at, at + 1, bytes([content[at] ^ 1 << dice.randrange(8)]).hex())] for at in places]


def splice(content: bytes, dice: random.Random) -> Edits:
    """A piece put elsewhere, left out or made up, or the end cut off."""
    start, end = sorted(dice.choices(range(len(content)), k=2))
    length = dice.choice([1, 2, 22, 46, 300])
    match dice.choice(["cut", "drop", "copy", "noise", "front"]):
        case "cut":
            return [(end, len(content), "")]
        case "drop":
            return [(start, start + length, "")]
        case "copy":
            return [(end, end, content[start : start + length].hex())]
        case "noise":
            return [(start, start + length, dice.randbytes(length).hex())]
    return [(0, 0, dice.randbytes(length).hex())]


@pytest.mark.parametrize("version", PYTHONS)
def test_every_flipped_bit_and_splice_of_a_zip_is_caught(small: Archive, tmp_path: Path, version: str) -> None:
    """Every header byte is fixed and every other one hashed; the deep profile flips a bit of each byte there is."""
    dice = random.Random(f"zip {version}")
    content = small.zip.read_bytes()
    directory = content.index(b"PK\x01\x02")
    everywhere = range(len(content))
    places = (
        list(everywhere) if DEEP else [*dice.sample(everywhere, 500), *dice.sample(range(directory, len(content)), 200)]
    )
    tasks = [*bit_flips(content, places, dice), *(splice(content, dice) for _ in range(4_000 if DEEP else 250))]
    tasks = [task for task in tasks if changed(content, task) != content]
    found = answers(small, tasks, version, tmp_path)
    assert uncaught(tasks, found) == []


def changed(content: bytes, edits: Edits) -> bytes:
    for start, end, new in edits:
        content = content[:start] + bytes.fromhex(new) + content[end:]
    return content


# ------------------------------------------------------------------------------------- documents, all sealed above them

FAMILIES = "data/frozen/families.json"
ALL = "every receipt"

Keys: TypeAlias = tuple[str | int, ...]


class Mutation(NamedTuple):
    """A change of one field: where, and of what kind."""

    document: str
    keys: Keys
    kind: str

    @property
    def field(self) -> str:
        """The field without the numbers of list items."""
        return ".".join("*" if isinstance(key, int) else key for key in self.keys)


def other_value(value: Json) -> Json:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return ("1" if value[:1] == "0" else "0") + value[1:]
    return value


def one_more(value: Json) -> Json:
    """A list or object with one thing more; text with a character more."""
    if isinstance(value, dict):
        return {**value, "zzz": 1}
    if isinstance(value, list):
        return [*value, value[-1] if value else "x"]
    return value + "x" if isinstance(value, str) else value


DROP = object()
KINDS: Mapping[str, Callable[[Json], Json]] = {
    "dropped": lambda value: DROP,
    "null": lambda value: None,
    "text": lambda value: "x",
    "true": lambda value: True,
    "number": lambda value: 7,
    "float": lambda value: 1.5,
    "negative": lambda value: -1,
    "huge": lambda value: 2**53,
    "long": lambda value: "x" * 100_000,
    "nested": lambda value: attacks.NEST,
    "list of it": lambda value: [value],
    "object": lambda value: {"x": value},
    "empty": lambda value: type(value)() if value is not None else "",
    "surrogate": lambda value: "\ud800",
    "control": lambda value: "\x1b[2J\u202e",
    "other": other_value,
    "one more": one_more,
    "turned round": lambda value: value[::-1] if isinstance(value, list) else value,
}


def places(document: Json, keys: Keys = ()) -> Iterator[Keys]:
    """Every field and item of a document, the whole of it included."""
    yield keys
    items: Iterable[tuple[str | int, Json]] = ()
    if isinstance(document, dict):
        items = document.items()
    elif isinstance(document, list):
        items = list(enumerate(document))[:2]  # two items stand for all
    for key, value in items:
        yield from places(value, (*keys, key))


def documents() -> dict[str, Json]:
    held = {path: json.loads(small_files()[path]) for path in (FREEZE, GATE, RUN, CORRECTION, MANIFEST, FAMILIES)}
    return held | {ALL: held[FREEZE]}


def mutations() -> list[Mutation]:
    return [Mutation(name, keys, kind) for name, held in documents().items() for keys in places(held) for kind in KINDS]


def apply(document: Json, mutation: Mutation) -> Json:
    """The document with the field changed, in place unless it is the whole."""
    change = KINDS[mutation.kind]
    if not mutation.keys:
        return change(copy.deepcopy(document))
    *above, last = mutation.keys
    holder = document
    for key in above:
        holder = holder[key]
    value = change(holder[last])
    if value is DROP:
        del holder[last]
    else:
        holder[last] = value
    return document


def changed_in_place(mutation: Mutation) -> Callable[[Json], None]:
    def change(document: Json) -> None:
        try:
            new = apply(document, mutation)
        except (KeyError, IndexError, TypeError):
            return  # a receipt of another kind does not have the field
        if new is not document and isinstance(document, dict):
            document.clear()
            document.update(new if isinstance(new, dict) else {"": None if new is DROP else new})

    return change


def mutated(mutation: Mutation) -> Files | None:
    """The archive with one field changed and everything above it sealed; None where that changes nothing."""
    draft = Draft(small_files())
    if mutation.document == FAMILIES:
        value = apply(json.loads(draft.files[FAMILIES]), mutation)
        draft.files[FAMILIES] = b"" if value is DROP else attacks.canonical(value)
        files = draft.build()
    else:
        receipts = list(draft.statements) if mutation.document == ALL else [mutation.document]
        files = draft.build(late=dict.fromkeys(receipts, changed_in_place(mutation)))
    return None if files == Draft(small_files()).build() else files


def edits_of(files: Files) -> Edits:
    before = small_files()
    edits: list[list[str | None]] = [[path, None] for path in before.keys() - files.keys()]
    edits += [[path, content.hex()] for path, content in files.items() if before.get(path) != content]
    return sorted(edits, key=str)


# What a receipt, or the list of families, merely claims: fields for which another legal value is a valid archive when
# everything above it is made anew. What every receipt says alike is found out by computing the results again, if at all
_SAID = ("code.record_sha256", "environment.platform", "environment.threads", "git.shallow", "git.submodules", "inputs")
CLAIMS: Mapping[str, frozenset[str]] = {
    FREEZE: frozenset(f"predicate.{name}" for name in (*_SAID, "claimed_at", "git.clean", "git.paths")),
    GATE: frozenset(f"predicate.{name}" for name in (*_SAID, "git", "git.clean", "git.commit", "git.tree")),
    RUN: frozenset(f"predicate.{name}" for name in (*_SAID, "git.status", "out")),
    CORRECTION: frozenset({"predicate.original", "predicate.reason"}),
    MANIFEST: frozenset(),
    FAMILIES: frozenset({"families", "families.*", "families.*.family", "families.*.specs.*"}),  # of one not reported
    ALL: frozenset(
        f"predicate.{name}"
        for name in (
            *_SAID,
            *("claimed_at", "git.clean", "git.paths", "git.status", "inputs.*.source"),
            *("code.files_sha256", "code.version", "environment.duckdb", "environment.python"),
            *("resampling.strata", "specs", "specs.*.meaning_sha256"),
        )
    ),
}
NEVER = frozenset({"float", "negative", "huge", "nested", "list of it", "object", "surrogate"})  # legal in no field


def sampled() -> list[Mutation]:
    """A few hundred mutations; all in the deep profile."""
    whole = mutations()
    return whole if DEEP else random.Random("documents").sample(whole, 300)


@pytest.fixture(scope="module")
def resealed() -> list[tuple[Mutation, Edits]]:
    """Mutations that change something, each as edits of the good folder."""
    made = [(mutation, mutated(mutation)) for mutation in sampled()]
    return [(mutation, edits_of(files)) for mutation, files in made if files is not None]


@pytest.mark.parametrize("version", PYTHONS)
def test_every_break_of_a_schema_is_a_fault_and_what_passes_is_a_claim(
    small: Archive, tmp_path: Path, resealed: list[tuple[Mutation, Edits]], version: str
) -> None:
    """Whatever a field is made to hold, with all above it sealed again; deep: every field, in every way."""
    found = answers(small, [edits for _, edits in resealed], version, tmp_path)
    crashed = [(mutation, line) for (mutation, _), (code, line) in zip(resealed, found, strict=True) if code is None]
    assert crashed == []
    passed = [mutation for (mutation, _), (code, _) in zip(resealed, found, strict=True) if code != 1]
    assert [one for one in passed if one.field not in CLAIMS[one.document] or one.kind in NEVER] == []
    if DEEP:
        claimed = {(document, field) for document, fields in CLAIMS.items() for field in fields}
        assert claimed == {(one.document, one.field) for one in passed}
        assert len(resealed) > 2_000


def test_an_archive_that_is_sealed_again_without_a_change_verifies(small: Archive, tmp_path: Path) -> None:
    """The seal of the tests is right: what is a fault above is so for what was changed."""
    found = answers(small, [[], edits_of(Draft(small_files()).build())], "here", tmp_path)
    assert [code for code, _ in found] == [0, 0]
