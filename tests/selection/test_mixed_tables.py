"""Tables with text, categories and booleans go through the estimator as they are."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from tests.messages import assert_tells
from topofs import (
    ConstantFeatureWarning,
    IdentifierFeatureWarning,
    TopologicalFeatureSelector,
    mixed,
)
from topofs.io.types import typed_table

pytestmark = pytest.mark.usefixtures("both_ways")


def frame(n_samples=200, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n_samples)
    town = rng.choice(["Ulm", "Bonn", "Kiel"], n_samples)
    warmth = pd.Series(town).map({"Ulm": 1.0, "Bonn": 2.0, "Kiel": 3.0}).to_numpy()
    return pd.DataFrame(
        {
            "size": z,
            "mass": z + 0.3 * rng.normal(size=n_samples),
            "town": town,
            "warmth": warmth + 0.2 * rng.normal(size=n_samples),
            "large": z > 0,
            "grade": pd.Categorical(
                np.digitize(z, [-1, 0, 1]), categories=[0, 1, 2, 3], ordered=True
            ),
            "noise": rng.normal(size=n_samples),
        },
        index=range(100, 100 + n_samples),
    )


def as_polars(table):
    columns = {name: table[name].tolist() for name in table if name != "grade"}
    grade = pl.Series([str(g) for g in table["grade"]], dtype=pl.Enum(list("0123")))
    return pl.DataFrame(columns | {"grade": grade}).select(table.columns.tolist())


@pytest.mark.parametrize("container", [lambda table: table, as_polars])
def test_the_measure_is_chosen_and_the_columns_stay_as_they_are(container):
    table = container(frame())
    selector = TopologicalFeatureSelector().fit(table)
    assert selector.get_feature_names_out().tolist() == ["size", "town"]
    assert [m.name for m in selector.groups_[0].members] == ["grade", "mass", "large"]
    assert [m.name for m in selector.groups_[1].members] == ["warmth"]
    assert selector.isolated_.tolist() == [6]
    out = selector.transform(table)
    assert type(out) is type(table)
    assert list(out.columns) == ["size", "town"]
    assert [out[c].dtype for c in out.columns] == [table[c].dtype for c in out.columns]
    weights = selector.graph_.weights
    i, j = selector.graph_.edges.T
    np.testing.assert_array_equal(weights, mixed(table)[i, j])


@pytest.mark.parametrize("container", [lambda table: table, as_polars])
@pytest.mark.parametrize(
    ("output", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
def test_the_output_is_what_was_asked_for(container, output, kind):
    table = container(frame())
    selector = TopologicalFeatureSelector().set_output(transform=output)
    out = selector.fit_transform(table)
    assert isinstance(out, kind)
    assert list(out.columns) == ["size", "town"]
    assert list(out["town"]) == frame()["town"].tolist()
    np.testing.assert_array_equal(np.asarray(out["size"]), frame()["size"])
    if output == "pandas" and isinstance(table, pd.DataFrame):
        assert out.index.equals(table.index)


def test_both_libraries_give_the_same_answer():
    table = frame()
    pandas = TopologicalFeatureSelector().fit(table)
    polars = TopologicalFeatureSelector().fit(as_polars(table))
    np.testing.assert_array_equal(pandas.ranking_, polars.ranking_)
    assert pandas.graph_ == polars.graph_


def test_numbers_alone_stay_with_pearson():
    table = frame()[["size", "mass", "warmth", "noise"]]
    selector = TopologicalFeatureSelector(2).fit(table)
    expected = TopologicalFeatureSelector(2, similarity="pearson").fit(table)
    assert selector.graph_ == expected.graph_
    assert isinstance(selector.transform(table), np.ndarray)
    ranks = TopologicalFeatureSelector(2, similarity="mixed").fit(table)
    assert ranks.graph_ != expected.graph_
    assert isinstance(ranks.transform(table), np.ndarray)


def test_an_array_of_objects_is_mixed_when_asked():
    table = frame()
    values = table[["size", "mass", "town", "warmth"]].to_numpy(dtype=object)
    selector = TopologicalFeatureSelector(similarity="mixed").fit(values)
    assert selector.n_features_ == 2
    assert selector.transform(values).shape == (200, 2)
    with pytest.raises(ValueError, match="column 'x2' holds text"):
        TopologicalFeatureSelector().fit(values)


def test_identifiers_are_left_out_with_a_warning():
    table = frame().assign(
        id=[f"r{i}" for i in range(200)], key=[f"k{i % 100}" for i in range(200)]
    )
    with pytest.warns(IdentifierFeatureWarning) as caught:
        selector = TopologicalFeatureSelector(2).fit(table)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert_tells(caught[0].message, "2 of 9", "names", "id", "identifier", "key", "5 rows")
    assert selector.ranking_[[7, 8]].tolist() == [8, 9]
    assert selector.get_feature_names_out().tolist() == ["size", "town"]
    assert "names that hardly repeat" in str(selector.explain("id"))


def test_constants_and_identifiers_each_have_their_warning():
    table = frame().assign(id=[f"r{i}" for i in range(200)], one="x", empty=None)
    with (
        pytest.warns(ConstantFeatureWarning, match="2 of 10 columns .*: one, empty"),
        pytest.warns(IdentifierFeatureWarning, match="1 of 10 columns"),
    ):
        TopologicalFeatureSelector().fit(table)


def test_nothing_to_compare_is_refused():
    table = pd.DataFrame({"id": list("abcdef"), "one": ["x"] * 6})
    with (
        pytest.warns(IdentifierFeatureWarning),
        pytest.raises(ValueError, match="all 2 columns .* names"),
    ):
        TopologicalFeatureSelector().fit(table)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, "a"] * 100, "column 'bad' mixes numbers and text: convert it to one type"),
        ([[1, 2]] * 200, "column 'bad' holds nested values: spread it over columns"),
    ],
)
def test_columns_of_no_use_are_named_in_one_line(values, message):
    table = frame().reset_index(drop=True).assign(bad=values)
    with pytest.raises(ValueError, match=message) as caught:
        TopologicalFeatureSelector().fit(table)
    assert "\n" not in str(caught.value)


def test_another_table_must_have_the_same_columns():
    table = frame()
    selector = TopologicalFeatureSelector().fit(table)
    with pytest.raises(ValueError, match="feature names should match"):
        selector.transform(table[table.columns[::-1]])
    with pytest.raises(ValueError, match="feature names should match"):
        selector.transform(table.drop(columns="noise"))
    assert selector.transform(table.iloc[:3]).shape == (3, 2)


def test_in_a_pipeline_before_the_encoding():
    table = frame()
    y = (table["size"] > 0.5).astype(int)
    encode = make_column_transformer((OneHotEncoder(), ["town"]), remainder="passthrough")
    pipeline = make_pipeline(TopologicalFeatureSelector(), encode, LogisticRegression())
    assert pipeline.fit(table, y).score(table, y) > 0.9


def test_degree_ranks_mixed_tables_too():
    selector = TopologicalFeatureSelector(2, rule="degree").fit(frame())
    assert selector.n_features_ == 2
    assert (
        list(selector.transform(frame()).columns) == selector.get_feature_names_out().tolist()
    )


@pytest.mark.filterwarnings("ignore::topofs.NoStructureWarning")
def test_a_typed_table_brings_its_own_names():
    selector = TopologicalFeatureSelector(2).fit(frame())
    other = typed_table(frame().drop(columns=["noise", "size"]))
    selector.fit(other)
    assert tuple(selector.feature_names_in_) == other.names
    assert set(selector.get_feature_names_out()) <= set(other.names)
    assert selector.graph_.labels == other.names
    selector.fit(frame()[["size", "mass", "warmth"]].to_numpy())
    assert not hasattr(selector, "feature_names_in_")
    assert selector.graph_.labels == ("x0", "x1", "x2")
