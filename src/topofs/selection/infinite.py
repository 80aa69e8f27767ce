"""Infinite Feature Selection, unsupervised (Inf-FS_U), as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from topofs.backends.dispatch import compare_columns
from topofs.centrality import check_theta, infinite_path_scores
from topofs.runtime import parse_memory
from topofs.selection.base import RankingSelector
from topofs.selection.reading import read_table
from topofs.similarity.energy import Energy

__all__ = ["InfiniteFeatureSelector"]


class InfiniteFeatureSelector(RankingSelector):
    r"""Select features by the weight of all paths through them (Inf-FS_U).

    With A the energy matrix of the columns and :math:`r = \theta / \rho(A)`, the scores are
    the column sums of :math:`(I - rA)^{-1} - I = \sum_{l \ge 1} (rA)^l`.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        A count, a fraction in (0, 1], or None for half of the columns.
    alpha : float, default=0.5
        Weight of the dispersion in the energy coefficient, in [0, 1].
    theta : float, default=0.9
        Damping of long paths, in (0, 1).

    Attributes
    ----------
    scores_ : array of float, shape (n_features,)
        Score of each column; 0 for constant columns.
    ranking_ : array of int, shape (n_features,)
        A permutation of 1 … n_features; 1 is the best. Equal scores keep column order.
    support_ : array of bool, shape (n_features,)
        The selected columns.
    n_features_in_ : int
        Number of columns given to fit.
    feature_names_in_ : array of str
        Their names, where all of them are strings.

    Notes
    -----
    The spectral radius and the sums come from one Lanczos run, so the cost after the
    similarity is a few dozen products of A with a vector, O(n²), where the published formula
    is O(n³).

    References
    ----------
    .. [1] Roffo, Melzi, Castellani, Vinciarelli & Cristani, "Infinite Feature Selection: A
       Graph-based Feature Filtering Approach", IEEE TPAMI 43(12), 2021.
    .. [2] Briola & Aste, "Topological Feature Selection", 2023, Section 2.4.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import InfiniteFeatureSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> InfiniteFeatureSelector(2).fit(X).get_feature_names_out().tolist()
    ['malic_acid', 'ash']
    """

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        alpha: float = 0.5,
        theta: float = 0.9,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.theta = theta

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Score and rank the columns.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, AnnData or dask collection, shape \
(n_samples, n_features)
            The table; NaN marks a missing value, which a dask table may not have. A sparse one is
            made dense.
        y : ignored
            Labels are not used.

        Returns
        -------
        self
        """
        measure = Energy(self.alpha)
        check_theta(self.theta)
        read = read_table(self, X, measure, or_else="turn it into numbers")
        size, forced = self._check_size()
        varying, self._left_out = np.arange(self.n_features_in_), {}
        if read.constant is not None:
            varying = self._varying_columns(read.constant, left_out=read.left_out, depth=3)
        columns = compare_columns(read.columns(varying), measure, memory=parse_memory(None))
        if columns.constant is not None:
            varying = self._varying_columns(columns.constant, depth=3)
        scores = infinite_path_scores(columns.matrix(), [self.theta])[0]
        order = np.argsort(-scores, kind="stable")
        self._rank_and_select(size, forced, order, scores, varying)
        return self
