"""AnnData objects and sparse matrices with names: the same columns as from the frame."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from topofs import TopologicalFeatureSelector


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(0)
    base = rng.poisson(0.8, size=(150, 40)).astype(np.float32)
    for i in range(10):
        base[:, 10 + i] = base[:, i] + rng.poisson(0.3, 150)
    return pd.DataFrame(base, columns=[f"g{i}" for i in range(40)])


@pytest.fixture(scope="module")
def expected(counts):
    return TopologicalFeatureSelector(8).fit(counts)


def same(selector, expected):
    np.testing.assert_array_equal(selector.ranking_, expected.ranking_)
    names = selector.get_feature_names_out().tolist()
    assert names == expected.get_feature_names_out().tolist()


def annotated(counts, **more):
    anndata = pytest.importorskip("anndata", reason="the extra anndata is not installed")
    genes = pd.DataFrame(index=counts.columns)
    return anndata.AnnData(counts.to_numpy(), var=genes, **more)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_annotated_matrices_give_the_columns_of_the_frame(counts, expected, tmp_path):
    adata = annotated(counts, layers={"sparse": sparse.csr_matrix(counts.to_numpy())})
    for X, layer in (
        (adata, None),
        (adata, "sparse"),
        (adata[:, :], None),
        (adata.copy(), None),
    ):
        same(TopologicalFeatureSelector(8).fit(X, layer=layer), expected)
    sparsely = adata.copy()
    sparsely.X = sparse.csc_matrix(counts.to_numpy())
    selector = TopologicalFeatureSelector(8).fit(sparsely)
    same(selector, expected)
    assert (
        selector.transform(adata).var_names.tolist()
        == selector.get_feature_names_out().tolist()
    )
    selector.annotate(adata)
    np.testing.assert_array_equal(adata.var["selected"], selector.support_)
    np.testing.assert_array_equal(adata.var["rank"], selector.ranking_)
    position = int(np.flatnonzero(~selector.support_ & (selector.representative_ >= 0))[0])
    by = adata.var["representative"].iloc[position]
    assert by == counts.columns[selector.representative_[position]]
    rows = adata[:100]
    same(
        TopologicalFeatureSelector(8).fit(rows), TopologicalFeatureSelector(8).fit(counts[:100])
    )


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_annotated_matrices_that_cannot_be_used_get_a_sentence(counts, expected):
    adata = annotated(counts)
    with pytest.raises(ValueError, match="there is no layer 'raw'; there are none"):
        TopologicalFeatureSelector().fit(adata, layer="raw")
    with pytest.raises(ValueError, match="only AnnData objects have layers"):
        TopologicalFeatureSelector().fit(counts, layer="raw")
    with pytest.raises(ValueError, match="not those of the fit, or in another order: 'g39'"):
        expected.transform(adata[:, ::-1])
    with pytest.raises(ValueError, match="X has 5 columns; the selector was fitted on 40"):
        expected.annotate(adata[:, :5])


def test_sparse_matrices_take_names(counts, expected):
    matrix = sparse.csr_matrix(counts.to_numpy())
    selector = TopologicalFeatureSelector(8).fit(matrix, feature_names=counts.columns)
    same(selector, expected)
    reduced = selector.transform(matrix)
    assert sparse.issparse(reduced)
    np.testing.assert_array_equal(reduced.toarray(), counts.loc[:, selector.support_])
    with pytest.raises(ValueError, match="39 names for 40 columns"):
        TopologicalFeatureSelector().fit(matrix, feature_names=counts.columns[1:])
    with pytest.raises(ValueError, match="a name twice"):
        TopologicalFeatureSelector().fit(matrix, feature_names=["g"] * 40)


def test_a_sparse_frame_gives_a_sparse_frame(counts, expected):
    matrix = sparse.csr_matrix(counts.to_numpy())
    frame = pd.DataFrame.sparse.from_spmatrix(matrix, columns=counts.columns)
    selector = TopologicalFeatureSelector(8).fit(frame)
    same(selector, expected)
    reduced = selector.transform(frame)
    assert all(isinstance(dtype, pd.SparseDtype) for dtype in reduced.dtypes)
    assert reduced.columns.tolist() == selector.get_feature_names_out().tolist()
