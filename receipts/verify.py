#!/usr/bin/env python3
"""Verify a multiverse archive or a folder of receipts with nothing but this file and Python 3.8 or newer.

    python3 -I verify.py ARCHIVE.zip        an archive, or the folder it was unpacked into
    python3 -I verify.py receipts/STUDY     a chain of receipts; --specs compares spec files with the frozen ones

Exit codes: 0 verified, 1 does not verify, 2 could not check. Nothing is extracted, written or run from what is
checked (ssh-keygen is run, on a receipt and its signature, where --allowed-signers is given). Get this file, and its
SHA-256, from somewhere else than the archive: a forged archive brings a forged verifier.
"""

from __future__ import annotations

import argparse
import errno
import hashlib
import io
import json
import os
import re
import stat
import struct
import subprocess
import sys
import tempfile
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from itertools import islice
from re import Pattern
from typing import Any, BinaryIO, Dict, NamedTuple, NoReturn

FORMAT = "multiverse.archive/1"
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATES = "https://multiverse.dev/{}/v1"
KINDS = ("freeze", "gate", "run", "correction")
CONTROL = "post-hoc motivated, prospectively frozen"
MAX_JSON = 4 * 2**20  # of a manifest or receipt
MAX_RECORD = 2**26  # of a record or a list of families
MAX_LEDGER = 2**24
MAX_OBJECT = 2**24  # of a git commit or tree
MAX_TREES = 2**24  # of the git trees that are kept once read
MAX_PARSED = 2**28  # of all that are read
MAX_STEPS = 2**20  # between commits
MAX_FINDINGS = 1000  # that are told; others are counted
MAX_INTEGER = 2**53 - 1
CHUNK = 2**20
RECEIPT_NAME = re.compile(r"([0-9]{4})-([a-z]+)\.json")
MAX_RECEIPTS = 9999  # of a chain: a receipt is numbered with four digits
STORE = "files"
ASIDE = ".writing-"  # what a writer that was killed leaves behind

Json = Any
Object = Dict[str, Any]


# ---------------------------------------------------------------------------------------------------------- findings


class Finding(NamedTuple):
    """One thing found: a code, where, and a plain reason."""

    code: str
    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.code} {plain(clipped(self.where))}: {plain(clipped(self.text))}"


class Findings:
    """What a verification finds: faults, what could not be checked, warnings, and what is shown or only claimed."""

    def __init__(self) -> None:
        self.faults: list[Finding] = []
        self.unchecked: list[Finding] = []
        self.warnings: list[Finding] = []
        self.untold = 0  # findings beyond those that are told
        self.count = 0  # of all faults, told or not
        self.shown: list[str] = []
        self.claimed: list[str] = []
        self.archive = ""  # SHA-256 of MANIFEST.json
        self.study = ""
        self.head = ""  # SHA-256 of the last receipt

    def fault(self, code: str, where: str, text: str) -> None:
        """Note something that does not verify."""
        self.count += 1
        self._note(self.faults, Finding(code, where, text))

    def cannot(self, code: str, where: str, text: str) -> None:
        """Note something of which nothing could be concluded."""
        self._note(self.unchecked, Finding(code, where, text))

    def warn(self, code: str, where: str, text: str) -> None:
        """Note something that a reader should know and that is no fault."""
        self._note(self.warnings, Finding(code, where, text))

    def _note(self, found: list[Finding], finding: Finding) -> None:
        if len(found) < MAX_FINDINGS:
            found.append(finding)
        else:
            self.untold += 1

    @property
    def exit_code(self) -> int:
        """0 verified, 1 does not verify, 2 could not check."""
        return 1 if self.faults else 2 if self.unchecked else 0


def plain(text: str) -> str:
    """Text that cannot move a terminal's cursor: ASCII, with everything else escaped."""
    return "".join(c if " " <= c <= "~" and c != "\\" else ascii(c)[1:-1] for c in text)


def clipped(text: str) -> str:
    """Text cut to a length that a line of output can have."""
    return text if len(text) <= 500 else f"{text[:480]}... ({len(text)} characters)"


def told(text: str) -> str:
    """Free text as a line of output has it: one line without runs of blanks, which could look like other lines."""
    squeezed = " ".join(text.split())
    return squeezed if len(squeezed) <= 200 else f"{squeezed[:180]}... ({len(text)} characters)"


def counted(number: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{number} {noun}{'s' * (number != 1)}"


def short(digest: str) -> str:
    """The start of a digest."""
    return digest[:16] + "..." if len(digest) > 16 else digest


# ----------------------------------------------------------------------------------------------------- canonical JSON


class NotCanonical(ValueError):
    """A number, key or object that has no canonical form."""


def canonical(value: Json) -> bytes:
    """The bytes of a document: keys sorted, no spaces, UTF-8; on integers and ASCII keys the same as RFC 8785."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode("utf-8")


def sha256(content: bytes) -> str:
    """The SHA-256 of bytes, in lower-case hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _integer(text: str) -> int:
    if len(text) > 17 or abs(int(text)) > MAX_INTEGER:
        raise NotCanonical("integer outside +-(2^53-1)")
    return int(text)


def _no_float(text: str) -> NoReturn:
    raise NotCanonical(f"non-integer number {text[:40]}")


def _unique(pairs: list[tuple[str, Json]]) -> Object:
    seen: Object = {}
    for key, value in pairs:
        if key in seen:
            raise NotCanonical(f"duplicate key {key[:80]}")
        seen[key] = value
    return seen


def _ascii_keys(pairs: list[tuple[str, Json]]) -> Object:
    for key, _ in pairs:
        if not all(" " <= c <= "~" for c in key):
            raise NotCanonical(f"key {key[:80]} is not ASCII")
    return _unique(pairs)


def _number(text: str) -> int | str:
    return int(text) if len(text) <= 17 else text  # of what is compared, a seed alone may be larger


_STRICT = json.JSONDecoder(
    object_pairs_hook=_ascii_keys, parse_int=_integer, parse_float=_no_float, parse_constant=_no_float
)
_LENIENT = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_number, parse_float=str, parse_constant=_no_float)


def parse_canonical(content: bytes, where: str, findings: Findings, limit: int = MAX_JSON) -> Json:
    """The value of canonical bytes; None, with a fault, where they are not the canonical form of anything."""
    value = _parsed(content, where, findings, _STRICT, limit)
    if value is None:
        return None
    try:
        expected = canonical(value)
    except (UnicodeEncodeError, RecursionError) as error:
        findings.fault("E-JSON", where, f"not UTF-8 or a lone surrogate ({error.__class__.__name__})")
        return None
    if expected == content:
        return value
    pairs = zip(expected, content)
    first = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(expected), len(content)))
    findings.fault("E-CANON", where, f"bytes are not the canonical form (first difference at byte {first})")
    return None


def _parsed(content: bytes, where: str, findings: Findings, decoder: json.JSONDecoder, limit: int) -> Json:
    if not content:
        findings.fault("E-EMPTY", where, "file has zero bytes")
    elif len(content) > limit:
        findings.fault("E-LIMIT", where, f"larger than {limit} bytes")
    elif content.startswith(b"\xef\xbb\xbf"):
        findings.fault("E-JSON", where, "starts with a byte-order mark")
    else:
        try:
            value = decoder.decode(content.decode("utf-8"))
            if value is None:
                findings.fault("E-SCHEMA", where, "holds null")
            return value
        except UnicodeDecodeError as error:
            findings.fault("E-JSON", where, f"not UTF-8 or a lone surrogate ({error.reason})")
        except RecursionError:
            findings.fault("E-JSON", where, "nested too deeply")
        except ValueError as error:  # JSONDecodeError and NotCanonical among them
            findings.fault("E-JSON", where, str(error))
    return None


# ------------------------------------------------------------------------------------------------------------- schemas


class Maybe(NamedTuple):
    """Null, or a value of a kind."""

    kind: Any


class Each(NamedTuple):
    """A list of values of a kind."""

    kind: Any


HEX = re.compile(r"[0-9a-f]{64}")
OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
TIME = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z")
WORDS = re.compile(r"[^\x00-\x1f]+")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")  # of a study or family: it names folders
NUMBER = re.compile(r"0|[1-9][0-9]*")
_REASONS = {HEX: ("E-HEX", "not 64 lowercase hex digits"), TIME: ("E-TIME", "is not YYYY-MM-DDThh:mm:ssZ")}

DATA_STAGES = (
    "before_creation", "before_observation", "before_access", "before_analysis", "after_analysis", "not_stated",
)  # fmt: skip
CUSTODIES = ("operator", "third_party", "public", "nobody", "not_stated")
MOTIVATIONS = ("prospective", CONTROL)
WITHHELD = ("private", "superseded", "exploratory")
AWAITED = ("before_creation", "before_access")  # stages at which there are no answers to freeze
ANSWERS = ("predictions", "outcomes")  # the tables that hold them
TABLES = ("rows", "objects", *ANSWERS)

_CHAIN = {"id": HEX, "seq": int, "prev": Maybe(HEX)}
_CODE = {"version": WORDS, "files_sha256": HEX, "record_sha256": Maybe(HEX)}
_ENVIRONMENT = {
    "python": WORDS,
    "platform": WORDS,
    "duckdb": WORDS,
    "threads": int,
    "packages": Each(WORDS),
    "packages_sha256": HEX,
}
_LOCK = Maybe({"name": WORDS, "sha256": HEX})
_GIT = Maybe(
    {
        "commit": Maybe(OBJECT_ID),
        "tree": Maybe(OBJECT_ID),
        "object_format": frozenset(("sha1", "sha256")),
        "shallow": bool,
        "clean": bool,
        "status": str,
        "submodules": Each(WORDS),
        "paths": Each({"name": WORDS, "path": WORDS}),
    }
)
_RESAMPLING = Maybe(
    {
        "draws": int,
        "generator": frozenset(("PCG64",)),
        "interval": frozenset(("drawn", "exact")),
        "level": WORDS,
        "method": frozenset(("percentile", "bca", "none")),
        "seed": NUMBER,
        "strata": Maybe(WORDS),
        "unit": frozenset(("cluster", "row")),
    }
)
_VERDICT = frozenset(("GO", "NO_GO"))
_GATES = Each({"id": WORDS, "population": WORDS, "unit": WORDS, "count": int, "at_least": int, "verdict": _VERDICT})
_SEEN = {
    "code": _CODE,
    "environment": _ENVIRONMENT,
    "git": _GIT,
    "lock": _LOCK,
    "specs": Each({"id": WORDS, "path": WORDS, "meaning_sha256": HEX}),
    "inputs": Each({"table": frozenset(TABLES), "path": WORDS, "source": str}),
}
_ANY = {"chain": _CHAIN, "claimed_at": TIME, "study": NAME, "nonce?": HEX}


def _predicate(*parts: Object) -> Object:
    return {key: kind for part in (_ANY, *parts) for key, kind in part.items()}


PREDICATE_FIELDS = {
    "freeze": _predicate(
        _SEEN,
        {
            "access": {"data_stage": frozenset(DATA_STAGES), "outcome_custody": frozenset(CUSTODIES)},
            "admissibility": {
                "jointly_frozen": bool,
                "motivation": frozenset(MOTIVATIONS),
                "parent": Maybe(HEX),
                "reason": Maybe(WORDS),
            },
            "families": WORDS,
            "gates": Each({"id": WORDS, "at_least": int}),
            "methods": Maybe(Each(WORDS)),
            "resampling": _RESAMPLING,
        },
    ),
    "gate": _predicate(_SEEN, {"freeze": HEX, "gates": _GATES, "verdict": _VERDICT}),
    "run": _predicate(
        _SEEN,
        {
            "changed": Each(WORDS),
            "family": NAME,
            "freeze": HEX,
            "gates": _GATES,
            "methods": Maybe(Each(WORDS)),
            "out": WORDS,
            "reported": {"specs": int, "sha256": HEX},
            "resampling": _RESAMPLING,
            "status": frozenset(("complete", "exploratory")),
        },
    ),
    "correction": _predicate({"corrects": HEX, "original": Maybe(WORDS), "reason": WORDS, "replacement": WORDS}),
}
_STATEMENT_FIELDS = {"_type": str, "predicateType": str, "predicate": dict, "subject": list}
_MANIFEST_FIELDS = {
    "algorithm": str,
    "chain": {"head": HEX, "id": HEX, "length": int},
    "files": Each({"path": str, "sha256": HEX, "size": int}),
    "format": str,
    "study": NAME,
    "withheld": Each({"path": str, "reason": frozenset(WITHHELD), "sha256": HEX}),
}
FAMILIES_FIELDS = {"families": Each({"family": NAME, "specs": Each(WORDS)})}


