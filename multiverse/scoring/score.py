"""Every specification of a study evaluated on the same signatures: collapse first, evaluate after."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiverse.declaration import Declaration
from multiverse.errors import Fault, InputError
from multiverse.exact import Numerators, over_common_denominator
from multiverse.scoring.credit import (
    Credit,
    is_eligible,
    matched_credit,
    matched_outcomes,
    repeated_credit,
    repeated_outcomes,
)
from multiverse.scoring.engine import Arrays, Engine
from multiverse.scoring.legality import Judging, Legality, declared_judging, judge_groups
from multiverse.scoring.levels import (
    Bits,
    Counts,
    Level,
    SignatureScores,
    cluster_mean,
    cluster_totals,
    differing_supports,
    method_slices,
    row_mean,
    score_signatures,
    stratum_mean,
    stratum_totals,
)
from multiverse.scoring.outcomes import (
    Outcomes,
    add_absent_pairs,
    hypothesis_outcomes,
    kept_records,
    one_record_per_pair,
    read_values,
    score_outcomes,
)
from multiverse.scoring.repeats import least_kept
from multiverse.scoring.rows import RowGroups, RowLevels, RowScores, row_levels, row_signatures
from multiverse.scoring.signatures import (
    RowClasses,
    SignatureCounts,
    classify_rows,
    cluster_counts,
    cluster_patterns,
    count_signatures,
    mixed_rows,
)
from multiverse.scoring.states import conflicting_records, undeclared_states
from multiverse.scoring.told import StateCounts, state_counts
from multiverse.scoring.weighings import weighing
from multiverse.specification import Disposition, Scoring, Specification
from multiverse.substrate import Substrate
from multiverse.substrate.coding import ANSWERED

Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class PopulationScores:
    """Levels of every specification over one population, by specification id and method position."""

    rows: int
    clusters: int
    levels: Mapping[str, tuple[Level, ...]]
    differing: Mapping[str, Bits]  # (methods, methods): pairs whose eligible rows differ; absent where none do
    states: tuple[str, ...]  # the names of all states
    told: Mapping[int, StateCounts]  # rows by method and states, by position of the reading

    def shared_support(self, spec: str, a: int, b: int) -> bool:
        """Whether two methods have the same eligible rows, so that their margin does not mix two supports."""
        return spec not in self.differing or not self.differing[spec][a, b]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scores:
    """What scoring gives: exact levels, by population."""

    methods: tuple[str, ...]
    populations: Mapping[str, PopulationScores]
    rows: RowScores | None  # where they were asked for


class _Study(NamedTuple):
    """What every step of scoring needs."""

    engine: Engine
    declaration: Declaration
    substrate: Substrate
    legality: Legality
    classes: RowClasses


class _Results(NamedTuple):
    """Levels and differing supports as they are found, by population and specification."""

    levels: list[dict[str, tuple[Level, ...]]]
    differing: list[dict[str, Bits]]
    signatures: dict[tuple[int, int], NDArray[np.int32]]
    answered: dict[tuple[int, int], Bits]
    scores: dict[tuple[int, int, int], SignatureScores]
    told: dict[int, list[StateCounts]]  # by reading, by population


def score(
    declaration: Declaration,
    substrate: Substrate,
    specs: Sequence[Specification],
    *,
    judging: Judging | None = None,
    keep_rows: bool = False,
    threads: int | None = None,
    progress: Progress = lambda step: None,
) -> Scores:
    """Exact levels of every method under every specification, over every population.

    `judging`: how objects are judged where not as the contracts declare; `keep_rows`: keep the scores of single rows.

    Raises InputError where answers conflict under a reading, or a disposition in use does not declare a state found.
    """
    keep_rows = keep_rows or any(not _of_signatures(declaration, spec) for spec in specs)
    with Engine(threads=threads) as engine:
        engine.register("answers_in", substrate.answers)
        legality = judge_groups(engine, declaration, substrate, judging or declared_judging(declaration, specs))
        strata = any(option.rule == "stratum_mean" for option in declaration.coordinates.aggregation)
        classes = classify_rows(engine, declaration, substrate, legality, strata=strata)
        clusters = cluster_counts(engine, classes)
        study = _Study(engine, declaration, substrate, legality, classes)
        results = _evaluate(study, specs, progress, keep_rows=keep_rows)
        rows = _row_scores(study, results) if keep_rows else None
        if rows is not None:
            _levels_of_rows(rows, [spec for spec in specs if not _of_signatures(declaration, spec)], results)
    sizes = classes.populations.T.astype(np.int64) @ classes.sizes
    return Scores(
        methods=substrate.methods,
        populations={
            population.name: PopulationScores(
                rows=int(sizes[p]),
                clusters=clusters[p],
                levels=results.levels[p],
                differing=results.differing[p],
                states=substrate.states,
                told={reading: counts[p] for reading, counts in results.told.items()},
            )
            for p, population in enumerate(declaration.populations)
        },
        rows=rows,
    )


def _of_signatures(declaration: Declaration, spec: Specification) -> bool:
    return declaration.coordinates.aggregation[spec.aggregation].of_signatures


def _levels_of_rows(rows: RowScores, specs: Sequence[Specification], results: _Results) -> None:
    """Levels that need each row by itself; specifications that score all rows alike share them."""
    for p, (levels, differing) in enumerate(zip(results.levels, results.differing, strict=True)):
        known: dict[tuple[int, ...], RowLevels] = {}
        for spec in specs:
            pattern = rows.patterns[spec.contract, spec.terminal]
            key = (spec.reading, spec.scoring, spec.disposition, pattern, spec.aggregation)
            if key not in known:
                known[key] = row_levels(rows, spec, p)
            levels[spec.id] = known[key].levels
            differing.pop(spec.id, None)
            if known[key].differing.any():
                differing[spec.id] = known[key].differing


def _row_scores(study: _Study, results: _Results) -> RowScores:
    found = study.engine.arrays("SELECT c FROM classified ORDER BY r")
    frame = study.substrate.rows
    groups = RowGroups(
        cluster=frame["cluster"].to_numpy().astype(np.int64),
        stratum=frame["stratum"].fill_null(0).to_numpy().astype(np.int64),
        populations=study.classes.populations[found["c"]],
    )
    return RowScores(
        groups=groups,
        methods=study.substrate.methods,
        weighings=tuple(weighing(option, study.substrate) for option in study.declaration.coordinates.aggregation),
        row_class=found["c"].astype(np.int64),
        legal=study.classes.legal,
        patterns=study.legality.patterns,
        signatures=results.signatures,
        answered=results.answered,
        scores=results.scores,
    )


def _evaluate(study: _Study, specs: Sequence[Specification], progress: Progress, *, keep_rows: bool) -> _Results:
    """One pass over the answers for each reading and scoring in use."""
    count = len(study.declaration.populations)
    results = _Results([{} for _ in range(count)], [{} for _ in range(count)], {}, {}, {}, {})
    faults: list[Fault] = []
    for reading in sorted({spec.reading for spec in specs}):
        option = study.declaration.coordinates.reading[reading]
        kept = kept_records(study.engine, study.substrate, option)
        one_record = one_record_per_pair(study.engine, study.substrate, kept)
        if not one_record and study.substrate.kind == "hypotheses":
            faults.extend(conflicting_records(study.engine, study.substrate, kept, option))
        for scoring in sorted({spec.scoring for spec in specs if spec.reading == reading}):
            chosen = [spec for spec in specs if (spec.reading, spec.scoring) == (reading, scoring)]
            progress(f"reading {reading + 1}, scoring {scoring + 1}: {len(chosen)} specifications")
            outcomes = _outcomes(study, kept, study.declaration.coordinates.scoring[scoring], one_record=one_record)
            add_absent_pairs(study.engine, study.substrate, outcomes, option)
            dispositions = _dispositions(study, chosen)
            faults.extend(undeclared_states(study.engine, study.substrate, outcomes, dispositions.values()))
            if not faults:
                _evaluate_outcomes(study, outcomes, chosen, results, keep_rows=keep_rows)
    if faults:
        raise InputError(dict.fromkeys(faults))
    return results


def _outcomes(study: _Study, kept: str, scoring: Scoring, *, one_record: bool) -> Outcomes:
    if study.substrate.kind == "hypotheses":
        return hypothesis_outcomes(study.engine, study.legality, kept, scoring, one_record=one_record)
    return score_outcomes(study.engine, study.substrate, kept, scoring, one_record=one_record)


def _dispositions(study: _Study, specs: Iterable[Specification]) -> dict[int, Disposition]:
    positions = sorted({spec.disposition for spec in specs})
    return {position: study.declaration.coordinates.disposition[position] for position in positions}


def _evaluate_outcomes(
    study: _Study, outcomes: Outcomes, specs: Sequence[Specification], results: _Results, *, keep_rows: bool
) -> None:
    """Levels of all specifications that share a reading and a scoring."""
    found = count_signatures(study.engine, outcomes)
    if specs[0].reading not in results.told:  # every scoring finds the same states
        results.told[specs[0].reading] = state_counts(found, outcomes, study.classes)
    read = _read_outcomes(study, found, outcomes, specs[0].scoring)
    signatures = SignatureCounts(found["m"], found["c"], read.position, found["n"])
    rules = study.declaration.coordinates.aggregation
    least = least_kept(study.declaration.coordinates.scoring[specs[0].scoring])
    for position, disposition in _dispositions(study, specs).items():
        scored = _Scored(outcomes, signatures, read.credit(disposition))
        with_disposition = [spec for spec in specs if spec.disposition == position]
        chosen = [spec for spec in with_disposition if _of_signatures(study.declaration, spec)]
        by_cluster = [spec for spec in chosen if rules[spec.aggregation].rule == "cluster_mean"]
        by_row = [spec for spec in chosen if rules[spec.aggregation].rule != "cluster_mean"]
        if by_row:
            _levels_by_row(study, scored, by_row, results)
        if by_cluster:
            _levels_by_cluster(study, scored, by_cluster, results)
        if keep_rows:
            key = (specs[0].reading, specs[0].scoring)
            shape = (study.substrate.rows.height, len(study.substrate.methods))
            if key not in results.signatures:
                results.signatures[key] = row_signatures(study.engine, outcomes, shape)
                results.answered[key] = _answered(found)
            results.scores[*key, position] = score_signatures(signatures, study.classes, scored.credit, slice(None))
        if chosen and (_depends_on_state(disposition, study.substrate.states) or least > 1):
            _compare_supports(study, outcomes, disposition, chosen, results)


def _answered(found: Arrays) -> Bits:
    """Whether each counted signature is an answer to match; the scored repeats of an outcome are none."""
    states = found.get("state")
    return np.zeros(len(found["m"]), dtype=bool) if states is None else states == ANSWERED


class _Read(NamedTuple):
    """Outcomes read once: the position of each signature's, and what all of them score under a disposition."""

    position: Counts
    credit: Callable[[Disposition], Credit]


