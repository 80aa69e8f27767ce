"""``topofs benchmark``: label-free selection against random subsets and its rivals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from topofs.experiments.benchmark.plan import Benchmark

__all__ = ["app"]

app = typer.Typer(add_completion=False)


@app.command()
def benchmark(
    *,
    datasets: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Datasets; all that are found, or else the embedded ones."
        ),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Methods; all of them by default."),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(metavar="N,M", help="Numbers of features to keep; 10 to 200 by default."),
    ] = None,
    splits: Annotated[int, typer.Option(help="Random 70/30 splits of each dataset.")] = 10,
    seeds: Annotated[int, typer.Option(help="Random subsets of each size and split.")] = 20,
    data_dir: Annotated[
        Path | None, typer.Option(help="The folder with the datasets, looked in first.")
    ] = None,
    store: Annotated[
        Path | None, typer.Option(help="The file for the results; OUT/store.sqlite by default.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder for the tables and the report.")] = (
        Path("benchmark")
    ),
    jobs: Annotated[
        int, typer.Option(help="Worker processes; -1 takes every core.", show_default=True)
    ] = 1,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Run on this dask.distributed cluster instead."),
    ] = None,
) -> None:
    """Compare ways to select features without labels, honestly.

    Selection and scaling see the training part of each split only. Results are stored one by
    one: after an interruption the same command goes on where it stopped.
    """
    from topofs.cli.study_options import check_jobs, found_datasets, names, numbers
    from topofs.experiments.benchmark.methods import METHODS
    from topofs.experiments.benchmark.plan import Benchmark
    from topofs.experiments.settings import SIZES

    check_jobs(jobs)
    plan = Benchmark(
        datasets=names(datasets) or found_datasets(data_dir, replay=False),
        methods=names(methods) or METHODS,
        sizes=numbers(sizes) or SIZES,
        n_splits=splits,
        n_seeds=seeds,
    )
    out.mkdir(parents=True, exist_ok=True)
    missing = _run(plan, store or out / "store.sqlite", data_dir, jobs, scheduler)
    if missing:
        errors = Console(stderr=True, soft_wrap=True, highlight=False)
        for reason in missing.values():
            errors.print(f"[red]not run:[/] {escape(reason)}")
        raise typer.Exit(3)


def _run(
    plan: Benchmark, path: Path, data_dir: Path | None, jobs: int, scheduler: str | None
) -> dict[str, str]:
    """Run what the store does not hold yet; give the datasets that could not be read."""
    from topofs.cli.progress import StudyProgress
    from topofs.experiments.benchmark.running import run_benchmark, survey
    from topofs.experiments.store import Store

    folder = None if data_dir is None else str(data_dir)
    found = survey(plan, data_dir=folder)
    with Store(path) as opened, StudyProgress() as progress:
        try:
            run_benchmark(
                plan,
                found.shapes,
                opened,
                progress,
                data_dir=folder,
                jobs=jobs,
                scheduler=scheduler,
            )
        except KeyboardInterrupt:
            Console(stderr=True, soft_wrap=True, highlight=False).print(
                f"stopped: {progress.n_done} of {progress.n_items} results are in "
                f"{escape(str(path))}; the same command goes on from there"
            )
            raise typer.Exit(130) from None
    return dict(found.missing)
