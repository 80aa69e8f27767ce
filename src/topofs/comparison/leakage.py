"""Columns that alone predict the target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import betainc, gammaln
from scipy.stats import rankdata

from topofs.io.frames import NamedArray, column_names, readable_table, refuse_infinite
from topofs.io.target import Target, as_target
from topofs.io.types import Column, TypedTable, typed_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from topofs.typing import Bools, Doubles

    Rows = npt.NDArray[np.intp]

LEAK_SCORE = 0.95
"""Least score of a column that alone predicts the target."""

_SCREENED_ROWS, _MOST_ROWS = 2_000, 20_000
_SCREENING_SCORE = LEAK_SCORE - 0.15
_MOST_CLASSES = 50
_LEAST_ROWS = 5
_NEIGHBOURS = (1, 5)
_TRIES = 10
_FALSE_ALARMS = 0.01


@dataclass(frozen=True)
class Leak:
    """A column that alone predicts the target.

    Attributes
    ----------
    column : str
        Its name.
    score : float
        The quality of its predictions: 1 means no mistake, 0 means no better than chance.
    by_missing : bool
        Whether the pattern of its missing values is enough.
    """

    column: str
    score: float
    by_missing: bool

    def sentence(self, target: str) -> str:
        """Ask whether the column is known before the target."""
        how = ", by being missing or not" if self.by_missing else ""
        return (
            f"{self.column} alone predicts {target} ({self.score:.2f}{how}; said from "
            f"{LEAK_SCORE} on): is it known before?"
        )


def find_leaks(
    X: Any,
    y: Target | npt.ArrayLike,
    *,
    exclude: Sequence[str] = (),
    also_missing: Mapping[str, Bools] | None = None,
) -> tuple[Leak, ...]:
    """Find the columns that alone predict the target; often they were recorded after it.

    Every row is predicted from the other rows with the same value in a column or, for numbers,
    with the nearest values: a class by their majority, with equal weights of the classes, a
    number by their mean. Ties are guessed. Missing is a separate value. The score of classes is
    the balanced accuracy, corrected for chance: (accuracy - chance) / (1 - chance). That of a
    number is R², of its values or of their ranks. Columns with a score of at least 0.95 are
    listed if chance gives such a column in at most one of 100 tables of this size.

    Parameters
    ----------
    X : array, sparse matrix, data frame, AnnData, NamedArray or TypedTable, shape \
