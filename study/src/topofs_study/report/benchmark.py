"""The report of a benchmark: the answers to its questions, tables and drawings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from topofs.io.write import replacing_together
from topofs.plot.axes import COLORS, tidy
from topofs_study.benchmark.frames import format_range
from topofs_study.benchmark.methods import (
    DEFAULT,
    GREEDY,
    METHOD_NAMES,
    NEEDS_MATRIX,
    SELECTORS,
)
from topofs_study.benchmark.plan import N_TUNED_SPLITS
from topofs_study.benchmark.summary import (
    ACCURACY_TIE,
    REFERENCE,
    STABILITY_SLACK,
    gains_by_size,
)
from topofs_study.paper.statistics import ROPE
from topofs_study.report.page import (
    LABELS,
    STYLE,
    Figure,
    Grid,
    Section,
    critical_difference_svg,
    grid_of_frame,
    markdown,
    p_value,
    p_value_phrase,
    svg,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from topofs_study.benchmark.summary import AutoSizes, BenchmarkSummary, Group
    from topofs_study.paper.statistics import RankComparison

__all__ = ["write_benchmark"]

_OUTPUTS = (
    *("report.md", "critical_difference.svg", "accuracy_and_stability.svg"),
    *("records.csv", "cells.csv", "gains.csv", "auto.csv"),
    *("against_default.csv", "against_greedy.csv", "measures.csv", "stability.csv"),
)
_TITLE = "Selecting features without labels: the comparison"
_LEAD = (
    "Balanced accuracy on unseen rows of random stratified 80/20 splits. Columns are ranked, and "
    "scaled, on the training part only; every ranking is cut at every size and given to a linear "
    "support vector machine and to the five nearest neighbours."
)


def write_benchmark(
    summary: BenchmarkSummary,
    out_dir: str | os.PathLike[str],
    *,
    records: pd.DataFrame,
    missing: Sequence[str] = (),
) -> list[Path]:
    """Write report, tables and drawing.

    Parameters
    ----------
    summary : BenchmarkSummary
        What the benchmark found.
    out_dir : path-like
        The folder to write to, made where it is missing.
    records : pandas.DataFrame
        Every score, from `topofs_study.benchmark.frames.load_frame`.
    missing : sequence of str
        What was planned and is not there; the report says so.

    Returns
    -------
    list of pathlib.Path
        ``report.md``, ``critical_difference.svg``, ``accuracy_and_stability.svg``,
        ``records.csv`` (every score), ``cells.csv`` (means over splits), ``gains.csv``,
        ``against_default.csv``, ``against_greedy.csv``, ``measures.csv``, ``stability.csv``
        and ``auto.csv``; those for which there are results. They appear together; those of an
        earlier run without results now are removed.
    """
    page = sections(summary, missing)
    tables = {"records.csv": records, "cells.csv": summary.cells}
    if summary.label_free is not None:
        tables["gains.csv"] = summary.label_free.gains
        names = {DEFAULT: "against_default.csv", GREEDY: "against_greedy.csv"}
        tables |= {names[name]: tests for name, tests in summary.label_free.against.items()}
    if summary.measures is not None and summary.others is not None:
        tables["measures.csv"] = summary.measures.rename_axis("method").reset_index()
        tables["stability.csv"] = summary.others.stability.reset_index()
    if summary.auto is not None:
        tables["auto.csv"] = summary.auto.by_dataset
    texts = {
        name: table.to_csv(index=False, lineterminator="\n", float_format="%.6g")
        for name, table in tables.items()
    }
    drawings = {f"{figure.name}.svg": figure.svg for part in page for figure in part.figures}
    report = {"report.md": markdown(page, title=_TITLE, lead=_LEAD)}
    folder = Path(out_dir)
    folder.mkdir(parents=True, exist_ok=True)
    written = {folder / name: text for name, text in (texts | drawings | report).items()}
    with replacing_together(written) as unfinished:
        for path, text in zip(unfinished, written.values(), strict=True):
            path.write_text(text, encoding="utf-8", newline="\n")
    for name in _OUTPUTS:
        if folder / name not in written:
            (folder / name).unlink(missing_ok=True)
    return list(written)


def answers(summary: BenchmarkSummary) -> list[tuple[str, str]]:
    """Answer what the results suffice for: questions, and what came out."""
    found = _gain(summary)
    found += _against_best(summary)
    rivals = {name: METHOD_NAMES[name] for name in (REFERENCE, GREEDY, "inf_fs")}
    if summary.best_published is not None:
        name = METHOD_NAMES[summary.best_published]
        rivals[summary.best_published] = f"the best fixed setting as published ({name})"
    for rival, label in rivals.items():
        if {DEFAULT, rival} <= set(summary.wide):
            found.append(_by_size(summary.wide, label, rival))
    if summary.auto is not None:
        found += _auto(summary.auto.by_method)
    return found


def _gain(summary: BenchmarkSummary) -> list[tuple[str, str]]:
    """Compare the default with the mean of random subsets."""
    if summary.label_free is None:
        return []
    gains = summary.label_free.gains
    return [
        (
            f"default against {METHOD_NAMES[REFERENCE]}",
            f"{row['gain']:+.3f} on average, ahead on {row['ahead']} of {row['n_datasets']} "
            f"datasets, Wilcoxon p {p_value_phrase(row['wilcoxon'])} "
            f"(Holm {p_value_phrase(row['holm'])})",
        )
        for _, row in gains[gains["method"] == DEFAULT].iterrows()
    ]


def _against_best(summary: BenchmarkSummary) -> list[tuple[str, str]]:
    """Compare the default with the most accurate method, and say who wins by the rule."""
    measures = summary.measures
    if measures is None or DEFAULT not in measures.index:
        return []
    best = str(measures["accuracy"].idxmax())
    own, other = measures.loc[DEFAULT], measures.loc[best]
    found = [
        (
            f"default against the most accurate method ({METHOD_NAMES[best]})",
            f"{own['accuracy'] - other['accuracy']:+.3f} accuracy, "
            f"{own['stability'] - other['stability']:+.3f} stability",
        )
    ]
    if summary.choice is not None:
        winner = METHOD_NAMES[summary.choice.winner]
        found.append(("default by the rule written down before the run", winner))
    return found


def _by_size(wide: pd.DataFrame, label: str, rival: str) -> tuple[str, str]:
    """Say how far the default is ahead on average at every size."""
    leads = gains_by_size(wide, DEFAULT, rival).mean().drop("mean")
    found = ", ".join(f"{size}: {lead:+.3f}" for size, lead in leads.items())
    return f"default against {label}, by number of columns", found


def _auto(by_method: pd.DataFrame) -> list[tuple[str, str]]:
    """Compare the automatic size of the default with all columns."""
    return [
        (
            "automatic size against all columns",
            f"{row['lead']:+.3f} (LinearSVM {row['LinearSVM']:+.3f}, KNN {row['KNN']:+.3f}) "
            f"with {row['share']:.1%} of the columns",
        )
        for _, row in by_method[by_method["method"] == DEFAULT].iterrows()
    ]


_WIDTH = 11.0

_GAIN_HEADS = {
    "gain": "mean gain",
    "ahead": "datasets ahead",
    "wilcoxon": "Wilcoxon p",
    "holm": "Holm p",
    "p_better": f"P(better by > {ROPE})",
    "p_equivalent": f"P(within ±{ROPE})",
    "p_worse": f"P(worse by > {ROPE})",
}


def sections(summary: BenchmarkSummary, missing: Sequence[str]) -> tuple[Section, ...]:
    """Lay out the report; a section without content is left out."""
    every = (
        _answers_section(summary),
        _missing_section(missing),
        _group_section(summary.label_free),
        _measures_section(summary),
        _choice_section(summary),
        _ranks_section(summary.label_free),
        _datasets_section(summary),
        _labels_section(summary.with_labels),
        _auto_section(summary.auto),
    )
    return tuple(section for section in every if section is not None)


def _answers_section(summary: BenchmarkSummary) -> Section | None:
    rows = answers(summary)
    if not rows:
        return None
    frame = pd.DataFrame(rows, columns=["question", "found"])
    grid = grid_of_frame(frame, "What was asked, and what came out", words=True)
    return Section("answers", "Answers", grids=(grid,))


def _missing_section(missing: Sequence[str]) -> Section | None:
    if not missing:
        return None
    lead = (
        "The store does not hold the whole benchmark. What is there is compared; missing are:"
    )
    return Section("missing", "What is missing", paragraphs=(lead, "; ".join(missing) + "."))


def _group_section(group: Group | None) -> Section | None:
    if group is None:
        return None
    grids = [
        _named(group.by_size, "Mean balanced accuracy by number of columns"),
        _named(group.by_classifier, "Mean balanced accuracy by classifier"),
    ]
    if len(group.gains):
        grids.append(_gains_grid(group.gains))
    grids += [_gains_grid(tests, METHOD_NAMES[name]) for name, tests in group.against.items()]
    lead = (
        f"Datasets: {len(group.by_dataset)}; splits: {group.splits}. Every dataset counts the "
        "same; every method is averaged over the same splits, sizes and classifiers. Random is "
        "the mean over random subsets, so a method has to beat a typical draw."
    )
    return Section("label-free", "Without labels", paragraphs=(lead,), grids=tuple(grids))


def _gains_grid(gains: pd.DataFrame, reference: str = METHOD_NAMES[REFERENCE]) -> Grid:
    shown = gains.assign(method=gains["method"].map(METHOD_NAMES)).drop(columns="n_datasets")
    caption, tests = f"Against {reference}, one number a dataset", ("wilcoxon", "holm")
    return grid_of_frame(shown, caption, heads=_GAIN_HEADS, decimals=3, p_values=tests)


def _measures_section(summary: BenchmarkSummary) -> Section | None:
    if summary.measures is None or summary.others is None:
        return None
    others = summary.others
    resamples = format_range(others.n_resamples, others.most_resamples)
    lead = (
        "Accuracy is the mean of the table above; rebuilt, the share of the variance of all "
        "columns on unseen rows that ridge regression rebuilds from the chosen ones; neighbours, "
        "the share of the ten nearest rows in all columns that are among the ten nearest in the "
        f"chosen ones; stability, Nogueira's measure of 50 columns over {resamples} resamples of "
        "80 % of the rows; seconds, CPU time of a ranking on one core. Rebuilt, neighbours and "
        "seconds are medians over splits."
    )
    table = summary.measures.assign(
        matrix=["n × n" if name in NEEDS_MATRIX else "" for name in summary.measures.index]
    )
    grids = [
        _named(table, "Means over datasets"),
        _named(others.stability.T.reindex(table.index), "Stability by dataset"),
    ]
    figure = Figure(
        name="accuracy_and_stability",
        caption="Accuracy against stability, one dot a method; settings of topofs in colour.",
        svg=trade_off_svg(summary.measures),
    )
    return Section("measures", "Beside accuracy", (lead,), tuple(grids), (figure,))


def _choice_section(summary: BenchmarkSummary) -> Section | None:
    if summary.choice is None:
        return None
    winner = summary.choice.winner
    stays = "the default stays" if winner == DEFAULT else "it should be the default"
    lead = (
        "Candidates are settings of topofs without an n × n matrix, no more than "
        f"{STABILITY_SLACK} less stable than the default; of those within {ACCURACY_TIE} of the "
        f"highest accuracy, the cheapest wins: {METHOD_NAMES[winner]}, so {stays}."
    )
    table = summary.choice.candidates.copy()
    for name in ("stable_enough", "tied"):
        table[name] = table[name].map({True: "yes", False: "no"})
    grid = _named(table, "Candidates")
    return Section("choice", "The default by the rule", paragraphs=(lead,), grids=(grid,))


def _ranks_section(group: Group | None) -> Section | None:
    if group is None or group.comparison is None:
        return None
    comparison = _with_names(group.comparison)
    ranks = comparison.average_ranks
    table = pd.DataFrame({"method": ranks.index, "average rank": ranks.to_numpy()})
    words = f"{comparison.n_datasets} datasets, {len(ranks)} methods."
    if comparison.friedman_p_value == comparison.friedman_p_value:  # NaN: too few methods
        words += (
            f" Friedman's test: χ² = {comparison.friedman_statistic:.1f}, p "
            f"{p_value(comparison.friedman_p_value).replace('<', '< ')}."
        )
    words += (
        f" Ranks further apart than {comparison.critical_difference:.2f} differ by Nemenyi's "
        "test at 5 %."
    )
    figure = Figure(
        name="critical_difference",
        caption=f"Average ranks, the best on the left: {', '.join(ranks.index)}.",
        svg=critical_difference_svg(comparison, width=_WIDTH),
    )
    grid = grid_of_frame(table, "Average ranks, 1 is best")
    return Section("ranks", "Ranks", paragraphs=(words,), grids=(grid,), figures=(figure,))


def _with_names(comparison: RankComparison) -> RankComparison:
    """Give the methods the names that a reader knows."""
    return replace(
        comparison,
        average_ranks=comparison.average_ranks.rename(index=METHOD_NAMES),
        nemenyi=comparison.nemenyi.rename(index=METHOD_NAMES, columns=METHOD_NAMES),
    )


def _datasets_section(summary: BenchmarkSummary) -> Section | None:
    if summary.label_free is None:
        return None
    grids = [_named(summary.label_free.by_dataset.T, "Mean balanced accuracy by dataset")]
    for rival in (REFERENCE, GREEDY, summary.best_published, "coverage_similarity"):
        if rival is not None and {DEFAULT, rival} <= set(summary.wide):
            table = gains_by_size(summary.wide, DEFAULT, rival)
            table.loc["mean"] = table.mean()
            caption = f"Lead of the default over {METHOD_NAMES[rival]}, by number of columns"
            grids.append(_indexed(table, "dataset", caption))
    return Section("datasets", "Dataset by dataset", grids=tuple(grids))


def _labels_section(group: Group | None) -> Section | None:
    if group is None:
        return None
    lead = (
        "TFS tuned with labels, as in the paper: the setting of every classifier and size is "
        "chosen by three-fold cross-validation on the training part. That takes 39 times the "
        f"fits, so it was run on at most {N_TUNED_SPLITS} splits; here every method is averaged "
        f"over those. Datasets: {len(group.by_dataset)}; splits: {group.splits}."
    )
    grids = [_named(group.by_size, "Mean balanced accuracy by number of columns")]
    if len(group.gains):
        grids.append(_gains_grid(group.gains))
    return Section("with-labels", "With labels", paragraphs=(lead,), grids=tuple(grids))


def _auto_section(auto: AutoSizes | None) -> Section | None:
    if auto is None:
        return None
    heads = {"n_datasets": "datasets", "share": "share of the columns", "lead": "both"}
    means = auto.by_method.assign(method=auto.by_method["method"].map(METHOD_NAMES))
    grids = [grid_of_frame(means, "Lead over all columns", heads=heads, decimals=3)]
    rows = auto.by_dataset[auto.by_dataset["method"] == DEFAULT].drop(columns="method")
    if len(rows):
        heads = {"n_splits": "splits", "n_varying": "columns", "n_auto": "kept"}
        rows = rows.assign(
            n_auto=rows["n_auto"].map("{:.1f}".format),
            n_varying=rows["n_varying"].map("{:.0f}".format),
        )
        grids.append(grid_of_frame(rows, "The default, by dataset", heads=heads, decimals=3))
    lead = (
        "How many columns each variant keeps by itself, as a share of those that vary on the "
        "training part, and how its scores compare with those of all columns."
    )
    return Section("auto", "The automatic size", paragraphs=(lead,), grids=tuple(grids))


def _named(table: pd.DataFrame, caption: str) -> Grid:
    """Lay out a table whose rows are methods."""
    return _indexed(table.rename(index=METHOD_NAMES), "method", caption)


def _indexed(table: pd.DataFrame, name: str, caption: str) -> Grid:
    heads = {column: LABELS.get(column, column) for column in table.columns}
    frame = table.rename_axis(name).reset_index()
    return grid_of_frame(frame, caption, heads=heads, decimals=3)


_SIZE = (8.6, 6.0)
_GAP = 10.0
_DOT = 7.0
_ROWS = (0.0, 1.0, -1.0, 1.5, -1.5, 2.0, -2.0, 2.5, -2.5, 3.0, -3.0, 4.0, -4.0, 5.0, -5.0)


def trade_off_svg(measures: pd.DataFrame) -> str:
    """Draw mean accuracy against mean stability."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.subplots()
        ours = measures.index.isin(SELECTORS)
        for own, color in ((False, COLORS["other"]), (True, COLORS["selected"])):
            some = measures[ours == own]
            axes.scatter(some["stability"], some["accuracy"], s=42, color=color, zorder=3)
        axes.set_xlabel("stability of 50 columns over 80 % resamples (Nogueira)")
        axes.set_ylabel("mean balanced accuracy")
        axes.margins(x=0.16, y=0.16)
        tidy(axes)
        axes.grid(axis="x", color=COLORS["rule"], linewidth=0.8)
        figure.draw_without_rendering()
        _label(axes, measures, ours)
        return svg(figure)


