"""Datasets by name, and readers for the files that hold them."""

from topofs_study.datasets.entries import DatasetInfo, fetch, info, registry, search_path
from topofs_study.datasets.madelon import make_madelon
from topofs_study.datasets.reading import Dataset, load, read

__all__ = [
    "Dataset",
    "DatasetInfo",
    "fetch",
    "info",
    "load",
    "make_madelon",
    "read",
    "registry",
    "search_path",
]
