"""Files with a few wrong bytes are read or refused, and nothing else happens."""

import random

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from topofs.errors import TableError
from topofs.io.arrays import READERS

X = np.arange(60.0).reshape(12, 5)
y = np.arange(12) % 3

WRITERS = {
    "plain.mat": lambda path: savemat(path, {"X": X, "Y": y}),
    "packed.mat": lambda path: savemat(path, {"X": X, "Y": y}, do_compression=True),
    "sparse.mat": lambda path: savemat(path, {"X": sparse.csc_array(X), "Y": y}),
    "plain.npz": lambda path: np.savez(path, X=X, y=y),
    "packed.npz": lambda path: np.savez_compressed(path, X=X, y=y),
}


@pytest.mark.parametrize("name", WRITERS)
def test_damaged_files_are_read_or_refused(name, tmp_path):
    path = tmp_path / name
    WRITERS[name](path)
    content = path.read_bytes()
    dice = random.Random(0)
    refusals = []
    for _ in range(150):
        damaged = bytearray(content)
        for _ in range(dice.choice([1, 2, 4])):
            damaged[dice.randrange(len(damaged))] = dice.choice([0, 1, 127, 128, 255])
        path.write_bytes(damaged)
        try:
            found = READERS[path.suffix[1:]](path, max_bytes=10**7)
            assert len(found.X) == len(found.y)
        except TableError as error:
            refusals.append(str(error))
    assert len(refusals) > 20
    assert all(str(path) in refusal for refusal in refusals)
