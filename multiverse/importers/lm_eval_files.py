"""The files of lm-evaluation-harness: samples of a task, and the results of their run."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from multiverse.importers.sources import first_line, label, read_lines, read_object

_TIME = r"\d{4}-\d{2}-\d{2}T\d{2}[-:]\d{2}[-:]\d{2}(?:\.\d+)?"
_SAMPLES = re.compile(rf"samples_(?P<task>.+)_(?P<time>{_TIME})\.jsonl")


class LmFile(NamedTuple):
    """The samples of one run of a task."""

    path: Path
    task: str
    method: str
    time: str
    results: Mapping[str, Any]  # of the run; empty where there is no file of them


def recognises(path: Path) -> bool:
    """Whether a file holds samples or results of lm-evaluation-harness."""
    if path.suffix == ".jsonl":
        return {"doc_id", "filtered_resps"} <= first_line(path).keys()
    return path.suffix == ".json" and path.name.startswith("results") and _is_results(path)


def _is_results(path: Path) -> bool:
    with path.open("rb") as file:
        content = file.read()
    return all(word in content for word in (b'"results"', b'"configs"', b'"n-shot"'))


def files_of(paths: Sequence[Path]) -> list[LmFile]:
    """Each file of samples with its task, its model and the results of its run."""
    told, known = [], {}
    for path in paths:
        match = _SAMPLES.fullmatch(path.name)
        task, time = (match["task"], match["time"]) if match else (path.stem.removeprefix("samples_"), "")
        results = path.with_name(f"results_{time}.json")
        if results not in known:
            known[results] = read_object(results) if results.is_file() else {}
        told.append((path, label(task), _model(path), time, known[results]))
    often = Counter((task, model) for _, task, model, _, _ in told)
    return [
        LmFile(path, task, f"{model}@{time}" if often[task, model] > 1 else model, time, results)
        for path, task, model, time, results in told
    ]


def _model(path: Path) -> str:
    """The model, which the folder is named after, with __ for a slash."""
    return label(path.absolute().parent.name.replace("__", "/"))


def filters_and_metrics(files: Sequence[LmFile]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The filters and the metrics of each task, in the order of the log."""
    filters: dict[str, dict[str, None]] = {}
    metrics: dict[str, dict[str, None]] = {}
    for file in files:
        for record in read_lines(file.path):
            filters.setdefault(file.task, {})[filter_of(record.content)] = None
            metrics.setdefault(file.task, {}).update(dict.fromkeys(_metrics(file, record.content)))
    return {task: list(names) for task, names in filters.items()}, {
        task: list(names) for task, names in metrics.items()
    }


def filter_of(sample: Mapping[str, Any]) -> str:
    """The filter that made the answer of a sample."""
    return label(sample.get("filter", "none"))  # logs before 0.4.7 do not name it


_BESIDE = frozenset(
    {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash",
     "prompt_hash", "target_hash", "schema_version"}
)  # fmt: skip


def _metrics(file: LmFile, sample: Mapping[str, Any]) -> list[str]:
    """The metrics of a sample whose values are numbers; logs before 0.4.7 do not list them."""
    named = sample.get("metrics") or [key for key in sample if key not in _BESIDE]
    return [str(name) for name in named if _is_number(sample.get(name))]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)
