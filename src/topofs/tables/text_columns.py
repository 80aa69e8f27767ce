"""Columns of text of a frame or array: as numbers, as names, or as what takes no part."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from topofs.tables.column import Column
from topofs.tables.given import FIRST_ROUNDED, from_lowest
from topofs.tables.text_values import (
    GROUP_MARKS,
    MISSING,
    UNITS,
    WAYS,
    Seen,
    as_number,
    as_truth,
    decimal_mark,
    hint_of,
    marks_disagree,
    seen_in,
    text_kind,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from topofs.tables.text_values import Mark

__all__ = ["TextColumn", "settled_columns"]


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column of text; what it holds depends on the other columns, too.

    `words` are the values that are not missing, and `given` tells in which rows they are.
    """

    name: str
    words: list[str]
    given: npt.NDArray[np.bool_]

    @cached_property
    def seen(self) -> Seen:
        """The shapes of the values."""
        return seen_in(self.words)

    @property
    def holds_truth(self) -> bool:
        """Whether the values are truth values."""
        return text_kind(self.seen).holds == "truth values"

    @property
    def _is_whole(self) -> bool:
        """Whether all values are whole numbers without a unit."""
        return 0 < self.seen.total == self.seen.of("whole") and not self.seen.of(*UNITS)

    def settled(self, likely: Mark | None) -> Column:
        """Give the column as numbers or as codes of its names."""
        values = np.full(len(self.given), np.nan)
        kind = text_kind(self.seen, likely=likely)
        if kind.holds == "numbers":
            values[self.given] = [_number(word, kind.decimal) for word in self.words]
            # Of an infinite value there is more to say than of those that are rounded.
            if self._is_whole and FIRST_ROUNDED <= np.nanmax(np.abs(values)) < np.inf:
                values = _whole(self.words, self.given, values)
            unusual = self.seen.unusual(kind.decimal)
            ways = [f"{WAYS[way]}, such as {example}" for way, example in unusual.items()]
            return Column(
                self.name,
                nominal=False,
                values=values,
                written=" and ".join(ways) or None,
                hint=hint_of(self.seen, kind),
            )
        if kind.holds == "truth values":
            values[self.given] = [_truth(word) for word in self.words]
            return Column(self.name, nominal=True, values=values)
        # No array of text, which has room for the longest in every row.
        code: dict[str, float] = {word: i for i, word in enumerate(sorted(set(self.words)))}
        code |= {word: np.nan for word in code if not word.strip()}
        values[self.given] = [code[word] for word in self.words]
        why = kind.words if kind.holds in {"dates", "unclear"} else None
        hint = hint_of(self.seen, kind)
        return Column(self.name, nominal=True, values=values, why=why, hint=hint)


def settled_columns(columns: Sequence[Column | TextColumn]) -> list[Column]:
    """Settle the columns of text of a table, which has one decimal mark as a rule."""
    text = [column for column in columns if isinstance(column, TextColumn)]
    likely = decimal_mark(column.seen for column in text)
    unclear = likely is None and any(column.seen.of("1,234") for column in text)
    disagree = marks_disagree(column.seen for column in text)
    if unclear and not disagree and _has_fractions(columns):
        likely = "."
    return [
        column.settled(likely) if isinstance(column, TextColumn) else column
        for column in columns
    ]


def _number(word: str, decimal: Mark) -> float:
    text = word.strip()
    return np.nan if text in MISSING else as_number(text, decimal)


def _whole(
    words: list[str], given: npt.NDArray[np.bool_], values: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Whole numbers counted from their lowest, where float64 does not tell them apart."""
    exact = np.full(len(given), None, dtype=object)
    texts = (word.strip() for word in words)
    exact[given] = [
        None if text in MISSING else int(re.sub(GROUP_MARKS, "", text)) for text in texts
    ]
    found = from_lowest(exact)
    return values if found is None else found[0]


def _truth(word: str) -> float:
    text = word.strip()
    return np.nan if text in MISSING else float(as_truth(text))


def _has_fractions(columns: Sequence[Column | TextColumn]) -> bool:
    """Whether a column of numbers has some with a decimal point."""
    numbers = [c.values for c in columns if isinstance(c, Column) and not c.nominal]
    return any(
        bool((values != np.round(values))[~np.isnan(values)].any()) for values in numbers
    )
