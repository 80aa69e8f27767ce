import tracemalloc
from importlib import import_module

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.naive.mixed import correlation_ratio, cramers_v_squared, spearman_squared
from topofs import IdentifierFeatureWarning, TopologicalFeatureSelector, mixed, spearman
from topofs.io.types import level_codes, read_columns, usable_columns
from topofs.similarity.base import dense
from topofs.similarity.mixed import mixed_operator
from topofs.similarity.noise_floor import degrees_floor

# The function of the same name hides the module.
mixed_columns = import_module("topofs.similarity.mixed")


def test_two_rows_have_no_links():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(2, 12)), columns=list("abcdefghijkl"))
    names = table.assign(name=["x", "y"], other=["u", "v"])
    operator = mixed_operator(read_columns(names))
    left, right = np.triu_indices(14, 1)
    assert (operator.floors(left, right) >= dense(operator)[left, right]).all()


def test_two_names_and_missing_ones_in_a_few_rows_vary():
    names = pd.DataFrame({"a": ["x", "y", None] * 4, "b": np.arange(12.0)})
    operator = mixed_operator(read_columns(names))
    assert (operator.spreads > 0).all()
    assert np.isfinite(dense(operator)).all()


def table(n_samples=120, seed=0):
    """Two numbers (one with ties), three names, an ordered category and a boolean."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n_samples)
    towns = np.array(["Ulm", "Bonn", "Kiel", "Jena"])
    town = towns[np.digitize(z + rng.normal(size=n_samples), [-1, 0, 1])]
    return pd.DataFrame(
        {
            "real": z,
            "whole": rng.integers(0, 5, n_samples) + np.rint(2 * z),
            "town": town,
            "region": np.where(np.isin(town, ["Ulm", "Jena"]), "south", "north"),
            "shop": pd.Categorical(rng.choice(list("xyz"), n_samples)),
            "grade": pd.Categorical(
                np.digitize(z, [-0.5, 0.5]), categories=[0, 1, 2], ordered=True
            ),
            "flag": z + rng.normal(size=n_samples) > 0,
        }
    )


NUMBERS = ["real", "whole", "grade"]
NAMES = ["town", "region", "shop", "flag"]


def direct(frame, i, j):
    x, y = (
        frame[c].cat.codes.to_numpy() if c == "grade" else frame[c].to_numpy() for c in (i, j)
    )
    if i in NUMBERS and j in NUMBERS:
        return spearman_squared(x, y)
    if i in NUMBERS:
        return correlation_ratio(x, y)
    if j in NUMBERS:
        return correlation_ratio(y, x)
    return cramers_v_squared(x, y)


@pytest.mark.parametrize("seed", range(5))
def test_all_kinds_of_pairs_follow_their_direct_formulas(seed):
    frame = table(seed=seed)
    found = mixed(frame, corrected=False)
    for a, i in enumerate(frame):
        for b, j in enumerate(frame):
            assert found[a, b] == pytest.approx(direct(frame, i, j), abs=1e-10), (i, j)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.diag(found), 1)


def test_the_correction_follows_its_formula():
    frame = table()
    plain, corrected = mixed(frame, corrected=False), mixed(frame)
    levels = {"town": 4, "region": 2, "shop": 3, "flag": 2}
    degrees = np.array([levels.get(name, 2) - 1 for name in frame])
    rest = degrees - degrees**2 / 119
    for i, d in enumerate(degrees):
        for j, e in enumerate(degrees):
            shared = plain[i, j] * min(d, e) - d * e / 119
            expected = 1 if i == j else max(0, shared / min(rest[i], rest[j]))
            assert corrected[i, j] == pytest.approx(expected, abs=1e-12)


def test_chance_gives_many_levels_no_advantage():
    rng = np.random.default_rng(0)
    few, many, other = [], [], []
    for _ in range(200):
        frame = pd.DataFrame(
            {
                "x": rng.normal(size=100),
                "two": rng.choice(["a", "b"], 100),
                "ten": rng.choice(list("abcdefghij"), 100),
            }
        )
        found = mixed(frame, corrected=False)
        few.append(found[0, 1])
        many.append(found[0, 2])
        other.append(mixed(frame)[0, 2])
    assert np.mean(many) > 5 * np.mean(few)
    assert np.mean(other) < 0.05


def test_numbers_alone_are_spearmans():
    X = np.random.default_rng(0).normal(size=(60, 300))
    np.testing.assert_allclose(
        mixed(X, corrected=False), spearman(X, squared=True), atol=1e-14, rtol=0
    )


def test_polars_and_pandas_agree():
    frame = table()
    other = pl.DataFrame(
        {
            "real": frame["real"].to_numpy(),
            "whole": frame["whole"].to_numpy().astype(int),
            "town": pl.Series(frame["town"].tolist(), dtype=pl.Categorical),
            "region": frame["region"].tolist(),
            "shop": frame["shop"].tolist(),
            "grade": pl.Series(
                [f"g{g}" for g in frame["grade"]], dtype=pl.Enum(["g0", "g1", "g2"])
            ),
            "flag": frame["flag"].tolist(),
        }
    )
    np.testing.assert_array_equal(mixed(other), mixed(frame))


def test_an_order_of_categories_counts_only_where_it_is_one():
    frame = table()[["real", "grade"]]
    ordered = mixed(frame, corrected=False)[0, 1]
    unordered = mixed(frame.assign(grade=frame["grade"].cat.as_unordered()), corrected=False)
    codes = frame["grade"].cat.codes.to_numpy()
    assert ordered == pytest.approx(spearman_squared(frame["real"], codes))
    assert unordered[0, 1] == pytest.approx(correlation_ratio(frame["real"], codes))


def test_a_missing_name_is_a_level_and_a_missing_number_the_middle_rank():
    x = [1.0, 2.0, 3.0, 4.0, 5.0, np.nan] * 3
    town = (["a", "b", None] * 6)[:18]
    frame = pd.DataFrame({"x": x, "y": range(18), "town": town})
    found = mixed(frame, corrected=False)
    # Each of the five values has three rows: average ranks 2, 5, 8, 11, 14 of 15; middle 8.
    filled = np.array([2, 5, 8, 11, 14, 8] * 3, dtype=float)
    assert found[0, 1] == pytest.approx(np.corrcoef(filled, range(18))[0, 1] ** 2)
    labels = np.array([name or "missing" for name in town])
    assert found[1, 2] == pytest.approx(correlation_ratio(range(18), labels))


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ([0] * 6 + [1] * 5, 2),
        ([0] * 6 + [1] * 2, 2),
        ([0] * 6 + [1] * 5 + [2] * 4, 3),
        ([0] * 6 + [1] * 2 + [2] * 2, 2),
        ([0] * 6 + [1] * 6 + [2, 3, 4], 3),
        ([0, 1, 2, 0, 1, 2], 1),
    ],
)
def test_rare_levels_are_merged(levels, expected):
    codes = level_codes(np.array(levels, dtype=float))
    assert sorted(set(codes)) == list(range(expected))


@pytest.mark.parametrize(("n_levels", "usable"), [(1000, True), (1001, False), (3000, False)])
def test_a_column_of_very_many_names_is_left_out(n_levels, usable):
    codes = np.random.default_rng(0).permutation(np.repeat(np.arange(n_levels), 5))
    frame = pd.DataFrame({"size": codes % 7, "name": [f"n{code}" for code in codes]})
    assert usable_columns(read_columns(frame)).tolist() == [True, usable]
    if n_levels == 3000:
        np.testing.assert_array_equal(mixed(frame), np.eye(2))
        with pytest.warns(IdentifierFeatureWarning, match="take no part.*: name"):
            TopologicalFeatureSelector(1).fit(frame.assign(age=codes % 3))


@pytest.mark.parametrize("cells", [2**4, 2**8])
@pytest.mark.parametrize("counted", [1, 5, 2**10])
def test_small_parts_and_counted_levels_give_the_same_bits(monkeypatch, cells, counted):
    frame = table().assign(mark=table(seed=1)["town"], number=np.arange(120) % 11)
    whole = mixed(frame)
    monkeypatch.setattr(mixed_columns, "CELLS", cells)
    monkeypatch.setattr(mixed_columns, "COUNTED_CELLS", counted)
    np.testing.assert_array_equal(mixed(frame), whole)


def names_of(n_levels, n_columns, n_samples):
    codes = np.random.default_rng(0).integers(0, n_levels, (n_samples, n_columns))
    return pd.DataFrame(codes, columns=[f"c{i}" for i in range(n_columns)]).astype("category")


@pytest.mark.parametrize(("n_levels", "n_columns"), [(500, 12), (10, 100)])
def test_levels_are_not_held_as_a_matrix(monkeypatch, n_levels, n_columns):
    columns = read_columns(names_of(n_levels, n_columns, 10_000))
    monkeypatch.setattr(mixed_columns, "CELLS", 2**16)
    tracemalloc.start()
    try:
        dense(mixed_operator(columns))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # The rows of all levels would be 480 and 80 MB, and their products hundreds more.
    assert peak < 40e6


def test_levels_that_do_not_fit_into_memory_are_refused_where_all_are_needed():
    frame = names_of(50, 4, 1000)
    selector = TopologicalFeatureSelector(2, rule="variance", memory="1MB")
    with pytest.raises(ValueError, match="4 columns have 200 rows, which take 0.0032 GB"):
        selector.fit(frame)
    assert selector.set_params(memory="10MB").fit(frame).n_features_ == 2
    assert selector.set_params(memory="1MB", rule="coverage").fit(frame).n_features_ == 2


def test_what_cannot_be_compared_has_zeros():
    frame = pd.DataFrame(
        {"id": [f"r{i}" for i in range(12)], "x": range(12), "one": 1.0, "none": None}
    )
    np.testing.assert_array_equal(mixed(frame), np.eye(4))


@given(st.integers(0, 1000), st.integers(1, 30))
def test_blocks_are_parts_of_the_whole(seed, split):
    frame = table(60, seed=seed % 7)
    operator = mixed_operator(read_columns(frame))
    whole = dense(operator)
    at = split % 6 + 1
    for rows in (slice(0, at), slice(at, 7)):
        for columns in (slice(0, at), slice(at, 7)):
            block = operator.block(rows, columns)
            off_diagonal = ~np.eye(7, dtype=bool)[rows, columns]
            np.testing.assert_array_equal(
                block[off_diagonal], whole[rows, columns][off_diagonal]
            )
    assert ((whole >= 0) & (whole <= 1)).all()


@pytest.mark.parametrize("corrected", [True, False])
def test_floors_come_on_the_scale_of_the_entries(corrected):
    frame = table()
    operator = mixed_operator(read_columns(frame), corrected=corrected)
    plain = dense(mixed_operator(read_columns(frame), corrected=False))
    entries = dense(operator)
    left, right = np.triu_indices(7, k=1)
    floors = mixed_operator(read_columns(frame), corrected=False).floors(left, right)
    assert (
        floors >= degrees_floor(120, 7, operator.degrees[left], operator.degrees[right])
    ).all()
    above = plain[left, right] >= floors
    assert above.any()
    assert not above.all()
    np.testing.assert_array_equal(entries[left, right] >= operator.floors(left, right), above)
