"""Inspect logs (.eval, .json): scorers are readings, reducers are scorings, errors and refusals are states."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from multiverse.errors import quoted
from multiverse.importers.inspect_choices import Reported, choices, headlines, variant
from multiverse.importers.inspect_files import LogFile, is_log, open_log, read_samples
from multiverse.importers.log import Log
from multiverse.importers.records import Gathered, Outcome, Records, Scale, Score
from multiverse.importers.reducers import Combined, combining
from multiverse.importers.sources import clean, distinct, label, log_files, refuse
from multiverse.importers.tasks import Policy, policies, population_names, populations

_LETTERS: Mapping[str, Score] = {"C": 1, "P": 0.5, "I": 0, "N": 0}
_WORDS: Mapping[str, Score] = {"yes": 1, "true": 1, "no": 0, "false": 0}
_REASONS = {
    "invalid_response_format": "invalid", "refusal": "refused", "no_response": "no_response",
    "grader_failed": "grader_failed", "scoring_failed": "scoring_failed",
}  # fmt: skip
_FAILED = ("grader_failed", "scoring_failed")
_STOPS = {"max_tokens": "truncated", "model_length": "truncated", "content_filter": "content_filter"}

recognises = is_log


class _Run(NamedTuple):
    """A log and what its samples are known by."""

    file: LogFile
    task: str
    method: str

    @property
    def header(self) -> Mapping[str, Any]:
        """What the log says of its run."""
        told: Mapping[str, Any] = self.file.header["eval"]
        return told

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The scores of the results, one for each scorer and reducer."""
        return list((self.file.header.get("results") or {}).get("scores") or [])

    @property
    def version(self) -> str:
        """The version of Inspect."""
        return str((self.header.get("packages") or {}).get("inspect_ai", "of unknown version"))


def read(sources: Sequence[Path], mapping: Mapping[str, Sequence[str]]) -> Log:
    """One study of all logs: their models are the methods, their tasks the strata."""
    if mapping:
        refuse("--map", "a mapping of columns", "none: an Inspect log names its own parts")
    runs = _runs([open_log(path) for path in log_files(sources, is_log, "Inspect logs: .eval, or .json")])
    tasks = distinct(run.task for run in runs)
    variants = {task: _task_scores([run for run in runs if run.task == task]) for task in tasks}
    records, cluster = Records(["score"], variant="scorer", tasks=len(tasks) > 1), _cluster_key(runs)
    whole = [_gather(run, records, variants[run.task], several=len(tasks) > 1, cluster=cluster) for run in runs]
    where = ", ".join(str(run.file.path) for run in runs)
    found = records.gathered(where, distinct(name for names in variants.values() for name in names))
    return _log(runs, found, variants, cluster if all(whole) else None)


def _runs(files: Sequence[LogFile]) -> list[_Run]:
    """Each log with its task and a name of its own: the model, and the time of the run where it ran a task twice."""
    told = [file.header["eval"] for file in files]
    by_id: dict[str, list[LogFile]] = {}
    for file, one in zip(files, told, strict=True):
        by_id.setdefault(str(one.get("eval_id") or one.get("run_id") or file.path), []).append(file)
    for identity, same in by_id.items():
        if len(same) > 1:
            where = ", ".join(str(file.path) for file in same)
            refuse(where, f"the same run, {quoted(identity)}, {len(same)} times", "each run once")
    pairs = [(label(one.get("task", "task")), label(one.get("model", "model"))) for one in told]
    often, seen = Counter(pairs), Counter[tuple[str, str, str]]()
    runs = []
    for file, one, (task, model) in zip(files, told, pairs, strict=True):
        created = label(one.get("created", ""))
        seen[task, model, created] += 1
        again = f"#{seen[task, model, created]}" if seen[task, model, created] > 1 else ""
        runs.append(_Run(file, task, f"{model}@{created}{again}" if often[task, model] > 1 else model))
    return runs


def _task_scores(runs: Sequence[_Run]) -> list[str]:
    """The scores of a task: those of the results, or, where no run has any, of samples or of declared scorers."""
    named = distinct(variant(entry) for run in runs for entry in run.entries)
    if not named:
        named = distinct(
            name for run in runs for sample in read_samples(run.file.path) for name, _ in _scores(sample.get("scores"))
        )
    declared = (one for run in runs for one in run.header.get("scorers") or [])
    return named or distinct(label(one.get("name")) for one in declared) or ["score"]


def _cluster_key(runs: Iterable[_Run]) -> str | None:
    """The metadata key that a standard error of the log is clustered by."""
    metrics = (metric for run in runs for entry in run.entries for metric in (entry.get("metrics") or {}).values())
    keys = distinct(str(m["params"]["cluster"]) for m in metrics if (m.get("params") or {}).get("cluster"))
    return keys[0] if len(keys) == 1 else None


def _gather(run: _Run, records: Records, known: list[str], *, several: bool, cluster: str | None) -> bool:
    """Every sample of a run; whether all of them have the cluster key."""
    whole = True
    for sample in read_samples(run.file.path):
        row = _row_id(run, sample["id"], several=several)
        metadata = _mapping(sample.get("metadata"))
        records.row(row, {"target": sample.get("target"), **metadata} | ({"task": run.task} if several else {}))
        if several:
            records.key(row, "stratum", run.task)
        if cluster is not None and metadata.get(cluster) is not None:
            records.key(row, "cluster_id", metadata[cluster])
        whole &= cluster is None or metadata.get(cluster) is not None
        _gather_sample(run, sample, row, records, known)
    config = _mapping(run.header.get("config"))
    if config.get("limit") is None and config.get("sample_id") is None:  # else the rest was never to be run
        for identity in _mapping(run.header.get("dataset")).get("sample_ids") or []:
            records.row(_row_id(run, identity, several=several), {"task": run.task} if several else {})
    return whole


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _row_id(run: _Run, identity: object, *, several: bool) -> str:
    text = clean(identity)
    return f"{run.task}/{text}" if several else text


