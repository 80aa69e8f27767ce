"""Wishes by names: what the estimator makes of them, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from topofs import AtMost, Budget, Centrality, Coverage, TopologicalFeatureSelector, pearson

TUMOURS = load_breast_cancer(as_frame=True).data
GROUPS = {name: name.split()[0] for name in TUMOURS}


def test_the_example_of_a_panel_that_is_given():
    selector = TopologicalFeatureSelector(3, keep=["mean area"]).fit(TUMOURS)
    chosen = set(selector.get_feature_names_out())
    assert chosen == {"mean area", "mean compactness", "compactness error"}
    assert selector.shares_.mean() >= 0.55
    assert selector.ranking_[3] == 1


@pytest.mark.parametrize(
    "rule", [Coverage(), Coverage(reach="similarity"), Centrality("degree")]
)
def test_all_wishes_at_once_are_kept(rule):
    selector = TopologicalFeatureSelector(
        8,
        rule=rule,
        keep=["texture error"],
        exclude=["worst *", "mean area"],
        at_most=AtMost(5, of=GROUPS),
        max_similarity=0.7,
    ).fit(TUMOURS)
    chosen = selector.get_feature_names_out().tolist()
    assert len(chosen) == 8
    assert "texture error" in chosen
    assert not [name for name in chosen if name.startswith("worst") or name == "mean area"]
    assert max(pd.Series(chosen).map(GROUPS).value_counts()) <= 5
    alike = pearson(TUMOURS[chosen], squared=True)
    assert alike[np.triu_indices(8, 1)].max() <= 0.7


def test_excluded_columns_are_represented():
    selector = TopologicalFeatureSelector(exclude=["worst perimeter"]).fit(TUMOURS)
    position = TUMOURS.columns.get_loc("worst perimeter")
    assert not selector.support_[position]
    assert selector.shares_[position] > 0.9
    assert selector.ranking_[position] == 30


def test_positions_patterns_and_series_do_as_names():
    by_name = TopologicalFeatureSelector(4, keep=["mean area"], exclude=["worst radius"])
    other = TopologicalFeatureSelector(4, keep=[3], exclude=["worst radi*"])
    np.testing.assert_array_equal(by_name.fit(TUMOURS).support_, other.fit(TUMOURS).support_)
    limits = [
        AtMost(1, of=GROUPS),
        AtMost(1, of=pd.Series(GROUPS)),
        AtMost(1, of=list(GROUPS.values())),
    ]
    found = [TopologicalFeatureSelector(3, at_most=one).fit(TUMOURS).support_ for one in limits]
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()


def test_columns_without_a_group_are_free():
    selector = TopologicalFeatureSelector(
        6, at_most=AtMost(1, of={"mean area": "a", "mean radius": "a"})
    )
    chosen = selector.fit(TUMOURS).get_feature_names_out()
    assert len(chosen) == 6


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"keep": ["mean arae"]}, "there is no column 'mean arae'.*did you mean 'mean area'"),
        ({"keep": ["HLA-*"]}, r"no column is like 'HLA-\*'"),
        ({"exclude": "mean area"}, "exclude is 'mean area'; give a list"),
        (
            {"keep": ["mean area"], "exclude": ["mean area"]},
            "'mean area' is both kept and excluded",
        ),
        ({"exclude": ["*"]}, "exclude names all columns"),
        (
            {"keep": ["mean area", "mean radius"], "at_most": AtMost(1, of=GROUPS)},
            "keep names 2 columns of the group 'mean' .*'mean radius', 'mean area'",
        ),
        (
            {"keep": ["mean area", "mean radius"], "max_similarity": 0.9},
            "'mean (radius|area)' and 'mean (area|radius)', which are more alike",
        ),
        ({"max_similarity": "high"}, "max_similarity is 'high'; it must be a number"),
        ({"at_most": 3}, r"at_most is 3; give AtMost\(1, of=groups\)"),
        (
            {"n_features_to_select": 13, "at_most": AtMost(1, of=GROUPS)},
            "13 columns are asked for, but only 12 can be selected together",
        ),
        (
            {
                "n_features_to_select": Budget(2),
                "keep": ["mean area", "mean radius", "area error"],
            },
            "cost 3, more than the budget of 2",
        ),
    ],
)
def test_wishes_that_cannot_be_get_a_sentence(wishes, sentence):
    with pytest.raises(ValueError, match=sentence):
        TopologicalFeatureSelector(**wishes).fit(TUMOURS)


def test_at_most_takes_a_whole_number():
    with pytest.raises(ValueError, match="at least 1; got 0"):
        AtMost(0, of=GROUPS)


def test_max_similarity_needs_likeness():
    selector = TopologicalFeatureSelector(
        3, similarity="energy", rule="degree", max_similarity=0.5
    )
    with pytest.raises(ValueError, match="high values mean alike, and 'energy' is none"):
        selector.fit(TUMOURS)


def test_wishes_without_the_matrix_are_the_same():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 60)) @ rng.normal(size=(60, 300))
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(300)])
    settings = {"keep": ["c7"], "exclude": ["c1*"], "max_similarity": 0.6}
    dense = TopologicalFeatureSelector(20, **settings).fit(frame)
    free = TopologicalFeatureSelector(20, memory="600KB", **settings).fit(frame)
    np.testing.assert_array_equal(dense.support_, free.support_)
