"""The published figures of arXiv:2608.19269, as printed, and where a record has each: the one table of them.

Every number here is the paper's. `exact` is the fraction that the printed decimals determine together with the numbers
of rows or tasks; it is compared as such.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import polars as pl
import reading as of
from reading import Read

Verdict = Literal["match", "within", "unmet"]
POLICIES = ("baseline", "conservative", "conditional")
NEUTRAL = ("keep_both", "exclude_both")
NEAR, MATCHED_NEAR = 0.35, 0.5  # percentage points, for ends of intervals
SHARE_NEAR = 1.0  # for a share of draws, which varies by 0.4 from seed to seed


class Figure(NamedTuple):
    """A published figure, and how it is read."""

    section: str
    what: str
    study: str
    family: str
    read: Read
    published: Any  # decimals as printed, a list of two of them, or a value to equal
    exact: Fraction | None = None
    within: float = 0.0
    unmet: str | None = None  # why, where it is

    @property
    def name(self) -> str:
        """Its name in a test."""
        return f"{self.study}: {self.what}"

    def found(self, value: Any) -> str:
        """A value as the paper would print it."""
        if isinstance(self.published, (list, tuple)) and not isinstance(self.published[0], list):
            return "[" + ", ".join(printed(one) for one in value) + "]"
        if isinstance(self.published, str) and isinstance(value, (Fraction, float)):
            return printed(value) if self.published[0] in "+-0" else f"{100 * value:.1f}"
        return text(value)

    def verdict(self, value: Any) -> Verdict:
        """Whether a value is the published one, near it, or neither."""
        if self.exact is not None and value != self.exact:
            return "unmet"
        if self.found(value) == self.shown:
            return "match"
        return "within" if self.within and self.distance(value) <= self.within else "unmet"

    def distance(self, value: Any) -> float:
        """The furthest that a value is from the published one, in percentage points."""
        ends = (
            zip(value, self.published, strict=True) if isinstance(self.published, list) else [(value, self.published)]
        )
        return max(abs(100 * float(ours) - float(theirs)) for ours, theirs in ends)

    @property
    def shown(self) -> str:
        """The published figure, as in the table."""
        if isinstance(self.published, (list, tuple)) and not isinstance(self.published[0], list):
            return "[" + ", ".join(self.published) + "]"
        return text(self.published)


def printed(value: Fraction | float) -> str:
    """Percentage points with two decimals, exact zero as 0."""
    if value == 0:
        return "0"
    decimals = f"{round(float(value) * 100, 2):+.2f}"
    return "+0.00" if decimals in ("+0.00", "-0.00") else decimals


def text(value: Any) -> str:
    """A value that is not in percentage points."""
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(text(one) for one in value)) + "}"
    return str(value)


def _point(section: str, what: str, read: Read, where: str, published: str, exact: Fraction | None = None) -> Figure:
    study, family = where.split()
    return Figure(section, what, study, family, read, published, exact=exact)


def _ends(
    section: str,
    what: str,
    read: Read,
    where: str,
    published: Sequence[str],
    *,
    within: float = NEAR,
    unmet: str | None = None,
) -> Figure:
    study, family = where.split()
    return Figure(section, what, study, family, read, list(published), within=within, unmet=unmet)


def _same(section: str, what: str, read: Read, where: str, published: Any) -> Figure:
    study, family = where.split()
    return Figure(section, what, study, family, read, published)


def _margins(section: str, what: str, read: Read, where: str, published: tuple[str, str]) -> Figure:
    study, family = where.split()
    return Figure(section, what, study, family, read, published)


# Section A: pooled217

_DRIVER = pl.col("reason").is_not_null()
_COLLAPSE = pl.col("family_from") & ~pl.col("family_to")
_PAGERANK_FALLS = (pl.col("a_from") == "1") & (pl.col("a_to") == "0")
_EARLIEST_RISES = (pl.col("b_from") == "0") & (pl.col("b_to") == "1")
_AGENTRX = pl.col("row_id").str.starts_with("agentrx")
_ORIGINAL, _POLICIES = "pooled217 original", "pooled217 policies"

_POOLED_MARGINS = {
    "baseline": ("-3.23", "+8.76"),
    "conservative": ("+20.74", "+25.35"),
    "conditional": ("+42.28", "+52.00"),
}
_POOLED_T = {
    "baseline": ("-7.72", Fraction(-67, 868)),
    "conservative": ("-3.46", Fraction(-30, 868)),
    "conditional": ("-0.89", None),
}
_POOLED_ENDS = {"baseline": ("-12.10", "-3.92"), "conservative": ("-5.99", "-1.15"), "conditional": ("-4.96", "+2.87")}
_CROSSES = {"baseline": "yes", "conservative": "no", "conditional": "no"}

POOLED = [
    _same("2", "rows, all in clusters of their own", of.sizes("all"), _ORIGINAL, "217, 217"),
    _same("4", "AgentRx rows", of.sizes("agentrx"), _ORIGINAL, "73, 73"),
    _same("4", "TELBench rows", of.sizes("telbench"), _ORIGINAL, "144, 144"),
    _same("4.1", "contracts", of.specifications, _ORIGINAL, 8),
    *(
        figure
        for policy in POLICIES
        for figure in (
            _margins(
                "D.1",
                f"{policy}: margin over the 8 cells",
                of.margins("all", f"/{policy}/asym"),
                _POLICIES,
                _POOLED_MARGINS[policy],
            ),
            _point("D.1", f"{policy}: T", of.effect("all", f"{policy}/asym"), _POLICIES, *_POOLED_T[policy]),
            _ends(
                "D.1",
                f"{policy}: interval of T",
                of.effect_interval("all", f"{policy}/asym"),
                _POLICIES,
                _POOLED_ENDS[policy],
            ),
            _same(
                "D.1",
                f"{policy}: the pair crosses over cells",
                of.crosses("all", f"/{policy}/asym"),
                _POLICIES,
                _CROSSES[policy],
            ),
        )
    ),
    _same("4.1", "baseline: weak orders", of.weak_orders("all"), _ORIGINAL, 2),
    _same("4.1", "baseline: of these with a tie", of.ties("all"), _ORIGINAL, 0),
    _same("4.1", "baseline: pairs robust and strict, of 21", of.relations("all", "robust_strict"), _ORIGINAL, 20),
    _same("4.1", "baseline: strict reversals", of.relations("all", "reversal"), _ORIGINAL, 1),
    _same(
        "4.1",
        "baseline: the pair that reverses is PageRank and Earliest",
        of.pair_relation("all"),
        _ORIGINAL,
        "reversal",
    ),
    _same("4.1", "baseline: least tau-b", of.tau_b("all", "min"), _ORIGINAL, "0.9048"),
    _same("4.1", "baseline: greatest tau-b", of.tau_b("all", "max"), _ORIGINAL, "1.0000"),
    _same(
        "4.1",
        "baseline: ranks of Mini, of Terminal Event Only",
        of.ranks("all", "mini", "terminal_event"),
        _ORIGINAL,
        [[1], [2]],
    ),
    _same(
        "4.1",
        "baseline: ranks of PageRank, of Earliest",
        of.ranks("all", "pagerank", "earliest"),
        _ORIGINAL,
        [[3, 4], [3, 4]],
    ),
    _same("4.1", "baseline: who leads at A=0 and A=1", of.leaders("all"), _ORIGINAL, "A0 pagerank, A1 earliest"),
    Figure(
        "4.1",
        "baseline: draws with the observed signs, %",
        "pooled217",
        "original",
        of.sign_pattern,
        "24.1",
        within=SHARE_NEAR,
    ),
    _ends("4.1", "baseline: envelope of the margin", of.envelope, _ORIGINAL, ("-13.36", "+18.89")),
    _same("4.1", "baseline: half-width of the envelope, in rows of 217", of.critical, _ORIGINAL, "22.00"),
    _point("4.1", "AgentRx: T", of.effect("agentrx", "baseline/asym"), _ORIGINAL, "-2.40", Fraction(-7, 292)),
    _ends("4.1", "AgentRx: interval of T", of.effect_interval("agentrx", "baseline/asym"), _ORIGINAL, ("-5.82", "0")),
    _same("4.1", "AgentRx: the pair crosses", of.crosses("agentrx", "/baseline/asym"), _ORIGINAL, "no"),
    _point("4.1", "TELBench: T", of.effect("telbench", "baseline/asym"), _ORIGINAL, "-10.42", Fraction(-60, 576)),
    _ends(
        "4.1",
        "TELBench: interval of T",
        of.effect_interval("telbench", "baseline/asym"),
        _ORIGINAL,
        ("-17.01", "-4.86"),
    ),
    _same("4.1", "TELBench: the pair crosses", of.crosses("telbench", "/baseline/asym"), _ORIGINAL, "yes"),
    _point(
        "4.1",
        "AgentRx minus TELBench: T",
        of.contrast("stratum_contrasts", "all", "corpus", "baseline/asym"),
        _ORIGINAL,
        "+8.02",
        Fraction(-7, 292) + Fraction(60, 576),
    ),
    _ends(
        "4.1",
        "AgentRx minus TELBench: interval",
        of.contrast_interval("stratum_contrasts", "all", "corpus", "baseline/asym"),
        _ORIGINAL,
        ("+1.47", "+14.95"),
    ),
    _same("4.2", "contract-policy analyses", of.specifications, _POLICIES, 24),
    _same("4.2", "policies: weak orders", of.weak_orders("all"), _POLICIES, 5),
    _same("4.2", "policies: robust pairs", of.relations("all", "robust_strict"), _POLICIES, 15),
    _same("4.2", "policies: strict reversals", of.relations("all", "reversal"), _POLICIES, 6),
    _same("D.2", "row audit: units of a row and a background", of.row_backgrounds, _ORIGINAL, 868),
    _same("D.2", "row audit: drivers", of.count(_DRIVER), _ORIGINAL, 57),
    _same("D.2", "row audit: drivers that move the margin", of.count(pl.col("contribution") != "0"), _ORIGINAL, 53),
    _same("D.2", "row audit: their sum, in units", of.units(_DRIVER), _ORIGINAL, Fraction(-67)),
    _same("D.2", "row audit: PageRank from right to wrong", of.count(_PAGERANK_FALLS), _ORIGINAL, 36),
    _same(
        "D.2",
        "row audit: of these, its hypothesis deleted",
        of.count(_PAGERANK_FALLS & (pl.col("a_reason") == "predicted_hypothesis_deleted")),
        _ORIGINAL,
        36,
    ),
    _same("D.2", "row audit: Earliest from wrong to right", of.count(_EARLIEST_RISES), _ORIGINAL, 37),
    _same(
        "D.2",
        "row audit: of these, an empty answer credited on collapse",
        of.count(_EARLIEST_RISES & _COLLAPSE & (pl.col("b_reason") == "family_collapsed")),
        _ORIGINAL,
        37,
    ),
    _same("D.2", "row audit: drivers that collapse", of.count(_DRIVER & _COLLAPSE), _ORIGINAL, 51),
    _same("D.2", "row audit: what these carry, in units", of.units(_DRIVER & _COLLAPSE), _ORIGINAL, Fraction(-61)),
    _same("D.2", "row audit: that is, %", of.share_of_shift(_DRIVER & _COLLAPSE), _ORIGINAL, "91.0"),
    _same("D.2", "row audit: AgentRx, in units of 292", of.units(_DRIVER & _AGENTRX), _ORIGINAL, Fraction(-7)),
    _same("D.2", "row audit: TELBench, in units of 576", of.units(_DRIVER & ~_AGENTRX), _ORIGINAL, Fraction(-60)),
]

# Section B: elephant

_AUDIT = "elephant audit"
_T = {
    "baseline": ("-43.03", Fraction(-475, 1104)),
    "conservative": ("-41.30", Fraction(-57, 138)),
    "conditional": ("-40.76", None),
}
_T_ENDS = {"baseline": ("-50.82", "-35.14"), "conservative": ("-48.91", "-33.70"), "conditional": ("-48.61", "-32.98")}
_NEUTRAL_T = {
    "baseline": ("+43.03", Fraction(475, 1104)),
    "conservative": ("+41.30", Fraction(57, 138)),
    "conditional": ("+41.21", None),
}
_NEUTRAL_ENDS = {
    "baseline": ("+35.14", "+50.82"),
    "conservative": ("+33.70", "+48.91"),
    "conditional": ("+32.98", "+48.61"),
}
_MIRROR = "the printed ends are those of T on its own support, mirrored, which are met; on common support see above"

ELEPHANT = [
    _same("5.2", "tasks, traces", of.sizes("all"), _AUDIT, "138, 176"),
    *(
        figure
        for policy in POLICIES
        for figure in (
            _point("5.2", f"asym, {policy}: T", of.effect("all", f"{policy}/asym"), _AUDIT, *_T[policy]),
            _ends(
                "5.2",
                f"asym, {policy}: interval of T",
                of.effect_interval("all", f"{policy}/asym"),
                _AUDIT,
                _T_ENDS[policy],
            ),
            *(
                _point(
                    "6.1",
                    f"{treatment} minus asym, {policy}: T on common support",
                    of.contrast("contrasts", "all", f"{treatment.removesuffix('_both')}_minus_asym", policy),
                    _AUDIT,
                    *_NEUTRAL_T[policy],
                )
                for treatment in NEUTRAL
            ),
            *(
                _ends(
                    "6.1",
                    f"{treatment} minus asym, {policy}: interval",
                    of.contrast_interval("contrasts", "all", f"{treatment.removesuffix('_both')}_minus_asym", policy),
                    _AUDIT,
                    _NEUTRAL_ENDS[policy],
                    unmet=_MIRROR if policy == "conditional" else None,
                )
                for treatment in NEUTRAL
            ),
        )
    ),
    _same(
        "6.1",
        "cc: T in every cell and background, and all interval ends",
        of.effects_everywhere("all"),
        "elephant cc",
        {Fraction(0)},
    ),
    _same("2.3", "cc: values of T", of.identified("all", "effect"), "elephant cc", 1),
    _same("2.3", "cc: values of the ranking are more than one", of.many("all", "ranking"), "elephant cc", "yes"),
    _same("2.3", "audit: values of T are more than one", of.many("all", "effect"), _AUDIT, "yes"),
    _same(
        "6.1",
        "conditional: traces of common support at R0T0, all 138 tasks'",
        of.common_rows("conditional/asym"),
        _AUDIT,
        176,
    ),
    _same("5.2", "asym: analyses", of.specifications, "elephant asym", 24),
    _same("5.2", "asym: weak orders", of.weak_orders("all"), "elephant asym", 8),
    _same("5.2", "asym: strict reversals", of.relations("all", "reversal"), "elephant asym", 12),
    _same("5.2", "asym: least tau-b", of.tau_b("all", "min"), "elephant asym", "-0.0501"),
    *(
        _margins(
            "D.4",
            f"keep_both, {policy}: margin",
            of.margins("all", f"/{policy}/keep_both"),
            "elephant keep",
            ("+43.84", "+55.43"),
        )
        for policy in POLICIES
    ),
    _same("D.4", "keep_both: weak orders", of.weak_orders("all"), "elephant keep", 3),
    _same("D.4", "keep_both: strict reversals", of.relations("all", "reversal"), "elephant keep", 1),
    _same("D.4", "keep_both: least tau-b", of.tau_b("all", "min"), "elephant keep", "0.5534"),
    _same("D.4", "keep_both: greatest tau-b", of.tau_b("all", "max"), "elephant keep", "1.0000"),
    _same(
        "D.4",
        "keep_both: winners",
        of.winners("all"),
        "elephant keep",
        "bm25, mini, minimal_hitting_set, pagerank, terminal_event",
    ),
    _margins(
        "D.4",
        "exclude_both, baseline: margin",
        of.margins("all", "/baseline/exclude_both"),
        "elephant exclude",
        ("-0.72", "+13.41"),
    ),
    _margins(
        "D.4",
        "exclude_both, conditional: margin",
        of.margins("all", "/conditional/exclude_both"),
        "elephant exclude",
        ("+2.54", "+14.66"),
    ),
    _same("D.4", "exclude_both: weak orders", of.weak_orders("all"), "elephant exclude", 5),
    _same("D.4", "exclude_both: strict reversals", of.relations("all", "reversal"), "elephant exclude", 6),
    _same("D.4", "exclude_both: least tau-b", of.tau_b("all", "min"), "elephant exclude", "0.4286"),
    _same("D.4", "exclude_both: greatest tau-b", of.tau_b("all", "max"), "elephant exclude", "1.0000"),
    _same("D.4", "exclude_both: winners", of.winners("all"), "elephant exclude", "mini"),
    _same(
        "6.2",
        "deletion, asym, every policy: share of terminal objects",
        of.shares("terminal", "asym"),
        _AUDIT,
        {Fraction(1)},
    ),
    _same(
        "6.2",
        "deletion, asym, every policy: share of the others",
        of.shares("nonterminal", "asym"),
        _AUDIT,
        {Fraction(0)},
    ),
    _point("6.1", "conditional: own support less common, of T", of.support_shift("conditional/asym"), _AUDIT, "+0.46"),
]

# Section C: matched

_NEUTRAL_C = {
    "exact_prompt": {
        "baseline": ("+3.68", Fraction(5, 136)),
        "conservative": ("+1.47", Fraction(2, 136)),
        "conditional": ("0", None),
    },
    "task_id": {
        "baseline": ("+3.57", Fraction(5, 140)),
        "conservative": ("+1.43", Fraction(2, 140)),
        "conditional": ("0", None),
    },
}
_ASYM_C = {"baseline": "-51.47", "conservative": "-51.47", "conditional": "-54.23"}
_ENDS_C = {"baseline": ("0", "+10.29"), "conservative": ("0", "+4.41"), "conditional": ("-2.75", "+3.61")}

MATCHED = [
    _same(
        "5.2", "exact prompt: tasks, traces", of.stratum_sizes("exact_prompt", "elephant"), "matched audit", "34, 41"
    ),
    _same("5.2", "task id: tasks, traces", of.stratum_sizes("task_id", "elephant"), "matched audit", "35, 42"),
    *(
        _point(
            "D.3",
            f"asym, {policy}: elephant minus pooled217",
            of.contrast("stratum_contrasts", "exact_prompt", "corpus", f"{policy}/asym"),
            "matched audit",
            published,
        )
        for policy, published in _ASYM_C.items()
    ),
    _same(
        "D.3",
        "asym: every interval excludes zero",
        of.excludes_zero("stratum_contrasts", "exact_prompt", "corpus", *(f"{policy}/asym" for policy in POLICIES)),
        "matched audit",
        "yes",
    ),
    *(
        _point(
            "D.3",
            f"{treatment}, {policy}, {population}: elephant minus pooled217",
            of.contrast("stratum_contrasts", population, "corpus", f"{policy}/{treatment}"),
            "matched audit",
            *published,
        )
        for population, figures in _NEUTRAL_C.items()
        for treatment in NEUTRAL
        for policy, published in figures.items()
    ),
    *(
        _ends(
            "D.3",
            f"{treatment}, {policy}, exact_prompt: interval",
            of.contrast_interval("stratum_contrasts", "exact_prompt", "corpus", f"{policy}/{treatment}"),
            "matched audit",
            published,
            within=MATCHED_NEAR,
        )
        for treatment in NEUTRAL
        for policy, published in _ENDS_C.items()
    ),
]

FIGURES = [*POOLED, *ELEPHANT, *MATCHED]
