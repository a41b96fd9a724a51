"""The command line: parse, call one library function, print, exit (exit codes: DESIGN section 9)."""

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

import click

from multiverse.audit import audit, check, find_study, study_names
from multiverse.declaration import read_declaration
from multiverse.errors import MultiverseError, printable
from multiverse.explanation import explain
from multiverse.record import record_bytes
from multiverse.separation import compare
from multiverse.starter import write_starter
from multiverse.summary import Line, audit_lines, check_lines, report_text
from multiverse.wording import explanation_lines, separation_lines

NOT_IDENTIFIED = 10
_COLOURS: dict[str, dict[str, Any]] = {
    "plain": {},
    "heading": {"bold": True},
    "settled": {"fg": "green"},
    "unsettled": {"fg": "yellow"},
    "note": {"dim": True},
}


def _complete_study(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    folders = [str(path) for path in Path().glob(f"{incomplete}*") if path.is_dir()] if incomplete else []
    return [name for name in (*study_names(), *folders) if name.startswith(incomplete)]


def _complete_family(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    # An option still without its value ends the parse early: what stands before it is then in `args`.
    study = context.params.get("study") or next(iter(context.args), "")
    try:
        families = read_declaration(find_study(study)).families
    except MultiverseError:
        return []
    return [family.name for family in families if family.name.startswith(incomplete)]


_STUDY = click.argument("study", shell_complete=_complete_study)
_FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="Print text, or the same as JSON."
)


class _Group(click.Group):
    """A group whose commands end in an exit code and a paragraph a fault, never in a traceback of ours."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except MultiverseError as error:
            _fail(str(error), error.exit_code)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        except OSError as error:
            _fail(f"{error.filename or 'system'}: {error.strerror or error}", 1)


def run() -> None:
    """The console script: the commands, with the last words on a failure nobody foresaw in one paragraph."""
    if not os.environ.get("MULTIVERSE_TRACEBACK"):
        sys.excepthook = _unexpected
    main()


def _unexpected(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Say that a failure is a fault of ours; Python then exits with 1."""
    click.echo(f"unexpected failure: {kind.__name__}: {printable(str(error))}", err=True)
    click.echo("This is a fault of multiverse. MULTIVERSE_TRACEBACK=1 shows where it happened.", err=True)


def _fail(message: str, code: int) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(code)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="multiverse")
def main() -> None:
    """Which benchmark conclusions survive the evaluator's choices: exact identified sets over declared specifications.

    A STUDY is a folder of YAML files, or the name of one under specs/. Exit codes: 0 done; 1 unexpected failure;
    2 wrong usage, specification or data; 10 --fail-on was asked for and met.
    """


@main.command("init")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
def init_command(folder: Path) -> None:
    """Write a small study to start from into DIR."""
    write_starter(folder)
    click.echo(f"wrote a study into {folder}; now run: multiverse audit {folder} --family audit")


@main.command("check")
@_STUDY
def check_command(study: str) -> None:
    """Check a study without opening its answers.

    The declaration, the rows and the objects are read; predictions or outcomes never are.
    """
    _print(check_lines(check(study)))


@main.command("audit")
@_STUDY
@click.option("--family", required=True, shell_complete=_complete_family, help="The family to report.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder of the record, tables and report.  [default: results/STUDY/FAMILY]",
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="Print a summary, or record.json."
)
@click.option(
    "--exploratory", is_flag=True, help="Run without a freeze; until receipts exist, every record is exploratory."
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
    exploratory: bool,
    fail_on: str | None,
    jobs: int,
) -> None:
    """Score every specification, report what survives."""
    del exploratory  # every record is, until receipts exist
    place = out or _default_out(study, family)
    result = audit(study, family=family, out=place, jobs=jobs, report=report_text, progress=_progress())
    if form == "json":
        click.echo(record_bytes(result.record).decode(), nl=False)
    else:
        _print(audit_lines(result))
        click.echo(f"record: {place / 'record.json'}")
    if fail_on and not result.settled:
        sys.exit(NOT_IDENTIFIED)


@main.command("explain")
@_STUDY
@click.argument("row")
@_FORMAT
def explain_command(*, study: str, row: str, form: str) -> None:
    """Show one row under every treatment.

    What is legal, what each method answered, and what that scores under each contract, terminal treatment and
    disposition.
    """
    found = explain(study, row)
    _print_json(found.record) if form == "json" else _print(explanation_lines(found))


@main.command("compare")
@_STUDY
@click.argument("from_spec", metavar="SPEC_A")
@click.argument("to_spec", metavar="SPEC_B")
@click.option("--a", metavar="METHOD", help="The method whose level the margin starts from.")
@click.option("--b", metavar="METHOD", help="The method whose level is taken off.")
@_FORMAT
def compare_command(*, study: str, from_spec: str, to_spec: str, a: str | None, b: str | None, form: str) -> None:
    """Show which rows separate two specifications.

    For the pair of methods a - b, or for all pairs: the change of the margin, and the contributions of rows to it by
    reason, largest first.
    """
    found = compare(study, from_spec, to_spec, a=a, b=b)
    _print_json(found.record) if form == "json" else _print(separation_lines(found))


def _print_json(record: dict[str, Any]) -> None:
    click.echo(record_bytes(record).decode(), nl=False)


def _default_out(study: str, family: str) -> Path:
    return Path("results") / find_study(study).resolve().name / family


def _progress() -> Callable[[str], None]:
    """Steps on stderr for a person who waits; nothing where stderr is piped or in CI."""
    watched = sys.stderr is not None and sys.stderr.isatty()  # a daemon may have none
    if not watched or os.environ.get("CI"):
        return lambda step: None
    return lambda step: click.echo(f"... {step}", err=True)


def _print(lines: Iterable[Line]) -> None:
    coloured = not os.environ.get("NO_COLOR")
    for line in lines:
        style = _COLOURS[line.tone] if coloured else {}
        click.echo(click.style(line.text, **style) if style and line.text else line.text)
