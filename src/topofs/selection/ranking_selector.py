"""What all selectors share: a ranking of the columns, cut at some size."""

from __future__ import annotations

import copy
import warnings
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from topofs.errors import ConstantFeatureWarning
from topofs.selection.subset_size import resolve_kept, resolve_size

__all__ = ["RankingSelector"]


class RankingSelector(SelectorMixin, BaseEstimator):
    """Base of the selectors: ranks the columns and selects the first of them.

    A subclass sets its parameters, among them `n_features_to_select`, and calls
    `_rank_and_select` at the end of `fit`.
    """

    n_features_to_select: Any
    keep: Any = None
    n_features_in_: int
    scores_: npt.NDArray[np.float64]
    ranking_: npt.NDArray[np.int64]
    support_: npt.NDArray[np.bool_]

    def at(self, n_features_to_select: float | None) -> Self:
        """Cut the same ranking at another size, without fitting again.

        Parameters
        ----------
        n_features_to_select : int, float or None
            As in the constructor.

        Returns
        -------
        estimator
            A fitted copy; this one stays as it is. The copy shares its fitted arrays.
        """
        check_is_fitted(self)
        other = copy.copy(self)
        other.n_features_to_select = n_features_to_select
        other._select()  # noqa: SLF001 - a copy of this very object
        return other

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = False
        return tags

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def _varying_columns(self, constant: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Positions of the columns that vary; warns once about the others."""
        if constant.all():
            raise ValueError(
                f"all {len(constant)} columns of X are constant or missing: there is nothing "
                "to compare; give at least one column with two different values"
            )
        if constant.any():
            names = self._column_names()[constant]
            shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
            warnings.warn(
                f"{len(names)} of {len(constant)} columns are constant or all missing; they "
                f"take no part, score 0 and rank last: {shown}",
                ConstantFeatureWarning,
                stacklevel=3,
            )
        return np.flatnonzero(~constant)

    def _column_names(self) -> npt.NDArray[np.object_]:
        """Names of the columns given to fit, or x0, x1, … where there were none."""
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{position}" for position in range(self.n_features_in_)]
        return np.asarray(names, dtype=object)

    def _rank_and_select(
        self,
        scores: npt.NDArray[np.float64],
        varying: npt.NDArray[np.int64],
        tie_breaker: npt.NDArray[np.float64] | None = None,
    ) -> None:
        """Set `scores_`, `ranking_` and `support_`.

        Columns are ordered by score, then by tie breaker, both descending, then by position;
        the columns that do not vary come last.
        """
        n_features = self.n_features_in_
        self.scores_ = np.zeros(n_features)
        self.scores_[varying] = scores
        keys = [-scores] if tie_breaker is None else [-tie_breaker, -scores]
        others = np.setdiff1d(np.arange(n_features), varying)
        order = np.concatenate([varying[np.lexsort(keys)], others])
        self.ranking_ = np.empty(n_features, dtype=np.int64)
        self.ranking_[order] = np.arange(1, n_features + 1)
        self._select()

    def _select(self) -> None:
        """Set `support_`: the kept columns, then the best ranked, up to the size."""
        size = resolve_size(self.n_features_to_select, self.n_features_in_)
        names = getattr(self, "feature_names_in_", None)
        kept = resolve_kept(self.keep, names, self.n_features_in_)
        if len(kept) > size:
            raise ValueError(
                f"keep names {len(kept)} columns, but only {size} are to be selected: raise "
                "n_features_to_select or keep fewer"
            )
        precedence = self.ranking_.copy()
        precedence[kept] -= self.n_features_in_
        self.support_ = np.zeros(self.n_features_in_, dtype=np.bool_)
        self.support_[np.argsort(precedence)[:size]] = True
