import numpy as np
import pandas as pd
import pytest
from scipy import stats

from topofs_study.paper.published import published_scores
from topofs_study.paper.statistics import compare_methods, dataset_scores


def _scores(rows):
    columns = ["dataset", "classifier", "n_features", "method", "value"]
    return pd.DataFrame(rows, columns=columns).assign(metric="balanced_accuracy")


def test_one_score_a_dataset():
    by_dataset = dataset_scores(published_scores())
    assert by_dataset.shape == (16, 3)
    cells = published_scores().query("metric == 'balanced_accuracy' and method == 'tfs'")
    assert by_dataset.loc["Yale", "tfs"] == pytest.approx(
        cells[cells["dataset"] == "Yale"]["value"].mean()
    )


def test_one_classifier():
    by_dataset = dataset_scores(published_scores(), classifier="KNN")
    assert by_dataset.loc["PCMAC", "all"] == pytest.approx(0.71)


def test_only_cells_that_every_method_has_are_averaged():
    frame = _scores(
        [
            ("d", "KNN", 10, "tfs", 0.5),
            ("d", "KNN", 50, "tfs", 0.9),
            ("d", "KNN", 10, "inf_fs", 0.4),
        ]
    )
    assert dataset_scores(frame).loc["d"].to_dict() == {"tfs": 0.5, "inf_fs": 0.4}


def test_a_dataset_without_a_method_is_left_out():
    frame = _scores(
        [
            ("a", "KNN", 10, "tfs", 0.5),
            ("a", "KNN", 10, "inf_fs", 0.4),
            ("b", "KNN", 10, "tfs", 0.5),
            ("c", "KNN", 10, "tfs", 0.5),
            ("c", "KNN", 50, "inf_fs", 0.5),
        ]
    )
    assert dataset_scores(frame).index.tolist() == ["a"]


def test_all_features_count_for_the_classifiers_in_use():
    frame = _scores(
        [
            ("a", "KNN", 10, "tfs", 0.5),
            ("a", "KNN", 99, "all", 0.7),
            ("a", "LinearSVM", 99, "all", 0.1),
            ("b", "KNN", 10, "tfs", 0.5),
            ("b", "LinearSVM", 99, "all", 0.1),
        ]
    )
    assert dataset_scores(frame).loc["a"].to_dict() == {"tfs": 0.5, "all": 0.7}
    assert dataset_scores(frame).index.tolist() == ["a"]


def test_nothing_gives_nothing():
    assert dataset_scores(published_scores().iloc[:0]).empty


@pytest.fixture(scope="module")
def comparison():
    rng = np.random.default_rng(1)
    base = rng.uniform(0.4, 0.9, size=12)
    table = {
        "tfs": base + 0.08,
        "inf_fs": base,
        "random": base + rng.normal(0, 0.002, size=12),
        "all": base + rng.normal(0.05, 0.05, size=12),
    }
    return compare_methods(pd.DataFrame(table), n_draws=4000)


def test_friedman_is_scipys(comparison):
    expected = stats.friedmanchisquare(*comparison.scores.to_numpy().T)
    assert comparison.friedman_statistic == pytest.approx(expected.statistic)
    assert comparison.friedman_p_value == pytest.approx(expected.pvalue)


def test_average_ranks_are_sorted_and_sum_to_those_of_a_permutation(comparison):
    assert comparison.average_ranks.is_monotonic_increasing
    assert comparison.average_ranks.sum() == pytest.approx(1 + 2 + 3 + 4)
    assert comparison.n_datasets == 12


def test_wilcoxon_and_holm_by_hand(comparison):
    pairs = comparison.pairwise.set_index(["first", "second"])
    x = comparison.scores["tfs"] - comparison.scores["all"]
    assert pairs.loc[("tfs", "all"), "wilcoxon"] == pytest.approx(stats.wilcoxon(x).pvalue)
    # Holm: the i-th smallest of m is multiplied by m - i, and never falls below the one before.
    raw = comparison.pairwise["wilcoxon"].to_numpy()
    order = np.argsort(raw, kind="stable")
    expected, floor = np.empty(6), 0.0
    for i, index in enumerate(order):
        floor = max(floor, min(1.0, raw[index] * (6 - i)))
        expected[index] = floor
    assert comparison.pairwise["holm"].to_numpy() == pytest.approx(expected)


