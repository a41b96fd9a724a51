"""One row under every treatment: what is legal, what each method answered, and what that scores (Table 1)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from multiverse.audit import find_study
from multiverse.declaration import Declaration, read_declaration
from multiverse.errors import InputError, unknown_name
from multiverse.exact import text_or_null
from multiverse.gates import pass_gates
from multiverse.row_audit import background_name
from multiverse.row_changes import Parts
from multiverse.scoring import RowFacts, RowScores, row_facts, score, single_row
from multiverse.specification import COORDINATES, Coordinates, Disposition, Entries, Specification, union_family
from multiverse.substrate import Substrate, read_substrate
from multiverse.substrate.coding import ANSWERED, EMPTY, MISSING
from multiverse.substrate.columns import table_contracts
from multiverse.substrate.tables import read_table

_OF_A_ROW = tuple(name for name in COORDINATES if name != "aggregation")  # a row is scored before it is averaged
_MANY = 20_000  # so many row ids are not all compared with an unknown one


class ObjectSet(NamedTuple):
    """Objects that are right together, or that a method named together."""

    id: str  # of the group, or of the hypothesis
    objects: tuple[str, ...]


class LegalFamily(NamedTuple):
    """What is legal on the row under one contract and terminal treatment."""

    contract: str
    terminal: str
    present: bool
    groups: tuple[ObjectSet, ...]  # empty for scores, where the row itself is legal or not


class Repeat(NamedTuple):
    """One scored attempt."""

    epoch: int | None  # None where the table has no such column
    state: str
    scores: Mapping[str, Fraction | None]  # by score column


class Answer(NamedTuple):
    """What a method answered, as one reading has it."""

    reading: str
    method: str
    state: str  # of the whole answer; `answered` where repeats have states of their own
    hypotheses: tuple[ObjectSet, ...]
    repeats: tuple[Repeat, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """One row: where it belongs, what is legal, what was answered, and every score; see `explain`."""

    declaration: Declaration
    row: str
    populations: tuple[str, ...]
    legal: tuple[LegalFamily, ...]
    answers: tuple[Answer, ...]
    scores: pl.DataFrame  # the declared coordinates but aggregation, method, present, matched, exact, value
    effects: pl.DataFrame  # effect, the declared coordinates of a cell, background, exact, value: on this row alone

    @property
    def record(self) -> dict[str, Any]:
        """Everything as JSON."""
        return {
            "study": self.declaration.name,
            "row": self.row,
            "populations": list(self.populations),
            "legal": [
                family._asdict() | {"groups": [group._asdict() for group in family.groups]} for family in self.legal
            ],
            "answers": [_answer_record(answer) for answer in self.answers],
            "scores": self.scores.to_dicts(),
            "effects": self.effects.to_dicts(),
        }


def _answer_record(answer: Answer) -> dict[str, Any]:
    repeats = [
        repeat._asdict() | {"scores": {name: text_or_null(value) for name, value in repeat.scores.items()}}
        for repeat in answer.repeats
    ]
    return answer._asdict() | {"hypotheses": [one._asdict() for one in answer.hypotheses], "repeats": repeats}


def explain(study: str | Path, row: str) -> Explanation:
    """One row of a study under every specification in use; its answers are opened.

    Raises InputError where the declaration or the data is at fault, or there is no such row, and GateError where a
    gate says NO_GO.
    """
    declaration = read_declaration(find_study(study))
    pass_gates(declaration)
    substrate = read_substrate(declaration)
    own = single_row(substrate, _position(declaration, substrate, row))
    specs = union_family("", declaration.families).specs
    facts = row_facts(declaration, own, specs)
    names = _names(declaration, own, row)
    found = _Scored(declaration, own, specs)
    return Explanation(
        declaration=declaration,
        row=row,
        populations=found.populations(),
        legal=tuple(_legal_families(declaration.coordinates, own, facts, names)),
        answers=tuple(_answers(declaration.coordinates, own, facts, names)),
        scores=found.scores(),
        effects=found.effects(),
    )


def _position(declaration: Declaration, substrate: Substrate, row: str) -> int:
    ids = substrate.row_ids.cast(pl.String)
    found = (ids == row).arg_true()
    if found.is_empty():
        known = ids if len(ids) <= _MANY else ids.filter(ids.str.starts_with(row[:3])).head(_MANY)
        where = f"rows ({declaration.substrate.paths['rows'].text})"
        raise InputError([unknown_name(where, "row", row, known.to_list())])
    return int(found[0])


class _Names(NamedTuple):
    """The row's records as the tables name things, in the order of the coded ones."""

    objects: pl.DataFrame
    answers: pl.DataFrame


