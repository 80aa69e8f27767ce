import datetime
import tracemalloc
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from topofs.io.frames import is_frame
from topofs.io.types import (
    has_nominal_columns,
    read_columns,
    typed_table,
    usable_columns,
)


def read_one(values, **options):
    return read_columns(pd.DataFrame({"c": pd.Series(values, **options)}))[0]


@pytest.mark.parametrize(
    ("values", "options", "nominal"),
    [
        ([1.5, 2.5, None], {}, False),
        ([1, 2, 3], {}, False),
        ([1, 2, None], {"dtype": "Int64"}, False),
        ([1, 2.5, None], {"dtype": object}, False),
        ([Decimal(1), Decimal("2.5"), None], {"dtype": object}, False),
        ([None, None, None], {"dtype": object}, False),
        (["a", "b", None], {}, True),
        (["a", "b", None], {"dtype": object}, True),
        (["a", "b", None], {"dtype": "string"}, True),
        (["a", "b", None], {"dtype": "category"}, True),
        ([True, False, None], {"dtype": "boolean"}, True),
        ([True, False, None], {"dtype": object}, True),
        ([True, False, True], {}, True),
    ],
)
def test_kinds_of_pandas_columns(values, options, nominal):
    column = read_one(values, **options)
    assert column.nominal == nominal
    assert column.name == "c"
    assert np.isnan(column.values).tolist() == [value is None for value in values]


def test_categories_are_told_apart():
    values = pd.Categorical(["lo", "hi", None, "mid"], categories=["lo", "mid", "hi"])
    assert read_one(values).nominal
    ordered = read_one(values.as_ordered())
    assert not ordered.nominal
    np.testing.assert_array_equal(ordered.values, [0, 2, np.nan, 1])


def test_kinds_of_polars_columns():
    frame = pl.DataFrame(
        {
            "float": [1.5, None],
            "int": [1, 2],
            "decimal": [Decimal("1.5"), None],
            "bool": [True, None],
            "text": ["a", None],
            "category": pl.Series(["a", "b"], dtype=pl.Categorical),
            "enum": pl.Series(["hi", None], dtype=pl.Enum(["lo", "hi"])),
            "nothing": pl.Series([None, None], dtype=pl.Null),
        }
    )
    columns = read_columns(frame)
    assert [column.nominal for column in columns] == [False] * 3 + [True] * 3 + [False] * 2
    np.testing.assert_array_equal(columns[6].values, [1, np.nan])
    assert np.isnan(columns[7].values).all()


BAD = {
    "mixes numbers and text: convert": [1, "a"],
    "mixes booleans and numbers: convert": [True, 2],
    "holds nested values: spread": [[1, 2], [3]],
    "holds values of type complex: turn it": [1j, 2j],
    "has an infinite value in row 1": [1.0, np.inf],
}


@pytest.mark.parametrize(("message", "values"), BAD.items())
def test_bad_columns_are_named(message, values):
    for frame in (
        pd.DataFrame({"ok": [1, 2], "bad": pd.Series(values, dtype=object)}),
        pl.DataFrame({"ok": [1, 2], "bad": pl.Series(values, dtype=pl.Object)}),
    ):
        with pytest.raises(ValueError, match=f"column 'bad' {message}") as caught:
            read_columns(frame)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("series", "kind"),
    [
        (pd.Series([1j, 2j]), "complex numbers"),
        (pd.Series(pd.interval_range(0, 2)), "values of type interval"),
        (pl.Series([[1], [2]]), "nested values"),
        (pl.Series([{"a": 1}] * 2), "nested values"),
        (pl.Series([b"a", b"b"]), "values of type Binary"),
    ],
)
def test_types_that_are_neither_numbers_nor_names_are_refused(series, kind):
    container = pl.DataFrame if isinstance(series, pl.Series) else pd.DataFrame
    frame = container({"when": series})
    assert has_nominal_columns(frame) == (kind != "complex numbers")
    with pytest.raises(ValueError, match=f"column 'when' holds {kind}"):
        read_columns(frame)


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(pd.date_range("2024", periods=2)),
        pd.Series(pd.date_range("2024", periods=2, tz="UTC")),
        pd.Series(pd.to_timedelta([1, None])),
        pd.Series(pd.period_range("2024", periods=2, freq="D")),
        pd.Series([datetime.date(2024, 1, 1), None], dtype=object),
        pl.Series([datetime.datetime(2024, 1, 1), None]),
        pl.Series([datetime.timedelta(1)] * 2),
    ],
)
def test_dates_and_times_take_no_part(series):
    container = pl.DataFrame if isinstance(series, pl.Series) else pd.DataFrame
    frame = container({"when": series, "x": [1.5, 2.5]})
    assert has_nominal_columns(frame)
    columns = read_columns(frame)
    assert columns[0].why == "dates or times"
    assert usable_columns(columns).tolist() == [False, True]


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame])
def test_only_frames_with_names_have_nominal_columns(container):
    assert is_frame(container({"a": [1, 2]}))
    assert not has_nominal_columns(container({"a": [1, 2], "b": [1.5, None]}))
    assert has_nominal_columns(container({"a": [1, 2], "b": ["x", None]}))
    assert has_nominal_columns(container({"a": [True, False]}))
    assert not has_nominal_columns(container({"a": [1, 2], "b": [None, None]}))


