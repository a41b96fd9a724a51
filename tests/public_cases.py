"""The 16 public scoring disputes of shared/cases.jsonl as studies, their values worked out by hand."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from plain import PlainStudy

WHY = "in published use"
ANSWERS: Mapping[str, tuple[str, float | None]] = {
    "C": ("answered", 1), "I": ("answered", 0), "E": ("error", None), "-": ("empty", None), "P": ("unparsed", None),
    "T": ("tie", None),
}  # fmt: skip
File = dict[str, Any]
Levels = Mapping[str, Fraction | None]  # by method


class Case(NamedTuple):
    """A dispute: the study that declares it, the specification of each of its options, and what these give."""

    study: PlainStudy
    specs: Mapping[str, str]  # by the option's name in cases.jsonl
    levels: Mapping[str, Levels]


def study(outcomes: Mapping[str, str], *, rows: list[File] | None = None, **files: object) -> PlainStudy:
    """A scores study of one letter an item and method: C correct, I incorrect, E error, - empty, P unparsed, T tie."""
    records = [
        {"row_id": f"q{i}", "method": method, "status": ANSWERS[letter][0], "score": ANSWERS[letter][1]}
        for method, letters in outcomes.items()
        for i, letter in enumerate(letters)
    ]
    return scored(records, rows=rows, **files)


def scored(outcomes: list[File], *, rows: list[File] | None = None, **files: object) -> PlainStudy:
    """A scores study of given outcomes; without rows those that the outcomes are of."""
    found: dict[str, Any] = {
        "study": {"study": "case", "substrate": {"kind": "scores"}},
        "dispositions": disposition(),
        "families": {"rationale": WHY, "families": {"all": {}}},
    }
    names = dict.fromkeys(record["row_id"] for record in outcomes)
    return PlainStudy(**found | files, rows=rows or [{"row_id": name} for name in names], outcomes=outcomes)


def disposition(**options: File) -> File:
    """Options that differ in what a state scores on a present item; an item that is not legal is excluded."""
    entries = [
        {"id": name, "legal_present": {"answered": "match", **states}, "legal_empty": "exclude"}
        for name, states in (options or {"as_is": {}}).items()
    ]
    return {"coordinate": "disposition", "rationale": WHY, "options": entries}


def options(coordinate: str, **declared: File) -> File:
    """A coordinate's file, its options by id."""
    return {"coordinate": coordinate, "options": [{"id": name, **option} for name, option in declared.items()]}


def by_column(**values: float | str) -> Case:
    """One item and one method whose score depends on a rule that is not ours: a score column for each rule."""
    outcome = {"row_id": "q0", "method": "m", **values}
    scorings = options("scoring", **{name: {"rule": "column", "column": name} for name in values})
    levels = {name: {"m": Fraction(str(value))} for name, value in values.items()}
    return Case(scored([outcome], scorings=scorings), {name: f"as_is/{name}" for name in values}, levels)


def one(**levels: str | int) -> dict[str, Levels]:
    """The levels of a single method."""
    return {name: {"m": Fraction(level)} for name, level in levels.items()}


def same(*names: str) -> dict[str, str]:
    """Specifications whose ids are the names of the options."""
    return {name: name for name in names}


def crashed_samples() -> Case:
    """4 of 5 against 6 of 10 with crashes dropped, 4 of 10 with crashes wrong."""
    case = study(
        {"A": "CCCCIEEEEE", "B": "CCCCCCIIII"}, dispositions=disposition(drop={"error": "exclude"}, wrong={"error": 0})
    )
    b = Fraction(6, 10)
    return Case(
        case, same("drop", "wrong"), {"drop": {"A": Fraction(4, 5), "B": b}, "wrong": {"A": Fraction(4, 10), "B": b}}
    )


def unparsed_judgements() -> Case:
    """Three of six items right, one wrong, two that the judge's reply does not tell."""
    states: dict[str, File] = {name: {"unparsed": 0} for name in ("incorrect", "drop", "noanswer_zero")}
    states["drop"] = {"unparsed": "exclude"}
    case = study({"m": "CPCPIC"}, dispositions=disposition(**states))
    return Case(case, same(*states), one(incorrect="3/6", drop="3/4", noanswer_zero="3/6"))


def pass_at_two() -> Case:
    """q1 passes with certainty; q2 has a single attempt, which failed."""
    outcomes = [
        {"row_id": row, "method": "m", "epoch": epoch, "score": score}
        for row, scores in {"q1": [1, 1, 0], "q2": [0]}.items()
        for epoch, score in enumerate(scores)
    ]
    rule = {"rule": "column", "column": "score", "at_least": 1, "repeats": {"pass_at": 2}}
    fewer = {"shortcut_one": 1, "drop": "exclude", "zero": 0}
    scorings = options("scoring", **{name: {**rule, "fewer": entry} for name, entry in fewer.items()})
    specs = {name: f"as_is/{name}" for name in fewer}
    return Case(scored(outcomes, scorings=scorings), specs, one(shortcut_one=1, drop=1, zero="1/2"))


