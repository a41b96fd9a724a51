"""Results of promptfoo (.json, .jsonl): errors, tests that assert nothing, and score against success are open."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
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
from multiverse.importers.records import Gathered, Outcome, Records
from multiverse.importers.reducers import combining
from multiverse.importers.sources import (
    as_list,
    as_number,
    as_object,
    first_line,
    label,
    log_files,
    read_lines,
    read_object,
    refuse,
    starts_with,
)

_ERROR = 2  # failureReason: 0 none, 1 an assertion failed, 2 an error
RULES = (
    zeroed("error", "the provider or an assertion raised an error; promptfoo keeps it in the denominator as no pass",
           "a user sees a crash as a failure", "a crash says nothing of the answer"),
    unjudged("unscored", "the result has no score"),
    dropped("missing", "no result of the test for the provider",
            "a test that was not run says nothing", "every provider answers for every test"),
    EMPTY,
)  # fmt: skip
_REMARKS = {"no_assertions": "the test asserts nothing, and promptfoo passes it with score 1"}


class _Results(NamedTuple):
    """The results of one file."""

    path: Path
    evaluation: str  # its id
    results: Sequence[Mapping[str, Any]]
    prompts: Sequence[Mapping[str, Any]]  # with the sums that promptfoo reports; none in JSON Lines


def recognises(path: Path) -> bool:
    """Whether a file holds results of promptfoo."""
    if path.suffix == ".jsonl":
        return {"promptIdx", "testIdx", "success"} <= first_line(path).keys()
    return path.suffix == ".json" and starts_with(path, '"evalId"', '"results"')


def read(sources: Sequence[Path], mapping: Mapping[str, Sequence[str]]) -> Log:
    """One study of all results: providers (with their prompts, where there are several) are the methods."""
    if mapping:
        refuse("--map", "a mapping of columns", "none: results of promptfoo name their own parts")
    paths = log_files(sources, recognises, "results of promptfoo: .json or .jsonl")
    known = {path.with_suffix("") for path in paths if path.suffix == ".json"}
    files = [_results(path) for path in paths if path.suffix == ".json" or path.with_suffix("") not in known]
    records = Records(["success", "score"])
    methods = [_gather(file, records, several=len(files) > 1) for file in files]
    found = records.gathered(", ".join(str(file.path) for file in files))
    rules = combining([], found.repeats, found.values["success"]).rules
    columns = [
        Column("success", "success", "whether the test passed, by its assertions and threshold"),
        Column("score", "score", "the weighted score of the assertions, which may be high where the test failed"),
    ]
    choices = (
        disposition_choice("promptfoo", RULES, found.states, expect=("empty",) if found.remarks else ()),
        reading_choice([Read("as_scored", {}, "every result")], found.remarks, _REMARKS, "Which results count."),
        scoring_choice(columns, rules, "Pass or score, and how the repeats of a test combine."),
    )
    return Log(
        harness="promptfoo (results of version 3)",
        title=f"promptfoo: {', '.join(file.evaluation for file in files)}",
        rows=found.rows,
        outcomes=found.outcomes,
        choices=tuple(choice for choice in choices if choice is not None),
        populations={"everything": {}},
        headlines=tuple(
            headline
            for file, named in zip(files, methods, strict=True)
            for headline in _headlines(file, named, found, ".mean" if len(rules) > 1 else "")
        ),
        notes=(*found.notes, *_notes(files, found)),
        license="whether the order of the providers holds whatever an error or a test without assertions counts as",
    )


def _results(path: Path) -> _Results:
    if path.suffix == ".jsonl":
        return _checked(_Results(path, path.stem, [record.content for record in read_lines(path)], ()))
    content = read_object(path)
    told = content.get("results")
    if not isinstance(told, dict) or not isinstance(told.get("results"), list):
        refuse(path, "no list results.results", "results of promptfoo, written by -o results.json")
    if told.get("version") != 3:
        refuse(path, f"results of version {told.get('version')}", "version 3")
    prompts = list(map(as_object, as_list(told.get("prompts"))))
    return _checked(_Results(path, label(content.get("evalId") or path.stem), told["results"], prompts))


def _checked(file: _Results) -> _Results:
    """The same, where each result says which test and which prompt it is of."""
    for i, result in enumerate(file.results):
        if not isinstance(result, dict):
            refuse(file.path, f"result {i} is no JSON object", "an object for every result")
        if not all(isinstance(result.get(key), int) for key in ("testIdx", "promptIdx")):
            refuse(file.path, f"result {i} has no testIdx or no promptIdx", "both, as whole numbers")
    return file


def _gather(file: _Results, records: Records, *, several: bool) -> dict[int, str]:
    """Every result, which stand in the order in which they ended; the method of each prompt."""
    methods = _methods(file, several=several)
    seen: Counter[tuple[int, int]] = Counter()
    for result in file.results:
        test, prompt = result["testIdx"], result["promptIdx"]
        seen[test, prompt] += 1
        records.row(str(test), {f"vars.{name}": value for name, value in as_object(result.get("vars")).items()})
        failed = result.get("failureReason") == _ERROR
        success = result.get("success")
        scores = {"success": int(success) if isinstance(success, bool) else None, "score": result.get("score")}
        outcome = Outcome(
            scores,
            epoch=seen[test, prompt],
            status="error" if failed else "answered",
            remark="no_assertions" if _asserts_nothing(result) and not failed else None,
        )
        records.add(str(test), methods[prompt], outcome)
    return methods


def _methods(file: _Results, *, several: bool) -> dict[int, str]:
    """A name for each prompt and provider: the provider's, with the prompt's where that alone tells them apart."""
    told: dict[int, tuple[str, str]] = {}
    for result in file.results:
        source, asked = _provider(result.get("provider")), as_object(result.get("prompt"))
        name = label(source.get("label") or source.get("id") or "provider")
        told.setdefault(result["promptIdx"], (name, label(asked.get("label") or "")))
    providers = Counter(provider for provider, _ in told.values())
    pairs = Counter(told.values())
    methods = {}
    for position, (provider, prompt) in sorted(told.items()):
        name = provider if providers[provider] == 1 else f"{provider}: {prompt}"
        name = name if pairs[provider, prompt] == 1 else f"{name} #{position}"
        methods[position] = f"{name}@{file.evaluation}" if several else name
    return methods


def _provider(told: object) -> Mapping[str, Any]:
    """A provider, which may be its id alone."""
    return {"id": told} if isinstance(told, str) else as_object(told)


def _asserts_nothing(result: Mapping[str, Any]) -> bool:
    grading = as_object(result.get("gradingResult"))
    return not as_object(result.get("testCase")).get("assert") and not grading.get("componentResults")


def _headlines(file: _Results, methods: Mapping[int, str], found: Gathered, rule: str) -> Iterator[Headline]:
    """The counts and the summed score of each prompt, over all its results."""
    for position, prompt in enumerate(file.prompts):
        told = as_object(prompt.get("metrics"))
        counts = [as_number(told.get(f"test{kind}Count")) or 0 for kind in ("Pass", "Fail", "Error")]
        total, summed = sum(counts), as_number(told.get("score"))
        if position not in methods or total <= 0:
            continue
        low, scale = found.scales["score"]
        yield Headline(
            name=f"testPassCount / all = {counts[0]} / {total},", method=methods[position], value=counts[0] / total,
            population="everything", chosen={"scoring": f"success{rule}"}, caveat=_caveat(total, found),
        )  # fmt: skip
        if summed is not None:
            yield Headline(
                name="metrics.score (a sum)", method=methods[position], value=summed, population="everything",
                chosen={"scoring": f"score{rule}"}, low=low * Fraction(total), scale=scale * Fraction(total),
                caveat=_caveat(total, found),
            )  # fmt: skip


def _caveat(total: float, found: Gathered) -> str:
    return f"promptfoo counts {total} results, and the study averages the repeats of each of {found.rows.height} tests"


def _notes(files: Sequence[_Results], found: Gathered) -> Iterator[str]:
    if any(result.get("namedScores") for file in files for result in file.results):
        yield "named scores are left out: promptfoo sums them over tests, and not every test has them"
    if found.repeats > 1:
        yield "repeats are numbered as they ended: promptfoo does not number them"
    for file in files:
        if not file.prompts:
            yield f"{file.path.name} holds no sums of promptfoo: nothing of it is reconciled"
