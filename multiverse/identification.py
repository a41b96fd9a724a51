"""Finite identified sets: the values an endpoint takes over a family, each with a witness (paper section 2.3)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from multiverse.errors import MultiverseError
from multiverse.ranking import WeakOrder

Endpoint: TypeAlias = Literal["level", "margin", "ranking", "effect"]
Value: TypeAlias = Fraction | WeakOrder


class IdentifiedValue(NamedTuple):
    """One value of an identified set, how many specifications (or cells) give it, and the first that does."""

    value: Value
    specs: int
    first: str


@dataclass(frozen=True, kw_only=True, slots=True)
class IdentifiedSet:
    """I_Q(F): every value an endpoint takes over a family; undefined values are counted beside it, never in it."""

    endpoint: Endpoint
    a: str | None
    b: str | None
    values: tuple[IdentifiedValue, ...]  # as they first occur
    undefined: int

    @property
    def point_identified(self) -> bool:
        """Whether the endpoint has one value, everywhere in the family."""
        return len(self.values) == 1 and not self.undefined

    @property
    def least(self) -> IdentifiedValue | None:
        """The least number of the set; None where it is empty or holds rankings."""
        return min(self._numbers, key=lambda v: v.value, default=None)

    @property
    def greatest(self) -> IdentifiedValue | None:
        """The greatest number of the set; None where it is empty or holds rankings."""
        return max(self._numbers, key=lambda v: v.value, default=None)

    @property
    def _numbers(self) -> Sequence[IdentifiedValue]:
        return [value for value in self.values if isinstance(value.value, Fraction)]


def identified_set(
    endpoint: Endpoint, values: Iterable[tuple[str, Value | None]], *, a: str | None = None, b: str | None = None
) -> IdentifiedSet:
    """The identified set of an endpoint from its value at every specification (an effect: every cell) of a family."""
    undefined, specs, firsts = 0, dict[Value, int](), dict[Value, str]()
    for spec, value in values:
        if value is None:
            undefined += 1
        else:
            specs[value] = specs.get(value, 0) + 1
            firsts.setdefault(value, spec)
    found = tuple(IdentifiedValue(value, specs[value], first) for value, first in firsts.items())
    return IdentifiedSet(endpoint=endpoint, a=a, b=b, values=found, undefined=undefined)


def check_nesting(sets: Mapping[str, Sequence[IdentifiedSet]], nested: Iterable[tuple[str, str]]) -> None:
    """I_Q(F) lies within I_Q(F') wherever F lies within F': a property of the sets, checked on every run.

    `sets`: every family's sets, the same endpoints in the same order; `nested`: pairs (F, F').
    """
    for inner, outer in nested:
        for small, large in zip(sets[inner], sets[outer], strict=True):
            extra = {found.value for found in small.values} - {found.value for found in large.values}
            if extra:
                endpoint = " ".join(part for part in (small.endpoint, small.a, small.b) if part)
                raise MultiverseError(
                    f"the identified set of {endpoint} over {inner} is not within that over {outer}: {extra}"
                )
