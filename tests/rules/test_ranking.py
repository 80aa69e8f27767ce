"""The ranking of coverage, phase by phase, against a twin that starts from scratch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from tests.naive.coverage import naive_path_weights, naive_strongest
from tests.naive.ranking import naive_ranking
from topofs.backends.top_k_neighbors import ShareRows
from topofs.constraints import Constraints
from topofs.network import NodeRelevance, NodeWeights
from topofs.rules import Ranking
from topofs.rules.coverage import HALF, MatrixCoverage, PathCoverage
from topofs.rules.greedy import greedy_ranking
from topofs.similarity.base import MatrixOperator
from topofs.similarity.noise_floor import GivenScale

pytestmark = pytest.mark.usefixtures("both_ways")

ISOLATED = st.sampled_from(["drop", "keep", "last"])
# Of few digits, so that products along a path are exact, and with many ties; or any.
DYADIC = st.sampled_from([0.0, 0.0, 0.25, 0.5, 0.75, 1.0])
ANY = st.one_of(st.just(0.0), st.floats(0, 1), st.floats(0, 2**-18))


@st.composite
def share_matrices(draw, elements, max_size=9):
    n = draw(st.integers(1, max_size))
    values = draw(hnp.arrays(np.float64, (n, n), elements=elements))
    shares = np.tril(values, -1) * draw(hnp.arrays(np.bool_, n))
    return shares + shares.T + np.eye(n)


@st.composite
def constraints_of(draw, n):
    """Constraints that do not contradict each other, for the ranking and for the twin."""
    nodes = draw(st.permutations(range(n)))
    n_forced, n_excluded = draw(st.integers(0, min(2, n))), draw(st.integers(0, n // 3))
    forced = sorted(nodes[:n_forced])
    excluded = sorted(nodes[n_forced : n_forced + n_excluded])
    constraints = Constraints(n, np.array(forced, np.int64), np.array(excluded, np.int64))
    naive = {"forced": forced, "excluded": excluded}
    if draw(st.booleans()):
        group = draw(hnp.arrays(np.int64, n, elements=st.integers(-1, 2)))
        most = draw(st.integers(1, 3))
        group[forced] = -1
        constraints = Constraints(
            n, constraints.forced, constraints.excluded, group=group, room=np.full(3, most)
        )
        naive |= {"group": [None if g < 0 else int(g) for g in group], "most": most}
    if draw(st.booleans()):
        alike = draw(
            hnp.arrays(np.bool_, (n, n), elements=st.sampled_from([False] * 5 + [True]))
        )
        alike = (alike | alike.T) & ~np.eye(n, dtype=bool)
        alike[np.ix_(forced, forced)] = False
        constraints = Constraints(
            n,
            constraints.forced,
            constraints.excluded,
            group=constraints.group,
            room=constraints.room,
            too_alike=sparse.csr_array(alike.astype(float)),
        )
        naive["alike"] = alike.tolist()
    return constraints, naive


def path_model(edges):
    rows = sparse.csr_array(edges)
    return PathCoverage(rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data)


def assert_as_the_twin(model, constraints, tie_rank, expected, **settings):
    order, gains, end = expected
    ranking = greedy_ranking(model, constraints, tie_rank=tie_rank, **settings)
    assert ranking.order[: ranking.n_selectable].tolist() == order
    assert ranking.scores[order].tolist() == gains
    assert ranking.end == end
    others = ranking.order[ranking.n_selectable :]
    assert sorted([*order, *others]) == list(range(len(tie_rank)))
    assert others.tolist() == sorted(others.tolist(), key=tie_rank.__getitem__)
    assert (ranking.scores[others] == 0).all()


@settings(max_examples=150)
@given(st.data(), st.one_of(share_matrices(DYADIC), share_matrices(ANY)), ISOLATED)
def test_dense_and_sparse_matrices_follow_the_twin(data, shares, isolated):
    n = len(shares)
    constraints, naive = data.draw(constraints_of(n))
    tie_rank = np.array(data.draw(st.permutations(range(n))), dtype=np.int64)
    support_quarters = data.draw(st.sampled_from([0, 1, 2, 4]))
    expected = naive_ranking(
        shares, values=tie_rank, isolated=isolated, support_quarters=support_quarters, **naive
    )
    settings = {"isolated": isolated, "support_quarters": support_quarters}
    for matrix in (shares, sparse.csr_array(shares)):
        assert_as_the_twin(MatrixCoverage(matrix), constraints, tie_rank, expected, **settings)


@settings(max_examples=100)
@given(st.data(), share_matrices(DYADIC), ISOLATED)
def test_paths_follow_the_twin(data, shares, isolated):
    n = len(shares)
    constraints, naive = data.draw(constraints_of(n))
    tie_rank = np.array(data.draw(st.permutations(range(n))), dtype=np.int64)
    edges = shares - np.eye(n)
    along = naive_path_weights(edges, HALF)
    expected = naive_ranking(along, values=tie_rank, isolated=isolated, **naive)
    assert_as_the_twin(path_model(edges), constraints, tie_rank, expected, isolated=isolated)


@settings(max_examples=150)
@given(
    st.data(),
    st.one_of(share_matrices(DYADIC), share_matrices(ANY)),
    ISOLATED,
    st.integers(1, 4),
)
def test_full_rows_count_as_far_as_they_are_wanted(data, shares, isolated, n_links):
    n = len(shares)
    lists = naive_strongest(shares, n_links)
    truncated = (shares > 0).sum(axis=1) - 1 > n_links
    constraints, naive = data.draw(constraints_of(n))
    n_wanted = data.draw(st.integers(0, n))
    constraints = constraints.with_forced(constraints.forced, n_wanted=n_wanted)
    whole = {int(v): shares[v] for v in np.flatnonzero(truncated)}
    expected = naive_ranking(lists, whole=whole, n_wanted=n_wanted, isolated=isolated, **naive)
    rows = ShareRows(MatrixOperator(shares), GivenScale(), truncated)
    model = MatrixCoverage(sparse.csr_array(lists), rows)
    assert_as_the_twin(model, constraints, np.arange(n), expected, isolated=isolated)
    ranking = greedy_ranking(model, constraints, isolated=isolated)
    assert ranking.exact == (max(expected[2], n_wanted) if truncated.any() else None)


@settings(max_examples=60)
@given(st.data(), share_matrices(ANY))
def test_a_longer_list_begins_with_the_shorter_one(data, shares):
    n = len(shares)
    rows = ShareRows(MatrixOperator(shares), GivenScale(), (shares > 0).sum(axis=1) > 2)
    model = MatrixCoverage(sparse.csr_array(naive_strongest(shares, 1)), rows)
    constraints, _ = data.draw(constraints_of(n))
    orders = []
    for n_wanted in range(n + 1):
        ranking = greedy_ranking(
            model, constraints.with_forced(constraints.forced, n_wanted=n_wanted)
        )
        orders.append(ranking.order[: ranking.n_selectable])
    for n_wanted, order in enumerate(orders):
        np.testing.assert_array_equal(order[:n_wanted], orders[-1][:n_wanted])


@pytest.mark.parametrize("n", [700, 2048])
def test_many_nodes_of_both_kinds(n, both_ways):
    """Beyond some hundred nodes sums are taken in blocks; the twin would take minutes."""
    rng = np.random.default_rng(n)
    factors = rng.normal(size=(n, 6)) * (rng.random((n, 6)) < 0.3)
    shares = np.clip(factors @ factors.T / 4, 0, 1) * (rng.random((n, n)) < 0.2)
    shares = np.maximum(shares, shares.T)
    shares[:40, :] = shares[:, :40] = 0.0
    np.fill_diagonal(shares, 1.0)
    ranking = greedy_ranking(MatrixCoverage(sparse.csr_array(shares)), Constraints.none(n))
    dense = greedy_ranking(MatrixCoverage(shares), Constraints.none(n))
    np.testing.assert_array_equal(ranking.order, dense.order)
    np.testing.assert_array_equal(ranking.scores, dense.scores)
    with pytest.MonkeyPatch.context() as patch:
        other = 0 if both_ways == "numpy" else 4096
        patch.setattr("topofs._kernels.numpy_or_numba.LARGEST_FOR_NUMPY", other)
        again = greedy_ranking(MatrixCoverage(shares), Constraints.none(n))
    np.testing.assert_array_equal(again.order, dense.order)
    np.testing.assert_array_equal(again.scores, dense.scores)


def test_a_coverage_model_that_is_none_is_refused():
    with pytest.raises(TypeError, match=r"list.*topofs\.rules\.CoverageModel"):
        Ranking(np.arange(2), np.ones(2), coverage_model=[])


@st.composite
def relevances(draw, n):
    """Weights up to the end and beyond, and what chance adds, for the ranking and the twin."""
    values = hnp.arrays(np.float64, n, elements=st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]))
    pairs = [(draw(values), draw(values)) for _ in range(2)]
    least = draw(st.sampled_from([0.0, 2**-10, 0.25]))
    proven, weights = (NodeWeights(*pair) for pair in pairs)
    if draw(st.booleans()):
        return NodeRelevance(weights, least), (None, pairs[1], least)
    return NodeRelevance(weights, least, proven), (*pairs, least)


@settings(max_examples=150)
@given(
    st.data(),
    st.one_of(share_matrices(DYADIC), share_matrices(ANY)),
    ISOLATED,
    st.integers(1, 4),
)
def test_relevance_follows_the_twin(data, shares, isolated, n_links):
    n = len(shares)
    lists = naive_strongest(shares, n_links)
    truncated = (shares > 0).sum(axis=1) - 1 > n_links
    constraints, naive = data.draw(constraints_of(n))
    n_wanted = data.draw(st.integers(0, n))
    constraints = constraints.with_forced(constraints.forced, n_wanted=n_wanted)
    tie_rank = np.array(data.draw(st.permutations(range(n))), dtype=np.int64)
    relevance, as_lists = data.draw(relevances(n))
    naive |= {"values": tie_rank, "isolated": isolated, "relevance": as_lists}
    settings = {"isolated": isolated, "relevance": relevance}
    whole = {int(v): shares[v] for v in np.flatnonzero(truncated)}
    expected = naive_ranking(lists, whole=whole, n_wanted=n_wanted, **naive)
    rows = ShareRows(MatrixOperator(shares), GivenScale(), truncated)
    model = MatrixCoverage(sparse.csr_array(lists), rows)
    assert_as_the_twin(model, constraints, tie_rank, expected, **settings)
    expected = naive_ranking(shares, **naive)
    assert_as_the_twin(MatrixCoverage(shares), constraints, tie_rank, expected, **settings)


def test_even_weights_change_no_gain():
    rng = np.random.default_rng(0)
    shares = np.tril(rng.random((8, 8)), -1)
    shares += shares.T + np.eye(8)
    even = NodeWeights(np.ones(8), np.ones(8))
    plain = greedy_ranking(MatrixCoverage(shares), Constraints.none(8))
    found = greedy_ranking(
        MatrixCoverage(shares),
        Constraints.none(8),
        relevance=NodeRelevance(even, 1.0),
    )
    assert found.order.tolist() == plain.order.tolist()
    assert found.end == plain.end
