import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse, stats
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    VarianceThreshold,
)
from sklearn.linear_model import LogisticRegression

from tests.matrices import factor_table
from topofs import InfiniteFeatureSelector, TopologicalFeatureSelector, stability
from topofs.io.types import typed_table
from topofs.selection import nogueira_stability
from topofs.selection.stability import drawn_rows

# The three examples of the demonstration that the authors of the measure publish
# (github.com/nogueirs/JMLR2018, python/stabilityDemo.ipynb), with their printed values.
PUBLISHED = [
    ([[1, 1, 0], [1, 1, 0], [1, 1, 0]], 1.0, 0.0),
    ([[1, 1, 0], [0, 1, 1], [1, 0, 1]], -0.5, 0.0),
    (
        [
            [1, 1, 1, 1, 0, 0, 0, 0, 0, 0],
            [0, 0, 0, 1, 0, 1, 1, 1, 0, 0],
            [0, 1, 0, 0, 0, 1, 1, 1, 0, 0],
            [1, 1, 0, 0, 1, 0, 1, 0, 0, 0],
            [0, 1, 1, 0, 1, 1, 0, 0, 0, 0],
            [0, 1, 1, 1, 0, 0, 1, 0, 0, 0],
            [1, 0, 0, 1, 0, 0, 0, 0, 1, 1],
            [0, 0, 0, 1, 0, 1, 1, 1, 0, 0],
            [0, 0, 1, 1, 1, 1, 0, 0, 0, 0],
            [0, 0, 0, 0, 1, 0, 0, 1, 1, 1],
        ],
        -0.037037037037,
        0.00516666666667,
    ),
]


@pytest.mark.parametrize(("sets", "phi", "variance"), PUBLISHED)
def test_published_values(sets, phi, variance):
    found, found_variance = nogueira_stability(sets)
    assert found == pytest.approx(phi, abs=1e-12)
    assert found_variance == pytest.approx(variance, abs=1e-13)


def test_worked_by_hand():
    # d = 2, M = 2: the sets {0} and {0, 1}. p = (1, 1/2), k̄ = 3/2, chance 3/4·1/4 = 3/16,
    # mean of s² = (0 + 2·1/4)/2 = 1/4, Φ = 1 − (1/4)/(3/16) = −1/3.
    # Bracket of set 1: 1/2 − 3/8 − (1/6)(3/4 − 1/2 − 3/4 + 1) = 1/8 − 1/12 = 1/24;
    # of set 2: 3/4 − 3/4 − (1/6)(3/2 − 1 − 3/4 + 1) = −1/8. Over 3/16: 2/9 and −2/3,
    # mean −2/9, v = 4/4·2·(4/9)² = 32/81.
    phi, variance = nogueira_stability([[1, 0], [1, 1]])
    assert phi == pytest.approx(-1 / 3)
    assert variance == pytest.approx(32 / 81)


@given(hnp.arrays(np.int64, st.tuples(st.integers(2, 6), st.integers(2, 6)),
                  elements=st.integers(0, 1)))  # fmt: skip
def test_with_sets_of_one_size_it_is_the_mean_of_kunchevas_index(z):
    k = int(z[0].sum())
    d = z.shape[1]
    rows = np.array([np.roll(z[0], shift) for shift in range(len(z))])
    if k in (0, d):
        assert np.isnan(nogueira_stability(rows)[0])
        return
    pairs = [
        ((a @ b) - k * k / d) / (k - k * k / d) for i, a in enumerate(rows) for b in rows[:i]
    ]
    assert nogueira_stability(rows)[0] == pytest.approx(np.mean(pairs), abs=1e-12)


def test_random_subsets_are_near_zero_and_the_interval_covers_it():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        sets = np.array([rng.permutation(100) < 15 for _ in range(20)])
        phi, variance = nogueira_stability(sets)
        assert abs(phi) < 0.03
        covered += abs(phi) <= stats.norm.ppf(0.975) * np.sqrt(variance)
    assert covered / 200 > 0.85


@pytest.fixture(scope="module")
def X():
    return pd.DataFrame(factor_table(80, 12, n_factors=2), columns=list("abcdefghijkl"))


@pytest.fixture(scope="module")
def found(X):
    selector = TopologicalFeatureSelector(4, graph="tmfg")
    return stability(selector, X, n_resamples=12, random_state=0)


