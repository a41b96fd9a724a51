"""The group of commands, its exit codes (DESIGN section 9), and what all commands share."""

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

import click

from multiverse.audit import find_study, study_names
from multiverse.declaration import read_declaration
from multiverse.errors import MultiverseError, printable
from multiverse.record import record_bytes
from multiverse.summary import Line

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


def complete_family(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The families of the study that stands before, for the shell to complete."""
    # An option still without its value ends the parse early: what stands before it is then in `args`.
    study = context.params.get("study") or next(iter(context.args), "")
    try:
        families = read_declaration(find_study(study)).families
    except MultiverseError:
        return []
    return [family.name for family in families if family.name.startswith(incomplete)]


STUDY = click.argument("study", shell_complete=_complete_study)
FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="Print text, or the same as JSON."
)


_ORDER = [
    *("init", "import", "check", "freeze", "gate", "audit", "report", "explain", "compare", "export"),
    *("timeline", "record", "archive", "verify"),
    *("amend", "correct", "sign"),
]


class _Group(click.Group):
    """A group whose commands end in an exit code and a paragraph a fault, never in a traceback of ours."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order in which a study needs them."""
        return sorted(self.commands, key=_ORDER.index)

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

    A STUDY is a folder of YAML files, or the name of one under specs/. Receipts go to receipts/ and results to results/
    of the current folder. To start: init, check, freeze, audit; to hand on: archive, verify.

    Exit codes: 0 done; 1 unexpected failure; 2 wrong usage, specification or data; 3 a gate said NO_GO; 4 not frozen,
    or changed since the freeze; 5 a receipt or archive does not verify; 10 --fail-on was asked for and met.
    """


def print_json(record: dict[str, Any]) -> None:
    """Print a record as JSON, in the form of record.json."""
    click.echo(record_bytes(record).decode(), nl=False)


def progress_lines() -> Callable[[str], None]:
    """Steps on stderr for a person who waits; nothing where stderr is piped or in CI."""
    watched = sys.stderr is not None and sys.stderr.isatty()  # a daemon may have none
    if not watched or os.environ.get("CI"):
        return lambda step: None
    return lambda step: click.echo(f"... {step}", err=True)


def print_lines(lines: Iterable[Line]) -> None:
    """Print lines in their colours; in none where NO_COLOR is set or the output is piped."""
    coloured = not os.environ.get("NO_COLOR")
    for line in lines:
        style = _COLOURS[line.tone] if coloured else {}
        click.echo(click.style(line.text, **style) if style and line.text else line.text)
