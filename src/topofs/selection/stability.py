"""Stability: the agreement of the columns that a selector chooses on resamples.

`stability` fits a selector to resamples and compares the chosen columns by Nogueira's measure.
`drawn_rows` draws the rows: one by one, in blocks of neighbours, or by a splitter.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from joblib import Parallel, delayed
from scipy import stats
from sklearn.base import clone
from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils import check_random_state, get_tags

from topofs.backends.dask_table import is_dask
from topofs.io.frames import (
    NamedArray,
    as_vector,
    column_names,
    is_missing,
    named_matrix,
    readable_table,
    refuse_without_rows,
    unmasked,
)
from topofs.io.types import TypedTable
from topofs.selection.base import RankingSelector
from topofs.selection.compatibility import measure_of
from topofs.selection.reading import read_table
from topofs.selection.selector import TopologicalFeatureSelector
from topofs.terms import is_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from topofs.typing import Bools, Doubles, Ints

    Rows = npt.NDArray[np.intp]


class Selector(Protocol):
    """Any scikit-learn selector."""

    def fit(self, X: Any, y: Any = None) -> Any:
        """Choose columns."""

    def get_support(self) -> Bools:
        """Tell which columns were chosen."""


@dataclass(frozen=True)
class EdgeConfidence:
    """The frequency of an edge over the resamples.

    Attributes
    ----------
    left, right : int
        Positions of its two columns, left < right.
    confidence : float
        Share of the resamples whose graph has the edge.
    """

    left: int
    right: int
    confidence: float


@dataclass(frozen=True, eq=False)
class Stability:
    """The dependence of a selection on the sample.

    Attributes
    ----------
    phi : float
        Nogueira's measure: 1 if every resample gives the same set, near 0 for random sets,
        below 0 for sets that overlap less than random sets. NaN if all sets are full.
    lower, upper : float
        Its approximate confidence interval.
    variance : float
        Estimated variance of `phi`.
    frequency : array of float, shape (n_features,)
        Share of the resamples that chose each column.
    names : tuple of str
        Names of the columns.
    sizes : array of int, shape (n_resamples,)
        Number of columns chosen on each resample.
    edges : tuple of EdgeConfidence
        The edges of the selector's graphs, most frequent first; empty without graphs.
    n_resamples : int
        Number of resamples.
    level : float
        Confidence of the interval.
    """

    phi: float
    lower: float
    upper: float
    variance: float
    frequency: Doubles
    names: tuple[str, ...]
    sizes: Ints
    edges: tuple[EdgeConfidence, ...]
    n_resamples: int
    level: float

    def __repr__(self) -> str:
        often = np.argsort(-self.frequency, kind="stable")[:10]
        lines = [
            f"Stability {self.phi:.3f} ({self.level:.0%} interval {self.lower:.3f} … "
            f"{self.upper:.3f}) over {self.n_resamples} resamples.",
            f"{self.sizes.min()} to {self.sizes.max()} of {len(self.names)} columns were "
            "chosen; most often:",
        ]
        lines += [f"  {self.names[i]}  {self.frequency[i]:.0%}" for i in often]
        return "\n".join(lines)


def stability(
    selector: Selector,
    X: Any,
    *,
    n_resamples: int = 50,
    splits: Any = None,
    y: Any = None,
    groups: Any = None,
    random_state: Any = None,
    level: float = 0.95,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Stability:
    r"""Fit a selector to bootstrap samples of a table and compare what it chooses.

    With Z the 0/1 matrix of M resamples and d columns, :math:`\hat p_f` the column means
    and :math:`\bar k` the mean number of columns chosen,

    .. math::
       \hat\Phi = 1 - \frac{\frac1d \sum_f \frac{M}{M-1} \hat p_f (1 - \hat p_f)}
                           {\frac{\bar k}{d} \left(1 - \frac{\bar k}{d}\right)}.

    Parameters
    ----------
    selector : Selector
        Any scikit-learn selector: one with `get_support`. It is cloned, not fitted itself.
    X : array-like, sparse matrix, data frame, AnnData, NamedArray or TypedTable, shape \
