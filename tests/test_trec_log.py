"""Qrels and runs: every topic has its state, and each tool's rule is a specification."""

import gzip
from fractions import Fraction
from pathlib import Path

import ir_measures
import pytest
from ir_measures import AP, RR, P, nDCG

from commands import run
from importing import level, options, refusal, states, verdicts
from multiverse.errors import InputError
from multiverse.importers import Imported, import_log
from multiverse.importers.trec_measures import Measure
from plain_trec import Line, write_qrels, write_run

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
LINES = [Line("1", "a", 1, 2.0), Line("1", "b", 2, 1.0), Line("2", "a", 1, 1.0)]


def imported(tmp_path: Path, *sources: Path, measures: tuple[str, ...] = ()) -> Imported:
    return import_log("trec", sources, tmp_path / "study", mapping={"measure": measures} if measures else {})


def small(tmp_path: Path) -> tuple[Path, Path]:
    return write_qrels(tmp_path / "qrels", QRELS), write_run(tmp_path / "run", LINES)


def test_each_published_number_of_the_sample_is_a_specification(shared: Path, tmp_path: Path) -> None:
    """One file pair, and an nDCG@10 of 0.348 by ir_measures, 0.464 by pytrec_eval and 0.440 by ranx."""
    found = imported(tmp_path, shared / "samples" / "trec")
    numbers = {
        "ir_measures/docid_ties/ndcg@10": (0.348, 4),
        "missing_dropped/docid_ties/ndcg@10": (0.464, 3),  # the mean over topics that both have
        "ir_measures/file_ties/ndcg@10": (0.440, 4),  # a stable sort
    }
    for spec, (value, support) in numbers.items():
        exact, rows = level(found, spec, "sys")
        numerator, denominator = map(int, str(exact).split("/"))
        assert (round(numerator / denominator, 3), rows) == (value, support)


def test_the_sample_by_hand_and_by_ir_measures_itself(shared: Path, tmp_path: Path) -> None:
    """Topic q1 ties B, relevant, with C: by document id C is first, in the file B; q2 finds both, at ranks 1 and 3."""
    folder = shared / "samples" / "trec"
    found = imported(tmp_path, folder, measures=("nDCG@10", "AP", "RR", "P@1"))
    by_hand = {
        "map": ("1/3", "11/24"),
        "rr": ("3/8", "1/2"),
        "p@1": ("1/4", "1/2"),
    }  # (1/2 + (1 + 2/3)/2)/4, (1/2 + 1)/4, 1/4; q1 with B first: 1, 1, 1
    for name, (docid, in_file) in by_hand.items():
        assert level(found, f"ir_measures/docid_ties/{name}", "sys") == (docid, 4)
        assert level(found, f"ir_measures/file_ties/{name}", "sys") == (in_file, 4)
    qrels = ir_measures.read_trec_qrels(str(folder / "qrels.txt"))  # type: ignore[no-untyped-call]
    run = ir_measures.read_trec_run(str(folder / "run_tied.txt"))  # type: ignore[no-untyped-call]
    own = ir_measures.calc_aggregate([nDCG @ 10, AP, RR, P @ 1], list(qrels), list(run))
    told = {"ndcg@10": nDCG @ 10, "map": AP, "rr": RR, "p@1": P @ 1}
    version = f"ir_measures {ir_measures.__version__}"
    values = {one.headline.name: one.headline.value for one in found.reconciled}
    assert values == {f"{version} {name}": own[one] for name, one in told.items()}
    assert [verdict for *_, verdict in verdicts(found)] == ["equal"] * 4


