"""Which groups are legal under which contract and terminal treatment: a small code decides (DESIGN section 4)."""

from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from multiverse.declaration import Declaration
from multiverse.errors import Fault, InputError
from multiverse.predicates import TRUE, Predicate
from multiverse.scoring.engine import Arrays, Engine
from multiverse.scoring.expressions import WORD_BITS, Compiler
from multiverse.specification import Specification
from multiverse.substrate import References

Bits = NDArray[np.bool_]
Cell: TypeAlias = tuple[int, int]  # the positions of a contract and a terminal treatment


class Judging(NamedTuple):
    """How objects are to be judged: what each contract requires of the objects of each class, in which cells."""

    requirements: tuple[tuple[frozenset[str], ...], ...]  # by contract, by class: names of predicates
    cells: tuple[Cell, ...]
    classes: tuple[Predicate, ...] = (TRUE,)  # a partition of the objects
    name: str = ""  # of what declares the classes, for messages


class Legality(NamedTuple):
    """Legality, collapsed: (contract, terminal) cells under which the same groups are legal are one pattern."""

    patterns: dict[Cell, int]
    width: int  # number of patterns, at least 1
    words: tuple[str, ...]  # columns of `legal_groups` that hold the patterns, `WORD_BITS` bits each


def declared_judging(declaration: Declaration, specs: Iterable[Specification]) -> Judging:
    """Objects judged as the contracts declare, in the cells of the specifications."""
    return judging_in(declaration, ((spec.contract, spec.terminal) for spec in specs))


def judging_in(declaration: Declaration, cells: Iterable[Cell]) -> Judging:
    """Objects judged as the contracts declare, in the cells given."""
    always, contracts = declaration.always, declaration.coordinates.contract
    requirements = tuple((frozenset({*always, *contract.require}),) for contract in contracts)
    return Judging(requirements, tuple(dict.fromkeys(cells)))


def judge_groups(engine: Engine, declaration: Declaration, references: References, judging: Judging) -> Legality:
    """Make the tables `judged` (an object each), and `legal_groups` (r, g, o, single, words): groups legal somewhere.

    For scores the row itself is the one object of its one group.
    """
    chunks = _needed_predicates(declaration, judging)
    _judge_objects(engine, declaration, references, _JudgedBy(chunks, judging.classes))
    _check_partition(engine, references, judging)
    kinds = _Kinds(len(judging.classes), len(chunks))
    _gather_groups(engine, kinds, [(1 << len(chunk)) - 1 for chunk in chunks])
    codes = engine.arrays(f"SELECT DISTINCT {', '.join(kinds.columns)} FROM groups")
    legal = _legal_codes(declaration, judging, codes, chunks)
    distinct, inverse = np.unique(legal, axis=1, return_inverse=True)
    words = _register_codes(engine, codes, distinct)
    some = " OR ".join(f"{word} <> 0" for word in words)
    engine.run(
        f"""
        CREATE TEMP TABLE legal_groups AS
        SELECT r, g, o, single, {", ".join(words)}
        FROM groups JOIN codes USING ({", ".join(kinds.columns)}) WHERE {some}
        """
    )
    engine.run("DROP TABLE groups")
    patterns = {cell: int(pattern) for cell, pattern in zip(judging.cells, inverse.ravel(), strict=True)}
    return Legality(patterns=patterns, width=distinct.shape[1], words=words)


def _needed_predicates(declaration: Declaration, judging: Judging) -> list[list[str]]:
    """The predicates that some contract in use requires, in the order declared, a list per word."""
    contracts = {contract for contract, _ in judging.cells}
    required = {name for contract in contracts for names in judging.requirements[contract] for name in names}
    needed = [name for name in declaration.predicates if name in required]
    return [needed[start : start + WORD_BITS] for start in range(0, len(needed), WORD_BITS)] or [[]]


class _JudgedBy(NamedTuple):
    chunks: list[list[str]]
    classes: tuple[Predicate, ...]


def _judge_objects(engine: Engine, declaration: Declaration, references: References, by: _JudgedBy) -> None:
    table = "objects" if references.kind == "hypotheses" else "rows"
    frame = references.objects
    if frame is None:
        ids = [pl.int_range(pl.len(), dtype=pl.UInt32).alias(name) for name in ("r", "g", "o")]
        frame = references.rows.drop("cluster", "stratum").with_columns(ids)
    engine.register("objects_in", frame)
    compiler = Compiler(references.attributes[table])
    special = "false" if declaration.special is None else compiler.boolean(declaration.special)
    held = [f"({compiler.boolean(where)})" for where in by.classes]
    cases = [f"WHEN {test} THEN {k}" for k, test in enumerate(held)]
    words = [compiler.word([declaration.predicates[name] for name in chunk]) for chunk in by.chunks]
    named = ", ".join(f"{word} AS w{i}" for i, word in enumerate(words))
    engine.run(
        f"""
        CREATE TEMP TABLE judged AS
        SELECT r, g, o, {special} AS special, CASE {" ".join(cases)} END AS class,
            {" + ".join(f"{test}::INT" for test in held)} AS held, {named}
        FROM objects_in
        """,
        compiler.parameters,
    )


