"""Values as YAML text that every reader takes for the same."""

import re
import textwrap
from collections.abc import Mapping
from fractions import Fraction

from multiverse.errors import printable
from multiverse.importers.log import Plain
from multiverse.predicates import written

WIDTH = 120
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*([ .+@-]+[A-Za-z0-9_]+)*", re.ASCII)
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


def flow(value: Plain) -> str:
    """A value on one line."""
    match value:
        case str():
            return scalar(value)
        case list():
            return f"[{', '.join(map(flow, value))}]"
        case dict():
            return f"{{{', '.join(f'{scalar(key)}: {flow(part)}' for key, part in value.items())}}}"
        case Fraction() if value.denominator == 1:
            return str(value.numerator)
        case _:
            return written(value)


def scalar(text: str) -> str:
    """A text, bare where that is safe; what cannot be printed no declaration can hold, and is escaped."""
    if _BARE.fullmatch(text) and text.lower() not in _WORDS:
        return text
    told = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{told}"'


def comment(text: str, indent: str = "") -> list[str]:
    """A text as comment lines."""
    return textwrap.wrap(printable(text), WIDTH - 1, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}# ")


def block(fields: Mapping[str, Plain], indent: str = "") -> list[str]:
    """The fields of a mapping, a line each; what is too wide for a line is broken into its parts."""
    return [line for key, value in fields.items() for line in _field(scalar(key), value, indent)]


def _field(key: str, value: Plain, indent: str) -> list[str]:
    line = f"{indent}{key}: {flow(value)}"
    if len(line) <= WIDTH or not value or not isinstance(value, dict | list):
        return [line]
    inner = f"{indent}  "
    parts = block(value, inner) if isinstance(value, dict) else [f"{inner}- {flow(part)}" for part in value]
    return [f"{indent}{key}:", *parts]
