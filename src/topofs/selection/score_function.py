"""Topological scores for scikit-learn's univariate selectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topofs.selection.topological import TopologicalFeatureSelector

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["tfs_score"]


def tfs_score(X: Any, y: Any = None) -> npt.NDArray[np.float64]:  # noqa: ARG001
    """Score columns for `sklearn.feature_selection.SelectKBest` and its relatives.

    The degree of each column in the TMFG of squared Pearson correlations, plus a fraction
    below 1 that orders equal degrees by strength. All scores differ, because SelectKBest
    would give ties to the highest index.

    Parameters
    ----------
    X : array-like or sparse matrix, shape (n_samples, n_features)
        The table.
    y : ignored
        Labels are not used.

    Returns
    -------
    array of float, shape (n_features,)

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.feature_selection import SelectKBest
    >>> from topofs import tfs_score
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> SelectKBest(tfs_score, k=2).fit(X, y).get_feature_names_out().tolist()
    ['total_phenols', 'flavanoids']
    """
    selector = TopologicalFeatureSelector(None, rule="degree").fit(X)
    n_features = selector.n_features_in_
    return selector.scores_ + (n_features - selector.ranking_) / n_features
