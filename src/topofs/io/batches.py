"""Tables of more rows than memory holds, as a stream of Arrow record batches.

`BatchSource` is such a table; its rows can be read any number of times. `scan_table` opens files
and folders. `batch_source` makes one of an Arrow dataset, a polars LazyFrame, a DuckDB relation
or any stream of Arrow batches; what can be read only once is copied to a temporary file first.
"""

from __future__ import annotations

import glob
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topofs.errors import TableError, import_extra
from topofs.io.frames import is_frame, library_of
from topofs.io.write import temporary_folder
from topofs.text import joined, listed

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

__all__ = ["BatchSource", "scan_table"]

FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".ipc": "feather",
    ".csv": "csv",
    ".tsv": "csv",
}
_MOST_SPOOLED = 64 << 30
"""Most bytes of a copy of a stream that can be read only once; at most half of the free disk."""

_WRITTEN_ROWS = 1 << 16
_REMOTE = "://"

Read = Callable[["Sequence[str]", int], "Iterator[Any]"]


def _arrow(module: str = "pyarrow") -> Any:
    return import_extra(module, extra="arrow", purpose="A table as a stream of batches")


@dataclass(frozen=True, eq=False)
class BatchSource:
    """A table whose rows are read in batches, any number of times.

    `topofs.TopologicalFeatureSelector` takes it as X.

    Attributes
    ----------
    name : str
        The name of the table in messages.
    schema : pyarrow.Schema
        The names and types of the columns.
    n_rows : int or None
        Number of rows, where it is known without reading them.
    read : callable
        ``read(columns, n_rows)`` iterates over record batches of some columns, of about so many
        rows each.
    files : tuple of str
        The files, in the order of the rows; empty for other sources.
    dataset : pyarrow.dataset.Dataset or None
        The same as a dataset of Arrow.
    """

    name: str
    schema: Any
    n_rows: int | None
    read: Read
    files: tuple[str, ...] = ()
    dataset: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.schema.names)

    @property
    def is_text(self) -> bool:
        """Whether the rows lie in files of text, in which words mark missing values."""
        return type(getattr(self.dataset, "format", None)).__name__ == "CsvFileFormat"

    @property
    def columns(self) -> tuple[str, ...]:
        """The same; by these a selector knows the columns of a table."""
        return self.names

    def select(self, columns: Sequence[str]) -> BatchSource:
        """Take some columns; nothing is read."""
        fields = [self.schema.field(name) for name in columns]
        return replace(self, schema=_arrow().schema(fields))

    def __repr__(self) -> str:
        rows = "" if self.n_rows is None else f"{self.n_rows:,} rows × "
        return f"BatchSource({self.name!r}, {rows}{len(self.schema)} columns)"


# Files


def scan_table(source: str | os.PathLike[str]) -> BatchSource:
    """Open files as one table whose rows are read in batches.

    Parameters
    ----------
    source : path-like
        A file, a folder (with all files in it and below it), or a pattern such as
        ``"sales/2024-*.parquet"``, of Parquet, Arrow (Feather) or CSV. The folders of a
        partitioned table (``year=2024/``) become columns. Or an address that Arrow opens, such
        as ``"s3://bucket/sales/"``.

    Returns
    -------
    BatchSource

    Raises
    ------
    TableError
        There are no such files, their columns differ, or one is damaged; the message names it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pyarrow as pa
    >>> import pyarrow.parquet as pq
    >>> with TemporaryDirectory() as folder:
    ...     for day in range(3):
    ...         table = pa.table({"height": [1.5, 2.0], "day": [day, day]})
    ...         pq.write_table(table, Path(folder) / f"{day}.parquet")
    ...     trees = scan_table(folder)
    >>> trees.n_rows, trees.names
    (6, ('height', 'day'))
    """
    pa, ds = _arrow(), _arrow("pyarrow.dataset")
    text = str(source)
    system, paths, base = _files_of(text)
    endings = sorted({_ending(path) for path in paths})
    kinds = {FORMATS.get(ending) for ending in endings}
    if None in kinds or len(kinds) != 1:
        held = joined(endings, "and") if "" not in endings else "files without an ending"
        raise TableError(
            f"{text}: has {held}; give a folder or a pattern of files of one format: "
            f"{joined(sorted(FORMATS), 'or')}"
        )
    kind = str(kinds.pop())
    partitioning = ds.HivePartitioning.discover(infer_dictionary=False)
    how: Any = kind
    if kind == "csv":
        how = _csv_format(system, paths)
    try:
        dataset = ds.dataset(
            paths,
            format=how,
            filesystem=system,
            partitioning=partitioning,
            partition_base_dir=base,
        )
        schema = dataset.schema
        fragments = list(dataset.get_fragments())
    except (pa.ArrowException, OSError) as error:
        raise _damaged(text, paths, error) from error
    n_rows = 0
    for fragment in fragments:
        schema, rows = _checked_fragment(fragment, schema, dataset.schema, kind)
        n_rows += rows
    if schema != dataset.schema:
        # Values are cast when they are read; `replace_schema` allows no other types.
        dataset = ds.FileSystemDataset(fragments, schema, dataset.format, system)
    return _of_dataset(dataset, text, n_rows=None if kind == "csv" else n_rows)


