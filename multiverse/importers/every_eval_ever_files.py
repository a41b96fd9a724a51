"""The files of Every Eval Ever: the results of a run (.json) and its samples (.jsonl), with what ties them together."""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from multiverse.errors import quoted
from multiverse.exact import shortest_decimal
from multiverse.importers.records import Score
from multiverse.importers.sources import (
    WHOLE,
    Record,
    as_number,
    clean,
    distinct,
    first_line,
    label,
    log_files,
    read_document,
    read_lines,
    read_object,
    refuse,
    starts_with,
)
from multiverse.summary import counted

FILES = "results of Every Eval Ever, UUID.json, with UUID_samples.jsonl beside them"
_OF_OUTCOMES = frozenset({"stop_reason", "epoch", "filter", "lm_eval_metrics"})  # keys of metadata that no row has
_STOPS = {"max_tokens": "truncated", "model_length": "truncated", "content_filter": "content_filter"}
Bounds = tuple[Fraction, Fraction]


class Result(NamedTuple):
    """One number of a run, and what is said of its metric."""

    identity: str  # evaluation_result_id; empty before schema 0.3
    name: str  # evaluation_name
    metric: str
    dataset: str
    value: float | None
    samples: int | None  # that it is said to be of
    bounds: Bounds | None
    lower_is_better: bool
    has_unknown: bool  # a score of -1 is none

    @property
    def known_as(self) -> str:
        """Its id, or its name."""
        return self.identity or self.name


class Sample(NamedTuple):
    """One record of a sample."""

    identity: str
    model: str
    evaluation: str  # evaluation_id
    result: str  # evaluation_result_id; empty where it names none
    name: str  # evaluation_name
    epoch: int | None
    score: Score  # None where it is null or NaN
    correct: bool | None
    remark: str | None
    attributes: Mapping[str, Any]


class Doubt(NamedTuple):
    """What does not fit between results and samples."""

    words: str
    file: str


class Run(NamedTuple):
    """The results of a run of a model, and its samples."""

    path: Path
    evaluation: str
    model: str
    time: str
    library: str  # the harness whose log was converted, with its version
    version: str  # of the schema
    results: tuple[Result, ...]
    samples: tuple[Sample, ...]
    doubts: tuple[Doubt, ...]


def recognises(path: Path) -> bool:
    """Whether a file holds results or samples."""
    if path.suffix == ".jsonl":
        return {"evaluation_id", "model_id", "sample_id", "evaluation"} <= first_line(path).keys()
    words = ('"evaluation_id"', '"retrieved_timestamp"', '"source_metadata"')
    return path.suffix == ".json" and starts_with(path, *words) and not starts_with(path, '"$schema"')


def read_runs(sources: Sequence[Path]) -> list[Run]:
    """Every run of the sources; samples that no results name are runs too, one a model."""
    paths = log_files(sources, recognises, FILES)
    runs, read = [], set()
    for path in paths:
        if path.suffix != ".jsonl":
            run, samples = _run(path)
            runs.append(run)
            read.add(samples)
    for path in paths:
        if path.suffix == ".jsonl" and path.absolute() not in read:
            above = path.with_name(path.name.removesuffix("_samples.jsonl") + ".json")
            runs += [_run(above)[0]] if above.is_file() else _alone(path)
    return runs


def _run(path: Path) -> tuple[Run, Path | None]:
    """A run, and the file of its samples."""
    told = read_object(path)
    model = _mapping(told.get("model_info"))
    name, results = model.get("id") or model.get("name"), told.get("evaluation_results")
    if not name or not isinstance(results, list) or not all(isinstance(one, dict) for one in results):
        refuse(path, "no model_info.id or no list evaluation_results", FILES)
    found = _samples_file(path, told)
    samples = () if found is None else tuple(_sample(found, record) for record in _records(found))
    run = Run(
        path=path,
        evaluation=label(told.get("evaluation_id", "")),
        model=label(name),
        time=label(told.get("evaluation_timestamp") or told.get("retrieved_timestamp") or ""),
        library=_library(_mapping(told.get("eval_library"))),
        version=label(told.get("schema_version", "unknown")),
        results=tuple(_result(path, one, told) for one in results),
        samples=samples,
        doubts=(),
    )
    if found is None:
        return run, None
    checked = run._replace(doubts=tuple(_doubts(run, found, _mapping(told.get("detailed_evaluation_results")))))
    return checked, found.absolute()


