"""Forces between the nodes of a drawing: springs along edges, repulsion between all pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from topofs._kernels.compiler import njit
from topofs.typing import Doubles, Ints


class Grid(NamedTuple):
    """The nodes in the cells of a grid of `n_cells` × `n_cells`.

    Node v lies in ``cell[v]``; ``members[first[c] : first[c + 1]]`` are the nodes of cell c,
    ascending; `used` begins with the cells that hold a node, ascending; ``centre[c]`` is x and y
    of the centre of mass of c, and the mass.
    """

    n_cells: int
    cell: Ints
    first: Ints
    members: Ints
    used: Ints
    centre: Doubles


@njit(cache=True, nogil=True)
def relax(
    positions: Doubles,
    edges: Ints,
    pull: Doubles,
    mass: Doubles,
    gravity: Doubles,
    step_sizes: Doubles,
    n_cells: int,
) -> None:
    """Move the nodes along the forces on them, in place, one step for each step size.

    The force of a spring is `pull` times its length. Nodes repel each other with the product of
    their masses over their distance, and `gravity` draws them to the origin along x and y, for
    each unit of mass and of distance. A step size is the largest move of a node in a step.

    Repulsion is exact between nodes in the same or in touching cells of a grid; a farther cell
    acts from its centre of mass. With ``n_cells <= 2`` it is exact everywhere. All forces of a
    step are computed from the positions before it, in a fixed order, so the result does not
    depend on anything else. A step costs O(n · (cells + nodes in nine cells) + n_edges).
    """
    n, cells = positions.shape[0], n_cells * n_cells
    grid = Grid(
        n_cells,
        np.empty(n, np.int64),
        np.empty(cells + 1, np.int64),
        np.empty(n, np.int64),
        np.empty(cells, np.int64),
        np.empty((cells, 3)),
    )
    forces = np.empty((n, 2))
    for step in range(step_sizes.shape[0]):
        n_used = _sort_into_cells(positions, mass, grid)
        for node in range(n):
            _repel(node, positions, mass, grid, n_used, forces)
            forces[node, 0] -= gravity[0] * mass[node] * positions[node, 0]
            forces[node, 1] -= gravity[1] * mass[node] * positions[node, 1]
        for edge in range(edges.shape[0]):
            i, j = edges[edge, 0], edges[edge, 1]
            for axis in range(2):
                force = pull[edge] * (positions[j, axis] - positions[i, axis])
                forces[i, axis] += force
                forces[j, axis] -= force
        for node in range(n):
            length = np.hypot(forces[node, 0], forces[node, 1])
            if length > 0.0:
                stretch = min(length / mass[node], step_sizes[step]) / length
                positions[node, 0] += stretch * forces[node, 0]
                positions[node, 1] += stretch * forces[node, 1]


@njit(cache=True, nogil=True)
def _sort_into_cells(positions: Doubles, mass: Doubles, grid: Grid) -> int:
    """Fill the arrays of the grid; return how many cells are used."""
    n_cells, cell, first, members, used, centre = grid
    n = positions.shape[0]
    low_x, low_y = positions[:, 0].min(), positions[:, 1].min()
    width = max(positions[:, 0].max() - low_x, positions[:, 1].max() - low_y)
    per_cell = n_cells / width if width > 0.0 else 0.0
    first[:] = 0
    centre[:] = 0.0
    for node in range(n):
        row = min(int((positions[node, 0] - low_x) * per_cell), n_cells - 1)
        column = min(int((positions[node, 1] - low_y) * per_cell), n_cells - 1)
        c = row * n_cells + column
        cell[node] = c
        first[c + 1] += 1
        centre[c, 0] += mass[node] * positions[node, 0]
        centre[c, 1] += mass[node] * positions[node, 1]
        centre[c, 2] += mass[node]
    n_used = 0
    for c in range(n_cells * n_cells):
        if first[c + 1] > 0:
            centre[c, 0] /= centre[c, 2]
            centre[c, 1] /= centre[c, 2]
            used[n_used] = c
            n_used += 1
        first[c + 1] += first[c]
    # Backwards, so that members stay ascending while `first` moves down to the cell's start.
    for node in range(n - 1, -1, -1):
        first[cell[node] + 1] -= 1
        members[first[cell[node] + 1]] = node
    # Now first[c + 1] is where cell c starts: shift by one.
    for c in range(n_cells * n_cells):
        first[c] = first[c + 1]
    first[n_cells * n_cells] = n
    return n_used


@njit(cache=True, nogil=True)
def _repel(
    node: int, positions: Doubles, mass: Doubles, grid: Grid, n_used: int, forces: Doubles
) -> None:
    """Set the force on a node to the repulsion by all others."""
    n_cells, cell, first, members, used, centre = grid
    x, y = positions[node, 0], positions[node, 1]
    row, column = cell[node] // n_cells, cell[node] % n_cells
    total_x, total_y = 0.0, 0.0
    for c in used[:n_used]:
        if abs(c // n_cells - row) <= 1 and abs(c % n_cells - column) <= 1:
            for at in range(first[c], first[c + 1]):
                other = members[at]
                dx, dy = x - positions[other, 0], y - positions[other, 1]
                squared = dx * dx + dy * dy
                # The node itself, and a node at the same position, exert no force.
                if squared > 0.0:
                    total_x += mass[other] * dx / squared
                    total_y += mass[other] * dy / squared
        else:
            dx, dy = x - centre[c, 0], y - centre[c, 1]
            share = centre[c, 2] / (dx * dx + dy * dy)
            total_x += share * dx
            total_y += share * dy
    forces[node, 0] = mass[node] * total_x
    forces[node, 1] = mass[node] * total_y
