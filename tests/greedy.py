"""The greedy search by itself: nodes by what they add alone, those forced first."""

import numpy as np

from topofs.constraints import Constraints
from topofs.rules.greedy import greedy_ranking

NOBODY = np.empty(0, dtype=np.int64)


def greedy(model, forced=NOBODY, tie_rank=None):
    """Order and gains of all nodes; of equal ones, that of the lowest rank first."""
    constraints = Constraints.none(len(model.truncated), np.sort(forced))
    # An isolated node adds 1, as much as it is worth where the others end.
    ranking = greedy_ranking(model, constraints, tie_rank=tie_rank, support_quarters=0)
    return ranking.order, ranking.scores[ranking.order]
