import hashlib
import os

from topofs_study.datasets.entries import sha256


def test_a_file_is_read_once_until_it_changes(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"one")
    assert sha256(path) == hashlib.sha256(b"one").hexdigest()
    monkeypatch.setattr(hashlib, "file_digest", None)
    assert sha256(path) == hashlib.sha256(b"one").hexdigest()
    monkeypatch.undo()
    path.write_bytes(b"two")
    os.utime(path, ns=(1, 1))
    assert sha256(path) == hashlib.sha256(b"two").hexdigest()
