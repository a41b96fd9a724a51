"""Faults and the errors that carry them: one error class per exit code a caller acts on (DESIGN section 9)."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiverse.gates import GateVerdict


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Place:
    """A position in a declaration file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One thing that is wrong with what the user gave: where, what was found, what was expected."""

    where: str
    found: str
    expected: str = ""
    nearest: str | None = None

    def __str__(self) -> str:
        lines = [f"{printable(self.where)}: {printable(self.found)}"]
        if self.expected:
            lines.append(f"  expected {printable(self.expected)}")
        if self.nearest is not None:
            lines.append(f"  did you mean {quoted(self.nearest)}?")
        return "\n".join(lines)


class MultiverseError(Exception):
    """Base of every error the package raises on purpose."""

    exit_code = 1


class BusyError(MultiverseError):
    """Another process holds what this one would write: try again once it has ended."""


class FaultsError(MultiverseError):
    """Base of the errors that list everything at fault, in `faults`."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n\n".join(map(str, self.faults)))


class InputError(FaultsError):
    """The usage, the declaration or the data is at fault."""

    exit_code = 2


class NotFrozenError(FaultsError):
    """Nothing was frozen, or what was frozen has changed since."""

    exit_code = 4


class ReceiptError(FaultsError):
    """A chain of receipts or an archive does not verify."""

    exit_code = 5


class GateError(MultiverseError):
    """A gate said NO_GO and the answers stay unopened; `verdicts` are those of all gates, `faults` what fell short."""

    exit_code = 3

    def __init__(self, faults: Iterable[Fault], *, verdicts: "Iterable[GateVerdict]", unopened: str) -> None:
        self.faults = tuple(faults)
        self.verdicts = tuple(verdicts)
        super().__init__("\n\n".join([*map(str, self.faults), f"The {unopened} were not opened."]))


def unknown_name(where: Place | str, noun: str, name: str, known: Iterable[str]) -> Fault:
    """The fault of a name that is not known, with the known ones and the nearest of them."""
    names = sorted(set(known))
    shown = ", ".join(map(quoted, names[:12])) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    close = get_close_matches(name, names, n=1)
    return Fault(
        where=str(where),
        found=f"unknown {noun} {quoted(name)}",
        expected=f"one of {shown}" if names else f"no {noun}: none is declared",
        nearest=close[0] if close else None,
    )


def quoted(text: str) -> str:
    """Text between single quotes, with control and invisible characters escaped and long text cut."""
    short = text if len(text) <= 80 else text[:77] + "..."
    return f"'{printable(short)}'"


def printable(text: str) -> str:
    """Text that cannot move a terminal's cursor or hide itself: what is not printable is escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
