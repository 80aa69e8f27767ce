"""Load a dataset by its name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from topofs_study.datasets.checksum import verify
from topofs_study.datasets.dataset import Dataset
from topofs_study.datasets.entries import info
from topofs_study.datasets.locate import locate
from topofs_study.datasets.reading import read_arrays
from topofs_study.errors import DatasetError

if TYPE_CHECKING:
    import os

__all__ = ["load"]


def load(name: str, *, data_dir: str | os.PathLike[str] | None = None) -> Dataset:
    """Load one of the paper's datasets from disk, or an embedded one.

    The file is looked for in `data_dir`, in the folder that ``$TOPOFS_DATA`` names and in
    the user cache; its checksum and its sizes must be those of the registry. GISETTE has no
    known checksum, so only its sizes are compared.

    Parameters
    ----------
    name : str
        A name in `registry`.
    data_dir : path-like, optional
        A folder to look in first.

    Returns
    -------
    Dataset
        With read-only arrays, as the file stores them.

    Raises
    ------
    UnknownDatasetError
        No dataset has this name.
    DatasetNotFoundError
        The file is in none of the folders.
    DatasetError
        The file is not what it should be.

    Examples
    --------
    >>> from topofs_study.datasets import load
    >>> load("wine")
    Dataset('wine', n_samples=178, n_features=13, n_classes=3)
    """
    entry = info(name)
    if entry.embedded:
        return _load_embedded(name)
    path = locate(entry, data_dir=data_dir)
    if entry.sha256 is not None:
        verify(path, entry.sha256)
    dataset = read_arrays(path, entry.reader)
    # A MATLAB file has no word for the split; the text files have, and it must be the known.
    if dataset.test_rows is None:
        dataset = replace(dataset, test_rows=entry.test_rows)
    for fact in ("n_samples", "n_features", "n_classes", "test_rows"):
        found, expected = getattr(dataset, fact), getattr(entry, fact)
        if found != expected:
            raise DatasetError(f"{path}: {fact} is {found}; in {name} it is {expected}")
    return replace(dataset, name=name)


def _load_embedded(name: str) -> Dataset:
    from sklearn import datasets

    bunch: Any = getattr(datasets, f"load_{name}")()
    return Dataset(name, bunch.data, bunch.target, feature_names=tuple(bunch.feature_names))
