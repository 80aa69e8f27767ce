"""The strongest links are the same graph wherever and however they are found."""

import copy
import pickle

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from tests.matrices import factor_table
from tests.naive.coverage import naive_strongest
from topofs import (
    Centrality,
    FilteredGraph,
    Links,
    Mixed,
    Pearson,
    Spearman,
    TopologicalFeatureSelector,
    pearson,
    registered,
)
from topofs._kernels import numpy_or_numba
from topofs.backends import device_arrays
from topofs.backends import top_k_neighbors as strongest_links
from topofs.backends.device_arrays import NumpyArrays
from topofs.graphs.filtered_graph import LinkGraph
from topofs.similarity.column_order import value_order
from topofs.similarity.noise_floor import correct_bias, noise_floor

N_SAMPLES, N_FEATURES, FEW = 40, 150, 4
# Too little for the matrix of float64, of float32 or of the two, enough for the links.
LITTLE = {np.float64: 180_000, np.float32: 100_000}


def whole_numbers(X):
    return np.clip(np.rint(X), -2, 2)


def with_names(X):
    frame = pd.DataFrame(X).rename(columns=str)
    frame["kind"] = np.where(X[:, 0] > 0, "a", "b")
    frame["other"] = np.where(X[:, 3] > 0.5, "c", np.where(X[:, 2] > 0, "d", "e"))
    return frame


CASES = {
    "reals": (Pearson(), lambda X: X),
    "whole": (Pearson(), whole_numbers),
    "signed": (Pearson(squared=False), whole_numbers),
    "float32": (Pearson(), lambda X: X.astype(np.float32)),
    "whole float32": (Pearson(), lambda X: whole_numbers(X).astype(np.float32)),
    "gaps": (Pearson(), lambda X: np.where(X > 3, np.nan, X)),
    "whole with gaps": (Pearson(), lambda X: np.where(X > 3, np.nan, np.rint(X))),
    "sparse": (Pearson(), lambda X: sparse.csc_array(np.rint(X) * (np.abs(X) > 2))),
    "ranks": (Spearman(), lambda X: X),
    "tied ranks": (Spearman(), whole_numbers),
    "mixed": (Mixed(), with_names),
    "information": ("mutual_information", lambda X: X),
    "given": ("precomputed", lambda X: pearson(X, squared=True)),
}
ON_DASK = ["reals", "whole", "signed", "float32", "whole float32", "ranks", "tied ranks"]


@pytest.fixture(autouse=True)
def _in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def fitted(X, measure, strongest=FEW, **settings):
    graph = Links(strongest=strongest)
    return TopologicalFeatureSelector(6, similarity=measure, graph=graph, **settings).fit(X)


def found_by_every_way(name, threshold, strongest=FEW):
    """Selectors of one table by every way in which it can be compared."""
    measure, change = CASES[name]
    X = change(factor_table(N_SAMPLES, N_FEATURES))
    settings = {"threshold": threshold, "strongest": strongest}
    little = LITTLE[np.float32 if "float32" in name else np.float64]
    yield "numpy", fitted(X, measure, **settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numpy_or_numba, "LARGEST_FOR_NUMPY", 0)
        yield "kernels", fitted(X, measure, **settings)
        patch.setattr(strongest_links, "_BLOCK", 10 * N_FEATURES)
        yield "few rows at a time", fitted(X, measure, **settings)
    if name != "given":
        # From products of columns, or from blocks.
        yield "little memory", fitted(X, measure, memory=little, **settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device_arrays, "_arrays_on", lambda _: NumpyArrays())
        yield "device", fitted(X, measure, device="cuda", **settings)
    if name in ON_DASK:
        for chunks in ((11, -1), (-1, 37), (13, 40)):
            lazy = da.from_array(X, chunks=chunks)
            yield f"dask {chunks}", fitted(lazy, measure, **settings)
        yield "dask, little memory", fitted(lazy, measure, memory=6 * little, **settings)


