"""One archive of a study that a stranger can verify: specs, data, receipts, results, git objects and the verifier."""

import hashlib
import secrets
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from multiverse import verify
from multiverse.audit import find_study
from multiverse.declaration import Declaration, read_declaration
from multiverse.errors import Fault, InputError, NotFrozenError, ReceiptError
from multiverse.evidence import ledger
from multiverse.identification_record import identification_record, markdown
from multiverse.locks import locked
from multiverse.output import remove_leftovers, write_whole
from multiverse.receipts.chain import Chain, check_apart, read_chain
from multiverse.receipts.drift import is_complete, spec_changes
from multiverse.receipts.git_lock import git_objects
from multiverse.receipts.snapshot import data_files, file_sha256, spec_files
from multiverse.reruns import Content, Unpack, bound_outputs, content_bytes, link_file, whole_outputs
from multiverse.verify import Receipt, ZipEntry, canonical, sha256

Json = dict[str, Any]
_CHUNK = 2**20


class Archived(NamedTuple):
    """An archive that was written and verifies."""

    path: Path
    archive: str  # SHA-256 of MANIFEST.json: what --expect-archive wants
    head: str  # SHA-256 of the last receipt: what --expect-head wants
    sha256: str  # of the file itself
    files: int
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Bag:
    """What is to be archived, by path, and what is not, with the reason."""

    files: dict[str, Content] = field(default_factory=dict)
    withheld: dict[str, tuple[str, str]] = field(default_factory=dict)  # reason and digest
    notes: list[str] = field(default_factory=list)


def archive(
    study: str | Path, out: Path, *, with_data: bool = True, progress: Callable[[str], None] = lambda step: None
) -> Archived:
    """Write the one archive of a study, the same bytes wherever it is made from the same receipts and data.

    Raises NotFrozenError where nothing was frozen or frozen data is no longer there, ReceiptError where the chain or
    the archive does not verify, and InputError where it cannot be written.
    """
    check_apart(out)
    _check_out(out)
    declaration = read_declaration(find_study(study))
    chain = read_chain(declaration.name)
    if not chain.freezes:
        expected = f"`multiverse freeze {declaration.folder}` first"
        raise NotFrozenError([Fault(where=declaration.name, found="not frozen", expected=expected)])
    changed = list(spec_changes(chain, chain.freezes[-1], declaration, spec_files(declaration)))
    if changed:
        raise NotFrozenError(changed)
    bag = _Bag()
    _add_receipts(bag, chain)
    progress("hashing data")
    at_hand = _data_at_hand(chain, declaration)
    _add_data(bag, chain, at_hand, with_data=with_data)
    progress("collecting results")
    records = _add_results(bag, chain, at_hand, progress)
    bag.files.update({f"data/git/{name}": raw for name, raw in git_objects(chain, declaration.folder).items()})
    bag.files["evidence_ledger.md"] = ledger(chain, records)
    bag.files["verify.py"] = Path(verify.__file__).read_bytes()
    _add_identification_record(bag, chain, declaration, records)
    progress("writing the archive")
    manifest, findings = _write(bag, chain, out)
    return Archived(out, manifest, findings.head, file_sha256(out), len(bag.files), tuple(dict.fromkeys(bag.notes)))


def _check_out(out: Path) -> None:
    """Raise InputError unless there is nothing at a path, or an earlier archive, whose place is to be taken."""
    found = ""
    if not out.absolute().parent.is_dir():
        found = "its folder is not there"
    elif out.is_symlink() or (out.exists() and not out.is_file()):
        found = "no plain file"
    elif out.exists() and not _is_archive(out):
        found = "a file that is no archive of a study"
    if found:
        raise InputError([Fault(where=str(out), found=found, expected="a new file, or an earlier archive")])


def _is_archive(path: Path) -> bool:
    """Whether a file begins as every archive does: with a stored MANIFEST.json."""
    start = ZipEntry(verify.MANIFEST.encode(), 0, 0, 0).local
    with path.open("rb") as file:
        begun = file.read(len(start))
    return begun[:14] == start[:14] and begun[26:] == start[26:]


def _add_receipts(bag: _Bag, chain: Chain) -> None:
    for receipt in chain.receipts:
        bag.files[f"data/receipts/{receipt.name}"] = receipt.content
        signature = chain.path(receipt).with_name(receipt.name + ".sig")
        if signature.is_file():
            bag.files[f"data/receipts/{receipt.name}.sig"] = signature.read_bytes()
    for name, digest in chain.bound.items():
        if verify.is_kept(name):
            bag.files[f"data/{name}"] = chain.kept(digest)


