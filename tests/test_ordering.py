"""A record keeps populations and cells in the order of the alphabet; a report tells them as they were declared."""

from multiverse.report.ordering import in_declared_order


def test_populations_and_cells_are_in_the_order_declared() -> None:
    cells = {"cells": {"a/x": 1, "b/x": 2, "b/y": 3}}
    empty = {"decompositions": {}, "contrasts": {}, "stratum_contrasts": {"s": {"cells": {"x": 1, "y": 2}}}}
    record = {
        "specs": ["c/b/y", "c/b/x", "c/a/y", "c/a/x"],
        "populations": {"some": {"effects": {"e": cells}, **empty}, "all": {"effects": {}, **empty}},
    }
    found = in_declared_order(record, ["some", "all"])
    assert list(found["populations"]) == ["some", "all"]
    assert list(found["populations"]["some"]["effects"]["e"]["cells"]) == ["b/y", "b/x", "a/x"]
    assert list(found["populations"]["all"]["stratum_contrasts"]["s"]["cells"]) == ["y", "x"]
    assert found == record
