"""Would relevance class by class serve better with many classes? The choice in `topofs.Relevance`.

    python -m benchmarks.relevance_of_classes

This text was committed before the first run of this script.

Why. η² is a sum over classes, so columns that tell the largest or the most distinct class have
most of it. With few columns, other classes may be left without one.

Candidates. "all classes": e_j is η² less chance, as `relevance="target"`. "best class": e_j is the
largest over classes c of r_jc² less chance, relative to the best column of that class, with r_jc
the correlation with being of class c. Columns whose η² chance explains are proven by neither.

Tables: those of the development half of `benchmarks.label_tables` with more than two classes (with
two, both are equal). Splits, sizes, models and stability as in `benchmarks.relevance_choice`.

Rule. "best class" is chosen if its mean accuracy over these tables, sizes, models and splits is
higher by more than 0.005, and its mean stability lower by at most 0.05.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.label_tables import DEVELOPMENT, table
from benchmarks.relevance_choice import N_SPLITS, SIZES, accuracies, splits_of, stability_of
from benchmarks.timing import machine

RESULT = Path(__file__).parent / "results" / "relevance_of_classes.json"
CANDIDATES = ("all classes", "best class")
LEAST_LEAD, MOST_LOSS = 0.005, 0.05


def by_best_class(X, y):
    """The largest relevance over classes, relative to the best column of the class."""
    columns = (X - X.mean(axis=0)) / X.std(axis=0)
    classes = np.eye(y.max() + 1)[:, np.unique(y)][y]
    classes = (classes - classes.mean(axis=0)) / classes.std(axis=0)
    squares = (columns.T @ classes / len(X)) ** 2
    shares = np.maximum(squares - (1 - squares) / (len(X) - 2), 0.0)
    return (shares / np.maximum(shares.max(axis=0), 1e-12)).max(axis=1)


def orders(X, y):
    """The first columns in the order of both candidates."""
    from topofs import Relevance, TopologicalFeatureSelector
    from topofs.constraints import Constraints
    from topofs.rules.greedy import greedy_ranking

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        selector = TopologicalFeatureSelector(min_carriers=0, relevance="target")
        selector.fit(X, y.astype(str))
    ranking, measured = selector._ranking, selector._relevance  # noqa: SLF001
    best = by_best_class(X, y)
    proven = np.where(measured.proven > 0, best, 0.0)
    found = {
        "all classes": measured,
        "best class": replace(measured, values=best, proven=proven),
    }
    nothing = np.empty(0, np.int64)
    constraints = Constraints.none(X.shape[1]).with_forced(nothing, n_wanted=max(SIZES))
    return {
        candidate: greedy_ranking(
            ranking.coverage_model,
            constraints,
            tie_rank=ranking.tie_rank,
            relevance=relevance.of_nodes(Relevance()),
        ).order[: max(SIZES)]
        for candidate, relevance in found.items()
    }


def row_of(name, X, y):
    scores = {c: {k: [] for k in SIZES if k < X.shape[1]} for c in CANDIDATES}
    lists = {c: [] for c in CANDIDATES}
    for train, test in splits_of(X, y, is_class=True, n_splits=N_SPLITS):
        kept = np.flatnonzero(np.ptp(X[train], axis=0) > 0)
        for candidate, order in orders(X[train][:, kept], y[train]).items():
            lists[candidate].append(kept[order[:50]])
            for k, found in scores[candidate].items():
                columns = np.sort(kept[order[:k]])
                pairs = [(X[rows][:, columns], y[rows]) for rows in (train, test)]
                found.append(np.mean(accuracies(*pairs, is_class=True)))
    return {
        "table": name,
        "accuracy": {
            c: {k: round(float(np.mean(v)), 5) for k, v in found.items()}
            for c, found in scores.items()
        },
        "stability": {c: round(stability_of(v, X.shape[1]), 4) for c, v in lists.items()},
    }


def main():
    rows = []
    for name in DEVELOPMENT:
        found = table(name)
        if found is None or not found[2] or found[1].max() < 2:
            continue
        rows.append(row_of(name, *found[:2]))
        print(json.dumps(rows[-1]), flush=True)
    lines = ",\n".join(map(json.dumps, rows))
    RESULT.write_text(f'{{"machine": {json.dumps(machine())}, "rows": [\n{lines}\n]}}\n')
    first, second = (
        (
            np.mean([np.mean(list(r["accuracy"][c].values())) for r in rows]),
            np.mean([r["stability"][c] for r in rows]),
        )
        for c in CANDIDATES
    )
    better = second[0] > first[0] + LEAST_LEAD and second[1] >= first[1] - MOST_LOSS
    for candidate, (accuracy, stability) in zip(CANDIDATES, (first, second), strict=True):
        print(f"{candidate}: accuracy {accuracy:.4f}, stability {stability:.4f}")
    print(f"Chosen by the rule: {CANDIDATES[int(better)]}")


if __name__ == "__main__":
    main()
