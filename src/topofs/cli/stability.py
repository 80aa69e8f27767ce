"""``topofs stability``: whether the same columns would be selected from other rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topofs.cli.fitting import Fitted, fitted, write_page
from topofs.cli.messages import Messages, print_json, shown
from topofs.cli.options import (
    ConstraintOptions,
    Json,
    Quiet,
    TableName,
    check_jobs,
    constraints,
    how,
    roles,
    settings,
    size,
)
from topofs.cli.outputs import check_outputs, write_together
from topofs.cli.term_options import option_groups
from topofs.errors import TableError

if TYPE_CHECKING:
    from topofs.io import ColumnRoles
    from topofs.io.read import ReadOptions
    from topofs.selection import Stability, TopologicalFeatureSelector

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_SHOWN_ROWS = 20
_SHOWN_LINKS = 5
_SURE = 0.9


@app.command(epilog="Example:  topofs stability wine.csv --drop class --resamples 100")
@option_groups(size=size, settings=settings, roles=roles, constraints=constraints, how=how)
def stability(  # noqa: PLR0913 - a parameter for each option
    table: TableName,
    *,
    size: Any,
    resamples: Annotated[int, typer.Option(min=2, help="How many bootstrap samples.")] = 50,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Draws the samples.")] = 0,
    jobs: Annotated[int, typer.Option(help="Processes; -1 for one a core.")] = 1,
    settings: TopologicalFeatureSelector,
    roles: ColumnRoles,
    constraints: ConstraintOptions,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="How often each column was chosen: .csv, …"),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="The page of `select`, with the stability."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    how: ReadOptions,
) -> None:
    """Select again and again from rows drawn anew, and see what stays the same.

    Prints Nogueira's stability (1: always the same columns, 0: as if drawn at
    random) with its interval, how often columns were chosen, and which links stay.
    With --time, rows are drawn in blocks of neighbours.
    """
    from topofs.io.write import check_ending, write_records

    check_jobs(jobs)
    messages = Messages(quiet=quiet)
    check_outputs([out], source=table, report=report)
    if out is not None:
        check_ending(out)
    with fitted(
        table,
        size=size,
        selector=settings,
        roles=roles,
        constraints=constraints,
        how=how,
        messages=messages,
    ) as found:
        answer = _resampled(found, messages, resamples=resamples, seed=seed, jobs=jobs)
        with messages.working("writing"):
            written = write_together(
                (out, lambda path: write_records(_frequencies(found, answer), path)),
                (report, lambda path: write_page(found, path, stability=answer)),
            )
    if as_json:
        files = {"out": out, "report": report}
        print_json(_as_json(found, answer, files) | {"seed": seed})
    elif not quiet:
        _print_stability(found, answer)
    messages.written(written)


@dataclass(frozen=True)
class _Frequency:
    """A line of the file: how often a column was chosen."""

    column: str
    frequency: float
    selected: bool


@dataclass(frozen=True)
class _Link:
    """A link of the network of all rows, and how often it came back."""

    source: str
    target: str
    confidence: float


def _resampled(
    found: Fitted, messages: Messages, *, resamples: int, seed: int, jobs: int
) -> Stability:
    from topofs.selection import stability as resample

    with messages.counting("selecting again", "resamples") as progress:
        try:
            return resample(
                found.selector,
                found.compared.named,
                n_resamples=resamples,
                splits=_splits(found),
                random_state=seed,
                n_jobs=jobs,
                progress=progress,
            )
        except ValueError as error:
            # The options were right for all rows, so it is the table that is too thin.
            raise TableError(f"{found.table.name}: {error}") from error


def _splits(found: Fitted) -> str | None:
    """How rows are drawn: in blocks of neighbours where they have an order."""
    return None if found.compared.roles.time is None else "blocks"


def _frequencies(found: Fitted, answer: Stability) -> list[_Frequency]:
    """The columns, those chosen most often first."""
    support = found.selector.support_.tolist()
    frequency = answer.frequency.tolist()
    order = sorted(range(len(support)), key=lambda i: (-frequency[i], not support[i], i))
    return [_Frequency(found.compared.names[i], frequency[i], support[i]) for i in order]


def _links(found: Fitted, answer: Stability) -> list[_Link]:
    """The links of the network of all rows, the surest first; none where it ranks without."""
    selector, names = found.selector, found.compared.names
    if not hasattr(selector, "graph_"):
        return []
    sure = {(edge.left, edge.right): edge.confidence for edge in answer.edges}
    ends = [tuple(sorted(pair)) for pair in selector.nodes_[selector.graph_.edges].tolist()]
    links = [_Link(names[i], names[j], sure.get((i, j), 0.0)) for i, j in ends]
    return sorted(links, key=lambda link: -link.confidence)


def _as_json(found: Fitted, answer: Stability, files: dict[str, Path | None]) -> dict[str, Any]:
    return {
        "table": found.table.name,
        "n_samples": found.table.n_samples,
        "n_features": len(found.compared.names),
        "n_selected": found.selector.n_features_,
        "n_resamples": answer.n_resamples,
        "time": found.compared.roles.time,
        "splits": _splits(found),
        "stability": _number(answer.phi),
        "interval": [_number(answer.lower), _number(answer.upper)],
        "level": answer.level,
        "sizes": answer.sizes.tolist(),
        "columns": [vars(column) for column in _frequencies(found, answer)],
        "links": [vars(link) for link in _links(found, answer)],
        "left_out": found.left_out,
        "settings": found.settings,
        "files": {name: str(path) for name, path in files.items() if path is not None},
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _print_stability(found: Fitted, answer: Stability) -> None:
    from rich.table import Table as Printed

    from topofs.cli.messages import Output

    output = Output()
    output.say(_verdict(answer))
    least, most = int(answer.sizes.min()), int(answer.sizes.max())
    sizes = str(least) if least == most else f"{least} to {most}"
    time = found.compared.roles.time
    blocks = "" if time is None else f" in blocks of neighbours by {shown(time)}"
    output.say(
        f"{sizes} of {len(found.compared.names)} columns of {shown(found.table.name)} chosen "
        f"in each of {answer.n_resamples} resamples{blocks}; "
        f"{found.selector.n_features_} from all rows"
    )
    columns = [column for column in _frequencies(found, answer) if column.frequency > 0]
    printed = Printed(box=None, pad_edge=False)
    printed.add_column("chosen", justify="right")
    printed.add_column("column", overflow="fold")
    printed.add_column("from all rows")
    for column in columns[:_SHOWN_ROWS]:
        printed.add_row(
            f"{column.frequency:.0%}", shown(column.column), "selected" * column.selected
        )
    output.print(printed)
    if len(columns) > _SHOWN_ROWS:
        more = len(columns) - _SHOWN_ROWS
        output.say(f"… and {more} more; --out FILE and --json list them all")
    links = _links(found, answer)
    if not links and not hasattr(found.selector, "graph_"):
        return
    sure = sum(link.confidence >= _SURE for link in links)
    output.say(
        f"{sure} of {len(links)} links of the network are in at least {_SURE:.0%} of the "
        "resamples" + ("; the surest:" if links else "")
    )
    for link in links[:_SHOWN_LINKS]:
        output.say(f"  {shown(link.source)} – {shown(link.target)}  {link.confidence:.0%}")


def _verdict(answer: Stability) -> str:
    if not math.isfinite(answer.phi):
        return "stability cannot be told: every resample chose all columns"
    return (
        f"stability {answer.phi:.2f}, {answer.level:.0%} interval {answer.lower:.2f} to "
        f"{answer.upper:.2f} (1: always the same columns, 0: as if drawn at random)"
    )
