"""Rankings and measures in plain Python, by their definitions, and files of TREC to try them on."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import log2
from pathlib import Path
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

SCORES = (0.0, -0.0, 1.0, 1.00000000001, 2.0, -3.5, 1e-3, 1e39, float("inf"), float("-inf"))
DOCS = ("a", "B", "c1", "c10", "ä", "q1", "q2")  # among them ids of topics


class Line(NamedTuple):
    """A line of a run."""

    topic: str
    doc: str
    rank: int
    score: float


Qrels = Mapping[str, Mapping[str, int]]


@st.composite
def qrels_and_lines(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], list[Line]]:
    """Judgements of up to 3 topics, and a run: ties, documents and topics without a judgement, and none retrieved."""
    rels = st.dictionaries(st.sampled_from(DOCS), st.integers(-2, 3), min_size=1)
    qrels = draw(st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), rels, min_size=1))
    pairs = st.tuples(st.sampled_from(["q1", "q2", "q3", "q9"]), st.sampled_from(DOCS))
    lines = []
    for topic, doc in draw(st.lists(pairs, min_size=1, unique=True)):
        lines.append(Line(topic, doc, 0, draw(st.sampled_from(SCORES))))
    ranks = draw(st.permutations(range(1, len(lines) + 1)))
    return qrels, [line._replace(rank=rank) for line, rank in zip(lines, ranks, strict=True)]


def ordered(lines: Sequence[Line], order: str) -> list[str]:
    """The documents of one topic in an order."""
    match order:
        case "docid_ties":
            with np.errstate(over="ignore"):
                placed = sorted(lines, key=lambda line: (np.float32(line.score), line.doc.encode()), reverse=True)
        case "docid_ties_double":
            placed = sorted(lines, key=lambda line: (line.score, line.doc.encode()), reverse=True)
        case "file_ties":
            placed = sorted(lines, key=lambda line: -line.score)
        case _:
            placed = sorted(lines, key=lambda line: line.rank)
    return [line.doc for line in placed]


def ranking(lines: Sequence[Line], topic: str, judged: Mapping[str, int], identity: str) -> list[str]:
    """The documents of a topic as the option of a reading names them."""
    order, *without = identity.split(".")
    docs = ordered([line for line in lines if line.topic == topic], order)
    docs = [doc for doc in docs if "no_self" not in without or doc != topic]
    return [doc for doc in docs if "condensed" not in without or judged.get(doc, -1) >= 0]


def measure(identity: str, docs: Sequence[str], judged: Mapping[str, int]) -> Fraction | float:
    """A measure, by its option's name, of documents in order."""
    family, *more = identity.split(".")
    name, _, cut = family.partition("@")
    top = docs[: int(cut)] if cut else docs
    level = next((int(part.removeprefix("rel")) for part in more if part.startswith("rel")), 1)
    if name == "ndcg":
        gains = [_gain(judged.get(doc, 0), exponential="exp" in more) for doc in top]
        best = sorted((_gain(rel, exponential="exp" in more) for rel in judged.values()), reverse=True)
        ideal = _dcg(best[: int(cut)] if cut else best)
        return _dcg(gains) / ideal if ideal else 0.0
    hits = [i for i, doc in enumerate(top, 1) if judged.get(doc, 0) >= level]
    relevant = sum(rel >= level for rel in judged.values())
    if name == "p":
        return Fraction(len(hits), int(cut))
    if name == "rr":
        return Fraction(1, hits[0]) if hits else Fraction(0)
    if not relevant:
        return Fraction(0)
    if name == "recall":
        return Fraction(len(hits), relevant)
    return sum((Fraction(n, i) for n, i in enumerate(hits, 1)), Fraction(0)) / relevant


def _gain(rel: int, *, exponential: bool) -> int:
    return 0 if rel < 1 else 2**rel - 1 if exponential else rel


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / log2(i + 1) for i, gain in enumerate(gains, 1))


def write_qrels(path: Path, qrels: Qrels) -> Path:
    path.write_text("".join(f"{t} 0 {d} {rel}\n" for t, docs in qrels.items() for d, rel in docs.items()), "utf-8")
    return path


def write_run(path: Path, lines: Sequence[Line], tag: str = "sys") -> Path:
    path.write_text("".join(f"{t} Q0 {d} {rank} {score!r} {tag}\n" for t, d, rank, score in lines), "utf-8")
    return path
