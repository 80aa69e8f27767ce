"""The datasets that have a name: the paper's sixteen and three embedded ones.

The table itself is ``registry.csv`` beside this file, one line a dataset. A checksum and an
address are missing where none is known: GISETTE (read from the text files of its makers) and
the two reconstructed tables USPS and lung, which nobody serves.
"""

from __future__ import annotations

import csv
import difflib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING

from topofs_study.errors import UnknownDatasetError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DatasetInfo", "info", "registry"]


@dataclass(frozen=True, kw_only=True)
class DatasetInfo:
    """What is known of a dataset before it is read.

    Parameters
    ----------
    name : str
        The name in the paper.
    category : str
        The paper's word for where the data come from, or ``"embedded"``.
    n_samples, n_features, n_classes : int
        Sizes of the whole table.
    n_train : int or None
        Where the makers split the table: rows from here on are for testing.
    file : str or None
        The name of the file (a folder for GISETTE); None for the embedded ones.
    reader : str
        How it is read: ``"mat"``, ``"npz"``, ``"uci"`` or ``"sklearn"``.
    sha256 : str or None
        Checksum of the file; None where none is known.
    url : str or None
        Where `fetch` finds it; None where it cannot be downloaded.
    source : str
        Where the data come from.

    Examples
    --------
    >>> from topofs_study.datasets import info
    >>> madelon = info("MADELON")
    >>> madelon.file, madelon.n_samples, madelon.test_rows
    ('madelon.mat', 2600, slice(2000, 2600, None))
    """

    name: str
    category: str
    n_samples: int
    n_features: int
    n_classes: int
    n_train: int | None
    file: str | None
    reader: str
    sha256: str | None
    url: str | None
    source: str

    @property
    def embedded(self) -> bool:
        """Whether scikit-learn brings it along, so that no file is needed."""
        return self.file is None

    @property
    def test_rows(self) -> slice | None:
        """The rows set aside for testing, where the dataset comes split."""
        return None if self.n_train is None else slice(self.n_train, self.n_samples)


@cache
def registry() -> Mapping[str, DatasetInfo]:
    """List every dataset that has a name, the paper's first, in the paper's order.

    Returns
    -------
    mapping of str to DatasetInfo
        Read-only.

    Examples
    --------
    >>> from topofs_study.datasets import registry
    >>> list(registry())[:3]
    ['PCMAC', 'RELATHE', 'COIL20']
    >>> [name for name, entry in registry().items() if entry.embedded]
    ['digits', 'breast_cancer', 'wine']
    """
    text = files("topofs_study.datasets").joinpath("registry.csv").read_text(encoding="utf-8")
    entries = (_entry(row) for row in csv.DictReader(text.splitlines()))
    return MappingProxyType({entry.name: entry for entry in entries})


def info(name: str) -> DatasetInfo:
    """Look up one dataset by its name.

    Parameters
    ----------
    name : str
        A name in `registry`, spelled exactly.

    Returns
    -------
    DatasetInfo

    Raises
    ------
    UnknownDatasetError
        No dataset has this name; the message lists those there are.

    Examples
    --------
    >>> from topofs_study.datasets import info
    >>> info("colon").source
    'jundongl/scikit-feature@48cffad skfeature/data/colon.mat'
    >>> info("Colon")
    Traceback (most recent call last):
    topofs_study.errors.UnknownDatasetError: no dataset is called 'Colon' (did you mean 'colon'?);
    there are PCMAC, RELATHE, ...
    """
    known = registry()
    if name in known:
        return known[name]
    folded = {known_name.casefold(): known_name for known_name in known}
    close = difflib.get_close_matches(name.casefold(), folded, n=1)
    hint = f" (did you mean {folded[close[0]]!r}?)" if close else ""
    raise UnknownDatasetError(
        f"no dataset is called {name!r}{hint}; there are {', '.join(known)}"
    )


def _entry(row: dict[str, str]) -> DatasetInfo:
    return DatasetInfo(
        name=row["name"],
        category=row["category"],
        n_samples=int(row["n_samples"]),
        n_features=int(row["n_features"]),
        n_classes=int(row["n_classes"]),
        n_train=int(row["n_train"]) if row["n_train"] else None,
        file=row["file"] or None,
        reader=row["reader"],
        sha256=row["sha256"] or None,
        url=row["url"] or None,
        source=row["source"],
    )
