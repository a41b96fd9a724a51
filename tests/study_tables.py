"""Hypothesis strategies for the tables of small valid studies, and for predicates on them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

from hypothesis import strategies as st

from plain_scores import grouped_objects, kept_predictions, prediction_state
from plain_study import TABLES, Keys, PlainStudy, Record, keys

Draw = st.DrawFn
File = dict[str, Any]

COLUMN_TYPES: dict[str, type] = {
    "adopted": bool, "lag": int, "weight": float, "label": str,  # of objects
    "flaky": bool, "difficulty": int, "hours": float, "split": str,  # of rows
    "final": bool, "turn": int, "epoch": int, "judge": str,  # of predictions and outcomes
}  # fmt: skip
OBJECT_COLUMNS = ("adopted", "lag", "weight", "label")
ROW_COLUMNS = ("flaky", "difficulty", "hours", "split")
RECORD_COLUMNS = ("final", "turn", "judge")
VALUES: dict[type, tuple[Any, ...]] = {
    bool: (True, False),
    int: (0, 1, 2, 5, -1),
    float: (0.1, 0.3, 0.30000000000000004, 1.0, 2.5),
    str: ("ADOPTED", "NOT_ADOPTED", "o'brien; --", 'say "so"', "ряд"),
}
WEIGHTS = ("1", "2", "0", "1/3", "0.5")
CATEGORY_WEIGHTS = {"math": 3, "law": 0, "o'dd; --": 1}  # columns of rows that aggregations read, and no predicate
ROW_NAMES = ("r'{}", 'r"{}', "r;{}--", "ряд {}", "line\n{}", "00{}", "r,{}", "r|{}", "r/{}")
METHOD_NAMES = (
    "pagerank", "earliest", "o'brien; DROP TABLE x", 'earliest "q"', "π-rank", "new\nline", "a", "a:b", "a|b", "007",
    "null", "é", "e\u0301",
)  # fmt: skip
LABELS = ("invalid", "timeout", "refused")
SCORES: dict[str, tuple[Any, ...]] = {
    "float": (0.0, 0.1, 0.3, 0.5, 0.7, 1.0, 0.3333333333333333),
    "integer": (0, 1),
    "text": ("0", "1", "0.1", "1/3", "2/6", "0.50"),
}


# Predicates


@st.composite
def leaf(draw: Draw, columns: Sequence[str]) -> File:
    """One test on one column, of the column's own type."""
    column = draw(st.sampled_from(columns))
    values = VALUES[COLUMN_TYPES[column]]
    numeric = COLUMN_TYPES[column] in (int, float)
    tests = ["equals", "equals", "in", "is_null", *(["at_least", "at_most", "above", "below"] if numeric else [])]
    test = draw(st.sampled_from(tests))
    if test == "is_null":
        return {"column": column, test: draw(st.booleans())}
    if test == "in":
        return {"column": column, test: draw(st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True))}
    return {"column": column, test: draw(st.sampled_from(values))}


@cache
def predicates(columns: tuple[str, ...]) -> st.SearchStrategy[File]:
    """Leaves and their combinations."""

    def combined(inner: st.SearchStrategy[File]) -> st.SearchStrategy[File]:
        several = st.lists(inner, min_size=1, max_size=3)
        return st.one_of(
            st.builds(lambda parts: {"all": parts}, several),
            st.builds(lambda parts: {"any": parts}, several),
            st.builds(lambda part: {"not": part}, inner),
        )

    return st.one_of(leaf(columns), st.recursive(leaf(columns), combined, max_leaves=4))


def subset(names: Sequence[Any], *, least: int = 0) -> st.SearchStrategy[list[Any]]:
    """Some of the names, in any order."""
    return st.lists(st.sampled_from(names), min_size=least, unique=True)


# Tables


