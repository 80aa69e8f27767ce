"""AnnData files on the command line."""

import gzip
import shutil
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from tests.cli.running import run, run_json
from tests.matrices import factor_table
from topofs import TopologicalFeatureSelector
from topofs.io import ColumnRoles
from topofs.io.annotated import open_annotated
from topofs.io.comparable import comparable_table

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    anndata = pytest.importorskip("anndata")

N_CELLS, N_GENES = 120, 30

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")


@pytest.fixture(scope="module")
def counts():
    values = np.floor(np.exp(factor_table(N_CELLS, N_GENES) / 2))
    values[:, 4] = 0.0
    return pd.DataFrame(values, columns=[f"g{i}" for i in range(N_GENES)])


@pytest.fixture(scope="module")
def adata(counts):
    cells = [f"cell{i}" for i in range(N_CELLS)]
    obs = pd.DataFrame(
        {
            "kind": pd.Categorical(np.where(counts["g0"] > 1, "high", "low")),
            "hour": np.arange(N_CELLS)[::-1],
        },
        index=cells,
    )
    made = anndata.AnnData(
        sparse.csr_matrix(counts.to_numpy()), obs=obs, var=pd.DataFrame(index=counts.columns)
    )
    made.layers["log"] = np.log1p(counts.to_numpy())
    return made


@pytest.fixture
def path(adata, tmp_path):
    path = tmp_path / "cells.h5ad"
    adata.write_h5ad(path)
    return path


@pytest.fixture
def csv(counts, tmp_path):
    path = tmp_path / "cells.csv"
    counts.to_csv(path, index=False)
    return path


def names(found):
    return [column["name"] for column in found["selected"]]


def test_the_same_columns_as_from_a_plain_file(path, csv):
    found, plain = run_json("select", path), run_json("select", csv)
    assert names(found) == names(plain)
    assert found["coverage"] == pytest.approx(plain["coverage"])
    assert found["n_features"] == plain["n_features"] == N_GENES - 1
    reasons = {column["name"]: column["reason"] for column in found["left_out"]}
    assert reasons == {
        "g4": "constant",
        "kind": "annotation of the rows",
        "hour": "annotation of the rows",
    }
    assert "kind" not in run("select", path).stderr


def test_the_matrix_stays_sparse(path, monkeypatch):
    matrix = sparse.csc_matrix

    def refuse(*_, **__):
        raise AssertionError("densified")

    monkeypatch.setattr(matrix, "toarray", refuse)
    monkeypatch.setattr(matrix, "todense", refuse)
    assert run_json("select", path, "-k", 3)["n_selected"] == 3


def test_files_that_hold_nothing_under_a_name_are_read(adata, tmp_path):
    # So `scanpy.pp.log1p` leaves them.
    logs = adata.copy()
    logs.uns["log1p"] = {"base": None}
    logs.write_h5ad(tmp_path / "logs.h5ad")
    out = tmp_path / "smaller.h5ad"
    assert run_json("select", tmp_path / "logs.h5ad", "-k", 3, "--out", out)["n_selected"] == 3
    assert anndata.read_h5ad(out).uns["log1p"] == {"base": None}


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix, np.asarray])
def test_the_matrix_is_held_once_and_written_as_it_lay(adata, tmp_path, kind):
    path, out = tmp_path / "cells.h5ad", tmp_path / "fewer.h5ad"
    made = adata.copy()
    made.X = kind(adata.X.toarray())
    made.write_h5ad(path)
    table = open_annotated(path, "cells", layer=None, limit=2**30)
    assert (table.annotated.X is None) == (kind is sparse.csr_matrix)
    run("select", path, "-k", 3, "--out", out)
    fewer = anndata.read_h5ad(out)
    assert type(fewer.X) is type(made.X)
    expected = made[:, fewer.var_names].X
    np.testing.assert_array_equal(*(sparse.csr_array(X).toarray() for X in (fewer.X, expected)))


def test_genes_that_are_never_seen_are_left_out_without_a_copy(adata, tmp_path):
    made = adata.copy()
    made.X = made.X.multiply(np.arange(made.n_vars) > 2).tocsr()
    made.X.eliminate_zeros()
    made.write_h5ad(tmp_path / "cells.h5ad")
    table = open_annotated(tmp_path / "cells.h5ad", "cells", layer=None, limit=2**30)
    # The constant one is stored.
    compared = comparable_table(table, ColumnRoles(keep=("g4",)), measure=None)
    assert np.shares_memory(compared.X.data, table.matrix.data)
    assert len(compared.names) == table.matrix.shape[1] - 3
    used = [table.genes.index(name) for name in compared.names]
    np.testing.assert_array_equal(compared.X.toarray(), table.matrix[:, used].toarray())


def test_a_layer(path, counts):
    found = run_json("select", path, "--layer", "log", "-k", 5)
    logs = np.log1p(counts.drop(columns="g4"))
    selector = TopologicalFeatureSelector(5).fit(logs)
    assert set(names(found)) == set(selector.get_feature_names_out())


