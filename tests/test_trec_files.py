"""Files of TREC as they come: tabs, comments, compressed, cut short, or not TREC at all."""

import gzip
from pathlib import Path

import polars as pl
import pytest

from multiverse.errors import InputError
from multiverse.importers.trec_files import Kind, kind_of, read_qrels, read_runs, recognises

RUN = "q1 Q0 d1 1 2.5 sys\nq1 Q0 d2 2 1e-3 sys\n"
QRELS = "q1 0 d1 1\nq1 0 d2 0\n"
RUN_COLUMNS = "6 columns: topic, Q0, document, rank, score, tag"
QRELS_COLUMNS = "4 columns: topic, iteration, document, relevance"


def write(folder: Path, content: str | bytes, name: str = "file.txt") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        RUN,
        RUN.replace(" ", "\t"),
        RUN.replace(" ", "  \t"),
        RUN.replace("\n", "\r\n"),
        "\ufeff" + RUN,
        "# a comment, as of trec_eval 10\n\n" + RUN.replace("\n", "\n\n"),
        RUN.removesuffix("\n"),
    ],
)
def test_a_run_is_read_however_its_columns_are_set_apart(tmp_path: Path, content: str) -> None:
    path = write(tmp_path, content)
    (found,) = read_runs(path)
    assert (kind_of(path), recognises(path), found.tag) == ("run", True, "sys")
    assert found.table.rows() == [("q1", "d1", 1, 2.5), ("q1", "d2", 2, 0.001)]
    assert found.comments == content.count("#")


def test_scores_are_read_as_python_reads_them(tmp_path: Path) -> None:
    scores = ["1", "-2.5e+3", ".5", "inf", "-Infinity", "nan", "+1"]
    lines = "".join(f"q Q0 d{i} - {score} s\n" for i, score in enumerate(scores))
    table = read_runs(write(tmp_path, lines))[0].table
    told = [1.0, -2500.0, 0.5, float("inf"), float("-inf"), 1.0]
    assert [score for score in table["score"] if score == score] == told  # noqa: PLR0124 (NaN is not itself)
    assert table["rank"].null_count() == len(scores)


def test_compressed_files_are_read(tmp_path: Path) -> None:
    run = write(tmp_path, gzip.compress(RUN.encode()), "run.gz")
    qrels = write(tmp_path, gzip.compress(QRELS.encode()), "qrels.gz")
    assert [kind_of(run), kind_of(qrels)] == ["run", "qrels"]
    assert (read_runs(run)[0].table.height, read_qrels(qrels).table.height) == (2, 2)


def test_of_judgements_that_are_changed_the_last_counts(tmp_path: Path) -> None:
    found = read_qrels(write(tmp_path, QRELS + "q1 0 d1 1\nq1 0 d2 2\n"))
    assert (found.table.rows(), found.revised) == ([("q1", "d1", 1), ("q1", "d2", 2)], 1)


def test_qrels_of_beir_have_a_header_and_no_iteration(tmp_path: Path) -> None:
    path = write(tmp_path, "query-id\tcorpus-id\tscore\nq1\td1\t1\n", "test.tsv")
    assert (kind_of(path), read_qrels(path).table.rows()) == ("qrels", [("q1", "d1", 1)])


def test_each_tag_of_a_file_is_a_run(tmp_path: Path) -> None:
    found = read_runs(write(tmp_path, RUN + RUN.replace("sys", "other")))
    assert [(run.tag, run.table.height) for run in found] == [("sys", 2), ("other", 2)]


def test_a_run_longer_than_one_batch_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multiverse.importers.trec_files._BATCH", 2)
    found = read_runs(write(tmp_path, "".join(f"q Q0 d{i} {i} {i} s\n" for i in range(5))))
    assert found[0].table["doc"].to_list() == ["d0", "d1", "d2", "d3", "d4"]
    assert found[0].table.schema == {"topic": pl.String, "doc": pl.String, "rank": pl.Int32, "score": pl.Float64}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "hello\n",
        "a b c d\n",
        "Total number of 5\n",
        "row_id,method,score\n1,a,1\n",
        "q Q0 d 1 x s\n",
        "\n\n",
        b"\0\1",
    ],
)
def test_other_files_are_not_recognised(tmp_path: Path, content: str | bytes) -> None:
    assert not recognises(write(tmp_path, content))


