"""The data a study holds fixed, integer-coded; every fault names table, column, row and count (DESIGN section 2)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from multiverse.declaration import Declaration
from multiverse.declaration.coordinates import Kind
from multiverse.errors import Fault, InputError
from multiverse.predicates import ColumnKind
from multiverse.substrate.coding import Reader, ScoreColumn, code_objects, code_outcomes, code_predictions, code_rows
from multiverse.substrate.columns import Attribute, attributes, column_faults, located, table_contracts
from multiverse.substrate.measures import RowMeasures, code_measures
from multiverse.substrate.tables import Table, part_paths, read_table


@dataclass(frozen=True, kw_only=True, slots=True)
class References:
    """What answers are held against, as integer-coded frames; `r` counts rows from 0.

    rows: cluster, stratum (codes), attributes, measures. objects: r, g, o, attributes (None for scores).
    """

    kind: Kind
    rows: pl.DataFrame
    row_ids: pl.Series
    measures: RowMeasures
    strata: tuple[str, ...]
    objects: pl.DataFrame | None
    attributes: Mapping[str, Mapping[str, Attribute]]  # by table, by the column's own name
    objects_place: str  # the table of what contracts judge and its file, for messages


@dataclass(frozen=True, kw_only=True, slots=True)
class Substrate(References):
    """All tables of a study: the references, and the answers; `m` counts methods, `state` states, each from 0.

    answers: r, m, state, attributes, and h, o (hypotheses) or epoch, v0, v1, ... (scores: codes of exact values).
    """

    methods: tuple[str, ...]
    states: tuple[str, ...]
    answers: pl.DataFrame
    scores: Mapping[str, ScoreColumn]  # by score column
    answers_place: str  # the table of answers and its file, for messages


def read_substrate(declaration: Declaration) -> Substrate:
    """All tables of a study; raises InputError with every fault found in them."""
    reader = _open(declaration, answers="read")
    kind = declaration.substrate.kind
    rows = code_rows(reader)
    frame, measures = code_measures(reader, rows.frame)
    objects = code_objects(reader, rows) if kind == "hypotheses" else None
    answers = code_predictions(reader, rows) if kind == "hypotheses" else code_outcomes(reader, rows)
    _raise(reader.faults)
    return Substrate(
        kind=kind,
        rows=frame,
        row_ids=rows.ids,
        measures=measures,
        strata=rows.strata,
        methods=answers.methods,
        states=answers.states,
        objects=objects,
        answers=answers.frame,
        attributes=_attributes(reader),
        scores=answers.scores,
        objects_place=_objects_place(reader),
        answers_place=located(answers.table),
    )


def read_references(declaration: Declaration) -> References:
    """Rows and objects of a study; predictions or outcomes are not even looked for."""
    reader = _open(declaration, answers="left")
    rows = code_rows(reader)
    frame, measures = code_measures(reader, rows.frame)
    objects = code_objects(reader, rows) if "objects" in reader.tables else None
    _raise(reader.faults)
    return References(
        kind=declaration.substrate.kind,
        rows=frame,
        row_ids=rows.ids,
        measures=measures,
        strata=rows.strata,
        objects=objects,
        attributes=_attributes(reader),
        objects_place=_objects_place(reader),
    )


def _attributes(reader: Reader) -> dict[str, dict[str, Attribute]]:
    return {name: attributes(table, reader.contracts[name]) for name, table in reader.tables.items()}


def _objects_place(reader: Reader) -> str:
    return located(reader.tables.get("objects", reader.tables["rows"]))


def check_references(declaration: Declaration) -> dict[str, int]:
    """Rows and objects checked, predictions or outcomes never opened; the number of records of each table read."""
    reader = _open(declaration, answers="found")
    rows = code_rows(reader)
    code_measures(reader, rows.frame)
    if "objects" in reader.tables:
        code_objects(reader, rows)
    _raise(reader.faults)
    return {name: table.frame.height for name, table in reader.tables.items()}


def table_files(declaration: Declaration, tables: Collection[str]) -> dict[str, tuple[Path, ...]]:
    """The files of some tables by table, sorted, none of them opened; raises InputError where one has none."""
    faults: list[Fault] = []
    requests = [contract.request(declaration) for contract in table_contracts(declaration) if contract.name in tables]
    found = {request.name: part_paths(declaration.folder, request, faults) for request in requests}
    _raise(faults)
    return found


def _raise(faults: list[Fault]) -> None:
    if faults:
        raise InputError(dict.fromkeys(faults))


def _open(declaration: Declaration, *, answers: Literal["read", "found", "left"]) -> Reader:
    """Tables read and their columns checked; a study whose columns are at fault goes no further.

    Answers are read, or no more than found where they are declared to be, or left alone.
    """
    faults: list[Fault] = []
    contracts = {contract.name: contract for contract in table_contracts(declaration)}
    tables = {}
    for name, contract in contracts.items():
        request = contract.request(declaration)
        if name in ("predictions", "outcomes") and answers != "read":
            if answers == "found":
                part_paths(declaration.folder, request, faults)
            continue
        table = read_table(declaration.folder, request, faults)
        if table is not None:
            tables[name] = table
            faults.extend(column_faults(table, contract, declaration))
    _raise(faults)
    reader = Reader(declaration=declaration, contracts=contracts, tables=tables, faults=faults)
    _check_id_kinds(reader)
    return reader


def _check_id_kinds(reader: Reader) -> None:
    """Ids that are compared across tables are of one type in all of them: 7 and '7' are not the same id."""
    for column in (reader.declaration.substrate.key("row"), "object_id"):
        holding: dict[ColumnKind, Table] = {}
        for name, table in reader.tables.items():
            if column in reader.contracts[name].ids and table.kind(column) != "null":
                holding.setdefault(table.kind(column), table)
        if len(holding) > 1:
            whole = holding["integer"]
            found = f"the ids are text here and whole numbers in {whole.name} ({whole.shown})"
            expected = "one type of id in all tables (in CSV every id is text)"
            reader.faults.append(Fault(where=located(holding["text"], column), found=found, expected=expected))
    _raise(reader.faults)
