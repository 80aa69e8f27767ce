"""Selection with labels: coverage with relevance beside methods that select for a target.

    python -m benchmarks.with_labels                  every table; then the summary
    python -m benchmarks.with_labels colon Yale       these tables only; others are kept
    python -m benchmarks.with_labels --few            the part with few labels
    python -m benchmarks.with_labels --summary        the tables of the page, in Markdown

It needs `pip install fastcan lightgbm` and what `benchmarks.label_tables` names. This text was
committed before the first run of this script.

Tables. The 25 of `benchmarks.label_tables`. The exponents of relevance were chosen on every other
one (`benchmarks.relevance_choice`), the development half. The other half is reported. Five
regression tables of `benchmarks.beyond_auto` are added for the regression part only; nothing about
relevance was chosen on them.

Splits. Ten random splits, 80 to 20, with every class in proportion. Large tables, of more than
200,000 cells, have four, and gradient boosting on the first two only: the run had about twenty
minutes of one core. (More splits were planned. They were cut before any score was read.)

Methods. Columns are selected on the training part, from the columns that vary there. Each method
ranks once, and the ranking is cut at 10, 25, 50, 100 and 200 columns, sizes below the number of
columns; on regression tables also at 20.

- relevance: coverage with `relevance="target"`, the defaults otherwise; coverage: the same without
  labels. Both with `min_carriers=0`, so that all methods have the same columns.
- f, mutual_information, mrmr, fastcan, forest, rfe: `topofs.comparison.labelled`. rfe only on
  tables of at most 600 columns, since it fits a model for each column; mutual_information not on
  large tables, where it takes ten seconds for a ranking.
- random: one random order a split.

Models. Ridge (for classes with balanced weights), five nearest neighbours, and gradient boosting
by LightGBM (60 trees in all, and at least six rounds: each class has a tree a round; learning rate
0.2, 15 leaves of at least five rows, 63 bins, balanced weights). Columns are standardised.

Quality. Balanced accuracy or R² (0 where negative) on the test part; the area under the ROC curve
for two classes. Stability: Nogueira's measure of the lists of 50 columns, or of the next size below
the number of columns. Seconds: of the processor, for one ranking, one thread; the median over
splits.

Comparison. The accuracy of a method on a table is the mean over its sizes, models and splits. The
difference to each rival over tables is tested by Wilcoxon's signed-rank test, with Holm's
correction over rivals. Required on the reported half, with each of the three models: a mean
accuracy of at least that of mRMR − 0.005 and that of fastcan − 0.005, and a stability of at least
that of fastcan + 0.2. Required on the ten regression tables at 10, 20 and 50 columns with gradient
boosting: a mean R² of at least that of fastcan − 0.03.

Few labels. The ten tables with most rows for each class. Five splits as above; 5 % of the training
rows keep their label, in proportion, at least one of every class. Coverage with relevance sees all
training rows and these labels; mRMR the rows with a label alone; coverage and random lists need
none. Ridge and nearest neighbours learn from the rows with a label, at 10, 25 and 50 columns.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np

from benchmarks import beyond_auto
from benchmarks.label_tables import DEVELOPMENT, REGRESSION, REPORTED, TABLES, table
from benchmarks.relevance_choice import splits_of, stability_of
from benchmarks.timing import machine

RESULT = Path(__file__).parent / "results" / "with_labels.json"
PAGE = Path(__file__).parents[1] / "docs" / "benchmark-with-labels.md"
SIZES, FEW_SIZES, REGRESSION_SIZES = (10, 25, 50, 100, 200), (10, 25, 50), (10, 20, 50)
MOST, STABLE_AT = max(SIZES), 50
N_SPLITS, N_SPLITS_LARGE, LARGE, N_BOOSTING_LARGE = 10, 4, 200_000, 2
FEW_SHARE, N_FEW_TABLES, N_FEW_SPLITS = 0.05, 10, 5
MODELS = ("linear", "neighbours", "boosting")
METHODS = {
    "relevance": "coverage with relevance",
    "coverage": "coverage without labels",
    "mrmr": "mRMR",
    "fastcan": "fastcan",
    "forest": "forest importance",
    "f": "SelectKBest, F",
    "mutual_information": "SelectKBest, mutual information",
    "rfe": "RFE",
    "random": "random columns",
}
FEW_METHODS = ("relevance", "mrmr", "coverage", "random")
OTHER_REGRESSION = beyond_auto.BUSINESS


def any_table(name):
    found = beyond_auto.table(name) if name in OTHER_REGRESSION else table(name)
    return None if found is None else (np.asarray(found[0], float), *found[1:])


def order_of(method, X, y, is_class, number):
    """The first columns in the order of a method."""
    from topofs import TopologicalFeatureSelector
    from topofs.comparison.labelled import ranking_by_labels

    n_wanted = min(MOST, X.shape[1] - 1)
    if method == "random":
        return np.random.default_rng(number).permutation(X.shape[1])[:MOST]
    if method not in ("relevance", "coverage"):
        found = ranking_by_labels(method, X, y, is_class=is_class, n_wanted=n_wanted)
        return found[:MOST]
    relevance = "target" if method == "relevance" else None
    selector = TopologicalFeatureSelector(n_wanted, min_carriers=0, relevance=relevance)
    selector.fit(X, names_of(y) if is_class else y)
    return np.argsort(selector.ranking_)[:MOST]


def names_of(classes):
    """Text, so that classes are not read as numbers."""
    return np.array([f"class {c}" for c in classes], dtype=object)


def model_of(name, is_class, n_classes, n_rows):
    from sklearn.linear_model import Ridge, RidgeClassifier
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    if name == "linear":
        return RidgeClassifier(class_weight="balanced") if is_class else Ridge()
    if name == "neighbours":
        kind = KNeighborsClassifier if is_class else KNeighborsRegressor
        return kind(min(5, n_rows))
    from lightgbm import LGBMClassifier, LGBMRegressor

    settings = {
        "n_estimators": 60 if n_classes < 3 else max(6, 60 // n_classes),
        "learning_rate": 0.2,
        "num_leaves": 15,
        "min_child_samples": 5,
        "max_bin": 63,
        "n_jobs": 1,
        "verbosity": -1,
        "random_state": 0,
    }
    if is_class:
        return LGBMClassifier(**settings, class_weight="balanced")
    return LGBMRegressor(**settings)


def scores_of(train, test, is_class, models=MODELS):
    """For each model its score, and the area under the curve for two classes, else None."""
    from sklearn.metrics import balanced_accuracy_score, r2_score, roc_auc_score
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(train[0])
    (X, y), (others, expected) = (scaler.transform(train[0]), train[1]), test
    others = scaler.transform(others)
    n_classes = len(np.unique(y)) if is_class else 0
    found = []
    for name in models:
        model = model_of(name, is_class, n_classes, len(y)).fit(X, y)
        predicted = model.predict(others)
        if not is_class:
            found.append((max(0.0, r2_score(expected, predicted)), None))
            continue
        area = None
        if n_classes == 2:
            by_model = (
                model.decision_function(others)
                if name == "linear"
                else model.predict_proba(others)[:, 1]
            )
            area = float(roc_auc_score(expected, by_model))
        found.append((float(balanced_accuracy_score(expected, predicted)), area))
    return found


def sizes_of(n_columns, is_class):
    sizes = SIZES if is_class else sorted({*SIZES, *REGRESSION_SIZES})
    return [k for k in sizes if k < n_columns]


def row_of(name):
    from topofs.comparison.labelled import MOST_FOR_RFE

    warnings.simplefilter("ignore")
    X, y, is_class = any_table(name)
    large = X.size > LARGE
    n_splits = N_SPLITS_LARGE if large else N_SPLITS
    left_out = {"rfe"} if X.shape[1] > MOST_FOR_RFE else set()
    left_out |= {"mutual_information"} if large else set()
    methods = [m for m in METHODS if m not in left_out]
    sizes = sizes_of(X.shape[1], is_class)
    measured, seconds, lists = {}, {m: [] for m in methods}, {m: [] for m in methods}
    stable_at = max(k for k in sizes if k <= STABLE_AT)
    began = time.process_time()
    for number, (train, test) in enumerate(splits_of(X, y, is_class, n_splits)):
        kept = np.flatnonzero(np.ptp(X[train], axis=0) > 0)
        known = {}
        models = MODELS[:2] if large and number >= N_BOOSTING_LARGE else MODELS
        for method in methods:
            start = time.process_time()
            order = kept[order_of(method, X[train][:, kept], y[train], is_class, number)]
            seconds[method].append(time.process_time() - start)
            lists[method].append(order[:stable_at])
            for k in sizes:
                columns = np.sort(order[:k])
                key = columns.tobytes()
                if key not in known:
                    pairs = [(X[rows][:, columns], y[rows]) for rows in (train, test)]
                    known[key] = scores_of(*pairs, is_class, models)
                measured.setdefault((method, k), []).append(known[key])

    def mean(method, model, part):
        values = {
            k: [s[model][part] for s in measured[method, k] if model < len(s)] for k in sizes
        }
        return {k: round(float(np.mean(v)), 5) for k, v in values.items()}

    two = is_class and len(np.unique(y)) == 2
    return {
        "table": name,
        "rows": len(X),
        "columns": X.shape[1],
        "classes": len(np.unique(y)) if is_class else None,
        "splits": n_splits,
        "score": {m: [mean(m, i, 0) for i in range(len(MODELS))] for m in methods},
        "auc": {m: [mean(m, i, 1) for i in range(len(MODELS))] for m in methods}
        if two
        else None,
        "stability_at": stable_at,
        "stability": {m: round(stability_of(v, X.shape[1]), 4) for m, v in lists.items()},
        "seconds": {m: round(float(np.median(v)), 3) for m, v in seconds.items()},
        "process_seconds": round(time.process_time() - began),
    }


# Few labels.


def few_tables():
    """The names of the tables with most rows for each class."""
    found = {name: table(name) for name in TABLES if name not in REGRESSION}
    per_class = {n: len(t[1]) / len(np.unique(t[1])) for n, t in found.items() if t}
    return sorted(per_class, key=lambda name: -per_class[name])[:N_FEW_TABLES]


def few_of(y, rng):
    """Rows that keep their label: the same share of every class, at least one row."""
    chosen = []
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        chosen.append(rows[: max(1, round(FEW_SHARE * len(rows)))])
    return np.sort(np.concatenate(chosen))


def few_row_of(name):
    from topofs import TopologicalFeatureSelector

    warnings.simplefilter("ignore")
    X, y, _ = any_table(name)
    measured, n_given = {}, []
    for number, (train, test) in enumerate(
        splits_of(X, y, is_class=True, n_splits=N_FEW_SPLITS)
    ):
        kept = np.flatnonzero(np.ptp(X[train], axis=0) > 0)
        seen, labels = X[train][:, kept], y[train]
        few = few_of(labels, np.random.default_rng(number))
        n_given.append(len(few))
        partly = np.full(len(labels), None, dtype=object)
        partly[few] = names_of(labels[few])
        for method in FEW_METHODS:
            if method == "relevance":
                selector = TopologicalFeatureSelector(
                    min(max(FEW_SIZES), len(kept) - 1), min_carriers=0, relevance="target"
                )
                order = np.argsort(selector.fit(seen, partly).ranking_)
            else:
                rows = few if method == "mrmr" else slice(None)
                order = order_of(method, seen[rows], labels[rows], is_class=True, number=number)
            for k in (k for k in FEW_SIZES if k < len(kept)):
                columns = np.sort(kept[order[:k]])
                pairs = [(X[r][:, columns], y[r]) for r in (train[few], test)]
                found = scores_of(*pairs, is_class=True, models=MODELS[:2])
                measured.setdefault((method, k), []).append([s for s, _ in found])
    return {
        "table": name,
        "rows": len(X),
        "columns": X.shape[1],
        "classes": len(np.unique(y)),
        "labels": round(float(np.mean(n_given))),
        "score": {
            m: {k: np.round(np.mean(v, axis=0), 5).tolist()
                for (method, k), v in measured.items() if method == m}
            for m in FEW_METHODS
        },
    }  # fmt: skip


# The summary.


def mean_score(row, method, models=range(3), sizes=SIZES, part="score"):
    """The mean over models and sizes of a table."""
    values = [row[part][method][i][str(k)] for i in models for k in sizes if k < row["columns"]]
    return float(np.mean(values))


def holm(p_values):
    order = np.argsort(p_values)
    adjusted = np.empty(len(p_values))
    steps = np.array(p_values)[order] * np.arange(len(p_values), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


def tests(rows, rivals):
    """For each rival the mean lead of relevance, tables ahead, p-value and after Holm."""
    from scipy.stats import wilcoxon

    found = []
    for rival in rivals:
        leads = [mean_score(r, "relevance") - mean_score(r, rival) for r in rows]
        p = float(wilcoxon(leads).pvalue)
        found.append((rival, float(np.mean(leads)), sum(x > 0 for x in leads), p))
    adjusted = holm([f[-1] for f in found])
    return [(*f, float(a)) for f, a in zip(found, adjusted, strict=True)]


def table_lines(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "| --- |" + " ---: |" * (len(head) - 1)
    for first, *cells in rows:
        texts = ("–" if c is None else f"{c:.3f}" if isinstance(c, float) else c for c in cells)
        yield "| " + " | ".join([first, *map(str, texts)]) + " |"
    yield ""


def means_table(rows, methods):
    """A line for each method: accuracy by model and by size, the AUC, stability and seconds."""
    two = [r for r in rows if r["auc"]]
    for m in methods:
        by_model = [np.mean([mean_score(r, m, [i]) for r in rows]) for i in range(3)]
        by_size = [
            np.mean([mean_score(r, m, sizes=[k]) for r in rows if k < r["columns"]])
            for k in SIZES
        ]
        yield (
            METHODS[m],
            float(np.mean([mean_score(r, m) for r in rows])),
            *map(float, by_model),
            *map(float, by_size),
            float(np.mean([mean_score(r, m, part="auc") for r in two])) if two else None,
            float(np.mean([r["stability"][m] for r in rows])),
            f"{np.mean([r['seconds'][m] for r in rows]):.2f}",
        )


def summary_lines(stored):
    rows = stored["rows"]
    halves = {"reported": REPORTED, "development": DEVELOPMENT}
    for what, names in halves.items():
        half = [r for r in rows if r["table"] in names]
        yield from ("", f"## {what}: {len(half)} of {len(names)} tables", "")
        if half:
            yield from half_lines(half)
    yield from regression_lines(stored)
    yield from few_lines(stored)


def half_lines(half):
    always = [m for m in METHODS if m not in ("mutual_information", "rfe")]
    head = ["method", "mean", *MODELS, *map(str, SIZES), "AUC", "stability", "seconds"]
    yield from table_lines(head, means_table(half, always))
    small = [r for r in half if len(r["score"]) == len(METHODS)]
    if small:
        yield from (f"With all methods, {len(small)} small tables:", "")
        yield from table_lines(head, means_table(small, METHODS))
    yield from ("Lead of relevance:", "")
    leads = (
        (METHODS[m], f"{lead:+.3f}", f"{n} of {len(half)}", p, adjusted)
        for m, lead, n, p, adjusted in tests(half, always[1:])
    )
    yield from table_lines(["rival", "lead", "ahead on", "p", "after Holm"], leads)
    yield from ("Lead over mRMR and fastcan, by model and size:", "")
    yield from table_lines(["rival, model", "all", *map(str, SIZES)], leads_table(half))
    yield from ("Lead over mRMR and fastcan, by table:", "")
    pairs = [(rival, i) for rival in ("mrmr", "fastcan") for i in range(3)]
    leads = (
        (
            r["table"],
            *(
                f"{mean_score(r, 'relevance', [i]) - mean_score(r, rival, [i]):+.3f}"
                for rival, i in pairs
            ),
        )
        for r in half
    )
    yield from table_lines(["table", *(f"{METHODS[r]}, {MODELS[i]}" for r, i in pairs)], leads)
    yield from ("By table:", "")
    head = ["table", "rows", "columns", "classes", *(METHODS[m] for m in always)]
    by_table = (
        (
            *(r["table"], r["rows"], r["columns"], r["classes"] or "–"),
            *(mean_score(r, m) for m in always),
        )
        for r in half
    )
    yield from table_lines(head, by_table)


def leads_table(rows):
    for rival in ("mrmr", "fastcan"):
        for i, model in enumerate(MODELS):
            cells = []
            for sizes in (SIZES, *((k,) for k in SIZES)):
                leads = [
                    mean_score(r, "relevance", [i], sizes) - mean_score(r, rival, [i], sizes)
                    for r in rows
                    if min(sizes) < r["columns"]
                ]
                cells.append(f"{np.mean(leads):+.3f}")
            yield f"{METHODS[rival]}, {model}", *cells


def regression_lines(stored):
    rows = [r for r in stored["rows"] + stored["regression"] if r["classes"] is None]
    yield from ("", f"## Regression, gradient boosting, R²: {len(rows)} tables", "")
    methods = [m for m in METHODS if all(m in r["score"] for r in rows)]
    cells = []
    for k in REGRESSION_SIZES:
        chosen = [r for r in rows if k < r["columns"]]
        means = (np.mean([mean_score(r, m, [2], [k]) for r in chosen]) for m in methods)
        cells.append((f"mean of {len(chosen)}, {k} columns", *map(float, means)))
    cells += [
        (f"{r['table']}, {k} columns", *(mean_score(r, m, [2], [k]) for m in methods))
        for r in rows
        for k in REGRESSION_SIZES
        if k < r["columns"]
    ]
    yield from table_lines(["table", *(METHODS[m] for m in methods)], cells)


def few_lines(stored):
    rows = stored["few"]
    yield from ("", f"## Labels on 5 % of the rows: {len(rows)} tables", "")
    if not rows:
        return

    def mean(row, method, k=None):
        chosen = row["score"][method].items()
        return float(np.mean([v for size, v in chosen if k in (None, int(size))]))

    head = ["table", "labels", "classes", *(METHODS[m] for m in FEW_METHODS)]
    cells = [
        (r["table"], r["labels"], r["classes"], *(mean(r, m) for m in FEW_METHODS))
        for r in rows
    ]
    for k in (None, *FEW_SIZES):
        means = (float(np.mean([mean(r, m, k) for r in rows])) for m in FEW_METHODS)
        cells.append((f"mean, {k} columns" if k else "mean", "", "", *means))
    yield from table_lines(head, cells)


# What is stored.


def read():
    empty = {"rows": [], "regression": [], "few": []}
    return json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else empty


def store(part, row):
    found = read()
    found[part] = [r for r in found[part] if r["table"] != row["table"]] + [row]
    found[part].sort(key=lambda r: (*TABLES, *OTHER_REGRESSION).index(r["table"]))
    head = {"machine": machine() | {"versions_with_labels": versions()}}
    parts = [f'"machine": {json.dumps(head["machine"])}']
    for name in ("rows", "regression", "few"):
        lines = ",\n".join(json.dumps(r) for r in found[name])
        parts.append(f'"{name}": [\n{lines}\n]')
    RESULT.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")


def versions():
    from importlib.metadata import version

    return {name: version(name) for name in ("fastcan", "lightgbm")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", help=", ".join((*TABLES, *OTHER_REGRESSION)))
    parser.add_argument("--few", action="store_true", help="the part with few labels")
    parser.add_argument("--summary", action="store_true", help="no table is measured")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    names = options.tables or (few_tables() if options.few else (*TABLES, *OTHER_REGRESSION))
    if options.summary:
        names = ()
    sizes = {name: found[0].size for name in names if (found := any_table(name))}
    for name in names:
        if name not in sizes:
            print(f"{name}: left out, it is not at hand", flush=True)
    # The reported half comes first, and in each half small tables.
    names = sorted(sizes, key=lambda name: (name in DEVELOPMENT, sizes[name]))
    workers = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.processes, mp_context=workers) as pool:
        measure = few_row_of if options.few else row_of
        tasks = {pool.submit(measure, name): name for name in names}
        for done in as_completed(tasks):
            row, name = done.result(), tasks[done]
            part = "regression" if name in OTHER_REGRESSION else "rows"
            store("few" if options.few else part, row)
            print(f"{name}: {row.get('process_seconds', '')}", flush=True)
    print("\n".join(summary_lines(read())))


if __name__ == "__main__":
    main()
