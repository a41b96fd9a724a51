"""Annotations of AlpacaEval: draws, failed judgements and weights against verdicts are the open choices."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from multiverse.errors import quoted
from multiverse.exact import shortest_decimal
from multiverse.importers.choices import (
    DROPPED,
    ZERO,
    Column,
    Combining,
    Read,
    StateRule,
    disposition_choice,
    dropped,
    reading_choice,
    scoring_choice,
)
from multiverse.importers.log import Headline, Log
from multiverse.importers.records import Outcome, Records, Scale
from multiverse.importers.sources import (
    as_number,
    clean,
    distinct,
    label,
    log_files,
    option_id,
    read_document,
    refuse,
    starts_with,
)

_HALF = Fraction(1, 2)
RULES = (
    StateRule("draw", "a preference of 1.5, or 0 in older files; AlpacaEval counts it as half a win",
              ((_HALF, "a draw is half a win"), (ZERO, "a draw is no win"), (DROPPED, "a draw decides nothing"))),
    StateRule("unscored", "the judge gave no preference (null); AlpacaEval leaves it out",
              ((DROPPED, "nothing was judged"), (ZERO, "what nobody preferred is no win"),
               (_HALF, "no verdict is a draw"))),
    dropped("missing", "no annotation of the instruction for the model",
            "an instruction that was not run says nothing", "every model answers for every instruction"),
    dropped("empty", "the reading left the record out", "what the reading leaves out does not count",
            "what the reading leaves out counts as lost"),
)  # fmt: skip
_REMARKS = {"empty_output": "the output of the model is empty; AlpacaEval counts the judge's preference as it is"}


class _Annotation(NamedTuple):
    """The judgement of one instruction."""

    instruction: str
    occurrence: int  # among those of the model and annotator with the same instruction
    model: str
    annotator: str
    told: Mapping[str, Any]


def recognises(path: Path) -> bool:
    """Whether a file holds annotations."""
    return path.suffix == ".json" and starts_with(path, '"generator_2"', '"preference"')


def read(sources: Sequence[Path], mapping: Mapping[str, Sequence[str]]) -> Log:
    """One study of all annotations: the models under test are the methods."""
    if mapping:
        refuse("--map", "a mapping of columns", "none: annotations of AlpacaEval name their own parts")
    paths = log_files(sources, recognises, "annotations.json")
    annotations = [one for path in paths for one in _annotations(path)]
    annotators = distinct(one.annotator for one in annotations)
    records = Records(["score"], variant="annotator")
    numbers: dict[tuple[str, int], str] = {}
    for one in annotations:
        row = numbers.setdefault((one.instruction, one.occurrence), str(len(numbers) + 1))
        records.row(row, {"instruction": one.told.get("instruction"), "dataset": one.told.get("dataset")})
        records.add(row, one.model, _outcome(one))
    found = records.gathered(", ".join(map(str, paths)), annotators)
    columns = [Column("weighted", "score", "the preference less 1, which a weighted judge gives as a fraction")]
    if not found.values["score"] <= {0, 1}:
        columns.append(Column("discrete", "score", "a win is a win: the preference is above 1.5", _HALF))
    reads: list[Read] = []
    for name in annotators:
        identity = option_id(name, [one.id for one in reads])
        reads.append(Read(identity, {"column": "annotator", "equals": name}, f"the judge {name}"))
    if len(annotators) == 1:
        reads = [Read("as_judged", {}, "every annotation")]
    choices = (
        disposition_choice("alpaca_eval", RULES, found.states, expect=("empty",) if found.remarks else ()),
        reading_choice(reads, found.remarks, _REMARKS, "Which judge is read, and which annotations count."),
        scoring_choice(columns, [Combining("mean", "mean", "")], "What a preference is worth."),
    )
    baselines = distinct(label(one.told.get("generator_1")) for one in annotations)
    return Log(
        harness="AlpacaEval",
        title=f"AlpacaEval: wins over {', '.join(baselines)}",
        rows=found.rows,
        outcomes=found.outcomes,
        choices=tuple(choice for choice in choices if choice is not None),
        populations={"everything": {}},
        headlines=tuple(
            headline for path in paths for headline in _headlines(path, annotations, annotators, found.scales["score"])
        ),
        notes=(*found.notes, *_notes(annotations, baselines)),
        license="whether the order of the models holds whatever a draw, a failed judgement or a close win counts as",
    )


def _annotations(path: Path) -> Iterator[_Annotation]:
    content = read_document(path)
    if not isinstance(content, list) or not all(isinstance(one, dict) for one in content):
        refuse(path, "no list of annotations", "a list of objects")
    seen: Counter[tuple[str, str, str]] = Counter()
    for i, told in enumerate(content):
        if not {"instruction", "generator_2", "preference"} <= told.keys():
            refuse(path, f"annotation {i} lacks instruction, generator_2 or preference", "all of them")
        if not (told["preference"] is None or isinstance(told["preference"], int | float)):
            found = f"annotation {i} has the preference {quoted(clean(told['preference']))}"
            refuse(path, found, "a number from 1 to 2, 0 of a draw, or null")
        key = (clean(told["instruction"]), label(told["generator_2"]), label(told.get("annotator") or "annotator"))
        seen[key] += 1
        yield _Annotation(key[0], seen[key], key[1], key[2], told)


def _outcome(one: _Annotation) -> Outcome:
    """A preference of 1 is for the baseline, of 2 for the model; 1.5 and 0 are draws, null is a failed judgement."""
    preference = one.told["preference"]
    remark = "empty_output" if one.told.get("output_2") == "" else None
    if as_number(preference) is None:
        return Outcome({}, variant=one.annotator, status="unscored")
    exact = shortest_decimal(float(preference))
    if exact in (0, Fraction(3, 2)):
        return Outcome({"score": 0.5}, variant=one.annotator, status="draw", remark=remark)
    return Outcome({"score": float(exact - 1)}, variant=one.annotator, remark=remark)


def _headlines(
    path: Path, annotations: Sequence[_Annotation], annotators: Sequence[str], scale: Scale
) -> Iterator[Headline]:
    """The win rates of a leaderboard.csv beside the annotations, in percent."""
    board = path.with_name("leaderboard.csv")
    if not board.is_file() or len(annotators) > 1:
        return
    models = {one.model for one in annotations}
    for line in csv.DictReader(io.StringIO(board.read_text("utf-8-sig"))):
        name, rate = label(next(iter(line.values()), "")), line.get("win_rate")
        if name in models and rate:
            caveat = "a leaderboard may be of other annotations than these, or rounded"
            yield Headline(
                name="win_rate", method=name, value=float(rate), population="everything", chosen={},
                low=100 * scale.low, scale=100 * scale.scale, digits=_digits(rate), caveat=caveat,
            )  # fmt: skip


def _digits(text: str) -> int:
    """The decimals of a number as it is written."""
    return len(text.partition(".")[2])


def _notes(annotations: Sequence[_Annotation], baselines: Sequence[str]) -> Iterator[str]:
    if len(baselines) > 1:
        yield f"the models were judged against different baselines: {', '.join(baselines)}"
    totals = Counter((one.model, one.annotator) for one in annotations)
    if len(set(totals.values())) > 1:
        told = ", ".join(f"{model} {count}" for (model, _), count in totals.items())
        yield f"models have different numbers of annotations: {told}"
    yield "length-controlled win rates are a regression over all annotations, and no option of this study"
