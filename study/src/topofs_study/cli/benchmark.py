"""``topofs benchmark``: label-free selection against random subsets and its rivals."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from topofs_study.cli.runs import (
    DataDir,
    Datasets,
    Jobs,
    Out,
    Scheduler,
    StoreFile,
    available_datasets,
    names,
    numbers,
    print_missing,
    run_to_store,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topofs_study.benchmark.fseval import FsevalBenchmark, FsevalSummary
    from topofs_study.benchmark.plan import Benchmark
    from topofs_study.benchmark.summary import BenchmarkSummary

__all__ = ["app"]

app = typer.Typer(add_completion=False)


class Protocol(StrEnum):
    """How methods are compared."""

    splits = "splits"
    fseval = "fseval"


@app.command()
def benchmark(  # noqa: PLR0913 - one argument an option
    *,
    datasets: Datasets = None,
    methods: Annotated[
        str | None, typer.Option(metavar="A,B", help="Methods; all of them by default.")
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(metavar="N,M", help="Numbers of features to keep; 10 to 200 by default."),
    ] = None,
    splits: Annotated[int, typer.Option(help="Random 80/20 splits of each dataset.")] = 10,
    seeds: Annotated[int, typer.Option(help="Random subsets of each size and split.")] = 20,
    data_dir: DataDir = None,
    store: StoreFile = None,
    out: Out = Path("benchmark"),
    jobs: Jobs = 1,
    scheduler: Scheduler = None,
    report_only: Annotated[
        bool,
        typer.Option("--report-only", help="Run nothing; write the report of what is there."),
    ] = False,
    protocol: Annotated[
        Protocol,
        typer.Option(
            help="Ours, or that of FSEVAL: whole tables, shares of the columns, and our rows "
            "beside the published ones; --sizes, --splits and --seeds are fixed then."
        ),
    ] = Protocol.splits,
) -> None:
    """Compare ways to select features without labels, honestly.

    Selection and scaling see the training part of each split only. Results are stored one by
    one: after an interruption the same command goes on where it stopped.
    """
    from topofs.cli.options import check_jobs
    from topofs_study.benchmark.methods import METHODS, SIZES
    from topofs_study.benchmark.plan import Benchmark

    check_jobs(jobs)
    results = store or out / "store.sqlite"
    plan: Benchmark | FsevalBenchmark
    if protocol is Protocol.fseval:
        plan = _fseval_plan(names(datasets), names(methods), data_dir)
    else:
        plan = Benchmark(
            datasets=names(datasets) or available_datasets(data_dir, replay=False),
            methods=names(methods) or METHODS,
            sizes=numbers(sizes) or SIZES,
            n_splits=splits,
            n_seeds=seeds,
        )
    missing: dict[str, str] = {}
    if not report_only:
        missing = run_to_store(plan, results, data_dir=data_dir, jobs=jobs, scheduler=scheduler)
    print_missing(missing)
    if isinstance(plan, Benchmark):
        _report(plan, results, out)
    else:
        _report_fseval(plan, results, out)
    if missing:
        raise typer.Exit(3)


def _report(plan: Benchmark, path: Path, out: Path) -> None:
    """Write the report of what the store holds, and print the short of it."""
    from topofs_study.benchmark.frames import (
        load_frame,
        load_measurements,
        missing_parts,
        within_plan,
    )
    from topofs_study.benchmark.summary import summarise
    from topofs_study.errors import StoreError
    from topofs_study.report.benchmark import write_benchmark

    frame = within_plan(load_frame(path), plan)
    if frame.empty:
        raise StoreError(f"{path} holds no results for these datasets and methods")
    absent = missing_parts(frame, plan)
    summary = summarise(frame, load_measurements(path).within_plan(plan))
    written = write_benchmark(summary, out, records=frame, missing=absent)
    console = Console(soft_wrap=True, highlight=False, emoji=False)
    _print_summary(summary, console)
    if absent:
        console.print(f"missing: {escape('; '.join(absent))}")
    console.print(f"written: {escape(', '.join(str(path) for path in written))}")


def _print_summary(summary: BenchmarkSummary, console: Console) -> None:
    """Print means by size, gains over random subsets and the answers."""
    from topofs_study.benchmark.methods import METHOD_NAMES
    from topofs_study.report.benchmark import answers

    group = summary.label_free
    if group is not None:
        gains = group.gains.set_index("method")
        table = _table(
            f"Mean balanced accuracy; datasets: {len(group.by_dataset)}, splits: "
            f"{group.splits}; gain over random subsets, datasets ahead",
            [*group.by_size.columns, "gain", "ahead"],
        )
        for method, row in group.by_size.iterrows():
            words = [f"{value:.3f}" for value in row]
            if method in gains.index:
                gain = gains.loc[method]
                words += [
                    f"{gain['gain']:+.3f}",
                    f"{gain['ahead']:.0f}/{gain['n_datasets']:.0f}",
                ]
            table.add_row(METHOD_NAMES[str(method)], *words)
        console.print(table)
    if summary.measures is not None:
        table = _table("Means over datasets", summary.measures.columns)
        for method, row in summary.measures.iterrows():
            table.add_row(METHOD_NAMES[str(method)], *(f"{value:.3f}" for value in row))
        console.print(table)
    for question, found in answers(summary):
        console.print(f"{escape(question)}: {escape(found)}")


def _table(title: str, numbers: Iterable[str]) -> Table:
    """Begin a table with a row a method and some columns of numbers."""
    table = Table(title=title, title_justify="left", box=None)
    table.add_column("method", justify="left")
    for name in numbers:
        table.add_column(name, justify="right")
    return table


_TITLES = {
    "rf_accuracy": "Random forest, accuracy over five folds",
    "kmeans_accuracy": "k-means, accuracy under the best matching",
}


def _fseval_plan(
    datasets: tuple[str, ...] | None, methods: tuple[str, ...] | None, data_dir: Path | None
) -> FsevalBenchmark:
    """Take the datasets at hand that FSEVAL has numbers for, unless some are named."""
    from topofs_study.benchmark.fseval import FSEVAL_METHODS, FsevalBenchmark, published_shares

    if datasets is None:
        there = set(published_shares()["dataset"])
        found = available_datasets(data_dir, replay=True)
        datasets = tuple(name for name in found if name in there)
    return FsevalBenchmark(datasets, methods or FSEVAL_METHODS)


def _report_fseval(plan: FsevalBenchmark, path: Path, out: Path) -> None:
    """Print our rows beside the published ones, and write them."""
    from topofs.io.write import replacing_together
    from topofs_study.benchmark.fseval import load_fseval, summarise_fseval
    from topofs_study.errors import StoreError

    summaries = summarise_fseval(load_fseval(path, plan))
    if not summaries:
        raise StoreError(f"{path} holds no results for these datasets and methods")
    console = Console(soft_wrap=True, highlight=False, emoji=False)
    for summary in summaries:
        console.print(_fseval_table(summary))
    out.mkdir(parents=True, exist_ok=True)
    written = {out / f"fseval_{summary.metric}.csv": summary.table for summary in summaries}
    with replacing_together(written) as unfinished:
        for file, table in zip(unfinished, written.values(), strict=True):
            table.to_csv(file, index=False, lineterminator="\n", float_format="%.6g")
    console.print(f"written: {escape(', '.join(map(str, written)))}")


def _fseval_table(summary: FsevalSummary) -> Table:
    """Lay out the rows, ours and theirs."""
    from topofs_study.benchmark.frames import format_range
    from topofs_study.benchmark.methods import METHOD_NAMES

    title = f"{_TITLES[summary.metric]}; datasets: {len(summary.by_dataset)}"
    if summary.metric == "rf_accuracy":
        title += f", seeds: {format_range(summary.n_seeds, summary.most_seeds)}"
    table = Table(title=f"{title}; mean by share of columns", title_justify="left", box=None)
    shown = summary.table.rename(columns={"over_random": "over Random", "source": "row of"})
    for name in shown.columns:
        table.add_column(name, justify="left" if name in ("row of", "method") else "right")
    for row in shown.itertuples(index=False):
        source, method, *values, lead = row
        name = METHOD_NAMES.get(method, method) if source == "topofs" else method
        table.add_row(source, name, *(f"{value:.3f}" for value in values), f"{lead:+.3f}")
    return table
