import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from topofs_study.paper.statistics import (
    STATISTICS,
    nadeau_bengio_test,
    paired_tests,
    program_test,
    stars,
    text_test,
)

RANDOM = np.random.default_rng(3)
DIFFERENCES = RANDOM.normal(0.02, 0.04, size=(15, 2))


def test_program_by_hand():
    # Variances 0.0002 and 0.0008; t = 0.04 / sqrt(0.0005) with two degrees of freedom,
    # whose distribution has the closed form p = 1 - t / sqrt(t^2 + 2).
    result = program_test([[0.04, 0.02], [0.03, -0.01]])
    t = 0.04 / np.sqrt(0.0005)
    assert result.statistic == pytest.approx(t)
    assert result.degrees_of_freedom == 2
    assert result.p_value == pytest.approx(1 - t / np.sqrt(t * t + 2))


def test_program_equals_mlxtend_at_five_repetitions():
    evaluate = pytest.importorskip("mlxtend.evaluate")
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:200, :5], y[:200]
    first, second = GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)
    t, p_value = evaluate.paired_ttest_5x2cv(first, second, X, y, random_seed=7)
    seeds = np.random.RandomState(7)
    differences = []
    for _ in range(5):
        seed = seeds.randint(low=0, high=32767)
        a, b, y_a, y_b = train_test_split(X, y, test_size=0.5, random_state=seed)
        differences.append(
            [
                first.fit(p, q).score(r, s) - second.fit(p, q).score(r, s)
                for p, q, r, s in ((a, y_a, b, y_b), (b, y_b, a, y_a))
            ]
        )
    result = program_test(differences)
    assert result.degrees_of_freedom == 5
    assert result.statistic == pytest.approx(t)
    assert result.p_value == pytest.approx(p_value)


def test_program_looks_at_the_first_difference():
    swapped = DIFFERENCES[::-1]
    assert program_test(swapped).statistic != pytest.approx(program_test(DIFFERENCES).statistic)


def test_text_is_the_one_sample_test_with_the_printed_variance():
    # The printed variance divides by m where scipy's divides by m - 1.
    expected = stats.ttest_1samp(DIFFERENCES.ravel(), 0.0).statistic * np.sqrt(30 / 29)
    result = text_test(DIFFERENCES)
    assert result.statistic == pytest.approx(expected)
    assert result.degrees_of_freedom == 29
    assert result.p_value == pytest.approx(2 * stats.t.sf(abs(expected), 29))


def test_text_at_five_repetitions_is_the_printed_formula():
    sample = DIFFERENCES[:5].ravel()
    spread = np.sqrt(np.mean((sample - sample.mean()) ** 2))
    result = text_test(DIFFERENCES[:5])
    assert result.statistic == pytest.approx(np.sqrt(10) * sample.mean() / spread)
    assert result.degrees_of_freedom == 9


def test_nadeau_bengio_widens_the_one_sample_test():
    expected = stats.ttest_1samp(DIFFERENCES.ravel(), 0.0).statistic
    expected *= np.sqrt((1 / 30) / (1 / 30 + 1))
    result = nadeau_bengio_test(DIFFERENCES)
    assert result.statistic == pytest.approx(expected)
    assert result.degrees_of_freedom == 29


def test_nadeau_bengio_by_hand():
    # d = 0.1, 0.3, 0.1, 0.3: mean 0.2, s^2 = 0.04/3; t = 0.2 / sqrt((1/4 + 1) * 0.04/3).
    result = nadeau_bengio_test([[0.1, 0.3], [0.1, 0.3]])
    assert result.statistic == pytest.approx(0.2 / np.sqrt(1.25 * 0.04 / 3))


def test_nadeau_bengio_without_test_part_is_the_one_sample_test():
    expected = stats.ttest_1samp(DIFFERENCES.ravel(), 0.0)
    result = nadeau_bengio_test(DIFFERENCES, test_to_train=0.0)
    assert result.p_value == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("test", STATISTICS.values(), ids=STATISTICS)
