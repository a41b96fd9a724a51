"""Reports of SWE-bench: the denominator, partial credit and infrastructure failures are the open choices."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from multiverse.errors import quoted
from multiverse.importers.choices import (
    Column,
    Combining,
    disposition_choice,
    scoring_choice,
    zeroed,
)
from multiverse.importers.log import Headline, Log
from multiverse.importers.records import Outcome, Records, Score
from multiverse.importers.sources import (
    as_list,
    as_number,
    as_object,
    clean,
    distinct,
    label,
    log_files,
    read_object,
    refuse,
    starts_with,
)
from multiverse.summary import counted

_LISTS = ("submitted_ids", "completed_ids", "incomplete_ids", "empty_patch_ids", "error_ids", "resolved_ids",
          "unresolved_ids")  # fmt: skip
_FAILURES = ("infra_failure_ids", "ambiguous_failure_ids")
_SCORES = ("resolved", "tests_fixed", "tests_fixed_none_broken")
RULES = (
    zeroed("error", "the run of the tests raised an error or left no report that could be read",
           "a patch whose tests cannot be run solves nothing", "the run failed, not the patch"),
    zeroed("empty_patch", "the patch was empty or null, which the report does not tell apart",
           "no patch solves nothing", "only what was handed in as a patch is judged"),
    zeroed("infra_failure", "the report holds the failure to be one of the machinery",
           "the report counts it as not resolved", "the machinery failed, not the patch"),
    zeroed("ambiguous_failure", "the report cannot tell whether the machinery failed",
           "the report counts it as not resolved", "the machinery may have failed, not the patch"),
    zeroed("missing", "no prediction was handed in for the instance",
           "the leaderboard divides by all instances", "only what was handed in is judged"),
)  # fmt: skip


class _Name(NamedTuple):
    """What the name of a summary says."""

    model: str
    run: str


class _Report(NamedTuple):
    """The summary of a run, and the reports of its instances."""

    path: Path
    method: str
    told: Mapping[str, Any]
    instances: Mapping[str, Mapping[str, Any]]


def recognises(path: Path) -> bool:
    """Whether a file is the summary of a run."""
    return path.suffix == ".json" and starts_with(path, '"total_instances"', '"resolved_ids"')


def read(sources: Sequence[Path], mapping: Mapping[str, Sequence[str]]) -> Log:
    """One study of all summaries: their models are the methods."""
    if mapping:
        refuse("--map", "a mapping of columns", "none: a report of SWE-bench names its own parts")
    paths = log_files(sources, recognises, "the summary of a run, MODEL.RUN.json")
    reports = _reports(paths)
    partial = any(report.instances for report in reports)
    records = Records(_SCORES if partial else _SCORES[:1])
    for report in reports:
        _gather(report, records)
    found = records.gathered(", ".join(map(str, paths)))
    columns = [Column("resolved", "resolved", "all tests pass that have to: FULL")]
    if partial:
        columns.append(Column("tests_fixed", "tests_fixed", "the share of FAIL_TO_PASS tests that pass"))
        why = "that share, and 0 where a PASS_TO_PASS test fails: what worked has to work"
        columns.append(Column("tests_fixed_none_broken", "tests_fixed_none_broken", why))
    choices = (
        disposition_choice("all_instances", RULES, found.states),
        scoring_choice(columns, [Combining("mean", "mean", "")], "What a patch is worth."),
    )
    versions = distinct(str(report.told.get("schema_version", 1)) for report in reports)
    return Log(
        harness=f"SWE-bench (schema version {', '.join(versions)})",
        title=f"SWE-bench: {', '.join(report.method for report in reports)}",
        rows=found.rows,
        outcomes=found.outcomes,
        choices=tuple(choice for choice in choices if choice is not None),
        populations={"everything": {}},
        headlines=tuple(_headline(report) for report in reports),
        notes=(*found.notes, *_notes(reports, found.rows.height)),
        license="whether the order of the models holds whatever instances count and whatever part of the tests earns",
    )


def _reports(paths: Iterable[Path]) -> list[_Report]:
    told = [(path, read_object(path)) for path in paths]
    for path, content in told:
        lacking = [
            key
            for key in ("total_instances", "submitted_ids", "resolved_ids", "resolved_instances")
            if key not in content
        ]
        if lacking:
            refuse(path, f"no key {lacking[0]}", "the summary of a run of SWE-bench")
        _check(path, content)
    names = [_name(path) for path, _ in told]
    models = [label(name.model.replace("__", "/")) for name in names]
    often = Counter(models)
    return [
        _Report(path, model if often[model] == 1 else label(f"{model}@{name.run}"), content, _instances(path, name))
        for (path, content), name, model in zip(told, names, models, strict=True)
    ]


def _check(path: Path, content: Mapping[str, Any]) -> None:
    """A fault where a count is no count, or a list of ids no list of texts."""
    for key in ("total_instances", "resolved_instances"):
        count = content.get(key)
        if not isinstance(count, int) or as_number(count) is None or count < (key == "total_instances"):
            refuse(path, f"{key}: {quoted(clean(count))}", "a whole number of instances")
    for key in (*_LISTS, *_FAILURES):
        ids = content.get(key)
        if ids is not None and not (isinstance(ids, list) and all(isinstance(one, str) for one in ids)):
            refuse(path, f"{key}: {quoted(clean(ids))}", "a list of ids")


def _name(path: Path) -> _Name:
    """The model and the run of a summary: either may hold dots, and where no logs tell, it is the model that does."""
    parts = path.name.removesuffix(".json").split(".")
    names = [_Name(".".join(parts[:i]), ".".join(parts[i:])) for i in range(len(parts) - 1, 0, -1)]
    logs = path.parent / "logs" / "run_evaluation"
    own = next((name for name in names if (logs / name.run / name.model).is_dir()), None)
    return own or next(iter(names), _Name(parts[0], ""))


def _instances(path: Path, name: _Name) -> dict[str, Mapping[str, Any]]:
    """The reports of instances of a run, where its logs lie beside the summary."""
    found: dict[str, Mapping[str, Any]] = {}
    for report in sorted((path.parent / "logs" / "run_evaluation" / name.run / name.model).glob("*/report.json")):
        found |= {str(name): content for name, content in read_object(report).items() if isinstance(content, dict)}
    return found


def _gather(report: _Report, records: Records) -> None:
    """Every instance that was handed in; rows without an outcome for those that were not."""
    told = report.told
    kinds = {key: frozenset(map(clean, told.get(key) or [])) for key in (*_LISTS, *_FAILURES)}
    for identity in distinct(clean(name) for key in _LISTS for name in told.get(key) or []):
        records.row(identity, {})
        if identity in kinds["submitted_ids"]:
            records.add(identity, report.method, _outcome(identity, kinds, report.instances.get(identity)))


def _outcome(identity: str, kinds: Mapping[str, frozenset[str]], told: Mapping[str, Any] | None) -> Outcome:
    """The state of an instance; an id can be under several keys, and an error is one even if also completed."""
    resolved: Score = int(identity in kinds["resolved_ids"])
    scores: dict[str, Score] = dict(zip(_SCORES, (resolved, *_partial(told, resolved)), strict=True))
    if resolved:
        return Outcome(scores)
    for state, key in (("empty_patch", "empty_patch_ids"), ("infra_failure", "infra_failure_ids"),
                       ("ambiguous_failure", "ambiguous_failure_ids"), ("error", "error_ids")):  # fmt: skip
        if identity in kinds[key]:
            return Outcome(scores, status=state)
    return Outcome(scores) if identity in kinds["unresolved_ids"] else Outcome(scores, status="error")


def _partial(told: Mapping[str, Any] | None, resolved: Score) -> tuple[Score, Score]:
    """The share of tests that a patch fixed, and the same where it broke none; as resolved without a report."""
    tests = as_object((told or {}).get("tests_status"))
    fixed, kept = as_object(tests.get("FAIL_TO_PASS")), as_object(tests.get("PASS_TO_PASS"))
    good, bad = len(as_list(fixed.get("success"))), len(as_list(fixed.get("failure")))
    if not good + bad:
        return resolved, resolved
    share = Fraction(good, good + bad)
    return share, (Fraction(0) if kept.get("failure") else share)


def _headline(report: _Report) -> Headline:
    """The summary gives counts: the resolved rate is resolved_instances / total_instances."""
    told = report.told
    return Headline(
        name=f"resolved_instances / total_instances = {told['resolved_instances']} / {told['total_instances']},",
        method=report.method,
        value=told["resolved_instances"] / told["total_instances"],
        population="everything",
        chosen={},
        caveat="total_instances may count instances that no list of the report names",
    )


def _notes(reports: Sequence[_Report], rows: int) -> Iterator[str]:
    for report in reports:
        both = set(report.told.get("error_ids") or []) & set(report.told.get("completed_ids") or [])
        if both:
            yield f"{report.path.name}: {counted(len(both), 'instance')} both in error and completed: taken as in error"
        if "infra_failure_ids" not in report.told:
            yield f"{report.path.name} is of schema version 1, which does not tell failures of the machinery"
        if report.told["total_instances"] != rows:
            yield f"{report.path.name} counts {report.told['total_instances']} instances, and the lists name {rows}"
        if not report.instances:
            yield f"{report.path.name} has no logs/run_evaluation beside it: no part of its tests is credited"
