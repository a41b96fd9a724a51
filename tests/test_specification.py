"""Families as products and unions, their order and containment, and the cells of an effect they hold."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiverse.errors import Place
from multiverse.specification import (
    COORDINATES,
    Aggregation,
    Background,
    Contract,
    CoordinateName,
    Coordinates,
    Disposition,
    Effect,
    EffectCells,
    Entries,
    Family,
    Reading,
    Scoring,
    Terminal,
    backgrounds,
    effect_cells,
    product_family,
    union_family,
)

HERE = Place(file="study.yaml", line=1, column=1)
NONE = Entries(by_state={})


def coordinates(**ids: str) -> Coordinates:
    """Coordinates whose option ids are single letters; those not given are not declared."""

    def contract(identity: str) -> Contract:
        return Contract(id=identity, require=())

    def disposition(identity: str) -> Disposition:
        return Disposition(id=identity, legal_present=NONE, legal_empty=NONE)

    return Coordinates(
        declared=tuple(name for name in COORDINATES if name in ids),
        contract=tuple(map(contract, ids.get("contract", [""]))),
        disposition=tuple(map(disposition, ids.get("disposition", [""]))),
        terminal=tuple(Terminal(id=x) for x in ids.get("terminal", [""])),
        reading=tuple(Reading(id=x) for x in ids.get("reading", [""])),
        scoring=tuple(Scoring(id=x) for x in ids.get("scoring", [""])),
        aggregation=tuple(Aggregation(id=x) for x in ids.get("aggregation", [""])),
    )


def ids(family: Family) -> list[str]:
    return [spec.id for spec in family.specs]


@pytest.mark.parametrize(
    ("declared", "chosen", "specs", "cells"),
    [
        ({"disposition": "d"}, {}, "d", "d"),
        ({"contract": "ab", "disposition": "d"}, {}, "a/d b/d", "d d"),
        ({"contract": "ba", "disposition": "ed"}, {}, "b/e b/d a/e a/d", "e d e d"),
        ({"contract": "ba", "disposition": "ed"}, {"contract": "ab"}, "b/e b/d a/e a/d", "e d e d"),  # as declared
        ({"contract": "ab", "disposition": "de"}, {"disposition": "e"}, "a/e b/e", "e e"),
        ({"disposition": "de", "aggregation": "rs"}, {}, "d/r d/s e/r e/s", "d/r d/s e/r e/s"),
        ({"contract": "ab", "disposition": "d"}, {"contract": ""}, "", ""),
        (
            {"aggregation": "6", "scoring": "5", "reading": "4", "terminal": "3", "disposition": "2", "contract": "1"},
            {},
            "1/2/3/4/5/6",
            "2/3/4/5/6",
        ),
    ],
)
def test_a_product_is_in_the_order_of_the_files_the_last_coordinate_fastest(
    declared: dict[str, str], chosen: Mapping[CoordinateName, str], specs: str, cells: str
) -> None:
    family = product_family(coordinates(**declared), "f", chosen)
    assert (family.name, ids(family), [s.cell for s in family.specs]) == ("f", specs.split(), cells.split())


def test_a_specification_holds_positions_among_all_options() -> None:
    chosen: dict[CoordinateName, str] = {"contract": "c", "terminal": "y"}
    family = product_family(coordinates(contract="abc", terminal="xy"), "f", chosen)
    assert [[getattr(spec, name) for name in COORDINATES] for spec in family.specs] == [[2, 0, 1, 0, 0, 0]]


def test_a_union_keeps_first_occurrences() -> None:
    made = coordinates(contract="abc", disposition="de")
    choices: list[Mapping[CoordinateName, str]] = [{"contract": "b"}, {"disposition": "e"}, {}]
    parts = [product_family(made, "", chosen) for chosen in choices]
    assert ids(union_family("u", parts)) == ["b/d", "b/e", "a/e", "c/e", "a/d", "c/d"]
    assert union_family("u", []) == Family(name="u", specs=())


LETTERS = dict(zip(COORDINATES, ["abc", "def", "ghi", "jkl", "mno", "pqr"], strict=True))


def declared_coordinates() -> st.SearchStrategy[Coordinates]:
    counts = st.dictionaries(st.sampled_from(COORDINATES), st.integers(1, 3), min_size=1)
    return counts.map(lambda sizes: coordinates(**{name: LETTERS[name][:size] for name, size in sizes.items()}))


def choices(made: Coordinates) -> st.SearchStrategy[Mapping[CoordinateName, list[str]]]:
    """Some options on some of the coordinates, in any order."""
    some = {name: st.lists(st.sampled_from(made.ids(name)), min_size=1, unique=True) for name in made.declared}
    return st.fixed_dictionaries({}, optional=some)


def families(made: Coordinates) -> st.SearchStrategy[Family]:
    return choices(made).map(lambda chosen: product_family(made, "p", chosen))


def plain_product(made: Coordinates, chosen: Mapping[CoordinateName, Sequence[str]]) -> list[str]:
    axes = [[x for x in made.ids(name) if x in chosen.get(name, made.ids(name))] for name in made.declared]
    return ["/".join(choice) for choice in product(*axes)]


@given(st.data())
def test_a_product_is_what_itertools_makes_of_the_chosen_options(data: st.DataObject) -> None:
    made = data.draw(declared_coordinates())
    chosen = data.draw(choices(made))
    family = product_family(made, "p", chosen)
    assert ids(family) == plain_product(made, chosen)
    assert len(set(ids(family))) == len(family.specs)
    for spec in family.specs:
        assert spec.id == "/".join(made.ids(name)[getattr(spec, name)] for name in made.declared)
        assert spec.cell == "/".join(
            made.ids(name)[getattr(spec, name)] for name in made.declared if name != "contract"
        )


@given(st.data())
def test_laws_of_union_and_containment(data: st.DataObject) -> None:
    made = data.draw(declared_coordinates())
    f, g, h = (data.draw(families(made)) for _ in range(3))
    both, whole = union_family("u", [f, g]), product_family(made, "all", {})
    assert set(ids(both)) == {*ids(f), *ids(g)}
    assert ids(both) == [*ids(f), *(x for x in ids(g) if x not in ids(f))]
    assert union_family("u", [both, h]).specs == union_family("u", [f, union_family("", [g, h])]).specs
    assert union_family("u", [f, f]).specs == f.specs
    assert all(outer.contains(inner) for outer, inner in [(both, f), (both, g), (whole, both), (f, f)])
    assert f.contains(g) == (set(ids(g)) <= set(ids(f)))
    assert f.contains(g) == (len(both.specs) == len(f.specs))


# Effects


def contracts(*levels: str) -> tuple[Contract, ...]:
    """Contracts by their levels: `A0B1` is level 0 of A and 1 of B, `-` none."""
    found = [tuple(zip(text[::2], text[1::2], strict=True)) if text != "-" else () for text in levels]
    return tuple(Contract(id=text, require=(), levels=pairs) for text, pairs in zip(levels, found, strict=True))


def effect(factor: str = "A", from_level: str = "0", to_level: str = "1") -> Effect:
    return Effect(id="e", pair=("a", "b"), factor=factor, from_level=from_level, to_level=to_level, place=HERE)


@pytest.mark.parametrize(
    ("declared", "asked", "found"),
    [
        ("A0 A1", effect(), [((), 0, 1)]),
        ("A1 A0", effect(), [((), 1, 0)]),
        ("A0 A1", effect(from_level="1", to_level="0"), [((), 1, 0)]),
        ("A0 A1 A2", effect(to_level="2"), [((), 0, 2)]),
        ("A0B0 A0B1 A1B0 A1B1", effect(), [((("B", "0"),), 0, 2), ((("B", "1"),), 1, 3)]),
        ("A0B0 A0B1 A1B0 A1B1", effect("B"), [((("A", "0"),), 0, 1), ((("A", "1"),), 2, 3)]),
        ("A0B0 A0B1 A1B1", effect(), [((("B", "1"),), 1, 2)]),  # B0 has one side only
        ("C0A0B0 B0C0A1", effect(), [((("C", "0"), ("B", "0")), 0, 1)]),  # levels in the first side's order
        ("A0 - A1 B0", effect(), [((), 0, 2)]),  # others take no part
        ("A0B0 A1", effect(), []),
        ("B0", effect(), []),
    ],
)
def test_backgrounds_are_the_levels_at_which_both_sides_are_declared(
    declared: str, asked: Effect, found: Iterable[tuple[tuple[tuple[str, str], ...], int, int]]
) -> None:
    wanted = [Background(levels=levels, from_contract=a, to_contract=b) for levels, a, b in found]
    assert list(backgrounds(contracts(*declared.split()), asked)) == wanted


def test_where_an_effect_is_written_is_no_part_of_it() -> None:
    moved = Effect(
        id="e", pair=("a", "b"), factor="A", from_level="0", to_level="1",
        place=Place(file="study.yaml", line=9, column=9), places={"factor": HERE},
    )  # fmt: skip
    assert (moved, hash(moved)) == (effect(), hash(effect()))


FACTORIAL = ("A0B0", "A0B1", "A1B0", "A1B1")


def cells_of(*specs: str) -> EffectCells:
    """The cells of A's effect in a family of `contract/cell` ids, contracts numbered as in the factorial."""
    made = coordinates(contract="0123", disposition="de")
    wanted = product_family(made, "", {}).specs
    positions = {f"{FACTORIAL[spec.contract]}/{spec.cell}": spec for spec in wanted}
    family = Family(name="f", specs=tuple(positions[spec] for spec in specs))
    return effect_cells(family, backgrounds(contracts(*FACTORIAL), effect()))


