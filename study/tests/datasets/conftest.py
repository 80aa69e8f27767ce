"""What the tests of datasets share: the paper's files, a cache of their own, a tiny dataset."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import pytest

from topofs_study.datasets import DatasetInfo, info, registry
from topofs_study.datasets.entries import sha256

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_data_of_this_user(monkeypatch, tmp_path_factory):
    monkeypatch.delenv("TOPOFS_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def tiny(monkeypatch, tmp_path) -> tuple[DatasetInfo, Path]:
    """A registered dataset of six rows, and the folder that has its file."""
    folder = tmp_path / "served"
    folder.mkdir()
    np.savez(folder / "tiny.npz", X=np.arange(12.0).reshape(6, 2), y=[0, 1, 2, 0, 1, 2])
    entry = replace(
        info("lung"),
        name="tiny",
        n_samples=6,
        n_features=2,
        n_classes=3,
        file="tiny.npz",
        sha256=sha256(folder / "tiny.npz"),
    )
    entries = MappingProxyType({**registry(), "tiny": entry})
    monkeypatch.setattr(
        import_module("topofs_study.datasets.entries"), "registry", lambda: entries
    )
    return entry, folder
