"""Hints on numbers that may be identifiers or codes of missing values.

A hint is a question; it does not change the columns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.io.types import TypedTable
from topofs.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topofs.typing import Bools, Doubles, Floats

_LEAST_ROWS = 20
"""Least number of values: with fewer, numbers without a gap are common."""

_COINCIDENCES = 10
"""Least expected number of equal pairs, if whole numbers were drawn at random between the lowest
and the highest. With ten expected pairs, 1 of 20,000 random columns has no equal pair."""

_NAME_OF_IDENTIFIER = re.compile(
    r"(?i:(^|[\W_])(id|ids|uid|uuid|guid|key|nr|no|number)$)|[a-z](Id|ID|Key|Nr|No)$"
)

_LEAST_TIMES, _LEAST_SHARE = 5, 0.001
"""Least number of occurrences of a code, and their least share of the values."""

_MOST_CODES = 3
"""Largest number of consecutive codes, such as -99, -98 and -97."""

_LEAST_OTHERS = 10
"""Least number of other values, if the code is not made of nines, eights or sevens."""

_SHOWN = 3
_DIGITS = 7


def _codes() -> Doubles:
    """Usual codes of missing values: 9, 98, 777, 99.9 and similar, of either sign."""
    whole = [int(str(digit) * n) for digit in (7, 8, 9) for n in range(1, _DIGITS + 1)]
    whole += [10**n - less for n in range(2, _DIGITS + 1) for less in (2, 3, 4, 5)]
    nines = [f"{'9' * n}.{'9' * m}" for n in range(2, _DIGITS) for m in (1, 2)]
    found = np.array([*whole, *map(float, nines)])
    return np.concatenate([found, -found])


_CODES = _codes()


@dataclass(frozen=True)
class _Code:
    """A value that may stand for a missing one, and how often it is there."""

    value: str
    times: int
    far: bool


def hints_of_numbers(
    X: Any,
    names: Sequence[str],
    *,
    leaving_out: str,
    among: Bools | None = None,
    ranges: Floats | None = None,
) -> list[str]:
    """List columns that look like identifiers or hold codes of missing values, a line for each.

    A column of at least twenty whole numbers looks like an identifier if: (a) all numbers
    differ, and numbers drawn at random between its extremes would have ten equal pairs; or (b)
    all numbers differ, and it rises or falls by the same step from row to row; or (c) more than
    half of its numbers differ, and its name is like ``id`` or ``order_no``. If most columns
    look like this, they are ranks, and there is no hint.

    A code is the lowest or the highest value, or one of up to three consecutive extreme values.
    It occurs at least five times and in a thousandth of the rows. Its distance from the other
    values is at least their range, or it is the only value below zero. It is made of nines,
    eights or sevens, or is a negative whole number.

    Parameters
    ----------
    X : array, sparse matrix or TypedTable, shape (n_samples, n_features)
        NaN marks a missing value. A sparse matrix gives no hints.
    names : sequence of str
        What the columns are called.
    leaving_out : str
        How a column is left out, the end of a sentence: "with --drop".
    among : array of bool, shape (n_features,), optional
        The columns that take part; other columns get no hints.
    ranges : array, shape (2, n_features), optional
        The lowest and the highest value of each column of an array, where they are known.

    Returns
    -------
    list of str

    Examples
    --------
    >>> X = np.column_stack([np.arange(40), np.where(np.arange(40) % 5, np.arange(40), -99)])
    >>> for hint in hints_of_numbers(X.astype(float), ["row", "age"], leaving_out="of X"):
    ...     print(hint)
    'row' looks like an identifier: if it is one, leave it out of X
    -99 appears 8 times in 'age' and is far from all other values: does it stand for a missing \
