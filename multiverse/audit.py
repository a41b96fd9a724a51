"""The main path: a declared study, its data, every specification scored, and what survives over a family."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from multiverse.comparisons import Comparisons, compare
from multiverse.declaration import Declaration, read_declaration
from multiverse.drivers import drivers, pairs_driven
from multiverse.endpoints import FamilyEndpoints, PopulationEndpoints, family_endpoints, population_endpoints
from multiverse.errors import Fault, InputError, quoted
from multiverse.gates import pass_gates
from multiverse.identification import check_nesting
from multiverse.output import Written, check_output, write_audit
from multiverse.record import Json, audit_record, audit_tables, record_bytes
from multiverse.row_audit import row_audit
from multiverse.scoring import score
from multiverse.specification import Family, union_family
from multiverse.standing import Standing
from multiverse.substrate import check_references, read_substrate
from multiverse.uncertainty import Uncertainty, uncertainties

STUDIES = Path("specs")


@dataclass(frozen=True, kw_only=True, slots=True)
class Audit:
    """What an audit of one family found: the record, its tables as Polars frames, and the values behind them."""

    declaration: Declaration
    family: Family
    standing: Standing
    populations: Mapping[str, FamilyEndpoints]
    comparisons: Mapping[str, Comparisons]
    uncertainty: Mapping[str, Uncertainty]  # empty where the study declares no resampling
    record: Json
    tables: Mapping[str, pl.DataFrame]

    @property
    def levels(self) -> pl.DataFrame:
        """A record per population, specification and method."""
        return self.tables["levels"]

    @property
    def margins(self) -> pl.DataFrame:
        """A record per population, specification and pair of methods."""
        return self.tables["margins"]

    @property
    def effects(self) -> pl.DataFrame:
        """A record per population, effect, cell and background; the mean over backgrounds has none."""
        return self.tables["effects"]

    @property
    def rankings(self) -> pl.DataFrame:
        """A record per population, specification and method: its rank, null where a level is undefined."""
        return self.tables["rankings"]

    @property
    def identified(self) -> pl.DataFrame:
        """A record per value of every identified set."""
        return self.tables["identified"]

    @property
    def row_audit(self) -> pl.DataFrame:
        """A record per population, effect, cell, background and row that moves there."""
        return self.tables["row_audit"]

    @property
    def specifications(self) -> pl.DataFrame:
        """A record per specification: its option on each declared coordinate, and the families inside that hold it."""
        return self.tables["specifications"]

    @property
    def options(self) -> pl.DataFrame:
        """A record per option of each coordinate: what it declares, in words, and why."""
        return self.tables["options"]

    @property
    def cells(self) -> pl.DataFrame:
        """A record per effect, whole cell and background: the two specifications that it is the difference of."""
        return self.tables["cells"]

    @property
    def drivers(self) -> pl.DataFrame:
        """A record per population, pair, specification and row that moves the margin most from the first one."""
        return self.tables["drivers"]

    @property
    def settled(self) -> bool:
        """Whether every effect and ranking is point identified, in every population."""
        sets = [one for found in self.populations.values() for one in found.identified]
        return all(one.point_identified for one in sets if one.endpoint in ("effect", "ranking"))

    def write(self, out: str | Path, report: str | None = None) -> tuple[Written, ...]:
        """Write record.json, tables/ and a summary into a folder that is new, empty or an earlier audit's."""
        return write_audit(Path(out), record_bytes(self.record), self.tables, report)


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """What a check found: the declaration, and how many records each table holds but the predictions or outcomes."""

    declaration: Declaration
    records: Mapping[str, int]


def study_names() -> list[str]:
    """The names of the studies under specs/, sorted."""
    return sorted(path.name for path in STUDIES.iterdir() if path.is_dir()) if STUDIES.is_dir() else []


