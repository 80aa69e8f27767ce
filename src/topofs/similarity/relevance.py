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

from topofs.io.frames import unmasked
from topofs.io.target import targets_of
from topofs.io.types import TypedTable
from topofs.network import NodeRelevance, NodeWeights
from topofs.runtime import slices
from topofs.similarity.noise_floor import columns_of_pairs
from topofs.similarity.streamed import StreamedTable
from topofs.similarity.table import is_constant
from topofs.terms import Term, parameter
from topofs.text import joined, shortened

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
    try:
        is_vector = not isinstance(value, str) and np.ndim(value) == 1
    except ValueError:  # rows of different lengths
        is_vector = False
    if not is_vector:
        raise ValueError(
            f"relevance is {shortened(repr(value), most=60)}; give 'target', one weight a column, "
            "a function of X and y, or None"
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
    term: Relevance, measure: Measure, table: Any, y: Any, *, names: Sequence[str], nodes: Ints
) -> ColumnRelevance:
    """The relevance of some columns of a table, which vary; `names` are those of all columns."""
    if not term.needs_target:
        weights = _checked(term.by, names, "relevance has")[nodes]
        weights = _some_above_0(weights, "relevance")
        return ColumnRelevance(weights, weights)
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
        if table[:, nodes].has_nominal:
            raise ValueError(
                "a relevance function gets numbers only, and X has columns of names: use "
                "relevance='target', or turn them into numbers"
            )
        table = table.numbers
    own = [names[node] for node in nodes.tolist()]
    found = [_scores(term.by, _part(table, each, nodes), each, own) for each in targets]
    scores = _some_above_0(np.mean(found, axis=0), "the relevance function")
    return ColumnRelevance(scores, scores)


def _scores(function: Any, table: Any, target: Target, names: Sequence[str]) -> Doubles:
    """What a function returns for the columns that vary in rows with a target; others get 0."""
    varying = _varying(table, target)
    try:
        returned = function(table[:, varying], target.y)
    except Exception as error:
        raise ValueError(
            f"the relevance function raised {type(error).__name__}: {error}"
        ) from error
    if isinstance(returned, tuple) and returned:
        # scikit-learn's scores may come with p-values.
        returned = returned[0]
    scores = np.zeros(len(names))
    own = [names[position] for position in varying.tolist()]
    scores[varying] = _checked(returned, own, "the relevance function returned")
    return scores


def _checked(given: Any, names: Sequence[str], who_has: str) -> Doubles:
    """Weights or scores as an array: one finite number a column, at least 0."""
    n, shown = len(names), shortened(repr(given), most=60)
    try:
        values = np.asarray(unmasked(given))
        casting: Any = "unsafe" if values.dtype == object else "same_kind"
        values = values.astype(np.float64, casting=casting)
    except (TypeError, ValueError):
        raise ValueError(f"{who_has} {shown}; give one number a column") from None
    if values.ndim != 1:
        raise ValueError(f"{who_has} {shown}; give one number for each of {n} columns")
    if len(values) != n:
        raise ValueError(f"{who_has} {len(values)} numbers for {n} columns; give one a column")
    wrong = np.flatnonzero(~np.isfinite(values) | (values < 0))
    if wrong.size:
        raise ValueError(
            f"{who_has} {values[wrong[0]]:g} for column {names[wrong[0]]!r}; give finite numbers "
            "of at least 0"
        )
    return np.asarray(values)


def _some_above_0(values: Doubles, what: str) -> Doubles:
    if not values.any():
        raise ValueError(
            f"{what} gives 0 to every column that varies; give at least one of them more"
        )
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
        for some in slices(n, _COLUMNS):
            part = _part(table, target, nodes[some])
            varying = _varying(part, target)
            if not varying.size:
                continue
            at = np.arange(n)[some][varying]
            share, floor = measure.relevance(part[:, varying], target, n_compared=n_compared)
            values[at] += np.where(share > 0, share, 0.0)
            proven[at] += np.where((share > 0) & (share >= floor), share, 0.0)
            chance.append(np.minimum(floor, 1.0))
    middle = float(np.median(np.concatenate(chance))) if chance else 1.0
    return ColumnRelevance(
        values / len(targets),
        proven / len(targets),
        chance=middle / len(targets) if measure.knows_chance else None,
        target=_in_words(targets),
    )


def _in_words(targets: Sequence[Target]) -> str:
    names = [target.name for target in targets if target.name]
    if len(targets) == 1:
        return names[0] if names else "the target"
    return f"{joined(names, 'and')} on average" if names else "the targets on average"


def _varying(table: Any, target: Target) -> Ints:
    """Positions of the columns that vary in rows with a target; all columns vary in all rows."""
    if target.given.all() or isinstance(table, TypedTable):
        return np.arange(table.shape[1])
    return np.flatnonzero(~is_constant(table))


def _part(table: Any, target: Target, columns: Ints) -> Any:
    """Some columns of a table, in memory, in the rows with a target."""
    part = table[:, columns]
    part = part.compute() if hasattr(part, "compute") else part
    if target.given.all():
        return part
    rows = np.flatnonzero(target.given)
    if isinstance(part, TypedTable):
        return part.take(rows)
    return part.tocsr()[rows].tocsc() if sparse.issparse(part) else part[rows]
