"""Public scoring disputes as tiny studies: each number was argued over by people, in the issue named."""

from fractions import Fraction
from pathlib import Path

import multiverse as mv
from plain import PlainStudy
from studies import write_study

WHY = "in published use"
ANSWERS = {"C": ("answered", 1), "I": ("answered", 0), "E": ("error", None), "-": ("empty", None)}


def study(outcomes: dict[str, str], *, rows: list[dict[str, object]] | None = None, **files: object) -> PlainStudy:
    """A scores study of one letter an item and method: C correct, I incorrect, E error, - empty."""
    length = len(next(iter(outcomes.values())))
    return PlainStudy(
        study={"study": "case", "substrate": {"kind": "scores"}},
        families={"rationale": WHY, "families": {"all": {}}},
        rows=rows or [{"row_id": f"q{i}"} for i in range(length)],
        outcomes=[
            {"row_id": f"q{i}", "method": method, "status": ANSWERS[letter][0], "score": ANSWERS[letter][1]}
            for method, letters in outcomes.items()
            for i, letter in enumerate(letters)
        ],
        **{"dispositions": disposition(), **files},  # type: ignore[arg-type]
    )


def disposition(**options: dict[str, object]) -> dict[str, object]:
    """Options that differ in what a state scores on a present item; an item that is not legal is excluded."""
    declared = options or {"as_is": {}}
    entries = [
        {"id": name, "legal_present": {"answered": "match", **states}, "legal_empty": "exclude"}
        for name, states in declared.items()
    ]
    return {"coordinate": "disposition", "rationale": WHY, "options": entries}


def levels(found: mv.Audit) -> dict[str, dict[str, Fraction]]:
    """Exact levels by specification and method."""
    by_spec: dict[str, dict[str, Fraction]] = {}
    for record in found.levels.iter_rows(named=True):
        by_spec.setdefault(record["spec"], {})[record["method"]] = Fraction(record["exact"])
    return by_spec


def test_dropping_crashed_samples_flips_the_order(tmp_path: Path) -> None:
    """UKGovernmentBEIS/inspect_ai#3707, #2914: A 4/5 against B 6/10 with errors dropped, 4/10 with errors wrong."""
    case = study(
        {"A": "CCCCIEEEEE", "B": "CCCCCCIIII"},
        dispositions=disposition(drop={"error": "exclude"}, wrong={"error": 0}),
    )
    found = mv.audit(write_study(case, tmp_path), family="all")
    assert levels(found) == {
        "drop": {"A": Fraction(4, 5), "B": Fraction(3, 5)},
        "wrong": {"A": Fraction(2, 5), "B": Fraction(3, 5)},
    }
    assert found.record["populations"]["all"]["ranking"]["pairs"][0]["relation"] == "reversal"
    assert found.margins["shared_support"].to_list() == [False, True]


def test_an_average_over_documents_or_over_subjects(tmp_path: Path) -> None:
    """EleutherAI/lm-evaluation-harness#1525: micro ties M and K at 8/12, macro gives 4/10 and 8/10."""
    subjects = ["big"] * 10 + ["small"] * 2
    case = study(
        {"M": "CCCCCCCCIIII"[:10] + "II", "K": "CCCCCCIIII" + "CC"},
        rows=[{"row_id": f"q{i}", "stratum": subject} for i, subject in enumerate(subjects)],
        aggregations={
            "coordinate": "aggregation",
            "options": [{"id": "micro", "rule": "row_mean"}, {"id": "macro", "rule": "stratum_mean"}],
        },
    )
    found = mv.audit(write_study(case, tmp_path), family="all")
    assert levels(found) == {
        "as_is/micro": {"M": Fraction(2, 3), "K": Fraction(2, 3)},
        "as_is/macro": {"M": Fraction(2, 5), "K": Fraction(4, 5)},
    }
    assert found.record["populations"]["all"]["ranking"]["pairs"][0]["relation"] == "weak"


