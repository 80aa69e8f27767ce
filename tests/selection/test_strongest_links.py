"""Coverage by the strongest links: against its twin, and as the whole similarity in the limit."""

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_wine

from tests.cli.running import run, run_json
from tests.matrices import factor_table
from tests.naive.coverage import naive_cover, naive_strongest
from topofs import (
    AtMost,
    Coverage,
    MinShare,
    Mixed,
    NoGraphWarning,
    Pearson,
    Spearman,
    TopologicalFeatureSelector,
    UntilCoverage,
    pearson,
    stability,
)
from topofs.engines import strongest_links
from topofs.plot import network
from topofs.report.selection import write_selection_report
from topofs.similarity.noise_floor import correct_bias, noise_floor

FEW = Coverage(reach="strongest", links=2, isolated="keep")


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(3)
    return np.column_stack([factor_table(60, 14), rng.normal(size=(60, 4))])


def fitted(X, rule, size=6, **wishes):
    return TopologicalFeatureSelector(size, rule=rule, **wishes).fit(X)


def table_of_names(X):
    frame = pd.DataFrame(X).rename(columns=str)
    frame["kind"] = np.where(X[:, 0] > 0, "a", "b")
    frame["other"] = np.where(X[:, 3] > 0.5, "c", np.where(X[:, 2] > 0, "d", "e"))
    return frame


@pytest.mark.parametrize("n_links", [1, 2, 5, 17])
def test_order_gains_and_groups_follow_the_twin(X, n_links):
    selector = fitted(X, FEW.replace(links=n_links))
    square = pearson(X, squared=True)
    whole = np.where(square >= noise_floor(*X.shape), correct_bias(square, len(X)), 0)
    shares = naive_strongest(whole, n_links)
    order, gains = naive_cover(shares, strength=square.sum(axis=1))
    found = np.argsort(selector.ranking_)
    alone = (shares > 0).sum(axis=1) == 1
    assert found[~alone[found]].tolist() == [i for i in order if not alone[i]]
    np.testing.assert_allclose(np.sort(selector.scores_)[::-1], gains, atol=1e-9)
    assert selector.isolated_.tolist() == np.flatnonzero(alone).tolist()
    best = shares[np.flatnonzero(selector.support_)].max(axis=0)
    np.testing.assert_allclose(selector.shares_, best, atol=1e-12)
    assert selector.graph_.n_edges == 48


@pytest.mark.parametrize(
    ("measure", "change"),
    [
        (Pearson(), lambda X: X),
        (Pearson(squared=False), lambda X: X),
        (Pearson(), lambda X: X.astype(np.float32)),
        (Pearson(), lambda X: np.where(X > 2, np.nan, X)),
        (Pearson(), lambda X: sparse.csc_array(np.rint(X))),
        (Spearman(), np.rint),
        (Spearman(squared=False), lambda X: X),
        (Mixed(), table_of_names),
        ("mutual_information", lambda X: X),
        ("precomputed", lambda X: pearson(X, squared=True)),
        (Pearson(), lambda X: da.from_array(X, chunks=(20, 5))),
    ],
    # The same names in every process of the tests: no addresses of functions.
    ids=[
        "plain",
        "signed",
        "float32",
        "missing",
        "sparse",
        "ranks",
        "signed ranks",
        "mixed",
        "information",
        "given",
        "dask",
    ],
)
def test_with_all_links_it_is_the_whole_similarity(X, measure, change):
    X = change(X)
    with dask.config.set(scheduler="synchronous"):
        whole = TopologicalFeatureSelector(
            similarity=measure, rule=Coverage(reach="similarity")
        )
        links = TopologicalFeatureSelector(
            similarity=measure, rule=Coverage(reach="strongest", links=100)
        )
        whole.fit(X), links.fit(X)
    np.testing.assert_array_equal(links.ranking_, whole.ranking_)
    np.testing.assert_allclose(links.scores_, whole.scores_, atol=1e-11)
    np.testing.assert_array_equal(links.representative_, whole.representative_)
    np.testing.assert_allclose(links.shares_, whole.shares_, atol=1e-14)
    np.testing.assert_array_equal(links.isolated_, whole.isolated_)
    assert links.n_features_ == whole.n_features_


def test_whole_numbers_give_the_same_bits(X):
    X = np.rint(3 * X)
    whole = fitted(X, Coverage(reach="similarity"))
    links = fitted(X, Coverage(reach="strongest", links=17))
    np.testing.assert_array_equal(links.scores_, whole.scores_)
    np.testing.assert_array_equal(links.shares_, whole.shares_)


def test_memory_of_a_few_links_does(X):
    X = factor_table(30, 800)
    rule = Coverage(reach="strongest", links=8)
    little = fitted(X, rule, memory="1MB")
    np.testing.assert_array_equal(little.ranking_, fitted(X, rule).ranking_)
    with pytest.raises(
        ValueError, match="use rule 'coverage' with reach 'strongest' or 'paths'"
    ):
        fitted(X, Coverage(reach="similarity"), memory="6MB")
    with pytest.raises(
        ValueError, match="the 700 strongest links of 800 columns take 0.0403 GB"
    ):
        fitted(X, rule.replace(links=700), memory="1MB")


def test_blocks_of_rows_are_as_good_as_one(X, monkeypatch):
    rule, X = Coverage(reach="strongest", links=4), np.where(X > 2, np.nan, X)
    expected = fitted(X, rule)
    monkeypatch.setattr(strongest_links, "_BLOCK", 40)
    np.testing.assert_array_equal(fitted(X, rule).scores_, expected.scores_)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_columns_will_do(n):
    selector = fitted(factor_table(40, n), Coverage(reach="strongest"), 1)
    assert selector.n_features_ == 1


