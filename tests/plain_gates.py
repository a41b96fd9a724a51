"""The gates of the plain evaluator: DESIGN section 8."""

from collections.abc import Mapping
from typing import Any

from plain import Background, effect_backgrounds
from plain_levels import clusters
from plain_scores import SetFamily, legal_families
from plain_study import Cell, PlainStudy, Record, contract_options, holds, keys

Families = Mapping[str, Mapping[Any, SetFamily]]  # by contract, by row


def condition_holds(test: str, before: SetFamily, after: SetFamily) -> bool:
    """Whether a condition holds between the legal families of the two sides."""
    if test == "family_unchanged":
        return before == after and before != set()
    if test == "family_nonempty":
        return before != set() and after != set()
    if test == "family_collapses":
        return before != set() and after == set()
    raise ValueError(test)


def row_holds(test: str, asked: Record, backgrounds: list[Background], families: Families, row: Cell) -> bool:
    """Whether a condition holds on a row, in every or in any background."""
    found = [condition_holds(test, families[one.before][row], families[one.after][row]) for one in backgrounds]
    return any(found) if asked.get("background") == "any" else all(found)


def plain_gate(study: PlainStudy, gate: Record) -> dict[str, Any]:
    """One gate's entry in the record."""
    populations = study.study.get("populations") or {"all": {}}
    terminals = [] if study.terminals is None else study.terminals["options"]
    terminal = next((option for option in terminals if option["id"] == gate.get("terminal", option["id"])), None)
    assert study.contracts is not None
    options = contract_options(study.contracts)
    families = {name: legal_families(study, option, terminal) for name, option in options.items()}
    population = gate.get("population", next(iter(populations)))
    rows = [record[keys(study).row] for record in study.rows if holds(populations[population], record)]
    for test, asked in gate["where"].items():
        backgrounds = effect_backgrounds(study, asked)
        rows = [row for row in rows if row_holds(test, asked, backgrounds, families, row)]
    count = len(rows) if gate["count"] == "rows" else len({clusters(study)[row] for row in rows})
    return {
        "id": gate["id"],
        "population": population,
        "unit": gate["count"],
        "count": count,
        "at_least": gate["at_least"],
        "verdict": "GO" if count >= gate["at_least"] else "NO_GO",
    }


def plain_gates(study: PlainStudy) -> list[dict[str, Any]]:
    """The `gates` of a record, in the order declared."""
    return [plain_gate(study, gate) for gate in study.study.get("gates") or []]
