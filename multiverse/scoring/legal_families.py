"""The legal family of every row: which sets of objects are legal in which cells, from rows and objects alone."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiverse.declaration import Declaration
from multiverse.scoring.engine import Engine
from multiverse.scoring.expressions import Compiler
from multiverse.scoring.legality import Bits, Cell, judge_groups, judging_in, unpack
from multiverse.scoring.signatures import population_words
from multiverse.substrate import References


class LegalFamilies(NamedTuple):
    """Legal families as their sets of objects, each once a row; sets that are legal in the same cells may be one."""

    populations: Bits  # (rows, populations)
    patterns: Mapping[Cell, int]
    row: NDArray[np.int64]  # (sets,) the row of each set
    legal: Bits  # (sets, patterns)

    def present(self, cell: Cell) -> Bits:
        """(rows,) whether the family is not empty."""
        return self._rows_of(self.legal[:, self.patterns[cell]])

    def same(self, one: Cell, other: Cell) -> Bits:
        """(rows,) whether the families in two cells are the same sets of objects."""
        return ~self._rows_of(self.legal[:, self.patterns[one]] != self.legal[:, self.patterns[other]])

    def _rows_of(self, chosen: Bits) -> Bits:
        held = np.zeros(len(self.populations), dtype=bool)
        held[self.row[chosen]] = True
        return held


def legal_families(
    declaration: Declaration, references: References, cells: Iterable[Cell], *, threads: int | None = None
) -> LegalFamilies:
    """The legal families of all rows in the cells given."""
    with Engine(threads=threads) as engine:
        legality = judge_groups(engine, declaration, references, judging_in(declaration, cells))
        gathered = ", ".join(f"bit_or({word}) AS {word}" for word in legality.words)
        found = engine.arrays(
            f"""
            WITH sets AS (
                SELECT r, g, list(DISTINCT o ORDER BY o) AS objects
                FROM judged SEMI JOIN legal_groups USING (r, g) GROUP BY r, g
            ),
            families AS (SELECT r, {gathered} FROM legal_groups JOIN sets USING (r, g) GROUP BY r, objects)
            SELECT DISTINCT r::BIGINT AS r, {", ".join(legality.words)} FROM families
            """
        )
        return LegalFamilies(
            populations=_populations(engine, declaration, references),
            patterns=legality.patterns,
            row=found["r"],
            legal=unpack([found[word] for word in legality.words], legality.width),
        )


def _populations(engine: Engine, declaration: Declaration, references: References) -> Bits:
    compiler = Compiler(references.attributes["rows"])
    words = population_words(compiler, [population.where for population in declaration.populations])
    engine.register("population_rows", references.rows.with_row_index("r"))
    found = engine.arrays(f"SELECT {', '.join(words)} FROM population_rows ORDER BY r", compiler.parameters)
    return unpack(list(found.values()), len(declaration.populations))
