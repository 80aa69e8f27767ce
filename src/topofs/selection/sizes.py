"""Sizes that are more than a number: how far a selection goes, as small objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from topofs.tables.given import column_name
from topofs.terms import Term, parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Budget", "MinShare", "Size", "UntilCoverage", "holds_values", "per_column"]


def _check_share(value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) <= 1:
        raise ValueError(f"a share is a number above 0, at most 1; got {value!r}")


def _check_total(value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < np.inf:
        raise ValueError(f"the total of a budget is a number above 0; got {value!r}")


@dataclass(frozen=True, repr=False)
class Size(Term):
    """Base of the sizes; `n_features_to_select` takes one."""

    kind: ClassVar[str] = "size"


@dataclass(frozen=True, repr=False)
class UntilCoverage(Size):
    """The fewest columns of the ranking that represent a share of the variance of all.

    Parameters
    ----------
    coverage : float
        In (0, 1].

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector, UntilCoverage
    >>> X = load_wine(as_frame=True).data
    >>> selector = TopologicalFeatureSelector(UntilCoverage(0.7)).fit(X)
    >>> selector.n_features_, bool(selector.shares_.mean() >= 0.7)
    (7, True)
    """

    coverage: float = parameter(0.9, check=_check_share)


@dataclass(frozen=True, repr=False)
class MinShare(Size):
    """Leave out only what is redundant: columns that a selected one explains to this share.

    A smallest set is found greedily: every column that is left out has a selected one that
    explains at least this share of its variance, whatever the graph, and no selected column
    could be left out, too. Columns in `keep` are always selected. Only a column in `exclude`
    stays alone, and only where every column that explains it to this share is in `exclude`, too.

    Parameters
    ----------
    share : float
        In (0, 1].

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from topofs import MinShare, TopologicalFeatureSelector
    >>> X = load_breast_cancer(as_frame=True).data
    >>> selector = TopologicalFeatureSelector(MinShare(0.9)).fit(X)
    >>> selector.n_features_, float(selector.shares_.min().round(1))
    (23, 0.9)
    """

    share: float = parameter(0.9, check=_check_share)


@dataclass(frozen=True, repr=False, eq=False)
class Budget(Size):
    """The set of most coverage that can be paid.

    The better of two greedy sets, by what a column adds and by what it adds for its cost, is
    worth at least (1 − 1/e)/2 of the best one; with up to 40 columns every pair of columns is
    tried as a beginning, too.

    Parameters
    ----------
    total : float
        What may be spent, above 0.
    cost : mapping of str to float, or array-like of float
        What each column costs: by name, or one number a column. None: 1 for each.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import Budget, TopologicalFeatureSelector
    >>> X = load_wine(as_frame=True).data
    >>> cost = {name: 3.0 if name == "flavanoids" else 1.0 for name in X}
    >>> selector = TopologicalFeatureSelector(Budget(3, cost)).fit(X)
    >>> selector.get_feature_names_out().tolist()
    ['total_phenols', 'hue', 'proline']
    """

    total: float = parameter(1.0, check=_check_total)
    cost: Any = parameter(None, option=False)  # noqa: RUF009 - a field

    def __repr__(self) -> str:
        costs = "" if self.cost is None else f", cost=<{len(self.cost)} columns>"
        return f"Budget(total={self.total!r}{costs})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Budget) or self.total != other.total:
            return False
        return bool(_plain(self.cost) == _plain(other.cost))

    def __hash__(self) -> int:
        return hash((Budget, self.total))

    def costs(self, names: Sequence[str], n_features: int) -> npt.NDArray[np.float64]:
        """Give the cost of each column, checked.

        Parameters
        ----------
        names : sequence of str
            The columns of the table.
        n_features : int
            How many they are.

        Returns
        -------
        array of float, shape (n_features,)
        """
        given = [1.0] * n_features if self.cost is None else self.cost
        values = per_column(given, names, what="cost")
        try:
            costs = np.array(
                [float("nan") if v is None else v for v in values], dtype=np.float64
            )
        except (TypeError, ValueError):
            raise ValueError("a cost is a number above 0; some are not numbers") from None
        wrong = np.flatnonzero(~(costs > 0) | ~np.isfinite(costs))
        if wrong.size:
            first = wrong[0]
            missing = values[first] is None or np.isnan(costs[first])
            said = "has no cost" if missing else f"costs {costs[first]:.12g}"
            raise ValueError(
                f"the column {names[first]!r} {said}; give each column a cost above 0"
            )
        if costs.min() > self.total:
            raise ValueError(
                f"the budget of {self.total:.12g} is below the cost of the cheapest column, "
                f"{costs.min():.12g}: nothing can be selected"
            )
        return costs


def _plain(cost: Any) -> Any:
    """Costs in a form that can be compared."""
    if hasattr(cost, "to_dict"):
        cost = cost.to_dict()
    return cost if cost is None or isinstance(cost, Mapping) else list(cost)


def holds_values(given: Any) -> bool:
    """Whether something holds one value after the other; text holds none."""
    listed = isinstance(given, Iterable) and not isinstance(given, str)
    return listed and getattr(given, "ndim", 1) > 0


def per_column(given: Any, names: Sequence[str], *, what: str) -> list[Any]:
    """One value a column, from a mapping by name (None for others) or from a sequence."""
    if hasattr(given, "to_dict") and not isinstance(given, Mapping):
        # A pandas Series.
        by_name = {column_name(label): value for label, value in given.to_dict().items()}
        given = by_name if set(names) & set(by_name) else list(given)
    if isinstance(given, Mapping):
        given = {column_name(label): value for label, value in given.items()}
        if given and not set(names) & set(given):
            raise ValueError(
                f"{what}: none of the names, such as {next(iter(given))!r}, is a column"
            )
        return [given.get(name) for name in names]
    if not holds_values(given):
        raise ValueError(
            f"{what} is given as {given!r}; give one value a column, or a mapping by name"
        )
    values = list(given)
    if len(values) != len(names):
        raise ValueError(
            f"{what} has {len(values)} values for {len(names)} columns; give one each, or a "
            "mapping by name"
        )
    return values
