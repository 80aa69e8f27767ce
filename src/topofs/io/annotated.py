"""AnnData files (.h5ad) as tables: genes are columns, the annotation of cells beside them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from topofs.errors import TableError, import_extra
from topofs.io.arrays import refuse_oversize
from topofs.io.frames import named_matrix
from topofs.io.numeric_table import check_rows, compared
from topofs.io.table import ColumnRoles, Table
from topofs.io.types import why_constant

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from topofs.io.table import ComparableTable

__all__ = [
    "ENDING",
    "AnnotatedTable",
    "annotated_table",
    "check_annotated",
    "holds_annotated",
    "is_annotated_ending",
    "open_annotated",
    "write_genes",
]

ENDING = ".h5ad"
"""How the names of AnnData files end."""

_PURPOSE = "Reading and writing .h5ad files"


@dataclass(frozen=True, eq=False)
class AnnotatedTable(Table):
    """A table that lies in an AnnData object: a matrix of genes, and annotation of its rows.

    `matrix` is the X of `annotated` or the layer that was asked for, dense or sparse, of shape
    (n_samples, n_genes); `genes` are its columns, `rows` holds the annotation alone. Where it is
    a sparse X that lay row by row, it is `in_place_of_x`: `annotated` has none any more.
    """

    annotated: Any = None
    matrix: Any = None
    in_place_of_x: bool = False
    genes: tuple[str, ...] = ()

    def select(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Give some columns, genes as dense ones."""
        place = {gene: i for i, gene in enumerate(self.genes)}
        obs = self.rows.collect()
        wanted = [column for column in columns if column in place]
        dense = self.matrix[:, [place[gene] for gene in wanted]]
        dense = dense.toarray() if hasattr(dense, "toarray") else np.asarray(dense)
        genes = {gene: pl.Series(gene, dense[:, i]) for i, gene in enumerate(wanted)}
        return pl.DataFrame(
            [genes[c] if c in genes else obs.get_column(c) for c in columns]
        ).lazy()


def is_annotated_ending(path: str | os.PathLike[str]) -> bool:
    """Whether the name of a file is that of an AnnData file."""
    return Path(path).suffix.lower() == ENDING


def check_annotated(table: Table, path: Path | None) -> None:
    """Refuse to write an AnnData file from a table that is none."""
    if not isinstance(table, AnnotatedTable):
        raise ValueError(
            f"{path}: only what is read from an {ENDING} file can be written as one, and "
            f"{table.name} is none; end the name in .csv, .tsv or .parquet"
        )


def holds_annotated(path: Path) -> bool:
    """Whether an HDF5 file holds an AnnData object, as far as can be told."""
    try:
        import h5py
    except ImportError:
        return False
    try:
        with h5py.File(path) as file:
            kind = file.attrs.get("encoding-type")
            return kind == "anndata" or {"obs", "var"} <= set(file)
    except OSError:
        return False


