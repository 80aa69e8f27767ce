"""Sums and lists from tiles: those of a sorted row, whatever the order of the tiles."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from topofs._kernels.survey import add_tile, nothing_surveyed, packed, unpacked


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_tiles_in_any_order_leave_the_strongest(data):
    n, k = data.draw(st.integers(1, 100)), data.draw(st.integers(0, 5))
    numbers = st.sampled_from([-0.5, 0.0, 0.25, 0.5, 1.0])
    row = np.array(data.draw(st.lists(numbers, min_size=n, max_size=n)))
    own, level = data.draw(st.integers(0, n - 1)), data.draw(st.sampled_from([-np.inf, 0.3]))
    order = np.array(data.draw(st.permutations(range(n))), dtype=np.int32)
    cut = data.draw(st.integers(0, n))
    found = nothing_surveyed(1, k, 2, row)
    for part in (order[:cut], order[cut:]):
        rows = np.array([own], dtype=np.int32)
        tile = row[None, part].copy()
        add_tile(tile, 0, rows, part, level, np.array([0.2]), 1.5 * 2.0**7, found)
        found = unpacked(packed(found))
    seen = np.where(row >= level, row, 0.0)
    best = sorted((-seen[u], u) for u in range(n) if u != own)[:k]
    length = found.length[0]
    assert found.vertex[0, :length].tolist() == [u for _, u in best]
    assert found.weight[0, :length].tolist() == [-w for w, _ in best]
    assert found.sums[0] + found.rests[0] == seen.sum()
    assert found.above[0, 0] == seen[seen > 0.2].sum()
