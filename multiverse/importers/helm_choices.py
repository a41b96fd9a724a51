"""What a log of HELM leaves open: splits, metrics, perturbations, states, and the weight of scenarios."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from multiverse.importers.choices import DROPPED, EMPTY, Read, StateRule, aggregation_choice, dropped, unjudged, zeroed
from multiverse.importers.helm_files import Perturbation
from multiverse.importers.helm_runs import Scenario
from multiverse.importers.log import Choice, Option, Plain
from multiverse.importers.metrics import NO_METRIC, metric_policies, reading_of
from multiverse.importers.tasks import TASK, Policy, policy_predicate

SPLIT = "split"  # the column of rows
UNPERTURBED = "unperturbed"
_MOST_ALONE = 4  # perturbations: beyond, only groups of them are read
_MOST_READS = 40  # beyond, perturbed inputs are read by each scenario's first metric alone
_WORST = "worst_"
_EVERY = "all_inputs"
RULES = (
    zeroed("request_failed", "the request failed, and HELM scored an empty completion",
           "an answer that did not come is not right", "a failed request says nothing of ability"),
    zeroed("no_text", "the model gave no text", "nothing is not a right answer", "nothing was answered"),
    zeroed("unmapped", "the text is none of the letters of the choices, which HELM counts as wrong",
           "an answer in another form is not the answer asked for", "no choice was made, so none was judged"),
    zeroed("truncated", "the answer ran into max_tokens, and HELM scores it as it is: 0",
           "a cut answer is not right", "the token limit is the evaluator's, not the model's"),
    zeroed("prompt_truncated", "the prompt was cut to fit the context, and HELM scores the answer as it is: 0",
           "a model that cannot read the prompt cannot answer it", "the question asked was another one"),
    unjudged("unscored", "no stat of the metric, or one with count 0, which HELM leaves out of the mean"),
    StateRule(UNPERTURBED, "the perturbation left the input as it was, and HELM made no such instance",
              ((DROPPED, "there is no such input"),)),
    StateRule(NO_METRIC, "the run has no metric of its own, only counts and times", ((DROPPED, "nothing was judged"),)),
    dropped("missing", "no record of the instance for the model: HELM averages the scenarios that a model has",
            "an instance that was not run says nothing", "every model answers for every instance"),
    EMPTY,
)  # fmt: skip
REMARKS = {
    "request_failed": "the request failed, and HELM scored an empty completion",
    "no_text": "the model gave no text; HELM scores it as it is",
    "unmapped": "the text is none of the letters of the choices; HELM scores it as it is",
    "truncated": "the answer ran into max_tokens; HELM scores it as it is",
    "prompt_truncated": "the prompt was cut to fit the context; HELM scores the answer as it is",
}


class Worst(NamedTuple):
    """A worst case: the least score over the answer to the original input and those to some perturbed ones."""

    held: frozenset[Perturbation]
    single: bool  # of one perturbation, where it changed the input; of a kind, also where none of it did


class Views(NamedTuple):
    """The names under which the answers to perturbed inputs are read."""

    names: Mapping[Perturbation, str]
    worst: Mapping[str, Worst]
    alone: Sequence[Perturbation]  # that are read by themselves

    def in_scenario(self, name: str, scenario: Scenario) -> list[Perturbation]:
        """The perturbations of a scenario that a worst case is over."""
        return [one for one in scenario.perturbations if one in self.worst[name].held]


class MetricRead(NamedTuple):
    """A reading of the answers, the metric and the view that it is of."""

    read: Read
    policy: Policy
    view: str  # empty: the answers to the original inputs


def views_of(names: Mapping[Perturbation, str]) -> Views:
    """The worst case over all perturbations of a kind, as HELM has it, and over each where they are few."""
    kinds = {
        "robustness": frozenset(one for one in names if one.robustness),
        "fairness": frozenset(one for one in names if one.fairness),
    }
    alone = list(names) if len(names) <= _MOST_ALONE else []
    worst = {f"{_WORST}{names[one]}": Worst(frozenset({one}), single=True) for one in alone}
    return Views(
        names, {f"{_WORST}{kind}": Worst(held, single=False) for kind, held in kinds.items() if held} | worst, alone
    )


def variant(metric: str, view: str) -> str:
    """The name of a score: its metric, and the view where that is not the answer to the original input."""
    return f"{metric}:{view}" if view else metric


def variants_of(scenario: Scenario, views: Views) -> list[str]:
    """Every score of an answer: of the original input, of each perturbed one, and the worst of several."""
    own = [views.names[one] for one in scenario.perturbations]
    worst = [name for name in views.worst if views.in_scenario(name, scenario)]
    if not scenario.metrics:
        return [variant(NO_METRIC, view) for view in ("", *own)]
    return [variant(metric, view) for metric in scenario.metrics for view in ("", *own, *worst)]


def metric_reads(found: Mapping[str, Scenario], views: Views) -> list[MetricRead]:
    """Each metric of the answers to the original inputs, and in each view of the perturbed ones."""
    policies = metric_policies({task: scenario.metrics for task, scenario in found.items()})
    listed = ["", *views.worst, *(views.names[one] for one in views.alone), *([_EVERY] if views.names else [])]
    if len(policies) == len(listed) == 1 and len(set(policies[0].by_task.values())) == 1:
        return [MetricRead(Read("as_scored", {}, "every score that the log holds"), policies[0], "")]
    perturbed = policies if len(policies) * len(listed) <= _MOST_READS else policies[:1]
    return [_read(policy, "", found, views) for policy in policies] + [
        _read(policy, view, found, views) for policy in perturbed for view in listed[1:]
    ]


def _read(policy: Policy, view: str, found: Mapping[str, Scenario], views: Views) -> MetricRead:
    by_task = {task: _variants(policy.by_task[task], view, scenario, views) for task, scenario in found.items()}
    held = {task: variants_of(scenario, views) for task, scenario in found.items()}
    why = f"the metric {policy.id}{_view_words(view, views)}"
    return MetricRead(Read(variant(policy.id, view).replace("/", "_"), reading_of(by_task, held), why), policy, view)


def _variants(metric: str, view: str, scenario: Scenario, views: Views) -> list[str]:
    """What a view reads of a scenario: the original answers where it has no such perturbation."""
    own = [views.names[one] for one in scenario.perturbations]
    if metric == NO_METRIC or not own or not view:
        return [metric]
    if view == _EVERY:
        return [metric, *(variant(metric, name) for name in own)]
    there = bool(views.in_scenario(view, scenario)) if view in views.worst else view in own
    return [variant(metric, view) if there else metric]


def _view_words(view: str, views: Views) -> str:
    if view in views.worst:
        return f", the least score over the original input and {view.removeprefix(_WORST)}, as HELM takes the worst"
    if view == _EVERY:
        return ", of the original input and all perturbed ones alike"
    if view:
        return f", of inputs with {view} alone"
    return " of the original inputs" if views.names else ""


def split_policies(found: Mapping[str, Scenario]) -> list[Policy]:
    """Each scenario's own split; then each split, where a scenario has it."""
    return metric_policies({task: scenario.splits for task, scenario in found.items()})


