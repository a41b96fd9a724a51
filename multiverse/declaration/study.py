"""study.yaml: the substrate, methods, populations, endpoints and resampling of a study."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple

from multiverse.declaration.aggregations import read_aggregation
from multiverse.declaration.coordinates import Kind, two_levels
from multiverse.declaration.fields import Fields, file_safe
from multiverse.declaration.gates import Gate, read_gate
from multiverse.declaration.predicates import read_predicate
from multiverse.errors import Fault, Place, quoted, unknown_name
from multiverse.predicates import TRUE, Predicate
from multiverse.specification import COORDINATES, Aggregation, CoordinateName, Effect
from multiverse.strict_yaml import Node, Scalar

TABLES: Mapping[Kind, tuple[str, ...]] = {
    "hypotheses": ("rows", "objects", "predictions"),
    "scores": ("rows", "outcomes"),
}
_MOST_DRAWS = 1_000_000
KEYS = ("row", "cluster", "stratum")
_MOST_CLASSES = 12
DEFAULT_KEYS: Mapping[str, str] = {"row": "row_id", "cluster": "cluster_id", "stratum": "stratum"}


class Named(NamedTuple):
    """A name that the data must hold, with the place that names it."""

    text: str
    place: Place


@dataclass(frozen=True, kw_only=True, slots=True)
class SubstrateFiles:
    """Where the tables are, as declared, and the key columns that are renamed."""

    kind: Kind
    paths: Mapping[str, Named]
    renamed: Mapping[str, Named]  # of "row", "cluster", "stratum", those the study names itself

    def key(self, name: str) -> str:
        """The column of a row key."""
        return self.renamed[name].text if name in self.renamed else DEFAULT_KEYS[name]


@dataclass(frozen=True, kw_only=True, slots=True)
class Population:
    """A named filter of rows, reported apart."""

    name: str
    where: Predicate


@dataclass(frozen=True, kw_only=True, slots=True)
class Decomposition:
    """A partition of the objects for an effect's deletion decomposition (DESIGN section 7)."""

    id: str
    effect: str
    classes: Mapping[str, Predicate]


@dataclass(frozen=True, kw_only=True, slots=True)
class Contrast:
    """The change of an effect between two options of a coordinate (DESIGN section 5)."""

    id: str
    effect: str
    coordinate: CoordinateName
    from_option: str
    to_option: str
    support: Literal["own", "common"]
    places: Mapping[str, Place] = field(default_factory=dict, compare=False)  # of the keys that declare it


