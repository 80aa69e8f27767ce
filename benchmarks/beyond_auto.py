"""Which order serves beyond the automatic end: the choice of λ in `topofs.rules.greedy`.

    python -m benchmarks.beyond_auto               every table, minutes each; then the summary
    python -m benchmarks.beyond_auto colon Yale    these tables only; results of others are kept
    python -m benchmarks.beyond_auto --summary     the choice and the tables in Markdown

This text was written and committed before the first run.

Candidates. Beyond "auto" the next column has the largest gain + λ · support. Candidates are
λ = 0, 1/4, 1/2, 3/4, 1, 3/2 and 2 with isolated columns competing, and "last": λ = 0 with isolated
columns after all others. Three more are reported and cannot be chosen: "last, λ = 1/2"; "support"
(λ = 100: the gain hardly counts); and "noise" (on each table the λ of the candidates that is
nearest to 1 − coverage at "auto", the smaller of two).

Sizes. 1.5, 3 and 6 times "auto", rounded; sizes that reach the number of columns are left out.

Tables, in this order:

- the 15 datasets of the paper, by name;
- five regression tables of packages (statsmodels, mlxtend, scikit-learn), widened as tables of a
  business are: autompg, diabetes, housing, macrodata, star98. Each column gets 0 to 7 derived
  columns (near-copies, noisy ones, logarithms, lags) and the table gets unrelated columns, numbers
  and flags, half as many as it has then. The lags of macrodata are real (1 to 4 quarters) and its
  target is the unemployment of the next quarter;
- pbmc68k, the 700 cells and 765 genes packaged with scanpy; labels bulk_labels;
- counts, simulated: negative binomial, 900 cells of 12 types of 1 % to 20 %, 1,000 genes, of which
  some mark types, some form programs, and 40 % are hardly expressed.

Halves. The first, third, fifth … table of this list is for development, the others are reported.
A table that is not there keeps its place.

Quality. Columns are selected without labels from all rows. Coverage: the mean over all columns of
the best share, as `evaluate` gives it. Accuracy: with classes, the mean of the balanced accuracies
of 5 nearest neighbours and of a linear support vector machine (C = 1, its kernel divided by the
number of columns), by 3 stratified folds (seed 0), on standardised columns, with at most 1,500
rows; else R² (0 where negative) of gradient-boosted trees by 3 folds. The lift is what either is
above random lists of the same size: eight lists for the accuracy, all lists for the coverage (its
exact mean).

Rule. On each table, the score of a candidate is the mean, over sizes, of
(lift of accuracy + lift of coverage) / 2. A candidate whose coverage is below the mean of random
lists on a development table, at any size, is out, unless all are. Of the others, the one with the
largest mean score over development tables is chosen. Scores within 0.001 are equal: then the
smallest λ is chosen, and "last" only if it is better by more than every λ.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

from benchmarks.tables import data_folder
from benchmarks.timing import machine

RESULT = Path(__file__).parent / "results" / "beyond_auto.json"
PAPER = (
    *(
        "COIL20",
        "colon",
        "GLIOMA",
        "Isolet",
        "lung",
        "lung_small",
        "lymphoma",
        "MADELON",
        "ORL",
    ),
    *("PCMAC", "RELATHE", "USPS", "warpAR10P", "warpPIE10P", "Yale"),
)
BUSINESS = ("autompg", "diabetes", "housing", "macrodata", "star98")
TABLES = (*PAPER, *BUSINESS, "pbmc68k", "counts")
DEVELOPMENT, REPORTED = TABLES[::2], TABLES[1::2]

QUARTERS = {"0": 0, "1/4": 1, "1/2": 2, "3/4": 3, "1": 4, "3/2": 6, "2": 8}
CANDIDATES = {"last": ("last", 0)} | {name: ("drop", q) for name, q in QUARTERS.items()}
OTHERS = {"last, 1/2": ("last", 2), "support": ("drop", 400)}
NOISE = "noise"
TIMES = (1.5, 3.0, 6.0)
EQUAL = 0.001
N_RANDOM, MOST_ROWS = 8, 1500


# The tables: columns, target, and whether the target is a class.


def table(name):
    """(X, y, whether y is a class) of a table, or None where it is not at hand."""
    if name in PAPER:
        found = dataset(name)
    elif name in BUSINESS:
        found = business(name)
    else:
        found = {"pbmc68k": pbmc, "counts": counts}[name]()
    if found is None:
        return None
    X, y, is_class = found
    return X[:, np.ptp(X, axis=0) > 0], y, is_class


def dataset(name):
    from scipy.io import loadmat

    paths = [path for path in data_folder().glob("*.*") if path.stem.lower() == name.lower()]
    if not paths:
        return None
    contents = loadmat(paths[0]) if paths[0].suffix == ".mat" else np.load(paths[0])
    labels = np.asarray(contents["Y" if "Y" in contents else "y"]).ravel()
    y = np.unique(labels, return_inverse=True)[1]
    return np.asarray(contents["X"], dtype=np.float64), y, True


def business(name):
    rng = np.random.default_rng(BUSINESS.index(name))
    if name == "macrodata":
        from statsmodels.datasets import macrodata

        frame = macrodata.load_pandas().data.drop(columns=["year", "quarter"])
        values, y = frame.to_numpy(dtype=np.float64), frame["unemp"].to_numpy()
        lags = [values[4 - lag : len(values) - 1 - lag] for lag in range(5)]
        return widened(np.hstack(lags), rng), y[5:], False
    X, y = plain_regression(name)
    return widened(np.asarray(X, dtype=np.float64), rng), np.asarray(y, dtype=float), False


def plain_regression(name):
    if name == "diabetes":
        from sklearn.datasets import load_diabetes

        return load_diabetes(return_X_y=True)
    if name == "star98":
        from statsmodels.datasets import star98

        frame = star98.load_pandas().data
        above = frame["NABOVE"] / (frame["NABOVE"] + frame["NBELOW"])
        return frame.drop(columns=["NABOVE", "NBELOW"]), above
    from mlxtend.data import autompg_data, boston_housing_data

    if name == "housing":
        return boston_housing_data()
    X, y = autompg_data()
    return X[:, :7], y  # the eighth column is the name


def widened(X, rng):
    """A table with derived and unrelated columns beside its own."""
    n, columns = len(X), []
    for values in X.T:
        own = (values - values.mean()) / values.std()
        columns.append(own)
        for kind in rng.integers(0, 4, rng.integers(0, 8)):
            noise = rng.standard_normal(n)
            if kind == 0:
                columns.append(own + rng.choice([0.01, 0.1, 0.3]) * noise)
            elif kind == 1:
                columns.append(own + rng.uniform(0.5, 1.5) * noise)
            elif kind == 2:
                columns.append(np.log(own - own.min() + 0.5) + 0.05 * noise)
            else:
                columns.append(0.8 * own + 0.6 * noise)
    for number in range(len(columns) // 2):
        if number % 3 == 2:
            columns.append((rng.random(n) < rng.uniform(0.05, 0.5)) * 1.0)
        else:
            columns.append(rng.standard_normal(n) if number % 3 else rng.gamma(2.0, size=n))
    return np.column_stack(columns)


def pbmc():
    package = importlib.util.find_spec("scanpy")
    if package is None:
        return None
    import anndata

    path = Path(package.origin).parent / "datasets" / "10x_pbmc68k_reduced.h5ad"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # an old file
        cells = anndata.read_h5ad(path)
    y = cells.obs["bulk_labels"].cat.codes.to_numpy()
    return np.asarray(cells.X, dtype=np.float64), y, True


def counts(n_cells=900, n_genes=1000, n_types=12):
    rng = np.random.default_rng(0)
    shares = np.array([20, 18, 15, 12, 10, 8, 6, 4, 3, 2, 1, 1]) / 100
    kind = np.repeat(np.arange(n_types), np.rint(shares * n_cells).astype(int))
    mean = np.exp(rng.normal(-0.5, 1.0, n_genes))
    order = rng.permutation(n_genes)
    hardly, rest = order[: n_genes * 2 // 5], order[n_genes * 2 // 5 :]
    mean[hardly] = rng.uniform(0.003, 0.05, len(hardly))
    log = np.tile(np.log(mean), (len(kind), 1))
    for number in range(n_types):
        markers, rest = rest[:20], rest[20:]
        log[np.ix_(kind == number, markers)] += rng.uniform(1.0, 2.5, len(markers))
    for _ in range(4):
        genes, rest = rest[:25], rest[25:]
        log[:, genes] += np.outer(
            rng.standard_normal(len(kind)), rng.uniform(0.2, 0.8, len(genes))
        )
    log += rng.normal(0, 0.4, (len(kind), 1))
    shape = 2.0
    drawn = rng.poisson(rng.gamma(shape, np.exp(log) / shape))
    total = np.maximum(drawn.sum(axis=1, keepdims=True), 1)
    return np.log1p(drawn / total * np.median(total)), kind, True


# What is measured on a table.


def orders(X):
    """(the columns in the order of every candidate, "auto", whole shares between columns)."""
    from topofs import TopologicalFeatureSelector
    from topofs.constraints import Constraints
    from topofs.rules.greedy import greedy_ranking

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # isolated columns, rows in an order
        selector = TopologicalFeatureSelector().fit(X)
    ranking, n = selector._ranking, X.shape[1]  # noqa: SLF001 - its model and tie ranks
    auto = len(selector.get_support(indices=True))
    constraints = Constraints.none(n).with_forced(
        np.empty(0, np.int64), n_wanted=round(auto * max(TIMES))
    )
    found = {}
    for name, (isolated, quarters) in (CANDIDATES | OTHERS).items():
        model, tie_rank = ranking.coverage_model, ranking.tie_rank
        found[name] = greedy_ranking(
            model, constraints, tie_rank=tie_rank, isolated=isolated, support_quarters=quarters
        ).order
        assert set(found[name][:auto]) == set(selector.get_support(indices=True))
    return found, auto, whole_shares(ranking.coverage_model), int(ranking.isolated.sum())


def whole_shares(model):
    shares = np.asarray(getattr(model.matrix, "toarray", lambda: model.matrix)())
    for node in np.flatnonzero(model.truncated):
        shares[node] = model.entries(int(node))[1]
    return shares


def coverage(shares, columns):
    return float(shares[columns].max(axis=0).mean())


def random_coverage(shares, sizes):
    """The mean coverage of all lists of each size: the r-th best is the best one drawn."""
    n = len(shares)
    weights = np.zeros((len(sizes), n))
    for at, k in enumerate(sizes):
        left = 1.0
        for r in range(n - k + 1):
            weights[at, r] = left * k / (n - r)
            left -= weights[at, r]
    best = -np.sort(-shares, axis=0)
    return (weights @ best).mean(axis=1)


def accuracy(X, y, is_class):
    """What tells the accuracy of some columns."""
    from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

    if len(X) > MOST_ROWS:
        stratify = y if is_class else None
        X, _, y, _ = train_test_split(
            X, y, train_size=MOST_ROWS, stratify=stratify, random_state=0
        )
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    folds = (StratifiedKFold if is_class else KFold)(3, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes of fewer than three rows
        splits = list(folds.split(X, y))
    known, of = {}, classified if is_class else regressed

    def measured(columns):
        columns = np.sort(columns)
        key = columns.tobytes()
        if key not in known:
            known[key] = of(X[:, columns], y, splits)
        return known[key]

    return measured


def classified(X, y, splits):
    from sklearn.metrics import balanced_accuracy_score
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC

    products = X @ X.T / X.shape[1]
    squares = np.diag(products)
    distances = np.maximum(squares[:, None] + squares - 2 * products, 0)
    scores = []
    for model, pairs in (
        (KNeighborsClassifier(5, metric="precomputed"), distances),
        (SVC(kernel="precomputed"), products),
    ):
        said = np.empty_like(y)
        for train, test in splits:
            model.fit(pairs[np.ix_(train, train)], y[train])
            said[test] = model.predict(pairs[np.ix_(test, train)])
        scores.append(balanced_accuracy_score(y, said))
    return float(np.mean(scores))


def regressed(X, y, splits):
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.metrics import r2_score

    said = np.empty(len(y))
    for train, test in splits:
        model = HistGradientBoostingRegressor(
            max_iter=60, max_leaf_nodes=15, max_bins=63, early_stopping=False, random_state=0
        )
        said[test] = model.fit(X[train], y[train]).predict(X[test])
    return float(max(r2_score(y, said), 0))


def rows_of(name, X, y, is_class):
    """One row for each size."""
    found, auto, shares, n_isolated = orders(X)
    n = X.shape[1]
    sizes = [(times, int(times * auto + 0.5)) for times in TIMES]
    sizes = [(times, k) for times, k in sizes if k < n]
    by_chance = random_coverage(shares, [k for _, k in sizes])
    measured, rng = accuracy(X, y, is_class), np.random.default_rng(0)
    at_auto = coverage(shares, found["0"][:auto])
    rows = []
    for (times, k), random_share in zip(sizes, by_chance, strict=True):
        drawn = [measured(rng.permutation(n)[:k]) for _ in range(N_RANDOM)]
        shown = {
            "table": name,
            "columns": n,
            "isolated": n_isolated,
            "auto": auto,
            "times": times,
        }
        shown |= {"k": k, "coverage_at_auto": at_auto}
        shown |= {"random_accuracy": np.mean(drawn), "random_sd": np.std(drawn, ddof=1)}
        shown |= {"random_coverage": random_share}
        shown |= {"accuracy": {c: measured(order[:k]) for c, order in found.items()}}
        shown |= {"coverage": {c: coverage(shares, order[:k]) for c, order in found.items()}}
        rows.append(rounded(shown))
    return rows


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    return round(float(value), 5) if isinstance(value, float) else value


# The choice and the report.


def by_candidate(rows):
    """A row for each table, size and candidate, and for the λ that follows the noise."""
    levels = {name: quarters / 4 for name, quarters in QUARTERS.items()}
    found = []
    for row in rows:
        noise = 1 - row["coverage_at_auto"]
        nearest = min(levels, key=lambda name, noise=noise: abs(levels[name] - noise))
        names = {name: name for name in (*CANDIDATES, *OTHERS)} | {NOISE: nearest}
        for shown, name in names.items():
            quality = {what: row[what][name] for what in ("accuracy", "coverage")}
            found.append(row | {"candidate": shown} | quality)
    return found


def lifts(row):
    return row["accuracy"] - row["random_accuracy"], row["coverage"] - row["random_coverage"]


def score(rows, tables, candidate):
    means = []
    for name in tables:
        both = [lifts(r) for r in rows if (r["table"], r["candidate"]) == (name, candidate)]
        if both:
            means.append(np.mean(both))
    return float(np.mean(means))


def choice(rows):
    """(chosen, score of every candidate, candidates that are out) on the development half."""
    scores = {name: score(rows, DEVELOPMENT, name) for name in CANDIDATES}
    out = [
        name
        for name in CANDIDATES
        if any(
            lifts(row)[1] < -1e-5
            for row in rows
            if row["candidate"] == name and row["table"] in DEVELOPMENT
        )
    ]
    able = [name for name in CANDIDATES if name not in out] or list(CANDIDATES)
    best = max(scores[name] for name in able)
    # "last" stands first in CANDIDATES and is the last to be tried.
    tried = sorted(able, key=lambda name: name == "last")
    return next(name for name in tried if scores[name] >= best - EQUAL), scores, out


def print_half(rows, title, tables):
    print(f"\n{title}: {', '.join(t for t in tables if any(r['table'] == t for r in rows))}\n")
    print("| size | order | accuracy: median, worst | coverage: median, worst | mean of both |")
    print("| --- | --- | --- | --- | --- |")
    for times in TIMES:
        for name in (*CANDIDATES, *OTHERS, NOISE):
            some = [r for r in rows if (r["times"], r["candidate"]) == (times, name)]
            some = [(r["table"], *lifts(r)) for r in some if r["table"] in tables]
            cells = []
            for at in (1, 2):
                worst = min(some, key=lambda entry: entry[at])
                median = np.median([entry[at] for entry in some])
                cells.append(f"{median:+.3f}, {worst[at]:+.3f} ({worst[0]})")
            mean = np.mean([entry[1:] for entry in some])
            print(f"| {times:g} | {name} | {' | '.join(cells)} | {mean:+.4f} |")


def print_tables(rows):
    names = (*CANDIDATES, *OTHERS)
    for what in ("accuracy", "coverage"):
        print(f"\n{what}\n\n| table | k | random | {' | '.join(names)} |")
        print("| --- " * (len(names) + 3) + "|")
        for name in TABLES:
            for times in TIMES:
                some = {
                    r["candidate"]: r for r in rows if (r["table"], r["times"]) == (name, times)
                }
                if some:
                    first = some["0"]
                    cells = " | ".join(f"{some[c][what]:.3f}" for c in names)
                    random = f"{first['random_' + what]:.3f}"
                    print(f"| {name} | {first['k']} | {random} | {cells} |")


def summary(rows):
    rows = by_candidate(rows)
    chosen, scores, out = choice(rows)
    print_tables(rows)
    print_half(rows, "Development half", DEVELOPMENT)
    print_half(rows, "Reported half", REPORTED)
    reported = {n: score(rows, REPORTED, n) for n in (*CANDIDATES, *OTHERS, NOISE)}
    more = {name: score(rows, DEVELOPMENT, name) for name in (*OTHERS, NOISE)}
    print("\n| order | score, development | score, reported | out |\n| --- | --- | --- | --- |")
    for name, value in (scores | more).items():
        print(f"| {name} | {value:+.4f} | {reported[name]:+.4f} | {'out' * (name in out)} |")
    print(f"\nChosen by the rule: {chosen}")
    return {
        "chosen": chosen,
        "development": {name: round(value, 5) for name, value in (scores | more).items()},
        "reported": {name: round(value, 5) for name, value in reported.items()},
        "below_random_coverage": out,
    }


def commit():
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def where():
    """What the figures depend on."""
    found = machine() | {"commit": commit()}
    for name in ("statsmodels", "mlxtend", "scanpy"):
        if importlib.util.find_spec(name):
            found["versions"][name] = version(name)
    return found


def write(found):
    """The file: one line for each row."""
    head = json.dumps({key: value for key, value in found.items() if key != "rows"}, indent=1)
    rows = ",\n".join(json.dumps(row) for row in found["rows"])
    RESULT.write_text(f'{head[:-2]},\n "rows": [\n{rows}\n]\n}}\n')


def stored():
    return json.loads(RESULT.read_text()) if RESULT.exists() else {"rows": []}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", help=", ".join(TABLES))
    parser.add_argument("--summary", action="store_true", help="no table is measured")
    options = parser.parse_args()
    unknown = sorted(set(options.tables) - set(TABLES))
    if unknown:
        parser.error(f"unknown tables: {', '.join(unknown)}; there are {', '.join(TABLES)}")
    for name in () if options.summary else options.tables or TABLES:
        found = table(name)
        if found is None:
            print(f"{name}: left out, it is not at hand", flush=True)
            continue
        start = time.process_time()
        rows = rows_of(name, *found)
        seconds = time.process_time() - start
        print(f"{name}: auto {rows[0]['auto']}, {seconds:.0f} s of the processor", flush=True)
        rows += [row for row in stored()["rows"] if row["table"] != name]
        rows.sort(key=lambda row: TABLES.index(row["table"]))
        write(where() | {"rows": rows})
    found = stored()
    if {row["table"] for row in found["rows"]} >= {*PAPER, *BUSINESS, "counts"}:
        write(found | {"summary": summary(found["rows"])})


if __name__ == "__main__":
    main()
