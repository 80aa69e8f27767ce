"""The paper's tables of test scores in its own layout, published and measured side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from topofs_study.paper.claim_measures import StudyCells, winners, won_at_size
from topofs_study.paper.classifiers import CLASSIFIERS, METRICS
from topofs_study.paper.published import published_datasets
from topofs_study.paper.settings import SIZES
from topofs_study.report.reproduction.page import LABELS, Cell, Grid, Line, Section, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["all_features_section", "balanced_accuracy_section", "other_metrics_section"]

# The paper's order of columns.
_METHODS = ("inf_fs", "tfs")
_CHANGE = 0.03


def balanced_accuracy_section(
    cells: pd.DataFrame, studies: Mapping[str, StudyCells], sources: Sequence[str]
) -> Section:
    """Lay out datasets × sizes × methods, a grid a classifier, with the row of wins.

    Parameters
    ----------
    cells : pandas.DataFrame
        As `topofs_study.paper.tables.cells_table` gives.
    studies : mapping
        From ``published``, ``paper`` and ``corrected`` to its cells.
    sources : sequence of str
        Those to show.

    Returns
    -------
    Section
        Titled "Balanced accuracy".
    """
    sizes = _sizes(cells)
    grids = []
    for classifier in CLASSIFIERS:
        values = _values(cells, classifier, "balanced_accuracy")
        bests = {
            source: winners(studies[source], classifier=classifier, rule="ties to TFS")
            for source in sources
        }
        rows = [
            (Cell.of(name), *_row(values, name, sizes, sources, bests))
            for name in _datasets(cells, classifier)
        ]
        rows.append((Cell.of("# bests"), *_bests_row(studies, classifier, sizes, sources)))
        grids.append(_grid(LABELS.get(classifier, classifier), ("Dataset",), sizes, rows))
    return Section(
        anchor="balanced-accuracy",
        title="Balanced accuracy",
        paragraphs=(
            _legend(sources),
            "Bold is the best of a dataset, ties to TFS and then to the smaller size. The "
            "last row counts the paper's datasets that a method wins at a size, ties to TFS.",
        ),
        grids=tuple(grids),
    )


def other_metrics_section(cells: pd.DataFrame, sources: Sequence[str]) -> Section:
    """Lay out the three metrics of each dataset, as the paper's appendix does.

    Parameters
    ----------
    cells : pandas.DataFrame
        As `topofs_study.paper.tables.cells_table` gives.
    sources : sequence of str
        Those to show.

    Returns
    -------
    Section
        Titled "Balanced accuracy, F1 and MCC".
    """
    sizes = _sizes(cells)
    grids = []
    for classifier in CLASSIFIERS:
        tables = {metric: _values(cells, classifier, metric) for metric in METRICS}
        rows = [
            (Cell.of(name), Cell.of(LABELS[metric]), *_row(table, name, sizes, sources, {}))
            for name in _datasets(cells, classifier)
            for metric, table in tables.items()
        ]
        heads = ("Dataset", "Metric")
        grids.append(_grid(LABELS.get(classifier, classifier), heads, sizes, rows))
    return Section(
        anchor="other-metrics",
        title="Balanced accuracy, F1 and MCC",
        paragraphs=(_legend(sources),),
        grids=tuple(grids),
    )


def all_features_section(cells: pd.DataFrame, sources: Sequence[str]) -> Section:
    """Lay out the balanced accuracy with every feature kept.

    Parameters
    ----------
    cells : pandas.DataFrame
        As `topofs_study.paper.tables.cells_table` gives.
    sources : sequence of str
        Those to show.

    Returns
    -------
    Section
        Titled "All features".
    """
    chosen = cells[cells["method"].eq("all") & cells["metric"].eq("balanced_accuracy")]
    by_cell = {
        (row["dataset"], row["classifier"]): {source: row[source] for source in sources}
        for row in chosen.to_dict("records")
    }
    rows = tuple(
        (
            Cell.of(name),
            *(
                _cell(by_cell.get((name, classifier), {}), sources)
                for classifier in CLASSIFIERS
            ),
        )
        for name in dict.fromkeys(chosen["dataset"])
    )
    heads = tuple(LABELS.get(name, name) for name in CLASSIFIERS)
    return Section(
        anchor="all-features",
        title="All features",
        paragraphs=(_legend(sources),),
        grids=(Grid("Balanced accuracy with every feature", ("Dataset", *heads), rows),),
    )


def _legend(sources: Sequence[str]) -> str:
    return (
        f"Lines of a cell, from the top: {', '.join(sources)}. Beside the published value, "
        "≠ marks a score of protocol paper that is off by more than 0.01 and ≠≠ by more than "
        f"0.03; ▲ and ▼ mark one of protocol corrected that is off by more than {_CHANGE}."
    )


def _sizes(cells: pd.DataFrame) -> list[int]:
    return sorted({int(n) for n in cells["n_features"][cells["method"].isin(_METHODS)]})


def _datasets(cells: pd.DataFrame, classifier: str) -> list[str]:
    chosen = cells["classifier"].eq(classifier) & cells["method"].isin(_METHODS)
    return list(dict.fromkeys(cells["dataset"][chosen]))


_Values = dict[tuple[str, int, str], dict[str, float]]


def _values(cells: pd.DataFrame, classifier: str, metric: str) -> _Values:
    """From (dataset, size, method) to the score of each source."""
    chosen = cells[cells["classifier"].eq(classifier) & cells["metric"].eq(metric)]
    return {
        (row["dataset"], int(row["n_features"]), row["method"]): row
        for row in chosen.to_dict("records")
    }


def _row(
    values: _Values,
    dataset: str,
    sizes: Sequence[int],
    sources: Sequence[str],
    bests: Mapping[str, Mapping[str, tuple[str, int]]],
) -> list[Cell]:
    return [
        _cell(
            values.get((dataset, size, method), {}),
            sources,
            strong={s for s in bests if bests[s].get(dataset) == (method, size)},
        )
        for size in sizes
        for method in _METHODS
    ]


def _cell(
    scores: Mapping[str, float], sources: Sequence[str], strong: set[str] | None = None
) -> Cell:
    published = scores.get("published", float("nan"))
    return Cell(
        tuple(
            Line(
                text=number(scores.get(source)),
                source=source,
                mark=_mark(source, scores.get(source), published),
                strong=source in (strong or set()),
            )
            for source in sources
        )
    )


def _mark(source: str, value: float | None, published: float) -> str:
    if value is None or pd.isna(value) or pd.isna(published) or source == "published":
        return ""
    gap = round(value - published, 9)
    if source == "paper":
        return "≠≠" if abs(gap) > 0.03 else "≠" if abs(gap) > 0.01 else ""
    return "" if abs(gap) <= _CHANGE else "▲" if gap > 0 else "▼"


def _bests_row(
    studies: Mapping[str, StudyCells],
    classifier: str,
    sizes: Sequence[int],
    sources: Sequence[str],
) -> list[Cell]:
    def line(source: str, size: int, method: str) -> Line:
        if size not in SIZES:
            return Line("", source=source)
        count = won_at_size(
            studies[source], classifier=classifier, method=method, size=size, rule="ties to TFS"
        )
        everything = f" of {len(published_datasets())}"
        return Line(count.removesuffix(everything) or "·", source=source)

    return [
        Cell(tuple(line(source, size, method) for source in sources))
        for size in sizes
        for method in _METHODS
    ]


def _grid(
    caption: str,
    heads: tuple[str, ...],
    sizes: Sequence[int],
    rows: Sequence[tuple[Cell, ...]],
) -> Grid:
    return Grid(
        caption=caption,
        columns=(*heads, *(LABELS[method] for _ in sizes for method in _METHODS)),
        rows=tuple(rows),
        groups=(("", len(heads)), *((f"{size} features", len(_METHODS)) for size in sizes)),
    )
