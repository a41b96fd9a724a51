"""Typed getters over the nodes of a declaration file: each key is taken once, and what is left over is unknown."""

import re
from collections.abc import Iterable, Sequence
from collections.abc import Mapping as Map
from fractions import Fraction
from math import inf

from multiverse.errors import Fault, Place, quoted, unknown_name
from multiverse.predicates import written
from multiverse.strict_yaml import Mapping, Node, Scalar
from multiverse.strict_yaml import Sequence as ListNode

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)


def described(node: Node) -> str:
    """What a node is, in a fault's words."""
    match node:
        case Mapping(entries=content):
            return "a mapping" if content else "an empty mapping"
        case ListNode(items=content):
            return f"a list of {len(content)}" if content else "an empty list"
        case Scalar(value=None | bool() as value):
            return written(value)
        case Scalar(value=value):
            return f"the {'text' if isinstance(value, str) else 'number'} {written(value)}"


class Fields:
    """The fields of one mapping; faults are collected, and a getter that finds one gives a harmless value instead."""

    def __init__(self, node: Node | None, *, noun: str, place: Place, faults: list[Fault]) -> None:
        self.noun, self.place, self.faults = noun, place if node is None else node.place, faults
        self.broken = node is None  # absent or no mapping: its keys are not asked for again
        self._faults_before = len(faults)
        self._left: dict[str, Node] = {}
        self._places: dict[str, Place] = {}
        if isinstance(node, Mapping):
            for key, value in node.entries:
                self._left[str(key.value)], self._places[str(key.value)] = value, key.place
        elif node is not None:
            self.broken = True
            self.fault(node.place, f"{noun} is {described(node)}", "a mapping")
        self._known: list[str] = []

    @property
    def faulty(self) -> bool:
        """Whether a fault was found since the fields were opened, in them or in what they hold."""
        return len(self.faults) > self._faults_before

    @property
    def places(self) -> Map[str, Place]:
        """Where each key is written."""
        return self._places

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

    def identity(self, noun: str, taken: dict[str, Place]) -> str:
        """The text of the key `id`, which nothing of its kind has taken before."""
        place, identity = self.place_of("id"), self.text("id")
        if identity in taken:
            found = f"duplicate {noun} {quoted(identity)}, first at line {taken[identity].line}"
            self.fault(place, found, "an id that no other has")
        elif identity:
            taken[identity] = place
        return identity

    def choice(self, key: str, known: Sequence[str], *, default: str | None = None) -> str:
        """One of a closed set of words."""
        node = self.node(key, required=default is None)
        return default or known[0] if node is None else self.as_choice(node, key, known, default=default)

    def as_choice(self, node: Node, key: str, known: Sequence[str], *, default: str | None = None) -> str:
        """The word of a scalar node, one of a closed set."""
        word = self.as_text(node, key)
        if word and word not in known:
            self.faults.append(unknown_name(node.place, key, word, known))
        return word if word in known else (default or known[0])

    def whole(self, key: str, *, least: int, most: int | None = None, default: int | None = None) -> int:
        """A whole number of at least `least`, at most `most`."""
        node = self.node(key, required=default is None)
        if node is None:
            return least if default is None else default
        if isinstance(node, Scalar) and isinstance(node.value, int) and not isinstance(node.value, bool):
            if node.value >= least and (most is None or node.value <= most):
                return node.value
        upper = "" if most is None else f" and at most {most}"
        self.fault(node.place, f"{key} is {described(node)}", f"a whole number of at least {least}{upper}")
        return least

    def number(self, key: str, *, default: Fraction | None = None) -> Fraction | None:
        """An exact number in [0, 1], or the default where it is absent."""
        node = self.node(key)
        return default if node is None else self.as_share(node, key)

    def as_share(self, node: Node, what: str, expected: str = "a number in [0, 1]") -> Fraction | None:
        """The exact number in [0, 1] of a scalar node."""
        if isinstance(node, Scalar) and isinstance(node.value, int | Fraction) and not isinstance(node.value, bool):
            if 0 <= node.value <= 1:
                return Fraction(node.value)
        self.fault(node.place, f"{what} is {described(node)}", expected)
        return None

    def items(self, key: str) -> tuple[Node, ...]:
        """The nodes of a list; empty where the key is absent."""
        node = self.node(key)
        return () if node is None else self.as_items(node, key)

    def as_items(
        self, node: Node, what: str, expected: str = "a list", *, least: int = 0, most: float = inf
    ) -> tuple[Node, ...]:
        """The items of a list node, of at least `least` and at most `most`."""
        if isinstance(node, ListNode) and least <= len(node.items) <= most:
            return node.items
        self.fault(node.place, f"{what} is {described(node)}", expected)
        return ()

    def two_texts(self, key: str, expected: str) -> tuple[tuple[str, Place], ...]:
        """The two texts of a list with their places; required."""
        node = self.node(key, required=True)
        return () if node is None else self.as_texts(node, key, expected, least=2, most=2)

    def as_texts(
        self, node: Node, what: str, expected: str = "a list", *, least: int = 0, most: float = inf
    ) -> tuple[tuple[str, Place], ...]:
        """The texts of a list node with their places; a text given twice is a fault."""
        found: dict[str, Place] = {}
        for item in self.as_items(node, what, expected, least=least, most=most):
            text = self.as_text(item, f"an item of {what}")
            if text in found:
                self.fault(item.place, f"{what} lists {quoted(text)} twice", "it once")
            found.setdefault(text, item.place)
        return tuple((text, place) for text, place in found.items() if text)

    def known_texts(
        self, key: str, noun: str, known: Iterable[str] | None, *, what: str = "", required: bool = False
    ) -> tuple[str, ...]:
        """The texts of a list, each of which must be a known name; None: which are known could not be read."""
        node = self.node(key, required=required)
        listed = () if node is None else self.as_texts(node, what or key)
        names = {text for text, _ in listed} if known is None else set(known)
        self.faults.extend(unknown_name(place, noun, text, names) for text, place in listed if text not in names)
        return tuple(text for text, _ in listed if text in names)

    def entries(self, key: str, *, required: bool = False, least: int = 0) -> tuple[tuple[Scalar, Node], ...]:
        """The entries of a mapping; empty where the key is absent. Names that the user makes up are ASCII."""
        node = self.node(key, required=required)
        if node is None:
            return ()
        if not isinstance(node, Mapping) or len(node.entries) < least:
            self.fault(node.place, f"{key} is {described(node)}", f"a mapping{' of at least one entry' * (least > 0)}")
            return ()
        for name, _ in node.entries:
            if not (str(name.value).isascii() and str(name.value).strip()):
                self.fault(name.place, f"the name {quoted(str(name.value))} in {key}", "a name in ASCII letters")
        return node.entries

    def also_knows(self, *keys: str) -> None:
        """Name keys that are known but not asked for here, for the hint that answers an unknown one."""
        self._known.extend(keys)

    def close(self) -> None:
        """Make every key that no getter asked for a fault, with the nearest known key."""
        for key in self._left:
            self.faults.append(unknown_name(self._places[key], f"key in {self.noun}", key, self._known))


def file_safe(text: str) -> bool:
    """Whether a name can be part of a path on any system: ASCII letters, digits, dot, underscore and hyphen."""
    return bool(_NAME.fullmatch(text))