def _read_outcomes(study: _Study, found: Arrays, outcomes: Outcomes, scoring: int) -> _Read:
    states = study.substrate.states
    if study.substrate.kind == "hypotheses":
        matched, position = matched_outcomes(found, outcomes, study.legality.width)
        return _Read(position, lambda disposition: matched_credit(matched, disposition, states))
    option = study.declaration.coordinates.scoring[scoring]
    column = read_values(study.substrate.scores[option.column].values, option)
    values = over_common_denominator(column) if option.at_least is None else Numerators(np.array([0, 1]), 1)
    repeated, position = repeated_outcomes(found, outcomes)
    return _Read(position, lambda disposition: repeated_credit(repeated, disposition, states, option, values))


def _pattern(study: _Study, spec: Specification) -> int:
    return study.legality.patterns[spec.contract, spec.terminal]


class _Scored(NamedTuple):
    """Counted signatures and what they score under one disposition."""

    outcomes: Outcomes
    signatures: SignatureCounts
    credit: Credit


def _levels_by_row(study: _Study, scored: _Scored, specs: Sequence[Specification], results: _Results) -> None:
    rules, signatures = study.declaration.coordinates.aggregation, scored.signatures
    for rows in method_slices(signatures.method, len(study.substrate.methods)):
        scores = score_signatures(signatures, study.classes, scored.credit, rows)
        for p, levels in enumerate(results.levels):
            totals = stratum_totals(scores, signatures.rows[rows], signatures.row_class[rows], study.classes, p)
            for spec in specs:
                mean = stratum_mean if rules[spec.aggregation].rule == "stratum_mean" else row_mean
                level = mean(totals, _pattern(study, spec), scored.credit.denominator)
                levels[spec.id] = (*levels.get(spec.id, ()), level)


