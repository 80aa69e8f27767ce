import numpy as np
import pytest

from topofs import threshold_mean


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_entries_below_the_mean_become_zero(dtype):
    similarity = np.random.default_rng(0).uniform(-1, 1, size=(50, 50)).astype(dtype)
    similarity += similarity.T
    before = similarity.copy()
    kept = threshold_mean(similarity)
    mean = before.astype(np.float64).mean()
    np.testing.assert_array_equal(kept, np.where(before < mean, 0, before))
    np.testing.assert_array_equal(similarity, before)
    assert kept.dtype == dtype


def test_what_is_not_a_similarity_is_refused():
    with pytest.raises(ValueError, match="entry \\(0, 1\\) of the similarity is nan"):
        threshold_mean([[1.0, np.nan], [np.nan, 1.0]])


def test_negative_entries_at_or_above_a_negative_mean_stay():
    similarity = np.full((3, 3), -0.5)
    np.testing.assert_array_equal(threshold_mean(similarity), similarity)
