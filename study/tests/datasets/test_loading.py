import csv
import shutil
from collections import Counter

import numpy as np
import pytest

from topofs_study.datasets import info, load, registry
from topofs_study.errors import DatasetError, DatasetNotFoundError, UnknownDatasetError

ON_DISK = [name for name, entry in registry().items() if entry.sha256]
EMBEDDED = [name for name, entry in registry().items() if entry.embedded]


@pytest.mark.parametrize("name", ON_DISK)
def test_file_agrees_with_the_manifest(name, shared_datasets):
    with (shared_datasets / "MANIFEST.csv").open(newline="", encoding="utf-8") as file:
        row = next(row for row in csv.DictReader(file) if row["name"] == name)
    dataset = load(name, data_dir=shared_datasets)
    assert dataset.name == name
    assert dataset.X.shape == (int(row["n_samples"]), int(row["n_features"]))
    counts = dict(pair.split(":") for pair in row["class_counts"].split())
    assert Counter(map(str, dataset.y.tolist())) == {k: int(v) for k, v in counts.items()}
    assert dataset.X.dtype == row["x_dtype"]
    assert (dataset.X.min(), dataset.X.max()) == (float(row["x_min"]), float(row["x_max"]))
    assert not dataset.X.flags.writeable
    assert not dataset.y.flags.writeable


def test_madelon_comes_split(shared_datasets):
    assert load("MADELON", data_dir=shared_datasets).test_rows == slice(2000, 2600)
    assert load("Yale", data_dir=shared_datasets).test_rows is None


@pytest.mark.parametrize("name", EMBEDDED)
def test_embedded_ones_need_no_file(name):
    dataset = load(name)
    entry = info(name)
    sizes = (dataset.n_samples, dataset.n_features, dataset.n_classes)
    assert sizes == (entry.n_samples, entry.n_features, entry.n_classes)
    assert len(dataset.feature_names) == dataset.n_features


def test_unknown_name():
    with pytest.raises(UnknownDatasetError, match="no dataset is called 'Wine'"):
        load("Wine")


def test_missing_file_names_the_folders_and_the_way_out(tmp_path):
    with pytest.raises(DatasetNotFoundError, match=r"topofs datasets fetch Yale") as caught:
        load("Yale", data_dir=tmp_path)
    assert str(tmp_path) in str(caught.value)
    with pytest.raises(DatasetNotFoundError, match=r"USPS: USPS\.npz .* comes from cran/"):
        load("USPS", data_dir=tmp_path)


def test_wrong_checksum(tiny):
    entry, folder = tiny
    assert load("tiny", data_dir=folder).n_samples == 6
    np.savez(folder / "tiny.npz", X=np.ones((6, 2)), y=[0, 1, 2, 0, 1, 2])
    with pytest.raises(DatasetError, match=rf"tiny\.npz: the checksum is .* {entry.sha256}"):
        load("tiny", data_dir=folder)


def test_one_dataset_under_the_name_of_another(shared_datasets, tmp_path):
    shutil.copyfile(shared_datasets / "ORL.mat", tmp_path / "Yale.mat")
    with pytest.raises(DatasetError, match=r"Yale\.mat: the checksum is e257ec36"):
        load("Yale", data_dir=tmp_path)


def write_gisette(folder, *, n_train, n_valid, n_features=3):
    folder.mkdir()
    for part, n_rows in (("train", n_train), ("valid", n_valid)):
        table = np.zeros((n_rows, n_features), dtype=int)
        np.savetxt(folder / f"gisette_{part}.data", table, fmt="%d")
        labels = np.where(np.arange(n_rows) % 2, 1, -1)
        np.savetxt(folder / f"gisette_{part}.labels", labels, fmt="%d")


def test_gisette_has_no_checksum_so_its_sizes_must_do(tmp_path):
    write_gisette(tmp_path / "GISETTE", n_train=4, n_valid=2)
    with pytest.raises(DatasetError, match="GISETTE: n_samples is 6; in GISETTE it is 7000"):
        load("GISETTE", data_dir=tmp_path)


def test_gisette_split_elsewhere_is_refused(tmp_path, monkeypatch):
    from dataclasses import replace
    from importlib import import_module

    entry = replace(info("GISETTE"), n_samples=6, n_features=3, n_train=4)
    module = import_module("topofs_study.datasets.entries")
    monkeypatch.setattr(module, "registry", lambda: {"GISETTE": entry})
    write_gisette(tmp_path / "GISETTE", n_train=4, n_valid=2)
    assert load("GISETTE", data_dir=tmp_path).test_rows == slice(4, 6)
    (tmp_path / "other").mkdir()
    write_gisette(tmp_path / "other" / "GISETTE", n_train=3, n_valid=3)
    with pytest.raises(DatasetError, match=r"test_rows is slice\(3, 6, None\)"):
        load("GISETTE", data_dir=tmp_path / "other")