(n_samples, n_features)
        The table, in memory.
    n_resamples : int, default=50
        Number M of bootstrap samples, at least 2.
    splits : None, "blocks", splitter or iterable, default=None
        How to draw rows. None: one by one, for rows without an order. "blocks": in runs of
        neighbours (the moving-block bootstrap, runs of about S^(1/3) rows), for rows in time
        order. Or a splitter of scikit-learn, such as `TimeSeriesSplit` or `LeaveOneGroupOut`,
        or an iterable of rows or of pairs (train, test), each an array of positions or a mask
        with one truth value per row. Each split is a resample of its training rows.
    y, groups : array-like, shape (n_samples,), optional
        Labels and groups of the rows, for splitters that ask for them. The labels are also for
        selectors that use them; a selector of topofs uses them only with `relevance`.
    random_state : int, RandomState or None, default=None
        Draws the samples. With an int the answer is the same on any number of jobs.
    level : float, default=0.95
        Confidence of the interval, in (0, 1).
    n_jobs : int or None, default=None
        Processes to use, as in joblib.
    progress : callable, optional
        Called as ``progress(done, n_resamples)`` after each resample.

    Returns
    -------
    Stability

    Notes
    -----
    A bootstrap sample holds about 63 % of the rows, some of them several times. So links look
    stronger than they are, and an automatic size is larger than on X itself. Columns that are
    left out on X because their names hardly repeat are left out of every resample, because
    repeated rows would make them repeat. Warnings of the fits (columns constant in a resample)
    are not shown.

    References
    ----------
    .. [1] S. Nogueira, K. Sechidis and G. Brown (2018). On the stability of feature
       selection algorithms. Journal of Machine Learning Research 18(174), 1-54.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector, stability
    >>> X = load_wine(as_frame=True).data
    >>> found = stability(TopologicalFeatureSelector(4), X, n_resamples=10, random_state=0)
    >>> found.n_resamples, found.lower < found.phi < found.upper
    (10, True)
    """
    if not is_whole(n_resamples) or n_resamples < 2:
        raise ValueError(f"n_resamples is {n_resamples!r}; give a whole number of at least 2")
    check_level(level)
    if is_dask(X):
        raise TypeError("X is a dask collection, whose rows cannot be drawn: pass X.compute()")
    refuse_without_rows(X)
    X = named_matrix(X)
    names = column_names(X)
    requires = bool(get_tags(selector).target_tags.required)
    if requires and y is None:
        raise _needs_labels(selector)
    # Other selectors may use labels that they do not require.
    supervised = requires or not isinstance(selector, RankingSelector)
    selector, X = settled_selector(selector, X)
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    generator = check_random_state(random_state)
    for_splits = None if supervised and not hasattr(splits, "split") else y
    drawn = drawn_rows(splits, n_samples, n_resamples, generator, y=for_splits, groups=groups)
    labels = y if supervised else None
    tasks = (
        delayed(_fit_resample)(selector, X, labels, number, rows)
        for number, rows in enumerate(drawn)
    )
    found: list[Any] = [None] * len(drawn)
    fits = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(tasks)
    for done, (number, *answer) in enumerate(fits, start=1):
        found[number] = answer
        if progress is not None:
            progress(done, len(drawn))
    supports, edges, names_found = zip(*found, strict=True)
    chosen = np.array(supports)
    phi, variance = nogueira_stability(chosen)
    half_width = float(stats.norm.ppf((1 + level) / 2)) * math.sqrt(variance)
    counts = Counter(tuple(edge) for some in edges for edge in some.tolist())
    return Stability(
        phi=phi,
        lower=phi - half_width,
        upper=phi + half_width,
        variance=variance,
        frequency=chosen.mean(axis=0),
        names=names_found[0] if names is None else names,
        sizes=chosen.sum(axis=1),
        edges=tuple(
            EdgeConfidence(i, j, n / len(drawn))
            for (i, j), n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        ),
        n_resamples=len(drawn),
        level=level,
    )


def nogueira_stability(chosen: npt.ArrayLike) -> tuple[float, float]:
    r"""Give Nogueira's stability of some sets of features, and the variance of the estimate.

    With :math:`k_i` the size of set i and :math:`q = \frac{\bar k}{d}(1 - \frac{\bar k}{d})`,

    .. math::
       \hat\Phi_i = \frac1q \left[ \frac1d \sum_f z_{if} \hat p_f - \frac{k_i \bar k}{d^2}
         + \frac{\hat\Phi}{2} \left( \frac{2 k_i \bar k}{d^2} - \frac{k_i}{d}
         - \frac{\bar k}{d} + 1 \right) \right], \qquad
       v = \frac{4}{M^2} \sum_i (\hat\Phi_i - \bar\Phi)^2 .

    Parameters
    ----------
    chosen : array-like of 0 and 1, shape (n_sets, n_features)
        One row a set, at least two.

    Returns
    -------
    phi, variance : float
        NaN and 0 where every set is empty or every set is full.

    References
    ----------
    .. [1] S. Nogueira, K. Sechidis and G. Brown (2018). On the stability of feature
       selection algorithms. Journal of Machine Learning Research 18(174), 1-54:
       Definition 4 and Theorem 7.

    Examples
    --------
    >>> nogueira_stability([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    (-0.5, 0.0)
    """
    z = np.asarray(unmasked(chosen), dtype=np.float64)
    if z.ndim != 2 or z.shape[0] < 2 or z.shape[1] < 1:
        raise ValueError(
            f"chosen has the shape {z.shape}; give one row a set and one column a feature, at "
            "least two rows and one column"
        )
    if not np.isin(z, (0.0, 1.0)).all():
        raise ValueError(
            "chosen holds something else than 0 and 1: give 1 where a set has a feature, else 0"
        )
    n_sets, d = z.shape
    often, sizes = z.mean(axis=0), z.sum(axis=1)
    mean_size = sizes.mean()
    chance = mean_size / d * (1 - mean_size / d)
    if chance == 0:
        return math.nan, 0.0
    phi = 1 - n_sets / (n_sets - 1) * np.mean(often * (1 - often)) / chance
    both = sizes * mean_size / d**2
    parts = z @ often / d - both + phi / 2 * (2 * both - sizes / d - mean_size / d + 1)
    variance = 4 / n_sets**2 * np.sum(((parts - parts.mean()) / chance) ** 2)
    return float(phi), float(variance)


def check_level(level: Any) -> None:
    """Refuse a confidence that is none."""
    if not isinstance(level, (float, np.floating)) or not 0 < level < 1:
        raise ValueError(f"level is {level!r}; it must be a number in (0, 1)")


def _needs_labels(selector: Selector) -> ValueError:
    return ValueError(
        f"the selector {type(selector).__name__} needs labels, and there are none: give y, or an "
        "unsupervised selector, such as TopologicalFeatureSelector"
    )


def settled_selector(selector: Selector, X: Any) -> tuple[Selector, Any]:
    """The selector with the measure of the whole table, and the table without identifiers.

    Identifiers become constant, because drawn rows repeat and so would identifiers. A table of
    several kinds of columns is read only once; other tables are not changed, except that sparse
    ones are stored by rows.
    """
    if not isinstance(selector, TopologicalFeatureSelector):
        if isinstance(X, NamedArray) and not isinstance(selector, RankingSelector):
            # Other selectors do not accept such a table.
            X = X.values
        return selector, _by_rows(unmasked(X))
    measure = measure_of(selector.similarity)
    if not measure.takes_table:
        raise ValueError(
            f"similarity is {measure.name!r}, whose rows are columns and cannot be drawn: "
            "give the table itself, and another similarity"
        )
    X, reader = _by_rows(readable_table(X)), clone(selector)
    read = read_table(reader, X, measure)
    settled = clone(selector).set_params(similarity=read.measure)
    if read.identifiers is None:
        return settled, X
    if isinstance(read.table, TypedTable):
        return settled, read.table.without_values(read.identifiers)
    names = tuple(reader._column_names())  # noqa: SLF001 - of the same room
    return settled, NamedArray(np.where(read.identifiers, 0.0, read.table), names)


def _by_rows(X: Any) -> Any:
    """A sparse table by rows; other tables unchanged."""
    if isinstance(X, NamedArray):
        return replace(X, values=_by_rows(X.values))
    return X.tocsr() if hasattr(X, "tocsr") else X


def _fit_resample(
    selector: Selector, X: Any, y: Any, number: int, rows: Rows
) -> tuple[int, Bools, Ints, tuple[str, ...]]:
    """Fit a clone to some rows: number, support, edges between columns, names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        named = isinstance(X, (NamedArray, TypedTable))
        drawn = X.take(rows) if named else take_rows(X, rows)
        fitted = clone(selector)
        try:
            fitted.fit(*((drawn,) if y is None else (drawn, take_rows(y, rows))))
        except (TypeError, ValueError) as error:
            if re.search(r"argument: 'y'$|requires y to be passed", str(error)):
                raise _needs_labels(selector) from error
            if isinstance(error, TypeError):
                raise
            raise ValueError(
                f"the selector cannot be fitted to resample {number + 1} ({error}); give more "
                "rows, or leave out columns that hardly vary"
            ) from error
    support = fitted.get_support()
    edges = np.empty((0, 2), dtype=np.int64)
    if hasattr(fitted, "graph_"):
        edges = np.sort(fitted.nodes_[fitted.graph_.edges], axis=1)
    names = getattr(fitted, "feature_names_in_", None)
    if names is None:
        names = column_names(drawn) or [f"x{i}" for i in range(len(support))]
    return number, support, edges, tuple(str(name) for name in names)


def drawn_rows(
    splits: Any,
    n_samples: int,
    n_resamples: int,
    generator: np.random.RandomState,
    *,
    y: Any = None,
    groups: Any = None,
) -> list[Rows]:
    """Positions of the rows of each resample, by `splits` of `topofs.stability`.

    A row may occur several times.
    """
    y = check_of_rows(y, n_samples, splits, name="y")
    groups = check_of_rows(groups, n_samples, splits, name="groups")
    if splits is None or (isinstance(splits, str) and splits == "blocks"):
        seeds = generator.randint(np.iinfo(np.int32).max, size=n_resamples)
        draw = _one_by_one if splits is None else _in_blocks
        return [draw(n_samples, np.random.RandomState(int(seed))) for seed in seeds]
    if isinstance(splits, str):
        raise ValueError(f"splits is {splits!r}; give 'blocks', a splitter, or None")
    found = [
        row_positions(split[0] if is_pair(split) else split, n_samples)
        for split in parts_of(splits, n_samples, y=y, groups=groups)
    ]
    if len(found) < 2 or any(len(rows) < 2 for rows in found):
        fewest = min(map(len, found), default=0)
        raise ValueError(
            f"splits gives {len(found)} resamples, the smallest of {fewest} rows; at least two of "
            "at least two rows are needed"
        )
    return found


def parts_of(splits: Any, n_samples: int, *, y: Any = None, groups: Any = None) -> list[Any]:
    """The items of a splitter or an iterable, one per split.

    A splitter gets the labels and the groups of the rows, if any.
    """
    if not hasattr(splits, "split"):
        try:
            return list(splits)
        except TypeError:
            raise ValueError(
                f"splits is {splits!r}, which gives no pairs of rows: give a splitter of "
                "scikit-learn, or an iterable of pairs (train, test)"
            ) from None
    of_rows = {"y": y, "groups": groups}
    given = {name: values for name, values in of_rows.items() if values is not None}
    try:
        return list(splits.split(np.empty((n_samples, 1)), **given))
    except (TypeError, ValueError) as error:
        # The error of a splitter names the missing argument.
        missing = [name for name in of_rows if name not in given and f"'{name}'" in str(error)]
        advice = "".join(f"; give {name}=, one value a row" for name in missing)
        raise ValueError(
            f"splits is {splits!r}, which cannot split {n_samples} rows ({error}){advice}"
        ) from error


def row_positions(given: Any, n_samples: int) -> Rows:
    """Positions of rows that are given by position, or by a mask of one truth value a row."""
    try:
        rows = np.asarray(unmasked(given))
        if rows.dtype == np.object_:
            # Nullable types become plain ones if no value is missing.
            rows = np.asarray(rows.tolist())
    except ValueError:  # lists of unequal length
        rows = np.empty((0, 0))
    if rows.ndim != 1 or (rows.dtype.kind not in "biu" and rows.size):
        values = rows.tolist()
        what = f"an array of shape {rows.shape}"
        if rows.ndim == 1:
            what = repr(next((value for value in values if is_missing(value)), values[0]))
        raise ValueError(
            f"splits gives {what} where rows are expected: give positions of rows, which are "
            "whole numbers from 0, or a mask of one truth value a row"
        )
    if rows.dtype.kind == "b":
        if len(rows) != n_samples:
            raise ValueError(
                f"splits has a mask of {len(rows)} truth values, and X has {n_samples} rows: give "
                "one a row"
            )
        return np.flatnonzero(rows)
    outside = rows[(rows < 0) | (rows >= n_samples)]
    if outside.size:
        raise ValueError(
            f"splits names row {outside[0]}, and the {n_samples} rows of X are 0 to "
            f"{n_samples - 1}: give positions among these, or a mask of one truth value a row"
        )
    if len(rows) == n_samples > 2 and rows.max() <= 1:
        raise ValueError(
            f"splits gives {n_samples} zeros and ones, as many as X has rows, which are the "
            "positions of two rows: give a mask as truth values (mask.astype(bool))"
        )
    return rows.astype(np.intp)


def check_of_rows(values: Any, n_samples: int, splits: Any, *, name: str) -> Any:
    """Check labels or groups that only a splitter reads, one per row."""
    if values is None:
        return None
    if not hasattr(splits, "split") or isinstance(splits, str):
        raise ValueError(
            f"{name} is for a splitter, and splits is {splits!r}: give one of scikit-learn, such "
            f"as {'LeaveOneGroupOut()' if name == 'groups' else 'StratifiedKFold()'}"
        )
    values = np.asarray(unmasked(as_vector(values)))
    if values.ndim != 1 or len(values) != n_samples:
        raise ValueError(
            f"{name} has the shape {values.shape}, and X has {n_samples} rows: give one value a row"
        )
    missing = [row for row, value in enumerate(values.tolist()) if is_missing(value)]
    if missing:
        raise ValueError(
            f"{name} is missing in row {missing[0]}, and a splitter asks for all of them: give "
            "every row a value, or leave out the rows without one"
        )
    return values


def is_pair(split: Any) -> bool:
    """Whether a split is a pair (train, test), and not the rows themselves."""
    pair = isinstance(split, (tuple, list)) and len(split) == 2
    return pair and all(hasattr(rows, "__len__") for rows in split)


def _one_by_one(n_samples: int, generator: np.random.RandomState) -> Rows:
    return np.sort(generator.randint(n_samples, size=n_samples))


def _in_blocks(n_samples: int, generator: np.random.RandomState) -> Rows:
    """Runs of neighbours, one after the other, with as many rows as the table."""
    length = run_length(n_samples)
    n_blocks = -(-n_samples // length)
    starts = generator.randint(n_samples - length + 1, size=n_blocks)
    return np.asarray(np.add.outer(starts, np.arange(length)).ravel()[:n_samples])


def run_length(n_samples: int) -> int:
    """Rows of a run of neighbours: S^(1/3), rounded, at least 2, of S [1]_.

    .. [1] H. R. Künsch (1989). The jackknife and the bootstrap for general stationary
       observations. Annals of Statistics 17(3), 1217-1241.
    """
    return min(max(2, int(round(n_samples ** (1 / 3)))), n_samples)  # noqa: RUF046
