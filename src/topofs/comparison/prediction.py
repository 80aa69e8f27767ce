"""Prediction from selected columns: models, splits and scores."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, TimeSeriesSplit
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from topofs.errors import TableError
from topofs.selection.stability import check_of_rows, is_pair, parts_of, row_positions
from topofs.text import shortened

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from topofs.io.target import Target
    from topofs.typing import Bools

    Rows = npt.NDArray[np.intp]
    Split = tuple[Rows, Rows]

TASKS = ("classification", "regression")
"""The tasks: predict a class or a number."""

METRICS = {"classification": "balanced accuracy", "regression": "R²"}
"""The score of each task."""

_MODELS: dict[tuple[str, str], Callable[[], Any]] = {
    ("linear", "classification"): lambda: RidgeClassifier(class_weight="balanced"),
    ("linear", "regression"): Ridge,
    ("knn", "classification"): KNeighborsClassifier,
    ("knn", "regression"): KNeighborsRegressor,
    ("tree", "classification"): lambda: DecisionTreeClassifier(random_state=0),
    ("tree", "regression"): lambda: DecisionTreeRegressor(random_state=0),
}

MODELS = tuple(dict.fromkeys(name for name, _ in _MODELS))
"""The models: ridge, nearest neighbours, decision tree."""

FORWARD = "forward"
"""Splits in time order: every part is predicted by models of the earlier rows."""

_RARE = 5


@dataclass(frozen=True)
class Resampling:
    """Splits of the rows and draws of random columns.

    Attributes
    ----------
    n_folds, n_repeats : int
        Folds of a cross-validation, and repetitions with new folds.
    n_random : int
        Random subsets of columns in every split.
    random_state : int
        Seed of both.
    splits : None, "forward", splitter or iterable
        Splits that replace shuffled folds. "forward": by scikit-learn's `TimeSeriesSplit` into
        `n_folds` parts, each scored by models of the earlier rows, for rows in time order. Or a
        splitter of scikit-learn, or an iterable of pairs (train, test) of rows of the table,
        each an array of positions or a mask with one truth value per row; rows without a target
        are removed. These splits are not repeated.
    groups : array-like, shape (n_samples,), optional
        Groups of the rows, for splitters that ask for them, such as `LeaveOneGroupOut`.
    """

    n_folds: int = 5
    n_repeats: int = 2
    n_random: int = 10
    random_state: int = 0
    splits: Any = None
    groups: Any = None


def folds(target: Target, resampling: Resampling) -> list[Split]:
    """Split the rows repeatedly, with every class in proportion, or by the given splits."""
    splits, n_folds = resampling.splits, resampling.n_folds
    groups = check_of_rows(resampling.groups, len(target.given), splits, name="groups")
    if splits is not None:
        return _given_folds(target, splits, n_folds, groups)
    is_class = target.task == "classification"
    most = int(np.bincount(target.y).max()) if is_class else len(target.y) // 2
    if most < n_folds:
        what = "rows of one class" if is_class else "pairs of rows"
        raise TableError(
            f"{n_folds} folds need at least {n_folds} {what}, and there are {most}; give more "
            "rows or fewer --folds"
        )
    splitter = (RepeatedStratifiedKFold if is_class else RepeatedKFold)(
        n_splits=n_folds, n_repeats=resampling.n_repeats, random_state=resampling.random_state
    )
    with warnings.catch_warnings():
        # A class may have fewer rows than there are folds: it is scored where it occurs.
        warnings.filterwarnings("ignore", message="The least populated class in y")
        return list(splitter.split(np.empty((len(target.y), 0)), target.y))


def _given_folds(target: Target, splits: Any, n_folds: int, groups: Any) -> list[Split]:
    """The requested splits, checked, in their order."""
    given, n_samples, splitter = target.given, len(target.y), splits
    if isinstance(splits, str):
        if splits != FORWARD:
            raise ValueError(
                f"splits is {splits!r}; give 'forward', a splitter or pairs of rows"
            )
        least = 2 * (n_folds + 1)
        if n_samples < least:
            raise TableError(
                f"{n_folds} splits in the order of time need at least {least} rows, and there "
                f"are {n_samples}; give more rows or fewer --folds"
            )
        splitter = TimeSeriesSplit(n_splits=n_folds)
    if hasattr(splitter, "split"):
        groups = None if groups is None else groups[given]
        parts = parts_of(splitter, n_samples, y=target.y, groups=groups)
        given = np.ones(n_samples, dtype=np.bool_)
    else:
        parts = parts_of(splitter, len(given))
    if not all(map(is_pair, parts)):
        raise ValueError(
            f"splits is {splits!r}, which gives no pairs of rows to train on and rows to score"
        )
    # Rows without a target are removed, so positions change.
    place = np.cumsum(given) - 1
    pairs = []
    for part in parts:
        train, test = (row_positions(rows, len(given)) for rows in part)
        pairs.append((place[train[given[train]]], place[test[given[test]]]))
    if len(pairs) < 2:
        raise ValueError(f"splits gives {len(pairs)} splits; at least two are needed")
    for train, test in pairs:
        _check_split(target, train, test)
    return pairs


def _check_split(target: Target, train: Rows, test: Rows) -> None:
    """Refuse a split that is too small for training or scoring."""
    if len(train) < 2 or not len(test):
        raise ValueError(
            f"splits has a split of {len(train)} rows to train on and {len(test)} to score, of "
            f"{len(target.y)} with a target; give two or more, and one or more"
        )
    n_both = len(np.intersect1d(train, test))
    if n_both:
        raise ValueError(
            f"splits has a split with {n_both} rows both to train on and to score: score other "
            "rows than those that a model has seen"
        )
    if target.task == "classification" and len(np.unique(target.y[train])) < 2:
        name = shortened(target.classes[target.y[train[0]]])
        raise TableError(
            f"one split trains on {len(train)} rows of the one class {name!r}: "
            "give more rows or fewer --folds"
        )


def fit_and_score(
    model: str,
    task: str,
    train: tuple[npt.NDArray[Any], npt.NDArray[Any]],
    test: tuple[npt.NDArray[Any], npt.NDArray[Any]],
    *,
    nominal: Bools | None = None,
) -> float:
    """Fill missing values with medians, scale, fit, and score on the test part.

    Names become one column per level of the training part, with one column for all levels of
    fewer than five rows. Missing is a level; a new name in the test part has no column. Without
    columns, the prediction is the most frequent class or the mean.
    """
    prepared: Any = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    if nominal is not None and nominal.any():
        levels = OneHotEncoder(
            handle_unknown="ignore", min_frequency=_RARE, sparse_output=False
        )
        prepared = ColumnTransformer(
            [("numbers", prepared, np.flatnonzero(~nominal)),
             ("names", levels, np.flatnonzero(nominal))]
        )  # fmt: skip
    pipeline = make_pipeline(prepared, _MODELS[model, task]())
    if not train[0].shape[1]:
        pipeline = DummyClassifier() if task == "classification" else DummyRegressor()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="y_pred contains classes not in y_true")
        warnings.filterwarnings("ignore", message="A single label was found")
        warnings.filterwarnings("ignore", message="Ill-conditioned matrix")
        warnings.filterwarnings("ignore", message="Found unknown categories")
        predicted = pipeline.fit(*train).predict(test[0])
        score = balanced_accuracy_score if task == "classification" else r2_score
        return float(score(test[1], predicted))
