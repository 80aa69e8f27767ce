"""numpy and the kernels give the same bits, and small tables need no kernel."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topofs import Energy, Pearson, Spearman
from topofs._kernels import numpy_or_numba
from topofs.similarity.base import dense
from topofs.similarity_matrix import check_rows, row_sums, zero_below


def both_ways(function):
    """What a function gives without numba, and with it."""
    found = []
    for largest in (10**9, 0):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(numpy_or_numba, "LARGEST_FOR_NUMPY", largest)
            found.append(function())
    return found


def bits(array):
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").tolist()


KINDS = (
    "reals",
    "wide",
    "halves",
    "offset",
    "denormal",
    "largest",
    "powers",
    "constant",
    "not finite",
)


@st.composite
def matrices(draw):
    """Square matrices of many kinds, not always symmetric."""
    n = draw(st.integers(1, 300))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    matrix = {
        "reals": lambda: rng.normal(size=(n, n)),
        "wide": lambda: rng.normal(size=(n, n)) * 10.0 ** rng.integers(-300, 300, (n, n)),
        "halves": lambda: rng.integers(-9, 9, (n, n)) / 2,
        "offset": lambda: rng.normal(size=(n, n)) + 1e9,
        "denormal": lambda: rng.integers(-9, 9, (n, n)) * 5e-324,
        "largest": lambda: rng.normal(size=(n, n)) * 1e307,
        "powers": lambda: 2.0 ** rng.integers(-40, 40, (n, n)),
        "constant": lambda: np.full((n, n), rng.normal()),
        "not finite": lambda: np.where(rng.random((n, n)) < 0.01, np.inf, 1.0),
    }[draw(st.sampled_from(KINDS))]()
    single = draw(st.booleans()) and np.abs(matrix).max() < 1e38
    return matrix.astype(np.float32) if single else matrix


@pytest.mark.needs_jit
@given(matrix=matrices(), share=st.floats(0, 1))
def test_sums_of_rows_have_the_same_bits(matrix, share):
    n = len(matrix)
    first, last = int(share * n / 2), n - int(share * n / 3)
    level = float(np.quantile(np.nan_to_num(matrix), share))

    def everything():
        sums, cut = np.zeros((3, n)), matrix.copy()
        largest = row_sums(matrix, first, last, sums[0])
        checked = check_rows(matrix, first, last, sums[1])
        zero_below(cut, level, first, last, sums[2])
        return bits(sums), largest, checked, bits(cut)

    without, with_kernels = both_ways(everything)
    assert without[0] == with_kernels[0]
    # Where a sum is not finite, nobody looks at the rest.
    if np.isfinite(matrix).all():
        assert without == with_kernels


def test_long_rows_have_the_same_sums():
    matrix = np.random.default_rng(0).normal(size=(3, 40_001))
    matrix[1, 20_000:40_000] = -matrix[1, :20_000]

    def sums():
        found = np.empty(3)
        return row_sums(matrix, 0, 3, found), bits(found)

    without, with_kernels = both_ways(sums)
    assert without == with_kernels


MEASURES = (Pearson(), Pearson(squared=False), Spearman(), Energy())


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.parametrize("kind", ["whole", "reals", "single", "mixed"])
def test_a_matrix_has_the_same_bits(measure, kind):
    rng = np.random.default_rng(1)
    # More columns than a block of rows has.
    table = rng.normal(size=(40, 4)) @ rng.normal(size=(4, 600)) + rng.normal(size=(40, 600))
    if kind == "whole":
        table = np.rint(3 * table)
    elif kind == "mixed":
        table[:, ::3] = np.rint(2 * table[:, ::3]) / 2
    elif kind == "single":
        table = table.astype(np.float32)
    operator = measure.operator(table)
    without, with_kernels = both_ways(lambda: dense(operator))
    np.testing.assert_array_equal(without, with_kernels)


WITHOUT_NUMBA = """
import sys
import numpy as np
import pandas as pd

from topofs import Mixed, Pearson, Spearman
from topofs.layout import layout
from topofs.graphs.filtered_graph import FilteredGraph
from topofs.similarity.base import dense
from topofs.similarity.noise_floor import leave_out_chance, whole_weights
from topofs.similarity_matrix import threshold_links_in_place, threshold_mean
from topofs.similarity.column_order import move_rows, value_order
from topofs.similarity_matrix import check_similarity_matrix, sum_and_peak
from topofs.io.types import read_columns
from topofs.io.types import TypedTable

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 300)) + rng.normal(size=(60, 300))
gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X)
frame = pd.DataFrame(gaps[:, :20])
frame["name"] = rng.choice(list("xyz"), 60)
names = TypedTable(tuple(read_columns(frame)))
for measure, table in (
    (Pearson(), X),
    (Pearson(), np.rint(X)),
    (Pearson(), gaps),
    (Pearson(rows="ordered"), X),
    (Spearman(), X),
    (Spearman(), gaps),
    (Mixed(), names),
):
    operator = measure.operator(table)
    n_samples, n = table.shape
    matrix = dense(operator)
    scale = measure.scale(operator, n_samples=n_samples, n_features=n)
    order = value_order(table)
    move_rows(matrix, order, columns=order)
    whole_weights(matrix, scale, order)
    leave_out_chance(matrix, scale, order)
    measure.standard_columns(table)
    check_similarity_matrix(matrix)
    threshold_mean(matrix)
    threshold_links_in_place(matrix)
    sum_and_peak(matrix)
path = np.column_stack([np.arange(299), np.arange(1, 300)])
layout(FilteredGraph(300, path, np.ones(299)))
assert "numba" not in sys.modules
"""


def test_a_small_table_is_compared_without_numba():
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMBA],
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


FIRST_FIT = """
import sys
import numpy as np
from topofs import TopologicalFeatureSelector

rng = np.random.default_rng(0)
TopologicalFeatureSelector().fit(rng.normal(size=(60, 3)) @ rng.normal(size=(3, 30)))
assert "numba" not in sys.modules
"""

COMMAND = """
import sys
from topofs.cli import main

sys.argv[0] = "topofs"
try:
    main()
except SystemExit as ended:
    assert not ended.code
assert "numba" not in sys.modules
"""


def test_a_small_fit_does_not_import_numba():
    ran = subprocess.run([sys.executable, "-c", FIRST_FIT], check=False, capture_output=True)
    assert ran.returncode == 0


@pytest.mark.parametrize(
    "command",
    [
        "select",
        "select --report page.html",
        "select -k 5 --refine",
        "groups",
        "panel --panel a",
    ],
)
def test_a_small_table_on_the_command_line_does_not_import_numba(tmp_path, command):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        rng.normal(size=(60, 3)) @ rng.normal(size=(3, 8)), columns=[*"abcdefgh"]
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    name, *options = command.split()
    ran = subprocess.run(
        [sys.executable, "-c", COMMAND, name, "t.csv", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
