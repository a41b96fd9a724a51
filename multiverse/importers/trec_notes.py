"""What a reader of the study should know of qrels and runs."""

from collections import Counter
from collections.abc import Iterator, Sequence

from multiverse.errors import quoted
from multiverse.importers.sources import label
from multiverse.importers.trec_files import Qrels
from multiverse.importers.trec_measures import MOST_LEVELS, STEEPEST
from multiverse.importers.trec_reference import NOT_INSTALLED
from multiverse.importers.trec_scores import Kept, Scored, Topics
from multiverse.summary import counted

_SHOWN = 5  # names of files that were not read


def notes(
    found: Kept, methods: Sequence[str], qrels: Sequence[Qrels], topics: Topics, unread: Sequence[str]
) -> Iterator[str]:
    """Notes on qrels, on each run, on relevance levels, and on what was not read."""
    for one in qrels:
        if one.revised:
            changed = counted(one.revised, "judgement")
            yield f"{one.path.name} changes {changed} in later lines: the last counts, as in ir_measures"
        if one.comments:
            yield f"{one.path.name} has {counted(one.comments, 'comment')} (#)"
    for run, method in zip(found.runs, methods, strict=True):
        if not topics.judgements.keys() & run.retrieved.counts.keys():
            topics_of_run = counted(len(run.retrieved.counts), "topic")
            yield f"{method} has {topics_of_run}, none of which is judged: are ids written alike?"
        yield from _of_run(run, method)
    yield from _of_tags(found.runs)
    yield from _of_levels(topics)
    if any(run.referred is None for run in found.runs):
        yield NOT_INSTALLED
    if unread:
        more = f" and {len(unread) - _SHOWN} more" if len(unread) > _SHOWN else ""
        yield f"neither qrels nor runs, and not read: {', '.join(map(quoted, unread[:_SHOWN]))}{more}"


def _of_run(run: Scored, method: str) -> Iterator[str]:
    told = run.retrieved
    if told.repeated:
        again = counted(told.repeated, "document")
        yield f"{method} has {again} again on the same topic: the last line counts, as in ir_measures"
    if told.unranked:
        on = counted(told.unranked, "topic")
        yield f"{method}: the rank column is no ranking on {on}, so that it is no option"
    if told.contradicted:
        on = counted(told.contradicted, "topic")
        yield f"{method}: the rank column contradicts the scores on {on}; trec_eval reads scores"
    if run.comments:
        yield f"{run.path.name} has {counted(run.comments, 'comment')} (#)"
    if run.referred is not None and run.referred.differing:
        yield f"{method}: ir_measures differs from the study in {counted(run.referred.differing, 'value')} of topics"


def _of_tags(runs: Sequence[Scored]) -> Iterator[str]:
    for tag, count in Counter(run.tag for run in runs).items():
        if count > 1:
            yield f"{count} runs have the tag {label(tag)}: they are told apart by their files"
    for path, count in Counter(run.path for run in runs).items():
        if count > 1:
            yield f"{path.name} holds {count} tags: each is a run of its own"


def _of_levels(topics: Topics) -> Iterator[str]:
    for level in topics.levels[:MOST_LEVELS]:
        lacking = sum(bool(rels) and rels[0] < level for rels in topics.relevant.values())
        if lacking:
            have = f"{counted(lacking, 'topic')} with relevant documents {'has' if lacking == 1 else 'have'} none"
            yield (
                f"{have} of relevance {level} or above, and {'scores' if lacking == 1 else 'score'} 0 at that level; "
                f"a population of {{column: relevant_{level}, at_least: 1}} leaves such topics out"
            )
    if len(topics.levels) > MOST_LEVELS:
        yield f"of {len(topics.levels)} relevances above 0 the lowest {MOST_LEVELS} are levels"
    if topics.levels and topics.levels[-1] > STEEPEST:
        yield f"relevances go beyond {STEEPEST}: gains of 2**relevance - 1 are no option"