def _check_partition(engine: Engine, references: References, judging: Judging) -> None:
    """Every object is in one class: a hole and an overlap are faults."""
    if judging.classes == (TRUE,):
        return
    found = engine.arrays(
        "SELECT held, min(r) AS r, count(*) AS n FROM judged WHERE held <> 1 GROUP BY held ORDER BY held"
    )
    faults = []
    for held, row, count in zip(*(found[name].tolist() for name in ("held", "r", "n")), strict=True):
        more = f" ({count - 1} more)" if count > 1 else ""
        where = f"{references.objects_place}, row {references.row_ids[row]!r}"
        inside = "no class" if not held else f"{held} classes"
        faults.append(Fault(where=where, found=f"an object in {inside} of {judging.name}{more}", expected="one class"))
    if faults:
        raise InputError(faults)


class _Kinds(NamedTuple):
    """The columns of a group's code: for each class and word, ordinary objects in w and special ones in s."""

    classes: int
    words: int

    @property
    def columns(self) -> list[str]:
        """All columns of a code."""
        return [
            "special",
            *(self.column(kind, k, i) for kind in "ws" for k in range(self.classes) for i in range(self.words)),
        ]

    @staticmethod
    def column(kind: str, k: int, i: int) -> str:
        """The column of one class and word."""
        return f"{kind}{k}_{i}"


def _gather_groups(engine: Engine, kinds: _Kinds, full: list[int]) -> None:
    """A group's code: what all its objects of a kind satisfy (every bit where it has none); whether any is special."""
    gathered = [
        f"bit_and(CASE WHEN {test} AND class = {k} THEN w{i} ELSE {bits}::BIGINT END) AS {kinds.column(kind, k, i)}"
        for kind, test in (("w", "NOT special"), ("s", "special"))
        for k in range(kinds.classes)
        for i, bits in enumerate(full)
    ]
    engine.run(
        f"""
        CREATE TEMP TABLE groups AS
        SELECT r, g, min(o) AS o, min(o) = max(o) AS single, bool_or(special) AS special, {", ".join(gathered)}
        FROM judged GROUP BY r, g
        """
    )


def _legal_codes(declaration: Declaration, judging: Judging, codes: Arrays, chunks: list[list[str]]) -> Bits:
    """Whether each code is legal in each (contract, terminal) cell: an array (codes, cells)."""
    special = codes["special"].astype(bool)
    legal = np.ones((len(special), len(judging.cells)), dtype=bool)
    for column, (contract, terminal) in enumerate(judging.cells):
        treatment = declaration.coordinates.terminal[terminal]
        for k, required in enumerate(judging.requirements[contract]):
            legal[:, column] &= _hold(codes, "w", k, _bits(chunks, required))
            legal[:, column] &= _hold(codes, "s", k, _bits(chunks, required - set(treatment.exempt)))
        if treatment.treatment == "never_legal":
            legal[:, column] &= ~special
    return legal


def _hold(codes: Arrays, kind: str, k: int, needed: list[int]) -> Bits:
    """For each code, whether all needed bits of a class are set, over all words."""
    held = np.ones(len(codes["special"]), dtype=bool)
    for i, bits in enumerate(needed):
        held &= (codes[_Kinds.column(kind, k, i)] & bits) == bits
    return held


def _bits(chunks: list[list[str]], required: Set[str]) -> list[int]:
    return [sum(1 << i for i, name in enumerate(chunk) if name in required) for chunk in chunks]


def _register_codes(engine: Engine, codes: Arrays, legal: Bits) -> tuple[str, ...]:
    """Register each code with its legality patterns packed into words; the names of the words."""
    packed = pack(legal)
    words = tuple(f"m{i}" for i in range(packed.shape[1]))
    frame = pl.DataFrame(dict(codes.items()) | {w: packed[:, i] for i, w in enumerate(words)})
    engine.register("codes", frame)
    return words


def pack(bits: Bits) -> NDArray[np.int64]:
    """Rows of booleans as rows of words, `WORD_BITS` bits each, the first column in the lowest bit."""
    height, width = bits.shape
    words = np.zeros((height, max(1, -(-width // WORD_BITS))), dtype=np.int64)
    for column in range(width):
        words[:, column // WORD_BITS] |= bits[:, column].astype(np.int64) << (column % WORD_BITS)
    return words


def unpack(words: Sequence[NDArray[np.int64]], width: int) -> Bits:
    """The inverse of `pack`, from its columns."""
    columns = [(words[i // WORD_BITS] >> (i % WORD_BITS)) & 1 for i in range(width)]
    return np.stack(columns, axis=1).astype(bool) if columns else np.zeros((len(words[0]), 0), dtype=bool)
