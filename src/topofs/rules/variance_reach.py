"""Who explains whom: one chosen column by itself, and all of them together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.rules.reach import themselves
from topofs.rules.running_groups import RunningGroups, running_over_all
from topofs.similarity.noise_floor import degrees_floor

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
        return len(self.space.degrees)

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

    def running(self, order: Ints) -> RunningGroups:
        """Follow who represents whom, and what all explain together, in an order."""
        groups = running_over_all(self, order)
        residuals = self.space.residuals()
        gains = np.zeros(self.n_nodes)
        left = residuals.gains()[0]
        for at, node in enumerate(order.tolist()):
            if np.isfinite(residuals.exact(np.array([node]))[0]):
                gains[at] = residuals.take(node)
                left = residuals.gains()[0]
            if not np.isfinite(left).any():
                break
        curve = np.minimum(np.cumsum(gains) / self.n_nodes, 1.0)
        return replace(groups, curve=np.concatenate([[0.0], curve]))

    def together(self, selected: Ints) -> Doubles:
        """Tell the share of each node that the selected ones explain together; 1 for themselves."""
        share = np.zeros(self.n_nodes)
        if len(selected):
            along = self.space.coordinates(self._rows(np.sort(selected)))
            rows = np.einsum("ij,ij->i", along, along)
            share = np.add.reduceat(rows, self.space.starts[:-1])
        share[selected] = 1.0
        return np.asarray(np.minimum(share, 1.0))

    def kept_with(self, selected: Ints, of: Ints, before: Doubles) -> Doubles:
        """Tell what stays explained of some nodes with each node beside the selected ones."""
        residuals = self.space.residuals(self._rows(selected) if len(selected) else None)
        already = self.together(selected)[of]
        kept = np.zeros(self.n_nodes)
        for start in range(0, len(of), _COLUMNS):
            part = slice(start, start + _COLUMNS)
            explained = already[part] + residuals.explained_of(of[part])
            kept += np.minimum(explained, before[part]).sum(axis=1)
        return kept

    def related_to(self, of: Ints) -> npt.NDArray[np.bool_]:
        """Tell which nodes share with some of these more than chance explains."""
        related = np.zeros(self.n_nodes, dtype=np.bool_)
        related[of] = True
        degrees, n_samples = self.space.degrees, self.space.chance.n_samples
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
        first, last, _ = of.indices(self.n_nodes)
        starts = self.space.starts
        rows = self._rows(by)
        shares = np.square(self.space.products(rows, slice(starts[first], starts[last])))
        if len(rows) > len(by):
            ends = np.cumsum(np.diff(starts)[by])
            shares = np.add.reduceat(shares, np.concatenate([[0], ends[:-1]]), axis=1)
        if starts[last] - starts[first] > last - first:
            shares = np.add.reduceat(shares, starts[first:last] - starts[first], axis=0)
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
        starts = self.space.starts
        parts = [np.arange(starts[node], starts[node + 1]) for node in nodes.tolist()]
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
