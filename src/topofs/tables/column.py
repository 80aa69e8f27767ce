"""`Column`: one column of a table, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Column"]


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table.

    Parameters
    ----------
    name : str
        Its name.
    nominal : bool
        Whether it holds names (levels without an order) rather than amounts or ranks.
    values : array of float64, shape (n_samples,)
        Amounts; positions of ordered categories; or codes of the levels from 0. NaN where
        missing.
    why : str, optional
        Why it takes no part, whatever its values: it holds dates, or numbers and text.
    written : str, optional
        How numbers were written as text, where it was not the usual way.
    """

    name: str
    nominal: bool
    values: npt.NDArray[np.float64]
    why: str | None = None
    written: str | None = None
