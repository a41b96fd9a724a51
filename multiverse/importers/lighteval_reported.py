"""What lighteval reports of its runs, and what a reader of a study of them should know."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from multiverse.importers.choices import Read
from multiverse.importers.lighteval_files import DetailFile, Results
from multiverse.importers.log import Headline, Plain
from multiverse.importers.metrics import scale_notes
from multiverse.importers.records import Scale
from multiverse.importers.sources import as_number, distinct
from multiverse.importers.tasks import EVERYTHING, TASK, Policy, free_name, population_names, populations

_ALL, _AVERAGE = "all", ":_average|"
_CAVEAT = "a metric may be no mean of its samples, such as a corpus score, a maximum or a perplexity"


class Study(NamedTuple):
    """The details of a log, and what is read of them."""

    files: Sequence[DetailFile]
    metrics: Mapping[str, Sequence[str]]  # by task
    over_all: Mapping[str, Sequence[str]]  # by task, those that have no number for a sample
    policies: Sequence[Policy]
    reads: Sequence[Read]  # of the policies
    scales: Mapping[str, Scale]


class Reported(NamedTuple):
    """A number of the results: the mean of a metric over tasks that count the same."""

    name: str
    metric: str
    tasks: tuple[str, ...]
    value: float


def reported(study: Study) -> Iterator[tuple[str, Reported]]:
    """The numbers of each run that the study holds all tasks of, and the method they are of."""
    for method in distinct(file.method for file in study.files):
        files = [file for file in study.files if file.method == method]
        for results in {id(file.results): file.results for file in files if file.results is not None}.values():
            own = {file.key: file.task for file in files if file.results is results}
            yield from ((method, one) for one in _numbers(results, own, study))


def _numbers(results: Results, own: Mapping[str, str], study: Study) -> Iterator[Reported]:
    """The numbers of a run; `own`: its tasks, by their keys in the results."""
    tasks = {key: told for key, told in results.numbers.items() if key != _ALL and _AVERAGE not in key}
    for key, told in results.numbers.items():
        for metric, value in told.items():
            members = [one for one in _members(key, tasks) if metric in tasks[one]]
            number = as_number(value)
            if not members or not set(members) <= own.keys() or number is None:
                continue
            held = tuple(own[one] for one in members)
            if all(metric in study.metrics[task] for task in held):
                yield Reported(f"{metric}, {key}" if key not in tasks else metric, metric, held, number)


def _members(key: str, tasks: Mapping[str, object]) -> list[str]:
    """The tasks that a key of the results is over: itself, the tasks of a group, or all."""
    if key == _ALL:
        return list(tasks)
    if _AVERAGE in key:
        group, _, shots = key.partition(_AVERAGE)
        return [one for one in tasks if one == f"{group}|{shots}" or _is_part(one, group, shots)]
    return [key]


def _is_part(task: str, group: str, shots: str) -> bool:
    return task.startswith(f"{group}:") and task.endswith(f"|{shots}")


def group_names(study: Study) -> dict[tuple[str, ...], str]:
    """The populations of several tasks, but not of all."""
    names = population_names(list(study.metrics))
    found: dict[tuple[str, ...], str] = {}
    for _, one in reported(study):
        if 1 < len(one.tasks) < len(names) and one.tasks not in found:
            told = one.name.partition(", ")[2]
            wanted = told if told != _ALL else f"with {one.metric}"
            plain = wanted if wanted.isascii() else "group"
            found[one.tasks] = free_name(plain, {EVERYTHING, *names.values(), *found.values()})
    return found


def study_populations(study: Study) -> dict[str, Plain]:
    """All samples, those of each task, and those of groups that the results average."""
    groups: dict[str, Plain] = {name: {"column": TASK, "in": list(tasks)} for tasks, name in group_names(study).items()}
    return populations(list(study.metrics)) | groups


def headlines(study: Study) -> Iterator[Headline]:
    """The results of each task, group and run, by metric."""
    names, groups = population_names(list(study.metrics)), group_names(study)
    for method, one in reported(study):
        whole = EVERYTHING if len(one.tasks) == len(names) else groups.get(one.tasks, "")
        policy = next(i for i, p in enumerate(study.policies) if all(p.by_task[t] == one.metric for t in one.tasks))
        scale = study.scales[one.metric]
        yield Headline(
            name=one.name, method=method, value=one.value,
            population=names[one.tasks[0]] if len(one.tasks) == 1 else whole,
            chosen={"reading": study.reads[policy].id} if len(study.reads) > 1 else {},
            low=scale.low, scale=scale.scale, caveat=_CAVEAT,
        )  # fmt: skip


def notes(study: Study) -> Iterator[str]:
    """What a reader of the study should know of the files."""
    for file in study.files:
        if file.results is None:
            yield f"{file.path.name} has no results_*.json of its run: nothing of it is reconciled"
        elif file.key not in file.results.numbers:
            yield f"{file.results.path.name} does not name the task {file.task}"
    for results in {id(file.results): file.results for file in study.files if file.results is not None}.values():
        held = {file.key for file in study.files if file.results is results}
        lacking = [key for key in results.numbers if key != _ALL and _AVERAGE not in key and key not in held]
        if lacking:
            yield f"{results.path.name} names tasks of which there are no details: {', '.join(lacking)}"
        if any(isinstance(v, float) and math.isnan(v) for told in results.numbers.values() for v in told.values()):
            yield f"{results.path.name} holds NaN: lighteval's mean is NaN where one sample's number is"
    for task, names in study.over_all.items():
        if names:
            yield f"{task}: {', '.join(names)} has no number for a sample, only for all together, and is left out"
    yield from scale_notes(study.scales)