def schema_faults(value: Json, kind: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The faults of a value against a closed schema: code and text."""
    if isinstance(kind, Maybe):
        if value is not None:
            yield from schema_faults(value, kind.kind, name)
    elif isinstance(kind, (frozenset, Pattern)):
        yield from _text_faults(value, kind, name)
    elif isinstance(kind, Each):
        if not isinstance(value, list):
            yield "E-SCHEMA", f"field {name} has the wrong type"
            return
        for i, item in enumerate(value):
            yield from schema_faults(item, kind.kind, f"{name}[{i}]")
    elif isinstance(kind, dict):
        yield from _field_faults(value, kind, name)
    elif not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        yield "E-SCHEMA", f"field {name} has the wrong type"
    elif kind is int and value < 0:
        yield "E-SCHEMA", f"field {name} is negative"


def _text_faults(value: Json, kind: Any, name: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, str):
        yield "E-SCHEMA", f"field {name} has the wrong type"
    elif isinstance(kind, frozenset):
        if value not in kind:
            yield "E-SCHEMA", "unknown {} {}".format(name.rpartition(".")[2], value[:80])
    elif not kind.fullmatch(value):
        code, reason = _REASONS.get(kind, ("E-SCHEMA", "is not of the expected form"))
        if kind is OBJECT_ID:
            code, reason = "E-HEX", "not 40 lowercase hex digits"
        yield code, f"{name} {reason}: {value[:80]}"
    elif kind is TIME and not _on_calendar(value):
        yield "E-TIME", f"{name} is on no calendar: {value}"


def _on_calendar(time: str) -> bool:
    """Whether the day of a time in the one form is there."""
    try:
        return bool(date(*map(int, time[:10].split("-"))))
    except ValueError:
        return False


def _field_faults(value: Json, fields: Object, name: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        yield "E-SCHEMA", f"field {name} has the wrong type" if name else "is not an object"
        return
    at = name + "." if name else ""
    known = {key.rstrip("?"): kind for key, kind in fields.items()}
    for key in sorted(set(value) - set(known)):
        yield "E-SCHEMA", f"unknown field {at}{key}"
    for key, kind in fields.items():
        if key.rstrip("?") in value:
            yield from schema_faults(value[key.rstrip("?")], kind, at + key.rstrip("?"))
        elif not key.endswith("?"):
            yield "E-SCHEMA", f"missing field {at}{key}"


# --------------------------------------------------------------------------------------------------------------- paths

_DEVICES = frozenset(["con", "prn", "aux", "nul"] + [d + str(i) for d in ("com", "lpt") for i in range(1, 10)])
_PART = re.compile(r"[A-Za-z0-9._-]+")
MAX_PATH = 240  # what Windows and every file system take, with some room for the folder around it


def path_fault(path: str) -> str | None:
    """Why a path cannot be in an archive: it must name the same file on every system, below the archive's root."""
    if len(path) > 255 or path.startswith("/"):
        return "absolute path" if len(path) <= 255 else "name too long"
    if "\\" in path or re.match(r"[A-Za-z]:", path):
        return "backslash or drive letter"
    if any(ord(c) > 126 for c in path):
        return "non-ASCII character"
    parts = path.split("/")
    if any(part in (".", "..") for part in parts):
        return "'.' or '..' component"
    if not all(_PART.fullmatch(part) for part in parts):
        return "empty component or forbidden character"
    if len(path) > MAX_PATH:
        return f"longer than {MAX_PATH} characters"
    if any(part.endswith(".") or part.partition(".")[0].lower() in _DEVICES for part in parts):
        return "name not portable to Windows"
    return None


def case_clashes(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Paths, or folders of paths, that differ only in letter case, each with the earlier of the two."""
    seen: dict[str, str] = {}
    for path in sorted(paths):
        parts = path.split("/")
        for n in range(1, len(parts) + 1):
            whole = "/".join(parts[:n])
            first = seen.setdefault(whole.lower(), whole)
            if first != whole:
                yield whole, first


# ----------------------------------------------------------------------------------------------------------------- zip

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_DAY = 0x21  # 1980-01-01
MAX_ENTRIES = 0xFFFF - 1
MAX_SIZE = 2**32 - 2
MAX_DIRECTORY = 2**25


class ZipEntry(NamedTuple):
    """A stored file of a zip archive: its name, checksum, size, and where its local header starts."""

    name: bytes
    crc: int
    size: int
    offset: int

    @property
    def local(self) -> bytes:
        """The local header, in the one form allowed: stored, 1980-01-01, no extra field."""
        sizes = (self.crc, self.size, self.size, len(self.name), 0)
        return _LOCAL.pack(b"PK\x03\x04", 20, 0, 0, 0, _DAY, *sizes) + self.name

    @property
    def central(self) -> bytes:
        """The entry of the directory, in the one form allowed: a regular file of mode 0644 made on Unix."""
        sizes = (self.crc, self.size, self.size, len(self.name), 0, 0, 0, 0, 0o100644 << 16, self.offset)
        return _CENTRAL.pack(b"PK\x01\x02", (3 << 8) | 20, 20, 0, 0, 0, _DAY, *sizes) + self.name


def end_record(entries: int, size: int, offset: int) -> bytes:
    """The last 22 bytes of an archive: a directory of `entries` in `size` bytes at `offset`."""
    return _END.pack(b"PK\x05\x06", 0, 0, entries, entries, size, offset, 0)


# ------------------------------------------------------------------------------------------------ what is to be checked


class Source:
    """Files by path, read once: the buffer that is hashed is the buffer that is parsed."""

    name = ""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.paths: list[str] = []
        self.unread: list[str] = []  # folders that could not be listed
        self._held: frozenset[str] = frozenset()
        self._digests: dict[str, tuple[int, str] | None] = {}

    def has(self, path: str) -> bool:
        """Whether there is a file at a path."""
        if len(self._held) != len(self.paths):
            self._held = frozenset(self.paths)
        return path in self._held

    def size(self, path: str) -> int | None:
        """The size of a file where it can be told without reading it."""
        return None

    def chunks(self, path: str) -> Iterator[bytes]:
        """The bytes of a file in pieces."""
        raise NotImplementedError

    def digest(self, path: str) -> tuple[int, str] | None:
        """The size and SHA-256 of a file; None, with a finding, where it cannot be read."""
        if path not in self._digests:
            self._read(path, 0)
        return self._digests[path]

    def content(self, path: str, limit: int = MAX_JSON) -> bytes | None:
        """The bytes of a file; None, with a finding, where it cannot be read or is larger than the limit."""
        too_large = (self.size(path) or 0) > limit
        content = None if too_large else self._read(path, limit + 1)
        if too_large or (content is not None and len(content) > limit):
            self.findings.fault("E-LIMIT", path, f"larger than {limit} bytes")
            return None
        return content

    def _read(self, path: str, keep: int) -> bytes | None:
        hashed, size, kept = hashlib.sha256(), 0, bytearray()
        try:
            for chunk in self.chunks(path):
                hashed.update(chunk)
                size += len(chunk)
                kept += chunk[: max(0, keep - len(kept))]
        except PermissionError:
            text = "permission denied (nothing was concluded about this file)"
            self.findings.cannot("X-PERM", path, text)
        except OSError as error:
            self.findings.cannot("X-IO", path, str(error))
        except NotCanonical as error:
            code, _, text = str(error).partition(" ")
            self.findings.fault(code, path, text)
        else:
            known = self._digests.setdefault(path, (size, hashed.hexdigest()))
            if known is not None and known != (size, hashed.hexdigest()):
                self.findings.fault("E-RACE", path, "changed while being read")
            return bytes(kept)
        self._digests.setdefault(path, None)
        return None


_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # never waits for a pipe


class FolderSource(Source):
    """A folder on disk; links and special files are faults and are never opened."""

    def __init__(self, folder: str, findings: Findings) -> None:
        super().__init__(findings)
        self.name = folder
        self._walk(folder, "", 0)
        self.paths.sort()

    def _walk(self, folder: str, prefix: str, depth: int) -> None:
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            self.findings.cannot("X-IO", prefix or folder, str(error.strerror))
            self.unread.append(prefix)
            return
        if prefix and not entries and not prefix.startswith(ASIDE):
            self.findings.fault("E-EXTRA", prefix.rstrip("/"), "empty directory")
        for entry in entries:
            path = prefix + entry.name
            if entry.is_symlink():
                self.findings.fault("E-SYMLINK", path, "symbolic links are not allowed")
            elif entry.is_dir(follow_symlinks=False):
                if depth > 32:
                    self.findings.fault("E-PATH", path, "folders nested too deeply")
                else:
                    self._walk(entry.path, path + "/", depth + 1)
            elif not entry.is_file(follow_symlinks=False):
                self.findings.fault("E-SPECIAL", path, "not a regular file (fifo, socket or device)")
            else:
                self.paths.append(path)

    def size(self, path: str) -> int | None:
        """The size of a file, without reading it; None where that cannot be told."""
        try:
            return os.stat(self._place(path), follow_symlinks=False).st_size
        except OSError:
            return None  # reading it will say why

    def _place(self, path: str) -> str:
        return os.path.join(self.name, *path.split("/"))

    def chunks(self, path: str) -> Iterator[bytes]:
        """The bytes of a file in pieces; a file that changes meanwhile is a fault."""
        with open(os.open(self._place(path), _READING | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise NotCanonical("E-SPECIAL not a regular file (fifo, socket or device)")
            size = 0
            for chunk in iter(lambda: file.read(CHUNK), b""):
                size += len(chunk)
                if size > before.st_size:  # it may grow for ever
                    break
                yield chunk
            after = os.fstat(file.fileno())
            if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or size != after.st_size:
                raise NotCanonical("E-RACE changed while being read")


class ZipSource(Source):
    """A stored zip archive, read by its directory; every byte of every header is as the one writer makes it."""

    def __init__(self, path: str, findings: Findings) -> None:
        super().__init__(findings)
        self.name = path
        self._entries: dict[str, ZipEntry] = {}
        with self._opened() as file:
            self._state = _state(file)
            directory = self._directory(file)
            if directory is not None:
                self._list(file, *directory)
        self.paths = sorted(self._entries)

    def _opened(self) -> BinaryIO:
        file = open(os.open(self.name, _READING), "rb")  # noqa: SIM115 -- whoever asked for it closes it
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise OSError(errno.EINVAL, "neither a regular file nor a folder")
        return file

    def size(self, path: str) -> int | None:
        """The size of a file, without reading it; None where that cannot be told."""
        return self._entries[path].size

    def _directory(self, file: BinaryIO) -> tuple[int, int, int] | None:
        """The number of entries, and where the directory starts and ends."""
        size = os.fstat(file.fileno()).st_size
        name = os.path.basename(self.name)
        file.seek(max(0, size - _END.size))
        tail = file.read(_END.size)
        if len(tail) < _END.size or tail[:4] != b"PK\x05\x06" or tail[-2:] != b"\0\0":
            text = "does not end with its end record (truncated, comment or trailing bytes)"
            self.findings.fault("E-ZIP", name, text)
            return None
        _, _, _, _, entries, length, offset, _ = _END.unpack(tail)
        fits = 0 < entries <= MAX_ENTRIES and length <= MAX_DIRECTORY and offset <= MAX_SIZE
        if not fits or offset + length + _END.size != size or tail != end_record(entries, length, offset):
            text = "sizes do not add up (prepended or hidden bytes, or unsupported zip64)"
            self.findings.fault("E-ZIP", "end record", text)
            return None
        return entries, offset, offset + length

    def _list(self, file: BinaryIO, entries: int, start: int, end: int) -> None:
        file.seek(start)
        directory = file.read(end - start)
        at, expected, before = 0, 0, b""
        for _ in range(entries):
            if len(directory) - at < _CENTRAL.size or directory[at : at + 4] != b"PK\x01\x02":
                self.findings.fault("E-ZIP", "directory", "ends early or is damaged")
                return
            fields = _CENTRAL.unpack_from(directory, at)
            name = directory[at + _CENTRAL.size : at + _CENTRAL.size + fields[10]]
            length = _CENTRAL.size + sum(fields[10:13])
            entry = ZipEntry(name, fields[7], fields[9], fields[16])
            fixed = entry.offset == expected and _local_agrees(file, entry)
            self._add(entry, directory[at : at + length], fields, before, fixed=fixed)
            at, before = at + length, name
            expected = entry.offset + len(entry.local) + entry.size
        if at != len(directory) or expected != start:
            self.findings.fault("E-ZIP", "directory", "hidden bytes between the files, the directory and the end")

    def _add(self, entry: ZipEntry, central: bytes, fields: tuple[Any, ...], before: bytes, *, fixed: bool) -> None:
        name = entry.name.decode("utf-8", "backslashreplace")
        fault = self.findings.fault
        if b"\0" in entry.name or not entry.name:
            fault("E-ZIP", name, "NUL or separator inside an entry name")
        elif name in self._entries:
            fault("E-ZIPDUP", name, "entry appears twice")
        elif not name.isascii():
            fault("E-PATH", name, "non-ASCII character")
        elif stat.S_IFMT(fields[15] >> 16) not in (stat.S_IFREG, 0):
            fault("E-SYMLINK", name, "entry is a link or special file")
        elif fields[3] or fields[4] or fields[11] or fields[8] != fields[9]:
            fault("E-ZIP", name, "entry is compressed, encrypted or carries extra data")
        elif central != entry.central or not fixed:
            fault("E-ZIP", name, "local header disagrees with the directory or is not in the fixed form")
        else:
            self._entries[name] = entry
            if entry.name < before:
                fault("E-ORDER", name, "entries are not sorted by name")

    def chunks(self, path: str) -> Iterator[bytes]:
        """The bytes of an entry in pieces; a wrong checksum is a fault, and so is a zip that changes meanwhile."""
        entry = self._entries[path]
        with self._opened() as file:
            file.seek(entry.offset + len(entry.local))
            left, crc = entry.size, 0
            while left:
                chunk = file.read(min(CHUNK, left))
                if not chunk:
                    raise NotCanonical("E-ZIP file ends before this entry does")
                left, crc = left - len(chunk), zlib.crc32(chunk, crc)
                yield chunk
            if _state(file) != self._state:
                raise NotCanonical("E-RACE changed while being read")
        if crc != entry.crc:
            raise NotCanonical(f"E-ZIP Bad CRC-32 for file {path!r}")


def _state(file: BinaryIO) -> tuple[int, int, int, int]:
    """What tells whether a file is still the one that was opened before, and as it was."""
    found = os.fstat(file.fileno())
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _local_agrees(file: BinaryIO, entry: ZipEntry) -> bool:
    """Whether the header before an entry's bytes says what the directory does."""
    file.seek(entry.offset)
    return file.read(len(entry.local)) == entry.local


# --------------------------------------------------------------------------------------------------------------- bags

BAGIT = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
MANIFEST = "MANIFEST.json"
TAG_MANIFEST = "tagmanifest-sha256.txt"
TAG_FILES = ("bag-info.txt", "bagit.txt", "evidence_ledger.md", "manifest-sha256.txt", "verify.py")
OPTIONAL_TAG_FILES = ("identification_record.md",)


def bag_info(files: Iterable[Object]) -> bytes:
    """The text of bag-info.txt: bytes and number of the payload files."""
    sizes = [file["size"] for file in files if file["path"].startswith("data/")]
    return f"Bag-Software-Agent: multiverse\nPayload-Oxum: {sum(sizes)}.{len(sizes)}\n".encode()


def bag_manifest(files: Iterable[Object]) -> bytes:
    """The text of a BagIt manifest of some files, in the order given."""
    return "".join("{}  {}\n".format(file["sha256"], file["path"]) for file in files).encode()


def _check_manifest(source: Source, findings: Findings) -> Object | None:
    """MANIFEST.json, and that it lists exactly what is there; None where it cannot be used."""
    if not source.has(MANIFEST):
        findings.fault("E-MISSING", MANIFEST, "not found")
        return None
    content = source.content(MANIFEST)
    if content is None:
        return None
    findings.archive = sha256(content)
    manifest = parse_canonical(content, MANIFEST, findings)
    if manifest is None:
        return None
    faults = list(islice(schema_faults(manifest, _MANIFEST_FIELDS), MAX_FINDINGS))
    for code, text in faults:
        findings.fault(code, _file_named(manifest, text), text)
    if faults:
        return None
    if manifest["algorithm"] != "sha256":
        findings.fault("E-ALG", MANIFEST, "algorithm must be sha256, got {}".format(manifest["algorithm"][:40]))
        return None
    if manifest["format"] != FORMAT:
        text = "format must be {}, got {}: this verifier is for another version".format(FORMAT, manifest["format"][:40])
        findings.fault("E-SCHEMA", MANIFEST, text)
        return None
    if not manifest["files"]:
        findings.fault("E-EMPTY", MANIFEST, "lists no files")
        return None
    return dict(manifest)


def _file_named(manifest: Json, text: str) -> str:
    """The file that a fault of the manifest's list is about, where it names one."""
    found = re.match(r"(?:field )?files\[([0-9]+)\]\.(sha256|size)\b", text)
    if found:
        path = manifest["files"][int(found.group(1))].get("path")
        if isinstance(path, str):
            return path
    return MANIFEST


def _check_files(source: Source, manifest: Object, findings: Findings) -> None:
    """Every listed file is there with its size and digest, and nothing else is."""
    listed = {}
    last = ""
    for file in manifest["files"]:
        path = file["path"]
        if path <= last:
            text = "manifest paths are not strictly increasing (duplicate or unsorted)"
            findings.fault("E-ORDER", path, text)
        last = max(last, path)
        reason = path_fault(path)
        if reason:
            findings.fault("E-PATH", path, reason)
        else:
            listed[path] = file
    free = {MANIFEST, TAG_MANIFEST}
    there = set(source.paths)
    for path in sorted(set(listed) - there):
        if not path.startswith(tuple(source.unread)):
            findings.fault("E-MISSING", path, "listed in MANIFEST.json but not in the archive")
    for path in sorted(there - set(listed) - free):
        findings.fault("E-EXTRA", path, "in the archive but not listed in MANIFEST.json")
    for path in sorted(there & set(listed)):
        _check_file(source, listed[path], findings)
    if TAG_MANIFEST not in there:
        findings.fault("E-MISSING", TAG_MANIFEST, "not found")


def _check_file(source: Source, file: Object, findings: Findings) -> None:
    size = source.size(file["path"])
    if size is not None and size != file["size"]:  # a file that may be endless is not read for this
        findings.fault("E-SIZE", file["path"], "has {} bytes, MANIFEST.json says {}".format(size, file["size"]))
        return
    found = source.digest(file["path"])
    if found is not None and found[1] != file["sha256"]:
        text = "sha256 is {}, MANIFEST.json says {}".format(short(found[1]), short(file["sha256"]))
        findings.fault("E-DIGEST", file["path"], text)


def _check_paths(source: Source, findings: Findings) -> None:
    portable = []  # and so short: what follows looks at every folder of a path
    for path in source.paths:
        reason = path_fault(path)
        if reason:
            findings.fault("E-PATH", path, reason)
        else:
            portable.append(path)
    for path, first in case_clashes(portable):
        findings.fault("E-CASE", path, f"differs only in letter case from {first}")


def _check_bag(source: Source, manifest: Object, findings: Findings) -> None:
    """The files that BagIt asks for say what MANIFEST.json says, byte for byte."""
    files = manifest["files"]
    payload = [file for file in files if file["path"].startswith("data/")]
    tags = [file for file in files if not file["path"].startswith("data/")]
    itself = {"path": MANIFEST, "sha256": findings.archive}
    expected = {
        "bagit.txt": BAGIT,
        "bag-info.txt": bag_info(files),
        "manifest-sha256.txt": bag_manifest(payload),
        TAG_MANIFEST: bag_manifest(sorted([*tags, itself], key=lambda file: file["path"])),
    }
    listed = {file["path"] for file in tags}
    for path in TAG_FILES:
        if path not in listed:
            findings.fault("E-MISSING", path, "not listed in MANIFEST.json")
    for path in sorted(listed - set(TAG_FILES) - set(OPTIONAL_TAG_FILES)):
        findings.fault("E-UNBOUND", path, "no place in an archive's root")
    for path, text in expected.items():
        if source.has(path) and source.content(path, MAX_RECORD) != text:
            findings.fault("E-BAG", path, "is not what MANIFEST.json gives, byte for byte")


# -------------------------------------------------------------------------------------------------------------- chain


class Receipt(NamedTuple):
    """A receipt as read: where, its number and kind, the digest of its bytes, and its statement if it is sound."""

    where: str
    seq: int
    kind: str
    digest: str
    content: bytes
    statement: Object | None

    @property
    def predicate(self) -> Object:
        """What the receipt states; empty where it is not sound."""
        return self.statement["predicate"] if self.statement else {}

    @property
    def subjects(self) -> dict[str, str]:
        """The files it binds: digest by name."""
        found = self.statement["subject"] if self.statement else []
        return {subject["name"]: subject["digest"]["sha256"] for subject in found}

    @property
    def name(self) -> str:
        """Its file name."""
        return f"{self.seq:04d}-{self.kind}.json"


def read_chain(files: Sequence[tuple[str, bytes]], findings: Findings) -> list[Receipt]:
    """The receipts of one chain, given as paths and bytes sorted by path; every fault of form and order is noted."""
    receipts: list[Receipt] = []
    for number, (where, content) in enumerate(files, 1):
        named = RECEIPT_NAME.fullmatch(where.rpartition("/")[2])
        seq, kind = (int(named.group(1)), named.group(2)) if named else (0, "")
        if number > MAX_RECEIPTS:
            findings.fault("E-CHAIN", where, f"a chain holds at most {MAX_RECEIPTS} receipts, and this one is full")
        elif seq != number or kind not in KINDS:
            text = f"expected receipt number {number:04d} (gap, duplicate or wrong name)"
            findings.fault("E-CHAIN", where, text)
        statement = parse_canonical(content, where, findings)
        sound = statement is not None and not _note(findings, where, _statement_faults(statement, kind))
        receipts.append(Receipt(where, seq, kind, sha256(content), content, statement if sound else None))
    for i, receipt in enumerate(receipts):
        if receipt.statement is not None:
            _check_link(receipts[i - 1] if i else None, receipt, receipts[0], findings)
    return receipts


def _note(findings: Findings, where: str, faults: Iterable[tuple[str, str]]) -> int:
    """Note faults of one file; how many there were."""
    before = findings.count
    for code, text in faults:
        findings.fault(code, where, text)
    return findings.count - before


def _statement_faults(statement: Json, kind: str) -> Iterator[tuple[str, str]]:
    faults = list(schema_faults(statement, _STATEMENT_FIELDS))
    if faults:
        yield from faults
        return
    if statement["_type"] != STATEMENT:
        yield "E-SCHEMA", "_type must be {}, got {}".format(STATEMENT, statement["_type"][:80])
    if kind not in KINDS or statement["predicateType"] != PREDICATES.format(kind):
        yield "E-SCHEMA", "predicateType {} does not fit a {} receipt".format(statement["predicateType"][:80], kind)
        return
    yield from schema_faults(statement["predicate"], PREDICATE_FIELDS[kind], "")
    names = []
    for i, subject in enumerate(statement["subject"]):
        faults = list(schema_faults(subject, {"name": WORDS, "digest": dict}, f"subject[{i}]"))
        yield from faults
        if not faults:
            names.append(subject["name"])
            yield from _digest_set_faults(subject)
    if names != sorted(set(names)):
        yield "E-ORDER", "subjects are not strictly increasing by name (duplicate or unsorted)"


def _digest_set_faults(subject: Object) -> Iterator[tuple[str, str]]:
    algorithms = sorted(subject["digest"])
    if algorithms != ["sha256"]:
        yield "E-ALG", "{}: digest set must be exactly sha256, got {}".format(subject["name"], algorithms)
    else:
        yield from schema_faults(subject["digest"]["sha256"], HEX, subject["name"])
    reason = path_fault(subject["name"])
    if reason:
        yield "E-PATH", "{}: {}".format(subject["name"], reason)


def _check_link(before: Receipt | None, receipt: Receipt, first: Receipt, findings: Findings) -> None:
    """One receipt follows the one before it, in the one chain."""
    predicate, where = receipt.predicate, receipt.where
    chain = predicate["chain"]
    if chain["seq"] != receipt.seq:
        findings.fault("E-CHAIN", where, "seq is {}, file name says {}".format(chain["seq"], receipt.seq))
    expected = before.digest if before else None
    if chain["prev"] != expected:
        text = "prev is {}, the receipt before it hashes to {} (fork, swap or edit)"
        got, wanted = (str(digest)[:16] if digest else "null" for digest in (chain["prev"], expected))
        findings.fault("E-CHAIN", where, text.format(got, wanted))
    if ("nonce" in predicate) != (before is None):
        findings.fault("E-REPLAY", where, "a nonce belongs into the first receipt of a chain, and nowhere else")
    elif before is None:
        if chain["id"] != sha256(bytes.fromhex(predicate["nonce"])):
            findings.fault("E-REPLAY", where, "chain id is not the sha256 of this first receipt's nonce")
    elif first.statement is not None and chain["id"] != first.predicate["chain"]["id"]:
        text = "belongs to chain {}, this archive is chain {}"
        ids = chain["id"][:16], first.predicate["chain"]["id"][:16]
        findings.fault("E-REPLAY", where, text.format(*ids))
    if first.statement is not None and predicate["study"] != first.predicate["study"]:
        text = "is of study {}, the first receipt of {}".format(predicate["study"], first.predicate["study"])
        findings.fault("E-REPLAY", where, text)
    if before is not None and before.statement is not None:
        _check_clock(before.predicate["claimed_at"], predicate["claimed_at"], where, findings)


def _check_clock(earlier: str, later: str, where: str, findings: Findings) -> None:
    if later < earlier:
        text = f"claimed_at {later} is earlier than the receipt before it ({earlier})"
        findings.fault("E-TIME", where, text)


class Chain:
    """The sound receipts of a chain, and what the files they name hold."""

    def __init__(self, receipts: Sequence[Receipt], findings: Findings) -> None:
        self.findings = findings
        self.all = list(receipts)
        self.sound = [receipt for receipt in receipts if receipt.statement is not None]
        self.by_digest = {receipt.digest: receipt for receipt in self.sound}
        self._kinds = {kind: [one for one in self.sound if one.kind == kind] for kind in KINDS}
        self.read: set[str] = set()  # digests of the runs whose record was read
        self.families: dict[str, dict[str, Frozen]] = {}  # by the digest of the list
        self._numbers = [freeze.seq for freeze in self._kinds["freeze"]]

    def of_kind(self, kind: str) -> list[Receipt]:
        """The sound receipts of one kind, in order."""
        return self._kinds[kind]

    def freeze_of(self, receipt: Receipt) -> Receipt | None:
        """The freeze that a gate or run names, if it stands before it."""
        found = self.by_digest.get(receipt.predicate["freeze"])
        return found if found and found.kind == "freeze" and found.seq < receipt.seq else None

    def families_of(self, freeze: Receipt) -> dict[str, Frozen] | None:
        """The families of a freeze, where their list is held."""
        return self.families.get(freeze.subjects.get(freeze.predicate["families"], ""))

    def current_freeze(self, seq: int) -> Receipt | None:
        """The last freeze before a receipt's number."""
        count = bisect_left(self._numbers, seq)
        return self._kinds["freeze"][count - 1] if count else None

    def superseded(self, run: Receipt) -> bool:
        """Whether a freeze that came later than a run's own took its place."""
        last = self.of_kind("freeze")[-1:]
        return bool(last) and run.predicate["freeze"] != last[0].digest

    @cached_property
    def counted(self) -> dict[str, Json]:
        """The gates of the runs whose record was read, by their freeze; for when all records were."""
        return {
            run.predicate["freeze"]: run.predicate["gates"] for run in self.of_kind("run") if run.digest in self.read
        }

    @cached_property
    def needed(self) -> frozenset[str]:
        """The files that the last freeze binds, or a gate or complete run under it."""
        last = self.of_kind("freeze")[-1:]
        under = [one for kind in ("gate", "run") for one in self.of_kind(kind) if not self.superseded(one)]
        binding = [one for one in under if one.predicate.get("status") != "exploratory"]
        return frozenset(name for receipt in (*last, *binding) for name in receipt.subjects)

    def refused(self, freeze: Receipt, seq: int) -> str | None:
        """Where a gate before a receipt's number said NO_GO under a freeze."""
        gates = (gate for gate in self.of_kind("gate") if gate.seq < seq and gate.predicate["verdict"] == "NO_GO")
        return next((gate.where for gate in gates if gate.predicate["freeze"] == freeze.digest), None)


def check_chain(chain: Chain) -> None:
    """What the receipts say fits together: bindings, freezes, gates, runs and corrections."""
    bound: dict[str, tuple[str, str]] = {}
    for receipt in chain.sound:
        for name, digest in receipt.subjects.items():
            first, where = bound.setdefault(name, (digest, receipt.where))
            if first != digest:
                text = f"binds {name} to other bytes than {where} did (one path, one digest)"
                chain.findings.fault("E-REWRITE", receipt.where, text)
        _CHECKS[receipt.kind](chain, receipt)


def _check_accounted(chain: Chain, receipt: Receipt) -> None:
    """A receipt binds the files that it speaks of, each in its folder, and no other."""
    predicate, fault = receipt.predicate, chain.findings.fault
    subjects = receipt.subjects
    spoken = {"specs/": predicate["specs"], "inputs/": predicate["inputs"], "frozen/": []}
    if receipt.kind == "freeze":
        spoken["frozen/"] = [{"path": predicate["families"]}]
    known = set()
    for folder, files in spoken.items():
        for path in (file["path"] for file in files):
            if path not in subjects:
                fault("E-SCHEMA", receipt.where, f"{path} is named but is no subject of it")
            elif path in known or not path.startswith(folder):
                fault("E-SUBJECT", receipt.where, f"{path} is named twice or is not in {folder}")
            known.add(path)
    for spec in predicate["specs"]:
        if spec["path"].rpartition("/")[2].rpartition(".")[0] != spec["id"]:
            fault("E-SCHEMA", receipt.where, "spec file {} is not named after {}".format(spec["path"], spec["id"]))
    for one in predicate["inputs"]:
        if not re.fullmatch(_INPUT.format(one["table"]), one["path"]):
            fault("E-SCHEMA", receipt.where, "{} is not named after its table, {}".format(one["path"], one["table"]))
    for name in subjects:
        if name not in known and not (receipt.kind == "run" and name.startswith("results/")):
            fault("E-SUBJECT", receipt.where, f"binds {name}, which it does not speak of")


MAX_GIT_PATH = 4096
_INPUT = r"inputs/(?:[0-9]{{4}}/)?{}(?:/[0-9]{{4,}})?(?:\.[^/]*)?"


def _check_ids(chain: Chain, receipt: Receipt, git: Object) -> None:
    """Ids have the length of the repository's format, and only a receipt with a commit binds files to one."""
    digits = {"sha1": 40, "sha256": 64}[git["object_format"]]
    for key in ("commit", "tree"):
        if git[key] is not None and len(git[key]) != digits:
            text = f"git.{key} not {digits} lowercase hex digits: {git[key]}"
            chain.findings.fault("E-HEX", receipt.where, text)
    for key in ("name", "path"):
        if len({one[key] for one in git["paths"]}) != len(git["paths"]):
            chain.findings.fault("E-GIT", receipt.where, f"git.paths has one {key} twice")
    if any(len(one["path"]) > MAX_GIT_PATH for one in git["paths"]):
        chain.findings.fault("E-GIT", receipt.where, f"git.paths has a path longer than {MAX_GIT_PATH} characters")
    if git["paths"] and (git["commit"] is None or receipt.kind == "gate"):
        text = "binds files to a commit, and names none" if receipt.kind != "gate" else "a gate binds files to a commit"
        chain.findings.fault("E-GIT", receipt.where, text)


def _check_seen(chain: Chain, receipt: Receipt) -> None:
    """What every receipt says of the machine and the work tree."""
    predicate = receipt.predicate
    _check_accounted(chain, receipt)
    packages = "".join(line + "\n" for line in predicate["environment"]["packages"]).encode()
    if sha256(packages) != predicate["environment"]["packages_sha256"]:
        chain.findings.fault("E-SCHEMA", receipt.where, "packages_sha256 is not the sha256 of packages")
    git = predicate["git"]
    if git is not None and git["clean"] and any(not line.startswith("! ") for line in git["status"].splitlines()):
        chain.findings.fault("E-DIRTY", receipt.where, "says clean but records changed files")
    if git is not None:
        _check_ids(chain, receipt, git)
    ignored = [line[2:] for line in git["status"].splitlines() if line.startswith("! ")] if git is not None else []
    if ignored:
        chain.findings.warn("W-DIRTY", receipt.where, f"ignored file {ignored[0]} lay where code or specs are")


def _check_freeze(chain: Chain, receipt: Receipt) -> None:
    predicate, fault = receipt.predicate, chain.findings.fault
    _check_seen(chain, receipt)
    allowed = predicate["admissibility"]
    if not allowed["jointly_frozen"]:
        fault("E-SCHEMA", receipt.where, "the alternatives are not jointly frozen")
    before = chain.current_freeze(receipt.seq)
    parent = before.digest if before else None
    if allowed["parent"] != parent:
        fault("E-ORDER", receipt.where, "parent is not the freeze before it")
    if (allowed["parent"] is not None) != (allowed["motivation"] == CONTROL):
        fault("E-ORDER", receipt.where, "motivation {} does not fit its parent".format(allowed["motivation"]))
    if allowed["parent"] is not None and allowed["reason"] is None:
        fault("E-SCHEMA", receipt.where, "an amendment gives no reason")
    if predicate["git"] is not None and not predicate["git"]["clean"]:
        chain.findings.warn("W-DIRTY", receipt.where, "frozen from a dirty work tree")
    if not predicate["specs"]:
        fault("E-SCHEMA", receipt.where, "freezes no spec file")
    if len({gate["id"] for gate in predicate["gates"]}) != len(predicate["gates"]):
        fault("E-GATE", receipt.where, "names a gate twice")
    late = [one["path"] for one in predicate["inputs"] if one["table"] in ANSWERS]
    if predicate["access"]["data_stage"] in AWAITED and late:
        text = "data_stage is {}, and yet {} is frozen".format(predicate["access"]["data_stage"], late[0])
        fault("E-ORDER", receipt.where, text)
    _check_stage(chain, receipt)


def _check_stage(chain: Chain, freeze: Receipt) -> None:
    """Answers that an earlier receipt binds exist: a freeze cannot say that they do not, or are out of reach."""
    stage = freeze.predicate["access"]["data_stage"]
    for earlier in chain.sound if stage in AWAITED else []:
        tables = {one["table"] for one in earlier.predicate.get("inputs", [])}
        if earlier.seq < freeze.seq and tables & set(ANSWERS):
            chain.findings.fault("E-ORDER", freeze.where, f"data_stage is {stage}, and {earlier.where} binds answers")
            return


def _check_judged(chain: Chain, receipt: Receipt) -> Receipt | None:
    """What gates and runs share: an earlier freeze, the latest one, and verdicts that follow from their counts."""
    _check_seen(chain, receipt)
    freeze = chain.freeze_of(receipt)
    if freeze is None:
        text = "does not point to an earlier freeze receipt of this chain"
        chain.findings.fault("E-ORDER", receipt.where, text)
    elif freeze is not chain.current_freeze(receipt.seq):
        chain.findings.fault("E-ORDER", receipt.where, "points to a freeze that a later one had taken the place of")
    for gate in receipt.predicate["gates"]:
        if gate["verdict"] != ("GO" if gate["count"] >= gate["at_least"] else "NO_GO"):
            text = "gate {} says {} with {} of at least {}"
            numbers = gate["id"], gate["verdict"], gate["count"], gate["at_least"]
            chain.findings.fault("E-GATE", receipt.where, text.format(*numbers))
    return freeze


def _check_declared_gates(chain: Chain, receipt: Receipt, freeze: Receipt) -> None:
    declared = [(gate["id"], gate["at_least"]) for gate in freeze.predicate["gates"]]
    if [(gate["id"], gate["at_least"]) for gate in receipt.predicate["gates"]] != declared:
        chain.findings.fault("E-GATE", receipt.where, "the gates judged are not those frozen")


def _check_gate(chain: Chain, receipt: Receipt) -> None:
    freeze = _check_judged(chain, receipt)
    predicate = receipt.predicate
    verdicts = {gate["verdict"] for gate in predicate["gates"]}
    if predicate["verdict"] != ("NO_GO" if "NO_GO" in verdicts else "GO"):
        chain.findings.fault("E-GATE", receipt.where, "the verdict does not follow from its gates")
    if freeze is not None:
        _check_declared_gates(chain, receipt, freeze)
        _check_unchanged(chain, receipt, freeze, ("code", "lock", "specs"))
        _check_frozen_subjects(chain, receipt, freeze, partly=True)


def _check_run(chain: Chain, receipt: Receipt) -> None:
    freeze = _check_judged(chain, receipt)
    predicate, fault = receipt.predicate, chain.findings.fault
    if predicate["status"] == "exploratory":
        folder = f"results/exploratory/{receipt.seq:04d}/"
        for name in receipt.subjects:
            if not name.startswith(folder):
                fault("E-SUBJECT", receipt.where, f"an exploratory run binds {name}, outside {folder}")
        return
    if predicate["git"] is not None and _dirty(predicate["git"], predicate["study"]):
        chain.findings.warn("W-DIRTY", receipt.where, "run from a work tree in which files had changed")
    if predicate["changed"]:
        fault("E-SCHEMA", receipt.where, "says complete but names changes since the freeze")
    if freeze is None:
        return
    _check_declared_gates(chain, receipt, freeze)
    _check_unchanged(chain, receipt, freeze, ("code", "lock", "specs", "methods", "resampling"))
    _check_frozen_subjects(chain, receipt, freeze, partly=False)
    said = [gate["id"] for gate in predicate["gates"] if gate["verdict"] == "NO_GO"]
    refused = chain.refused(freeze, receipt.seq) or (said[0] if said else None)
    if refused is not None:
        fault("E-GATE", receipt.where, f"a complete run behind a gate that said NO_GO ({refused})")
    judged = (gate for gate in chain.of_kind("gate") if gate.seq < receipt.seq)
    earlier = next((gate for gate in judged if gate.predicate["freeze"] == freeze.digest), None)
    if earlier is not None and earlier.predicate["gates"] != predicate["gates"]:
        fault("E-GATE", receipt.where, f"the gates came out otherwise than in {earlier.where}, on the same data")
    _check_outputs(chain, receipt, freeze)


def _check_outputs(chain: Chain, receipt: Receipt, freeze: Receipt) -> None:
    """A complete run binds all that a run writes, in its folder, and nothing else."""
    fault = chain.findings.fault
    folder = "results/{}{}/".format(generation(freeze), receipt.predicate["family"])
    for name in outputs(receipt):
        if not name.startswith(folder):
            fault("E-SUBJECT", receipt.where, f"a complete run binds {name}, outside {folder}")
    known, bound = {folder + name for name in OUTPUTS}, set(outputs(receipt))
    older = {folder + name for name in DESCRIBING}
    expected = known if bound & older else known - older
    for name in sorted(expected - bound):
        fault("E-REPORT", receipt.where, f"binds no {name}")
    for name in outputs(receipt):
        if name.startswith(folder) and name not in known:
            fault("E-REPORT", receipt.where, f"binds {name}, which no run writes")


def _dirty(git: Object, study: str) -> bool:
    """Whether a work tree had changed files, apart from new ones and from the receipts, which are committed later."""
    changed = (line for line in git["status"].splitlines() if not line.startswith(("? ", "! ")))
    return any(f"receipts/{study}/" not in line for line in changed)


RECORD_TABLES = ("levels", "margins", "effects", "rankings", "identified", "row_audit")
DESCRIBING_TABLES = ("specifications", "options", "cells", "drivers")
DESCRIBING = tuple(f"tables/{name}.parquet" for name in DESCRIBING_TABLES)  # all of them or, in older receipts, none
OUTPUTS = (  # of a complete run, all of them and no other
    "record.json",
    "report.txt",
    *(f"tables/{name}.parquet" for name in RECORD_TABLES),
    *DESCRIBING,
)


def generation(freeze: Receipt) -> str:
    """The folder of a freeze's results: none for the first, its number for one that amends another."""
    return f"{freeze.seq:04d}/" if freeze.predicate["admissibility"]["parent"] else ""


def outputs(run: Receipt) -> list[str]:
    """The names of what a run wrote."""
    return [name for name in run.subjects if name.startswith("results/")]


def _check_unchanged(chain: Chain, receipt: Receipt, freeze: Receipt, fields: Iterable[str]) -> None:
    """A run saw what was frozen: code, lock, specs, methods, resampling, Python and every library."""
    for field in fields:
        if _compared(receipt.predicate[field]) != _compared(freeze.predicate[field]):
            chain.findings.fault("E-DRIFT", receipt.where, f"{field} is not what {freeze.where} froze")
    now, then = receipt.predicate["environment"], freeze.predicate["environment"]
    if now["duckdb"] != then["duckdb"]:
        text = "run used duckdb {}, frozen with {}".format(now["duckdb"], then["duckdb"])
        chain.findings.fault("E-ENGINE", receipt.where, text)
    for field in ("python", "packages_sha256"):
        if now[field] != then[field] and now["duckdb"] == then["duckdb"]:
            text = f"{field} is {short(now[field])}, frozen with {short(then[field])}"
            chain.findings.fault("E-DRIFT", receipt.where, text)


def _compared(value: Json) -> Json:
    """A field without what depends on the folder that the package is installed into."""
    return {k: v for k, v in value.items() if k != "record_sha256"} if isinstance(value, dict) else value


def _check_frozen_subjects(chain: Chain, receipt: Receipt, freeze: Receipt, *, partly: bool) -> None:
    """The inputs of a run are those frozen; answers that did not exist at the freeze are bound by the first run."""
    frozen, now = (_inputs(one) for one in (freeze, receipt))
    late = {one for one in now if one[0] in ANSWERS}
    absent = freeze.predicate["access"]["data_stage"] in AWAITED
    if partly:
        if late:
            chain.findings.fault("E-GATE", receipt.where, f"a gate that opened {min(late)[1]}")
        frozen = {one for one in frozen if one[0] not in ANSWERS}
    if now - late != frozen - late or now - frozen - (late if absent else set()):
        chain.findings.fault("E-DRIFT", receipt.where, f"inputs are not what {freeze.where} froze")
    elif absent and not partly:
        runs = (run for run in chain.of_kind("run") if run.seq < receipt.seq)
        earlier = next((run for run in runs if _complete_under(run, freeze)), None)
        if earlier is not None and _inputs(earlier) != now:
            chain.findings.fault("E-DRIFT", receipt.where, f"inputs are not what {earlier.where} bound")


def _inputs(receipt: Receipt) -> set[tuple[str, str, str]]:
    return {(one["table"], one["path"], one["source"]) for one in receipt.predicate["inputs"]}


def _complete_under(run: Receipt, freeze: Receipt) -> bool:
    return bool(run.predicate["status"] == "complete" and run.predicate["freeze"] == freeze.digest)


def _check_correction(chain: Chain, receipt: Receipt) -> None:
    predicate, fault = receipt.predicate, chain.findings.fault
    corrected = chain.by_digest.get(predicate["corrects"])
    if corrected is None or corrected.seq >= receipt.seq:
        fault("E-ORDER", receipt.where, "does not point to an earlier receipt of this chain")
    elif predicate["original"] is not None and predicate["original"] not in corrected.subjects:
        fault("E-ORDER", receipt.where, "{} is no file of {}".format(predicate["original"], corrected.where))
    if predicate["replacement"] == predicate["original"]:
        fault("E-REWRITE", receipt.where, "replacement has the same path as the original")
    elif not predicate["replacement"].startswith(f"corrections/{receipt.seq:04d}/"):
        fault("E-REWRITE", receipt.where, "a correction must add a new file and keep the original")
    if list(receipt.subjects) != [predicate["replacement"]]:
        fault("E-REWRITE", receipt.where, "a correction binds its replacement and nothing else")


_CHECKS = {"freeze": _check_freeze, "gate": _check_gate, "run": _check_run, "correction": _check_correction}


# ------------------------------------------------------------------------------------------------- frozen against held


def listing_sha256(specs: Iterable[str]) -> str:
    """The digest of a list of specification ids: each on a line of its own."""
    return sha256("".join(spec + "\n" for spec in specs).encode("utf-8"))


class Frozen(NamedTuple):
    """A frozen family: its specifications, and the digest of their list."""

    specs: list[str]
    sha256: str


def frozen_families(content: bytes | None, where: str, findings: Findings) -> dict[str, Frozen]:
    """The specifications of every frozen family; empty, with faults, where the list is not sound."""
    listed = None if content is None else parse_canonical(content, where, findings, MAX_RECORD)
    if listed is None or _note(findings, where, schema_faults(listed, FAMILIES_FIELDS)):
        return {}
    families = {one["family"]: one["specs"] for one in listed["families"]}
    if len(families) != len(listed["families"]):
        findings.fault("E-SCHEMA", where, "lists a family twice")
    for family, specs in families.items():
        if not specs or len(set(specs)) != len(specs):
            findings.fault("E-SCHEMA", where, f"family {family} is empty or lists a specification twice")
        reason = path_fault(family)
        if reason:
            findings.fault("E-SCHEMA", where, f"family {family} is no name of a folder: {reason}")
    return {family: Frozen(specs, listing_sha256(specs)) for family, specs in families.items()}


def _read_families(chain: Chain, source: Source, place: Callable[[str, str], str]) -> None:
    """Read the lists of families that are held, each once; `place` gives the path of a name and digest."""
    for freeze in chain.of_kind("freeze"):
        name = freeze.predicate["families"]
        digest = freeze.subjects.get(name, "")
        path = place(name, digest)
        if digest not in chain.families and source.has(path):
            content = source.content(path, MAX_RECORD)
            chain.families[digest] = frozen_families(content, path, chain.findings)


def _check_reported(chain: Chain, run: Receipt, freeze: Receipt) -> Frozen | None:
    """A complete run says that it reports every frozen specification of its family; the family, where it is held."""
    families, family = chain.families_of(freeze), run.predicate["family"]
    if families is None:
        return None
    if family not in families:
        chain.findings.fault("E-REPORT", run.where, f"family {family} was never frozen")
        return None
    declared, reported = families[family], run.predicate["reported"]
    if (reported["specs"], reported["sha256"]) != (len(declared.specs), declared.sha256):
        chain.findings.fault("E-REPORT", run.where, f"does not report the specifications frozen for family {family}")
    return declared


def _check_listed(run: Receipt, declared: list[str], record: Reported, findings: Findings) -> None:
    """A record reports every frozen specification of its family, each once, and no other."""
    fault = findings.fault
    if record.specs is None:
        fault("E-REPORT", run.where, "the record lists no specifications")
        return
    for spec in _without(declared, record.specs)[:20]:
        fault("E-REPORT", run.where, f"declared specification {spec} is not reported")
    for spec in _without(record.specs, declared)[:20]:
        fault("E-REPORT", run.where, f"specification {spec} is reported and was never frozen")
    if len(set(record.specs)) != len(record.specs):
        fault("E-REPORT", run.where, "a specification is reported twice")


def _check_stated(run: Receipt, freeze: Receipt, record: Reported, findings: Findings) -> None:
    """What a record says of itself is what its run and freeze say."""
    predicate, allowed = run.predicate, freeze.predicate["admissibility"]
    expected = {key: predicate[key] for key in ("study", "family", "gates")}
    expected.update({"status": "frozen", "motivation": allowed["motivation"], "reason": allowed["reason"]})
    for key, value in expected.items():
        if record.stated[key] != value:
            found, wanted = (_as_json(one) for one in (record.stated[key], value))
            findings.fault("E-REPORT", run.where, f"the record's {key} is {found}, not {wanted}")
    for name, computed in record.populations.items():
        for fault in _computed_faults(computed, predicate["methods"], predicate["resampling"]):
            findings.fault("E-REPORT", run.where, f"population {name} of the record {fault}")


class Computed(NamedTuple):
    """What a record has of one population: the methods that it ranks, and how it was resampled; None where neither."""

    methods: list[str] | None
    resampling: Object | None


def _computed_faults(computed: Computed, methods: list[str] | None, resampling: Object | None) -> Iterator[str]:
    if None not in (methods, computed.methods) and sorted(methods or ()) != sorted(computed.methods or ()):
        yield "ranks other methods than the run names"
    found = computed.resampling
    if found and resampling is None:
        yield "has resampling, and the run none"
    elif found and resampling is not None:  # a study may declare resampling that its measure has no use for
        for key in ("draws", "seed", "level", "unit", "method"):
            if key in found and not _same_number(resampling[key], found[key]):
                yield f"has resampling {key} {_as_json(found[key])}, the run {resampling[key]}"


def _same_number(exact: int | str, found: Json) -> bool:
    """Whether a number or word of a receipt, exact, is what a record has, which may be its nearest double."""
    if isinstance(found, (int, str)) and str(found) == str(exact):
        return True
    fraction = re.fullmatch("([0-9]{1,400})/([0-9]{1,400})", str(exact))
    try:
        return fraction is not None and int(fraction[1]) / int(fraction[2]) == float(found)
    except (ArithmeticError, TypeError, ValueError):
        return False


def _as_json(value: Json) -> str:
    """The start of a value as JSON; what is read may be nested more deeply than can be written."""
    try:
        return json.dumps(value)[:80]
    except RecursionError:
        return "nested too deeply"


def _without(ones: Sequence[str], others: Iterable[str]) -> list[str]:
    left_out = frozenset(others)
    return [one for one in ones if one not in left_out]


# ---------------------------------------------------------------------------------------------------------------- git


class Tree(NamedTuple):
    """An entry of a git tree: mode and object id."""

    mode: str
    id: str


class Commit(NamedTuple):
    """What a commit says: its tree, its parents, and when it was made."""

    tree: str
    parents: list[str]
    time: int


class GitObjects:
    """Raw git objects of an archive by id, each read when it is needed and checked against its id; no git is run."""

    def __init__(self, source: Source, findings: Findings) -> None:
        self.source = source
        self.findings = findings
        self.used: dict[str, None] = {}
        self._commits: dict[str, Commit | None] = {}
        self._steps = 0
        self._trees: dict[str, dict[str, Tree] | None] = {}
        self._room = MAX_TREES  # for what is kept of trees
        self._left = MAX_PARSED
        self._paths: dict[str, tuple[str, str]] = {}
        for path in source.paths:
            found = re.fullmatch(r"data/git/([0-9a-f]{40}|[0-9a-f]{64})\.(commit|tree)", path)
            if found:
                self._paths[found.group(1)] = (path, found.group(2))

    def get(self, identity: str, kind: str) -> bytes | None:
        """The content of an object; using it binds it."""
        path, found = self._paths.get(identity, ("", ""))
        if found != kind:
            return None
        self.used[path] = None
        content = self.source.content(path, MAX_OBJECT)
        if content is not None and git_id(kind, content, len(identity)) != identity:
            self.findings.fault("E-GIT", path, "content does not hash to its object id")
            return None
        return content

    def commit(self, identity: str) -> Commit | None:
        """What a commit says; None where it is not there or not a commit."""
        if identity not in self._commits:
            content = self.get(identity, "commit")
            self._commits[identity] = None if content is None else self._read(content)
        return self._commits[identity]

    def _read(self, content: bytes) -> Commit | None:
        head = content.partition(b"\n\n")[0].decode("utf-8", "replace")
        tree = re.match(r"tree ([0-9a-f]+)\n((?:parent [0-9a-f]+\n)*)author ", head)
        time = re.search(r"^committer .* (-?[0-9]{1,15}) [+-][0-9]{4}$", head, re.MULTILINE)
        if tree is None or time is None:
            return None
        return Commit(tree.group(1), re.findall(r"parent ([0-9a-f]+)\n", tree.group(2)), int(time.group(1)))

    def tree(self, identity: str) -> dict[str, Tree] | None:
        """The entries of a tree by name, read once as long as there is room to keep them."""
        if identity not in self._trees:
            content = self.get(identity, "tree") if self._left > 0 else None
            size = len(content or b"")
            if size > self._room:
                self._trees, self._room = {}, MAX_TREES
            self._trees[identity] = None if content is None else self._entries(content, identity)
            self._room, self._left = self._room - size, self._left - size
            if content is not None and self._left <= 0:
                self.findings.fault("E-LIMIT", self._paths[identity][0], f"git trees of more than {MAX_PARSED} bytes")
        return self._trees[identity]

    def _entries(self, content: bytes, identity: str) -> dict[str, Tree] | None:
        """The entries of a tree; None, with a fault, where it is not one that git writes."""
        entries, at, width, before = {}, 0, len(identity) // 2, b""
        while at < len(content):
            end = content.find(b"\0", at)
            mode, _, name = content[at:end].partition(b" ")
            key = name + b"/" * (mode in (b"40000", b"040000"))
            text = name.decode("utf-8", "surrogateescape")
            sound = end >= 0 and name and len(content) >= end + 1 + width
            if not sound or key <= before or text in entries:
                text = "has duplicate or unsorted entries" if sound else "is no tree"
                self.findings.fault("E-GIT", self._paths[identity][0], text)
                return None
            entries[text] = Tree(mode.decode("ascii", "replace"), content[end + 1 : end + 1 + width].hex())
            at, before = end + 1 + width, key
        return entries

    def ancestor(self, older: str, newer: str) -> bool:
        """Whether the commits at hand lead from the newer one back to the older."""
        seen, waiting = set(), [newer]
        while waiting:
            identity = waiting.pop()
            if identity == older:
                return True
            if identity not in seen and self._steps < MAX_STEPS:
                seen.add(identity)
                self._steps += 1
                found = self.commit(identity)
                waiting.extend(found.parents if found else [])
        return False


def git_id(kind: str, content: bytes, digits: int = 40) -> str:
    """The id of a git object: SHA-1 for 40 digits, SHA-256 for 64."""
    hashed = hashlib.sha1() if digits == 40 else hashlib.sha256()
    hashed.update(f"{kind} {len(content)}\0".encode() + content)
    return hashed.hexdigest()


def _check_committed(objects: GitObjects, where: str, git: Object, held: dict[str, bytes]) -> bool:
    """A commit holds files at their paths with exactly the bytes of the archive; `held` is bytes by name."""
    fault, before = objects.findings.fault, objects.findings.count
    commit = objects.commit(git["commit"] or "")
    if commit is None:
        text = "commit {} is not in the archive (shallow or rebased history?)".format(str(git["commit"])[:12])
        fault("E-GIT", where, text)
        return False
    if commit.tree != git["tree"]:
        text = "the tree of commit {} is {}, not {}"
        fault("E-GIT", where, text.format(git["commit"][:12], commit.tree[:12], str(git["tree"])[:12]))
    for one in git["paths"]:
        if one["name"] not in held:
            fault("E-GIT", where, "binds {} to a commit, which is not at hand".format(one["name"]))
            continue
        entry = _entry_at(objects, commit.tree, one["path"][:MAX_GIT_PATH])
        short_id = git["commit"][:12]
        if entry is None:
            fault("E-GIT", where, "commit {} does not contain {}".format(short_id, one["path"]))
        elif entry.mode == "120000":
            fault("E-SYMLINK", where, "{} is a symlink in commit {}".format(one["path"], short_id))
        elif entry.mode == "160000":
            fault("E-SUBMODULE", where, "{} lies in a submodule".format(one["path"]))
        elif entry.mode not in ("100644", "100755"):
            fault("E-GIT", where, "{} is no regular file in commit {}".format(one["path"], short_id))
        elif entry.id != git_id("blob", held[one["name"]], len(entry.id)):
            text = "{} in commit {} has other bytes than the archive (eol/smudge filter or dirty tree?)"
            fault("E-GIT", where, text.format(one["path"], short_id))
    return objects.findings.count == before


def _entry_at(objects: GitObjects, tree: str, path: str) -> Tree | None:
    entry = Tree("40000", tree)
    for part in path.split("/"):
        if entry.mode == "160000":
            return entry
        entries = objects.tree(entry.id) if entry.mode in ("40000", "040000") else None
        found = (entries or {}).get(part)
        if found is None:
            return None
        entry = found
    return entry


def _claims_lock(receipt: Receipt) -> bool:
    git = receipt.predicate["git"]
    return git is not None and bool(git["paths"])


def check_git(chain: Chain, source: Source, findings: Findings) -> GitObjects:
    """The git lock of every freeze and run that claims one; what it shows is noted."""
    objects = GitObjects(source, findings)
    sound = {
        freeze.digest: _check_freeze_lock(objects, freeze) for freeze in filter(_claims_lock, chain.of_kind("freeze"))
    }
    for run in chain.of_kind("run"):
        freeze_of_run = chain.freeze_of(run)
        if _claims_lock(run) and freeze_of_run is not None:
            _check_run_lock(objects, run, freeze_of_run, freeze_is_sound=sound.get(freeze_of_run.digest, False))
    return objects


def _check_freeze_lock(objects: GitObjects, freeze: Receipt) -> bool:
    """A freeze binds each of its spec files to its commit, all in one folder and under their own names."""
    source, fault, git = objects.source, objects.findings.fault, freeze.predicate["git"]
    specs = [spec["path"] for spec in freeze.predicate["specs"]]
    bound = [one["name"] for one in git["paths"]]
    for name in _without(specs, bound):
        fault("E-GIT", freeze.where, f"does not bind {name} to its commit")
    if len(bound) > len(specs):
        fault("E-GIT", freeze.where, "binds more than its spec files to its commit")
        return False
    if len({one["path"].rpartition("/")[0] for one in git["paths"]}) > 1:
        fault("E-GIT", freeze.where, "binds spec files to more than one folder of its commit")
        return False
    for one in git["paths"]:
        if one["path"].rpartition("/")[2] != one["name"].rpartition("/")[2]:
            text = "binds {} to {}, a file of another name"
            fault("E-GIT", freeze.where, text.format(one["name"], one["path"]))
    held = {name: source.content("data/" + name) or b"" for name in specs if source.has("data/" + name)}
    return _check_committed(objects, freeze.where, git, held)


def _check_run_lock(objects: GitObjects, run: Receipt, freeze: Receipt, *, freeze_is_sound: bool) -> None:
    git, findings = run.predicate["git"], objects.findings
    held = {"receipts/" + freeze.name: freeze.content}
    if [one["name"] for one in git["paths"]] != list(held):
        findings.fault("E-GIT", run.where, "binds something else than its freeze receipt to a commit")
        return
    expected = "receipts/{}/{}".format(run.predicate["study"], freeze.name)
    if not ("/" + git["paths"][0]["path"]).endswith("/" + expected):
        text = "binds its freeze receipt to {}, which is not {}"
        findings.fault("E-GIT", run.where, text.format(git["paths"][0]["path"], expected))
    committed = _check_committed(objects, run.where, git, held)
    if not _claims_lock(freeze):
        return
    first, second = str(freeze.predicate["git"]["commit"]), str(git["commit"])
    ancestor = objects.ancestor(first, second)
    if not ancestor:
        text = f"freeze commit {first[:12]} is not shown to be an ancestor of run commit {second[:12]}"
        findings.fault("E-GIT", run.where, text)
    older, newer = objects.commit(first), objects.commit(second)
    if older and newer and newer.time < older.time:
        findings.fault("E-TIME", run.where, "run commit is dated before the freeze commit")
    if ancestor and committed and freeze_is_sound:
        text = "git: commit {} holds exactly the spec files that {} froze; {}, which holds that receipt, comes after it"
        line = text.format(first[:12], freeze.name, second[:12])
        findings.shown.extend([line] if line not in findings.shown else [])


# --------------------------------------------------------------------------------------------------------- signatures


class Pins(NamedTuple):
    """What a reader brings from outside: expected digests, who must have signed, and spec files to compare."""

    archive: str | None = None
    head: str | None = None
    allowed_signers: str | None = None
    signer: str | None = None
    specs: str | None = None


def _check_signatures(chain: Chain, signatures: dict[str, bytes], pins: Pins, source_name: str) -> None:
    """Every receipt is signed by the one signer, where one is required; `signatures` is bytes by receipt path."""
    findings = chain.findings
    for where, signature in signatures.items():
        if not _ARMOUR.fullmatch(signature):
            findings.fault("E-SIG", where + ".sig", "is not one SSH signature and nothing else")
    if pins.allowed_signers is None or pins.signer is None:
        if signatures:
            text = "signatures: {} of {} receipts have one: NOT CHECKED (give --allowed-signers and --signer)"
            findings.claimed.append(text.format(len(signatures), len(chain.all)))
        return
    wanting = _signers_wanting(pins.allowed_signers, source_name)
    for receipt in chain.all:
        if receipt.where not in signatures:
            findings.fault("E-SIG", receipt.where, "has no signature file")
        elif wanting is None:
            wanting = _check_signature(receipt, signatures[receipt.where], pins, findings)
    if wanting is not None:
        findings.cannot("X-SIG", pins.allowed_signers, wanting)
    if not any(one.code in ("E-SIG", "X-SIG") for one in findings.faults + findings.unchecked):
        findings.shown.append(f"signatures: every receipt is signed by {pins.signer}")


def _signers_wanting(signers: str, checked: str) -> str | None:
    """Why a file of signers cannot be used; None where it can."""
    if not os.path.isfile(signers):
        return "no such file: no signature was checked"
    within = os.path.realpath(checked) + os.sep
    if os.path.realpath(signers).startswith(within):
        return "lies in what is to be checked: a list of signers must come from elsewhere"
    return None


def _check_signature(receipt: Receipt, signature: bytes, pins: Pins, findings: Findings) -> str | None:
    """Note a signature that does not verify; why none can be checked, if so."""
    verified = _ssh_verifies(receipt.content, signature, receipt.predicate.get("study", ""), pins)
    if verified is None:
        return "ssh-keygen (OpenSSH 8.1 or newer) could not be run: no signature was checked"
    if not verified:
        findings.fault("E-SIG", receipt.where, f"signature does not verify for {pins.signer}")
    return None


_ARMOUR = re.compile(rb"-----BEGIN SSH SIGNATURE-----\r?\n[A-Za-z0-9+/=\r\n]+-----END SSH SIGNATURE-----\r?\n?")


def _ssh_verifies(content: bytes, signature: bytes, study: str, pins: Pins) -> bool | None:
    """Whether ssh-keygen takes a signature as the signer's, for this purpose; None where it cannot be run."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "receipt.sig")
        with open(path, "wb") as file:
            file.write(signature)
        command = ["ssh-keygen", "-Y", "verify", "-f", str(pins.allowed_signers), "-I", str(pins.signer)]
        command += ["-n", "receipt.v1@" + study, "-s", path]
        try:
            ended = subprocess.run(command, input=content, capture_output=True, check=False, timeout=60)
        except (OSError, ValueError, subprocess.TimeoutExpired):  # ValueError: a name that no argument can hold
            return None
    if re.search(rb"(unknown|illegal|invalid) option", ended.stderr):
        return None
    return ended.returncode == 0


# ------------------------------------------------------------------------------------------------------------ archives


def verify_archive(source: Source, pins: Pins, findings: Findings) -> None:
    """Check an archive whole: files, manifests, chain, contents, git evidence, signatures, pins."""
    if findings.faults and not source.paths:  # a zip that cannot be read, of which all is said
        return
    _check_paths(source, findings)
    manifest = _check_manifest(source, findings)
    if manifest is None:
        return
    _check_files(source, manifest, findings)
    if findings.unchecked:  # what follows would call a file absent or changed that only could not be read
        return
    _check_bag(source, manifest, findings)
    files_are_sound = not findings.faults
    pattern = re.compile(r"data/receipts/[^/]*\.json")
    paths = [path for path in source.paths if pattern.fullmatch(path)]
    contents = [(path, source.content(path)) for path in paths]
    chain = Chain(read_chain([(path, held) for path, held in contents if held is not None], findings), findings)
    check_chain(chain)
    _check_head(chain, manifest, pins, findings)
    _check_held(chain, source, manifest, findings)
    _check_results(chain, source, findings)
    objects = check_git(chain, source, findings)
    signed = [path for path in source.paths if re.fullmatch(r"data/receipts/[^/]*\.json\.sig", path)]
    signatures = {path[:-4]: source.content(path) or b"" for path in signed}
    _check_signatures(chain, signatures, pins, source.name)
    _check_unbound(chain, source, manifest, objects, findings)
    _check_ledger(source, manifest, findings)
    _check_verifier(source, findings)
    _check_spec_folder(chain, pins)
    if files_are_sound:
        size = sum(file["size"] for file in manifest["files"])
        count = counted(len(manifest["files"]), "file")
        text = f"files: {count}, {counted(size, 'byte')}, each with its listed digest, and no other file"
        findings.shown.insert(0, text)
    _note_chain(chain, with_git=True)


def _check_head(chain: Chain, manifest: Object, pins: Pins, findings: Findings) -> None:
    if not chain.all:
        findings.fault("E-EMPTY", "data/receipts", "holds no receipt")
        return
    findings.head = chain.all[-1].digest
    identity = chain.all[0].predicate.get("chain", {}).get("id", "")
    expected = {"head": findings.head, "id": identity, "length": len(chain.all)}
    for key, value in expected.items():
        if manifest["chain"][key] != value and (key != "id" or identity):
            text = "chain {} is {}, the receipts give {}".format(key, manifest["chain"][key], value)
            findings.fault("E-CHAIN", MANIFEST, text)
    if chain.sound and manifest["study"] != chain.sound[0].predicate["study"]:
        findings.fault("E-REPLAY", MANIFEST, "study is {}, the receipts are of another".format(manifest["study"]))
    if pins.archive is not None and pins.archive != findings.archive:
        text = f"archive is {short(findings.archive)}, you expected {short(pins.archive)}"
        findings.fault("E-PIN", MANIFEST, text)
    _check_expected_head(pins, findings)


def _check_expected_head(pins: Pins, findings: Findings) -> None:
    if pins.head is not None and pins.head != findings.head:
        text = f"last receipt is {short(findings.head)}, you expected {short(pins.head)}"
        findings.fault("E-PIN", "receipts", text)


def _check_held(chain: Chain, source: Source, manifest: Object, findings: Findings) -> None:
    """Every file that a receipt names is in the archive with its digest, or is withheld for a reason that may be."""
    held = {file["path"]: file["sha256"] for file in manifest["files"]}
    withheld = {one["path"]: one for one in manifest["withheld"]}
    pointed: dict[str, None] = {}
    for receipt in chain.sound:
        for name, digest in receipt.subjects.items():
            path = "data/" + name
            if path in held and held[path] != digest:
                text = f"{receipt.where} froze {short(digest)}, archive holds {short(held[path])}"
                findings.fault("E-SUBJECT", path, text)
            elif path in held:
                pointed[path] = None
            elif path not in withheld:
                text = f"{receipt.where} names this file, which is neither in the archive nor withheld"
                findings.fault("E-MISSING", path, text)
            elif withheld[path]["sha256"] != digest:
                text = "{} froze {}, MANIFEST.json withholds {}"
                found = receipt.where, short(digest), short(withheld[path]["sha256"])
                findings.fault("E-SUBJECT", path, text.format(*found))
            elif not _may_withhold(chain, receipt, name, withheld[path]["reason"]):
                text = "withheld as {}, which this file may not be".format(withheld[path]["reason"])
                findings.fault("E-WITHHELD", path, text)
    _check_withheld_whole(chain, withheld, findings)
    for path in pointed:
        _check_pointer(source, path, findings)
    named = {"data/" + name for receipt in chain.sound for name in receipt.subjects}
    for path in sorted(set(withheld) - (named - set(held))):
        findings.fault("E-WITHHELD", path, "withheld, but no receipt names it or the archive holds it")
    if [one["path"] for one in manifest["withheld"]] != sorted(withheld):
        text = "withheld paths are not strictly increasing (duplicate or unsorted)"
        findings.fault("E-WITHHELD", MANIFEST, text)
    for reason, words in _WITHHELD_WORDS.items():
        count = sum(one["reason"] == reason for one in manifest["withheld"])
        if count:
            findings.warn("W-WITHHELD", MANIFEST, words[count > 1].format(count))


_WITHHELD_WORDS = {
    "private": (
        "1 data file is withheld: only its digest is here",
        "{} data files are withheld: only their digests are here",
    ),
    "superseded": (
        "1 file of a freeze that was amended since is not here, only its digest",
        "{} files of a freeze that was amended since are not here, only their digests",
    ),
    "exploratory": (
        "1 file written by an exploratory run is not here, only its digest",
        "{} files written by exploratory runs are not here, only their digests",
    ),
}


def _may_withhold(chain: Chain, receipt: Receipt, name: str, reason: str) -> bool:
    """Data may be private, or of a freeze that was amended; results may be of such a freeze, or exploratory."""
    if name.startswith("inputs/"):
        return reason == "private" or (reason == "superseded" and name not in chain.needed)
    if receipt.kind != "run" or not name.startswith("results/"):
        return False
    if reason == "exploratory":
        return bool(receipt.predicate["status"] == "exploratory")
    return reason == "superseded" and receipt.predicate["status"] == "complete" and chain.superseded(receipt)


def _check_withheld_whole(chain: Chain, withheld: Mapping[str, Object], findings: Findings) -> None:
    """What a run wrote is there as a whole or not at all: nobody picks what of it can be read."""
    for run in chain.of_kind("run"):
        absent = ["data/" + name in withheld for name in outputs(run)]
        if any(absent) and not all(absent):
            text = f"withheld in part: {sum(absent)} of {len(absent)} files that the run wrote"
            findings.fault("E-WITHHELD", run.where, text)


def _check_pointer(source: Source, path: str, findings: Findings) -> None:
    if source.has(path) and (source.size(path) or 0) < 1024:
        if (source.content(path) or b"").startswith(b"version https://git-lfs.github.com/spec/"):
            findings.fault("E-LFS", path, "is a Git LFS pointer, not the data")


class Reported(NamedTuple):
    """What a record says of itself, as far as a receipt says it too."""

    specs: list[str] | None  # None where it lists no specifications
    stated: Object
    populations: dict[str, Computed]


def _check_results(chain: Chain, source: Source, findings: Findings) -> None:
    """The record of every complete run that is held reports exactly the frozen specifications."""
    _read_families(chain, source, lambda name, digest: "data/" + name)
    records: dict[str, Reported | None] = {}
    for run in chain.of_kind("run"):
        freeze = chain.freeze_of(run)
        if run.predicate["status"] != "complete" or freeze is None:
            continue
        declared = _check_reported(chain, run, freeze)
        path = "data/results/{}{}/record.json".format(generation(freeze), run.predicate["family"])
        known = path in records
        if not known:
            records[path] = _reported(source, path, findings) if source.has(path) else None
        record = records[path]
        if declared is None or record is None:
            continue
        chain.read.add(run.digest)
        if not known:  # another run of the same family under the same freeze has the same list
            _check_listed(run, declared.specs, record, findings)
        _check_stated(run, freeze, record, findings)


def _reported(source: Source, path: str, findings: Findings) -> Reported | None:
    """What a record reports; None, with a fault, where it cannot be read."""
    content = source.content(path, MAX_RECORD)
    record = None if content is None else _parsed(content, path, findings, _LENIENT, MAX_RECORD)
    if not isinstance(record, dict):
        if record is not None:
            findings.fault("E-SCHEMA", path, "is not an object")
        return None
    specs = record.get("specs")
    listed = isinstance(specs, list) and all(isinstance(spec, str) for spec in specs)
    allowed = _object(record.get("admissibility"))
    stated = {key: record.get(key) for key in ("study", "family", "status", "gates")}
    stated.update({key: allowed.get(key) for key in ("motivation", "reason")})
    populations = {name: _computed(_object(one)) for name, one in _object(record.get("populations")).items()}
    return Reported(specs if listed else None, stated, populations)


def _computed(population: Object) -> Computed:
    ranks, resampling = _object(population.get("ranking")).get("rank_sets"), population.get("uncertainty")
    return Computed(
        list(ranks) if isinstance(ranks, dict) else None,
        resampling if isinstance(resampling, dict) else None,
    )


def _object(value: Json) -> Object:
    return value if isinstance(value, dict) else {}


def _check_unbound(chain: Chain, source: Source, manifest: Object, objects: GitObjects, findings: Findings) -> None:
    """Every payload file is a receipt, its signature, a file that a receipt names, or a git object that is needed."""
    bound = {"data/" + name for receipt in chain.sound for name in receipt.subjects}
    bound |= {receipt.where for receipt in chain.all} | {receipt.where + ".sig" for receipt in chain.all}
    bound |= set(objects.used)
    for path in (file["path"] for file in manifest["files"]):
        if path.startswith("data/") and path not in bound:
            findings.fault("E-UNBOUND", path, "no receipt names this file")
    claim = "what {} say: --expect-archive pins them, no receipt does"
    loose = [path for path in (*OPTIONAL_TAG_FILES, "evidence_ledger.md", "verify.py") if source.has(path)]
    findings.claimed.append(claim.format(", ".join(loose)))


_LEDGER_ROW = re.compile(r"\| .* \| `([^`|]+)` \| `([0-9a-f]{64})` \|")
LEDGER_HEAD = (
    "",
    "Each claim with its exact value, the file that it stands in, and the SHA-256 of that file.",
    "",
    "| claim | value | file | sha256 |",
    "|---|---|---|---|",
)


def _check_ledger(source: Source, manifest: Object, findings: Findings) -> None:
    """Every line of the evidence ledger is a row that names a file of the archive with its digest."""
    path = "evidence_ledger.md"
    content = source.content(path, MAX_LEDGER) if source.has(path) else None
    if content is None:
        return
    held = {file["path"]: file["sha256"] for file in manifest["files"]}
    rows = (line.decode("utf-8", "replace").rstrip("\n") for line in io.BytesIO(content))
    title, *head = islice(rows, 1 + len(LEDGER_HEAD))
    if not title.startswith("# Evidence ledger: ") or tuple(head) != LEDGER_HEAD or not content.endswith(b"\n"):
        findings.fault("E-LEDGER", path, "does not have the form of an evidence ledger")
        return
    for number, line in enumerate(rows, 7):
        found = _LEDGER_ROW.fullmatch(line)
        if found is None:
            findings.fault("E-LEDGER", path, f"line {number} is no row with a file and its digest")
        elif held.get(found.group(1)) != found.group(2):
            text = f"line {number} gives {found.group(1)} a digest that MANIFEST.json does not"
            findings.fault("E-LEDGER", path, text)


def _check_verifier(source: Source, findings: Findings) -> None:
    """The verifier that an archive brings is the one that is running; another one, older or forged, is told."""
    held = source.digest("verify.py") if source.has("verify.py") else None
    try:
        with open(__file__, "rb") as file:
            running = sha256(file.read())
    except OSError:
        return
    if held is not None and held[1] != running:
        text = f"sha256 is {short(held[1])}, that of the verifier running now is {short(running)}: do not run it"
        findings.warn("W-VERIFIER", "verify.py", text)


# ----------------------------------------------------------------------------------------------------------- receipts


def verify_receipts(
    source: Source, pins: Pins, findings: Findings, git: Callable[[Chain], Source | None] = lambda chain: None
) -> Chain:
    """Check a folder of receipts: the chain, and the copies of frozen files that are kept beside it.

    `git` gives the raw objects that the receipts speak of, at the paths that an archive has them; this file alone has
    none, as it runs no git.
    """
    chain_files, signatures, store = [], {}, {}
    for path in source.paths:
        if RECEIPT_NAME.fullmatch(path):
            content = source.content(path)
            if content is not None:
                chain_files.append((path, content))
        elif path.endswith(".json.sig") and RECEIPT_NAME.fullmatch(path[:-4]) and source.has(path[:-4]):
            signatures[path[:-4]] = source.content(path) or b""
        elif re.fullmatch(STORE + "/[0-9a-f]{64}", path):
            store[path.rpartition("/")[2]] = path
        elif path.startswith(ASIDE) or "/" + ASIDE in path:
            findings.warn("W-ASIDE", path, "left by a command that was stopped; the next one removes it")
        else:
            findings.fault("E-EXTRA", path, "no receipt, signature or frozen file")
    if findings.unchecked:  # a receipt that could not be read would be called dropped
        return Chain([], findings)
    chain = Chain(read_chain(chain_files, findings), findings)
    check_chain(chain)
    if not chain.all:
        findings.cannot("X-EMPTY", source.name, "holds no receipt yet")
        return chain
    findings.head = chain.all[-1].digest
    if pins.archive is not None:
        findings.cannot("X-PIN", source.name, "--expect-archive was given, and this is no archive")
    _check_expected_head(pins, findings)
    _check_store(chain, source, store, findings)
    objects = None if findings.faults else git(chain)
    if objects is not None:
        check_git(chain, objects, findings)
    _check_signatures(chain, signatures, pins, source.name)
    _check_spec_folder(chain, pins)
    _note_chain(chain, with_git=objects is not None)
    return chain


def is_kept(name: str) -> bool:
    """Whether a copy of a bound file is kept beside the receipts: specs, families and corrections are."""
    return name.startswith(("specs/", "frozen/", "corrections/"))


def _check_store(chain: Chain, source: Source, store: dict[str, str], findings: Findings) -> None:
    """Kept copies hash to their names, are all there, and are all named."""
    for digest, path in store.items():
        found = source.digest(path)
        if found is not None and found[1] != digest:
            findings.fault("E-DIGEST", path, f"sha256 is {short(found[1])}, its name says {short(digest)}")
    named = {
        digest: (name, receipt.where)
        for receipt in chain.sound
        for name, digest in receipt.subjects.items()
        if is_kept(name)
    }
    for digest in sorted(set(named) - set(store)):
        name, where = named[digest]
        findings.fault("E-MISSING", STORE + "/" + digest, f"the copy of {name} that {where} names")
    for digest in sorted(set(store) - set(named)):
        findings.warn("W-ASIDE", STORE + "/" + digest, "no receipt names this copy")
    _read_families(chain, source, lambda name, digest: STORE + "/" + digest)
    for run in chain.of_kind("run"):
        freeze = chain.freeze_of(run)
        if freeze is not None and run.predicate["status"] == "complete":
            _check_reported(chain, run, freeze)


def _check_spec_folder(chain: Chain, pins: Pins) -> None:
    """The spec files of a folder are those of the last freeze."""
    freezes = chain.of_kind("freeze")
    if pins.specs is None or not freezes:
        return
    last, findings = freezes[-1], chain.findings
    frozen = {spec["path"].rpartition("/")[2]: last.subjects[spec["path"]] for spec in last.predicate["specs"]}
    try:
        there = {name for name in os.listdir(pins.specs) if name.lower().endswith((".yaml", ".yml"))}
        for name in sorted(there | set(frozen)):
            path = os.path.join(pins.specs, name)
            if name not in frozen:
                findings.fault("E-CHANGED", path, f"new since {last.name}")
            elif name not in there:
                findings.fault("E-CHANGED", path, f"gone since {last.name}")
            else:
                found = _file_sha256(path)
                if found != frozen[name]:
                    text = f"sha256 is {short(found)}, {last.name} froze {short(frozen[name])}"
                    findings.fault("E-CHANGED", path, text)
    except OSError as error:
        findings.cannot("X-IO", str(pins.specs), str(error.strerror))


def _file_sha256(path: str) -> str:
    """The SHA-256 of a file that is named from outside; OSError where it is no regular file."""
    hashed = hashlib.sha256()
    with open(os.open(path, _READING), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, f"{path} is not a regular file")
        for chunk in iter(lambda: file.read(CHUNK), b""):
            hashed.update(chunk)
    return hashed.hexdigest()


# ------------------------------------------------------------------------------------------------------------ in words


def _note_chain(chain: Chain, *, with_git: bool) -> None:
    """What the chain shows, and what it only claims."""
    findings = chain.findings
    findings.study = chain.sound[0].predicate["study"] if chain.sound else ""
    if findings.faults or not chain.sound:
        return
    counts = [f"{len(chain.of_kind(kind))} {kind}" for kind in KINDS if chain.of_kind(kind)]
    receipts = counted(len(chain.all), "receipt")
    findings.shown.append("chain: {}, each naming the one before it ({})".format(receipts, ", ".join(counts)))
    for receipt in chain.sound:
        _NOTES[receipt.kind](chain, receipt)
    runs = [run for run in chain.of_kind("run") if run.predicate["status"] == "complete"]
    locked = bool(runs) and all(_claims_lock(run) and _claims_lock(chain.freeze_of(run) or run) for run in runs)
    findings.claimed.append("that the recorded code, Python and libraries are what ran (a rerun would show it)")
    findings.claimed.append("every date")
    grade = "F0" if not (locked and with_git) else "F1" if len(chain.of_kind("freeze")) == 1 else "F1 of each"
    findings.shown.append(_GRADES[grade])


_GRADES = {
    "F0": "grade F0: receipts only; nothing here shows when anything was made",
    "F1": "grade F1: chain and git lock; the results were made after, and bound to, exactly this freeze",
    "F1 of each": "grade F1: chain and git lock; each result was made after, and bound to, the freeze it names",
}


def _note_freeze(chain: Chain, freeze: Receipt) -> None:
    access, allowed = freeze.predicate["access"], freeze.predicate["admissibility"]
    words = ["motivation claimed: " + allowed["motivation"]]
    words += [_declared("outcomes", access["data_stage"]), _declared("custody", access["outcome_custody"])]
    words += ["reason: " + told(allowed["reason"])] if allowed["reason"] else []
    line = "freeze {:04d}, {}: {}".format(freeze.seq, freeze.predicate["claimed_at"], "; ".join(words))
    chain.findings.claimed.append(line)
    parent = chain.by_digest.get(allowed["parent"] or "")
    if parent is not None:
        changes = "; ".join(map(told, _amendments(chain, parent, freeze))) or "nothing that is named here has changed"
        chain.findings.shown.append(f"freeze {freeze.seq:04d}, in the place of {parent.seq:04d}: {changes}")


def _declared(what: str, value: str) -> str:
    return f"{what} not stated" if value == "not_stated" else "{}: {}".format(what, value.replace("_", " "))


def _amendments(chain: Chain, parent: Receipt, freeze: Receipt) -> Iterator[str]:
    """What an amendment changed: files, gates, families, and what computes."""
    for folder, noun in (("specs", "spec files"), ("inputs", "data files")):
        yield from _differences(noun, *(_unnumbered(one, folder) for one in (parent, freeze)))
    yield from _gate_changes(chain, parent, freeze)
    lists = [one.subjects[one.predicate["families"]] for one in (parent, freeze)]
    before, after = chain.families_of(parent), chain.families_of(freeze)
    if before is not None and after is not None:
        digests = ({name: one.sha256 for name, one in families.items()} for families in (before, after))
        yield from _differences("families", *digests)
    elif lists[0] != lists[1]:
        yield "another list of families"
    for field in ("methods", "resampling", "lock"):
        if freeze.predicate[field] != parent.predicate[field]:
            yield f"{field} changed"
    old, new = (one.predicate["code"] for one in (parent, freeze))
    if _compared(old) != _compared(new):
        versions = old["version"], new["version"]
        yield "code changed" + (" (version {} to {})".format(*versions) if versions[0] != versions[1] else "")
    old, new = (one.predicate["environment"] for one in (parent, freeze))
    if any(old[key] != new[key] for key in ("python", "duckdb", "packages_sha256")):
        yield "Python or libraries changed"


def _unnumbered(freeze: Receipt, folder: str) -> dict[str, str]:
    """The files of a freeze in a folder, without the numbers that amendments give: digest by name."""
    named = re.compile(folder + "/(?:[0-9]{4}/)?(.*)")
    found = ((named.fullmatch(name), digest) for name, digest in freeze.subjects.items())
    return {name[1]: digest for name, digest in found if name}


def _differences(noun: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    kinds = {
        "changed": [name for name in before if name in after and before[name] != after[name]],
        "added": [name for name in after if name not in before],
        "removed": [name for name in before if name not in after],
    }
    for word, names in kinds.items():
        if names:
            yield "{} {}: {}".format(noun, word, ", ".join(names))


def _gate_changes(chain: Chain, parent: Receipt, freeze: Receipt) -> Iterator[str]:
    """The gates that an amendment dropped or moved; a reader is warned where it asks for less."""
    before, after = ({gate["id"]: gate["at_least"] for gate in one.predicate["gates"]} for one in (parent, freeze))
    for name in (name for name in after if name not in before):
        yield f"gate {name} added"
    for name, count in before.items():
        text = f"gate {name} dropped" if name not in after else f"gate {name} moved from {count} to {after[name]}"
        if after.get(name, -1) < count:
            chain.findings.warn("W-GATE", freeze.where, text)
        if after.get(name) != count:
            yield text


def _note_gate(chain: Chain, gate: Receipt) -> None:
    """A verdict is shown where the record of a run under the same freeze was read and has the same counts."""
    text = "gate {:04d}: {}".format(gate.seq, gate.predicate["verdict"])
    if chain.counted.get(gate.predicate["freeze"]) == gate.predicate["gates"]:
        chain.findings.shown.append(text)
    else:
        chain.findings.claimed.append(text + "; its counts are claimed: a rerun shows them")


def _note_run(chain: Chain, run: Receipt) -> None:
    freeze, count = chain.freeze_of(run), run.predicate["reported"]["specs"]
    if run.predicate["status"] != "complete" or freeze is None:
        chain.findings.shown.append(f"run {run.seq:04d}: exploratory, bound to no freeze")
        return
    whole = f"all {count} specifications" if count > 1 else "the 1 specification"
    text = "run {:04d}: family {} reports {} frozen in {:04d}, on what was frozen there"
    line = text.format(run.seq, run.predicate["family"], whole, freeze.seq)
    if run.digest in chain.read:
        chain.findings.shown.append(line)
    else:
        chain.findings.claimed.append(line + " (its record was not read)")


def _note_correction(chain: Chain, correction: Receipt) -> None:
    predicate, corrected = correction.predicate, chain.by_digest[correction.predicate["corrects"]]
    original = ", {}".format(predicate["original"]) if predicate["original"] else ""
    text = "correction {:04d}: of {:04d}{}: {}"
    chain.findings.shown.append(text.format(correction.seq, corrected.seq, original, told(predicate["reason"])))


_NOTES = {"freeze": _note_freeze, "gate": _note_gate, "run": _note_run, "correction": _note_correction}

NOT_PROVABLE = (
    "that nobody had looked at outcomes before the freeze",
    "that there is no second chain, or an abandoned one",
    "that no receipt was dropped from the end (unless --expect-head pins it)",
    "that clocks were right",
    "that the listed alternatives are all there are",
    "that a rationale does not depend on outcomes",
    "that this is not a complete rebuild (unless pinned, anchored or signed by someone else)",
)


def lines(findings: Findings, name: str) -> Iterator[str]:
    """A verification in words: every finding, then what is shown, claimed and not provable, then the verdict."""
    for fault in findings.faults:
        yield str(fault)
    for unchecked in findings.unchecked:
        yield f"CANNOT CHECK {unchecked}"
    for warning in findings.warnings:
        yield str(warning)
    if findings.untold:
        yield f"... and {findings.untold} more"
    if not findings.exit_code:
        lists = {
            "shown": findings.shown,
            "claimed, not shown": findings.claimed,
            "not provable from here": NOT_PROVABLE,
        }
        for title, items in lists.items():
            yield f"{title}:"
            for item in items:
                yield f"  - {plain(item)}"
    known = {"archive": findings.archive, "head": findings.head, "study": findings.study}
    yield from (f"{title}: {text}" for title, text in known.items() if text)
    yield _verdict(findings, name)


def _verdict(findings: Findings, name: str) -> str:
    if findings.faults:
        count = len(findings.faults)
        more = " and more" if findings.untold else ""
        return "DOES NOT VERIFY: {}: {}{}".format(plain(name), counted(count, "fault"), more)
    if findings.unchecked:
        return f"COULD NOT CHECK: {plain(name)}: nothing is concluded"
    return f"VERIFIED: {plain(name)}"


def verify(path: str, pins: Pins = Pins()) -> Findings:  # noqa: B008 -- a frozen value
    """Verify the archive, the unpacked archive or the folder of receipts at a path."""
    findings = Findings()
    try:
        if not os.path.isdir(path):
            verify_archive(ZipSource(path, findings), pins, findings)
        else:
            source = FolderSource(path, findings)
            (verify_receipts if _is_chain(source.paths) else verify_archive)(source, pins, findings)
    except OSError as error:
        findings.cannot("X-IO", path, str(error))
    except MemoryError:
        findings.cannot("X-LIMIT", path, "out of memory")
    return findings


BAG = frozenset((MANIFEST, TAG_MANIFEST, "bagit.txt", "bag-info.txt", "manifest-sha256.txt", "data"))  # an archive's


def _is_chain(paths: Sequence[str]) -> bool:
    """Whether the files of a folder are receipts, or what a first freeze that was stopped has left."""
    if any(path.partition("/")[0] in BAG for path in paths):
        return False
    stray = (STORE + "/", ASIDE)
    return any(RECEIPT_NAME.fullmatch(path) for path in paths) or all(path.startswith(stray) for path in paths)


def targets(path: str) -> list[str]:
    """What there is to verify at a path: itself, or, for a folder of chains such as receipts/, each of its folders."""
    if not os.path.isdir(path):
        return [path]
    try:
        folders = {name: os.path.join(path, name) for name in sorted(os.listdir(path)) if name != "__pycache__"}
        files = {name for name, place in folders.items() if not os.path.isdir(place)}
        if any(name in BAG or RECEIPT_NAME.fullmatch(name) for name in files):
            return [path]
        folders = {name: place for name, place in folders.items() if name not in files}
        chains = [name for name, place in folders.items() if any(map(RECEIPT_NAME.fullmatch, os.listdir(place)))]
    except OSError:
        return [path]  # verifying it will say why
    payload = "data" in folders and "data" not in chains  # of an archive without its manifests
    return list(folders.values()) if chains and not payload else [path]


def _digest(text: str) -> str:
    """A digest as given on the command line."""
    if not re.fullmatch("[0-9a-fA-F]{64}", text):
        raise argparse.ArgumentTypeError("not 64 hex digits")
    return text.lower()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line: print every finding, and give the exit code."""
    parser = argparse.ArgumentParser(
        description="Verify an archive (a zip file, or the folder of an unpacked one) or a folder of receipts.",
        epilog="exit codes: 0 verified, 1 does not verify, 2 could not check",
    )
    parser.add_argument("path", help="the archive, or receipts/STUDY")
    parser.add_argument(
        "--expect-archive", type=_digest, metavar="SHA256", help="the SHA-256 of MANIFEST.json, as published"
    )
    parser.add_argument(
        "--expect-head", type=_digest, metavar="SHA256", help="the SHA-256 of the last receipt, as published"
    )
    parser.add_argument("--allowed-signers", metavar="FILE", help="an OpenSSH allowed_signers file of your own")
    parser.add_argument("--signer", metavar="NAME", help="who must have signed every receipt")
    parser.add_argument("--specs", metavar="FOLDER", help="a study's folder: its files must be those frozen last")
    found = parser.parse_args(arguments)
    if (found.allowed_signers is None) != (found.signer is None):
        parser.error("--allowed-signers and --signer go together")
    pins = Pins(found.expect_archive, found.expect_head, found.allowed_signers, found.signer, found.specs)
    places = targets(found.path)
    if len(places) > 1 and (found.expect_archive or found.expect_head or found.specs):
        parser.error(f"{found.path} holds {len(places)} chains; --expect-... and --specs are of one: name it")
    said = [_said(path, pins, several=len(places) > 1) for path in places]
    codes = [code for code, _ in said if code is not None]
    _print([line for _, printed in said for line in printed] + ([_summary(codes)] if len(places) > 1 else []))
    return 1 if 1 in codes else max(codes)


def _said(path: str, pins: Pins, *, several: bool) -> tuple[int | None, list[str]]:
    """The exit code and lines of a place, whatever happens; no code for an empty folder among several."""
    try:
        if several and not os.listdir(path):
            return None, [f"W-EMPTY {plain(path)}: an empty folder, passed over"]
        findings = verify(path, pins)
        return findings.exit_code, list(lines(findings, path))
    except Exception as error:  # noqa: BLE001 -- what is checked may be made to break this, which must not end it untold
        findings = Findings()
        findings.cannot("X-FAILURE", path, f"this verifier failed, which is a bug of it: {error!r}")
        return findings.exit_code, list(lines(findings, path))


def _summary(codes: Sequence[int]) -> str:
    for code, words in ((1, "DOES NOT VERIFY"), (2, "COULD NOT CHECK")):
        if code in codes:
            return "{}: {} of {}".format(words, codes.count(code), counted(len(codes), "chain"))
    return f"VERIFIED: {len(codes)} of {counted(len(codes), 'chain')}"


def _print(printed: Iterable[str]) -> None:
    """Print lines; whoever has read enough of them, as `head` has, is no failure."""
    try:
        for line in printed:
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what the interpreter flushes at its end


if __name__ == "__main__":
    sys.exit(main())
