"""The files of a HELM run: its specification, the requests it made, and what its metrics made of each."""

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from multiverse.errors import quoted
from multiverse.exact import shortest_decimal
from multiverse.importers.helm_requests import Request, request_of
from multiverse.importers.records import Score
from multiverse.importers.sources import as_number, as_object, clean, label, read_document, read_object, refuse

SAMPLES = ("per_instance_stats.json", "scenario_state.json")  # either makes a folder a run
_MOST_TRIALS = 1_000_000
NO_SPLIT = "no_split"  # of what names none
_COUNTS = frozenset(
    {"num_references", "num_train_trials", "num_train_instances", "num_prompt_tokens", "num_completion_tokens",
     "num_output_tokens", "max_num_completion_tokens", "num_completions", "num_requests", "num_perplexity_tokens",
     "num_bytes", "num_instances", "prompt_truncated", "prompt_length", "training_co2_cost", "training_energy_cost",
     "inference_runtime", "inference_denoised_runtime", "inference_idealized_runtime", "denoised_runtime", "batch_size",
     "estimated_num_tokens_cost", "max_prob", "logprob", "predicted_index"}
)  # fmt: skip


class Perturbation(NamedTuple):
    """How the input of an instance was changed."""

    name: str
    parameters: str
    robustness: bool
    fairness: bool


class Key(NamedTuple):
    """What tells one answer of a run from all others."""

    instance: str
    split: str
    perturbation: Perturbation | None
    trial: int


class Sample(NamedTuple):
    """One answer: what each metric gave it, and what is known of its requests."""

    key: Key
    sub_split: str | None
    values: Mapping[str, Score]  # None: a count of 0, or NaN
    request: Request | None


class Stat(NamedTuple):
    """A mean that HELM reports."""

    metric: str
    split: str
    sub_split: str | None
    perturbation: Perturbation | None
    computed_on: str  # perturbed, worst or original
    mean: float


class Run(NamedTuple):
    """The folder of one run."""

    folder: Path
    spec: Mapping[str, Any]
    samples: Sequence[Sample]
    stats: Sequence[Stat] | None  # None where there is no stats.json
    twice: int  # values that stand twice and differ


def is_score(metric: str) -> bool:
    """Whether a metric judges answers: counts, times and probabilities that HELM keeps of requests do not."""
    return metric not in _COUNTS and not metric.startswith("finish_reason_")


def read_run(folder: Path) -> Run:
    """All that a run says; a file that is not there is no fault where another holds the samples."""
    state = _state(folder / SAMPLES[1])
    spec = read_object(folder / "run_spec.json") if (folder / "run_spec.json").is_file() else {}
    if "adapter_spec" not in spec:
        spec = {**spec, "adapter_spec": state.get("adapter_spec") or {}}
    requests = _requests(folder / SAMPLES[1], state, as_object(spec["adapter_spec"]))
    values, twice = _values(folder / SAMPLES[0])
    stats = folder / "stats.json"
    with_split = {key._replace(split=NO_SPLIT): key for key in requests}
    values = {with_split.get(key, key): told for key, told in values.items()}  # a record without stats names no split
    samples = [
        _sample(key, values.get(key, {}), requests.get(key)) for key in dict.fromkeys((*values, *requests))
    ]  # fmt: skip
    if not samples:
        refuse(folder, "no sample in the run", "at least one")
    return Run(folder, spec, samples, list(_stats(stats)) if stats.is_file() else None, twice)


def _sample(key: Key, values: Mapping[str, tuple[Score, str | None]], request: Request | None) -> Sample:
    sub_split = next((sub for _, sub in values.values() if sub is not None), request.sub_split if request else None)
    return Sample(key, sub_split, {metric: value for metric, (value, _) in values.items()}, request)


def _state(path: Path) -> dict[str, Any]:
    return read_object(path) if path.is_file() else {}


