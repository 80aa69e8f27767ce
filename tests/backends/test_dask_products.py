"""Workers survey rows, the client decides: the graph and the links of one machine."""

import os
import signal

import dask.array as da
import numpy as np
import pytest
from sklearn.base import clone

from tests.matrices import factor_table
from tests.platforms import posix
from topofs import ConstantFeatureWarning, Links, TopologicalFeatureSelector
from topofs.backends import dask as dask_engine
from topofs.backends import dask as dask_products
from topofs.backends.dispatch import columns_to_compare
from topofs.network import Needs
from topofs.selection.compatibility import measure_of

N_SAMPLES, N_FEATURES = 30, 300
# Too little for the matrix of either type, enough for the columns.
MEMORY = {np.float64: 860_000, np.float32: 425_000}
ROWS, COLUMNS = (11, -1), (-1, 37)
LINKS = 8

pytestmark = pytest.mark.needs_jit


@pytest.fixture(autouse=True)
def _workers_do_it_all(monkeypatch):
    monkeypatch.setattr(dask_products, "_PRODUCTS_OF_CLIENT", 0)


def example(kind, dtype=np.float64):
    X = factor_table(N_SAMPLES, N_FEATURES)
    if kind == "whole":
        X = np.clip(np.rint(X / 2), -1, 1)
    if kind == "both":
        X[:, ::3] = np.rint(X[:, ::3])
    return X.astype(dtype)


def selectors(similarity):
    terms = {"graph": Links(strongest=LINKS)} if similarity != "energy" else {"rule": "degree"}
    yield TopologicalFeatureSelector(9, similarity=similarity, **terms)
    yield TopologicalFeatureSelector.paper(9, similarity=similarity)


def check_same(selector, X, chunks):
    """The graph of the same table in memory without the matrix, and the ranking with it."""
    memory = MEMORY[X.dtype.type]
    found = clone(selector).set_params(memory=memory).fit(da.from_array(X, chunks=chunks))
    expected = clone(selector).set_params(memory=memory).fit(X)
    rtol = 1e-6 if X.dtype == np.float32 else 1e-12
    np.testing.assert_array_equal(found.graph_.edges, expected.graph_.edges)
    np.testing.assert_allclose(found.graph_.weights, expected.graph_.weights, rtol=rtol)
    with_matrix = clone(selector).fit(X)
    np.testing.assert_array_equal(found.graph_.edges, with_matrix.graph_.edges)
    np.testing.assert_array_equal(found.ranking_, with_matrix.ranking_)
    return found


@pytest.mark.parametrize(
    ("kind", "chunks", "dtype"),
    [
        ("reals", ROWS, np.float64),
        ("reals", COLUMNS, np.float32),
        ("whole", COLUMNS, np.float64),
        ("whole", ROWS, np.float32),
        ("both", ROWS, np.float64),
        ("both", COLUMNS, np.float32),
    ],
)
@pytest.mark.usefixtures("in_this_thread")
def test_the_answer_of_one_machine(kind, chunks, dtype):
    X = example(kind, dtype)
    for similarity in ("pearson", "spearman", "energy"):
        for selector in selectors(similarity):
            check_same(selector, X, chunks)


@pytest.mark.parametrize("chunks", [ROWS, COLUMNS], ids=["rows", "columns"])
def test_two_worker_processes_give_the_answer_of_one_machine(client, chunks):
    for kind, similarity in (("reals", "pearson"), ("whole", "pearson"), ("reals", "spearman")):
        selector = next(selectors(similarity))
        check_same(selector, example(kind), chunks)


@posix
@pytest.mark.parametrize(("passes", "kind"), [(1, "reals"), (2, "whole")])
def test_a_worker_killed_in_the_survey_or_in_a_refill_does_not_change_the_graph(
    client, monkeypatch, kind, passes
):
    from distributed import futures_of, wait

    asked, killed = [], []
    ask = dask_products.WorkerProducts._ask

    def ask_and_kill(self, *question):
        answers = ask(self, *question)
        asked.append(question)
        if len(asked) == passes:
            # The first has come, others are under way or wait.
            yield next(answers)
            blocks = futures_of(list(self._blocks))
            address = next(iter(client.who_has(blocks).values()))[0]
            killed.extend(client.run(os.getpid, workers=[address]).values())
            os.kill(killed[0], signal.SIGKILL)
        yield from answers
        assert wait(futures_of(list(self._blocks)), timeout=60)

    client.wait_for_workers(2, timeout=60)
    monkeypatch.setattr(dask_products.WorkerProducts, "_ask", ask_and_kill)
    # Links take one pass; a TMFG asks again.
    by_tmfg = TopologicalFeatureSelector(9, graph="tmfg")
    check_same(by_tmfg, example(kind), COLUMNS)
    assert killed
    assert len(asked) > passes


