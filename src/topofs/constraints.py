"""Constraints on a selection: columns, groups, costs, and sizes.

`AtMost`, `AtLeast` and the sizes `UntilCoverage`, `MinShare` and `Budget` are parameters of the
estimator.
`resolve_constraints` checks all of them against the columns of a table and gives one object,
`Constraints`; rules get it restricted to the columns that take part, which they call nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fnmatch import fnmatchcase
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse

from topofs.io.frames import column_name, is_missing
from topofs.terms import Term, is_whole, parameter
from topofs.text import counted, suggest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs.rules.base import Ranking
    from topofs.typing import Bools, Doubles, Ints


# Three times 0.1 must be within a budget of 0.3, although the sum of floats is not.
_ROUNDING = 1 + 1e-9


@dataclass(frozen=True, eq=False)
class GroupNumber:
    """A number of selected columns for each group of columns."""

    number: int
    of: Any

    parameter: ClassVar[str]

    @property
    def words(self) -> str:
        """What it is, in words."""
        return self.parameter.replace("_", " ")

    def __post_init__(self) -> None:
        if not is_whole(self.number) or self.number < 1:
            kind = type(self).__name__
            raise ValueError(f"{kind} takes a whole number of at least 1; got {self.number!r}")

    def __repr__(self) -> str:
        named = self.of.to_dict() if hasattr(self.of, "to_dict") else self.of
        values = named.values() if isinstance(named, Mapping) else named
        what = repr(self.of)
        if holds_values(values):
            groups = [group for group in values if not _is_nothing(group)]
            n = len(set(map(str, groups)))
            what = f"<{len(groups)} columns in {n} group{'s' * (n != 1)}>"
        return f"{type(self).__name__}({self.number}, of={what})"

    def groups(self, names: Sequence[str]) -> tuple[Ints, list[Any]]:
        """Number the groups, -1 for a column without one; also give their names."""
        return group_numbers(self.of, names, what=self.parameter)


class AtMost(GroupNumber):
    """A limit on the number of selected columns per group.

    Parameters
    ----------
    number : int
        The limit, at least 1.
    of : mapping of str to object, or array-like
        The group of each column: by name, or one a column. A column without one, or with a
        missing value (None, NaN, NaT, NA or empty text), is free.

    Examples
    --------
    >>> AtMost(1, of={"height": "size", "weight": "size"})
    AtMost(1, of=<2 columns in 1 group>)
    """

    parameter: ClassVar[str] = "at_most"


class AtLeast(GroupNumber):
    """A number of columns of each group that are always selected.

    These are selected first: each time the column of a group still short of columns that adds
    most. Then the other columns follow.

    Parameters
    ----------
    number : int
        The number for each group, at least 1.
    of : mapping of str to object, or array-like
        The group of each column, as for `AtMost`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import AtLeast, TopologicalFeatureSelector
    >>> X = load_wine(as_frame=True).data
    >>> group = {name: "ash" if "ash" in name else "other" for name in X}
    >>> selector = TopologicalFeatureSelector(4, at_least=AtLeast(2, of=group)).fit(X)
    >>> selector.get_feature_names_out().tolist()
    ['alcohol', 'ash', 'alcalinity_of_ash', 'flavanoids']
    """

    parameter: ClassVar[str] = "at_least"


def group_numbers(of: Any, names: Sequence[str], *, what: str) -> tuple[Ints, list[Any]]:
    """Number the groups of columns, -1 for a column without one; also give their names."""
    values = per_column(of, names, what=what)
    for name, value in zip(names, values, strict=True):
        if not (_is_nothing(value) or _is_hashable(value)):
            raise ValueError(
                f"{what}: the group of the column {name!r} is {value!r}; give one name or "
                "number, or None for a column without a group"
            )
    labels = list(dict.fromkeys(value for value in values if not _is_nothing(value)))
    number = {label: i for i, label in enumerate(labels)}
    group = [-1 if _is_nothing(value) else number[value] for value in values]
    return np.array(group, dtype=np.int64), labels


def _is_nothing(value: Any) -> bool:
    """Whether a value stands for no group: empty text or a missing value."""
    return is_missing(value) or (isinstance(value, str) and not value)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _check_share(value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) <= 1:
        raise ValueError(f"a share is a number above 0, at most 1; got {value!r}")


def _check_total(value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < np.inf:
        raise ValueError(f"the total of a budget is a number above 0; got {value!r}")


@dataclass(frozen=True, repr=False)
class Size(Term):
    """A size that is more than a number; `n_features_to_select` takes one.

    This base stands for numbers, None and "auto" (see `size_of`).

    Attributes
    ----------
    least_coverage, redundant_from, budget : float or None
        What a size asks for: a coverage; columns of which a selected one explains a share left
        out, which ranks them by redundancy, without a graph; a total cost.
    """

    kind: ClassVar[str] = "size"
    least_coverage: ClassVar[float | None] = None
    redundant_from: ClassVar[float | None] = None
    budget: ClassVar[float | None] = None

    @property
    def has_own_ranking(self) -> bool:
        """Whether it needs a fit of its own: its ranking gives no other sizes."""
        return self.redundant_from is not None or self.budget is not None

    def n_nodes(self, ranking: Ranking, n_first: int) -> int:  # noqa: ARG002
        """Count the nodes of a ranking up to the end, at least the first `n_first`."""
        assert ranking.end is not None
        return ranking.end

    def costs(self, names: Sequence[str]) -> Doubles | None:  # noqa: ARG002
        """Give the cost of each of the columns of a table, if there is a budget."""
        return None


_NUMBER = Size()


def size_of(given: Any) -> Size:
    """The size that `n_features_to_select` gives; numbers, None and "auto" ask for nothing."""
    return given if isinstance(given, Size) else _NUMBER


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

    @property
    def least_coverage(self) -> float:  # type: ignore[override]
        """The coverage."""
        return self.coverage

    def n_nodes(self, ranking: Ranking, n_first: int) -> int:
        """Count the first nodes of a ranking that reach the coverage."""
        curve = ranking.curve[: ranking.n_selectable]
        # Rounding must not add a column.
        enough = np.flatnonzero(curve >= self.coverage - 1e-12)
        if not enough.size:
            raise ValueError(
                f"a coverage of {self.coverage:g} cannot be reached: all {len(curve)} columns "
                f"that may be selected represent {curve[-1]:.4g}"
            )
        return max(int(enough[0]) + 1, n_first)


@dataclass(frozen=True, repr=False)
class MinShare(Size):
    """Leave out only redundant columns: a selected column explains this share of each.

    The set is found greedily. For every column left out, a selected column explains at least
    this share of its variance; the graph is not used. No selected column could be left out as
    well. Columns in `keep` are always selected. A column stays unrepresented only if it is in
    `exclude` and all columns that explain this share of it are in `exclude`, too.

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

    @property
    def redundant_from(self) -> float:  # type: ignore[override]
        """The share."""
        return self.share