def _requests(path: Path, state: Mapping[str, Any], adapter: Mapping[str, Any]) -> dict[Key, Request]:
    """The requests of each sample."""
    told: dict[Key, list[Mapping[str, Any]]] = {}
    for i, one in enumerate(_objects(path, state.get("request_states") or [])):
        instance = one.get("instance")
        if not isinstance(instance, dict) or "id" not in instance:
            refuse(path, f"request state {i} has no instance with an id", "a scenario state of HELM")
        perturbation = perturbation_of(instance.get("perturbation"))
        key = Key(clean(instance["id"]), _split(instance), perturbation, _trial(path, i, one))
        told.setdefault(key, []).append(one)
    return {key: request_of(states, adapter) for key, states in told.items()}


def _values(path: Path) -> tuple[dict[Key, dict[str, tuple[Score, str | None]]], int]:
    """The values of each sample by metric, and how many stand twice and differ: each metric class writes its own."""
    found: dict[Key, dict[str, tuple[Score, str | None]]] = {}
    twice = 0
    for i, one in enumerate(_objects(path, read_document(path) if path.is_file() else [])):
        if "instance_id" not in one or not isinstance(one.get("stats"), list):
            refuse(path, f"record {i} has no instance_id or no stats", "per-instance stats of HELM")
        perturbation = perturbation_of(one.get("perturbation"))
        stats = list(_named(path, one["stats"]))
        split = _split(stats[0][0]) if stats else NO_SPLIT
        known = found.setdefault(Key(clean(one["instance_id"]), split, perturbation, _trial(path, i, one)), {})
        for name, stat in stats:
            if is_score(metric := label(name["name"])):
                value = (_value(stat), _sub(name))
                twice += known.setdefault(metric, value) != value
    return found, twice


def _stats(path: Path) -> Iterator[Stat]:
    """The means of a run that are of a score, in its order."""
    for name, stat in _named(path, read_document(path)):
        mean = as_number(stat.get("mean"))
        if stat.get("count") and mean is not None and is_score(metric := label(name["name"])):
            told = as_object(name.get("perturbation"))
            computed = str(told.get("computed_on") or "perturbed")
            yield Stat(metric, _split(name), _sub(name), perturbation_of(told or None), computed, mean)


def _named(path: Path, stats: object) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Each stat with its name."""
    for i, stat in enumerate(_objects(path, stats)):
        name = stat.get("name")
        if not isinstance(name, dict) or not isinstance(name.get("name"), str):
            refuse(path, f"stat {i} has no name", "stats of HELM")
        yield name, stat


def _objects(path: Path, content: object) -> Iterator[Mapping[str, Any]]:
    if not isinstance(content, list) or not all(isinstance(one, dict) for one in content):
        refuse(path, "no list of JSON objects", f"{path.name} as HELM writes it")
    yield from content


def _value(stat: Mapping[str, Any]) -> Score:
    """The sum divided by the count; None where nothing was counted."""
    total, count = as_number(stat.get("sum")), as_number(stat.get("count"))
    if total is None or count is None or count <= 0:
        return None
    if count == 1:
        return total
    return (shortest_decimal(total) if isinstance(total, float) else Fraction(total)) / Fraction(count)


def _trial(path: Path, position: int, one: Mapping[str, Any]) -> int:
    trial = one.get("train_trial_index", 0)
    if not isinstance(trial, int) or not 0 <= trial <= _MOST_TRIALS:
        found = f"train_trial_index {quoted(clean(trial))} in record {position}"
        refuse(path, found, f"a whole number of at most {_MOST_TRIALS:,}")
    return trial


def _split(named: Mapping[str, Any]) -> str:
    return label(named.get("split") or NO_SPLIT)


def _sub(name: Mapping[str, Any]) -> str | None:
    return label(name["sub_split"]) if name.get("sub_split") else None


def perturbation_of(told: object) -> Perturbation | None:
    """A perturbation as HELM describes it; None where the input is as it was."""
    if not isinstance(told, dict):
        return None
    own = ("name", "robustness", "fairness", "computed_on")
    more = {key: value for key, value in sorted(told.items()) if key not in own}
    shown = ",".join(f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in more.items())
    kinds = bool(told.get("robustness")), bool(told.get("fairness"))
    return Perturbation(label(told.get("name") or "perturbed"), label(shown), *kinds)
