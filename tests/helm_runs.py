"""Runs of HELM written by hand, for what the samples of the real tool lack."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

TYPOS = {"name": "typos", "robustness": True, "fairness": False, "computed_on": "perturbed", "prob": 0.1}
SHOUT = {"name": "shout", "robustness": False, "fairness": True, "computed_on": "perturbed"}


def kind(name: str) -> dict[str, Any]:
    """The perturbation that stands for all of a kind."""
    return {"name": name, "robustness": name == "robustness", "fairness": name == "fairness", "computed_on": "worst"}


def stat(metric: str, value: float | None, split: str | None = "test", **more: object) -> dict[str, Any]:
    """A stat of one value, or of none; null fields are left out, as HELM leaves them out."""
    name = {"name": metric} | ({} if split is None else {"split": split}) | more
    if value is None:
        return {"name": name, "count": 0, "sum": 0, "sum_squared": 0}
    return {"name": name, "count": 1, "sum": value, "sum_squared": value * value, "mean": value, "variance": 0.0}


def answer(
    identity: str, values: Mapping[str, float | None], *, split: str = "test", trial: int = 0,
    perturbation: Mapping[str, Any] | None = None, sub_split: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """A record of per_instance_stats.json, with counts that are no score."""
    named = ({} if perturbation is None else {"perturbation": perturbation}) | (
        {} if sub_split is None else {"sub_split": sub_split}
    )
    stats = [stat(metric, value, split, **named) for metric, value in {"num_references": 2, **values}.items()]
    told = {"instance_id": identity, "train_trial_index": trial, "stats": stats}
    return told | ({} if perturbation is None else {"perturbation": perturbation})


def request(
    identity: str, *texts: str, split: str = "test", trial: int = 0, success: bool = True, reason: str = "stop",
    **more: object,
) -> dict[str, Any]:  # fmt: skip
    """A request state; the first text is the likeliest."""
    references = [{"output": {"text": "Even"}, "tags": ["correct"]}]
    instance = {"id": identity, "split": split, "input": {"text": f"{identity}?"}, "references": references}
    told = [{"text": text, "logprob": -i, "finish_reason": {"reason": reason}} for i, text in enumerate(texts)]
    result = {"success": success, "completions": told}
    return {"instance": instance, "train_trial_index": trial, "prompt_truncated": False, "result": result} | more


def write_run(
    suite: Path, records: Sequence[Mapping[str, Any]] | None, *stats: Mapping[str, Any], scenario: str = "s",
    model: str = "org/m", requests: Sequence[Mapping[str, Any]] | None = None, **more: object,
) -> Path:  # fmt: skip
    """The folder of a run; what is None or empty is not written."""
    name = f"{scenario}{',' if ':' in scenario else ':'}model={model.replace('/', '_')}"
    folder = suite / name.replace("/", "_")
    folder.mkdir(parents=True)
    adapter = {"method": "generation", "model": model, "model_deployment": model} | more
    spec = {"name": name, "adapter_spec": adapter, "groups": ["g"]}
    (folder / "run_spec.json").write_text(json.dumps(spec))
    if records is not None:
        (folder / "per_instance_stats.json").write_text(json.dumps(records))
    if stats:
        (folder / "stats.json").write_text(json.dumps(stats))
    if requests is not None:
        (folder / "scenario_state.json").write_text(json.dumps({"adapter_spec": adapter, "request_states": requests}))
    return folder