def find_study(study: str | Path) -> Path:
    """The folder of a study: a path to one, or a name under specs/; InputError where there is neither."""
    if str(study).strip():
        for folder in (Path(study), STUDIES / study):
            if folder.is_dir():
                return folder
    known = ", ".join(map(quoted, study_names()))
    expected = "a folder of YAML files, or the name of one under specs/"
    listed = f" ({known})" if known else ""
    found = "a file" if Path(study).is_file() else "no such study"
    raise InputError([Fault(where=str(study) or "STUDY", found=found, expected=expected + listed)])


def check(study: str | Path) -> Check:
    """Check a study's declaration, rows and objects; its predictions or outcomes are never opened."""
    declaration = read_declaration(find_study(study))
    return Check(declaration=declaration, records=check_references(declaration))


def audit(
    study: str | Path,
    *,
    family: str,
    out: str | Path | None = None,
    threads: int | None = None,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda step: None,
) -> Audit:
    """Audit one family of a study apart from any freeze, and write record and tables where `out` names a folder.

    Raises InputError, with every fault, where the declaration or the data is at fault, and GateError, before any
    prediction or outcome is opened, where a gate says NO_GO.
    """
    if out is not None:
        check_output(Path(out))
    progress("reading the declaration")
    declaration = read_declaration(find_study(study))
    declaration.family(family)
    if declaration.gates:
        progress("judging the gates")
    standing = Standing(gates=pass_gates(declaration, threads=threads))
    result = evaluate(declaration, family=family, standing=standing, threads=threads, jobs=jobs, progress=progress)
    if out is not None:
        result.write(out)
    return result


def evaluate(
    declaration: Declaration,
    *,
    family: str,
    standing: Standing,
    threads: int | None = None,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda step: None,
) -> Audit:
    """Everything that a declared study says over one family: the main path, from tables to record.

    Raises InputError, with every fault, where the data is at fault.
    """
    chosen = declaration.family(family)
    progress("reading the tables")
    substrate = read_substrate(declaration)
    specs = union_family("", declaration.families).specs
    driven = pairs_driven(substrate.rows.height, len(declaration.populations), len(chosen.specs))
    keep_rows = bool(declaration.endpoints.effects) or _resamples(declaration) or bool(driven)
    scores = score(declaration, substrate, specs, keep_rows=keep_rows, threads=threads, progress=progress)
    endpoints = {
        name: population_endpoints(declaration, scores.methods, population, specs)
        for name, population in scores.populations.items()
    }
    progress("comparing")
    comparisons = compare(declaration, substrate, scores.rows, endpoints, specs)
    progress("identifying")
    found = identify_families(declaration, endpoints)
    uncertain: dict[str, Uncertainty] = {}
    if scores.rows is not None and _resamples(declaration):
        progress("resampling")
        uncertain = uncertainties(declaration, substrate, scores.rows, found[family], comparisons, jobs=jobs)
    progress("auditing rows")
    audited = row_audit(declaration, scores.rows, substrate.row_ids, found[family], specs)
    driving = drivers(declaration, scores.rows, substrate.row_ids, found[family])
    return Audit(
        declaration=declaration,
        family=chosen,
        standing=standing,
        populations=found[family],
        comparisons=comparisons,
        uncertainty=uncertain,
        record=audit_record(declaration, chosen, found[family], comparisons, uncertain, standing=standing),
        tables=audit_tables(declaration, chosen, found[family], uncertain, audited=audited, driving=driving),
    )


def _resamples(declaration: Declaration) -> bool:
    """Whether the study asks for sampling uncertainty."""
    return declaration.resampling is not None and declaration.resampling.method != "none"


def identify_families(
    declaration: Declaration, endpoints: Mapping[str, PopulationEndpoints]
) -> dict[str, dict[str, FamilyEndpoints]]:
    """What every family shows, by family and population; sets that do not nest as their families do stop the run."""
    families = declaration.families
    found = {
        family.name: {name: family_endpoints(declaration, one, family) for name, one in endpoints.items()}
        for family in families
    }
    nested = [(f.name, g.name) for f in families for g in families if f is not g and g.contains(f)]
    for population in endpoints:
        check_nesting({name: by_population[population].identified for name, by_population in found.items()}, nested)
    return found