def is_many_files(source: str) -> bool:
    """Whether a source is read in batches: a folder, a pattern, an address, an Arrow file."""
    path = Path(source)
    if _REMOTE in source or path.is_dir():
        return True
    if path.exists():
        return FORMATS.get(path.suffix.lower()) == "feather"
    return bool(set(source) & set("*?["))


def _files_of(text: str) -> tuple[Any, list[str], str]:
    """The file system, the files of a table in the order of their names, and their folder."""
    pa = _arrow()
    fs = _arrow("pyarrow.fs")
    if _REMOTE in text:
        try:
            system, path = fs.FileSystem.from_uri(text)
        except (pa.ArrowException, ValueError, OSError) as error:
            raise TableError(
                f"{text}: cannot be opened ({_reason(error)}); addresses such as s3:// and gs:// "
                "need a build of pyarrow with that file system"
            ) from error
    else:
        system, path = fs.LocalFileSystem(), text
    if _REMOTE not in text and any(mark in text for mark in "*?[") and not Path(text).exists():
        found = [p for p in glob.glob(text, recursive=True) if Path(p).is_file()]  # noqa: PTH207
        if not found:
            raise TableError(f"{text}: no file is like this")
        return system, sorted(found), str(Path(_before_pattern(text)))
    try:
        info = system.get_file_info(path)
    except (pa.ArrowException, OSError) as error:
        raise TableError(f"{text}: cannot be opened ({_reason(error)})") from error
    if info.type == fs.FileType.NotFound:
        raise TableError(f"{text}: there is no such file or folder")
    if info.type == fs.FileType.File:
        return system, [path], str(Path(path).parent)
    inside = system.get_file_info(fs.FileSelector(path, recursive=True))
    files = [
        one.path
        for one in inside
        if one.type == fs.FileType.File and not _is_hidden(one.path, path)
    ]
    if not files:
        raise TableError(
            f"{text}: is a folder without files of {joined(sorted(FORMATS), 'or')}"
        )
    return system, sorted(files), path


def _before_pattern(text: str) -> str:
    """The folder above the first part of a path that is a pattern."""
    parts = Path(text).parts
    n_plain = next(i for i, part in enumerate(parts) if set(part) & set("*?["))
    return str(Path(*parts[:n_plain]))


def _is_hidden(path: str, base: str) -> bool:
    """Whether a file is one that writers of tables put beside the rows."""
    inner = path[len(base) :].strip("/\\").replace("\\", "/").split("/")
    return any(part.startswith((".", "_")) for part in inner)


def _ending(path: str) -> str:
    return Path(path).suffix.lower()


