"""The scores, supports and levels of the plain evaluator: DESIGN section 4."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

from plain_levels import aggregation, counted, level
from plain_study import Cell, PlainStudy, Record, Spec, Table, chosen_options, exact, holds, keys, kind, mean

Pair = tuple[Any, str]
SetFamily = set[frozenset[Any]]


class Repeat(NamedTuple):
    """One recorded attempt of a method at a row."""

    state: str
    content: Cell  # hypotheses: the list of predicted sets; scores: the outcome record


class Side(NamedTuple):
    """A method's level under one specification and the rows it was taken over."""

    level: Fraction | None
    support: frozenset[Any]


Sides = dict[Spec, dict[str, Side]]


# Legality


def passes(study: PlainStudy, record: Record, contract: Record | None, terminal: Record | None) -> bool:
    """Whether an object (or, for scores, a row) passes a contract under a terminal treatment."""
    exempt: list[str] = []
    if terminal is not None and study.terminals is not None and holds(study.terminals["special"], record):
        treatment = terminal["treatment"]
        if treatment == "never_legal":
            return False
        if treatment != "as_declared":
            exempt = treatment["exempt"]
    if contract is None or study.contracts is None:
        return True
    required = [*(study.contracts.get("always") or ()), *contract["require"]]
    named = study.contracts["predicates"]
    return all(holds(named[name], record) for name in required if name not in exempt)


def legal_families(study: PlainStudy, contract: Record | None, terminal: Record | None) -> dict[Any, SetFamily]:
    """The legal family of every row: the distinct object sets of its legal groups."""
    row = keys(study).row
    legal: dict[Any, SetFamily] = {record[row]: set() for record in study.rows}
    for (name, _), members in grouped_objects(study).items():
        if all(passes(study, member, contract, terminal) for _, member in members):
            legal[name].add(frozenset(thing for thing, _ in members))
    return legal


def grouped_objects(study: PlainStudy) -> dict[tuple[Any, Any], list[tuple[Any, Record]]]:
    """The objects of each (row, group) with their records; for scores the row itself, alone in its group."""
    row = keys(study).row
    if study.objects is None:
        return {(record[row], None): [(record[row], record)] for record in study.rows}
    groups: dict[tuple[Any, Any], list[tuple[Any, Record]]] = {}
    for record in study.objects:
        groups.setdefault((record[row], record["group_id"]), []).append((record["object_id"], record))
    return groups


# Records of the methods


def methods(study: PlainStudy) -> list[str]:
    """The methods under audit, in code-point order."""
    declared = study.study.get("methods", "all")
    table = study.outcomes if study.predictions is None else study.predictions
    assert table is not None
    return sorted({record["method"] for record in table} if declared == "all" else declared)


def pair_records(study: PlainStudy, table: Table) -> dict[Pair, list[Record]]:
    """The records of each (row, method) that has any."""
    row = keys(study).row
    records: dict[Pair, list[Record]] = {}
    for record in table:
        records.setdefault((record[row], record["method"]), []).append(record)
    return records


def kept_predictions(records: Table, where: Record) -> list[Record]:
    """The prediction rows of one (row, method) that a reading keeps: whole hypotheses, and non-answers one by one."""
    failed = {record["hypothesis_id"] for record in records if not holds(where, record)}
    return [
        record
        for record in records
        if (holds(where, record) if record["hypothesis_id"] is None else record["hypothesis_id"] not in failed)
    ]


def prediction_state(record: Record) -> str:
    """The state that one prediction row speaks for."""
    if record["hypothesis_id"] is not None:
        return "answered"
    return record.get("status") or "empty"


def prediction_repeat(records: Table) -> Repeat:
    """The one attempt that the kept prediction rows of a (row, method) make."""
    (state,) = {prediction_state(record) for record in records}
    sets: dict[Any, set[Any]] = {}
    for record in records:
        if state == "answered":
            sets.setdefault(record["hypothesis_id"], set()).add(record["object_id"])
    return Repeat(state, [frozenset(members) for members in sets.values()])


def outcome_repeats(records: Table) -> list[Repeat]:
    """The attempts that the kept outcome rows of a (row, method) make, the lowest epoch first."""
    if len(records) > 1:
        records = sorted(records, key=lambda record: record["epoch"])
    return [Repeat(record.get("status") or "answered", record) for record in records]


def kept_repeats(study: PlainStudy, records: Table, reading: Record | None) -> list[Repeat]:
    """The attempts a reading leaves of the records of one (row, method); one state where none is left."""
    if not records:
        return [Repeat("missing", None)]
    where = {} if reading is None else reading["where"]
    if study.predictions is not None:
        kept = kept_predictions(records, where)
    else:
        kept = [record for record in records if holds(where, record)]
    if not kept:
        return [Repeat((reading or {}).get("none_left", "missing"), None)]
    return [prediction_repeat(kept)] if study.predictions is not None else outcome_repeats(kept)


def read_pairs(study: PlainStudy, reading: Record | None) -> dict[Pair, list[Repeat]]:
    """The attempts of every (row, method) under a reading."""
    table = study.outcomes if study.predictions is None else study.predictions
    assert table is not None
    records = pair_records(study, table)
    pairs = [(record[keys(study).row], method) for record in study.rows for method in methods(study)]
    return {pair: kept_repeats(study, records.get(pair, []), reading) for pair in pairs}


# Scores


def likeness(rule: str, predicted: frozenset[Any], legal: frozenset[Any]) -> Fraction:
    """The value of one predicted set against one legal set."""
    shared = len(predicted & legal)
    if rule == "exact":
        return Fraction(predicted == legal)
    if rule == "overlap":
        return Fraction(shared > 0)
    if rule == "jaccard":
        return Fraction(shared, len(predicted | legal))
    if rule == "dice":
        return Fraction(2 * shared, len(predicted) + len(legal))
    raise ValueError(rule)


