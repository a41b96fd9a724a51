"""The worked trace of section 3, and what makes it move: terminal objects alone."""

import json

import polars as pl
from audits import DATA, SPECS, audited
from figures import POLICIES

import multiverse as mv

R0T0 = {"asym": ((1, 1), (0, 1)), "keep_both": ((1, 1), (1, 1)), "exclude_both": ((0, 1), (0, 1))}


def test_the_worked_trace_answers_as_in_the_paper() -> None:
    explained = mv.explain(SPECS / "elephant", "004ac8f1")
    named = {answer.method: [one.objects for one in answer.hypotheses] for answer in explained.answers}
    assert (named["pagerank"], named["earliest"]) == ([("e0047",)], [("e0013",)])
    terminal = pl.read_parquet(DATA / "elephant" / "objects.parquet").filter(row_id="004ac8f1")
    kinds = dict(terminal.select("object_id", "terminal").iter_rows())
    assert (kinds["e0047"], kinds["e0013"]) == (True, False)


def test_the_worked_trace_scores_as_in_the_paper() -> None:
    """Scores of PageRank and Earliest at R0T0, A=0 and then A=1, under all three policies."""
    scores = mv.explain(SPECS / "elephant", "004ac8f1").scores
    found = {}
    for treatment in R0T0:
        for policy in POLICIES:
            sides = [f"R0T0A{level}" for level in (0, 1)]
            found[treatment, policy] = tuple(
                tuple(
                    int(
                        scores.filter(contract=side, disposition=policy, terminal=treatment, method=method)[
                            "exact"
                        ].item()
                    )
                    for method in ("pagerank", "earliest")
                )
                for side in sides
            )
    assert found == {(treatment, policy): sides for treatment, sides in R0T0.items() for policy in POLICIES}


def test_asking_for_adoption_deletes_terminal_objects_alone() -> None:
    """So the nonterminal share is exactly 0 in every background and policy (section 6.2)."""
    for study in ("elephant", "matched"):
        objects = pl.read_parquet(DATA / study / "objects.parquet")
        if study == "matched":
            rows = pl.read_parquet(DATA / study / "rows.parquet").filter(stratum="elephant")
            objects = objects.join(rows, on="row_id", how="semi")
        status = set(objects.filter("localizable").select("terminal", "adoption").iter_rows())
        assert status == {(True, "NOT_APPLICABLE"), (False, "ADOPTED")}


def test_the_record_says_so_in_every_background() -> None:
    effects = audited("elephant", "cc").effects
    assert effects.filter(pl.col("background").is_not_null())["exact"].unique().to_list() == ["0"]
    assert len({json.dumps(json.loads(one)) for one in effects["background"].drop_nulls()}) == 4
