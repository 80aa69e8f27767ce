"""``topofs reproduce``: run the paper's study, compare it with the printed numbers."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

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
)

__all__ = ["app"]

app = typer.Typer(add_completion=False)


class _Protocol(StrEnum):
    """Which way to run the study."""

    paper = "paper"
    corrected = "corrected"
    both = "both"


@app.command()
def reproduce(  # noqa: PLR0913 - one argument an option
    *,
    replay: Annotated[
        bool, typer.Option("--replay", help="Only test the settings that the paper prints.")
    ] = False,
    protocol: Annotated[
        _Protocol, typer.Option(help="As the paper's program does it, done right, or both.")
    ] = _Protocol.both,
    datasets: Datasets = None,
    classifiers: Annotated[
        str | None, typer.Option(metavar="A,B", help="LinearSVM, KNN, DecisionTree.")
    ] = None,
    sizes: Annotated[
        str | None, typer.Option(metavar="N,M", help="Numbers of features to keep.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(metavar="A,B", help="tfs, inf_fs, random, variance, all.")
    ] = None,
    pairs: Annotated[
        bool | None,
        typer.Option(
            "--pairs/--no-pairs",
            help="Run the 15×2 halves behind the p-values; on unless --replay is given.",
        ),
    ] = None,
    data_dir: DataDir = None,
    store: StoreFile = None,
    out: Out = Path("reproduction"),
    jobs: Jobs = 1,
    scheduler: Scheduler = None,
) -> None:
    """Run the paper's study again and show every published number beside the measured one.

    Results are stored one by one: after an interruption the same command goes on where it
    stopped.
    """
    from topofs.cli.options import check_jobs
    from topofs_study.cli.runs import print_missing, run_to_store
    from topofs_study.paper.frames import load
    from topofs_study.paper.protocols import BASELINES, CLASSIFIERS, TUNED_METHODS
    from topofs_study.paper.study import Study
    from topofs_study.report.reproduction import write_reproduction

    check_jobs(jobs)
    study = Study(
        datasets=names(datasets) or available_datasets(data_dir, replay=replay),
        protocols=("paper", "corrected") if protocol == "both" else (protocol.value,),
        classifiers=names(classifiers) or CLASSIFIERS,
        methods=names(methods) or TUNED_METHODS + BASELINES,
        sizes=numbers(sizes),
        source="replay" if replay else "tuned",
        with_pairs=not replay if pairs is None else pairs,
    )
    results = store or out / "store.sqlite"
    missing = run_to_store(study, results, data_dir=data_dir, jobs=jobs, scheduler=scheduler)
    out.mkdir(parents=True, exist_ok=True)
    written = write_reproduction(load(results, source=study.source), out)
    console = Console(soft_wrap=True, highlight=False, emoji=False)
    console.print(f"written: {escape(', '.join(str(path) for path in written))}")
    print_missing(missing)
    if missing:
        raise typer.Exit(3)
