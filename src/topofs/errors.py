"""The exceptions and warnings a user can catch, and the import of optional packages."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = [
    "ConstantFeatureWarning",
    "DatasetError",
    "DatasetNotFoundError",
    "IdentifierFeatureWarning",
    "MissingExtraError",
    "NoStructureWarning",
    "StoreError",
    "StudyError",
    "TableError",
    "UnknownColumnError",
    "UnknownDatasetError",
    "WorkersLostError",
    "import_extra",
]


class ConstantFeatureWarning(UserWarning):
    """Some columns hold a single value (or none) and take no part in the graph."""


class IdentifierFeatureWarning(UserWarning):
    """Some columns hold names that hardly repeat, such as identifiers, and take no part."""


class NoStructureWarning(UserWarning):
    """No two columns share more than chance explains; an automatic size is a guess."""


class DatasetError(ValueError):
    """A dataset cannot be used; the message names the file and what is wrong with it."""


class DatasetNotFoundError(DatasetError):
    """The file of a known dataset is in none of the folders that were searched."""


class MissingExtraError(ImportError):
    """An optional package is not installed; the message names the extra that brings it."""


class StoreError(RuntimeError):
    """A store of results cannot be read or written; the message says what to do."""


class StudyError(ValueError):
    """The study that was asked for cannot be run; the message lists what is allowed."""


class TableError(DatasetError):
    """A table cannot be used; the message names it and says what to do."""


class UnknownColumnError(ValueError):
    """A table has no column of this name; the message names those that come near."""


class WorkersLostError(RuntimeError):
    """Worker processes ended before their work was done, again and again."""


class UnknownDatasetError(ValueError):
    """No dataset has this name; the message lists the names there are."""


def import_extra(module: str, *, extra: str, purpose: str) -> Any:
    """Import an optional package, or say which extra of topofs brings it.

    Parameters
    ----------
    module : str
        The module to import, such as ``"networkx"``.
    extra : str
        The extra of topofs that installs it.
    purpose : str
        What it is needed for; the beginning of the error message.

    Returns
    -------
    module
        The imported module.

    Examples
    --------
    >>> import_extra("math", extra="graphs", purpose="Taking roots").sqrt(4.0)
    2.0
    >>> import_extra("no_such_module", extra="graphs", purpose="FilteredGraph.to_networkx")
    Traceback (most recent call last):
    topofs.errors.MissingExtraError: FilteredGraph.to_networkx needs the package
    'no_such_module': pip install 'topofs[graphs]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        # An import that fails inside an installed package is that package's own error.
        if error.name != module.partition(".")[0]:
            raise
        message = f"{purpose} needs the package {module!r}: pip install 'topofs[{extra}]'"
        raise MissingExtraError(message) from None
