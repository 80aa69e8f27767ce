"""How long the report of 5,000 features takes to write, and how fast its drawing moves.

    python benchmarks/report_page.py [N_FEATURES]

The times in the browser are of software drawing, as in a machine without a graphics card.
"""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import sync_playwright

from topofs import TopologicalFeatureSelector
from topofs.report.selection import write_selection_report

MOVES = """async (how) => {
    const frame = () => new Promise(requestAnimationFrame);
    const canvas = document.getElementById("network");
    const slider = document.getElementById("size");
    const times = [];
    canvas.focus();
    for (let step = 0; step < 40; step += 1) {
        const began = performance.now();
        if (how === "move") {
            const key = step % 2 ? "ArrowLeft" : "ArrowRight";
            canvas.dispatchEvent(new KeyboardEvent("keydown", { key }));
        } else {
            slider.value = 100 + 20 * step;
            slider.dispatchEvent(new Event("input"));
        }
        await frame();
        await frame();
        times.push((performance.now() - began) / 2);
    }
    times.sort((a, b) => a - b);
    return [times[20], times[39]];
}"""


def table(n_features, n_samples=300):
    rng = np.random.default_rng(0)
    loadings = rng.normal(size=(60, n_features)) * (rng.random((60, n_features)) < 0.05)
    factors = rng.normal(size=(n_samples, 60))
    return factors @ loadings + 0.7 * rng.normal(size=(n_samples, n_features))


def main(n_features):
    X = table(n_features)
    selector = TopologicalFeatureSelector(n_features // 20).fit(X)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "report.html"
        began = time.perf_counter()
        write_selection_report(path, selector=selector, X=X)
        print(f"report written in {time.perf_counter() - began:.1f} s", end="")
        print(f", {path.stat().st_size / 1e6:.2f} MB")
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        began = time.perf_counter()
        page.goto(path.as_uri())
        page.evaluate("() => new Promise(requestAnimationFrame)")
        print(f"opened in {time.perf_counter() - began:.1f} s")
        for how in ("move", "slide"):
            middle, worst = page.evaluate(MOVES, how)
            print(f"{how}: {middle:.0f} ms a frame, at worst {worst:.0f}")
        browser.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
