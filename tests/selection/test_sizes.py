"""Sizes that are objects: until a coverage, only what is redundant, within a budget."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine

from tests.naive.redundancy import broken_promises
from tests.shared_files import whole_table
from topofs import (
    Budget,
    Coverage,
    MinShare,
    Pearson,
    TopologicalFeatureSelector,
    UntilCoverage,
    pearson,
)

pytestmark = pytest.mark.usefixtures("both_ways")

TUMOURS = load_breast_cancer(as_frame=True).data
WINE = load_wine(as_frame=True).data


@pytest.mark.parametrize("wanted", [0.3, 0.6, 0.9, 1.0])
def test_until_coverage_takes_the_fewest_that_reach_it(wanted):
    selector = TopologicalFeatureSelector(UntilCoverage(wanted)).fit(TUMOURS)
    assert selector.shares_.mean() >= wanted - 1e-9
    if selector.n_features_ > 1:
        assert selector.at(selector.n_features_ - 1).shares_.mean() < wanted


def test_until_coverage_at_another_size():
    selector = TopologicalFeatureSelector(3).fit(TUMOURS)
    assert selector.at(UntilCoverage(0.9)).shares_.mean() >= 0.9


def test_a_coverage_that_cannot_be_reached_says_what_can():
    selector = TopologicalFeatureSelector(
        UntilCoverage(0.99), exclude=TUMOURS.columns[5:].tolist()
    )
    with pytest.raises(
        ValueError, match=r"0\.99 cannot be reached: all 5 columns .* represent 0\."
    ):
        selector.fit(TUMOURS)


def explained_by_others(X, support):
    """The largest r² of each column with a selected one other than itself, by numpy."""
    squared = np.corrcoef(np.asarray(X, dtype=float), rowvar=False) ** 2
    np.fill_diagonal(squared, 0.0)
    return squared[:, support].max(axis=1)


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_min_share_leaves_out_only_what_is_explained(share):
    selector = TopologicalFeatureSelector(MinShare(share)).fit(TUMOURS)
    support = selector.support_
    assert (explained_by_others(TUMOURS, support)[~support] >= share - 1e-9).all()
    assert (selector.shares_[~support] >= share).all()
    squared = np.corrcoef(TUMOURS, rowvar=False) ** 2
    for column in np.flatnonzero(support):
        fewer = support.copy()
        fewer[column] = False
        explained = squared[:, fewer].max(axis=1)
        left_out = ~fewer
        assert (explained[left_out] < share).any(), column


def test_min_share_with_signed_correlations_is_about_variance():
    signed = TopologicalFeatureSelector(
        MinShare(0.8), similarity=Pearson(squared=False), rule=Coverage()
    )
    plain = TopologicalFeatureSelector(MinShare(0.8))
    assert signed.fit(TUMOURS).n_features_ == plain.fit(TUMOURS).n_features_


def test_min_share_keeps_forced_columns_and_never_takes_excluded_ones():
    selector = TopologicalFeatureSelector(
        MinShare(0.8), keep=["mean area"], exclude=["worst area"]
    )
    selector.fit(TUMOURS)
    chosen = selector.get_feature_names_out()
    assert "mean area" in chosen
    assert "worst area" not in chosen


@st.composite
def redundant_tables(draw):
    """Whole numbers with multiples of columns among them, a constant, and disjoint constraints."""
    X = draw(hnp.arrays(np.int64, (6, draw(st.integers(1, 5))), elements=st.integers(0, 3)))
    of = st.lists(st.integers(0, X.shape[1] - 1), max_size=4)
    factor = draw(st.sampled_from([-2, 1, 3]))
    X = np.column_stack([X, factor * X[:, draw(of)] + 1])
    X[0, 0], X[1, 0] = 0, 1  # one column varies
    n = X.shape[1]
    demand = draw(
        st.lists(st.sampled_from(["", "", "keep", "exclude"]), min_size=n, max_size=n)
    )
    demand[0] = demand[0].replace("exclude", "")  # one may be selected
    keep, exclude = ([i for i in range(n) if demand[i] == word] for word in ("keep", "exclude"))
    return X, keep, exclude


@given(redundant_tables(), st.sampled_from([0.137, 0.619, 0.913, 1.0]))
@pytest.mark.filterwarnings("ignore::topofs.ConstantFeatureWarning")
def test_min_share_keeps_its_promise_under_constraints(case, share):
    X, keep, exclude = case
    selector = TopologicalFeatureSelector(MinShare(share), keep=keep, exclude=exclude).fit(X)
    selected = np.flatnonzero(selector.support_).tolist()
    assert broken_promises(X, share, selected, keep, exclude) == []
    assert sorted(selector.ranking_[selected]) == list(range(1, len(selected) + 1))


def test_min_share_selects_kept_copies_and_what_they_do_not_explain():
    a, c = np.random.default_rng(0).normal(size=(2, 50))
    X = np.column_stack([a, 2 * a, c])
    both = TopologicalFeatureSelector(MinShare(0.9), keep=[0, 1])
    assert both.fit(X).support_.tolist() == [True, True, True]
    assert both.fit(X[:, :2]).support_.tolist() == [True, True]


def smart_correlated(X, threshold):
    """What feature-engine's SmartCorrelatedSelection keeps: groups around columns in order."""
    correlation = np.abs(np.corrcoef(np.asarray(X, dtype=float), rowvar=False))
    order = np.argsort(
        -np.nansum(np.where(correlation > threshold, 1, 0), axis=0), kind="stable"
    )
    dropped, kept = set(), []
    for column in order:
        if column in dropped:
            continue
        kept.append(column)
        alike = np.flatnonzero(correlation[column] > threshold)
        dropped |= set(alike.tolist()) - {column}
    return kept


