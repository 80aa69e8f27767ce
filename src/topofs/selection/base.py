"""The base of all selectors: a ranking of the columns and a size; and Inf-FS.

A subclass of `RankingSelector` reads the table in `fit` (`topofs.selection.reading`), sets
`forced_`, the ranking and the support.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from topofs.backends.dask_table import check_dimensions, is_dask
from topofs.backends.dispatch import columns_to_compare
from topofs.centrality import check_theta, infinite_path_scores
from topofs.constraints import resolve_size, size_of
from topofs.io.batches import is_stream, lazy_columns, stream_names
from topofs.io.frames import (
    NamedArray,
    arrow_as_frame,
    column_name,
    is_annotated,
    is_frame,
    named_matrix,
    refuse_unread,
    sparse_columns,
    unmasked,
)
from topofs.io.types import LeftOutColumn, text_column
from topofs.notebook import selection_html
from topofs.runtime import parse_memory
from topofs.selection.reading import columns_that_vary, read_table, without_rows
from topofs.similarity.energy import Energy
from topofs.text import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from topofs.typing import Bools, Doubles, Ints


class RankingSelector(SelectorMixin, BaseEstimator):
    """Base of the selectors, which rank the columns and select the first ones."""

    n_features_to_select: Any
    n_features_in_: int
    forced_: Ints
    scores_: Doubles
    ranking_: Ints
    support_: Bools
    _left_out: Mapping[int, str]
    _names_given: tuple[str, ...] | None = None
    _has_names: bool = False

    @property
    def left_out_(self) -> tuple[LeftOutColumn, ...]:
        """The columns that take no part, each with the reason."""
        check_is_fitted(self)
        names = self._column_names()
        return tuple(LeftOutColumn(str(names[i]), why) for i, why in self._left_out.items())

    @property
    def n_features_(self) -> int:
        """Number of selected columns."""
        check_is_fitted(self)
        return int(self.support_.sum())

    def at(self, n_features_to_select: float | str | None) -> Self:
        """Select another number of columns from the same ranking, without fitting again.

        Parameters
        ----------
        n_features_to_select : int, float, str or None
            As in the constructor.

        Returns
        -------
        estimator
            A fitted copy, which shares the fitted arrays; this estimator is not changed.
        """
        check_is_fitted(self)
        if size_of(n_features_to_select).has_own_ranking:
            raise ValueError(
                f"{n_features_to_select!r} needs a fit of its own: at cuts a ranking that is there"
            )
        size = self._size(n_features_to_select)
        other = copy.copy(self)
        other.n_features_to_select = n_features_to_select
        if hasattr(self, "_sklearn_output_config"):
            other._sklearn_output_config = dict(self._sklearn_output_config)  # noqa: SLF001
        other._resize(size)  # noqa: SLF001
        return other

    def transform(self, X: Any) -> Any:
        """Keep the selected columns.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, AnnData, dask collection or stream of \
