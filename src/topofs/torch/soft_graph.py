"""Gradients with respect to the similarity that a TMFG is built from."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from topofs.graphs.tmfg import cliques_of_matrix, tmfg
from topofs.runtime import for_row_ranges
from topofs.similarity_matrix import SimilarityMatrix

__all__ = ["soft_tmfg", "tmfg_edges"]


def tmfg_edges(similarity: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Build a TMFG and give its edges, with weights that carry a gradient.

    The graph is taken as fixed: the gradient of a weight is 1 for the entry that was kept (half
    for each of its two places in the matrix), and entries that were not kept have none. It does
    not say how the choice of edges would change; `soft_tmfg` does.

    Parameters
    ----------
    similarity : tensor, shape (n, n)
        Symmetric; on any device.

    Returns
    -------
    edge_index : tensor of int64, shape (2, n_edges)
        The ends i < j of each edge, once.
    weights : tensor, shape (n_edges,)
        Their similarity.

    Examples
    --------
    >>> import torch
    >>> from topofs.torch import tmfg_edges
    >>> similarity = torch.eye(5, requires_grad=True)
    >>> edge_index, weights = tmfg_edges(similarity)
    >>> edge_index.shape, weights.requires_grad
    (torch.Size([2, 9]), True)
    """
    _check_square(similarity)
    edges = tmfg(similarity.detach().cpu().numpy()).edges
    edge_index = torch.as_tensor(edges.T.copy(), device=similarity.device)
    i, j = edge_index
    return edge_index, (similarity[i, j] + similarity[j, i]) / 2


def soft_tmfg(
    similarity: torch.Tensor,
    noise: float = 0.1,
    samples: int = 100,
    *,
    generator: torch.Generator | None = None,
) -> torch.Tensor:
    r"""Probability of each edge in the TMFG of a perturbed similarity, with its gradient.

    With E a symmetric matrix of independent standard normal numbers,

    .. math:: P_{ij} = \Pr\bigl[(i, j) \in \mathrm{TMFG}(W + \sigma E)\bigr].

    P is smooth in W although the graph is not. For any loss, with f the sum of its derivatives
    over the edges of a sample, the gradient is that of the score function,

    .. math:: \frac{\partial L}{\partial W_{kl}} =
        \frac{1}{\sigma} \mathbb{E}\bigl[(f - c)\, E_{kl}\bigr],

    and c, the mean of f over the other samples, takes variance away without a bias.

    Parameters
    ----------
    similarity : tensor, shape (n, n)
        W, symmetric; on any device. The graphs are built on the CPU.
    noise : float, default=0.1
        The standard deviation σ: what counts as a small difference between similarities.
    samples : int, default=100
        Graphs that are built, 2 or more.
    generator : torch.Generator, optional
        On the CPU; draws the noise.

    Returns
    -------
    tensor, shape (n, n)
        P, symmetric, 0 on the diagonal; its entries above the diagonal add up to 3n − 6.

    Notes
    -----
    This is smoothing. The TMFG is built greedily and is not the argument that maximises a
    linear programme, so P is not the gradient of an expected maximum, and the estimators that
    rest on this (perturbed optimizers) do not apply; only the score function does. Its variance
    grows with the number of pairs: use many samples, or few free parameters behind W.

    The diagonal is not perturbed and has no gradient. Keep it constant: a TMFG starts from the
    nodes of the largest sums, where two nodes tie that share their one strong link, and then a
    difference of their diagonals decides.

    References
    ----------
    .. [1] R. J. Williams (1992). Simple statistical gradient-following algorithms for
       connectionist reinforcement learning. Machine Learning 8, 229-256.

    Examples
    --------
    >>> import torch
    >>> from topofs.torch import soft_tmfg
    >>> similarity = torch.eye(6, requires_grad=True)
    >>> edges = soft_tmfg(similarity, samples=16, generator=torch.Generator().manual_seed(0))
    >>> edges.triu().sum().item()
    12.0
    """
    _check_square(similarity)
    if not noise > 0:
        raise ValueError(f"noise is {noise!r}; it must be a number above 0")
    if samples < 2:
        raise ValueError(f"samples is {samples!r}; it must be 2 or more")
    return _SoftTMFG.apply(similarity, float(noise), samples, generator)


