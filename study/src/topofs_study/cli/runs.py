"""What `reproduce` and `benchmark` share: a run that can be stopped and goes on later."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.markup import escape

from topofs.cli.app import exit_status

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from topofs_study.running.driver import Plan

__all__ = ["run_to_store", "say_not_run"]


def run_to_store(
    plan: Plan,
    path: Path,
    *,
    data_dir: Path | None,
    jobs: int,
    scheduler: str | None,
) -> dict[str, str]:
    """Run what a store does not hold yet; an interruption leaves what is done.

    Parameters
    ----------
    plan : Plan
        What is to be run.
    path : pathlib.Path
        The store; its folder is made where it is missing, once there is something to run.
    data_dir : pathlib.Path or None
        The folder to look for datasets in.
    jobs, scheduler
        As in `topofs_study.running.executor.run_tasks`.

    Returns
    -------
    dict of str to str
        The datasets that could not be read, with the reason.
    """
    from topofs_study.cli.progress import RunProgress
    from topofs_study.errors import DatasetError
    from topofs_study.running.driver import run_plan, survey
    from topofs_study.running.store import Store

    folder = None if data_dir is None else str(data_dir)
    found = survey(plan, data_dir=folder)
    if not found.shapes:
        raise DatasetError("; ".join(found.missing.values()))
    if path.parent.exists() and not path.parent.is_dir():
        raise NotADirectoryError(f"{path.parent}: is a file; give a folder with --out")
    path.parent.mkdir(parents=True, exist_ok=True)
    with Store(path) as store, RunProgress() as progress:
        try:
            run_plan(
                plan,
                found.shapes,
                store,
                progress,
                data_dir=folder,
                jobs=jobs,
                scheduler=scheduler,
            )
        except KeyboardInterrupt as error:
            _errors().print(
                f"stopped: {progress.n_done} of {progress.n_items} results are in "
                f"{escape(str(path))}; the same command goes on from there"
            )
            raise typer.Exit(exit_status(error)) from None
    return dict(found.missing)


def say_not_run(missing: Mapping[str, str]) -> None:
    """Say which datasets could not be read.

    Parameters
    ----------
    missing : mapping of str to str
        The reasons.
    """
    for reason in missing.values():
        _errors().print(f"[red]not run:[/] {escape(reason)}")


def _errors() -> Console:
    return Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)
