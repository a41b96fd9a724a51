"""Legal families of every row, from rows and objects alone."""

from pathlib import Path

from multiverse.declaration import read_declaration
from multiverse.scoring import LegalFamilies, legal_families
from multiverse.substrate import read_references
from small import write_small

A0, A1 = (0, 0), (1, 0)


def families(folder: Path) -> LegalFamilies:
    declaration = read_declaration(folder)
    return legal_families(declaration, read_references(declaration), [A0, A1, A0])


def test_the_families_of_the_small_study(tmp_path: Path) -> None:
    """r1 loses one of two alternatives at A1, and r2 keeps its only one."""
    found = families(write_small(tmp_path))
    assert (found.present(A0).tolist(), found.present(A1).tolist()) == ([True, True], [True, True])
    assert found.same(A0, A1).tolist() == [False, True]
    assert found.same(A0, A0).tolist() == [True, True]


def test_a_row_without_objects_has_an_empty_family_and_may_be_in_a_population(tmp_path: Path) -> None:
    populations = "populations: {all: {}, first: {column: stratum, equals: s1}}\n"
    objects = "row_id,group_id,object_id,adopted\nr2,g,o,false\n"
    found = families(write_small(tmp_path, study=populations, objects=objects))
    assert (found.present(A0).tolist(), found.present(A1).tolist()) == ([False, True], [False, False])
    assert found.same(A0, A1).tolist() == [True, False]
    assert found.populations.tolist() == [[True, True], [True, False]]


def test_sixty_populations_and_more_are_kept_apart(tmp_path: Path) -> None:
    names = ", ".join(f"p{i}: {{column: stratum, equals: {'s1' if i % 3 else 's2'}}}" for i in range(130))
    found = families(write_small(tmp_path, study=f"populations: {{{names}}}\n"))
    assert found.populations.T.tolist() == [[i % 3 > 0, i % 3 == 0] for i in range(130)]


def test_objects_of_a_group_in_any_order_and_number_are_one_set(tmp_path: Path) -> None:
    """The alternatives that A1 deletes hold the objects of those that it keeps."""
    objects = "row_id,group_id,object_id,adopted\n"
    objects += "".join(f"r1,g,{o},true\n" for o in "pqr") + "".join(f"r1,h,{o},false\n" for o in "rqpqr")
    objects += "r2,g,p,true\nr2,h,p,true\nr2,h,q,false\n"
    assert families(write_small(tmp_path, objects=objects)).same(A0, A1).tolist() == [True, False]


def test_where_scores_are_given_a_row_is_legal_or_not(tmp_path: Path) -> None:
    found = families(write_small(tmp_path, "scores"))
    assert (found.present(A0).tolist(), found.present(A1).tolist()) == ([True, True], [True, False])
    assert found.same(A0, A1).tolist() == [True, False]
