"""What a log of Inspect leaves open: states, reducers and scorers, and the numbers that it reports."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from multiverse.importers.choices import (
    EMPTY,
    Column,
    aggregation_choice,
    disposition_choice,
    dropped,
    reading_choice,
    scoring_choice,
    zeroed,
)
from multiverse.importers.log import Choice, Headline
from multiverse.importers.records import Gathered
from multiverse.importers.reducers import Combined
from multiverse.importers.sources import label
from multiverse.importers.tasks import Policy, policy_reads
from multiverse.specification import CoordinateName

_LEVELS = ("accuracy", "mean")  # the metrics that are a mean over samples
_HALF = Fraction(1, 2)

_NOT_GRADED = "nobody judged the answer, so it says nothing"
_NOT_RIGHT = "what nobody could confirm as right is not right"
RULES = (
    dropped("errored", "the sample raised an error and has no score; Inspect leaves it out of the mean",
            "a crash says nothing of ability", "a user sees a crash as a failure"),
    dropped("unscored", "the scorer gave no verdict (NaN or no score); left out since Inspect 0.3.123",
            _NOT_GRADED, _NOT_RIGHT),
    dropped("grader_failed", "the grader failed (Score.reason); left out since Inspect 0.3.245",
            _NOT_GRADED, _NOT_RIGHT),
    dropped("scoring_failed", "the scorer failed (Score.reason)", _NOT_GRADED, _NOT_RIGHT),
    zeroed("no_answer", "value N (no answer); Inspect counts it as 0",
           "to give no answer is not to be right", "an abstention is no wrong answer"),
    zeroed("refused", "a refusal (Score.reason), which Inspect scores as it is: 0",
           "a refusal is not a right answer", "a refusal says nothing of ability"),
    zeroed("no_response", "no response (Score.reason), which Inspect scores as it is: 0",
           "nothing is not a right answer", "nothing that could be graded was returned"),
    zeroed("invalid", "a response of invalid format (Score.reason), which Inspect scores as it is: 0",
           "the format is part of the task", "the format is not what is measured"),
    zeroed("content_filter", "the provider's filter cut the answer, which Inspect scores as it is: 0",
           "a filtered answer is not right", "the filter is not the model's ability"),
    zeroed("truncated", "the answer ran into the token limit, and Inspect scores it as it is: 0",
           "a cut answer is not right", "the token limit is the evaluator's, not the model's"),
    zeroed("limit", "the sample hit a limit of time, tokens or messages, and Inspect scores it as it is: 0",
           "limits are part of the task", "the limit is the evaluator's, not the model's"),
    zeroed("invalidated", "somebody marked the sample as invalid afterwards; its score, 0, still counts",
           "the log still counts it", "what is invalid says nothing"),
    zeroed("unreadable", "a value that is no number, which Inspect counts as 0 with a warning",
           "as Inspect counts it", "a value that cannot be read says nothing"),
    dropped("missing", "no record of the sample for the model",
            "a sample that was not run says nothing", "every model answers for every sample"),
    EMPTY,
)  # fmt: skip
_REMARKS = {
    "invalidated": "somebody marked the sample as invalid afterwards; Inspect still counts its score",
    "errored": "the sample raised an error and was scored all the same; counted since Inspect 0.3.248",
    "limit": "the sample hit a limit of time, tokens or messages; Inspect scores it as it is",
    "truncated": "the answer ran into the token limit; Inspect scores it as it is",
    "content_filter": "the provider's filter cut the answer; Inspect scores it as it is",
    "refused": "a refusal (Score.reason); Inspect scores it as it is",
    "no_response": "no response (Score.reason); Inspect scores it as it is",
    "invalid": "a response of invalid format (Score.reason); Inspect scores it as it is",
}


def choices(
    read: Sequence[Policy], combined: Combined, found: Gathered, tasks: Sequence[str], cluster: str | None
) -> tuple[Choice, ...]:
    """Every coordinate on which something is open."""
    comment = "Which scorer is read" + (", and whether samples with a remark count." if found.remarks else ".")
    every = (
        disposition_choice("inspect", RULES, found.states, expect=("empty",) if found.remarks else ()),
        reading_choice(policy_reads(read, "scorer", "scorer"), found.remarks, _REMARKS, comment),
        _scoring(combined, found),
        _aggregation(tasks, cluster),
    )
    return tuple(choice for choice in every if choice is not None)


def _partial(found: Gathered) -> bool:
    """Whether some value is partly right, and all are letters."""
    return _HALF in found.values["score"] and found.values["score"] <= {0, 0.5, 1}


def _scoring(combined: Combined, found: Gathered) -> Choice | None:
    columns = [Column("score", "score", "")]
    if _partial(found):
        columns.append(Column("partial_wrong", "score", "partly right (P) is not right", Fraction(1)))
        columns.append(Column("partial_right", "score", "partly right (P) is right", _HALF))
    comment = "How the epochs of a sample become one score: the reducer.\n" if found.repeats > 1 else ""
    return scoring_choice(columns, combined.rules, comment + "C is 1, P is 0.5, I and N are 0, as Inspect counts.")


def _scoring_id(reducer: str, found: Gathered) -> str:
    """The id of the option that reads scores as they are and combines them by a reducer."""
    parts = ["score"] if _partial(found) else []
    return ".".join([*parts, *([reducer] if found.repeats > 1 else [])]) or "score"


def _aggregation(tasks: Sequence[str], cluster: str | None) -> Choice | None:
    rules = [("row_mean", "every sample counts the same, as in Inspect")]
    if cluster is not None:
        told = f"samples with one value of {cluster} count once together: the log clusters its errors by it"
        rules.append(("cluster_mean", told))
    if len(tasks) > 1:
        rules.append(("stratum_mean", "every task counts the same"))
    return aggregation_choice(rules, "What counts the same: a sample, a cluster of samples or a task.")


def variant(entry: Mapping[str, Any]) -> str:
    """The name of a score of the results: the scorer's, with the value's where it gives several."""
    name = str(entry.get("name"))
    scorer = str(entry.get("scorer") or name)
    return label(name if name == scorer else f"{scorer}.{name}")


class Reported(NamedTuple):
    """The results of a log, and what they are of."""

    entries: Sequence[Mapping[str, Any]]  # one for each scorer and reducer
    task: str
    method: str
    population: str
    version: str


def headlines(reported: Reported, read: Sequence[Policy], combined: Combined, found: Gathered) -> Iterator[Headline]:
    """The means that a log reports, where the study declares what they are of."""
    declared = {rule.id for rule in combined.rules}
    for entry in reported.entries:
        reducer, name = str(entry.get("reducer") or "mean"), variant(entry)
        policy = next((one for one in read if one.by_task[reported.task] == name), None)
        if policy is None or (found.repeats > 1 and reducer not in declared):
            continue
        chosen: dict[CoordinateName, str] = {}
        if len(read) > 1:
            chosen["reading"] = policy.id
        if _scoring(combined, found) is not None:
            chosen["scoring"] = _scoring_id(reducer, found)
        for metric in (entry.get("metrics") or {}).values():
            if str(metric.get("name")).split("/")[-1] in _LEVELS and isinstance(metric.get("value"), int | float):
                yield Headline(
                    name=f"{name} {metric['name']}" + (f", {reducer}" if found.repeats > 1 else ""),
                    method=reported.method,
                    value=metric["value"],
                    population=reported.population,
                    chosen=chosen,
                    low=found.scales["score"].low,
                    scale=found.scales["score"].scale,
                    caveat=_caveat(reported.version),
                )


def _caveat(version: str) -> str:
    return (
        f"the log is of Inspect {version}; NaN left metrics in 0.3.113 and reducers in 0.3.123, what was scored on "
        "error counts since 0.3.248, and `inspect log zero` and `exclude` (0.3.291) edit finished logs"
    )
