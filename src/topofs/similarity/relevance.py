"""Relevance: what columns say about a target, or weights that the user gives.

`Relevance` is the term. `relevance_to_target` measures the share of a target's variance that each
column explains, with the measure that compares the columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse

from topofs.io.target import targets_of
from topofs.io.types import TypedTable
from topofs.network import NodeRelevance, NodeWeights
from topofs.runtime import slices
from topofs.similarity.noise_floor import columns_of_pairs
from topofs.similarity.streamed import StreamedTable
from topofs.terms import Term, parameter
from topofs.text import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs.io.target import Target
    from topofs.similarity.base import Measure
    from topofs.typing import Doubles, Ints

__all__ = ["Relevance"]

TARGET = "target"

# Columns compared with a target at a time.
_COLUMNS = 1024


def _check_source(value: Any) -> None:
    if callable(value) or (isinstance(value, str) and value == TARGET):
        return
    if isinstance(value, str) or np.ndim(value) != 1:
        raise ValueError(
            f"relevance is {value!r}; give 'target', one weight a column, a function of X and y, "
            "or None"
        )


def _check_exponent(value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 10:
        raise ValueError(f"an exponent of relevance is a number from 0 to 10; got {value!r}")


@dataclass(frozen=True, repr=False, eq=False)
class Relevance(Term):
    r"""Weights of the columns in the coverage: how much each says about a target.

    With :math:`w_{ij}` the share of column j that i explains and :math:`e_j` the relevance of
    column j, the rule "coverage" selects the columns with the largest

    .. math:: F(S) = \sum_j e_j^b \max_{i \in S} e_i^a w_{ij}.

    Parameters
    ----------
    by : "target", array-like or callable, default="target"
        "target": the share of the variance of y that the column explains alone, less chance.
        Or one weight per column, at least 0. Or a function that takes the columns that vary and
        y and returns one score per column, as `sklearn.feature_selection.f_classif` does.
    selected : float, default=2.0
        The exponent a, of the column that is selected.
    represented : float, default=1.0
        The exponent b, of the columns that it represents.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import Relevance, TopologicalFeatureSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = TopologicalFeatureSelector(3, relevance=Relevance(represented=2)).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['flavanoids', 'color_intensity', 'proline']
    """

    by: Any = parameter(TARGET, check=_check_source, option=False)  # noqa: RUF009 - a field
    selected: float = parameter(2.0, check=_check_exponent, option=False)
    represented: float = parameter(1.0, check=_check_exponent, option=False)

    kind: ClassVar[str] = "relevance"

    @property
    def needs_target(self) -> bool:
        """Whether it needs y."""
        return isinstance(self.by, str) or callable(self.by)

    def __repr__(self) -> str:
        by = self.by
        if not isinstance(by, str):
            by = f"<{getattr(by, '__name__', None) or f'{len(by)} weights'}>"
        exponents = f"selected={self.selected:g}, represented={self.represented:g}"
        return f"Relevance(by={by!r}, {exponents})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Relevance):
            return NotImplemented
        mine, others = (
            (one.selected, one.represented, one.by if one.needs_target else list(one.by))
            for one in (self, other)
        )
        return bool(mine == others)

    def __hash__(self) -> int:
        return hash((Relevance, self.selected, self.represented))


def relevance_of(given: Any) -> Relevance | None:
    """Resolve the parameter `relevance`: None, "target", weights, a function or a term."""
    return given if given is None or isinstance(given, Relevance) else Relevance(given)


@dataclass(frozen=True, eq=False)
class ColumnRelevance:
    """The relevance of columns.

    Attributes
    ----------
    values : array of float, shape (n_columns,)
        At least 0.
    proven : array of float, shape (n_columns,)
        The same, and 0 where chance explains it.
    chance : float or None
        What chance gives to the best column of a table in 1 of 20 tables; None if unknown.
    target : str or None
        The target of which the values are shares, in words; None if they are other numbers.
    """

    values: Doubles
    proven: Doubles
    chance: float | None = None
    target: str | None = None

    def of_nodes(self, term: Relevance) -> NodeRelevance:
        """The weights of shares in the coverage, relative to the most relevant column."""
        largest = float(self.values.max(initial=0.0)) or 1.0

        def weights(values: Doubles) -> NodeWeights:
            relative = values / largest
            return NodeWeights(relative**term.selected, relative**term.represented)

        exponent = term.selected + term.represented
        if self.chance is None:
            # An average column, which represents itself alone.
            average = float(np.mean((self.values / largest) ** exponent))
            return NodeRelevance(weights(self.values), average)
        least = min(1.0, self.chance / largest) ** exponent
        return NodeRelevance(weights(self.values), least, weights(self.proven))


def column_relevance(
    term: Relevance, measure: Measure, table: Any, y: Any, nodes: Ints
) -> ColumnRelevance:
    """The relevance of some columns of a table, which vary."""
    n_features = table.shape[1]
    if not term.needs_target:
        weights = _checked(term.by, n_features, "relevance has", "weights", "one a column")
        return ColumnRelevance(weights[nodes], weights[nodes])
    if isinstance(table, StreamedTable):
        raise ValueError(
            f"{term!r} compares the columns with y in memory, and X is read in batches: give a "
            "sample of the rows, one weight a column, or leave relevance out"
        )
    if y is None:
        # The words that scikit-learn's checks look for.
        raise ValueError(
            f"{term!r} requires y to be passed, but the target y is None: give y to fit, or leave "
            "relevance out"
        )
    if not measure.takes_table:
        raise ValueError(
            f"similarity {measure.name!r} has no columns to compare with a target: give relevance "
            "as one weight a column"
        )
    targets = targets_of(y, table.shape[0])
    if not callable(term.by):
        return relevance_to_target(measure, table, targets, nodes)
    if isinstance(table, TypedTable):
        raise ValueError(
            "a relevance function gets numbers only, and X has columns of names: use "
            "relevance='target', or turn them into numbers"
        )
    found = []
    for target in targets:
        scores = term.by(_rows_with(table, target)[:, nodes], target.y)
        # scikit-learn's scores may come with p-values.
        scores = scores[0] if isinstance(scores, tuple) else scores
        what = "the relevance function returned"
        found.append(_checked(scores, len(nodes), what, "scores", "one a column"))
    mean = np.mean(found, axis=0)
    return ColumnRelevance(mean, mean)


def _checked(given: Any, n: int, what: str, kind: str, allowed: str) -> Doubles:
    """Weights or scores as an array: one a column, at least 0, not all 0."""
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{what} {given!r}; give numbers, {allowed}") from None
    if values.shape != (n,):
        size = f"the shape {values.shape}" if values.ndim != 1 else f"{len(values)} {kind}"
        raise ValueError(f"{what} {size} for {n} columns; give {allowed}")
    wrong = np.flatnonzero(~np.isfinite(values) | (values < 0))
    if wrong.size:
        raise ValueError(
            f"{what} the value {values[wrong[0]]:g} for column {wrong[0]}; give numbers of at "
            "least 0"
        )
    if not values.any():
        raise ValueError(f"{what} {kind} that are all 0; give at least one above 0")
    return values


def relevance_to_target(
    measure: Measure, table: Any, targets: Sequence[Target], nodes: Ints
) -> ColumnRelevance:
    """The share of targets' variance that each column in `nodes` explains, less chance.

    Each column counts alone, and only rows with a target are used. The relevance for several
    targets is the mean.
    """
    n = len(nodes)
    # The floors of pairs of so many columns are those of the comparisons made here.
    n_compared = columns_of_pairs(n * len(targets))
    values, proven = np.zeros(n), np.zeros(n)
    chance = []
    for target in targets:
        rows = _rows_with(table, target)
        for some in slices(n, _COLUMNS):
            part = rows[:, nodes[some]]
            share, floor = measure.relevance(part, target, n_compared=n_compared)
            values[some] += np.where(share > 0, share, 0.0)
            proven[some] += np.where((share > 0) & (share >= floor), share, 0.0)
            chance.append(floor)
    return ColumnRelevance(
        values / len(targets),
        proven / len(targets),
        chance=float(np.median(np.minimum(np.concatenate(chance), 1.0))) / len(targets),
        target=listed([target.name for target in targets if target.name]) or "the target",
    )


def _rows_with(table: Any, target: Target) -> Any:
    """The rows of a table with a target."""
    if target.given.all():
        return table
    rows = np.flatnonzero(target.given)
    if isinstance(table, TypedTable):
        return table.take(rows)
    return table.tocsr()[rows].tocsc() if sparse.issparse(table) else table[rows]
