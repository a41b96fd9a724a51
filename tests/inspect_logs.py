"""Logs of Inspect written by hand, for what the samples of the real tool lack."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def sample(identity: object, value: object, *, epoch: int = 1, **more: object) -> dict[str, Any]:
    """One sample with one score."""
    score = more.pop("score", {"value": value})
    return {"id": identity, "epoch": epoch, "target": "x", "scores": {} if score is None else {"s": score}} | more


def header(results: object = None, **more: object) -> dict[str, Any]:
    told = {"run_id": "r", "task": "tiny", "model": "m", "created": "c", "packages": {"inspect_ai": "0.3.285"}}
    return {"version": 2, "status": "success", "eval": told | more, "results": results}


def result(value: float, reducer: str | None = None, **more: object) -> dict[str, Any]:
    return {
        "name": "s",
        "scorer": "s",
        "reducer": reducer,
        "metrics": {"accuracy": {"name": "accuracy", "value": value, "params": {}}},
    } | more


def write_json(path: Path, samples: Sequence[Mapping[str, Any]], *scores: Mapping[str, Any], **more: object) -> Path:
    """A .json log; `scores` are those of its results."""
    results = {"scores": list(scores)} if scores else None
    path.write_text(json.dumps(header(results, eval_id=path.stem, **more) | {"samples": samples}))
    return path


def write_eval(path: Path, samples: Sequence[Mapping[str, Any]], *scores: Mapping[str, Any], **more: object) -> Path:
    """An .eval log, deflated."""
    results = {"scores": list(scores)} if scores else None
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(header(eval_id=path.stem, **more)))
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
        archive.writestr("header.json", json.dumps(header(results, eval_id=path.stem, **more)))
    return path
