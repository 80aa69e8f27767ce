"""Columns of text of a file that hold numbers or dates after all, whatever way they are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from topofs.io.table import columns_named
from topofs.io.text_values import (
    CURRENCY_FIRST,
    CURRENCY_LAST,
    GROUP_MARKS,
    MISSING,
    MULTIPLE,
    PADDED,
    PERCENT,
    WAYS,
    ZEROS,
    FormatCounts,
    decimal_mark,
    marks_disagree,
    shortened,
    text_kind,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from topofs.io.text_values import Mark, TextKind

__all__ = ["NumbersInText", "numbers_in_text"]

_ENOUGH_FOR_ZEROS = 10_000
_SHOWN = 6


@dataclass(frozen=True)
class NumbersInText:
    """What columns of text turned out to hold.

    `types` has those of whole numbers, of numbers, of truth values, or of nothing at all, and
    `expressions` turn their text into these; `not_numbers` has the others with what they hold, of
    which `not_names` are no names either and `dates` are dates. `notes` say how numbers are
    written, where it is not the usual way, and name what is nearly a number.
    """

    types: Mapping[str, pl.DataType]
    expressions: Sequence[pl.Expr]
    not_numbers: Mapping[str, str]
    not_names: frozenset[str]
    dates: frozenset[str]
    notes: tuple[str, ...]


def numbers_in_text(
    text: pl.LazyFrame,
    columns: Sequence[str],
    *,
    floats: Sequence[str] = (),
    whole: Sequence[str] = (),
    decimal: Mark | None = None,
) -> NumbersInText:
    """Tell which columns of text hold numbers, in one pass over the rows, or in a few.

    `columns` are those not yet known to be numbers; `floats` are numbers if a point is a decimal
    one, `whole` in any case. The `decimal` mark is found out where it is not given.
    """
    types = _plain_numbers(text, columns)
    padded = _padded(text, [*whole, *(c for c, kind in types.items() if kind == pl.Int64)])
    others = [column for column in columns if column not in types]
    points = [*floats, *(c for c, kind in types.items() if kind == pl.Float64)]
    if decimal == ",":
        others, points = [*points, *others], []
    seen = _seen(text, others)
    likely = decimal_mark(seen.values())
    if likely == "," and points:
        # A file has one decimal mark, as a rule: points in it set thousands apart.
        looked_at = _seen(text, points)
        seen |= {c: s for c, s in looked_at.items() if s.of("1.234") and not s.of("1.5")}
    elif likely is None and points and not marks_disagree(seen.values()):
        likely = "."
    kinds = {
        column: text_kind(shapes, decimal=decimal, likely=likely)
        for column, shapes in seen.items()
    }
    padded |= {c: s.example("padded") for c, s in seen.items() if s.of("padded")}
    padded = {
        c: example for c, example in padded.items() if c not in kinds or _is_number(kinds[c])
    }
    return _found(types, kinds, seen, padded)


def _is_number(kind: TextKind) -> bool:
    return kind.holds == "numbers"


def _padded(text: pl.LazyFrame, columns: Sequence[str]) -> dict[str, str]:
    """Find the columns of whole numbers with zeros before one of the first, and such a number."""
    if not columns:
        return {}
    head = text.select(columns_named(columns)).head(_ENOUGH_FOR_ZEROS)
    found = head.select(
        stripped.filter(stripped.str.contains(PADDED.pattern)).first()
        for stripped in map(_stripped, columns)
    )
    examples = found.collect(engine="streaming").row(0)
    return {c: repr(shortened(e)) for c, e in zip(columns, examples, strict=True) if e}


def _plain_numbers(text: pl.LazyFrame, columns: Sequence[str]) -> dict[str, pl.DataType]:
    """Find the columns of numbers with spaces, plus signs or marks of missing values at most."""
    if not columns:
        return {}
    expressions = [expression for column in columns for expression in _looked_at(column)]
    answers = iter(text.select(expressions).collect(engine="streaming").row(0))
    types: dict[str, pl.DataType] = {}
    for column in columns:
        given, odd, longer, not_whole = (next(answers) for _ in range(4))
        if not odd:
            whole = pl.Int128() if longer else pl.Int64()
            types[column] = whole if given and not not_whole else pl.Float64()
    return types


def _looked_at(column: str) -> list[pl.Expr]:
    """How many values are given, no plain numbers, no Int64, and no whole numbers of any length."""
    stripped = _stripped(column)
    given = _is_given(stripped)
    failing = {
        str(kind): (given & stripped.cast(kind, strict=False).is_null()).sum()
        for kind in (pl.Float64, pl.Int64, pl.Int128)
    }
    counts = {"given": given.sum()} | failing
    return [count.alias(f"{column}\0{what}") for what, count in counts.items()]


def _seen(text: pl.LazyFrame, columns: Sequence[str]) -> dict[str, FormatCounts]:
    """Look at the values of some columns, in one pass; memory holds a batch of rows."""
    seen = {column: FormatCounts() for column in columns}
    if columns:
        rows = text.select(columns_named(columns))
        for batch in rows.collect_batches(maintain_order=True, engine="streaming"):
            for series in batch.iter_columns():
                counted = (
                    series.drop_nulls().to_frame().group_by("*", maintain_order=True).len()
                )
                for value, times in counted.iter_rows():
                    seen[series.name].add(value, times)
    return seen


def _is_given(stripped: pl.Expr) -> pl.Expr:
    return stripped.is_not_null() & ~stripped.is_in(MISSING)


def _stripped(column: str) -> pl.Expr:
    return columns_named([column]).str.strip_chars()


def _truth(column: str) -> pl.Expr:
    stripped = _stripped(column)
    return pl.when(_is_given(stripped)).then(stripped.str.to_lowercase() == "true")


def _number(column: str, mark: Mark, seen: FormatCounts) -> pl.Expr:
    """The text of numbers as polars reads it."""
    plain = _stripped(column)
    if seen.of("currency"):
        plain = plain.str.replace(CURRENCY_FIRST.pattern, "${1}${3}")
        plain = plain.str.replace(CURRENCY_LAST.pattern, "${1}")
    if seen.of("%"):
        plain = plain.str.replace(PERCENT.pattern, "${1}")
    bare = plain.str.replace(MULTIPLE.pattern, "${1}") if seen.of("k") else plain
    bare = bare.str.replace_all(GROUP_MARKS, "")
    if mark == ",":
        bare = bare.str.replace_all(".", "", literal=True)
        bare = bare.str.replace_all(",", ".", literal=True)
    else:
        bare = bare.str.replace_all(",", "", literal=True)
    if seen.of("k"):
        letter = plain.str.extract(MULTIPLE.pattern, 2)
        bare = bare + letter.replace_strict(ZEROS, default=None).fill_null("")
    return bare


def _found(
    types: dict[str, pl.DataType],
    kinds: dict[str, TextKind],
    seen: dict[str, FormatCounts],
    padded: dict[str, str],
) -> NumbersInText:
    numbers = {column: kind for column, kind in kinds.items() if kind.holds == "numbers"}
    others = {
        column: kind
        for column, kind in kinds.items()
        if kind.holds not in {"numbers", "truth values"}
    }
    types = {c: t for c, t in types.items() if c not in others}
    types |= dict.fromkeys(numbers, pl.Float64())
    marks = {column: kind.decimal for column, kind in numbers.items()}
    expressions = [
        (_number(c, marks[c], seen[c]) if c in marks else _stripped(c)).cast(t, strict=False)
        for c, t in types.items()
    ]
    truths = [column for column, kind in kinds.items() if kind.holds == "truth values"]
    return NumbersInText(
        types=types | dict.fromkeys(truths, pl.Boolean()),
        expressions=[*expressions, *map(_truth, truths)],
        not_numbers={column: _in_options(kind) for column, kind in others.items()},
        not_names=frozenset(c for c, kind in others.items() if kind.holds != "names"),
        dates=frozenset(c for c, kind in others.items() if kind.holds == "dates"),
        notes=(*_ways_of_writing(numbers, seen), *_mistaken(kinds), *_codes(padded)),
    )


def _ways_of_writing(
    numbers: Mapping[str, TextKind], seen: Mapping[str, FormatCounts]
) -> Iterator[str]:
    """Say how numbers are written, where it is not the usual way."""
    unusual = {column: seen[column].unusual(kind.decimal) for column, kind in numbers.items()}
    for way, words in WAYS.items():
        written = [column for column, found in unusual.items() if way in found]
        if written:
            otherwise = {",": ".", ".": ","}.get(way)
            option = f" (--decimal {otherwise} reads the comma otherwise)" if otherwise else ""
            yield (
                f"numbers with {words} in {_and_more(written)}, such as "
                f"{unusual[written[0]][way]}, are read as such{option}"
            )


def _mistaken(kinds: Mapping[str, TextKind]) -> Iterator[str]:
    """Name the columns that are nearly numbers."""
    among = {c: k.mistaken for c, k in kinds.items() if k.mistaken and k.holds == "unclear"}
    if among:
        yield (
            f"text such as {next(iter(among.values()))} among the numbers of "
            f"{_and_more(list(among))}: left out; leave such cells empty to have the numbers "
            "compared"
        )
    beside = {c: k.mistaken for c, k in kinds.items() if k.mistaken and k.holds == "names"}
    if beside:
        yield (
            f"text such as {next(iter(beside.values()))} in {_and_more(list(beside))} is taken "
            "for names; write plain numbers to have amounts compared"
        )


def _codes(padded: Mapping[str, str]) -> Iterator[str]:
    """Name the numbers that are written as identifiers and codes are."""
    if padded:
        yield (
            f"numbers such as {next(iter(padded.values()))} in {_and_more(list(padded))} begin "
            "with zeros, as identifiers and codes do: if they are, leave them out with --drop"
        )


def _and_more(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - _SHOWN:,} more" if len(columns) > _SHOWN else ""
    return ", ".join(map(repr, columns[:_SHOWN])) + more


def _in_options(kind: TextKind) -> str:
    """What a column holds, with the option that says more about it."""
    if kind.holds == "dates":
        return f"{kind.words}; --dates numbers uses them"
    return f"{kind.words}; --decimal says which" if kind.settled_by_mark else kind.words
