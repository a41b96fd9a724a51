"""What is known of the requests behind one answer of HELM: whether they failed, and whether anything could be read."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from multiverse.importers.sources import as_list, as_number, as_object, label


class Request(NamedTuple):
    """The requests of a sample: of its instance, and what came of them."""

    sub_split: str | None
    attributes: Mapping[str, object]  # of the instance
    first: str | None  # the remark on the completion that is scored
    every: str | None  # that on all completions, of which a metric NAME@K takes the best


def request_of(states: Sequence[Mapping[str, Any]], adapter: Mapping[str, Any]) -> Request:
    """One request, or the requests of a sample that has one for each reference."""
    instance = states[0]["instance"]
    outputs = [output for output in (_completions(state) for state in states) if output]
    first = every = None
    if any(as_object(state.get("result")).get("success") is False for state in states):
        first = every = "request_failed"
    elif len(states) == 1 and outputs and "reference_index" not in states[0]:
        first = _remark(states[0], adapter, outputs[0][:1])
        every = _remark(states[0], adapter, outputs[0])
    named = instance.get("sub_split")
    return Request(label(named) if named else None, _attributes(instance), first, every)


def _completions(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The completions, the likeliest first, as HELM scores them."""
    told = [one for one in as_list(as_object(state.get("result")).get("completions")) if isinstance(one, dict)]
    return sorted(told, key=lambda one: -(as_number(one.get("logprob")) or 0))


def _remark(
    state: Mapping[str, Any], adapter: Mapping[str, Any], completions: Sequence[Mapping[str, Any]]
) -> str | None:
    """What holds of all completions."""
    texts = [str(one.get("text") or "").strip() for one in completions]
    mapped = state.get("output_mapping")
    if not any(texts) and adapter.get("method") != "language_modeling":
        return "no_text"
    if isinstance(mapped, dict):
        return None if any(_extracted(text, adapter) in mapped for text in texts) else "unmapped"
    reasons = [as_object(one.get("finish_reason")).get("reason") for one in completions]
    if all(reason == "length" for reason in reasons) and adapter.get("method") != "language_modeling":
        return "truncated"
    return "prompt_truncated" if state.get("prompt_truncated") is True else None


def _extracted(text: str, adapter: Mapping[str, Any]) -> str:
    """The part of a text that HELM looks up in the output mapping."""
    pattern = adapter.get("output_mapping_pattern")
    if not pattern:
        return text
    try:
        match = re.search(str(pattern), text)
    except re.error:
        return text
    return "" if match is None else (match[1] or "") if match.groups() else match[0]


def _attributes(instance: Mapping[str, Any]) -> dict[str, object]:
    """What is known of an instance, as it was before any perturbation."""
    if instance.get("perturbation"):
        return {}
    references = map(as_object, as_list(instance.get("references")))
    correct = [as_object(one.get("output")).get("text") for one in references if "correct" in as_list(one.get("tags"))]
    return {"input": as_object(instance.get("input")).get("text"), "correct": correct[0] if correct else None}
