"""What HELM reports of its runs, and what a reader of a study of them should know."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from multiverse.importers.helm_choices import MetricRead, Views
from multiverse.importers.helm_files import SAMPLES, Perturbation, Stat
from multiverse.importers.helm_runs import Named, Scenario, has_schema
from multiverse.importers.log import Headline, Plain
from multiverse.importers.metrics import scale_notes
from multiverse.importers.records import Scale
from multiverse.importers.sources import distinct
from multiverse.importers.tasks import EVERYTHING, TASK, Policy, free_name, population_names, populations
from multiverse.specification import CoordinateName

_OTHERS = "stats.json may be of other records than those of the run"
_TRIALS = (
    "HELM averages the trials' means, each over the instances that have the stat, and the study the trials of an "
    "instance first"
)


class Study(NamedTuple):
    """The runs of a log, and what is read of them."""

    runs: Sequence[Named]
    scenarios: Mapping[str, Scenario]
    views: Views
    reads: Sequence[MetricRead]
    splits: Sequence[Policy]
    scales: Mapping[str, Scale]


def sub_populations(study: Study) -> dict[tuple[str, str], str]:
    """The population of each sub-split of a scenario."""
    names, found = population_names(list(study.scenarios)), dict[tuple[str, str], str]()
    for one in study.runs:
        for sub in distinct(sample.sub_split for sample in one.run.samples if sample.sub_split):
            if (one.task, sub) not in found:
                wanted = sub if len(study.scenarios) == 1 else f"{names[one.task]} {sub}"
                found[one.task, sub] = free_name(wanted, {EVERYTHING, *names.values(), *found.values()})
    return found


def study_populations(study: Study) -> dict[str, Plain]:
    """All rows, those of each scenario, and those of each sub-split."""
    several = len(study.scenarios) > 1
    found = populations(list(study.scenarios))
    for (task, sub), name in sub_populations(study).items():
        in_sub: Plain = {"column": "sub_split", "equals": sub}
        found[name] = {"all": [{"column": TASK, "equals": task}, in_sub]} if several else in_sub
    return found


def headlines(study: Study) -> Iterator[Headline]:
    """The means of stats.json, by metric, split and perturbation, where the study reads them."""
    names = population_names(list(study.scenarios))
    subs = sub_populations(study)
    for one in study.runs:
        caveat = _TRIALS if len({sample.key.trial for sample in one.run.samples}) > 1 else _OTHERS
        for stat in one.run.stats or ():
            view = view_of(stat, study.scenarios[one.task], study.views)
            chosen = None if view is None else _chosen(one.task, stat, view, study)
            population = names[one.task] if stat.sub_split is None else subs.get((one.task, stat.sub_split))
            if chosen is not None and population is not None:
                scale = study.scales[stat.metric]
                yield Headline(
                    name=f"{stat.metric}, {stat.split}{f', {view}' if view else ''},", method=one.method,
                    value=stat.mean, population=population, chosen=chosen, low=scale.low, scale=scale.scale,
                    caveat=caveat,
                )  # fmt: skip


def view_of(stat: Stat, scenario: Scenario, views: Views) -> str | None:
    """The view that a mean is of; None where the study has none."""
    if stat.perturbation is None:
        return ""
    if stat.computed_on == "worst":
        group = next((f"worst_{kind}" for kind in ("robustness", "fairness") if _is_group(stat.perturbation, kind)), "")
        if group:
            return group if group in views.worst and views.in_scenario(group, scenario) else None
        return next((name for name, w in views.worst.items() if w.single and stat.perturbation in w.held), None)
    return views.names[stat.perturbation] if _is_alone(stat, views) else None


def _is_group(perturbation: Perturbation, kind: str) -> bool:
    """Whether a perturbation stands for all of a kind."""
    return perturbation == Perturbation(kind, "", kind == "robustness", kind == "fairness")


def _is_alone(stat: Stat, views: Views) -> bool:
    return stat.computed_on == "perturbed" and stat.perturbation in views.alone


def _chosen(task: str, stat: Stat, view: str, study: Study) -> dict[CoordinateName, str] | None:
    """The options that read a mean; None where the study has none."""
    chosen: dict[CoordinateName, str] = {}
    if len(study.reads) > 1:
        read = next((one for one in study.reads if one.view == view and one.policy.by_task[task] == stat.metric), None)
        if read is None:
            return None
        chosen["reading"] = read.read.id
    if any(len(scenario.splits) > 1 for scenario in study.scenarios.values()):
        split = next((one for one in study.splits if one.by_task[task] == stat.split), None)
        if split is None:
            return None
        chosen["contract"] = split.id
    return chosen if stat.metric in study.scenarios[task].metrics else None


def notes(study: Study) -> Iterator[str]:
    """What a reader of the study should know of the runs."""
    for one in study.runs:
        lacking = [name for name in (*SAMPLES, "stats.json") if not (one.run.folder / name).is_file()]
        if lacking:
            yield f"the run {one.run.folder.name} has no {' and no '.join(lacking)}"
        if one.run.twice:
            yield f"{one.run.twice} stats of the run {one.run.folder.name} stand twice and differ: the first is read"
    unjudged = [task for task, scenario in study.scenarios.items() if not scenario.metrics]
    if unjudged:
        yield f"{', '.join(unjudged)}: no metric but counts and times, so its answers are in state no_metric"
    if not has_schema(study.runs) and any(len(s.metrics) > 1 or len(s.splits) > 1 for s in study.scenarios.values()):
        own = "the first metric of the log, and the split test"
        yield f"no schema.json, which tells helm-summarize the metric and the split of a scenario: here they are {own}"
    if study.views.names and not study.views.alone:
        listed = ", ".join(study.views.names.values())
        yield f"perturbations are read in groups, not one by one, as there are many: {listed}"
    perturbed = {one.policy.id for one in study.reads if one.view}
    if perturbed and perturbed < {one.policy.id for one in study.reads}:
        yield "answers to perturbed inputs are read by each scenario's first metric alone, as there are many metrics"
    if len(study.scenarios) > 1 and len({one.method for one in study.runs}) > 1:
        yield "HELM's mean win rate compares the models' means of scenarios, which no aggregation declares"
    yield from scale_notes(study.scales)
