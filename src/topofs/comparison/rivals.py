"""The columns that TFS and the other methods select on the training rows of a split."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from topofs.comparison.labelled import LABELLED_METHODS, ranking_by_labels
from topofs.constraints import resolve_columns
from topofs.errors import FitWarning, TableError
from topofs.io.types import TypedTable
from topofs.selection import InfiniteFeatureSelector, TopologicalFeatureSelector
from topofs.selection.compatibility import rule_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import numpy.typing as npt

    from topofs.io.target import Target
    from topofs.typing import Floats, Ints

    AnyTable = Floats | TypedTable
    Positions = npt.NDArray[np.intp]

AUTO = "auto"
"""The size at the automatic end of TFS."""

UNLABELLED = ("tfs_paper", "inf_fs", "variance", "random", "all")
"""The rivals that need no labels."""


def subsets(
    X: AnyTable,
    selector: TopologicalFeatureSelector,
    sizes: Sequence[int | str],
    *,
    n_random: int,
    seed: tuple[int, ...],
    target: Target | None = None,
    methods: Collection[str] = UNLABELLED,
) -> dict[tuple[str, int | str], list[Positions]]:
    """Select by TFS and by other methods, at every size.

    Each ranking is computed once and cut at every size. At the size "auto" all methods have as
    many columns as TFS at its automatic end. All but TFS, "random" and "all" need numbers. In a
    table with names they rank the numbers (names of two levels count as 0 and 1). Names of more
    levels follow in the order of the table, because they have no order that numbers could
    express. `target`, of the same rows, is needed by `LABELLED_METHODS` and by the relevance of
    TFS.
    """
    excluded = excluded_columns(selector, X)
    open_ = np.setdiff1d(np.arange(X.shape[1]), excluded)
    with warnings.catch_warnings():
        # A column may be constant on the rows of one split, or no two columns may be similar.
        warnings.simplefilter("ignore", FitWarning)
        try:
            own = clone(selector).set_params(
                n_features_to_select=AUTO if rule_of(selector.rule).has_end else 1,
                keep=None,
                at_most=None,
                at_least=None,
                max_similarity=None,
            )
            own.fit(X, target)
        except ValueError as error:
            raise TableError(
                f"the selector cannot be fitted to the training part of a split ({error}); give "
                "more rows or fewer folds, or leave out columns that hardly vary"
            ) from error
        counts = {size: own.n_features_ if isinstance(size, str) else size for size in sizes}
        rankings = {"tfs": np.argsort(own.ranking_)}
        n_wanted = max(counts.values(), default=0)
        rankings |= _by_numbers(
            X, methods, excluded, target, n_wanted=n_wanted, random_state=seed[0]
        )
    random = np.random.default_rng(seed)
    chosen: dict[tuple[str, int | str], list[Positions]] = {
        (method, size): [np.sort(ranking[~np.isin(ranking, excluded)][:count])]
        for method, ranking in rankings.items()
        for size, count in counts.items()
    }
    for size, count in counts.items() if "random" in methods else ():
        chosen["random", size] = [
            np.sort(random.choice(open_, count, replace=False)) for _ in range(n_random)
        ]
    if "all" in methods:
        chosen["all", len(open_)] = [open_]
    return chosen


def excluded_columns(selector: TopologicalFeatureSelector, X: AnyTable) -> Ints:
    """Find the columns that no method may select."""
    names = X.names if isinstance(X, TypedTable) else None
    return resolve_columns(selector.exclude, names, X.shape[1], what="exclude")


def _by_numbers(
    X: AnyTable,
    methods: Collection[str],
    excluded: Ints,
    target: Target | None,
    *,
    n_wanted: int,
    random_state: int,
) -> dict[str, Positions]:
    """Rank by the methods that need numbers; other columns come last."""
    amounts: Any = X
    positions = np.arange(X.shape[1])
    others = np.empty(0, dtype=np.intp)
    if isinstance(X, TypedTable):
        is_number = np.array(
            [not column.nominal or len(np.unique(column.values)) < 3 for column in X.columns],
            dtype=np.bool_,
        )
        positions, others = np.flatnonzero(is_number), np.flatnonzero(~is_number)
        amounts = np.column_stack(
            [np.empty((X.shape[0], 0)), *(X.columns[i].values for i in positions)]
        )
    rankings = {
        method: np.concatenate([positions[rank(amounts)], others])
        for method, rank in _RANK_NUMBERS.items()
        if method in methods
    }
    if target is not None:
        # An excluded column must not stand in for others.
        able = ~np.isin(positions, excluded)
        for method in (m for m in LABELLED_METHODS if m in methods):
            ranking = ranking_by_labels(
                *(method, amounts[:, able], target.y),
                is_class=target.task == "classification",
                n_wanted=n_wanted,
                random_state=random_state,
            )
            rankings[method] = np.concatenate([positions[able][ranking], others])
    return rankings


def _ranked(
    selector: TopologicalFeatureSelector | InfiniteFeatureSelector, X: Any
) -> Positions:
    """The columns, best first; in their order if nothing can be compared."""
    varying = np.fmin.reduce(X, axis=0) < np.fmax.reduce(X, axis=0)
    if varying.sum() < 2:
        return np.argsort(~varying, kind="stable")
    return np.argsort(selector.fit(X).ranking_)


def _by_variance(X: Any) -> Positions:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Degrees of freedom <= 0")
        variance = np.nanvar(X, axis=0, dtype=np.float64)
    return np.argsort(-np.nan_to_num(variance, nan=-1.0), kind="stable")


_RANK_NUMBERS: dict[str, Callable[[Any], Positions]] = {
    "tfs_paper": lambda X: _ranked(TopologicalFeatureSelector.paper(1), X),
    "inf_fs": lambda X: _ranked(InfiniteFeatureSelector(1), X),
    "variance": _by_variance,
}