def _data_at_hand(chain: Chain, declaration: Declaration) -> dict[str, Path]:
    """The files of the tables that receipts bind, by digest, as far as they are there."""
    bound = {one["table"] for receipt in chain.receipts for one in receipt.predicate.get("inputs", ())}
    found = {}
    for table in bound & declaration.substrate.paths.keys():
        try:
            found.update({file.sha256: file.path for file in data_files(declaration, [table])})
        except InputError:
            continue  # gone: what needs it says so
    return found


def _add_data(bag: _Bag, chain: Chain, at_hand: Mapping[str, Path], *, with_data: bool) -> None:
    """Data by its digest; what an amendment has replaced may be gone, what was frozen last may not."""
    bound = {name: digest for name, digest in chain.bound.items() if name.startswith("inputs/")}
    if not with_data:
        bag.withheld.update({f"data/{name}": ("private", digest) for name, digest in bound.items()})
        return
    last = chain.freezes[-1]
    binding = [last, *(run for run in chain.of_kind("run") if is_complete(run, last))]
    needed = {name for receipt in binding for name in receipt.subjects if name.startswith("inputs/")}
    faults = []
    for name, digest in sorted(bound.items()):
        if digest in at_hand:
            bag.files[f"data/{name}"] = at_hand[digest]
        elif name in needed:
            expected = f"the bytes frozen, with sha256 {digest[:16]}; or --without-data"
            faults.append(Fault(where=name, found="not at hand: gone or changed since the freeze", expected=expected))
        else:
            bag.withheld[f"data/{name}"] = ("superseded", digest)
    if faults:
        raise NotFrozenError(faults)


def _add_results(
    bag: _Bag, chain: Chain, at_hand: Mapping[str, Path], progress: Callable[[str], None]
) -> dict[str, tuple[bytes, str]]:
    """What the runs wrote, found where they wrote it or computed again; the records among it by path.

    Of a run under a freeze that was amended it is there where it could be computed again, whether it has to be or not:
    so the archive does not depend on what lies about.
    """
    unpack, records = _from_study(chain, at_hand), {}
    for run in chain.of_kind("run"):
        bound = bound_outputs(run)
        if run.predicate["status"] == "exploratory":
            bag.withheld.update({f"data/{name}": ("exploratory", digest) for name, digest in bound.items()})
            continue
        if not _repeatable(chain, run, at_hand):
            bag.withheld.update({f"data/{name}": ("superseded", digest) for name, digest in bound.items()})
            continue
        if any(f"data/{name}" not in bag.files for name in bound):
            outputs = whole_outputs(chain, run, unpack, progress)
            bag.files.update({f"data/{name}": content for name, content in outputs.items()})
        record = next(name for name in bound if name.endswith("/record.json"))
        records[f"data/{record}"] = (content_bytes(bag.files[f"data/{record}"]), bound[record])
    for path in bag.files.keys() & bag.withheld.keys():
        del bag.withheld[path]
    return records


def _repeatable(chain: Chain, run: Receipt, at_hand: Mapping[str, Path]) -> bool:
    """Whether a run is under the last freeze, or saw the data and was run by the code and libraries of it."""
    last = chain.freezes[-1].predicate
    if run.predicate["freeze"] == chain.freezes[-1].digest:
        return True
    same_code = run.predicate["code"]["files_sha256"] == last["code"]["files_sha256"]
    fields = ("python", "packages_sha256")
    same_libraries = all(run.predicate["environment"][field] == last["environment"][field] for field in fields)
    data = [run.subjects[one["path"]] for one in run.predicate["inputs"]]
    return same_code and same_libraries and all(digest in at_hand for digest in data)


def _from_study(chain: Chain, at_hand: Mapping[str, Path]) -> Unpack:
    """Spec files from the copies beside the receipts, data by its digest."""
    bound = chain.bound

    def unpack(name: str, target: Path) -> bool:
        if verify.is_kept(name):
            return bool(target.write_bytes(chain.kept(bound[name])))
        return bound[name] in at_hand and link_file(at_hand[bound[name]], target)

    return unpack


