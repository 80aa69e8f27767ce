"""Kernels compile also where nothing can be kept."""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import topofs._kernels
from tests.platforms import posix

READ_ONLY = """
import tempfile, warnings
from pathlib import Path

import numba.core.caching
import numpy as np

allowed = tempfile.gettempdir()
made = tempfile.TemporaryFile


def refusing(*arguments, dir=None, **options):
    if dir is not None and not str(dir).startswith(allowed):
        raise PermissionError(13, "read-only", str(dir))
    return made(*arguments, dir=dir, **options)


# Root may write anywhere, so what numba and topofs ask is made to refuse.
tempfile.TemporaryFile = refusing
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import topofs
    graph = topofs.tmfg(np.corrcoef(np.random.default_rng(0).normal(size=(6, 30))))
print([f"{w.category.__name__}: {w.message}" for w in caught])
print(len(graph.edges), numba.config.CACHE_DIR)
"""


# A limit on the size of files fails where a full disk does: in the middle of writing.
FULL = """
import resource, sys, warnings

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import numpy as np
    from topofs._kernels.matrix_scan import check_rows, zero_below

    sums, matrix = np.empty((2, 3)), np.arange(9.0).reshape(3, 3)
    check_rows(matrix, 0, 3, sums[0])
    zero_below(matrix, 2.0, 0, 3, sums[1])
print([f"{w.category.__name__}: {w.message}" for w in caught])
print(sums.tolist())
"""


def printed(program, folder, *arguments, **environment):
    """The lines that a program prints in an interpreter of its own."""
    unset = {"HOME", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"}
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    ran = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=kept | environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@posix
@pytest.mark.needs_jit
def test_a_full_disk_only_costs_that_kernels_are_compiled_anew(tmp_path):
    folder = {"NUMBA_CACHE_DIR": str(tmp_path)}
    for room in (0, 2000):  # for nothing, and for lists of what is kept
        said, full = printed(FULL, tmp_path, room, **folder)
        assert said.count("compiled kernels cannot be kept") == 1
        assert f"({tmp_path}" in said
        assert "File too large" in said
    assert not list(tmp_path.rglob("*.nbc"))
    for _ in range(2):
        said, roomy = printed(FULL, tmp_path, 2**30, **folder)
        assert (said, roomy) == ("[]", full)
    assert list(tmp_path.rglob("*.nbc"))
    # Where the machine went down meanwhile, files are cut off.
    for cut_off in (*tmp_path.rglob("*.nbi"), *tmp_path.rglob("*.nbc")):
        cut_off.write_bytes(b"")
    for _ in range(2):
        assert printed(FULL, tmp_path, 2**30, **folder) == ["[]", full]
    # An older version kept kernels whose arguments are of a class that is gone.
    for index in tmp_path.rglob("*.nbi"):
        with index.open("rb") as file:
            version = pickle.load(file)
        index.write_bytes(pickle.dumps(version) + b"cos\nno_such_class\n.")
    for _ in range(2):
        assert printed(FULL, tmp_path, 2**30, **folder) == ["[]", full]


NO_ROOM_FOR_A_FILE = """
import tempfile


def refusing(*arguments, **options):
    raise OSError(28, "No space left on device")


tempfile.TemporaryFile = tempfile.mkdtemp = refusing
"""


@posix
@pytest.mark.needs_jit
def test_no_room_for_a_single_file_only_costs_the_same(tmp_path):
    said, _ = printed(NO_ROOM_FOR_A_FILE + FULL, tmp_path, 2**30)
    assert (
        said.count("compiled kernels cannot be kept (no folder for them can be written)") == 1
    )


def test_kernels_are_compiled_by_what_keeps_them_where_it_can():
    kernels = Path(topofs._kernels.__file__).parent
    others = [
        path.name
        for path in kernels.glob("*.py")
        if path.name != "compiler.py"
        and re.search(r"numba.*import.*njit|numba\.njit", path.read_text(encoding="utf-8"))
    ]
    assert not others


@pytest.mark.needs_jit
def test_kernels_compile_where_nothing_can_be_written(tmp_path):
    said, found = printed(READ_ONLY, tmp_path, TMPDIR=str(tmp_path))
    assert said.count("UserWarning: compiled kernels cannot be kept") == 1
    assert "set NUMBA_CACHE_DIR to a folder that can be written and has room" in said
    assert found.startswith(f"12 {tmp_path}")
    assert not list(tmp_path.iterdir())