def _names(declaration: Declaration, own: Substrate, row: str) -> _Names:
    """The records of the row in their own ids, which the coded tables do not keep."""
    key, frames = declaration.substrate.key("row"), {}
    for contract in table_contracts(declaration):
        table = read_table(declaration.folder, contract.request(declaration), [])
        assert table is not None, "the substrate was read from it"
        of_row = table.frame.filter(pl.col(key).cast(pl.String) == row)
        ids = [name for name in contract.ids if name in of_row.columns]
        frames[contract.name] = of_row.with_columns(pl.col(ids).cast(pl.String))
    answers = frames["predictions" if own.kind == "hypotheses" else "outcomes"]
    return _Names(frames.get("objects", pl.DataFrame()), answers.filter(pl.col("method").is_in(own.methods)))


def _legal_families(coordinates: Coordinates, own: Substrate, facts: RowFacts, names: _Names) -> Iterable[LegalFamily]:
    for (contract, terminal), legal in sorted(facts.legal.items()):
        groups: dict[str, list[str]] = {}
        if own.objects is not None:
            held = own.objects["g"].is_in(list(legal))
            for group, thing in names.objects.filter(held).select("group_id", "object_id").iter_rows():
                groups.setdefault(group, []).append(thing)
        yield LegalFamily(
            coordinates.contract[contract].id, coordinates.terminal[terminal].id, bool(legal), _object_sets(groups)
        )


def _object_sets(groups: Mapping[str, Sequence[str]]) -> tuple[ObjectSet, ...]:
    return tuple(ObjectSet(name, tuple(dict.fromkeys(objects))) for name, objects in groups.items())


def _answers(coordinates: Coordinates, own: Substrate, facts: RowFacts, names: _Names) -> Iterable[Answer]:
    for reading, kept in facts.kept.items():
        option = coordinates.reading[reading]
        for code, method in enumerate(own.methods):
            recorded = bool((own.answers["m"] == code).any())
            chosen = [i for i in kept if own.answers["m"][i] == code]
            coded, named = own.answers[chosen], names.answers[chosen]
            left = EMPTY if recorded and option.none_left == "empty" else MISSING
            if own.kind == "scores":
                repeats = _repeats(own, coded, named)
                state = own.states[left if not repeats else ANSWERED]
                yield Answer(option.id, method, state, (), repeats)
            else:
                state = own.states[int(coded["state"][0]) if chosen else left]
                yield Answer(option.id, method, state, _hypotheses(named), ())


def _hypotheses(named: pl.DataFrame) -> tuple[ObjectSet, ...]:
    sets: dict[str, list[str]] = {}
    for hypothesis, thing in named.select("hypothesis_id", "object_id").iter_rows():
        if hypothesis is not None:
            sets.setdefault(hypothesis, []).append(thing)
    return _object_sets(sets)


def _repeats(own: Substrate, coded: pl.DataFrame, named: pl.DataFrame) -> tuple[Repeat, ...]:
    with_epochs = "epoch" in named.columns
    repeats = []
    for record in coded.sort("epoch").iter_rows(named=True):
        codes = {name: record[column.alias] for name, column in own.scores.items()}
        values = {name: None if code is None else own.scores[name].values[code] for name, code in codes.items()}
        repeats.append(Repeat(record["epoch"] if with_epochs else None, own.states[record["state"]], values))
    return tuple(repeats)


