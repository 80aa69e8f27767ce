"""`HowToRead`: what a user says about a file that the file does not say itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topofs.tables.arrays.checked import MAX_BYTES

if TYPE_CHECKING:
    from topofs.tables.text_values import Mark

__all__ = ["HowToRead"]

_EXPANSION = 20


@dataclass(frozen=True)
class HowToRead:
    """How a file is to be read.

    `layer` is that of an AnnData file, and no other file is read with it; `usual_layer` is taken
    where no layer is given and the file is an AnnData file. `decimal` is the mark of numbers in
    text, found out otherwise; `dates_as_numbers` makes days of dates, which are left out
    otherwise; `max_bytes` is what a packed file may take unpacked, and a pipe may hold, where
    that was said.
    """

    layer: str | None = None
    usual_layer: str | None = None
    decimal: Mark | None = None
    dates_as_numbers: bool = False
    max_bytes: int | None = None

    def limit(self, packed: int = 0) -> int:
        """How many bytes a packed file of some size, or a pipe, may take."""
        if self.max_bytes is not None:
            return self.max_bytes
        return max(MAX_BYTES, _EXPANSION * packed)
