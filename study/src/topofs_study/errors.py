"""The exceptions that a study, a benchmark or a dataset can end with.

``exit_status`` is the status that `topofs` ends with: 2 for wrong usage, 3 for wrong data.
"""

from __future__ import annotations

__all__ = [
    "DatasetError",
    "DatasetNotFoundError",
    "StoreError",
    "StudyError",
    "UnknownDatasetError",
    "WorkersLostError",
]


class DatasetError(ValueError):
    """A dataset cannot be used; the message names the file and what is wrong with it."""

    exit_status = 3


class DatasetNotFoundError(DatasetError):
    """The file of a known dataset is in none of the folders that were searched."""


class StoreError(RuntimeError):
    """A store of results cannot be read or written; the message says what to do."""

    exit_status = 3


class StudyError(ValueError):
    """The study that was asked for cannot be run; the message lists what is allowed."""

    exit_status = 2


class UnknownDatasetError(ValueError):
    """No dataset has this name; the message lists the names there are."""

    exit_status = 2


class WorkersLostError(RuntimeError):
    """Worker processes ended before their work was done, again and again."""

    exit_status = 3
