"""Columns of text of a file that hold numbers or dates after all, whatever way they are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from topofs.tables.asking_polars import columns_named
from topofs.tables.text_values import (
    GROUP_MARKS,
    GROUPED,
    MISSING,
    SHAPES,
    Seen,
    decimal_mark,
    text_kind,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from topofs.tables.text_values import Mark, TextKind

__all__ = ["NumbersInText", "numbers_in_text"]

_WAYS: dict[Mark, str] = {
    ",": "decimal commas",
    ".": "thousands set apart",
}
_SHAPES = (*SHAPES, "1.5", "text")


@dataclass(frozen=True)
class NumbersInText:
    """What columns of text turned out to hold.

    `types` has those of whole numbers, of numbers, of truth values, or of nothing at all, and
    `expressions` turn their text into these; `not_numbers` has the others with what they hold, of
    which `not_names` are no names either and `dates` are dates. `notes` say how numbers are
    written, where it is not the usual way.
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
    decimal: Mark | None = None,
) -> NumbersInText:
    """Tell which columns of text hold numbers, in one pass over the rows, or in a few.

    `columns` are those not yet known to be numbers; `floats` are numbers if a point is a decimal
    one. The `decimal` mark is found out where it is not given.
    """
    types = _plain_numbers(text, columns)
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
    elif likely is None and points and not _disagree(seen):
        likely = "."
    kinds = {
        column: text_kind(shapes, decimal=decimal, likely=likely)
        for column, shapes in seen.items()
    }
    return _found(types, kinds, seen)


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


def _seen(text: pl.LazyFrame, columns: Sequence[str]) -> dict[str, Seen]:
    """Count the shapes of the values of some columns, in one pass."""
    if not columns:
        return {}
    expressions = []
    for column in columns:
        stripped, shape = _stripped(column), _shape(column)
        for number in range(len(_SHAPES)):
            expressions += [
                (shape == number).sum().alias(f"{column}\0{number}"),
                stripped.filter(shape == number).first().alias(f"{column}\0first {number}"),
            ]
    answers = iter(text.select(expressions).collect(engine="streaming").row(0))
    found = {}
    for column in columns:
        counted = {shape: (next(answers), next(answers)) for shape in _SHAPES}
        found[column] = Seen(
            {shape: count for shape, (count, _) in counted.items()},
            {shape: first for shape, (count, first) in counted.items() if count},
        )
    return found


def _shape(column: str) -> pl.Expr:
    """The number of each value's shape in `_SHAPES`; null where it is missing."""
    bare, stripped = _bare(column), _stripped(column)
    # The first one that fits is put on last.
    number = pl.when(bare.cast(pl.Float64, strict=False).is_null()).then(len(_SHAPES) - 1)
    shape = number.otherwise(len(_SHAPES) - 2)
    for i, pattern in reversed(list(enumerate(SHAPES.values()))):
        shape = pl.when(bare.str.contains(pattern)).then(i).otherwise(shape)
    return pl.when(_is_given(stripped)).then(shape)


def _is_given(stripped: pl.Expr) -> pl.Expr:
    return stripped.is_not_null() & ~stripped.is_in(MISSING)


def _stripped(column: str) -> pl.Expr:
    return columns_named([column]).str.strip_chars()


def _truth(column: str) -> pl.Expr:
    stripped = _stripped(column)
    return pl.when(_is_given(stripped)).then(stripped.str.to_lowercase() == "true")


def _bare(column: str, mark: Mark | None = None) -> pl.Expr:
    """The text of numbers without what sets thousands apart, with a decimal point."""
    stripped = _stripped(column)
    bare = (
        pl.when(stripped.str.contains(GROUPED))
        .then(stripped.str.replace_all(GROUP_MARKS, ""))
        .otherwise(stripped)
    )
    if mark == ",":
        bare = bare.str.replace_all(".", "", literal=True)
        return bare.str.replace_all(",", ".", literal=True)
    return bare if mark is None else bare.str.replace_all(",", "", literal=True)


def _disagree(seen: Mapping[str, Seen]) -> bool:
    """Whether some columns have decimal points and others decimal commas."""
    return len({decimal_mark([shapes]) for shapes in seen.values()} - {None}) > 1


def _found(
    types: dict[str, pl.DataType], kinds: dict[str, TextKind], seen: dict[str, Seen]
) -> NumbersInText:
    numbers = {column: kind for column, kind in kinds.items() if kind.holds == "numbers"}
    others = {
        column: kind
        for column, kind in kinds.items()
        if kind.holds not in {"numbers", "truth values"}
    }
    notes = []
    for mark, way in _WAYS.items():
        written = [
            c for c, kind in numbers.items() if kind.decimal == mark and seen[c].unusual(mark)
        ]
        if written:
            first = written[0]
            more = f" and {len(written) - 1} more" if len(written) > 1 else ""
            example = seen[first].unusual(mark)
            other = "," if mark == "." else "."
            notes.append(
                f"numbers with {way} in {first!r}{more}, such as {example}, are read as such "
                f"(--decimal {other} reads the comma otherwise)"
            )
    types = {c: t for c, t in types.items() if c not in others}
    types |= dict.fromkeys(numbers, pl.Float64())
    marks = {column: kind.decimal for column, kind in numbers.items()}
    expressions = [_bare(c, marks.get(c)).cast(t, strict=False) for c, t in types.items()]
    truths = [column for column, kind in kinds.items() if kind.holds == "truth values"]
    return NumbersInText(
        types=types | dict.fromkeys(truths, pl.Boolean()),
        expressions=[*expressions, *map(_truth, truths)],
        not_numbers={column: _in_options(kind) for column, kind in others.items()},
        not_names=frozenset(c for c, kind in others.items() if kind.holds != "names"),
        dates=frozenset(c for c, kind in others.items() if kind.holds == "dates"),
        notes=tuple(notes),
    )


def _in_options(kind: TextKind) -> str:
    """What a column holds, with the option that says more about it."""
    if kind.holds == "dates":
        return f"{kind.words}; --dates numbers uses them"
    return f"{kind.words}; --decimal says which" if kind.settled_by_mark else kind.words
