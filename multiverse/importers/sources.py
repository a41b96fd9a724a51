"""The files of a log: found below what the user names, and read with a clear word where they are not whole."""

import json
import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from multiverse.errors import Fault, InputError, printable

WHOLE = "a whole file: it may have been cut short"
_HEAD = 65_536


class Record(NamedTuple):
    """One line of a JSON Lines file."""

    line: int
    content: dict[str, Any]


def refuse(where: object, found: str, expected: str = "") -> NoReturn:
    """Raise the one fault."""
    raise InputError([Fault(where=str(where), found=found, expected=expected)])


def log_files(sources: Iterable[Path], wanted: Callable[[Path], bool], expected: str) -> list[Path]:
    """The files of a format: those that are named themselves, and below a folder those that are wanted, sorted."""
    found: dict[Path, None] = {}
    for source in sources:
        if source.is_dir():
            below = sorted(path for path in source.rglob("*") if path.is_file() and wanted(path))
            if not below:
                refuse(source, "no such log in the folder", expected)
            found |= dict.fromkeys(below)
        elif source.is_file():
            found[source] = None
        else:
            refuse(source, "no such file or folder", expected)
    return list(found)


def read_document(path: Path) -> Any:  # noqa: ANN401 (JSON is anything)
    """The content of a JSON file; NaN and infinities are read as numbers."""
    return parse_document(path, path.read_bytes())


def parse_document(where: object, content: bytes) -> Any:  # noqa: ANN401
    """The value of JSON text."""
    try:
        return json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        refuse(where, f"not UTF-8 at byte {error.start}", "JSON")
    except json.JSONDecodeError as error:
        refuse(where, f"no JSON at line {error.lineno}, column {error.colno}: {error.msg}", WHOLE)
    except (ValueError, RecursionError) as error:
        refuse(where, f"JSON that cannot be read: {error}", "JSON")


def read_object(path: Path) -> dict[str, Any]:
    """The content of a JSON file that holds an object."""
    content = read_document(path)
    if not isinstance(content, dict):
        refuse(path, "no JSON object", "an object")
    return content


def read_lines(path: Path, *, cut_short: Callable[[int], None] | None = None) -> Iterator[Record]:
    """The objects of a JSON Lines file, one at a time; blank lines are passed over.

    `cut_short`: called with the number of a last line that is not whole, which is otherwise a fault.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            whole = line.endswith(b"\n")
            text = line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").strip()
            if not text:
                continue
            try:
                content = json.loads(text)
            except (ValueError, RecursionError) as error:
                if cut_short is not None and not whole:
                    cut_short(number)
                    return
                reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
                refuse(path, f"line {number} is no JSON: {reason}", WHOLE if not whole else "an object on every line")
            if not isinstance(content, dict):
                refuse(path, f"line {number} is no JSON object", "an object on every line")
            yield Record(number, content)


def first_line(path: Path) -> dict[str, Any]:
    """The first object of a JSON Lines file; empty where there is none."""
    with path.open("rb") as file:
        head = file.readline(2**26).removeprefix(b"\xef\xbb\xbf").strip()
    try:
        content = json.loads(head)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def starts_with(path: Path, *words: str) -> bool:
    """Whether all words stand in the first part of a file."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return all(word.encode() in head for word in words)


def as_object(value: object) -> Mapping[str, Any]:
    """A value that is a JSON object; another is taken for an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """A value that is a list; another is taken for an empty one."""
    return value if isinstance(value, list) else []


def as_number(value: object) -> int | float | None:
    """A value that is a number which a double can hold; None otherwise."""
    try:
        return value if isinstance(value, int | float) and math.isfinite(value) else None
    except OverflowError:
        return None


def clean(value: object) -> str:
    """A value as text that every table can hold: a lone surrogate is escaped."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return sys.intern(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def label(value: object) -> str:
    """A value as a name that a declaration can hold too: what cannot be printed is escaped."""
    return sys.intern(printable(clean(value)))


def distinct(names: Iterable[str]) -> list[str]:
    """Each name once, in the order first seen."""
    return list(dict.fromkeys(names))


def option_id(name: str, taken: Collection[str]) -> str:
    """A name as the id of an option, which holds no slash; numbered where it is taken."""
    plain = name.replace("/", "_")
    return next(one for one in (plain, *(f"{plain}#{i}" for i in range(2, len(taken) + 3))) if one not in taken)


def each_once(keys: Sequence[object], where: object, noun: str) -> None:
    """A fault where a key comes twice."""
    seen: set[object] = set()
    twice = [key for key in keys if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
    if twice:
        more = f" ({len(twice) - 1} more)" if len(twice) > 1 else ""
        refuse(where, f"{noun} {twice[0]} twice{more}", "each once")
