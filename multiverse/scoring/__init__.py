"""The scoring layer, the only home of DuckDB: legality, matching, signatures, exact levels."""

from multiverse.scoring.legal_families import LegalFamilies, legal_families
from multiverse.scoring.legality import Cell, Judging
from multiverse.scoring.levels import Level
from multiverse.scoring.rows import RowGroups, RowScore, RowScores
from multiverse.scoring.score import PopulationScores, Scores, score
from multiverse.scoring.single import RowFacts, row_facts, single_row

__all__ = [
    "Cell",
    "Judging",
    "LegalFamilies",
    "Level",
    "PopulationScores",
    "RowFacts",
    "RowGroups",
    "RowScore",
    "RowScores",
    "Scores",
    "legal_families",
    "row_facts",
    "score",
    "single_row",
]
