"""A dask collection as X: the same selection, computed by workers, and a lazy transform."""

import os
import signal
import warnings

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from tests.matrices import factor_table
from tests.platforms import posix
from topofs import (
    ConstantFeatureWarning,
    InfiniteFeatureSelector,
    RareFeatureWarning,
    TopologicalFeatureSelector,
)
from topofs.backends import dask_similarity as dask_columns

ROWS, COLUMNS = (50, -1), (-1, 11)


def whole(n_samples=200, n_features=40):
    return np.rint(2 * factor_table(n_samples, n_features))


def die_once(block, marker):
    """Kill the process that handles the first block to come; the others live."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return block
    os.kill(os.getpid(), signal.SIGKILL)
    return block


@pytest.mark.needs_jit
@pytest.mark.parametrize("chunks", [ROWS, COLUMNS], ids=["rows", "columns"])
def test_two_worker_processes_give_the_answer_of_one_machine(client, chunks):
    for similarity in ("pearson", "spearman", "energy"):
        for X in (whole(), factor_table(200, 40)):
            rule = "degree" if similarity == "energy" else "coverage"
            selector = TopologicalFeatureSelector(7, similarity=similarity, rule=rule)
            expected = clone(selector).fit(X)
            array = da.from_array(X, chunks=chunks)
            found = selector.fit(array)
            np.testing.assert_array_equal(found.graph_.edges, expected.graph_.edges)
            np.testing.assert_array_equal(found.ranking_, expected.ranking_)
            if X[0, 0] == np.rint(X[0, 0]):
                assert found.graph_ == expected.graph_


@posix
@pytest.mark.needs_jit
@pytest.mark.parametrize(
    ("chunks", "similarity"),
    [(ROWS, "pearson"), (ROWS, "spearman"), (COLUMNS, "pearson")],
    ids=["rows", "rows to columns", "columns"],
)
def test_a_worker_killed_while_it_reads_does_not_change_the_answer(
    client, chunks, similarity, tmp_path
):
    X = whole()
    marker = tmp_path / "killed"
    array = da.from_array(X, chunks=chunks).map_blocks(
        die_once, str(marker), dtype=float, meta=np.empty((0, 0))
    )
    found = TopologicalFeatureSelector(7, similarity=similarity).fit(array)
    assert marker.exists()
    assert found.graph_ == TopologicalFeatureSelector(7, similarity=similarity).fit(X).graph_


@posix
@pytest.mark.needs_jit
def test_a_worker_killed_with_prepared_columns_does_not_change_the_answer(client, monkeypatch):
    from distributed import futures_of, wait

    killed = []
    gather = dask_columns._gather

    def kill_and_gather(prepared, *rest):
        wait(futures_of(prepared), timeout=60)
        address = next(iter(client.who_has(futures_of(prepared)).values()))[0]
        killed.extend(client.run(os.getpid, workers=[address]).values())
        os.kill(killed[0], signal.SIGKILL)
        return gather(prepared, *rest)

    client.wait_for_workers(2, timeout=60)
    monkeypatch.setattr(dask_columns, "_gather", kill_and_gather)
    X = whole()
    found = TopologicalFeatureSelector(7).fit(da.from_array(X, chunks=COLUMNS))
    assert killed
    assert found.graph_ == TopologicalFeatureSelector(7).fit(X).graph_


@pytest.mark.parametrize("graph", ["tmfg", "pmfg", "mst"])
@pytest.mark.usefixtures("in_this_thread")
def test_every_graph(graph):
    X = whole(60, 12)
    expected = TopologicalFeatureSelector(graph=graph).fit(X)
    found = TopologicalFeatureSelector(graph=graph).fit(da.from_array(X, chunks=(20, 5)))
    assert found.graph_ == expected.graph_


@pytest.mark.parametrize("estimator", [TopologicalFeatureSelector, InfiniteFeatureSelector])
@pytest.mark.usefixtures("in_this_thread")
def test_a_dataframe_keeps_its_names_and_its_laziness(estimator):
    frame = pd.DataFrame(whole(60, 9), columns=list("abcdefghi"))
    lazy = dd.from_pandas(frame, npartitions=3)
    expected, found = estimator(4).fit(frame), estimator(4).fit(lazy)
    assert found.feature_names_in_.tolist() == list("abcdefghi")
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    reduced = found.transform(lazy)
    assert isinstance(reduced, dd.DataFrame)
    pd.testing.assert_frame_equal(reduced.compute(), frame[expected.get_feature_names_out()])
    assert estimator(4).fit_transform(lazy).columns.tolist() == list(reduced.columns)


@pytest.mark.usefixtures("in_this_thread")
def test_transform_reads_nothing():
    def read(block):
        raise AssertionError("a chunk was read")

    X = whole(60, 9)
    selector = TopologicalFeatureSelector(4).fit(da.from_array(X, chunks=(20, 9)))
    unread = da.from_array(X, chunks=(20, 9)).map_blocks(read, dtype=float)
    assert selector.transform(unread).shape == (60, 4)
    lazy = selector.transform(da.from_array(X, chunks=(20, 9)))
    np.testing.assert_array_equal(lazy.compute(), X[:, selector.support_])


@pytest.mark.usefixtures("in_this_thread")
def test_constant_columns_are_left_out_with_a_warning():
    X = whole(60, 9)
    X[:, [2, 5]] = 1.0
    array = da.from_array(X, chunks=(20, 3))
    with pytest.warns(ConstantFeatureWarning, match="2 of 9 columns .* x2, x5") as caught:
        found = TopologicalFeatureSelector(4).fit(array)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantFeatureWarning)
        assert found.graph_ == TopologicalFeatureSelector(4).fit(X).graph_
    with pytest.raises(ValueError, match="all 3 columns of X are constant"):
        TopologicalFeatureSelector().fit(da.ones((9, 3), chunks=(3, 3)))
    with pytest.raises(ValueError, match="all 3 columns of X are constant"):
        TopologicalFeatureSelector.paper(similarity="energy").fit(
            da.ones((9, 3), chunks=(3, 3))
        )


@pytest.mark.usefixtures("in_this_thread")
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"similarity": "precomputed"}, "'precomputed', which needs X in memory: pass X.comp"),
        ({"similarity": lambda X: X}, "needs X in memory"),
        ({"memory": 100}, "the similarity of 6 columns takes .* GB on the client"),
        ({"n_features_to_select": 7}, "n_features_to_select is 7, but X has 6"),
    ],
)
def test_what_needs_the_table_in_memory_is_refused_with_advice(settings, message):
    X = da.from_array(whole(20, 6), chunks=(10, 6))
    selector = TopologicalFeatureSelector(**settings)
    with pytest.raises(ValueError, match=message):
        selector.fit(X)
    assert not hasattr(selector, "graph_")


@pytest.mark.usefixtures("in_this_thread")
@pytest.mark.parametrize("kind", ["int64", "Int64", "int64[pyarrow]", "uint64[pyarrow]"])
def test_whole_numbers_that_floats_round_are_refused_whatever_their_type(kind):
    frame = pd.DataFrame(whole(20, 4).astype("int64") % 9 + 2**62, columns=list("abcd"))
    with pytest.raises(ValueError, match=r"beyond 2\*\*53"):
        TopologicalFeatureSelector(2).fit(dd.from_pandas(frame.astype(kind), npartitions=2))


@pytest.mark.usefixtures("in_this_thread")
def test_bad_tables_are_refused_and_nothing_is_fitted():
    X = whole(20, 6)
    array = da.from_array(X, chunks=(10, 6))
    selector = TopologicalFeatureSelector()
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        selector.fit(array[array[:, 0] > 0])
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="missing values"):
        selector.fit(da.from_array(X, chunks=(20, 3)))
    for masked in (da.ma.masked_greater(array, 1), array.map_blocks(np.ma.masked_array)):
        with pytest.raises(ValueError, match=r"masked dask array.* fill .*da\.ma\.filled"):
            selector.fit(masked)
    with pytest.raises(ValueError, match="not a table"):
        selector.fit(array[:, 0])
    assert not hasattr(selector, "support_")
    selector.fit(array)
    with pytest.raises(ValueError, match="X has 5 features, but .* is expecting 6"):
        selector.transform(array[:, :5])
    with pytest.raises(ValueError, match="not a table"):
        selector.transform(array[:, 0])


@pytest.mark.usefixtures("in_this_thread")
@pytest.mark.parametrize("seed", range(6))
def test_missing_values_are_compared_pair_by_pair(seed):
    rng = np.random.default_rng(seed)
    X = whole(300, 12) if seed % 2 else factor_table(300, 12)
    X[rng.random(X.shape) < 0.1] = np.nan
    expected = TopologicalFeatureSelector().fit(X)
    for chunks in ((70, 12), (40, 5), (299, 12)):
        found = TopologicalFeatureSelector().fit(da.from_array(X, chunks=chunks))
        np.testing.assert_array_equal(found.ranking_, expected.ranking_)
        np.testing.assert_allclose(found.scores_, expected.scores_, rtol=0, atol=1e-10)
        np.testing.assert_allclose(found.shares_, expected.shares_, rtol=0, atol=1e-10)
        if seed % 2:
            assert (found.scores_ == expected.scores_).all()


@pytest.mark.usefixtures("in_this_thread")
def test_rare_columns_with_missing_values():
    X = factor_table(3000, 5)
    X[:, 4] = 0
    X[[5, 2000], 4] = 7
    X[:900, 4] = np.nan
    X[20:50, 1] = np.nan
    with pytest.warns(RareFeatureWarning):
        expected = TopologicalFeatureSelector().fit(X)
    with pytest.warns(RareFeatureWarning):
        found = TopologicalFeatureSelector().fit(da.from_array(X, chunks=(500, 5)))
    assert found.rare_.tolist() == expected.rare_.tolist() == [4]
    np.testing.assert_array_equal(found.ranking_, expected.ranking_)
