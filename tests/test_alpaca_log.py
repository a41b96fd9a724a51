"""Annotations of AlpacaEval: draws are half a win, or not, and a judgement that failed is no loss."""

import json
from pathlib import Path

from importing import level, options, refusal, states, verdicts
from multiverse.importers import Imported, import_log


def annotation(instruction: str, preference: float | None, **more: object) -> dict[str, object]:
    told: dict[str, object] = {"instruction": instruction, "preference": preference, "generator_1": "base"}
    return told | {"generator_2": "m", "output_2": "x", "annotator": "judge"} | more


def write(path: Path, *annotations: dict[str, object]) -> Path:
    path.write_text(json.dumps(annotations))
    return path


def imported(tmp_path: Path, *sources: Path) -> Imported:
    return import_log("alpaca-eval", sources, tmp_path / "study")


def test_the_sample_has_every_preference_with_its_state(shared: Path, tmp_path: Path) -> None:
    """Wins 0.98 and 0.02, two draws (1.5 and 0), one judgement that failed."""
    found = imported(tmp_path, shared / "samples" / "alpaca_eval")
    assert states(found) == {"answered": 2, "draw": 2, "unscored": 1}
    assert level(found, "alpaca_eval/as_judged/weighted", "toy-1") == ("1/2", 4)
    assert level(found, "draw_zero/as_judged/weighted", "toy-1") == ("1/4", 4)
    assert level(found, "draw_dropped/as_judged/discrete", "toy-1") == ("1/2", 2)
    assert level(found, "unscored_zero/as_judged/discrete", "toy-1") == ("2/5", 5)
    assert level(found, "alpaca_eval/as_judged_without_empty_output/weighted", "toy-1") == ("33/50", 3)


def test_a_leaderboard_beside_the_annotations_reconciles(tmp_path: Path) -> None:
    source = write(tmp_path / "annotations.json", annotation("a", 2), annotation("b", 1.0), annotation("c", 2))
    (tmp_path / "leaderboard.csv").write_text(",win_rate,standard_error\nm,66.67,1\nother,1,1\n")
    assert verdicts(imported(tmp_path, source)) == [("m", "win_rate", "200/3", "rounded")]


def test_an_instruction_that_comes_twice_is_two_rows(tmp_path: Path) -> None:
    found = imported(tmp_path, write(tmp_path / "annotations.json", annotation("a", 2), annotation("a", 1)))
    assert found.log.rows["row_id"].to_list() == ["1", "2"]


def test_models_and_judges_make_one_study(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "n").mkdir()
    write(tmp_path / "m" / "annotations.json", annotation("a", 2), annotation("a", 1, annotator="other"))
    write(tmp_path / "n" / "annotations.json", annotation("a", 1, generator_2="n"), annotation("b", 2, generator_2="n"))
    found = imported(tmp_path, tmp_path / "m", tmp_path / "n")
    assert (options(found, "reading"), found.log.rows.height) == (["judge", "other"], 2)
    assert found.log.notes[0] == "models have different numbers of annotations: m 1, m 1, n 2"


def test_what_is_no_list_of_annotations_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": 1}')
    assert (
        refusal("alpaca-eval", tmp_path, tmp_path / "a.json")
        == "a.json: no list of annotations\n  expected a list of objects"
    )


def test_a_preference_that_is_no_number_is_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "a.json", annotation("a", 2), annotation("b", "2"))  # type: ignore[arg-type]
    assert refusal("alpaca-eval", tmp_path, source) == (
        "a.json: annotation 1 has the preference '2'\n  expected a number from 1 to 2, 0 of a draw, or null"
    )


def test_an_infinite_preference_is_no_judgement_and_one_beyond_2_is_scaled_back(tmp_path: Path) -> None:
    """The scores of 5 and 1 are 4 and 0: the win rate of their mean is 200 percent."""
    source = write(tmp_path / "annotations.json", annotation("a", 5), annotation("b", 1), annotation("c", float("inf")))
    (tmp_path / "leaderboard.csv").write_text(",win_rate\nm,200.0\n")
    found = imported(tmp_path, source)
    assert states(found) == {"answered": 2, "unscored": 1}
    assert verdicts(found) == [("m", "win_rate", "200", "equal")]