def test_an_empty_generation_looks_like_ability_when_it_is_dropped(tmp_path: Path) -> None:
    """EleutherAI/lm-evaluation-harness#2847: 1/4 or 1."""
    case = study({"m": "C---"}, dispositions=disposition(wrong={"empty": 0}, drop={"empty": "exclude"}))
    found = mv.audit(write_study(case, tmp_path), family="all")
    assert levels(found) == {"wrong": {"m": Fraction(1, 4)}, "drop": {"m": Fraction(1)}}


def test_items_that_the_gold_patch_fails(tmp_path: Path) -> None:
    """SWE-bench/sb-cli#20: kept, P leads 2/3 to 1/3; excluded, both have 1/2."""
    case = study(
        {"P": "CIC", "Q": "CII"},
        rows=[{"row_id": f"q{i}", "gold_ok": ok} for i, ok in enumerate([True, True, False])],
        contracts={
            "coordinate": "contract",
            "rationale": WHY,
            "predicates": {"gold": {"column": "gold_ok", "equals": True}},
            "options": [{"id": "keep", "require": []}, {"id": "exclude", "require": ["gold"]}],
        },
    )
    found = mv.audit(write_study(case, tmp_path), family="all")
    assert levels(found) == {
        "keep/as_is": {"P": Fraction(2, 3), "Q": Fraction(1, 3)},
        "exclude/as_is": {"P": Fraction(1, 2), "Q": Fraction(1, 2)},
    }


def test_a_reply_without_claims_is_dropped_or_zero_or_one(tmp_path: Path) -> None:
    """vibrantlabsai/ragas#794: faithfulness 0.8, 0.8 and an undefined one: 4/5, 8/15 or 13/15."""
    case = study(
        {"m": "CC-"}, dispositions=disposition(nan_drop={"empty": "exclude"}, zero={"empty": 0}, one={"empty": 1})
    )
    for record in case.outcomes or ():
        record["score"] = 0.8 if record["status"] == "answered" else None  # type: ignore[index]
    found = mv.audit(write_study(case, tmp_path), family="all")
    assert [level["m"] for level in levels(found).values()] == [Fraction(4, 5), Fraction(8, 15), Fraction(13, 15)]


def test_last_bits_of_a_float_are_not_a_tie(tmp_path: Path) -> None:
    """autogluon/tabarena#311: 0.30000000000000004 is above 0.3, by what its shortest decimal says."""
    case = study({"a": "C", "b": "C"})
    for record, score in zip(case.outcomes or (), [0.30000000000000004, 0.3], strict=True):
        record["score"] = score  # type: ignore[index]
    found = mv.audit(write_study(case, tmp_path), family="all")
    assert found.margins["exact"].to_list() == ["1/25000000000000000"]
    assert found.rankings["rank"].to_list() == [1, 2]


def test_errors_everywhere_leave_a_level_of_zero_or_none(tmp_path: Path) -> None:
    """No record has a score: 0 where errors are wrong, undefined where they are dropped."""
    case = study({"m": "EEE"}, dispositions=disposition(wrong={"error": 0}, drop={"error": "exclude"}))
    found = mv.audit(write_study(case, tmp_path), family="all")
    assert found.levels["exact"].to_list() == ["0", None]


def test_draws_are_the_same_from_text_and_from_whole_number_ids(tmp_path: Path) -> None:
    """Twelve rows are their own clusters; as text 10 and 11 come before 2, and so they do as numbers."""
    rows: list[dict[str, object]] = [{"row_id": i} for i in range(12)]
    case = study({"a": "CCICICCICICC", "b": "ICCCICICIICC"}, rows=rows)
    for record in case.outcomes or ():
        record["row_id"] = int(str(record["row_id"])[1:])  # type: ignore[index]
    case.study["resampling"] = {"draws": 60, "seed": 5}  # type: ignore[index]
    text = mv.audit(write_study(case, tmp_path / "csv", table_format="csv"), family="all")
    whole = mv.audit(write_study(case, tmp_path / "parquet", table_format="parquet"), family="all")
    assert text.record == whole.record
