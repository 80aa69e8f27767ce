"""Which weights serve with a target: the choice of the exponents in `topofs.Relevance`.

    python -m benchmarks.relevance_choice                every table, minutes each; then the summary
    python -m benchmarks.relevance_choice colon Yale     these tables only; others are kept
    python -m benchmarks.relevance_choice --summary      the choice and the tables in Markdown

This text was committed before the first run of this script. A sketch of the method had been tried
on the development half only.

Candidates. F(S) = Σ_j e_j^b max_{i in S} e_i^a w_ij, with (a, b) = (1, 2), (1, 1), (½, 1), (0, 1),
(0, 2), (1, 0), (2, 1), (1, 3) and (2, 2). Each with two orders: "proven", where columns whose
relevance chance may explain count nothing up to the automatic end, and "all", where the relevance
of all columns counts from the start. Each with λ = ½ and λ = 0 (`topofs.rules.greedy`): the weight
of the support beyond the automatic end ("proven") or from the start ("all").

Tables: `benchmarks.label_tables`, 25 of them, every other one for development.

Quality. Four random splits, 80 to 20, with every class in proportion. Columns are selected on the
training part. At 10, 25, 50, 100 and 200 columns, sizes below the number of columns, accuracy is
the mean of five nearest neighbours and ridge (for classes with balanced weights), both on
standardised columns, on the test part: balanced accuracy, or R² (0 where negative). Stability is
Nogueira's measure of the 50 columns of the four training parts.

Rule. The score of a candidate is the mean over the development tables of its mean accuracy over
sizes, models and splits. Candidates within 0.002 of the best are equal; of these, those within 0.01
of the most stable are equal, too; then the first in the list above is chosen, "proven" before
"all", λ = ½ before 0.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.label_tables import DEVELOPMENT, REPORTED, TABLES, table
from benchmarks.timing import machine

RESULT = Path(__file__).parent / "results" / "relevance_choice.json"
EXPONENTS = {
    "1, 2": (1, 2),
    "1, 1": (1, 1),
    "1/2, 1": (0.5, 1),
    "0, 1": (0, 1),
    "0, 2": (0, 2),
    "1, 0": (1, 0),
    "2, 1": (2, 1),
    "1, 3": (1, 3),
    "2, 2": (2, 2),
}
CANDIDATES = {
    f"{exponents}, {order}, λ = {'1/2' if quarters else '0'}": (exponents, order, quarters)
    for exponents in EXPONENTS
    for order in ("proven", "all")
    for quarters in (2, 0)
}
WITHOUT = "no labels"
SIZES = (10, 25, 50, 100, 200)
N_SPLITS = 4
EQUAL, EQUALLY_STABLE = 0.002, 0.01


def orders(X, y):
    """The columns in the order of every candidate, the first 200."""
    from topofs import Relevance, TopologicalFeatureSelector
    from topofs.constraints import Constraints
    from topofs.network import NodeRelevance, NodeWeights
    from topofs.rules.greedy import greedy_ranking

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        plain = TopologicalFeatureSelector(min_carriers=0).fit(X)
        selector = TopologicalFeatureSelector(min_carriers=0, relevance="target").fit(X, y)
    n, ranking, measured = X.shape[1], selector._ranking, selector._relevance  # noqa: SLF001
    constraints = Constraints.none(n).with_forced(np.empty(0, np.int64), n_wanted=max(SIZES))
    found = {WITHOUT: np.argsort(plain.ranking_)[: max(SIZES)]}

    def ranked(relevance, first=(), quarters=0):
        return greedy_ranking(
            ranking.coverage_model,
            constraints.with_forced(np.array(first, np.int64), n_wanted=max(SIZES)),
            tie_rank=ranking.tie_rank,
            support_quarters=quarters,
            relevance=relevance,
        )

    nothing = NodeWeights(np.zeros(n), np.zeros(n))
    for name, (exponents, order, quarters) in CANDIDATES.items():
        a, b = EXPONENTS[exponents]
        relevance = measured.of_nodes(Relevance(selected=a, represented=b))
        first = []
        if order == "proven":
            proven = ranked(NodeRelevance(relevance.proven, relevance.least))
            first = proven.order[: proven.end].tolist()
        # Nothing is proven here: the end comes at once, and all others follow as beyond it.
        beyond = NodeRelevance(relevance.weights, 0.0, nothing)
        rest = [i for i in ranked(beyond, first, quarters).order.tolist() if i not in first]
        found[name] = np.array([*first, *rest][: max(SIZES)])
    return found


def accuracies(train, test, is_class):
    """The accuracy by nearest neighbours and by ridge."""
    from sklearn.linear_model import Ridge, RidgeClassifier
    from sklearn.metrics import balanced_accuracy_score, r2_score
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(train[0])
    (X, y), (others, expected) = (scaler.transform(train[0]), train[1]), test
    others = scaler.transform(others)
    if is_class:
        models = KNeighborsClassifier(5), RidgeClassifier(class_weight="balanced")
        score = balanced_accuracy_score
    else:
        models, score = (KNeighborsRegressor(5), Ridge()), r2_score
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [max(0.0, score(expected, m.fit(X, y).predict(others))) for m in models]


def splits_of(X, y, is_class, n_splits):
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    kind = StratifiedShuffleSplit if is_class and np.bincount(y).min() > 1 else ShuffleSplit
    return list(kind(n_splits, test_size=0.2, random_state=1).split(X, y))


def stability_of(lists, n_features):
    """Nogueira's measure of lists of columns."""
    from topofs.selection.stability import nogueira_stability

    chosen = np.zeros((len(lists), n_features), dtype=int)
    for row, columns in zip(chosen, lists, strict=True):
        row[columns] = 1
    return nogueira_stability(chosen)[0]


