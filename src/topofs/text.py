"""Small pieces of text that messages and the report share."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "counted",
    "fine_percent",
    "joined",
    "listed",
    "percent",
    "printable",
    "shortened",
    "suggest",
]


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


def counted(number: int, noun: str) -> str:
    """Give a number with its noun: "1 link", "1,200 links"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], *, most: int = 8, quoted: bool = False) -> str:
    """List names, and count those beyond `most`: "a, b and 4 more"."""
    shown = ", ".join(repr(name) if quoted else name for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def joined(names: Iterable[str], word: str) -> str:
    """Put a word before the last name: "a, b or c"."""
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def shortened(text: str, *, most: int = 20) -> str:
    """Shorten a long text for a message."""
    return text if len(text) <= most else text[: most - 1] + "…"


def printable(text: str) -> str:
    """Put a mark in the place of each control character, so that text stays in its line."""
    if text.isprintable():
        return text
    return "".join([c if c.isprintable() else "\ufffd" for c in text])


def suggest(name: str, known: Iterable[str]) -> str:
    """Suggest a similar name: "did you mean 'age'?"; empty if none is similar."""
    near = get_close_matches(name, list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else ""
