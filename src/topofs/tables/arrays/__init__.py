"""Formats that keep a table and its labels apart: one a module, nothing ever unpickled."""

from topofs.tables.arrays.checked import MAX_BYTES, checked_arrays, refuse_oversize
from topofs.tables.arrays.mat import read_mat
from topofs.tables.arrays.npz import read_npz
from topofs.tables.arrays.uci import read_uci

__all__ = [
    "MAX_BYTES",
    "READERS",
    "checked_arrays",
    "read_mat",
    "read_npz",
    "read_uci",
    "refuse_oversize",
]

READERS = {"mat": read_mat, "npz": read_npz, "uci": read_uci}
"""The readers by format: a path in, checked `LabelledArrays` out."""