def _gather_sample(run: _Run, sample: Mapping[str, Any], row: str, records: Records, known: list[str]) -> None:
    """One record for each score of the task, those that the sample lacks among them."""
    scores = dict(_scores(sample.get("scores")))
    known.extend(name for name in scores if name not in known)
    epoch = sample.get("epoch") or 1
    if not isinstance(epoch, int):
        refuse(run.file.path, f"epoch {epoch!r} of sample {quoted(row)}", "a whole number")
    for name in known:
        outcome = _outcome(sample, scores.get(name))
        records.add(row, run.method, outcome._replace(epoch=epoch, variant=name, task=run.task))


def _scores(scores: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each score by name; a scorer that gives several values has one name each."""
    for scorer, score in _mapping(scores).items():
        told = score if isinstance(score, dict) else {"value": score}
        value = told.get("value")
        if isinstance(value, dict | list):
            parts = value.items() if isinstance(value, dict) else enumerate(value)
            yield from ((label(f"{scorer}.{key}"), {**told, "value": part}) for key, part in parts)
        else:
            yield label(scorer), told


def _outcome(sample: Mapping[str, Any], score: Mapping[str, Any] | None) -> Outcome:
    """What a scorer made of a sample: its state, a remark on how it came about, and its score."""
    if score is None:
        return Outcome({}, status="errored" if sample.get("error") else "unscored")
    value, readable = _number(score.get("value"))
    reason = _REASONS.get(str(score.get("reason")))
    if value is None:
        return Outcome({}, status=reason if reason in _FAILED else "unscored")
    return Outcome({"score": value}, remark=_remark(sample, score, reason, readable=readable))


def _remark(sample: Mapping[str, Any], score: Mapping[str, Any], reason: str | None, *, readable: bool) -> str | None:
    """What is to be known of an answer that was scored: the first of these that holds."""
    stop = next((choice.get("stop_reason") for choice in _mapping(sample.get("output")).get("choices") or []), None)
    remarks = (
        (bool(sample.get("invalidation")), "invalidated"),
        (bool(sample.get("error")), "errored"),
        (bool(sample.get("limit")), "limit"),
        (reason is not None, reason),
        (score.get("value") == "N", "no_answer"),
        (stop in _STOPS, _STOPS.get(str(stop))),
        (not readable, "unreadable"),
    )
    return next((word for held, word in remarks if held), None)


def _number(value: object) -> tuple[Score, bool]:
    """A value as Inspect's accuracy counts it, and whether it could be read."""
    match value:
        case bool() | int():
            return int(value), True
        case float():
            return (None if math.isnan(value) else value), True
        case str() if value in _LETTERS:
            return _LETTERS[value], True
        case str() if value.lower() in _WORDS:
            return _WORDS[value.lower()], True
        case str():
            try:
                return float(value), True
            except ValueError:
                return 0, False
        case _:
            return None, True


def _log(runs: Sequence[_Run], found: Gathered, variants: Mapping[str, Sequence[str]], cluster: str | None) -> Log:
    tasks = list(variants)
    own = next((told for run in runs if (told := (run.file.header.get("results") or {}).get("headline"))), None) or {}
    read = sorted(policies(variants), key=lambda one: _headed(own) not in one.by_task.values())
    named = [str(told["reducer"]) for told in (own, *(e for run in runs for e in run.entries)) if told.get("reducer")]
    combined = combining(named, found.repeats, found.values["score"])
    names = population_names(tasks)
    reported = [Reported(run.entries, run.task, run.method, names[run.task], run.version) for run in runs]
    return Log(
        harness=f"Inspect {', '.join(distinct(run.version for run in runs))}",
        title=f"Inspect: {', '.join(tasks)}",
        rows=found.rows,
        outcomes=found.outcomes,
        choices=choices(read, combined, found, tasks, cluster),
        populations=populations(tasks),
        headlines=tuple(number for one in reported for number in headlines(one, read, combined, found)),
        notes=(*found.notes, *_notes(runs, read, combined, found)),
        license="whether what the log says of its models holds whatever an error, an abstention or a repeat counts as",
    )


def _headed(own: Mapping[str, Any]) -> str:
    return variant({"name": own.get("score"), "scorer": own.get("scorer")})


def _notes(runs: Sequence[_Run], read: Sequence[Policy], combined: Combined, found: Gathered) -> Iterator[str]:
    for run in runs:
        header = run.file.header
        if header.get("results") is None:
            yield f"{run.file.path.name} has status {header.get('status')} and no results: nothing of it is reconciled"
        if header.get("invalidated"):
            yield f"{run.file.path.name} is marked as invalidated"
        if run.file.written_over:
            yield f"{run.file.path.name} holds {run.file.written_over} entries twice: the last of each is read"
    for reducer in combined.unread:
        yield f"the reducer {reducer} cannot be declared yet, and its numbers are not reconciled"
    scale = found.scales["score"]
    if scale != Scale():
        yield f"scores go beyond [0, 1]: a score x stands as {scale.words}, and reported numbers are put back"
