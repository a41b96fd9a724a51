"""Runs of HELM beside one another: their scenarios and models, and what the runs of a scenario hold between them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from multiverse.importers.helm_files import Perturbation, Run
from multiverse.importers.sources import as_list, as_object, distinct, label, read_object

_FIRST_SPLITS = ("test", "valid")


class Named(NamedTuple):
    """A run, its scenario and its model."""

    run: Run
    task: str
    method: str


class Scenario(NamedTuple):
    """What the runs of a scenario hold, the harness's own first."""

    splits: Sequence[str]
    metrics: Sequence[str]
    perturbations: Sequence[Perturbation]


def named_runs(runs: Sequence[Run]) -> list[Named]:
    """Each run with its scenario and model; where a model ran a scenario twice, by its deployment and suite too."""
    pairs = [(_task(run), _model(run)) for run in runs]
    often = Counter(pairs)
    again = {model for (_, model), count in often.items() if count > 1}
    deployments: dict[str, set[str]] = {}
    suites: dict[str, set[str]] = {}
    for run, (_, model) in zip(runs, pairs, strict=True):
        deployments.setdefault(model, set()).add(_deployment(run))
        suites.setdefault(model, set()).add(run.folder.parent.name)
    named = []
    for run, (task, model) in zip(runs, pairs, strict=True):
        parts = [
            _deployment(run) if len(deployments[model]) > 1 else "",
            run.folder.parent.name if len(suites[model]) > 1 else "",
        ]
        told = label("@".join([model, *filter(None, parts)])) if model in again else model
        named.append(Named(run, task, told))
    return named


def _adapter(run: Run) -> Mapping[str, Any]:
    return as_object(run.spec.get("adapter_spec"))


def _name(run: Run) -> str:
    return str(run.spec.get("name") or run.folder.absolute().name)


def _task(run: Run) -> str:
    """The name of the run without its model."""
    scenario, _, arguments = _name(run).partition(":")
    kept = [one for one in arguments.split(",") if one and not one.startswith(("model=", "model_deployment="))]
    return label(":".join([scenario, ",".join(kept)] if kept else [scenario]))


def _model(run: Run) -> str:
    told = (one.partition("=")[2] for one in _name(run).partition(":")[2].split(",") if one.startswith("model="))
    return label(_adapter(run).get("model") or _adapter(run).get("model_deployment") or next(told, "model"))


def _deployment(run: Run) -> str:
    return str(_adapter(run).get("model_deployment") or "")


def scenarios(runs: Sequence[Named]) -> dict[str, Scenario]:
    """What each scenario holds."""
    schemas = {folder: _schema(folder) for folder in distinct_folders(runs)}
    found = {}
    for task in distinct(one.task for one in runs):
        own = [one.run for one in runs if one.task == task]
        main = next((told for run in own if (told := _main(run, schemas[run.folder.parent]))), {})
        samples = [sample for run in own for sample in run.samples]
        metrics = distinct(metric for sample in samples for metric in sample.values)
        splits = distinct(sample.key.split for sample in samples)
        found[task] = Scenario(
            _led(_led(splits, *_FIRST_SPLITS), str(main.get("main_split"))),
            _led(metrics, *_main_metric(main, metrics)),
            list(dict.fromkeys(s.key.perturbation for s in samples if s.key.perturbation is not None)),
        )
    return found


def distinct_folders(runs: Sequence[Named]) -> list[Path]:
    """The folders of suites."""
    return list(dict.fromkeys(one.run.folder.parent for one in runs))


def _led(names: Sequence[str], *first: str) -> list[str]:
    """Names with some of them first, where they are there."""
    return [*(name for name in first if name in names), *(name for name in names if name not in first)]


def _main_metric(main: Mapping[str, object], metrics: Sequence[str]) -> list[str]:
    """The metric that the schema headlines; helm-summarize takes exact_match where there is no quasi_exact_match."""
    name = str(main.get("main_name"))
    return ["exact_match"] if name == "quasi_exact_match" and name not in metrics else [name]


def _schema(suite: Path) -> Mapping[str, Mapping[str, object]]:
    """The environment of each group, of the schema.json that helm-summarize writes into a suite."""
    path = suite / "schema.json"
    groups = map(as_object, as_list(read_object(path).get("run_groups")) if path.is_file() else [])
    return {str(group.get("name")): as_object(group.get("environment")) for group in groups if group.get("environment")}


def _main(run: Run, schema: Mapping[str, Mapping[str, object]]) -> Mapping[str, object]:
    """What the schema says of the first group of a run that it knows."""
    groups = map(str, as_list(run.spec.get("groups")))
    return next((schema[name] for name in groups if name in schema), {})


def has_schema(runs: Sequence[Named]) -> bool:
    """Whether some suite has a schema.json."""
    return any((folder / "schema.json").is_file() for folder in distinct_folders(runs))


def perturbation_names(found: Mapping[str, Scenario]) -> dict[Perturbation, str]:
    """A name for each perturbation: its own, with its parameters where several have that name."""
    every = list(dict.fromkeys(one for scenario in found.values() for one in scenario.perturbations))
    often = Counter(one.name for one in every)
    return {one: one.name if often[one.name] == 1 else f"{one.name}({one.parameters})" for one in every}
