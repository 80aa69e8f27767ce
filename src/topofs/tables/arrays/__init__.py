"""One file format a module: a path in, a checked `Dataset` out, nothing ever unpickled."""

from topofs.datasets.readers.checked import MAX_BYTES
from topofs.datasets.readers.mat import read_mat
from topofs.datasets.readers.npz import read_npz
from topofs.datasets.readers.table import read_csv, read_parquet
from topofs.datasets.readers.uci import read_uci

__all__ = [
    "MAX_BYTES",
    "READERS",
    "read_csv",
    "read_mat",
    "read_npz",
    "read_parquet",
    "read_uci",
]

READERS = {"mat": read_mat, "npz": read_npz, "uci": read_uci}
"""The formats the registry names; they hold a table and its labels apart from each other."""