def strict_or_flexible_extraction() -> Case:
    """Golds 4, 30, 5: no chat reply has '####', all end in the right number; two base replies are right either way."""
    found = {"chat": {"strict": (0, 0, 0), "flexible": (1, 1, 1)}, "base": {"strict": (1, 1, 0), "flexible": (1, 1, 0)}}
    outcomes = [
        {"row_id": f"q{i}", "method": name, **{rule: right[i] for rule, right in rules.items()}}
        for name, rules in found.items()
        for i in range(3)
    ]
    rules = {name: {"rule": "column", "column": name} for name in ("strict", "flexible")}
    case = scored(outcomes, scorings=options("scoring", **rules))
    base = Fraction(2, 3)
    levels = {"strict": {"chat": Fraction(0), "base": base}, "flexible": {"chat": Fraction(1), "base": base}}
    return Case(case, {name: f"as_is/{name}" for name in rules}, levels)


def micro_or_macro() -> Case:
    """8 + 0 and 6 + 2 of 10 + 2; 4/5 and 0, 3/5 and 1 by subject."""
    rows: list[File] = [{"row_id": f"q{i}", "subject": "big" if i < 10 else "small"} for i in range(12)]
    rules = options("aggregation", micro={"rule": "row_mean"}, macro={"rule": "group_mean", "by": "subject"})
    case = study({"M": "CCCCCCCCII" + "II", "K": "CCCCCCIIII" + "CC"}, rows=rows, aggregations=rules)
    two = Fraction(2, 3)
    levels = {"micro": {"M": two, "K": two}, "macro": {"M": Fraction(2, 5), "K": Fraction(4, 5)}}
    return Case(case, {"micro": "as_is/micro", "macro": "as_is/macro"}, levels)


def empty_generations() -> Case:
    """One right answer and three empty ones."""
    case = study({"m": "C---"}, dispositions=disposition(wrong={"empty": 0}, drop={"empty": "exclude"}))
    return Case(case, same("wrong", "drop"), one(wrong="1/4", drop=1))


def with_or_without_validation() -> Case:
    """1 of 2 test items, both validation items."""
    rows: list[File] = [
        {"row_id": f"q{i}", "split": split} for i, split in enumerate(["test", "test", "valid", "valid"])
    ]
    contracts = options("contract", test_only={"require": ["test"]}, test_plus_valid={"require": []})
    contracts |= {"rationale": WHY, "predicates": {"test": {"column": "split", "equals": "test"}}}
    case = study({"m": "CICC"}, rows=rows, contracts=contracts)
    return Case(
        case,
        {name: f"{name}/as_is" for name in ("test_only", "test_plus_valid")},
        one(test_only="1/2", test_plus_valid="3/4"),
    )


def items_that_the_gold_patch_fails() -> Case:
    """Kept, 2 and 1 of 3; without the third, 1 of 2 each."""
    rows: list[File] = [{"row_id": f"q{i}", "gold_ok": ok} for i, ok in enumerate([True, True, False])]
    contracts = options("contract", keep={"require": []}, exclude={"require": ["gold"]})
    contracts |= {"rationale": WHY, "predicates": {"gold": {"column": "gold_ok", "equals": True}}}
    case = study({"P": "CIC", "Q": "CII"}, rows=rows, contracts=contracts)
    half = Fraction(1, 2)
    levels = {"keep": {"P": Fraction(2, 3), "Q": Fraction(1, 3)}, "exclude": {"P": half, "Q": half}}
    return Case(case, {"keep": "keep/as_is", "exclude": "exclude/as_is"}, levels)


def missing_tasks() -> Case:
    """m has 0.9 and nothing, n 0.8 and 0.7."""
    outcomes = [
        {"row_id": row, "method": name, "score": score}
        for row, name, score in [("t1", "m", 0.9), ("t1", "n", 0.8), ("t2", "n", 0.7)]
    ]
    supports = {name: {"rule": "row_mean", "support": name} for name in ("own", "common", "complete")}
    families = {"dropped": {"disposition": ["drop"]}, "zero": {"disposition": ["zero"], "aggregation": ["own"]}}
    case = scored(
        outcomes,
        dispositions=disposition(drop={"missing": "exclude"}, zero={"missing": 0}),
        aggregations=options("aggregation", **supports),
        families={"rationale": WHY, "families": {**families, "all": {"union": ["dropped", "zero"]}}},
    )
    n, tenth = Fraction(3, 4), Fraction(1, 10)
    specs = {
        "skipna": "drop/own",
        "zero": "zero/own",
        "common_support": "drop/common",
        "exclude_model": "drop/complete",
    }
    levels: dict[str, Levels] = {
        "skipna": {"m": 9 * tenth, "n": n},
        "zero": {"m": 9 * tenth / 2, "n": n},
        "common_support": {"m": 9 * tenth, "n": 8 * tenth},
        "exclude_model": {"m": None, "n": n},
    }
    return Case(case, specs, levels)


SUMMARY = {"simple": (90, 100), "parallel": (2, 10), "irrelevance": (200, 400)}
CATEGORIES = [name for name, (_, n) in SUMMARY.items() for _ in range(n)]


