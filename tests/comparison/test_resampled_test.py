"""The corrected resampled test, by hand and at its limits."""

import numpy as np
import pytest
from scipy import stats

from topofs.comparison import corrected_resampled_test

SAMPLE = np.random.default_rng(0).normal(0.02, 0.05, size=10)


def test_it_widens_the_test_of_one_sample():
    test = corrected_resampled_test(SAMPLE, test_to_train=1 / 4)
    plain = stats.ttest_1samp(SAMPLE, 0.0)
    assert test.statistic == pytest.approx(plain.statistic / np.sqrt(1 + 10 / 4))
    assert test.degrees_of_freedom == 9
    assert test.p_value == pytest.approx(2 * stats.t.sf(abs(test.statistic), 9))
    assert corrected_resampled_test(SAMPLE, test_to_train=0.0).p_value == pytest.approx(
        plain.pvalue
    )


def test_the_sign_does_not_matter_to_p():
    here, there = (corrected_resampled_test(s * SAMPLE, test_to_train=1.0) for s in (1, -1))
    assert here.p_value == there.p_value
    assert here.statistic == -there.statistic


def test_limits():
    assert corrected_resampled_test(np.zeros(4), test_to_train=1.0).p_value == 1.0
    # 0.3 - 0.2 and 0.8 - 0.7 differ in the last bit; that is no spread.
    same = corrected_resampled_test([0.2 - 0.3, 0.7 - 0.8], test_to_train=1.0)
    assert (same.statistic, same.p_value) == (-np.inf, 0.0)


@pytest.mark.parametrize("bad", [[0.1], [[0.1, 0.2]], [0.1, np.nan]])
def test_what_is_no_sample_is_refused(bad):
    with pytest.raises(ValueError, match="two differences or more"):
        corrected_resampled_test(bad, test_to_train=1.0)
