"""How many tables of noise have a link: the noise floor promises one in twenty at most.

python -m benchmarks.noise_floors
"""

from __future__ import annotations

import platform
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import topofs
from topofs import MutualInformation, Pearson, Spearman
from topofs.io.types import Column
from topofs.similarity.base import dense
from topofs.similarity.mixed import mixed_operator
from topofs.similarity.noise_floor import FlooredScale, whole_weights

if TYPE_CHECKING:
    from collections.abc import Callable

TABLES, SEEDS = 1000, (0, 1)
SHARES = (0.6, 0.2, 0.1, 0.07, 0.03)


def normal(rng: np.random.Generator, n_samples: int, n_features: int) -> Any:
    return rng.normal(size=(n_samples, n_features))


def series(rng: np.random.Generator, n_samples: int, n_features: int) -> Any:
    """Independent autoregressive series of order 1."""
    rows = rng.normal(size=(n_samples, n_features))
    for at in range(1, n_samples):
        rows[at] = 0.9 * rows[at - 1] + np.sqrt(1 - 0.81) * rows[at]
    return rows


def five_levels(rng: np.random.Generator, n_samples: int, n_features: int) -> list[Column]:
    draw = partial(rng.choice, len(SHARES), n_samples, p=SHARES)
    return [Column(str(i), nominal=True, values=draw() * 1.0) for i in range(n_features)]


def all_kinds(rng: np.random.Generator, n_samples: int, n_features: int) -> list[Column]:
    """Numbers, names of 2 to 11 levels of any share, and flags of 1 % to 50 %."""
    columns = []
    for i in range(n_features):
        if i % 3 == 0:
            values = rng.normal(size=n_samples)
        elif i % 3 == 1:
            shares = rng.dirichlet(np.full(rng.integers(2, 12), 0.5))
            values = rng.choice(len(shares), n_samples, p=shares) * 1.0
        else:
            values = (rng.random(n_samples) < rng.uniform(0.01, 0.5)) * 1.0
        if values.min() == values.max():
            values[rng.integers(n_samples)] += 1
        columns.append(Column(str(i), nominal=i % 3 == 1, values=values))
    return columns


def with_gaps(rng: np.random.Generator, n_samples: int, n_features: int) -> list[Column]:
    """The same where a tenth of the values is missing."""
    columns = all_kinds(rng, n_samples, n_features)
    for column in columns:
        missing = rng.random(n_samples) < 0.1
        if len(np.unique(column.values[~missing])) > 1:
            column.values[missing] = np.nan
    return columns


def two_values(rng: np.random.Generator, n_samples: int, n_features: int) -> Any:
    rows = (rng.random((n_samples, n_features)) < 0.5) * 1.0
    rows[0, rows.min(axis=0) == rows.max(axis=0)] -= 1
    return rows


def has_link(table: Any, measure: Any) -> bool:
    if measure is None:
        operator = mixed_operator(table)
        scale: Any = FlooredScale(operator)
    else:
        operator = measure.operator(table)
        n_samples, n_features = table.shape
        scale = measure.scale(operator, n_samples=n_samples, n_features=n_features)
    return bool((np.triu(whole_weights(dense(operator), scale), 1) > 0).any())


CASES: list[tuple[str, Any, Callable[..., Any], int, int]] = [
    ("Pearson, normal", Pearson(), normal, 9, 60),
    ("Pearson, normal", Pearson(), normal, 100, 30),
    ("Spearman", Spearman(), normal, 8, 40),
    ("Spearman", Spearman(), normal, 9, 60),
    ("Spearman", Spearman(), normal, 10, 20),
    ("Spearman", Spearman(), normal, 30, 50),
    ("mixed, five unequal levels", None, five_levels, 100, 30),
    ("mixed, five unequal levels", None, five_levels, 1000, 30),
    ("mixed, columns of all kinds", None, all_kinds, 40, 30),
    ("mixed, columns of all kinds", None, all_kinds, 200, 30),
    ("mixed, a tenth missing", None, with_gaps, 40, 30),
    ("mixed, a tenth missing", None, with_gaps, 100, 30),
    ("Pearson, two values", Pearson(), two_values, 30, 30),
    ("Spearman, two values", Spearman(), two_values, 12, 30),
    ("Spearman, two values", Spearman(), two_values, 100, 30),
    ("mutual information", MutualInformation(), normal, 20, 20),
    ("mutual information", MutualInformation(), normal, 50, 20),
    ("mutual information", MutualInformation(), normal, 1000, 30),
    ("AR(1) of 0.9, rows ordered", Pearson(rows="ordered"), series, 600, 30),
    ("AR(1) of 0.9, rows ordered", Spearman(rows="ordered"), series, 600, 30),
]


def main() -> None:
    print(f"topofs {topofs.__version__}, numpy {np.__version__}, {platform.machine()}")
    print(f"share of {TABLES} tables of noise with a link, by seed (promised: 5 %)")
    for name, measure, make, n_samples, n_features in CASES:
        shares = []
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            linked = sum(
                has_link(make(rng, n_samples, n_features), measure) for _ in range(TABLES)
            )
            shares.append(f"{linked / TABLES:.1%}")
        print(f"{name:28} {n_samples:5} × {n_features:<3} {'  '.join(shares)}", flush=True)


if __name__ == "__main__":
    main()
