"""The command that makes a report of what an audit has written."""

from pathlib import Path

import click

from multiverse.cli.group import FORMAT, main, print_json, print_lines, progress_lines
from multiverse.errors import Fault, InputError, printable
from multiverse.output import FIGURES
from multiverse.summary import counted


@main.command("report")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@FORMAT
def report_command(folder: Path, form: str) -> None:
    """Write a page, the same as Markdown, and figures into DIR, the folder of an audit.

    report.html is one file that needs no network. What is settled and what is not is printed too, a sentence for each
    conclusion.
    """
    try:
        from multiverse.report.reporting import report  # noqa: PLC0415 needs what the core does without
    except ModuleNotFoundError as error:
        raise InputError([_not_installed(error)]) from error
    found = report(folder, progress=progress_lines())
    if found.note:
        click.echo(f"note: {found.note}", err=True)
    if form == "json":
        print_json(found.entry)
        return
    print_lines(found.lines)
    click.echo()
    for one in found.written:
        if "/" not in one.path:
            click.echo(f"wrote {printable(str(folder / one.path))}")
    figures = sum("/" in one.path for one in found.written)
    click.echo(f"wrote {counted(figures, 'file')} in {printable(str(folder / FIGURES))}")


def _not_installed(error: ModuleNotFoundError) -> Fault:
    found = f"the library {error.name} is not installed"
    return Fault(where="multiverse report", found=found, expected='`pip install "multiverse[report]"`')
