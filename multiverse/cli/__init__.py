"""The command line: parse, call one library function, print, exit."""

from multiverse.cli import receipts, studies
from multiverse.cli.group import main, run

__all__ = ["main", "receipts", "run", "studies"]
