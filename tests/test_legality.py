"""Legality by codes: words of bits, any number of predicates and cells."""

import random
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import multiverse as mv
from multiverse.scoring.legality import pack, unpack
from plain import PlainStudy, plain_record
from studies import write_study
from test_audit import levels_and_margins, plain_levels_and_margins

MANY = 130  # predicates: three words


def same_width(width: int) -> st.SearchStrategy[list[list[bool]]]:
    return st.lists(st.lists(st.booleans(), min_size=width, max_size=width), min_size=1)


@given(st.integers(1, 140).flatmap(same_width))
def test_bits_come_back_from_their_words(rows: list[list[bool]]) -> None:
    bits = np.array(rows, dtype=bool)
    words = pack(bits)
    assert words.min() >= 0
    assert np.array_equal(unpack(list(words.T), bits.shape[1]), bits)


def test_more_predicates_and_cells_than_a_word_has_bits(tmp_path: Path) -> None:
    """Each contract requires one predicate and the two after it; 130 contracts x 3 treatments are 390 cells."""
    draw = random.Random(5)
    names = [f"p{i}" for i in range(MANY)]
    objects = [
        {"row_id": f"r{r}", "group_id": f"g{g}", "object_id": f"o{o}", "special": draw.random() < 0.3}
        | {name: draw.random() < 0.7 for name in names}
        for r in range(12) for g in range(3) for o in range(g, g + draw.choice((1, 2)))
    ]  # fmt: skip
    predictions = [
        {"row_id": f"r{r}", "method": m, "hypothesis_id": f"h{h}", "object_id": f"o{draw.randrange(4)}"}
        for r in range(12) for m in "ab" for h in range(2)
    ]  # fmt: skip
    why = "every predicate is needed somewhere"
    study = PlainStudy(
        study={"study": "many", "substrate": {"kind": "hypotheses"}},
        dispositions={
            "coordinate": "disposition",
            "options": [
                {"id": "d", "rationale": why, "legal_present": {"answered": "match"}, "legal_empty": {"answered": 0.25}}
            ],
        },
        families={"rationale": why, "families": {"all": {}}},
        contracts={
            "coordinate": "contract",
            "rationale": why,
            "predicates": {name: {"column": name, "equals": True} for name in names},
            "options": [{"id": f"c{i}", "require": [names[(i + k) % MANY] for k in range(3)]} for i in range(MANY)],
        },
        terminals={
            "coordinate": "terminal",
            "rationale": why,
            "special": {"column": "special", "equals": True},
            "options": [
                {"id": "asym", "treatment": "as_declared"},
                {"id": "keep", "treatment": {"exempt": names[:65]}},
                {"id": "never", "treatment": "never_legal"},
            ],
        },
        rows=[{"row_id": f"r{r}"} for r in range(12)],
        objects=objects,
        predictions=predictions,
    )
    found = mv.audit(write_study(study, tmp_path), family="all")
    assert levels_and_margins(found) == plain_levels_and_margins(plain_record(study, "all"))
