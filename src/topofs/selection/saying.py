"""Warnings of a fit: once where a person fits, not once a fold."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

__all__ = ["first_few", "say"]

_FOLDS = "sklearn.model_selection._validation"


def say(text: str, kind: type[Warning], *, depth: int) -> None:
    """Warn, unless scikit-learn fits to the rows of a fold.

    Folds differ, and one search makes many of them; the fit to all rows that follows speaks
    for all. The warning points `depth` calls up, to the line of the user.
    """
    # There is no other way to see who asks.
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001
    while frame is not None:
        if frame.f_globals.get("__name__") == _FOLDS:
            return
        frame = frame.f_back
    warnings.warn(text, kind, stacklevel=depth + 1)


def first_few(names: Sequence[str]) -> str:
    """Up to five names, for a warning."""
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
