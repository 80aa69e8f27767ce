"""The measure of "auto": decided by the columns that take part, whatever form the table has."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.matrices import factor_table
from tests.messages import assert_tells
from topofs import (
    Auto,
    ConstantFeatureWarning,
    IdentifierFeatureWarning,
    Mixed,
    Pearson,
    TopologicalFeatureSelector,
    stability,
)
from topofs.io import NamedArray, typed_table

NAMES = tuple("abcdefgh")


def numbers():
    return pd.DataFrame(factor_table(120, 8), columns=NAMES)


def with_identifier(frame, values=None):
    identifier = [f"S{i:04}" for i in range(len(frame))] if values is None else values
    return frame.assign(sample=identifier)[["sample", *frame.columns]]


def forms(frame):
    """The same table in every form that can hold names."""
    as_array = frame.to_numpy(dtype=object)
    return {
        "pandas": frame,
        "pandas categories": frame.astype({"sample": "category"}),
        "polars": pl.DataFrame(frame.to_dict("list")),
        "typed": typed_table(frame),
        "typed array": typed_table(as_array, names=tuple(frame.columns)),
    }


@pytest.mark.parametrize("squared", [True, False])
@pytest.mark.parametrize("form", forms(with_identifier(numbers())))
def test_an_identifier_decides_nothing(form, squared):
    frame = numbers()
    similarity = Auto(squared=squared)
    expected = TopologicalFeatureSelector(similarity=similarity).fit(frame)
    with pytest.warns(IdentifierFeatureWarning, match="1 of 9 columns .*: sample") as caught:
        found = TopologicalFeatureSelector(similarity=similarity).fit(
            forms(with_identifier(frame))[form]
        )
    assert [w.category for w in caught].count(IdentifierFeatureWarning) == 1
    assert found.similarity_ == expected.similarity_ == Pearson(squared=squared)
    assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert found.graph_ == expected.graph_
    assert found.feature_names_in_.tolist() == ["sample", *NAMES]
    np.testing.assert_array_equal(found.ranking_[1:], expected.ranking_)
    assert found.ranking_[0] == 9


def test_a_table_of_numbers_gives_pearson_in_every_form():
    frame = numbers()
    expected = TopologicalFeatureSelector(similarity="pearson").fit(frame)
    for table in (
        frame,
        pl.DataFrame(frame.to_dict("list")),
        frame.to_numpy(),
        frame.to_numpy().tolist(),
        NamedArray(frame.to_numpy(), NAMES),
        typed_table(frame),
    ):
        found = TopologicalFeatureSelector().fit(table)
        assert found.similarity_ == Pearson()
        np.testing.assert_array_equal(found.graph_.edges, expected.graph_.edges)
        np.testing.assert_array_equal(found.graph_.weights, expected.graph_.weights)
        np.testing.assert_array_equal(found.ranking_, expected.ranking_)


@pytest.mark.parametrize("form", ["pandas", "polars", "typed"])
@pytest.mark.parametrize(
    ("values", "warning"),
    [
        (["same"] * 120, ConstantFeatureWarning),
        ([None] * 120, ConstantFeatureWarning),
        # Every name twice: all of them are rare, and one level is left.
        ([f"S{i // 2:04}" for i in range(120)], IdentifierFeatureWarning),
    ],
    ids=["one name", "no name", "pairs"],
)
def test_other_names_that_take_no_part(form, values, warning):
    frame = numbers()
    expected = TopologicalFeatureSelector().fit(frame)
    with pytest.warns(warning):
        found = TopologicalFeatureSelector().fit(forms(with_identifier(frame, values))[form])
    assert found.similarity_ == Pearson()
    assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()


@pytest.mark.parametrize("form", ["pandas", "polars", "typed"])
def test_names_that_take_part_give_the_measure_of_names(form):
    frame = numbers()
    town = np.where(frame["a"] > 0, "Ulm", "Bonn")
    found = TopologicalFeatureSelector().fit(forms(with_identifier(frame, town))[form])
    assert found.similarity_ == Mixed()
    assert found.nodes_.tolist() == list(range(9))


def test_a_transformed_frame_has_its_columns():
    frame = with_identifier(numbers())
    with pytest.warns(IdentifierFeatureWarning):
        selector = TopologicalFeatureSelector(3, keep=["sample"]).fit(frame)
    names = selector.get_feature_names_out().tolist()
    assert names[0] == "sample"
    for table in (frame, pl.DataFrame(frame.to_dict("list"))):
        assert list(selector.transform(table).columns) == names
    plain = TopologicalFeatureSelector(3)
    with pytest.warns(IdentifierFeatureWarning):
        out = plain.fit_transform(frame)
    assert list(out.columns) == plain.get_feature_names_out().tolist()


def test_an_identifier_decides_nothing_in_resamples():
    frame = numbers()
    expected = stability(TopologicalFeatureSelector(), frame, n_resamples=6, random_state=0)
    for table in forms(with_identifier(frame)).values():
        found = stability(TopologicalFeatureSelector(), table, n_resamples=6, random_state=0)
        np.testing.assert_array_equal(found.frequency, [0.0, *expected.frequency])
        assert found.phi == pytest.approx(expected.phi, abs=0.05)


@pytest.mark.parametrize("similarity", ["auto", "mixed"])
def test_a_dask_frame_with_names_gets_a_sentence(similarity):
    frame = numbers()
    for values in (frame["a"] > 0, np.where(frame["a"] > 0, "Ulm", "Bonn")):
        lazy = dd.from_pandas(frame.assign(flag=values), npartitions=3)
        with pytest.raises(ValueError, match="numbers") as caught:
            TopologicalFeatureSelector(similarity=similarity).fit(lazy)
        assert_tells(caught.value, "X", f"similarity {similarity!r}", "memory", "X.compute()")


def test_a_dask_table_of_numbers_gives_pearson():
    frame = numbers().round(1)
    expected = TopologicalFeatureSelector().fit(frame)
    with dask.config.set(scheduler="synchronous"):
        for lazy in (
            dd.from_pandas(frame, npartitions=3),
            da.from_array(frame.to_numpy(), chunks=(40, 3)),
        ):
            found = TopologicalFeatureSelector().fit(lazy)
            assert found.similarity_ == Pearson()
            np.testing.assert_array_equal(found.ranking_, expected.ranking_)
        # By a measure of numbers, a boolean is 0 or 1, as in memory.
        flags = frame.assign(flag=frame["a"] > 0)
        found = TopologicalFeatureSelector(similarity="pearson").fit(
            dd.from_pandas(flags, npartitions=3)
        )
    expected = TopologicalFeatureSelector(similarity="pearson").fit(flags)
    np.testing.assert_array_equal(found.graph_.edges, expected.graph_.edges)


def test_auto_itself_says_what_both_measures_can():
    assert Auto().takes_names
    assert Auto().takes_sparse
    assert Auto().has_scale
    assert Auto(squared=False).for_table(np.ones((3, 2))) == Pearson(squared=False)
