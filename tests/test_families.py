"""families.yaml: products, unions and their order, and everything that can be wrong with them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from declared import accepted, refused
from multiverse.declaration.families import FamilyFile, read_families
from multiverse.errors import Fault
from multiverse.specification import Coordinates
from multiverse.strict_yaml import Node
from test_specification import coordinates, ids

MADE = coordinates(contract="ab", disposition="de")


def read(node: Node, faults: list[Fault]) -> FamilyFile:
    return read_families(node, MADE, faults)


def families(text: str) -> dict[str, list[str]]:
    return {family.name: ids(family) for family in accepted(read, text).families}


def test_products_and_unions() -> None:
    text = """\
        license: that a beats b
        rationale: why
        families:
          late: {union: [both, one]}
          one: {contract: [b], disposition: all}
          both: {disposition: [e]}
          chosen: {disposition: [e, d], contract: [b, a]}
          all: {}
        """
    assert families(text) == {
        "late": ["a/e", "b/e", "b/d"],  # a union may stand before its parts, and keeps first occurrences
        "one": ["b/d", "b/e"],
        "both": ["a/e", "b/e"],
        "chosen": ["a/d", "a/e", "b/d", "b/e"],  # in the order of the files, not of the lists
        "all": ["a/d", "a/e", "b/d", "b/e"],
    }
    found = accepted(read, text)
    assert (found.license, found.unexplained) == ("that a beats b", ())


def test_families_without_a_rationale_are_named() -> None:
    text = "families: {f: {}, g: {rationale: why}, h: {union: [f]}, i: {union: [g], rationale: why}}"
    assert accepted(read, text).unexplained == ("f", "h")


@pytest.mark.parametrize("names", [range(52), range(51, -1, -1), [*range(20, 52), *range(20)]])
def test_unions_nest_fifty_deep_in_any_order(names: range | list[int]) -> None:
    """f0 is a product, f1 a union of it, and so on: f50 is 50 unions deep, f51 one too many."""
    parts = {0: "{}"} | {n: f"{{union: [f{n - 1}]}}" for n in range(1, 52)}
    families_of = "\n".join(f"f{n}: {parts[n]}" for n in names if n != 51)
    assert refused(read, "families:\n  " + families_of.replace("\n", "\n  ")) == []
    found = refused(read, "families:\n  " + "\n".join(f"f{n}: {parts[n]}" for n in names).replace("\n", "\n  "))
    assert [message.partition(": ")[2] for message in found] == [
        "unions nested too deeply\n  expected at most 50 within one another"
    ]


def test_a_union_is_resolved_once() -> None:
    """Each doubles what lies below it: 2^40 visits, were parts resolved anew."""
    lines = [f"  f{n}: {{union: [f{n - 1}, g{n - 1}]}}\n  g{n}: {{union: [g{n - 1}, f{n - 1}]}}" for n in range(1, 41)]
    found = families("families:\n  f0: {disposition: [d]}\n  g0: {disposition: [e]}\n" + "\n".join(lines))
    assert (found["f40"], found["g40"]) == (["a/d", "b/d", "a/e", "b/e"], ["a/e", "b/e", "a/d", "b/d"])


SAFE = "\n  expected letters, digits, '.', '_' and '-' only"
LIST = "\n  expected all, or a list of at least one option id"
PARTS = "\n  expected a list of at least one family"
LOOP = "\n  expected a union without one"


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        # the file
        ("^[]", ["the file is an empty list\n  expected a mapping"]),
        ("^license: x", ["the file has no key 'families'\n  expected it to be given"]),
        ("^families: {}", ["the file declares no family\n  expected at least one under families"]),
        ("families: ^[f]", ["families is a list of 1\n  expected a mapping"]),
        ("license: ^3\nfamilies: {f: {}}", ["license is the number 3\n  expected text: put it in quotes"]),
        (
            "families: {f: {}}\n^familys: {}",
            [
                "unknown key in the file 'familys'\n  expected one of 'families', 'license', 'rationale'\n"
                "  did you mean 'families'?"
            ],
        ),
        # names
        ("families: {^a/b: {}}", [f"the family name 'a/b'{SAFE}"]),
        ("families: {^..: {}}", [f"the family name '..'{SAFE}"]),
        (
            "families: {^^'': {}}",
            ["the name '' in families\n  expected a name in ASCII letters", f"the family name ''{SAFE}"],
        ),
        # products
        ("families: {f: ^null}", ["family f is null\n  expected a mapping"]),
        ("families: {f: ^all}", ["family f is the text 'all'\n  expected a mapping"]),
        ("families: {f: {disposition: ^[]}}", [f"disposition is an empty list{LIST}"]),
        ("families: {f: {disposition: ^null}}", [f"disposition is null{LIST}"]),
        ("families: {f: {disposition: ^d}}", [f"disposition is the text 'd'{LIST}"]),
        ("families: {f: {disposition: ^{d: e}}}", [f"disposition is a mapping{LIST}"]),
        ("families: {f: {contract: [^1]}}", ["an item of contract is the number 1\n  expected text: put it in quotes"]),
        ("families: {f: {contract: [a, b, ^a]}}", ["contract lists 'a' twice\n  expected it once"]),
        (
            "families: {f: {contract: [a, ^A], disposition: [^all]}}",
            [
                "unknown contract option 'A'\n  expected one of 'a', 'b'",
                "unknown disposition option 'all'\n  expected one of 'd', 'e'",
            ],
        ),
        (
            "families: {f: {^terminal: all}}",
            [
                "family f chooses on the coordinate terminal, which the study does not declare\n"
                "  expected terminals.yaml in the study's folder, or no key terminal"
            ],
        ),
        (
            "families: {f: {^contracts: all}}",
            [
                "unknown key in family f 'contracts'\n"
                "  expected one of 'contract', 'disposition', 'rationale', 'union'\n"
                "  did you mean 'contract'?"
            ],
        ),
        # unions
        ("families: {f: {union: ^[]}}", [f"union is an empty list{PARTS}"]),
        ("families: {f: {union: ^g}, g: {}}", [f"union is the text 'g'{PARTS}"]),
        ("families: {f: {union: [g, ^g]}, g: {}}", ["union lists 'g' twice\n  expected it once"]),
        (
            "families: {f: {union: [^strct]}, strict: {}}",
            ["unknown family 'strct'\n  expected one of 'f', 'strict'\n  did you mean 'strict'?"],
        ),
        (
            "families: {f: {union: [g], ^contract: [a]}, g: {}}",
            ["unknown key in family f 'contract'\n  expected one of 'rationale', 'union'"],
        ),
        ("families: {f: {union: [^f]}}", [f"the union goes in a loop: f -> f{LOOP}"]),
        ("families: {f: {union: [g]}, g: {union: [^f]}}", [f"the union goes in a loop: f -> g -> f{LOOP}"]),
        (
            "families: {f: {union: [g]}, g: {union: [h, ^g, x]}, h: {union: [^g]}, x: {}}",
            [f"the union goes in a loop: g -> g{LOOP}", f"the union goes in a loop: g -> h -> g{LOOP}"],
        ),
        # every fault at once
        (
            "families:\n  f: {contract: [^x]}\n  g: {union: [^h]}\n  i: ^[]\n",
            [
                "unknown contract option 'x'\n  expected one of 'a', 'b'",
                "unknown family 'h'\n  expected one of 'f', 'g', 'i'",
                "family i is an empty list\n  expected a mapping",
            ],
        ),
    ],
)
def test_what_is_wrong_with_families(text: str, messages: list[str]) -> None:
    assert refused(read, text) == messages


@pytest.mark.parametrize(
    "unread", [coordinates(contract="ab", disposition=""), replace(coordinates(), declared=("disposition",))]
)
def test_options_are_not_judged_where_their_file_could_not_be_read(unread: Coordinates) -> None:
    """There is none, or one without an id stands for them."""
    text = "families: {f: {disposition: [x]}}"
    assert refused(lambda node, faults: read_families(node, unread, faults), text) == []


def test_a_family_has_a_limit() -> None:
    """1,001 x 1,000 specifications are more than a million."""
    large = coordinates(
        contract="".join(map(chr, range(20000, 21001))), disposition="".join(map(chr, range(5000, 6000)))
    )
    text = "families: {f: ^{}, g: {contract: ['" + chr(20000) + "']}}"
    assert refused(lambda node, faults: read_families(node, large, faults), text) == [
        "family f holds 1001000 specifications\n  expected at most 1000000"
    ]


@given(st.data())
def test_a_union_of_unions_is_the_union_of_their_products(data: st.DataObject) -> None:
    """Whatever is united how often, a family is the first occurrences of what its products hold."""
    products = {f"p{n}": data.draw(st.lists(st.sampled_from("ab"), min_size=1, unique=True)) for n in range(3)}
    unions: dict[str, list[str]] = {}
    for n in range(4):
        names = st.sampled_from([*products, *unions])
        unions[f"u{n}"] = data.draw(st.lists(names, min_size=1, max_size=3, unique=True))
    lines = [f"{name}: {{contract: {chosen}}}" for name, chosen in products.items()]
    lines += [f"{name}: {{union: {parts}}}" for name, parts in unions.items()]
    found = families("families:\n" + "\n".join(f"  {line}" for line in data.draw(st.permutations(lines))))

    def held(name: str) -> list[str]:
        if name in products:
            return [f"{contract}/{other}" for contract in "ab" if contract in products[name] for other in "de"]
        return list(dict.fromkeys(spec for part in unions[name] for spec in held(part)))

    assert found == {name: held(name) for name in found}
