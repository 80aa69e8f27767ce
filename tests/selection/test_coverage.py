"""The default rule: columns that represent others, and an end of their own."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from tests.certificates import assert_tmfg
from tests.coverage_settings import BY_COVERAGE
from tests.matrices import factor_table
from tests.messages import assert_tells
from tests.naive.coverage import naive_nearest, naive_path_weights
from tests.naive.ranking import naive_ranking
from topofs import (
    Budget,
    Centrality,
    ConstantFeatureWarning,
    Coverage,
    IsolatedFeatureWarning,
    Links,
    MinShare,
    NoStructureWarning,
    Pearson,
    TopologicalFeatureSelector,
    UntilCoverage,
    pearson,
    stability,
)
from topofs.similarity import noise_floor
from topofs.similarity.noise_floor import correct_bias

pytestmark = pytest.mark.usefixtures("both_ways")


def groups_table(n_samples=200, *, sizes=(5, 4, 3), n_noise=6, seed=0):
    """Groups of columns around a factor of their own, then columns of noise."""
    rng = np.random.default_rng(seed)
    columns = []
    for size in sizes:
        factor = rng.normal(size=n_samples)
        columns += [factor + 0.4 * rng.normal(size=n_samples) for _ in range(size)]
    columns += [rng.normal(size=n_samples) for _ in range(n_noise)]
    return np.column_stack(columns)


@pytest.fixture
def X():
    return groups_table()


def expected_weights(X, graph, least=0.5):
    """Weights along the paths of a fitted graph, by the definitions."""
    square = pearson(X, squared=True)
    edges = np.zeros_like(square)
    i, j = graph.edges.T
    edges[i, j] = edges[j, i] = np.where(
        square[i, j] >= noise_floor(*X.shape), correct_bias(square[i, j], len(X)), 0
    )
    return edges, naive_path_weights(edges, least)


def test_auto_selects_one_column_for_each_group(X):
    selector = TopologicalFeatureSelector().fit(X)
    assert selector.n_features_ == selector.support_.sum() == 3
    groups = [
        {group.position, *(member.position for member in group.members)}
        for group in selector.groups_
    ]
    assert groups == [{0, 1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11}]
    assert selector.isolated_.tolist() == [12, 13, 14, 15, 16, 17]
    assert selector.graph_.edges.max() == 11
    by_tmfg = TopologicalFeatureSelector(graph="tmfg").fit(X)
    assert by_tmfg.n_features_ == 3
    assert_tmfg(by_tmfg.graph_)


def test_isolated_columns_can_be_kept(X):
    selector = TopologicalFeatureSelector(rule=Coverage(isolated="keep")).fit(X)
    assert selector.n_features_ == 3 + 6
    assert selector.support_[12:].all()
    assert set(selector.ranking_[12:]) == {4, 5, 6, 7, 8, 9}
    # Beyond the end they add more than second columns of tight groups; unless they are noise.
    dropped = TopologicalFeatureSelector(9).fit(X)
    assert dropped.support_[12:].all()
    last = TopologicalFeatureSelector(9, rule=Coverage(isolated="last")).fit(X)
    assert not last.support_[12:].any()
    assert set(last.ranking_[12:]) == {13, 14, 15, 16, 17, 18}
    np.testing.assert_array_equal(last.at("auto").support_, dropped.at("auto").support_)


@pytest.mark.parametrize("isolated", ["drop", "keep", "last"])
@pytest.mark.parametrize("seed", range(4))
def test_order_gains_and_representatives_follow_the_twin(seed, isolated):
    X = factor_table(60, 14, seed=seed)
    rule = Coverage(isolated=isolated)
    selector = TopologicalFeatureSelector(5, rule=rule, graph="tmfg").fit(X)
    _, weights = expected_weights(X, selector.graph_)
    strength = selector.graph_.strength()
    assert_as_the_twin(selector, weights, strength, isolated)


@pytest.mark.parametrize("isolated", ["drop", "keep", "last"])
@pytest.mark.parametrize("way", ["edges", "all pairs", "links"])
def test_other_ways_follow_the_twin(X, way, isolated):
    settings = BY_COVERAGE[way]
    rule = settings.get("rule", Coverage()).replace(isolated=isolated)
    selector = TopologicalFeatureSelector(4, **settings | {"rule": rule}).fit(X)
    square = pearson(X, squared=True)
    weights = np.where(square >= noise_floor(*X.shape), correct_bias(square, len(X)), 0)
    strength = square.sum(axis=1)
    if way == "edges":
        strength = selector.graph_.strength()
        linked = selector.graph_.to_scipy().toarray() != 0
        weights *= linked | np.eye(len(weights), dtype=bool)
    assert_as_the_twin(selector, weights, strength, isolated)


def assert_as_the_twin(selector, weights, strength, isolated):
    order, gains, end = naive_ranking(weights, strength=strength, isolated=isolated)
    found = np.argsort(selector.ranking_)
    assert found.tolist() == order
    np.testing.assert_allclose(selector.scores_[found], gains, atol=1e-9)
    np.testing.assert_allclose(selector.coverage_, np.cumsum(gains) / len(gains), atol=1e-9)
    for size in (1, 3, 5, 9):
        cut = selector.at(size)
        representative, share = naive_nearest(weights, set(np.flatnonzero(cut.support_)))
        assert cut.representative_.tolist() == representative
        np.testing.assert_allclose(cut.shares_, share, atol=1e-12)
    assert selector.at("auto").n_features_ == end
    alone = np.flatnonzero((weights > 0).sum(axis=1) == 1)
    assert selector.isolated_.tolist() == alone.tolist()


def test_isolated_columns_are_ordered_by_strength_or_by_index(X):
    by_strength = TopologicalFeatureSelector(rule=Coverage(isolated="last")).fit(X)
    strength = pearson(X, squared=True).sum(axis=1)
    tail = np.argsort(by_strength.ranking_)[-6:]
    assert tail.tolist() == sorted(range(12, 18), key=lambda i: -strength[i])
    by_index = TopologicalFeatureSelector(rule=Coverage(isolated="last", ties="index")).fit(X)
    assert np.argsort(by_index.ranking_)[-6:].tolist() == list(range(12, 18))


def test_the_ranking_is_a_permutation_and_the_support_its_beginning(X):
    for size in (1, 4, 18, 0.5, None, "auto"):
        selector = TopologicalFeatureSelector(size).fit(X)
        assert sorted(selector.ranking_) == list(range(1, 19))
        np.testing.assert_array_equal(
            selector.support_, selector.ranking_ <= selector.n_features_
        )


@pytest.mark.parametrize("similarity", ["pearson", "spearman", "mixed", "mutual_information"])
@pytest.mark.parametrize("graph", ["links", "tmfg", "pmfg", "mst"])
def test_permuting_columns_permutes_the_answer(similarity, graph, X):
    estimator = TopologicalFeatureSelector(similarity=similarity, graph=graph)
    selector = clone(estimator).fit(X)
    rng = np.random.default_rng(0)
    for _ in range(3):
        order = rng.permutation(18)
        permuted = clone(estimator).fit(X[:, order])
        np.testing.assert_array_equal(permuted.support_, selector.support_[order])
        np.testing.assert_array_equal(permuted.ranking_, selector.ranking_[order])


def test_the_number_of_threads_changes_nothing():
    X = factor_table(100, 300)
    answers = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            answers.append(TopologicalFeatureSelector().fit(X))
    np.testing.assert_array_equal(answers[0].ranking_, answers[1].ranking_)


def test_a_strong_negative_link_is_a_link():
    X = groups_table()
    X[:, 1] *= -1
    selector = TopologicalFeatureSelector().fit(X)
    assert selector.representative_[1] == selector.representative_[0] >= 0
    # By signed correlations an opposite column shares nothing, however it is reached.
    for settings in BY_COVERAGE.values():
        signed = TopologicalFeatureSelector(similarity=Pearson(squared=False), **settings).fit(
            X
        )
        assert signed.representative_[1] == -1
        assert signed.shares_[0] < 0.9


def test_duplicated_columns_represent_each_other_and_the_first_is_taken():
    X = groups_table(sizes=(1, 1, 1), n_noise=0)
    X = np.column_stack([X, X])
    selector = TopologicalFeatureSelector().fit(X)
    assert selector.support_.tolist() == [True] * 3 + [False] * 3
    assert selector.representative_.tolist() == [0, 1, 2, 0, 1, 2]
    everything = selector.at(6)
    assert everything.representative_.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("n_features", [2, 5, 40])
def test_without_structure_auto_takes_one_and_says_so(n_features):
    X = np.random.default_rng(0).normal(size=(50, n_features))
    message = f"no two of the {n_features} columns"
    with pytest.warns(NoStructureWarning, match=message) as caught:
        selector = TopologicalFeatureSelector().fit(X)
    assert caught[0].filename == __file__
    assert selector.n_features_ == 1
    assert len(selector.isolated_) == n_features
    assert TopologicalFeatureSelector(2).fit(X).n_features_ == 2


def test_isolated_columns_that_auto_leaves_out_are_counted_once(X):
    isolated = TopologicalFeatureSelector().fit(X).isolated_
    assert len(isolated) >= 3
    with pytest.warns(IsolatedFeatureWarning) as caught:
        TopologicalFeatureSelector().fit(X)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert_tells(
        caught[0].message,
        f"{len(isolated)} of {X.shape[1]}",
        "isolated",
        "isolated_",
        "rule=Coverage(isolated='keep')",
    )
    columns = isolated[:-1].tolist()
    for constraint in ({"keep": columns}, {"exclude": columns}):
        with pytest.warns(IsolatedFeatureWarning, match="1 of 18 columns is isolated: it"):
            TopologicalFeatureSelector(**constraint).fit(X)


def test_nothing_is_said_of_isolated_columns_that_nobody_left_out(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error", IsolatedFeatureWarning)
        selector = TopologicalFeatureSelector(2).fit(X)
        selector.at("auto").explain(0)
        for size in (UntilCoverage(0.5), MinShare(0.5), Budget(4), None, 0.5):
            TopologicalFeatureSelector(size).fit(X)
        TopologicalFeatureSelector(rule=Coverage(isolated="keep")).fit(X)
        TopologicalFeatureSelector(keep=selector.isolated_.tolist()).fit(X)
        TopologicalFeatureSelector("auto", rule="variance").fit(X)
        stability(TopologicalFeatureSelector(), X, n_resamples=2, random_state=0)


def test_a_search_counts_isolated_columns_once(X):
    pipeline = make_pipeline(TopologicalFeatureSelector(), KNeighborsClassifier())
    grid = {"topologicalfeatureselector__graph": [Links(strongest=8), "links"]}
    y = np.arange(len(X)) % 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        GridSearchCV(pipeline, grid, cv=3).fit(X, y)
        cross_val_score(pipeline, X, y, cv=3)
    assert [warning.category for warning in caught] == [IsolatedFeatureWarning]


def test_auto_with_forced_columns(X):
    selector = TopologicalFeatureSelector(keep=[12, 13]).fit(X)
    found = TopologicalFeatureSelector().fit(X).support_
    assert found.sum() == 3
    assert not found[[12, 13]].any()
    np.testing.assert_array_equal(
        selector.support_, found | np.isin(np.arange(len(found)), [12, 13])
    )
    chosen = int(np.flatnonzero(found)[0])
    assert TopologicalFeatureSelector(keep=[chosen]).fit(X).n_features_ == 3


def test_another_size_without_fitting_again(X):
    selector = TopologicalFeatureSelector(2).fit(X)
    assert selector.at("auto").n_features_ == 3
    assert selector.at(1).groups_[0] == selector.groups_[0]
    assert len(selector.groups_) == 2
    assert selector.at(None).n_features_ == 9
    assert (selector.at(2).representative_[9:12] == -1).all()
    assert (selector.at(3).representative_[9:12] >= 9).all()
    # A cut follows the rule of the fit, whatever was set since.
    for rule in (Coverage(isolated="keep"), "degree"):
        selector.set_params(rule=rule)
        assert selector.at("auto").n_features_ == 3
    by_degree = TopologicalFeatureSelector(2, rule="degree").fit(X)
    by_degree.set_params(rule="coverage")
    with pytest.raises(ValueError, match="a ranking by degree has no end of its own"):
        by_degree.at("auto")


def test_constant_columns_have_no_representative():
    X = groups_table()
    X[:, 3] = 1.0
    with pytest.warns(ConstantFeatureWarning):
        selector = TopologicalFeatureSelector(keep=[3]).fit(X)
    assert selector.support_[3]
    assert selector.representative_[3] == 3
    assert selector.ranking_[3] == 1
    assert selector.forced_.tolist() == [3]
    assert len(selector.coverage_) == 17
    with pytest.warns(ConstantFeatureWarning):
        selector = TopologicalFeatureSelector().fit(X)
    assert selector.representative_[3] == -1
    assert selector.shares_[3] == 0
    assert 3 not in selector.isolated_


def test_a_sparse_table_gives_the_answer_of_the_dense_one():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.5, size=(80, 12)).astype(float)
    X[:, 1] = X[:, 0] + (rng.random(80) < 0.1)
    dense = TopologicalFeatureSelector().fit(X)
    selector = TopologicalFeatureSelector().fit(sparse.csr_array(X))
    np.testing.assert_array_equal(selector.ranking_, dense.ranking_)
    assert sparse.issparse(selector.transform(sparse.csr_array(X)))


def test_missing_values_are_used_pair_by_pair(X):
    X[np.random.default_rng(0).random(X.shape) < 0.05] = np.nan
    assert TopologicalFeatureSelector().fit(X).n_features_ == 3


def test_a_given_similarity_is_shared_variance_without_a_floor(X):
    matrix = pearson(X, squared=True)
    selector = TopologicalFeatureSelector(3, similarity="precomputed").fit(matrix)
    assert {g.position // 4 for g in selector.groups_} <= {0, 1, 2}
    same = TopologicalFeatureSelector(3, similarity=lambda x: pearson(x, squared=True)).fit(X)
    np.testing.assert_array_equal(same.ranking_, selector.ranking_)
    np.testing.assert_array_equal(matrix, pearson(X, squared=True))
    with pytest.raises(ValueError, match="goes from -.* to 1: give squared correlations"):
        TopologicalFeatureSelector(similarity="precomputed").fit(pearson(X))


def test_rules_that_do_not_fit_together_are_refused(X):
    with pytest.raises(ValueError, match="similarity 'energy' grows with what columns do not"):
        TopologicalFeatureSelector(similarity="energy").fit(X)
    with pytest.raises(TypeError, match="unexpected keyword argument 'centrality'"):
        TopologicalFeatureSelector(centrality="pagerank")
    for name in ("degree", "pagerank"):
        with pytest.raises(ValueError, match=f"rule='coverage' or 'variance'.*{name}"):
            TopologicalFeatureSelector(rule=name).fit(X)
    assert (
        TopologicalFeatureSelector(4, similarity="energy", rule="degree").fit(X).n_features_
        == 4
    )


def test_what_coverage_tells_is_not_there_for_degree(X):
    selector = TopologicalFeatureSelector.paper(3).fit(X)
    for name in ("coverage_", "representative_", "shares_", "groups_", "isolated_"):
        assert not hasattr(selector, name)
    with pytest.raises(
        AttributeError, match="groups_ is there only after a fit by a rule with"
    ):
        _ = selector.groups_
    with pytest.raises(NotFittedError):
        _ = TopologicalFeatureSelector().groups_
    selector.set_params(rule="coverage").fit(X)
    assert len(selector.groups_) == 3


def test_the_preset_of_the_paper():
    selector = TopologicalFeatureSelector.paper(7, similarity="spearman", keep=[1])
    expected = TopologicalFeatureSelector(
        7,
        similarity="spearman",
        rule=Centrality("degree", ties="index"),
        threshold="mean",
        graph="tmfg",
        keep=[1],
        min_carriers=0,
    )
    assert selector.get_params() == expected.get_params()
    X = np.rint(factor_table(60, 20))
    selector = TopologicalFeatureSelector.paper().fit(X)
    assert selector.n_features_ == 10
    degrees = selector.graph_.degree()
    order = sorted(range(20), key=lambda i: (-degrees[i], i))
    assert np.argsort(selector.ranking_).tolist() == order


def test_explanations_say_who_represents_whom():
    X = pd.DataFrame(groups_table(), columns=[f"c{i}" for i in range(18)])
    selector = TopologicalFeatureSelector().fit(X)
    for group in selector.groups_:
        explanation = selector.explain(group.name)
        assert explanation.representation.members == tuple(
            (m.name, m.share) for m in group.members
        )
        text = str(explanation)
        assert_tells(text, "represents", len(group.members), *(m.name for m in group.members))
        for member in group.members:
            other = selector.explain(member.name)
            assert other.representation.representative == group.name
            assert other.representation.share == member.share
            assert_tells(other, group.name, "represents", f"{member.share:.4g}")
    text = str(selector.explain("c12"))
    assert_tells(text, "coverage gain 1", 5)
    assert_tells(text, "isolated", "chance")
    assert "It is alone: no selected feature represents it." in str(
        selector.at(2).explain("c9")
    )
    alone = TopologicalFeatureSelector(keep=["c13"]).fit(X).explain("c13")
    assert "It represents itself alone." in str(alone)
    assert "It is forced" in str(alone)
    assert selector.explain("c0").score_name == "coverage gain"


@pytest.mark.filterwarnings("ignore::topofs.ConstantFeatureWarning")
@pytest.mark.parametrize("way", BY_COVERAGE)
def test_a_constant_column_alone_represents_itself(way):
    X = np.column_stack([factor_table(60, 6), np.ones(60)])
    selector = TopologicalFeatureSelector(1, keep=[6], **BY_COVERAGE[way]).fit(X)
    (group,) = selector.groups_
    assert (group.position, group.members) == (6, ())
    assert selector.representative_.tolist() == [-1] * 6 + [6]
    assert selector.shares_.tolist() == [0.0] * 6 + [1.0]
    assert selector.explain(0).representation.representative is None


def test_pickles_tell_the_same(X):
    selector = TopologicalFeatureSelector().fit(X)
    other = pickle.loads(pickle.dumps(selector))
    assert other.groups_ == selector.groups_
    np.testing.assert_array_equal(other.coverage_, selector.coverage_)


def test_a_given_similarity_is_cut_at_its_mean_off_the_diagonal():
    even = np.full((5, 5), 0.6)
    np.fill_diagonal(even, 1.0)
    selector = TopologicalFeatureSelector(similarity="precomputed").fit(even)
    assert not len(selector.isolated_)
    assert selector.n_features_ == 1
    even[4, :4] = even[:4, 4] = 0.1
    assert TopologicalFeatureSelector(similarity="precomputed").fit(
        even
    ).isolated_.tolist() == [4]


def test_all_columns_of_noise_may_be_kept():
    X = np.random.default_rng(0).normal(size=(100, 6))
    with pytest.warns(NoStructureWarning, match="all of them are selected$"):
        TopologicalFeatureSelector(rule=Coverage(isolated="keep")).fit(X)