@st.composite
def substrate(draw: Draw, kind: str) -> PlainStudy:
    """A study with rows and nothing else yet."""
    declared: File = {"kind": kind} | {name: f"{name}.parquet" for name in TABLES[kind]}
    renames = {"row": "trace", "cluster": "task", "stratum": "corpus"}
    chosen = draw(st.lists(st.sampled_from([*renames]), unique=True)) if draw(st.booleans()) else []
    columns = _key_columns({name: renames[name] for name in chosen})
    rows = draw(_rows(columns, with_cluster="cluster" in chosen, with_stratum="stratum" in chosen))
    if chosen:
        declared["keys"] = {name: renames[name] for name in chosen}
    study = {"study": "random", "title": "a random study", "substrate": declared}
    return PlainStudy(study=study, dispositions={}, families={}, rows=rows)


def _key_columns(renames: Mapping[str, str]) -> Keys:
    names = {"row": "row_id", "cluster": "cluster_id", "stratum": "stratum"}
    return Keys(**(names | dict(renames)))


@st.composite
def _rows(draw: Draw, columns: Keys, *, with_cluster: bool, with_stratum: bool) -> list[File]:
    """Up to twelve rows; a renamed key column is always there."""
    names: list[Any] = [*range(draw(st.sampled_from([4, 6, 8, 10, 12, 3, 2, 1])))]
    tasks: list[Any] = [0, 1, 2, 3] if draw(st.booleans()) else ["t0", "t1", "t'2", "t3"]
    if draw(st.booleans()):
        names = [draw(st.sampled_from(ROW_NAMES)).format(number) for number in names]
    rows = [{columns.row: name, **draw(_attributes(ROW_COLUMNS))} for name in names]
    for row in rows:
        category = draw(st.sampled_from(["math", "law", "o'dd; --"]))
        row |= {"category": category, "category_weight": CATEGORY_WEIGHTS[category]}
        row |= {"importance": draw(st.sampled_from(WEIGHTS)), "positive": draw(st.booleans())}
    if with_cluster or draw(st.booleans()):
        for row in rows:
            row[columns.cluster] = draw(st.sampled_from(tasks))
    if with_stratum or draw(st.booleans()):
        for row in rows:
            row[columns.stratum] = draw(st.sampled_from(["s0", "s1", "s 2"]))
    return rows


@cache
def _attributes(columns: tuple[str, ...]) -> st.SearchStrategy[File]:
    """A value or a null for every column."""
    return st.fixed_dictionaries({name: st.sampled_from((*VALUES[COLUMN_TYPES[name]], None)) for name in columns})


@st.composite
def _method_names(draw: Draw) -> list[str]:
    """One to four methods, seldom only one."""
    return draw(st.permutations(METHOD_NAMES))[: draw(st.sampled_from([2, 2, 3, 3, 4, 1]))]


@st.composite
def answers(draw: Draw, study: PlainStudy) -> dict[str, Any]:
    """The objects and the predictions, fit for every declared reading."""
    names = draw(_method_names())
    things = [0, 1, 2, 3, 4] if draw(st.booleans()) else ["e0", "e1", "o'e; --", "e,3", "ё 4"]
    objects = draw(_objects(study, things))
    predictions = draw(_predictions(replace(study, objects=objects), names, things))
    return {"objects": objects, "predictions": predictions}


@st.composite
def _objects(draw: Draw, study: PlainStudy, things: Sequence[Any]) -> list[File]:
    """Up to four groups a row, at least one in the table; things recur across groups, and in one group at times."""
    row = keys(study).row
    table: list[File] = []
    for record in study.rows:
        for group in range(draw(st.integers(0 if table else 1, 4))):
            for thing in draw(st.lists(st.sampled_from(things[:4]), min_size=1, max_size=3)):
                key = {row: record[row], "group_id": f"g{group}", "object_id": thing}
                table.append(key | draw(_attributes(OBJECT_COLUMNS)))
    return table


