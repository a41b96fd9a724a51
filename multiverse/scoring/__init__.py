"""The scoring layer, the only home of DuckDB: legality, matching, signatures, exact levels."""

from multiverse.scoring.levels import Level
from multiverse.scoring.score import PopulationScores, Scores, score

__all__ = ["Level", "PopulationScores", "Scores", "score"]