def _add_identification_record(
    bag: _Bag, chain: Chain, declaration: Declaration, records: Mapping[str, tuple[bytes, str]]
) -> None:
    """The record of Table 3 for every family that was reported, where none of its seven fields is missing."""
    last, parts = chain.freezes[-1], []
    runs = [run for run in chain.of_kind("run") if is_complete(run, last)]
    bound = {digest for run in runs for digest in run.subjects.values()}
    held = [content for content, digest in records.values() if digest in bound]
    for run in runs:
        try:
            parts.append(markdown(identification_record(chain, declaration, run, held)))
        except InputError as error:
            missing = "; ".join(fault.expected for fault in error.faults)
            bag.notes.append(f"no identification record of family {run.predicate['family']}: it wants {missing}")
    if parts:
        bag.files["identification_record.md"] = "\n".join(dict.fromkeys(parts)).encode()


def _write(bag: _Bag, chain: Chain, out: Path) -> tuple[str, verify.Findings]:
    """Write the archive whole, once it verifies; the digest of its manifest, and what was found."""
    listed = [_listed(path, bag.files[path]) for path in sorted(bag.files)]
    payload = [file for file in listed if file["path"].startswith("data/")]
    made = {"bagit.txt": verify.BAGIT, "bag-info.txt": verify.bag_info(listed)}
    made["manifest-sha256.txt"] = verify.bag_manifest(payload)
    listed = sorted([*listed, *(_listed(path, made[path]) for path in made)], key=lambda file: str(file["path"]))
    manifest = canonical(
        {
            "algorithm": "sha256",
            "chain": {
                "head": chain.receipts[-1].digest,
                "id": chain.receipts[0].predicate["chain"]["id"],
                "length": len(chain.receipts),
            },
            "files": listed,
            "format": verify.FORMAT,
            "study": chain.study,
            "withheld": [
                {"path": path, "reason": reason, "sha256": digest}
                for path, (reason, digest) in sorted(bag.withheld.items())
            ],
        }
    )
    tags = [file for file in listed if not file["path"].startswith("data/")]
    tags = sorted([*tags, {"path": verify.MANIFEST, "sha256": sha256(manifest)}], key=lambda file: str(file["path"]))
    made |= {verify.MANIFEST: manifest, verify.TAG_MANIFEST: verify.bag_manifest(tags)}
    digests = {file["path"]: file["sha256"] for file in listed}
    _check_size({**bag.files, **made}, out)
    with locked(out.parent, f"the archive {out.name}"):
        remove_leftovers(out.parent)
        aside = out.with_name(f"{verify.ASIDE}{secrets.token_hex(8)}.zip")
        try:
            write_whole(aside, lambda file: _write_zip(file, {**bag.files, **made}, digests))
            findings = verify.verify(str(aside))
            if findings.exit_code:
                wrong = [*findings.faults, *findings.unchecked]
                raise ReceiptError(Fault(where=one.where, found=f"{one.code} {one.text}") for one in wrong)
            aside.replace(out)
        finally:
            aside.unlink(missing_ok=True)
    return sha256(manifest), findings


def _listed(path: str, content: Content) -> Json:
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    digest = sha256(content) if isinstance(content, bytes) else file_sha256(content)
    return {"path": path, "sha256": digest, "size": size}


def _check_size(files: Mapping[str, Content], out: Path) -> None:
    size = sum(len(one) if isinstance(one, bytes) else one.stat().st_size for one in files.values())
    if size + 2**20 * 64 > verify.MAX_SIZE or len(files) > verify.MAX_ENTRIES:
        found = f"{len(files)} files of {size} bytes in all"
        expected = "at most 4 GiB and 65,534 files, which is what every unzip reads; or --without-data"
        raise InputError([Fault(where=str(out), found=found, expected=expected)])


def _write_zip(file: BinaryIO, files: Mapping[str, Content], digests: Mapping[str, str]) -> None:
    """A stored zip whose bytes depend on names and contents alone."""
    entries, offset = [], 0
    for path in sorted(files):
        size, crc = _measured(files[path])
        entry = ZipEntry(path.encode("ascii"), crc, size, offset)
        file.write(entry.local)
        hashed = hashlib.sha256()
        for chunk in _chunks(files[path]):
            hashed.update(chunk)
            file.write(chunk)
        if digests.get(path, hashed.hexdigest()) != hashed.hexdigest():
            expected = "data that nobody writes while it is archived"
            raise NotFrozenError([Fault(where=path, found="changed while it was archived", expected=expected)])
        entries.append(entry)
        offset += len(entry.local) + size
    directory = b"".join(entry.central for entry in entries)
    file.write(directory + verify.end_record(len(entries), len(directory), offset))


def _measured(content: Content) -> tuple[int, int]:
    size = crc = 0
    for chunk in _chunks(content):
        size, crc = size + len(chunk), zlib.crc32(chunk, crc)
    return size, crc


def _chunks(content: Content) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
