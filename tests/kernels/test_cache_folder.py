"""Kernels compile also where nothing can be kept."""

import os
import subprocess
import sys

import pytest

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


@pytest.mark.needs_jit
def test_kernels_compile_where_nothing_can_be_written(tmp_path):
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"HOME", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"}
    }
    ran = subprocess.run(
        [sys.executable, "-c", READ_ONLY],
        env={**environment, "TMPDIR": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    said, found = ran.stdout.splitlines()
    assert said.count("UserWarning: compiled kernels cannot be kept") == 1
    assert "set NUMBA_CACHE_DIR to a folder that can be written" in said
    assert found.startswith(f"12 {tmp_path}")
    assert not list(tmp_path.iterdir())
