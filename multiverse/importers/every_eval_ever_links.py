"""Which results of a run each of its samples is a score of."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from multiverse.importers.every_eval_ever_files import Result, Run, Sample


class Place(NamedTuple):
    """What a result stands for in the study: a task, and one of its variants."""

    task: str
    variant: str


class Linked(NamedTuple):
    """A sample and what it is a score of: of several variants where it names no result and others of its run do."""

    sample: Sample
    task: str
    variants: tuple[str, ...]
    epoch: int


class Links(NamedTuple):
    """The samples and the results of a run, tied together."""

    samples: tuple[Linked, ...]
    places: tuple[Place | None, ...]  # by result; None of one without a sample


class _Group(NamedTuple):
    """Samples that name the same results."""

    results: tuple[int, ...]
    label: str
    task: str
    alike: bool = False  # the results are told apart by the order of a sample's records, if at all
    every: bool = False  # each of these samples is a score of every result


def result_names(runs: Sequence[Run]) -> list[list[str]]:
    """A name for each result of each run: its id, or its metric where ids are of one run or dataset alone."""
    shared, metrics_shared = _in_common(runs, _identity), _in_common(runs, _metric)
    told = [len(names) for names in _contexts(runs, _identity)] == [len(names) for names in _contexts(runs, _metric)]
    name = _metric if metrics_shared and told and not shared else _identity
    return [_numbered([(one.dataset, name(one)) for one in run.results]) for run in runs]


def _identity(result: Result) -> str:
    return result.known_as


def _metric(result: Result) -> str:
    return result.metric or result.name


def _contexts(runs: Sequence[Run], name: Callable[[Result], str]) -> list[set[str]]:
    """The names in each dataset of each run that has samples."""
    found: dict[tuple[int, str], set[str]] = {}
    for i, run in enumerate(runs):
        for one in run.results if run.samples else ():
            found.setdefault((i, one.dataset), set()).add(name(one))
    return list(found.values())


def _in_common(runs: Sequence[Run], name: Callable[[Result], str]) -> bool:
    contexts = _contexts(runs, name)
    return len(contexts) < 2 or any(one & other for one, other in combinations(contexts, 2))


def _numbered(keys: Iterable[tuple[str, str]]) -> list[str]:
    """Names, numbered from their second use in a dataset on."""
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for key in keys:
        seen[key] += 1
        found.append(key[1] if seen[key] == 1 else f"{key[1]}#{seen[key]}")
    return found


def links(run: Run, names: Sequence[str]) -> Links:
    """Each sample with the results that it is a score of; `names`: those of the results."""
    groups = _groups(run)
    own = {group: _own_variants(group, names, copied=copied) for group, copied in _copied(run, groups).items()}
    places: list[Place | None] = [None] * len(run.results)
    for group, variants in own.items():
        for position, i in enumerate(group.results):
            places[i] = Place(group.task, variants[position % len(variants)])
    linked, seen = [], Counter[tuple[_Group, str, int | None]]()
    for sample, group in zip(run.samples, groups, strict=True):
        key = (group, sample.identity, sample.epoch)
        repeat, variants = seen[key], tuple(dict.fromkeys(p.variant for i in group.results if (p := places[i])))
        if not group.every:
            repeat, position = divmod(seen[key], len(own[group]))
            variants = (own[group][position],)
        seen[key] += 1
        linked.append(Linked(sample, group.task, variants, repeat + 1 if sample.epoch is None else sample.epoch))
    return Links(tuple(linked), tuple(places))


def _copied(run: Run, groups: Sequence[_Group]) -> dict[_Group, bool]:
    """Of each group of named results, whether every sample has as many records as the group has results."""
    rows = Counter(zip(groups, ((sample.identity, sample.epoch) for sample in run.samples), strict=True))
    whole = {group: group.alike for group in groups if not group.every}
    for (group, _), count in rows.items():
        if not group.every:
            whole[group] &= bool(group.results) and count % len(group.results) == 0
    return whole


def _own_variants(group: _Group, names: Sequence[str], *, copied: bool) -> tuple[str, ...]:
    """The variants of a group: one for each of its results where they can be told apart."""
    if copied or len(group.results) == 1:
        return tuple(names[i] for i in group.results)
    return (group.label,)


def _groups(run: Run) -> list[_Group]:
    """By sample: the results of its id, else of its name, else of its dataset, by name or as the only one."""
    by_id, by_name, by_dataset = (
        _positions(run.results, key) for key in (lambda r: r.identity, lambda r: r.name, lambda r: r.dataset)
    )
    used = {i for sample in run.samples if sample.result for i in by_id.get(sample.result, ())}
    one_dataset = len({result.dataset for result in run.results}) == 1
    every = tuple(range(len(run.results))) if one_dataset else ()

    def group(sample: Sample) -> _Group:
        near = by_name.get(sample.name, ()) or by_dataset.get(sample.name, ()) or every
        task = run.results[near[0]].dataset if near else sample.name or "samples"
        label = sample.result or sample.name or "score"
        if own := by_id.get(sample.result, ()) if sample.result else ():
            return _Group(own, label, run.results[own[0]].dataset, alike=True)
        if sample.result:  # of no result that is there
            return _Group((), label, task)
        if named := tuple(i for i in near if i in used):
            return _Group(named, label, task, every=True)
        return _Group(near, label, task, alike=sample.name in by_name)

    return [group(sample) for sample in run.samples]


def _positions(results: Sequence[Result], key: Callable[[Result], str]) -> Mapping[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for i, one in enumerate(results):
        found.setdefault(key(one), []).append(i)
    return {name: tuple(listed) for name, listed in found.items()}
