"""The commands are tested on the datasets that the library is tested on."""

import pytest
from sklearn.datasets import load_wine

from tests.datasets.conftest import (  # noqa: F401
    _no_data_of_this_user,
    shared_datasets,
    tiny,
)


@pytest.fixture(scope="module")
def wine():
    data = load_wine(as_frame=True)
    frame = data.data.copy()
    frame.insert(0, "bottle", [f"b{i:03}" for i in range(len(frame))])
    frame["class"] = data.target_names[data.target]
    return frame


@pytest.fixture
def wine_csv(wine, tmp_path):
    path = tmp_path / "wine.csv"
    wine.to_csv(path, index=False)
    return path
