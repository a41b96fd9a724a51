"""The plain evaluator's study: declaration, tables, predicates and specifications of DESIGN sections 2 and 3."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import yaml

Cell = Any  # what a cell of a table or a scalar of a file holds
Record = Mapping[str, Cell]
Table = Sequence[Record]
Spec = tuple[str, ...]

COORDINATES = ("contract", "disposition", "terminal", "reading", "scoring", "aggregation")
TABLES = {"hypotheses": ("rows", "objects", "predictions"), "scores": ("rows", "outcomes")}


@dataclass(frozen=True, kw_only=True, slots=True)
class PlainStudy:
    """A declaration as the YAML files parse, and the tables as lists of dicts."""

    study: Record
    dispositions: Record
    families: Record
    contracts: Record | None = None
    terminals: Record | None = None
    readings: Record | None = None
    scorings: Record | None = None
    aggregations: Record | None = None
    rows: Table
    objects: Table | None = None
    predictions: Table | None = None
    outcomes: Table | None = None


class Keys(NamedTuple):
    """The names of the three key columns."""

    row: str
    cluster: str
    stratum: str


def kind(study: PlainStudy) -> str:
    """The substrate's kind: hypotheses or scores."""
    return str(study.study["substrate"]["kind"])


def keys(study: PlainStudy) -> Keys:
    """The key columns after the declared renames."""
    declared = study.study["substrate"].get("keys") or {}
    return Keys(
        declared.get("row", "row_id"), declared.get("cluster", "cluster_id"), declared.get("stratum", "stratum")
    )


def exact(number: float | str) -> Fraction:
    """A number as written: a float as its shortest round-trip decimal, text as a decimal or p/q."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def mean(values: Sequence[Fraction]) -> Fraction:
    """The exact mean of at least one number."""
    return sum(values, Fraction(0)) / len(values)


# Predicates


def holds(predicate: Record, record: Record) -> bool:
    """Whether a record satisfies a predicate; a leaf on a null is false, `is_null` aside."""
    if not predicate:
        return True
    if "all" in predicate:
        return all(holds(part, record) for part in predicate["all"])
    if "any" in predicate:
        return any(holds(part, record) for part in predicate["any"])
    if "not" in predicate:
        return not holds(predicate["not"], record)
    (test,) = set(predicate) - {"column"}
    return leaf_holds(test, predicate[test], record[predicate["column"]])


def leaf_holds(test: str, wanted: Cell, value: Cell) -> bool:
    """Whether one value passes one test."""
    if test == "is_null":
        return bool((value is None) == wanted)
    if value is None:
        return False
    if test == "equals":
        return bool(value == wanted)
    if test == "in":
        return bool(value in wanted)
    if test == "at_least":
        return bool(value >= wanted)
    if test == "at_most":
        return bool(value <= wanted)
    if test == "above":
        return bool(value > wanted)
    if test == "below":
        return bool(value < wanted)
    raise ValueError(test)


# Specifications


def contract_options(contracts: Record) -> dict[str, Record]:
    """The declared contracts: the factorial, the last factor fastest, then the plain list."""
    options: dict[str, Record] = {}
    factors = contracts.get("factors") or {}
    for choice in product(*factors.values()) if factors else ():
        name = contracts["id"]
        require: list[str] = []
        for factor, level in zip(factors, choice, strict=True):
            name = name.replace("{" + factor + "}", str(level))
            require += factors[factor][level]
        levels = {factor: str(level) for factor, level in zip(factors, choice, strict=True)}
        assert name not in options
        options[name] = {"require": require, "levels": levels}
    for option in contracts.get("options") or ():
        assert str(option["id"]) not in options
        levels = {factor: str(level) for factor, level in (option.get("levels") or {}).items()}
        options[str(option["id"])] = {"require": option.get("require") or [], "levels": levels}
    return options


def coordinate_options(study: PlainStudy) -> dict[str, dict[str, Record]]:
    """The options of each declared coordinate by id, everything in declared order."""
    files = {
        "disposition": study.dispositions,
        "terminal": study.terminals,
        "reading": study.readings,
        "scoring": study.scorings,
        "aggregation": study.aggregations,
    }
    declared = {
        name: {str(option["id"]): option for option in file["options"]}
        for name, file in files.items()
        if file is not None
    }
    if study.contracts is not None:
        declared["contract"] = contract_options(study.contracts)
    return {name: declared[name] for name in COORDINATES if name in declared}


def family_specs(study: PlainStudy, family: str) -> list[Spec]:
    """The specifications of a family, in order and each once."""
    declared = study.families["families"][family]
    if "union" in declared:
        parts = [spec for part in declared["union"] for spec in family_specs(study, part)]
        return list(dict.fromkeys(parts))
    chosen = []
    for name, options in coordinate_options(study).items():
        wanted = declared.get(name, "all")
        chosen.append([option for option in options if wanted == "all" or option in [str(item) for item in wanted]])
    return list(product(*chosen))


def chosen_options(study: PlainStudy, spec: Spec) -> dict[str, Record]:
    """The option a specification chooses on each declared coordinate."""
    return {name: options[part] for (name, options), part in zip(coordinate_options(study).items(), spec, strict=True)}


# Reading a folder


def read_plain(folder: Path) -> PlainStudy:
    """The study in a folder of YAML files, with its tables."""
    declared = {f"{name}s": read_declaration(folder / f"{name}s.yaml") for name in COORDINATES}
    study = read_declaration(folder / "study.yaml")
    assert study is not None
    substrate = study["substrate"]
    texts = {"group_id", "object_id", "method", "hypothesis_id", "status"}
    texts |= {"row_id", "cluster_id", "stratum", *(substrate.get("keys") or {}).values()}
    tables: dict[str, Any] = {name: read_table(folder / substrate[name], texts) for name in TABLES[substrate["kind"]]}
    return PlainStudy(study=study, families=read_declaration(folder / "families.yaml"), **declared, **tables)


def read_declaration(path: Path) -> Cell:
    """One YAML file, None where it is absent."""
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else None


def read_table(path: Path, texts: Iterable[str]) -> list[dict[str, Cell]]:
    """One table by its ending; in CSV the columns in `texts` are text whatever they look like."""
    if path.suffix == ".csv":
        names = pl.read_csv(path, n_rows=0).columns
        overrides = {name: pl.String for name in texts if name in names}
        frame = pl.read_csv(path, infer_schema_length=None, schema_overrides=overrides)
    elif path.suffix == ".jsonl":
        frame = pl.read_ndjson(path, infer_schema_length=None)
    else:
        frame = pl.read_parquet(path)
    # A Float32 is read at its own width: 0.1 stays 0.1.
    narrow = [name for name, width in frame.schema.items() if width == pl.Float32]
    return frame.with_columns(pl.col(narrow).cast(pl.String).cast(pl.Float64)).to_dicts()
