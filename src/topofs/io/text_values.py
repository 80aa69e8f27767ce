"""The meaning of a column of text: numbers in one notation, dates, or names.

Files and frames both use this module. A number has a decimal point or a decimal comma. The
other of the two, spaces or apostrophes may separate thousands. A percent sign, a currency, or k
and M for thousands and millions may stand beside it. A column uses one notation.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from topofs.text import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MISSING_CLASSES = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")
"""Marks of missing values among words; the rest of `MISSING` may be a class there."""

MISSING = (*MISSING_CLASSES, "None", "?", "-", ".")
"""Marks of missing values in a column of numbers."""

GROUP_MARKS = "[ '\u2019\u00a0\u202f]"
"""Thousands separators that are not decimal marks."""

GROUPED = rf"^[+-]?[1-9][0-9]{{0,2}}({GROUP_MARKS}[0-9]{{3}})+([.,][0-9]*)?$"
"""A number with such marks; without them it has one of the shapes below."""

_SPACE = "[ \u00a0\u202f]?"
_SIGNS = "US\\$|HK\\$|NZ\\$|A\\$|C\\$|S\\$|R\\$|[$€£¥₹₽₩₺₪₫₱₦₴฿₿]|zł|Kč|kr"
_CODES = "EUR|USD|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|KRW|TRY"
_DIGIT = "[0-9.,]"

CURRENCY_FIRST = re.compile(rf"^([+-]?)({_SIGNS}|{_CODES}){_SPACE}([+-]?{_DIGIT})")
"""A number with its currency before it; without it groups 1 and 3 are left."""

CURRENCY_LAST = re.compile(rf"({_DIGIT}|[kKM]){_SPACE}({_SIGNS}|{_CODES})$")
"""A number with its currency after it; without it group 1 is left."""

PERCENT = re.compile(rf"({_DIGIT}){_SPACE}%$")
"""A percentage; without the sign group 1 is left."""

MULTIPLE = re.compile(rf"^([^A-Za-z]*{_DIGIT}){_SPACE}([kKM])$")
"""A number of thousands or millions (see `ZEROS`); without them group 1 is left."""

ZEROS = {"k": "e3", "K": "e3", "M": "e6"}
"""Factors of a number, as the exponent written after it."""

PADDED = re.compile("^0[0-9]{2,}$")
"""A whole number with zeros before it, as codes have and amounts do not."""

# A number with a unit or a sign beside it, such as "12 kg" or "<5".
_NEAR_NUMBER = re.compile(
    rf"^([<>~≈≤≥]=?{_SPACE}[0-9][0-9.,]*|[+-]?[0-9][0-9.,]*{_SPACE}[A-Za-zµ°²³/\"'*]{{1,10}}[.]?)$"
)
# The beginning of every number and date; the words are those that Python reads as numbers.
_MAY_BE_NUMBER = re.compile(
    rf"^([0-9.,]|[+-]|{_SIGNS}|{_CODES}|[<>~≈≤≥]|(?i:inf|nan))|[^\x00-\x7f]"
)
_ENDS_AS_NUMBER = re.compile("^[+-]?[0-9.,](.*[0-9.,])?$")

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
"""Shapes of values, the first that fits; what else a float can be made of is a "1.5" where it has
a point, and otherwise a "1e5", which tells no decimal mark."""

Mark = Literal[".", ","]

WAYS = {
    ",": "decimal commas",
    ".": "thousands set apart",
    "%": "percent signs",
    "currency": "currencies",
    "k": "k or M for thousands or millions",
}
"""Unusual notations of numbers, in the words of a message."""

UNITS = ("%", "currency", "k")
"""Signs beside a number (see `WAYS`)."""

# Shapes of numbers to report, by the decimal mark; the most informative first.
_UNUSUAL: dict[Mark, tuple[str, ...]] = {
    ".": ("1,234.5", "1,234"),
    ",": ("1,5", "1.234,5", "1,234", "1.234"),
}
_SHAPES = {shape: re.compile(pattern) for shape, pattern in SHAPES.items()}
_GROUPED, _GROUP_MARKS = re.compile(GROUPED), re.compile(GROUP_MARKS)
_POINT = ("1.5", "1,234.5")
_COMMA = ("1,5", "1.234,5")


@dataclass
class FormatCounts:
    """Counts of values by shape and by mark, with the first value of each.

    Shapes are the keys of `SHAPES`, "1.5", "1e5" and "text". Marks are `UNITS` beside a number, or
    "bare"; "padded" is a whole number with zeros before it, and "near" a text that is nearly a
    number.
    """

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    currencies: set[str] = field(default_factory=set)

    def add(self, value: str, times: int) -> None:
        """Count a value with its number of occurrences; marks of missing values are skipped."""
        text = value.strip()
        if text in MISSING:
            return
        shape = shape_of(text)
        for mark in (shape, *_marks(text, shape)):
            self.counts[mark] += times
            self.first.setdefault(mark, text)
            if mark == "currency":
                found = CURRENCY_FIRST.search(text) or CURRENCY_LAST.search(text)
                self.currencies |= {found[2]} if found else set()

    @property
    def total(self) -> int:
        """Number of values that are not missing."""
        return self.of(*SHAPES, "1.5", "1e5", "text")

    @property
    def n_numbers(self) -> int:
        """Number of values that are numbers, whatever their decimal mark and unit."""
        return self.total - self.of("date", "true", "text")

    def of(self, *shapes: str) -> int:
        """Count the values of some shapes, or with one of some marks."""
        return sum(self.counts.get(shape, 0) for shape in shapes)

    def example(self, *shapes: str) -> str:
        """Quote the first value of some shapes."""
        return repr(shortened(next(self.first[s] for s in shapes if self.of(s))))

    def unusual(self, decimal: Mark) -> dict[str, str]:
        """Quote numbers in an unusual notation with this decimal mark, by their `WAYS`."""
        shapes = _UNUSUAL[decimal]
        found = {unit: self.example(unit) for unit in UNITS if self.of(unit)}
        return found | ({decimal: self.example(*shapes)} if self.of(*shapes) else {})


@dataclass(frozen=True)
class TextKind:
    """The use of a column of text; dates and unclear values take no part.

    `words` describe it with an example. `settled_by_mark` tells whether naming the decimal mark
    would make it a column of numbers. `mistaken` is an example of text or of a unit that
    prevents reading the column as numbers.
    """

    holds: Literal["numbers", "truth values", "dates", "names", "unclear"]
    words: str = ""
    decimal: Mark = "."
    settled_by_mark: bool = field(default=False, kw_only=True)
    mistaken: str | None = field(default=None, kw_only=True)


def shape_of(text: str) -> str:
    """Tell the shape of a value without spaces around it: "oak" is a "text", "1 724.6" a "1.5".

    Units beside a number do not change its shape.
    """
    if not _MAY_BE_NUMBER.search(text):
        return "true" if _SHAPES["true"].search(text) else "text"
    if _SHAPES["date"].search(text):
        return "date"
    text = _without_units(text)
    if _GROUPED.search(text):
        text = _GROUP_MARKS.sub("", text)
    for shape, pattern in _SHAPES.items():
        if shape != "date" and pattern.search(text):
            return shape
    # polars, which converts the text of a file, reads no others.
    if not is_float(text):
        return "text"
    return "1.5" if "." in text else "1e5"


def _without_units(text: str) -> str:
    """Remove signs beside a number, k and M included."""
    if _ENDS_AS_NUMBER.search(text):
        return text
    return MULTIPLE.sub(r"\1", PERCENT.sub(r"\1", _without_currency(text)))


def _without_currency(text: str) -> str:
    return CURRENCY_LAST.sub(r"\1", CURRENCY_FIRST.sub(r"\1\3", text))


def is_float(text: str) -> bool:
    """Whether a text is a number in ASCII digits; Python accepts other digits, too."""
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii() and "_" not in text


def seen_in(values: Iterable[str]) -> FormatCounts:
    """Count the values of a column."""
    seen = FormatCounts()
    for value, times in Counter(values).items():
        seen.add(value, times)
    return seen


def _marks(text: str, shape: str) -> Iterator[str]:
    """Tell which marks (see `FormatCounts`) a value of some shape has."""
    if shape == "text":
        if _NEAR_NUMBER.search(text):
            yield "near"
    elif shape != "date" and _ENDS_AS_NUMBER.search(text):
        yield "bare"
        if PADDED.search(text):
            yield "padded"
    elif shape != "date":
        plain = _without_currency(text)
        if plain != text:
            yield "currency"
        if PERCENT.search(text):
            yield "%"
        if MULTIPLE.search(plain):
            yield "k"
        if _without_units(plain) == text:
            yield "bare"


def decimal_mark(columns: Iterable[FormatCounts]) -> Mark | None:
    """Find the decimal mark that the columns of numbers of a table agree on, if they do."""
    numbers = [seen for seen in columns if seen.n_numbers == seen.total]
    marks = {mark for seen in numbers if (mark := _own_mark(seen)) is not None}
    return marks.pop() if len(marks) == 1 else None


def marks_disagree(columns: Iterable[FormatCounts]) -> bool:
    """Whether some columns have decimal points and others decimal commas."""
    return len({decimal_mark([seen]) for seen in columns} - {None}) > 1


def text_kind(
    seen: FormatCounts, *, decimal: Mark | None = None, likely: Mark | None = None
) -> TextKind:
    """Decide the use of a column of text.

    `decimal` is a certain mark. `likely` is the mark of the other columns; it is used for a
    column that does not decide it.
    """
    if not seen.total:
        return TextKind("numbers")
    if seen.of("date") == seen.total:
        return TextKind("dates", f"dates, such as {seen.example('date')}")
    if seen.of("true") == seen.total:
        return TextKind("truth values")
    if seen.n_numbers == seen.total:
        return _numbers(seen, decimal, likely)
    # If not all values are numbers, "3M" is a name rather than three million.
    for shapes, what in (
        (seen.n_numbers - seen.of("k"), "numbers"),
        (seen.of("date"), "dates"),
    ):
        if 2 * shapes > seen.total:
            odd = seen.example(
                *(("text", "date", "true") if what == "numbers" else ("text", *SHAPES))
            )
            words = f"{what} with text among them, such as {odd}"
            return TextKind("unclear", words, mistaken=odd if what == "numbers" else None)
    beside = seen.of("near", "k")
    mostly = beside and 2 * (seen.n_numbers + seen.of("near")) > seen.total
    return TextKind(
        "names",
        f"text, such as {seen.example('text', *SHAPES, '1.5', '1e5')}",
        mistaken=seen.example("near", "k") if mostly else None,
    )


def hint_of(seen: FormatCounts, kind: TextKind) -> str | None:
    """Name another possible meaning of a column."""
    if kind.holds == "names" and kind.mistaken is not None:
        return f"{kind.mistaken} is taken for a name"
    if kind.holds == "numbers" and seen.of("padded"):
        return f"{seen.example('padded')} begins with zeros, as identifiers and codes do"
    return None


def as_number(text: str, decimal: Mark) -> float:
    """Read a number with a decimal mark; the other mark and spaces separate thousands.

    12.3% is 12.3, and 1.2k is 1,200.
    """
    multiple = MULTIPLE.search(_without_currency(text))
    bare = _GROUP_MARKS.sub("", _without_units(text))
    other = "," if decimal == "." else "."
    digits = bare.replace(other, "").replace(decimal, ".")
    return float(digits + (ZEROS[multiple[2]] if multiple else ""))


def _own_mark(seen: FormatCounts) -> Mark | None:
    """The decimal mark that the values prove."""
    point, comma = seen.of(*_POINT) > 0, seen.of(*_COMMA) > 0
    if point == comma:
        return None
    return "." if point else ","


def _numbers(seen: FormatCounts, decimal: Mark | None, likely: Mark | None) -> TextKind:
    """Numbers in one notation; unclear if the values contradict each other."""
    if len(seen.currencies) > 1:
        return TextKind(
            "unclear",
            f"amounts in {len(seen.currencies)} currencies, such as {seen.example('currency')}",
        )
    for unit, what in (("%", "a percent sign"), ("currency", "a currency")):
        if 0 < seen.of(unit) < seen.total:
            other = f" and {seen.example('bare')}" if seen.of("bare") else ""
            words = f"numbers with and without {what}, such as {seen.example(unit)}{other}"
            return TextKind("unclear", words)
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
