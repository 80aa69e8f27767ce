import sys

import pytest

from topofs_study.datasets import info, search_path
from topofs_study.datasets.entries import find, locate, user_cache
from topofs_study.errors import DatasetError, DatasetNotFoundError


def test_data_dir_then_environment_then_cache(tmp_path, monkeypatch):
    folders = [tmp_path / "given", tmp_path / "environment", user_cache()]
    monkeypatch.setenv("TOPOFS_DATA", str(folders[1]))
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "Yale.mat").touch()
    assert search_path(folders[0]) == tuple(folders)
    for folder in folders:
        assert locate(info("Yale"), data_dir=folders[0]) == folder / "Yale.mat"
        (folder / "Yale.mat").unlink()
    with pytest.raises(DatasetNotFoundError) as caught:
        locate(info("Yale"), data_dir=folders[0])
    assert all(str(folder) in str(caught.value) for folder in folders)


def test_an_empty_variable_names_no_folder(monkeypatch):
    monkeypatch.setenv("TOPOFS_DATA", "")
    assert search_path() == (user_cache(),)


def test_names_must_be_spelled_as_registered(tmp_path):
    (tmp_path / "MADELON.mat").touch()
    if (tmp_path / "madelon.mat").exists():
        pytest.skip("this disk does not tell capitals from small letters")
    assert find(info("MADELON"), data_dir=tmp_path) is None


def test_a_data_dir_that_is_not_there(tmp_path):
    with pytest.raises(DatasetError, match="nowhere: the data folder does not exist"):
        search_path(tmp_path / "nowhere")


def test_the_cache_without_pooch(monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert user_cache().parts[-2:] == (".cache", "topofs")
