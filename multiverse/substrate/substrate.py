"""The data a study holds fixed, integer-coded; every fault names table, column, row and count (DESIGN section 2)."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from multiverse.declaration import Declaration
from multiverse.declaration.coordinates import Kind
from multiverse.errors import Fault, InputError
from multiverse.predicates import ColumnKind
from multiverse.substrate.coding import Reader, ScoreColumn, code_objects, code_outcomes, code_predictions, code_rows
from multiverse.substrate.columns import Attribute, attributes, column_faults, located, table_contracts
from multiverse.substrate.tables import Table, part_paths, read_table


@dataclass(frozen=True, kw_only=True, slots=True)
class Substrate:
    """The tables of a study as integer-coded frames; `r` counts rows, `m` methods, `state` states, each from 0.

    rows: cluster, stratum (codes), attributes. objects: r, g, o, attributes (None for scores).
    answers: r, m, state, attributes, and h, o (hypotheses) or epoch, v0, v1, ... (scores: codes of exact values).
    """

    kind: Kind
    rows: pl.DataFrame
    row_ids: pl.Series
    strata: tuple[str, ...]
    methods: tuple[str, ...]
    states: tuple[str, ...]
    objects: pl.DataFrame | None
    answers: pl.DataFrame
    attributes: Mapping[str, Mapping[str, Attribute]]  # by table, by the column's own name
    scores: Mapping[str, ScoreColumn]  # by score column
    objects_place: str  # the table of what contracts judge and its file, for messages
    answers_place: str  # the table of answers and its file, for messages


def read_substrate(declaration: Declaration) -> Substrate:
    """All tables of a study; raises InputError with every fault found in them."""
    reader = _open(declaration, with_answers=True)
    rows = code_rows(reader)
    kind = declaration.substrate.kind
    objects = code_objects(reader, rows) if kind == "hypotheses" else None
    answers = code_predictions(reader, rows) if kind == "hypotheses" else code_outcomes(reader, rows)
    _raise(reader.faults)
    return Substrate(
        kind=kind,
        rows=rows.frame,
        row_ids=rows.ids,
        strata=rows.strata,
        methods=answers.methods,
        states=answers.states,
        objects=objects,
        answers=answers.frame,
        attributes={name: attributes(table, reader.contracts[name]) for name, table in reader.tables.items()},
        scores=answers.scores,
        objects_place=located(reader.tables["objects" if kind == "hypotheses" else "rows"]),
        answers_place=located(answers.table),
    )


def check_references(declaration: Declaration) -> dict[str, int]:
    """Rows and objects checked, predictions or outcomes never opened; the number of records of each table read."""
    reader = _open(declaration, with_answers=False)
    rows = code_rows(reader)
    if "objects" in reader.tables:
        code_objects(reader, rows)
    _raise(reader.faults)
    return {name: table.frame.height for name, table in reader.tables.items()}


def _raise(faults: list[Fault]) -> None:
    if faults:
        raise InputError(dict.fromkeys(faults))


def _open(declaration: Declaration, *, with_answers: bool) -> Reader:
    """Tables read and their columns checked; a study whose columns are at fault goes no further."""
    faults: list[Fault] = []
    contracts = {contract.name: contract for contract in table_contracts(declaration)}
    tables = {}
    for name, contract in contracts.items():
        request = contract.request(declaration)
        if name in ("predictions", "outcomes") and not with_answers:
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
