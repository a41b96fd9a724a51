"""The audit record of the paper's Table 3: seven fields, filled from declaration, receipts and records."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from multiverse.audit import find_study
from multiverse.declaration import Declaration, read_declaration
from multiverse.errors import Fault, InputError, NotFrozenError, printable
from multiverse.evidence import endpoint_words, identified_words
from multiverse.option_words import (
    aggregation_words,
    disposition_words,
    reading_words,
    scoring_words,
    terminal_words,
)
from multiverse.receipts.chain import Chain, read_chain
from multiverse.receipts.drift import is_complete, spec_changes
from multiverse.receipts.snapshot import spec_files
from multiverse.reruns import content_bytes, written_outputs
from multiverse.strict_yaml import Mapping as MappingNode
from multiverse.strict_yaml import Node, Scalar
from multiverse.strict_yaml import Sequence as SequenceNode
from multiverse.timeline import timeline
from multiverse.verify import Receipt

Json = dict[str, Any]
ROLES = ("premise", "diagnostic event", "conditional result", "correction", "falsification", "non-recovery")


def study_record(study: str | Path, family: str) -> Json:
    """The identification record of a family, from the latest freeze of its study and what was reported under it.

    Raises NotFrozenError where nothing was frozen, or nothing reported of the family, under the latest freeze, and
    InputError where its record is gone or a field has nothing to say.
    """
    declaration = read_declaration(find_study(study))
    declaration.family(family)
    chain = read_chain(declaration.name)
    _check_unchanged(chain, declaration)
    own = [run for run in _complete_runs(chain) if run.predicate["family"] == family]
    if not own:
        under = f"under {chain.freezes[-1].name}, the last freeze" if chain.freezes else "under a freeze"
        found, expected = f"no complete run of family {family} {under}", "an audit of it that is not exploratory"
        raise NotFrozenError([Fault(where=declaration.name, found=found, expected=expected)])
    if not any(name.endswith("/record.json") for name in written_outputs(own[-1])):
        found = f"its record is not in {own[-1].predicate['out']} as it was written"
        expected = f"`multiverse audit {study} --family {family} --reproduce`, which writes it again"
        raise InputError([Fault(where=f"{declaration.name}, {own[-1].name}", found=found, expected=expected)])
    return identification_record(chain, declaration, own[-1], _records(chain))


def run_record(chain: Chain, run: Receipt, content: bytes) -> Json:
    """The identification record of a complete run under the latest freeze, from the bytes of its record.

    Raises NotFrozenError where the study has changed since, and InputError where a field has nothing to say.
    """
    declaration = read_declaration(find_study(chain.study))
    _check_unchanged(chain, declaration)
    return identification_record(chain, declaration, run, dict.fromkeys([content, *_records(chain)]))


def _check_unchanged(chain: Chain, declaration: Declaration) -> None:
    """Raise NotFrozenError where the spec files are not those of the latest freeze."""
    files = spec_files(declaration)
    changed = list(spec_changes(chain, chain.freezes[-1], declaration, files)) if chain.freezes else []
    if changed:
        raise NotFrozenError(changed)


def _complete_runs(chain: Chain) -> list[Receipt]:
    """The complete runs under the latest freeze."""
    return [run for run in chain.of_kind("run") if chain.freezes and is_complete(run, chain.freezes[-1])]


def _records(chain: Chain) -> list[bytes]:
    """The records that these runs wrote, those that are there, each once."""
    outputs = [written_outputs(run) for run in _complete_runs(chain)]
    records = [content_bytes(held) for one in outputs for name, held in one.items() if name.endswith("/record.json")]
    return list(dict.fromkeys(records))


def identification_record(chain: Chain, declaration: Declaration, run: Receipt, records: Iterable[bytes]) -> Json:
    """The seven fields for the family of a complete run; `records` are those of complete runs under the same freeze.

    Raises InputError, naming every field that is missing, where one has nothing to say. An evidence role that nothing
    fills says so and why.
    """
    found = [json.loads(content) for content in records]
    family = run.predicate["family"]
    own = next((record for record in found if record["family"] == family), None)
    fields = {
        "fixed substrate": list(_substrate(run)),
        "semantic map": list(_semantic_map(declaration)),
        "endpoint": list(_endpoint(declaration, family)),
        "admissibility": list(_admissibility(chain, declaration, run)),
        "results": [] if own is None else list(_results(own)),
        "uncertainty": [] if own is None else list(_uncertainty(own)),
        "evidence roles": [] if own is None else list(_roles(chain, declaration, own, found)),
    }
    faults = [_missing(declaration, name, run) for name, lines in fields.items() if not lines]
    if faults:
        raise InputError(faults)
    return {"study": declaration.name, "family": family, "freeze": run.predicate["freeze"], "fields": fields}


_WANTED = {
    "endpoint": "families.yaml: `license`, the inference that the families are to license",
    "uncertainty": "study.yaml: `resampling`, for sampling variation apart from specification variation",
    "results": "the record that this run wrote",
    "evidence roles": "the record that this run wrote",
}


def _missing(declaration: Declaration, name: str, run: Receipt) -> Fault:
    found = f"the field {name!r} of the identification record has nothing to say"
    return Fault(where=f"{declaration.name}, {run.name}", found=found, expected=_WANTED.get(name, "it to be declared"))


def markdown(record: Json) -> str:
    """The identification record as a page: a heading a field, a line a statement."""
    lines = [f"# Identification record: {record['study']}, family {record['family']}", ""]
    for name, statements in record["fields"].items():
        lines += [f"## {name.capitalize()}", "", *(f"- {printable(line)}" for line in statements), ""]
    return "\n".join([*lines, "Claims hold relative to the declared family alone.", ""])


def _substrate(run: Receipt) -> Iterator[str]:
    for one in run.predicate["inputs"]:
        kind = "predictions" if one["table"] in ("predictions", "outcomes") else "artifacts"
        yield f"{kind}: {one['table']} ({one['source']}), sha256 {run.subjects[one['path']]}"
    methods = run.predicate["methods"]
    yield f"methods: {'all in the predictions' if methods is None else ', '.join(methods)}"
    resampling = run.predicate["resampling"]
    if resampling is None:
        yield "resampling design: none"
        return
    strata = f" within {resampling['strata']}" if resampling["strata"] else ""
    design = f"{resampling['draws']} draws of {resampling['unit']}s{strata}, {resampling['method']}"
    yield f"resampling design: {design}, generator {resampling['generator']}, seed {resampling['seed']}"


def _semantic_map(declaration: Declaration) -> Iterator[str]:
    coordinates = declaration.coordinates
    always = ", ".join(declaration.always) or "nothing"
    yield f"legal references: every contract requires {always}"
    for contract in coordinates.contract:
        yield f"legal references: contract {contract.id} requires {', '.join(contract.require) or 'nothing more'}"
    for terminal in coordinates.terminal if "terminal" in coordinates.declared else ():
        yield f"eligibility: terminal {terminal.id}: {terminal_words(terminal)}"
    for disposition in coordinates.disposition:
        yield f"scoreability: disposition {disposition.id}: {disposition_words(disposition)}"
    for reading in coordinates.reading if "reading" in coordinates.declared else ():
        yield f"scoreability: reading {reading.id}: {reading_words(reading)}"
    for scoring in coordinates.scoring:
        yield f"scoring: {f'{scoring.id}: ' if scoring.id else ''}{scoring_words(scoring)}"
    for aggregation in coordinates.aggregation:
        name = f"{aggregation.id}: " if aggregation.id else ""
        yield f"denominators and weights: {name}{aggregation_words(aggregation)}"


def _endpoint(declaration: Declaration, family: str) -> Iterator[str]:
    """Nothing where no inference license is declared: an endpoint without one licenses nothing."""
    if not declaration.license.strip():
        return
    for effect in declaration.endpoints.effects:
        change = f"factor {effect.factor} from {effect.from_level} to {effect.to_level}"
        yield f"Q(s): effect {effect.id}, {effect.pair[0]} - {effect.pair[1]}, {change}"
    yield "Q(s): levels, margins of every pair, and the ranking"
    declared = declaration.family(family)
    yield f"declared family: {family}, {len(declared.specs)} specifications"
    yield f"inference license: {' '.join(declaration.license.split())}"


def _admissibility(chain: Chain, declaration: Declaration, run: Receipt) -> Iterator[str]:
    for file in declaration.files:
        for name, text in _rationales(file.node):
            yield f"rationale: {file.name}{f', {name}' if name else ''}: {' '.join(text.split())}"
    freeze = next(one for one in chain.freezes if one.digest == run.predicate["freeze"])
    allowed, access = freeze.predicate["admissibility"], freeze.predicate["access"]
    yield f"freeze receipt: {freeze.name}, sha256 {freeze.digest}, claimed at {freeze.predicate['claimed_at']}"
    yield f"motivation: {allowed['motivation']}{': ' + allowed['reason'] if allowed['reason'] else ''}"
    words = {key: value.replace("_", " ") for key, value in access.items()}
    yield f"access: outcomes {words['data_stage']}, custody {words['outcome_custody']}"


def _rationales(node: Node, name: str = "") -> Iterator[tuple[str, str]]:
    """Every rationale of a file with the id, or the key, of what it explains."""
    match node:
        case SequenceNode(items=items):
            for item in items:
                yield from _rationales(item, name)
        case MappingNode(entries=entries):
            known = {str(key.value): value for key, value in entries}
            identity = known.get("id")
            here = str(identity.value) if isinstance(identity, Scalar) else name
            rationale = known.get("rationale")
            if isinstance(rationale, Scalar) and isinstance(rationale.value, str):
                yield here, rationale.value
            for key, value in known.items():
                yield from _rationales(value, here if isinstance(value, SequenceNode) else key)


def _results(record: Json) -> Iterator[str]:
    yield f"every jointly frozen alternative is reported: {len(record['specs'])} specifications"
    for name, population in record["populations"].items():
        for one in population["identified"]:
            if one["endpoint"] in ("effect", "ranking"):
                yield f"population {name}: {endpoint_words(one)}: {identified_words(one)}"


def _uncertainty(record: Json) -> Iterator[str]:
    """Nothing where sampling variation is not reported beside specification variation."""
    sampled = {name: one for name, one in record["populations"].items() if one["uncertainty"]}
    if not sampled:
        return
    yield "specification variation: the ranges above, over declared specifications, with a witness at each end"
    for name, population in sampled.items():
        found = population["uncertainty"]
        design = f"{found['draws']} draws of {found['unit']}s, seed {found['seed']}, level {found['level']}"
        yield f"sampling variation: population {name}: {design}"
        for effect, entry in population["effects"].items():
            for cell, value in entry["cells"].items():
                interval = value and value.get("interval")
                if interval:
                    where = f"population {name}, effect {effect}{f' at {cell}' if cell else ''}"
                    yield f"sampling variation: {where}: {value['exact']} in [{interval[0]!r}, {interval[1]!r}]"


def _roles(chain: Chain, declaration: Declaration, own: Json, records: Sequence[Json]) -> Iterator[str]:
    """Each role with what fills it, or with why nothing does."""
    family = declaration.family(own["family"])
    inner = [r for r in records if r is not own and family.contains(declaration.family(r["family"]))]
    filled: Mapping[str, tuple[list[str], str]] = {
        "premise": (
            [line for record in inner for line in _effects(record)],
            "no complete run of a family within this one, with an effect, is reported",
        ),
        "diagnostic event": (list(_events(chain, "gate", "NO_GO")), _no_event(chain)),
        "conditional result": (
            list(_effects(own)) or [f"the ranking over family {own['family']}: {_ranking(own)}"],
            "",
        ),
        "correction": (list(_events(chain, "correction", "")), "no receipt of this chain has been corrected"),
        "falsification": (
            list(_effects(own, several=True)),
            "no effect takes two values over this family: none of its alternatives contradicts another",
        ),
        "non-recovery": (
            list(_unsettled_rankings(own)),
            "the ranking is point identified over this family in every population",
        ),
    }
    assert tuple(filled) == ROLES
    for role, (lines, why_none) in filled.items():
        yield from (f"{role}: {line}" for line in lines)
        if not lines:
            yield f"{role}: none: {why_none}"


def _effects(record: Json, *, several: bool = False) -> Iterator[str]:
    """What a record says of its effects: of all, or of those that take several values."""
    for name, population in record["populations"].items():
        for one in population["identified"]:
            if one["endpoint"] == "effect" and (one["count"] > 1 or not several):
                where = f"family {record['family']}, population {name}"
                yield f"{endpoint_words(one)} over {where}: {identified_words(one)}"


def _ranking(record: Json) -> str:
    found = [one for p in record["populations"].values() for one in p["identified"] if one["endpoint"] == "ranking"]
    return "; ".join(map(identified_words, found))


def _unsettled_rankings(record: Json) -> Iterator[str]:
    for name, population in record["populations"].items():
        for one in population["identified"]:
            if one["endpoint"] == "ranking" and not one["point_identified"]:
                yield f"ranking over family {record['family']}, population {name}: {identified_words(one)}"


def _events(chain: Chain, kind: str, verdict: str) -> Iterator[str]:
    for event, receipt in zip(timeline(chain), chain.receipts, strict=True):
        if receipt.kind == kind and receipt.predicate.get("verdict", "") == verdict:
            yield f"{receipt.name}: {event.event}"


def _no_event(chain: Chain) -> str:
    passed = len(chain.of_kind("gate")) + sum(bool(run.predicate["gates"]) for run in chain.of_kind("run"))
    return f"every gate said GO, {passed} times" if passed else "no gate is declared"
