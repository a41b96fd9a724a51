"""Verdicts on the order of methods: the ranking, who can win, and pairs."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from multiverse.report.sentences import (
    Sentence,
    change_words,
    few,
    joined,
    name,
    number,
    order_words,
    plain,
    sentence,
    spec,
)
from multiverse.report.verdict import (
    End,
    Json,
    Range,
    Verdict,
    Witness,
    everywhere,
    exact_values,
    interval_points,
    range_ends,
)
from multiverse.summary import counted, points

_ALL_PAIRS = 6  # up to so many pairs have a sentence each; of more, one tells of all
_MOST_NAMED = 8
_RELATIONS = (
    ("robust_strict", "keep one strict order everywhere"),
    ("robust_tie", "tie everywhere"),
    ("weak", "tie in some specifications and keep one order in the others"),
    ("reversal", "reverse"),
    (None, "have no margin anywhere"),
)


def order_verdicts(record: Json, population: str) -> Iterator[Verdict]:
    """The verdicts on the ranking, the winner and pairs of a population."""
    found = record["populations"][population]
    if len(found["ranking"]["rank_sets"]) == 1:
        return  # one method has no order
    yield _ranking(record, population, found)
    yield _winner(record, population, found)
    yield from _pairs(record, population, found)


def _ranking(record: Json, population: str, found: Json) -> Verdict:
    ranking, total = found["ranking"], len(record["specs"])
    orders, undefined = ranking["weak_orders"], len(ranking["undefined_specs"])
    head: Sentence
    if not orders:
        head = sentence(f"Undefined: no specification of {total:,} ranks all methods")
    elif len(orders) == 1:
        verdict = "Not identified" if undefined else "Identified"
        where = " wherever it is defined" if undefined else everywhere(total, "specification")
        head = sentence(f"{verdict}: the ranking is ", order_words(orders[0]["order"]), where)
    else:
        shown = [sentence(order_words(one["order"], 3), " at ", spec(one["first"])) for one in _two_orders(orders)]
        head = sentence(
            *("Not identified: the ranking takes ", number(f"{len(orders):,}"), " weak orders over "),
            *(counted(total, "specification"), _tau(ranking), "; as "),
            joined(shown, " and "),
        )
    note = f"; undefined in {undefined} of {counted(total, 'specification')}" if orders and undefined else ""
    return Verdict(
        population=population,
        endpoint="ranking",
        name="ranking",
        settled=None if not orders else len(orders) == 1 and not undefined,
        words=sentence(head, note, "."),
        witnesses=tuple(
            Witness(plain(order_words(one["order"], 3)), one["first"], tuple(record["coordinates"]))
            for one in (_two_orders(orders) if len(orders) > 1 else ())
        ),
    )


def _two_orders(orders: list[Json]) -> list[Json]:
    """The order that most specifications have, and of the others that which most have and which starts otherwise."""
    first, *others = sorted(orders, key=lambda one: -one["specs"])
    start = order_words(first["order"], 3)
    return [first, *[one for one in others if order_words(one["order"], 3) != start][:1]]


def _tau(ranking: Json) -> Sentence:
    """The least and greatest agreement of two specifications; one that ties all methods agrees with none."""
    tau = ranking["tau_b"]
    if tau is None:
        return ()
    least, greatest = number(f"{tau['min']:.4f}"), number(f"{tau['max']:.4f}")
    compared = sum(one["specs"] for one in ranking["weak_orders"] if len(one["order"]) > 1)
    tied = compared < sum(one["specs"] for one in ranking["weak_orders"])
    among = f" among the {compared:,} that do not tie all methods" if tied else ""
    return sentence(", tau-b ", least, *((" to ", greatest) if greatest != least else ()), among)


def _winner(record: Json, population: str, found: Json) -> Verdict:
    ranking, total = found["ranking"], len(record["specs"])
    orders, undefined = ranking["weak_orders"], len(ranking["undefined_specs"])
    groups = list(dict.fromkeys(tuple(one["order"][0]) for one in orders))
    wins = [_win(method, orders) for method in ranking["winners"]]
    note = f"; undefined in {undefined} of {counted(total, 'specification')}" if undefined else ""
    if not groups:
        words = sentence("Undefined: no method ranks first anywhere.")
    elif len(groups) == 1:
        verdict = "Not identified" if undefined else "Identified"
        where = " wherever the ranking is defined" if undefined else everywhere(total, "specification")
        verb = " ranks first" if len(groups[0]) == 1 else " tie for first"
        leaders = few([[name(method)] for method in groups[0]], _MOST_NAMED)
        words = sentence(f"{verdict}: ", leaders, verb, where, note, ".")
    else:
        told = few([sentence(name(one.method), f" (in {one.specs:,})") for one in wins], _MOST_NAMED)
        count = (
            f"Not identified: {counted(len(wins), 'method')} can rank first over {counted(total, 'specification')}: "
        )
        words = sentence(count, told, note, ".")
    return Verdict(
        population=population,
        endpoint="winner",
        name="winner",
        settled=None if not groups else len(groups) == 1 and not undefined,
        words=words,
        witnesses=tuple(
            Witness(f"{one.method} first", one.first, tuple(record["coordinates"]))
            for one in (wins if len(groups) > 1 else ())
        ),
    )


class _Win(NamedTuple):
    method: str
    specs: int  # at which it ranks first, alone or not
    first: str


def _win(method: str, orders: Iterable[Json]) -> _Win:
    own = [one for one in orders if method in one["order"][0]]
    return _Win(method, sum(one["specs"] for one in own), own[0]["first"])


def _pairs(record: Json, population: str, found: Json) -> Iterator[Verdict]:
    pairs, named = found["ranking"]["pairs"], {tuple(one["pair"]) for one in record["endpoints"]["effects"]}
    if len(pairs) > _ALL_PAIRS:
        yield _all_pairs(population, pairs)
        pairs = [one for one in pairs if {(one["a"], one["b"]), (one["b"], one["a"])} & named]
    for pair in pairs:
        turned = (pair["b"], pair["a"]) in named and (pair["a"], pair["b"]) not in named
        yield _pair(record, population, pair, turned=turned)


def _all_pairs(population: str, pairs: list[Json]) -> Verdict:
    """How the pairs stand, and by name those that are few: the pairs that keep one order, or those that reverse."""
    relations = [pair["relation"] for pair in pairs]
    strict = [sentence(name(a), " > ", name(b)) for a, b in map(_sides, pairs) if a]
    reversing = [sentence(name(p["a"]), " and ", name(p["b"])) for p in pairs if p["relation"] == "reversal"]
    robust = relations.count("robust_strict") + relations.count("robust_tie")
    told = ", ".join(
        f"{relations.count(relation):,} {words}" for relation, words in _RELATIONS if relation in relations
    )
    head = f"{'Robust' if robust == len(pairs) else 'Not robust'}: of {len(pairs):,} pairs, {told}"
    these = [
        sentence(f". {words}: ", few(named, _MOST_NAMED))
        for words, named in (("Strict everywhere", strict), ("Reversing", reversing))
        if 0 < len(named) <= _MOST_NAMED
    ]
    return Verdict(
        population=population,
        endpoint="pairs",
        name=f"{len(pairs)} pairs",
        settled=robust == len(pairs),
        words=sentence(head, *these, "."),
    )


def _sides(pair: Json) -> tuple[str, str]:
    """Upper and lower method of a pair that is robust and strict; empty for another."""
    if pair["relation"] != "robust_strict":
        return "", ""
    return (pair["a"], pair["b"]) if pair["signs"]["plus"] else (pair["b"], pair["a"])


def _pair(record: Json, population: str, pair: Json, *, turned: bool) -> Verdict:
    found = record["populations"][population]
    identified = next(
        one for one in found["identified"] if (one["endpoint"], one["a"], one["b"]) == ("margin", pair["a"], pair["b"])
    )
    a, b = (pair["b"], pair["a"]) if turned else (pair["a"], pair["b"])
    total = sum(pair["signs"].values())
    ends = [_margin_end(identified[key], turned=turned) for key in (("max", "min") if turned else ("min", "max"))]
    span = Range(ends[0], ends[1], identified["undefined"], total)
    return Verdict(
        population=population,
        endpoint="margin",
        name=f"{a} - {b}",
        settled=None if pair["relation"] is None else pair["relation"].startswith("robust"),
        words=sentence(_relation_words(pair, a, b, turned=turned), _span_words(span), "."),
        values=exact_values(span),
        witnesses=range_ends(span, tuple(record["coordinates"])),
        sampling=_envelope(found, pair, turned=turned),
    )


def _margin_end(end: Json | None, *, turned: bool) -> End | None:
    if end is None:
        return None
    value = Fraction(end["exact"])
    return End(-value if turned else value, end["spec"])


def _relation_words(pair: Json, a: str, b: str, *, turned: bool) -> Sentence:
    signs = pair["signs"]
    above, below, zero = signs["plus"], signs["minus"], signs["zero"]
    if turned:
        above, below = below, above
    total = above + below + zero + signs["undefined"]
    where = " wherever both have a level" if signs["undefined"] else everywhere(total, "specification")
    match pair["relation"]:
        case "robust_strict":
            upper, lower = (a, b) if above else (b, a)
            head = sentence("Robust: ", name(upper), " is above ", name(lower), where)
        case "robust_tie":
            head = sentence("Robust: ", name(a), " and ", name(b), " tie", where)
        case None:
            return sentence("Undefined: ", name(a), " - ", name(b), f" has no value in any of {total:,} specifications")
        case relation:
            verdict = "Reversal" if relation == "reversal" else "Weak"
            head = sentence(f"{verdict}: ", name(a), " is ", _side_words(b, above, zero, below))
            head = sentence(head, f" of {counted(total, 'specification')}")
    undefined = f", undefined in {signs['undefined']:,} of {total:,}" if signs["undefined"] else ""
    return sentence(head, undefined)


def _side_words(other: str, above: int, zero: int, below: int) -> Sentence:
    """In how many specifications a method is on each side of another, which is named once."""
    sides = [("above ", above), ("tied with ", zero), ("below ", below)]
    held = [(words, count) for words, count in sides if count]
    first = (held[0][0], name(other), f" in {held[0][1]:,}")
    return joined(
        [sentence(*first), *(sentence(f"{words}it in {count:,}") for words, count in held[1:])], ", ", " and "
    )


def _span_words(span: Range) -> Sentence:
    least, greatest = span.least, span.greatest
    if least is None or greatest is None or (least.value == greatest.value == 0):
        return ()
    if least.value == greatest.value:
        return sentence("; the margin is ", change_words(least.value))
    low, high = (points(end.value, signed=True) for end in (least, greatest))
    ends = ("; the margin ranges from ", number(low), " to ", number(f"{high} pp"))
    return sentence(*ends, ", lowest at ", spec(least.where), ", highest at ", spec(greatest.where))


def _envelope(found: Json, pair: Json, *, turned: bool) -> Sentence:
    """The simultaneous sampling envelope of a margin."""
    known = found["uncertainty"].get("envelope", [])
    own = next((one for one in known if (one["a"], one["b"]) == (pair["a"], pair["b"])), None)
    if own is None or own["lower"] is None or own["upper"] is None:
        return ()
    low, high = (-own["upper"], -own["lower"]) if turned else (own["lower"], own["upper"])
    level = f"{found['uncertainty']['level']:.0%}"
    head = f"{level} sampling envelope over all specifications: from "
    return sentence(head, number(interval_points(low)), " to ", number(f"{interval_points(high)} pp"), ".")