def category_weights() -> Case:
    """(90 + 2 + 200) / 510 and 92 / 110; (9/10 + 1/5 + 1/2) / 3 and (9/10 + 1/5) / 2."""
    rows: list[File] = [{"row_id": f"q{i}", "category": name} for i, name in enumerate(CATEGORIES)]
    letters = "".join("C" * right + "I" * (n - right) for right, n in SUMMARY.values())
    contracts = options("contract", yes={"require": []}, no={"require": ["relevant"]})
    irrelevant = {"column": "category", "equals": "irrelevance"}
    contracts |= {"rationale": WHY, "predicates": {"relevant": {"not": irrelevant}}}
    rules = options("aggregation", weighted={"rule": "row_mean"}, unweighted={"rule": "group_mean", "by": "category"})
    case = study({"m": letters}, rows=rows, contracts=contracts, aggregations=rules)
    want = {"weighted/yes": "292/510", "weighted/no": "92/110", "unweighted/yes": "8/15", "unweighted/no": "11/20"}
    specs = {name: "/".join([name.split("/")[1], "as_is", name.split("/")[0]]) for name in want}
    return Case(case, specs, one(**want))


def answers_without_claims() -> Case:
    """0.8, 0.8 and an undefined one."""
    states: dict[str, File] = {"nan_drop": {"empty": "exclude"}, "zero": {"empty": 0}, "one": {"empty": 1}}
    outcomes = [{"row_id": f"q{i}", "method": "m", "status": "answered", "score": 0.8} for i in range(2)]
    outcomes.append({"row_id": "q2", "method": "m", "status": "empty", "score": None})
    return Case(
        scored(outcomes, dispositions=disposition(**states)),
        same(*states),
        one(nan_drop="4/5", zero="8/15", one="13/15"),
    )


def arena_verdicts() -> Case:
    """A>>B, A>B, A=B, B>A, B>A: 2 wins and a tie of 5, or of 7 where the first counts three times."""
    rows: list[File] = [{"row_id": f"q{i}", "strength": 3 if i == 0 else 1} for i in range(5)]
    case = study(
        {"m": "CCTII"},
        rows=rows,
        dispositions=disposition(half={"tie": 0.5}, drop={"tie": "exclude"}),
        aggregations=options(
            "aggregation", once={"rule": "row_mean"}, thrice={"rule": "row_mean", "weight": "strength"}
        ),
    )
    specs = {"1/half": "half/once", "3/half": "half/thrice", "1/drop": "drop/once", "3/drop": "drop/thrice"}
    return Case(case, specs, one(**{"1/half": "1/2", "3/half": "9/14", "1/drop": "1/2", "3/drop": "2/3"}))


def tie_tolerance() -> Case:
    """The seventeenth decimal decides, or is rounded away."""
    outcomes = [
        {"row_id": "d", "method": "a", "score": 0.30000000000000004},
        {"row_id": "d", "method": "b", "score": 0.3},
    ]
    rule = {"rule": "column", "column": "score"}
    case = scored(outcomes, scorings=options("scoring", exact=rule, decimals_4={**rule, "decimals": 4}))
    case.study["aggregation"] = {"rule": "row_mean", "of": "win_share"}  # type: ignore[index]
    half = Fraction(1, 2)
    levels = {"exact": {"a": Fraction(1), "b": Fraction(0)}, "decimals_4": {"a": half, "b": half}}
    return Case(case, {"exact": "as_is/exact", "decimals_4": "as_is/decimals_4"}, levels)


def length_normalised() -> Case:
    """The greatest log-likelihood for its length: -8 against -12; over 4 and 7 characters; over 8 and 7 bytes."""
    choices, loglik = ("\u00e3" * 4, "abcdefg"), (-8, -12)
    lengths = {
        "none": [1, 1], "chars": [len(text) for text in choices], "bytes": [len(text.encode()) for text in choices],
    }  # fmt: skip
    scores = {name: [Fraction(x, n) for x, n in zip(loglik, counts, strict=True)] for name, counts in lengths.items()}
    return by_column(**{name: int(first > second) for name, (first, second) in scores.items()})


CASES: Mapping[str, Case] = {
    "eco-01": crashed_samples(),
    "eco-04": unparsed_judgements(),
    "eco-07": pass_at_two(),
    "eco-10": strict_or_flexible_extraction(),
    "eco-13": length_normalised(),
    "eco-16": micro_or_macro(),
    "eco-19": empty_generations(),
    "eco-22": with_or_without_validation(),
    "eco-25": items_that_the_gold_patch_fails(),
    "eco-28": by_column(
        docid_desc="0.63093", docid_asc="1", rank_column="1", expected="0.815465"
    ),  # 1 / log2 3, at import
    "eco-31": by_column(keep=0.5, ignore_identical_ids=1.0),
    "eco-34": missing_tasks(),
    "eco-37": category_weights(),
    "eco-40": answers_without_claims(),
    "eco-43": arena_verdicts(),
    "eco-46": tie_tolerance(),
}
