"""What a score table leaves open: states, score columns, repeats, and how scores become a level."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from multiverse.importers.choices import (
    Column,
    Combining,
    StateRule,
    aggregation_choice,
    disposition_choice,
    dropped,
    scoring_choice,
)
from multiverse.importers.log import Choice, Option, Plain
from multiverse.importers.reducers import combining

_WHY = {
    "unscored": "no score, or NaN, and no status that says why",
    "missing": "no record of the row for the method",
}
_MEANS = (
    ("row_mean", "row_id", "every row counts the same"),
    ("cluster_mean", "cluster_id", "rows of one cluster count once together"),
    ("stratum_mean", "stratum", "every stratum counts the same"),
)


class Labels(NamedTuple):
    """The column that says which rows are positive, and those that pairs may stay within, by their own names."""

    column: str
    within: Mapping[str, str]  # by the name under which a study has them


def choices(
    rows: pl.DataFrame, outcomes: pl.DataFrame, scores: Sequence[str], labels: Labels | None
) -> tuple[Choice, ...]:
    """Every coordinate on which something is open."""
    states = dict(sorted(outcomes.group_by("status").len().iter_rows()))
    absent = rows.height * outcomes["method"].n_unique() - outcomes.select("row_id", "method").unique().height
    states |= {"missing": absent} if absent else {}
    repeats = int(outcomes.group_by("row_id", "method").len()["len"].max() or 0)  # type: ignore[arg-type]
    values = frozenset(v for name in scores for v in outcomes[name].unique() if v is not None)
    every = (
        disposition_choice("dropped", _rules(states, ranked=labels is not None), states),
        _scoring(scores, combining([], repeats, values).rules),
        _means(rows.columns) if labels is None else _aucs(labels),
    )
    return tuple(choice for choice in every if choice is not None)


def _rules(states: Iterable[str], *, ranked: bool) -> list[StateRule]:
    """A table has no harness: each state is left out or counts as 0, and to leave it out comes first."""
    named = [state for state in states if state != "answered"]
    return [
        dropped(
            state,
            _WHY.get(state, "a status of the table"),
            f"{state} says nothing of the answer",
            f"{state} ranks lowest, with the score 0" if ranked else f"{state} is no success",
        )
        for state in dict.fromkeys([*named, "missing"])
    ]


def _scoring(scores: Sequence[str], rules: Sequence[Combining]) -> Choice | None:
    columns = [Column(name, name, f"the column {name}") for name in scores]
    return scoring_choice(columns, rules, "The score column, and how the epochs of a row combine.")


def _means(columns: Sequence[str]) -> Choice | None:
    rules = [(rule, why) for rule, column, why in _MEANS if column in columns]
    return aggregation_choice(rules, "What counts the same: a row, a cluster or a stratum.")


def _aucs(labels: Labels) -> Choice:
    """The pair population of an AUC is a coordinate: any two rows, or two of one group."""
    fields: dict[str, Plain] = {"rule": "auc", "label": labels.column}
    options = [Option(id="global", rationale="any two rows are a pair", fields=fields, harness=True)]
    for column, name in labels.within.items():
        why = f"two rows of one {name} are a pair: what tells one {name} from another earns nothing"
        identity = f"within_{name}".replace("/", "_")
        options.append(Option(id=identity, rationale=why, fields=fields | {"within": column}))
    comment = (
        f"The share of pairs of a positive and a negative row, by {labels.column}, in which the positive one has the "
        "higher score, ties by half. It depends on the order of the scores alone."
    )
    return Choice(coordinate="aggregation", comment=comment, options=tuple(options))
