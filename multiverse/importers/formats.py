"""The formats that are read, in one table: how each is told, and what reads it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from multiverse.errors import Fault, InputError, unknown_name
from multiverse.importers import (
    alpaca_log,
    every_eval_ever_log,
    helm_log,
    inspect_log,
    lighteval_log,
    lm_eval_log,
    openai_evals_log,
    promptfoo_log,
    score_tables,
    swebench_log,
    trec_log,
)
from multiverse.importers.log import Log

Read = Callable[[Sequence[Path], Mapping[str, Sequence[str]]], Log]


class Format(NamedTuple):
    """A format of logs."""

    name: str
    files: str  # what its files are, in words
    recognises: Callable[[Path], bool]  # whether a file is one of its own
    read: Read


FORMATS: tuple[Format, ...] = (
    Format("inspect", ".eval and .json logs of Inspect", inspect_log.recognises, inspect_log.read),
    Format(
        "lm-eval",
        "samples_*.jsonl and results_*.json of lm-evaluation-harness",
        lm_eval_log.recognises,
        lm_eval_log.read,
    ),
    Format("csv", "score tables, .csv", score_tables.recognises(".csv"), score_tables.read),
    Format("parquet", "score tables, .parquet", score_tables.recognises(".parquet"), score_tables.read),
    Format("jsonl", "score tables, .jsonl or .ndjson", score_tables.recognises(".jsonl", ".ndjson"), score_tables.read),
    Format("swebench", "summaries of SWE-bench runs, MODEL.RUN.json", swebench_log.recognises, swebench_log.read),
    Format("promptfoo", "results of promptfoo, .json or .jsonl", promptfoo_log.recognises, promptfoo_log.read),
    Format("alpaca-eval", "annotations.json of AlpacaEval", alpaca_log.recognises, alpaca_log.read),
    Format("openai-evals", "logs of OpenAI evals, .jsonl", openai_evals_log.recognises, openai_evals_log.read),
    Format(
        "every-eval-ever",
        "results and samples of Every Eval Ever, .json and .jsonl",
        every_eval_ever_log.recognises,
        every_eval_ever_log.read,
    ),
    Format("trec", "qrels and runs of TREC, whatever their endings", trec_log.recognises, trec_log.read),
    Format("helm", "folders of HELM runs, with per_instance_stats.json", helm_log.recognises, helm_log.read),
    Format(
        "lighteval",
        "details_*.parquet and results_*.json of lighteval",
        lighteval_log.recognises,
        lighteval_log.read,
    ),
)


def read_log(form: str, sources: Sequence[Path], mapping: Mapping[str, Sequence[str]]) -> Log:
    """The log of a format that is named."""
    known = {one.name: one for one in FORMATS}
    if form not in known:
        raise InputError([unknown_name("FORMAT", "format", form, known)])
    return known[form].read(sources, mapping)


def detect(source: Path) -> tuple[str, ...]:
    """The names of the formats of a file, or of the files in a folder, in the order of the table."""
    if not source.exists():
        raise InputError([Fault(where=str(source), found="no such file or folder", expected="a log")])
    files = sorted(path for path in source.rglob("*") if path.is_file()) if source.is_dir() else [source]
    found = {form.name for path in files if (form := format_of(path)) is not None}
    if not found:
        listed = "; ".join(f"{one.name}: {one.files}" for one in FORMATS)
        raise InputError([Fault(where=str(source), found="no log of a known format", expected=listed)])
    return tuple(one.name for one in FORMATS if one.name in found)


def format_of(path: Path) -> Format | None:
    """The format of a file; None where it is of none."""
    return next((one for one in FORMATS if one.recognises(path)), None)
