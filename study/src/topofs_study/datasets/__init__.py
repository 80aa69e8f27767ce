"""Datasets by name, and readers for the files that hold them."""

from topofs_study.datasets.dataset import Dataset
from topofs_study.datasets.entries import DatasetInfo, info, registry
from topofs_study.datasets.fetching import fetch
from topofs_study.datasets.loading import load
from topofs_study.datasets.locate import search_path
from topofs_study.datasets.madelon import make_madelon
from topofs_study.datasets.reading import read

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
