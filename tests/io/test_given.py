"""What a user gives as a table is read as it was meant, whatever form it has."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.cli.running import run_json
from tests.matrices import factor_table
from topofs import (
    InfiniteFeatureSelector,
    LoGoCovariance,
    TopologicalFeatureSelector,
    similarity,
    stability,
    tmfg,
    tmfg_from_data,
)
from topofs.comparison import compare, target_of
from topofs.errors import ColumnReadingWarning, ConstantFeatureWarning
from topofs.io.frames import column_name, from_lowest, is_missing, readable_table
from topofs.io.types import read_columns
from topofs.report.selection import summarise_selection
from topofs.selection import noise_features

FORMS = {
    "numpy": lambda columns: pd.DataFrame(columns).to_numpy(),
    "list": lambda columns: pd.DataFrame(columns).to_numpy().tolist(),
    "pandas": pd.DataFrame,
    "nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "polars": pl.DataFrame,
    "arrow": pa.table,
}


def written(columns, path):
    """The path of a file with some columns."""
    frame = pl.DataFrame(columns)
    if path.suffix == ".csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)
    return path


# Infinite values --------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["inf", "-Infinity", "1e400", " +INF "])
@pytest.mark.parametrize("measure", ["auto", "pearson", "mixed", "spearman"])
@pytest.mark.parametrize("form", ["pandas", "nullable", "pandas arrow", "polars", "arrow"])
def test_infinite_text_is_refused_with_column_and_row(form, measure, text):
    X = factor_table(30, 3)
    columns = {"a": X[:, 0], "t": [str(value) for value in X[:, 1]], "c": X[:, 2]}
    columns["t"][4] = text
    for rule in ("coverage", "variance", "degree"):
        selector = TopologicalFeatureSelector(1, similarity=measure, rule=rule)
        with pytest.raises(ValueError, match="column 't' has an infinite value in row 4"):
            selector.fit(FORMS[form](columns))


@pytest.mark.parametrize("text", ["inf", "-Infinity", "1e400"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("measure", ["auto", "pearson", "mixed"])
def test_infinite_text_in_a_file_is_refused_with_column_and_row(
    tmp_path, ending, measure, text
):
    from tests.cli.running import run

    X = factor_table(30, 3)
    columns = {"a": X[:, 0], "t": [str(value) for value in X[:, 1]], "c": X[:, 2]}
    columns["t"][4] = text
    path = written(columns, tmp_path / f"t.{ending}")
    result = run("select", path, "--similarity", measure)
    assert result.exit_code == 3
    assert "the column 't' holds an infinite value in row 5" in result.stderr


def infinite_arrays():
    X = factor_table(20, 3)
    X[6, 1] = np.inf
    yield "x1", X
    yield "x1", X.astype(object)
    yield "x1", X.astype(np.float32)
    yield "x1", X.tolist()
    yield "x1", sparse.csr_array(X)
    wide = factor_table(20, 3).astype(np.longdouble)
    wide[6, 1] = np.longdouble(2) ** 2000 if np.finfo(np.longdouble).max > 1e309 else np.inf
    yield "x1", wide
    yield "b", pd.DataFrame(X, columns=list("abc"))
    yield "b", pd.DataFrame(X, columns=list("abc")).astype("double[pyarrow]")
    yield "b", pl.DataFrame(X, schema=list("abc"))
    yield "20", pd.DataFrame(X, columns=[10, 20, 30])


@pytest.mark.parametrize(("name", "X"), list(infinite_arrays()))
def test_an_infinite_number_names_its_column_and_row(name, X):
    message = f"column '{name}' has an? .*infinite value in row 6"
    askers = [TopologicalFeatureSelector().fit, similarity.pearson]
    if not sparse.issparse(X):
        askers += [InfiniteFeatureSelector().fit, similarity.spearman, similarity.mixed]
        askers += [tmfg_from_data, noise_features]
    for ask in askers:
        with pytest.raises(ValueError, match=message):
            ask(X)


def test_names_given_to_fit_are_those_of_the_message():
    X = factor_table(20, 3)
    X[6, 1] = np.inf
    for table in (X, sparse.csc_array(X)):
        with pytest.raises(ValueError, match=r"column 'b' has an? .*infinite value in row 6"):
            TopologicalFeatureSelector().fit(table, feature_names=list("abc"))


def test_a_category_called_inf_is_a_name_like_others():
    words = ["1", "2", "inf"] * 10
    for frame in (
        pd.DataFrame({"a": range(30), "c": pd.Categorical(words)}),
        pl.DataFrame({"a": range(30), "c": pl.Series(words, dtype=pl.Categorical)}),
    ):
        column = read_columns(frame)[1]
        assert column.nominal
        assert len(np.unique(column.values)) == 3


# Masks ------------------------------------------------------------------------------------


@st.composite
def masked_tables(draw):
    """A table with a mask, −9999 below it, and the same with NaN."""
    seed = draw(st.integers(0, 2**32 - 1))
    kind = draw(st.sampled_from([np.float64, np.float32, np.int64, np.int16]))
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 50, size=(24, 4)).astype(kind)
    mask = generator.random(X.shape) < draw(st.sampled_from([0.0, 0.1, 0.3]))
    missing = X.astype(np.float32 if kind == np.float32 else np.float64)
    missing[mask] = np.nan
    X[mask] = -9999
    return np.ma.array(X, mask=mask), missing


@settings(max_examples=30, deadline=None)
@given(masked_tables())
def test_what_is_masked_is_missing(tables):
    masked, missing = tables
    for measure in ("pearson", "spearman", "energy", "mutual_information", "mixed"):
        function = getattr(similarity, measure)
        np.testing.assert_array_equal(function(masked), function(missing))
    for selector in (
        TopologicalFeatureSelector(2),
        TopologicalFeatureSelector(2, rule="variance", similarity="mixed"),
        InfiniteFeatureSelector(2),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours, theirs = (
                selector.fit(masked),
                selector.__class__(**selector.get_params(deep=False)).fit(missing),
            )
        np.testing.assert_array_equal(ours.scores_, theirs.scores_)
        np.testing.assert_array_equal(ours.transform(masked), theirs.transform(missing))
        assert not isinstance(ours.transform(masked), np.ma.MaskedArray)
    named = TopologicalFeatureSelector(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        named.fit(masked, feature_names=list("abcd"))
    assert (named.support_ == named.fit(missing, feature_names=list("abcd")).support_).all()


def test_a_mask_counts_in_questions_about_rows():
    X = factor_table(80, 5)
    missing = X.copy()
    missing[::7, 1] = np.nan
    masked = np.ma.array(np.where(np.isnan(missing), -9999, missing), mask=np.isnan(missing))
    selector = TopologicalFeatureSelector(2)
    ours, theirs = (
        stability(selector, table, n_resamples=5, random_state=0) for table in (masked, missing)
    )
    assert ours.phi == theirs.phi
    np.testing.assert_array_equal(ours.frequency, theirs.frequency)
    target = np.ma.array(X[:, 0] + X[:, 2], mask=np.arange(80) % 9 == 0)
    as_nan = target.filled(np.nan)
    answers = [
        compare(table, target_of(y), sizes=[2]).as_dict()["scores"]
        for table, y in ((masked, target), (missing, as_nan))
    ]
    assert answers[0] == answers[1]
    assert (noise_features(masked).noise == noise_features(missing).noise).all()


def test_masked_values_are_missing_in_models_and_graphs():
    X = factor_table(40, 5)
    masked = np.ma.array(X, mask=np.zeros(X.shape, dtype=bool))
    model = LoGoCovariance().fit(masked)
    np.testing.assert_array_equal(model.location_, X.mean(axis=0))
    np.testing.assert_array_equal(tmfg_from_data(masked).edges, tmfg_from_data(X).edges)
    masked[3, 2] = np.ma.masked
    with_gaps = LoGoCovariance().fit(masked)
    expected = LoGoCovariance().fit(masked.filled(np.nan))
    np.testing.assert_array_equal(with_gaps.location_, expected.location_)
    for ask in (model.score, model.mahalanobis):
        with pytest.raises(ValueError, match="X has missing or infinite values"):
            ask(masked)
    with pytest.raises(ValueError, match="values has missing or infinite entries"):
        model.conditional([0, 1], np.ma.array([1.0, 2.0], mask=[False, True]))
    with pytest.raises(ValueError, match="missing"):
        tmfg_from_data(masked)


def test_a_masked_similarity_is_refused_with_its_entry():
    matrix = np.ma.array(np.abs(np.corrcoef(factor_table(30, 5).T)))
    assert tmfg(matrix).n_nodes == 5
    matrix[1, 3] = np.ma.masked
    for ask in (tmfg, TopologicalFeatureSelector(2, similarity="precomputed").fit):
        with pytest.raises(
            ValueError, match=r"entry \(1, 3\) of the similarity is (masked|nan)"
        ):
            ask(matrix)


def test_masks_of_rows_and_of_annotated_matrices_count():
    missing = factor_table(40, 4)
    missing[::7, 1] = np.nan
    masked = np.ma.array(np.where(np.isnan(missing), -9999, missing), mask=np.isnan(missing))
    expected = TopologicalFeatureSelector(2).fit(missing).scores_
    annotated = pytest.importorskip("anndata").AnnData(masked.copy())
    for table in (list(masked), annotated):
        scores = TopologicalFeatureSelector(2).fit(table).scores_
        np.testing.assert_array_equal(scores, expected)


def test_masked_truth_values_and_text_stay_what_they_are():
    truth = np.ma.array([[True, False], [False, True], [True, True]])
    truth[1, 0] = np.ma.masked
    column = read_columns(truth)[0]
    assert column.nominal
    np.testing.assert_array_equal(column.values, [1, np.nan, 1])
    text = np.ma.array([["a", "b"], ["c", "a"], ["a", "c"]], dtype=object)
    text[2, 1] = np.ma.masked
    np.testing.assert_array_equal(read_columns(text)[1].values, [1, 0, np.nan])


def test_masked_dates_are_refused_as_dates():
    dates = np.arange("2020-01-01", "2020-01-31", dtype="M8[D]").astype("M8[ns]").reshape(10, 3)
    masked = np.ma.array(dates, mask=np.eye(10, 3, dtype=bool))
    np.testing.assert_array_equal(np.isnat(readable_table(masked)), masked.mask)
    for similarity_name in ("auto", "pearson"):
        with pytest.raises(ValueError, match="column 'x0' holds timestamps"):
            TopologicalFeatureSelector(similarity=similarity_name).fit(masked)


@pytest.mark.parametrize(
    "value",
    [None, np.nan, pd.NA, pd.NaT, np.ma.masked, Decimal("nan"), np.datetime64("NaT"),
     np.timedelta64("NaT", "s")],
)  # fmt: skip
def test_every_missing_value_is_one(value):
    assert is_missing(value)
    assert not any(map(is_missing, (0, "", "nan", np.datetime64("2020-01-01"), [None])))


# Long whole numbers -----------------------------------------------------------------------


@st.composite
def long_columns(draw):
    """Columns of small whole numbers, and the same beyond 2⁵³."""
    seed = draw(st.integers(0, 2**32 - 1))
    offset = draw(st.sampled_from([2**53 + 1, 2**62, -(2**62) + 3, 2**63 - 9, -(2**63)]))
    generator = np.random.default_rng(seed)
    small = {name: generator.integers(0, 9, size=25) for name in "abcd"}
    return small, {name: (values + offset).tolist() for name, values in small.items()}


@settings(max_examples=20, deadline=None)
@given(long_columns(), st.sampled_from(sorted(FORMS)))
def test_whole_numbers_of_any_size_are_told_apart(columns, form):
    small, large = columns
    table = FORMS[form](large)
    X = np.column_stack(list(small.values()))
    for measure in ("pearson", "spearman", "mixed"):
        function = getattr(similarity, measure)
        np.testing.assert_array_equal(function(table), function(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = TopologicalFeatureSelector(2).fit(table)
        same = TopologicalFeatureSelector(2).fit(X)
    np.testing.assert_array_equal(selector.scores_, same.scores_)
    if form in {"numpy", "pandas"}:
        values = selector.transform(table)
        assert np.asarray(values).dtype == np.int64
        assert set(np.asarray(values).ravel().tolist()) <= {
            v for c in large.values() for v in c
        }


@pytest.mark.parametrize("form", ["nullable", "pandas arrow", "polars", "arrow"])
def test_missing_values_beside_long_whole_numbers(form):
    small = [None if i % 7 == 3 else i % 5 for i in range(40)]
    other = [i % 3 for i in range(40)]
    large = [None if v is None else v + 2**62 for v in small]
    table = FORMS[form](
        {"a": large, "b": other}
        if form in {"polars", "arrow"}
        else {"a": pd.array(large, dtype="Int64"), "b": other}
    )
    X = np.array([small, other], dtype=np.float64).T
    np.testing.assert_array_equal(similarity.pearson(table), similarity.pearson(X))
    np.testing.assert_array_equal(read_columns(table)[0].values, X[:, 0])


@pytest.mark.parametrize("offset", [2**62, -(2**62), 2**63 + 5, 2**64 + 2**40])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_long_whole_numbers_in_files(tmp_path, ending, offset):
    small = {name: factor_table(30, 4)[:, i] * 4 // 1 for i, name in enumerate("abcd")}
    large = {
        name: pl.Series([int(value) + offset for value in values], dtype=pl.Int128)
        for name, values in small.items()
    }
    answers = [
        run_json("select", written(columns, tmp_path / f"{i}.{ending}"), "-k", 2)
        for i, columns in enumerate((small, large))
    ]
    assert answers[0]["selected"] == answers[1]["selected"]
    assert not answers[1]["left_out"]


def test_long_whole_numbers_as_text_and_as_objects():
    small = [3, 1, 2, 2, 5, 4]
    large = [2**62 + value for value in small]
    for values in (
        [str(value) for value in large],
        np.array(large, dtype=object),
        [Decimal(value) for value in large],
        np.array(large, dtype=np.uint64),
    ):
        frame = pd.DataFrame({"a": values})
        assert read_columns(frame)[0].values.tolist() == [2, 0, 1, 1, 4, 3]
    huge = [10**40 + value for value in small]
    assert read_columns(pd.DataFrame({"a": huge}))[0].values.tolist() == [2, 0, 1, 1, 4, 3]


def test_the_table_of_the_user_is_not_changed():
    for table in (
        pd.DataFrame({"a": [2**62, 2**62 + 1], "b": [1, 2]}),
        pl.DataFrame({"a": [2**62, 2**62 + 1], "b": [1, 2]}),
        np.array([[2**62, 1], [2**62 + 1, 2]]),
    ):
        before = table.copy() if hasattr(table, "copy") else table.clone()
        changed = readable_table(table)
        assert changed is not table
        assert (np.asarray(table) == np.asarray(before)).all()
        assert np.asarray(table).dtype == np.int64


def test_a_span_that_float64_cannot_hold_is_said():
    X = np.column_stack([np.arange(12), np.arange(12)[::-1]]).astype(np.int64)
    X[:, 1] += 2**62
    X[0, 1] = 0
    with pytest.warns(ColumnReadingWarning, match=r"column 'b' holds whole numbers that span"):
        TopologicalFeatureSelector(1).fit(pd.DataFrame(X, columns=["a", "b"]))
    with pytest.warns(
        ColumnReadingWarning, match=r"column 'x1' .* span more than 2\*\*53"
    ) as said:
        similarity.pearson(X)
    assert said[0].filename == __file__
    with pytest.warns(ColumnReadingWarning, match="column 'x1' holds whole numbers"):
        similarity.pearson(sparse.csc_array(X))


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_differences_are_exact_or_said_not_to_be(kind, data):
    bounds = np.iinfo(kind)
    numbers = data.draw(st.lists(st.integers(bounds.min, bounds.max), min_size=1, max_size=8))
    found = from_lowest(np.array(numbers, dtype=kind))
    if found is None:
        assert max(map(abs, numbers)) <= 2**53
        return
    floats, told_apart = found
    assert floats.tolist() == [float(number - min(numbers)) for number in numbers]
    assert told_apart == (len(set(floats.tolist())) == len(set(numbers)))


# Names ------------------------------------------------------------------------------------


def test_labels_become_names():
    assert [column_name(label) for label in (10, "a", ("a", "b"), ("a", ""), ("", ""), (1, 2))] == [
        "10", "a", "a, b", "a", "", "1, 2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([10, 20, 30, 40], ["10", "20", "30", "40"]),
        (range(4), ["0", "1", "2", "3"]),
        (
            pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1), ("c", "")]),
            ["a, 1", "a, 2", "b, 1", "c"],
        ),
    ],
)
def test_labels_that_are_no_text_name_columns_everywhere(labels, names):
    X = factor_table(60, 4)
    frame = pd.DataFrame(X, columns=labels)
    selector = TopologicalFeatureSelector(2).fit(frame)
    plain = TopologicalFeatureSelector(2).fit(X)
    assert not hasattr(selector, "feature_names_in_")
    found = {group.name for group in selector.groups_}
    assert found == {names[group.position] for group in plain.groups_}
    chosen = [name for name, there in zip(names, selector.support_, strict=True) if there]
    assert selector.get_feature_names_out().tolist() == chosen
    framed = TopologicalFeatureSelector(2).set_output(transform="pandas").fit_transform(frame)
    assert framed.columns.tolist() == chosen
    assert selector.explain(names[1]).feature == names[1]
    assert selector.explain(1).feature == names[1]
    assert list(selector.graph_.labels) == names
    assert selector.evaluate([names[0], names[2]]).names == (names[0], names[2])
    kept = TopologicalFeatureSelector(2, keep=[names[3]]).fit(frame)
    assert kept.support_[3]
    assert TopologicalFeatureSelector(2, keep=[3]).fit(frame).support_[3]
    assert stability(selector, frame, n_resamples=2, random_state=0).names == tuple(names)
    assert summarise_selection(selector, frame).names == tuple(names)
    assert list(tmfg_from_data(frame).labels) == names
    assert list(tmfg(frame.corr().abs()).labels) == names
    picked = selector.pick(frame[list(frame.columns[::-1])])
    assert list(picked.columns) == list(frame.columns[selector.support_])
    # A table without names has none again.
    assert selector.fit(X).explain(1).feature == "x1"


def test_names_of_labels_stand_in_warnings_and_constraints():
    from topofs import AtMost

    frame = pd.DataFrame(factor_table(60, 4), columns=[10, 20, 30, 40])
    frame[20] = 1.0
    with pytest.warns(UserWarning, match="take no part, score 0 and rank last: 20"):
        TopologicalFeatureSelector(2).fit(frame)
    frame[20] = np.random.default_rng(0).normal(size=60)
    selector = TopologicalFeatureSelector(2, at_most=AtMost(1, of={10: "g", 20: "g", 30: "g"}))
    assert selector.fit(frame).support_[:3].sum() == 1
    with pytest.raises(ValueError, match=r"40 is not one of 0 … 3; give the name '40'"):
        TopologicalFeatureSelector(2, keep=[40]).fit(frame)
    levels = frame.set_axis(pd.MultiIndex.from_product([["a", "b"], ["x", "y"]]), axis=1)
    assert TopologicalFeatureSelector(2).fit(levels).explain(("b", "x")).feature == "b, x"
    with pytest.raises(ValueError, match="there is no column '50'"):
        TopologicalFeatureSelector(2, keep=["50"]).fit(frame)
    model = LoGoCovariance().fit(frame)
    assert model.conditional(["20"]).columns.tolist() == [0, 2, 3]


def test_columns_of_names_have_such_labels_too():
    frame = pd.DataFrame({1: list("ab") * 20, 2: list("aabb") * 10, ("a", "b"): range(40)})
    names = [column.name for column in read_columns(frame)]
    assert names == ["1", "2", "a, b"]


# Tables without rows ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(),
        pd.DataFrame({"a": [], "b": []}),
        pd.DataFrame({"a": [], "b": []}, dtype=object),
        pd.DataFrame(index=range(5)),
        pl.DataFrame(),
        pl.DataFrame({"a": [], "b": []}),
        pa.table({"a": pa.array([], pa.int64())}),
    ],
)
def test_an_empty_frame_gets_a_sentence(frame):
    message = r"X has \d samples and \d columns, while a minimum of 2 samples and 1 column"
    for ask in (
        TopologicalFeatureSelector().fit,
        TopologicalFeatureSelector(similarity="pearson").fit,
        TopologicalFeatureSelector(similarity="precomputed").fit,
        InfiniteFeatureSelector().fit,
        similarity.pearson,
        similarity.mixed,
    ):
        with pytest.raises(ValueError, match=message):
            ask(frame)


class Table:
    """A table of Ibis, as far as its name tells."""

    columns = ("a", "b")


Table.__module__ = "ibis.expr.types.relations"


def lazy_tables():
    duckdb = pytest.importorskip("duckdb")
    yield (
        duckdb.sql("select 1.0 as a, 2.0 as b"),
        r"a DuckDB relation, .*: pass X\.df\(\) or X\.pl",
    )
    yield Table(), r"an Ibis table, .*: pass X\.to_pandas\(\)"
    yield pl.LazyFrame({"a": [1.0, 2.0]}), r"a polars LazyFrame, .*: pass X\.collect\(\)"


def test_a_query_that_has_not_run_is_refused_with_advice():
    for table, message in lazy_tables():
        for ask in (
            InfiniteFeatureSelector().fit,
            similarity.pearson,
            similarity.mixed,
            tmfg_from_data,
            noise_features,
            LoGoCovariance().fit,
            lambda X: stability(TopologicalFeatureSelector(), X),
        ):
            with pytest.raises(TypeError, match=f"X is {message}"):
                ask(table)


def test_a_query_of_duckdb_is_read_in_batches():
    duckdb = pytest.importorskip("duckdb")
    frame = pl.DataFrame(factor_table(60, 4), schema=["a", "b", 'c "d"', "e"])
    table = frame.to_arrow()
    relation = duckdb.from_arrow(table)
    here, there = (TopologicalFeatureSelector(2).fit(X) for X in (frame, relation))
    assert (there.ranking_ == here.ranking_).all()
    names = here.get_feature_names_out().tolist()
    assert there.transform(relation).pl().equals(frame.select(names))


# One meaning of text ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "nominal", "n_levels"),
    [
        (["３４", "３５", "３６", "３４", "３５", "３６"] * 5, True, 3),
        (["٣", "٤", "٥", "٣", "٤", "٥"] * 5, True, 3),
        (["1_0", "2_0", "1_0"] * 10, True, 2),
        (["TRUE", "true", "False"] * 10, True, 2),
        (["True", "", "FALSE", "nan"] * 7 + ["true"] * 2, True, 3),
        (["true", "maybe", "TRUE"] * 10, True, 3),
        ([" 1", "2 ", "3", "2"] * 7 + ["1", "1"], False, 3),
    ],
)
def test_a_frame_and_a_file_read_the_same_text_alike(tmp_path, words, nominal, n_levels):
    from topofs import Mixed
    from topofs.io import comparable_table, open_table

    columns = {"t": words, "a": np.arange(30) % 7, "b": np.arange(30) % 4}
    frame = pd.DataFrame(columns).replace({"t": {"": None}})
    for library in (frame, pl.DataFrame(frame.to_dict("list"))):
        column = read_columns(library)[0]
        assert column.nominal == nominal
        assert len(np.unique(column.values)) == n_levels
    for ending in ("csv", "parquet"):
        with open_table(written(columns, tmp_path / f"t.{ending}")) as table:
            found = comparable_table(table, measure=Mixed()).X.columns[0]
        assert found.nominal == nominal
        answers = [np.unique(c.values, return_inverse=True)[1] for c in (found, column)]
        np.testing.assert_array_equal(*answers)
        if not nominal:
            np.testing.assert_array_equal(found.values, column.values)


def test_measures_of_numbers_read_text_as_files_do(tmp_path):
    X = factor_table(40, 3)
    columns = {
        "a": X[:, 0],
        "comma": [f"{value:.3f}".replace(".", ",") for value in X[:, 1]],
        "truth": np.where(X[:, 2] > 0, "TRUE", "false"),
    }
    numbers = np.column_stack([X[:, 0], X[:, 1].round(3), X[:, 2] > 0])
    expected = TopologicalFeatureSelector(2, similarity="pearson").fit(numbers)
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns)):
        with pytest.warns(ColumnReadingWarning, match="read as numbers: comma"):
            found = TopologicalFeatureSelector(2, similarity="pearson").fit(frame)
        np.testing.assert_array_equal(found.scores_, expected.scores_)
    path = written(columns, tmp_path / "t.parquet")
    answer = run_json("select", path, "--similarity", "pearson", "-k", 2)
    assert not answer["left_out"]
    assert {column["name"] for column in answer["selected"]} == set(
        found.get_feature_names_out()
    )
    for words, holds in (("３４", "text"), ("1_0", "text"), ("2024-01-01", "dates, such as")):
        frame = pd.DataFrame({"a": X[:, 0], "t": words})
        with pytest.raises(ValueError, match=f"column 't' holds {holds}.* takes numbers only"):
            TopologicalFeatureSelector(similarity="pearson").fit(frame)


def test_lists_of_text_are_read_as_arrays_of_text_are():
    X = factor_table(40, 3)
    rows = [[f"{value:.3f}".replace(".", ",") for value in row] for row in X]
    for measure in ("auto", "pearson"):
        with pytest.warns(ColumnReadingWarning, match="read as numbers"):
            listed = TopologicalFeatureSelector(2, similarity=measure).fit(rows)
        numbers = TopologicalFeatureSelector(2, similarity=measure).fit(X.round(3))
        np.testing.assert_array_equal(listed.scores_, numbers.scores_)
        wrong = X.astype(str).tolist()
        wrong[4][1] = "inf"
        with pytest.raises(ValueError, match="column 'x1' has an infinite value in row 4"):
            TopologicalFeatureSelector(2, similarity=measure).fit(wrong)


@pytest.mark.parametrize("word", ["", "NA", "-"])
@pytest.mark.parametrize("measure", ["auto", "pearson", "spearman", "mixed"])
def test_text_that_is_all_missing_takes_no_part(measure, word, tmp_path):
    X = factor_table(40, 3)
    columns = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "empty": [word] * 40}
    for library in (pd, pl):
        with pytest.warns(ConstantFeatureWarning, match=r"empty \(all missing\)"):
            found = TopologicalFeatureSelector(2, similarity=measure).fit(
                library.DataFrame(columns)
            )
        assert [(c.name, c.reason) for c in found.left_out_] == [("empty", "all missing")]
    answer = run_json("select", written(columns, tmp_path / "t.csv"), "-k", 2)
    assert answer["left_out"] == [{"name": "empty", "reason": "all missing"}]
