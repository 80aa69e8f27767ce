"""The sections of scores in the report of a reproduction: published and measured side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from topofs_study.paper.claims import StudyCells, winners, won_at_size
from topofs_study.paper.protocols import CLASSIFIERS, METRICS, SIZES
from topofs_study.paper.published import published_datasets
from topofs_study.paper.statistics import ROPE, stars
from topofs_study.report.page import (
    LABELS,
    Cell,
    Figure,
    Grid,
    Line,
    Section,
    critical_difference_svg,
    grid_of_frame,
    number,
    p_value,
    p_value_phrase,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from topofs_study.paper.statistics import RankComparison

    # Over all sizes and classifiers; the pairs of TFS and Inf-FS, classifier by classifier.
    Compared = tuple[RankComparison, pd.DataFrame]


# The paper's order of columns.
_METHODS = ("inf_fs", "tfs")
_CHANGE = 0.03


def balanced_accuracy_section(
    cells: pd.DataFrame, studies: Mapping[str, StudyCells], sources: Sequence[str]
) -> Section:
    """Lay out datasets × sizes × methods, a grid a classifier, with the row of wins."""
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
    text = (
        "Bold is the best of a dataset, ties to TFS and then to the smaller size. The "
        "last row counts the paper's datasets that a method wins at a size, ties to TFS."
    )
    paragraphs = (_legend(sources), text)
    return Section("balanced-accuracy", "Balanced accuracy", paragraphs, tuple(grids))


def other_metrics_section(cells: pd.DataFrame, sources: Sequence[str]) -> Section:
    """Lay out the three metrics of each dataset, as the paper's appendix does."""
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
    title = "Balanced accuracy, F1 and MCC"
    return Section("other-metrics", title, (_legend(sources),), tuple(grids))


def all_features_section(cells: pd.DataFrame, sources: Sequence[str]) -> Section:
    """Lay out the balanced accuracy with every feature kept."""
    chosen = cells[cells["method"].eq("all") & cells["metric"].eq("balanced_accuracy")]
    by_cell = {
        (row["dataset"], row["classifier"]): {source: row[source] for source in sources}
        for row in chosen.to_dict("records")
    }
    rows = tuple(
        (Cell.of(name), *(_cell(by_cell.get((name, c), {}), sources) for c in CLASSIFIERS))
        for name in dict.fromkeys(chosen["dataset"])
    )
    heads = tuple(LABELS.get(name, name) for name in CLASSIFIERS)
    grid = Grid("Balanced accuracy with every feature", ("Dataset", *heads), rows)
    return Section("all-features", "All features", (_legend(sources),), (grid,))


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
    caption: str, heads: tuple[str, ...], sizes: Sequence[int], rows: Sequence[tuple[Cell, ...]]
) -> Grid:
    return Grid(
        caption=caption,
        columns=(*heads, *(LABELS[method] for _ in sizes for method in _METHODS)),
        rows=tuple(rows),
        groups=(("", len(heads)), *((f"{size} features", len(_METHODS)) for size in sizes)),
    )


_SUBSET_METHODS = ("tfs", "inf_fs", "random", "variance")


# The columns of the p-value table that are a line of each cell: name, protocol, words.
_SHOWN = (
    ("paper_program", "paper", "program statistic of protocol paper"),
    ("paper_nadeau_bengio", "paper", "Nadeau–Bengio of protocol paper"),
    ("corrected_nadeau_bengio", "corrected", "Nadeau–Bengio of protocol corrected"),
)


def p_values_section(p_values: pd.DataFrame) -> Section:
    """Lay out the p-values of TFS against Inf-FS as the paper does."""
    shown = [line for line in _SHOWN if p_values[line[0]].notna().any()]
    sizes = sorted({int(n) for n in p_values["n_features"]})
    rows = {
        (row["dataset"], row["classifier"], int(row["n_features"])): row
        for row in p_values.to_dict("records")
    }
    grids = tuple(
        Grid(
            caption=LABELS.get(classifier, classifier),
            columns=("Dataset", *(str(size) for size in sizes)),
            rows=tuple(
                (
                    Cell.of(name),
                    *(_p_cell(rows.get((name, classifier, size), {}), shown) for size in sizes),
                )
                for name in dict.fromkeys(p_values["dataset"])
            ),
            groups=(("", 1), ("Number of features", len(sizes))),
        )
        for classifier in CLASSIFIERS
    )
    order = ", ".join(["published", *(words for _, _, words in shown)])
    return Section(
        "p-values",
        "P-values by cell",
        (
            f"TFS against Inf-FS over halves of the training part. Lines of a cell: {order}. "
            "* p ≤ 0.1, ** ≤ 0.05, *** ≤ 0.01, **** ≤ 0.001; (∨) TFS is better, (∧) worse, as "
            "published, and by the mean difference in the lines below. The test as the text "
            "prints it is too liberal to be shown here; it stands in p_values.csv.",
        ),
        grids=grids,
    )