def match_value(scoring: Record, content: Cell, legal: SetFamily) -> Fraction:
    """What `match` is worth: the best pair of sets, or the score column's value or threshold."""
    if scoring["rule"] != "column":
        return max(likeness(scoring["rule"], predicted, lawful) for predicted in content for lawful in legal)
    value = exact(content[scoring["column"]])
    if "decimals" in scoring:
        value = rounded(value, scoring["decimals"], scoring.get("rounding", "half_even"))
    return Fraction(value >= exact(scoring["at_least"])) if "at_least" in scoring else value


def rounded(value: Fraction, decimals: int, rounding: str) -> Fraction:
    """The nearest number of so many decimals; of two as near the greater, or the one whose last digit is even."""
    below: int = value * 10**decimals // 1
    rest = value * 10**decimals - below
    up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and (rounding == "half_up" or below % 2 == 1))
    return Fraction(below + up, 10**decimals)


def repeat_score(repeat: Repeat, legal: SetFamily, disposition: Record, scoring: Record) -> Fraction | None:
    """The score of one attempt, or None where the disposition excludes it."""
    entries = disposition["legal_present" if legal else "legal_empty"]
    entry = entries if entries == "exclude" else entries[repeat.state]
    if entry == "exclude":
        return None
    return match_value(scoring, repeat.content, legal) if entry == "match" else exact(entry)


def over_repeats(values: Sequence[Fraction], rule: str | Record, scoring: Record | None = None) -> Fraction | None:
    """One score out of at least one, the lowest epoch first; None where there are too few."""
    if not isinstance(rule, str):
        ((name, asked),) = rule.items()
        return of_passes([value == 1 for value in values], name, asked, scoring or {})
    if rule == "median":
        ordered = sorted(values)
        return mean([ordered[(len(values) - 1) // 2], ordered[len(values) // 2]])
    if rule == "mode":
        most = [value for value in values if values.count(value) == max(map(values.count, values))]
        return {"first": most[0], "lowest": min(most), "highest": max(most)}[(scoring or {}).get("ties", "first")]
    if rule == "mean":
        return mean(values)
    if rule == "max":
        return max(values)
    if rule == "min":
        return min(values)
    if rule == "majority":
        return Fraction(2 * list(values).count(Fraction(1)) > len(values))
    if rule == "first":
        return values[0]
    raise ValueError(rule)


def of_passes(passes: Sequence[bool], rule: str, asked: int, scoring: Record) -> Fraction | None:
    """The share of the choices of so many repeats with a pass, or all passes; or whether so many pass."""
    fewer = scoring.get("fewer", None if rule == "at_least" else "exclude")
    if len(passes) < asked and fewer == "exclude":
        return None
    if len(passes) < asked and fewer not in ("clamp", None):
        return exact(fewer)
    if fewer == "clamp":
        asked = min(asked, len(passes))
    if rule == "at_least":
        return Fraction(sum(passes) >= asked)
    enough = {"pass_at": any, "pass_all": all}[rule]
    return mean([Fraction(enough(chosen)) for chosen in combinations(passes, asked)])


def pair_score(repeats: Sequence[Repeat], legal: SetFamily, disposition: Record, scoring: Record) -> Fraction | None:
    """The score of one (row, method), or None where it leaves the support."""
    values = [repeat_score(repeat, legal, disposition, scoring) for repeat in repeats]
    counted = [value for value in values if value is not None]
    return over_repeats(counted, scoring.get("repeats", "mean"), scoring) if counted else None


# Levels


def default_scoring(study: PlainStudy) -> Record:
    """The scoring of a study without scorings.yaml."""
    return {"rule": "exact"} if kind(study) == "hypotheses" else {"rule": "column", "column": "score"}


def scores(study: PlainStudy, specs: Iterable[Spec]) -> dict[Spec, dict[Pair, Fraction]]:
    """The score of every eligible (row, method) under every specification."""
    legal: dict[str, dict[Any, SetFamily]] = {}
    read: dict[str, dict[Pair, list[Repeat]]] = {}
    found: dict[Spec, dict[Pair, Fraction]] = {}
    for spec in specs:
        chosen = chosen_options(study, spec)
        contract, terminal, reading = (chosen.get(name) for name in ("contract", "terminal", "reading"))
        scoring = chosen.get("scoring", default_scoring(study))
        if repr((contract, terminal)) not in legal:
            legal[repr((contract, terminal))] = legal_families(study, contract, terminal)
        if repr(reading) not in read:
            read[repr(reading)] = read_pairs(study, reading)
        families = legal[repr((contract, terminal))]
        found[spec] = {}
        for pair, repeats in read[repr(reading)].items():
            value = pair_score(repeats, families[pair[0]], chosen["disposition"], scoring)
            if value is not None:
                found[spec][pair] = value
    return found


def sides(study: PlainStudy, found: Mapping[Spec, Mapping[Pair, Fraction]], rows: Iterable[Any]) -> Sides:
    """Every method's level and support under every specification, over the given rows."""
    inside = set(rows)
    result: Sides = {}
    for spec, values in found.items():
        option = aggregation(study, chosen_options(study, spec))
        own = {
            method: {row: value for (row, name), value in values.items() if name == method and row in inside}
            for method in methods(study)
        }
        entered = counted(own, option)
        result[spec] = {name: Side(level(study, one, option), frozenset(one)) for name, one in entered.items()}
    return result