@pytest.mark.usefixtures("in_this_thread")
def test_tasks_that_ask_for_few_columns_at_a_time(monkeypatch):
    # One block of 37 columns, and two of them.
    for at_once in (1, 2 * 37 * 8 * N_SAMPLES):
        monkeypatch.setattr(dask_engine, "_columns_of_a_task", lambda _, size=at_once: size)
        for kind in ("reals", "whole"):
            check_same(next(selectors("pearson")), example(kind), COLUMNS)


@pytest.mark.usefixtures("in_this_thread")
def test_names_and_constant_columns():
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    frame = pd.DataFrame(example("whole")).add_prefix("column ")
    frame["column 7"] = frame["column 299"] = 3.0
    selector = next(selectors("pearson")).set_params(memory=MEMORY[np.float64])
    with pytest.warns(ConstantFeatureWarning, match="2 of 300 .* column 7, column 299"):
        found = clone(selector).fit(dd.from_pandas(frame, npartitions=3))
    with pytest.warns(ConstantFeatureWarning):
        expected = clone(selector).fit(frame)
    assert found.graph_ == expected.graph_
    np.testing.assert_array_equal(found.ranking_, expected.ranking_)
    assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()


@pytest.mark.usefixtures("in_this_thread")
def test_the_rule_variance_and_a_graph_that_needs_the_matrix():
    X = example("reals")
    lazy, memory = da.from_array(X, chunks=COLUMNS), MEMORY[np.float64]
    found = TopologicalFeatureSelector(9, rule="variance", memory=memory).fit(lazy)
    expected = TopologicalFeatureSelector(9, rule="variance").fit(X)
    np.testing.assert_array_equal(found.support_, expected.support_)
    selector = TopologicalFeatureSelector(9, rule="degree", graph="pmfg", memory=memory)
    with pytest.raises(ValueError, match="300 columns does not fit .* 'pmfg' needs it whole"):
        selector.fit(lazy)


@pytest.mark.usefixtures("in_this_thread")
def test_what_cannot_be_done_is_a_sentence(monkeypatch):
    X = example("reals")
    selector = next(selectors("pearson"))
    with pytest.raises(
        ValueError,
        match=r"300 columns takes 0.000864 GB on the client, and to build the graph without it "
        r"takes 0.000\d+ GB there, but memory allows 0.0003 GB: allow more, or select",
    ):
        selector.set_params(memory=300_000).fit(da.from_array(X, chunks=COLUMNS))
    with monkeypatch.context() as small:
        small.setattr(dask_engine, "least_worker_memory", lambda: 3 * 10**8)
        with pytest.raises(
            ValueError, match=r"a worker has 0.3 GB, but .* each needs 0.375 GB: start workers"
        ):
            selector.set_params(memory=860_000).fit(da.from_array(X, chunks=COLUMNS))
    X[3, 5] = np.nan
    with pytest.raises(ValueError, match="1 of 300 columns of X have missing values"):
        selector.set_params(memory=860_000).fit(da.from_array(X, chunks=ROWS))
    with pytest.raises(ValueError, match="all 300 columns of X are constant"):
        selector.fit(da.ones(X.shape, chunks=COLUMNS))
    assert not hasattr(selector, "graph_")


@pytest.mark.parametrize("kind", ["reals", "whole"])
@pytest.mark.usefixtures("in_this_thread")
def test_sums_and_lists_are_those_of_blocks(kind):
    array = da.from_array(example(kind), chunks=COLUMNS)
    columns = columns_to_compare(
        array, measure_of("pearson"), memory=MEMORY[np.float64], needs=Needs()
    )
    assert columns.workers is not None
    order = np.random.default_rng(0).permutation(N_FEATURES)
    products = columns.products(order)
    for level, length in ((-np.inf, 5), (0.02, N_FEATURES - 1), (0.02, 0)):
        lists, totals = products.survey(level, [0.1, 0.3], length, 64)
        by_client = super(dask_products.WorkerProducts, products)
        expected, sums = by_client.survey(level, [0.1, 0.3], length, 64)
        np.testing.assert_allclose(totals, sums, rtol=1e-12)
        if kind == "whole":
            np.testing.assert_array_equal(totals[0], sums[0])
            for one, other in zip(lists, expected, strict=True):
                np.testing.assert_array_equal(one, other)
    chosen = np.flatnonzero(np.random.default_rng(1).random(N_FEATURES) < 0.2)
    lists, expected = (products.survey(-np.inf, [], 5, 64)[0] for _ in range(2))
    products.refill(chosen, 0.02, lists, 64)
    by_client.refill(chosen, 0.02, expected, 64)
    np.testing.assert_allclose(lists.weight, expected.weight, rtol=1e-12)
    if kind == "whole":
        np.testing.assert_array_equal(lists.vertex, expected.vertex)
        np.testing.assert_array_equal(lists.floor, expected.floor)