def _label(axes: Any, measures: pd.DataFrame, ours: Any) -> None:
    """Write the names beside the dots; one that has to stand apart gets a line to its dot."""
    points = measures[["stability", "accuracy"]].to_numpy()
    dots = axes.transData.transform(points)
    taken = [_Box(*(dot - _DOT), *(dot + _DOT)) for dot in dots]
    room = _Box(*axes.bbox.extents)
    unit = axes.figure.dpi / 72
    for place in np.argsort(~np.asarray(ours), kind="stable"):
        text = axes.annotate(
            METHOD_NAMES[str(measures.index[place])],
            points[place],
            xytext=(0, 0),
            textcoords="offset points",
            ha="left",
            va="center",
            fontsize=9,
            color=COLORS["selected" if ours[place] else "ink"],
            arrowprops={"arrowstyle": "-", "color": COLORS["edge"], "linewidth": 0.6},
        )
        extent = text.get_window_extent()
        shift, box = _best_place(dots[place], extent.width, extent.height, taken, room)
        text.set_position((shift[0] / unit, shift[1] / unit))
        text.arrow_patch.set_visible(shift[1] != 0)
        taken.append(box)


def _best_place(
    dot: Any, width: float, height: float, taken: list[_Box], room: _Box
) -> tuple[tuple[float, float], _Box]:
    """The shift of a name from its dot that covers least, then the nearest; in pixels."""
    shifts = [
        (across, rows * height)
        for rows in _ROWS
        for across in (_GAP, -_GAP - width, 4 * _GAP, -4 * _GAP - width, -width / 2)
        if rows or across in (_GAP, -_GAP - width)
    ]
    places = []
    for across, up in shifts:
        left, middle = dot[0] + across, dot[1] + up
        box = _Box(left, middle - height / 2, left + width, middle + height / 2)
        hidden = sum(box.covers(other) for other in taken) + (not box.within(room))
        places.append((hidden, abs(across + width / 2) / 4 + abs(up), (across, up), box))
    return min(places)[2:]


class _Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float

    def covers(self, other: _Box) -> bool:
        """Whether the two have a point in common."""
        across = self.left < other.right and other.left < self.right
        return bool(across and self.bottom < other.top and other.bottom < self.top)

    def within(self, other: _Box) -> bool:
        """Whether this box lies in another."""
        across = other.left <= self.left and self.right <= other.right
        return bool(across and other.bottom <= self.bottom and self.top <= other.top)