(n_samples, n_features)
        The table. For columns that take no part, such as dates, only missing values are tested.
    y : Target or array, shape (n_samples,)
        The target; an array is read by `target_of`.
    exclude : sequence of str
        Names of columns that are not tested.
    also_missing : mapping of str to array of bool, optional
        Masks of the missing values of further columns.

    Returns
    -------
    tuple of Leak
        The best first.

    Notes
    -----
    All columns are tested on 2,000 rows, and good ones on 20,000, drawn with a fixed seed. With
    classes, the drawn rows are balanced as far as possible. Only the 50 most frequent classes
    are used, and none with fewer than five rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from topofs.comparison import find_leaks
    >>> left = [i % 3 == 0 for i in range(60)]
    >>> reasons = [["price", "moved"][i % 2] if left[i] else None for i in range(60)]
    >>> table = pd.DataFrame({"age": [i * 7 % 61 for i in range(60)], "reason": reasons})
    >>> found = find_leaks(table, left)
    >>> found
    (Leak(column='reason', score=1.0, by_missing=True),)
    >>> print(found[0].sentence("left").partition(";")[0])
    reason alone predicts left (1.00, by being missing or not
    """
    table = _named(X)
    target = as_target(y, table.shape[0])
    others = also_missing or {}
    unwanted, few = set(exclude), _sample(target, _SCREENED_ROWS)
    if few is None:
        return ()
    open_columns = [i for i, name in enumerate(table.names) if name not in unwanted]
    tried = len(open_columns) + len(others)
    likely = [
        i
        for i, column in _columns(table, open_columns, few.rows)
        if max(few.scores(column)) >= _SCREENING_SCORE
    ]
    many = _sample(target, _MOST_ROWS)
    assert many is not None
    found = [
        (table.names[i], many.scores(column))
        for i, column in _columns(table, likely, many.rows)
    ]
    for name, missing in others.items():
        if name not in unwanted:
            found.append((name, (0.0, many.score_of_missing(missing[many.rows]))))
    leaks = [
        Leak(name, float(max(scores)), bool(scores[1] >= LEAK_SCORE)) for name, scores in found
    ]
    told = [
        leak
        for leak in leaks
        if leak.score >= LEAK_SCORE and many.chance(leak.score) * tried <= _FALSE_ALARMS
    ]
    return tuple(sorted(told, key=lambda leak: -leak.score))


def _named(X: Any) -> NamedArray | TypedTable:
    X = readable_table(X)
    if isinstance(X, TypedTable):
        return X
    values, names = (X.values, X.names) if isinstance(X, NamedArray) else (X, column_names(X))
    plain = isinstance(values, np.ndarray) and not np.ma.isMaskedArray(values)
    if hasattr(values, "tocsc") or (plain and values.dtype.kind in "fiub"):
        if hasattr(values, "tocsc") or np.isinf(values).any():
            refuse_infinite(values, names=names)
        return NamedArray(values, names or tuple(f"x{i}" for i in range(values.shape[1])))
    return typed_table(values, names=names)


def _columns(
    table: NamedArray | TypedTable, positions: Sequence[int], rows: Rows
) -> Iterator[tuple[int, Column]]:
    """Some columns of a table at some rows, one after the other."""
    if isinstance(table, TypedTable):
        for i in positions:
            yield i, replace(table.columns[i], values=table.columns[i].values[rows])
        return
    values = table.values
    is_sparse = hasattr(values, "tocsc")
    if is_sparse and len(positions):
        values = values.tocsr()[rows].tocsc()
    for i in positions:
        found = values[:, [i]].toarray().ravel() if is_sparse else values[rows, i]
        yield i, Column(table.names[i], nominal=False, values=found.astype(np.float64))


def _sample(target: Target, most: int) -> _Classes | _Numbers | None:
    """Some rows of a target; None where it has too few."""
    rng = np.random.default_rng(0)
    rows = np.flatnonzero(target.given)
    if target.task == "regression":
        some = np.sort(rng.permutation(len(rows))[:most])
        y = target.y[some]
        varies = len(y) >= _LEAST_ROWS and y.min() < y.max()
        return _Numbers(rows[some], y) if varies else None
    _, codes, counts = np.unique(target.y, return_inverse=True, return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:_MOST_CLASSES]
    frequent = frequent[counts[frequent] >= _LEAST_ROWS]
    if len(frequent) < 2:
        return None
    each = max(_LEAST_ROWS, most // len(frequent))
    drawn = [rng.permutation(np.flatnonzero(codes == code))[:each] for code in frequent]
    numbers = np.repeat(np.arange(len(drawn)), [len(part) for part in drawn])
    return _Classes(rows[np.concatenate(drawn)], numbers)


class _Answers:
    """A target at some rows, and the scores of columns; `told` has a column per prediction."""

    def __init__(self, rows: Rows, told: Doubles) -> None:
        self.rows, self.told = rows, told

    def scores(self, column: Column) -> tuple[float, float]:
        """The score of the values of a column, and that of its missing values."""
        by_missing = self.score_of_missing(np.isnan(column.values))
        takes_part = column.why is None
        by_value = (
            self.score_of_values(column.values, nominal=column.nominal) if takes_part else 0
        )
        return by_value, by_missing

    def score_of_missing(self, missing: Bools) -> float:
        """The score of being missing or not."""
        if not missing.any() or missing.all():
            return 0.0
        return self.score_of_values(missing.astype(np.float64), nominal=True)

    def score_of_values(self, values: Doubles, *, nominal: bool) -> float:
        """The score of a column, the best of several ways to predict from it."""
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        n_given = len(values) - int(np.isnan(ordered).sum())
        first = np.ones(len(values), dtype=np.bool_)
        first[1:] = ordered[1:] != ordered[:-1]
        first[n_given + 1 :] = False
        starts = np.flatnonzero(first)
        ends = np.append(starts[1:], len(values))
        told = self.told[order]
        sums = np.concatenate([np.zeros((1, told.shape[1])), np.cumsum(told, axis=0)])
        found = []
        for reach in (0,) if nominal else _NEIGHBOURS:
            # Only rows of rare values use neighbouring values.
            beside = np.where((ends - starts <= 2 * reach) & (starts < n_given), reach, 0)
            low = np.maximum(starts - beside, 0)
            high = np.where(starts < n_given, np.minimum(ends + beside, n_given), ends)
            by_value = np.repeat(np.arange(len(starts)), ends - starts)
            others = (sums[high] - sums[low])[by_value] - told
            found.append(self._score(order, others, (high - low)[by_value] - 1))
        return max(found)

    def _score(self, order: Rows, others: Doubles, n_others: Rows) -> float:
        """The score of predictions from the sums over some other rows, in an order of rows."""
        raise NotImplementedError

    def chance(self, score: float) -> float:
        """Probability of such a score of a column unrelated to the target."""
        raise NotImplementedError


class _Classes(_Answers):
    def __init__(self, rows: Rows, codes: Rows) -> None:
        super().__init__(rows, np.eye(int(codes.max()) + 1)[codes])
        self.codes, self.sizes = codes, np.bincount(codes)

    def _score(self, order: Rows, others: Doubles, n_others: Rows) -> float:
        codes = self.codes[order]
        # The sizes include the row itself, and ties are broken independently of the row.
        shares = others / self.sizes
        best = shares == shares.max(axis=1, keepdims=True)
        right = best[np.arange(len(codes)), codes] / best.sum(axis=1) * (n_others > 0)
        recall = np.bincount(codes, weights=right) / self.sizes
        by_chance = 1 / len(self.sizes)
        return float((recall.mean() - by_chance) / (1 - by_chance))

    def chance(self, score: float) -> float:
        """Share of all orders of the target with no more mistakes."""
        n, n_classes = len(self.codes), len(self.sizes)
        wrong = np.floor((1 - score) * (1 - 1 / n_classes) * n)
        logarithm = gammaln(self.sizes + 1).sum() - gammaln(n + 1)
        logarithm += gammaln(n + 1) - gammaln(wrong + 1) - gammaln(n - wrong + 1)
        logarithm += wrong * np.log(max(n_classes - 1, 1)) + np.log(_TRIES * (wrong + 1))
        return float(np.exp(min(logarithm, 0.0)))


class _Numbers(_Answers):
    def __init__(self, rows: Rows, y: Doubles) -> None:
        self.y = _standardised(y)
        super().__init__(rows, np.column_stack([self.y, _standardised(rankdata(y))]))

    def score_of_values(self, values: Doubles, *, nominal: bool) -> float:
        found = super().score_of_values(values, nominal=nominal)
        missing = np.isnan(values)
        if nominal or missing.all():
            return found
        # A straight line handles values far apart, but one row alone must not define it.
        filled = np.where(missing, np.mean(values[~missing]), values)
        farthest = int(np.abs(self.y).argmax())
        others = np.delete(filled, farthest), np.delete(self.y, farthest)
        line = min(_on_a_line(filled, self.y), _on_a_line(*others))
        return max(found, line)

    def _score(self, order: Rows, others: Doubles, n_others: Rows) -> float:
        predicted = others / np.maximum(n_others, 1)[:, None]
        return float(1 - ((self.told[order] - predicted) ** 2).mean(axis=0).min())

    def chance(self, score: float) -> float:
        """Probability of such an R² of a straight line through unrelated values."""
        return float(_TRIES * betainc((len(self.y) - 2) / 2, 0.5, 1 - score))


def _on_a_line(x: Doubles, y: Doubles) -> float:
    """R² of a straight line."""
    return min(1.0, float(np.mean(_standardised(x) * _standardised(y)) ** 2))


def _standardised(values: Doubles) -> Doubles:
    centred = values / (np.abs(values).max() or 1.0)
    centred = centred - centred.mean()
    scale = np.sqrt(np.mean(centred**2))
    return np.asarray(centred / scale if scale > 0 else centred)
