"""Logs of lighteval written by hand, for what the sample lacks."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

TIME = "2026-11-30T12-00-00.000000"


def sample(
    identity: str, metrics: Mapping[str, Any], *texts: str, cut: int = 0, query: str = "2+2?", task: str | None = None
) -> dict[str, Any]:
    """A sample as it is written now."""
    doc = {"id": identity, "query": query, "choices": ["4", "5"], "gold_index": [0], "task_name": task}
    response = {"text": list(texts) or ["4"], "text_post_processed": None, "truncated_tokens_count": cut}
    return {"doc": doc, "metric": dict(metrics), "model_response": response}


def old_sample(metrics: str, predictions: str = "['4']", truncated: str = "0") -> dict[str, Any]:
    """A sample as it was written in 2024: every cell is text."""
    told = {"example": "2+2?", "full_prompt": "2+2?", "gold": "['4']", "gold_index": "[0]", "choices": "['4']"}
    return told | {"metrics": metrics, "predictions": predictions, "truncated": truncated, "padded": "0"}


def write_details(
    folder: Path, samples: Sequence[Mapping[str, Any]], task: str = "t|0", model: str = "org/m", time: str = TIME
) -> Path:
    """The details of a task, where lighteval writes them."""
    path = folder / "details" / model / time / f"details_{task}_{time}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(list(samples)).write_parquet(path)
    return path


def write_results(folder: Path, results: Mapping[str, Any], model: str = "org/m", time: str = TIME) -> Path:
    """The results of a run, where lighteval writes them."""
    path = folder / "results" / model / f"results_{time}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"config_general": {"model_name": model}, "results": results}))
    return path
