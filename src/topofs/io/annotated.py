"""AnnData files (.h5ad) as tables: genes are columns, with the annotation of cells."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from topofs.errors import TableError, import_extra
from topofs.io.arrays import refuse_oversize
from topofs.io.frames import named_matrix
from topofs.io.table import Table
from topofs.text import listed

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from topofs.typing import Floats

ENDING = ".h5ad"
"""The file name ending of AnnData files."""


@dataclass(frozen=True, eq=False)
class AnnotatedTable(Table):
    """A table in an AnnData object: a matrix of genes, and annotation of its rows.

    `matrix` is the X of `annotated` or the requested layer, dense or sparse, of shape
    (n_samples, n_genes). `genes` are its columns, and `rows` holds only the annotation. If X
    was sparse by rows, `matrix` is `in_place_of_x`: X was removed from `annotated`.
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

    def columns_of_matrix(self, used: Sequence[int]) -> Any:
        """Some columns; no copy if the other columns of a sparse matrix store nothing."""
        X = self.matrix
        if len(used) == len(self.genes):
            return X
        if hasattr(X, "tocsc"):
            starts = np.append(X.indptr[:-1][used], X.indptr[-1])
            if (np.diff(X.indptr)[used] == np.diff(starts)).all():
                return type(X)((X.data, X.indices, starts), shape=(X.shape[0], len(used)))
        return X[:, used]

    def ranges(self) -> tuple[Floats, Floats]:
        """The least and the largest value of each gene; infinite ones are refused."""
        from sklearn.utils.sparsefuncs import min_max_axis

        X = self.matrix
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
                f"{self.name}: the column {self.genes[int(wrong.argmax())]!r} holds {what}; "
                "replace it, or leave the column out of the file"
            )
        return lowest, highest


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
    """Whether an HDF5 file seems to hold an AnnData object."""
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
    """Read an AnnData file, if its arrays do not exceed the limit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        purpose = "Reading and writing .h5ad files"
        anndata = import_extra("anndata", extra="anndata", purpose=purpose)
        refuse_oversize(name, "unpacked, this", _unpacked_bytes(path), limit)
        try:
            adata = anndata.read_h5ad(path)
        except Exception as error:
            why = " ".join(str(error).split())[:200] or type(error).__name__
            raise TableError(f"{name}: the AnnData file cannot be read ({why})") from error
    if layer is not None and layer not in adata.layers:
        known = listed(list(adata.layers), quoted=True) or "none"
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
        # Avoid a second copy of a large matrix.
        adata.X = None
        del named
    known_genes = set(genes)
    obs = pl.DataFrame(
        [
            _series(str(column), adata.obs[column])
            for column in adata.obs.columns
            if str(column) not in known_genes
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
    """Write selected genes, in the order of `ranks`, as an AnnData file with their annotation.

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
    """Bytes of the arrays of an HDF5 file, from their descriptions."""
    import h5py

    sizes: list[int] = []

    def add(_: str, item: Any) -> None:
        # An entry for None, as scanpy's log1p writes, has no size.
        if isinstance(item, h5py.Dataset) and item.size is not None:
            sizes.append(item.size * item.dtype.itemsize)

    try:
        with h5py.File(path) as file:
            file.visititems(add)
    except (OSError, RuntimeError):
        return 0  # the reader reports the fault
    return sum(sizes)


def _series(name: str, values: Any) -> pl.Series:
    """A column of the annotation, as numbers, truth values, dates or text."""
    kind = getattr(values.dtype, "kind", "O")
    if isinstance(values.dtype, np.dtype) and kind in "biufM":
        return pl.Series(name, values.to_numpy())
    cells = zip(values.tolist(), values.isna().tolist(), strict=True)
    texts = [None if missing else str(value) for value, missing in cells]
    return pl.Series(name, texts, dtype=pl.String)
