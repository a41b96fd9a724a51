"""Read one figure from an audit of the reconstruction: the paper's quantities, by the record's names."""

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import polars as pl

from multiverse import Audit

Read = Callable[[Audit], Any]
PAIR = ("earliest", "pagerank")  # the order of the record; the paper's margin is PageRank minus Earliest
SPECIFICATION = ["population", "spec"]


def _in(audit: Audit, population: str) -> Any:
    return audit.record["populations"][population]


def sizes(population: str) -> Read:
    """Clusters and rows."""
    return lambda audit: f"{_in(audit, population)['clusters']}, {_in(audit, population)['rows']}"


def stratum_sizes(population: str, stratum: str) -> Read:
    """Clusters and rows of one stratum, counted in the data."""

    def read(audit: Audit) -> str:
        rows = pl.read_parquet(audit.declaration.folder / "../../data/matched/rows.parquet")
        kept = rows.filter(pl.col("stratum") == stratum)
        if population == "exact_prompt":
            kept = kept.filter(pl.col("prompt") == "exact_prompt")
        return f"{kept['cluster_id'].n_unique()}, {kept.height}"

    return read


def effect(population: str, cell: str) -> Read:
    """T."""
    return lambda audit: Fraction(_in(audit, population)["effects"]["adoption"]["cells"][cell]["exact"])


def effect_interval(population: str, cell: str) -> Read:
    """The sampling interval of T."""
    return lambda audit: _in(audit, population)["effects"]["adoption"]["cells"][cell]["interval"]


def effects_everywhere(population: str) -> Read:
    """Every value of the effect, its intervals and its backgrounds, as a set of exact numbers and floats."""

    def read(audit: Audit) -> set[Any]:
        found = _in(audit, population)["effects"]["adoption"]
        values = {Fraction(cell["exact"]) for cell in [*found["cells"].values(), *found["backgrounds"]]}
        return values | {end for cell in found["cells"].values() for end in cell["interval"]}

    return read


def contrast(kind: str, population: str, name: str, cell: str) -> Read:
    """A contrast, `contrasts` or `stratum_contrasts`."""
    return lambda audit: Fraction(_in(audit, population)[kind][name]["cells"][cell]["exact"])


def contrast_interval(kind: str, population: str, name: str, cell: str) -> Read:
    """Its sampling interval."""
    return lambda audit: _in(audit, population)[kind][name]["cells"][cell]["interval"]


def margins(population: str, part: str) -> Read:
    """The least and the greatest margin over the specifications whose id ends so."""

    def read(audit: Audit) -> tuple[Fraction, Fraction]:
        found = [-Fraction(exact) for exact in _pair_margins(audit, population, part)]
        return min(found), max(found)

    return read


def _pair_margins(audit: Audit, population: str, part: str) -> Iterator[str]:
    kept = audit.margins.filter(
        pl.col("population") == population,
        pl.col("spec").str.ends_with(part),
        pl.col("a") == PAIR[0],
        pl.col("b") == PAIR[1],
    )
    yield from kept["exact"]


def crosses(population: str, part: str) -> Read:
    """Whether the margin takes both signs."""

    def read(audit: Audit) -> str:
        low, high = margins(population, part)(audit)
        return "yes" if low < 0 < high else "no"

    return read


def leaders(population: str) -> Read:
    """Which of the pair leads at A=0 and at A=1, in every cell of a family of contracts alone."""

    def read(audit: Audit) -> str:
        found = audit.margins.filter(pl.col("population") == population, pl.col("a") == PAIR[0], pl.col("b") == PAIR[1])
        ahead = {
            spec.split("/")[0][-2:] + (" pagerank" if value < 0 else " earliest")
            for spec, value in found.select("spec", "value").iter_rows()
        }
        return ", ".join(sorted(ahead))

    return read


def weak_orders(population: str) -> Read:
    """How many weak orders the family gives."""
    return lambda audit: len(_in(audit, population)["ranking"]["weak_orders"])


def ties(population: str) -> Read:
    """How many of the weak orders hold a tie."""
    return lambda audit: sum(
        any(len(group) > 1 for group in found["order"]) for found in _in(audit, population)["ranking"]["weak_orders"]
    )


def relations(population: str, relation: str) -> Read:
    """How many pairs of methods have a relation."""
    return lambda audit: sum(pair["relation"] == relation for pair in _in(audit, population)["ranking"]["pairs"])


def pair_relation(population: str) -> Read:
    """The relation of the pair."""
    return lambda audit: next(
        pair["relation"] for pair in _in(audit, population)["ranking"]["pairs"] if (pair["a"], pair["b"]) == PAIR
    )


