"""Homological networks beside dense ones and beside the same wiring on shuffled columns.

    python -m benchmarks.homological                 # the tables, five seeds; minutes
    python -m benchmarks.homological --write         # the page, from the results
    python -m benchmarks.homological --device cuda --try-once

Tables that ship in scikit-learn, mlxtend and skfolio, and rows of the graph's own Gaussian model,
to be told from rows whose columns are independent. 70 % of the rows are for training, the rest is
scored: accuracy, or R² where a number is predicted.
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import train_test_split
from torch import nn

from topofs import FilteredGraph, LoGoCovariance
from topofs.models.logo import graph_of_table
from topofs.torch import HomologicalConvNet, HomologicalNetwork
from topofs.torch.networks import Training, train

RESULTS = Path(__file__).parent / "results" / "homological.json"
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "sparse-models.md"
SEEDS, MADE_SEEDS = range(5), range(8)
KINDS = {
    "homological": "the graph",
    "shuffled": "shuffled graph",
    "convolution": "convolution",
    "dense, same units": "dense, same units",
    "dense, same weights": "dense, same weights",
}


def tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Columns and target by name; whole numbers are classes."""
    from mlxtend.data import autompg_data, boston_housing_data
    from skfolio.datasets import load_sp500_dataset, load_sp500_index
    from skfolio.preprocessing import prices_to_returns

    assets, index = prices_to_returns(load_sp500_dataset(), load_sp500_index())
    cars, miles = autompg_data()  # the last column is the names, which are no numbers
    return {
        "wine": load_wine(return_X_y=True),
        "breast cancer": load_breast_cancer(return_X_y=True),
        "digits": load_digits(return_X_y=True),
        "diabetes": load_diabetes(return_X_y=True),
        "Boston housing": boston_housing_data(),
        "auto mpg": (cars[:, :-1], miles),
        "S&P 500 index": (assets.to_numpy()[::4], 100 * index.to_numpy().ravel()[::4]),
    }


