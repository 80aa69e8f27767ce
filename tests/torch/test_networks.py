"""Wiring, weights, gradients and seeds of the homological networks."""

from itertools import combinations

import numpy as np
import pytest
import torch

from tests.matrices import factor_table
from topofs import FilteredGraph, clique_forest, mst, pearson, tmfg
from topofs.torch import HomologicalConvNet, HomologicalNetwork
from topofs.torch.networks import cliques_by_size, facets

PAIR = FilteredGraph(2, [[0, 1]], [1.0])
PATH = FilteredGraph(4, [[0, 1], [1, 2], [2, 3]], [1.0] * 3)
FAN = FilteredGraph(4, [[0, 1], [1, 2], [0, 2], [2, 3], [0, 3]], [1.0] * 5)
FULL = FilteredGraph(5, list(combinations(range(5), 2)), [1.0] * 10)
SQUARES = pearson(factor_table(60, 20), squared=True)


@pytest.mark.parametrize(
    "graph", [PAIR, PATH, FAN, FULL, mst(SQUARES), tmfg(SQUARES), clique_forest(SQUARES)]
)
def test_units_are_all_cliques_and_inputs_their_facets(graph):
    joined = {tuple(edge) for edge in graph.edges.tolist()}
    cliques = cliques_by_size(graph)
    expected = {
        size: [
            nodes
            for nodes in combinations(range(graph.n_nodes), size)
            if all(pair in joined for pair in combinations(nodes, 2))
        ]
        for size in (2, 3, 4)
    }
    found = {rows.shape[1]: [tuple(row) for row in rows.tolist()] for rows in cliques}
    assert found == {size: rows for size, rows in expected.items() if rows}
    below = [(node,) for node in range(graph.n_nodes)]
    for rows, made_of in zip(cliques, facets(cliques), strict=True):
        for clique, parts in zip(rows.tolist(), made_of.tolist(), strict=True):
            smaller = [below[part] for part in parts]
            assert smaller == [tuple(v for v in clique if v != left_out) for left_out in clique]
        below = [tuple(row) for row in rows.tolist()]


@pytest.mark.parametrize("n", [4, 5, 30, 100])
def test_number_of_sparse_weights_on_a_tmfg(n):
    network = HomologicalNetwork(tmfg(pearson(factor_table(40, n), squared=True)))
    assert network.n_sparse_weights == 19 * n - 48
    assert [len(layer.weight) for layer in network.layers] == [3 * n - 6, 3 * n - 8, n - 3]


@pytest.mark.parametrize("graph", [FAN, FULL, tmfg(SQUARES)])
def test_what_moves_a_unit_is_its_facets(graph):
    """The Jacobian of each layer before the norm: neither all zero nor all one."""
    network = HomologicalNetwork(graph).double()
    for layer in network.layers:
        n_below = int(layer.facets.max()) + 1
        x = torch.rand(n_below, dtype=torch.float64)
        jacobian = torch.autograd.functional.jacobian(
            lambda below, layer=layer: (below[layer.facets] * layer.weight).sum(-1), x
        )
        expected = torch.zeros_like(jacobian)
        expected.scatter_(1, layer.facets, layer.weight.detach())
        assert torch.equal(jacobian, expected)
        moved = jacobian != 0
        assert moved.any()
        assert not moved.all() or n_below <= layer.weight.shape[1]
        assert (moved.sum(dim=1) == layer.weight.shape[1]).all()


def test_a_layer_by_hand():
    network = HomologicalNetwork(PATH, n_outputs=2).double()
    x = torch.randn(3, 4, dtype=torch.float64)
    layer = network.layers[0]
    for row, found in zip(x, layer(x), strict=True):
        # The first facet of an edge (i, j) leaves out i.
        total = torch.stack(
            [
                layer.weight[k, 0] * row[j] + layer.weight[k, 1] * row[i]
                for k, (i, j) in enumerate(PATH.edges.tolist())
            ]
        )
        normed = (total - total.mean()) / (total.var(unbiased=False) + 1e-5).sqrt()
        assert torch.allclose(found, normed.clamp(min=0))
    values = torch.cat([x, layer(x)], dim=1)
    expected = values @ network.read_out.weight.T + network.read_out.bias
    assert torch.allclose(network(x), expected)


@pytest.mark.parametrize("kind", [HomologicalNetwork, HomologicalConvNet])
@pytest.mark.parametrize("graph", [FAN, FULL, tmfg(SQUARES)])
def test_gradients(kind, graph):
    torch.manual_seed(0)
    network = kind(graph, 2).double()
    x = torch.randn(3, graph.n_nodes, dtype=torch.float64, requires_grad=True)
    names, values = zip(*network.named_parameters(), strict=True)

    def outputs(x, *values):
        parameters = dict(zip(names, values, strict=True))
        return torch.func.functional_call(network, parameters, (x,))

    assert torch.autograd.gradcheck(outputs, (x, *values), fast_mode=True)


def test_the_convolution_has_one_branch_a_size_and_shares_its_filters():
    network = HomologicalConvNet(FULL, 3, n_filters=(4, 6))
    shapes = [tuple(branch.over_each.weight.shape) for branch in network.branches]
    assert shapes == [(4, 1, 2), (4, 1, 3), (4, 1, 4)]
    assert [branch.over_all.weight.shape[2] for branch in network.branches] == [10, 10, 5]
    x = torch.randn(2, 5)
    branch, nodes = network.branches[1], cliques_by_size(FULL)[1]
    of_cliques = torch.stack([x[:, row] @ branch.over_each.weight[:, 0].T for row in nodes], 2)
    of_cliques = torch.relu(of_cliques + branch.over_each.bias[:, None])
    expected = torch.einsum("bfc,gfc->bg", of_cliques, branch.over_all.weight)
    found = torch.relu(expected + branch.over_all.bias)
    torch.testing.assert_close(branch(x), found)
    assert network(x).shape == (2, 3)


def test_a_graph_without_edges():
    lonely = FilteredGraph(3, np.empty((0, 2), int), np.empty(0))
    assert HomologicalNetwork(lonely)(torch.zeros(2, 3)).shape == (2, 1)
    with pytest.raises(ValueError, match="the graph has no edge"):
        HomologicalConvNet(lonely)