@pytest.mark.filterwarnings("ignore::topofs.errors.DependentRowsWarning")
@pytest.mark.parametrize("name", ["colon", "lung_small", "Yale", "warpPIE10P"])
def test_min_share_on_real_tables(name):
    X = whole_table(name)
    selector = TopologicalFeatureSelector(MinShare(0.8)).fit(X)
    support = selector.support_
    assert (explained_by_others(X, support)[~support] >= 0.8 - 1e-6).all()
    assert support.sum() <= len(smart_correlated(X, np.sqrt(0.8)))


def test_a_budget_is_kept_and_costs_count():
    cost = {name: 5.0 if name.startswith("worst") else 1.0 for name in TUMOURS}
    selector = TopologicalFeatureSelector(Budget(6, cost)).fit(TUMOURS)
    chosen = selector.get_feature_names_out()
    assert sum(cost[name] for name in chosen) <= 6
    assert selector.shares_.mean() >= 0.6
    one_each = TopologicalFeatureSelector(Budget(6)).fit(TUMOURS)
    six = TopologicalFeatureSelector(6).fit(TUMOURS)
    assert one_each.shares_.mean() >= six.shares_.mean() - 1e-12


@pytest.mark.parametrize(
    ("size", "sentence"),
    [
        (lambda: Budget(0), "above 0; got 0"),
        (lambda: Budget(3, {"ash": -1.0}), "costs -1|has no cost"),
        (lambda: Budget(3, dict.fromkeys(WINE, 2.0) | {"ash": np.nan}), "'ash' has no cost"),
        (lambda: Budget(3, dict.fromkeys(WINE, 2.0) | {"ash": -2.0}), "'ash' costs -2"),
        (lambda: Budget(3, dict.fromkeys(WINE, 9.0)), "below the cost of the cheapest"),
        (lambda: Budget(3, [1.0, 2.0]), "2 values for 13 columns"),
        (lambda: Budget(3, {"who": 1.0}), "none of the names, such as 'who'"),
        (lambda: UntilCoverage(0), "above 0, at most 1; got 0"),
        (lambda: MinShare(1.5), "above 0, at most 1; got 1.5"),
    ],
)
def test_bad_sizes_get_a_sentence(size, sentence):
    with pytest.raises(ValueError, match=sentence):
        TopologicalFeatureSelector(size()).fit(WINE)


def test_sizes_need_a_rule_with_groups_and_a_fit_of_their_own():
    with pytest.raises(ValueError, match=r"needs a rule by which columns represent others"):
        TopologicalFeatureSelector(MinShare(0.9), rule="degree").fit(WINE)
    with pytest.raises(ValueError, match="needs a fit of its own"):
        TopologicalFeatureSelector(3).fit(WINE).at(Budget(3))


def test_sizes_are_values():
    assert Budget(3) == Budget(3.0)
    assert repr(UntilCoverage(0.5)) == "UntilCoverage(coverage=0.5)"
    selector = clone(TopologicalFeatureSelector(MinShare(0.75)))
    assert selector.n_features_to_select == MinShare(0.75)


def test_min_share_equals_itself_from_a_given_similarity():
    given = TopologicalFeatureSelector(MinShare(0.8), similarity="precomputed", threshold=None)
    found = given.fit(pearson(TUMOURS, squared=True)).support_
    expected = TopologicalFeatureSelector(MinShare(0.8)).fit(TUMOURS).support_
    # Two columns that explain each other alone are equal, and the values of a given
    # similarity are others than those of the table.
    square = pearson(TUMOURS, squared=True) >= 0.8
    differ = np.flatnonzero(found != expected)
    for column in differ:
        assert square[column].sum() == square[column, differ].sum() == 2
    assert found.sum() == expected.sum()


def test_coverage_after_min_share_is_that_of_its_columns():
    selector = TopologicalFeatureSelector(MinShare(0.8)).fit(TUMOURS)
    for k in (3, selector.n_features_, 30):
        assert selector.coverage_[k - 1] == pytest.approx(selector.at(k).shares_.mean())
    assert selector.at(UntilCoverage(0.99)).shares_.mean() >= 0.99


def test_an_excluded_column_that_nothing_explains_stays_alone():
    selector = TopologicalFeatureSelector(MinShare(0.9), exclude=["texture error"]).fit(TUMOURS)
    position = TUMOURS.columns.get_loc("texture error")
    assert selector.representative_[position] == -1
    assert (np.delete(selector.shares_, position) >= 0.9).all()


def test_sizes_have_nested_parameters():
    selector = TopologicalFeatureSelector(MinShare(0.8))
    assert selector.get_params()["n_features_to_select__share"] == 0.8
    assert (
        selector.set_params(n_features_to_select__share=0.5).n_features_to_select.share == 0.5
    )
    with pytest.raises(ValueError, match="which has no parameters"):
        TopologicalFeatureSelector(3).set_params(n_features_to_select__share=0.5)
