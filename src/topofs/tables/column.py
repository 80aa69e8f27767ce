"""`Column`: one column of a table, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topofs.tables.given import infinite_value

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Column"]


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table.

    `nominal` columns hold names (levels without an order) rather than amounts or ranks. `values`
    are amounts, positions of ordered categories, or codes of the levels from 0; NaN where missing.
    None of them is infinite, whatever the column was read from: that is a ValueError.
    `why` says why it takes no part, whatever its values (dates, or numbers and text), and `written`
    how numbers were written as text, where it was not the usual way. `hint` says what text may be
    meant for, where it is something else than it is taken for.
    """

    name: str
    nominal: bool
    values: npt.NDArray[np.float64]
    why: str | None = None
    written: str | None = None
    hint: str | None = None

    def __post_init__(self) -> None:
        infinite = np.isinf(self.values)
        if infinite.any():
            raise infinite_value(self.name, int(infinite.argmax()))
