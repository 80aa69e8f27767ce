"""``topofs select`` on real datasets: the columns of the estimator, from CSV and Parquet."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.cli.running import run_json
from topofs import Coverage, TopologicalFeatureSelector
from topofs.io.arrays import read_mat


def names(summary):
    return {column["name"] for column in summary["selected"]}


def selected_by_estimator(X, *arguments, **options):
    return set(TopologicalFeatureSelector(*arguments, **options).fit(X).get_feature_names_out())


@pytest.mark.parametrize(
    ("name", "ending"),
    [("lung_small", "csv"), ("colon", "parquet"), ("Yale", "csv"), ("warpAR10P", "parquet")],
)
def test_a_dataset_in_either_format_gives_the_columns_of_the_estimator(
    shared_datasets, tmp_path, name, ending
):
    dataset = read_mat(shared_datasets / f"{name}.mat")
    columns = [f"f{i}" for i in range(dataset.X.shape[1])]
    frame = pl.DataFrame(np.asarray(dataset.X), schema=columns)
    labelled = frame.insert_column(7, pl.Series("label", dataset.y))
    path = tmp_path / f"{name}.{ending}"
    labelled.write_csv(path) if ending == "csv" else labelled.write_parquet(path)
    X = pd.DataFrame(np.asarray(dataset.X, dtype=float), columns=columns)
    X = X.loc[:, X.nunique() > 1]

    plain = run_json("select", path, "-k", "20", "--target", "label")
    assert names(plain) == selected_by_estimator(X, 20)
    assert plain["passed_through"] == ["label"]
    strict = run_json(
        *("select", path, "-k", "20", "--target", "label"),
        *("--keep", X.columns[3], "--drop", X.columns[5], "--ties", "index"),
    )
    expected = selected_by_estimator(
        X.drop(columns=X.columns[5]), 20, keep=[X.columns[3]], rule=Coverage(ties="index")
    )
    assert names(strict) == expected

    auto = run_json("select", path, "--target", "label")
    assert names(auto) == selected_by_estimator(X)
    paper = run_json("select", path, "--target", "label", "-k", "20", "--paper")
    published = TopologicalFeatureSelector.paper(20).fit(X)
    assert names(paper) == set(published.get_feature_names_out())
