"""Several metrics of one answer: policies over tasks, the predicates that read them, and a scale for each."""

from fractions import Fraction

from multiverse.importers.metrics import in_scale, metric_policies, metric_scales, reading_of, scale_notes
from multiverse.importers.records import Scale


def test_each_task_takes_its_first_metric_and_then_all_take_one_where_they_have_it() -> None:
    found = metric_policies({"a": ["em", "f1"], "b": ["f1", "em"], "c": ["f1"], "d": []})
    assert [(one.id, dict(one.by_task)) for one in found] == [
        ("first_of_each", {"a": "em", "b": "f1", "c": "f1", "d": "no_metric"}),
        ("em+f1", {"a": "em", "b": "em", "c": "f1", "d": "no_metric"}),
        ("f1", {"a": "f1", "b": "f1", "c": "f1", "d": "no_metric"}),
    ]


def test_a_predicate_names_tasks_only_where_a_task_has_a_metric_that_it_does_not_take() -> None:
    held = {"a": ["em", "f1"], "b": ["f1"]}
    assert reading_of({"a": ["em"], "b": ["f1"]}, {"a": ["em"], "b": ["f1"]}) == {
        "column": "metric", "in": ["em", "f1"],
    }  # fmt: skip
    assert reading_of({"a": ["f1"], "b": ["f1"]}, held) == {"column": "metric", "equals": "f1"}
    assert reading_of({"a": ["em"], "b": ["f1"]}, held) == {
        "any": [
            {"all": [{"column": "metric", "equals": "em"}, {"column": "task", "equals": "a"}]},
            {"all": [{"column": "metric", "equals": "f1"}, {"column": "task", "equals": "b"}]},
        ]
    }


def test_each_metric_has_a_scale_of_its_own() -> None:
    scales = metric_scales([("em", 0.5), ("judge", 0.1), ("judge", 8), ("gain", -1), ("gain", None), ("gain", 1e400)])
    assert scales == {"em": Scale(), "judge": Scale(Fraction(0), Fraction(8)), "gain": Scale(Fraction(-1), Fraction(2))}
    assert [in_scale(value, scales["judge"]) for value in (0.1, 8, None)] == [Fraction(1, 80), 1, None]
    assert list(scale_notes(scales)) == [
        "scores go beyond [0, 1] and stand so: 'judge as x / 8', 'gain as (x + 1) / 2'; reported numbers are put back"
    ]
