"""Constraints by names: what the estimator makes of them, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from tests.coverage_settings import BY_COVERAGE
from topofs import (
    AtMost,
    Budget,
    Links,
    MinShare,
    TopologicalFeatureSelector,
    UntilCoverage,
    pearson,
)

pytestmark = pytest.mark.usefixtures("both_ways")

TUMOURS = load_breast_cancer(as_frame=True).data
GROUPS = {name: name.split()[0] for name in TUMOURS}


def test_the_example_of_a_panel_that_is_given():
    selector = TopologicalFeatureSelector(3, graph="tmfg", keep=["mean area"]).fit(TUMOURS)
    chosen = set(selector.get_feature_names_out())
    assert chosen == {"mean area", "mean compactness", "compactness error"}
    assert selector.shares_.mean() >= 0.55
    assert selector.ranking_[3] == 1


@pytest.mark.parametrize(
    "settings", [*BY_COVERAGE.values(), {"rule": "degree"}, {"rule": "variance"}], ids=repr
)
def test_all_constraints_at_once_are_kept(settings):
    selector = TopologicalFeatureSelector(
        8,
        **settings,
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
    ("constraints", "sentence"),
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
def test_constraints_that_cannot_be_get_a_sentence(constraints, sentence):
    with pytest.raises(ValueError, match=sentence):
        TopologicalFeatureSelector(**constraints).fit(TUMOURS)


def test_at_most_takes_a_whole_number():
    with pytest.raises(ValueError, match="at least 1; got 0"):
        AtMost(0, of=GROUPS)
    free = TopologicalFeatureSelector(5).fit(TUMOURS)
    many = TopologicalFeatureSelector(5, at_most=AtMost(10**30, of=GROUPS)).fit(TUMOURS)
    assert np.array_equal(free.support_, many.support_)


def test_max_similarity_needs_likeness():
    selector = TopologicalFeatureSelector(
        3, similarity="energy", rule="degree", max_similarity=0.5
    )
    with pytest.raises(ValueError, match="high values mean alike, and 'energy' is none"):
        selector.fit(TUMOURS)


def test_constraints_without_the_matrix_are_the_same():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 60)) @ rng.normal(size=(60, 300))
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(300)])
    settings = {"keep": ["c7"], "exclude": ["c1*"], "max_similarity": 0.6}
    settings["graph"] = Links(strongest=8)
    dense = TopologicalFeatureSelector(20, **settings).fit(frame)
    free = TopologicalFeatureSelector(20, memory="600KB", **settings).fit(frame)
    np.testing.assert_array_equal(dense.support_, free.support_)


@pytest.fixture
def with_constants():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(200, 3))
    copies = [Z + 0.3 * rng.normal(size=(200, 3)) for _ in range(2)]
    return np.column_stack([Z, *copies, np.ones(200), np.zeros(200)])


@pytest.mark.filterwarnings("ignore:2 of 11 columns are constant")
def test_columns_that_take_no_part_keep_to_the_constraints(with_constants):
    with pytest.raises(ValueError, match="10 columns are asked for, but only 9 can be"):
        TopologicalFeatureSelector(10, exclude=[9]).fit(with_constants)
    nine = TopologicalFeatureSelector(9, exclude=[9]).fit(with_constants)
    assert not nine.support_[9]
    assert nine.explain(9).excluded
    groups = ["g", None, None, *["g"] * 8]
    forced = TopologicalFeatureSelector(3, keep=[9], at_most=AtMost(1, of=groups))
    chosen = forced.fit(with_constants).get_support(indices=True)
    assert sum(groups[i] == "g" for i in chosen) == 1
    with pytest.raises(ValueError, match="leave none of the 9 columns that vary"):
        TopologicalFeatureSelector(1, exclude=list(range(9))).fit(with_constants)


@pytest.mark.filterwarnings("ignore::topofs.NoStructureWarning")
def test_decimal_costs_add_up():
    Z = np.random.default_rng(0).normal(size=(50, 3))
    selector = TopologicalFeatureSelector(Budget(0.6, [0.1, 0.2, 0.3])).fit(Z)
    assert selector.n_features_ == 3
    forced = TopologicalFeatureSelector(Budget(0.3, [0.1, 0.2, 0.3]), keep=[0, 1]).fit(Z)
    assert forced.get_support(indices=True).tolist() == [0, 1]


def test_a_budget_buys_cheap_columns_that_are_like_no_other():
    rng = np.random.default_rng(5)
    one = rng.normal(size=(400, 1))
    X = np.column_stack([one + 0.02 * rng.normal(size=(400, 4)), rng.normal(size=(400, 40))])
    selector = TopologicalFeatureSelector(Budget(4, [1.0] * 4 + [0.1] * 40)).fit(X)
    assert selector.shares_.sum() >= 33


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns_as_alike_as_allowed_are_allowed(dtype):
    similarity = np.where(np.eye(4), 1, 0.25).astype(dtype)
    selector = TopologicalFeatureSelector(4, similarity="precomputed", max_similarity=0.25)
    assert selector.fit(similarity).n_features_ == 4


def test_an_iterator_is_refused():
    with pytest.raises(ValueError, match="give a list of column names or positions"):
        TopologicalFeatureSelector(4, keep=(i for i in [0, 1])).fit(TUMOURS)


NOTHING = [
    None,
    np.nan,
    pd.NaT,
    pd.NA,
    np.datetime64("NaT"),
    "",
    np.float32("nan"),
    np.ma.masked,
]


@pytest.mark.parametrize("nothing", NOTHING, ids=repr)
def test_missing_groups_are_no_group(nothing):
    names = list("abcd")
    group, labels = AtMost(1, of=["g", nothing, nothing, "g"]).groups(names)
    assert (group.tolist(), labels) == ([0, -1, -1, 0], ["g"])
    assert repr(AtMost(1, of=["g", nothing])) == "AtMost(1, of=<1 columns in 1 group>)"
    by_name = pd.Series(["g", nothing, nothing, "g"], index=names)
    assert AtMost(1, of=by_name).groups(names)[0].tolist() == [0, -1, -1, 0]


def test_groups_that_pandas_marks_as_missing_are_no_group():
    for values in (
        pd.array(["g", None, "h"], dtype="string"),
        pd.array([1, None, 2], dtype="Int64"),
        pd.Categorical(["g", None, "h"]),
        pd.to_datetime(["2020-01-01", None, "2020-01-02"]),
    ):
        assert AtMost(1, of=values).groups(list("abc"))[0].tolist() == [0, -1, 1]
        assert AtMost(1, of=pd.Series(values)).groups(list("abc"))[0].tolist() == [0, -1, 1]


@pytest.mark.parametrize(
    ("of", "sentence"),
    [
        ([["g"], "h"], r"the group of the column 'a' is \['g'\]; give one name or number"),
        ({"b": {"g"}}, r"the group of the column 'b' is \{'g'\}"),
        ([np.ones(2), "h"], "the group of the column 'a' is array"),
        (np.ones((2, 2)), "the group of the column 'a' is array"),
        (None, "at_most is given as None; give one value a column, or a mapping"),
        ("gh", "at_most is given as 'gh'; give one value a column"),
        (3, "at_most is given as 3"),
        (np.array("g"), "at_most is given as array"),
        (["g"], "at_most has 1 values for 2 columns"),
    ],
    ids=repr,
)
def test_what_is_no_group_gets_a_sentence(of, sentence):
    at_most = AtMost(1, of=of)
    assert repr(at_most).startswith("AtMost(1, of=")
    with pytest.raises(ValueError, match=sentence):
        at_most.groups(["a", "b"])


@pytest.mark.filterwarnings("ignore:1 of 5 columns are constant")
@pytest.mark.filterwarnings("ignore::topofs.NoStructureWarning")
def test_a_kept_constant_beside_excluded_columns_leaves_nothing_to_select():
    X = np.random.default_rng(0).normal(size=(30, 5))
    X[:, 4] = 1.0
    constraints = {"keep": [4], "exclude": [0, 1, 2, 3]}
    sentence = "leave none of the 4 columns that vary to select, and what is kept does not vary"
    for size in ("auto", UntilCoverage(0.5)):
        with pytest.raises(ValueError, match=sentence):
            TopologicalFeatureSelector(size, **constraints).fit(X)
    for size in (1, MinShare(0.5), Budget(2)):
        fitted = TopologicalFeatureSelector(size, **constraints).fit(X)
        assert fitted.get_support(indices=True).tolist() == [4]
    with pytest.raises(ValueError, match=sentence):
        fitted.at("auto")


def test_constraints_print_themselves():
    assert repr(AtMost(1, of=pd.Series(["a", "b"]))) == "AtMost(1, of=<2 columns in 2 groups>)"
    selector = TopologicalFeatureSelector(Budget(3, np.ones(9)))
    assert "Budget(total=3, cost=<9 columns>)" in repr(selector)
    assert Budget(3, np.ones(2)) == Budget(3, [1.0, 1.0])
    assert Budget(3, {"a": 1.0}) != Budget(3)
