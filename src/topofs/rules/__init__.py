"""Rules that rank columns; one file per rule."""

from topofs.rules.base import CoverageModel, Ranking, Rule, ScoreWords
from topofs.rules.centrality import Centrality
from topofs.rules.coverage import Coverage
from topofs.rules.variance import Variance

__all__ = [
    "Centrality",
    "Coverage",
    "CoverageModel",
    "Ranking",
    "Rule",
    "ScoreWords",
    "Variance",
]
