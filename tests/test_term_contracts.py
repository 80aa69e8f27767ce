"""What every measure, graph and rule promises, for those of topofs and for others."""

from dataclasses import dataclass

import dask.array as da
import numpy as np
import pytest

from tests.matrices import factor_table
from tests.own_terms.graph import Nearest
from tests.own_terms.measure import Cosine, Grades
from tests.own_terms.rule import Stars, Weakest
from topofs import (
    Auto,
    Coverage,
    Function,
    Given,
    Needs,
    Pearson,
    Ranking,
    Rule,
    Spearman,
    TopologicalFeatureSelector,
    pearson,
    registered,
)
from topofs.backends.dispatch import build_network, columns_to_compare
from topofs.constraints import Constraints
from topofs.graphs.filtered_graph import FilteredGraph
from topofs.graphs.products import BlockedProducts
from topofs.io import typed_table
from topofs.selection.compatibility import graph_of
from topofs.similarity.base import dense
from topofs.similarity_matrix import check_similarity_matrix

MEMORY = 10**9


def squares(table):
    return pearson(table, squared=True)


MEASURES = [
    *(one for one in registered("similarity").values() if not isinstance(one, (Auto, Given))),
    *(Pearson(squared=False), Spearman(squared=False), Function(squares), Grades(), Cosine()),
]
# Links are no filter of a bare matrix: see tests/graphs/test_links.py; "auto" is no family.
GRAPHS = [
    *(one for one in registered("graph").values() if not (one.needs_scale or one.by_rule)),
    Nearest(),
]
RULES = [
    *registered("rule").values(),
    *(Coverage(reach=reach, isolated="keep") for reach in ("paths", "edges")),
    *(Stars(), Weakest()),
]
MEASURE = pytest.mark.parametrize(
    "measure",
    MEASURES,
    # The text of a function is not the same in every process.
    ids=lambda measure: repr(measure) if not isinstance(measure, Function) else "Function",
)
GRAPH = pytest.mark.parametrize("graph", GRAPHS, ids=repr)
RULE = pytest.mark.parametrize("rule", RULES, ids=repr)


def table_for(measure, X):
    return X if measure.takes_arrays else typed_table(X)


@MEASURE
def test_a_measure_gives_blocks_of_one_symmetric_matrix(measure):
    X = factor_table(40, 9)
    operator = measure.operator(table_for(measure, X))
    assert operator.n_features == 9
    matrix = dense(operator)
    assert matrix.dtype == operator.dtype
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_array_equal(np.diag(matrix), operator.diagonal())
    block = operator.block(slice(1, 4), slice(5, 9))
    np.testing.assert_allclose(block, matrix[1:4, 5:9], rtol=1e-12)
    block[:] = 7
    np.testing.assert_array_equal(dense(operator), matrix)


@MEASURE
def test_a_scale_gives_shares(measure):
    X = np.column_stack([factor_table(60, 6), np.random.default_rng(1).normal(size=(60, 3))])
    operator = measure.operator(table_for(measure, X))
    scale = measure.scale(operator, n_samples=60, n_features=9)
    assert (scale is not None) == measure.has_scale
    if scale is None:
        return
    matrix = dense(operator)
    before = matrix.copy()
    everyone = np.arange(9)
    block = scale.weights(matrix, everyone[:, None], everyone[None, :])
    assert block.dtype == np.float64
    assert ((block >= 0) & (block <= 1)).all()
    left, right = np.triu_indices(9, k=1)
    np.testing.assert_array_equal(
        scale.weights(matrix[left, right], left, right), block[left, right]
    )
    np.testing.assert_array_equal(matrix, before)


@MEASURE
def test_a_measure_settles_once(measure):
    X = table_for(measure, factor_table(20, 4))
    assert measure.for_table(X) == measure
    assert measure.for_table(X).for_table(X) == measure


@pytest.mark.parametrize(
    "measure", [one for one in MEASURES if one.products is not None], ids=repr
)
def test_products_of_columns_give_the_matrix(measure):
    X = np.rint(3 * factor_table(40, 9))
    operator = measure.operator(X)
    matrix = dense(operator)
    products = BlockedProducts(operator)
    np.testing.assert_array_equal(products.rows(np.arange(9)), matrix)
    some = np.array([1, 4, 8])
    np.testing.assert_array_equal(
        products.rows(np.array([0, 2]), some), matrix[np.ix_([0, 2], some)]
    )
    assert operator.n_samples == 40
    assert not operator.non_negative or (matrix >= 0).all()
    assert measure.products in ("values", "ranks")


@pytest.mark.parametrize("kind", [Pearson, Spearman])
def test_an_operator_of_ones_own_inherits_the_scale_and_nothing_of_the_columns(kind):
    @dataclass(frozen=True, repr=False)
    class OfLogarithms(kind):
        def operator(self, table):
            return super().operator(np.log1p(table))

    own, X = OfLogarithms(), np.exp(factor_table(60, 12))
    assert (own.products, own.has_columns) == (None, False)
    with pytest.raises(ValueError, match="rule 'variance'"):
        TopologicalFeatureSelector(3, similarity=own, rule="variance").fit(X)
    with pytest.raises(ValueError, match="which needs X in memory"):
        TopologicalFeatureSelector(3, similarity=own).fit(da.from_array(X, chunks=(20, -1)))
    found = TopologicalFeatureSelector(similarity=own).fit(X)
    expected = TopologicalFeatureSelector(similarity=kind()).fit(np.log1p(X))
    np.testing.assert_array_equal(found.support_, expected.support_)
    np.testing.assert_array_equal(found.scores_, expected.scores_)


