"""The homological network: layers of nodes, edges, triangles and tetrahedra of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from topofs.torch.simplices import cliques_by_size, facets

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph

__all__ = ["FacetLayer", "HomologicalNetwork"]


class FacetLayer(nn.Module):
    """One unit a clique, joined to its facets only; layer norm and ReLU.

    Row u of `facets` (n_units, n_facets) holds the units below that unit u is joined to.
    """

    def __init__(self, facets: Any) -> None:
        super().__init__()
        self.register_buffer("facets", torch.as_tensor(facets))
        bound = facets.shape[1] ** -0.5
        self.weight = nn.Parameter(torch.empty(facets.shape).uniform_(-bound, bound))
        self.norm = nn.LayerNorm(len(facets))

    def forward(self, below: torch.Tensor) -> torch.Tensor:
        """Gather the facets of every unit, weigh and add them up."""
        joined = below[..., self.facets]
        return torch.relu(self.norm((joined * self.weight).sum(dim=-1)))


class HomologicalNetwork(nn.Module):
    r"""A sparse network whose layers are the cliques of a graph, from nodes to tetrahedra.

    A unit is a clique, and is joined to its facets: an edge to its two nodes, a triangle to its
    three edges, a tetrahedron to its four triangles. With :math:`h^0 = x`,

    .. math::
       h^k_\sigma = \mathrm{ReLU}\Bigl(\mathrm{LayerNorm}\bigl(
           \sum_{\tau \subset \sigma} w_{\sigma\tau} h^{k-1}_\tau \bigr)\Bigr),
       \qquad y = b + \sum_k R_k h^k:

    every layer has a read-out [1]_ [2]_. The weights are stored as they are used, one a pair of
    a clique and a facet; there is no mask.

    Parameters
    ----------
    graph : FilteredGraph
        One node an input. A TMFG of n nodes gives 19n − 48 sparse weights: 2(3n − 6) to its
        edges, 3(3n − 8) to all its triangles, 4(n − 3) to its tetrahedra.
    n_outputs : int, default=1
        Number of outputs.

    References
    ----------
    .. [1] Y. Wang, A. Briola and T. Aste (2023). Homological neural networks: a sparse
       architecture for multivariate complexity. arXiv:2306.15337.
    .. [2] arXiv:2608.14323 (2026).

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from topofs import pearson, tmfg
    >>> from topofs.torch import HomologicalNetwork
    >>> X = np.random.default_rng(0).normal(size=(50, 10))
    >>> network = HomologicalNetwork(tmfg(pearson(X, squared=True)), n_outputs=2)
    >>> network(torch.zeros(7, 10)).shape
    torch.Size([7, 2])
    >>> network.n_sparse_weights == 19 * 10 - 48
    True
    """

    def __init__(self, graph: FilteredGraph, n_outputs: int = 1) -> None:
        super().__init__()
        made_of = facets(cliques_by_size(graph))
        self.layers = nn.ModuleList(FacetLayer(rows) for rows in made_of)
        n_units = graph.n_nodes + sum(len(rows) for rows in made_of)
        self.read_out = nn.Linear(n_units, n_outputs)

    @property
    def n_sparse_weights(self) -> int:
        """Number of weights between the layers."""
        return sum(layer.weight.numel() for layer in self.layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Outputs of rows of inputs.

        Parameters
        ----------
        x : tensor, shape (…, n_nodes)
            The inputs.

        Returns
        -------
        tensor, shape (…, n_outputs)
        """
        values = [x]
        for layer in self.layers:
            values.append(layer(values[-1]))
        return self.read_out(torch.cat(values, dim=-1))
