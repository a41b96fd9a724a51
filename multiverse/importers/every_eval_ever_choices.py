"""What a log of Every Eval Ever leaves open: states, results, and what counts as right; and what it reports."""

from collections.abc import Iterator, Mapping, Sequence

from multiverse.errors import quoted
from multiverse.importers.choices import (
    EMPTY,
    Column,
    aggregation_choice,
    disposition_choice,
    dropped,
    reading_choice,
    scoring_choice,
    unjudged,
    zeroed,
)
from multiverse.importers.every_eval_ever_files import Doubt, Result, Run
from multiverse.importers.every_eval_ever_links import Links, Place
from multiverse.importers.every_eval_ever_study import Held, Study
from multiverse.importers.log import Choice, Headline
from multiverse.importers.records import Gathered
from multiverse.importers.reducers import combining
from multiverse.importers.sources import distinct
from multiverse.importers.tasks import Policy, policy_reads
from multiverse.specification import CoordinateName
from multiverse.summary import counted

_ERRORED, _DROPPED = "errored", "errored_dropped"
_MOST = 5  # names in a note
_RAW = {  # formats, by a part of the harness's name
    "inspect": "inspect", "lm_eval": "lm-eval", "lm-eval": "lm-eval", "alpaca": "alpaca-eval", "helm": "helm",
    "lighteval": "lighteval", "promptfoo": "promptfoo", "swe-bench": "swebench", "swebench": "swebench",
}  # fmt: skip
_FILTER = "the provider's filter cut the answer (metadata.stop_reason)"
_CUT = "the answer ran into the token limit (metadata.stop_reason)"
_INVALID = "nothing could be extracted from the answer ([invalid])"
_EMPTY_OUTPUT = "the output is empty"
RULES = (
    zeroed(_ERRORED, "the record holds an error, and score 0 all the same",
           "as it is written down: a user sees a crash as a failure", "a crash says nothing of ability"),
    zeroed("content_filter", f"{_FILTER}, which scores 0",
           "a filtered answer is not right", "the filter is not the model's ability"),
    zeroed("truncated", f"{_CUT}, and scores 0",
           "a cut answer is not right", "the token limit is the evaluator's, not the model's"),
    zeroed("invalid", f"{_INVALID}, which scores 0",
           "an answer in another form is not the answer asked for", "nothing was extracted, so nothing was judged"),
    zeroed("no_text", f"{_EMPTY_OUTPUT}, and scores 0",
           "nothing is not a right answer", "nothing was answered, so nothing was judged"),
    unjudged("unscored", "the score is null, NaN or unknown"),
    dropped("missing", "no record of the sample for the model",
            "a sample that was not run says nothing", "every model answers for every sample"),
    EMPTY,
)  # fmt: skip
_REMARKS = {
    _ERRORED: "the record holds an error, and was scored all the same", "content_filter": _FILTER, "truncated": _CUT,
    "invalid": _INVALID, "no_text": _EMPTY_OUTPUT,
}  # fmt: skip


def choices(study: Study, read: Sequence[Policy], found: Gathered) -> tuple[Choice, ...]:
    """Every coordinate on which something is open."""
    columns = [Column("score", "score", "the score that the log gives" if study.judged_otherwise else "")]
    if study.judged_otherwise:
        columns.append(Column("is_correct", "is_correct", "whether the log calls the answer correct"))
    rules = combining([], found.repeats, found.values["score"]).rules
    every = (
        disposition_choice("as_recorded", RULES, found.states, expect=("empty",) if found.remarks else ()),
        reading_choice(policy_reads(read, "result", "result"), found.remarks, _REMARKS, "Which result is read."),
        scoring_choice(columns, rules, "What a sample scores, and how its repeats combine."),
        _aggregation(study),
    )
    return tuple(choice for choice in every if choice is not None)


def _aggregation(study: Study) -> Choice | None:
    rules = [("row_mean", "every sample counts the same")]
    if len(study.variants) > 1:
        rules.append(("stratum_mean", "every task counts the same"))
    return aggregation_choice(rules, "What counts the same where tasks are taken together: a sample or a task.")


