"""What the values of a column of text are: numbers in one way of writing, dates, or names.

The one place that decides it, for files and for frames. A number may have a decimal point or a
decimal comma, and its thousands may be set apart by the other of the two, by spaces or by
apostrophes; a column is written in one way.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "GROUPED",
    "GROUP_MARKS",
    "MISSING",
    "MISSING_CLASSES",
    "SHAPES",
    "Seen",
    "TextKind",
    "as_number",
    "as_truth",
    "decimal_mark",
    "is_float",
    "seen_in",
    "shape_of",
    "shortened",
    "text_kind",
]

MISSING_CLASSES = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")
"""What stands for a missing value among words; the rest of `MISSING` may be a class there."""

MISSING = (*MISSING_CLASSES, "None", "?", "-", ".")
"""What stands for a missing value in a column that otherwise holds numbers."""

GROUP_MARKS = "[ '\u2019\u00a0\u202f]"
"""What sets thousands apart and is no decimal mark."""

GROUPED = rf"^[+-]?[1-9][0-9]{{0,2}}({GROUP_MARKS}[0-9]{{3}})+([.,][0-9]*)?$"
"""A number with such marks; without them it has one of the shapes below."""

_DAY = "(0?[1-9]|[12][0-9]|3[01])"
_YEAR = "[12][0-9]{3}"
_TIME = (
    r"([T ][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?( ?[AaPp][Mm])?"
    r"(Z| ?[+-][0-9]{2}:?[0-9]{2})?)?"
)
_DATE = rf"({_YEAR}[-/.]{_DAY}[-/.]{_DAY}|{_DAY}[-/.]{_DAY}[-/.]{_YEAR}){_TIME}"
_THOUSANDS = "[+-]?[1-9][0-9]{0,2}"

SHAPES = {
    "date": rf"^({_YEAR}-(0[1-9]|1[0-2])|{_DATE})$",
    "true": "^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$",
    "whole": "^[+-]?[0-9]+$",
    "1.234": rf"^{_THOUSANDS}\.[0-9]{{3}}$",
    "1,234": rf"^{_THOUSANDS},[0-9]{{3}}$",
    "1,234.5": rf"^{_THOUSANDS}(,[0-9]{{3}})+(\.[0-9]*)?$",
    "1.234,5": rf"^{_THOUSANDS}(\.[0-9]{{3}})+(,[0-9]*)?$",
    "1,5": "^[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?$",
}
"""Shapes of values, the first that fits; what else a float can be made of is a "1.5"."""

Mark = Literal[".", ","]

# Shapes of numbers that are worth a word, by the decimal mark; those first that tell most.
_UNUSUAL: dict[Mark, tuple[str, ...]] = {
    ".": ("1,234.5", "1,234"),
    ",": ("1,5", "1.234,5", "1,234", "1.234"),
}
_POINT = ("1.5", "1,234.5")
_COMMA = ("1,5", "1.234,5")
_SHOWN = 20


@dataclass(frozen=True)
class Seen:
    """How many values of each shape (a key of `SHAPES`, "1.5", "text") there are, and the first."""

    counts: Mapping[str, int]
    first: Mapping[str, str]

    @property
    def total(self) -> int:
        """Number of values that are not missing."""
        return sum(self.counts.values())

    @property
    def n_numbers(self) -> int:
        """Number of values that are numbers, whatever their decimal mark."""
        return self.total - self.of("date", "true", "text")

    def of(self, *shapes: str) -> int:
        """Count the values of some shapes."""
        return sum(self.counts.get(shape, 0) for shape in shapes)

    def example(self, *shapes: str) -> str:
        """Quote a value of some shapes, the first that there is."""
        return repr(shortened(next(self.first[s] for s in shapes if self.of(s))))

    def unusual(self, decimal: Mark) -> str | None:
        """Quote a number that programs do not write with this decimal mark, if there is one."""
        shapes = _UNUSUAL[decimal]
        return self.example(*shapes) if self.of(*shapes) else None


@dataclass(frozen=True)
class TextKind:
    """What a column of text is used as; dates and what is unclear take no part.

    `words` say the same with an example, and `settled_by_mark` whether naming the decimal mark
    would make it a column of numbers.
    """

    holds: Literal["numbers", "truth values", "dates", "names", "unclear"]
    words: str = ""
    decimal: Mark = "."
    settled_by_mark: bool = field(default=False, kw_only=True)


def shape_of(text: str) -> str:
    """Tell the shape of a value without spaces around it: "oak" is a "text", "1 724.6" a "1.5"."""
    if re.search(GROUPED, text):
        text = re.sub(GROUP_MARKS, "", text)
    for shape, pattern in SHAPES.items():
        if re.search(pattern, text):
            return shape
    return "1.5" if is_float(text) else "text"


def is_float(text: str) -> bool:
    """Whether a text is a number in ASCII digits, as in a file; Python knows more of them."""
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii() and "_" not in text


def seen_in(values: Iterable[str]) -> Seen:
    """Look at the values of a column; marks of missing values are passed over."""
    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    for value, count in Counter(values).items():
        text = value.strip()
        if text not in MISSING:
            shape = shape_of(text)
            counts[shape] += count
            first.setdefault(shape, text)
    return Seen(counts, first)


def decimal_mark(columns: Iterable[Seen]) -> Mark | None:
    """Find the decimal mark that the columns of numbers of a table agree on, if they do."""
    numbers = [seen for seen in columns if seen.n_numbers == seen.total]
    marks = {mark for seen in numbers if (mark := _own_mark(seen)) is not None}
    return marks.pop() if len(marks) == 1 else None


def text_kind(
    seen: Seen, *, decimal: Mark | None = None, likely: Mark | None = None
) -> TextKind:
    """Decide what a column of text holds.

    `decimal` is the mark that is known for sure, `likely` that of the other columns, for a column
    that does not tell.
    """
    if not seen.total:
        return TextKind("numbers")
    if seen.of("date") == seen.total:
        return TextKind("dates", f"dates, such as {seen.example('date')}")
    if seen.of("true") == seen.total:
        return TextKind("truth values")
    if seen.n_numbers == seen.total:
        return _numbers(seen, decimal, likely)
    for shapes, what in ((seen.n_numbers, "numbers"), (seen.of("date"), "dates")):
        if 2 * shapes > seen.total:
            odd = seen.example("text", *(("date", "true") if what == "numbers" else SHAPES))
            return TextKind("unclear", f"{what} with text among them, such as {odd}")
    return TextKind("names", f"text, such as {seen.example('text', *SHAPES, '1.5')}")


def as_truth(text: str) -> bool:
    """Read a truth value, in capitals or not."""
    return text.lower() == "true"


def as_number(text: str, decimal: Mark) -> float:
    """Read a number with a decimal mark; the other one and spaces set thousands apart."""
    bare = re.sub(GROUP_MARKS, "", text)
    other = "," if decimal == "." else "."
    return float(bare.replace(other, "").replace(decimal, "."))


def _own_mark(seen: Seen) -> Mark | None:
    """The decimal mark that the values themselves leave no doubt about."""
    point, comma = seen.of(*_POINT) > 0, seen.of(*_COMMA) > 0
    if point == comma:
        return None
    return "." if point else ","


def _numbers(seen: Seen, decimal: Mark | None, likely: Mark | None) -> TextKind:
    against = _COMMA if decimal == "." else _POINT
    if decimal is not None and seen.of(*against):
        wrong = "comma" if decimal == "." else "point"
        words = f"numbers with a decimal {wrong}, such as {seen.example(*against)}"
        return TextKind("unclear", words)
    if seen.of(*_POINT) and seen.of(*_COMMA):
        return TextKind(
            "unclear",
            f"numbers with decimal points and with decimal commas, such as "
            f"{seen.example(*_POINT)} and {seen.example(*_COMMA)}",
        )
    mark = decimal or _own_mark(seen) or likely or (None if seen.of("1,234") else ".")
    if mark is None:
        return TextKind(
            "unclear",
            f"numbers such as {seen.example('1,234')}, whose comma may be decimal or set "
            "thousands apart",
            settled_by_mark=True,
        )
    return TextKind("numbers", decimal=mark)


def shortened(text: str) -> str:
    """Cut a long text, to be named in a message."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