def test_a_compressed_file_that_is_none_is_not_recognised(tmp_path: Path) -> None:
    assert not recognises(write(tmp_path, RUN, "run.gz"))


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("run", RUN + "q1 Q0 d3\n", f"line 3 has 3 columns\n  expected {RUN_COLUMNS}"),
        ("run", RUN + "q1 Q0 d3 3 0.",
         f"line 3 has 5 columns\n  expected {RUN_COLUMNS}; the file may have been cut short"),
        ("run", RUN + "q1 Q0 d 3 4 1.0 a tag\n", f"line 3 has 8 columns\n  expected {RUN_COLUMNS}"),
        ("run", RUN + "q1 Q0 d3 3 high sys\n", "line 3: the score 'high'\n  expected a number"),
        ("run", RUN + "q1 Q0 d3 3 1 sy",
         "line 3 ends in the tag 'sy'\n  expected a whole file: it may have been cut short"),
        ("run", RUN.encode() + b"q1 Q0 \xff 3 1 sys\n", "line 3 is not UTF-8\n  expected UTF-8"),
        ("run", RUN.encode() + b"q1 Q0 a\0b 3 1 sys\n", "line 3 holds a NUL\n  expected UTF-8"),
        ("run", "".join(f"q Q0 d {i} 1 t{i}\n" for i in range(21)),
         "more than 20 tags in column 6\n  expected the tag of the run, the same in every line"),
        ("run", "# nothing\n", f"no line\n  expected {RUN_COLUMNS}"),
        ("qrels", QRELS + "q1 0 d3\n", f"line 3 has 3 columns\n  expected {QRELS_COLUMNS}"),
        ("qrels", QRELS + "q1 0 d3 0.5\n", "line 3: the relevance '0.5'\n  expected a whole number of at most 65,535"),
        ("qrels", QRELS + "q1 0 d3 70000\n",
         "line 3: the relevance '70000'\n  expected a whole number of at most 65,535"),
        ("qrels", "# nothing\n", f"no judgement\n  expected {QRELS_COLUMNS}"),
        ("qrels", "query-id\tcorpus-id\tscore\nq1 0 d 1\n",
         "line 2 has 4 columns\n  expected 3 columns, as of BEIR: query-id, corpus-id, score"),
    ],
)  # fmt: skip
def test_a_line_at_fault_is_named(tmp_path: Path, kind: Kind, content: str | bytes, message: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_runs(path) if kind == "run" else read_qrels(path)
    assert str(caught.value) == f"{path}: {message}"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"hello world\n",
         f"a first line of 2 columns\n  expected qrels or a run: {QRELS_COLUMNS}; or {RUN_COLUMNS}"),
        ("a.txt", b"", f"no line\n  expected qrels or a run: {QRELS_COLUMNS}; or {RUN_COLUMNS}"),
        ("a.gz", b"not compressed", "cannot be decompressed: Not a gzipped file (b'no')\n"
         "  expected a whole file: it may have been cut short"),
    ],
)  # fmt: skip
def test_a_file_that_is_neither_is_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        kind_of(write(tmp_path, content, name))
    assert str(caught.value) == f"{tmp_path / name}: {message}"


def test_a_compressed_file_that_is_cut_short_is_recognised_and_refused(tmp_path: Path) -> None:
    content = gzip.compress("".join(f"q Q0 d{i * i} {i} {i / 7} s\n" for i in range(20_000)).encode())
    path = write(tmp_path, content[: len(content) // 2], "run.gz")
    assert recognises(path)
    with pytest.raises(InputError) as caught:
        read_runs(path)
    assert str(caught.value) == (
        f"{path}: cannot be decompressed: Compressed file ended before the end-of-stream marker was reached\n"
        "  expected a whole file: it may have been cut short"
    )
