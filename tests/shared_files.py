"""Where the benchmark data lie, outside the repository, and how its training part is made."""

from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat
from sklearn.model_selection import train_test_split
from sklearn.utils import shuffle

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session")
def shared_datasets():
    """The folder with the paper's datasets."""
    folder = SHARED / "datasets"
    if not folder.is_dir():
        pytest.skip("the paper's datasets are not beside the repository (../shared/datasets)")
    return folder


GOLDEN_DATASETS = ("lung_small", "colon", "Yale", "Isolet", "madelon")


def load_golden(name):
    """Outputs of the authors' program on a dataset, and the training columns that vary."""
    path = SHARED / "golden" / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"{path} is not there: the golden files are not part of the repository")
    golden = np.load(path)
    return golden, training_part(name)[:, golden["keep"]]


def training_part(name):
    """Rows of a .mat dataset that the paper's protocol trains on."""
    path = SHARED / "datasets" / f"{name}.mat"
    if not path.exists():
        pytest.skip(f"{path} is not there: the datasets are not part of the repository")
    contents = loadmat(path)
    X, y = contents["X"], contents["Y"].ravel()
    if name == "madelon":
        return X[:2000]
    X, y = shuffle(X, y, random_state=0)
    return train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)[0]


def whole_table(name):
    """All rows of a dataset, as numbers."""
    folder = SHARED / "datasets"
    for path in (folder / f"{name}.mat", folder / f"{name}.npz"):
        if path.exists():
            content = loadmat(path) if path.suffix == ".mat" else np.load(path)
            return np.asarray(content["X"], dtype=np.float64)
    pytest.skip(f"{name} is not in {folder}: the datasets are not part of the repository")
    return None


def configurations(golden):
    """(key, metric, squared, alpha) of every configuration in a golden file."""
    for file in golden.files:
        if file.endswith("_cliques"):
            key = file.removesuffix("_cliques")
            metric, form, alpha = key.split("_")
            yield key, metric, form == "square", float(alpha or 0.5)
