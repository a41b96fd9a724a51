"""What a study is, here and now: spec files, data tables and what would run them, each by digest."""

import hashlib
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from multiverse.declaration import Declaration
from multiverse.errors import Fault, InputError, NotFrozenError
from multiverse.exact import exact_text
from multiverse.receipts.environment import Runtime, runtime
from multiverse.repository import committed_paths, find_repository, git_state
from multiverse.strict_yaml import Mapping as MappingNode
from multiverse.strict_yaml import Node, Scalar, Sequence
from multiverse.substrate import table_files
from multiverse.verify import canonical, sha256

Json = dict[str, Any]
ANSWERS = ("predictions", "outcomes")
_CHUNK = 2**20


@dataclass(frozen=True, kw_only=True, slots=True)
class BoundFile:
    """A file that a receipt binds: its name there, its digest, and where it lies."""

    name: str  # such as specs/contracts.yaml or inputs/rows.csv, before any earlier receipt took it
    sha256: str
    path: Path
    table: str = ""  # of data: rows, objects, predictions or outcomes
    source: str = ""  # of data: the path as declared, seen from the study's folder or from the root
    meaning: str = ""  # of a spec file: the digest of what it means


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """A study as it stands; `git` is null outside of a repository."""

    specs: tuple[BoundFile, ...]
    inputs: tuple[BoundFile, ...]
    methods: list[str] | None
    resampling: Json | None
    families: bytes
    gates: list[Json]
    runtime: Runtime
    git: Json | None


def snapshot(declaration: Declaration, tables: Collection[str]) -> Snapshot:
    """A study as it stands; of the data, the named tables alone are opened."""
    return Snapshot(
        specs=spec_files(declaration),
        inputs=data_files(declaration, tables),
        families=families_bytes(declaration),
        runtime=runtime(),
        git=_git(declaration),
        **stated_fields(declaration),
    )


def stated_fields(declaration: Declaration) -> Json:
    """What receipts state of a declaration beside its files: methods, resampling and gates."""
    return {
        "methods": None if declaration.methods is None else [method.text for method in declaration.methods],
        "resampling": _resampling(declaration),
        "gates": [{"id": gate.id, "at_least": gate.at_least} for gate in declaration.gates],
    }


def families_bytes(declaration: Declaration) -> bytes:
    """Every family with the ids of its specifications, as a freeze keeps it."""
    families = [{"family": family.name, "specs": [spec.id for spec in family.specs]} for family in declaration.families]
    return canonical({"families": families})


def spec_files(declaration: Declaration) -> tuple[BoundFile, ...]:
    """The spec files of a study with their digests, and those of what they mean."""
    return tuple(_spec(declaration.folder, file.name, file.content, file.node) for file in declaration.files)


def all_tables(declaration: Declaration) -> tuple[str, ...]:
    """The tables of a study."""
    return tuple(declaration.substrate.paths)


def reference_tables(declaration: Declaration) -> tuple[str, ...]:
    """The tables that do not hold answers."""
    return tuple(table for table in all_tables(declaration) if table not in ANSWERS)


def answer_tables(declaration: Declaration) -> tuple[str, ...]:
    """The table that holds answers."""
    return tuple(table for table in all_tables(declaration) if table in ANSWERS)


def data_files(declaration: Declaration, tables: Collection[str]) -> tuple[BoundFile, ...]:
    """The files of some tables with their digests; InputError where a receipt cannot state the name of one."""
    files = table_files(declaration, tables)
    expected = "a name in UTF-8"
    faults = [
        Fault(where=f"{table} ({path})", found="its name is not UTF-8: no receipt can state it", expected=expected)
        for table, paths in files.items()
        for path in paths
        if not _is_text(str(path))
    ]
    if faults:
        raise InputError(faults)
    return tuple(
        BoundFile(
            name=f"inputs/{table}{f'/{number:04d}' if len(paths) > 1 else ''}{path.suffix.lower()}",
            sha256=file_sha256(path),
            path=path,
            table=table,
            source=_source(declaration, table, path),
        )
        for table, paths in files.items()
        for number, path in enumerate(paths, 1)
    )


def _is_text(path: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in path)


def _source(declaration: Declaration, table: str, path: Path) -> str:
    """Where a file lies in the way its table is declared: seen from the study's folder, or from the root."""
    absolute = Path(declaration.substrate.paths[table].text).is_absolute()
    return path.as_posix() if absolute else Path(os.path.relpath(path, declaration.folder)).as_posix()


def check_unmoved(before: Collection[BoundFile]) -> None:
    """Raise NotFrozenError where a data file is no longer what it was when it was hashed first."""
    moved = [file for file in before if file_sha256(file.path) != file.sha256]
    expected = "data that nobody writes while an audit reads it"
    if moved:
        raise NotFrozenError(
            Fault(where=str(file.path), found="changed while it was being read", expected=expected) for file in moved
        )


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file of any size."""
    hashed = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            hashed.update(chunk)
    return hashed.hexdigest()


def _spec(folder: Path, name: str, content: bytes, node: Node) -> BoundFile:
    meaning = sha256(canonical({"meaning": meaning_of(node)}))
    return BoundFile(name=f"specs/{name}", sha256=sha256(content), path=folder / name, meaning=meaning)


def meaning_of(node: Node) -> object:
    """What a YAML document says, apart from how: text as it is, numbers exact, mappings as pairs in their order."""
    match node:
        case Sequence(items=items):
            return [meaning_of(item) for item in items]
        case MappingNode(entries=entries):
            return {"mapping": [[meaning_of(key), meaning_of(value)] for key, value in entries]}
        case Scalar(value=int() | Fraction() as value) if not isinstance(value, bool):
            return {"number": exact_text(Fraction(value))}
        case Scalar(value=value):
            return value


def _resampling(declaration: Declaration) -> Json | None:
    found = declaration.resampling
    if found is None:
        return None
    return {
        "draws": found.draws,
        "generator": "PCG64",
        "interval": found.interval,
        "level": exact_text(found.level),
        "method": found.method,
        "seed": str(found.seed),
        "strata": None if found.strata is None else found.strata.text,
        "unit": found.unit,
    }


def _git(declaration: Declaration) -> Json | None:
    """The repository that holds the study, with the path of each spec file where the commit holds all of them."""
    contents = {declaration.folder / file.name: file.content for file in declaration.files}
    names = {declaration.folder / file.name: f"specs/{file.name}" for file in declaration.files}
    return bound_to_commit(declaration.folder, contents, names)


def bound_to_commit(folder: Path, contents: Mapping[Path, bytes], names: Mapping[Path, str]) -> Json | None:
    """The state of the repository around a folder; `paths` is empty unless its commit holds exactly all contents."""
    top = find_repository(folder)
    if top is None:
        return None
    found = committed_paths(top, contents)
    if found.faults:
        raise InputError(found.faults)
    state = git_state(top, [folder, Path(__file__).resolve().parent.parent])
    held = all(one.committed for one in found.files.values())
    paths = [{"name": names[file], "path": one.path} for file, one in found.files.items()] if held else []
    return {
        "commit": state.commit,
        "tree": state.tree,
        "object_format": state.object_format,
        "shallow": state.shallow,
        "clean": state.clean,
        "status": state.status,
        "submodules": list(state.submodules),
        "paths": paths,
    }
