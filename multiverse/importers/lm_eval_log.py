"""Logs of lm-evaluation-harness: filters are readings, metrics are scorings, failed extraction is a state."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from multiverse.importers.choices import disposition_choice, reading_choice
from multiverse.importers.lm_eval_choices import (
    REMARKS,
    RULES,
    TIES,
    aggregation,
    groups_of,
    headlines,
    in_tasks,
    names_of,
    notes,
    scoring,
)
from multiverse.importers.lm_eval_files import LmFile, files_of, filter_of, filters_and_metrics, recognises
from multiverse.importers.log import Log
from multiverse.importers.records import Gathered, Outcome, Records, Score
from multiverse.importers.sources import clean, distinct, log_files, read_lines, refuse
from multiverse.importers.tasks import TASK, Policy, policies, policy_reads, populations

__all__ = ["read", "recognises"]

_EXTRACTED_NOTHING = "[invalid]"


def read(sources: Sequence[Path], mapping: Mapping[str, Sequence[str]]) -> Log:
    """One study of all samples: models are the methods, tasks the strata."""
    if mapping:
        refuse("--map", "a mapping of columns", "none: a log of lm-evaluation-harness names its own parts")
    paths = [path for path in log_files(sources, recognises, "samples_TASK_TIME.jsonl") if path.suffix == ".jsonl"]
    if not paths:
        refuse(", ".join(map(str, sources)), "no samples_*.jsonl", "samples, which `--log_samples` writes")
    files = files_of(paths)
    tasks = distinct(file.task for file in files)
    filters, metrics = filters_and_metrics(files)
    columns = _columns(metrics)
    records = Records([*(column.id for column in columns), TIES], variant="filter", tasks=len(tasks) > 1)
    tied = sum(_gather(file, records, columns, several=len(tasks) > 1) for file in files)
    where = ", ".join(str(file.path) for file in files)
    found = records.gathered(where, distinct(name for names in filters.values() for name in names))
    return _log(files, found, filters, columns, ties=tied > 0)


def _columns(metrics: Mapping[str, Sequence[str]]) -> list[Policy]:
    """The score columns: a metric, or for each task one of its own."""
    lacking = [task for task, names in metrics.items() if not names]
    if lacking:
        refuse(lacking[0], "no metric with a number in its samples", "at least one")
    return policies(metrics)


def _gather(file: LmFile, records: Records, columns: Sequence[Policy], *, several: bool) -> int:
    """Every sample of a file; how many of them tie for the best choice."""
    tied = 0
    for number, sample in read_lines(file.path):
        if "doc_id" not in sample:
            refuse(file.path, f"line {number} has no doc_id", "a sample of lm-evaluation-harness")
        row = f"{file.task}/{clean(sample['doc_id'])}" if several else clean(sample["doc_id"])
        doc = sample["doc"] if isinstance(sample.get("doc"), dict) else {}
        named = {f"doc.{key}": value for key, value in doc.items()}
        records.row(row, {TASK: file.task} | named if several else named)
        if several:
            records.key(row, "stratum", file.task)
        scores: dict[str, Score] = {column.id: _score(sample.get(column.by_task[file.task])) for column in columns}
        shared = _shared(sample)
        tied += shared is not None
        scores[TIES] = scores[columns[0].id] if shared is None else shared
        outcome = Outcome(scores, variant=filter_of(sample), remark=_remark(sample), task=file.task)
        records.add(row, file.method, outcome)
    return tied


def _score(value: object) -> Score:
    return value if isinstance(value, int | float) else None


def _remark(sample: Mapping[str, Any]) -> str | None:
    """Whether the model gave no text, or the filter found nothing in it."""
    texts = [text for given in sample.get("resps") or [] for text in (given if isinstance(given, list) else [given])]
    if texts and all(text == "" for text in texts):
        return "no_text"
    return "invalid" if _EXTRACTED_NOTHING in (sample.get("filtered_resps") or []) else None


def _shared(sample: Mapping[str, Any]) -> Fraction | None:
    """Of a choice by likelihood where several choices are the best: the share of the right one; else None."""
    told = [
        pair[0] if isinstance(pair, list) and len(pair) == 2 else None for pair in sample.get("filtered_resps") or []
    ]
    try:
        likelihoods = [float(text) for text in told if text is not None]
        target = int(sample.get("target", ""))
    except (TypeError, ValueError):
        return None
    if "acc" not in sample or len(likelihoods) != len(told) or not 0 <= target < len(likelihoods):
        return None
    best = [i for i, value in enumerate(likelihoods) if value == max(likelihoods)]
    return None if len(best) < 2 else Fraction(target in best, len(best))


def _log(
    files: Sequence[LmFile],
    found: Gathered,
    filters: Mapping[str, Sequence[str]],
    columns: Sequence[Policy],
    *,
    ties: bool,
) -> Log:
    tasks = list(filters)
    outcomes = found.outcomes if ties else found.outcomes.drop(TIES)
    choices = (
        disposition_choice("lm_eval", RULES, found.states, expect=("empty",) if found.remarks else ()),
        reading_choice(
            policy_reads(policies(filters), "filter", "filter"),
            found.remarks,
            REMARKS,
            "The filter that makes an answer of a response.",
        ),
        scoring(columns, ties=ties),
        aggregation(tasks),
    )
    versions = distinct(str(file.results.get("lm_eval_version", "of unknown version")) for file in files)
    names, kept = names_of(files, filters, columns), found._replace(outcomes=outcomes)
    return Log(
        harness=f"lm-evaluation-harness {', '.join(versions)}",
        title=f"lm-evaluation-harness: {', '.join(tasks)}",
        rows=found.rows,
        outcomes=outcomes,
        choices=tuple(choice for choice in choices if choice is not None),
        populations=populations(tasks) | {name: in_tasks(members) for members, name in names.groups.items()},
        headlines=tuple(headlines(files, kept, filters, columns, names)),
        notes=(*found.notes, *notes(files, kept, [g for file in files for g in groups_of(file, filters, columns)])),
        license="whether what the log says of its models holds whatever filter, metric and weight of tasks is taken",
    )
