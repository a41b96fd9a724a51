"""What the page computes with: the record and its tables, without a number lost."""

import json
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import multiverse as mv
from multiverse.report import page_data as module
from multiverse.report.page_data import controls, page_data, page_script, script_json
from multiverse.report.page_effects import factor_levels
from report_results import results_of
from small import write_small

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def quickstart() -> mv.Audit:
    return mv.audit(ROOT / "specs" / "quickstart", family="audit")


@pytest.fixture(scope="module")
def elephant() -> mv.Audit:
    """A study with resampling."""
    return mv.audit(ROOT / "specs" / "elephant", family="audit")


@pytest.mark.parametrize("name", ["quickstart", "elephant"])
def test_every_level_and_support_is_in_it(request: pytest.FixtureRequest, name: str) -> None:
    found: mv.Audit = request.getfixturevalue(name)
    data = page_data(results_of(found))
    specs = [
        "/".join(data["options"][axis][at]["id"] for axis, at in zip(data["coordinates"], choice, strict=True))
        for choice in data["specs"]
    ]
    told = []
    for one in data["populations"]:
        for spec, row, support in zip(specs, one["level_of"], one["support_of"], strict=True):
            numbers = zip(data["methods"], one["level_rows"][row], one["support_rows"][support], strict=True)
            told += [
                (one["name"], spec, method, None if at < 0 else one["values"][at], rows) for method, at, rows in numbers
            ]
    assert told == found.levels.select("population", "spec", "method", "exact", "support").rows()
    assert all(one["values"] == sorted(one["values"], key=Fraction) for one in data["populations"])


def test_families_come_from_the_smallest_to_the_reported_one(quickstart: mv.Audit) -> None:
    data = page_data(results_of(quickstart))
    assert [(one["name"], one["specs"]) for one in data["families"]] == [
        ("asym", list(range(12))),
        ("cc", list(range(12, 36))),
        ("audit", list(range(36))),
    ]


def test_options_are_those_that_the_family_takes() -> None:
    data = page_data(results_of(mv.audit(ROOT / "specs" / "quickstart", family="cc")))
    assert [option["id"] for option in data["options"]["terminal"]] == ["keep_both", "exclude_both"]
    assert [one["name"] for one in data["families"]] == ["cc"]


def test_an_effect_knows_the_specifications_of_its_sides(quickstart: mv.Audit) -> None:
    data = page_data(results_of(quickstart))
    effect = data["populations"][0]["effects"][0]
    described = {name: effect[name] for name in ("id", "a", "b", "factor", "from", "to", "contracts")}
    assert described == {
        **{"id": "adoption", "a": 2, "b": 0, "factor": "A", "from": "0", "to": "1"},
        "contracts": [0, 1, 2, 3],  # R0A0 and R0A1, R1A0 and R1A1
    }
    assert [(one["cell"], one["exact"]) for one in effect["cells"][:2]] == [
        ("baseline/asym", "-7/20"),
        ("conservative/asym", "-7/20"),
    ]
    assert effect["cells"][0]["specs"] == [[0, 3], [6, 9]]


def test_factors_are_those_of_the_contracts_taken(quickstart: mv.Audit) -> None:
    assert page_data(results_of(quickstart))["factors"] == [
        {"name": "R", "levels": ["0", "1"], "of": [0, 0, 1, 1]},
        {"name": "A", "levels": ["0", "1"], "of": [0, 1, 0, 1]},
    ]


def test_contracts_may_have_no_level_or_not_be_taken() -> None:
    declared = {"a": {"A": "x", "__proto__": "0"}, "b": {"A": "y", "__proto__": "0"}, "c": {}, "d": {"A": "z"}}
    factors = [json.dumps(levels) for levels in declared.values()]
    table = pl.DataFrame({"coordinate": ["contract"] * 4, "option": list(declared), "factors": factors})
    assert factor_levels(table, [{"id": name} for name in "cba"]) == [
        {"name": "A", "levels": ["y", "x"], "of": [-1, 0, 1]},
        {"name": "__proto__", "levels": ["0"], "of": [-1, 0, 0]},
    ]
    assert factor_levels(table, [{"id": "c"}]) == []


