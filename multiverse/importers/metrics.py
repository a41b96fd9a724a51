"""Several metrics of one answer: each a reading of its own, and each brought into [0, 1] by itself."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from multiverse.errors import quoted
from multiverse.exact import shortest_decimal
from multiverse.importers.log import Plain
from multiverse.importers.records import Scale, Score, scale_of
from multiverse.importers.sources import distinct
from multiverse.importers.tasks import TASK, Policy, one_of, policies

METRIC = "metric"  # the column of outcomes
NO_METRIC = "no_metric"  # the metric, and the state, of what no metric judges


def metric_policies(metrics: Mapping[str, Sequence[str]]) -> list[Policy]:
    """Each task's first metric; then each metric, where a task has it, and the task's first where not.

    A task without metrics is read as `no_metric` under all of them.
    """
    judged = {task: names for task, names in metrics.items() if names}
    first = {task: names[0] for task, names in judged.items()}
    others = [one for one in policies(judged) if one.by_task != first]
    identity = "+".join(distinct(first.values())).replace("/", "_")
    unjudged = dict.fromkeys((task for task, names in metrics.items() if not names), NO_METRIC)
    taken = any(one.id == identity for one in others)
    own = Policy("first_of_each" if taken else identity, first)
    return [Policy(one.id, dict(one.by_task) | unjudged) for one in (own, *others)]


def reading_of(by_task: Mapping[str, Sequence[str]], held: Mapping[str, Sequence[str]]) -> dict[str, Plain]:
    """The predicate of the records of some metrics, for each task its own; `held`: all that a task has."""
    named = distinct(name for names in by_task.values() for name in names)
    if all(set(named) & set(held[task]) == set(names) for task, names in by_task.items()):
        return one_of(METRIC, named)
    tasks: dict[tuple[str, ...], list[Plain]] = {}
    for task, names in by_task.items():
        tasks.setdefault(tuple(names), []).append(task)
    return {"any": [{"all": [one_of(METRIC, names), one_of(TASK, of)]} for names, of in tasks.items()]}


def metric_scales(values: Iterable[tuple[str, Score]]) -> dict[str, Scale]:
    """How each metric is brought into [0, 1]: as it is, unless some value goes beyond."""
    by_metric: dict[str, set[Score]] = {}
    for metric, value in values:
        by_metric.setdefault(metric, set()).add(value)
    return {metric: scale_of(known) for metric, known in by_metric.items()}


def in_scale(value: Score, scale: Scale) -> Score:
    """A score in [0, 1], exact where it is moved; None where there is none."""
    if value is None or scale == Scale():
        return value
    exact = shortest_decimal(value) if isinstance(value, float) else Fraction(value)
    return (exact - scale.low) / scale.scale


def scale_notes(scales: Mapping[str, Scale]) -> Iterator[str]:
    """What was moved, and how."""
    moved = [f"{name} as {scale.words}" for name, scale in scales.items() if scale != Scale()]
    if moved:
        yield f"scores go beyond [0, 1] and stand so: {', '.join(map(quoted, moved))}; reported numbers are put back"
