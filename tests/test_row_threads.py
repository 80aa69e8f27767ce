import subprocess
import sys

import numba
import numpy as np
import pytest

from topofs import TopologicalFeatureSelector
from topofs.runtime import for_each, for_row_ranges, n_threads, thread_beside


@pytest.fixture(params=[1, 2], name="n_threads")
def set_threads(request):
    before = numba.get_num_threads()
    if request.param > numba.config.NUMBA_NUM_THREADS:
        pytest.skip("numba has fewer threads")
    numba.set_num_threads(request.param)
    yield request.param
    numba.set_num_threads(before)


def squares(n):
    return for_each(lambda i: i * i, range(n))


def test_items_and_ranges_keep_their_order(n_threads):
    assert squares(50) == [i * i for i in range(50)]
    found = for_row_ranges(lambda i, j: list(range(i, j)), 1000, 2**12)
    assert len(found) > 1
    assert [row for rows in found for row in rows] == list(range(1000))


def test_what_is_shared_may_share_itself(n_threads):
    # More of them than threads: if each waited for others, none would end.
    assert for_each(lambda i: sum(squares(i)), range(20)) == [
        sum(k * k for k in range(i)) for i in range(20)
    ]


def test_links_of_one_thread_are_those_of_all():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6)) @ rng.normal(size=(6, 300)) + rng.normal(size=(60, 300))
    found, before = [], numba.get_num_threads()
    for number in (1, before):
        numba.set_num_threads(number)
        selector = TopologicalFeatureSelector(5, similarity="pearson").fit(X)
        found.append((selector.graph_, selector.ranking_.tolist()))
    assert found[0] == found[1]


def test_a_thread_beside_has_no_more_threads_than_this_one(n_threads):
    with thread_beside() as beside:
        assert beside.submit(numba.get_num_threads).result() == numba.get_num_threads()


NUMBERS = """
import sys
from topofs.runtime import for_each, n_threads

before = n_threads()
assert for_each(lambda _: n_threads(), range(3)) == 3 * [1 if before > 1 else before]
assert "numba" not in sys.modules
import numba

assert before == n_threads() == numba.get_num_threads()
numba.set_num_threads(1)
assert n_threads() == 1
"""


@pytest.mark.parametrize("asked", [None, "1", "2"])
def test_there_are_as_many_threads_as_numba_would_have(asked, monkeypatch):
    if asked is None:
        monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("NUMBA_NUM_THREADS", asked)
    subprocess.run([sys.executable, "-c", NUMBERS], check=True)


def test_threads_of_the_pool_share_no_further():
    assert set(for_each(lambda _: n_threads(), range(9))) == {1}