def open_annotated(path: Path, name: str, *, layer: str | None, limit: int) -> AnnotatedTable:
    """Read an AnnData file, if its arrays are no larger than they may be."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anndata = import_extra("anndata", extra="anndata", purpose=_PURPOSE)
        refuse_oversize(name, "unpacked, this", _unpacked_bytes(path), limit)
        try:
            adata = anndata.read_h5ad(path)
        except Exception as error:
            why = " ".join(str(error).split())[:200] or type(error).__name__
            raise TableError(f"{name}: the AnnData file cannot be read ({why})") from error
    if layer is not None and layer not in adata.layers:
        known = ", ".join(map(repr, adata.layers)) or "none"
        raise ValueError(f"--layer: {name} has no layer {layer!r}; there are {known}")
    try:
        named = named_matrix(adata, layer=layer)
    except ValueError as error:
        said = str(error).replace("give layer=, one of its layers", "give --layer")
        raise TableError(f"{name}: {said}") from error
    matrix, genes = named.values, named.names
    if matrix.dtype.kind not in "fiub":
        raise TableError(f"{name}: the matrix holds {matrix.dtype}, not numbers")
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    in_place_of_x = matrix is adata.X and getattr(matrix, "format", None) == "csr"
    if hasattr(matrix, "tocsc"):
        matrix = matrix.tocsc()
    if in_place_of_x:
        # One copy of a large matrix is enough.
        adata.X = None
        del named
    obs = pl.DataFrame(
        [
            _series(str(column), adata.obs[column])
            for column in adata.obs.columns
            if str(column) not in set(genes)
        ]
    )
    number: Any = pl.Float32() if matrix.dtype == np.float32 else pl.Float64()
    return AnnotatedTable(
        name=name,
        rows=obs.lazy(),
        n_samples=matrix.shape[0],
        schema=dict.fromkeys(genes, number) | dict(obs.schema),
        annotated=adata,
        matrix=matrix,
        in_place_of_x=in_place_of_x,
        genes=genes,
    )


def write_genes(
    table: Table, ranks: Mapping[str, int], path: Path, *, with_groups: bool
) -> None:
    """Write selected genes, in the order of `ranks`, as an AnnData file with all of theirs.

    `var` gets ``selected``, ``rank`` and, where genes represent others, ``representative``.
    """
    assert isinstance(table, AnnotatedTable)
    names = list(ranks)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reduced = table.annotated[:, names].copy()
        if table.in_place_of_x:
            place = {gene: i for i, gene in enumerate(table.genes)}
            reduced.X = table.matrix[:, [place[name] for name in names]].tocsr()
        reduced.var["selected"] = True
        reduced.var["rank"] = list(ranks.values())
        if with_groups:
            reduced.var["representative"] = names
        reduced.write_h5ad(path)


def _unpacked_bytes(path: Path) -> int:
    """What the arrays of an HDF5 file take, as their descriptions say."""
    import h5py

    sizes: list[int] = []

    def add(_: str, item: Any) -> None:
        # What stands for None, as scanpy's log1p leaves it, has no size.
        if isinstance(item, h5py.Dataset) and item.size is not None:
            sizes.append(item.size * item.dtype.itemsize)

    try:
        with h5py.File(path) as file:
            file.visititems(add)
    except (OSError, RuntimeError):
        return 0  # the reader says what is wrong
    return sum(sizes)


def annotated_table(table: AnnotatedTable, roles: ColumnRoles | None = None) -> ComparableTable:
    """Give the genes that vary; the matrix stays sparse where it is."""
    roles = (roles or ColumnRoles()).for_table(table)
    check_rows(table)
    genes = set(table.genes)
    for column in roles.keep:
        if column not in genes:
            raise ValueError(
                f"--keep: the column {column!r} is annotation of the rows, which is not selected "
                "from; all of it goes into an .h5ad file"
            )
    lowest, highest = _range(table)
    reasons = {
        column: "annotation of the rows" for column in table.columns if column not in genes
    }
    for i in np.flatnonzero(~(lowest < highest)).tolist():
        if table.genes[i] not in roles.keep:
            reasons[table.genes[i]] = why_constant(float(highest[i]))
    reasons |= roles.reasons
    used = [i for i, gene in enumerate(table.genes) if gene not in reasons]
    names = tuple(table.genes[i] for i in used)
    if len(names) < 2:
        which = f"one column that varies, {names[0]!r}" if names else "no column that varies"
        raise TableError(f"{table.name}: has {which}; at least two are needed")
    X = table.matrix if len(used) == len(table.genes) else _columns(table.matrix, used)
    found = compared(table, roles, reasons, X=X, names=names)
    left_out = tuple(
        column if column.name in genes else replace(column, asked_for=True)
        for column in found.left_out
    )
    return replace(found, left_out=left_out)


def _columns(X: Any, used: Sequence[int]) -> Any:
    """Some columns; where the others of a sparse matrix store nothing, in its own memory."""
    if hasattr(X, "tocsc"):
        starts = np.append(X.indptr[:-1][used], X.indptr[-1])
        if (np.diff(X.indptr)[used] == np.diff(starts)).all():
            return type(X)((X.data, X.indices, starts), shape=(X.shape[0], len(used)))
    return X[:, used]


def _range(table: AnnotatedTable) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The least and the largest value of each gene; infinite ones are refused."""
    from sklearn.utils.sparsefuncs import min_max_axis

    X = table.matrix
    if hasattr(X, "tocsc"):
        lowest, highest = min_max_axis(X, axis=0)
        wrong = ~(np.isfinite(lowest) & np.isfinite(highest))
        what = "a missing or infinite value"
    else:
        lowest, highest = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
        wrong = np.isinf(lowest) | np.isinf(highest)
        what = "an infinite value"
    if wrong.any():
        raise TableError(
            f"{table.name}: the column {table.genes[int(wrong.argmax())]!r} holds {what}; "
            "replace it, or leave the column out of the file"
        )
    return lowest, highest


def _series(name: str, values: Any) -> pl.Series:
    """A column of the annotation, as numbers, truth values, dates or text."""
    kind = getattr(values.dtype, "kind", "O")
    if isinstance(values.dtype, np.dtype) and kind in "biufM":
        return pl.Series(name, values.to_numpy())
    missing = values.isna().to_numpy()
    return pl.Series(
        name,
        [
            None if gone else str(value)
            for value, gone in zip(values.tolist(), missing, strict=True)
        ],
        dtype=pl.String,
    )
