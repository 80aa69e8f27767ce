"""``topofs graph``: the network as a file."""

import networkx
import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_wine

from tests.cli.running import run, run_json
from tests.messages import assert_tells
from topofs import Pearson, TopologicalFeatureSelector, network_stability


@pytest.fixture
def wine_csv(tmp_path):
    path = tmp_path / "wine.csv"
    load_wine(as_frame=True).frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def expected():
    return TopologicalFeatureSelector(graph="tmfg").fit(load_wine(as_frame=True).data)


def test_graphml_is_read_by_networkx(wine_csv, tmp_path, expected):
    path = tmp_path / "wine.graphml"
    found = run_json("graph", wine_csv, "--target", "target", "--out", path)
    assert (found["n_nodes"], found["n_edges"]) == (13, 33)
    assert found["left_out"] == [{"name": "target", "reason": "target"}]
    read = networkx.read_graphml(path)
    labels = networkx.get_node_attributes(read, "label")
    degrees = {labels[node]: degree for node, degree in read.degree()}
    names = expected.feature_names_in_
    assert degrees == dict(zip(names, expected.graph_.degree().tolist(), strict=True))
    for node in read:
        position = list(names).index(labels[node])
        assert read.nodes[node]["score"] == expected.scores_[position]
        assert read.nodes[node]["rank"] == expected.ranking_[position]
        assert "selected" not in read.nodes[node]


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_a_list_of_links(wine_csv, tmp_path, expected, ending):
    path = tmp_path / f"links.{ending}"
    result = run("graph", wine_csv, "--drop", "target", "--out", path)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == "13 columns, 33 links; the strongest:"
    assert "total_phenols – flavanoids  0.7475" in result.stdout
    if ending == "parquet":
        links = pl.read_parquet(path)
    else:
        links = pl.read_csv(path, separator="\t" if ending == "tsv" else ",")
    labels = expected.graph_.labels
    assert links.columns == ["source", "target", "weight", "correlation"]
    signed = expected.signed_graph(load_wine(as_frame=True).data)
    values = (signed.edges.tolist(), signed.weights.tolist(), signed.correlations.tolist())
    assert links.rows() == [
        (labels[i], labels[j], weight, correlation)
        for (i, j), weight, correlation in zip(*values, strict=True)
    ]
    assert links["correlation"].min() < 0


def test_links_of_weight_0_are_not_among_the_strongest(tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "t.graphml"
    path.write_text("a,b,c,d\n1,2,1,1\n2,4,-1,1\n3,6,1,-1\n4,8,-1,-1\n", encoding="utf-8")
    found = run_json("graph", path, "--out", out)
    assert found["n_edges"] == 6
    assert found["strongest"]
    assert all(link["weight"] > 0 for link in found["strongest"])
    assert "  0\n" not in run("graph", path, "--out", out).stdout
    path.write_text("a,b,c\n1,1,1\n-1,1,-1\n1,-1,-1\n-1,-1,1\n", encoding="utf-8")
    result = run("graph", path, "--out", out)
    assert result.stdout == "3 columns, 3 links, all of weight 0: no two columns are alike\n"
    assert run_json("graph", path, "--out", out)["strongest"] == []


def test_the_links_that_coverage_ranks_by(wine_csv, tmp_path):
    path = tmp_path / "links.csv"
    arguments = ("graph", wine_csv, "--drop", "target", "--out", path)
    X = load_wine(as_frame=True).data
    assert run_json(*arguments)["settings"]["graph"] == {"name": "tmfg"}
    found = run_json(*arguments, "--graph", "links")
    graph = TopologicalFeatureSelector().fit(X).graph_
    assert found["n_edges"] == graph.n_edges == len(pl.read_csv(path))
    few = run_json(*arguments, "--strongest", "1")
    assert few["settings"]["graph"] == {"name": "links", "strongest": 1}
    assert few["n_edges"] == 10
    refused = run(*arguments, "--rule", "variance")
    assert refused.exit_code == 2
    assert refused.stderr.count("\n") == 1
    assert "--rule variance ranks without a graph" in refused.stderr


def test_another_family(wine_csv, tmp_path):
    path = tmp_path / "tree.graphml"
    arguments = ("graph", wine_csv, "--drop", "target", "--graph", "mst", "--out", path)
    assert run_json(*arguments)["n_edges"] == 12
    assert run(*arguments, "--quiet").output == ""


def test_the_file_is_asked_for_and_checked(wine_csv, tmp_path):
    assert run("graph", wine_csv).exit_code == 2
    result = run("graph", wine_csv, "--out", tmp_path / "wine.png")
    assert result.exit_code == 2
    assert "end the name in .graphml, .csv, .tsv or .parquet" in result.stderr


def test_measures_without_a_sign_have_no_correlation(wine_csv, tmp_path):
    path = tmp_path / "links.csv"
    arguments = ("graph", wine_csv, "--out", path, "--similarity", "mutual_information")
    found = run_json(*arguments)
    assert "correlation" not in found["strongest"][0]
    assert pl.read_csv(path).columns == ["source", "target", "weight"]
    found = run_json("graph", wine_csv, "--drop", "target", "--out", path)
    assert found["strongest"][0]["correlation"] > 0.86
    assert (
        "correlation 0.86" in run("graph", wine_csv, "--drop", "target", "--out", path).stdout
    )


def test_communities_are_written_and_printed(tmp_path):
    table, path = tmp_path / "t.csv", tmp_path / "t.graphml"
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(300, 3)), 6, axis=1) + rng.normal(size=(300, 18))
    names = [f"c{i}" for i in range(18)]
    pl.DataFrame(X, schema=names).write_csv(table)
    found = run_json("graph", table, "--communities", "--out", path)
    graph = TopologicalFeatureSelector(graph="tmfg").fit(X).graph_
    community = graph.communities()
    expected = [[names[i] for i in np.flatnonzero(community == k)] for k in range(3)]
    assert found["communities"] == expected
    nodes = networkx.read_graphml(path).nodes(data=True)
    assert {data["label"]: data["community"] for _, data in nodes} == {
        name: community[i] for i, name in enumerate(names)
    }
    path = tmp_path / "t.csv.parquet"
    printed = run("graph", table, "--communities", "--out", path).stdout
    assert "community 2: " + ", ".join(expected[2]) in printed
    links = pl.read_parquet(path)
    for end in ("source", "target"):
        by_name = dict(zip(links[end], links[f"{end}_community"], strict=True))
        assert by_name == {name: community[names.index(name)] for name in by_name}


