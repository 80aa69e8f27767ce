"""Outputs of the authors' program, and the tables they are for.

A part is in the repository (`data/golden.npz`), for tables that anybody can make. The rest is for
the paper's datasets, which may not be passed on; tests that need them skip with a reason.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat
from sklearn.datasets import load_breast_cancer, load_digits
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


GOLDEN_FILE = Path(__file__).parent / "data" / "golden.npz"
GOLDEN_TABLES = ("breast_cancer", "digits", "factors")


def golden_table(name):
    """One of the tables of `data/golden.npz`, without columns that are constant."""
    if name == "breast_cancer":
        return load_breast_cancer().data
    if name == "digits":
        X = load_digits().data
        return X[:, np.ptp(X, axis=0) > 0]
    # Whole numbers, and numpy keeps this stream: the same bits on every machine.
    rng = np.random.RandomState(0)
    factors, loadings = rng.randint(-50, 51, (100, 8)), rng.randint(-3, 4, (8, 300))
    return (factors @ loadings + rng.randint(-150, 151, (100, 300))).astype(float)


GOLDEN_DATASETS = ("lung_small", "colon", "Yale", "Isolet", "madelon")


def load_golden(name):
    """Outputs of the authors' program on a table or a dataset, and the columns that vary."""
    if name in GOLDEN_TABLES:
        with np.load(GOLDEN_FILE) as stored:
            own = {key: stored[key] for key in stored.files if key.startswith(f"{name}/")}
        return {key.partition("/")[2]: own[key] for key in own}, golden_table(name)
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
    for file in golden:
        if file.endswith("_cliques"):
            key = file.removesuffix("_cliques")
            metric, form, alpha = key.split("_")
            yield key, metric, form == "square", float(alpha or 0.5)
