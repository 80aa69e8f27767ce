"""Exceptions and warnings for users, and the import of optional packages.

An exception may name the exit status that it ends the command ``topofs`` with, in a class
attribute ``exit_status``: 2 for wrong usage, 3 for wrong data. A fit by the user warns once,
not once per fold: see `say`.
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
    "NoRelevanceWarning",
    "NoStructureWarning",
    "RareFeatureWarning",
    "TableError",
    "UnknownColumnError",
    "import_extra",
    "say",
]


class FitWarning(UserWarning):
    """Base of the warnings of a fit about the columns and rows of a table."""


class ConstantFeatureWarning(FitWarning):
    """Some columns hold a single value (or none) and take no part in the graph."""


class RareFeatureWarning(FitWarning):
    """Some columns vary in too few samples to be compared, and take no part."""


class DependentRowsWarning(FitWarning):
    """Consecutive rows are alike, but the noise floor assumes independent rows."""


class IdentifierFeatureWarning(FitWarning):
    """Some columns hold names that hardly repeat, such as identifiers, and take no part.

    So do columns of more than 1,000 names.
    """


class IsolatedFeatureWarning(FitWarning):
    """Some columns share with no other more than chance; the automatic size leaves them out.

    The message gives their number, and `isolated_` their positions.
    ``warnings.simplefilter("ignore", topofs.IsolatedFeatureWarning)`` silences it.
    """


class ColumnReadingWarning(FitWarning):
    """A column was read in an unusual way: numbers from text, or dates that take no part.

    It also covers numbers that look like identifiers or hold a code such as -99 for missing
    values.
    """


class NoRelevanceWarning(FitWarning):
    """No column says more about the target than chance; the size "auto" selects none."""


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

    A search fits many folds; the final fit to all rows warns for all of them.
    """
    # Only the stack shows the caller.
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
