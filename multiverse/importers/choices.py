"""The choices that logs of many formats leave open, as options of coordinates."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple

from multiverse.importers.log import Choice, Option, Plain
from multiverse.importers.sources import option_id
from multiverse.summary import counted

_MOST_DISPOSITIONS = 16  # beyond, one state at a time departs from the harness's rule, or all
DROPPED, ZERO = "exclude", Fraction(0)
_ENTRY_WORDS: Mapping[object, str] = {DROPPED: "dropped", ZERO: "zero", Fraction(1): "one", Fraction(1, 2): "half"}


class StateRule(NamedTuple):
    """What a state of a log scores: the harness's entry first, then the other defensible ones, each with a reason."""

    state: str
    words: str  # what the state is, in the log's own words
    entries: tuple[tuple[str | Fraction, str], ...]  # (exclude or a number, why)


def dropped(state: str, words: str, drop: str, zero: str) -> StateRule:
    """The rule of a state that the harness leaves out and others count as 0."""
    return StateRule(state, words, ((DROPPED, drop), (ZERO, zero)))


def zeroed(state: str, words: str, zero: str, drop: str) -> StateRule:
    """The rule of a state that the harness counts as 0 and others leave out."""
    return StateRule(state, words, ((ZERO, zero), (DROPPED, drop)))


def unjudged(state: str, words: str) -> StateRule:
    """The rule of a state in which nobody judged the answer, and which the harness leaves out."""
    return dropped(state, words, "nothing was judged", "what was not judged is not right")


EMPTY = dropped(
    "empty",
    "the reading left the record out",
    "what the reading leaves out does not count",
    "what the reading leaves out counts as failed",
)


def disposition_choice(
    harness: str, rules: Iterable[StateRule], present: Mapping[str, int], *, expect: Sequence[str] = ()
) -> Choice:
    """Every combination of entries of the states that are there; `expect`: states that a reading can give rise to."""
    there = {*present, *expect, "missing"}
    declared = [rule for rule in rules if rule.state in there]
    open_rules = [r for r in declared if (r.state in present or r.state in expect) and len(r.entries) > 1]
    words = [_told(rule, present[rule.state]) for rule in declared if rule.state in present]
    words += [_told(rule, None) for rule in declared if rule.state in expect and rule.state not in present]
    options = [_disposition(harness, declared, open_rules, entries) for entries in _combinations(open_rules)]
    comment = "`match` is the score that the log gives.\n" + "\n".join(words)
    return Choice(coordinate="disposition", comment=comment, options=tuple(options))


def _told(rule: StateRule, count: int | None) -> str:
    if count is None:
        return f"{rule.state}: {rule.words}."
    of = f"{count:,} without an outcome" if rule.state == "missing" else counted(count, "outcome")
    return f"{rule.state}: {rule.words} ({of})."


def _combinations(rules: Sequence[StateRule]) -> Iterable[tuple[int, ...]]:
    """Positions of entries, those of the harness first."""
    sizes = [len(rule.entries) for rule in rules]
    if prod(sizes) <= _MOST_DISPOSITIONS:
        return list(product(*map(range, sizes)))
    own = (0,) * len(sizes)
    alone = [(*own[:i], entry, *own[i + 1 :]) for i, size in enumerate(sizes) for entry in range(1, size)]
    departures = [range(1, size) for size in sizes]
    together = product(*departures) if prod(map(len, departures)) <= _MOST_DISPOSITIONS else [(1,) * len(sizes)]
    return sorted({own, *alone, *together})


def _disposition(
    harness: str, declared: Sequence[StateRule], varied: Sequence[StateRule], chosen: Sequence[int]
) -> Option:
    position = {rule.state: i for rule, i in zip(varied, chosen, strict=True)}
    entries: dict[str, Plain] = {"answered": "match"}
    entries |= {rule.state: rule.entries[position.get(rule.state, 0)][0] for rule in declared}
    departing = [(rule, rule.entries[position[rule.state]]) for rule in varied if position[rule.state]]
    parts = [f"{rule.state}_{_ENTRY_WORDS.get(entry, str(entry))}" for rule, (entry, _) in departing]
    kept = [rule.entries[0][1] for rule in varied if not position[rule.state]]
    why = "; ".join([*(reason for _, (_, reason) in departing), *(kept if not departing else ())])
    return Option(
        id="+".join(parts) or harness,
        rationale=why or "the states that are there leave nothing open",
        fields={"legal_present": entries, "legal_empty": DROPPED},
        harness=not departing,
    )


