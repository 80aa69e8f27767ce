"""``topofs datasets``: list the known datasets, describe one, download one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from topofs_study.datasets import DatasetInfo

__all__ = ["app"]

app = typer.Typer(
    help="The paper's datasets: what they are, where they are, how to get them.",
    add_completion=False,
    no_args_is_help=True,
)

_Name = Annotated[str, typer.Argument(metavar="NAME", help="A name that `list` shows.")]
_DataDir = Annotated[
    Path | None,
    typer.Option(help="The folder to look in before $TOPOFS_DATA and the user cache."),
]


@app.command("list")
def list_datasets(data_dir: _DataDir = None) -> None:
    """Show every dataset and where it was found."""
    from topofs_study.datasets import registry

    table = Table(box=None, pad_edge=False)
    table.add_column("name", no_wrap=True)
    table.add_column("category")
    for size in ("samples", "features", "classes"):
        table.add_column(size, justify="right", no_wrap=True)
    table.add_column("where")
    for entry in registry().values():
        sizes = (entry.n_samples, entry.n_features, entry.n_classes)
        table.add_row(entry.name, entry.category, *map(str, sizes), _where(entry, data_dir))
    Console(emoji=False).print(table)


@app.command()
def info(name: _Name, data_dir: _DataDir = None) -> None:
    """Describe a dataset and verify the file that holds it."""
    from topofs_study import datasets
    from topofs_study.datasets.entries import find, verify

    entry = datasets.info(name)
    path = find(entry, data_dir=data_dir)
    facts = {
        "name": entry.name,
        "category": entry.category,
        "samples": entry.n_samples,
        "features": entry.n_features,
        "classes": entry.n_classes,
        "test rows": "none set aside" if entry.n_train is None else f"from {entry.n_train} on",
        "file": entry.file or "none, it comes with scikit-learn",
        "sha256": entry.sha256 or "none known",
        "address": entry.url or "none",
        "source": entry.source,
        "where": path or _where(entry, data_dir),
    }
    console = Console(soft_wrap=True, highlight=False, emoji=False)
    for fact, value in facts.items():
        console.print(f"[bold]{fact:<10}[/] {escape(str(value))}")
    if path is None:
        return
    if entry.sha256 is None:
        console.print("[bold]checksum  [/] cannot be verified, none is known")
        return
    verify(path, entry.sha256)
    console.print("[bold]checksum  [/] verified")


@app.command()
def fetch(
    name: _Name,
    data_dir: Annotated[
        Path | None, typer.Option(help="The folder to put it in, instead of the user cache.")
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="A mirror: the address of a folder that has the file.")
    ] = None,
) -> None:
    """Download a dataset and verify its checksum."""
    import pooch

    from topofs_study import datasets

    pooch.get_logger().setLevel("WARNING")
    with Console(stderr=True, emoji=False).status(f"fetching {escape(name)}"):
        path = datasets.fetch(name, data_dir=data_dir, base_url=url)
    print(path)


def _where(entry: DatasetInfo, data_dir: Path | None) -> str:
    from topofs_study.datasets.entries import find, user_cache

    if entry.embedded:
        return "scikit-learn"
    path = find(entry, data_dir=data_dir)
    if path is None:
        return "to fetch" if entry.url else "missing"
    if path.parent == data_dir:
        return "--data-dir"
    return "user cache" if path.parent == user_cache() else "$TOPOFS_DATA"
