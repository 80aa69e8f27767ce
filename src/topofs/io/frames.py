"""Tables in memory: frames, arrays, AnnData, sparse matrices, lists of rows.

Every function that takes a table calls `readable_table` first. numpy and scikit-learn read its
result correctly and without loss. `column_names` gives the names of the columns.

Written by hand, without narwhals: narwhals does not support sparse columns, positions of
ordered categories, duplicate column names, whole numbers beyond 2⁵³ and masks, so the branches
for pandas and polars would stay.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from importlib.util import find_spec
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.errors import ColumnReadingWarning
from topofs.runtime import parse_memory
from topofs.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from topofs.typing import Doubles

    Array = npt.NDArray[Any]

FIRST_ROUNDED = 2**53
"""float64 holds all whole numbers up to this one, and only some of the larger ones."""

_COLUMNS_AT_ONCE = 256
_INT64, _UINT64 = {"int64", "Int64", "int64[pyarrow]"}, {"uint64", "UInt64", "uint64[pyarrow]"}
_ANY_LENGTH = {"object", "Object", "Int128", "UInt128", "Decimal", "decimal128", "decimal256"}
_LONG = _INT64 | _UINT64 | _ANY_LENGTH
"""The types of numpy, pandas and polars that may hold whole numbers beyond 2⁵³."""

_QUERIES = {
    ("polars", "LazyFrame"): ("a polars LazyFrame", "X.collect()"),
    ("duckdb", "DuckDBPyRelation"): ("a DuckDB relation", "X.df() or X.pl()"),
    ("_duckdb", "DuckDBPyRelation"): ("a DuckDB relation", "X.df() or X.pl()"),
    ("topofs", "BatchSource"): ("a table in batches", "a sample of its rows"),
    ("pyarrow", "FileSystemDataset"): ("a dataset of Arrow", "X.to_table()"),
    ("pyarrow", "InMemoryDataset"): ("a dataset of Arrow", "X.to_table()"),
    ("pyarrow", "UnionDataset"): ("a dataset of Arrow", "X.to_table()"),
    ("pyarrow", "RecordBatchReader"): ("a stream of batches", "X.read_all()"),
    ("pyarrow", "Scanner"): ("a scanner of Arrow", "X.to_table()"),
    ("ibis", "Table"): ("an Ibis table", "X.to_pandas() or X.to_polars()"),
}


@dataclass(frozen=True, eq=False)
class NamedArray:
    """Numbers with the names of their columns; estimators take it where they take an array.

    `values` are an array or a sparse matrix, (n_samples, n_features); NaN marks a missing value.
    """

    values: Any
    names: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples and of columns."""
        return (self.values.shape[0], self.values.shape[1])

    def take(self, rows: npt.NDArray[np.intp]) -> NamedArray:
        """Give some rows; a row may be repeated."""
        return replace(self, values=self.values[rows])


# Kinds of tables, and names of their columns


def library_of(table: Any) -> str:
    """Name the package that the type of a table comes from."""
    return type(table).__module__.partition(".")[0]


def is_frame(table: Any) -> bool:
    """Whether a table is a pandas or polars data frame."""
    return library_of(table) in {"pandas", "polars"} and hasattr(table, "columns")


def is_annotated(table: Any) -> bool:
    """Whether a table is an AnnData object, without importing anndata."""
    return library_of(table) == "anndata" and hasattr(table, "var_names")


def sparse_columns(table: Any) -> list[int]:
    """Positions of the columns of a pandas data frame that are sparse; none in other tables."""
    if library_of(table) != "pandas" or not is_frame(table):
        return []
    return [i for i, dtype in enumerate(table.dtypes) if type(dtype).__name__ == "SparseDtype"]


def column_name(label: Any) -> str:
    """Turn the label of a column into its name: 10 into "10", ("a", "b") into "a, b".

    Labels of several levels are tuples; empty levels at the end are left out, as in pandas.
    """
    if not isinstance(label, tuple):
        return str(label)
    parts = [str(part) for part in label]
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return ", ".join(parts)


def column_names(table: Any) -> tuple[str, ...] | None:
    """Give the names of the columns of a table that has any, from labels of any type."""
    if isinstance(table, NamedArray):
        return table.names
    if is_annotated(table):
        return tuple(map(str, table.var_names))
    if library_of(table) == "pyarrow" and hasattr(table, "column_names"):
        return tuple(table.column_names)
    # The columns of a `TypedTable` are no labels.
    labels = None if library_of(table) == "topofs" else getattr(table, "columns", None)
    return None if labels is None else tuple(map(column_name, labels))


