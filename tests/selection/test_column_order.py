"""Selected columns do not depend on the order of the columns, whatever ties."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, sparse

from tests.coverage_settings import BY_COVERAGE
from tests.matrices import tables
from topofs import (
    Budget,
    Centrality,
    Coverage,
    Links,
    MinShare,
    Pearson,
    Spearman,
    TopologicalFeatureSelector,
    Variance,
    pearson,
)
from topofs.rules.centrality import SCORES
from topofs.similarity.column_order import matrix_order, value_order

pytestmark = pytest.mark.usefixtures("both_ways")

COVERAGE = list(BY_COVERAGE.values())
RULES = [*COVERAGE, *({"rule": Centrality(name)} for name in SCORES), {"rule": Variance()}]
DEGREE = {"rule": Centrality("degree")}
TABLES = {
    "reals": lambda rng: rng.normal(size=(30, 12)) @ rng.normal(size=(12, 12)),
    "whole": lambda rng: rng.integers(0, 4, size=(12, 14)).astype(float),
    "binary": lambda rng: np.rint(rng.random(size=(9, 12))),
    "single": lambda rng: (rng.normal(size=(30, 12)) @ rng.normal(size=(12, 12))).astype("f4"),
}
SEEDS = range(4)


def drawn(kind, seed):
    """A table without constant columns, and a permutation of its columns."""
    rng = np.random.default_rng(seed)
    X = TABLES[kind](rng)
    X = X[:, X.min(axis=0) < X.max(axis=0)]
    return X, rng.permutation(X.shape[1])


def chosen(X, size=4, **terms):
    """The values of the selected columns, so that copies stand for each other."""
    selector = TopologicalFeatureSelector(size, **terms).fit(X)
    return sorted(np.asarray(X)[:, selector.support_].T.tolist())


def same_set(X, order, **settings):
    return chosen(X, **settings) == chosen(X[:, order], **settings)


@pytest.mark.parametrize("terms", RULES, ids=repr)
@pytest.mark.parametrize("kind", TABLES)
def test_every_rule_selects_the_same_columns(kind, terms):
    for seed in SEEDS:
        X, order = drawn(kind, seed)
        assert same_set(X, order, **terms), seed


@st.composite
def tables_of_copies(draw):
    """Columns beside copies of them, scaled, mirrored, shifted or upside down; a permutation."""
    X = draw(tables())
    varies = X.min(axis=0) < X.max(axis=0)
    X = np.column_stack([X[:, varies], np.arange(len(X)) % 2])
    of = st.integers(0, X.shape[1] - 1)
    factor, shift = st.sampled_from([1.0, 2.0, -1.0, 0.3]), st.sampled_from([0.0, 1.0, -0.7])
    copies = draw(st.lists(st.tuples(of, factor, shift, st.booleans()), max_size=6))
    for column, by, more, upside_down in copies:
        copy = by * X[:, column] + more
        X = np.column_stack([X, copy[::-1] if upside_down else copy])
    return X, np.array(draw(st.permutations(range(X.shape[1]))))


@given(
    tables_of_copies(), st.sampled_from(["pearson", "spearman"]), st.sampled_from([None, 50])
)
@settings(max_examples=60)
def test_variance_orders_copies_by_their_values(case, similarity, memory):
    X, order = case
    first, second = (
        TopologicalFeatureSelector(
            1, rule="variance", similarity=similarity, memory=memory, keep=[kept]
        ).fit(table)
        for table, kept in ((X, 0), (X[:, order], order.tolist().index(0)))
    )
    ranked = X[:, np.argsort(first.ranking_)]
    np.testing.assert_array_equal(X[:, order][:, np.argsort(second.ranking_)], ranked)
    assert first.at("auto").n_features_ == second.at("auto").n_features_


COPIES = {
    "twice": lambda X: np.column_stack([X, 2 * X]),
    "mirrored": lambda X: np.column_stack([X, -X]),
    "complement": lambda X: np.column_stack([X > 0, X <= 0]).astype(float),
    "Toeplitz": lambda X: linalg.toeplitz(np.rint(3 * X[:12, 0])) + np.eye(12),
    "sparse": lambda X: sparse.csc_array(np.column_stack([X * (X > 0.5), X * (X > 0.5) / 3])),
}


@pytest.mark.parametrize("kind", COPIES)
def test_variance_selects_the_same_of_copies(kind):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = COPIES[kind](rng.normal(size=(20, 6)))
        order = rng.permutation(X.shape[1])
        values = X.toarray() if sparse.issparse(X) else X
        first, second = (
            TopologicalFeatureSelector(4, rule="variance").fit(table)
            for table in (X, X[:, order])
        )
        one, other = (
            values[:, np.flatnonzero(first.support_)],
            values[:, order][:, second.support_],
        )
        assert sorted(one.T.tolist()) == sorted(other.T.tolist()), seed


@pytest.mark.parametrize(
    "similarity",
    [
        Pearson(squared=False),
        Spearman(),
        Spearman(squared=False),
        "mixed",
        "mutual_information",
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["reals", "whole"])
def test_with_every_measure(kind, similarity):
    for seed in SEEDS:
        X, order = drawn(kind, seed)
        for terms in (*COVERAGE, DEGREE):
            assert same_set(X, order, **terms, similarity=similarity), (seed, terms)


@pytest.mark.parametrize("kind", ["reals", "binary"])
def test_with_the_energy_coefficient(kind):
    for seed in SEEDS:
        X, order = drawn(kind, seed)
        assert same_set(X, order, rule="pagerank", similarity="energy"), seed


@pytest.mark.parametrize("graph", ["links", "tmfg", "pmfg", "mst"])
@pytest.mark.parametrize("kind", ["reals", "whole", "binary"])
def test_with_every_graph(kind, graph):
    for seed in SEEDS:
        X, order = drawn(kind, seed)
        for rule in (Coverage(), Centrality("strength")):
            assert same_set(X, order, rule=rule, graph=graph), (seed, rule)


@pytest.mark.parametrize("size", [MinShare(0.3), Budget(3.0), 1, "auto"], ids=str)
@pytest.mark.parametrize("kind", ["reals", "binary"])
@pytest.mark.filterwarnings("ignore::topofs.NoStructureWarning")
def test_at_every_size(kind, size):
    for seed in SEEDS:
        X, order = drawn(kind, seed)
        assert same_set(X, order, size=size), seed


@pytest.mark.parametrize("terms", COVERAGE, ids=repr)
def test_a_given_similarity(terms):
    for seed in SEEDS:
        X, order = drawn("reals", seed)
        matrix = pearson(X, squared=True)
        moved = matrix[np.ix_(order, order)]
        first, second = (
            TopologicalFeatureSelector(4, **terms, similarity="precomputed").fit(one)
            for one in (matrix, moved)
        )
        assert set(np.flatnonzero(first.support_)) == set(order[second.support_]), seed


@pytest.mark.parametrize("missing", [True, False])
def test_sparse_and_missing_values(missing):
    for seed in SEEDS:
        X, order = drawn("whole", seed)
        X = np.where(X > 2, np.nan, X) if missing else sparse.csc_array(X)
        for terms in COVERAGE:
            first, second = (
                TopologicalFeatureSelector(4, **terms).fit(one) for one in (X, X[:, order])
            )
            values = np.nan_to_num(X if missing else X.toarray(), nan=-1.0)
            names = [tuple(column) for column in values.T]
            one = sorted(names[i] for i in np.flatnonzero(first.support_))
            other = sorted(names[i] for i in order[second.support_])
            assert one == other, (seed, terms)


def test_columns_of_names():
    for seed in SEEDS:
        X, order = drawn("whole", seed)
        frame = pd.DataFrame({f"c{i}": column for i, column in enumerate(X.T)})
        for name in ("c1", "c4", "c7"):
            frame[name] = frame[name].map({0: "a", 1: "a", 2: "b", 3: "b"})
        first, second = (
            TopologicalFeatureSelector(4).fit(one) for one in (frame, frame.iloc[:, order])
        )
        assert set(first.get_feature_names_out()) == set(second.get_feature_names_out()), seed


def test_without_the_matrix_as_with_it():
    X = np.random.default_rng(0).integers(0, 3, size=(8, 400)).astype(float)
    order = np.random.default_rng(1).permutation(400)
    for terms in ({"graph": Links(strongest=8)}, {"graph": "tmfg"}, DEGREE):
        assert chosen(X, 40, memory="1MB", **terms) == chosen(X[:, order], 40, **terms)


def test_two_columns_that_represent_only_each_other():
    rng = np.random.default_rng(7)
    X = rng.standard_normal((60, 40)) @ rng.standard_normal((40, 40))
    assert same_set(X, rng.permutation(40), size=10)


def test_scale_place_and_sign_play_no_part():
    for kind in ("reals", "binary"):
        for seed in SEEDS:
            X, _ = drawn(kind, seed)
            rng = np.random.default_rng(seed)
            changed = X * rng.choice([-2.0, 1.0, 4.0], X.shape[1]) + rng.integers(-3, 4)
            for terms in (*COVERAGE, {"rule": Centrality("pagerank")}):
                first, second = (
                    TopologicalFeatureSelector(4, **terms).fit(one) for one in (X, changed)
                )
                names = [tuple(np.abs(np.diff(column))) for column in X.T]
                assert [names[i] for i in np.argsort(first.ranking_)[:4]] == [
                    names[i] for i in np.argsort(second.ranking_)[:4]
                ], (kind, seed, terms)


def test_ties_by_position_stay():
    X, _ = drawn("binary", 0)
    rules = (Coverage(ties="index"), Centrality("degree", ties="index"))
    assert any(
        not same_set(*drawn("binary", seed), rule=rule) for seed in range(20) for rule in rules
    )
    paper = TopologicalFeatureSelector.paper(12).fit(X)
    degree = paper.graph_.degree()
    assert np.argsort(paper.ranking_).tolist() == np.argsort(-degree, kind="stable").tolist()


def test_an_order_by_values_is_one():
    for kind in TABLES:
        X, order = drawn(kind, 0)
        assert (X[:, value_order(X)] == X[:, order][:, value_order(X[:, order])]).all()
        assert value_order(sparse.csc_array(X)).tolist() == value_order(X).tolist()
        assert (value_order(X[::-1]) == value_order(X)).all()
        matrix = pearson(X.astype(np.float64))
        moved = matrix[np.ix_(order, order)]
        first, second = matrix_order(matrix), matrix_order(moved)
        assert (matrix[np.ix_(first, first)] == moved[np.ix_(second, second)]).all()
    mirrored = np.array([[0.0, 1, 0, 2, 5], [1, 0, 0, 0, 0], [0, 1, 1, 2, 5]])
    there = mirrored[:, value_order(mirrored)]
    back = mirrored[:, ::-1][:, value_order(mirrored[:, ::-1])]
    assert (there == back).all()


def test_a_column_that_differs_by_the_least_float_has_a_place():
    X = np.random.default_rng(0).normal(size=(30, 12))
    X[:, 1] = np.where(np.arange(30) % 3, 0.0, 5e-324)
    order = np.random.default_rng(1).permutation(12)
    found = TopologicalFeatureSelector(3).fit(X).get_support(indices=True)
    again = TopologicalFeatureSelector(3).fit(X[:, order]).get_support(indices=True)
    assert sorted(order[again]) == sorted(found)
