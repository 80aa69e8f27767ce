"""Whether a selection depends on what it should not: order, scale, place and sign of columns.

    python -m benchmarks.column_order [--tables 200] [--permutations 5] [--changed 60]

Random tables (reals, factors with heavy tails, whole numbers, zeros and ones) are selected from by
every measure with every rule, and once more with their columns in another order. Counted are the
fits that select another set; exact copies stand for each other. Graphs are compared edge by edge.
Then come columns scaled by powers of two and by any number, shifted, and with their signs changed,
rows in another order, and float32 against float64.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs import (
    Centrality,
    Coverage,
    Energy,
    Links,
    Mixed,
    MutualInformation,
    Pearson,
    Spearman,
    Variance,
)
from topofs import TopologicalFeatureSelector as Selector
from topofs.rules.centrality import SCORES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from topofs.graphs import Graph
    from topofs.rules.base import Rule

N_SELECTED = 8
MEASURES = (
    Pearson(),
    Pearson(squared=False),
    Spearman(),
    Spearman(squared=False),
    Mixed(),
    MutualInformation(),
    Energy(),
)
SETTINGS: tuple[tuple[Rule, str | Graph], ...] = (
    (Coverage(), "auto"),
    (Coverage(), Links(strongest=None)),
    (Coverage(), Links(strongest=8)),
    (Coverage(refine=True), "auto"),
    (Coverage(), "tmfg"),
    (Coverage(reach="edges"), "tmfg"),
    (Variance(), "auto"),
    *((Centrality(score), "auto") for score in SCORES),
)
KINDS = ("reals", "factors", "whole numbers", "zeros and ones")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--permutations", type=int, default=5)
    parser.add_argument("--changed", type=int, default=60, help="tables that are changed, too")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    counts: Counter[tuple[str, ...]] = Counter()
    for seed in range(arguments.tables):
        count_table(seed, arguments.permutations, counts, changed=seed < arguments.changed)
        if (seed + 1) % 20 == 0:
            print(f"{seed + 1} tables", flush=True)
    report(counts)


def report(counts: Counter[tuple[str, ...]]) -> None:
    """Print how many fits there were of each kind, and how many differ."""
    for key in sorted(key for key in counts if key[-1] == "fits"):
        n_differing = counts[(*key[:-1], "differ")]
        print(f"{': '.join(key[:-1]):62} {n_differing:6} of {counts[key]:7} differ")


def count_table(
    seed: int, n_permutations: int, counts: Counter[tuple[str, ...]], *, changed: bool
) -> None:
    """Fit all settings to one table and to what it is changed to."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    X = table(kind, rng)
    names = names_of(X)
    orders = [rng.permutation(X.shape[1]) for _ in range(n_permutations)]
    others = list(changes(X, kind, rng)) if changed else []
    for measure in MEASURES:
        for rule, graph in SETTINGS:
            if rule.needs.scale and not measure.has_scale:
                continue
            if rule.needs.columns and not measure.has_columns:
                continue
            fitted = selected_by(measure, rule, graph)
            whole = fitted(X)
            of_rule = f"{rule!r}".replace("Centrality", "")
            of_rule += "" if graph == "auto" else f", {graph!r}"
            for order in orders:
                moved = fitted(X[:, order])
                differs = set_of(whole, names) != set_of(moved, names[order])
                for where in (("order", kind), ("order, by measure", repr(measure)),
                              ("order, by rule", of_rule)):  # fmt: skip
                    note(counts, where, differs=differs)
                if hasattr(whole, "graph_") and len(set(names)) == len(names):
                    differs = edges_of(whole, names) != edges_of(moved, names[order])
                    note(counts, ("graph", kind), differs=differs)
            for what, other, allowed in others:
                if allowed(measure):
                    differs = set_of(whole, names) != set_of(fitted(other), names)
                    note(counts, (what, kind), differs=differs)


def note(counts: Counter[tuple[str, ...]], where: tuple[str, ...], *, differs: bool) -> None:
    counts[(*where, "fits")] += 1
    counts[(*where, "differ")] += differs


def table(kind: str, rng: np.random.Generator) -> np.ndarray:
    """A table of some kind whose columns vary."""
    n_samples, n = int(rng.integers(20, 80)), int(rng.integers(12, 40))
    if kind == "reals":
        X = rng.standard_normal((n_samples, n)) @ rng.standard_normal((n, n))
    elif kind == "factors":
        X = rng.standard_t(3, (n_samples, 4)) @ rng.standard_normal((4, n))
        X += rng.standard_t(3, (n_samples, n))
    else:
        factors = rng.standard_normal((n_samples, 3)) @ rng.standard_normal((3, n))
        X = factors + rng.standard_normal((n_samples, n))
        X = np.rint(X) if kind == "whole numbers" else (X > 0).astype(np.float64)
    return X[:, X.min(axis=0) < X.max(axis=0)]


def changes(
    X: np.ndarray, kind: str, rng: np.random.Generator
) -> Iterator[tuple[str, np.ndarray, Callable[[Any], bool]]]:
    """Tables that should be selected from as X is, and for which measures."""
    n = X.shape[1]
    yield "scaled by powers of two", X * 2.0 ** rng.integers(-8, 9, n), lambda _: True
    shift = rng.integers(-9, 10, n)
    yield "shifted", X + shift, lambda _: True
    if kind in KINDS[:2]:
        yield "scaled by any number", X * rng.uniform(0.1, 10, n), lambda _: True
    signs = rng.choice([-1.0, 1.0], n)
    unsigned = (Pearson(), Spearman(), Mixed(), MutualInformation(), Energy())
    yield "signs changed", X * signs, lambda measure: measure in unsigned
    yield "rows shuffled", X[rng.permutation(len(X))], lambda _: True
    yield "float32", X.astype(np.float32), lambda _: True


def names_of(X: np.ndarray) -> np.ndarray:
    """A name for each column, the same for copies and mirror images."""
    forms = [tuple(np.abs(np.diff(column))) for column in X.T]
    known = {form: i for i, form in enumerate(dict.fromkeys(forms))}
    return np.array([known[form] for form in forms])


def selected_by(
    measure: Any, rule: Rule, graph: str | Graph
) -> Callable[[np.ndarray], Selector]:
    return lambda X: Selector(N_SELECTED, similarity=measure, rule=rule, graph=graph).fit(X)


def set_of(selector: Selector, names: np.ndarray) -> list[int]:
    return sorted(names[selector.support_].tolist())


def edges_of(selector: Selector, names: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(pair) for pair in names[selector.graph_.edges].tolist()}


if __name__ == "__main__":
    main()
