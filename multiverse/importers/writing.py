"""The folder of a study written from a log: tables, and YAML that explains each choice."""

import io
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from multiverse.declaration.coordinates import COORDINATE_FILES
from multiverse.errors import Fault, InputError
from multiverse.importers.families import families_of
from multiverse.importers.log import Choice, Log
from multiverse.importers.yaml_text import block, comment, flow, scalar
from multiverse.output import write_whole

ROWS, OUTCOMES = "data/rows.parquet", "data/outcomes.parquet"
_TITLES: Mapping[str, str] = {
    "contract": "which rows count",
    "disposition": "what an outcome scores, by its state",
    "reading": "which of the recorded outcomes count",
    "scoring": "which score is read, and how the repeats of a row combine",
    "aggregation": "how the scores of rows become a level",
}
_OPENING = {
    True: "What this log leaves open is declared as options beside this file; the harness's own rule is one of them on "
    "each coordinate, and alone in the family `harness`.",
    False: "What it leaves open is declared as options beside this file. A table has no rule of its own: the family "
    "`harness` is the first option of each coordinate.",
}


def check_folder(folder: Path) -> None:
    """Raise InputError unless the folder is new or empty."""
    found = "a file" if not folder.is_dir() else "the folder is not empty"
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError([Fault(where=str(folder), found=found, expected="a new or empty folder")])


@contextmanager
def written_study(folder: Path, files: Mapping[str, bytes]) -> Iterator[None]:
    """The files of a study in a folder that is new or empty; taken away again where what follows raises an error."""
    check_folder(folder)
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for name, content in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            write_whole(folder / name, content)
        yield
    except BaseException:
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if made:
            folder.rmdir()
        raise


def study_files(log: Log, name: str, sources: Sequence[str]) -> dict[str, bytes]:
    """The files of the study of a log, by their path below its folder."""
    texts = {"study.yaml": _study_text(log, name, sources), "families.yaml": _families_text(log)}
    texts |= {
        COORDINATE_FILES[choice.coordinate]: _choice_text(choice, has_rule=log.has_rule) for choice in log.choices
    }
    tables = {ROWS: _parquet(log.rows), OUTCOMES: _parquet(log.outcomes)}
    return {path: ("\n".join(lines) + "\n").encode() for path, lines in texts.items()} | tables


def _parquet(table: pl.DataFrame) -> bytes:
    content = io.BytesIO()
    table.rechunk().write_parquet(content)
    return content.getvalue()


def _study_text(log: Log, name: str, sources: Sequence[str]) -> list[str]:
    lines = [
        *comment(f"Imported from {log.harness}. {_OPENING[log.has_rule]}"),
        *comment(f"Sources: {', '.join(sources)}."),
        *(line for note in log.notes for line in comment(f"Note: {note}.")),
        *block({"study": name, "title": log.title}),
        "substrate:",
        f"  kind: scores                     # each outcome was already scored{', by the harness' * log.has_rule}",
        f"  rows: {ROWS}          # one record a sample: {log.rows.height:,}; paths are relative to this file",
        f"  outcomes: {OUTCOMES}  # one record per sample, method and score of it: {log.outcomes.height:,}",
        "methods: all                       # or a list of the methods to compare",
        "populations:                       # row filters, each reported apart",
        *block(log.populations, "  "),
    ]
    if not any(choice.coordinate == "aggregation" for choice in log.choices):
        lines.append(f"aggregation: {log.aggregation}")
    return lines


def _choice_text(choice: Choice, *, has_rule: bool) -> list[str]:
    opening = f"{choice.coordinate.capitalize()}: {_TITLES[choice.coordinate]}."
    lines = [*comment(opening), *(line for part in choice.comment.split("\n") for line in comment(part))]
    lines += [f"coordinate: {choice.coordinate}", *block(choice.beside), "options:"]
    for option in choice.options:
        mark = "  # the harness's own rule" if has_rule and option.harness else ""
        lines.append(f"  - id: {scalar(option.id)}{mark}")
        lines += block({"rationale": option.rationale} | dict(option.fields), "    ")
    return lines


def _families_text(log: Log) -> list[str]:
    lines = comment("A family is a set of specifications: a product of options, all of a coordinate that is left out.")
    lines += [f"license: {flow(log.license)}", "families:"]
    for name, fields in families_of(log).items():
        lines += [f"  {name}:", *block(fields, "    ")]
    return lines
