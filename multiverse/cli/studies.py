"""The commands that start, check, audit and explain a study."""

import sys
from pathlib import Path

import click

from multiverse.audit import check
from multiverse.cli.group import FORMAT, STUDY, complete_family, main, print_json, print_lines, progress_lines
from multiverse.errors import printable
from multiverse.explanation import explain
from multiverse.runs import Mode, run
from multiverse.separation import compare
from multiverse.starter import write_starter
from multiverse.summary import audit_lines, check_lines
from multiverse.wording import explanation_lines, separation_lines

NOT_IDENTIFIED = 10


@main.command("init")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
def init_command(folder: Path) -> None:
    """Write a small study to start from into DIR."""
    write_starter(folder)
    click.echo(f"wrote a study into {folder}; now run:")
    click.echo(f"  multiverse freeze {folder}")
    click.echo(f"  multiverse audit {folder} --family audit")


@main.command("check")
@STUDY
def check_command(study: str) -> None:
    """Check a study without opening its answers.

    The declaration, the rows and the objects are read; predictions or outcomes never are.
    """
    print_lines(check_lines(check(study)))


@main.command("audit")
@STUDY
@click.option("--family", required=True, shell_complete=complete_family, help="The family to report.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder of the record, tables and report.  [default: results/STUDY/FAMILY]",
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="Print a summary, or record.json."
)
@click.option(
    "--exploratory",
    "mode",
    flag_value="exploratory",
    help="Run without a freeze or beside changes; all that is written says so.",
)
@click.option(
    "--reproduce",
    "mode",
    flag_value="reproduce",
    help="Compute an earlier run again, by whatever code and libraries, and compare the record.",
)
@click.option(
    "--fail-on", type=click.Choice(["not-identified"]), help="Exit 10 where an effect or the ranking is not identified."
)
@click.option("--jobs", type=click.IntRange(1), default=1, help="Jobs that draw; the result does not depend on it.")
def audit_command(
    *,
    study: str,
    family: str,
    out: Path | None,
    form: str,
    mode: Mode | None,
    fail_on: str | None,
    jobs: int,
) -> None:
    """Score every specification, report what survives.

    The study has to be frozen (`multiverse freeze`), and nothing that was frozen may have changed since; a receipt then
    binds what is written to the freeze.
    """
    found = run(study, family=family, out=out, mode=mode or "frozen", jobs=jobs, progress=progress_lines())
    for note in found.notes:
        click.echo(f"note: {printable(note)}", err=True)
    if form == "json":
        print_json(found.audit.record)
    else:
        print_lines(audit_lines(found.audit))
        click.echo(f"record: {found.out / 'record.json'}")
        click.echo(f"receipt: {found.receipt or 'none: the study is not frozen'}")
    if fail_on and not found.audit.settled:
        sys.exit(NOT_IDENTIFIED)


@main.command("explain")
@STUDY
@click.argument("row")
@FORMAT
def explain_command(*, study: str, row: str, form: str) -> None:
    """Show one row under every treatment.

    What is legal, what each method answered, and what that scores under each contract, terminal treatment and
    disposition.
    """
    found = explain(study, row)
    print_json(found.record) if form == "json" else print_lines(explanation_lines(found))


@main.command("compare")
@STUDY
@click.argument("from_spec", metavar="SPEC_A")
@click.argument("to_spec", metavar="SPEC_B")
@click.option("--a", metavar="METHOD", help="The method whose level the margin starts from.")
@click.option("--b", metavar="METHOD", help="The method whose level is taken off.")
@FORMAT
def compare_command(*, study: str, from_spec: str, to_spec: str, a: str | None, b: str | None, form: str) -> None:
    """Show which rows separate two specifications.

    For the pair of methods a - b, or for all pairs: the change of the margin, and the contributions of rows to it by
    reason, largest first.
    """
    found = compare(study, from_spec, to_spec, a=a, b=b)
    print_json(found.record) if form == "json" else print_lines(separation_lines(found))
