"""Rows that behave alike are one class, clusters with alike rows one pattern."""

import numpy as np
import pytest

from multiverse.declaration import Declaration, read_declaration
from multiverse.scoring.engine import Engine
from multiverse.scoring.legality import Legality, declared_judging, judge_groups
from multiverse.scoring.outcomes import kept_records, one_record_per_pair, score_outcomes
from multiverse.scoring.signatures import (
    RowClasses,
    classify_rows,
    cluster_counts,
    cluster_patterns,
    count_signatures,
    mixed_rows,
)
from multiverse.specification import union_family
from multiverse.starter import write_starter
from multiverse.substrate import Substrate, read_substrate


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Declaration, Substrate]:
    """The starter study, its rows in clusters q01-q04, q05-q08 and q09-q10."""
    folder = tmp_path_factory.mktemp("study")
    write_starter(folder)
    rows = (folder / "data/rows.csv").read_text().splitlines()
    clusters = ["cluster_id", *"aaaabbbbcc"]
    (folder / "data/rows.csv").write_text("".join(f"{r},{c}\n" for r, c in zip(rows, clusters, strict=True)))
    declaration = read_declaration(folder)
    return declaration, read_substrate(declaration)


def classified(engine: Engine, declaration: Declaration, substrate: Substrate) -> tuple[Legality, RowClasses]:
    engine.register("answers_in", substrate.answers)
    specs = union_family("all", declaration.families).specs
    legality = judge_groups(engine, declaration, substrate, declared_judging(declaration, specs))
    return legality, classify_rows(engine, declaration, substrate, legality, strata=False)


def test_a_class_is_a_family_and_the_populations_it_is_in(study: tuple[Declaration, Substrate]) -> None:
    """8 rows are verified; of level 3 and above are q07 to q10, of which q09 is not verified: 5, 3, 1 and 1 rows."""
    with Engine() as engine:
        legality, classes = classified(engine, *study)
        found = {
            (bool(verified), bool(hard)): int(size)
            for verified, (_, hard), size in zip(
                classes.legal[:, legality.patterns[1, 0]], classes.populations, classes.sizes, strict=True
            )
        }
        assert found == {(True, False): 5, (True, True): 3, (False, False): 1, (False, True): 1}
        assert classes.legal[:, legality.patterns[0, 0]].all()
        assert cluster_counts(engine, classes) == [3, 2]


def test_signatures_count_every_pair_and_clusters_hold_their_rows(study: tuple[Declaration, Substrate]) -> None:
    """Over `hard`, careful's clusters b (q07, q08) and c (q09, q10) hold two rows each: 0 and 1, 0 and 0."""
    declaration, substrate = study
    with Engine() as engine:
        _, classes = classified(engine, declaration, substrate)
        cluster_counts(engine, classes)
        kept = kept_records(engine, substrate, declaration.coordinates.reading[0])
        assert one_record_per_pair(engine, substrate, kept)
        outcomes = score_outcomes(engine, substrate, kept, declaration.coordinates.scoring[0], one_record=True)
        counted = count_signatures(engine, outcomes)
        assert np.bincount(counted["m"], counted["n"]).tolist() == [10, 10]
        hard = cluster_patterns(engine, outcomes, population=1)
        assert np.bincount(hard.method, hard.clusters).tolist() == [2, 2]
        assert np.diff([*hard.starts, len(hard.signatures)]).tolist() == [2] * len(hard.starts)
        mixed = mixed_rows(engine, outcomes)
        assert mixed.told.shape[1] == 2
        assert sorted(mixed.states) == [(0,), (3,)]