def test_arrays_and_series_are_not_frames():
    for other in (np.ones((2, 2)), [["a"]], pd.Series([1]), pl.Series([1]), None):
        assert not is_frame(other)
        assert not has_nominal_columns(other)


def test_arrays_of_anything():
    columns = read_columns(np.array([[1, "a"], [2, "b"]], dtype=object))
    assert [(c.name, c.nominal) for c in columns] == [("x0", False), ("x1", True)]
    assert not read_columns(np.arange(4).reshape(2, 2))[0].nominal
    with pytest.raises(ValueError, match=r"got the shape \(3,\)"):
        read_columns([1, 2, 3])


@pytest.mark.parametrize("dtype", ["M8[ns]", "M8[D]", "m8[ns]"])
def test_arrays_of_timestamps_are_refused(dtype):
    for times in (np.arange(6).reshape(3, 2).astype(dtype), [[np.datetime64("2024-01-01")]]):
        with pytest.raises(ValueError, match="column 'x0' holds timestamps"):
            read_columns(times)


def test_sparse_tables_become_dense():
    assert [column.values.tolist() for column in read_columns(sparse.csr_array(np.eye(2)))] == [
        [1.0, 0.0],
        [0.0, 1.0],
    ]


def test_lazy_tables_are_refused_with_advice():
    with pytest.raises(TypeError, match=r"LazyFrame.*X\.collect\(\)"):
        read_columns(pl.LazyFrame({"a": [1, 2]}))


def test_a_number_too_large_is_named_with_its_row():
    for number in (10**400, -(10**400), Fraction(10**400, 3)):
        values = np.array([[None], [1], [number]], dtype=object)
        with pytest.raises(ValueError, match="column 'x0' has a number in row 2 that is too"):
            read_columns(values)


@pytest.mark.parametrize("library", [pd, pl])
def test_one_long_text_costs_its_own_length_only(library):
    frame = library.DataFrame({"note": ["b", "a" * 2**20] + ["c", "b"] * 1000})
    tracemalloc.start()
    (column,) = read_columns(frame)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert column.values.tolist() == [1, 0] + [2, 1] * 1000
    assert peak < 2**24


def test_two_columns_of_one_name_are_two_columns():
    frame = pd.DataFrame([[1, "a"], [2, "b"]], columns=["c", "c"])
    assert [column.nominal for column in read_columns(frame)] == [False, True]


def test_a_table_tells_constants_from_identifiers():
    frame = pd.DataFrame(
        {
            "id": list("abcdef"),
            "one": ["a"] * 6,
            "empty": [None] * 6,
            "x": range(6),
            "rare": list("aabbcc"),
            "two": list("aabbbb"),
        }
    )
    constant, identifiers = typed_table(frame).incomparable()
    assert frame.columns[constant].tolist() == ["one", "empty"]
    assert frame.columns[identifiers].tolist() == ["id", "rare"]
    assert typed_table(frame)[:, np.array([3, 5])].shape == (6, 2)


@pytest.mark.parametrize("frame", [pd.DataFrame({"a": ["x"]}), pd.DataFrame(index=range(3))])
def test_a_table_too_small_is_refused(frame):
    with pytest.raises(ValueError, match="a minimum of 2 samples and 1 column is required"):
        typed_table(frame)


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    ("texts", "amounts"),
    [
        (["5%", "10%", "25 %"], [5, 10, 25]),
        (["$5", "$10", "-$25"], [5, 10, -25]),
        (["5k", "10k", "2M"], [5e3, 1e4, 2e6]),
    ],
)
def test_whole_numbers_with_a_unit_are_numbers(container, texts, amounts):
    (column,) = read_columns(container({"a": texts}))
    assert column.values.tolist() == amounts
    assert not column.nominal


def test_digits_without_end_are_named_as_infinite():
    with pytest.raises(ValueError, match="column 'a' has an infinite value in row 1"):
        read_columns(pd.DataFrame({"a": ["1", "9" * 5000]}))
