"""The selected columns of a table, in the form the table has: array, frame, AnnData, sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from topofs.selection.panel import PanelSelector
from topofs.selection.ranking_selector import telling_of_pick
from topofs.tables.given import arrow_as_frame, is_frame, sparse_columns

__all__ = ["ReducingSelector"]


class ReducingSelector(PanelSelector):
    """Base of a selector that reduces tables of any kind."""

    _has_names: bool

    def transform(self, X: Any) -> Any:
        """Keep the selected columns.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or AnnData, shape (n_samples, n_features)
            A table with the columns given to fit.

        Returns
        -------
        array, sparse matrix, data frame or AnnData, shape (n_samples, n_selected)
            An AnnData object gives a view of one, a sparse frame a sparse frame. After a fit
            to a table with columns of names, a dense data frame gives a data frame, its columns
            as they are; otherwise `set_output` decides, as in scikit-learn.
        """
        check_is_fitted(self)
        X = arrow_as_frame(X)
        if not (self._has_names and is_frame(X)) or sparse_columns(X):
            return super().transform(X)
        with telling_of_pick():
            validate_data(self, X, reset=False, skip_check_array=True)
        return self._transform(X)

    def annotate(self, adata: Any) -> None:
        """Write the selection into the annotation of the genes of an AnnData object.

        `adata.var` gets ``selected``, ``rank`` and, with a rule that has groups,
        ``representative`` (empty for a gene that is alone) and ``share``.

        Parameters
        ----------
        adata : AnnData
            With the genes that the selector was fitted to.
        """
        check_is_fitted(self)
        self._check_same_columns(adata.var_names)
        adata.var["selected"] = self.support_
        adata.var["rank"] = self.ranking_
        if self.has_groups:
            names = np.append(self._column_names(), "")
            adata.var["representative"] = names[self.representative_]
            adata.var["share"] = self.shares_
