"""Scoring as a whole: what it needs, what it tells, and what it must not depend on."""

from pathlib import Path

import pytest

from multiverse.declaration import read_declaration
from multiverse.scoring import Scores, score
from multiverse.specification import union_family
from multiverse.starter import write_starter
from multiverse.substrate import read_substrate


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_starter(tmp_path)
    return tmp_path


def scored(folder: Path, *, threads: int | None = None, steps: list[str] | None = None) -> Scores:
    declaration = read_declaration(folder)
    specs = union_family("all", declaration.families).specs
    told = [] if steps is None else steps
    return score(declaration, read_substrate(declaration), specs, threads=threads, progress=told.append)


def test_every_specification_has_a_level_for_every_method(folder: Path) -> None:
    found = scored(folder)
    assert found.methods == ("brisk", "careful")
    assert {name: (p.rows, p.clusters) for name, p in found.populations.items()} == {
        "everything": (10, 10),
        "hard": (4, 4),
    }
    supports = {
        spec: tuple(level.support for level in levels)
        for spec, levels in found.populations["everything"].levels.items()
    }
    assert supports == {
        "V0/errors_wrong": (10, 10),
        "V1/errors_wrong": (8, 8),
        "V0/errors_dropped": (7, 10),
        "V1/errors_dropped": (5, 8),
    }


def test_a_margin_is_told_apart_that_mixes_two_supports(folder: Path) -> None:
    population = scored(folder).populations["everything"]
    assert population.shared_support("V0/errors_wrong", 0, 1)
    assert not population.shared_support("V0/errors_dropped", 0, 1)


def test_threads_do_not_matter_and_steps_are_told(folder: Path) -> None:
    steps: list[str] = []
    assert (
        scored(folder, threads=1, steps=steps).populations["hard"].levels
        == scored(folder, threads=2).populations["hard"].levels
    )
    assert steps == ["reading 1, scoring 1: 4 specifications"]
