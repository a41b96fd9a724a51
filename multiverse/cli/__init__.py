"""The command line: parse, call one library function, print, exit."""

from multiverse.cli import imports, receipts, reports, studies
from multiverse.cli.group import main, run

__all__ = ["imports", "main", "receipts", "reports", "run", "studies"]
