"""The ranking as a list."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from topofs import (
    ConstantFeatureWarning,
    Coverage,
    Energy,
    Pearson,
    Spearman,
    TopologicalFeatureSelector,
    energy,
    pearson,
    spearman,
)
from topofs.io import NamedArray
from topofs.selection import fit_and_compare, fitted_similarity, ranked_columns
from topofs.similarity.base import MatrixOperator

SIMILARITIES = {
    Pearson(): lambda X: pearson(X, squared=True),
    Spearman(): lambda X: spearman(X, squared=True),
    Energy(alpha=0.2): lambda X: energy(X, alpha=0.2),
}


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3)) @ rng.standard_normal((3, 300))
    X += rng.standard_normal(X.shape)
    X[3, 7] = np.nan
    X[:, 11] = 4.0
    return X


def slow_nearest(similarity, nodes, support):
    """By the definition, one pair at a time."""
    found = {}
    for i, column in enumerate(nodes):
        best = None
        for j, other in enumerate(nodes):
            if j != i and support[other] and (best is None or similarity[i, j] > best[1]):
                best = (other, similarity[i, j])
        found[column] = best
    return found


@pytest.mark.filterwarnings("ignore::topofs.ConstantFeatureWarning")
@pytest.mark.parametrize("measure", SIMILARITIES, ids=repr)
@pytest.mark.parametrize("source", ["matrix", "table", "fit"])
def test_every_column_with_its_place_and_its_nearest(X, measure, source):
    selector = TopologicalFeatureSelector(9, similarity=measure, rule="degree")
    columns = fit_and_compare(selector, X)
    nodes = selector.nodes_
    similarity = SIMILARITIES[measure](X[:, nodes])
    operator = {
        "matrix": MatrixOperator(similarity),
        "table": fitted_similarity(selector, X),
        "fit": columns.operator,
    }[source]
    ranked = ranked_columns(selector, operator)
    assert [column.rank for column in ranked] == list(range(1, 301))
    assert sum(column.selected for column in ranked) == 9
    nearest = slow_nearest(similarity, nodes, selector.support_)
    strengths = dict(zip(nodes, selector.graph_.strength(), strict=True))
    for column in ranked:
        position = int(column.name[1:])
        assert column.score == selector.scores_[position]
        assert column.selected == selector.support_[position]
        if position == 11:
            assert (column.rank, column.nearest, column.strength) == (300, None, 0.0)
            continue
        assert column.strength == strengths[position]
        assert column.nearest == f"x{nearest[position][0]}"
        assert column.similarity == pytest.approx(nearest[position][1], abs=1e-12)


def test_no_other_selected_column():
    X = np.random.default_rng(0).standard_normal((9, 4))
    selector = TopologicalFeatureSelector(1, rule="degree").fit(X)
    first = ranked_columns(selector, fitted_similarity(selector, X))[0]
    assert (first.nearest, first.similarity) == (None, None)


def test_only_constant_columns_selected():
    X = np.random.default_rng(0).standard_normal((9, 4))
    X[:, 2] = 1.0
    table = NamedArray(X, tuple("abcd"))
    with pytest.warns(ConstantFeatureWarning, match="1 of 4 columns .*: c"):
        selector = TopologicalFeatureSelector(1, keep=["c"]).fit(table)
    assert selector.get_feature_names_out().tolist() == ["c"]
    ranked = ranked_columns(selector, fitted_similarity(selector, table))
    assert ranked[0].name == "c"
    assert all(column.nearest is None for column in ranked)


def test_another_table_is_refused():
    X = np.random.default_rng(0).standard_normal((9, 4))
    selector = TopologicalFeatureSelector(1).fit(X)
    with pytest.raises(ValueError, match="X has 3 columns; the selector was fitted on 4"):
        fitted_similarity(selector, X[:, :3])


@pytest.mark.parametrize(
    "selector",
    [
        TopologicalFeatureSelector(3),
        TopologicalFeatureSelector(
            0.5, similarity=Spearman(squared=False), rule=Coverage(ties="index")
        ),
        TopologicalFeatureSelector(3, similarity=Energy(alpha=0.7), rule="degree", keep=("c",)),
        TopologicalFeatureSelector(2, graph="mst", rule="closeness"),
        TopologicalFeatureSelector(4, rule=Coverage(reach="edges", isolated="keep")),
    ],
    ids=repr,
)
def test_a_named_array_is_fitted_like_a_frame(selector):
    X = np.asfortranarray(np.random.default_rng(0).standard_normal((30, 8)))
    names = tuple("abcdefgh")
    fitted = clone(selector).fit(NamedArray(X, names))
    expected = clone(selector).fit(pd.DataFrame(X, columns=names))
    assert fitted.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert fitted.feature_names_in_.tolist() == list(names)
    assert fitted.graph_ == expected.graph_
    assert fitted.get_params() == expected.get_params()
    assert str(fitted.explain("c")) == str(expected.explain("c"))
    assert fitted.at(4).support_.tolist() == expected.at(4).support_.tolist()
