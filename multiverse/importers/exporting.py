"""The data of a study of scores as one long table, and a study written from such a table and a declaration."""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl

from multiverse.audit import find_study
from multiverse.declaration import Declaration, read_declaration
from multiverse.errors import Fault, InputError, Place, quoted
from multiverse.importers.log import Log
from multiverse.importers.score_tables import read_tables
from multiverse.importers.sources import refuse
from multiverse.importers.writing import OUTCOMES, ROWS
from multiverse.predicates import Predicate, leaves
from multiverse.substrate import read_substrate
from multiverse.substrate.formats import TableRequest
from multiverse.substrate.tables import Table, read_table, uncategorical

_OUTCOME_KEYS = ("method", "epoch", "status")
_EXPECTED = "a study of kind scores"
_VALUE = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^,}#\s](?:[^,}#]*[^,}#\s])?"  # of YAML, quoted or bare
KEYS: Mapping[str, str] = {"row": "row_id", "cluster": "cluster_id", "stratum": "stratum"}
PATHS: Mapping[str, str] = {"rows": ROWS, "outcomes": OUTCOMES}


def export_study(study: str | Path) -> bytes:
    """The rows and outcomes of a study as one CSV file, a line per outcome; a row without any has one without a method.

    Raises InputError where the study, or its data, is at fault.
    """
    declaration = read_declaration(find_study(study))
    if declaration.substrate.kind != "scores":
        refuse(declaration.folder, "a study of kind hypotheses, whose tables are not one", _EXPECTED)
    read_substrate(declaration)  # with every fault of the data
    key = declaration.substrate.key("row")
    rows, outcomes = (_whole_table(declaration, name) for name in ("rows", "outcomes"))
    long = rows.join(outcomes, on=key, how="left", maintain_order="left_right")
    for column in (f"{name}_right" for name in rows.columns if name in outcomes.columns and name != key):
        if (long[column].is_not_null() & long[column].ne_missing(long[column.removesuffix("_right")])).any():
            found = f"rows and outcomes differ in a column of both, {quoted(column.removesuffix('_right'))}"
            refuse(declaration.folder, found, "another name in one of them")
        long = long.drop(column)
    scores = {scoring.column for scoring in declaration.coordinates.scoring}
    first = [key, *(name for name in (*_OUTCOME_KEYS, *sorted(scores)) if name in long.columns)]
    content = io.BytesIO()
    long.select([*first, *(name for name in long.columns if name not in first)]).write_csv(content)
    return content.getvalue()


def _whole_table(declaration: Declaration, name: str) -> pl.DataFrame:
    """Every column of a table that a CSV file can hold, ids as text."""
    faults: list[Fault] = []
    ids = (declaration.substrate.key("row"), "method", "status")
    scores = tuple(scoring.column for scoring in declaration.coordinates.scoring)
    path = declaration.substrate.paths[name].text
    first = read_table(declaration.folder, TableRequest(name, path, ids, ids), faults)
    columns = () if first is None else first.columns
    table: Table | None = read_table(declaration.folder, TableRequest(name, path, columns, ids, scores), faults)
    if faults or table is None:
        raise InputError(faults)
    key = declaration.substrate.key("row")
    kept = [column for column in table.frame.columns if table.kind(column) != "other"]
    frame = table.frame.select([uncategorical(table.frame[column]) for column in kept])
    return frame.with_columns(pl.col(key).cast(pl.String))


def declared_study(study: str | Path, sources: Sequence[Path]) -> tuple[Log, dict[str, bytes]]:
    """A long table under the declaration of a study that is there: what it holds, and the files of the new study."""
    declaration = read_declaration(find_study(study))
    keys = declaration.substrate
    if keys.kind != "scores":
        refuse(declaration.folder, "a study of kind hypotheses", _EXPECTED)
    readings = frozenset(leaf.column for one in declaration.coordinates.reading for leaf in leaves(one.where))
    tables = read_tables(sources, _mapping(declaration), of_outcomes=readings)
    own = {column: keys.key(part) for part, column in KEYS.items()}
    rows, outcomes = (
        table.rename({old: new for old, new in own.items() if old in table.columns})
        for table in (tables.rows, tables.outcomes)
    )
    log = Log(
        harness=f"a score table under the declaration of {declaration.name}",
        title=declaration.title,
        rows=rows,
        outcomes=outcomes,
        choices=(),
        populations={},
        headlines=(),
        notes=tables.notes,
        license=declaration.license,
    )
    return log, _files(declaration, {"rows": rows, "outcomes": outcomes})


def _mapping(declaration: Declaration) -> dict[str, list[str]]:
    """How the long table of a study names its parts: its keys, its score columns, and what has to stay text."""
    keys = declaration.substrate
    parts = {part: [keys.key(part)] for part in KEYS if part == "row" or part in keys.renamed}
    tests = [leaf for predicate in _predicates(declaration) for leaf in leaves(predicate)]
    texts = {leaf.column for leaf in tests if any(isinstance(value, str) for value in leaf.values)}
    own = {keys.key(part) for part in KEYS}
    scores = list(dict.fromkeys(scoring.column for scoring in declaration.coordinates.scoring))
    return {**parts, "score": scores, "text": sorted(texts - own)}


def _files(declaration: Declaration, tables: Mapping[str, pl.DataFrame]) -> dict[str, bytes]:
    """The declaration as it is, but for the paths, and the tables."""
    files = {file.name: file.content for file in declaration.files}
    lines = files["study.yaml"].decode().split("\n")
    places = {name: declaration.substrate.paths[name].place for name in tables}
    for name in sorted(tables, key=lambda name: places[name], reverse=True):  # what stands before a path stays in place
        content = io.BytesIO()
        tables[name].write_parquet(content)
        files[PATHS[name]] = content.getvalue()
        place = places[name]
        line = lines[place.line - 1]
        lines[place.line - 1] = line[: place.column - 1] + _with_path(line[place.column - 1 :], name, place)
    return files | {"study.yaml": "\n".join(lines).encode()}


def _with_path(text: str, name: str, place: Place) -> str:
    """The text of a key and its value, with the path of a table as its value."""
    found = re.match(rf"([\"']?{name}[\"']?\s*:\s*)({_VALUE})", text)
    if found is None:
        refuse(place, f"the path of {name} is not on the line of its key", "it there")
    return found[1] + PATHS[name] + text[found.end() :]


def _predicates(declaration: Declaration) -> Iterable[Predicate]:
    yield from (population.where for population in declaration.populations)
    yield from declaration.predicates.values()
    yield from () if declaration.special is None else (declaration.special,)
    yield from (where for one in declaration.endpoints.decompositions for where in one.classes.values())
    yield from (reading.where for reading in declaration.coordinates.reading)
