"""Logs of Every Eval Ever made up by tests, to the schemas 0.2 and 0.3."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

UUID = "e4965c4a-4a9e-4386-88d0-c50f0979ba5d"
Fields = dict[str, object]


def result(
    value: float | None,
    identity: str = "acc",
    *,
    config: Mapping[str, object] | None = None,
    count: int | None = None,
    **more: object,
) -> Fields:
    """A result of 0 to 1, of dataset `d`; `config`: more of its metric, `count`: its num_samples."""
    metric: Fields = {
        "metric_name": identity, "lower_is_better": False, "score_type": "continuous", "min_score": 0.0,
        "max_score": 1.0,
    }  # fmt: skip
    return {
        "evaluation_result_id": identity,
        "evaluation_name": "e",
        "source_data": {"dataset_name": "d", "source_type": "other"},
        "metric_config": metric | dict(config or {}),
        "score_details": {"score": value, "uncertainty": {} if count is None else {"num_samples": count}},
    } | more


def sample(identity: object, score: object, of: str | None = "acc", **more: object) -> Fields:
    """A record of a sample, for the result `of`; right where its score is above 0."""
    right = more.pop("right", isinstance(score, int | float) and score > 0)
    return {
        "schema_version": "0.3.0", "evaluation_id": "d/m/1", "model_id": "m", "evaluation_name": "e",
        "evaluation_result_id": of, "sample_id": identity, "sample_hash": f"h{identity}",
        "interaction_type": "single_turn", "input": {"raw": "?", "reference": ["A"]},
        "output": {"raw": ["A"]}, "answer_attribution": [], "evaluation": {"score": score, "is_correct": right},
        "error": None, "metadata": {},
    } | more  # fmt: skip


def write(
    folder: Path, results: Sequence[Fields], samples: Sequence[Fields] | None, *, name: str = UUID, **more: object
) -> Path:
    """The results of a run of the model `m` and, where there are any, its samples beside them."""
    folder.mkdir(exist_ok=True)
    told: Fields = {
        "schema_version": "0.3.0", "evaluation_id": "d/m/1", "evaluation_timestamp": "1", "retrieved_timestamp": "2",
        "source_metadata": {"source_type": "evaluation_run"}, "eval_library": {"name": "unknown", "version": "unknown"},
        "model_info": {"name": "M", "id": "m"}, "evaluation_results": list(results),
    }  # fmt: skip
    if samples is not None:
        told["detailed_evaluation_results"] = _detailed(folder / f"{name}_samples.jsonl", samples)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(told | more))
    return path


def _detailed(path: Path, samples: Sequence[Mapping[str, object]]) -> Fields:
    content = "".join(json.dumps(one) + "\n" for one in samples).encode()
    path.write_bytes(content)
    return {
        "format": "jsonl", "file_path": f"data/d/m/m/{path.name}", "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(content).hexdigest(), "total_rows": len(samples),
    }  # fmt: skip