@pytest.mark.needs_jit
@pytest.mark.parametrize("threshold", ["auto", "mean"])
@pytest.mark.parametrize("name", CASES)
def test_every_way_finds_the_same_graph(name, threshold):
    (_, expected), *others = found_by_every_way(name, threshold)
    graph, truncated = expected.graph_, expected.graph_.full_rows.truncated
    assert isinstance(graph, LinkGraph)
    assert truncated.any()
    rtol = 1e-5 if name == "float32" else 1e-12
    # Rows that are asked for later are computed in the precision of the table.
    of_rows = 1e-5 if "float32" in name else 1e-12
    for way, selector in others:
        found = selector.graph_
        if "whole" in name:
            assert found == graph, way
            np.testing.assert_array_equal(found.sums, graph.sums, err_msg=way)
        np.testing.assert_array_equal(found.edges, graph.edges, err_msg=way)
        np.testing.assert_allclose(found.weights, graph.weights, rtol=rtol, err_msg=way)
        np.testing.assert_allclose(found.sums, graph.sums, rtol=rtol, err_msg=way)
        np.testing.assert_array_equal(found.full_rows.truncated, truncated, err_msg=way)
        np.testing.assert_array_equal(selector.ranking_, expected.ranking_, err_msg=way)
        for node in np.flatnonzero(truncated)[:3]:
            whole, row = graph.full_rows.row(node), found.full_rows.row(node)
            np.testing.assert_allclose(row, whole, rtol=of_rows, atol=1e-15, err_msg=way)


@pytest.mark.parametrize("strongest", [1, 2, 5, 17, 149, 1000])
@pytest.mark.parametrize("name", ["reals", "whole"])
@pytest.mark.usefixtures("both_ways")
def test_links_are_the_strongest_of_either_column(name, strongest):
    measure, change = CASES[name]
    X = change(factor_table(N_SAMPLES, 150))
    selector = fitted(X, measure, strongest)
    square = pearson(X, squared=True)
    shares = np.where(square >= noise_floor(*X.shape), correct_bias(square, len(X)), 0)
    # Of equal links, those to the first columns in the order of their values.
    order = value_order(X)
    place = np.argsort(order)
    kept = naive_strongest(square[np.ix_(order, order)], strongest) > 0
    expected = np.where(kept[np.ix_(place, place)], shares, 0)
    np.fill_diagonal(expected, 1)
    graph = selector.graph_
    np.testing.assert_allclose(graph.shares.toarray(), expected, rtol=1e-12)
    np.testing.assert_allclose(graph.sums, square.sum(axis=0), rtol=1e-12)
    n_above = (shares > 0).sum(axis=0) - 1
    if strongest >= 149:
        assert graph.full_rows is None
    else:
        np.testing.assert_array_equal(graph.full_rows.truncated, n_above >= strongest)
        for node in np.flatnonzero(graph.full_rows.truncated)[:5]:
            row = np.where(np.arange(150) == node, 1, shares[node])
            np.testing.assert_allclose(graph.full_rows.row(node), row, rtol=1e-10)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.usefixtures("both_ways")
def test_enough_links_are_all_links(name):
    measure, change = CASES[name]
    X = change(factor_table(N_SAMPLES, 30))
    for threshold in ("auto", "mean"):
        listed = fitted(X, measure, 100, threshold=threshold)
        whole = fitted(X, measure, None, threshold=threshold)
        assert isinstance(whole.graph_.shares, np.ndarray)
        np.testing.assert_array_equal(listed.ranking_, whole.ranking_)
        np.testing.assert_array_equal(listed.graph_.edges, whole.graph_.edges)
        np.testing.assert_allclose(listed.graph_.weights, whole.graph_.weights, rtol=1e-12)
        np.testing.assert_allclose(listed.graph_.sums, whole.graph_.sums, rtol=1e-12)
        np.testing.assert_allclose(listed.scores_, whole.scores_, atol=1e-11)
        np.testing.assert_array_equal(listed.representative_, whole.representative_)
        np.testing.assert_array_equal(listed.isolated_, whole.isolated_)
        assert listed.at("auto").n_features_ == whole.at("auto").n_features_


def test_a_link_below_the_mean_is_none():
    # Of so many rows the noise floor is below the mean.
    X = factor_table(600, 30)
    square = pearson(X, squared=True)
    for strongest in (FEW, None):
        graph = fitted(X, "pearson", strongest, threshold="mean").graph_
        i, j = graph.edges.T
        assert (square[i, j] >= square.mean()).all()
        if strongest is not None:
            for node in np.flatnonzero(graph.full_rows.truncated):
                assert (square[node][graph.full_rows.row(node) > 0] >= square.mean()).all()
    assert graph.n_edges < fitted(X, "pearson", None).graph_.n_edges