def test_an_operator_that_is_mixed_in_is_one_of_ones_own():
    class Logarithms:
        def operator(self, table):
            return super().operator(np.log1p(table))

    class Mixed(Logarithms, Pearson):
        pass

    class WithColumns(Mixed):
        has_columns, products = True, "values"

    class Same(Pearson):
        pass

    kinds = (Mixed, WithColumns, Same)
    assert [kind.products for kind in kinds] == [None, "values", "values"]
    assert [kind.has_columns for kind in kinds] == [False, True, True]


@GRAPH
@pytest.mark.parametrize("n", [1, 2, 3, 4, 12])
def test_a_graph_has_the_weights_of_its_similarity(graph, n):
    similarity = pearson(factor_table(40, n), squared=True)
    given = check_similarity_matrix(similarity)
    found = graph.build(given)
    np.testing.assert_array_equal(given.values, similarity)
    assert isinstance(found, FilteredGraph)
    assert found.n_nodes == n
    i, j = found.edges.T
    assert (i < j).all()
    np.testing.assert_array_equal(found.weights, similarity[i, j])
    assert found == graph.build(given)
    if n > 4:
        assert (found.cliques is not None) == graph.chordal


@pytest.mark.parametrize("graph", [one for one in GRAPHS if one.without_matrix], ids=repr)
@pytest.mark.parametrize("threshold", [True, False])
def test_a_graph_without_the_matrix_is_the_one_with_it(graph, threshold):
    X = np.rint(3 * factor_table(40, 30))
    columns = columns_to_compare(X, Pearson(), memory=MEMORY)
    by_name = "mean" if threshold else None
    expected = build_network(columns, graph, needs=Needs(), threshold=by_name).graph
    products = BlockedProducts(columns.operator)
    found = graph.build_without_matrix(products, threshold=threshold, memory=MEMORY)
    assert found == expected


@pytest.mark.parametrize("graph", [one for one in GRAPHS if not one.without_matrix], ids=repr)
def test_other_graphs_do_not_pretend(graph):
    with pytest.raises(NotImplementedError):
        graph.build_without_matrix(None, threshold=False, memory=MEMORY)


@RULE
@pytest.mark.parametrize("chosen", [[], [3], [0, 5, 8], range(9)], ids=str)
def test_a_rule_ranks_everyone_and_the_chosen_first(rule, chosen):
    X = np.column_stack([factor_table(60, 7), np.random.default_rng(1).normal(size=(60, 2))])
    columns = columns_to_compare(X, Pearson(), memory=MEMORY)
    graph = graph_of(rule.default_graph) if rule.needs.graph else None
    threshold = rule.threshold_for(Pearson())
    assert threshold in ("mean", "links", None)
    network = build_network(columns, graph, needs=rule.needs, threshold=threshold)
    forced = np.array(list(chosen), dtype=np.int64)
    ranking = rule.rank(network, Constraints.none(9, forced))
    assert sorted(ranking.order) == list(range(9))
    assert set(ranking.order[: len(forced)]) == set(chosen)
    assert ranking.scores.shape == (9,)
    assert np.isfinite(ranking.scores).all()
    assert (ranking.end is not None) == rule.has_end
    assert (ranking.coverage_model is not None) == rule.has_groups
    if rule.has_end:
        assert max(1, len(forced)) <= ranking.end <= 9
    if rule.has_groups:
        check_reach(ranking)
    for words in (rule.words.name, rule.words.ranked_by, rule.words.short, rule.words.axis):
        assert words
    assert rule.sentence.endswith(".")
    assert rule.ties_words


def check_reach(ranking):
    """Representatives are selected, represent themselves, and cover what the curve says."""
    running = ranking.coverage_model.running(ranking.order)
    for k in (1, 4, 9):
        selected = ranking.order[:k]
        by, share = ranking.coverage_model.representatives(selected)
        assert set(by[by >= 0]) <= set(selected)
        assert (by[selected] == selected).all()
        assert (share[selected] == 1).all()
        assert ((share == 0) == (by == -1)).all()
        covered = ranking.coverage_model.explained(selected)
        assert (covered >= share - 1e-9).all()
        assert covered.mean() == pytest.approx(ranking.curve[k - 1])
        assert covered.mean() == pytest.approx(running.curve[k])
        for node in np.flatnonzero((by >= 0) & (by != np.arange(9))):
            between = ranking.coverage_model.path(by[node], node)
            assert len({node, by[node], *between}) == 2 + len(between)


def test_a_rule_may_need_no_graph():
    @dataclass(frozen=True, repr=False)
    class MeanSimilarity(Rule):
        @property
        def needs(self):
            return Needs(graph=False)

        def rank(self, network, chosen):
            assert network.graph is None
            scores = dense(network.operator).mean(axis=1)
            return Ranking(np.argsort(-scores, kind="stable"), scores)

    X = factor_table(60, 8)
    selector = TopologicalFeatureSelector(3, rule=MeanSimilarity()).fit(X)
    expected = pearson(X, squared=True).mean(axis=1)
    np.testing.assert_allclose(selector.scores_, expected)
    assert not hasattr(selector, "graph_")
    assert selector.explain(0).neighbors == ()
    with pytest.raises(ValueError, match="ranks columns without a graph"):
        TopologicalFeatureSelector(3, rule=MeanSimilarity(), graph="tmfg").fit(X)
