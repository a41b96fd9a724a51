"""Several tasks in one study: what is read of each, and their populations."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from multiverse.importers.choices import Read
from multiverse.importers.log import Plain
from multiverse.importers.sources import option_id

TASK = "task"
EVERYTHING = "everything"  # the population of all rows


class Policy(NamedTuple):
    """One variant for each task: the one it is named after where a task has it, else the task's first."""

    id: str
    by_task: Mapping[str, str]


def policies(variants: Mapping[str, Sequence[str]]) -> list[Policy]:
    """The distinct policies over tasks, in the order in which variants come up."""
    names = dict.fromkeys(name for listed in variants.values() for name in listed)
    found: dict[tuple[str, ...], Policy] = {}
    for name in names:
        by_task = {task: name if name in listed else listed[0] for task, listed in variants.items()}
        identity = option_id("+".join(dict.fromkeys(by_task.values())), [policy.id for policy in found.values()])
        found.setdefault(tuple(by_task.values()), Policy(identity, by_task))
    return list(found.values())


def policy_predicate(policy: Policy, column: str, task_column: str) -> dict[str, Plain]:
    """The records that a policy reads."""
    by_variant: dict[str, list[Plain]] = {}
    for task, variant in policy.by_task.items():
        by_variant.setdefault(variant, []).append(task)
    if len(by_variant) == 1:
        return {"column": column, "equals": next(iter(by_variant))}
    return {
        "any": [
            {"all": [{"column": column, "equals": variant}, one_of(task_column, tasks)]}
            for variant, tasks in by_variant.items()
        ]
    }


def one_of(column: str, values: Sequence[Plain]) -> dict[str, Plain]:
    """The records with one of some values."""
    return {"column": column, "equals": values[0]} if len(values) == 1 else {"column": column, "in": list(values)}


def policy_reads(found: Sequence[Policy], column: str, noun: str) -> list[Read]:
    """What each policy reads; where there is nothing to choose, every record."""
    if len(found) == 1 and len(set(found[0].by_task.values())) == 1:
        return [Read("as_scored", {}, "every score that the log holds")]
    return [Read(one.id, policy_predicate(one, column, TASK), f"the {noun} {one.id} of the log") for one in found]


def population_names(tasks: Sequence[str]) -> dict[str, str]:
    """The population of each task: the whole where there is one task."""
    if len(tasks) == 1:
        return {tasks[0]: EVERYTHING}
    names: dict[str, str] = {}
    for i, task in enumerate(tasks, 1):
        plain = task if task.isascii() and task.strip() else f"task_{i}"
        names[task] = free_name(plain, {EVERYTHING, *names.values()})
    return names


def free_name(name: str, taken: Collection[str]) -> str:
    """A name that is not taken: the one that is wanted, or with a number."""
    return next(one for one in (name, *(f"{name}_{i}" for i in range(2, len(taken) + 3))) if one not in taken)


def populations(tasks: Sequence[str]) -> dict[str, Plain]:
    """The predicates of all rows, and of each task where there are several."""
    each: dict[str, Plain] = {
        name: {"column": TASK, "equals": task} for task, name in population_names(tasks).items() if len(tasks) > 1
    }
    return {EVERYTHING: {}} | each
