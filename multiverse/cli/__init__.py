"""The command line: parse, call one library function, print, exit."""

from multiverse.cli import imports, receipts, studies
from multiverse.cli.group import main, run

__all__ = ["imports", "main", "receipts", "run", "studies"]