def _csv_format(system: Any, paths: Sequence[str]) -> Any:
    """Read each column of a CSV as text, as `topofs.io.types` reads numbers in text."""
    pa, csv, ds = _arrow(), _arrow("pyarrow.csv"), _arrow("pyarrow.dataset")
    with system.open_input_stream(paths[0]) as stream:
        first = stream.read(1 << 16).decode("utf-8", errors="replace").partition("\n")[0]
    mark = max("\t;|,", key=first.count) if first else ","
    parse = csv.ParseOptions(delimiter=mark, newlines_in_values=True)
    try:
        with system.open_input_stream(paths[0]) as stream:
            reader = csv.open_csv(
                stream,
                parse_options=parse,
                read_options=csv.ReadOptions(block_size=1 << 20),
            )
            names = reader.schema.names
    except (pa.ArrowException, OSError) as error:
        raise _damaged(paths[0], paths[:1], error) from error
    except UnicodeDecodeError as error:
        raise TableError(
            f"{paths[0]}: line 1 is not UTF-8; convert the files first, for example with: "
            "iconv -f latin1 -t utf-8"
        ) from error
    convert = csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        strings_can_be_null=True,
        null_values=[""],
        quoted_strings_can_be_null=True,
    )
    return ds.CsvFileFormat(parse_options=parse, convert_options=convert)


def _checked_fragment(fragment: Any, schema: Any, first: Any, kind: str) -> tuple[Any, int]:
    """Check the columns of one file against the others; give the common types and its rows."""
    pa = _arrow()
    try:
        own = fragment.physical_schema
        rows = 0
        if kind == "parquet":
            rows = fragment.metadata.num_rows
        elif kind == "feather":
            rows = fragment.count_rows()
    except (pa.ArrowException, OSError) as error:
        raise _damaged(fragment.path, [fragment.path], error) from error
    partition = _arrow("pyarrow.dataset").get_partition_keys(fragment.partition_expression)
    missing = [name for name in first.names if name not in own.names and name not in partition]
    more = [name for name in own.names if name not in first.names]
    if missing or more:
        what = f"lacks {listed(missing, quoted=True, most=5)}"
        if more:
            what = f"has {listed(more, quoted=True, most=5)} beside them"
        raise TableError(
            f"{fragment.path}: {what}, unlike the first file of the table: give files with the "
            "same columns"
        )
    kept = pa.schema([own.field(name) for name in own.names])
    try:
        common = pa.unify_schemas([schema, kept], promote_options="permissive")
    except pa.ArrowException as error:
        raise TableError(
            f"{fragment.path}: a column has another type than in the files before "
            f"({_reason(error)})"
        ) from error
    return common.with_metadata(schema.metadata), rows


