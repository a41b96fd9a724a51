"""Runs of Every Eval Ever as methods, tasks and variants, and the map of each metric."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from multiverse.importers.every_eval_ever_files import FILES, Result, Run
from multiverse.importers.every_eval_ever_links import Linked, Links, Place, links, result_names
from multiverse.importers.every_eval_ever_metrics import Metric, metric
from multiverse.importers.records import Score
from multiverse.importers.sources import distinct, refuse
from multiverse.summary import counted


class Held(NamedTuple):
    """What a run holds of a variant."""

    scores: dict[tuple[str, int], Score]  # by sample and repeat
    failed: set[tuple[str, int]]  # those with an error

    @property
    def rows(self) -> int:
        """The number of samples."""
        return len({sample for sample, _ in self.scores})

    @property
    def rows_without_error(self) -> int:
        """The number of samples that did not fail in every repeat."""
        return len({sample for sample, _ in self.scores.keys() - self.failed})

    @property
    def repeats_are_copies(self) -> bool:
        """Whether samples have repeats, and each of them the same score in all."""
        by_sample: dict[str, set[Score]] = {}
        for (sample, _), score in self.scores.items():
            by_sample.setdefault(sample, set()).add(score)
        return len(by_sample) < len(self.scores) and all(len(told) == 1 for told in by_sample.values())


class Study(NamedTuple):
    """The runs that have samples, under the names of their methods, and what their samples are scores of."""

    runs: Sequence[Run]
    links: Sequence[Links]
    variants: Mapping[str, Sequence[str]]  # by task
    held: Sequence[Mapping[Place, Held]]  # by run
    metrics: Mapping[Place, Metric]

    @property
    def samples(self) -> Iterator[tuple[Run, Linked]]:
        """Each sample with its run."""
        return ((run, one) for run, link in zip(self.runs, self.links, strict=True) for one in link.samples)

    @property
    def several(self) -> bool:
        """Whether there are several tasks."""
        return len(self.variants) > 1

    @property
    def all_judged(self) -> bool:
        """Whether each score comes with whether it is correct."""
        return all(one.sample.correct is not None for _, one in self.samples if one.sample.score is not None)

    @property
    def judged_otherwise(self) -> bool:
        """Whether what is correct says something that the scores do not."""
        return self.all_judged and any(
            self.metrics[Place(one.task, variant)].level(one.sample.score) not in (None, one.sample.correct)
            for _, one in self.samples
            for variant in one.variants
        )

    def row(self, one: Linked) -> str:
        """The id of the row of a sample."""
        return f"{one.task}/{one.sample.identity}" if self.several else one.sample.identity


def study_of(every: Sequence[Run]) -> Study:
    """The study of those runs that have samples; a fault where none has."""
    runs = [run for run in every if run.samples]
    if not runs:
        where = ", ".join(str(run.path) for run in every)
        results = sum(len(run.results) for run in every)
        found = f"{counted(results, 'result')} and no sample: nothing that could be scored anew"
        refuse(where, found, FILES)
    linked = [links(run, names) for run, names in zip(runs, result_names(runs), strict=True)]
    held = [_held(link) for link in linked]
    study = Study(_named(runs, linked), linked, {}, held, {})
    return study._replace(variants=_variants(study), metrics=_metrics(study))


def _named(runs: Sequence[Run], linked: Sequence[Links]) -> list[Run]:
    """Each run by its model, with the time or the id of the run where that ran a task twice."""
    tasks = [distinct(one.task for one in link.samples) for link in linked]
    often = Counter((task, run.model) for run, own in zip(runs, tasks, strict=True) for task in own)
    again = [any(often[task, run.model] > 1 for task in own) for run, own in zip(runs, tasks, strict=True)]
    repeated = {run.model for run, twice in zip(runs, again, strict=True) if twice}
    told = {model: _told_apart([run for run in runs if run.model == model]) for model in repeated}
    seen: Counter[str] = Counter()
    named = []
    for run, twice in zip(runs, again, strict=True):
        seen[run.model] += 1
        named.append(run._replace(model=f"{run.model}@{told[run.model][seen[run.model] - 1]}") if twice else run)
    return named


def _told_apart(runs: Sequence[Run]) -> list[str]:
    """What tells the runs of a model apart: their times, else their ids, else their numbers."""
    by_number = [str(i) for i in range(1, len(runs) + 1)]
    ways = ([run.time for run in runs], [run.evaluation for run in runs], by_number)
    return next(way for way in ways if len({*way} - {""}) == len(runs))


def _variants(study: Study) -> dict[str, list[str]]:
    """The variants of each task that have samples, in the order of results and then of samples."""
    places = [place for link in study.links for place in link.places if place is not None]
    places += [Place(one.task, variant) for _, one in study.samples for variant in one.variants]
    found: dict[str, dict[str, None]] = {}
    for task, variant in places:
        found.setdefault(task, {})[variant] = None
    return {task: list(names) for task, names in found.items()}


def _held(link: Links) -> dict[Place, Held]:
    found: dict[Place, Held] = {}
    for one in link.samples:
        for variant in one.variants:
            held = found.setdefault(Place(one.task, variant), Held({}, set()))
            key = (one.sample.identity, one.epoch)
            held.scores[key] = one.sample.score
            if one.sample.remark == "errored":
                held.failed.add(key)
    return found


def _metrics(study: Study) -> dict[Place, Metric]:
    results: dict[Place, list[Result]] = {}
    for run, link in zip(study.runs, study.links, strict=True):
        for place, result in zip(link.places, run.results, strict=True):
            if place is not None:
                results.setdefault(place, []).append(result)
    scores: dict[Place, set[Score]] = {}
    for held in study.held:
        for place, own in held.items():
            scores.setdefault(place, set()).update(own.scores.values())
    where = ", ".join(str(run.path) for run in study.runs)
    return {place: metric(place.variant, results.get(place, ()), tuple(told), where) for place, told in scores.items()}
