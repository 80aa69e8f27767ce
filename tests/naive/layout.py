"""Slow twin of the forces between nodes: every pair, with numpy."""

import numpy as np


def one_step(positions, edges, pull, mass, gravity, step_size):
    """Positions after one step along the exact forces."""
    forces = np.zeros_like(positions)
    for i in range(len(positions)):
        for j in range(len(positions)):
            apart = positions[i] - positions[j]
            if apart.any():
                forces[i] += mass[i] * mass[j] * apart / (apart @ apart)
        forces[i] -= gravity * mass[i] * positions[i]
    for (i, j), stiffness in zip(edges, pull, strict=True):
        forces[i] += stiffness * (positions[j] - positions[i])
        forces[j] += stiffness * (positions[i] - positions[j])
    moved = positions.copy()
    for i, force in enumerate(forces):
        length = np.linalg.norm(force)
        if length > 0:
            moved[i] += force / length * min(length / mass[i], step_size)
    return moved
