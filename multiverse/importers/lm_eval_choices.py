"""What a log of lm-evaluation-harness leaves open: filters, metrics, weights of tasks; and what it reports."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from multiverse.importers.choices import (
    EMPTY,
    Column,
    Combining,
    aggregation_choice,
    dropped,
    scoring_choice,
    unjudged,
    zeroed,
)
from multiverse.importers.lm_eval_files import LmFile
from multiverse.importers.log import Choice, Headline, Plain
from multiverse.importers.metrics import scale_notes
from multiverse.importers.records import Gathered
from multiverse.importers.sources import distinct, label
from multiverse.importers.tasks import EVERYTHING, TASK, Policy, free_name, policies, population_names
from multiverse.specification import CoordinateName

TIES = "ties_shared"
_Number = tuple[tuple[str, ...], str, str, object, str]  # tasks, key, of what group, value, why it may differ

RULES = (
    zeroed("invalid", "the filter found no answer and gave [invalid], which the metric counts as 0",
           "an answer in another form is not the answer asked for", "nothing was extracted, so nothing was judged"),
    zeroed("no_text", "the model gave no text, which the metric counts as 0",
           "nothing is not a right answer", "nothing was answered, so nothing was judged"),
    unjudged("unscored", "the metric is NaN or absent"),
    dropped("missing", "no record of the document for the model",
            "a document that was not run says nothing", "every model answers for every document"),
    EMPTY,
)  # fmt: skip
REMARKS = {"invalid": "the filter found no answer and gave [invalid]", "no_text": "the model gave no text"}


def scoring(columns: Sequence[Policy], *, ties: bool) -> Choice | None:
    """Each metric; where choices tie for the best, also with shared credit."""
    listed = [Column(one.id, one.id, f"the metric {one.id}") for one in columns]
    if ties:
        why = "choices that are equally likely share the credit; the harness takes the first of them"
        listed.append(Column(TIES, TIES, why))
    return scoring_choice(listed, [Combining("mean", "mean", "")], "The metric, as the log gives it for each document.")


def aggregation(tasks: Sequence[str]) -> Choice | None:
    """What counts the same where there are several tasks."""
    if len(tasks) == 1:
        return None
    rules = [
        ("row_mean", "every document counts the same: weight_by_size true, as groups do by default"),
        ("stratum_mean", "every task counts the same: weight_by_size false"),
    ]
    return aggregation_choice(rules, "What counts the same in a group: a document or a task.")


class Group(NamedTuple):
    """The tasks of a group that have a metric, over which the harness averages it."""

    name: str
    key: str  # metric and filter, as the results name them
    tasks: tuple[str, ...]
    members: int


def groups_of(file: LmFile, filters: Mapping[str, Sequence[str]], columns: Sequence[Policy]) -> Iterator[Group]:
    """The numbers of groups all of whose tasks are in the study."""
    for name, members in (file.results.get("group_subtasks") or {}).items():
        if not members or not set(members) <= filters.keys():
            continue
        for key in (file.results.get("groups") or {}).get(name, {}):
            metric, _, filter_ = key.partition(",")
            having = tuple(
                task
                for task in members
                if filter_ in filters[task] and any(one.by_task[task] == metric for one in columns)
            )
            if having:
                yield Group(name, key, having, len(members))


class Names(NamedTuple):
    """The populations of the study: by task, and by the tasks of a group."""

    tasks: Mapping[str, str]
    groups: Mapping[tuple[str, ...], str]

    def of(self, tasks: Sequence[str]) -> str:
        """The population that holds some tasks."""
        if len(tasks) == 1:
            return self.tasks[tasks[0]]
        return EVERYTHING if len(tasks) == len(self.tasks) else self.groups[tuple(tasks)]


def names_of(files: Sequence[LmFile], filters: Mapping[str, Sequence[str]], columns: Sequence[Policy]) -> Names:
    """The populations of the tasks, and of the tasks of groups that are neither one of these nor all."""
    names = population_names(list(filters))
    groups: dict[tuple[str, ...], str] = {}
    for group in (group for file in files for group in groups_of(file, filters, columns)):
        if 1 < len(group.tasks) < len(filters):
            plain = group.name if group.name.isascii() else "group"
            groups.setdefault(group.tasks, free_name(plain, {EVERYTHING, *names.values(), *groups.values()}))
    return Names(names, groups)


def in_tasks(members: Sequence[str]) -> Plain:
    """The rows of some tasks."""
    return {"column": TASK, "in": list(members)}


def headlines(
    files: Sequence[LmFile],
    found: Gathered,
    filters: Mapping[str, Sequence[str]],
    columns: Sequence[Policy],
    names: Names,
) -> Iterator[Headline]:
    """The results of each task and group, by metric and filter."""
    one_of = "a metric may be no mean of its documents, such as a corpus score or an F1 over all of them"
    weight = "a group with weight_by_size false is a mean over tasks: stratum_mean"
    for file in files:
        results: Mapping[str, Mapping[str, object]] = file.results.get("results") or {}
        told: list[_Number] = [
            ((file.task,), key, "", value, one_of) for key, value in results.get(file.task, {}).items()
        ]
        if file is next(other for other in files if other.results is file.results):
            told += [
                (group.tasks, group.key, f"{group.name} ", results.get(group.name, {}).get(group.key), weight)
                for group in groups_of(file, filters, columns)
            ]
        for tasks, key, of, value, caveat in told:
            chosen = _chosen(tasks[0], key, policies(filters), columns, found)
            if chosen is not None and isinstance(value, int | float):
                scale = found.scales[chosen.get("scoring", columns[0].id)]
                yield Headline(
                    name=f"{of}{key}".replace(",", ", "),
                    method=file.method,
                    value=value,
                    population=names.of(tasks),
                    chosen=chosen,
                    low=scale.low,
                    scale=scale.scale,
                    caveat=caveat,
                )


def _chosen(
    task: str, key: str, read: Sequence[Policy], columns: Sequence[Policy], found: Gathered
) -> dict[CoordinateName, str] | None:
    """The options that read a metric under a filter for a task; None where the study has none."""
    metric, _, name = key.partition(",")
    policy = next((one for one in read if one.by_task[task] == label(name)), None)
    column = next((one for one in columns if one.by_task[task] == metric), None)
    if policy is None or column is None:
        return None
    chosen: dict[CoordinateName, str] = {"reading": policy.id} if len(read) > 1 else {}
    return chosen | ({"scoring": column.id} if scoring(columns, ties=TIES in found.outcomes.columns) else {})


def notes(files: Sequence[LmFile], found: Gathered, groups: Sequence[Group]) -> Iterator[str]:
    """What a reader of the study should know of the logs."""
    for file in files:
        if not file.results:
            yield f"{file.path.name} has no results_*.json of its time beside it: nothing of it is reconciled"
    partly = {group: None for group in groups if len(group.tasks) < group.members}
    for group in partly:
        part = f"{len(group.tasks)} of its {group.members} tasks"
        yield f"the group {group.name} averages {group.key} over {part}: the others lack it"
    repeats = distinct(f"{file.task} {n}" for file in files if (n := _repeats(file)) > 1)
    if repeats:
        told = ", ".join(repeats)
        yield f"a filter made one answer of all repeats ({told}): take_first leaves the others out in silence"
    held = found.outcomes.columns
    yield from scale_notes({name: scale for name, scale in found.scales.items() if name in held})


def _repeats(file: LmFile) -> int:
    return int((file.results.get("configs") or {}).get(file.task, {}).get("repeats") or 1)