def named_series(table: Any) -> list[tuple[str, Any]]:
    """The columns of a frame, with their names."""
    names = enumerate(map(column_name, table.columns))
    return [(name, series_at(table, i)) for i, name in names]


def series_at(table: Any, position: int) -> Any:
    """One column of a frame; by position, because in pandas two may share a name."""
    polars = library_of(table) == "polars"
    return table.to_series(position) if polars else table.iloc[:, position]


def is_missing(value: Any) -> bool:
    """Whether an object stands for a missing value."""
    if value is None or value is np.ma.masked:
        return True
    if type(value).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


# From one form to another


def readable_table(table: Any, *, names: Sequence[str] | None = None) -> Any:
    """Give a table in a form that is read without loss; refuse one that holds no rows.

    Masked values become missing. The lowest value is subtracted from columns of whole numbers
    beyond 2⁵³, which float64 does not hold exactly; this changes no similarity. A warning names
    columns whose range is still too large. An Arrow table becomes a data frame, an AnnData
    object and a sparse frame the `NamedArray` of their matrix, sparse where it is. `names` are
    those of the columns of an array.
    """
    table = named_matrix(table)
    if isinstance(table, NamedArray):
        return replace(table, values=readable_table(table.values, names=table.names))
    refuse_without_rows(table)
    if isinstance(table, (list, tuple)):
        table = _array_of_rows(table)
    if hasattr(table, "tocsc") and table.dtype.kind in "iu":
        # The lowest value of a sparse table must stay 0.
        columns = table.tocsc()
        long = np.flatnonzero(
            (columns.data > FIRST_ROUNDED) | (columns.data < -float(FIRST_ROUNDED))
        )
        if long.size:
            _warn_of_span(table, names, _column_of_entry(columns, long[0]))
        return table
    counted = {}
    for i in _long_columns(table):
        column = series_at(table, i) if is_frame(table) else table[:, i]
        found = from_lowest(column)
        if found is not None:
            counted[i] = found[0]
            if not found[1]:
                _warn_of_span(table, names, i)
    readable = unmasked(table)
    return with_floats(readable, counted) if counted else readable


def named_matrix(
    X: Any, *, layer: str | None = None, feature_names: Sequence[str] | None = None
) -> Any:
    """Give an AnnData object, a sparse frame or a matrix with its names; others as they are.

    An Arrow table becomes a data frame. A frame is sparse if all of its columns are sparse with
    fill value zero; in other frames sparse columns become dense.
    """
    if is_annotated(X):
        if feature_names is not None:
            raise ValueError(
                "feature_names is given, but X is an AnnData object with var_names"
            )
        return NamedArray(_matrix_of(X, layer), tuple(map(str, X.var_names)))
    if layer is not None:
        raise ValueError(
            f"layer is {layer!r}, but X is a {type(X).__name__}: only AnnData objects have layers"
        )
    X = arrow_as_frame(X)
    if thin := sparse_columns(X):
        if len(thin) == X.shape[1] and all(dtype.fill_value == 0 for dtype in X.dtypes):
            return NamedArray(X.sparse.to_coo().tocsc(), tuple(map(column_name, X.columns)))
        X = X.copy(deep=False)
        for i in thin:
            X.isetitem(i, series_at(X, i).sparse.to_dense())
    if feature_names is None:
        return X
    names = tuple(map(str, feature_names))
    values = X if _is_matrix(X) else as_array(X)
    if len(names) != values.shape[1]:
        raise ValueError(f"feature_names has {len(names)} names for {values.shape[1]} columns")
    if len(set(names)) < len(names):
        raise ValueError("feature_names has a name twice: give each column one of its own")
    return NamedArray(values, names)


def column_of_obs(X: Any, name: str) -> Any:
    """A column of the annotation of an AnnData object."""
    if not is_annotated(X):
        raise ValueError(
            f"y is {name!r}, but X is a {type(X).__name__}: only AnnData objects have columns of "
            "obs; give one value a row"
        )
    if name not in X.obs:
        known = listed(list(map(str, X.obs.columns)), quoted=True, most=8) or "none"
        raise ValueError(f"obs has no column {name!r}; there are {known}")
    return X.obs[name]


def _is_matrix(values: Any) -> bool:
    """Whether values are sparse or masked, and must stay so until they are read."""
    return hasattr(values, "tocsc") or isinstance(values, np.ma.MaskedArray)