@dataclass(frozen=True, kw_only=True, slots=True)
class StratumContrast:
    """An effect over the first stratum's rows minus the effect over the second's."""

    id: str
    effect: str
    minus: tuple[Named, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoints:
    """What the study asks beyond levels, margins and rankings."""

    effects: tuple[Effect, ...] = ()
    decompositions: tuple[Decomposition, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    stratum_contrasts: tuple[StratumContrast, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Resampling:
    """How sampling uncertainty is to be estimated (DESIGN section 6)."""

    unit: Literal["cluster", "row"] = "cluster"
    strata: Named | None = None  # the column of the strata that draws stay within
    draws: int = 10000
    seed: int = 0
    level: Fraction = Fraction(95, 100)
    method: Literal["percentile", "bca", "none"] = "percentile"
    interval: Literal["drawn", "exact"] = "drawn"  # exact: computed where the distribution can be


@dataclass(frozen=True, kw_only=True, slots=True)
class StudyFile:
    """What study.yaml declares."""

    name: str
    title: str
    substrate: SubstrateFiles
    methods: tuple[Named, ...] | None  # None: every method in the data
    populations: tuple[Population, ...]
    aggregation: Aggregation
    aggregation_place: Place | None  # where study.yaml names it itself
    endpoints: Endpoints
    resampling: Resampling | None
    gates: tuple[Gate, ...]


def read_study_file(node: Node, faults: list[Fault]) -> StudyFile:
    """study.yaml as one frozen value; its names of factors, levels and options are checked once all files are read."""
    fields = Fields(node, noun="the file", place=node.place, faults=faults)
    name_place, name = fields.place_of("study"), fields.text("study")
    if name and not file_safe(name):
        fields.fault(name_place, f"the study name {quoted(name)}", "letters, digits, '.', '_' and '-' only")
    substrate = _substrate(fields)
    aggregation_place = fields.place_of("aggregation") if fields.has("aggregation") else None
    aggregation = read_aggregation(fields)
    methods = _methods(fields)
    endpoints = _endpoints(fields, None if methods is None else [method.text for method in methods])
    populations = _populations(fields)
    names = [population.name for population in populations]
    study = StudyFile(
        name=name,
        title=fields.text("title", default=""),
        substrate=substrate,
        methods=methods,
        populations=populations,
        aggregation=aggregation,
        aggregation_place=aggregation_place,
        endpoints=endpoints,
        resampling=_resampling(fields),
        gates=tuple(read_gate(item, id_, names) for item, id_ in _each(fields, "gates", "gate")),
    )
    fields.close()
    return study


def _substrate(fields: Fields) -> SubstrateFiles:
    place = fields.place_of("substrate")
    part = Fields(fields.node("substrate", required=True), noun="substrate", place=place, faults=fields.faults)
    kinds: list[Kind] = ["scores", "hypotheses"] if part.has("outcomes") else ["hypotheses", "scores"]
    kind: Kind = "scores" if part.choice("kind", kinds) == "scores" else "hypotheses"
    paths = {}
    for table in TABLES[kind]:
        table_place = part.place_of(table)
        paths[table] = Named(part.text(table), table_place)
    keys_node = part.node("keys")
    renamed = {}
    if keys_node is not None:
        keys = Fields(keys_node, noun="keys", place=keys_node.place, faults=fields.faults)
        for key in KEYS:
            key_place, column = keys.place_of(key), keys.text(key, default="")
            if column:
                renamed[key] = Named(column, key_place)
        keys.close()
    part.close()
    return SubstrateFiles(kind=kind, paths=paths, renamed=renamed)


def _methods(fields: Fields) -> tuple[Named, ...] | None:
    node = fields.node("methods")
    if node is None or (isinstance(node, Scalar) and node.value == "all"):
        return None
    listed = fields.as_texts(node, "methods", "all, or a list of at least one method", least=1)
    return tuple(Named(text, place) for text, place in listed) or None


def _populations(fields: Fields) -> tuple[Population, ...]:
    if not fields.has("populations"):
        fields.node("populations")
        return (Population(name="all", where=TRUE),)
    entries = fields.entries("populations", least=1)
    return tuple(Population(name=str(key.value), where=read_predicate(node, fields.faults)) for key, node in entries)


def _endpoints(fields: Fields, methods: list[str] | None) -> Endpoints:
    place, node = fields.place_of("endpoints"), fields.node("endpoints")
    if node is None:
        return Endpoints()
    part = Fields(node, noun="endpoints", place=place, faults=fields.faults)
    effects = tuple(_effect(item, id_, methods) for item, id_ in _each(part, "effects", "effect"))
    known = [effect.id for effect in effects if effect.id]
    decompositions = [_decomposition(item, id_, known) for item, id_ in _each(part, "decompositions", "decomposition")]
    contrasts = [_contrast(item, id_, known) for item, id_ in _each(part, "contrasts", "contrast")]
    strata = [_stratum_contrast(item, id_, known) for item, id_ in _each(part, "stratum_contrasts", "stratum contrast")]
    part.close()
    return Endpoints(
        effects=effects,
        decompositions=tuple(decompositions),
        contrasts=tuple(contrast for contrast in contrasts if contrast is not None),
        stratum_contrasts=tuple(strata),
    )


def _each(part: Fields, key: str, noun: str) -> Iterable[tuple[Fields, str]]:
    """The items of a list with their ids, which are unique; each is closed when the next is asked for."""
    taken: dict[str, Place] = {}
    for node in part.items(key):
        item = Fields(node, noun=f"the {noun}", place=node.place, faults=part.faults)
        yield item, item.identity(f"{noun} id", taken)
        item.close()


def _effect(item: Fields, identity: str, methods: list[str] | None) -> Effect:
    pair = item.two_texts("pair", "a list of two methods")
    known = [text for text, _ in pair] if methods is None else methods
    item.faults.extend(unknown_name(place, "method", text, known) for text, place in pair if text not in known)
    factor, levels = item.text("factor"), two_levels(item, "effect")
    names = ([text for text, _ in pair] + ["", ""])[:2]
    return Effect(
        id=identity,
        pair=(names[0], names[1]),
        factor=factor,
        from_level=levels[0],
        to_level=levels[1],
        place=item.place,
        places=item.places,
    )


def _known_effect(item: Fields, known: list[str]) -> str:
    place, effect = item.place_of("effect"), item.text("effect")
    if effect and effect not in known:
        item.faults.append(unknown_name(place, "effect", effect, known))
    return effect


def _decomposition(item: Fields, identity: str, known: list[str]) -> Decomposition:
    effect = _known_effect(item, known)
    place, entries = item.place_of("classes"), item.entries("classes", required=True, least=1)
    if len(entries) > _MOST_CLASSES:
        item.fault(place, f"classes names {len(entries)}", f"at most {_MOST_CLASSES}")
    classes = {str(key.value): read_predicate(node, item.faults) for key, node in entries}
    return Decomposition(id=identity, effect=effect, classes=classes)


def _contrast(item: Fields, identity: str, known: list[str]) -> Contrast | None:
    """None where it is at fault: its options are then not looked for."""
    contrast = Contrast(
        id=identity,
        effect=_known_effect(item, known),
        coordinate=item.choice("coordinate", [c for c in COORDINATES if c != "contract"]),  # type: ignore[arg-type]
        from_option=item.text("from"),
        to_option=item.text("to"),
        support="common" if item.choice("support", ["own", "common"], default="own") == "common" else "own",
        places=item.places,
    )
    if contrast.from_option == contrast.to_option and contrast.to_option:
        found = f"the contrast goes from option {quoted(contrast.to_option)} to itself"
        item.fault(item.place_of("to"), found, "two different options")
    return None if item.faulty else contrast


def _stratum_contrast(item: Fields, identity: str, known: list[str]) -> StratumContrast:
    effect = _known_effect(item, known)
    strata = tuple(Named(text, place) for text, place in item.two_texts("minus", "a list of two strata"))
    return StratumContrast(id=identity, effect=effect, minus=strata)


def _resampling(fields: Fields) -> Resampling | None:
    place, node = fields.place_of("resampling"), fields.node("resampling")
    if node is None:
        return None
    part = Fields(node, noun="resampling", place=place, faults=fields.faults)
    unit = part.choice("unit", ["cluster", "row"], default="cluster")
    strata = part.node("strata")
    level_place, level = part.place_of("level"), part.number("level", default=Fraction(95, 100))
    if level in (0, 1):
        part.fault(level_place, f"level is the number {level}", "a number between 0 and 1")
    named = strata is not None and not (isinstance(strata, Scalar) and strata.value is None)
    resampling = Resampling(
        unit="row" if unit == "row" else "cluster",
        strata=Named(part.as_text(strata, "strata"), strata.place) if named and strata is not None else None,
        draws=part.whole("draws", least=1, most=_MOST_DRAWS, default=10000),
        seed=part.whole("seed", least=0, default=0),
        level=level or Fraction(95, 100),
        method=part.choice("method", ["percentile", "bca", "none"], default="percentile"),  # type: ignore[arg-type]
        interval="exact" if part.choice("interval", ["drawn", "exact"], default="drawn") == "exact" else "drawn",
    )
    part.close()
    return resampling
