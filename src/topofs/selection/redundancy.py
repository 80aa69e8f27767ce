"""Leave out only what is redundant: a smallest set that explains all others to a share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.rules.greedy import greedy_ranking
from topofs.rules.reach import MatrixReach
from topofs.rules.rule import Ranking

if TYPE_CHECKING:
    from topofs.rules.wishes import Wishes

__all__ = ["redundancy_ranking"]

Ints = npt.NDArray[np.int64]


def redundancy_ranking(
    shares: sparse.csr_array, wishes: Wishes, place: Ints | None = None
) -> Ranking:
    """Order nodes so that the first of them explain all others to a share.

    Greedy set cover: each next node is the one that explains most of those that none explains
    yet. Of the set, nodes are then given up, the last first, that another one explains and
    that no other needs. So no node of the set could be left out.

    Parameters
    ----------
    shares : scipy.sparse.csr_array, shape (n_nodes, n_nodes)
        Shares of variance of the pairs that reach the share; no diagonal.
    wishes : Wishes
        Nodes that are selected in any case, and such as cannot be.
    place : array of int, optional
        Of nodes that explain equally many, the one with the lowest place comes first.

    Returns
    -------
    Ranking
        It ends where every node is selected or explained; a score is the number of nodes that
        none before it explained.

    Examples
    --------
    >>> from topofs.rules.wishes import Wishes
    >>> chain = sparse.csr_array(np.array([[0, 0.9, 0], [0.9, 0, 0.95], [0, 0.95, 0]]))
    >>> ranking = redundancy_ranking(chain, Wishes.none(3))
    >>> ranking.order[: ranking.end].tolist()
    [1]
    """
    explains = _with_ones(shares, ones_only=True)
    ranking = greedy_ranking(MatrixReach(explains), wishes, place=place, isolated_early=True)
    gains = ranking.scores[ranking.order]
    selected = ranking.order[: ranking.n_selectable][gains[: ranking.n_selectable] > 0]
    kept = _without_redundant(explains, selected, wishes.chosen)
    others = np.setdiff1d(np.arange(wishes.n_nodes), kept)
    others = others if place is None else others[np.argsort(place[others])]
    allowed = wishes.allowed[others]
    order = np.concatenate([kept, others[allowed], others[~allowed]])
    reach = MatrixReach(_with_ones(shares, ones_only=False))
    n_selectable = wishes.n_nodes - int((~allowed).sum())
    scores = _newly_explained(explains, order)
    covered = reach.running(order).curve[1:]
    found = Ranking(order, scores, len(kept), reach, ranking.isolated, n_selectable, covered)
    return replace(found, place=place)


def _with_ones(shares: sparse.csr_array, *, ones_only: bool) -> Any:
    """The shares with ones on the diagonal; or ones wherever there is a share."""
    whole = sparse.csr_array(shares + sparse.eye_array(shares.shape[0], format="csr"))
    whole.sort_indices()
    if ones_only:
        whole.data = np.ones_like(whole.data)
    return whole


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