def test_the_sample_has_every_topic_with_its_state(shared: Path, tmp_path: Path) -> None:
    """q3 was not run, q4 has nothing relevant, q9 no judgement."""
    found = imported(tmp_path, shared / "samples" / "trec", measures=("ndcg@10",))
    assert options(found, "reading") == ["docid_ties", "docid_ties.condensed", "file_ties", "file_ties.condensed"]
    assert options(found, "scoring") == ["ndcg@10", "ndcg@10.exp"]
    rows = found.log.rows.select("row_id", "judged", "relevant", "relevant_2").rows()
    assert rows == [("q1", 3, 1, 0), ("q2", 2, 2, 1), ("q3", 1, 1, 0), ("q4", 1, 0, 0), ("q9", 0, 0, 0)]
    first = found.log.outcomes.filter(ranking="docid_ties").select("row_id", "status", "retrieved").rows()
    assert first == [
        ("q1", "answered", 2), ("q2", "answered", 3), ("q4", "no_relevant", 1), ("q9", "unjudged", 1),
    ]  # fmt: skip
    dispositions = options(found, "disposition")
    assert (len(dispositions), dispositions[0]) == (8, "ir_measures")
    assert level(found, "missing_dropped+no_relevant_dropped/docid_ties/ndcg@10", "sys")[1] == 2
    assert level(found, "unjudged_zero/docid_ties/ndcg@10", "sys")[1] == 5
    assert found.log.choices[1].comment == (
        "The ranking that is measured: the order of the documents, and which of them are in it.\n"
        "rank_column is no option: it gives the numbers of file_ties everywhere."
    )


def test_what_makes_no_difference_is_not_open(tmp_path: Path) -> None:
    found = imported(tmp_path, *small(tmp_path))
    assert [choice.coordinate for choice in found.log.choices] == ["disposition", "scoring"]
    assert options(found, "disposition") == ["ir_measures"]
    assert options(found, "scoring") == ["ndcg@10", "map", "rr", "p@10", "recall@100"]
    assert [family.name for family in found.audit.declaration.families] == [
        "audit", "harness", "reported", "ndcg_10", "map", "rr", "p_10", "recall_100",
    ]  # fmt: skip
    assert found.log.notes == ()


def test_a_topic_that_one_run_alone_has_is_unjudged_for_all(tmp_path: Path) -> None:
    """Otherwise it would be missing in the other run and count as 0 there, though nobody can have it right."""
    qrels, run = small(tmp_path)
    other = write_run(tmp_path / "other", [*LINES, Line("9", "a", 1, 1.0)], "other")
    found = imported(tmp_path, qrels, run, other, measures=("p@1",))
    assert [level(found, "ir_measures/p@1", method) for method in ("sys", "other")] == [("1", 2), ("1", 2)]
    assert [level(found, "unjudged_zero/p@1", method) for method in ("sys", "other")] == [("2/3", 3), ("2/3", 3)]
    unjudged = found.log.outcomes.filter(row_id="9").select("method", "status", "retrieved").rows()
    assert unjudged == [("sys", "unjudged", 0), ("other", "unjudged", 1)]


def test_a_topic_without_relevant_documents_is_left_out_for_all_or_none(tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path / "qrels", QRELS | {"3": {"a": 0}})
    run = write_run(tmp_path / "run", LINES)
    other = write_run(tmp_path / "other", [*LINES, Line("3", "a", 1, 1.0)], "other")
    found = imported(tmp_path, qrels, run, other, measures=("p@1",))
    assert states(found) == {"answered": 4, "no_relevant": 2}
    assert [level(found, "no_relevant_dropped/p@1", method)[1] for method in ("sys", "other")] == [2, 2]


def test_ranks_that_contradict_scores_and_documents_with_the_id_of_their_topic_are_open(tmp_path: Path) -> None:
    lines = [Line("1", "1", 1, 3.0), Line("1", "b", 3, 2.0), Line("1", "a", 2, 1.0)]
    sources = write_qrels(tmp_path / "qrels", {"1": {"a": 1, "b": 0, "1": 0}}), write_run(tmp_path / "run", lines)
    found = imported(tmp_path, *sources, measures=("rr",))
    assert {name: level(found, f"ir_measures/{name}/rr", "sys")[0] for name in options(found, "reading")} == {
        "docid_ties": "1/3", "docid_ties.no_self": "1/2", "rank_column": "1/2", "rank_column.no_self": "1",
    }  # fmt: skip
    assert found.log.notes == ("sys: the rank column contradicts the scores on 1 topic; trec_eval reads scores",)


def test_a_rank_column_that_ranks_nothing_is_no_option(tmp_path: Path) -> None:
    lines = [line._replace(rank=0, score=1.0) for line in LINES]
    found = imported(tmp_path, write_qrels(tmp_path / "qrels", QRELS), write_run(tmp_path / "run", lines))
    assert options(found, "reading") == ["docid_ties", "file_ties"]
    assert found.log.notes == ("sys: the rank column is no ranking on 1 topic, so that it is no option",)


