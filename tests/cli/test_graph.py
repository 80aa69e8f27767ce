"""``topofs graph``: the network as a file."""

import networkx
import polars as pl
import pytest
from sklearn.datasets import load_wine

from tests.cli.running import run, run_json
from topofs import TopologicalFeatureSelector


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
    assert links.rows() == [
        (labels[i], labels[j], weight)
        for (i, j), weight in zip(
            expected.graph_.edges.tolist(), expected.graph_.weights.tolist(), strict=True
        )
    ]


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
