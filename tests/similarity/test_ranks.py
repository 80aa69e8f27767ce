import numpy as np
from hypothesis import given

from tests.matrices import tables
from tests.naive.similarity import naive_ranks
from topofs.similarity.correlation import doubled_centred_ranks


@given(tables(missing=True))
def test_doubled_centred_ranks_equal_the_naive_twin(X):
    ranks = doubled_centred_ranks(X)
    for row, column in zip(ranks, X.T, strict=True):
        observed = np.sum(~np.isnan(column))
        np.testing.assert_array_equal(row, 2 * naive_ranks(column) - (observed + 1))
        assert np.nansum(row) == 0
