"""Qrels and runs of TREC: what topics lack, how ties are ordered, unjudged documents and measures are open."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl

from multiverse.errors import Fault, InputError, quoted, unknown_name
from multiverse.importers.log import Log, Plain
from multiverse.importers.sources import label, log_files, refuse
from multiverse.importers.trec_choices import choices, families, headlines
from multiverse.importers.trec_files import Qrels, kind_of, read_qrels, read_runs, recognises
from multiverse.importers.trec_measures import DEFAULTS, MEASURES_EXPECTED, Measure, graded, parse_measure
from multiverse.importers.trec_notes import notes
from multiverse.importers.trec_reference import reference
from multiverse.importers.trec_scores import Scored, kept, scored, topics_of
from multiverse.importers.trec_tables import QRELS, qrels_names, tables

__all__ = ["read", "recognises"]


def read(sources: Sequence[Path], mapping: Mapping[str, Sequence[str]]) -> Log:
    """One study of all runs under all qrels: topics are the rows, runs the methods."""
    asked = _asked(mapping)
    paths = log_files(sources, recognises, "qrels and runs of TREC")
    kinds = {path: kind_of(path) for path in paths}
    qrels = [read_qrels(path) for path in paths if kinds[path] == "qrels"]
    _check_qrels(qrels, sources)
    topics = topics_of(pl.concat([one.table for one in qrels]))
    measures = graded(asked or DEFAULTS, topics.levels)
    library = reference(measures, topics.levels)
    runs = [scored(run, topics, measures, library) for path in paths if kinds[path] == "run" for run in read_runs(path)]
    if not runs:
        refuse(", ".join(map(str, sources)), "qrels, and no run", "a run: topic, Q0, document, rank, score, tag")
    found = kept(runs, measures, [one.family for one in asked])
    methods = _methods(found.runs)
    made = tables(found, methods, topics, qrels)
    version = "" if library is None else str(library.library.__version__)
    return Log(
        harness=f"TREC runs (held against ir_measures {version})" if version else "TREC runs",
        title=f"TREC: {', '.join(methods[:5])}{' and others' if len(methods) > 5 else ''}",
        rows=made.rows,
        outcomes=made.outcomes,
        choices=choices(found, made.states),
        populations=_populations(qrels),
        headlines=tuple(headlines(found, methods, version)),
        notes=tuple(dict.fromkeys(notes(found, methods, qrels, topics, _unread(sources, paths)))),
        license="whether the order of the runs holds whatever the measure, and however ties, documents without a "
        "judgement and missing topics are counted",
        families=families(found),
        reporter="ir_measures",
    )


def _asked(mapping: Mapping[str, Sequence[str]]) -> list[Measure]:
    """The measures that are asked for."""
    faults = [unknown_name("--map", "part", part, ["measure"]) for part in mapping if part != "measure"]
    named = {text: parse_measure(text) for text in mapping.get("measure", ())}
    faults += [
        Fault(where="--map", found=f"unknown measure {quoted(text)}", expected=MEASURES_EXPECTED)
        for text, one in named.items()
        if one is None
    ]
    if faults:
        raise InputError(faults)
    return list(dict.fromkeys(one for one in named.values() if one is not None))


def _check_qrels(qrels: Sequence[Qrels], sources: Sequence[Path]) -> None:
    """There are some, and no topic is judged in two files."""
    if not qrels:
        refuse(", ".join(map(str, sources)), "no qrels", "qrels: topic, iteration, document, relevance")
    seen: dict[str, Path] = {}
    for one in qrels:
        topics = one.table["topic"].unique(maintain_order=True)
        twice = [topic for topic in topics if topic in seen]
        if twice:
            more = f" and {len(twice) - 1} more topics are" if len(twice) > 1 else " is"
            expected = "qrels of different topics; a study of its own for each of two sets of judgements"
            refuse(one.path, f"topic {quoted(twice[0])}{more} judged in {seen[twice[0]]} too", expected)
        seen |= dict.fromkeys(topics, one.path)


def _methods(runs: Sequence[Scored]) -> list[str]:
    """Runs by their tags, with the file where several have one."""
    tags = [label(run.tag) for run in runs]
    files = [label(run.path.name) for run in runs]
    often, pairs = Counter(tags), Counter(zip(tags, files, strict=True))
    return [
        tag if often[tag] == 1 else f"{tag}@{file if pairs[tag, file] == 1 else label(str(run.path))}"
        for run, tag, file in zip(runs, tags, files, strict=True)
    ]


def _populations(qrels: Sequence[Qrels]) -> dict[str, Plain]:
    """All topics, and those of each qrels where there are several."""
    found: dict[str, Plain] = {"everything": {}}
    for i, name in enumerate(qrels_names(qrels), 1):
        plain = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in name.rpartition("/")[2])
        if len(qrels) > 1:
            found[plain if plain not in found else f"{plain}_{i}"] = {"column": QRELS, "equals": name}
    return found


def _unread(sources: Iterable[Path], paths: Sequence[Path]) -> list[str]:
    """The files of folders that are neither qrels nor runs."""
    read = set(paths)
    below = (path for source in sources if source.is_dir() for path in sorted(source.rglob("*")) if path.is_file())
    return [path.name for path in below if path not in read]
