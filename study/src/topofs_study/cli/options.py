"""What the commands that run a study share: lists of names and numbers, and the datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

__all__ = [
    "DataDir",
    "Datasets",
    "Jobs",
    "Out",
    "Scheduler",
    "StoreFile",
    "found_datasets",
    "names",
    "numbers",
]

Datasets = Annotated[
    str | None,
    typer.Option(
        metavar="A,B", help="Datasets; all that are found, or else the embedded ones."
    ),
]
DataDir = Annotated[
    Path | None, typer.Option(help="The folder with the datasets, looked in first.")
]
StoreFile = Annotated[
    Path | None, typer.Option(help="The file for the results; OUT/store.sqlite by default.")
]
Out = Annotated[Path, typer.Option(help="The folder for the tables and the report.")]
Jobs = Annotated[
    int, typer.Option(help="Worker processes; -1 takes every core.", show_default=True)
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on this dask.distributed cluster instead."),
]


def names(value: str | None) -> tuple[str, ...] | None:
    """Split ``a,b`` into its names.

    Parameters
    ----------
    value : str or None
        What was given.

    Returns
    -------
    tuple of str or None
        Every name once; None where nothing was given.

    Examples
    --------
    >>> names("wine, colon,wine")
    ('wine', 'colon')
    """
    if value is None:
        return None
    return tuple(dict.fromkeys(name.strip() for name in value.split(",") if name.strip()))


def numbers(value: str | None) -> tuple[int, ...] | None:
    """Split ``10,50`` into its numbers.

    Parameters
    ----------
    value : str or None
        What was given.

    Returns
    -------
    tuple of int or None
        None where nothing was given.
    """
    found = names(value)
    if found is None:
        return None
    wrong = [name for name in found if not name.isdecimal()]
    if wrong or not found:
        raise typer.BadParameter(
            f"{wrong[0] if wrong else value!r} is not a number of features; give whole numbers "
            "such as 10,50",
            param_hint="--sizes",
        )
    return tuple(int(name) for name in found)


def found_datasets(data_dir: Path | None, *, replay: bool) -> tuple[str, ...]:
    """List the paper's datasets that are on this machine, or else the embedded ones.

    Parameters
    ----------
    data_dir : Path or None
        The folder to look in first.
    replay : bool
        Whether only the paper's own datasets will do.

    Returns
    -------
    tuple of str
    """
    from topofs_study.datasets import registry
    from topofs_study.datasets.locate import find
    from topofs_study.errors import DatasetNotFoundError

    of_paper = [entry for entry in registry().values() if not entry.embedded]
    found = [entry.name for entry in of_paper if find(entry, data_dir=data_dir) is not None]
    notes = Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)
    if found:
        absent = [entry.name for entry in of_paper if entry.name not in found]
        if absent:
            notes.print(f"not here, so left out: {', '.join(absent)}")
        return tuple(found)
    advice = "give --data-dir, or fetch some with `topofs datasets fetch NAME`"
    if replay or data_dir is not None:
        where = f" in {data_dir}" if data_dir is not None else ""
        raise DatasetNotFoundError(f"none of the paper's datasets was found{where}; {advice}")
    notes.print(f"none of the paper's datasets was found ({advice}): running the embedded ones")
    return tuple(name for name, entry in registry().items() if entry.embedded)
