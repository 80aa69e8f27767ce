import numpy as np
import polars as pl
import pytest

from tests.messages import assert_tells
from topofs.errors import TableError, UnknownColumnError
from topofs.io import ColumnRoles, LeftOutColumn, Table, numeric_table


def table_of(**columns):
    frame = pl.DataFrame(columns)
    return Table("t", frame.lazy(), frame.height, dict(frame.schema))


def test_the_array_is_the_table_in_fortran_order():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5000, 7))
    numbers = numeric_table(table_of(**{f"c{i}": X[:, i] for i in range(7)}))
    assert numbers.X.flags.f_contiguous
    np.testing.assert_array_equal(numbers.X, X)
    assert numbers.names == tuple(f"c{i}" for i in range(7))


def test_types_that_become_float64_and_float32():
    mixed = table_of(
        a=[1, 2, 3],
        b=[True, False, True],
        c=pl.Series([0.5, None, 1.5], dtype=pl.Float32),
        d=pl.Series(["1.5", "2.5", "9.0"]).cast(pl.Decimal(10, 2)),
    )
    X = numeric_table(mixed).X
    assert X.dtype == np.float64
    np.testing.assert_array_equal(X[:, 1], [1.0, 0.0, 1.0])
    np.testing.assert_array_equal(X[:, 2], [0.5, np.nan, 1.5])
    small = table_of(**{c: pl.Series([0.5, 1.0], dtype=pl.Float32) for c in "ab"})
    assert numeric_table(small).X.dtype == np.float32


def test_long_whole_numbers_are_read_together(monkeypatch):
    rng = np.random.default_rng(0)
    values = rng.integers(2**60, 2**60 + 2**40, size=(20, 300))
    table = table_of(**{f"c{i}": values[:, i] for i in range(300)})
    asked, select = [], Table.select
    monkeypatch.setattr(
        Table, "select", lambda table, columns: asked.append(1) or select(table, columns)
    )
    X = numeric_table(table).X
    np.testing.assert_array_equal(X, values - values.min(axis=0))
    assert len(asked) <= 3


def test_columns_move_together_when_some_are_left_out():
    table = table_of(
        k=[1, 1, 1], a=[1, 2, 3], n=[None] * 3, b=[3, 1, 2], m=[2, 2, 2], c=[0, 1, 0]
    )
    table = Table(
        "t",
        table.rows.with_columns(pl.col("n").cast(pl.Float64)),
        3,
        {**table.schema, "n": pl.Float64()},
    )
    numbers = numeric_table(table)
    assert numbers.names == ("a", "b", "c")
    np.testing.assert_array_equal(numbers.X, [[1, 3, 0], [2, 1, 1], [3, 2, 0]])
    assert numbers.X.flags.f_contiguous
    assert numbers.left_out == (
        LeftOutColumn("k", "constant"),
        LeftOutColumn("n", "all missing"),
        LeftOutColumn("m", "constant"),
    )


def test_whole_numbers_beyond_double_precision_are_counted_from_their_lowest():
    big = 2**53
    table = table_of(a=[1, 2], c=[big, big + 1], d=[-big - 1, -big], e=[2**62] * 2)
    found = numeric_table(table)
    assert found.names == ("a", "c", "d")
    np.testing.assert_array_equal(found.X, [[1, 0, 0], [2, 1, 1]])
    assert [column.reason for column in found.left_out] == ["constant"]
    assert not any("2**53" in note for note in found.notes)
    apart = table_of(a=[1, 2, 3], wide=[0, 2**62, 2**62 + 1], far=[0, 1, 2**60])
    notes = numeric_table(apart).notes
    assert_tells(notes[-1], "whole numbers", "'wide'", "2**53")


def test_floats_that_may_differ_beyond_double_precision_are_said_to_be_so():
    big = 2.0**53
    table = table_of(a=[1, 2], b=[2, 1], c=[big, big], d=[-big, -big], e=[big - 1] * 2)
    assert {column.name: column.reason for column in numeric_table(table).left_out} == {
        "c": "constant at double precision",
        "d": "constant at double precision",
        "e": "constant",
    }
    with pytest.raises(TableError, match="one column .* double"):
        numeric_table(table_of(c=[big, big]))
    with pytest.raises(TableError, match="all 2 columns .* double"):
        numeric_table(table_of(c=[big, big], e=[1, 1]))


def test_roles():
    table = table_of(a=[1, 2], b=[2, 1], c=[3, 4], d=[5, 6], e=[7, 7])
    roles = ColumnRoles(target="b", identifiers=("c",), keep=("e",))
    numbers = numeric_table(table, roles)
    assert numbers.names == ("a", "d", "e")
    assert {c.name: c.reason for c in numbers.left_out} == {"b": "target", "c": "id"}
    assert all(column.asked_for for column in numbers.left_out)
    assert roles.passed_through == ("c", "b")
    with pytest.raises(UnknownColumnError):
        numeric_table(table, ColumnRoles(target="z"))


def test_a_label_is_the_target_unless_it_has_a_role():
    table = table_of(a=[1, 2], b=[2, 1], y=[0, 1])
    labelled = Table(table.name, table.rows, 2, table.schema, label="y")
    assert numeric_table(labelled).roles.target == "y"
    assert numeric_table(labelled, ColumnRoles(keep=("y",))).names == ("a", "b", "y")
    other = numeric_table(labelled, ColumnRoles(target="a"))
    assert (other.roles.target, other.names) == ("a", ("b", "y"))
    assert numeric_table(labelled, ColumnRoles(drop=("y",))).roles.passed_through == ()


def test_infinite_values_are_counted():
    inf = float("inf")
    with pytest.raises(TableError, match=r"'a' .* row 2 \(1 other columns, too\)"):
        numeric_table(table_of(a=[1.0, inf], b=[-inf, 2.0], c=[1.0, 2.0]))


def test_a_file_that_changes_meanwhile():
    table = table_of(a=[1, 2], b=[2, 1])
    wrong = Table("t", table.rows, 3, table.schema)
    with pytest.raises(TableError, match="2 rows were read and 3 counted"):
        numeric_table(wrong)
