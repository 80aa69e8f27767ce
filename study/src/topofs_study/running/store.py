"""The records of a run in one SQLite file, one transaction a record.

The key of a work item is the primary key, so a record is there once or not at all. The
rollback journal of SQLite is kept rather than its write-ahead log: there is one writer, the
store stays a single file that can be copied between two transactions, and it also works on
a network folder.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from topofs_study.errors import StoreError
from topofs_study.running.work_item import Identity, Record

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from topofs_study.running.work_item import Item

__all__ = ["Store"]

SCHEMA_VERSION = 1
"""Raised whenever a record of an older version can no longer stand beside a new one."""

_ERRORS_OF_A_DAMAGED_ROW = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE records (
    key TEXT PRIMARY KEY,
    item TEXT NOT NULL,
    result TEXT NOT NULL,
    n_fits INTEGER NOT NULL,
    seconds REAL NOT NULL
);
"""


class Store:
    """An open store.

    Parameters
    ----------
    path : path-like
        The file; made where there is none.
    read_only : bool, default=False
        Open it without the right to change it; there must be one then.

    Raises
    ------
    StoreError
        The file is not a store, comes from another version, or cannot be opened.

    Examples
    --------
    >>> from topofs_study.paper.items import ClassCounts
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, Store(f"{folder}/store.sqlite") as store:
    ...     store.add(Record(ClassCounts("paper", "wine"), {}, n_fits=0, seconds=0.1))
    ...     sorted(store.keys())
    ['split/paper/wine///test/']
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = Path(path)
        if read_only and not self.path.exists():
            raise StoreError(
                f"{self.path}: there is no such store; give the file that `topofs reproduce` "
                "or `topofs benchmark` wrote, OUT/store.sqlite unless --store was given"
            )
        # A whole path is always a file: SQLite takes ":memory:" and "" for no file at all.
        whole = self.path.absolute()
        name = f"{self.path.resolve().as_uri()}?mode=ro" if read_only else whole
        with self._explaining_errors():
            # isolation_level None: transactions begin where this class says so.
            self._connection = sqlite3.connect(
                name, timeout=60, isolation_level=None, uri=read_only
            )
            try:
                if not read_only:
                    self._make_tables()
                self._check_tables()
                self._check_version()
            except BaseException:
                self._connection.close()
                raise

    def keys(self) -> set[str]:
        """Give the keys of the items that are done.

        Returns
        -------
        set of str
        """
        with self._explaining_errors():
            return {key for (key,) in self._connection.execute("SELECT key FROM records")}

    def add(self, record: Record[Any]) -> None:
        """Write a record, in a transaction of its own.

        Parameters
        ----------
        record : Record
            What came of an item. A record that is already there stays as it is.

        Raises
        ------
        StoreError
            It could not be written; the records before it are safe.
        """
        identity = record.item.identity
        texts = (identity.key, identity.to_json(), json.dumps(record.result))
        row = (*texts, record.n_fits, record.seconds)
        with self._explaining_errors(), self._transaction():
            self._connection.execute(
                "INSERT OR IGNORE INTO records VALUES (?, ?, ?, ?, ?)", row
            )

    def records(self, kind: type[Item]) -> Iterator[Record[Item]]:
        """Give the records of one kind of items, in the order of the keys.

        Parameters
        ----------
        kind : type of WorkItem
            The class of the items.

        Yields
        ------
        Record

        Raises
        ------
        StoreError
            A row is damaged; the message names it.
        """
        # A key begins with the kind and a slash; the next character after the slash is 0.
        query = (
            "SELECT key, item, result, n_fits, seconds FROM records "
            "WHERE key >= ? AND key < ? ORDER BY key"
        )
        with self._explaining_errors():
            bounds = (f"{kind.kind}/", f"{kind.kind}0")
            rows = self._connection.execute(query, bounds).fetchall()
        for key, *row in rows:
            try:
                record = _record(kind, *row)
            except _ERRORS_OF_A_DAMAGED_ROW as error:
                raise StoreError(
                    f"{self.path}: the row {key!r} of the table records is damaged ({error}); "
                    "delete that row, or give another file with --store, and run the command "
                    "again to compute it anew"
                ) from error
            yield record

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _make_tables(self) -> None:
        """Make the tables of a new store."""
        self._connection.execute("PRAGMA synchronous = FULL")
        with self._transaction():
            if self._tables():
                return
            for statement in _SCHEMA.split(";"):
                self._connection.execute(statement)
            self._connection.execute(
                "INSERT INTO meta VALUES ('schema_version', ?)", (str(SCHEMA_VERSION),)
            )

    def _tables(self) -> set[str]:
        query = "SELECT name FROM sqlite_master WHERE type = 'table'"
        return {name for (name,) in self._connection.execute(query)}

    def _check_tables(self) -> None:
        """See that the tables are ours."""
        if not {"meta", "records"} <= self._tables():
            raise StoreError(
                f"{self.path} is an SQLite file but not a store of topofs; give another "
                "file with --store"
            )

    def _check_version(self) -> None:
        """Refuse a store whose records were made by another version."""
        row = self._connection.execute(
            "SELECT value FROM meta WHERE name = 'schema_version'"
        ).fetchone()
        found = row[0] if row else "unknown"
        if found != str(SCHEMA_VERSION):
            raise StoreError(
                f"{self.path} holds records of schema version {found}; this version of topofs "
                f"writes version {SCHEMA_VERSION}. Move the file away or give another one with "
                "--store, and run the command again to compute the records anew"
            )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Everything in the block, or nothing of it."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _explaining_errors(self) -> Iterator[None]:
        """Turn errors of SQLite into messages that say what to do."""
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(_advice(self.path, error)) from error


def _record(
    kind: type[Item], item: str, result: str, n_fits: int, seconds: float
) -> Record[Item]:
    """Put a row together again; an error of any kind means that it is damaged."""
    identity = Identity.from_json(item)
    found = json.loads(result)
    if not isinstance(found, kind.result_type):
        raise TypeError(f"its result is {result[:60]}")
    if not isinstance(n_fits, int) or not isinstance(seconds, (int, float)):
        raise TypeError(f"its counts are {n_fits!r} and {seconds!r}")
    return Record(kind.from_identity(identity), found, n_fits, seconds)


def _advice(path: Path, error: sqlite3.Error) -> str:
    """Say what happened to the store and what to do about it."""
    text = str(error)
    if "not a database" in text:
        return f"{path} is not an SQLite file; give another file with --store"
    if "full" in text or "disk I/O" in text:
        return (
            f"{path} could not be written ({text}): free some space and run the same command "
            "again. Every record stored so far is safe, and the run goes on after it"
        )
    if "locked" in text:
        return f"{path} is in use by another run; wait for it or give another --store"
    if getattr(error, "sqlite_errorname", "") == "SQLITE_READONLY_ROLLBACK":
        return (
            f"{path} was left in the middle of a write, which has to be undone before it can be "
            "read: run the same command again"
        )
    if "unable to open" in text:
        return f"{path} cannot be opened; its folder must exist and allow writing"
    return f"{path}: {text}; give another file with --store"
