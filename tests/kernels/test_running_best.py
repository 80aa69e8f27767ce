import numpy as np
import pytest

from tests.naive import coverage as naive
from topofs._kernels.path_search import add_cumulative_max, cumulative_max


def similarity_of(n, seed, *, levels=None, dtype=np.float64):
    rng = np.random.default_rng(seed)
    values = (
        rng.random((n, n)) if levels is None else rng.integers(levels, size=(n, n)) / levels
    )
    values = np.maximum(values, values.T).astype(dtype)
    np.fill_diagonal(values, 1)
    return values, rng.permutation(n)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("levels", [None, 1, 3])
def test_against_the_twin(levels, dtype):
    n = 23
    similarity, order = similarity_of(n, 4, levels=levels, dtype=dtype)
    counts, positions, values = cumulative_max(similarity, order, 0)
    starts = np.concatenate([[0], np.cumsum(counts)])
    for k in range(n + 1):
        for node, expected in enumerate(naive.nearest(similarity, order, k)):
            part = slice(starts[node], starts[node + 1])
            at = np.searchsorted(positions[part], k) - 1
            if expected is None:
                assert at < 0
            else:
                assert (order[positions[part][at]], values[part][at]) == expected
    curve = np.zeros(n)
    add_cumulative_max(similarity, order, curve)
    np.testing.assert_allclose(curve / n, naive.curve(similarity, order)[1:], atol=1e-12)


def test_blocks_of_rows_give_what_the_whole_gives():
    similarity, order = similarity_of(40, 1, levels=5)
    whole = cumulative_max(similarity, order, 0)
    parts = [
        cumulative_max(similarity[rows], order, rows.start)
        for rows in (slice(0, 13), slice(13, 40))
    ]
    for expected, both in zip(whole, zip(*parts, strict=True), strict=True):
        np.testing.assert_array_equal(expected, np.concatenate(both))


def test_many_changes_outgrow_the_first_buffer():
    n = 200
    similarity = np.tile(np.arange(n, dtype=float), (n, 1))
    counts, positions, _ = cumulative_max(similarity, np.arange(n), 0)
    # Each column beats those before it; the node itself is left out.
    assert counts.tolist() == [n - 1] * n
    assert len(positions) == n * (n - 1)