def test_the_reduced_object_is_written(path, tmp_path):
    out = tmp_path / "smaller.h5ad"
    found = run_json("select", path, "-k", 4, "--out", out, "--keep", "g3")
    reduced = anndata.read_h5ad(out)
    ranks = {column["name"]: column["rank"] for column in found["selected"]}
    assert set(reduced.var_names) == set(ranks)
    assert sparse.issparse(reduced.X)
    assert reduced.var["rank"].to_dict() == ranks
    assert reduced.var["selected"].all()
    assert list(reduced.var["representative"]) == list(reduced.var_names)
    assert list(reduced.obs.columns) == ["kind", "hour"]
    assert "log" in reduced.layers


def test_a_plain_table_is_written_of_the_selected(path, tmp_path, counts):
    out = tmp_path / "smaller.csv"
    assert run("select", path, "-k", 3, "--out", out, "--target", "kind").exit_code == 0
    frame = pd.read_csv(out)
    assert list(frame)[-1] == "kind"
    genes = list(frame)[:-1]
    assert len(genes) == 3
    assert (frame[genes].to_numpy() == counts[genes].to_numpy()).all()


def test_the_other_files_are_written(path, tmp_path):
    files = [tmp_path / name for name in ("r.csv", "g.graphml", "page.html")]
    ranking, graph, page = files
    given = ("--ranking", ranking, "--graph-out", graph, "--report", page)
    result = run("select", path, *given)
    assert result.exit_code == 0, result.output
    assert all(file.stat().st_size for file in files)


@pytest.mark.parametrize(
    "arguments",
    [
        ("groups", "-k", 3),
        ("explain", "g1"),
        ("explain", "hour"),
        ("panel", "--panel", "g1", "--panel", "g2*"),
        ("stability", "--resamples", 3),
        ("stability", "--resamples", 3, "--time", "hour"),
        ("compare", "--target", "kind", "--sizes", "3"),
        ("compare", "--target", "g1", "--sizes", "3", "--time", "hour"),
        ("select", "--similarity", "spearman"),
    ],
)
def test_every_command_reads_them(path, arguments):
    command, *options = arguments
    if command == "explain":
        column, *options = options
        assert run_json(command, path, column, *options)["feature"] == column
    else:
        assert run_json(command, path, *options)["table"] == "cells.h5ad"


def test_the_network_of_genes(path, tmp_path):
    assert run_json("graph", path, "--out", tmp_path / "g.csv")["n_nodes"] == N_GENES - 1


def test_packed_and_under_another_name(path, tmp_path):
    packed = tmp_path / "cells.bin"
    with path.open("rb") as plain, gzip.open(packed, "wb") as file:
        shutil.copyfileobj(plain, file)
    assert names(run_json("select", packed)) == names(run_json("select", path))


def refused(*arguments):
    result = run(*arguments)
    assert len(result.stderr.splitlines()) == 1, result.stderr
    return result.exit_code, result.stderr


def test_bad_files_get_a_sentence(tmp_path, path, adata):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "plain.h5", "w") as file:
        file["x"] = [1, 2]
    status, said = refused("select", tmp_path / "plain.h5")
    assert (status, "this is an HDF5 file" in said) == (3, True)
    (tmp_path / "cut.h5ad").write_bytes(path.read_bytes()[:3000])
    status, said = refused("select", tmp_path / "cut.h5ad")
    assert (status, "the AnnData file cannot be read" in said) == (3, True)
    twice = adata.copy()
    twice.var_names = ["g", *adata.var_names[:-2], "g"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twice.write_h5ad(tmp_path / "twice.h5ad")
    status, said = refused("select", tmp_path / "twice.h5ad")
    assert (status, "gene names twice" in said) == (3, True)
    empty = anndata.AnnData(obs=adata.obs, var=adata.var, layers={"log": adata.layers["log"]})
    empty.write_h5ad(tmp_path / "empty.h5ad")
    status, said = refused("select", tmp_path / "empty.h5ad")
    assert (status, "has no X: give --layer" in said) == (3, True)
    assert run("select", tmp_path / "empty.h5ad", "--layer", "log").exit_code == 0
    wrong = adata.copy()
    wrong.X[3, 7] = np.inf
    wrong.write_h5ad(tmp_path / "wrong.h5ad")
    status, said = refused("select", tmp_path / "wrong.h5ad")
    assert (status, "'g7' holds a missing or infinite value" in said) == (3, True)


def test_bad_options_get_a_sentence(path, csv, tmp_path):
    for arguments, words in (
        (("select", path, "--layer", "lgo"), "has no layer 'lgo'; there are 'log'"),
        (("select", csv, "--layer", "log"), "cells.csv is no AnnData file, and has no layers"),
        (("select", csv, "--out", tmp_path / "x.h5ad"), "only what is read from an .h5ad file"),
        (("select", path, "--keep", "kind"), "--keep: the column 'kind' is annotation"),
        (("groups", path, "--out", tmp_path / "x.h5ad"), "cannot write .h5ad"),
    ):
        status, said = refused(*arguments)
        assert (status, words in said) == (2, True), said


def test_without_anndata_the_extra_is_named(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", None)
    status, said = refused("select", path)
    assert status == 2
    assert "needs the package 'anndata': pip install 'topofs[anndata]'" in " ".join(
        said.split()
    )
