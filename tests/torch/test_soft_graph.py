"""Gradients through the TMFG: of kept entries, and of the smoothed graph."""

import numpy as np
import pytest
import torch

from tests.matrices import factor_table
from topofs import pearson, tmfg
from topofs.torch import soft_tmfg, tmfg_edges


def squares(n, seed=0):
    return torch.as_tensor(pearson(factor_table(40, n, seed=seed), squared=True))


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def test_edges_and_the_gradient_of_kept_entries():
    similarity = squares(12).requires_grad_()
    edge_index, weights = tmfg_edges(similarity)
    graph = tmfg(similarity.detach().numpy())
    assert edge_index.T.tolist() == graph.edges.tolist()
    np.testing.assert_array_equal(weights.detach().numpy(), graph.weights)
    factors = torch.arange(len(weights), dtype=torch.float64)
    (weights * factors).sum().backward()
    expected = torch.zeros(12, 12, dtype=torch.float64)
    expected[edge_index[0], edge_index[1]] = expected[edge_index[1], edge_index[0]] = (
        factors / 2
    )
    torch.testing.assert_close(similarity.grad, expected)


def test_probabilities_are_frequencies():
    similarity = squares(7)
    found = soft_tmfg(similarity, 0.1, 50, generator=seeded(0))
    drawn = torch.randn(50, 21, generator=seeded(0), dtype=torch.float64).numpy()
    expected = np.zeros((7, 7))
    for sample in drawn:
        noise = np.zeros((7, 7))
        noise[np.triu_indices(7, 1)] = 0.1 * sample
        for i, j in tmfg(similarity.numpy() + noise + noise.T).edges:
            expected[i, j] += 1 / 50
    np.testing.assert_allclose(found.numpy(), expected + expected.T)
    assert float(found.triu().sum()) == pytest.approx(3 * 7 - 6)
    again = soft_tmfg(similarity, 0.1, 50, generator=seeded(0))
    assert torch.equal(found, again)


# Of more than 512 nodes, what is shared among threads is shared once more within.
@pytest.mark.parametrize("n", [10, 600])
def test_little_noise_gives_the_graph(n):
    similarity = squares(n)
    found = soft_tmfg(similarity, 1e-9, 5, generator=seeded(1))
    edges = tmfg(similarity.numpy()).edges.copy()
    assert (found[edges[:, 0], edges[:, 1]] == 1).all()


def test_the_gradient_is_that_of_the_smoothed_objective():
    """Against finite differences with common noise, within five standard errors."""
    n, noise, step = 6, 0.15, 0.05
    similarity = squares(n, seed=1)
    rng = np.random.default_rng(0)
    direction = torch.as_tensor(rng.normal(size=(n, n)))
    direction = ((direction + direction.T) / 2).fill_diagonal_(0)
    loss_weights = torch.as_tensor(rng.normal(size=(n, n)))

    def objective(shift, seed):
        found = soft_tmfg(similarity + shift * direction, noise, 500, generator=seeded(seed))
        return float((found * loss_weights).sum())

    def slope(seed):
        at = similarity.clone().requires_grad_()
        (soft_tmfg(at, noise, 500, generator=seeded(seed)) * loss_weights).sum().backward()
        assert torch.equal(at.grad, at.grad.T)
        return float((at.grad * direction).sum())

    seeds = range(8)
    slopes = np.array([slope(seed) for seed in seeds])
    differences = np.array(
        [(objective(step, s) - objective(-step, s)) / (2 * step) for s in seeds]
    )
    error = np.sqrt((slopes.var(ddof=1) + differences.var(ddof=1)) / len(seeds))
    assert abs(slopes.mean() - differences.mean()) < 5 * error
    # The bound is worth something: the slope is far from 0 for it.
    assert abs(differences.mean()) > 5 * error


def test_the_control_takes_variance_away():
    similarity = squares(6)
    with_control, without = [], []
    for seed in range(40):
        at = similarity.clone().requires_grad_()
        found = soft_tmfg(at, 0.2, 30, generator=seeded(seed))
        found.sum().backward()
        # Every graph has the same number of edges, so this gradient is 0 but for noise.
        with_control.append(float(at.grad.abs().max()))
        drawn = torch.randn(30, 15, generator=seeded(seed), dtype=torch.float64)
        without.append(float((24 * drawn.mean(dim=0) / 0.2).abs().max() / 2))
    assert max(with_control) < 1e-9 < min(without)


def weighted(similarity, scale):
    """Each column times its weight, with a diagonal of 1."""
    factor = torch.exp(scale[:, None] + scale[None, :])
    return (similarity * factor).fill_diagonal_(1)


@pytest.mark.parametrize("seed", [0, 1])
def test_column_weights_that_bring_planted_edges_into_the_graph(seed):
    """A column with few links is to have three more."""
    n, generator = 10, seeded(seed)
    similarity = squares(n, seed=seed + 3)
    graph = tmfg(similarity.numpy())
    column = int(graph.degree().argmin())
    others = set(range(n)) - {column, *graph.neighbors(column).tolist()}
    strongest = sorted(others, key=lambda u: -similarity[u, column].item())[:3]
    planted = [sorted((column, other)) for other in strongest]
    ends = torch.tensor(planted).T
    scale = torch.zeros(n, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([scale], lr=0.05)
    for _ in range(60):
        optimizer.zero_grad()
        edges = soft_tmfg(weighted(similarity, scale), 0.1, 60, generator=generator)
        (-edges[ends[0], ends[1]].sum()).backward()
        optimizer.step()
    learned = tmfg(weighted(similarity, scale).detach().numpy()).edges.tolist()
    assert all(edge not in graph.edges.tolist() for edge in planted)
    assert all(edge in learned for edge in planted)


@pytest.mark.parametrize(
    ("similarity", "given", "error", "sentence"),
    [
        (np.eye(5), {}, TypeError, "similarity is a ndarray; give a tensor"),
        (torch.ones(5, 4), {}, ValueError, r"similarity has the shape \(5, 4\)"),
        (torch.eye(5), {"noise": 0}, ValueError, "noise is 0; it must be a number above 0"),
        (torch.eye(5), {"samples": 1}, ValueError, "samples is 1; it must be 2 or more"),
    ],
)
def test_bad_input(similarity, given, error, sentence):
    with pytest.raises(error, match=sentence):
        soft_tmfg(similarity, **given)
