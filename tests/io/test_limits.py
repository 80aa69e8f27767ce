"""Small files that would become large ones: refused before they are unpacked."""

import gzip
import os
import sys
import threading
import time
from contextlib import suppress

import numpy as np
import polars as pl
import pytest
from scipy.io import savemat

from tests.cli.running import run
from tests.messages import assert_tells
from tests.platforms import posix
from topofs.errors import TableError
from topofs.io import open_table
from topofs.io.read import ReadOptions

WIDE = np.zeros((2, 3_000_000), dtype=np.uint8)


def peak(resource):
    """The most memory so far, in kilobytes; macOS counts bytes."""
    unit = 1024 if sys.platform == "darwin" else 1
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def wide_npz(path):
    np.savez_compressed(path, X=WIDE, y=np.array([0, 1]))


def wide_mat(path):
    savemat(path, {"X": WIDE, "Y": np.array([[0], [1]])}, do_compression=True)


def long_gzip(path):
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 10**6))


def long_parquet(path):
    pl.select(a=pl.zeros(10**6), b=pl.zeros(10**6)).write_parquet(path)


@pytest.mark.parametrize(
    ("name", "write", "limit"),
    [
        ("t.npz", wide_npz, None),
        ("t.mat", wide_mat, None),
        ("t.csv.gz", long_gzip, "1MB"),
        ("t.parquet", long_parquet, "1MB"),
    ],
)
def test_what_grows_too_much_is_refused_at_once(tmp_path, name, write, limit):
    resource = pytest.importorskip("resource", reason="memory is measured in this way")
    path = tmp_path / name
    write(path)
    assert path.stat().st_size < 60_000
    before, start = peak(resource), time.monotonic()
    result = run("select", path, *(() if limit is None else ("--max-size", limit)))
    assert result.exit_code == 3, result.output
    assert f"error: {name}: " in result.stderr
    assert "if the file is to be trusted raise --max-size" in result.stderr
    assert time.monotonic() - start < 5
    assert peak(resource) - before < 200_000


def test_the_limit_can_be_raised(tmp_path):
    long_gzip(tmp_path / "t.csv.gz")
    with (
        pytest.raises(TableError, match=r"^t\.csv\.gz: unpacked, this would take"),
        open_table(tmp_path / "t.csv.gz", how=ReadOptions(max_bytes=1)),
    ):
        pass
    with open_table(tmp_path / "t.csv.gz") as table:
        assert table.n_samples == 10**6
    wrong = run("select", tmp_path / "t.csv.gz", "--max-size", "much")
    assert wrong.exit_code == 2
    assert_tells(wrong.stderr, "--max-size", "'much'", "bytes")


def test_a_packed_cell_table_has_the_limit_too(tmp_path):
    pytest.importorskip("anndata")
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file.attrs["encoding-type"] = "anndata"
        file.create_dataset("X", shape=(10**6, 10**4), dtype="f8", chunks=True)
    result = run("select", tmp_path / "t.h5ad")
    assert result.exit_code == 3
    assert "unpacked, this would take 80,000,000,000 bytes" in result.stderr


def test_a_large_file_may_grow_with_its_size():
    assert ReadOptions().limit(10) == ReadOptions().limit() == 2 * 1024**3
    assert ReadOptions().limit(10**9) == 20 * 10**9
    how = ReadOptions(max_bytes=1000)
    assert (how.limit(), how.limit(10), how.limit(10**6)) == (1000, 1000, 1000)


@posix
def test_a_packed_stream_is_unpacked_while_it_comes(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write_for_ever():
        with (
            suppress(BrokenPipeError),
            pipe.open("wb", buffering=0) as file,
            gzip.GzipFile(fileobj=file, mode="wb") as packed,
        ):
            while True:
                packed.write(bytes(1 << 20))

    threading.Thread(target=write_for_ever, daemon=True).start()
    result = run("select", pipe, "--max-size", "8MB")
    assert result.exit_code == 3, result.output
    assert "pipe: unpacked, this would take" in result.stderr


@posix
@pytest.mark.parametrize("packed", [False, True])
def test_a_stream_that_comes_byte_by_byte(tmp_path, packed):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = b"a,b\n" + b"1,2\n3,5\n" * 20
    data = gzip.compress(text[:60]) + gzip.compress(text[60:]) if packed else text

    def write():
        with pipe.open("wb", buffering=0) as file:
            for i in range(len(data)):
                file.write(data[i : i + 1])

    writer = threading.Thread(target=write)
    writer.start()
    with open_table(pipe) as table:
        assert table.rows.collect().to_dict(as_series=False) == {
            "a": [1, 3] * 20,
            "b": [2, 5] * 20,
        }
    writer.join()


@posix
@pytest.mark.parametrize("packed", [False, True])
def test_an_endless_stream_is_not_copied_to_the_end(tmp_path, monkeypatch, packed):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    if packed:
        # A pipe of 60 kB that holds 4 MB.
        long_gzip(tmp_path / "t.csv.gz")
        packed = (tmp_path / "t.csv.gz").read_bytes()
        (tmp_path / "t.csv.gz").unlink()
        result = run("select", "-", "--max-size", "1MB", stdin=packed)
        name = "standard input: unpacked, this would"
    else:
        result = run("select", "/dev/zero", "--max-size", "8MB")
        name = "/dev/zero: a copy of this would"
    assert result.exit_code == 3, result.output
    assert f"error: {name} take" in result.stderr
    assert "raise --max-size" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_pipe_may_hold_what_is_allowed():
    text = b"a,b,c\n" + b"1,2,3\n4,3,5\n2,2,2\n" * 10_000
    assert run("select", "-", "--max-size", "1MB", stdin=text).exit_code == 0
    assert run("select", "-", "--max-size", "100kB", stdin=text).exit_code == 3
