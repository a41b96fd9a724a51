"""A log imported: read, written as a study, audited once, and held against the numbers it reports."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from multiverse.audit import Audit, evaluate
from multiverse.declaration import read_declaration
from multiverse.declaration.fields import file_safe
from multiverse.errors import Fault, InputError, quoted
from multiverse.importers.exporting import declared_study
from multiverse.importers.families import bounded
from multiverse.importers.formats import read_log
from multiverse.importers.log import Log
from multiverse.importers.reconciliation import Reconciled, reconcile
from multiverse.importers.writing import check_folder, study_files, written_study
from multiverse.standing import Standing


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """A study that was written from a log, its first audit, and the log's numbers beside it."""

    folder: Path
    log: Log
    audit: Audit
    reconciled: tuple[Reconciled, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many rows, methods and outcomes the tables hold."""
        outcomes = self.log.outcomes
        return {"row": self.log.rows.height, "method": outcomes["method"].n_unique(), "outcome": outcomes.height}

    @property
    def states(self) -> dict[str, int]:
        """How many outcomes are in each state; `missing` are pairs of row and method without one."""
        outcomes = self.log.outcomes
        found: dict[str, int] = dict(outcomes.group_by("status").len().iter_rows())
        missing = self.counts["row"] * self.counts["method"] - outcomes.select("row_id", "method").unique().height
        found |= {"missing": found.get("missing", 0) + missing} if missing else {}
        return dict(sorted(found.items()))


def import_log(
    form: str,
    sources: Sequence[Path],
    folder: Path,
    *,
    name: str | None = None,
    mapping: Mapping[str, Sequence[str]] | None = None,
    progress: Callable[[str], None] = lambda step: None,
) -> Imported:
    """Write the study of a log into a folder that is new or empty, audit it once, and reconcile the log's numbers.

    `mapping`: which columns of a score table play which part. Raises InputError where the log is at fault.
    """
    study = _study_name(folder, name)
    check_folder(folder)
    progress("reading the log")
    log = bounded(read_log(form, sources, mapping or {}))
    files = study_files(log, study, [str(source) for source in sources])
    return _written(folder, log, files, progress)


def import_declared(
    sources: Sequence[Path], folder: Path, *, study: str | Path, progress: Callable[[str], None] = lambda step: None
) -> Imported:
    """The same of score tables, under the declaration of a study that is there."""
    check_folder(folder)
    progress("reading the tables")
    log, files = declared_study(study, sources)
    return _written(folder, log, files, progress)


def _written(folder: Path, log: Log, files: Mapping[str, bytes], progress: Callable[[str], None]) -> Imported:
    with written_study(folder, files):  # what cannot be audited is no study
        progress("auditing")
        declaration = read_declaration(folder)
        found = evaluate(declaration, family=declaration.families[0].name, standing=Standing(), progress=progress)
    return Imported(folder=folder, log=log, audit=found, reconciled=reconcile(log, found))


def _study_name(folder: Path, name: str | None) -> str:
    """The name of the study: what is asked for, or the folder's, made fit for a file."""
    if name is not None and not file_safe(name):
        found = f"the study name {quoted(name)}"
        raise InputError([Fault(where="--name", found=found, expected="letters, digits, '.', '_' and '-' only")])
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in folder.absolute().name)
    return name or (plain if file_safe(plain) else f"study{plain}")
