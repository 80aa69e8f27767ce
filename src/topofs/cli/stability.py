"""``topofs stability``: whether the same columns would be selected from other rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topofs.cli.fitting import Fitted, fitted, target_values, write_page
from topofs.cli.messages import FOLD, RIGHT, Messages, check_outputs, new_table, write_together
from topofs.cli.options import TABLE, check_jobs, command, option
from topofs.errors import TableError

if TYPE_CHECKING:
    from rich.table import Table as Printed

    from topofs.cli.options import ConstraintOptions
    from topofs.io import ColumnRoles
    from topofs.io.read import ReadOptions
    from topofs.selection import Stability, TopologicalFeatureSelector

_SHOWN_ROWS = 20
_SHOWN_LINKS = 5
_SURE = 0.9


@command("stability wine.csv --drop class --resamples 100")
def stability(  # noqa: PLR0913 - a parameter for each option
    table: str = TABLE,
    *,
    size: Any,
    resamples: int = option("How many bootstrap samples.", min=2, default=50),
    seed: int = option("Draws the samples.", min=0, max=2**32 - 1, default=0),
    jobs: int = option("Processes; -1 for one a core.", default=1),
    selector: TopologicalFeatureSelector,
    roles: ColumnRoles,
    constraints: ConstraintOptions,
    out: Path | None = option("How often each column was chosen: .csv, …", "FILE"),
    report: Path | None = option("The page of `select`, with the stability.", "FILE.html"),
    messages: Messages,
    read: ReadOptions,
) -> None:
    """Select again and again from rows drawn anew, and see what stays the same.

    Prints Nogueira's stability (1: always the same columns, 0: as if drawn at
    random) with its interval, how often columns were chosen, and which links stay.
    With --time, rows are drawn in blocks of neighbours.
    """
    from topofs.io.write import check_ending, write_records
    from topofs.report.document import check_page_ending

    check_jobs(jobs)
    check_outputs(table, (out, check_ending), (report, check_page_ending))
    with fitted(
        table,
        selector,
        messages,
        size=size,
        roles=roles,
        constraints=constraints,
        read=read,
        needs_rows=True,
    ) as found:
        answer = _resampled(found, messages, resamples=resamples, seed=seed, jobs=jobs)
        with messages.working("writing"):
            files = write_together(
                out=(out, lambda path: write_records(_frequencies(found, answer), path)),
                report=(report, lambda path: write_page(found, path, stability=answer)),
            )
    messages.result(
        lambda: _as_json(found, answer) | {"files": files, "seed": seed},
        _lines(found, answer),
        files,
    )


@dataclass(frozen=True)
class _Frequency:
    """A line of the file: how often a column was chosen."""

    column: str
    frequency: float
    selected: bool


@dataclass(frozen=True)
class _Link:
    """A link of the network of all rows, and its frequency in resamples."""

    source: str
    target: str
    confidence: float


def _resampled(
    found: Fitted, messages: Messages, *, resamples: int, seed: int, jobs: int
) -> Stability:
    from topofs.selection import stability as resample

    labels = None if found.target is None else target_values(found.table, found.compared)
    with messages.counting("selecting again", "resamples") as progress:
        try:
            return resample(
                found.selector,
                found.compared.named,
                y=labels,
                n_resamples=resamples,
                splits=_splits(found),
                random_state=seed,
                n_jobs=jobs,
                progress=progress,
            )
        except ValueError as error:
            # The options worked on all rows, so the table has too few rows.
            raise TableError(f"{found.table.name}: {error}") from error


def _splits(found: Fitted) -> str | None:
    """How to draw rows: in blocks of neighbours if they have an order."""
    return None if found.compared.roles.time is None else "blocks"


def _frequencies(found: Fitted, answer: Stability) -> list[_Frequency]:
    """The columns, those chosen most often first."""
    support = found.selector.support_.tolist()
    frequency = answer.frequency.tolist()
    order = sorted(range(len(support)), key=lambda i: (-frequency[i], not support[i], i))
    return [_Frequency(found.compared.names[i], frequency[i], support[i]) for i in order]


def _links(found: Fitted, answer: Stability) -> list[_Link]:
    """The links of the network of all rows, most frequent first; none without a graph."""
    selector, names = found.selector, found.compared.names
    if not hasattr(selector, "graph_"):
        return []
    sure = {(edge.left, edge.right): edge.confidence for edge in answer.edges}
    ends = [tuple(sorted(pair)) for pair in selector.nodes_[selector.graph_.edges].tolist()]
    links = [_Link(names[i], names[j], sure.get((i, j), 0.0)) for i, j in ends]
    return sorted(links, key=lambda link: -link.confidence)


def _as_json(found: Fitted, answer: Stability) -> dict[str, Any]:
    return {
        **found.about_table,
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
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _lines(found: Fitted, answer: Stability) -> Iterator[str | Printed]:
    if math.isfinite(answer.phi):
        yield (
            f"stability {answer.phi:.2f}, {answer.level:.0%} interval {answer.lower:.2f} to "
            f"{answer.upper:.2f} (1: always the same columns, 0: as if drawn at random)"
        )
    else:
        yield "stability cannot be told: every resample chose all columns"
    least, most = int(answer.sizes.min()), int(answer.sizes.max())
    sizes = str(least) if least == most else f"{least} to {most}"
    time = found.compared.roles.time
    blocks = "" if time is None else f" in blocks of neighbours by {time}"
    yield (
        f"{sizes} of {len(found.compared.names)} columns of {found.table.name} chosen in each "
        f"of {answer.n_resamples} resamples{blocks}; {found.selector.n_features_} from all rows"
    )
    columns = [column for column in _frequencies(found, answer) if column.frequency > 0]
    yield new_table(
        {"chosen": RIGHT, "column": FOLD, "from all rows": {}},
        [
            (f"{column.frequency:.0%}", column.column, "selected" * column.selected)
            for column in columns[:_SHOWN_ROWS]
        ],
    )
    if len(columns) > _SHOWN_ROWS:
        more = len(columns) - _SHOWN_ROWS
        yield f"… and {more} more; --out FILE and --json list them all"
    if not hasattr(found.selector, "graph_"):
        return
    links = _links(found, answer)
    sure = sum(link.confidence >= _SURE for link in links)
    yield (
        f"{sure} of {len(links)} links of the network are in at least {_SURE:.0%} of the "
        "resamples" + ("; the surest:" if links else "")
    )
    for link in links[:_SHOWN_LINKS]:
        yield f"  {link.source} – {link.target}  {link.confidence:.0%}"
