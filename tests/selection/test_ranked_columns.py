"""The ranking as a list, and the settings behind it."""

import numpy as np
import pandas as pd
import pytest

from topofs import TopologicalFeatureSelector
from topofs.selection import SelectionSettings, ranked_columns
from topofs.similarity import energy, pearson, spearman

SIMILARITIES = {
    "pearson": lambda X: pearson(X, squared=True),
    "spearman": lambda X: spearman(X, squared=True),
    "energy": lambda X: energy(X, alpha=0.2),
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
@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize("at_hand", [True, False])
def test_every_column_with_its_place_and_its_nearest(X, name, at_hand):
    selector = TopologicalFeatureSelector(9, similarity=name, alpha=0.2, rule="degree").fit(X)
    nodes = selector.nodes_
    similarity = SIMILARITIES[name](X[:, nodes])
    ranked = ranked_columns(selector, X, similarity=similarity if at_hand else None)
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
    first = ranked_columns(selector, X)[0]
    assert (first.nearest, first.similarity) == (None, None)


def test_only_constant_columns_selected():
    X = np.random.default_rng(0).standard_normal((9, 4))
    X[:, 2] = 1.0
    selector = SelectionSettings(size=1, keep=("c",)).fit(X, list("abcd"))
    assert selector.get_feature_names_out().tolist() == ["c"]
    assert all(column.nearest is None for column in ranked_columns(selector, X))


@pytest.mark.parametrize(
    "settings",
    [
        SelectionSettings(size=3),
        SelectionSettings(size=0.5, similarity="spearman", squared=False, ties="index"),
        SelectionSettings(size=3, similarity="energy", alpha=0.7, rule="degree", keep=("c",)),
        SelectionSettings(size=2, graph="mst", rule="degree", centrality="closeness"),
        SelectionSettings(size=4, reach="edges", isolated="keep"),
    ],
)
def test_a_named_array_is_fitted_like_a_frame(settings):
    X = np.asfortranarray(np.random.default_rng(0).standard_normal((30, 8)))
    names = list("abcdefgh")
    fitted = settings.fit(X, names)
    expected = settings.selector().fit(pd.DataFrame(X, columns=names))
    assert fitted.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert fitted.graph_ == expected.graph_
    assert fitted.get_params() == expected.get_params()
    assert str(fitted.explain("c")) == str(expected.explain("c"))
    assert fitted.at(4).support_.tolist() == expected.at(4).support_.tolist()


def test_settings_are_a_value():
    settings = SelectionSettings(size=3, keep=("a",))
    assert settings == SelectionSettings(size=3, keep=("a",))
    assert settings.as_dict()["keep"] == ["a"]
