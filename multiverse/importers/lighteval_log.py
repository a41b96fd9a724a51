"""Logs of lighteval: metrics are readings, tasks strata; an empty text and a prompt that was cut are states."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from multiverse.importers.choices import (
    DROPPED,
    EMPTY,
    Column,
    Combining,
    Read,
    StateRule,
    aggregation_choice,
    disposition_choice,
    dropped,
    reading_choice,
    scoring_choice,
    unjudged,
    zeroed,
)
from multiverse.importers.lighteval_details import Detail
from multiverse.importers.lighteval_files import DetailFile, files_of, is_details, is_results
from multiverse.importers.lighteval_reported import Study, headlines, notes, study_populations
from multiverse.importers.log import Choice, Log
from multiverse.importers.metrics import METRIC, NO_METRIC, in_scale, metric_policies, metric_scales, reading_of
from multiverse.importers.records import Gathered, Outcome, Records
from multiverse.importers.sources import as_number, distinct, log_files, refuse
from multiverse.importers.tasks import TASK

RULES = (
    zeroed("no_text", "the model gave no text, and lighteval scores it as it is: 0",
           "nothing is not a right answer", "nothing was answered, so nothing was judged"),
    zeroed("prompt_truncated", "the prompt was cut to fit the context, and lighteval scores the answer as it is: 0",
           "a model that cannot read the prompt cannot answer it", "the question asked was another one"),
    unjudged("unscored", "the sample has no number, or NaN, with which lighteval's own mean is NaN too"),
    StateRule(NO_METRIC, "the task has metrics over all samples only", ((DROPPED, "nothing was judged"),)),
    dropped("missing", "no record of the sample for the model",
            "a sample that was not run says nothing", "every model answers for every sample"),
    EMPTY,
)  # fmt: skip
_REMARKS = {
    "no_text": "the model gave no text; lighteval scores it as it is",
    "prompt_truncated": "the prompt was cut to fit the context; lighteval scores the answer as it is",
}


def recognises(path: Path) -> bool:
    """Whether a file holds details or results of lighteval."""
    return is_details(path) or is_results(path)


def read(sources: Sequence[Path], mapping: Mapping[str, Sequence[str]]) -> Log:
    """One study of all details: models are the methods, tasks the strata."""
    if mapping:
        refuse("--map", "a mapping of columns", "none: a log of lighteval names its own parts")
    paths = log_files(sources, recognises, "details_TASK_TIME.parquet of lighteval")
    if all(is_results(path) for path in paths):
        refuse(", ".join(map(str, sources)), "no details_*.parquet", "samples, which `--save-details` writes")
    study = _study(files_of(paths))
    where = ", ".join(str(file.path) for file in study.files)
    if not any(study.metrics.values()):
        refuse(where, "no metric with a number for a sample", "at least one")
    records = Records(["score"], variant=METRIC, tasks=len(study.metrics) > 1)
    for file in study.files:
        _gather(file, study, records)
    variants = distinct(name for names in study.metrics.values() for name in names or [NO_METRIC])
    return _log(study, records.gathered(where, variants))


def _study(files: Sequence[DetailFile]) -> Study:
    tasks = distinct(file.task for file in files)
    metrics: dict[str, list[str]] = {}
    over_all: dict[str, list[str]] = {}
    for task in tasks:
        samples = [sample for file in files if file.task == task for sample in file.samples]
        named = distinct(name for sample in samples for name in sample.metrics)
        metrics[task] = [n for n in named if any(as_number(sample.metrics.get(n)) is not None for sample in samples)]
        over_all[task] = [name for name in named if name not in metrics[task]]
    policies = metric_policies(metrics)
    values = (
        (name, as_number(value)) for file in files for sample in file.samples for name, value in sample.metrics.items()
    )
    held = {task: names or [NO_METRIC] for task, names in metrics.items()}
    reads = [
        Read(one.id, reading_of({task: [name] for task, name in one.by_task.items()}, held), f"the metric {one.id}")
        for one in policies
    ]
    if len(policies) == 1 and len(set(policies[0].by_task.values())) == 1:
        reads = [Read("as_scored", {}, "every score that the log holds")]
    return Study(files, metrics, over_all, policies, reads, metric_scales(values))


def _gather(file: DetailFile, study: Study, records: Records) -> None:
    """Every sample of a file by each metric of its task."""
    several = len(study.metrics) > 1
    for sample in file.samples:
        row = f"{file.task}/{sample.identity}" if several else sample.identity
        records.row(row, ({TASK: file.task} if several else {}) | dict(sample.attributes))
        if several:
            records.key(row, "stratum", file.task)
        for metric in study.metrics[file.task]:
            score = in_scale(as_number(sample.metrics.get(metric)), study.scales[metric])
            outcome = Outcome({"score": score}, variant=metric, remark=_remark(sample), task=file.task)
            records.add(row, file.method, outcome)
        if not study.metrics[file.task]:
            records.add(row, file.method, Outcome({}, variant=NO_METRIC, status=NO_METRIC, task=file.task))


def _remark(sample: Detail) -> str | None:
    if sample.texts and not any(str(text or "").strip() for text in sample.texts):
        return "no_text"
    return "prompt_truncated" if sample.truncated else None


def _aggregation(tasks: Sequence[str]) -> Choice | None:
    if len(tasks) == 1:
        return None
    rules = [
        ("stratum_mean", "every task counts the same, as in lighteval's averages"),
        ("row_mean", "every sample counts the same"),
    ]
    return aggregation_choice(rules, "What counts the same: a task or a sample.")


def _log(study: Study, found: Gathered) -> Log:
    tasks = list(study.metrics)
    choices = (
        disposition_choice("lighteval", RULES, found.states, expect=("empty",) if found.remarks else ()),
        reading_choice(study.reads, found.remarks, _REMARKS, "Which metric is read."),
        scoring_choice([Column("score", "score", "")], [Combining("mean", "mean", "")], ""),
        _aggregation(tasks),
    )
    return Log(
        harness="lighteval",
        title=f"lighteval: {', '.join(tasks)}",
        rows=found.rows,
        outcomes=found.outcomes,
        choices=tuple(choice for choice in choices if choice is not None),
        populations=study_populations(study),
        headlines=tuple(headlines(study)),
        notes=(*found.notes, *notes(study)),
        license="whether what the log says of its models holds whatever metric and weight of tasks is taken",
    )
