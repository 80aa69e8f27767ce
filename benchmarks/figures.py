"""From benchmarks/results to the page: a table in Markdown and docs/images/growth.png.

Run after `make bench` and `make bench-large`: python -m benchmarks.figures
"""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

RESULTS = Path(__file__).parent / "results"
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "growth.png"
WITH, WITHOUT, RIVAL = "#0f766e", "#d97706", "#6b7280"


def shown(entry):
    value = entry["value"]
    text = f"{value:.3g}" if isinstance(value, float) else str(value)
    return f"{text} {entry['unit']}".strip()


def print_table(result):
    print("| row | what | measured | bar |\n| --- | --- | --- | --- |")
    for entry in result["rows"]:
        print(f"| {entry['row']} | {entry['what']} | {shown(entry)} | {entry['bar']} |")
    print()


def draw(ratios, large):
    dense, free = ratios["growth"], large["growth"]
    figure, (time, memory) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for name, color in (("TFS", WITH), ("Inf-FS", RIVAL)):
        label = f"{name}, {dense['n_samples']} samples"
        time.loglog(dense["sizes"], dense["seconds"][name], "o-", color=color, label=label)
    label = f"TMFG without the matrix, {free['n_samples']} samples, float32"
    time.loglog(free["sizes"], free["seconds"], "s-", color=WITHOUT, label=label)
    first, last = dense["sizes"][2], free["sizes"][-1]
    anchor = dense["seconds"]["TFS"][2]
    time.loglog(
        [first, last],
        [anchor, anchor * (last / first) ** 2],
        ":",
        color="black",
        linewidth=1,
        label="slope 2",
    )
    memory.loglog(
        dense["sizes"], dense["peak_gb"], "o-", color=WITH, label="fit, with the matrix"
    )
    memory.loglog(
        free["sizes"], free["peak_gb"], "s-", color=WITHOUT, label="without the matrix"
    )
    for axes, title, unit in ((time, "Time", "seconds"), (memory, "Peak memory", "GB")):
        axes.set(title=title, xlabel="columns", ylabel=unit)
        axes.grid(which="major", color="#e5e7eb")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8)
    figure.savefig(PICTURE, dpi=150)


def main():
    ratios, large = (
        json.loads((RESULTS / name).read_text()) for name in ("ratios.json", "large.json")
    )
    for result in (ratios, large):
        print_table(result)
    print(json.dumps({key: ratios[key] for key in ratios if key not in ("rows", "growth")}))
    draw(ratios, large)
    print(f"written to {PICTURE}")


if __name__ == "__main__":
    main()