def test_it_adds_up(found, X):
    assert found.n_resamples == 12
    assert found.names == tuple(X.columns)
    assert found.frequency.sum() == pytest.approx(4)
    assert found.sizes.tolist() == [4] * 12
    assert found.lower < found.phi < found.upper <= 1.5
    half = stats.norm.ppf(0.975) * np.sqrt(found.variance)
    assert found.upper - found.phi == pytest.approx(half)
    # Every resample gives 3n − 6 edges.
    assert sum(edge.confidence for edge in found.edges) == pytest.approx(3 * 12 - 6)
    confidences = [edge.confidence for edge in found.edges]
    assert confidences == sorted(confidences, reverse=True)
    assert all(0 <= e.left < e.right < 12 and 0 < e.confidence <= 1 for e in found.edges)
    assert "12 resamples" in str(found)
    assert "4 to 4 of 12 columns" in str(found)


def test_jobs_and_progress_change_nothing(found, X):
    calls = []
    again = stability(
        TopologicalFeatureSelector(4, graph="tmfg"),
        X,
        n_resamples=12,
        random_state=0,
        n_jobs=2,
        progress=lambda done, total: calls.append((done, total)),
    )
    assert calls == [(done, 12) for done in range(1, 13)]
    assert again.phi == found.phi
    assert again.edges == found.edges
    np.testing.assert_array_equal(again.frequency, found.frequency)
    other = stability(
        TopologicalFeatureSelector(4, graph="tmfg"), X, n_resamples=12, random_state=1
    )
    assert not np.array_equal(other.frequency, found.frequency)


def test_a_selector_that_always_chooses_the_same_is_stable():
    X = np.random.default_rng(0).normal(size=(50, 6)) * [5, 5, 5, 0.1, 0.1, 0.1]
    found = stability(VarianceThreshold(1.0), X, n_resamples=5, random_state=0)
    assert found.phi == found.lower == found.upper == 1.0
    assert found.edges == ()
    assert found.names == tuple(f"x{i}" for i in range(6))


def test_any_table_and_any_selector():
    X = factor_table(40, 6)
    selector = InfiniteFeatureSelector(2)
    dense = stability(selector, X, n_resamples=3, random_state=0)
    for table in (X.tolist(), pl.DataFrame(X, schema=list("abcdef"))):
        other = stability(selector, table, n_resamples=3, random_state=0)
        np.testing.assert_array_equal(other.frequency, dense.frequency)
    counts = np.rint(np.abs(X))
    sparse_found = stability(
        TopologicalFeatureSelector(2), sparse.csr_array(counts), n_resamples=3, random_state=0
    )
    assert sparse_found.sizes.tolist() == [2, 2, 2]


def test_mixed_tables_with_columns_that_vanish_in_a_resample():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=30),
            "b": rng.choice(["x", "y"], 30),
            "rare": [1.0] + [0.0] * 29,
            "c": rng.normal(size=30),
        }
    )
    frame["c"] += frame["a"]
    found = stability(TopologicalFeatureSelector(), frame, n_resamples=8, random_state=0)
    assert found.frequency.shape == (4,)


def test_a_text_column_named_y_is_a_column_like_others():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=30), "y": rng.choice(["u", "v", "w"], 30)})
    selector = TopologicalFeatureSelector(1, similarity="pearson")
    with pytest.raises(ValueError, match="column 'y' holds text") as refused:
        stability(selector, frame, n_resamples=2)
    assert "labels" not in str(refused.value)
    found = stability(TopologicalFeatureSelector(1), frame, n_resamples=2, random_state=0)
    assert found.names == ("a", "y")


@pytest.mark.parametrize("n_resamples", [1, 0, 2.5, "3", True])
def test_too_few_resamples_are_refused(n_resamples):
    with pytest.raises(ValueError, match="whole number of at least 2"):
        stability(InfiniteFeatureSelector(), np.eye(3), n_resamples=n_resamples)


@pytest.mark.parametrize("level", [0, 1, 1.5, "x"])
def test_impossible_levels_are_refused(level):
    with pytest.raises(ValueError, match=r"level is .*; it must be a number in \(0, 1\)"):
        stability(InfiniteFeatureSelector(), np.eye(3), level=level)


