"""What a user wishes of a selection, by names: resolved, checked, handed to the rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.rules.wishes import Wishes
from topofs.selection.sizes import Budget, holds_values, per_column
from topofs.selection.subset_size import column_position
from topofs.tables.given import is_missing
from topofs.terms import is_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["AtMost", "ColumnWishes", "resolve_columns", "resolve_wishes"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AtMost:
    """At most so many selected columns of each group.

    Parameters
    ----------
    number : int
        How many, at least 1.
    of : mapping of str to object, or array-like
        The group of each column: by name, or one a column. A column without one, or with a
        missing value (None, NaN, NaT, NA or empty text), is free.

    Examples
    --------
    >>> AtMost(1, of={"height": "size", "weight": "size"})
    AtMost(1, of=<2 columns in 1 group>)
    """

    number: int
    of: Any

    def __post_init__(self) -> None:
        if not is_whole(self.number) or self.number < 1:
            raise ValueError(f"AtMost takes a whole number of at least 1; got {self.number!r}")

    def __repr__(self) -> str:
        named = self.of.to_dict() if hasattr(self.of, "to_dict") else self.of
        values = named.values() if isinstance(named, Mapping) else named
        if not holds_values(values):
            return f"AtMost({self.number}, of={self.of!r})"
        groups = [group for group in values if not _is_nothing(group)]
        n = len(set(map(str, groups)))
        what = f"<{len(groups)} columns in {n} group{'s' * (n != 1)}>"
        return f"AtMost({self.number}, of={what})"

    def groups(self, names: Sequence[str]) -> tuple[Ints, list[Any]]:
        """Number the groups.

        Parameters
        ----------
        names : sequence of str
            The columns of the table.

        Returns
        -------
        group : array of int, shape (n_features,)
            -1 for a column without one.
        labels : list
            What the groups are called.
        """
        values = per_column(self.of, names, what="at_most")
        for name, value in zip(names, values, strict=True):
            if not (_is_nothing(value) or _is_hashable(value)):
                raise ValueError(
                    f"at_most: the group of the column {name!r} is {value!r}; give one name or "
                    "number, or None for a column without a group"
                )
        labels = list(dict.fromkeys(value for value in values if not _is_nothing(value)))
        number = {label: i for i, label in enumerate(labels)}
        group = [-1 if _is_nothing(value) else number[value] for value in values]
        return np.array(group, dtype=np.int64), labels


@dataclass(frozen=True, eq=False)
class ColumnWishes:
    """Wishes in terms of the columns of a table, given by their positions.

    `group` is the number of each column's group, -1 for none, and `room` how many of each group
    may be selected; `size` is what was asked for as `n_features_to_select`.
    """

    forced: Ints
    excluded: Ints
    group: Ints | None
    room: Ints | None
    max_similarity: float | None
    cost: npt.NDArray[np.float64] | None
    budget: float
    names: npt.NDArray[np.object_]
    size: Any

    def for_nodes(self, nodes: Ints, pairs: Any) -> Wishes:
        """The wishes for a rule; `pairs` of nodes are more alike than `max_similarity`."""
        chosen = np.flatnonzero(np.isin(nodes, self.forced))
        if pairs is not None:
            self._check_alike(nodes, chosen, pairs)
        # Forced columns that take no part are paid for, and take their place in a group, too.
        outside = np.setdiff1d(self.forced, nodes)
        room = self.room
        if self.group is not None and room is not None:
            taken = self.group[outside]
            room = room - np.bincount(taken[taken >= 0], minlength=len(room))
        spent = 0.0 if self.cost is None else float(self.cost[outside].sum())
        return Wishes(
            n_nodes=len(nodes),
            chosen=chosen,
            excluded=np.flatnonzero(np.isin(nodes, self.excluded)),
            group=None if self.group is None else self.group[nodes],
            room=room,
            too_alike=pairs,
            cost=None if self.cost is None else self.cost[nodes],
            budget=self.budget - spent,
        )

    @property
    def limited(self) -> bool:
        """Whether not every column may be selected beside every other."""
        limits = (self.group, self.max_similarity, self.cost)
        return bool(self.excluded.size) or any(limit is not None for limit in limits)

    def _check_alike(self, nodes: Ints, chosen: Ints, pairs: Any) -> None:
        among = pairs[chosen][:, chosen].tocoo()
        if among.nnz:
            left, right = (self.names[nodes[chosen[i[0]]]] for i in (among.row, among.col))
            raise ValueError(
                f"keep names {left!r} and {right!r}, which are more alike ({among.data[0]:.3g}) "
                f"than max_similarity {self.max_similarity:g} allows: keep one of them, or "
                "allow more"
            )


def resolve_columns(
    given: Any, names: Sequence[str] | None, n_features: int, *, what: str
) -> Ints:
    """Positions, ascending, of columns given by name, by pattern such as ``b*``, or by position.

    `what` is the parameter, for messages.
    """
    if given is None:
        return np.empty(0, dtype=np.int64)
    # An iterator would be used up by the first fit.
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


def resolve_wishes(
    *,
    forced: Ints,
    exclude: Any,
    at_most: Any,
    max_similarity: Any,
    size: Any,
    names: npt.NDArray[np.object_],
) -> ColumnWishes:
    """Resolve the wishes of a selection; refuse those that contradict each other."""
    excluded = resolve_columns(exclude, names.tolist(), len(names), what="exclude")
    both = np.intersect1d(forced, excluded)
    if both.size:
        raise ValueError(f"the column {names[both[0]]!r} is both kept and excluded; choose one")
    if len(excluded) == len(names):
        raise ValueError("exclude names all columns: there is nothing left to select")
    group = room = None
    if at_most is not None:
        if not isinstance(at_most, AtMost):
            raise ValueError(f"at_most is {at_most!r}; give AtMost(1, of=groups)")
        group, labels = at_most.groups(names.tolist())
        _check_room(forced, group, labels, at_most.number, names)
        room = np.full(len(labels), min(at_most.number, len(names)), dtype=np.int64)
    _check_max_similarity(max_similarity)
    cost, budget = None, np.inf
    if isinstance(size, Budget):
        cost = size.costs(names.tolist(), len(names))
        # Three times 0.1 is 0.3, whatever the sum of floats says.
        budget = float(size.total) * (1 + 1e-9)
        needed = float(cost[forced].sum())
        if needed > budget:
            raise ValueError(
                f"keep names columns that cost {needed:.12g}, more than the budget of "
                f"{size.total:.12g}: raise the budget or keep fewer"
            )
    return ColumnWishes(
        forced, excluded, group, room, max_similarity, cost, budget, names, size
    )


def _check_room(
    forced: Ints, group: Ints, labels: list[Any], number: int, names: npt.NDArray[np.object_]
) -> None:
    counts = Counter(group[forced][group[forced] >= 0].tolist())
    for label, count in counts.items():
        if count > number:
            which = ", ".join(repr(names[i]) for i in forced if group[i] == label)
            raise ValueError(
                f"keep names {count} columns of the group {labels[label]!r} ({which}), but at "
                f"most {number} may be selected: keep fewer, or raise at_most"
            )


def _check_max_similarity(value: Any) -> None:
    number = isinstance(value, Real) and not isinstance(value, bool)
    if value is not None and not (number and np.isfinite(float(value))):
        raise ValueError(f"max_similarity is {value!r}; it must be a number")


def _is_nothing(value: Any) -> bool:
    """Whether a value stands for no group: empty text, or one that is missing."""
    return is_missing(value) or (isinstance(value, str) and not value)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