def _matrix_of(X: Any, layer: str | None) -> Any:
    """The matrix of an AnnData object; a sparse one stays sparse."""
    if layer is not None and layer not in X.layers:
        known = listed(list(X.layers), quoted=True) or "none"
        raise ValueError(f"there is no layer {layer!r}; there are {known}")
    matrix = X.X if layer is None else X.layers[layer]
    if matrix is None:
        raise ValueError("the AnnData object has no X: give layer=, one of its layers")
    if X.isbacked and layer is None:
        matrix = X.to_memory().X
    if library_of(matrix) == "dask":
        raise TypeError(
            "the matrix of the AnnData object is a dask array: pass X.to_memory(), or the array "
            "itself"
        )
    if not X.var_names.is_unique:
        raise ValueError(
            "the AnnData object has gene names twice: call adata.var_names_make_unique() first"
        )
    return matrix if _is_matrix(matrix) else np.asarray(matrix)


def arrow_as_frame(table: Any) -> Any:
    """Make a data frame of an Arrow table; others stay as they are."""
    if library_of(table) != "pyarrow" or not hasattr(table, "column_names"):
        return table
    if find_spec("polars") is not None:
        import polars as pl

        return pl.from_arrow(table)
    return table.to_pandas(integer_object_nulls=True) if find_spec("pandas") else table


def as_array(table: Any) -> Array:
    """Make an array of a table; text becomes objects, as text arrays pad all rows."""
    rows = table if isinstance(table, (list, tuple)) else ()
    if any(isinstance(value, str) for row in rows if np.iterable(row) for value in row):
        return np.array(table, dtype=object)
    return np.asarray(table)


def _array_of_rows(rows: Sequence[Any]) -> Array:
    """Make an array of rows, which may be masked, hold text or whole numbers of any length."""
    if any(isinstance(row, np.ma.MaskedArray) for row in rows):
        return np.ma.vstack(rows)
    has_long = any(
        type(value) is int and abs(value) > FIRST_ROUNDED
        for row in rows
        if isinstance(row, (list, tuple))
        for value in row
    )
    return np.array(rows, dtype=object) if has_long else as_array(rows)


def as_vector(values: Any) -> Array:
    """Make an array of values, one a row; text becomes objects, as in `as_array`."""
    if not isinstance(values, (list, tuple)):
        return np.asanyarray(values)
    if not any(isinstance(value, str) for value in values):
        return np.asarray(values)
    vector = np.empty(len(values), dtype=object)
    vector[:] = values
    return vector