def test_a_topic_with_a_score_that_is_nan_has_no_ranking(tmp_path: Path) -> None:
    lines = [*LINES[:2], Line("2", "a", 1, float("nan"))]
    found = imported(tmp_path, write_qrels(tmp_path / "qrels", QRELS), write_run(tmp_path / "run", lines),
                     measures=("p@1",))  # fmt: skip
    assert states(found) == {"answered": 1, "nan_score": 1}
    assert [level(found, f"{one}/p@1", "sys") for one in options(found, "disposition")] == [("1", 1), ("1/2", 2)]


def test_an_infinite_score_is_the_first_or_the_last(tmp_path: Path) -> None:
    lines = [Line("1", "a", 2, float("inf")), Line("1", "b", 1, 1e300), Line("2", "a", 1, float("-inf"))]
    found = imported(tmp_path, write_qrels(tmp_path / "qrels", QRELS), write_run(tmp_path / "run", lines),
                     measures=("rr",))  # fmt: skip
    told = {name: level(found, f"ir_measures/{name}/rr", "sys")[0] for name in options(found, "reading")}
    assert told == {"docid_ties": "3/4", "docid_ties_double": "1"}  # 1e300 is infinite in single precision


def test_one_tag_in_two_files_and_two_tags_in_one(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    sources = [
        write_qrels(tmp_path / "qrels", QRELS), write_run(tmp_path / "a.run", LINES),
        write_run(tmp_path / "b.run", LINES), write_run(tmp_path / "sub" / "b.run", LINES),
    ]  # fmt: skip
    sources[1].write_text(sources[1].read_text() + sources[1].read_text().replace("sys", "alone\u202e"))
    found = imported(tmp_path, *sources)
    assert found.log.outcomes["method"].unique(maintain_order=True).to_list() == [
        "sys@a.run", "alone\\u202e", f"sys@{tmp_path}/b.run", f"sys@{tmp_path}/sub/b.run",
    ]  # fmt: skip
    assert found.log.notes == (
        "3 runs have the tag sys: they are told apart by their files",
        "a.run holds 2 tags: each is a run of its own",
    )


def test_qrels_of_different_topics_are_populations(tmp_path: Path) -> None:
    one = write_qrels(tmp_path / "2019.qrels", {"1": QRELS["1"]})
    two = write_qrels(tmp_path / "2020.qrels", {"2": {"b": 1}})
    found = imported(tmp_path, one, two, write_run(tmp_path / "run", LINES), measures=("p@1",))
    names = ("everything", "2019.qrels", "2020.qrels")
    assert [level(found, "ir_measures/p@1", "sys", name) for name in names] == [("1/2", 2), ("1", 1), ("0", 1)]


def test_repeated_and_revised_lines_and_comments_are_told(tmp_path: Path) -> None:
    qrels, run = small(tmp_path)
    qrels.write_text("# 2 topics\n" + qrels.read_text() + "1 0 b 1\n")
    run.write_text("# a run\n" + run.read_text() + "1 Q0 a 3 0.5 sys\n")
    found = imported(tmp_path, qrels, run, measures=("p@1",))
    assert level(found, "ir_measures/p@1", "sys") == ("1", 2)
    assert found.log.notes == (
        "qrels changes 1 judgement in later lines: the last counts, as in ir_measures",
        "qrels has 1 comment (#)",
        "sys has 1 document again on the same topic: the last line counts, as in ir_measures",
        "run has 1 comment (#)",
    )


def test_a_run_on_other_topics_is_told(tmp_path: Path) -> None:
    lines = [line._replace(topic=f"0{line.topic}") for line in LINES]
    found = imported(tmp_path, write_qrels(tmp_path / "qrels", QRELS), write_run(tmp_path / "run", lines))
    assert states(found) == {"unjudged": 2}
    assert found.log.notes == ("sys has 2 topics, none of which is judged: are ids written alike?",)
    assert [one.verdict for one in found.reconciled] == ["equal"] * 5


def test_levels_of_relevance_and_what_lacks_them(tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path / "qrels", {"1": {"a": 1, "b": 3}, "2": {"a": 1}})
    found = imported(tmp_path, qrels, write_run(tmp_path / "run", LINES), measures=("rr",))
    assert {name: level(found, f"ir_measures/{name}", "sys")[0] for name in options(found, "scoring")} == {
        "rr": "1", "rr.rel3": "1/4",
    }  # fmt: skip
    assert found.log.notes == (
        "1 topic with relevant documents has none of relevance 3 or above, and scores 0 at that level; "
        "a population of {column: relevant_3, at_least: 1} leaves such topics out",
    )


def test_a_measure_that_is_asked_for_stays_even_if_it_cuts_nothing(tmp_path: Path) -> None:
    found = imported(tmp_path, *small(tmp_path), measures=("recall@100", "R@1000", "rr@10"))
    assert options(found, "scoring") == ["recall@100", "recall@1000", "rr@10"]
    assert found.audit.declaration.family("harness").specs[0].id == "ir_measures/recall@100"


def test_without_ir_measures_a_study_is_made_and_says_what_is_wanting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ir_measures", None)
    found = imported(tmp_path, *small(tmp_path))
    assert (found.reconciled, found.log.harness) == ((), "TREC runs")
    assert found.log.notes == (
        "ir_measures is not installed, so nothing is held against it: pip install 'multiverse[trec]'",
    )


def test_values_that_differ_from_those_of_ir_measures_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Measure, "value", lambda *_: Fraction(0))
    found = imported(tmp_path, *small(tmp_path), measures=("p@1", "rr"))
    assert found.log.notes == ("sys: ir_measures differs from the study in 4 values of topics",)
    assert [one.verdict for one in found.reconciled] == ["differs", "differs"]


