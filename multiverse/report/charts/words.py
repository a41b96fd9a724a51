"""Numbers and lists of names in words, for captions and text alternatives."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from multiverse.errors import printable

_MOST_NAMES = 6


def signed_points(value: Fraction | float) -> str:
    """A proportion as signed percentage points to two decimals; what would round to zero keeps two digits."""
    if value == 0:
        return "0"
    number = abs(float(100 * value))
    return ("+" if value > 0 else "\u2212") + (f"{number:.2f}" if number >= 0.005 else f"{number:.1e}")


def counted(number: int, noun: str) -> str:
    """A number and what it counts: 1 specification, 2 specifications."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es" if noun.endswith("x") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def listed(names: Iterable[str], *, most: int = _MOST_NAMES) -> str:
    """Names joined by commas, of many the first few and how many more."""
    shown: Sequence[str] = [printable(name) for name in names]
    more = len(shown) - most
    return ", ".join(shown) if more <= 0 else f"{', '.join(shown[:most])} and {more} more"
