"""The samples of one file of lighteval's details, as they are written now and as they were before 2025-06."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from multiverse.importers.lighteval_cells import cell
from multiverse.importers.sources import as_list, as_object, clean, label, refuse
from multiverse.substrate.formats import TableError, TableRequest, read_part

_NEW, _OLD = {"doc", "metric", "model_response"}, {"metrics", "predictions"}
_READ = ("doc", "metric", "model_response", "metrics", "predictions", "gold", "example", "truncated")
_FIELDS = {
    "doc": ("id", "task_name", "query", "choices", "gold_index"),
    "model_response": ("text", "text_post_processed", "truncated_tokens_count"),
}


class Detail(NamedTuple):
    """One sample of a task."""

    identity: str
    attributes: Mapping[str, object]
    metrics: Mapping[str, object]  # numbers, and the parts of what is computed over all samples
    texts: Sequence[object]
    truncated: bool


class Details(NamedTuple):
    """The samples of a file, and the task that they name."""

    samples: Sequence[Detail]
    task: str | None


def names_details(columns: Sequence[str]) -> bool:
    """Whether columns are those of details; the documentation of lighteval puts underscores around them."""
    names = {name.strip("_") for name in columns}
    return names >= _NEW or names >= _OLD


def columns_of(path: Path) -> Sequence[str] | None:
    """The columns of a Parquet file; None where it cannot be read."""
    try:
        return read_part(path, TableRequest(path.name, path.name, (), ())).columns
    except (TableError, OSError, pl.exceptions.PolarsError):
        return None


def read_details(path: Path) -> Details:
    """The samples of a file."""
    wanted = [name for plain in _READ for name in (plain, f"__{plain}__")]
    try:
        frame = read_part(path, TableRequest(path.name, path.name, wanted, ())).frame
    except (TableError, OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        refuse(path, f"cannot be read: {reason}", "a whole Parquet file: it may have been cut short")
    if not names_details(frame.columns):
        found = ", ".join(columns_of(path) or ())
        refuse(path, f"the columns {found}", "details of lighteval: doc, metric and model_response, or metrics")
    plain = _plain(frame)
    rows = plain.to_dicts()
    if "doc" not in plain.columns:
        return Details([_old(path, i, row) for i, row in enumerate(rows)], None)
    names = {str(name) for row in rows if (name := as_object(cell(row["doc"])).get("task_name"))}
    told = _merged([_new(path, i, row) for i, row in enumerate(rows)])
    return Details(told, label(names.pop()) if len(names) == 1 else None)


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """The columns under their plain names, of what is nested only the fields that are read."""
    frame = frame.rename({name: name.strip("_") for name in frame.columns})
    for name, fields in _FIELDS.items():
        if name in frame.columns and isinstance(kind := frame.schema[name], pl.Struct):
            held = [field.name for field in kind.fields if field.name in fields]
            frame = frame.with_columns(pl.struct(pl.col(name).struct.field(held)).alias(name) if held else pl.lit(None))
    return frame


def _new(path: Path, position: int, row: Mapping[str, Any]) -> Detail:
    """A sample as it is written now."""
    doc, response = as_object(cell(row["doc"])), as_object(cell(row.get("model_response")))
    identity = doc.get("id")
    return Detail(
        str(position) if identity in (None, "") else clean(identity),
        {"query": doc.get("query"), "gold": _gold(doc.get("choices"), doc.get("gold_index"))},
        _metrics(path, position, cell(row["metric"])),
        as_list(response.get("text_post_processed")) or as_list(response.get("text")),
        _cut(response.get("truncated_tokens_count")),
    )


def _old(path: Path, position: int, row: Mapping[str, Any]) -> Detail:
    """A sample as it was written before, its cells perhaps as text; it has no id but its position."""
    gold, predictions = cell(row.get("gold")), cell(row.get("predictions"))
    texts = predictions if isinstance(predictions, list) else [predictions]
    return Detail(
        str(position),
        {"query": row.get("example"), "gold": gold[0] if isinstance(gold, list) and gold else gold},
        _metrics(path, position, cell(row["metrics"])),
        [text for text in texts if isinstance(text, str)],
        _cut(cell(row.get("truncated"))),
    )


def _metrics(path: Path, position: int, told: object) -> Mapping[str, object]:
    if not isinstance(told, dict):
        refuse(path, f"row {position} has no metrics by name", "a mapping of metrics")
    return {label(name): value for name, value in told.items()}


def _gold(choices: object, index: object) -> object:
    """The first right choice."""
    first = index[0] if isinstance(index, list) and index else index
    return choices[first] if isinstance(choices, list) and isinstance(first, int) and first < len(choices) else None


def _cut(count: object) -> bool:
    """Whether tokens of the prompt were cut; a count of -1 says that nobody knows."""
    counts = count if isinstance(count, list) else [count]
    return any(isinstance(one, int | float) and one > 0 for one in counts)


def _merged(samples: Sequence[Detail]) -> list[Detail]:
    """The records of a document as one where each has metrics that the others lack; else they are of several."""
    found: dict[str, list[Detail]] = {}
    for sample in samples:
        known = found.setdefault(sample.identity, [])
        position = next((i for i, other in enumerate(known) if _completes(other, sample)), None)
        if position is None:
            known.append(sample)
        else:
            known[position] = _both(known[position], sample)
    return [
        one if i == 1 else one._replace(identity=f"{identity}#{i}")
        for identity, same in found.items()
        for i, one in enumerate(same, 1)
    ]


def _completes(one: Detail, other: Detail) -> bool:
    """Whether two records are of one document, judged once by likelihoods and once by text."""
    return one.attributes == other.attributes and not _given(one) & _given(other)


def _given(sample: Detail) -> set[str]:
    return {name for name, value in sample.metrics.items() if value is not None}


def _both(one: Detail, other: Detail) -> Detail:
    given = {name: value for name, value in other.metrics.items() if value is not None}
    texts, truncated = [*one.texts, *other.texts], one.truncated or other.truncated
    return one._replace(metrics={**one.metrics, **given}, texts=texts, truncated=truncated)