def tau_b(population: str, end: str) -> Read:
    """The least or the greatest Kendall tau-b, to four decimals."""
    return lambda audit: f"{_in(audit, population)['ranking']['tau_b'][end]:.4f}"


def ranks(population: str, *methods: str) -> Read:
    """The rank sets of some methods."""
    return lambda audit: [_in(audit, population)["ranking"]["rank_sets"][method] for method in methods]


def winners(population: str) -> Read:
    """The winner set."""
    return lambda audit: ", ".join(_in(audit, population)["ranking"]["winners"])


def specifications(audit: Audit) -> int:
    """How many specifications the family holds."""
    return len(audit.record["specs"])


def sign_pattern(audit: Audit) -> float:
    """The share of draws in which the pair's margins have the observed signs."""
    found = _in(audit, "all")["uncertainty"]["sign_pattern"]
    return float(next(one["share"] for one in found if (one["a"], one["b"]) == PAIR))


def envelope(audit: Audit) -> list[float]:
    """The envelope of the paper's margin."""
    one = next(one for one in _in(audit, "all")["uncertainty"]["envelope"] if (one["a"], one["b"]) == PAIR)
    return [-one["upper"], -one["lower"]]


def identified(population: str, endpoint: str) -> Read:
    """The size of the identified set of the effect or the ranking."""
    return lambda audit: next(
        one["count"] for one in _in(audit, population)["identified"] if one["endpoint"] == endpoint
    )


def many(population: str, endpoint: str) -> Read:
    """Whether the identified set holds more than one value."""
    return lambda audit: "yes" if identified(population, endpoint)(audit) > 1 else "no"


def shares(name: str, kind: str) -> Read:
    """The share of a class of objects in the total of the deletion decomposition, over cells of a kind."""

    def read(audit: Audit) -> set[Fraction]:
        cells = _in(audit, "all")["decompositions"]["deletion"]["cells"]
        found = [cell for key, cell in cells.items() if key.endswith(kind)]
        return {Fraction(cell["shares"][name]) / Fraction(cell["total"]) for cell in found}

    return read


def support_shift(cell: str) -> Read:
    """What the effect on its own rows has beyond that on common support, sign turned."""
    return lambda audit: Fraction(_in(audit, "all")["decompositions"]["deletion"]["cells"][cell]["support_shift"])


def common_rows(cell: str) -> Read:
    """The rows of common support in the background that has most, R0T0."""
    found = "common_rows"
    return lambda audit: max(
        one["rows"] for one in _in(audit, "all")["decompositions"]["deletion"]["cells"][cell][found]
    )


def moving(condition: pl.Expr) -> Callable[[Audit], pl.DataFrame]:
    """The lines of the row audit under baseline as written, of all rows, that meet a condition."""

    def read(audit: Audit) -> pl.DataFrame:
        return audit.row_audit.filter(pl.col("population") == "all", pl.col("cell") == "baseline/asym", condition)

    return read


def excludes_zero(kind: str, population: str, name: str, *cells: str) -> Read:
    """Whether every one of some intervals lies on one side of zero."""

    def read(audit: Audit) -> str:
        ends = [contrast_interval(kind, population, name, cell)(audit) for cell in cells]
        return "yes" if all(low * high > 0 for low, high in ends) else "no"

    return read


def row_backgrounds(audit: Audit) -> int:
    """The rows, once for each background of the effect."""
    found = _in(audit, "all")
    return int(found["rows"]) * len(
        {json.dumps(one["background"]) for one in found["effects"]["adoption"]["backgrounds"]}
    )


def share_of_shift(condition: pl.Expr) -> Read:
    """What the units that meet a condition carry of the whole shift, in percent to one decimal."""
    return lambda audit: f"{float(100 * units(condition)(audit) / units(pl.lit(1) == 1)(audit)):.1f}"


def critical(audit: Audit) -> str:
    """The half-width of the envelope, in rows."""
    one = next(one for one in _in(audit, "all")["uncertainty"]["envelope"] if (one["a"], one["b"]) == PAIR)
    return f"{one['critical'] * _in(audit, 'all')['rows']:.2f}"


def count(condition: pl.Expr) -> Read:
    """How many units of the row audit meet a condition."""
    return lambda audit: moving(condition)(audit).height


def units(condition: pl.Expr) -> Read:
    """What they add up to, in outcomes of one unit."""

    def read(audit: Audit) -> Fraction:
        rows = _in(audit, "all")["rows"]
        return sum((Fraction(one) * rows for one in moving(condition)(audit)["contribution"]), Fraction(0))

    return read
