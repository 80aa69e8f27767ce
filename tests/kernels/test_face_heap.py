"""The heap of faces gives the largest key first, and of equal keys the lowest slot."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topofs._kernels.faces import sift_down, sift_up

KEYS = st.lists(st.integers(0, 6), min_size=1, max_size=60)


def filled(keys):
    heap, key = np.arange(len(keys)), np.array(keys, dtype=np.float64)
    for place in range(len(keys)):
        sift_up(heap, key, place)
    return heap, key


@given(KEYS)
def test_slots_leave_in_the_order_of_keys_and_slots(keys):
    heap, key = filled(keys)
    found = []
    for size in range(len(keys) - 1, -1, -1):
        found.append((-key[0], int(heap[0])))
        heap[0], key[0] = heap[size], key[size]
        sift_down(heap, key, size)
    assert found == sorted((-k, slot) for slot, k in enumerate(keys))


@given(KEYS, st.integers(-1, 6))
def test_a_lower_key_on_top_finds_its_place(keys, lower):
    heap, key = filled(keys)
    slot = int(heap[0])
    key[0] = min(lower, key[0])
    left = list(keys)
    left[slot] = int(key[0])
    sift_down(heap, key, len(keys))
    assert (-key[0], heap[0]) == min((-k, s) for s, k in enumerate(left))
    assert [left[s] for s in heap] == key.tolist()
    assert sorted(heap.tolist()) == list(range(len(keys)))
