"""Typed getters over the nodes of a declaration file: each key is taken once, and what is left over is unknown."""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from multiverse.errors import Fault, Place, quoted, unknown_name
from multiverse.strict_yaml import Mapping, Node, Scalar
from multiverse.strict_yaml import Sequence as ListNode

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)


def described(node: Node) -> str:
    """What a node is, in a fault's words."""
    match node:
        case Mapping():
            return "a mapping"
        case ListNode():
            return "a list"
        case Scalar(value=None):
            return "null"
        case Scalar(value=bool() as value):
            return str(value).lower()
        case Scalar(value=str() as value):
            return f"the text {quoted(value)}"
        case Scalar(value=value):
            return f"the number {float(value) if isinstance(value, Fraction) else value}"


class Fields:
    """The fields of one mapping; faults are collected, and a getter that finds one gives a harmless value instead."""

    def __init__(self, node: Node | None, *, noun: str, place: Place, faults: list[Fault]) -> None:
        self.noun, self.place, self.faults = noun, place if node is None else node.place, faults
        self.broken = node is None
        self._left: dict[str, Node] = {}
        self._places: dict[str, Place] = {}
        if isinstance(node, Mapping):
            for key, value in node.entries:
                self._left[str(key.value)], self._places[str(key.value)] = value, key.place
        elif node is not None:
            self.broken = True
            self.fault(node.place, f"{noun} is {described(node)}", "a mapping")
        self._known: list[str] = []

    def fault(self, place: Place, found: str, expected: str = "") -> None:
        """Record one fault."""
        self.faults.append(Fault(where=str(place), found=found, expected=expected))

    def has(self, key: str) -> bool:
        """Whether the key is written and not yet taken."""
        return key in self._left

    def place_of(self, key: str) -> Place:
        """Where a key is written; where the mapping starts, for a key that is not."""
        return self._places.get(key, self.place)

    def node(self, key: str, *, required: bool = False) -> Node | None:
        """The value of a key as a node; None where it is absent."""
        self._known.append(key)
        found = self._left.pop(key, None)
        if found is None and required and not self.broken:
            self.fault(self.place, f"{self.noun} has no key {quoted(key)}", "it to be given")
        return found

    def text(self, key: str, *, default: str | None = None) -> str:
        """A text; required where no default is given."""
        node = self.node(key, required=default is None)
        return (default or "") if node is None else self.as_text(node, key)

    def as_text(self, node: Node, what: str) -> str:
        """The text of a scalar node."""
        if isinstance(node, Scalar) and isinstance(node.value, str):
            if not node.value.strip():
                self.fault(node.place, f"{what} is blank", "some text")
            return node.value
        hint = "text: put it in quotes" if isinstance(node, Scalar) and node.value is not None else "text"
        self.fault(node.place, f"{what} is {described(node)}", hint)
        return ""

    def choice(self, key: str, known: Sequence[str], *, default: str | None = None) -> str:
        """One of a closed set of words."""
        node = self.node(key, required=default is None)
        if node is None:
            return default or known[0]
        word = self.as_text(node, key)
        if word and word not in known:
            self.faults.append(unknown_name(node.place, key, word, known))
        return word if word in known else (default or known[0])

    def whole(self, key: str, *, least: int, default: int | None = None) -> int:
        """A whole number of at least `least`."""
        node = self.node(key, required=default is None)
        if node is None:
            return least if default is None else default
        if isinstance(node, Scalar) and isinstance(node.value, int) and not isinstance(node.value, bool):
            if node.value >= least:
                return node.value
        self.fault(node.place, f"{key} is {described(node)}", f"a whole number of at least {least}")
        return least

    def number(self, key: str, *, default: Fraction | None = None) -> Fraction | None:
        """An exact number in [0, 1], or the default where it is absent."""
        node = self.node(key)
        return default if node is None else self.as_share(node, key)

    def as_share(self, node: Node, what: str) -> Fraction | None:
        """The exact number in [0, 1] of a scalar node."""
        if isinstance(node, Scalar) and isinstance(node.value, int | Fraction) and not isinstance(node.value, bool):
            if 0 <= node.value <= 1:
                return Fraction(node.value)
        self.fault(node.place, f"{what} is {described(node)}", "a number in [0, 1]")
        return None

    def items(self, key: str, *, required: bool = False) -> tuple[Node, ...]:
        """The nodes of a list; empty where the key is absent."""
        node = self.node(key, required=required)
        return () if node is None else self.as_items(node, key)

    def as_items(self, node: Node, what: str) -> tuple[Node, ...]:
        """The items of a list node."""
        if isinstance(node, ListNode):
            return node.items
        self.fault(node.place, f"{what} is {described(node)}", "a list")
        return ()

    def texts(self, key: str, *, required: bool = False) -> tuple[tuple[str, Place], ...]:
        """The texts of a list with their places; empty where the key is absent."""
        node = self.node(key, required=required)
        return () if node is None else self.as_texts(node, key)

    def as_texts(self, node: Node, what: str) -> tuple[tuple[str, Place], ...]:
        """The texts of a list node with their places; a text given twice is a fault."""
        found: dict[str, Place] = {}
        for item in self.as_items(node, what):
            text = self.as_text(item, f"an item of {what}")
            if text in found:
                self.fault(item.place, f"{what} lists {quoted(text)} twice", "it once")
            found.setdefault(text, item.place)
        return tuple((text, place) for text, place in found.items() if text)

    def known_texts(self, key: str, noun: str, known: Iterable[str]) -> tuple[str, ...]:
        """The texts of a list, each of which must be a known name."""
        names, listed = set(known), self.texts(key)
        self.faults.extend(unknown_name(place, noun, text, names) for text, place in listed if text not in names)
        return tuple(text for text, _ in listed if text in names)

    def entries(self, key: str, *, required: bool = False) -> tuple[tuple[Scalar, Node], ...]:
        """The entries of a mapping; empty where the key is absent. Names that the user makes up are ASCII."""
        node = self.node(key, required=required)
        if node is None:
            return ()
        if not isinstance(node, Mapping):
            self.fault(node.place, f"{key} is {described(node)}", "a mapping")
            return ()
        for name, _ in node.entries:
            if not (str(name.value).isascii() and str(name.value).strip()):
                self.fault(name.place, f"the name {quoted(str(name.value))} in {key}", "a name in ASCII letters")
        return node.entries

    def close(self) -> None:
        """Make every key that no getter asked for a fault, with the nearest known key."""
        for key in self._left:
            self.faults.append(unknown_name(self._places[key], f"key in {self.noun}", key, self._known))


def file_safe(text: str) -> bool:
    """Whether a name can be part of a path on any system: ASCII letters, digits, dot, underscore and hyphen."""
    return bool(_NAME.fullmatch(text))
