"""A dask array or dataframe as a table: its checks, its blocks, and the cluster that holds it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.errors import import_extra
from topofs.io.frames import FIRST_ROUNDED, library_of
from topofs.runtime import machine_memory
from topofs.text import listed

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs.similarity.base import Measure
    from topofs.typing import Doubles

# Most columns of a block, so that all workers get blocks, …
_WIDEST_BLOCK = 1024
# … unless this number of blocks is exceeded: every pair of blocks is a task.
_MOST_BLOCKS = 64
# Copies of a column while it is ranked and scaled: values, order, ranks, scaled.
_COPIES = 4


def is_dask(X: Any) -> bool:
    """Tell whether something is a dask collection, without importing dask."""
    return library_of(X) in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")


def check_dask_table(X: Any) -> Any:
    """Check a dask array or dataframe of numbers without reading its values.

    Gives an array of float32 or float64. For a dataframe, the lengths of its partitions are
    computed.
    """
    import_extra("dask.array", extra="dask", purpose="A dask collection as X")
    check_dimensions(X)
    # Check before computing anything: computing lengths would wait for a lost cluster.
    active_client()
    array = _array_of_frame(X) if hasattr(X, "columns") else X
    if array.dtype.kind not in "fiub":
        raise ValueError(f"X must hold real numbers; its chunks are of type {array.dtype}")
    if isinstance(array._meta, np.ma.MaskedArray):  # noqa: SLF001 - the only way to ask
        raise ValueError(
            "X is a masked dask array, and workers compare complete columns only: fill what is "
            "masked (da.ma.filled), or pass it as NaN in a table in memory"
        )
    if not isinstance(array._meta, np.ndarray):  # noqa: SLF001 - the only way to ask
        raise ValueError(
            f"the chunks of X must be NumPy arrays; they are {type(array._meta).__name__}: "  # noqa: SLF001
            "convert them with X.map_blocks"
        )
    if np.isnan(array.shape).any():
        raise ValueError(
            f"the chunk sizes of X are unknown (its shape is {array.shape}): call "
            "X.compute_chunk_sizes() first"
        )
    if array.shape[0] < 2 or array.shape[1] < 1:
        raise ValueError(
            f"X has the shape {array.shape}; at least 2 samples and 1 feature are needed"
        )
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        return array.map_blocks(
            _floats_of_whole_numbers, dtype=np.float64, meta=np.empty((0, 0))
        )
    return array.astype(np.float32 if array.dtype == np.float32 else np.float64)


def check_dimensions(X: Any) -> None:
    """Refuse a dask collection that is not a table."""
    # Any attribute of a Delayed exists, as another Delayed.
    n_dimensions = getattr(X, "ndim", None)
    if not isinstance(n_dimensions, int) or n_dimensions != 2:
        raise ValueError(
            f"X is a dask {type(X).__name__}, which is not a table; give a dask array or "
            "dataframe, samples × features"
        )


def _array_of_frame(X: Any) -> Any:
    from pandas.api.types import is_complex_dtype, is_numeric_dtype

    dtypes = list(zip(X.columns, X.dtypes, strict=True))
    other = [
        str(name)
        for name, dtype in dtypes
        if not is_numeric_dtype(dtype) or is_complex_dtype(dtype)
    ]
    if other:
        raise ValueError(
            "X must hold real numbers; these columns hold other things: "
            f"{listed(other, most=5)}"
        )
    single = bool(dtypes) and all(dtype == np.float32 for _, dtype in dtypes)
    if any(_has_64_bits(dtype) for _, dtype in dtypes):
        X = X.map_partitions(_checked_frame, meta=X._meta)  # noqa: SLF001 - stays as it is
    return X.astype(np.float32 if single else np.float64).to_dask_array(lengths=True)


def _floats_of_whole_numbers(chunk: npt.NDArray[Any]) -> Doubles:
    """Turn whole numbers into floats, unless that rounds them (on a worker)."""
    if chunk.size and max(-int(chunk.min()), int(chunk.max())) > FIRST_ROUNDED:
        raise ValueError(
            "X holds whole numbers beyond 2**53, which float64 rounds: count them from the "
            "lowest of their column (X - X.min(axis=0)), or load the table with X.compute()"
        )
    return chunk.astype(np.float64)


def _checked_frame(part: Any) -> Any:
    """The same check for a partition of a data frame, which is not changed (on a worker)."""
    for i in range(part.shape[1]):
        series = part.iloc[:, i]
        if _has_64_bits(series.dtype):
            _floats_of_whole_numbers(series.dropna().to_numpy(dtype=_plain_type(series.dtype)))
    return part


def _has_64_bits(dtype: Any) -> bool:
    """Whether a type of numpy, pandas or Arrow is one of whole numbers that floats may round."""
    return _plain_type(dtype) in {"int64", "uint64"}


def _plain_type(dtype: Any) -> str:
    return str(dtype).partition("[")[0].lower()


def in_blocks(array: Any) -> Any:
    """Cut a checked dask array into blocks of columns, and leave its chunks of rows."""
    return array.rechunk({1: _block_width(array)}, method="tasks")


def whole_columns(array: Any, measure: Measure) -> Any:
    """Cut a checked dask array into blocks of whole columns that fit on a worker."""
    memory = least_worker_memory()
    if measure.products != "values":
        _check_column_fits(array.shape[0], memory)
    width = min(_block_width(array), _columns_that_fit(array.shape[0], memory))
    # Rechunk by tasks: the other method keeps state on workers, which is lost if one dies.
    return array.rechunk({0: -1, 1: width}, method="tasks")


def _block_width(array: Any) -> int:
    widest: int = min(max(array.chunks[1]), _WIDEST_BLOCK)
    least: int = -(-array.shape[1] // _MOST_BLOCKS)
    return max(widest, least)


def _columns_that_fit(n_samples: int, memory: int) -> int:
    # A product needs two blocks, and a worker may run several products.
    return max(1, memory // (4 * _COPIES * 8 * n_samples))


def _check_column_fits(n_samples: int, memory: int) -> None:
    needed = _COPIES * 8 * n_samples
    if needed > memory:
        raise ValueError(
            f"ranks need whole columns: ranking one of {n_samples} samples takes "
            f"{needed / 1e9:.3g} GB, but a worker has {memory / 1e9:.3g} GB. Use similarity "
            "'pearson', start workers with more memory, or fit on a sample of the rows"
        )


def rare_dask_columns(array: Any, least: int) -> dict[int, int]:
    """Find the columns of a checked dask array that fewer than `least` samples carry.

    It does what `topofs.similarity.table.rare_columns` does, chunk by chunk, in one pass. If a
    column is rare, its most frequent value is also that of most of the first samples, because
    too few samples have another value.
    """
    if least < 2:
        return {}
    first = np.sort(np.asarray(array[: max(1000, 2 * least + 1)].compute()), axis=0)
    # Missing values come last, and nothing carries a missing value.
    observed = np.count_nonzero(~np.isnan(first), axis=0)
    middle = first[observed // 2, np.arange(first.shape[1])]
    carriers = np.asarray(((array != middle) & (array == array)).sum(axis=0).compute())  # noqa: PLR0124
    few = np.flatnonzero(carriers < least)
    return dict(zip(few.tolist(), carriers[few].tolist(), strict=True))


def active_client() -> Any | None:
    """The client of dask.distributed that computations will use; None without one."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        client = distributed.default_client()
    except ValueError:
        return None
    if client.status != "running":
        raise ConnectionError(
            f"the dask cluster of {client!r} cannot be reached (its client is "
            f"{client.status!r}): check that the scheduler runs, close this client and connect "
            "a new one, or leave it closed to compute on this machine"
        )
    return client


def least_worker_memory() -> int:
    """Bytes that every worker has; this machine's without a cluster, or if it sets no limits."""
    limits: list[int] = []
    client = active_client()
    if client is not None:
        workers = client.scheduler_info()["workers"].values()
        limits = [worker["memory_limit"] for worker in workers if worker.get("memory_limit")]
    return min(limits, default=machine_memory())


def most_worker_threads() -> int:
    """Tasks that a worker runs at once; the cores of this machine without a cluster."""
    client = active_client()
    workers = [] if client is None else client.scheduler_info()["workers"].values()
    return max((worker["nthreads"] for worker in workers), default=os.cpu_count() or 1)