def test_bayesian_test_tells_better_from_equivalent(comparison):
    pairs = comparison.pairwise.set_index(["first", "second"])
    better = pairs.loc[("tfs", "inf_fs")]
    assert better["p_first_better"] > 0.99
    assert better["mean_difference"] == pytest.approx(0.08)
    assert pairs.loc[("inf_fs", "random"), "p_equivalent"] > 0.99
    sums = comparison.pairwise[["p_first_better", "p_equivalent", "p_second_better"]].sum(
        axis=1
    )
    assert sums.to_numpy() == pytest.approx(1.0)


def test_bayesian_test_knows_the_direction():
    table = pd.DataFrame(
        {"tfs": np.linspace(0.3, 0.5, 10), "inf_fs": np.linspace(0.5, 0.7, 10)}
    )
    row = compare_methods(table, n_draws=2000).pairwise.iloc[0]
    assert row["p_second_better"] > 0.99


def test_critical_difference_is_that_of_the_tables():
    # Demšar, table 5: q at 0.05 is 2.569 for four methods; CD = q sqrt(4 * 5 / (6 * 14)).
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((14, 4)), columns=["tfs", "inf_fs", "random", "all"])
    result = compare_methods(table, n_draws=100)
    assert result.critical_difference == pytest.approx(2.569 * np.sqrt(20 / 84), abs=1e-3)
    gap = result.average_ranks["tfs"] - result.average_ranks["all"]
    differ = bool(abs(gap) > result.critical_difference)
    assert differ == (result.nemenyi.loc["tfs", "all"] < 0.05)


def test_the_same_for_the_same_seed():
    gaps = np.array([0.03, -0.02, 0.04, 0.0, -0.03, 0.05])
    table = pd.DataFrame({"tfs": 0.5 + gaps, "inf_fs": 0.5})
    first, again = (compare_methods(table, n_draws=500, random_state=5) for _ in range(2))
    pd.testing.assert_frame_equal(first.pairwise, again.pairwise)
    other = compare_methods(table, n_draws=500, random_state=6)
    assert not first.pairwise.equals(other.pairwise)


def test_two_methods_have_no_friedman():
    table = dataset_scores(published_scores())[["tfs", "inf_fs"]]
    result = compare_methods(table, n_draws=100)
    assert np.isnan(result.friedman_p_value)
    assert result.nemenyi.shape == (2, 2)


def test_methods_that_never_differ():
    table = pd.DataFrame({"tfs": [0.5, 0.6], "inf_fs": [0.5, 0.6], "random": [0.5, 0.6]})
    result = compare_methods(table, n_draws=100)
    assert (result.friedman_statistic, result.friedman_p_value) == (0.0, 1.0)
    assert (result.pairwise["wilcoxon"] == 1.0).all()
    assert (result.average_ranks == 2.0).all()


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"tfs": [0.5], "inf_fs": [0.4]}),
        pd.DataFrame({"tfs": [0.5, 0.6]}),
        pd.DataFrame({"tfs": [0.5, np.nan], "inf_fs": [0.4, 0.5]}),
    ],
)
def test_too_little_is_refused(table):
    with pytest.raises(ValueError, match="at least two datasets and two methods"):
        compare_methods(table)


def test_pairs_with_one_method_only_are_adjusted_for_no_more():
    random = np.random.default_rng(3)
    by_dataset = pd.DataFrame(random.normal(size=(8, 4)), columns=list("abcd"))
    every = compare_methods(by_dataset, n_draws=100).pairwise
    some = compare_methods(by_dataset, reference="b", n_draws=100).pairwise
    assert list(zip(some["first"], some["second"], strict=True)) == [(x, "b") for x in "acd"]
    of_b = every[(every["first"] == "b") | (every["second"] == "b")]
    assert some["wilcoxon"].tolist() == of_b["wilcoxon"].tolist()
    assert (some["holm"].to_numpy() <= of_b["holm"].to_numpy()).all()
    assert some["holm"].min() == pytest.approx(min(1.0, 3 * some["wilcoxon"].min()))