@st.composite
def _predictions(draw: Draw, study: PlainStudy, names: Sequence[str], things: Sequence[Any]) -> list[File]:
    """The predictions of every method, each with at least one record."""
    row = keys(study).row
    labels = draw(st.lists(st.sampled_from(LABELS), unique=True))
    groups = grouped_objects(study)
    table: list[File] = []
    for record, name in product(study.rows, names):
        sets = st.lists(st.sampled_from(things), min_size=1, max_size=3)
        own = [[thing for thing, _ in groups[group]] for group in groups if group[0] == record[row]]
        likely = sets | st.sampled_from(own) if own else sets
        found = draw(_pair_predictions(labels, likely, least=1 if record is study.rows[0] else 0))
        pair = {row: record[row], "method": name}
        table += [pair | prediction for prediction in _unmixed(found, study.readings)]
    if not labels and draw(st.booleans()):
        for prediction in table:
            del prediction["status"]
    return table


@st.composite
def _pair_predictions(
    draw: Draw, labels: Sequence[str], sets: st.SearchStrategy[list[Any]], *, least: int
) -> list[File]:
    """Some hypotheses, some non-answers, or a mix; at least so many records."""
    hypotheses = draw(st.sampled_from([1, 1, 1, 2, 3, 0, 0]))
    refusals = draw(st.sampled_from([0, 0, 0, 1, 2] if hypotheses else [1, 1, 2] if least else [0, 1, 1, 2]))
    kinds = [None, "empty", *labels, *labels]
    keyed: list[File] = [
        {"hypothesis_id": f"h{number}", "object_id": thing, "status": None}
        for number in range(hypotheses)
        for thing in draw(sets)
    ]
    for _ in range(refusals):
        keyed.append({"hypothesis_id": None, "object_id": None, "status": draw(st.sampled_from(kinds))})
    return [record | draw(_attributes(RECORD_COLUMNS)) for record in keyed]


def _unmixed(records: list[File], readings: Record | None) -> list[File]:
    """The records where each reading leaves them one state, else those that share the first one's state."""
    wheres = [{}] if readings is None else [option["where"] for option in readings["options"]]
    states = [{prediction_state(record) for record in kept_predictions(records, where)} for where in wheres]
    if all(len(state) <= 1 for state in states):
        return records
    return [record for record in records if prediction_state(record) == prediction_state(records[0])]


@st.composite
def outcomes(draw: Draw, study: PlainStudy, columns: Sequence[str]) -> dict[str, Any]:
    """The outcomes of every method, each with at least one record; repeats where there is an epoch column."""
    row = keys(study).row
    names = draw(_method_names())
    with_epoch = "epoch" in columns
    kinds = draw(st.fixed_dictionaries({name: st.sampled_from([*SCORES]) for name in ("score", "strict")}))
    statuses = draw(st.sampled_from([[], ["empty", "timeout"], ["empty", *LABELS]]))
    table: list[File] = []
    for record, name in product(study.rows, names):
        least = 1 if record is study.rows[0] else 0
        epochs = draw(st.lists(st.sampled_from([0, 1, 2, 10]), min_size=least, max_size=4, unique=True))
        for epoch in epochs if with_epoch else epochs[:1]:
            found = {row: record[row], "method": name, **draw(_attributes(RECORD_COLUMNS))}
            table.append(found | draw(_scored(kinds, statuses)) | ({"epoch": epoch} if with_epoch else {}))
    return {"outcomes": table}


@st.composite
def _scored(draw: Draw, kinds: Mapping[str, str], statuses: Sequence[str]) -> File:
    """The status and the scores of one outcome; no status column where no label is in use."""
    status = draw(st.sampled_from([None, "answered", "answered", *statuses]))
    nulls = () if status in (None, "answered") else (None, None)
    scores = {name: draw(st.sampled_from((*SCORES[kind], *nulls))) for name, kind in kinds.items()}
    return scores | ({"status": status} if statuses else {})
