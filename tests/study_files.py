"""A writer that puts a plain study in a folder."""

import csv
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import polars as pl
import yaml

from plain_study import COORDINATES, TABLES, Cell, PlainStudy, Table, keys
from study_tables import COLUMN_TYPES

TableFormat = Literal["parquet", "csv", "jsonl"]
ID_COLUMNS = {"objects": ("group_id", "object_id"), "predictions": ("method", "hypothesis_id", "object_id")}
ID_COLUMNS |= {"rows": (), "outcomes": ("method",)}


class _Quoted(yaml.SafeDumper):
    """Every string quoted, nothing aliased: YAML 1.1 and 1.2 readers agree on it."""

    def ignore_aliases(self, data: object) -> bool:
        return True


_Quoted.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


def write_study(
    study: PlainStudy, folder: Path, *, table_format: TableFormat = "parquet", shuffle_seed: int | None = None
) -> Path:
    """Write the YAML files and the tables of a study into a folder; with a seed, the rows of each table shuffled."""
    folder.mkdir(parents=True, exist_ok=True)
    names = TABLES[study.study["substrate"]["kind"]]
    substrate = {**study.study["substrate"], **{name: f"{name}.{table_format}" for name in names}}
    declared = {f"{name}s": getattr(study, f"{name}s") for name in COORDINATES}
    declared |= {"study": {**study.study, "substrate": substrate}, "families": study.families}
    for name, file in declared.items():
        if file is not None:
            text = yaml.dump(file, Dumper=_Quoted, sort_keys=False, allow_unicode=True, width=10**6)
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8", newline="\n")
    order = random.Random(shuffle_seed)
    for name in names:
        table = list(getattr(study, name))
        if shuffle_seed is not None:
            order.shuffle(table)
        _write_table(table, [keys(study).row, *ID_COLUMNS[name]], folder / substrate[name])
    return folder


def _write_table(table: Table, least: Sequence[str], path: Path) -> None:
    """Write one table by the path's ending, with at least the named columns."""
    columns = [*dict.fromkeys([*least, *(name for record in table for name in record)])]
    if path.suffix == ".jsonl":
        lines = [json.dumps({name: record.get(name) for name in columns}, ensure_ascii=False) for record in table]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    elif path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([columns, *([_csv_field(record.get(name)) for name in columns] for record in table)])
    else:
        schema = {name: _column_type(name, [record.get(name) for record in table]) for name in columns}
        pl.DataFrame(list(table), schema=schema).write_parquet(path)


def _csv_field(value: Cell) -> Cell:
    """Null as nothing, booleans in lower case, a float as its shortest round-trip decimal."""
    return str(value).lower() if isinstance(value, bool) else value


def _column_type(name: str, values: Sequence[Cell]) -> type[pl.DataType]:
    """The type of a column by its values, by its name where it holds none."""
    types = {type(value) for value in values if value is not None} or {COLUMN_TYPES.get(name, str)}
    names: dict[frozenset[type], type[pl.DataType]]
    names = {frozenset({bool}): pl.Boolean, frozenset({int}): pl.Int64, frozenset({str}): pl.String}
    return names.get(frozenset(types), pl.Float64)
