"""Verdicts of a study's gates: rows and objects counted, predictions or outcomes never opened (DESIGN section 8)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from multiverse.declaration import Declaration
from multiverse.declaration.gates import Condition, Gate, Unit
from multiverse.errors import Fault, GateError, quoted
from multiverse.scoring import Cell, LegalFamilies, legal_families
from multiverse.specification import backgrounds
from multiverse.substrate import read_references

Bits = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, slots=True)
class GateVerdict:
    """What a gate counted, and what that says."""

    id: str
    population: str
    unit: Unit
    count: int
    at_least: int

    @property
    def verdict(self) -> Literal["GO", "NO_GO"]:
        """GO where the count reaches what was asked for."""
        return "GO" if self.count >= self.at_least else "NO_GO"


def judge_gates(declaration: Declaration, *, threads: int | None = None) -> tuple[GateVerdict, ...]:
    """The verdict of every gate, in the order declared; where there is none, nothing is read."""
    if not declaration.gates:
        return ()
    references = read_references(declaration)
    cells = [
        cell
        for gate in declaration.gates
        for c in gate.conditions
        for pair in _sides(declaration, gate, c)
        for cell in pair
    ]
    families = legal_families(declaration, references, cells, threads=threads)
    cluster = references.rows["cluster"]
    return tuple(_verdict(declaration, gate, families, cluster) for gate in declaration.gates)


def pass_gates(declaration: Declaration, *, threads: int | None = None) -> tuple[GateVerdict, ...]:
    """The verdicts where all are GO; GateError, with all of them, where one is NO_GO."""
    verdicts = judge_gates(declaration, threads=threads)
    judged = zip(declaration.gates, verdicts, strict=True)
    faults = [_shortfall(gate, verdict) for gate, verdict in judged if verdict.verdict == "NO_GO"]
    if faults:
        answers = "predictions" if declaration.substrate.kind == "hypotheses" else "outcomes"
        raise GateError(faults, verdicts=verdicts, unopened=answers)
    return verdicts


def _sides(declaration: Declaration, gate: Gate, condition: Condition) -> list[tuple[Cell, Cell]]:
    """The cells on the two sides of a condition, at each background."""
    coordinates = declaration.coordinates
    terminal = 0 if gate.terminal is None else coordinates.ids("terminal").index(gate.terminal)
    found = backgrounds(coordinates.contract, condition)
    return [((one.from_contract, terminal), (one.to_contract, terminal)) for one in found]


def _verdict(declaration: Declaration, gate: Gate, families: LegalFamilies, cluster: pl.Series) -> GateVerdict:
    names = [population.name for population in declaration.populations]
    rows = families.populations[:, names.index(gate.population)].copy()
    for condition in gate.conditions:
        rows &= _met(condition, families, _sides(declaration, gate, condition))
    count = int(rows.sum()) if gate.count == "rows" else cluster.filter(rows).n_unique()
    return GateVerdict(id=gate.id, population=gate.population, unit=gate.count, count=count, at_least=gate.at_least)


def _met(condition: Condition, families: LegalFamilies, sides: Iterable[tuple[Cell, Cell]]) -> Bits:
    """(rows,) whether a condition holds, in every or in any background."""
    holds = [_held(condition, families, before, after) for before, after in sides]
    over = np.logical_and if condition.background == "every" else np.logical_or
    met: Bits = over.reduce(holds)
    return met


def _held(condition: Condition, families: LegalFamilies, before: Cell, after: Cell) -> Bits:
    """(rows,) whether a condition holds in one background."""
    match condition.test:
        case "family_unchanged":
            return families.present(before) & families.same(before, after)
        case "family_nonempty":
            return families.present(before) & families.present(after)
        case "family_collapses":
            return families.present(before) & ~families.present(after)


def _shortfall(gate: Gate, verdict: GateVerdict) -> Fault:
    unit = verdict.unit.removesuffix("s") if verdict.count == 1 else verdict.unit
    found = f"gate {quoted(gate.id)} is NO_GO: {verdict.count} {unit} of population {quoted(gate.population)}"
    return Fault(where=str(gate.place), found=found, expected=f"at least {verdict.at_least}")
