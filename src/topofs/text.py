"""Small pieces of text that the sentences of the page share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["counted", "fine_percent", "listed", "percent"]


def percent(share: float) -> str:
    """Print a share as "51 %"; only a whole one is 100 %, and only none is 0 %."""
    rounded = round(100 * share)
    if 0 < share < 1:
        rounded = min(max(rounded, 1), 99)
    return f"{rounded} %"


def fine_percent(share: float) -> str:
    """Print a small share with as many digits as it needs: "0.65 %"."""
    value = 100 * share
    return f"{value:.{0 if value >= 10 else 1 if value >= 1 else 2}f} %"


def listed(names: Sequence[str], *, most: int = 8) -> str:
    """List names, and count those beyond `most`: "a, b and 1 more"."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def counted(number: int, noun: str) -> str:
    """Count things: "1 link", "1,200 links"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
