import pickle

import numpy as np
import pytest

from topofs_study.datasets import Dataset


def test_arrays_cannot_be_changed_not_even_after_pickling():
    table = np.eye(3)
    dataset = Dataset(
        "d", table, [0, 1, 1], feature_names=["a", "b", "c"], test_rows=slice(2, 3)
    )
    copy = pickle.loads(pickle.dumps(dataset))
    for each in (dataset, copy):
        with pytest.raises(ValueError, match="read-only"):
            each.X[0, 0] = 5
        with pytest.raises(ValueError, match="read-only"):
            each.y[0] = 5
    assert copy.feature_names == ("a", "b", "c")
    assert copy.test_rows == slice(2, 3)
    table[0, 0] = 5  # an array of the caller's stays the caller's
    with pytest.raises(AttributeError):
        dataset.name = "other"


def test_sizes():
    dataset = Dataset("d", np.zeros((4, 3)), ["a", "b", "c", "a"])
    assert (dataset.n_samples, dataset.n_features, dataset.n_classes) == (4, 3, 3)


@pytest.mark.parametrize(
    ("X", "y", "names", "message"),
    [
        (np.zeros(3), [0, 1, 2], None, r"X of shape \(3,\) and y of shape \(3,\)"),
        (np.zeros((3, 2)), [0, 1], None, r"X of shape \(3, 2\) and y of shape \(2,\)"),
        (np.zeros((2, 2)), [0, 1], ["a"], "1 feature names for 2 columns"),
    ],
)
def test_parts_that_do_not_fit_are_refused(X, y, names, message):
    with pytest.raises(ValueError, match=message):
        Dataset("d", X, y, feature_names=names)