def test_communities_of_another_graph_are_refused(wine_csv, tmp_path):
    path = tmp_path / "tree.graphml"
    result = run("graph", wine_csv, "--graph", "mst", "--communities", "--out", path)
    assert result.exit_code == 2
    assert_tells(result.stderr, "14 nodes", "13 edges", "--graph tmfg")
    assert not path.exists()


def test_the_bootstrap_is_that_of_python(wine_csv, tmp_path):
    X = load_wine(as_frame=True).data
    expected = network_stability(
        TopologicalFeatureSelector(graph="tmfg"), X, n_resamples=20, random_state=5
    )
    path = tmp_path / "links.csv"
    arguments = ("graph", wine_csv, "--drop", "target", "--out", path, "--bootstrap", "20")
    found = run_json(*arguments, "--seed", "5")
    bootstrap, edges = found["bootstrap"], expected.intervals["edge"]
    assert (found["seed"], bootstrap["n_resamples"]) == (5, 20)
    assert bootstrap["case_dropping"] == expected.coefficient
    assert bootstrap["dropped"] == expected.dropped.tolist()
    names = [(edge["source"], edge["target"]) for edge in bootstrap["edges"]]
    assert names == [tuple(X.columns[pair]) for pair in expected.edges]
    assert [edge["lower"] for edge in bootstrap["edges"]] == edges.lower.tolist()
    strength = bootstrap["centralities"]["strength"]
    assert [one["column"] for one in strength] == list(X.columns)
    assert [one["upper"] for one in strength] == expected.intervals["strength"].upper.tolist()
    links = pl.read_csv(path)
    assert links["upper"].to_list() == edges.upper.tolist()
    assert links["frequency"].to_list() == expected.frequency.tolist()
    printed = run(*arguments).stdout
    assert "20 bootstrap samples" in printed
    assert "strength 75%" in printed
    graphml = tmp_path / "links.graphml"
    run_json("graph", wine_csv, "--drop", "target", "--out", graphml, "--bootstrap", "20")
    edge = next(iter(networkx.read_graphml(graphml).edges(data=True)))[2]
    assert set(edge) == {"weight", "correlation", "lower", "upper", "frequency"}


def test_a_bad_bootstrap_is_refused_before_anything_is_written(wine_csv, tmp_path):
    path = tmp_path / "g.graphml"
    result = run("graph", wine_csv, "--out", path, "--bootstrap", "19")
    assert result.exit_code == 2
    assert "--bootstrap" in result.stderr
    result = run("graph", wine_csv, "--out", path, "--bootstrap", "20", "--jobs", "0")
    assert result.exit_code == 2
    assert not path.exists()


def test_rows_in_time_order_are_drawn_in_blocks(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 5)).cumsum(axis=0)
    table, path = tmp_path / "t.csv", tmp_path / "links.csv"
    frame = pl.DataFrame(X, schema=list("abcde")).with_columns(day=pl.Series(range(60)))
    frame.write_csv(table)
    found = run_json("graph", table, "--time", "day", "--bootstrap", "20", "--out", path)
    selector = TopologicalFeatureSelector(graph="tmfg", similarity=Pearson(rows="ordered"))
    expected = network_stability(selector, X, n_resamples=20, splits="blocks", random_state=0)
    assert found["bootstrap"]["case_dropping"] == expected.coefficient
    assert pl.read_csv(path)["lower"].to_list() == pytest.approx(
        expected.intervals["edge"].lower.tolist()
    )
