"""A run computed again from frozen specs and data, to be compared byte for byte with what its receipt binds."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from multiverse.audit import evaluate
from multiverse.declaration import Declaration, read_declaration
from multiverse.declaration.study import Named
from multiverse.errors import Fault, NotFrozenError
from multiverse.gates import GateVerdict, judge_gates
from multiverse.output import audit_files
from multiverse.receipts.chain import Chain
from multiverse.receipts.snapshot import families_bytes, file_sha256, spec_files, stated_fields
from multiverse.record import record_bytes
from multiverse.standing import frozen_standing, gate_entry
from multiverse.summary import report_text
from multiverse.verify import Receipt, sha256

Json = dict[str, Any]
Content = bytes | Path  # of a file: its bytes, or where they lie
Unpack = Callable[[str, Path], bool]  # a bound name and where to write the file; whether it was at hand


class Rerun(NamedTuple):
    """What a run that was computed again gave."""

    run: Receipt
    freeze: Receipt  # that it was under
    superseded: bool  # whether a later freeze took the place of that
    compared: int  # files
    differing: tuple[str, ...]  # names of files with other bytes
    missing: tuple[str, ...]  # names of spec or data files that are not at hand; nothing was then computed
    claims: tuple[str, ...] = ()  # what the receipts state otherwise than the frozen specs and the gates give it


def bound_outputs(run: Receipt) -> dict[str, str]:
    """What a run wrote: digest by name."""
    return {name: digest for name, digest in run.subjects.items() if name.startswith("results/")}


def written_outputs(run: Receipt) -> dict[str, Content]:
    """The outputs of a run that lie where it wrote them, unchanged, by name."""
    bound, root = bound_outputs(run), _root(run)
    places = {name: Path(run.predicate["out"]) / name.removeprefix(root) for name in bound}
    return {name: place for name, place in places.items() if place.is_file() and file_sha256(place) == bound[name]}


def whole_outputs(chain: Chain, run: Receipt, unpack: Unpack, progress: Callable[[str], None]) -> dict[str, Content]:
    """All outputs of a run, computed again where they do not lie where it wrote them.

    Raises NotFrozenError where they then come out otherwise than its receipt binds them, or cannot be computed.
    """
    bound, found = bound_outputs(run), written_outputs(run)
    if len(found) == len(bound):
        return found
    progress(f"computing {run.name} again")
    again = _computed(chain, run, unpack)
    if again.missing:
        text = f"its outputs are not where it wrote them, nor is what to compute them from: {', '.join(again.missing)}"
        expected = f"{run.predicate['out']} as it was written, or the data that was frozen"
        raise NotFrozenError([Fault(where=run.name, found=text, expected=expected)])
    differing = [name for name in bound if sha256(again.outputs.get(name, b"")) != bound[name]]
    if differing:
        more = f" ({len(differing) - 1} more)" if len(differing) > 1 else ""
        text = f"not where {run.name} wrote it, and comes out otherwise when computed again{more}"
        expected = f"{run.predicate['out']} as it was written, or the specs, data and libraries that were frozen"
        raise NotFrozenError([Fault(where=differing[0], found=text, expected=expected)])
    return {name: again.outputs[name] for name in bound}


def _root(run: Receipt) -> str:
    return next(name for name in bound_outputs(run) if name.endswith("/record.json")).removesuffix("record.json")


def content_bytes(content: Content) -> bytes:
    """The bytes of a file."""
    return content if isinstance(content, bytes) else content.read_bytes()


def _rerun_outputs(
    declaration: Declaration, freeze: Receipt, family: str, verdicts: tuple[GateVerdict, ...]
) -> dict[str, bytes]:
    """What an audit of a family under a freeze writes, by path below its folder."""
    standing = frozen_standing(freeze.predicate["admissibility"], verdicts)
    found = evaluate(declaration, family=family, standing=standing)
    return dict(audit_files(record_bytes(found.record), found.tables, report_text(found)))


def rerun_all(chain: Chain, unpack: Unpack, progress: Callable[[str], None]) -> Iterator[Rerun]:
    """Every complete run of a chain compared with what it gives again, computed once for each family and freeze."""
    done: dict[tuple[str, str], _Computed] = {}
    for run in chain.of_kind("run"):
        key = (run.predicate["freeze"], run.predicate["family"])
        if run.predicate["status"] == "complete":
            if key not in done:
                progress(f"computing {run.name} again")
                done[key] = _computed(chain, run, unpack)
            yield _compared(chain, run, done[key])


def _compared(chain: Chain, run: Receipt, computed: "_Computed") -> Rerun:
    bound, freeze = bound_outputs(run), _freeze_of(chain, run)
    superseded = freeze is not chain.freezes[-1]
    if computed.missing:
        return Rerun(run, freeze, superseded, 0, (), computed.missing)
    found = {name: sha256(content) for name, content in computed.outputs.items()}
    differing = sorted(name for name in bound.keys() | found.keys() if bound.get(name) != found.get(name))
    claims = tuple(_claims(freeze, run, computed))
    return Rerun(run, freeze, superseded, len(bound), tuple(differing), (), claims)


def _claims(freeze: Receipt, run: Receipt, computed: "_Computed") -> Iterator[str]:
    """What the receipts state otherwise than the frozen specs give it, and the gates."""
    assert computed.declaration is not None
    stated = stated_fields(computed.declaration)
    meanings = {file.path.name: file.meaning for file in spec_files(computed.declaration)}
    for receipt in (freeze, run):
        for field in ("methods", "resampling"):
            if receipt.predicate[field] != stated[field]:
                yield f"{field} of {receipt.name}"
        told = {spec["path"].rpartition("/")[2]: spec["meaning_sha256"] for spec in receipt.predicate["specs"]}
        if told != meanings:
            yield f"meaning_sha256 of {receipt.name}"
    if freeze.predicate["gates"] != stated["gates"]:
        yield f"gates of {freeze.name}"
    if run.predicate["gates"] != computed.gates:
        yield f"gates of {run.name}"
    if freeze.subjects[freeze.predicate["families"]] != sha256(families_bytes(computed.declaration)):
        yield f"families of {freeze.name}"


def _freeze_of(chain: Chain, run: Receipt) -> Receipt:
    return next(one for one in chain.freezes if one.digest == run.predicate["freeze"])


class _Computed(NamedTuple):
    """What a run gives when it is computed from what it saw."""

    outputs: dict[str, bytes]  # by name
    missing: tuple[str, ...]  # names of what is not at hand: then there is nothing else
    declaration: Declaration | None = None
    gates: tuple[Json, ...] | list[Json] = ()


def _computed(chain: Chain, run: Receipt, unpack: Unpack) -> _Computed:
    with tempfile.TemporaryDirectory() as folder:
        unpacked = _unpacked(run, Path(folder), unpack)
        if unpacked.missing:
            return _Computed({}, unpacked.missing)
        declaration, verdicts = unpacked.declaration(), judge_gates(unpacked.declaration())
        outputs = _rerun_outputs(declaration, _freeze_of(chain, run), run.predicate["family"], verdicts)
    named = {_root(run) + path: content for path, content in outputs.items()}
    return _Computed(named, (), declaration, [gate_entry(verdict) for verdict in verdicts])


class _Unpacked(NamedTuple):
    specs: Path
    tables: Mapping[str, str]  # where each table lies, seen from there
    missing: tuple[str, ...]

    def declaration(self) -> Declaration:
        """The frozen study, with its tables where they were unpacked."""
        declaration = read_declaration(self.specs)
        paths = {name: Named(self.tables[name], named.place) for name, named in declaration.substrate.paths.items()}
        return replace(declaration, substrate=replace(declaration.substrate, paths=paths))


def _unpacked(run: Receipt, folder: Path, unpack: Unpack) -> _Unpacked:
    specs, missing = folder / "specs", []
    specs.mkdir()
    for spec in run.predicate["specs"]:
        if not unpack(spec["path"], specs / spec["path"].rpartition("/")[2]):
            missing.append(spec["path"])
    parts: dict[str, list[Path]] = {}
    for one in run.predicate["inputs"]:
        listed = parts.setdefault(one["table"], [])
        place = folder / one["table"] / f"{len(listed) + 1:04d}{Path(one['path']).suffix}"
        place.parent.mkdir(exist_ok=True)
        listed.append(place)
        if not unpack(one["path"], place):
            missing.append(one["path"])
    # Seen from the specs: a temporary folder may have brackets in its name, which a glob would take for its own.
    tables = {
        table: f"../{table}/{listed[0].name if len(listed) == 1 else f'*{listed[0].suffix}'}"
        for table, listed in parts.items()
    }
    return _Unpacked(specs, tables, tuple(missing))


def link_file(source: Path, target: Path) -> bool:
    """Link to a file from where it is wanted, if it is there: it may be too large to copy."""
    if not source.is_file():
        return False
    target.symlink_to(source.resolve())
    return True
