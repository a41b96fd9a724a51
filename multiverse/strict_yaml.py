"""YAML text as a frozen tree with places; what two YAML readers could take for different things is refused."""

import codecs
import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, NoReturn, TypeAlias

import yaml
from yaml.error import Mark, MarkedYAMLError
from yaml.events import (
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from yaml.parser import ParserError
from yaml.scanner import ScannerError
from yaml.tokens import TagToken

from multiverse.errors import Fault, Place, quoted

MAX_BYTES = 4 * 2**20
MAX_DEPTH = 32
MAX_INTEGER = 2**53 - 1  # the largest that every JSON reader keeps exact (RFC 7493, section 2.2)
MAX_DIGITS = 40  # signs and points included; int() itself gives up on thousands

_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_CARRIAGE_RETURN = "carriage return; save with LF line ends (check git core.autocrlf)"
_CONSTANTS = {"true": True, "false": False, "null": None}
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")

# The union of the YAML 1.1 types (yaml.org/type), the YAML 1.2 core schema (section 10.3.2), and what Ruby's Psych and
# ruamel.yaml add: any letter case, commas between digits, symbols, +_1. What all agree on is taken out before.
_AMBIGUOUS = re.compile(
    r"""
    yes | no | on | off | true | false | null | ~
    | = | <<                                                        # value and merge
    | :.+                                                           # symbol
    | ([-+.] [._]*)? [0-9] [0-9_,.]* (e [-+]? [0-9_]+)?             # 014, 1_000, 3., .5, 1e3; also 1.2.3, as in 1.1
    | [-+]? (0b [01_]+ | 0o [0-7_]+ | 0x [0-9a-f_]+)
    | [-+]? \. (inf | nan | _*) | [-+] _+
    | [-+]? [0-9] [0-9_]* (: [0-5]? [0-9])+ (\. [0-9_]*)?           # sexagesimal
    | -? [0-9]{4} (- [0-9]{1,2}){2} ([t\ \t] [-+0-9:.z\ \t]*)?      # date and timestamp
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII | re.DOTALL,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Scalar:
    """A text, truth value, number or null; a number with a point is the exact fraction of its decimal."""

    place: Place
    value: str | bool | int | Fraction | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Sequence:
    """A list of nodes."""

    place: Place
    items: tuple["Node", ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Mapping:
    """Nodes by key, in the order of the file; every key is text and occurs once."""

    place: Place
    entries: tuple[tuple[Scalar, "Node"], ...]


Node: TypeAlias = Scalar | Sequence | Mapping


class YamlResult(NamedTuple):
    """What `read_yaml` gives: a node, or the faults that stand in its way."""

    node: Node | None  # None when there is any fault
    faults: tuple[Fault, ...]  # in the order of their places


def read_yaml(content: bytes, file: str) -> YamlResult:
    """The one document in `content`; `file` names it in places.

    Encoding faults hide character faults, and these hide faults of the tree: each stage needs the one before.
    A syntax error, a directive and too deep nesting end the reading; all other faults of a stage are listed.
    """
    text = _decoded(content, file)
    if isinstance(text, Fault):
        return YamlResult(node=None, faults=(text,))
    faults = _character_faults(text, file)
    if faults:
        return YamlResult(node=None, faults=tuple(faults))
    reader = _TreeReader(text, file)
    node = reader.document()
    return YamlResult(node=None if reader.faults else node, faults=tuple(reader.faults))


def _decoded(content: bytes, file: str) -> str | Fault:
    start = str(Place(file=file, line=1, column=1))
    if len(content) > MAX_BYTES:
        return Fault(where=start, found=f"file of {len(content)} bytes", expected=f"at most {MAX_BYTES} bytes")
    if content.startswith(_BYTE_ORDER_MARKS):
        return Fault(where=start, found="byte-order mark; save as plain UTF-8")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        place = Place(file=file, line=before.count("\n") + 1, column=len(before) - before.rfind("\n"))
        return Fault(where=str(place), found=f"not UTF-8 at byte {error.start}")


def _character_faults(text: str, file: str) -> list[Fault]:
    """The first of each hidden character on each line; of carriage returns, the first in the file."""
    hidden = {character for character in set(text) if _is_hidden(character)}
    faults: list[Fault] = []
    for number, line in enumerate(text.split("\n") if hidden else (), start=1):
        for character in sorted(hidden & set(line), key=line.index):
            place = Place(file=file, line=number, column=line.index(character) + 1)
            faults.append(Fault(where=str(place), found=_hidden_character(character)))
        hidden -= {"\r"} & set(line)
    return faults


def _is_hidden(character: str) -> bool:
    code = ord(character)
    is_noncharacter = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF  # Unicode, section 23.7
    is_control = unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and character not in "\n\t"
    return is_noncharacter or is_control


def _hidden_character(character: str) -> str:
    return _CARRIAGE_RETURN if character == "\r" else f"control or invisible character {_code_point(character)}"


def _code_point(character: str) -> str:
    return f"U+{ord(character):04X}"


class _Parser(yaml.SafeLoader):
    """PyYAML's parser in Python, so that libyaml's absence changes nothing; only its events are used."""

    def scan_directive(self) -> NoReturn:
        raise ScannerError(problem="directives are not allowed", problem_mark=self.get_mark())

    def scan_tag(self) -> TagToken:
        # PyYAML ends the reading at a handle it does not know; here one tag is refused like another.
        token = super().scan_tag()
        return TagToken((None, "!"), token.start_mark, token.end_mark)

    def scan_flow_scalar_non_spaces(self, double: object, start_mark: Mark) -> list[str]:
        # PyYAML passes what follows \U to chr() unchecked.
        try:
            return super().scan_flow_scalar_non_spaces(double, start_mark)
        except (ValueError, OverflowError):
            raise ScannerError(problem="escape beyond U+10FFFF", problem_mark=self.get_mark()) from None


class _TreeReader:
    """Parser events to one tree. After a fault a stand-in keeps the reading going; the tree is then thrown away."""

    def __init__(self, text: str, file: str) -> None:
        self.faults: list[Fault] = []
        self._file = file
        self._events = yaml.parse(text, Loader=_Parser)

    def document(self) -> Node | None:
        """The root, or None where the events end early."""
        try:
            next(self._events)  # the start of the stream
            start = next(self._events)
            if isinstance(start, StreamEndEvent):
                self._add(Place(file=self._file, line=1, column=1), "no document", expected="one document")
                return None
            root = self._node(next(self._events), depth=0)
            next(self._events)  # the end of the document
            after = next(self._events)
            if isinstance(after, DocumentStartEvent):
                self._add(self._place(after.start_mark), "more than one document")
            return root
        except MarkedYAMLError as error:
            self._add(self._place(error.problem_mark), str(error.problem))
            return None

    def _node(self, event: Event, depth: int) -> Node:
        assert isinstance(event, NodeEvent)
        place = self._place(event.start_mark)
        if event.anchor is not None:  # an alias too
            self._add(place, "anchors are not allowed")
        if isinstance(event, ScalarEvent):
            return Scalar(place=place, value=self._value(event, place))
        if isinstance(event, SequenceStartEvent | MappingStartEvent):
            return self._collection(event, place, depth)
        return Scalar(place=place, value=None)

    def _collection(self, event: SequenceStartEvent | MappingStartEvent, place: Place, depth: int) -> Node:
        if event.tag is not None:
            self._add(place, "tags are not allowed")
        if depth == MAX_DEPTH:
            raise ParserError(problem="nested too deeply", problem_mark=_python_mark(event.start_mark))
        is_mapping = isinstance(event, MappingStartEvent)
        return self._mapping(place, depth + 1) if is_mapping else self._sequence(place, depth + 1)

    def _sequence(self, place: Place, depth: int) -> Sequence:
        items: list[Node] = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            items.append(self._node(event, depth))
        return Sequence(place=place, items=tuple(items))

    def _mapping(self, place: Place, depth: int) -> Mapping:
        entries: list[tuple[Scalar, Node]] = []
        first_lines: dict[str, int] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._key(event, depth, first_lines)
            entries.append((key, self._node(next(self._events), depth)))
        return Mapping(place=place, entries=tuple(entries))

    def _key(self, event: Event, depth: int, first_lines: dict[str, int]) -> Scalar:
        place = self._place(event.start_mark)
        if isinstance(event, SequenceStartEvent | MappingStartEvent):
            kind = "mapping" if isinstance(event, MappingStartEvent) else "sequence"
            self._add(place, f"mapping keys must be strings, not a {kind}")
        faults_before = len(self.faults)
        node = self._node(event, depth)
        if not isinstance(node, Scalar):
            return Scalar(place=place, value="")
        if isinstance(event, ScalarEvent) and len(self.faults) == faults_before:
            self._check_key(node, event.value, first_lines)
        return node

    def _check_key(self, key: Scalar, source: str, first_lines: dict[str, int]) -> None:
        if not isinstance(key.value, str):
            self._add(key.place, f"mapping keys must be strings: quote {source}")
        elif not unicodedata.is_normalized("NFC", key.value):
            self._add(key.place, "key is not NFC-normalised")
        elif key.value in first_lines:
            self._add(key.place, f"duplicate key {quoted(key.value)}, first at line {first_lines[key.value]}")
        else:
            first_lines[key.value] = key.place.line

    def _value(self, event: ScalarEvent, place: Place) -> str | bool | int | Fraction | None:
        """What a scalar stands for; a tagged plain one is not asked whether it is ambiguous, for its tag decides."""
        if event.tag is not None:
            self._add(place, "tags are not allowed")
        elif event.style is None:
            return self._plain_value(event.value, place)
        for character in filter(_is_hidden, dict.fromkeys(event.value)):
            self._add(place, f"escape gives control or invisible character {_code_point(character)}")
        return event.value

    def _plain_value(self, text: str, place: Place) -> str | bool | int | Fraction | None:
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if _DECIMAL.fullmatch(text) and _is_exact(text):
            return Fraction(text) if "." in text else int(text)
        if not text:
            self._add(place, "empty value", expected="null, '' or a value")
        elif _AMBIGUOUS.fullmatch(text):
            self._add(
                place,
                f"{quoted(text)} means different things to different YAML readers",
                expected="it quoted, or true, false, null or a plain decimal",
            )
        return text

    def _place(self, mark: object) -> Place:
        start = _python_mark(mark)
        return Place(file=self._file, line=start.line + 1, column=start.column + 1)

    def _add(self, place: Place, found: str, *, expected: str = "") -> None:
        self.faults.append(Fault(where=str(place), found=found, expected=expected))


def _python_mark(mark: object) -> Mark:
    assert isinstance(mark, Mark)  # the parser in Python marks every event and error
    return mark


def _is_exact(decimal: str) -> bool:
    """Whether every reader keeps the number: not a long one, an integer beyond 2^53 or a negative zero."""
    if len(decimal) > MAX_DIGITS:
        return False
    number = Fraction(decimal)
    is_negative_zero = number == 0 and decimal.startswith("-")
    return not is_negative_zero and ("." in decimal or abs(number) <= MAX_INTEGER)
