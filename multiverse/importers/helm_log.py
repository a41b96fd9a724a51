"""Runs of HELM: metrics and perturbations are readings, splits contracts, trials repeats, failed requests states."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from multiverse.importers.choices import Column, disposition_choice, reading_choice, scoring_choice
from multiverse.importers.helm_choices import (
    REMARKS,
    RULES,
    SPLIT,
    UNPERTURBED,
    metric_reads,
    scenario_weight,
    split_choice,
    split_policies,
    variant,
    variants_of,
    views_of,
)
from multiverse.importers.helm_files import SAMPLES, Run, Sample, read_run
from multiverse.importers.helm_reported import Study, headlines, notes, study_populations
from multiverse.importers.helm_runs import Named, Scenario, named_runs, perturbation_names, scenarios
from multiverse.importers.log import Log
from multiverse.importers.metrics import METRIC, NO_METRIC, in_scale, metric_scales
from multiverse.importers.records import Gathered, Outcome, Records, Scale
from multiverse.importers.reducers import combining
from multiverse.importers.sources import distinct, log_files, refuse
from multiverse.importers.tasks import TASK

_BEST_OF = re.compile(r"@[0-9]+$")
_RUN_FILES = (*SAMPLES, "run_spec.json", "stats.json", "scenario.json")


def recognises(path: Path) -> bool:
    """Whether a file holds the samples of a run."""
    return path.name in SAMPLES


def read(sources: Sequence[Path], mapping: Mapping[str, Sequence[str]]) -> Log:
    """One study of all runs: models are the methods, scenarios the strata."""
    if mapping:
        refuse("--map", "a mapping of columns", "none: a run of HELM names its own parts")
    study = _study([read_run(folder) for folder in _folders(sources)])
    where = ", ".join(str(one.run.folder) for one in study.runs)
    if not any(scenario.metrics for scenario in study.scenarios.values()):
        refuse(where, "no metric but counts and times in any run", "a metric of answers, such as exact_match")
    several = len(study.scenarios) > 1
    records = Records(["score"], variant=METRIC, tasks=several)
    rows = _row_names(study.runs, several=several)
    for one in study.runs:
        _gather(one, study, records, rows)
    variants = distinct(name for one in study.scenarios.values() for name in variants_of(one, study.views))
    return _log(study, records.gathered(where, variants))


def _folders(sources: Sequence[Path]) -> list[Path]:
    """The folders of runs, below what is named; a file stands for its folder."""
    expected = "runs of HELM: folders with per_instance_stats.json or scenario_state.json"
    paths = log_files(sources, recognises, expected)
    for path in paths:
        if path.name not in _RUN_FILES:
            refuse(path, "no file of a run", expected)
        if not any((path.parent / name).is_file() for name in SAMPLES):
            refuse(path.parent, "no samples in the folder", expected)
    return list(dict.fromkeys(path.parent for path in paths))


def _study(runs: Sequence[Run]) -> Study:
    named = named_runs(runs)
    found = scenarios(named)
    views = views_of(perturbation_names(found))
    values = ((metric, value) for run in runs for sample in run.samples for metric, value in sample.values.items())
    return Study(named, found, views, metric_reads(found, views), split_policies(found), metric_scales(values))


def _row_names(runs: Sequence[Named], *, several: bool) -> dict[tuple[str, str, str], str]:
    """The row of each instance: its id, with its split where a scenario has the id in several."""
    keys = dict.fromkeys(
        (one.task, sample.key.instance, sample.key.split) for one in runs for sample in one.run.samples
    )
    often = Counter((task, instance) for task, instance, _ in keys)
    return {
        (task, instance, split): "/".join(
            [*([task] if several else []), *([split] if often[task, instance] > 1 else []), instance]
        )
        for task, instance, split in keys
    }


def _gather(one: Named, study: Study, records: Records, rows: Mapping[tuple[str, str, str], str]) -> None:
    """Every answer of a run by each metric of its scenario, and the worst over perturbations."""
    several, scenario = len(study.scenarios) > 1, study.scenarios[one.task]
    inputs: dict[tuple[str, int], list[Sample]] = {}
    for sample in one.run.samples:
        row = rows[one.task, sample.key.instance, sample.key.split]
        records.row(row, _attributes(one.task, sample, several=several))
        if several:
            records.key(row, "stratum", one.task)
        view = study.views.names[sample.key.perturbation] if sample.key.perturbation else ""
        for metric in scenario.metrics or [NO_METRIC]:
            outcome = _outcome(metric, sample, study)._replace(variant=variant(metric, view), task=one.task)
            records.add(row, one.method, outcome)
        inputs.setdefault((row, sample.key.trial), []).append(sample)
    for (row, trial), samples in inputs.items():
        for view, outcomes in _of_views(scenario, samples, study):
            for metric, outcome in outcomes.items():
                told = outcome._replace(epoch=trial + 1, variant=variant(metric, view), task=one.task)
                records.add(row, one.method, told)


def _of_views(scenario: Scenario, samples: Sequence[Sample], study: Study) -> Iterator[tuple[str, dict[str, Outcome]]]:
    """The worst answers to an instance in a trial, and the want of those to inputs that no perturbation changed."""
    there = {sample.key.perturbation for sample in samples}
    absent = Outcome({}, status=UNPERTURBED)
    for one in scenario.perturbations:
        if one not in there:
            yield study.views.names[one], dict.fromkeys(scenario.metrics, absent)
    for view, worst in study.views.worst.items():
        answered = [sample for sample in samples if sample.key.perturbation in (None, *worst.held)]
        if not answered or not study.views.in_scenario(view, scenario):
            continue
        changed = bool(there & worst.held) or not worst.single
        yield (
            view,
            {
                metric: _outcome(metric, _worst(metric, answered), study) if changed else absent
                for metric in scenario.metrics
            },
        )


def _attributes(task: str, sample: Sample, *, several: bool) -> dict[str, object]:
    named: dict[str, object] = {TASK: task} if several else {}
    named |= {SPLIT: sample.key.split} | ({"sub_split": sample.sub_split} if sample.sub_split else {})
    return named | (dict(sample.request.attributes) if sample.request else {})


def _worst(metric: str, samples: Sequence[Sample]) -> Sample:
    """The sample of the least score; HELM takes the least even where less is better."""
    scored = [sample for sample in samples if sample.values.get(metric) is not None]
    return min(scored, key=lambda sample: sample.values[metric] or 0) if scored else samples[0]


def _outcome(metric: str, sample: Sample, study: Study) -> Outcome:
    """What a metric made of an answer; NAME@K takes the best of the completions, other metrics the likeliest one."""
    request, value, epoch = sample.request, sample.values.get(metric), sample.key.trial + 1
    if metric == NO_METRIC:
        return Outcome({}, epoch=epoch, status=NO_METRIC)
    remark = None if request is None else request.every if _BEST_OF.search(metric) else request.first
    return Outcome({"score": in_scale(value, study.scales.get(metric, Scale()))}, epoch=epoch, remark=remark)


def _trials(study: Study) -> int:
    """The most trials of a run that some metric judges."""
    judged = [one.run for one in study.runs if study.scenarios[one.task].metrics]
    return max(len({sample.key.trial for sample in run.samples}) for run in judged)


def _log(study: Study, found: Gathered) -> Log:
    tasks = list(study.scenarios)
    comment = "Which metric is read" + (", and of which inputs." if study.views.names else ".")
    rules = combining([], _trials(study), found.values["score"]).rules
    choices = (
        split_choice(study.scenarios),
        disposition_choice("helm", RULES, found.states, expect=("empty",) if found.remarks else ()),
        reading_choice(
            [one.read for one in study.reads if not one.view],
            found.remarks,
            REMARKS,
            comment,
            whole=[one.read for one in study.reads if one.view],
        ),
        scoring_choice([Column("score", "score", "")], rules, "How the trials of an instance become one score."),
        scenario_weight(tasks),
    )
    return Log(
        harness="HELM",
        title=f"HELM: {', '.join(tasks)}",
        rows=found.rows,
        outcomes=found.outcomes,
        choices=tuple(choice for choice in choices if choice is not None),
        populations=study_populations(study),
        headlines=tuple(headlines(study)),
        notes=(*found.notes, *notes(study)),
        license="whether what the runs say of their models holds whatever metric, split and perturbation is read",
    )