def headlines(
    study: Study, read: Sequence[Policy], populations: Mapping[str, str], open_: Sequence[Choice]
) -> Iterator[Headline]:
    """The score of each result that has samples."""
    options = {choice.coordinate: [option.id for option in choice.options] for choice in open_}
    reads = [one.id for one in policy_reads(read, "result", "result")] if "reading" in options else []
    for run, link, held in zip(study.runs, study.links, study.held, strict=True):
        for result, place in zip(run.results, link.places, strict=True):
            if place is None or result.value is None:
                continue
            policy = next(i for i, one in enumerate(read) if one.by_task[place.task] == place.variant)
            chosen: dict[CoordinateName, str] = {"reading": reads[policy]} if reads else {}
            if _DROPPED in options["disposition"] and _without_errors(result, held[place]):
                chosen["disposition"] = _DROPPED
            low, scale = study.metrics[place].scale
            yield Headline(
                name=_shown(study, place),
                method=run.model,
                value=result.value,
                population=populations[place.task],
                chosen=chosen,
                low=low,
                scale=scale,
                caveat=_caveat(result, place, _alike(run, link, result), held),
            )


def _shown(study: Study, place: Place) -> str:
    return f"{place.task} {place.variant}" if study.several and place.task != place.variant else place.variant


def _without_errors(result: Result, own: Held) -> bool:
    """Whether a result is of so many samples as have no error, where some have one."""
    return result.samples == own.rows_without_error < own.rows


def _alike(run: Run, link: Links, result: Result) -> list[Place]:
    """The places of the results of a run that have one name."""
    told = zip(run.results, link.places, strict=True)
    return [place for one, place in told if place is not None and one.known_as == result.known_as]


def _caveat(result: Result, place: Place, alike: Sequence[Place], held: Mapping[Place, Held]) -> str:
    """Why a result may not be the mean of the scores of its samples."""
    own, told = held[place], []
    if len(alike) > 1 and all(held[one].scores == own.scores for one in alike):
        told.append(
            f"{len(alike)} results are called {quoted(result.known_as)}, and one score of a sample is given for all"
        )
    if own.repeats_are_copies:
        told.append("all repeats of a sample have one score, as where a reduced score was copied into each")
    if result.samples is not None and result.samples != own.rows and not _without_errors(result, own):
        told.append(f"it is said to be of {counted(result.samples, 'sample')}, and the log holds {own.rows:,}")
    return ", and ".join(told) or "a result need not be the mean of the scores of its samples"


def notes(every: Sequence[Run], study: Study) -> Iterator[str]:
    """What a reader of the study should know of the logs."""
    yield _raw(study.runs)
    bare = [
        Doubt("results without samples are no part of the study", run.path.name) for run in every if not run.samples
    ]
    files: dict[str, list[str]] = {}
    for words, file in (*bare, *(doubt for run in every for doubt in run.doubts), *_without_samples(study)):
        files.setdefault(words, []).append(file)
    for words, names in files.items():
        more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
        yield f"{words}: {', '.join(names[:_MOST])}{more}"
    for place, metric in study.metrics.items():
        if metric.words:
            yield f"{_shown(study, place)}: {metric.words}"
    unnamed = sum(len(one.variants) > 1 for _, one in study.samples)
    if unnamed:
        yield f"records that name no result, and stand as a score of each result of their evaluation: {unnamed:,}"
    if any(own.repeats_are_copies for held in study.held for own in held.values()):
        yield "all repeats of a sample have one score: the converter seems to have copied a reduced score into each"
    mixed = _mixed(study)
    if mixed:
        yield f"rows with several sample_hash, whose sample_id may stand for several samples: {mixed:,}"
    if not study.all_judged:
        yield "is_correct is not given with every score, and is left out"


def _without_samples(study: Study) -> Iterator[Doubt]:
    for run, link in zip(study.runs, study.links, strict=True):
        for result, place in zip(run.results, link.places, strict=True):
            if place is None:
                words = f"no sample is of the result {quoted(result.known_as)}, which is not reconciled"
                yield Doubt(words, run.path.name)


def _mixed(study: Study) -> int:
    """How many rows have several hashes."""
    hashes: dict[str, set[object]] = {}
    for _, one in study.samples:
        if (told := one.sample.attributes.get("sample_hash")) is not None:
            hashes.setdefault(study.row(one), set()).add(told)
    return sum(len(told) > 1 for told in hashes.values())


def _raw(runs: Sequence[Run]) -> str:
    """The standing advice: the log that was converted says more."""
    libraries = distinct(run.library for run in runs if run.library)
    forms = distinct(form for name in libraries for part, form in _RAW.items() if part in name.lower())
    better = f", with {' or '.join(f'multiverse import {form}' for form in forms)}" if forms else ""
    return (
        "this is an account of a log: a score of 0 may be a wrong answer, a refusal or an error, and a number NaN; "
        f"where the log of {' or '.join(libraries) or 'the harness'} itself is at hand, import that{better}"
    )
