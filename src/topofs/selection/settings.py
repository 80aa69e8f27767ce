"""The settings of a selection as one value, and the fit of a selector to a bare array."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.errors import ConstantFeatureWarning
from topofs.selection.topological import TopologicalFeatureSelector

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from topofs.similarity.typed_table import TypedTable

__all__ = ["SelectionSettings"]


@dataclass(frozen=True, kw_only=True)
class SelectionSettings:
    """How features are selected; the parameters of `TopologicalFeatureSelector` by value.

    Parameters
    ----------
    size : "auto", int, float or None
        "auto", a count, a fraction in (0, 1], or None for half of the columns.
    similarity, squared, alpha, graph, rule, reach, isolated, centrality, ties
        As in `TopologicalFeatureSelector`.
    keep : tuple of str
        Columns that are always selected.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0, 9.0], [2.0, 4.0, 1.0], [3.0, 6.5, 2.0]])
    >>> selector = SelectionSettings(size=2, rule="degree").fit(X, ["a", "b", "c"])
    >>> selector.get_feature_names_out().tolist()
    ['a', 'b']
    """

    size: float | str | None = "auto"
    similarity: str = "auto"
    squared: bool = True
    alpha: float = 0.5
    graph: str = "tmfg"
    rule: str = "coverage"
    reach: str = "paths"
    isolated: str = "drop"
    centrality: str = "degree"
    ties: str = "strength"
    keep: tuple[str, ...] = ()

    def selector(self, names: Sequence[str] | None = None) -> TopologicalFeatureSelector:
        """Make the estimator, not fitted.

        Parameters
        ----------
        names : sequence of str, optional
            The columns of the table it is for, where the table itself has no names: those
            to keep are then given by position.

        Returns
        -------
        TopologicalFeatureSelector
        """
        keep: list[str | int] = list(self.keep)
        if names is not None:
            keep = [names.index(name) for name in self.keep]
        return TopologicalFeatureSelector(
            self.size,
            similarity=self.similarity,
            squared=self.squared,
            alpha=self.alpha,
            graph=self.graph,
            rule=self.rule,
            reach=self.reach,
            isolated=self.isolated,
            centrality=self.centrality,
            ties=self.ties,
            keep=keep or None,
        )

    def fit(
        self, X: npt.NDArray[np.floating[Any]] | TypedTable, names: Sequence[str]
    ) -> TopologicalFeatureSelector:
        """Fit the estimator to an array whose columns have these names.

        A data frame would do the same with a copy of the array more.

        Parameters
        ----------
        X : array or TypedTable, shape (n_samples, n_features)
            The table; a constant column raises no warning.
        names : sequence of str
            The names of its columns.

        Returns
        -------
        TopologicalFeatureSelector
            Fitted, with `feature_names_in_` and the labels of `graph_` set.
        """
        selector = self.selector(names)
        # For the warnings of the fit; an array makes the estimator forget them.
        selector.feature_names_in_ = np.asarray(names, dtype=object)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstantFeatureWarning)
            selector.fit(X)
        selector.keep = list(self.keep) or None
        selector.feature_names_in_ = np.asarray(names, dtype=object)
        labels = [names[column] for column in selector.nodes_]
        selector.graph_ = replace(selector.graph_, labels=labels)
        return selector

    def as_dict(self) -> dict[str, Any]:
        """Give the settings by name, as JSON can hold them.

        Returns
        -------
        dict
        """
        return asdict(self) | {"keep": list(self.keep)}
