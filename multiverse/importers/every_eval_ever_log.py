"""Logs of Every Eval Ever: each result is a reading, and an error is a state although it has a score."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from multiverse.importers.every_eval_ever_choices import choices, headlines, notes
from multiverse.importers.every_eval_ever_files import read_runs, recognises
from multiverse.importers.every_eval_ever_links import Linked, Place
from multiverse.importers.every_eval_ever_study import Study, study_of
from multiverse.importers.log import Log
from multiverse.importers.records import Gathered, Outcome, Records
from multiverse.importers.sources import distinct, refuse
from multiverse.importers.tasks import TASK, policies, population_names, populations

__all__ = ["read", "recognises"]


def read(sources: Sequence[Path], mapping: Mapping[str, Sequence[str]]) -> Log:
    """One study of all runs: their models are the methods, their data sets the strata."""
    if mapping:
        refuse("--map", "a mapping of columns", "none: a log of Every Eval Ever names its own parts")
    every = read_runs(sources)
    study = study_of(every)
    tasks, found = list(study.variants), _gathered(study)
    read_ = policies(study.variants)
    open_ = choices(study, read_, found)
    return Log(
        harness=f"Every Eval Ever (schema {', '.join(distinct(run.version for run in study.runs))})",
        title=f"Every Eval Ever: {', '.join(tasks)}",
        rows=found.rows,
        outcomes=found.outcomes,
        choices=open_,
        populations=populations(tasks),
        headlines=tuple(headlines(study, read_, population_names(tasks), open_)),
        notes=(*found.notes, *notes(every, study)),
        license="whether what the log says of its models holds whatever an error counts as, and by which result",
    )


def _gathered(study: Study) -> Gathered:
    """Every record of a sample, once for each variant that it is a score of."""
    scores = ["score", "is_correct"] if study.all_judged else ["score"]
    records = Records(scores, variant="result", tasks=study.several)
    attributes = _attributes(study)
    for run, one in study.samples:
        row = study.row(one)
        records.row(row, attributes[row])
        if study.several:
            records.key(row, "stratum", one.task)
        for variant in one.variants:
            outcome = _outcome(study, one, variant)
            records.add(row, run.model, outcome._replace(epoch=one.epoch, variant=variant, task=one.task))
    where = ", ".join(str(run.path) for run in study.runs)
    return records.gathered(where, distinct(name for names in study.variants.values() for name in names))


def _outcome(study: Study, one: Linked, variant: str) -> Outcome:
    """An error that was scored is a remark on its score; without a score it is no more than that."""
    sample = one.sample
    level = study.metrics[Place(one.task, variant)].level(sample.score)
    if level is None:
        return Outcome({}, status="errored" if sample.remark == "errored" else "unscored")
    correct = None if sample.correct is None else int(sample.correct)
    return Outcome({"score": level, "is_correct": correct}, remark=sample.remark)


def _attributes(study: Study) -> dict[str, dict[str, Any]]:
    """What is known of each row: its hash, and the metadata that says one thing of each row."""
    found: dict[str, dict[str, Any]] = {}
    changing = set()
    for _, one in study.samples:
        known = found.setdefault(study.row(one), {TASK: one.task} if study.several else {})
        for name, value in one.sample.attributes.items():
            if known.setdefault(name, value) != value:
                changing.add(name)
    return {
        row: {name: value for name, value in known.items() if name == TASK or name not in changing}
        for row, known in found.items()
    }
