"""The commands that bring the logs of other harnesses in, and the data of a study out."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from multiverse.cli.group import main, progress_lines
from multiverse.errors import Fault, InputError, printable
from multiverse.importers import FORMATS, Imported, detect, import_log, reconciled_words

_DETECT = "detect"


@main.command("import")
@click.argument("form", metavar="FORMAT", type=click.Choice([_DETECT, *(form.name for form in FORMATS)]))
@click.argument("sources", metavar="SRC...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--into", metavar="DIR", type=click.Path(path_type=Path), help="The folder of the study, new or empty.")
@click.option("--name", help="The name of the study.  [default: that of DIR]")
@click.option("--map", "mapped", metavar="PART=COLUMN", multiple=True, help="Which column of a score table is what.")
def import_command(
    *, form: str, sources: tuple[Path, ...], into: Path | None, name: str | None, mapped: tuple[str, ...]
) -> None:
    """Write a study from the logs of another harness.

    The study declares what the logs leave open, the own rule of the harness among the options, and is audited once: the
    numbers that the logs report are held against it. `detect` names the format of each SRC.
    """
    if form == _DETECT:
        for source in sources:
            click.echo(f"{printable(str(source))}: {', '.join(detect(source))}")
        return
    if into is None:
        raise InputError([Fault(where="import", found="no --into", expected="--into DIR, a new or empty folder")])
    found = import_log(form, sources, into, name=name, mapping=_mapping(mapped), progress=progress_lines())
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
    methods = log.outcomes["method"].n_unique()
    counts = f"{log.rows.height:,} rows, {methods:,} methods, {log.outcomes.height:,} outcomes"
    yield f"wrote a study of {log.harness} into {folder}: {counts}"
    states = log.outcomes.group_by("status").len().sort("status").iter_rows()
    yield f"  states: {', '.join(f'{state} {count:,}' for state, count in states)}"
    yield f"  open: {', '.join(f'{choice.coordinate} {len(choice.options)}' for choice in log.choices)}"
    yield reconciled_words(found.reconciled)
    yield from (f"  {one.words}" for one in found.reconciled)
    yield from (f"note: {note}" for note in log.notes)
    yield "now run:"
    yield f"  multiverse freeze {folder}"
    yield f"  multiverse audit {folder} --family harness"
    yield f"  multiverse audit {folder} --family audit"
