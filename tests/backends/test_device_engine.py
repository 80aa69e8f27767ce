"""A device proposes, the host decides: the graph is that of the CPU, whatever the rounding."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.matrices import factor_table
from topofs import Energy, Pearson, Spearman, threshold_mean, tmfg, tmfg_from_data
from topofs._kernels.top_lists import empty_lists
from topofs.backends import device as device_engine
from topofs.backends import device_arrays
from topofs.backends.device import DeviceProducts, DeviceRows, DeviceSimilarity
from topofs.backends.device_arrays import NumpyArrays, TorchArrays
from topofs.backends.top_k_neighbors import NeighborSearch
from topofs.graphs import tmfg_out_of_core as matrix_free
from topofs.graphs.products import BlockedProducts, Rounding
from topofs.graphs.tmfg_out_of_core import tmfg_of_products
from topofs.similarity.base import dense

MEASURES = [Pearson(), Pearson(squared=False), Spearman(), Spearman(squared=False), Energy()]


class RoughSimilarity(DeviceSimilarity):
    """A device whose correlations are off by up to a given error, and says so."""

    error = 0.0

    def multiply(self, left, right):
        product = super().multiply(left, right)
        noise = np.random.default_rng(product.size).uniform(-1, 1, product.shape)
        return product + noise * self.unit()

    def unit(self):
        """The error in units of a product: it is divided by √(v_i v_j) / S afterwards."""
        spreads = self._weights.spreads
        return 0.9 * self.error * spreads[np.isfinite(spreads)].min() / self._weights.scale


def rougher(similarity, error):
    rough = RoughSimilarity.__new__(RoughSimilarity)
    old = similarity.rounding
    rounding = Rounding(error + old.error, old.finish, squared=old.squared)
    rough.__dict__ = similarity.__dict__ | {"error": error, "rounding": rounding}
    return rough


def rough_products(operator, error, **options):
    products = DeviceProducts(operator, NumpyArrays(), **options)
    if error:
        same = products.asked is products.similarity
        products.similarity = rougher(products.similarity, error)
        products.asked = products.similarity if same else rougher(products.asked, error)
        products.rounding = products.asked.rounding
        products._rows = DeviceRows(products.asked, products._arrays, products._kept_entries())
    return products


def by_host(operator, *, threshold):
    return tmfg_of_products(BlockedProducts(operator), threshold=threshold, memory=10**9)


def table_of(kind, n_samples, n_features, seed):
    rng = np.random.default_rng(seed)
    if kind == "factors":
        return factor_table(n_samples, n_features, seed=seed)
    if kind == "noise":
        return rng.normal(size=(n_samples, n_features))
    if kind == "copies":
        return np.tile(factor_table(n_samples, -(-n_features // 3), seed=seed), 3)[
            :, :n_features
        ]
    table = rng.integers(0, 2 if kind == "binary" else 5, size=(n_samples, n_features))
    table[:2] = [[0] * n_features, [1] * n_features]
    return table.astype(np.float64)


def assert_same(found, expected):
    np.testing.assert_array_equal(found.edges, expected.edges)
    np.testing.assert_array_equal(found.order, expected.order)
    np.testing.assert_array_equal(found.weights, expected.weights)


@settings(max_examples=25, deadline=None)
@given(
    kind=st.sampled_from(["factors", "noise", "copies", "binary", "counts"]),
    measure=st.sampled_from(MEASURES),
    n_features=st.integers(4, 90),
    n_samples=st.integers(3, 30),
    dtype=st.sampled_from([np.float32, np.float64]),
    threshold=st.booleans(),
    error=st.sampled_from([0.0, 1e-13, 1e-6, 1e-2]),
    width=st.sampled_from([1, 4, 64]),
    list_length=st.sampled_from([2, 5, 64]),
    seed=st.integers(0, 5),
)
def test_the_graph_of_the_cpu_by_any_rounding(
    kind,
    measure,
    n_features,
    n_samples,
    dtype,
    threshold,
    error,
    width,
    list_length,
    seed,
):
    operator = measure.operator(table_of(kind, n_samples, n_features, seed).astype(dtype))
    expected = by_host(operator, threshold=threshold)
    products = rough_products(operator, error, width=width)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrix_free, "_SHORTEST_LIST", list_length)
        patch.setattr(matrix_free, "_BATCH_LIST_LENGTH", list_length)
        patch.setattr(matrix_free, "_FACES", 12)
        found = tmfg_of_products(products, threshold=threshold, memory=10**9)
    assert_same(found, expected)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.parametrize("threshold", [True, False])
def test_threshold_and_start_from_sums_of_the_device(measure, threshold, monkeypatch):
    """Where there are too many products for the host to find them."""
    monkeypatch.setattr(matrix_free, "_PRODUCTS_OF_HOST", 0)
    for table in (factor_table(20, 120), np.rint(2 * factor_table(20, 120))):
        operator = measure.operator(table)
        expected = by_host(operator, threshold=threshold)
        products = rough_products(operator, 0.0, width=8)
        assert_same(tmfg_of_products(products, threshold=threshold, memory=10**9), expected)


@pytest.mark.parametrize("kind", ["factors", "noise", "binary"])
def test_two_thousand_columns(kind):
    operator = Pearson().operator(table_of(kind, 30, 2000, 0))
    matrix = dense(operator)
    products = rough_products(operator, 1e-9 if kind == "noise" else 0.0)
    found = tmfg_of_products(products, threshold=True, memory=10**9)
    assert_same(found, by_host(operator, threshold=True))
    if kind == "binary":
        assert_same(found, tmfg(threshold_mean(matrix)))


def test_zeros_below_the_threshold_tie_as_in_the_matrix():
    """Faces that share an edge gain the same where the third entry is 0."""
    X = np.random.default_rng(0).normal(size=(50, 300))
    operator = Pearson().operator(X)
    expected = tmfg(threshold_mean(dense(operator)))
    for found in (
        by_host(operator, threshold=True),
        tmfg_of_products(rough_products(operator, 0.0), threshold=True, memory=10**9),
    ):
        np.testing.assert_array_equal(found.edges, expected.edges)


def test_little_device_memory_gives_smaller_blocks():
    operator = Pearson().operator(factor_table(20, 300))
    ample = rough_products(operator, 0.0)
    scarce = rough_products(operator, 0.0, limit=330_000)
    assert scarce._rows_at_once(300) < 10 < ample._rows_at_once(300)
    graphs = [tmfg_of_products(p, threshold=True, memory=10**9) for p in (ample, scarce)]
    assert graphs[0] == graphs[1]
    with pytest.raises(ValueError, match="device has 0 MB free, but 300 columns need at least"):
        rough_products(operator, 0.0, limit=100_000)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_same_code_on_torch(dtype):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    for table in (factor_table(20, 200), np.rint(factor_table(20, 200))):
        operator = Pearson().operator(table.astype(dtype))
        products = DeviceProducts(operator, TorchArrays("cpu"), width=8)
        found = tmfg_of_products(products, threshold=True, memory=10**9)
        assert_same(found, by_host(operator, threshold=True))


@pytest.mark.parametrize("device", ["tpu", "cuda:x", "cuda1"])
def test_an_unknown_device_is_named(device):
    with pytest.raises(ValueError, match=f"device is '{device}'; known are 'auto', 'cpu'"):
        tmfg_from_data(factor_table(10, 6), device=device)


def test_no_package_and_no_device_are_told_apart(monkeypatch):
    monkeypatch.setattr(device_arrays, "find_spec", lambda _: None)
    with pytest.raises(
        ValueError, match="needs PyTorch or CuPy, and neither is installed: pip"
    ):
        tmfg_from_data(factor_table(10, 6), device="cuda")
    monkeypatch.setattr(device_arrays, "find_spec", lambda name: name == "torch" or None)
    monkeypatch.setattr(device_arrays, "_COUNTS", {"torch": lambda: 1, "cupy": lambda: 0})
    with pytest.raises(ValueError, match="device is 'cuda:3', but torch found no such device"):
        tmfg_from_data(factor_table(10, 6), device="cuda:3")


@pytest.fixture
def a_device(monkeypatch):
    monkeypatch.setattr(device_arrays, "_arrays_on", lambda device: NumpyArrays())


def test_estimator_and_function_take_a_device(a_device):
    from topofs import TopologicalFeatureSelector

    X = factor_table(40, 60)
    told = []
    graph = tmfg_from_data(X, device="cuda", progress=lambda *steps: told.append(steps))
    assert graph == tmfg_from_data(X, device="cpu")
    assert told == sorted(told)
    assert told[-1] == (120, 120)
    ours = TopologicalFeatureSelector(device="cuda").fit(X)
    theirs = TopologicalFeatureSelector().fit(X)
    assert ours.ranking_.tolist() == theirs.ranking_.tolist()
    # What needs the matrix, or has gaps, goes without the device.
    X[0, 0] = np.nan
    for options in ({}, {"graph": "pmfg"}, {"similarity": "mutual_information"}):
        ours = TopologicalFeatureSelector(device="cuda", **options).fit(X[:, :12])
        theirs = TopologicalFeatureSelector(**options).fit(X[:, :12])
        assert ours.ranking_.tolist() == theirs.ranking_.tolist()


def test_a_table_that_lies_on_a_device(a_device):
    X = factor_table(40, 60)

    class Elsewhere:
        """A table as CuPy has them."""

        class device:  # noqa: N801
            id = 0

        def get(self):
            return X

    Elsewhere.__module__ = "cupy._core"
    assert tmfg_from_data(Elsewhere()) == tmfg_from_data(X)


@pytest.mark.parametrize(("n_different", "n_links"), [(3, 128), (15, 3), (40, 20)])
@pytest.mark.parametrize("error", [0.0, 1e-6])
def test_the_strongest_links_are_those_of_the_cpu(n_different, n_links, error, monkeypatch):
    """Copies tie; lists that a device leaves short end with what was there before."""
    monkeypatch.setattr(device_engine, "empty_lists", lists_full_of_rubbish)
    different = np.rint(2 * factor_table(30, n_different))
    operator = Pearson().operator(np.tile(different, 150 // n_different))
    scale = Pearson().scale(operator, n_samples=30, n_features=operator.n_features)
    found = []
    for products in (BlockedProducts(operator), rough_products(operator, error, width=8)):
        finder = NeighborSearch(n_links, scale, np.arange(operator.n_features), 10**9)
        found.append(finder.from_products(products, operator))
    expected, by_device = found
    np.testing.assert_array_equal(by_device.edges, expected.edges)
    np.testing.assert_allclose(by_device.weights, expected.weights, rtol=1e-12)
    np.testing.assert_array_equal(
        by_device.full_rows is not None and by_device.full_rows.truncated,
        expected.full_rows is not None and expected.full_rows.truncated,
    )


def lists_full_of_rubbish(*arguments):
    lists = empty_lists(*arguments)
    lists.weight[:] = 1.5
    lists.vertex[:] = 0
    return lists


@pytest.mark.parametrize("kind", ["factors", "noise"])
def test_lists_filled_a_few_at_a_time(kind, monkeypatch):
    monkeypatch.setattr(matrix_free, "_LISTS_AT_ONCE", 3)
    monkeypatch.setattr(matrix_free, "_FACES", 12)
    monkeypatch.setattr(matrix_free, "_PLACES", 20)
    monkeypatch.setattr(matrix_free, "_BATCH_LIST_LENGTH", 16)
    operator = Pearson().operator(table_of(kind, 60, 300, seed=3))
    found = tmfg_of_products(rough_products(operator, 1e-3), threshold=True, memory=10**9)
    assert_same(found, by_host(operator, threshold=True))


@pytest.mark.parametrize("measure", [Pearson(), Pearson(squared=False)], ids=repr)
@pytest.mark.parametrize("threshold", [True, False])
def test_constant_columns_belong_to_the_mean(measure, threshold, monkeypatch):
    """They have ones on the diagonal, which no product of columns shows."""
    monkeypatch.setattr(matrix_free, "_PRODUCTS_OF_HOST", 0)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        table = rng.normal(size=(30, 100))
        table[:, rng.random(100) < 0.3] = 1.0
        operator = measure.operator(table)
        found = tmfg_of_products(
            rough_products(operator, 0.0), threshold=threshold, memory=10**9
        )
        expected = by_host(operator, threshold=threshold)
        assert_same(found, expected)


@pytest.mark.parametrize("error", [1e-6, 1e-3, 1e-1])
def test_entries_that_all_lie_at_the_threshold(error):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        common = rng.normal(size=(400, 1))
        operator = Pearson().operator(common + 0.2 * rng.normal(size=(400, 24)))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(matrix_free, "_SHORTEST_LIST", 3)
            patch.setattr(matrix_free, "_BATCH_LIST_LENGTH", 3)
            patch.setattr(matrix_free, "_FACES", 4)
            products = rough_products(operator, error, width=1)
            found = tmfg_of_products(products, threshold=True, memory=10**9)
        assert_same(found, by_host(operator, threshold=True))


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.parametrize("error", [0.0, 1e-6, 1e-1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bounds_of_links_are_close(measure, error, dtype):
    operator = measure.operator(table_of("copies", 20, 90, 0).astype(dtype))
    matrix = dense(operator).astype(np.float64)
    products = rough_products(operator, error, width=4)
    rows, margin = np.arange(90), np.finfo(dtype).eps
    lists, _ = products.survey(-np.inf, [], 12, 8)
    found = [(lists.vertex, lists.weight), products.strongest_links(rows, 12, -np.inf)[:2]]
    for others, bounds in found:
        entries = np.take_along_axis(matrix, others.astype(np.int64), axis=1)
        assert (bounds >= entries - margin).all()
        assert (bounds <= entries + products.slack + margin).all()
