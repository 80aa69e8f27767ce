"""Rivals that select for a target: univariate scores, mRMR, fastcan, a forest, elimination."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import (
    RFE,
    f_classif,
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
)
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.preprocessing import StandardScaler

from topofs.errors import import_extra

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from topofs.typing import Doubles

    Positions = npt.NDArray[np.intp]

MOST_FOR_RFE = 600
"""The most columns for RFE, which fits a model for each of them."""

_LEAST_REDUNDANCY = 1e-3
# F of a column that is constant within the classes: infinite, or by rounding below 0.
_LARGEST_F = 1e100


class Labelled(NamedTuple):
    """Rows with a target, for a ranking: standardised columns without missing values."""

    X: Doubles
    y: npt.NDArray[Any]
    is_class: bool
    n_wanted: int
    random_state: int


def ranking_by_labels(
    method: str,
    X: Doubles,
    y: npt.NDArray[Any],
    *,
    is_class: bool,
    n_wanted: int,
    random_state: int = 0,
) -> Positions:
    """Rank columns for a target by one of `LABELLED_METHODS`, best first.

    At least the first `n_wanted` are in the order of the method. A missing value counts as the
    median of its column. Constant columns come last.
    """
    given = ~np.isnan(X)
    medians = np.zeros(X.shape[1])
    known = given.any(axis=0)
    medians[known] = np.nanmedian(X[:, known], axis=0)
    filled = np.where(given, X, medians).astype(np.float64)
    varying = np.flatnonzero(np.ptp(filled, axis=0) > 0)
    rest = np.setdiff1d(np.arange(X.shape[1]), varying)
    if not len(varying):
        return rest
    standardised = StandardScaler().fit_transform(filled[:, varying])
    n_wanted = min(n_wanted, len(varying))
    rows = Labelled(standardised, y, is_class, n_wanted, random_state)
    order = LABELLED_METHODS[method](rows)
    return np.concatenate([varying[order], rest])


def _f_scores(rows: Labelled) -> Doubles:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="divide by zero")
        scores, _ = (f_classif if rows.is_class else f_regression)(rows.X, rows.y)
    known = np.nan_to_num(np.abs(scores), nan=0.0, posinf=_LARGEST_F)
    return np.asarray(known, dtype=np.float64)


def _by_f(rows: Labelled) -> Positions:
    return np.argsort(-_f_scores(rows), kind="stable")


def _with_rest(order: npt.ArrayLike, rows: Labelled) -> Positions:
    by_f = _by_f(rows)
    return np.concatenate([order, by_f[~np.isin(by_f, order)]])


def _by_mutual_information(rows: Labelled) -> Positions:
    measure = mutual_info_classif if rows.is_class else mutual_info_regression
    scores = measure(rows.X, rows.y, random_state=rows.random_state)
    return np.argsort(-scores, kind="stable")


def _by_mrmr(rows: Labelled) -> Positions:
    """Take the columns of largest F over mean |r| with the columns taken before.

    Own code, because of the licence: mrmr-selection is under the GPL.
    """
    relevance = _f_scores(rows)
    columns = rows.X / np.sqrt(len(rows.X))
    redundancy, waiting = np.zeros(len(relevance)), np.ones(len(relevance), dtype=np.bool_)
    order = [int(np.argmax(relevance))]
    while len(order) < rows.n_wanted:
        waiting[order[-1]] = False
        redundancy += np.abs(columns.T @ columns[:, order[-1]])
        mean = np.maximum(redundancy / len(order), _LEAST_REDUNDANCY)
        order.append(int(np.argmax(np.where(waiting, relevance / mean, -1.0))))
    return _with_rest(order, rows)


def _by_fastcan(rows: Labelled) -> Positions:
    fastcan = import_extra("fastcan", extra="fastcan", purpose="the method 'fastcan'")
    # It takes a class as one column of zeros and ones for each.
    y = np.eye(int(rows.y.max()) + 1)[rows.y] if rows.is_class else rows.y
    n_wanted = rows.n_wanted
    order: Positions = np.empty(0, dtype=np.intp)
    while n_wanted:
        try:
            order = fastcan.FastCan(n_wanted, verbose=0).fit(rows.X, y).indices_
            break
        except RuntimeError:
            # All other columns depend on the ones it has.
            n_wanted //= 2
    return _with_rest(order, rows)


def _by_forest(rows: Labelled) -> Positions:
    forest: Any = RandomForestRegressor(max_features=1 / 3, random_state=rows.random_state)
    if rows.is_class:
        forest = RandomForestClassifier(class_weight="balanced", random_state=rows.random_state)
    return np.argsort(-forest.fit(rows.X, rows.y).feature_importances_, kind="stable")


def _by_elimination(rows: Labelled) -> Positions:
    model = RidgeClassifier(class_weight="balanced") if rows.is_class else Ridge()
    eliminated = RFE(model, n_features_to_select=1).fit(rows.X, rows.y)
    return np.argsort(eliminated.ranking_, kind="stable")


LABELLED_METHODS: dict[str, Callable[[Labelled], Positions]] = {
    "f": _by_f,
    "mutual_information": _by_mutual_information,
    "mrmr": _by_mrmr,
    "fastcan": _by_fastcan,
    "forest": _by_forest,
    "rfe": _by_elimination,
}