def test_a_folder_is_searched_and_what_is_not_read_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    write_qrels(folder / "test.qrels", QRELS)
    (folder / "bm25.res.gz").write_bytes(gzip.compress(write_run(tmp_path / "run", LINES).read_bytes()))
    for i in range(7):
        (folder / f"note{i}.md").write_text("nothing of TREC")
    assert imported(tmp_path, folder).log.notes == (
        "neither qrels nor runs, and not read: 'note0.md', 'note1.md', 'note2.md', 'note3.md', 'note4.md' and 2 more",
    )


def test_wants_and_wrong_names_are_refused(tmp_path: Path) -> None:
    qrels, run = small(tmp_path)
    again = write_qrels(tmp_path / "again", QRELS)
    assert refusal("trec", tmp_path, run) == "run: no qrels\n  expected qrels: topic, iteration, document, relevance"
    assert refusal("trec", tmp_path, qrels) == (
        "qrels: qrels, and no run\n  expected a run: topic, Q0, document, rank, score, tag"
    )
    assert refusal("trec", tmp_path, qrels, again, run) == (
        "again: topic '1' and 1 more topics are judged in qrels too\n"
        "  expected qrels of different topics; a study of its own for each of two sets of judgements"
    )
    with pytest.raises(InputError) as caught:
        import_log("trec", [qrels, run], tmp_path / "study", mapping={"measure": ["ndgc@10", "p"], "row": ["x"]})
    expected = "ndcg, ndcg@K, map, map@K, rr, rr@K, p@K or recall@K, K being a whole number"
    assert str(caught.value) == (
        "--map: unknown part 'row'\n  expected one of 'measure'\n\n"
        f"--map: unknown measure 'ndgc@10'\n  expected {expected}\n\n--map: unknown measure 'p'\n  expected {expected}"
    )


def test_the_command_takes_measures_and_lists_their_families(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    small(Path())
    found = run("import", "trec", "qrels", "run", "--into", "mine", "--map", "measure=P@1", "--map", "measure=RR")
    assert (found.exit_code, found.stderr, found.stdout.splitlines()) == (0, "", [
        "wrote a study of TREC runs (held against ir_measures 0.4.3) into mine: 2 rows, 1 method, 2 outcomes",
        "  states: answered 2", "  open: disposition 1, scoring 2",
        "reconciled: 2 of 2 numbers of ir_measures",
        "  sys: ir_measures 0.4.3 p@1 1.0 = 1 at ir_measures/p@1 over everything",
        "  sys: ir_measures 0.4.3 rr 1.0 = 1 at ir_measures/rr over everything",
        "now run:",
        "  multiverse freeze mine",
        "  multiverse audit mine --family audit",
        "  multiverse audit mine --family harness",
        "  multiverse audit mine --family reported",
        "  or with --family p_1, rr",
    ])  # fmt: skip