def made_table(seed: int, n: int = 30, n_rows: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    """Half of the rows come from a LoGo model on a TMFG, half have independent columns."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(300, 5))
    source = factors @ rng.normal(size=(5, n)) + 1.5 * rng.normal(size=(300, n))
    source = (source - source.mean(axis=0)) / source.std(axis=0)
    model = LoGoCovariance(shrinkage=None).fit(source)
    y = np.arange(n_rows) % 2
    rows = rng.multivariate_normal(np.zeros(n), model.covariance_, size=n_rows)
    return np.where(y[:, None] == 1, rows, rng.normal(size=(n_rows, n))), y


class DenseNetwork(nn.Module):
    """Hidden layers with layer norm, ReLU and a read-out from each, as the homological one."""

    def __init__(self, n_inputs: int, sizes: list[int], n_outputs: int) -> None:
        super().__init__()
        widths = [n_inputs, *sizes]
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Linear(a, b, bias=False), nn.LayerNorm(b), nn.ReLU())
            for a, b in pairwise(widths)
        )
        self.read_out = nn.Linear(sum(widths), n_outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        values = [x]
        for layer in self.layers:
            values.append(layer(values[-1]))
        return self.read_out(torch.cat(values, dim=-1))


def network_of(kind: str, graph: FilteredGraph, n_outputs: int, seed: int) -> nn.Module:
    """A network of one of the kinds, with weights drawn by the seed."""
    torch.manual_seed(seed)
    n = graph.n_nodes
    if kind == "homological":
        return HomologicalNetwork(graph, n_outputs)
    if kind == "convolution":
        return HomologicalConvNet(graph, n_outputs)
    if kind == "shuffled":
        names = np.random.default_rng(seed).permutation(n)
        return HomologicalNetwork(
            FilteredGraph(n, names[graph.edges], graph.weights), n_outputs
        )
    sparse = HomologicalNetwork(graph, n_outputs)
    sizes = [len(layer.weight) for layer in sparse.layers]
    if kind == "dense, same units":
        return DenseNetwork(n, sizes, n_outputs)
    # k units in each of d layers: n k + (d - 1) k² weights, as many as the sparse ones.
    depth = len(sizes)
    roots = np.roots([depth - 1, n, -sparse.n_sparse_weights])
    return DenseNetwork(n, [max(1, round(float(max(roots.real))))] * depth, n_outputs)


def score_of(kind: str, X: np.ndarray, y: np.ndarray, seed: int, device: str) -> dict:
    """Train on 70 % of the rows and score the others."""
    classes = np.issubdtype(y.dtype, np.integer)
    parts = train_test_split(
        X, y, test_size=0.3, random_state=seed, stratify=y if classes else None
    )
    X, X_test, y, y_test = parts
    varies = X.std(axis=0) > 0
    X, X_test = X[:, varies].astype(float), X_test[:, varies].astype(float)
    graph = graph_of_table(X, "tmfg", memory="2GB")
    mean, scale = X.mean(axis=0), X.std(axis=0)
    inputs, unseen = (
        torch.as_tensor((part - mean) / scale, dtype=torch.float32, device=device)
        for part in (X, X_test)
    )
    if classes:
        targets = torch.as_tensor(y, device=device)
        loss, n_outputs = nn.functional.cross_entropy, int(y.max()) + 1
    else:
        centre, spread = y.mean(), y.std()
        targets = torch.as_tensor((y - centre) / spread, dtype=torch.float32, device=device)
        targets, loss, n_outputs = targets[:, None], nn.functional.mse_loss, 1
    network = network_of(kind, graph, n_outputs, seed).to(device)
    start = time.perf_counter()
    generator = torch.Generator().manual_seed(seed)
    settings = Training(max_epochs=100, patience=10)
    losses = train(network, inputs, targets, loss, settings, generator=generator)
    seconds = time.perf_counter() - start
    with torch.no_grad():
        outputs = network(unseen).cpu().numpy()
    if classes:
        score = accuracy_score(y_test, outputs.argmax(axis=1))
    else:
        score = r2_score(y_test, outputs[:, 0] * spread + centre)
    weights = sum(value.numel() for value in network.parameters())
    return {
        "score": round(float(score), 5),
        "seconds": round(seconds, 3),
        "epochs": len(losses),
        "weights": weights,
    }


def measure(device: str) -> None:
    """All tables, kinds and seeds."""
    rows = []
    jobs = [(name, *table, seed) for name, table in tables().items() for seed in SEEDS]
    jobs += [("made", *made_table(seed), seed) for seed in MADE_SEEDS]
    for name, X, y, seed in jobs:
        for kind in KINDS:
            found = score_of(kind, X, y, seed, device)
            rows.append({"table": name, "kind": kind, "seed": seed} | found)
        print(name, seed, [round(row["score"], 3) for row in rows[-len(KINDS) :]], flush=True)
        lines = ",\n".join(map(json.dumps, rows))
        RESULTS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def try_once(device: str) -> None:
    """A table of 2,000 columns and the networks of the tables, on a device and on the CPU."""
    print("torch", torch.__version__, "on", device)
    if device.startswith("cuda"):
        print(torch.cuda.get_device_name())
    X, y = made_table(0)
    for kind in ("homological", "convolution"):
        for where in ("cpu", device):
            print("made", kind, where, score_of(kind, X, y, 0, where), flush=True)
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(2000, 20)) @ rng.normal(size=(20, 2000)) + rng.normal(
        size=(2000,) * 2
    )
    graph = graph_of_table(wide, "tmfg", memory="2GB")
    for where in ("cpu", device):
        torch.manual_seed(0)
        network = HomologicalNetwork(graph).to(where)
        inputs = torch.as_tensor(wide[:512], dtype=torch.float32, device=where)
        times = []
        for _ in range(6):
            start = time.perf_counter()
            network.zero_grad()
            total = network(inputs).square().mean()
            total.backward()
            value = total.item()
            times.append(time.perf_counter() - start)
        gradient = float(network.layers[0].weight.grad.norm())
        best = f"{1000 * min(times):.1f} ms a step"
        print(
            f"{network.n_sparse_weights} weights on {where}: {best}, {value:.6f}, {gradient:.6f}"
        )


def table_lines(rows: list[dict]) -> list[str]:
    """One line a table: median and worst of the seeds, and how often the graph is ahead."""
    lines = [
        "| table | " + " | ".join(KINDS.values()) + " | graph ahead of shuffled | p |",
        "| --- |" + " ---: |" * (len(KINDS) + 2),
    ]
    for table in dict.fromkeys(row["table"] for row in rows):
        scores = {
            kind: np.array(
                [r["score"] for r in rows if (r["table"], r["kind"]) == (table, kind)]
            )
            for kind in KINDS
        }
        cells = [f"{np.median(found):.3f} ({found.min():.3f})" for found in scores.values()]
        ahead = scores["homological"] - scores["shuffled"]
        p = stats.ttest_1samp(ahead, 0).pvalue if ahead.any() else 1.0
        words = "< 0.0001" if p < 1e-4 else f"{p:.2g}"
        lines.append(
            f"| {table} | " + " | ".join(cells) + f" | {(ahead > 0).sum()} of {len(ahead)}, "
            f"{ahead.mean():+.3f} | {words} |"
        )
    return lines


def write_page(rows: list[dict]) -> None:
    """Put the table between the marks of the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition("<!-- networks -->\n")
    after = rest.partition("<!-- end of networks -->\n")[2]
    table = "\n".join(table_lines(rows))
    PAGE.write_text(
        f"{before}<!-- networks -->\n\n{table}\n\n<!-- end of networks -->\n{after}",
        encoding="utf-8",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--try-once", action="store_true", help="Only a short run.")
    parser.add_argument("--write", action="store_true", help="Only write the page.")
    given = parser.parse_args()
    if given.write:
        write_page(json.loads(RESULTS.read_text(encoding="utf-8")))
    elif given.try_once:
        try_once(given.device)
    else:
        measure(given.device)


if __name__ == "__main__":
    main()
