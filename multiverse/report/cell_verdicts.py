"""Verdicts on what has a value in each cell: effects, contrasts, and shares of deletion."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from multiverse.report.sentences import Sentence, change_words, name, number, sentence, spec
from multiverse.report.verdict import (
    End,
    Endpoint,
    Json,
    Range,
    Verdict,
    everywhere,
    exact_values,
    interval_points,
    range_ends,
)
from multiverse.summary import counted, points


class _Quantity(NamedTuple):
    """What has a value in each cell, and what is to be said of it."""

    endpoint: Endpoint
    name: str
    what: Sentence
    cells: Mapping[str, Fraction | None]
    without: str = ""  # the coordinate that its cells have no option of, beside the contract
    sampling: Sentence = ()
    note: str = ""


def cell_verdicts(record: Json, population: str) -> Iterator[Verdict]:
    """The verdicts on effects, contrasts and shares of a population, in the order declared."""
    found, declared = record["populations"][population], record["endpoints"]
    coordinates = record["coordinates"]
    for quantity in (*_effects(declared, found), *_contrasts(declared, found), *_shares(declared, found)):
        own = tuple(name for name in coordinates if name not in ("contract", quantity.without))
        yield _verdict(population, quantity, own)


def _effects(declared: Json, found: Json) -> Iterator[_Quantity]:
    for effect in declared["effects"]:
        a, b = effect["pair"]
        what = sentence(
            *("the effect ", name(effect["id"]), " on ", name(a), " - ", name(b), ", as ", name(effect["factor"])),
            *(" goes from ", name(effect["from"]), " to ", name(effect["to"]), ","),
        )
        entry = found["effects"][effect["id"]]
        partial = len(entry["partial_cells"])
        note = f"; {counted(partial, 'cell')} held in part and left out" if partial else ""
        sampling = sentence(_intervals(entry["cells"], found), _curve(effect["pair"], found))
        yield _Quantity("effect", effect["id"], what, exact_cells(entry["cells"]), "", sampling, note)


def _contrasts(declared: Json, found: Json) -> Iterator[_Quantity]:
    for one in declared["contrasts"]:
        between = sentence(name(one["from"]), " to ", name(one["to"]), f" on {one['support']} support")
        yield _contrast(one, between, found["contrasts"], found)
    for one in declared["stratum_contrasts"]:
        first, second = one["minus"]
        yield _contrast(one, sentence(name(first), " minus ", name(second)), found["stratum_contrasts"], found)


def _contrast(declared: Json, between: Sentence, values: Json, found: Json) -> _Quantity:
    cells = values[declared["id"]]["cells"]
    what = sentence("the contrast ", name(declared["id"]), " of ", name(declared["effect"]), ", ", between, ",")
    without = declared.get("coordinate", "")
    return _Quantity("contrast", declared["id"], what, exact_cells(cells), without, _intervals(cells, found))


def _shares(declared: Json, found: Json) -> Iterator[_Quantity]:
    for one in declared["decompositions"]:
        cells = found["decompositions"][one["id"]]["cells"]
        for kind in one["classes"]:
            values = {cell: None if value is None else Fraction(value["shares"][kind]) for cell, value in cells.items()}
            what = sentence("the share of ", name(kind), " in ", name(one["effect"]), ", by deletion,")
            yield _Quantity("share", kind, what, values)


def exact_cells(cells: Mapping[str, Json | None]) -> dict[str, Fraction | None]:
    """The exact value of each cell; None where it is undefined."""
    return {cell: None if value is None else Fraction(value["exact"]) for cell, value in cells.items()}


def _verdict(population: str, quantity: _Quantity, coordinates: tuple[str, ...]) -> Verdict:
    cells = quantity.cells
    ends = [End(value, cell) for cell, value in cells.items() if value is not None]
    least = min(ends, key=lambda end: end.value, default=None)
    greatest = max(ends, key=lambda end: end.value, default=None)
    found = Range(least, greatest, len(cells) - len(ends), len(cells))
    return Verdict(
        population=population,
        endpoint=quantity.endpoint,
        name=quantity.name,
        settled=found.settled,
        words=sentence(_range_words(quantity.what, found), quantity.note, "."),
        values=exact_values(found),
        witnesses=range_ends(found, coordinates),
        sampling=quantity.sampling,
    )


def _range_words(what: Sentence, found: Range) -> Sentence:
    """A quantity of cells: its one value, or its range with a witness at each end."""
    least, greatest = found.least, found.greatest
    if least is None or greatest is None:
        anywhere = "the one cell" if found.total == 1 else f"any of {found.total} cells"
        where = f"has no value in {anywhere}" if found.total else "has no cell that the family holds whole"
        return sentence("Undefined: ", what, f" {where}")
    undefined = f"; undefined in {found.undefined} of {counted(found.total, 'cell')}" if found.undefined else ""
    if least.value == greatest.value:
        verdict = "Not identified: " if found.undefined else "Identified: "
        where = " wherever it is defined" if found.undefined else everywhere(found.total, "cell")
        zero = "exactly " if least.value == 0 else ""
        return sentence(verdict, what, f" is {zero}", change_words(least.value), where, undefined)
    low, high = (points(end.value, signed=True) for end in (least, greatest))
    ends = (" ranges from ", number(low), " to ", number(f"{high} pp"), f" over {counted(found.total, 'cell')}")
    witnesses = ("; lowest under ", spec(least.where), ", highest under ", spec(greatest.where))
    return sentence("Not identified: ", what, *ends, _side(found), *witnesses, undefined)


def _side(found: Range) -> str:
    """Whether all values are on one side of zero: the sign may be identified where the value is not."""
    if found.least is None or found.greatest is None:
        return ""
    everywhere = "wherever it is defined" if found.undefined else "in every one"
    if found.greatest.value < 0:
        return f", below zero {everywhere}"
    if found.least.value > 0:
        return f", above zero {everywhere}"
    return ", on both sides of zero" if found.least.value < 0 < found.greatest.value else ""


def _intervals(cells: Mapping[str, Json | None], found: Json) -> Sentence:
    """The sampling intervals of cells, from the lowest end to the highest."""
    known = [value["interval"] for value in cells.values() if value and value.get("interval")]
    if not known:
        return ()
    low, high = min(lower for lower, _ in known), max(upper for _, upper in known)
    clear = sum(lower > 0 or upper < 0 for lower, upper in known)
    level = f"{found['uncertainty']['level']:.0%}"
    return sentence(
        *(f"{level} sampling intervals reach from ", number(interval_points(low)), " to "),
        *(number(f"{interval_points(high)} pp"), f"; {clear} of {len(known)} exclude zero."),
    )


def _curve(pair: Iterable[str], found: Json) -> Sentence:
    """Inference on the specification curve of a pair, against swapped labels."""
    curves = found["uncertainty"].get("specification_curve", [])
    known = next((one for one in curves if [one["a"], one["b"]] == list(pair)), None)
    if known is None:
        return ()
    tests = {"median": "median", "dominant side": "share_dominant", "beyond chance": "share_significant"}
    told = ", ".join(f"{words} {known[key]['p']:.4f}" for words, key in tests.items())
    how = "all" if known["exact"] else f"{known['swaps']:,}"
    return sentence(f" Specification curve against {how} swapped labels, p: {told}.")
