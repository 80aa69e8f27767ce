"""Which columns of a table a similarity can compare."""

import warnings

import numpy as np
import polars as pl
import pytest

from topofs import Auto, Mixed, Pearson, TopologicalFeatureSelector
from topofs.errors import TableError
from topofs.io import ColumnRoles, Table, comparable_table
from topofs.io.comparable import names_in_table
from topofs.io.read import kind_of
from topofs.io.types import TypedTable


def table_of(**columns):
    frame = pl.DataFrame(columns)
    kinds = {name: kind_of(dtype) for name, dtype in frame.schema.items()}
    not_numbers = {name: kind for name, kind in kinds.items() if kind is not None}
    return Table("t", frame.lazy(), frame.height, dict(frame.schema), not_numbers=not_numbers)


def reasons(found):
    return {column.name: column.reason for column in found.left_out}


def test_without_names_it_is_the_very_array():
    table = table_of(a=[1.0, 2.0, 3.0], b=[3.0, 1.0, 2.0], tag=["x", "y", "z"])
    found = comparable_table(table, measure=Auto())
    assert isinstance(found.X, np.ndarray)
    assert found.X.flags.f_contiguous
    assert reasons(found) == {"tag": "names that hardly repeat, as an identifier's do"}


def test_numbers_beside_names_are_not_copied_and_keep_their_place():
    table = table_of(
        a=[1.0, 2.0, None, 4.0] * 5,
        kind=["x", "y", "x", None] * 5,
        b=[4, 1, 2, 3] * 5,
        same=[1] * 20,
    )
    found = comparable_table(table, measure=Auto())
    assert isinstance(found.X, TypedTable)
    assert found.names == ("a", "kind", "b")
    first, kind, last = found.X.columns
    assert first.values.base is last.values.base
    np.testing.assert_array_equal(first.values[:4], [1.0, 2.0, np.nan, 4.0])
    np.testing.assert_array_equal(kind.values[:4], [1.0, 2.0, 1.0, np.nan])
    assert [column.nominal for column in found.X.columns] == [False, True, False]
    assert reasons(found) == {"same": "constant"}


def test_each_type_is_what_it_is():
    n = 12
    table = table_of(
        text=["a", "b"] * 6,
        truth=[True, False] * 3 + [True] * 6,
        ordered=pl.Series(["lo", "hi", "mid"] * 4, dtype=pl.Enum(["lo", "mid", "hi"])),
        category=pl.Series(["b", "a", "c"] * 4, dtype=pl.Categorical),
        small=pl.Series(range(n), dtype=pl.Float32),
    )
    found = comparable_table(table, measure=Auto())
    kinds = {column.name: column for column in found.X.columns}
    assert {name for name, column in kinds.items() if column.nominal} == {"text", "truth"}
    np.testing.assert_array_equal(kinds["ordered"].values[:3], [0, 2, 1])
    np.testing.assert_array_equal(kinds["truth"].values[:3], [1, 0, 1])
    assert kinds["small"].values.dtype == np.float64
    # Four rows of each of three levels: too few to tell from chance.
    assert reasons(found) == {"category": "no value in 5 rows or more"}


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (["x"] * 20, "constant"),
        ([None] * 20, "all missing"),
        ([f"r{i}" for i in range(20)], "names that hardly repeat"),
        ([f"r{i % 15}" for i in range(20)], "names that hardly repeat"),
        ([f"r{i % 10}" for i in range(20)], "no value in 5 rows or more"),
        (["x", None] * 10, None),
        (["x", "y", None] * 4, None),
        ([str(i % 2) for i in range(20)], None),
    ],
)
def test_names_that_cannot_be_compared(values, reason):
    table = table_of(names=pl.Series(values, dtype=pl.String))
    found = names_in_table(table, ColumnRoles())
    if reason is None:
        assert list(found.columns) == ["names"]
    else:
        assert found.unusable["names"].startswith(reason)
        assert list(names_in_table(table, ColumnRoles(keep=("names",))).columns) == ["names"]


def test_marks_of_missing_values_and_spaces_count_in_text_files_only():
    values = [" a", "a", "NA", "null"] * 5
    table = table_of(names=values)
    text = Table("t", table.rows, 20, table.schema, as_written=table.rows)
    in_text = names_in_table(text, ColumnRoles()).columns["names"].values
    np.testing.assert_array_equal(in_text[:4], [1, 1, np.nan, np.nan])
    in_parquet = names_in_table(table, ColumnRoles()).columns["names"].values
    assert len(np.unique(in_parquet)) == 4


def test_too_little_to_compare():
    with pytest.raises(TableError, match=r"one column that can be compared, 'a' \(b: const"):
        comparable_table(table_of(a=["x", "y", "x"], b=[1, 1, 1]), measure=Auto())
    with pytest.raises(TableError, match=r"no column to select from \(a: names that hardly"):
        comparable_table(table_of(a=["x", "y", "z"]), measure=Auto())
    with pytest.raises(TableError, match="no column to compare"):
        comparable_table(table_of(a=["x", "y", "z"]), measure=Mixed())
    with pytest.raises(TableError, match="has one row"):
        comparable_table(table_of(a=["x"], b=["y"]), measure=Mixed())
    with pytest.raises(TableError, match="infinite value in row 2"):
        comparable_table(
            table_of(a=["x", "y", "x"], b=[1.0, float("inf"), 2.0]), measure=Auto()
        )
    with pytest.raises(
        ValueError, match="--keep: the column 'l' cannot be compared .values of"
    ):
        comparable_table(
            table_of(a=["x", "y", "x"], l=[[1], [2], [3]]),
            ColumnRoles(keep=("l",)),
            measure=Auto(),
        )


class TakesAllAsArrays:
    """What a measure of a user may say of itself."""

    takes_names = False
    takes_arrays = True


def test_the_measure_is_asked_what_it_takes_and_not_for_its_name():
    table = table_of(a=[1.0, 2.0, 3.0], b=[3.0, 1.0, 2.0], kind=["x", "y", "x"])
    for measure in (Pearson(), TakesAllAsArrays()):
        found = comparable_table(table, measure=measure)
        assert isinstance(found.X, np.ndarray)
        assert reasons(found) == {"kind": "text"}
    numbers = table_of(a=[1.0, 2.0, 3.0], b=[3.0, 1.0, 2.0])
    assert isinstance(comparable_table(numbers, measure=Auto()).X, np.ndarray)
    assert isinstance(comparable_table(numbers, measure=Mixed()).X, TypedTable)


ORDERED = pl.Series(["lo", "hi", "mid", "lo"] * 10, dtype=pl.Enum(["lo", "mid", "hi"]))


@pytest.mark.parametrize(
    "columns",
    [
        {"kind": ["x", "y"] * 20},
        {"truth": [True, False] * 20},
        {"ordered": ORDERED},
        {"tag": [f"t{i}" for i in range(40)]},
        {"level": [f"l{i % 10}" for i in range(40)]},
        {"same": ["x"] * 40},
        {},
    ],
)
def test_auto_chooses_as_in_a_frame(columns):
    rng = np.random.default_rng(0)
    numbers = {name: rng.standard_normal(40) for name in "abc"}
    frame = pl.DataFrame(numbers | columns)
    found = comparable_table(table_of(**numbers, **columns), measure=Auto())
    from_file = TopologicalFeatureSelector(2).fit(found.named)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from_frame = TopologicalFeatureSelector(2).fit(frame)
    assert from_file.similarity_ == from_frame.similarity_
    assert from_file.get_feature_names_out().tolist() == (
        from_frame.get_feature_names_out().tolist()
    )