@pytest.mark.parametrize(
    ("specs", "whole", "partial"),
    [
        ([], (), ()),
        ([f"{contract}/d" for contract in FACTORIAL], ("d",), ()),
        (["A0B0/d", "A1B0/d"], (), ("d",)),  # one background of two
        (["A0B0/d", "A0B0/e"], (), ("d", "e")),
        (["A1B1/e", *(f"{contract}/d" for contract in FACTORIAL)], ("d",), ("e",)),
        ([f"{contract}/{cell}" for cell in "ed" for contract in FACTORIAL], ("e", "d"), ()),  # in the family's order
    ],
)
def test_a_cell_is_whole_when_both_sides_of_every_background_are_there(
    specs: list[str], whole: tuple[str, ...], partial: tuple[str, ...]
) -> None:
    assert cells_of(*specs) == EffectCells(whole=whole, partial=partial)


def test_an_effect_without_backgrounds_has_no_cells() -> None:
    family = product_family(coordinates(contract="ab"), "f", {})
    assert effect_cells(family, []) == EffectCells(whole=(), partial=())


def test_contracts_outside_every_background_do_not_matter() -> None:
    family = product_family(coordinates(contract="abc", disposition="d"), "f", {"contract": "c"})
    assert effect_cells(family, backgrounds(contracts("A0", "A1", "B0"), effect())) == EffectCells(whole=(), partial=())


@given(st.data())
def test_a_bigger_family_holds_no_fewer_whole_cells(data: st.DataObject) -> None:
    made = coordinates(contract="0123", disposition="de", terminal="xy")
    f, g = data.draw(families(made)), data.draw(families(made))
    found = backgrounds(contracts(*FACTORIAL), effect())
    small, large = effect_cells(f, found), effect_cells(union_family("u", [f, g]), found)
    assert set(small.whole) <= set(large.whole)
    assert set(small.partial) <= {*large.whole, *large.partial}
    assert not {*large.whole} & {*large.partial}
    needed = {spec.contract for spec in product_family(made, "", {}).specs}  # every contract is in some background
    assert all((cell in small.whole) == ({s.contract for s in f.specs if s.cell == cell} == needed) for cell in
               {spec.cell for spec in f.specs})  # fmt: skip