def split_choice(found: Mapping[str, Scenario]) -> Choice | None:
    """Which split counts, where a scenario has several; the rows of others are legal under no contract but the last."""
    if all(len(scenario.splits) == 1 for scenario in found.values()):
        return None
    listed = split_policies(found)
    predicates: dict[str, Plain] = {one.id: policy_predicate(one, SPLIT, TASK) for one in listed}
    options = [
        Option(id=one.id, rationale=f"the split {one.id}", fields={"require": [one.id]}, harness=i == 0)
        for i, one in enumerate(listed)
    ]
    mixed = "the splits of a run are evaluated together, and a reader of its answers may take them together"
    options.append(Option(id="all_splits", rationale=mixed, fields={"require": []}))
    comment = "The split. Rows of another split are excluded: see legal_empty in dispositions.yaml."
    return Choice(coordinate="contract", comment=comment, options=tuple(options), beside={"predicates": predicates})


def scenario_weight(tasks: Sequence[str]) -> Choice | None:
    """What counts the same where there are several scenarios."""
    if len(tasks) == 1:
        return None
    rules = [
        ("stratum_mean", "every scenario counts the same, as in HELM's mean score"),
        ("row_mean", "every instance counts the same"),
    ]
    return aggregation_choice(rules, "What counts the same: a scenario or an instance.")
