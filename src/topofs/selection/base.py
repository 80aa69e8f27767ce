"""What all selectors share: a ranking of the columns, cut at some size."""

from __future__ import annotations

import copy
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from topofs.backends.dask_table import check_dimensions, is_dask
from topofs.constraints import Budget, MinShare, resolve_columns, resolve_size
from topofs.errors import ConstantFeatureWarning
from topofs.io.frames import (
    NamedArray,
    arrow_as_frame,
    column_name,
    is_annotated,
    named_matrix,
    refuse_unread,
    sparse_columns,
    unmasked,
)
from topofs.io.table import LeftOutColumn
from topofs.io.types import CONSTANT, text_column
from topofs.notebook import selection_html
from topofs.selection.reading import say_left_out, without_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["RankingSelector", "telling_of_pick"]


class RankingSelector(SelectorMixin, BaseEstimator):
    """Base of the selectors: ranks the columns and selects the first of them.

    In `fit`, a subclass calls `_check_size` before the work and `_rank_and_select` at the end.
    """

    n_features_to_select: Any
    keep: Any = None
    n_features_in_: int
    _names_given: tuple[str, ...] | None = None
    forced_: npt.NDArray[np.int64]
    scores_: npt.NDArray[np.float64]
    ranking_: npt.NDArray[np.int64]
    support_: npt.NDArray[np.bool_]
    _left_out: Mapping[int, str]

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
        """Cut the same ranking at another size, without fitting again.

        Parameters
        ----------
        n_features_to_select : int, float, str or None
            As in the constructor.

        Returns
        -------
        estimator
            A fitted copy; this one stays as it is. The copy shares its fitted arrays.
        """
        check_is_fitted(self)
        if isinstance(n_features_to_select, (Budget, MinShare)):
            raise ValueError(
                f"{n_features_to_select!r} needs a fit of its own: at cuts a ranking that is there"
            )
        size = self._size(n_features_to_select, self.forced_, fitted=True)
        other = copy.copy(self)
        other.n_features_to_select = n_features_to_select
        other.support_ = other._support(size)  # noqa: SLF001
        if hasattr(self, "_sklearn_output_config"):
            other._sklearn_output_config = dict(self._sklearn_output_config)  # noqa: SLF001
        return other

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected columns.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, AnnData or dask collection, shape \
(n_samples, n_features)
            A dask collection stays lazy, a sparse table sparse.

        Returns
        -------
        array, sparse matrix, data frame, AnnData or collection, shape (n_samples, n_selected)
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
            # A sparse matrix never carries names: none are missing.
            return X.tocsc()[:, self.support_].asformat(X.format)
        if not is_dask(X):
            refuse_unread(X)
            with telling_of_pick():
                return super().transform(unmasked(X))
        check_dimensions(X)
        validate_data(self, without_rows(X), skip_check_array=True, reset=False)
        if hasattr(X, "columns"):
            return X[list(X.columns[self.support_])]
        return X[:, np.flatnonzero(self.support_)]

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Give the names of the selected columns, as scikit-learn's transformers do.

        Labels that are no text have names, too: the column 10 is called ``"10"``.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of all columns, where those of the fit are not to be used.

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
        """Take the selected columns of a table by their names, whatever else it holds.

        `transform` wants the columns of the fit in their order, as scikit-learn's transformers
        do. This is for tables of which less is left: any order, any further columns, and none
        but the selected ones needed. The values are not looked at.

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
        if self._known_names() is None:
            raise ValueError(
                "the selector was fitted to a table without names: give the columns of the fit "
                "to transform"
            )
        names = self._column_names()[self.support_].tolist()
        X = arrow_as_frame(X)
        annotated = hasattr(X, "var_names")
        if not annotated and not hasattr(X, "columns"):
            raise TypeError(
                f"X is a {type(X).__name__}, whose columns have no names: give a data frame, or "
                "the columns of the fit to transform"
            )
        labels = list(X.var_names if annotated else X.columns)
        there = {column_name(label): label for label in reversed(labels)}
        missing = [name for name in names if name not in there]
        if missing:
            more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
            raise ValueError(
                f"X lacks {len(missing)} of the {len(names)} selected columns: "
                f"{', '.join(missing[:5])}{more}"
            )
        wanted = [there[name] for name in names]
        return X[:, wanted] if annotated else X[wanted]

    def inverse_transform(self, X: Any) -> Any:
        """Put selected columns back in their places, with zeros in those of the others.

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
        given, known = [column_name(name) for name in names], self._known_names()
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
        # Without it scikit-learn is set to show text only.
        if "text/html" in bundle:
            bundle["text/html"] += self._selection_html()
        return bundle

    def _selection_html(self) -> str:
        """What was selected, for a notebook; nothing before the fit."""
        if not self.__sklearn_is_fitted__():
            return ""
        names = [str(name) for name in self._column_names()]
        return selection_html(names, self.support_, self.ranking_, self.scores_)

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_.copy()

    def _varying_columns(
        self,
        constant: npt.NDArray[np.bool_],
        identifiers: npt.NDArray[np.bool_] | None = None,
        *,
        left_out: Mapping[int, str] | None = None,
        rare: Mapping[int, str] | None = None,
        depth: int = 4,
    ) -> npt.NDArray[np.int64]:
        """Positions of the columns that vary and can be compared; warns of constant ones.

        `left_out` says why each other takes no part, where that is more than constant; `rare` of
        those that too few samples carry. The
        warning points `depth` calls up, to the line of the user.
        """
        out = constant.copy() if identifiers is None else constant | identifiers
        or_names = ", or hold names that hardly repeat" if (out & ~constant).any() else ""
        if rare:
            out[list(rare)] = True
            or_names += ", or too few samples carry them (min_carriers=0 lets them take part)"
        if out.all():
            raise ValueError(
                f"all {len(constant)} columns of X are constant or missing{or_names}: there is "
                "nothing to compare; give at least one column with two different values"
            )
        where = np.flatnonzero(out).tolist()
        reasons = {**(left_out or {}), **(rare or {})}
        self._left_out = {i: reasons.get(i, CONSTANT) for i in where}
        if constant.any():
            say_left_out(
                "are constant or all missing",
                ConstantFeatureWarning,
                {i: self._left_out[i] for i in np.flatnonzero(constant).tolist()},
                self._column_names(),
                depth=depth + 1,
            )
        return np.flatnonzero(~out)

    def _column_names(self) -> npt.NDArray[np.object_]:
        """Names of the columns given to fit, or x0, x1, … where there were none."""
        names = self._known_names()
        if names is None:
            names = [f"x{position}" for position in range(self.n_features_in_)]
        return np.asarray(names, dtype=object)

    def _known_names(self) -> Sequence[str] | None:
        """The names that the table of the fit had; those of labels that are no text, too."""
        names = getattr(self, "feature_names_in_", None)
        return self._names_given if names is None else list(names)

    def _check_size(self) -> tuple[int | None, npt.NDArray[np.int64]]:
        """Resolve how many features to select and which of them always, before the work."""
        names = self._known_names()
        forced = resolve_columns(self.keep, names, self.n_features_in_, what="keep")
        return self._size(self.n_features_to_select, forced, fitted=False), forced

    def _size(
        self,
        given: Any,
        forced: npt.NDArray[np.int64],
        *,
        fitted: bool,  # noqa: ARG002
    ) -> int | None:
        """How many features to select, before a fit or after it; None: the ranking decides."""
        return resolve_size(given, self.n_features_in_, least=len(forced))

    def _rank_and_select(
        self,
        size: int | None,
        forced: npt.NDArray[np.int64],
        order: npt.NDArray[np.intp],
        scores: npt.NDArray[np.float64],
        varying: npt.NDArray[np.int64],
    ) -> None:
        """Set `scores_`, `ranking_`, `forced_` and `support_`."""
        self.forced_ = forced
        self._set_ranking(forced, order, scores, varying)
        self.support_ = self._support(size)

    def _set_ranking(
        self,
        forced: npt.NDArray[np.int64],
        order: npt.NDArray[np.intp],
        scores: npt.NDArray[np.float64],
        varying: npt.NDArray[np.int64],
    ) -> None:
        """Set `scores_` and `ranking_`.

        Forced columns come first, in the given order and then those that do not vary; the
        varying columns follow in the given order; the other columns that do not vary come last.
        """
        n_features = self.n_features_in_
        self.scores_ = np.zeros(n_features)
        self.scores_[varying] = scores
        others = np.setdiff1d(np.arange(n_features), varying)
        best_first = np.concatenate([varying[order], others])
        by_wish = np.isin(best_first, forced)
        best_first = np.concatenate([best_first[by_wish], best_first[~by_wish]])
        self.ranking_ = np.empty(n_features, dtype=np.int64)
        self.ranking_[best_first] = np.arange(1, n_features + 1)

    def _support(self, size: int | None) -> npt.NDArray[np.bool_]:
        """The best ranked columns, up to the size, which a subclass finds where it is None."""
        assert size is not None
        return self.ranking_ <= size


@contextmanager
def telling_of_pick() -> Iterator[None]:
    """Add to scikit-learn's refusal of other columns what to do with them."""
    try:
        yield
    except ValueError as error:
        if not str(error).startswith("The feature names should match"):
            raise
        raise ValueError(
            f"{str(error).rstrip()}\npick(X) takes the selected columns by name, whatever else X "
            "holds and in any order."
        ) from None
