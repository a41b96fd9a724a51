"""Coordinates, their options, specifications, families: products and unions of declared choices (DESIGN section 3)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

from multiverse.errors import Place
from multiverse.predicates import TRUE, Predicate

CoordinateName: TypeAlias = Literal["contract", "disposition", "terminal", "reading", "scoring", "aggregation"]
COORDINATES: tuple[CoordinateName, ...] = ("contract", "disposition", "terminal", "reading", "scoring", "aggregation")

Entry: TypeAlias = Literal["match", "exclude"] | Fraction
Treatment: TypeAlias = Literal["as_declared", "never_legal"]
HypothesisRule: TypeAlias = Literal["exact", "overlap", "jaccard", "dice"]
CountedRepeats: TypeAlias = Literal["at_least", "pass_at", "pass_all"]
Repeats: TypeAlias = Literal["mean", "median", "mode", "max", "min", "majority", "first"] | CountedRepeats
Ties: TypeAlias = Literal["first", "lowest", "highest"]
Fewer: TypeAlias = Literal["exclude", "clamp"] | Fraction
Rounding: TypeAlias = Literal["half_even", "half_up"]
AggregationRule: TypeAlias = Literal["row_mean", "cluster_mean", "stratum_mean", "group_mean", "auc"]
Support: TypeAlias = Literal["own", "common", "complete"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Contract:
    """Which named predicates an object must satisfy to be legal, beside those that are always required.

    The rationale of an option, its own or its file's, is why it is declared, and no part of what it chooses.
    """

    id: str
    require: tuple[str, ...]
    levels: tuple[tuple[str, str], ...] = ()  # (factor, level) in the order of the factors
    rationale: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Entries:
    """What a prediction scores by its state, on one side (legal family present, or empty)."""

    by_state: Mapping[str, Entry]
    every_state: Entry | None = None

    def entry(self, state: str) -> Entry | None:
        """The declared entry of a state; None where none is declared."""
        return self.every_state if self.every_state is not None else self.by_state.get(state)


@dataclass(frozen=True, kw_only=True, slots=True)
class Disposition:
    """What a prediction in each state scores, by whether the row's legal family is empty."""

    id: str
    legal_present: Entries
    legal_empty: Entries
    rationale: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Terminal:
    """How structurally special objects are judged."""

    id: str
    treatment: Treatment = "as_declared"
    exempt: tuple[str, ...] = ()
    rationale: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """Which recorded answers count, and the state of a pair left with none."""

    id: str
    where: Predicate = TRUE
    none_left: Literal["missing", "empty"] = "missing"
    rationale: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Scoring:
    """How an answer is matched (hypotheses), or which score column is read and how repeats combine (scores)."""

    id: str
    rule: HypothesisRule | Literal["column"] = "exact"
    column: str = "score"
    at_least: Fraction | None = None
    decimals: int | None = None  # scores are rounded to so many before anything else
    rounding: Rounding = "half_even"
    repeats: Repeats = "mean"
    count: int = 1  # of repeats that a counted rule asks for
    fewer: Fewer | None = None  # what a pair with fewer repeats scores; None: what the rule makes of those it has
    ties: Ties = "first"  # which of the most frequent scores is the mode
    rationale: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Aggregation:
    """How row scores become a level (DESIGN section 4); columns are attributes of rows."""

    id: str
    rule: AggregationRule = "row_mean"
    by: str | None = None  # the column of the groups of a group mean, or within which an auc pairs rows
    weight: str | None = None  # the column of the rows' weights
    group_weight: str | None = None  # the column of the groups' weights
    label: str | None = None  # the column that tells an auc's positive rows
    pool: Literal["pairs", "groups"] = "pairs"  # whether an auc's pairs count alike, or its groups do
    of: Literal["score", "win_share"] = "score"
    support: Support = "own"
    rationale: str = field(default="", compare=False)

    @property
    def of_signatures(self) -> bool:
        """Whether a level comes of how many rows there are of each kind, and not of each row by itself."""
        named = (self.weight, self.group_weight)
        plain = self.rule in ("row_mean", "cluster_mean", "stratum_mean") and named == (None, None)
        return plain and self.of == "score" and self.support == "own"


@dataclass(frozen=True, kw_only=True, slots=True)
class Coordinates:
    """Every coordinate's options; one without a file holds its single default option and is no part of an id."""

    declared: tuple[CoordinateName, ...]
    contract: tuple[Contract, ...]
    disposition: tuple[Disposition, ...]
    terminal: tuple[Terminal, ...]
    reading: tuple[Reading, ...]
    scoring: tuple[Scoring, ...]
    aggregation: tuple[Aggregation, ...]

    def ids(self, name: CoordinateName) -> tuple[str, ...]:
        """The option ids of one coordinate, in the order declared."""
        return tuple(option.id for option in getattr(self, name))