class _Scored:
    """A substrate of one row, scored at every specification."""

    def __init__(self, declaration: Declaration, own: Substrate, specs: Sequence[Specification]) -> None:
        self._declaration, self._own = declaration, own
        chosen = {tuple(getattr(spec, name) for name in _OF_A_ROW): spec for spec in specs}
        self._specs = [chosen[choice] for choice in sorted(chosen)]
        self._declared = [name for name in declaration.coordinates.declared if name != "aggregation"]
        coordinates = declaration.coordinates
        self._probe = len(coordinates.disposition)
        disposition = (*coordinates.disposition, _matching(own.states))
        probing = replace(declaration, coordinates=replace(coordinates, disposition=disposition))
        probes = {spec.id: spec for spec in map(self._probing, self._specs)}
        rows = score(probing, own, [*self._specs, *probes.values()], keep_rows=True, threads=1).rows
        assert rows is not None
        self._rows: RowScores = rows

    def _probing(self, spec: Specification) -> Specification:
        """The specification at which a score above 0 is a match."""
        key = "/".join(str(getattr(spec, name)) for name in ("contract", "terminal", "reading", "scoring"))
        return replace(spec, id=f"matches of {key}", disposition=self._probe)

    def populations(self) -> tuple[str, ...]:
        """The populations that the row is in."""
        inside = self._rows.groups.populations[0].tolist()
        return tuple(one.name for one, held in zip(self._declaration.populations, inside, strict=True) if held)

    def _own_score(self, spec: Specification, method: str) -> Fraction | None:
        found = self._rows.of(spec, method)
        return Fraction(int(found.numerators[0]), found.denominator) if found.eligible[0] else None

    def _options(self, spec: Specification, names: Iterable[str]) -> dict[str, str]:
        coordinates = self._declaration.coordinates
        return {name: getattr(coordinates, name)[getattr(spec, name)].id for name in names}

    def scores(self) -> pl.DataFrame:
        """A record per specification and method."""
        schema = dict.fromkeys((*self._declared, "method"), pl.String()) | {
            "present": pl.Boolean(), "matched": pl.Boolean(), "exact": pl.String(), "value": pl.Float64(),
        }  # fmt: skip
        hypotheses = self._own.kind == "hypotheses"
        records = []
        for spec in self._specs:
            for method in self._rows.methods:
                value = self._own_score(spec, method)
                matched = bool(self._own_score(self._probing(spec), method)) if hypotheses else None
                told = {"method": method, "present": bool(self._rows.present(spec)[0]), "matched": matched}
                records.append(self._options(spec, self._declared) | told | _number(value))
        return pl.DataFrame(records, schema=schema)

    def effects(self) -> pl.DataFrame:
        """A record per effect, cell and background: the effect on this row alone."""
        names = [name for name in self._declared if name != "contract"]
        schema = dict.fromkeys(("effect", *names, "background"), pl.String()) | {
            "exact": pl.String(), "value": pl.Float64(),
        }  # fmt: skip
        held: dict[tuple[str, ...], dict[int, Specification]] = {}
        for spec in self._specs:
            held.setdefault(tuple(self._options(spec, names).values()), {})[spec.contract] = spec
        records = []
        for effect in self._declaration.endpoints.effects:
            for contracts in held.values():
                for one in self._declaration.backgrounds[effect.id]:
                    if {one.from_contract, one.to_contract} <= contracts.keys():
                        ends = [contracts[contract] for contract in (one.from_contract, one.to_contract)]
                        own = Parts(*(self._own_score(spec, method) for method in effect.pair for spec in ends))
                        told = {"effect": effect.id, "background": background_name(one)}
                        records.append(self._options(ends[0], names) | told | _number(own.change))
        return pl.DataFrame(records, schema=schema)


def _number(value: Fraction | None) -> dict[str, Any]:
    return {"exact": text_or_null(value), "value": None if value is None else float(value)}


def _matching(states: Iterable[str]) -> Disposition:
    """The disposition under which an answer scores what it matches, and all else 0."""
    present = {state: Fraction(0) for state in states}
    nothing = Entries(by_state={}, every_state=Fraction(0))
    return Disposition(id="", legal_present=Entries(by_state={**present, "answered": "match"}), legal_empty=nothing)
