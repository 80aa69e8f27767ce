"""Networks wired by the cliques of a graph, and how they are trained.

`HomologicalNetwork` has layers of nodes, edges, triangles and tetrahedra; `HomologicalConvNet`
has the same filters on every clique of a size. `cliques_by_size` and `facets` give the cliques
and what each is made of; `train` trains until rows held out no longer gain by it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.typing import Ints


__all__ = [
    "FacetLayer",
    "HomologicalConvNet",
    "HomologicalNetwork",
    "Training",
    "cliques_by_size",
    "facets",
    "train",
]

LARGEST = 4
"""Cliques of up to so many nodes are used: nodes, edges, triangles and tetrahedra."""


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


def cliques_by_size(graph: FilteredGraph) -> list[Ints]:
    """List all cliques of two, three and four nodes, an array a size.

    Nodes ascend in each row, rows are sorted; it ends before the first size without any.
    """
    above: list[set[int]] = [set() for _ in range(graph.n_nodes)]
    for i, j in graph.edges.tolist():
        above[i].add(j)
    cliques: list[tuple[int, ...]] = [(i,) for i in range(graph.n_nodes)]
    found = []
    for size in range(2, LARGEST + 1):
        cliques = [
            (*clique, node)
            for clique in cliques
            for node in sorted(set.intersection(*(above[i] for i in clique)))
        ]
        if not cliques:
            break
        found.append(np.array(cliques, dtype=np.int64).reshape(-1, size))
    return found


def facets(cliques: list[Ints]) -> list[Ints]:
    """Say which smaller cliques each clique of `cliques_by_size` is made of, in the same shapes.

    For an edge its two nodes, for a triangle the rows of its three edges, for a tetrahedron the
    rows of its four triangles; the a-th leaves out the a-th node.
    """
    made_of = []
    for size, rows in enumerate(cliques, start=2):
        if size == 2:
            made_of.append(rows[:, ::-1].copy())
            continue
        row_of = {tuple(row): i for i, row in enumerate(cliques[size - 3].tolist())}
        # Combinations leave out the last node first.
        listed = [
            [row_of[part] for part in combinations(row, size - 1)][::-1]
            for row in rows.tolist()
        ]
        made_of.append(np.array(listed, dtype=np.int64))
    return made_of


@dataclass(frozen=True)
class Training:
    """How a network is trained: AdamW, in batches, with early stopping.

    A share of the rows is held out; `patience` epochs without a new best on them end it.
    """

    learning_rate: float = 1e-2
    weight_decay: float = 1e-4
    batch_size: int = 64
    max_epochs: int = 200
    validation_fraction: float = 0.15
    patience: int = 20


def train(
    network: nn.Module,
    inputs: torch.Tensor,
    targets: torch.Tensor,
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    settings: Training,
    *,
    generator: torch.Generator,
) -> list[float]:
    """Train in place; keep the network with the lowest loss on the rows held out.

    `loss` is the mean loss of outputs and targets; `generator`, on the CPU, draws the rows held
    out and the batches. Gives the loss of the rows held out, after each epoch.
    """
    shuffled = torch.randperm(len(inputs), generator=generator).to(inputs.device)
    n_held_out = min(len(inputs) - 1, max(1, round(settings.validation_fraction * len(inputs))))
    held_out, rows = shuffled[:n_held_out], shuffled[n_held_out:]
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
    )
    losses: list[float] = []
    best, since_best = copy.deepcopy(network.state_dict()), 0
    for _ in range(settings.max_epochs):
        network.train()
        order = rows[torch.randperm(len(rows), generator=generator).to(rows.device)]
        for batch in order.split(settings.batch_size):
            optimizer.zero_grad()
            loss(network(inputs[batch]), targets[batch]).backward()
            optimizer.step()
        network.eval()
        with torch.no_grad():
            found = float(loss(network(inputs[held_out]), targets[held_out]))
        since_best += 1
        if not losses or found < min(losses):
            best, since_best = copy.deepcopy(network.state_dict()), 0
        losses.append(found)
        if since_best >= settings.patience:
            break
    network.load_state_dict(best)
    return losses
