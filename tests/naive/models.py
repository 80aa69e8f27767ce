"""Slow twins of the Gaussian models: dense matrices, written as the formulas read.

Nothing here comes from topofs.
"""

import numpy as np


def sum_of_cliques(covariance, cliques, separators):
    """J as the inverses of the cliques less those of the separators."""
    precision = np.zeros_like(covariance)
    for sign, sets in ((1, cliques), (-1, separators)):
        for nodes in sets:
            place = np.ix_(nodes, nodes)
            precision[place] += sign * np.linalg.inv(covariance[place])
    return precision


def largest_determinant(covariance, cliques, n_rounds=2000):
    """Completion of the entries in cliques by iterative proportional scaling, from J = I."""
    precision = np.eye(len(covariance))
    for _ in range(n_rounds):
        for nodes in cliques:
            place = np.ix_(nodes, nodes)
            now = np.linalg.inv(precision)[place]
            precision[place] += np.linalg.inv(covariance[place]) - np.linalg.inv(now)
    return np.linalg.inv(precision)


def tree_precision(covariance, edges):
    """J of a tree: what each link adds to the variances of single columns."""
    precision = np.diag(1 / np.diag(covariance))
    for i, j in edges:
        a, b, c = covariance[i, i], covariance[j, j], covariance[i, j]
        rest = a * b - c * c
        precision[i, j] = precision[j, i] = -c / rest
        precision[i, i] += b / rest - 1 / a
        precision[j, j] += a / rest - 1 / b
    return precision


def gaussian_score(mean, covariance, rows):
    """Mean log-density of rows."""
    n = len(mean)
    densities = [
        -((row - mean) @ np.linalg.inv(covariance) @ (row - mean)) / 2
        - n * np.log(2 * np.pi) / 2
        - np.log(np.linalg.det(covariance)) / 2
        for row in rows
    ]
    return float(np.mean(densities))


def conditional(mean, covariance, known, values):
    """Mean and variance of the others, by the Schur complement."""
    others = [i for i in range(len(mean)) if i not in known]
    slopes = covariance[np.ix_(others, known)] @ np.linalg.inv(covariance[np.ix_(known, known)])
    rest = covariance[np.ix_(others, others)] - slopes @ covariance[np.ix_(known, others)]
    return mean[others] + slopes @ (values - mean[known]), np.diag(rest)
