"""The homological convolutional network: the same filters on every clique of a size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from topofs.torch.simplices import cliques_by_size

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph

__all__ = ["HomologicalConvNet"]


class HomologicalConvNet(nn.Module):
    """A network for tables with one branch a clique size, by convolution over the cliques.

    In each branch (edges, triangles, tetrahedra) the inputs are laid out clique by clique. The
    first convolution steps from clique to clique, so all cliques of a size share its filters;
    the second spans all of them [1]_. Both are followed by ReLU. One linear read-out joins the
    branches.

    Parameters
    ----------
    graph : FilteredGraph
        One node an input.
    n_outputs : int, default=1
        Number of outputs.
    n_filters : pair of int, default=(8, 32)
        Filters of the two convolutions of a branch.

    References
    ----------
    .. [1] A. Briola, Y. Wang, S. Bartolucci and T. Aste (2023). Homological convolutional
       neural networks. arXiv:2308.13816.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from topofs import pearson, tmfg
    >>> from topofs.torch import HomologicalConvNet
    >>> X = np.random.default_rng(0).normal(size=(50, 10))
    >>> network = HomologicalConvNet(tmfg(pearson(X, squared=True)), n_outputs=2)
    >>> network(torch.zeros(7, 10)).shape
    torch.Size([7, 2])
    """

    def __init__(
        self, graph: FilteredGraph, n_outputs: int = 1, *, n_filters: tuple[int, int] = (8, 32)
    ) -> None:
        super().__init__()
        by_size = cliques_by_size(graph)
        if not by_size:
            raise ValueError("the graph has no edge, so there is nothing to convolve over")
        self.branches = nn.ModuleList(_Branch(cliques, *n_filters) for cliques in by_size)
        self.read_out = nn.Linear(len(by_size) * n_filters[1], n_outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Outputs of rows of inputs.

        Parameters
        ----------
        x : tensor, shape (n_rows, n_nodes)
            The inputs.

        Returns
        -------
        tensor, shape (n_rows, n_outputs)
        """
        return self.read_out(torch.cat([branch(x) for branch in self.branches], dim=1))


class _Branch(nn.Module):
    """Cliques of one size: a filter over each, then one over all."""

    def __init__(self, cliques: Any, first: int, second: int) -> None:
        super().__init__()
        n_cliques, size = cliques.shape
        self.register_buffer("nodes", torch.as_tensor(cliques).ravel())
        self.over_each = nn.Conv1d(1, first, kernel_size=size, stride=size)
        self.over_all = nn.Conv1d(first, second, kernel_size=n_cliques)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Outputs of the second convolution, one a filter."""
        values = torch.relu(self.over_each(x[:, None, self.nodes]))
        return torch.relu(self.over_all(values)).squeeze(2)
