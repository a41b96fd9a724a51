"""The command line on the starter study, as specs/starter of the current folder."""

from pathlib import Path

from click.testing import CliRunner, Result

from multiverse import cli
from pages import masked

FOLDER = Path("specs/starter")
RECEIPTS = Path("receipts/starter")
SHA = "<SHA-256>"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, arguments, prog_name="multiverse")


def told(*arguments: str) -> tuple[int, list[str], list[str]]:
    """Exit code, and the lines of stdout and of stderr, with what is another in every run masked."""
    found = run(*arguments)
    assert found.exception is None or isinstance(found.exception, SystemExit)
    return found.exit_code, masked(found.stdout).splitlines(), masked(found.stderr).splitlines()
