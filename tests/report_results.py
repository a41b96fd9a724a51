"""Results of an audit for tests of the report, as they would be read back."""

import json
from types import SimpleNamespace
from typing import Any

import multiverse as mv


def results_of(found: mv.Audit) -> Any:  # noqa: ANN401 - it stands for Results
    """The record as its file holds it, and the tables."""
    return SimpleNamespace(record=json.loads(json.dumps(found.record, sort_keys=True)), tables=found.tables)
