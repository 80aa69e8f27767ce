"""FSEVAL's protocol on the command line: run it, print our rows beside the published ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from topofs_study.benchmark.fseval.summary import FsevalSummary

__all__ = ["run_fseval"]

_TITLES = {
    "rf_accuracy": "Random forest, accuracy over five folds",
    "kmeans_accuracy": "k-means, accuracy under the best matching",
}


def run_fseval(
    *,
    datasets: tuple[str, ...] | None,
    methods: tuple[str, ...] | None,
    data_dir: Path | None,
    results: Path,
    out: Path,
    jobs: int,
    scheduler: str | None,
    report_only: bool,
) -> None:
    """Run what the store does not hold, then print and write what it holds.

    Parameters
    ----------
    datasets, methods : tuple of str, optional
        Names; the datasets at hand that FSEVAL has numbers for, and a few methods.
    data_dir, jobs, scheduler
        As in `topofs_study.cli.runs.run_to_store`.
    results : pathlib.Path
        The store.
    out : pathlib.Path
        The folder for the tables.
    report_only : bool
        Run nothing.
    """
    from topofs.io.atomic_write import replacing_together
    from topofs_study.benchmark.fseval.plan import FSEVAL_METHODS, FsevalBenchmark
    from topofs_study.benchmark.fseval.published import published_shares
    from topofs_study.benchmark.fseval.summary import load_fseval, summarise_fseval
    from topofs_study.cli.options import found_datasets
    from topofs_study.cli.runs import run_to_store, say_not_run
    from topofs_study.errors import StoreError

    if datasets is None:
        there = set(published_shares()["dataset"])
        found = found_datasets(data_dir, replay=True)
        datasets = tuple(name for name in found if name in there)
    plan = FsevalBenchmark(datasets, methods or FSEVAL_METHODS)
    missing: dict[str, str] = {}
    if not report_only:
        missing = run_to_store(plan, results, data_dir=data_dir, jobs=jobs, scheduler=scheduler)
    say_not_run(missing)
    summaries = summarise_fseval(load_fseval(results, plan))
    if not summaries:
        raise StoreError(f"{results} holds no results for these datasets and methods")
    console = Console(soft_wrap=True, highlight=False, emoji=False)
    for summary in summaries:
        console.print(_table(summary))
    out.mkdir(parents=True, exist_ok=True)
    written = {out / f"fseval_{summary.metric}.csv": summary.table for summary in summaries}
    with replacing_together(written) as unfinished:
        for path, table in zip(unfinished, written.values(), strict=True):
            table.to_csv(path, index=False, lineterminator="\n", float_format="%.6g")
    console.print(f"written: {escape(', '.join(map(str, written)))}")
    if missing:
        raise typer.Exit(3)


def _table(summary: FsevalSummary) -> Table:
    """Lay out the rows, ours and theirs."""
    from topofs_study.benchmark.frame import count_in_words
    from topofs_study.benchmark.methods import METHOD_NAMES

    title = f"{_TITLES[summary.metric]}; datasets: {len(summary.by_dataset)}"
    if summary.metric == "rf_accuracy":
        title += f", seeds: {count_in_words(summary.n_seeds, summary.most_seeds)}"
    table = Table(title=f"{title}; mean by share of columns", title_justify="left", box=None)
    shown = summary.table.rename(columns={"over_random": "over Random", "source": "row of"})
    for name in shown.columns:
        table.add_column(name, justify="left" if name in ("row of", "method") else "right")
    for row in shown.itertuples(index=False):
        source, method, *values, lead = row
        name = METHOD_NAMES.get(method, method) if source == "topofs" else method
        table.add_row(source, name, *(f"{value:.3f}" for value in values), f"{lead:+.3f}")
    return table
