"""Who explains whom: one chosen column by itself, and all of them together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.rules.reach import themselves
from topofs.rules.running_groups import RunningGroups, running_over_all
from topofs.similarity.noise_floor import degrees_floor
from topofs.similarity.standard_columns import rows_of
from topofs.similarity.value_order import places

if TYPE_CHECKING:
    from topofs.rules.variance_space import VarianceSpace

__all__ = ["VarianceReach"]

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# Columns that are multiplied with all others at a time.
_COLUMNS = 16


@dataclass(frozen=True, eq=False)
class VarianceReach:
    """A column represents another by the share of its variance that it explains alone.

    For numbers that is r²; for blocks of d and e dimensions e·‖Kᵢⱼ‖², what the block j of e
    explains of the block i.
    """

    space: VarianceSpace

    @property
    def n_nodes(self) -> int:
        """Number of columns."""
        return len(self.space.nodes)

    @cached_property
    def _place(self) -> Ints:
        """Which column of the space each node is."""
        return places(self.space.nodes)

    def representatives(self, selected: Ints) -> tuple[Ints, Doubles]:
        """Find the selected node that explains most of each node, and its share."""
        representative = np.full(self.n_nodes, -1, dtype=np.int64)
        share = np.zeros(self.n_nodes)
        selected = np.sort(selected)
        for start in range(0, len(selected), _COLUMNS):
            some = selected[start : start + _COLUMNS]
            shares = self.shares(some)
            best = shares.argmax(axis=1)
            found = shares[np.arange(self.n_nodes), best]
            better = found > share
            representative[better], share[better] = some[best[better]], found[better]
        return themselves(representative, share, selected)

    def path(self, representative: int, node: int) -> Ints:  # noqa: ARG002 - as for any reach
        """List nobody: a node is represented directly."""
        return np.empty(0, dtype=np.int64)

    def running(self, order: Ints, n_exact: int | None = None) -> RunningGroups:  # noqa: ARG002
        """Follow who represents whom, and what all explain together, in an order."""
        groups = running_over_all(self, order)
        residuals = self.space.residuals()
        gains = np.zeros(self.n_nodes)
        left = residuals.gains()[0]
        for at, column in enumerate(self._place[order].tolist()):
            if np.isfinite(residuals.exact(np.array([column]))[0]):
                gains[at] = residuals.take(column)
                left = residuals.gains()[0]
            if not np.isfinite(left).any():
                break
        curve = np.minimum(np.cumsum(gains) / self.n_nodes, 1.0)
        return replace(groups, curve=np.concatenate([[0.0], curve]))

    def together(self, selected: Ints) -> Doubles:
        """Tell the share of each node that the selected ones explain together; 1 for themselves."""
        share = np.zeros(self.n_nodes)
        if len(selected):
            along = self.space.coordinates(self._rows(selected))
            rows = np.einsum("ij,ij->i", along, along)
            share = np.add.reduceat(rows, self.space.starts[:-1])[self._place]
        share[selected] = 1.0
        return np.asarray(np.minimum(share, 1.0))

    def kept_with(self, selected: Ints, of: Ints, before: Doubles) -> Doubles:
        """Tell what stays explained of some nodes with each node beside the selected ones."""
        residuals = self.space.residuals(self._rows(selected) if len(selected) else None)
        already = self.together(selected)[of]
        kept = np.zeros(self.n_nodes)
        for start in range(0, len(of), _COLUMNS):
            part = slice(start, start + _COLUMNS)
            explained = (
                already[part] + residuals.explained_of(self._place[of[part]])[self._place]
            )
            kept += np.minimum(explained, before[part]).sum(axis=1)
        return kept

    def related_to(self, of: Ints) -> npt.NDArray[np.bool_]:
        """Tell which nodes share with some of these more than chance explains."""
        related = np.zeros(self.n_nodes, dtype=np.bool_)
        related[of] = True
        degrees = self.space.degrees[self._place]
        n_samples = self.space.chance.n_samples
        for start in range(0, len(of), _COLUMNS):
            some = of[start : start + _COLUMNS]
            own, other = np.broadcast_arrays(degrees[:, None], degrees[some])
            floor = degrees_floor(n_samples, self.n_nodes, own.ravel(), other.ravel())
            # Of two blocks, all of the smaller may be explained, and a part of the larger.
            shares = self.shares(some) * own / np.minimum(own, other)
            related |= (shares > floor.reshape(shares.shape)).any(axis=1)
        return related

    def coverage(self, selected: Ints) -> float:
        """Tell the mean of `together`, without the share of each node."""
        if not len(selected):
            return 0.0
        return min(1.0, self.space.explained(self._rows(selected)) / self.n_nodes)

    def shares(self, by: Ints, of: slice = slice(None)) -> Doubles:
        """Tell what some nodes (columns of the result) explain of a range of nodes, one by one."""
        by, others = self._place[by], self._place[of]
        starts = self.space.starts
        rows, rows_of_others = rows_of(by, starts), rows_of(others, starts)
        shares = np.square(self.space.products(rows, rows_of_others))
        for axis, (columns, n_rows) in enumerate(
            [(others, len(rows_of_others)), (by, len(rows))]
        ):
            if n_rows > len(columns):
                ends = np.cumsum(np.diff(starts)[columns])
                firsts = np.concatenate([[0], ends[:-1]])
                shares = np.add.reduceat(shares, firsts, axis=axis)
        shares *= self.space.degrees[by]
        return np.asarray(np.minimum(shares, 1.0))

    def block(self, rows: slice, columns: slice) -> Doubles:
        """Tell what the nodes of columns explain of those of rows: all of themselves."""
        by = np.arange(*columns.indices(self.n_nodes))
        found = self.shares(by, rows)
        own = np.arange(*rows.indices(self.n_nodes))
        found[own[:, None] == by] = 1.0
        return found

    def _rows(self, nodes: Ints) -> Ints:
        """The rows of some nodes, ascending."""
        return rows_of(np.sort(self._place[nodes]), self.space.starts)