def _library(told: Mapping[str, Any]) -> str:
    """The name and the version of a harness; some converters write both as the version."""
    name, version = label(told.get("name") or ""), label(told.get("version") or "")
    both = version.replace(":", " ") if ":" in version else f"{name} {version}"
    return both.replace("unknown", "").strip()


def _alone(path: Path) -> list[Run]:
    """Samples that no results name, one run a model."""
    samples = [_sample(path, record) for record in _records(path)]
    if not samples:
        refuse(path, "no sample", FILES)
    version = label(first_line(path).get("schema_version", "unknown")).removeprefix("instance_level_eval_")
    doubt = Doubt(
        "no results are beside these samples: higher is taken for better, and nothing is reconciled", path.name
    )
    return [
        Run(path, samples[0].evaluation, model, "", "", version, (), own, (doubt,))
        for model in distinct(sample.model for sample in samples)
        if (own := tuple(sample for sample in samples if sample.model == model))
    ]


def _samples_file(path: Path, told: Mapping[str, Any]) -> Path | None:
    """Where the samples of results are: beside them, or below a folder above them; None where they name none."""
    beside = path.with_name(f"{path.stem}_samples.jsonl")
    named = _mapping(told.get("detailed_evaluation_results")).get("file_path")
    if not isinstance(named, str) or not named:
        return beside if beside.is_file() else None
    plain = PurePosixPath(named)
    above = () if plain.is_absolute() or ".." in plain.parts else path.absolute().parents
    places = [beside, path.with_name(plain.name), *(folder / plain for folder in above)]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        refuse(path, f"the samples {quoted(plain.name)}, which are not there", "that file beside it")
    return found


def _records(path: Path) -> Iterator[Record]:
    """The records of samples: of a list in JSON, as schema 0.2 allows, or of JSON Lines."""
    if path.suffix != ".json":
        yield from read_lines(path)
        return
    content = read_document(path)
    if not isinstance(content, list) or not all(isinstance(one, dict) for one in content):
        refuse(path, "no list of samples", "a list of objects")
    yield from (Record(number, one) for number, one in enumerate(content, 1))


def _doubts(run: Run, samples: Path, said: Mapping[str, Any]) -> Iterator[Doubt]:
    """What the results say of the file of samples, against the file; one with fewer records was cut short."""
    rows = said.get("total_rows")
    if isinstance(rows, int) and len(run.samples) < rows:
        refuse(samples, f"{counted(len(run.samples), 'record')} where {run.path.name} counts {rows:,}", WHOLE)
    if isinstance(rows, int) and len(run.samples) > rows:
        yield Doubt("samples hold more records than their results count (total_rows)", samples.name)
    kind, sum_ = str(said.get("hash_algorithm") or "sha256"), said.get("checksum")
    if sum_ and kind not in ("sha256", "md5"):
        yield Doubt(f"a checksum by {kind} is not checked", samples.name)
    elif sum_ and hashlib.new(kind, samples.read_bytes(), usedforsecurity=False).hexdigest() != str(sum_).lower():
        yield Doubt("samples are not the file that their results were written with, by its checksum", samples.name)
    models = distinct(sample.model for sample in run.samples)
    if len(models) > 1:
        refuse(samples, f"samples of several models: {', '.join(map(quoted, models))}", f"those of {quoted(run.model)}")
    if models and models != [run.model]:
        yield Doubt(f"samples name the model {quoted(models[0])}, and their results {quoted(run.model)}", samples.name)
    if any(sample.evaluation != run.evaluation for sample in run.samples):
        yield Doubt("samples name another evaluation_id than their results", samples.name)


