"""Columns by name after the fit, columns put back, and warnings where a person fits."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from tests.matrices import factor_table
from topofs import (
    ConstantFeatureWarning,
    IdentifierFeatureWarning,
    InfiniteFeatureSelector,
    TopologicalFeatureSelector,
    tmfg_from_data,
)
from topofs.io import NamedArray

NAMES = list("abcdefgh")
BOTH = pytest.mark.parametrize(
    "estimator", [TopologicalFeatureSelector, InfiniteFeatureSelector]
)


def numbers():
    return pd.DataFrame(factor_table(60, 8), columns=NAMES)


@BOTH
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_pick_takes_columns_by_name(estimator, library):
    frame = numbers()
    selector = estimator(3).fit(frame)
    names = selector.get_feature_names_out().tolist()
    table = frame.assign(more="x")[["more", *reversed(names)]]
    table = table if library == "pandas" else pl.DataFrame(table.to_dict("list"))
    picked = selector.pick(table)
    assert list(picked.columns) == names
    np.testing.assert_array_equal(picked.to_numpy(), frame[names].to_numpy())
    np.testing.assert_array_equal(picked.to_numpy(), selector.transform(frame))


def test_pick_takes_names_and_lazy_frames():
    dd = pytest.importorskip("dask.dataframe")
    anndata = pytest.importorskip("anndata")
    frame = numbers().assign(town=np.where(np.arange(60) % 3, "Ulm", "Bonn"))
    selector = TopologicalFeatureSelector(3, keep=["town"]).fit(frame)
    names = selector.get_feature_names_out().tolist()
    lazy = selector.pick(dd.from_pandas(frame[frame.columns[::-1]], npartitions=2))
    assert list(lazy.columns) == names
    plain = TopologicalFeatureSelector(3).fit(numbers())
    cells = anndata.AnnData(numbers()[NAMES[::-1]].rename(index=str))
    assert list(plain.pick(cells).var_names) == plain.get_feature_names_out().tolist()


@BOTH
def test_pick_refuses_what_has_no_such_columns(estimator):
    frame = numbers()
    selector = estimator(3).fit(frame)
    first = selector.get_feature_names_out()[0]
    with pytest.raises(ValueError, match=f"X lacks 1 of the 3 selected columns: {first}$"):
        selector.pick(frame.drop(columns=first))
    with pytest.raises(TypeError, match="X is a ndarray, whose columns have no names"):
        selector.pick(frame.to_numpy())
    with pytest.raises(ValueError, match="fitted to a table without names"):
        estimator(3).fit(frame.to_numpy()).pick(frame)


@BOTH
def test_transform_tells_of_pick(estimator):
    frame = numbers()
    selector = estimator(3).fit(frame)
    for other in (frame[NAMES[::-1]], frame[NAMES[:5]]):
        with pytest.raises(ValueError, match=r"names should match[^$]*\npick\(X\) takes the"):
            selector.transform(other)
    with_names = frame.assign(town=np.where(np.arange(60) % 3, "Ulm", "Bonn"))
    selector = TopologicalFeatureSelector(3).fit(with_names)
    with pytest.raises(ValueError, match=r"\npick\(X\) takes the selected columns by name"):
        selector.transform(with_names[with_names.columns[::-1]])


@BOTH
def test_columns_are_put_back_or_a_sentence_says_why_not(estimator):
    frame = numbers()
    selector = estimator(3).fit(frame)
    back = selector.inverse_transform(selector.transform(frame))
    np.testing.assert_array_equal(back, frame.to_numpy() * selector.support_)
    with pytest.raises(ValueError, match="X has 8 columns, and 3 are selected: give what"):
        selector.inverse_transform(frame)


def test_names_cannot_be_put_back():
    frame = numbers().assign(town=np.where(np.arange(60) % 3, "Ulm", "Bonn"))
    selector = TopologicalFeatureSelector(3, keep=["town"]).fit(frame)
    with pytest.raises(ValueError, match="column 'town' holds text, and the columns that were"):
        selector.inverse_transform(selector.transform(frame))


@pytest.mark.parametrize("n_jobs", [1, 2])
@BOTH
def test_a_search_warns_once(estimator, n_jobs):
    X = numbers().assign(none=1.0, rare=np.arange(60) == 7)
    X["rare"] = X["rare"].astype(float)
    y = np.arange(60) % 2
    pipeline = make_pipeline(estimator(2), KNeighborsClassifier())
    grid = {f"{estimator.__name__.lower()}__n_features_to_select": [1, 2, 3]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        GridSearchCV(pipeline, grid, cv=3, n_jobs=n_jobs).fit(X, y)
        assert [warning.category for warning in caught] == [ConstantFeatureWarning]
        assert "1 of 10 columns are constant" in str(caught[0].message)
        cross_val_score(pipeline, X, y, cv=3)
    assert len(caught) == 1


def test_a_fit_of_ones_own_always_warns():
    frame = numbers().assign(id=[f"S{i}" for i in range(60)])
    for _ in range(2):
        with pytest.warns(IdentifierFeatureWarning) as caught:
            TopologicalFeatureSelector(2).fit(frame)
        assert caught[0].filename == __file__


def test_a_fit_without_names_transforms_sparse_frames_by_position():
    X = np.where(factor_table(60, 4) > 0, factor_table(60, 4), 0.0)
    selector = TopologicalFeatureSelector(2).fit(X)
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.csc_array(X), columns=list("abcd"))
    np.testing.assert_array_equal(selector.transform(frame).to_numpy(), X[:, selector.support_])
    with pytest.raises(ValueError, match="X has 3 columns; the selector was fitted on 4"):
        selector.transform(frame.iloc[:, :3])


def test_a_given_similarity_keeps_its_names():
    similarity = np.square(np.corrcoef(factor_table(60, 4), rowvar=False))
    names = tuple("abcd")
    found = TopologicalFeatureSelector(2, similarity="precomputed").fit(
        NamedArray(similarity, names)
    )
    framed = TopologicalFeatureSelector(2, similarity="precomputed").fit(
        pd.DataFrame(similarity, columns=list(names))
    )
    assert list(found.get_feature_names_out()) == list(framed.get_feature_names_out())


def test_arrow_tables_have_names():
    X = factor_table(60, 4)
    frame = pl.DataFrame(X, schema=list("abcd"))
    selector = TopologicalFeatureSelector(2).fit(frame.to_arrow())
    chosen = [name for name, there in zip("abcd", selector.support_, strict=True) if there]
    assert selector.pick(frame.to_arrow().select(["d", "c", "b", "a"])).columns == chosen
    with pytest.raises(ValueError, match="feature names should match"):
        selector.transform(frame.select("d", "c", "b", "a").to_arrow())
    assert tmfg_from_data(frame.to_arrow()).labels == tuple("abcd")
