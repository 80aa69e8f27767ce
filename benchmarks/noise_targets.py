"""How many targets of noise have a relevant column: relevance promises one in twenty at most.

    python -m benchmarks.noise_targets             all lines, some minutes
    python -m benchmarks.noise_targets pearson     the lines that contain a word

A table counts if `relevance="target"` selects a column by itself (the size "auto").
"""

from __future__ import annotations

import platform
import sys
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

import topofs
from benchmarks.noise_floors import all_kinds, normal, with_gaps
from topofs import TopologicalFeatureSelector
from topofs.io.types import TypedTable

if TYPE_CHECKING:
    from collections.abc import Callable

TABLES, SEEDS = 1000, (0, 1)


def groups(rng: np.random.Generator, n_samples: int, n_features: int) -> Any:
    """Columns in groups of four that share most of their variance."""
    factors = rng.normal(size=(n_samples, -(-n_features // 4)))
    columns = np.repeat(factors, 4, axis=1)[:, :n_features]
    return columns + 0.5 * rng.normal(size=columns.shape)


def gaps(rng: np.random.Generator, n_samples: int, n_features: int) -> Any:
    """Normal columns where a fifth of the values is missing."""
    X = normal(rng, n_samples, n_features)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


def kinds(rng: np.random.Generator, n_samples: int, n_features: int) -> TypedTable:
    return TypedTable(tuple(all_kinds(rng, n_samples, n_features)))


def kinds_with_gaps(rng: np.random.Generator, n_samples: int, n_features: int) -> TypedTable:
    return TypedTable(tuple(with_gaps(rng, n_samples, n_features)))


def number(rng: np.random.Generator, n_samples: int) -> Any:
    return rng.normal(size=n_samples)


def two_classes(rng: np.random.Generator, n_samples: int) -> Any:
    return rng.permutation(np.arange(n_samples) % 2).astype(str)


def rare_class(rng: np.random.Generator, n_samples: int) -> Any:
    """One row in ten is of the second class."""
    return rng.permutation(np.arange(n_samples) % 10 == 0)


def five_classes(rng: np.random.Generator, n_samples: int) -> Any:
    return rng.permutation(np.arange(n_samples) % 5).astype(str)


def few_labels(rng: np.random.Generator, n_samples: int) -> Any:
    """Three classes; 30 rows have a label."""
    y = np.full(n_samples, None, dtype=object)
    y[rng.permutation(n_samples)[:30]] = (np.arange(30) % 3).astype(str)
    return y


def few_numbers(rng: np.random.Generator, n_samples: int) -> Any:
    """20 rows have a number."""
    y = np.full(n_samples, np.nan)
    y[rng.permutation(n_samples)[:20]] = rng.normal(size=20)
    return y


def two_targets(rng: np.random.Generator, n_samples: int) -> Any:
    return rng.normal(size=(n_samples, 2))


TARGETS = (number, two_classes, rare_class, five_classes, few_labels, few_numbers, two_targets)
CASES: list[tuple[str, Callable[..., Any], Callable[..., Any], tuple[int, int]]] = [
    *(("pearson", normal, target, (100, 30)) for target in TARGETS),
    *(("pearson", normal, target, (30, 200)) for target in TARGETS[:4]),
    *(
        ("pearson", table, target, (100, 32))
        for table in (groups, gaps)
        for target in TARGETS[:4]
    ),
    *(("spearman", normal, target, (100, 30)) for target in TARGETS),
    *(("spearman", normal, target, (20, 100)) for target in (number, two_classes)),
    *(("spearman", gaps, target, (100, 30)) for target in (number, five_classes)),
    *(("mixed", kinds, target, (100, 30)) for target in TARGETS),
    *(("mixed", kinds_with_gaps, target, (100, 30)) for target in TARGETS[:4]),
    *(("mutual_information", normal, target, (500, 30)) for target in TARGETS),
    *(("mutual_information", normal, target, (100, 30)) for target in TARGETS[:4]),
]


def selects(similarity: str, X: Any, y: Any) -> bool:
    """Whether a column is selected for a target."""
    selector = TopologicalFeatureSelector(similarity=similarity, relevance="target")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(selector.fit(X, y).n_features_)


def share_of_tables(
    similarity: str, table: Any, target: Any, shape: tuple[int, int], n_tables: int, seed: int
) -> float:
    """The share of tables of noise with a selected column."""
    rng = np.random.default_rng(seed)
    found = [
        selects(similarity, table(rng, *shape), target(rng, shape[0])) for _ in range(n_tables)
    ]
    return float(np.mean(found))


def main() -> None:
    print(
        f"{TABLES} tables each, seeds {SEEDS}; topofs {topofs.__version__}, "
        f"numpy {np.__version__}, {platform.machine()}\n"
    )
    print("| similarity | columns | target | rows × columns | tables with a selected column |")
    print("| --- | --- | --- | --- | --- |")
    for similarity, table, target, shape in CASES:
        columns, aim = (made.__name__.replace("_", " ") for made in (table, target))
        line = f"| {similarity} | {columns} | {aim} | {shape[0]} × {shape[1]} |"
        if any(word not in line for word in sys.argv[1:]):
            continue
        shares = [share_of_tables(similarity, table, target, shape, TABLES, s) for s in SEEDS]
        print(f"{line} {', '.join(f'{share:.1%}' for share in shares)} |", flush=True)


if __name__ == "__main__":
    main()