@dataclass(frozen=True, kw_only=True, slots=True)
class Specification:
    """One choice on every coordinate; each field but the ids is a position among that coordinate's options."""

    id: str
    cell: str  # the ids of all choices but the contract's
    contract: int
    disposition: int
    terminal: int
    reading: int
    scoring: int
    aggregation: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Family:
    """A declared set of specifications, in the study's order."""

    name: str
    specs: tuple[Specification, ...]

    def contains(self, other: "Family") -> bool:
        """Whether every specification of the other family is in this one."""
        return {spec.id for spec in other.specs} <= {spec.id for spec in self.specs}


def _specification(ids: Mapping[CoordinateName, tuple[str, ...]], choice: tuple[int, ...]) -> Specification:
    """The specification of a choice, a position on each of `COORDINATES`; `ids` are the options of those declared."""
    positions = dict(zip(COORDINATES, choice, strict=True))
    names = {name: options[positions[name]] for name, options in ids.items()}
    return Specification(
        id="/".join(names.values()),
        cell="/".join(text for name, text in names.items() if name != "contract"),
        **positions,
    )


def product_family(coordinates: Coordinates, name: str, chosen: Mapping[CoordinateName, Iterable[str]]) -> Family:
    """The Cartesian product of the chosen options, options as declared, the last coordinate fastest."""
    axes = []
    for coordinate in COORDINATES:
        wanted = set(chosen.get(coordinate, coordinates.ids(coordinate)))
        axes.append([i for i, option in enumerate(coordinates.ids(coordinate)) if option in wanted])
    ids = {coordinate: coordinates.ids(coordinate) for coordinate in coordinates.declared}
    return Family(name=name, specs=tuple(_specification(ids, choice) for choice in product(*axes)))


def union_family(name: str, parts: Iterable[Family]) -> Family:
    """The specifications of all parts, each where it first occurs."""
    specs = {spec.id: spec for part in parts for spec in part.specs}
    return Family(name=name, specs=tuple(specs.values()))


@dataclass(frozen=True, kw_only=True, slots=True)
class FactorChange:
    """A contract factor that goes from one level to another, the other factors held."""

    factor: str
    from_level: str
    to_level: str
    place: Place = field(compare=False)
    places: Mapping[str, Place] = field(default_factory=dict, compare=False)  # of the keys that declare it


@dataclass(frozen=True, kw_only=True, slots=True)
class Effect(FactorChange):
    """The change of a margin between two levels of a contract factor (DESIGN section 5)."""

    id: str
    pair: tuple[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Background:
    """Levels of a change's other factors, with the positions of the two contracts that differ by the factor alone."""

    levels: tuple[tuple[str, str], ...]
    from_contract: int
    to_contract: int


def backgrounds(contracts: tuple[Contract, ...], change: FactorChange) -> tuple[Background, ...]:
    """Every background at which both sides of the change are declared contracts, in the order declared."""
    sides: dict[frozenset[tuple[str, str]], dict[str, int]] = {}
    for position, contract in enumerate(contracts):
        levels = dict(contract.levels)
        if change.factor in levels:
            level = levels.pop(change.factor)
            sides.setdefault(frozenset(levels.items()), {})[level] = position
    whole = [(key, side) for key, side in sides.items() if change.from_level in side and change.to_level in side]
    return tuple(
        Background(
            levels=tuple(pair for pair in contracts[side[change.from_level]].levels if pair in key),
            from_contract=side[change.from_level],
            to_contract=side[change.to_level],
        )
        for key, side in whole
    )


class EffectCells(NamedTuple):
    """The rest cells of an effect that a family holds, in the family's order."""

    whole: tuple[str, ...]  # both sides at every background
    partial: tuple[str, ...]  # some of them


def effect_cells(family: Family, backgrounds: Iterable[Background]) -> EffectCells:
    """Which rest cells a family holds whole, and which in part (DESIGN section 5)."""
    needed = {contract for b in backgrounds for contract in (b.from_contract, b.to_contract)}
    held: dict[str, set[int]] = {}
    for spec in family.specs:
        if spec.contract in needed:
            held.setdefault(spec.cell, set()).add(spec.contract)
    return EffectCells(
        whole=tuple(cell for cell, contracts in held.items() if contracts == needed),
        partial=tuple(cell for cell, contracts in held.items() if contracts < needed),
    )
