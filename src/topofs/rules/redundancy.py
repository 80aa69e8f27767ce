"""Leave out only what is redundant: a smallest set that explains all others to a share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.rules.base import Ranking
from topofs.rules.coverage_model import MatrixCoverage
from topofs.rules.greedy import KEEP, greedy_ranking

if TYPE_CHECKING:
    from topofs.constraints import Constraints

__all__ = ["redundancy_ranking"]

Ints = npt.NDArray[np.int64]


def redundancy_ranking(
    shares: sparse.csr_array, constraints: Constraints, place: Ints | None = None
) -> Ranking:
    """Order nodes so that the first of them explain all others to a share.

    `shares` are those of the pairs that reach the share, without a diagonal. Greedy set cover:
    each next node explains most of those that none explains yet; of equal ones the lowest `place`
    comes first. Then nodes are given up, the last first, that another one explains and that no
    other needs, so none of the set could be left out. Chosen nodes are all in the set, and first
    in the order, whether they explain anything new or not. The ranking ends after the set; a
    score is the number of nodes that none before explained.
    """
    with_themselves = sparse.csr_array(
        shares + sparse.eye_array(constraints.n_nodes, format="csr")
    )
    with_themselves.sort_indices()
    explains = with_themselves.copy()
    explains.data[:] = 1.0
    ranking = greedy_ranking(
        MatrixCoverage(explains), constraints, place=place, isolated=KEEP, quarters=0
    )
    selectable = ranking.order[: ranking.n_selectable]
    needed = (ranking.scores[selectable] > 0) | np.isin(selectable, constraints.chosen)
    selected = selectable[needed]
    kept = _without_redundant(explains, selected, constraints.chosen)
    others = np.setdiff1d(np.arange(constraints.n_nodes), kept)
    others = others if place is None else others[np.argsort(place[others])]
    allowed = constraints.allowed[others]
    order = np.concatenate([kept, others[allowed], others[~allowed]])
    reach = MatrixCoverage(with_themselves)
    n_selectable = constraints.n_nodes - int((~allowed).sum())
    scores = _newly_explained(explains, order)
    covered = reach.running(order).curve[1:]
    return Ranking(
        order, scores, len(kept), reach, ranking.isolated, n_selectable, covered, place
    )


def _without_redundant(explains: sparse.csr_array, selected: Ints, chosen: Ints) -> Ints:
    """Give up nodes that no other needs, the last first; chosen ones stay."""
    n_explaining = np.zeros(explains.shape[0], dtype=np.int64)
    rows = [explains.indices[explains.indptr[v] : explains.indptr[v + 1]] for v in selected]
    for row in rows:
        n_explaining[row] += 1
    stays = np.ones(len(selected), dtype=np.bool_)
    for place in range(len(selected) - 1, -1, -1):
        row = rows[place]
        if selected[place] not in chosen and (n_explaining[row] > 1).all():
            n_explaining[row] -= 1
            stays[place] = False
    return selected[stays]


def _newly_explained(explains: sparse.csr_array, order: Ints) -> npt.NDArray[np.float64]:
    """For each node, how many are explained at its turn that were not before."""
    explained = np.zeros(len(order), dtype=np.bool_)
    scores = np.zeros(len(order))
    for node in order:
        row = explains.indices[explains.indptr[node] : explains.indptr[node + 1]]
        scores[node] = float((~explained[row]).sum())
        explained[row] = True
    return scores