def _levels_by_cluster(study: _Study, scored: _Scored, specs: Sequence[Specification], results: _Results) -> None:
    scores = score_signatures(scored.signatures, study.classes, scored.credit, slice(None))
    for p, levels in enumerate(results.levels):
        patterns = cluster_patterns(study.engine, scored.outcomes, p)
        for chosen in method_slices(patterns.method, len(study.substrate.methods)):
            totals = cluster_totals(scores, patterns, chosen)
            for spec in specs:
                level = cluster_mean(totals, _pattern(study, spec), scored.credit.denominator)
                levels[spec.id] = (*levels.get(spec.id, ()), level)


def _depends_on_state(disposition: Disposition, states: Sequence[str]) -> bool:
    """Whether a method can have its own denominator: some states are excluded on a side, and some are not."""
    sides = (disposition.legal_present, disposition.legal_empty)
    return any(
        len({entries.entry(state) == "exclude" for state in states if entries.entry(state) is not None}) > 1
        for entries in sides
    )


def _compare_supports(
    study: _Study, outcomes: Outcomes, disposition: Disposition, specs: Sequence[Specification], results: _Results
) -> None:
    mixed = mixed_rows(study.engine, outcomes)
    if not len(mixed.row_class):
        return
    states, least = study.substrate.states, least_kept(study.declaration.coordinates.scoring[specs[0].scoring])
    present, empty = (
        np.array([is_eligible(entries, states, held, least) for held in mixed.states], dtype=bool)[mixed.told]
        for entries in (disposition.legal_present, disposition.legal_empty)
    )
    for p, differing in enumerate(results.differing):
        inside = study.classes.populations[mixed.row_class, p]
        for pattern in sorted({_pattern(study, spec) for spec in specs}):
            legal = study.classes.legal[mixed.row_class[inside], pattern]
            pairs = differing_supports(legal, present[inside], empty[inside])
            if pairs.any():
                differing |= {spec.id: pairs for spec in specs if _pattern(study, spec) == pattern}