def _p_cell(row: dict[str, Any], shown: Sequence[tuple[str, str, str]]) -> Cell:
    lines = [Line(_published_p(row), source="published")]
    for column, source, _ in shown:
        value = row.get(column, float("nan"))
        mark = stars(value)
        if mark:
            difference = row[f"{source}_mean_difference"]
            mark += " (∨)" if difference > 0 else " (∧)" if difference < 0 else ""
        lines.append(Line(p_value(value), source=source, mark=mark))
    return Cell(tuple(lines))


def _published_p(row: dict[str, Any]) -> str:
    if row.get("published_stars"):
        sign = {"better": " (∨)", "worse": " (∧)"}.get(row["published_tfs_is"], "")
        return f"{row['published_stars']}{sign}"
    return number(row.get("published_p_value"))


def baselines_section(cells: pd.DataFrame) -> Section | None:
    """Show who wins when random subsets and the largest variances take part."""
    scores = cells[cells["metric"].eq("balanced_accuracy") & cells["corrected"].notna()]
    wide = scores[scores["method"].isin(_SUBSET_METHODS)].pivot_table(
        index=["dataset", "classifier", "n_features"], columns="method", values="corrected"
    )
    present = [name for name in _SUBSET_METHODS if name in wide.columns]
    wide = wide[present].dropna()
    if len(present) < 3 or wide.empty:
        return None
    rounded = wide.round(9)
    best = rounded.eq(rounded.max(axis=1), axis=0)
    return Section(
        "baselines",
        "Random subsets and other rivals",
        (
            "Protocol corrected. Random is the mean of ten random subsets; its spread is not "
            "used, so a method must beat a typical draw, not a lucky one. The second table "
            "counts the cells in which a method is the best, or one of the best.",
        ),
        grids=(
            grid_of_frame(
                _by_size(wide, "mean"), "Mean balanced accuracy by subset size", decimals=3
            ),
            grid_of_frame(
                _by_size(best, "sum"), "Cells won by subset size, ties to all who tie"
            ),
        ),
    )


def _by_size(wide: pd.DataFrame, how: str) -> pd.DataFrame:
    grouped = wide.groupby("n_features")
    table = grouped.agg(how).reset_index()
    table.insert(1, "cells", grouped.size().to_numpy())
    last = {"n_features": "all sizes", "cells": len(wide), **wide.agg(how).to_dict()}
    table = table.astype({"n_features": object})
    return pd.concat([table, pd.DataFrame([last])], ignore_index=True)


def across_datasets_section(comparisons: Mapping[str, Compared]) -> Section:
    """Compare the methods with one score a dataset, published and by protocol."""
    return Section(
        "across-datasets",
        "Methods across datasets",
        (
            "One score a dataset: the mean balanced accuracy over subset sizes and "
            "classifiers. Cells of one dataset share their samples and are no independent "
            "observations.",
        ),
        parts=tuple(_comparison_part(source, of) for source, of in comparisons.items()),
    )


def _comparison_part(source: str, compared: Compared) -> Section:
    overall, by_classifier = compared
    grids = [_ranks_grid(overall), _pairwise_grid(overall.pairwise, "Pairs of methods")]
    if not by_classifier.empty:
        caption = "TFS against Inf-FS, classifier by classifier"
        grids.append(_pairwise_grid(by_classifier, caption))
    names = ", ".join(LABELS[name] for name in overall.average_ranks.index)
    figure = Figure(
        name=f"critical_difference_{source}",
        caption=f"Average ranks ({source}), the best on the left: {names}. A bar joins methods "
        f"less than {overall.critical_difference:.2f} apart, the critical difference.",
        svg=critical_difference_svg(overall),
    )
    return Section(
        f"across-datasets-{source}",
        source.capitalize() if source == "published" else f"Protocol {source}",
        (_verdict(overall),),
        grids=tuple(grids),
        figures=(figure,),
    )


def _verdict(comparison: RankComparison) -> str:
    methods = len(comparison.average_ranks)
    text = f"{comparison.n_datasets} datasets, {methods} methods. "
    if methods < 3:
        return text + "Friedman's test needs three methods."
    return text + (
        f"Friedman's test: χ² = {comparison.friedman_statistic:.2f}, p "
        f"{p_value_phrase(comparison.friedman_p_value)}."
    )


def _ranks_grid(comparison: RankComparison) -> Grid:
    ranks = comparison.average_ranks
    means = [comparison.scores[name].mean() for name in ranks.index]
    table = {"method": ranks.index, "average_rank": ranks.to_numpy(), "mean": means}
    heads = {"mean": "mean balanced accuracy"}
    frame = pd.DataFrame(table)
    return grid_of_frame(frame, "Average ranks, 1 is best", heads=heads, decimals=3)


def _pairwise_grid(frame: pd.DataFrame, caption: str) -> Grid:
    heads = {
        "wilcoxon": "Wilcoxon p",
        "holm": "Holm p",
        "p_first_better": "P(first better)",
        "p_equivalent": f"P(within ±{ROPE})",
        "p_second_better": "P(second better)",
    }
    return grid_of_frame(frame, caption, heads=heads, decimals=3, p_values=("wilcoxon", "holm"))
