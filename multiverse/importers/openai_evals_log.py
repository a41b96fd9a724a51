"""Logs of OpenAI evals: match and metrics events are readings, and what has no event is a state of its own."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from multiverse.importers.choices import (
    EMPTY,
    Column,
    Read,
    disposition_choice,
    dropped,
    reading_choice,
    scoring_choice,
    unjudged,
    zeroed,
)
from multiverse.importers.log import Headline, Log
from multiverse.importers.records import Gathered, Outcome, Records, Score
from multiverse.importers.reducers import combining
from multiverse.importers.sources import clean, distinct, first_line, label, log_files, read_lines, refuse
from multiverse.importers.tasks import policies, policy_reads, population_names, populations

_INVALID = "__invalid__"
_NUMBERS = {"match": "accuracy", "metrics": "score"}  # of the final report, by kind of event
_ALL = "it vanishes from the accuracy, which divides by the number of events"
RULES = (
    dropped("error", f"the sample raised an error and has no such event: {_ALL}",
            "a crash says nothing of ability", "a user sees a crash as a failure"),
    unjudged("no_event", f"the sample was seen and has no such event: {_ALL}"),
    unjudged("unscored", "the event holds no number"),
    zeroed("invalid", "the grader's choice was __invalid__, which counts as the least of the choice scores, here 0",
           "a grade that cannot be read is no good grade", "the grader failed, not the answer"),
    dropped("missing", "no event of the sample for the model",
            "a sample that was not run says nothing", "every model answers for every sample"),
    EMPTY,
)  # fmt: skip
_REMARKS = {"invalid": "the grader's choice was __invalid__, which counts as the least of the choice scores"}


class _Run(NamedTuple):
    """The events of one run."""

    path: Path
    task: str
    method: str
    events: Sequence[Mapping[str, Any]]
    report: Mapping[str, Any] | None  # the final report; None of a run that was cut short


def recognises(path: Path) -> bool:
    """Whether a file is a log of OpenAI evals."""
    return path.suffix == ".jsonl" and "eval_name" in (first_line(path).get("spec") or {})


def read(sources: Sequence[Path], mapping: Mapping[str, Sequence[str]]) -> Log:
    """One study of all runs: completion functions are the methods, evals the strata."""
    if mapping:
        refuse("--map", "a mapping of columns", "none: a log of OpenAI evals names its own parts")
    paths = log_files(sources, recognises, "logs of OpenAI evals, .jsonl")
    cut: list[str] = []
    runs = _named([_run(path, cut) for path in paths])
    tasks = distinct(run.task for run in runs)
    kinds = {task: _kinds([run for run in runs if run.task == task]) for task in tasks}
    records = Records(["score"], variant="event", tasks=len(tasks) > 1)
    for run in runs:
        _gather(run, kinds[run.task], records, several=len(tasks) > 1)
    found = records.gathered(", ".join(map(str, paths)), distinct(kind for names in kinds.values() for kind in names))
    read_ = policies(kinds)
    rules = combining([], found.repeats, found.values["score"]).rules
    listed: list[Read] = policy_reads(read_, "event", "events")
    choices = (
        disposition_choice("openai_evals", RULES, found.states, expect=("empty",) if found.remarks else ()),
        reading_choice(listed, found.remarks, _REMARKS, "Which events are read as scores."),
        scoring_choice([Column("score", "score", "")], rules, "How several events of a sample combine."),
    )
    names, rule = population_names(tasks), rules[0].id if len(rules) > 1 else ""
    return Log(
        harness="OpenAI evals",
        title=f"OpenAI evals: {', '.join(tasks)}",
        rows=found.rows,
        outcomes=found.outcomes,
        choices=tuple(choice for choice in choices if choice is not None),
        populations=populations(tasks),
        headlines=tuple(
            headline
            for run in runs
            for one in read_
            for headline in _headlines(
                run, one.by_task[run.task], one.id if len(read_) > 1 else "", names[run.task], found
            )
        ),
        notes=(*found.notes, *_notes(runs, cut, rule)),
        license="whether what the log says of its models holds whatever a crash or a grade that failed counts as",
    )


def _run(path: Path, cut: list[str]) -> _Run:
    """A log; its last line may be cut short, as events are written in batches."""
    events: list[Mapping[str, Any]] = []
    spec: Mapping[str, Any] = {}
    report: Mapping[str, Any] | None = None
    for _, record in read_lines(path, cut_short=lambda line: cut.append(f"{path.name} is cut short in line {line}")):
        if isinstance(record.get("spec"), dict):
            spec = record["spec"]
        elif "final_report" in record:
            report = record["final_report"] or {}
        elif "sample_id" in record and isinstance(record.get("data"), dict):
            events.append(record)
        else:
            refuse(path, "a line that is no spec, no event and no final report", "a log of OpenAI evals")
    functions = spec.get("completion_fns") or [spec.get("run_id") or path.stem]
    method = f"{label(functions[0])}\n{label(spec.get('run_id') or path.stem)}"
    return _Run(path, label(spec.get("eval_name") or "eval"), method, events, report)


def _named(runs: Sequence[_Run]) -> list[_Run]:
    """Each run by its completion function, with the run's id where that ran an eval twice."""
    functions = [run.method.split("\n")[0] for run in runs]
    often = Counter((run.task, name) for run, name in zip(runs, functions, strict=True))
    return [
        run._replace(method=name if often[run.task, name] == 1 else run.method.replace("\n", "@"))
        for run, name in zip(runs, functions, strict=True)
    ]


