"""A record is in the store once or not at all, and a wrong file says what to do."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from topofs_study.errors import StoreError
from topofs_study.paper.frames import load
from topofs_study.paper.items import ClassCounts, Tuning
from topofs_study.paper.splits import Fold
from topofs_study.running.store import SCHEMA_VERSION, Store
from topofs_study.running.work_item import Record


def record(fold, value=0.5):
    item = Tuning("paper", "wine", "tfs", "KNN", Fold(fold), (3,))
    return Record(item, [[value] * 13], n_fits=1, seconds=0.1)


def test_records_come_back_as_they_went_in(tmp_path):
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        store.add(record(0, 1 / 3))
    with Store(path) as store:
        assert list(store.records(Tuning)) == [record(0, 1 / 3)]
        assert store.keys() == {record(0).item.key}


@pytest.mark.parametrize("name", [":memory:", "file:results?mode=memory"])
def test_every_name_is_that_of_a_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with Store(name) as store:
        store.add(record(0))
    assert (tmp_path / name).is_file()
    for read_only in (False, True):
        with Store(Path(name), read_only=read_only) as store:
            assert store.keys() == {record(0).item.key}


def test_no_name_is_no_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match="cannot be opened"):
        Store("")


def test_each_kind_is_read_on_its_own(tmp_path):
    counts = Record(ClassCounts("paper", "wine"), {}, n_fits=0, seconds=0.1)
    with Store(tmp_path / "store.sqlite") as store:
        store.add(record(0))
        store.add(counts)
        assert list(store.records(Tuning)) == [record(0)]
        assert list(store.records(ClassCounts)) == [counts]


def test_a_record_is_never_doubled(tmp_path):
    with Store(tmp_path / "store.sqlite") as store:
        store.add(record(0, 0.25))
        store.add(record(0, 0.75))
        assert list(store.records(Tuning)) == [record(0, 0.25)]


def test_a_full_disk_loses_no_record(tmp_path):
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        store.add(record(0))
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        added = []
        with pytest.raises(StoreError, match=r"full.* free some space .* same command again"):
            _fill(store, added)
        assert len(store.keys()) == 1 + len(added)
        store._connection.execute("PRAGMA max_page_count = 100000")
        store.add(record(1001))
    with Store(path) as store:
        assert len(store.keys()) == 2 + len(added)


def _fill(store, added):
    """Add records for as long as there is space."""
    for fold in range(1, 1000):
        store.add(record(fold))
        added.append(fold)


DAMAGED = ["{", "null", "{}", "", "7", '{"kind": "tune", "sizes": 3, "settings": 1}']


@pytest.mark.parametrize(
    ("column", "damaged"),
    [("item", "[]"), *[(column, text) for column in ("item", "result") for text in DAMAGED]],
)
def test_a_damaged_row_is_named_with_its_store(tmp_path, column, damaged):
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        store.add(record(0))
        store.add(record(1))
        store._connection.execute(
            f"UPDATE records SET {column} = ? WHERE key = ?", (damaged, record(1).item.key)
        )
        with pytest.raises(StoreError) as error:
            list(store.records(Tuning))
    assert str(error.value).startswith(f"{path}: the row {record(1).item.key!r} of the table")
    assert "delete that row" in str(error.value)
    assert error.value.exit_status == 3


def test_a_store_of_another_version_is_refused(tmp_path):
    path = tmp_path / "store.sqlite"
    Store(path).close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE meta SET value = '0'")
    connection.commit()
    connection.close()
    with pytest.raises(
        StoreError, match=rf"version 0; .* version {SCHEMA_VERSION}\. Move the file away"
    ):
        Store(path)


def test_a_foreign_file_is_refused_and_left_alone(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text(
        "not a database, but long enough to be taken for one " * 20, encoding="utf-8"
    )
    with pytest.raises(StoreError, match="not an SQLite file; give another"):
        Store(text)
    assert text.read_text(encoding="utf-8").startswith("not a database")
    other = tmp_path / "other.sqlite"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE songs (title TEXT)")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="not a store of topofs"):
        Store(other)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(StoreError, match="its folder must exist"):
        Store(tmp_path / "nowhere" / "store.sqlite")


def test_reading_changes_nothing_and_makes_nothing(tmp_path):
    missing = tmp_path / "a ? # %20" / "store.sqlite"
    with pytest.raises(
        StoreError, match="no such store; give the file that `topofs reproduce`"
    ):
        load(missing)
    missing.parent.mkdir()
    with pytest.raises(StoreError, match="no such store"):
        load(missing)
    assert list(missing.parent.iterdir()) == []
    empty = tmp_path / "empty.sqlite"
    empty.touch()
    with pytest.raises(StoreError, match="not a store of topofs"):
        load(empty)
    assert empty.read_bytes() == b""
    with Store(missing) as store:
        store.add(record(0))
    before = missing.read_bytes()
    with Store(missing, read_only=True) as store:
        assert list(store.records(Tuning)) == [record(0)]
        with pytest.raises(StoreError, match="readonly"):
            store.add(record(1))
    assert missing.read_bytes() == before


def test_a_store_is_read_while_another_run_writes_to_it(tmp_path):
    path = tmp_path / "store.sqlite"
    with Store(path) as writing, Store(path, read_only=True) as reading:
        writing.add(record(0))
        with writing._transaction():
            assert list(reading.records(Tuning)) == [record(0)]
        writing.add(record(1))
        assert len(reading.keys()) == 2


DIES_WHILE_WRITING = """
import os, sys
from topofs_study.running.store import Store

store = Store(sys.argv[1])
store._connection.execute("PRAGMA cache_size = 1")
store._connection.execute("BEGIN IMMEDIATE")
for i in range(500):
    row = (str(i), "x" * 500)
    store._connection.execute("INSERT INTO records VALUES (?, ?, '', 0, 0)", row)
os._exit(9)
"""


def test_a_write_that_was_cut_off_is_undone_before_reading(tmp_path):
    path = tmp_path / "store.sqlite"
    subprocess.run([sys.executable, "-c", DIES_WHILE_WRITING, path], check=False)
    with pytest.raises(StoreError, match="middle of a write.* the same command again"):
        load(path)
    Store(path).close()
    assert len(load(path).scores) == 0