def row_of(name):
    X, y, is_class = table(name)
    measured = {candidate: [] for candidate in (WITHOUT, *CANDIDATES)}
    lists = {candidate: [] for candidate in measured}
    for train, test in splits_of(X, y, is_class, N_SPLITS):
        kept = np.flatnonzero(np.ptp(X[train], axis=0) > 0)
        known = {}
        target = y[train].astype(str) if is_class else y[train]
        for candidate, order in orders(X[train][:, kept], target).items():
            lists[candidate].append(kept[order[:50]])
            for k in (k for k in SIZES if k < len(kept)):
                columns = np.sort(kept[order[:k]])
                key = columns.tobytes()
                if key not in known:
                    pairs = ((X[rows][:, columns], y[rows]) for rows in (train, test))
                    known[key] = accuracies(*pairs, is_class)
                measured[candidate].append(known[key])
    return {
        "table": name,
        "columns": X.shape[1],
        "rows": len(X),
        "accuracy": {c: round(float(np.mean(found)), 5) for c, found in measured.items()},
        "stability": {
            c: round(stability_of(found, X.shape[1]), 4) for c, found in lists.items()
        }
        if X.shape[1] > 50
        else None,
    }


def means(rows, tables, what):
    chosen = [row[what] for row in rows if row["table"] in tables and row[what] is not None]
    return {c: float(np.mean([row[c] for row in chosen])) for c in (WITHOUT, *CANDIDATES)}


def choice(rows):
    accuracy = means(rows, DEVELOPMENT, "accuracy")
    stability = means(rows, DEVELOPMENT, "stability")
    best = max(accuracy[c] for c in CANDIDATES)
    able = [c for c in CANDIDATES if accuracy[c] >= best - EQUAL]
    most = max(stability[c] for c in able)
    return next(c for c in able if stability[c] >= most - EQUALLY_STABLE)


def summary(rows):
    halves = DEVELOPMENT, REPORTED
    tables = [[row["table"] for row in rows if row["table"] in half] for half in halves]
    print(f"\nDevelopment: {', '.join(tables[0])}\nReported: {', '.join(tables[1])}\n")
    print(
        "| a, b, order | accuracy, development | stability | accuracy, reported | stability |"
    )
    print("| --- | ---: | ---: | ---: | ---: |")
    figures = [means(rows, half, w) for half in halves for w in ("accuracy", "stability")]
    for candidate in (WITHOUT, *CANDIDATES):
        print(f"| {candidate} | {' | '.join(f'{f[candidate]:.4f}' for f in figures)} |")
    print(f"\nChosen by the rule: {choice(rows)}")


def stored():
    return json.loads(RESULT.read_text())["rows"] if RESULT.exists() else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", help=", ".join(TABLES))
    parser.add_argument("--summary", action="store_true", help="no table is measured")
    options = parser.parse_args()
    for name in () if options.summary else options.tables or TABLES:
        if table(name) is None:
            print(f"{name}: left out, it is not at hand", flush=True)
            continue
        began = time.perf_counter()
        rows = [row for row in stored() if row["table"] != name] + [row_of(name)]
        rows.sort(key=lambda row: TABLES.index(row["table"]))
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        head = json.dumps({"machine": machine()})[:-1]
        RESULT.write_text(f'{head}, "rows": [\n{lines}\n]}}\n', encoding="utf-8")
        print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)
    if {row["table"] for row in stored()} >= set(TABLES):
        summary(stored())


if __name__ == "__main__":
    main()