def test_float32_links_are_compared_with_the_mean_in_float64():
    """Entries that equal the mean only after it is rounded to float32 are below it."""
    differ = 0
    for seed in range(3000):
        X = np.random.default_rng(seed).integers(0, 2, size=(6, 16)).astype(np.float32)
        X = X[:, np.ptp(X, axis=0) > 0]
        similarity = pearson(X, squared=True)
        mean = similarity.astype(np.float64).mean()
        if np.any((similarity < mean) & (similarity == np.float32(mean))):
            differ += 1
            found = fitted(X.astype(np.float32), "pearson", 2, threshold="mean")
            exact = fitted(X.astype(np.float64), "pearson", 2, threshold="mean")
            np.testing.assert_array_equal(found.graph_.edges, exact.graph_.edges)
            if differ == 5:
                break
    assert differ


def test_memory_is_that_of_the_links():
    X = factor_table(30, 800)
    little = fitted(X, "pearson", 8, memory="1MB")
    np.testing.assert_array_equal(little.ranking_, fitted(X, "pearson", 8).ranking_)
    with pytest.raises(ValueError, match="holds all pairs: give a number of links"):
        fitted(X, "pearson", None, memory="6MB")
    with pytest.raises(
        ValueError, match="the 700 strongest links of 800 columns take 0.0403 GB"
    ):
        fitted(X, "pearson", 700, memory="1MB")


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.usefixtures("both_ways")
def test_few_columns_will_do(n):
    for strongest in (1, 128, None):
        selector = TopologicalFeatureSelector(1, graph=Links(strongest=strongest))
        assert selector.fit(factor_table(40, n)).n_features_ == 1


@pytest.mark.parametrize("strongest", [0, -1, 1.5, True, "2"])
def test_a_number_of_links_is_whole(strongest):
    with pytest.raises(ValueError, match="give a whole number of at least 1, or None"):
        Links(strongest=strongest)


@pytest.mark.parametrize("strongest", [FEW, None])
def test_it_is_a_graph_like_any(strongest, tmp_path):
    X = pd.DataFrame(factor_table(N_SAMPLES, 30)).add_prefix("c")
    graph = fitted(X, "pearson", strongest).graph_
    same = FilteredGraph(30, graph.edges, graph.weights, labels=list(X))
    assert graph == same
    assert hash(graph) == hash(same)
    assert repr(graph).startswith("LinkGraph(n_nodes=30, n_edges=") or repr(graph) == repr(same)
    assert graph.n_edges == same.n_edges == len(graph.edges)
    np.testing.assert_array_equal(graph.degree(), same.degree())
    # It sums whole numbers, to twelve digits each.
    np.testing.assert_allclose(graph.strength(), same.strength(), rtol=1e-10)
    assert graph.neighbors(3).tolist() == same.neighbors(3).tolist()
    assert (graph.to_scipy() != same.to_scipy()).nnz == 0
    order = np.random.default_rng(0).permutation(30)
    assert graph.renumbered(order) == same.renumbered(order)
    graph.write_graphml(tmp_path / "links.graphml")
    same.write_graphml(tmp_path / "same.graphml")
    assert (tmp_path / "links.graphml").read_bytes() == (tmp_path / "same.graphml").read_bytes()
    for other in (pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph)):
        assert other == graph
        assert (other.shares != graph.shares).sum() == 0
        np.testing.assert_array_equal(other.sums, graph.sums)
    for array in (graph.edges, graph.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize("score", sorted(registered("rule").keys() - {"coverage", "variance"}))
def test_centralities_rank_by_links(score):
    X = whole_numbers(factor_table(N_SAMPLES, 30))
    graph = fitted(X, "pearson").graph_
    rule = Centrality(score)
    selector = TopologicalFeatureSelector(
        5, graph=Links(strongest=FEW), rule=rule, threshold=None
    )
    selector.fit(X)
    assert selector.graph_ == graph
    order = np.random.default_rng(0).permutation(30)
    again = TopologicalFeatureSelector(5, graph=Links(strongest=FEW), rule=rule, threshold=None)
    again.fit(X[:, order])
    np.testing.assert_array_equal(again.scores_, selector.scores_[order])


def test_what_has_no_scale_has_no_links():
    X = factor_table(N_SAMPLES, 10)
    with pytest.raises(ValueError, match="graph 'links' needs that: choose graph='tmfg'"):
        TopologicalFeatureSelector(3, similarity="energy", graph="links", rule="degree").fit(X)