def _result(path: Path, one: Mapping[str, Any], told: Mapping[str, Any]) -> Result:
    config, score = _mapping(one.get("metric_config")), _mapping(one.get("score_details"))
    source = one.get("source_data", told.get("source_data"))  # before schema 0.2 of the whole file
    name = label(one.get("evaluation_name") or "evaluation")
    metric = next(
        (config[key] for key in ("metric_name", "metric_id", "evaluation_description") if config.get(key)), ""
    )
    value, count = score.get("score"), _mapping(score.get("uncertainty")).get("num_samples")
    return Result(
        identity=label(one.get("evaluation_result_id") or ""),
        name=name,
        metric=label(metric),
        dataset=label(_mapping(source).get("dataset_name") or name),
        value=as_number(value),
        samples=count if isinstance(count, int) else None,
        bounds=_bounds(path, config),
        lower_is_better=config.get("lower_is_better") is True,
        has_unknown=config.get("has_unknown_level") is True,
    )


def _bounds(path: Path, config: Mapping[str, Any]) -> Bounds | None:
    """The least and the greatest score; None where they are not given, or unbounded."""
    levels = config.get("level_names")
    if isinstance(levels, list) and len(levels) > 1:
        return Fraction(0), Fraction(len(levels) - 1)
    least, greatest = as_number(config.get("min_score")), as_number(config.get("max_score"))
    if least is None or greatest is None:
        return None
    low, high = shortest_decimal(float(least)), shortest_decimal(float(greatest))
    if low >= high:
        refuse(path, f"a metric with min_score {least} and max_score {greatest}", "the first below the second")
    return low, high


def _sample(path: Path, record: Record) -> Sample:
    told = record.content
    if not {"sample_id", "model_id", "evaluation"} <= told.keys() or told["sample_id"] is None:
        refuse(path, f"line {record.line} lacks sample_id, model_id or evaluation", "a sample of Every Eval Ever")
    evaluation, metadata = _mapping(told["evaluation"]), _mapping(told.get("metadata"))
    correct, epoch = evaluation.get("is_correct"), str(metadata.get("epoch", ""))
    hashed = told.get("sample_hash")
    known = {**metadata, "sample_hash": None if hashed is None else clean(hashed)}
    return Sample(
        identity=clean(told["sample_id"]),
        model=label(told["model_id"]),
        evaluation=label(told.get("evaluation_id", "")),
        result=label(told.get("evaluation_result_id") or ""),
        name=label(told.get("evaluation_name") or ""),
        epoch=int(epoch) if epoch.isascii() and epoch.isdigit() and len(epoch) < 10 else None,
        score=_score(path, record, evaluation.get("score")),
        correct=correct if isinstance(correct, bool) else None,
        remark=_remark(told, metadata),
        attributes={key: value for key, value in known.items() if value is not None and key not in _OF_OUTCOMES},
    )


def _score(path: Path, record: Record, value: object) -> Score:
    if value is None or isinstance(value, float):
        return None if value is None or not math.isfinite(value) else value
    if not isinstance(value, bool | int) or as_number(value) is None:
        refuse(path, f"line {record.line} has the score {quoted(clean(value))}", "a number that a double can hold")
    return int(value)


def _remark(told: Mapping[str, Any], metadata: Mapping[str, Any]) -> str | None:
    """What is to be known of a record that was scored: the first of these that holds."""
    parts, raw = told.get("answer_attribution"), _mapping(told.get("output")).get("raw")
    texts = [raw] if isinstance(raw, str) else raw
    remarks = (
        (bool(told.get("error")), "errored"),
        (str(metadata.get("stop_reason")) in _STOPS, _STOPS.get(str(metadata.get("stop_reason")))),
        (isinstance(parts, list) and any(_mapping(p).get("extracted_value") == "[invalid]" for p in parts), "invalid"),
        (isinstance(texts, list) and not any(texts), "no_text"),
    )
    return next((word for held, word in remarks if held), None)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
