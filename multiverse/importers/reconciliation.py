"""The numbers that a log reports, or a tool gives for it, against those of the study's specifications."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import Literal, NamedTuple, TypeAlias

from multiverse.audit import Audit
from multiverse.exact import exact_text, from_exact_text
from multiverse.importers.log import Headline, Log
from multiverse.specification import COORDINATES, CoordinateName

Verdict: TypeAlias = Literal["equal", "rounded", "differs", "undefined"]
_ROUNDING = Fraction(1, 10**12)  # what sums of doubles in another order may come to


class Reconciled(NamedTuple):
    """One number of the log, and the level that has to give it."""

    headline: Headline
    spec: str
    level: Fraction | None  # on the harness's scale
    verdict: Verdict
    reporter: str  # whose number it is

    @property
    def words(self) -> str:
        """The comparison as one line."""
        headline = self.headline
        told = f"{headline.method}: {headline.name} {headline.value!r}"
        at = f"at {self.spec} over {headline.population}"
        why = f"; {headline.caveat}" if headline.caveat else ""
        match self.verdict:
            case "equal":
                return f"{told} = {_shown(self.level)} {at}"
            case "rounded":
                return f"{told} = {_shown(self.level)}, but for the rounding of {self.reporter}, {at}"
            case "undefined":
                return f"{told}, and no row counts {at}{why}"
            case _:
                assert self.level is not None
                off = headline.value - _double(self.level)
                return f"{told} differs by {off:.6g} from {_shown(self.level)} {at}{why}"


def reconcile(log: Log, found: Audit) -> tuple[Reconciled, ...]:
    """Every headline of the log beside the level of an audit of all specifications."""
    table = found.levels.select("population", "spec", "method", "exact")
    levels: dict[tuple[object, ...], str | None] = {(p, s, m): exact for p, s, m, exact in table.iter_rows()}
    return tuple(_reconciled(headline, log, levels) for headline in log.headlines)


def spec_id(log: Log, chosen: Mapping[CoordinateName, str]) -> str:
    """The specification of the harness, but for what is chosen."""
    options = log.harness_options | dict(chosen)
    return "/".join(options[coordinate] for coordinate in COORDINATES if coordinate in options)


def _reconciled(headline: Headline, log: Log, levels: Mapping[tuple[object, ...], str | None]) -> Reconciled:
    spec = spec_id(log, headline.chosen)
    exact = levels[headline.population, spec, headline.method]
    level = None if exact is None else from_exact_text(exact)
    if level is None:
        return Reconciled(headline, spec, None, "undefined", log.reporter)
    level = headline.low + headline.scale * level
    return Reconciled(headline, spec, level, _verdict(headline, level), log.reporter)


def _verdict(headline: Headline, level: Fraction) -> Verdict:
    if headline.value == _double(level):
        return "equal"
    off = abs(Fraction(headline.value) - level)
    allowed = (
        _ROUNDING * max(Fraction(1), abs(level)) if headline.digits is None else Fraction(1, 2 * 10**headline.digits)
    )
    return "rounded" if off <= allowed + _ROUNDING else "differs"


def _double(level: Fraction) -> float:
    """The nearest double; infinite beyond the greatest."""
    try:
        return float(level)
    except OverflowError:
        return inf if level > 0 else -inf


def reconciled_words(found: Sequence[Reconciled]) -> str:
    """How many numbers are reproduced."""
    if not found:
        return "reconciled: the log reports no number of its own"
    good = sum(one.verdict in ("equal", "rounded") for one in found)
    return f"reconciled: {good} of {len(found)} numbers of {found[0].reporter}"


def _shown(level: Fraction | None) -> str:
    assert level is not None
    text = exact_text(level)
    return text if len(text) <= 40 else repr(_double(level))
