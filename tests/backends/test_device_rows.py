"""Rows that are kept on a device are those that it would multiply again."""

import numpy as np

from tests.matrices import factor_table
from topofs import Pearson
from topofs.backends.device import DeviceRows, DeviceSimilarity
from topofs.backends.device_arrays import NumpyArrays


def rows_of(n_entries):
    operator = Pearson().operator(factor_table(20, 40))
    arrays = NumpyArrays()
    similarity = DeviceSimilarity(operator.column_weights(-np.inf), operator.dtype, arrays, 8)
    return similarity, DeviceRows(similarity, arrays, n_entries)


def assert_rows(similarity, rows, vertices, columns, level):
    kept, places = rows.of(vertices, columns, level)
    expected = similarity.block(vertices, columns)
    # Not to the last bit: BLAS may round a product otherwise beside other rows.
    np.testing.assert_allclose(
        kept[places], np.where(expected >= similarity.least(level), expected, 0.0), atol=1e-14
    )


def test_rows_are_right_whatever_was_kept_before():
    similarity, rows = rows_of(10 * 40)
    some = similarity.among(similarity.all, np.arange(3, 30))
    for columns, level in ((similarity.all, -np.inf), (similarity.all, 0.2), (some, 0.2)):
        for vertices in ([1, 5, 7], [5, 7, 9, 11], np.arange(12, 19), np.arange(30), [1, 5]):
            assert_rows(similarity, rows, np.array(vertices), columns, level)


def test_a_row_is_multiplied_once_while_there_is_room(monkeypatch):
    similarity, rows = rows_of(10 * 40)
    asked = []
    block = similarity.block
    monkeypatch.setattr(
        similarity, "block", lambda *of: (asked.append(len(of[0])), block(*of))[1]
    )
    for vertices in ([1, 5, 7], [5, 7, 9], [1, 9]):
        rows.of(np.array(vertices), similarity.all, -np.inf)
    assert asked == [3, 1]


def test_no_more_rows_are_kept_than_there_are():
    similarity, rows = rows_of(10**6)
    kept, _ = rows.of(np.array([3]), similarity.all, -np.inf)
    assert len(kept) == 40
