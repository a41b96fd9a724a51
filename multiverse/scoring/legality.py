"""Which groups are legal under which contract and terminal treatment: a small code decides (DESIGN section 4)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from multiverse.declaration import Declaration
from multiverse.scoring.engine import Arrays, Engine
from multiverse.scoring.expressions import WORD_BITS, Compiler
from multiverse.specification import Contract, Specification, Terminal
from multiverse.substrate import Substrate

Bits = NDArray[np.bool_]


class Legality(NamedTuple):
    """Legality, collapsed: (contract, terminal) cells under which the same groups are legal are one pattern."""

    patterns: dict[tuple[int, int], int]  # (contract, terminal) position to pattern
    width: int  # number of patterns, at least 1
    words: tuple[str, ...]  # columns of `legal_groups` that hold the patterns, `WORD_BITS` bits each


def judge_groups(
    engine: Engine, declaration: Declaration, substrate: Substrate, specs: Sequence[Specification]
) -> Legality:
    """Make the tables `judged` (an object each), and `legal_groups` (r, g, o, single, words): groups legal somewhere.

    For scores the row itself is the one object of its one group.
    """
    needed = _needed_predicates(declaration, specs)
    chunks = [needed[start : start + WORD_BITS] for start in range(0, len(needed), WORD_BITS)] or [[]]
    _judge_objects(engine, declaration, substrate, chunks)
    _gather_groups(engine, [(1 << len(chunk)) - 1 for chunk in chunks])
    codes = engine.arrays(f"SELECT DISTINCT {', '.join(_code_columns(len(chunks)))} FROM groups")
    cells = list(dict.fromkeys((spec.contract, spec.terminal) for spec in specs))
    legal = _legal_codes(declaration, needed, _Codes(codes, len(chunks)), cells)
    distinct, inverse = np.unique(legal, axis=1, return_inverse=True)
    words = _register_codes(engine, codes, distinct)
    some = " OR ".join(f"{word} <> 0" for word in words)
    engine.run(
        f"CREATE TEMP TABLE legal_groups AS SELECT r, g, o, single, {', '.join(words)} "
        f"FROM groups JOIN codes USING ({', '.join(_code_columns(len(chunks)))}) WHERE {some}"
    )
    engine.run("DROP TABLE groups")
    patterns = {cell: int(pattern) for cell, pattern in zip(cells, inverse.ravel(), strict=True)}
    return Legality(patterns=patterns, width=distinct.shape[1], words=words)


def _needed_predicates(declaration: Declaration, specs: Sequence[Specification]) -> list[str]:
    """The predicates that some contract in use requires, in the order declared."""
    contracts = {spec.contract for spec in specs}
    required = {name for i in contracts for name in declaration.coordinates.contract[i].require} | set(
        declaration.always
    )
    return [name for name in declaration.predicates if name in required]


def _judge_objects(engine: Engine, declaration: Declaration, substrate: Substrate, chunks: list[list[str]]) -> None:
    table = "objects" if substrate.kind == "hypotheses" else "rows"
    frame = substrate.objects
    if frame is None:
        ids = [pl.int_range(pl.len(), dtype=pl.UInt32).alias(name) for name in ("r", "g", "o")]
        frame = substrate.rows.drop("cluster", "stratum").with_columns(ids)
    engine.register("objects_in", frame)
    compiler = Compiler(substrate.attributes[table])
    special = "false" if declaration.special is None else compiler.boolean(declaration.special)
    words = [
        f"{compiler.word([declaration.predicates[name] for name in chunk])} AS w{i}" for i, chunk in enumerate(chunks)
    ]
    sql = f"CREATE TEMP TABLE judged AS SELECT r, g, o, {special} AS special, {', '.join(words)} FROM objects_in"
    engine.run(sql, compiler.parameters)


def _gather_groups(engine: Engine, full: list[int]) -> None:
    """A group's code: what all its ordinary objects satisfy, what all its special ones do, and whether it has any."""
    ordinary = [f"bit_and(CASE WHEN special THEN {bits}::BIGINT ELSE w{i} END) AS w{i}" for i, bits in enumerate(full)]
    special = [f"bit_and(CASE WHEN special THEN w{i} ELSE {bits}::BIGINT END) AS s{i}" for i, bits in enumerate(full)]
    engine.run(
        "CREATE TEMP TABLE groups AS SELECT r, g, min(o) AS o, min(o) = max(o) AS single, "
        f"bool_or(special) AS special, {', '.join([*ordinary, *special])} FROM judged GROUP BY r, g"
    )


def _code_columns(count: int) -> list[str]:
    return ["special", *(f"w{i}" for i in range(count)), *(f"s{i}" for i in range(count))]


class _Codes(NamedTuple):
    columns: Arrays
    words: int

    def hold(self, prefix: str, needed: NDArray[np.int64]) -> Bits:
        """For each code, whether all needed bits are set, over all words."""
        held = np.ones(len(self.columns["special"]), dtype=bool)
        for i in range(self.words):
            held &= (self.columns[f"{prefix}{i}"] & needed[i]) == needed[i]
        return held


def _legal_codes(declaration: Declaration, needed: list[str], codes: _Codes, cells: list[tuple[int, int]]) -> Bits:
    """Whether each code is legal in each (contract, terminal) cell: an array (codes, cells)."""
    special = codes.columns["special"].astype(bool)
    legal = np.zeros((len(special), len(cells)), dtype=bool)
    for column, (contract, terminal) in enumerate(cells):
        required = _required(declaration, declaration.coordinates.contract[contract])
        treatment = declaration.coordinates.terminal[terminal]
        ordinary = codes.hold("w", _bits(needed, required))
        comparable = _special_pass(codes, needed, required, treatment)
        legal[:, column] = ordinary & (~special | comparable)
    return legal


def _special_pass(codes: _Codes, needed: list[str], required: set[str], treatment: Terminal) -> Bits:
    if treatment.treatment == "never_legal":
        return np.zeros(len(codes.columns["special"]), dtype=bool)
    return codes.hold("s", _bits(needed, required - set(treatment.exempt)))


def _required(declaration: Declaration, contract: Contract) -> set[str]:
    return {*declaration.always, *contract.require}


def _bits(needed: list[str], required: set[str]) -> NDArray[np.int64]:
    words = np.zeros(max(1, -(-len(needed) // WORD_BITS)), dtype=np.int64)
    for position, name in enumerate(needed):
        if name in required:
            words[position // WORD_BITS] |= 1 << (position % WORD_BITS)
    return words


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