class Read(NamedTuple):
    """Records to read: an option of a reading before remarks are looked at."""

    id: str
    where: Mapping[str, Plain]
    rationale: str


def reading_choice(
    read: Sequence[Read],
    remarks: Mapping[str, int],
    words: Mapping[str, str],
    comment: str,
    *,
    whole: Sequence[Read] = (),
) -> Choice | None:
    """Which records count: each reading, and each of them without the records of each remark; `whole`: as they are.

    None where nothing is open. A record that a remark leaves out is in state `empty`, not `missing`.
    """
    options = []
    taken = {one.id for one in (*read, *whole)}
    for i, (identity, where, rationale) in enumerate(read):
        options.append(Option(id=identity, rationale=rationale, fields={"where": dict(where)}, harness=i == 0))
        for remark in remarks:
            kept: Plain = {"not": {"column": "remark", "equals": remark}}
            both: Plain = {"all": [dict(where), kept]} if where else kept
            why = f"{words.get(remark, remark)}: what was scored is not what was asked"
            why += f"; {rationale}" if where else ""
            fields: dict[str, Plain] = {"where": both, "none_left": "empty"}
            without = option_id(f"{identity}_without_{remark}", taken)
            taken.add(without)
            options.append(Option(id=without, rationale=why, fields=fields))
    options += [Option(id=one.id, rationale=one.rationale, fields={"where": dict(one.where)}) for one in whole]
    told = [f"{name}: {words.get(name, name)} ({counted(count, 'outcome')})." for name, count in remarks.items()]
    text = "\n".join([comment, *told])
    return None if len(options) == 1 else Choice(coordinate="reading", comment=text, options=tuple(options))


class Column(NamedTuple):
    """A score column to read, or one of its thresholds."""

    id: str
    column: str
    rationale: str
    at_least: Fraction | None = None


class Combining(NamedTuple):
    """A rule of combining repeats."""

    id: str
    repeats: Plain  # as `repeats` of scorings.yaml
    rationale: str
    at_least: Fraction | None = None


def scoring_choice(columns: Sequence[Column], repeats: Sequence[Combining], comment: str) -> Choice | None:
    """Each column with each rule, without those that say the same; None where nothing is open and nothing is named."""
    options: dict[tuple[object, ...], Option] = {}
    for column, rule in product(columns, repeats):
        least = rule.at_least if column.at_least is None else column.at_least
        fields: dict[str, Plain] = {"rule": "column", "column": column.column}
        fields |= {} if least is None else {"at_least": least}
        fields |= {} if rule.repeats == "mean" else {"repeats": rule.repeats}
        names = [column.id if len(columns) > 1 else "", rule.id if len(repeats) > 1 else ""]
        identity = ".".join(name for name in names if name) or column.id
        why = "; ".join(dict.fromkeys(part for part in (column.rationale, rule.rationale) if part))
        free = option_id(identity, {one.id for one in options.values()})
        option = Option(id=free, rationale=why or "as it is", fields=fields, harness=not options)
        told = tuple(sorted((key, str(value)) for key, value in fields.items()))
        if column is columns[0]:
            options[*told, identity] = option  # a rule that the log names stays under its name
        elif not any(key[: len(told)] == told for key in options):
            options[told] = option
    first = next(iter(options.values()))
    if len(options) == 1 and dict(first.fields) == {"rule": "column", "column": "score"}:
        return None
    return Choice(coordinate="scoring", comment=comment, options=tuple(options.values()))


def aggregation_choice(rules: Sequence[tuple[str, str]], comment: str) -> Choice | None:
    """Each (rule, rationale), the harness's first; None where there is one."""
    if len(rules) < 2:
        return None
    options = [
        Option(id=rule, rationale=why, fields={"rule": rule}, harness=i == 0) for i, (rule, why) in enumerate(rules)
    ]
    return Choice(coordinate="aggregation", comment=comment, options=tuple(options))
