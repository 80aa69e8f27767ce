"""The engine of this machine's memory and cores: numpy blocks."""

from __future__ import annotations

from dataclasses import dataclass

from topofs.engines.engine import Engine

__all__ = ["NumpyEngine"]


@dataclass(frozen=True)
class NumpyEngine(Engine):
    """Blocked products by numpy.

    Attributes
    ----------
    memory : int
        Bytes that may be used beside the table and one prepared copy of it.

    Examples
    --------
    >>> NumpyEngine(memory=10**6).holds_matrix(300, 8, matrices=1.2)
    True
    """
