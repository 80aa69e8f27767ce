"""A table that the commands are tested on."""

import pytest
from sklearn.datasets import load_wine


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