def unmasked(values: Any) -> Any:
    """Make masked values of an array missing: NaN, NaT or None, by its type."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    plain, mask = values.data, np.ma.getmaskarray(values)
    if not mask.any():
        return plain
    missing: Any = None
    if plain.dtype.kind in "iufc":
        # A copy by rows: sums of products depend on the order in memory.
        plain = plain.astype(np.float64) if plain.dtype.kind in "iu" else plain.copy()
        missing = np.nan
    elif plain.dtype.kind in "mM":
        plain, missing = plain.copy(), np.array("NaT", dtype=plain.dtype)
    else:
        plain = plain.astype(object)
    plain[mask] = missing
    return plain


def dense_values(values: Any, *, what: str) -> Any:
    """Make a sparse matrix an array, if memory allows; other tables are returned unchanged.

    `what` is the beginning of the error, such as "similarity 'spearman' takes".
    """
    if not hasattr(values, "tocsc"):
        return values
    bytes_each = values.dtype.itemsize if values.dtype.kind == "f" else 8
    needed = bytes_each * values.shape[0] * values.shape[1]
    if needed > parse_memory(None):
        raise ValueError(
            f"{what} no sparse table, and as a dense one this needs {needed / 1e9:.1f} GB: give "
            "fewer rows or columns"
        )
    return values.toarray(order="F")


def dense_frame(table: Any, *, what: str) -> Any:
    """Give a frame or an array, whose names scikit-learn checks, of any table in memory."""
    table = named_matrix(table)
    if not isinstance(table, NamedArray):
        return dense_values(unmasked(table), what=what)
    # Where these are, pandas is.
    from pandas import DataFrame

    return DataFrame(dense_values(table.values, what=what), columns=list(table.names))


def with_floats(table: Any, columns: Mapping[int, Doubles]) -> Any:
    """Replace some columns of a frame or array by floats, in a copy."""
    if library_of(table) == "polars":
        series = type(table.to_series(0))
        return table.with_columns(
            series(table.columns[i], floats, nan_to_null=True) for i, floats in columns.items()
        )
    if is_frame(table):
        changed = table.copy(deep=False)
        for i, floats in columns.items():
            changed.isetitem(i, floats)
        return changed
    values = np.array(table, dtype=object if table.dtype.kind in "OUT" else np.float64)
    for i, floats in columns.items():
        values[:, i] = floats
    return values


# Errors


def refuse_without_rows(table: Any) -> None:
    """Refuse a query that has not run, and a frame that is empty."""
    refuse_unread(table)
    if is_frame(table) and 0 in table.shape:
        raise too_small(*table.shape)


def refuse_unread(table: Any) -> None:
    """Refuse a query that has not run."""
    query = _QUERIES.get((library_of(table), type(table).__name__))
    if query is not None:
        raise TypeError(f"X is {query[0]}, which holds no rows yet: pass {query[1]}")


def too_small(n_samples: int, n_features: int) -> ValueError:
    """Make the error for a table in which nothing can be compared."""
    return ValueError(
        f"X has {n_samples} samples and {n_features} columns, while a minimum of 2 samples and 1 "
        "column is required"
    )


def infinite_value(name: str, row: int) -> ValueError:
    """Make the error for a value that is infinite, or too large for a float."""
    return ValueError(
        f"column {name!r} has an infinite value in row {row}: replace it by a number or leave it "
        "missing"
    )


def refuse_infinite(table: Any, *, names: Sequence[str] | None = None) -> None:
    """Name the first column of a table of numbers that has an infinite value, if one has.

    A missing value of a sparse table is refused as well.
    """
    if hasattr(table, "tocsc"):
        columns = table.tocsc()
        wrong = np.flatnonzero(~np.isfinite(columns.data.astype(np.float64)))
        if wrong.size:
            j = _column_of_entry(columns, wrong[0])
            name = names[j] if names is not None else f"x{j}"
            raise ValueError(
                f"column {name!r} has a missing (NaN) or infinite value in row "
                f"{columns.indices[wrong[0]]}: replace it, or pass a dense table, whose values may "
                "be missing"
            )
        return
    for j, name, values in _float_columns(table):
        infinite = np.isinf(values)
        if infinite.any():
            known = names[j] if names is not None else name
            raise infinite_value(known, int(infinite.argmax()))


def _float_columns(table: Any) -> Iterator[tuple[int, str, Doubles]]:
    """The columns of a table that are floats, with their positions and names."""
    if is_frame(table):
        columns = [(name, np.asarray(series)) for name, series in named_series(table)]
    else:
        values = np.asarray(unmasked(table))
        columns = [(f"x{j}", v) for j, v in enumerate(values.T)] if values.ndim == 2 else []
    for j, (name, column) in enumerate(columns):
        numbers = column
        if column.dtype == object:
            try:
                cells = [np.nan if is_missing(value) else value for value in column]
                numbers = np.array(cells, dtype=np.float64)
            except (TypeError, ValueError, OverflowError):
                continue
        if numbers.dtype.kind == "f":
            # Floats wider than float64 may overflow.
            with np.errstate(over="ignore"):
                yield j, name, numbers.astype(np.float64)


def _column_of_entry(columns: Any, entry: int) -> int:
    """The column of a stored entry of a sparse table in columns."""
    return int(np.searchsorted(columns.indptr, entry, side="right")) - 1


# Whole numbers beyond 2⁵³


def from_lowest(values: Any) -> tuple[Doubles, bool] | None:
    """Subtract the lowest value from whole numbers beyond 2⁵³; give the differences in float64.

    `values` are an array or a Series of pandas or polars; missing ones are masked, null, None or
    NaN. Gives the differences, NaN where missing, and whether they distinguish all values; None
    for a column that float64 holds exactly.
    """
    library, word = library_of(values), str(values.dtype).partition("(")[0]
    if word in _ANY_LENGTH:
        if library in {"pandas", "polars"}:
            return _objects_from_lowest(values.to_list())
        return _objects_from_lowest(unmasked(values).tolist())
    if word not in _LONG:
        return None
    if library == "polars":
        whole, given = values.fill_null(0).to_numpy(), values.is_not_null().to_numpy()
    elif library == "pandas":
        of_type = "uint64" if word in _UINT64 else "int64"
        whole = values.to_numpy(dtype=of_type, na_value=0)
        given = values.notna().to_numpy()
    else:
        whole, given = np.ma.getdata(values), ~np.ma.getmaskarray(values)
    there = whole[given]
    if not there.size:
        return None
    lowest, highest = int(there.min()), int(there.max())
    if max(-lowest, highest) <= FIRST_ROUNDED:
        return None
    # Modulo 2⁶⁴ the difference is exact, whatever the sign.
    differences = there.astype(np.uint64) - np.uint64(lowest % 2**64)
    floats = np.full(len(whole), np.nan)
    floats[given] = differences
    wide = highest - lowest > FIRST_ROUNDED
    rounded = wide and len(np.unique(differences)) > len(np.unique(floats[given]))
    return floats, not rounded


def _objects_from_lowest(values: list[Any]) -> tuple[Doubles, bool] | None:
    """The same for objects: numbers, with whole numbers beyond 2⁵³ among them."""
    there: list[Any] = []
    given, is_long = np.zeros(len(values), dtype=np.bool_), False
    for i, value in enumerate(values):
        if is_missing(value):
            continue
        if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
            return None
        there.append(int(value) if isinstance(value, Integral) else value)
        given[i] = True
        if isinstance(value, (Integral, Decimal)):
            is_long = is_long or abs(there[-1]) > FIRST_ROUNDED
    if not is_long:
        return None
    floats = np.full(len(values), np.nan)
    try:
        exact: list[Any] = [v if isinstance(v, int) else _exact(v) for v in there]
        lowest = min(exact)
        floats[given] = [float(value - lowest) for value in exact]
    except (OverflowError, ValueError):
        # Infinite or too large: the reader of the column raises the error.
        return None
    return floats, len(set(exact)) == len(np.unique(floats[given]))


def _exact(value: Any) -> Fraction:
    return Fraction(float(value) if isinstance(value, np.floating) else value)


def _long_columns(table: Any) -> list[int]:
    """The columns of a frame or array that may hold whole numbers beyond 2⁵³."""
    if not is_frame(table):
        if not isinstance(table, np.ndarray) or table.ndim != 2 or not table.size:
            return []
        if table.dtype == object:
            return list(range(table.shape[1]))
        return _beyond(table) if str(table.dtype) in _LONG else []
    words = [str(dtype).partition("(")[0] for dtype in table.dtypes]
    long = [i for i, word in enumerate(words) if word in _LONG]
    if library_of(table) == "polars":
        return long
    # Many columns at once: taking columns from a pandas frame one by one is slow.
    found = [i for i in long if words[i] not in {"int64", "uint64"}]
    for word in ("int64", "uint64"):
        of_type = [i for i in long if words[i] == word]
        for start in range(0, len(of_type), _COLUMNS_AT_ONCE):
            some = of_type[start : start + _COLUMNS_AT_ONCE]
            found += [some[j] for j in _beyond(table.iloc[:, some].to_numpy())]
    return sorted(found)


def _beyond(table: Array) -> list[int]:
    """The columns with numbers beyond 2⁵³ of an array of whole numbers, perhaps masked."""
    low, high = table.min(axis=0), table.max(axis=0)
    beyond = (low < -FIRST_ROUNDED) | (high > FIRST_ROUNDED)
    return np.flatnonzero(np.ma.filled(beyond, fill_value=False)).tolist()


def refuse_long(table: Any, *, names: Sequence[str] | None, why: str) -> None:
    """Refuse a table with whole numbers beyond 2⁵³, with the reason."""
    for i in _long_columns(table):
        column = series_at(table, i) if is_frame(table) else table[:, i]
        if from_lowest(column) is not None:
            name = f"x{i}" if names is None else names[i]
            raise ValueError(f"column {name!r} holds whole numbers beyond 2**53, {why}")


def _warn_of_span(table: Any, names: Sequence[str] | None, position: int) -> None:
    """Warn, at the user's line, that different whole numbers of a column become equal."""
    depth, frame = 1, sys._getframe(0)  # noqa: SLF001 - there is no other way to find the line
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(
        ("topofs.", "sklearn.")
    ):
        depth, frame = depth + 1, frame.f_back
    known = names if names is not None else column_names(table)
    name = f"x{position}" if known is None else known[position]
    warnings.warn(
        f"column {name!r} holds whole numbers that span more than 2**53: in float64 some that "
        "differ count as equal; where their differences matter, split them into two columns",
        ColumnReadingWarning,
        stacklevel=depth,
    )