def test_an_effect_needs_contracts_that_the_family_has_not(shared: Path) -> None:
    found = mv.audit(shared / "conformance" / "scores_missing", family="part")
    data = page_data(results_of(found))
    effect = data["populations"][0]["effects"][0]
    assert [option["id"] for option in data["options"]["contract"]] == ["H0A0", "H0A1", "H1A1"]
    assert (effect["contracts"], effect["cells"]) == ([0, 1, -1, 2], [])


def test_intervals_are_those_of_the_margins(elephant: mv.Audit) -> None:
    data = page_data(results_of(elephant))
    pair = ("earliest", "pagerank")
    margins = elephant.margins.filter((pl.col("a") == pair[0]) & (pl.col("b") == pair[1]))
    key = ",".join(str(data["methods"].index(method)) for method in pair)
    found = data["populations"][0]["intervals"][key]
    assert found == [[round(low, 8), round(high, 8)] for low, high in margins.select("lower", "upper").rows()]
    assert data["level"] == 0.95


def test_intervals_of_effects_come_first_where_there_is_little_room(
    elephant: mv.Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_INTERVALS", 2 * 72 * len(elephant.record["populations"]))
    data = page_data(results_of(elephant))
    a, b = (data["methods"].index(method) for method in ("earliest", "pagerank"))
    pairs = [f"{a},{b}" for a, b in combinations(range(len(data["methods"])), 2)]
    own = [f"{a},{b}", "0,1"]
    assert (a, b) != (0, 1)
    for one in data["populations"]:
        assert list(one["intervals"]) == own
        assert one["no_intervals"] == [pair for pair in pairs if pair not in own]


def test_without_resampling_no_interval_is_left_out(quickstart: mv.Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_INTERVALS", 1)
    [found] = {
        json.dumps([one["intervals"], one["no_intervals"]]) for one in page_data(results_of(quickstart))["populations"]
    }
    assert found == "[{}, []]"


def test_an_undefined_level_has_no_position(tmp_path: Path) -> None:
    exclude = """\
        coordinate: disposition
        options:
          - {id: none, legal_present: exclude, legal_empty: exclude}
        """
    found = mv.audit(write_small(tmp_path, "scores", files={"dispositions": exclude}), family="audit")
    [one] = page_data(results_of(found))["populations"]
    assert (one["values"], one["level_rows"], one["support_rows"]) == ([], [[-1, -1]], [[0, 0]])


def test_the_same_audit_gives_the_same_text(elephant: mv.Audit) -> None:
    again = mv.audit(ROOT / "specs" / "elephant", family="audit")
    assert script_json(page_data(results_of(elephant))) == script_json(page_data(results_of(again)))


def test_controls_show_names_that_hide_nothing() -> None:
    effect = {"id": "e\n", "factor": "A", "from": "0", "to": "1"}
    data: Mapping[str, Any] = {
        "populations": [{"name": "p\u202e", "effects": [effect]}],
        "methods": ["<b>", "a\tb"],
        "families": [{"name": "f", "specs": list(range(1234))}],
        "coordinates": ["terminal"],
        "options": {"terminal": [{"id": "x\u2066"}]},
        "factors": [{"name": "R\n", "levels": ["0\u202e"], "of": [0]}],
    }
    assert controls(dict(data)) == {
        "populations": ["p\\u202e"],
        "methods": ["<b>", "a\\tb"],
        "effects": ["effect e\\n: A 0 to 1"],
        "families": ["f (1,234)"],
        "coordinates": [{"name": "terminal", "options": ["x\\u2066"]}],
        "factors": [{"name": "R\\n", "levels": ["0\\u202e"]}],
    }


def test_a_name_cannot_end_the_element_that_holds_it() -> None:
    hostile = {"</script><script>": "<!-- & \u2028 \u2029 'q' \"q\""}
    text = script_json(hostile)
    assert text == '{"\\u003c/script\\u003e\\u003cscript\\u003e":"\\u003c!-- \\u0026 \\u2028 \\u2029 \'q\' \\"q\\""}'
    assert json.loads(text) == hostile


def test_the_script_may_stand_in_a_script_element() -> None:
    script = page_script()
    assert "</script" not in script.lower()
    assert "<!--" not in script
    folder = ROOT / "multiverse" / "report" / "script"
    assert sorted(f"{name}.js" for name in module.SCRIPTS) == sorted(path.name for path in folder.iterdir())