def _of_dataset(dataset: Any, name: str, *, n_rows: int | None = None) -> BatchSource:
    """A dataset, file by file, and Parquet files one group of rows after the other."""
    pa, ds = _arrow(), _arrow("pyarrow.dataset")
    schema = dataset.schema
    options: dict[str, Any] = {"use_threads": True, "batch_readahead": 4}

    def read(columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        try:
            fragments = list(dataset.get_fragments())
        except ValueError:
            # A dataset with a filter is read as a whole.
            yield from dataset.to_batches(columns=list(columns), batch_size=n_rows, **options)
            return
        for fragment in fragments:
            for number, part in enumerate(_parts(fragment), start=1):
                scan = dict(options)
                if isinstance(fragment, ds.ParquetFileFragment):
                    # Memory then holds the pages that are read, not the whole group of rows.
                    scan["fragment_scan_options"] = ds.ParquetFragmentScanOptions(
                        use_buffered_stream=True, pre_buffer=False
                    )
                try:
                    yield from part.to_batches(
                        schema=schema, columns=list(columns), batch_size=n_rows, **scan
                    )
                except (pa.ArrowException, OSError) as error:
                    path = getattr(fragment, "path", name)
                    where = ""
                    if isinstance(fragment, ds.ParquetFileFragment):
                        where = f" in row group {number} of {fragment.num_row_groups}"
                    raise TableError(
                        f"{path}: the file is damaged{where} ({_reason(error)}); replace it, or "
                        "leave it out"
                    ) from error

    files = tuple(getattr(dataset, "files", ()))
    source = BatchSource(name, schema, n_rows, read, files, dataset)
    if n_rows is not None or source.is_text:
        return source
    try:
        return replace(source, n_rows=dataset.count_rows())
    except (pa.ArrowException, OSError) as error:
        raise TableError(f"{name}: the rows cannot be counted ({_reason(error)})") from error


def _parts(fragment: Any) -> Sequence[Any]:
    """The groups of rows of a Parquet file; other files in one part."""
    if hasattr(fragment, "split_by_row_group"):
        return list(fragment.split_by_row_group())
    return [fragment]


def _damaged(name: str, paths: Sequence[str], error: Exception) -> TableError:
    """Name the file of several that cannot be opened."""
    reason = _reason(error)
    named = next((path for path in paths if path in str(error)), None)
    if named is None and len(paths) == 1:
        named = paths[0]
    return TableError(f"{named or name}: the file is damaged ({reason}); replace it")


def _reason(error: Exception) -> str:
    text = str(error).partition("\n")[0].strip()
    return text.rstrip(".") or type(error).__name__


# From a stream to files


def check_streamed_output(source: BatchSource, path: Path) -> None:
    """Refuse a name under which a stream is not written."""
    ending = path.suffix.lower()
    allowed = (".csv", ".tsv") if source.is_text else (".parquet", ".csv", ".tsv")
    if ending in allowed:
        return
    if source.is_text:
        raise ValueError(
            f"{path}: rows of CSV are written as text; end the name in {joined(allowed, 'or')}"
        )
    if ending or (path.exists() and not path.is_dir()):
        what = ending or "a file without an ending"
        raise ValueError(
            f"{path}: cannot write {what}; end the name in {joined(allowed, 'or')}, or give "
            "the name of a new folder for Parquet files"
        )


def write_batches(source: BatchSource, columns: Sequence[str], path: Path) -> None:
    """Write some columns of a stream, with their values and types, to a file or a folder.

    A folder gets one Parquet file for each file of the source.
    """
    check_streamed_output(source, path)
    ending = path.suffix.lower()
    schema = _arrow().schema([source.schema.field(name) for name in columns])
    if not path.is_dir():
        with _writer(path, ending, schema) as write:
            for batch in source.read(columns, _WRITTEN_ROWS):
                write(batch)
        return
    parts = [source]
    if len(source.files) > 1:
        fragments = source.dataset.get_fragments()
        parts = [_of_fragment(source, fragment) for fragment in fragments]
    for number, part in enumerate(parts):
        with _writer(path / f"part-{number:05}.parquet", ".parquet", schema) as write:
            for batch in part.read(columns, _WRITTEN_ROWS):
                write(batch)


def _of_fragment(source: BatchSource, fragment: Any) -> BatchSource:
    """One file of a source."""
    ds = _arrow("pyarrow.dataset")
    dataset = source.dataset
    one = ds.FileSystemDataset([fragment], dataset.schema, dataset.format, dataset.filesystem)
    return _of_dataset(one, source.name, n_rows=0)


@contextmanager
def _writer(path: Path, ending: str, schema: Any) -> Iterator[Callable[[Any], None]]:
    """Give a function that writes a record batch to a file."""
    if ending == ".parquet":
        with _arrow("pyarrow.parquet").ParquetWriter(str(path), schema) as writer:
            yield writer.write_batch
        return
    import polars as pl
    from polars.exceptions import PolarsError

    mark = "\t" if ending == ".tsv" else ","

    def write(rows: Any, *, header: bool = False) -> None:
        try:
            frame: Any = pl.from_arrow(rows)
            frame.write_csv(file, separator=mark, include_header=header)
        except PolarsError as error:
            raise TableError(
                f"the table cannot be written as {ending} ({_reason(error)})"
            ) from error

    with path.open("wb") as file:
        write(schema.empty_table(), header=True)
        yield write


# Other sources


def is_stream(X: Any) -> bool:
    """Whether X is a table whose rows are read in batches."""
    if isinstance(X, BatchSource):
        return True
    library, kind = library_of(X), type(X).__name__
    if library == "polars":
        return kind == "LazyFrame"
    if library == "pyarrow":
        return "Dataset" in kind or kind in {"RecordBatchReader", "Scanner"}
    if kind == "DuckDBPyRelation":
        return True
    if is_frame(X) or library in {"pandas", "narwhals"} or hasattr(X, "__array__"):
        return False
    return hasattr(X, "__arrow_c_stream__")


def stream_names(X: Any) -> tuple[str, ...]:
    """The names of the columns of a stream, without reading rows."""
    if library_of(X) == "polars":
        return tuple(X.collect_schema().names())
    if library_of(X) == "pyarrow":
        schema = X.projected_schema if type(X).__name__ == "Scanner" else X.schema
        return tuple(schema.names)
    if hasattr(X, "columns"):
        return tuple(X.columns)
    return tuple(_arrow().RecordBatchReader.from_stream(X).schema.names)


def lazy_columns(X: Any, names: Sequence[str]) -> Any:
    """Take some columns of a stream; no row is read before they are asked for.

    Gives a `BatchSource`, a LazyFrame, a scanner of Arrow or a relation of what is one, and of
    other streams a reader of record batches.
    """
    library, kind = library_of(X), type(X).__name__
    if isinstance(X, BatchSource):
        return X.select(names)
    if library == "polars":
        from topofs.io.table import columns_named

        return X.select(columns_named(names))
    if library == "pyarrow" and "Dataset" in kind:
        return X.scanner(columns=list(names))
    if kind == "DuckDBPyRelation":
        return X.project(_quoted(names))
    pa = _arrow()
    reader = pa.RecordBatchReader.from_stream(X.to_reader() if kind == "Scanner" else X)
    schema = pa.schema([reader.schema.field(name) for name in names])
    return pa.RecordBatchReader.from_batches(
        schema, (batch.select(list(names)) for batch in reader)
    )


def _quoted(names: Sequence[str]) -> str:
    """Names of columns as DuckDB reads them."""
    return ", ".join('"' + name.replace('"', '""') + '"' for name in names)


@contextmanager
def batch_source(X: Any) -> Iterator[BatchSource]:
    """Make a `BatchSource` of X for the block; what can be read once is copied to disk."""
    pa = _arrow()
    with ExitStack() as stack:
        library, kind = library_of(X), type(X).__name__
        if isinstance(X, BatchSource):
            yield X
        elif library == "polars":
            yield _of_lazy_frame(X)
        elif library == "pyarrow" and "Dataset" in kind:
            yield _of_dataset(X, "X")
        elif kind == "DuckDBPyRelation":
            yield _of_relation(X)
        else:
            once = X.to_reader() if kind == "Scanner" else X
            reader = pa.RecordBatchReader.from_stream(once)
            yield _spooled(reader, stack.enter_context(temporary_folder()))


def _of_lazy_frame(frame: Any) -> BatchSource:
    from topofs.io.table import as_table_errors, columns_named

    with as_table_errors("X"):
        schema = frame.head(0).collect().to_arrow().schema

    def read(columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        with as_table_errors("X"):
            some = frame.select(columns_named(columns))
            for part in some.collect_batches(
                chunk_size=n_rows, maintain_order=True, engine="streaming"
            ):
                yield from part.to_arrow().to_batches()

    return BatchSource("X", schema, None, read)


def _of_relation(relation: Any) -> BatchSource:
    """A query of DuckDB, which runs again for each pass."""
    pa = _arrow()
    schema = pa.RecordBatchReader.from_stream(relation.limit(0)).schema

    def read(columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        yield from relation.project(_quoted(columns)).fetch_arrow_reader(n_rows)

    return BatchSource("X", schema, None, read)


def _spooled(reader: Any, folder: Path) -> BatchSource:
    """Copy a stream to a file of Arrow, within the limit."""
    pa = _arrow()
    limit = min(_MOST_SPOOLED, shutil.disk_usage(tempfile.gettempdir()).free // 2)
    path, n_rows = folder / "rows.arrow", 0
    with (
        pa.OSFile(str(path), "wb") as file,
        # In this format each batch may have dictionaries of its own.
        pa.ipc.new_stream(file, reader.schema) as writer,
    ):
        for batch in reader:
            writer.write_batch(batch)
            n_rows += batch.num_rows
            if file.tell() > limit:
                raise TableError(
                    f"X is a stream that can be read only once, and a copy of it on the disk "
                    f"would take more than {limit / 1e9:.3g} GB: write it to Parquet files, and "
                    "give these"
                )

    def read(columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        with pa.memory_map(str(path)) as file, pa.ipc.open_stream(file) as batches:
            for batch in batches:
                some = batch.select(list(columns))
                for start in range(0, some.num_rows, n_rows):
                    yield some.slice(start, n_rows)

    return BatchSource("X", reader.schema, n_rows, read)
