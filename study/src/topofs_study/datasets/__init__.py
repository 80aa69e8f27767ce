"""Datasets by name, and readers for the files that hold them."""

from topofs.datasets.dataset import Dataset
from topofs.datasets.entries import DatasetInfo, info, registry
from topofs.datasets.fetching import fetch
from topofs.datasets.loading import load
from topofs.datasets.locate import search_path
from topofs.datasets.madelon import make_madelon
from topofs.datasets.reading import read

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