def _kinds(runs: Sequence[_Run]) -> list[str]:
    """The kinds of events that hold scores."""
    there = {str(event.get("type")) for run in runs for event in run.events}
    return [kind for kind in _NUMBERS if kind in there] or ["match"]


def _gather(run: _Run, kinds: Sequence[str], records: Records, *, several: bool) -> None:
    """Every sample that some event names, with its events of each kind, or the want of one."""
    by_sample: dict[str, list[Mapping[str, Any]]] = {}
    for event in run.events:
        by_sample.setdefault(clean(event["sample_id"]), []).append(event)
    for sample, events in by_sample.items():
        row = f"{run.task}/{sample}" if several else sample
        records.row(row, {"task": run.task} if several else {})
        if several:
            records.key(row, "stratum", run.task)
        crashed = any(event.get("type") == "error" for event in events)
        for kind in kinds:
            outcomes = [_outcome(event) for event in events if event.get("type") == kind]
            for epoch, outcome in enumerate(outcomes or [Outcome({}, status="error" if crashed else "no_event")], 1):
                records.add(row, run.method, outcome._replace(epoch=epoch, variant=kind, task=run.task))


def _outcome(event: Mapping[str, Any]) -> Outcome:
    data = event["data"]
    if event.get("type") == "match":
        correct = data.get("correct")
        return Outcome({"score": int(correct) if isinstance(correct, bool | int) else None})
    value = data.get("score")
    score: Score = value if isinstance(value, int | float) else None
    return Outcome({"score": score}, remark="invalid" if data.get("choice") == _INVALID else None)


def _headlines(run: _Run, kind: str, reading: str, population: str, found: Gathered) -> Iterator[Headline]:
    """The accuracy, which is of match events, or the score, which is of metrics events."""
    value = (run.report or {}).get(_NUMBERS[kind])
    if isinstance(value, int | float):
        low, scale = found.scales["score"]
        yield Headline(
            name=_NUMBERS[kind], method=run.method, value=value, population=population,
            chosen={"reading": reading} if reading else {}, low=low, scale=scale,
            caveat="the harness divides by events, and the study first averages the events of a sample",
        )  # fmt: skip


def _notes(runs: Sequence[_Run], cut: Sequence[str], rule: str) -> Iterator[str]:
    yield from cut
    for run in runs:
        if run.report is None:
            yield f"{run.path.name} has no final_report: it was cut short, and nothing of it is reconciled"
    if rule:
        yield "some samples have several events of one kind, which stand as repeats"