def test_a_resample_without_a_column_that_varies_is_named():
    X = np.zeros((20, 2))
    X[3, 0] = X[7, 1] = 1.0
    with pytest.raises(ValueError, match=r"resample \d+ .*all 2 columns .*give more rows"):
        stability(TopologicalFeatureSelector(1), X, n_resamples=10, random_state=0)


@pytest.mark.parametrize(
    "selector",
    [SelectKBest(k=1), RFE(LogisticRegression()), SelectFromModel(LogisticRegression())],
    ids=lambda selector: type(selector).__name__,
)
def test_a_selector_that_needs_labels_is_refused(selector):
    name = type(selector).__name__
    with pytest.raises(
        ValueError, match=f"selector {name} needs labels.*unsupervised"
    ) as caught:
        stability(selector, factor_table(20, 4), n_resamples=2)
    assert "\n" not in str(caught.value)


def test_a_similarity_instead_of_a_table_is_refused():
    selector = TopologicalFeatureSelector(2, similarity="precomputed")
    with pytest.raises(ValueError, match="'precomputed'.*give the table itself"):
        stability(selector, np.eye(4))


def test_tables_that_are_not_in_memory_are_refused():
    dask_array = pytest.importorskip("dask.array")
    X = factor_table(20, 4)
    with pytest.raises(TypeError, match=r"dask collection.*X\.compute\(\)"):
        stability(TopologicalFeatureSelector(2), dask_array.from_array(X))
    with pytest.raises(TypeError, match=r"LazyFrame.*X\.collect\(\)"):
        stability(TopologicalFeatureSelector(2), pl.DataFrame(X).lazy())


def test_other_type_errors_come_through():
    class Broken(InfiniteFeatureSelector):
        def fit(self, X):
            raise TypeError("no such thing")

    with pytest.raises(TypeError, match="no such thing"):
        stability(Broken(2), np.eye(4), n_resamples=2)


@pytest.mark.parametrize("sets", [[[1, 0]], [1, 0, 1], [[[1]]], [[], []], []])
def test_what_is_not_some_sets_is_refused(sets):
    with pytest.raises(ValueError, match=r"chosen has the shape .* at least two rows"):
        nogueira_stability(sets)


def identified(n_samples=400):
    rng = np.random.default_rng(0)
    a = rng.normal(size=n_samples)
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(n_samples)],
            "a": a,
            "b": a + rng.normal(size=n_samples),
            "town": rng.choice(["Ulm", "Bonn"], n_samples),
        }
    )


@pytest.mark.parametrize("form", ["pandas", "polars", "array", "typed", "only name"])
def test_identifiers_stay_out_of_every_resample(form):
    frame = identified()
    # Without another name, the measure must stay the one of the whole table.
    X = {
        "pandas": frame,
        "polars": pl.DataFrame(frame.to_dict("list")),
        "array": frame.to_numpy(),
        "typed": typed_table(frame),
        "only name": frame[["id", "a", "b"]],
    }[form]
    selector = TopologicalFeatureSelector(2, similarity="mixed" if form == "array" else "auto")
    found = stability(selector, X, n_resamples=5, random_state=0)
    assert found.frequency[0] == 0
    assert all(edge.left > 0 for edge in found.edges)
    assert (1, 2, 1.0) in [(e.left, e.right, e.confidence) for e in found.edges]
    if form in ("pandas", "polars"):
        assert found.names == tuple(frame.columns)


def test_columns_of_a_mixed_table_are_kept_by_name():
    selector = TopologicalFeatureSelector(2, keep=["id", "town"])
    found = stability(selector, identified(), n_resamples=3, random_state=0)
    assert found.frequency.tolist() == [1, 0, 0, 1]


def test_blocks_are_runs_of_neighbouring_rows():
    drawn = drawn_rows("blocks", 8, 2, np.random.RandomState(0))
    assert [rows.tolist() for rows in drawn] == [
        [4, 5, 3, 4, 2, 3, 0, 1],
        [3, 4, 5, 6, 3, 4, 4, 5],
    ]


def test_stability_of_sets_refuses_what_is_neither_0_nor_1():
    sets = np.ma.array([[1, 0, 1], [0, 1, 1]], mask=[[0, 0, 1], [0, 0, 0]])
    for given_as in (sets, [[0.5, 1], [1, 0]]):
        with pytest.raises(ValueError, match="0 and 1"):
            nogueira_stability(given_as)
