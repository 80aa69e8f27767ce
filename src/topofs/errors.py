"""The exceptions and warnings a user can catch, and the import of optional packages.

An exception may name the exit status that it ends the command ``topofs`` with, in a class
attribute ``exit_status``: 2 for wrong usage, 3 for wrong data. Warnings of a fit come once where a
person fits, not once a fold: see `say`.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType


__all__ = [
    "ColumnReadingWarning",
    "ConstantFeatureWarning",
    "DependentRowsWarning",
    "FitWarning",
    "IdentifierFeatureWarning",
    "IsolatedFeatureWarning",
    "MissingExtraError",
    "NoStructureWarning",
    "RareFeatureWarning",
    "TableError",
    "UnknownColumnError",
    "import_extra",
    "say",
]


class FitWarning(UserWarning):
    """Base of the warnings of a fit: what it reads, leaves out or doubts in a table."""


class ConstantFeatureWarning(FitWarning):
    """Some columns hold a single value (or none) and take no part in the graph."""


class RareFeatureWarning(FitWarning):
    """Some columns vary in so few samples that they are alike by chance, and take no part."""


class DependentRowsWarning(FitWarning):
    """Rows that follow each other are alike, and the noise floor takes them as independent."""


class IdentifierFeatureWarning(FitWarning):
    """Some columns hold names that hardly repeat, such as identifiers, and take no part.

    So do columns of more than 1,000 names.
    """


class IsolatedFeatureWarning(FitWarning):
    """Some columns share with no other more than chance; the automatic size leaves them out.

    They are counted, and `isolated_` has them. ``warnings.simplefilter("ignore",
    topofs.IsolatedFeatureWarning)`` silences it.
    """


class ColumnReadingWarning(FitWarning):
    """How a column was read may surprise: numbers from text, or dates that take no part.

    Numbers that look like identifiers or hold a code such as -99 for missing values, too.
    """


class NoStructureWarning(FitWarning):
    """No two columns share more than chance explains; an automatic size is a guess."""


class MissingExtraError(ImportError):
    """An optional package is not installed; the message names the extra that brings it."""

    exit_status = 2


class TableError(ValueError):
    """A table cannot be used; the message names it and says what to do."""

    exit_status = 3


class UnknownColumnError(ValueError):
    """A table has no column of this name; the message names those that come near."""


def import_extra(module: str, *, extra: str, purpose: str) -> Any:
    """Import an optional package, or say that `purpose` needs it and which `extra` brings it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        # An import that fails inside an installed package is that package's own error.
        if error.name != module.partition(".")[0]:
            raise
        message = f"{purpose} needs the package {module!r}: pip install 'topofs[{extra}]'"
        raise MissingExtraError(message) from None


_FOLDS = "sklearn.model_selection._validation"


def say(text: str, kind: type[Warning]) -> None:
    """Warn at the line of the user, unless scikit-learn fits to the rows of a fold.

    Folds differ, and one search makes many of them; the fit to all rows that follows speaks
    for all.
    """
    # There is no other way to see who asks.
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001
    depth, inside = 1, True
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module == _FOLDS:
            return
        inside = inside and module.startswith(("topofs.", "sklearn.", "joblib."))
        depth += inside
        frame = frame.f_back
    warnings.warn(text, kind, stacklevel=depth + 1)