class TestLimits:
    def test_no_difference_at_all(self, test):
        result = test(np.zeros((15, 2)))
        assert (result.statistic, result.p_value) == (0.0, 1.0)

    @pytest.mark.parametrize("sign", [1, -1])
    def test_the_same_difference_every_time(self, test, sign):
        # 0.3 - 0.2 and 0.8 - 0.7 differ in the last bit; that is no spread.
        halves = np.tile([0.3 - 0.2, 0.8 - 0.7], (15, 1))
        result = test(sign * halves)
        assert result.statistic == sign * np.inf
        assert result.p_value == 0.0

    def test_a_numerator_of_zero_over_no_spread_is_no_evidence(self, test):
        halves = np.zeros((4, 2))
        halves[2:] = [[0.1, 0.1], [-0.1, -0.1]]
        assert test(halves).p_value == 1.0

    def test_the_sign_does_not_matter_to_p(self, test):
        assert test(-DIFFERENCES).p_value == pytest.approx(test(DIFFERENCES).p_value)
        assert test(-DIFFERENCES).statistic == pytest.approx(-test(DIFFERENCES).statistic)

    @pytest.mark.parametrize("shape", [(15,), (1, 2), (15, 3), (0, 2)])
    def test_wrong_shapes_are_refused(self, test, shape):
        with pytest.raises(ValueError, match=r"shape \(R, 2\)"):
            test(np.zeros(shape))

    def test_missing_values_are_refused(self, test):
        with pytest.raises(ValueError, match="finite"):
            test([[0.1, np.nan], [0.1, 0.2]])


@pytest.mark.parametrize(
    ("p_value", "mark"),
    [
        (0.0, "****"),
        (0.001, "****"),
        (0.0011, "***"),
        (0.01, "***"),
        (0.05, "**"),
        (0.051, "*"),
        (0.1, "*"),
        (0.1001, ""),
        (1.0, ""),
        (float("nan"), ""),
    ],
)
def test_stars(p_value, mark):
    assert stars(p_value) == mark


def _pairs(differences):
    halves = [(r, h, 0.5 + d) for r, row in enumerate(differences) for h, d in enumerate(row)]
    frame = pd.DataFrame(halves, columns=["repetition", "half", "tfs"])
    return frame.assign(
        inf_fs=0.5, protocol="paper", dataset="d", classifier="KNN", n_features=10
    )


def test_paired_tests_of_a_cell_in_any_order():
    pairs = _pairs(DIFFERENCES).sample(frac=1, random_state=0)
    row = paired_tests(pairs).iloc[0]
    assert row["repetitions"] == 15
    assert row["mean_difference"] == pytest.approx(DIFFERENCES.mean())
    for name, test in STATISTICS.items():
        assert row[name] == pytest.approx(test(DIFFERENCES).p_value)


@pytest.mark.parametrize("lost", [0, 7, 29])
def test_a_cell_with_a_missing_half_has_no_p_value(lost):
    row = paired_tests(_pairs(DIFFERENCES).drop(index=lost)).iloc[0]
    assert np.isnan(row[list(STATISTICS)].to_numpy(dtype=float)).all()


def test_a_cell_with_a_missing_score_has_no_p_value():
    pairs = _pairs(DIFFERENCES)
    pairs.loc[3, "inf_fs"] = np.nan
    assert np.isnan(paired_tests(pairs)["program"].iloc[0])


def test_paired_tests_of_nothing():
    frame = paired_tests(_pairs(DIFFERENCES).iloc[:0])
    assert frame.empty
    assert {"program", "text", "nadeau_bengio"} <= set(frame.columns)


def test_the_text_is_far_more_liberal_than_nadeau_bengio():
    # The two methods are equal; differences of the halves of one sample are correlated.
    rng = np.random.default_rng(0)
    rejected = {"text": 0, "nadeau_bengio": 0}
    for _ in range(200):
        shared = rng.normal(0, 0.03)
        sample = shared + rng.normal(0, 0.03, size=(15, 2))
        for name in rejected:
            rejected[name] += STATISTICS[name](sample).p_value <= 0.05
    assert rejected["text"] > 100
    assert rejected["nadeau_bengio"] < 20
