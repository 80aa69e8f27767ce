"""Whether a column of names can be compared: what is missing changes nothing about it."""

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.running import run_json
from topofs import IdentifierFeatureWarning, TopologicalFeatureSelector
from topofs.io.types import HARDLY_REPEATS, Column, usable_columns, why_left_out

N = 400


def column(levels, *, n_missing=0):
    values = np.array([*levels, *[np.nan] * n_missing], dtype=float)
    return Column("c", nominal=True, values=values)


def plainly_usable(levels):
    """The rule in other words, for values that are there."""
    counts = Counter(levels)
    if len(counts) <= 2:
        return len(counts) == 2
    return 2 * len(counts) <= len(levels) and max(counts.values()) >= 5


@settings(max_examples=200, deadline=None)
@given(
    levels=st.lists(st.integers(0, 8), min_size=3, max_size=40),
    n_missing=st.integers(0, 60),
)
def test_missing_values_do_not_make_names_repeat(levels, n_missing):
    usable = bool(usable_columns([column(levels, n_missing=n_missing)])[0])
    if len(set(levels)) > 2:
        assert usable == plainly_usable(levels)
    else:
        # There or not there is something that can be compared.
        assert usable == (len(set(levels)) == 2 or n_missing > 0)


@pytest.mark.parametrize("n_missing", [0, 1, 6, 5000])
def test_names_that_hardly_repeat(n_missing):
    levels = [*range(4990), *[4990] * 10]
    assert why_left_out(column(levels, n_missing=n_missing)) == HARDLY_REPEATS


def customers():
    rng = np.random.default_rng(0)
    plan = rng.choice(["basic", "silver", "gold"], N)
    email = np.array([f"user{i}@mail.com" for i in range(N)], dtype=object)
    email[[3, 50, 77, 120, 200, 399]] = None
    note = np.array([f"called on {i}, wants {i * 7 % 13}" for i in range(N)], dtype=object)
    note[rng.random(N) < 0.6] = None
    return pd.DataFrame(
        {
            "email": email,
            "note": note,
            "plan": plan,
            "price": np.select([plan == "gold", plan == "silver"], [30, 20], 10)
            + rng.random(N),
            "visits": rng.poisson(5, N),
        }
    )


def blanks(frame):
    return frame.fillna({"email": "", "note": " "})


FORMS = {
    "pandas": customers,
    "blanks": lambda: blanks(customers()),
    "polars": lambda: pl.from_pandas(customers()),
    "polars blanks": lambda: pl.from_pandas(blanks(customers())),
    "objects": lambda: customers().to_numpy(),
    "list": lambda: blanks(customers()).to_numpy().tolist(),
}


@pytest.mark.parametrize("form", FORMS)
def test_addresses_and_free_text_with_gaps_take_no_part(form):
    with pytest.warns(
        IdentifierFeatureWarning,
        match=r"2 of 5 columns .*: (email|x0) \(names that .*, (note|x1) \(",
    ):
        fitted = TopologicalFeatureSelector(similarity="mixed").fit(FORMS[form]())
    assert fitted.nodes_.tolist() == [2, 3, 4]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("fill", [customers, lambda: blanks(customers())])
def test_nor_from_a_file(tmp_path, ending, fill):
    path = tmp_path / f"t.{ending}"
    frame = pl.from_pandas(fill())
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    found = run_json("select", path)
    assert found["left_out"] == [
        {"name": "email", "reason": HARDLY_REPEATS},
        {"name": "note", "reason": HARDLY_REPEATS},
    ]