batches, shape (n_samples, n_features)
            A table with the columns given to fit.

        Returns
        -------
        array, sparse matrix, data frame, AnnData or collection, shape (n_samples, n_selected)
            A dask collection and a stream of batches stay lazy (a LazyFrame is a LazyFrame, a
            dataset of Arrow a scanner), a sparse table is sparse; an AnnData object gives a view
            of one. After a fit to a table with columns of names, a dense data frame gives a
            data frame with unchanged columns. Otherwise `set_output` decides, as in
            scikit-learn.
        """
        check_is_fitted(self)
        X = arrow_as_frame(X)
        if is_annotated(X):
            self._check_same_columns(X.var_names)
            return X[:, self.support_]
        if sparse_columns(X):
            self._check_same_columns(X.columns)
            return X.iloc[:, np.flatnonzero(self.support_)]
        if hasattr(X, "tocsc") and X.shape[1:] == (self.n_features_in_,):
            # A sparse matrix never has names, so none are missing.
            return X.tocsc()[:, self.support_].asformat(X.format)
        if is_dask(X) or is_stream(X):
            return self._selected_lazily(X)
        refuse_unread(X)
        try:
            if self._has_names and is_frame(X):
                validate_data(self, X, reset=False, skip_check_array=True)
                return self._transform(X)
            return super().transform(unmasked(X))
        except ValueError as error:
            if not str(error).startswith("The feature names should match"):
                raise
            raise ValueError(
                f"{str(error).rstrip()}\npick(X) takes the selected columns by name, whatever "
                "else X holds and in any order."
            ) from None

    def _selected_lazily(self, X: Any) -> Any:
        """The selected columns of a table whose rows are elsewhere; none is read."""
        if is_stream(X):
            self._check_same_columns(stream_names(X))
            return lazy_columns(X, self.get_feature_names_out().tolist())
        check_dimensions(X)
        validate_data(self, without_rows(X), skip_check_array=True, reset=False)
        selected = np.flatnonzero(self.support_)
        return X[list(X.columns[selected])] if hasattr(X, "columns") else X[:, selected]

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Give the names of the selected columns, as scikit-learn's transformers do.

        Labels that are not text get names, too: the column 10 has the name ``"10"``.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of all columns, to replace those of the fit.

        Returns
        -------
        array of str
        """
        check_is_fitted(self)
        if input_features is None:
            return self._column_names()[self.support_]
        names: npt.NDArray[np.object_] = super().get_feature_names_out(input_features)
        return names

    def pick(self, X: Any) -> Any:
        """Take the selected columns of a table by their names; other columns are ignored.

        `transform` needs all columns of the fit in their order, as scikit-learn's transformers
        do. `pick` needs only the selected columns, in any order and among any other columns.
        The values are not read.

        Parameters
        ----------
        X : data frame (pandas, polars or dask), Arrow table or AnnData
            With at least the selected columns, after a fit to a table with names.

        Returns
        -------
        data frame or AnnData
            The selected columns, in the order of the fit.
        """
        check_is_fitted(self)
        if self._names_given is None:
            raise ValueError(
                "the selector was fitted to a table without names: give the columns of the fit "
                "to transform"
            )
        names = self._column_names()[self.support_].tolist()
        X = arrow_as_frame(X)
        lazy = is_stream(X)
        annotated = hasattr(X, "var_names")
        if not lazy and not annotated and not hasattr(X, "columns"):
            raise TypeError(
                f"X is a {type(X).__name__}, whose columns have no names: give a data frame, or "
                "the columns of the fit to transform"
            )
        labels = list(stream_names(X) if lazy else X.var_names if annotated else X.columns)
        there = {column_name(label): label for label in reversed(labels)}
        missing = [name for name in names if name not in there]
        if missing:
            raise ValueError(
                f"X lacks {len(missing)} of the {len(names)} selected columns: "
                f"{listed(missing, most=5)}"
            )
        wanted = [there[name] for name in names]
        if lazy:
            return lazy_columns(X, wanted)
        return X[:, wanted] if annotated else X[wanted]

    def inverse_transform(self, X: Any) -> Any:
        """Put selected columns back into their positions; all other columns become zeros.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or AnnData, shape (n_samples, n_selected)
            Numbers, as `transform` gives them.

        Returns
        -------
        array or sparse matrix, shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = named_matrix(X)
        X = unmasked(X.values if isinstance(X, NamedArray) else X)
        shape = np.shape(X)
        if len(shape) == 2 and shape[1] != self.n_features_:
            raise ValueError(
                f"X has {shape[1]} columns, and {self.n_features_} are selected: give what "
                "transform gives"
            )
        name = text_column(X)
        if name is not None:
            raise ValueError(
                f"column {name!r} holds text, and the columns that were not selected become "
                "zeros: inverse_transform takes numbers only"
            )
        return super().inverse_transform(X)

    def _check_same_columns(self, names: Any) -> None:
        """Refuse a table with other columns than those of the fit."""
        given, known = [column_name(name) for name in names], self._names_given
        if len(given) != self.n_features_in_:
            raise ValueError(
                f"X has {len(given)} columns; the selector was fitted on {self.n_features_in_}"
            )
        first = next((a for a, b in zip(given, known or given, strict=True) if a != b), None)
        if first is None:
            return
        raise ValueError(
            f"the columns of X are not those of the fit, or in another order: {first!r} is the "
            "first that differs; pick(X) takes the selected columns by name"
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "support_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.target_tags.required = False
        return tags

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._selection_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        # Without it scikit-learn is configured to show text only.
        if "text/html" in bundle:
            bundle["text/html"] += self._selection_html()
        return bundle

    def _selection_html(self) -> str:
        """The selection as HTML for a notebook; None before the fit."""
        if not self.__sklearn_is_fitted__():
            return ""
        names = [str(name) for name in self._column_names()]
        return selection_html(names, self.support_, self.ranking_, self.scores_)

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_.copy()

    def _column_names(self) -> npt.NDArray[np.object_]:
        """Names of the columns given to fit, or x0, x1, … where there were none."""
        names = self._names_given
        if names is None:
            names = tuple(f"x{position}" for position in range(self.n_features_in_))
        return np.asarray(names, dtype=object)

    def _size(self, given: Any) -> int | None:
        """Number of features to select; None: the ranking decides."""
        return resolve_size(given, self.n_features_in_, least=len(self.forced_))

    def _resize(self, size: int | None) -> None:
        """Select the best ranked columns, up to a size."""
        assert size is not None
        self.support_ = self.ranking_ <= size

    def _put_in_order(
        self, order: Ints, scores: Doubles, varying: Ints, *, first: Ints
    ) -> None:
        """Set `scores_` and `ranking_` by the order and the scores of the varying columns.

        The columns in `first` come first, in that order and then those that do not vary; the
        varying columns follow in that order; the other columns that do not vary come last.
        """
        n_features = self.n_features_in_
        self.scores_ = np.zeros(n_features)
        self.scores_[varying] = scores
        others = np.setdiff1d(np.arange(n_features), varying)
        best_first = np.concatenate([varying[order], others])
        is_first = np.isin(best_first, first)
        best_first = np.concatenate([best_first[is_first], best_first[~is_first]])
        self.ranking_ = np.empty(n_features, dtype=np.int64)
        self.ranking_[best_first] = np.arange(1, n_features + 1)


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
        names, self.forced_ = self._column_names(), np.empty(0, dtype=np.int64)
        size = self._size(self.n_features_to_select)
        nodes, self._left_out = np.arange(self.n_features_in_), {}
        if read.constant is not None:
            nodes, self._left_out = columns_that_vary(
                names, read.constant, left_out=read.left_out
            )
        columns = columns_to_compare(read.columns(nodes), measure, memory=parse_memory(None))
        if columns.constant is not None:
            nodes, self._left_out = columns_that_vary(names, columns.constant)
        scores = infinite_path_scores(columns.matrix(), [self.theta])[0]
        order = np.argsort(-scores, kind="stable")
        self._put_in_order(order, scores, nodes, first=self.forced_)
        self._resize(size)
        return self
