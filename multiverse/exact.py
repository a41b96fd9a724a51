"""Exact rationals: their text, their nearest double, and integer sums that never round."""

import re
from collections.abc import Sequence
from fractions import Fraction
from math import floor, lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64] | NDArray[np.object_]

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_RATIO = re.compile(r"[+-]?\d+/\d+", re.ASCII)
_LONGEST_TEXT = 400
_SAFE = 2**62
_LIMB_BITS = 30


def exact_text(value: Fraction) -> str:
    """The record's form of an exact number: "p/q" in lowest terms, "p" where q is 1 (DESIGN section 9)."""
    numerator = _digits(value.numerator)
    return numerator if value.denominator == 1 else f"{numerator}/{_digits(value.denominator)}"


def text_or_null(value: Fraction | None) -> str | None:
    """The record's form of an exact number, or None where there is none."""
    return None if value is None else exact_text(value)


def parse_exact(text: str) -> Fraction | None:
    """The exact value of a decimal or "p/q", or None where the text is neither or is over 400 characters long."""
    if len(text) > _LONGEST_TEXT:
        return None
    if _RATIO.fullmatch(text):
        numerator, denominator = text.split("/")
        return Fraction(int(numerator), int(denominator)) if int(denominator) else None
    return Fraction(text) if _DECIMAL.fullmatch(text) else None


def from_exact_text(text: str) -> Fraction:
    """The number that `exact_text` wrote, of whatever length."""
    numerator, _, denominator = text.partition("/")
    return Fraction(_whole(numerator), _whole(denominator or "1"))


def shortest_decimal(value: np.floating | float) -> Fraction:
    """A float as its shortest round-trip decimal at its own width: 0.1 is 1/10, as a double and as a single."""
    return Fraction(repr(float(value)) if isinstance(value, float) else np.format_float_scientific(value, unique=True))


def rounded(value: Fraction, decimals: int, *, half_up: bool) -> Fraction:
    """The nearest multiple of 10**-decimals; halfway to the even one, or up."""
    scale = 10**decimals
    return Fraction(floor(value * scale + Fraction(1, 2)) if half_up else round(value * scale), scale)


class Numerators(NamedTuple):
    """Rationals over one denominator."""

    values: Integers  # one integer per rational, 64-bit where all fit
    denominator: int


def over_common_denominator(values: Sequence[Fraction]) -> Numerators:
    """The values as integers over their least common denominator, in the order given."""
    denominator = lcm(*{value.denominator for value in values}) if values else 1
    return Numerators(integers([value.numerator * (denominator // value.denominator) for value in values]), denominator)


def integers(values: Sequence[int]) -> Integers:
    """An array of the integers: 64-bit where all are below 2**62 in magnitude, Python integers otherwise."""
    fits = all(-_SAFE < value < _SAFE for value in values)
    return np.array(values, dtype=np.int64 if fits else object)


def times(values: Integers, factor: int) -> Integers:
    """Non-negative integers times a factor, 64-bit where that fits."""
    fits = values.dtype != object and max(_largest(values), 1) * factor < _SAFE
    products: Integers = (values if fits else values.astype(object)) * factor
    return products


def scaled(values: Integers, weights: Integers) -> Integers:
    """Each row of non-negative `values` (rows, columns) times its weight (rows,), 64-bit where that fits."""
    narrow = object not in (values.dtype, weights.dtype)
    fits = narrow and _largest(values) * _largest(weights) < _SAFE
    products: Integers = values * weights[:, None] if fits else values.astype(object) * weights.astype(object)[:, None]
    return products


def group_sums(values: Integers, starts: NDArray[np.intp]) -> Integers:
    """Exact sums of consecutive rows of non-negative `values` (rows, columns), a group from each start to the next.

    64-bit where no sum can leave 64 bits; otherwise by limbs of 30 bits, so that every partial sum still fits.
    """
    if values.dtype != object and _largest(values) * len(values) < _SAFE:
        sums: Integers = np.add.reduceat(values, starts, axis=0)
        return sums
    rest, shift = values.astype(object), 0
    total = np.zeros((len(starts), values.shape[1]), dtype=object)
    while np.any(rest):
        limb = (rest & (2**_LIMB_BITS - 1)).astype(np.int64)
        total += np.add.reduceat(limb, starts, axis=0).astype(object) << shift
        rest, shift = rest >> _LIMB_BITS, shift + _LIMB_BITS
    return total


def _largest(values: Integers) -> int:
    return int(values.max()) if values.size else 0


def _digits(value: int) -> str:
    """Decimal digits of an integer of any size (Python's own conversion stops at 4,300 digits)."""
    if value.bit_length() < 12_000:
        return str(value)
    sign, rest, parts = "-" if value < 0 else "", abs(value), []
    while rest:
        rest, part = divmod(rest, 10**3000)
        parts.append(f"{part:03000d}" if rest else str(part))
    return sign + "".join(reversed(parts))


def _whole(text: str) -> int:
    """The integer of such digits."""
    sign, digits, value = -1 if text.startswith("-") else 1, text.removeprefix("-"), 0
    for start in range(0, len(digits), 3000):
        part = digits[start : start + 3000]
        value = value * 10 ** len(part) + int(part)
    return sign * value
