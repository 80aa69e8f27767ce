"""How columns are ranked: one file a rule."""

from topofs.rules.centrality import Centrality
from topofs.rules.coverage import Coverage
from topofs.rules.rule import Ranking, Rule, ScoreWords

__all__ = ["Centrality", "Coverage", "Ranking", "Rule", "ScoreWords"]