class _SoftTMFG(torch.autograd.Function):
    """Frequencies of edges forward, the score function backward."""

    @staticmethod
    def forward(ctx: Any, similarity: torch.Tensor, *given: Any) -> torch.Tensor:
        noise, samples, generator = given
        n = len(similarity)
        i, j = torch.triu_indices(n, n, 1)
        weights = (similarity + similarity.T).detach().cpu().double() / 2
        drawn = torch.randn(samples, len(i), generator=generator, dtype=torch.float64)
        edges = _edges_of_samples(weights.numpy(), (noise * drawn).numpy(), i, j)
        # The pair (i, j), i < j, comes after all pairs of the rows above i.
        low, high = edges.sort(dim=-1).values.unbind(-1)
        pairs = low * (2 * n - low - 1) // 2 + high - low - 1
        frequency = torch.bincount(pairs.ravel(), minlength=len(i)).double() / samples
        ctx.save_for_backward(drawn, pairs)
        ctx.noise = noise
        return _symmetric(frequency, similarity)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None, None, None]:
        drawn, pairs = ctx.saved_tensors
        n = len(gradients[0])
        i, j = torch.triu_indices(n, n, 1)
        at_edges = gradients[0].detach().cpu().double()
        of_pair = at_edges[i, j] + at_edges[j, i]
        total = of_pair[pairs].sum(dim=1)
        # Less the mean of the others: (f - mean of all) times samples / (samples - 1).
        weight = (total - total.mean()) / (len(total) - 1)
        found = (weight @ drawn) / ctx.noise
        return _symmetric(found / 2, gradients[0]), None, None, None


def _edges_of_samples(
    weights: Any, noise: Any, i: torch.Tensor, j: torch.Tensor
) -> torch.Tensor:
    """Edges of the TMFG of each perturbed matrix, shape (samples, n_edges, 2)."""
    n, samples = len(weights), len(noise)
    if n < 4:
        return torch.stack([i, j], dim=-1).expand(samples, -1, -1)
    first, second = i.numpy(), j.numpy()

    def of_some(begin: int, end: int) -> list[Any]:
        found = []
        for sample in noise[begin:end]:
            perturbed = weights.copy()
            perturbed[first, second] += sample
            perturbed[second, first] = perturbed[first, second]
            mean = float(perturbed.mean())
            found.append(cliques_of_matrix(SimilarityMatrix(perturbed, mean, labels=None)))
        return found

    parts = for_row_ranges(of_some, samples, n * n)
    cliques = torch.as_tensor(np.stack([found for part in parts for found in part]))
    start = torch.combinations(torch.arange(4))
    # Each later row is the node that came in, then the face it is joined to.
    joined = torch.stack([cliques[:, 1:, :1].expand(-1, -1, 3), cliques[:, 1:, 1:]], dim=-1)
    return torch.cat([cliques[:, 0, start], joined.flatten(1, 2)], dim=1)


def _symmetric(of_pairs: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """The matrix with these entries on both sides of a diagonal of 0."""
    n = len(like)
    i, j = torch.triu_indices(n, n, 1)
    matrix = torch.zeros(n, n, dtype=torch.float64)
    matrix[i, j] = of_pairs
    matrix[j, i] = of_pairs
    return matrix.to(like)


def _check_square(similarity: Any) -> None:
    if not isinstance(similarity, torch.Tensor):
        raise TypeError(
            f"similarity is a {type(similarity).__name__}; give a tensor, such as "
            "torch.as_tensor(matrix)"
        )
    if similarity.ndim != 2 or similarity.shape[0] != similarity.shape[1]:
        raise ValueError(
            f"similarity has the shape {tuple(similarity.shape)}; it must be (n, n)"
        )
