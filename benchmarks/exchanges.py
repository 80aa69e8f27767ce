"""How near exchanges come to the best set, whether constraints hold, and what they cost.

    python -m benchmarks.exchanges

- Gap: 200 tables of 16 kinds with up to 20 columns, all pairs, at a random size and at "auto",
  against the exact optimum by `scipy.optimize.milp`, with exchanges and without. At "auto" both
  are measured by F(S) less the number of columns, as a share of the best F(S).
- Constraints: 1,000 random instances (keep, exclude, at_most, max_similarity, budgets with costs).
- Time: one table of 500 rows and 2,000 columns at "auto", in seconds of the processor.
"""

from __future__ import annotations

import time
import warnings

import numpy as np

from tests.matrices import factor_table
from tests.naive.exchanges import keeps_to, most_coverage
from tests.random_lists import KINDS, table_of
from tests.rules.test_exchanges import instance
from topofs import Coverage, Links, TopologicalFeatureSelector
from topofs.rules.coverage import MatrixCoverage
from topofs.rules.exchanges import exchanges

N_TABLES, N_INSTANCES, N_COLUMNS = 200, 1000, 20
REFINE = Coverage(refine=True)


def gaps():
    """Gaps of greedy sets and of refined ones, at a size and at "auto"."""
    rng = np.random.default_rng(0)
    found = {"a size": [], '"auto"': []}
    kinds = sorted(KINDS)
    for number in range(N_TABLES):
        X = table_of(kinds[number % len(kinds)], number)[:, :N_COLUMNS]
        by_rule = [
            TopologicalFeatureSelector(rule=rule, graph=Links(strongest=None)).fit(X)
            for rule in (Coverage(), REFINE)
        ]
        shares = by_rule[0].graph_.shares
        size = int(rng.integers(2, max(3, len(shares) // 2)))
        best = most_coverage(shares, size)
        values = [selector.at(size).shares_.sum() for selector in by_rule]
        found["a size"].append([1 - value / best for value in values])
        best = most_coverage(shares, worth=1.0)
        values = [s.shares_.sum() - s.n_features_ for s in by_rule]
        whole = best + by_rule[0].n_features_
        found['"auto"'].append([(best - value) / whole for value in values])
    return {where: np.array(pairs) for where, pairs in found.items()}


def broken_and_worse():
    """Of random instances: how many break a constraint, are worse than greedy, and are better."""
    broken = worse = better = n_sets = 0
    for seed in range(N_INSTANCES):
        shares, constraints, selected, worth, tie_rank = instance(seed, largest=20)
        if not len(selected):
            continue
        n_sets += 1

        def value(nodes, shares=shares, worth=worth):
            return shares[nodes].max(axis=0).sum() - (worth or 0) * len(nodes)

        after = np.sort(selected)
        for after in exchanges(
            MatrixCoverage(shares), constraints, selected, worth=worth, tie_rank=tie_rank
        ):
            broken += not keeps_to(constraints, after, selected)
        broken += worth is None and len(after) != len(selected)
        worse += value(after) < value(selected) - 1e-9
        better += value(after) > value(selected) + 1e-9
    return n_sets, broken, worse, better


def main():
    warnings.simplefilter("ignore")
    print("| at | gap without: mean, worst | with: mean, worst | exact: without, with |")
    print("| --- | --- | --- | --- |")
    for where, pairs in gaps().items():
        (a, b), (c, d) = pairs.mean(axis=0), pairs.max(axis=0)
        e, f = (pairs < 1e-6).mean(axis=0)
        print(f"| {where} | {a:.3%}, {c:.2%} | {b:.3%}, {d:.2%} | {e:.0%}, {f:.0%} |")
    n_sets, broken, worse, better = broken_and_worse()
    print(
        f"\n{n_sets} of {N_INSTANCES} instances have a set: constraints broken {broken}, worse "
        f"than greedy {worse}, better {better}\n"
    )
    X = factor_table(500, 2000, n_factors=40)
    for rule in (Coverage(), REFINE):
        TopologicalFeatureSelector(rule=rule).fit(X[:, :50])
        start = time.process_time()
        selector = TopologicalFeatureSelector(rule=rule).fit(X)
        seconds = time.process_time() - start
        n, covered = selector.n_features_, selector.shares_.sum()
        print(f"{rule!r}: {n} columns, F − |S| {covered - n:.2f}, {seconds:.1f} s")


if __name__ == "__main__":
    main()
