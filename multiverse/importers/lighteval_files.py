"""The files of lighteval: details, a Parquet file for each task of a run, and the results of the run."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from multiverse.importers.lighteval_details import Detail, columns_of, names_details, read_details
from multiverse.importers.sources import as_object, label, read_object, refuse, starts_with

_TIME = r"\d{4}-\d{2}-\d{2}T\d{2}[-:]\d{2}[-:]\d{2}(?:\.\d+)?"
_DETAILS = re.compile(rf"details_(?P<task>.+)_(?P<time>{_TIME})\.parquet", re.DOTALL)
_RESULTS = re.compile(rf"results_(?P<time>{_TIME})\.json")


class Results(NamedTuple):
    """The results of a run."""

    path: Path
    model: str  # empty where they name none
    numbers: Mapping[str, Mapping[str, object]]  # by task, by group of tasks, and of all


class DetailFile(NamedTuple):
    """The details of a task of a run."""

    path: Path
    task: str
    key: str  # under which the results name the task
    method: str
    results: Results | None
    samples: Sequence[Detail]


def is_details(path: Path) -> bool:
    """Whether a file holds details: told by its columns, and by its name where it cannot be read."""
    if path.suffix != ".parquet":
        return False
    columns = columns_of(path)
    return _DETAILS.fullmatch(path.name) is not None if columns is None else names_details(columns)


def is_results(path: Path) -> bool:
    """Whether a file holds the results of a run."""
    return path.suffix == ".json" and path.name.startswith("results") and starts_with(path, '"config_general"')


def files_of(paths: Sequence[Path]) -> list[DetailFile]:
    """Each file of details with its task, its model and the results of its run."""
    known = {path.resolve(): _results(path) for path in paths if is_results(path)}
    files = [_file(path, known) for path in paths if path.resolve() not in known]
    often = Counter((file.task, file.method) for file, _ in files)
    again = {method for (_, method), count in often.items() if count > 1}
    return [
        file._replace(method=label(f"{file.method}@{time}")) if file.method in again else file for file, time in files
    ]


def _file(path: Path, known: dict[Path, Results]) -> tuple[DetailFile, str]:
    """A file of details, and the time of its run."""
    match = _DETAILS.fullmatch(path.name)
    named, time = (match["task"], match["time"]) if match else (path.stem.removeprefix("details_"), "")
    folder = _model_folder(path)
    for beside in _beside(path, time, folder):
        if beside.resolve() not in known:
            known[beside.resolve()] = _results(beside)
    results = _of_run(known.values(), time, folder, path.absolute().parent)
    details = read_details(path)
    task = details.task or label(named)
    key = label(named) if results and label(named) in results.numbers else task
    model = label(results.model if results and results.model else "/".join(folder))
    return DetailFile(path, task, key, model, results, details.samples), time


def _model_folder(path: Path) -> tuple[str, ...]:
    """The folders that name the model: those between `details` and the time, or the last before the time."""
    parts = path.absolute().parent.parts
    parts = parts[:-1] if len(parts) > 1 and re.fullmatch(_TIME, parts[-1]) else parts
    if "details" in parts[:-1]:
        return parts[len(parts) - parts[::-1].index("details") :]
    return tuple(parts[-1].removeprefix("details_").removesuffix("_private").split("__"))


def _beside(path: Path, time: str, folder: Sequence[str]) -> Iterator[Path]:
    """The results of a run where lighteval writes them, locally and on the Hub."""
    run = path.absolute().parent
    roots = [parent.parent / "results" / Path(*folder) for parent in run.parents if parent.name == "details"]
    yield from (file for root in (*roots, run, run.parent) if (file := root / f"results_{time}.json").is_file())


def _of_run(known: Iterable[Results], time: str, folder: tuple[str, ...], run: Path) -> Results | None:
    """The results of a time and a model, told by the model's name or folder; or else those in the same folder."""
    of_time = [one for one in known if (match := _RESULTS.fullmatch(one.path.name)) and match["time"] == time]
    told = [
        one
        for one in of_time
        if one.model.strip("/") == "/".join(folder) or one.path.absolute().parent.parts[-len(folder) :] == folder
    ]
    beside = [one for one in of_time if one.path.absolute().parent in (run, run.parent)]
    return next(iter([*told, *beside]), None)


def _results(path: Path) -> Results:
    content = read_object(path)
    numbers = content.get("results")
    if not isinstance(numbers, dict) or not all(isinstance(one, dict) for one in numbers.values()):
        refuse(path, "no results by task", "the results of a run of lighteval")
    told = as_object(content.get("config_general")).get("model_name")
    named = {label(key): {label(metric): value for metric, value in one.items()} for key, one in numbers.items()}
    return Results(path, told if isinstance(told, str) else "", named)