@pytest.mark.parametrize("links", [0, -1, 1.5, True, "2"])
def test_a_number_of_links_is_whole(links):
    with pytest.raises(ValueError, match="links is .*; give a whole number of at least 1"):
        Coverage(links=links)


def test_wishes_panels_and_sizes_work(X):
    for wishes in (
        {"keep": [17], "exclude": [0, 1]},
        {"at_most": AtMost(1, of=np.arange(18) % 9)},
        {"max_similarity": 0.5},
        {"size": MinShare(0.5)},
        {"size": UntilCoverage(0.6)},
    ):
        links = fitted(X, Coverage(reach="strongest", links=17), **wishes)
        whole = fitted(X, Coverage(reach="similarity"), **wishes)
        np.testing.assert_array_equal(links.ranking_, whole.ranking_)
        np.testing.assert_array_equal(links.support_, whole.support_)
    assert links.extend(2).n_features_ == links.n_features_ + 2
    assert str(links.evaluate([1, 5])) == str(whole.evaluate([1, 5]))
    column = int(np.flatnonzero(links.support_)[0])
    assert links.substitute(column) == whole.substitute(column)


@pytest.mark.parametrize("memory", ["plenty", "scarce"])
def test_the_graph_is_that_of_the_other_reaches(X, memory):
    X = np.rint(2 * factor_table(40, 400))
    settings = {"memory": None if memory == "plenty" else "1MB"}
    links = fitted(X, FEW, **settings)
    assert links.graph_ == fitted(X, Coverage(reach="paths")).graph_
    np.testing.assert_array_equal(links.ranking_, fitted(X, FEW).ranking_)


@pytest.mark.parametrize(
    ("settings", "change"),
    [({"graph": "mst"}, lambda X: X), ({}, sparse.csr_array)],
    ids=["graph", "sparse"],
)
def test_where_the_graph_takes_too_much_memory_it_is_left_out(settings, change):
    X = change(np.rint(factor_table(40, 90)))
    with pytest.warns(NoGraphWarning, match="the graph of 90 columns takes too much memory"):
        found = fitted(X, FEW, memory=60_000, **settings)
    assert found.graph_.n_edges == 0
    np.testing.assert_array_equal(found.ranking_, fitted(X, FEW).ranking_)


def test_where_only_the_graph_takes_too_much_memory_links_do():
    X = np.tile(np.rint(factor_table(50, 150)), (10, 1))
    with pytest.warns(NoGraphWarning) as caught:
        found = fitted(X, FEW, memory=150_000)
    assert [warning.filename for warning in caught] == [__file__]
    np.testing.assert_array_equal(found.ranking_, fitted(X, FEW).ranking_)


def test_a_graph_without_links_is_no_want_of_memory(recwarn):
    noise = np.random.default_rng(0).normal(size=(50, 20))
    assert fitted(noise, Coverage(), 3, graph="mfcf").graph_.n_edges == 0
    assert not recwarn.list


@pytest.mark.filterwarnings("ignore::topofs.NoGraphWarning")
def test_it_explains_itself_without_a_graph(X, tmp_path):
    selector = fitted(X, FEW.replace(links=1), memory=2700, graph="mst")
    assert selector.graph_.n_edges == 0
    for column in range(18):
        told = selector.explain(column)
        assert told.neighbors == ()
        assert "Joined" not in str(told)
    assert stability(selector, X, n_resamples=3, random_state=0).edges == ()
    path = tmp_path / "report.html"
    write_selection_report(path, selector=selector, X=X)
    assert "its strongest links" in path.read_text(encoding="utf-8")
    network(selector)


def test_the_command_line_has_it(tmp_path):
    wine = load_wine(as_frame=True).data
    wine.to_csv(tmp_path / "wine.csv", index=False)
    arguments = (tmp_path / "wine.csv", "--reach", "strongest", "--links", 3)
    found = run_json("select", *arguments)
    selector = TopologicalFeatureSelector(rule=Coverage(reach="strongest", links=3)).fit(wine)
    assert found["n_selected"] == selector.n_features_
    printed = run("groups", *arguments)
    assert printed.exit_code == 0, printed.output
    refused = run("select", *arguments[:3], "--links", 0)
    assert refused.exit_code == 2
    assert "whole number of at least 1" in refused.output
    little = (*arguments, "--memory", "3KB", "--graph", "mst")
    noted = run("select", *little)
    assert "note: the graph of 13 columns takes too much memory" in noted.stderr
    without = run("graph", tmp_path / "wine.csv", "--rule", "variance", "--out", "g.csv")
    assert without.exit_code == 2
    assert "--rule variance builds no graph: use --rule coverage" in without.stderr
    for command in ("graph", "select"):
        option = "--out" if command == "graph" else "--graph-out"
        refused = run(command, *little, option, tmp_path / "g.csv")
        assert (refused.exit_code, (tmp_path / "g.csv").exists()) == (2, False)
        assert "the graph takes too much memory: allow more --memory" in refused.stderr


@pytest.mark.parametrize("change", [lambda X: X, table_of_names], ids=["numbers", "names"])
def test_links_are_those_of_the_matrix_before_it_is_cut(X, change):
    """They are joined while the graph of the cut matrix grows."""
    rule, table = Coverage(reach="strongest", links=3), change(X)
    whole, cut = (fitted(table, rule, threshold=threshold) for threshold in (None, "mean"))
    assert cut.graph_ != whole.graph_
    np.testing.assert_array_equal(cut.scores_, whole.scores_)
    np.testing.assert_array_equal(cut.shares_, whole.shares_)
