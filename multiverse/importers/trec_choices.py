"""What qrels and runs leave open: topics that lack something, rankings and measures; and what ir_measures gives."""

from collections.abc import Iterator, Mapping, Sequence

from multiverse.importers.choices import (
    Column,
    Combining,
    Read,
    disposition_choice,
    dropped,
    reading_choice,
    scoring_choice,
    zeroed,
)
from multiverse.importers.log import Choice, Headline, NamedFamily
from multiverse.importers.trec_measures import Measure
from multiverse.importers.trec_rankings import Ranking
from multiverse.importers.trec_scores import Kept
from multiverse.importers.trec_tables import MISSING, NAN_SCORE, NO_RELEVANT, RANKING, UNJUDGED

RULES = (
    zeroed(MISSING, "a topic of the qrels that the run does not have; ir_measures, as trec_eval -c, counts it as 0",
           "a topic for which nothing was retrieved is a topic failed",
           "a topic that was not run says nothing: the mean over what both have, as of pytrec_eval and trec_eval"),
    zeroed(NO_RELEVANT, "no document of the topic is judged relevant, which every measure counts as 0",
           "as trec_eval counts it", "where nothing is to be found, nothing is measured"),
    dropped(UNJUDGED, "a topic of a run without judgements; it is in this state for every run",
            "nothing of the topic was judged, and no tool counts it", "what nobody judged relevant is not relevant"),
    dropped(NAN_SCORE, "a score of the topic is NaN, which has no place in an order: what trec_eval makes of it "
            "depends on how it sorts", "there is no ranking to judge", "what cannot be ranked finds nothing"),
)  # fmt: skip
_CAVEAT = (
    "ir_measures gives topics with a NaN score the number that its sorting happens to give; and what is built on "
    "trec_eval 10 compares scores in double precision, not single: docid_ties_double"
)
_NAMES: Mapping[str, str] = {
    "ndcg": "normalised discounted cumulative gain",
    "map": "average precision",
    "rr": "reciprocal rank of the first relevant document",
    "p": "precision",
    "recall": "recall: of the relevant documents, those retrieved",
}


def choices(kept: Kept, states: Mapping[str, int]) -> tuple[Choice, ...]:
    """Every coordinate on which something is open."""
    reads = [Read(one.id, {"column": RANKING, "equals": one.id}, one.rationale) for one in kept.rankings]
    every = (
        disposition_choice("ir_measures", RULES, states),
        reading_choice(reads, {}, {}, _ranking_comment(kept.same)),
        scoring_choice(
            [Column(one.id, one.id, _measure_words(one)) for one in kept.measures],
            [Combining("mean", "mean", "")],
            "The measure of a topic. No tool has one of its own: the first is the one asked for, or ndcg@10.\n"
            "Precision, recall and reciprocal ranks are exact; nDCG and long average precisions are doubles.",
        ),
    )
    return tuple(choice for choice in every if choice is not None)


def _ranking_comment(same: Mapping[Ranking, Ranking]) -> str:
    """What makes a ranking of the lines of a run; what says the same as an option is named, and none of its own."""
    alone = (Ranking("file_ties"), Ranking("rank_column"), Ranking("docid_ties", condensed=True))
    told = [
        f"{one.id} is no option: it gives the numbers of {same[one].id} everywhere."
        for one in alone
        if same.get(one, one) != one
    ]
    return "\n".join(["The ranking that is measured: the order of the documents, and which of them are in it.", *told])


def _measure_words(one: Measure) -> str:
    parts = [_NAMES[one.name] + (f" at {one.cutoff}" if one.cutoff is not None else "")]
    if one.name == "ndcg":
        parts.append("a gain of 2**relevance - 1" if one.exponential else "a gain of the relevance")
    else:
        parts.append(f"relevant from {one.level} on")
    return ", ".join(parts)


def families(kept: Kept) -> tuple[NamedFamily, ...]:
    """A family of each measure and cutoff, where there are several: what holds once that is settled."""
    members: dict[str, list[str]] = {}
    for one in kept.measures:
        members.setdefault(one.family, []).append(one.id)
    if len(members) < 2:
        return ()
    return tuple(
        NamedFamily(
            name=family.replace("@", "_"),
            chosen={"scoring": tuple(options)},
            rationale=f"for who has settled on {family}: everything else that is open",
        )
        for family, options in members.items()
    )


def headlines(kept: Kept, methods: Sequence[str], version: str) -> Iterator[Headline]:
    """The means of ir_measures: of each measure its first option."""
    first: dict[str, Measure] = {}
    for one in kept.measures:
        first.setdefault(one.name, one)
    for run, method in zip(kept.runs, methods, strict=True):
        for one in first.values():
            if run.referred is not None and one.id in run.referred.means:
                yield Headline(
                    name=f"ir_measures {version} {one.id}", method=method, value=run.referred.means[one.id],
                    population="everything", chosen={"scoring": one.id}, caveat=_CAVEAT,
                )  # fmt: skip