one? Then leave those cells empty
    """
    used = range(X.shape[1]) if among is None else np.flatnonzero(among).tolist()
    if isinstance(X, TypedTable):
        used = [i for i in used if not X.columns[i].nominal]
        columns: list[Floats] = [X.columns[i].values for i in used]
        ends = [(np.fmin.reduce(column), np.fmax.reduce(column)) for column in columns]
        lowest, highest = np.array(ends, dtype=np.float64).reshape(-1, 2).T
    elif isinstance(X, np.ndarray) and X.dtype.kind == "f":
        columns = [X[:, i] for i in used]
        lowest, highest = (column_ranges(X) if ranges is None else ranges)[:, used]
    else:
        return []
    if not columns or X.shape[0] < _LEAST_ROWS:
        return []
    own = [str(names[i]) for i in used]
    # The difference of the largest floats may overflow.
    with np.errstate(over="ignore", invalid="ignore"):
        return [
            *_hints_of_identifiers(columns, own, lowest, highest, leaving_out=leaving_out),
            *_hints_of_codes(columns, own, lowest, highest),
        ]


def column_ranges(X: Floats) -> Floats:
    """The lowest and the highest value of each column, NaN where all are missing."""
    # Imported here, to keep the import of this module fast.
    from topofs.runtime import for_row_ranges

    def part(i: int, j: int) -> Floats:
        return np.stack([np.fmin.reduce(X[:, i:j], axis=0), np.fmax.reduce(X[:, i:j], axis=0)])

    return np.concatenate(for_row_ranges(part, X.shape[1], X.shape[0]), axis=1)


def _hints_of_identifiers(
    columns: Sequence[Floats],
    names: Sequence[str],
    lowest: Floats,
    highest: Floats,
    *,
    leaving_out: str,
) -> Iterator[str]:
    n = len(columns[0])
    first, second, last = np.array([column[[0, 1, -1]] for column in columns]).T
    even = (second != first) & (last - first == (second - first) * (n - 1))
    span = highest - lowest + 1
    # The expected number of equal pairs among random numbers.
    dense = (n * (n - 1) / 2 / span >= _COINCIDENCES) & (span >= _LEAST_ROWS)
    named = np.array([bool(_NAME_OF_IDENTIFIER.search(name)) for name in names])
    whole = (lowest == np.rint(lowest)) & (highest == np.rint(highest)) & (lowest < highest)
    possible = np.flatnonzero(whole & (named | even | dense)).tolist()
    # A column without a name that numbers the rows has a note of its own.
    found = [
        names[i]
        for i in possible
        if names[i] and _is_identifier(columns[i], is_named_so=bool(named[i]))
    ]
    # If most columns look like this, they are ranks.
    if not found or 2 * len(found) > len(columns):
        return
    if len(found) == 1:
        yield f"{found[0]!r} looks like an identifier: if it is one, leave it out {leaving_out}"
        return
    some = listed(found, most=_SHOWN, quoted=True)
    yield f"{some} look like identifiers: if they are, leave them out {leaving_out}"


def _is_identifier(values: Floats, *, is_named_so: bool) -> bool:
    given = values[~np.isnan(values)]
    n = len(given)
    if n < _LEAST_ROWS or not (given == np.rint(given)).all():
        return False
    n_different = len(np.unique(given))
    if is_named_so and 2 * n_different > n:
        return True
    if n_different < n:
        return False
    steps = np.diff(values)
    by_chance = n * (n - 1) / 2 / (given.max() - given.min() + 1)
    return bool(by_chance >= _COINCIDENCES or (steps == steps[0]).all())


def _hints_of_codes(
    columns: Sequence[Floats], names: Sequence[str], lowest: Floats, highest: Floats
) -> Iterator[str]:
    codes = _CODES.astype(lowest.dtype)
    whole = (lowest < 0) & (lowest == np.rint(lowest))
    possible = whole | np.isin(lowest, codes) | np.isin(highest, codes)
    found = []
    for i in np.flatnonzero(possible & (lowest < highest)).tolist():
        code = _code_at_lower_end(columns[i], sign=1)
        if code is None:
            code = _code_at_lower_end(-columns[i], sign=-1)
        if code is not None:
            found.append((names[i], code))
    for far, where in (
        (True, "far from all other values"),
        (False, "the only value below zero"),
    ):
        alike = [(name, code) for name, code in found if code.far == far]
        if alike:
            (name, code), *others = alike
            also = listed([f"{c.value} in {other!r}" for other, c in others], most=_SHOWN)
            more = f" (so is {also})" if others else ""
            yield (
                f"{code.value} appears {code.times:,} times in {name!r} and is {where}{more}: "
                "does it stand for a missing one? Then leave those cells empty"
            )


def _code_at_lower_end(values: Floats, *, sign: int) -> _Code | None:
    """Find a code among the lowest values; where these are negated, `sign` is −1."""
    lowest, highest = np.fmin.reduce(values), np.fmax.reduce(values)
    is_code = bool(np.isin(lowest, _CODES.astype(values.dtype)))
    if not (is_code or (sign == 1 and lowest < 0 and lowest == np.rint(lowest))):
        return None
    last, above = lowest, _next_above(values, lowest)
    for _ in range(_MOST_CODES - 1):
        if above > last + 1:
            break
        last, above = above, _next_above(values, above)
    n_given = int((~np.isnan(values)).sum())
    n_codes = int((values <= last).sum())
    if n_codes < max(_LEAST_TIMES, _LEAST_SHARE * n_given) or 2 * n_codes > n_given:
        return None
    if not above < highest:
        return None
    one_digit = abs(lowest) < 10
    far = above - last >= (2 if one_digit else 1) * (highest - above)
    alone_below_zero = sign == 1 and is_code and lowest < 0 <= above
    few = not is_code and len(np.unique(values[values > last])) < _LEAST_OTHERS
    if few or not (far or alone_below_zero):
        return None
    codes, times = np.unique(values[values <= last], return_counts=True)
    most = int(times.argmax())
    written = np.format_float_positional(sign * codes[most], trim="-")
    return _Code(written, int(times[most]), bool(far))


def _next_above(values: Floats, value: Any) -> Any:
    return np.fmin.reduce(values, where=values > value, initial=np.inf)
