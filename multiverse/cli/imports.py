"""The commands that bring the logs of other harnesses in, and the data of a study out."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NoReturn

import click

from multiverse.cli.group import STUDY, main, progress_lines
from multiverse.errors import Fault, InputError, printable
from multiverse.importers import (
    FORMATS,
    Imported,
    detect,
    export_study,
    import_declared,
    import_log,
    reconciled_words,
)
from multiverse.output import write_whole
from multiverse.summary import counted

_DETECT, _TABLES = "detect", ("csv", "parquet", "jsonl")


@main.command("import")
@click.argument("form", metavar="FORMAT", type=click.Choice([_DETECT, *(form.name for form in FORMATS)]))
@click.argument("sources", metavar="SRC...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--into", metavar="DIR", type=click.Path(path_type=Path), help="The folder of the study, new or empty.")
@click.option("--name", help="The name of the study.  [default: that of DIR]")
@click.option(
    "--map",
    "mapped",
    metavar="PART=COLUMN",
    multiple=True,
    help="Which column of a score table is what, or measure=NAME of TREC runs.",
)
@click.option("--declare", metavar="STUDY", help="Of a score table: the study whose declaration it is to have.")
def import_command(
    *,
    form: str,
    sources: tuple[Path, ...],
    into: Path | None,
    name: str | None,
    mapped: tuple[str, ...],
    declare: str | None,
) -> None:
    """Write a study from the logs of another harness.

    The study declares what the logs leave open, the harness's own rule among the options, and is audited once: the
    numbers that the logs report are held against it. `detect` names the format of each SRC.
    """
    if form == _DETECT:
        for source in sources:
            click.echo(f"{printable(str(source))}: {', '.join(detect(source))}")
        return
    if into is None:
        _refuse("no --into", "--into DIR, a new or empty folder")
    elif declare is not None and (form not in _TABLES or name is not None or mapped):
        _refuse(
            "--declare with another format, --name or --map", f"{', '.join(_TABLES)} alone: a declaration says it all"
        )
    elif declare is not None:
        _print(import_declared(sources, into, study=declare, progress=progress_lines()))
    else:
        _print(import_log(form, sources, into, name=name, mapping=_mapping(mapped), progress=progress_lines()))


@main.command("export")
@STUDY
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path, dir_okay=False))
def export_command(study: str, out: Path) -> None:
    """Write the data of a study of scores as one long CSV file.

    `multiverse import csv OUT --declare STUDY` makes a study of it that gives the same record.
    """
    write_whole(out, export_study(study))
    click.echo(f"wrote {printable(str(out))}")


def _refuse(found: str, expected: str) -> NoReturn:
    raise InputError([Fault(where="import", found=found, expected=expected)])


def _print(found: Imported) -> None:
    for line in _lines(found):
        click.echo(printable(line))


def _mapping(mapped: Iterable[str]) -> Mapping[str, list[str]]:
    """The columns of each part that is mapped."""
    parts: dict[str, list[str]] = {}
    for text in mapped:
        part, sign, column = text.partition("=")
        if not sign or not part or not column:
            raise InputError([Fault(where="--map", found=repr(text), expected="PART=COLUMN, such as row=question_id")])
        parts.setdefault(part, []).append(column)
    return parts


def _lines(found: Imported) -> Iterable[str]:
    log, folder = found.log, found.folder
    counts = ", ".join(counted(number, noun) for noun, number in found.counts.items())
    yield f"wrote a study of {log.harness} into {folder}: {counts}"
    yield f"  states: {', '.join(f'{state} {count:,}' for state, count in found.states.items())}"
    if log.choices:
        yield f"  open: {', '.join(f'{choice.coordinate} {len(choice.options)}' for choice in log.choices)}"
    yield reconciled_words(found.reconciled)
    yield from (f"  {one.words}" for one in found.reconciled)
    yield from (f"note: {note}" for note in log.notes)
    yield "now run:"
    yield f"  multiverse freeze {folder}"
    families = [family.name for family in found.audit.declaration.families]
    narrow = [family.name for family in log.families]
    yield from (f"  multiverse audit {folder} --family {name}" for name in families if name not in narrow)
    if narrow:
        yield f"  or with --family {', '.join(narrow)}"