@dataclass(frozen=True, repr=False, eq=False)
class Budget(Size):
    """The set of largest coverage within a total cost.

    The better of two greedy sets, by gain and by gain per cost, reaches at least (1 − 1/e)/2 of
    the best coverage. With up to 40 columns, the search also starts from every pair of columns.

    Parameters
    ----------
    total : float
        The largest total cost, above 0.
    cost : mapping of str to float, or array-like of float
        The cost of each column: by name, or one number per column. None: 1 for each.

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

    @property
    def budget(self) -> float:  # type: ignore[override]
        """The total."""
        return self.total

    def n_nodes(self, ranking: Ranking, n_first: int) -> int:
        """Count the first nodes of a ranking that add something."""
        adds = ranking.scores[ranking.order[: ranking.n_selectable]]
        return n_first + int((adds[n_first:] > 0).sum())

    def costs(self, names: Sequence[str]) -> Doubles:
        """Give the cost of each of the columns of a table, checked."""
        given = [1.0] * len(names) if self.cost is None else self.cost
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
    """Costs in a comparable form."""
    if hasattr(cost, "to_dict"):
        cost = cost.to_dict()
    return cost if cost is None or isinstance(cost, Mapping) else list(cost)


def holds_values(given: Any) -> bool:
    """Whether an object is a sequence of values; text is not."""
    listed = isinstance(given, Iterable) and not isinstance(given, str)
    return listed and getattr(given, "ndim", 1) > 0


def per_column(given: Any, names: Sequence[str], *, what: str) -> list[Any]:
    """One value per column, from a mapping by name (None for others) or from a sequence."""
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


def resolve_size(
    n_features_to_select: Any, n_features: int, *, least: int = 0, auto: bool = False
) -> int:
    """Turn `n_features_to_select` into a count between 1 and `n_features`.

    A fraction is rounded down, but never to zero. `least` columns are always selected. `auto`
    tells whether errors list "auto", which is resolved elsewhere, among the sizes.
    """
    given = n_features_to_select
    size = 0
    if given is None:
        size = max(1, n_features // 2)
    elif is_whole(given):
        size = int(given)
    elif isinstance(given, (float, np.floating)) and 0 < given <= 1:
        # Use the decimal fraction as written: 0.29 of 100 is 29, although 0.29 * 100 < 29.
        size = max(1, int(Decimal(str(given)) * n_features))
    if not 1 <= size <= n_features:
        or_auto = "'auto', " if auto else ""
        raise ValueError(
            f"n_features_to_select is {given!r}, but X has {n_features} features: give "
            f"{or_auto}a whole number from 1 to {n_features}, a fraction in (0, 1], or None for "
            "half"
        )
    if size < least:
        raise ValueError(
            f"keep names {least} columns, but only {size} are to be selected: raise "
            "n_features_to_select or keep fewer"
        )
    return size


def column_position(column: Any, names: Sequence[str]) -> int:
    """The position of a column given by name or position."""
    if isinstance(column, str):
        found = [position for position, name in enumerate(names) if name == column]
        if not found:
            near = suggest(column, names)
            raise ValueError(
                f"there is no column {column!r} among the {len(names)} of X"
                + (f": {near}" if near else "")
            )
        return found[0]
    if is_whole(column):
        if 0 <= column < len(names):
            return int(column)
        name = column_name(column)
        advice = f"; give the name {name!r} for that label" if name in names else ""
        raise ValueError(f"column {column} is not one of 0 … {len(names) - 1}{advice}")
    if isinstance(column, tuple) and column_name(column) in names:
        return column_position(column_name(column), names)
    raise ValueError(f"{column!r} is neither the name nor the position of a column")


def resolve_columns(
    given: Any, names: Sequence[str] | None, n_features: int, *, what: str
) -> Ints:
    """Positions, ascending, of columns given by name, by pattern such as ``b*``, or by position.

    `what` is the parameter, for messages.
    """
    if given is None:
        return np.empty(0, dtype=np.int64)
    # Refuse an iterator: the first fit would exhaust it.
    once = isinstance(given, Iterator)
    if isinstance(given, str) or once or not isinstance(given, Iterable):
        raise ValueError(f"{what} is {given!r}; give a list of column names or positions")
    known = [f"x{i}" for i in range(n_features)] if names is None else list(names)
    places = {name: i for i, name in reversed(list(enumerate(known)))}
    found: set[int] = set()
    for column in given:
        if isinstance(column, str) and column in places:
            found.add(places[column])
        elif isinstance(column, str) and set(column) & set("*?["):
            matches = [i for i, name in enumerate(known) if fnmatchcase(name, column)]
            if not matches:
                raise ValueError(f"{what}: no column is like {column!r}")
            found.update(matches)
        else:
            found.add(column_position(column, known))
    return np.array(sorted(found), dtype=np.int64)


def resolve_constraints(
    names: Sequence[str],
    *,
    keep: Any,
    exclude: Any,
    at_most: Any,
    at_least: Any,
    max_similarity: Any,
    size: Any,
) -> Constraints:
    """Check the constraints on the columns of a table; refuse those that contradict each other.

    `max_similarity` is only checked here: its pairs are known after columns are compared.
    """
    n_features = len(names)
    forced = resolve_columns(keep, names, n_features, what="keep")
    excluded = resolve_columns(exclude, names, n_features, what="exclude")
    both = np.intersect1d(forced, excluded)
    if both.size:
        raise ValueError(f"the column {names[both[0]]!r} is both kept and excluded; choose one")
    if len(excluded) == n_features:
        raise ValueError("exclude names all columns: there is nothing left to select")
    group = room = demand = None
    for given, kind in ((at_most, AtMost), (at_least, AtLeast)):
        if given is not None and not isinstance(given, kind):
            raise ValueError(
                f"{kind.parameter} is {given!r}; give {kind.__name__}(1, of=groups)"
            )
    if at_most is not None:
        group, labels = at_most.groups(names)
        _check_room(forced, group, labels, at_most.number, names)
        room = np.full(len(labels), min(at_most.number, n_features), dtype=np.int64)
    if at_least is not None:
        if max_similarity is not None:
            raise ValueError(
                "at_least does not go together with max_similarity, since no quick search can "
                "tell whether any columns obey both: leave one of them out"
            )
        group, labels = _demanded_groups(names, at_most, at_least)
        demand = np.full(len(labels), min(at_least.number, n_features + 1), dtype=np.int64)
    is_number = isinstance(max_similarity, Real) and not isinstance(max_similarity, bool)
    if max_similarity is not None and not (is_number and np.isfinite(float(max_similarity))):
        raise ValueError(f"max_similarity is {max_similarity!r}; it must be a number")
    budget, size = np.inf, size_of(size)
    cost = size.costs(names)
    if cost is not None:
        budget = float(size.budget) * _ROUNDING
        needed = float(cost[forced].sum())
        if needed > budget:
            raise ValueError(
                f"keep names columns that cost {needed:.12g}, more than the budget of "
                f"{size.budget:.12g}: raise the budget or keep fewer"
            )
    found = Constraints(
        *(n_features, forced, excluded, group, room),
        cost=cost,
        budget=budget,
        demand=demand,
        group_names=() if group is None else tuple(labels),
    )
    found.check_demand()
    return found


def _demanded_groups(
    names: Sequence[str], at_most: AtMost | None, at_least: AtLeast
) -> tuple[Ints, list[Any]]:
    """The groups of `at_least`, which are those of `at_most` if both are given."""
    group, labels = at_least.groups(names)
    if at_most is not None:
        if not np.array_equal(group, at_most.groups(names)[0]):
            raise ValueError("at_least and at_most have different groups: give both the same")
        if at_least.number > at_most.number:
            raise ValueError(
                f"at_least demands {at_least.number} columns of each group, and at_most allows "
                f"{at_most.number}: raise at_most, or demand fewer"
            )
    return group, labels


def _check_room(
    forced: Ints, group: Ints, labels: list[Any], number: int, names: Sequence[str]
) -> None:
    """Refuse kept columns that exceed the limit of a group."""
    counts = Counter(group[forced][group[forced] >= 0].tolist())
    for label, count in counts.items():
        if count > number:
            which = ", ".join(repr(names[i]) for i in forced if group[i] == label)
            raise ValueError(
                f"keep names {count} columns of the group {labels[label]!r} ({which}), but at "
                f"most {number} may be selected: keep fewer, or raise at_most"
            )


@dataclass(frozen=True, eq=False)
class Constraints:
    """Which nodes must, may and may not be selected together.

    Forced and demanded nodes come first in an order. Of the other constraints, every subset of
    a feasible set is feasible, so every longer prefix of a feasible order is feasible. Nodes are
    the columns of a table, or those that take part.

    Attributes
    ----------
    n_nodes : int
        Number of nodes.
    forced : array of int
        Nodes that are always selected; the others are ranked given these.
    excluded : array of int
        Nodes that cannot be selected, but count in the coverage.
    group : array of int, shape (n_nodes,), or None
        The group of each node, -1 for none.
    room : array of int or None
        Largest number of selected nodes of each group.
    too_alike : scipy.sparse.csr_array, shape (n_nodes, n_nodes), or None
        Pairs that may not be selected together.
    cost : array of float, shape (n_nodes,), or None
        The cost of each node.
    budget : float
        The largest total cost.
    n_wanted : int or None
        Number of nodes that will be selected, if known. A rule may then order later nodes
        approximately to save time.
    demand : array of int or None
        Least number of selected nodes of each group.
    group_names : tuple
        The names of the groups, for messages.
    """

    n_nodes: int
    forced: Ints
    excluded: Ints
    group: Ints | None = None
    room: Ints | None = None
    too_alike: Any = None
    cost: Doubles | None = None
    budget: float = np.inf
    n_wanted: int | None = None
    demand: Ints | None = None
    group_names: tuple[Any, ...] = ()

    @classmethod
    def none(cls, n_nodes: int, forced: Ints | None = None) -> Constraints:
        """Give constraints that forbid nothing; `forced` nodes are always selected."""
        nothing = np.empty(0, dtype=np.int64)
        return cls(n_nodes, nothing if forced is None else forced, nothing)

    def with_forced(self, forced: Ints, *, n_wanted: int | None = None) -> Constraints:
        """Give the same constraints with other nodes forced."""
        return replace(self, forced=forced, n_wanted=n_wanted)

    def among(self, nodes: Ints, *, too_alike: Any, n_wanted: int | None) -> Constraints:
        """Give the constraints on some nodes, with pairs of these that are too similar.

        Forced nodes outside also count in the budget and in their groups.
        """
        outside = np.setdiff1d(self.forced, nodes)
        room, demand, budget = self.room, self.demand, self.budget
        if room is not None:
            room = room - self.count_by_group(outside)
        if demand is not None:
            demand = np.maximum(demand - self.count_by_group(outside), 0)
        if self.cost is not None:
            budget -= float(self.cost[outside].sum())
        found = Constraints(
            n_nodes=len(nodes),
            forced=np.flatnonzero(np.isin(nodes, self.forced)),
            excluded=np.flatnonzero(np.isin(nodes, self.excluded)),
            group=None if self.group is None else self.group[nodes],
            room=room,
            too_alike=too_alike,
            cost=None if self.cost is None else self.cost[nodes],
            budget=budget,
            n_wanted=n_wanted,
            demand=demand,
            group_names=self.group_names,
        )
        found.check_demand()
        return found

    @property
    def n_groups(self) -> int:
        """Number of groups that have limits."""
        limits = self.room if self.demand is None else self.demand
        return 0 if limits is None else len(limits)

    def count_by_group(self, nodes: Ints) -> Ints:
        """Count some nodes by group."""
        assert self.group is not None
        taken = self.group[nodes]
        return np.asarray(np.bincount(taken[taken >= 0], minlength=self.n_groups))

    def still_demanded(self, taken: Ints) -> Ints:
        """Number of nodes of each group that are demanded beside the given ones."""
        if self.demand is None:
            return np.empty(0, np.int64)
        return np.asarray(np.maximum(self.demand - self.count_by_group(taken), 0))

    @property
    def n_first(self) -> int:
        """Number of nodes that are always selected: forced ones, and demanded ones."""
        return len(self.forced) + int(self.still_demanded(self.forced).sum())

    def check_demand(self) -> None:
        """Refuse a demand that no selection meets."""
        if self.demand is None:
            return
        able = self.count_by_group(np.flatnonzero(self.allowed))
        for name, n, demanded in zip(self.group_names, able, self.demand, strict=True):
            if n < demanded:
                raise ValueError(
                    f"the group {name!r} has {counted(int(n), 'column')} that can be selected, "
                    f"and at_least demands {demanded}: demand fewer, or exclude fewer"
                )
        if self.cost is not None:
            needed = OpenNodes(self, self.forced.tolist()).reserve
            needed += float(self.cost[self.forced].sum())
            if needed > self.budget:
                budget = self.budget / _ROUNDING
                raise ValueError(
                    f"keep and at_least demand columns that cost at least {needed:.12g}, more "
                    f"than the budget of {budget:.12g}: raise the budget, or demand fewer"
                )

    def renumbered(self, order: Ints) -> Constraints:
        """Give the same constraints for nodes in another order: ``order[i]`` becomes i."""
        place = np.argsort(order)
        pairs = self.too_alike
        return replace(
            self,
            forced=np.sort(place[self.forced]),
            excluded=np.sort(place[self.excluded]),
            group=None if self.group is None else self.group[order],
            too_alike=None if pairs is None else sparse.csr_array(pairs)[order][:, order],
            cost=None if self.cost is None else self.cost[order],
        )

    @property
    def allowed(self) -> Bools:
        """Which nodes may be selected at all."""
        allowed = np.ones(self.n_nodes, dtype=np.bool_)
        allowed[self.excluded] = False
        return allowed

    @property
    def limited(self) -> bool:
        """Whether some nodes may not be selected together."""
        limited = self.room is not None or self.too_alike is not None or self.cost is not None
        return limited or self.excluded.size > 0

    def open_beside(self, taken: Ints) -> Ints:
        """Give the nodes that may be selected together with the given ones."""
        is_open = OpenNodes(self, taken.tolist()).mask()
        is_open[taken] = False
        return np.flatnonzero(is_open)

    def may_replace(self, node: Ints, rest: Ints) -> Ints:
        """Give the nodes that may be selected with `rest` in place of a node."""
        able = self.open_beside(rest)
        if self.group is not None and self.still_demanded(rest).any():
            able = able[self.group[able] == self.group[node]]
        return able

    def applied(self, order: Ints) -> tuple[Ints, int]:
        """Put the forced nodes of an order first and those that may not be selected last.

        For rules whose order does not depend on earlier selected nodes.

        Parameters
        ----------
        order : array of int, shape (n_nodes,)
            All nodes, best first.

        Returns
        -------
        order : array of int, shape (n_nodes,)
            All nodes; every prefix of up to `n_selectable` nodes is feasible.
        n_selectable : int
            Largest number of nodes that can be selected together.
        """
        first = self.forced
        if self.demand is not None:
            assert self.group is not None
            group, demand = self.group, self.still_demanded(first)
            able = order[self.allowed[order] & ~np.isin(order, first)]
            best = [able[group[able] == g][:n] for g, n in enumerate(demand)]
            first = np.concatenate([first, *best])
        is_forced = np.isin(order, first)
        if not self.limited:
            return np.concatenate([order[is_forced], order[~is_forced]]), len(order)
        taken, rest = order[is_forced].tolist(), []
        state = OpenNodes(self, taken)
        for node in order[~is_forced].tolist():
            if state.is_open(node):
                state.take(node)
                taken.append(node)
            else:
                rest.append(node)
        return np.array([*taken, *rest], dtype=np.int64), len(taken)


class OpenNodes:
    """The remaining limits while nodes are taken one by one."""

    def __init__(self, constraints: Constraints, taken: list[int]) -> None:
        n = constraints.n_nodes
        self._open = constraints.allowed
        self._too_alike = (
            None if constraints.too_alike is None else sparse.csr_array(constraints.too_alike)
        )
        self._cost = np.zeros(n) if constraints.cost is None else constraints.cost
        self._left = constraints.budget
        # Nodes without a group (-1) use the last entry, which has room for all.
        group, n_groups = constraints.group, constraints.n_groups
        self._group = np.full(n, -1) if group is None else group
        room = np.full(n_groups, n) if constraints.room is None else constraints.room
        demand = np.zeros(n_groups, int) if constraints.demand is None else constraints.demand
        self._room, self._demand = np.append(room, n), np.append(demand, 0)
        self._untaken = np.ones(n, dtype=np.bool_)
        for node in taken:
            self.take(node)

    def is_open(self, node: int) -> bool:
        """Whether a node may still be selected."""
        return bool(
            self._open[node]
            and self._cost[node] <= self._left
            and self._room[self._group[node]] > 0
        )

    def mask(self) -> Bools:
        """Which nodes may still be selected, so that the demanded ones can follow."""
        has_room = self._room[self._group] > 0
        price = self._cost + self.reserve
        for nodes, dearest in self._cheapest():
            price[nodes] -= np.minimum(self._cost[nodes], dearest)
        return np.asarray(self._open & (price <= self._left) & has_room)

    def demanded(self) -> Bools:
        """Which nodes may be selected as one of those that are demanded."""
        return np.asarray(self.mask() & self._untaken & (self._demand[self._group] > 0))

    @property
    def reserve(self) -> float:
        """The least cost of the nodes that are still demanded."""
        return float(
            sum(
                np.sort(self._cost[nodes])[: self._demand[self._group[nodes[0]]]].sum()
                for nodes, _ in self._cheapest()
            )
        )

    def _cheapest(self) -> Iterator[tuple[Ints, float]]:
        """The nodes of each group still demanded, with the cost of the last one to reserve."""
        for group in np.flatnonzero(self._demand > 0):
            nodes = np.flatnonzero((self._group == group) & self._open & self._untaken)
            yield nodes, float(np.sort(self._cost[nodes])[self._demand[group] - 1])

    def take(self, node: int) -> None:
        """Select a node."""
        self._untaken[node] = False
        self._room[self._group[node]] -= 1
        self._demand[self._group[node]] -= 1
        self._left -= self._cost[node]
        if self._too_alike is not None:
            starts = self._too_alike.indptr
            self._open[self._too_alike.indices[starts[node] : starts[node + 1]]] = False
