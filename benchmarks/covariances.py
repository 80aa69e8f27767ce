"""Log-likelihood of unseen rows: LoGo beside scikit-learn's covariances, on real and made tables.

    python -m benchmarks.covariances DATA_FOLDER
    python -m benchmarks.covariances --write     # the table of the page, from the results

Of each table up to 60 columns are drawn (those of which no value fills half), and for S = n/4 …
4n a training part of S rows; up to 1,000 of the other rows are scored. Columns are standardised
by the training part. Three draws; one core: OMP_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.io import loadmat
from sklearn.covariance import OAS, EmpiricalCovariance, GraphicalLassoCV, LedoitWolf
from sklearn.datasets import load_breast_cancer, load_digits

from topofs import CliqueForest, LoGoCovariance

RESULTS = Path(__file__).parent / "results" / "covariances.json"
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "sparse-models.md"
N_COLUMNS, N_DRAWS = 60, 3
SIZES = {"n/4": 0.25, "n/2": 0.5, "n": 1.0, "2n": 2.0, "4n": 4.0}
METHODS = {
    "LoGo, TMFG": LoGoCovariance,
    "LoGo, tree": lambda: LoGoCovariance("mst"),
    "LoGo, clique forest": lambda: LoGoCovariance(CliqueForest()),
    "Ledoit–Wolf": LedoitWolf,
    "OAS": OAS,
    "graphical lasso": lambda: GraphicalLassoCV(cv=3),
    "empirical": EmpiricalCovariance,
}
SHARED = ("Isolet", "USPS", "madelon", "COIL20", "colon")


def real_tables(folder: Path) -> dict[str, np.ndarray]:
    """Tables of numbers by name."""
    from skfolio.datasets import load_sp500_dataset
    from skfolio.preprocessing import prices_to_returns

    tables = {
        "S&P 500 returns": np.asarray(prices_to_returns(load_sp500_dataset())),
        "breast cancer": load_breast_cancer().data,
        "digits": load_digits().data,
    }
    for name in SHARED:
        mat = folder / f"{name}.mat"
        content = loadmat(mat) if mat.exists() else np.load(folder / f"{name}.npz")
        tables[name] = np.asarray(content["X"], dtype=np.float64)
    return tables


def made_tables(n: int = N_COLUMNS, n_rows: int = 1300) -> dict[str, np.ndarray]:
    """Gaussian rows of a LoGo model on a TMFG, of a few factors, and of a chain."""
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(n_rows, 5))
    dense = factors @ rng.normal(size=(5, n)) + 1.5 * rng.normal(size=(n_rows, n))
    truth = LoGoCovariance(shrinkage=None).fit(dense)
    sparse = rng.multivariate_normal(truth.location_, truth.covariance_, size=n_rows)
    chain = np.empty((n_rows, n))
    chain[:, 0] = rng.normal(size=n_rows)
    for j in range(1, n):
        chain[:, j] = 0.8 * chain[:, j - 1] + 0.6 * rng.normal(size=n_rows)
    return {"made: TMFG model": sparse, "made: 5 factors": dense, "made: chain": chain}


def drawn(X: np.ndarray, size: float, seed: int) -> tuple[np.ndarray, np.ndarray] | None:
    """A training and a test part, standardised by the first; None where rows are too few."""
    rng = np.random.default_rng(seed)
    X = X[rng.permutation(len(X))]
    filled = [np.unique(column, return_counts=True)[1].max() / len(X) for column in X.T]
    usable = np.flatnonzero(np.array(filled) < 0.5)
    columns = rng.choice(usable, min(N_COLUMNS, len(usable)), replace=False)
    n_samples = int(size * len(columns))
    if n_samples + 20 > len(X):
        return None
    train, test = X[:n_samples, columns], X[n_samples : n_samples + 1000, columns]
    varies = train.std(axis=0) > 0
    train, test = train[:, varies], test[:, varies]
    mean, scale = train.mean(axis=0), train.std(axis=0)
    return (train - mean) / scale, (test - mean) / scale


def scored(train: np.ndarray, test: np.ndarray, method: str) -> dict[str, float] | None:
    """Log-likelihood of a row and a column, and seconds; None where there is no model."""
    if method == "empirical" and len(train) <= 1.2 * train.shape[1]:
        return None
    start = time.perf_counter()
    try:
        model = METHODS[method]().fit(train)
    except (FloatingPointError, ValueError, np.linalg.LinAlgError):
        return None
    seconds = time.perf_counter() - start
    score = float(model.score(test)) / train.shape[1]
    return (
        {"score": round(score, 5), "seconds": round(seconds, 5)} if np.isfinite(score) else None
    )


def measure(folder: Path) -> list[dict]:
    """All tables, sizes, draws and methods."""
    rows = []
    LoGoCovariance().fit(np.random.default_rng(0).normal(size=(9, 5)))
    LoGoCovariance(CliqueForest()).fit(np.random.default_rng(0).normal(size=(9, 5)))
    for name, X in (real_tables(folder) | made_tables()).items():
        for size, factor in SIZES.items():
            for seed in range(N_DRAWS):
                parts = drawn(X, factor, seed)
                if parts is None:
                    continue
                for method in METHODS:
                    found = scored(*parts, method)
                    where = {"table": name, "size": size, "draw": seed, "method": method}
                    where |= {"n_samples": len(parts[0]), "n_columns": parts[0].shape[1]}
                    rows.append(where | (found or {"score": None, "seconds": None}))
            print(name, size, flush=True)
            RESULTS.write_text(_lines(rows), encoding="utf-8")
    return rows


def table_lines(rows: list[dict]) -> list[str]:
    """One line a table and size: the median of the draws, best in bold; then the summary."""
    lines = [
        "| table | S | " + " | ".join(METHODS) + " |",
        "| --- | --- |" + " ---: |" * len(METHODS),
    ]
    for table, size in dict.fromkeys((row["table"], row["size"]) for row in rows):
        medians = [_median(rows, table, size, method) for method in METHODS]
        best = max(value for value in medians if value is not None)
        cells = [
            "–" if v is None else f"**{v:.3f}**" if v == best else f"{v:.3f}" for v in medians
        ]
        lines.append(f"| {table} | {size} | " + " | ".join(cells) + " |")
    return lines


def summary_lines(rows: list[dict]) -> list[str]:
    """One line a method: how often it is best, how far behind the best, seconds."""
    lines = [
        "| method | best | behind the best: median | worst | no model | seconds: median | worst |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    cells = list(dict.fromkeys((row["table"], row["size"]) for row in rows))
    medians = {m: [_median(rows, *cell, m) for cell in cells] for m in METHODS}
    columns = zip(*medians.values(), strict=True)
    best = [max(v for v in column if v is not None) for column in columns]
    for method, values in medians.items():
        behind = [b - v for b, v in zip(best, values, strict=True) if v is not None]
        seconds = [r["seconds"] for r in rows if r["method"] == method and r["seconds"]]
        lines.append(
            f"| {method} | {sum(b == 0 for b in behind)} | {np.median(behind):.3f} "
            f"| {max(behind):.3f} | {values.count(None)} "
            f"| {np.median(seconds):.4f} | {max(seconds):.2f} |"
        )
    return lines


def _median(rows: list[dict], table: str, size: str, method: str) -> float | None:
    found = [
        row["score"]
        for row in rows
        if (row["table"], row["size"], row["method"]) == (table, size, method)
    ]
    return None if None in found else float(np.median(found))


def _lines(rows: list[dict]) -> str:
    """JSON with a row a line."""
    return "[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n"


def write_page(rows: list[dict]) -> None:
    """Put the tables between the marks of the page."""
    text = PAGE.read_text(encoding="utf-8")
    for mark, lines in (("summary", summary_lines(rows)), ("table", table_lines(rows))):
        before, _, rest = text.partition(f"<!-- {mark} -->\n")
        after = rest.partition(f"<!-- end of {mark} -->\n")[2]
        text = f"{before}<!-- {mark} -->\n\n" + "\n".join(lines)
        text += f"\n\n<!-- end of {mark} -->\n{after}"
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--write", action="store_true", help="Only write the page.")
    given = parser.parse_args()
    if given.data is not None:
        warnings.simplefilter("ignore")  # the graphical lasso speaks of convergence
        measure(given.data)
    if given.write:
        write_page(json.loads(RESULTS.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
