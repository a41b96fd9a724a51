"""What freeze, gate and run receipts state, from a snapshot and a chain: predicates, and the files they bind."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from multiverse.errors import printable
from multiverse.receipts.chain import Chain
from multiverse.receipts.snapshot import BoundFile, Snapshot
from multiverse.verify import Receipt, listing_sha256, sha256

Json = dict[str, Any]
FAMILIES = "frozen/families.json"


class Statement(NamedTuple):
    """What a receipt states and binds: a predicate, and digests by name."""

    predicate: Json
    subjects: dict[str, str]


def bound_name(chain: Chain, base: str, digest: str) -> str:
    """The name under which a receipt binds bytes: that of the same bytes before, or one that was never taken."""
    folder, _, rest = base.partition("/")
    again = re.compile(rf"{folder}/[0-9]{{4}}/{re.escape(rest)}")
    bound = chain.bound
    for name in (base, *(name for name in bound if again.fullmatch(name))):
        if bound.get(name) == digest:
            return name
    return base if base not in bound else f"{folder}/{chain.following:04d}/{rest}"


def seen(chain: Chain, snapshot: Snapshot, git: Json | None) -> Statement:
    """What every freeze, gate and run states: code, environment, git, lock, spec files and data."""
    specs = [_named(chain, file) for file in snapshot.specs]
    data = [_named(chain, file) for file in snapshot.inputs]
    predicate = {
        "code": snapshot.runtime.code,
        "environment": snapshot.runtime.environment,
        "lock": snapshot.runtime.lock,
        "git": git,
        "specs": [{"id": file.path.stem, "path": name, "meaning_sha256": file.meaning} for name, file in specs],
        "inputs": [{"table": file.table, "path": name, "source": file.source} for name, file in data],
    }
    return Statement(predicate, {name: file.sha256 for name, file in [*specs, *data]})


def _named(chain: Chain, file: BoundFile) -> tuple[str, BoundFile]:
    return bound_name(chain, file.name, file.sha256), file


def frozen(chain: Chain, snapshot: Snapshot, *, access: Json, reason: str | None) -> Statement:
    """What a freeze states; with a reason it takes the place of the freeze before it."""
    parent = chain.freezes[-1].digest if chain.freezes else None
    digest = sha256(snapshot.families)
    families = bound_name(chain, FAMILIES, digest)
    common = seen(chain, snapshot, _renamed(chain, snapshot))
    predicate = common.predicate | {
        "access": access,
        "admissibility": {
            "jointly_frozen": True,
            "motivation": "prospective" if parent is None else "post-hoc motivated, prospectively frozen",
            "parent": parent,
            "reason": reason,
        },
        "families": families,
        "gates": snapshot.gates,
        "methods": snapshot.methods,
        "resampling": snapshot.resampling,
    }
    return Statement(predicate, common.subjects | {families: digest})


def _renamed(chain: Chain, snapshot: Snapshot) -> Json | None:
    """The git state with the names under which the receipt binds the spec files."""
    if snapshot.git is None:
        return None
    names = {file.name: bound_name(chain, file.name, file.sha256) for file in snapshot.specs}
    return snapshot.git | {"paths": [one | {"name": names[one["name"]]} for one in snapshot.git["paths"]]}


def kept(snapshot: Snapshot, contents: Iterable[bytes]) -> dict[str, bytes]:
    """The files that a freeze keeps a copy of, by digest: spec files and families."""
    return {sha256(content): content for content in [*contents, snapshot.families]}


def judged(chain: Chain, snapshot: Snapshot, freeze: Receipt, gates: list[Json]) -> Statement:
    """What a gate receipt states."""
    common = seen(chain, snapshot, without_paths(snapshot.git))
    verdict = "NO_GO" if any(gate["verdict"] == "NO_GO" for gate in gates) else "GO"
    return Statement(common.predicate | {"freeze": freeze.digest, "gates": gates, "verdict": verdict}, common.subjects)


def without_paths(git: Json | None) -> Json | None:
    """The git state of a receipt that binds nothing to a commit."""
    return None if git is None else git | {"paths": []}


class Finished(NamedTuple):
    """A run that has ended: its family, where it wrote, what, and what it found changed (none: it is complete)."""

    family: str
    specs: Sequence[str]
    out: str
    written: Mapping[str, str]  # digest by path below `out`
    gates: list[Json]
    exploratory: bool
    changed: list[str]


def ran(chain: Chain, snapshot: Snapshot, freeze: Receipt, finished: Finished, git: Json | None) -> Statement:
    """What a run receipt states; an exploratory run binds what it wrote and nothing else."""
    common = seen(chain, snapshot, git)
    predicate = common.predicate | {
        "changed": finished.changed,
        "family": finished.family,
        "freeze": freeze.digest,
        "gates": finished.gates,
        "methods": snapshot.methods,
        "out": printable(finished.out),
        "reported": {"specs": len(finished.specs), "sha256": listing_sha256(finished.specs)},
        "resampling": snapshot.resampling,
        "status": "exploratory" if finished.exploratory else "complete",
    }
    folder = results_folder(chain, freeze, finished)
    outputs = {f"{folder}/{path}": digest for path, digest in finished.written.items()}
    if finished.exploratory:
        return Statement(predicate | {"specs": [], "inputs": [], "git": without_paths(git)}, outputs)
    return Statement(predicate, common.subjects | outputs)


def results_folder(chain: Chain, freeze: Receipt, finished: Finished) -> str:
    """Where an archive holds what a run wrote: under an amended freeze apart from what was written before it."""
    if finished.exploratory:
        return f"results/exploratory/{chain.following:04d}/{finished.family}"
    return f"results/{generation(freeze)}{finished.family}"


def generation(freeze: Receipt) -> str:
    """The folder of a freeze's results: none for the first, its number for one that amends another."""
    return f"{freeze.seq:04d}/" if freeze.predicate["admissibility"]["parent"] else ""
